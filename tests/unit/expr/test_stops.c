// Stop times: every jump and corner that time alone causes, and nothing else.
#include "samples.h"

typedef struct clock {
  td_exprs* g;
  ex t, x;
} clock;

static clock clock_new(void) {
  clock c = {.g = td_exprs_new()};
  c.t = td_ex_var(c.g, td_exprs_var(c.g, "t", TD_ON_TIME));
  c.x = td_ex_var(c.g, td_exprs_var(c.g, "x", TD_ON_STATE));
  return c;
}

static ex num(const clock* c, double x) { return td_ex_const(c->g, x); }

// The stops of e in [0, 10] are these.
static void check_stops(const clock* c, ex e, int n, const double* want) {
  double* times = NULL;
  int found = 0, cap = 0;
  assert_true(td_ex_stop_times(c->g, e, 0, 0, 10, &times, &found, &cap));
  if (found != n) {
    for (int i = 0; i < found; i++) print_message("%.17g ", times[i]);
    fail_msg("%d stops, not %d", found, n);
  }
  for (int i = 0; i < n; i++) CHECK_NEAR(times[i], want[i], 1e-12);
  free(times);
}

// 2t - 3 crosses 4 at 3.5, in every operation that has a corner or a jump there
static void test_operations_on_two_lines_stop_where_they_cross(void** state) {
  (void)state;
  const ex_op ops[] = {EX_LT, EX_LE, EX_EQ, EX_NE, EX_STEP, EX_MIN, EX_MAX};
  clock c = clock_new();
  const ex line = td_ex_2(c.g, EX_SUB, td_ex_2(c.g, EX_MUL, num(&c, 2), c.t), num(&c, 3));
  const double want = 3.5;
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    check_stops(&c, td_ex_2(c.g, ops[i], line, num(&c, 4)), 1, &want);
    check_stops(&c, td_ex_2(c.g, ops[i], num(&c, 4), line), 1, &want);

    // buried in what depends on the state
    const ex inner = td_ex_2(c.g, EX_MUL, c.x, td_ex_2(c.g, ops[i], line, num(&c, 4)));
    check_stops(&c, td_ex_1(c.g, EX_SIN, inner), 1, &want);
  }
  const ex shifted = td_ex_2(c.g, EX_SUB, line, num(&c, 4));
  check_stops(&c, td_ex_1(c.g, EX_ABS, shifted), 1, &want);
  check_stops(&c, td_ex_1(c.g, EX_SIGN, shifted), 1, &want);
  td_exprs_free(c.g);
}

static void test_smooth_and_state_dependent_operations_do_not_stop(void** state) {
  (void)state;
  clock c = clock_new();
  check_stops(&c, td_ex_1(c.g, EX_SIN, c.t), 0, NULL);
  check_stops(&c, td_ex_2(c.g, EX_LT, td_ex_1(c.g, EX_SIN, c.t), num(&c, 0)), 0, NULL);
  check_stops(&c, td_ex_2(c.g, EX_LT, c.t, c.x), 0, NULL);
  check_stops(&c, td_ex_1(c.g, EX_ABS, c.x), 0, NULL);
  check_stops(&c, td_ex_2(c.g, EX_LT, c.t, num(&c, 11)), 0, NULL);
  check_stops(&c, num(&c, 1), 0, NULL);
  td_exprs_free(c.g);
}

static void test_rounding_and_mod_stop_at_their_multiples(void** state) {
  (void)state;
  clock c = clock_new();
  const ex half = td_ex_2(c.g, EX_MUL, num(&c, 0.5), c.t);
  const double even[] = {0, 2, 4, 6, 8, 10}, odd[] = {1, 3, 5, 7, 9};
  check_stops(&c, td_ex_1(c.g, EX_FLOOR, half), 6, even);
  check_stops(&c, td_ex_1(c.g, EX_CEIL, half), 6, even);
  check_stops(&c, td_ex_1(c.g, EX_ROUND, half), 5, odd);
  check_stops(&c, td_ex_2(c.g, EX_MOD, c.t, num(&c, 2)), 6, even);
  check_stops(&c, td_ex_2(c.g, EX_MOD, c.t, num(&c, -2)), 6, even);
  td_exprs_free(c.g);
}

