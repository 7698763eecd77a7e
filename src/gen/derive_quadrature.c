// Polynomial rods with the arc length as a symbol.  The quadrature points of such a rod differ only
// in numbers: values and slopes of the polynomials, mass, section.  One point represents all of
// them; each number that differs from point to point becomes a variable z, and its values at the
// points become a table over which the printed code sums.  Points with something attached to them
// or measured at them stay apart.
#include <stdio.h>
#include <string.h>

#include "gen/deriver.h"

enum { POINT_LOADS = 8, VISITS = 2000, DEPTH = 60 };

// A quadrature point with what acts there.
typedef struct point {
  rod_point at;
  int load[POINT_LOADS], nload;
  int lump;
} point;

typedef struct points {
  point* list;
  int n, cap;
} points;

// ---- points that may be represented by another ------------------------------------------------

static int hop_of(const td_model* m, int station) {
  return station < 0 ? -1 : m->station[station].hop;
}

static bool is_at(const td_model* m, const point* p, int station) {
  return td_is_at_point(m, &p->at, station);
}

// Find the quadrature point of a strain element with its loads and its mass.  False: it must stay
// apart, because it is not a pose given by polynomials or something else acts or is measured there.
static bool find_point(const td_model* m, int strain, point* p) {
  const model_strain* f = &m->strain[strain];
  *p = (point){.at = {.strain = strain, .turn = hop_of(m, f->b)}};
  if (p->at.turn < 0 || m->hop[p->at.turn].parent < 0 || m->station[f->b].nfix > 0) return false;
  p->at.move = m->hop[p->at.turn].parent;

  // its pose is a translation and a unit quaternion, free to move, with nothing further along
  const model_hop *move = &m->hop[p->at.move], *turn = &m->hop[p->at.turn];
  if (!is_translation(move) || !has_chart(turn) || td_hop_chart(turn) != CHART_QUAT3 ||
      move->last != p->at.turn || turn->last != p->at.turn || move->prescribed || turn->prescribed)
    return false;

  // no body and no constraint row
  for (int i = 0; i < m->nbody; i++)
    if (is_at(m, p, m->body[i].station)) return false;
  for (int i = 0; i < m->nrow; i++)
    if (is_at(m, p, m->row[i].a) || is_at(m, p, m->row[i].b) || is_at(m, p, m->row[i].c))
      return false;

  // its loads, and no force of another kind
  for (int i = 0; i < m->nload; i++) {
    const bool a = is_at(m, p, m->load[i].a), b = is_at(m, p, m->load[i].b);
    if (!a && !b) continue;
    if (!b || p->nload == POINT_LOADS) return false;
    p->load[p->nload++] = i;
  }
  const int n = model_forces(m), own = first_force(m, FORCE_strain) + p->at.strain,
            load = first_force(m, FORCE_load);
  for (int i = 0; i < n; i++) {
    if (i == own || (i >= load && i < load + m->nload)) continue;
    const force_info other = force_at(m, i);
    if (is_at(m, p, other.a) || is_at(m, p, other.b)) return false;
  }

  // exactly one mass
  int nlump = 0;
  for (int i = 0; i < m->nlump; i++) {
    if (!is_at(m, p, m->lump[i].station)) continue;
    p->lump = i;
    nlump++;
  }
  if (nlump != 1 || m->station[m->lump[p->lump].station].nfix > 0) return false;

  // no sensor
  for (int i = 0; i < m->nprobe; i++)
    if (td_derive_sensors_of[m->probe[i].kind]->reads(m, &m->probe[i], &p->at)) return false;
  return true;
}

// ---- points that differ only in numbers -------------------------------------------------------

// Report whether two hops have the same fixed transformations and move with the same coordinates,
// each with a number for its weight and for the slope of the weight, so that the hops differ at
// most in these numbers and in their constant terms.
static bool same_hop(const td_model* m, int i, int j) {
  const model_hop *a = &m->hop[i], *b = &m->hop[j];
  if (a->nv != b->nv || a->nfix != b->nfix) return false;

  // fixed transformations
  for (int k = 0; k < a->nfix; k++) {
    const model_fix *f = &m->fix[a->fix + k], *g = &m->fix[b->fix + k];
    if (f->trans != g->trans || f->rot != g->rot || f->kind != g->kind || f->axis != g->axis)
      return false;
  }

  // coordinates, and whether their weights and slopes are numbers
  for (int k = 0; k < a->nv; k++) {
    const model_col *c = &m->col[a->col + k], *e = &m->col[b->col + k];
    if (c->v != e->v || c->q != e->q || c->part != e->part || c->weight == NUM_NONE ||
        c->slope == NUM_NONE || e->weight == NUM_NONE || e->slope == NUM_NONE)
      return false;
  }
  return true;
}

