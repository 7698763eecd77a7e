// The rules of mechanics that one value or one structure must obey by itself: inertias that a body
// can have, rotations that have an axis, names that are unique.  How bodies and joints fit together
// is found later, when the model is compiled.
#include "model/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/force_words.h"
#include "model/hop_words.h"
#include "model/tolerance.h"

static const double slack = TD_BOUND_SLACK;

// ---- one value --------------------------------------------------------------------------------

// The n numbers of v from element `from`, parameters at their present values; false when one of
// them depends on anything else.
static bool numbers(const td_spec* spec, const value* v, int from, int n, double* x) {
  for (int k = 0; k < n; k++)
    if (!td_check_known(spec, v, from + k, &x[k])) return false;
  return true;
}

static double norm3(const double* x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// One page of an inertia I, with principal moments a <= b <= c.  A body is a set of positive
// masses, so
//
//   I = I',   a >= 0,   a + b >= c
//
// the last because c - a - b = -2 * (second moment along the axis of c).  diag([0 0 c]) is how
// planar models are published: it is right for a body that turns about that axis only.
static void check_moments(td_spec* spec, const checked* c, const char* name, const double* I) {
  double size = 0, w[3], V[9];
  static const double eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < 9; k++) size = fmax(size, fabs(I[k]));

  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) {
      if (fabs(I[3 * i + j] - I[3 * j + i]) <= slack * size) continue;
      td_error(&spec->diags, TD_E_MODEL, c->at,
               "%s must be symmetric, but element (%d,%d) is %g and (%d,%d) is %g", name, j + 1,
               i + 1, I[3 * i + j], i + 1, j + 1, I[3 * j + i]);
      return;
    }
  }
  if (!td_eig_symmetric(I, eye, 3, w, V)) return;
  if (w[0] < -slack * size)
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must not have a negative principal moment, got %g kg m^2", name, w[0]);
  else if (size > 0 && w[1] <= slack * size)
    td_warn(&spec->diags, c->at,
            "%s has a moment about one axis only: right for a body that turns about no other",
            name);
  else if (w[2] - w[0] - w[1] > slack * size)
    td_error(
        &spec->diags, TD_E_MODEL, c->at,
        "%s: no body has a principal moment larger than the sum of the other two, got %g, %g and "
        "%g kg m^2",
        name, w[0], w[1], w[2]);
}

static void inertias(td_spec* spec, const checked* c) {
  for (int p = 0; p < c->v->pages; p++) {
    double I[9];
    char name[96];
    if (!numbers(spec, c->v, 9 * p, 9, I)) continue;
    if (c->v->pages == 1)
      snprintf(name, sizeof name, "%s", c->name);
    else
      snprintf(name, sizeof name, "%s(:,:,%d)", c->name, p + 1);
    check_moments(spec, c, name, I);

    ex e[9];
    char rule[256];
    for (int k = 0; k < 9; k++) e[k] = td_value_ex(c->v, 9 * p + k, spec->graph);
    snprintf(rule, sizeof rule,
             "%s must be symmetric, without a negative principal moment and without one larger "
             "than the sum of the other two",
             name);
    td_bound_matrix(spec, BOUND_MOMENTS, e, 3, rule);
  }
}

// [axis angle]: the axis is 1, 2 or 3; [0 0] is no rotation.
static void axis_angle(td_spec* spec, const checked* c) {
  double axis, angle;
  if (!td_check_constant(spec, c->v, 0, &axis)) {
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s(1), the axis, must be known when the model is loaded", c->name);
    return;
  }
  const bool turns = !td_check_constant(spec, c->v, 1, &angle) || angle != 0;
  if (axis == 1 || axis == 2 || axis == 3 || (axis == 0 && !turns)) return;
  td_error(&spec->diags, TD_E_MODEL, c->at,
           "%s(1), the axis, must be 1 (x), 2 (y) or 3 (z), got %g", c->name, axis);
}

// [angle axis] with three numbers for the axis: it has a direction.
static void angle_axis(td_spec* spec, const checked* c, const double* x) {
  if (x[0] == 0 || norm3(x + 1) > 0) return;
  td_error(&spec->diags, TD_E_MODEL, c->at, "%s turns by %g rad about a zero axis", c->name, x[0]);
  td_hint(&spec->diags, "four numbers are [angle axis]");
}

