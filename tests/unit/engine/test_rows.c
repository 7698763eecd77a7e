// The tables of constraint rows: every kind answers everything, and each kind alone obeys the laws
// that hold for any row.  A kind that is added to the list needs a model here, or the first test
// fails.
#include "check.h"
#include "engine/row_table.h"
#include "robots.h"

#define CHAIN                                                                                  \
  "world.g = [0 0 -1];\n"                                                                      \
  "for i = 1:2, body(i).m = 1; body(i).I = diag([.1 .12 .05]); body(i).l_com = [0 .1 -.3];\n"  \
  "joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [.1 .2 -.5*(i > 1)];\n" \
  "joint(i).type = 'free'; end\n"                                                              \
  "joint(3).first = 1; joint(3).second = 2; joint(3).axis = [.2 .3 1];\n"

// A model with rows of each kind, in the order of the list.
static const struct {
  const char *kind, *text;
} texts[] = {
    {"trans", CHAIN "joint(3).type = 'spherical';\n"},
    {"alpha", CHAIN "joint(3).type = 'planar';\n"},
    {"dot", CHAIN "joint(3).type = 'universal'; joint(3).axis = [1 0 .2; 0 1 .1];\n"},
    {"screw", CHAIN "joint(3).type = 'helical'; joint(3).pitch = .03;\n"},
    {"cable",
     "world.g = [0 0 0]; rod(1).length = .5; rod(1).radius = .02; rod(1).E = 1e5;\n"
     "rod(1).rho = 900; rod(1).n = 3; cable(1).rod = 1; cable(1).path = [.01 .003];\n"
     "cable(1).pull = .02;\n"},
};

static void every_kind_answers_everything(void** state) {
  (void)state;
  static const char* const names[ROW_KINDS] = {
#define X(kind, name, ...) #name,
      TD_ROWS(X)
#undef X
  };
  assert_int_equal(sizeof texts / sizeof *texts, ROW_KINDS);
  for (int k = 0; k < ROW_KINDS; k++) {
    assert_string_equal(texts[k].kind, names[k]);
    void* const* entry = (const void*)td_row_table[k];
    for (size_t i = 0; i < sizeof(row_ops) / sizeof *entry; i++) assert_non_null(entry[i]);
    if (row_has_frames((row_kind)k))
      assert_true(td_row_formulas[k]->value && td_row_formulas[k]->change);
  }
}

// A state off the constraints, with multipliers; the model has rows of the kind.
static robot shaken(int k, uint64_t* seed, double* lambda) {
  robot r = robot_load(texts[k].text);
  robot_shake(&r, seed, 0.2);
  bool found = false;
  for (int i = 0; i < r.nrow; i++) {
    found |= (int)r.model->row[i].kind == k;
    lambda[i] = check_random(seed) + 1.5;  // cables pull
  }
  assert_true(found);
  for (int i = 0; i < r.model->ncable; i++) r.work->cable[i].slack = false;
  return r;
}

enum { MOST_ROWS = 8, MOST = 32 };

// e' = J v, and the derivative of e along a displacement is J times it: central differences err by
// h² of third derivatives and rounding / h.
static void rates_follow_from_jacobians(void** state) {
  (void)state;
  for (int k = 0; k < ROW_KINDS; k++)
    for (uint64_t seed = 1; seed < 4; seed++) {
      uint64_t s = seed;
      double lambda[MOST_ROWS], J[MOST_ROWS * MOST], e[2][MOST_ROWS], rate[MOST_ROWS], q[MOST + 2];
      robot r = shaken(k, &s, lambda);
      assert_true(r.nrow <= MOST_ROWS && r.nv <= MOST && r.nq <= MOST + 2);
      memcpy(q, r.state->q, (size_t)r.nq * sizeof(double));
      td_enter(r.model, r.state, r.work);
      td_row_jacobian(r.model, r.work, J);
      for (int i = 0; i < r.nrow; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < r.nv; j++) sum += J[i * r.nv + j] * r.state->v[j];
        for (int j = 0; j < r.nv; j++) size += fabs(J[i * r.nv + j] * r.state->v[j]);
        rate[i] = td_row_at(r.model, r.work, i).ed;
        CHECK_NEAR(rate[i], sum, 1e-13 * fmax(1, size));
      }
      for (int side = 0; side < 2; side++) {
        const double h = side == 0 ? 1e-5 : -1e-5;
        double step[MOST];
        for (int j = 0; j < r.nv; j++) step[j] = h * r.state->v[j];
        td_displace(r.model, q, step, r.state->q);
        td_enter(r.model, r.state, r.work);
        for (int i = 0; i < r.nrow; i++) e[side][i] = td_row_at(r.model, r.work, i).e;
      }
      for (int i = 0; i < r.nrow; i++) CHECK_NEAR(rate[i], (e[0][i] - e[1][i]) / 2e-5, 1e-8);
      robot_free(&r);
    }
}

// Derivatives of the multipliers' forces, and of accelerations less drives, against central
// differences.
static void tangents_are_exact(void** state) {
  (void)state;
  for (int k = 0; k < ROW_KINDS; k++) {
    uint64_t seed = 5;
    double lambda[MOST_ROWS], q[MOST + 2], a[MOST];
    robot r = shaken(k, &seed, lambda);
    const size_t n = (size_t)r.nv;
    double dq[MOST * MOST], dv[MOST * MOST], cq[MOST_ROWS * MOST], cv[MOST_ROWS * MOST];
    for (int j = 0; j < r.nv; j++) a[j] = check_random(&seed);
    memcpy(q, r.state->q, (size_t)r.nq * sizeof(double));
    assert_int_equal(td_tangent(r.model, r.state, r.work, a, lambda, dq, dv), TD_OK);
    td_constraint_tangent(r.model, r.state, r.work, a, cq, cv);
    for (int j = 0; j < r.nv; j++)
      for (int rate = 0; rate < 2; rate++) {
        double F[2][MOST], g[2][MOST_ROWS];
        for (int side = 0; side < 2; side++) {
          double step[MOST] = {0};
          step[j] = side == 0 ? 1e-6 : -1e-6;
          if (rate) r.state->v[j] += step[j];
          if (!rate) td_displace(r.model, q, step, r.state->q);
          td_residual(r.model, r.state, r.work, a, lambda, F[side]);
          td_enter(r.model, r.state, r.work);
          td_accelerate(r.model, r.work, a, false);
          for (int i = 0; i < r.nrow; i++) {
            const row_value at = td_row_at(r.model, r.work, i);
            g[side][i] = at.edd - td_row_drive(r.model, r.work, i, &at);
          }
          if (rate) r.state->v[j] -= step[j];
          if (!rate) memcpy(r.state->q, q, (size_t)r.nq * sizeof(double));
        }
        double size = 1;
        for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs((rate ? dv : dq)[i]));
        for (int i = 0; i < r.nv; i++)
          CHECK_NEAR((rate ? dv : dq)[i * r.nv + j], (F[0][i] - F[1][i]) / 2e-6, 1e-7 * size);
        size = 1;
        for (int i = 0; i < r.nrow * r.nv; i++) size = fmax(size, fabs((rate ? cv : cq)[i]));
        for (int i = 0; i < r.nrow; i++)
          CHECK_NEAR((rate ? cv : cq)[i * r.nv + j], (g[0][i] - g[1][i]) / 2e-6, 1e-7 * size);
      }
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_answers_everything),
                                     cmocka_unit_test(rates_follow_from_jacobians),
                                     cmocka_unit_test(tangents_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
