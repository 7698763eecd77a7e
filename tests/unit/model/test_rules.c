// Rules that several structures share: the message and the place of each.
#include "compiled.h"

#define BODY "body(1).m = 1; joint(1).second = 1; joint(1).type = 'free';\n"
#define ROD "rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"

static void test_inertias_are_those_of_positive_masses(void** state) {
  (void)state;
  static const said list[] = {
      {BODY "body(1).I = [1 0.1 0; 0 1 0; 0 0 1];", 2, 13, "body(1).I must be symmetric"},
      {BODY "body(1).I = diag([1 1 -1]);", 2, 13, "negative principal moment, got -1 kg m^2"},
      {BODY "body(1).I = diag([1 2 4]);", 2, 13, "larger than the sum of the other two"},
      {BODY "body(1).I = diag([0 0 1]);", 2, 13, "a moment about one axis only"},
  };
  EXPECT_MESSAGES(list);
  compiled_free(compile_text(BODY "body(1).I = diag([1 2 3]);"));  // of a flat body
}

static void test_rotations_and_directions_have_an_axis(void** state) {
  (void)state;
  static const said list[] = {
      {BODY "joint(1).tr(1).rot = [4 1];", 2, 22, "must be 1 (x), 2 (y) or 3 (z), got 4"},
      {BODY "joint(1).tr(1).rot = [1 0 0 0];", 2, 22, "turns by 1 rad about a zero axis"},
      {BODY "joint(1).tr(1).rot = [1 inf inf inf];", 2, 22, "an angle and an axis, where no DOF"},
      {BODY "joint(1).type = 'revolute'; joint(1).axis = [0 0 0];", 2, 45, "it is a direction"},
      {BODY "joint(1).type = 'universal'; joint(1).axis = [1 0 0; 2 0 0];", 2, 46,
       "the two axes must not be parallel"},
      {BODY "joint(2).second = 1; joint(2).fixed = 1; joint(2).tr2nd.rot = [0 0 0 0];", 2, 63,
       "must not be the zero quaternion"},
  };
  EXPECT_MESSAGES(list);
}

static void test_matrices_of_sections_and_weights_are_judged(void** state) {
  (void)state;
  static const said list[] = {
      {ROD "rod(1).damping = [1 1 1 1 -2 1];", 2, 18, "rod(1).damping(5) must not be negative"},
      {ROD "rod(1).damping = diag([1 1 1 1 1 -3]);", 2, 18, "negative eigenvalue, got -3"},
      {ROD "rod(1).model = 'rom'; rod(1).points = [0.2 0.8; 0.5 0.6];", 2, 39,
       "must sum to 1, the length of [0,1], got 1.1"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inertias_are_those_of_positive_masses),
      cmocka_unit_test(test_rotations_and_directions_have_an_axis),
      cmocka_unit_test(test_matrices_of_sections_and_weights_are_judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
