// Operations that kkt.c leaves to LAPACK for large systems (td_large_ops in dense.h).  For products
// of up to 100^3 OpenBLAS uses kernels that allocate on the heap, which an evaluation must not do;
// kkt.c computes those itself.
#include <cblas.h>
#include <lapacke.h>

#include "math/dense.h"

// X := Q'X or Q X.  LAPACK reads row-major X as X', so that Q'X is X'Q.
static void apply(const double* QR, const double* tau, int n, int count, bool transposed, double* X,
                  int cols, double* work, int lwork) {
  LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'R', transposed ? 'N' : 'T', cols, n, count, QR, n, tau, X,
                      cols, work, lwork);
}

// Pivoted QR; LAPACK counts columns from 1.
static void pivoted(double* A, int n, int m, int* perm, double* tau, double* work, int lwork) {
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, A, n, perm, tau, work, lwork);
  for (int j = 0; j < m; j++) perm[j]--;
}

// B -= C X
static void subtract(const double* C, int ld, int rows, int inner, const double* X, double* B,
                     int cols) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, cols, inner, -1, C, ld, X, cols, 1,
              B, cols);
}

static const td_large_ops lapack = {apply, pivoted, subtract};
const td_large_ops* const td_large = &lapack;
