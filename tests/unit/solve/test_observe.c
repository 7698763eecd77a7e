// Observers: the textbook filter on a linear system, agreement of the two filters, consistency over
// many seeds, unknown forces and parameters, constraints, rotations.
#include "engine/engine.h"
#include "math/random.h"
#include "robot.h"
#include "tendril/control.h"

static td_observer* observer_of(robot* r, td_observe_options* o) {
  td_observer* observer;
  const td_status status = td_observer_new(r->model, r->work, r->state, o, &observer);
  if (status != TD_OK) fail_msg("%s", td_work_failure(r->work));
  return observer;
}

static td_observe_options options(td_filter filter, double tol) {
  static td_sim_options sim;  // of the last call
  sim = td_sim_options_default();
  td_observe_options o = td_observe_options_default();
  o.filter = filter;
  sim.rtol = sim.atol = tol;
  o.sim = &sim;
  return o;
}

// x'' = -4 x - 0.2 x' + F, x measured
#define OSCILLATOR                                                                                 \
  "F = input('F', 0); body(1).m = 1; body(1).I = zeros(3); joint(1).second = 1;"                   \
  "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F; joint(1).dof(1).spring.coeff = 4;" \
  "joint(1).dof(1).damp.visc = 0.2; sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);"     \
  "sensor(1).noise = 0.02;"

// exp(A h) of the oscillator in closed form
static void transition(double h, double P[4]) {
  const double d = 0.1, w = sqrt(4 - d * d), e = exp(-d * h), c = cos(w * h), s = sin(w * h);
  P[0] = e * (c + d / w * s), P[1] = e * s / w;
  P[2] = -4 * e * s / w, P[3] = e * (c - d / w * s);
}

// Mean and covariance against the discrete Kalman filter written out; no process noise.
static void test_on_a_linear_system_it_is_the_kalman_filter(void** state) {
  (void)state;
  for (int filter = TD_EKF; filter <= TD_UKF; filter++) {
    robot r = robot_open(OSCILLATOR);
    td_observe_options o = options((td_filter)filter, 1e-11);
    o.sigma_q = 0.3, o.sigma_v = 0.5, o.drift = 0;
    td_observer* observer = observer_of(&r, &o);
    uint64_t seed = 5;
    double x[2] = {0, 0}, P[4] = {0.09, 0, 0, 0.25}, T[4], F = 0;
    transition(0.1, T);
    for (int k = 0; k <= 40; k++) {
      const double y = check_random(&seed);
      assert_int_equal(td_observer_step(observer, 0.1 * k, &F, &y), TD_OK);
      if (k > 0) {  // predict
        const double a = T[0] * x[0] + T[1] * x[1], b = T[2] * x[0] + T[3] * x[1];
        double Q[4];
        x[0] = a, x[1] = b;
        for (int i = 0; i < 2; i++)
          for (int j = 0; j < 2; j++)
            Q[2 * i + j] = T[2 * i] * (P[0] * T[2 * j] + P[1] * T[2 * j + 1]) +
                           T[2 * i + 1] * (P[2] * T[2 * j] + P[3] * T[2 * j + 1]);
        memcpy(P, Q, sizeof P);
      }
      const double s = P[0] + 4e-4, K0 = P[0] / s, K1 = P[2] / s, e = y - x[0];
      x[0] += K0 * e, x[1] += K1 * e;
      P[3] -= K1 * P[1], P[2] = P[1] = (1 - K0) * P[1], P[0] *= 1 - K0;

      double cov[4], innovation, sigma;
      int n;
      td_observer_covariance(observer, cov, NULL);
      CHECK_NEAR(td_observer_innovation(observer, &innovation, &sigma, &n), e * e / s, 1e-7);
      CHECK_NEAR(sigma, sqrt(s), 1e-9);
      assert_int_equal(n, 1);
      CHECK_NEAR(td_observer_state(observer)->q[0], x[0], 1e-8);
      CHECK_NEAR(td_observer_state(observer)->v[0], x[1], 1e-8);
      for (int i = 0; i < 4; i++) CHECK_NEAR(cov[i], P[i], 1e-9);
    }
    td_observer_free(observer);
    robot_close(&r);
  }
}

