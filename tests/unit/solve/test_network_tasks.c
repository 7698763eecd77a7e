// Tasks and laws on networks, whose matrices are sparse: the task's error obeys its own equation,
// and inputs are those of dense matrices.
#include "robot.h"

// The value of the last output row
static double last_sensor(const td_trajectory* rows, int i) {
  return td_trajectory_sensors(rows, td_trajectory_rows(rows) - 1)[i];
}

static td_trajectory* simulate(robot* r, double t_final, double tol, td_solver solver) {
  td_sim_options o = td_sim_options_default();
  o.rtol = tol;
  o.atol = tol / 100;
  o.t_final = t_final;
  o.dt_out = t_final / 20;
  o.solver = solver;
  td_trajectory* rows = NULL;
  if (td_simulate(r->model, r->work, r->state, &o, &rows) != TD_OK)
    fail_msg("%s", td_trajectory_diagnosis(rows));
  return rows;
}

// A net under gravity one node of which is to swing; sensors: the error, and the input.
#define NET(n, node, more)                                                                    \
  "world.g = [0 0 -9.81]; F = input('F', 0); mesh(1).grid = " n                               \
  "; mesh(1).size = [0.2 0.2];"                                                               \
  "mesh(1).body.m = 0.02; mesh(1).joint(2).spring.coeff = 100; mesh(1).joint(2).damp.visc = " \
  "0.05;" more "exload(1).exbody = at(mesh(1), " node                                         \
  "); exload(1).ftau = [0 0 F];"                                                              \
  "task(1).value = pos(mesh(1), " node                                                        \
  ")(3); task(1).desired = 0.02*sin(5*t); task(1).P = 300;"                                   \
  "task(1).D = 30; task(1).I = 1000; task(1).inputs = 'F';"                                   \
  "sensor(1).name = 'e'; sensor(1).value = 0.02*sin(5*t) - pos(mesh(1), " node                \
  ")(3);"                                                                                     \
  "sensor(2).name = 'F'; sensor(2).value = F;"

#define BEAMS                                                                \
  "mesh(1).joint(1).tr.trans = [inf inf inf];"                               \
  "mesh(1).joint(1).tr.rot = [0 inf inf inf]; mesh(1).body.I = 1e-5*eye(3);" \
  "mesh(1).joint(2).spring.coeff = [20 20 100 0.02 0.02 0.01];"              \
  "mesh(1).joint(2).damp.visc = [1 1 1 1e-4 1e-4 1e-4];"

// With (s + 10)^3 = s^3 + 30 s^2 + 300 s + 1000 and e = 0, e' = 0.1, integral 0 at the start
//   e = (0.1 t - 0.5 t^2) exp(-10 t)
// whatever the net does besides.
static void test_the_error_obeys_its_own_equation_on_networks(void** state) {
  (void)state;
  const struct {
    const char *what, *text;
  } nets[] = {
      {"points", NET("[3 3]", "8", "")},
      {"bodies that turn", NET("[3 3]", "8", BEAMS)},
      {"a node tied to another", NET("[3 3]", "8",
                                     "joint(1).first = at(mesh(1), 4); joint(1).second = "
                                     "at(mesh(1), 5); joint(1).fixed = [0 0 1];")},
      {"a node that is moved", NET("[3 3]", "8",
                                   "joint(1).second = at(mesh(1), 9); joint(1).fixed = [0 0 1];"
                                   "joint(1).motion = [0 0 0.01*sin(3*t)^2];")},
      {"drag by the state", NET("[3 3]", "8", "mesh(1).joint(1).dof(3).damp.visc = 0.01;")},
  };
  for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
    double F[2][2] = {{0}};
    for (int sparse = 0; sparse < 2; sparse++) {
      for (int stiff = 0; stiff < 2; stiff++) {
        char text[3000];
        snprintf(text, sizeof text, "%s par.linear = '%s';", nets[k].text,
                 sparse ? "sparse" : "dense");
        robot r = robot_open(text);
        td_trajectory* rows =
            simulate(&r, 0.3, stiff ? 1e-9 : 1e-10, stiff ? TD_SOLVER_STIFF : TD_SOLVER_EXPLICIT);
        double worst = 0;
        for (int i = 0; i < td_trajectory_rows(rows); i++) {
          const double t = td_trajectory_time(rows, i);
          worst = fmax(worst, fabs(td_trajectory_sensors(rows, i)[0] -
                                   (0.1 * t - 0.5 * t * t) * exp(-10 * t)));
        }
        F[sparse][stiff] = last_sensor(rows, 1);
        // errors of some hundred steps at these tolerances, of lengths below 0.1 m
        CHECK_REACHED(nets[k].what, worst, stiff ? 1e-7 : 1e-9);
        // the iteration of implicit steps knows the feedback: it does not creep
        if (stiff) assert_true(td_trajectory_stats(rows)->evaluations < 4000);
        td_trajectory_free(rows);
        robot_close(&r);
      }
    }
    CHECK_REACHED("input, sparse against dense", fabs(F[1][0] - F[0][0]), 1e-6);
    CHECK_REACHED("input, implicit steps", fabs(F[1][1] - F[0][0]), 1e-4);
  }
}

