// Bell-shaped functions around equidistant centres, normalised to a sum of 1.
#include "elem/basis.h"

static int centres(int order, int elements) {
  (void)order;
  return elements + 1;
}

// Divide by the sum, so that every constant strain can be represented exactly; otherwise ripples of
// a few per cent would remain, however many bells there are.
static void normalise(double* phi, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += phi[k];
  for (int k = 0; k < n; k++) phi[k] /= sum;
}

// exp(-4 ln 2 (x - c)²/w²): half its height at a distance w/2
static void gaussian(double x, int order, int elements, double* phi) {
  (void)order;
  for (int k = 0; k <= elements; k++) {
    const double d = x * elements - k;
    phi[k] = exp(-4 * 0.69314718055994531 * d * d);
  }
  normalise(phi, elements + 1);
}

// 1/√(1 + 12 (x - c)²/w²): half its height at a distance w/2 as well
static void multiquadric(double x, int order, int elements, double* phi) {
  (void)order;
  for (int k = 0; k <= elements; k++) {
    const double d = x * elements - k;
    phi[k] = 1 / sqrt(1 + 12 * d * d);
  }
  normalise(phi, elements + 1);
}

const basis_functions td_basis_gaussian = {centres, gaussian, basis_plain};
const basis_functions td_basis_multiquadric = {centres, multiquadric, basis_plain};
