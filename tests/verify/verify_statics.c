// Equilibria, their stability and their paths against closed forms, through the public API alone.
#include "bench.h"

static const double pi = 3.14159265358979323846;

static td_equil_result equilibrium(bench* b) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(b->model, b->work, b->state, &options, &result), TD_OK);
  assert_true(result.converged);
  return result;
}

static td_trace_result* trace(bench* b, const char* param, double from, double to) {
  td_trace_options options = td_trace_options_default();
  options.param = td_model_param_find(b->model, param);
  options.from = from;
  options.to = to;
  td_trace_result* result;
  assert_int_equal(td_trace(b->model, b->work, b->state, &options, &result), TD_OK);
  assert_true(result->complete);
  return result;
}

// Index of the k-th point of a kind, -1: none
static int find_kind(const td_trace_result* r, td_path_kind kind, int k) {
  for (int i = 0; i < r->n; i++)
    if (r->kind[i] == kind && k-- == 0) return i;
  return -1;
}

// ---- one pendulum -----------------------------------------------------------------------------

static const char pendulum[] =
    "world.g = [0 0 -9.81];\n"
    "body(1).m = 2; body(1).I = zeros(3); body(1).l_com = [0 0 -0.5];\n"
    "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n";

static void test_a_pendulum_hangs_stable_and_stands_unstable(void** state) {
  (void)state;
  bench b = bench_new(pendulum);
  const double starts[] = {0.4, -0.9, pi, pi - 0.3};
  for (int i = 0; i < 4; i++) {
    b.state->q[0] = starts[i];
    const td_equil_result r = equilibrium(&b);
    const bool up = i >= 2;
    CHECK_NEAR(b.state->q[0], up ? pi : 0, 1e-12);
    assert_int_equal(r.stability, up ? TD_DIVERGENCE : TD_STABLE);
    assert_true(r.conservative);
    CHECK_NEAR(r.critical, up ? -9.81 : 9.81, 1e-12);
  }
  bench_free(&b);
}

static void test_a_horizontal_pendulum_has_no_tangent_and_still_comes_down(void** state) {
  (void)state;
  bench b = bench_new(pendulum);
  b.state->q[0] = pi / 2;
  const td_equil_result r = equilibrium(&b);
  CHECK_NEAR(b.state->q[0], 0, 1e-10);
  assert_int_equal(r.stability, TD_STABLE);
  bench_free(&b);
}

static void test_without_gravity_every_position_is_neutral(void** state) {
  (void)state;
  bench b = bench_new(
      "body(1).m = 2; body(1).l_com = [0 0 -0.5];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n");
  b.state->q[0] = 0.7;
  const td_equil_result r = equilibrium(&b);
  assert_int_equal(r.stability, TD_NEUTRAL);
  CHECK_NEAR(b.state->q[0], 0.7, 0);
  bench_free(&b);
}

// A chain of pendulums thrown down anywhere: far from the start only a stable equilibrium will do
static void test_a_bad_guess_does_not_end_in_an_unstable_equilibrium(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; n = 5;\n"
      "for i = 1:n\n"
      "  body(i).m = 1; body(i).l_com = [0 0 -0.15]; body(i).I = 0.0075*diag([1 1 0]);\n"
      "  joint(i).first = i - 1; joint(i).second = i;\n"
      "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0]; joint(i).tr(1).trans = [0 0 -0.3*(i "
      "> 1)];\n"
      "end\n");
  uint64_t seed = 21;
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 5; i++) b.state->q[i] = pi * check_random(&seed);
    const td_equil_result r = equilibrium(&b);
    assert_int_equal(r.stability, TD_STABLE);
    for (int i = 0; i < 5; i++) CHECK_NEAR(cos(b.state->q[i]), 1, 1e-12);
  }
  bench_free(&b);
}

// Balls in sockets may spin about their own axes: the tangent is singular everywhere
static void test_neutral_directions_do_not_disturb_the_search(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81];\n"
      "for i = 1:3\n"
      "  body(i).m = 1; body(i).l_com = [0 0 -0.15]; body(i).I = 0.01*eye(3);\n"
      "  joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [0 0 -0.3*(i > 1)];\n"
      "  joint(i).type = 'spherical';\n"
      "end\n"
      "sensor(1).name = 'last'; sensor(1).value = pos(body(3));\n");
  const td_sizes n = td_model_sizes(b.model);
  double dv[9], place[3];
  uint64_t seed = 22;
  for (int i = 0; i < n.nv; i++) dv[i] = check_random(&seed);
  td_displace(b.model, b.state->q, dv, b.state->q);
  const td_equil_result r = equilibrium(&b);
  assert_int_equal(r.stability, TD_NEUTRAL);
  assert_int_equal(td_sensors(b.model, b.state, b.work, place), TD_OK);
  CHECK_NEAR(place[0], 0, 1e-10);
  CHECK_NEAR(place[1], 0, 1e-10);
  CHECK_NEAR(place[2], -0.6, 1e-12);
  bench_free(&b);
}

