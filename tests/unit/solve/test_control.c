// Task-space control: exact derivatives of tasks, inverse dynamics on closed forms, limits,
// tracking.
#include "solve/control/control.h"

#include "robot.h"

static td_trajectory* simulate(robot* r, double t_final, double tol, td_solver solver) {
  td_sim_options o = td_sim_options_default();
  o.rtol = o.atol = tol;
  o.t_final = t_final;
  o.dt_out = t_final / 50;
  o.solver = solver;
  td_trajectory* rows = NULL;
  const td_status status = td_simulate(r->model, r->work, r->state, &o, &rows);
  if (status != TD_OK) fail_msg("%s", td_trajectory_diagnosis(rows));
  return rows;
}

// ---- derivatives ------------------------------------------------------------------------------

// A free body with an arm, a rod and a line: every kind of sensor a task may use, in nonlinear
// ways.
#define ZOO                                                                                      \
  "u = input('u', 0); body(1).m = 1; body(1).I = diag([0.1 0.2 0.25]);"                          \
  "joint(1).second = 1; joint(1).type = 'free';"                                                 \
  "body(2).m = 0.5; body(2).I = 0.01*eye(3); joint(2).first = 1; joint(2).second = 2;"           \
  "joint(2).tr(1).trans = [0.1 0.2 0.3]; joint(2).tr(2).rot = [2 inf]; joint(2).tr(3).rot = [1 " \
  "inf];"                                                                                        \
  "joint(2).dof(1).input = u;"                                                                   \
  "joint(3).second = 2; joint(3).tr(1).trans = [1 1 1]; joint(3).spring.coeff = 1;"              \
  "joint(3).spring.init = 1;"                                                                    \
  "rod(1).first = 2; rod(1).length = 0.4; rod(1).radius = 0.02; rod(1).E = 1e5; rod(1).rho = "   \
  "1000;"                                                                                        \
  "p = pos(rod(1), 0.4); Q = quat(body(2)); R = rot(body(2)); k = strain(rod(1), 0.1);"          \
  "task(1).value = [sin(p(1))*p(2) + t*p(3)^2, atan2(R(1,3), R(3,3)), Q(2)*Q(3), "               \
  "length(joint(3))^2,"                                                                          \
  "dof(joint(2), 1)*dof(joint(2), 2), k(4)*cos(t), p(3)*stretch(joint(3)), pos(body(1), [1 2 "   \
  "3])*[1; 0; 0]];"                                                                              \
  "task(1).desired = [sin(3*t), 0, t^3, 1, 0, 0, 0, exp(-t)];"

static void random_state(robot* r, uint64_t* seed) {
  td_state* s = r->state;
  double d[64];
  for (int i = 0; i < r->n.nv; i++) d[i] = 0.4 * check_random(seed);
  td_displace(r->model, s->q, d, s->q);
  for (int i = 0; i < r->n.nv; i++) s->v[i] = check_random(seed);
  s->t = 0.5 + 0.3 * check_random(seed);
}

static void moved(robot* r, const double* d, double dt, td_state* out) {
  td_state_copy(r->model, r->state, out);
  td_displace(r->model, r->state->q, d, out->q);
  out->t += dt;
}

