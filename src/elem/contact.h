// Soft contact of a ball with an object: depth of penetration and force.
//
//   depth    δ                        n: unit normal, from the object towards the ball
//   normal   N = k δ^e (1 + d w)₊     [hunt1975], w = -n·v the speed of approach:  no jump at
//                                     first contact, no attraction at separation
//            N = k δ^e + d max(0, w)  (`approach`): jumps at first contact with a speed of approach
//   friction -μ N v_t/√(|v_t|² + ε²)  v_t the velocity along the surface: Coulomb's law at speeds
//                                     above ε, viscous below
//
// The force acts at the surface of the ball, x - r n, and v is the velocity of the ball there.
#ifndef TD_CONTACT_H
#define TD_CONTACT_H

#include "elem/shape.h"
#include "elem/station.h"

typedef struct contact_law {
  double k, d, e, mu, slip;  // k, d, e, μ and ε
  bool approach;             // the second normal law
  double weight;             // factor that k (and d, of `approach`) have been multiplied by
} contact_law;

// ---- the law ----------------------------------------------------------------------------------

// N and its derivatives with respect to δ and w
typedef struct contact_normal {
  double N, dd, dw;
  double elastic, energy;  // k δ^e and its potential
} contact_normal;

// Normal force at a depth and a speed of approach
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

// Force on the ball for the velocity v of its surface relative to the object
typedef struct contact_force {
  contact_normal normal;
  vec3 F, n, v, slip;  // slip: velocity along the surface
  double w, speed;     // speed: √(|v_t|² + ε²)
} contact_force;

// Force at a depth, with normal n and relative velocity v of the surface
static inline contact_force contact_force_at(const contact_law* l, double depth, vec3 n, vec3 v) {
  contact_force c = {.n = n, .v = v, .w = -vec3_dot(n, v)};
  c.normal = contact_normal_at(l, depth, c.w);
  c.slip = vec3_axpy(c.w, n, v);
  c.speed = sqrt(vec3_dot(c.slip, c.slip) + l->slip * l->slip);
  c.F = vec3_axpy(-l->mu * c.normal.N / c.speed, c.slip, vec3_scale(c.normal.N, n));
  return c;
}

// Change of the force for changes of depth, normal and velocity
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

// Change of the force with the numbers of the law.  For e > 0 the exponent's change is k δ^e log δ.
static inline vec3 contact_law_change(const contact_law* l, const contact_law* d,
                                      const contact_force* c, double depth) {
  if (!(depth > 0)) return (vec3){0, 0, 0};
  const double p = pow(depth, l->e), f = l->k * p,
               df = d->k * p + (d->e == 0 ? 0 : f * log(depth) * d->e);
  double dN = 0;
  if (l->approach)
    dN = df + (c->w > 0 ? d->d * c->w : 0);
  else if (1 + l->d * c->w > 0)
    dN = df * (1 + l->d * c->w) + f * d->d * c->w;
  const double s = c->speed, N = c->normal.N;
  const double along = -(d->mu * N + l->mu * dN) / s + l->mu * N * l->slip * d->slip / (s * s * s);
  return vec3_axpy(along, c->slip, vec3_scale(dN, c->n));
}

// Change of the energy k δ^(e+1)/(e+1) with the depth and the numbers of the law
static inline double contact_energy_change(const contact_law* l, const contact_law* d,
                                           const contact_normal* c, double depth, double deeper) {
  if (!(depth > 0)) return 0;
  const double stiffer = d->k == 0 ? 0 : d->k * pow(depth, l->e + 1) / (l->e + 1);
  const double bend = d->e == 0 ? 0 : (log(depth) - 1 / (l->e + 1)) * d->e;
  return c->elastic * deeper + stiffer + c->energy * bend;
}

// ---- a ball of a station against a fixed object ----------------------------------------------

// Velocity at point p of a body with the twist V
static inline vec3 contact_velocity(const spatial* V, vec3 p) {
  return vec3_add(spatial_t(V), vec3_cross(spatial_r(V), p));
}

// Force and its derivatives.  Along δX and δV:  δx = δX_t + δX_r × x,  δp = δx - r δn,
// δv = δV_t + δV_r × p + ω × δp.
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

enum { CONTACT_BALLS = 4 };

// Curve through the centres of balls with varying radius:  B(t) = Σ σ_j(t) B_j, 0 <= t <= 1, with
// cubic weights ("shares") σ_j that sum to 1.  A rod is a chain of such curves with a continuous
// tangent, so that the force on an object that slides along it is continuous.  One share: a single
// ball
typedef struct contact_curve {
  int n;
  const double* c;  // σ_j = Σ_k c[4 j + k] t^k
} contact_curve;

