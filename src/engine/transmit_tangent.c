// Derivatives of transmitted forces along columns and inputs.
#include <string.h>

#include "engine/taut.h"

static void force_changes(const td_model* m, td_work* w, int col, bool rate) {
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  td_forces_change(m, w, col, rate, w->df, w->dtau);
  if (!rate && col >= 0 && m->nrow > 0) td_row_forces_change(m, w, w->lambda, col, false, w->df);
}

static void add_column(const td_model* m, td_work* w, const sensor_tangent* s, int col, bool rate) {
  const int nv = m->nvel, v = m->col[col].v;
  td_number_changes(m, w, col, rate);
  force_changes(m, w, col, rate);
  for (int i = 0; i < m->noutput_probe; i++) {
    const model_probe* p = &m->probe[m->output_probe[i].source];
    const transmit_ops* ops = td_sensor_ops[p->kind]->transmitted;
    double* to = (rate ? s->dv : s->dq) + m->output_probe[i].target * nv + v;
    if (ops) ops->diff(m, w, p, col, rate, s->scale[i], to);
  }
}

// Inputs change numbers alone.
static void add_input(const td_model* m, td_work* w, const sensor_tangent* s, int input) {
  const int nu = model_drives(m);
  td_tape_eval(m->live_input_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nlive_input; i++)
    if (m->live_input[i].source == input) w->dnum[m->live_input[i].target] += w->partial[i];
  w->numbers_change = true;
  force_changes(m, w, -1, false);
  for (int i = 0; i < m->noutput_probe; i++) {
    const model_probe* p = &m->probe[m->output_probe[i].source];
    const transmit_ops* ops = td_sensor_ops[p->kind]->transmitted;
    double* to = s->du + m->output_probe[i].target * nu + input;
    if (ops) ops->diff(m, w, p, -1, false, s->scale[i], to);
  }
  w->numbers_change = false;
  for (int i = 0; i < m->nlive_input; i++) w->dnum[m->live_input[i].target] = 0;
}

void td_transmit_tangent(const td_model* m, const td_state* state, td_work* w,
                         const sensor_tangent* s) {
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  if (m->nrow > 0) td_row_forces(m, w, w->lambda);
  td_accelerate(m, w, s->a, true);
  td_tangent_columns(m, w, s->a);
  td_composites(m, w);
  for (int col = 0; col < m->ncol; col++)
    for (int rate = 0; rate < 2 && m->col[col].leads; rate++) add_column(m, w, s, col, rate);
  td_number_changes(m, w, -1, false);
  for (int u = 0; u < model_drives(m); u++) add_input(m, w, s, u);
  for (int i = 0; i < m->noutput_probe; i++) {
    const transmit_ops* ops = td_sensor_ops[m->probe[m->output_probe[i].source].kind]->transmitted;
    if (ops) ops->through(m, w, s, i);
  }
}
