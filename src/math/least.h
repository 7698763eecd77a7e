// Nonlinear least squares within bounds: minimise Σ r_i(x)² for low <= x <= high.
#ifndef TD_LEAST_H
#define TD_LEAST_H

#include "base/base.h"

typedef struct least_problem {
  int m, n;                  // residuals, variables
  const double *low, *high;  // (n) -inf and inf: none
  // Residuals (m) and their Jacobian (m x n, row-major) at a point within the bounds.  A point at
  // which there are none (TD_E_DIVERGED, TD_E_SINGULAR, TD_E_INFINITE, TD_E_MODEL) makes the step
  // shorter; other failures end the search.
  td_status (*evaluate)(void* user, const double* x, double* r, double* J);
  // The last point that was evaluated is the new centre of the search; may be NULL.
  void (*accept)(void* user);
  void* user;
  double tol;  // relative, of the variables; that of the sum of squares is 1e-4 of it
  int max_evaluations;
} least_problem;

typedef struct least_result {
  bool converged;
  int evaluations;
  double cost;  // Σ r_i²
} least_result;

// Start at x, which becomes the minimum; r and J are those there, and at_bound (n) is -1 or 1 where
// the bound holds a variable back.  Fails only where the start or the caller does; a search that
// ends early is not converged.
td_status td_least_search(const least_problem* problem, double* x, double* r, double* J,
                          int* at_bound, least_result* result);

#endif
