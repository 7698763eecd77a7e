// Sensors: the variables that expressions read from the moving robot, their change along a degree
// of freedom, the live numbers that follow from them, and the model's outputs and events.
#include "engine/sensor_table.h"

#include <string.h>

#include "engine/stages.h"

const sensor_ops* const td_sensor_ops[SENSOR_KIND_COUNT] = {
#define X(kind, ...) &td_sensor_##kind,
    TD_SENSOR_LIST(X)
#undef X
};

void td_probe_values(const td_model* m, td_work* w, unsigned depends) {
  for (int i = 0; i < m->nprobe; i++)
    if (m->probe[i].depends & depends)
      w->vars[m->probe[i].var] = td_sensor_ops[m->probe[i].kind]->value(m, w, i);
}

double td_probe_change(const td_model* m, const td_work* w, int probe, int col, bool rate) {
  return td_sensor_ops[m->probe[probe].kind]->diff(m, w, probe, col, rate);
}

// Chain rule through the probes: dnum = Σ ∂num/∂probe · dprobe/dcol.  The partial derivatives are
// evaluated at column 0, so callers visit all leading columns from 0 on. w->numbers_change tells
// whether any number changes.
void td_number_changes(const td_model* m, td_work* w, int col, bool rate) {
  if (m->nlive_probe == 0) return;
  for (int i = 0; i < m->nlive_probe; i++) w->dnum[m->live_probe[i].target] = 0;
  w->numbers_change = false;
  if (col < 0) return;
  if (col == 0 && !rate) td_tape_eval(m->live_probe_tape, w->vars, w->scratch_tape, w->partial);
  double change = 0;
  for (int i = 0; i < m->nlive_probe; i++) {  // in the order of their probes
    const model_partial* p = &m->live_probe[i];
    if (i == 0 || p[-1].source != p->source) change = td_probe_change(m, w, p->source, col, rate);
    w->dnum[p->target] += w->partial[i] * change;
    if (change != 0) w->numbers_change = true;
  }
}

// ---- live numbers, outputs, events ------------------------------------------------------------

void td_numbers(const td_model* m, const td_state* state, td_work* w) {
  w->vars[m->time_var] = w->t;
  for (int i = 0; i < m->ninput; i++)
    w->vars[m->input[i].var] = state->u ? state->u[i] : m->input[i].value;
  for (int i = 0; i < m->ninternal; i++)
    w->vars[m->internal[i].var] = state->z ? state->z[i] : w->num[m->internal[i].init];
  if (m->nlive_slot == 0) return;
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
  td_tape_eval(m->live_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nlive_slot; i++) w->num[m->live_slot[i]] = w->partial[i];
  *w->found = (contact_found){.n = 0};
}

bool td_event_stops(const td_model* m, int event) { return m->event[event].stop; }
