// The constrained system of dense.h by the null-space method.  With the scales D of the rows and S
// of the columns (td_row_scale), x = S w and
//
//   D⁻¹ J S = P R'Q'      Q = [Y Z] from Householder's reflections
//   w = Y y + Z z         J x = g fixes y, the lower right block of Q'SMSQ then gives z
//   J'l = M x - f         S times it, projected on Y, gives l
//
// With redundant rows D P R' (nrow x rank) = J S Y has a QR factorisation of its own, which gives
// the least-squares y and the minimum-norm l.  Right-hand sides are taken in panels, so that the
// scratch does not depend on their number.  This file is part of exported programs, which have no
// LAPACK: what LAPACK does for large systems comes through td_large.
#include <float.h>
#include <math.h>

#include "math/dense.h"
#include "math/kernel.h"

enum {
  kkt_panel = 64,     // columns handled at once
  blocked_from = 64,  // size from which blocked reflections pay
  block_width = 64,   // their largest block, for the work space
  block_extra = 65 * 64
};

static size_t at(int row, int col, int cols) { return (size_t)row * (size_t)cols + (size_t)col; }

static int block_work(int n, int m) {
  return max_int(max_int(n, kkt_panel) * block_width + block_extra, 2 * m + (m + 1) * block_width);
}

size_t td_kkt_scratch(int n, int m) {
  const size_t N = (size_t)n, Q = (size_t)m, pieces = 24;
  const size_t doubles = 2 * N * N + N * Q + Q * Q + 5 * Q + 3 * N + (N + 3 * Q) * kkt_panel +
                         (size_t)block_work(n, m);
  return doubles * sizeof(double) + 3 * Q * sizeof(int) + pieces * 64;
}

// ---- reflections ------------------------------------------------------------------------------
//
// H = 1 - tau v v', v = [0 .. 0 1 v_k+1 .. v_n-1], stored below the diagonal of column k.

// Make column k of A (column-major, n rows) a reflection that leaves beta on the diagonal; returns
// tau.
static double reflection(double* a, int k, int n) {
  const double tail = dot(a + k + 1, a + k + 1, n - k - 1);
  if (tail == 0) return 0;
  const double alpha = a[k], beta = -copysign(sqrt(alpha * alpha + tail), alpha);
  const double scale = 1 / (alpha - beta);
  for (int i = k + 1; i < n; i++) a[i] *= scale;
  a[k] = beta;
  return (beta - alpha) / beta;
}

// H applied to a column
static void reflect_column(const double* v, double tau, int k, int n, double* x) {
  const double s = tau * (x[k] + dot(v + k + 1, x + k + 1, n - k - 1));
  x[k] -= s;
  axpy(-s, v + k + 1, x + k + 1, n - k - 1);
}

// H applied to the rows of a row-major X with at most `kkt_panel` columns
static void reflect_rows(const double* v, double tau, int k, int n, double* X, int ld, int cols) {
  double w[kkt_panel];
  memcpy(w, X + at(k, 0, ld), sizeof(double) * (size_t)cols);
  sum_rows(1, v + k + 1, 1, n - k - 1, X + at(k + 1, 0, ld), ld, w, cols);
  for (int c = 0; c < cols; c++) w[c] *= tau;
  axpy(-1, w, X + at(k, 0, ld), cols);
  for (int i = k + 1; i < n; i++) axpy(-v[i], w, X + at(i, 0, ld), cols);
}

// X = Q X, or Q'X, for n x cols row-major X; Q of `count` reflections
static void apply_q(const double* QR, const double* tau, int n, int count, bool transposed,
                    double* X, int ld, int cols) {
  for (int s = 0; s < count; s++) {
    const int k = transposed ? s : count - 1 - s;
    const double* v = QR + at(k, 0, n);
    if (cols == 1 && ld == 1)
      reflect_column(v, tau[k], k, n, X);
    else
      reflect_rows(v, tau[k], k, n, X, ld, cols);
  }
}

// The same for a panel without gaps, by blocks when it is large
static void apply_q_panel(const td_kkt* kkt, bool transposed, double* X, int cols, arena* scratch) {
  if (!td_large || kkt->n < blocked_from / 2 || kkt->rank < 8 || cols < 16) {
    apply_q(kkt->QR, kkt->tau, kkt->n, kkt->rank, transposed, X, cols, cols);
    return;
  }
  const arena_mark frame = arena_open(scratch);
  const int lwork = block_work(kkt->n, kkt->m);
  double* work = arena_doubles(scratch, lwork);
  td_large->apply(kkt->QR, kkt->tau, kkt->n, kkt->rank, transposed, X, cols, work, lwork);
  arena_close(scratch, frame);
}

