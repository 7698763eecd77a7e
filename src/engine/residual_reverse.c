// The transposed directional derivative: weights F̄ of F(t, q, v, a, λ; n) = M a + h - τ - Jᵀλ give
// those of everything it depends on,
//
//   F̄·δF = t̄ δt + q̄·δq + v̄·δv + ā·δa + λ̄·δλ + ū·δu + n̄·δn + p̄·δp      for every direction δ
//
// in one sweep: the stages of residual_diff.c, the last first, whatever the number of numbers.
// F̄ is a virtual velocity.  It moves hop i with the twist Y_i = Σ S_k F̄_k over the columns from the
// ground to it, which are the weights of all wrenches on it:
//
//   F̄·δF = Σ_i (Y_i - Y_parent) · (δF_i - X_i ×* F_i) + F̄_k F_i·Ad ∂ε/∂q_k
//        = Σ_i Y_i·δf_i  +  X_i·((Y_i - Y_parent) ×* F_i)  +  ...
//
// with the wrenches F_i of the subtrees and f_i of single hops (residual_diff.c).  Masses, forces,
// rows and cables turn Y_i into adjoints X̄, Ū, Z̄ of the motion of the hops and into those of their
// numbers (adjoint.h); the hops, from the leaves to the root, into those of coordinates; tapes into
// those of inputs and parameters; the initial geometry, last, takes those of rest values, lengths
// and references (initial_diff.c).
#include <string.h>

#include "engine/adjoint.h"
#include "engine/hop_strain.h"
#include "engine/row_table.h"
#include "engine/sensor_table.h"
#include "engine/system.h"
#include "engine/taut.h"

// The state, its accelerations, and adjoints that are zero; both live in the scratch until it is
// closed.  The direction has no changes but the units of td_units.
static adjoint* begin(const td_model* m, const td_state* state, td_work* w, const double* a,
                      bool gravity) {
  direction* d = td_direction_new(m, w);
  adjoint* b = td_adjoint_new(m, w);
  memset(d->hop, 0, (size_t)m->nhop * sizeof(hop_change));
  d->q = d->v = d->a = d->lambda = d->none;
  d->accel = a ? a : d->none;
  d->gravity = gravity;
  b->F = d->none;
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
  memset(w->dvar, 0, (size_t)m->nvar * sizeof(double));
  td_enter(m, state, w);
  td_accelerate(m, w, d->accel, gravity);
  w->along = d;
  w->numbers_change = true;
  return b;
}

// Virtual twists of the hops, and what they do to the composite wrenches, which turn.
static void virtual_twists(const td_model* m, const td_work* w, const double* F, adjoint* b) {
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    spatial own = spatial_zero();
    if (is_step(hop)) {
      own = td_strain_acceleration(m, w, hop, F);
    } else {
      for (int k = hop->col; k < hop->col + hop->nv; k++)
        own = spatial_axpy(F[m->col[k].v], w->col[k].S, own);
    }
    b->hop[i].X = spatial_cross_force(&own, &w->hop[i].F);
    b->f[i] = spatial_scale(-1, own);
    if (hop->parent >= 0) b->f[i] = spatial_add(b->f[i], b->f[hop->parent]);
  }
  for (int i = 0; i < m->nvel; i++) b->tau[i] = -F[i];
}

