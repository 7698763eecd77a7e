// The directional derivative of the residual: along coordinates, rates, accelerations and
// multipliers against the tangents, and along every number of the model against differences of
// order 8 of the residual itself, on robots that use every element.
#include "engine/direction.h"
#include "robots.h"
#include "shaped.h"

enum { MOST = 512 };
static double accelerations[MOST], multipliers[MOST];

static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double distance(const double* x, const double* y, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

static robot load(int i, uint64_t* seed) {
  robot r = robot_load(robot_texts[i]);
  assert_true(r.nv <= MOST && r.nrow <= MOST);
  robot_shake(&r, seed, 0.3);
  for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(seed);
  for (int k = 0; k < r.nrow; k++) multipliers[k] = check_random(seed);
  return r;
}

// ---- along the state --------------------------------------------------------------------------

static void test_along_the_state_it_is_the_tangents(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 11;
    robot r = load(i, &seed);
    const int n = r.nv;
    double dq[MOST], dv[MOST], da[MOST], dl[MOST], got[MOST], want[MOST] = {0};
    double *Kq = malloc(sizeof(double) * (size_t)(n * n)),
           *Kv = malloc(sizeof(double) * (size_t)(n * n)),
           *M = malloc(sizeof(double) * (size_t)(n * n)),
           *J = malloc(sizeof(double) * (size_t)(r.nrow * n + 1));
    for (int k = 0; k < n; k++) {
      // what is prescribed does not move
      const bool free = r.model->vel[k].motion == NUM_NONE;
      dq[k] = free ? check_random(&seed) : 0;
      dv[k] = free ? check_random(&seed) : 0;
      da[k] = check_random(&seed);
    }
    for (int k = 0; k < r.nrow; k++) dl[k] = check_random(&seed);
    td_tangent(r.model, r.state, r.work, accelerations, multipliers, Kq, Kv);
    td_mass_matrix(r.model, r.state, r.work, M);
    td_constraints(r.model, r.state, r.work, J, NULL, NULL);
    for (int k = 0; k < n; k++) {
      for (int l = 0; l < n; l++)
        want[k] += Kq[k * n + l] * dq[l] + Kv[k * n + l] * dv[l] + M[k * n + l] * da[l];
      for (int l = 0; l < r.nrow; l++) want[k] -= J[l * n + k] * dl[l];
    }
    const td_direction along = {.q = dq, .v = dv, .a = da, .lambda = dl};
    assert_int_equal(
        td_residual_diff(r.model, r.state, r.work, &along, accelerations, multipliers, got), TD_OK);
    CHECK_REACHED(robot_names[i], distance(got, want, n) / largest(want, n), 1e-11);
    free(Kq);
    free(Kv);
    free(M);
    free(J);
    robot_free(&r);
  }
}

// ---- along the numbers ------------------------------------------------------------------------

// Central differences of order 8 of the residual along a direction of the numbers.
static void differences(robot* r, const double* kept, const double* d, double h, double* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  td_model* m = r->model;
  double F[MOST];
  memset(out, 0, sizeof(double) * (size_t)r->nv);
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int i = 0; i < m->nnumber; i++) m->number[i] = kept[i] + sign * s * h * d[i];
      r->work->dirty = true;
      td_residual(m, r->state, r->work, accelerations, multipliers, F);
      for (int i = 0; i < r->nv; i++) out[i] += sign * weight[s - 1] * F[i] / h;
    }
  memcpy(m->number, kept, sizeof(double) * (size_t)m->nnumber);
  r->work->dirty = true;
}

// Differences with the step for which this and the next smaller one agree best; returns by how much
// these two differ, which is what the differences themselves are uncertain by.
static double best_differences(robot* r, const double* kept, const double* d, double* out) {
  double now[MOST], before[MOST], best = INFINITY;
  for (int k = 0; k < 8; k++) {
    differences(r, kept, d, 3e-2 * pow(0.4, k), now);
    const double apart = k > 0 ? distance(now, before, r->nv) : INFINITY;
    if (!(apart > best)) {
      best = apart;
      memcpy(out, now, sizeof now);
    }
    memcpy(before, now, sizeof now);
  }
  return best;
}

// Numbers that have to stay: an exponent decides which rule a contact is integrated by.
static void hold(const td_model* m, double* d) {
  for (int i = 0; i < m->ncontact; i++) d[m->contact[i].law + 2] = 0;
  for (int i = 0; i < m->nlump; i++)  // inertias are symmetric
    for (int k = 0; k < 9; k++) {
      double *a = &d[m->lump[i].I + k], *b = &d[m->lump[i].I + 3 * (k % 3) + k / 3];
      *a = *b = 0.5 * (*a + *b);
    }
}

