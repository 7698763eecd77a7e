// Fourier series with separate functions in each element.
#include "elem/basis.h"

static const double two_pi = 6.28318530717958647692;

static int harmonics(int order, int elements) { return (2 * order + 1) * elements; }

// 1, cos 2πks, sin 2πks
static void fourier(double x, int order, int elements, double* phi) {
  double s;
  phi = basis_element(x, 2 * order + 1, elements, 0, phi, &s);
  phi[0] = 1;
  for (int k = 1; k <= order; k++) {
    phi[2 * k - 1] = cos(two_pi * k * s);
    phi[2 * k] = sin(two_pi * k * s);
  }
}

const basis_functions td_basis_fourier = {harmonics, fourier, basis_plain};
