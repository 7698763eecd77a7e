// Derivatives of outputs by states and inputs, exact: an output is an expression of sensor
// components (probes) and inputs, whose partial derivatives a tape provides; probes are
// differentiated along the columns of the motion. The rates of internal states are differentiated
// in the same way.
#include <math.h>
#include <string.h>

#include "engine/stages.h"

// Add scale · d(probe) along the position and, with dv, along the rate of every leading column to
// rows dq and dv.
void td_probe_row(const td_model* m, const td_work* w, int probe, double scale, double* dq,
                  double* dv) {
  for (int col = 0; col < m->ncol; col++) {
    if (!m->col[col].leads) continue;
    dq[m->col[col].v] += scale * td_probe_change(m, w, probe, col, false);
    if (dv) dv[m->col[col].v] += scale * td_probe_change(m, w, probe, col, true);
  }
}

// Derivatives of all outputs that do not follow from transmitted forces, with those through v' = Aq
// q + Av v + Au u.
static void add_probes(const td_model* m, const td_state* state, td_work* w,
                       const sensor_tangent* t) {
  const int nv = m->nvel, nu = model_drives(m);
  td_enter(m, state, w);
  td_accelerate(m, w, t->a, false);
  td_tangent_columns(m, w, t->a);

  for (int i = 0; i < m->noutput_probe; i++) {
    // direct derivatives
    const int probe = m->output_probe[i].source, target = m->output_probe[i].target;
    const sensor_ops* ops = td_sensor_ops[m->probe[probe].kind];
    td_probe_row(m, w, probe, t->scale[i], t->dq + target * nv, t->dv + target * nv);

    // an acceleration changes with every v'_l, which changes with the state and the inputs
    for (int l = 0; l < nv && ops->accel_diff != td_no_accel_diff; l++) {
      double slope = 0;
      for (int col = 0; col < m->ncol; col++)
        if (m->col[col].v == l && m->col[col].leads) slope += ops->accel_diff(m, w, probe, col);
      slope *= t->scale[i];
      if (slope == 0) continue;
      for (int k = 0; k < nv; k++) {
        t->dq[target * nv + k] += slope * t->Aq[l * nv + k];
        t->dv[target * nv + k] += slope * t->Av[l * nv + k];
      }
      for (int k = 0; k < nu; k++) t->du[target * nu + k] += slope * t->Au[l * nu + k];
    }
  }

  // inputs that outputs contain themselves
  for (int i = 0; i < m->noutput_input; i++)
    t->du[m->output_input[i].target * nu + m->output_input[i].source] +=
        t->scale[m->noutput_probe + i];
}

// True when some output contains a transmitted force.
static bool has_transmitted(const td_model* m) {
  for (int i = 0; i < m->noutput_probe; i++)
    if (is_transmitted(m->probe[m->output_probe[i].source].kind)) return true;
  return false;
}

// Mark the outputs that have a derivative: not those that need multipliers of dependent rows, nor
// sums of forces over a subtree where cables couple everything.
static void mark_known(const td_model* m, td_work* w, bool* known) {
  const int nv = m->nvel;
  bool smooth = true;

  // multipliers are smooth functions of the state when all rows with an effect are independent; the
  // least-norm multipliers of dependent rows need not be
  if (m->nrow > 0 && has_transmitted(m)) {
    const arena_mark mark = arena_open(&w->scratch);
    double *J = arena_doubles(&w->scratch, m->nrow * nv), largest = 0;
    int acting = 0;
    td_row_jacobian(m, w, J);
    for (int i = 0; i < m->nrow * nv; i++) largest = fmax(largest, fabs(J[i]));
    for (int i = 0; i < m->nrow; i++) {
      double size = 0;
      for (int k = 0; k < m->nfree_v; k++) size = fmax(size, fabs(J[i * nv + m->free_v[k]]));
      acting += size > 1e-9 * largest;
    }
    arena_close(&w->scratch, mark);
    smooth = acting == w->flags.constraint_rank;
  }

  const bool coupled = td_cable_couples(m);
  for (int i = 0; i < m->noutput_name; i++) known[i] = true;

  for (int i = 0; i < m->noutput_probe; i++) {
    const model_probe* p = &m->probe[m->output_probe[i].source];
    const transmit_ops* ops = td_sensor_ops[p->kind]->transmitted;
    if (ops && ((coupled && ops->sums) || (!smooth && ops->needs_multipliers(m, p))))
      known[m->output_probe[i].target] = false;
  }
}

