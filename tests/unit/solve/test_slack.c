// Cables that cannot be stretched: shapes, tensions and slackness at rest; motion on a string that
// goes slack and catches again.
#include "engine/engine.h"
#include "robot.h"

static const double pi = 3.14159265358979323846;

static td_equil_result settle(robot* r) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &result), TD_OK);
  assert_true(result.converged);
  return result;
}

static void sensors_of(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

#define SILICONE                                                                                 \
  "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = " \
  "1e3;\n"
#define EI (1e6 * pi * pow(0.015, 4) / 4)
#define EA (1e6 * pi * pow(0.015, 2))

// ---- at rest ----------------------------------------------------------------------------------

// A straight cable at d, drawn in by x = L (T/EA + T d²/EI), bends the rod to a circle.
static void test_a_straight_cable_bends_a_rod_to_a_circle(void** state) {
  (void)state;
  static const char* const models[] = {"srl", "ebr", "eba", "gvs"};
  for (int k = 0; k < 4; k++) {
    char text[600];
    snprintf(text, sizeof text,
             SILICONE
             "rod(1).model = '%s'; rod(1).n = 6; cable(1).path = [.01 0]; cable(1).pull = .005;\n"
             "sensor(1).name = 'y'; sensor(1).value = [tension(cable(1)) length(cable(1)) "
             "strain(rod(1), .15)];\n",
             models[k]);
    robot r = robot_open(text);
    double y[8];
    settle(&r);
    sensors_of(&r, y);
    const double T = 0.005 / 0.3 / (1 / EA + 1e-4 / EI);
    CHECK_NEAR(y[0], T, 1e-8);  // ten times that of Newton's method
    CHECK_NEAR(y[1], 0.295, 1e-9);
    CHECK_NEAR(y[6], T * 0.01 / EI, 1e-8);
    robot_close(&r);
  }
}

// Of a rod that only bends the tip turns by pull/d, whatever its stiffness and weight.
static void test_the_tip_turns_by_the_pull_over_the_offset(void** state) {
  (void)state;
  robot r = robot_open(
      SILICONE
      "world.g = [0 0 -9.81]; rod(1).model = 'ebr'; rod(1).n = 8; rod(1).modes = [0 0 0 0 1 0]; "
      "rod(1).E = 1e6*(1 + 2*s); cable(1).path = [.01 0]; cable(1).pull = .008;\n"
      "sensor(1).name = 'R'; sensor(1).value = rot(rod(1), .3);\n");
  double y[9];
  settle(&r);
  sensors_of(&r, y);
  CHECK_NEAR(atan2(y[6], y[8]), 0.8, 1e-9);
  robot_close(&r);
}

// Drawn in by as much as a tension has shortened it the cable has this tension, and the rod the
// same shape.
static void test_the_pull_that_a_tension_brings_about_has_that_tension(void** state) {
  (void)state;
  static const char* const models[] = {"srl", "ebr", "eba", "rom", "gvs"};
  for (int k = 0; k < 5; k++) {
    double y[2][5], pull = 0;
    for (int i = 0; i < 2; i++) {
      char text[700], drive[60] = "cable(1).tension = 4;";
      if (i > 0) snprintf(drive, sizeof drive, "cable(1).pull = %.17g;", pull);
      snprintf(text, sizeof text,
               SILICONE
               "world.g = [3 0 -9.81]; rod(1).model = '%s'; rod(1).n = 4; "
               "cable(1).path = .01*[cos(20*s) sin(20*s)]; cable(1).to = .26; %s\n"
               "sensor(1).name = 'y'; sensor(1).value = [tension(cable(1)) length(cable(1)) "
               "pos(rod(1), .3)];\n",
               models[k], drive);
      robot r = robot_open(text);
      double start[5];
      sensors_of(&r, start);
      settle(&r);
      sensors_of(&r, y[i]);
      pull = start[1] - y[i][1];
      robot_close(&r);
    }
    // Newton's method ends below 1e-10 of the forces and of the length, and the last step is
    // shorter
    for (int j = 0; j < 5; j++) CHECK_NEAR(y[1][j], y[0][j], 1e-8);
  }
}

// T(k) = T - c/k + ...: the elastic cable comes as near as 1/k, its extrapolation as 1/k².
static void test_it_is_the_limit_of_stiff_cables(void** state) {
  (void)state;
  double T[4];
  for (int i = 0; i < 4; i++) {
    char text[600], stiffness[60] = "";
    if (i > 0)
      snprintf(stiffness, sizeof stiffness, "cable(1).stiffness = %g;", 4e4 * pow(2, i - 1));
    snprintf(text, sizeof text,
             SILICONE
             "world.g = [3 0 -9.81]; rod(1).model = 'gvs'; cable(1).path = .01*[cos(9*s) sin(9*s)];"
             " cable(1).pull = .01; %s\n"
             "sensor(1).name = 'T'; sensor(1).value = tension(cable(1));\n",
             stiffness);
    robot r = robot_open(text);
    settle(&r);
    sensors_of(&r, &T[i]);
    robot_close(&r);
  }
  CHECK_NEAR((T[0] - T[1]) / (T[0] - T[2]), 2, 0.05);
  CHECK_NEAR((T[0] - (2 * T[2] - T[1])) / (T[0] - (2 * T[3] - T[2])), 4, 0.2);
}

// Two cables at ±d: x1,2 = L ((T1 + T2)/EA ± (T1 - T2) d²/EI) while both pull.
static void test_a_cable_that_would_push_is_slack(void** state) {
  (void)state;
  static const char text[] = SILICONE
      "rod(1).model = 'ebr'; rod(1).n = 4; cable(1).path = [.01 0]; cable(2).path = [-.01 0]; "
      "cable(1).pull = .004; x = param('x', 0); cable(2).pull = x;\n"
      "sensor(1).name = 'T'; sensor(1).value = [tension(cable(1)) tension(cable(2)) "
      "length(cable(2))];\n";
  robot r = robot_open(text);
  double y[3];
  td_equil_result result = settle(&r);
  sensors_of(&r, y);
  const double sum = 0.002 / 0.3 * EA, difference = 0.002 / 0.3 * EI / 1e-4;
  assert_string_equal(result.note, "");
  CHECK_NEAR(y[0], (sum + difference) / 2, 1e-8);
  CHECK_NEAR(y[1], (sum - difference) / 2, 1e-8);

  // let out farther than the other one bends the rod
  assert_int_equal(td_work_set_param(r.model, r.work, 0, -0.01), TD_OK);
  result = settle(&r);
  sensors_of(&r, y);
  assert_string_equal(result.note, "slack: cable(2)");
  CHECK_NEAR(y[0], 0.004 / 0.3 / (1 / EA + 1e-4 / EI), 1e-8);
  assert_true(y[1] == 0 && y[2] < 0.31);

  // and tightened again
  assert_int_equal(td_work_set_param(r.model, r.work, 0, 0), TD_OK);
  assert_string_equal(settle(&r).note, "");
  robot_close(&r);
}

// x1,2 = L ((T1 + T2)/EA ± (T1 - T2) d²/EI), and T2 = 0 from where x2 = L T1 (1/EA - d²/EI) on.
static void test_a_path_of_equilibria_has_a_corner_where_a_cable_goes_slack(void** state) {
  (void)state;
  robot r = robot_open(SILICONE
                       "rod(1).model = 'gvs'; cable(1).path = [.01 0]; cable(2).path = [-.01 0]; "
                       "x = param('x', .002); cable(1).pull = .002; cable(2).pull = x;\n"
                       "sensor(1).name = 'T'; sensor(1).value = [tension(cable(1)) "
                       "tension(cable(2))];\n");
  td_trace_options options = td_trace_options_default();
  options.param = 0;
  options.from = 0.002;
  options.to = -0.004;
  td_trace_result* path;
  assert_int_equal(td_trace(r.model, r.work, r.state, &options, &path), TD_OK);
  assert_true(path->complete);
  const double a = 1 / EA, b = 1e-4 / EI;
  for (int i = 0; i < path->n; i++) {
    const double *T = path->sensors + 2 * i, x = path->p[i];
    const double sum = (0.002 + x) / (2 * 0.3 * a), difference = (0.002 - x) / (2 * 0.3 * b);
    const bool taut = x > 0.002 * (a - b) / (a + b);
    assert_true(path->kind[i] == TD_REGULAR);
    CHECK_NEAR(T[0], taut ? (sum + difference) / 2 : 0.002 / 0.3 / (a + b), 1e-8);
    CHECK_NEAR(T[1], taut ? (sum - difference) / 2 : 0, 1e-8);
  }
  td_trace_free(path);
  robot_close(&r);
}

static void test_cables_side_by_side_share_the_tension(void** state) {
  (void)state;
  robot r = robot_open(SILICONE
                       "rod(1).model = 'gvs'; cable(1).path = [.01 0]; cable(1).pull = .005; "
                       "cable(2).path = [.01 0]; cable(2).pull = .005;\n"
                       "sensor(1).name = 'T'; sensor(1).value = [tension(cable(1)) "
                       "tension(cable(2))];\n");
  double y[2];
  settle(&r);
  sensors_of(&r, y);
  const double T = 0.005 / 0.3 / (1 / EA + 1e-4 / EI);
  CHECK_NEAR(y[0], T / 2, 1e-8);
  CHECK_NEAR(y[1], T / 2, 1e-8);
  robot_close(&r);
}

// Of two at the same place the one that is drawn in farther pulls alone, at rest and when it begins
// to move.
static void test_the_shorter_of_two_cables_pulls_alone(void** state) {
  (void)state;
  robot r = robot_open(SILICONE
                       "rod(1).model = 'gvs'; rod(1).modes = [0 0 0 1 1 0]; cable(1).path = [.01 "
                       "0]; cable(1).pull = .004; cable(2).path = [.01 0]; cable(2).pull = .005;\n"
                       "sensor(1).name = 'T'; sensor(1).value = [tension(cable(1)) "
                       "tension(cable(2)) length(cable(1))]; par.t_final = .01;\n");
  const td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  double y[3];
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
  CHECK_NEAR(td_trajectory_sensors(run, 0)[2], 0.295, 1e-12);
  td_trajectory_free(run);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  assert_string_equal(settle(&r).note, "slack: cable(1)");
  sensors_of(&r, y);
  CHECK_NEAR(y[0], 0, 0);
  CHECK_NEAR(y[1], 0.005 / 0.3 / 1e-4 * EI, 1e-8);
  robot_close(&r);
}

#define STRING                                                                           \
  "world.g = [0 0 -10]; body(1).m = 2; body(1).I = eye(3); joint(1).second = 1; "        \
  "joint(1).tr.trans = [inf 0 inf]; joint(1).dof(2).init = -1; cable(1).via = {0, 1};\n" \
  "sensor(1).name = 'y'; sensor(1).value = [tension(cable(1)) length(cable(1)) pos(body(1))];\n"

static void test_a_bob_on_a_string_swings_as_a_pendulum(void** state) {
  (void)state;
  robot r = robot_open(STRING "cable(1).pull = .36;\n");
  td_modes_result* modes;
  double y[5];
  settle(&r);
  sensors_of(&r, y);
  CHECK_NEAR(y[0], 20, 1e-9);
  assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
  assert_int_equal(modes->n, 1);
  CHECK_NEAR(modes->omega[0], sqrt(10 / 0.64), 1e-9);
  td_modes_free(modes);
  robot_close(&r);
}

// ---- in motion --------------------------------------------------------------------------------

static void test_masses_over_a_pulley_accelerate_as_atwood_found(void** state) {
  (void)state;
  robot r = robot_open(
      "world.g = [0 0 -10]; for k = 1:2, body(k).m = 3 - k; body(k).I = eye(3); "
      "joint(k).second = k; joint(k).tr.trans = [k 0 inf]; joint(k).dof.init = -1; end\n"
      "cable(1).via = {1, 0, 0, 2}; cable(1).points = [0 0 0; 1 0 0; 2 0 0; 0 0 0]; "
      "cable(1).pull = .2*t^2;\n");
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  // 2 (-10 - a1) + T = 0,  -10 - a2 + T = 0,  a1 + a2 = pull" = 0.4
  const double a1 = (-10 + 0.4) / 3, T = 20 + 2 * a1;
  CHECK_NEAR(td_work_vdot(r.work)[0], a1, 1e-14);
  CHECK_NEAR(td_work_vdot(r.work)[1], 0.4 - a1, 1e-14);
  CHECK_NEAR(td_work_lambda(r.work)[0], T, 1e-14);
  robot_close(&r);
}

static td_trajectory* simulate(robot* r) {
  const td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  const td_status status = td_simulate(r->model, r->work, r->state, &options, &run);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(run));
  assert_int_equal(status, TD_OK);
  return run;
}

