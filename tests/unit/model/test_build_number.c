// Entries of a field, one row for all elements or one for each, one column for all directions.
#include "compiled.h"

#define CHAIN                                                                          \
  "joint(1).first = [1 0:2]; joint(1).second = [1 1:3]; joint(1).type = 'spherical'; " \
  "body(1).I = eye(3);\n"

static void test_rows_belong_to_elements_and_one_row_to_all(void** state) {
  (void)state;
  const compiled c = compile_text(CHAIN "body(1).m = [1; 2; 5]; body(1).l_com = [0.1 0.2 0.3];"),
                 d = compile_text(CHAIN "body(1).m = 4; body(1).l_com = [1 2 3; 4 5 6; 7 8 9];");
  static const double mass[3] = {1, 2, 5};
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(fixed_number(c.m, c.m->body[i].m), mass[i], 0);
    CHECK_NEAR(fixed_number(d.m, d.m->body[i].m), 4, 0);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(fixed_number(c.m, c.m->body[i].com + k), 0.1 * (k + 1), 1e-16);
      CHECK_NEAR(fixed_number(d.m, d.m->body[i].com + k), 3 * i + k + 1, 0);
    }
  }
  compiled_free(c), compiled_free(d);
}

// One number of a link with six directions is that of all, six are those of each.
static void test_one_column_serves_all_directions(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free'; "
      "joint(2).second = 1;\n"
      "joint(2).spring.coeff = [1 2 3 4 5 6]; joint(2).damp.visc = 0.5;");
  for (int d = 0; d < 6; d++) {
    CHECK_NEAR(fixed_number(c.m, c.m->beam[0].law[d].k), d + 1, 0);
    CHECK_NEAR(fixed_number(c.m, c.m->beam[0].law[d].mu), 0.5, 0);
  }
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_belong_to_elements_and_one_row_to_all),
      cmocka_unit_test(test_one_column_serves_all_directions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
