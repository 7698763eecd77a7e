// The polynomial rod model: position and rotation along the rod are polynomials of arc length in
// the base frame,
//
//   p(s) = s e_z + Σ_i φ_i(s) q_i  (i = 1 … n+1)        vec Q(s) = Σ_i φ_i(s) q_i  (i = 1 … n)
//
// with φ_i the integrals of Legendre polynomials from 0 to s: the space of all polynomials that
// vanish at the base, in a basis that stays well conditioned.  Every quadrature point, and every
// place where something is attached or measured, is a frame of its own that follows from the base
// in two hops whose numbers are these sums.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elem/segment.h"
#include "math/dense.h"
#include "math/quadrature.h"
#include "model/cables.h"
#include "model/field.h"
#include "model/rods.h"

// φ_i and φ_i' for i = 1 … n at arc length s of a rod of length L.
static void basis(int n, double s, double L, double* phi, double* slope) {
  double P[64];
  const double x = 2 * s / L - 1;
  td_legendre(n + 1, x, P);
  for (int i = 1; i <= n; i++) {
    slope[i - 1] = P[i - 1];
    phi[i - 1] = i == 1 ? s : 0.5 * L * (P[i] - P[i - 2]) / (2 * i - 1);
  }
}

#define MAX_ORDER 20

typedef struct rom {
  int rod, n;
  double from, L;                                // the stretch it describes, from its base frame
  int base;                                      // hop of that frame, whose fixed
  int fix, nfix;                                 //   transformations follow
  bool printed;                                  // as joint.rom: monomials, positions from s² on
  bool free[6];                                  // components that may change
  bool scalar;                                   // the scalar part is written too
  int q[6][MAX_ORDER + 1], v[6][MAX_ORDER + 1];  // coordinate of each component and function
} rom;

static int functions(const rom* r, int component) {
  return component < 3 && !r->printed ? r->n + 1 : r->n;
}

// The functions of a component (position or rotation) and their slopes.
static void functions_at(const rom* r, int component, double arc, double* phi, double* slope) {
  const int n = functions(r, component), shift = component < 3 ? 1 : 0;
  const double s = arc - r->from;
  if (!r->printed) {
    basis(n, s, r->L, phi, slope);
    return;
  }
  for (int i = 1; i <= n; i++) {
    phi[i - 1] = pow(s, i + shift);
    slope[i - 1] = (i + shift) * pow(s, i + shift - 1);
  }
}

// The same as expressions of parameters.
static void functions_ex(builder* b, const rom* r, int component, double arc, ex* phi, ex* slope) {
  double now[MAX_ORDER + 1], rate[MAX_ORDER + 1];
  const int n = functions(r, component);
  functions_at(r, component, arc, now, rate);
  for (int i = 0; i < n; i++) {
    phi[i] = num_ex(b, now[i]);
    slope[i] = num_ex(b, rate[i]);
  }
  if (r->printed || !b->rod[r->rod].moves) return;

  // φ_i = L/2 (P_i(x) - P_{i-2}(x))/(2i - 1), φ_i' = P_{i-1}(x) with x = 2 (s - from)/L - 1
  const ex L = td_rod_part_at(b, r->rod, r->from)->length_ex,
           share =
               arc < r->from + r->L * (1 - 1e-13) ? td_rod_fraction(b, r->rod, arc) : num_ex(b, 1),
           x = minus(b, times(b, 2, share), num_ex(b, 1));
  ex P[MAX_ORDER + 3] = {num_ex(b, 1), x};
  for (int i = 1; i <= n; i++)
    P[i + 1] = times(b, 1.0 / (i + 1),
                     minus(b, times(b, 2 * i + 1, mul(b, x, P[i])), times(b, i, P[i - 1])));
  for (int i = 1; i <= n; i++) {
    slope[i - 1] = P[i - 1];
    phi[i - 1] = i == 1 ? mul(b, share, L)
                        : mul(b, times(b, 0.5 / (2 * i - 1), L), minus(b, P[i], P[i - 2]));
  }
}

// ---- initial shape ----------------------------------------------------------------------------

typedef struct shape_point {
  vec3 p, x;    // position minus s e_z, vector part of the quaternion
  vec3 pd, xd;  // their rates
} shape_point;

static shape_point shape_of(const segment_end* at, double s) {
  const quat Q = quat_mat3(at->g.R);
  return (shape_point){
      .p = vec3_sub(at->g.p, (vec3){0, 0, s}),
      .x = Q.v,
      .pd = mat3_apply(at->g.R, at->v),
      .xd = vec3_scale(0.5, vec3_add(vec3_scale(Q.w, at->w), vec3_cross(Q.v, at->w)))};
}

