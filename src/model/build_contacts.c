// Contacts: the balls of bodies and meshes, the pieces of rods, fixed objects and the law.
//
// A rod in contact is a chain of cubic curves through points of it, which pass from one to the next
// with the same direction (Catmull and Rom's splines).  Rods of segments have their nodes as
// points, rods of functions frames of their own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/meshes.h"
#include "model/rods.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"contact", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "soft contact of rods, bodies and meshes with fixed objects and with each other"},
    {"contact.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"contact.first", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "",
     "what touches: a rod with its points, a body with balls at `points`, or a mesh with balls "
     "at its nodes"},
    {"contact.second", FIELD_TARGET, "", TD_REQUIRED, "", FIXED, "", "plane|sphere|cylinder",
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

static const char* word(const value* s, int i, const char* field) {
  const value* v = td_get(s, i, field);
  return v && v->kind == V_STR ? v->s : "";
}

static bool names_rod(const value* v) {
  return v && v->kind == V_REF && strcmp(v->ref.root, "rod") == 0;
}

static bool names_mesh(const value* v) {
  return v && v->kind == V_REF && strcmp(v->ref.root, "mesh") == 0 && !v->ref.has_place;
}

static bool same(const value* a, const value* b) {
  if (!a || !b || a->kind != V_REF || b->kind != V_REF) return false;
  return strcmp(a->ref.root, b->ref.root) == 0 && a->ref.index == b->ref.index;
}

// A rod touches with the surface of its section.
static void contact_rod(td_spec* spec, const value* s, int i, const char* name, const char* side) {
  const value *v = td_get(s, i, side), *rods = td_get(spec->root, 0, "rod");
  if (!names_rod(v)) return;
  if (v->ref.has_place) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, side),
             "%s.%s must be a whole rod, as in rod(%d)", name, side, v->ref.index);
    return;
  }
  const int k = v->ref.index - 1;
  if (k < 0 || k >= td_check_rod_count(spec) || td_get(rods, k, "part")) return;
  const char* section = word(rods, k, "section");
  const char* field = strcmp(section, "rectangle") == 0 || strcmp(section, "ellipse") == 0 ? "width"
                      : strcmp(section, "custom") == 0                                     ? "area"
                                                       : "radius";
  if (!td_get(rods, k, field))
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, side),
             "%s.%s: rod(%d).%s is missing, a rod that touches needs its section", name, side,
             k + 1, field);
}

// Fields that belong to one kind of `second`, or to a body as `first`.
static const struct {
  const char *field, *of;
} belongs[] = {
    {"point", "plane"},   {"normal", "plane"}, {"center", "sphere cylinder"},
    {"axis", "cylinder"}, {"points2", "body"}, {"ball2", "body mesh"},
};

static void contact_unused(td_spec* spec, const value* s, int i, const char* name) {
  const value* second = td_get(s, i, "second");
  const char* kind = !second                 ? ""
                     : second->kind == V_STR ? second->s
                     : second->kind == V_REF ? second->ref.root
                                             : "body";
  for (size_t k = 0; k < sizeof belongs / sizeof belongs[0]; k++)
    if (td_get(s, i, belongs[k].field) && !strstr(belongs[k].of, kind))
      td_warn(&spec->diags, td_get_at(s, i, belongs[k].field),
              "%s.%s has no effect: what is touched is a %.20s", name, belongs[k].field, kind);
  static const char* const own[] = {"points", "ball"};
  for (int k = 0; k < 2 && names_rod(td_get(s, i, "first")); k++)
    if (td_get(s, i, own[k]))
      td_warn(&spec->diags, td_get_at(s, i, own[k]),
              "%s.%s has no effect: a rod touches with its own points", name, own[k]);
  if (td_get(s, i, "points") && names_mesh(td_get(s, i, "first")))
    td_warn(&spec->diags, td_get_at(s, i, "points"),
            "%s.points has no effect: a mesh touches with its nodes", name);
  if (td_get(s, i, "per") && !names_rod(td_get(s, i, "first")))
    td_warn(&spec->diags, td_get_at(s, i, "per"), "%s.per has no effect: a %s", name,
            names_mesh(td_get(s, i, "first")) ? "mesh touches with its nodes"
                                              : "body touches with its points");
}