// mod(t, 4) < 1: on at 0, 4, 8 and off at 1, 5, 9
static void test_a_pulse_train_stops_at_both_edges(void** state) {
  (void)state;
  clock c = clock_new();
  const ex pulse = td_ex_2(c.g, EX_LT, td_ex_2(c.g, EX_MOD, c.t, num(&c, 4)), num(&c, 1));
  const double want[] = {0, 1, 4, 5, 8, 9};
  check_stops(&c, td_ex_make(c.g, EX_IFELSE, pulse, c.x, num(&c, 0)), 6, want);
  td_exprs_free(c.g);
}

// min(max((t-2)/3, 0), 1): corners at 2 and 5
static void test_a_ramp_stops_at_both_corners(void** state) {
  (void)state;
  clock c = clock_new();
  const ex line = td_ex_2(c.g, EX_DIV, td_ex_2(c.g, EX_SUB, c.t, num(&c, 2)), num(&c, 3));
  const ex ramp = td_ex_2(c.g, EX_MIN, td_ex_2(c.g, EX_MAX, line, num(&c, 0)), num(&c, 1));
  const double want[] = {2, 5};
  check_stops(&c, ramp, 2, want);
  td_exprs_free(c.g);
}

static void test_tables_of_time_stop_at_their_knots(void** state) {
  (void)state;
  clock c = clock_new();
  const double knots[4] = {1, 2, 4, 20}, held[3] = {5, 6, 7}, slanted[6] = {0, 1, 1, -1, -1, 0};
  // what is held from the first knot on was held before it, too: nothing happens there
  const double inner[] = {2, 4};
  check_stops(&c, td_ex_table(c.g, knots, 4, held, 1, true, c.t), 2, inner);
  check_stops(&c, td_ex_table(c.g, knots, 4, held, 1, false, c.t), 2, inner);

  // backwards: 10 - t meets the inner knots at 8 and 6
  const double backwards[] = {6, 8};
  const ex back = td_ex_2(c.g, EX_SUB, num(&c, 10), c.t);
  check_stops(&c, td_ex_table(c.g, knots, 4, held, 1, true, back), 2, backwards);

  // 0 until 1, up to 1 at 2, down to -1 at 4: |table| > 1/2 between 1.5 and 2.5 and from 3.5
  const ex table = td_ex_table(c.g, knots, 4, slanted, 2, true, c.t);
  const ex high = td_ex_2(c.g, EX_LT, num(&c, 0.5), td_ex_1(c.g, EX_ABS, table));
  const double want[] = {1, 1.5, 2, 2.5, 3, 3.5, 4};
  check_stops(&c, high, 7, want);
  td_exprs_free(c.g);
}

static void test_several_expressions_add_to_one_sorted_list(void** state) {
  (void)state;
  clock c = clock_new();
  double* times = NULL;
  int n = 0, cap = 0;
  const double at[] = {7, 3, 7, 0.1 + 0.2, 0.3};
  for (int i = 0; i < 5; i++) {
    const ex e = td_ex_2(c.g, EX_STEP, c.t, num(&c, at[i]));
    assert_true(td_ex_stop_times(c.g, e, 0, 0, 10, &times, &n, &cap));
  }
  assert_int_equal(n, 3);
  assert_true(times[0] < 0.31 && times[1] == 3 && times[2] == 7);
  free(times);
  td_exprs_free(c.g);
}

