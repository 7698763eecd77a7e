// Contacts: the balls of bodies and meshes, the pieces of rods, fixed objects and the law.
//
// A rod in contact is a chain of cubic curves through points of it, which pass from one to the next
// with the same direction (Catmull and Rom's splines).  Rods of segments have their nodes as
// points, rods of functions frames of their own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/meshes.h"
#include "model/rods.h"
#include "model/structure.h"

#define SHAPE_OPTION(name, ...) "|" #name

static const td_field fields[] = {
    {"contact", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "soft contact of rods, bodies and meshes with fixed objects and with each other"},
    {"contact.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"contact.first", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "",
     "what touches: a rod with its points, a body with balls at `points`, or a mesh with balls "
     "at its nodes"},
    {"contact.second", FIELD_TARGET, "", TD_REQUIRED, "", FIXED, "", &TD_SHAPES(SHAPE_OPTION)[1],
     "what is touched, or a rod, body or mesh"},
    {"contact.points", FIELD_NUM, "mx3", "[0 0 0]", "m", PARAM, "", "",
     "centres of the balls of a body `first`, in its frame"},
    {"contact.ball", FIELD_NUM, "1", "0", "m", PARAM, "", ">= 0", "their radius"},
    {"contact.points2", FIELD_NUM, "mx3", "[0 0 0]", "m", PARAM, "", "",
     "centres of the balls of a body `second`"},
    {"contact.ball2", FIELD_NUM, "1", "0", "m", PARAM, "", ">= 0", "their radius"},
    {"contact.point", FIELD_NUM, "1x3", "[0 0 0]", "m", TIMED, "", "",
     "a point of the plane, which may move"},
    {"contact.normal", FIELD_NUM, "1x3", "[0 0 1]", "", PARAM, "", "",
     "direction out of the plane, to where the robot may be"},
    {"contact.center", FIELD_NUM, "1x3", "[0 0 0]", "m", TIMED, "", "",
     "centre of the sphere, a point on the axis of the cylinder"},
    {"contact.axis", FIELD_NUM, "1x3", "[0 0 1]", "", PARAM, "", "", "axis of the cylinder"},
    {"contact.radius", FIELD_NUM, "1", "", "m", PARAM, "", "> 0",
     "of the sphere or cylinder, which must have it; elsewhere of the balls of a body `first`"},
    {"contact.stiffness", FIELD_NUM, "1", TD_REQUIRED, "N/m, N/m^2", PARAM, "", "> 0",
     "force per depth k: of each point, or per length of a rod"},
    {"contact.exponent", FIELD_NUM, "1", "1", "", PARAM, "", ">= 1", "e of the force k*depth^e"},
    {"contact.damping", FIELD_NUM, "1", "0", "s/m, N s/m", PARAM, "", ">= 0", "d, see `law`"},
    {"contact.law", FIELD_STR, "", "hunt", "", FIXED, "", "hunt|approach",
     "with the speed w of approach: k*depth^e*(1 + d*w), never negative; or "
     "k*depth^e + d*max(0,w)"},
    {"contact.friction", FIELD_NUM, "1", "0", "", PARAM, "", ">= 0", "coefficient of friction"},
    {"contact.slip", FIELD_NUM, "1", "1e-3", "m/s", PARAM, "", "> 0",
     "speed above which friction is that of Coulomb; below it is viscous"},
    {"contact.per", FIELD_STR, "", "length", "", FIXED, "", "length|point",
     "whether stiffness (and damping of 'approach') of a rod are per length or for each of its "
     "points"},
    {.path = NULL},
};

// ---- rules ------------------------------------------------------------------------------------

// One of the two sides of a contact, as it is written.
typedef struct side_words {
  const char* name;  // "first", "second"
  const value* on;   // what touches, or is touched
  td_span at;
  const value *points, *ball;  // centres of the balls of a body, and their radius
} side_words;

