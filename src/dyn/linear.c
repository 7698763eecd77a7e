// Derivatives of sensors and of constraint drives with respect to states and inputs.
#include <string.h>

#include "engine.h"

double td_row_input(const td_model* m, td_work* w, int row, int input) {
  const num control = m->row[row].control;
  if (control == NUM_NONE) return 0;
  td_tape_eval(m->live_input_tape, w->vars, w->scratch_tape, w->partial);
  double sum = 0;
  for (int i = 0; i < m->nlive_input; i++)
    if (m->live_input[i].source == input && m->live_input[i].target == control)
      sum += w->partial[i];
  return sum;
}

static bool is_transmitted(sensor_kind kind) {
  return kind == SENSOR_FORCE || kind == SENSOR_LAMBDA || kind == SENSOR_TENSION;
}

// dst row += scale * row of the change of a probe along every column
static void add_probe_row(const td_model* m, const td_work* w, int probe, double scale, double* dq,
                          double* dv) {
  for (int col = 0; col < m->ncol; col++) {
    dq[m->col[col].v] += scale * td_probe_change(m, w, probe, col, false);
    dv[m->col[col].v] += scale * td_probe_change(m, w, probe, col, true);
  }
}

// An acceleration also follows v': its slope with respect to v'_l is that of the velocity with
// respect to v_l.
static double velocity_slope(const td_model* m, td_work* w, int probe, int v) {
  model_probe as_velocity = m->probe[probe];
  as_velocity.kind = SENSOR_VEL;
  double sum = 0;
  for (int col = 0; col < m->ncol; col++)
    if (m->col[col].v == v) sum += td_place_change(m, w, &as_velocity, col, true);
  return sum;
}

td_status td_sensor_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                            double* dv, double* du) {
  const int nv = m->nvel, nu = m->ninput, ny = m->noutput_name;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double* a = arena_zeros(s, nv);
  double *Aq = NULL, *Av = NULL, *Au = NULL;
  memset(dq, 0, (size_t)ny * (size_t)nv * sizeof(double));
  memset(dv, 0, (size_t)ny * (size_t)nv * sizeof(double));
  memset(du, 0, (size_t)ny * (size_t)nu * sizeof(double));
  td_status status = TD_OK;
  for (int i = 0; i < m->noutput_probe; i++)
    if (is_transmitted(m->probe[m->output_probe[i].source].kind)) {
      td_work_fail(w, "sensor %s: force(), lambda() and tension() cannot be linearised",
                   td_model_sensor_name(m, m->output_probe[i].target));
      status = TD_E_USAGE;
    }
  if (m->output_accel && status == TD_OK) {
    Aq = arena_doubles(s, nv * nv);
    Av = arena_doubles(s, nv * nv);
    Au = arena_doubles(s, nv * nu);
    status = td_forward_tangent(m, state, w, Aq, Av, Au);
    if (status == TD_OK) memcpy(a, w->vdot, (size_t)nv * sizeof(double));
  }
  if (status == TD_OK) {
    td_enter(m, state, w);
    td_accelerate(m, w, a, false);
    td_tangent_columns(m, w, a);
    td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | TD_ON_ACCEL);
    td_tape_eval(m->output_probe_tape, w->vars, w->scratch_tape, w->partial);
    for (int i = 0; i < m->noutput_probe; i++) {
      const model_partial* p = &m->output_probe[i];
      const double scale = w->partial[i];
      add_probe_row(m, w, p->source, scale, dq + p->target * nv, dv + p->target * nv);
      if (m->probe[p->source].kind != SENSOR_ACC) continue;
      for (int l = 0; l < nv; l++) {
        const double slope = scale * velocity_slope(m, w, p->source, l);
        for (int k = 0; slope != 0 && k < nv; k++) {
          dq[p->target * nv + k] += slope * Aq[l * nv + k];
          dv[p->target * nv + k] += slope * Av[l * nv + k];
        }
        for (int k = 0; slope != 0 && k < nu; k++) du[p->target * nu + k] += slope * Au[l * nu + k];
      }
    }
    td_tape_eval(m->output_input_tape, w->vars, w->scratch_tape, w->partial);
    for (int i = 0; i < m->noutput_input; i++)
      du[m->output_input[i].target * nu + m->output_input[i].source] += w->partial[i];
  }
  arena_close(s, mark);
  return status;
}
