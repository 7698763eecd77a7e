// Outlines of rods for pictures: how thick they are along their length.
#include "compiled.h"

static void test_a_tapered_rod_is_as_thick_as_its_radius(void** state) {
  (void)state;
  const compiled c = compile_text(
      "rod(1).length = 0.4; rod(1).radius = 0.02 - 0.03*s; rod(1).E = 1e6; rod(1).rho = 1000;");
  const model_rod* rod = &c.m->rod[0];
  for (int i = 0; i < ROD_LOOKS; i++) {
    const double arc = 0.4 * i / (ROD_LOOKS - 1), wide = 2 * (0.02 - 0.03 * arc);
    CHECK_NEAR(fixed_number(c.m, rod->outline + i), wide, 1e-15);
    CHECK_NEAR(fixed_number(c.m, rod->outline + ROD_LOOKS + i), wide, 1e-15);
    CHECK_NEAR(fixed_number(c.m, rod->outline + 2 * ROD_LOOKS + i), 1e6, 0);
  }
  assert_false(rod->angular);
  compiled_free(c);
}

// A custom section is shown as the ellipse with its moments:  I/A = (axis/4)^2.
static void test_other_sections_have_their_width_and_height(void** state) {
  (void)state;
  const compiled c = compile_text(
      "for k = 1:2, rod(k).length = 1; rod(k).E = 1; rod(k).rho = 1; end\n"
      "rod(1).section = 'rectangle'; rod(1).width = 0.03; rod(1).height = 0.01;\n"
      "rod(2).section = 'custom'; rod(2).area = 1e-4; rod(2).Ix = 4e-10; rod(2).Iy = 9e-10; "
      "rod(2).J = 1e-9;");
  static const double size[2][2] = {{0.03, 0.01}, {0.012, 0.008}};
  for (int r = 0; r < 2; r++)
    for (int k = 0; k < 2; k++)
      CHECK_NEAR(fixed_number(c.m, c.m->rod[r].outline + k * ROD_LOOKS), size[r][k], 1e-15);
  assert_true(c.m->rod[0].angular && !c.m->rod[1].angular);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_tapered_rod_is_as_thick_as_its_radius),
      cmocka_unit_test(test_other_sections_have_their_width_and_height),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
