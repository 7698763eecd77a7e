// The rules of rods: a section and a material that give a stiffness and a mass, fields that would
// have no effect.  Expressions of arc length are judged
// at both ends and in the middle, parameters at their present values; rules of single numbers are
// kept for values that parameters get later (bounds.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/rods.h"
#include "model/structure.h"

// ---- reading ----------------------------------------------------------------------------------

bool td_check_number(const td_spec* spec, const value* v, int k, double arc, double fallback,
                     double* x) {
  *x = fallback;
  if (!v) return !isnan(fallback);
  return v->kind == V_NUM && k < td_value_count(v) && td_check_along(spec, v, k, arc, x);
}

int td_check_rod_count(const td_spec* spec) {
  const value* rods = td_get(spec->root, 0, "rod");
  return rods && rods->kind == V_STRUCT ? td_value_count(rods) : 0;
}

// A length at the parameters' present values; NaN when it is not known or wrong.
static double length_of(td_spec* spec, const value* s, int i) {
  const value* v = td_get(s, i, "length");
  if (!v || v->kind != V_NUM || td_value_count(v) != 1) return NAN;
  const ex e = td_value_ex(v, 0, spec->graph);
  if (td_ex_depends(spec->graph, e) & ~(unsigned)TD_ON_PARAM) return NAN;
  double x;
  if (!td_spec_evaluate(spec, e, NAN, &x)) return NAN;
  return x > 0 ? x : (double)NAN;
}

// The expression of a length that length_of() knows.
static ex length_ex(td_spec* spec, const value* s, int i) {
  const value* v = td_get(s, i, "length");
  const bool one = v && v->kind == V_NUM && td_value_count(v) == 1;
  return one ? td_value_ex(v, 0, spec->graph) : td_ex_const(spec->graph, NAN);
}

static stretch stretch_of(td_spec* spec, const value* s, int i, const stretch* before) {
  stretch at = {.length = length_of(spec, s, i),
                .from_ex = td_ex_const(spec->graph, 0),
                .length_ex = length_ex(spec, s, i)};
  if (before) {
    at.from = before->from + before->length;
    at.from_ex = td_ex_2(spec->graph, EX_ADD, before->from_ex, before->length_ex);
  }
  at.moves = !td_ex_is_const(spec->graph, at.from_ex) || !td_ex_is_const(spec->graph, at.length_ex);
  return at;
}

stretch td_check_part(td_spec* spec, int i, int k, const stretch* before) {
  return stretch_of(spec, td_get(td_get(spec->root, 0, "rod"), i, "part"), k, before);
}

stretch td_check_rod(td_spec* spec, int i) {
  const value* rods = td_get(spec->root, 0, "rod");
  const value* parts = td_get(rods, i, "part");
  if (!parts || parts->kind != V_STRUCT) return stretch_of(spec, rods, i, NULL);
  if (td_value_count(parts) > td_nested_limit(spec))  // is reported there
    return (stretch){.length = NAN};
  stretch at = {.length = NAN}, none = {.from_ex = td_ex_const(spec->graph, 0)};
  for (int k = 0; k < td_value_count(parts); k++)
    at = td_check_part(spec, i, k, k > 0 ? &at : NULL);
  return (stretch){.length = at.from + at.length,
                   .moves = at.moves,
                   .from_ex = none.from_ex,
                   .length_ex = td_ex_2(spec->graph, EX_ADD, at.from_ex, at.length_ex)};
}

double td_check_rod_length(td_spec* spec, int i) { return td_check_rod(spec, i).length; }

