// Sensors, references, parameters and inputs: pos(body(2)), at(body(2), 3), param('E', 1e5),
// input('u', 0).
//
// body(2) inside a sensor is a reference, not a value: it is recognised by how it is written, and
// it may refer to a body that is described further down.  A function takes the arguments of a call,
// checks them, and returns its value, or NULL after a message.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"
#include "model/fields.h"

// ---- references -------------------------------------------------------------------------------

// Name of the structure in body or body(2); "" for other expressions.
static const char* root_name(const ast* node) {
  if (node->kind == AST_NAME) return node->text;
  return node->kind == AST_INDEX && node->a->kind == AST_NAME ? node->a->text : "";
}

bool td_is_reference(const ast* node) {
  const char* name = root_name(node);
  return strcmp(name, "body") == 0 || strcmp(name, "joint") == 0 || strcmp(name, "rod") == 0 ||
         strcmp(name, "cable") == 0 || strcmp(name, "mesh") == 0 ||
         (td_field_refused(name) && td_field_is_root(name));
}

// Evaluate an argument that must be a whole number of at least `lo`.
static bool int_of(lang* L, const ast* node, const char* what, int lo, int* x) {
  value* v = td_eval(L, node);
  if (!v) return false;
  double d = 0;
  bool ok = false;
  if (v->kind != V_NUM || td_value_count(v) != 1) {
    char text[TD_DESCRIBE_SIZE];
    td_fail(L, node->at, "%s must be a whole number, got %s", what, td_value_describe(v, text));
  } else if (td_number_at(L, v, 0, node->at, what, &d)) {
    ok = d == floor(d) && d >= lo && d <= 1e6;
    if (!ok) td_fail(L, node->at, "%s must be a whole number, %d or more, got %g", what, lo, d);
  }
  td_value_drop(v);
  if (ok) *x = (int)d;
  return ok;
}

// Evaluate a reference that is written as body or body(2).
static bool written_reference(lang* L, const ast* node, value_ref* ref) {
  const char* root = root_name(node);
  const char* later = td_field_refused(root);
  if (later) return td_fail(L, node->at, "%s", later) != NULL;
  snprintf(ref->root, sizeof ref->root, "%s", root);
  ref->index = 1;
  if (node->kind == AST_NAME) return true;
  if (node->n != 1)
    return td_fail(L, node->at, "a reference takes one number, as in %s(2)", root) != NULL;

  // `end` in the number refers to the structure
  const variable* var = td_scope_find(&L->global, root);
  const value* old = L->end_base;
  const bool old_in = L->in_index;
  const int old_n = L->end_n;
  L->end_base = var ? var->v : NULL;
  L->end_n = 1;
  L->in_index = true;
  char what[40];
  snprintf(what, sizeof what, "the number of a %.16s", root);
  const bool ok = int_of(L, node->list[0], what, strcmp(root, "body") == 0 ? 0 : 1, &ref->index);
  L->end_base = old;
  L->end_n = old_n;
  L->in_index = old_in;
  return ok;
}

// Number of the element of a structure array that has this name; 0: none so far.
static int find_named(const lang* L, const char* root, const char* name) {
  const variable* var = td_scope_find(&L->global, root);
  const int n = var && var->v && var->v->kind == V_STRUCT ? td_value_count(var->v) : 0;
  for (int i = 0; i < n; i++) {
    const value* v = td_get(var->v, i, "name");
    if (v && v->kind == V_STR && strcmp(v->s, name) == 0) return i + 1;
  }
  return 0;
}

// Structure in which a name is searched after rods.
static const char* root_about(char about) {
  return about == 'j' ? "joint" : about == 'r' ? "rod" : about == 'c' ? "cable" : "body";
}

// Fill *ref with the rod, or else the structure that the sensor is about ('b' body, 'j' joint, 'r'
// rod, 'c' cable), of this name.  A name that nothing has yet is recorded in L->pendings, to be
// resolved at the end of the load: ref->index is then minus its number.  False after a message: out
// of memory or out of the allowed operations.
static bool named_reference(lang* L, const char* name, char about, td_span at, value_ref* ref) {
  // search among rods, then in the structure itself
  const char* const roots[] = {"rod", root_about(about)};
  for (int k = 0; k < 2; k++) {
    const variable* things = td_scope_find(&L->global, roots[k]);
    if (!td_spend(L, 10 + (things && things->v ? td_value_count(things->v) : 0), at)) return false;
    snprintf(ref->root, sizeof ref->root, "%s", roots[k]);
    ref->index = find_named(L, roots[k], name);
    if (ref->index > 0) return true;
  }

  // record a name that may be given later
  pending* grown = td_grow(L->pendings, &L->pending_cap, L->npending + 1, sizeof *grown);
  if (!grown) return td_no_memory(L, at) != NULL;
  L->pendings = grown;
  char* copy = td_strdup(name);
  if (!copy) return td_no_memory(L, at) != NULL;
  grown[L->npending++] = (pending){copy, about, at};
  ref->index = -L->npending;
  return true;
}