// d(outputs)/dq, /dv, /du at a state, exact; known (may be NULL): false where an output has no
// derivative.
td_status td_sensor_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                            double* dv, double* du, bool* known) {
  const int nv = m->nvel, nu = model_drives(m), ny = m->noutput_name;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *a = arena_zeros(s, nv), *scale = arena_doubles(s, m->noutput_probe + m->noutput_input);
  double *Aq = arena_doubles(s, nv * nv), *Av = arena_doubles(s, nv * nv);
  double *Au = arena_doubles(s, nv * nu), *L = arena_doubles(s, m->nrow * (2 * nv + nu));
  const sensor_tangent t = {a, scale, Aq, Av, Au, L, dq, dv, du};
  memset(dq, 0, (size_t)ny * (size_t)nv * sizeof(double));
  memset(dv, 0, (size_t)ny * (size_t)nv * sizeof(double));
  memset(du, 0, (size_t)ny * (size_t)nu * sizeof(double));

  // the linearised forward dynamics, where outputs contain accelerations
  td_status status = TD_OK;
  if (m->output_accel) status = td_forward_tangent_rows(m, state, w, Aq, Av, Au, L);
  if (status == TD_OK && m->output_accel) memcpy(a, w->vdot, (size_t)nv * sizeof(double));

  // partial derivatives of the outputs by probes and inputs, at the values of all probes; then the
  // chain rule
  if (status == TD_OK) status = td_probe_all(m, state, w, m->output_accel);

  if (status == TD_OK) {
    td_tape_eval(m->output_probe_tape, w->vars, w->scratch_tape, scale);
    td_tape_eval(m->output_input_tape, w->vars, w->scratch_tape, scale + m->noutput_probe);
    add_probes(m, state, w, &t);
    if (has_transmitted(m)) td_transmit_tangent(m, state, w, &t);
    if (known) mark_known(m, w, known);
  }

  arena_close(s, mark);
  return status;
}

// d(outputs)/dq, /dv, /dv' and /du at rest, without solving the equations of motion; transmitted
// forces are not known.
td_status td_sensor_slopes(const td_model* m, const td_state* state, td_work* w,
                           const sensor_slopes* to) {
  const size_t nv = (size_t)m->nvel, nu = (size_t)model_drives(m), ny = (size_t)m->noutput_name;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *zero = arena_zeros(s, m->nvel),
         *scale = arena_doubles(s, m->noutput_probe + m->noutput_input);
  memset(to->dq, 0, ny * nv * sizeof(double));
  memset(to->dv, 0, ny * nv * sizeof(double));
  memset(to->da, 0, ny * nv * sizeof(double));
  memset(to->du, 0, ny * nu * sizeof(double));

  // partial derivatives of the outputs by probes and inputs
  const td_status status = td_probe_all(m, state, w, m->output_accel);
  td_tape_eval(m->output_probe_tape, w->vars, w->scratch_tape, scale);
  td_tape_eval(m->output_input_tape, w->vars, w->scratch_tape, scale + m->noutput_probe);

  // derivatives of the probes along the columns, at v' = 0
  td_enter(m, state, w);
  td_accelerate(m, w, zero, false);
  td_tangent_columns(m, w, zero);
  for (size_t i = 0; i < ny; i++) to->known[i] = true;

  for (int i = 0; i < m->noutput_probe; i++) {
    const model_partial* p = &m->output_probe[i];
    const size_t row = (size_t)p->target * nv;
    td_probe_row(m, w, p->source, scale[i], to->dq + row, to->dv + row);
    const sensor_ops* ops = td_sensor_ops[m->probe[p->source].kind];
    for (int col = 0; col < m->ncol && ops->accel_diff != td_no_accel_diff; col++)
      if (m->col[col].leads)
        to->da[row + (size_t)m->col[col].v] += scale[i] * ops->accel_diff(m, w, p->source, col);
    if (is_transmitted(m->probe[p->source].kind)) to->known[p->target] = false;
  }

  for (int i = 0; i < m->noutput_input; i++)
    to->du[(size_t)m->output_input[i].target * nu + (size_t)m->output_input[i].source] +=
        scale[m->noutput_probe + i];
  arena_close(s, mark);
  return status;
}

// ---- rates of internal states -----------------------------------------------------------------

