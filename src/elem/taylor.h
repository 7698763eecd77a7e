// Truncated Taylor series of a number that moves, x(t), and changes along a direction ε.  The
// acceleration of a constraint and its derivative need the terms
//
//   x, x', x"          and          ∂x, ∂x', ∂x"          ∂ = d/dε
//
// Sums and products of such series follow the product rule, so that a formula written once gives
// all six terms.
#ifndef TD_TAYLOR_H
#define TD_TAYLOR_H

#include "elem/frame.h"

typedef struct taylor {
  double x, d, dd;    // value, rate, acceleration
  double e, ed, edd;  // derivatives of these along the direction
} taylor;

static inline taylor taylor_const(double x) { return (taylor){.x = x}; }
static inline taylor taylor_add(taylor a, taylor b) {
  return (taylor){a.x + b.x, a.d + b.d, a.dd + b.dd, a.e + b.e, a.ed + b.ed, a.edd + b.edd};
}
static inline taylor taylor_scale(double s, taylor a) {
  return (taylor){s * a.x, s * a.d, s * a.dd, s * a.e, s * a.ed, s * a.edd};
}
static inline taylor taylor_sub(taylor a, taylor b) { return taylor_add(a, taylor_scale(-1, b)); }
// a b by the product rule, term by term
static inline taylor taylor_mul(taylor a, taylor b) {
  return (taylor){
      a.x * b.x,
      a.d * b.x + a.x * b.d,
      a.dd * b.x + 2 * a.d * b.d + a.x * b.dd,
      a.e * b.x + a.x * b.e,
      a.ed * b.x + a.e * b.d + a.d * b.e + a.x * b.ed,
      a.edd * b.x + 2 * a.ed * b.d + a.e * b.dd + a.dd * b.e + 2 * a.d * b.ed + a.x * b.edd};
}
// f(a), given the value and the first three derivatives of f at a.x
static inline taylor taylor_apply(const double f[4], taylor a) {
  return (taylor){f[0],
                  f[1] * a.d,
                  f[2] * a.d * a.d + f[1] * a.dd,
                  f[1] * a.e,
                  f[2] * a.e * a.d + f[1] * a.ed,
                  f[3] * a.e * a.d * a.d + f[2] * (2 * a.d * a.ed + a.e * a.dd) + f[1] * a.edd};
}
// √a; 0 with zero derivatives at a = 0, since a cable of no length has no direction.
static inline taylor taylor_sqrt(taylor a) {
  const double r = sqrt(a.x);
  if (!(r > 0)) return taylor_const(0);
  return taylor_apply((double[]){r, 0.5 / r, -0.25 / (r * a.x), 0.375 / (r * a.x * a.x)}, a);
}
static inline taylor taylor_inverse(taylor a) {
  const double y = 1 / a.x, y2 = y * y;
  return taylor_apply((double[]){y, -y2, 2 * y2 * y, -6 * y2 * y2}, a);
}

// ---- vectors and rotations --------------------------------------------------------------------

typedef struct taylor3 {
  taylor x, y, z;
} taylor3;

static inline taylor3 taylor3_const(vec3 a) {
  return (taylor3){taylor_const(a.x), taylor_const(a.y), taylor_const(a.z)};
}
static inline taylor3 taylor3_of(vec3 x, vec3 d, vec3 dd, vec3 e, vec3 ed, vec3 edd) {
  return (taylor3){{x.x, d.x, dd.x, e.x, ed.x, edd.x},
                   {x.y, d.y, dd.y, e.y, ed.y, edd.y},
                   {x.z, d.z, dd.z, e.z, ed.z, edd.z}};
}
static inline taylor3 taylor3_add(taylor3 a, taylor3 b) {
  return (taylor3){taylor_add(a.x, b.x), taylor_add(a.y, b.y), taylor_add(a.z, b.z)};
}
static inline taylor3 taylor3_mul(taylor s, taylor3 a) {
  return (taylor3){taylor_mul(s, a.x), taylor_mul(s, a.y), taylor_mul(s, a.z)};
}
static inline taylor3 taylor3_scale(double s, taylor3 a) {
  return (taylor3){taylor_scale(s, a.x), taylor_scale(s, a.y), taylor_scale(s, a.z)};
}
static inline taylor3 taylor3_sub(taylor3 a, taylor3 b) {
  return taylor3_add(a, taylor3_scale(-1, b));
}
static inline taylor taylor3_dot(taylor3 a, taylor3 b) {
  return taylor_add(taylor_mul(a.x, b.x), taylor_add(taylor_mul(a.y, b.y), taylor_mul(a.z, b.z)));
}
static inline taylor3 taylor3_cross(taylor3 a, taylor3 b) {
  return (taylor3){taylor_sub(taylor_mul(a.y, b.z), taylor_mul(a.z, b.y)),
                   taylor_sub(taylor_mul(a.z, b.x), taylor_mul(a.x, b.z)),
                   taylor_sub(taylor_mul(a.x, b.y), taylor_mul(a.y, b.x))};
}
static inline taylor taylor3_norm(taylor3 a) { return taylor_sqrt(taylor3_dot(a, a)); }

// Quaternion
typedef struct taylor4 {
  taylor w;
  taylor3 v;
} taylor4;

static inline taylor4 taylor4_mul(taylor4 a, taylor4 b) {
  return (taylor4){taylor_sub(taylor_mul(a.w, b.w), taylor3_dot(a.v, b.v)),
                   taylor3_add(taylor3_add(taylor3_mul(a.w, b.v), taylor3_mul(b.w, a.v)),
                               taylor3_cross(a.v, b.v))};
}
static inline taylor4 taylor4_conj(taylor4 a) { return (taylor4){a.w, taylor3_scale(-1, a.v)}; }
// Rᵀ r for a unit quaternion:  r - 2 w (v × r) + 2 v × (v × r)
static inline taylor3 taylor4_back(taylor4 q, taylor3 r) {
  const taylor3 c = taylor3_cross(q.v, r);
  return taylor3_add(r, taylor3_scale(2, taylor3_sub(taylor3_cross(q.v, c), taylor3_mul(q.w, c))));
}

// R r for a unit quaternion
static inline taylor3 taylor4_turn(taylor4 q, taylor3 r) {
  return taylor4_back(taylor4_conj(q), r);
}

// Position and rotation of a frame; changes along a direction in `d` (NULL: none)
typedef struct taylor_frame {
  taylor3 p;
  taylor4 Q;
} taylor_frame;
taylor_frame td_taylor_frame(const frame* f, const frame_change* d);

// ---- lengths of cables ------------------------------------------------------------------------

// Strains per length of a piece between two frames (segment.h).
void td_taylor_segment(const taylor_frame* a, const taylor_frame* b, double length, taylor x[6]);
// Strains of a polynomial pose (polyrod.h).
void td_taylor_polyrod(taylor3 ps, taylor3 x, taylor3 xs, taylor strain[6]);
// |τ| of a cable in a section with strains x, or its length over a joint (cable.h).
taylor td_taylor_cable(bool joint, const taylor x[6], const taylor path[6]);
// How fast a cable turns (cable_bend) when the numbers of its path and the length of all rods that
// it passes change, too.
taylor td_taylor_bend(bool joint, const taylor x[6], const taylor path[6], taylor total);

#endif
