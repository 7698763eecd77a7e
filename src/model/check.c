// td_spec_check: walks the structures of a spec along the field table and reports everything that
// no robot can have, each at the place where it was written and named as the user writes it:
//
//   unknown names -> kinds -> values (check_value.c) -> rules of the structures (rules.c)
//
// The walk goes no deeper than the table, so its recursion is bounded whatever the text builds.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/check.h"
#include "model/fields.h"

// ---- structures -------------------------------------------------------------------------------

// Whether a value has the kind of a field, whatever its size and content.
static bool kind_fits(field_kind kind, const value* v) {
  switch (kind) {
    case FIELD_NUM:
    case FIELD_FLAG:
    case FIELD_INT:
      return v->kind == V_NUM;
    case FIELD_STR:
      return v->kind == V_STR;
    case FIELD_STRUCT:
    case FIELD_STRUCTS:
      return v->kind == V_STRUCT;
    case FIELD_PLACE:
      return v->kind == V_NUM || v->kind == V_REF;
    case FIELD_TARGET:
      return v->kind == V_STR || v->kind == V_NUM || v->kind == V_REF;
    case FIELD_PLACES:
      return v->kind == V_CELL;
    case FIELD_LIST:
      return v->kind == V_CELL || v->kind == V_STR;
    case FIELD_NODES:
      return v->kind == V_NUM || v->kind == V_STR;
    case FIELD_DATA:
      return v->kind == V_STR || v->kind == V_STRUCT;
    case FIELD_PAIRS:
      return v->kind == V_CELL;
  }
  return false;
}

// Words for the kind of value that a field takes, for messages.
static const char* kind_text(const td_field* f) {
  const bool one = strcmp(f->shape, "1") == 0 || strncmp(f->shape, "nx1", 3) == 0;
  switch (f->kind) {
    case FIELD_NUM:
      return one ? "a number" : "numbers";
    case FIELD_FLAG:
      return "0 or 1";
    case FIELD_INT:
      return one ? "a whole number" : "whole numbers";
    case FIELD_STR:
      return "a string";
    case FIELD_STRUCT:
    case FIELD_STRUCTS:
      return "a structure";
    case FIELD_PLACE:
      return "a body number, [body element ...] or a reference like at(body(2), 3)";
    case FIELD_TARGET:
      return "a word or a reference like body(2)";
    case FIELD_PLACES:
      return "a list of places like {at(body(1)), at(rod(2), 0.1)}";
    case FIELD_LIST:
      return "a list of names like {'tip', 'energy'}";
    case FIELD_NODES:
      return "a word or node numbers";
    case FIELD_DATA:
      return "the name of a file, or a table";
    case FIELD_PAIRS:
      return "a list of pairs like {'name', 'column'; 'other', 'column2'}";
  }
  return "";
}

static void check_value(walk* w, checked* c);

// Replace parameters in a field that must be known while loading by their values; they become
// structural.  Values that depend on anything else stay as they are.
static void settle(td_spec* spec, value_slot* slot) {
  value* v = slot->v;
  if (v->kind != V_NUM || !v->e) return;
  for (int i = 0; i < td_value_count(v); i++)
    if (v->e[i] != EX_NONE && td_ex_depends(spec->graph, v->e[i]) != TD_ON_PARAM) return;
  value* own = td_value_own(v);
  if (!own) return;
  for (int i = 0; i < td_value_count(own); i++) {
    if (own->e[i] == EX_NONE) continue;
    own->x[i] = td_spec_settle(spec, own->e[i]);
    own->e[i] = EX_NONE;
  }
  slot->v = own;
}