static void check(td_spec* spec, const value* s, int i, const char* name) {
  const char* kind = word(s, i, "second");
  const bool round = strcmp(kind, "sphere") == 0 || strcmp(kind, "cylinder") == 0;
  if (round && !td_get(s, i, "radius"))
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "second"),
             "%s.radius is missing: a %s has it", name, kind);
  if (same(td_get(s, i, "first"), td_get(s, i, "second")))
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "second"),
             "%s: nothing touches itself, first and second are both %s(%d)", name,
             td_get(s, i, "first")->ref.root, td_get(s, i, "first")->ref.index);
  contact_rod(spec, s, i, name, "first");
  contact_rod(spec, s, i, name, "second");
  contact_unused(spec, s, i, name);
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

// ---- numbers ----------------------------------------------------------------------------------

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

// Does contact i act at single points of the rod's model?  Those a user gave, and on planes, which
// nothing slips through.
static bool at_points(builder* b, int i, int rod) {
  return per_point(b, i) && (has_points(b, rod) || !isfinite(other_radius(b, i)));
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

// The nodes of a rod of segments.
static td_status node_places(builder* b, int rod, rod_places* out) {
  const build_rod* r = &b->rod[rod];
  for (int k = 1; k <= r->n; k++) TD_TRY(td_rod_want(b, rod, r->arc[k], out));
  return TD_OK;
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

// Does a contact act all along a rod?
static bool touches_along(builder* b, int rod) {
  if (b->rod[rod].joint >= 0) return false;
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) {
    const value *first = field(b, i, "first"), *second = field(b, i, "second");
    if (!first || !second) continue;
    if (is_rod(second, rod) || (is_rod(first, rod) && !at_points(b, i, rod))) return true;
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
static td_status rod_points(builder* b, int i, int rod) {
  double before = -1, widest = 0;
  for (int k = 0; k < b->m->nsample; k++) {
    const model_sample s = b->m->sample[k];
    if (s.rod != rod + 1) continue;
    TD_TRY(rod_ball(b, i, rod, s.arc, s.station));
    if (before >= 0) widest = fmax(widest, s.arc - before);
    before = s.arc;
  }
  if (widest > 2 * (rod_radius(b, rod) + other_radius(b, i)))
    td_warn(b->diags, field_at(b, i, "first"),
            "contact(%d): points of rod(%d) are up to %g m apart, and what it touches may slip "
            "through between them: give it more points, leave out rod(%d).points, or use per = "
            "'length'",
            i + 1, rod + 1, widest, rod + 1);
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
static td_status rod_pieces(builder* b, int i, int rod, bool second, int* first, int* count) {
  const build_rod* r = &b->rod[rod];
  const double both = rod_radius(b, rod) + (second ? 0 : other_radius(b, i));
  const int ball = b->m->nball;
  rod_places at = {0};
  *first = b->m->npiece;

  // the base and the other points
  td_status status = r->npoint > 0 ? sample_places(b, rod, &at) : node_places(b, rod, &at);
  if (status == TD_OK) thin_out(b, rod, &at);
  double* arc = calloc((size_t)at.n + 1, sizeof(double));
  if (!arc) status = TD_E_NOMEM;
  if (status == TD_OK) memcpy(arc + 1, at.arc, (size_t)at.n * sizeof(double));
  const int n = at.n + 1;
  for (int k = 0; k < n && status == TD_OK; k++) status = rod_ball(b, i, rod, arc[k], -1);
  int samples = 0;
  for (int k = 0; k < b->m->nsample; k++) samples += b->m->sample[k].rod == rod + 1;
  const double spacing = per_point(b, i) ? fmin(r->length / fmax(1, samples - 1), 0.25 * both) : 1;

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

static td_status check_rod(builder* b, int i, int rod, bool second) {
  if (b->rod[rod].joint < 0) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, field_at(b, i, second ? "second" : "first"),
                  "contact(%d): a polynomial rod of joint.rom has no section to touch with", i + 1);
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

// Does a contact name one of these rods?
static bool is_touched(const builder* b, int rod, int n) {
  for (int i = 0; i < td_value_count(b->contacts); i++)
    for (int k = 0; k < 2; k++) {
      const value* v = td_get(b->contacts, i, k ? "second" : "first");
      const bool named = v && v->kind == V_REF && strcmp(v->ref.root, "rod") == 0;
      if (named && v->ref.index >= rod && v->ref.index < rod + n) return true;
    }
  return false;
}

// A ball at every node.  Edges that are rods touch only where a contact of their own names them.
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
  if (mesh->rod > 0 && !is_touched(b, mesh->rod, mesh->nedge)) {
    td_remark(b->diags, field_at(b, i, name),
              "contact(%d).%s: only the nodes of mesh(%d) touch, not its edges, which are rods",
              i + 1, name, k);
    td_hint(b->diags, "contact(k).first = rod(%d) makes its first edge touch", mesh->rod);
  }
  return TD_OK;
}

static ex ball_radius(builder* b, int i, bool second, bool round) {
  const value* v = field(b, i, second ? "ball2" : "ball");
  if (!v && !second && !round) v = field(b, i, "radius");
  return v ? td_value_ex(v, 0, b->spec->graph) : num_ex(b, 0);
}

// What `first` or `second` touches with: balls, or the pieces of a rod.
typedef struct contact_side {
  int ball, nball, piece, npiece;
} contact_side;

static td_status side(builder* b, int i, bool second, bool round, contact_side* out) {
  const char* name = second ? "second" : "first";
  char what[48];
  place p;
  snprintf(what, sizeof what, "contact(%d).%s", i + 1, name);
  *out = (contact_side){.ball = b->m->nball};
  if (is_mesh(field(b, i, name))) {
    const td_status meshed = mesh_balls(b, i, name, ball_radius(b, i, second, round));
    out->nball = b->m->nball - out->ball;
    return meshed;
  }
  td_status status = td_build_place(b, field(b, i, name), field_at(b, i, name), what, &p);
  if (status == TD_OK && p.rod == 0 && p.body == 0)
    status = td_error(b->diags, TD_E_MODEL, field_at(b, i, name),
                      "%s must be a rod, a body or a mesh", what);
  if (status == TD_OK && p.rod == 0) status = td_build_check_place(b, &p, p.n, what);
  if (status == TD_OK && p.rod > 0) status = check_rod(b, i, p.rod - 1, second);
  const bool pieces = status == TD_OK && p.rod > 0 && (second || !at_points(b, i, p.rod - 1));
  if (pieces)
    status = rod_pieces(b, i, p.rod - 1, second, &out->piece, &out->npiece);
  else if (status == TD_OK)
    status = p.rod > 0 ? rod_points(b, i, p.rod - 1)
                       : body_balls(b, i, &p, field(b, i, second ? "points2" : "points"),
                                    ball_radius(b, i, second, round));
  free(p.element);
  out->nball = pieces ? 0 : b->m->nball - out->ball;
  return status;
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
  contact_side first, other;
  TD_TRY(side(b, i, false, round, &first));
  c.ball = first.ball;
  c.nball = first.nball;
  c.along = first.piece;
  c.nalong = first.npiece;
  if (!td_push_contact(b->m, 1) || b->m->failed) return TD_E_NOMEM;
  b->m->contact[i] = c;
  if (fixed && c.nball > 0) b->m->has_blocks = true;
  if (fixed) return TD_OK;

  // what can be touched: the pieces of a rod, the balls of a body
  TD_TRY(side(b, i, true, false, &other));
  const int n = max_int(other.nball, other.npiece), touching = max_int(c.nball, c.nalong);
  if ((double)touching * n > MOST_PAIRS)
    return td_error(b->diags, TD_E_MODEL, field_at(b, i, "second"),
                    "contact(%d): %d points may touch %d, the product may be %g at most", i + 1,
                    touching, n, MOST_PAIRS);
  TD_TRY(choose_arm(b, i));
  model_contact* out = &b->m->contact[i];
  out->line = other.npiece > 0;
  out->piece = out->line ? other.piece : b->m->npiece;
  out->npiece = n;
  model_piece* p = out->line || n == 0 ? NULL : td_push_piece(b->m, n);
  for (int k = 0; p && k < n; k++)
    p[k] = (model_piece){.ball = other.ball + k, .nball = 1, .share = {1}};
  return p || out->line || n == 0 ? TD_OK : TD_E_NOMEM;
}

td_status td_build_contacts(builder* b) {
  if (b->m->nsample > 1)
    qsort(b->m->sample, (size_t)b->m->nsample, sizeof(model_sample), compare_samples);
  for (int i = 0; b->contacts && i < td_value_count(b->contacts); i++) TD_TRY(push_contact(b, i));
  return TD_OK;
}