static void check_derivatives(const char* text) {
  robot r = robot_open(text);
  const int n = td_task_count(r.model), nv = r.n.nv;
  assert_int_equal(n, 8);
  td_state *a = td_state_new(r.model), *b = td_state_new(r.model);
  uint64_t seed = 7;
  for (int turn = 0; turn < 5; turn++) {
    random_state(&r, &seed);
    double J[8 * 64], rate[8], bias[8], d[64] = {0}, ya[8], yb[8];
    const td_task_values y = td_task_at(r.model, r.state, r.work);
    memcpy(rate, y.rate, sizeof rate);
    memcpy(bias, y.bias, sizeof bias);
    CHECK_NEAR(y.desired_rate[0], 3 * cos(3 * r.state->t), 1e-12);
    CHECK_NEAR(y.desired_acc[2], 6 * r.state->t, 1e-12);
    td_task_jacobian(r.model, r.state, r.work, J);
    const double h = 1e-5;
    for (int j = 0; j < nv; j++) {  // J = dy/dq
      memset(d, 0, sizeof d);
      d[j] = h;
      moved(&r, d, 0, a);
      d[j] = -h;
      moved(&r, d, 0, b);
      memcpy(ya, td_task_at(r.model, a, r.work).y, sizeof ya);
      memcpy(yb, td_task_at(r.model, b, r.work).y, sizeof yb);
      for (int i = 0; i < n; i++) CHECK_NEAR(J[i * nv + j], (ya[i] - yb[i]) / (2 * h), 1e-8);
    }
    for (int j = 0; j < nv; j++) d[j] = h * r.state->v[j];
    moved(&r, d, h, a);
    for (int j = 0; j < nv; j++) d[j] = -d[j];
    moved(&r, d, -h, b);
    memcpy(ya, td_task_at(r.model, a, r.work).y, sizeof ya);
    memcpy(yb, td_task_at(r.model, b, r.work).y, sizeof yb);
    for (int i = 0; i < n; i++) CHECK_NEAR(rate[i], (ya[i] - yb[i]) / (2 * h), 1e-8);
    memcpy(ya, td_task_at(r.model, a, r.work).rate, sizeof ya);
    memcpy(yb, td_task_at(r.model, b, r.work).rate, sizeof yb);
    for (int i = 0; i < n; i++) CHECK_NEAR(bias[i], (ya[i] - yb[i]) / (2 * h), 1e-7);
  }
  td_state_free(a);
  td_state_free(b);
  robot_close(&r);
}

static void test_jacobians_rates_and_biases_are_those_of_differences(void** state) {
  (void)state;
  check_derivatives(ZOO "rod(1).model = 'ebr'; rod(1).n = 2;");
  check_derivatives(ZOO "rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 1 1 0];");
}

// ---- the paper's beam -------------------------------------------------------------------------

// One element, states x, z, theta; force along z and couple at the tip [TMTDyn, eq. 42-43]: with
// Tc = [0 1 0; 0 0 1] the inputs are m z'' + EA/l0 (z - l0), I theta'' + EJ/l0 theta in closed
// form.
static void test_the_beam_of_the_paper_in_numbers(void** state) {
  (void)state;
  robot r = robot_open(
      "l0 = 0.1; r = 0.01; m = 0.05; E = 2e5; G = E/3; A = pi*r^2; Jb = pi*r^4/4;"
      "fu = input('fu', 0); tu = input('tu', 0);"
      "body(1).m = m; body(1).I = diag([1 m*(3*r^2 + l0^2)/12 1]);"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).tr(2).rot = [2 inf];"
      "joint(1).dof(1).spring.coeff = G*A/l0;"
      "joint(1).dof(2).spring.coeff = E*A/l0; joint(1).dof(2).spring.init = l0;"
      "joint(1).dof(2).init = l0; joint(1).dof(3).spring.coeff = E*Jb/l0;"
      "joint(1).dof(2).input = fu; joint(1).dof(3).input = tu;"
      "task(1).value = [dof(joint(1), 2), dof(joint(1), 3)];"
      "task(1).desired = [l0 + 0.01*sin(4*t)^2, 0.3*(1 - cos(3*t))]; task(1).P = [100 50]; "
      "task(1).D = 20;");
  td_trajectory* rows = simulate(&r, 2, 1e-10, TD_SOLVER_AUTO);
  const double l0 = 0.1, rb = 0.01, m = 0.05, E = 2e5, pi = acos(-1.0);
  const double I = m * (3 * rb * rb + l0 * l0) / 12, EA = E * pi * rb * rb,
               EJ = E * pi * pow(rb, 4) / 4;
  double worst = 0, error = 0;
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    const double t = td_trajectory_time(rows, i), *u = td_trajectory_inputs(rows, i);
    const double z = 0.01 * pow(sin(4 * t), 2), za = 0.32 * cos(8 * t), th = 0.3 * (1 - cos(3 * t)),
                 ta = 2.7 * cos(3 * t);
    worst = fmax(worst, fabs(u[0] - (m * za + EA / l0 * z)));
    worst = fmax(worst, fabs(u[1] - (I * ta + EJ / l0 * th)));
    error = fmax(error, fmax(fabs(td_trajectory_q(rows, i)[1] - l0 - z),
                             fabs(td_trajectory_q(rows, i)[2] - th)));
  }
  CHECK_REACHED("eq. 43: inputs against the closed form", worst, 1e-7);
  CHECK_REACHED("eq. 43: tracking", error, 1e-9);
  td_trajectory_free(rows);
  robot_close(&r);
}

