// The rules of contacts: what touches and is touched exists, has a surface, and has the fields that
// belong to it.
#include <math.h>
#include <string.h>

#include "model/rules.h"

static const char* word(const value* s, int i, const char* field) {
  const value* v = td_get(s, i, field);
  return v && v->kind == V_STR ? v->s : "";
}

static bool is_rod(const value* v) {
  return v && v->kind == V_REF && strcmp(v->ref.root, "rod") == 0;
}

static bool is_mesh(const value* v) {
  return v && v->kind == V_REF && strcmp(v->ref.root, "mesh") == 0 && !v->ref.has_place;
}

static bool same(const value* a, const value* b) {
  if (!a || !b || a->kind != V_REF || b->kind != V_REF) return false;
  return strcmp(a->ref.root, b->ref.root) == 0 && a->ref.index == b->ref.index;
}

// A rod touches with the surface of its section.
static void contact_rod(td_spec* spec, const value* s, int i, const char* name, const char* side) {
  const value *v = td_get(s, i, side), *rods = td_get(spec->root, 0, "rod");
  if (!is_rod(v)) return;
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
  for (int k = 0; k < 2 && is_rod(td_get(s, i, "first")); k++)
    if (td_get(s, i, own[k]))
      td_warn(&spec->diags, td_get_at(s, i, own[k]),
              "%s.%s has no effect: a rod touches with its own points", name, own[k]);
  if (td_get(s, i, "points") && is_mesh(td_get(s, i, "first")))
    td_warn(&spec->diags, td_get_at(s, i, "points"),
            "%s.points has no effect: a mesh touches with its nodes", name);
  if (td_get(s, i, "per") && !is_rod(td_get(s, i, "first")))
    td_warn(&spec->diags, td_get_at(s, i, "per"), "%s.per has no effect: a %s", name,
            is_mesh(td_get(s, i, "first")) ? "mesh touches with its nodes"
                                           : "body touches with its points");
}

void td_check_contact(td_spec* spec, const value* s, int i, const char* name) {
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
