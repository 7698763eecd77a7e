// Analyses of sparse models against the dense ones of the same model.
#include "../engine/nets.h"
#include "math/dense.h"
#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/time/dense_steps.h"
#include "solve/time/motion.h"
#include "solve/vectors.h"

enum { MODELS = ROBOT_COUNT + NET_COUNT };

static const char* text_of(int i) {
  return i < ROBOT_COUNT ? robot_texts[i] : net_texts[i - ROBOT_COUNT];
}
static const char* name_of(int i) {
  return i < ROBOT_COUNT ? robot_names[i] : net_names[i - ROBOT_COUNT];
}

static robot load_with(const char* text, const char* linear) {
  char* whole = malloc(strlen(text) + 64);
  sprintf(whole, "%spar.linear = '%s';\n", text, linear);
  const robot r = robot_load(whole);
  free(whole);
  return r;
}

static double* zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void same(const char* name, const char* what, const double* got, const double* want, int n,
                 double tol) {
  double error = 0, size = 1e-3;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    size = fmax(size, fabs(want[i]));
    if (!isfinite(got[i])) error = INFINITY;
  }
  if (!(error <= tol * size)) {
    print_error("%s: %s differs by %g of %g\n", name, what, error, size);
    fail();
  }
}

// (1 - γ J) x = b by the blocks and by the dense Jacobian, and J x: one table, two makers.
static void implicit_steps_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    robot d = load_with(text_of(i), "dense"), s = load_with(text_of(i), "sparse");
    uint64_t seed = 5;
    robot_shake(&d, &seed, 0.1);
    assert_int_equal(td_project_q(d.model, d.state, d.work, 1e-12), TD_OK);
    assert_int_equal(td_project_v(d.model, d.state, d.work), TD_OK);
    td_motion *dense, *sparse;
    assert_int_equal(td_motion_new(d.model, d.work, d.state, 1e-6, 1e-9, &dense), TD_OK);
    assert_int_equal(td_motion_new(s.model, s.work, d.state, 1e-6, 1e-9, &sparse), TD_OK);
    const int n = dense->ode.n;
    double *y = zeros(n + 1), *x = zeros(n), *want = zeros(n), *got = zeros(n);
    td_dense_steps* steps = td_dense_steps_new(&dense->ode);
    const td_step_ops *by_matrix = &td_dense_step_ops, *by_blocks = sparse->ode.linear;
    assert_non_null(steps);
    td_motion_pack(dense, y);
    for (int k = 0; k < n; k++) x[k] = check_random(&seed);
    assert_int_equal(by_matrix->linearise(steps, 0.3, y), TD_OK);
    assert_int_equal(by_blocks->linearise(sparse, 0.3, y), TD_OK);
    assert_int_equal(by_matrix->product(steps, x, want), TD_OK);
    assert_int_equal(by_blocks->product(sparse, x, got), TD_OK);
    same(name_of(i), "J x", got, want, n, 1e-8);
    for (int trial = 0; trial < 3; trial++) {
      const double gamma = pow(10, -1 - trial);
      memcpy(want, x, (size_t)n * sizeof(double));
      memcpy(got, x, (size_t)n * sizeof(double));
      assert_int_equal(by_matrix->factor(steps, gamma), TD_OK);
      by_matrix->solve(steps, want);
      assert_int_equal(by_blocks->factor(sparse, gamma), TD_OK);
      by_blocks->solve(sparse, got);
      same(name_of(i), "(1 - gamma J)^-1 x", got, want, n, 1e-8);
    }
    td_dense_steps_free(steps);
    td_motion_free(dense);
    td_motion_free(sparse);
    free(y);
    free(x);
    free(want);
    free(got);
    robot_free(&d);
    robot_free(&s);
  }
}

static void equilibria_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    robot r[2] = {load_with(text_of(i), "dense"), load_with(text_of(i), "sparse")};
    td_equil_result result[2];
    td_status status[2];
    for (int k = 0; k < 2; k++)
      status[k] = td_equilibrium(r[k].model, r[k].work, r[k].state, NULL, &result[k]);
    // robots that fall, or whose servos never rest, have none; others may have several
    if (status[0] == TD_OK && i >= ROBOT_COUNT) {
      assert_int_equal(status[1], TD_OK);
      same(name_of(i), "q", r[1].state->q, r[0].state->q, r[0].nq, 1e-9);
      same(name_of(i), "lambda", r[1].work->lambda, r[0].work->lambda, r[0].nrow, 1e-7);
      if (result[1].stability != TD_UNKNOWN)
        assert_int_equal(result[1].stability, result[0].stability);
      if (result[0].conservative && result[0].stability == TD_STABLE)
        same(name_of(i), "critical stiffness", &result[1].critical, &result[0].critical, 1, 1e-7);
    }
    robot_free(&r[0]);
    robot_free(&r[1]);
  }
}

