// How values are read by the rows of fields: shapes, words, defaults, other spellings.
#include "model/field.h"

#include "compiled.h"

static td_fit fit(const char* shape, int rows, int cols, int pages, int n) {
  value* v = td_value_num(rows, cols, pages);
  const td_fit out = td_field_fit(shape, v, n);
  td_value_drop(v);
  return out;
}

static void test_a_matrix_fits_the_first_alternative_of_its_shape(void** state) {
  (void)state;
  assert_true(fit("1x3", 1, 3, 1, 0).ok);
  assert_false(fit("1x3", 1, 4, 1, 0).ok);
  assert_true(fit("nx1|nx6", 4, 6, 1, 4).ok);
  assert_false(fit("nx1|nx6", 3, 6, 1, 4).ok);
  assert_true(fit("nx6", 1, 6, 1, 4).ok);  // one row for all
  assert_true(fit("3x3xn", 3, 3, 4, 4).ok);
  assert_false(fit("3x3xn", 3, 3, 2, 4).ok);
  const td_fit column = fit("1x3", 3, 1, 1, 0);  // a vector may lie the other way
  assert_true(column.ok && column.rows == 1 && column.cols == 3);
}

static void test_words_defaults_and_lists_are_read_from_the_row(void** state) {
  (void)state;
  const td_field word = {.path = "rod.section", .fallback = "circle", .options = "circle|ring"},
                 number = {.path = "rod.n", .fallback = "4", .options = ""};
  assert_true(td_field_has_option(&word, "ring") && !td_field_has_option(&word, "rin"));
  assert_true(td_field_has_option(&number, "anything"));
  assert_string_equal(td_field_name(&word), "section");
  assert_true(td_field_default(&number) == 4 && isnan(td_field_default(&word)));
  td_text text = {0};
  td_field_alternatives(&text, "a|b|c", "'");
  assert_string_equal(text.s, "'a', 'b' or 'c'");
  td_text_free(&text);
}

static void test_a_field_is_found_under_either_spelling(void** state) {
  (void)state;
  value* s = td_value_struct(1, 1);
  value_slot* slot = td_value_slot_make(s, 0, "J");
  slot->v = td_value_scalar(7);
  assert_true(td_field_get(s, 0, "body.I")->x[0] == 7);
  assert_null(td_field_get(s, 0, "body.m"));
  assert_true(td_field_of_part("radius") && !td_field_of_part("model"));
  td_value_drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_matrix_fits_the_first_alternative_of_its_shape),
      cmocka_unit_test(test_words_defaults_and_lists_are_read_from_the_row),
      cmocka_unit_test(test_a_field_is_found_under_either_spelling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
