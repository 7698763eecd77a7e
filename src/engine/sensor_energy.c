// The sensor energy(): kinetic plus potential energy.  Along a column, with h the momentum of
// everything downstream, dT = h·U for the position of the column and dT = h·S for its rate.
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
  const vec3 g = vec3_of(w->num + m->gravity);

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

// Change of the energy along all columns of one DOF.
static double energy_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  (void)i;
  double sum = rate ? 0 : td_elastic_change(m, w, col);
  for (int k = col; k >= 0; k = m->col[k].next) sum += motion_energy_change(m, w, k, rate);
  return sum;
}

// Forces may not depend on the energy: it visits nothing.
const sensor_ops td_sensor_ENERGY = {
    energy, energy_diff, td_no_accel_diff, td_no_motion, td_no_visit, NULL, false};
