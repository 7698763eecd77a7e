// Nodes: found again, folded, copied and looked into.
#include "samples.h"

static void test_folding_constants_is_evaluating(void** state) {
  (void)state;
  const double values[] = {-1.5, 0, 0.3, 2, INFINITY, NAN};
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    for (int k = 0; k < 216; k++) {
      sample s = sample_new();
      const double v[3] = {values[k % 6], values[k / 6 % 6], values[k / 36]};
      const ex with[3] = {sample_const(&s, v[0]), sample_const(&s, v[1]), sample_const(&s, v[2])};
      const ex folded = sample_op(s.g, (ex_op)op, with[0], with[1], with[2]);
      const double want = td_ex_eval(s.g, sample_op(s.g, (ex_op)op, s.x, s.y, s.z), v);
      const double got = td_ex_value(s.g, folded);
      assert_true(td_ex_is_const(s.g, folded));
      if (!(got == want || (isnan(got) && isnan(want)))) {
        fail_msg("%s(%g, %g, %g): %g, not %g", op_names[op], v[0], v[1], v[2], got, want);
      }
      td_exprs_free(s.g);
    }
  }
}

static void test_equal_expressions_are_one_node(void** state) {
  (void)state;
  sample s = sample_new();
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    const ex first = sample_op(s.g, (ex_op)op, s.x, s.y, s.z);
    const int count = td_exprs_count(s.g);
    assert_int_equal(sample_op(s.g, (ex_op)op, s.x, s.y, s.z), first);
    assert_int_equal(td_exprs_count(s.g), count);
    assert_int_equal(td_ex_op(s.g, first), op);
    assert_int_equal(td_ex_arg(s.g, first, 0), s.x);
    assert_int_equal(td_ex_arg(s.g, first, 3), EX_NONE);
  }
  assert_int_equal(td_exprs_ntable(s.g), 1);
  td_exprs_free(s.g);
}

static void test_commutative_operations_forget_the_order(void** state) {
  (void)state;
  sample s = sample_new();
  const ex_op ops[] = {EX_ADD, EX_MUL, EX_MIN, EX_MAX, EX_HYPOT, EX_EQ, EX_NE, EX_AND, EX_OR};
  const ex early = sample_const(&s, 3), late = td_ex_1(s.g, EX_SIN, s.x);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    assert_int_equal(td_ex_2(s.g, ops[i], s.x, s.y), td_ex_2(s.g, ops[i], s.y, s.x));
    assert_int_equal(td_ex_2(s.g, ops[i], early, s.x), td_ex_2(s.g, ops[i], s.x, early));
    const ex c = sample_const(&s, 7.5);
    assert_int_equal(td_ex_2(s.g, ops[i], late, c), td_ex_2(s.g, ops[i], c, late));
  }
  td_exprs_free(s.g);
}

