// Magnus steps; magnus.h has the equations.
//
// Twists are treated as dual vectors: rotation + ε translation with ε² = 0 makes [a, b] the cross
// product, and T(Ω) x = x + b Ω × x + c Ω × (Ω × x) with b = (1 - cos θ)/θ², c = (θ - sin θ)/θ³ of
// the dual number θ² = Ω·Ω is the formula of rotations.  Rates along the motion follow from the
// product rule on triples (value, rate, second rate).
#include "elem/magnus.h"

// ---- coefficients -----------------------------------------------------------------------------

// 1/k!
static const double inverse_factorial[10] = {
    1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};

// ratios of the n-th to the previous term of the series of c_8 and c_9, but for -t
#define TERM(n) \
  { 1.0 / ((2 * n + 7) * (2 * n + 8)), 1.0 / ((2 * n + 8) * (2 * n + 9)) }
// Stumpff functions c_k(t) = Σ_n (-t)^n / (2 n + k)!,  k = 1 … 9, of t = θ² in each lane:
// c_1 = sin θ/θ, c_2 = (1 - cos θ)/θ², …  The two highest are summed as series, the others follow
// downwards from c_k = 1/k! - t c_{k+2}.  For t >= 16 the series would need many terms, and the
// recurrence is used upwards from cos and sin.
static void stumpff(lanes t, lanes c[10]) {
  static const double term[15][2] = {TERM(0),  TERM(1),  TERM(2),  TERM(3),  TERM(4),
                                     TERM(5),  TERM(6),  TERM(7),  TERM(8),  TERM(9),
                                     TERM(10), TERM(11), TERM(12), TERM(13), TERM(14)};
  double largest = 0;
  for (int i = 0; i < LANES; i++) largest = t[i] > largest ? t[i] : largest;
  const lanes one = {1, 1, 1, 1, 1, 1, 1, 1};
  lanes c8 = one, c9 = one;

  // series of c_8 and c_9 until the next term is below rounding, then the recurrence
  for (int n = largest < 1 ? 7 : 14; n > 0; n--) {
    c8 = one - term[n][0] * t * c8;
    c9 = one - term[n][1] * t * c9;
  }

  c[8] = inverse_factorial[8] * c8;
  c[9] = inverse_factorial[9] * c9;
  for (int k = 7; k > 0; k--) c[k] = inverse_factorial[k] * one - t * c[k + 2];

  // lanes with large angles, from cos and sin upwards
  for (int i = 0; i < LANES && largest >= 16; i++) {
    if (!(t[i] >= 16)) continue;
    const double th = sqrt(t[i]);
    double large[10] = {cos(th), sin(th) / th};
    for (int k = 0; k < 8; k++) large[k + 2] = (inverse_factorial[k] - large[k]) / t[i];
    for (int k = 1; k < 10; k++) c[k][i] = large[k];
  }
}

// a = sin θ/θ, and b, c with three derivatives in t = θ², by c_k' = (k c_{k+2} - c_{k+1})/2
typedef struct coefficients {
  lanes a, b[4], c[4];
} coefficients;

// Coefficients at t = θ².
static coefficients coefficients_at(lanes t) {
  lanes s[10];
  stumpff(t, s);
  return (coefficients){.a = s[1],
                        .b = {s[2], s[4] - 0.5 * s[3], 0.25 * (8 * s[6] - 5 * s[5] + s[4]),
                              0.125 * (48 * s[8] - 33 * s[7] + 9 * s[6] - s[5])},
                        .c = {s[3], 0.5 * (3 * s[5] - s[4]), 0.25 * (15 * s[7] - 7 * s[6] + s[5]),
                              0.125 * (105 * s[9] - 57 * s[8] + 12 * s[7] - s[6])}};
}

// ---- dual numbers and their rates -------------------------------------------------------------

// Dual numbers r + ε e, and with two rates
typedef struct dual {
  lanes r, e;
} dual;
typedef struct dual_jet {
  dual d[3];
} dual_jet;

