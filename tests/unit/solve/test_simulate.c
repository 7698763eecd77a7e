// Simulation through the public interface on models small enough to be solved by hand: rows,
// events, stop times, switches, energy balance, stopping, failing, the choice of the solver.
#include "check.h"
#include "tendril/tendril.h"

typedef struct sim {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_sim_options options;
  td_trajectory* rows;
} sim;

// A body of 1 kg that slides along x, and what else the text says.
#define SLIDER            \
  "body(1).m = 1;"        \
  "body(1).I = zeros(3);" \
  "joint(1).second = 1;"  \
  "joint(1).tr(1).trans = [inf 0 0];"

static sim open_text(const char* text) {
  sim s = {.spec = td_spec_new(), .options = td_sim_options_default()};
  if (td_spec_load_string(s.spec, "test.m", text) != TD_OK ||
      td_model_compile(s.spec, &s.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(s.spec));
    fail();
  }
  s.work = td_work_new(s.model);
  s.state = td_state_new(s.model);
  assert_int_equal(td_state_initial(s.model, s.work, s.state), TD_OK);
  return s;
}

static td_status simulate(sim* s) {
  td_trajectory_free(s->rows);
  return td_simulate(s->model, s->work, s->state, &s->options, &s->rows);
}

static void run(sim* s, double t_final, double dt_out, double tol) {
  s->options.t_final = t_final;
  s->options.dt_out = dt_out;
  s->options.rtol = s->options.atol = tol;
  if (simulate(s) == TD_OK) return;
  print_error("%s\n", td_trajectory_diagnosis(s->rows));
  fail();
}

static void close_model(sim* s) {
  td_trajectory_free(s->rows);
  td_state_free(s->state);
  td_work_free(s->work);
  td_model_free(s->model);
  td_spec_free(s->spec);
}

static double balance(const sim* s) {
  const double* e0 = td_trajectory_energy(s->rows, 0);
  double worst = 0;
  for (int i = 0; i < td_trajectory_rows(s->rows); i++) {
    const double* e = td_trajectory_energy(s->rows, i);
    worst = fmax(worst, fabs(e[0] + e[1] + e[2] - e[3] - e0[0] - e0[1] - e0[2]));
  }
  return worst;
}

// ---- rows -------------------------------------------------------------------------------------

static void rows_are_multiples_by_index_and_end_at_the_end(void** state) {
  (void)state;
  sim s = open_text(SLIDER "joint(1).dof(1).rate = 1;");
  run(&s, 1.05, 0.1, 1e-8);
  assert_int_equal(td_trajectory_rows(s.rows), 12);
  for (int i = 0; i < 11; i++) assert_true(td_trajectory_time(s.rows, i) == i * 0.1);
  assert_true(td_trajectory_time(s.rows, 11) == 1.05);
  for (int i = 0; i < 12; i++)
    CHECK_NEAR(td_trajectory_q(s.rows, i)[0], td_trajectory_time(s.rows, i), 1e-12);
  CHECK_NEAR(s.state->t, 1.05, 0);
  CHECK_NEAR(s.state->q[0], 1.05, 1e-12);
  close_model(&s);
}

static void a_multiple_of_the_interval_gives_no_extra_row(void** state) {
  (void)state;
  sim s = open_text(SLIDER);
  run(&s, 1, 0.1, 1e-8);
  assert_int_equal(td_trajectory_rows(s.rows), 11);
  assert_true(td_trajectory_time(s.rows, 10) == 1);
  close_model(&s);
}

static void the_file_may_say_it_all(void** state) {
  (void)state;
  sim s = open_text(SLIDER
                    "par.t_final = 2; par.dt_out = 0.5; par.solver = 'stiff'; par.rtol = 1e-5;"
                    "joint(1).dof(1).damp.visc = 1; joint(1).dof(1).rate = 1;");
  assert_int_equal(simulate(&s), TD_OK);
  assert_int_equal(td_trajectory_rows(s.rows), 5);
  assert_int_equal(td_trajectory_stats(s.rows)->solver, TD_SOLVER_STIFF);
  assert_true(isnan(td_trajectory_stats(s.rows)->time_error));
  CHECK_NEAR(s.state->v[0], exp(-2), 1e-3);
  close_model(&s);
}

// ---- events -----------------------------------------------------------------------------------

