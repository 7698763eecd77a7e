// One directional derivative: how F(t, q, v, a, λ; p) = M a + h - τ - Jᵀλ and the constraints
// change along a direction of everything they depend on; sensor_diff.c has the sensors.
//
// Parameters enter by the numbers of the model, whose changes (w->dnum) come from the tapes
// (expr/tape_diff.c); rest values and the like by the initial geometry (initial_diff.c).  One sweep
// over the hops gives X, U, Z of direction.h.  With the wrenches F_i of the subtrees (td_inverse),
// made of what masses need, f = I A + V ×* I V, less what acts on them,
//
//   δf = δI A + I δA + δV ×* I V + V ×* (δI V + I δV)        δI = X ×* I - I X × + its own change
//   δ(S_kᵀ F_i) = S_kᵀ (δF_i - X_i ×* F_i) + F_i · Ad ∂ε/∂q_k
#include <string.h>

#include "engine/direction.h"
#include "engine/hop.h"
#include "engine/row_table.h"
#include "engine/taut.h"

// ---- changes ----------------------------------------------------------------------------------

static void live_numbers(const td_model* m, td_work* w) {
  if (m->nlive_slot == 0) return;
  for (int i = 0; i < m->nprobe; i++)
    if (m->probe[i].depends & (TD_ON_STATE | TD_ON_RATE))
      w->dvar[m->probe[i].var] = td_probe_change(m, w, i, ALONG, false);
  td_tape_numbers(w, m->live_tape, m->live_slot, m->nlive_slot);
}

// Change of a body's inertia beside moving with its hop.
static void add_body(void* ctx, int hop, const inertia* change) {
  td_work* w = ctx;
  const hop_work* h = &w->hop[hop];
  const spatial IV = inertia_apply(change, &h->V), IA = inertia_apply(change, &h->A);
  w->df[hop] = spatial_sub(w->df[hop], spatial_add(IA, spatial_cross_force(&h->V, &IV)));
}

// δf of the masses, subtracted from w->df.
static void inertial_changes(const td_model* m, td_work* w, const direction* d) {
  for (int i = 0; i < m->nhop; i++) {
    if (!w->hop_heavy[i]) continue;
    // f turns along, and beside that A by U × V + Z and V by U
    const hop_work* h = &w->hop[i];
    const hop_change* c = &d->hop[i];
    const spatial IV = inertia_apply(&h->I, &h->V), IA = inertia_apply(&h->I, &h->A);
    const spatial f = spatial_add(IA, spatial_cross_force(&h->V, &IV));
    const spatial dA = spatial_add(spatial_cross(&c->U, &h->V), c->Z);
    const spatial IU = inertia_apply(&h->I, &c->U), turned = spatial_cross_force(&c->X, &f);
    const spatial slower =
        spatial_add(spatial_cross_force(&c->U, &IV), spatial_cross_force(&h->V, &IU));
    const spatial sum = spatial_add(spatial_add(turned, inertia_apply(&h->I, &dA)), slower);
    w->df[i] = spatial_sub(w->df[i], sum);
  }
  td_each_body_change(m, w, add_body, w);
}

// Add the changes of multiplier forces to w->df and w->dtau: of the rows with lambda held, and of
// lambda with the rows held (dlambda NULL: none).
static void row_changes_along(const td_model* m, td_work* w, const double* lambda,
                              const double* dlambda) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const row_ops* ops = td_row_table[r->kind];
    if (lambda) ops->add_diff(m, w, i, lambda[i], ALONG, false, w->df);
    if (!dlambda || dlambda[i] == 0 || row_is_off(m, w, i)) continue;
    if (!row_has_frames(r->kind)) {
      td_taut_pull(m, w, r->cable, dlambda[i], w->df, sizeof *w->df, w->dtau);
      continue;
    }
    const int station[3] = {r->a, r->b, r->c};
    spatial f[3];
    td_row_wrenches(m, w, i, f);
    for (int e = 0; e < 3; e++) {
      const int hop = station[e] < 0 ? -1 : m->station[station[e]].hop;
      if (hop >= 0) w->df[hop] = spatial_axpy(dlambda[i], f[e], w->df[hop]);
    }
  }
}

direction* td_along_begin(const td_model* m, const td_state* state, td_work* w,
                          const td_direction* along, const double* a, bool gravity) {
  arena* s = &w->scratch;
  const int nv = m->nvel;
  double *q = arena_zeros(s, nv), *v = arena_zeros(s, nv);
  direction* d = td_direction_new(m, w);
  d->accel = a ? a : d->none;
  d->a = along->a ? along->a : d->none;
  d->lambda = along->lambda ? along->lambda : d->none;
  d->gravity = gravity;
  if (along->q) memcpy(q, along->q, (size_t)nv * sizeof(double));
  if (along->v) memcpy(v, along->v, (size_t)nv * sizeof(double));
  d->q = q;
  d->v = v;

  // numbers that follow parameters alone, then what the initial geometry makes of them
  td_prepare(m, w);
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
  memset(w->dvar, 0, (size_t)m->nvar * sizeof(double));
  for (int i = 0; along->p && i < m->nparam; i++) w->dvar[m->param[i].var] = along->p[i];
  td_tape_numbers(w, m->param_tape, m->param_slot, m->nparam_slot);
  for (int i = 0; along->n && i < m->nnumber; i++) w->dnum[i] += along->n[i];
  if (along->p || along->n) td_initial_diff(m, w, d);
  w->dvar[m->time_var] = along->t;
  for (int i = 0; along->u && i < m->ninput; i++) w->dvar[m->input[i].var] = along->u[i];
  for (int i = 0; along->u && i < m->ninternal; i++)
    w->dvar[m->internal[i].var] = along->u[m->ninput + i];

  td_enter(m, state, w);
  td_accelerate(m, w, d->accel, gravity);
  w->along = d;
  w->numbers_change = true;
  td_motion_diff(m, w, q, v);
  td_vary(m, w, d);
  const vec3 before = vec3_of(w->dnum + m->gravity);
  live_numbers(m, w);

  // gravity that follows time, inputs or the state accelerates the ground
  const vec3 more = vec3_sub(vec3_of(w->dnum + m->gravity), before);
  const spatial up = spatial_of(vec3_scale(-w->load, more), (vec3){0, 0, 0});
  for (int i = 0; i < m->nhop && gravity && vec3_norm(more) > 0; i++)
    d->hop[i].Z = spatial_add(d->hop[i].Z, up);
  return d;
}

