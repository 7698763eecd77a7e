// Products, Cholesky and LU factors of row-major matrices.  A symmetric row-major matrix equals its
// column-major form with the triangles exchanged, so that LAPACK's upper Cholesky factor is our
// lower one; a general matrix is passed to LAPACK as its transpose.  Up to order `small` the loops
// written here are faster than the calls.
#define _GNU_SOURCE  // RTLD_NEXT
#include "math/dense.h"

#include <cblas.h>
#include <dlfcn.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "math/kernel.h"
#include "math/lanes.h"

enum { small = 40 };

// ---- OpenBLAS and threads -----------------------------------------------------------------------

// OpenBLAS takes a buffer for most calls from a table of its own.  Its serial flavour does so
// without a lock: two threads that look at the same moment get the same buffer, and one of them
// computes with the other's numbers.  Seen as 3 wrong LU factorisations of 100 000 by two and three
// threads in one trial, none of 180 000 in another, and as tables of sweeps that differed in their
// last digits in a third of the trials, in none since.  The functions of the table are replaced by
// these here, which the dynamic linker finds first and which take a lock around the original ones.
// The names and arguments are those of OpenBLAS 0.2 and 0.3.  They must be exported for that
// (tools/tendril.map).  A lock around the calls of this file instead would have to be held while
// they compute, since the buffer is in use all the time: threads would factor one after the other.
static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) void* blas_memory_alloc(int position);
__attribute__((visibility("default"))) void blas_memory_free(void* buffer);

void* blas_memory_alloc(int position) {
  static void* (*original)(int);
  pthread_mutex_lock(&buffer_lock);
  if (!original) *(void**)&original = dlsym(RTLD_NEXT, "blas_memory_alloc");
  void* buffer = original ? original(position) : NULL;
  pthread_mutex_unlock(&buffer_lock);
  return buffer;
}

void blas_memory_free(void* buffer) {
  static void (*original)(void*);
  pthread_mutex_lock(&buffer_lock);
  if (!original) *(void**)&original = dlsym(RTLD_NEXT, "blas_memory_free");
  if (original) original(buffer);
  pthread_mutex_unlock(&buffer_lock);
}

// ---- memory -----------------------------------------------------------------------------------

// Whether OpenBLAS has, or can get, the buffer that it allocates at its first call: if the process
// has a memory limit, try to allocate as much.  OpenBLAS keeps its buffer for the life of the
// process, hence the static flag.
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

// C = A B or A'B, as `side` tells.
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

// L_ij = (A_ij - Σ_k L_ik L_jk) / L_jj row by row; returns the 1-based index of a weak pivot, or 0.
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

// U = L' in tiles of LANES x LANES: a row of a tile fills one vector, so that vector operations
// never combine elements of the same row.
enum { TILES = small / LANES };
typedef struct tiles {
  lanes row[small][TILES];
} tiles;

// U tile (i, j) = transpose of the tile of A at rows j, columns i (i <= j); zeros beyond n.  Only
// the lower half of a diagonal tile is valid; the other half is never used.
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

// Write tile (i, j) of U back to rows j, columns i of A; inverse of load_tile.
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

// Elimination of the rows of a diagonal tile: multipliers of the rows below, and 1/√pivot
typedef struct elimination {
  lanes multiplier[LANES], root;
} elimination;

// Factor a diagonal tile as Lᵤ D Lᵤ' with unit Lᵤ: each row depends on the one above it, so square
// roots are taken only at the end.  Returns the 1-based row of a weak pivot, or 0.
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

// Cholesky by tiles for 2 LANES <= n <= small; returns the 1-based index of a weak pivot, or 0.
static int chol_tiles(double* A, int n, double tol) {
  const int count = (n + LANES - 1) / LANES;
  double diagonal[small];
  tiles U;
  for (int i = 0; i < n; i++) diagonal[i] = A[i * n + i];
  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++) load_tile(A, n, i, j, &U);

  for (int t = 0; t < count; t++) {
    lanes(*from)[TILES] = U.row + LANES * t;
    lanes row[LANES];
    elimination e;

    // diagonal tile; with a weak pivot leave A as chol_rows leaves it
    for (int k = 0; k < LANES; k++) row[k] = from[k][t];
    if (eliminate(row, diagonal + LANES * t, n - LANES * t, tol, &e)) return chol_rows(A, n, tol);
    for (int k = 0; k < LANES; k++) from[k][t] = e.root[k] * row[k];

    // tiles to its right, U_tb
    for (int b = t + 1; b < count; b++) {
      for (int k = 0; k < LANES; k++) row[k] = from[k][b];
      for (int k = 0; k < LANES; k++)
        for (int i = k + 1; i < LANES; i++) row[i] -= e.multiplier[k][i] * row[k];
      for (int k = 0; k < LANES; k++) from[k][b] = e.root[k] * row[k];
    }

    // tiles below, U_ij -= U_ti' U_tj; each element is loaded once for all rows of t
    for (int i = t + 1; i < count; i++)
      for (int j = i; j < count; j++) {
        lanes(*to)[TILES] = U.row + LANES * i, sum[LANES];
        for (int r = 0; r < LANES; r++) sum[r] = to[r][j];
        for (int k = 0; k < LANES; k++) {
          const lanes right = from[k][j];
          const double* column = (const double*)&from[k][i];
          for (int r = 0; r < LANES; r++) sum[r] -= column[r] * right;
        }
        for (int r = 0; r < LANES; r++) to[r][j] = sum[r];
      }
  }

  for (int j = 0; j < count; j++)
    for (int i = 0; i <= j; i++) store_tile(A, n, i, j, &U);
  return 0;
}

