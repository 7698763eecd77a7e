// Derivatives against finite differences, for every operation, once and twice; substitution.
#include "samples.h"

static double value_at(const td_exprs* g, ex e, double x) {
  const double v[3] = {x, 0.4, -0.3};
  return td_ex_eval(g, e, v);
}

// Central differences of order 4 and 6 with step h
static double slope4(const td_exprs* g, ex e, double x, double h) {
  const double d1 = value_at(g, e, x + h) - value_at(g, e, x - h);
  const double d2 = value_at(g, e, x + 2 * h) - value_at(g, e, x - 2 * h);
  return (8 * d1 - d2) / (12 * h);
}

static double slope6(const td_exprs* g, ex e, double x, double h) {
  const double d1 = value_at(g, e, x + h) - value_at(g, e, x - h);
  const double d2 = value_at(g, e, x + 2 * h) - value_at(g, e, x - 2 * h);
  const double d3 = value_at(g, e, x + 3 * h) - value_at(g, e, x - 3 * h);
  return (45 * d1 - 9 * d2 + d3) / (60 * h);
}

// de against the differences of e at random points.  With h = 5e-3 and functions that vary over a
// length of 0.2 or more the order 6 stencil is off by h^6/140 f^(7) ~ 1e-9, rounding by 1e-13.
// Points whose stencil spans a jump or corner show as orders that disagree and are left out; most
// points must remain.
static void check_slope(const td_exprs* g, ex e, ex de, const char* what) {
  const double h = 5e-3;
  uint64_t seed = 7;
  int used = 0;
  for (int i = 0; i < 60; i++) {
    const double x = 3 * check_random(&seed);
    const double want = slope6(g, e, x, h), got = value_at(g, de, x);
    if (fabs(want - slope4(g, e, x, h)) > 1e-5 * fmax(1, fabs(want))) continue;
    used++;
    if (!(fabs(got - want) <= 1e-8 * fmax(1, fabs(want)))) {
      fail_msg("%s at %g: %.12g, differences %.12g", what, x, got, want);
    }
  }
  if (used < 40) fail_msg("%s: only %d points were smooth", what, used);
}

// Operands within the domain of every operation: u in [0.25, 0.85], v in [0.5, 0.9].
static ex operand(const sample* s, double mean, double size, double frequency) {
  td_exprs* g = s->g;
  const ex angle = td_ex_2(g, EX_MUL, td_ex_const(g, frequency), s->x);
  const ex wave = td_ex_2(g, EX_MUL, td_ex_const(g, size), td_ex_1(g, EX_SIN, angle));
  return td_ex_2(g, EX_ADD, td_ex_const(g, mean), wave);
}

static void test_every_operation_has_exact_first_and_second_derivatives(void** state) {
  (void)state;
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    sample s = sample_new();
    const ex u = operand(&s, 0.55, 0.3, 1.1), v = operand(&s, 0.7, 0.2, 0.6);
    const ex e = sample_op(s.g, (ex_op)op, u, v, td_ex_2(s.g, EX_MUL, u, v));
    const ex d = td_ex_diff(s.g, e, 0), dd = td_ex_diff(s.g, d, 0);
    check_slope(s.g, e, d, op_names[op]);
    check_slope(s.g, d, dd, op_names[op]);
    td_exprs_free(s.g);
  }
}

// Each operand alone: a rule that is right for both together may still have them exchanged
static void test_every_operand_has_its_own_derivative(void** state) {
  (void)state;
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    for (int k = 0; k < op_arity[op]; k++) {
      sample s = sample_new();
      ex arg[3] = {td_ex_const(s.g, 0.35), td_ex_const(s.g, 0.65), td_ex_const(s.g, 0.8)};
      arg[k] = operand(&s, 0.55, 0.3, 1.1);
      const ex e = sample_op(s.g, (ex_op)op, arg[0], arg[1], arg[2]);
      check_slope(s.g, e, td_ex_diff(s.g, e, 0), op_names[op]);
      td_exprs_free(s.g);
    }
  }
}

static void test_mod_with_a_moving_divisor_counts_its_multiples(void** state) {
  (void)state;
  sample s = sample_new();
  const ex e = td_ex_2(s.g, EX_MOD, operand(&s, 5.1, 0.7, 0.5), operand(&s, -0.9, 0.1, 0.3));
  check_slope(s.g, e, td_ex_diff(s.g, e, 0), "mod");
  td_exprs_free(s.g);
}

