// Steps of the published toolbox in its own convention ([angular, linear], rod along x), to supply
// what is its alone: series that are cut below 0.01 rad, and what it leaves out.
#ifndef TD_VERIFY_SOROSIM_STEPS_H
#define TD_VERIFY_SOROSIM_STEPS_H

#include "sorosim.h"

// ---- twists and poses -------------------------------------------------------------------------

typedef struct place {
  double R[9], p[3];
} place;

static inline void cross3(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// [x, y] = ad_x y
static inline void bracket(const double x[6], const double y[6], double out[6]) {
  double a[3], b[3];
  cross3(x, y, out);
  cross3(x + 3, y, a);
  cross3(x, y + 3, b);
  for (int i = 0; i < 3; i++) out[3 + i] = a[i] + b[i];
}

static inline void rotate(const double R[9], bool back, const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = 0;
    for (int j = 0; j < 3; j++) out[i] += (back ? R[3 * j + i] : R[3 * i + j]) * x[j];
  }
}

// g h
static inline place place_mul(const place* g, const place* h) {
  place out = {{0}, {0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) out.R[3 * i + j] += g->R[3 * i + k] * h->R[3 * k + j];
    out.p[i] = g->p[i];
    for (int k = 0; k < 3; k++) out.p[i] += g->R[3 * i + k] * h->p[k];
  }
  return out;
}

// A twist seen from the frame behind g:  Ad(g⁻¹) x
static inline void place_carry(const place* g, double x[6]) {
  double arm[3], v[3], w[3];
  cross3(g->p, x, arm);
  for (int i = 0; i < 3; i++) arm[i] = x[3 + i] - arm[i];
  rotate(g->R, true, x, w);
  rotate(g->R, true, arm, v);
  memcpy(x, w, sizeof w);
  memcpy(x + 3, v, sizeof v);
}

// Terms of a series that they keep: those up to 0.01 rad, or all.
enum { ALL_TERMS = 40 };
static inline int terms(const double x[6], bool cut, int kept) {
  return cut && x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <= 1e-4 ? kept : ALL_TERMS;
}

// exp x = Σ x^k/k!, cut behind the third power
static inline place place_exp(const double x[6], bool cut) {
  place g = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}, term = g;
  for (int k = 1; k <= terms(x, cut, 3); k++) {
    place next = {{0}, {0}};
    for (int i = 0; i < 3; i++) {
      double row[3];
      cross3(term.R + 3 * i, x, row);  // row of term times the skew matrix of x
      for (int j = 0; j < 3; j++) {
        next.R[3 * i + j] = row[j] / k;
        next.p[i] += term.R[3 * i + j] * x[3 + j] / k;
      }
    }
    term = next;
    for (int i = 0; i < 9; i++) g.R[i] += term.R[i];
    for (int i = 0; i < 3; i++) g.p[i] += term.p[i];
  }
  return g;
}

// y = T(x) y,  T = Σ ad^k/(k+1)!, cut behind the fourth power
static inline void twist_tangent(const double x[6], bool cut, double y[6]) {
  double term[6], next[6];
  memcpy(term, y, sizeof term);
  for (int k = 1; k <= terms(x, cut, 4); k++) {
    bracket(x, term, next);
    for (int i = 0; i < 6; i++) y[i] += term[i] = next[i] / (k + 1);
  }
}

// ---- steps of fourth order --------------------------------------------------------------------

// Ω = h/2 (ξ₁ + ξ₂) + √3/12 h² [ξ₁, ξ₂]
static inline void magnus4(double h, const double x1[6], const double x2[6], double out[6]) {
  double c[6];
  bracket(x1, x2, c);
  for (int i = 0; i < 6; i++) out[i] = h / 2 * (x1[i] + x2[i]) + sqrt(3) / 12 * h * h * c[i];
}
// Its derivative along dξ₁, dξ₂
static inline void magnus4_change(double h, const double x1[6], const double x2[6],
                                  const double d1[6], const double d2[6], double out[6]) {
  double a[6], b[6];
  bracket(x1, d2, a);
  bracket(x2, d1, b);
  for (int i = 0; i < 6; i++)
    out[i] = h / 2 * (d1[i] + d2[i]) + sqrt(3) / 12 * h * h * (a[i] - b[i]);
}