static void test_a_body_in_free_fall_has_no_equilibrium(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; body(1).m = 3; body(1).I = eye(3);\n"
      "joint(1).second = 1; joint(1).type = 'free';\n");
  td_equil_result r;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &r), TD_E_DIVERGED);
  assert_false(r.converged);
  CHECK_NEAR(r.residual, 3 * 9.81, 1e-12);
  bench_free(&b);
}

static void test_a_model_without_freedom_is_in_equilibrium(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; body(1).m = 3;\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).motion = 0.5;\n");
  const td_equil_result r = equilibrium(&b);
  assert_int_equal(r.stability, TD_STABLE);
  CHECK_NEAR(b.state->q[0], 0.5, 1e-15);
  bench_free(&b);
}

// A mass on a rope that begins slack
static void test_a_slack_rope_tightens(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = zeros(3);\n"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf inf inf];\n"
      "joint(1).dof(1).init = 0.1; joint(1).dof(3).init = 0.3;\n"
      "joint(2).second = 1; joint(2).spring.coeff = 1e4; joint(2).spring.init = 1; joint(2).dir = "
      "1;\n");
  const td_equil_result r = equilibrium(&b);
  assert_int_equal(r.stability, TD_STABLE);
  CHECK_NEAR(b.state->q[0], 0, 1e-10);
  CHECK_NEAR(b.state->q[2], -1 - 9.81 / 1e4, 1e-12);
  bench_free(&b);
}

// A cantilever of many links under a load far beyond small deflections: moments balance at every
// joint
static void test_a_soft_cantilever_bends_over(void** state) {
  (void)state;
  bench b = bench_new(
      "n = 20; l = 1/n; P = 300;\n"
      "for i = 1:n\n"
      "  body(i).m = 0.1; body(i).l_com = [l/2 0 0]; body(i).I = 1e-5*eye(3);\n"
      "  joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [l*(i > 1) 0 0];\n"
      "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0]; joint(i).dof(1).spring.coeff = n;\n"
      "end\n"
      "exload(1).exbody = n; exload(1).tr(1).trans = [l 0 0]; exload(1).ftau = [0 0 -P];\n");
  const td_equil_result r = equilibrium(&b);
  assert_int_equal(r.stability, TD_STABLE);
  double angle = 0, arm = 0;
  for (int i = 0; i < 20; i++) arm += cos(angle += b.state->q[i]) / 20;
  for (int i = 0; i < 20; i++) {
    CHECK_NEAR(20 * b.state->q[i] / 300, arm, 1e-12);
    angle = 0;
    for (int k = 0; k <= i; k++) angle += b.state->q[k];
    arm -= cos(angle) / 20;
  }
  bench_free(&b);
}

// ---- discrete chains between supports of equal height, N03 ------------------------------------

// Links hang along -z of their frames; V shape with the given numbers of links down, level and up
static bench chain(int n, double l, double d, double m, bool rods, double slope) {
  char text[1500];
  snprintf(text, sizeof text,
           "n = %d; l = %.17g; d = %.17g; m = %.17g; rods = %d; phi = %.17g;\n"
           "half = floor(n/2);\n"
           "world.g = [0 0 -9.81];\n"
           "for i = 1:n\n"
           "  body(i).m = m;\n"
           "  if rods\n"
           "    body(i).l_com = [0 0 -l/2]; body(i).I = m*l^2/12*diag([1 1 0]);\n"
           "  else\n"
           "    body(i).l_com = [0 0 -l]; body(i).I = zeros(3);\n"
           "  end\n"
           "  joint(i).first = i - 1; joint(i).second = i;\n"
           "  if i > 1\n"
           "    joint(i).tr(1).trans = [0 0 -l];\n"
           "  end\n"
           "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0];\n"
           "  sensor(i).name = sprintf('node%%d', i); sensor(i).value = pos(body(i));\n"
           "end\n"
           "joint(1).dof(1).init = -(pi/2 - phi);\n"
           "joint(half+1).dof(1).init = -phi*(2 - mod(n,2));\n"
           "if mod(n,2) == 1\n"
           "  joint(half+2).dof(1).init = -phi;\n"
           "end\n"
           "joint(n+1).first = 0; joint(n+1).tr(1).trans = [d 0 0];\n"
           "joint(n+1).second = n; joint(n+1).tr2nd(1).trans = [0 0 -l];\n"
           "joint(n+1).type = 'revolute'; joint(n+1).axis = [0 1 0];\n",
           n, l, d, m, rods, slope);
  return bench_new(text);
}

