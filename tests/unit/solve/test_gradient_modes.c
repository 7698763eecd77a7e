// Derivatives of modes, linear models and limit loads: closed forms, and differences of order 8 of
// whole analyses about equilibria that move.
#include "gradient_robots.h"
#include "sanitized.h"

enum { MOST = 400 };

// Frequencies, ratios and eigenvalues.
typedef struct sung {
  int n, nc;
  double omega[MOST], zeta[MOST], re[MOST], im[MOST];
} sung;

// Those of modes that are one as their mean.
static void average(const double* key, double* x, int n) {
  for (int i = 0, end; i < n; i = end) {
    double sum = 0;
    for (end = i; end < n && fabs(key[end] - key[i]) <= 1e-6 * fabs(key[i]); end++) sum += x[end];
    for (int k = i; k < end; k++) x[k] = sum / (end - i);
  }
}

// The modes of the state, each the nearest to where it is expected, `step` from `here` with the
// given slopes: on the way modes change their order.
static void sing(robot* r, const sung* here, const double* dw, const double* dre, const double* dim,
                 double step, sung* out) {
  td_modes_result* m = NULL;
  bool taken[MOST] = {false};
  assert_int_equal(td_modes(r->model, r->state, r->work, &m), TD_OK);
  assert_true(m->n <= MOST && m->ncomplex <= MOST);
  out->n = m->n;
  out->nc = m->ncomplex;
  for (int k = 0; k < m->n; k++) {
    int best = k;
    double near = INFINITY;
    for (int i = 0; here && i < m->n; i++) {
      const double d = fabs(m->omega[i] - here->omega[k] - step * dw[k]);
      if (!taken[i] && d < near) near = d, best = i;
    }
    taken[best] = true;
    out->omega[k] = m->omega[best];
    out->zeta[k] = m->zeta[best];
  }
  memset(taken, 0, sizeof taken);
  for (int k = 0; k < m->ncomplex; k++) {
    int best = k;
    double near = INFINITY;
    for (int i = 0; here && i < m->ncomplex; i++) {
      const double d =
          hypot(m->re[i] - here->re[k] - step * dre[k], m->im[i] - here->im[k] - step * dim[k]);
      if (!taken[i] && d < near) near = d, best = i;
    }
    taken[best] = true;
    out->re[k] = m->re[best];
    out->im[k] = m->im[best];
  }
  td_modes_free(m);
}

static double value_of(const robot* r, td_by by) {
  if (by.kind == TD_BY_PARAM) return td_work_param(r->model, r->work, by.index);
  return r->state->u[by.index];
}

// Largest error of slopes relative to themselves, or to `scale` of what changes.
static double off(const double* got, const double* want, const double* value, const double* im,
                  const double* re, int n, double scale) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    if (isnan(got[i])) continue;
    // a pair that is about to become real has no slope to speak of
    if (im && im[i] != 0 && fabs(im[i]) < 0.05 * fabs(re[i])) continue;
    const double size = fabs(want[i]) + scale * fmax(fabs(value[i]), 1);
    worst = fmax(worst, fabs(got[i] - want[i]) / size);
  }
  return worst;
}

