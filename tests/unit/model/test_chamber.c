// Chambers: pressure p over the area A at [x y] pushes with p A along the rod and bends it with
// p A [y -x], between its ends alone.
#include "compiled.h"

#define ROD                                                                                       \
  "rod(1).length = 0.4; rod(1).radius = 0.02; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = " \
  "'srl'; rod(1).n = 4;\n"

static void test_pressure_pushes_and_bends_where_the_chamber_is(void** state) {
  (void)state;
  const compiled c = compile_text(
      ROD
      "chamber(1).offset = [0.003 -0.005]; chamber(1).area = 2e-5; chamber(1).pressure = 1e4; "
      "chamber(1).from = 0.1; chamber(1).to = 0.25;");
  const double force = 1e4 * 2e-5, share[4] = {0, 1, 0.5, 0};  // of segments of 0.1 m
  for (int i = 0; i < c.m->nstrain; i++) {
    const num input = c.m->strain[i].section + SECTION_INPUT;
    const double f = force * share[(int)(c.m->strain[i].arc / 0.1)];
    const double want[6] = {0, 0, f, -0.005 * f, -0.003 * f, 0};
    for (int d = 0; d < 6; d++) CHECK_NEAR(fixed_number(c.m, input + d), want[d], 1e-15);
  }
  compiled_free(c);
}

static void test_a_chamber_is_inside_its_rod(void** state) {
  (void)state;
  static const said list[] = {
      {ROD "chamber(1).area = 1e-5; chamber(1).pressure = 1; chamber(1).to = 0.5;", 2, 66,
       "chamber(1).to: rod(1) is 0.4 m long, got 0.5 m"},
      {ROD "chamber(1).area = 1e-5; chamber(1).pressure = 1; chamber(1).rod = 2;", 2, 67,
       "chamber(1).rod is rod(2), but the model has 1 rod"},
      {ROD "chamber(1).area = 1e-5; chamber(1).pressure = 1; chamber(1).offset = [0.03 0];", 2, 70,
       "[0.03 0] m is outside the section of rod(1)"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pressure_pushes_and_bends_where_the_chamber_is),
      cmocka_unit_test(test_a_chamber_is_inside_its_rod),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
