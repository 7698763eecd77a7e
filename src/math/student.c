// Quantiles of Student's t distribution through the incomplete beta function:
//
//   P(|T| <= t) = 1 - I_x(dof/2, 1/2),   x = dof / (dof + t²) [abramowitz1964, 26.7.1]
#include "math/student.h"

#include <math.h>

// I_x(a, b) by its continued fraction, modified Lentz's method [abramowitz1964, 26.5.8].
static double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double h = d;

  for (int k = 1; k < 500; k++) {
    // the even and the odd term of step k
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    d = 1 + even * d, c = 1 + even / c;
    d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
    h *= d * c;
    d = 1 + odd * d, c = 1 + odd / c;
    d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
    const double step = d * c;
    h *= step;
    if (fabs(step - 1) < 1e-15) break;
  }

  return h * exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
}

// Bisection in log t: the distribution is monotone, and this is called once for a fit.
double td_student(double level, double dof) {
  double low = log(1e-6), high = log(1e9);
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (low + high), t = exp(middle);
    *(1 - incomplete_beta(dof / 2, 0.5, dof / (dof + t * t)) < level ? &low : &high) = middle;
  }
  return exp(0.5 * (low + high));
}