// A pendulum under an unknown torque that wanders; only its angle is measured.
#define PENDULUM                                                                                   \
  "world.g = [0 0 -9.81]; T = input('T', 0); m = param('m', 1);"                                   \
  "body(1).m = m; body(1).I = 0.02*eye(3); body(1).l_com = [0 0 -0.5];"                            \
  "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).input = T;"                  \
  "joint(1).dof(1).damp.visc = 0.1; sensor(1).name = 'angle'; sensor(1).value = dof(joint(1), 1);" \
  "sensor(1).noise = 0.02;"

// d' P^-1 d for a 3 x 3 covariance
static double square_error(const double* P, const double* d) {
  const double c00 = P[4] * P[8] - P[5] * P[7], c01 = P[5] * P[6] - P[3] * P[8],
               c02 = P[3] * P[7] - P[4] * P[6], det = P[0] * c00 + P[1] * c01 + P[2] * c02;
  const double c11 = P[0] * P[8] - P[2] * P[6], c12 = P[1] * P[6] - P[0] * P[7],
               c22 = P[0] * P[4] - P[1] * P[3];
  return (c00 * d[0] * d[0] + c11 * d[1] * d[1] + c22 * d[2] * d[2] +
          2 * (c01 * d[0] * d[1] + c02 * d[0] * d[2] + c12 * d[1] * d[2])) /
         det;
}

enum { STEPS = 30 };

typedef struct tally {
  double nees, nis;
  int inside[3], checks, measured;
} tally;

// One run with its own truth: initial error, torque and measurements at random.
static void one_run(robot* truth, robot* r, td_filter filter, uint64_t seed, tally* t) {
  const double h = 0.02, walk = 0.6;
  const td_unknown unknown = {false, 0, 0.5, walk};
  td_observe_options o = options(filter, 1e-5);
  o.sigma_q = 0.1, o.sigma_v = 0.3, o.drift = 0;
  o.unknown = &unknown, o.nunknown = 1;
  td_observer* observer = observer_of(r, &o);
  td_state* s = truth->state;
  double T = 0.5 * random_normal(&seed), P[9];
  s->t = 0, s->q[0] = 0.1 * random_normal(&seed), s->v[0] = 0.3 * random_normal(&seed);
  s->u[0] = T;
  td_plant* plant;
  td_sim_options so = td_sim_options_default();
  so.rtol = so.atol = 1e-8;
  assert_int_equal(td_plant_new(truth->model, truth->work, s, &so, &plant), TD_OK);
  for (int k = 0; k <= STEPS; k++) {
    for (int i = 1; k > 0 && i <= 4; i++) {  // nearly a continuous walk
      T += walk * sqrt(h / 4) * random_normal(&seed);
      td_plant_inputs(plant, &T);
      assert_int_equal(td_plant_step(plant, h * (k - 1 + i / 4.0)), TD_OK);
    }
    const td_state* now = td_plant_state(plant);
    const double y = now->q[0] + 0.02 * random_normal(&seed), u = 0;
    assert_int_equal(td_observer_step(observer, h * k, &u, &y), TD_OK);
    int n;
    t->nis += td_observer_innovation(observer, NULL, NULL, &n);
    t->measured += n;
    if (k != STEPS) continue;
    const td_state* got = td_observer_state(observer);
    const double d[3] = {got->q[0] - now->q[0], got->v[0] - now->v[0],
                         td_observer_unknown(observer, 0) - T};
    td_observer_covariance(observer, P, NULL);
    t->nees += square_error(P, d);
    for (int i = 0; i < 3; i++) t->inside[i] += fabs(d[i]) <= 1.96 * sqrt(P[4 * i]);
    t->checks++;
  }
  td_plant_free(plant);
  td_observer_free(observer);
}

// 95 % of 200 runs: 190, give or take three standard deviations of 3.1; the normalised square of
// the error has mean 3 and variance 6 / 200.
static void test_errors_stay_in_their_band_at_the_right_rate(void** state) {
  (void)state;
  for (int filter = TD_EKF; filter <= TD_UKF; filter++) {
    robot truth = robot_open(PENDULUM), r = robot_open(PENDULUM);
    tally t = {0};
    for (uint64_t seed = 1; seed <= 200; seed++)
      one_run(&truth, &r, (td_filter)filter, 1000 * seed, &t);
    print_message("%s: in the 95 %% band angle %d, rate %d, torque %d of %d; NEES %.2f; NIS %.3f\n",
                  filter == TD_UKF ? "UKF" : "EKF", t.inside[0], t.inside[1], t.inside[2], t.checks,
                  t.nees / t.checks, t.nis / t.measured);
    for (int i = 0; i < 3; i++) assert_true(abs(t.inside[i] - 190) <= 10);
    assert_true(fabs(t.nees / t.checks - 3) < 0.6);
    assert_true(fabs(t.nis / t.measured - 1) < 0.06);
    robot_close(&truth);
    robot_close(&r);
  }
}

