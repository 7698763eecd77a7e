// Frequency response and modal reduction of large models: closed forms of a taut net, and the dense
// linear model of smaller ones.
#include "engine/engine.h"
#include "robot.h"
#include "tendril/control.h"

// 32 x 32 knots of mass m on cords of stiffness k and tension T in a frame, all in one plane; every
// knot is damped by d.  The middle one is pushed out of the plane.
static const char taut[] =
    "n = 32; a = 0.1; F = input('F', 0); mesh.grid = [n+2 n+2]; mesh.size = [(n+1)*a (n+1)*a];"
    "mesh.fixed = 'frame'; mesh.body.m = 0.02; mesh.joint(1).tr.trans = [inf inf inf];"
    "for k = 1:3, mesh.joint(1).dof(k).damp.visc = 0.002; end;"
    "mesh.joint(2).spring.coeff = 200; mesh.joint(2).spring.init = nan;"
    "mesh.joint(2).spring.compr = 0.9; mid = (n+2)*(n/2) + n/2 + 1;"
    "exload(1).exbody = mid; exload(1).ftau = [0 0 F];"
    "p = pos(mesh(1), mid); sensor(1).name = 'there'; sensor(1).value = p(3);"
    "p = pos(mesh(1), mid + 3); sensor(2).name = 'beside'; sensor(2).value = p(3);"
    "p = vel(mesh(1), mid); sensor(3).name = 'rate'; sensor(3).value = p(3);"
    "p = acc(mesh(1), mid); sensor(4).name = 'shock'; sensor(4).value = p(3);";

enum { SIDE = 32, MID = SIDE / 2, MODES = 20, OUTPUTS = 4 };
static const double pi = 3.14159265358979323846, m = 0.02, d = 0.002, k = 200, T_a = 20;

// w^2 of mode (p, q): stiffness kx between neighbours along the first side, ky along the other
static double square(int p, int q, double kx, double ky) {
  const double s = sin(p * pi / (2 * (SIDE + 1))), r = sin(q * pi / (2 * (SIDE + 1)));
  return 4 / m * (kx * s * s + ky * r * r);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// All frequencies: out of the plane tension alone, in it stiffness along and tension across.
static void frequencies(double* w) {
  int n = 0;
  for (int p = 1; p <= SIDE; p++)
    for (int q = 1; q <= SIDE; q++) {
      w[n++] = sqrt(square(p, q, T_a, T_a));
      w[n++] = sqrt(square(p, q, k, T_a));
      w[n++] = sqrt(square(p, q, T_a, k));
    }
  qsort(w, (size_t)n, sizeof *w, ascending);
}

// Displacement at `beside` knots from the middle for a unit force there.
static void closed_form(double w, int beside, double* re, double* im) {
  *re = *im = 0;
  for (int p = 1; p <= SIDE; p++)
    for (int q = 1; q <= SIDE; q++) {
      const double a = pi / (SIDE + 1), y = sin(q * MID * a);
      const double shape = sin(p * MID * a) * sin(p * (MID + beside) * a) * y * y * 4 /
                           ((SIDE + 1.0) * (SIDE + 1.0));
      const double x = m * (square(p, q, T_a, T_a) - w * w), c = w * d, size = x * x + c * c;
      *re += shape * x / size;
      *im -= shape * c / size;
    }
}

static void test_twenty_modes_of_a_thousand_knots(void** state) {
  (void)state;
  robot r = robot_open(taut);
  assert_int_equal(r.n.nv, 3 * SIDE * SIDE);
  td_linear *modal = NULL, *corrected = NULL;
  td_response* whole = NULL;
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, MODES, &modal), TD_OK);
  assert_int_equal(td_static_reduction(r.model, r.state, r.work, MODES, &corrected), TD_OK);
  assert_int_equal(td_response_new(r.model, r.state, r.work, &whole), TD_OK);
  assert_int_equal(modal->nx, 2 * MODES);
  assert_int_equal(corrected->nx, 2 * (MODES + 1));
  assert_int_equal(modal->ny, OUTPUTS);
  assert_int_equal(td_response_count(whole), OUTPUTS);

  // |pole| is the undamped frequency, in pairs
  static double w[3 * SIDE * SIDE];
  double re[2 * MODES], im[2 * MODES], worst = 0;
  frequencies(w);
  assert_int_equal(td_poles(modal->A, 2 * MODES, re, im), TD_OK);
  double size[2 * MODES];
  for (int i = 0; i < 2 * MODES; i++) size[i] = hypot(re[i], im[i]);
  qsort(size, 2 * MODES, sizeof *size, ascending);
  for (int i = 0; i < 10; i++) worst = fmax(worst, fabs(size[2 * i] / w[i] - 1));
  CHECK_REACHED("first ten frequencies of 1024 knots, 20 modes", worst, 1e-8);

  // up to the tenth frequency, relative to the largest response there
  double exact = 0, error[OUTPUTS] = {0}, peak[OUTPUTS] = {0};
  for (int i = 0; i < 12; i++) {
    const double at = w[9] * (i + 0.5) / 12;
    double G[2 * OUTPUTS], H[2 * OUTPUTS], want[2 * OUTPUTS];
    closed_form(at, 0, &want[0], &want[1]);
    closed_form(at, 3, &want[2], &want[3]);
    for (int j = 0; j < 2; j++) {
      want[4 + j] = j ? at * want[0] : -at * want[1];
      want[6 + j] = -at * at * want[j];
    }
    assert_int_equal(td_response_at(whole, at, G), TD_OK);
    assert_int_equal(td_frequency_response(corrected, at, H), TD_OK);
    for (int j = 0; j < OUTPUTS; j++) {
      const double *x = G + 2 * j, *y = H + 2 * j, *z = want + 2 * j,
                   whole_size = hypot(z[0], z[1]);
      exact = fmax(exact, hypot(x[0] - z[0], x[1] - z[1]) / whole_size);
      error[j] = fmax(error[j], hypot(y[0] - z[0], y[1] - z[1]));
      peak[j] = fmax(peak[j], whole_size);
    }
  }
  CHECK_REACHED("response of 1024 knots against the closed form", exact, 1e-9);
  for (int j = 0; j < OUTPUTS; j++)
    CHECK_REACHED("response of 20 modes and a static shape", error[j] / peak[j], 0.01);
  td_response_free(whole);
  td_linear_free(modal);
  td_linear_free(corrected);
  robot_close(&r);
}

