// The operations that kkt.c leaves to LAPACK where systems are large.  OpenBLAS makes products of
// up to 100^3 with kernels that ask the heap for memory, which evaluation must not do: kkt.c makes
// those itself.
#include <cblas.h>
#include <lapacke.h>

#include "math/dense.h"

// Seen by LAPACK, X is X' and Q'X is X'Q.
static void apply(const double* QR, const double* tau, int n, int count, bool transposed, double* X,
                  int cols, double* work, int lwork) {
  LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'R', transposed ? 'N' : 'T', cols, n, count, QR, n, tau, X,
                      cols, work, lwork);
}

static void pivoted(double* A, int n, int m, int* perm, double* tau, double* work, int lwork) {
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, A, n, perm, tau, work, lwork);
  for (int j = 0; j < m; j++) perm[j]--;
}

static void subtract(const double* C, int ld, int rows, int inner, const double* X, double* B,
                     int cols) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, cols, inner, -1, C, ld, X, cols, 1,
              B, cols);
}

static const td_large_ops lapack = {apply, pivoted, subtract};
const td_large_ops* const td_large = &lapack;
