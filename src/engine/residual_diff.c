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
#include <stdlib.h>
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

// ---- constants --------------------------------------------------------------------------------

// Changes of the numbers and of what a direction has from the initial geometry, one behind the
// other.
struct td_constants_change {
  unsigned prepared;  // td_work.prepared that they belong to
  double data[];
};

// Where a direction and the work have them; copied from `data`, or to it.
static void copy_constants(const td_model* m, td_work* w, direction* d, double* data, bool to) {
  double* const part[] = {
      w->dnum,    d->zero,    (double*)(void*)d->axes, (double*)(void*)d->reference,
      d->length0, d->row_zero};
  const int size[] = {m->nnumber,        m->ncable, 3 * m->nbeam_frame,
                      3 * m->nreference, m->nprobe, m->nrow};
  for (int i = 0; i < 6; data += size[i++])
    if (to)
      memcpy(data, part[i], (size_t)size[i] * sizeof(double));
    else
      memcpy(part[i], data, (size_t)size[i] * sizeof(double));
}

// Changes of numbers that follow parameters alone, then what the initial geometry makes of them.
static void constants_along(const td_model* m, td_work* w, const td_direction* along,
                            direction* d) {
  td_prepare(m, w);
  memset(w->dvar, 0, (size_t)m->nvar * sizeof(double));
  for (int i = 0; along->p && i < m->nparam; i++) w->dvar[m->param[i].var] = along->p[i];
  td_constants_change* known = (td_constants_change*)along->constants;
  if (known && known->prepared == w->prepared && !along->n) {
    copy_constants(m, w, d, known->data, false);
    return;
  }
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
  td_tape_numbers(w, m->param_tape, m->param_slot, m->nparam_slot);
  for (int i = 0; along->n && i < m->nnumber; i++) w->dnum[i] += along->n[i];
  if (along->p || along->n) td_initial_diff(m, w, d);
}

td_constants_change* td_constants_change_new(const td_model* m, td_work* w, const double* p) {
  const size_t n = (size_t)m->nnumber + (size_t)m->ncable + 3 * (size_t)m->nbeam_frame +
                   3 * (size_t)m->nreference + (size_t)m->nprobe + (size_t)m->nrow;
  td_constants_change* c = malloc(sizeof *c + n * sizeof(double));
  if (c == NULL) return NULL;
  const arena_mark mark = arena_open(&w->scratch);
  direction* d = td_direction_new(m, w);
  d->q = d->v = d->a = d->accel = d->lambda = d->none;
  const td_direction along = {.p = p};
  constants_along(m, w, &along, d);
  c->prepared = w->prepared;
  copy_constants(m, w, d, c->data, true);
  td_along_end(m, w);
  arena_close(&w->scratch, mark);
  return c;
}

void td_constants_change_free(td_constants_change* c) { free(c); }

// ---- one direction at a state -----------------------------------------------------------------

// A direction in the scratch with its changes of constants, times, inputs and internal states.
static direction* along_new(const td_model* m, td_work* w, const td_direction* along,
                            const double* a, bool gravity) {
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
  d->q = d->moved = q;
  d->v = d->moved_rate = v;
  constants_along(m, w, along, d);
  w->dvar[m->time_var] = along->t;
  for (int i = 0; along->u && i < m->ninput; i++) w->dvar[m->input[i].var] = along->u[i];
  for (int i = 0; along->u && i < m->ninternal; i++)
    w->dvar[m->internal[i].var] = along->u[m->ninput + i];
  return d;
}

// All changes of hops and numbers at the state that the work holds.  held (nvel, zeros; NULL: not
// wanted) gets those of prescribed accelerations and becomes the change of v'.
static void along_vary(const td_model* m, td_work* w, direction* d, double* held) {
  w->along = d;
  w->numbers_change = true;
  td_motion_diff(m, w, d->moved, d->moved_rate);
  for (int i = 0; held && i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) held[i] = w->dnum[m->vel[i].motion + 2];
  if (held) d->a = held;
  td_vary(m, w, d);
  const vec3 before = vec3_of(w->dnum + m->gravity);
  live_numbers(m, w);

  // gravity that follows time, inputs or the state accelerates the ground
  const vec3 more = vec3_sub(vec3_of(w->dnum + m->gravity), before);
  const spatial up = spatial_of(vec3_scale(-w->load, more), (vec3){0, 0, 0});
  for (int i = 0; i < m->nhop && d->gravity && vec3_norm(more) > 0; i++)
    d->hop[i].Z = spatial_add(d->hop[i].Z, up);
}

