// Slopes along the change of an equilibrium by differences of order 8 (slope.h).
#include "solve/gradient/slope.h"

#include <math.h>

#include "model/model.h"
#include "solve/vectors.h"

// Largest part of a parameter, of an angle or of the robot's size that a step changes.
static const double largest_part = 0.02;
enum { MOST_STEPS = 7 };

// First step: within `largest_part` of the parameter and of the coordinates.
static double first_step(const td_rest* r, td_by by, const td_change* c) {
  const td_statics* s = r->s;
  double value = 0, step = INFINITY;
  if (by.kind == TD_BY_PARAM) value = td_work_param(s->model, s->work, by.index);
  if (by.kind == TD_BY_INPUT) value = s->state->u[by.index];
  if (by.kind == TD_BY_INTERNAL) value = s->state->z[by.index];
  if (value != 0) step = largest_part * fabs(value);
  const double moved = largest(c->q, (size_t)s->nv);
  if (moved > 0) step = fmin(step, 4 * largest_part / moved);
  // a zero that moves nothing: any number is as good
  return (isfinite(step) ? step : largest_part) / 4;
}

// Go to the point a distance h along the change.
static td_status displace(td_rest* r, td_by by, const td_change* c, const td_state* from,
                          double value, double h, double* dq, double* lambda) {
  td_statics* s = r->s;
  const td_model* m = s->model;
  for (int i = 0; i < s->nv; i++) dq[i] = h * c->q[i];
  TD_TRY(td_trial_displace(m, from->q, dq, s->state->q));
  for (int i = 0; i < m->ninput; i++) s->state->u[i] = from->u[i] + h * c->u[i];
  for (int i = 0; i < m->ninternal; i++) s->state->z[i] = from->z[i] + h * c->u[m->ninput + i];
  if (by.kind == TD_BY_PARAM) td_work_put_param(m, s->work, by.index, value + h);
  for (int i = 0; i < s->m; i++) lambda[i] = r->l[i] + h * c->lambda[i];
  td_statics_motion(s);
  return TD_OK;
}

td_status td_rest_slope(td_rest* r, td_by by, const td_change* c, const td_sampled* what,
                        double* slope, double* error) {
  static const double eighth[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280},
                      sixth[4] = {3. / 4, -3. / 20, 1. / 60, 0};
  td_statics* s = r->s;
  const td_model* m = s->model;
  const size_t n = (size_t)what->count;
  double* block = malloc(sizeof(double) * (3 * n + (size_t)(s->nv + s->m) + 1));
  td_state* from = td_state_new(m);
  if (!block || !from) {
    free(block);
    td_state_free(from);
    return TD_E_NOMEM;
  }
  double *at = block, *high = at + n, *low = high + n, *dq = low + n, *lambda = dq + s->nv;
  td_state_copy(m, s->state, from);
  const double value = by.kind == TD_BY_PARAM ? td_work_param(m, s->work, by.index) : 0;
  double h = first_step(r, by, c);
  *error = INFINITY;
  td_status status = TD_OK;

  // shorter steps until both orders agree, and then as long as they agree better
  for (int k = 0; k < MOST_STEPS && status == TD_OK && *error > 1e-10; k++, h /= 8) {
    memset(high, 0, 2 * sizeof(double) * n);
    for (int i = 1; i <= 4 && status == TD_OK; i++)
      for (int side = -1; side <= 1 && status == TD_OK; side += 2) {
        status = displace(r, by, c, from, value, side * i * h, dq, lambda);
        if (status == TD_OK) status = what->values(what->ctx, r, lambda, at);
        for (size_t j = 0; j < n && status == TD_OK; j++) {
          high[j] += side * eighth[i - 1] * at[j] / h;
          low[j] += side * sixth[i - 1] * at[j] / h;
        }
      }
    if (status == TD_E_NOMEM) break;
    // a point that cannot be evaluated is too far away
    const double apart = status == TD_OK ? what->apart(what->ctx, high, low) : INFINITY;
    status = TD_OK;
    if (k > 0 && isfinite(*error) && !(apart < *error)) break;
    if (!(apart < *error)) continue;
    *error = apart;
    memcpy(slope, high, sizeof(double) * n);
  }

  // back to where it was
  if (by.kind == TD_BY_PARAM) td_work_put_param(m, s->work, by.index, value);
  td_state_copy(m, from, s->state);
  td_statics_motion(s);
  free(block);
  td_state_free(from);
  return status;
}

td_status td_refuse_slope(td_rest* r, const char* what, td_by by, double error) {
  td_work_fail(
      r->s->work,
      "the derivative of %s by '%s' cannot be told: differences of two orders are apart by "
      "%.2g of it; something one-sided begins or ends to act there, or it has no slope",
      what, td_by_name(r->s->model, by), error);
  return TD_E_DIVERGED;
}
