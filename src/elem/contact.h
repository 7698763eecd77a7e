// Soft contact of a ball with something: how deep it is in, and the force that this makes.
//
//   depth    δ                        n: unit normal, out of the other towards the ball
//   normal   N = k δ^e (1 + d w)₊     (Hunt and Crossley), w = -n·v the speed of approach:  no
//                                     jump at first touch, no pull when it leaves
//            N = k δ^e + d max(0, w)  (`approach`): jumps at first touch when it comes with speed
//   friction -μ N v_t/√(|v_t|² + ε²)  v_t the velocity along the surface: Coulomb's law above
//                                     speeds of ε, viscous below
//
// The force acts at the surface of the ball, x - r n, and v is the velocity there.
#ifndef TD_CONTACT_H
#define TD_CONTACT_H

#include "station.h"

typedef struct contact_law {
  double k, d, e, mu, slip;
  bool approach;
} contact_law;

// Where a ball at x touches.
typedef struct contact_touch {
  double depth;  // > 0: in contact
  vec3 n;
  mat3 dn;  // dn/dx; d depth/dx = -n
} contact_touch;

// ---- fixed objects ----------------------------------------------------------------------------

static inline contact_touch touch_plane(vec3 x, double r, vec3 point, vec3 normal) {
  return (contact_touch){r - vec3_dot(normal, vec3_sub(x, point)), normal, {{0}}};
}

// From a centre, or from an axis when `across` leaves only what is perpendicular to it.
static inline contact_touch touch_round(vec3 x, double r, vec3 centre, double radius, mat3 across) {
  const vec3 d = mat3_apply(across, vec3_sub(x, centre));
  const double distance = vec3_norm(d);
  contact_touch t = {.depth = r + radius - distance};
  if (!(distance > 0)) return (contact_touch){0};  // no direction in the very middle
  t.n = vec3_scale(1 / distance, d);
  t.dn = mat3_scale(1 / distance, mat3_add(across, mat3_scale(-1, mat3_outer(t.n, t.n))));
  return t;
}

static inline mat3 contact_across(vec3 axis) {
  return mat3_add(mat3_identity(), mat3_scale(-1, mat3_outer(axis, axis)));
}

// ---- the law ----------------------------------------------------------------------------------

// N and its derivatives with respect to δ and w.
typedef struct contact_normal {
  double N, dd, dw;
  double elastic, energy;  // k δ^e and its potential
} contact_normal;

static inline contact_normal contact_normal_at(const contact_law* l, double depth, double w) {
  if (!(depth > 0)) return (contact_normal){0};
  const double p = l->e == 1 ? 1 : pow(depth, l->e - 1), f = l->k * p * depth, s = l->e * l->k * p;
  contact_normal c = {.elastic = f, .energy = f * depth / (l->e + 1)};
  if (l->approach) {
    c.N = f + (w > 0 ? l->d * w : 0);
    c.dd = s;
    c.dw = w > 0 ? l->d : 0;
  } else if (1 + l->d * w > 0) {
    c.N = f * (1 + l->d * w);
    c.dd = s * (1 + l->d * w);
    c.dw = f * l->d;
  }
  return c;
}

// The force on the ball for the velocity v of its surface against the other.
typedef struct contact_force {
  contact_normal normal;
  vec3 F, n, v, slip;  // slip: velocity along the surface
  double w, speed;     // speed: √(|v_t|² + ε²)
} contact_force;

static inline contact_force contact_force_at(const contact_law* l, double depth, vec3 n, vec3 v) {
  contact_force c = {.n = n, .v = v, .w = -vec3_dot(n, v)};
  c.normal = contact_normal_at(l, depth, c.w);
  c.slip = vec3_axpy(c.w, n, v);
  c.speed = sqrt(vec3_dot(c.slip, c.slip) + l->slip * l->slip);
  c.F = vec3_axpy(-l->mu * c.normal.N / c.speed, c.slip, vec3_scale(c.normal.N, n));
  return c;
}