static void test_algebra_that_is_exact_is_applied(void** state) {
  (void)state;
  sample s = sample_new();
  td_exprs* g = s.g;
  const ex x = s.x, y = s.y, zero = td_ex_const(g, 0), one = td_ex_const(g, 1);
  const ex two = td_ex_const(g, 2), minus = td_ex_const(g, -1), nx = td_ex_1(g, EX_NEG, x);
  const ex ny = td_ex_1(g, EX_NEG, y), xy = td_ex_2(g, EX_MUL, x, y);
  const struct {
    ex got, want;
  } rules[] = {
      {td_ex_2(g, EX_ADD, x, zero), x},
      {td_ex_2(g, EX_SUB, x, zero), x},
      {td_ex_2(g, EX_SUB, zero, x), nx},
      {td_ex_2(g, EX_SUB, x, x), zero},
      {td_ex_2(g, EX_ADD, x, x), td_ex_2(g, EX_MUL, two, x)},
      {td_ex_2(g, EX_MUL, zero, x), zero},
      {td_ex_2(g, EX_MUL, x, one), x},
      {td_ex_2(g, EX_MUL, x, minus), nx},
      {td_ex_2(g, EX_DIV, zero, x), zero},
      {td_ex_2(g, EX_DIV, x, one), x},
      {td_ex_2(g, EX_DIV, x, minus), nx},
      {td_ex_2(g, EX_DIV, x, td_ex_const(g, 4)), td_ex_2(g, EX_MUL, td_ex_const(g, 0.25), x)},
      {td_ex_2(g, EX_POW, x, zero), one},
      {td_ex_2(g, EX_POW, x, one), x},
      {td_ex_2(g, EX_POW, x, two), td_ex_2(g, EX_MUL, x, x)},
      {td_ex_2(g, EX_POW, x, td_ex_const(g, 0.5)), td_ex_1(g, EX_SQRT, x)},
      {td_ex_2(g, EX_POW, x, minus), td_ex_2(g, EX_DIV, one, x)},
      {td_ex_1(g, EX_NEG, nx), x},
      {td_ex_2(g, EX_ADD, x, ny), td_ex_2(g, EX_SUB, x, y)},
      {td_ex_2(g, EX_SUB, x, ny), td_ex_2(g, EX_ADD, x, y)},
      {td_ex_2(g, EX_MUL, nx, ny), xy},
      {td_ex_2(g, EX_DIV, nx, ny), td_ex_2(g, EX_DIV, x, y)},
      {td_ex_2(g, EX_SUB, x, td_ex_const(g, -2)), td_ex_2(g, EX_ADD, x, two)},
      {td_ex_1(g, EX_NEG, td_ex_2(g, EX_SUB, x, y)), td_ex_2(g, EX_SUB, y, x)},
      {td_ex_2(g, EX_MUL, two, td_ex_2(g, EX_MUL, td_ex_const(g, 3), x)),
       td_ex_2(g, EX_MUL, td_ex_const(g, 6), x)},
      {td_ex_1(g, EX_SIN, nx), td_ex_1(g, EX_NEG, td_ex_1(g, EX_SIN, x))},
      {td_ex_1(g, EX_COS, nx), td_ex_1(g, EX_COS, x)},
      {td_ex_2(g, EX_MIN, x, x), x},
      {td_ex_2(g, EX_MOD, x, zero), x},
      {td_ex_2(g, EX_HYPOT, x, zero), td_ex_1(g, EX_ABS, x)},
      {td_ex_make(g, EX_IFELSE, one, x, y), x},
      {td_ex_make(g, EX_IFELSE, x, y, y), y},
      {td_ex_2(g, EX_AND, zero, x), zero},
      {td_ex_2(g, EX_OR, one, x), one},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (rules[i].got != rules[i].want) fail_msg("rule %zu", i);
  }
  td_exprs_free(g);
}

static void test_dividing_by_a_constant_stays_a_division(void** state) {
  (void)state;
  sample s = sample_new();
  const ex third = td_ex_2(s.g, EX_DIV, s.x, sample_const(&s, 3));
  assert_int_equal(td_ex_op(s.g, third), EX_DIV);
  const double at[3] = {0.7, 0, 0};
  assert_true(td_ex_eval(s.g, third, at) == 0.7 / 3);
  td_exprs_free(s.g);
}

// Folded and unfolded operations agree on operands with every sign, to the bit
static void test_signs_may_move_because_the_value_stays(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    for (int k = 0; k < 64; k++) {
      sample s = sample_new();
      const double v[3] = {check_random(&seed), check_random(&seed), check_random(&seed)};
      const ex var[3] = {s.x, s.y, s.z};
      ex arg[3];
      double w[3];
      for (int i = 0; i < 3; i++) {
        const double c = (k >> i & 1) ? -2.5 : -1;
        arg[i] = (k >> (i + 3) & 1) ? var[i] : td_ex_2(s.g, EX_MUL, sample_const(&s, c), var[i]);
        w[i] = td_ex_eval(s.g, arg[i], v);
      }
      const double got = td_ex_eval(s.g, sample_op(s.g, (ex_op)op, arg[0], arg[1], arg[2]), v);
      const double want = td_ex_eval(s.g, sample_op(s.g, (ex_op)op, s.x, s.y, s.z), w);
      if (!(got == want || (isnan(got) && isnan(want)))) fail_msg("%s, case %d", op_names[op], k);
      td_exprs_free(s.g);
    }
  }
}

static void test_a_node_knows_what_it_depends_on(void** state) {
  (void)state;
  sample s = sample_new();
  const ex e = td_ex_2(s.g, EX_ADD, td_ex_1(s.g, EX_SIN, s.z), s.x);
  assert_int_equal(td_ex_depends(s.g, e), TD_ON_STATE | TD_ON_RATE);
  assert_true(td_ex_has_var(s.g, e, 0));
  assert_false(td_ex_has_var(s.g, e, 1));
  assert_true(td_ex_has_var(s.g, e, 2));
  int vars[2] = {-1, -1};
  assert_int_equal(td_ex_vars(s.g, e, vars, 2), 2);
  assert_int_equal(vars[0], 0);
  assert_int_equal(vars[1], 2);
  assert_int_equal(td_ex_vars(s.g, e, NULL, 0), 2);
  assert_string_equal(td_exprs_var_name(s.g, 2), "z");
  assert_int_equal(td_exprs_var_kind(s.g, 2), TD_ON_RATE);
  td_exprs_free(s.g);
}