// Frame at the end of a piece from the frame at its start, with its motion.
static segment_end carry_on(const segment_end* at, const segment_end* piece) {
  const vec3 carried = vec3_add(at->v, vec3_cross(at->w, piece->g.p));
  return (segment_end){.g = pose_mul(at->g, piece->g),
                       .v = vec3_add(mat3_apply_t(piece->g.R, carried), piece->v),
                       .w = vec3_add(mat3_apply_t(piece->g.R, at->w), piece->w)};
}

static void settled(builder* b, int rod, const char* field, double arc, double x[6]) {
  for (int d = 0; d < 6; d++) x[d] = td_spec_settle(b->spec, td_rod_start(b, rod, field, d, arc));
}

// Integrate the initial strains and rates from the base to each of the given arc lengths, by many
// small constant-strain steps.
static void integrate_shape(builder* b, const rom* r, const double* arc, int n, shape_point* out) {
  const int fine = 400;
  const double h = r->L / fine;
  segment_end at = {pose_identity(), {0, 0, 0}, {0, 0, 0}};
  double s = r->from;
  for (int i = 0; i < n; i++) {
    while (s < arc[i] - 1e-15 * r->L) {
      const double step = fmin(h, arc[i] - s), middle = s + 0.5 * step;
      double x[6], u[6];
      settled(b, r->rod, "init", middle, x);
      settled(b, r->rod, "rate", middle, u);
      const segment_end piece = td_segment_end(x, u, step);
      at = carry_on(&at, &piece);
      s += step;
    }
    out[i] = shape_of(&at, arc[i] - r->from);
  }
}

// Least squares of the values of a component at the given arc lengths by its functions.
static td_status fit_component(const rom* r, int component, const double* arc, int npoint,
                               const double* wanted, double* c) {
  double A[(MAX_ORDER + 1) * (MAX_ORDER + 1)] = {0}, phi[MAX_ORDER + 1], slope[MAX_ORDER + 1];
  const int n = functions(r, component);
  memset(c, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < npoint; k++) {
    functions_at(r, component, arc[k], phi, slope);
    for (int i = 0; i < n; i++) {
      c[i] += phi[i] * wanted[k];
      for (int j = 0; j <= i; j++) A[i * n + j] += phi[i] * phi[j];
    }
  }
  if (td_chol(A, n, 0) != 0) return TD_E_SINGULAR;
  td_chol_solve(A, n, c, 1);
  return TD_OK;
}

// Component d of a position or rotation, or of its rate.
static double component(const shape_point* at, int d, bool rate) {
  return d < 3 ? vec3_at(rate ? at->pd : at->p, d) : vec3_at(rate ? at->xd : at->x, d - 3);
}

// Coefficients c and their rates.
static td_status initial_coefficients(builder* b, const rom* r, double c[6][MAX_ORDER + 1],
                                      double rate[6][MAX_ORDER + 1]) {
  memset(c, 0, 6 * sizeof c[0]);
  memset(rate, 0, 6 * sizeof rate[0]);
  const rod_words* w = td_rod_words(b, r->rod, r->from);
  if (!w->init && !w->shape && !w->rate) return TD_OK;  // straight and at rest
  td_rod_settle(b, r->rod, "whose initial shape is fitted");
  enum { POINTS = 3 * MAX_ORDER };
  double arc[POINTS], weight[POINTS], wanted[POINTS];
  shape_point at[POINTS];
  const int n = 3 * (r->n + 1);
  td_gauss(n, arc, weight);
  for (int k = 0; k < n; k++) arc[k] = r->from + arc[k] * r->L;
  integrate_shape(b, r, arc, n, at);
  for (int d = 0; d < 6; d++) {
    for (int k = 0; k < n; k++) wanted[k] = component(&at[k], d, false);
    TD_TRY(fit_component(r, d, arc, n, wanted, c[d]));
    for (int k = 0; k < n; k++) wanted[k] = component(&at[k], d, true);
    TD_TRY(fit_component(r, d, arc, n, wanted, rate[d]));
  }
  return TD_OK;
}

// ---- coordinates and frames -------------------------------------------------------------------