// A contact as it is written.
typedef struct contact_words {
  int i;  // from 0
  side_words side[2];
  const shape_kind* shape;    // of the fixed object, NULL: `second` is a rod, a body or a mesh
  bool round;                 // the fixed object has a radius
  const value *point, *axis;  // of the fixed object: a point of it, its normal or axis
  const value *radius, *law[5];
  td_span friction_at;
  bool approach;   // damping acts on the approach alone
  bool per_point;  // stiffness is given for each point of a rod
} contact_words;

// Read the fields of one contact.
static contact_words read_contact(const value* s, int i) {
  static const char* const law[5] = {"stiffness", "damping", "exponent", "friction", "slip"};
  const shape_kind* shape = td_shape_find(td_get_word(s, i, "second", ""));
  contact_words c = {.i = i,
                     .side = {{"first", td_get(s, i, "first"), td_get_at(s, i, "first"),
                               td_get(s, i, "points"), td_get(s, i, "ball")},
                              {"second", td_get(s, i, "second"), td_get_at(s, i, "second"),
                               td_get(s, i, "points2"), td_get(s, i, "ball2")}},
                     .shape = shape,
                     .round = shape && shape->round,
                     .point = shape ? td_get(s, i, shape->point) : NULL,
                     .axis = shape && shape->direction ? td_get(s, i, shape->direction) : NULL,
                     .radius = td_get(s, i, "radius"),
                     .friction_at = td_get_at(s, i, "friction"),
                     .approach = strcmp(td_get_word(s, i, "law", "hunt"), "approach") == 0,
                     .per_point = strcmp(td_get_word(s, i, "per", "length"), "point") == 0};
  for (int k = 0; k < 5; k++) c.law[k] = td_get(s, i, law[k]);
  return c;
}

static bool is_mesh(const value* v) { return value_names(v, "mesh") && !v->ref.has_place; }

// ---- rules ------------------------------------------------------------------------------------

// A rod touches with the surface of its section.
static void check_rod_side(td_spec* spec, const side_words* side, const char* name) {
  const value *v = side->on, *rods = td_get(spec->root, 0, "rod");
  if (!value_names(v, "rod")) return;
  if (v->ref.has_place) {
    td_error(&spec->diags, TD_E_MODEL, side->at, "%s.%s must be a whole rod, as in rod(%d)", name,
             side->name, v->ref.index);
    return;
  }
  const int k = v->ref.index - 1;
  if (k < 0 || k >= td_check_rod_count(spec) || td_get(rods, k, "part")) return;
  const char* section = td_get_word(rods, k, "section", "");
  const char* field = strcmp(section, "rectangle") == 0 || strcmp(section, "ellipse") == 0 ? "width"
                      : strcmp(section, "custom") == 0                                     ? "area"
                                                       : "radius";
  if (!td_get(rods, k, field))
    td_error(&spec->diags, TD_E_MODEL, side->at,
             "%s.%s: rod(%d).%s is missing, a rod that touches needs its section", name, side->name,
             k + 1, field);
}

// Is a field the point or the direction of one of the first n shapes?
static bool is_field_of(const shape_kind* shape, int n, const char* field) {
  for (int k = 0; k < n; k++)
    if (strcmp(shape[k].point, field) == 0 ||
        (shape[k].direction && strcmp(shape[k].direction, field) == 0))
      return true;
  return false;
}