// Factor by plain loops, by tiles or by LAPACK, whichever is fastest for the size.
int td_chol(double* A, int n, double tol) {
  if (n < 2 * LANES) return chol_rows(A, n, tol);
  if (n <= small) return chol_tiles(A, n, tol);

  // LAPACK, then the first of its pivots that is small against A_ii = Σ_k L_ik²
  const int info = (int)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, A, n);
  for (int i = 0; i < (info > 0 ? info - 1 : n); i++) {
    const double* Li = A + (size_t)i * (size_t)n;
    if (!(Li[i] * Li[i] > tol * dot(Li, Li, i + 1))) return i + 1;
  }
  return info;
}

// 1/L_ii for LANES rows from `first`; zeros beyond n.
static void inverse_pivots(const double* L, int n, int first, double* inverse) {
  for (int k = 0; k < LANES; k++)
    inverse[k] = first + k < n ? 1 / L[(size_t)(first + k) * (size_t)(n + 1)] : 0;
}
// One right-hand side: L y = b by dot products, then L'x = y by subtracting columns as soon as x_i
// is known.  The quotients 1/L_ii are computed ahead, LANES at a time.
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

enum { WIDE = 8 };  // vectors of right-hand sides handled at once

// Solve L L'X = B in place for 8 `wide` right-hand sides: rows of X by sums over rows of L, then
// over its columns.
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
// Several right-hand sides, in panels of LANES * WIDE columns.
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

// Solve L L'X = B by plain loops, by panels or by BLAS.
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

// LAPACK factors A' = P L U, hence A = U'L'P'.
int td_lu(double* A, int n, int* pivot) {
  return n == 0 ? 0 : (int)LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot);
}

// Solve with the factors of td_lu.
void td_lu_solve(const double* LU, const int* pivot, int n, double* B, int nrhs) {
  if (n == 0 || nrhs == 0) return;

  // L Y = B, U X = Y
  if (nrhs == 1) {
    for (int i = 0; i < n; i++) {
      const double* row = LU + (size_t)i * (size_t)n;
      B[i] = (B[i] - dot(row, B, i)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--)
      B[i] -= dot(LU + (size_t)i * (size_t)n + i + 1, B + i + 1, n - 1 - i);
  } else {
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, nrhs, 1, LU, n,
                B, nrhs);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasUnit, n, nrhs, 1, LU, n, B,
                nrhs);
  }

  // undo the exchanges
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

// Solve one right-hand side with the factors of td_lu_complex.
void td_lu_complex_solve(const double* LU, const int* pivot, int n, double* b) {
  const size_t stride = 2 * (size_t)n;

  // L y = b, dividing by the complex pivots d
  for (int i = 0; i < n; i++) {
    const double *row = LU + (size_t)i * stride, *d = row + 2 * i;
    complex_dot_from(b + 2 * i, row, b, i);
    const double size = d[0] * d[0] + d[1] * d[1], re = b[2 * i], im = b[2 * i + 1];
    b[2 * i] = (re * d[0] + im * d[1]) / size;
    b[2 * i + 1] = (im * d[0] - re * d[1]) / size;
  }

  // U x = y, then undo the exchanges
  for (int i = n - 1; i >= 0; i--) {
    complex_dot_from(b + 2 * i, LU + (size_t)i * stride + 2 * i + 2, b + 2 * i + 2, n - 1 - i);
  }

  for (int i = n - 1; i >= 0; i--) {
    const int other = pivot[i] - 1;
    if (other != i) cblas_dswap(2, b + 2 * i, 1, b + 2 * other, 1);
  }
}

// Each row exchange and each negative pivot turns the sign of the determinant.
int td_lu_sign(const double* LU, const int* pivot, int n) {
  int sign = 1;
  for (int i = 0; i < n; i++) {
    const double d = LU[(size_t)i * (size_t)n + (size_t)i];
    if (d == 0) return 0;
    if ((d < 0) != (pivot[i] != i + 1)) sign = -sign;
  }
  return sign;
}
