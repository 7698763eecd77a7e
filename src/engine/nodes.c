// Free nodes of networks, without the detour through spatial inertias.  A point has three
// translations from the ground; a body rotates on top of that:
//
//   point   v' = Rᵀ (F - base) , F = f / m
//   body    a_c = F / m,   α = R I_c⁻¹ (Rᵀ T_c - ω × I_c ω),   a = a_c - α × c - ω × (ω × c)
//
// with c from the origin of the body's frame to its centre of mass, T_c the torque about it, and
// accelerations measured against gravity (base = -g).
#include "engine/sparse_engine.h"

// True for a hop of three free translations from the ground, each with a velocity and position of
// its own.
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

// Set hop.node to 1 for points and 2 for bodies that are trees of their own, 0 elsewhere.
void td_find_nodes(td_model* m) {
  if (m->has_added) return;  // added mass is not the same in all directions

  for (int t = 0; t + 1 < m->ntree; t++) {
    const int first = m->tree[t], n = m->tree[t + 1] - first;
    const model_hop* turn = &m->hop[first + n - 1];
    if (n > 2 || !moves_freely(m, first)) continue;

    // a body has a free rotation of its own directly behind the translation
    if (n == 2 &&
        (!has_quaternion(turn) || turn->nv != 3 || turn->parent != first || turn->prescribed ||
         turn->group != first + 1 || turn->group_last != first + 1 || !m->col[turn->col].first))
      continue;
    for (int i = first; i < first + n; i++) m->hop[i].node = n;
  }

  // a body with mass before its rotation is no node: its mass must be where it rotates
  for (int i = 0; i < m->nbody + m->nlump; i++) {
    const int station = i < m->nbody ? m->body[i].station : m->lump[i - m->nbody].station;
    const int hop = m->station[station].hop;
    if (hop >= 0 && m->hop[hop].node == 2 && is_translation(&m->hop[hop]))
      m->hop[hop].node = m->hop[hop + 1].node = 0;
  }
}

// Set the parts of translations that never change: orientation and columns.
void td_node_prepare(const td_model* m, td_work* w) {
  const vec3 none = {0, 0, 0};
  for (int i = 0; i < m->nhop; i++) {
    if (m->hop[i].node == 0 || !is_translation(&m->hop[i])) continue;
    w->hop[i].g.R = w->hop_fix[i].R;
    for (int k = 0; k < 3; k++)
      w->col[m->hop[i].col + k].S = spatial_of(mat3_col(w->hop_fix[i].R, k), none);
  }
}

// Position, twist and first mass moment of a translation; a rotation follows as an ordinary hop.
void td_node_place(const td_model* m, td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  hop_work* h = &w->hop[i];
  const pose* fix = &w->hop_fix[i];
  const vec3 none = {0, 0, 0}, y = vec3_add(vec3_of(w->num + hop->value), vec3_of(w->q + hop->q));
  h->g.p = vec3_add(fix->p, mat3_apply(fix->R, y));
  h->V = spatial_of(mat3_apply(fix->R, vec3_of(w->v + hop->v)), none);
  if (!w->hop_heavy[i]) return;
  // a translating node does not rotate: its rotational inertia never matters
  const inertia* I = &w->hop_inertia[i];
  h->I.m = I->m;
  h->I.mc = vec3_axpy(I->m, h->g.p, mat3_apply(fix->R, I->mc));
}

// Solve the symmetric I x = r by Cramer's rule; false when I is singular.
static bool solve3(const mat3* I, vec3 r, vec3* x) {
  const vec3 a = mat3_col(*I, 0), b = mat3_col(*I, 1), c = mat3_col(*I, 2);
  const vec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
  const double det = vec3_dot(a, bc), size = vec3_norm(a) * vec3_norm(b) * vec3_norm(c);
  if (!(det > 1e-15 * size)) return false;
  *x = vec3_scale(1 / det, (vec3){vec3_dot(r, bc), vec3_dot(r, ca), vec3_dot(r, ab)});
  return true;
}

// v' and the accelerations of both hops of a body (formulas above); false: no mass, or a singular
// inertia.
static bool body_accelerate(const td_model* m, td_work* w, int i, const spatial* base,
                            double* vdot) {
  const model_hop *move = &m->hop[i - 1], *turn = &m->hop[i];
  hop_work *h1 = &w->hop[i - 1], *h2 = &w->hop[i];
  const inertia* I = &w->hop_inertia[i];
  const mat3 R1 = h1->g.R, R = h2->g.R;
  if (!(I->m > 0)) return false;
  const vec3 none = {0, 0, 0}, cb = vec3_scale(1 / I->m, I->mc), c = mat3_apply(R, cb);
  const mat3 Ic = mat3_add(I->I, mat3_scale(-1, inertia_point(I->m, cb)));

  // total force, torque about the centre of mass in body axes, Euler's equation
  const vec3 f2 = spatial_t(&h2->f), p = h2->g.p;
  const vec3 F =
      vec3_add(vec3_add(spatial_t(&h1->f), f2), mat3_apply(R1, vec3_of(w->tau + move->v)));
  const vec3 T = vec3_sub(vec3_sub(spatial_r(&h2->f), vec3_cross(p, f2)), vec3_cross(c, F));
  const vec3 wb = vec3_of(w->v + turn->v), gyro = vec3_cross(wb, mat3_apply(Ic, wb));
  const vec3 Tb = vec3_add(mat3_apply_t(R, T), vec3_of(w->tau + turn->v));
  vec3 alpha_b;
  if (!solve3(&Ic, vec3_sub(Tb, gyro), &alpha_b)) return false;

  // acceleration of the frame's origin from that of the centre of mass
  const vec3 alpha = mat3_apply(R, alpha_b), omega = mat3_apply(R, wb);
  const vec3 pull = vec3_add(vec3_cross(alpha, c), vec3_cross(omega, vec3_cross(omega, c)));
  const vec3 a = vec3_sub(vec3_scale(1 / I->m, F), pull);
  vec3_put(vdot + move->v, mat3_apply_t(R1, vec3_sub(a, spatial_t(base))));
  vec3_put(vdot + turn->v, alpha_b);
  h1->A = spatial_of(a, none);
  h2->A = spatial_add(spatial_add(h1->A, h2->c), spatial_rotation(p, alpha));
  return true;
}

// v' and the accelerations of all hops of the node whose last hop is i; false: no mass, or a
// singular inertia.
bool td_node_accelerate(const td_model* m, td_work* w, int i, const spatial* base, double* vdot) {
  const model_hop* hop = &m->hop[i];
  if (hop->node == 2) return body_accelerate(m, w, i, base, vdot);
  hop_work* h = &w->hop[i];
  const mat3 R = w->hop_fix[i].R;
  const double mass = w->hop_inertia[i].m;
  if (!(mass > 0)) return false;
  const vec3 f = vec3_add(spatial_t(&h->f), mat3_apply(R, vec3_of(w->tau + hop->v)));
  const vec3 a = vec3_scale(1 / mass, f);
  vec3_put(vdot + hop->v, mat3_apply_t(R, vec3_sub(a, spatial_t(base))));
  h->A = spatial_of(a, (vec3){0, 0, 0});
  return true;
}