// Check one contact: a round object has a radius, nothing touches itself, and fields that have no
// effect are reported.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  const contact_words c = read_contact(s, i);
  const value *first = c.side[0].on, *second = c.side[1].on;
  const char* touched = !second                 ? ""
                        : second->kind == V_STR ? second->s
                        : second->kind == V_REF ? second->ref.root
                                                : "body";
  if (c.round && !c.radius)
    td_error(&spec->diags, TD_E_MODEL, c.side[1].at, "%s.radius is missing: a %s has it", name,
             touched);
  if (first && first->kind == V_REF && value_names(second, first->ref.root) &&
      first->ref.index == second->ref.index)
    td_error(&spec->diags, TD_E_MODEL, c.side[1].at,
             "%s: nothing touches itself, first and second are both %s(%d)", name, first->ref.root,
             first->ref.index);
  for (int k = 0; k < 2; k++) check_rod_side(spec, &c.side[k], name);

  // fields that have no effect: those of other shapes, and of balls where none are touched
  char why[48];
  snprintf(why, sizeof why, "what is touched is a %.20s", touched);
  for (int k = 0; k < SHAPE_KINDS && touched[0]; k++) {
    const char* const field[2] = {td_shapes[k].point, td_shapes[k].direction};
    for (int j = 0; j < 2; j++)
      if (field[j] && !is_field_of(td_shapes, k, field[j]) &&
          !is_field_of(c.shape, c.shape ? 1 : 0, field[j]))
        td_check_unused(spec, s, i, name, field[j], why);
  }
  if (!strstr("body", touched)) td_check_unused(spec, s, i, name, "points2", why);
  if (!strstr("body mesh", touched)) td_check_unused(spec, s, i, name, "ball2", why);
  if (value_names(first, "rod")) {
    td_check_unused(spec, s, i, name, "points", "a rod touches with its own points");
    td_check_unused(spec, s, i, name, "ball", "a rod touches with its own points");
  } else if (is_mesh(first)) {
    td_check_unused(spec, s, i, name, "points", "a mesh touches with its nodes");
    td_check_unused(spec, s, i, name, "per", "a mesh touches with its nodes");
  } else {
    td_check_unused(spec, s, i, name, "per", "a body touches with its points");
  }
}

static const td_rule rules[] = {
    {"contact", .element = check},
    {"contact.normal", .value = td_check_directions},
    {"contact.axis", .value = td_check_directions},
    {.path = NULL},
};

const td_structure td_structure_contact = {
    .fields = fields,
    .rules = rules,
    .plural = "contacts",
    .intro =
        "A contact pushes where something is deeper than the surface of something else. Rods "
        "touch with balls at their points, bodies with the balls that are given.",
    .example =
        "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100;\n"
        "contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).point = [0 0 -0.2];\n"
        "contact(1).stiffness = 1e4; contact(1).damping = 1; contact(1).friction = 0.3;\n"
        "contact(2).first = rod(1); contact(2).second = 'cylinder'; contact(2).center = [0.2 0 "
        "0];\n"
        "contact(2).axis = [0 1 0]; contact(2).radius = 0.02; contact(2).stiffness = 50;\n"
        "contact(2).law = 'approach'; contact(2).damping = 5; contact(2).per = 'point';\n",
};

// ---- balls ------------------------------------------------------------------------------------

// Add a ball around a point of a station, within the limit of the model.
static td_status push_ball(builder* b, int i, int station, num centre, num radius, double weight) {
  if (b->m->nball >= b->spec->limits.parts + b->nnode)
    return td_error(b->diags, TD_E_MODEL, td_check_element_at(b->diags, b->contacts, i),
                    "contact(%d): the contacts may have %d points together", i + 1,
                    b->spec->limits.parts + b->nnode);
  model_ball* ball = td_push_ball(b->m, 1);
  if (!ball || b->m->failed) return TD_E_NOMEM;
  *ball = (model_ball){station, centre, radius, weight};
  return TD_OK;
}

// ---- points of rods ---------------------------------------------------------------------------

static double radius_at(builder* b, int rod, double arc) {
  ex width[3];
  td_rod_widths(b, rod, arc, width);
  return 0.5 * td_spec_settle(b->spec, width[2]);
}

// The smallest radius of a rod along its length.
static double rod_radius(builder* b, int rod) {
  double least = INFINITY;
  for (int k = 0; k <= 16; k++) least = fmin(least, radius_at(b, rod, k * b->rod[rod].length / 16));
  return least;
}

