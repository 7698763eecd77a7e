// Sensors and events read at a state, with the accelerations that some of them need.
#include "engine/sensor_table.h"

#include <string.h>

#include "engine/stages.h"

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