enum { MOST_SLOTS = 600 };

// List the number slots of a point, in an order that is the same for all points; returns how many
// there are, which may exceed `most`.
static int slots_of(const td_model* m, const point* p, num* out, int most) {
  int n = 0;
#define PUT(first, count)                      \
  for (int put = 0; put < (count); put++, n++) \
    if (n < most) out[n] = (first) + put
  const int hop[2] = {p->at.move, p->at.turn};
  for (int h = 0; h < 2; h++) {
    PUT(m->hop[hop[h]].value, 3);
    for (int k = 0; k < m->hop[hop[h]].nv; k++) {
      PUT(m->col[m->hop[hop[h]].col + k].weight, 1);
      PUT(m->col[m->hop[hop[h]].col + k].slope, 1);
    }
  }
  PUT(m->lump[p->lump].m, 1);
  PUT(m->lump[p->lump].com, 3);
  PUT(m->lump[p->lump].I, 9);
  PUT(m->strain[p->at.strain].section, SECTION_SLOTS);
  for (int k = 0; k < p->nload; k++) PUT(m->load[p->load[k]].wrench, 6);
#undef PUT
  return n;
}

// Report whether two expressions are the same but for constants.
static bool alike(const td_exprs* g, ex a, ex b, int depth, int* visits) {
  if (td_ex_is_const(g, a) || td_ex_is_const(g, b)) {  // NaN: measured at the start
    return isfinite(td_ex_value(g, a)) && isfinite(td_ex_value(g, b));
  }
  if (a == b) return true;
  const ex_op op = td_ex_op(g, a);
  if (op != td_ex_op(g, b) || op == EX_VAR || op == EX_TABLE) return false;
  if (depth > DEPTH || ++*visits > VISITS) return false;
  for (int k = 0; k < 3 && td_ex_arg(g, a, k) != EX_NONE; k++) {
    if (!alike(g, td_ex_arg(g, a, k), td_ex_arg(g, b, k), depth + 1, visits)) return false;
  }
  return true;
}

// Report whether point p differs from the representative r only in numbers.
static bool same_point(const deriver* d, const point* p, const point* r) {
  const td_model* m = d->m;

  // the same parent, coordinates and kind of strain energy
  const model_strain *f = &m->strain[p->at.strain], *g = &m->strain[r->at.strain];
  if (m->hop[p->at.move].parent != m->hop[r->at.move].parent ||
      !same_hop(m, p->at.move, r->at.move) || !same_hop(m, p->at.turn, r->at.turn) ||
      p->nload != r->nload || f->potential != g->potential || f->stored != g->stored)
    return false;

  // loads along the same axes: of one other frame, or of the point itself
  for (int k = 0; k < p->nload; k++) {
    const model_load *a = &m->load[p->load[k]], *b = &m->load[r->load[k]];
    const bool own = is_at(m, p, a->a) && is_at(m, r, b->a);
    if ((a->a != b->a && !own) || m->station[a->b].nfix > 0 || m->station[b->b].nfix > 0 ||
        (own && (m->station[a->a].nfix > 0 || m->station[b->a].nfix > 0)))
      return false;
  }

  // expressions of the same form
  num a[MOST_SLOTS], b[MOST_SLOTS];
  int visits = 0;
  const int n = slots_of(m, p, a, MOST_SLOTS);
  if (n > MOST_SLOTS || slots_of(m, r, b, MOST_SLOTS) != n) return false;
  for (int k = 0; k < n; k++) {
    if (!alike(d->g, m->number_ex[a[k]], m->number_ex[b[k]], 0, &visits)) return false;
  }
  return true;
}

// ---- variables for the numbers that differ ----------------------------------------------------

typedef struct unifier {
  deriver* d;
  tmt_quadrature* quadrature;
  int visits;
} unifier;