bool td_is_named(const lang* L, const char* name) {
  return find_named(L, "rod", name) > 0 || find_named(L, "body", name) > 0;
}

int td_rod_named(const lang* L, const char* name) { return find_named(L, "rod", name); }

// Value that refers to the body or rod of this name; `name` is dropped.  NULL after a message.
value* td_named_place(lang* L, value* name, td_span at) {
  value_ref ref = {.place = EX_NONE};
  value* v = NULL;
  if (named_reference(L, name->s, 'b', at, &ref))
    v = td_metered(L, td_value_ref(ref.root, ref.index), at);
  if (v) v->ref = ref;
  td_value_drop(name);
  return v;
}

// Number (from 1) of the structure that the k-th recorded name refers to. 0 after a message:
// nothing has this name, or only a rod that was named after its use.
static int resolve(lang* L, int k) {
  pending* p = &L->pendings[k];
  const char* root = root_about(p->root);
  const int index = find_named(L, root, p->name), rod = find_named(L, "rod", p->name);
  if (index > 0) return index;
  if (rod > 0) {
    td_fail(L, p->at, "'%s' is rod(%d), which gets its name further on", p->name, rod);
    td_hint(L->diags, "write rod(%d), or name the rod before", rod);
    return 0;
  }

  // nothing has it: suggest the nearest name of this structure
  const variable* var = td_scope_find(&L->global, root);
  td_fail(L, p->at, "there is no %s named '%s'", root, p->name);
  const int n = var && var->v && var->v->kind == V_STRUCT ? td_value_count(var->v) : 0;
  const char** names = malloc(sizeof *names * (size_t)max_int(1, n));
  int count = 0;

  for (int i = 0; names && i < n; i++) {
    const value* v = td_get(var->v, i, "name");
    if (v && v->kind == V_STR) names[count++] = v->s;
  }

  if (names) td_suggest(L->diags, p->name, names, count);
  free((void*)names);
  return 0;
}

// Replace recorded names by numbers in a value and everything it holds.
static void resolve_values(value* v, const int* index) {
  if (!v) return;
  if (v->kind == V_REF && v->ref.index < 0) v->ref.index = index[-v->ref.index - 1];
  if (v->kind != V_STRUCT && v->kind != V_CELL) return;
  const int n = td_value_count(v) * (v->kind == V_STRUCT ? v->nfield : 1);
  for (int i = 0; i < n; i++) resolve_values(v->slots[i].v, index);
}

// At the end of a load: replace the numbers of recorded names by those of the structures they name,
// in sensors and in all variables.  Names that nothing has are reported.
void td_resolve_names(lang* L) {
  if (L->npending == 0) return;
  int* index = malloc(sizeof(int) * (size_t)L->npending);
  if (!index) {
    td_no_memory(L, td_span_none());
    return;
  }
  for (int k = 0; k < L->npending; k++) index[k] = resolve(L, k);

  for (int i = 0; i < L->spec->nsensor; i++) {
    td_sensor_ref* r = &L->spec->sensors[i].ref;
    if (r->index < 0) r->index = index[-r->index - 1];
  }

  for (int i = 0; i < L->global.n; i++) resolve_values(L->global.list[i].v, index);
  free(index);
  for (int k = 0; k < L->npending; k++) free(L->pendings[k].name);
  L->npending = 0;
}

// Evaluate an argument that must refer to a thing: written as body(2), a variable that holds a
// reference, or a name. `about` is the kind of thing the function takes, `function` its name in
// messages.
bool td_reference(lang* L, const ast* node, char about, const char* function, value_ref* ref) {
  *ref = (value_ref){.place = EX_NONE};
  if (td_is_reference(node)) return written_reference(L, node, ref);
  value* v = td_eval(L, node);
  if (!v) return false;
  bool ok = false;
  if (v->kind == V_REF) {
    *ref = v->ref;
    ok = true;
  } else if (v->kind == V_STR) {
    ok = named_reference(L, v->s, about, node->at, ref);
  } else {
    char text[TD_DESCRIBE_SIZE];
    const char* root = root_about(about);
    td_fail(L, node->at, "%s is about a %s, as in %s(2) or its name, got %s", function, root, root,
            td_value_describe(v, text));
  }
  td_value_drop(v);
  return ok;
}