// The loop's reaction has a vertical part that symmetry gives; what is left of its length is the
// horizontal one
static double horizontal(const bench* b, double vertical) {
  double square = 0;
  for (int i = 0; i < td_model_sizes(b->model).nconstraint; i++)
    square += pow(td_work_lambda(b->work)[i], 2);
  return sqrt(square - vertical * vertical);
}

static void check_chain(const char* name, bench* b, double H, double V, const double (*nodes)[2],
                        int count) {
  const td_equil_result r = equilibrium(b);
  assert_int_equal(r.stability, TD_STABLE);
  double error = fabs(horizontal(b, V) / H - 1);
  double* sensors = test_malloc(sizeof(double) * (size_t)td_model_sizes(b->model).nsensor);
  assert_int_equal(td_sensors(b->model, b->state, b->work, sensors), TD_OK);
  // sensor i + 1 is the place where link i + 1 begins: node i
  for (int i = 0; i < count; i++) {
    error = fmax(error, fabs(sensors[3 * (i + 1)] - nodes[i][0]));
    error = fmax(error, fabs(sensors[3 * (i + 1) + 2] - nodes[i][1]));
  }
  CHECK_REACHED(name, error, 1e-9);
  test_free(sensors);
}

static void test_point_masses_on_a_string_N03(void** state) {
  (void)state;
  static const double nodes[][2] = {{0.0622110905191, -0.136490952874},
                                    {0.138050490868, -0.26590650586},
                                    {0.233191577542, -0.381872766585},
                                    {0.354267757206, -0.470419696051},
                                    {0.5, -0.505945931571},
                                    {0.645732242794, -0.470419696051},
                                    {0.766808422458, -0.381872766585},
                                    {0.861949509132, -0.26590650586},
                                    {0.937788909481, -0.136490952874}};
  bench b = chain(10, 0.15, 1, 0.1, false, acos(1 / 1.5));
  check_chain("N03 points", &b, 2.0120810450372, 0.1 * 9.81 * 5.5, nodes, 9);
  bench_free(&b);
}

static void test_rods_in_a_chain_N03(void** state) {
  (void)state;
  static const double nodes[][2] = {{0.0837727065784, -0.18160983903},
                                    {0.188549352221, -0.351967857708},
                                    {0.324164094547, -0.498966638873},
                                    {0.5, -0.594264772923},
                                    {0.7, -0.594264772923},
                                    {0.875835905453, -0.498966638873},
                                    {1.01145064778, -0.351967857708},
                                    {1.11622729342, -0.18160983903}};
  bench b = chain(9, 0.2, 1.2, 0.3, true, acos(0.625));
  check_chain("N03 rods", &b, 5.4301700123097, 0.3 * 9.81 * 4.5, nodes, 8);
  bench_free(&b);
}

// ---- von Mises truss, N07 ---------------------------------------------------------------------

static const char truss[] =
    "P = param('P', 0); l0 = sqrt(1 + 0.3^2); EA = 1000;\n"
    "body(1).m = 1; body(1).I = zeros(3);\n"
    "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(2).init = 0.3;\n"
    "joint(2).second = 1; joint(2).tr(1).trans = [-1 0 0];\n"
    "joint(2).spring.coeff = EA/l0; joint(2).spring.init = l0;\n"
    "joint(3).second = 1; joint(3).tr(1).trans = [1 0 0];\n"
    "joint(3).spring.coeff = EA/l0; joint(3).spring.init = l0;\n"
    "exload(1).exbody = 1; exload(1).ftau = [0 0 -P];\n";

static void test_the_von_mises_truss_snaps_at_its_limit_loads_N07(void** state) {
  (void)state;
  const double P_limit = 9.5302919978954, v_limit = 0.1292883525605;
  bench b = bench_new(truss);
  td_trace_result* r = trace(&b, "P", -12, 12);
  const int first = find_kind(r, TD_LIMIT, 0), second = find_kind(r, TD_LIMIT, 1);
  assert_true(first > 0 && second > first);
  assert_int_equal(find_kind(r, TD_LIMIT, 2), -1);
  assert_int_equal(find_kind(r, TD_BIFURCATION, 0), -1);
  CHECK_REACHED("N07 limit load", fabs(r->p[first] / P_limit - 1), 1e-8);
  CHECK_REACHED("N07 height at the limit", fabs(0.3 - v_limit - r->q[2 * first + 1]), 1e-8);
  CHECK_REACHED("N07 limit load back", fabs(r->p[second] / P_limit + 1), 1e-8);

  // stable, unstable between the limits, stable again; always symmetric
  for (int i = 0; i < r->n; i++) {
    if (r->kind[i] != TD_REGULAR) continue;
    assert_int_equal(r->stability[i], i > first && i < second ? TD_DIVERGENCE : TD_STABLE);
    CHECK_NEAR(r->q[2 * i], 0, 1e-12);
  }
  assert_true(r->p[r->n - 1] == 12);
  td_trace_free(r);
  bench_free(&b);
}