// Pivoted QR of n x m column-major A, stopped at the first column left that is not above tol, or
// after `most` columns; returns the rank.  The first pivots are those of `kept` (most of them, may
// be NULL) as long as they are not much shorter than the longest column left.
static int qr_pivoted(double* A, int n, int m, double tol, int most, const int* kept, int* perm,
                      double* tau) {
  static const double much = 0.1;
  for (int j = 0; j < m; j++) perm[j] = j;
  for (int k = 0; k < most; k++) {
    int best = k, own = -1;
    double largest = -1, size_own = 0;
    for (int j = k; j < m; j++) {
      const double* a = A + at(j, 0, n);
      const double size = dot(a + k, a + k, n - k);
      if (size > largest) largest = size, best = j;
      if (kept && perm[j] == kept[k]) own = j, size_own = size;
    }
    if (!(largest > tol * tol)) return k;
    if (own >= 0 && size_own > much * much * largest) best = own;
    const int p = perm[k];
    perm[k] = perm[best];
    perm[best] = p;
    double *a = A + at(k, 0, n), *b = A + at(best, 0, n);
    for (int i = 0; i < n && a != b; i++) {
      const double x = a[i];
      a[i] = b[i];
      b[i] = x;
    }

    tau[k] = reflection(a, k, n);
    for (int j = k + 1; j < m; j++) reflect_column(a, tau[k], k, n, A + at(j, 0, n));
  }
  return most;
}

// The same by blocks for large ones; kept pivots lead whatever their length, unless they vanish.
static int qr_pivoted_blocks(double* A, int n, int m, double tol, int most, const int* kept,
                             int* perm, double* tau, arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  const int lwork = block_work(n, m);
  double* work = arena_doubles(scratch, lwork);
  memset(perm, 0, sizeof(int) * (size_t)m);
  for (int k = 0; kept && k < most; k++) perm[kept[k]] = 1;
  td_large->pivoted(A, n, m, perm, tau, work, lwork);
  arena_close(scratch, frame);

  int rank = 0;
  while (rank < most && fabs(A[at(rank, rank, n)]) > tol) rank++;
  return rank;
}

// ---- factors ----------------------------------------------------------------------------------

// The largest of each column of J; false when some element is not finite.
static bool column_sizes(const double* J, int n, int m, double* size) {
  double sum = 0;
  memset(size, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      size[j] = fmax(size[j], fabs(J[at(i, j, n)]));
      sum += fabs(J[at(i, j, n)]);
    }
  return isfinite(sum);
}

// Zero, or what rounding makes of it, as across the plane of a loop that cannot leave it: far below
// the other rows in every column.  Rows and columns may have any units.
static bool is_empty(const double* row, const double* size, int n) {
  static const double rounding = 1e-12;
  for (int j = 0; j < n; j++)
    if (fabs(row[j]) > rounding * size[j]) return false;
  return true;
}

// Length of a vector that can neither overflow nor vanish.
static double safe_length(const double* x, int n) {
  double sum = 0, square = 0;
  for (int j = 0; j < n; j++) sum += fabs(x[j]);
  if (!(sum >= DBL_MIN)) return 0;
  for (int j = 0; j < n; j++) square += x[j] / sum * (x[j] / sum);
  return sum * sqrt(square);
}

// Rows of J that are not empty, scaled, as columns of QR; false when some element is not finite.
// Without scales each row has its own length for one, and is empty when it is far below the other
// rows in every column.
static bool keep_rows(td_kkt* kkt, const double* J, const td_row_scale* scale, double tol,
                      double* size) {
  const int n = kkt->n;
  kkt->nrow = 0;
  if (!column_sizes(J, n, kkt->m, size)) return false;
  for (int i = 0; i < kkt->m; i++) {
    const double* row = J + at(i, 0, n);
    double* column = kkt->QR + at(kkt->nrow, 0, n);
    const double length = scale ? scale->row[i] : safe_length(row, n);
    if (!(length > 0) || (!scale && is_empty(row, size, n))) continue;
    for (int j = 0; j < n; j++) column[j] = row[j] / length;
    for (int j = 0; kkt->col && j < n; j++) column[j] *= kkt->col[j];
    if (scale && !(dot(column, column, n) > tol * tol)) continue;
    kkt->length[kkt->nrow] = length;
    kkt->rows[kkt->nrow++] = i;
  }
  return true;
}