enum { GROUPS = CHECK_SANITIZED ? 2 : 8 };  // each takes fifteen times as long under sanitizers
static void test_along_the_numbers_it_is_the_differences(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 7;
    robot r = load(i, &seed);
    td_model* m = r.model;
    const size_t bytes = sizeof(double) * (size_t)m->nnumber;
    double *kept = malloc(bytes), *d = malloc(bytes), got[MOST], want[MOST], F[MOST], worst = 0;
    td_residual(m, r.state, r.work, accelerations, multipliers, F);
    memcpy(kept, m->number, bytes);
    for (int group = 0; group < 2 * GROUPS; group++) {
      // a third of all numbers that are not 0, then of those that are
      const bool zeros = group >= GROUPS;
      for (int k = 0; k < m->nnumber; k++) {
        const double x = check_random(&seed);
        const bool own = m->constant[k] && isfinite(kept[k]) && (kept[k] == 0) == zeros;
        d[k] = own && check_random(&seed) > 0.3 ? x * (zeros ? 1e-2 : kept[k]) : 0;
      }
      hold(m, d);
      const double uncertain = best_differences(&r, kept, d, want);
      const td_direction along = {.n = d};
      td_residual_diff(m, r.state, r.work, &along, accelerations, multipliers, got);
      const double size = fmax(largest(want, r.nv), 1e-3 * largest(F, r.nv));
      worst = fmax(worst, fmax(0, distance(got, want, r.nv) - 3 * uncertain) / size);
    }
    // two steps may agree by chance: differences reach 4e-10 of the largest force, where masses and
    // arms of the pendulum nearly cancel
    CHECK_REACHED(robot_names[i], worst, 1e-8);
    free(kept);
    free(d);
    robot_free(&r);
  }
}

// ---- constraints ------------------------------------------------------------------------------

// Values and rates less their targets, accelerations less what drives them, one behind the other.
static void row_numbers_at(robot* r, const double* target, double* out) {
  const td_model* m = r->model;
  td_work* w = r->work;
  td_enter(m, r->state, w);
  // what control has brought about is part of the state
  memcpy(w->target, target, sizeof(double) * 2 * (size_t)m->ntarget);
  td_accelerate(m, w, accelerations, false);
  for (int i = 0; i < r->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    out[i] = v.e - e;
    out[r->nrow + i] = v.ed - ed;
    out[2 * r->nrow + i] = v.edd - td_row_drive(m, w, i, &v);
  }
}

static void row_differences(robot* r, const double* kept, const double* d, double h, double* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  td_model* m = r->model;
  double x[3 * MOST], target[2 * MOST];
  memcpy(target, r->work->target, sizeof(double) * 2 * (size_t)m->ntarget);
  memset(out, 0, sizeof x);
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int i = 0; i < m->nnumber; i++) m->number[i] = kept[i] + sign * s * h * d[i];
      r->work->dirty = true;
      row_numbers_at(r, target, x);
      for (int i = 0; i < 3 * r->nrow; i++) out[i] += sign * weight[s - 1] * x[i] / h;
    }
  memcpy(m->number, kept, sizeof(double) * (size_t)m->nnumber);
  r->work->dirty = true;
  row_numbers_at(r, target, x);
}

