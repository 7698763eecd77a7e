// Helical joints that close loops, against closed forms and against screws of the main chain.
#include "robot.h"
#include "tendril/tools.h"

// Sensors at the end of a run to `t` from the state as it is, and the error of the energy balance.
static double run(robot* r, double t, td_solver solver, double* y) {
  td_sim_options o = td_sim_options_default();
  td_trajectory* rows = NULL;
  o.t_final = t;
  o.rtol = 1e-9;
  o.atol = 1e-11;
  o.solver = solver;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &rows), TD_OK);
  const double error = td_trajectory_stats(rows)->energy_error;
  td_trajectory_free(rows);
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  return error;
}

// A shaft that turns under a torque T moves a nut that cannot turn: z = z0 - h θ, and
// (J + m h²) θ'' = T + m g h, over 277 turns.
static const char jack[] =
    "h = param('h', .01); world.g = [0 0 -9.81];\n"
    "body(1).m = 1; body(1).I = diag([1 1 .003]); joint(1).second = 1; joint(1).tr.rot = [3 inf]; "
    "joint(1).dof(1).input = .5;\n"
    "body(2).m = 2; body(2).I = eye(3); joint(2).second = 2; joint(2).tr.trans = [0 0 inf]; "
    "joint(2).dof(1).init = .3;\n"
    "joint(3).first = 1; joint(3).second = 2; joint(3).type = 'helical'; joint(3).pitch = h;\n"
    "sensor(1).name = 'y'; sensor(1).value = [dof(joint(1),1) dof(joint(2),1) "
    "lambda(joint(3))(3)];";

static void check_jack(const double* y, double h, double t) {
  const double turn = (.5 + 2 * 9.81 * h) / (.003 + 2 * h * h), angle = .5 * turn * t * t;
  CHECK_NEAR(y[0] / angle, 1, 1e-9);
  CHECK_NEAR(y[1], .3 - h * angle, 1e-7);
  CHECK_NEAR(y[2], 2 * (9.81 - h * turn), 1e-9);
}

static void a_jack_turns_as_often_as_it_likes(void** state) {
  (void)state;
  static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_LEAPFROG, TD_SOLVER_STIFF};
  for (int k = 0; k < 4; k++) {
    char text[1024];
    snprintf(text, sizeof text, "par.linear = '%s'; %s", k < 3 ? "dense" : "sparse", jack);
    robot r = robot_open(text);
    double y[3];
    CHECK_NEAR(run(&r, 4, solvers[k % 3], y), 0, 1e-6);
    check_jack(y, .01, 4);

    // another pitch, from the start
    td_work_set_param(r.model, r.work, td_model_param_find(r.model, "h"), -.02);
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
    run(&r, 1, solvers[k % 3], y);
    check_jack(y, -.02, 1);
    robot_close(&r);
  }
}

// The state alone tells the turn: it goes on in a work that has not seen the motion before.
static void a_state_goes_on_elsewhere(void** state) {
  (void)state;
  robot a = robot_open(jack), b = robot_open(jack);
  double y[3];
  run(&a, 2, TD_SOLVER_EXPLICIT, y);
  assert_int_equal(td_state_copy(b.model, a.state, b.state), TD_OK);
  run(&b, 4, TD_SOLVER_EXPLICIT, y);
  check_jack(y, .01, 4);
  robot_close(&a);
  robot_close(&b);
}

// A differential screw: a shaft in a thread h1 of the ground carries a thread h2 with a nut that
// cannot turn, z = (h1 - h2) θ.  Torque T against a spring k of the nut: k z (h1 - h2) = T, and
// ω² = k (h1 - h2)² / (J + m1 h1² + m2 (h1 - h2)²).
static void a_differential_screw(void** state) {
  (void)state;
  robot r = robot_open(
      "body(1).m = 2; body(1).I = diag([1 1 .004]); joint(1).second = 1; joint(1).type = "
      "'helical'; joint(1).pitch = .011; joint(1).dof(1).input = .05;\n"
      "body(2).m = 3; body(2).I = eye(3); joint(2).second = 2; joint(2).type = 'prismatic'; "
      "joint(2).dof(1).spring.coeff = 400;\n"
      "joint(3).first = 1; joint(3).second = 2; joint(3).type = 'helical'; joint(3).pitch = .01;\n"
      "sensor(1).name = 'y'; sensor(1).value = [dof(joint(1),1) dof(joint(2),1)];");
  const td_equil_options o = td_equil_options_default();
  td_equil_result found;
  double y[2];
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &found), TD_OK);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  CHECK_NEAR(y[1], .05 / (400 * .001), 1e-10);
  CHECK_NEAR(y[0] / (.125 / .001), 1, 1e-10);
  robot_close(&r);
}

