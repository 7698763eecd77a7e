// Polynomials with separate functions in each element: the strain may jump between elements.
#include "elem/basis.h"

static int polynomials(int order, int elements) { return (order + 1) * elements; }

// Order n on one element up to n = 10, above that elements of order 4 with at least n + 1
// functions. A single polynomial of high degree has frequencies that grow with n² and columns that
// extend along the whole rod; the cost of elements is proportional to n.
static void resolve(int n, int* order, int* elements) {
  enum { highest = 10, usual = 4 };
  basis_plain(n, order, elements);
  if (n <= highest) return;
  *order = usual;
  *elements = n / (usual + 1) + 1;
}

static void constant(double x, int order, int elements, double* phi) {
  double local;
  (void)order;
  *basis_element(x, 1, elements, 0, phi, &local) = 1;
}
static int constants(int order, int elements) {
  (void)order;
  return elements;
}

// 1, s, s², ...
static void monomial(double x, int order, int elements, double* phi) {
  double s;
  phi = basis_element(x, order + 1, elements, 0, phi, &s);
  phi[0] = 1;
  for (int k = 1; k <= order; k++) phi[k] = s * phi[k - 1];
}

// P_k(2 s - 1), by (k+1) P_{k+1} = (2k+1) y P_k - k P_{k-1}
static void legendre(double x, int order, int elements, double* phi) {
  double s;
  phi = basis_element(x, order + 1, elements, 0, phi, &s);
  const double y = 2 * s - 1;
  phi[0] = 1;
  if (order > 0) phi[1] = y;
  for (int k = 1; k < order; k++)
    phi[k + 1] = ((2 * k + 1) * y * phi[k] - k * phi[k - 1]) / (k + 1);
}

// T_k(2 s - 1), by T_{k+1} = 2 y T_k - T_{k-1}
static void chebyshev(double x, int order, int elements, double* phi) {
  double s;
  phi = basis_element(x, order + 1, elements, 0, phi, &s);
  const double y = 2 * s - 1;
  phi[0] = 1;
  if (order > 0) phi[1] = y;
  for (int k = 1; k < order; k++) phi[k + 1] = 2 * y * phi[k] - phi[k - 1];
}

const basis_functions td_basis_constant = {constants, constant, basis_plain};
const basis_functions td_basis_monomial = {polynomials, monomial, resolve};
const basis_functions td_basis_legendre = {polynomials, legendre, resolve};
const basis_functions td_basis_chebyshev = {polynomials, chebyshev, resolve};
