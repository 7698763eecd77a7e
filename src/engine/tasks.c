// Tasks: values, rates and bias accelerations along the motion, Jacobians, gains.  The rate and the
// bias (second derivative at v' = 0) of every sensor a task is made of follow from the frames'
// velocities and accelerations; the tape of build_task.c puts them together.
#include <string.h>

#include "elem/link.h"
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

// ---- rates and biases of sensors --------------------------------------------------------------

typedef struct motion {
  double rate, bias;
} motion;

// A vector fixed in a turning frame: s' = w × s, s'' = w' × s + w × (w × s)
static void carried(const frame* f, vec3 s, vec3* rate, vec3* bias) {
  *rate = vec3_cross(f->w, s);
  *bias = vec3_add(vec3_cross(f->dw, s), vec3_cross(f->w, *rate));
}

static motion place_motion(const td_model* m, const td_work* w, const model_probe* p) {
  const frame f = td_frame(m, w, p->station);
  const int c = p->component;
  vec3 rate, bias;
  if (p->kind == SENSOR_POS) {
    const vec3 s =
        p->point == NUM_NONE ? (vec3){0, 0, 0} : mat3_apply(f.R, vec3_of(w->num + p->point));
    carried(&f, s, &rate, &bias);
    return (motion){vec3_at(vec3_add(f.v, rate), c), vec3_at(vec3_add(f.a, bias), c)};
  }
  if (p->kind == SENSOR_ROT) {
    carried(&f, mat3_col(f.R, c / 3), &rate, &bias);
    return (motion){vec3_at(rate, c % 3), vec3_at(bias, c % 3)};
  }
  // q' = w q / 2,  q'' = (w' q + w q') / 2
  const quat half = {0, vec3_scale(0.5, f.w)}, half_rate = {0, vec3_scale(0.5, f.dw)};
  const quat q = quat_mat3(f.R), q1 = quat_mul(half, q), a = quat_mul(half_rate, q),
             b = quat_mul(half, q1);
  if (c == 0) return (motion){q1.w, a.w + b.w};
  return (motion){vec3_at(q1.v, c - 1), vec3_at(vec3_add(a.v, b.v), c - 1)};
}

// L' = n·r',  L'' = n·r'' + (|r'|² - L'²) / L
static motion distance_motion(const td_model* m, const td_work* w, const model_probe* p) {
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  const axial x = axial_at(&a, &b);
  const vec3 v = vec3_sub(b.v, a.v);
  const double rate = vec3_dot(x.n, v);
  return (motion){rate, vec3_dot(x.n, vec3_sub(b.a, a.a)) +
                            (x.L > 0 ? (vec3_dot(v, v) - rate * rate) / x.L : 0)};
}

// Sensors that are linear in coordinates: the same combination of rates, and of given
// accelerations.
static motion linear_motion(const td_model* m, const td_work* w, int probe) {
  motion x = {0, 0};
  for (int col = 0; col < m->ncol; col++) {
    const int v = m->col[col].v;
    if (!m->col[col].leads) continue;
    const double slope = td_probe_change(m, w, probe, col, false);
    x.rate += slope * w->v[v];
    if (m->vel[v].motion != NUM_NONE) x.bias += slope * w->num[m->vel[v].motion + 2];
  }
  return x;
}

static motion probe_motion(const td_model* m, const td_work* w, int probe) {
  const model_probe* p = &m->probe[probe];
  switch (p->kind) {
    case SENSOR_POS:
    case SENSOR_ROT:
    case SENSOR_QUAT:
      return place_motion(m, w, p);
    case SENSOR_LENGTH:
    case SENSOR_STRETCH: {
      if (p->rod > 0) return linear_motion(m, w, probe);
      motion x = distance_motion(m, w, p);
      if (p->kind == SENSOR_STRETCH) x.rate /= w->length0[probe], x.bias /= w->length0[probe];
      return x;
    }
    default:
      return linear_motion(m, w, probe);
  }
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
    const motion x = probe_motion(m, w, i);
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
