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
#include <string.h>

#include "math/dense.h"
#include "math/quadrature.h"
#include "model/gvs.h"

static const rod_part* part_of(const builder* b, const gvs* g) {
  return &b->rod[g->rod].part[g->part];
}
static const rod_words* words_of(const builder* b, const gvs* g) { return &part_of(b, g)->w; }
static td_span field_at(const builder* b, const gvs* g, const char* name) {
  const rod_part* p = part_of(b, g);
  return td_get_at(p->s, p->at, name);
}

// ---- bases ------------------------------------------------------------------------------------

// A number for strain d: one for all, or six.
static int number_for(const value* v, int d, int fallback) {
  return !v ? fallback : (int)v->x[td_value_count(v) == 6 ? d : 0];
}

static td_status check_basis(builder* b, const gvs* g) {
  const value* v = words_of(b, g)->basis;
  if (!v || v->kind == V_STR || td_value_count(v) == 6 || td_value_count(v) == 1) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, field_at(b, g, "basis"),
                  "rod(%d).basis must be one name or six, one for each strain, got %d", g->rod + 1,
                  td_value_count(v));
}

static const char* basis_word(const value* v, int d) {
  if (!v) return "legendre";
  if (v->kind == V_STR) return v->s;
  const value* slot = v->slots[td_value_count(v) == 6 ? d : 0].v;
  return slot && slot->kind == V_STR ? slot->s : "";
}

// The functions the user wrote for strain d: those of row d that are not zero.
static td_status read_custom(builder* b, gvs* g, int d) {
  const value* f = words_of(b, g)->functions;
  strain_field* field = &g->field[d];
  if (!f)
    return td_error(b->diags, TD_E_MODEL, field_at(b, g, "basis"),
                    "rod(%d).functions is missing: a custom basis has one row of functions of s "
                    "for each of the six strains",
                    g->rod + 1);
  for (int j = 0; j < f->cols; j++) {
    const ex e = td_value_ex(f, d + 6 * j, b->spec->graph);
    if (td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0) continue;
    if (field->n == MOST_FUNCTIONS) break;
    g->custom[d][field->n++] = j;
  }
  return TD_OK;
}

static td_status read_field(builder* b, gvs* g, int d) {
  strain_field* field = &g->field[d];
  const value *order = words_of(b, g)->order, *elements = words_of(b, g)->elements;
  const char* word = basis_word(words_of(b, g)->basis, d);
  const int n = part_of(b, g)->n;
  field->basis = td_basis_find(word);
  if (order || elements) {  // what is written is obeyed
    field->order = number_for(order, d, n);
    field->elements = number_for(elements, d, 1);
  } else {
    (field->basis ? field->basis->f->resolve : basis_plain)(n, &field->order, &field->elements);
  }
  if (!td_rod_mode(b, g->rod, d, g->from + 0.5 * g->length) || field->order < 0) return TD_OK;
  if (strcmp(word, "custom") == 0) return read_custom(b, g, d);
  if (!field->basis)
    return td_error(b->diags, TD_E_MODEL, field_at(b, g, "basis"),
                    "rod(%d).basis: there is no basis '%.40s'", g->rod + 1, word);

  // one order for all strains may be meant for those whose basis has one
  const value* basis = words_of(b, g)->basis;
  const bool mixed = basis && basis->kind == V_CELL && td_value_count(basis) == 6;
  if (order && !field->basis->ordered && field->order > 0 && field->order != field->basis->degree &&
      (!mixed || td_value_count(order) == 6) && !g->order_told) {
    g->order_told = true;
    td_warn(b->diags, field_at(b, g, "order"),
            "rod(%d).order: the basis '%s' has no order but its own, %d: its functions are "
            "counted by elements, and %d says no more than 0, that there is such a strain",
            g->rod + 1, word, field->basis->degree, field->order);
  }

  // no basis has more than that, and as many may be counted without overflow
  const double most =
      (double)field->elements * (field->basis->ordered ? 2.0 * field->order + 4 : 4);
  if (most < 1e6) field->n = field->basis->f->count(field->order, field->elements);
  if (most >= 1e6 || field->n > MOST_FUNCTIONS)
    return td_error(b->diags, TD_E_MODEL,
                    field_at(b, g,
                             order      ? "order"
                             : elements ? "elements"
                                        : "n"),
                    "rod(%d): order %d on %d elements makes more than %d functions of one strain; "
                    "cut the rod into parts",
                    g->rod + 1, field->order, field->elements, MOST_FUNCTIONS);
  return TD_OK;
}