// `before`: functions of the parts before, in the numbering of the coordinates.
static td_status push_coordinates(builder* b, rom* r, int before) {
  static const char* const names[6] = {"x", "y", "z", "qx", "qy", "qz"};
  double c[6][MAX_ORDER + 1], rate[6][MAX_ORDER + 1];
  TD_TRY(initial_coefficients(b, r, c, rate));
  for (int d = 0; d < 6; d++)
    for (int i = 0; i < functions(r, d); i++)
      TD_TRY(td_rod_dof(b, r->rod, before + i + 1, d, names[d], num_ex(b, c[d][i]),
                        num_ex(b, rate[d][i]), &r->q[d][i], &r->v[d][i]));
  return TD_OK;
}

// Add the translation or the rotation of a polynomial rod at an arc length, a column for each
// function of each free direction.
static td_status push_polynomial_hop(builder* b, const rom* r, hop_kind kind, double arc,
                                     int parent, int fix) {
  td_model* m = b->m;
  const bool moves = td_hop_traits[kind].translations == 3;
  const int first = moves ? 0 : 3, n = functions(r, first);
  const double start[3] = {0, 0, moves ? arc - r->from : 0};
  ex phi[MAX_ORDER + 1], slope[MAX_ORDER + 1];
  functions_ex(b, r, first, arc, phi, slope);
  const num numbers = td_build_constants(b, start, 3);
  model_hop* hop = td_push_hop(m, 1);
  if (!hop || numbers == NUM_NONE) return TD_E_NOMEM;
  if (moves && b->rod[r->rod].moves)
    m->number_ex[numbers + 2] = td_rod_between(b, r->rod, r->from, arc);
  *hop = (model_hop){.kind = kind,
                     .parent = parent,
                     .fix = fix,
                     .nfix = m->nfix - fix,
                     .col = m->ncol,
                     .q = -1,
                     .v = -1,
                     .axis = NUM_NONE,
                     .pitch = NUM_NONE,
                     .value = numbers,
                     .group = m->nhop - 1};
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < n && r->free[first + d]; i++) {
      model_col* col = td_push_col(m, 1);
      if (!col) return TD_E_NOMEM;
      *col = (model_col){.hop = m->nhop - 1,
                         .v = r->v[first + d][i],
                         .q = r->q[first + d][i],
                         .part = d,
                         .weight = td_build_number(b, phi[i]),
                         .slope = td_build_number(b, slope[i])};
      m->hop[m->nhop - 1].nv++;
    }
  if (m->hop[m->nhop - 1].nv > 0) m->hop[m->nhop - 1].v = m->col[m->hop[m->nhop - 1].col].v;
  return TD_OK;
}

// The frame at an arc length; remembered, so that what is attached there finds it.
static td_status push_point(builder* b, const rom* r, double arc) {
  build_rod* rod = &b->rod[r->rod];
  const int start = b->m->nfix;
  for (int i = 0; i < r->nfix; i++) {
    model_fix* copy = td_push_fix(b->m, 1);
    if (!copy) return TD_E_NOMEM;
    *copy = b->m->fix[r->fix + i];
  }
  TD_TRY(push_polynomial_hop(b, r, HOP_MOVE, arc, r->base, start));
  TD_TRY(push_polynomial_hop(b, r, HOP_QUAT3, arc, b->m->nhop - 1, b->m->nfix));
  double* arcs = td_grow(rod->point_arc, &rod->arc_cap, rod->npoint + 1, sizeof(double));
  if (!arcs) return TD_E_NOMEM;
  rod->point_arc = arcs;
  int* hops = td_grow(rod->point_hop, &rod->hop_cap, rod->npoint + 1, sizeof(int));
  if (!hops) return TD_E_NOMEM;
  rod->point_hop = hops;
  arcs[rod->npoint] = arc;
  hops[rod->npoint++] = b->m->nhop - 1;
  return TD_OK;
}

// A field of the joint in direction d of six: one number for all, two for the translations and the
// rotations as published, or six.
static ex joint_number(builder* b, const value* v, int d, double fallback) {
  if (v && td_value_count(v) == 2) return td_value_ex(v, d / 3, b->spec->graph);
  return td_build_pick(b, v, 0, 1, d, 6, fallback);
}

