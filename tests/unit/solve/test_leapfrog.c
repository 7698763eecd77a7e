// Leapfrog on problems with known solutions: order, stability limit, tolerance, dense output,
// roots, bodies that turn; and where the rule takes it.
#include "check.h"
#include "math/vec3.h"
#include "robot.h"
#include "solve/time/ode.h"

// x'' = -w² x - c x' for each pair of ctx = {n, w, c, w, c ..}; the integral of the first x'.
static td_status oscillators(void* ctx, double t, const double* y, double* ydot) {
  (void)t;
  const double* p = ctx;
  const int n = (int)p[0];
  for (int i = 0; i < n; i++) {
    const double w = p[1 + 2 * i], c = p[2 + 2 * i];
    ydot[i] = y[n + i];
    ydot[n + i] = -w * w * y[i] - c * y[n + i];
  }
  ydot[2 * n] = y[n];
  return TD_OK;
}

static td_ode problem(double* p, double rtol, double h_max) {
  const int n = (int)p[0];
  return (td_ode){.ctx = p,
                  .n = 2 * n,
                  .nquad = 1,
                  .npos = n,
                  .rtol = rtol,
                  .atol = rtol,
                  .h_max = h_max,
                  .rhs = oscillators};
}

static long integrate(const td_ode* ode, double t_end, double* y) {
  td_stepper* s;
  td_step step = {.t = 0};
  assert_int_equal(td_solver_leapfrog.start(ode, 0, y, &s), TD_OK);
  while (step.t < t_end) assert_int_equal(td_stepper_step(s, t_end, &step), TD_OK);
  memcpy(y, step.y, (size_t)(ode->n + ode->nquad) * sizeof(double));
  const long steps = s->counts.steps;
  td_stepper_free(s);
  return steps;
}

// x of x'' + c x' + x = 0 from x = 1 at rest
static double damped(double c, double t) {
  const double w = sqrt(1 - c * c / 4);
  return exp(-c * t / 2) * (cos(w * t) + c / (2 * w) * sin(w * t));
}