// W = D P R' = J S Y (nrow x rank, column-major), then its QR
static void factor_redundant(td_kkt* kkt) {
  const int n = kkt->n, rows = kkt->nrow, r = kkt->rank;
  for (int k = 0; k < rows; k++) {
    const int row = kkt->perm[k];
    for (int i = 0; i < r; i++)
      kkt->W[at(i, row, rows)] = i <= k ? kkt->length[row] * kkt->QR[at(k, i, n)] : 0;
  }
  for (int k = 0; k < r; k++) {
    double* a = kkt->W + at(k, 0, rows);
    kkt->wtau[k] = reflection(a, k, rows);
    for (int j = k + 1; j < r; j++)
      reflect_column(a, kkt->wtau[k], k, rows, kkt->W + at(j, 0, rows));
  }
}

// S M S out of the lower triangle of M
static void mirror(const double* M, const double* col, int n, double* C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      C[at(i, j, n)] = C[at(j, i, n)] = M[at(i, j, n)] * (col ? col[i] * col[j] : 1);
}

// C = H C H for one reflection: with p = tau C v and w = p - (tau/2)(p'v) v, it is C - v w' - w v'
static void reflect_both(const double* v, double tau, int k, int n, double* C, double* w) {
  const double* rest = v + k + 1;
  const int tail = n - k - 1;
  for (int i = 0; i < n; i++) w[i] = tau * (C[at(i, k, n)] + dot(C + at(i, k + 1, n), rest, tail));
  const double half = tau / 2 * (w[k] + dot(w + k + 1, rest, tail));
  w[k] -= half;
  axpy(-half, rest, w + k + 1, tail);

  for (int i = 0; i < n; i++) {
    double* row = C + at(i, 0, n);
    row[k] -= w[i];
    axpy(-w[i], rest, row + k + 1, tail);
    if (i >= k) axpy(i == k ? -1 : -v[i], w, row, n);
  }
}

static void transpose(double* C, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      const double c = C[at(i, j, n)];
      C[at(i, j, n)] = C[at(j, i, n)];
      C[at(j, i, n)] = c;
    }
  }
}

// C = Q'MQ
static void rotate_mass(td_kkt* kkt, arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  const int n = kkt->n, r = kkt->rank;
  if (!td_large || n < blocked_from || r < 8) {
    double* w = arena_doubles(scratch, n);
    for (int k = 0; k < r; k++) reflect_both(kkt->QR + at(k, 0, n), kkt->tau[k], k, n, kkt->C, w);
  } else {
    // C is symmetric: Q'C, its transpose C Q, then Q'C Q
    const int lwork = block_work(n, kkt->m);
    double* work = arena_doubles(scratch, lwork);
    for (int side = 0; side < 2; side++) {
      td_large->apply(kkt->QR, kkt->tau, n, r, true, kkt->C, n, work, lwork);
      transpose(kkt->C, n);
    }
  }
  arena_close(scratch, frame);
}

// Smallest L_ii^2 / A_ii over all pivots
static double smallest_pivot(const double* L, const double* A, int ld, int p) {
  double smallest = 1;
  for (int i = 0; i < p; i++)
    smallest = fmin(smallest, L[at(i, i, p)] * L[at(i, i, p)] / A[at(i, i, ld)]);
  return smallest;
}

// Pivot k vanished: the leading block gives u with A (u, 1, 0) = 0 in rows 0..k
static void find_null_vector(td_kkt* kkt, int k, int p) {
  const int n = kkt->n;
  double* z = kkt->null_vector;
  memset(z, 0, sizeof(double) * (size_t)n);
  double* u = z + kkt->rank;
  for (int i = 0; i < k; i++) u[i] = -kkt->L[at(k, i, p)];
  for (int i = k - 1; i >= 0; i--) {
    u[i] /= kkt->L[at(i, i, p)];
    axpy(-u[i], kkt->L + at(i, 0, p), u, i);
  }
  u[k] = 1;
  apply_q(kkt->QR, kkt->tau, n, kkt->rank, false, z, 1, 1);
  for (int i = 0; kkt->col && i < n; i++) z[i] *= kkt->col[i];
}