static double energy_of(const td_trajectory* run, int row) {
  const double* e = td_trajectory_energy(run, row);
  return e[0] + e[1] + e[2];
}

// Thrown with v0 at the bottom of a circle of radius 1 the bob leaves it where cos θ = (2 -
// v0²/g)/3 with the speed v² = -g cos θ, flies for 4 v sin θ/g and keeps of its velocity what is
// across the string.  Steps err by rtol.
static void test_a_thrown_bob_flies_and_is_caught(void** state) {
  (void)state;
  static const char* const solvers[] = {"explicit", "stiff"};
  const double g = 10, m = 2, v0 = 6, c = (2 - v0 * v0 / g) / 3, s = sqrt(1 - c * c);
  const double v = sqrt(-g * c), time = 4 * v * s / g;
  const double vx = v * c, vz = v * s - g * time;  // when it is caught
  const double x = s + vx * time, z = -c + v * s * time - g * time * time / 2;
  const double across = (vx * z - vz * x), left = m * (across * across / 2 + g * z);
  CHECK_NEAR(x * x + z * z, 1, 1e-14);
  for (int k = CHECK_SANITIZED; k < 2; k++) {
    char text[900];
    snprintf(text, sizeof text,
             STRING
             "cable(1).pull = 0; joint(1).dof(1).rate = 6; par.t_final = 2; par.dt_out = 1e-3; "
             "par.rtol = 1e-9; par.atol = 1e-11; par.solver = '%s';\n",
             solvers[k]);
    robot r = robot_open(text);
    td_trajectory* run = simulate(&r);
    const int rows = td_trajectory_rows(run);
    int slack = 0;
    double longest = 0, worst = 0;
    for (int i = 0; i < rows; i++) {
      const double* y = td_trajectory_sensors(run, i);
      slack += y[0] == 0;
      longest = fmax(longest, y[1]);
      worst = fmax(worst,
                   fabs(energy_of(run, i) - energy_of(run, 0) - td_trajectory_energy(run, i)[3]));
    }
    CHECK_NEAR(1e-3 * slack, time, 1e-3);  // counted in rows of a millisecond
    CHECK_REACHED("length beyond the string's", longest - 1, 2e-10);  // the overshoot of a catch
    CHECK_REACHED(solvers[k], fabs(energy_of(run, rows - 1) - left) / energy_of(run, 0), 1e-6);
    CHECK_REACHED("balance of energies", worst / energy_of(run, 0), 1e-6);
    td_trajectory_free(run);
    robot_close(&r);
  }
}

