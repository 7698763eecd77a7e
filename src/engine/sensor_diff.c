// How the sensors change along a direction of everything they depend on (residual_diff.c): v' and
// the multipliers follow from the equations of motion, sensors from their tables, outputs from the
// tape.
#include <string.h>

#include "engine/direction.h"
#include "engine/sensor_table.h"

// Changes `a` (nvel) and `lambda` (nrow) of v' and of the multipliers along a direction, from
//
//   M δv' - Jᵀ δλ = -δF      J δv' = -δd      d: accelerations of the rows less what drives them
//
// with δF and δd at constant v' and λ; prescribed accelerations change by what their numbers do.
static td_status motion_change(const td_model* m, const td_state* state, td_work* w,
                               td_direction along, double* a, double* lambda) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, nr = m->nrow;
  double *accel = arena_doubles(s, nv), *l = arena_doubles(s, nr), *held = arena_zeros(s, nv),
         *f = arena_doubles(s, nv), *g = arena_doubles(s, nr);
  td_status status = td_trial_dynamics(m, state, w);
  for (int i = 0; i < nv; i++) accel[i] = w->vdot[i];
  for (int i = 0; i < nr; i++) l[i] = w->lambda[i];
  if (m->nmotion_slot > 0) {
    const arena_mark inner = arena_open(s);
    td_along_begin(m, state, w, &along, accel, true);
    for (int i = 0; i < nv; i++)
      if (m->vel[i].motion != NUM_NONE) held[i] = w->dnum[m->vel[i].motion + 2];
    td_along_end(m, w);
    arena_close(s, inner);
  }

  along.a = held;
  along.lambda = NULL;
  td_residual_diff(m, state, w, &along, accel, l, f);
  td_constraints_diff(m, state, w, &along, accel, NULL, NULL, g);
  for (int i = 0; i < nv; i++) f[i] = -f[i];
  for (int i = 0; i < nr; i++) g[i] = -g[i];
  if (status == TD_OK) status = td_trial_dynamics(m, state, w);
  if (status == TD_OK) status = td_driven_accelerations(m, w, f, g, a, lambda);
  for (int i = 0; i < nv; i++)
    if (m->vel[i].motion != NUM_NONE) a[i] = held[i];
  arena_close(s, mark);
  return status;
}

td_status td_sensors_diff(const td_model* m, const td_state* state, td_work* w,
                          const td_direction* along, double* dy) {
  if (!model_has(m, state, w) || !along || (!dy && m->noutput_name > 0)) return TD_E_USAGE;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel;
  double *accel = arena_zeros(s, nv), *unused = arena_doubles(s, nv);
  double *da = arena_zeros(s, nv), *dlambda = arena_zeros(s, m->nrow);
  td_direction all = *along;
  all.a = da;
  all.lambda = dlambda;

  // v', multipliers and their changes, where sensors need them; then the values of all probes
  td_status status = TD_OK;
  if (m->output_accel) status = motion_change(m, state, w, *along, da, dlambda);
  if (status == TD_OK) status = td_probe_all(m, state, w, m->output_accel);
  if (status != TD_OK) {
    arena_close(s, mark);
    return status;
  }
  if (m->output_accel) memcpy(accel, w->vdot, (size_t)nv * sizeof(double));

  // transmitted forces, where gravity counts as an acceleration
  direction* d = td_along_begin(m, state, w, &all, accel, m->output_accel);
  if (m->output_accel) {
    td_wrenches_along(m, w, d, w->lambda, dlambda, unused);
    for (int i = 0; i < m->nprobe; i++) {
      const model_probe* p = &m->probe[i];
      if (!is_transmitted(p->kind)) continue;
      w->dvar[p->var] = 0;
      td_sensor_ops[p->kind]->transmitted->diff(m, w, p, ALONG, false, 1, &w->dvar[p->var]);
    }

    // all others measure accelerations without gravity
    d->gravity = false;
    td_accelerate(m, w, accel, false);
    td_vary(m, w, d);
  }
  for (int i = 0; i < m->nprobe; i++)
    if (!is_transmitted(m->probe[i].kind) &&
        (m->output_accel || !(m->probe[i].depends & TD_ON_ACCEL)))
      w->dvar[m->probe[i].var] = td_probe_change(m, w, i, ALONG, false);
  td_tape_diff(m->output_tape, w->vars, w->dvar, w->scratch_tape, w->partial, dy);
  td_along_end(m, w);
  arena_close(s, mark);
  return TD_OK;
}
