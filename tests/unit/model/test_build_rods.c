// Rods: every model of the list has the mass of its rod, strains along all of it, and its ends
// where they are.
#include "compiled.h"

static compiled rod_of(const char* model, int n, const char* more) {
  char text[600];
  snprintf(
      text, sizeof text,
      "rod(1).model = '%s'; rod(1).n = %d; rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).E = "
      "1e6; rod(1).rho = 1000;\n"
      "rod(1).joint.type = 'free'; %s",  // what is clamped to the ground has no mass in the model
      model, n, more);
  return compile_text(text);
}

static void test_every_model_has_the_mass_of_its_rod(void** state) {
  (void)state;
  const double mass = 1000 * 3.141592653589793 * 1e-4 * 0.4;
  for (int k = 0; k < ROD_MODELS; k++)
    for (int n = 2; n <= 8; n += 3) {
      const compiled c = rod_of(td_rod_models[k].name, n, "");
      assert_int_equal(c.m->rod[0].model, k);
      CHECK_NEAR(mass_of_lumps(c.m) / mass, 1, 1e-12);
      compiled_free(c);
    }
}

// Lengths of the pieces, or weights of the quadrature points, add up to the length of the rod.
static void test_strains_are_counted_along_the_whole_rod(void** state) {
  (void)state;
  for (int k = 0; k < ROD_MODELS; k++) {
    const compiled c = rod_of(td_rod_models[k].name, 5, "");
    double sum = 0;
    for (int i = 0; i < c.m->nstrain; i++) {
      sum += fixed_number(c.m, c.m->strain[i].section + SECTION_LENGTH);
      assert_int_equal(td_strain_traits[c.m->strain[i].kind].segment, !td_rod_models[k].points);
    }
    CHECK_NEAR(sum, 0.4, 1e-14);
    compiled_free(c);
  }
}

static void test_a_rod_in_parts_has_the_mass_of_all_of_them(void** state) {
  (void)state;
  const double area = 3.141592653589793 * 1e-4;
  for (int k = 0; k < ROD_MODELS; k++) {
    const compiled c = rod_of(
        td_rod_models[k].name, 4,
        "rod(1).part(1).length = 0.1; rod(1).part(1).rho = 3000; rod(1).part(2).length = 0.3;");
    CHECK_NEAR(mass_of_lumps(c.m), area * (3000 * 0.1 + 1000 * 0.3), 1e-12);
    compiled_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_model_has_the_mass_of_its_rod),
      cmocka_unit_test(test_strains_are_counted_along_the_whole_rod),
      cmocka_unit_test(test_a_rod_in_parts_has_the_mass_of_all_of_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