// Steps of fixed length catch at their ends: up to one of them late, v dt too far.
static void test_fixed_steps_catch_too(void** state) {
  (void)state;
  const double dt = CHECK_SANITIZED ? 1e-3 : 2.5e-4, g = 10, c = (2 - 36 / g) / 3,
               s = sqrt(1 - c * c), v = sqrt(-g * c);
  const double time = 4 * v * s / g, vx = v * c, vz = v * s - g * time, x = s + vx * time,
               z = -c + v * s * time - g * time * time / 2, across = vx * z - vz * x;
  robot r = robot_open(STRING "cable(1).pull = 0; joint(1).dof(1).rate = 6;\n");
  for (int i = 0; i * dt < 2; i++)
    assert_int_equal(td_fixed_step(r.model, r.state, r.work, dt), TD_OK);
  const td_energies e = td_energy(r.model, r.state, r.work);
  // the height and both velocities change by their rates times dt
  const double late = 2 * dt * (g * fabs(vz) + 2 * fabs(across) * (g + fabs(vz)));
  CHECK_REACHED("energy after the catch", fabs(e.kinetic + e.gravity - across * across - 20 * z),
                late);
  robot_close(&r);
}

// Dropped on a string that is 0.2 too long a mass stops at once; then it is hauled up at 0.5 m/s,
// let down faster than it falls, and caught.
static void test_a_dropped_mass_is_caught_and_hauled(void** state) {
  (void)state;
  robot r = robot_open(
      "world.g = [0 0 -10]; body(1).m = 2; body(1).I = eye(3); joint(1).second = 1; "
      "joint(1).tr.trans = [0 0 inf]; joint(1).dof.init = -1; cable(1).via = {0, 1};\n"
      "cable(1).pull = -.2 + .5*ramp(t, 1, 2) - .4*ramp(t, 3, 3.01);\n"
      "sensor(1).name = 'y'; sensor(1).value = [tension(cable(1)) length(cable(1)) vel(body(1))];\n"
      "par.t_final = 4; par.dt_out = .1; par.rtol = 1e-9; par.atol = 1e-11;\n");
  td_trajectory* run = simulate(&r);
  const double *fall = td_trajectory_sensors(run, 1), *rest = td_trajectory_sensors(run, 5),
               *haul = td_trajectory_sensors(run, 15), *end = td_trajectory_sensors(run, 40);
  CHECK_NEAR(fall[0], 0, 0);
  CHECK_NEAR(fall[1], 1.05, 1e-9);
  CHECK_NEAR(rest[0], 20, 1e-9);
  CHECK_NEAR(rest[1], 1.2, 1e-9);
  CHECK_NEAR(haul[0], 20, 1e-9);
  CHECK_NEAR(haul[4], 0.5, 1e-9);
  CHECK_NEAR(end[0], 20, 1e-8);
  CHECK_NEAR(energy_of(run, 5) - energy_of(run, 0), -2 * 10 * 0.2, 1e-8);
  for (int i = 0; i < td_trajectory_rows(run); i++)
    CHECK_NEAR(energy_of(run, i) - energy_of(run, 0), td_trajectory_energy(run, i)[3], 1e-7);
  td_trajectory_free(run);
  robot_close(&r);
}