static inline dual dual_add(dual a, dual b) { return (dual){a.r + b.r, a.e + b.e}; }
static inline dual dual_mul(dual a, dual b) { return (dual){a.r * b.r, a.r * b.e + a.e * b.r}; }
static inline dual dual_dot(const octet* a, const octet* b) {
  const lanes *x = a->c, *y = b->c;
  return (dual){x[3] * y[3] + x[4] * y[4] + x[5] * y[5],
                x[0] * y[3] + x[1] * y[4] + x[2] * y[5] + x[3] * y[0] + x[4] * y[1] + x[5] * y[2]};
}
// y + s x
static ALWAYS octet dual_axpy(dual s, const octet* x, octet y) {
  for (int i = 0; i < 3; i++) {
    y.c[i] += s.r * x->c[i] + s.e * x->c[i + 3];
    y.c[i + 3] += s.r * x->c[i + 3];
  }
  return y;
}

static ALWAYS jet jet_zero(void) { return (jet){{octet_zero(), octet_zero(), octet_zero()}}; }
// a × b with its rates up to `degree`
static ALWAYS jet jet_cross(const jet* a, const jet* b, int degree) {
  jet c = {.d[0] = octet_cross_each(&a->d[0], &b->d[0])};
  if (degree > 0)
    c.d[1] = octet_cross_add_each(&a->d[1], &b->d[0], octet_cross_each(&a->d[0], &b->d[1]));
  if (degree > 1) {
    c.d[2] = octet_scale(2, octet_cross_each(&a->d[1], &b->d[1]));
    c.d[2] = octet_cross_add_each(&a->d[2], &b->d[0], c.d[2]);
    c.d[2] = octet_cross_add_each(&a->d[0], &b->d[2], c.d[2]);
  }
  return c;
}
// a × e_d for a constant unit twist
static ALWAYS jet jet_cross_unit(const jet* a, int d, int degree) {
  jet c = jet_zero();
  for (int k = 0; k <= degree; k++) c.d[k] = octet_cross_unit(&a->d[k], d);
  return c;
}
static ALWAYS jet jet_axpy(double s, const jet* x, jet y, int degree) {
  for (int k = 0; k <= degree; k++) y.d[k] = octet_axpy(s, &x->d[k], y.d[k]);
  return y;
}
static ALWAYS jet jet_axpy_each(lanes s, const jet* x, jet y, int degree) {
  for (int k = 0; k <= degree; k++) y.d[k] = octet_axpy_each(s, &x->d[k], y.d[k]);
  return y;
}
static ALWAYS jet jet_scale(double s, jet x, int degree) {
  for (int k = 0; k <= degree; k++) x.d[k] = octet_scale(s, x.d[k]);
  return x;
}
// x + s e_d for a constant s
static ALWAYS jet jet_plus_unit(jet x, lanes s, int d) {
  x.d[0].c[d] += s;
  return x;
}
// y + s x for a dual number s that has rates
static ALWAYS jet jet_dual_axpy(const dual_jet* s, const jet* x, jet y, int degree) {
  y.d[0] = dual_axpy(s->d[0], &x->d[0], y.d[0]);
  if (degree > 0) {
    y.d[1] = dual_axpy(s->d[1], &x->d[0], y.d[1]);
    y.d[1] = dual_axpy(s->d[0], &x->d[1], y.d[1]);
  }
  if (degree > 1) {
    const dual twice = {2 * s->d[1].r, 2 * s->d[1].e};
    y.d[2] = dual_axpy(s->d[2], &x->d[0], y.d[2]);
    y.d[2] = dual_axpy(twice, &x->d[1], y.d[2]);
    y.d[2] = dual_axpy(s->d[0], &x->d[2], y.d[2]);
  }
  return y;
}

// f(t) of a dual number with rates, from f and its derivatives at the real part of t
static dual_jet dual_function(const lanes f[4], const dual_jet* t) {
  dual d[3];
  for (int k = 0; k < 3; k++) d[k] = (dual){f[k], f[k + 1] * t->d[0].e};
  const dual square = dual_mul(t->d[1], t->d[1]);
  return (dual_jet){
      {d[0], dual_mul(d[1], t->d[1]), dual_add(dual_mul(d[2], square), dual_mul(d[1], t->d[2]))}};
}

// The map T(Ω) along the motion of Ω
typedef struct tangent_map {
  const jet* omega;
  coefficients k;
  dual_jet b, c;
} tangent_map;

