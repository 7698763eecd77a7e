// The strain-parametrised rod model: the strains along a rod are sums of shape functions,
//
//   ξ(s) = shape(s) + Σ_j φ_j(s) q_j          each strain with a basis of its own (elem/basis.h)
//
// and frames follow from the base by Magnus steps from one quadrature point to the next
// (HOP_STRAIN, elem/magnus.h).  Mass, the section's law and distributed loads sit at the points.
// The ends of elements are frames too, so that no step crosses a kink.  What is attached or
// measured between two points has a side step of its own from the point before it and does not
// disturb the rod.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "math/dense.h"
#include "math/quadrature.h"
#include "model/gvs.h"

static bool is_zero(const builder* b, ex e) {
  return td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0;
}

// ---- coordinates ------------------------------------------------------------------------------

// The given field minus the stress-free strain d at an arc length; a rate as it is given.
static ex wanted_at(builder* b, const gvs* g, int d, const char* what, double arc) {
  const ex start = td_rod_start(b, g->rod, what, d, arc);
  if (strcmp(what, "rate") == 0) return start;
  return minus(b, start, td_rod_number(b, g->rod, td_rod_words(b, g->rod, arc)->shape, d, arc, 0));
}

// Least squares of the given field minus the stress-free strain, by the functions of strain d: sums
// of the values at the points, which may follow parameters.
static td_status project(builder* b, const gvs* g, int d, const char* what, ex* out) {
  const int n = g->field[d].n, points = 4 * n + 8;
  double* A = calloc((size_t)n * (size_t)n + 1, sizeof(double));
  double *x = calloc(2 * (size_t)points, sizeof(double)), *w = x ? x + points : NULL;
  double phi[MOST_FUNCTIONS], c[MOST_FUNCTIONS] = {0};
  const int used = points < 512 ? points : 512;
  bool follows = false;
  int bad = A && x ? 0 : -1;
  if (bad == 0) td_gauss(used, x, w);
  for (int k = 0; bad == 0 && k < used; k++) {
    const double arc = g->from + x[k] * g->length;
    const ex wanted = wanted_at(b, g, d, what, arc);
    const double now = td_build_now(b, wanted);
    follows = follows || !td_ex_is_const(b->spec->graph, wanted);
    td_gvs_functions(b, g, d, arc, phi);
    for (int i = 0; !g->field[d].basis && !is_zero(b, wanted) && i < n; i++)  // as they are now
      td_spec_settle(b->spec, td_gvs_custom(b, g, d, i, arc));
    for (int i = 0; i < n; i++) {
      c[i] += w[k] * phi[i] * now;
      for (int j = 0; j <= i; j++) A[i * n + j] += w[k] * phi[i] * phi[j];
    }
  }
  if (bad == 0) bad = td_chol(A, n, g->field[d].basis ? 0 : 1e-12);  // ours are independent
  if (bad == 0) td_chol_solve(A, n, c, 1);
  for (int i = 0; i < n; i++) out[i] = num_ex(b, follows ? 0 : c[i]);
  for (int k = 0; bad == 0 && follows && k < used; k++) {
    const double arc = g->from + x[k] * g->length;
    const ex wanted = wanted_at(b, g, d, what, arc);
    td_gvs_functions(b, g, d, arc, phi);
    for (int i = 0; i < n; i++) c[i] = w[k] * phi[i];
    td_chol_solve(A, n, c, 1);
    for (int i = 0; i < n; i++) out[i] = add(b, out[i], times(b, c[i], wanted));
  }
  free(A);
  free(x);
  if (bad < 0) return TD_E_NOMEM;
  if (bad == 0) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "functions"),
                  "rod(%d).functions: those of strain %d depend on each other", g->rod + 1, d + 1);
}