// Number of elements of the joint or load s(i), from its places [body element element ...].
static int repeated_elements(const td_field* field, const value* s, int i) {
  if (strcmp(field->path, "joint") == 0 && td_get(s, i, "rom")) return 0;  // values along the rod
  static const char* const places[] = {"joint.first", "joint.second", "exload.exbody"};
  int n = 1;
  for (int k = 0; k < 3; k++) {
    if (strncmp(places[k], field->path, strlen(field->path)) != 0) continue;
    const value* v = td_field_get(s, i, places[k]);
    if (v && v->kind == V_NUM) n = max_int(n, td_value_count(v) - 1);
  }
  return n;
}

// Report a field that no table has, or one that is known and refused.
static void report_unknown(td_spec* spec, const char* parent, const char* name,
                           const value_slot* slot) {
  char path[NAME_SIZE];
  td_write_name(path, sizeof path, "%s.%s", parent, name);
  const char* later = td_field_refused(path);
  if (!later) {
    td_field_unknown(&spec->diags, parent, name, slot->name_at);
  } else if (!td_value_is_empty(slot->v)) {
    td_error(&spec->diags, TD_E_MODEL, slot->name_at, "%s", later);
  }
}

// An element that uses something of a later version is not judged any further.
static bool has_later(const td_field* field, const value* s, int i) {
  for (int k = 0; k < s->nfield; k++) {
    char path[NAME_SIZE];
    if (td_value_is_empty(s->slots[i * s->nfield + k].v)) continue;
    if (td_field_child(field, s->names[k])) continue;
    td_write_name(path, sizeof path, "%s.%s", field->path, s->names[k]);
    if (td_field_refused(path)) return true;
  }
  return false;
}

// Replace a single number of body.I by the 3 x 3 matrix with this moment about every axis.  Other
// values stay as they are.
static void spread_inertia(td_spec* spec, const td_field* f, value_slot* slot) {
  const bool moments = strcmp(f->path, "body.I") == 0 || strcmp(f->path, "mesh.body.I") == 0;
  if (!moments || slot->v->kind != V_NUM || td_value_count(slot->v) != 1) return;
  value* I = td_value_num(3, 3, 1);
  bool ok = I != NULL;
  for (int k = 0; ok && k < 9; k += 4) {
    if (slot->v->e && slot->v->e[0] != EX_NONE)
      ok = td_value_set_ex(I, k, slot->v->e[0], spec->graph);
    else
      I->x[k] = slot->v->x[0];
  }
  if (!ok) {
    td_value_drop(I);
    return;
  }
  td_value_drop(slot->v);
  slot->v = I;
}

// Check field k of s(i), a structure that `parent` describes: its name, then its value.  A value
// that must be known while loading is replaced by a number first, and a scalar inertia by a matrix.
// `element` is the name of s(i) in messages.
static void check_field(walk* w, const td_field* parent, const value* s, int i, int k,
                        const char* element) {
  value_slot* slot = &s->slots[i * s->nfield + k];

  // the name must be in the table; an empty value counts as not given
  const td_field* f = td_field_child(parent, s->names[k]);
  if (!f && strcmp(parent->path, "par") == 0) return;  // data of the file
  if (!f) {
    report_unknown(w->spec, parent->path, s->names[k], slot);
    return;
  }
  if (td_value_is_empty(slot->v)) return;

  // the field must not be written under two names
  char name[NAME_SIZE];
  td_write_name(name, sizeof name, "%s.%s", element, s->names[k]);
  if (strcmp(s->names[k], td_field_name(f)) != 0 && td_get(s, i, td_field_name(f)))
    td_error(&w->spec->diags, TD_E_MODEL, slot->name_at,
             "%s and %s are the same field; write one of them", name, td_field_name(f));

  // bring the value into its final form, then check it
  snprintf(w->spec->settling, sizeof w->spec->settling, "%.100s", name);
  if (f->depends == TD_ON_NOTHING) settle(w->spec, slot);
  w->spec->settling[0] = '\0';
  spread_inertia(w->spec, f, slot);
  checked c = {f, slot->v, name, slot->at, {0}, w->along};
  check_value(w, &c);
}