// thrown up with 3 m/s against 10 m/s²: back at the start height after 0.6 s, and not at once
static void a_stop_event_ends_the_run_with_a_row(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim s = open_text(SLIDER
                      "world.g = [-10 0 0]; joint(1).dof(1).rate = 3;"
                      "event(1).when = dof(joint(1), 1); event(1).then = 'stop';");
    s.options.solver = k == 0 ? TD_SOLVER_EXPLICIT : TD_SOLVER_STIFF;
    run(&s, 5, 0.25, 1e-9);
    const int last = td_trajectory_rows(s.rows) - 1;
    assert_int_equal(last, 3);
    CHECK_NEAR(td_trajectory_time(s.rows, last), 0.6, k == 0 ? 1e-12 : 1e-7);
    CHECK_NEAR(td_trajectory_q(s.rows, last)[0], 0, 1e-7);
    assert_int_equal(td_trajectory_event_count(s.rows), 1);
    const td_sim_stats* stats = td_trajectory_stats(s.rows);
    assert_false(stats->partial);
    CHECK_NEAR(stats->t_end, 0.6, 1e-7);
    close_model(&s);
  }
}

// x = cos(10 t); marks do not change a bit of the motion
static void marks_are_recorded_and_change_nothing(void** state) {
  (void)state;
  const char* plain = SLIDER "joint(1).dof(1).spring.coeff = 100; joint(1).dof(1).init = 1;";
  const char* marked = SLIDER
      "joint(1).dof(1).spring.coeff = 100; joint(1).dof(1).init = 1;"
      "event(1).when = dof(joint(1), 1); event(2).when = dof(joint(1), 1) - 0.5;";
  sim a = open_text(plain), b = open_text(marked);
  run(&a, 1, 0.01, 1e-11);
  run(&b, 1, 0.01, 1e-11);
  assert_int_equal(td_trajectory_event_count(b.rows), 6);
  double previous = 0;
  for (int i = 0; i < 6; i++) {
    double t;
    int event;
    td_trajectory_event(b.rows, i, &t, &event);
    assert_true(t > previous);
    CHECK_NEAR(cos(10 * t), event == 0 ? 0 : 0.5, 1e-9);
    previous = t;
  }
  assert_true(a.state->q[0] == b.state->q[0] && a.state->v[0] == b.state->v[0]);
  close_model(&a);
  close_model(&b);
}

// free flight from -1 with 1 m/s, half a period of the one-sided spring, free flight back
static void one_sided_springs_are_switched_at_the_corner(void** state) {
  (void)state;
  sim s = open_text(SLIDER
                    "joint(1).dof(1).spring.coeff = 100; joint(1).dof(1).dir = 1;"
                    "joint(1).dof(1).init = -1; joint(1).dof(1).rate = 1;");
  run(&s, 2, 0.01, 1e-10);
  CHECK_NEAR(s.state->q[0], -(2 - 1 - 3.14159265358979 / 10), 1e-8);
  CHECK_NEAR(s.state->v[0], -1, 1e-8);
  CHECK_NEAR(balance(&s), 0, 1e-8);
  close_model(&s);
}

// ---- stop times -------------------------------------------------------------------------------

// force 3 from t = 0.3 on: x = 3/2 (t - 0.3)², at the loosest tolerance
static void a_step_input_is_met_exactly(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim s = open_text(SLIDER "joint(1).dof(1).input = 3*step(t, 0.3);");
    s.options.solver = k == 0 ? TD_SOLVER_EXPLICIT : TD_SOLVER_STIFF;
    run(&s, 1, 0.1, 1e-4);
    assert_int_equal(td_trajectory_stats(s.rows)->stops, 1);
    CHECK_NEAR(s.state->q[0], 1.5 * 0.49, k == 0 ? 1e-13 : 1e-3);
    CHECK_NEAR(td_trajectory_q(s.rows, 3)[0], 0, 1e-15);
    CHECK_NEAR(balance(&s), 0, k == 0 ? 1e-13 : 1e-3);
    close_model(&s);
  }
}

// ---- energy -----------------------------------------------------------------------------------

