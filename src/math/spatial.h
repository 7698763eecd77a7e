// Spatial vectors [featherstone2008, ch. 2]: twists [v, w] and wrenches [f, m] of six numbers about
// one common origin, in world axes.
//
// A body's twist holds the velocity of the body-fixed point at the origin.  Every quantity of every
// body is therefore expressed in the same frame, nothing is transformed when it is passed along a
// chain, and the sums of the algorithms are plain sums.  Vectors are padded to eight doubles, of
// which the last two are zero: one aligned load on wide machines.
#ifndef TD_SPATIAL_H
#define TD_SPATIAL_H

#include "math/vec3.h"

typedef struct spatial {
  _Alignas(64) double a[8];
} spatial;

// Symmetric or general 6 x 6 matrix, column by column, padded
typedef struct spatial6 {
  spatial col[6];
} spatial6;

static inline spatial spatial_of(vec3 t, vec3 r) {
  return (spatial){{t.x, t.y, t.z, r.x, r.y, r.z, 0, 0}};
}
static inline vec3 spatial_t(const spatial* s) { return (vec3){s->a[0], s->a[1], s->a[2]}; }
static inline vec3 spatial_r(const spatial* s) { return (vec3){s->a[3], s->a[4], s->a[5]}; }
static inline spatial spatial_zero(void) { return (spatial){{0, 0, 0, 0, 0, 0, 0, 0}}; }

static inline spatial spatial_add(spatial a, spatial b) {
  for (int i = 0; i < 8; i++) a.a[i] += b.a[i];
  return a;
}
static inline spatial spatial_sub(spatial a, spatial b) {
  for (int i = 0; i < 8; i++) a.a[i] -= b.a[i];
  return a;
}
static inline spatial spatial_axpy(double s, spatial x, spatial y) {  // s x + y
  for (int i = 0; i < 8; i++) y.a[i] += s * x.a[i];
  return y;
}
static inline spatial spatial_scale(double s, spatial x) {
  for (int i = 0; i < 8; i++) x.a[i] *= s;
  return x;
}
// Power a·b of a twist and a wrench.  Three short sums instead of a long one, because the
// recursions wait for this number.
static inline double spatial_dot(const spatial* a, const spatial* b) {
  const double *x = a->a, *y = b->a;
  return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]) + (x[4] * y[4] + x[5] * y[5]);
}

// Rate of a twist b that moves with twist a:  a × b = [w_a × v_b + v_a × w_b, w_a × w_b]
static inline spatial spatial_cross(const spatial* a, const spatial* b) {
  const vec3 va = spatial_t(a), wa = spatial_r(a), vb = spatial_t(b), wb = spatial_r(b);
  return spatial_of(vec3_add(vec3_cross(wa, vb), vec3_cross(va, wb)), vec3_cross(wa, wb));
}
// Rate of a wrench f that moves with twist a:  a ×* f = [w × f, v × f + w × m]
static inline spatial spatial_cross_force(const spatial* a, const spatial* f) {
  const vec3 va = spatial_t(a), wa = spatial_r(a), ff = spatial_t(f), mf = spatial_r(f);
  return spatial_of(vec3_cross(wa, ff), vec3_add(vec3_cross(va, ff), vec3_cross(wa, mf)));
}
// Twist of the rotation vector w about an axis through p; wrench of the force f at p and a torque.
static inline spatial spatial_rotation(vec3 p, vec3 w) { return spatial_of(vec3_cross(p, w), w); }
static inline spatial spatial_force(vec3 p, vec3 f, vec3 torque) {
  return spatial_of(f, vec3_add(vec3_cross(p, f), torque));
}
// Derivative of spatial_force when p, f and the torque change by dp, df and dtorque.
static inline spatial spatial_force_change(vec3 p, vec3 f, vec3 dp, vec3 df, vec3 dtorque) {
  return spatial_of(df, vec3_add(vec3_add(vec3_cross(p, df), vec3_cross(dp, f)), dtorque));
}

