// The model's arrays grow by zeroed elements that keep their values, and names are found again.
#include "model/arrays.h"

#include "compiled.h"

static void test_elements_are_zero_at_first_and_keep_what_they_get(void** state) {
  (void)state;
  td_model* m = calloc(1, sizeof *m);
  for (int i = 0; i < 1000; i++) {
    model_lump* lump = td_push_lump(m, 1 + i % 3);
    assert_non_null(lump);
    assert_int_equal(lump->station, 0);
    for (int k = 0; k <= i % 3; k++) lump[k].station = i + 1;
  }
  assert_int_equal(m->nlump, 334 + 2 * 333 + 3 * 333);
  td_trim(m);
  for (int i = 0, at = 0; i < 1000; i++)
    for (int k = 0; k <= i % 3; k++) assert_int_equal(m->lump[at++].station, i + 1);
  m->nlump = 0;  // what was there before is cleared
  assert_int_equal(td_push_lump(m, 2)[1].station, 0);
  const int first = td_push_name(m, "%s[%d]", "arm", 3), second = td_push_name(m, "leg");
  assert_string_equal(model_name(m, first), "arm[3]");
  assert_string_equal(model_name(m, second), "leg");
  td_model_free(m);
}

static void test_names_are_found_and_others_are_not(void** state) {
  (void)state;
  const compiled c = compile_text(
      "F = input('F', 0); k = param('k', 2); body(1).m = k; body(1).I = eye(3);\n"
      "joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).dof(1).input = F;");
  assert_int_equal(td_model_input_find(c.m, "F"), 0);
  assert_string_equal(td_model_param_name(c.m, td_model_param_find(c.m, "k")), "k");
  assert_int_equal(td_model_param_find(c.m, "F"), -1);
  assert_null(td_model_q_name(c.m, 1));
  assert_null(td_model_v_name(c.m, -1));
  assert_null(td_model_input_name(NULL, 0));
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elements_are_zero_at_first_and_keep_what_they_get),
      cmocka_unit_test(test_names_are_found_and_others_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
