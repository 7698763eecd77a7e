// Values: sharing, growth, accounting.
#include "check.h"
#include "model/value.h"

static void owning_copies_only_what_is_shared(void** state) {
  (void)state;
  value* a = td_value_num(2, 2, 1);
  a->x[3] = 7;
  assert_ptr_equal(td_value_own(a), a);
  value* b = td_value_own(td_value_hold(a));
  assert_ptr_not_equal(a, b);
  CHECK_NEAR(b->x[3], 7, 0);
  b->x[3] = 1;
  CHECK_NEAR(a->x[3], 7, 0);
  td_value_drop(a);
  td_value_drop(b);
}

// Elements keep their subscripts whatever the growth; new ones are zero.
static void growth_keeps_subscripts(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int k = 0; k < 200; k++) {
    const int r = 1 + (int)(2 * (check_random(&seed) + 1)),
              c = 1 + (int)(2 * (check_random(&seed) + 1)), p = 1 + (int)(check_random(&seed) + 1);
    const int r2 = r + (int)(2 * (check_random(&seed) + 1)),
              c2 = c + (int)(2 * (check_random(&seed) + 1)),
              p2 = p + (int)(check_random(&seed) + 1);
    value* v = td_value_num(r, c, p);
    for (int i = 0; i < td_value_count(v); i++) v->x[i] = 1 + i;
    assert_true(td_value_resize(v, r2, c2, p2));
    for (int m = 0; m < r2 * c2 * p2; m++) {
      const int i = m % r2, j = m / r2 % c2, l = m / (r2 * c2);
      const bool old = i < r && j < c && l < p;
      CHECK_NEAR(v->x[m], old ? 1 + i + r * (j + c * l) : 0, 0);
    }
    td_value_drop(v);
  }
}

static void struct_arrays_grow_by_element_and_field(void** state) {
  (void)state;
  value* s = td_value_struct(0, 0);
  for (int i = 0; i < 50; i++) {
    value_slot* a = td_value_slot_make(s, i, "a");
    assert_true(td_value_put(s, a, td_value_scalar(i)));
    if (i % 7 == 0)
      assert_true(
          td_value_put(s, td_value_slot_make(s, i, i % 2 ? "odd" : "even"), td_value_scalar(-i)));
  }
  assert_int_equal(td_value_count(s), 50);
  assert_int_equal(s->nfield, 3);
  for (int i = 0; i < 50; i++) CHECK_NEAR(td_value_slot(s, i, "a")->v->x[0], i, 0);
  CHECK_NEAR(td_value_slot(s, 49, "odd")->v->x[0], -49, 0);
  assert_null(td_value_slot(s, 48, "odd")->v);
  assert_null(td_value_slot(s, 50, "a"));
  assert_null(td_value_slot(s, 0, "b"));
  td_value_drop(s);
}

static void expressions_live_beside_numbers(void** state) {
  (void)state;
  td_exprs* g = td_exprs_new();
  const ex t = td_ex_var(g, td_exprs_var(g, "t", TD_ON_TIME));
  value* v = td_value_num(1, 3, 1);
  v->x[0] = 4;
  assert_null(v->e);
  assert_true(td_value_set_ex(v, 1, t, g));
  assert_true(td_value_set_ex(v, 2, td_ex_const(g, 6), g));
  assert_true(isnan(v->x[1]));
  assert_int_equal(v->e[0], EX_NONE);
  assert_int_equal(v->e[2], EX_NONE);
  CHECK_NEAR(v->x[2], 6, 0);
  assert_int_equal(td_value_ex(v, 1, g), t);
  CHECK_NEAR(td_ex_value(g, td_value_ex(v, 0, g)), 4, 0);
  assert_true(td_value_resize(v, 2, 5, 1));
  assert_int_equal(v->e[2], t);
  assert_int_equal(v->e[9], EX_NONE);
  value* copy = td_value_own(td_value_hold(v));
  assert_int_equal(copy->e[2], t);
  td_value_drop(copy);
  td_value_drop(v);
  td_exprs_free(g);
}