// Change of the force for changes of depth, normal and velocity.
static inline vec3 contact_force_change(const contact_law* l, const contact_force* c, double ddepth,
                                        vec3 dn, vec3 dv) {
  const double dw = -vec3_dot(dn, c->v) - vec3_dot(c->n, dv);
  const double dN = c->normal.dd * ddepth + c->normal.dw * dw;
  vec3 dF = vec3_axpy(dN, c->n, vec3_scale(c->normal.N, dn));
  if (l->mu == 0) return dF;
  const vec3 dslip = vec3_add(dv, vec3_axpy(dw, c->n, vec3_scale(c->w, dn)));
  const double s = c->speed, along = vec3_dot(c->slip, dslip) / (s * s);
  dF = vec3_axpy(-l->mu * (dN - c->normal.N * along) / s, c->slip, dF);
  return vec3_axpy(-l->mu * c->normal.N / s, dslip, dF);
}

// ---- a ball of a station against something fixed ----------------------------------------------

static inline vec3 contact_velocity(const spatial* V, vec3 p) {
  return vec3_add(spatial_t(V), vec3_cross(spatial_r(V), p));
}

// Along δX and δV:  δx = δX_t + δX_r × x,  δp = δx - r δn,  δv = δV_t + δV_r × p + ω × δp.
static inline station_force contact_at(const contact_law* l, const contact_touch* t, vec3 x,
                                       double r, const spatial* V) {
  const vec3 p = vec3_axpy(-r, t->n, x), none = {0, 0, 0};
  const contact_force c = contact_force_at(l, t->depth, t->n, contact_velocity(V, p));
  station_force s = {.f = spatial_force(p, c.F, none)};
  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j);
    const vec3 dx = contact_velocity(&e, x), dn = mat3_apply(t->dn, dx);
    const vec3 dp = vec3_axpy(-r, dn, dx), dv = vec3_cross(spatial_r(V), dp);
    const vec3 dF = contact_force_change(l, &c, -vec3_dot(t->n, dx), dn, dv);
    s.Kx.col[j] = spatial_force_change(p, c.F, dp, dF, none);
    const vec3 dFv = contact_force_change(l, &c, 0, none, contact_velocity(&e, p));
    s.Kv.col[j] = spatial_force(p, dFv, none);
  }
  return s;
}

// ---- two balls, or a ball and the line between two --------------------------------------------

typedef struct contact_ball {
  vec3 x, v, w;  // centre, its velocity, angular velocity
} contact_ball;

// A against B = (1 - λ) B1 + λ B2, the point of the line nearest to A.
typedef struct contact_pair {
  double depth, lambda, distance;
  bool inside;  // 0 < λ < 1
  vec3 n, p;    // from B to A; where the force acts
  contact_ball b;
  contact_force c;
} contact_pair;

static inline contact_ball ball_between(const contact_ball* b1, const contact_ball* b2, double s) {
  return (contact_ball){vec3_axpy(s, vec3_sub(b2->x, b1->x), b1->x),
                        vec3_axpy(s, vec3_sub(b2->v, b1->v), b1->v),
                        vec3_axpy(s, vec3_sub(b2->w, b1->w), b1->w)};
}

static inline vec3 pair_velocity(const contact_ball* a, const contact_ball* b, vec3 p) {
  return vec3_sub(vec3_add(a->v, vec3_cross(a->w, vec3_sub(p, a->x))),
                  vec3_add(b->v, vec3_cross(b->w, vec3_sub(p, b->x))));
}