// A mass that is 30 % off is found from the motion.
static void test_a_parameter_is_found(void** state) {
  (void)state;
  for (int filter = TD_EKF; filter <= TD_UKF; filter++) {
    robot truth = robot_open(PENDULUM), r = robot_open(PENDULUM);
    const int m = td_model_param_find(r.model, "m");
    td_work_set_param(truth.model, truth.work, m, 1.3);
    const td_unknown unknown = {true, m, 0.5, 0};
    td_observe_options o = options((td_filter)filter, 1e-6);
    o.unknown = &unknown, o.nunknown = 1;
    o.drift = 1e-4;
    td_observer* observer = observer_of(&r, &o);
    td_plant* plant;
    const td_sim_options so = td_sim_options_default();
    assert_int_equal(td_plant_new(truth.model, truth.work, truth.state, &so, &plant), TD_OK);
    uint64_t seed = 3;
    for (int k = 1; k <= 200; k++) {
      const double T = 2 * sin(0.2 * k), h = 0.02;
      td_plant_inputs(plant, &T);
      assert_int_equal(td_plant_step(plant, h * k), TD_OK);
      const double y = td_plant_state(plant)->q[0] + 0.002 * random_normal(&seed);
      assert_int_equal(td_observer_step(observer, h * k, &T, &y), TD_OK);
    }
    double sigma[3];
    td_observer_covariance(observer, NULL, sigma);
    assert_true(fabs(td_observer_unknown(observer, 0) - 1.3) < 3 * sigma[2] && sigma[2] < 0.05);
    td_plant_free(plant);
    td_observer_free(observer);
    robot_close(&truth);
    robot_close(&r);
  }
}

// A linkage: estimates stay on the constraints, uncertainty along the allowed motion only.
static void test_constraints_are_kept(void** state) {
  (void)state;
  const char* text =
      "world.g = [0 0 -9.81];"
      "for i = 1:3, body(i).m = 1; body(i).I = 0.01*eye(3); body(i).l_com = [0 0 -0.3]; end;"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).init = 0.4;"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -0.6];"
      "joint(2).tr(2).rot = [2 inf]; joint(2).dof(1).init = -0.9;"
      "joint(3).second = 3; joint(3).tr(1).trans = [0.5 0 0]; joint(3).tr(2).rot = [2 inf];"
      "joint(4).first = [2 1]; joint(4).second = [3 1]; joint(4).tr(1).trans = [0 0 -0.6];"
      "joint(4).tr2nd(1).trans = [0 0 -0.6]; joint(4).fixed = [1 0 1];"
      "sensor(1).name = 'angle'; sensor(1).value = dof(joint(1), 1); sensor(1).noise = 0.005;";
  for (int filter = TD_EKF; filter <= TD_UKF; filter++) {
    robot truth = robot_open(text), r = robot_open(text);
    td_observe_options o = options((td_filter)filter, 1e-6);
    o.sigma_q = 0.05, o.sigma_v = 0.5;
    double shift[3] = {0.03, 0, 0};
    td_displace(truth.model, truth.state->q, shift, truth.state->q);
    assert_int_equal(td_project_q(truth.model, truth.state, truth.work, 1e-12), TD_OK);
    td_observer* observer = observer_of(&r, &o);
    td_plant* plant;
    const td_sim_options so = td_sim_options_default();
    assert_int_equal(td_plant_new(truth.model, truth.work, truth.state, &so, &plant), TD_OK);
    uint64_t seed = 8;
    for (int k = 1; k <= 60; k++) {
      assert_int_equal(td_plant_step(plant, 0.02 * k), TD_OK);
      const double y = td_plant_state(plant)->q[0] + 0.005 * random_normal(&seed);
      assert_int_equal(td_observer_step(observer, 0.02 * k, NULL, &y), TD_OK);
    }
    double e[2], sigma[6];
    td_constraints(r.model, td_observer_state(observer), r.work, NULL, e, NULL);
    assert_true(fabs(e[0]) < 1e-10 && fabs(e[1]) < 1e-10);
    td_observer_covariance(observer, NULL, sigma);
    for (int i = 0; i < 3; i++) {
      assert_true(sigma[i] < 0.02);
      assert_true(fabs(td_observer_state(observer)->q[i] - td_plant_state(plant)->q[i]) <
                  5 * sigma[i] + 1e-6);
    }
    td_plant_free(plant);
    td_observer_free(observer);
    robot_close(&truth);
    robot_close(&r);
  }
}