// Evaluate an arc length: a finite number.  One that follows parameters alone is kept as an
// expression, *e; else it must be known while the model loads.
static bool arc_of(lang* L, const ast* node, double* arc, ex* e) {
  value* v = td_eval(L, node);
  if (!v) return false;
  bool ok = false;
  if (v->kind != V_NUM || td_value_count(v) != 1) {
    char text[TD_DESCRIBE_SIZE];
    td_fail(L, node->at, "an arc length must be a number, got %s", td_value_describe(v, text));
  } else {
    const bool follows = v->e && v->e[0] != EX_NONE &&
                         td_ex_depends(L->g, v->e[0]) == TD_ON_PARAM &&
                         td_spec_evaluate(L->spec, v->e[0], NAN, arc);
    *e = follows ? v->e[0] : EX_NONE;
    ok = follows || td_number_at(L, v, 0, node->at, "an arc length", arc);
    if (ok && !isfinite(*arc)) {
      td_fail(L, node->at, "an arc length must be a finite number, got %g", *arc);
      ok = false;
    }
  }
  td_value_drop(v);
  return ok;
}

// Check that a place is given once: at(body(1), 2) and a further number contradict each other.
static bool told_once(lang* L, const ast* node, const char* name, bool told) {
  if (!told) return true;
  td_fail(L, node->at, "%s: the place is told twice, by at(...) and by this number", name);
  td_hint(L->diags, "leave one of them out");
  return false;
}

// at(body(2), 3), at(rod(1), 0.2): a place.  The number on a body is an element, or an arc length
// where a joint with `rom` makes the body a polynomial rod.  That joint may be described further
// down; which of the two it is, and whether the body has it, is decided when the model is built.
value* td_at_call(lang* L, const ast* node) {
  if (node->kind != AST_INDEX || node->n < 1 || node->n > 2) {
    return td_fail(L, node->at, "at(body, element) needs one or two arguments, got %d",
                   node->kind == AST_INDEX ? node->n : 0);
  }
  value_ref ref;
  if (!td_reference(L, node->list[0], 'b', "at", &ref)) return NULL;
  if (node->n == 2 && !told_once(L, node->list[1], "at", ref.has_place)) return NULL;

  // the place on a body or rod, or the element of another structure
  if (node->n == 2 && (strcmp(ref.root, "body") == 0 || strcmp(ref.root, "rod") == 0)) {
    double arc;  // or the element of a body
    ex e;
    if (!arc_of(L, node->list[1], &arc, &e)) return NULL;
    ref.has_place = true;
    if (e != EX_NONE && strcmp(ref.root, "rod") != 0) arc = td_spec_settle(L->spec, e);
    ref.place = e != EX_NONE && strcmp(ref.root, "rod") == 0 ? e : td_ex_const(L->g, arc);
    if (ref.place == EX_NONE) return td_no_memory(L, node->at);
  } else if (node->n == 2) {
    int element;
    if (!int_of(L, node->list[1], "the element of a body", 1, &element)) return NULL;
    ref.has_place = true;
    ref.place = td_ex_const(L->g, element);
    if (ref.place == EX_NONE) return td_no_memory(L, node->at);
  }

  value* v = td_metered(L, td_value_ref(ref.root, ref.index), node->at);
  if (v) v->ref = ref;
  return v;
}

// ---- sensors ----------------------------------------------------------------------------------

// Read a point in the body frame, [x y z]; its coordinates may follow parameters.
static bool point_of(lang* L, const ast* node, value* v, td_sensor_ref* ref) {
  for (int i = 0; i < 3; i++) {
    const ex e = v->kind == V_NUM && v->e ? v->e[i] : EX_NONE;
    if (e != EX_NONE && td_ex_depends(L->g, e) == TD_ON_PARAM &&
        td_spec_evaluate(L->spec, e, NAN, &ref->point[i]))
      ref->follows[i] = e + 1;
    else if (!td_number_at(L, v, i, node->at, "a point", &ref->point[i]))
      return false;
  }
  ref->has_point = true;
  return true;
}

