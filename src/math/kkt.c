// Solver of the constrained (KKT) system of dense.h by the null-space method [nocedal2006,
// sec. 16.2] with Householder reflections [golub2013, sec. 5.1-5.4].  With the scales D of the rows
// and S of the columns (td_row_scale), x = S w and
//
//   D⁻¹ J S = P R'Q'      Q = [Y Z] is the product of the reflections
//   w = Y y + Z z         J x = g determines y; the lower right block of Q'SMSQ then gives z
//   J'l = M x - f         multiplied by S and projected on Y, this gives l
//
// If rows are redundant, D P R' (nrow x rank) = J S Y gets a QR factorisation of its own, which
// gives the least-squares y and the minimum-norm l.  Right-hand sides are solved in panels of
// `kkt_panel` columns, so that the scratch memory does not depend on their number.  This file is
// part of exported programs, which have no LAPACK; large systems reach LAPACK through td_large.
#include <float.h>
#include <math.h>

#include "math/dense.h"
#include "math/kernel.h"

enum {
  kkt_panel = 64,        // right-hand sides solved at once
  blocked_from = 64,     // matrix size from which LAPACK's blocked reflections are faster
  block_width = 64,      // largest block width that LAPACK uses
  block_extra = 65 * 64  // additional work space of LAPACK's blocked reflections
};

// Index of element (row, col) of a matrix whose rows hold `cols` elements.
static size_t at(int row, int col, int cols) { return (size_t)row * (size_t)cols + (size_t)col; }

// Doubles of work space that the routines of td_large need for n unknowns and m rows.
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

// Turn column k of column-major A (n rows) into a reflection H with H a = [.. beta 0 .. 0]': the
// column keeps beta on its diagonal and v below it.  Returns tau.
static double reflection(double* a, int k, int n) {
  const double tail = dot(a + k + 1, a + k + 1, n - k - 1);
  if (tail == 0) return 0;
  const double alpha = a[k], beta = -copysign(sqrt(alpha * alpha + tail), alpha);
  const double scale = 1 / (alpha - beta);
  for (int i = k + 1; i < n; i++) a[i] *= scale;
  a[k] = beta;
  return (beta - alpha) / beta;
}

// x := H x
static void reflect_column(const double* v, double tau, int k, int n, double* x) {
  const double s = tau * (x[k] + dot(v + k + 1, x + k + 1, n - k - 1));
  x[k] -= s;
  axpy(-s, v + k + 1, x + k + 1, n - k - 1);
}

// X := H X for row-major X with at most `kkt_panel` columns; rows are ld apart.
static void reflect_rows(const double* v, double tau, int k, int n, double* X, int ld, int cols) {
  double w[kkt_panel];
  memcpy(w, X + at(k, 0, ld), sizeof(double) * (size_t)cols);
  sum_rows(1, v + k + 1, 1, n - k - 1, X + at(k + 1, 0, ld), ld, w, cols);
  for (int c = 0; c < cols; c++) w[c] *= tau;
  axpy(-1, w, X + at(k, 0, ld), cols);
  for (int i = k + 1; i < n; i++) axpy(-v[i], w, X + at(i, 0, ld), cols);
}

// X := Q X, or Q'X, for row-major X (n x cols, rows ld apart); Q is the product of `count`
// reflections stored in the columns of QR.
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

// apply_q for a panel stored without gaps (ld = cols); uses LAPACK where the panel is large.
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

