// Least squares with bounds by active sets [stark1995].  Each subproblem in the free variables is
// solved by one-sided Jacobi rotations [golub2013, sec. 8.6], which give singular values to full
// relative accuracy and need no work space.
#include "math/bounded.h"

#include <float.h>
#include <math.h>

typedef struct problem {
  const double *A, *b, *low, *high;
  int rows, cols;
  double damping;
  signed char* side;  // -1 at the lower bound, 1 at the upper, 0 free
  int* index;         // (n) free columns
  int n;              // number of free columns
  double *W, *V;      // row k: column k of A V (n x rows) and of V (n x n)
  double *z, *r;      // solution of the free problem (cols), its right-hand side (rows)
} problem;

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// [a b] := [a b] [c s; -s c]
static void rotate(double* a, double* b, int n, double c, double s) {
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// Find an orthogonal V for which the columns of A V, the rows of W, are orthogonal; A is restricted
// to its free columns.
static void jacobi(problem* p) {
  for (int k = 0; k < p->n; k++) {
    for (int i = 0; i < p->rows; i++) p->W[k * p->rows + i] = p->A[i * p->cols + p->index[k]];
    for (int j = 0; j < p->n; j++) p->V[k * p->n + j] = j == k;
  }

  // sweeps over all pairs of columns until every pair is orthogonal to rounding
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

// z = V diag(1 / (σ² + damping²)) W r for the free columns; singular values σ below 1e-10 of the
// largest count as zero.
static void free_solution(problem* p, const double* r, double* z) {
  double largest = 0;
  for (int k = 0; k < p->n; k++)
    largest = fmax(largest, dot(p->W + k * p->rows, p->W + k * p->rows, p->rows));

  for (int j = 0; j < p->n; j++) z[j] = 0;
  for (int k = 0; k < p->n; k++) {
    const double* w = p->W + k * p->rows;
    const double square = dot(w, w, p->rows);
    if (!(square > 1e-20 * largest)) continue;
    const double x = dot(w, r, p->rows) / (square + p->damping * p->damping);
    for (int j = 0; j < p->n; j++) z[j] += x * p->V[k * p->n + j];
  }
}

// r = b - A x over the columns that are at a bound, or over all.
static void residual(const problem* p, const double* x, bool all, double* r) {
  for (int i = 0; i < p->rows; i++) {
    r[i] = p->b[i];
    for (int j = 0; j < p->cols; j++)
      if (all || p->side[j] != 0) r[i] -= p->A[i * p->cols + j] * x[j];
  }
}

// List the free columns in `index`.
static void list_free(problem* p) {
  p->n = 0;
  for (int j = 0; j < p->cols; j++)
    if (p->side[j] == 0) p->index[p->n++] = j;
}

// Move x towards the solution of the free problem, up to the first bound on the way, which becomes
// active.  True: no bound was met.
static bool step(problem* p, double* x) {
  list_free(p);
  jacobi(p);
  residual(p, x, false, p->r);
  free_solution(p, p->r, p->z);

  // fraction of the step after which the first variable meets its bound
  double fraction = 1;
  int hit = -1;

  for (int k = 0; k < p->n; k++) {
    const int j = p->index[k];
    const double bound = p->z[k] < x[j] ? p->low[j] : p->high[j];
    const bool beyond = p->z[k] < p->low[j] || p->z[k] > p->high[j];
    if (!beyond) continue;
    const double own = (bound - x[j]) / (p->z[k] - x[j]);
    if (own < fraction || hit < 0) fraction = fmin(own, 1), hit = j;
  }

  for (int k = 0; k < p->n; k++) x[p->index[k]] += fraction * (p->z[k] - x[p->index[k]]);
  if (hit < 0) return true;
  p->side[hit] = x[hit] - p->low[hit] < p->high[hit] - x[hit] ? -1 : 1;
  x[hit] = p->side[hit] < 0 ? p->low[hit] : p->high[hit];
  return false;
}

// Release the active bound whose multiplier has the wrong sign most; false: all signs are right and
// x is optimal.
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

// Doubles for W, V, z and r, and for `index` and `side` in the rest.
size_t td_bounded_scratch(int rows, int cols) {
  const size_t m = (size_t)rows, n = (size_t)cols;
  return m * n + n * n + n + m + 2 * n + 2;  // W, V, z, r, and side and index in what is left
}

// Problem without bounds, with its arrays in `scratch`.
static problem problem_new(const double* A, const double* b, int rows, int cols, double damping,
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

// Active-set iteration: steps to the first bound, releases of bounds.
bool td_bounded_least_squares(const double* A, const double* b, int rows, int cols, double damping,
                              const double* low, const double* high, double* x, bool* free,
                              double* scratch) {
  // start at zero, clamped to the bounds, with all variables free that can move
  problem p = problem_new(A, b, rows, cols, damping, scratch);
  p.low = low;
  p.high = high;

  for (int j = 0; j < cols; j++) {
    x[j] = fmin(fmax(0, low[j]), high[j]);
    p.side[j] = low[j] == high[j] ? -1 : 0;
    if (free) free[j] = p.side[j] == 0;
  }

  if (!finite(A, rows * cols) || !finite(b, rows)) return false;

  // activate bounds that are met and release those that hold x back, until neither happens
  for (int turn = 0; turn < 10 * cols + 10; turn++)
    if (step(&p, x) && !release(&p, x)) break;
  for (int j = 0; free && j < cols; j++) free[j] = p.side[j] == 0;
  return true;
}

// Invert the free columns, one unit vector at a time.
void td_free_inverse(const double* A, int rows, int cols, double damping, const bool* free,
                     double* G, double* scratch) {
  problem p = problem_new(A, NULL, rows, cols, damping, scratch);
  for (int j = 0; j < cols; j++) p.side[j] = free[j] ? 0 : -1;
  list_free(&p);
  jacobi(&p);

  // column i of G solves the free problem for the unit vector e_i
  memset(G, 0, (size_t)rows * (size_t)cols * sizeof(double));
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < rows; k++) p.r[k] = k == i;
    free_solution(&p, p.r, p.z);
    for (int k = 0; k < p.n; k++) G[p.index[k] * rows + i] = p.z[k];
  }
}
