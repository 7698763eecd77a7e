// Bodies: masses where they are written, and each element of a body that repeats.
#include "compiled.h"

static void test_masses_and_their_centres_are_those_of_the_text(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 2.5; body(1).I = diag([1 2 3])/12; body(1).l_com = [0.1 0.2 -0.5]; "
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf];");
  const model_body* b = &c.m->body[0];
  CHECK_NEAR(fixed_number(c.m, b->m), 2.5, 0);
  CHECK_NEAR(fixed_number(c.m, b->com + 2), -0.5, 0);
  for (int i = 0; i < 3; i++) CHECK_NEAR(fixed_number(c.m, b->I + 4 * i), (i + 1) / 12.0, 1e-16);
  compiled_free(c);
}

static void test_elements_of_a_joint_are_bodies_one_behind_the_other(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 1; body(1).I = eye(3); joint(1).first = [1 0 1 2]; joint(1).second = [1 1 2 "
      "3];\n"
      "joint(1).tr(1).rot = [2 inf];");
  assert_int_equal(c.m->nbody, 3);
  assert_int_equal(c.m->nvel, 3);
  for (int i = 1; i < 3; i++)
    assert_int_equal(c.m->hop[c.m->station[c.m->body[i].station].hop].parent,
                     c.m->station[c.m->body[i - 1].station].hop);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_masses_and_their_centres_are_those_of_the_text),
      cmocka_unit_test(test_elements_of_a_joint_are_bodies_one_behind_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
