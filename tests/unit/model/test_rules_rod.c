// Rules of rods: a section and a material that give a stiffness and a mass, and fields without
// effect; the message and the place of each.
#include "compiled.h"

#define ROD "rod(1).length = 0.5; rod(1).rho = 1000;\n"

static void test_a_section_and_a_material_are_complete(void** state) {
  (void)state;
  static const said list[] = {
      {ROD "rod(1).E = 1e6;", 1, 1, "rod(1).radius is missing: a circle section has it"},
      {ROD "rod(1).E = 1e6; rod(1).section = 'rectangle'; rod(1).width = 0.01;", 2, 34,
       "rod(1).height is missing: a rectangle section has it"},
      {ROD "rod(1).radius = 0.01;", 1, 1, "rod(1).E is missing"},
      {"rod(1).length = 0.5; rod(1).E = 1e6; rod(1).radius = 0.01;", 1, 1, "rod(1).rho is missing"},
      {"rod(1).rho = 1; rod(1).E = 1e6; rod(1).radius = 0.01;", 1, 1, "rod(1).length is missing"},
      {ROD "rod(1).E = 1e6; rod(1).section = 'ring'; rod(1).radius = [0.01 0.02];", 2, 58,
       "the inner radius must be below the outer one, got [0.01 0.02] m"},
      {ROD "rod(1).E = 1e6; rod(1).radius = [0.02 0.01];", 2, 33, "must be a single number"},
  };
  EXPECT_MESSAGES(list);
}

static void test_fields_without_effect_are_told(void** state) {
  (void)state;
  static const said list[] = {
      {ROD "rod(1).E = 1e6; rod(1).radius = 0.01; rod(1).width = 0.01;", 2, 54,
       "rod(1).width has no effect: the section is a circle"},
      {ROD "rod(1).radius = 0.01; rod(1).stiffness = [1 1 1 1 1 1]; rod(1).E = 1e6;", 2, 68,
       "rod(1).E has no effect: stiffness is given"},
      {ROD "rod(1).E = 1e6; rod(1).radius = 0.01; rod(1).model = 'srl'; rod(1).order = 2;", 2, 76,
       "only the model 'gvs' has functions of strain"},
  };
  EXPECT_MESSAGES(list);
}

static void test_lengths_agree_and_are_those_of_a_slender_body(void** state) {
  (void)state;
  static const said list[] = {
      {ROD "rod(1).E = 1e6; rod(1).radius = 0.01; rod(1).part(1).length = 0.1; "
           "rod(1).part(2).length = 0.3;",
       1, 17, "must be the sum of its parts, 0.4 m, got 0.5 m"},
      {ROD "rod(1).E = 1e6; rod(1).radius = 10;", 2, 33, "20 m across and 0.5 m long is no rod"},
      {ROD "rod(1).E = 1e6; rod(1).radius = 0.01; rod(1).inertia = [1 2 1 0 0 0];", 2, 56,
       "the first three numbers are the mass per length and must be equal, got 1, 2 and 1"},
      {ROD "rod(1).E = 1e6; rod(1).radius = 0.01; rod(1).shape = [0 0 -1 0 0 0];", 2, 54,
       "the stretch, must be above -1"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_section_and_a_material_are_complete),
      cmocka_unit_test(test_fields_without_effect_are_told),
      cmocka_unit_test(test_lengths_agree_and_are_those_of_a_slender_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
