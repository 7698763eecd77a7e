// Student's t distribution against closed forms and tables.
#include "math/student.h"

#include "check.h"

// One degree of freedom: t = tan(level π/2); two: t = level √2/√(1 - level²).
static void one_and_two_degrees_of_freedom_have_closed_forms(void** state) {
  (void)state;
  for (int i = 1; i < 100; i++) {
    const double p = 0.01 * i;
    CHECK_NEAR(td_student(p, 1) / tan(p * 1.5707963267948966), 1, 1e-11);
    CHECK_NEAR(td_student(p, 2) / (p * sqrt(2 / (1 - p * p))), 1, 1e-11);
  }
}

// Tables [abramowitz1964, 26.10], three decimals; many degrees of freedom: the normal distribution.
static void quantiles_are_those_of_tables(void** state) {
  (void)state;
  CHECK_NEAR(td_student(0.95, 5), 2.571, 5e-4);
  CHECK_NEAR(td_student(0.95, 30), 2.042, 5e-4);
  CHECK_NEAR(td_student(0.99, 10), 3.169, 5e-4);
  CHECK_NEAR(td_student(0.95, 1e7), 1.959964, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_and_two_degrees_of_freedom_have_closed_forms),
      cmocka_unit_test(quantiles_are_those_of_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