// Initial values: the coordinates themselves when there are as many numbers, else a strain field.
static td_status start_of(builder* b, const gvs* g, int d, const char* what, ex* out) {
  const value* v = strcmp(what, "rate") == 0 ? gvs_words(b, g)->rate : gvs_words(b, g)->init;
  const int n = g->field[d].n;
  const bool refined = b->spec->refine.on;
  const int all = refined ? g->nwritten : g->n;
  const bool coordinates = v && td_value_count(v) == all && all != 6;
  if (n == 0 && coordinates) return TD_OK;
  for (int k = 0; n == 0 && k < 5; k++)  // held: no function, of no order
    TD_TRY(td_rod_check_held(b, g->rod, what, d, g->from + (0.01 + 0.245 * k) * g->length));
  if (n == 0) return TD_OK;
  const int m = g->written[d].n;
  for (int i = 0; i < n && coordinates && refined; i++) {
    out[i] = num_ex(b, 0);
    for (int j = 0; j < m; j++) {
      const ex written = td_value_ex(v, g->written[d].first + j, b->spec->graph);
      out[i] = add(b, out[i], times(b, g->E[d][i * m + j], written));
    }
  }
  if (coordinates && refined) return TD_OK;
  if (coordinates) {
    for (int i = 0; i < n; i++) out[i] = td_value_ex(v, g->field[d].first + i, b->spec->graph);
    return TD_OK;
  }
  for (int i = 0; i < n; i++) out[i] = num_ex(b, 0);
  return v || !g->field[d].basis ? project(b, g, d, what, out)  // or to see whether it can be
                                 : TD_OK;
}

// Check that initial strains and their rates are six, or as many as there are coordinates.
static td_status check_starts(builder* b, const gvs* g) {
  static const char* const names[] = {"init", "rate"};
  for (int k = 0; k < 2; k++) {
    const value* v = k == 0 ? gvs_words(b, g)->init : gvs_words(b, g)->rate;
    if (!v || td_value_count(v) == 6 || td_value_count(v) == g->n || b->spec->refine.on) continue;
    return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, names[k]),
                    "rod(%d).%s must have six strains or one number for each of its %d "
                    "coordinates, got %d",
                    g->rod + 1, names[k], g->n, td_value_count(v));
  }
  return TD_OK;
}

// `before`: functions of the same strain in the parts before.
static td_status push_coordinates(builder* b, gvs* g, const int before[6]) {
  for (int d = 0; d < 6; d++) {
    g->field[d].first = g->n;
    g->n += g->field[d].n;
    g->written[d].first = g->nwritten;
    g->nwritten += g->written[d].n;
  }
  TD_TRY(check_starts(b, g));
  for (int d = 0; d < 6 && b->spec->refine.on; d++) {
    const size_t size = (size_t)g->field[d].n * (size_t)g->written[d].n;
    if (size == 0) continue;
    g->E[d] = malloc(size * sizeof(double));
    TD_TRY(g->E[d] ? td_gvs_embed(b, g, d, g->E[d]) : TD_E_NOMEM);
  }
  for (int d = 0; d < 6; d++) {
    ex init[MOST_FUNCTIONS], rate[MOST_FUNCTIONS];
    TD_TRY(start_of(b, g, d, "init", init));
    TD_TRY(start_of(b, g, d, "rate", rate));
    for (int i = 0; i < g->field[d].n; i++) {
      const int at = g->field[d].first + i;
      TD_TRY(td_rod_dof(b, g->rod, before[d] + i + 1, d, td_rod_strain_name(d), init[i], rate[i],
                        &g->q[at], &g->v[at]));
    }
  }

  // what they are, and by the coordinates of the written rod
  for (int d = 0; d < 6 && b->spec->refine.on; d++)
    for (int i = 0; i < g->field[d].n; i++) {
      const strain_field* field = &g->field[d];
      const int order = i % (field->order + 1);
      model_spectral* s = td_push_spectral(b->m, 1);
      if (!s) return TD_E_NOMEM;
      *s = (model_spectral){.q = g->q[field->first + i],
                            .rod = g->rod + 1,
                            .strain = d,
                            .top = order == field->order,
                            .weight = g->length / field->elements / (2 * order + 1)};
    }
  for (int d = 0; d < 6; d++) {
    const int m = g->written[d].n;
    for (int i = 0; i < g->field[d].n; i++)
      for (int j = 0; j < m; j++) {
        const int at = g->field[d].first + i;
        if (fabs(g->E[d][i * m + j]) > 1e-14)
          TD_TRY(td_rod_lift(b, g->rod, g->q[at], g->v[at], g->before + g->written[d].first + j,
                             g->E[d][i * m + j]));
      }
  }
  return TD_OK;
}

// ---- points -----------------------------------------------------------------------------------

// Polynomial degree of the strains, as far as it can be told: points must match it.
static int degree(const gvs* g) {
  int most = 0;
  for (int d = 0; d < 6; d++) {
    if (g->field[d].n > 0) most = max_int(most, strain_degree(&g->field[d]));
  }
  return most;
}

