// Radau IIA: its tables, the linear systems of its steps, the search for roots, order, and modes
// that are too fast to follow.
#include <complex.h>

#include "check.h"
#include "solve/time/collocation.h"
#include "solve/time/crossings.h"
#include "solve/time/ode.h"
#include "solve/time/shifted.h"

// ---- tables -----------------------------------------------------------------------------------

// c = (4 -+ sqrt 6)/10, 1 [Hairer and Wanner, Solving ODEs II, table 5.6]
static void three_stages_have_the_known_nodes(void** state) {
  (void)state;
  td_collocation k;
  assert_int_equal(td_collocation_find(3, &k), TD_OK);
  CHECK_NEAR(k.c[0], (4 - sqrt(6)) / 10, 1e-15);
  CHECK_NEAR(k.c[1], (4 + sqrt(6)) / 10, 1e-15);
  CHECK_NEAR(k.c[2], 1, 0);
}

// the quadrature of s stages is exact to degree 2s - 2, the values to degree s
static void polynomials_are_integrated_and_interpolated_exactly(void** state) {
  (void)state;
  for (int s = 3; s <= TD_STAGES_MOST; s += 2) {
    td_collocation k;
    assert_int_equal(td_collocation_find(s, &k), TD_OK);
    double w[TD_STAGES_MOST];
    td_collocation_integrals(&k, 1, w);
    for (int p = 0; p <= 2 * s - 2; p++) {
      double sum = 0;
      for (int i = 0; i < s; i++) sum += w[i] * pow(k.c[i], p);
      CHECK_NEAR(sum, 1.0 / (p + 1), 1e-14);
    }
    td_collocation_values(&k, 0.3, w);
    for (int p = 1; p <= s; p++) {
      double sum = 0;
      for (int i = 0; i < s; i++) sum += w[i] * pow(k.c[i], p);
      CHECK_NEAR(sum, pow(0.3, p), 1e-14);
    }
  }
}

// A^-1 Z = h f holds for polynomials of degree s: A^-1 c^p = p c^(p-1); `first` is p'(0)
static void slopes_of_polynomials_are_exact(void** state) {
  (void)state;
  for (int s = 3; s <= TD_STAGES_MOST; s += 2) {
    td_collocation k;
    assert_int_equal(td_collocation_find(s, &k), TD_OK);
    for (int p = 1; p <= s; p++) {
      double at_zero = 0;
      for (int i = 0; i < s; i++) {
        double sum = 0;
        for (int j = 0; j < s; j++) sum += k.slope[i * s + j] * pow(k.c[j], p);
        CHECK_NEAR(sum, p * pow(k.c[i], p - 1), 1e-11);
        at_zero += k.first[i] * pow(k.c[i], p);
      }
      CHECK_NEAR(at_zero, p == 1, 1e-11);
    }
  }
}

// A^-1 = T E T^-1 with E = [real eigenvalue, blocks [a b; -b a]], all in the right half plane
static void blocks_give_back_the_matrix(void** state) {
  (void)state;
  for (int s = 3; s <= TD_STAGES_MOST; s += 2) {
    td_collocation k;
    assert_int_equal(td_collocation_find(s, &k), TD_OK);
    double E[TD_STAGES_MOST * TD_STAGES_MOST] = {0};
    E[0] = k.re[0];
    CHECK_NEAR(k.im[0], 0, 0);
    for (int i = 1; i < s; i += 2) {
      E[i * s + i] = E[(i + 1) * s + i + 1] = k.re[i];
      E[i * s + i + 1] = k.im[i];
      E[(i + 1) * s + i] = -k.im[i];
    }
    for (int i = 0; i < s; i++) {
      assert_true(k.re[i] > 0);
      for (int j = 0; j < s; j++) {
        double sum = 0;
        for (int a = 0; a < s; a++)
          for (int b = 0; b < s; b++) sum += k.T[i * s + a] * E[a * s + b] * k.back[b * s + j];
        CHECK_NEAR(sum, k.slope[i * s + j], 1e-11);
      }
    }
  }
}

