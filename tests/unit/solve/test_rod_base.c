// A rod on a base whose motion is given: relative coordinates have a relative equilibrium, absolute
// nodes have none, which is said.
#include "../engine/robots.h"

static robot on_turntable(const char* model, double speed) {
  char text[1000];
  snprintf(text, sizeof text,
           "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [3 inf];\n"
           "joint(1).dof(1).motion = %g*t; rod(1).first = 1; rod(1).tr.rot = [2 pi/2];\n"
           "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;\n"
           "rod(1).n = 4; rod(1).model = '%s'; sensor(1).value = pos(rod(1)); sensor(1).name = "
           "'tip';\n",
           speed, model);
  return robot_load(text);
}

static td_status settle(const char* model, double speed, td_equil_result* found, double tip[3]) {
  robot r = on_turntable(model, speed);
  const td_equil_options options = td_equil_options_default();
  const td_status status = td_equilibrium(r.model, r.work, r.state, &options, found);
  td_sensors(r.model, r.state, r.work, tip);
  robot_free(&r);
  return status;
}

// The tip moves out by ρ w² L³ / 3E.
static void relative_coordinates_turn_with_the_base(void** unused) {
  (void)unused;
  td_equil_result found;
  double tip[3];
  assert_int_equal(settle("rom", 5, &found, tip), TD_OK);
  CHECK_NEAR(tip[0] - 0.3, 1000 * 25 * 0.027 / 3e6, 1e-6);
}

static void absolute_nodes_are_refused_on_a_moving_base(void** unused) {
  (void)unused;
  td_equil_result found;
  double tip[3];
  assert_int_equal(settle("eba", 5, &found, tip), TD_E_USAGE);
  assert_false(found.converged);
  assert_non_null(strstr(found.note, "no relative equilibrium"));
  assert_int_equal(settle("eba", 0, &found, tip), TD_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relative_coordinates_turn_with_the_base),
      cmocka_unit_test(absolute_nodes_are_refused_on_a_moving_base),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