static inline contact_pair contact_pair_at(const contact_law* l, const contact_ball* a, double ra,
                                           const contact_ball* b1, const contact_ball* b2,
                                           double rb) {
  contact_pair s = {0};
  const vec3 e = vec3_sub(b2->x, b1->x);
  const double ee = vec3_dot(e, e), t = ee > 0 ? vec3_dot(vec3_sub(a->x, b1->x), e) / ee : 0;
  s.inside = t > 0 && t < 1;
  s.lambda = t > 0 ? (t < 1 ? t : 1) : 0;
  s.b = ball_between(b1, b2, s.lambda);
  const vec3 d = vec3_sub(a->x, s.b.x);
  s.distance = vec3_norm(d);
  s.depth = ra + rb - s.distance;
  if (!(s.depth > 0) || !(s.distance > 0)) {
    s.depth = 0;
    return s;
  }
  s.n = vec3_scale(1 / s.distance, d);
  s.p = vec3_axpy(-ra, s.n, a->x);
  s.c = contact_force_at(l, s.depth, s.n, pair_velocity(a, &s.b, s.p));
  return s;
}

// The wrench on B1 (share 1 - λ) or B2 (share λ), whose centre is x:  -share F there, and the
// torque of its arm from B.
static inline spatial contact_pair_wrench(const contact_pair* s, vec3 x, double share) {
  const vec3 F = vec3_scale(-share, s->c.F);
  return spatial_force(x, F, vec3_cross(vec3_sub(s->p, s->b.x), F));
}

// First-order change of all of it.
typedef struct contact_pair_change {
  double lambda;
  vec3 p, F;
  contact_ball b;
} contact_pair_change;

static inline contact_pair_change contact_pair_change_at(
    const contact_law* l, const contact_pair* s, const contact_ball* a, double ra,
    const contact_ball* b1, const contact_ball* b2, const contact_ball* da, const contact_ball* db1,
    const contact_ball* db2) {
  contact_pair_change d = {.b = ball_between(db1, db2, s->lambda)};
  const vec3 e = vec3_sub(b2->x, b1->x), de = vec3_sub(db2->x, db1->x);
  const vec3 r = vec3_sub(a->x, b1->x), dr = vec3_sub(da->x, db1->x);
  if (s->inside)  // λ = r·e/e·e
    d.lambda =
        (vec3_dot(dr, e) + vec3_dot(r, de) - 2 * s->lambda * vec3_dot(e, de)) / vec3_dot(e, e);
  d.b.x = vec3_axpy(d.lambda, e, d.b.x);
  d.b.v = vec3_axpy(d.lambda, vec3_sub(b2->v, b1->v), d.b.v);
  d.b.w = vec3_axpy(d.lambda, vec3_sub(b2->w, b1->w), d.b.w);
  const vec3 dd = vec3_sub(da->x, d.b.x);
  const double distance = vec3_dot(s->n, dd);
  const vec3 dn = vec3_scale(1 / s->distance, vec3_axpy(-distance, s->n, dd));
  d.p = vec3_axpy(-ra, dn, da->x);
  vec3 dv = vec3_sub(da->v, d.b.v);
  dv = vec3_add(dv, vec3_sub(vec3_cross(da->w, vec3_sub(s->p, a->x)),
                             vec3_cross(d.b.w, vec3_sub(s->p, s->b.x))));
  dv = vec3_add(dv, vec3_sub(vec3_cross(a->w, vec3_sub(d.p, da->x)),
                             vec3_cross(s->b.w, vec3_sub(d.p, d.b.x))));
  d.F = contact_force_change(l, &s->c, -distance, dn, dv);
  return d;
}

// Change of the wrench on B1 or B2: their centre moves by dx, their share by dshare.
static inline spatial contact_pair_wrench_change(const contact_pair* s,
                                                 const contact_pair_change* d, vec3 x, vec3 dx,
                                                 double share, double dshare) {
  const vec3 F = vec3_scale(-share, s->c.F),
             dF = vec3_scale(-1, vec3_axpy(share, d->F, vec3_scale(dshare, s->c.F)));
  const vec3 arm = vec3_sub(s->p, s->b.x), darm = vec3_sub(d->p, d->b.x);
  return spatial_force_change(x, F, dx, dF, vec3_add(vec3_cross(arm, dF), vec3_cross(darm, F)));
}

#endif