// Ends of cables and chambers, and all breaks with those of each strain's elements.
enum { MOST_SPLITS = 64, MOST_BREAKS = 2 + MOST_COORDINATES + MOST_SPLITS };

// Where pieces of smooth strain and actuation meet, on [0, 1], both ends included.
static int breaks(builder* b, const gvs* g, double* at, rod_split* cut, int* ncut) {
  int n = 0;
  at[n++] = 0;
  at[n++] = 1;
  for (int d = 0; d < 6; d++)
    for (int e = 1; g->field[d].n > 0 && g->field[d].basis && e < g->field[d].elements; e++)
      if (n < MOST_BREAKS) at[n++] = (double)e / g->field[d].elements;
  const rod_part* p = gvs_part(b, g);
  rod_split ends[MOST_SPLITS];
  const int nend = td_rod_splits(b, g->rod, ends, MOST_SPLITS);
  *ncut = 0;
  for (int k = 0; k < nend && k < MOST_SPLITS; k++) {
    const double x = (ends[k].arc - g->from) / g->length;
    double now;
    ex share = over(b, minus(b, ends[k].e, p->from_ex), p->length_ex);
    if (td_ex_steady(b, share, &now)) share = num_ex(b, x);
    const bool inside = x > 1e-9 && x < 1 - 1e-9;
    // a cut that is at a border of elements or parts now, but not with other parameters
    bool border = fabs(x) <= 1e-9 || fabs(x - 1) <= 1e-9;
    for (int i = 0; i < n; i++) border = border || fabs(at[i] - x) < 1e-9;
    if (border && !td_ex_is_const(b->spec->graph, share)) td_spec_settle(b->spec, share);
    if (!inside || n >= MOST_BREAKS) continue;
    at[n++] = x;
    cut[(*ncut)++] = (rod_split){x, share};
  }
  qsort(at, (size_t)n, sizeof(double), ascending);
  int kept = 1;
  for (int i = 1; i < n; i++)
    if (at[i] > at[kept - 1] + 1e-12) at[kept++] = at[i];
  return kept;
}

// Borders of the part between which its points keep their places, where some cut moves against the
// part.  They must stay in this order.
static td_status put_borders(builder* b, const gvs* g, const double* at, int n,
                             const rod_split* cut, int ncut) {
  bool moves = false;
  ex before = num_ex(b, 0);
  for (int k = 0; k < ncut; k++) moves = moves || !td_ex_is_const(b->spec->graph, cut[k].e);
  for (int i = 0; i < n && moves; i++) {
    ex share = num_ex(b, at[i]);
    for (int k = 0; k < ncut; k++)
      if (fabs(cut[k].arc - at[i]) < 1e-12) share = cut[k].e;
    TD_TRY(td_rod_border(b, g->rod, g->from + at[i] * g->length, share));
    char what[160];
    snprintf(what, sizeof what,
             "rod(%d): the end of a cable or chamber at %g m passes a border of its part, by ",
             g->rod + 1, g->from + at[i] * g->length);
    if (i > 0) td_rod_keep_above(b, minus(b, share, before), what);
    before = share;
  }
  return TD_OK;
}

// Add a quadrature point at x (0 to 1) of the part; one at the place of the last point adds its
// weight there.
static td_status put_point(builder* b, gvs* g, double x, double weight) {
  const bool again = g->npoint > 0 && g->from + x * g->length <=
                                          g->arc[g->npoint - 1] + 1e-13 * b->rod[g->rod].length;
  if (again || x < 1e-13) {  // the base, or an end that is a node as well
    if (weight > 0 && again) g->weight[g->npoint - 1] += weight * g->length;
    return TD_OK;
  }
  if (g->npoint == MOST_POINTS)
    return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "points"), "rod(%d) has more than %d points",
                    g->rod + 1, MOST_POINTS);
  g->arc[g->npoint] = g->from + x * g->length;
  g->weight[g->npoint++] = weight * g->length;
  return TD_OK;
}