// The truss snaps at its limit load: the path turns back, passes P = 0 flat, turns again at the
// opposite load and comes to the end that was asked for
static void test_a_path_that_turns_back_goes_on_to_its_end(void** state) {
  (void)state;
  bench b = bench_new(truss);
  td_trace_result* r = trace(&b, "P", 0, 12);
  assert_true(find_kind(r, TD_LIMIT, 0) > 0);
  assert_true(find_kind(r, TD_LIMIT, 1) > 0);
  assert_true(r->p[r->n - 1] == 12);
  assert_true(r->complete);
  td_trace_free(r);
  bench_free(&b);
}

// ---- columns ----------------------------------------------------------------------------------

// Two equal links l with springs k, masses 2m and m, a force P that follows the last link
static const char ziegler[] =
    "P = param('P', 0); c = param('c', 0); l = 0.5; k = 3; m = 0.7;\n"
    "body(1).m = 2*m; body(2).m = m;\n"
    "for i = 1:2\n"
    "  body(i).I = zeros(3); body(i).l_com = [0 0 l];\n"
    "  joint(i).first = i - 1; joint(i).second = i;\n"
    "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0];\n"
    "  joint(i).dof(1).spring.coeff = k; joint(i).dof(1).damp.visc = c;\n"
    "end\n"
    "joint(2).tr(1).trans = [0 0 l];\n"
    "exload(1).exbody = 2; exload(1).refbody = 2; exload(1).tr(1).trans = [0 0 l];\n"
    "exload(1).ftau = [0 0 -P];\n";

static void test_zieglers_column_flutters_at_its_critical_load(void** state) {
  (void)state;
  const double critical = (3.5 - sqrt(2)) * 3 / 0.5;
  bench b = bench_new(ziegler);
  const int P = td_model_param_find(b.model, "P");
  for (int side = -1; side <= 1; side += 2) {
    td_work_set_param(b.model, b.work, P, critical * (1 + 1e-6 * side));
    const td_equil_result r = equilibrium(&b);
    assert_false(r.conservative);
    assert_int_equal(r.stability, side < 0 ? TD_STABLE : TD_FLUTTER);
  }
  td_trace_result* r = trace(&b, "P", 0, 1.2 * critical);
  const int i = find_kind(r, TD_HOPF, 0);
  assert_true(i > 0);
  CHECK_REACHED("Ziegler's column, flutter load", fabs(r->p[i] / critical - 1), 1e-9);
  assert_int_equal(find_kind(r, TD_HOPF, 1), -1);
  assert_int_equal(r->stability[r->n - 1], TD_FLUTTER);
  td_trace_free(r);
  bench_free(&b);
}

// With equal viscosity c at both joints, as c -> 0: P = 41/28 k/l, and P = (41/28 + c^2/(2 m l^2
// k)) k/l in general
static void test_damping_destabilises_zieglers_column(void** state) {
  (void)state;
  const double k = 3, l = 0.5, m = 0.7, c = 0.2;
  const double critical = (41.0 / 28 + c * c / (2 * m * l * l * k)) * k / l;
  bench b = bench_new(ziegler);
  td_work_set_param(b.model, b.work, td_model_param_find(b.model, "c"), c);
  td_trace_result* r = trace(&b, "P", 0, 1.5 * critical);
  const int i = find_kind(r, TD_HOPF, 0);
  assert_true(i > 0);
  CHECK_REACHED("Ziegler's column, damped", fabs(r->p[i] / critical - 1), 1e-9);
  assert_int_equal(r->stability[0], TD_STABLE);
  td_trace_free(r);
  bench_free(&b);
}