bool td_is_vector_part(const td_spec* spec, const value* rot) {
  double x[4];
  if (td_value_count(rot) != 4 || !td_check_constant(spec, rot, 0, &x[0]) || x[0] != 0)
    return false;
  for (int k = 1; k < 4; k++)
    if (!td_check_constant(spec, rot, k, &x[k])) return true;
  return norm3(x + 1) > 0 && norm3(x + 1) < 1;
}

// Fixed [0 x y z] as published: the reader of [angle axis] is told.
static bool vector_part(td_spec* spec, const checked* c) {
  if (!td_is_vector_part(spec, c->v)) return false;
  char rule[160];
  ex sum = td_ex_const(spec->graph, 0);
  double x[4] = {0};
  for (int k = 1; k < 4; k++) {
    const ex e = td_value_ex(c->v, k, spec->graph);
    sum = td_ex_2(spec->graph, EX_ADD, sum, td_ex_2(spec->graph, EX_MUL, e, e));
  }
  if (numbers(spec, c->v, 0, 4, x) && norm3(x + 1) > 1)
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s is the vector part of a unit quaternion, which is not longer than 1, got %g",
             c->name, norm3(x + 1));
  else
    td_remark(&spec->diags, c->at,
              "%s = [0 x y z] is the vector part of a unit quaternion: a turn by 2*asin(norm([x y "
              "z])); four other numbers are [angle axis]",
              c->name);
  snprintf(rule, sizeof rule,
           "%s is the vector part of a unit quaternion, which is not longer than 1; its squared "
           "length is ",
           c->name);
  td_bound_range(spec, sum, 0, false, 1, rule, "");
  return true;
}

// joint.tr.rot: four numbers with an inf are a quaternion, which starts with 0 or inf.
static void joint_rotation(td_spec* spec, const checked* c) {
  const int n = td_value_count(c->v);
  double x[4];
  bool dof = false;
  if (n == 2) axis_angle(spec, c);
  if (n != 4) return;

  for (int k = 0; k < 4; k++) dof = (td_check_constant(spec, c->v, k, &x[k]) && isinf(x[k])) || dof;
  if (!dof) {
    if (vector_part(spec, c)) return;
    if (numbers(spec, c->v, 0, 4, x)) angle_axis(spec, c, x);
    return;
  }
  if (td_check_constant(spec, c->v, 0, &x[0]) && (x[0] == 0 || isinf(x[0]))) return;
  td_error(&spec->diags, TD_E_MODEL, c->at, "%s is an angle and an axis, where no DOF (inf) may be",
           c->name);
  td_hint(&spec->diags, "a quaternion with DOFs starts with 0 or inf");
}

// joint.tr2nd.rot, exload.tr.rot: four numbers are a quaternion.
static void place_rotation(td_spec* spec, const checked* c) {
  const int n = td_value_count(c->v);
  double x[4];
  if (n == 2) axis_angle(spec, c);
  if (n == 4 && vector_part(spec, c)) return;
  if (n == 4 && numbers(spec, c->v, 0, 4, x) && x[0] == 0 && norm3(x + 1) == 0)
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must not be the zero quaternion", c->name);
}

// Rows of three numbers that are directions.
static void directions(td_spec* spec, const checked* c) {
  const int rows = c->fit.rows;
  for (int i = 0; i < rows; i++) {
    double d[3];
    bool known = true;
    for (int j = 0; j < 3; j++) known = td_check_known(spec, c->v, i + rows * j, &d[j]) && known;
    if (known && norm3(d) > 0) {
      ex sum = td_ex_const(spec->graph, 0);
      char rule[128];
      for (int j = 0; j < 3; j++) {
        const ex e = td_value_ex(c->v, i + rows * j, spec->graph);
        sum = td_ex_2(spec->graph, EX_ADD, sum, td_ex_2(spec->graph, EX_MUL, e, e));
      }
      snprintf(rule, sizeof rule, "%s must not be zero: it is a direction; its squared length is ",
               c->name);
      td_bound_range(spec, sum, 0, true, HUGE_VAL, rule, "");
    }
    if (!known || norm3(d) > 0) continue;
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must not be zero: it is a direction", c->name);
    return;
  }
}

