// The path of a cable in a section with its derivatives along the rod, and where it begins and
// ends.
#include "compiled.h"
#include "elem/cable.h"

static void test_a_path_has_its_derivatives_along_the_rod(void** state) {
  (void)state;
  const compiled c = compile_text(
      "rod(1).length = 0.4; rod(1).radius = 0.02; rod(1).E = 1e6; rod(1).rho = 1000; "
      "rod(1).model = 'srl'; rod(1).n = 8;\n"
      "cable(1).path = [0.01*s^2, 0.004 - 0.01*s]; cable(1).from = 0.1; cable(1).to = 0.3; "
      "cable(1).tension = 1;");
  assert_int_equal(c.m->ncrossing, 4);  // of segments of 0.05 m
  for (int i = 0; i < c.m->ncrossing; i++) {
    const model_crossing* x = &c.m->crossing[i];
    const double s = c.m->strain[x->strain].arc;
    const double want[CABLE_PATH] = {0.01 * s * s, 0.004 - 0.01 * s, 0.02 * s, -0.01, 0.02, 0};
    assert_true(s > 0.1 && s < 0.3);
    CHECK_NEAR(fixed_number(c.m, x->cover), 1, 1e-12);
    for (int k = 0; k < CABLE_PATH; k++) CHECK_NEAR(fixed_number(c.m, x->path + k), want[k], 1e-15);
  }
  compiled_free(c);
}

// Quadrature of a rod is split where a cable ends: no point covers its end in part.
static void test_points_are_split_where_cables_and_chambers_end(void** state) {
  (void)state;
  const compiled c = compile_text(
      "rod(1).length = 0.4; rod(1).radius = 0.02; rod(1).E = 1e6; rod(1).rho = 1000;\n"
      "cable(1).path = [0.01 0]; cable(1).to = 0.27; cable(1).tension = 1;\n"
      "chamber(1).area = 1e-5; chamber(1).pressure = 1; chamber(1).from = 0.13;");
  double cable = 0, chamber = 0;
  for (int i = 0; i < c.m->ncrossing; i++)
    cable += fixed_number(c.m, c.m->strain[c.m->crossing[i].strain].section + SECTION_LENGTH);
  for (int i = 0; i < c.m->nstrain; i++)
    if (fixed_number(c.m, c.m->strain[i].section + SECTION_INPUT + 2) > 0)
      chamber += fixed_number(c.m, c.m->strain[i].section + SECTION_LENGTH);
  CHECK_NEAR(cable, 0.27, 1e-14);
  CHECK_NEAR(chamber, 0.4 - 0.13, 1e-14);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_path_has_its_derivatives_along_the_rod),
      cmocka_unit_test(test_points_are_split_where_cables_and_chambers_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