// The law of a joint with `rom`: spring, damp and input are per length.
static td_status printed_section(builder* b, const rom* r, double weight, model_strain* f) {
  const law_words* w = &b->joint[b->rod[r->rod].joint].w.law;
  ex* slots = td_push_number_ex(b->m, SECTION_SLOTS);
  if (!slots) return TD_E_NOMEM;
  const num at = b->m->nnumber_ex - SECTION_SLOTS;
  slots = b->m->number_ex + at;
  for (int i = 0; i < SECTION_SLOTS; i++) slots[i] = num_ex(b, 0);
  f->potential = true;
  for (int d = 0; d < 6; d++) {
    const ex compr = joint_number(b, w->compr, d, 1), rest = joint_number(b, w->init, d, 0);
    slots[SECTION_K + 7 * d] = joint_number(b, w->coeff, d, 0);
    slots[SECTION_X0 + d] = mul(b, compr, rest);
    slots[SECTION_INPUT + d] = joint_number(b, w->input, d, 0);
    slots[SECTION_MU + d] = joint_number(b, w->visc, d, 0);
    const unsigned on = td_ex_depends(b->spec->graph, slots[SECTION_K + 7 * d]) |
                        td_ex_depends(b->spec->graph, slots[SECTION_X0 + d]);
    if (on & ~(unsigned)TD_ON_PARAM) f->potential = false;
  }
  slots[SECTION_POWER] = joint_number(b, w->pow, 0, 1);
  slots[SECTION_LENGTH] = num_ex(b, weight);
  f->section = at;
  return TD_OK;
}

// gauss: one of so many Gauss points, 0: a point of its own.
static td_status push_strain_at(builder* b, const rom* r, double arc, double weight, int element,
                                int gauss) {
  const rod_reach reach = gauss > 0 ? (rod_reach){r->from, r->from + r->L, gauss}
                                    : (rod_reach){arc - 1e-12, arc + 1e-12, 0};
  model_strain f = {.kind = STRAIN_POLYNOMIAL, .a = -1, .coords = -1};
  for (int d = 0; d < 6; d++) f.dof_q[d] = f.dof_v[d] = -1;
  TD_TRY(td_rod_station(b, r->rod, arc, &f.b));
  TD_TRY(r->printed
             ? printed_section(b, r, weight, &f)
             : td_rod_section(b, r->rod, reach, arc, td_rod_weight(b, r->rod, arc, weight), &f));
  return td_rod_strain(b, r->rod, element, arc, &f);
}

// Mass and inertia per length of the body of a joint with `rom`.
static td_status printed_mass(builder* b, const rom* r, double arc, double weight) {
  const int body = b->joint[b->rod[r->rod].joint].second.body - 1;
  const value *m = td_get(b->bodies, body, "m"), *I = td_field_get(b->bodies, body, "body.I"),
              *com = td_get(b->bodies, body, "l_com");
  const double zero[13] = {0};
  int station;
  TD_TRY(td_rod_station(b, r->rod, arc, &station));
  const num at = td_build_constants(b, zero, 13);
  model_lump* lump = td_push_lump(b->m, 1);
  if (!lump || at == NUM_NONE) return TD_E_NOMEM;
  *lump = (model_lump){station, at, at + 1, at + 4};
  b->m->number_ex[at] = times(b, weight, td_build_pick(b, m, 0, 1, 0, 1, 1e-9));
  for (int c = 0; c < 3; c++) b->m->number_ex[at + 1 + c] = td_build_pick(b, com, 0, 1, c, 3, 0);
  for (int k = 0; k < 9; k++)
    b->m->number_ex[at + 4 + k] =
        times(b, weight, I ? td_value_ex(I, k, b->spec->graph) : num_ex(b, k % 4 == 0 ? 1e-9 : 0));
  return TD_OK;
}

static td_status push_mass_at(builder* b, const rom* r, double arc, double weight) {
  return r->printed ? printed_mass(b, r, arc, weight) : td_rod_point_mass(b, r->rod, arc, weight);
}

// ---- places that need a frame of their own ----------------------------------------------------

static td_status want_point(builder* b, const rom* r, double arc) {
  const build_rod* rod = &b->rod[r->rod];
  bool known = fabs(arc) < 1e-12 * rod->length;
  for (int i = 0; i < rod->npoint && !known; i++)
    known = fabs(rod->point_arc[i] - arc) < 1e-12 * rod->length;
  if (td_rod_marked(b, r->rod, arc) && arc > r->from && arc < r->from + r->L) {
    char what[160];
    const ex share = td_rod_fraction(b, r->rod, arc);
    snprintf(what, sizeof what, "rod(%d): the place at %g m leaves its part of the rod, by ",
             r->rod + 1, arc);
    td_rod_keep_above(b, share, what);
    td_rod_keep_above(b, minus(b, num_ex(b, 1), share), what);
  }
  return known || arc < r->from || arc > r->from + r->L * (1 + 1e-9) ? TD_OK
                                                                     : push_point(b, r, arc);
}

