// The sensor com(): centre of mass of everything that moves,
//
//   com = Σ m c / Σ m,   com' = Σ m c' / Σ m
//
// over the hops, with m c' = m v + ω × mc for the twist (v, ω) of a hop about the origin.  Along a
// column all hops downstream move by the column's S.  Rods move as a whole: the pieces that the
// ground holds at the base of rods of segments count, too.
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

// Σ of m δc over the hops downstream of the column, along each step of its rod; velocities do not
// move it.
static double diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  vec3 sum = {0, 0, 0};
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

const sensor_ops td_sensor_COM = {value, diff, td_no_accel_diff, motion, visit, NULL, false};