void td_check_range_stays(td_spec* spec, int i, const value* from, const value* to,
                          const char* name) {
  td_exprs* g = spec->graph;
  const stretch rod = td_check_rod(spec, i);
  const ex end = to ? td_value_ex(to, 0, g) : rod.length_ex,
           start = from ? td_value_ex(from, 0, g) : td_ex_const(g, 0);
  char rule[200];
  snprintf(rule, sizeof rule, "%.100s.to: rod(%d) must not end before it, got a distance of ", name,
           i + 1);
  if (to)
    td_bound_range(spec, td_ex_2(g, EX_SUB, rod.length_ex, end), -1e-9 * rod.length, false,
                   HUGE_VAL, rule, " m");
  snprintf(rule, sizeof rule, "%.100s.from must be below where it ends, got a distance of ", name);
  td_bound_range(spec, td_ex_2(g, EX_SUB, end, start), 0, true, HUGE_VAL, rule, " m");
}

// ---- single fields ----------------------------------------------------------------------------

// [m m m Jx Jy Jz]: a mass has no direction.
static void check_inertia(td_spec* spec, const checked* c) {
  for (int p = 0; p < 3; p++) {
    double m[3];
    ex e[3];
    for (int k = 0; k < 3; k++) {
      if (!td_check_along(spec, c->v, k, stretch_arc(c->along, p), &m[k])) return;
      e[k] = td_bound_at(spec, c->v, k, td_stretch_ex(spec, c->along, p));
    }
    for (int k = 1; k < 3 && fabs(m[k] - m[0]) <= 1e-9 * fabs(m[0]); k++) {
      if (e[k] == e[0]) continue;
      char rule[160];
      snprintf(rule, sizeof rule,
               "%s: the first three numbers are the mass per length and must be equal; their "
               "ratio is ",
               c->name);
      td_bound_range(spec, td_ex_2(spec->graph, EX_DIV, e[k], e[0]), 1 - 1e-9, false, 1 + 1e-9,
                     rule, "");
    }
    if (fabs(m[1] - m[0]) + fabs(m[2] - m[0]) <= 1e-9 * fabs(m[0])) continue;
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s: the first three numbers are the mass per length and must be equal, got %g, %g "
             "and %g kg/m",
             c->name, m[0], m[1], m[2]);
    return;
  }
}

// A stretch of -1 would have no length left.  Other than six numbers are coordinates.
static void check_strain(td_spec* spec, const checked* c) {
  if (td_value_count(c->v) != 6 || c->along.coords) return;
  for (int p = 0; p < 3; p++) {
    double x;
    if (!td_check_along(spec, c->v, 2, stretch_arc(c->along, p), &x)) continue;
    char rule[160];
    snprintf(rule, sizeof rule,
             "%s(3), the stretch, must be above -1, where the rod has no length left, got ",
             c->name);
    td_bound_range(spec, td_bound_at(spec, c->v, 2, td_stretch_ex(spec, c->along, p)), -1, true,
                   HUGE_VAL, rule, "");
    if (x > -1) continue;
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s(3), the stretch, must be above -1, where the rod has no length left, got %g",
             c->name, x);
    return;
  }
}

// ---- sections ---------------------------------------------------------------------------------

// Which fields a section has.
static const struct {
  const char *section, *field;
} section_fields[] = {
    {"circle", "radius"}, {"ring", "radius"},    {"rectangle", "width"}, {"rectangle", "height"},
    {"ellipse", "width"}, {"ellipse", "height"}, {"custom", "area"},     {"custom", "Ix"},
    {"custom", "Iy"},     {"custom", "J"},
};
enum { SECTION_FIELDS = sizeof section_fields / sizeof section_fields[0] };

static bool is_field_of(const char* section, const char* field) {
  for (int k = 0; k < SECTION_FIELDS; k++)
    if (strcmp(section_fields[k].section, section) == 0 &&
        strcmp(section_fields[k].field, field) == 0)
      return true;
  return false;
}

// Stiffness, damping or inertia that is not given follows from the section.
static bool needs_section(const rod_words* w) {
  return (!w->stiffness && !w->energy) || !w->inertia || (w->eta && !w->damping);
}

