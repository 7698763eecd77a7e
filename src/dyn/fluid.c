// The fluid around the robot: drag, buoyancy and added mass of the wetted stations.
//
// Added mass enters the recursions as a general inertia beside the rigid one (added_now).  There
// gravity acts as an upward acceleration of the ground, which added mass does not feel: a force
// takes it back.  Buoyancy is minus the weight of the displaced fluid at its centre.
#include <string.h>

#include "engine.h"
#include "fluid.h"

// ---- added mass -------------------------------------------------------------------------------

void td_fluid_prepare(const td_model* m, td_work* w) {
  if (!m->has_added) return;
  memset(w->hop_added, 0, (size_t)m->nhop * sizeof(spatial6));
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    const int hop = m->station[wet->station].hop;
    if (wet->added == NUM_NONE || hop < 0) continue;
    spatial6 M = spatial6_of(w->num + wet->added);
    M = spatial6_to_world(&w->station_fix[wet->station], &M);  // to the hop's frame
    spatial6_add(&w->hop_added[hop], &M);
    w->hop_wet[hop] = true;
  }
}

void td_fluid_place(const td_model* m, td_work* w) {
  if (!w->added) return;
  for (int i = 0; i < m->nhop; i++)
    if (w->hop_wet[i]) w->added_now[i] = spatial6_to_world(&w->hop[i].g, &w->hop_added[i]);
}

// ---- forces -----------------------------------------------------------------------------------

static spatial gravity(const td_model* m, const td_work* w) {
  return spatial_of(vec3_scale(w->load, vec3_of(w->num + m->gravity)), (vec3){0, 0, 0});
}

vec3 td_stream(const td_model* m, const td_work* w) {
  return vec3_scale(w->load, vec3_of(w->num + m->fluid_velocity));
}

static spatial stream(const td_model* m, const td_work* w) {
  return spatial_of(td_stream(m, w), (vec3){0, 0, 0});
}

static pose pose_of(const td_model* m, const td_work* w, int station) {
  return pose_mul(w->hop[m->station[station].hop].g, w->station_fix[station]);
}

// Displaced mass: centre and mass
static vec3 displaced(const td_model* m, const td_work* w, const model_wet* wet, double* mass) {
  *mass = w->num[wet->displaced];
  return pose_apply(pose_of(m, w, wet->station), vec3_of(w->num + wet->centre));
}

static spatial buoyancy(const td_model* m, const td_work* w, const model_wet* wet, vec3 g) {
  double mass;
  const vec3 c = displaced(m, w, wet, &mass);
  return spatial_force(c, vec3_scale(-mass, g), (vec3){0, 0, 0});
}

static bool moves(const td_model* m, const model_wet* wet) {
  return m->station[wet->station].hop >= 0;
}

void td_fluid_add(const td_model* m, td_work* w, int which) {
  if (m->nwet == 0 || !(which & FORCES_PASSIVE)) return;
  const spatial g = gravity(m, w), Vf = stream(m, w);
  const bool flows = spatial_dot(&Vf, &Vf) > 0;
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    if (!moves(m, wet)) continue;
    hop_work* h = &w->hop[m->station[wet->station].hop];
    h->f = spatial_add(h->f, buoyancy(m, w, wet, spatial_t(&g)));
    if (wet->drag == NUM_NONE) continue;
    const pose at = pose_of(m, w, wet->station);
    const spatial6 D = spatial6_of(w->num + wet->drag);
    const spatial Vr = spatial_sub(h->V, Vf);
    h->f = spatial_add(h->f, drag_force(&at, &Vr, &D));
  }
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    hop_work* h = &w->hop[i];
    const spatial6* M = &w->added_now[i];
    h->f = spatial_sub(h->f, spatial6_apply(M, &g));
    if (flows) h->f = spatial_add(h->f, stream_force(M, &h->V, &Vf));
  }
}

// Change for a change of gravity.
void td_fluid_gravity_change(const td_model* m, const td_work* w, vec3 dg, spatial* df) {
  const spatial g = spatial_of(dg, (vec3){0, 0, 0});
  for (int i = 0; i < m->nwet; i++) {
    const int hop = m->station[m->wet[i].station].hop;
    if (hop >= 0) df[hop] = spatial_add(df[hop], buoyancy(m, w, &m->wet[i], dg));
  }
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    df[i] = spatial_sub(df[i], spatial6_apply(M, &g));
  }
}

// ---- derivatives ------------------------------------------------------------------------------

