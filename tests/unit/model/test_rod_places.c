// Places of a rod: each is a frame of its own, once, and the base has its frame already.
#include <stdlib.h>

#include "base/order.h"
#include "compiled.h"
#include "model/rods.h"

static void test_places_are_listed_once_within_the_rod(void** state) {
  (void)state;
  build_rod rod = {.length = 0.5, .joint = -1};
  builder b = {.rod = &rod, .nrod = 1};
  rod_places places = {0};
  static const double wanted[] = {0.3, 0.1, 0.3, 0, 0.5 * (1 + 1e-10), 0.6, -1, 0.1 + 1e-14};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    assert_int_equal(td_rod_want(&b, 0, wanted[i], &places), TD_OK);
  assert_int_equal(places.n, 3);
  qsort(places.arc, 3, sizeof(double), ascending);
  static const double want[3] = {0.1, 0.3, 0.5};  // the last is not beyond the tip
  for (int i = 0; i < 3; i++) assert_true(places.arc[i] == want[i]);
  td_rod_places_free(&places);
}

static void test_places_of_other_rods_do_not_count(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  build_rod rod[2] = {{.length = 0.5, .joint = -1}, {.length = 1, .joint = -1}};
  builder b = {.spec = spec, .rod = rod, .nrod = 2};
  rod_places places = {0};
  value* v = td_value_ref("rod", 2);
  assert_int_equal(td_rod_want_place(&b, 0, v, &places), TD_OK);
  assert_int_equal(places.n, 0);
  assert_int_equal(td_rod_want_place(&b, 1, v, &places), TD_OK);  // rod(2) is its tip
  assert_true(places.n == 1 && places.arc[0] == 1);
  td_value_drop(v);
  td_rod_places_free(&places);
  td_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places_are_listed_once_within_the_rod),
      cmocka_unit_test(test_places_of_other_rods_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