static void modes_change_as_differences_do(void** ctx) {
  (void)ctx;
  static const char* const chosen[] = {
      "rod models",     "tree of joints", "four-bar",        "rod in a loop", "cables in a rod",
      "slack and taut", "contact",        "internal states", "net",           "row along a motion"};
  // under sanitizers a four-bar and internal states alone
  for (size_t which = CHECK_SANITIZED ? 2 : 0; which < sizeof chosen / sizeof *chosen;
       which += CHECK_SANITIZED ? 5 : 1) {
    int at_robot = 0;
    while (strcmp(resting_robots[at_robot].name, chosen[which])) at_robot++;
    robot r = resting_open(at_robot);
    td_by by[16];
    const int n = resting_by(&r, by);
    static sung here, there;
    static double dw[16 * MOST], dz[16 * MOST], dre[16 * MOST], dim[16 * MOST];
    td_state* at = td_state_new(r.model);
    td_modes_result* m = NULL;
    resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
    td_state_copy(r.model, r.state, at);
    sing(&r, NULL, NULL, NULL, NULL, 0, &here);
    assert_int_equal(td_modes(r.model, r.state, r.work, &m), TD_OK);
    td_status status =
        td_modes_gradient(r.model, r.state, r.work, m, by, n, dw, dz, dre, dim, NULL);
    bool ratios = true;
    if (status == TD_E_USAGE && strstr(td_work_failure(r.work), "not symmetric")) {
      ratios = false;
      status = td_modes_gradient(r.model, r.state, r.work, m, by, n, dw, NULL, dre, dim, NULL);
    }
    char note[256];
    snprintf(note, sizeof note, "%s", td_work_gradient_note(r.work));
    if (status != TD_OK) print_error("%s: %s\n", chosen[which], td_work_failure(r.work));
    assert_int_equal(status, TD_OK);
    double worst[4] = {0};
    for (int k = 0; k < n; k++) {
      static double want[4][MOST];
      const double value = value_of(&r, by[k]), h = 2e-3 * fabs(value);
      memset(want, 0, sizeof want);
      for (int i = 1; i <= 4; i++)
        for (int side = -1; side <= 1; side += 2) {
          resting_solve(&r, at, by[k], value + side * i * h);
          sing(&r, &here, dw + k * here.n, dre + k * here.nc, dim + k * here.nc, side * i * h,
               &there);
          average(here.omega, there.omega, there.n);
          average(here.omega, there.zeta, there.n);
          for (int j = 0; j < here.n; j++) {
            want[0][j] += side * eighth[i - 1] * there.omega[j] / h;
            want[1][j] += side * eighth[i - 1] * there.zeta[j] / h;
          }
          for (int j = 0; j < here.nc; j++) {
            want[2][j] += side * eighth[i - 1] * there.re[j] / h;
            want[3][j] += side * eighth[i - 1] * there.im[j] / h;
          }
        }
      resting_solve(&r, at, by[k], value);
      const double e[4] = {
          off(dw + k * here.n, want[0], here.omega, NULL, NULL, here.n, 1e-2),
          ratios ? off(dz + k * here.n, want[1], here.zeta, NULL, NULL, here.n, 1e-2) : 0,
          off(dre + k * here.nc, want[2], here.re, here.im, here.re, here.nc, 1e-2),
          off(dim + k * here.nc, want[3], here.im, here.im, here.re, here.nc, 1e-2)};
      for (int i = 0; i < 4; i++) worst[i] = fmax(worst[i], e[i]);
    }
    print_message("%-18s frequencies %.1e, ratios %.1e, eigenvalues %.1e %.1e; note '%s'\n",
                  chosen[which], worst[0], worst[1], worst[2], worst[3], note);
    for (int i = 0; i < 4; i++) CHECK_REACHED(chosen[which], worst[i], 1e-5);
    td_modes_free(m);
    td_state_free(at);
    robot_close(&r);
  }
}

static void settle(robot* r) {
  td_equil_options o = td_equil_options_default();
  td_equil_result result;
  o.tol = 1e-13;
  td_equilibrium(r->model, r->work, r->state, &o, &result);
  assert_true(result.converged);
}

// w² = m g L/(m L² + I), also about the vertical that a load turns: the equilibrium moves.
static void a_pendulum_is_as_the_formula(void** ctx) {
  (void)ctx;
  robot r = robot_open(
      "L = param('L', .7); m = param('m', 1.3); I = param('I', .05); g = param('g', 9.81); c = "
      "param('c', .02); f = param('f', 0);\n"
      "world.g = [f 0 -g]; body(1).m = m; body(1).I = I*eye(3); body(1).l_com = [0 0 -L];\n"
      "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).damp.visc = c;\n");
  const double L = .7, m = 1.3, I = .05, g = 9.81, c = .02, J = m * L * L + I,
               w = sqrt(m * g * L / J), zeta = c / (2 * J * w);
  const double dJ[6] = {2 * m * L, L * L, 1, 0, 0, 0};
  const double dk[6] = {m * g, g * L, 0, m * L, 0, 0};
  td_by by[6];
  double dw[6], dz[6], dre[12], dim[12], dshape[6];
  for (int i = 0; i < 6; i++) by[i] = (td_by){TD_BY_PARAM, i};
  td_modes_result* modes = NULL;
  settle(&r);
  assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
  assert_int_equal(
      td_modes_gradient(r.model, r.state, r.work, modes, by, 6, dw, dz, dre, dim, dshape), TD_OK);
  for (int i = 0; i < 6; i++) {
    const double slow = (dk[i] / J - w * w * dJ[i] / J) / (2 * w),
                 ratio = zeta * ((i == 4) / c - dJ[i] / J - slow / w);
    CHECK_NEAR(dw[i], slow, 1e-10);
    CHECK_NEAR(dz[i], ratio, 1e-10);
    // p = -zeta w + i w sqrt(1 - zeta²)
    const double re = -ratio * w - zeta * slow, root = sqrt(1 - zeta * zeta);
    CHECK_NEAR(dre[2 * i], re, 1e-9);
    CHECK_NEAR(fabs(dim[2 * i]), fabs(slow * root - w * zeta * ratio / root), 1e-9);
    // phi = 1/sqrt(J)
    CHECK_NEAR(fabs(dshape[i]), fabs(dJ[i] / (2 * J * sqrt(J))), 1e-9);
  }
  td_modes_free(modes);
  robot_close(&r);
}