// The radius of what a contact touches: infinite for a plane.
static double other_radius(builder* b, const contact_words* c) {
  const value *second = c->side[1].on, *r = second->kind == V_STR ? c->radius : c->side[1].ball;
  if (c->shape && !c->round) return INFINITY;
  if (value_names(second, "rod"))
    return second->ref.index >= 1 && second->ref.index <= td_value_count(b->rods)
               ? rod_radius(b, second->ref.index - 1)
               : 0;
  return r ? td_spec_settle(b->spec, td_value_ex(r, 0, b->spec->graph)) : 0;
}

// Does a contact act at single points of the rod's model?  It does at points that a user gave, and
// on planes, which nothing slips through.
static bool at_points(builder* b, const contact_words* c, int rod) {
  bool given = false;
  for (int k = 0; k < b->rod[rod].npart; k++)
    given = given || td_get(b->rod[rod].part[k].s, b->rod[rod].part[k].at, "points");
  return c->per_point && (given || !isfinite(other_radius(b, c)));
}

enum { MOST_STEPS = 200 };

// Points between the own points of a rod's model in [from, to] (the base is not among them), not
// further than three radii apart: a curve through them is off by 0.016 h³ dκ/ds.
static td_status line_places(builder* b, int rod, double from, double to, const double* own, int n,
                             rod_places* out) {
  const double L = b->rod[rod].length;
  double at = from;
  for (int k = 0; k <= n; k++) {
    const double next = k < n ? own[k] : to;
    if (!(next > at + 1e-12 * L)) continue;
    const double r = fmin(radius_at(b, rod, at), radius_at(b, rod, next));
    const double step = fmin(L / 8, fmax(3 * r, L / MOST_STEPS));
    const int parts = (int)ceil((next - at) / step - 1e-9);
    for (int j = 1; j <= parts; j++)
      TD_TRY(td_rod_want(b, rod, j < parts ? at + j * (next - at) / parts : next, out));
    at = next;
  }
  return TD_OK;
}

// The same between the points that the model has put.
static td_status sample_places(builder* b, int rod, rod_places* out) {
  double* own = malloc((size_t)(b->m->nsample + 1) * sizeof(double));
  int n = 0;
  if (!own) return TD_E_NOMEM;
  for (int k = 0; k < b->m->nsample; k++)
    if (b->m->sample[k].rod == rod + 1) own[n++] = b->m->sample[k].arc;
  if (n > 1) qsort(own, (size_t)n, sizeof(double), ascending);
  const td_status status = line_places(b, rod, 0, b->rod[rod].length, own, n, out);
  free(own);
  return status;
}

// Leaves out what is closer than a radius to the point before; the tip stays.
static void thin_out(builder* b, int rod, rod_places* at) {
  const double L = b->rod[rod].length;
  double last = 0;
  int kept = 0;
  if (at->n > 1) qsort(at->arc, (size_t)at->n, sizeof(double), ascending);
  for (int k = 0; k < at->n; k++) {
    const double arc = at->arc[k], next = k + 1 < at->n ? at->arc[k + 1] : L;
    const double r = radius_at(b, rod, arc);
    const bool tip = k + 1 == at->n;
    if (!tip && (next - last < r || (arc - last < 0.25 * r) || (next == L && L - arc < 0.25 * r)))
      continue;
    at->arc[kept++] = last = arc;
  }
  at->n = kept;
}

bool td_rod_in_contact(const builder* b, int rod) {
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) {
    const contact_words c = read_contact(b->contacts, i);
    for (int k = 0; k < 2; k++)
      if (value_names(c.side[k].on, "rod") && c.side[k].on->ref.index == rod + 1) return true;
  }
  return false;
}