// Householder QR of column-major A (n x m) with column pivoting [golub2013, sec. 5.4].  Stops
// when no remaining column is longer than tol, or after `most` columns; returns the rank.  Column
// kept[k] (`most` entries, may be NULL) is preferred as pivot k unless it is shorter than a tenth
// of the longest remaining column: nearby states then factor with the same pivots.
static int qr_pivoted(double* A, int n, int m, double tol, int most, const int* kept, int* perm,
                      double* tau) {
  static const double much_shorter = 0.1;
  for (int j = 0; j < m; j++) perm[j] = j;

  for (int k = 0; k < most; k++) {
    // pivot: the longest remaining column, or the preferred one
    int best = k, own = -1;
    double largest = -1, size_own = 0;
    for (int j = k; j < m; j++) {
      const double* a = A + at(j, 0, n);
      const double size = dot(a + k, a + k, n - k);
      if (size > largest) largest = size, best = j;
      if (kept && perm[j] == kept[k]) own = j, size_own = size;
    }
    if (!(largest > tol * tol)) return k;
    if (own >= 0 && size_own > much_shorter * much_shorter * largest) best = own;

    // exchange columns k and best
    const int p = perm[k];
    perm[k] = perm[best];
    perm[best] = p;
    double *a = A + at(k, 0, n), *b = A + at(best, 0, n);
    for (int i = 0; i < n && a != b; i++) {
      const double x = a[i];
      a[i] = b[i];
      b[i] = x;
    }

    // eliminate column k and apply its reflection to the remaining columns
    tau[k] = reflection(a, k, n);
    for (int j = k + 1; j < m; j++) reflect_column(a, tau[k], k, n, A + at(j, 0, n));
  }
  return most;
}

// ---- factors ----------------------------------------------------------------------------------

// |x| without overflow or underflow of the squares.
static double safe_length(const double* x, int n) {
  double sum = 0, square = 0;
  for (int j = 0; j < n; j++) sum += fabs(x[j]);
  if (!(sum >= DBL_MIN)) return 0;
  for (int j = 0; j < n; j++) square += x[j] / sum * (x[j] / sum);
  return sum * sqrt(square);
}

// Copy the scaled rows of J that are not empty to the columns of QR.  Without scales each row is
// scaled by its own length, and a row is empty if rounding alone could have made it: far below the
// other rows in every column, as the row across the plane of a planar loop.  (Rows and columns may
// have any units.)  `size` (n) is scratch.  False: some element is not finite.
static bool keep_rows(td_kkt* kkt, const double* J, const td_row_scale* scale, double tol,
                      double* size) {
  static const double rounding = 1e-12;
  const int n = kkt->n;

  // largest element of each column
  double sum = 0;
  memset(size, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < kkt->m; i++)
    for (int j = 0; j < n; j++) {
      size[j] = fmax(size[j], fabs(J[at(i, j, n)]));
      sum += fabs(J[at(i, j, n)]);
    }
  kkt->nrow = 0;
  if (!isfinite(sum)) return false;

  for (int i = 0; i < kkt->m; i++) {
    const double* row = J + at(i, 0, n);
    double* column = kkt->QR + at(kkt->nrow, 0, n);

    // skip a row without size
    const double length = scale ? scale->row[i] : safe_length(row, n);
    bool empty = !(length > 0);
    if (!empty && !scale) {
      int j = 0;
      while (j < n && !(fabs(row[j]) > rounding * size[j])) j++;
      empty = j == n;
    }
    if (empty) continue;

    // scale it, and skip it if it vanishes against its scale
    for (int j = 0; j < n; j++) column[j] = row[j] / length;
    for (int j = 0; kkt->col && j < n; j++) column[j] *= kkt->col[j];
    if (scale && !(dot(column, column, n) > tol * tol)) continue;
    kkt->length[kkt->nrow] = length;
    kkt->rows[kkt->nrow++] = i;
  }
  return true;
}

// C := H C H for symmetric C.  With p = tau C v and w = p - (tau/2)(p'v) v it is C - v w' - w v'
// [golub2013, sec. 8.3].  `w` (n) is scratch.
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