// equal steps but for the first few: errors fall by four when steps are halved
static void errors_fall_with_the_square_of_the_step(void** state) {
  (void)state;
  double p[] = {1, 1, 0.3}, error[2], work[2];
  for (int k = 0; k < 2; k++) {
    const td_ode ode = problem(p, 1e3, 0.02 / (1 << k));
    double y[3] = {1, 0, 0};
    integrate(&ode, 4, y);
    error[k] = fabs(y[0] - damped(0.3, 4));
    work[k] = fabs(y[2] - (damped(0.3, 4) - 1));
  }
  assert_true(error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
  assert_true(work[0] / work[1] > 3.6 && work[0] / work[1] < 4.4);
}

// h ~ rtol^(1/3) and errors ~ h²: a thousandth of the tolerance, a hundredth of the error
static void errors_follow_the_tolerance(void** state) {
  (void)state;
  double p[] = {1, 1, 0.1}, error[2];
  for (int k = 0; k < 2; k++) {
    const td_ode ode = problem(p, k ? 1e-7 : 1e-4, 0);
    double y[3] = {1, 0, 0};
    integrate(&ode, 10, y);
    error[k] = fabs(y[0] - damped(0.1, 10));
  }
  assert_true(error[0] < 100 * 1e-4);
  assert_true(error[0] / error[1] > 30 && error[0] / error[1] < 300);
}

// a fast mode at rest, without damping, beside a slow motion: fewer than twice the steps that ω h =
// 2 takes, and the mode stays at rest
static void steps_come_close_to_the_stability_limit(void** state) {
  (void)state;
  const double rtol = 1e-3, w = 500, t_end = 10;
  double p[] = {2, 1, 0, w, 0}, y[5] = {1, 1e-6, 0, 0, 0};
  const td_ode ode = problem(p, rtol, 0);
  const double steps = (double)integrate(&ode, t_end, y);
  assert_true(steps > 0.9 * w * t_end / 2 && steps < 2 * w * t_end / 2);
  CHECK_NEAR(y[0], cos(t_end), 10 * rtol);
  CHECK_NEAR(y[1], 0, rtol);
}

// a fast mode that is strongly damped: steps near h with (ω h)²/4 + c h/2 = 1, and it stays at rest
static void steps_come_close_to_the_limit_of_damped_modes(void** state) {
  (void)state;
  const double rtol = 1e-3, w = 500, zeta = 0.8, t_end = 10;
  const double limit = 2 / (w * (zeta + sqrt(zeta * zeta + 1)));
  double p[] = {2, 1, 0, w, 2 * zeta * w}, y[5] = {1, 1e-6, 0, 0, 0};
  const td_ode ode = problem(p, rtol, 0);
  const double steps = (double)integrate(&ode, t_end, y);
  assert_true(steps > 0.9 * t_end / limit && steps < 1.6 * t_end / limit);
  CHECK_NEAR(y[0], cos(t_end), 10 * rtol);
  CHECK_NEAR(y[1], 0, rtol);
}

// the cubic between steps is as good as the steps
static void the_solution_inside_a_step_is_as_good_as_at_its_ends(void** state) {
  (void)state;
  double p[] = {1, 1, 0.3}, y[3] = {1, 0, 0};
  const td_ode ode = problem(p, 1e3, 0.02);
  td_stepper* s;
  td_step step = {.t = 0};
  double at_ends = 0, inside = 0;
  assert_int_equal(td_solver_leapfrog.start(&ode, 0, y, &s), TD_OK);
  while (step.t < 4) {
    assert_int_equal(td_stepper_step(s, 4, &step), TD_OK);
    at_ends = fmax(at_ends, fabs(step.y[0] - damped(0.3, step.t)));
    const double t = 0.3 * step.t0 + 0.7 * step.t;
    assert_int_equal(td_stepper_at(s, t, y), TD_OK);
    inside = fmax(inside, fabs(y[0] - damped(0.3, t)));
  }
  td_stepper_free(s);
  assert_true(inside < 1.1 * at_ends);
}

// ---- roots ------------------------------------------------------------------------------------

static td_status fall(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  ydot[0] = y[1];
  ydot[1] = -10;
  return TD_OK;
}
static void height(void* ctx, double t, const double* y, double* g) {
  (void)ctx, (void)t;
  g[0] = y[0];
}

// parabolas are exact: the root at sqrt(2 h / g) is, too; restarted there it bounces
static void roots_are_found_where_they_are(void** state) {
  (void)state;
  const td_ode ode = {
      .n = 2, .npos = 1, .nroot = 1, .rtol = 1e-3, .atol = 1e-3, .rhs = fall, .roots = height};
  double y[2] = {5, 0};
  int found = 0;
  td_stepper* s;
  td_step step = {.t = 0};
  assert_int_equal(td_solver_leapfrog.start(&ode, 0, y, &s), TD_OK);
  while (step.t < 4) {
    assert_int_equal(td_stepper_step(s, 4, &step), TD_OK);
    if (!step.root) continue;
    CHECK_NEAR(step.t, 1 + 2 * found++, 1e-12);
    assert_int_equal(step.crossed[0], -1);
    y[0] = 1e-14;
    y[1] = -step.y[1];
    assert_int_equal(td_stepper_restart(s, step.t, y), TD_OK);
  }
  assert_int_equal(found, 2);
  CHECK_NEAR(step.y[0], 10 - 5, 1e-10);
  td_stepper_free(s);
}

// ---- models -----------------------------------------------------------------------------------

static const char top[] =
    "world.g = [0 0 0]; body.m = 1; body.I = diag([.1 .2 .25]); joint.second = 1;\n"
    "joint.type = 'free'; speed = [1 2 3 1 2 3];\n"
    "for k = 1:6, joint.dof(k).rate = speed(k); end\n"
    "par.t_final = 2; par.rtol = 1e-6; par.atol = 1e-6; par.dt_out = 2;\n";

static const char net[] =
    "world.g = [0 0 -9.81]; n = 8; a = 1/(n-1); mesh.grid = [n n]; mesh.body.m = .1/n^2;\n"
    "mesh.joint(2).spring.coeff = 400; mesh.joint(2).damp.visc = .05*a;\n"
    "par.t_final = .3; par.dt_out = .3; par.atol = 1e-6;\n";

static td_sim_stats simulate(const char* text, td_solver solver, double rtol, double* q) {
  robot r = robot_open(text);
  td_sim_options o = td_sim_options_default();
  td_trajectory* run = NULL;
  o.solver = solver;
  o.rtol = rtol;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &run), TD_OK);
  memcpy(q, r.state->q, (size_t)td_model_sizes(r.model).nq * sizeof(double));
  const td_sim_stats stats = *td_trajectory_stats(run);
  td_trajectory_free(run);
  robot_close(&r);
  return stats;
}

