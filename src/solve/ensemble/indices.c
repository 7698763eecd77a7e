// Sobol indices: which share of the variance of a number comes from which axis.
//
// With f at the n base points A, B and A with coordinate j of B, AB_j [saltelli2010, table 2]:
//
//   first order   S_j = 1/n Σ f(B) (f(AB_j) - f(A)) / V
//   total         T_j = 1/(2 n) Σ (f(A) - f(AB_j))² / V                              [jansen1999]
//
// where V is the variance of f over A and B.  f is taken less its mean, which changes no
// expectation and makes the variance of the first estimator smaller.  Confidence comes from the
// bootstrap over base points.
#include <math.h>

#include "math/random.h"
#include "solve/ensemble/points.h"
#include "solve/ensemble/sweep.h"

enum { BOOTSTRAPS = 400 };

// Indices of one axis from the base points in `pick` (n of them); f holds n_all x (axes + 2).
static void estimate(const double* f, int each, const int* pick, int n, int axis, double* first,
                     double* total) {
  double mean = 0, square = 0, cross = 0, jump = 0;
  for (int k = 0; k < n; k++) {
    const double* x = f + (size_t)pick[k] * (size_t)each;
    mean += (x[0] + x[1]) / (2 * n);
  }
  for (int k = 0; k < n; k++) {
    const double* x = f + (size_t)pick[k] * (size_t)each;
    const double a = x[0] - mean, b = x[1] - mean, ab = x[2 + axis] - mean;
    square += (a * a + b * b) / (2 * n);
    cross += b * (ab - a) / n;
    jump += (a - ab) * (a - ab) / (2 * n);
  }
  *first = square > 0 ? cross / square : NAN;
  *total = square > 0 ? jump / square : NAN;
}

// Half of the 95 % interval of normally distributed values
static double half_width(double sum, double squares, int n) {
  const double mean = sum / n, variance = (squares - n * mean * mean) / (n - 1);
  return 1.959963984540054 * sqrt(fmax(variance, 0));
}

td_status td_sweep_indices(const td_sweep* s, int column, double* first, double* total,
                           double* first_half, double* total_half, int* used) {
  if (!s || column < 0 || column >= s->ncolumn || !first || !total || !first_half || !total_half ||
      s->plan.points->base == 0)
    return TD_E_USAGE;
  const int n = s->plan.points->base, axes = td_points_axes(s->plan.points), each = axes + 2;
  double* f = malloc(sizeof(double) * (size_t)n * (size_t)each);
  int* pick = malloc(sizeof(int) * 2 * (size_t)n);
  if (!f || !pick) {
    free(f);
    free(pick);
    return TD_E_NOMEM;
  }

  // base points with all of their numbers
  int good = 0, *again = pick + n;
  for (int i = 0; i < n; i++) {
    double* x = f + (size_t)good * (size_t)each;
    for (int k = 0; k < each; k++)
      x[k] =
          s->values[((size_t)i * (size_t)each + (size_t)k) * (size_t)s->ncolumn + (size_t)column];
    bool finite = true;
    for (int k = 0; k < each; k++) finite &= isfinite(x[k]) != 0;
    if (finite) pick[good] = good, good++;
  }

  // estimates, and their spread when base points are drawn again
  for (int j = 0; j < axes; j++) {
    double sum[2] = {0}, squares[2] = {0};
    uint64_t seed = 1;
    first[j] = total[j] = first_half[j] = total_half[j] = NAN;
    if (good < 2) continue;
    estimate(f, each, pick, good, j, &first[j], &total[j]);
    for (int b = 0; b < BOOTSTRAPS; b++) {
      double x[2];
      for (int k = 0; k < good; k++) again[k] = (int)(random_bits(&seed) % (uint64_t)good);
      estimate(f, each, again, good, j, &x[0], &x[1]);
      for (int k = 0; k < 2; k++) sum[k] += x[k], squares[k] += x[k] * x[k];
    }
    first_half[j] = half_width(sum[0], squares[0], BOOTSTRAPS);
    total_half[j] = half_width(sum[1], squares[1], BOOTSTRAPS);
  }
  if (used) *used = good;
  free(f);
  free(pick);
  return TD_OK;
}
