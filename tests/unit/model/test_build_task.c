// Tasks and controllers: their values, the inputs they set, and what is refused.
#include "compiled.h"

#define ARM                                                                                       \
  "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).tr(1).rot = [2 " \
  "inf]; end\n"                                                                                   \
  "joint(2).first = 1; T1 = input('T1', 0); T2 = input('T2', 0); joint(1).dof(1).input = T1; "    \
  "joint(2).dof(1).input = T2;\n"

static void test_a_task_has_its_values_and_sets_its_inputs(void** state) {
  (void)state;
  const compiled c = compile_text(ARM
                                  "p = pos(body(2), [0 0 -0.4]); task(1).value = [p(1) p(3)]; "
                                  "task(1).desired = [0.1 -0.5]; task(1).P = 100; task(1).D = 20;\n"
                                  "task(1).inputs = {'T1', 'T2'}; task(1).limits = [-5 5];");
  assert_int_equal(c.m->ntask, 1);
  assert_int_equal(c.m->ntask_value, 2);
  assert_int_equal(c.m->ntask_input, 2);
  for (int i = 0; i < 2; i++) {
    assert_true(model_sets_input(c.m, i));
    CHECK_NEAR(fixed_number(c.m, c.m->task_input[i].low), -5, 0);
    CHECK_NEAR(fixed_number(c.m, c.m->task_input[i].high), 5, 0);
  }
  compiled_free(c);
}

static void test_a_law_sets_its_input_and_leaves_the_others(void** state) {
  (void)state;
  const compiled c =
      compile_text(ARM "control(1).inputs = 'T2'; control(1).law = -40*dof(joint(2), 1);");
  assert_int_equal(c.m->nloop, 1);
  assert_int_equal(c.m->loop[0].kind, LOOP_LAW);
  for (int i = 0; i < c.m->ninput; i++)
    assert_int_equal(model_sets_input(c.m, i),
                     strcmp(model_name(c.m, c.m->input[i].name), "T2") == 0);
  compiled_free(c);
}

static void test_one_input_is_set_by_one_of_them(void** state) {
  (void)state;
  compiled_free(refuse_text(
      ARM
      "control(1).inputs = 'T1'; control(1).law = 0; control(2).inputs = 'T1'; control(2).law = 1;",
      "T1"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_task_has_its_values_and_sets_its_inputs),
      cmocka_unit_test(test_a_law_sets_its_input_and_leaves_the_others),
      cmocka_unit_test(test_one_input_is_set_by_one_of_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