// T at Ω: θ² = Ω·Ω with its rates up to `degree`, and b, c as functions of it.
static ALWAYS tangent_map tangent_map_of(const jet* omega, int degree) {
  const octet* o = omega->d;
  const lanes none = {0};
  dual_jet t = {{dual_dot(&o[0], &o[0]), {none, none}, {none, none}}};
  if (degree > 0) {
    const dual half = dual_dot(&o[0], &o[1]);
    t.d[1] = dual_add(half, half);
  }
  if (degree > 1) {
    const dual half = dual_add(dual_dot(&o[1], &o[1]), dual_dot(&o[0], &o[2]));
    t.d[2] = dual_add(half, half);
  }
  tangent_map m = {.omega = omega, .k = coefficients_at(t.d[0].r)};
  m.b = dual_function(m.k.b, &t);
  m.c = dual_function(m.k.c, &t);
  return m;
}

// T z and its rates
static ALWAYS jet tangent_apply(const tangent_map* m, const jet* z, int degree) {
  const jet u = jet_cross(m->omega, z, degree), w = jet_cross(m->omega, &u, degree);
  return jet_dual_axpy(&m->c, &w, jet_dual_axpy(&m->b, &u, *z, degree), degree);
}

// g = exp Ω: R = 1 + a [w]× + b [w]×², p = v + b w × v + c w × (w × v)
static void exponential(const tangent_map* m, octet_pose* g) {
  const lanes *v = m->omega->d[0].c, *w = v + 3;
  const lanes a = m->k.a, b = m->k.b[0], c = m->k.c[0];
  const lanes s = 1 - b * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);

  for (int i = 0; i < 3; i++) {
    const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
    g->R[4 * i] = s + b * w[i] * w[i];
    g->R[3 * i + j] = b * w[i] * w[j] - a * w[k];
    g->R[3 * j + i] = b * w[i] * w[j] + a * w[k];
  }

  lanes wv[3] = {{0}, {0}, {0}}, wwv[3] = {{0}, {0}, {0}};
  octet_cross3_each(w, v, wv);
  octet_cross3_each(w, wv, wwv);
  for (int i = 0; i < 3; i++) g->p[i] = v[i] + b * wv[i] + c * wwv[i];
}

// ---- Ω and its derivatives --------------------------------------------------------------------

// Gauss points for orders 2, 4 and 6
const double* td_magnus_nodes(int nodes) {
  static const double at[MAGNUS_NODES][MAGNUS_NODES] = {
      {0.5},
      {0.5 - 0.28867513459481288, 0.5 + 0.28867513459481288},        // ½ ∓ √3/6
      {0.5 - 0.38729833462074169, 0.5, 0.5 + 0.38729833462074169}};  // ½ ∓ √15/10
  return at[nodes - 1];
}

static const double sqrt3_12 = 0.14433756729740644, sqrt15_3 = 1.2909944487358056;

// Terms of order 6:  α₁ = h ξ₂,  α₂ = √15/3 h (ξ₃ - ξ₁),  α₃ = 10/3 h (ξ₃ - 2 ξ₂ + ξ₁),
// C₁ = [α₁, α₂],  C₂ = [α₁, 2 α₃ - C₁]/60,  Ω = α₁ + α₃/12 + [20 α₁ + α₃ + C₁, α₂ + C₂]/240.
typedef struct sixth {
  jet a1, a2, a3, C1, C2, inner, left, right;
} sixth;

// Ω of order 6 with its rates up to `degree`; its terms stay in *s.
static ALWAYS jet sixth_omega(const jet x[3], lanes h, int degree, sixth* s) {
  const jet zero = jet_zero();
  s->a1 = jet_axpy_each(h, &x[1], zero, degree);
  s->a2 =
      jet_axpy_each(sqrt15_3 * h, &x[2], jet_axpy_each(-sqrt15_3 * h, &x[0], zero, degree), degree);
  const lanes third = 10.0 / 3 * h;
  s->a3 = jet_axpy_each(third, &x[2], jet_axpy_each(third, &x[0], zero, degree), degree);
  s->a3 = jet_axpy_each(-2 * third, &x[1], s->a3, degree);
  s->C1 = jet_cross(&s->a1, &s->a2, degree);
  s->inner = jet_axpy(2, &s->a3, jet_axpy(-1, &s->C1, zero, degree), degree);
  s->C2 = jet_scale(1.0 / 60, jet_cross(&s->a1, &s->inner, degree), degree);
  s->left = jet_axpy(20, &s->a1, jet_axpy(1, &s->a3, s->C1, degree), degree);
  s->right = jet_axpy(1, &s->a2, s->C2, degree);
  const jet bracket = jet_cross(&s->left, &s->right, degree);
  const jet sum = jet_axpy(1.0 / 12, &s->a3, s->a1, degree);
  return jet_axpy(1.0 / 240, &bracket, sum, degree);
}

