// Both ends of the spectrum of K v = w M v.
//
// Reducing by the Cholesky factor of M leaves ε w_max of round-off in every w: where stiff
// directions have little mass (w_max/w_1 = 1e14 is common in slender rods), nothing is left of the
// lowest frequencies, which are the ones that matter.  These are the largest of the inverse
// problem,
//
//   M v = μ (K + σ M) v,     w = 1/μ - σ,     error ε (w + σ)²/(w_1 + σ)
//
// where the shift σ keeps K + σ M positive in spite of rigid motions and unstable ones.  Below
// sqrt(σ w_max), where the two errors are equal, the inverse problem is believed.
#include <float.h>
#include <math.h>

#include "math/dense.h"

static size_t area(int rows, int cols) { return (size_t)rows * (size_t)cols; }

// |v|'|K||v|: the size of the terms that make up v'K v
static double terms(const double* K, const double* v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += fabs(v[i] * K[area(i, n) + (size_t)j] * v[j]);
  return sum;
}

// Row k of V from the inverse problem, whose rows U have v'(K + σ M)v = 1.  What round-off leaves
// nothing of is zero.
static void take(const double* K, int n, double sigma, double lowest, const double* u, double mu,
                 double* w, double* v) {
  *w = 1 / mu - sigma;
  for (int i = 0; i < n; i++) v[i] = u[i] / sqrt(mu);
  const double lost = terms(K, v, n) + 1 / mu / mu / lowest;
  if (fabs(*w) <= 4 * DBL_EPSILON * n * lost) *w = 0;
}

bool td_eig_pencil(const double* K, const double* M, int n, double* w, double* V) {
  const double moderate = 1e-6;  // w_1/w_max above which nothing is to be gained
  if (!td_eig_symmetric(K, M, n, w, V)) return false;
  if (n == 0 || w[0] > moderate * w[n - 1]) return true;
  const double top = fmax(fabs(w[0]), fabs(w[n - 1])), zero = 4 * DBL_EPSILON * n * top,
               sigma = fmax(zero, -2 * w[0]), believed = sqrt(sigma * top);
  double* A = malloc(sizeof(double) * (2 * area(n, n) + (size_t)n + 1));
  if (!A) return false;
  double *U = A + area(n, n), *mu = U + area(n, n);
  for (size_t i = 0; i < area(n, n); i++) A[i] = K[i] + sigma * M[i];
  const bool inverse = sigma > 0 && td_eig_symmetric(M, A, n, mu, U);
  for (int k = 0; k < n; k++) {
    const int from = n - 1 - k;
    if (inverse && w[k] < believed && mu[from] > 0)
      take(K, n, sigma, 1 / mu[n - 1], U + area(from, n), mu[from], &w[k], V + area(k, n));
    else if (fabs(w[k]) <= zero)
      w[k] = 0;
  }
  free(A);
  return true;
}