// The two axes of a universal joint are not parallel.
static void joint_axis(td_spec* spec, const checked* c) {
  double x[6];
  directions(spec, c);
  if (c->fit.rows != 2 || !numbers(spec, c->v, 0, 6, x)) return;
  const double a[3] = {x[0], x[2], x[4]}, b[3] = {x[1], x[3], x[5]};
  const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                           a[0] * b[1] - a[1] * b[0]};
  if (norm3(a) > 0 && norm3(b) > 0 && norm3(cross) <= slack * norm3(a) * norm3(b))
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s: the two axes must not be parallel", c->name);
}

static void event_when(td_spec* spec, const checked* c) {
  double x;
  if (td_check_constant(spec, c->v, 0, &x))
    td_warn(&spec->diags, c->at, "%s is the constant %g: this event never happens", c->name, x);
}

void td_check_value_rules(td_spec* spec, const checked* c) {
  static const struct {
    const char* path;
    void (*rule)(td_spec*, const checked*);
  } rules[] = {
      {"body.I", inertias},
      {"mesh.body.I", inertias},
      {"mesh.tr.rot", joint_rotation},
      {"mesh.joint.tr.rot", td_check_mesh_rotation},
      {"mesh.joint.tr.trans", td_check_mesh_translation},
      {"mesh.joint.xaxis", directions},
      {"joint.tr.rot", joint_rotation},
      {"joint.tr2nd.rot", place_rotation},
      {"exload.tr.rot", place_rotation},
      {"joint.axis", joint_axis},
      {"joint.xaxis", directions},
      {"contact.normal", directions},
      {"contact.axis", directions},
      {"event.when", event_when},
      {"rod.tr.rot", joint_rotation},
      {"rod.joint.axis", joint_axis},
      {"rod.points", td_check_weights},
      {"joint.rom.points", td_check_weights},
      {"rod.stiffness", td_check_section_matrix},
      {"rod.damping", td_check_section_matrix},
      {"rod.inertia", td_check_section_inertia},
      {"body.fluid.added_mass", td_check_section_matrix},
      {"body.fluid.drag_matrix", td_check_drag_matrix},
      {"rod.fluid.drag_matrix", td_check_drag_matrix},
      {"rod.shape", td_check_rod_strain},
      {"rod.init", td_check_rod_strain},
  };
  for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
    if (strcmp(rules[k].path, c->field->path) == 0) rules[k].rule(spec, c);
}

// ---- one structure ----------------------------------------------------------------------------

static const char* word(const value* s, int i, const char* field) {
  const value* v = td_get(s, i, field);
  return v && v->kind == V_STR ? v->s : "";
}

static bool one_of(const char* s, const char* const* words, int n) {
  for (int k = 0; k < n; k++)
    if (strcmp(s, words[k]) == 0) return true;
  return false;
}

// type, axis and pitch belong together.
static void joint_type(td_spec* spec, const value* s, int i, const char* name) {
  static const char* const with_axis[] = {"revolute",    "prismatic", "helical",
                                          "cylindrical", "planar",    "universal"};
  td_diags* diags = &spec->diags;
  const char* type = word(s, i, "type");
  const value *axis = td_get(s, i, "axis"), *pitch = td_get(s, i, "pitch");
  const bool helical = strcmp(type, "helical") == 0, universal = strcmp(type, "universal") == 0;
  if (*type && !td_field_has_option(td_field_find("joint.type"), type)) return;

  if (axis && !one_of(type, with_axis, 6)) {
    td_warn(diags, td_get_at(s, i, "axis"), "%s.axis has no effect: %s%s%s", name,
            *type ? "a joint of type '" : "there is no joint type", type,
            *type ? "' has no axis" : "");
  } else if (axis && axis->kind == V_NUM && td_value_count(axis) == (universal ? 3 : 6)) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "axis"),
             "%s.axis of a %s joint must be %s, got %dx%d", name, type, universal ? "2x3" : "1x3",
             axis->rows, axis->cols);
  }
  if (helical && !pitch)
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "type"),
             "%s.pitch is missing: a helical joint advances while it turns", name);
  if (pitch && !helical)
    td_warn(diags, td_get_at(s, i, "pitch"), "%s.pitch has no effect: only a helical joint has one",
            name);
}

