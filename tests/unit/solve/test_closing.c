// Loops that the written values leave open: closed by their own joints, then by bending their rods,
// and by stretching these only where nothing else will do; what is not in a loop stays.
#include <stdio.h>
#include <string.h>

#include "robot.h"

static double q_named(const robot* r, const char* part, double* least) {
  double most = 0;
  *least = 0;
  for (int i = 0; i < r->n.nq; i++)
    if (strstr(td_model_q_name(r->model, i), part)) {
      most = fmax(most, fabs(r->state->q[i]));
      *least = fmin(*least, r->state->q[i]);
    }
  return most;
}

// A four-bar whose crank is written 0.15 rad too far, with a finger on its coupler and a pendulum
// beside it.  Joints of a parallelogram turn by the same angle.
static void test_what_is_outside_stays(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl", "eba", "rom"};
  for (int k = 0; k < 5; k++) {
    char text[3000];
    snprintf(
        text, sizeof text,
        "for i = 1:4, body(i).m = 0.4; body(i).I = 0.008*eye(3); body(i).l_com = [0 0 0.15]; end\n"
        "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof.init = 0.15;\n"
        "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 0.3];\n"
        "joint(2).tr(2).rot = [2 pi/2]; joint(2).tr(3).rot = [2 inf];\n"
        "joint(3).second = 3; joint(3).tr(1).trans = [0.7 0 0]; joint(3).tr(2).rot = [2 inf];\n"
        "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [0 0 0.7];\n"
        "joint(4).tr2nd.trans = [0 0 0.3]; joint(4).type = 'revolute'; joint(4).axis = [0 1 0];\n"
        "joint(5).first = 3; joint(5).second = 4; joint(5).tr(1).trans = [0 0 0.3];\n"
        "joint(5).tr(2).rot = [1 inf]; joint(5).dof.init = 0.2;\n"
        "rod(1).first = 2; rod(1).tr.trans = [0 0 0.35]; rod(1).length = 0.2; rod(1).n = 3;\n"
        "rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1100; rod(1).model = '%s';\n"
        "sensor(1).name = 'stretch'; sensor(1).value = strain(rod(1), 0.05);\n",
        models[k]);
    robot r = robot_open(text);
    double y[6];
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(y[i], 0, 1e-12);
    const double turn = r.state->q[0];
    assert_true(turn > 0.02 && turn < 0.15);
    CHECK_NEAR(r.state->q[1], -turn, 1e-9);
    CHECK_NEAR(r.state->q[2], turn, 1e-9);
    CHECK_NEAR(r.state->q[3], 0.2, 0);
    // the note names all that moved, and nothing else
    const char* note = td_spec_messages(r.spec);
    assert_non_null(strstr(note, "joint(1).dof(1) from 0.15 to"));
    assert_non_null(strstr(note, "joint(2).dof(1) from 0 to"));
    assert_non_null(strstr(note, "joint(3).dof(1) from 0 to"));
    assert_null(strstr(note, "rod(1):"));
    assert_null(strstr(note, "joint(5)"));
    robot_close(&r);
  }
}

// The tip of a rod at its own base: a ring or drop, as long as the rod.
static void test_a_rod_is_bent_to_its_own_base(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr"};
  for (int k = 0; k < 2; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "body(1).m = 1; body(1).I = 0.01*eye(3); joint(1).second = 1;\n"
             "joint(1).tr.rot = [2 inf]; joint(1).dof.init = 0.3;\n"
             "rod(1).first = body(1); rod(1).length = 0.25; rod(1).radius = 0.008;\n"
             "rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = '%s'; rod(1).n = %d;\n"
             "joint(2).first = rod(1); joint(2).second = 1; joint(2).type = 'spherical';\n"
             "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
             models[k], k == 0 ? 4 : 12);
    robot r = robot_open(text);
    double y[3], least;
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(y[i], 0, 1e-10);
    CHECK_NEAR(q_named(&r, "stretch", &least), 0, 1e-12);
    CHECK_NEAR(r.state->q[0], 0.3, 0);
    assert_non_null(strstr(td_spec_messages(r.spec), "closing the loops deforms rod(1)"));
    robot_close(&r);
  }
}

// Between points that are farther apart than it is long a rod must stretch, by that much.
static void test_a_rod_stretches_by_need(void** state) {
  (void)state;
  robot r = robot_open(
      "rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"
      "joint(1).second = rod(1); joint(1).tr.trans = [0 0 0.21]; joint(1).type = 'spherical';\n"
      "sensor(1).name = 'strain'; sensor(1).value = strain(rod(1), 0.1);\n");
  double y[6];
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  CHECK_NEAR(y[2], 0.05, 0.01);  // the mean is 0.05; masses give more to one place than to another
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_outside_stays),
      cmocka_unit_test(test_a_rod_is_bent_to_its_own_base),
      cmocka_unit_test(test_a_rod_stretches_by_need),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