// Largest difference between the change of the energies and the work, relative to the work.
static double imbalance(const char* text, long* events) {
  robot r = robot_open(text);
  td_trajectory* run = simulate(&r);
  double worst = 0, size = 0;
  for (int i = 0; i < td_trajectory_rows(run); i++) {
    const double work = td_trajectory_energy(run, i)[3];
    worst = fmax(worst, fabs(energy_of(run, i) - energy_of(run, 0) - work));
    size = fmax(size, fabs(work));
  }
  *events = td_trajectory_stats(run)->events;
  td_trajectory_free(run);
  robot_close(&r);
  return worst / size;
}

// A hanging arm on two cables, one let go with a jump of its speed while the other one pulls.
static void test_the_energies_of_an_arm_on_cables_are_in_balance(void** state) {
  (void)state;
  static const char* const solvers[] = {"explicit", "stiff"};
  for (int k = CHECK_SANITIZED; k < 2; k++) {
    char text[900];
    long events;
    snprintf(text, sizeof text,
             SILICONE
             "world.g = [0 0 9.81]; rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 1 1 -1];\n"
             "cable(1).path = [.01 0]; cable(1).pull = .01*ramp(t, .02, .1) - .02*ramp(t, .15, "
             ".2);\n"
             "cable(2).path = [-.01 0]; cable(2).pull = -.009*ramp(t, .02, .1);\n"
             "par.t_final = .3; par.dt_out = .01; par.rtol = 1e-8; par.atol = 1e-10; par.solver = "
             "'%s';\n",
             solvers[k]);
    CHECK_REACHED(solvers[k], imbalance(text, &events), 1e-6);  // as in test_drive_work.c
    assert_true(events > 0);
  }
}

