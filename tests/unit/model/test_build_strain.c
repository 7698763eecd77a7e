// Strain fields that are written out: their coordinates, and those that several rods share.
#include "compiled.h"

#define ROD(k) \
  "rod(" k ").length = 0.3; rod(" k ").radius = 0.01; rod(" k ").E = 1e5; rod(" k ").rho = 1100; "

static void test_a_written_strain_has_the_coordinates_it_names(void** state) {
  (void)state;
  const compiled c = compile_text(
      ROD("1") "rod(1).coords = 2; q = coord(rod(1)); rod(1).strain = [0 0 0 q(1) + q(2)*s 0 0];");
  assert_int_equal(c.m->nvel, 2);
  assert_int_equal(c.m->ncoords, 1);
  assert_int_equal(c.m->coords[0].n, 2);
  for (int i = 0; i < c.m->nstrain; i++) {
    assert_int_equal(c.m->strain[i].kind, STRAIN_BASIS);
    assert_true(c.m->strain[i].coords >= 0 && !strain_is_linear(&c.m->strain[i]));
    assert_int_equal(c.m->strain[i].modes, 1u << 3);  // bending about x alone changes
  }
  compiled_free(c);
}

static void test_a_strain_of_time_has_none(void** state) {
  (void)state;
  const compiled c = compile_text(ROD("1") "rod(1).strain = [0 0 0 sin(t) 0 0];");
  assert_int_equal(c.m->nvel, 0);
  assert_true(c.m->strains_timed);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_written_strain_has_the_coordinates_it_names),
      cmocka_unit_test(test_a_strain_of_time_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