// C = Q'SMSQ from the lower triangle of M.
static void rotate_mass(td_kkt* kkt, const double* M, arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  const int n = kkt->n, r = kkt->rank;
  double* C = kkt->C;

  // S M S, both triangles
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      C[at(i, j, n)] = C[at(j, i, n)] = M[at(i, j, n)] * (kkt->col ? kkt->col[i] * kkt->col[j] : 1);

  if (!td_large || n < blocked_from || r < 8) {
    // reflect from both sides, one reflection at a time
    double* w = arena_doubles(scratch, n);
    for (int k = 0; k < r; k++) reflect_both(kkt->QR + at(k, 0, n), kkt->tau[k], k, n, C, w);
  } else {
    // C is symmetric: Q'C, its transpose C Q, then Q'C Q
    const int lwork = block_work(n, kkt->m);
    double* work = arena_doubles(scratch, lwork);
    for (int side = 0; side < 2; side++) {
      td_large->apply(kkt->QR, kkt->tau, n, r, true, C, n, work, lwork);
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
          const double c = C[at(i, j, n)];
          C[at(i, j, n)] = C[at(j, i, n)];
          C[at(j, i, n)] = c;
        }
      }
    }
  }
  arena_close(scratch, frame);
}

// Factor the block A of the null space (order n - rank, rows n apart): A = L L'.  If a pivot
// vanishes, the system is singular and null_vector gets a direction in x that M does not resist;
// otherwise `smallest` is the smallest L_ii² / A_ii.
static void factor_free_block(td_kkt* kkt, const double* A) {
  const int n = kkt->n, p = n - kkt->rank;
  for (int i = 0; i < p; i++)
    memcpy(kkt->L + at(i, 0, p), A + at(i, 0, n), sizeof(double) * (size_t)(i + 1));

  const int weak = td_chol(kkt->L, p, 32 * DBL_EPSILON * (n + 1));
  kkt->singular = weak != 0;
  if (!weak) {
    double smallest = 1;
    for (int i = 0; i < p; i++)
      smallest = fmin(smallest, kkt->L[at(i, i, p)] * kkt->L[at(i, i, p)] / A[at(i, i, n)]);
    kkt->smallest = smallest;
    kkt->null_vector = NULL;
    return;
  }
  kkt->smallest = 0;

  // complete row k of L, that of the weak pivot: LAPACK may have left A there
  const int k = weak - 1;
  double* row = kkt->L + at(k, 0, p);

  for (int j = 0; j < k; j++) {
    const double* Lj = kkt->L + at(j, 0, p);
    row[j] = (A[at(k, j, n)] - dot(row, Lj, j)) / Lj[j];
  }

  // the leading block gives u with A (u, 1, 0) = 0 in rows 0 .. k
  double* z = kkt->null_vector;
  memset(z, 0, sizeof(double) * (size_t)n);
  double* u = z + kkt->rank;
  for (int i = 0; i < k; i++) u[i] = -row[i];

  for (int i = k - 1; i >= 0; i--) {
    u[i] /= kkt->L[at(i, i, p)];
    axpy(-u[i], kkt->L + at(i, 0, p), u, i);
  }

  u[k] = 1;

  // back to x = S Q z
  apply_q(kkt->QR, kkt->tau, n, kkt->rank, false, z, 1, 1);
  for (int i = 0; kkt->col && i < n; i++) z[i] *= kkt->col[i];
}

// Factor the rows of J, P R'Q', and determine their rank.  Every decision about which rows are
// independent is made here.  `size` (n) is scratch.  False: some element is not finite.
static bool factor_rows(td_kkt* kkt, const double* J, const td_row_scale* scale, double tol,
                        double* size, arena* scratch) {
  const int n = kkt->n;
  if (!keep_rows(kkt, J, scale, tol, size)) return false;
  int most = min_int(n, kkt->nrow);
  if (scale && scale->most >= 0) most = min_int(most, scale->most);
  const arena_mark frame = arena_open(scratch);

  // positions of the preferred pivots among the kept rows; none is preferred if one is missing
  int* kept = scale && scale->order && scale->most >= most ? arena_ints(scratch, kkt->m) : NULL;
  for (int k = 0; kept && k < most; k++) {
    int found = -1;
    for (int i = 0; i < kkt->nrow; i++)
      if (kkt->rows[i] == scale->order[k]) found = i;
    if (found < 0) {
      kept = NULL;
    } else {
      kept[k] = found;
    }
  }

  if (!td_large || n * kkt->nrow < blocked_from * blocked_from) {
    kkt->rank = qr_pivoted(kkt->QR, n, kkt->nrow, tol, most, kept, kkt->perm, kkt->tau);
  } else {
    // LAPACK puts preferred pivots first whatever their length; count pivots above tol
    const int lwork = block_work(n, kkt->nrow);
    double* work = arena_doubles(scratch, lwork);
    memset(kkt->perm, 0, sizeof(int) * (size_t)kkt->nrow);
    for (int k = 0; kept && k < most; k++) kkt->perm[kept[k]] = 1;
    td_large->pivoted(kkt->QR, n, kkt->nrow, kkt->perm, kkt->tau, work, lwork);
    kkt->rank = 0;
    while (kkt->rank < most && fabs(kkt->QR[at(kkt->rank, kkt->rank, n)]) > tol) kkt->rank++;
  }
  arena_close(scratch, frame);
  return true;
}