static void functions_at(builder* b, const gvs* g, int d, double arc, double* phi) {
  const strain_field* field = &g->field[d];
  if (field->basis) {
    field->basis->f->values((arc - g->from) / g->length, field->order, field->elements, phi);
    return;
  }
  for (int i = 0; i < field->n; i++)
    phi[i] =
        td_spec_settle(b->spec, td_rod_number(b, g->rod, td_rod_words(b, g->rod, arc)->functions,
                                              d + 6 * g->custom[d][i], arc, 0));
}

// ---- coordinates ------------------------------------------------------------------------------

// Least squares of the given field minus the stress-free strain, by the functions of strain d.
static td_status project(builder* b, const gvs* g, int d, const char* what, double* c) {
  const int n = g->field[d].n, points = 4 * n + 8;
  double* A = calloc((size_t)n * (size_t)n + 1, sizeof(double));
  double *x = calloc(2 * (size_t)points, sizeof(double)), *w = x ? x + points : NULL;
  double phi[MOST_FUNCTIONS];
  const bool rate = strcmp(what, "rate") == 0;
  int bad = A && x ? 0 : -1;
  memset(c, 0, (size_t)n * sizeof(double));
  if (bad == 0) td_gauss(points < 512 ? points : 512, x, w);
  for (int k = 0; bad == 0 && k < points && k < 512; k++) {
    const double arc = g->from + x[k] * g->length;
    const double start = td_spec_settle(b->spec, td_rod_start(b, g->rod, what, d, arc)),
                 shape = td_spec_settle(
                     b->spec,
                     td_rod_number(b, g->rod, td_rod_words(b, g->rod, arc)->shape, d, arc, 0));
    functions_at(b, g, d, arc, phi);
    for (int i = 0; i < n; i++) {
      c[i] += w[k] * phi[i] * (start - (rate ? 0 : shape));
      for (int j = 0; j <= i; j++) A[i * n + j] += w[k] * phi[i] * phi[j];
    }
  }
  if (bad == 0) bad = td_chol(A, n, g->field[d].basis ? 0 : 1e-12);  // ours are independent
  if (bad == 0) td_chol_solve(A, n, c, 1);
  free(A);
  free(x);
  if (bad < 0) return TD_E_NOMEM;
  if (bad == 0) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, field_at(b, g, "functions"),
                  "rod(%d).functions: those of strain %d depend on each other", g->rod + 1, d + 1);
}

// Initial values: the coordinates themselves when there are as many numbers, else a strain field.
static td_status start_of(builder* b, const gvs* g, int d, const char* what, ex* out) {
  const value* v = strcmp(what, "rate") == 0 ? words_of(b, g)->rate : words_of(b, g)->init;
  const int n = g->field[d].n;
  double c[MOST_FUNCTIONS] = {0};
  const bool coordinates = v && td_value_count(v) == g->n && g->n != 6;
  if (n == 0 && coordinates) return TD_OK;
  for (int k = 0; n == 0 && k < 5; k++)  // held: no function, of no order
    TD_TRY(td_rod_check_held(b, g->rod, what, d, g->from + (0.01 + 0.245 * k) * g->length));
  if (n == 0) return TD_OK;
  if (coordinates) {
    for (int i = 0; i < n; i++) out[i] = td_value_ex(v, g->field[d].first + i, b->spec->graph);
    return TD_OK;
  }
  if (v || !g->field[d].basis) TD_TRY(project(b, g, d, what, c));  // or to see whether it can be
  for (int i = 0; i < n; i++) out[i] = num_ex(b, c[i]);
  return TD_OK;
}