// The lowest frequencies, shapes and damping of both; complex eigenvalues belong to the same set.
static void modes_agree(const char* name, const char* text) {
  robot r[2] = {load_with(text, "dense"), load_with(text, "sparse")};
  td_modes_result* m[2];
  td_equil_result found;
  assert_int_equal(td_equilibrium(r[0].model, r[0].work, r[0].state, NULL, &found), TD_OK);
  td_state_copy(r[0].model, r[0].state, r[1].state);
  for (int k = 0; k < 2; k++)
    assert_int_equal(td_modes(r[k].model, r[k].state, r[k].work, &m[k]), TD_OK);
  assert_true(m[1]->n >= 8);
  same(name, "omega", m[1]->omega, m[0]->omega, m[1]->n - 2, 1e-9);
  same(name, "zeta", m[1]->zeta, m[0]->zeta, m[1]->n - 2, 1e-6);
  assert_true(m[1]->ncomplex >= 8);
  for (int k = 0; k < m[1]->ncomplex; k++) {
    double nearest = INFINITY, size = hypot(m[1]->re[k], m[1]->im[k]);
    for (int j = 0; j < m[0]->ncomplex; j++)
      nearest = fmin(nearest, hypot(m[1]->re[k] - m[0]->re[j], m[1]->im[k] - m[0]->im[j]));
    if (!(nearest <= 1e-7 * size)) fail_msg("%s: %g of eigenvalue %g", name, nearest, size);
  }
  td_modes_free(m[0]);
  td_modes_free(m[1]);
  robot_free(&r[0]);
  robot_free(&r[1]);
}

static const char big_net[] =
    "world.g = [0 0 -9.81]; n = 6; a = .1; k = 0; j = 0;\n"
    "for y = 1:n, for x = 1:n\n"
    "  k = k + 1; body(k).m = .02; j = j + 1; joint(j).second = k;\n"
    "  joint(j).tr.trans = [inf inf inf]; joint(j).dof(1).init = a*x; joint(j).dof(2).init = a*y;\n"
    "end, end\n"
    "for y = 1:n, for x = 1:n+1\n"
    "  j = j + 1; joint(j).spring.coeff = 200; joint(j).spring.init = .9*a; "
    "joint(j).damp.along = 1; joint(j).damp.visc = "
    ".3;\n"
    "  if x > 1, joint(j).first = x - 1 + n*(y-1); else, joint(j).tr.trans = [0 a*y 0]; end\n"
    "  if x <= n, joint(j).second = x + n*(y-1); else, joint(j).second = 0; joint(j).tr2nd.trans = "
    "[a*x a*y 0]; end\n"
    "end, end\n"
    "for y = 2:n, for x = 1:n\n"
    "  j = j + 1; joint(j).first = x + n*(y-2); joint(j).second = x + n*(y-1);\n"
    "  joint(j).spring.coeff = 150; joint(j).spring.init = .95*a; joint(j).damp.visc = .1; "
    "joint(j).damp.along = 1;\n"
    "end, end\n";

