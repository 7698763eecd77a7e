// The tables of forces: every kind answers everything, and each kind alone obeys the laws that hold
// for any force.  A kind that is added to the lists needs a model here, or the first test fails.
#include "check.h"
#include "engine/force.h"
#include "engine/stages.h"
#include "robots.h"

#define CHAIN                                                                                  \
  "world.g = [0 0 0];\n"                                                                       \
  "for i = 1:2, body(i).m = 1; body(i).I = diag([.1 .12 .05]); body(i).l_com = [0 .1 -.3];\n"  \
  "joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [.1 .2 -.5*(i > 1)];\n" \
  "joint(i).type = 'spherical'; joint(i).dof(1).init = .3*i; end\n"
#define ROD                                                                                   \
  "world.g = [0 0 0]; rod(1).length = .5; rod(1).radius = .02; rod(1).E = 1e5; rod(1).rho = " \
  "900;\n"                                                                                    \
  "rod(1).n = 3; rod(1).damp.visc = [1 1 1 1 1 1]*1e-3; rod(1).damp.pow = 2;\n"

// A model in which each kind acts, in the order of the tables.
static const struct {
  const char *kind, *text;
} texts[] = {
    {"cable", ROD "cable(1).rod = 1; cable(1).path = [.01 0]; cable(1).pull = .02;\n"
                  "cable(1).stiffness = 500; cable(2).rod = 1; cable(2).path = [0 .012];\n"
                  "cable(2).tension = 3;\n"},
    {"fluid",
     ROD "fluid.rho = 1000; rod(1).fluid.drag = [1.2 1.2 .1]; fluid.velocity = [.2 .1 0];\n"},
    {"contact",
     CHAIN "contact(1).first = body(2); contact(1).second = 'plane';\n"
           "contact(1).point = [0 0 2]; contact(1).normal = [.1 .2 1];\n"
           "contact(1).stiffness = 100; contact(1).damping = 2; contact(1).friction = .3;\n"},
    {"hand", CHAIN},
    {"spring", CHAIN "joint(1).dof(1).spring.coeff = 3; joint(1).dof(2).damp.visc = .2;\n"
                     "joint(2).dof(3).input = .4; joint(2).dof(1).spring.coeff = 2;\n"},
    {"axial", CHAIN "joint(3).first = 0; joint(3).second = 2; joint(3).tr.trans = [1 0 0];\n"
                    "joint(3).spring.coeff = 50; joint(3).spring.init = .3;\n"
                    "joint(3).damp.visc = 2; joint(3).input = .5;\n"},
    {"beam",
     CHAIN "joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [.3 0 .1];\n"
           "joint(3).spring.coeff = [5 6 7 1 2 3]; joint(3).damp.visc = [1 1 1 .1 .1 .1];\n"},
    {"load", CHAIN "exload(1).exbody = 2; exload(1).ftau = [1 2 3 .1 .2 .3];\n"
                   "exload(2).exbody = 2; exload(2).refbody = 1; exload(2).ftau = [.4 .5 .6];\n"},
    {"strain", ROD},
    {"drag",
     "world.g = [0 0 0]; mesh(1).grid = [3 3]; mesh(1).size = [.4 .4];\n"
     "mesh(1).joint(2).spring.coeff = 10; mesh(1).body.m = .01; mesh(1).fluid.width = .01;\n"
     "fluid.rho = 1000; fluid.velocity = [.2 .1 0]; mesh(1).fluid.drag = [1.2 .1];\n"},
    {"magnet",
     CHAIN "magnet(1).on = 2; magnet(1).moment = [.3 -.2 .5]; magnet(1).field = [1 2 3];\n"
           "magnet(2).on = 1; magnet(2).moment = [.1 .4 0]; magnet(2).field = [2 0 t];\n"},
};
enum { KINDS = WHOLE_KINDS + FORCE_KINDS };

static bool filled(const void* table, size_t size) {
  void* const* entry = table;
  for (size_t i = 0; i < size / sizeof *entry; i++)
    if (!entry[i]) return false;
  return true;
}

static void every_kind_answers_everything(void** state) {
  (void)state;
  static const char* const names[KINDS] = {
#define X(kind) #kind,
      TD_WHOLE_FORCES(X)
#undef X
#define X(type, kind, text) #kind,
          TD_FORCES(X)
#undef X
  };
  assert_int_equal(sizeof texts / sizeof *texts, KINDS);
  for (int k = 0; k < KINDS; k++) {
    assert_string_equal(texts[k].kind, names[k]);
    assert_true(filled(td_force_table[k], sizeof(force_ops)));
  }
  for (int k = 0; k < WHOLE_KINDS; k++) assert_true(filled(td_whole_table[k], sizeof(whole_ops)));
  for (int k = 0; k < FORCE_KINDS; k++)
    assert_true(filled(td_element_table[k], sizeof(element_ops)));
}

