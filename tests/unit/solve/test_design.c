// Linear design on models: gains, poles, structure, modal reduction, coordinates.
#include "engine/engine.h"
#include "robot.h"
#include "tendril/control.h"

// A cart of mass M pushed by F carries an upright pendulum (point mass m at l).
#define CART                                                                          \
  "world.g = [0 0 -9.81]; F = input('F', 0);"                                         \
  "body(1).m = 1.5; body(1).I = zeros(3);"                                            \
  "body(2).m = 0.4; body(2).I = zeros(3); body(2).l_com = [0 0 0.7];"                 \
  "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;" \
  "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).rot = [2 inf];"            \
  "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);"                         \
  "sensor(2).name = 'tip'; sensor(2).value = pos(body(2), [0 0 0.7]);"

static td_linear* linear_of(robot* r) {
  td_linear* l = NULL;
  assert_int_equal(td_linearize(r->model, r->state, r->work, &l), TD_OK);
  return l;
}

// A = [0 1; K 0] of the textbook cart and pendulum
static void test_cart_and_pendulum_is_the_textbook_one(void** state) {
  (void)state;
  robot r = robot_open(CART);
  td_linear* l = linear_of(&r);
  const double M = 1.5, m = 0.4, h = 0.7, g = 9.81;
  const double want[] = {0, -m * g / M, 0, (M + m) * g / (M * h)};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) CHECK_NEAR(l->A[(2 + i) * 4 + j], want[2 * i + j], 1e-13);
  CHECK_NEAR(l->B[2], 1 / M, 1e-13);
  CHECK_NEAR(l->B[3], -1 / (M * h), 1e-13);
  td_structure s;
  assert_int_equal(td_linear_structure(l, &s), TD_OK);
  assert_int_equal(s.reachable, 4);
  assert_int_equal(s.observable, 4);
  assert_false(s.stable);
  double re[4], im[4];
  assert_int_equal(td_poles(l->A, 4, re, im), TD_OK);
  CHECK_NEAR(re[0], sqrt(want[3]), 1e-12);
  td_linear_free(l);
  robot_close(&r);
}

static void closed_loop(const td_linear* l, const double* K, double* re, double* im) {
  double Ac[64];
  for (int i = 0; i < l->nx; i++)
    for (int j = 0; j < l->nx; j++) {
      Ac[i * l->nx + j] = l->A[i * l->nx + j];
      for (int k = 0; k < l->nu; k++) Ac[i * l->nx + j] -= l->B[i * l->nu + k] * K[k * l->nx + j];
    }
  assert_int_equal(td_poles(Ac, l->nx, re, im), TD_OK);
}

// Without a weight on the state the cheapest way to stabilise mirrors the unstable pole: the gain
// is known in closed form through its poles; with dear inputs poles approach that.
static void test_dear_control_mirrors_the_unstable_pole(void** state) {
  (void)state;
  robot r = robot_open(CART);
  td_linear* l = linear_of(&r);
  double Q[16] = {0}, R = 1, K[4], re[4], im[4], residual;
  for (int i = 0; i < 4; i++) Q[5 * i] = 1e-12;
  assert_int_equal(td_lqr(4, 1, l->A, l->B, Q, &R, K, NULL, &residual), TD_OK);
  closed_loop(l, K, re, im);
  const double p = sqrt((1.5 + 0.4) * 9.81 / (1.5 * 0.7));
  CHECK_NEAR(re[3], -p, 1e-4);
  CHECK_NEAR(re[2], -p, 1e-4);
  assert_true(re[0] < 0);
  CHECK_REACHED("LQR residual, cart", residual, 1e-10);
  td_linear_free(l);
  robot_close(&r);
}