// prescribed motion, a damper and a spring: the work of the drive and the loss are integrated
// x'' = ramp(t, 0, 1): the corner of the input is the start of the run; x(1) = 1/6.
static void a_corner_at_the_start_is_passed_over(void** state) {
  (void)state;
  sim s = open_text(SLIDER "joint(1).dof(1).input = ramp(t, 0, 1);");
  run(&s, 1, 0.5, 1e-10);
  CHECK_NEAR(s.state->q[0], 1.0 / 6, 1e-9);
  run(&s, 2, 0.5,
      1e-10);  // and again from the corner at t = 1, with unit force: x(2) = 1/6 + 1/2 + 1/2
  CHECK_NEAR(s.state->q[0], 7.0 / 6, 1e-9);
  close_model(&s);
}

static void work_of_drives_and_dampers_balances_the_energy(void** state) {
  (void)state;
  sim s =
      open_text(SLIDER
                "joint(1).dof(1).motion = 0.2*sin(3*t);"
                "body(2).m = 0.5; body(2).I = zeros(3); joint(2).first = 1; joint(2).second = 2;"
                "joint(2).tr(1).trans = [inf 0 0]; joint(2).dof(1).spring.coeff = 20;"
                "joint(2).dof(1).damp.visc = 0.7; joint(2).dof(1).input = cos(t);");
  run(&s, 5, 0.05, 1e-10);
  CHECK_NEAR(balance(&s), 0, 1e-8);
  assert_true(fabs(td_trajectory_stats(s.rows)->work_done) > 1e-3);
  CHECK_NEAR(td_trajectory_stats(s.rows)->energy_error, 0, 1e-8);
  close_model(&s);
}

// a mass moved as x = sin t: all the work goes into its kinetic energy, and nothing is left to
// integrate
static void given_motion_alone_can_be_run(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    sim s = open_text(SLIDER "joint(1).dof(1).motion = sin(t);");
    s.options.solver = (td_solver)k;
    run(&s, 2, 0.1, 1e-9);
    CHECK_NEAR(s.state->q[0], sin(2), 1e-15);
    CHECK_NEAR(td_trajectory_stats(s.rows)->work_done, (cos(2) * cos(2) - 1) / 2, 1e-9);
    CHECK_NEAR(balance(&s), 0, 1e-9);
    close_model(&s);
  }
}

// ---- solver -----------------------------------------------------------------------------------

static void a_model_that_becomes_stiff_changes_the_solver(void** state) {
  (void)state;
  sim s = open_text(SLIDER
                    "joint(1).dof(1).spring.coeff = 10; joint(1).dof(1).init = 1;"
                    "joint(1).dof(1).damp.visc = 0.1 + 1e5*ramp(t, 1, 2);");
  run(&s, 100, 1, 1e-6);
  const td_sim_stats* stats = td_trajectory_stats(s.rows);
  assert_int_equal(stats->solver, TD_SOLVER_STIFF);
  assert_int_equal(strncmp(stats->why, "from t = ", 9), 0);
  assert_true(stats->steps < 20000);
  assert_true(stats->tangents > 0 && stats->factorisations > 0);
  close_model(&s);
}

// Dampers of a net, 4e4 1/s, hold explicit steps down although nothing moves that fast: fifty
// thousand evaluations with these, about a thousand with BDF.
static void damped_nets_are_left_to_the_stiff_solver(void** state) {
  (void)state;
  sim s = open_text(
      "world.g = [0 0 -9.81]; mesh(1).grid = [9 8]; mesh(1).size = [0.4 0.35];"
      "mesh(1).fixed = 'edge'; mesh(1).body.m = 0.005; mesh(1).joint(2).spring.coeff = 100;"
      "mesh(1).joint(2).damp.visc = 50; mesh(1).joint(3).spring.coeff = 30;");
  run(&s, 0.5, 0.1, 1e-6);
  assert_int_equal(td_trajectory_stats(s.rows)->solver, TD_SOLVER_STIFF);
  assert_true(td_trajectory_stats(s.rows)->evaluations < 5000);
  close_model(&s);
}