// Add frames where something is attached to the rod, touches it or is measured, and strains where
// sensors require them.
static td_status push_places(builder* b, const rom* r) {
  rod_places places = {0};
  td_status status = td_rod_attached(b, r->rod, &places);
  if (status == TD_OK) status = td_contact_places(b, r->rod, &places);
  for (int i = 0; i < places.n && status == TD_OK; i++) status = want_point(b, r, places.arc[i]);
  td_rod_places_free(&places);
  TD_TRY(status);

  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (td_build_sensor_rod(b, s) != r->rod + 1 || sensor_is(s->kind, OF_WHOLE_ROD)) continue;
    if (s->arc == TD_ARC_HERE) continue;
    TD_TRY(want_point(b, r, td_build_sensor_arc(b, s)));

    // a strain that is measured where no quadrature point is has a point without weight
    bool known =
        !sensor_is(s->kind, OF_STRAIN) || s->arc < r->from || s->arc > r->from + r->L * (1 + 1e-9);
    for (int k = 0; k < b->m->nstrain && !known; k++) {
      const model_strain* f = &b->m->strain[k];
      known = f->rod == r->rod + 1 && fabs(f->arc - s->arc) < 1e-12 * b->rod[r->rod].length;
    }
    if (!known && s->arc == 0) TD_TRY(push_point(b, r, 0));
    if (!known) TD_TRY(push_strain_at(b, r, s->arc, 0, 0, 0));
  }
  return TD_OK;
}

// ---- the two ways to write one ----------------------------------------------------------------

#define MAX_POINTS 512

// Quadrature on [0, 1]: a number of Gauss points, or nodes and weights in two rows.
static td_status quadrature(builder* b, const value* points, td_span at, int fallback, double* x,
                            double* w, int* n) {
  const bool table = points && td_value_count(points) > 1;
  const double wanted = table ? points->cols : points ? points->x[0] : fallback;
  if (!(wanted >= 1 && wanted <= MAX_POINTS && wanted == floor(wanted)))
    return td_error(b->diags, TD_E_MODEL, at, "points must be a whole number from 1 to %d, got %g",
                    MAX_POINTS, wanted);
  *n = (int)wanted;
  if (!table) td_gauss(*n, x, w);
  for (int k = 0; table && k < *n; k++) {
    x[k] = points->x[2 * k];
    w[k] = points->x[2 * k + 1];
    if (x[k] > 1)
      return td_error(b->diags, TD_E_MODEL, at, "points: nodes must be from 0 to 1, got %g", x[k]);
  }
  return TD_OK;
}

// Strains and masses at the points that the user gives, or as the published element has them: at
// the same points.
static td_status push_joined(builder* b, const rom* r, const value* points, td_span at,
                             int before) {
  double x[MAX_POINTS], w[MAX_POINTS];
  int n = 0;
  const bool table = points && td_value_count(points) > 1;
  TD_TRY(quadrature(b, points, at, 2 * r->n + 4, x, w, &n));
  for (int k = 0; k < n; k++) {
    const double arc = r->from + r->L * x[k], weight = r->L * w[k];
    TD_TRY(push_point(b, r, arc));
    TD_TRY(push_strain_at(b, r, arc, weight, before + k + 1, table ? 0 : n));
    TD_TRY(push_mass_at(b, r, arc, weight));
  }
  return TD_OK;
}

// Strains at n + 1 points, at which slopes of degree n can take any value, so that the position
// follows every rotation without stretch and shear: at more of them the rod locks.  Masses at n +
// 2, which tell all positions of degree n + 1 on a free base apart.
static td_status push_apart(builder* b, const rom* r, int before) {
  double x[MAX_ORDER + 2], w[MAX_ORDER + 2];
  const int n = r->n + 1;
  td_gauss(n, x, w);
  for (int k = 0; k < n; k++) {
    TD_TRY(push_point(b, r, r->from + r->L * x[k]));
    TD_TRY(push_strain_at(b, r, r->from + r->L * x[k], r->L * w[k], before + k + 1, n));
  }
  td_gauss(n + 1, x, w);
  for (int k = 0; k <= n; k++) {
    TD_TRY(push_point(b, r, r->from + r->L * x[k]));
    TD_TRY(push_mass_at(b, r, r->from + r->L * x[k], r->L * w[k]));
  }
  return TD_OK;
}