// The same Riccati equation twice: gains are those of the transposed system.
static void test_kalman_is_the_dual(void** state) {
  (void)state;
  robot r = robot_open(CART);
  td_linear* l = linear_of(&r);
  double W[16] = {0}, V[16] = {0}, L[16], P[16], At[16], Ct[16], Lt[16];
  for (int i = 0; i < 4; i++) W[5 * i] = 0.1 * (i + 1), V[5 * i] = 1e-3;
  assert_int_equal(td_kalman(4, 4, l->A, l->C, W, V, L, P, NULL), TD_OK);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) At[i * 4 + j] = l->A[j * 4 + i], Ct[i * 4 + j] = l->C[j * 4 + i];
  assert_int_equal(td_lqr(4, 4, At, Ct, W, V, Lt, NULL, NULL), TD_OK);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) CHECK_NEAR(L[i * 4 + j], Lt[j * 4 + i], 1e-12);
  td_linear_free(l);
  robot_close(&r);
}

// n masses in a row between walls; the first is pushed, the last watched.
#define ROW(n)                                                                              \
  "n = " #n                                                                                 \
  "; F = input('F', 0);"                                                                    \
  "for i = 1:n, body(i).m = 1; body(i).I = zeros(3);"                                       \
  "joint(i).second = i; joint(i).tr(1).trans = [i inf 0]; end;"                             \
  "joint(1).dof(1).input = F;"                                                              \
  "for i = 1:n, joint(i).dof(1).spring.coeff = 100; joint(i).dof(1).damp.visc = 0.02; end;" \
  "for i = 1:n-1, j = n+i; joint(j).first = i; joint(j).second = i+1;"                      \
  "joint(j).spring.coeff = [0 400 0 0 0 0]; joint(j).spring.init = [1 0 0 0 0 0]; end;"     \
  "sensor(1).name = 'last'; sensor(1).value = dof(joint(n), 1);"

// w^2 = 100 + 1600 sin^2(k pi / 2n) for k = 0 .. n-1
static void test_reduction_keeps_the_first_frequencies(void** state) {
  (void)state;
  robot r = robot_open(ROW(30));
  td_linear *full = linear_of(&r), *few = NULL;
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, 12, &few), TD_OK);
  assert_int_equal(few->nx, 24);
  double re[24], im[24];
  assert_int_equal(td_poles(few->A, 24, re, im), TD_OK);
  for (int k = 0; k < 12; k++) {
    const double s = sin(k * acos(-1.0) / 60), w2 = 100 + 1600 * s * s;
    double nearest = 1;
    for (int i = 0; i < 24; i++) nearest = fmin(nearest, fabs(hypot(re[i], im[i]) / sqrt(w2) - 1));
    CHECK_REACHED("reduced frequency", nearest, 1e-8);
  }
  // response below the highest kept frequency
  for (double w = 5; w < 14; w += 0.7) {
    double G[2], H[2];
    assert_int_equal(td_frequency_response(full, w, G), TD_OK);
    assert_int_equal(td_frequency_response(few, w, H), TD_OK);
    assert_true(hypot(G[0] - H[0], G[1] - H[1]) < 0.01 * 1e-2);  // 1 % of the static compliance
  }
  // back and forth
  double x[24], back[24];
  td_state* moved = td_state_new(r.model);
  td_state_copy(r.model, r.state, moved);
  uint64_t seed = 3;
  for (int i = 0; i < 24; i++) x[i] = 1e-3 * check_random(&seed);
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 24; j++) {
      moved->q[i] += few->basis[i * 24 + j] * x[j];
      moved->v[i] += few->basis[(30 + i) * 24 + j] * x[j];
    }
  assert_int_equal(td_linear_state(r.model, few, r.state, moved, back), TD_OK);
  for (int i = 0; i < 24; i++) CHECK_NEAR(back[i], x[i], 1e-12);
  td_state_free(moved);
  td_linear_free(full);
  td_linear_free(few);
  robot_close(&r);
}