// Beside a swing of 2 rad/s another mass on an undamped spring, 1e4 rad/s, that hardly moves: some
// twenty thousand explicit steps would be needed to keep it there, Radau steps over it.
static void fast_modes_that_hardly_move_are_stepped_over(void** state) {
  (void)state;
  sim s = open_text(SLIDER
                    "joint(1).dof(1).spring.coeff = 4; joint(1).dof(1).init = 1;"
                    "body(2).m = 1; joint(2).second = 2; joint(2).tr.trans = [0 inf 0];"
                    "joint(2).dof(1).spring.coeff = 1e8; joint(2).dof(1).init = 1e-12;");
  run(&s, 10, 1, 1e-8);
  assert_int_equal(td_trajectory_stats(s.rows)->solver, TD_SOLVER_STIFF);
  assert_true(td_trajectory_stats(s.rows)->steps < 1000);
  CHECK_NEAR(s.state->q[0], cos(20), 1e-6);
  close_model(&s);
}

// The highest functions of a fine rod have hardly any mass: a force at a point gives them
// accelerations of 1e7 that are rounded by 0.1, which a tolerance of 1e-8 at speeds of nothing does
// not allow.  Explicit steps are then 4e-8 s where the fastest mode, of 1.7e4 1/s, needs 1e-4 s;
// they took 10175 evaluations here.
static void rounding_of_accelerations_is_not_followed(void** state) {
  (void)state;
  sim r = open_text(
      "world.g = [4 -2 5]; rod(1).length = 0.25; rod(1).radius = 0.01;"
      "rod(1).stiffness = [31 31 92 0.0024 0.0024 0.0016]; rod(1).order = [-1 -1 -1 -1 28 -1];"
      "rod(1).inertia = [0.36 0.36 0.36 9.5e-6 9.5e-6 1.9e-5];"
      "body(1).m = 1.3; body(1).l_com = [0.04 0.03 0.02]; body(1).I = 0.015*eye(3);"
      "joint(1).first = rod(1); joint(1).second = 1; joint(1).type = 'fixed';"
      "joint(2).first = 0; joint(2).second = at(rod(1), 0.16); joint(2).tr.trans = [0.3 0.1 0.1];"
      "joint(2).spring.coeff = 68; joint(2).spring.init = 0.1;"
      "sensor(1).name = 'p'; sensor(1).value = pos(rod(1), 0.16);"
      "par.t_final = 0.002; par.rtol = 1e-8; par.atol = 1e-8;");
  td_sim_options o = td_sim_options_default();
  double at[2][3];
  for (int k = 0; k < 2; k++) {
    td_trajectory* out = NULL;
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &out), TD_OK);
    assert_int_equal(td_sensors(r.model, r.state, r.work, at[k]), TD_OK);
    if (k == 0) assert_true(td_trajectory_stats(out)->evaluations < 5000);
    td_trajectory_free(out);
    o.solver = TD_SOLVER_EXPLICIT, o.rtol = o.atol = 1e-5;  // too loose for the rounding to show
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(at[0][i], at[1][i], 1e-9);
  close_model(&r);
}

// x = cos 10 t: the estimate is not far from the error of the run it is about
static void halving_estimates_the_time_error(void** state) {
  (void)state;
  sim s = open_text(SLIDER "joint(1).dof(1).spring.coeff = 100; joint(1).dof(1).init = 1;");
  run(&s, 20, 1, 1e-6);
  const double coarse = fabs(s.state->q[0] - cos(200));
  assert_int_equal(td_state_initial(s.model, s.work, s.state), TD_OK);
  s.options.halve = true;
  run(&s, 20, 1, 1e-6);
  const double fine = fabs(s.state->q[0] - cos(200)),
               estimate = td_trajectory_stats(s.rows)->time_error;
  assert_true(fine < coarse);
  assert_true(estimate > 0.3 * coarse && estimate < 30 * coarse + 1e-9);
  close_model(&s);
}

static void the_same_run_gives_the_same_bits(void** state) {
  (void)state;
  const char* text = SLIDER
      "joint(1).dof(1).spring.coeff = 7; joint(1).dof(1).init = 1; joint(1).dof(1).damp.visc = "
      "0.3;";
  sim a = open_text(text), b = open_text(text);
  run(&a, 3, 0.01, 1e-7);
  run(&b, 3, 0.01, 1e-7);
  for (int i = 0; i < td_trajectory_rows(a.rows); i++) {
    assert_true(td_trajectory_q(a.rows, i)[0] == td_trajectory_q(b.rows, i)[0]);
  }
  close_model(&a);
  close_model(&b);
}

// ---- stopping and failing ---------------------------------------------------------------------

