// Internal states: an initial value, a rate and a unit for each, in the order of their declaration.
#include "compiled.h"

#define BODY \
  "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; "

static void test_rates_follow_their_states_in_any_order(void** state) {
  (void)state;
  const compiled c =
      compile_text(BODY
                   "a = internal('a', 2); b = internal('b', 3);\n"
                   "dynamics(1).of = 'b'; dynamics(1).rate = 5; dynamics(1).unit = 'kg';\n"
                   "dynamics(2).of = 'a'; dynamics(2).rate = 7; joint(1).dof(1).input = a + b;");
  assert_int_equal(c.m->ninternal, 2);
  assert_string_equal(model_name(c.m, c.m->internal[0].name), "a");
  assert_string_equal(model_name(c.m, c.m->internal[0].unit), "");
  assert_string_equal(model_name(c.m, c.m->internal[1].unit), "kg");
  CHECK_NEAR(fixed_number(c.m, c.m->internal[0].init), 2, 0);
  CHECK_NEAR(fixed_number(c.m, c.m->internal[1].init), 3, 0);
  CHECK_NEAR(fixed_number(c.m, c.m->internal_rate), 7, 0);
  CHECK_NEAR(fixed_number(c.m, c.m->internal_rate + 1), 5, 0);
  compiled_free(c);
}

static void test_a_state_without_a_rate_is_refused(void** state) {
  (void)state;
  compiled_free(refuse_text(BODY "a = internal('a', 2); joint(1).dof(1).input = a;",
                            "the internal state 'a' has no rate"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_follow_their_states_in_any_order),
      cmocka_unit_test(test_a_state_without_a_rate_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
