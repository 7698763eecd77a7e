// Energies and powers, and what joints transmit.
//
//   kinetic  Σ (m |u|² + ω·Iω)/2      gravity  -Σ m g·c      elastic: what laws and pieces store
//
// The power is that of all forces without a potential: dampers, inputs, loads, springs whose
// coefficients change, gravity that does; what constraint rows add, λ·J v, is left to the solution.
#include "gen/deriver.h"

static x3 gravity(deriver* d) { return td_derive_vector(d, d->m->gravity); }

static ex mass_energy(deriver* d, const tmt_mass* mass) {
  td_exprs* g = d->g;
  const x3 u = {{mass->u[0], mass->u[1], mass->u[2]}}, w = {{mass->u[3], mass->u[4], mass->u[5]}};
  const ex twice =
      xadd(g, xmul(g, mass->m, x3_dot(g, u, u)), x3_dot(g, w, x33_apply(g, mass->I, w)));
  const ex kinetic = xscale(g, 0.5, twice);
  if (!d->m->gravity_constant) return kinetic;
  return xsub(g, kinetic, xmul(g, mass->m, x3_dot(g, gravity(d), mass->centre)));
}

static ex weight_power(deriver* d, const tmt_mass* mass) {
  td_exprs* g = d->g;
  const x3 u = {{mass->u[0], mass->u[1], mass->u[2]}};
  return xmul(g, mass->m, x3_dot(g, gravity(d), x33_apply(g, mass->axes, u)));
}

static bool has_given_motion(const td_model* m) { return m->nfree_v < m->nvel || m->strains_timed; }

bool td_derive_asks_energy(const td_model* m) {
  for (int i = 0; i < m->nprobe; i++) {
    if (td_derive_sensors_of[m->probe[i].kind]->energy) return true;
  }
  return false;
}

td_status td_derive_energy(deriver* d, bool power) {
  const bool asks = td_derive_asks_energy(d->m);
  td_exprs* g = d->g;
  d->energy = d->out->power = EX_NONE;
  if (!d->energetic) return TD_OK;
  d->energy = d->passive.energy;
  ex sum = xadd(g, d->passive.power, d->active.power);
  for (int i = 0; i < d->out->nmass; i++) {
    d->energy = xadd(g, d->energy, mass_energy(d, &d->out->mass[i]));
    if (!d->m->gravity_constant) sum = xadd(g, sum, weight_power(d, &d->out->mass[i]));
  }
  for (int i = 0; i < d->out->nloop; i++) {
    tmt_loop* l = &d->out->loop[i];
    const ex e = xadd(g, l->energy, mass_energy(d, &l->mass));
    if (asks) d->energy = xadd(g, d->energy, td_derive_sum(d, i, e));
    if (!d->m->gravity_constant) l->power = xadd(g, l->power, weight_power(d, &l->mass));
  }
  if (power && !has_given_motion(d->m)) d->out->power = sum;
  return td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}

// ---- what joints transmit ---------------------------------------------------------------------

// A wrench in the world, its torque about a point.
typedef struct sum_x {
  x3 f, t, about;
} sum_x;

static void add_wrench(td_exprs* g, sum_x* s, x3 at, x3 f, x3 t) {
  s->f = x3_add(g, s->f, f);
  s->t = x3_add(g, s->t, x3_add(g, t, x3_cross(g, x3_sub(g, at, s->about), f)));
}

// m (Ṫ v + T v' - g) and the rate of the angular momentum
static void add_inertia(deriver* d, const tmt_mass* mass, sum_x* s) {
  td_exprs* g = d->g;
  x3 f = {{mass->f[0], mass->f[1], mass->f[2]}}, t = {{mass->f[3], mass->f[4], mass->f[5]}};
  x3 du = x3_zero(g), dw = du;
  for (int k = 0; k < mass->n; k++) {
    const ex a = td_ex_var(g, d->out->a[mass->v[k]]);
    for (int c = 0; c < 3; c++) {
      du.a[c] = xadd(g, du.a[c], xmul(g, mass->T[c * mass->n + k], a));
      dw.a[c] = xadd(g, dw.a[c], xmul(g, mass->T[(3 + c) * mass->n + k], a));
    }
  }
  f = x3_add(g, f, x3_scale(g, mass->m, du));
  t = x3_add(g, t, x33_apply(g, mass->I, dw));
  add_wrench(g, s, mass->centre, x33_apply(g, mass->axes, f), x33_apply(g, d->hop[mass->hop].R, t));
}

static void take_load(deriver* d, const load_x* load, int from, int to, ex scale, sum_x* s) {
  td_exprs* g = d->g;
  for (int i = from; i <= to; i++) {
    if (!load->hop[i].any) continue;
    const x3 f = x3_scale(g, scale, x33_apply(g, d->hop[i].R, load->hop[i].f));
    const x3 t = x3_scale(g, scale, x33_apply(g, d->hop[i].R, load->hop[i].t));
    add_wrench(g, s, d->hop[i].p, x3_neg(g, f), x3_neg(g, t));
  }
}

// All that the parts beyond the joint need to move as they do, less what acts on them.
static sum_x through_tree(deriver* d, int hop, x3 about) {
  td_exprs* g = d->g;
  const int last = d->m->hop[hop].last;
  sum_x s = {x3_zero(g), x3_zero(g), about};
  for (int i = 0; i < d->out->nmass; i++) {
    const tmt_mass* mass = &d->out->mass[i];
    if (mass->hop >= hop && mass->hop <= last) add_inertia(d, mass, &s);
  }
  take_load(d, &d->passive, hop, last, xnum(g, 1), &s);
  take_load(d, &d->active, hop, last, xnum(g, 1), &s);
  for (int i = 0; i < d->m->nrow; i++) {
    td_load_clear(d, &d->row);
    td_derive_row(d, i, &d->row);
    take_load(d, &d->row, hop, last, td_ex_var(g, d->out->lambda[i]), &s);
  }
  return s;
}

// Springs, dampers, inputs and multipliers between the two frames, in the axes of the first.
static wrench_x through_link(deriver* d, int joint, int element) {
  td_exprs* g = d->g;
  td_load_clear(d, &d->row);
  d->row.second.any = true;
  td_derive_link(d, joint, element, &d->row, &d->row);
  wrench_x sum = d->row.second;
  for (int i = 0; i < d->m->nrow; i++) {
    if (d->m->row[i].joint != joint || d->m->row[i].element != element) continue;
    const ex lambda = td_ex_var(g, d->out->lambda[i]);
    td_load_clear(d, &d->row);
    d->row.second.any = true;
    td_derive_row(d, i, &d->row);
    sum.f = x3_add(g, sum.f, x3_scale(g, lambda, d->row.second.f));
    sum.t = x3_add(g, sum.t, x3_scale(g, lambda, d->row.second.t));
  }
  return sum;
}

ex td_derive_joint_force(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  const int c = p->component;
  if (!d->m->joint[p->joint - 1].main) {
    const wrench_x link = through_link(d, p->joint, p->element);
    return c < 3 ? link.f.a[c] : link.t.a[c - 3];
  }
  const int hop = d->m->station[p->b].hop;
  if (hop < 0) return xnum(g, 0);
  const sum_x s = through_tree(d, hop, td_derive_station(d, p->b).p);
  const x33 R = td_derive_station(d, p->a).R;
  return c < 3 ? x33_apply_t(g, R, s.f).a[c] : x33_apply_t(g, R, s.t).a[c - 3];
}
