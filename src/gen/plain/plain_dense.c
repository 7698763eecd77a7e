// The constrained system of dense.h without LAPACK, for exported models: the same null-space method
// in plain loops.  Not part of the library; its text goes into exported programs.
//
//   J' = Q R P' by Householder reflections with column pivoting, x = Q [y; z], R'y = P'g,
//   z from the lower right block of Q'MQ by Cholesky; l of least length.
#include <float.h>
#include <math.h>

#include "dense.h"

size_t td_kkt_scratch(int n, int m) {
  const size_t N = (size_t)n, M = (size_t)m;
  return sizeof(double) * (N * M + 4 * N * N + 4 * M * M + 8 * (N + M) * (N + 2) + 1024);
}

// ---- reflections ------------------------------------------------------------------------------

// x -= tau v (v'x) with v = [1, rest] in column k of A from row k on; x has `stride` between
// numbers.
static void reflect(const td_kkt* s, int k, double* x, int stride) {
  const double* v = s->QR + (size_t)k * (size_t)s->n;
  double sum = x[k * stride];
  for (int i = k + 1; i < s->n; i++) sum += v[i] * x[i * stride];
  sum *= s->tau[k];
  x[k * stride] -= sum;
  for (int i = k + 1; i < s->n; i++) x[i * stride] -= sum * v[i];
}

static void apply_Q(const td_kkt* s, double* x, int stride, bool transposed) {
  for (int i = 0; i < s->rank; i++) reflect(s, transposed ? i : s->rank - 1 - i, x, stride);
}

static double column_norm(const td_kkt* s, int k, int from) {
  double sum = 0;
  for (int i = from; i < s->n; i++) {
    const double x = s->QR[(size_t)k * (size_t)s->n + (size_t)i];
    sum += x * x;
  }
  return sqrt(sum);
}

static void swap_columns(td_kkt* s, int a, int b) {
  const int p = s->perm[a];
  s->perm[a] = s->perm[b];
  s->perm[b] = p;
  for (int i = 0; i < s->n; i++) {
    double *x = s->QR + (size_t)a * (size_t)s->n + i, *y = s->QR + (size_t)b * (size_t)s->n + i;
    const double t = *x;
    *x = *y;
    *y = t;
  }
}

// Column k becomes [R_kk, v]; the columns behind it are reflected.
static void eliminate(td_kkt* s, int k, double norm) {
  double* a = s->QR + (size_t)k * (size_t)s->n;
  const double beta = a[k] > 0 ? -norm : norm, head = a[k] - beta;
  s->tau[k] = (beta - a[k]) / beta;
  for (int i = k + 1; i < s->n; i++) a[i] /= head;
  a[k] = beta;
  for (int j = k + 1; j < s->nrow; j++) reflect(s, k, s->QR + (size_t)j * (size_t)s->n, 1);
}

static void factor_rows(td_kkt* s, double tol) {
  double largest = 0;
  for (s->rank = 0; s->rank < s->nrow && s->rank < s->n; s->rank++) {
    int best = s->rank;
    double norm = -1;
    for (int k = s->rank; k < s->nrow; k++) {
      const double x = column_norm(s, k, s->rank);
      if (x > norm) best = k, norm = x;
    }
    if (s->rank == 0) largest = norm;
    if (!(norm > tol * largest)) return;
    if (best != s->rank) swap_columns(s, s->rank, best);
    eliminate(s, s->rank, norm);
  }
}

// ---- factors ----------------------------------------------------------------------------------

// Rows of J that are not zero, scaled to unit length, as columns.
static void keep_rows(td_kkt* s, const double* J, int m) {
  s->nrow = 0;
  for (int r = 0; r < m; r++) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) sum += J[r * s->n + i] * J[r * s->n + i];
    if (!(sum > 0)) continue;
    double* column = s->QR + (size_t)s->nrow * (size_t)s->n;
    s->length[s->nrow] = sqrt(sum);
    for (int i = 0; i < s->n; i++) column[i] = J[r * s->n + i] / s->length[s->nrow];
    s->perm[s->nrow] = s->nrow;
    s->rows[s->nrow++] = r;
  }
}

// A = L L', lower; 0 or the index of the first pivot that is not positive, from 1.
static int cholesky(double* A, int n, double tol) {
  for (int i = 0; i < n; i++) {
    double* Li = A + (size_t)i * (size_t)n;
    for (int j = 0; j < i; j++) {
      const double* Lj = A + (size_t)j * (size_t)n;
      for (int k = 0; k < j; k++) Li[j] -= Li[k] * Lj[k];
      Li[j] /= Lj[j];
    }
    const double own = fabs(Li[i]);
    for (int k = 0; k < i; k++) Li[i] -= Li[k] * Li[k];
    if (!(Li[i] > tol * own) || !(Li[i] >= DBL_MIN)) return i + 1;
    Li[i] = sqrt(Li[i]);
  }
  return 0;
}

