// Shape functions of a strain along a rod or a division of it, on [0, 1].  The interval is divided
// into equal elements.  Where a basis has an order, it determines the number of functions of each
// element.
//
// To add one: a line in TD_BASES and elem/basis_<name>.c with its functions.  The model language,
// the manual and the tests read the list.
#ifndef TD_BASIS_H
#define TD_BASIS_H

#include <math.h>

#include <stdbool.h>
#include <string.h>

// Columns: name; whether `order` determines the number of functions of an element; the polynomial
// degree that the quadrature must match, degree + degree_per_order·order; whether the functions are
// polynomials of that degree in each element; a description.
#define TD_BASES(X)                                                               \
  X(legendre, true, 0, 1, true, "Legendre polynomials")                           \
  X(constant, false, 0, 0, true, "piecewise constant")                            \
  X(monomial, true, 0, 1, true, "powers")                                         \
  X(chebyshev, true, 0, 1, true, "Chebyshev polynomials")                         \
  X(fourier, true, 1, 2, false, "1 and `order` pairs of cosine and sine")         \
  X(linear, false, 1, 0, true, "continuous, linear in each element")              \
  X(quadratic, false, 2, 0, true, "continuous, quadratic in each element")        \
  X(cubic, false, 3, 0, true, "continuous, cubic in each element")                \
  X(hermite, false, 3, 0, true, "cubic with continuous slope")                    \
  X(bspline, false, 3, 0, true, "cubic with continuous curvature (B-splines)")    \
  X(gaussian, false, 3, 0, false, "bells exp(-4 ln2 (x-c)^2/w^2) over their sum") \
  X(multiquadric, false, 3, 0, false, "bells 1/sqrt(1 + 12 (x-c)^2/w^2) over their sum")

typedef struct basis_functions {
  // Number of functions.
  int (*count)(int order, int elements);
  // Values of all functions at x.
  void (*values)(double x, int order, int elements, double* phi);
  // Order and elements for a resolution n, the number that all rod models share, where the model
  // gives neither.
  void (*resolve)(int n, int* order, int* elements);
} basis_functions;
#define X(name, ...) extern const basis_functions td_basis_##name;
TD_BASES(X)
#undef X

typedef struct basis_kind {
  const char* name;
  const basis_functions* f;
  bool ordered;
  int degree, degree_per_order;
  bool polynomial;
  const char* text;
} basis_kind;

enum {
#define X(name, ...) BASIS_##name,
  TD_BASES(X)
#undef X
      BASIS_KINDS
};
extern const basis_kind td_bases[BASIS_KINDS];
const basis_kind* td_basis_find(const char* name);  // NULL: there is none

// Resolution n as order n on one element
static inline void basis_plain(int n, int* order, int* elements) {
  *order = n;
  *elements = 1;
}

// Clear phi, which has `each` functions for every element and `extra` more.  Returns the first
// function of the element that contains x; *local is the position of x in it (0 to 1).
static inline double* basis_element(double x, int each, int elements, int extra, double* phi,
                                    double* local) {
  int e = (int)floor(x * elements);
  if (e < 0) e = 0;
  if (e >= elements) e = elements - 1;
  *local = x * elements - e;
  memset(phi, 0, (size_t)(each * elements + extra) * sizeof(double));
  return phi + each * e;
}

#endif