// Report required fields of a structure that are missing.
static void check_required(td_spec* spec, const td_field* parent, const value* s, int i,
                           const char* element) {
  const size_t length = strlen(parent->path);
  for (const td_field* f = parent + 1; f->path; f++) {
    if (strncmp(f->path, parent->path, length) != 0) return;
    if (strchr(f->path + length + 1, '.')) continue;  // a field of a field
    if (strcmp(f->fallback, TD_REQUIRED) != 0 || td_field_get(s, i, f->path)) continue;
    td_error(&spec->diags, TD_E_MODEL, td_check_element_at(&spec->diags, s, i),
             "%s.%s is missing (%s)", element, td_field_name(f), f->text);
  }
}

// Check one element of a structure: each field, those that are missing, the rules.
static void check_element(walk* w, const td_field* field, const value* s, int i, const char* name) {
  const bool judged = !has_later(field, s, i);
  for (int k = 0; k < s->nfield; k++) {
    if (!s->slots[i * s->nfield + k].v) continue;
    if (judged || !td_field_child(field, s->names[k])) check_field(w, field, s, i, k, name);
  }
  if (!judged || w->partial) return;
  check_required(w->spec, field, s, i, name);
  for (const td_rule* r = w->structure->rules; r && r->path; r++)
    if (r->element && strcmp(r->path, field->path) == 0) r->element(w->spec, s, i, name);
}

// The rod that element i of a root structure is, or is in; its length is NaN where there is none.
static stretch rod_at_hand(td_spec* spec, const td_field* field, const value* s, int i) {
  const stretch none = {.length = NAN};
  if (strcmp(field->path, "rod") == 0) return td_check_rod(spec, i);
  if (strcmp(field->path, "chamber") != 0 && strcmp(field->path, "cable") != 0) return none;
  const value* rod = td_get(s, i, "rod");
  double number = 1;
  if (rod && (rod->kind != V_NUM || !td_check_constant(spec, rod, 0, &number))) return none;
  return number >= 1 && number <= td_check_rod_count(spec) ? td_check_rod(spec, (int)number - 1)
                                                           : none;
}

// Check every element of a structure or an array of structures, after the number of elements.  At a
// root (rod, body, ...) w receives the context of element i, which the checks of its fields need:
// repeated elements, length and number of the rod.
static void check_structs(walk* w, const checked* c) {
  const value* s = c->v;
  const bool root = strchr(c->field->path, '.') == NULL;
  const td_limits* limits = &w->spec->limits;
  const int most = strcmp(c->field->path, "body") == 0 ? limits->bodies
                   : root                              ? limits->parts
                                                       : td_nested_limit(w->spec);
  // its rule reports more than three, once
  if (strcmp(c->field->path, "mesh.joint") == 0 && td_value_count(s) > 3) return;
  if (td_value_count(s) > most) {
    td_error(&w->spec->diags, TD_E_MODEL, c->at, "%s has %d elements, it may have %d", c->name,
             td_value_count(s), most);
    return;
  }
  if (c->field->kind == FIELD_STRUCT && td_value_count(s) != 1) {
    td_error(&w->spec->diags, TD_E_MODEL, c->at, "%s must be one structure, got %d", c->name,
             td_value_count(s));
    return;
  }
  stretch part = {0};
  for (int i = 0; i < td_value_count(s); i++) {
    char name[NAME_SIZE];
    // rod(2) without rod(1): nothing was written there
    const bool numbered = root && w->structure->plural && !w->partial;
    const int gap =
        numbered ? td_check_gap(&w->spec->diags, s, i, c->field->path, w->structure->plural) : 0;
    if (gap > 0) {
      i += gap - 1;
      continue;
    }
    // empty joints are told of, all at once, when the tree is built
    if (strcmp(c->field->path, "joint") == 0 && td_check_is_empty(s, i)) continue;
    if (c->field->kind == FIELD_STRUCT)
      td_write_name(name, sizeof name, "%s", c->name);
    else
      td_write_name(name, sizeof name, "%s(%d)", c->name, i + 1);

    // context for the fields of this element
    if (root) {
      const bool later = strcmp(c->field->path, "body") == 0 || strcmp(c->field->path, "mesh") == 0;
      w->repeated = later ? 0 : repeated_elements(c->field, s, i);
      w->along = rod_at_hand(w->spec, c->field, s, i);
      w->along.coords = td_get(s, i, "coords") != NULL;
      w->rod = i;
    }
    const stretch whole = w->along;
    if (strcmp(c->field->path, "rod.part") == 0)
      w->along = part = td_check_part(w->spec, w->rod, i, i > 0 ? &part : NULL);
    check_element(w, c->field, s, i, name);
    w->along = whole;
  }
}

