// Joints beside the tree: axial links, beams; one for each element of a joint that repeats.
#include "compiled.h"

#define BODIES                                                                                    \
  "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = 'free'; " \
  "end\n"

static void test_one_coefficient_is_a_link_and_six_are_a_beam(void** state) {
  (void)state;
  const compiled
      link = compile_text(BODIES
                          "joint(3).first = 1; joint(3).second = 2; joint(3).spring.coeff = 5;"),
      beam = compile_text(
          BODIES "joint(3).first = 1; joint(3).second = 2; joint(3).spring.coeff = [1 2 3 4 5 6];");
  assert_int_equal(link.m->naxial, 1);
  CHECK_NEAR(fixed_number(link.m, link.m->axial[0].law.k), 5, 0);
  assert_int_equal(beam.m->nbeam, 1);
  for (int i = 0; i < 6; i++) CHECK_NEAR(fixed_number(beam.m, beam.m->beam[0].law[i].k), i + 1, 0);
  compiled_free(link), compiled_free(beam);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_coefficient_is_a_link_and_six_are_a_beam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
