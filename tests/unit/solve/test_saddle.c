// The saddle-point system against its own equations, with and without a border, redundant rows,
// zero stiffness.
#include "check.h"
#include "solve/statics/newton.h"

enum { n = 9, m = 5 };

typedef struct problem {
  double K[n * n], J[m * n], F[n], e[m], Fp[n], ep[m], tx[n], tp;
} problem;

// Rows 3 and 4 of J repeat rows 0 and 1 in another size; e and ep follow
static problem random_problem(uint64_t seed) {
  problem p;
  for (int i = 0; i < n * n; i++) p.K[i] = check_random(&seed);
  for (int i = 0; i < m * n; i++) p.J[i] = check_random(&seed);
  for (int i = 0; i < n; i++)
    p.F[i] = check_random(&seed), p.Fp[i] = check_random(&seed), p.tx[i] = check_random(&seed);
  for (int i = 0; i < m; i++) p.e[i] = check_random(&seed), p.ep[i] = check_random(&seed);
  p.tp = check_random(&seed);
  for (int i = 3; i < m; i++) {
    for (int j = 0; j < n; j++) p.J[i * n + j] = 100 * p.J[(i - 3) * n + j];
    p.e[i] = 100 * p.e[i - 3];
    p.ep[i] = 100 * p.ep[i - 3];
  }
  return p;
}

// Largest residual of K dx - J'dl + Fp dp + F, J dx + ep dp + e, tx'dx + tp dp + g
static double residual(const problem* p, const double* dx, const double* dl, double dp, double g,
                       bool border) {
  double worst = 0, last = g + p->tp * dp;
  for (int i = 0; i < n; i++) {
    double r = p->F[i] + p->Fp[i] * dp;
    for (int j = 0; j < n; j++) r += p->K[i * n + j] * dx[j];
    for (int k = 0; k < m; k++) r -= p->J[k * n + i] * dl[k];
    worst = fmax(worst, fabs(r));
    last += p->tx[i] * dx[i];
  }
  for (int k = 0; k < m; k++) {
    double r = p->e[k] + p->ep[k] * dp;
    for (int j = 0; j < n; j++) r += p->J[k * n + j] * dx[j];
    worst = fmax(worst, fabs(r) / 100);
  }
  return border ? fmax(worst, fabs(last)) : worst;
}

static void test_the_equations_are_satisfied_with_and_without_a_border(void** state) {
  (void)state;
  td_saddle* s;
  assert_int_equal(td_saddle_new(n, m, &s), TD_OK);
  for (uint64_t seed = 1; seed < 20; seed++) {
    const problem p = random_problem(seed);
    double dx[n], dl[m], dp;
    td_saddle_factor(s, p.K, p.J, NULL);
    assert_int_equal(s->free, n - 3);
    assert_false(s->singular);
    td_saddle_solve(s, p.F, p.e, 0, dx, dl, &dp);
    CHECK_NEAR(dp, 0, 0);
    CHECK_NEAR(residual(&p, dx, dl, 0, 0, false), 0, 1e-11);

    const td_border border = {p.Fp, p.ep, p.tx, p.tp};
    td_saddle_factor(s, p.K, p.J, &border);
    td_saddle_solve(s, p.F, p.e, 0.7, dx, dl, &dp);
    CHECK_NEAR(residual(&p, dx, dl, dp, 0.7, true), 0, 1e-11);
  }
  td_saddle_free(s);
}

static void test_the_sign_is_that_of_the_determinant_on_the_null_space(void** state) {
  (void)state;
  td_saddle* s;
  assert_int_equal(td_saddle_new(2, 1, &s), TD_OK);
  const double J[] = {0, 1};
  double K[] = {5, 0, 0, -1};
  td_saddle_factor(s, K, J, NULL);  // only the first direction is free
  assert_int_equal(s->sign, 1);
  K[0] = -5;
  td_saddle_factor(s, K, J, NULL);
  assert_int_equal(s->sign, -1);
  K[0] = 0;
  td_saddle_factor(s, K, J, NULL);
  assert_int_equal(s->sign, 0);
  td_saddle_free(s);
}

// A direction without stiffness and without force stays where it is
static void test_neutral_directions_do_not_move(void** state) {
  (void)state;
  td_saddle* s;
  assert_int_equal(td_saddle_new(3, 0, &s), TD_OK);
  const double K[] = {1e6, 2, 0, 2, 1e-3, 0, 0, 0, 0}, F[] = {1, 1, 0};
  double dx[3];
  td_saddle_factor(s, K, NULL, NULL);
  assert_true(s->singular);
  td_saddle_solve(s, F, NULL, 0, dx, NULL, NULL);
  // the residual of a stable solution is a rounding error of the terms that cancel in its row
  CHECK_NEAR(1e6 * dx[0] + 2 * dx[1], -1, 1e-12 * (fabs(1e6 * dx[0]) + fabs(2 * dx[1])));
  CHECK_NEAR(2 * dx[0] + 1e-3 * dx[1], -1, 1e-10);
  CHECK_NEAR(dx[2], 0, 1e-14);
  td_saddle_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_equations_are_satisfied_with_and_without_a_border),
      cmocka_unit_test(test_the_sign_is_that_of_the_determinant_on_the_null_space),
      cmocka_unit_test(test_neutral_directions_do_not_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
