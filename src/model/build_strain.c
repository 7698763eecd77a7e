// Strain fields that are written out: rod.strain = b(s, q, t), of a rod or of one of its parts,
// with coordinates q of this rod and of others, or none.  At each arc length where the strain is
// needed,
//
//   Φ = ∂b/∂q      b' = Φ q' + ∂b/∂t      b'' = Φ q'' + σ,   σ = (∂b'/∂q) q' + ∂b'/∂t
//
// and for tangents Φ', Φ'' and ∂²b/∂q², all of them derivatives of the expression.
#include <stdio.h>
#include <string.h>

#include "model/gvs.h"

typedef struct own {
  builder* b;
  const model_coordinate* c;  // coordinates of the field
  int n, time;
} own;

static own own_of(builder* b, const gvs* g) {
  const model_coords* field = &b->m->coords[g->coords];
  const model_coordinate* c = field->n > 0 ? b->m->coordinate + field->first : NULL;
  return (own){b, c, field->n, b->spec->time_var};
}

static ex var(const own* o, int v) { return td_ex_var(o->b->spec->graph, v); }
static ex diff(const own* o, ex e, int v) { return td_ex_diff(o->b->spec->graph, e, v); }
static bool is_zero(const own* o, ex e) {
  return td_ex_is_const(o->b->spec->graph, e) && td_ex_value(o->b->spec->graph, e) == 0;
}

// ∂e/∂q q' + ∂e/∂t, and with `accelerated` + ∂e/∂q' q''
static ex rate_of(const own* o, ex e, bool accelerated) {
  ex sum = diff(o, e, o->time);
  for (int k = 0; k < o->n; k++) {
    const model_coordinate* c = &o->c[k];
    sum = add(o->b, sum, mul(o->b, diff(o, e, c->var), var(o, c->rate)));
    if (accelerated) sum = add(o->b, sum, mul(o->b, diff(o, e, c->rate), var(o, c->accel)));
  }
  return sum;
}

// n consecutive slots with these expressions, filled by one of the strain tapes.
static td_status put_slots(const own* o, const ex* e, int n, bool rates, num* first) {
  td_model* m = o->b->m;
  ex* to = td_push_number_ex(m, n);
  if (!to) return TD_E_NOMEM;
  memcpy(to, e, (size_t)n * sizeof(ex));
  *first = m->nnumber_ex - n;
  for (int i = 0; i < n; i++) {
    num* slot = rates ? td_push_strain_rate_slot(m, 1) : td_push_strain_slot(m, 1);
    if (!slot) return TD_E_NOMEM;
    *slot = *first + i;
  }
  return TD_OK;
}

// Replace the expressions of slots that exist already.
static td_status fill_slots(const own* o, num first, const ex* e, int n) {
  for (int i = 0; i < n; i++) {
    num* slot = td_push_strain_slot(o->b->m, 1);
    if (!slot) return TD_E_NOMEM;
    *slot = first + i;
    o->b->m->number_ex[first + i] = e[i];
  }
  return TD_OK;
}

// ---- coordinates ------------------------------------------------------------------------------

// The variable of a coordinate of a rod, or of its rate.
static int sensor_var(builder* b, int rod, sensor_kind kind, int k) {
  const td_sensor_ref ref = {.kind = kind, .root = 'r', .index = rod + 1, .component = k};
  return td_spec_sensor(b->spec, &ref, td_span_none());
}

// Make the coordinates of a rod (rod.coords), unless the field of another rod has needed them
// before.  They belong to the rod, whichever of its parts and of the other rods they move.
td_status td_gvs_make_coordinates(builder* b, int rod) {
  build_rod* r = &b->rod[rod];
  const value* starts[] = {r->w.init, r->w.rate};
  if (r->coords > 0) return TD_OK;
  const int n = (int)r->w.coords->x[0];
  for (int i = 0; i < 2; i++)
    if (starts[i] && td_value_count(starts[i]) != n)
      return td_error(b->diags, TD_E_MODEL, td_get_at(b->rods, rod, i == 0 ? "init" : "rate"),
                      "rod(%d).%s must have one number for each of its %d coordinates, got %d",
                      rod + 1, i == 0 ? "init" : "rate", n, td_value_count(starts[i]));

  for (int k = 0; k < n; k++) {
    int q, v;
    TD_TRY(td_rod_dof(b, rod, k + 1, 0, "coord",
                      starts[0] ? td_value_ex(starts[0], k, b->spec->graph) : num_ex(b, 0),
                      starts[1] ? td_value_ex(starts[1], k, b->spec->graph) : num_ex(b, 0), &q,
                      &v));
    if (b->spec->refine.on) TD_TRY(td_rod_lift(b, rod, q, v, k, 1));
    char name[48];
    snprintf(name, sizeof name, "rod(%d) acceleration %d", rod + 1, k + 1);
    const int accel = td_exprs_var(b->spec->graph, name, TD_ON_ACCEL);
    if (accel < 0) return TD_E_NOMEM;
    if (k > 0) continue;
    r->coord_q = q;
    r->coord_v = v;
    r->coord_accel = accel;
  }
  r->coords = n;
  return TD_OK;
}