// Allocate the factors of n unknowns and m rows in the arena and copy the scales of the columns.
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

// Rank of the scaled rows by pivoted QR, and which rows are independent.
int td_row_rank(const double* J, int n, int m, const td_row_scale* scale, double tol, int* order,
                arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  td_kkt kkt = kkt_new(n, m, scale, scratch);
  if (!factor_rows(&kkt, J, scale, tol, kkt.null_vector, scratch)) kkt.rank = 0;
  for (int k = 0; order && k < kkt.rank; k++) order[k] = kkt.rows[kkt.perm[k]];
  arena_close(scratch, frame);
  return kkt.rank;
}

// QR of the rows, then Cholesky of M projected on their null space.
void td_kkt_factor(td_kkt* kkt, const double* M, const double* J, int n, int m,
                   const td_row_scale* scale, double rank_tol, arena* scratch) {
  // QR of the scaled rows; numbers that are not finite count as singular
  *kkt = kkt_new(n, m, scale, scratch);
  if (!factor_rows(kkt, J, scale, rank_tol, kkt->null_vector, scratch)) {
    kkt->nrow = 0;
    kkt->singular = 1;
    memset(kkt->null_vector, 0, sizeof(double) * (size_t)n);
    return;
  }

  // redundant rows: W = D P R' = J S Y (nrow x rank, column-major) and its QR
  if (kkt->rank < kkt->nrow) {
    const int rows = kkt->nrow, r = kkt->rank;
    kkt->W = arena_doubles(scratch, rows * r);
    kkt->wtau = arena_doubles(scratch, r);
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

  // Q'SMSQ and the Cholesky factor of its null-space block; without rows it is M itself
  kkt->C = arena_doubles(scratch, kkt->rank > 0 ? n * n : 0);
  kkt->L = arena_doubles(scratch, (n - kkt->rank) * (n - kkt->rank));
  if (kkt->rank == 0) {
    kkt->col = NULL;
    factor_free_block(kkt, M);
    return;
  }
  rotate_mass(kkt, M, scratch);
  factor_free_block(kkt, kkt->C + at(kkt->rank, kkt->rank, n));
}

// ---- solve ------------------------------------------------------------------------------------

// Right-hand sides first .. first + cols - 1 of nrhs
typedef struct slice {
  int nrhs, first, cols;
} slice;

// Row i of B (cols wide) minus Σ c_k times row k for k in [from, to); the c_k are `stride` apart.
static void eliminate(double* B, int cols, int i, const double* c, size_t stride, int from,
                      int to) {
  sum_rows(-1, c + (size_t)from * stride, (int)stride, to - from, B + at(from, 0, cols), cols,
           B + at(i, 0, cols), cols);
}

// Solve R y = b in place for column-major upper R (leading dimension ld) and row-major b (r x
// cols).
static void solve_upper(const double* R, int ld, int r, double* b, int cols) {
  for (int i = r - 1; i >= 0; i--) {
    eliminate(b, cols, i, R + i, (size_t)ld, i + 1, r);
    for (int c = 0; c < cols; c++) b[at(i, c, cols)] /= R[at(i, i, ld)];
  }
}
// Solve R'y = b in place; arguments as for solve_upper.
static void solve_upper_transposed(const double* R, int ld, int r, double* b, int cols) {
  for (int i = 0; i < r; i++) {
    eliminate(b, cols, i, R + at(i, 0, ld), 1, 0, i);
    for (int c = 0; c < cols; c++) b[at(i, c, cols)] /= R[at(i, i, ld)];
  }
}

// Kept row that position `slot` of a constraint right-hand side holds: in pivot order and scaled,
// or, if rows are redundant, in the order of J and unscaled.  *factor is its scale.
static int slot_row(const td_kkt* kkt, int slot, double* factor) {
  const int row = kkt->W ? slot : kkt->perm[slot];
  *factor = kkt->W ? 1 : 1 / kkt->length[row];
  return row;
}

// Solve (J Y)'l = t for the multipliers and store them at their rows; skipped rows get 0.
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
    double scale;
    const int row = slot_row(kkt, k, &scale);
    double* to = l + at(kkt->rows[row], s.first, s.nrhs);
    for (int c = 0; c < s.cols; c++) to[c] = scale * t[at(k, c, s.cols)];
  }
}