// Report fields that the shape of a section needs and lacks, and those that belong to another
// shape.
static void section_has_its_fields(td_spec* spec, const value* s, int i, const char* name,
                                   const rod_words* w) {
  const char* section = w->section;
  for (int k = 0; k < SECTION_FIELDS; k++) {
    const char* field = section_fields[k].field;
    if (strcmp(section_fields[k].section, section) != 0 || td_get(s, i, field)) continue;
    if (needs_section(w))
      td_error(&spec->diags, TD_E_MODEL, td_check_field_at(&spec->diags, s, i, "section"),
               "%s.%s is missing: a %s section has it", name, field, section);
  }
  for (int k = 0; k < SECTION_FIELDS; k++) {
    const char* field = section_fields[k].field;
    if (!td_get(s, i, field) || is_field_of(section, field)) continue;
    if (k > 0 && strcmp(section_fields[k - 1].field, field) == 0) continue;  // seen
    td_warn(&spec->diags, td_get_at(s, i, field), "%s.%s has no effect: the section is a %s", name,
            field, section);
  }
}

// One radius makes a circle, two a ring with the larger one first.
static void radii(td_spec* spec, const value* v, td_span at, const char* name, bool ring,
                  stretch along) {
  if (!v || v->kind != V_NUM) return;
  if (td_value_count(v) != (ring ? 2 : 1)) {
    td_error(&spec->diags, TD_E_MODEL, at,
             ring ? "%s.radius of a ring must be [outer inner], got %dx%d"
                  : "%s.radius of a circle must be a single number, got %dx%d",
             name, v->rows, v->cols);
    if (!ring) td_hint(&spec->diags, "a hollow rod is section = 'ring'");
    return;
  }
  for (int p = 0; ring && p < 3; p++) {
    double outer, inner;
    if (!td_check_along(spec, v, 0, stretch_arc(along, p), &outer)) return;
    if (!td_check_along(spec, v, 1, stretch_arc(along, p), &inner)) return;
    if (inner < outer) {
      char rule[200];
      const ex gap =
          td_ex_2(spec->graph, EX_SUB, td_bound_at(spec, v, 0, td_stretch_ex(spec, along, p)),
                  td_bound_at(spec, v, 1, td_stretch_ex(spec, along, p)));
      snprintf(rule, sizeof rule,
               "%s.radius: the inner radius must be below the outer one, the wall is ", name);
      td_bound_range(spec, gap, 0, true, HUGE_VAL, rule, " m");
      continue;
    }
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s.radius: the inner radius must be below the outer one, got [%g %g] m", name, outer,
             inner);
    return;
  }
}

// ---- materials --------------------------------------------------------------------------------

// Fields that another one makes useless.
static const struct {
  const char *field, *other;
} replaced[] = {
    {"E", "stiffness"},      {"G", "stiffness"}, {"nu", "stiffness"}, {"shear", "stiffness"},
    {"E", "energy"},         {"G", "energy"},    {"nu", "energy"},    {"shear", "energy"},
    {"stiffness", "energy"}, {"nu", "G"},        {"rho", "inertia"},  {"eta", "damping"},
};

// The shear modulus at rest, 2 (W1 + W2), is positive, and so is the limit Jm of Gent's law: both
// by the sums of moduli that the law names.
static void stiff_at_rest(td_spec* spec, const rod_words* w, const char* name, td_span at,
                          stretch along) {
  for (int k = 0; k < 2; k++) {
    const unsigned first = w->law->stiff[k];
    for (int p = 0; p < 3 && first != 0; p++) {
      double x = 0, sum = 0;
      bool known = true;
      ex total = td_ex_const(spec->graph, 0);
      for (int j = 0; j < w->law->moduli; j++)
        if (first >> j & 1) {
          known = known && td_check_along(spec, w->moduli, j, stretch_arc(along, p), &x);
          sum += x;
          total = td_ex_2(spec->graph, EX_ADD, total,
                          td_bound_at(spec, w->moduli, j, td_stretch_ex(spec, along, p)));
        }
      char rule[200];
      snprintf(rule, sizeof rule, "%s.moduli: %s of the law '%s' must be > 0, got ", name,
               k == 0 ? "the shear modulus at rest" : "the limit of I1 - 3", w->law->name);
      if (!known || sum > 0) {
        td_bound_range(spec, total, 0, true, HUGE_VAL, rule, "");
        continue;
      }
      td_error(&spec->diags, TD_E_MODEL, at, "%s.moduli: %s of the law '%s' must be > 0, got %g",
               name, k == 0 ? "the shear modulus at rest" : "the limit of I1 - 3", w->law->name,
               sum);
      return;
    }
  }
}