void td_along_end(const td_model* m, td_work* w) {
  w->along = NULL;
  w->numbers_change = false;
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
}

// Composite wrenches F_i, then the changes of everything that makes them up.
void td_wrenches_along(const td_model* m, td_work* w, const direction* d, const double* lambda,
                       const double* dlambda, double* unused) {
  td_forces(m, w, FORCES_ALL);
  if (m->nrow > 0 && lambda) td_row_forces(m, w, lambda);
  td_inverse(m, w, unused);
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  td_cables_along(m, w);
  td_forces_change(m, w, ALONG, false, w->df, w->dtau);
  row_changes_along(m, w, lambda, dlambda);
  inertial_changes(m, w, d);
}

// The formula of the file's head, from the leaves to the roots; a NULL: accelerations zero.
td_status td_residual_diff(const td_model* m, const td_state* state, td_work* w,
                           const td_direction* along, const double* a, const double* lambda,
                           double* dF) {
  if (!model_has(m, state, w) || !along || !dF) return TD_E_USAGE;
  TD_TRY(td_direction_check(m, w, along));
  const arena_mark mark = arena_open(&w->scratch);
  const int nv = m->nvel;
  const direction* d = td_along_begin(m, state, w, along, a, true);
  td_wrenches_along(m, w, d, lambda, along->lambda, dF);

  // generalised forces: change of the columns, then of the composite wrenches
  memset(dF, 0, (size_t)nv * sizeof(double));
  for (int i = 0, end; i < m->nhop; i = end) {
    end = m->hop[i].alike;
    td_hop_table[m->hop[i].kind]->vary_forces(m, w, i, end, d, dF);
  }
  for (int i = m->nhop - 1; i >= 0; i--) {
    const spatial turned = spatial_cross_force(&d->hop[i].X, &w->hop[i].F);
    const spatial change = spatial_scale(-1, spatial_add(w->df[i], turned));
    td_hop_forces(m, w, i, &change, dF);
    const int parent = m->hop[i].parent;
    if (parent >= 0) w->df[parent] = spatial_add(w->df[parent], w->df[i]);
  }
  for (int i = 0; i < nv; i++) dF[i] -= w->dtau[i];
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
  return TD_OK;
}

// Read from the changes of the numbers, which td_along_begin makes.
td_status td_given_diff(const td_model* m, const td_state* state, td_work* w,
                        const td_direction* along, const td_given* out) {
  if (!model_has(m, state, w) || !along || !out) return TD_E_USAGE;
  const arena_mark mark = arena_open(&w->scratch);
  const direction* d = td_along_begin(m, state, w, along, NULL, false);
  double* const motion[3] = {out->q, out->v, out->a};
  for (int i = 0; i < m->nvel; i++)
    for (int k = 0; k < 3; k++) {
      const num slot = m->vel[i].motion;
      if (motion[k]) motion[k][i] = slot == NUM_NONE ? 0 : w->dnum[slot + k];
    }
  for (int i = 0; out->target && i < m->nrow; i++)
    out->target[i] = m->row[i].target == TARGET_CONTROL ? d->row_zero[i] : 0;
  for (int i = 0; i < m->ninternal; i++) {
    if (out->initial) out->initial[i] = w->dnum[m->internal[i].init];
    if (out->rates) out->rates[i] = w->dnum[m->internal_rate + i];
  }
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
  return TD_OK;
}

// Row by row along the direction; rows that are off have no change.
td_status td_constraints_diff(const td_model* m, const td_state* state, td_work* w,
                              const td_direction* along, const double* a, double* e, double* edot,
                              double* defect) {
  if (!model_has(m, state, w) || !along) return TD_E_USAGE;
  TD_TRY(td_direction_check(m, w, along));
  const arena_mark mark = arena_open(&w->scratch);
  td_along_begin(m, state, w, along, a, false);
  for (int i = 0; i < m->nrow; i++) {
    double more;
    const row_value d = td_row_along(m, w, i, &more);
    const bool off = row_is_off(m, w, i);
    if (e) e[i] = off ? 0 : d.e;
    if (edot) edot[i] = off ? 0 : d.ed;
    if (defect) defect[i] = off ? 0 : more;
  }
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
  return TD_OK;
}