// dΩ/dy of order 6 for strain e = e_d at Gauss point n, with which the α change by c₁ e, c₂ e, c₃
// e:
//
//   C₁: (c₂ α₁ - c₁ α₂) × e      C₂: (α₁ × (2 c₃ e - dC₁) - c₁ (2 α₃ - C₁) × e)/60
//   Ω:  (c₁ + c₃/12) e + (left × (c₂ e + dC₂) - right × ((20 c₁ + c₃) e + dC₁))/240
static ALWAYS jet sixth_change(const sixth* s, int n, int d, lanes h, int degree) {
  const lanes c1 = (n == 1 ? 1 : 0) * h, c2 = (n - 1) * sqrt15_3 * h,
              c3 = (n == 1 ? -20.0 : 10.0) / 3 * h;
  const jet zero = jet_zero();
  const jet u = jet_axpy_each(c2, &s->a1, jet_axpy_each(-c1, &s->a2, zero, degree), degree);
  const jet dC1 = jet_cross_unit(&u, d, degree), around = jet_cross_unit(&s->inner, d, degree);
  const jet dinner = jet_plus_unit(jet_scale(-1, dC1, degree), 2 * c3, d);
  jet dC2 = jet_cross(&s->a1, &dinner, degree);
  dC2 = jet_scale(1.0 / 60, jet_axpy_each(-c1, &around, dC2, degree), degree);
  const jet dleft = jet_plus_unit(dC1, 20 * c1 + c3, d), dright = jet_plus_unit(dC2, c2, d);
  const jet outer = jet_cross(&s->left, &dright, degree),
            behind = jet_cross(&s->right, &dleft, degree);
  const jet bracket = jet_axpy(-1, &behind, outer, degree);
  return jet_plus_unit(jet_scale(1.0 / 240, bracket, degree), c1 + 1.0 / 12 * c3, d);
}

// Changes of left, right and inner along strain d at Gauss point n.
static void sixth_sides(const sixth* s, int n, int d, lanes h, octet* dleft, octet* dright,
                        octet* dinner) {
  const lanes c1 = (n == 1 ? 1 : 0) * h, c2 = (n - 1) * sqrt15_3 * h,
              c3 = (n == 1 ? -20.0 : 10.0) / 3 * h;
  const octet u = octet_axpy_each(c2, &s->a1.d[0], octet_axpy_each(-c1, &s->a2.d[0], octet_zero()));
  const octet around = octet_cross_unit(&s->inner.d[0], d);
  *dleft = octet_cross_unit(&u, d);
  *dinner = octet_scale(-1, *dleft);
  dinner->c[d] += 2 * c3;
  dleft->c[d] += 20 * c1 + c3;
  *dright = octet_axpy_each(-c1, &around, octet_cross_each(&s->a1.d[0], dinner));
  *dright = octet_scale(1.0 / 60, *dright);
  dright->c[d] += c2;
}

// Ω with its rates up to `degree`; the terms of order 6 stay in *s.
static ALWAYS jet omega_of(const jet* x, int nodes, lanes h, int degree, sixth* s) {
  if (nodes == 1) return jet_axpy_each(h, &x[0], jet_zero(), degree);
  if (nodes == 3) return sixth_omega(x, h, degree, s);
  const jet bracket = jet_cross(&x[0], &x[1], degree);
  const jet sum =
      jet_axpy_each(0.5 * h, &x[0], jet_axpy_each(0.5 * h, &x[1], jet_zero(), degree), degree);
  return jet_axpy_each(sqrt3_12 * h * h, &bracket, sum, degree);
}

// Z = dΩ/dy for strain d at Gauss point n, with its rates up to `degree`.
static ALWAYS jet omega_change(const jet* x, int nodes, lanes h, int n, int d, int degree,
                               const sixth* s) {
  if (nodes == 3) return sixth_change(s, n, d, h, degree);
  if (nodes == 1) return jet_plus_unit(jet_zero(), h, d);
  const jet bracket = jet_cross_unit(&x[1 - n], d, degree);
  const lanes k = (n == 0 ? -sqrt3_12 : sqrt3_12) * h * h;
  return jet_plus_unit(jet_axpy_each(k, &bracket, jet_zero(), degree), 0.5 * h, d);
}