static void test_constraints_change_as_their_differences(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 7;
    robot r = load(i, &seed);
    td_model* m = r.model;
    const int n = r.nv, rows = r.nrow;
    if (rows == 0) {
      robot_free(&r);
      continue;
    }
    td_taut_all(m, r.work, true);

    // along the state: the tangents
    double dq[MOST], dv[MOST], da[MOST], got[3 * MOST], want[3 * MOST] = {0};
    const size_t bytes = sizeof(double) * (size_t)(rows * n);
    double *J = malloc(bytes), *Kq = malloc(bytes), *Kv = malloc(bytes);
    for (int k = 0; k < n; k++) {
      const bool moves = m->vel[k].motion == NUM_NONE;
      dq[k] = moves ? check_random(&seed) : 0;
      dv[k] = moves ? check_random(&seed) : 0;
      da[k] = check_random(&seed);
    }
    td_constraints(m, r.state, r.work, J, NULL, NULL);
    td_constraint_tangent(m, r.state, r.work, accelerations, Kq, Kv);
    for (int k = 0; k < rows; k++)
      for (int l = 0; l < n; l++) {
        want[k] += J[k * n + l] * dq[l];
        want[rows + k] += Kq[k * n + l] * dq[l] + Kv[k * n + l] * dv[l] + J[k * n + l] * da[l];
      }
    const td_direction along = {.q = dq, .v = dv, .a = da};
    td_constraints_diff(m, r.state, r.work, &along, accelerations, got, NULL, got + rows);
    char what[64];
    snprintf(what, sizeof what, "%s, state", robot_names[i]);
    CHECK_REACHED(what, distance(got, want, 2 * rows) / largest(want, 2 * rows), 1e-11);

    // along the numbers: differences
    double *kept = malloc(sizeof(double) * (size_t)m->nnumber),
           *d = malloc(sizeof(double) * (size_t)m->nnumber), worst = 0;
    memcpy(kept, m->number, sizeof(double) * (size_t)m->nnumber);
    for (int group = 0; group < GROUPS; group++) {
      for (int k = 0; k < m->nnumber; k++) {
        const bool own = m->constant[k] && isfinite(kept[k]) && check_random(&seed) > 0;
        d[k] = own ? check_random(&seed) * fmax(fabs(kept[k]), 1e-2) : 0;
      }
      hold(m, d);
      double now[3 * MOST], before[3 * MOST], best = INFINITY;
      for (int k = 0; k < 8; k++) {
        row_differences(&r, kept, d, 1e-2 * pow(0.4, k), now);
        const double apart = k > 0 ? distance(now, before, 3 * rows) : INFINITY;
        if (!(apart > best)) memcpy(want, now, sizeof now), best = apart;
        memcpy(before, now, sizeof now);
      }
      const td_direction numbers = {.n = d};
      td_constraints_diff(m, r.state, r.work, &numbers, accelerations, got, got + rows,
                          got + 2 * rows);
      worst = fmax(worst, distance(got, want, 3 * rows) / fmax(largest(want, 3 * rows), 1e-2));
    }
    snprintf(what, sizeof what, "%s, numbers", robot_names[i]);
    CHECK_REACHED(what, worst, 1e-9);
    free(J);
    free(Kq);
    free(Kv);
    free(kept);
    free(d);
    robot_free(&r);
  }
}

// ---- along parameters -------------------------------------------------------------------------

// The residual as a function of a parameter, by differences of order 8.
static void parameter_differences(robot* r, int p, double h, double* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double at = r->work->vars[r->model->param[p].var];
  double F[MOST];
  memset(out, 0, sizeof(double) * (size_t)r->nv);
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      td_work_put_param(r->model, r->work, p, at + sign * s * h);
      td_residual(r->model, r->state, r->work, accelerations, multipliers, F);
      for (int i = 0; i < r->nv; i++) out[i] += sign * weight[s - 1] * F[i] / h;
    }
  td_work_put_param(r->model, r->work, p, at);
}

static void test_along_parameters_it_is_the_differences(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++) {
    robot r = robot_load(shaped[i].text);
    uint64_t seed = 7;
    assert_true(r.nv <= MOST && r.nrow <= MOST);
    robot_shake(&r, &seed, 0.3);
    for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(&seed);
    for (int k = 0; k < r.nrow; k++) multipliers[k] = check_random(&seed);
    for (int p = 0; p < r.model->nparam; p++) {
      if (r.model->param[p].structural)
        fail_msg("%s of %s is structure", td_model_param_name(r.model, p), shaped[i].name);
      double got[MOST], want[MOST], now[MOST], before[MOST], best = INFINITY;
      for (int k = 0; k < 9; k++) {
        parameter_differences(&r, p, 2e-2 * pow(0.4, k) * r.model->param[p].value, now);
        const double apart = k > 0 ? distance(now, before, r.nv) : INFINITY;
        if (apart < best) memcpy(want, now, sizeof want), best = apart;
        memcpy(before, now, sizeof now);
      }
      td_param_derivative(r.model, r.state, r.work, p, accelerations, multipliers, got);
      char what[64];
      snprintf(what, sizeof what, "%s by %s", shaped[i].name, td_model_param_name(r.model, p));
      assert_true(largest(want, r.nv) > 0);
      CHECK_REACHED(what, distance(got, want, r.nv) / largest(want, r.nv), 1e-9);
    }
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_along_the_state_it_is_the_tangents),
      cmocka_unit_test(test_along_the_numbers_it_is_the_differences),
      cmocka_unit_test(test_constraints_change_as_their_differences),
      cmocka_unit_test(test_along_parameters_it_is_the_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