// ---- arms -------------------------------------------------------------------------------------

// Two links under gravity, torques at both joints, the tip on a circle.
#define ARM(more)                                                                             \
  "world.g = [0 0 -9.81]; T1 = input('T1', 0); T2 = input('T2', 0); c = param('c', 1);"       \
  "for i = 1:2, body(i).m = c; body(i).I = 0.02*c*eye(3); body(i).l_com = [0 0 -0.2]; end;"   \
  "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.9; "           \
  "joint(1).dof(1).input = T1;"                                                               \
  "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.4]; "              \
  "joint(2).tr(2).rot = [2 inf];"                                                             \
  "joint(2).dof(1).init = -1.5; joint(2).dof(1).input = T2; joint(2).dof(1).damp.visc = 0.1;" \
  "p = pos(body(2), [0 0 -0.4]);"                                                             \
  "x0 = -0.4*sin(0.9) - 0.4*sin(-0.6); z0 = -0.4*cos(0.9) - 0.4*cos(-0.6);"                   \
  "sensor(1).name = 'ex'; sensor(1).value = p(1) - x0 - 0.05*(cos(5*t) - 1);"                 \
  "sensor(2).name = 'ez'; sensor(2).value = p(3) - z0 - 0.05*(sin(5*t) - 5*t*exp(-40*t));"    \
  "task(1).value = [p(1) p(3)];"                                                              \
  "task(1).desired = [x0 + 0.05*(cos(5*t) - 1), z0 + 0.05*(sin(5*t) - 5*t*exp(-40*t))];" more

static double worst_error(const td_trajectory* rows, int n) {
  double worst = 0;
  for (int i = 0; i < td_trajectory_rows(rows); i++)
    for (int k = 0; k < n; k++) worst = fmax(worst, fabs(td_trajectory_sensors(rows, i)[k]));
  return worst;
}

static void test_full_actuation_tracks_to_integration_tolerance(void** state) {
  (void)state;
  for (int solver = TD_SOLVER_EXPLICIT; solver <= TD_SOLVER_STIFF; solver++) {
    robot r = robot_open(ARM("task(1).P = 100; task(1).I = 30; task(1).D = 20;"));
    td_trajectory* rows = simulate(&r, 2, 1e-9, (td_solver)solver);
    CHECK_REACHED(
        solver == TD_SOLVER_STIFF ? "arm on a circle, stiff" : "arm on a circle, explicit",
        worst_error(rows, 2), solver == TD_SOLVER_STIFF ? 1e-6 : 1e-8);
    td_trajectory_free(rows);
    robot_close(&r);
  }
}

// The computed inputs, held as a table of time, bring the free model along the same path.
static void test_computed_inputs_reproduce_the_task(void** state) {
  (void)state;
  robot r = robot_open(ARM(""));
  td_trajectory* rows = simulate(&r, 1, 1e-11, TD_SOLVER_EXPLICIT);
  // inverse dynamics without the task: M v' + h = u at the states of the run
  double worst = 0;
  for (int i = 5; i + 5 < td_trajectory_rows(rows); i++) {
    td_state* s = r.state;
    s->t = td_trajectory_time(rows, i);
    memcpy(s->q, td_trajectory_q(rows, i), 2 * sizeof(double));
    memcpy(s->v, td_trajectory_v(rows, i), 2 * sizeof(double));
    memcpy(s->u, td_trajectory_inputs(rows, i), 2 * sizeof(double));
    assert_int_equal(td_forward_dynamics(r.model, s, r.work), TD_OK);
    double J[4], a[2];
    memcpy(a, td_work_vdot(r.work), sizeof a);
    td_task_jacobian(r.model, s, r.work, J);
    const td_task_values y = td_task_at(r.model, s, r.work);
    for (int k = 0; k < 2; k++)
      worst =
          fmax(worst, fabs(J[2 * k] * a[0] + J[2 * k + 1] * a[1] + y.bias[k] - y.desired_acc[k]));
  }
  CHECK_REACHED("task acceleration under the computed inputs", worst, 1e-10);
  td_trajectory_free(rows);
  robot_close(&r);
}