// Both ends name as many elements, when both are repeated.
static void joint_ends(td_spec* spec, const value* s, int i, const char* name) {
  const value *first = td_get(s, i, "first"), *second = td_get(s, i, "second");
  if (!first || !second || first->kind != V_NUM || second->kind != V_NUM) return;
  const int a = td_value_count(first) - 1, b = td_value_count(second) - 1;
  if (a < 2 || b < 2 || a == b) return;
  td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "second"),
           "%s.second must name as many elements as %s.first, got %d and %d", name, name, b, a);
}

static void joint(td_spec* spec, const value* s, int i, const char* name) {
  joint_type(spec, s, i, name);
  joint_ends(spec, s, i, name);
}

// The field's number or its default; false for an expression or something else.
static bool scalar(const td_spec* spec, const value* s, int i, const char* path, double* x) {
  const value* v = td_field_get(s, i, path);
  *x = td_field_number(path);
  return !v || (v->kind == V_NUM && td_value_count(v) == 1 && td_check_constant(spec, v, 0, x));
}

static void par(td_spec* spec, const value* s, int i, const char* name) {
  double from, to, rtol, atol, row, rate;
  if (scalar(spec, s, i, "par.rtol", &rtol) && rtol > 0 && rtol < TD_LEAST_RTOL)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rtol"),
             "%s.rtol must be at least %g, ten times the rounding of a number, got %g: 1e-10 is "
             "already very fine",
             name, TD_LEAST_RTOL, rtol);
  if (scalar(spec, s, i, "par.atol", &atol) && atol > 0 && atol < TD_LEAST_ATOL)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "atol"),
             "%s.atol must be at least %g, got %g: below it the relative tolerance alone counts",
             name, TD_LEAST_ATOL, atol);
  if (scalar(spec, s, i, "par.atol", &atol) && atol > TD_MOST_ATOL && atol <= TD_MOST_NUMBER)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "atol"),
             "%s.atol must be at most %g, got %g: it is the error in m, rad, m/s and rad/s that a "
             "step may make",
             name, TD_MOST_ATOL, atol);
  if (scalar(spec, s, i, "par.rtol", &rtol) && rtol >= 1)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rtol"),
             "%s.rtol must be below 1, got %g: it is the relative error that a step may make", name,
             rtol);
  if (!scalar(spec, s, i, "par.t_init", &from) || !scalar(spec, s, i, "par.t_final", &to)) return;
  if (isnan(to)) to = from + 1;

  // times at which steps of a simulation can be told apart
  const double late = fmax(fabs(from), fabs(to)), shortest = 1e-12 * fmax(1, late);
  const char* time = td_get(s, i, "t_final") && !(fabs(from) > TD_MOST_TIME) ? "t_final" : "t_init";
  if (late > TD_MOST_TIME) {
    if (late <= TD_MOST_NUMBER)  // others have their message
      td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, time),
               "%s.%s: times of a simulation may be up to %g s, got %g s", name, time, TD_MOST_TIME,
               strcmp(time, "t_init") == 0 ? from : to);
    return;
  }
  if (to > from && to - from < shortest) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, time),
             "%s.%s: a simulation from %g s on lasts at least %g s, got %g s", name, time, from,
             shortest, to - from);
    return;
  }
  const value* control = td_get(s, i, "control");
  if (control && control->kind == V_STRUCT && td_value_count(control) == 1 &&
      scalar(spec, control, 0, "par.control.rate", &rate) && rate * (to - from) > TD_MOST_SAMPLES &&
      rate <= TD_MOST_NUMBER)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(control, 0, "rate"),
             "%s.control.rate: %g Hz for %g s are %.3g samples, they may be %g", name, rate,
             to - from, rate * (to - from), TD_MOST_SAMPLES);
  double step;
  if (td_get(s, i, "step") && scalar(spec, s, i, "par.step", &step) && step > 0 &&
      (to - from) / step > TD_MOST_STEPS)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "step"),
             "%s.step: steps of %g s for %g s are %.3g steps, they may be %g", name, step,
             to - from, (to - from) / step, TD_MOST_STEPS);
  if (!(to <= from)) {
    if (td_get(s, i, "dt_out") && scalar(spec, s, i, "par.dt_out", &row) && row > to - from) {
      td_warn(&spec->diags, td_get_at(s, i, "dt_out"),
              "%s.dt_out (%g s) is longer than the simulation (%g s): the result holds its first "
              "and its last state only",
              name, row, to - from);
    }
    return;
  }
  const char* written = td_get(s, i, "t_final") ? "t_final" : "t_init";
  td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, written),
           "%s.t_final must be later than t_init, got %g s and %g s", name, to, from);
}