static bool refuse(void* user, double fraction, const char* what) {
  (void)what;
  assert_true(fraction >= 0 && fraction <= 1);
  ++*(int*)user;
  return false;
}

static void the_caller_may_stop_and_keeps_the_rows(void** state) {
  (void)state;
  sim s = open_text(SLIDER "joint(1).dof(1).spring.coeff = 100; joint(1).dof(1).init = 1;");
  int calls = 0;
  s.options.t_final = 1000;
  s.options.progress = refuse;
  s.options.user = &calls;
  assert_int_equal(simulate(&s), TD_E_STOPPED);
  assert_int_equal(calls, 1);
  assert_true(td_trajectory_stats(s.rows)->partial);
  assert_true(td_trajectory_rows(s.rows) >= 1);
  assert_true(strlen(td_trajectory_diagnosis(s.rows)) > 0);
  close_model(&s);
}

static void steps_may_be_limited(void** state) {
  (void)state;
  sim s = open_text(SLIDER "joint(1).dof(1).spring.coeff = 100; joint(1).dof(1).init = 1;");
  s.options.t_final = 1000;
  s.options.max_steps = 20;
  assert_int_equal(simulate(&s), TD_E_STOPPED);
  assert_int_equal(td_trajectory_stats(s.rows)->steps, 20);
  assert_non_null(strstr(td_trajectory_diagnosis(s.rows), "20 steps"));
  close_model(&s);
}

// v' = v³ from v = 1 is infinite at t = 1/2
static void an_explosion_is_diagnosed(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim s =
        open_text(SLIDER "joint(1).dof(1).rate = 1; joint(1).dof(1).input = ddof(joint(1), 1)^3;");
    s.options.solver = k == 0 ? TD_SOLVER_EXPLICIT : TD_SOLVER_STIFF;
    s.options.t_final = 1;
    assert_int_equal(simulate(&s), TD_E_DIVERGED);
    const td_sim_stats* stats = td_trajectory_stats(s.rows);
    assert_true(stats->partial);
    CHECK_NEAR(stats->t_end, 0.5, 1e-3);
    assert_in_range(td_trajectory_rows(s.rows), 50, 51);
    assert_non_null(strstr(td_trajectory_diagnosis(s.rows), td_model_v_name(s.model, 0)));
    close_model(&s);
  }
}

// An arm that straightens: where its bend vanishes the place of the bend means nothing, the mass
// matrix is singular and the steps collapse.
static void a_run_that_stands_still_ends(void** state) {
  (void)state;
  sim s = open_text(
      "x = s/0.2; rod(1).model = 'gvs'; rod(1).length = 0.2; rod(1).radius = 0.01 - 0.009*x;\n"
      "rod(1).E = 1e4; rod(1).rho = 1000; rod(1).coords = 3; c = coord(rod(1));\n"
      "rod(1).strain = [0 0 0 c(1)/(1 + (c(2)*(x - c(3)))^2) 0 0];\n"
      "rod(1).init = [-70 10 0.5]; rod(1).points = 10;\n");
  s.options.t_final = 1;
  s.options.max_steps = 100000;  // without the look at it, it would get there
  assert_int_equal(simulate(&s), TD_E_DIVERGED);
  assert_true(td_trajectory_stats(s.rows)->t_end < 0.9);
  // a coordinate grows without bound on the way: seen first, or only that steps have collapsed
  const char* why = td_trajectory_diagnosis(s.rows);
  assert_true(strstr(why, "rod(1)[1].coord goes to infinity at about t = 0.29") ||
              strstr(why, "stands still"));
  assert_non_null(strstr(why, "fastest change there: rod(1)["));
  assert_non_null(strstr(why, "coordinates that keep their meaning"));
  close_model(&s);
}