// Masses taken for 20 % more than they are: feedback keeps the error small, and smaller as the
// gains grow.
static void test_feedback_holds_against_a_wrong_model(void** state) {
  (void)state;
  const char* gains[] = {"task(1).P = 100; task(1).D = 20;",
                         "task(1).P = 900; task(1).D = 60; task(1).I = 3000;"};
  double worst[2];
  for (int k = 0; k < 2; k++) {
    char text[3000];
    snprintf(text, sizeof text, "%s%s", ARM(""), gains[k]);
    robot r = robot_open(text);
    td_sim_options o = td_sim_options_default();
    o.rtol = o.atol = 1e-8;
    o.t_final = 1;
    o.belief = td_work_new(r.model);
    td_work_set_param(r.model, o.belief, td_model_param_find(r.model, "c"), 1.2);
    td_trajectory* rows = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
    worst[k] = worst_error(rows, 2);
    td_trajectory_free(rows);
    td_work_free(o.belief);
    robot_close(&r);
  }
  // 20 % of the torque over the gain: rounding has no share in it
  CHECK_REACHED("20 % heavier model, modest gains", worst[0], 0.05);
  CHECK_REACHED("20 % heavier model, high gains", worst[1], 0.006);
  assert_true(worst[0] > 1e-4);
}

static void test_limits_are_kept_and_inputs_recorded(void** state) {
  (void)state;
  robot r = robot_open(ARM("task(1).P = 100; task(1).D = 20; task(1).limits = [-4 4; -1.5 1.5];"));
  td_trajectory* rows = simulate(&r, 1, 1e-7, TD_SOLVER_AUTO);
  bool at_limit = false;
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    const double* u = td_trajectory_inputs(rows, i);
    assert_true(fabs(u[0]) <= 4 && fabs(u[1]) <= 1.5);
    at_limit = at_limit || fabs(u[1]) == 1.5 || fabs(u[0]) == 4;
  }
  assert_true(at_limit);
  td_trajectory_free(rows);
  robot_close(&r);
}

// Three inputs for one number: two push the same mass, the third another; the smallest share the
// work.
static void test_too_many_inputs_share_the_work(void** state) {
  (void)state;
  robot r = robot_open(
      "a = input('a', 0); b = input('b', 0); c = input('c', 0);"
      "body(1).m = 2; body(1).I = zeros(3); joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
      "joint(1).dof(1).input = a + 2*b; body(2).m = 1; body(2).I = zeros(3);"
      "joint(2).second = 2; joint(2).tr(1).trans = [0 inf 0]; joint(2).dof(1).input = c;"
      "task(1).value = dof(joint(1), 1); task(1).desired = t^2;");
  td_control* control;
  double z = 0;
  assert_int_equal(td_control_new(r.model, r.work, r.state, &control), TD_OK);
  assert_int_equal(td_control_inputs(control, r.state, &z), TD_OK);
  CHECK_NEAR(r.state->u[0], 4.0 / 5, 1e-12);  // a + 2 b = 4 with the smallest a^2 + b^2
  CHECK_NEAR(r.state->u[1], 8.0 / 5, 1e-12);
  CHECK_NEAR(r.state->u[2], 0, 1e-12);
  td_control_free(control);
  robot_close(&r);
}

// What a task leaves free is braked.  Inputs a and b push the first mass, 2, which the task holds:
// u = [1 2] f/5 with f = 2 (2 - D v), and what a and b could do against each other moves nothing.
// The mass 1 is left to c: it decays at the rate, c = -rate v.  (ε is 3.5e-6 of it: 2e-11 at most.)
static void test_inputs_to_spare_brake_what_is_free(void** state) {
  (void)state;
  static const struct {
    const char* calm;
    double rate, least, most;
  } rows[] = {{"", 20, -100, 100},
              {"task(1).calm = 7;", 7, -100, 100},
              {"task(1).calm = 0;", 0, -100, 100},
              {"task(1).calm = 7; task(1).limits = [-100 100; -100 100; -2.5 2.5];", 7, -2.5, 2.5}};
  for (int k = 0; k < 4; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             "a = input('a', 0); b = input('b', 0); c = input('c', 0);"
             "body(1).m = 2; body(1).I = zeros(3); joint(1).second = 1; "
             "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).rate = 0.25;"
             "joint(1).dof(1).input = a + 2*b; body(2).m = 1; body(2).I = zeros(3);"
             "joint(2).second = 2; joint(2).tr(1).trans = [0 inf 0]; joint(2).dof(1).input = c;"
             "joint(2).dof(1).rate = 3; task(1).value = dof(joint(1), 1); task(1).desired = t^2;"
             "task(1).D = 20; %s",
             rows[k].calm);
    robot r = robot_open(text);
    td_control* control;
    const double z = 0, f = 2 * (2 - 20 * 0.25);
    assert_int_equal(td_control_new(r.model, r.work, r.state, &control), TD_OK);
    assert_int_equal(td_control_inputs(control, r.state, &z), TD_OK);
    CHECK_NEAR(r.state->u[0], f / 5, 1e-12);
    CHECK_NEAR(r.state->u[1], 2 * f / 5, 1e-12);
    CHECK_NEAR(r.state->u[2], fmin(fmax(-rows[k].rate * 3, rows[k].least), rows[k].most), 1e-8);
    td_control_free(control);
    robot_close(&r);
  }
}