// ---- the steps --------------------------------------------------------------------------------

// td_magnus for a given order; inlined once for each, so that the order is a compile-time constant.
static ALWAYS void motion_of(const magnus_steps* steps, int nodes, magnus_motion* out) {
  sixth s;
  const jet omega = omega_of(steps->xi, nodes, steps->h, 2, &s);
  const tangent_map T = tangent_map_of(&omega, 1);

  // pose, V = T Ω' and its rate
  exponential(&T, &out->g);
  const jet rate = {{omega.d[1], omega.d[2]}}, V = tangent_apply(&T, &rate, 1);
  out->V = V.d[0];
  out->A = V.d[1];

  // columns S_p = T dΩ/dy_p
  for (int p = 0; p < 6 * nodes; p++) {
    if (!(steps->modes >> p % 6 & 1)) continue;
    const jet Z = omega_change(steps->xi, nodes, steps->h, p / 6, p % 6, 0, &s);
    out->S[p] = tangent_apply(&T, &Z, 0).d[0];
  }
}

void td_magnus(const magnus_steps* steps, magnus_motion* out) {
  if (steps->nodes == 1) motion_of(steps, 1, out);
  if (steps->nodes == 2) motion_of(steps, 2, out);
  if (steps->nodes == 3) motion_of(steps, 3, out);
}

// td_magnus_rates for a given order, up to the given rate.
static ALWAYS void rates_of(const magnus_steps* steps, int nodes, int rates, jet S[MAGNUS_PARTS]) {
  sixth s;
  const jet omega = omega_of(steps->xi, nodes, steps->h, rates, &s);
  const tangent_map T = tangent_map_of(&omega, rates);
  for (int p = 0; p < 6 * nodes; p++) {
    if (!(steps->modes >> p % 6 & 1)) continue;
    const jet Z = omega_change(steps->xi, nodes, steps->h, p / 6, p % 6, rates, &s);
    S[p] = tangent_apply(&T, &Z, rates);
  }
}

void td_magnus_rates(const magnus_steps* steps, jet S[MAGNUS_PARTS]) {
  if (steps->nodes == 1) rates_of(steps, 1, 2, S);
  if (steps->nodes == 2) rates_of(steps, 2, 2, S);
  if (steps->nodes == 3) rates_of(steps, 3, 2, S);
}

void td_magnus_first_rates(const magnus_steps* steps, jet S[MAGNUS_PARTS]) {
  if (steps->nodes == 1) rates_of(steps, 1, 1, S);
  if (steps->nodes == 2) rates_of(steps, 2, 1, S);
  if (steps->nodes == 3) rates_of(steps, 3, 1, S);
}

// ---- curvature --------------------------------------------------------------------------------

static inline lanes dot3(const lanes* a, const lanes* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// D_ij = F · (dT/dΩ_i) e_j of T = [J, J'; 0, J], J = 1 + b [ω]× + c [ω]×².  For a force a alone
//   K = -b [a]× + c L + ω rᵀ     L = (a·ω) 1 + a ωᵀ - 2 ω aᵀ
//                                r = 2 b' a × ω + 2 c' ((a·ω) ω - |ω|² a)
// stands between rotations and translations, and between rotations its derivative dK when ω moves
// by v and a by the moment m; between two translations it is zero.
static void exponential_curvature(const tangent_map* T, const octet* F, lanes D[6][6]) {
  const coefficients* k = &T->k;
  const lanes *v = T->omega->d[0].c, *w = v + 3, *a = F->c, *m = a + 3;
  const lanes t = dot3(w, w), dt = 2 * dot3(w, v), aw = dot3(a, w), daw = dot3(m, w) + dot3(a, v);
  const lanes db = k->b[1] * dt, dc = k->c[1] * dt, b1 = 2 * k->b[1], c1 = 2 * k->c[1],
              db1 = 2 * k->b[2] * dt, dc1 = 2 * k->c[2] * dt;

  // r and dr from a × ω, (a·ω) ω - |ω|² a and their derivatives
  lanes x[3] = {{0}, {0}, {0}}, dx[3] = {{0}, {0}, {0}}, r[3], dr[3];
  octet_cross3_each(a, w, x);
  octet_cross3_each(m, w, dx);
  octet_cross3_each(a, v, dx);

  for (int i = 0; i < 3; i++) {
    const lanes y = aw * w[i] - t * a[i], dy = daw * w[i] + aw * v[i] - dt * a[i] - t * m[i];
    r[i] = b1 * x[i] + c1 * y;
    dr[i] = db1 * x[i] + dc1 * y + b1 * dx[i] + c1 * dy;
  }

  // ω rᵀ and c L without its diagonal, and their derivatives
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const lanes L = a[i] * w[j] - 2 * w[i] * a[j],
                  dL = m[i] * w[j] + a[i] * v[j] - 2 * (v[i] * a[j] + w[i] * m[j]);
      D[i][j] = (lanes){0};
      D[i][j + 3] = k->c[0] * L + w[i] * r[j];
      D[i + 3][j + 3] = dc * L + k->c[0] * dL + v[i] * r[j] + w[i] * dr[j];
    }

  // c (a·ω) on the diagonal, -b [a]× beside it; the lower left block equals the upper right one
  for (int i = 0; i < 3; i++) {
    const int j = i == 2 ? 0 : i + 1, n = i == 0 ? 2 : i - 1;  // [a]×_ij = -a_n, [a]×_ji = a_n
    D[i][i + 3] += k->c[0] * aw;
    D[i + 3][i + 3] += dc * aw + k->c[0] * daw;
    D[i][j + 3] += k->b[0] * a[n];
    D[j][i + 3] -= k->b[0] * a[n];
    D[i + 3][j + 3] += db * a[n] + k->b[0] * m[n];
    D[j + 3][i + 3] -= db * a[n] + k->b[0] * m[n];
  }

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) D[i + 3][j] = D[i][j + 3];
}

