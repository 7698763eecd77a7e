// Derivatives of transmitted forces in the outputs along all columns and inputs, and through v' and
// λ (transmit.c).
#include <string.h>

#include "engine/taut.h"

// Differentiate all transmitted outputs along one direction: column `col`, of its position or its
// rate, or the changed numbers w->dnum alone (col < 0).  to: first row of the derivative, rows
// `stride` apart.
static void add_direction(const td_model* m, td_work* w, const sensor_tangent* s, int col,
                          bool rate, double* to, int stride) {
  // changes of all forces on hops and of the multipliers' wrenches
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  td_forces_change(m, w, col, rate, w->df, w->dtau);
  if (!rate && col >= 0 && m->nrow > 0) td_row_forces_change(m, w, w->lambda, col, false, w->df);

  // changes of the sensors that show them
  for (int i = 0; i < m->noutput_probe; i++) {
    const model_probe* p = &m->probe[m->output_probe[i].source];
    const transmit_ops* ops = td_sensor_ops[p->kind]->transmitted;
    if (ops) ops->diff(m, w, p, col, rate, s->scale[i], to + m->output_probe[i].target * stride);
  }
}

// Add the derivatives of all transmitted forces to dq, dv and du of the outputs.
void td_transmit_tangent(const td_model* m, const td_state* state, td_work* w,
                         const sensor_tangent* s) {
  const int nv = m->nvel, nu = model_drives(m);

  // forces, accelerations with gravity, tangent vectors of the columns and sums over subtrees
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  if (m->nrow > 0) td_row_forces(m, w, w->lambda);
  td_accelerate(m, w, s->a, true);
  td_tangent_columns(m, w, s->a);
  td_composites(m, w);

  // along the position and the rate of every column, v' and λ held
  for (int col = 0; col < m->ncol; col++)
    for (int rate = 0; rate < 2 && m->col[col].leads; rate++) {
      td_number_changes(m, w, col, rate);
      add_direction(m, w, s, col, rate, (rate ? s->dv : s->dq) + m->col[col].v, nv);
    }
  td_number_changes(m, w, -1, false);

  // along every input, which changes numbers alone
  for (int u = 0; u < nu; u++) {
    td_tape_eval(m->live_input_tape, w->vars, w->scratch_tape, w->partial);
    for (int i = 0; i < m->nlive_input; i++)
      if (m->live_input[i].source == u) w->dnum[m->live_input[i].target] += w->partial[i];
    w->numbers_change = true;
    add_direction(m, w, s, -1, false, s->du + u, nu);
    w->numbers_change = false;
    for (int i = 0; i < m->nlive_input; i++) w->dnum[m->live_input[i].target] = 0;
  }

  // through v' and λ
  for (int i = 0; i < m->noutput_probe; i++) {
    const transmit_ops* ops = td_sensor_ops[m->probe[m->output_probe[i].source].kind]->transmitted;
    if (ops) ops->through(m, w, s, i);
  }
}