// From the numbers that follow sensors and inputs to the motion of the hops, to coordinates, to the
// initial geometry and to the parameters; then the results.  `held`: prescribed accelerations are
// those of their numbers.
static void finish(const td_model* m, td_work* w, adjoint* b, bool held, const td_adjoint* out) {
  if (m->nlive_slot > 0) {
    td_tape_numbers_reverse(w, m->live_tape, m->live_slot, m->nlive_slot, b);
    for (int i = 0; i < m->nprobe; i++) {
      const model_probe* p = &m->probe[i];
      if (!(p->depends & (TD_ON_STATE | TD_ON_RATE)) || b->var[p->var] == 0) continue;
      td_sensor_ops[p->kind]->reverse(m, w, i, b->var[p->var], b);
      b->var[p->var] = 0;
    }
  }
  td_vary_reverse(m, w, b);
  for (int i = 0; held && i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) b->n[m->vel[i].motion + 2] += b->a[i];
  td_motion_reverse(m, w, b);
  const size_t nv = (size_t)m->nvel * sizeof(double);
  if (out->q) memcpy(out->q, b->q, nv);
  if (out->v) memcpy(out->v, b->v, nv);
  if (out->a) memcpy(out->a, b->a, nv);
  if (out->lambda) memcpy(out->lambda, b->lambda, (size_t)m->nrow * sizeof(double));
  if (out->t) *out->t = b->var[m->time_var];
  for (int i = 0; out->u && i < m->ninput; i++) out->u[i] = b->var[m->input[i].var];
  for (int i = 0; out->u && i < m->ninternal; i++)
    out->u[m->ninput + i] = b->var[m->internal[i].var];

  // numbers: those that parameters make have their own adjoints as well
  if (out->n || out->p) td_initial_reverse(m, w, b);
  if (out->n) memcpy(out->n, b->n, (size_t)m->nnumber * sizeof(double));
  if (out->p) {
    td_tape_numbers_reverse(w, m->param_tape, m->param_slot, m->nparam_slot, b);
    for (int i = 0; i < m->nparam; i++) out->p[i] = b->var[m->param[i].var];
  }
  w->along = NULL;
  w->numbers_change = false;
}

// The adjoint of the residual, with that of the rates of internal states (NULL: zero).
static void reverse_residual(const td_model* m, const td_state* state, td_work* w, const double* a,
                             const double* lambda, const double* F, const double* rates, bool held,
                             const td_adjoint* out) {
  const arena_mark mark = arena_open(&w->scratch);
  adjoint* b = begin(m, state, w, a, true);
  double* residual = arena_doubles(&w->scratch, m->nvel);

  // the composite wrenches
  td_forces(m, w, FORCES_ALL);
  if (m->nrow > 0 && lambda) td_row_forces(m, w, lambda);
  td_inverse(m, w, residual);

  // masses, rows, forces, tensions of cables
  b->F = F;
  virtual_twists(m, w, F, b);
  td_masses_reverse(m, w, b);
  for (int i = 0; i < m->nrow; i++)
    td_row_table[m->row[i].kind]->force_reverse(m, w, i, lambda ? lambda[i] : 0, b);
  td_forces_reverse(m, w, b);
  td_cables_reverse(m, w, b);

  // gravity accelerates the ground and all hops with it
  for (int i = 0; i < m->nhop; i++)
    add3(b->n + m->gravity, vec3_scale(-w->load, spatial_t(&b->hop[i].Z)));
  for (int i = 0; rates && i < m->ninternal; i++) b->n[m->internal_rate + i] += rates[i];
  finish(m, w, b, held, out);
  arena_close(&w->scratch, mark);
}

static void reverse_rows(const td_model* m, const td_state* state, td_work* w, const double* a,
                         const double* e, const double* edot, const double* defect, bool held,
                         const td_adjoint* out) {
  const arena_mark mark = arena_open(&w->scratch);
  adjoint* b = begin(m, state, w, a, false);
  for (int i = 0; i < m->nrow; i++)
    if (!row_is_off(m, w, i))
      td_row_reverse(m, w, i, e ? e[i] : 0, edot ? edot[i] : 0, defect ? defect[i] : 0, b);
  finish(m, w, b, held, out);
  arena_close(&w->scratch, mark);
}

td_status td_residual_reverse(const td_model* m, const td_state* state, td_work* w, const double* a,
                              const double* lambda, const double* F, const td_adjoint* out) {
  if (!model_has(m, state, w) || !F || !out) return TD_E_USAGE;
  reverse_residual(m, state, w, a, lambda, F, NULL, false, out);
  return TD_OK;
}

td_status td_constraints_reverse(const td_model* m, const td_state* state, td_work* w,
                                 const double* a, const double* e, const double* edot,
                                 const double* defect, const td_adjoint* out) {
  if (!model_has(m, state, w) || !out) return TD_E_USAGE;
  reverse_rows(m, state, w, a, e, edot, defect, false, out);
  return TD_OK;
}

static void add(double* to, const double* from, int n) {
  for (int i = 0; to && i < n; i++) to[i] += from[i];
}

