// A plant that runs step by step: closed forms, agreement with td_simulate, reproducibility, no
// heap.
#include "failing_memory.h"

#include "robot.h"
#include "tendril/control.h"
#include "tendril/tools.h"

// A mass on a spring and a damper, pushed by F.
#define MASS(extra)                                         \
  "F = input('F', 0); body(1).m = 2; body(1).I = zeros(3);" \
  "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"  \
  "joint(1).dof(1).spring.coeff = 50; joint(1).dof(1).input = F" extra ";"

static td_plant* plant_of(robot* r, td_solver solver, double tol) {
  td_sim_options o = td_sim_options_default();
  o.rtol = o.atol = tol;
  o.solver = solver;
  td_plant* p = NULL;
  assert_int_equal(td_plant_new(r->model, r->work, r->state, &o, &p), TD_OK);
  return p;
}

// x'' = -25 x + F/2 with F held: exact map of an undamped oscillator over each step
static void test_held_inputs_give_the_exact_discrete_motion(void** state) {
  (void)state;
  for (int solver = TD_SOLVER_EXPLICIT; solver <= TD_SOLVER_STIFF; solver++) {
    robot r = robot_open(MASS(""));
    td_plant* p = plant_of(&r, (td_solver)solver, 1e-10);
    uint64_t seed = 9;
    double x = 0, v = 0, error = 0;
    for (int k = 1; k <= 200; k++) {
      const double F = k % 3 ? 10 * check_random(&seed) : 4, c = cos(0.25), s = sin(0.25);
      td_plant_inputs(p, &F);
      assert_int_equal(td_plant_step(p, 0.05 * k), TD_OK);
      const double x0 = F / 50, dx = x - x0, dv = v;
      x = x0 + dx * c + dv / 5 * s;
      v = -5 * dx * s + dv * c;
      error =
          fmax(error, fmax(fabs(td_plant_state(p)->q[0] - x), fabs(td_plant_state(p)->v[0] - v)));
      assert_true(td_plant_state(p)->t == 0.05 * k);
    }
    CHECK_REACHED(solver == TD_SOLVER_STIFF ? "held inputs, stiff" : "held inputs, explicit", error,
                  solver == TD_SOLVER_STIFF ? 1e-6 : 1e-8);
    td_plant_free(p);
    robot_close(&r);
  }
}

// A jump inside a step is integrated as well as one at its end.
static void test_stop_times_inside_a_step_are_met(void** state) {
  (void)state;
  robot r = robot_open(MASS(" + 10*step(t, 0.033)"));
  td_plant* p = plant_of(&r, TD_SOLVER_EXPLICIT, 1e-11);
  assert_int_equal(td_plant_step(p, 0.5), TD_OK);
  CHECK_NEAR(td_plant_state(p)->q[0], 0.2 * (1 - cos(5 * (0.5 - 0.033))), 1e-9);
  assert_int_equal(td_plant_step(p, 30), TD_OK);  // beyond what was looked up at first
  CHECK_NEAR(td_plant_state(p)->q[0], 0.2 * (1 - cos(5 * (30 - 0.033))), 1e-7);
  td_plant_free(p);
  robot_close(&r);
}

static void play(td_plant* p, double* out) {
  uint64_t seed = 4;
  for (int k = 1; k <= 50; k++) {
    const double F = check_random(&seed);
    td_plant_inputs(p, &F);
    assert_int_equal(td_plant_step(p, 0.01 * k), TD_OK);
  }
  out[0] = td_plant_state(p)->q[0];
  out[1] = td_plant_state(p)->v[0];
}

static void test_the_same_inputs_give_the_same_bits(void** state) {
  (void)state;
  robot r = robot_open(MASS(""));
  double a[2], b[2], c[2];
  td_plant* p = plant_of(&r, TD_SOLVER_AUTO, 1e-8);
  play(p, a);
  assert_int_equal(td_plant_reset(p, r.state), TD_OK);
  play(p, b);
  td_plant_free(p);
  p = plant_of(&r, TD_SOLVER_AUTO, 1e-8);
  play(p, c);
  td_plant_free(p);
  assert_memory_equal(a, b, sizeof a);
  assert_memory_equal(a, c, sizeof a);
  robot_close(&r);
}