// Quadrature points, numbered after those `before`, and the frames of places.
static td_status push_points(builder* b, const rom* r, const value* points, td_span at,
                             int before) {
  const bool joined = points || r->printed;
  TD_TRY(joined ? push_joined(b, r, points, at, before) : push_apart(b, r, before));
  TD_TRY(want_point(b, r, r->from + r->L));
  // a place where the rod has a point now, but not with other parameters
  const build_rod* rod = &b->rod[r->rod];
  for (int i = 0; i < rod->nmark; i++) {
    bool meets = fabs(rod->mark[i].arc - r->from) < 1e-9 * rod->length;
    for (int k = 0; k < rod->npoint && !meets; k++)
      meets = fabs(rod->mark[i].arc - rod->point_arc[k]) < 1e-9 * rod->length &&
              rod->mark[i].arc >= r->from;
    if (meets) td_rod_settle(b, r->rod, TD_ON_A_POINT);
  }
  return push_places(b, r);
}

// Each part has polynomials of its own, from the frame in which the part before it ends.
static td_status push_part(builder* b, int rod, int i) {
  const build_rod* all = &b->rod[rod];
  const rod_part* p = &all->part[i];
  rom r = {.rod = rod, .n = p->n, .from = p->from, .L = p->length};
  for (int d = 0; d < 6; d++) r.free[d] = true;
  int before = 0;  // the frame in which the part before ends
  for (int k = 1; k < all->npoint; k++)
    if (fabs(all->point_arc[k] - p->from) < fabs(all->point_arc[before] - p->from)) before = k;
  r.base = i == 0 ? all->hop[0] : all->point_hop[before];
  r.fix = i == 0 ? all->fix : 0;
  r.nfix = i == 0 ? all->nfix : 0;
  if (r.n > MAX_ORDER)
    return td_error(b->diags, TD_E_MODEL, td_get_at(p->s, p->at, "n"),
                    "rod(%d).n: the polynomial order is at most %d", rod + 1, MAX_ORDER);
  int strains = 0;
  for (int k = 0; k < b->m->nstrain; k++) strains += b->m->strain[k].rod == rod + 1;
  TD_TRY(push_coordinates(b, &r, p->first + i));  // n + 1 functions for each part before
  if (!b->spec->refine.on)
    return push_points(b, &r, p->w.points, td_get_at(p->s, p->at, "points"), strains);

  // a refined rod: the first of its functions are those of the written one
  int from = 0;
  for (int k = 0; k < i; k++) from += 6 * all->part[k].whole_n + 3;
  for (int d = 0; d < 6; d++) {
    const int n = d < 3 ? p->whole_n + 1 : p->whole_n;
    for (int k = 0; k < min_int(n, functions(&r, d)); k++)
      TD_TRY(td_rod_lift(b, rod, r.q[d][k], r.v[d][k], from + k, 1));
    from += n;
  }
  return push_points(b, &r, NULL, td_span_none(), strains);
}

td_status td_build_rod_rom(builder* b, int rod) {
  for (int i = 0; i < b->rod[rod].npart; i++) TD_TRY(push_part(b, rod, i));
  return td_rod_sample(b, rod, b->rod[rod].length, 0);
}

// Read which components of a polynomial rod are free: those that are inf in the last transformation
// of its joint.  *fixed is the number of fixed transformations before it.  A rotation other than a
// quaternion whose scalar part is 0 or inf is an error.
static td_status read_components(builder* b, int joint, rom* r, int* fixed) {
  const value* tr = b->joint[joint].w.tr;
  const int n = tr ? td_value_count(tr) : 0;
  const tr_words last = tr_read(tr, n - 1);
  const value* rot = last.rot;

  // free components of the position
  *fixed = n - 1;
  for (int c = 0; last.trans && c < 3; c++) r->free[c] = isinf(last.trans->x[c]);

  // free components of the rotation: the vector part of a quaternion
  const bool four = rot && td_value_count(rot) == 4;
  if (!four || (rot->x[0] != 0 && !isinf(rot->x[0]))) {
    return td_error(b->diags, TD_E_MODEL,
                    rot ? td_get_at(tr, n - 1, "rot") : td_get_at(b->joints, joint, "rom"),
                    "joint(%d): the rotation of a polynomial rod is a quaternion, rot = [0 inf inf "
                    "inf] (its vector part) or [inf inf inf inf]",
                    joint + 1);
  }
  for (int c = 0; c < 3; c++) r->free[3 + c] = isinf(rot->x[1 + c]);

  // Q/|Q| of four polynomials is the rotation of three: a common factor of the four turns nothing
  // and has no inertia.  The scalar part stays a number among the DOFs, without a coordinate.
  r->scalar = isinf(rot->x[0]);
  if (r->scalar) {
    td_remark(b->diags, td_get_at(tr, n - 1, "rot"),
              "joint(%d): the four numbers of a non-unit quaternion are three motions: polynomials "
              "of the vector part are the coordinates, the scalar part follows from the unit norm",
              joint + 1);
  }
  return TD_OK;
}