// The system is symmetric but for a sign: with M x - Jᵀ l = ā, J x = 0,
//
//   ā·δv' = -x·δF + l·δd
td_status td_rates_reverse(const td_model* m, const td_state* state, td_work* w, const double* a,
                           const double* rates, const td_adjoint* out) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, nr = m->nrow, nd = model_drives(m);
  double *accel = arena_doubles(s, nv), *lambda = arena_doubles(s, nr);
  double *x = arena_zeros(s, nv), *l = arena_zeros(s, nr);

  // x and l at the state
  td_status status = td_trial_dynamics(m, state, w);
  memcpy(accel, w->vdot, (size_t)nv * sizeof(double));
  if (nr > 0) memcpy(lambda, w->lambda, (size_t)nr * sizeof(double));
  if (status == TD_OK) {
    const arena_mark inner = arena_open(s);
    td_system system;
    status = system_factor(m, w, SYSTEM_MOTION, &system);
    if (status == TD_OK) system_solve(m, w, &system, a, NULL, 1, x, nr > 0 ? l : NULL);
    arena_close(s, inner);
  }

  // the residual, then the rows, whose adjoints are added
  if (status == TD_OK) {
    for (int i = 0; i < nv; i++) x[i] = -x[i];
    reverse_residual(m, state, w, accel, lambda, x, rates, true, out);
  }
  if (status == TD_OK && nr > 0) {
    double t = 0;
    const td_adjoint more = {.t = &t,
                             .q = arena_doubles(s, nv),
                             .v = arena_doubles(s, nv),
                             .p = out->p ? arena_doubles(s, m->nparam) : NULL,
                             .u = arena_doubles(s, nd),
                             .n = out->n ? arena_doubles(s, m->nnumber) : NULL};
    reverse_rows(m, state, w, accel, NULL, NULL, l, true, &more);
    add(out->t, &t, 1);
    add(out->q, more.q, nv);
    add(out->v, more.v, nv);
    add(out->p, more.p, m->nparam);
    add(out->u, more.u, nd);
    add(out->n, more.n, m->nnumber);
  }
  arena_close(s, mark);
  return status;
}

// Weights of numbers are those that `finish` begins with.
td_status td_numbers_reverse(const td_model* m, const td_state* state, td_work* w,
                             const double* numbers, const td_adjoint* out) {
  if (!model_has(m, state, w) || !numbers || !out) return TD_E_USAGE;
  const arena_mark mark = arena_open(&w->scratch);
  adjoint* b = begin(m, state, w, NULL, false);
  memcpy(b->n, numbers, (size_t)m->nnumber * sizeof(double));
  finish(m, w, b, false, out);
  arena_close(&w->scratch, mark);
  return TD_OK;
}

// True when a kind of sensor has a transpose: it follows the state and numbers alone.
static bool has_reverse(const model_probe* p) {
  return td_sensor_ops[p->kind]->reverse != td_no_sensor_reverse && !is_transmitted(p->kind) &&
         !(p->depends & TD_ON_ACCEL);
}

// Outputs give their weights to the variables of their tape; probes among these to frames,
// coordinates and numbers.
td_status td_sensors_reverse(const td_model* m, const td_state* state, td_work* w,
                             const double* sensors, int* first, const td_adjoint* out) {
  if (!model_has(m, state, w) || (!sensors && m->noutput_name > 0) || !out) return TD_E_USAGE;
  for (int i = 0; i < m->noutput_probe; i++) {
    const int target = m->output_probe[i].target;
    if (sensors[target] == 0 || has_reverse(&m->probe[m->output_probe[i].source])) continue;
    if (first) *first = target;
    return TD_E_USAGE;
  }

  // values of all probes, then the state with adjoints that are zero
  TD_TRY(td_probe_all(m, state, w, m->output_accel));
  const arena_mark mark = arena_open(&w->scratch);
  adjoint* b = begin(m, state, w, NULL, false);
  td_tape_reverse(m->output_tape, w->vars, sensors, w->scratch_tape, w->partial, b->var);
  for (int i = 0; i < m->nprobe; i++) {
    const model_probe* p = &m->probe[i];
    if (b->var[p->var] != 0) td_sensor_ops[p->kind]->reverse(m, w, i, b->var[p->var], b);
    b->var[p->var] = 0;
  }
  finish(m, w, b, false, out);
  arena_close(&w->scratch, mark);
  return TD_OK;
}
