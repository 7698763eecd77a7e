// Shape functions of strains.  To add one: write count and values, add a row to the table.
//
// Piecewise bases with functions of their own in each element put those of element e at e·n; bases
// with shared nodes number their nodes along the rod.
#include "elem/basis.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647692;

// The element x lies in, and where in it (0 to 1).
static int element_of(double x, int elements, double* local) {
  int e = (int)floor(x * elements);
  if (e < 0) e = 0;
  if (e >= elements) e = elements - 1;
  *local = x * elements - e;
  return e;
}

// ---- functions of their own in each element ---------------------------------------------------

static int polynomials(int order, int elements) { return (order + 1) * elements; }
static int harmonics(int order, int elements) { return (2 * order + 1) * elements; }

// Clears phi; where the functions of x's element begin.
static double* own(double x, int each, int elements, double* phi, double* local) {
  memset(phi, 0, (size_t)each * (size_t)elements * sizeof(double));
  return phi + each * element_of(x, elements, local);
}

static void constant(double x, int order, int elements, double* phi) {
  double local;
  (void)order;
  *own(x, 1, elements, phi, &local) = 1;
}
static int constants(int order, int elements) {
  (void)order;
  return elements;
}

static void monomial(double x, int order, int elements, double* phi) {
  double s;
  phi = own(x, order + 1, elements, phi, &s);
  phi[0] = 1;
  for (int k = 1; k <= order; k++) phi[k] = s * phi[k - 1];
}

// P_k(2 s - 1), by (k+1) P_{k+1} = (2k+1) y P_k - k P_{k-1}
static void legendre(double x, int order, int elements, double* phi) {
  double s;
  phi = own(x, order + 1, elements, phi, &s);
  const double y = 2 * s - 1;
  phi[0] = 1;
  if (order > 0) phi[1] = y;
  for (int k = 1; k < order; k++)
    phi[k + 1] = ((2 * k + 1) * y * phi[k] - k * phi[k - 1]) / (k + 1);
}

// T_k(2 s - 1), by T_{k+1} = 2 y T_k - T_{k-1}
static void chebyshev(double x, int order, int elements, double* phi) {
  double s;
  phi = own(x, order + 1, elements, phi, &s);
  const double y = 2 * s - 1;
  phi[0] = 1;
  if (order > 0) phi[1] = y;
  for (int k = 1; k < order; k++) phi[k + 1] = 2 * y * phi[k] - phi[k - 1];
}

// 1, cos 2πks, sin 2πks
static void fourier(double x, int order, int elements, double* phi) {
  double s;
  phi = own(x, 2 * order + 1, elements, phi, &s);
  phi[0] = 1;
  for (int k = 1; k <= order; k++) {
    phi[2 * k - 1] = cos(two_pi * k * s);
    phi[2 * k] = sin(two_pi * k * s);
  }
}

// ---- shared nodes -----------------------------------------------------------------------------

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

static double* shared(double x, int each, int elements, int extra, double* phi, double* s) {
  memset(phi, 0, (size_t)(each * elements + extra) * sizeof(double));
  return phi + each * element_of(x, elements, s);
}

static void linear(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = shared(x, 1, elements, 1, phi, &s);
  phi[0] = 1 - s;
  phi[1] = s;
}

static void quadratic(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = shared(x, 2, elements, 1, phi, &s);
  phi[0] = (2 * s - 1) * (s - 1);
  phi[1] = 4 * s * (1 - s);
  phi[2] = s * (2 * s - 1);
}

static void cubic(double x, int order, int elements, double* phi) {
  double s;
  (void)order;
  phi = shared(x, 3, elements, 1, phi, &s);
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
  phi = shared(x, 2, elements, 2, phi, &s);
  const double s2 = s * s, s3 = s2 * s;
  phi[0] = 1 - 3 * s2 + 2 * s3;
  phi[1] = s - 2 * s2 + s3;
  phi[2] = 3 * s2 - 2 * s3;
  phi[3] = s3 - s2;
}

// ---- bells around equidistant centres ---------------------------------------------------------

// Divided by their sum they make any constant strain: without that ripples of a few per cent
// remain, however many bells there are.
static void share(double* phi, int n) {
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
  share(phi, elements + 1);
}

// 1/√(1 + 12 (x - c)²/w²): half its height at a distance w/2 as well
static void multiquadric(double x, int order, int elements, double* phi) {
  (void)order;
  for (int k = 0; k <= elements; k++) {
    const double d = x * elements - k;
    phi[k] = 1 / sqrt(1 + 12 * d * d);
  }
  share(phi, elements + 1);
}

const basis_kind td_bases[] = {
    {"legendre", true, true, polynomials, legendre, 0, 1, "Legendre polynomials"},
    {"constant", false, true, constants, constant, 0, 0, "piecewise constant"},
    {"monomial", true, true, polynomials, monomial, 0, 1, "powers"},
    {"chebyshev", true, true, polynomials, chebyshev, 0, 1, "Chebyshev polynomials"},
    {"fourier", true, true, harmonics, fourier, 1, 2, "1 and `order` pairs of cosine and sine"},
    {"linear", false, false, linear_nodes, linear, 1, 0, "continuous, linear in each element"},
    {"quadratic", false, false, quadratic_nodes, quadratic, 2, 0,
     "continuous, quadratic in each element"},
    {"cubic", false, false, cubic_nodes, cubic, 3, 0, "continuous, cubic in each element"},
    {"hermite", false, false, hermite_nodes, hermite, 3, 0, "cubic with continuous slope"},
    {"gaussian", false, false, linear_nodes, gaussian, 3, 0,
     "bells exp(-4 ln2 (x-c)^2/w^2) over their sum"},
    {"multiquadric", false, false, linear_nodes, multiquadric, 3, 0,
     "bells 1/sqrt(1 + 12 (x-c)^2/w^2) over their sum"},
};
const int td_basis_count = (int)(sizeof td_bases / sizeof td_bases[0]);

void td_basis_resolve(const basis_kind* kind, int n, int* order, int* elements) {
  enum { highest = 10, usual = 4 };
  *order = n;
  *elements = 1;
  if (!kind || kind->count != polynomials || n <= highest) return;
  *order = usual;
  *elements = n / (usual + 1) + 1;  // the least whose functions are n + 1 or more
}

const basis_kind* td_basis_find(const char* name) {
  for (int i = 0; i < td_basis_count; i++)
    if (strcmp(td_bases[i].name, name) == 0) return &td_bases[i];
  return NULL;
}