// Check the kind of a value, then its content by the function of that kind.
static void check_value(walk* w, checked* c) {
  if (!kind_fits(c->field->kind, c->v)) {
    td_error(&w->spec->diags, TD_E_MODEL, c->at, "%s must be %s, got %s", c->name,
             kind_text(c->field), td_value_kind_text(c->v));
    return;
  }
  switch (c->field->kind) {
    case FIELD_NUM:
    case FIELD_FLAG:
    case FIELD_INT:
      td_check_numbers(w, c);
      break;
    case FIELD_STR:
      td_check_word(w->spec, c);
      break;
    case FIELD_STRUCT:
    case FIELD_STRUCTS:
      check_structs(w, c);
      break;
    case FIELD_PLACE:
      td_check_place(w->spec, c);
      break;
    case FIELD_TARGET:
      if (c->v->kind == V_STR)
        td_check_word(w->spec, c);
      else
        td_check_place(w->spec, c);
      break;
    case FIELD_PLACES:
      td_check_places(w->spec, c);
      break;
    case FIELD_NODES:
      if (c->v->kind == V_STR)
        td_check_word(w->spec, c);
      else
        td_check_nodes(w->spec, c);
      break;
    case FIELD_LIST:
    case FIELD_DATA:
    case FIELD_PAIRS:
      break;  // with the names, once all sensors are known
  }
}

// A structure of a later version: empty ones (mesh = []) and plain numbers, which are the user's
// own variables, are fine.
static void check_root(walk* w, const char* name, const value_slot* slot) {
  const char* later = td_field_refused(name);
  const td_field* f = td_field_child(NULL, name);
  if (td_value_is_empty(slot->v)) return;
  if (f) {
    for (int k = 0; (w->structure = td_structure_at(k)) && w->structure->fields != f;) k++;
    checked c = {f, slot->v, name, slot->at, {0}, {.length = NAN}};
    check_value(w, &c);
  } else if (!later) {
    td_field_unknown(&w->spec->diags, "", name, slot->name_at);
  } else if (slot->v->kind != V_NUM) {
    td_error(&w->spec->diags, TD_E_MODEL, slot->name_at, "%s", later);
  }
}

// Check all structures in the order of the text, then rules that span several of them.  A spec that
// is loaded in part (spec->partial) skips rules across structures.
td_status td_spec_check(td_spec* spec) {
  walk w = {spec, NULL, 0, 0, {.length = NAN}, false};
  td_bounds_clear(spec);
  const value* root = spec->root;
  for (int k = 0; root && k < root->nfield; k++) {
    // a chamber is judged by its rod too
    const unsigned related = strcmp(root->names[k], "chamber") == 0 ? ~0u : 1u << k;
    w.partial = (spec->partial & related) != 0;
    check_root(&w, root->names[k], &root->slots[k]);
  }
  if (!spec->partial) {
    td_check_rods(spec);
    td_check_internals(spec);
    TD_TRY(td_check_names(spec));
  }
  if (spec->diags.errors == 0) td_check_masses(spec);
  if (spec->language_check) spec->language_check(spec->language);
  return spec->diags.errors > 0 ? TD_E_MODEL : TD_OK;
}