// Place on a body: an element, or an arc length where the body is a polynomial rod.  The builder
// decides which of the two a whole number is; any other number is no element.
static void place_on_body(td_sensor_ref* ref, double place) {
  const bool counts = place == floor(place) && place >= 1 && place <= 1e6;
  ref->arc = place;
  ref->element = counts ? (int)place : 0;
  ref->item = counts ? 0 : 1;
}

// Read the arguments of pos, vel, ... after the body: an element, a local point, or both; an arc
// length on a body that is a polynomial rod.
static bool body_arguments(lang* L, const ast* node, bool told, td_sensor_ref* ref) {
  const char* name = td_sensor_table[ref->kind].name;
  const bool takes_point = sensor_is(ref->kind, WITH_POINT);
  if (node->n > (takes_point ? 3 : 2)) {
    return td_fail(L, node->at, "%s(body, element%s) called with %d arguments", name,
                   takes_point ? ", point" : "", node->n) != NULL;
  }

  for (int i = 1; i < node->n; i++) {
    value* v = td_eval(L, node->list[i]);
    if (!v) return false;
    bool ok;
    double x = 0;

    // a point, or an element or arc length
    if (takes_point && v->kind == V_NUM && td_value_count(v) == 3) {
      ok = point_of(L, node->list[i], v, ref);
    } else if (i == 1 && v->kind == V_NUM && td_value_count(v) == 1) {
      ok = told_once(L, node->list[i], name, told) &&
           td_number_at(L, v, 0, node->list[i]->at, "the element of a body", &x);
      const bool counts = x == floor(x) && x >= 1 && x <= 1e6;
      if (ok && !(ref->root == 'b' ? isfinite(x) : counts)) {
        ok = td_fail(L, node->list[i]->at,
                     "the element of a body must be a whole number, 1 or more, got %g", x) != NULL;
      }
      if (ok && ref->root == 'b')
        place_on_body(ref, x);
      else if (ok)
        ref->element = (int)x;
    } else {
      char text[TD_DESCRIBE_SIZE];
      ok = td_fail(L, node->list[i]->at, "%s takes an element (a number)%s here, got %s", name,
                   takes_point ? " or a point [x y z]" : "", td_value_describe(v, text)) != NULL;
    }
    td_value_drop(v);
    if (!ok) return false;
  }
  return true;
}

// Read the arguments of length, force, dof, ... after the joint: the number of the DOF (dof, ddof),
// then an element.
static bool joint_arguments(lang* L, const ast* node, bool told, td_sensor_ref* ref) {
  const char* name = td_sensor_table[ref->kind].name;
  const bool of_dof = sensor_is(ref->kind, WITH_NUMBER);
  const int first = of_dof ? 2 : 1;
  if (node->n < first || node->n > first + 1) {
    return td_fail(L, node->at, "%s(joint, %selement) called with %d argument%s", name,
                   of_dof ? "number, " : "", node->n, node->n == 1 ? "" : "s") != NULL;
  }
  if (of_dof && !int_of(L, node->list[1], "the number of a degree of freedom", 1, &ref->item))
    return false;
  return node->n == first ||
         (told_once(L, node->list[first], name, told) &&
          int_of(L, node->list[first], "the element of a joint", 1, &ref->element));
}

// Read the arguments of pos, strain, ... after a rod: the arc length.  Without it pos, vel, ... are
// about the tip; stretch is about the whole rod.
static bool rod_arguments(lang* L, const ast* node, const value_ref* r, td_sensor_ref* ref) {
  const char* name = td_sensor_table[ref->kind].name;
  ref->root = 'r';
  ref->index = r->index;
  const bool whole = sensor_is(ref->kind, OF_WHOLE_ROD);
  const bool tip = !sensor_is(ref->kind, OF_WHOLE_ROD | OF_STRAIN | OF_SECTION);
  ref->arc = tip ? TD_ARC_TIP : 0;
  if (r->has_place && td_ex_is_const(L->g, r->place)) {
    ref->arc = td_ex_value(L->g, r->place);
  } else if (r->has_place) {
    td_spec_evaluate(L->spec, r->place, NAN, &ref->arc);
    ref->place = r->place + 1;
  }
  const int wanted = whole || r->has_place || (tip && node->n == 1) ? 1 : 2;
  if (node->n != wanted) {
    return td_fail(L, node->at, "%s(rod(%d)%s) called with %d argument%s", name, r->index,
                   wanted == 2 ? ", arc length" : "", node->n, node->n == 1 ? "" : "s") != NULL;
  }

  // the arc length: s alone means the current section
  if (wanted == 1) return true;
  value* arc = td_eval(L, node->list[1]);
  if (!arc) return false;
  const bool one = arc->kind == V_NUM && td_value_count(arc) == 1 && arc->e;
  const ex e = one ? arc->e[0] : EX_NONE;
  td_value_drop(arc);
  if (e != EX_NONE && e == td_ex_var(L->g, L->spec->arc_var)) {
    ref->arc = TD_ARC_HERE;
    return true;
  }
  if (e != EX_NONE && td_ex_depends(L->g, e) & TD_ON_ARC)
    return td_fail(L, node->list[1]->at,
                   "an arc length must be a number, or s alone in the rod's load and input") !=
           NULL;
  ex place;
  if (!arc_of(L, node->list[1], &ref->arc, &place)) return false;
  if (place != EX_NONE) ref->place = place + 1;
  return true;
}

