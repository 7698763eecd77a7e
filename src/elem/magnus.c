// Magnus steps; see magnus.h.
//
// Twists are dual vectors: rotation + ε translation with ε² = 0 makes [a, b] the cross product, and
// T(Ω) x = x + b Ω × x + c Ω × (Ω × x) with b = (1 - cos θ)/θ², c = (θ - sin θ)/θ³ of the dual
// number θ² = Ω·Ω: the formula of rotations.  Rates along the motion come from the product rule on
// triples (value, rate, second rate); what concerns each strain of a node is done for all at once.
#include "magnus.h"

// ---- coefficients -----------------------------------------------------------------------------

// Stumpff functions c_k(t) = Σ (-t)^n / (2n + k)!,  k = 1 … 9.  The series of the two highest, then
// c_k = 1/k! - t c_{k+2}; upwards from cos and sin where the series would need many terms.
static void stumpff(double t, double c[10]) {
  static const double inverse_factorial[8] = {1,        1,         1.0 / 2,   1.0 / 6,
                                              1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
  if (t >= 16) {
    const double th = sqrt(t);
    c[0] = cos(th);
    c[1] = sin(th) / th;
    for (int k = 0; k < 8; k++) c[k + 2] = (inverse_factorial[k] - c[k]) / t;
    return;
  }
  double c8 = 1, c9 = 1;
  for (int n = t < 1 ? 7 : 14; n > 0; n--) {  // the next term is below rounding
    c8 = 1 - t / ((2 * n + 7) * (2 * n + 8)) * c8;
    c9 = 1 - t / ((2 * n + 8) * (2 * n + 9)) * c9;
  }
  c[8] = c8 / 40320;
  c[9] = c9 / 362880;
  for (int k = 7; k > 0; k--) c[k] = inverse_factorial[k] - t * c[k + 2];
}

// a = sin θ/θ, and b, c with their derivatives in t = θ², by c_k' = (k c_{k+2} - c_{k+1})/2.
typedef struct coefficients {
  double a, b[4], c[4];
} coefficients;

static coefficients coefficients_at(double t) {
  double s[10];
  stumpff(t, s);
  return (coefficients){.a = s[1],
                        .b = {s[2], s[4] - s[3] / 2, (8 * s[6] - 5 * s[5] + s[4]) / 4,
                              (48 * s[8] - 33 * s[7] + 9 * s[6] - s[5]) / 8},
                        .c = {s[3], (3 * s[5] - s[4]) / 2, (15 * s[7] - 7 * s[6] + s[5]) / 4,
                              (105 * s[9] - 57 * s[8] + 12 * s[7] - s[6]) / 8}};
}

// ---- dual numbers and their rates -------------------------------------------------------------

// Value, rate and second rate of a twist, and of a dual number r + ε e.
typedef struct jet {
  spatial d[3];
} jet;
typedef struct octet_jet {
  octet d[3];
} octet_jet;
typedef struct dual {
  double r, e;
} dual;
typedef struct dual_jet {
  dual d[3];
} dual_jet;

static inline dual dual_add(dual a, dual b) { return (dual){a.r + b.r, a.e + b.e}; }
static inline dual dual_mul(dual a, dual b) { return (dual){a.r * b.r, a.r * b.e + a.e * b.r}; }
static inline dual dual_dot(const spatial* a, const spatial* b) {
  const double *x = a->a, *y = b->a;
  return (dual){x[3] * y[3] + x[4] * y[4] + x[5] * y[5],
                x[0] * y[3] + x[1] * y[4] + x[2] * y[5] + x[3] * y[0] + x[4] * y[1] + x[5] * y[2]};
}
// y + s x
static inline spatial dual_axpy(dual s, const spatial* x, spatial y) {
  for (int i = 0; i < 3; i++) {
    y.a[i] += s.r * x->a[i] + s.e * x->a[i + 3];
    y.a[i + 3] += s.r * x->a[i + 3];
  }
  return y;
}

static inline jet jet_cross(const jet* a, const jet* b, int degree) {
  jet c = {.d[0] = spatial_cross(&a->d[0], &b->d[0])};
  if (degree > 0)
    c.d[1] = spatial_add(spatial_cross(&a->d[1], &b->d[0]), spatial_cross(&a->d[0], &b->d[1]));
  if (degree > 1)
    c.d[2] = spatial_axpy(
        2, spatial_cross(&a->d[1], &b->d[1]),
        spatial_add(spatial_cross(&a->d[2], &b->d[0]), spatial_cross(&a->d[0], &b->d[2])));
  return c;
}
static inline jet jet_axpy(double s, const jet* x, jet y, int degree) {
  for (int k = 0; k <= degree; k++) y.d[k] = spatial_axpy(s, x->d[k], y.d[k]);
  return y;
}
static inline jet jet_dual_axpy(const dual_jet* s, const jet* x, jet y, int degree) {
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

// The same for all strains of a node.
static inline octet octet_dual_axpy(dual s, const octet* x, octet y) {
  for (int i = 0; i < 3; i++) {
    y.c[i] += s.r * x->c[i] + s.e * x->c[i + 3];
    y.c[i + 3] += s.r * x->c[i + 3];
  }
  return y;
}
static inline octet_jet octet_jet_cross(const jet* a, const octet_jet* b, int degree) {
  octet_jet c = {.d[0] = octet_cross(&a->d[0], &b->d[0])};
  if (degree > 0) c.d[1] = octet_cross_add(&a->d[1], &b->d[0], octet_cross(&a->d[0], &b->d[1]));
  if (degree > 1) {
    c.d[2] = octet_scale(2, octet_cross(&a->d[1], &b->d[1]));
    c.d[2] = octet_cross_add(&a->d[2], &b->d[0], octet_cross_add(&a->d[0], &b->d[2], c.d[2]));
  }
  return c;
}
// a × each unit strain: a constant
static inline octet_jet octet_jet_cross_units(const jet* a, int degree) {
  const octet e = octet_units(1);
  octet_jet c;
  for (int k = 0; k <= degree; k++) c.d[k] = octet_cross(&a->d[k], &e);
  return c;
}
static inline octet_jet octet_jet_axpy(double s, const octet_jet* x, octet_jet y, int degree) {
  for (int k = 0; k <= degree; k++) y.d[k] = octet_axpy(s, &x->d[k], y.d[k]);
  return y;
}
static inline octet_jet octet_jet_scale(double s, octet_jet x, int degree) {
  for (int k = 0; k <= degree; k++) x.d[k] = octet_scale(s, x.d[k]);
  return x;
}
// plus a constant
static inline octet_jet octet_jet_plus(octet_jet x, octet y) {
  x.d[0] = octet_add(x.d[0], y);
  return x;
}
static inline octet_jet octet_jet_dual_axpy(const dual_jet* s, const octet_jet* x, octet_jet y,
                                            int degree) {
  y.d[0] = octet_dual_axpy(s->d[0], &x->d[0], y.d[0]);
  if (degree > 0) {
    y.d[1] = octet_dual_axpy(s->d[1], &x->d[0], y.d[1]);
    y.d[1] = octet_dual_axpy(s->d[0], &x->d[1], y.d[1]);
  }
  if (degree > 1) {
    const dual twice = {2 * s->d[1].r, 2 * s->d[1].e};
    y.d[2] = octet_dual_axpy(s->d[2], &x->d[0], y.d[2]);
    y.d[2] = octet_dual_axpy(twice, &x->d[1], y.d[2]);
    y.d[2] = octet_dual_axpy(s->d[0], &x->d[2], y.d[2]);
  }
  return y;
}

// f(t) of a dual number with rates, from the derivatives of f at t.r
static dual_jet dual_function(const double f[4], const dual_jet* t) {
  dual d[3];
  for (int k = 0; k < 3; k++) d[k] = (dual){f[k], f[k + 1] * t->d[0].e};
  const dual square = dual_mul(t->d[1], t->d[1]);
  return (dual_jet){
      {d[0], dual_mul(d[1], t->d[1]), dual_add(dual_mul(d[2], square), dual_mul(d[1], t->d[2]))}};
}

// T along the motion of Ω.
typedef struct tangent_map {
  jet omega;
  coefficients k;
  dual_jet b, c;
} tangent_map;

static tangent_map tangent_map_of(const jet* omega, int degree) {
  const spatial* o = omega->d;
  dual_jet t = {.d[0] = dual_dot(&o[0], &o[0])};
  if (degree > 0) {
    const dual half = dual_dot(&o[0], &o[1]);
    t.d[1] = dual_add(half, half);
  }
  if (degree > 1) {
    const dual half = dual_add(dual_dot(&o[1], &o[1]), dual_dot(&o[0], &o[2]));
    t.d[2] = dual_add(half, half);
  }
  tangent_map m = {.omega = *omega, .k = coefficients_at(t.d[0].r)};
  m.b = dual_function(m.k.b, &t);
  m.c = dual_function(m.k.c, &t);
  return m;
}

// T z and its rates
static inline jet tangent_apply(const tangent_map* m, const jet* z, int degree) {
  const jet u = jet_cross(&m->omega, z, degree), w = jet_cross(&m->omega, &u, degree);
  return jet_dual_axpy(&m->c, &w, jet_dual_axpy(&m->b, &u, *z, degree), degree);
}

// of all strains of a node: the value alone, and with the rates
static inline octet tangent_octet(const tangent_map* m, const octet* z) {
  const octet u = octet_cross(&m->omega.d[0], z), w = octet_cross(&m->omega.d[0], &u);
  return octet_dual_axpy(m->c.d[0], &w, octet_dual_axpy(m->b.d[0], &u, *z));
}
static inline octet_jet tangent_apply_all(const tangent_map* m, const octet_jet* z, int degree) {
  const octet_jet u = octet_jet_cross(&m->omega, z, degree),
                  w = octet_jet_cross(&m->omega, &u, degree);
  return octet_jet_dual_axpy(&m->c, &w, octet_jet_dual_axpy(&m->b, &u, *z, degree), degree);
}

static pose exponential(const tangent_map* m) {
  const spatial* o = &m->omega.d[0];
  const vec3 w = spatial_r(o), v = spatial_t(o), wv = vec3_cross(w, v);
  const double a = m->k.a, b = m->k.b[0], s = 1 - b * vec3_dot(w, w);
  return (pose){{{s + b * w.x * w.x, b * w.x * w.y - a * w.z, b * w.x * w.z + a * w.y,
                  b * w.x * w.y + a * w.z, s + b * w.y * w.y, b * w.y * w.z - a * w.x,
                  b * w.x * w.z - a * w.y, b * w.y * w.z + a * w.x, s + b * w.z * w.z}},
                vec3_axpy(m->k.c[0], vec3_cross(w, wv), vec3_axpy(b, wv, v))};
}

// ---- Ω and its derivatives --------------------------------------------------------------------

const double* td_magnus_nodes(int nodes) {
  static const double at[MAGNUS_NODES][MAGNUS_NODES] = {
      {0.5},
      {0.5 - 0.28867513459481288, 0.5 + 0.28867513459481288},        // ½ ∓ √3/6
      {0.5 - 0.38729833462074169, 0.5, 0.5 + 0.38729833462074169}};  // ½ ∓ √15/10
  return at[nodes - 1];
}

static const double sqrt3_12 = 0.14433756729740644, sqrt15_3 = 1.2909944487358056;

// What order 6 is made of:  α₁ = h ξ₂,  α₂ = √15/3 h (ξ₃ - ξ₁),  α₃ = 10/3 h (ξ₃ - 2 ξ₂ + ξ₁),
// C₁ = [α₁, α₂],  C₂ = [α₁, 2 α₃ - C₁]/60,  Ω = α₁ + α₃/12 + [20 α₁ + α₃ + C₁, α₂ + C₂]/240.
typedef struct sixth {
  jet a1, a2, a3, C1, C2, left, right;
} sixth;

static sixth sixth_alphas(const jet x[3], double h, int degree) {
  const jet zero = {{{{0}}}};
  sixth s;
  s.a1 = jet_axpy(h, &x[1], zero, degree);
  s.a2 = jet_axpy(sqrt15_3 * h, &x[2], jet_axpy(-sqrt15_3 * h, &x[0], zero, degree), degree);
  s.a3 = jet_axpy(10.0 / 3 * h, &x[2], jet_axpy(10.0 / 3 * h, &x[0], zero, degree), degree);
  s.a3 = jet_axpy(-20.0 / 3 * h, &x[1], s.a3, degree);
  return s;
}

static jet sixth_sum(const sixth* s, jet bracket, int degree) {
  jet sum = s->a1;
  sum = jet_axpy(1.0 / 12, &s->a3, sum, degree);
  return jet_axpy(1.0 / 240, &bracket, sum, degree);
}

// The two arguments of the last bracket, from the alphas and the inner brackets.
static void sixth_outer(sixth* s, int degree) {
  s->left = jet_axpy(20, &s->a1, jet_axpy(1, &s->a3, s->C1, degree), degree);
  s->right = jet_axpy(1, &s->a2, s->C2, degree);
}

static jet sixth_inner(const sixth* s, int degree) {  // 2 α₃ - C₁
  const jet zero = {{{{0}}}};
  return jet_axpy(2, &s->a3, jet_axpy(-1, &s->C1, zero, degree), degree);
}

static jet sixth_omega(const jet x[3], double h, int degree, sixth* s) {
  const jet zero = {{{{0}}}};
  *s = sixth_alphas(x, h, degree);
  s->C1 = jet_cross(&s->a1, &s->a2, degree);
  const jet inner = sixth_inner(s, degree), C2 = jet_cross(&s->a1, &inner, degree);
  s->C2 = jet_axpy(1.0 / 60, &C2, zero, degree);
  sixth_outer(s, degree);
  return sixth_sum(s, jet_cross(&s->left, &s->right, degree), degree);
}

// Its derivative for the strains e of node n, of which the alphas have c₁ e, c₂ e, c₃ e:
//
//   C₁: (c₂ α₁ - c₁ α₂) × e      C₂: (α₁ × (2 c₃ e - dC₁) - c₁ (2 α₃ - C₁) × e)/60
//   Ω:  (c₁ + c₃/12) e + (left × (c₂ e + dC₂) - right × ((20 c₁ + c₃) e + dC₁))/240
static inline octet_jet sixth_change(const sixth* s, int n, double h, int degree) {
  const double c1 = n == 1 ? h : 0, c2 = (n - 1) * sqrt15_3 * h, c3 = (n == 1 ? -20 : 10) * h / 3;
  const jet zero = {{{{0}}}}, inner = sixth_inner(s, degree);
  const jet u = jet_axpy(c2, &s->a1, jet_axpy(-c1, &s->a2, zero, degree), degree);
  const octet_jet dC1 = octet_jet_cross_units(&u, degree),
                  around = octet_jet_cross_units(&inner, degree);
  const octet_jet dinner = octet_jet_plus(octet_jet_scale(-1, dC1, degree), octet_units(2 * c3));
  octet_jet dC2 = octet_jet_cross(&s->a1, &dinner, degree);
  dC2 = octet_jet_scale(1.0 / 60, octet_jet_axpy(-c1, &around, dC2, degree), degree);
  const octet_jet dleft = octet_jet_plus(dC1, octet_units(20 * c1 + c3)),
                  dright = octet_jet_plus(dC2, octet_units(c2));
  const octet_jet outer = octet_jet_cross(&s->left, &dright, degree),
                  behind = octet_jet_cross(&s->right, &dleft, degree);
  const octet_jet bracket = octet_jet_axpy(-1, &behind, outer, degree);
  return octet_jet_plus(octet_jet_scale(1.0 / 240, bracket, degree), octet_units(c1 + c3 / 12));
}

static void strains_of(const magnus_step* step, jet x[MAGNUS_NODES], int degree) {
  for (int n = 0; n < step->nodes; n++)
    for (int k = 0; k <= degree; k++) x[n].d[k] = step->xi[n][k];
}

// Ω along the motion; what order 6 needs again is left in *s.
static jet omega_of(const jet* x, int nodes, double h, int degree, sixth* s) {
  const jet zero = {{{{0}}}};
  if (nodes == 1) return jet_axpy(h, &x[0], zero, degree);
  if (nodes == 3) return sixth_omega(x, h, degree, s);
  const jet bracket = jet_cross(&x[0], &x[1], degree);
  const jet sum = jet_axpy(h / 2, &x[0], jet_axpy(h / 2, &x[1], zero, degree), degree);
  return jet_axpy(sqrt3_12 * h * h, &bracket, sum, degree);
}

// Z = dΩ/dy of the strains of node n.
static inline octet_jet omega_change(const jet* x, int nodes, double h, int n, int degree,
                                     const sixth* s) {
  if (nodes == 3) return sixth_change(s, n, h, degree);
  if (nodes == 1) {
    octet_jet Z = {.d[0] = octet_units(h)};
    for (int k = 1; k <= degree; k++) Z.d[k] = octet_zero();
    return Z;
  }
  const double k = (n == 0 ? -1 : 1) * sqrt3_12 * h * h;
  const octet_jet bracket = octet_jet_cross_units(&x[1 - n], degree);
  return octet_jet_plus(octet_jet_scale(k, bracket, degree), octet_units(h / 2));
}

// ---- the step ---------------------------------------------------------------------------------

void td_magnus(const magnus_step* step, magnus_motion* out) {
  jet x[MAGNUS_NODES];
  sixth s;
  strains_of(step, x, 2);
  const jet omega = omega_of(x, step->nodes, step->h, 2, &s);
  const tangent_map T = tangent_map_of(&omega, 1);
  out->g = exponential(&T);
  const jet rate = {{omega.d[1], omega.d[2]}}, V = tangent_apply(&T, &rate, 1);
  out->V = V.d[0];
  out->A = V.d[1];
  for (int n = 0; n < step->nodes; n++) {
    const octet_jet Z = omega_change(x, step->nodes, step->h, n, 0, &s);
    out->S[n] = tangent_octet(&T, &Z.d[0]);
  }
}

void td_magnus_rates(const magnus_step* step, octet Sd[MAGNUS_NODES], octet Sdd[MAGNUS_NODES]) {
  jet x[MAGNUS_NODES];
  sixth s;
  strains_of(step, x, 2);
  const jet omega = omega_of(x, step->nodes, step->h, 2, &s);
  const tangent_map T = tangent_map_of(&omega, 2);
  for (int n = 0; n < step->nodes; n++) {
    const octet_jet Z = omega_change(x, step->nodes, step->h, n, 2, &s);
    const octet_jet S = tangent_apply_all(&T, &Z, 2);
    Sd[n] = S.d[1];
    Sdd[n] = S.d[2];
  }
}

// ---- curvature --------------------------------------------------------------------------------

// a · (dJ/dω_i) e_j of J = 1 + b [ω]× + c [ω]×²:
//   K = -b [a]× + 2 b' ω (a × ω)ᵀ + c ((a·ω) 1 + a ωᵀ - 2 ω aᵀ) + 2 c' ω ((a·ω) ω - |ω|² a)ᵀ
// and its derivative when ω moves by v and a by m: together the dual K of a wrench [f = a, m].
typedef struct curvature {
  mat3 K, dK;
} curvature;

static void add_scaled(mat3* to, double s, mat3 x) {
  for (int i = 0; i < 9; i++) to->m[i] += s * x.m[i];
}

static curvature curvature_of(const coefficients* k, vec3 w, vec3 v, vec3 a, vec3 m) {
  const double t = vec3_dot(w, w), dt = 2 * vec3_dot(w, v);
  const double aw = vec3_dot(a, w), daw = vec3_dot(m, w) + vec3_dot(a, v);
  const double db = k->b[1] * dt, db1 = k->b[2] * dt, dc = k->c[1] * dt, dc1 = k->c[2] * dt;
  const vec3 x = vec3_cross(a, w), dx = vec3_add(vec3_cross(m, w), vec3_cross(a, v));
  const vec3 y = vec3_axpy(aw, w, vec3_scale(-t, a));
  const vec3 dy = vec3_add(vec3_add(vec3_scale(daw, w), vec3_scale(aw, v)),
                           vec3_add(vec3_scale(-dt, a), vec3_scale(-t, m)));
  mat3 L = mat3_scale(aw, mat3_identity()), dL = mat3_scale(daw, mat3_identity());
  add_scaled(&L, 1, mat3_outer(a, w));
  add_scaled(&L, -2, mat3_outer(w, a));
  add_scaled(&dL, 1, mat3_add(mat3_outer(m, w), mat3_outer(a, v)));
  add_scaled(&dL, -2, mat3_add(mat3_outer(v, a), mat3_outer(w, m)));
  // both share ω (…)ᵀ: gather what stands to its right
  const vec3 right = vec3_add(vec3_scale(2 * k->b[1], x), vec3_scale(2 * k->c[1], y));
  vec3 dright = vec3_add(vec3_scale(2 * db1, x), vec3_scale(2 * dc1, y));
  dright = vec3_add(dright, vec3_add(vec3_scale(2 * k->b[1], dx), vec3_scale(2 * k->c[1], dy)));
  curvature c = {mat3_scale(-k->b[0], mat3_skew(a)), mat3_scale(-db, mat3_skew(a))};
  add_scaled(&c.K, k->c[0], L);
  add_scaled(&c.K, 1, mat3_outer(w, right));
  add_scaled(&c.dK, -k->b[0], mat3_skew(m));
  add_scaled(&c.dK, dc, L);
  add_scaled(&c.dK, k->c[0], dL);
  add_scaled(&c.dK, 1, mat3_add(mat3_outer(v, right), mat3_outer(w, dright)));
  return c;
}

// D_ij = F · (dT/dΩ_i) e_j, zero between two translations
static void exponential_curvature(const tangent_map* T, const spatial* F, double D[6][6]) {
  const spatial* o = &T->omega.d[0];
  const curvature c = curvature_of(&T->k, spatial_r(o), spatial_t(o), spatial_t(F), spatial_r(F));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      D[i][j] = 0;
      D[i][j + 3] = D[i + 3][j] = c.K.m[3 * i + j];
      D[i + 3][j + 3] = c.dK.m[3 * i + j];
    }
}

// Tᵀ F: in dual vectors the wrench f + ε m,  F - b Ω × F + c Ω × (Ω × F)
static spatial transposed(const tangent_map* T, const spatial* F) {
  const spatial f = spatial_of(spatial_r(F), spatial_t(F)), *o = &T->omega.d[0];
  const spatial u = spatial_cross(o, &f), w = spatial_cross(o, &u);
  const dual b = {-T->b.d[0].r, -T->b.d[0].e};
  const spatial y = dual_axpy(T->c.d[0], &w, dual_axpy(b, &u, f));
  return spatial_of(spatial_r(&y), spatial_t(&y));
}

// y · d²Ω/dy_p dy for the strains of all nodes: the change of Z along strain p, added to its row.
// Order 4 has (e_p × e) there, and y · (e_p × e) = e_p · (e ×* y).
static void omega_curvature(const magnus_step* step, const jet* x, int p, const spatial* y,
                            lanes* row) {
  const int node = p / 6, mode = p % 6;
  if (step->nodes == 1) return;
  if (step->nodes == 2) {
    const octet e = octet_units(1), turned = octet_cross_force(&e, y);
    row[1 - node] += (node == 0 ? 1 : -1) * sqrt3_12 * step->h * step->h * turned.c[mode];
    return;
  }
  jet moved[MAGNUS_NODES] = {{{{{0}}}}};
  sixth s;
  for (int k = 0; k < step->nodes; k++) moved[k].d[0] = x[k].d[0];
  moved[node].d[1].a[mode] = 1;
  omega_of(moved, 3, step->h, 1, &s);
  for (int l = 0; l < step->nodes; l++) {
    const octet_jet Z = omega_change(moved, step->nodes, step->h, l, 1, &s);
    row[l] += octet_dot(y, &Z.d[1]);
  }
}

void td_magnus_curvature(const magnus_step* step, const spatial* F,
                         lanes N[MAGNUS_PARTS][MAGNUS_NODES]) {
  jet x[MAGNUS_NODES];
  sixth s;
  strains_of(step, x, 0);
  const jet omega = omega_of(x, step->nodes, step->h, 0, &s);
  const tangent_map T = tangent_map_of(&omega, 0);
  const spatial y = transposed(&T, F);
  double D[6][6];
  exponential_curvature(&T, F, D);

  octet Z[MAGNUS_NODES], DZ[MAGNUS_NODES];
  for (int n = 0; n < step->nodes; n++) {
    Z[n] = omega_change(x, step->nodes, step->h, n, 0, &s).d[0];
    for (int i = 0; i < 6; i++) {
      DZ[n].c[i] = D[i][0] * Z[n].c[0];
      for (int j = 1; j < 6; j++) DZ[n].c[i] += D[i][j] * Z[n].c[j];
    }
  }
  for (int p = 0; p < 6 * step->nodes; p++) {
    if (!(step->modes >> p % 6 & 1)) continue;
    const spatial along = octet_vector(&Z[p / 6], p % 6);
    for (int n = 0; n < step->nodes; n++) N[p][n] = octet_dot(&along, &DZ[n]);
    omega_curvature(step, x, p, &y, N[p]);
  }
}
