// Every line of TD_SOLVERS through the same laws: its word leads back to it, its motion is the
// closed form within the tolerance and better with a finer one, energy balances, results between
// steps are those of the motion, and a run can be repeated to the bit.
#include "robot.h"
#include "solve/time/ode.h"
#include "tendril/control.h"
#include "tendril/tools.h"

// Two masses on springs of 4 and 5 N/m that stand on one axis: modes known in closed form; nothing
// damps them, and a force that grows with time does work on the first.
static const char* const text =
    "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
    "joint(1).dof(1).spring.coeff = 4; joint(1).dof(1).init = 0.3; joint(1).dof(1).input = 0.5*t;\n"
    "body(2).m = 1; joint(2).second = 2; joint(2).tr(1).trans = [inf 0 0];\n"
    "joint(2).dof(1).spring.coeff = 9; joint(2).dof(1).rate = 0.6;\n"
    "par.g = [0 0 0]; par.t_final = 3; par.dt_out = 0.1;\n";

// x'' = -4 x + t/2:  x = t/8 + a cos 2t + b sin 2t with x(0) = 0.3, x'(0) = 0
// y'' = -9 y:        y = 0.2 sin 3t
static void exact(double t, double x[4]) {
  x[0] = t / 8 + 0.3 * cos(2 * t) - sin(2 * t) / 16;
  x[1] = 0.2 * sin(3 * t);
  x[2] = 1.0 / 8 - 0.6 * sin(2 * t) - cos(2 * t) / 8;
  x[3] = 0.6 * cos(3 * t);
}

typedef struct outcome {
  double error, balance;
  double last[4];
  td_sim_stats stats;
} outcome;

static outcome simulate(td_solver solver, double rtol) {
  robot r = robot_open(text);
  td_sim_options o = td_sim_options_default();
  td_trajectory* rows = NULL;
  o.solver = solver;
  o.rtol = rtol;
  o.atol = 1e-3 * rtol;
  // equal steps, of a method of order 5, do not follow tolerances
  if (solver == TD_SOLVER_FIXED) o.step = 0.5 * pow(rtol, 0.2);
  assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
  outcome out = {.stats = *td_trajectory_stats(rows)};
  out.balance = fabs(out.stats.energy_error);
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    double x[4];
    exact(td_trajectory_time(rows, i), x);
    const double* q = td_trajectory_q(rows, i);  // v follows q in a row
    for (int k = 0; k < 4; k++) out.error = fmax(out.error, fabs(q[k] - x[k]));
    memcpy(out.last, q, sizeof out.last);
  }
  td_trajectory_free(rows);
  robot_close(&r);
  return out;
}

static void every_solver_follows_the_closed_form(void** state) {
  (void)state;
  for (td_solver k = TD_SOLVER_AUTO; k < TD_SOLVER_COUNT; k++) {
    const outcome coarse = simulate(k, 1e-4), fine = simulate(k, 1e-7), again = simulate(k, 1e-7);
    if (getenv("TENDRIL_RATES"))
      print_message("%s: %.1e, %.1e; energy %.1e, %.1e; %ld evaluations\n", td_solver_name(k),
                    coarse.error, fine.error, coarse.balance, fine.balance, fine.stats.evaluations);
    // steps h of a method of order p have errors h^(p+1) of the tolerance, motion h^p: with p = 2,
    // the lowest here, its power 2/3; nothing damps them away
    CHECK_REACHED(td_solver_name(k), coarse.error, 5 * pow(1e-4, 2.0 / 3));
    CHECK_REACHED(td_solver_name(k), fine.error, 5 * pow(1e-7, 2.0 / 3));
    CHECK_REACHED(td_solver_name(k), fine.balance, 5 * pow(1e-7, 2.0 / 3));
    assert_true(fine.error < fmax(coarse.error, 1e-12));  // where steps are short anyway: rounding
    assert_memory_equal(fine.last, again.last, sizeof fine.last);
    assert_int_equal(fine.stats.evaluations, again.stats.evaluations);
    if (k != TD_SOLVER_AUTO) assert_int_equal(fine.stats.solver, k);
  }
}