// length(cable(1)) and tension(cable(1)) take no further arguments.
static bool cable_arguments(lang* L, const ast* node, const value_ref* r, td_sensor_ref* ref) {
  ref->root = 'c';
  ref->index = r->index;
  if (node->n == 1) return true;
  return td_fail(L, node->at, "%s(cable(%d)) called with %d arguments",
                 td_sensor_table[ref->kind].name, r->index, node->n) != NULL;
}

// Read the arguments after a mesh: a node (pos, vel, ...) or an edge (length, stretch, force).
static bool mesh_arguments(lang* L, const ast* node, const value_ref* r, td_sensor_ref* ref) {
  const td_sensor_info* info = &td_sensor_table[ref->kind];
  const bool edge = sensor_is(ref->kind, OF_EDGE);
  if (info->about != 'b' && !edge)
    return td_fail(L, node->at, "%s is not about a mesh", info->name) != NULL;
  ref->root = 'm';
  ref->index = r->index;
  if (r->has_place) ref->element = (int)td_ex_value(L->g, r->place);
  const bool ok = edge ? joint_arguments(L, node, r->has_place, ref)
                       : body_arguments(L, node, r->has_place, ref);
  if (ok && ref->element == 0)
    return td_fail(L, node->at, "%s needs to know which %s, as in %s(mesh(%d), 1)", info->name,
                   edge ? "edge" : "node", info->name, r->index) != NULL;
  return ok;
}

// Read what a sensor is about, a reference of the kind `about`, and its further arguments.
static bool about_reference(lang* L, const ast* node, td_sensor_ref* ref, char about) {
  const char* name = td_sensor_table[ref->kind].name;
  if (node->kind != AST_INDEX || node->n == 0) {
    return td_fail(L, node->at, "%s needs to know of what, as in %s(%s(1)%s)", name, name,
                   root_about(about), sensor_is(ref->kind, WITH_NUMBER) ? ", 1" : "") != NULL;
  }
  value_ref r;
  if (!td_reference(L, node->list[0], about, name, &r)) return false;

  // cables, rods, meshes and strains of bodies have arguments of their own
  const char* wanted = root_about(about);
  const bool may_be_cable = about == 'c' || sensor_is(ref->kind, OF_LENGTH);
  if (may_be_cable && strcmp(r.root, "cable") == 0) return cable_arguments(L, node, &r, ref);
  const bool may_be_rod = about == 'b' || about == 'r' || sensor_is(ref->kind, OF_WHOLE_ROD);
  if (may_be_rod && strcmp(r.root, "rod") == 0) return rod_arguments(L, node, &r, ref);
  if (strcmp(r.root, "mesh") == 0 && about != 'r') return mesh_arguments(L, node, &r, ref);
  if (sensor_is(ref->kind, OF_STRAIN) && strcmp(r.root, "body") == 0) {
    ref->root = 'b';
    ref->index = r.index;
    ref->item = 1;
    if (r.has_place) ref->arc = td_ex_value(L->g, r.place);
    if (r.has_place && node->n == 1) return true;
    if (!r.has_place && node->n == 2) {
      ex e;
      if (!arc_of(L, node->list[1], &ref->arc, &e)) return false;
      if (e != EX_NONE) td_spec_settle(L->spec, e);
      return true;
    }
    return td_fail(L, node->at, "%s(body(%d)%s) called with %d argument%s", name, r.index,
                   r.has_place ? "" : ", arc length", node->n, node->n == 1 ? "" : "s") != NULL;
  }

  // bodies and joints
  if (strcmp(r.root, wanted) != 0) {
    return td_fail(L, node->list[0]->at, "%s is about a %s, got a %s", name, wanted, r.root) !=
           NULL;
  }
  ref->root = about;
  ref->index = r.index;
  if (r.has_place && about == 'b') place_on_body(ref, td_ex_value(L->g, r.place));
  if (r.has_place && about != 'b') ref->element = (int)td_ex_value(L->g, r.place);
  return about == 'b' ? body_arguments(L, node, r.has_place, ref)
                      : joint_arguments(L, node, r.has_place, ref);
}