// A net on an arm: damped cords that sag, a redundant pair of constraints, a knot that is held by
// prescription, accelerations measured.
#define MIXED                                                                                   \
  "par.linear = 'sparse'; world.g = [0 0 -9.81]; u1 = input('u1', 0.3); "                       \
  "u2 = input('u2', 0); a = 0.1; b = 2;body(1).m = 1; body(1).I = 0.01*eye(3); "                \
  "body(1).l_com = [0.2 0 0];body(2).m = 0.5; body(2).I = 0.005*eye(3); "                       \
  "body(2).l_com = [0.1 0 0.02];joint(1).second = 1; joint(1).tr.rot = [2 inf]; "               \
  "joint(1).dof(1).spring.coeff = 30;joint(1).dof(1).damp.visc = 0.1; "                         \
  "joint(2).first = 1; joint(2).second = 2;joint(2).tr.trans = [0.4 0 0]; "                     \
  "joint(2).tr.rot = [2 inf]; joint(2).dof(1).input = u1; "                                     \
  "joint(2).dof(1).spring.coeff = 12; joint(2).dof(1).damp.visc = 0.03; j = 2; "                \
  "for y = 1:n, for x = 1:n, b = b + 1; j = j + 1; body(b).m = 0.02; "                          \
  "joint(j).second = b;  joint(j).tr.trans = [inf inf inf]; "                                   \
  "joint(j).dof(1).init = a*x; joint(j).dof(2).init = a*y; "                                    \
  "if b == 8, joint(j).dof(2).motion = a*y; end, end, end; "                                    \
  "for y = 1:n, for x = 1:n, j = j + 1; joint(j).second = 2 + x + n*(y-1); "                    \
  "joint(j).spring.coeff = 200; joint(j).spring.compr = 0.95; "                                 \
  "joint(j).spring.init = nan;  joint(j).damp.visc = 0.1; joint(j).damp.along = 1; "            \
  "if x > 1, joint(j).first = 1 + x + n*(y-1); else, joint(j).tr.trans = [0 a*y 0]; "           \
  "end,end, end;for y = 2:n, for x = 1:n, j = j + 1; joint(j).first = 2 + x + n*(y-2); "        \
  "joint(j).second = 2 + x + n*(y-1); joint(j).spring.coeff = 150; "                            \
  "joint(j).spring.init = 0.9*a; joint(j).damp.visc = 0.2; joint(j).damp.along = 1; end, end; " \
  "for i = 1:2, j = j + 1; joint(j).first = 2; joint(j).second = 2 + n*n; "                     \
  "joint(j).tr.trans = [0.1 0.5 0]; joint(j).fixed = [1 0 1]; end; "                            \
  "exload(1).exbody = 9; exload(1).ftau = [u2 0 u2];sensor(1).name = 'p'; "                     \
  "sensor(1).value = pos(body(12));sensor(2).name = 'v'; "                                      \
  "sensor(2).value = vel(body(2), [0.2 0 0]);sensor(3).name = 'a'; "                            \
  "sensor(3).value = acc(body(20));sensor(4).name = 'u'; "                                      \
  "sensor(4).value = dof(joint(2), 1) + 2*u1; "
static const char mixed[] = "n = 5; " MIXED, mixed_large[] = "n = 19; " MIXED;

