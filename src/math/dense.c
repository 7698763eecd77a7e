// Products, Cholesky and LU of row-major matrices.  A symmetric row-major matrix is its own
// column-major one with the triangles exchanged, so LAPACK's upper Cholesky is our lower one; a
// general one is handed over as its transpose.  Below `small` the loops written out here beat the
// cost of the calls.
#include "math/dense.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "math/kernel.h"
#include "math/lanes.h"

enum { small = 40 };

// Only a process with a limit is asked for the memory; the buffer, once taken, is kept by the
// library for the process, which is why one flag for the process is right here.
bool td_blas_room(void) {
  static atomic_bool taken;
  const size_t buffer = (size_t)136 << 20;
  struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY}, data = space;
  if (atomic_load(&taken)) return true;
  getrlimit(RLIMIT_AS, &space);
  getrlimit(RLIMIT_DATA, &data);
  if (space.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return true;
  void* volatile block = malloc(buffer);  // not to be optimised away
  if (!block) return false;
  free(block);

  // take it now, before something else uses the room
  double A[4] = {1, 0, 0, 1};
  LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', 2, A, 2);
  atomic_store(&taken, true);
  return true;
}

static void product(CBLAS_TRANSPOSE side, const double* A, const double* B, int rows, int inner,
                    int cols, double* C) {
  memset(C, 0, sizeof(double) * (size_t)rows * (size_t)cols);
  if (rows == 0 || inner == 0 || cols == 0) return;
  cblas_dgemm(CblasRowMajor, side, CblasNoTrans, rows, cols, inner, 1, A,
              side == CblasTrans ? rows : inner, B, cols, 0, C, cols);
}

void td_mul(const double* A, const double* B, int rows, int inner, int cols, double* C) {
  product(CblasNoTrans, A, B, rows, inner, cols, C);
}

void td_mul_tn(const double* A, const double* B, int rows, int inner, int cols, double* C) {
  product(CblasTrans, A, B, rows, inner, cols, C);
}

// L_ij = (A_ij - sum_k L_ik L_jk) / L_jj, row by row; A_ii is kept only until its pivot is found
static int chol_rows(double* A, int n, double tol) {
  for (int i = 0; i < n; i++) {
    double* Li = A + (size_t)i * (size_t)n;
    for (int j = 0; j < i; j++) {
      const double* Lj = A + (size_t)j * (size_t)n;
      Li[j] = (Li[j] - dot(Li, Lj, j)) / Lj[j];
    }
    const double pivot = Li[i] - dot(Li, Li, i);
    if (!(pivot > tol * fabs(Li[i])) || !(pivot >= DBL_MIN)) return i + 1;
    Li[i] = sqrt(pivot);
  }
  return 0;
}

// The same by U = L', in tiles of eight rows of eight: rows along lanes, none across.
enum { TILES = small / LANES };
typedef struct tiles {
  lanes row[small][TILES];
} tiles;

// The tile at rows j, columns i of A (i <= j), transposed; zeros beyond n.  Of tiles on the
// diagonal the lower half counts: what the other leaves behind is never used.
static void load_tile(const double* A, int n, int i, int j, tiles* U) {
  lanes from[LANES] = {{0}}, to[LANES];
  for (int r = 0; r < LANES && LANES * j + r < n; r++) {
    const double* row = A + (LANES * j + r) * n + LANES * i;
    if (LANES * (i + 1) <= n) {
      memcpy(&from[r], row, sizeof(lanes));
    } else {
      for (int c = 0; c <= r; c++) from[r][c] = row[c];
    }
  }
  lanes_transpose(from, to);
  for (int r = 0; r < LANES; r++) U->row[LANES * i + r][j] = to[r];
}

// And back.
static void store_tile(double* A, int n, int i, int j, const tiles* U) {
  lanes from[LANES], to[LANES];
  for (int r = 0; r < LANES; r++) from[r] = U->row[LANES * i + r][j];
  lanes_transpose(from, to);
  for (int r = 0; r < LANES && LANES * j + r < n; r++) {
    double* row = A + (LANES * j + r) * n + LANES * i;
    if (i < j) {
      memcpy(row, &to[r], sizeof(lanes));
    } else {
      for (int c = 0; c <= r; c++) row[c] = to[r][c];
    }
  }
}

// The factors that eliminate the rows of a tile: multipliers of each for those below it, and
// 1/√pivot.
typedef struct elimination {
  lanes multiplier[LANES], root;
} elimination;

// The tile on the diagonal.  Each row waits for the one above it, so this is D and the rows of a
// unit triangle first, D⁻¹ and no roots in between.  Returns the 1-based row of a weak pivot, or 0.
static int eliminate(lanes row[LANES], const double* diagonal, int rows, double tol,
                     elimination* e) {
  lanes pivots = {1, 1, 1, 1, 1, 1, 1, 1};
  for (int k = 0; k < LANES; k++) {
    const double pivot = row[k][k];
    e->multiplier[k] = (lanes){0};
    if (k >= rows) continue;
    if (!(pivot > tol * fabs(diagonal[k])) || !(pivot >= DBL_MIN)) return k + 1;
    pivots[k] = pivot;
    e->multiplier[k] = row[k] * (1 / pivot);
    for (int i = k + 1; i < LANES; i++) row[i] -= e->multiplier[k][i] * row[k];
  }
  for (int k = 0; k < LANES; k++) e->root[k] = 1 / sqrt(pivots[k]);
  return 0;
}

