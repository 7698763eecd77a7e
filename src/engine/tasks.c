// Tasks: desired values of sensor expressions y, their rates and bias accelerations along the
// motion, Jacobians and gains.
//
//   y' = J v        y" = J v' + bias
//
// Each kind of sensor provides its own rate and bias, the second derivative at v' = 0
// (sensor_table.h); the tape of build_task.c combines them.
#include <string.h>

#include "engine/stages.h"

int td_task_count(const td_model* m) { return m->ntask_value; }
bool td_task_is_static(const td_model* m) { return m->task_static; }
bool td_inputs_affine(const td_model* m) { return m->inputs_affine; }
int td_task_input_count(const td_model* m) { return m->ntask_input; }

// Index and limits of the k-th input that tasks drive.
int td_task_input(const td_model* m, const td_work* w, int k, double* low, double* high) {
  *low = w->num[m->task_input[k].low];
  *high = w->num[m->task_input[k].high];
  return m->task_input[k].input;
}

// Gains of task value i.
void td_task_gains(const td_model* m, const td_work* w, int i, double* P, double* I, double* D) {
  const model_task* t = m->task;
  while (i >= t->first + t->n) t++;
  *P = w->num[t->P + i - t->first];
  *I = w->num[t->I + i - t->first];
  *D = w->num[t->D + i - t->first];
}

// Largest damping of all tasks.
double td_task_damping(const td_model* m, const td_work* w) {
  double most = 0;
  for (int k = 0; k < m->ntask; k++) most = fmax(most, w->num[m->task[k].damping]);
  return most;
}

// Largest rate [1/s] at which motion that the tasks leave free is braked: task.calm, else the
// largest D gain.
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

// Evaluate the state with v' = 0 for all unprescribed velocities, and the sensors there.
static void enter_unaccelerated(const td_model* m, const td_state* state, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  double* a = arena_doubles(&w->scratch, m->nvel);
  td_enter(m, state, w);
  td_prescribed_accelerations(m, w, a);
  td_accelerate(m, w, a, false);
  arena_close(&w->scratch, mark);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
}

// Values, rates, biases and desired motion of all tasks; they stay in the work until its next use.
td_task_values td_task_at(const td_model* m, const td_state* state, td_work* w) {
  const int n = m->ntask_value;
  enter_unaccelerated(m, state, w);

  // rates and biases of the sensors that tasks depend on
  for (int i = 0; i < m->nprobe; i++) {
    if (m->task_var[2 * i] < 0) continue;
    const sensor_motion x = td_sensor_ops[m->probe[i].kind]->motion(m, w, i);
    w->vars[m->task_var[2 * i]] = x.rate;
    w->vars[m->task_var[2 * i + 1]] = x.bias;
  }

  // the expressions of the tasks
  double* out = w->task;
  td_tape_eval(m->task_tape, w->vars, w->scratch_tape, out);
  return (td_task_values){out, out + n, out + 2 * n, out + 3 * n, out + 4 * n, out + 5 * n};
}

// J = d y/d q (count x nv): derivatives by the sensors times those of the sensors along the
// columns.
void td_task_jacobian(const td_model* m, const td_state* state, td_work* w, double* J) {
  const int nv = m->nvel;
  memset(J, 0, (size_t)m->ntask_value * (size_t)nv * sizeof(double));
  enter_unaccelerated(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  td_tangent_columns(m, w, arena_zeros(&w->scratch, nv));
  arena_close(&w->scratch, mark);
  td_tape_eval(m->task_probe_tape, w->vars, w->scratch_tape, w->partial);

  for (int i = 0; i < m->ntask_probe; i++) {
    const model_partial* p = &m->task_probe[i];
    if (w->partial[i] != 0) td_probe_row(m, w, p->source, w->partial[i], J + p->target * nv, NULL);
  }
}
