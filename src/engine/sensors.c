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

double td_no_diff(const td_model* m, const td_work* w, int probe, int col, bool rate) {
  return (void)m, (void)w, (void)probe, (void)col, (void)rate, 0;
}
double td_no_accel_diff(const td_model* m, const td_work* w, int probe, int col) {
  return (void)m, (void)w, (void)probe, (void)col, 0;
}
sensor_motion td_no_motion(const td_model* m, const td_work* w, int probe) {
  return (void)m, (void)w, (void)probe, (sensor_motion){0, 0};
}
void td_no_visit(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m, (void)p, (void)to;
}

sensor_motion td_linear_motion(const td_model* m, const td_work* w, int probe) {
  sensor_motion x = {0, 0};
  for (int col = 0; col < m->ncol; col++) {
    const int v = m->col[col].v;
    if (!m->col[col].leads) continue;
    const double slope = td_probe_change(m, w, probe, col, false);
    x.rate += slope * w->v[v];
    if (m->vel[v].motion != NUM_NONE) x.bias += slope * w->num[m->vel[v].motion + 2];
  }
  return x;
}

void td_probe_values(const td_model* m, td_work* w, unsigned depends) {
  for (int i = 0; i < m->nprobe; i++)
    if (m->probe[i].depends & depends)
      w->vars[m->probe[i].var] = td_sensor_ops[m->probe[i].kind]->value(m, w, i);
}

double td_probe_change(const td_model* m, const td_work* w, int probe, int col, bool rate) {
  return td_sensor_ops[m->probe[probe].kind]->diff(m, w, probe, col, rate);
}

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

td_status td_probe_all(const td_model* m, const td_state* state, td_work* w, bool accelerations) {
  td_status status = TD_OK;
  if (accelerations) {
    status = td_trial_dynamics(m, state, w);
    td_forces(m, w, FORCES_ALL);
    if (m->nrow > 0) td_row_forces(m, w, w->lambda);
    const arena_mark mark = arena_open(&w->scratch);
    double* unused = arena_doubles(&w->scratch, m->nvel);
    td_accelerate(m, w, w->vdot, true);
    td_inverse(m, w, unused);
    td_accelerate(m, w, w->vdot, false);
    arena_close(&w->scratch, mark);
  } else {
    td_enter(m, state, w);
  }
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | (accelerations ? TD_ON_ACCEL : 0));
  return status;
}

// Whether accelerations of places or forces through joints are shown, and not multipliers alone.
static bool shows_motion(const td_model* m) {
  for (int i = 0; i < m->nprobe; i++)
    if (td_sensor_ops[m->probe[i].kind]->moved) return true;
  return false;
}

// Values alone, as far as they are needed.
static td_status look(const td_model* m, const td_state* state, td_work* w, bool accelerations) {
  if (!accelerations || shows_motion(m)) return td_probe_all(m, state, w, accelerations);
  const td_status status = td_trial_dynamics(m, state, w);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | TD_ON_ACCEL);
  return status;
}

td_status td_trial_sensors(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (!model_has(m, state, w) || (!values && m->noutput_name > 0)) return TD_E_USAGE;
  const td_status status = look(m, state, w, m->output_accel);
  td_tape_eval(m->output_tape, w->vars, w->scratch_tape, values);
  return status;
}

td_status td_sensors(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(td_trial_sensors(m, state, w, values));
  return td_finite(m, w, "the sensor", td_model_sensor_name, values, m->noutput_name, 1);
}

void td_event_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (m->nevent == 0) return;
  look(m, state, w, m->event_accel);
  td_tape_eval(m->event_tape, w->vars, w->scratch_tape, values);
}

bool td_event_stops(const td_model* m, int event) { return m->event[event].stop; }
const char* td_event_name(const td_model* m, int event) {
  return model_name(m, m->event[event].name);
}
