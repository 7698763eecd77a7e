// The table of strains of rod pieces: every kind answers everything, and each obeys the laws that
// hold for any.  A kind that is added to the list needs a model here, or the first test fails.
#include "check.h"
#include "engine/strain_table.h"
#include "robots.h"

#define ROD(model)                                                                            \
  "world.g = [0 0 0]; rod(1).length = .5; rod(1).radius = .02; rod(1).E = 1e5; rod(1).rho = " \
  "900;\nrod(1).n = 3; rod(1).modes = [1 1 1 1 1 1]; rod(1).model = '" model "';\n"

// A rod with strains of each kind, in the order of the list.
static const struct {
  const char *kind, *text;
} texts[] = {{"dof", ROD("srl")},
             {"segment", ROD("eba")},
             {"polynomial", ROD("rom")},
             {"basis", ROD("gvs")}};

static void every_kind_answers_everything(void** state) {
  (void)state;
  static const char* const names[STRAIN_KINDS] = {
#define X(kind, name, ...) #name,
      TD_STRAINS(X)
#undef X
  };
  assert_int_equal(sizeof texts / sizeof *texts, STRAIN_KINDS);
  for (int k = 0; k < STRAIN_KINDS; k++) {
    assert_string_equal(texts[k].kind, names[k]);
    void* const* entry = (const void*)td_strain_ops_table[k];
    for (size_t i = 0; i < sizeof(strain_ops) / sizeof *entry; i++) assert_non_null(entry[i]);
  }
}

enum { MOST = 64 };

// Forces on the strains work along the motion with  l s·χ';  series begin with strains and rates;
// both at the rounding of strains near 1 over lengths of some centimetres.
static void forces_work_along_strain_rates(void** state) {
  (void)state;
  for (int k = 0; k < STRAIN_KINDS; k++) {
    uint64_t seed = 7;
    robot r = robot_load(texts[k].text);
    robot_shake(&r, &seed, 0.2);
    const td_model* m = r.model;
    td_work* w = r.work;
    td_enter(m, r.state, w);
    assert_true(m->nstrain > 0 && r.nv <= MOST);
    for (int i = 0; i < m->nstrain; i++) {
      const model_strain* f = &m->strain[i];
      assert_int_equal(f->kind, k);
      double x[6], u[6], s[6], tau[MOST] = {0}, work = 0, size = 0, expected = 0;
      spatial on[256];
      assert_true(m->nhop <= 256);
      for (int h = 0; h < m->nhop; h++) on[h] = spatial_zero();
      for (int d = 0; d < 6; d++) s[d] = check_random(&seed);
      strain_of(f)->state(m, w, f, x, u);
      strain_of(f)->collect(m, w, f, s, on, sizeof *on, tau);
      for (int h = 0; h < m->nhop; h++) {
        work += spatial_dot(&on[h], &w->hop[h].V);
        size += fabs(spatial_dot(&on[h], &w->hop[h].V));
      }
      for (int j = 0; j < r.nv; j++) {
        work += tau[j] * w->v[j];
        size += fabs(tau[j] * w->v[j]);
      }
      for (int d = 0; d < 6; d++) expected += piece_length(w, f) * s[d] * u[d];
      CHECK_NEAR(work, expected, 1e-13 * fmax(1, size));

      taylor series[6];
      const strain_direction none = {-1, -1, false};
      td_accelerate(m, w, w->v, false);
      memcpy(w->accel, w->v, (size_t)r.nv * sizeof(double));
      strain_of(f)->series(m, w, f, &none, series);
      for (int d = 0; d < 6; d++) {
        CHECK_NEAR(series[d].x, x[d], 1e-12 * fmax(1, fabs(x[d])));
        CHECK_NEAR(series[d].d, u[d], 1e-11 * fmax(1, fabs(u[d])));
      }
    }
    robot_free(&r);
  }
}

// χ' = Σ ∂χ/∂q v over the columns.
static void rates_are_derivatives_along_the_motion(void** state) {
  (void)state;
  for (int k = 0; k < STRAIN_KINDS; k++) {
    uint64_t seed = 9;
    robot r = robot_load(texts[k].text);
    robot_shake(&r, &seed, 0.2);
    const td_model* m = r.model;
    td_work* w = r.work;
    double zero[MOST] = {0};
    td_enter(m, r.state, w);
    td_tangent_columns(m, w, zero);
    for (int i = 0; i < m->nstrain; i++) {
      double x[6], u[6], dx[6], sum[6] = {0}, size[6] = {0};
      strain_of(&m->strain[i])->state(m, w, &m->strain[i], x, u);
      for (int c = 0; c < m->ncol; c++) {
        if (!m->col[c].leads) continue;
        strain_of(&m->strain[i])->strains_diff(m, w, &m->strain[i], c, dx);
        for (int d = 0; d < 6; d++) {
          sum[d] += dx[d] * w->v[m->col[c].v];
          size[d] += fabs(dx[d] * w->v[m->col[c].v]);
        }
      }
      for (int d = 0; d < 6; d++) CHECK_NEAR(u[d], sum[d], 1e-12 * fmax(1, size[d]));
    }
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_answers_everything),
                                     cmocka_unit_test(forces_work_along_strain_rates),
                                     cmocka_unit_test(rates_are_derivatives_along_the_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