// Polynomials of a curve at the current state, and the box that contains its surface
typedef struct contact_line {
  vec3 x[4];
  double r[4];
  vec3 lo, hi;
} contact_line;

// Polynomials and box of a curve through the balls b.
static inline contact_line contact_line_of(contact_curve c, const contact_ball* b) {
  contact_line l = {.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};

  // polynomials of centre and radius
  for (int j = 0; j < c.n; j++)
    for (int k = 0; k < 4; k++) {
      l.x[k] = vec3_axpy(c.c[4 * j + k], b[j].x, l.x[k]);
      l.r[k] += c.c[4 * j + k] * b[j].r;
    }

  // the convex hull of the Bézier points contains the curve
  static const double bezier[4][4] = {
      {1, 0, 0, 0}, {1, 1. / 3, 0, 0}, {1, 2. / 3, 1. / 3, 0}, {1, 1, 1, 1}};
  double r = 0;

  for (int i = 0; i < (c.n > 1 ? 4 : 1); i++) {
    vec3 p = {0, 0, 0};
    double width = 0;
    for (int k = 0; k < 4; k++) {
      p = vec3_axpy(bezier[i][k], l.x[k], p);
      width += bezier[i][k] * l.r[k];
    }
    r = fmax(r, width);
    l.lo = (vec3){fmin(l.lo.x, p.x), fmin(l.lo.y, p.y), fmin(l.lo.z, p.z)};
    l.hi = (vec3){fmax(l.hi.x, p.x), fmax(l.hi.y, p.y), fmax(l.hi.z, p.z)};
  }

  const vec3 wide = {r, r, r};
  l.lo = vec3_sub(l.lo, wide);
  l.hi = vec3_add(l.hi, wide);
  return l;
}

static inline bool contact_boxes_meet(const contact_line* a, const contact_line* b) {
  return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
         a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// Point of a curve: centre and radius with their first two derivatives
typedef struct contact_spot {
  vec3 x, x1, x2;
  double r, r1, r2;
} contact_spot;

// Point of a curve at the parameter t
static inline contact_spot contact_spot_at(const contact_line* l, double t) {
  const vec3* x = l->x;
  const double* r = l->r;
  const vec3 steep = vec3_axpy(3 * t, x[3], x[2]);
  return (contact_spot){
      .x = vec3_axpy(t, vec3_axpy(t, vec3_axpy(t, x[3], x[2]), x[1]), x[0]),
      .x1 = vec3_axpy(t, vec3_axpy(1, steep, x[2]), x[1]),
      .x2 = vec3_scale(2, steep),
      .r = r[0] + t * (r[1] + t * (r[2] + t * r[3])),
      .r1 = r[1] + t * (2 * r[2] + 3 * t * r[3]),
      .r2 = 2 * (r[2] + 3 * t * r[3]),
  };
}

// With D = |a - B| the depth of a ball at a grows along B where  g = (a - B)·B' + r' D  is
// positive. Returns g; *slope is -dg/dt.
static inline double contact_growth(const contact_spot* s, vec3 a, double* slope) {
  const vec3 d = vec3_sub(a, s->x);
  const double distance = vec3_norm(d);
  *slope = vec3_dot(s->x1, s->x1) - vec3_dot(d, s->x2) - s->r2 * distance - s->r1 * s->r1;
  return vec3_dot(d, s->x1) + s->r1 * distance;
}

// Parameter t at which a ball at a is deepest in a curve: g = 0 by Newton's method within a
// shrinking interval, or an end.  *inside: the point slides along the curve when the ball moves; so
// it does if g vanishes at an end, where it slides on into the next curve.
static inline double contact_nearest(const contact_line* l, vec3 a, bool* inside) {
  double slope;

  // the ends
  contact_spot s = contact_spot_at(l, 0);
  double g = contact_growth(&s, a, &slope);
  *inside = fabs(g) < 1e-9 * vec3_dot(s.x1, s.x1);
  if (*inside || !(g > 0)) return 0;

  s = contact_spot_at(l, 1);
  g = contact_growth(&s, a, &slope);
  *inside = fabs(g) < 1e-9 * vec3_dot(s.x1, s.x1);
  if (*inside || !(g < 0)) return 1;

  // inside: Newton's method, with bisection where it leaves the interval
  *inside = true;
  double low = 0, high = 1, t = 0.5;

  for (int i = 0; i < 60; i++) {
    s = contact_spot_at(l, t);
    g = contact_growth(&s, a, &slope);
    if (g > 0) low = t;
    if (g < 0) high = t;
    double next = slope > 0 ? t + g / slope : 0.5 * (low + high);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - t) <= 1e-15 || g == 0) break;
    t = next;
  }
  return t;
}