static void test_the_power_rule_holds_for_negative_bases(void** state) {
  (void)state;
  sample s = sample_new();
  const ex base = operand(&s, -1.2, 0.4, 1);
  const double exponents[] = {-3, -2, -1, 1, 2, 3, 5};
  for (int i = 0; i < 7; i++) {
    const ex e = td_ex_2(s.g, EX_POW, base, td_ex_const(s.g, exponents[i]));
    check_slope(s.g, e, td_ex_diff(s.g, e, 0), "pow");
  }

  // an exponent that is another variable
  const ex e = td_ex_2(s.g, EX_POW, s.x, s.y);
  const double at[3] = {-2, 3, 0};
  CHECK_NEAR(td_ex_eval(s.g, td_ex_diff(s.g, e, 0), at), 12, 1e-15);
  td_exprs_free(s.g);
}

static void test_corners_have_one_sided_derivatives(void** state) {
  (void)state;
  sample s = sample_new();
  const double at[3] = {0, 0, 0};
  const ex zero = td_ex_const(s.g, 0);
  const ex corners[] = {td_ex_1(s.g, EX_ABS, s.x), td_ex_2(s.g, EX_MIN, s.x, zero),
                        td_ex_2(s.g, EX_MAX, s.x, zero)};
  const double left[] = {-1, 1, 0}, right[] = {1, 0, 1};
  for (int i = 0; i < 3; i++) {
    const double d = td_ex_eval(s.g, td_ex_diff(s.g, corners[i], 0), at);
    assert_true(d == left[i] || d == right[i]);
  }
  td_exprs_free(s.g);
}

// Quadratic drag at rest.  |v| v is differentiable at v = 0, with derivative 0, however the length
// is written, and so is v |v|^p; of |v| alone 0 is chosen, the middle of its slopes; of what has no
// bounded slope no number is made up.
static void test_lengths_have_a_slope_at_zero(void** state) {
  (void)state;
  sample s = sample_new();
  td_exprs* g = s.g;
  const ex square = td_ex_2(g, EX_ADD, td_ex_2(g, EX_MUL, s.x, s.x), td_ex_2(g, EX_MUL, s.y, s.y));
  const ex p = td_ex_const(g, 0.25), size = td_ex_1(g, EX_ABS, s.x);
  const ex length[] = {
      td_ex_1(g, EX_SQRT, square),
      td_ex_2(g, EX_HYPOT, s.x, s.y),
      td_ex_2(g, EX_HYPOT, td_ex_2(g, EX_HYPOT, s.x, s.y), td_ex_const(g, 0)),
      td_ex_2(g, EX_POW, square, td_ex_const(g, 0.6)),
      td_ex_1(g, EX_SQRT, td_ex_2(g, EX_POW, square, td_ex_const(g, 1.5))),
      td_ex_2(g, EX_POW, square, td_ex_2(g, EX_ADD, s.z, p)),
  };
  const ex steep[] = {td_ex_1(g, EX_SQRT, size), td_ex_2(g, EX_POW, size, p)};
  const double rest[3] = {0, 0, 0.4}, moving[3] = {0, 0.7, 0.4};
  for (int i = 0; i < 8; i++) {
    const ex law = i < 6 ? length[i] : td_ex_2(g, EX_MUL, td_ex_const(g, -2), steep[i - 6]);
    const ex drag = td_ex_2(g, EX_MUL, law, s.x), first = td_ex_diff(g, drag, 0);
    assert_true(td_ex_eval(g, first, rest) == 0);
    assert_true(td_ex_eval(g, td_ex_diff(g, drag, 1), rest) == 0);
    assert_true(td_ex_eval(g, td_ex_diff(g, drag, 2), rest) == 0);
    if (i >= 6) continue;
    assert_true(td_ex_eval(g, td_ex_diff(g, law, 0), rest) == 0);
    assert_true(isfinite(td_ex_eval(g, td_ex_diff(g, first, 0), rest)));
  }

  // beside zero nothing changes: the second derivative of |v| across v is 1/|v|
  for (int i = 0; i < 2; i++) {
    const ex second = td_ex_diff(g, td_ex_diff(g, length[i], 0), 0);
    CHECK_NEAR(td_ex_eval(g, second, moving), 1 / 0.7, 1e-14);
  }

  // sqrt(x) and sqrt(x) sqrt(x) at 0
  const ex root = td_ex_1(g, EX_SQRT, s.x);
  assert_true(td_ex_eval(g, td_ex_diff(g, root, 0), rest) == INFINITY);
  assert_true(isnan(td_ex_eval(g, td_ex_diff(g, td_ex_2(g, EX_MUL, root, root), 0), rest)));
  td_exprs_free(g);
}

