// Polynomial rods with the arc length as a symbol.  Their quadrature points differ in numbers
// alone: values and slopes of the polynomials, mass, section.  One point represents all; each
// number that differs from point to point becomes a variable z, and what the points have there is
// kept as a table for the loop in the printed code.  Points with something attached or measured
// stay apart.
#include <stdio.h>
#include <string.h>

#include "gen/deriver.h"

enum { POINT_LOADS = 8, VISITS = 2000, DEPTH = 60 };

typedef struct point {
  rod_point at;
  int load[POINT_LOADS], nload;
  int lump;
} point;

typedef struct points {
  point* list;
  int n, cap;
} points;

// ---- which points -----------------------------------------------------------------------------

static int hop_of(const td_model* m, int station) {
  return station < 0 ? -1 : m->station[station].hop;
}

static bool is_at(const td_model* m, const point* p, int station) {
  return td_is_at_point(m, &p->at, station);
}

static bool is_leaf(const td_model* m, const point* p) {
  const model_hop *move = &m->hop[p->at.move], *turn = &m->hop[p->at.turn];
  return is_translation(move) && has_chart(turn) && td_hop_chart(turn) == CHART_QUAT3 &&
         move->last == p->at.turn && turn->last == p->at.turn && !move->prescribed &&
         !turn->prescribed;
}

static bool is_measured(const td_model* m, const point* p) {
  for (int i = 0; i < m->nprobe; i++)
    if (td_derive_sensors_of[m->probe[i].kind]->reads(m, &m->probe[i], &p->at)) return true;
  return false;
}

static bool has_body_or_row(const td_model* m, const point* p) {
  for (int i = 0; i < m->nbody; i++)
    if (is_at(m, p, m->body[i].station)) return true;
  for (int i = 0; i < m->nrow; i++)
    if (is_at(m, p, m->row[i].a) || is_at(m, p, m->row[i].b) || is_at(m, p, m->row[i].c))
      return true;
  return false;
}

// Its loads; false: it has forces of other kinds too.
static bool find_forces(const td_model* m, point* p) {
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
    const force_info f = force_at(m, i);
    if (is_at(m, p, f.a) || is_at(m, p, f.b)) return false;
  }
  return true;
}

// Its mass; false: it has none or several.
static bool find_lump(const td_model* m, point* p) {
  int n = 0;
  for (int i = 0; i < m->nlump; i++) {
    if (!is_at(m, p, m->lump[i].station)) continue;
    p->lump = i;
    n++;
  }
  return n == 1 && m->station[m->lump[p->lump].station].nfix == 0;
}

static bool find_point(const td_model* m, int strain, point* p) {
  const model_strain* f = &m->strain[strain];
  *p = (point){.at = {.strain = strain, .turn = hop_of(m, f->b)}};
  if (p->at.turn < 0 || m->hop[p->at.turn].parent < 0 || m->station[f->b].nfix > 0) return false;
  p->at.move = m->hop[p->at.turn].parent;
  return is_leaf(m, p) && !has_body_or_row(m, p) && find_forces(m, p) && find_lump(m, p) &&
         !is_measured(m, p);
}

// ---- are they alike? --------------------------------------------------------------------------

static bool same_fix(const model_fix* a, const model_fix* b) {
  return a->trans == b->trans && a->rot == b->rot && a->kind == b->kind && a->axis == b->axis;
}

static bool same_hop(const td_model* m, int i, int j) {
  const model_hop *a = &m->hop[i], *b = &m->hop[j];
  if (a->nv != b->nv || a->nfix != b->nfix) return false;
  for (int k = 0; k < a->nfix; k++)
    if (!same_fix(&m->fix[a->fix + k], &m->fix[b->fix + k])) return false;
  for (int k = 0; k < a->nv; k++) {
    const model_col *c = &m->col[a->col + k], *e = &m->col[b->col + k];
    if (c->v != e->v || c->q != e->q || c->part != e->part || c->weight == NUM_NONE ||
        c->slope == NUM_NONE || e->weight == NUM_NONE || e->slope == NUM_NONE)
      return false;
  }
  return true;
}