static void cholesky_solve(const double* L, int n, double* x, int stride) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      x[i * stride] -= L[(size_t)i * (size_t)n + (size_t)k] * x[k * stride];
    x[i * stride] /= L[(size_t)i * (size_t)n + (size_t)i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[i * stride] -= L[(size_t)k * (size_t)n + (size_t)i] * x[k * stride];
    x[i * stride] /= L[(size_t)i * (size_t)n + (size_t)i];
  }
}

void td_kkt_factor(td_kkt* s, const double* M, const double* J, int n, int m, double rank_tol,
                   arena* scratch) {
  *s = (td_kkt){.n = n, .m = m};
  s->QR = arena_doubles(scratch, n * m);
  s->tau = arena_doubles(scratch, m);
  s->C = arena_doubles(scratch, n * n);
  s->L = arena_doubles(scratch, n * n);
  s->length = arena_doubles(scratch, m);
  s->perm = arena_ints(scratch, m);
  s->rows = arena_ints(scratch, m);
  keep_rows(s, J, m);
  factor_rows(s, rank_tol);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) s->C[i * n + j] = s->C[j * n + i] = M[i * n + j];
  for (int i = 0; i < n; i++) apply_Q(s, s->C + i, n, true);
  for (int i = 0; i < n; i++) apply_Q(s, s->C + (size_t)i * (size_t)n, 1, true);
  const int rest = n - s->rank;
  for (int i = 0; i < rest; i++)
    for (int j = 0; j < rest; j++) s->L[i * rest + j] = s->C[(s->rank + i) * n + s->rank + j];
  s->singular = cholesky(s->L, rest, 1e-14) != 0;
}

// ---- solution ---------------------------------------------------------------------------------

static double R_at(const td_kkt* s, int i, int k) {
  return s->QR[(size_t)k * (size_t)s->n + (size_t)i];
}

// B l = b with B = R P' / length, l of least length: l = B'(B B')^-1 b.
static void multipliers(const td_kkt* s, double* b, double* l, int nrhs, arena* scratch) {
  const arena_mark mark = arena_open(scratch);
  const int r = s->rank;
  double* A = arena_zeros(scratch, r * r);
  for (int i = 0; i < r; i++)
    for (int j = 0; j <= i; j++)
      for (int k = i; k < s->nrow; k++) {
        const double d = s->length[s->perm[k]];
        A[i * r + j] += R_at(s, i, k) * R_at(s, j, k) * d * d;
      }
  if (cholesky(A, r, 0) == 0) cholesky_solve(A, r, b, 1);
  for (int k = 0; k < s->nrow; k++) {
    double sum = 0;
    for (int i = 0; i <= k && i < r; i++) sum += R_at(s, i, k) * b[i];
    l[s->rows[s->perm[k]] * nrhs] = sum * s->length[s->perm[k]];
  }
  arena_close(scratch, mark);
}

static void solve_one(const td_kkt* s, const double* f, const double* g, double* x, double* l,
                      int nrhs, arena* scratch) {
  const arena_mark mark = arena_open(scratch);
  const int n = s->n, r = s->rank;
  double *right = arena_doubles(scratch, n), *y = arena_zeros(scratch, n),
         *b = arena_zeros(scratch, n);
  for (int i = 0; i < n; i++) right[i] = f[i * nrhs];
  apply_Q(s, right, 1, true);
  for (int k = 0; k < r; k++) {
    const int row = s->perm[k];
    y[k] = g ? g[s->rows[row] * nrhs] / s->length[row] : 0;
    for (int i = 0; i < k; i++) y[k] -= R_at(s, i, k) * y[i];
    y[k] /= R_at(s, k, k);
  }
  for (int i = r; i < n; i++) {
    y[i] = right[i];
    for (int k = 0; k < r; k++) y[i] -= s->C[i * n + k] * y[k];
  }
  cholesky_solve(s->L, n - r, y + r, 1);
  for (int i = 0; i < r; i++) {
    b[i] = -right[i];
    for (int k = 0; k < n; k++) b[i] += s->C[i * n + k] * y[k];
  }
  apply_Q(s, y, 1, false);
  for (int i = 0; i < n; i++) x[i * nrhs] = s->singular ? (double)NAN : y[i];
  if (l) multipliers(s, b, l, nrhs, scratch);
  arena_close(scratch, mark);
}

void td_kkt_solve(const td_kkt* s, const double* f, const double* g, int nrhs, double* x, double* l,
                  arena* scratch) {
  for (int i = 0; l && i < s->m * nrhs; i++) l[i] = 0;
  for (int k = 0; k < nrhs; k++)
    solve_one(s, f + k, g ? g + k : NULL, x + k, l ? l + k : NULL, nrhs, scratch);
}
