// Eigenvalues, singular values and rank-deficient least squares for analyses: adapters of LAPACKE
// that preserve the caller's matrices and translate row-major storage.
#include <lapacke.h>
#include <math.h>

#include "math/dense.h"

// Elements of a rows x cols matrix, or offset of row `rows`.
static size_t area(int rows, int cols) { return (size_t)rows * (size_t)cols; }

// Copy of n numbers; NULL: out of memory.
static double* copy_of(const double* A, size_t n) {
  double* copy = malloc(sizeof(double) * (n ? n : 1));
  if (copy && n) memcpy(copy, A, sizeof(double) * n);
  return copy;
}

// Transpose of A (rows x cols); NULL: out of memory.
static double* transpose_of(const double* A, int rows, int cols) {
  double* T = malloc(sizeof(double) * (area(rows, cols) + 1));
  if (!T) return NULL;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) T[area(j, rows) + (size_t)i] = A[area(i, cols) + (size_t)j];
  return T;
}

static bool all_finite(const double* A, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(A[i])) return false;
  return true;
}

// dsygvd: the symmetric-definite problem K v = w M v.
bool td_eig_symmetric(const double* K, const double* M, int n, double* w, double* V) {
  if (n == 0) return true;
  if (!all_finite(K, area(n, n)) || !all_finite(M, area(n, n))) return false;
  double* B = copy_of(M, area(n, n));
  if (!B) return false;

  memcpy(V, K, sizeof(double) * area(n, n));
  const lapack_int info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, V, n, B, n, w);
  free(B);
  return info == 0;
}

// dgeev on the transpose, which is A in column-major order.
bool td_eig_general(const double* A, int n, double* re, double* im, double* VR) {
  if (n == 0) return true;
  if (!all_finite(A, area(n, n))) return false;
  double* T = transpose_of(A, n, n);
  if (!T) return false;
  const lapack_int info = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', VR ? 'V' : 'N', n, T, n, re, im,
                                        NULL, 1, VR, VR ? n : 1);
  free(T);
  return info == 0;
}

// Factor, and estimate the reciprocal condition number (dgecon).
double td_lu_condition(double* A, int n, int* pivot) {
  if (n == 0) return 1;
  double norm = 0, condition = 0;  // 1-norm of the transpose: the largest row sum of A
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[(size_t)i * (size_t)n + (size_t)j]);
    norm = fmax(norm, sum);
  }
  if (!isfinite(norm) || td_lu(A, n, pivot) != 0) return 0;
  return LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, A, n, norm, &condition) == 0 ? condition : 0;
}

// dgesdd without vectors; the transpose has the same singular values.
bool td_singular_values(const double* A, int rows, int cols, double* s) {
  if (rows == 0 || cols == 0) return true;
  if (!all_finite(A, area(rows, cols))) return false;
  double* T = copy_of(A, area(rows, cols));
  if (!T) return false;

  // the transpose has the same singular values
  const lapack_int info =
      LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', cols, rows, T, cols, s, NULL, 1, NULL, 1);
  free(T);
  return info == 0;
}

// A' = U S W': the columns of U are the right singular vectors of A.
bool td_right_singular(const double* A, int rows, int cols, double* s, double* V) {
  if (cols == 0) return true;
  if (rows < cols || !all_finite(A, area(rows, cols))) return false;
  double* T = copy_of(A, area(rows, cols));
  double* superb = malloc(sizeof(double) * (size_t)cols);
  const lapack_int info =
      !T || !superb ? 1
                    : LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'N', cols, rows, T, cols, s, V, cols,
                                     NULL, 1, superb);
  free(superb);
  free(T);
  return info == 0;
}

// dgelsd: minimum-norm least squares by the singular value decomposition.
bool td_least_squares(const double* A, int rows, int cols, double rcond, const double* b,
                      double* x) {
  if (cols == 0) return true;
  memset(x, 0, sizeof(double) * (size_t)cols);
  if (rows == 0) return true;
  if (!all_finite(A, area(rows, cols)) || !all_finite(b, (size_t)rows)) return false;

  double* T = transpose_of(A, rows, cols);
  double* rhs = calloc((size_t)max_int(rows, cols), sizeof(double));
  double* s = malloc(sizeof(double) * (size_t)min_int(rows, cols));
  bool ok = T && rhs && s;
  if (ok) {
    lapack_int rank;
    memcpy(rhs, b, sizeof(double) * (size_t)rows);
    ok = LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, cols, 1, T, rows, rhs, max_int(rows, cols), s,
                        rcond, &rank) == 0;
    if (ok) memcpy(x, rhs, sizeof(double) * (size_t)cols);
  }
  free(T);
  free(rhs);
  free(s);
  return ok;
}