// Caught, a cable opens the gap of its neighbour, which then opens its own, ever less and without
// end: soon both are taut.
static void test_cables_that_open_each_other_come_to_rest(void** state) {
  (void)state;
  long events;
  const double error = imbalance(
      "world.g = [0 0 9.81]; rod(1).model = 'ebr'; rod(1).length = 0.3; rod(1).radius = 0.012; "
      "rod(1).E = 5e5; rod(1).rho = 1000; rod(1).eta = 1e3; rod(1).n = 4;\n"
      "for k = 1:3, a = 2*pi*k/3; cable(k).path = .01*[cos(a) sin(a)]; "
      "cable(k).pull = .006*sin(6*t + a) - .002; end\n"
      "par.t_final = .2; par.rtol = 1e-7; par.atol = 1e-9;\n",
      &events);
  CHECK_REACHED("three cables around an arm", error, 1e-5);  // a hundred times rtol, as above
  assert_true(events > 3 && events < 40);
}

// A load on a string at its length: it hangs with T = m g, or falls towards the anchor, or flies
// off it, with a slack string.  The initial state is decided at once, one set by hand when asked
// for.
static void test_a_string_does_not_push_at_the_start(void** state) {
  (void)state;
  static const struct {
    double g, rate, tension, acceleration;
  } cases[] = {{-9.81, 0, 2 * 9.81, 0}, {9.81, 0, 0, 9.81}, {-9.81, 0.5, 0, -9.81}};
  for (int k = 0; k < 3; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "world.g = [0 0 %g]; body(1).m = 2; joint(1).first = 0; joint(1).second = 1; "
             "joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).init = -1; joint(1).dof(1).rate = %g; "
             "cable(1).via = {0, 1}; cable(1).points = [0 0 0; 0 0 0]; cable(1).pull = 0;\n"
             "sensor(1).name = 'T'; sensor(1).value = tension(cable(1));\n",
             cases[k].g, cases[k].rate);
    robot r = robot_open(text);
    double T;
    for (int again = 0; again < 2; again++) {
      sensors_of(&r, &T);
      CHECK_NEAR(T, cases[k].tension, 1e-12);
      CHECK_NEAR(td_work_vdot(r.work)[0], cases[k].acceleration, 1e-12);
      // higher up it is slack, and back again it is as before
      const double q = r.state->q[0];
      r.state->q[0] = -0.5;
      assert_int_equal(td_taut_choose(r.model, r.state, r.work), TD_OK);
      sensors_of(&r, &T);
      CHECK_NEAR(T, 0, 0);
      CHECK_NEAR(td_work_vdot(r.work)[0], cases[k].g, 1e-12);
      r.state->q[0] = q;
      assert_int_equal(td_taut_choose(r.model, r.state, r.work), TD_OK);
    }
    robot_close(&r);
  }
}

