// Nodes of networks, without the detour over spatial inertias.  A point has three translations from
// the ground; a body turns on top of that:
//
//   point   v' = Rᵀ (F - base) , F = f / m
//   body    a_c = F / m,   α = R I_c⁻¹ (Rᵀ T_c - ω × I_c ω),   a = a_c - α × c - ω × (ω × c)
//
// with c from the origin of its frame to the centre of mass, T_c the torque about that, and
// accelerations measured against gravity (base = -g).
#include "engine/sparse_engine.h"

static bool moves_freely(const td_model* m, int i) {
  const model_hop* hop = &m->hop[i];
  if (!is_translation(hop) || hop->parent >= 0 || hop->nv != 3 || hop->prescribed) return false;
  if (hop->group != i || hop->group_last != i) return false;
  for (int k = 0; k < 3; k++) {
    const model_col* c = &m->col[hop->col + k];
    if (c->part != k || c->v != hop->v + k || c->q != hop->q + k) return false;
    if (c->weight != NUM_NONE || c->slope != NUM_NONE || !c->first) return false;
    if (m->vel[c->v].motion != NUM_NONE) return false;
  }
  return true;
}

static bool turns_freely(const td_model* m, int i) {
  const model_hop* hop = &m->hop[i];
  return has_quaternion(hop) && hop->nv == 3 && hop->parent == i - 1 && !hop->prescribed &&
         hop->group == i && hop->group_last == i && m->col[hop->col].first;
}

void td_find_nodes(td_model* m) {
  if (m->has_added) return;  // added mass is not the same in all directions
  for (int t = 0; t + 1 < m->ntree; t++) {
    const int first = m->tree[t], n = m->tree[t + 1] - first;
    if (n > 2 || !moves_freely(m, first)) continue;
    if (n == 2 && !turns_freely(m, first + 1)) continue;
    for (int i = first; i < first + n; i++) m->hop[i].node = n;
  }
  // a body's mass is where it turns
  for (int i = 0; i < m->nbody + m->nlump; i++) {
    const int station = i < m->nbody ? m->body[i].station : m->lump[i - m->nbody].station;
    const int hop = m->station[station].hop;
    if (hop >= 0 && m->hop[hop].node == 2 && is_translation(&m->hop[hop]))
      m->hop[hop].node = m->hop[hop + 1].node = 0;
  }
}

void td_node_prepare(const td_model* m, td_work* w) {
  const vec3 none = {0, 0, 0};
  for (int i = 0; i < m->nhop; i++) {
    if (m->hop[i].node == 0 || !is_translation(&m->hop[i])) continue;
    w->hop[i].g.R = w->hop_fix[i].R;
    for (int k = 0; k < 3; k++)
      w->col[m->hop[i].col + k].S = spatial_of(mat3_col(w->hop_fix[i].R, k), none);
  }
}

void td_node_place(const td_model* m, td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  hop_work* h = &w->hop[i];
  const pose* fix = &w->hop_fix[i];
  const vec3 none = {0, 0, 0}, y = vec3_add(vec3_of(w->num + hop->value), vec3_of(w->q + hop->q));
  h->g.p = vec3_add(fix->p, mat3_apply(fix->R, y));
  h->V = spatial_of(mat3_apply(fix->R, vec3_of(w->v + hop->v)), none);
  if (!w->hop_heavy[i]) return;
  // it does not turn: the rotational inertia never matters
  const inertia* I = &w->hop_inertia[i];
  h->I.m = I->m;
  h->I.mc = vec3_axpy(I->m, h->g.p, mat3_apply(fix->R, I->mc));
}

static bool accelerate_point(const td_model* m, td_work* w, int i, const spatial* base,
                             double* vdot) {
  const model_hop* hop = &m->hop[i];
  hop_work* h = &w->hop[i];
  const mat3 R = w->hop_fix[i].R;
  const double mass = w->hop_inertia[i].m;
  const vec3 none = {0, 0, 0};
  if (!(mass > 0)) return false;
  const vec3 f = vec3_add(spatial_t(&h->f), mat3_apply(R, vec3_of(w->tau + hop->v)));
  const vec3 a = vec3_scale(1 / mass, f);
  vec3_put(vdot + hop->v, mat3_apply_t(R, vec3_sub(a, spatial_t(base))));
  h->A = spatial_of(a, none);
  return true;
}

// Solve the symmetric I x = r; false when I is singular.
static bool solve3(const mat3* I, vec3 r, vec3* x) {
  const vec3 a = mat3_col(*I, 0), b = mat3_col(*I, 1), c = mat3_col(*I, 2);
  const vec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
  const double det = vec3_dot(a, bc), size = vec3_norm(a) * vec3_norm(b) * vec3_norm(c);
  if (!(det > 1e-15 * size)) return false;
  *x = vec3_scale(1 / det, (vec3){vec3_dot(r, bc), vec3_dot(r, ca), vec3_dot(r, ab)});
  return true;
}

static bool accelerate_body(const td_model* m, td_work* w, int i, const spatial* base,
                            double* vdot) {
  const model_hop *move = &m->hop[i - 1], *turn = &m->hop[i];
  hop_work *h1 = &w->hop[i - 1], *h2 = &w->hop[i];
  const inertia* I = &w->hop_inertia[i];
  const mat3 R1 = h1->g.R, R = h2->g.R;
  if (!(I->m > 0)) return false;
  const vec3 none = {0, 0, 0}, cb = vec3_scale(1 / I->m, I->mc), c = mat3_apply(R, cb);
  const mat3 Ic = mat3_add(I->I, mat3_scale(-1, inertia_point(I->m, cb)));

  // force, torque about the centre of mass in the body's axes, Euler's equation
  const vec3 f2 = spatial_t(&h2->f), p = h2->g.p;
  const vec3 F =
      vec3_add(vec3_add(spatial_t(&h1->f), f2), mat3_apply(R1, vec3_of(w->tau + move->v)));
  const vec3 T = vec3_sub(vec3_sub(spatial_r(&h2->f), vec3_cross(p, f2)), vec3_cross(c, F));
  const vec3 wb = vec3_of(w->v + turn->v), gyro = vec3_cross(wb, mat3_apply(Ic, wb));
  const vec3 Tb = vec3_add(mat3_apply_t(R, T), vec3_of(w->tau + turn->v));
  vec3 alpha_b;
  if (!solve3(&Ic, vec3_sub(Tb, gyro), &alpha_b)) return false;

  const vec3 alpha = mat3_apply(R, alpha_b), omega = mat3_apply(R, wb);
  const vec3 pull = vec3_add(vec3_cross(alpha, c), vec3_cross(omega, vec3_cross(omega, c)));
  const vec3 a = vec3_sub(vec3_scale(1 / I->m, F), pull);
  vec3_put(vdot + move->v, mat3_apply_t(R1, vec3_sub(a, spatial_t(base))));
  vec3_put(vdot + turn->v, alpha_b);
  h1->A = spatial_of(a, none);
  h2->A = spatial_add(spatial_add(h1->A, h2->c), spatial_rotation(p, alpha));
  return true;
}

bool td_node_accelerate(const td_model* m, td_work* w, int i, const spatial* base, double* vdot) {
  return m->hop[i].node == 1 ? accelerate_point(m, w, i, base, vdot)
                             : accelerate_body(m, w, i, base, vdot);
}