// Three links hold their tip with one joint to spare.  Nothing stops the motion of the elbows when
// the smallest inputs are taken; braked it is gone.
static void test_an_arm_with_a_joint_to_spare_comes_to_rest(void** state) {
  (void)state;
  double speed[2];
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             "T = {'a', 'b', 'c'}; a = input('a', 0); b = input('b', 0); c = input('c', 0);"
             "for i = 1:3, body(i).m = 1; body(i).I = 0.02*eye(3); body(i).l_com = [0.2 0 0];"
             "joint(i).first = i - 1; joint(i).second = i; "
             "if i > 1, joint(i).tr(1).trans = [0.4 0 0]; joint(i).tr(2).rot = [3 inf]; else, "
             "joint(i).tr(1).rot = [3 inf]; end; joint(i).dof(1).init = 0.7; end;"
             "joint(1).dof(1).rate = 1; joint(2).dof(1).rate = -2; joint(3).dof(1).rate = 1.5;"
             "joint(1).dof(1).input = a; joint(2).dof(1).input = b; joint(3).dof(1).input = c;"
             "p = pos(body(3), [0.4 0 0]); task(1).value = p(1:2); task(1).desired = [0.2 0.7];"
             "task(1).P = 100; task(1).D = 20; %s",
             k == 0 ? "task(1).calm = 0;" : "");
    robot r = robot_open(text);
    td_trajectory* rows = simulate(&r, 5, 1e-8, TD_SOLVER_AUTO);
    const int last = td_trajectory_rows(rows) - 1;
    const double* v = td_trajectory_v(rows, last);
    speed[k] = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    td_trajectory_free(rows);
    robot_close(&r);
  }
  printf(
      "an arm with a joint to spare after 5 s: %.2g rad/s with the smallest inputs, %.2g braked\n",
      speed[0], speed[1]);
  assert_true(speed[0] > 0.3);
  assert_true(speed[1] < 1e-3);
}

// Near a singular position the inputs of a straight arm grow without bound; with damping d they are
// those that minimise |A u - b|^2 + d^2 |u|^2, for one direction u = A b / (A^2 + d^2).
static void test_damping_bounds_inputs_near_singular_positions(void** state) {
  (void)state;
  const char* text =
      "T = input('T', 0); d = param('d', 0); body(1).m = 1; body(1).I = zeros(3);"
      "body(1).l_com = [0 0 1]; joint(1).second = 1; joint(1).tr(1).rot = [2 inf];"
      "joint(1).dof(1).init = param('lean', 1e-3); joint(1).dof(1).input = T;"
      "p = pos(body(1), [0 0 1]); task(1).value = p(3); task(1).desired = cos(0.001) + t^2/2;"
      "task(1).damping = d; task(1).P = 0; task(1).D = 0;";
  for (int k = 0; k < 3; k++) {
    robot r = robot_open(text);
    const double d[] = {0, 1e-3, 0.1}, z = 0, A = -sin(1e-3);  // z'' = -sin(lean) T
    td_work_set_param(r.model, r.work, td_model_param_find(r.model, "d"), d[k]);
    td_control* control;
    assert_int_equal(td_control_new(r.model, r.work, r.state, &control), TD_OK);
    assert_int_equal(td_control_inputs(control, r.state, &z), TD_OK);
    CHECK_NEAR(r.state->u[0], A / (A * A + d[k] * d[k]), 1e-9 / fabs(A));
    td_control_free(control);
    robot_close(&r);
  }
}

