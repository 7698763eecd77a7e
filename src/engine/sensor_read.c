// Sensors and events at a state, with the accelerations and transmitted forces that some of them
// need.
#include "engine/sensor_table.h"

#include <string.h>

#include "engine/stages.h"

// Evaluate all probes.  With `accelerations`: v', the wrenches inside the tree and accelerations
// without gravity are computed before.
td_status td_probe_all(const td_model* m, const td_state* state, td_work* w, bool accelerations) {
  td_status status = TD_OK;

  if (accelerations) {
    // v' and multipliers, then the wrenches that hops transmit (hop.F)
    status = td_trial_dynamics(m, state, w);
    td_forces(m, w, FORCES_ALL);
    if (m->nrow > 0) td_row_forces(m, w, w->lambda);
    const arena_mark mark = arena_open(&w->scratch);
    double* unused = arena_doubles(&w->scratch, m->nvel);
    td_accelerate(m, w, w->vdot, true);
    td_inverse(m, w, unused);

    // sensors measure accelerations without gravity
    td_accelerate(m, w, w->vdot, false);
    arena_close(&w->scratch, mark);
  } else {
    td_enter(m, state, w);
  }

  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | (accelerations ? TD_ON_ACCEL : 0));
  return status;
}

// Evaluate all probes with no more work than needed: multipliers alone do not need the
// accelerations of hops.
static td_status read_probes(const td_model* m, const td_state* state, td_work* w,
                             bool accelerations) {
  bool moved = !accelerations;
  for (int i = 0; i < m->nprobe && !moved; i++) moved = td_sensor_ops[m->probe[i].kind]->moved;
  if (moved) return td_probe_all(m, state, w, accelerations);
  const td_status status = td_trial_dynamics(m, state, w);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | TD_ON_ACCEL);
  return status;
}

// Evaluate the outputs at a state, whatever its numbers are.
td_status td_trial_sensors(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (!model_has(m, state, w) || (!values && m->noutput_name > 0)) return TD_E_USAGE;
  const td_status status = read_probes(m, state, w, m->output_accel);
  td_tape_eval(m->output_tape, w->vars, w->scratch_tape, values);
  return status;
}

// td_trial_sensors for finite states, with finite results.
td_status td_sensors(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(td_trial_sensors(m, state, w, values));
  return td_finite(m, w, "the sensor", td_model_sensor_name, values, m->noutput_name, 1);
}

// Evaluate the event functions at a state.
void td_event_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (m->nevent == 0) return;
  read_probes(m, state, w, m->event_accel);
  td_tape_eval(m->event_tape, w->vars, w->scratch_tape, values);
}