// Does a contact act all along a rod?
static bool touches_along(builder* b, int rod) {
  if (b->rod[rod].joint >= 0) return false;
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) {
    const contact_words c = read_contact(b->contacts, i);
    const value *first = c.side[0].on, *second = c.side[1].on;
    if (!first || !second) continue;
    if (value_names(second, "rod") && second->ref.index == rod + 1) return true;
    if (value_names(first, "rod") && first->ref.index == rod + 1 && !at_points(b, &c, rod))
      return true;
  }
  return false;
}

td_status td_contact_places(builder* b, int rod, rod_places* out) {
  return touches_along(b, rod) ? sample_places(b, rod, out) : TD_OK;
}

td_status td_contact_places_between(builder* b, int rod, double from, double to, const double* own,
                                    int n, rod_places* out) {
  return touches_along(b, rod) ? line_places(b, rod, from, to, own, n, out) : TD_OK;
}

static td_status rod_ball(builder* b, int i, int rod, double arc, int station) {
  ex width[3];
  td_rod_widths(b, rod, arc, width);
  if (station < 0) TD_TRY(td_rod_station(b, rod, arc, &station));
  return push_ball(b, i, station, NUM_NONE, td_build_number(b, times(b, 0.5, width[2])), 1);
}

// The points of the rod's model.
static td_status rod_points(builder* b, const contact_words* c, int rod) {
  double before = -1, widest = 0;
  for (int k = 0; k < b->m->nsample; k++) {
    const model_sample s = b->m->sample[k];
    if (s.rod != rod + 1) continue;
    TD_TRY(rod_ball(b, c->i, rod, s.arc, s.station));
    if (before >= 0) widest = fmax(widest, s.arc - before);
    before = s.arc;
  }
  if (widest > 2 * (rod_radius(b, rod) + other_radius(b, c)))
    td_warn(b->diags, c->side[0].at,
            "contact(%d): points of rod(%d) are up to %g m apart, and what it touches may slip "
            "through between them: give it more points, leave out rod(%d).points, or use per = "
            "'length'",
            c->i + 1, rod + 1, widest, rod + 1);
  return TD_OK;
}

// ---- the curve of a rod -----------------------------------------------------------------------

// The derivative at point i of the parabola through it and its neighbours, as shares of the points
// from `base` on; at an end that of the parabola through the three nearest.
static void slope_shares(const double* s, int n, int i, int base, double share[CONTACT_BALLS]) {
  const int k = i == 0 ? 1 : i == n - 1 ? n - 2 : i;  // the middle one of three
  for (int j = 0; j < CONTACT_BALLS; j++) share[j] = 0;
  if (n == 2) {
    share[0] = -1 / (s[1] - s[0]);
    share[1] = -share[0];
    return;
  }
  const double h0 = s[k] - s[k - 1], h1 = s[k + 1] - s[k], x = s[i] - s[k];
  share[k - 1 - base] = (2 * x - h1) / (h0 * (h0 + h1));
  share[k - base] = (h1 - h0 - 2 * x) / (h0 * h1);
  share[k + 1 - base] = (2 * x + h0) / (h1 * (h0 + h1));
}

// The cubic from point k to k + 1 of n, with the slopes above, as shares of the balls from `base`
// on.
static void cubic(const double* s, int n, int k, int base, double share[4 * CONTACT_BALLS]) {
  // position and slope at both ends by powers of t
  static const double hermite[4][4] = {{1, 0, -3, 2}, {0, 1, -2, 1}, {0, 0, 3, -2}, {0, 0, -1, 1}};
  const double h = s[k + 1] - s[k];
  double from[CONTACT_BALLS], to[CONTACT_BALLS];
  slope_shares(s, n, k, base, from);
  slope_shares(s, n, k + 1, base, to);
  for (int j = 0; j < CONTACT_BALLS; j++)
    for (int p = 0; p < 4; p++)
      share[4 * j + p] = (base + j == k) * hermite[0][p] + h * from[j] * hermite[1][p] +
                         (base + j == k + 1) * hermite[2][p] + h * to[j] * hermite[3][p];
}

