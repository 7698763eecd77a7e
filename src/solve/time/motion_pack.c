// The unknowns y of a motion and the state they stand for, with inputs that follow a table.
#include "solve/time/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/lattice.h"
#include "math/dense.h"
#include "model/model.h"

// All of the n numbers in their order, or some.
static void scatter(const int* index, int some, int n, const double* from, double* to) {
  if (some == n) {
    memcpy(to, from, (size_t)n * sizeof(double));
  } else {
    for (int i = 0; i < some; i++) to[index[i]] = from[i];
  }
}

void td_motion_pack(const td_motion* m, double* y) {
  gather(m->iq, m->nq, m->size.nq, m->state->q, y);
  gather(m->iv, m->nv, m->size.nv, m->state->v, y + m->nq);
  for (int i = 0; i < m->ninner; i++) y[inner_at(m) + i] = m->state->z[i];
}

// Inputs of a table at a time: straight lines between its rows, its end values beyond.
static void drive_inputs(td_motion* m, double t) {
  const td_input_table* table = m->inputs;
  int k = m->input_row;
  while (k + 2 < table->rows && t >= table->t[k + 1]) k++;
  while (k > 0 && t < table->t[k]) k--;
  m->input_row = k;
  const int next = min_int(k + 1, table->rows - 1);
  const double span = table->t[next] - table->t[k];
  const double x = span > 0 ? fmin(fmax((t - table->t[k]) / span, 0), 1) : 0;
  const double *a = table->values + (size_t)k * (size_t)table->n,
               *b = table->values + (size_t)next * (size_t)table->n;
  for (int i = 0; i < table->n; i++) m->state->u[table->input[i]] = (1 - x) * a[i] + x * b[i];
}

void td_motion_inputs(td_motion* m, const td_input_table* inputs) {
  m->inputs = inputs;
  drive_inputs(m, m->state->t);
}

// Distribute y = [q, v, targets, internal states, task integrals] over state and work, and set
// inputs and prescribed motion at t.
void td_motion_unpack(td_motion* m, double t, const double* y) {
  // at the instant of a jump, time is later by a few rounding errors: values just after it hold
  m->state->t = t == m->t_jump ? t + 16 * DBL_EPSILON * fmax(fabs(t), 1e-6) : t;

  // positions, velocities, targets of controlled rows, internal states
  scatter(m->iq, m->nq, m->size.nq, y, m->state->q);
  scatter(m->iv, m->nv, m->size.nv, y + m->nq, m->state->v);
  if (m->ntarget > 0) {
    memcpy(td_targets(m->work), y + m->nq + m->nv, (size_t)m->ntarget * sizeof(double));
  }
  for (int i = 0; i < m->ninner; i++) m->state->z[i] = y[inner_at(m) + i];

  // inputs of the table, then prescribed motion
  if (m->inputs != NULL) drive_inputs(m, t);
  td_prescribe(m->model, m->work, m->state);

  // inputs of the controller from the integrals of task errors, which the state remembers
  if (m->control == NULL) return;
  const double* z = y + integrals_at(m);
  m->controlled = td_control_inputs(m->control, m->state, z);
  m->state->memory[0] = 1;
  for (int i = 0; i < m->nz; i++) m->state->memory[1 + i] = z[i];
}