// At rest and flat, with the springs along the net: F = m (g + D e') with e' = 0.1 m/s.
static void test_a_large_network_is_controlled(void** state) {
  (void)state;
  robot r = robot_open(NET("[19 20]", "200", ""));
  assert_true(r.n.nv > 1000);
  td_trajectory* rows = simulate(&r, 0.01, 1e-7, TD_SOLVER_AUTO);
  CHECK_NEAR(td_trajectory_sensors(rows, 0)[1], 0.02 * (9.81 + 3), 1e-12);
  const double t = 0.01, e = (0.1 * t - 0.5 * t * t) * exp(-10 * t);
  CHECK_REACHED("node of 380", fabs(last_sensor(rows, 0) - e), 1e-7);
  td_trajectory_free(rows);
  robot_close(&r);
}

// The same node by a law, and by a task with the feed-forward of equilibria.
static void test_laws_and_static_tasks_agree_with_dense_matrices(void** state) {
  (void)state;
  const char* kinds[] = {
      "control(1).inputs = 'F'; control(1).law = 0.8 + 60*(0.01 - pos(mesh(1), 8)(3)) - "
      "2*vel(mesh(1), 8)(3);",
      "task(1).value = pos(mesh(1), 8)(3); task(1).desired = 0.01*sin(5*t); task(1).inputs = 'F';"
      "task(1).feedforward = 'static'; task(1).P = 20; task(1).D = 1; task(1).I = 50;"};
  for (int k = 0; k < 2; k++) {
    double F[4];
    for (int i = 0; i < 4; i++) {
      char text[3000];
      snprintf(text, sizeof text,
               "world.g = [0 0 -9.81]; F = input('F', 0); mesh(1).grid = [3 3]; mesh(1).size = "
               "[0.2 0.2]; mesh(1).body.m = 0.02; mesh(1).joint(2).spring.coeff = 100;"
               "mesh(1).joint(2).damp.visc = 0.5; mesh(1).joint(1).dof(3).spring.coeff = 20;"
               "mesh(1).joint(1).dof(3).damp.visc = 0.1;"
               "exload(1).exbody = at(mesh(1), 8); exload(1).ftau = [0 0 F]; %s"
               "sensor(1).name = 'F'; sensor(1).value = F; par.linear = '%s';",
               kinds[k], i % 2 ? "sparse" : "dense");
      robot r = robot_open(text);
      td_trajectory* rows = simulate(&r, 0.3, 1e-9, i < 2 ? TD_SOLVER_EXPLICIT : TD_SOLVER_STIFF);
      F[i] = last_sensor(rows, 0);
      td_trajectory_free(rows);
      robot_close(&r);
    }
    CHECK_REACHED("explicit", fabs(F[1] - F[0]), 1e-7);
    CHECK_REACHED("implicit", fmax(fabs(F[2] - F[0]), fabs(F[3] - F[0])), 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_error_obeys_its_own_equation_on_networks),
      cmocka_unit_test(test_a_large_network_is_controlled),
      cmocka_unit_test(test_laws_and_static_tasks_agree_with_dense_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
