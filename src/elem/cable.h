// A cable through the cross-sections of a rod.  It passes the section at d(s) = [x y 0]; with the
// strains χ = [ε κ] of the rod its tangent, per unit of the rod's arc length, is
//
//   τ = e_z + ε + κ × d + d'          t = τ/|τ|          length of the cable  l = ∫ |τ| ds
//
// so that a change of strains lengthens it by  δ|τ| = t·δε + (d × t)·δκ = g·δχ,  and a tension T
// does the work -T g·δχ on the strains: g is the actuation column of the cable at this section
// [renda2020].
//
// The tangent turns along the cable by
//
//   k = κ × t + (1 - t tᵀ)(κ × d' + d'')/|τ|
//
// per unit of arc length (the change of the strains along the rod is neglected).  Friction grows
// with this curvature.
//
// A joint between two rods counts as the limit of a short rod that bends and stretches evenly.
// With the displacement v and the rotation vector w of the joint, measured half-way (segment.h), it
// lengthens the cable by
//
//   l = e_z·(v + w × d) + |jump|
//
// which is linear: a hinge across the rod adds angle times distance at any angle, a slide along it
// its travel, a twist about it nothing.  `jump` is the distance between the ends of the path on the
// two sides.  The six numbers are those of a piece of length 1, so that e_z + ε = v and κ = w.
#ifndef TD_CABLE_H
#define TD_CABLE_H

#include "math/vec3.h"

// Numbers of a path at a section: d, d', d'' (x and y of each); over a joint d, |jump| and three
// that are not used.
enum { CABLE_PATH = 6 };

typedef struct cable_section {
  bool joint;      // not a section: a joint between rods
  vec3 d, d1, d2;  // the path and its derivatives
  vec3 t;
  double l;     // |τ|
  double g[6];  // d l / dχ
} cable_section;

// Actuation column g = [t, d × t]
static inline void cable_column(vec3 d, vec3 t, double g[6]) {
  vec3_put(g, t);
  vec3_put(g + 3, vec3_cross(d, t));
}

// Cable in a section with strains x
static inline cable_section cable_at(const double x[6], const double path[CABLE_PATH]) {
  cable_section c = {
      .d = {path[0], path[1], 0}, .d1 = {path[2], path[3], 0}, .d2 = {path[4], path[5], 0}};
  const vec3 along = {0, 0, 1};
  const vec3 tau =
      vec3_add(vec3_add(along, vec3_of(x)), vec3_add(vec3_cross(vec3_of(x + 3), c.d), c.d1));
  c.l = vec3_norm(tau);
  if (c.l > 0) c.t = vec3_scale(1 / c.l, tau);
  cable_column(c.d, c.t, c.g);
  return c;
}

// Cable over a joint
static inline cable_section cable_over(const double x[6], const double path[CABLE_PATH]) {
  cable_section c = {.joint = true, .d = {path[0], path[1], 0}, .t = {0, 0, 1}};
  c.l = 1 + x[2] + x[3] * c.d.y - x[4] * c.d.x + path[2];
  cable_column(c.d, c.t, c.g);
  return c;
}
static inline cable_section cable_through(bool joint, const double x[6],
                                          const double path[CABLE_PATH]) {
  return joint ? cable_over(x, path) : cable_at(x, path);
}

// Change of t for a change dx of the strains
static inline vec3 cable_turn(const cable_section* c, const double dx[6]) {
  const vec3 dtau = vec3_add(vec3_of(dx), vec3_cross(vec3_of(dx + 3), c->d));
  if (c->joint || !(c->l > 0)) return (vec3){0, 0, 0};
  return vec3_scale(1 / c->l, vec3_axpy(-vec3_dot(c->t, dtau), c->t, dtau));
}

// Change of g for a change dx of the strains
static inline void cable_change(const cable_section* c, const double dx[6], double dg[6]) {
  cable_column(c->d, cable_turn(c, dx), dg);
}

// Changes of l (returned) and g for changes of the strains and of the path's numbers:
//
//   δτ = δε + δκ × d + κ × δd + δd'
static inline double cable_along(const cable_section* c, const double x[6], const double dx[6],
                                 const double dpath[CABLE_PATH], double dg[6]) {
  const vec3 dd = {dpath[0], dpath[1], 0}, dd1 = {dpath[2], dpath[3], 0};
  const vec3 kappa = vec3_of(x + 3), moved = vec3_cross(vec3_of(dx + 3), c->d);
  const vec3 dtau = vec3_add(vec3_add(vec3_of(dx), moved), vec3_cross(kappa, dd));
  vec3 dt = {0, 0, 0};
  double dl = dtau.z + dpath[2];  // over a joint
  if (!c->joint) {
    const vec3 all = vec3_add(dtau, dd1);
    dl = vec3_dot(c->t, all);
    if (c->l > 0) dt = vec3_scale(1 / c->l, vec3_axpy(-dl, c->t, all));
  }
  vec3_put(dg, dt);
  vec3_put(dg + 3, vec3_add(vec3_cross(dd, c->t), vec3_cross(c->d, dt)));
  return dl;
}