// A string between two bodies that a loop holds together: whether it counts as taut or not is
// rounding, and the two swing as they do without it.
static void test_a_string_along_what_is_rigid_does_nothing(void** state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    double at[2][3];
    for (int with = 0; with < 2; with++) {
      char text[1200];
      snprintf(text, sizeof text,
               "world.g = [1 2 -9]; body(1).m = 1; body(1).I = 0.01*diag([1 1.2 1.4]);"
               "body(1).l_com = [0.1 0.05 0]; body(2).m = 0.7; body(2).I = 0.01*eye(3);"
               "joint(1).second = 1; joint(1).tr.rot = [%g 1 2 3]; joint(1).type = 'revolute';"
               "joint(1).axis = [1 %g 0.3]; joint(1).dof(1).rate = 1;"
               "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0.1 0.2 0.3];"
               "joint(2).type = 'helical'; joint(2).pitch = 0.05; joint(2).axis = [1 2 %g];"
               "joint(3).first = 2; joint(3).second = 1; joint(3).tr.trans = [0.02 0.03 0.1];"
               "joint(3).tr2nd.trans = [0.12 0.23 0.4]; joint(3).type = 'spherical';"
               "sensor(1).name = 'p'; sensor(1).value = pos(body(2)); par.t_final = 0.2;%s",
               0.1 + 0.4 * k, 0.5 * k - 1, 0.2 * k,
               with ? "cable(1).via = {2, 1, 2}; cable(1).pull = 0; cable(1).points = "
                      "[0.03 0.05 -0.03; -0.07 0.09 -0.03; 0.06 -0.03 -0.07];"
                    : "");
      robot r = robot_open(text);
      td_sim_options options = td_sim_options_default();
      td_trajectory* rows = NULL;
      options.rtol = options.atol = 1e-10;
      if (td_simulate(r.model, r.work, r.state, &options, &rows) != TD_OK)
        fail_msg("%s", td_trajectory_diagnosis(rows));
      sensors_of(&r, at[with]);
      td_trajectory_free(rows);
      robot_close(&r);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(at[1][i], at[0][i], 1e-8);
  }
}