void td_check_element_rules(td_spec* spec, const td_field* field, const value* s, int i,
                            const char* name) {
  if (strcmp(field->path, "joint") == 0) {
    joint(spec, s, i, name);
    for (int k = 0; k < HOP_KINDS; k++)
      if (td_hop_words[k]->fields) td_hop_words[k]->check(spec, s, i, name);
  }
  if (strcmp(field->path, "par") == 0) par(spec, s, i, name);
  if (strcmp(field->path, "rod") == 0) td_check_rod(spec, s, i, name);
  if (strcmp(field->path, "rod.joint") == 0) joint_type(spec, s, i, name);
  if (strcmp(field->path, "mesh") == 0) td_check_mesh(spec, s, i, name);
  if (strcmp(field->path, "chamber") == 0) td_check_chamber(spec, s, i, name);
  if (strcmp(field->path, "cable") == 0) td_check_cable(spec, s, i, name);
  if (strcmp(field->path, "contact") == 0) td_check_contact(spec, s, i, name);
  if (strcmp(field->path, "body") == 0 || strcmp(field->path, "rod") == 0 ||
      strcmp(field->path, "mesh") == 0)
    td_check_wet(spec, field, s, i, name);
  const force_words* own = td_words_of(field->path);
  if (own) own->check(spec, s, i, name);
}

// ---- masses -----------------------------------------------------------------------------------

static bool is_zero(const td_spec* spec, const value* v, int i) {
  const ex e = td_value_ex(v, i, spec->graph);
  return td_ex_is_const(spec->graph, e) && td_ex_value(spec->graph, e) == 0;
}

void td_check_masses(td_spec* spec) {
  const value* s = td_get(spec->root, 0, "body");
  for (int i = 0; s && i < td_value_count(s); i++) {
    bool empty = true;
    for (int k = 0; k < s->nfield && empty; k++)
      empty = td_value_is_empty(s->slots[i * s->nfield + k].v);
    // [0 0 m] as a row is a misprint of the published tables, taken for masses of three elements
    const value* m = td_get(s, i, "m");
    if (m && m->kind == V_NUM && m->rows == 1 && td_value_count(m) == 3 && is_zero(spec, m, 0) &&
        is_zero(spec, m, 1) && !is_zero(spec, m, 2)) {
      td_warn(&spec->diags, td_get_at(s, i, "m"),
              "body(%d).m = [0 0 m] has a mass for each of three elements, and the first two have "
              "none",
              i + 1);
      td_hint(&spec->diags, "write body(%d).m = m for the mass of each", i + 1);
    }
    if (empty || m) continue;  // gaps are told when the tree is built
    td_warn(&spec->diags, td_check_element_at(&spec->diags, s, i),
            "body(%d).m is not given: its mass is %s kg", i + 1, td_field_find("body.m")->fallback);
    td_hint(&spec->diags, "write body(%d).m = 0 if it has none", i + 1);
  }
}

// ---- names ------------------------------------------------------------------------------------

// A name and the element that has it.
typedef struct named {
  const char* name;
  int index;
} named;

static int compare_named(const void* a, const void* b) {
  const named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

// The names of a structure's elements, sorted; *list is the caller's to free.
static td_status collect(const value* s, named** list, int* n) {
  const int count = s && s->kind == V_STRUCT ? td_value_count(s) : 0;
  *n = 0;
  *list = malloc(sizeof(named) * ((size_t)count + 1));
  if (!*list) return TD_E_NOMEM;
  for (int i = 0; i < count; i++) {
    const char* name = word(s, i, "name");
    if (*name) (*list)[(*n)++] = (named){name, i};
  }
  if (*n > 1) qsort(*list, (size_t)*n, sizeof(named), compare_named);
  return TD_OK;
}

// No two elements have the same name.
static void check_unique(td_spec* spec, const char* root, const value* s, const named* list,
                         int n) {
  for (int k = 1, first = 0; k < n; k++) {
    if (strcmp(list[k].name, list[first].name) != 0) {
      first = k;
      continue;
    }
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, list[k].index, "name"),
             "%s(%d).name must be unique, but %s(%d) is called '%.80s' too", root,
             list[k].index + 1, root, list[first].index + 1, list[k].name);
  }
}

