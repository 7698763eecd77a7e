// Batches: each plant is a plant alone, for any number of threads; failures stay with their plant;
// no heap call per step.
#include "failing_memory.h"

#include "robot.h"
#include "tendril/batch.h"
#include "tendril/tools.h"

// A pendulum with a motor; theta is its angle.  m is a parameter.
static const char pendulum[] =
    "m = param('m', 2, [0.1 10]); F = input('F', 0, [-50 50]); world.g = [0 0 -9.81];"
    "body(1).m = m; body(1).I = 0.1*eye(3); body(1).l_com = [0 0 -0.5];"
    "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;"
    "joint(1).dof(1).damp.visc = 0.05; joint(1).dof(1).input = F;"
    "sensor(1).name = 'angle'; sensor(1).value = dof(joint(1), 1);"
    "sensor(2).name = 'tip'; sensor(2).value = pos(body(1), [0 0 -1]);"
    "par.step = 0.01;";

enum { N = 7, STEPS = 40 };
static char message[400];

static td_batch* batch_of(const robot* r, int threads, td_solver solver, double sigma) {
  td_sim_options sim = td_sim_options_default();
  sim.solver = solver;
  td_batch_options o = td_batch_options_default();
  o.threads = threads;
  o.sim = &sim;
  o.sigma_q = o.sigma_v = sigma;
  o.seed = 5;
  td_batch* b = NULL;
  if (td_batch_new(r->model, N, &o, &b, message, sizeof message) != TD_OK) fail_msg("%s", message);
  return b;
}

// Masses and inputs of their own, with resets of some on the way
static void play(const robot* r, td_batch* b, double* q, double* v, double* sensors) {
  double masses[N], u[N], t[N];
  unsigned char mask[N] = {0, 1, 0, 0, 1, 0, 0};
  uint64_t seed = 3;
  for (int i = 0; i < N; i++) masses[i] = 1 + 0.5 * i;
  assert_int_equal(td_batch_param(b, td_model_param_find(r->model, "m"), masses), TD_OK);
  assert_int_equal(td_batch_reset(b, NULL), TD_OK);
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < N; i++) u[i] = check_random(&seed);
    assert_int_equal(td_batch_step(b, 0.02, u, NULL), TD_OK);
    if (k == STEPS / 2) assert_int_equal(td_batch_reset(b, mask), TD_OK);
  }
  assert_int_equal(td_batch_status(b, NULL), 0);
  assert_int_equal(td_batch_read(b, t, q, v, sensors), TD_OK);
  for (int i = 0; i < N; i++)
    CHECK_NEAR(t[i], 0.02 * (mask[i] ? STEPS - 1 - STEPS / 2 : STEPS), 1e-12);
}

static void test_any_number_of_threads_gives_the_same_bits(void** state) {
  (void)state;
  robot r = robot_open(pendulum);
  static const td_solver solvers[] = {TD_SOLVER_AUTO, TD_SOLVER_STIFF, TD_SOLVER_FIXED};
  for (int s = 0; s < 3; s++) {
    double one[N * 6], now[N * 6];
    for (int threads = 1; threads <= 3; threads++) {
      td_batch* b = batch_of(&r, threads, solvers[s], 1e-3);
      play(&r, b, now, now + N, now + 2 * N);
      td_batch_free(b);
      if (threads == 1) memcpy(one, now, sizeof one);
      assert_memory_equal(one, now, sizeof one);
    }
    for (int i = 1; i < N; i++) assert_true(one[i] != one[0]);
  }
  robot_close(&r);
}

// A plant of a batch is a td_plant with the same parameters and inputs, bit by bit.
static void test_a_plant_of_a_batch_is_a_plant(void** state) {
  (void)state;
  robot r = robot_open(pendulum);
  td_batch* b = batch_of(&r, 2, TD_SOLVER_EXPLICIT, 0);
  td_sim_options o = td_sim_options_default();
  o.solver = TD_SOLVER_EXPLICIT;
  double q[N], v[N], sensors[N * 4], u[N];
  for (int k = 1; k <= 20; k++) {
    for (int i = 0; i < N; i++) u[i] = 0.25 * (i - k);
    assert_int_equal(td_batch_step(b, 0.05, u, NULL), TD_OK);
  }
  td_batch_read(b, NULL, q, v, sensors);
  for (int i = 0; i < N; i++) {
    td_plant* p = NULL;
    td_state_initial(r.model, r.work, r.state);
    assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &p), TD_OK);
    for (int k = 1; k <= 20; k++) {
      const double F = 0.25 * (i - k);  // exact
      td_plant_inputs(p, &F);
      assert_int_equal(td_plant_step(p, td_plant_state(p)->t + 0.05), TD_OK);
    }
    assert_true(td_plant_state(p)->q[0] == q[i] && td_plant_state(p)->v[0] == v[i]);
    CHECK_NEAR(sensors[4 * i + 1], -sin(q[i]), 1e-12);
    td_plant_free(p);
  }
  td_batch_free(b);
  robot_close(&r);
}