// Every operation of the two makers of vibrations at one equilibrium: what they give as velocities,
// forces, eigenvalues and counts is the same, whatever their coordinates are.
static void makers_of_vibrations_agree(void** state) {
  (void)state;
  char held[sizeof big_net + 200];
  sprintf(held, "%sjoint(j+1).first = 8; joint(j+1).second = 30; joint(j+1).fixed = [0 0 1];\n",
          big_net);
  const char* const texts[] = {big_net, held};
  for (int i = 0; i < 2; i++) {
    const char* name = i == 0 ? "net" : "net with a constraint";
    robot r = load_with(texts[i], "sparse");
    td_equil_result found;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, NULL, &found), TD_OK);
    td_statics* s = NULL;
    double* q = NULL;
    assert_int_equal(td_statics_here(r.model, r.state, r.work, &s, &q), TD_OK);
    assert_true(s->dense && s->sparse != NULL);
    const double* l = q + s->nq;
    enum { COUNT = 8 };
    const int nv = s->nv;
    td_vibration* v[2];
    double *w[2], *shape[2], *momenta[2], *x[2], *y[2], *answer[2], *f = zeros(nv);
    uint64_t seed = 7;
    for (int j = 0; j < nv; j++) f[j] = check_random(&seed);
    for (int k = 0; k < 2; k++) {
      assert_int_equal((k == 0 ? td_vibration_dense : td_vibration_sparse)(s, q, l, 1, true, &v[k]),
                       TD_OK);
      const td_vibration_ops* ops = v[k]->ops;
      const int n = v[k]->n;
      int count = 0;
      w[k] = zeros(v[k]->most);
      x[k] = zeros((COUNT + 1) * n);
      y[k] = zeros(n);
      shape[k] = zeros(COUNT * nv);
      momenta[k] = zeros(COUNT * nv);
      answer[k] = zeros(nv);

      // natural modes are orthonormal in the mass, and their quotient of Rayleigh is w
      assert_int_equal(ops->natural(v[k], COUNT, w[k], x[k], &count), TD_OK);
      assert_int_equal(count, COUNT);
      for (int a = 0; a < COUNT; a++) {
        ops->multiply(v[k], VIBRATION_MASS, x[k] + a * n, y[k]);
        for (int b = 0; b < COUNT; b++) CHECK_NEAR(inner(x[k] + b * n, y[k], n), a == b, 1e-8);
        ops->multiply(v[k], VIBRATION_STIFFNESS, x[k] + a * n, y[k]);
        CHECK_NEAR(inner(x[k] + a * n, y[k], n), w[k][a], 1e-8 * w[k][COUNT - 1]);
        ops->expand(v[k], x[k] + a * n, shape[k] + a * nv);
      }

      // the answer to a force, and the force that it needs
      assert_int_equal(ops->factor(v[k], 2.5), TD_OK);
      ops->solve(v[k], f, x[k]);
      ops->expand(v[k], x[k], answer[k]);
      ops->momenta(v[k], COUNT, shape[0], momenta[k]);
    }
    same(name, "w", w[1], w[0], COUNT - 1, 1e-9);
    same(name, "answers to a force", answer[1], answer[0], nv, 1e-9);
    for (int j = 0; j < COUNT * nv; j++) CHECK_NEAR(momenta[1][j], momenta[0][j], 1e-12);

    // signs of the stiffness
    td_answer judged[2];
    int neutral[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      judged[k] = (td_answer){.stiffness = zeros(nv)};
      assert_int_equal(v[k]->ops->signs(v[k], &judged[k], &neutral[k]), TD_OK);
    }
    assert_int_equal(judged[1].divergent, judged[0].divergent);
    assert_int_equal(neutral[1] > 0, neutral[0] > 0);
    same(name, "least stiffness", &judged[1].critical, &judged[0].critical, 1, 1e-7);
    for (int k = 0; k < 2; k++) {
      td_vibration_free(v[k]);
      double* const lists[] = {
          w[k], x[k], y[k], shape[k], momenta[k], answer[k], judged[k].stiffness};
      for (int a = 0; a < 7; a++) free(lists[a]);
    }
    free(f);
    td_statics_free(s);
    free(q);
    robot_free(&r);
  }
}

// A block that floats beside a coordinate that diverges: the stiffness has a negative eigenvalue
// and six zeros, which must not drown the damped modes.
static void floating_modes_agree(void** state) {
  (void)state;
  static const char text[] =
      "world.g = [0 0 0]; mesh.fixed = 'none'; mesh.grid = [3 3 3]; mesh.size = [.04 .04 .04];\n"
      "mesh.body.m = 2e-3; mesh.joint(1).tr.trans = [inf inf inf];\n"
      "mesh.joint(2).spring.coeff = 300; mesh.joint(2).damp.visc = .1;\n"
      "mesh.joint(3).spring.coeff = 150; mesh.joint(3).damp.visc = .05;\n"
      "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];\n"
      "joint(1).dof.spring.coeff = -400;\n";
  robot r[2] = {load_with(text, "dense"), load_with(text, "sparse")};
  td_modes_result* m[2];
  for (int k = 0; k < 2; k++)
    assert_int_equal(td_modes(r[k].model, r[k].state, r[k].work, &m[k]), TD_OK);
  int growing = 0, compared = 0;
  for (int k = 0; k < m[1]->ncomplex; k++) {
    double nearest = INFINITY;
    const double size = hypot(m[1]->re[k], m[1]->im[k]);
    if (size < 1e-3) continue;  // double zeros are as large as the root of rounding
    for (int j = 0; j < m[0]->ncomplex; j++)
      nearest = fmin(nearest, hypot(m[1]->re[k] - m[0]->re[j], m[1]->im[k] - m[0]->im[j]));
    if (!(nearest <= 1e-6 * size)) fail_msg("%g of eigenvalue %g", nearest, size);
    growing += m[1]->re[k] > 0;
    compared++;
  }
  assert_int_equal(growing, 1);
  assert_true(compared >= 8);
  for (int k = 0; k < 2; k++) {
    td_modes_free(m[k]);
    robot_free(&r[k]);
  }
}

static void lowest_modes_agree(void** state) {
  (void)state;
  modes_agree("net", big_net);
  char* held = malloc(sizeof big_net + 200);
  sprintf(held, "%sjoint(j+1).first = 8; joint(j+1).second = 30; joint(j+1).fixed = [0 0 1];\n",
          big_net);
  modes_agree("net with a constraint", held);
  free(held);
}

