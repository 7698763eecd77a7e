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

// ---- a ball against another, or against a curve through others ----------------------------------

typedef struct contact_ball {
  vec3 x, v, w;  // centre, its velocity, angular velocity
  double r;
} contact_ball;

// What a ball A touches is B(t) = Σ σ_j(t) B_j of up to three balls, 0 <= t <= 1, its radius
// included.  A rod is the line through its points with the corners rounded by parabolas, from the
// middle of one line to the middle of the next: its direction has no jump, so that neither has the
// force of something that slides along it, or lies in a bend of it.
typedef enum contact_shape {
  SHAPE_BALL,   // B_1
  SHAPE_LINE,   // from B_1 to B_2
  SHAPE_START,  // from B_1 half-way to B_2
  SHAPE_BEND,   // from half-way between B_1 and B_2 to half-way between B_2 and B_3
  SHAPE_END     // from half-way between B_1 and B_2 to B_2
} contact_shape;

// Coefficients of 1, t and t² in each σ_j.
static const double contact_shares[5][3][3] = {
    [SHAPE_BALL] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    [SHAPE_LINE] = {{1, -1, 0}, {0, 1, 0}, {0, 0, 0}},
    [SHAPE_START] = {{1, -0.5, 0}, {0, 0.5, 0}, {0, 0, 0}},
    [SHAPE_BEND] = {{0.5, -1, 0.5}, {0.5, 1, -1}, {0, 0, 0.5}},
    [SHAPE_END] = {{0.5, -0.5, 0}, {0.5, 0.5, 0}, {0, 0, 0}},
};

// σ_j and its first two derivatives.
static inline void contact_share(contact_shape shape, double t, double s[3], double s1[3],
                                 double s2[3]) {
  for (int j = 0; j < 3; j++) {
    const double* c = contact_shares[shape][j];
    s[j] = c[0] + t * (c[1] + t * c[2]);
    s1[j] = c[1] + 2 * t * c[2];
    s2[j] = 2 * c[2];
  }
}

static inline contact_ball ball_sum(const contact_ball b[3], const double s[3]) {
  contact_ball sum = {.r = 0};
  for (int j = 0; j < 3; j++) {
    sum.x = vec3_axpy(s[j], b[j].x, sum.x);
    sum.v = vec3_axpy(s[j], b[j].v, sum.v);
    sum.w = vec3_axpy(s[j], b[j].w, sum.w);
    sum.r += s[j] * b[j].r;
  }
  return sum;
}

// Where the force between two acts: at the surface of A.  A node that does not turn cannot take the
// torque of an arm: the force then acts at its centre, on both, so that none gets lost.
typedef enum contact_arm { ARM_SURFACE, ARM_A, ARM_B } contact_arm;

typedef struct contact_pair {
  double depth, t, distance;
  bool inside;  // 0 < t < 1
  double share[3];
  contact_arm arm;
  vec3 n, p;               // from B to A; where the force acts
  contact_ball b, b1, b2;  // B, dB/dt, d²B/dt²
  contact_force c;
} contact_pair;

static inline vec3 pair_velocity(const contact_ball* a, const contact_ball* b, vec3 p) {
  return vec3_sub(vec3_add(a->v, vec3_cross(a->w, vec3_sub(p, a->x))),
                  vec3_add(b->v, vec3_cross(b->w, vec3_sub(p, b->x))));
}

// B, its derivatives and shares at t.  Returns d(distance² - ...)/dt up to a factor:  with
// D = |A - B|,   g = (A - B)·B' + r' D   is positive where going on makes it deeper.
static inline double pair_at(contact_shape shape, const contact_ball* a, const contact_ball b[3],
                             double t, contact_pair* s) {
  double s1[3], s2[3];
  contact_share(shape, t, s->share, s1, s2);
  s->t = t;
  s->b = ball_sum(b, s->share);
  s->b1 = ball_sum(b, s1);
  s->b2 = ball_sum(b, s2);
  const vec3 d = vec3_sub(a->x, s->b.x);
  s->distance = vec3_norm(d);
  return vec3_dot(d, s->b1.x) + s->b1.r * s->distance;
}

// -dg/dt
static inline double pair_slope(const contact_ball* a, const contact_pair* s) {
  const vec3 d = vec3_sub(a->x, s->b.x);
  return vec3_dot(s->b1.x, s->b1.x) - vec3_dot(d, s->b2.x) - s->b2.r * s->distance -
         s->b1.r * s->b1.r;
}

