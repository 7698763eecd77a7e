// All forces of a model as expressions, kind by kind (derive_<kind>.c has the formulas of a kind):
// h = Σ Tᵀ f_inertia - passive forces, τ = active forces.
#include "engine/force.h"
#include "gen/deriver.h"

const derive_ops* const td_derive_table[FORCE_KINDS] = {
#define X(type, kind, text) &td_derive_##kind,
    TD_FORCES(X)
#undef X
};

// Derive one force by its kind.
static void one_force(deriver* d, int force, load_x* passive, load_x* active) {
  const force_info f = force_at(d->m, force);
  td_derive_table[f.kind]->derive(d, f.i, passive, active);
}

// Derive the forces that act between the two frames of a joint's element.
void td_derive_link(deriver* d, int joint, int element, load_x* passive, load_x* active) {
  const int n = model_forces(d->m);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(d->m, i);
    if (f.joint == joint && f.element == element && td_element_table[f.kind]->is_link(d->m, f.i))
      one_force(d, i, passive, active);
  }
}

// Append the generalised forces of one element by themselves, for the velocities that they act on.
// `other`: a load to compute with.  False: no memory.
static bool push_element(deriver* d, int force, load_x* other) {
  td_exprs* g = d->g;
  td_derived* out = d->out;
  const size_t nv = (size_t)out->nv + 1;
  const ex zero = xnum(g, 0);
  tmt_force* forces = td_grow(out->force, &out->force_cap, out->nforce + 1, sizeof *forces);
  if (!forces) return false;
  out->force = forces;
  tmt_force* to = &out->force[out->nforce++];
  *to = (tmt_force){.name = force_at(d->m, force).name,
                    .v = malloc(nv * sizeof(int)),
                    .passive = malloc(nv * sizeof(ex)),
                    .active = malloc(nv * sizeof(ex))};
  if (!to->v || !to->passive || !to->active) return false;

  // generalised forces on all velocities
  td_load_clear(d, &d->row);
  td_load_clear(d, other);
  one_force(d, force, &d->row, other);
  for (int i = 0; i < out->nv; i++) to->passive[i] = to->active[i] = zero;
  td_load_collect(d, &d->row, to->passive);
  td_load_collect(d, other, to->active);

  // keep those that are not zero
  for (int i = 0; i < out->nv; i++) {
    if (to->passive[i] == zero && to->active[i] == zero) continue;
    to->v[to->n] = i;
    to->passive[to->n] = to->passive[i];
    to->active[to->n++] = to->active[i];
  }
  return true;
}

// h += Tᵀ f
static void add_inertia(td_exprs* g, const tmt_mass* mass, ex* h) {
  for (int k = 0; k < mass->n; k++) {
    ex sum = h[mass->v[k]];
    for (int c = 0; c < 6; c++) {
      sum = xadd(g, sum, xmul(g, mass->T[c * mass->n + k], mass->f[c]));
    }
    h[mass->v[k]] = sum;
  }
}

// Derive what one point adds to each quadrature: h, τ, power and energy as functions of its numbers
// z.  False: no memory.
static bool quadrature_forces(deriver* d) {
  td_exprs* g = d->g;
  load_x passive = {0}, active = {0};
  const bool ok = td_load_open(d, &passive) && td_load_open(d, &active);
  for (int quadrature = 0; ok && quadrature < d->out->nquadrature; quadrature++) {
    tmt_quadrature* l = &d->out->quadrature[quadrature];
    td_load_clear(d, &passive);
    td_load_clear(d, &active);
    const int n = model_forces(d->m);
    for (int i = 0; i < n; i++) {
      if (d->force_quadrature[i] == quadrature + 1) one_force(d, i, &passive, &active);
    }
    td_load_collect(d, &passive, l->h);
    td_load_collect(d, &active, l->tau);
    for (int i = 0; i < d->out->nv; i++) l->h[i] = xneg(g, l->h[i]);
    add_inertia(g, &l->mass, l->h);
    l->power = xadd(g, passive.power, active.power);
    l->energy = passive.energy;
  }
  td_load_close(&passive);
  td_load_close(&active);
  return ok;
}

// Derive h and τ of the whole model, of its quadratures, and on request of each element.
td_status td_derive_forces(deriver* d) {
  td_exprs* g = d->g;
  td_derived* out = d->out;

  // wrenches on the hops and forces along velocities
  const int n = model_forces(d->m);
  for (int i = 0; i < n && !td_exprs_failed(g); i++) {
    if (d->force_quadrature[i] == 0) one_force(d, i, &d->passive, &d->active);
  }

  // their generalised forces, with the inertial ones
  ex* passive = malloc(((size_t)out->nv + 1) * sizeof *passive);
  if (!passive) return TD_E_NOMEM;
  for (int i = 0; i < out->nv; i++) passive[i] = out->tau[i] = out->h[i] = xnum(g, 0);
  td_load_collect(d, &d->passive, passive);
  td_load_collect(d, &d->active, out->tau);
  for (int i = 0; i < out->nmass; i++) add_inertia(g, &out->mass[i], out->h);
  for (int i = 0; i < out->nv; i++) out->h[i] = xsub(g, out->h[i], passive[i]);
  free(passive);
  if (out->nquadrature > 0 && !quadrature_forces(d)) return TD_E_NOMEM;

  // each element by itself
  if (d->elements) {
    load_x other = {0};
    bool ok = td_load_open(d, &other);
    for (int i = 0; ok && i < n; i++) ok = push_element(d, i, &other);
    td_load_close(&other);
    if (!ok) return TD_E_NOMEM;
  }
  return td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}