// A four-bar linkage: steps of a plant end on the constraints, where a simulation ends.
static void test_constraints_hold_and_simulation_agrees(void** state) {
  (void)state;
  robot r = robot_open(
      "world.g = [0 0 -9.81];"
      "for i = 1:3, body(i).m = 1; body(i).I = 0.01*eye(3); body(i).l_com = [0 0 -0.3]; end;"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.6];"
      "joint(2).tr(2).rot = [2 inf]; joint(2).dof(1).init = -0.9;"
      "joint(3).second = 3; joint(3).tr(1).trans = [0.5 0 0]; joint(3).tr(2).rot = [2 inf];"
      "joint(4).first = [2 1]; joint(4).second = [3 1]; joint(4).tr(1).trans = [0 0 -0.6];"
      "joint(4).tr2nd(1).trans = [0 0 -0.6]; joint(4).fixed = [1 0 1];");
  td_plant* p = plant_of(&r, TD_SOLVER_EXPLICIT, 1e-10);
  for (int k = 1; k <= 20; k++) assert_int_equal(td_plant_step(p, 0.02 * k), TD_OK);
  td_sim_options o = td_sim_options_default();
  o.rtol = o.atol = 1e-10;
  o.t_final = 0.4;
  td_trajectory* rows = NULL;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
  for (int i = 0; i < r.n.nq; i++) CHECK_NEAR(td_plant_state(p)->q[i], r.state->q[i], 1e-8);
  double e[2];
  td_constraints(r.model, td_plant_state(p), r.work, NULL, e, NULL);
  assert_true(fabs(e[0]) < 1e-11 && fabs(e[1]) < 1e-11);
  td_trajectory_free(rows);
  td_plant_free(p);
  robot_close(&r);
}

// Inputs and parameters change before every step; the second robot has a loop.  Where forces jump
// at times that are parameters, these are looked up again, which takes memory for a while.
static void test_stepping_does_not_allocate(void** state) {
  (void)state;
#if !CHECK_SANITIZED
  static const char* const texts[] = {
      "k = param('k', 50);" MASS(" - k*dof(joint(1), 1)"),
      "k = param('k', 1); F = input('F', 0); world.g = [0 0 -9.81];"
      "for i = 1:3, body(i).m = 1; body(i).I = 0.01*eye(3); body(i).l_com = [0 0 -0.3]; end;"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;"
      "joint(1).dof(1).input = F; joint(1).dof(1).spring.coeff = k;"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.6];"
      "joint(2).tr(2).rot = [2 inf]; joint(2).dof(1).init = -0.9;"
      "joint(3).second = 3; joint(3).tr(1).trans = [0.5 0 0]; joint(3).tr(2).rot = [2 inf];"
      "joint(4).first = [2 1]; joint(4).second = [3 1]; joint(4).tr(1).trans = [0 0 -0.6];"
      "joint(4).tr2nd(1).trans = [0 0 -0.6]; joint(4).fixed = [1 0 1];"};
  static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF, TD_SOLVER_ADAMS,
                                      TD_SOLVER_FIXED};
  for (size_t text = 0; text < sizeof texts / sizeof *texts; text++) {
    for (size_t way = 0; way < sizeof solvers / sizeof *solvers; way++) {
      robot r = robot_open(texts[text]);
      td_plant* p = plant_of(&r, solvers[way], 1e-6);
      double F = 1;
      const int k = td_model_param_find(r.model, "k");
      assert_int_equal(td_plant_step(p, 0.01), TD_OK);
      const long before = calls;
      for (int i = 2; i < 100; i++) {
        F = -F;
        assert_int_equal(td_plant_inputs(p, &F), TD_OK);
        if (i > 50) assert_int_equal(td_work_set_param(r.model, r.work, k, 50 + F + i), TD_OK);
        assert_int_equal(td_plant_step(p, 0.01 * i), TD_OK);
        assert_int_equal(calls, before);
      }
      td_plant_free(p);
      robot_close(&r);
    }
  }
#endif
}

// A loop that new parameters do not let close: the step fails, the plant stays where it is, and
// goes on when the parameters are given back.
static void test_parameters_that_cannot_be_are_taken_back(void** state) {
  (void)state;
  robot r = robot_open(
      "a = param('a', 0.5); world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = eye(3);"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).motion = a*t;"
      "body(2).m = 1; body(2).I = eye(3); joint(2).second = 2; joint(2).tr(1).rot = [2 inf];"
      "joint(3).first = 1; joint(3).second = 2; joint(3).tr2nd(1).trans = [0 0 -1];"
      "joint(3).fixed = [1 0 0];");
  td_plant* p = plant_of(&r, TD_SOLVER_EXPLICIT, 1e-9);
  const int a = td_model_param_find(r.model, "a");
  td_status status = TD_OK;
  for (int k = 1; k <= 5 && status == TD_OK; k++) status = td_plant_step(p, 0.1 * k);
  assert_int_equal(status, TD_OK);
  const double t = td_plant_state(p)->t, x = td_plant_state(p)->q[0], y = td_plant_state(p)->q[1];
  assert_int_equal(td_work_set_param(r.model, r.work, a, 10), TD_OK);  // 5 m away, on a bar of 1 m
  for (int k = 0; k < 2; k++) {
    assert_int_not_equal(td_plant_step(p, t + 0.1), TD_OK);
    assert_true(td_plant_state(p)->t == t && td_plant_state(p)->q[0] == x);
    assert_true(td_plant_state(p)->q[1] == y);
  }
  assert_int_equal(td_work_set_param(r.model, r.work, a, 0.5), TD_OK);
  assert_int_equal(td_plant_step(p, t + 0.1), TD_OK);
  CHECK_NEAR(td_plant_state(p)->q[0], 0.5 * (t + 0.1), 1e-12);
  td_plant_free(p);
  robot_close(&r);
}