// Tᵀ F: as a dual vector the wrench is f + ε m, and Tᵀ F = F - b Ω × F + c Ω × (Ω × F).
static octet transposed(const tangent_map* T, const octet* F) {
  const octet f = {{F->c[3], F->c[4], F->c[5], F->c[0], F->c[1], F->c[2]}}, *o = &T->omega->d[0];
  const octet u = octet_cross_each(o, &f), w = octet_cross_each(o, &u);
  const dual b = {-T->b.d[0].r, -T->b.d[0].e};
  const octet y = dual_axpy(T->c.d[0], &w, dual_axpy(b, &u, f));
  return (octet){{y.c[3], y.c[4], y.c[5], y.c[0], y.c[1], y.c[2]}};
}

// y · (e_p × e_r) for unit twists
static lanes unit_bracket(const octet* y, int p, int r) {
  const int i = p % 3, j = r % 3, turns = p / 3 + r / 3;
  if (i == j || turns == 0) return (lanes){0};
  return ((j - i + 3) % 3 == 1 ? 1.0 : -1.0) * y->c[3 - i - j + (turns == 2 ? 3 : 0)];
}

// b with x · b = y · (x × a) for all twists x: [a_r × y_t, a_t × y_t + a_r × y_r]
static ALWAYS octet bracket_row(const octet* y, const octet* a) {
  octet b = octet_zero();
  octet_cross3_each(a->c + 3, y->c, b.c);
  octet_cross3_each(a->c, y->c, b.c + 3);
  octet_cross3_each(a->c + 3, y->c + 3, b.c + 3);
  return b;
}

// Add y · d²Ω/dy_p dy_r of order 4: the commutator of the strains at its two nodes.
static void fourth_curvature(const magnus_steps* steps, const octet* y,
                             lanes N[MAGNUS_PARTS][MAGNUS_PARTS]) {
  const lanes k = sqrt3_12 * steps->h * steps->h;
  for (int p = 0; p < 6; p++)
    for (int r = 0; r < 6; r++) {
      const lanes bracket = k * unit_bracket(y, p, r);
      N[p][6 + r] += bracket;
      N[6 + r][p] += bracket;
    }
}