// Kilohertz trains nested in each other, forever: bounded, and quick
static void test_hostile_expressions_give_a_bounded_list(void** state) {
  (void)state;
  clock c = clock_new();
  double* times = NULL;
  int n = 0, cap = 0;
  ex e = c.t;
  for (int i = 0; i < 2000; i++) {
    const ex scaled = td_ex_2(c.g, EX_MUL, num(&c, 1e3 + i), e);
    e = td_ex_2(c.g, EX_ADD, td_ex_2(c.g, EX_MOD, scaled, num(&c, 0.37)), c.t);
  }
  assert_true(td_ex_stop_times(c.g, e, 0, 0, 1e6, &times, &n, &cap));
  assert_true(n > 1000 && n <= 100000);
  for (int i = 1; i < n; i++) assert_true(times[i - 1] < times[i]);

  const ex endless = td_ex_1(c.g, EX_FLOOR, td_ex_2(c.g, EX_MUL, num(&c, 1e300), c.t));
  assert_true(td_ex_stop_times(c.g, endless, 0, 0, 1e100, &times, &n, &cap));
  assert_true(td_ex_stop_times(c.g, endless, 0, 0, INFINITY, &times, &n, &cap));
  assert_true(td_ex_stop_times(c.g, EX_NONE, 0, 0, 1, &times, &n, &cap));
  assert_true(n <= 100000);
  free(times);
  td_exprs_free(c.g);
}

// exp(-((t - 4)/w)^2), 1/(1 + ((t - 4)/w)^2) and tanh((t - 4)/w) are over within some w: where that
// is shorter than the steps of solvers there are stops before, in the middle and behind.
static void test_short_and_smooth_is_not_stepped_over(void** state) {
  (void)state;
  clock c = clock_new();
  const double w = 1e-4, want[3] = {4 - 2 * w, 4, 4 + 2 * w};
  for (int k = 0; k < 2; k++) {
    const double width = k == 0 ? w : 1;
    const ex line = td_ex_2(c.g, EX_DIV, td_ex_2(c.g, EX_SUB, c.t, num(&c, 4)), num(&c, width)),
             shifted = td_ex_2(c.g, EX_SUB, c.t, num(&c, 4)),
             forms[] = {td_ex_2(c.g, EX_POW, line, num(&c, 2)), td_ex_2(c.g, EX_MUL, line, line),
                        td_ex_2(c.g, EX_DIV, td_ex_2(c.g, EX_POW, shifted, num(&c, 2)),
                                num(&c, width * width))};
    const int n = k == 0 ? 3 : 0;
    check_stops(&c, td_ex_1(c.g, EX_TANH, line), n, want);
    check_stops(&c, td_ex_1(c.g, EX_SIN, line), 0, NULL);
    for (int i = 0; i < 3; i++) {
      const ex bell = td_ex_1(c.g, EX_EXP, td_ex_1(c.g, EX_NEG, forms[i])),
               witch = td_ex_2(c.g, EX_DIV, num(&c, 2), td_ex_2(c.g, EX_ADD, num(&c, 1), forms[i]));
      check_stops(&c, bell, n, want);
      check_stops(&c, td_ex_2(c.g, EX_MUL, c.x, bell), n, want);
      check_stops(&c, witch, n, want);
    }
  }
  td_exprs_free(c.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operations_on_two_lines_stop_where_they_cross),
      cmocka_unit_test(test_smooth_and_state_dependent_operations_do_not_stop),
      cmocka_unit_test(test_rounding_and_mod_stop_at_their_multiples),
      cmocka_unit_test(test_a_pulse_train_stops_at_both_edges),
      cmocka_unit_test(test_a_ramp_stops_at_both_corners),
      cmocka_unit_test(test_tables_of_time_stop_at_their_knots),
      cmocka_unit_test(test_several_expressions_add_to_one_sorted_list),
      cmocka_unit_test(test_short_and_smooth_is_not_stepped_over),
      cmocka_unit_test(test_hostile_expressions_give_a_bounded_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
