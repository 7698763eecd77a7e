// How smooth expressions are: corners and jumps of operations, of tables where their pieces meet
// and end, squares that take a corner away, and what only something else jumps in.
#include "check.h"
#include "expr/expr.h"

typedef struct scene {
  td_exprs* g;
  ex q, s, zero, one, two, three;
} scene;

static scene begin(void) {
  td_exprs* g = td_exprs_new();
  assert_non_null(g);
  return (scene){g,
                 td_ex_var(g, td_exprs_var(g, "q", TD_ON_STATE)),
                 td_ex_var(g, td_exprs_var(g, "s", TD_ON_ARC)),
                 td_ex_const(g, 0),
                 td_ex_const(g, 1),
                 td_ex_const(g, 2),
                 td_ex_const(g, 3)};
}
static int of(const scene* c, ex e) { return td_ex_smoothness(c->g, e, TD_ON_STATE); }

static void operations_have_corners_and_jumps(void** state) {
  (void)state;
  const scene c = begin();
  static const ex_op smooth[] = {EX_SIN, EX_EXP, EX_NEG, EX_SQRT, EX_TANH},
                     corner[] = {EX_ABS, EX_MAX, EX_MIN},
                     jump[] = {EX_SIGN, EX_FLOOR, EX_CEIL, EX_ROUND};
  for (int i = 0; i < 5; i++) assert_int_equal(of(&c, td_ex_1(c.g, smooth[i], c.q)), 3);
  for (int i = 0; i < 3; i++) {
    const ex e = td_ex_make(c.g, corner[i], c.q, corner[i] == EX_ABS ? EX_NONE : c.one, EX_NONE);
    assert_int_equal(of(&c, e), 0);
    // and so has what is made of it
    assert_int_equal(of(&c, td_ex_2(c.g, EX_ADD, c.q, td_ex_1(c.g, EX_SIN, e))), 0);
  }
  for (int i = 0; i < 4; i++) assert_int_equal(of(&c, td_ex_1(c.g, jump[i], c.q)), -1);
  assert_int_equal(of(&c, td_ex_2(c.g, EX_STEP, c.q, c.one)), -1);
  assert_int_equal(of(&c, td_ex_2(c.g, EX_MOD, c.q, c.one)), -1);
  const ex when = td_ex_2(c.g, EX_LT, c.q, c.one);
  assert_int_equal(of(&c, td_ex_make(c.g, EX_IFELSE, when, c.q, c.two)), -1);
  td_exprs_free(c.g);
}

static void what_jumps_along_something_else_does_not_count(void** state) {
  (void)state;
  const scene c = begin();
  const ex when = td_ex_2(c.g, EX_LT, c.s, c.one);
  const ex e = td_ex_2(c.g, EX_MUL, td_ex_make(c.g, EX_IFELSE, when, c.one, c.two), c.q);
  assert_int_equal(of(&c, e), 3);
  assert_int_equal(td_ex_smoothness(c.g, e, TD_ON_ARC), -1);
  assert_int_equal(of(&c, td_ex_1(c.g, EX_ABS, c.s)), 3);
  assert_int_equal(of(&c, c.one), 3);
  td_exprs_free(c.g);
}

static void powers_take_a_corner_at_zero_away(void** state) {
  (void)state;
  const scene c = begin();
  const ex ramp = td_ex_2(c.g, EX_MAX, c.q, c.zero), other = td_ex_2(c.g, EX_MAX, c.q, c.one);
  assert_int_equal(of(&c, td_ex_2(c.g, EX_MUL, ramp, ramp)), 1);
  assert_int_equal(of(&c, td_ex_2(c.g, EX_POW, ramp, c.three)), 2);
  assert_int_equal(of(&c, td_ex_2(c.g, EX_MUL, other, other)), 0);
  assert_int_equal(of(&c, td_ex_2(c.g, EX_POW, ramp, td_ex_const(c.g, 0.5))), 0);
  td_exprs_free(c.g);
}

static void tables_are_as_smooth_as_their_pieces_meet(void** state) {
  (void)state;
  const scene c = begin();
  const double x[] = {0, 1, 3};
  // lines that meet; a jump; x^2 and 1 + 2 (x - 1) + 0 (x - 1)^2; the same with the same curvature
  static const double pieces[4][2][3] = {{{0, 1, 0}, {1, 3, 0}},
                                         {{0, 1, 0}, {2, 1, 0}},
                                         {{0, 0, 1}, {1, 2, 0}},
                                         {{0, 0, 1}, {1, 2, 1}}};
  static const int want[4] = {0, -1, 1, 3};
  for (int i = 0; i < 4; i++) {
    const ex open = td_ex_table(c.g, x, 3, &pieces[i][0][0], 3, false, c.q),
             held = td_ex_table(c.g, x, 3, &pieces[i][0][0], 3, true, c.q);
    assert_int_equal(of(&c, open), want[i]);
    // where it holds its last value it has a corner
    assert_int_equal(of(&c, held), want[i] < 0 ? -1 : 0);
    assert_int_equal(of(&c, td_ex_open(c.g, held)), want[i]);
  }
  td_exprs_free(c.g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_have_corners_and_jumps),
      cmocka_unit_test(what_jumps_along_something_else_does_not_count),
      cmocka_unit_test(powers_take_a_corner_at_zero_away),
      cmocka_unit_test(tables_are_as_smooth_as_their_pieces_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