// What is given over time and has a pole, or overflows, ends every solver there soon, and is named.
static void a_pole_is_named(void** state) {
  (void)state;
  static const char* const texts[] = {
      "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000;"
      "rod(1).eta = 100; rod(1).coords = 1; c = coord(rod(1));"
      "rod(1).strain = [0 0 0 0 c(1) + 0.01/(t - 0.5) 0];",
      SLIDER
      "joint(1).dof(1).motion = 0.1/(0.5 - t); body(2).m = 1; joint(2).first = 1;"
      "joint(2).second = 2; joint(2).tr.trans = [inf 0 0]; joint(2).dof(1).spring.coeff = 10;",
      SLIDER
      "joint(1).dof(1).motion = 1e-3*log(1 + exp(1420*t)); body(2).m = 1; joint(2).first = 1;"
      "joint(2).second = 2; joint(2).tr.trans = [inf 0 0]; joint(2).dof(1).spring.coeff = 10;"};
  static const char* const names[] = {"the strain given for rod(1) goes to infinity",
                                      "the motion given for joint(1).dof(1) goes to infinity",
                                      "the motion given for joint(1).dof(1) goes to infinity"};
  static const td_solver solvers[] = {TD_SOLVER_AUTO, TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF,
                                      TD_SOLVER_LEAPFROG};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      sim s = open_text(texts[i]);
      s.options.solver = solvers[k];
      s.options.t_final = 1;
      assert_int_equal(simulate(&s), TD_E_DIVERGED);
      const td_sim_stats* stats = td_trajectory_stats(s.rows);
      CHECK_NEAR(stats->t_end, 0.5, 0.06);  // up to three steps before it, each a fiftieth
      assert_true(stats->evaluations < 50000);
      assert_non_null(strstr(td_trajectory_diagnosis(s.rows), names[i]));
      close_model(&s);
    }
}

// A push of exp(-((t - a)/w)^2) N has the impulse w sqrt(pi); a base that moves so pulls a mass on
// a spring of 100 N/m as much.  However short it is beside the run of 1 s, every solver feels it.
static void short_pushes_are_felt(void** state) {
  (void)state;
  static const char* const pushes[] = {
      SLIDER
      "p = param('w', 1); exload(1).exbody = 1;"
      "exload(1).ftau = [exp(-((t - 0.5371)/p)^2)/p 0 0];"
      "sensor(1).name = 'v'; sensor(1).value = vel(body(1))(1);",
      SLIDER
      "p = param('w', 1); joint(1).dof(1).motion = 0.01*exp(-(t - 0.5371)^2/p^2)/p;"
      "body(2).m = 1; joint(2).second = 2; joint(2).tr.trans = [inf 0 0];"
      "joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [-1e3 0 0];"
      "joint(3).spring.coeff = 100; joint(3).spring.init = 1e3;"
      "sensor(1).name = 'v'; sensor(1).value = vel(body(2))(1);"};
  static const td_solver solvers[] = {TD_SOLVER_AUTO, TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      for (double w = 1e-2; w > (i == 0 ? 1e-6 : 5e-5); w /= 10) {
        sim s = open_text(pushes[i]);
        double v;
        assert_int_equal(td_work_set_param(s.model, s.work, 0, w), TD_OK);
        s.options.solver = solvers[k];
        s.options.t_final = 0.5371 + 5 * w;
        s.options.rtol = 1e-8;
        s.options.atol = 1e-10;
        assert_int_equal(simulate(&s), TD_OK);
        assert_int_equal(td_sensors(s.model, s.state, s.work, &v), TD_OK);
        // the mass on the spring goes back by its frequency of 10 1/s times 5 w, squared
        CHECK_NEAR(v, sqrt(3.14159265358979), 1e-5 + (i == 0 ? 0 : 5000 * w * w));
        close_model(&s);
      }
}

// The end of an arm is driven with a constant acceleration, farther than the arm reaches: all
// solvers end there, soon, and say why.
static void a_control_that_becomes_impossible_ends_the_run(void** state) {
  (void)state;
  static const td_solver solvers[] = {TD_SOLVER_AUTO, TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF,
                                      TD_SOLVER_LEAPFROG};
  const double reach = 1 - (0.5 * cos(0.6) + 0.5 * cos(0.6));
  for (int k = 0; k < 4; k++) {
    sim s = open_text(
        "for k = 1:2\n body(k).m = 1; body(k).I = 0.01*eye(3); body(k).l_com = [0.25 0 0];\n end\n"
        "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof.init = 0.6;"
        "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0.5 0 0];"
        "joint(2).tr(2).rot = [3 inf]; joint(2).dof.init = -1.2; joint(3).second = 2;"
        "joint(3).tr2nd.trans = [0.5 0 0]; joint(3).fixed = [1 0 0]; joint(3).control = 0.4;");
    s.options.solver = solvers[k];
    s.options.t_final = 4;
    assert_int_equal(simulate(&s), TD_E_DIVERGED);
    const td_sim_stats* stats = td_trajectory_stats(s.rows);
    CHECK_NEAR(stats->t_end, sqrt(2 * reach / 0.4), 1e-4);
    assert_true(stats->evaluations < 100000);
    assert_non_null(strstr(td_trajectory_diagnosis(s.rows), "the accelerations of joint.control"));
    close_model(&s);
  }
}

// A mass of 1 mg behind a damper of 1e4 N s/m decays at 1e10 1/s: 2e10 explicit steps for 10 s. Who
// asks for them is told at once; short runs, others of the solver's choice and limited ones go on.
static void explicit_runs_without_end_are_refused(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    sim s = open_text(
        "body(1).m = 1e-6; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];\n"
        "joint(1).dof.damp.visc = 1e4; joint(1).dof.spring.coeff = 1e4; joint(1).dof.init = 1;\n");
    s.options.solver = k == 3 ? TD_SOLVER_AUTO : TD_SOLVER_EXPLICIT;
    s.options.t_final = k == 1 ? 1e-8 : 10;
    if (k == 2) s.options.max_steps = 100;
    const td_status status = simulate(&s);
    const char* diagnosis = td_trajectory_diagnosis(s.rows);
    if (k == 0 || k == 2) assert_int_equal(status, TD_E_STOPPED);
    if (k == 1 || k == 3) assert_int_equal(status, TD_OK);
    if (k == 0) assert_int_equal(td_trajectory_stats(s.rows)->steps, 0);
    if (k == 0) assert_non_null(strstr(diagnosis, "would need about 2e+10 steps of 5e-10 s"));
    if (k == 2) assert_non_null(strstr(diagnosis, "the limit of 100 steps"));
    close_model(&s);
  }
}

