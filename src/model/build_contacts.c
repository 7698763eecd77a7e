// Contacts: the balls of rods, bodies and meshes, the pieces they can touch, fixed objects and the
// law.
#include <math.h>
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

// ---- points of rods ---------------------------------------------------------------------------

static int ascending(const void* a, const void* c) {
  const double x = *(const double*)a, y = *(const double*)c;
  return x < y ? -1 : x > y;
}

static bool is_rod(const value* v, int rod) {
  return v && v->kind == V_REF && strcmp(v->ref.root, "rod") == 0 && v->ref.index == rod + 1;
}

static bool per_point(const builder* b, int i) {
  const value* per = field(b, i, "per");
  return per && strcmp(per->s, "point") == 0;
}

// The smallest radius of a rod along its length.
static double rod_radius(builder* b, int rod) {
  double least = INFINITY;
  for (int k = 0; k <= 16; k++) {
    ex width[3];
    td_rod_widths(b, rod, k * b->rod[rod].length / 16, width);
    least = fmin(least, 0.5 * td_spec_settle(b->spec, width[2]));
  }
  return least;
}

// The radius of what a contact touches: infinite for a plane.
static double other_radius(builder* b, int i) {
  const value* second = field(b, i, "second");
  if (second->kind == V_STR && strcmp(second->s, "plane") == 0) return INFINITY;
  const value* r = field(b, i, second->kind == V_STR ? "radius" : "ball2");
  if (second->kind == V_REF && strcmp(second->ref.root, "rod") == 0)
    return second->ref.index >= 1 && second->ref.index <= td_value_count(b->rods)
               ? rod_radius(b, second->ref.index - 1)
               : 0;
  return r ? td_spec_settle(b->spec, td_value_ex(r, 0, b->spec->graph)) : 0;
}

// Did the user say where the rod's points are?
static bool has_points(const builder* b, int rod) {
  for (int k = 0; k < b->rod[rod].npart; k++)
    if (td_get(b->rod[rod].part[k].s, b->rod[rod].part[k].at, "points")) return true;
  return false;
}

static double radius_at(builder* b, int rod, double arc) {
  ex width[3];
  td_rod_widths(b, rod, arc, width);
  return 0.5 * td_spec_settle(b->spec, width[2]);
}

enum { MOST_STEPS = 2000 };

// Points along a rod from base to tip (the base itself is not among them), `wide` radii apart,
// towards the ends down to an eighth of a radius: what stands on an end touches over a stretch as
// short as it is deep.  Both halves begin at their end, so that the middle is a point.
static td_status line_places(builder* b, int i, int rod, double wide, bool ends, rod_places* out) {
  const double L = b->rod[rod].length;
  double at[MOST_STEPS + 1];
  for (int half = 0; half < 2; half++) {
    int n = 0;
    at[0] = 0;
    while (at[n] < 0.5 * L) {
      const double r = radius_at(b, rod, half == 0 ? at[n] : L - at[n]);
      const double step = ends ? fmax(0.125 * r, fmin(wide * r, 0.5 * at[n])) : wide * r;
      if (n == MOST_STEPS || !(step > 0))
        return td_error(
            b->diags, TD_E_MODEL, td_check_element_at(b->diags, b->contacts, i),
            "contact(%d): rod(%d) is %g m long and has a radius of %g m at s = %g m; "
            "contact along a rod takes points %g radii apart, at most %d in all; make it "
            "thicker, or use per = 'point'",
            i + 1, rod + 1, L, r, half == 0 ? at[n] : L - at[n], wide, 2 * MOST_STEPS);
      at[n + 1] = at[n] + step;
      n++;
    }
    for (int k = 0; k <= n; k++) {
      const double s = 0.5 * L * (at[k] / at[n]);
      TD_TRY(td_rod_want(b, rod, half == 0 ? s : L - s, out));
    }
  }
  if (out->n > 1) qsort(out->arc, (size_t)out->n, sizeof(double), ascending);
  return TD_OK;
}

// Where contact i needs frames of a rod besides those of its model.  Forces per length are sums
// over points half a radius apart (a radius on a plane, which has no corners), both ends included,
// whatever the rod's model; the line of a rod that is touched goes through points a radius apart.
// Forces per point act at the points of the rod's model; where these leave room for the other thing
// to slip in between, there are some more.
static td_status contact_places(builder* b, int i, int rod, bool second, rod_places* out) {
  if (!is_rod(field(b, i, second ? "second" : "first"), rod)) return TD_OK;
  if (second) return line_places(b, i, rod, 1, false, out);
  const double other = other_radius(b, i);
  if (!per_point(b, i)) return line_places(b, i, rod, isfinite(other) ? 0.5 : 1, true, out);
  if (has_points(b, rod) || !isfinite(other)) return TD_OK;
  const double L = b->rod[rod].length, n = ceil(L / (rod_radius(b, rod) + other) * (1 - 1e-9));
  if (!(n < 2 * MOST_STEPS))
    return td_error(b->diags, TD_E_MODEL, field_at(b, i, "first"),
                    "contact(%d): rod(%d) is %g times as long as it and what it touches are thick, "
                    "may be %d; make them thicker",
                    i + 1, rod + 1, n, 2 * MOST_STEPS);
  for (int k = 1; k <= n; k++) TD_TRY(td_rod_want(b, rod, k * L / n, out));
  return TD_OK;
}

td_status td_contact_places(builder* b, int rod, rod_places* out) {
  if (b->rod[rod].joint >= 0) return TD_OK;
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++)
    for (int second = 0; second < 2 && field(b, i, "first") && field(b, i, "second"); second++)
      TD_TRY(contact_places(b, i, rod, second, out));
  return TD_OK;
}