// Read the number of q(i) or v(i).
static bool about_index(lang* L, const ast* node, td_sensor_ref* ref) {
  const char* name = td_sensor_table[ref->kind].name;
  if (node->kind != AST_INDEX || node->n != 1) {
    return td_fail(L, node->at, "%s needs a number, as in %s(1)", name, name) != NULL;
  }
  return int_of(L, node->list[0], "the number of a coordinate", 1, &ref->item);
}

// rod(k).coords, which must be assigned before its coordinates are used; 0 after a message.
static int coordinate_count(lang* L, const td_sensor_ref* ref, td_span at) {
  const variable* rods = td_scope_find(&L->global, "rod");
  const bool known = rods && rods->v && rods->v->kind == V_STRUCT && ref->index >= 1 &&
                     ref->index <= td_value_count(rods->v);
  const value* n = known ? td_get(rods->v, ref->index - 1, "coords") : NULL;
  if (n && n->kind == V_NUM && n->x[0] >= 1 && n->x[0] <= 200) return (int)n->x[0];
  td_fail(L, at, "%s: rod(%d).coords must be given first: how many coordinates its strains have",
          td_sensor_table[ref->kind].name, ref->index);
  return 0;
}

// Matrix of the variables of a sensor.
static value* sensor_value(lang* L, const td_sensor_ref* ref, td_span at) {
  const td_sensor_info* info = &td_sensor_table[ref->kind];
  const bool coordinates = sensor_is(ref->kind, WITH_COORDS);
  const int cols = coordinates ? coordinate_count(L, ref, at) : info->cols;
  if (cols == 0) return NULL;
  if (!td_spend(L, 10 + L->spec->nsensor, at)) return NULL;  // known ones are searched
  value* out = td_num(L, info->rows, cols, 1, at);

  for (int k = 0; out && k < info->rows * cols; k++) {
    td_sensor_ref part = *ref;
    part.component = k;
    const int var = td_spec_sensor(L->spec, &part, at);
    if (var < 0 || !td_set_ex(L, out, k, td_ex_var(L->g, var), at)) {
      td_value_drop(out);
      return td_no_memory(L, at);
    }
  }
  return out;
}

// True if the call is strain(3) or strain(1:2): strains of the current section, for its energy.
static bool is_own_strain(const char* name, const ast* node) {
  return strcmp(name, "strain") == 0 && node->kind == AST_INDEX && node->n == 1 &&
         !td_is_reference(node->list[0]);
}

// Variables with the given numbers, 1 to `most`; `what` and `all` name them in messages.
static value* numbered(lang* L, const ast* node, value* which, const int* vars, int most,
                       const char* what, const char* all) {
  const int n = td_value_count(which);
  value* out = td_num(L, which->rows, which->cols, which->pages, node->at);
  for (int i = 0; out && i < n; i++) {
    double d = 0;
    bool ok = td_number_at(L, which, i, node->at, what, &d);
    if (ok && !(d == floor(d) && d >= 1 && d <= most))
      ok = td_fail(L, node->at, "%s must be from 1 to %d (%s), got %g", what, most, all, d) != NULL;
    if (ok) ok = td_set_ex(L, out, i, td_ex_var(L->g, vars[(int)d - 1]), node->at);
    if (ok) continue;
    td_value_drop(out);
    return NULL;
  }
  return out;
}

// here, here(3): position in the world of the point at which something acts
value* td_here_call(lang* L, const ast* node) {
  if (!td_spec_here(L->spec)) return td_no_memory(L, node->at);
  if (node->kind == AST_INDEX && node->n == 1) {
    value* which = td_eval(L, node->list[0]);
    if (!which) return NULL;
    value* out = NULL;
    if (which->kind == V_NUM)
      out = numbered(L, node, which, L->spec->here_var, 3, "the number of a coordinate", "x, y, z");
    else
      td_fail(L, node->at, "here(k) needs a number: 1, 2 or 3 for x, y or z");
    td_value_drop(which);
    return out;
  }
  value* out = td_num(L, 1, 3, 1, node->at);
  for (int c = 0; out && c < 3; c++)
    if (!td_set_ex(L, out, c, td_ex_var(L->g, L->spec->here_var[c]), node->at)) {
      td_value_drop(out);
      return NULL;
    }
  return out;
}

