// Polynomial rods: as rods and as joint.rom, their coordinates by order, and Gauss points all along
// them.
#include "compiled.h"

static void test_the_order_is_the_number_of_coefficients_of_each_number(void** state) {
  (void)state;
  for (int n = 1; n <= 4; n++) {
    char text[300];
    snprintf(text, sizeof text,
             "rod(1).model = 'rom'; rod(1).n = %d; rod(1).length = 0.4; rod(1).radius = 0.01; "
             "rod(1).E = 1e6; rod(1).rho = 1000;",
             n);
    const compiled c = compile_text(text);
    assert_int_equal(c.m->nvel, 3 * (n + 1) + 3 * n);  // of the position and of the vector part
    double sum = 0, last = 0;
    for (int i = 0; i < c.m->nstrain; i++) {
      assert_int_equal(c.m->strain[i].kind, STRAIN_POLYNOMIAL);
      assert_true(c.m->strain[i].arc > last && c.m->strain[i].arc < 0.4);
      last = c.m->strain[i].arc;
      sum += fixed_number(c.m, c.m->strain[i].section + SECTION_LENGTH);
    }
    CHECK_NEAR(sum, 0.4, 1e-14);
    compiled_free(c);
  }
}

static void test_a_joint_with_rom_is_a_rod_of_its_body(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 0.5; body(1).I = 1e-4*eye(3); joint(1).second = [1 0.3]'; joint(1).rom.order = "
      "2;\n"
      "joint(1).tr(1).trans = [inf inf inf]; joint(1).tr(1).rot = [0 inf inf inf];\n"
      "joint(1).spring.coeff = [400 400 900 0.05 0.05 0.03];");
  assert_int_equal(c.m->nrod, 1);
  assert_true(c.m->rod[0].monomial);
  CHECK_NEAR(c.m->rod[0].length, 0.3, 0);
  assert_int_equal(c.m->nvel, 12);
  compiled_free(c);
}

// The rest strain is compr*init, under either spelling of the factor.
static void test_rest_strains_are_scaled_by_comp_and_compr_alike(void** state) {
  (void)state;
  static const char* const spelling[] = {"comp", "compr"};
  for (int k = 0; k < 2; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "body(1).m = 0.5; body(1).I = 1e-4*eye(3); joint(1).second = [1 0.3]'; "
             "joint(1).rom.order = 1;\n"
             "joint(1).tr(1).trans = [inf inf inf]; joint(1).tr(1).rot = [0 inf inf inf];\n"
             "joint(1).spring.coeff = 100; joint(1).spring.init = 0.02; joint(1).spring.%s = 0.5;",
             spelling[k]);
    const compiled c = compile_text(text);
    for (int d = 0; d < 6; d++)
      CHECK_NEAR(fixed_number(c.m, c.m->strain[0].section + SECTION_X0 + d), 0.01, 1e-16);
    compiled_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_order_is_the_number_of_coefficients_of_each_number),
      cmocka_unit_test(test_a_joint_with_rom_is_a_rod_of_its_body),
      cmocka_unit_test(test_rest_strains_are_scaled_by_comp_and_compr_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
