// How the sensors change along a direction of everything they depend on (residual_diff.c): v' and
// the multipliers follow from the equations of motion, sensors from their tables, outputs from the
// tape.
#include <string.h>

#include "engine/direction.h"
#include "engine/sensor_table.h"

td_status td_potential_diff(const td_model* m, const td_state* state, td_work* w,
                            const td_direction* along, double* change) {
  if (!model_has(m, state, w) || !along || !change) return TD_E_USAGE;
  const arena_mark mark = arena_open(&w->scratch);
  td_along_begin(m, state, w, along, NULL, false);
  *change = td_energy_along(m, w, false);
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
  return TD_OK;
}

td_status td_sensors_diff(const td_model* m, const td_state* state, td_work* w,
                          const td_direction* along, double* dy) {
  if (!model_has(m, state, w) || !along || (!dy && m->noutput_name > 0)) return TD_E_USAGE;
  TD_TRY(td_direction_check(m, w, along));
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
  if (m->output_accel) status = td_rates_diff(m, state, w, along, 1, da, dlambda, NULL);
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
