// Newton's method, pseudo-transient continuation and curves on equations small enough to know
// everything about.
#include "solve/statics/newton.h"

#include "check.h"

static void displace(void* ctx, const double* x, const double* dx, double* out) {
  const int n = *(const int*)ctx;
  for (int i = 0; i < n; i++) out[i] = x[i] + dx[i];
}

static const double no_limit[3] = {INFINITY, INFINITY, INFINITY};
static const double half_radian[1] = {0.5};
static int one = 1, two = 2;
static const td_newton_options usual = {.tol = 1e-10, .max_iterations = 60};

// Newton from x, l in a work space of its own
static td_status solve(const td_equations* s, double* x, double* l, double p, bool transient,
                       td_newton_report* report) {
  td_newton* newton;
  assert_int_equal(td_newton_new(s, &newton), TD_OK);
  const td_status status = transient ? td_transient_solve(newton, x, l, p, &usual, report)
                                     : td_newton_solve(newton, x, l, p, &usual, report);
  td_newton_free(newton);
  return status;
}

// ---- F = atan x: plain Newton's method diverges from |x| > 1.39 -------------------------------
static void atan_residual(void* ctx, const double* x, const double* l, double p, double* F,
                          double* e) {
  (void)ctx, (void)l, (void)e;
  F[0] = atan(x[0]) - p;
}
static void atan_tangent(void* ctx, const double* x, const double* l, double p, double* K,
                         double* J) {
  (void)ctx, (void)l, (void)J, (void)p;
  K[0] = 1 / (1 + x[0] * x[0]);
}

static void test_damping_makes_newton_converge_from_afar(void** state) {
  (void)state;
  const td_equations s = {.ctx = &one,
                          .nx = 1,
                          .n = 1,
                          .limit = no_limit,
                          .residual = atan_residual,
                          .tangent = atan_tangent,
                          .displace = displace};
  for (double start = 0.5; start < 1e4; start *= 7) {
    double x = start;
    td_newton_report report;
    assert_int_equal(solve(&s, &x, NULL, 0, false, &report), TD_OK);
    CHECK_NEAR(x, 0, 1e-12);
    assert_true(report.iterations < 30);
  }
  double x = 1;  // atan x = 2 has no solution
  td_newton_report report;
  assert_int_equal(solve(&s, &x, NULL, 2, false, &report), TD_E_DIVERGED);
}

// ---- pendulum: F = sin x, x from the hanging position -----------------------------------------
static void pendulum_residual(void* ctx, const double* x, const double* l, double p, double* F,
                              double* e) {
  (void)ctx, (void)l, (void)e, (void)p;
  F[0] = sin(x[0]);
}
static void pendulum_tangent(void* ctx, const double* x, const double* l, double p, double* K,
                             double* J) {
  (void)ctx, (void)l, (void)J, (void)p;
  K[0] = cos(x[0]);
}

static void test_the_flow_finds_the_stable_equilibrium_where_the_tangent_is_singular(void** state) {
  (void)state;
  const td_equations s = {.ctx = &one,
                          .nx = 1,
                          .n = 1,
                          .limit = half_radian,
                          .residual = pendulum_residual,
                          .tangent = pendulum_tangent,
                          .displace = displace};
  const double starts[] = {acos(-1) / 2, 2, 3, 3.1};
  for (int i = 0; i < 4; i++) {
    double x = starts[i];
    td_newton_report report;
    assert_int_equal(solve(&s, &x, NULL, 0, true, &report), TD_OK);
    CHECK_NEAR(x, 0, 1e-12);
  }
}

// ---- a particle on the unit circle, held by the same equation twice and an empty one ----------
static void circle_residual(void* ctx, const double* x, const double* l, double p, double* F,
                            double* e) {
  (void)ctx, (void)p;
  e[0] = (x[0] * x[0] + x[1] * x[1] - 1) / 2;
  e[1] = 3 * e[0];
  e[2] = 0;
  F[0] = -x[0] * (l[0] + 3 * l[1]);
  F[1] = 9.81 - x[1] * (l[0] + 3 * l[1]);
}
static void circle_tangent(void* ctx, const double* x, const double* l, double p, double* K,
                           double* J) {
  (void)ctx, (void)p;
  const double tension = l[0] + 3 * l[1];
  K[0] = K[3] = -tension;
  K[1] = K[2] = 0;
  const double rows[] = {x[0], x[1], 3 * x[0], 3 * x[1], 0, 0};
  memcpy(J, rows, sizeof rows);
}

static void test_redundant_constraints_get_minimum_norm_multipliers(void** state) {
  (void)state;
  const td_equations s = {.ctx = &two,
                          .nx = 2,
                          .n = 2,
                          .m = 3,
                          .limit = no_limit,
                          .residual = circle_residual,
                          .tangent = circle_tangent,
                          .displace = displace};
  double x[] = {0.6, -1.2}, l[3];
  td_newton* newton;
  td_newton_report report;
  assert_int_equal(td_newton_new(&s, &newton), TD_OK);
  td_newton_estimate(newton, x, l, 0);
  assert_int_equal(td_newton_solve(newton, x, l, 0, &usual, &report), TD_OK);
  CHECK_NEAR(x[0], 0, 1e-14);
  CHECK_NEAR(x[1], -1, 1e-14);
  // l0 + 3 l1 = -9.81 with the least length
  CHECK_NEAR(l[0], -9.81 / 10, 1e-12);
  CHECK_NEAR(l[1], -9.81 * 3 / 10, 1e-12);
  CHECK_NEAR(l[2], 0, 1e-15);
  td_newton_free(newton);
}

