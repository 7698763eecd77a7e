// Cubic B-splines: strains whose curvature is continuous, with one more coordinate for each
// element. Knots are equidistant and repeated four times at both ends (clamped), so that the first
// and the last coordinate are the strains there.  Each function is positive on at most four
// elements, and all sum to 1.
//
//   N_i,0 = 1 on [t_i, t_i+1)
//   N_i,p = (x - t_i)/(t_i+p - t_i) N_i,p-1 + (t_i+p+1 - x)/(t_i+p+1 - t_i+1) N_i+1,p-1
//
// [deboor2001, ch. IX]
#include "elem/basis.h"

enum { DEGREE = 3 };

static int splines(int order, int elements) {
  (void)order;
  return elements + DEGREE;
}

// Use as many functions as polynomials of order n have, but at least one cubic element.
static void resolve(int n, int* order, int* elements) {
  *order = DEGREE;
  *elements = n > DEGREE ? n + 1 - DEGREE : 1;
}

// Knot k relative to the left end of the element, in elements: -2 to 0 on its left, 1 to 3 on its
// right.  `before` and `behind` elements remain until the ends, where knots are repeated.
static double knot(int k, int before, int behind) {
  if (k < -before) k = -before;
  return k > 1 + behind ? 1 + behind : k;
}

// Cubic B-splines at x: phi (all functions) gets the four that are not zero on the element of x, by
// the recursion of Cox and de Boor with s the position inside the element; the others stay zero.
static void bspline(double x, int order, int elements, double* phi) {
  double s, left[DEGREE], right[DEGREE];
  const double* first = phi;
  (void)order;
  phi = basis_element(x, 1, elements, DEGREE, phi, &s);
  const int before = (int)(phi - first), behind = elements - 1 - before;

  for (int j = 0; j < DEGREE; j++) {
    left[j] = s - knot(-j, before, behind);
    right[j] = knot(1 + j, before, behind) - s;
  }

  // functions of degree p from those of degree p - 1, in place
  phi[0] = 1;
  for (int p = 0; p < DEGREE; p++) {
    double carried = 0;
    for (int i = 0; i <= p; i++) {
      const double share = phi[i] / (right[i] + left[p - i]);
      phi[i] = carried + right[i] * share;
      carried = left[p - i] * share;
    }
    phi[p + 1] = carried;
  }
}

const basis_functions td_basis_bspline = {splines, bspline, resolve};
