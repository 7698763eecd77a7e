// Strain bases: what defines each of them, for every row of the table.
#include "check.h"
#include "elem/basis.h"

enum { MOST = 64 };

static void nodal_functions_sum_to_one(void** state) {
  (void)state;
  static const char* const names[] = {"constant", "linear",       "quadratic", "cubic",
                                      "gaussian", "multiquadric", "bspline"};
  uint64_t seed = 1;
  for (int b = 0; b < 7; b++)
    for (int elements = 1; elements <= 5; elements++)
      for (int i = 0; i < 20; i++) {
        const basis_kind* kind = td_basis_find(names[b]);
        double phi[MOST], sum = 0;
        kind->f->values(0.5 + 0.5 * check_random(&seed), 0, elements, phi);
        for (int k = 0; k < kind->f->count(0, elements); k++) sum += phi[k];
        CHECK_NEAR(sum, 1, 1e-14);
      }
}

static void nodal_functions_are_one_at_their_node(void** state) {
  (void)state;
  static const struct {
    const char* name;
    int each;
  } kinds[] = {{"linear", 1}, {"quadratic", 2}, {"cubic", 3}};
  for (int b = 0; b < 3; b++) {
    const int n = 3 * kinds[b].each;
    for (int node = 0; node <= n; node++) {
      double phi[MOST];
      td_basis_find(kinds[b].name)->f->values((double)node / n, 0, 3, phi);
      for (int k = 0; k <= n; k++) CHECK_NEAR(phi[k], k == node, 1e-14);
    }
  }
}

static void legendre_functions_are_orthogonal(void** state) {
  (void)state;
  double gram[5][5] = {{0}};
  const int points = 4000;  // midpoint rule: error below 1e-6
  for (int i = 0; i < points; i++) {
    double phi[MOST];
    td_basis_find("legendre")->f->values((i + 0.5) / points, 4, 1, phi);
    for (int a = 0; a < 5; a++)
      for (int b = 0; b < 5; b++) gram[a][b] += phi[a] * phi[b] / points;
  }
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < 5; b++) CHECK_NEAR(gram[a][b], a == b ? 1.0 / (2 * a + 1) : 0, 1e-6);
}

static void chebyshev_functions_are_cosines(void** state) {
  (void)state;
  for (int i = 0; i <= 10; i++) {
    const double angle = i * 0.314;
    double phi[MOST];
    td_basis_find("chebyshev")->f->values(0.5 + 0.5 * cos(angle), 6, 1, phi);
    for (int k = 0; k <= 6; k++) CHECK_NEAR(phi[k], cos(k * angle), 1e-13);
  }
}

static void hermite_functions_join_with_their_slope(void** state) {
  (void)state;
  // a cubic is reproduced from its values and slopes (per element)
  const basis_kind* kind = td_basis_find("hermite");
  const int n = 3;
  double c[MOST];
  for (int k = 0; k <= n; k++) {
    const double x = (double)k / n;
    c[2 * k] = x * x * x - x;
    c[2 * k + 1] = (3 * x * x - 1) / n;
  }
  for (int i = 0; i <= 20; i++) {
    const double x = i / 20.0;
    double phi[MOST], sum = 0;
    kind->f->values(x, 0, n, phi);
    for (int k = 0; k < kind->f->count(0, n); k++) sum += c[k] * phi[k];
    CHECK_NEAR(sum, x * x * x - x, 1e-14);
  }
}

