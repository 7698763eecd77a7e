// Bounded nonlinear least squares: known minima, bounds that hold and release, points without a
// value.
#include "math/least.h"

#include "check.h"

typedef struct problem {
  int m, n;
  int kind;
  double wall;  // no value beyond
} problem;

// kind 0: Rosenbrock's valley;  1: a line through points, r = x0 + x1 t - d;  2: exponentials
static td_status residuals(void* user, const double* x, double* r, double* J) {
  const problem* p = user;
  if (x[0] > p->wall) return TD_E_DIVERGED;
  if (p->kind == 0) {
    r[0] = 10 * (x[1] - x[0] * x[0]), r[1] = 1 - x[0];
    J[0] = -20 * x[0], J[1] = 10, J[2] = -1, J[3] = 0;
    return TD_OK;
  }
  for (int i = 0; i < p->m; i++) {
    const double t = 0.1 * i;
    if (p->kind == 1) {
      r[i] = x[0] + x[1] * t - (2 - 3 * t);
      J[2 * i] = 1, J[2 * i + 1] = t;
    } else {
      const double e = exp(-x[1] * t);
      r[i] = x[0] * e + x[2] - (3 * exp(-1.5 * t) + 0.5);
      J[3 * i] = e, J[3 * i + 1] = -x[0] * t * e, J[3 * i + 2] = 1;
    }
  }
  return TD_OK;
}

static least_result search(problem* p, const double* low, const double* high, double* x,
                           int* at_bound) {
  double r[32], J[96];
  const least_problem q = {.m = p->m,
                           .n = p->n,
                           .low = low,
                           .high = high,
                           .evaluate = residuals,
                           .user = p,
                           .tol = 1e-10,
                           .max_evaluations = 200};
  least_result result;
  assert_int_equal(td_least_search(&q, x, r, J, at_bound, &result), TD_OK);
  return result;
}

static const double none_low[3] = {-INFINITY, -INFINITY, -INFINITY};
static const double none_high[3] = {INFINITY, INFINITY, INFINITY};

static void minima_without_bounds_are_found(void** state) {
  (void)state;
  int at[3];
  problem p = {2, 2, 0, INFINITY};
  double x[3] = {-1.2, 1};
  assert_true(search(&p, none_low, none_high, x, at).converged);
  CHECK_NEAR(x[0], 1, 1e-8);
  CHECK_NEAR(x[1], 1, 1e-8);
  problem q = {20, 3, 2, INFINITY};
  double y[3] = {1, 1, 0};
  assert_true(search(&q, none_low, none_high, y, at).converged);
  CHECK_NEAR(y[0], 3, 1e-7);
  CHECK_NEAR(y[1], 1.5, 1e-7);
  CHECK_NEAR(y[2], 0.5, 1e-7);
}

// The slope of the line is held at its bound: the other number is then the mean of d - x1 t.
static void a_bound_holds(void** state) {
  (void)state;
  problem p = {11, 2, 1, INFINITY};
  const double low[2] = {-10, -2}, high[2] = {10, 5};
  double x[2] = {0, 1};
  int at[2];
  assert_true(search(&p, low, high, x, at).converged);
  assert_int_equal(at[0], 0);
  assert_int_equal(at[1], -1);
  CHECK_NEAR(x[1], -2, 0);
  CHECK_NEAR(x[0], 2 - 0.5, 1e-9);
}

// A search that starts on a bound leaves it, one that meets bounds on its way ends inside.
static void a_bound_releases(void** state) {
  (void)state;
  problem p = {2, 2, 0, INFINITY};
  const double low[2] = {-1.2, -1}, high[2] = {1.5, 1.05};
  double x[2] = {-1.2, 1.05};
  int at[2];
  assert_true(search(&p, low, high, x, at).converged);
  assert_int_equal(at[0], 0);
  assert_int_equal(at[1], 0);
  CHECK_NEAR(x[0], 1, 1e-7);
  CHECK_NEAR(x[1], 1, 1e-7);
}

static void all_variables_at_bounds(void** state) {
  (void)state;
  problem p = {11, 2, 1, INFINITY};
  const double low[2] = {3, -1}, high[2] = {4, 5};
  double x[2] = {3.5, 1};
  int at[2];
  assert_true(search(&p, low, high, x, at).converged);
  assert_int_equal(at[0], -1);
  assert_int_equal(at[1], -1);
}

// Steps into a region without values are shortened.
static void points_without_a_value_are_avoided(void** state) {
  (void)state;
  problem p = {2, 2, 0, 1.01};
  double x[3] = {-1.2, 1};
  int at[3];
  assert_true(search(&p, none_low, none_high, x, at).converged);
  CHECK_NEAR(x[0], 1, 1e-7);
  p.wall = -2;
  double r[4], J[8], y[2] = {0, 0};
  const least_problem q = {.m = 2,
                           .n = 2,
                           .low = none_low,
                           .high = none_high,
                           .evaluate = residuals,
                           .user = &p,
                           .tol = 1e-10,
                           .max_evaluations = 200};
  least_result result;
  assert_int_equal(td_least_search(&q, y, r, J, at, &result), TD_E_DIVERGED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minima_without_bounds_are_found), cmocka_unit_test(a_bound_holds),
      cmocka_unit_test(a_bound_releases), cmocka_unit_test(all_variables_at_bounds),
      cmocka_unit_test(points_without_a_value_are_avoided)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