// Nodes and weights as the user gives them, in two rows, in each element.  A node at the base
// carries mass that does not move with the rod.
static td_status given_points(builder* b, gvs* g, const value* points) {
  double last = -1, at[MOST_BREAKS];
  for (int k = 0; k < points->cols; k++) {
    const double x = points->x[2 * k];
    if (!(x > last && x <= 1))
      return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "points"),
                      "rod(%d).points: the nodes must ascend from 0 to 1, got %g after %g",
                      g->rod + 1, x, last);
    last = x;
  }
  // one element, whatever begins or ends along it, keeps the table as it is written
  rod_split cut[MOST_SPLITS];
  int ncut;
  const int n = breaks(b, g, at, cut, &ncut);
  bool several = false;
  for (int d = 0; d < 6; d++)
    several = several || (g->field[d].n > 0 && g->field[d].basis && g->field[d].elements > 1);
  for (int k = 0; k < ncut; k++) td_spec_settle(b->spec, cut[k].e);
  for (int i = 0; i + 1 < (several ? n : 2); i++) {
    const double from = several ? at[i] : 0, to = several ? at[i + 1] : 1;
    for (int k = 0; k < points->cols; k++)
      TD_TRY(put_point(b, g, from + points->x[2 * k] * (to - from),
                       points->x[2 * k + 1] * (to - from)));
    TD_TRY(put_point(b, g, to, 0));
  }
  return TD_OK;
}

// Points in each element unless the model gives them: p + 3 count the mass of polynomials of degree
// p exactly, whose displacements are of degree p + 2.  From degree 5 on as many more as keep the
// steps between them, whose error falls only as points^-6, from hiding what such functions resolve.
// Strain fields that are written out may move.
static int usual_points(const gvs* g) {
  const int p = degree(g);
  if (g->coords >= 0) return 40;
  if (p < 5) return p + 3;
  return 2 * p + 4 < 512 ? 2 * p + 4 : 512;
}

// A refined rod has its own number, of which the shorter elements need fewer, so that the error of
// the written points is seen; of strains that are written out, twice as many.
static int refined_points(const gvs* g, const value* points) {
  if (g->coords < 0) return min_int(512, degree(g) + 3);
  return min_int(512, 2 * (!points                      ? 40
                           : td_value_count(points) > 1 ? points->cols
                                                        : (int)points->x[0]));
}

// Place the quadrature points: those that are written, or Gauss points in each element and a point
// without weight at its end.
static td_status make_points(builder* b, gvs* g) {
  const bool refined = b->spec->refine.on;
  const value* points = refined ? NULL : gvs_words(b, g)->points;
  if (points && td_value_count(points) > 1) return given_points(b, g, points);
  double at[MOST_BREAKS], x[512], w[512];
  rod_split cut[MOST_SPLITS];
  int ncut;
  const int n = breaks(b, g, at, cut, &ncut), least = degree(g) + 1;
  const double each = refined  ? refined_points(g, gvs_words(b, g)->points)
                      : points ? points->x[0]
                               : usual_points(g);
  if (!(each >= least && each <= 512 && each == floor(each)))
    return td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "points"),
                    "rod(%d).points: strains of degree %d need at least %d points in each element "
                    "(and at most 512), got %g",
                    g->rod + 1, least - 1, least, each);
  td_gauss((int)each, x, w);
  TD_TRY(put_borders(b, g, at, n, cut, ncut));
  for (int i = 0; i + 1 < n; i++) {
    for (int k = 0; k < (int)each; k++)
      TD_TRY(put_point(b, g, at[i] + x[k] * (at[i + 1] - at[i]), w[k] * (at[i + 1] - at[i])));
    TD_TRY(put_point(b, g, at[i + 1], 0));
  }
  return TD_OK;
}

// Frames that contacts need between the points: steps that follow each other are made side by side
// (engine/hop_strain.c), so that they cost less than steps aside.
static td_status add_contact_frames(builder* b, gvs* g) {
  rod_places at = {0};
  td_status status =
      td_contact_places_between(b, g->rod, g->from, g->from + g->length, g->arc, g->npoint, &at);
  if (status == TD_OK && at.n > MOST_POINTS)
    status = td_error(b->diags, TD_E_MODEL, gvs_at(b, g, "points"),
                      "rod(%d) has more than %d points with those of its contacts", g->rod + 1,
                      MOST_POINTS);
  // from the end, since both lists ascend and all points are among the places
  int from = g->npoint - 1;
  for (int k = at.n - 1; status == TD_OK && k >= 0; k--) {
    const bool own = from >= 0 && fabs(g->arc[from] - at.arc[k]) < 1e-12 * b->rod[g->rod].length;
    g->arc[k] = own ? g->arc[from] : at.arc[k];
    g->weight[k] = own ? g->weight[from] : 0;
    g->touches[k] = !own;
    from -= own;
  }
  if (status == TD_OK && at.n > 0) g->npoint = at.n;
  td_rod_places_free(&at);
  return status;
}

