// Matrix exponential by scaling and squaring with the (6, 6) Padé approximant [moler2003, method
// 3]. With the norm scaled to at most 1/4 the error of the approximant is below rounding.
#include <math.h>

#include "math/riccati.h"

// Elements of an n x n matrix.
static size_t area(int n) { return (size_t)n * (size_t)n; }

// Scale A by a power of two, evaluate the Padé approximant, square the result.
td_status td_expm(const double* A, int n, double* E) {
  if (n == 0) return TD_OK;

  // halve A until its norm is at most 1/4
  double norm = 0;
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) row += fabs(A[i * n + j]);
    norm = fmax(norm, row);
  }

  if (!(norm < 1e9)) return TD_E_DIVERGED;
  int squarings = 0;
  while (ldexp(norm, -squarings) > 0.25) squarings++;
  double* block = malloc(sizeof(double) * 5 * area(n) + sizeof(int) * (size_t)n);
  if (!block) return TD_E_NOMEM;
  double *S = block, *P = S + area(n), *X = P + area(n), *D = X + area(n), *T = D + area(n);
  int* pivot = (int*)(void*)(T + area(n));

  for (size_t i = 0; i < area(n); i++) {
    S[i] = ldexp(A[i], -squarings);
    P[i] = E[i] = D[i] = i % (size_t)(n + 1) == 0;
  }

  // numerator E = Σ c_k S^k, denominator D = Σ c_k (-S)^k
  double c = 1;
  for (int k = 1; k <= 6; k++) {
    c *= (7.0 - k) / (k * (13.0 - k));
    td_mul(P, S, n, n, n, X);
    memcpy(P, X, sizeof(double) * area(n));
    for (size_t i = 0; i < area(n); i++) {
      E[i] += c * P[i];
      D[i] += (k % 2 ? -c : c) * P[i];
    }
  }

  // E := D⁻¹ E, then square it as often as A was halved
  td_status status = td_lu(D, n, pivot) == 0 ? TD_OK : TD_E_SINGULAR;
  if (status == TD_OK) td_lu_solve(D, pivot, n, E, n);

  for (int k = 0; status == TD_OK && k < squarings; k++) {
    td_mul(E, E, n, n, n, T);
    memcpy(E, T, sizeof(double) * area(n));
  }

  free(block);
  return status;
}