// What is charged is given back, through growth and copies.
static void meters_balance(void** state) {
  (void)state;
  td_meter meter = {.limit = 1 << 20};
  value* v = td_value_num(1, 10, 1);
  assert_true(td_value_meter(v, &meter));
  const size_t small = meter.used;
  assert_true(td_value_resize(v, 1, 1000, 1));
  assert_true(meter.used > small + 8 * 900);
  value* w = td_value_own(td_value_hold(v));
  assert_true(meter.used > 2 * 8 * 1000);
  td_value_drop(w);
  assert_false(td_value_resize(v, 1000, 1000, 1));
  td_value_drop(v);
  assert_int_equal(meter.used, 0);
}

// A dropped number is used again, blank as a new one; those in use and arrays are not.
static void dropped_numbers_are_used_again(void** state) {
  (void)state;
  td_meter meter = {.limit = 1 << 20};
  value *a = td_value_renew(&meter, 1, 1, 1), *held = td_value_hold(a);
  assert_true(td_value_meter(a, &meter));
  a->x[0] = 7;
  a->logical = true;
  td_value_drop(a);
  assert_null(meter.spare);
  td_value_drop(held);
  assert_int_equal(meter.used, 0);
  assert_ptr_equal(meter.spare, held);

  value* list = td_value_renew(&meter, 1, 2, 1);
  assert_ptr_not_equal(list, held);
  value* again = td_value_renew(&meter, 1, 1, 1);
  assert_ptr_equal(again, held);
  assert_true(again->x[0] == 0 && !again->logical && !again->meter && again->refs == 1);
  assert_true(td_value_meter(again, &meter) && td_value_resize(again, 1, 3, 1));  // has a block now
  td_value_drop(again);
  assert_null(meter.spare);
  td_value_drop(list);
  for (int i = 0; i < 2; i++) {
    value* one = td_value_scalar(1);
    assert_true(td_value_meter(one, &meter));
    td_value_drop(one);
  }
  td_meter_free(&meter);
  assert_null(meter.spare);
}

static void limits_are_kept(void** state) {
  (void)state;
  assert_null(td_value_num(TD_VALUE_LIMIT, 2, 1));
  assert_null(td_value_num(-1, 2, 1));
  value* v = td_value_num(1, 1, 1);
  assert_false(td_value_resize(v, 100000, 100000, 1));
  td_value_drop(v);
  value* s = td_value_scalar(1);
  for (int i = 0; i < TD_VALUE_DEPTH - 1; i++) {
    value* outer = td_value_struct(1, 1);
    assert_true(td_value_put(outer, td_value_slot_make(outer, 0, "x"), s));
    s = outer;
  }
  value* last = td_value_struct(1, 1);
  value_slot* slot = td_value_slot_make(last, 0, "x");
  assert_true(td_value_put(last, slot, s));
  value* beyond = td_value_struct(1, 1);
  assert_false(td_value_put(beyond, td_value_slot_make(beyond, 0, "x"), last));
  td_value_drop(beyond);
}

static void descriptions_name_kind_and_size(void** state) {
  (void)state;
  char text[TD_DESCRIBE_SIZE];
  value* list[] = {td_value_num(2, 3, 1), td_value_num(0, 0, 1),   td_value_num(3, 3, 2),
                   td_value_scalar(1),    td_value_string("a", 1), td_value_struct(1, 4),
                   td_value_cell(1, 2),   td_value_ref("body", 2)};
  const char* const want[] = {"a 2x3 matrix", "a 0x0 matrix", "a 3x3x2 matrix",
                              "a number",     "a string",     "a 1x4 struct array",
                              "a 1x2 cell",   "a reference"};
  for (int i = 0; i < 8; i++) {
    assert_string_equal(td_value_describe(list[i], text), want[i]);
    td_value_drop(list[i]);
  }
  assert_string_equal(td_value_describe(NULL, text), "nothing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(owning_copies_only_what_is_shared),
      cmocka_unit_test(growth_keeps_subscripts),
      cmocka_unit_test(struct_arrays_grow_by_element_and_field),
      cmocka_unit_test(expressions_live_beside_numbers),
      cmocka_unit_test(meters_balance),
      cmocka_unit_test(dropped_numbers_are_used_again),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(descriptions_name_kind_and_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