// Rubber has as many moduli as its law, neo-Hookean rubber may have E instead, and nothing else
// says how stiff it is.
static void rubber(td_spec* spec, const value* s, int i, const char* name, const rod_words* w,
                   stretch along) {
  static const char* const others[] = {"stiffness", "energy", "G", "nu", "E"};
  const bool by_E = w->law->moduli == 1 && !w->moduli;
  for (int k = 0; k < (by_E ? 4 : 5); k++)
    if (td_get(s, i, others[k]))
      td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, others[k]),
               "%s.%s and %s.law = '%s' contradict each other: both say how stiff it is", name,
               others[k], name, w->law->name);
  const td_span at = td_get_at(s, i, w->moduli ? "moduli" : "law");
  const int n = w->moduli ? td_value_count(w->moduli) : 0;
  if (by_E && !w->E && !w->material)
    td_error(&spec->diags, TD_E_MODEL, at, "%s.law = '%s' needs moduli, E or a material", name,
             w->law->name);
  else if (!by_E && n != w->law->moduli)
    td_error(&spec->diags, TD_E_MODEL, at, "%s.moduli: the law '%s' has %d, got %d", name,
             w->law->name, w->law->moduli, n);
  else if (!by_E)
    stiff_at_rest(spec, w, name, at, along);
}

