// Magnets: dipoles on bodies and along rods, as many as the rod has points.
#include "compiled.h"

#define BODY \
  "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; "

static void test_a_dipole_on_a_body_is_one_element(void** state) {
  (void)state;
  const compiled c = compile_text(
      BODY "magnet(1).on = body(1); magnet(1).moment = [0 0 0.1]; magnet(1).field = [0 0 0.05];");
  assert_int_equal(c.m->nmagnet, 1);
  assert_true(c.m->magnet[0].potential);
  compiled_free(c);
}

static void test_a_field_of_time_has_no_potential(void** state) {
  (void)state;
  const compiled c = compile_text(
      BODY
      "magnet(1).on = body(1); magnet(1).moment = [0 0 0.1]; magnet(1).field = [0 0 0.05*sin(t)];");
  assert_false(c.m->magnet[0].potential);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_dipole_on_a_body_is_one_element),
      cmocka_unit_test(test_a_field_of_time_has_no_potential),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