// A cable beside a rod that bends in one plane, at a distance in the other one: its row is what
// rounding leaves of that distance, r cos(pi/2).  It neither holds the rod nor counts as a row.
static void test_a_cable_beside_the_plane_of_bending_does_nothing(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl"};
  for (int k = 0; k < 6; k++) {
    double tip[2][3];
    for (int with = 0; with < 2; with++) {
      char text[1200];
      snprintf(text, sizeof text,
               "world.g = [0 -7 0]; r = 0.012; rod(1).tr.rot = [%g 1 2 3]; rod(1).length = 0.25;\n"
               "rod(1).radius = 0.014; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = 1e3;\n"
               "rod(1).model = '%s'; rod(1).modes = [0 0 0 1 0 0]; rod(1).n = 3;\n"
               "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1)); par.t_final = 0.2;\n%s",
               0.7 * (k / 3), models[k % 3],
               with ? "cable(1).rod = 1; cable(1).path = [r r*cos(pi/2)]; cable(1).pull = 0;" : "");
      robot r = robot_open(text);
      td_sim_options options = td_sim_options_default();
      td_trajectory* rows = NULL;
      assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
      assert_int_equal(td_work_flags(r.work).constraint_rank, 0);
      assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &rows), TD_OK);
      sensors_of(&r, tip[with]);
      td_trajectory_free(rows);
      robot_close(&r);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip[1][i], tip[0][i], 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_string_along_what_is_rigid_does_nothing),
      cmocka_unit_test(test_a_cable_beside_the_plane_of_bending_does_nothing),
      cmocka_unit_test(test_a_string_does_not_push_at_the_start),
      cmocka_unit_test(test_a_straight_cable_bends_a_rod_to_a_circle),
      cmocka_unit_test(test_the_tip_turns_by_the_pull_over_the_offset),
      cmocka_unit_test(test_the_pull_that_a_tension_brings_about_has_that_tension),
      cmocka_unit_test(test_it_is_the_limit_of_stiff_cables),
      cmocka_unit_test(test_a_cable_that_would_push_is_slack),
      cmocka_unit_test(test_a_path_of_equilibria_has_a_corner_where_a_cable_goes_slack),
      cmocka_unit_test(test_cables_side_by_side_share_the_tension),
      cmocka_unit_test(test_the_shorter_of_two_cables_pulls_alone),
      cmocka_unit_test(test_a_bob_on_a_string_swings_as_a_pendulum),
      cmocka_unit_test(test_masses_over_a_pulley_accelerate_as_atwood_found),
      cmocka_unit_test(test_a_thrown_bob_flies_and_is_caught),
      cmocka_unit_test(test_fixed_steps_catch_too),
      cmocka_unit_test(test_a_dropped_mass_is_caught_and_hauled),
      cmocka_unit_test(test_the_energies_of_an_arm_on_cables_are_in_balance),
      cmocka_unit_test(test_cables_that_open_each_other_come_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
