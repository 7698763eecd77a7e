// The spec: parameters, inputs and sensors are registered once, overrides apply, values are read.
#include "compiled.h"

static void test_a_name_is_one_parameter_and_an_override_replaces_its_default(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  assert_int_equal(td_spec_override(spec, "k", "7"), TD_OK);
  const td_span none = td_span_none();
  const int var = td_spec_param(spec, "k", 2, NULL, NULL, none)->var;
  assert_int_equal(td_spec_param(spec, "k", 2, NULL, NULL, none)->var, var);
  assert_int_equal(spec->nparam, 1);
  CHECK_NEAR(td_spec_param_find(spec, "k")->value, 7, 0);
  assert_null(td_spec_param_find(spec, "m"));
  const td_sensor_ref ref = {.kind = SENSOR_POS, .root = 'b', .index = 1, .component = 2};
  assert_int_equal(td_spec_sensor(spec, &ref, none), td_spec_sensor(spec, &ref, none));
  assert_int_equal(spec->nsensor, 1);
  td_spec_free(spec);
}

static void test_expressions_of_parameters_and_arc_length_are_evaluated(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  td_exprs* g = spec->graph;
  spec_param* k = td_spec_param(spec, "k", 2, NULL, NULL, td_span_none());
  const ex p = td_ex_var(g, k->var), s = td_ex_var(g, spec->arc_var),
           t = td_ex_var(g, spec->time_var);
  double x = 0;
  assert_true(td_spec_evaluate(spec, td_ex_2(g, EX_MUL, p, s), 0.25, &x));
  CHECK_NEAR(x, 0.5, 0);
  assert_false(td_spec_evaluate(spec, s, NAN, &x));
  assert_false(td_spec_evaluate(spec, t, 0.25, &x));
  assert_false(k->structural);
  CHECK_NEAR(td_spec_settle(spec, td_ex_2(g, EX_ADD, p, p)), 4, 0);
  assert_true(k->structural);  // its value has shaped the model
  td_spec_free(spec);
}

static void test_fields_are_read_with_their_places(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 3; body(1).I = eye(3); body(1).name = 'arm'; joint(1).second = 1;\n"
      "joint(1).type = 'free'; joint(1).axis = [];");
  const value *body = td_get(c.spec->root, 0, "body"), *joint = td_get(c.spec->root, 0, "joint");
  CHECK_NEAR(td_get(body, 0, "m")->x[0], 3, 0);
  assert_string_equal(td_get_word(body, 0, "name", ""), "arm");
  assert_string_equal(td_get_word(body, 0, "m", "none"), "none");
  assert_null(td_get(joint, 0, "axis"));  // an empty value is as good as none
  assert_null(td_get(body, 1, "m"));
  assert_int_equal(td_get_at(body, 0, "m").begin, 12);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_name_is_one_parameter_and_an_override_replaces_its_default),
      cmocka_unit_test(test_expressions_of_parameters_and_arc_length_are_evaluated),
      cmocka_unit_test(test_fields_are_read_with_their_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