static void test_a_column_on_a_spring_buckles_at_k_over_l(void** state) {
  (void)state;
  bench b = bench_new(
      "P = param('P', 0); l = 0.7;\n"
      "body(1).m = 1; body(1).I = zeros(3); body(1).l_com = [0 0 l];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
      "joint(1).dof(1).spring.coeff = 1.3;\n"
      "exload(1).exbody = 1; exload(1).tr(1).trans = [0 0 l]; exload(1).ftau = [0 0 -P];\n");
  td_trace_result* r = trace(&b, "P", 0, 3);
  const int i = find_kind(r, TD_BIFURCATION, 0);
  assert_true(i > 0);
  CHECK_REACHED("buckling of a column on a spring", fabs(r->p[i] * 0.7 / 1.3 - 1), 1e-10);
  assert_int_equal(find_kind(r, TD_BIFURCATION, 1), -1);
  assert_int_equal(find_kind(r, TD_LIMIT, 0), -1);
  assert_int_equal(r->stability[0], TD_STABLE);
  assert_int_equal(r->stability[r->n - 1], TD_DIVERGENCE);
  CHECK_NEAR(r->q[r->n - 1], 0, 1e-14);
  td_trace_free(r);
  bench_free(&b);
}

// Two columns on springs, k1 < k2 nearly equal, and a third like the first, all under the same
// load: two bifurcations within one step of the path, one of them double
static void test_bifurcations_that_lie_together_are_told_apart(void** state) {
  (void)state;
  bench b = bench_new(
      "P = param('P', 0); k = [1.3 1.301 1.3];\n"
      "for i = 1:3\n"
      "  body(i).m = 1; body(i).I = zeros(3); body(i).l_com = [0 0 1];\n"
      "  joint(i).first = 0; joint(i).second = i; joint(i).type = 'revolute'; joint(i).axis = [0 1 "
      "0];\n"
      "  joint(i).dof(1).spring.coeff = k(i);\n"
      "  exload(i).exbody = i; exload(i).tr(1).trans = [0 0 1]; exload(i).ftau = [0 0 -P];\n"
      "end\n");
  td_trace_result* r = trace(&b, "P", 0, 3);
  const int first = find_kind(r, TD_BIFURCATION, 0), second = find_kind(r, TD_BIFURCATION, 1);
  assert_true(first > 0 && second == first + 1);
  assert_int_equal(find_kind(r, TD_BIFURCATION, 2), -1);
  CHECK_NEAR(r->p[first], 1.3, 1e-10);
  CHECK_NEAR(r->p[second], 1.301, 1e-10);
  td_trace_free(r);
  bench_free(&b);
}

// ---- relative equilibrium ---------------------------------------------------------------------

static void test_a_rotating_pendulum_leans_out(void** state) {
  (void)state;
  const double W = 7, l = 0.5, g = 9.81;
  bench b = bench_new(
      "world.g = [0 0 -9.81];\n"
      "body(1).m = 0.1; body(1).I = 0.01*eye(3);\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).motion = 7*t;\n"
      "body(2).m = 2; body(2).I = zeros(3); body(2).l_com = [0 0 -0.5];\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).type = 'revolute'; joint(2).axis = [0 1 "
      "0];\n"
      "joint(2).dof(1).init = 1;\n");
  const td_equil_result r = equilibrium(&b);
  CHECK_REACHED("conical pendulum", fabs(cos(b.state->q[1]) - g / (W * W * l)), 1e-12);
  assert_int_equal(r.stability, TD_STABLE);
  assert_false(r.conservative);
  CHECK_NEAR(b.state->v[0], W, 1e-15);

  // hanging straight down it is unstable at this speed
  b.state->q[1] = 0;
  assert_int_equal(equilibrium(&b).stability, TD_DIVERGENCE);
  bench_free(&b);
}

// The path of the leaning pendulum as the speed falls: it meets the hanging one at W = sqrt(g/l),
// turns and leans to the other side
static void test_a_path_in_the_speed_of_a_prescribed_motion_turns_where_it_branches(void** state) {
  (void)state;
  const double l = 0.5, g = 9.81;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; W = param('W', 7);\n"
      "body(1).m = 0.1; body(1).I = 0.01*eye(3);\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).motion = W*t;\n"
      "body(2).m = 2; body(2).I = zeros(3); body(2).l_com = [0 0 -0.5];\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).type = 'revolute'; joint(2).axis = [0 1 "
      "0];\n"
      "joint(2).dof(1).init = 1;\n");
  td_trace_options options = td_trace_options_default();
  options.param = td_model_param_find(b.model, "W");
  options.from = 7;
  options.to = 3;
  td_trace_result* r;
  assert_int_equal(td_trace(b.model, b.work, b.state, &options, &r), TD_OK);
  // below that speed it has no branch: the path returns on the other side, and is not complete
  assert_false(r->complete);
  const int i = find_kind(r, TD_LIMIT, 0);
  assert_true(i > 0 && find_kind(r, TD_BIFURCATION, 0) > 0);
  CHECK_REACHED("speed at which a conical pendulum hangs", fabs(r->p[i] / sqrt(g / l) - 1), 1e-10);
  for (int k = 0; k < r->n; k++) {
    if (r->kind[k] != TD_REGULAR) continue;
    CHECK_NEAR(cos(r->q[2 * k + 1]) * r->p[k] * r->p[k] * l, g, 1e-10);
    assert_int_equal(r->stability[k], TD_STABLE);
  }
  assert_true(r->p[r->n - 1] == 11 && r->q[2 * r->n - 1] < -1);
  td_trace_free(r);
  bench_free(&b);
}