// A rod is not called like a body: both are places.
static td_status check_rod_names(td_spec* spec) {
  const value *bodies = td_get(spec->root, 0, "body"), *rods = td_get(spec->root, 0, "rod");
  named *body, *rod;
  int nbody, nrod;
  TD_TRY(collect(bodies, &body, &nbody));
  const td_status status = collect(rods, &rod, &nrod);
  for (int i = 0, k = 0; status == TD_OK && i < nrod && k < nbody;) {
    const int order = strcmp(rod[i].name, body[k].name);
    if (order == 0)
      td_error(&spec->diags, TD_E_MODEL, td_get_at(rods, rod[i].index, "name"),
               "rod(%d).name must be unique, but body(%d) is called '%.80s' too", rod[i].index + 1,
               body[k].index + 1, rod[i].name);
    i += order <= 0;
    k += order > 0;
  }
  if (status == TD_OK) free(rod);
  free(body);
  return status;
}

static const char* const output_words[] = {"energy", "q", "v", "z"};

// One entry of `output` against the sensors' names (sorted) and the words that are always known.
static td_status check_output(td_spec* spec, const char* name, td_span at, const named* list,
                              int n) {
  const named key = {name, 0};
  if (one_of(name, output_words, 4)) return TD_OK;
  int low = 0, high = n;  // first name that is not before ours
  while (low < high) {
    const int mid = low + (high - low) / 2;
    if (compare_named(&list[mid], &key) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  if (low < n && strcmp(list[low].name, name) == 0) return TD_OK;

  const char** known = malloc(sizeof(char*) * (size_t)(n + 4));
  if (!known) return TD_E_NOMEM;
  for (int k = 0; k < n; k++) known[k] = list[k].name;
  for (int k = 0; k < 4; k++) known[n + k] = output_words[k];
  td_error(&spec->diags, TD_E_MODEL, at,
           "output '%.80s' is neither the name of a sensor nor energy, q, v or z", name);
  td_suggest(&spec->diags, name, known, n + 4);
  free(known);
  return TD_OK;
}

// `output`: one name or a cell of names.
static td_status check_outputs(td_spec* spec, const named* list, int n) {
  const value* v = td_get(spec->root, 0, "output");
  if (!v) return TD_OK;
  if (v->kind == V_STR)
    return check_output(spec, v->s, td_get_at(spec->root, 0, "output"), list, n);
  for (int i = 0; v->kind == V_CELL && i < td_value_count(v); i++) {
    const value_slot* slot = &v->slots[i];
    if (slot->v && slot->v->kind == V_STR) {
      TD_TRY(check_output(spec, slot->v->s, slot->at, list, n));
    } else {
      td_error(&spec->diags, TD_E_MODEL, slot->at,
               "output{%d} must be the name of a sensor, got %s", i + 1,
               slot->v ? td_value_kind_text(slot->v) : "nothing");
    }
  }
  return TD_OK;
}

td_status td_check_names(td_spec* spec) {
  const char* roots[9 + FORCE_KINDS] = {"body",  "rod",     "mesh", "joint", "event",
                                        "cable", "contact", "task", "sensor"};
  int nroot = 9;
  for (int k = 0; k < FORCE_KINDS; k++)
    if (td_force_words[k]->fields) roots[nroot++] = td_force_words[k]->fields->path;
  TD_TRY(check_rod_names(spec));
  for (int k = 0; spec->root && k < nroot; k++) {
    const value* s = td_get(spec->root, 0, roots[k]);
    named* list;
    int n;
    TD_TRY(collect(s, &list, &n));
    check_unique(spec, roots[k], s, list, n);
    const bool sensors = strcmp(roots[k], "sensor") == 0;
    const td_status status = sensors ? check_outputs(spec, list, n) : TD_OK;
    free(list);
    TD_TRY(status);
  }
  return TD_OK;
}