// An oscillator of 1000 rad/s without damping keeps its energy; BDF with a tenth of everything as
// tolerance damps it away within a second, and the plant says so until it begins anew.
static void test_plants_tell_whether_they_can_be_trusted(void** state) {
  (void)state;
  for (int coarse = 0; coarse < 2; coarse++) {
    robot r = robot_open(
        "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
        "joint(1).dof(1).rate = 1; joint(1).dof(1).spring.coeff = 1e6;");
    td_sim_options o = td_sim_options_default();
    td_plant* p = NULL;
    const char* reasons = NULL;
    o.solver = coarse ? TD_SOLVER_STIFF : TD_SOLVER_EXPLICIT;
    o.rtol = coarse ? 0.1 : 1e-8;
    o.atol = coarse ? 1e-3 : 1e-11;
    assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &p), TD_OK);
    assert_int_equal(td_plant_trust(p, &reasons), TD_TRUST_OK);
    for (int k = 1; k <= 4; k++) assert_int_equal(td_plant_step(p, 0.25 * k), TD_OK);
    assert_int_equal(td_plant_trust(p, &reasons), coarse ? TD_TRUST_WRONG : TD_TRUST_OK);
    assert_true(coarse ? strstr(reasons, "energies") != NULL : reasons[0] == '\0');
    assert_int_equal(td_plant_reset(p, r.state), TD_OK);
    assert_int_equal(td_plant_trust(p, NULL), TD_TRUST_OK);
    td_plant_free(p);
    robot_close(&r);
  }
}

// Steps that are stopped on the way and called again end at the same bits as undisturbed ones.
static void test_stopped_steps_go_on_to_the_same_bits(void** state) {
  (void)state;
  robot r = robot_open(MASS(" + 10*step(t, 2000)"));
  double q[2];
  int stops = 0;
  for (int pausing = 0; pausing < 2; pausing++) {
    td_sim_options o = td_sim_options_default();
    o.solver = TD_SOLVER_EXPLICIT;
    o.progress = pausing ? td_plant_pause : NULL;
    td_plant* p = NULL;
    assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &p), TD_OK);
    const double F = 1;
    assert_int_equal(td_plant_inputs(p, &F), TD_OK);
    for (int k = 1; k <= 2; k++) {
      td_status status;
      while ((status = td_plant_step(p, 2500.0 * k)) == TD_E_STOPPED) {
        stops++;
        assert_true(td_plant_state(p)->t < 2500.0 * k);
      }
      assert_int_equal(status, TD_OK);
    }
    assert_true(td_plant_state(p)->t == 5000);
    q[pausing] = td_plant_state(p)->q[0];
    td_plant_free(p);
  }
  print_message("stopped %d times\n", stops);
  assert_true(q[0] == q[1]);
  robot_close(&r);
}

static void test_steps_back_in_time_are_refused(void** state) {
  (void)state;
  robot r = robot_open(MASS(""));
  td_plant* p = plant_of(&r, TD_SOLVER_AUTO, 1e-8);
  assert_int_equal(td_plant_step(p, 0), TD_E_USAGE);
  assert_int_equal(td_plant_step(p, NAN), TD_E_USAGE);
  const double infinite = INFINITY;  // a reason that is not that of the next refusal
  assert_int_equal(td_plant_inputs(p, &infinite), TD_E_USAGE);
  assert_int_equal(td_plant_step(p, -1), TD_E_USAGE);
  assert_string_equal(td_work_failure(r.work),
                      "a step must end after the time 0 s at which the plant is, got -1 s");
  td_plant_free(p);
  robot_close(&r);
}

// The time of a jump is a parameter: put off between steps, it comes when the parameter says.
static void test_a_jump_is_put_off(void** state) {
  (void)state;
  robot r = robot_open("t0 = param('t0', 0.3);" MASS(" + 10*step(t, t0)"));
  td_plant* p = plant_of(&r, TD_SOLVER_EXPLICIT, 1e-11);
  assert_int_equal(td_plant_step(p, 0.1), TD_OK);
  assert_int_equal(td_work_set_param(r.model, r.work, 0, 0.433), TD_OK);
  assert_int_equal(td_plant_step(p, 0.5), TD_OK);
  CHECK_NEAR(td_plant_state(p)->q[0], 0.2 * (1 - cos(5 * (0.5 - 0.433))), 1e-9);
  td_plant_free(p);
  robot_close(&r);
}