// ---- shifted systems --------------------------------------------------------------------------

enum { QUATS = 3, NPOS = 7 * QUATS, N = NPOS + 6 * QUATS };

// J of bodies with translations and unit quaternions: [dN, N; full, full], dN skew
static void some_jacobian(uint64_t* seed, double* J) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) J[i * N + j] = i >= NPOS ? check_random(seed) : 0;
  for (int b = 0; b < QUATS; b++) {
    const int q = 7 * b, v = NPOS + 6 * b;
    for (int i = 0; i < 3; i++) J[(q + i) * N + v + i] = 1;
    for (int i = 3; i < 7; i++)
      for (int j = 3; j < 7; j++) {
        if (j < i) J[(q + i) * N + q + j] = check_random(seed);
        if (j < i) J[(q + j) * N + q + i] = -J[(q + i) * N + q + j];
        if (j < 6) J[(q + i) * N + v + j] = check_random(seed);
      }
  }
}

static void shifted_systems_are_solved_whatever_is_eliminated_first(void** state) {
  (void)state;
  uint64_t seed = 5;
  double J[N * N], b[2 * N], x[2 * N];
  some_jacobian(&seed, J);
  for (int i = 0; i < 2 * N; i++) b[i] = check_random(&seed);
  for (int npos = 0; npos <= NPOS; npos += NPOS) {
    td_shifted* f = td_shifted_new(N, npos);
    assert_non_null(f);
    const double complex sigma = 2.7 - 3.1 * I;
    assert_int_equal(td_shifted_factor(f, J, creal(sigma), cimag(sigma)), TD_OK);
    memcpy(x, b, sizeof x);
    td_shifted_solve(f, x);
    for (int i = 0; i < N; i++) {
      double complex sum = sigma * (x[2 * i] + I * x[2 * i + 1]);
      for (int j = 0; j < N; j++) sum -= J[i * N + j] * (x[2 * j] + I * x[2 * j + 1]);
      CHECK_NEAR(creal(sum), b[2 * i], 1e-11);
      CHECK_NEAR(cimag(sum), b[2 * i + 1], 1e-11);
    }
    td_shifted_free(f);
  }
}

// q' = v, with states besides that are neither
static void straight_systems_are_solved_by_half_their_order(void** state) {
  (void)state;
  enum { POS = 4, ALL = 10 };
  uint64_t seed = 6;
  double J[ALL * ALL] = {0}, b[2 * ALL], x[2 * ALL];
  for (int i = 0; i < POS; i++) J[i * ALL + POS + i] = 1;
  for (int i = POS * ALL; i < ALL * ALL; i++) J[i] = check_random(&seed);
  for (int i = 0; i < 2 * ALL; i++) x[i] = b[i] = check_random(&seed);
  td_shifted* f = td_shifted_new(ALL, POS);
  assert_non_null(f);
  const double complex sigma = 2.7 - 3.1 * I;
  assert_int_equal(td_shifted_factor(f, J, creal(sigma), cimag(sigma)), TD_OK);
  td_shifted_solve(f, x);
  for (int i = 0; i < ALL; i++) {
    double complex sum = sigma * (x[2 * i] + I * x[2 * i + 1]);
    for (int j = 0; j < ALL; j++) sum -= J[i * ALL + j] * (x[2 * j] + I * x[2 * j + 1]);
    CHECK_NEAR(creal(sum), b[2 * i], 1e-13);
    CHECK_NEAR(cimag(sum), b[2 * i + 1], 1e-13);
  }
  td_shifted_free(f);
}

static void a_shift_onto_an_eigenvalue_is_singular(void** state) {
  (void)state;
  const double J[4] = {0, 1, -4, 0};  // +-2i
  td_shifted* f = td_shifted_new(2, 0);
  assert_non_null(f);
  assert_int_equal(td_shifted_factor(f, J, 0, 2), TD_E_SINGULAR);
  assert_int_equal(td_shifted_factor(f, J, 1, 2), TD_OK);
  td_shifted_free(f);
}