// The variable whose values at the points are x (n); a new one if no variable has them.  EX_NONE:
// no memory.
static ex column(unifier* u, const double* x) {
  tmt_quadrature* l = u->quadrature;
  const size_t n = (size_t)l->n;
  for (int k = 0; k < l->nz; k++) {
    if (memcmp(l->data + n * (size_t)k, x, n * sizeof *x) == 0) return td_ex_var(u->d->g, l->z[k]);
  }

  // a new column of the table
  char name[40];
  snprintf(name, sizeof name, "z%d", l->nz + 1);
  int* z = td_grow(l->z, &l->cap, l->nz + 1, sizeof *z);
  if (!z) return EX_NONE;
  l->z = z;
  double* data = td_grow(l->data, &l->data_cap, l->n * (l->nz + 1), sizeof *data);
  const int var = data ? td_exprs_var(u->d->g, name, TD_ON_SYMBOL) : -1;
  if (data) l->data = data;
  if (var < 0) return EX_NONE;
  memcpy(l->data + n * (size_t)l->nz, x, n * sizeof *x);
  l->z[l->nz++] = var;
  return td_ex_var(u->d->g, var);
}

// The variable for constants e (n), one for each point.  EX_NONE: one of them is not a number.
static ex unify_numbers(unifier* u, const ex* e) {
  const td_exprs* g = u->d->g;
  const int n = u->quadrature->n;
  double* x = malloc((size_t)n * sizeof *x);
  bool ok = x != NULL;
  for (int i = 0; ok && i < n; i++) {
    ok = td_ex_is_const(g, e[i]) && isfinite(td_ex_value(g, e[i]));
    if (ok) x[i] = td_ex_value(g, e[i]);
  }
  const ex z = ok ? column(u, x) : EX_NONE;
  free(x);
  return z;
}

// One expression for all points, e (n) being theirs: where they differ, they may differ in
// constants only, which become a variable.  EX_NONE: there is none.
static ex unify(unifier* u, const ex* e, int depth) {
  td_exprs* g = u->d->g;
  const int n = u->quadrature->n;
  bool all_same = true;
  for (int i = 1; i < n; i++) all_same = all_same && e[i] == e[0];
  if (all_same) return e[0];
  if (td_ex_is_const(g, e[0])) return unify_numbers(u, e);
  const ex_op op = td_ex_op(g, e[0]);

  // the same operation at all points: unify its arguments
  if (depth > DEPTH || ++u->visits > VISITS || op == EX_VAR || op == EX_TABLE) return EX_NONE;
  for (int i = 1; i < n; i++)
    if (td_ex_op(g, e[i]) != op) return EX_NONE;
  ex arg[3] = {EX_NONE, EX_NONE, EX_NONE}, *below = malloc((size_t)n * sizeof *below);
  bool ok = below != NULL;
  for (int k = 0; ok && k < 3 && td_ex_arg(g, e[0], k) != EX_NONE; k++) {
    for (int i = 0; i < n; i++) below[i] = td_ex_arg(g, e[i], k);
    arg[k] = unify(u, below, depth + 1);
    ok = arg[k] != EX_NONE;
  }
  free(below);
  return ok ? td_ex_make(g, op, arg[0], arg[1], arg[2]) : EX_NONE;
}

// Give every number slot of the first point the expression that stands for it at all points. False:
// there is none, or no memory.
static bool unify_slots(deriver* d, tmt_quadrature* quadrature, const points* p) {
  enum { MOST = MOST_SLOTS };
  num* slot = malloc((size_t)p->n * MOST * sizeof *slot);
  ex *e = malloc((size_t)p->n * sizeof *e), generic[MOST];
  unifier u = {d, quadrature, 0};
  const int n = slot && e ? slots_of(d->m, &p->list[0], slot, MOST) : MOST + 1;
  bool ok = n <= MOST;
  for (int i = 1; ok && i < p->n; i++) slots_of(d->m, &p->list[i], slot + (size_t)i * MOST, MOST);

  // unify the expressions of each slot over the points
  for (int k = 0; ok && k < n; k++) {
    for (int i = 0; i < p->n; i++) e[i] = d->m->number_ex[slot[(size_t)i * MOST + (size_t)k]];
    generic[k] = unify(&u, e, 0);
    ok = generic[k] != EX_NONE;
  }
  for (int k = 0; ok && k < n; k++) d->generic[slot[k]] = generic[k];
  free(slot);
  free(e);
  return ok;
}