// B-splines against their closed form inside (the cardinal cubic, 1/6, 2/3, 1/6 at its knots), and
// against Bernstein's polynomials, which they are on one element.  Value, slope and curvature are
// continuous at the knots; the third derivative is a constant in each element.
static void b_splines_are_smooth_and_clamped(void** state) {
  (void)state;
  const basis_functions* f = td_basis_find("bspline")->f;
  double phi[MOST], side[2][MOST];
  f->values(4.0 / 8, 0, 8, phi);
  for (int k = 0; k < f->count(0, 8); k++)
    CHECK_NEAR(phi[k], k == 5 ? 2.0 / 3 : (k == 4 || k == 6) ? 1.0 / 6 : 0, 1e-15);
  for (int i = 0; i <= 10; i++) {
    const double s = i / 10.0, t = 1 - s;
    const double want[4] = {t * t * t, 3 * s * t * t, 3 * s * s * t, s * s * s};
    f->values(s, 0, 1, phi);
    for (int k = 0; k < 4; k++) CHECK_NEAR(phi[k], want[k], 1e-15);
  }
  for (int end = 0; end < 2; end++) {
    f->values(end, 0, 5, phi);
    for (int k = 0; k < 8; k++) CHECK_NEAR(phi[k], k == 7 * end, 1e-15);
  }
  // (d³/dx³ on the right - on the left) h³ is all that two cubics which join so may differ by
  for (int e = 1; e < 5; e++)
    for (int i = 1; i <= 2; i++) {
      const double h = 0.02 * i;
      f->values(e / 5.0 + h, 0, 5, phi);
      for (int k = 0; k < 8; k++) {
        double cubic = 0;  // the left one goes on: extrapolated from four points of its element
        static const double weight[4] = {-1, 4, -6, 4};
        for (int j = 0; j < 4; j++) {
          f->values(e / 5.0 - (3 - j) * h, 0, 5, side[0]);
          cubic += weight[j] * side[0][k];
        }
        side[1][k] = (phi[k] - cubic) / (h * h * h);
        if (i == 2) CHECK_NEAR(side[1][k], side[0][MOST - 1 - k], 1e-8);
      }
      for (int k = 0; k < 8; k++) side[0][MOST - 1 - k] = side[1][k];
    }
}

// Half a width from two centres their bells are equal; the bell of the next centre, 3/2 widths
// away, has (1/2)^9 of its height beside 1/2, or 1/√28 beside 1/√4.
static void bells_fall_with_the_distance_from_their_centres(void** state) {
  (void)state;
  static const char* const names[] = {"gaussian", "multiquadric"};
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < 4; k++) {
      double phi[MOST];
      td_basis_find(names[b])->f->values((k + 0.5) / 4, 0, 4, phi);
      CHECK_NEAR(phi[k], phi[k + 1], 1e-14);
      if (k < 3) CHECK_NEAR(phi[k + 2] / phi[k], b ? sqrt(4.0 / 28) : pow(0.5, 8), 1e-14);
    }
}

// Polynomials of one element and of several span the same functions where they can.
static void every_basis_fills_the_functions_it_counts(void** state) {
  (void)state;
  for (int b = 0; b < BASIS_KINDS; b++)
    for (int order = 0; order <= 4; order++)
      for (int elements = 1; elements <= 4; elements++) {
        const int n = td_bases[b].f->count(order, elements);
        double phi[MOST + 1];
        assert_true(n <= MOST);
        for (int k = 0; k <= MOST; k++) phi[k] = 12345;
        td_bases[b].f->values(0.37, order, elements, phi);
        for (int k = 0; k < n; k++) assert_true(fabs(phi[k]) <= 1.1);  // cubics reach 1.06
        assert_true(phi[n] == 12345);
        td_bases[b].f->values(1, order, elements, phi);
        double sum = 0;
        for (int k = 0; k < n; k++) sum += fabs(phi[k]);
        assert_true(sum > 0.5);  // the end belongs to the last element
      }
}