// All modes kept is the whole model, in other coordinates; with a closed loop.
static void test_all_modes_are_the_whole_constrained_model(void** state) {
  (void)state;
  robot r = robot_open(
      "world.g = [0 0 -9.81]; T = input('T', 0);"
      "for i = 1:3, body(i).m = 0.5 + i/4; body(i).I = 0.01*eye(3); body(i).l_com = [0 0 -0.3]; "
      "end;"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;"
      "joint(1).dof(1).damp.visc = 0.05; joint(1).dof(1).input = T;"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.6];"
      "joint(2).tr(2).rot = [2 inf]; joint(2).dof(1).init = -0.9; joint(2).dof(1).spring.coeff = 3;"
      "joint(3).second = 3; joint(3).tr(1).trans = [0.5 0 0]; joint(3).tr(2).rot = [2 inf];"
      "joint(4).first = [2 1]; joint(4).second = [3 1]; joint(4).tr(1).trans = [0 0 -0.6];"
      "joint(4).tr2nd(1).trans = [0 0 -0.6]; joint(4).fixed = [1 0 1];"
      "sensor(1).name = 'elbow'; sensor(1).value = pos(body(2), [0 0 -0.6]);");
  const td_equil_options o = td_equil_options_default();
  td_equil_result e;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &e), TD_OK);
  td_linear *full = linear_of(&r), *modal = NULL;
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, 99, &modal), TD_OK);
  assert_int_equal(full->nx, modal->nx);
  for (double w = 0.5; w < 60; w *= 1.6) {
    double G[6], H[6];
    assert_int_equal(td_frequency_response(full, w, G), TD_OK);
    assert_int_equal(td_frequency_response(modal, w, H), TD_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(H[i], G[i], 1e-9);
  }
  td_linear_free(full);
  td_linear_free(modal);
  robot_close(&r);
}

// Two equal pendula on one cart: their difference cannot be pushed by the cart.
static void test_difference_of_twin_pendula_is_out_of_reach(void** state) {
  (void)state;
  robot r = robot_open(CART
                       "body(3).m = 0.4; body(3).I = zeros(3); body(3).l_com = [0 0 0.7];"
                       "joint(3).first = 1; joint(3).second = 3; joint(3).tr(1).rot = [2 inf];");
  td_linear* l = linear_of(&r);
  td_structure s;
  assert_int_equal(td_linear_structure(l, &s), TD_OK);
  assert_int_equal(s.reachable, 4);
  assert_int_equal(s.observable, 6);
  double Q[36] = {0}, R = 1, K[6];
  for (int i = 0; i < 6; i++) Q[7 * i] = 1;
  assert_int_equal(td_lqr(6, 1, l->A, l->B, Q, &R, K, NULL, NULL), TD_E_SINGULAR);
  td_linear_free(l);
  robot_close(&r);
}

// Least-squares amplitude of cos and sin over whole periods at the end of a run.
static void fit(const td_trajectory* rows, double w, double t0, double y0, double* c, double* s) {
  double cc = 0, ss = 0;
  int n = 0;
  for (int i = 0; i < td_trajectory_rows(rows) - 1; i++) {
    const double t = td_trajectory_time(rows, i), y = td_trajectory_sensors(rows, i)[0] - y0;
    if (t < t0 - 1e-9) continue;
    cc += y * cos(w * t), ss += y * sin(w * t);
    n++;
  }
  *c = 2 * cc / n;
  *s = 2 * ss / n;
}