// Loads whose directions are the world's or those of the point itself.
static bool same_load(const td_model* m, const point* p, int i, const point* r, int j) {
  const model_load *a = &m->load[i], *b = &m->load[j];
  const bool own = is_at(m, p, a->a) && is_at(m, r, b->a);
  return (a->a == b->a || own) && m->station[a->b].nfix == 0 && m->station[b->b].nfix == 0 &&
         (!own || (m->station[a->a].nfix == 0 && m->station[b->a].nfix == 0));
}

static bool same_point(const td_model* m, const point* p, const point* r) {
  if (m->hop[p->at.move].parent != m->hop[r->at.move].parent ||
      !same_hop(m, p->at.move, r->at.move) || !same_hop(m, p->at.turn, r->at.turn) ||
      p->nload != r->nload)
    return false;
  for (int k = 0; k < p->nload; k++)
    if (!same_load(m, p, p->load[k], r, r->load[k])) return false;
  const model_strain *f = &m->strain[p->at.strain], *g = &m->strain[r->at.strain];
  return f->potential == g->potential && f->stored == g->stored;
}

enum { MOST_SLOTS = 600 };

// Slots of a point, in an order that is the same for all.
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

// The same but for numbers?
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

static bool alike_points(const deriver* d, const point* p, const point* r) {
  num a[MOST_SLOTS], b[MOST_SLOTS];
  int visits = 0;
  const int n = slots_of(d->m, p, a, MOST_SLOTS);
  if (n > MOST_SLOTS || slots_of(d->m, r, b, MOST_SLOTS) != n) return false;
  for (int k = 0; k < n; k++) {
    if (!alike(d->g, d->m->number_ex[a[k]], d->m->number_ex[b[k]], 0, &visits)) return false;
  }
  return true;
}

// ---- numbers that differ ----------------------------------------------------------------------

typedef struct unifier {
  deriver* d;
  tmt_loop* loop;
  int visits;
} unifier;

