// Contacts: the balls of rods, bodies and meshes, the pieces they can touch, fixed objects and the
// law.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshes.h"
#include "rods.h"
#include "rules.h"

static const value* field(const builder* b, int i, const char* name) {
  return td_get(b->contacts, i, name);
}
static td_span field_at(const builder* b, int i, const char* name) {
  return td_get_at(b->contacts, i, name);
}

static num number(builder* b, int i, const char* name, double fallback) {
  return td_build_numbers(b, field(b, i, name), 0, 1, 1, fallback);
}

// Three numbers; [0 0 z] when they are not given.
static num vector(builder* b, int i, const char* name, double z) {
  const double plain[3] = {0, 0, z};
  const value* v = field(b, i, name);
  return v ? td_build_numbers(b, v, 0, 1, 3, 0) : td_build_constants(b, plain, 3);
}

// ---- balls ------------------------------------------------------------------------------------

static td_status check_room(builder* b, int i) {
  if (b->m->nball < b->spec->limits.parts + b->nnode) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, td_check_element_at(b->diags, b->contacts, i),
                  "contact(%d): the contacts may have %d points together", i + 1,
                  b->spec->limits.parts + b->nnode);
}

static td_status push_ball(builder* b, int i, int station, num centre, num radius, double weight) {
  TD_TRY(check_room(b, i));
  model_ball* ball = td_push_ball(b->m, 1);
  if (!ball || b->m->failed) return TD_E_NOMEM;
  *ball = (model_ball){station, centre, radius, weight};
  return TD_OK;
}

static int compare_samples(const void* a, const void* c) {
  const model_sample *x = a, *y = c;
  if (x->rod != y->rod) return x->rod < y->rod ? -1 : 1;
  return (x->arc > y->arc) - (x->arc < y->arc);
}

// The points of a rod, from base to tip.
static td_status rod_balls(builder* b, int i, int rod, bool weighted) {
  for (int k = 0; k < b->m->nsample; k++) {
    const model_sample s = b->m->sample[k];
    if (s.rod != rod || (weighted && s.weight == 0)) continue;
    ex width[3];
    td_rod_widths(b, rod - 1, s.arc, width);
    const num radius = td_build_number(b, times(b, 0.5, width[2]));
    TD_TRY(push_ball(b, i, s.station, NUM_NONE, radius, weighted ? s.weight : 1));
  }
  return TD_OK;
}

// Balls at points of every element that a place names.
static td_status body_balls(builder* b, int i, const place* p, const value* points, ex radius) {
  const int n = p->n > 0 ? p->n : b->body_count[p->body];
  const int rows = points ? points->rows : 1;
  for (int e = 0; e < n; e++) {
    const int element = p->n > 0 ? p->element[e] : e + 1;
    const int station = b->m->body[b->body_first[p->body] + element - 1].station;
    for (int k = 0; k < rows; k++) {
      const double zero[3] = {0};
      const num centre = td_build_constants(b, zero, 3), r = td_build_number(b, radius);
      for (int c = 0; points && centre != NUM_NONE && c < 3; c++)
        b->m->number_ex[centre + c] = td_value_ex(points, k + rows * c, b->spec->graph);
      TD_TRY(push_ball(b, i, station, centre, r, 1));
    }
  }
  return TD_OK;
}

static bool is_mesh(const value* v) {
  return v->kind == V_REF && strcmp(v->ref.root, "mesh") == 0 && !v->ref.has_place;
}

// A ball at every node.
static td_status mesh_balls(builder* b, int i, const char* name, ex radius) {
  const int k = field(b, i, name)->ref.index;
  if (k < 1 || k > b->nmesh)
    return td_error(b->diags, TD_E_MODEL, field_at(b, i, name),
                    "contact(%d).%s: there is no mesh(%d), the model has %d", i + 1, name, k,
                    b->nmesh);
  const num r = td_build_number(b, radius);
  const build_mesh* mesh = &b->mesh[k - 1];
  for (int node = 0; node < mesh->wire->nnode; node++)
    TD_TRY(push_ball(b, i, mesh->instance + node, NUM_NONE, r, 1));
  return TD_OK;
}

static ex ball_radius(builder* b, int i, bool second, bool round) {
  const value* v = field(b, i, second ? "ball2" : "ball");
  if (!v && !second && !round) v = field(b, i, "radius");
  return v ? td_value_ex(v, 0, b->spec->graph) : num_ex(b, 0);
}