// Shaken by F = a sin(w t) long enough, the bent arm answers a (re sin + im cos).
static void test_frequency_response_is_that_of_a_simulated_sine(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double w[] = {2, 6.1, 15}, a = 1e-3, pi = acos(-1.0), period = 2 * pi / w[k];
    char text[900];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; F = input('F', 0); w = %.17g; a = param('a', 0);"
             "for i = 1:2, body(i).m = i; body(i).I = 0.02*eye(3); body(i).l_com = [0 0 -0.2]; end;"
             "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).damp.visc = 0.4;"
             "joint(1).dof(1).input = 1 + F + a*sin(w*t);"
             "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.4];"
             "joint(2).tr(2).rot = [2 inf]; joint(2).dof(1).damp.visc = 0.3;"
             "joint(2).dof(1).spring.coeff = 2;"
             "sensor(1).name = 'tip'; p = pos(body(2), [0 0 -0.4]); sensor(1).value = p(1);",
             w[k]);
    robot r = robot_open(text);
    const td_equil_options eo = td_equil_options_default();
    td_equil_result e;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &eo, &e), TD_OK);
    td_linear* l = linear_of(&r);
    double G[2], y0, c, s;
    assert_int_equal(td_frequency_response(l, w[k], G), TD_OK);
    assert_int_equal(td_sensors(r.model, r.state, r.work, &y0), TD_OK);

    const int settle = (int)ceil(60 / period), periods = 4;
    td_sim_options o = td_sim_options_default();
    o.rtol = 1e-9, o.atol = 1e-12;
    o.dt_out = period / 16;
    o.t_final = (settle + periods) * period;
    td_work_set_param(r.model, r.work, td_model_param_find(r.model, "a"), a);
    td_trajectory* rows = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
    fit(rows, w[k], settle * period, y0, &c, &s);
    // 60 s leave 1e-7 of the motion at the start, an amplitude of 1e-3 the square of it
    CHECK_REACHED("sine against frequency response",
                  hypot(s / a - G[0], c / a - G[1]) / hypot(G[0], G[1]), 1e-6);
    td_trajectory_free(rows);
    td_linear_free(l);
    robot_close(&r);
  }
}

// The soft arm that balances a stick: unstable, and stiff beside it.  From dear to cheap control
// the residual stays below 1e-10, and the gain obeys Kalman's identity, which knows nothing of X:
// r |1 + K (i w - A)^-1 B|^2 = r + q |C (i w - A)^-1 B|^2.
static void test_gains_of_the_soft_arm_from_dear_to_cheap(void** state) {
  (void)state;
  robot r = {.spec = td_spec_new()};
  assert_int_equal(td_spec_load_file(r.spec, TEST_SOURCE_DIR "/models/soft_balance.m"), TD_OK);
  assert_int_equal(td_model_compile(r.spec, &r.model), TD_OK);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  td_linear* l = linear_of(&r);  // q = 0: upright
  enum { n = 8 };
  assert_int_equal(l->nx, n);
  for (int k = -6; k <= 6; k += 3) {
    const double R = pow(10, k), q[] = {10, 40};
    double Q[n * n] = {0}, K[n], residual, G[4], L[2];
    for (int s = 0; s < 2; s++)
      for (int i = 0; i < n * n; i++) Q[i] += q[s] * l->C[s * n + i / n] * l->C[s * n + i % n];
    assert_int_equal(td_lqr(n, 1, l->A, l->B, Q, &R, K, NULL, &residual), TD_OK);
    CHECK_REACHED("LQR residual, soft arm", residual, 1e-10);
    double none = 0;
    td_linear loop = *l;
    loop.C = K, loop.D = &none, loop.ny = 1;
    for (double w = 0.1; w < 1e4; w *= 7) {
      assert_int_equal(td_frequency_response(l, w, G), TD_OK);
      assert_int_equal(td_frequency_response(&loop, w, L), TD_OK);
      const double left = R * ((1 + L[0]) * (1 + L[0]) + L[1] * L[1]);
      const double right =
          R + q[0] * (G[0] * G[0] + G[1] * G[1]) + q[1] * (G[2] * G[2] + G[3] * G[3]);
      CHECK_NEAR(left / right, 1, 1e-8);
    }
    double re[n], im[n];
    closed_loop(l, K, re, im);
    assert_true(re[0] < 0);
  }
  td_linear_free(l);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cart_and_pendulum_is_the_textbook_one),
      cmocka_unit_test(test_dear_control_mirrors_the_unstable_pole),
      cmocka_unit_test(test_gains_of_the_soft_arm_from_dear_to_cheap),
      cmocka_unit_test(test_kalman_is_the_dual),
      cmocka_unit_test(test_reduction_keeps_the_first_frequencies),
      cmocka_unit_test(test_all_modes_are_the_whole_constrained_model),
      cmocka_unit_test(test_frequency_response_is_that_of_a_simulated_sine),
      cmocka_unit_test(test_difference_of_twin_pendula_is_out_of_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