// Rows of tile t: each is taken off those below it in the tile and divided by the root of its
// pivot. Returns the 1-based index of a weak pivot, or 0.
static int factor_rows(tiles* U, int t, int count, const double* diagonal, int n, double tol) {
  lanes(*from)[TILES] = U->row + LANES * t;
  lanes row[LANES];
  elimination e;
  for (int k = 0; k < LANES; k++) row[k] = from[k][t];
  const int bad = eliminate(row, diagonal + LANES * t, n - LANES * t, tol, &e);
  if (bad) return LANES * t + bad;
  for (int k = 0; k < LANES; k++) from[k][t] = e.root[k] * row[k];
  for (int b = t + 1; b < count; b++) {
    for (int k = 0; k < LANES; k++) row[k] = from[k][b];
    for (int k = 0; k < LANES; k++)
      for (int i = k + 1; i < LANES; i++) row[i] -= e.multiplier[k][i] * row[k];
    for (int k = 0; k < LANES; k++) from[k][b] = e.root[k] * row[k];
  }
  return 0;
}

// The tiles behind: U_ij -= U_ti' U_tj, each entry loaded once for all eight rows of t.
static void take_off(tiles* U, int t, int count) {
  lanes(*from)[TILES] = U->row + LANES * t;
  for (int i = t + 1; i < count; i++)
    for (int j = i; j < count; j++) {
      lanes(*to)[TILES] = U->row + LANES * i, sum[LANES];
      for (int r = 0; r < LANES; r++) sum[r] = to[r][j];
      for (int k = 0; k < LANES; k++) {
        const lanes row = from[k][j];
        const double* column = (const double*)&from[k][i];
        for (int r = 0; r < LANES; r++) sum[r] -= column[r] * row;
      }
      for (int r = 0; r < LANES; r++) to[r][j] = sum[r];
    }
}

static int chol_tiles(double* A, int n, double tol) {
  const int count = (n + LANES - 1) / LANES;
  double diagonal[small];
  tiles U;
  int bad = 0;
  for (int i = 0; i < n; i++) diagonal[i] = A[i * n + i];
  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++) load_tile(A, n, i, j, &U);
  for (int t = 0; t < count && !bad; t++) {
    bad = factor_rows(&U, t, count, diagonal, n, tol);
    if (!bad) take_off(&U, t, count);
  }
  if (bad) return chol_rows(A, n, tol);  // as it leaves what is done so far
  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++) store_tile(A, n, i, j, &U);
  return 0;
}

// 1-based index of the first pivot that is small against A_ii = sum_k L_ik^2, or 0
static int small_pivot(const double* L, int n, int rows, double tol) {
  for (int i = 0; i < rows; i++) {
    const double* Li = L + (size_t)i * (size_t)n;
    if (!(Li[i] * Li[i] > tol * dot(Li, Li, i + 1))) return i + 1;
  }
  return 0;
}

int td_chol(double* A, int n, double tol) {
  if (n < 2 * LANES) return chol_rows(A, n, tol);
  if (n <= small) return chol_tiles(A, n, tol);
  const int info = (int)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, A, n);
  const int done = info > 0 ? info - 1 : n;
  const int weak = small_pivot(A, n, done, tol);
  return weak ? weak : info;
}

// One right-hand side: L y = b by dot products, L'x = y by subtracting columns as soon as x_i is
// known.  The quotients 1/L_ii are made ahead, some at a time.
static void inverse_pivots(const double* L, int n, int first, double* inverse) {
  for (int k = 0; k < LANES; k++)
    inverse[k] = first + k < n ? 1 / L[(size_t)(first + k) * (size_t)(n + 1)] : 0;
}
static void chol_solve_one(const double* L, int n, double* b) {
  double inverse[LANES];
  for (int i = 0; i < n; i++) {
    const double* Li = L + (size_t)i * (size_t)n;
    if (i % LANES == 0) inverse_pivots(L, n, i, inverse);
    b[i] = (b[i] - dot(Li, b, i)) * inverse[i % LANES];
  }
  inverse_pivots(L, n, (n - 1) / LANES * LANES, inverse);
  for (int i = n - 1; i >= 0; i--) {
    const double* Li = L + (size_t)i * (size_t)n;
    b[i] *= inverse[i % LANES];
    axpy(-b[i], Li, b, i);
    if (i % LANES == 0 && i > 0) inverse_pivots(L, n, i - LANES, inverse);
  }
}