// Add y · d²Ω/dy_p dy_r of order 6.  With the changes d of sixth_change() along strains p and r
//
//   240 d²Ω = [d_p L, d_r R] + [d_r L, d_p R] + [d²C₁, R] + [L, d²C₂]
//   d²C₁ = [d_p α₁, d_r α₂] + [d_r α₁, d_p α₂]
//   60 d²C₂ = [d_p α₁, d_r I] + [d_r α₁, d_p I] - [α₁, d²C₁]       I = 2 α₃ - C₁
//
// α₁ changes with the strains of the middle node alone, α₂ with those of the outer ones.  The
// wrenches z and k are those that y makes of C₂ and C₁.
static void sixth_curvature(const magnus_steps* steps, const sixth* s, const octet* y,
                            lanes N[MAGNUS_PARTS][MAGNUS_PARTS]) {
  const octet *a1 = &s->a1.d[0], *left = &s->left.d[0], *right = &s->right.d[0];
  const octet minus_z = bracket_row(y, left), z = octet_scale(-1, minus_z);
  const octet inside = bracket_row(&z, a1),
              k = octet_axpy(1.0 / 60, &inside, bracket_row(y, right));
  octet dL[MAGNUS_PARTS], dR[MAGNUS_PARTS], along_L[MAGNUS_PARTS], along_R[MAGNUS_PARTS];

  // changes of both sides of the outer commutator, and what y makes of them
  for (int p = 0; p < MAGNUS_PARTS; p++) {
    if (!(steps->modes >> p % 6 & 1)) continue;
    octet dI;
    sixth_sides(s, p / 6, p % 6, steps->h, &dL[p], &dR[p], &dI);
    along_L[p] = octet_scale(-1.0 / 240, bracket_row(y, &dL[p]));
    along_R[p] = octet_scale(1.0 / 240, bracket_row(y, &dR[p]));

    // [d α₁, d I] of C₂, in the rows and columns of the middle node
    const octet row = bracket_row(&z, &dI);
    for (int d = 0; d < 6; d++) {
      const lanes value = 1.0 / 14400 * steps->h * row.c[d];
      N[6 + d][p] += value;
      N[p][6 + d] += value;
    }
  }

  // [d_p L, d_r R] + [d_r L, d_p R]
  for (int p = 0; p < MAGNUS_PARTS; p++) {
    if (!(steps->modes >> p % 6 & 1)) continue;
    for (int r = p; r < MAGNUS_PARTS; r++) {
      if (!(steps->modes >> r % 6 & 1)) continue;
      const lanes value = octet_dot_each(&dL[p], &along_R[r]) + octet_dot_each(&dR[p], &along_L[r]);
      N[p][r] += value;
      if (p != r) N[r][p] += value;
    }
  }

  // [d α₁, d α₂] of C₁, between the middle node and the outer ones
  const lanes c = sqrt15_3 / 240 * steps->h * steps->h;
  for (int d = 0; d < 6; d++)
    for (int e = 0; e < 6; e++) {
      const lanes bracket = c * unit_bracket(&k, d, e);
      N[6 + d][e] -= bracket;
      N[e][6 + d] -= bracket;
      N[6 + d][12 + e] += bracket;
      N[12 + e][6 + d] += bracket;
    }
}

// Second derivatives of the step, contracted with wrenches F.
void td_magnus_curvature(const magnus_steps* steps, const octet* F,
                         lanes N[MAGNUS_PARTS][MAGNUS_PARTS]) {
  const int parts = 6 * steps->nodes;
  sixth s;
  const jet omega = omega_of(steps->xi, steps->nodes, steps->h, 0, &s);
  const tangent_map T = tangent_map_of(&omega, 0);
  const octet y = transposed(&T, F);
  lanes D[6][6];
  exponential_curvature(&T, F, D);

  // Z_p = dΩ/dy_p and D Z_p
  octet Z[MAGNUS_PARTS], DZ[MAGNUS_PARTS];
  for (int p = 0; p < parts; p++) {
    if (!(steps->modes >> p % 6 & 1)) continue;
    Z[p] = omega_change(steps->xi, steps->nodes, steps->h, p / 6, p % 6, 0, &s).d[0];
    for (int i = 0; i < 6; i++) {
      DZ[p].c[i] = D[i][0] * Z[p].c[0];
      for (int j = 1; j < 6; j++) DZ[p].c[i] += D[i][j] * Z[p].c[j];
    }
  }

  // N_pr = Z_p' D Z_r + (Tᵀ F) · d²Ω/dy_p dy_r; entries of held strains are not used
  for (int p = 0; p < parts; p++)
    for (int r = 0; r < parts; r++)
      N[p][r] = steps->modes >> p % 6 & 1 && steps->modes >> r % 6 & 1
                    ? octet_dot_each(&Z[p], &DZ[r])
                    : (lanes){0};
  if (steps->nodes == 2) fourth_curvature(steps, &y, N);
  if (steps->nodes == 3) sixth_curvature(steps, &s, &y, N);
}