// ---- frames -----------------------------------------------------------------------------------

// Strains of degree p on elements of length h leave an error h^(2p+2) of the tip, steps of order m
// one of h^m: m = 2p + 2 unless the model gives it, of 4 and 6 the nearer.
static int magnus_nodes(const builder* b, const gvs* g) {
  const value* v = gvs_words(b, g)->magnus;
  if (b->spec->refine.on) return MAGNUS_NODES;
  if (v) return (int)v->x[0] / 2;
  return g->coords >= 0 || degree(g) < 2 ? 2 : 3;
}

// Functions of strain d at the nodes of a step.  Steps of order 6 take those of high degree, half a
// wave of which may fit into a step, as the parabolas with the same moments over the step,
//
//   Σ_j (2j+1) P_j(x) ∫ P_j φ,  j = 0, 1, 2:
//
// three values of such a function would not tell its integral, and with it what bends it, to more
// than five digits.  Steps of order 2 and 4 are as published.
static void functions_in(builder* b, const gvs* g, int d, double from, double h, int nodes,
                         double phi[MAGNUS_NODES][MOST_FUNCTIONS]) {
  enum { samples = 8 };
  const double* at = td_magnus_nodes(nodes);
  double x[samples], w[samples], f[MOST_FUNCTIONS];
  if (nodes < 3 || degree(g) < 3) {
    for (int n = 0; n < nodes; n++) td_gvs_functions(b, g, d, from + at[n] * h, phi[n]);
    return;
  }
  td_gauss(samples, x, w);
  for (int n = 0; n < nodes; n++) memset(phi[n], 0, (size_t)g->field[d].n * sizeof(double));
  for (int k = 0; k < samples; k++) {
    const double y = 2 * x[k] - 1;
    td_gvs_functions(b, g, d, from + x[k] * h, f);
    for (int n = 0; n < nodes; n++) {
      const double z = 2 * at[n] - 1,
                   share = w[k] * (1 + 3 * y * z + 5.0 / 4 * (3 * y * y - 1) * (3 * z * z - 1));
      for (int i = 0; i < g->field[d].n; i++) phi[n][i] += share * f[i];
    }
  }
}

// The same as expressions of parameters.
static void functions_in_ex(builder* b, const gvs* g, int d, double from, double h, int nodes,
                            ex phi[MAGNUS_NODES][MOST_FUNCTIONS]) {
  enum { samples = 8 };
  const double* at = td_magnus_nodes(nodes);
  const int count = g->field[d].n;
  double x[samples], w[samples];
  ex f[MOST_FUNCTIONS];
  if (nodes < 3 || degree(g) < 3) {
    for (int n = 0; n < nodes; n++) td_gvs_functions_ex(b, g, d, from + at[n] * h, phi[n]);
    return;
  }
  td_gauss(samples, x, w);
  for (int n = 0; n < nodes; n++)
    for (int i = 0; i < count; i++) phi[n][i] = num_ex(b, 0);
  for (int k = 0; k < samples; k++) {
    const double y = 2 * x[k] - 1;
    td_gvs_functions_ex(b, g, d, from + x[k] * h, f);
    for (int n = 0; n < nodes; n++) {
      const double z = 2 * at[n] - 1,
                   share = w[k] * (1 + 3 * y * z + 5.0 / 4 * (3 * y * y - 1) * (3 * z * z - 1));
      for (int i = 0; i < count; i++) phi[n][i] = add(b, phi[n][i], times(b, share, f[i]));
    }
  }
}

