// Gauss-Legendre quadrature: zeros of P_n by Newton's method from Tricomi's estimate, which
// converges to rounding in a few steps.
#include "math/quadrature.h"

#include <math.h>

void td_legendre(int n, double x, double* P) {
  P[0] = 1;
  if (n > 0) P[1] = x;
  for (int k = 1; k < n; k++) P[k + 1] = ((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1);
}

// Zeros z of P_n in [-1, 1] and weights 2 / ((1 - z²) P_n'(z)²), mapped to [0, 1].
void td_gauss(int n, double* x, double* w) {
  for (int i = 0; i < n; i++) {
    double z = cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 100; step++) {
      // P_n(z) by the three-term recurrence, P_n'(z) from P_n and P_n-1
      double p = 1, before = 0;
      for (int k = 0; k < n; k++) {
        const double next = ((2 * k + 1) * z * p - k * before) / (k + 1);
        before = p;
        p = next;
      }
      slope = n * (z * p - before) / (z * z - 1);

      const double dz = p / slope;
      z -= dz;
      if (fabs(dz) < 1e-16) break;
    }
    x[n - 1 - i] = 0.5 * (1 + z);
    w[n - 1 - i] = 1 / ((1 - z * z) * slope * slope);
  }
}
