// Rods by strain functions: coordinates of each basis, held strains, and the points of their
// quadrature.
#include "compiled.h"
#include "elem/basis.h"

static compiled rod_with(const char* more) {
  char text[600];
  snprintf(text, sizeof text,
           "rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; %s",
           more);
  return compile_text(text);
}

static void test_a_basis_gives_each_strain_as_many_coordinates_as_it_has_functions(void** state) {
  (void)state;
  for (int k = 0; k < BASIS_KINDS; k++) {
    const basis_kind* basis = &td_bases[k];
    char more[200];
    snprintf(more, sizeof more,
             "rod(1).basis = '%s'; rod(1).elements = 3; rod(1).modes = [0 0 0 1 1 0]; %s",
             basis->name, basis->ordered ? "rod(1).order = 2;" : "");
    const compiled c = rod_with(more);
    const int each = basis->f->count(basis->ordered ? 2 : 0, 3);
    if (c.m->nvel != 2 * each)
      fail_msg("%s: %d coordinates, expected %d", basis->name, c.m->nvel, 2 * each);
    for (int d = 0; d < 6; d++)
      assert_int_equal(c.m->rod[0].functions[d], d == 3 || d == 4 ? each : 0);
    compiled_free(c);
  }
}

static void test_resolution_above_ten_makes_elements_of_order_four(void** state) {
  (void)state;
  const compiled low = rod_with("rod(1).n = 10; rod(1).modes = [0 0 0 1 0 0];"),
                 high = rod_with("rod(1).n = 20; rod(1).modes = [0 0 0 1 0 0];");
  assert_int_equal(low.m->rod[0].elements[3], 1);
  assert_true(high.m->rod[0].elements[3] > 1);
  assert_int_equal(high.m->rod[0].functions[3], high.m->nvel);
  compiled_free(low), compiled_free(high);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_basis_gives_each_strain_as_many_coordinates_as_it_has_functions),
      cmocka_unit_test(test_resolution_above_ten_makes_elements_of_order_four),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