direction* td_along_begin(const td_model* m, const td_state* state, td_work* w,
                          const td_direction* along, const double* a, bool gravity) {
  direction* d = along_new(m, w, along, a, gravity);
  td_enter(m, state, w);
  td_accelerate(m, w, d->accel, gravity);
  along_vary(m, w, d, NULL);
  return d;
}

void td_along_end(const td_model* m, td_work* w) {
  w->along = NULL;
  w->numbers_change = false;
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
}

// Composite wrenches F_i; `unused` (nvel) is written to.
static void wrenches(const td_model* m, td_work* w, const double* lambda, double* unused) {
  td_forces(m, w, FORCES_ALL);
  if (m->nrow > 0 && lambda) td_row_forces(m, w, lambda);
  td_inverse(m, w, unused);
}

// The changes of everything that makes them up.
static void wrench_changes(const td_model* m, td_work* w, const direction* d, const double* lambda,
                           const double* dlambda) {
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  td_cables_along(m, w);
  td_forces_change(m, w, ALONG, false, w->df, w->dtau);
  row_changes_along(m, w, lambda, dlambda);
  inertial_changes(m, w, d);
}

void td_wrenches_along(const td_model* m, td_work* w, const direction* d, const double* lambda,
                       const double* dlambda, double* unused) {
  wrenches(m, w, lambda, unused);
  wrench_changes(m, w, d, lambda, dlambda);
}

// ---- residual and constraints -----------------------------------------------------------------

// The formula of the file's head, from the leaves to the roots; a NULL: accelerations zero.  What
// depends on the state alone is evaluated once, and again only where a direction that changes the
// initial geometry has moved the work there.
td_status td_residual_diffs(const td_model* m, const td_state* state, td_work* w,
                            const td_direction* along, int k, const double* a, const double* lambda,
                            double* dF, double* held, double* rates) {
  if (!model_has(m, state, w) || !along || !dF) return TD_E_USAGE;
  for (int j = 0; j < k; j++) TD_TRY(td_direction_check(m, w, &along[j]));
  const int nv = m->nvel;
  for (int j = 0; j < k; j++, dF += nv) {
    const arena_mark mark = arena_open(&w->scratch);
    direction* d = along_new(m, w, &along[j], a, true);
    if (j == 0 || !w->placed) {
      td_enter(m, state, w);
      td_accelerate(m, w, d->accel, true);
      wrenches(m, w, lambda, dF);
    }
    along_vary(m, w, d, held ? held + j * nv : NULL);
    for (int i = 0; rates && i < m->ninternal; i++)
      rates[j * m->ninternal + i] = w->dnum[m->internal_rate + i];
    wrench_changes(m, w, d, lambda, along[j].lambda);

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
  }
  return TD_OK;
}

td_status td_residual_diff(const td_model* m, const td_state* state, td_work* w,
                           const td_direction* along, const double* a, const double* lambda,
                           double* dF) {
  return td_residual_diffs(m, state, w, along, 1, a, lambda, dF, NULL, NULL);
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

// Row by row along each direction; rows that are off have no change.
td_status td_constraints_diffs(const td_model* m, const td_state* state, td_work* w,
                               const td_direction* along, int k, const double* a, double* e,
                               double* edot, double* defect) {
  if (!model_has(m, state, w) || !along) return TD_E_USAGE;
  for (int j = 0; j < k; j++) TD_TRY(td_direction_check(m, w, &along[j]));
  for (int j = 0; j < k; j++) {
    const arena_mark mark = arena_open(&w->scratch);
    direction* d = along_new(m, w, &along[j], a, false);
    if (j == 0 || !w->placed) {
      td_enter(m, state, w);
      td_accelerate(m, w, d->accel, false);
    }
    along_vary(m, w, d, NULL);
    for (int i = 0; i < m->nrow; i++) {
      double more;
      const row_value r = td_row_along(m, w, i, &more);
      const bool off = row_is_off(m, w, i);
      if (e) e[j * m->nrow + i] = off ? 0 : r.e;
      if (edot) edot[j * m->nrow + i] = off ? 0 : r.ed;
      if (defect) defect[j * m->nrow + i] = off ? 0 : more;
    }
    td_along_end(m, w);
    arena_close(&w->scratch, mark);
  }
  return TD_OK;
}

td_status td_constraints_diff(const td_model* m, const td_state* state, td_work* w,
                              const td_direction* along, const double* a, double* e, double* edot,
                              double* defect) {
  return td_constraints_diffs(m, state, w, along, 1, a, e, edot, defect);
}