// A: the free block, in rows of n
static void factor_free_block(td_kkt* kkt, const double* A) {
  const int n = kkt->n, p = n - kkt->rank;
  for (int i = 0; i < p; i++)
    memcpy(kkt->L + at(i, 0, p), A + at(i, 0, n), sizeof(double) * (size_t)(i + 1));

  const int weak = td_chol(kkt->L, p, 32 * DBL_EPSILON * (n + 1));
  kkt->singular = weak != 0;
  kkt->smallest = weak ? 0 : smallest_pivot(kkt->L, A, n, p);
  if (!weak) {
    kkt->null_vector = NULL;
    return;
  }
  // the row of the weak pivot may hold L or, past LAPACK's failure, A: make it L
  double* row = kkt->L + at(weak - 1, 0, p);
  for (int j = 0; j < weak - 1; j++) {
    const double* Lj = kkt->L + at(j, 0, p);
    row[j] = (A[at(weak - 1, j, n)] - dot(row, Lj, j)) / Lj[j];
  }
  find_null_vector(kkt, weak - 1, p);
}

// Positions of the kept pivots among the rows that are left; NULL: one of them is gone.
static const int* kept_pivots(const td_kkt* kkt, const td_row_scale* scale, int most, int* kept) {
  if (!scale || !scale->order || scale->most < most) return NULL;
  for (int k = 0; k < most; k++) {
    kept[k] = -1;
    for (int i = 0; i < kkt->nrow; i++)
      if (kkt->rows[i] == scale->order[k]) kept[k] = i;
    if (kept[k] < 0) return NULL;
  }
  return kept;
}

// R and the rank of the rows: the one place where it is decided which of them are independent.
static bool factor_rows(td_kkt* kkt, const double* J, const td_row_scale* scale, double tol,
                        double* size, arena* scratch) {
  const int n = kkt->n;
  if (!keep_rows(kkt, J, scale, tol, size)) return false;
  int most = min_int(n, kkt->nrow);
  if (scale && scale->most >= 0) most = min_int(most, scale->most);
  const arena_mark frame = arena_open(scratch);
  const int* kept = kept_pivots(kkt, scale, most, arena_ints(scratch, kkt->m));
  kkt->rank =
      !td_large || n * kkt->nrow < blocked_from * blocked_from
          ? qr_pivoted(kkt->QR, n, kkt->nrow, tol, most, kept, kkt->perm, kkt->tau)
          : qr_pivoted_blocks(kkt->QR, n, kkt->nrow, tol, most, kept, kkt->perm, kkt->tau, scratch);
  arena_close(scratch, frame);
  return true;
}

static td_kkt kkt_new(int n, int m, const td_row_scale* scale, arena* scratch) {
  td_kkt kkt = {.n = n, .m = m};
  kkt.QR = arena_doubles(scratch, n * m);
  kkt.tau = arena_doubles(scratch, m);
  kkt.length = arena_doubles(scratch, m);
  kkt.perm = arena_ints(scratch, m);
  kkt.rows = arena_ints(scratch, m);
  kkt.null_vector = arena_doubles(scratch, n);
  if (m > 0 && scale && scale->col) {
    double* col = arena_doubles(scratch, n);
    memcpy(col, scale->col, sizeof(double) * (size_t)n);
    kkt.col = col;
  }
  return kkt;
}

int td_row_rank(const double* J, int n, int m, const td_row_scale* scale, double tol, int* order,
                arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  td_kkt kkt = kkt_new(n, m, scale, scratch);
  if (!factor_rows(&kkt, J, scale, tol, kkt.null_vector, scratch)) kkt.rank = 0;
  for (int k = 0; order && k < kkt.rank; k++) order[k] = kkt.rows[kkt.perm[k]];
  arena_close(scratch, frame);
  return kkt.rank;
}

