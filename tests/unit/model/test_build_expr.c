// Expressions: each number in the tape that has what it depends on, with the derivatives that are
// asked for.
#include "compiled.h"

#define BODY \
  "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; "

static bool in(const num* list, int n, num slot) {
  for (int i = 0; i < n; i++)
    if (list[i] == slot) return true;
  return false;
}

static void test_numbers_go_to_the_tape_of_what_they_depend_on(void** state) {
  (void)state;
  const compiled plain = compile_text(BODY "joint(1).dof(1).spring.coeff = 3;"),
                 param = compile_text(BODY "k = param('k', 3); joint(1).dof(1).spring.coeff = k;"),
                 timed = compile_text(BODY "joint(1).dof(1).spring.coeff = 3 + sin(t);"),
                 input = compile_text(BODY "u = input('u', 3); joint(1).dof(1).spring.coeff = u;");
  assert_true(plain.m->constant[plain.m->spring[0].law.k]);
  assert_true(in(param.m->param_slot, param.m->nparam_slot, param.m->spring[0].law.k));
  assert_true(in(timed.m->live_slot, timed.m->nlive_slot, timed.m->spring[0].law.k));
  assert_true(in(input.m->live_slot, input.m->nlive_slot, input.m->spring[0].law.k));
  compiled_free(plain), compiled_free(param), compiled_free(timed), compiled_free(input);
}

static void test_derivatives_by_inputs_and_sensors_are_there(void** state) {
  (void)state;
  const compiled c = compile_text(
      BODY
      "k = param('k', 3); u = input('u', 0);\n"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).input = u - 2*ddof(joint(1), 1);");
  const num force = c.m->spring[0].law.input;
  assert_int_equal(c.m->nlive_input, 1);
  assert_int_equal(c.m->live_input[0].target, force);
  assert_int_equal(c.m->nlive_probe, 1);
  assert_int_equal(c.m->live_probe[0].target, force);
  compiled_free(c);
}

static void test_a_parameter_of_geometry_shapes_the_model(void** state) {
  (void)state;
  const compiled c = compile_text(
      "L = param('L', 1); k = param('k', 3); body(1).m = 1; body(1).I = eye(3); body(1).l_com = [0 "
      "0 -L];\n"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).spring.coeff = k;");
  assert_int_equal(c.m->nparam, 2);
  for (int i = 0; i < 2; i++)
    assert_int_equal(c.m->param[i].shapes, strcmp(model_name(c.m, c.m->param[i].name), "L") == 0);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_go_to_the_tape_of_what_they_depend_on),
      cmocka_unit_test(test_derivatives_by_inputs_and_sensors_are_there),
      cmocka_unit_test(test_a_parameter_of_geometry_shapes_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