// ---- crossings --------------------------------------------------------------------------------

// falling through zero at 1 and rising at 2; rising at 1.5; zero at the start, never negative
static void three_functions(void* ctx, double t, double* g) {
  ++*(int*)ctx;
  g[0] = (t - 1) * (t - 2);
  g[1] = expm1(t - 1.5);
  g[2] = t * t;
}

static void crossings_come_in_order(void** state) {
  (void)state;
  int calls = 0;
  td_crossings c;
  assert_int_equal(td_crossings_new(&c, 3, three_functions, &calls), TD_OK);
  td_crossings_begin(&c, 0);
  assert_false(td_crossings_find(&c, 0.9, 1e-14));
  const double times[3] = {1, 1.5, 2};
  const int which[3] = {0, 1, 0}, direction[3] = {-1, 1, 1};
  for (int i = 0; i < 3; i++) {
    assert_true(td_crossings_find(&c, i == 0 ? 1.7 : 3, 1e-14));
    CHECK_NEAR(c.t, times[i], 2e-14);
    for (int k = 0; k < 3; k++) assert_int_equal(c.crossed[k], k == which[i] ? direction[i] : 0);
  }
  assert_false(td_crossings_find(&c, 3, 1e-14));
  assert_true(calls < 3 * 100);
  td_crossings_free(&c);
}

// ---- steps ------------------------------------------------------------------------------------

// y'' = -w² y, pairs; ctx: frequencies, 0 ends them
static td_status modes(void* ctx, double t, const double* y, double* ydot) {
  (void)t;
  const double* w = ctx;
  int n = 0;
  while (w[n] > 0) n++;
  for (int i = 0; i < n; i++) {
    ydot[i] = y[n + i];
    ydot[n + i] = -w[i] * w[i] * y[i];
  }
  return TD_OK;
}

static td_status modes_jacobian(void* ctx, double t, const double* y, double* J) {
  (void)t, (void)y;
  const double* w = ctx;
  int n = 0;
  while (w[n] > 0) n++;
  memset(J, 0, (size_t)(4 * n * n) * sizeof(double));
  for (int i = 0; i < n; i++) {
    J[2 * n * i + n + i] = 1;
    J[2 * n * (n + i) + i] = -w[i] * w[i];
  }
  return TD_OK;
}

static long run_to(const td_ode* ode, double t_end, double* y) {
  td_stepper* s;
  assert_int_equal(td_solver_radau.start(ode, 0, y, &s), TD_OK);
  td_step step = {.t = 0};
  while (step.t < t_end) assert_int_equal(td_stepper_step(s, t_end, &step), TD_OK);
  memcpy(y, step.y, (size_t)ode->n * sizeof(double));
  const long steps = s->counts.steps;
  td_stepper_free(s);
  return steps;
}

// steps as long as h_max allows: half of it, and the error of the oscillator falls as h^9
static void the_order_is_nine(void** state) {
  (void)state;
  double w[2] = {1, 0}, error[2];
  for (int level = 0; level < 2; level++) {
    const td_ode ode = {.ctx = w,
                        .n = 2,
                        .npos = 1,
                        .rtol = 0.5,
                        .atol = 1,
                        .h_max = 0.5 / (1 << level),  // of a fifth of a step
                        .rhs = modes,
                        .jacobian = modes_jacobian};
    double y[2] = {1, 0};
    run_to(&ode, 50, y);
    error[level] = hypot(y[0] - cos(50), y[1] + sin(50));
  }
  assert_true(log2(error[0] / error[1]) > 8.5);
}