// a body that turns about no axis in particular: its quaternion stays one and where it belongs
static void a_body_turns_as_the_explicit_solver_says(void** state) {
  (void)state;
  double q[7], want[7], norm = 0;
  simulate(top, TD_SOLVER_LEAPFROG, 1e-6, q);
  simulate(top, TD_SOLVER_EXPLICIT, 1e-10, want);
  // errors of a method of order 2 add up to a thousand times its tolerance
  for (int i = 0; i < 7; i++) CHECK_NEAR(q[i], want[i], 1e-3);
  for (int i = 3; i < 7; i++) norm += q[i] * q[i];
  CHECK_NEAR(norm, 1, 1e-9);
}

static void networks_leap_at_loose_tolerances(void** state) {
  (void)state;
  double q[192], want[192];
  assert_int_equal(simulate(net, TD_SOLVER_AUTO, 1e-7, want).solver, TD_SOLVER_EXPLICIT);
  const td_sim_stats leaps = simulate(net, TD_SOLVER_AUTO, 1e-4, q);
  assert_int_equal(leaps.solver, TD_SOLVER_LEAPFROG);
  assert_true(leaps.evaluations < leaps.steps + leaps.rejected + 5);
  for (int i = 0; i < 168; i++) CHECK_NEAR(q[i], want[i], 1e-3);
}

// ---- constraints ------------------------------------------------------------------------------

// a body that hangs on a point of the ground and swings in space
static const char hung[] =
    "world.g = [0 0 -9.81]; body.m = 1; body.I = diag([.1 .2 .25]); joint(1).second = 1;\n"
    "joint(1).type = 'free'; joint(1).dof(1).init = .5; joint(1).dof(5).rate = 1;\n"
    "joint(1).dof(4).rate = .5; joint(2).second = 1; joint(2).tr2nd.trans = [-.5 0 0];\n"
    "joint(2).fixed = [1 1 1]; par.t_final = 1; par.dt_out = 1; par.atol = 1e-9;\n";

// as without constraints: a thousandth of the tolerance, a hundredth of the error; projections may
// leave 1e-11 of positions and of speeds, which are below 10
static void constraints_cost_no_order(void** state) {
  (void)state;
  double q[7], want[7], error[2] = {0, 0};
  simulate(hung, TD_SOLVER_EXPLICIT, 1e-11, want);
  for (int k = 0; k < 2; k++) {
    const td_sim_stats s = simulate(hung, TD_SOLVER_LEAPFROG, k ? 1e-7 : 1e-4, q);
    assert_true(s.max_constraint_error < 1e-11 && s.max_velocity_error < 1e-10);
    for (int i = 0; i < 7; i++) error[k] = fmax(error[k], fabs(q[i] - want[i]));
  }
  assert_true(error[0] < 100 * 1e-4);
  assert_true(error[0] / error[1] > 30 && error[0] / error[1] < 300);
}