// A spinning top on a ball joint, and a four-bar linkage with a motor whose current is an internal
// state: unit quaternions and closed loops are
// kept by every solver.  The reference is the explicit solver at a tolerance that is finer by three
// orders.
static void every_solver_keeps_invariants(void** state) {
  (void)state;
  static const char* const texts[] = {
      "body(1).m = 0.5; body(1).I = diag([2e-3 2e-3 1e-3]); joint(1).second = 1;\n"
      "joint(1).type = 'spherical'; body(1).l_com = [0 0 0.1];\n"
      "joint(1).dof(1).rate = 0.4; joint(1).dof(3).rate = 60; par.t_final = 0.5; par.dt_out = "
      "0.1;\n",
      "a = 0.4; b = 0.8; c = 0.6; w = 0.9; d = hypot(w, a);\n"
      "phi = atan2(w, -a) - acos((b^2 + d^2 - c^2)/(2*b*d));\n"
      "psi = atan2(b*sin(phi) - w, a + b*cos(phi)); m = [0.4 0.8 0.6]; l = [a b c];\n"
      "for i = 1:3, body(i).m = m(i); body(i).I = m(i)*l(i)^2/12*diag([1 1 0.01]);\n"
      "  body(i).l_com = [0 0 l(i)/2]; joint(i).second = i; end\n"
      "joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).rate = 2;\n"
      "i = internal('current', 0.2); dynamics(1).of = 'current';\n"
      "dynamics(1).rate = (1 - i - 0.3*ddof(joint(1), 1))/0.05; joint(1).dof(1).input = 0.5*i;\n"
      "joint(2).first = 1; joint(2).tr(1).trans = [0 0 a]; joint(2).tr(2).rot = [2 inf];\n"
      "joint(2).dof(1).init = phi;\n"
      "joint(3).tr(1).trans = [w 0 0]; joint(3).tr(2).rot = [2 inf]; joint(3).dof(1).init = psi;\n"
      "joint(4).first = 2; joint(4).second = 3; joint(4).tr(1).trans = [0 0 b];\n"
      "joint(4).tr2nd(1).trans = [0 0 c]; joint(4).fixed = [1 0 1];\n"
      "par.t_final = 0.5; par.dt_out = 0.1;\n"};
  for (int i = 0; i < 2; i++) {
    double reference[40];
    for (td_solver k = TD_SOLVER_EXPLICIT; k < TD_SOLVER_COUNT; k++) {
      robot r = robot_open(texts[i]);
      td_sim_options o = td_sim_options_default();
      td_trajectory* rows = NULL;
      o.solver = k;
      o.rtol = k == TD_SOLVER_EXPLICIT ? 1e-10 : 1e-7;
      o.atol = 1e-3 * o.rtol;
      if (o.solver == TD_SOLVER_FIXED) o.step = 1e-3;
      assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
      const td_sizes n = td_model_sizes(r.model);
      const double* q = td_trajectory_q(rows, td_trajectory_rows(rows) - 1);
      double error = 0;
      if (k == TD_SOLVER_EXPLICIT) memcpy(reference, q, sizeof(double) * (size_t)(n.nq + n.nv));
      for (int j = 0; j < n.nq; j++) error = fmax(error, fabs(q[j] - reference[j]));
      // 30 rad of turning times 1e-7^(2/3), what order 2 makes of the tolerance
      CHECK_REACHED(td_solver_name(k), error, 1e-3);
      CHECK_REACHED(td_solver_name(k), td_trajectory_stats(rows)->max_constraint_error, 1e-9);
      if (n.nq == 4) CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-12);
      td_trajectory_free(rows);
      robot_close(&r);
    }
  }
}

static void words_lead_back_to_their_solvers(void** state) {
  (void)state;
  for (td_solver k = TD_SOLVER_AUTO; k < TD_SOLVER_COUNT; k++) {
    assert_int_equal(td_solver_named(td_solver_name(k)), k);
    char line[800];
    snprintf(line, sizeof line, "par.solver = '%s';\n%s", td_solver_name(k), text);
    robot r = robot_open(line);
    assert_int_equal(td_model_settings(r.model).solver, k);
    robot_close(&r);
    if (k == TD_SOLVER_AUTO) continue;
    assert_non_null(td_solver_of(k)->start);
    assert_non_null(td_solver_of(k)->method);
  }
  assert_null(td_solver_name(TD_SOLVER_COUNT));
}

// A plant that is stepped from outside comes to the same place; it begins anew for each of thirty
// steps, which costs methods of low order some digits.
static void plants_take_every_solver(void** state) {
  (void)state;
  for (td_solver k = TD_SOLVER_AUTO; k < TD_SOLVER_COUNT; k++) {
    robot r = robot_open(text);
    td_sim_options o = td_sim_options_default();
    td_plant* p = NULL;
    o.solver = k;
    o.rtol = 1e-7;
    o.atol = 1e-10;
    if (o.solver == TD_SOLVER_FIXED) o.step = 0.02;
    assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &p), TD_OK);
    for (int i = 1; i <= 30; i++) assert_int_equal(td_plant_step(p, 0.1 * i), TD_OK);
    double x[4];
    exact(3, x);
    CHECK_REACHED(td_solver_name(k), fabs(td_plant_state(p)->q[0] - x[0]), 5 * pow(1e-7, 2.0 / 3));
    CHECK_REACHED(td_solver_name(k), fabs(td_plant_state(p)->v[1] - x[3]), 5 * pow(1e-7, 2.0 / 3));
    td_plant_free(p);
    robot_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver_follows_the_closed_form),
                                     cmocka_unit_test(plants_take_every_solver),
                                     cmocka_unit_test(every_solver_keeps_invariants),
                                     cmocka_unit_test(words_lead_back_to_their_solvers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