// Coefficients from dof(i).init, values of the component at the arc lengths init_s.
static td_status printed_start(builder* b, int joint, const rom* r, int component, int dof,
                               double* c) {
  const joint_words* w = &b->joint[joint].w;
  const value *init = td_joint_dof(w, dof).init, *arcs = td_joint_dof(w, dof).init_s;
  double arc[MAX_POINTS], wanted[MAX_POINTS];
  memset(c, 0, (size_t)r->n * sizeof(double));
  if (!init) return TD_OK;  // straight
  const int n = arcs ? td_value_count(arcs) : r->n;
  if (n > MAX_POINTS || n < r->n || (td_value_count(init) != 1 && td_value_count(init) != n)) {
    return td_error(b->diags, TD_E_MODEL, td_get_at(w->dof, dof, "init"),
                    "joint(%d).dof(%d).init must be one value or as many as init_s (%d), and at "
                    "least the order %d",
                    joint + 1, dof + 1, n, r->n);
  }
  for (int k = 0; k < n; k++) {
    arc[k] = arcs ? arcs->x[k] : (k + 1) * r->L / r->n;
    wanted[k] = td_spec_settle(
                    b->spec, td_value_ex(init, td_value_count(init) == 1 ? 0 : k, b->spec->graph)) -
                (component == 2 ? arc[k] : 0);
  }

  // a table of the TMTDyn paper prints (1:order)*length for a straight rod
  bool multiples = component == 2 && !arcs && n > 1 && td_value_count(init) == n;
  for (int k = 0; k < n; k++) {
    const double reached = wanted[k] + arc[k];
    multiples = multiples && fabs(reached - (k + 1) * r->L) < 1e-9 * r->L;
  }
  if (multiples)
    td_warn(b->diags, td_get_at(w->dof, dof, "init"),
            "joint(%d).dof(%d).init = (1:%d)*length stretches the rod to %d times its length; a "
            "straight rod has (1:%d)*length/%d",
            joint + 1, dof + 1, n, n, n, n);
  return fit_component(r, component, arc, n, wanted, c);
}

static td_status refuse(builder* b, td_span at, int joint, const char* field, const char* why) {
  return td_error(b->diags, TD_E_MODEL, at, "joint(%d).%s: %s", joint + 1, field, why);
}