// B -= C X for C (rows x inner, rows ld apart) and X with `cols` columns.
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

// X := S X for the n rows of X.
static void scale_rows(const td_kkt* kkt, double* X, int cols) {
  for (int i = 0; kkt->col && i < kkt->n; i++)
    for (int c = 0; c < cols; c++) X[at(i, c, cols)] *= kkt->col[i];
}

// Solve for the right-hand sides of one slice.
static void solve_panel(const td_kkt* kkt, const double* f, const double* g, slice s, double* x,
                        double* l, arena* scratch) {
  const arena_mark frame = arena_open(scratch);
  const int n = kkt->n, r = kkt->rank, p = n - r, cols = s.cols;
  double* b = arena_doubles(scratch, n * cols);                // Q'S f, then [y; z]
  double* t = arena_doubles(scratch, (kkt->nrow + 1) * cols);  // constraint rows
  double* y = arena_zeros(scratch, (r + 1) * cols);
  double* z = b + at(r, 0, cols);

  // [f1; f2] = Q'S f
  for (int i = 0; i < n; i++)
    memcpy(b + at(i, 0, cols), f + at(i, s.first, s.nrhs), sizeof(double) * (size_t)cols);
  scale_rows(kkt, b, cols);
  apply_q_panel(kkt, true, b, cols, scratch);

  // y from J S Y y = g
  if (g && r > 0) {
    for (int k = 0; k < kkt->nrow; k++) {
      double scale;
      const int row = slot_row(kkt, k, &scale);
      const double* from = g + at(kkt->rows[row], s.first, s.nrhs);
      for (int c = 0; c < cols; c++) t[at(k, c, cols)] = scale * from[c];
    }
    if (kkt->W) {
      apply_q(kkt->W, kkt->wtau, kkt->nrow, r, true, t, cols, cols);
      solve_upper(kkt->W, kkt->nrow, r, t, cols);
    } else {
      solve_upper_transposed(kkt->QR, n, r, t, cols);
    }
    memcpy(y, t, sizeof(double) * at(r, 0, cols));
  }

  // z from L L'z = f2 - C21 y
  if (g && r > 0) subtract_product(kkt->C + at(r, 0, n), n, p, r, y, z, cols);
  td_chol_solve(kkt->L, p, z, cols);

  // l from (J Y)'l = C11 y + C12 z - f1, the projection of J'l = M x - f on Y
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

// Solve panel by panel; NaN if the system is singular.
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

// Z = S Q [0; 1]
void td_kkt_null_space(const td_kkt* kkt, double* Z) {
  const int n = kkt->n, r = kkt->rank, p = n - r;
  memset(Z, 0, sizeof(double) * at(n, 0, p));
  for (int j = 0; j < p; j++) Z[at(r + j, j, p)] = 1;
  for (int first = 0; first < p; first += kkt_panel)
    apply_q(kkt->QR, kkt->tau, n, r, false, Z + first, p, min_int(kkt_panel, p - first));
  scale_rows(kkt, Z, p);
}