// Beck's column of n links with springs at their ends: flutter at 20.05 EI/L^2, error of second
// order in 1/n
static void test_becks_column_converges_to_its_flutter_load(void** state) {
  (void)state;
  const double exact = 20.0509536;
  double error[2];
  for (int k = 0; k < 2; k++) {
    char text[800];
    snprintf(
        text, sizeof text,
        "P = param('P', 0); n = %d; l = 1/n;\n"
        "for i = 1:n\n"
        "  body(i).m = l; body(i).l_com = [l/2 0 0]; body(i).I = l^3/12*diag([0 1 1]);\n"
        "  joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [l*(i > 1) 0 0];\n"
        "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0]; joint(i).dof(1).spring.coeff = n;\n"
        "end\n"
        "joint(1).dof(1).spring.coeff = 2*n;\n"
        "exload(1).exbody = n; exload(1).refbody = n; exload(1).tr(1).trans = [l 0 0];\n"
        "exload(1).ftau = [-P 0 0];\n",
        k ? 16 : 8);
    bench b = bench_new(text);
    td_trace_result* r = trace(&b, "P", 0, 25);
    const int i = find_kind(r, TD_HOPF, 0);
    assert_true(i > 0);
    error[k] = fabs(r->p[i] / exact - 1);
    td_trace_free(r);
    bench_free(&b);
  }
  CHECK_REACHED("Beck's column, 16 links", error[1], 0.02);
  CHECK_NEAR(log2(error[0] / error[1]), 2, 0.1);
}

// Feedback k on the rate of a pendulum damps it for k < 0 and excites it for k > 0
static void test_feedback_that_excites_is_flutter(void** state) {
  (void)state;
  bench b = bench_new(
      "k = param('k', -1); world.g = [0 0 -9.81];\n"
      "body(1).m = 1; body(1).l_com = [0 0 -1];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
      "joint(1).dof(1).input = k*ddof(joint(1), 1);\n");
  td_trace_result* r = trace(&b, "k", -1, 1.3);
  const int i = find_kind(r, TD_HOPF, 0);
  assert_true(i > 0);
  CHECK_NEAR(r->p[i], 0, 1e-12);
  assert_int_equal(r->stability[0], TD_STABLE);
  assert_int_equal(r->stability[r->n - 1], TD_FLUTTER);
  td_trace_free(r);
  bench_free(&b);
}

// A constraint that follows a control law has its equilibrium where the law asks for no
// acceleration
static void test_a_servo_away_from_its_goal_is_not_in_equilibrium(void** state) {
  (void)state;
  for (int there = 0; there < 2; there++) {
    char text[300];
    snprintf(text, sizeof text,
             "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
             "joint(1).dof(1).init = %g;\n"
             "joint(2).second = 1; joint(2).fixed = [1 0 0];\n"
             "joint(2).control = -10*(dof(joint(1), 1) - 0.2) - 5*ddof(joint(1), 1);\n",
             there ? 0.2 : 0);
    bench b = bench_new(text);
    td_equil_result r;
    const td_status status = td_equilibrium(b.model, b.work, b.state, NULL, &r);
    assert_int_equal(status, there ? TD_OK : TD_E_DIVERGED);
    assert_int_equal(r.converged, there);
    bench_free(&b);
  }
}

static void test_a_path_ends_after_the_points_asked_for(void** state) {
  (void)state;
  bench b = bench_new(truss);
  td_trace_options options = td_trace_options_default();
  options.param = 0;
  options.to = 12;
  options.max_points = 10;
  td_trace_result* r;
  assert_int_equal(td_trace(b.model, b.work, b.state, &options, &r), TD_OK);
  assert_int_equal(r->n, 10);
  assert_false(r->complete);
  td_trace_free(r);
  bench_free(&b);
}

