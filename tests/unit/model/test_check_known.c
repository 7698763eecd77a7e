// Elements that nothing was written to are reported once, at the next one that was.
#include "compiled.h"

#define ARM "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';\n"

static void test_gaps_are_reported_in_one_message(void** state) {
  (void)state;
  static const said list[] = {
      {ARM "joint(3).second = 1;", 2, 1,
       "joint(2) is empty: joints are numbered without gaps, and the model has joint(3)"},
      {ARM "body(4).m = 1;", 2, 1, "body(2) to body(3) are empty: bodies are numbered"},
      {ARM "rod(3).length = 1;", 2, 1, "rod(1) to rod(2) are empty: rods are numbered"},
  };
  EXPECT_MESSAGES(list);
}

// A message about a field that is missing points to the element, with its index.
static void test_a_missing_field_is_told_at_its_element(void** state) {
  (void)state;
  static const said list[] = {{ARM "  rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).rho = 1;",
                               2, 3, "rod(1).E is missing"}};
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaps_are_reported_in_one_message),
      cmocka_unit_test(test_a_missing_field_is_told_at_its_element),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