// Report materials that are incomplete, and fields that others replace.
static void check_material(td_spec* spec, const value* s, int i, const char* name,
                           const rod_words* w, stretch along) {
  for (size_t k = 0; k < sizeof replaced / sizeof replaced[0]; k++) {
    const char *field = replaced[k].field, *other = replaced[k].other;
    if (!td_get(s, i, field) || !td_get(s, i, other)) continue;
    if (strcmp(other, "G") == 0 && (w->stiffness || w->energy)) continue;
    td_warn(&spec->diags, td_get_at(s, i, field), "%s.%s has no effect: %s is given", name, field,
            other);
  }
  const td_span at = td_check_element_at(&spec->diags, s, i);
  if (w->law)
    rubber(spec, s, i, name, w, along);
  else if (w->moduli)
    td_warn(&spec->diags, td_get_at(s, i, "moduli"),
            "%s.moduli has no effect: the law is linear (%s.law)", name, name);
  if (!w->stiffness && !w->E && !w->energy && !w->material && !w->law)
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s.E is missing: a rod needs E (Young's modulus) or stiffness", name);
  if (!w->inertia && !w->rho && !w->material)
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s.rho is missing: a rod needs rho (density) or inertia", name);
}

// A rod is long and thin: one that is thicker than long is rarely meant (millimetres, likely), and
// one that is ten times so never.
static void slenderness(td_spec* spec, const value* s, int i, const char* name, double whole,
                        stretch along) {
  static const char* const fields[] = {"radius", "width", "height"};
  for (int f = 0; f < 3; f++)
    for (int p = 0; p < 3; p++) {
      double x;
      if (!td_check_number(spec, td_get(s, i, fields[f]), 0, stretch_arc(along, p), NAN, &x)) break;
      const double across = f == 0 ? 2 * x : x;
      if (!(across > 2 * whole)) continue;
      const td_span at = td_get_at(s, i, fields[f]);
      if (across > 20 * whole)
        td_error(&spec->diags, TD_E_MODEL, at,
                 "%s.%s: %g m across and %g m long is no rod, which is long and thin", name,
                 fields[f], across, whole);
      else
        td_warn(&spec->diags, at,
                "%s.%s: %g m across and %g m long: the laws of rods hold for long and thin ones",
                name, fields[f], across, whole);
      td_hint(&spec->diags, "in metres; a short thick part is better a body");
      break;
    }
}

// The model of that name; for a word that is no model, which is told elsewhere, one without traits.
static const rod_model_traits* model_of(const char* word) {
  static const rod_model_traits none = {.name = ""};
  for (int i = 0; i < ROD_MODELS; i++)
    if (strcmp(word, td_rod_models[i].name) == 0) return &td_rod_models[i];
  return &none;
}

// Check a rod without parts, or one part with the fields of its rod filled in.
static void check_part(td_spec* spec, const value* s, int i, const char* name, const char* model,
                       stretch along, double whole) {
  const rod_words w = td_rod_read(s, i);
  if (td_field_has_option(td_field_in(td_rod_fields, "rod.section"), w.section)) {
    section_has_its_fields(spec, s, i, name, &w);
    const bool ring = strcmp(w.section, "ring") == 0;
    if (ring || strcmp(w.section, "circle") == 0)
      radii(spec, w.radius, td_get_at(s, i, "radius"), name, ring, along);
  }
  if (!isnan(whole)) slenderness(spec, s, i, name, whole, along);
  check_material(spec, s, i, name, &w, along);
  const rod_model_traits* kind = model_of(model);
  if (*kind->name == 0) return;  // is told elsewhere
  if (w.points && !kind->points)
    td_warn(&spec->diags, td_get_at(s, i, "points"),
            "%s.points has no effect: the model '%.40s' has one point in each segment", name,
            model);
  static const char* const functions[] = {"basis", "order", "elements", "functions", "magnus"};
  const value* const written[] = {w.basis, w.order, w.elements, w.functions, w.magnus};
  for (int k = 0; k < 5 && !kind->functions; k++) {
    const value* v = written[k];
    const bool one = v && v->kind == V_NUM && td_value_count(v) == 1 && v->x[0] == 1;
    if (v && !one)  // 1 is the default of rod.elements, written out
      td_warn(&spec->diags, td_get_at(s, i, functions[k]),
              "%s.%s has no effect: only the model 'gvs' has functions of strain, this is '%.40s'",
              name, functions[k], model);
  }
}

// The parts of a rod as they are written; NULL: it has none.
static const value* parts_of(const value* rods, int i) {
  const value* parts = td_get(rods, i, "part");
  return parts && parts->kind == V_STRUCT ? parts : NULL;
}
static int count(const value* parts) { return parts ? td_value_count(parts) : 0; }

// Does a strain field that is written out, of any rod or part, depend on coordinate k of rod i?
static bool moves_strain(const td_spec* spec, const value* rods, int i, int k) {
  int var = -1;
  for (int n = 0; n < spec->nsensor; n++) {
    const td_sensor_ref* ref = &spec->sensors[n].ref;
    if (td_sensor_table[ref->kind].depends == TD_ON_COORD && ref->index == i + 1 &&
        ref->component == k)
      var = spec->sensors[n].var;
  }
  for (int j = 0; var >= 0 && j < td_value_count(rods); j++) {
    const value* parts = parts_of(rods, j);
    for (int p = -1; p < count(parts); p++) {
      const value* v = p < 0 ? td_get(rods, j, "strain") : td_get(parts, p, "strain");
      for (int d = 0; v && v->kind == V_NUM && v->e && d < td_value_count(v); d++)
        if (v->e[d] != EX_NONE && td_ex_has_var(spec->graph, v->e[d], var)) return true;
    }
  }
  return false;
}

// Strain fields that are written out belong to 'gvs'.  Their coordinates belong to a whole rod, and
// each of them moves some strain.
static void written_strains(td_spec* spec, const value* s, int i, const char* name,
                            const char* model) {
  static const char* const fields[] = {"strain", "coords"};
  td_diags* diags = &spec->diags;
  const value *parts = parts_of(s, i), *coords = td_get(s, i, "coords");
  const int n = count(parts);

  // coordinates belong to the whole rod
  bool any = td_get(s, i, "strain") != NULL;
  for (int p = 0; p < n; p++) {
    any = any || td_get(parts, p, "strain");
    if (!td_get(parts, p, "coords")) continue;
    td_error(diags, TD_E_MODEL, td_get_at(parts, p, "coords"),
             "%s.part(%d).coords: coordinates of strains belong to the whole rod, write %s.coords",
             name, p + 1, name);
    return;
  }

  // models with coordinates of their own have none
  if (*model_of(model)->name == 0) return;  // is told elsewhere
  for (int p = -1; p < n && !model_of(model)->functions; p++)
    for (int f = 0; f < 2; f++) {
      const value* of = p < 0 ? s : parts;
      if (!td_get(of, p < 0 ? i : p, fields[f])) continue;
      td_error(diags, TD_E_MODEL, td_get_at(of, p < 0 ? i : p, fields[f]),
               "%s.%s: the model '%.20s' has coordinates of its own, a strain field that is "
               "written out needs 'gvs'",
               name, fields[f], model);
      return;
    }

  // slopes of the strains by the coordinates are continuous
  for (int p = -1; p < n; p++) {
    const value *of = p < 0 ? s : parts, *v = td_get(of, p < 0 ? i : p, "strain");
    int smooth = 1;
    for (int d = 0; v && v->kind == V_NUM && v->e && d < td_value_count(v); d++)
      if (v->e[d] != EX_NONE)
        smooth = min_int(smooth, td_ex_smoothness(spec->graph, v->e[d], TD_ON_COORD));
    if (smooth == 1) continue;
    td_error(diags, TD_E_MODEL, td_get_at(of, p < 0 ? i : p, "strain"),
             "%s.strain has %s in a coordinate: how the rod moves on there is not in the model",
             name, smooth < 0 ? "a jump" : "a corner");
    td_more(diags,
            "write it with functions whose slopes are continuous: sqrt(x^2 + e^2) for "
            "abs(x), max(x, 0)^2; tables have a corner where they end");
    return;
  }

  // every coordinate moves a strain
  if (!coords || coords->kind != V_NUM) return;
  if (!any) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "coords"),
             "%s.strain is missing: the strain field of the coordinates", name);
    return;
  }
  for (int k = 0; k < (int)coords->x[0]; k++) {
    if (moves_strain(spec, s, i, k)) continue;
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "coords"),
             "%s.coords: coordinate %d of %d moves no strain, of this rod or of another", name,
             k + 1, (int)coords->x[0]);
    return;
  }
}