static void test_a_clamped_table_is_flat_outside_and_a_continued_one_is_not(void** state) {
  (void)state;
  sample s = sample_new();
  const ex held = td_ex_table(s.g, sample_knots, 3, sample_coef, 4, true, s.x);
  const ex free_ends = td_ex_table(s.g, sample_knots, 3, sample_coef, 4, false, s.x);
  const double outside[] = {-1e6, -2, 0.0999, 1.2001, 3, 1e6};
  for (int i = 0; i < 6; i++) {
    assert_true(value_at(s.g, td_ex_diff(s.g, held, 0), outside[i]) == 0);
    assert_true(value_at(s.g, td_ex_diff(s.g, free_ends, 0), outside[i]) != 0);
  }

  // the order falls by one each time, to nothing
  ex d = held;
  for (int order = 4; order > 0; order--) {
    assert_int_equal(td_exprs_table(s.g, td_ex_table_of(s.g, d)).order, order);
    d = td_ex_diff(s.g, d, 0);
  }
  assert_true(td_ex_value(s.g, d) == 0);
  td_exprs_free(s.g);
}

static void test_differentiating_again_makes_no_nodes(void** state) {
  (void)state;
  sample s = sample_new();
  const ex e = td_ex_2(s.g, EX_POW, td_ex_1(s.g, EX_TANH, s.x), td_ex_1(s.g, EX_COS, s.x));
  const ex d = td_ex_diff(s.g, e, 0);
  const int count = td_exprs_count(s.g);
  assert_int_equal(td_ex_diff(s.g, e, 0), d);
  assert_int_equal(td_exprs_count(s.g), count);
  assert_true(td_ex_value(s.g, td_ex_diff(s.g, e, 1)) == 0);
  td_exprs_free(s.g);
}

// x -> x sin(x), nested: written out it has 2^60 factors
static void test_shared_graphs_cost_their_nodes_not_their_paths(void** state) {
  (void)state;
  sample s = sample_new();
  ex e = s.x;
  for (int i = 0; i < 60; i++) e = td_ex_2(s.g, EX_MUL, e, td_ex_1(s.g, EX_SIN, e));
  const ex d = td_ex_diff(s.g, e, 0);
  assert_true(td_exprs_count(s.g) < 1000);
  assert_true(isfinite(value_at(s.g, d, 1.5)));
  td_exprs_free(s.g);
}

static void test_a_chain_of_a_million_nodes_has_a_derivative(void** state) {
  (void)state;
  sample s = sample_new();
  ex e = s.x;
  const int n = 1000000;
  for (int i = 0; i < n; i++) e = td_ex_1(s.g, EX_SIN, e);
  assert_true(td_exprs_count(s.g) > n);

  // sin iterated: 1/y^2 grows by 1/3 each time, so y ~ sqrt(3/n) and dy/dx ~ (y/x)^3
  const double y = value_at(s.g, e, 1), dy = value_at(s.g, td_ex_diff(s.g, e, 0), 1);
  CHECK_NEAR(y / sqrt(3.0 / n), 1, 1e-4);
  assert_true(dy > 0.1 * y * y * y && dy < 10 * y * y * y);
  assert_false(td_exprs_failed(s.g));
  td_exprs_free(s.g);
}

