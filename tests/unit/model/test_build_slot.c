// Slots: a pin along a written curve is one hop with one coordinate.
#include "compiled.h"

static void test_a_slot_is_one_coordinate_and_its_curve_has_derivatives(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; x = dof(joint(1), 1); "
      "joint(1).curve = [x 0 x^2];");
  assert_int_equal(c.m->nvel, 1);
  assert_int_equal(c.m->hop[0].kind, HOP_SLOT);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_slot_is_one_coordinate_and_its_curve_has_derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
