// The work of what moves as time tells: the balance of energies closes along motions whose speeds
// jump and along rods whose strains follow time.
#include "robot.h"

// Largest |energy - energy at the start - work| over the rows, relative to the largest exchange.
static double imbalance(const char* text, const char* solver) {
  char all[3000];
  snprintf(all, sizeof all, "%spar.solver = '%s'; par.rtol = 1e-8; par.atol = 1e-10;\n", text,
           solver);
  robot r = robot_open(all);
  const td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
  const double* e = td_trajectory_energy(run, 0);
  const double start = e[0] + e[1] + e[2];
  double worst = 0, size = 0;
  for (int i = 0; i < td_trajectory_rows(run); i++) {
    e = td_trajectory_energy(run, i);
    worst = fmax(worst, fabs(e[0] + e[1] + e[2] - start - e[3]));
    size = fmax(size, fabs(e[3]));
  }
  td_trajectory_free(run);
  robot_close(&r);
  assert_true(size > 0);
  return worst / size;
}

static const char* const solvers[] = {"explicit", "stiff"};

// The integral of the power is carried along without a say in the steps: errors of the states,
// rtol = 1e-8, some steps long, times what is lost between one and a hundred of them.
#define TOL 1e-6

static void speeds_that_jump_do_work(void** state) {
  (void)state;
  static const char swing[] =
      "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [.2 0 0];\n"
      "body(2).m = .5; body(2).I = .02*eye(3); body(2).l_com = [.1 0 -.2];\n"
      "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof.motion = 2*ramp(t, .5, 1.3);\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [.4 0 0];\n"
      "joint(2).tr(2).rot = [1 inf]; joint(2).dof.init = .5; par.t_final = 2; par.dt_out = .1;\n";
  for (int i = 0; i < 2; i++) CHECK_REACHED(solvers[i], imbalance(swing, solvers[i]), TOL);
}

static void strains_that_follow_time_do_work(void** state) {
  (void)state;
  static const char wave[] =
      "world.g = [0 0 -9.81]; rod(1).model = 'gvs'; rod(1).length = .3; rod(1).radius = .01;\n"
      "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).eta = 300; rod(1).coords = 2; c = coord(rod(1));\n"
      "rod(1).strain = [0 0 0 c(1) + 3*sin(20*s - 4*t) c(2)*(1 + .3*sin(5*t)) .5*t];\n"
      "rod(1).points = 5; body(1).m = .02; body(1).I = 1e-5*eye(3);\n"
      "joint(1).first = rod(1); joint(1).second = 1; par.t_final = .5; par.dt_out = .05;\n";
  // a swimmer's tail that has no coordinates at all, and a part of an arm that does
  static const char tail[] =
      "world.g = [0 0 -9.81]; body(1).m = .1; body(1).I = 1e-4*eye(3); joint(1).second = 1;\n"
      "joint(1).type = 'free'; rod(1).first = 1; rod(1).length = .3; rod(1).radius = .01;\n"
      "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).eta = 300; rod(1).points = 8; fluid.rho = 900;\n"
      "rod(1).strain = [0 0 .02*sin(9*t) 3*sin(20*s - 7*t) 0 2*t]; rod(2).radius = .01;\n"
      "rod(2).E = 1e5; rod(2).rho = 1000; rod(2).eta = 300; rod(2).part(1).length = .1;\n"
      "rod(2).part(2).length = .1; rod(2).part(1).order = [-1 -1 -1 1 1 0];\n"
      "rod(2).part(2).strain = [0 0 0 5*sin(4*t) 0 0]; par.t_final = .5; par.dt_out = .05;\n";
  for (int i = 0; i < 2; i++) {
    CHECK_REACHED(solvers[i], imbalance(wave, solvers[i]), TOL);
    CHECK_REACHED(solvers[i], imbalance(tail, solvers[i]), TOL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(speeds_that_jump_do_work),
      cmocka_unit_test(strains_that_follow_time_do_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
