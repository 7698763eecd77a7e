// Equal steps: as many as asked for, one tangent and one factorisation each, order 5, fast modes
// die out, switches are met, a step that is too long ends the run with advice.
#include "robot.h"
#include "tendril/control.h"

static td_status simulate(const char* text, double step, double t_final, td_sim_stats* stats,
                          double* last, char* why) {
  robot r = robot_open(text);
  td_sim_options o = td_sim_options_default();
  td_trajectory* rows = NULL;
  o.solver = TD_SOLVER_FIXED;
  o.rtol = 1e-10;
  o.atol = 1e-13;
  o.step = step;
  o.t_final = o.dt_out = t_final;
  const td_status status = td_simulate(r.model, r.work, r.state, &o, &rows);
  const td_sizes n = td_model_sizes(r.model);
  *stats = *td_trajectory_stats(rows);
  if (why) snprintf(why, 800, "%s", td_trajectory_diagnosis(rows));
  const int count = td_trajectory_rows(rows);
  if (count > 0)
    memcpy(last, td_trajectory_q(rows, count - 1), sizeof(double) * (size_t)(n.nq + n.nv));
  td_trajectory_free(rows);
  robot_close(&r);
  return status;
}

// A pendulum that swings wide: the reference is the step of a 16th, whose error is 1e-6 of that of
// the longest one.
static void the_order_is_five(void** state) {
  (void)state;
  const char* text =
      "world.g = [0 0 -9.81]; body(1).m = 1; body(1).l_com = [0 0 -0.5]; body(1).I = zeros(3);\n"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 2;\n";
  double x[5][2], error[4];
  td_sim_stats stats;
  for (int k = 0; k < 5; k++) {
    const double step = 0.04 / (1 << k);
    assert_int_equal(simulate(text, step, 1.2, &stats, x[k], NULL), TD_OK);
    assert_int_equal(stats.steps, (long)(1.2 / step + 0.5));
    assert_int_equal(stats.factorisations, stats.steps);
    assert_int_equal(stats.tangents, stats.steps + 1);  // the choice of the solver takes one
  }
  for (int k = 0; k < 3; k++) error[k] = fabs(x[k][0] - x[4][0]) + fabs(x[k][1] - x[4][1]);
  for (int k = 0; k < 2; k++) {
    if (getenv("TENDRIL_RATES")) print_message("order %.2f\n", log2(error[k] / error[k + 1]));
    assert_true(log2(error[k] / error[k + 1]) > 4.6);
  }
}

// A damped mode of 1e-7 s and a slow one of 1 s in one model: steps of 0.01 s follow the slow one.
static void fast_modes_die_out(void** state) {
  (void)state;
  const char* text =
      "for i = 1:2, body(i).m = 1; joint(i).second = i; joint(i).tr(1).trans = [inf 0 0]; end\n"
      "joint(1).dof(1).damp.visc = 1e7; joint(1).dof(1).spring.coeff = 1e9;\n"
      "joint(1).dof(1).init = 0.1; joint(1).dof(1).rate = 3;\n"
      "joint(2).dof(1).spring.coeff = 1; joint(2).dof(1).init = 1;\n";
  td_sim_stats stats;
  double x[4];
  assert_int_equal(simulate(text, 0.01, 2, &stats, x, NULL), TD_OK);
  CHECK_NEAR(x[0], 0, 1e-9);
  CHECK_NEAR(x[1], cos(2), 1e-10);
  CHECK_NEAR(x[3], -sin(2), 1e-10);
  assert_int_equal(stats.steps, 200);
}

// A mass that falls onto a spring on one side (5 cm below): the closed form of fall and half a
// swing, within the error of order 5 since steps end where the spring begins to act.
static void switches_are_met(void** state) {
  (void)state;
  const char* text =
      "world.g = [0 0 -10]; body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf];\n"
      "x = dof(joint(1), 1); joint(1).dof(1).input = -400*min(x + 0.05, 0);\n";
  td_sim_stats stats;
  double x[2];
  assert_int_equal(simulate(text, 0.01, 0.15, &stats, x, NULL), TD_OK);
  // y = x + 0.05: y'' = -400 y - 10 from y = 0, y' = -1 at t = 0.1
  const double s = 0.05, y = -0.025 + 0.025 * cos(20 * s) - 0.05 * sin(20 * s);
  CHECK_NEAR(x[0], y - 0.05, 1e-8);  // five steps with ω h = 0.2: 0.05 (ω h)^6 / 7200 each
  CHECK_NEAR(x[1], -0.5 * sin(20 * s) - cos(20 * s), 2e-7);
}

static void a_step_that_is_too_long_is_refused_with_advice(void** state) {
  (void)state;
  const char* text =
      "world.g = [0 0 -9.81]; for i = 1:3, body(i).m = 1; body(i).I = 0.01*eye(3);\n"
      "body(i).l_com = [0 0 -0.2]; joint(i).second = i; joint(i).first = i - 1;\n"
      "joint(i).tr(1).trans = [0 0 -0.4*(i > 1)]; joint(i).tr(2).rot = [2 inf];\n"
      "joint(i).dof(1).init = 1; joint(i).dof(1).rate = 20*(-1)^i; end\n";
  td_sim_stats stats;
  double x[6];
  char why[800];
  assert_int_not_equal(simulate(text, 2, 8, &stats, x, why), TD_OK);
  assert_non_null(strstr(why, "take shorter steps (par.step, --step)"));
  assert_int_equal(simulate(text, 1e-3, 0.1, &stats, x, why), TD_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_is_five), cmocka_unit_test(fast_modes_die_out),
      cmocka_unit_test(switches_are_met),
      cmocka_unit_test(a_step_that_is_too_long_is_refused_with_advice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