// Loads and actuation see the point of their own rod at which they act.
static void seen_places(td_spec* spec, const value* s, int i, const char* name, const char* model) {
  static const char* const fields[] = {"load", "input"};
  const value* parts = parts_of(s, i);
  const rod_model_traits* kind = model_of(model);
  const bool apart = kind->positions && kind->points;  // loads act beside the points of strains
  for (int p = -1; p < count(parts); p++)
    for (int f = 0; f < 2; f++) {
      const value* of = p < 0 ? s : parts;
      const value* v = td_get(of, p < 0 ? i : p, fields[f]);
      for (int k = 0; k < spec->nsensor && v && v->kind == V_NUM && v->e; k++) {
        const td_sensor_ref* ref = &spec->sensors[k].ref;
        if (ref->root != 'r' || ref->arc != TD_ARC_HERE) continue;
        const bool other = ref->index != i + 1, unseen = sensor_is(ref->kind, OF_STRAIN) && apart;
        bool used = false;
        for (int d = 0; d < td_value_count(v); d++)
          used = used ||
                 (v->e[d] != EX_NONE && td_ex_has_var(spec->graph, v->e[d], spec->sensors[k].var));
        if (!used || (!other && !unseen)) continue;
        const td_span at = td_get_at(of, p < 0 ? i : p, fields[f]);
        if (other)
          td_error(&spec->diags, TD_E_MODEL, at,
                   "%s.%s acts at s of rod(%d): it may depend on %s(rod(%d), s), but it depends on "
                   "%s(rod(%d), s)",
                   name, fields[f], i + 1, td_sensor_table[ref->kind].name, i + 1,
                   td_sensor_table[ref->kind].name, ref->index);
        else
          td_error(&spec->diags, TD_E_MODEL, at,
                   "%s.%s: the model '%s' does not count its strains where loads act, "
                   "strain(rod(%d), s) needs another model",
                   name, fields[f], kind->name, i + 1);
        return;
      }
    }
}