// Shares at t and their derivatives
static inline void contact_shares(contact_curve c, double t, double s[CONTACT_BALLS],
                                  double s1[CONTACT_BALLS]) {
  for (int j = 0; j < CONTACT_BALLS; j++) {
    const double* k = c.c + 4 * j;
    s[j] = j < c.n ? k[0] + t * (k[1] + t * (k[2] + t * k[3])) : 0;
    s1[j] = j < c.n ? k[1] + t * (2 * k[2] + 3 * t * k[3]) : 0;
  }
}

// Σ s_j b_j
static inline contact_ball ball_sum(int n, const contact_ball* b, const double* s) {
  contact_ball sum = {.r = 0};
  for (int j = 0; j < n; j++) {
    sum.x = vec3_axpy(s[j], b[j].x, sum.x);
    sum.v = vec3_axpy(s[j], b[j].v, sum.v);
    sum.w = vec3_axpy(s[j], b[j].w, sum.w);
    sum.r += s[j] * b[j].r;
  }
  return sum;
}

// Point of action of the force between two balls: the surface of A.  A node without rotation cannot
// take the torque of a lever arm; the force then acts at its centre, on both, so that no moment is
// lost
typedef enum contact_arm { ARM_SURFACE, ARM_A, ARM_B } contact_arm;

// Ball A in contact with point B of a curve, or with a fixed object; A may be a point of a curve
// too
typedef struct contact_pair {
  contact_ball a, a1, b, b1;                           // A, dA/dt (0: a single ball), B, dB/dt
  double a_share[CONTACT_BALLS];                       // shares of the balls in A
  double a_share1[CONTACT_BALLS];                      // and their derivatives
  double share[CONTACT_BALLS], share1[CONTACT_BALLS];  // shares of the balls in B
  double depth, distance;
  double slope;  // -dg/dt; 0: B does not slide
  contact_arm arm;
  vec3 n, p;  // from B to A; where the force acts
  mat3 dn;    // fixed object: dn/dA
  contact_law law;
  contact_force c;
} contact_pair;

// Velocity of A relative to B at the point p
static inline vec3 pair_velocity(const contact_ball* a, const contact_ball* b, vec3 p) {
  return vec3_sub(vec3_add(a->v, vec3_cross(a->w, vec3_sub(p, a->x))),
                  vec3_add(b->v, vec3_cross(b->w, vec3_sub(p, b->x))));
}

// Complete a pair whose balls, depth, normal, arm and law are known.
static inline void contact_pair_force(contact_pair* s) {
  s->p = s->arm == ARM_B ? s->b.x : vec3_axpy(s->arm == ARM_A ? 0 : -s->a.r, s->n, s->a.x);
  s->c = contact_force_at(&s->law, s->depth, s->n, pair_velocity(&s->a, &s->b, s->p));
}

// Complete a pair of A (s->a) with point B at t of a curve through balls b, where A is deepest in
// it.
static inline void contact_pair_at(contact_pair* s, contact_curve curve, const contact_line* line,
                                   const contact_ball* b, double t, bool inside) {
  contact_shares(curve, t, s->share, s->share1);
  s->b = ball_sum(curve.n, b, s->share);
  s->b1 = ball_sum(curve.n, b, s->share1);
  const vec3 d = vec3_sub(s->a.x, s->b.x);
  s->distance = vec3_norm(d);
  s->depth = s->a.r + s->b.r - s->distance;
  s->slope = 0;
  if (inside) {
    const contact_spot spot = contact_spot_at(line, t);
    contact_growth(&spot, s->a.x, &s->slope);
  }
  if (!(s->depth > 0) || !(s->distance > 0)) {
    s->depth = 0;
    return;
  }
  s->n = vec3_scale(1 / s->distance, d);
  contact_pair_force(s);
}

// Wrench on ball j of A or, with a minus sign, of B: its share of the force at its centre x, and of
// the moment of the force about the centre of A or B.
static inline spatial contact_pair_wrench(const contact_pair* s, vec3 centre, vec3 x,
                                          double share) {
  const vec3 F = vec3_scale(share, s->c.F);
  return spatial_force(x, F, vec3_cross(vec3_sub(s->p, centre), F));
}