static td_status rod_ball(builder* b, int i, int rod, double arc, int station, double weight) {
  ex width[3];
  td_rod_widths(b, rod, arc, width);
  if (station < 0) TD_TRY(td_rod_station(b, rod, arc, &station));
  return push_ball(b, i, station, NUM_NONE, td_build_number(b, times(b, 0.5, width[2])), weight);
}

// Points of the whole rod with the weights of the trapezoidal rule: exact for what is the same all
// along, and not shaken by the corner where contact begins.
static td_status rod_line(builder* b, int i, int rod, bool weighted, const rod_places* at) {
  for (int k = 0; k <= at->n; k++) {
    const double arc = k == 0 ? 0 : at->arc[k - 1], before = k < 2 ? 0 : at->arc[k - 2];
    const double after = k == at->n ? arc : at->arc[k];
    TD_TRY(rod_ball(b, i, rod, arc, -1, weighted ? 0.5 * (after - before) : 1));
  }
  return TD_OK;
}

// The points of the rod's model, and of the given ones as many as close its gaps.
static td_status rod_points(builder* b, int i, int rod, const rod_places* at) {
  const double h = at->n > 0 ? at->arc[0] : INFINITY;
  double before = -1, widest = 0;
  for (int k = 0; k < b->m->nsample; k++) {
    const model_sample s = b->m->sample[k];
    if (s.rod != rod + 1) continue;
    for (int j = 0; before >= 0 && s.arc - before > h * (1 + 1e-9) && j < at->n; j++)
      if (at->arc[j] > before + 0.25 * h && at->arc[j] < s.arc - 0.25 * h)
        TD_TRY(rod_ball(b, i, rod, at->arc[j], -1, 1));
    TD_TRY(rod_ball(b, i, rod, s.arc, s.station, 1));
    if (before >= 0) widest = fmax(widest, s.arc - before);
    before = s.arc;
  }
  if (at->n == 0 && widest > 2 * (rod_radius(b, rod) + other_radius(b, i)))
    td_warn(b->diags, field_at(b, i, "first"),
            "contact(%d): points of rod(%d) are up to %g m apart, and what it touches may slip "
            "through between them: give it more points, leave out rod(%d).points, or use per = "
            "'length'",
            i + 1, rod + 1, widest, rod + 1);
  return TD_OK;
}

static td_status rod_balls(builder* b, int i, int rod, bool second) {
  if (b->rod[rod].joint >= 0)
    return td_error(b->diags, TD_E_MODEL, field_at(b, i, second ? "second" : "first"),
                    "contact(%d): a polynomial rod of joint.rom has no section to touch with",
                    i + 1);
  rod_places at = {0};
  td_status status = contact_places(b, i, rod, second, &at);
  if (status == TD_OK)
    status =
        !second && per_point(b, i) ? rod_points(b, i, rod, &at) : rod_line(b, i, rod, !second, &at);
  td_rod_places_free(&at);
  return status;
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
    status = p.rod > 0 ? rod_balls(b, i, p.rod - 1, second)
                       : body_balls(b, i, &p, field(b, i, second ? "points2" : "points"),
                                    ball_radius(b, i, second, round));
  }
  free(p.element);
  *count = b->m->nball - *first;
  return status;
}

// What can be touched: the curve through the points of a rod, the balls of a body.
static td_status push_pieces(builder* b, int i, int first, int n) {
  const value* second = field(b, i, "second");
  model_contact* c = &b->m->contact[i];
  c->line = second->kind == V_REF && strcmp(second->ref.root, "rod") == 0;
  c->piece = b->m->npiece;
  c->npiece = c->line && n == 2 ? 1 : n;
  model_piece* p = c->npiece > 0 ? td_push_piece(b->m, c->npiece) : NULL;
  if (c->npiece > 0 && !p) return TD_E_NOMEM;
  for (int k = 0; k < c->npiece; k++) {
    p[k] = (model_piece){first + k, 1, SHAPE_BALL};
    if (!c->line) continue;
    p[k] = (model_piece){first + k - 1, 3, SHAPE_BEND};
    if (k == 0) p[k] = (model_piece){first, 2, n == 2 ? SHAPE_LINE : SHAPE_START};
    if (k > 0 && k == n - 1) p[k] = (model_piece){first + n - 2, 2, SHAPE_END};
  }
  return TD_OK;
}

// Does a side of a contact have nodes that do not turn?
static bool has_pivots(const builder* b, int i, const char* name) {
  const value* v = field(b, i, name);
  if (!is_mesh(v) || v->ref.index < 1 || v->ref.index > b->nmesh) return false;
  return !b->mesh[v->ref.index - 1].turns;
}

static td_status choose_arm(builder* b, int i) {
  const bool a = has_pivots(b, i, "first"), c = has_pivots(b, i, "second");
  const value* mu = field(b, i, "friction");
  b->m->contact[i].arm = a ? ARM_A : c ? ARM_B : ARM_SURFACE;
  if (!a || !c || !mu) return TD_OK;
  const ex e = td_value_ex(mu, 0, b->spec->graph);
  if (td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0) return TD_OK;
  return td_error(
      b->diags, TD_E_MODEL, field_at(b, i, "friction"),
      "contact(%d).friction must be 0 between meshes whose nodes do not turn: its torque "
      "would have nowhere to go; give one of them beams (mesh.joint with six directions), "
      "whose nodes turn",
      i + 1);
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
  TD_TRY(choose_arm(b, i));
  return push_pieces(b, i, first, n);
}

td_status td_build_contacts(builder* b) {
  if (b->m->nsample > 1)
    qsort(b->m->sample, (size_t)b->m->nsample, sizeof(model_sample), compare_samples);
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) TD_TRY(push_contact(b, i));
  return TD_OK;
}
