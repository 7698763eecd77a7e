// Contacts: what touches and is touched, and curves through rods whose shares add up.
#include "compiled.h"

#define ROD "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100; "

static void test_shares_of_a_curve_add_up_and_meet_at_its_ends(void** state) {
  (void)state;
  const compiled c = compile_text(
      ROD
      "rod(2).length = 0.3; rod(2).radius = 0.01; rod(2).E = 1e5; rod(2).rho = 1100; "
      "rod(2).tr(1).trans = [0.1 0 0];\n"
      "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = 1e4;");
  assert_true(c.m->npiece > 1);
  for (int i = 0; i < c.m->npiece; i++) {
    const model_piece* p = &c.m->piece[i];
    for (int k = 0; k <= 10; k++) {
      double share[CONTACT_BALLS], slope[CONTACT_BALLS], sum = 0, change = 0;
      contact_shares((contact_curve){p->nball, p->share}, 0.1 * k, share, slope);
      for (int j = 0; j < p->nball; j++) sum += share[j], change += slope[j];
      CHECK_NEAR(sum, 1, 1e-13);
      CHECK_NEAR(change, 0, 1e-12);
    }
  }
  compiled_free(c);
}

// Weights of the pieces that touch make up the length of the rod: the force is one per length.
static void test_forces_are_spread_over_the_length_of_a_rod(void** state) {
  (void)state;
  for (int k = 0; k < ROD_MODELS; k++) {
    char text[500];
    snprintf(text, sizeof text,
             ROD
             "rod(1).model = '%s'; rod(1).n = 6;\n"
             "contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).stiffness = 1e4;",
             td_rod_models[k].name);
    const compiled c = compile_text(text);
    double sum = 0;
    for (int i = 0; i < c.m->contact[0].nalong; i++)
      sum += c.m->piece[c.m->contact[0].along + i].weight;
    CHECK_NEAR(sum, 0.3, 1e-13);
    assert_true(c.m->contact[0].fixed);
    assert_string_equal(td_shapes[c.m->contact[0].shape].name, "plane");
    compiled_free(c);
  }
}

static void test_points_of_a_body_are_balls(void** state) {
  (void)state;
  const compiled c = compile_text(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';\n"
      "contact(1).first = 1; contact(1).second = 'sphere'; contact(1).radius = 0.5; "
      "contact(1).stiffness = 1e4;\n"
      "contact(1).points = [0 0 0; 0 0 0.1; 0 0 0.2]; contact(1).ball = 0.02;");
  assert_int_equal(c.m->contact[0].nball, 3);
  assert_true(c.m->contact[0].fixed);
  assert_string_equal(td_shapes[c.m->contact[0].shape].name, "sphere");
  for (int i = 0; i < 3; i++) {
    const model_ball* ball = &c.m->ball[c.m->contact[0].ball + i];
    CHECK_NEAR(fixed_number(c.m, ball->radius), 0.02, 0);
    CHECK_NEAR(fixed_number(c.m, ball->centre + 2), 0.1 * i, 1e-15);
  }
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shares_of_a_curve_add_up_and_meet_at_its_ends),
      cmocka_unit_test(test_forces_are_spread_over_the_length_of_a_rod),
      cmocka_unit_test(test_points_of_a_body_are_balls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