// A tumbling body seen by two of its points: errors of rotations live on the tangent directions.
static void test_rotations_are_observed(void** state) {
  (void)state;
  const char* text =
      "body(1).m = 1; body(1).I = diag([0.1 0.2 0.25]); joint(1).second = 1; joint(1).type = "
      "'spherical';"
      "joint(1).dof(1).rate = 2; joint(1).dof(2).rate = 1; joint(1).dof(3).rate = -1.5;"
      "sensor(1).name = 'a'; sensor(1).value = pos(body(1), [1 0 0]); sensor(1).noise = 0.01;"
      "sensor(2).name = 'b'; sensor(2).value = pos(body(1), [0 1 0]); sensor(2).noise = 0.01;";
  for (int filter = TD_EKF; filter <= TD_UKF; filter++) {
    robot truth = robot_open(text), r = robot_open(text);
    td_observe_options o = options((td_filter)filter, 1e-7);
    o.sigma_q = 0.3, o.sigma_v = 0.5, o.drift = 1e-3;
    double shift[3] = {0.2, -0.1, 0.25};
    td_displace(truth.model, truth.state->q, shift, truth.state->q);
    truth.state->v[1] += 0.4;
    td_observer* observer = observer_of(&r, &o);
    td_plant* plant;
    const td_sim_options so = td_sim_options_default();
    assert_int_equal(td_plant_new(truth.model, truth.work, truth.state, &so, &plant), TD_OK);
    uint64_t seed = 8;
    for (int k = 0; k <= 100; k++) {
      if (k > 0) assert_int_equal(td_plant_step(plant, 0.02 * k), TD_OK);
      double y[6];
      assert_int_equal(td_sensors(truth.model, td_plant_state(plant), truth.work, y), TD_OK);
      for (int i = 0; i < 6; i++) y[i] += 0.01 * random_normal(&seed);
      if (k % 7 == 3) y[2] = NAN;  // not everything is always measured
      assert_int_equal(td_observer_step(observer, 0.02 * k, NULL, y), TD_OK);
    }
    double sigma[6];
    td_observer_covariance(observer, NULL, sigma);
    for (int i = 0; i < 3; i++) {
      assert_true(sigma[3 + i] < 0.03);
      assert_true(fabs(td_observer_state(observer)->v[i] - td_plant_state(plant)->v[i]) <
                  4 * sigma[3 + i]);
    }
    td_plant_free(plant);
    td_observer_free(observer);
    robot_close(&truth);
    robot_close(&r);
  }
}

static void test_misuse_is_refused(void** state) {
  (void)state;
  robot r = robot_open(
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
      "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);");
  td_observe_options o = td_observe_options_default();
  td_observer* observer = observer_of(&r, &o);
  const double y = 1, none = NAN;
  assert_int_equal(td_observer_step(observer, 0.1, NULL, &y), TD_E_USAGE);
  assert_non_null(strstr(td_work_failure(r.work), "sensor 'x' has no noise"));
  assert_int_equal(td_observer_step(observer, 0.2, NULL, &none), TD_OK);
  assert_int_equal(td_observer_step(observer, 0.1, NULL, &none), TD_E_USAGE);
  td_observer_free(observer);
  const td_unknown unknown = {true, 3, 1, 1};
  o.unknown = &unknown, o.nunknown = 1;
  assert_int_equal(td_observer_new(r.model, r.work, r.state, &o, &observer), TD_E_USAGE);
  assert_null(observer);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_on_a_linear_system_it_is_the_kalman_filter),
      cmocka_unit_test(test_errors_stay_in_their_band_at_the_right_rate),
      cmocka_unit_test(test_a_parameter_is_found),
      cmocka_unit_test(test_constraints_are_kept),
      cmocka_unit_test(test_rotations_are_observed),
      cmocka_unit_test(test_misuse_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