// m x; even and odd columns are summed apart to shorten the chain of additions
static inline spatial spatial6_apply(const spatial6* m, const spatial* x) {
  const spatial* c = m->col;
  spatial even, odd;
  for (int i = 0; i < 8; i++) {
    even.a[i] = c[0].a[i] * x->a[0] + c[2].a[i] * x->a[2] + c[4].a[i] * x->a[4];
    odd.a[i] = c[1].a[i] * x->a[1] + c[3].a[i] * x->a[3] + c[5].a[i] * x->a[5];
  }
  return spatial_add(even, odd);
}
static inline void spatial6_add(spatial6* a, const spatial6* b) {
  for (int j = 0; j < 6; j++) a->col[j] = spatial_add(a->col[j], b->col[j]);
}
static inline void spatial6_sub(spatial6* a, const spatial6* b) {
  for (int j = 0; j < 6; j++) a->col[j] = spatial_sub(a->col[j], b->col[j]);
}

// Rigid inertia about the origin: mass, first moment m c, rotational inertia about the origin.
//
//   [ m 1     -[mc]× ]
//   [ [mc]×    I     ]
typedef struct inertia {
  double m;
  vec3 mc;
  mat3 I;  // symmetric
} inertia;

static inline inertia inertia_zero(void) { return (inertia){0, {0, 0, 0}, {{0}}}; }
static inline inertia inertia_add(inertia a, inertia b) {
  return (inertia){a.m + b.m, vec3_add(a.mc, b.mc), mat3_add(a.I, b.I)};
}
// -m [c]×[c]× = m (|c|² 1 - c cᵀ), the inertia of a point mass
static inline mat3 inertia_point(double m, vec3 c) {
  const double xx = m * c.x * c.x, yy = m * c.y * c.y, zz = m * c.z * c.z;
  const double xy = m * c.x * c.y, yz = m * c.y * c.z, zx = m * c.z * c.x;
  return (mat3){{yy + zz, -xy, -zx, -xy, zz + xx, -yz, -zx, -yz, xx + yy}};
}
// Inertia of a body with mass m, centre of mass c and rotational inertia Ic about c.
static inline inertia inertia_body(double m, vec3 c, mat3 Ic) {
  return (inertia){m, vec3_scale(m, c), mat3_add(Ic, inertia_point(m, c))};
}
// Inertia about the origin of a body that is moved to the pose g.  With d = g.p, r = R mc:
//   I' = R I Rᵀ + (2 d·r + m|d|²) 1 - (d rᵀ + r dᵀ + m d dᵀ)
static inline inertia inertia_move(pose g, inertia b) {
  const vec3 d = g.p, r = mat3_apply(g.R, b.mc);
  const mat3 RI = mat3_mul(g.R, b.I);
  const double s = 2 * vec3_dot(d, r);
  mat3 I = inertia_point(b.m, d);
  const double dv[3] = {d.x, d.y, d.z}, rv[3] = {r.x, r.y, r.z};
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      const double* a = RI.m + 3 * i;
      const double* c = g.R.m + 3 * j;
      const double x = I.m[3 * i + j] + a[0] * c[0] + a[1] * c[1] + a[2] * c[2] -
                       (dv[i] * rv[j] + rv[i] * dv[j]) + (i == j ? s : 0);
      I.m[3 * i + j] = x;
      I.m[3 * j + i] = x;
    }
  return (inertia){b.m, vec3_axpy(b.m, d, r), I};
}
// Momentum [m v + w × mc, mc × v + I w] of the twist x = [v, w]
static inline spatial inertia_apply(const inertia* b, const spatial* x) {
  const vec3 v = spatial_t(x), w = spatial_r(x);
  return spatial_of(vec3_axpy(b->m, v, vec3_cross(w, b->mc)),
                    vec3_add(vec3_cross(b->mc, v), mat3_apply(b->I, w)));
}
// The 6 x 6 matrix of an inertia
static inline void inertia_matrix(const inertia* b, spatial6* out) {
  const vec3 c = b->mc;
  const double* I = b->I.m;
  out->col[0] = (spatial){{b->m, 0, 0, 0, c.z, -c.y, 0, 0}};
  out->col[1] = (spatial){{0, b->m, 0, -c.z, 0, c.x, 0, 0}};
  out->col[2] = (spatial){{0, 0, b->m, c.y, -c.x, 0, 0, 0}};
  out->col[3] = (spatial){{0, -c.z, c.y, I[0], I[3], I[6], 0, 0}};
  out->col[4] = (spatial){{c.z, 0, -c.x, I[1], I[4], I[7], 0, 0}};
  out->col[5] = (spatial){{-c.y, c.x, 0, I[2], I[5], I[8], 0, 0}};
}

#endif