// Rates of the internal states at the last evaluation.
const double* td_work_rates(const td_model* m, const td_work* w) {
  return w->num + m->internal_rate;
}

// Derivatives of the rates of internal states by q, v and the drives.
void td_trial_internal_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                               double* dv, double* du) {
  const int nv = m->nvel, nu = model_drives(m), n = m->ninternal, first = m->internal_rate;
  memset(dq, 0, (size_t)(n * nv) * sizeof(double));
  memset(dv, 0, (size_t)(n * nv) * sizeof(double));
  memset(du, 0, (size_t)(n * nu) * sizeof(double));
  td_enter(m, state, w);

  // by the drives
  td_tape_eval(m->live_input_tape, w->vars, w->scratch_tape, w->partial);

  for (int i = 0; i < m->nlive_input; i++) {
    const int rate = m->live_input[i].target - first;
    if (rate >= 0 && rate < n) du[rate * nu + m->live_input[i].source] += w->partial[i];
  }

  // by the probes, times the derivatives of the probes along the columns
  bool moved = false;

  for (int i = 0; i < m->nlive_probe && !moved; i++) {
    const int rate = m->live_probe[i].target - first;
    moved = rate >= 0 && rate < n;
  }

  if (!moved) return;
  const arena_mark mark = arena_open(&w->scratch);
  const double* zero = arena_zeros(&w->scratch, nv);
  td_accelerate(m, w, zero, false);
  td_tangent_columns(m, w, zero);
  td_tape_eval(m->live_probe_tape, w->vars, w->scratch_tape, w->partial);

  for (int i = 0; i < m->nlive_probe; i++) {
    const int rate = m->live_probe[i].target - first;
    if (rate < 0 || rate >= n || w->partial[i] == 0) continue;
    td_probe_row(m, w, m->live_probe[i].source, w->partial[i], dq + rate * nv, dv + rate * nv);
  }

  arena_close(&w->scratch, mark);
}

// Rates of the internal states at a finite state; TD_E_INFINITE: a rate is not finite.
td_status td_internal_rates(const td_model* m, const td_state* state, td_work* w, double* rates) {
  if (!model_has(m, state, w) || !td_state_is_finite(m, state) || (!rates && m->ninternal > 0))
    return TD_E_USAGE;
  td_enter(m, state, w);
  for (int i = 0; i < m->ninternal; i++) rates[i] = w->num[m->internal_rate + i];
  return td_finite(m, w, "the rate of the internal state", td_model_internal_name, rates,
                   m->ninternal, 1);
}

// td_trial_internal_tangent for finite states, with inputs and internal states separate.
td_status td_internal_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                              double* dv, double* du, double* dz) {
  if (!model_has(m, state, w) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  const arena_mark mark = arena_open(&w->scratch);
  const int n = m->ninternal, nv = m->nvel, nu = m->ninput, all = model_drives(m);
  double *q = arena_doubles(&w->scratch, n * nv), *v = arena_doubles(&w->scratch, n * nv),
         *u = arena_doubles(&w->scratch, n * all);

  // derivatives by all drives
  td_trial_internal_tangent(m, state, w, q, v, u);

  // copy what is wanted; drives are inputs, then internal states
  for (int i = 0; dq && i < n * nv; i++) dq[i] = q[i];
  for (int i = 0; dv && i < n * nv; i++) dv[i] = v[i];

  for (int i = 0; i < n; i++) {
    for (int k = 0; du && k < nu; k++) du[i * nu + k] = u[i * all + k];
    for (int k = 0; dz && k < n; k++) dz[i * n + k] = u[i * all + nu + k];
  }

  // all of them must be finite
  const char* const what = "a derivative of the rate of the internal state";
  td_status status = td_finite(m, w, what, td_model_internal_name, q, n, nv);
  if (status == TD_OK) status = td_finite(m, w, what, td_model_internal_name, v, n, nv);
  if (status == TD_OK) status = td_finite(m, w, what, td_model_internal_name, u, n, all);
  arena_close(&w->scratch, mark);
  return status;
}

// True when an input is part of a row's control.
bool td_inputs_drive_rows(const td_model* m) {
  for (int r = 0; r < m->nrow; r++)
    for (int i = 0; i < m->nlive_input && m->row[r].control != NUM_NONE; i++)
      if (m->live_input[i].target == m->row[r].control) return true;
  return false;
}
