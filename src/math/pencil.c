// Generalised eigenproblem K v = w M v with both ends of the spectrum accurate.
//
// The reduction by the Cholesky factor of M leaves an error of ε w_max in every w.  Where stiff
// directions have little mass (w_max/w_1 = 1e14 is common in slender rods), this error exceeds the
// lowest eigenvalues, which matter most.  They are the largest ones of the inverse problem
//
//   M v = μ (K + σ M) v,     w = 1/μ - σ,     error ε (w + σ)²/(w_1 + σ)
//
// where the shift σ makes K + σ M positive definite in spite of rigid and unstable motions.  The
// two errors are equal at sqrt(σ w_max); below it w is taken from the inverse problem.
#include <float.h>
#include <math.h>

#include "math/dense.h"

// Elements of a rows x cols matrix, or offset of row `rows`.
static size_t area(int rows, int cols) { return (size_t)rows * (size_t)cols; }

// Solve the direct problem; replace small eigenvalues by those of the inverse problem.
bool td_eig_pencil(const double* K, const double* M, int n, double* w, double* V) {
  const double moderate = 1e-6;  // w_1/w_max above which the direct problem is accurate enough
  if (!td_eig_symmetric(K, M, n, w, V)) return false;
  if (n == 0 || w[0] > moderate * w[n - 1]) return true;

  // the inverse problem with shift σ; rows u of U have u'(K + σ M)u = 1
  const double top = fmax(fabs(w[0]), fabs(w[n - 1])), zero = 4 * DBL_EPSILON * n * top,
               sigma = fmax(zero, -2 * w[0]), crossover = sqrt(sigma * top);
  double* A = malloc(sizeof(double) * (2 * area(n, n) + (size_t)n + 1));
  if (!A) return false;
  double *U = A + area(n, n), *mu = U + area(n, n);
  for (size_t i = 0; i < area(n, n); i++) A[i] = K[i] + sigma * M[i];
  const bool inverse = sigma > 0 && td_eig_symmetric(M, A, n, mu, U);

  for (int k = 0; k < n; k++) {
    const int from = n - 1 - k;
    if (inverse && w[k] < crossover && mu[from] > 0) {
      // take w and v from the inverse problem
      const double *u = U + area(from, n), m = mu[from];
      double *v = V + area(k, n), terms = 0;
      w[k] = 1 / m - sigma;
      for (int i = 0; i < n; i++) v[i] = u[i] / sqrt(m);

      // zero if below its rounding error, which follows from |v|'|K||v| and the error of μ
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) terms += fabs(v[i] * K[area(i, n) + (size_t)j] * v[j]);
      const double lost = terms + 1 / m / m / (1 / mu[n - 1]);
      if (fabs(w[k]) <= 4 * DBL_EPSILON * n * lost) w[k] = 0;
    } else if (fabs(w[k]) <= zero) {
      w[k] = 0;
    }
  }

  free(A);
  return true;
}