// ---- all --------------------------------------------------------------------------------------

static int* strain_quadrature(const deriver* d, int strain) {
  return &d->force_quadrature[first_force(d->m, FORCE_strain) + strain];
}

static void close_quadrature(tmt_quadrature* l) {
  free(l->z);
  free(l->data);
  free(l->h);
  free(l->tau);
  free(l->mass.v);
  free(l->mass.T);
}

void td_derived_close_quadratures(td_derived* d) {
  for (int i = 0; i < d->nquadrature; i++) close_quadrature(&d->quadrature[i]);
  free(d->quadrature);
  free(d->sum);
}

// Append a quadrature over these points and mark their hops and forces with its number from 1 at
// the first point, which represents all, and with the negative number at the others.  Points that
// cannot be unified stay as they are.
static td_status push_quadrature(deriver* d, const points* p) {
  td_derived* out = d->out;
  tmt_quadrature* quadratures =
      td_grow(out->quadrature, &out->quadrature_cap, out->nquadrature + 1, sizeof *quadratures);
  if (!quadratures) return TD_E_NOMEM;
  out->quadrature = quadratures;
  tmt_quadrature* l = &out->quadrature[out->nquadrature++];

  // a quadrature whose points add nothing yet
  *l = (tmt_quadrature){.name = d->m->rod[d->m->strain[p->list[0].at.strain].rod - 1].name,
                        .n = p->n,
                        .power = EX_NONE,
                        .h = malloc(((size_t)out->nv + 1) * sizeof(ex)),
                        .tau = malloc(((size_t)out->nv + 1) * sizeof(ex))};
  if (!l->h || !l->tau) return TD_E_NOMEM;
  for (int i = 0; i < out->nv; i++) l->h[i] = l->tau[i] = xnum(d->g, 0);

  // one expression for each number of the points
  if (!unify_slots(d, l, p)) {
    close_quadrature(l);
    out->nquadrature--;
    return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
  }

  // mark the points
  for (int i = 0; i < p->n; i++) {
    const point* x = &p->list[i];
    const int which = i == 0 ? out->nquadrature : -out->nquadrature;
    d->hop_quadrature[x->at.move] = d->hop_quadrature[x->at.turn] = which;
    *strain_quadrature(d, x->at.strain) = which;
    for (int k = 0; k < x->nload; k++)
      d->force_quadrature[first_force(d->m, FORCE_load) + x->load[k]] = which;
  }
  return TD_OK;
}

static bool is_piece(const model_strain* f, int rod, int part) {
  return strain_is_posed(f) && f->rod == rod && f->part == part;
}

// Gather the points that differ from the point of strain element `first` only in numbers, in the
// same part of its rod.
static td_status collect(const deriver* d, int first, points* p) {
  const td_model* m = d->m;
  const int rod = m->strain[first].rod, part = m->strain[first].part;
  p->n = 0;
  for (int i = first; i < m->nstrain; i++) {
    point x;
    if (!is_piece(&m->strain[i], rod, part) || *strain_quadrature(d, i) != 0) continue;
    if (!find_point(m, i, &x)) {
      if (i == first) return TD_OK;
      continue;
    }
    if (p->n > 0 && !same_point(d, &x, &p->list[0])) continue;
    point* grown = td_grow(p->list, &p->cap, p->n + 1, sizeof *grown);
    if (!grown) return TD_E_NOMEM;
    p->list = grown;
    p->list[p->n++] = x;
  }
  return TD_OK;
}

// Find the quadratures of all polynomial rods; fewer than three points are not worth a sum.
td_status td_derive_quadratures(deriver* d) {
  const td_model* m = d->m;
  points p = {0};
  td_status status = TD_OK;
  d->generic = malloc(((size_t)m->nnumber_ex + 1) * sizeof *d->generic);
  if (!d->generic) return TD_E_NOMEM;
  for (int i = 0; i < m->nnumber_ex; i++) d->generic[i] = EX_NONE;
  for (int i = 0; i < m->nstrain && status == TD_OK; i++) {
    const model_strain* f = &m->strain[i];
    if (!is_piece(f, f->rod, f->part) || *strain_quadrature(d, i) != 0) continue;
    status = collect(d, i, &p);
    if (status == TD_OK && p.n > 2) status = push_quadrature(d, &p);
  }
  free(p.list);
  return status;
}
