// The table of materials: names are unique, numbers are those of solids, and the manual has them.
#include "check.h"
#include "elem/material.h"

static void test_materials_are_found_by_their_names(void** state) {
  (void)state;
  for (int i = 0; i < MATERIALS; i++) {
    assert_ptr_equal(td_material(td_materials[i].name), &td_materials[i]);
    assert_true(td_materials[i].E > 0 && td_materials[i].rho > 0);
    assert_true(td_materials[i].nu > 0 && td_materials[i].nu <= 0.5);
  }
  assert_null(td_material("jelly"));
}

static void test_silicones_have_the_modulus_of_their_stress_at_100_percent(void** state) {
  (void)state;
  static const struct {
    const char* name;
    double psi;
  } sheets[] = {{"ecoflex 00-30", 10},
                {"ecoflex 00-50", 12},
                {"dragon skin 10", 22},
                {"dragon skin 20", 49},
                {"dragon skin 30", 86}};
  for (size_t k = 0; k < sizeof sheets / sizeof sheets[0]; k++)  // the table has three digits
    CHECK_NEAR(td_material(sheets[k].name)->E / (12.0 / 7 * 6894.757 * sheets[k].psi), 1, 5e-3);
}

// docs/rods.md has a row for each.
static void test_the_manual_has_every_material(void** state) {
  (void)state;
  FILE* f = fopen(TEST_SOURCE_DIR "/docs/rods.md", "r");
  assert_non_null(f);
  static char text[200000];
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  for (int i = 0; i < MATERIALS; i++) {
    char row[300];
    snprintf(row, sizeof row, "| `'%s'` | %g | %g | %g | %s |", td_materials[i].name,
             td_materials[i].E, td_materials[i].nu, td_materials[i].rho, td_materials[i].source);
    if (!strstr(text, row)) fail_msg("docs/rods.md has no row %s", row);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_materials_are_found_by_their_names),
      cmocka_unit_test(test_silicones_have_the_modulus_of_their_stress_at_100_percent),
      cmocka_unit_test(test_the_manual_has_every_material),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