// Shapes of the section's law, and fields that a polynomial rod does not have.
static td_status check_rom_joint(builder* b, int joint, const rom* r) {
  const joint_words* w = &b->joint[joint].w;
  const struct {
    const char* path;
    const value* v;
  } section[] = {{"spring.coeff", w->law.coeff}, {"spring.init", w->law.init},
                 {"spring.compr", w->law.compr}, {"damp.visc", w->law.visc},
                 {"damp.pow", w->law.pow},       {"input", w->law.input}};
  for (size_t k = 0; k < sizeof section / sizeof *section; k++) {
    const value* v = section[k].v;
    const int n = v ? td_value_count(v) : 1;
    const bool power = v == w->law.pow;
    bool same = power && n == 6;  // one power, written six times
    for (int c = 1; same && c < 6; c++)
      same = td_value_ex(v, c, b->spec->graph) == td_value_ex(v, 0, b->spec->graph);
    if (n == 1 || same || (!power && (n == 2 || n == 6) && (v->rows == 1 || v->cols == 1)))
      continue;
    return td_error(b->diags, TD_E_MODEL, td_law_at(w->s, w->i, section[k].path),
                    "joint(%d).%s of a polynomial rod must be %s, got %dx%d", joint + 1,
                    section[k].path,
                    power ? "the same number in all directions"
                          : "one number, [translations rotations] or six numbers",
                    v->rows, v->cols);
  }

  static const char* const unknown[] = {"dir",   "xaxis", "refbody", "fixed", "control", "motion",
                                        "tr2nd", "type",  "axis",    "pitch", "beam"};
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
    if (td_get(w->s, w->i, unknown[k]))
      return refuse(b, td_get_at(w->s, w->i, unknown[k]), joint, unknown[k],
                    "a joint with `rom` makes its body a polynomial rod and cannot have it; write "
                    "another joint between the same bodies");
  if (w->law.along)
    return refuse(b, td_get_at(w->law.damp, 0, "along"), joint, "damp.along",
                  "the damping of a polynomial rod acts on its strain rates");

  // components of the last transformation are free or stay where the straight rod has them
  const int ntr = w->tr ? td_value_count(w->tr) : 0;
  for (int i = 0; i < ntr; i++) {
    static const char* const fields[] = {"trans", "rot"};
    const tr_words step = tr_read(w->tr, i);
    for (int f = 0; f < 2; f++) {
      const value* v = f == 0 ? step.trans : step.rot;
      for (int c = 0; v && c < td_value_count(v); c++) {
        const bool number = !v->e || v->e[c] == EX_NONE, inf = number && isinf(v->x[c]);
        char field[40];
        snprintf(field, sizeof field, "tr(%d).%s", i + 1, fields[f]);
        if (i < ntr - 1 && inf)
          return refuse(b, td_get_at(w->tr, i, fields[f]), joint, field,
                        "only the last transformation of a polynomial rod has inf");
        if (i == ntr - 1 && !inf && !(number && v->x[c] == 0))
          return refuse(b, td_get_at(w->tr, i, fields[f]), joint, field,
                        "each number of the last transformation of a polynomial rod must be inf "
                        "or 0; what is fixed is a transformation before it");
      }
    }
  }

  // its degrees of freedom have initial values only
  static const char* const dof_fields[] = {"equal2", "rate", "motion", "spring",
                                           "dir",    "damp", "input"};
  const value* dofs = w->dof;
  int ndof = r->scalar;
  for (int d = 0; d < 6; d++) ndof += r->free[d];
  for (int i = 0; dofs && i < td_value_count(dofs); i++) {
    for (size_t k = 0; k < sizeof dof_fields / sizeof *dof_fields; k++) {
      char field[40];
      snprintf(field, sizeof field, "dof(%d).%s", i + 1, dof_fields[k]);
      if (td_get(dofs, i, dof_fields[k]))
        return refuse(b, td_get_at(dofs, i, dof_fields[k]), joint, field,
                      "a coordinate of a polynomial rod has `init` and `init_s` only; springs, "
                      "dampers and inputs of the rod are joint.spring, damp and input");
    }
    if (i >= ndof && td_get(dofs, i, "init"))
      return td_error(b->diags, TD_E_MODEL, td_get_at(dofs, i, "init"),
                      "joint(%d).dof(%d): the rod has %d components with inf", joint + 1, i + 1,
                      ndof);
  }
  return TD_OK;
}

td_status td_build_rom_joint(builder* b, int rod) {
  static const char* const names[6] = {"x", "y", "z", "qx", "qy", "qz"};
  const int joint = b->rod[rod].joint;
  const joint_words* w = &b->joint[joint].w;
  rom r = {.rod = rod, .n = b->rod[rod].n, .L = b->rod[rod].length, .printed = true};
  int fixed, dof = 0;
  if (r.n > MAX_ORDER)
    return td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, "rom"),
                    "joint(%d).rom.order is at most %d", joint + 1, MAX_ORDER);
  TD_TRY(read_components(b, joint, &r, &fixed));
  TD_TRY(check_rom_joint(b, joint, &r));
  // fixed transformations before the rod
  const int start = b->m->nfix;
  for (int i = 0; i < b->rod[rod].nfix; i++) {
    model_fix* copy = td_push_fix(b->m, 1);
    if (!copy) return TD_E_NOMEM;
    *copy = b->m->fix[b->rod[rod].fix + i];
  }
  for (int i = 0; i < fixed; i++) TD_TRY(td_build_fix(b, w->tr, i, false, true, true));
  r.base = b->rod[rod].hop[0];
  r.fix = b->rod[rod].fix = start;
  r.nfix = b->rod[rod].nfix = b->m->nfix - start;
  for (int d = 0; d < 6; d++) {
    double c[MAX_ORDER + 1];
    if (d == 3) dof += r.scalar;
    if (!r.free[d]) continue;
    TD_TRY(printed_start(b, joint, &r, d, dof, c));
    for (int i = 0; i < r.n; i++)
      TD_TRY(td_rod_dof(b, rod, i + 1, d, names[d], num_ex(b, c[i]), num_ex(b, 0), &r.q[d][i],
                        &r.v[d][i]));
    dof++;
  }
  const value *par = td_get(b->spec->root, 0, "par"), *shared = td_field_get(par, 0, "par.nint");
  const td_span at = w->points ? td_get_at(w->rom, 0, "points")
                     : shared  ? td_get_at(par, 0, "nint")
                               : td_span_none();
  return push_points(b, &r, w->points ? w->points : shared, at, 0);
}