// ---- curves: x^2 + p^2 = 1 has limit points at p = +-1; x (p - x^2) = 0 branches at p = 0 -----
static void round_residual(void* ctx, const double* x, const double* l, double p, double* F,
                           double* e) {
  (void)ctx, (void)l, (void)e;
  F[0] = x[0] * x[0] + p * p - 1;
}
static void round_tangent(void* ctx, const double* x, const double* l, double p, double* K,
                          double* J) {
  (void)ctx, (void)l, (void)J, (void)p;
  K[0] = 2 * x[0];
}
static void round_slope(void* ctx, const double* x, const double* l, double p, double* Fp,
                        double* ep) {
  (void)ctx, (void)l, (void)ep, (void)x;
  Fp[0] = 2 * p;
}

static void test_a_curve_goes_around_its_limit_points(void** state) {
  (void)state;
  const td_equations s = {.ctx = &one,
                          .nx = 1,
                          .n = 1,
                          .limit = no_limit,
                          .residual = round_residual,
                          .tangent = round_tangent,
                          .slope = round_slope,
                          .displace = displace};
  td_curve curve = {.options = usual, .X = 1, .P = 1};
  td_point a, b;
  assert_int_equal(td_newton_new(&s, &curve.newton), TD_OK);
  assert_int_equal(td_point_new(&s, &a), TD_OK);
  assert_int_equal(td_point_new(&s, &b), TD_OK);
  a.x[0] = 1;
  a.tp = 1;
  int sign, iterations, turns = 0, first_sign = 0;
  assert_int_equal(td_curve_direction(&curve, &a, &first_sign), TD_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(td_curve_step(&curve, &a, 0.1, &b, &iterations, &sign), TD_OK);
    CHECK_NEAR(b.x[0] * b.x[0] + b.p * b.p, 1, 1e-14);
    CHECK_NEAR(b.tx[0] * b.tx[0] + b.tp * b.tp, 1, 1e-14);
    assert_int_equal(sign, first_sign);  // limit points are no branch points
    turns += (b.tp > 0) != (a.tp > 0);
    td_point_copy(&s, &b, &a);
  }
  assert_int_equal(turns, 3);  // an arc of 10, turning at pi/2, 3 pi/2, 5 pi/2
  td_point_free(&a);
  td_point_free(&b);
  td_newton_free(curve.newton);
}

static void fork_residual(void* ctx, const double* x, const double* l, double p, double* F,
                          double* e) {
  (void)ctx, (void)l, (void)e;
  F[0] = x[0] * (x[0] * x[0] - p);
}
static void fork_tangent(void* ctx, const double* x, const double* l, double p, double* K,
                         double* J) {
  (void)ctx, (void)l, (void)J;
  K[0] = 3 * x[0] * x[0] - p;
}
static void fork_slope(void* ctx, const double* x, const double* l, double p, double* Fp,
                       double* ep) {
  (void)ctx, (void)l, (void)ep, (void)p;
  Fp[0] = -x[0];
}

static void test_the_sign_of_the_bordered_system_changes_at_a_branch_point(void** state) {
  (void)state;
  const td_equations s = {.ctx = &one,
                          .nx = 1,
                          .n = 1,
                          .limit = no_limit,
                          .residual = fork_residual,
                          .tangent = fork_tangent,
                          .slope = fork_slope,
                          .displace = displace};
  td_curve curve = {.options = usual, .X = 1, .P = 1};
  td_point a, b;
  assert_int_equal(td_newton_new(&s, &curve.newton), TD_OK);
  assert_int_equal(td_point_new(&s, &a), TD_OK);
  assert_int_equal(td_point_new(&s, &b), TD_OK);
  a.p = -0.33;
  a.tp = 1;
  int sign, iterations, before;
  assert_int_equal(td_curve_direction(&curve, &a, &before), TD_OK);
  for (int i = 0; i < 10; i++) {
    assert_int_equal(td_curve_step(&curve, &a, 0.1, &b, &iterations, &sign), TD_OK);
    CHECK_NEAR(b.x[0], 0, 1e-14);
    assert_int_equal(sign == before, b.p < 0);
    td_point_copy(&s, &b, &a);
  }
  td_point_free(&a);
  td_point_free(&b);
  td_newton_free(curve.newton);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_damping_makes_newton_converge_from_afar),
      cmocka_unit_test(test_the_flow_finds_the_stable_equilibrium_where_the_tangent_is_singular),
      cmocka_unit_test(test_redundant_constraints_get_minimum_norm_multipliers),
      cmocka_unit_test(test_a_curve_goes_around_its_limit_points),
      cmocka_unit_test(test_the_sign_of_the_bordered_system_changes_at_a_branch_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
