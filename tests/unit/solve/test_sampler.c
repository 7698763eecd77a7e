// Sampled control against exact recursions of a mass: rate, delay, quantum, limits, tasks.
#include "robot.h"
#include "solve/control/sampler.h"

#define MASS                                                                               \
  "F = input('F', 0); body(1).m = 1; body(1).I = zeros(3); joint(1).second = 1;"           \
  "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F; joint(1).dof(1).init = 1;" \
  "control(1).law = -4*dof(joint(1), 1) - 3*ddof(joint(1), 1);"

static td_trajectory* run(robot* r, double t_final, double dt) {
  td_sim_options o = td_sim_options_default();
  o.rtol = o.atol = 1e-11;
  o.t_final = t_final;
  o.dt_out = dt;
  td_trajectory* rows = NULL;
  if (td_simulate(r->model, r->work, r->state, &o, &rows) != TD_OK)
    fail_msg("%s", td_trajectory_diagnosis(rows));
  return rows;
}

// x'' = u over h: x + v h + u h^2/2, v + u h
static void push(double* x, double* v, double u, double h) {
  *x += *v * h + u * h * h / 2;
  *v += u * h;
}

static double law(double x, double v) { return -4 * x - 3 * v; }

static void test_inputs_are_held_between_samples(void** state) {
  (void)state;
  robot r = robot_open(MASS "par.control.rate = 20;");
  td_trajectory* rows = run(&r, 2, 0.05);
  double x = 1, v = 0;
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    CHECK_NEAR(td_trajectory_q(rows, i)[0], x, 1e-9);
    push(&x, &v, law(x, v), 0.05);
  }
  td_trajectory_free(rows);
  robot_close(&r);
}

// Inputs arrive a period and a half after the measurement; before that the default holds.
static void test_a_delay_need_not_be_a_multiple_of_the_period(void** state) {
  (void)state;
  robot r = robot_open(MASS "par.control.rate = 20; par.control.delay = 0.075;");
  td_trajectory* rows = run(&r, 1, 0.05);
  double x = 1, v = 0, now = 0, queue[3] = {0, 0, 0};
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    CHECK_NEAR(td_trajectory_q(rows, i)[0], x, 1e-9);
    queue[2] = law(x, v);  // measured at this sample, arrives in the middle of the next period
    push(&x, &v, now, 0.025);
    now = i > 0 ? queue[1] : 0;
    push(&x, &v, now, 0.025);
    queue[1] = queue[2];
  }
  td_trajectory_free(rows);
  robot_close(&r);
}

static void test_inputs_have_steps_and_limits(void** state) {
  (void)state;
  robot r = robot_open(
      MASS "par.control.rate = 50; par.control.quantum = 0.25; control(1).limits = [-1.1 1.1];");
  td_trajectory* rows = run(&r, 2, 0.02);
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    const double u = td_trajectory_inputs(rows, i)[0];
    assert_true(u == 0.25 * round(u / 0.25) && fabs(u) <= 1.25);
  }
  td_trajectory_free(rows);
  robot_close(&r);
}

// At all times: x'' + 3 x' + 4 x = 0, with the exact Jacobian for the stiff solver.
static void test_a_law_at_all_times_is_part_of_the_equations(void** state) {
  (void)state;
  for (int solver = TD_SOLVER_EXPLICIT; solver <= TD_SOLVER_STIFF; solver++) {
    robot r = robot_open(MASS);
    td_sim_options o = td_sim_options_default();
    o.rtol = o.atol = 1e-9;
    o.t_final = 2;
    o.solver = (td_solver)solver;
    td_trajectory* rows = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
    const double w = sqrt(4 - 2.25), x = exp(-3) * (cos(2 * w) + 1.5 / w * sin(2 * w));
    CHECK_NEAR(r.state->q[0], x, 1e-6);
    td_trajectory_free(rows);
    robot_close(&r);
  }
}

// A stiff law at all times (rate 1e5 1/s) costs the BDF solver few steps: its Jacobian is exact.
static void test_fast_laws_are_integrated_implicitly(void** state) {
  (void)state;
  robot r = robot_open(
      "F = input('F', 0); body(1).m = 1; body(1).I = zeros(3); joint(1).second = 1;"
      "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F; joint(1).dof(1).init = 1;"
      "control(1).law = -1e5*ddof(joint(1), 1) - 1e5*dof(joint(1), 1);");
  td_sim_options o = td_sim_options_default();
  o.t_final = 1;
  td_trajectory* rows = NULL;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
  CHECK_NEAR(r.state->q[0], exp(-1), 1e-4);
  assert_true(td_trajectory_stats(rows)->steps < 1000);
  td_trajectory_free(rows);
  robot_close(&r);
}

// A sampled task tracks to the order of the period; with integral action to no error at rest.
static void test_sampled_tasks_track(void** state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    char text[800];
    snprintf(text, sizeof text,
             "F = input('F', 0); body(1).m = 2; body(1).I = zeros(3); joint(1).second = 1;"
             "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;"
             "task(1).value = dof(joint(1), 1); task(1).desired = 0.1*sin(t)^2; task(1).P = 100;"
             "task(1).D = 20; task(1).I = 100; par.control.rate = %d;"
             "sensor(1).name = 'e'; sensor(1).value = dof(joint(1), 1) - 0.1*sin(t)^2;",
             k ? 800 : 100);
    robot r = robot_open(text);
    td_trajectory* rows = run(&r, 2, 0.05);
    error[k] = 0;
    for (int i = 0; i < td_trajectory_rows(rows); i++)
      error[k] = fmax(error[k], fabs(td_trajectory_sensors(rows, i)[0]));
    td_trajectory_free(rows);
    robot_close(&r);
  }
  CHECK_REACHED("sampled task at 100 Hz", error[0], 2e-4);
  CHECK_REACHED("sampled task at 800 Hz", error[1], error[0] / 4);  // an eighth in the limit
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inputs_are_held_between_samples),
      cmocka_unit_test(test_a_delay_need_not_be_a_multiple_of_the_period),
      cmocka_unit_test(test_inputs_have_steps_and_limits),
      cmocka_unit_test(test_a_law_at_all_times_is_part_of_the_equations),
      cmocka_unit_test(test_fast_laws_are_integrated_implicitly),
      cmocka_unit_test(test_sampled_tasks_track),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