// The transpose of cable_along for weights of l and g: added to those of the strains and of the
// path's numbers.
static inline void cable_reverse(const cable_section* c, const double x[6], double l,
                                 const double g[6], double dx[6], double dpath[CABLE_PATH]) {
  const vec3 kappa = vec3_of(x + 3), gt = vec3_of(g), gr = vec3_of(g + 3);
  vec3 tau = {0, 0, l};  // over a joint
  if (!c->joint) {
    const vec3 t = vec3_add(gt, vec3_cross(gr, c->d));
    tau = vec3_scale(l, c->t);
    if (c->l > 0) tau = vec3_axpy(1 / c->l, vec3_axpy(-vec3_dot(c->t, t), c->t, t), tau);
  }
  const vec3 turn = vec3_cross(c->d, tau),
             d = vec3_add(vec3_cross(c->t, gr), vec3_cross(tau, kappa));
  for (int k = 0; k < 3; k++) {
    dx[k] += vec3_at(tau, k);
    dx[3 + k] += vec3_at(turn, k);
  }
  dpath[0] += d.x;
  dpath[1] += d.y;
  dpath[2] += c->joint ? l : tau.x;
  if (!c->joint) dpath[3] += tau.y;
}

// K -= s d²l/dχ²: with C = [1, -[d]×] = dτ/dχ the second derivative is (Cᵀ C - g gᵀ)/l.
static inline void cable_stiffen(const cable_section* c, double s, double K[6][6]) {
  const double x = c->d.x, y = c->d.y, k = c->l > 0 ? s / c->l : 0;
  if (c->joint) return;
  const double CC[6][6] = {{1, 0, 0, 0, 0, -y},          {0, 1, 0, 0, 0, x},
                           {0, 0, 1, y, -x, 0},          {0, 0, y, y * y, -x * y, 0},
                           {0, 0, -x, -x * y, x * x, 0}, {-y, x, 0, 0, 0, x * x + y * y}};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) K[i][j] -= k * (CC[i][j] - c->g[i] * c->g[j]);
}

// Curvature |k| of the cable and its derivative with respect to the strains.  The corner at k = 0
// is rounded over 1e-5 radians along the whole cable, whose arc length through rods is `total`, so
// that the result does not depend on the unit of length; over a joint, a piece of length 1, it is
// rounded over 1e-5 radians.
static inline double cable_bend(const cable_section* c, const double x[6], double total,
                                double slope[6]) {
  const double corner = c->joint ? 1e-5 : 1e-5 / total, over = c->joint ? 0 : 1 / c->l;
  const vec3 kappa = vec3_of(x + 3), v = vec3_add(vec3_cross(kappa, c->d1), c->d2);
  const vec3 across = vec3_axpy(-vec3_dot(c->t, v), c->t, v);
  const vec3 k = vec3_axpy(over, across, vec3_cross(kappa, c->t));
  const double size = sqrt(vec3_dot(k, k) + corner * corner);

  for (int i = 0; i < 6; i++) {
    double dx[6] = {0};
    dx[i] = 1;
    const vec3 dkappa = vec3_of(dx + 3), dt = cable_turn(c, dx), dv = vec3_cross(dkappa, c->d1);

    // δ((1 - t tᵀ) v)
    vec3 dacross = vec3_axpy(-vec3_dot(c->t, dv) - vec3_dot(dt, v), c->t, dv);
    dacross = vec3_axpy(-vec3_dot(c->t, v), dt, dacross);
    vec3 dk = vec3_add(vec3_cross(dkappa, c->t), vec3_cross(kappa, dt));
    dk = vec3_axpy(over, dacross, vec3_axpy(-c->g[i] * over * over, across, dk));
    slope[i] = vec3_dot(k, dk) / size;
  }
  return size - corner;
}

// Tension of a cable driven by its length:  k (l - l0 + pull) when taut, 0 when slack
typedef struct cable_pull {
  double tension, slope;  // slope: d tension / d l
} cable_pull;

static inline cable_pull cable_taut(double k, double stretch) {
  return stretch > 0 ? (cable_pull){k * stretch, k} : (cable_pull){0, 0};
}

#endif
