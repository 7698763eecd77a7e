// The time error of a second run with tighter tolerances covers the true one, also where steps are
// as long as they may be and do not follow the tolerances.
#include "robot.h"

// A parallelogram of three bars of 1 m and 1 kg, which passes its singular positions, swings like
//   (2/3 + 1) θ'' = 2 g sin θ,   θ(0) = 0,   θ'(0) = -1
static void swing(double t, double* q, double* v) {
  const double c = 2 * 9.81 * 3 / 5;
  const int n = (int)ceil(t / 1e-4);
  const double h = n > 0 ? t / n : 0;
  *q = 0, *v = -1;
  for (int i = 0; i < n; i++) {  // RK4: 1e-12 after 10 s
    const double k1 = *v, l1 = c * sin(*q);
    const double k2 = *v + h / 2 * l1, l2 = c * sin(*q + h / 2 * k1);
    const double k3 = *v + h / 2 * l2, l3 = c * sin(*q + h / 2 * k2);
    const double k4 = *v + h * l3, l4 = c * sin(*q + h * k3);
    *q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    *v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
}

static void test_the_time_error_covers_the_true_one(void** state) {
  (void)state;
  for (int k = 3; k <= 7; k++) {
    robot r = robot_open(
        "world.g = [0 -9.81 0];\n"
        "for k = 0:1\n  body(k+1).m = 1; body(k+1).I = diag([1/12 0 1/12]);\n"
        "  body(k+1).l_com = [0 0.5 0]; joint(k+1).second = k + 1;\n"
        "  joint(k+1).tr(1).trans = [k 0 0]; joint(k+1).tr(2).rot = [3 inf];\n"
        "  joint(k+1).dof(1).rate = -1;\nend\n"
        "body(3).m = 1; body(3).I = diag([0 1/12 1/12]); body(3).l_com = [0.5 0 0];\n"
        "joint(3).first = 1; joint(3).second = 3; joint(3).tr(1).trans = [0 1 0];\n"
        "joint(3).tr(2).rot = [3 inf]; joint(3).dof(1).rate = 1;\n"
        "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [0 1 0];\n"
        "joint(4).tr2nd.trans = [1 0 0]; joint(4).type = 'revolute';\n");
    td_sim_options options = td_sim_options_default();
    options.t_final = 10, options.dt_out = 0.25;
    options.rtol = pow(10, -k), options.atol = 0.1 * options.rtol;
    options.halve = true;
    td_trajectory* run = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    double q, v, error_q = 0, error_v = 0, size_q = 0, size_v = 0;
    for (int row = 0; row < td_trajectory_rows(run); row++) {
      swing(td_trajectory_time(run, row), &q, &v);
      error_q = fmax(error_q, fabs(td_trajectory_q(run, row)[0] - q));
      error_v = fmax(error_v, fabs(td_trajectory_v(run, row)[0] - v));
      size_q = fmax(size_q, fabs(q)), size_v = fmax(size_v, fabs(v));
    }
    const double told = td_trajectory_stats(run)->time_error;
    assert_true(fmax(error_q / size_q, error_v / size_v) < told);
    assert_true(told < 1e-3);
    td_trajectory_free(run);
    robot_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_time_error_covers_the_true_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
