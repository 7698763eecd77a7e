// Controllers: feedback laws with their derivatives, and what the model states about files,
// plug-ins and the control computer.
#include <string.h>

#include "engine/stages.h"

int td_controller_count(const td_model* m) { return m->nloop; }

// The k-th controller: its kind, its inputs, and the file of gains or plug-in.
td_controller_info td_controller_at(const td_model* m, int k) {
  const model_loop* loop = &m->loop[k];
  return (td_controller_info){(td_controller_kind)loop->kind, loop->first, loop->n,
                              model_name(m, loop->file), loop->from_sensors};
}

int td_law_count(const td_model* m) { return m->nlaw_input; }

// Index and limits of the i-th input that a controller sets.
int td_law_input(const td_model* m, const td_work* w, int i, double* low, double* high) {
  *low = w->num[m->law_input[i].low];
  *high = w->num[m->law_input[i].high];
  return m->law_input[i].input;
}

// True when the i-th controlled input is set by an expression of the model.
bool td_law_is_law(const td_model* m, int i) {
  const model_loop* loop = m->loop;
  while (i >= loop->first + loop->n) loop++;
  return loop->kind == LOOP_LAW;
}

// Sampling rate, delay, quantisation and random seed of the control computer.
td_computer td_model_computer(const td_model* m) {
  return (td_computer){m->control_rate, m->control_delay, m->control_quantum, m->seed};
}

// Noise and quantum with which output i is measured.
void td_measure(const td_model* m, const td_work* w, int i, double* noise, double* quantum) {
  *noise = w->num[m->measure[2 * i]];
  *quantum = w->num[m->measure[2 * i + 1]];
}

// Evaluate the expressions of all laws at a state.
void td_law_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  td_enter(m, state, w);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
  td_tape_eval(m->law_tape, w->vars, w->scratch_tape, values);
}

// Derivatives of the laws by q and v (count x nv each): by the sensors, times those of the sensors
// along the columns.
void td_law_tangent(const td_model* m, const td_state* state, td_work* w, double* dq, double* dv) {
  const int nv = m->nvel;
  const size_t size = (size_t)m->nlaw_input * (size_t)nv * sizeof(double);
  memset(dq, 0, size);
  memset(dv, 0, size);

  // tangent vectors of the columns at v' = 0
  td_enter(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  double* a = arena_zeros(&w->scratch, nv);
  td_accelerate(m, w, a, false);
  td_tangent_columns(m, w, a);
  arena_close(&w->scratch, mark);

  // chain rule over the sensors that the laws depend on
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
  td_tape_eval(m->law_probe_tape, w->vars, w->scratch_tape, w->partial);

  for (int i = 0; i < m->nlaw_probe; i++) {
    const model_partial* p = &m->law_probe[i];
    if (w->partial[i] != 0)
      td_probe_row(m, w, p->source, w->partial[i], dq + p->target * nv, dv + p->target * nv);
  }
}