// Check one rod: its length, its strains and places, and each of its parts.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  const rod_words w = td_rod_read(s, i);
  const char* model = w.model;
  const value* written = w.part;
  if (written && td_value_count(written) > td_nested_limit(spec)) return;  // is told

  // a rod has its length or those of its parts; written twice, they agree
  const double sum = td_check_rod_length(spec, i), whole = length_of(spec, s, i);
  if (!written && !w.length)
    td_error(&spec->diags, TD_E_MODEL, td_check_element_at(&spec->diags, s, i),
             "%s.length is missing (length at rest)", name);
  if (fabs(sum - whole) > 1e-9 * whole)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "length"),
             "%s.length must be the sum of its parts, %g m, got %g m", name, sum, whole);
  if (written && w.length) {
    char rule[160];
    const ex gap =
        td_ex_2(spec->graph, EX_SUB, td_check_rod(spec, i).length_ex, length_ex(spec, s, i));
    snprintf(rule, sizeof rule, "%.100s.length must be the sum of its parts, it is longer by ",
             name);
    td_bound_range(spec, gap, -1e-9 * whole, false, 1e-9 * whole, rule, " m");
  }

  written_strains(spec, s, i, name, model);
  seen_places(spec, s, i, name, model);
  if (!written || written->kind != V_STRUCT) {
    check_part(spec, s, i, name, model, td_check_rod(spec, i), sum);
    return;
  }
  value* parts = td_rod_parts(s, i);
  stretch at = {0};
  for (int k = 0; parts && k < td_value_count(parts); k++) {
    char part[160];
    snprintf(part, sizeof part, "%.100s.part(%d)", name, k + 1);
    at = td_check_part(spec, i, k, k > 0 ? &at : NULL);
    check_part(spec, parts, k, part, model, at, sum);
  }
  td_value_drop(parts);
}

// ---- all rods ---------------------------------------------------------------------------------

// Degrees of freedom of the strains of a part: at least its number of segments, whatever is held.
static double part_dofs(const value* rods, int i) {
  const rod_words w = td_rod_read(rods, i);
  const value *modes = w.modes, *n = w.n;
  const double segments =
      n && n->kind == V_NUM ? n->x[0] : td_field_default(td_field_in(td_rod_fields, "rod.n"));
  double each = 0;
  for (int k = 0; modes && modes->kind == V_NUM && k < td_value_count(modes); k++)
    each += modes->x[k] != 0;
  return segments * (modes ? fmax(1, each) : 6);
}

void td_check_rods(td_spec* spec) {
  const value* rods = td_get(spec->root, 0, "rod");
  const int n = td_check_rod_count(spec), most = spec->limits.dofs;
  double total = 0;
  int largest = 0;
  double most_here = 0;
  for (int i = 0; i < n; i++) {
    const value* written = td_get(rods, i, "part");
    if (written && td_value_count(written) > td_nested_limit(spec)) continue;  // is reported there
    value* parts = td_rod_parts(rods, i);
    double here = parts ? 0 : part_dofs(rods, i);
    for (int k = 0; parts && k < td_value_count(parts); k++) here += part_dofs(parts, k);
    td_value_drop(parts);
    total += here;
    if (here > most_here) largest = i;
    most_here = fmax(here, most_here);
  }
  if (!(total > most)) return;
  td_error(&spec->diags, TD_E_MODEL, td_check_field_at(&spec->diags, rods, largest, "n"),
           "rod(%d): the model may have %d degrees of freedom, its rods have %g", largest + 1, most,
           total);
}

