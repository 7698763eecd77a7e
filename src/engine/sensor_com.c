// The sensor com(): centre of mass of everything that moves,
//
//   com = Σ m c / Σ m,   com' = Σ m c' / Σ m
//
// over the hops, with m c' = m v + ω × mc for the twist (v, ω) of a hop about the origin.  Along a
// column all hops downstream move by the column's S.  Rods move as a whole: the pieces that the
// ground holds at the base of rods of segments count, too.
#include "engine/adjoint.h"
#include "engine/sensor_table.h"
#include "engine/stages.h"

// Does the ground hold this piece of a rod?
static bool is_held(const td_model* m, const model_lump* l) {
  return m->station[l->station].hop < 0;
}

// Σ m
static double total_mass(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nhop; i++)
    if (w->hop_heavy[i]) sum += w->hop[i].I.m;
  for (int i = 0; i < m->nlump; i++)
    if (is_held(m, &m->lump[i])) sum += w->num[m->lump[i].m];
  return sum;
}

// m c' of a hop's mass for the twist V.
static vec3 carried(const inertia* I, const spatial* V) {
  return vec3_axpy(I->m, spatial_t(V), vec3_cross(spatial_r(V), I->mc));
}

// Σ m c / Σ m
static double value(const td_model* m, td_work* w, int i) {
  vec3 sum = {0, 0, 0};
  for (int k = 0; k < m->nhop; k++)
    if (w->hop_heavy[k]) sum = vec3_add(sum, w->hop[k].I.mc);
  for (int k = 0; k < m->nlump; k++) {
    const model_lump* l = &m->lump[k];
    if (!is_held(m, l)) continue;
    const vec3 centre = pose_apply(w->station_fix[l->station], vec3_of(w->num + l->com));
    sum = vec3_axpy(w->num[l->m], centre, sum);
  }
  return vec3_at(sum, m->probe[i].component) / total_mass(m, w);
}

// Sums over the bodies whose numbers change.
typedef struct mass_change {
  double m;
  vec3 mc;
} mass_change;
static void add_mass(void* ctx, int hop, const inertia* change) {
  (void)hop;
  mass_change* sum = ctx;
  sum->m += change->m;
  sum->mc = vec3_add(sum->mc, change->mc);
}

// Change of the centre of mass along w->along: masses move and change.
static double com_along(const td_model* m, const td_work* w, int i) {
  mass_change sum = {0, {0, 0, 0}};
  vec3 all = {0, 0, 0};
  td_each_body_change(m, w, add_mass, &sum);
  for (int k = 0; k < m->nhop; k++) {
    if (!w->hop_heavy[k]) continue;
    sum.mc = vec3_add(sum.mc, carried(&w->hop[k].I, &w->along->hop[k].X));
    all = vec3_add(all, w->hop[k].I.mc);
  }

  // pieces that the ground holds: their mass, centre and place may change
  for (int k = 0; k < m->nlump; k++) {
    const model_lump* l = &m->lump[k];
    if (!is_held(m, l)) continue;
    const pose* g = &w->station_fix[l->station];
    const vec3 c = pose_apply(*g, vec3_of(w->num + l->com));
    const spatial X = td_station_change(m, w, l->station);
    const vec3 moved = vec3_add(mat3_apply(g->R, vec3_of(w->dnum + l->com)),
                                vec3_add(spatial_t(&X), vec3_cross(spatial_r(&X), c)));
    sum.m += w->dnum[l->m];
    sum.mc = vec3_axpy(w->dnum[l->m], c, vec3_axpy(w->num[l->m], moved, sum.mc));
    all = vec3_axpy(w->num[l->m], c, all);
  }
  const double mass = total_mass(m, w);
  return vec3_at(vec3_axpy(-sum.m / mass, all, sum.mc), m->probe[i].component) / mass;
}

// Σ of m δc over the hops downstream of the column, along each step of its rod; velocities do not
// move it.
static double diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  vec3 sum = {0, 0, 0};
  if (col == ALONG) return com_along(m, w, i);
  if (rate) return 0;
  for (int k = col; k >= 0; k = m->col[k].next)  // the steps of a rod
    for (int h = m->col[k].hop; h <= m->hop[m->col[k].hop].last; h++)
      if (w->hop_heavy[h]) sum = vec3_add(sum, carried(&w->hop[h].I, &w->col[k].S));
  return vec3_at(sum, m->probe[i].component) / total_mass(m, w);
}

// com' and com" at v' = 0: with A the rate of the twist V,  m c" = m A_v + A_ω × mc + ω × m c'.
static sensor_motion motion(const td_model* m, const td_work* w, int i) {
  vec3 rate = {0, 0, 0}, bias = {0, 0, 0};

  for (int k = 0; k < m->nhop; k++) {
    const hop_work* h = &w->hop[k];
    if (!w->hop_heavy[k]) continue;
    const vec3 p = carried(&h->I, &h->V);
    rate = vec3_add(rate, p);
    bias = vec3_add(bias, vec3_add(carried(&h->I, &h->A), vec3_cross(spatial_r(&h->V), p)));
  }

  const double mass = total_mass(m, w);
  const int c = m->probe[i].component;
  return (sensor_motion){vec3_at(rate, c) / mass, vec3_at(bias, c) / mass};
}

// The centre of mass depends on every velocity.
static void visit(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)p;
  for (int v = 0; v < m->nvel; v++) to->velocity(to->ctx, v);
}

// Weights of the changes of a mass m with the centre c at the pose g: `all` of m itself, `e` of m
// c.
static void mass_reverse(const td_model* m, const td_work* w, int station, num mass, num com,
                         const pose* g, double all, vec3 e, adjoint* b) {
  const double M = w->num[mass];
  const vec3 c = pose_apply(*g, vec3_of(w->num + com));
  const spatial X = spatial_of(vec3_scale(M, e), vec3_scale(M, vec3_cross(c, e)));
  b->n[mass] += all + vec3_dot(e, c);
  add3(b->n + com, vec3_scale(M, mat3_apply_t(g->R, e)));
  td_station_reverse(m, w, station, &X, b);
}

static void reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const double mass = total_mass(m, w);
  const vec3 e = vec3_scale(bar / mass, vec3_axis(m->probe[i].component));
  const double all = -bar / mass * value(m, w, i);
  for (int k = 0; k < m->nhop; k++) {
    const inertia* I = &w->hop[k].I;
    if (!w->hop_heavy[k]) continue;
    b->hop[k].X = spatial_add(b->hop[k].X, spatial_of(vec3_scale(I->m, e), vec3_cross(I->mc, e)));
  }
  for (int k = 0; k < m->nbody + m->nlump; k++) {
    const bool body = k < m->nbody;
    const model_lump* l = body ? NULL : &m->lump[k - m->nbody];
    const int station = body ? m->body[k].station : l->station, hop = m->station[station].hop;
    if (body && hop < 0) continue;
    const pose* own = &w->station_fix[station];
    const pose g = hop < 0 ? *own : pose_mul(w->hop[hop].g, *own);
    mass_reverse(m, w, station, body ? m->body[k].m : l->m, body ? m->body[k].com : l->com, &g, all,
                 e, b);
  }
}

const sensor_ops td_sensor_COM = {value, diff, td_no_accel_diff, motion, visit, reverse,
                                  NULL,  false};