// Several, 8 `wide` side by side: rows of X by dot products with rows of L, then with its columns.
enum { WIDE = 8 };
static ALWAYS void solve_panel(const double* L, int n, int wide, lanes (*X)[WIDE]) {
  double inverse[small];
  for (int i = 0; i < n; i++) inverse[i] = 1 / L[i * n + i];
  for (int i = 0; i < n; i++) {
    lanes sum[WIDE];
    for (int c = 0; c < wide; c++) sum[c] = X[i][c];
    for (int k = 0; k < i; k++)
      for (int c = 0; c < wide; c++) sum[c] -= L[i * n + k] * X[k][c];
    for (int c = 0; c < wide; c++) X[i][c] = sum[c] * inverse[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    lanes sum[WIDE];
    for (int c = 0; c < wide; c++) sum[c] = X[i][c];
    for (int k = i + 1; k < n; k++)
      for (int c = 0; c < wide; c++) sum[c] -= L[k * n + i] * X[k][c];
    for (int c = 0; c < wide; c++) X[i][c] = sum[c] * inverse[i];
  }
}
static void chol_solve_rows(const double* L, int n, double* B, int nrhs) {
  lanes X[small][WIDE];
  for (int first = 0, count; first < nrhs; first += count) {
    const bool few = nrhs - first <= LANES * WIDE / 2;
    count = min_int(LANES * WIDE, nrhs - first);
    if (count < LANES * WIDE) memset(X, 0, (size_t)n * sizeof *X);
    for (int i = 0; i < n; i++) memcpy(X[i], B + i * nrhs + first, sizeof(double) * (size_t)count);
    if (few) {
      solve_panel(L, n, WIDE / 2, X);
    } else {
      solve_panel(L, n, WIDE, X);
    }
    for (int i = 0; i < n; i++) memcpy(B + i * nrhs + first, X[i], sizeof(double) * (size_t)count);
  }
}

void td_chol_solve(const double* L, int n, double* B, int nrhs) {
  if (n == 0 || nrhs == 0) return;
  if (nrhs == 1) {
    chol_solve_one(L, n, B);
    return;
  }
  if (n <= small) {
    chol_solve_rows(L, n, B, nrhs);
    return;
  }
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1, L, n, B,
              nrhs);
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, nrhs, 1, L, n, B,
              nrhs);
}

// A' = P L U in LAPACK's eyes, hence A = U'L'P'
int td_lu(double* A, int n, int* pivot) {
  return n == 0 ? 0 : (int)LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot);
}

// One right-hand side: L y = b, U x = y by dot products with rows.
static void lu_solve_one(const double* LU, int n, double* b) {
  for (int i = 0; i < n; i++) {
    const double* row = LU + (size_t)i * (size_t)n;
    b[i] = (b[i] - dot(row, b, i)) / row[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    b[i] -= dot(LU + (size_t)i * (size_t)n + i + 1, b + i + 1, n - 1 - i);
  }
}

void td_lu_solve(const double* LU, const int* pivot, int n, double* B, int nrhs) {
  if (n == 0 || nrhs == 0) return;
  if (nrhs == 1) {
    lu_solve_one(LU, n, B);
  } else {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1, LU, n,
                B, nrhs);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasUnit, n, nrhs, 1, LU, n, B,
                nrhs);
  }
  for (int i = n - 1; i >= 0; i--) {
    const int other = pivot[i] - 1;
    if (other != i)
      cblas_dswap(nrhs, B + (size_t)i * (size_t)nrhs, 1, B + (size_t)other * (size_t)nrhs, 1);
  }
}

// ---- complex LU -------------------------------------------------------------------------------

int td_lu_complex(double* A, int n, int* pivot) {
  return n == 0 ? 0
                : (int)LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, (lapack_complex_double*)(void*)A,
                                           n, pivot);
}

// b /= d
static void divide(double b[2], const double d[2]) {
  const double size = d[0] * d[0] + d[1] * d[1], re = b[0], im = b[1];
  b[0] = (re * d[0] + im * d[1]) / size;
  b[1] = (im * d[0] - re * d[1]) / size;
}

void td_lu_complex_solve(const double* LU, const int* pivot, int n, double* b) {
  const size_t stride = 2 * (size_t)n;
  for (int i = 0; i < n; i++) {
    const double* row = LU + (size_t)i * stride;
    complex_dot_from(b + 2 * i, row, b, i);
    divide(b + 2 * i, row + 2 * i);
  }
  for (int i = n - 1; i >= 0; i--) {
    complex_dot_from(b + 2 * i, LU + (size_t)i * stride + 2 * i + 2, b + 2 * i + 2, n - 1 - i);
  }
  for (int i = n - 1; i >= 0; i--) {
    const int other = pivot[i] - 1;
    if (other != i) cblas_dswap(2, b + 2 * i, 1, b + 2 * other, 1);
  }
}

int td_lu_sign(const double* LU, const int* pivot, int n) {
  int sign = 1;
  for (int i = 0; i < n; i++) {
    const double d = LU[(size_t)i * (size_t)n + (size_t)i];
    if (d == 0) return 0;
    if ((d < 0) != (pivot[i] != i + 1)) sign = -sign;
  }
  return sign;
}