// ---- inside a rod ------------------------------------------------------------------------------

// Is the offset [x y] within the outline of a section at an arc length?  True when it is not known.
static bool is_in_section(const td_spec* spec, const value* rods, int i, double arc,
                          const double* x) {
  const rod_words w = td_rod_read(rods, i);
  double a, b;
  if (strcmp(w.section, "circle") == 0 || strcmp(w.section, "ring") == 0)
    return !td_check_number(spec, w.radius, 0, arc, NAN, &a) || hypot(x[0], x[1]) <= a;
  const bool ellipse = strcmp(w.section, "ellipse") == 0;
  if (strcmp(w.section, "rectangle") != 0 && !ellipse) return true;
  if (!td_check_number(spec, w.width, 0, arc, NAN, &a)) return true;
  if (!td_check_number(spec, w.height, 0, arc, NAN, &b)) return true;
  if (ellipse) return hypot(2 * x[0] / a, 2 * x[1] / b) <= 1;
  return fabs(x[0]) <= a / 2 && fabs(x[1]) <= b / 2;
}

bool td_check_inside(td_spec* spec, int i, double arc, const double* x) {
  const value* rods = td_get(spec->root, 0, "rod");
  value* parts = td_rod_parts(rods, i);
  if (!parts) return is_in_section(spec, rods, i, arc, x);
  int k = 0;
  stretch at = td_check_part(spec, i, 0, NULL);
  while (k < td_value_count(parts) - 1 && arc >= at.from + at.length)
    at = td_check_part(spec, i, ++k, &at);
  const bool inside = is_in_section(spec, parts, k, arc, x);
  td_value_drop(parts);
  return inside;
}

static const td_rule rules[] = {
    {"rod", .element = check},
    {"rod", .element = td_check_rod_in_fluid},
    {"rod.joint", .element = td_check_joint_type},
    {"rod.tr.rot", .value = td_check_rotation},
    {"rod.joint.axis", .value = td_check_axes},
    {"rod.points", .value = td_check_weights},
    {"rod.stiffness", .value = td_check_section_matrix},
    {"rod.damping", .value = td_check_section_matrix},
    {"rod.inertia", .value = check_inertia},
    {"rod.fluid.drag_matrix", .value = td_check_drag_matrix},
    {"rod.shape", .value = check_strain},
    {"rod.init", .value = check_strain},
    {.path = NULL},
};

const td_structure td_structure_rod = {
    .fields = td_rod_fields,
    .rules = rules,
    .plural = "rods",
    .intro =
        "A rod is a slender body. It grows from `first` along the local z axis; x and y span its "
        "section, and `s` is the arc length, 0 at the base. Its section and material may be "
        "expressions of `s`; its moduli and loads also of time, inputs and sensors. "
        "[rods.md](rods.md) says how to choose the model and what the degrees of freedom are.\n\n"
        "`at(rod(k), s)` is a place as good as a body, wherever one is asked for: joints, links, "
        "loads and other rods begin or end there. `at(rod(k))` or `rod(k)` is the tip.",
    .example =
        "rod(1).length = 0.3;                     % a silicone finger that hangs down\n"
        "rod(1).tr.rot = [1 pi];\n"
        "rod(1).radius = 0.012 - 0.02*s;          % tapered\n"
        "rod(1).E      = 1.1e5;\n"
        "rod(1).rho    = 1080;\n"
        "rod(1).eta    = 300;\n"
        "rod(1).model  = 'ebr';\n"
        "rod(1).n      = 8;\n"
        "\n"
        "rod(2).first  = at(rod(1), 0.2);         % a thin one that grows from it sideways\n"
        "rod(2).tr.rot = [2 pi/2];\n"
        "rod(2).length = 0.1;\n"
        "rod(2).radius = 0.003;\n"
        "rod(2).E      = 1.1e5;\n"
        "rod(2).rho    = 1080;\n"
        "rod(2).model  = 'rom';\n",
};