// A rod of circular section has the same frequency in all directions.
static void modes_of_one_frequency_have_a_mean(void** ctx) {
  (void)ctx;
  robot r = robot_open(
      "E = param('E', 1e6); rho = param('rho', 1000); world.g = [0 0 0];\n"
      "rod(1).length = .3; rod(1).radius = .01; rod(1).E = E; rod(1).rho = rho; rod(1).n = 4;\n");
  const td_by by[2] = {{TD_BY_PARAM, 0}, {TD_BY_PARAM, 1}};
  td_modes_result* modes = NULL;
  double dw[2 * MOST], dre[2 * MOST], dim[2 * MOST];
  settle(&r);
  assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
  assert_int_equal(
      td_modes_gradient(r.model, r.state, r.work, modes, by, 2, dw, NULL, dre, dim, NULL), TD_OK);
  assert_non_null(strstr(td_work_gradient_note(r.work), "modes 1 to 2 are of one frequency"));
  for (int k = 0; k < modes->n; k++) {
    CHECK_NEAR(dw[k] * 2e6 / modes->omega[k], 1, 1e-7);
    CHECK_NEAR(dw[modes->n + k] * 2000 / modes->omega[k], -1, 1e-7);
  }
  for (int k = 0; k < modes->ncomplex; k++) CHECK_NEAR(dim[k] * 2e6 / modes->im[k], 1, 1e-5);
  td_modes_free(modes);
  robot_close(&r);
}

// Linear models: differences of order 8 where the coordinates are those of the model.
static void linear_models_change_as_differences_do(void** ctx) {
  (void)ctx;
  static const char* const chosen[] = {"tree of joints", "contact", "internal states",
                                       "given motion"};
  for (size_t which = 0; which < (CHECK_SANITIZED ? 2 : sizeof chosen / sizeof *chosen); which++) {
    int i = 0;
    while (strcmp(resting_robots[i].name, chosen[which])) i++;
    robot r = resting_open(i);
    td_by by[16];
    const int n = resting_by(&r, by);
    td_state* at = td_state_new(r.model);
    td_linear* lin = NULL;
    resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
    td_state_copy(r.model, r.state, at);
    assert_int_equal(td_linearize(r.model, r.state, r.work, &lin), TD_OK);
    const int sizes[4] = {lin->nx * lin->nx, lin->nx * lin->nu, lin->ny * lin->nx,
                          lin->ny * lin->nu};
    double *d[4], *want[4];
    for (int k = 0; k < 4; k++) {
      d[k] = calloc((size_t)(n * sizes[k]) + 1, sizeof(double));
      want[k] = calloc((size_t)sizes[k] + 1, sizeof(double));
    }
    const td_status status =
        td_linearize_gradient(r.model, r.state, r.work, lin, by, n, d[0], d[1], d[2], d[3]);
    if (status != TD_OK) print_error("%s: %s\n", chosen[which], td_work_failure(r.work));
    assert_int_equal(status, TD_OK);
    double worst = 0;
    for (int b = 0; b < n; b++) {
      const double value = value_of(&r, by[b]), h = 2e-3 * fabs(value);
      for (int k = 0; k < 4; k++) memset(want[k], 0, sizeof(double) * (size_t)sizes[k]);
      for (int s = 1; s <= 4; s++)
        for (int side = -1; side <= 1; side += 2) {
          td_linear* there = NULL;
          resting_solve(&r, at, by[b], value + side * s * h);
          assert_int_equal(td_linearize(r.model, r.state, r.work, &there), TD_OK);
          const double* const parts[4] = {there->A, there->B, there->C, there->D};
          for (int k = 0; k < 4; k++)
            for (int j = 0; j < sizes[k]; j++) want[k][j] += side * eighth[s - 1] * parts[k][j] / h;
          td_linear_free(there);
        }
      resting_solve(&r, at, by[b], value);
      for (int k = 0; k < 4; k++) {
        double most = 1e-3, error = 0;
        for (int j = 0; j < sizes[k]; j++) {
          most = fmax(most, fabs(want[k][j]));
          error = fmax(error, fabs(d[k][b * sizes[k] + j] - want[k][j]));
        }
        worst = fmax(worst, error / most);
      }
    }
    CHECK_REACHED(chosen[which], worst, 1e-6);
    for (int k = 0; k < 4; k++) {
      free(d[k]);
      free(want[k]);
    }
    td_linear_free(lin);
    td_state_free(at);
    robot_close(&r);
  }
}

