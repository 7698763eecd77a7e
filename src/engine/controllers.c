// Controllers: laws and their derivatives, what the model says about files, plug-ins and the
// computer.
#include <string.h>

#include "engine/stages.h"

int td_loop_count(const td_model* m) { return m->nloop; }

td_loop td_loop_at(const td_model* m, int k) {
  const model_loop* loop = &m->loop[k];
  return (td_loop){(td_loop_kind)loop->kind, loop->first, loop->n, model_name(m, loop->file),
                   loop->from_sensors};
}

int td_law_count(const td_model* m) { return m->nlaw_input; }

int td_law_input(const td_model* m, const td_work* w, int i, double* low, double* high) {
  *low = w->num[m->law_input[i].low];
  *high = w->num[m->law_input[i].high];
  return m->law_input[i].input;
}

bool td_law_is_law(const td_model* m, int i) {
  const model_loop* loop = m->loop;
  while (i >= loop->first + loop->n) loop++;
  return loop->kind == LOOP_LAW;
}

td_computer td_model_computer(const td_model* m) {
  return (td_computer){m->control_rate, m->control_delay, m->control_quantum, m->seed};
}

void td_measure(const td_model* m, const td_work* w, int i, double* noise, double* quantum) {
  *noise = w->num[m->measure[2 * i]];
  *quantum = w->num[m->measure[2 * i + 1]];
}

void td_law_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  td_enter(m, state, w);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
  td_tape_eval(m->law_tape, w->vars, w->scratch_tape, values);
}

void td_law_tangent(const td_model* m, const td_state* state, td_work* w, double* dq, double* dv) {
  const int nv = m->nvel;
  const size_t size = (size_t)m->nlaw_input * (size_t)nv * sizeof(double);
  memset(dq, 0, size);
  memset(dv, 0, size);
  td_enter(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  double* a = arena_zeros(&w->scratch, nv);
  td_accelerate(m, w, a, false);
  td_tangent_columns(m, w, a);
  arena_close(&w->scratch, mark);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
  td_tape_eval(m->law_probe_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nlaw_probe; i++) {
    const model_partial* p = &m->law_probe[i];
    for (int col = 0; w->partial[i] != 0 && col < m->ncol; col++) {
      if (!m->col[col].leads) continue;
      const int at = p->target * nv + m->col[col].v;
      dq[at] += w->partial[i] * td_probe_change(m, w, p->source, col, false);
      dv[at] += w->partial[i] * td_probe_change(m, w, p->source, col, true);
    }
  }
}