static td_status check_starts(builder* b, const gvs* g) {
  static const char* const names[] = {"init", "rate"};
  for (int k = 0; k < 2; k++) {
    const value* v = k == 0 ? words_of(b, g)->init : words_of(b, g)->rate;
    if (!v || td_value_count(v) == 6 || td_value_count(v) == g->n) continue;
    return td_error(b->diags, TD_E_MODEL, field_at(b, g, names[k]),
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
  }
  TD_TRY(check_starts(b, g));
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
  return TD_OK;
}

// ---- points -----------------------------------------------------------------------------------

// Polynomial degree of the strains, as far as it can be told: points must match it.
static int degree(const gvs* g) {
  int most = 0;
  for (int d = 0; d < 6; d++) {
    const strain_field* f = &g->field[d];
    if (f->n == 0) continue;
    const int p = f->basis ? f->basis->degree + f->basis->degree_per_order * f->order : f->n + 1;
    most = max_int(most, p);
  }
  return most;
}

// Ends of cables and chambers, and all breaks with those of each strain's elements.
enum { MOST_SPLITS = 64, MOST_BREAKS = 2 + MOST_COORDINATES + MOST_SPLITS };

// Where pieces of smooth strain and actuation meet, on [0, 1], both ends included.
static int breaks(builder* b, const gvs* g, double* at) {
  int n = 0;
  at[n++] = 0;
  at[n++] = 1;
  for (int d = 0; d < 6; d++)
    for (int e = 1; g->field[d].n > 0 && g->field[d].basis && e < g->field[d].elements; e++)
      if (n < MOST_BREAKS) at[n++] = (double)e / g->field[d].elements;
  double ends[MOST_SPLITS];
  const int nend = td_rod_splits(b, g->rod, ends, MOST_SPLITS);
  for (int k = 0; k < nend && k < MOST_SPLITS; k++) {
    const double x = (ends[k] - g->from) / g->length;
    if (x > 1e-9 && x < 1 - 1e-9 && n < MOST_BREAKS) at[n++] = x;
  }
  qsort(at, (size_t)n, sizeof(double), td_ascending);
  int kept = 1;
  for (int i = 1; i < n; i++)
    if (at[i] > at[kept - 1] + 1e-12) at[kept++] = at[i];
  return kept;
}

static td_status put_point(builder* b, gvs* g, double x, double weight) {
  const bool again = g->npoint > 0 && g->from + x * g->length <=
                                          g->arc[g->npoint - 1] + 1e-13 * b->rod[g->rod].length;
  if (again || x < 1e-13) {  // the base, or an end that is a node as well
    if (weight > 0 && again) g->weight[g->npoint - 1] += weight * g->length;
    return TD_OK;
  }
  if (g->npoint == MOST_POINTS)
    return td_error(b->diags, TD_E_MODEL, field_at(b, g, "points"),
                    "rod(%d) has more than %d points", g->rod + 1, MOST_POINTS);
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
      return td_error(b->diags, TD_E_MODEL, field_at(b, g, "points"),
                      "rod(%d).points: the nodes must ascend from 0 to 1, got %g after %g",
                      g->rod + 1, x, last);
    last = x;
  }
  // one element, whatever begins or ends along it, keeps the table as it is written
  const int n = breaks(b, g, at);
  bool several = false;
  for (int d = 0; d < 6; d++)
    several = several || (g->field[d].n > 0 && g->field[d].basis && g->field[d].elements > 1);
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

static td_status make_points(builder* b, gvs* g) {
  const value* points = words_of(b, g)->points;
  if (points && td_value_count(points) > 1) return given_points(b, g, points);
  double at[MOST_BREAKS], x[512], w[512];
  const int n = breaks(b, g, at), least = degree(g) + 1;
  const double each = points ? points->x[0] : usual_points(g);
  if (!(each >= least && each <= 512 && each == floor(each)))
    return td_error(b->diags, TD_E_MODEL, field_at(b, g, "points"),
                    "rod(%d).points: strains of degree %d need at least %d points in each element "
                    "(and at most 512), got %g",
                    g->rod + 1, least - 1, least, each);
  td_gauss((int)each, x, w);
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
    status = td_error(b->diags, TD_E_MODEL, field_at(b, g, "points"),
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
  const value* v = words_of(b, g)->magnus;
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
    for (int n = 0; n < nodes; n++) functions_at(b, g, d, from + at[n] * h, phi[n]);
    return;
  }
  td_gauss(samples, x, w);
  for (int n = 0; n < nodes; n++) memset(phi[n], 0, (size_t)g->field[d].n * sizeof(double));
  for (int k = 0; k < samples; k++) {
    const double y = 2 * x[k] - 1;
    functions_at(b, g, d, from + x[k] * h, f);
    for (int n = 0; n < nodes; n++) {
      const double z = 2 * at[n] - 1,
                   share = w[k] * (1 + 3 * y * z + 5.0 / 4 * (3 * y * y - 1) * (3 * z * z - 1));
      for (int i = 0; i < g->field[d].n; i++) phi[n][i] += share * f[i];
    }
  }
}

// Columns of a step: the functions that are not zero at all of its nodes.
static td_status push_columns(builder* b, const gvs* g, int hop, double from, double h, int nodes) {
  td_model* m = b->m;
  double phi[MAGNUS_NODES][MOST_FUNCTIONS];
  for (int d = 0; d < 6; d++) {
    if (g->field[d].n > 0) functions_in(b, g, d, from, h, nodes, phi);
    for (int i = 0; i < g->field[d].n; i++) {
      double weight[MAGNUS_NODES], sum = 0;
      for (int n = 0; n < nodes; n++) sum += fabs(weight[n] = phi[n][i]);
      if (sum == 0) continue;
      const int at = g->field[d].first + i;
      const num slot = td_build_constants(b, weight, nodes);
      model_col* col = td_push_col(m, 1);
      if (!col || slot == NUM_NONE) return TD_E_NOMEM;
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
  const num step = td_build_number(b, num_ex(b, to - from));
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

static td_status push_strain(builder* b, const gvs* g, double arc, double weight, int element) {
  td_model* m = b->m;
  model_strain f = {.kind = STRAIN_BASIS, .a = -1, .b = -1, .term = m->nterm, .coords = -1};
  double phi[MOST_FUNCTIONS];
  for (int d = 0; d < 6; d++) {
    f.dof_q[d] = f.dof_v[d] = -1;
    if (g->field[d].n > 0) functions_at(b, g, d, arc, phi);
    for (int i = 0; i < g->field[d].n; i++) {
      if (phi[i] == 0) continue;
      const int at = g->field[d].first + i;
      const num slot = td_build_number(b, num_ex(b, phi[i]));
      model_term* term = td_push_term(m, 1);
      if (!term || slot == NUM_NONE) return TD_E_NOMEM;
      *term = (model_term){.q = g->q[at], .v = g->v[at], .mode = d, .weight = slot};
      f.nterm++;
    }
  }
  TD_TRY(td_rod_section(b, g->rod, (rod_reach){arc - 1e-12, arc + 1e-12, 0}, arc, weight, &f));
  if (g->coords >= 0) TD_TRY(td_gvs_own_point(b, g, arc, &f));
  return td_rod_strain(b, g->rod, element, arc, &f);
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
    TD_TRY(push_step(b, g, hop, from, arc, false, &side));
    TD_TRY(remember(b, g->rod, arc, side));
  }
  return TD_OK;
}

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

static td_status push_part(builder* b, gvs* g, const rod_places* places, int* hop, int before[6]) {
  int strains = 0;
  if (words_of(b, g)->strain) {
    TD_TRY(td_gvs_own_coordinates(b, g));
  } else {
    TD_TRY(check_basis(b, g));
    for (int d = 0; d < 6; d++) TD_TRY(read_field(b, g, d));
    TD_TRY(push_coordinates(b, g, before));
  }
  TD_TRY(make_points(b, g));
  TD_TRY(add_contact_frames(b, g));
  for (int k = 0; k < b->m->nstrain; k++) strains += b->m->strain[k].rod == g->rod + 1;
  TD_TRY(push_frames(b, g, places, strains, hop));
  // report what became of n
  model_rod* rod = &b->m->rod[g->rod];
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
  int hop = r->hop[0], before[6] = {0};
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
    status = push_part(b, g, &places, &hop, before);
  }
  free(g);
  td_rod_places_free(&places);
  return status;
}