static robot shaken(int k, uint64_t* seed) {
  robot r = robot_load(texts[k].text);
  robot_shake(&r, seed, 0.2);
  const double point[3] = {.1, -.05, .2}, target[3] = {.6, .4, -.3};
  if (k == WHOLE_hand)
    assert_int_equal(td_work_pull(r.model, r.work, 1, point, target, 40, 3), TD_OK);
  return r;
}

// What the wrenches of a kind do along the motion is its power beyond what it stores, less the rate
// of what it stores:  Σ f·V + τ·v = P - ∂E/∂q v.  The sums cancel to rounding of their terms.
static void work_is_stored_or_power(void** state) {
  (void)state;
  for (int k = 0; k < KINDS; k++)
    for (uint64_t seed = 1; seed < 4; seed++) {
      uint64_t s = seed;
      robot r = shaken(k, &s);
      td_model* m = r.model;
      td_work* w = r.work;
      double* zero = calloc((size_t)r.nv + 1, sizeof(double));
      td_enter(m, r.state, w);
      td_forces(m, w, FORCES_ALL);  // tensions and what touches are known
      td_tangent_columns(m, w, zero);

      memset(w->tau, 0, (size_t)m->nvel * sizeof(double));
      for (int i = 0; i < m->nhop; i++) w->hop[i].f = spatial_zero();
      td_force_table[k]->add(m, w, FORCES_ALL);
      double work = 0, size = 0, rate = 0;
      for (int i = 0; i < m->nhop; i++) {
        const double part = spatial_dot(&w->hop[i].f, &w->hop[i].V);
        work += part;
        size += fabs(part);
      }
      for (int i = 0; i < m->nvel; i++) {
        work += w->tau[i] * w->v[i];
        size += fabs(w->tau[i] * w->v[i]);
      }
      for (int c = 0; c < m->ncol; c++)
        if (m->col[c].leads) rate += td_force_table[k]->energy_diff(m, w, c) * w->v[m->col[c].v];
      const double power = td_force_table[k]->power(m, w, false);
      if (k != WHOLE_fluid && k != WHOLE_cable) {  // gravity's share; pieces carry what cables do
        assert_true(size > 0);
        CHECK_NEAR(work, power - rate, 1e-11 * (size + fabs(power) + fabs(rate)));
      }
      free(zero);
      robot_free(&r);
    }
}

// dF/dq and dF/dv against central differences of F, with each kind at work.
static void tangents_are_exact(void** state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    uint64_t seed = 5;
    robot r = shaken(k, &seed);
    const size_t n = (size_t)r.nv;
    double *dq = malloc(n * n * sizeof(double)), *dv = malloc(n * n * sizeof(double));
    double *zero = calloc(n, sizeof(double)), *step = malloc(n * sizeof(double));
    double* F[2] = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    double* q = malloc((size_t)r.nq * sizeof(double));
    memcpy(q, r.state->q, (size_t)r.nq * sizeof(double));
    assert_int_equal(td_tangent(r.model, r.state, r.work, zero, NULL, dq, dv), TD_OK);
    for (int j = 0; j < r.nv; j++)
      for (int rate = 0; rate < 2; rate++) {
        const double h = 1e-6;
        for (int side = 0; side < 2; side++) {
          memset(step, 0, n * sizeof(double));
          step[j] = side == 0 ? h : -h;
          if (rate) r.state->v[j] += step[j];
          if (!rate) td_displace(r.model, q, step, r.state->q);
          td_residual(r.model, r.state, r.work, zero, NULL, F[side]);
          if (rate) r.state->v[j] -= step[j];
          if (!rate) memcpy(r.state->q, q, (size_t)r.nq * sizeof(double));
        }
        double size = 0;
        for (int i = 0; i < r.nv; i++) size = fmax(size, fabs((rate ? dv : dq)[i * r.nv + j]));
        for (int i = 0; i < r.nv; i++)
          CHECK_NEAR((rate ? dv : dq)[i * r.nv + j], (F[0][i] - F[1][i]) / (2 * h),
                     1e-6 * fmax(1, size));
      }
    free(dq), free(dv), free(zero), free(step), free(F[0]), free(F[1]), free(q);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_answers_everything),
                                     cmocka_unit_test(work_is_stored_or_power),
                                     cmocka_unit_test(tangents_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