// The shares of a curve's part from t = a to b.
static void curve_part(const double* whole, double a, double b, double* part) {
  const double d = b - a;
  for (int j = 0; j < CONTACT_BALLS; j++, whole += 4, part += 4) {
    part[0] = whole[0] + a * (whole[1] + a * (whole[2] + a * whole[3]));
    part[1] = d * (whole[1] + a * (2 * whole[2] + 3 * a * whole[3]));
    part[2] = d * d * (whole[2] + 3 * a * whole[3]);
    part[3] = d * d * d * whole[3];
  }
}

enum { MOST_PARTS = 64 };

// The pieces of a rod in contact, not longer than four times both partners' radii so that there is
// one place at most on each where they are nearest.  Forces per point count as if points with the
// same stiffness were spread evenly, as far apart as those of the model, and not further than a
// quarter of both radii: then it does not matter where they are.
static td_status rod_pieces(builder* b, const contact_words* c, int rod, bool second, int* first,
                            int* count) {
  const build_rod* r = &b->rod[rod];
  const double both = rod_radius(b, rod) + (second ? 0 : other_radius(b, c));
  const int ball = b->m->nball;
  rod_places at = {0};
  *first = b->m->npiece;

  // the base and the other points
  td_status status = r->npoint > 0 ? sample_places(b, rod, &at) : TD_OK;
  for (int k = 1; r->npoint == 0 && k <= r->n && status == TD_OK; k++)
    status = td_rod_want(b, rod, r->arc[k], &at);
  if (status == TD_OK) thin_out(b, rod, &at);
  double* arc = calloc((size_t)at.n + 1, sizeof(double));
  if (!arc) status = TD_E_NOMEM;
  if (status == TD_OK) memcpy(arc + 1, at.arc, (size_t)at.n * sizeof(double));
  const int n = at.n + 1;
  for (int k = 0; k < n && status == TD_OK; k++) status = rod_ball(b, c->i, rod, arc[k], -1);

  // forces for each point are spread evenly
  int samples = 0;
  for (int k = 0; k < b->m->nsample; k++) samples += b->m->sample[k].rod == rod + 1;
  const double spacing = c->per_point ? fmin(r->length / fmax(1, samples - 1), 0.25 * both) : 1;

  for (int k = 0; k + 1 < n && status == TD_OK; k++) {
    const int base = n <= CONTACT_BALLS || k == 0 ? 0 : k > n - 3 ? n - CONTACT_BALLS : k - 1;
    double whole[4 * CONTACT_BALLS];
    cubic(arc, n, k, base, whole);
    const double length = arc[k + 1] - arc[k];
    const int parts = isfinite(both) ? (int)fmin(MOST_PARTS, ceil(length / (4 * both))) : 1;
    model_piece* p = td_push_piece(b->m, parts);
    if (!p) status = TD_E_NOMEM;
    for (int j = 0; p && j < parts; j++) {
      p[j] = (model_piece){.ball = ball + base,
                           .nball = n < CONTACT_BALLS ? n : CONTACT_BALLS,
                           .weight = length / parts / spacing};
      curve_part(whole, (double)j / parts, (double)(j + 1) / parts, p[j].share);
    }
  }
  *count = b->m->npiece - *first;
  free(arc);
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

// Does a contact name one of these rods?
static bool is_touched(const builder* b, int rod, int n) {
  for (int i = 0; i < td_value_count(b->contacts); i++)
    for (int k = 0; k < 2; k++) {
      const value* v = td_get(b->contacts, i, k ? "second" : "first");
      if (value_names(v, "rod") && v->ref.index >= rod && v->ref.index < rod + n) return true;
    }
  return false;
}

// A ball at every node.  Edges that are rods touch only where a contact of their own names them.
static td_status mesh_balls(builder* b, const contact_words* c, const side_words* side, ex radius) {
  const int k = side->on->ref.index;
  if (k < 1 || k > b->nmesh)
    return td_error(b->diags, TD_E_MODEL, side->at,
                    "contact(%d).%s: there is no mesh(%d), the model has %d", c->i + 1, side->name,
                    k, b->nmesh);
  const num r = td_build_number(b, radius);
  const build_mesh* mesh = &b->mesh[k - 1];
  for (int node = 0; node < mesh->wire->nnode; node++)
    TD_TRY(push_ball(b, c->i, mesh->instance + node, NUM_NONE, r, 1));
  if (mesh->rod > 0 && !is_touched(b, mesh->rod, mesh->nedge)) {
    td_remark(b->diags, side->at,
              "contact(%d).%s: only the nodes of mesh(%d) touch, not its edges, which are rods",
              c->i + 1, side->name, k);
    td_hint(b->diags, "contact(k).first = rod(%d) makes its first edge touch", mesh->rod);
  }
  return TD_OK;
}

// Balls or pieces of a rod with which one side of a contact touches.
typedef struct contact_side {
  int ball, nball, piece, npiece;
} contact_side;

// Add the balls or pieces of one side of a contact: the nodes of a mesh, the points or the length
// of a rod, the balls of a body.
static td_status push_side(builder* b, const contact_words* c, bool second, contact_side* out) {
  const side_words* side = &c->side[second];
  const value* size = side->ball || second || c->round ? side->ball : c->radius;
  const ex radius = size ? td_value_ex(size, 0, b->spec->graph) : num_ex(b, 0);
  char what[48];
  place p;
  snprintf(what, sizeof what, "contact(%d).%s", c->i + 1, side->name);
  *out = (contact_side){.ball = b->m->nball};
  if (is_mesh(side->on)) {
    const td_status meshed = mesh_balls(b, c, side, radius);
    out->nball = b->m->nball - out->ball;
    return meshed;
  }

  // a body or a rod with a section
  td_status status = td_build_place(b, side->on, side->at, what, &p);
  if (status == TD_OK && p.rod == 0 && p.body == 0)
    status = td_error(b->diags, TD_E_MODEL, side->at, "%s must be a rod, a body or a mesh", what);
  if (status == TD_OK && p.rod == 0) status = td_build_check_place(b, &p, p.n, what);
  if (status == TD_OK && p.rod > 0 && b->rod[p.rod - 1].joint >= 0)
    status = td_error(b->diags, TD_E_MODEL, side->at,
                      "contact(%d): a polynomial rod of joint.rom has no section to touch with",
                      c->i + 1);

  // a rod touches along its length or at points, a body with its balls
  const bool pieces = status == TD_OK && p.rod > 0 && (second || !at_points(b, c, p.rod - 1));
  if (pieces)
    status = rod_pieces(b, c, p.rod - 1, second, &out->piece, &out->npiece);
  else if (status == TD_OK)
    status =
        p.rod > 0 ? rod_points(b, c, p.rod - 1) : body_balls(b, c->i, &p, side->points, radius);

  free(p.element);
  out->nball = pieces ? 0 : b->m->nball - out->ball;
  return status;
}

// Does a side of a contact have nodes that do not turn?
static bool has_pivots(const builder* b, const side_words* side) {
  const int mesh = is_mesh(side->on) ? side->on->ref.index : 0;
  return mesh >= 1 && mesh <= b->nmesh && !b->mesh[mesh - 1].turns;
}

// ---- contacts ---------------------------------------------------------------------------------

#define MOST_PAIRS 1e7  // pairs of points that one evaluation may have to compare

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

// Add one contact: its law, the fixed object, what touches and what is touched.
static td_status push_contact(builder* b, int i) {
  static const double zero[3] = {0, 0, 0}, up[3] = {0, 0, 1}, usual[5] = {0, 0, 1, 0, 1e-3};
  td_exprs* g = b->spec->graph;
  const contact_words c = read_contact(b->contacts, i);
  plain_name plain;
  model_contact out = {
      .fixed = c.shape != NULL,
      .shape = c.shape ? (int)(c.shape - td_shapes) : 0,
      .approach = c.approach,
      .potential = true,
      .point = c.point ? td_build_numbers(b, c.point, 0, 1, 3, 0) : td_build_constants(b, zero, 3),
      .direction = c.axis ? td_build_numbers(b, c.axis, 0, 1, 3, 0) : td_build_constants(b, up, 3),
      .radius = td_build_numbers(b, c.radius, 0, 1, 1, 0),
      .law = td_push_number_ex(b->m, 5) ? b->m->nnumber_ex - 5 : NUM_NONE,
      .drift = NUM_NONE};
  for (int k = 0; out.law != NUM_NONE && k < 5; k++)
    b->m->number_ex[out.law + k] = td_build_pick(b, c.law[k], 0, 1, 0, 1, usual[k]);
  if (out.point != NUM_NONE) out.drift = velocity(b, out.point);
  out.name = td_push_name(b->m, "%s", td_build_name(b->contacts, i, "contact", plain));

  // what touches
  contact_side first, other;
  TD_TRY(push_side(b, &c, false, &first));
  out.ball = first.ball;
  out.nball = first.nball;
  out.along = first.piece;
  out.nalong = first.npiece;
  if (!td_push_contact(b->m, 1) || b->m->failed) return TD_E_NOMEM;
  model_contact* to = &b->m->contact[i];
  *to = out;
  if (out.fixed && out.nball > 0) b->m->has_blocks = true;
  if (out.fixed) return TD_OK;

  // what can be touched: the pieces of a rod, the balls of a body
  TD_TRY(push_side(b, &c, true, &other));
  const int n = max_int(other.nball, other.npiece), touching = max_int(out.nball, out.nalong);
  if ((double)touching * n > MOST_PAIRS)
    return td_error(b->diags, TD_E_MODEL, c.side[1].at,
                    "contact(%d): %d points may touch %d, the product may be %g at most", i + 1,
                    touching, n, MOST_PAIRS);

  // friction acts at a body that can turn
  const bool a = has_pivots(b, &c.side[0]), d = has_pivots(b, &c.side[1]);
  const ex mu = td_build_pick(b, c.law[3], 0, 1, 0, 1, 0);
  to->arm = a ? ARM_A : d ? ARM_B : ARM_SURFACE;
  if (a && d && !(td_ex_is_const(g, mu) && td_ex_value(g, mu) == 0))
    return td_error(
        b->diags, TD_E_MODEL, c.friction_at,
        "contact(%d).friction must be 0 between meshes whose nodes do not turn: its torque "
        "would have nowhere to go; give one of them beams (mesh.joint with six directions), "
        "whose nodes turn",
        i + 1);

  to->line = other.npiece > 0;
  to->piece = to->line ? other.piece : b->m->npiece;
  to->npiece = n;
  model_piece* p = to->line || n == 0 ? NULL : td_push_piece(b->m, n);
  for (int k = 0; p && k < n; k++)
    p[k] = (model_piece){.ball = other.ball + k, .nball = 1, .share = {1}};
  return p || to->line || n == 0 ? TD_OK : TD_E_NOMEM;
}

static int compare_samples(const void* a, const void* c) {
  const model_sample *x = a, *y = c;
  if (x->rod != y->rod) return x->rod < y->rod ? -1 : 1;
  return (x->arc > y->arc) - (x->arc < y->arc);
}

td_status td_build_contacts(builder* b) {
  if (b->m->nsample > 1)
    qsort(b->m->sample, (size_t)b->m->nsample, sizeof(model_sample), compare_samples);
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) TD_TRY(push_contact(b, i));
  return TD_OK;
}