// First-order change of a pair
typedef struct contact_pair_change {
  double a_share[CONTACT_BALLS], share[CONTACT_BALLS];
  vec3 p, F;
  double deeper;
  contact_ball a, b;
} contact_pair_change;

// Change of a pair when the balls move by da and db and A moves along its curve by dt; the force
// changes by the fraction `grown` of itself in addition; `object` is the change of a fixed object
// (0: none).
static inline contact_pair_change contact_pair_change_at(const contact_pair* s, int na,
                                                         const contact_ball* da, int nb,
                                                         const contact_ball* db, double dt,
                                                         double grown,
                                                         contact_object_change object) {
  contact_pair_change d = {.a = ball_sum(na, da, s->a_share), .b = ball_sum(nb, db, s->share)};
  if (dt != 0) {
    for (int j = 0; j < na; j++) d.a_share[j] = s->a_share1[j] * dt;
    d.a.x = vec3_axpy(dt, s->a1.x, d.a.x);
    d.a.v = vec3_axpy(dt, s->a1.v, d.a.v);
    d.a.w = vec3_axpy(dt, s->a1.w, d.a.w);
    d.a.r += dt * s->a1.r;
  }
  if (nb == 0) d.b.v = object.v;
  const vec3 moved = vec3_sub(d.a.x, d.b.x);  // at the same point of B

  // B slides along its curve to where g = 0
  if (s->slope > 0) {
    const vec3 at = vec3_sub(s->a.x, s->b.x);
    const contact_ball db1 = ball_sum(nb, db, s->share1);
    const double slid = (vec3_dot(moved, s->b1.x) + vec3_dot(at, db1.x) +
                         s->b1.r * vec3_dot(s->n, moved) + db1.r * s->distance) /
                        s->slope;
    for (int j = 0; j < nb; j++) d.share[j] = s->share1[j] * slid;
    d.b.x = vec3_axpy(slid, s->b1.x, d.b.x);
    d.b.v = vec3_axpy(slid, s->b1.v, d.b.v);
    d.b.w = vec3_axpy(slid, s->b1.w, d.b.w);
  }

  // the depth is largest there, so that sliding does not change it
  const vec3 dd = vec3_sub(d.a.x, d.b.x);
  const vec3 dn = nb == 0 ? vec3_add(mat3_apply(s->dn, d.a.x), object.n)
                          : vec3_scale(1 / s->distance, vec3_axpy(-vec3_dot(s->n, dd), s->n, dd));
  d.p = s->arm == ARM_B ? d.b.x : vec3_axpy(s->arm == ARM_A ? 0 : -s->a.r, dn, d.a.x);
  if (s->arm == ARM_SURFACE) d.p = vec3_axpy(-d.a.r, s->n, d.p);
  vec3 dv = vec3_sub(d.a.v, d.b.v);
  dv = vec3_add(dv, vec3_sub(vec3_cross(d.a.w, vec3_sub(s->p, s->a.x)),
                             vec3_cross(d.b.w, vec3_sub(s->p, s->b.x))));
  dv = vec3_add(dv, vec3_sub(vec3_cross(s->a.w, vec3_sub(d.p, d.a.x)),
                             vec3_cross(s->b.w, vec3_sub(d.p, d.b.x))));
  d.deeper = d.a.r + d.b.r + object.depth - vec3_dot(s->n, moved);
  d.F = contact_force_change(&s->law, &s->c, d.deeper, dn, dv);
  d.F = vec3_axpy(grown, s->c.F, d.F);
  return d;
}

// Change of the wrench on a ball at x that moves by dx, whose share changes by dshare and whose
// centre of the lever arm moves by dcentre.
static inline spatial contact_pair_wrench_change(const contact_pair* s,
                                                 const contact_pair_change* d, vec3 centre,
                                                 vec3 dcentre, vec3 x, vec3 dx, double share,
                                                 double dshare) {
  const vec3 F = vec3_scale(share, s->c.F), dF = vec3_axpy(share, d->F, vec3_scale(dshare, s->c.F));
  const vec3 arm = vec3_sub(s->p, centre), darm = vec3_sub(d->p, dcentre);
  return spatial_force_change(x, F, dx, dF, vec3_add(vec3_cross(arm, dF), vec3_cross(darm, F)));
}

#endif
