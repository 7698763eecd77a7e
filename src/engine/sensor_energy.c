// The sensor energy(): kinetic plus potential energy.  Along a column, with h the momentum of
// everything downstream, dT = h·U for the position of the column and dT = h·S for its rate.
#include "engine/direction.h"
#include "engine/sensor_table.h"
#include "engine/stages.h"

// Kinetic, elastic and gravity energy.
static double energy(const td_model* m, td_work* w, int i) {
  (void)i;
  const td_energies e = td_energies_at(m, w);
  return e.kinetic + e.elastic + e.gravity;
}

// Change of kinetic energy and of the potential of gravity along one column.
static double motion_energy_change(const td_model* m, const td_work* w, int col, bool rate) {
  const model_col* c = &m->col[col];
  const spatial *S = &w->col[col].S, *U = &sums_of_col(w, col)->U;
  spatial momentum = spatial_zero(), weight = spatial_zero();
  const vec3 g = m->gravity_constant ? vec3_scale(w->load, vec3_of(w->num + m->gravity))
                                     : (vec3){0, 0, 0};  // else it has no potential

  // momentum and weight of everything downstream, the fluid included
  for (int i = c->hop; i <= m->hop[c->hop].last; i++) {
    if (!w->hop_heavy[i]) continue;
    momentum = spatial_add(momentum, inertia_apply(&w->hop[i].I, &w->hop[i].V));
    weight = spatial_add(weight,
                         spatial_of(vec3_scale(w->hop[i].I.m, g), vec3_cross(w->hop[i].I.mc, g)));
  }

  td_fluid_energy_change(m, w, c->hop, m->hop[c->hop].last, &momentum, &weight);
  if (rate) return spatial_dot(&momentum, S);
  return spatial_dot(&momentum, U) - spatial_dot(&weight, S);
}

// Adds the change of a body's kinetic energy and weight with its own numbers.
typedef struct body_energy {
  const td_work* w;
  vec3 g;
  bool kinetic;
  double sum;
} body_energy;
static void add_body(void* ctx, int hop, const inertia* change) {
  body_energy* e = ctx;
  const spatial *V = &e->w->hop[hop].V, IV = inertia_apply(change, V);
  if (e->kinetic) e->sum += 0.5 * spatial_dot(V, &IV);
  e->sum -= vec3_dot(e->g, change->mc);
}

// Change of the energy along w->along: what moves with its hop by X, whose twist changes by U
// beside turning, and what numbers change.  `kinetic` false: of the potential energy alone.
double td_energy_along(const td_model* m, const td_work* w, bool kinetic) {
  const double load = m->gravity_constant ? w->load : 0;  // else it has no potential
  const vec3 g = vec3_scale(load, vec3_of(w->num + m->gravity)),
             dg = vec3_scale(load, vec3_of(w->dnum + m->gravity));
  body_energy e = {w, g, kinetic,
                   td_elastic_change(m, w, ALONG) + td_fluid_energy_along(m, w, kinetic)};
  for (int i = 0; i < m->nhop; i++) {
    if (!w->hop_heavy[i]) continue;
    const hop_work* h = &w->hop[i];
    const hop_change* c = &w->along->hop[i];
    const spatial IV = inertia_apply(&h->I, &h->V),
                  weight = spatial_of(vec3_scale(h->I.m, g), vec3_cross(h->I.mc, g));
    if (kinetic) e.sum += spatial_dot(&IV, &c->U);
    e.sum -= spatial_dot(&weight, &c->X) + vec3_dot(dg, h->I.mc);
  }
  td_each_body_change(m, w, add_body, &e);
  return e.sum;
}

// Change of the energy along all columns of one DOF.
static double energy_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  (void)i;
  if (col == ALONG) return td_energy_along(m, w, true);
  double sum = rate ? 0 : td_elastic_change(m, w, col);
  for (int k = col; k >= 0; k = m->col[k].next) sum += motion_energy_change(m, w, k, rate);
  return sum;
}

// Forces may not depend on the energy: it visits nothing.
const sensor_ops td_sensor_ENERGY = {energy,       energy_diff, td_no_accel_diff,
                                     td_no_motion, td_no_visit, td_no_sensor_reverse,
                                     NULL,         false};