// Columns of a step: the functions that are not zero at all of its nodes.
static td_status push_columns(builder* b, const gvs* g, int hop, double from, double h, int nodes) {
  td_model* m = b->m;
  double phi[MAGNUS_NODES][MOST_FUNCTIONS];
  ex follows[MAGNUS_NODES][MOST_FUNCTIONS];
  for (int d = 0; d < 6; d++) {
    const bool still = g->field[d].basis && !b->rod[g->rod].moves;
    if (g->field[d].n > 0 && still) functions_in(b, g, d, from, h, nodes, phi);
    if (g->field[d].n > 0 && !still) functions_in_ex(b, g, d, from, h, nodes, follows);
    for (int i = 0; i < g->field[d].n; i++) {
      double weight[MAGNUS_NODES], sum = 0;
      for (int n = 0; n < nodes && still; n++) sum += fabs(weight[n] = phi[n][i]);
      for (int n = 0; n < nodes && !still; n++) sum += !is_zero(b, follows[n][i]);
      if (sum == 0) continue;
      const int at = g->field[d].first + i;
      memset(weight, 0, still ? 0 : sizeof weight);
      const num slot = td_build_constants(b, weight, nodes);
      model_col* col = td_push_col(m, 1);
      if (!col || slot == NUM_NONE) return TD_E_NOMEM;
      if (!still)
        for (int n = 0; n < nodes; n++) m->number_ex[slot + n] = follows[n][i];
      *col = (model_col){
          .hop = hop, .v = g->v[at], .q = g->q[at], .part = d, .weight = slot, .slope = NUM_NONE};
      m->hop[hop].nv++;
      m->hop[hop].modes |= 1u << d;
    }
  }
  if (m->hop[hop].nv > 0) m->hop[hop].v = m->col[m->hop[hop].col].v;
  return TD_OK;
}

// A step from the frame of `parent` at arc length `from`; *out: its hop.
static td_status push_step(builder* b, const gvs* g, int parent, double from, double to,
                           bool continues, int* out) {
  td_model* m = b->m;
  const build_rod* r = &b->rod[g->rod];
  const int nodes = magnus_nodes(b, g), fix = m->nfix;
  const double* at = td_magnus_nodes(nodes);
  double arc[MAGNUS_NODES], zero[3 * 6 * MAGNUS_NODES] = {0};
  for (int n = 0; n < nodes; n++) arc[n] = from + at[n] * (to - from);

  // the first step has the fixed transformations of the base
  for (int i = 0; parent == r->hop[0] && i < r->nfix; i++) {
    model_fix* copy = td_push_fix(m, 1);
    if (!copy) return TD_E_NOMEM;
    *copy = m->fix[r->fix + i];
  }

  // the hop
  const num strains = td_build_constants(b, zero, (g->coords < 0 ? 6 : 18) * nodes);
  const num step = td_build_number(b, td_rod_between(b, g->rod, from, to));
  model_hop* hop = td_push_hop(m, 1);
  if (!hop || strains == NUM_NONE || step == NUM_NONE) return TD_E_NOMEM;
  *hop = (model_hop){.kind = HOP_STRAIN,
                     .parent = parent,
                     .fix = fix,
                     .nfix = m->nfix - fix,
                     .col = m->ncol,
                     .q = -1,
                     .v = -1,
                     .axis = NUM_NONE,
                     .pitch = NUM_NONE,
                     .value = strains,
                     .nodes = nodes,
                     .step = step,
                     .continues = continues,
                     .group = m->nhop - 1};
  *out = m->nhop - 1;

  // strains at its nodes
  if (g->coords >= 0) return td_gvs_own_step(b, g, *out, arc, nodes);
  for (int n = 0; n < nodes; n++)
    for (int d = 0; d < 6; d++)
      m->number_ex[strains + 6 * n + d] =
          td_rod_number(b, g->rod, td_rod_words(b, g->rod, arc[n])->shape, d, arc[n], 0);
  return push_columns(b, g, *out, from, to - from, nodes);
}

// Note the hop that ends at an arc length of a rod.
static td_status remember(builder* b, int rod, double arc, int hop) {
  build_rod* r = &b->rod[rod];
  double* arcs = td_grow(r->point_arc, &r->arc_cap, r->npoint + 1, sizeof(double));
  if (!arcs) return TD_E_NOMEM;
  r->point_arc = arcs;
  int* hops = td_grow(r->point_hop, &r->hop_cap, r->npoint + 1, sizeof(int));
  if (!hops) return TD_E_NOMEM;
  r->point_hop = hops;
  arcs[r->npoint] = arc;
  hops[r->npoint++] = hop;
  return TD_OK;
}

// ---- what sits at a point ---------------------------------------------------------------------

