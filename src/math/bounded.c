// Least squares with bounds by active sets [P. Stark, R. Parker, Computational Statistics 10 (1995)
// 129], each free subproblem by one-sided Jacobi rotations, which give singular values to full
// relative accuracy and need no work space.
#include "math/bounded.h"

#include <float.h>
#include <math.h>

typedef struct problem {
  const double *A, *b, *low, *high;
  int rows, cols;
  double damping;
  signed char* side;  // -1 at the lower bound, 1 at the upper, 0 free
  int* index;         // free columns
  int n;              // how many
  double *W, *V;      // columns of A V (cols x rows) and of V (cols x cols), by rows
  double *z, *r;      // (cols), (rows)
} problem;

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void rotate(double* a, double* b, int n, double c, double s) {
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// W = A_free V with orthogonal rows (columns of A V)
static void jacobi(problem* p) {
  for (int k = 0; k < p->n; k++) {
    for (int i = 0; i < p->rows; i++) p->W[k * p->rows + i] = p->A[i * p->cols + p->index[k]];
    for (int j = 0; j < p->n; j++) p->V[k * p->n + j] = j == k;
  }
  for (int sweep = 0; sweep < 40; sweep++) {
    bool done = true;
    for (int i = 0; i < p->n; i++) {
      for (int j = i + 1; j < p->n; j++) {
        double *a = p->W + i * p->rows, *b = p->W + j * p->rows;
        const double aa = dot(a, a, p->rows), bb = dot(b, b, p->rows), ab = dot(a, b, p->rows);
        if (fabs(ab) <= 4 * DBL_EPSILON * sqrt(aa * bb) || ab == 0) continue;
        done = false;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta), c = 1 / hypot(1, t);
        rotate(a, b, p->rows, c, c * t);
        rotate(p->V + i * p->n, p->V + j * p->n, p->n, c, c * t);
      }
    }
    if (done) break;
  }
}

static double largest_square(const problem* p) {
  double top = 0;
  for (int k = 0; k < p->n; k++)
    top = fmax(top, dot(p->W + k * p->rows, p->W + k * p->rows, p->rows));
  return top;
}

// z (free ones) = V diag(1 / (sigma^2 + damping^2)) W r
static void free_solution(problem* p, const double* r, double* z) {
  const double top = largest_square(p);
  for (int j = 0; j < p->n; j++) z[j] = 0;
  for (int k = 0; k < p->n; k++) {
    const double* w = p->W + k * p->rows;
    const double square = dot(w, w, p->rows);
    if (!(square > 1e-20 * top)) continue;
    const double x = dot(w, r, p->rows) / (square + p->damping * p->damping);
    for (int j = 0; j < p->n; j++) z[j] += x * p->V[k * p->n + j];
  }
}

// r = b - A x over the columns that are not free, or over all
static void residual(const problem* p, const double* x, bool all, double* r) {
  for (int i = 0; i < p->rows; i++) {
    r[i] = p->b[i];
    for (int j = 0; j < p->cols; j++)
      if (all || p->side[j] != 0) r[i] -= p->A[i * p->cols + j] * x[j];
  }
}

static void list_free(problem* p) {
  p->n = 0;
  for (int j = 0; j < p->cols; j++)
    if (p->side[j] == 0) p->index[p->n++] = j;
}

// Towards the solution of the free problem, up to the first bound; true when none was met.
static bool step(problem* p, double* x) {
  double reach = 1;
  int hit = -1;
  list_free(p);
  jacobi(p);
  residual(p, x, false, p->r);
  free_solution(p, p->r, p->z);
  for (int k = 0; k < p->n; k++) {
    const int j = p->index[k];
    const double bound = p->z[k] < x[j] ? p->low[j] : p->high[j];
    const bool beyond = p->z[k] < p->low[j] || p->z[k] > p->high[j];
    if (!beyond) continue;
    const double part = (bound - x[j]) / (p->z[k] - x[j]);
    if (part < reach || hit < 0) reach = fmin(part, 1), hit = j;
  }
  for (int k = 0; k < p->n; k++) x[p->index[k]] += reach * (p->z[k] - x[p->index[k]]);
  if (hit < 0) return true;
  p->side[hit] = x[hit] - p->low[hit] < p->high[hit] - x[hit] ? -1 : 1;
  x[hit] = p->side[hit] < 0 ? p->low[hit] : p->high[hit];
  return false;
}

// Let go of the bound that holds x back most; false: none does.
static bool release(problem* p, const double* x) {
  int worst = -1;
  double most = 0;
  residual(p, x, true, p->r);
  const double size = sqrt(dot(p->b, p->b, p->rows));
  for (int j = 0; j < p->cols; j++) {
    if (p->side[j] == 0 || p->low[j] == p->high[j]) continue;
    double slope = -p->damping * p->damping * x[j], column = 0;
    for (int i = 0; i < p->rows; i++) {
      slope += p->A[i * p->cols + j] * p->r[i];
      column += p->A[i * p->cols + j] * p->A[i * p->cols + j];
    }
    const double gain = p->side[j] < 0 ? slope : -slope;
    if (gain > 1e-12 * sqrt(column) * size && gain > most) most = gain, worst = j;
  }
  if (worst >= 0) p->side[worst] = 0;
  return worst >= 0;
}

static bool finite(const double* x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

size_t td_bounded_scratch(int rows, int cols) {
  const size_t m = (size_t)rows, n = (size_t)cols;
  return m * n + n * n + n + m + 2 * n + 2;  // W, V, z, r, and side and index in what is left
}

static problem open(const double* A, const double* b, int rows, int cols, double damping,
                    double* scratch) {
  problem p = {.A = A, .b = b, .rows = rows, .cols = cols, .damping = damping};
  p.W = scratch;
  p.V = p.W + rows * cols;
  p.z = p.V + cols * cols;
  p.r = p.z + cols;
  p.index = (int*)(void*)(p.r + rows);
  p.side = (signed char*)(p.index + cols);
  return p;
}

bool td_bounded_least_squares(const double* A, const double* b, int rows, int cols, double damping,
                              const double* low, const double* high, double* x, bool* free,
                              double* scratch) {
  problem p = open(A, b, rows, cols, damping, scratch);
  p.low = low;
  p.high = high;
  for (int j = 0; j < cols; j++) {
    x[j] = fmin(fmax(0, low[j]), high[j]);
    p.side[j] = low[j] == high[j] ? -1 : 0;
    if (free) free[j] = p.side[j] == 0;
  }
  if (!finite(A, rows * cols) || !finite(b, rows)) return false;
  for (int turn = 0; turn < 10 * cols + 10; turn++)
    if (step(&p, x) && !release(&p, x)) break;
  for (int j = 0; free && j < cols; j++) free[j] = p.side[j] == 0;
  return true;
}

void td_free_inverse(const double* A, int rows, int cols, double damping, const bool* free,
                     double* G, double* scratch) {
  problem p = open(A, NULL, rows, cols, damping, scratch);
  for (int j = 0; j < cols; j++) p.side[j] = free[j] ? 0 : -1;
  list_free(&p);
  jacobi(&p);
  memset(G, 0, (size_t)rows * (size_t)cols * sizeof(double));
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < rows; k++) p.r[k] = k == i;
    free_solution(&p, p.r, p.z);
    for (int k = 0; k < p.n; k++) G[p.index[k] * rows + i] = p.z[k];
  }
}