static void test_sparse_and_dense_responses_agree(void** state) {
  (void)state;
  robot r = robot_open(mixed);
  const td_equil_options o = td_equil_options_default();
  td_equil_result e;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &e), TD_OK);
  td_linear* dense = NULL;
  td_response* sparse = NULL;
  assert_int_equal(td_linearize(r.model, r.state, r.work, &dense), TD_OK);
  assert_int_equal(td_response_new(r.model, r.state, r.work, &sparse), TD_OK);
  const int ny = 10, nu = 2;
  assert_int_equal(dense->ny, ny);
  assert_int_equal(td_response_count(sparse), ny);
  for (double w = 0.3; w < 300; w *= 2.3) {
    double G[2 * 10 * 2], H[2 * 10 * 2], top = 0, error = 0;
    assert_int_equal(td_frequency_response(dense, w, G), TD_OK);
    assert_int_equal(td_response_at(sparse, w, H), TD_OK);
    for (int i = 0; i < 2 * ny * nu; i++) {
      top = fmax(top, fabs(G[i]));
      error = fmax(error, fabs(G[i] - H[i]));
    }
    CHECK_REACHED("sparse against dense response", error / top, 1e-9);
  }
  td_response_free(sparse);
  td_linear_free(dense);
  robot_close(&r);
}

// With the static shapes a small model answers rightly at rest, whatever is left out.
static void test_static_shapes_make_the_static_answer_right(void** state) {
  (void)state;
  robot r = robot_open(mixed);
  const td_equil_options o = td_equil_options_default();
  td_equil_result e;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &e), TD_OK);
  td_linear *whole = NULL, *few = NULL;
  assert_int_equal(td_linearize(r.model, r.state, r.work, &whole), TD_OK);
  assert_int_equal(td_static_reduction(r.model, r.state, r.work, 5, &few), TD_OK);
  assert_int_equal(few->nx, 2 * (5 + 2));
  double G[40], H[40], top = 0;
  assert_int_equal(td_frequency_response(whole, 1e-3, G), TD_OK);
  assert_int_equal(td_frequency_response(few, 1e-3, H), TD_OK);
  for (int i = 0; i < 12; i++) top = fmax(top, fabs(G[i]));  // positions of the knot
  for (int i = 0; i < 12; i++) CHECK_NEAR(H[i], G[i], 1e-5 * top);
  td_linear_free(whole);
  td_linear_free(few);
  robot_close(&r);
}

// The same with constraints in a model whose modes are found by ARPACK.
static void test_static_shapes_of_a_large_model_with_constraints(void** state) {
  (void)state;
  robot r = robot_open(mixed_large);
  assert_true(r.n.nv > 1000 && r.n.nconstraint > 0);
  const td_equil_options o = td_equil_options_default();
  td_equil_result e;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &e), TD_OK);
  td_linear* few = NULL;
  td_response* whole = NULL;
  assert_int_equal(td_static_reduction(r.model, r.state, r.work, 5, &few), TD_OK);
  assert_int_equal(td_response_new(r.model, r.state, r.work, &whole), TD_OK);
  double G[40], H[40], top = 0;
  assert_int_equal(td_response_at(whole, 1e-3, G), TD_OK);
  assert_int_equal(td_frequency_response(few, 1e-3, H), TD_OK);
  for (int i = 0; i < 12; i++) top = fmax(top, fabs(G[i]));
  for (int i = 0; i < 12; i++) CHECK_NEAR(H[i], G[i], 1e-5 * top);
  td_response_free(whole);
  td_linear_free(few);
  robot_close(&r);
}

static void test_what_cannot_be_done_is_refused(void** state) {
  (void)state;
  robot r = robot_open(taut);
  td_linear* l = NULL;
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, 301, &l), TD_E_USAGE);
  assert_null(l);
  assert_non_null(strstr(td_work_failure(r.work), "300 modes at most"));
  assert_int_equal(td_linearize(r.model, r.state, r.work, &l), TD_E_USAGE);
  const td_observe_options o = td_observe_options_default();
  td_observer* observer;
  assert_int_equal(td_observer_new(r.model, r.work, r.state, &o, &observer), TD_E_USAGE);
  assert_null(observer);
  robot_close(&r);
  r = robot_open(
      "F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf inf 0];"
      "joint(1).dof(1).motion = sin(t);");
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, 1, &l), TD_E_USAGE);
  assert_non_null(strstr(td_work_failure(r.work), "at rest"));
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_twenty_modes_of_a_thousand_knots),
      cmocka_unit_test(test_sparse_and_dense_responses_agree),
      cmocka_unit_test(test_static_shapes_make_the_static_answer_right),
      cmocka_unit_test(test_static_shapes_of_a_large_model_with_constraints),
      cmocka_unit_test(test_what_cannot_be_done_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