// ---- a rod that bends and twists under its weight ---------------------------------------------

// Every division has the same length; the three angular strains have `n` functions each.
typedef struct their_rod {
  const char* model;
  int divisions, n;
  int elements;                  // 0: polynomials
  double length, radius, taper;  // of a division; radius at the base, its loss per division
  double density;
} their_rod;

enum { THEIR_MOST = 32 };

typedef struct their_pull {
  double F[THEIR_MOST];  // generalised forces of the weight
  place tip;
} their_pull;

typedef struct their_walk {
  const their_rod* rod;
  const double* q;
  bool cut;
  int first;  // coordinate of the division
  place g;
  double J[THEIR_MOST][6];
} their_walk;

// Legendre polynomials, or quadratic elements with shared ends.
static inline void their_functions(const their_rod* r, double X, double* phi) {
  memset(phi, 0, (size_t)r->n * sizeof(double));
  if (r->elements == 0) {
    phi[0] = 1;
    phi[1] = 2 * X - 1;
    for (int k = 1; k + 1 < r->n; k++)
      phi[k + 1] = ((2 * k + 1) * phi[1] * phi[k] - k * phi[k - 1]) / (k + 1);
    return;
  }
  const int e = X * r->elements < r->elements - 1 ? (int)(X * r->elements) : r->elements - 1;
  const double x = X * r->elements - e;
  phi[2 * e] = 2 * (x - 0.5) * (x - 1);
  phi[2 * e + 1] = -4 * x * (x - 1);
  phi[2 * e + 2] = 2 * x * (x - 0.5);
}

// Functions (times 1/length) at X; the strain there.
static inline void their_strain(const their_walk* w, double X, double* phi, double xi[6]) {
  const their_rod* r = w->rod;
  their_functions(r, X, phi);
  memset(xi, 0, 6 * sizeof(double));
  xi[3] = 1;
  for (int k = 0; k < r->n; k++) phi[k] /= r->length;
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < r->n; k++) xi[d] += phi[k] * w->q[w->first + d * r->n + k];
}

static inline void their_step(their_walk* w, double from, double to) {
  const double h = (to - from) * w->rod->length, side = sqrt(3) / 6;
  double phi1[THEIR_MOST], phi2[THEIR_MOST], x1[6], x2[6], omega[6];
  their_strain(w, from + (0.5 - side) * (to - from), phi1, x1);
  their_strain(w, from + (0.5 + side) * (to - from), phi2, x2);
  magnus4(h, x1, x2, omega);
  const place G = place_exp(omega, w->cut);
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < w->rod->n; k++) {
      double d1[6] = {0}, d2[6] = {0}, Z[6];
      d1[d] = phi1[k];
      d2[d] = phi2[k];
      magnus4_change(h, x1, x2, d1, d2, Z);
      twist_tangent(omega, w->cut, Z);
      for (int i = 0; i < 6; i++) w->J[w->first + d * w->rod->n + k][i] += Z[i];
    }
  for (int c = 0; c < THEIR_MOST; c++) place_carry(&G, w->J[c]);
  w->g = place_mul(&w->g, &G);
}

static inline their_pull their_weight(const their_rod* r, const double* q, bool cut) {
  static const double g[3] = {0, 0, -9.81};
  their_walk w = {.rod = r, .q = q, .cut = cut, .g = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}};
  their_pull out = {.F = {0}};
  cJSON* file = sorosim_open(r->model);
  for (int d = 0; d < r->divisions; d++) {
    const cJSON* at = sorosim_item(sorosim_item(file->child, "links", 0), "divisions", d);
    const int n = count_of(cJSON_GetObjectItem(at, "Xs"));
    double *X = sorosim_numbers(at, "Xs"), *W = sorosim_numbers(at, "Ws"), local[3];
    w.first = 3 * r->n * d;
    for (int k = 1; k < n; k++) {
      const double radius = r->radius - r->taper * X[k];
      const double mass = r->density * 3.14159265358979324 * radius * radius * W[k] * r->length;
      their_step(&w, X[k - 1], X[k]);
      rotate(w.g.R, true, g, local);
      for (int c = 0; c < 3 * r->n * r->divisions; c++)
        for (int i = 0; i < 3; i++) out.F[c] += mass * w.J[c][3 + i] * local[i];
    }
    free(X), free(W);
  }
  cJSON_Delete(file);
  out.tip = w.g;
  return out;
}

