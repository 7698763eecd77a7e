// Cables: what they pass, how they are driven, and the rows of those that cannot be stretched.
#include "compiled.h"

#define RODS                                                                                     \
  "for k = 1:2, rod(k).length = 0.3; rod(k).radius = 0.015; rod(k).E = 1e6; rod(k).rho = 1000; " \
  "end\n"                                                                                        \
  "rod(2).first = at(rod(1), 0.3);\n"

// Parts of pieces that a cable covers, times their lengths, make up its range along the rods.
static double covered(const td_model* m, int cable) {
  double sum = 0;
  for (int i = 0; i < m->ncrossing; i++) {
    const model_crossing* x = &m->crossing[i];
    if (x->cable == cable && x->joint == 0)
      sum += fixed_number(m, x->cover) *
             fixed_number(m, m->strain[x->strain].section + SECTION_LENGTH);
  }
  return sum;
}

static void test_a_cable_covers_its_range_in_every_rod_model(void** state) {
  (void)state;
  for (int k = 0; k < ROD_MODELS; k++) {
    char text[600];
    snprintf(text, sizeof text,
             RODS
             "rod(1).model = '%s'; rod(2).model = '%s'; rod(1).n = 5; rod(2).n = 5;\n"
             "cable(1).rod = [1 2]; cable(1).path = [0.01 0]; cable(1).from = 0.1; cable(1).to = "
             "0.2; cable(1).tension = 1;",
             td_rod_models[k].name, td_rod_models[k].name);
    const compiled c = compile_text(text);
    assert_int_equal(c.m->ncable, 1);
    CHECK_NEAR(covered(c.m, 0), 0.4, 1e-13);  // 0.2 of the first rod, 0.2 of the second
    compiled_free(c);
  }
}

static void test_a_drive_is_a_tension_a_stiffness_or_a_row(void** state) {
  (void)state;
  const compiled given = compile_text(RODS "cable(1).path = [0.01 0]; cable(1).tension = 2;"),
                 elastic = compile_text(
                     RODS
                     "cable(1).path = [0.01 0]; cable(1).pull = 0.01; cable(1).stiffness = 1e3;"),
                 hard = compile_text(RODS "cable(1).path = [0.01 0]; cable(1).pull = 0.01;");
  assert_true(given.m->cable[0].tension != NUM_NONE && given.m->cable[0].row < 0);
  assert_true(elastic.m->cable[0].tension == NUM_NONE && elastic.m->cable[0].row < 0 &&
              elastic.m->cable[0].potential);
  assert_int_equal(hard.m->ntaut, 1);
  assert_int_equal(hard.m->row[hard.m->cable[0].row].kind, ROW_CABLE);
  compiled_free(given), compiled_free(elastic), compiled_free(hard);
}

static void test_a_straight_cable_has_spans_between_its_places(void** state) {
  (void)state;
  const compiled c = compile_text(
      "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = "
      "'free'; end\n"
      "cable(1).via = {0, 1, 2}; cable(1).tension = 1;");
  assert_int_equal(c.m->cable[0].nspan, 2);
  for (int i = 0; i < 2; i++) assert_false(c.m->span[i].joins);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cable_covers_its_range_in_every_rod_model),
      cmocka_unit_test(test_a_drive_is_a_tension_a_stiffness_or_a_row),
      cmocka_unit_test(test_a_straight_cable_has_spans_between_its_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
