// Places: bodies by number and name, points of rods, nodes of meshes, the ground.
#include "compiled.h"

#define BODIES                                                                                    \
  "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = 'free'; " \
  "end\n"

// The hop that the second end of the only link sits on.
static int hop_of_link(const td_model* m) { return m->station[m->axial[0].b].hop; }

static void test_a_body_may_be_written_by_number_and_by_name(void** state) {
  (void)state;
  const char* ways[] = {"joint(3).second = 2;", "joint(3).second = body(2);",
                        "body(2).name = 'cart'; joint(3).second = 'cart';"};
  for (int i = 0; i < 3; i++) {
    char text[500];
    snprintf(text, sizeof text, BODIES "%s joint(3).first = 1; joint(3).spring.coeff = 5;",
             ways[i]);
    const compiled c = compile_text(text);
    assert_int_equal(hop_of_link(c.m), c.m->station[c.m->body[1].station].hop);
    compiled_free(c);
  }
}

static void test_a_point_of_a_rod_is_where_its_arc_length_says(void** state) {
  (void)state;
  for (int k = 0; k < ROD_MODELS; k++) {
    char text[500];
    snprintf(text, sizeof text,
             "rod(1).model = '%s'; rod(1).n = 4; rod(1).length = 0.4; rod(1).radius = 0.01; "
             "rod(1).E = 1e6; rod(1).rho = 1000;\n"
             "joint(1).first = 0; joint(1).second = at(rod(1), 0.25); joint(1).spring.coeff = 1;",
             td_rod_models[k].name);
    const compiled c = compile_text(text);
    const model_station* s = &c.m->station[c.m->axial[0].b];
    assert_int_equal(s->rod, 1);
    CHECK_NEAR(s->arc, 0.25, 1e-15);
    compiled_free(c);
  }
}

static void test_a_place_that_does_not_exist_is_refused(void** state) {
  (void)state;
  compiled_free(refuse_text(
      BODIES "joint(3).first = 1; joint(3).second = 7; joint(3).spring.coeff = 5;", "7"));
  compiled_free(refuse_text(
      BODIES "joint(3).first = 1; joint(3).second = 'card'; joint(3).spring.coeff = 5;", "card"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_body_may_be_written_by_number_and_by_name),
      cmocka_unit_test(test_a_point_of_a_rod_is_where_its_arc_length_says),
      cmocka_unit_test(test_a_place_that_does_not_exist_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