// One input for two equal masses with different wishes: the mean is nearest.
static void test_too_few_inputs_do_their_best(void** state) {
  (void)state;
  robot r = robot_open(
      "F = input('F', 0); for i = 1:2, body(i).m = 1; body(i).I = zeros(3); joint(i).second = i;"
      "joint(i).tr(1).trans = [inf 0 0]; joint(i).dof(1).input = F; end;"
      "task(1).value = [dof(joint(1), 1) dof(joint(2), 1)]; task(1).desired = [t^2 2*t^2];");
  td_control* control;
  const double z[2] = {0, 0};
  assert_int_equal(td_control_new(r.model, r.work, r.state, &control), TD_OK);
  assert_int_equal(td_control_inputs(control, r.state, z), TD_OK);
  CHECK_NEAR(r.state->u[0], 3, 1e-12);
  td_control_free(control);
  robot_close(&r);
}

// An input that enters squared is found by Newton's method.
static void test_inputs_may_enter_nonlinearly(void** state) {
  (void)state;
  robot r = robot_open(
      "p = input('p', 0); body(1).m = 1; body(1).I = zeros(3); joint(1).second = 1;"
      "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = p + p^3;"
      "task(1).value = dof(joint(1), 1); task(1).desired = 5*t^2;");
  td_control* control;
  const double z = 0;
  assert_int_equal(td_control_new(r.model, r.work, r.state, &control), TD_OK);
  assert_int_equal(td_control_inputs(control, r.state, &z), TD_OK);
  CHECK_NEAR(r.state->u[0], 2, 1e-10);  // 2 + 8 = 10
  td_control_free(control);
  robot_close(&r);
}

// A closed loop driven by one torque, begun beside the path: e'' + 20 e' + 100 e = 0.
static void test_a_constrained_mechanism_follows(void** state) {
  (void)state;
  robot r = robot_open(
      "world.g = [0 0 -9.81]; T = input('T', 0);"
      "for i = 1:3, body(i).m = 1; body(i).I = 0.01*eye(3); body(i).l_com = [0 0 -0.3]; end;"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4; "
      "joint(1).dof(1).input = T;"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.6];"
      "joint(2).tr(2).rot = [2 inf]; joint(2).dof(1).init = -0.9;"
      "joint(3).second = 3; joint(3).tr(1).trans = [0.5 0 0]; joint(3).tr(2).rot = [2 inf];"
      "joint(4).first = [2 1]; joint(4).second = [3 1]; joint(4).tr(1).trans = [0 0 -0.6];"
      "joint(4).tr2nd(1).trans = [0 0 -0.6]; joint(4).fixed = [1 0 1];"
      "task(1).value = dof(joint(1), 1); task(1).inputs = {'T'};"
      "task(1).desired = 0.35 + 0.1*t^2; task(1).P = 100; task(1).D = 20;"
      "sensor(1).name = 'e'; sensor(1).value = dof(joint(1), 1) - 0.35 - 0.1*t^2;");
  const double e0 = r.state->q[0] - 0.35;
  td_trajectory* rows = simulate(&r, 1, 1e-10, TD_SOLVER_AUTO);
  double worst = 0;
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    const double t = td_trajectory_time(rows, i);
    worst = fmax(worst, fabs(td_trajectory_sensors(rows, i)[0] - e0 * (1 + 10 * t) * exp(-10 * t)));
  }
  CHECK_REACHED("error of a four-bar linkage against its design", worst, 1e-8);
  td_trajectory_free(rows);
  robot_close(&r);
}