// Add the section law at a quadrature point, with the weight of each coordinate in its strains.
static td_status push_strain(builder* b, const gvs* g, double arc, double weight, int element) {
  td_model* m = b->m;
  model_strain f = {.kind = STRAIN_BASIS, .a = -1, .b = -1, .term = m->nterm, .coords = -1};
  ex phi[MOST_FUNCTIONS];
  for (int d = 0; d < 6; d++) {
    f.dof_q[d] = f.dof_v[d] = -1;
    if (g->field[d].n > 0) td_gvs_functions_ex(b, g, d, arc, phi);
    for (int i = 0; i < g->field[d].n; i++) {
      if (is_zero(b, phi[i])) continue;
      const int at = g->field[d].first + i;
      const num slot = td_build_number(b, phi[i]);
      model_term* term = td_push_term(m, 1);
      if (!term || slot == NUM_NONE) return TD_E_NOMEM;
      *term = (model_term){.q = g->q[at], .v = g->v[at], .mode = d, .weight = slot};
      f.nterm++;
    }
  }
  TD_TRY(td_rod_section(b, g->rod, (rod_reach){arc - 1e-12, arc + 1e-12, 0}, arc,
                        td_rod_weight(b, g->rod, arc, weight), &f));
  if (g->coords >= 0) TD_TRY(td_gvs_own_point(b, g, arc, &f));
  return td_rod_strain(b, g->rod, element, arc, &f);
}

// A place that does not move along with the rod stays between two of its points.
static void keep_between(builder* b, const gvs* g, double from, double arc, double to) {
  char what[160];
  const ex here = td_rod_fraction(b, g->rod, arc),
           // the end of a part is the beginning of the next one
      end = to < g->from + g->length * (1 - 1e-12) ? td_rod_fraction(b, g->rod, to) : num_ex(b, 1);
  snprintf(what, sizeof what,
           "rod(%d): the place at %g m passes a point of the rod's quadrature, by ", g->rod + 1,
           arc);
  td_rod_keep_above(b, minus(b, here, td_rod_fraction(b, g->rod, from)), what);
  td_rod_keep_above(b, minus(b, end, here), what);
}

// Places that are written, now that the borders are known.  One that is at a point of the rod now,
// but not with other parameters, belongs to the parameters' present values.
static td_status mark_places(builder* b, const gvs* g) {
  build_rod* r = &b->rod[g->rod];
  rod_places places = {0};
  if (!r->moves) return TD_OK;
  const td_status status = td_rod_places(b, g->rod, &places);
  td_rod_places_free(&places);
  const int marks = r->nmark;
  bool meets = false;
  for (int i = 0; i < marks && !meets; i++)
    for (int k = -1; k < g->npoint && !meets; k++) {
      const double at = k < 0 ? g->from : g->arc[k];
      if (fabs(r->mark[i].arc - at) >= 1e-9 * r->length) continue;
      // as the rod places the point, without the mark
      double apart;
      r->nmark = 0;
      const ex gap = minus(b, r->mark[i].share, td_rod_fraction(b, g->rod, at));
      r->nmark = marks;
      meets = !td_ex_steady(b, gap, &apart);
    }
  if (meets) td_rod_settle(b, g->rod, TD_ON_A_POINT);
  return status;
}

// Strains that are measured where no quadrature point is.
static td_status push_measured(builder* b, const gvs* g) {
  const double L = b->rod[g->rod].length;
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (s->root != 'r' || s->index != g->rod + 1 || !sensor_is(s->kind, OF_STRAIN)) continue;
    if (s->arc == TD_ARC_HERE) continue;
    if (td_build_rod_part(b, g->rod, s->arc) != g->part) continue;
    bool known = false;
    for (int k = 0; k < b->m->nstrain && !known; k++)
      known = b->m->strain[k].rod == g->rod + 1 && fabs(b->m->strain[k].arc - s->arc) < 1e-12 * L;
    if (!known && td_rod_marked(b, g->rod, s->arc)) {
      int k = 0;
      while (k < g->npoint - 1 && g->arc[k] < s->arc) k++;
      keep_between(b, g, k > 0 ? g->arc[k - 1] : g->from, s->arc, g->arc[k]);
    }
    if (!known) TD_TRY(push_strain(b, g, fmin(s->arc, L), 0, 0));
  }
  return TD_OK;
}

// ---- a part, a rod ----------------------------------------------------------------------------