// List the coordinates, of whichever rods, that the strain field of a part depends on; g->coords is
// the list.  Refuses fields that do not go with a strain field.
td_status td_gvs_own_coordinates(builder* b, gvs* g) {
  static const char* const others[] = {"basis", "order", "elements", "functions"};
  const rod_part* p = &b->rod[g->rod].part[g->part];
  const value* strain = p->w.strain;
  const value* const written[] = {p->w.basis, p->w.order, p->w.elements, p->w.functions};
  for (int i = 0; i < 4; i++)
    if (written[i])
      return td_error(b->diags, TD_E_MODEL, td_get_at(p->s, p->at, others[i]),
                      "rod(%d).%s does not go with a strain field of its own (strain)", g->rod + 1,
                      others[i]);
  // fields that a rod has for its other parts do not count
  const value *parts = b->rod[g->rod].w.part, *source = parts ? parts : b->rods;
  const int element = parts ? g->part : g->rod;
  if (td_get(source, element, "modes"))
    return td_error(b->diags, TD_E_MODEL, td_get_at(source, element, "modes"),
                    "rod(%d).modes does not go with a strain field of its own (strain)",
                    g->rod + 1);

  // coordinates of all rods that occur in the field
  model_coords field = {.first = b->m->ncoordinate, .rod = g->rod + 1};
  for (int rod = 0; rod < td_value_count(b->rods); rod++) {
    const value* coords = b->rod[rod].w.coords;
    for (int k = 0; coords && k < (int)coords->x[0]; k++) {
      const int at = sensor_var(b, rod, SENSOR_COORD, k),
                rate = sensor_var(b, rod, SENSOR_DCOORD, k);
      bool used = false;
      if (at < 0 || rate < 0) return TD_E_NOMEM;
      for (int d = 0; d < 6 && !used; d++)
        used = td_ex_has_var(b->spec->graph, td_value_ex(strain, d, b->spec->graph), at);
      if (!used) continue;
      TD_TRY(td_gvs_make_coordinates(b, rod));
      const build_rod* r = &b->rod[rod];
      model_coordinate* c = td_push_coordinate(b->m, 1);
      if (!c) return TD_E_NOMEM;
      *c = (model_coordinate){.q = r->coord_q + k,
                              .v = r->coord_v + k,
                              .var = at,
                              .rate = rate,
                              .accel = r->coord_accel + k};
      field.n++;
    }
  }
  model_coords* out = td_push_coords(b->m, 1);
  if (!out) return TD_E_NOMEM;
  *out = field;
  g->coords = b->m->ncoords - 1;
  return TD_OK;
}

// ---- strains ----------------------------------------------------------------------------------

static ex strain_at(const own* o, const gvs* g, int d, double arc) {
  return td_rod_number(o->b, g->rod, td_rod_words(o->b, g->rod, arc)->strain, d, arc, 0);
}

// Bits of the strains that depend on the coordinates.
static unsigned moving(const own* o, const gvs* g, double arc) {
  unsigned modes = 0;
  for (int d = 0; d < 6; d++) {
    const ex e = strain_at(o, g, d, arc);
    for (int k = 0; k < o->n; k++)
      if (td_ex_has_var(o->b->spec->graph, e, o->c[k].var)) modes |= 1u << d;
  }
  return modes;
}

// Second derivatives of the strains in `modes`: n x n for each, at each node.
static td_status put_hessian(const own* o, const gvs* g, unsigned modes, const double* arc,
                             int nodes, num* first) {
  const int n = o->n;
  ex* H = malloc(((size_t)(6 * nodes) * (size_t)n * (size_t)n + 1) * sizeof(ex));
  int count = 0;
  if (!H) return TD_E_NOMEM;
  for (int node = 0; node < nodes; node++)
    for (int d = 0; d < 6; d++) {
      if (!(modes >> d & 1)) continue;
      const ex e = strain_at(o, g, d, arc[node]);
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          H[count++] = diff(o, diff(o, e, o->c[min_int(k, l)].var), o->c[max_int(k, l)].var);
    }
  const td_status status = put_slots(o, H, count, true, first);
  free(H);
  return status;
}

