// Rotations written as the vector part e of a unit quaternion, [0 inf inf inf] and [0 0 inf 0]:
// motion goes on beyond half a turn, and init, rate and sensors are those of e.
#include "robot.h"
#include "tendril/tools.h"

// Sensors and the largest change of energy over a run to `t`; the state is left at its end.
static double run(robot* r, double t, double* y) {
  td_sim_options o = td_sim_options_default();
  td_trajectory* rows = NULL;
  double drift = 0;
  o.t_final = t;
  o.rtol = 1e-10;
  o.atol = 1e-11;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &rows), TD_OK);
  const double* first = td_trajectory_energy(rows, 0);
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    const double* e = td_trajectory_energy(rows, i);
    drift = fmax(drift, fabs(e[0] + e[1] + e[2] - first[0] - first[1] - first[2]));
  }
  td_trajectory_free(rows);
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  return drift;
}

// A free spin about y with e' = 1: the angle is 2 t, e = sin t.  Errors of a run at a tolerance of
// 1e-10 add up over its some hundred steps.
static void a_free_spin_goes_on(void** state) {
  (void)state;
  static const char* const turn[] = {
      "joint(1).tr(1).rot = [0 inf inf inf]; i = 2;",
      "joint(1).tr(1).rot = [0 0 inf 0]; i = 1;",
  };
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; %s joint(1).dof(i).rate = 1;\n"
        "sensor(1).name = 'a'; sensor(1).value = [dof(joint(1),i) ddof(joint(1),i) "
        "omega(body(1))];",
        turn[k]);
    robot r = robot_open(text);
    double y[5];
    CHECK_NEAR(run(&r, 10, y), 0, 1e-7);
    const double want[5] = {sin(10), cos(10), 0, 2, 0};
    for (int i = 0; i < 5; i++) CHECK_NEAR(y[i], want[i], 1e-7);
    robot_close(&r);
  }
}

// A pendulum that goes over the top moves as the one whose angle is its coordinate: e' = w/2 at 0.
static void a_pendulum_goes_over_the_top(void** state) {
  (void)state;
  static const char* const turn[] = {
      "joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).rate = 11;",
      "joint(1).tr(1).rot = [0 0 inf 0]; joint(1).dof(1).rate = 5.5;",
      "joint(1).tr(1).rot = [0 inf inf inf]; joint(1).dof(2).rate = 5.5;",
  };
  double y[3][6];
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .01*eye(3); body(1).l_com = [0 0 "
             "-.3]; joint(1).second = 1; %s\n"
             "sensor(1).name = 'a'; sensor(1).value = [omega(body(1)) rot(body(1))(1,:)];",
             turn[k]);
    robot r = robot_open(text);
    assert_int_equal(r.n.nsensor, 6);
    CHECK_NEAR(run(&r, 3, y[k]), 0, 1e-7);
    robot_close(&r);
    for (int i = 0; i < 6; i++) CHECK_NEAR(y[k][i], y[0][i], 1e-6);
  }
}

// e and e' of parameters at the start: sensors show them, and ω = 2 vec(Q* Q') with the scalar
// part's rate -e·e'/s.
static void initial_values_are_those_of_the_vector_part(void** state) {
  (void)state;
  const double e[3] = {0.3, -0.4, 0.5}, u[3] = {0.7, 0.2, -0.6};
  const double s = sqrt(1 - 0.5), ds = -(e[0] * u[0] + e[1] * u[1] + e[2] * u[2]) / s;
  robot r = robot_open(
      "a = param('a', 0.1); b = param('b', -0.2); body(1).m = 1; body(1).I = eye(3); "
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).tr(1).rot = [0 inf inf "
      "inf]; "
      "joint(1).dof(2).init = a; joint(1).dof(3).init = -.4; joint(1).dof(4).init = .5; "
      "joint(1).dof(2).rate = .7; joint(1).dof(3).rate = b; joint(1).dof(4).rate = -.6;\n"
      "sensor(1).name = 'y'; sensor(1).value = [dof(joint(1),2) dof(joint(1),3) dof(joint(1),4) "
      "ddof(joint(1),2) ddof(joint(1),3) ddof(joint(1),4) omega(body(1))];");
  td_work_set_param(r.model, r.work, td_model_param_find(r.model, "a"), 0.3);
  td_work_set_param(r.model, r.work, td_model_param_find(r.model, "b"), 0.2);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  double y[9];
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    CHECK_NEAR(y[i], e[i], 1e-14);
    CHECK_NEAR(y[3 + i], u[i], 1e-14);
    CHECK_NEAR(y[6 + i], 2 * (s * u[i] - ds * e[i] - (e[j] * u[k] - e[k] * u[j])), 1e-14);
  }

  // a state of an older run: x, e and their rates
  char why[256] = "";
  static const char old[] = "{\"t\": 0, \"q\": [0.1, 0.3, -0.4, 0.5], \"v\": [1, 0.7, 0.2, -0.6]}";
  td_state* read = td_state_new(r.model);
  assert_int_equal(td_state_parse(r.model, old, read, why, sizeof why), TD_OK);
  const double position[5] = {0.1, s, e[0], e[1], e[2]};
  for (int i = 0; i < 5; i++) CHECK_NEAR(read->q[i], position[i], 1e-14);
  assert_true(read->v[0] == 1);
  for (int i = 0; i < 3; i++) CHECK_NEAR(read->v[1 + i], y[6 + i], 1e-14);
  assert_int_equal(td_state_parse(r.model, "{\"q\": [0, 0.9, 0.9, 0]}", read, why, sizeof why),
                   TD_E_SYNTAX);
  assert_non_null(strstr(why, "length below 1"));
  td_state_free(read);
  robot_close(&r);
}

// Where a single number is given, shared or counted, the vector part itself is the state.
static void single_numbers_keep_the_vector_part(void** state) {
  (void)state;
  static const struct {
    const char* text;
    bool note;
  } cases[] = {
      {"joint(1).dof(2).motion = .1*t;", true},
      {"joint(2).first = 1; joint(2).second = 2; joint(2).tr.rot = [1 inf]; "
       "joint(2).dof(1).equal2 = [1 2]; body(2).m = 1; body(2).I = eye(3);",
       true},
      {"sensor(1).name = 'a'; sensor(1).value = q(2);", true},
      {"joint(1).chart = 'vector';", false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [0 inf inf "
             "inf];\n%s",
             cases[k].text);
    robot r = robot_open(text);
    assert_int_equal(r.n.nq, r.n.nv);
    assert_int_equal(strstr(td_spec_messages(r.spec), "half a turn") != NULL, cases[k].note);
    robot_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_spin_goes_on),
      cmocka_unit_test(a_pendulum_goes_over_the_top),
      cmocka_unit_test(initial_values_are_those_of_the_vector_part),
      cmocka_unit_test(single_numbers_keep_the_vector_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