void td_kkt_factor(td_kkt* kkt, const double* M, const double* J, int n, int m,
                   const td_row_scale* scale, double rank_tol, arena* scratch) {
  *kkt = kkt_new(n, m, scale, scratch);
  if (!factor_rows(kkt, J, scale, rank_tol, kkt->null_vector, scratch)) {
    kkt->nrow = 0;
    kkt->singular = 1;
    memset(kkt->null_vector, 0, sizeof(double) * (size_t)n);
    return;
  }
  if (kkt->rank < kkt->nrow) {
    kkt->W = arena_doubles(scratch, kkt->nrow * kkt->rank);
    kkt->wtau = arena_doubles(scratch, kkt->rank);
    factor_redundant(kkt);
  }

  kkt->C = arena_doubles(scratch, kkt->rank > 0 ? n * n : 0);
  kkt->L = arena_doubles(scratch, (n - kkt->rank) * (n - kkt->rank));
  if (kkt->rank == 0) {
    kkt->col = NULL;
    factor_free_block(kkt, M);
    return;
  }
  mirror(M, kkt->col, n, kkt->C);
  rotate_mass(kkt, scratch);
  factor_free_block(kkt, kkt->C + at(kkt->rank, kkt->rank, n));
}

// ---- solve ------------------------------------------------------------------------------------

// The right-hand sides first .. first + cols - 1 of nrhs
typedef struct slice {
  int nrhs, first, cols;
} slice;

// Row i of B minus sum of c_k times row k, for k in [from, to)
static void eliminate(double* B, int cols, int i, const double* c, size_t stride, int from,
                      int to) {
  sum_rows(-1, c + (size_t)from * stride, (int)stride, to - from, B + at(from, 0, cols), cols,
           B + at(i, 0, cols), cols);
}

// R y = b or R'y = b in place for column-major upper R (leading dimension ld), b r x cols row-major
static void solve_upper(const double* R, int ld, int r, double* b, int cols) {
  for (int i = r - 1; i >= 0; i--) {
    eliminate(b, cols, i, R + i, (size_t)ld, i + 1, r);
    for (int c = 0; c < cols; c++) b[at(i, c, cols)] /= R[at(i, i, ld)];
  }
}
static void solve_upper_transposed(const double* R, int ld, int r, double* b, int cols) {
  for (int i = 0; i < r; i++) {
    eliminate(b, cols, i, R + at(i, 0, ld), 1, 0, i);
    for (int c = 0; c < cols; c++) b[at(i, c, cols)] /= R[at(i, i, ld)];
  }
}

// y (first `rank` rows of t) from J Y y = g
static void solve_constraints(const td_kkt* kkt, double* t, int cols) {
  if (kkt->W) {
    apply_q(kkt->W, kkt->wtau, kkt->nrow, kkt->rank, true, t, cols, cols);
    solve_upper(kkt->W, kkt->nrow, kkt->rank, t, cols);
  } else {
    solve_upper_transposed(kkt->QR, kkt->n, kkt->rank, t, cols);
  }
}

// The order in which a kept row sits in t, and its factor: pivoted unit rows, or rows as they are
static int slot_row(const td_kkt* kkt, int slot) { return kkt->W ? slot : kkt->perm[slot]; }

static void gather(const td_kkt* kkt, const double* g, slice s, double* t) {
  for (int k = 0; k < kkt->nrow; k++) {
    const int row = slot_row(kkt, k);
    const double scale = kkt->W ? 1 : 1 / kkt->length[row];
    const double* from = g + at(kkt->rows[row], s.first, s.nrhs);
    for (int c = 0; c < s.cols; c++) t[at(k, c, s.cols)] = scale * from[c];
  }
}

// l from (J Y)'l = t, scattered to its rows
static void solve_multipliers(const td_kkt* kkt, double* t, double* l, slice s) {
  if (kkt->W) {
    solve_upper_transposed(kkt->W, kkt->nrow, kkt->rank, t, s.cols);
    memset(t + at(kkt->rank, 0, s.cols), 0, sizeof(double) * at(kkt->nrow - kkt->rank, 0, s.cols));
    apply_q(kkt->W, kkt->wtau, kkt->nrow, kkt->rank, false, t, s.cols, s.cols);
  } else {
    solve_upper(kkt->QR, kkt->n, kkt->rank, t, s.cols);
  }
  for (int i = 0; i < kkt->m; i++)
    memset(l + at(i, s.first, s.nrhs), 0, sizeof(double) * (size_t)s.cols);
  for (int k = 0; k < kkt->nrow; k++) {
    const int row = slot_row(kkt, k);
    const double scale = kkt->W ? 1 : 1 / kkt->length[row];
    double* to = l + at(kkt->rows[row], s.first, s.nrhs);
    for (int c = 0; c < s.cols; c++) to[c] = scale * t[at(k, c, s.cols)];
  }
}