// A body in a skew thread, once by the joint that makes it and once by a loop that holds it, its
// centre of mass beside the axis; and in a thread of a body that moves itself.
static void a_loop_moves_as_the_joint_itself(void** state) {
  (void)state;
  static const char carrier[] =
      "world.g = [1 0 -9.81]; body(1).m = 1; body(1).I = diag([.1 .2 .25]); body(1).l_com = [.1 .2 "
      "0]; joint(1).second = 1; joint(1).tr.rot = [1 inf]; joint(1).tr(2).rot = [2 .3]; body(2).m "
      "= "
      ".7; body(2).I = .01*diag([1 2 2.5]); body(2).l_com = [.1 -.05 .2]; sensor(1).name = 'y'; "
      "sensor(1).value = [dof(joint(1),1) pos(body(2)) vel(body(2)) omega(body(2))];\n";
  static const char* const ways[] = {
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.3 0 .1]; joint(2).type = "
      "'helical'; joint(2).axis = [1 2 -.5]; joint(2).pitch = .05; joint(2).dof(1).rate = 2;",
      "joint(2).first = 1; joint(2).second = 2; joint(2).type = 'free'; joint(2).dof(1).init = .3; "
      "joint(2).dof(3).init = .1; n = [1 2 -.5]/norm([1 2 -.5]); for i = 1:3, joint(2).dof(i).rate "
      "= .05*2*n(i); joint(2).dof(3+i).rate = 2*n(i); end\n"
      "joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [.3 0 .1]; joint(3).type = "
      "'helical'; joint(3).axis = [1 2 -.5]; joint(3).pitch = .05;",
  };
  double y[2][10];
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", carrier, ways[k]);
    robot r = robot_open(text);
    CHECK_NEAR(run(&r, 4, TD_SOLVER_EXPLICIT, y[k]), 0, 1e-6);
    robot_close(&r);
  }
  for (int i = 0; i < 10; i++) CHECK_NEAR(y[1][i], y[0][i], 1e-6);
}

// A rhombus whose width a screw gives: 2 l sin α = w0 - h θ, more than five turns apart.
static void turns_are_counted_in_statics(void** state) {
  (void)state;
  robot r = robot_open(
      "l = .2; a = .5; for i = 1:6, body(i).m = .5; body(i).I = 1e-3*eye(3); end\n"
      "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).init = -a; "
      "joint(1).dof(1).spring.coeff = 500; joint(1).dof(1).spring.init = -.35;\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0 0 l]; joint(2).tr(2).rot = "
      "[2 inf]; joint(2).dof(1).init = 2*a;\n"
      "joint(3).second = 3; joint(3).tr.rot = [2 inf]; joint(3).dof(1).init = a; "
      "joint(3).dof(1).spring.coeff = 500; joint(3).dof(1).spring.init = .35;\n"
      "joint(4).first = 3; joint(4).second = 4; joint(4).tr.trans = [0 0 l]; joint(4).tr(2).rot = "
      "[2 inf]; joint(4).dof(1).init = -2*a;\n"
      "joint(5).first = 2; joint(5).second = 4; joint(5).tr.trans = [0 0 l]; joint(5).tr2nd.trans "
      "= "
      "[0 0 l]; joint(5).type = 'revolute'; joint(5).axis = [0 1 0];\n"
      "joint(6).first = 1; joint(6).second = 5; joint(6).tr.trans = [0 0 l]; joint(6).tr(2).rot = "
      "[2 inf]; joint(6).dof(1).init = a; joint(6).tr(3).rot = [1 inf];\n"
      "joint(7).first = 3; joint(7).second = 6; joint(7).tr.trans = [0 0 l]; joint(7).tr(2).rot = "
      "[2 inf]; joint(7).dof(1).init = -a;\n"
      "joint(8).first = 5; joint(8).second = 6; joint(8).type = 'helical'; joint(8).axis = [1 0 "
      "0]; joint(8).pitch = .01/(2*pi);\n"
      "sensor(1).name = 'y'; sensor(1).value = [dof(joint(6),2) dof(joint(1),1) dof(joint(3),1)];");
  const td_equil_options o = td_equil_options_default();
  td_equil_result found;
  double y[3];
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &found), TD_OK);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  CHECK_NEAR(y[1], -.35, 1e-8);
  CHECK_NEAR(y[2], .35, 1e-8);
  CHECK_NEAR(y[0], 2 * .2 * (sin(.5) - sin(.35)) / (.01 / 6.283185307179586), 1e-6);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_jack_turns_as_often_as_it_likes),
      cmocka_unit_test(a_state_goes_on_elsewhere),
      cmocka_unit_test(a_differential_screw),
      cmocka_unit_test(a_loop_moves_as_the_joint_itself),
      cmocka_unit_test(turns_are_counted_in_statics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