static void test_a_path_may_move_a_support(void** state) {
  (void)state;
  const double l = 0.3;
  // four rods hanging between supports of equal height, a distance d apart
  bench b = bench_new(
      "world.g = [0 0 -9.81]; l = 0.3; d = param('d', 0.6);\n"
      "for i = 1:4\n"
      "  body(i).m = 0.2; body(i).l_com = [0 0 -l/2]; body(i).I = 0.2*l^2/12*diag([1 1 0]);\n"
      "  joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [0 0 -l*(i > 1)];\n"
      "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0];\n"
      "end\n"
      "joint(1).dof(1).init = -0.5; joint(3).dof(1).init = -2.1;\n"
      "joint(5).tr(1).trans = [d 0 0]; joint(5).second = 4; joint(5).tr2nd(1).trans = [0 0 -l];\n"
      "joint(5).type = 'revolute'; joint(5).axis = [0 1 0];\n");
  td_trace_result* r = trace(&b, "d", 0.6, 1);
  for (int k = 0; k < r->n; k++) {
    const double* q = r->q + 4 * k;
    double angle = 0, x = 0, z = 0;
    for (int i = 0; i < 4; i++) {
      angle += q[i];
      x -= l * sin(angle);
      z -= l * cos(angle);
    }
    CHECK_NEAR(x, r->p[k], 1e-12);
    CHECK_NEAR(z, 0, 1e-12);
    CHECK_NEAR(q[1], q[3], 1e-10);  // symmetric
    // horizontal force the same in both joints of the left half: tan of outer and inner rod are 3 :
    // 1
    CHECK_NEAR(tan(q[0]) * 3, tan(q[0] + q[1]), 1e-9);
    assert_int_equal(r->stability[k], TD_STABLE);
  }
  td_trace_free(r);
  bench_free(&b);
}

// A rod with a linear law of stretch and shear does not stay straight in tension: sideways it is
// the softer, the more so the stronger F pulls.  Linearised about the straight rod,
// F (F/GA - F/EA - 1) = EI (pi/2L)², with dead load at the free end.  The bent equilibria beyond
// are the model's, no fault of the search, and are said to be beyond what the law is made for.
static void test_tension_shears_a_linear_rod_off(void** state) {
  (void)state;
  static const char text[] =
      "rod(1).length = 0.5; rod(1).radius = 0.008; rod(1).E = 1e6; rod(1).rho = 1000;"
      "rod(1).model = '%s'; rod(1).n = %d; exload(1).exbody = rod(1);"
      "exload(1).ftau = [0 0 param('F', 90) 0 0 0];";
  const double A = pi * 0.008 * 0.008, EA = 1e6 * A, GA = EA / 3, EI = EA * 0.008 * 0.008 / 4;
  const double a = 1 / GA - 1 / EA, c = EI * pi * pi, F = (1 + sqrt(1 + 4 * a * c)) / (2 * a);
  double error[3];
  for (int i = 0; i < 3; i++) {
    char model[600];
    snprintf(model, sizeof model, text, i == 0 ? "gvs" : "ebr", i == 0 ? 8 : i == 1 ? 5 : 10);
    bench b = bench_new(model);
    td_trace_result* r = trace(&b, "F", 90, 100.7);
    const int at = find_kind(r, TD_BIFURCATION, 0);
    assert_true(at >= 0);
    error[i] = fabs(r->p[at] - F) / F;
    td_trace_free(r);

    td_equil_options options = td_equil_options_default();
    td_equil_result found;
    options.stable = true;
    assert_int_equal(td_work_set_param(b.model, b.work, 0, 95), TD_OK);
    td_state_initial(b.model, b.work, b.state);
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
    assert_true(found.stability == TD_STABLE && found.note[0] == 0);
    assert_int_equal(td_work_set_param(b.model, b.work, 0, 150), TD_OK);
    td_state_initial(b.model, b.work, b.state);
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
    assert_non_null(strstr(found.note, "linear law"));
    bench_free(&b);
  }
  CHECK_REACHED("critical tension, gvs", error[0], 1e-8);
  CHECK_REACHED("critical tension, ebr n = 5", error[1], 2e-5);
  CHECK_REACHED("critical tension, halved", fabs(error[1] / error[2] - 4), 0.2);
}