// B -= C X for a block of C with rows x inner elements
static void subtract_product(const double* C, int ld, int rows, int inner, const double* X,
                             double* B, int cols) {
  if (cols == 1) {
    for (int i = 0; i < rows; i++) B[i] -= dot(C + at(i, 0, ld), X, inner);
  } else if (!td_large || (double)rows * inner * cols <= 1e6) {
    for (int i = 0; i < rows; i++)
      sum_rows(-1, C + at(i, 0, ld), 1, inner, X, cols, B + at(i, 0, cols), cols);
  } else {
    td_large->subtract(C, ld, rows, inner, X, B, cols);
  }
}

// X = S X for n rows of X
static void scale_rows(const td_kkt* kkt, double* X, int cols) {
  for (int i = 0; kkt->col && i < kkt->n; i++)
    for (int c = 0; c < cols; c++) X[at(i, c, cols)] *= kkt->col[i];
}

static void solve_panel(const td_kkt* kkt, const double* f, const double* g, slice s, double* x,
                        double* l, arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  const int n = kkt->n, r = kkt->rank, p = n - r, cols = s.cols;
  double* b = arena_doubles(scratch, n * cols);                // Q'f, then [y; z]
  double* t = arena_doubles(scratch, (kkt->nrow + 1) * cols);  // constraint rows
  double* y = arena_zeros(scratch, (r + 1) * cols);
  double* z = b + at(r, 0, cols);

  // [f1; f2] = Q'f,  y from the constraints,  z from  L L'z = f2 - C21 y
  for (int i = 0; i < n; i++)
    memcpy(b + at(i, 0, cols), f + at(i, s.first, s.nrhs), sizeof(double) * (size_t)cols);
  scale_rows(kkt, b, cols);
  apply_q_panel(kkt, true, b, cols, scratch);
  if (g && r > 0) {
    gather(kkt, g, s, t);
    solve_constraints(kkt, t, cols);
    memcpy(y, t, sizeof(double) * at(r, 0, cols));
    subtract_product(kkt->C + at(r, 0, n), n, p, r, y, z, cols);
  }
  td_chol_solve(kkt->L, p, z, cols);

  // J'l = M x - f on Y:  C11 y + C12 z - f1
  if (l) {
    subtract_product(kkt->C, n, r, r, y, b, cols);
    subtract_product(kkt->C + r, n, r, p, z, b, cols);
    for (size_t i = 0; i < at(r, 0, cols); i++) t[i] = -b[i];
    solve_multipliers(kkt, t, l, s);
  }

  // x = S Q [y; z]
  memcpy(b, y, sizeof(double) * at(r, 0, cols));
  apply_q_panel(kkt, false, b, cols, scratch);
  scale_rows(kkt, b, cols);
  for (int i = 0; i < n; i++)
    memcpy(x + at(i, s.first, s.nrhs), b + at(i, 0, cols), sizeof(double) * (size_t)cols);
  arena_close(scratch, frame);
}

void td_kkt_solve(const td_kkt* kkt, const double* f, const double* g, int nrhs, double* x,
                  double* l, arena* scratch) {
  if (kkt->singular) {
    for (size_t i = 0; i < at(kkt->n, 0, nrhs); i++) x[i] = NAN;
    for (size_t i = 0; l && i < at(kkt->m, 0, nrhs); i++) l[i] = NAN;
    return;
  }
  for (int first = 0; first < nrhs; first += kkt_panel)
    solve_panel(kkt, f, g, (slice){nrhs, first, min_int(kkt_panel, nrhs - first)}, x, l, scratch);
}

void td_kkt_null_space(const td_kkt* kkt, double* Z) {
  const int n = kkt->n, r = kkt->rank, p = n - r;
  memset(Z, 0, sizeof(double) * at(n, 0, p));
  for (int j = 0; j < p; j++) Z[at(r + j, j, p)] = 1;
  for (int first = 0; first < p; first += kkt_panel)
    apply_q(kkt->QR, kkt->tau, n, r, false, Z + first, p, min_int(kkt_panel, p - first));
  scale_rows(kkt, Z, p);
}