// The balls of `first` or `second`.
static td_status side(builder* b, int i, bool second, bool round, int* first, int* count) {
  const char* name = second ? "second" : "first";
  const value* per = field(b, i, "per");
  char what[48];
  place p;
  snprintf(what, sizeof what, "contact(%d).%s", i + 1, name);
  *first = b->m->nball;
  if (is_mesh(field(b, i, name))) {
    const td_status meshed = mesh_balls(b, i, name, ball_radius(b, i, second, round));
    *count = b->m->nball - *first;
    return meshed;
  }
  td_status status = td_build_place(b, field(b, i, name), field_at(b, i, name), what, &p);
  if (status == TD_OK && p.rod == 0 && p.body == 0)
    status = td_error(b->diags, TD_E_MODEL, field_at(b, i, name),
                      "%s must be a rod, a body or a mesh", what);
  if (status == TD_OK && p.rod == 0) status = td_build_check_place(b, &p, p.n, what);
  if (status == TD_OK) {
    const bool weighted = !second && (!per || strcmp(per->s, "length") == 0);
    status = p.rod > 0 ? rod_balls(b, i, p.rod, weighted)
                       : body_balls(b, i, &p, field(b, i, second ? "points2" : "points"),
                                    ball_radius(b, i, second, round));
  }
  free(p.element);
  *count = b->m->nball - *first;
  return status;
}

// What can be touched: the lines between the points of a rod, the balls of a body.
static td_status push_pieces(builder* b, int i, int first, int n) {
  const value* second = field(b, i, "second");
  model_contact* c = &b->m->contact[i];
  c->line = second->kind == V_REF && strcmp(second->ref.root, "rod") == 0;
  c->piece = b->m->npiece;
  c->npiece = c->line ? n - 1 : n;
  model_piece* p = c->npiece > 0 ? td_push_piece(b->m, c->npiece) : NULL;
  if (c->npiece > 0 && !p) return TD_E_NOMEM;
  for (int k = 0; k < c->npiece; k++) p[k] = (model_piece){first + k, first + k + c->line};
  return TD_OK;
}

// ---- contacts ---------------------------------------------------------------------------------

static num push_law(builder* b, int i) {
  static const char* const names[5] = {"stiffness", "damping", "exponent", "friction", "slip"};
  static const double fallback[5] = {0, 0, 1, 0, 1e-3};
  const num at = td_push_number_ex(b->m, 5) ? b->m->nnumber_ex - 5 : NUM_NONE;
  for (int k = 0; at != NUM_NONE && k < 5; k++)
    b->m->number_ex[at + k] = td_build_pick(b, field(b, i, names[k]), 0, 1, 0, 1, fallback[k]);
  return at;
}

#define MOST_PAIRS 1e7  // that one evaluation may have to look at

static contact_kind kind_of(const value* second) {
  if (second->kind != V_STR) return CONTACT_PIECES;
  if (strcmp(second->s, "plane") == 0) return CONTACT_PLANE;
  return strcmp(second->s, "sphere") == 0 ? CONTACT_SPHERE : CONTACT_CYLINDER;
}

// The velocity of a point that moves with time, NUM_NONE: it stands still.
static num velocity(builder* b, num point) {
  td_exprs* g = b->spec->graph;
  bool moves = false;
  for (int c = 0; c < 3; c++)
    moves = moves || (td_ex_depends(g, b->m->number_ex[point + c]) & TD_ON_TIME);
  const double zero[3] = {0};
  const num at = moves ? td_build_constants(b, zero, 3) : NUM_NONE;
  for (int c = 0; c < 3 && at != NUM_NONE; c++)
    b->m->number_ex[at + c] = td_ex_diff(g, b->m->number_ex[point + c], b->spec->time_var);
  return at;
}

static td_status push_contact(builder* b, int i) {
  const char *name = td_build_word(b->contacts, i, "name"),
             *law = td_build_word(b->contacts, i, "law");
  const contact_kind kind = kind_of(field(b, i, "second"));
  const bool plane = kind == CONTACT_PLANE, fixed = kind != CONTACT_PIECES;
  const bool round = fixed && !plane;
  model_contact c = {.kind = kind,
                     .approach = law && strcmp(law, "approach") == 0,
                     .potential = true,
                     .point = vector(b, i, plane ? "point" : "center", 0),
                     .direction = vector(b, i, plane ? "normal" : "axis", 1),
                     .radius = number(b, i, "radius", 0),
                     .law = push_law(b, i)};
  c.drift = c.point == NUM_NONE ? NUM_NONE : velocity(b, c.point);
  c.name = name ? td_push_name(b->m, "%s", name) : td_push_name(b->m, "contact(%d)", i + 1);
  TD_TRY(side(b, i, false, round, &c.ball, &c.nball));
  if (!td_push_contact(b->m, 1) || b->m->failed) return TD_E_NOMEM;
  b->m->contact[i] = c;
  if (fixed) b->m->has_blocks = true;
  if (fixed) return TD_OK;
  int first, n;
  TD_TRY(side(b, i, true, false, &first, &n));
  if ((double)c.nball * n > MOST_PAIRS)
    return td_error(b->diags, TD_E_MODEL, field_at(b, i, "second"),
                    "contact(%d): %d points may touch %d, the product may be %g at most", i + 1,
                    c.nball, n, MOST_PAIRS);
  return push_pieces(b, i, first, n);
}

td_status td_build_contacts(builder* b) {
  if (b->m->nsample > 1)
    qsort(b->m->sample, (size_t)b->m->nsample, sizeof(model_sample), compare_samples);
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) TD_TRY(push_contact(b, i));
  return TD_OK;
}
