// Pins in slots: Huygens' cycloid, whose period does not depend on the amplitude; a bead on a
// parabola against Lagrange's equation; exact derivatives behind other joints and rods; a slot that
// is a straight line is a slide; dense against sparse.
#include "engine/engine.h"
#include "unit/engine/robots.h"

static td_trajectory* run(robot* r, double t, int rows, double rtol) {
  td_sim_options o = td_sim_options_default();
  o.t_final = t;
  o.dt_out = t / rows;
  o.rtol = rtol;
  o.atol = rtol * 1e-2;
  td_trajectory* p = NULL;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &p), TD_OK);
  return p;
}

#define BEAD                                                                        \
  "world.g = [0 0 -9.81]; body(1).m = .3; body(1).I = 1e-3; joint(1).second = 1;\n" \
  "q = dof(joint(1), 1); a = param('a', .2);\n"

// x = a (q + sin q), z = a (1 - cos q): T = 4 π √(a/g) from any height.
static void a_cycloid_keeps_its_period(void** state) {
  (void)state;
  static const double starts[] = {.01, 1, 2.5};
  for (int i = 0; i < 3; i++) {
    robot r = robot_load(BEAD "joint(1).curve = [a*(q + sin(q)) 0 a*(1 - cos(q))];\n");
    r.state->q[0] = starts[i];
    td_trajectory* p = run(&r, 4 * acos(-1) * sqrt(.2 / 9.81), 4, 1e-10);
    CHECK_REACHED("a quarter", fabs(td_trajectory_q(p, 1)[0]) / starts[i], 1e-7);
    CHECK_REACHED("half a period", fabs(td_trajectory_q(p, 2)[0] / starts[i] + 1), 1e-7);
    CHECK_REACHED("a period", fabs(td_trajectory_q(p, 4)[0] / starts[i] - 1), 1e-7);
    td_trajectory_free(p);
    robot_free(&r);
  }
}

// On z = x²/(2 a):  (1 + x²/a²) x'' + x x'²/a² + g x/a = 0, written out here.
static void a_bead_on_a_parabola(void** state) {
  (void)state;
  robot r = robot_load(BEAD "joint(1).curve = [q 0 q^2/(2*a)];\n");
  const double a = .2;
  for (int i = 0; i < 20; i++) {
    const double x = r.state->q[0] = .05 * i - .4, v = r.state->v[0] = 1.5 - .2 * i;
    assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
    const double want = -(x * v * v / (a * a) + 9.81 * x / a) / (1 + x * x / (a * a));
    CHECK_NEAR(td_work_vdot(r.work)[0], want, 1e-12 * (1 + fabs(want)));
  }
  robot_free(&r);
}

// A slot on a turning arm, with a pin that turns and a rod behind it, a spring across and a loop:
// dF/dq and dF/dv against central differences.
#define ARM                                                                                        \
  "world.g = [1 2 -9.81]; q = dof(joint(2), 1);\n"                                                 \
  "for i = 1:2, body(i).m = .5*i; body(i).I = 1e-2*diag([1 2 2.5]); body(i).l_com = [.05 .1 "      \
  "-.1]; "                                                                                         \
  "end\n"                                                                                          \
  "joint(1).second = 1; joint(1).type = 'spherical'; joint(1).dof(2).rate = .4;\n"                 \
  "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.1 0 .2]; joint(2).tr.rot = [1 "  \
  ".3];\n"                                                                                         \
  "joint(2).curve = [.3*sin(q) q^2/4 .2*exp(q/2)]; joint(2).type = 'revolute';\n"                  \
  "joint(2).dof(1).init = .4; joint(2).dof(1).rate = .7; joint(2).dof(1).spring.coeff = 3;\n"      \
  "joint(3).first = 0; joint(3).second = 2; joint(3).tr.trans = [1 0 0]; joint(3).spring.coeff = " \
  "4;\n"                                                                                           \
  "rod(1).first = 2; rod(1).length = .2; rod(1).radius = .01; rod(1).E = 1e6; rod(1).rho = "       \
  "1000;\n"                                                                                        \
  "rod(1).order = [-1 -1 -1 1 1 0];\n"