// A rod pressed along its axis by F is 1 - F/EA times as long: from F = EA on its linear law asks
// for a rod turned inside out, which is no equilibrium, in no rod model.
static void test_no_rod_is_turned_inside_out(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "eba", "srl", "rom"};
  const double EA = 10 * pi;
  for (int i = 0; i < 5; i++)
    for (int over = 0; over < 2; over++) {
      char text[500];
      snprintf(text, sizeof text,
               "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000;"
               "rod(1).model = '%s'; rod(1).n = 2; rod(1).modes = [0 0 1 0 0 0];"
               "exload(1).exbody = rod(1); exload(1).ftau = [0 0 -param('F', %.15g) 0 0 0];"
               "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));",
               models[i], (over ? 1.2 : 0.9) * EA);
      if (i == 2 || i == 4) {  // all their strains are there; they stay on the axis
        char* modes = strstr(text, "rod(1).modes");
        memset(modes, ' ', strlen("rod(1).modes = [0 0 1 0 0 0];"));
      }
      bench b = bench_new(text);
      td_equil_options options = td_equil_options_default();
      td_equil_result r;
      const td_status status = td_equilibrium(b.model, b.work, b.state, &options, &r);
      assert_int_equal(status, over ? TD_E_DIVERGED : TD_OK);
      assert_int_equal(r.converged, !over);
      if (over) assert_non_null(strstr(r.note, "rod(1) turned inside out"));
      double tip[3];
      assert_int_equal(td_sensors(b.model, b.state, b.work, tip), TD_OK);
      if (!over) CHECK_NEAR(tip[2], 0.3 * 0.1, 1e-10);
      bench_free(&b);
    }

  bench b = bench_new(
      "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000;"
      "rod(1).modes = [0 0 1 0 0 0]; exload(1).exbody = rod(1);"
      "exload(1).ftau = [0 0 -param('F', 1) 0 0 0];");
  td_trace_options options = td_trace_options_default();
  options.param = 0;
  options.from = 1;
  options.to = 40;
  td_trace_result* r = NULL;
  assert_int_equal(td_trace(b.model, b.work, b.state, &options, &r), TD_E_DIVERGED);
  for (int k = 0; r && k < r->n; k++) assert_true(r->p[k] < EA);
  td_trace_free(r);
  bench_free(&b);
}

static void test_nothing_is_done_with_options_that_make_no_sense(void** state) {
  (void)state;
  bench b = bench_new(pendulum);
  td_equil_options options = td_equil_options_default();
  td_equil_result result;
  options.tol = 0;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &result), TD_E_USAGE);
  const td_trace_options path = td_trace_options_default();
  td_trace_result* r;
  assert_int_equal(td_trace(b.model, b.work, b.state, &path, &r), TD_E_USAGE);
  assert_null(r);
  td_trace_free(NULL);
  bench_free(&b);
}

static bool stop_at_once(void* user, double fraction, const char* what) {
  (void)user, (void)fraction, (void)what;
  return false;
}

static void test_a_stopped_search_says_so(void** state) {
  (void)state;
  bench b = bench_new(pendulum);
  b.state->q[0] = 0.5;
  td_equil_options options = td_equil_options_default();
  options.progress = stop_at_once;
  td_equil_result result;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &result), TD_E_STOPPED);
  assert_false(result.converged);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pendulum_hangs_stable_and_stands_unstable),
      cmocka_unit_test(test_a_horizontal_pendulum_has_no_tangent_and_still_comes_down),
      cmocka_unit_test(test_without_gravity_every_position_is_neutral),
      cmocka_unit_test(test_a_bad_guess_does_not_end_in_an_unstable_equilibrium),
      cmocka_unit_test(test_neutral_directions_do_not_disturb_the_search),
      cmocka_unit_test(test_a_body_in_free_fall_has_no_equilibrium),
      cmocka_unit_test(test_a_model_without_freedom_is_in_equilibrium),
      cmocka_unit_test(test_a_slack_rope_tightens),
      cmocka_unit_test(test_a_soft_cantilever_bends_over),
      cmocka_unit_test(test_point_masses_on_a_string_N03),
      cmocka_unit_test(test_rods_in_a_chain_N03),
      cmocka_unit_test(test_the_von_mises_truss_snaps_at_its_limit_loads_N07),
      cmocka_unit_test(test_a_path_that_turns_back_goes_on_to_its_end),
      cmocka_unit_test(test_zieglers_column_flutters_at_its_critical_load),
      cmocka_unit_test(test_damping_destabilises_zieglers_column),
      cmocka_unit_test(test_a_column_on_a_spring_buckles_at_k_over_l),
      cmocka_unit_test(test_bifurcations_that_lie_together_are_told_apart),
      cmocka_unit_test(test_a_rotating_pendulum_leans_out),
      cmocka_unit_test(test_a_path_in_the_speed_of_a_prescribed_motion_turns_where_it_branches),
      cmocka_unit_test(test_becks_column_converges_to_its_flutter_load),
      cmocka_unit_test(test_feedback_that_excites_is_flutter),
      cmocka_unit_test(test_a_servo_away_from_its_goal_is_not_in_equilibrium),
      cmocka_unit_test(test_a_path_ends_after_the_points_asked_for),
      cmocka_unit_test(test_a_path_may_move_a_support),
      cmocka_unit_test(test_tension_shears_a_linear_rod_off),
      cmocka_unit_test(test_no_rod_is_turned_inside_out),
      cmocka_unit_test(test_nothing_is_done_with_options_that_make_no_sense),
      cmocka_unit_test(test_a_stopped_search_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