// The variable whose values at the points are these.
static ex column(unifier* u, const double* x) {
  tmt_loop* l = u->loop;
  const size_t n = (size_t)l->n;
  for (int k = 0; k < l->nz; k++) {
    if (memcmp(l->data + n * (size_t)k, x, n * sizeof *x) == 0) return td_ex_var(u->d->g, l->z[k]);
  }
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

static bool all_same(const ex* e, int n) {
  for (int i = 1; i < n; i++)
    if (e[i] != e[0]) return false;
  return true;
}

// EX_NONE: they are not numbers.
static ex unify_numbers(unifier* u, const ex* e) {
  const td_exprs* g = u->d->g;
  const int n = u->loop->n;
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

// One expression for all: where they differ they must differ in numbers.  EX_NONE: there is none.
static ex unify(unifier* u, const ex* e, int depth) {
  td_exprs* g = u->d->g;
  const int n = u->loop->n;
  if (all_same(e, n)) return e[0];
  if (td_ex_is_const(g, e[0])) return unify_numbers(u, e);
  const ex_op op = td_ex_op(g, e[0]);
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

// Every slot of the first point gets what stands for it.  False: they are not alike, or no memory.
static bool unify_slots(deriver* d, tmt_loop* loop, const points* p) {
  enum { MOST = MOST_SLOTS };
  num* slot = malloc((size_t)p->n * MOST * sizeof *slot);
  ex *e = malloc((size_t)p->n * sizeof *e), generic[MOST];
  unifier u = {d, loop, 0};
  const int n = slot && e ? slots_of(d->m, &p->list[0], slot, MOST) : MOST + 1;
  bool ok = n <= MOST;
  for (int i = 1; ok && i < p->n; i++) slots_of(d->m, &p->list[i], slot + (size_t)i * MOST, MOST);
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

static int* strain_loop(const deriver* d, int strain) {
  return &d->force_loop[first_force(d->m, FORCE_strain) + strain];
}

static void mark(deriver* d, const points* p, int loop) {
  for (int i = 0; i < p->n; i++) {
    const point* x = &p->list[i];
    const int which = i == 0 ? loop + 1 : -(loop + 1);
    d->hop_loop[x->at.move] = d->hop_loop[x->at.turn] = which;
    *strain_loop(d, x->at.strain) = which;
    for (int k = 0; k < x->nload; k++)
      d->force_loop[first_force(d->m, FORCE_load) + x->load[k]] = which;
  }
}

static void close_loop(tmt_loop* l) {
  free(l->z);
  free(l->data);
  free(l->h);
  free(l->tau);
  free(l->mass.v);
  free(l->mass.T);
}

void td_derived_close_loops(td_derived* d) {
  for (int i = 0; i < d->nloop; i++) close_loop(&d->loop[i]);
  free(d->loop);
  free(d->sum);
}

static td_status push_loop(deriver* d, const points* p) {
  td_derived* out = d->out;
  tmt_loop* loops = td_grow(out->loop, &out->loop_cap, out->nloop + 1, sizeof *loops);
  if (!loops) return TD_E_NOMEM;
  out->loop = loops;
  tmt_loop* l = &out->loop[out->nloop++];
  *l = (tmt_loop){.name = d->m->rod[d->m->strain[p->list[0].at.strain].rod - 1].name,
                  .n = p->n,
                  .power = EX_NONE,
                  .h = malloc(((size_t)out->nv + 1) * sizeof(ex)),
                  .tau = malloc(((size_t)out->nv + 1) * sizeof(ex))};
  if (!l->h || !l->tau) return TD_E_NOMEM;
  for (int i = 0; i < out->nv; i++) l->h[i] = l->tau[i] = xnum(d->g, 0);
  if (unify_slots(d, l, p)) {
    mark(d, p, out->nloop - 1);
    return TD_OK;
  }
  close_loop(l);
  out->nloop--;
  return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
}

static bool is_piece(const model_strain* f, int rod, int part) {
  return strain_is_posed(f) && f->rod == rod && f->part == part;
}

// The points like that of piece `first`, in the same part of its rod.
static td_status collect(const deriver* d, int first, points* p) {
  const td_model* m = d->m;
  const int rod = m->strain[first].rod, part = m->strain[first].part;
  p->n = 0;
  for (int i = first; i < m->nstrain; i++) {
    point x;
    if (!is_piece(&m->strain[i], rod, part) || *strain_loop(d, i) != 0) continue;
    if (!find_point(m, i, &x)) {
      if (i == first) return TD_OK;
      continue;
    }
    if (p->n > 0 && !(same_point(m, &x, &p->list[0]) && alike_points(d, &x, &p->list[0]))) continue;
    point* grown = td_grow(p->list, &p->cap, p->n + 1, sizeof *grown);
    if (!grown) return TD_E_NOMEM;
    p->list = grown;
    p->list[p->n++] = x;
  }
  return TD_OK;
}

td_status td_derive_loops(deriver* d) {
  const td_model* m = d->m;
  points p = {0};
  td_status status = TD_OK;
  d->generic = malloc(((size_t)m->nnumber_ex + 1) * sizeof *d->generic);
  if (!d->generic) return TD_E_NOMEM;
  for (int i = 0; i < m->nnumber_ex; i++) d->generic[i] = EX_NONE;
  for (int i = 0; i < m->nstrain && status == TD_OK; i++) {
    const model_strain* f = &m->strain[i];
    if (!is_piece(f, f->rod, f->part) || *strain_loop(d, i) != 0) continue;
    status = collect(d, i, &p);
    if (status == TD_OK && p.n > 2) status = push_loop(d, &p);
  }
  free(p.list);
  return status;
}