// Evaluate a sensor: the strain of the current section, or a sensor of the table.
value* td_sensor_call(lang* L, const char* name, const ast* node) {
  if (is_own_strain(name, node)) {
    value* which = td_eval(L, node->list[0]);
    if (!which) return NULL;
    value* own = which->kind == V_NUM
                     ? numbered(L, node, which, L->spec->strain_var, 6, "the number of a strain",
                                "shear x, shear y, stretch, bend x, bend y, twist")
                     : NULL;
    const bool number = which->kind == V_NUM;
    td_value_drop(which);
    if (number) return own;
  }

  // a sensor of the table: read what it is about
  td_sensor_ref ref = {.kind = (sensor_kind)td_sensor_find(name), .root = '-'};
  bool ok = false;

  switch (td_sensor_table[ref.kind].about) {
    case 'b':
      ok = about_reference(L, node, &ref, 'b');
      break;
    case 'j':
    case 'r':
    case 'c':
      ok = about_reference(L, node, &ref, td_sensor_table[ref.kind].about);
      break;
    case 'i':
      ok = about_index(L, node, &ref);
      break;
    default:
      ok = node->kind != AST_INDEX || node->n == 0;
      if (!ok) td_fail(L, node->at, "%s takes no arguments, got %d", name, node->n);
      break;
  }
  return ok ? sensor_value(L, &ref, node->at) : NULL;
}

// ---- parameters and inputs --------------------------------------------------------------------

// Read the first argument, an identifier of at most 60 characters.
static const char* name_argument(lang* L, call* c) {
  const char* name = td_arg_string(L, c, 0);
  if (name && !td_is_identifier(name))
    return td_fail(L, c->arg_at[0], "%s: '%.60s' is not a name (letters, digits and _)", c->name,
                   name);
  if (name && strlen(name) > 60)
    return td_fail(L, c->arg_at[0], "%s: a name may have 60 characters, '%.20s...' has %zu",
                   c->name, name, strlen(name));
  return name;
}

// Merge the range of a name with the one written elsewhere; they must agree, and the value must be
// inside.
static bool join_ranges(lang* L, const call* c, const char* name, double x, spec_range* known,
                        const spec_range* here) {
  if (isinf(here->low)) return true;
  if (isinf(known->low)) {
    *known = *here;
    if (L->spec->beyond || (x >= here->low && x <= here->high)) return true;
    td_fail(L, c->arg_at[2], "%s: '%s' is %g, which is outside its range [%g %g]", c->name, name, x,
            here->low, here->high);
    return false;
  }
  if (known->low == here->low && known->high == here->high &&
      known->logarithmic == here->logarithmic)
    return true;
  td_fail(L, c->arg_at[2], "%s: '%s' has the range [%g %g]%s elsewhere, here it is [%g %g]%s",
          c->name, name, known->low, known->high, known->logarithmic ? " ('log')" : "", here->low,
          here->high, here->logarithmic ? " ('log')" : "");
  return false;
}

// Read the optional range [low high] and 'log' of param and input; the default x must be inside.
static bool range_argument(lang* L, call* c, const char* name, double x, spec_range* range) {
  *range = td_range_none();
  if (c->argc < 3) return true;
  const value* v = c->argv[2];
  if (v->kind != V_NUM || td_value_count(v) != 2) {
    td_fail(L, c->arg_at[2], "%s: the range of '%s' must be two numbers, as [0 20]", c->name, name);
    return false;
  }

  if (!td_number_at(L, v, 0, c->arg_at[2], "the range", &range->low) ||
      !td_number_at(L, v, 1, c->arg_at[2], "the range", &range->high))
    return false;

  // the word 'log'
  if (c->argc > 3) {
    const char* word = td_arg_string(L, c, 3);
    if (!word) return false;
    if (strcmp(word, "log") != 0) {
      td_fail(L, c->arg_at[3], "%s: the word behind the range can be 'log', got '%.40s'", c->name,
              word);
      return false;
    }
    range->logarithmic = true;
  }

  // check the range
  if (!isfinite(range->low) || !isfinite(range->high) || !(range->low < range->high)) {
    td_fail(L, c->arg_at[2],
            "%s: the range of '%s' must be a lower and a higher finite number, got [%g %g]",
            c->name, name, range->low, range->high);
  } else if (range->logarithmic && !(range->low > 0)) {
    td_fail(L, c->arg_at[2], "%s: a range by factors ('log') must be positive, got [%g %g]",
            c->name, range->low, range->high);
  } else if (!(x >= range->low && x <= range->high)) {
    td_fail(L, c->arg_at[1], "%s: the value %g of '%s' is outside its range [%g %g]", c->name, x,
            name, range->low, range->high);
  } else {
    return true;
  }
  return false;
}