// Side steps to the places in (from, to), from the frame of `hop`.
static td_status push_sides(builder* b, const gvs* g, const rod_places* places, int hop,
                            double from, double to) {
  const double eps = 1e-12 * b->rod[g->rod].length;
  for (int i = 0; i < places->n; i++) {
    const double arc = places->arc[i];
    int side;
    if (arc < from + eps || arc > to - eps) continue;
    build_rod* r = &b->rod[g->rod];
    const rod_mark* mark = td_rod_marked(b, g->rod, arc);
    if (mark) {
      keep_between(b, g, from, arc, to);
      r->side[0] = (rod_mark){from, td_rod_fraction(b, g->rod, from)};
      r->side[1] = *mark;
      r->aside = true;
    }
    const td_status status = push_step(b, g, hop, from, arc, false, &side);
    r->aside = false;
    TD_TRY(status);
    TD_TRY(remember(b, g->rod, arc, side));
  }
  return TD_OK;
}

// Add the steps from point to point, and the section law and mass of each point with weight.
static td_status push_frames(builder* b, const gvs* g, const rod_places* places, int strains,
                             int* hop) {
  double from = g->from;
  for (int k = 0; k < g->npoint; k++) {
    TD_TRY(push_sides(b, g, places, *hop, from, g->arc[k]));
    TD_TRY(push_step(b, g, *hop, from, g->arc[k], k > 0, hop));
    TD_TRY(remember(b, g->rod, g->arc[k], *hop));
    from = g->arc[k];
    if (g->touches[k]) continue;
    if (g->weight[k] == 0) {
      TD_TRY(td_rod_sample(b, g->rod, from, 0));
      continue;
    }
    TD_TRY(push_strain(b, g, from, g->weight[k], ++strains));
    TD_TRY(td_rod_point_mass(b, g->rod, from, g->weight[k]));
  }
  return push_measured(b, g);
}

// Add one part of a rod: its coordinates, its points, its frames; `before` counts the functions of
// each strain.
static td_status push_part(builder* b, gvs* g, const rod_places* places, int* hop, int before[6]) {
  int strains = 0;
  if (gvs_words(b, g)->strain) {
    TD_TRY(td_gvs_own_coordinates(b, g));
  } else {
    TD_TRY(td_gvs_check_basis(b, g));
    for (int d = 0; d < 6; d++) {
      TD_TRY(td_gvs_read(b, g, d));
      if (b->spec->refine.on) TD_TRY(td_gvs_refine(b, g, d));
    }
    TD_TRY(push_coordinates(b, g, before));
  }
  TD_TRY(make_points(b, g));
  TD_TRY(mark_places(b, g));
  TD_TRY(add_contact_frames(b, g));
  for (int k = 0; k < b->m->nstrain; k++) strains += b->m->strain[k].rod == g->rod + 1;
  TD_TRY(push_frames(b, g, places, strains, hop));
  // report what became of n
  model_rod* rod = &b->m->rod[g->rod];
  for (int k = 0; k < g->npoint; k++) rod->points += g->weight[k] > 0;
  rod->magnus = max_int(rod->magnus, 2 * magnus_nodes(b, g));
  for (int d = 0; d < 6; d++) {
    const strain_field* field = &g->field[d];
    before[d] += field->n;
    rod->functions[d] = before[d];
    if (field->n == 0 || !field->basis) continue;
    rod->elements[d] += field->elements;
    if (field->basis->ordered) rod->order[d] = max_int(rod->order[d], field->order);
  }
  return TD_OK;
}

td_status td_build_rod_gvs(builder* b, int rod) {
  const build_rod* r = &b->rod[rod];
  rod_places places = {0};
  // coordinates of strains that are written out come first
  int hop = r->hop[0], before[6] = {0}, written = r->w.coords ? (int)r->w.coords->x[0] : 0;
  td_status status = td_rod_places(b, rod, &places);
  if (status == TD_OK && b->rod[rod].w.coords) status = td_gvs_make_coordinates(b, rod);
  gvs* g = malloc(sizeof *g);
  if (!g) status = TD_E_NOMEM;
  for (int i = 0; i < r->npart && status == TD_OK; i++) {
    memset(g, 0, sizeof *g);
    g->rod = rod;
    g->part = i;
    g->coords = -1;
    g->from = r->part[i].from;
    g->length = r->part[i].length;
    g->before = written;
    status = push_part(b, g, &places, &hop, before);
    for (int d = 0; d < 6; d++) free(g->E[d]);
    if (i + 1 == r->npart || r->part[i + 1].whole != r->part[i].whole) written += g->nwritten;
  }
  free(g);
  td_rod_places_free(&places);
  return status;
}