static void wet_blocks(const td_model* m, td_work* w, const model_wet* wet, const spatial* g,
                       const spatial* Vf) {
  const int hop = m->station[wet->station].hop;
  const pose at = pose_of(m, w, wet->station);
  const spatial Vr = spatial_sub(w->hop[hop].V, *Vf);
  double mass;
  const vec3 c = displaced(m, w, wet, &mass);
  td_block_dead_force(w, hop, c, vec3_scale(-mass, spatial_t(g)));
  if (wet->drag == NUM_NONE) return;
  const spatial6 D = spatial6_of(w->num + wet->drag);
  spatial f;
  const spatial6 Kv = drag_slope(&at, &Vr, &D, &f);
  td_block_turning(w, hop, &f, &Kv, Vf);
}

// Change of what takes gravity back from added mass, -M g:  δX ×* M g - M (δX × g) beside a minus,
// where δX × g has only its rotation's part.
static void weight_block(td_work* w, int hop, const spatial* g) {
  const spatial6* M = &w->added_now[hop];
  const spatial Mg = spatial6_apply(M, g);
  spatial6* K = &w->blocks[hop].K;
  spatial6_add_turning(K, &Mg);
  for (int j = 3; j < 6; j++) {
    const spatial e = spatial_unit(j), turned = spatial_cross(&e, g);
    K->col[j] = spatial_sub(K->col[j], spatial6_apply(M, &turned));
  }
}

void td_fluid_blocks(const td_model* m, td_work* w) {
  if (m->nwet == 0) return;
  const spatial g = gravity(m, w), Vf = stream(m, w);
  const bool flows = spatial_dot(&Vf, &Vf) > 0;
  for (int i = 0; i < m->nwet; i++)
    if (moves(m, &m->wet[i])) wet_blocks(m, w, &m->wet[i], &g, &Vf);
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    weight_block(w, i, &g);
    if (!flows) continue;
    const station_force s = stream_at(&w->added_now[i], &w->hop[i].V, &Vf);
    td_block_add(w, i, &s);
  }
}

// ---- energy and power -------------------------------------------------------------------------

double td_fluid_kinetic(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; m->has_added && i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    const spatial MV = spatial6_apply(M, &w->hop[i].V);
    sum += 0.5 * spatial_dot(&w->hop[i].V, &MV);
  }
  return sum;
}

double td_fluid_buoyancy(const td_model* m, const td_work* w) {
  const spatial g = gravity(m, w);
  double sum = 0, mass;
  for (int i = 0; i < m->nwet; i++) {
    if (!moves(m, &m->wet[i])) continue;
    const vec3 c = displaced(m, w, &m->wet[i], &mass);
    sum += mass * vec3_dot(spatial_t(&g), c);
  }
  return sum;
}

double td_fluid_power(const td_model* m, const td_work* w) {
  if (m->nwet == 0) return 0;
  const spatial g = gravity(m, w), Vf = stream(m, w);
  double sum = 0;
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    if (!moves(m, wet)) continue;
    const spatial* V = &w->hop[m->station[wet->station].hop].V;
    const spatial lift = buoyancy(m, w, wet, spatial_t(&g));
    if (!m->gravity_constant) sum += spatial_dot(V, &lift);
    if (wet->drag == NUM_NONE) continue;
    const pose at = pose_of(m, w, wet->station);
    const spatial6 D = spatial6_of(w->num + wet->drag);
    const spatial Vr = spatial_sub(*V, Vf), f = drag_force(&at, &Vr, &D);
    sum += spatial_dot(V, &f);
  }
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    const spatial f = stream_force(M, &w->hop[i].V, &Vf);
    sum += spatial_dot(&w->hop[i].V, &f);
  }
  return sum;
}

// What the energies of the hops from `first` to `last` change by when they move by S and their
// twist by dV beyond turning: added to momentum (works on dV) and weight (works on S).
void td_fluid_energy_change(const td_model* m, const td_work* w, int first, int last,
                            spatial* momentum, spatial* weight) {
  const spatial g = gravity(m, w);
  for (int i = 0; i < m->nwet; i++) {
    const int hop = m->station[m->wet[i].station].hop;
    if (hop >= first && hop <= last)
      *weight = spatial_add(*weight, buoyancy(m, w, &m->wet[i], spatial_t(&g)));
  }
  for (int i = first; i <= last; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    *momentum = spatial_add(*momentum, spatial6_apply(M, &w->hop[i].V));
  }
}