// A mode of 1e6 1/s, undamped, with an amplitude far below the tolerance: the slow one alone sets
// the steps, and is followed as if it were alone.
static void modes_that_do_not_move_do_not_shorten_steps(void** state) {
  (void)state;
  double w[3] = {1, 1e6, 0}, alone[2] = {1, 0};
  td_ode ode = {.ctx = w,
                .n = 4,
                .npos = 2,
                .rtol = 1e-8,
                .atol = 1e-8,
                .rhs = modes,
                .jacobian = modes_jacobian};
  double y[4] = {1, 1e-16, 0, 0}, slow[2] = {1, 0};
  const long steps = run_to(&ode, 20, y);
  ode.ctx = alone, ode.n = 2, ode.npos = 1;
  const long fewest = run_to(&ode, 20, slow);
  assert_true(2 * steps < 3 * fewest + 20);
  CHECK_NEAR(y[0], cos(20), 1e-6);
  CHECK_NEAR(y[2], -sin(20), 1e-6);
  CHECK_NEAR(y[1], 0, 1e-8);
}

// the energy of an undamped motion stays within the tolerance for a hundred periods
static void energy_is_kept(void** state) {
  (void)state;
  double w[3] = {1, 3, 0};
  const td_ode ode = {.ctx = w,
                      .n = 4,
                      .npos = 2,
                      .rtol = 1e-8,
                      .atol = 1e-8,
                      .rhs = modes,
                      .jacobian = modes_jacobian};
  double y[4] = {1, 1, 0, 0};
  run_to(&ode, 628, y);
  CHECK_NEAR(y[0] * y[0] + y[2] * y[2], 1, 1e-7);
  CHECK_NEAR(9 * y[1] * y[1] + y[3] * y[3], 9, 1e-6);
}

static void far_away(void* ctx, double t, const double* y, double* gap, double* speed) {
  (void)ctx, (void)t, (void)y;
  *gap = 1, *speed = 0;
}

// Guarded steps end at switches, which may lie a few units in the last place of t behind the
// beginning: what is left of Newton's corrections there is rounding, which does not contract.
static void steps_of_a_few_units_in_the_last_place_succeed(void** state) {
  (void)state;
  double w[3] = {1, 40, 0};
  const td_ode ode = {.ctx = w,
                      .n = 4,
                      .npos = 2,
                      .rtol = 1e-9,
                      .atol = 1e-12,
                      .rhs = modes,
                      .jacobian = modes_jacobian,
                      .nguard = 1,
                      .guards = far_away};
  uint64_t seed = 7;
  for (int trial = 0; trial < 200; trial++) {
    double y[4], from = 5 + 4.9 * check_random(&seed);
    for (int i = 0; i < 4; i++) y[i] = check_random(&seed);
    td_stepper* s;
    td_step step;
    assert_int_equal(td_solver_radau.start(&ode, from, y, &s), TD_OK);
    double to = from;
    for (int k = 0; k <= trial % 20; k++) to = nextafter(to, 10);
    assert_int_equal(td_stepper_step(s, to, &step), TD_OK);
    CHECK_NEAR(step.t, to, 0);
    // 20 units in the last place of 10 s, at accelerations of 1600: 6e-11
    for (int i = 0; i < 4; i++) CHECK_NEAR(step.y[i], y[i], 1e-9);
    td_stepper_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_stages_have_the_known_nodes),
      cmocka_unit_test(polynomials_are_integrated_and_interpolated_exactly),
      cmocka_unit_test(slopes_of_polynomials_are_exact),
      cmocka_unit_test(blocks_give_back_the_matrix),
      cmocka_unit_test(shifted_systems_are_solved_whatever_is_eliminated_first),
      cmocka_unit_test(straight_systems_are_solved_by_half_their_order),
      cmocka_unit_test(a_shift_onto_an_eigenvalue_is_singular),
      cmocka_unit_test(crossings_come_in_order),
      cmocka_unit_test(the_order_is_nine),
      cmocka_unit_test(modes_that_do_not_move_do_not_shorten_steps),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(steps_of_a_few_units_in_the_last_place_succeed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
