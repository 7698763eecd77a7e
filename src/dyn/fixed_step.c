// The classical Runge-Kutta step of order 4 on q' = N(q) v, v' = forward dynamics, with the
// integrated controls of constraint rows as further states.
#include <string.h>

#include "engine.h"

typedef struct rates {
  double *q, *v, *target;
} rates;

static rates rates_new(const td_model* m, arena* s) {
  return (rates){arena_doubles(s, m->npos), arena_doubles(s, m->nvel),
                 arena_doubles(s, 2 * m->ntarget)};
}

static td_status rates_at(const td_model* m, const td_state* state, td_work* w, rates* r) {
  TD_TRY(td_forward_dynamics(m, state, w));
  memcpy(r->v, w->vdot, (size_t)m->nvel * sizeof(double));
  memset(r->q, 0, (size_t)m->npos * sizeof(double));
  td_qdot(m, w->q, w->v, r->q);
  if (m->ntarget > 0) td_target_rates(m, state, w, td_targets(w), r->target);
  return TD_OK;
}

// state = start + h rate
static void move(const td_model* m, const rates* start, const rates* rate, double h,
                 td_state* state, td_work* w) {
  for (int i = 0; i < m->npos; i++) state->q[i] = start->q[i] + h * rate->q[i];
  for (int i = 0; i < m->nvel; i++) state->v[i] = start->v[i] + h * rate->v[i];
  for (int i = 0; i < 2 * m->ntarget; i++) {
    td_targets(w)[i] = start->target[i] + h * rate->target[i];
  }
}

static void add(const td_model* m, double weight, const rates* rate, rates* sum) {
  for (int i = 0; i < m->npos; i++) sum->q[i] += weight * rate->q[i];
  for (int i = 0; i < m->nvel; i++) sum->v[i] += weight * rate->v[i];
  for (int i = 0; i < 2 * m->ntarget; i++) sum->target[i] += weight * rate->target[i];
}

static td_status restore(const td_model* m, td_state* state, td_work* w) {
  td_normalise(m, state->q);
  td_prescribe(m, w, state);
  if (m->nrow == 0) return TD_OK;
  TD_TRY(td_project_q(m, state, w, 1e-10));
  TD_TRY(td_project_v(m, state, w));
  return td_taut_settle(m, state, w);
}

static td_status step(const td_model* m, td_state* state, td_work* w, double dt) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  arena* s = &w->scratch;
  rates start = rates_new(m, s), k = rates_new(m, s), sum = rates_new(m, s);
  const double t = state->t;
  memcpy(start.q, state->q, (size_t)m->npos * sizeof(double));
  memcpy(start.v, state->v, (size_t)m->nvel * sizeof(double));
  memcpy(start.target, td_targets(w), 2 * (size_t)m->ntarget * sizeof(double));
  memset(sum.q, 0, (size_t)m->npos * sizeof(double));
  memset(sum.v, 0, (size_t)m->nvel * sizeof(double));
  memset(sum.target, 0, 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < 4; i++) {
    if (i > 0) move(m, &start, &k, at[i] * dt, state, w);
    state->t = t + at[i] * dt;
    TD_TRY(rates_at(m, state, w, &k));
    add(m, weight[i], &k, &sum);
  }
  move(m, &start, &sum, dt, state, w);
  state->t = t + dt;
  return restore(m, state, w);
}

td_status td_fixed_step(const td_model* m, td_state* state, td_work* w, double dt) {
  const arena_mark mark = arena_open(&w->scratch);
  const td_status status = step(m, state, w, dt);
  arena_close(&w->scratch, mark);
  return status;
}