// ---- chains of links --------------------------------------------------------------------------

// What the change of the steps' commutators, √3/6 h² [ξ₁', ξ₂'], adds to J' q' at the tip of a
// link. Rods here twist and stretch by one constant each and bend by quadratic elements (12
// functions).
typedef struct their_chain {
  const cJSON* robot;
  const double *q, *qd;
} their_chain;

static inline const cJSON* their_link(const their_chain* c, int link) {
  return sorosim_item(c->robot, "links", link - 1);
}
static inline const cJSON* their_template(const their_chain* c, int link) {
  const int k = (int)sorosim_number(their_link(c, link), "template");
  return sorosim_item(c->robot, "link_templates", k - 1);
}
static inline bool their_is_soft(const their_chain* c, int link) {
  return *cJSON_GetObjectItem(their_template(c, link), "linktype")->valuestring == 's';
}
// First coordinate of a link: joints have one, rods twelve more.
static inline int their_first(const their_chain* c, int link) {
  int n = 0;
  for (int k = 1; k < link; k++) n += their_is_soft(c, k) ? 13 : 1;
  return n;
}

static inline void their_move(const cJSON* node, const char* name, double x[6]) {
  double* g = sorosim_numbers(node, name);
  place at;
  for (int i = 0; i < 3; i++) {
    memcpy(at.R + 3 * i, g + 4 * i, 3 * sizeof(double));
    at.p[i] = g[4 * i + 3];
  }
  place_carry(&at, x);
  free(g);
}

// Strain at X of the coordinates q, less the straight rod's; angular ones are times the length.
static inline void hybrid_strain(const double q[12], double X, double length, double xi[6]) {
  const their_rod quadratic = {.n = 5, .elements = 2};
  double phi[5];
  their_functions(&quadratic, X, phi);
  memset(xi, 0, 6 * sizeof(double));
  xi[0] = q[0] / length;
  for (int k = 0; k < 5; k++) {
    xi[1] += phi[k] * q[1 + k] / length;
    xi[2] += phi[k] * q[6 + k] / length;
  }
  xi[3] = q[11];
}

static inline void hybrid_rod(const their_chain* c, int link, double x[6]) {
  const cJSON* at = sorosim_item(their_link(c, link), "divisions", 0);
  double *X = sorosim_numbers(at, "Xs"), *lp = sorosim_numbers(their_template(c, link), "lp");
  const int n = count_of(cJSON_GetObjectItem(at, "Xs")), first = their_first(c, link) + 1;
  for (int k = 1; k < n; k++) {
    const double dX = X[k] - X[k - 1], h = dX * *lp;
    double xi[2][6], rate[2][6], omega[6], more[6];
    for (int i = 0; i < 2; i++) {
      const double at_X = X[k - 1] + (0.5 + (i ? 1 : -1) * sqrt(3) / 6) * dX;
      hybrid_strain(c->q + first, at_X, *lp, xi[i]);
      hybrid_strain(c->qd + first, at_X, *lp, rate[i]);
      xi[i][3] += 1;
    }
    magnus4(h, xi[0], xi[1], omega);
    bracket(rate[0], rate[1], more);
    twist_tangent(omega, false, more);
    for (int i = 0; i < 6; i++) x[i] += sqrt(3) / 6 * h * h * more[i];
    const place G = place_exp(omega, false);
    place_carry(&G, x);
  }
  free(X), free(lp);
}

static inline void commutator_share(const their_chain* c, int link, double x[6]) {
  const int prev = (int)sorosim_number(their_link(c, link), "prev");
  memset(x, 0, 6 * sizeof(double));
  if (prev > 0) commutator_share(c, prev, x);
  their_move(their_link(c, link), "g_ini", x);
  double *axis = sorosim_numbers(their_link(c, link), "joint_basis_6xdof"), turned[6];
  for (int i = 0; i < 6; i++) turned[i] = axis[i] * c->q[their_first(c, link)];
  const place G = place_exp(turned, false);
  place_carry(&G, x);
  free(axis);
  if (their_is_soft(c, link)) {
    hybrid_rod(c, link, x);
  } else {
    their_move(their_template(c, link), "gi", x);
    their_move(their_template(c, link), "gf", x);
  }
}

#endif
