// Joints that close a loop: rows of the directions they hold.
#include "compiled.h"

static const struct {
  const char* type;
  int rows;
} types[] = {{"fixed", 6},     {"revolute", 5}, {"prismatic", 5}, {"cylindrical", 4},
             {"universal", 4}, {"planar", 3},   {"spherical", 3}};

static void test_a_closing_joint_has_a_row_for_every_direction_it_holds(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "for k = 1:3, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = "
             "'free'; end\n"
             "joint(4).first = 1; joint(4).second = 2; joint(4).type = '%s'; %s",
             types[i].type,
             i == 0 || i == 6 ? ""
             : i == 4         ? "joint(4).axis = [1 0 0; 0 1 0];"
                              : "joint(4).axis = [0 0 1];");
    const compiled c = compile_text(text);
    if (c.m->nrow != types[i].rows) fail_msg("%s: %d rows", types[i].type, c.m->nrow);
    for (int k = 0; k < c.m->nrow; k++) {
      assert_int_equal(c.m->row[k].joint, 4);
      assert_true(row_has_frames(c.m->row[k].kind));
    }
    compiled_free(c);
  }
}

// The published way: `fixed` lists the directions that are held.
static void test_fixed_directions_are_rows_one_by_one(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';\n"
      "joint(2).first = 0; joint(2).second = 1; joint(2).fixed = [1 0 1];");
  assert_int_equal(c.m->nrow, 2);
  assert_int_equal(c.m->row[0].kind, ROW_TRANS);
  assert_int_equal(c.m->row[0].direction, 0);
  assert_int_equal(c.m->row[1].direction, 2);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_closing_joint_has_a_row_for_every_direction_it_holds),
      cmocka_unit_test(test_fixed_directions_are_rows_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