// At rest y = u / k; the static feed-forward is exact there, whatever the speed.
static void test_static_feedforward_holds_the_desired_value(void** state) {
  (void)state;
  robot r = robot_open(
      "world.g = [0 0 -9.81]; F = input('F', 0); body(1).m = 2; body(1).I = 0.1*eye(3);"
      "body(1).l_com = [0 0 -0.5]; joint(1).second = 1; joint(1).tr(1).rot = [2 inf];"
      "joint(1).dof(1).spring.coeff = 3; joint(1).dof(1).damp.visc = 8; joint(1).dof(1).input = F;"
      "p = pos(body(1), [0 0 -1]); sensor(1).name = 'e'; sensor(1).value = p(1) - 0.4;"
      "task(1).value = p(1); task(1).desired = 0.4; task(1).feedforward = 'static'; task(1).limits "
      "= [-50 50];");
  td_trajectory* rows = simulate(&r, 30, 1e-9, TD_SOLVER_AUTO);
  const int last = td_trajectory_rows(rows) - 1;
  const double angle = asin(-0.4), F = 3 * angle + 2 * 9.81 * 0.5 * sin(angle);
  CHECK_NEAR(td_trajectory_inputs(rows, last)[0], F, 1e-9);
  CHECK_NEAR(td_trajectory_inputs(rows, 0)[0], F, 1e-9);
  assert_true(fabs(td_trajectory_sensors(rows, last)[0]) < 1e-6);
  td_trajectory_free(rows);
  robot_close(&r);
}

// A slide that a loop holds: what drives it moves nothing, and a task on it asks for nothing; the
// two bodies swing as one pendulum, in any frame and by dense and sparse matrices.
static void test_an_input_that_a_loop_holds_is_left_alone(void** state) {
  (void)state;
  static const char* const linear[] = {"dense", "sparse"};
  for (int k = 0; k < 8; k++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "u = input('u', 0); world.g = [1 2 -9];"
        "body(1).m = 1; body(1).I = 0.01*diag([1 1.2 1.4]); body(1).l_com = [0.1 0.05 0];"
        "body(2).m = 0.7; body(2).I = 0.01*diag([1 1.1 1.3]); body(2).l_com = [0 0.1 0.02];"
        "joint(1).second = 1; joint(1).tr.rot = [%g 1 2 3]; joint(1).type = 'revolute';"
        "joint(1).axis = [1 %g 0.3]; joint(1).dof(1).rate = 1;"
        "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0.1 0.2 0.3];"
        "joint(2).tr.rot = [0.7 2 -1 1]; joint(2).type = 'prismatic'; joint(2).axis = [1 2 %g];"
        "joint(2).dof(1).input = u;"
        "joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [0.1 0.2 0.3];"
        "joint(3).type = 'revolute'; joint(3).axis = [1 %g -0.5];"
        "task(1).value = dof(joint(2), 1); task(1).desired = 0.05*sin(2*t);"
        "task(1).P = 50; task(1).D = 10; par.linear = '%s';",
        0.1 + 0.4 * k, 0.5 * k - 1, 0.2 * k, 1 - 0.3 * k, linear[k % 2]);
    robot r = robot_open(text);
    td_trajectory* rows = simulate(&r, 0.3, 1e-9, TD_SOLVER_AUTO);
    const td_sim_stats* stats = td_trajectory_stats(rows);
    for (int i = 0; i < td_trajectory_rows(rows); i++)
      assert_true(td_trajectory_inputs(rows, i)[0] == 0);
    CHECK_NEAR(stats->work_done, 0, 1e-12);
    assert_true(stats->steps < 300);
    td_trajectory_free(rows);
    robot_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_input_that_a_loop_holds_is_left_alone),
      cmocka_unit_test(test_jacobians_rates_and_biases_are_those_of_differences),
      cmocka_unit_test(test_the_beam_of_the_paper_in_numbers),
      cmocka_unit_test(test_full_actuation_tracks_to_integration_tolerance),
      cmocka_unit_test(test_computed_inputs_reproduce_the_task),
      cmocka_unit_test(test_feedback_holds_against_a_wrong_model),
      cmocka_unit_test(test_limits_are_kept_and_inputs_recorded),
      cmocka_unit_test(test_too_many_inputs_share_the_work),
      cmocka_unit_test(test_inputs_to_spare_brake_what_is_free),
      cmocka_unit_test(test_an_arm_with_a_joint_to_spare_comes_to_rest),
      cmocka_unit_test(test_damping_bounds_inputs_near_singular_positions),
      cmocka_unit_test(test_too_few_inputs_do_their_best),
      cmocka_unit_test(test_inputs_may_enter_nonlinearly),
      cmocka_unit_test(test_a_constrained_mechanism_follows),
      cmocka_unit_test(test_static_feedforward_holds_the_desired_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
