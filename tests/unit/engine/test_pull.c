// Pulling at a robot: exact derivatives, power, and nothing left after letting go.
#include "check.h"
#include "engine/engine.h"
#include "robots.h"

static const double point[3] = {0.1, -0.05, 0.2}, target[3] = {0.6, 0.4, -0.3};

static const char chain[] =
    "world.g = [0 0 -9.81];\n"
    "for i = 1:3, body(i).m = 1; body(i).I = diag([.1 .12 .05]); body(i).l_com = [0 .1 -.3];\n"
    "joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [0 0 -.5*(i > 1)]; "
    "joint(i).tr(1).rot = [i inf]; joint(i).dof(1).init = .3*i; joint(i).dof(1).rate = .5; end\n";
static const char rod[] =
    "rod(1).length = .5; rod(1).radius = .02; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).n = 4;\n";

static void residual(robot* r, const double* q, const double* v, double* F) {
  td_state* s = td_state_new(r->model);
  td_state_copy(r->model, r->state, s);
  memcpy(s->q, q, (size_t)r->nq * sizeof(double));
  memcpy(s->v, v, (size_t)r->nv * sizeof(double));
  double zero[64] = {0};
  td_residual(r->model, s, r->work, zero, NULL, F);
  td_state_free(s);
}

static void the_tangent_is_exact(void** state) {
  (void)state;
  static const char* const texts[] = {chain, rod};
  for (int k = 0; k < 2; k++) {
    robot r = robot_load(texts[k]);
    uint64_t seed = 7;
    robot_shake(&r, &seed, 0.3);
    const int station = td_model_sizes(r.model).nstation - 1, n = r.nv;
    assert_int_equal(td_work_pull(r.model, r.work, station, point, target, 40, 3), TD_OK);
    static double dq[64 * 64], dv[64 * 64];
    const double zero[64] = {0};
    td_tangent(r.model, r.state, r.work, zero, NULL, dq, dv);
    for (int j = 0; j < n; j++) {
      const double h = 1e-6;
      double d[64] = {0}, q[2][64], v[2][64], F[2][64];
      for (int s = 0; s < 2; s++) {
        d[j] = s ? h : -h;
        td_displace(r.model, r.state->q, d, q[s]);
        residual(&r, q[s], r.state->v, F[s]);
      }
      // central differences: h² of the third derivative and rounding / h
      for (int i = 0; i < n; i++) CHECK_NEAR(dq[i * n + j], (F[1][i] - F[0][i]) / (2 * h), 2e-6);
      for (int s = 0; s < 2; s++) {
        memcpy(v[s], r.state->v, (size_t)n * sizeof(double));
        v[s][j] += s ? h : -h;
        residual(&r, r.state->q, v[s], F[s]);
      }
      for (int i = 0; i < n; i++) CHECK_NEAR(dv[i * n + j], (F[1][i] - F[0][i]) / (2 * h), 2e-6);
    }
    robot_free(&r);
  }
}

// A falling mass:  m z'' = -m g + k (target - z) - c z'
static void a_mass_feels_spring_and_damper(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -9.81]; body(1).m = 2; joint(1).second = 1; joint(1).tr(1).trans = [inf inf "
      "inf]; joint(1).dof(3).init = .25; joint(1).dof(3).rate = 3;\n");
  const double origin[3] = {0, 0, 0}, above[3] = {0, 0, 1};
  assert_int_equal(td_work_pull(r.model, r.work, 0, origin, above, 100, 7), TD_OK);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  CHECK_NEAR(td_work_vdot(r.work)[2], -9.81 + (100 * (1 - r.state->q[2]) - 7 * r.state->v[2]) / 2,
             1e-12);
  robot_free(&r);
}

static void letting_go_leaves_nothing(void** state) {
  (void)state;
  robot r = robot_load(chain);
  double before[8], after[8];
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  memcpy(before, td_work_vdot(r.work), (size_t)r.nv * sizeof(double));
  assert_int_equal(td_work_pull(r.model, r.work, 2, point, target, 40, 3), TD_OK);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  memcpy(after, td_work_vdot(r.work), (size_t)r.nv * sizeof(double));
  assert_true(fabs(after[0] - before[0]) > 1e-3);
  assert_int_equal(td_work_pull(r.model, r.work, -1, point, target, 0, 0), TD_OK);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  assert_memory_equal(before, td_work_vdot(r.work), (size_t)r.nv * sizeof(double));
  robot_free(&r);
}

static void senseless_pulls_are_refused(void** state) {
  (void)state;
  robot r = robot_load(chain);
  const double bad[3] = {0, NAN, 0};
  assert_int_equal(td_work_pull(r.model, r.work, 1000, point, target, 1, 1), TD_E_USAGE);
  assert_int_equal(td_work_pull(r.model, r.work, 0, bad, target, 1, 1), TD_E_USAGE);
  assert_int_equal(td_work_pull(r.model, r.work, 0, point, target, -1, 1), TD_E_USAGE);
  assert_int_equal(td_work_pull(r.model, r.work, 0, point, target, 1, INFINITY), TD_E_USAGE);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tangent_is_exact),
      cmocka_unit_test(a_mass_feels_spring_and_damper),
      cmocka_unit_test(letting_go_leaves_nothing),
      cmocka_unit_test(senseless_pulls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
