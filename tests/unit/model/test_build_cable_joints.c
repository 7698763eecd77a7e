// Cables from one rod to the next: over a joint, over nothing, over a gap.
#include "compiled.h"

static compiled arm(const char* between) {
  char text[700];
  snprintf(text, sizeof text,
           "for k = 1:2, rod(k).length = 0.3; rod(k).radius = 0.015; rod(k).E = 1e6; rod(k).rho = "
           "1000; end\n"
           "rod(2).first = at(rod(1), 0.3); %s\n"
           "cable(1).rod = [1 2]; cable(1).path = [0.01 0]; cable(1).tension = 1;",
           between);
  return compile_text(text);
}
static int joints_passed(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->ncrossing; i++) n += m->crossing[i].joint > 0;
  return n;
}

static void test_rods_one_behind_the_other_need_nothing_between(void** state) {
  (void)state;
  const compiled c = arm("");
  assert_int_equal(joints_passed(c.m), 0);
  assert_int_equal(c.m->nspan, 0);
  compiled_free(c);
}
static void test_a_joint_between_rods_is_passed(void** state) {
  (void)state;
  const compiled c = arm("rod(2).joint.type = 'revolute'; rod(2).joint.axis = [0 1 0];");
  assert_int_equal(joints_passed(c.m), 1);
  assert_int_equal(c.m->nspan, 0);
  compiled_free(c);
}
static void test_rods_apart_have_a_chord_between(void** state) {
  (void)state;
  const compiled c = arm("rod(2).tr(1).trans = [0 0 0.05];");
  assert_int_equal(c.m->nspan, 1);
  assert_true(c.m->span[0].joins);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rods_one_behind_the_other_need_nothing_between),
      cmocka_unit_test(test_a_joint_between_rods_is_passed),
      cmocka_unit_test(test_rods_apart_have_a_chord_between),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
