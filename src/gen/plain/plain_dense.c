// The linear algebra below kkt.c without LAPACK, for exported models.  Not part of the library; its
// text goes into exported programs.
#include <float.h>
#include <math.h>

#include "math/dense.h"

const td_large_ops* const td_large = NULL;

// Cholesky factorisation row by row, A n x n by rows.
int td_chol(double* A, int n, double tol) {
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

// Forward and back substitution, one right-hand side after another.
void td_chol_solve(const double* L, int n, double* B, int nrhs) {
  for (int c = 0; c < nrhs; c++) {
    double* x = B + c;
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) x[i * nrhs] -= L[(size_t)i * (size_t)n + (size_t)k] * x[k * nrhs];
      x[i * nrhs] /= L[(size_t)i * (size_t)n + (size_t)i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++)
        x[i * nrhs] -= L[(size_t)k * (size_t)n + (size_t)i] * x[k * nrhs];
      x[i * nrhs] /= L[(size_t)i * (size_t)n + (size_t)i];
    }
  }
}
