// Piecewise polynomials by their values at nodes that neighbouring elements share, numbered along
// the rod.
#include "elem/basis.h"

static int linear_nodes(int order, int elements) {
  (void)order;
  return elements + 1;
}
static int quadratic_nodes(int order, int elements) {
  (void)order;
  return 2 * elements + 1;
}
static int cubic_nodes(int order, int elements) {
  (void)order;
  return 3 * elements + 1;
}
static int hermite_nodes(int order, int elements) {
  (void)order;
  return 2 * elements + 2;
}

// Hat functions: 1 - s and s in an element
static void linear(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = basis_element(x, 1, elements, 1, phi, &s);
  phi[0] = 1 - s;
  phi[1] = s;
}

// Lagrange polynomials of the nodes 0, 1/2, 1
static void quadratic(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = basis_element(x, 2, elements, 1, phi, &s);
  phi[0] = (2 * s - 1) * (s - 1);
  phi[1] = 4 * s * (1 - s);
  phi[2] = s * (2 * s - 1);
}

// Lagrange polynomials of the nodes 0, 1/3, 2/3, 1
static void cubic(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = basis_element(x, 3, elements, 1, phi, &s);
  const double a = 3 * s - 1, b = 3 * s - 2, c = s - 1;
  phi[0] = -0.5 * a * b * c;
  phi[1] = 4.5 * s * b * c;
  phi[2] = -4.5 * s * a * c;
  phi[3] = 0.5 * s * a * b;
}

// Value and slope at each node; slopes are per element, not per length of the rod.
static void hermite(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = basis_element(x, 2, elements, 2, phi, &s);
  const double s2 = s * s, s3 = s2 * s;
  phi[0] = 1 - 3 * s2 + 2 * s3;
  phi[1] = s - 2 * s2 + s3;
  phi[2] = 3 * s2 - 2 * s3;
  phi[3] = s3 - s2;
}

const basis_functions td_basis_linear = {linear_nodes, linear, basis_plain};
const basis_functions td_basis_quadratic = {quadratic_nodes, quadratic, basis_plain};
const basis_functions td_basis_cubic = {cubic_nodes, cubic, basis_plain};
const basis_functions td_basis_hermite = {hermite_nodes, hermite, basis_plain};
