// How the rates of a motion change along directions of everything they depend on
// (residual_diff.c): v' and the multipliers from the equations of motion, rates of internal states
// from their numbers.  The transpose is in residual_reverse.c.
#include <string.h>

#include "engine/direction.h"
#include "engine/system.h"

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
  double *accel = arena_doubles(s, nv), *l = arena_doubles(s, nr), *f = arena_doubles(s, nv),
         *g = arena_doubles(s, nr), *x = arena_doubles(s, nv), *dl = arena_doubles(s, nr);

  // v' and multipliers at the state
  td_status status = td_trial_dynamics(m, state, w);
  memcpy(accel, w->vdot, (size_t)nv * sizeof(double));
  if (nr > 0) memcpy(l, w->lambda, (size_t)nr * sizeof(double));

  // right-hand sides, some directions at a time: -δF in the rows of a, -δd in those of lambda
  for (int first = 0, n; first < k && status == TD_OK; first += n) {
    const arena_mark some = arena_open(s);
    n = min_int(k - first, rates_block(m));
    td_direction to[TD_RATES_MOST];
    double* held = m->nmotion_slot > 0 ? arena_zeros(s, n * nv) : NULL;
    for (int j = 0; j < n; j++) {
      to[j] = along[first + j];
      to[j].a = to[j].lambda = NULL;
    }
    status = td_residual_diffs(m, state, w, to, n, accel, l, a + first * nv, held,
                               rates ? rates + first * m->ninternal : NULL);
    for (int j = 0; j < n; j++) to[j].a = held ? held + j * nv : NULL;
    if (nr > 0 && status == TD_OK)
      status = td_constraints_diffs(m, state, w, to, n, accel, NULL, NULL, lambda + first * nr);
    // prescribed accelerations are not solved for: their changes wait in the right-hand side
    for (int j = 0; j < n; j++)
      for (int i = 0; i < nv; i++) {
        double* r = a + (first + j) * nv + i;
        *r = m->vel[i].motion != NUM_NONE ? held[j * nv + i] : -*r;
      }
    for (int i = 0; i < n * nr; i++) lambda[first * nr + i] = -lambda[first * nr + i];
    arena_close(s, some);
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