// --set, sliders and the variables of exports know both by their names alone.
static void* other_kind(lang* L, const call* c, const char* name, const char* what) {
  td_fail(L, c->arg_at[0], "%s: '%s' is %s elsewhere, but a name is either a parameter or an input",
          c->name, name, what);
  return NULL;
}

// param('E', 205e3), param('E', 5e5, [1e5 1e6], 'log'), param('model', 'eba')
static value* param(lang* L, call* c) {
  const char* name = name_argument(L, c);
  if (!name) return NULL;
  double x = 0;
  const char* text = c->argv[1]->kind == V_STR ? c->argv[1]->s : NULL;
  if (!text && !td_arg_number(L, c, 1, &x)) return NULL;

  // search among the parameters and inputs
  if (!td_spend(L, L->spec->nparam + L->spec->ninput, c->at)) return NULL;
  for (int i = 0; i < L->spec->ninput; i++)
    if (strcmp(L->spec->inputs[i].name, name) == 0) return other_kind(L, c, name, "an input");
  const spec_param* known = td_spec_param_find(L->spec, name);
  if (known && (known->text != NULL) != (text != NULL)) {
    return td_fail(L, c->at, "the parameter '%s' is %s elsewhere", name,
                   known->text ? "a string" : "a number");
  }

  spec_range range;
  if (text && c->argc > 2)
    return td_fail(L, c->arg_at[2], "param: the parameter '%s' is a string and has no range", name);
  if (!range_argument(L, c, name, x, &range)) return NULL;
  spec_param* p = td_spec_param(L->spec, name, x, text, &range, c->at);
  if (!p) return td_no_memory(L, c->at);
  if (!join_ranges(L, c, name, p->value, &p->range, &range)) return NULL;

  if (p->text) {
    p->structural = true;
    return td_string(L, p->text, (int)strlen(p->text), c->at);
  }
  return td_expr(L, td_ex_var(L->g, p->var), c->at);
}

// input('u1', 0)
static value* input(lang* L, call* c) {
  const char* name = name_argument(L, c);
  double x = 0;
  if (!name || (c->argc > 1 && !td_arg_number(L, c, 1, &x))) return NULL;
  if (!td_spend(L, L->spec->ninput + L->spec->nparam, c->at)) return NULL;
  if (td_spec_param_find(L->spec, name)) return other_kind(L, c, name, "a parameter");
  spec_range range;
  if (!range_argument(L, c, name, x, &range)) return NULL;
  spec_input* u = td_spec_input(L->spec, name, x, &range, c->at);
  if (!u) return td_no_memory(L, c->at);
  if (!join_ranges(L, c, name, u->value, &u->range, &range)) return NULL;
  return td_expr(L, td_ex_var(L->g, u->var), c->at);
}

// internal('air', 1e-5): a first-order state with its initial value, a number or an expression of
// parameters; its rate is that of dynamics(k).of = 'air'
static value* internal(lang* L, call* c) {
  const char* name = name_argument(L, c);
  if (!name || !td_arg_numeric(L, c, 1)) return NULL;
  if (!is_scalar(c->argv[1]))
    return td_fail(L, c->arg_at[1], "internal: the initial value of '%s' must be one number", name);
  if (!td_spend(L, L->spec->ninternal, c->at)) return NULL;
  const ex init = td_value_ex(c->argv[1], 0, L->g);
  spec_internal* z = td_spec_internal_find(L->spec, name);
  if (z && z->init != init)
    return td_fail(L, c->at, "the internal state '%s' has another initial value elsewhere", name);
  if (!z) z = td_spec_internal(L->spec, name, init, c->at);
  return z ? td_expr(L, td_ex_var(L->g, z->var), c->at) : td_no_memory(L, c->at);
}

const builtin td_builtin_sensors[] = {
    {"param", param, 2, 4, "param('name', value, [low high], 'log')", 0},
    {"input", input, 1, 3, "input('name', value, [low high])", 0},
    {"internal", internal, 2, 2, "internal('name', value)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