// Parameters that change between steps while a ball of 1 kg lies on the ground: its weight is held
// by another stiffness, the ground rises or falls away below it.  Each time the motion from there
// on is known, and a plant that begins at that state with these parameters makes the same.
static void test_parameters_jump_in_contact(void** state) {
  (void)state;
  static const td_solver solvers[] = {TD_SOLVER_AUTO, TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF,
                                      TD_SOLVER_ADAMS};
  const double g = 10, m = 1, k0 = 1000;
  for (size_t way = 0; way < sizeof solvers / sizeof *solvers; way++) {
    for (int what = 0; what < 3; what++) {
      robot r = robot_open(
          "k = param('k', 1000); ground = param('ground', 0); world.g = [0 0 -10];\n"
          "body(1).m = 1; body(1).I = 0.004*eye(3); joint(1).second = 1;\n"
          "joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init = 0.09;\n"
          "contact(1).first = body(1); contact(1).radius = 0.1; contact(1).second = 'plane';\n"
          "contact(1).stiffness = k; contact(1).point = [0 0 ground];\n");
      td_plant* p = plant_of(&r, solvers[way], 1e-9);
      assert_int_equal(td_plant_step(p, 0.1), TD_OK);
      CHECK_NEAR(td_plant_state(p)->q[0], 0.1 - m * g / k0, 1e-9);

      // it is at rest; the new law of force has its zero at z0
      const int stiffness = td_model_param_find(r.model, "k");
      const int ground = td_model_param_find(r.model, "ground");
      const double k = what == 0 ? 4000 : k0, z0 = what == 1 ? 0.01 : what == 2 ? -0.2 : 0;
      assert_int_equal(td_work_set_param(r.model, r.work, stiffness, k), TD_OK);
      assert_int_equal(td_work_set_param(r.model, r.work, ground, z0), TD_OK);
      const double depth = 0.1 + z0 - 0.09, w = sqrt(k / m), t = 0.02;
      double z = 0.09 - g * t * t / 2;  // the ground is gone
      if (depth > 0) z = 0.1 + z0 - m * g / k - (depth - m * g / k) * cos(w * t);
      assert_int_equal(td_plant_step(p, 0.1 + t), TD_OK);
      CHECK_NEAR(td_plant_state(p)->q[0], z, 3e-8);

      // and through what follows: it flies up and comes back, or falls onto the lower ground
      robot again = robot_open(
          "k = param('k', 1000); ground = param('ground', 0); world.g = [0 0 -10];\n"
          "body(1).m = 1; body(1).I = 0.004*eye(3); joint(1).second = 1;\n"
          "joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init = 0.09;\n"
          "contact(1).first = body(1); contact(1).radius = 0.1; contact(1).second = 'plane';\n"
          "contact(1).stiffness = k; contact(1).point = [0 0 ground];\n");
      assert_int_equal(td_work_set_param(again.model, again.work, stiffness, k), TD_OK);
      assert_int_equal(td_work_set_param(again.model, again.work, ground, z0), TD_OK);
      again.state->t = 0.1, again.state->q[0] = 0.09, again.state->v[0] = 0;
      td_plant* fresh = plant_of(&again, TD_SOLVER_EXPLICIT, 1e-11);
      assert_int_equal(td_plant_step(fresh, 0.6), TD_OK);
      for (int i = 1; i <= 48; i++) assert_int_equal(td_plant_step(p, 0.12 + 0.01 * i), TD_OK);
      CHECK_NEAR(td_plant_state(p)->q[0], td_plant_state(fresh)->q[0], 3e-7);
      assert_int_equal(td_plant_trust(p, NULL), TD_TRUST_OK);
      td_plant_free(fresh);
      robot_close(&again);
      td_plant_free(p);
      robot_close(&r);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_held_inputs_give_the_exact_discrete_motion),
      cmocka_unit_test(test_stop_times_inside_a_step_are_met),
      cmocka_unit_test(test_the_same_inputs_give_the_same_bits),
      cmocka_unit_test(test_constraints_hold_and_simulation_agrees),
      cmocka_unit_test(test_stepping_does_not_allocate),
      cmocka_unit_test(test_parameters_that_cannot_be_are_taken_back),
      cmocka_unit_test(test_plants_tell_whether_they_can_be_trusted),
      cmocka_unit_test(test_stopped_steps_go_on_to_the_same_bits),
      cmocka_unit_test(test_a_jump_is_put_off),
      cmocka_unit_test(test_parameters_jump_in_contact),
      cmocka_unit_test(test_steps_back_in_time_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