static void senseless_options_are_refused(void** state) {
  (void)state;
  const td_sim_options good = td_sim_options_default();
  for (int k = 0; k < 5; k++) {
    sim s = open_text(SLIDER);
    s.options = good;
    if (k == 0) s.options.rtol = -1;
    if (k == 1) s.options.atol = 0;
    if (k == 2) s.options.dt_out = 0;
    if (k == 3) s.options.t_final = -1;
    if (k == 4) s.options.dt_out = 1e-300;
    assert_int_equal(simulate(&s), TD_E_USAGE);
    assert_int_equal(td_trajectory_rows(s.rows), 0);
    assert_true(strlen(td_trajectory_diagnosis(s.rows)) > 0);
    close_model(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_multiples_by_index_and_end_at_the_end),
      cmocka_unit_test(a_multiple_of_the_interval_gives_no_extra_row),
      cmocka_unit_test(the_file_may_say_it_all),
      cmocka_unit_test(a_stop_event_ends_the_run_with_a_row),
      cmocka_unit_test(marks_are_recorded_and_change_nothing),
      cmocka_unit_test(one_sided_springs_are_switched_at_the_corner),
      cmocka_unit_test(a_step_input_is_met_exactly),
      cmocka_unit_test(a_corner_at_the_start_is_passed_over),
      cmocka_unit_test(work_of_drives_and_dampers_balances_the_energy),
      cmocka_unit_test(given_motion_alone_can_be_run),
      cmocka_unit_test(a_model_that_becomes_stiff_changes_the_solver),
      cmocka_unit_test(fast_modes_that_hardly_move_are_stepped_over),
      cmocka_unit_test(rounding_of_accelerations_is_not_followed),
      cmocka_unit_test(halving_estimates_the_time_error),
      cmocka_unit_test(the_same_run_gives_the_same_bits),
      cmocka_unit_test(the_caller_may_stop_and_keeps_the_rows),
      cmocka_unit_test(steps_may_be_limited),
      cmocka_unit_test(damped_nets_are_left_to_the_stiff_solver),
      cmocka_unit_test(an_explosion_is_diagnosed),
      cmocka_unit_test(a_run_that_stands_still_ends),
      cmocka_unit_test(a_pole_is_named),
      cmocka_unit_test(short_pushes_are_felt),
      cmocka_unit_test(a_control_that_becomes_impossible_ends_the_run),
      cmocka_unit_test(explicit_runs_without_end_are_refused),
      cmocka_unit_test(senseless_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