static void tangents_are_exact(void** state) {
  (void)state;
  robot r = robot_load(ARM);
  uint64_t seed = 3;
  robot_shake(&r, &seed, .2);
  const size_t n = (size_t)r.nv;
  double *dq = malloc(n * n * sizeof(double)), *dv = malloc(n * n * sizeof(double));
  double *a = malloc(n * sizeof(double)), *d = calloc(n, sizeof(double)), scale = 0;
  double* F[2] = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
  double* q = malloc((size_t)r.nq * sizeof(double));
  for (size_t i = 0; i < n; i++) a[i] = check_random(&seed);
  memcpy(q, r.state->q, (size_t)r.nq * sizeof(double));
  assert_int_equal(td_tangent(r.model, r.state, r.work, a, NULL, dq, dv), TD_OK);
  for (size_t i = 0; i < n * n; i++) scale = fmax(scale, fmax(fabs(dq[i]), fabs(dv[i])));
  for (int k = 0; k < r.nv; k++)
    for (int rate = 0; rate < 2; rate++) {
      const double h = 1e-5;
      for (int side = 0; side < 2; side++) {
        d[k] = side == 0 ? h : -h;
        if (rate) r.state->v[k] += d[k];
        if (!rate) td_displace(r.model, q, d, r.state->q);
        td_residual(r.model, r.state, r.work, a, NULL, F[side]);
        if (rate) r.state->v[k] -= d[k];
        if (!rate) memcpy(r.state->q, q, (size_t)r.nq * sizeof(double));
      }
      d[k] = 0;
      for (int i = 0; i < r.nv; i++)
        CHECK_NEAR((rate ? dv : dq)[i * r.nv + k], (F[0][i] - F[1][i]) / (2 * h), 3e-8 * scale);
    }
  free(dq), free(dv), free(a), free(d), free(F[0]), free(F[1]), free(q);
  robot_free(&r);
}

// The energy of the whole stays, less what its spring and the rod's store.
static void energy_stays(void** state) {
  (void)state;
  robot r = robot_load(ARM);
  td_trajectory* p = run(&r, .5, 10, 1e-9);
  const double* e = td_trajectory_energy(p, 0);
  const double start = e[0] + e[1] + e[2];
  for (int k = 0; k < td_trajectory_rows(p); k++) {
    e = td_trajectory_energy(p, k);
    CHECK_NEAR(e[0] + e[1] + e[2], start, 1e-6);
  }
  td_trajectory_free(p);
  robot_free(&r);
}

// A straight slot is a slide; its motion may be prescribed, its loop closed, its matrices sparse.
static void a_straight_slot_is_a_slide(void** state) {
  (void)state;
  static const char* const joints[] = {
      "joint(1).type = 'prismatic'; joint(1).axis = [.6 0 .8];\n",
      "q = dof(joint(1), 1); joint(1).curve = [.6*q 0 .8*q];\n",
      "q = dof(joint(1), 1); joint(1).curve = [.6*q 0 .8*q]; par.linear = 'sparse';\n"};
  static const char* const rest[] = {
      "joint(1).dof(1).spring.coeff = 20; joint(1).dof(1).damp.visc = .1;\n",
      "joint(1).dof(1).motion = .1*sin(5*t);\n",
      "body(3).m = .2; body(3).I = 1e-3; joint(3).second = 3; joint(3).tr.trans = [.3 0 0];\n"
      "joint(3).type = 'free'; joint(4).first = 3; joint(4).second = 2; joint(4).tr.trans = [-.3 0 "
      "0];\njoint(4).fixed = [1 1 1 0 0 0]; joint(1).dof(1).spring.coeff = 20;\n"};
  for (int k = 0; k < 3; k++) {
    double end[3][3];
    for (int i = 0; i < 3; i++) {
      char text[1200];
      snprintf(text, sizeof text,
               "world.g = [0 0 -9.81]; for i = 1:2, body(i).m = .3; body(i).I = 1e-3; end\n"
               "joint(1).second = 1; %s%s"
               "joint(2).first = 1; joint(2).second = 2; joint(2).type = 'spherical';\n"
               "body(2).l_com = [0 .1 0];\n"
               "sensor(1).name = 'x'; sensor(1).value = pos(body(2), [0 .2 .1]);\n",
               joints[i], rest[k]);
      robot r = robot_load(text);
      td_trajectory* p = run(&r, .3, 5, 1e-9);
      memcpy(end[i], td_trajectory_sensors(p, 5), sizeof end[0]);
      td_trajectory_free(p);
      robot_free(&r);
    }
    for (int i = 1; i < 3; i++)
      for (int c = 0; c < 3; c++) CHECK_NEAR(end[i][c], end[0][c], 1e-7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cycloid_keeps_its_period), cmocka_unit_test(a_bead_on_a_parabola),
      cmocka_unit_test(tangents_are_exact),         cmocka_unit_test(energy_stays),
      cmocka_unit_test(a_straight_slot_is_a_slide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