// The functions of every basis are independent, and some sum of them is 1: a constant strain, which
// an arc of a circle has, is exact.  Normal equations over equidistant points, solved by Cholesky's
// method; powers up to the fourth, the worst, have a condition of 5e5.
static void every_basis_has_the_constant_strain(void** state) {
  (void)state;
  enum { POINTS = 240, MOST_HERE = 40 };
  for (int b = 0; b < BASIS_KINDS; b++)
    for (int order = 0; order <= 4; order++)
      for (int elements = 1; elements <= 4; elements++) {
        const int n = td_bases[b].f->count(order, elements);
        double G[MOST_HERE][MOST_HERE] = {{0}}, c[MOST_HERE] = {0}, phi[MOST], largest = 0;
        assert_true(n <= MOST_HERE);
        for (int i = 0; i < POINTS; i++) {
          td_bases[b].f->values((i + 0.5) / POINTS, order, elements, phi);
          for (int k = 0; k < n; k++) {
            c[k] += phi[k] / POINTS;
            for (int l = 0; l < n; l++) G[k][l] += phi[k] * phi[l] / POINTS;
          }
        }
        for (int k = 0; k < n; k++) largest = fmax(largest, G[k][k]);
        for (int k = 0; k < n; k++) {  // G = L Lᵀ, and c becomes L⁻¹ c
          for (int l = 0; l <= k; l++) {
            for (int j = 0; j < l; j++) G[k][l] -= G[k][j] * G[l][j];
            if (l < k) G[k][l] /= G[l][l];
          }
          assert_true(G[k][k] > 1e-7 * largest);
          G[k][k] = sqrt(G[k][k]);
          for (int j = 0; j < k; j++) c[k] -= G[k][j] * c[j];
          c[k] /= G[k][k];
        }
        for (int k = n - 1; k >= 0; k--) {
          for (int j = k + 1; j < n; j++) c[k] -= G[j][k] * c[j];
          c[k] /= G[k][k];
        }
        for (int i = 0; i < POINTS; i++) {
          double sum = 0;
          td_bases[b].f->values((i + 0.5) / POINTS, order, elements, phi);
          for (int k = 0; k < n; k++) sum += c[k] * phi[k];
          CHECK_NEAR(sum, 1, 1e-10);
        }
      }
}

// n of a rod: the order up to 10, elements of order 4 with at least n + 1 functions above.
static void a_resolution_becomes_an_order_or_elements(void** state) {
  (void)state;
  static const struct {
    int n, order, elements, functions;
  } rows[] = {{1, 1, 1, 2},   {4, 4, 1, 5},   {10, 10, 1, 11},  {11, 4, 3, 15},   {12, 4, 3, 15},
              {14, 4, 3, 15}, {15, 4, 4, 20}, {16, 4, 4, 20},   {19, 4, 4, 20},   {20, 4, 5, 25},
              {24, 4, 5, 25}, {40, 4, 9, 45}, {99, 4, 20, 100}, {254, 4, 51, 255}};
  static const char* const polynomials[] = {"legendre", "chebyshev", "monomial"};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (int b = 0; b < 3; b++) {
      const basis_kind* kind = td_basis_find(polynomials[b]);
      int order, elements;
      kind->f->resolve(rows[i].n, &order, &elements);
      assert_int_equal(order, rows[i].order);
      assert_int_equal(elements, rows[i].elements);
      assert_int_equal(kind->f->count(order, elements), rows[i].functions);
    }
    int order, elements;  // waves are not counted like polynomials
    td_basis_find("fourier")->f->resolve(rows[i].n, &order, &elements);
    assert_int_equal(order, rows[i].n);
    assert_int_equal(elements, 1);
    td_basis_find("bspline")->f->resolve(rows[i].n, &order, &elements);
    assert_int_equal(elements + 3, rows[i].n < 3 ? 4 : rows[i].n + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodal_functions_sum_to_one),
      cmocka_unit_test(nodal_functions_are_one_at_their_node),
      cmocka_unit_test(legendre_functions_are_orthogonal),
      cmocka_unit_test(chebyshev_functions_are_cosines),
      cmocka_unit_test(hermite_functions_join_with_their_slope),
      cmocka_unit_test(b_splines_are_smooth_and_clamped),
      cmocka_unit_test(bells_fall_with_the_distance_from_their_centres),
      cmocka_unit_test(every_basis_fills_the_functions_it_counts),
      cmocka_unit_test(every_basis_has_the_constant_strain),
      cmocka_unit_test(a_resolution_becomes_an_order_or_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
