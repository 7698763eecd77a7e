// How the rates of a motion change along directions of everything they depend on
// (residual_diff.c): v' and the multipliers from the equations of motion, rates of internal states
// from their numbers.  The transpose is in residual_reverse.c.
#include <string.h>

#include "engine/direction.h"
#include "engine/system.h"

// Changes of prescribed accelerations (nvel, zero elsewhere) and of the rates of internal states
// along a direction: both are numbers of the model.
static void number_changes(const td_model* m, const td_state* state, td_work* w,
                           const td_direction* along, const double* accel, double* held,
                           double* rates) {
  const arena_mark mark = arena_open(&w->scratch);
  td_along_begin(m, state, w, along, accel, true);
  for (int i = 0; i < m->nvel && m->nmotion_slot > 0; i++)
    if (m->vel[i].motion != NUM_NONE) held[i] = w->dnum[m->vel[i].motion + 2];
  for (int i = 0; rates && i < m->ninternal; i++) rates[i] = w->dnum[m->internal_rate + i];
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
}

// Changes of v', multipliers and rates along k directions at one state, from
//
//   M δv' - Jᵀ δλ = -δF      J δv' = -δd      d: accelerations of the rows less what drives them
//
// with δF and δd at constant v' and λ; prescribed accelerations change by what their numbers do.
td_status td_rates_diff(const td_model* m, const td_state* state, td_work* w,
                        const td_direction* along, int k, double* a, double* lambda,
                        double* rates) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, nr = m->nrow;
  double *accel = arena_doubles(s, nv), *l = arena_doubles(s, nr), *held = arena_zeros(s, nv),
         *f = arena_doubles(s, nv), *g = arena_doubles(s, nr), *x = arena_doubles(s, nv),
         *dl = arena_doubles(s, nr);

  // v' and multipliers at the state
  td_status status = td_trial_dynamics(m, state, w);
  memcpy(accel, w->vdot, (size_t)nv * sizeof(double));
  if (nr > 0) memcpy(l, w->lambda, (size_t)nr * sizeof(double));

  // right-hand sides, direction by direction: -δF in the rows of a, -δd in those of lambda
  for (int j = 0; j < k && status == TD_OK; j++) {
    td_direction to = along[j];
    if (m->nmotion_slot > 0 || (rates && m->ninternal > 0))
      number_changes(m, state, w, &to, accel, held, rates ? rates + j * m->ninternal : NULL);
    to.a = held;
    to.lambda = NULL;
    td_residual_diff(m, state, w, &to, accel, l, a + j * nv);
    if (nr > 0) td_constraints_diff(m, state, w, &to, accel, NULL, NULL, lambda + j * nr);
    // prescribed accelerations are not solved for: their changes wait in the right-hand side
    for (int i = 0; i < nv; i++)
      a[j * nv + i] = m->vel[i].motion != NUM_NONE ? held[i] : -a[j * nv + i];
    for (int i = 0; i < nr; i++) lambda[j * nr + i] = -lambda[j * nr + i];
  }

  // one set of factors for all
  if (status == TD_OK) status = td_trial_dynamics(m, state, w);
  td_system system;
  if (status == TD_OK) status = system_factor(m, w, SYSTEM_MOTION, &system);
  for (int j = 0; j < k && status == TD_OK; j++) {
    for (int i = 0; i < nv; i++) f[i] = m->vel[i].motion != NUM_NONE ? 0 : a[j * nv + i];
    if (nr > 0) memcpy(g, lambda + j * nr, (size_t)nr * sizeof(double));
    system_solve(m, w, &system, f, nr > 0 ? g : NULL, 1, x, nr > 0 ? dl : NULL);
    for (int i = 0; i < nv; i++)
      if (m->vel[i].motion == NUM_NONE) a[j * nv + i] = x[i];
    if (nr > 0) memcpy(lambda + j * nr, dl, (size_t)nr * sizeof(double));
  }
  arena_close(s, mark);
  return status;
}

void td_prescribe_diff(const td_model* m, const td_state* state, td_work* w,
                       const td_direction* along, double* q, double* v) {
  if (m->nmotion_slot == 0) return;
  const arena_mark mark = arena_open(&w->scratch);
  const direction* d = td_along_begin(m, state, w, along, NULL, false);
  for (int i = 0; i < m->nvel; i++) {
    if (m->vel[i].motion == NUM_NONE) continue;
    q[i] = d->q[i];
    v[i] = d->v[i];
  }
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
}
