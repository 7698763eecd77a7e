// Drag of a fluid on a straight edge between two nodes, as on a rod.  With the velocity v relative
// to the fluid and the direction n of the edge,
//
//   f = -|v| (D_n v + (D_t - D_n) (n·v) n)      D_n, D_t = ρ/2 · width · length · C
//
// with the coefficients C across and along the edge.  v varies linearly from node to node.  The
// force is evaluated at the two Gauss points s of the edge, half of it at each, and distributed to
// the nodes by the weights 1 - s and s, so that its power is that of f.
#ifndef TD_EDGE_DRAG_H
#define TD_EDGE_DRAG_H

#include "elem/frame.h"

static const double edge_gauss[2] = {0.21132486540518711775, 0.78867513459481288225};

typedef struct edge_drag {
  vec3 n;                  // direction; 0 if the nodes coincide, the drag is then D_n
  double L, across, more;  // distance of the nodes, D_n, D_t - D_n
  vec3 v[2], f[2];         // relative velocity and force at the Gauss points
  bool varies;             // whether the stream depends on position
  mat3 G[2];               // its gradient at the Gauss points, if it varies
} edge_drag;

// D_n v + (D_t - D_n) (n·v) n
static inline vec3 edge_drag_vector(const edge_drag* e, vec3 v) {
  return vec3_axpy(e->more * vec3_dot(e->n, v), e->n, vec3_scale(e->across, v));
}

static inline vec3 between(double s, vec3 a, vec3 b) { return vec3_axpy(s, vec3_sub(b, a), a); }

// Drag for the velocity `stream` of the fluid at the two Gauss points.
static inline edge_drag edge_drag_at(const frame* a, const frame* b, const vec3 stream[2],
                                     double across, double along) {
  const vec3 r = vec3_sub(b->p, a->p);
  edge_drag e = {.L = vec3_norm(r), .across = across, .more = along - across};
  if (e.L > 0) e.n = vec3_scale(1 / e.L, r);
  for (int k = 0; k < 2; k++) {
    e.v[k] = vec3_sub(between(edge_gauss[k], a->v, b->v), stream[k]);
    e.f[k] = vec3_scale(-0.5 * vec3_norm(e.v[k]), edge_drag_vector(&e, e.v[k]));
  }
  return e;
}

// Distribute two forces at the Gauss points to the nodes.
static inline void edge_shares(const vec3 f[2], vec3* on_a, vec3* on_b) {
  *on_b = vec3_add(vec3_scale(edge_gauss[0], f[0]), vec3_scale(edge_gauss[1], f[1]));
  *on_a = vec3_sub(vec3_add(f[0], f[1]), *on_b);
}

// Changes of the forces at the Gauss points for changes of the two frames.
static inline void edge_drag_change(const edge_drag* e, const frame_change* da,
                                    const frame_change* db, vec3 df[2]) {
  const vec3 dr = vec3_sub(db->p, da->p);
  vec3 dn = {0, 0, 0};
  if (e->L > 0) dn = vec3_scale(1 / e->L, vec3_axpy(-vec3_dot(e->n, dr), e->n, dr));

  for (int k = 0; k < 2; k++) {
    const vec3 v = e->v[k];
    vec3 dv = between(edge_gauss[k], da->v, db->v);
    if (e->varies) dv = vec3_sub(dv, mat3_apply(e->G[k], between(edge_gauss[k], da->p, db->p)));
    const double speed = vec3_norm(v), dspeed = speed > 0 ? vec3_dot(v, dv) / speed : 0;
    vec3 d = edge_drag_vector(e, dv);
    d = vec3_axpy(e->more * vec3_dot(dn, v), e->n, d);
    d = vec3_axpy(e->more * vec3_dot(e->n, v), dn, d);
    df[k] = vec3_axpy(-0.5 * dspeed, edge_drag_vector(e, v), vec3_scale(-0.5 * speed, d));
  }
}
// Change of the force at Gauss point k for a change of the stream there and of D_n and D_t.
static inline vec3 edge_drag_numbers(const edge_drag* e, int k, vec3 stream, double across,
                                     double along) {
  const vec3 v = e->v[k], dv = vec3_scale(-1, stream);
  const double speed = vec3_norm(v), dspeed = speed > 0 ? vec3_dot(v, dv) / speed : 0;
  vec3 d = vec3_axpy(across, v, edge_drag_vector(e, dv));
  d = vec3_axpy((along - across) * vec3_dot(e->n, v), e->n, d);
  return vec3_axpy(-0.5 * dspeed, edge_drag_vector(e, v), vec3_scale(-0.5 * speed, d));
}

#endif