// a net that is shaken at a node: the node is where it should be, and what it takes is what the
// explicit solver says
static void a_shaken_net_leaps(void** state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           "%sjoint(1).second = at(mesh(1), 30); joint(1).fixed = [0 0 1];\n"
           "joint(1).motion = [0 0 .02*sin(20*t)]; for d = 1:3\n"
           "mesh.joint(1).dof(d).damp.visc = 1e-3; end\n"
           "mesh.joint(2).damp.visc = .5;\n"  // fast modes are strongly damped
           "sensor(1).name = 's'; sensor(1).value = [pos(mesh(1), 30)(3) lambda(joint(1))(3)];\n",
           net);
  double rows[2][2];
  for (int k = 0; k < 2; k++) {
    robot r = robot_open(text);
    td_sim_options o = td_sim_options_default();
    td_trajectory* run = NULL;
    o.solver = k ? TD_SOLVER_AUTO : TD_SOLVER_EXPLICIT;
    o.rtol = k ? 1e-4 : 1e-9;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &run), TD_OK);
    if (k) assert_int_equal(td_trajectory_stats(run)->solver, TD_SOLVER_LEAPFROG);
    memcpy(rows[k], td_trajectory_sensors(run, td_trajectory_rows(run) - 1), sizeof rows[k]);
    td_trajectory_free(run);
    robot_close(&r);
  }
  CHECK_NEAR(rows[1][0], .02 * sin(20 * .3), 1e-12);
  CHECK_NEAR(rows[1][1], rows[0][1], 1e-2 * fabs(rows[0][1]));
}

// A free spin has no accelerations at all: what errs is how positions follow velocities.  The angle
// is |w| t about a fixed axis in the three ways to write turns.
static void a_free_spin_follows_the_tolerance(void** state) {
  (void)state;
  static const char* const joints[] = {
      "joint(1).type = 'spherical'; joint(1).dof(1).rate = 3; joint(1).dof(2).rate = -7;\n"
      "joint(1).dof(3).rate = 18;\n",
      "joint(1).tr.rot = [0 inf inf inf]; joint(1).dof(1).rate = 1.5; joint(1).dof(2).rate = -3.5;"
      "joint(1).dof(3).rate = 9;\n"};
  const double rate = sqrt(9 + 49 + 324), angle = rate * 0.7;
  const vec3 axis = {3 / rate, -7 / rate, 18 / rate}, p = {0.1, 0.2, 0};
  const vec3 want =
      vec3_add(vec3_add(vec3_scale(cos(angle), p), vec3_scale(sin(angle), vec3_cross(axis, p))),
               vec3_scale((1 - cos(angle)) * vec3_dot(axis, p), axis));
  for (int k = 0; k < 2; k++) {
    double error[3];
    for (int i = 0; i < 3; i++) {
      char text[600];
      snprintf(text, sizeof text,
               "body(1).m = 0.3; body(1).I = 1e-4*eye(3); joint(1).second = 1;\n%s"
               "sensor(1).name = 'p'; sensor(1).value = pos(body(1), [0.1 0.2 0]);\n"
               "par.t_final = 0.7; par.dt_out = 0.7; par.atol = 1e-12;\n",
               joints[k]);
      robot r = robot_open(text);
      td_sim_options o = td_sim_options_default();
      td_trajectory* run = NULL;
      o.solver = TD_SOLVER_LEAPFROG;
      o.rtol = pow(10, -4 - 2 * i);
      assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &run), TD_OK);
      const double* y = td_trajectory_sensors(run, td_trajectory_rows(run) - 1);
      error[i] = hypot(hypot(y[0] - want.x, y[1] - want.y), y[2] - want.z);
      td_trajectory_free(run);
      robot_close(&r);
    }
    // steps by the third root of the tolerance, an error by its square: 100^(2/3) = 21
    assert_true(error[0] < 0.03);
    for (int i = 0; i < 2; i++) assert_true(error[i] / error[i + 1] > 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_fall_with_the_square_of_the_step),
      cmocka_unit_test(errors_follow_the_tolerance),
      cmocka_unit_test(steps_come_close_to_the_stability_limit),
      cmocka_unit_test(steps_come_close_to_the_limit_of_damped_modes),
      cmocka_unit_test(the_solution_inside_a_step_is_as_good_as_at_its_ends),
      cmocka_unit_test(roots_are_found_where_they_are),
      cmocka_unit_test(a_body_turns_as_the_explicit_solver_says),
      cmocka_unit_test(networks_leap_at_loose_tolerances),
      cmocka_unit_test(constraints_cost_no_order),
      cmocka_unit_test(a_shaken_net_leaps),
      cmocka_unit_test(a_free_spin_follows_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