// Add the column of coordinate k in strain d of a step: its weights ∂b/∂q at the nodes, with first
// and second rates.  Nothing is added where all weights are zero.
static td_status push_column(const own* o, const gvs* g, int hop, int d, int k, const double* arc,
                             int nodes) {
  ex weight[MAGNUS_NODES], rates[2 * MAGNUS_NODES];
  bool any = false;
  for (int n = 0; n < nodes; n++) {
    weight[n] = diff(o, strain_at(o, g, d, arc[n]), o->c[k].var);
    rates[2 * n] = rate_of(o, weight[n], false);
    rates[2 * n + 1] = rate_of(o, rates[2 * n], true);
    any = any || !is_zero(o, weight[n]);
  }
  if (!any) return TD_OK;
  num at, slope;
  TD_TRY(put_slots(o, weight, nodes, false, &at));
  TD_TRY(put_slots(o, rates, 2 * nodes, true, &slope));
  model_col* col = td_push_col(o->b->m, 1);
  if (!col) return TD_E_NOMEM;
  *col = (model_col){
      .hop = hop, .v = o->c[k].v, .q = o->c[k].q, .part = d, .weight = at, .slope = slope};
  o->b->m->hop[hop].nv++;
  return TD_OK;
}

// Fill the slots of the step's strains b, b', b'' at its nodes, and add a column for each
// coordinate and moving strain, then the second derivatives.
td_status td_gvs_own_step(builder* b, const gvs* g, int hop, const double* arc, int nodes) {
  const own o = own_of(b, g);
  ex e[3 * 6 * MAGNUS_NODES];
  unsigned modes = 0;
  for (int n = 0; n < nodes; n++) {
    modes |= moving(&o, g, arc[n]);
    for (int d = 0; d < 6; d++) {
      ex* y = e + 6 * n + d;
      y[0] = strain_at(&o, g, d, arc[n]);
      y[6 * nodes] = rate_of(&o, y[0], false);
      y[12 * nodes] = rate_of(&o, y[6 * nodes], false);
    }
  }
  TD_TRY(fill_slots(&o, b->m->hop[hop].value, e, 18 * nodes));
  for (int d = 0; d < 6; d++)
    for (int k = 0; (modes >> d & 1) && k < o.n; k++)
      TD_TRY(push_column(&o, g, hop, d, k, arc, nodes));
  num hessian;
  TD_TRY(put_hessian(&o, g, modes, arc, nodes, &hessian));
  model_hop* h = &b->m->hop[hop];
  h->dependent = true;
  h->modes = modes;
  h->coords = g->coords;
  h->hessian = hessian;
  if (h->nv > 0) h->v = b->m->col[h->col].v;
  return TD_OK;
}

// Add the term of coordinate k in strain d with its weight and the rate of the weight; none where
// the weight is 0.
static td_status push_term(const own* o, model_strain* f, int d, int k, ex weight) {
  if (is_zero(o, weight)) return TD_OK;
  const ex rate = rate_of(o, weight, false);
  num at, slope;
  TD_TRY(put_slots(o, &weight, 1, false, &at));
  TD_TRY(put_slots(o, &rate, 1, true, &slope));
  model_term* term = td_push_term(o->b->m, 1);
  if (!term) return TD_E_NOMEM;
  *term = (model_term){.q = o->c[k].q, .v = o->c[k].v, .mode = d, .weight = at, .rate = slope};
  f->nterm++;
  return TD_OK;
}

// Fill the slots of strains and rates at a quadrature point, and add a term for each coordinate and
// moving strain, then the second derivatives.
td_status td_gvs_own_point(builder* b, const gvs* g, double arc, model_strain* f) {
  const own o = own_of(b, g);
  ex x[6], u[6];
  for (int d = 0; d < 6; d++) {
    x[d] = strain_at(&o, g, d, arc);
    u[d] = rate_of(&o, x[d], false);
  }
  f->coords = g->coords;
  f->modes = moving(&o, g, arc);
  TD_TRY(fill_slots(&o, f->section + SECTION_HELD, x, 6));
  TD_TRY(put_slots(&o, u, 6, false, &f->rate));
  for (int d = 0; d < 6; d++)
    for (int k = 0; (f->modes >> d & 1) && k < o.n; k++)
      TD_TRY(push_term(&o, f, d, k, diff(&o, x[d], o.c[k].var)));
  return put_hessian(&o, g, f->modes, &arc, 1, &f->hessian);
}