static void test_substituting_is_evaluating_at_the_substitute(void** state) {
  (void)state;
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    sample s = sample_new();
    const ex e = td_ex_2(s.g, EX_ADD, sample_op(s.g, (ex_op)op, s.x, s.y, s.z), s.y);
    const int vars[2] = {0, 1};
    const ex with[2] = {td_ex_1(s.g, EX_EXP, s.z), s.x};
    const ex f = td_ex_substitute(s.g, e, vars, with, 2);
    const double v[3] = {0.3, 0.6, -0.4}, w[3] = {exp(-0.4), 0.3, -0.4};
    const double got = td_ex_eval(s.g, f, v), want = td_ex_eval(s.g, e, w);
    if (!(got == want || (isnan(got) && isnan(want)))) fail_msg("%s", op_names[op]);
    td_exprs_free(s.g);
  }
}

static void test_substituting_in_a_long_chain_needs_no_stack(void** state) {
  (void)state;
  sample s = sample_new();
  ex e = s.x;
  for (int i = 0; i < 100000; i++) e = td_ex_1(s.g, EX_SIN, e);
  const int var = 0;
  const ex one = td_ex_const(s.g, 1);
  const ex f = td_ex_substitute(s.g, e, &var, &one, 1);
  assert_true(td_ex_value(s.g, f) == value_at(s.g, e, 1));
  td_exprs_free(s.g);
}

static void test_substitutions_happen_at_once(void** state) {
  (void)state;
  sample s = sample_new();
  const int vars[2] = {0, 1};
  const ex with[2] = {s.y, s.x};
  const ex e = td_ex_2(s.g, EX_SUB, s.x, s.y);
  assert_int_equal(td_ex_substitute(s.g, e, vars, with, 2), td_ex_2(s.g, EX_SUB, s.y, s.x));
  assert_int_equal(td_ex_substitute(s.g, e, vars, with, 0), e);
  td_exprs_free(s.g);
}

// Along a direction: the sum of the partial derivatives times the rates, for many roots at once.
static void test_derivatives_along_a_direction_are_sums_of_partial_ones(void** state) {
  (void)state;
  td_exprs* g = td_exprs_new();
  const int var[2] = {td_exprs_var(g, "x", TD_ON_STATE), td_exprs_var(g, "y", TD_ON_RATE)};
  const ex x = td_ex_var(g, var[0]), y = td_ex_var(g, var[1]);
  const ex rate[2] = {td_ex_2(g, EX_MUL, x, y), td_ex_1(g, EX_COS, x)};
  const ex root[3] = {td_ex_1(g, EX_SIN, td_ex_2(g, EX_MUL, x, y)), td_ex_const(g, 3),
                      td_ex_2(g, EX_DIV, y, td_ex_1(g, EX_EXP, x))};
  const double at[2] = {0.7, -1.3};
  ex along[3];
  assert_true(td_ex_along(g, root, 3, var, rate, 2, along));
  for (int i = 0; i < 3; i++) {
    double sum = 0;
    for (int k = 0; k < 2; k++) {
      sum += td_ex_eval(g, td_ex_diff(g, root[i], var[k]), at) * td_ex_eval(g, rate[k], at);
    }
    CHECK_NEAR(td_ex_eval(g, along[i], at), sum, 1e-15);
  }
  const ex wrong[1] = {EX_NONE};
  assert_false(td_ex_along(g, wrong, 1, var, rate, 2, along));
  td_exprs_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_operation_has_exact_first_and_second_derivatives),
      cmocka_unit_test(test_every_operand_has_its_own_derivative),
      cmocka_unit_test(test_mod_with_a_moving_divisor_counts_its_multiples),
      cmocka_unit_test(test_the_power_rule_holds_for_negative_bases),
      cmocka_unit_test(test_corners_have_one_sided_derivatives),
      cmocka_unit_test(test_lengths_have_a_slope_at_zero),
      cmocka_unit_test(test_a_clamped_table_is_flat_outside_and_a_continued_one_is_not),
      cmocka_unit_test(test_differentiating_again_makes_no_nodes),
      cmocka_unit_test(test_shared_graphs_cost_their_nodes_not_their_paths),
      cmocka_unit_test(test_a_chain_of_a_million_nodes_has_a_derivative),
      cmocka_unit_test(test_substituting_is_evaluating_at_the_substitute),
      cmocka_unit_test(test_substituting_in_a_long_chain_needs_no_stack),
      cmocka_unit_test(test_substitutions_happen_at_once),
      cmocka_unit_test(test_derivatives_along_a_direction_are_sums_of_partial_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