// The t at which A is deepest in B:  g = 0, by Newton's method within an interval that shrinks, or
// an end.
static inline void pair_nearest(contact_shape shape, const contact_ball* a, const contact_ball b[3],
                                contact_pair* s) {
  s->inside = false;
  if (!(pair_at(shape, a, b, 0, s) > 0)) return;
  if (!(pair_at(shape, a, b, 1, s) < 0)) return;
  s->inside = true;
  double low = 0, high = 1, t = 0.5;
  for (int i = 0; i < 60; i++) {
    const double g = pair_at(shape, a, b, t, s), slope = pair_slope(a, s);
    if (g > 0) low = t;
    if (g < 0) high = t;
    double next = slope > 0 ? t + g / slope : 0.5 * (low + high);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - t) <= 1e-15 || g == 0) break;
    t = next;
  }
}

static inline contact_pair contact_pair_at(const contact_law* l, const contact_ball* a,
                                           contact_shape shape, const contact_ball b[3],
                                           contact_arm arm) {
  contact_pair s = {.arm = arm};
  if (shape == SHAPE_BALL)
    pair_at(shape, a, b, 0, &s);
  else
    pair_nearest(shape, a, b, &s);
  s.depth = a->r + s.b.r - s.distance;
  if (!(s.depth > 0) || !(s.distance > 0)) {
    s.depth = 0;
    return s;
  }
  s.n = vec3_scale(1 / s.distance, vec3_sub(a->x, s.b.x));
  s.p = arm == ARM_B ? s.b.x : vec3_axpy(arm == ARM_A ? 0 : -a->r, s.n, a->x);
  s.c = contact_force_at(l, s.depth, s.n, pair_velocity(a, &s.b, s.p));
  return s;
}

// The wrench on B_j, whose centre is x:  -σ_j F there, and the torque of its arm from B.
static inline spatial contact_pair_wrench(const contact_pair* s, vec3 x, double share) {
  const vec3 F = vec3_scale(-share, s->c.F);
  return spatial_force(x, F, vec3_cross(vec3_sub(s->p, s->b.x), F));
}

// First-order change of all of it.
typedef struct contact_pair_change {
  double share[3];
  vec3 p, F;
  contact_ball b;
} contact_pair_change;

static inline contact_pair_change contact_pair_change_at(const contact_law* l, contact_shape shape,
                                                         const contact_pair* s,
                                                         const contact_ball* a,
                                                         const contact_ball* da,
                                                         const contact_ball db[3]) {
  double share[3], s1[3], s2[3];
  contact_share(shape, s->t, share, s1, s2);
  contact_pair_change d = {.b = ball_sum(db, share)};
  const vec3 at = vec3_sub(a->x, s->b.x);

  // t follows from g = 0
  double dt = 0;
  const double slope = s->inside ? pair_slope(a, s) : 0;
  if (slope > 0) {
    const contact_ball db1 = ball_sum(db, s1);
    const vec3 moved = vec3_sub(da->x, d.b.x);
    dt = (vec3_dot(moved, s->b1.x) + vec3_dot(at, db1.x) + s->b1.r * vec3_dot(s->n, moved)) / slope;
  }
  for (int j = 0; j < 3; j++) d.share[j] = s1[j] * dt;
  const vec3 moved = vec3_sub(da->x, d.b.x);  // at the same t
  d.b.x = vec3_axpy(dt, s->b1.x, d.b.x);
  d.b.v = vec3_axpy(dt, s->b1.v, d.b.v);
  d.b.w = vec3_axpy(dt, s->b1.w, d.b.w);

  // the depth is largest at t, which therefore does not change it
  const vec3 dd = vec3_sub(da->x, d.b.x);
  const vec3 dn = vec3_scale(1 / s->distance, vec3_axpy(-vec3_dot(s->n, dd), s->n, dd));
  d.p = s->arm == ARM_B ? d.b.x : vec3_axpy(s->arm == ARM_A ? 0 : -a->r, dn, da->x);
  vec3 dv = vec3_sub(da->v, d.b.v);
  dv = vec3_add(dv, vec3_sub(vec3_cross(da->w, vec3_sub(s->p, a->x)),
                             vec3_cross(d.b.w, vec3_sub(s->p, s->b.x))));
  dv = vec3_add(dv, vec3_sub(vec3_cross(a->w, vec3_sub(d.p, da->x)),
                             vec3_cross(s->b.w, vec3_sub(d.p, d.b.x))));
  d.F = contact_force_change(l, &s->c, -vec3_dot(s->n, moved), dn, dv);
  return d;
}

// Change of the wrench on B_j, whose centre moves by dx and whose share changes by dshare.
static inline spatial contact_pair_wrench_change(const contact_pair* s,
                                                 const contact_pair_change* d, vec3 x, vec3 dx,
                                                 double share, double dshare) {
  const vec3 F = vec3_scale(-share, s->c.F),
             dF = vec3_scale(-1, vec3_axpy(share, d->F, vec3_scale(dshare, s->c.F)));
  const vec3 arm = vec3_sub(s->p, s->b.x), darm = vec3_sub(d->p, d->b.x);
  return spatial_force_change(x, F, dx, dF, vec3_add(vec3_cross(arm, dF), vec3_cross(darm, F)));
}

#endif