// A shallow truss snaps through: P = k z (L0/L - 1) with L² = a² + z² is largest at L³ = L0 a².
static void the_load_of_a_truss_is_as_the_formula(void** ctx) {
  (void)ctx;
  robot r = robot_open(
      "P = param('P', 0); k = param('k', 200); a = param('a', 1); h = param('h', .4); world.g = [0 "
      "0 0];\n"
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; "
      "joint(1).dof(1).init = .4;\n"
      "joint(2).second = 1; joint(2).tr.trans = [a 0 0]; joint(2).spring.coeff = k; "
      "joint(2).spring.init = sqrt(a^2 + h^2);\n"
      "exload(1).exbody = 1; exload(1).ftau = [0 0 -P 0 0 0];\n");
  const double k = 200, a = 1, h = .4, L0 = sqrt(a * a + h * h), L = cbrt(L0 * a * a),
               z = sqrt(L * L - a * a), P = k * z * (L0 / L - 1);
  // P at its maximum changes with a and h as it does at constant z
  const double dL0[3] = {0, a / L0, h / L0}, dL[3] = {0, a / L, 0};
  double want[3] = {P / k, 0, 0}, got[3];
  for (int i = 1; i < 3; i++) want[i] = k * z * (dL0[i] / L - L0 * dL[i] / (L * L));
  td_trace_options o = td_trace_options_default();
  td_trace_result* path = NULL;
  o.param = td_model_param_find(r.model, "P");
  o.to = 40;
  assert_int_equal(td_trace(r.model, r.work, r.state, &o, &path), TD_OK);
  int at = 0;
  while (at < path->n && path->kind[at] != TD_LIMIT) at++;
  assert_true(at < path->n);
  CHECK_NEAR(path->p[at], P, 1e-9);
  r.state->q[0] = path->q[at];
  assert_int_equal(td_work_set_param(r.model, r.work, o.param, path->p[at]), TD_OK);
  const td_by load = {TD_BY_PARAM, o.param},
              by[3] = {{TD_BY_PARAM, td_model_param_find(r.model, "k")},
                       {TD_BY_PARAM, td_model_param_find(r.model, "a")},
                       {TD_BY_PARAM, td_model_param_find(r.model, "h")}};
  const td_status status = td_limit_gradient(r.model, r.state, r.work, load, by, 3, got);
  if (status != TD_OK) print_error("%s\n", td_work_failure(r.work));
  assert_int_equal(status, TD_OK);
  for (int i = 0; i < 3; i++) CHECK_NEAR(got[i], want[i], 1e-6);

  // the equilibrium itself has no derivative there, and beside it the load is none of a limit
  double dq[3];
  assert_int_not_equal(td_equilibrium_gradient(r.model, r.state, r.work, &load, 1, dq, NULL, NULL,
                                               NULL, NULL) == TD_OK &&
                           fabs(dq[0]) < 1e4,
                       1);
  r.state->q[0] = .39;
  assert_int_equal(td_limit_gradient(r.model, r.state, r.work, load, by, 3, got), TD_E_USAGE);
  assert_non_null(strstr(td_work_failure(r.work), "no limit point"));
  td_trace_free(path);
  robot_close(&r);
}

// A column buckles to either side: its load is one of a bifurcation.
static void a_pitchfork_is_refused(void** ctx) {
  (void)ctx;
  robot r = robot_open(
      "P = param('P', 10); k = param('k', 5); world.g = [0 0 -P]; body(1).m = 1; body(1).I = "
      "eye(3); body(1).l_com = [0 0 .5]; joint(1).second = 1; joint(1).tr.rot = [2 inf]; "
      "joint(1).dof(1).spring.coeff = k;\n");
  const td_by load = {TD_BY_PARAM, 0}, by = {TD_BY_PARAM, 1};
  double got, dq;
  const td_status status = td_limit_gradient(r.model, r.state, r.work, load, &by, 1, &got);
  assert_int_equal(status, TD_E_SINGULAR);
  assert_non_null(strstr(td_work_failure(r.work), "bifurcation"));
  assert_int_equal(
      td_equilibrium_gradient(r.model, r.state, r.work, &by, 1, &dq, NULL, NULL, NULL, NULL),
      TD_E_SINGULAR);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_pendulum_is_as_the_formula),
                                     cmocka_unit_test(modes_of_one_frequency_have_a_mean),
                                     cmocka_unit_test(modes_change_as_differences_do),
                                     cmocka_unit_test(linear_models_change_as_differences_do),
                                     cmocka_unit_test(the_load_of_a_truss_is_as_the_formula),
                                     cmocka_unit_test(a_pitchfork_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
