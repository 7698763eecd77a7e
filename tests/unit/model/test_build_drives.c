// Inputs that tasks and controllers set: by their names, each with its limits, or all there are.
#include "compiled.h"

#define ARM                                                                                       \
  "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).tr(1).rot = [2 " \
  "inf]; end\n"                                                                                   \
  "joint(2).first = 1; T1 = input('T1', 0); T2 = input('T2', 0); joint(1).dof(1).input = T1; "    \
  "joint(2).dof(1).input = T2;\n"
#define TASK                                                                           \
  ARM "task(1).value = [dof(joint(1), 1) dof(joint(2), 1)]; task(1).desired = [0 0]; " \
      "task(1).P = 1;\n"

static void test_each_input_has_its_row_of_limits(void** state) {
  (void)state;
  const compiled c =
      compile_text(TASK "task(1).inputs = {'T2', 'T1'}; task(1).limits = [-1 2; -3 4];");
  static const double low[2] = {-1, -3}, high[2] = {2, 4};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(c.m->task_input[i].input, 1 - i);
    CHECK_NEAR(fixed_number(c.m, c.m->task_input[i].low), low[i], 0);
    CHECK_NEAR(fixed_number(c.m, c.m->task_input[i].high), high[i], 0);
  }
  compiled_free(c);
}

static void test_without_names_all_inputs_are_used_without_limits(void** state) {
  (void)state;
  const compiled c = compile_text(TASK);
  assert_int_equal(c.m->ntask_input, 2);
  for (int i = 0; i < 2; i++)
    assert_true(fixed_number(c.m, c.m->task_input[i].low) == -INFINITY &&
                fixed_number(c.m, c.m->task_input[i].high) == INFINITY);
  compiled_free(c);
}

static void test_wrong_inputs_and_limits_are_refused_at_their_place(void** state) {
  (void)state;
  static const said list[] = {
      {TASK "task(1).inputs = {'T1', 'T3'};", 4, 25, "task(1).inputs: the model has no input 'T3'"},
      {TASK "task(1).limits = [5 -5];", 4, 18, "the lowest value 5 is above the highest -5"},
      {TASK "task(1).limits = [0 1; 0 1; 0 1];", 4, 18,
       "one row or one for each of its 2 inputs, got 3"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_input_has_its_row_of_limits),
      cmocka_unit_test(test_without_names_all_inputs_are_used_without_limits),
      cmocka_unit_test(test_wrong_inputs_and_limits_are_refused_at_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