// States of the caller, masks, noise with its deviation
static void test_states_masks_and_noise(void** state) {
  (void)state;
  robot r = robot_open(pendulum);
  td_batch* b = batch_of(&r, 1, TD_SOLVER_AUTO, 0);
  double q[N], v[N], t[N], at[N];
  for (int i = 0; i < N; i++) q[i] = 0.1 * i, v[i] = -0.2 * i, t[i] = i;
  assert_int_equal(td_batch_reset_to(b, NULL, t, q, v, NULL), TD_OK);
  double q2[N], v2[N];
  td_batch_read(b, at, q2, v2, NULL);
  for (int i = 0; i < N; i++) assert_true(q2[i] == q[i] && v2[i] == v[i] && at[i] == i);
  const unsigned char mask[N] = {1, 0, 1};
  assert_int_equal(td_batch_step(b, 0.5, NULL, mask), TD_OK);
  td_batch_read(b, at, NULL, NULL, NULL);
  for (int i = 0; i < N; i++) assert_true(at[i] == i + 0.5 * mask[i]);
  td_batch_free(b);

  // 700 draws: the deviation to 15 %, 5.6 standard errors of it
  b = batch_of(&r, 1, TD_SOLVER_AUTO, 1e-2);
  double sum = 0;
  for (int k = 0; k < 100; k++) {
    td_batch_reset(b, NULL);
    td_batch_read(b, NULL, q, v, NULL);
    for (int i = 0; i < N; i++) sum += (q[i] - 0.4) * (q[i] - 0.4) / (100 * N);
  }
  CHECK_NEAR(sqrt(sum) / 1e-2, 1, 0.15);

  // the same seeds, the same states
  unsigned long long seeds[N] = {1, 2, 3, 1, 2, 3, 4};
  td_batch_seed(b, seeds);
  td_batch_reset(b, NULL);
  td_batch_read(b, NULL, q, v, NULL);
  assert_true(q[0] == q[3] && q[1] == q[4] && q[2] == q[5] && q[0] != q[1]);
  td_batch_free(b);
  robot_close(&r);
}

// A plant that fails does not stop the others; it begins anew where that is wanted.
static void test_a_failure_stays_with_its_plant(void** state) {
  (void)state;
  robot r = robot_open(pendulum);
  for (int again = 0; again < 2; again++) {
    td_batch_options o = td_batch_options_default();
    o.auto_reset = again;
    td_batch* b = NULL;
    assert_int_equal(td_batch_new(r.model, N, &o, &b, message, sizeof message), TD_OK);
    double u[N] = {0}, t[N];
    int status[N];
    u[2] = 1000;  // beyond the range
    assert_int_equal(td_batch_step(b, 0.1, u, NULL), TD_OK);
    assert_int_equal(td_batch_status(b, status), 1);
    assert_int_equal(status[2], TD_E_USAGE);
    assert_non_null(strstr(td_batch_message(b, 2), "input 'F' has the range [-50 50]"));
    assert_string_equal(td_batch_message(b, 1), "");
    u[2] = 0;
    assert_int_equal(td_batch_step(b, 0.1, u, NULL), TD_OK);
    td_batch_read(b, t, NULL, NULL, NULL);
    for (int i = 0; i < N; i++) CHECK_NEAR(t[i], i != 2 ? 0.2 : again ? 0.1 : 0, 1e-12);
    assert_int_equal(td_batch_status(b, NULL), again ? 0 : 1);
    td_batch_free(b);
  }

  // parameters that break a rule
  td_batch* b = batch_of(&r, 1, TD_SOLVER_AUTO, 0);
  double masses[N] = {1, 2, -3, NAN, 5, 6, 7};
  assert_int_equal(td_batch_param(b, 0, masses), TD_OK);
  assert_int_equal(td_batch_status(b, NULL), 1);
  assert_non_null(strstr(td_batch_message(b, 2), "parameter 'm' has the range"));
  assert_int_equal(td_batch_param(b, 5, masses), TD_E_USAGE);
  td_batch_free(b);
  td_batch_options o = td_batch_options_default();
  o.threads = 99;
  assert_int_equal(td_batch_new(r.model, N, &o, &b, message, sizeof message), TD_E_USAGE);
  assert_null(b);
  robot_close(&r);
}

#if !CHECK_SANITIZED
static void test_steps_and_resets_do_not_allocate(void** state) {
  (void)state;
  static const char* const texts[] = {
      pendulum,
      "m = param('m', 1); F = input('F', 0); world.g = [0 0 -9.81];"
      "rod(1).model = 'gvs'; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6;"
      "rod(1).rho = 1000*m; rod(1).eta = 1e3; rod(1).order = [-1 -1 -1 2 2 -1];"
      "cable(1).path = [0 0.005]; cable(1).tension = F; par.step = 0.005;"};
  for (int which = 0; which < 2; which++)
    for (int fixed = 0; fixed < 2; fixed++) {
      robot r = robot_open(texts[which]);
      td_batch* b = batch_of(&r, 2, fixed ? TD_SOLVER_FIXED : TD_SOLVER_AUTO, 1e-4);
      const unsigned char mask[N] = {1, 0, 1, 0, 0, 0, 1};
      double u[N], masses[N];
      long before = 0;
      for (int k = 0; k < 60; k++) {
        for (int i = 0; i < N; i++) u[i] = 0.1 * (k % 5) + 0.01 * i, masses[i] = 1 + 0.1 * (k % 3);
        if (k == 5) before = calls;
        if (k % 7 == 3) td_batch_param(b, 0, masses);
        if (k % 9 == 4) td_batch_reset(b, mask);
        assert_int_equal(td_batch_step(b, 0.01, u, NULL), TD_OK);
      }
      assert_int_equal(td_batch_status(b, NULL), 0);
      assert_int_equal(calls - before, 0);
      td_batch_free(b);
      robot_close(&r);
    }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
    cmocka_unit_test(test_a_plant_of_a_batch_is_a_plant),
    cmocka_unit_test(test_states_masks_and_noise),
    cmocka_unit_test(test_a_failure_stays_with_its_plant),
#if !CHECK_SANITIZED
    cmocka_unit_test(test_steps_and_resets_do_not_allocate),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
