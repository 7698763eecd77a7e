// Tasks: values, rates and bias accelerations along the motion, Jacobians, gains.  The rate and the
// bias (second derivative at v' = 0) of every sensor a task is made of are answers of its kind
// (sensor_table.h); the tape of build_task.c puts them together.
#include <string.h>

#include "engine/stages.h"

int td_task_count(const td_model* m) { return m->ntask_value; }
bool td_task_is_static(const td_model* m) { return m->task_static; }
bool td_inputs_affine(const td_model* m) { return m->inputs_affine; }
int td_task_input_count(const td_model* m) { return m->ntask_input; }

int td_task_input(const td_model* m, const td_work* w, int k, double* low, double* high) {
  *low = w->num[m->task_input[k].low];
  *high = w->num[m->task_input[k].high];
  return m->task_input[k].input;
}

void td_task_gains(const td_model* m, const td_work* w, int i, double* P, double* I, double* D) {
  const model_task* t = m->task;
  while (i >= t->first + t->n) t++;
  *P = w->num[t->P + i - t->first];
  *I = w->num[t->I + i - t->first];
  *D = w->num[t->D + i - t->first];
}

double td_task_damping(const td_model* m, const td_work* w) {
  double most = 0;
  for (int k = 0; k < m->ntask; k++) most = fmax(most, w->num[m->task[k].damping]);
  return most;
}

double td_task_calm(const td_model* m, const td_work* w) {
  double most = 0;
  for (int k = 0; k < m->ntask; k++) {
    const model_task* t = &m->task[k];
    if (t->calm != NUM_NONE) most = fmax(most, w->num[t->calm]);
    for (int i = 0; t->calm == NUM_NONE && i < t->n; i++) most = fmax(most, w->num[t->D + i]);
  }
  return most;
}

// ---- tasks ------------------------------------------------------------------------------------

// Frames accelerate as if every unprescribed v' were zero.
static void place_at_rest(const td_model* m, const td_state* state, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  double* a = arena_doubles(&w->scratch, m->nvel);
  td_enter(m, state, w);
  td_prescribed_accelerations(m, w, a);
  td_accelerate(m, w, a, false);
  arena_close(&w->scratch, mark);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
}

td_task_values td_task_at(const td_model* m, const td_state* state, td_work* w) {
  const int n = m->ntask_value;
  place_at_rest(m, state, w);
  for (int i = 0; i < m->nprobe; i++) {
    if (m->task_var[2 * i] < 0) continue;
    const sensor_motion x = td_sensor_ops[m->probe[i].kind]->motion(m, w, i);
    w->vars[m->task_var[2 * i]] = x.rate;
    w->vars[m->task_var[2 * i + 1]] = x.bias;
  }
  double* out = w->task;
  td_tape_eval(m->task_tape, w->vars, w->scratch_tape, out);
  return (td_task_values){out, out + n, out + 2 * n, out + 3 * n, out + 4 * n, out + 5 * n};
}

void td_task_jacobian(const td_model* m, const td_state* state, td_work* w, double* J) {
  const int nv = m->nvel;
  memset(J, 0, (size_t)m->ntask_value * (size_t)nv * sizeof(double));
  place_at_rest(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  td_tangent_columns(m, w, arena_zeros(&w->scratch, nv));
  arena_close(&w->scratch, mark);
  td_tape_eval(m->task_probe_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->ntask_probe; i++) {
    const model_partial* p = &m->task_probe[i];
    for (int col = 0; w->partial[i] != 0 && col < m->ncol; col++)
      if (m->col[col].leads)
        J[p->target * nv + m->col[col].v] +=
            w->partial[i] * td_probe_change(m, w, p->source, col, false);
  }
}