static void test_handles_stay_valid_in_a_copy(void** state) {
  (void)state;
  sample s = sample_new();
  const double v[3] = {0.3, 0.6, -0.2};
  ex e[EX_OP_COUNT];
  double want[EX_OP_COUNT];
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    e[op] = sample_op(s.g, (ex_op)op, s.x, s.y, s.z);
    want[op] = td_ex_eval(s.g, e[op], v);
  }
  td_exprs* copy = td_exprs_copy(s.g);
  td_exprs_free(s.g);
  for (int op = EX_NEG; op < EX_OP_COUNT; op++) {
    const double got = td_ex_eval(copy, e[op], v);
    assert_true(got == want[op] || (isnan(got) && isnan(want[op])));
    assert_int_equal(sample_op(copy, (ex_op)op, s.x, s.y, s.z), e[op]);
  }
  td_exprs_free(copy);
}

static void test_no_operand_gives_no_node(void** state) {
  (void)state;
  sample s = sample_new();
  for (int op = 0; op <= EX_OP_COUNT; op++) {
    assert_int_equal(td_ex_make(s.g, (ex_op)op, EX_NONE, s.x, s.y), EX_NONE);
  }
  assert_int_equal(td_ex_2(s.g, EX_ADD, s.x, 1000), EX_NONE);
  assert_int_equal(td_ex_var(s.g, 3), EX_NONE);
  assert_int_equal(td_ex_diff(s.g, EX_NONE, 0), EX_NONE);
  assert_true(isnan(td_ex_eval(s.g, EX_NONE, NULL)));
  assert_false(td_exprs_failed(s.g));
  td_exprs_free(s.g);
  td_exprs_free(NULL);
}

static void test_bad_tables_are_refused(void** state) {
  (void)state;
  sample s = sample_new();
  const double down[2] = {1, 0}, same[2] = {1, 1}, endless[2] = {0, INFINITY}, coef[2] = {1, 2};
  assert_int_equal(td_ex_table(s.g, down, 2, coef, 1, true, s.x), EX_NONE);
  assert_int_equal(td_ex_table(s.g, same, 2, coef, 1, true, s.x), EX_NONE);
  assert_int_equal(td_ex_table(s.g, endless, 2, coef, 1, true, s.x), EX_NONE);
  assert_int_equal(td_ex_table(s.g, coef, 1, coef, 1, true, s.x), EX_NONE);
  assert_int_equal(td_ex_table(s.g, coef, 2, coef, 0, true, s.x), EX_NONE);
  td_exprs_free(s.g);
}

static double table_at(bool clamp, double x) {
  const double knots[3] = {0, 1, 3}, coef[4] = {1, 2, 3, -1};
  td_exprs* g = td_exprs_new();
  const double y = td_ex_value(g, td_ex_table(g, knots, 3, coef, 2, clamp, td_ex_const(g, x)));
  td_exprs_free(g);
  return y;
}

static void test_a_table_is_its_pieces_and_clamps_or_continues(void** state) {
  (void)state;
  for (int clamp = 0; clamp < 2; clamp++) {
    assert_true(table_at(clamp, 0) == 1);
    assert_true(table_at(clamp, 0.5) == 2);
    assert_true(table_at(clamp, 1) == 3);
    assert_true(table_at(clamp, 3) == 1);
    assert_true(isnan(table_at(clamp, NAN)));
  }
  assert_true(table_at(false, -1) == -1 && table_at(true, -1) == 1);
  assert_true(table_at(false, 5) == -1 && table_at(true, 5) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_folding_constants_is_evaluating),
      cmocka_unit_test(test_equal_expressions_are_one_node),
      cmocka_unit_test(test_commutative_operations_forget_the_order),
      cmocka_unit_test(test_algebra_that_is_exact_is_applied),
      cmocka_unit_test(test_dividing_by_a_constant_stays_a_division),
      cmocka_unit_test(test_signs_may_move_because_the_value_stays),
      cmocka_unit_test(test_a_node_knows_what_it_depends_on),
      cmocka_unit_test(test_handles_stay_valid_in_a_copy),
      cmocka_unit_test(test_no_operand_gives_no_node),
      cmocka_unit_test(test_bad_tables_are_refused),
      cmocka_unit_test(test_a_table_is_its_pieces_and_clamps_or_continues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