static void trajectories_agree(void** state) {
  (void)state;
  for (int i = ROBOT_COUNT; i < MODELS; i++) {
    for (int solver = 0; solver < 2; solver++) {
      robot r[2] = {load_with(text_of(i), "dense"), load_with(text_of(i), "sparse")};
      td_trajectory* t[2];
      td_sim_options o = td_sim_options_default();
      o.t_final = 0.03;
      o.dt_out = 0.015;
      // corners of ropes make explicit errors some times the tolerance: well below what is asked
      o.rtol = solver == 0 ? 1e-12 : 1e-8;
      o.atol = 1e-12;
      o.solver = solver == 0 ? TD_SOLVER_EXPLICIT : TD_SOLVER_STIFF;
      for (int k = 0; k < 2; k++)
        assert_int_equal(td_simulate(r[k].model, r[k].work, r[k].state, &o, &t[k]), TD_OK);
      // BDF's steps depend on the last bits of its iteration: the runs agree within their error
      same(name_of(i), solver == 0 ? "explicit run" : "implicit run", r[1].state->q, r[0].state->q,
           r[0].nq, solver == 0 ? 1e-10 : 1e-6);
      const double e[2] = {td_trajectory_stats(t[0])->energy_error,
                           td_trajectory_stats(t[1])->energy_error};
      assert_true(fabs(e[1]) < 10 * fabs(e[0]) + 1e-7);
      td_trajectory_free(t[0]);
      td_trajectory_free(t[1]);
      robot_free(&r[0]);
      robot_free(&r[1]);
    }
  }
}

// A flat net without tension has no stiffness across: only continuation finds how it hangs.
static void a_slack_net_finds_its_shape(void** state) {
  (void)state;
  const char text[] =
      "world.g = [0 0 -9.81]; n = 60; a = .02; j = n;\n"
      "for k = 1:n, body(k).m = .01; joint(k).second = k; joint(k).tr.trans = [inf inf inf];\n"
      "joint(k).dof(1).init = a*k; end\n"
      "for k = 1:n+1, j = j + 1; joint(j).spring.coeff = 1000; joint(j).spring.init = a;\n"
      "if k > 1, joint(j).first = k-1; end\n"
      "if k <= n, joint(j).second = k; else, joint(j).second = 0; joint(j).tr2nd.trans = [a*k 0 "
      "0]; end\n"
      "end\n";
  robot r[2] = {load_with(text, "dense"), load_with(text, "sparse")};
  td_equil_result found[2];
  for (int k = 0; k < 2; k++) {
    assert_int_equal(td_equilibrium(r[k].model, r[k].work, r[k].state, NULL, &found[k]), TD_OK);
    assert_int_equal(found[k].stability, TD_STABLE);
  }
  same("slack", "q", r[1].state->q, r[0].state->q, r[0].nq, 1e-8);
  robot_free(&r[0]);
  robot_free(&r[1]);
}

// Columns that stand upright are equilibria, and Newton's method likes them.
static void an_unstable_equilibrium_is_told(void** state) {
  (void)state;
  const char text[] =
      "world.g = [0 0 -9.81]; n = 30; j = n;\n"
      "for k = 1:n, body(k).m = .1; body(k).I = 1e-3*eye(3); body(k).l_com = [0 0 .5];\n"
      "joint(k).second = k; joint(k).tr(1).trans = [k 0 0]; joint(k).tr(1).rot = [2 inf];\n"
      "joint(k).dof(1).spring.coeff = .2 + (k ~= 7); end\n"
      "for k = 1:n-1, j = j + 1; joint(j).first = k; joint(j).second = k+1; joint(j).spring.coeff "
      "= "
      "1e-3; joint(j).spring.init = nan; end\n";
  robot r[2] = {load_with(text, "dense"), load_with(text, "sparse")};
  td_equil_result found[2];
  for (int k = 0; k < 2; k++)
    assert_int_equal(td_equilibrium(r[k].model, r[k].work, r[k].state, NULL, &found[k]), TD_OK);
  assert_int_equal(found[0].stability, TD_DIVERGENCE);
  assert_int_equal(found[1].stability, TD_DIVERGENCE);
  same("columns", "critical", &found[1].critical, &found[0].critical, 1, 1e-8);
  robot_free(&r[0]);
  robot_free(&r[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(implicit_steps_agree),
      cmocka_unit_test(equilibria_agree),
      cmocka_unit_test(makers_of_vibrations_agree),
      cmocka_unit_test(lowest_modes_agree),
      cmocka_unit_test(floating_modes_agree),
      cmocka_unit_test(trajectories_agree),
      cmocka_unit_test(a_slack_net_finds_its_shape),
      cmocka_unit_test(an_unstable_equilibrium_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
