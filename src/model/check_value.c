// Checks of single values by the rows of the field table: what they may depend on, shapes, ranges,
// words and places.  Each is reported at the place where it was written and named as the user
// writes it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/check.h"
#include "model/fields.h"
#include "model/tolerance.h"

void td_write_name(char* out, size_t size, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(out, size, format, args);
  va_end(args);
}

// ---- what may depend on what ------------------------------------------------------------------

static const struct {
  td_depends kind;
  const char* text;
} depend_texts[] = {
    {TD_ON_PARAM, "parameters"},
    {TD_ON_TIME, "time"},
    {TD_ON_INPUT, "inputs"},
    {TD_ON_STATE, "states"},
    {TD_ON_RATE, "rates"},
    {TD_ON_ACCEL, "accelerations"},
    {TD_ON_ARC, "arc length"},
    {TD_ON_COORD, "own coordinates"},
    {TD_ON_STRAIN, "strains of the section"},
    {TD_ON_HERE, "the place at hand"},
    {TD_ON_INTERNAL, "internal states"},
};
enum { DEPEND_COUNT = sizeof depend_texts / sizeof depend_texts[0] };

// "parameters, time and inputs"
static void depends_text(unsigned set, td_text* out) {
  unsigned left = set;
  // coordinates and internal states are states
  if (left & TD_ON_STATE) left &= ~(unsigned)(TD_ON_COORD | TD_ON_INTERNAL);
  for (int k = 0; k < DEPEND_COUNT; k++) {
    const unsigned bit = (unsigned)depend_texts[k].kind;
    if (!(left & bit)) continue;
    left &= ~bit;
    if (out->n > 0) td_text_add(out, left ? ", " : " and ");
    td_text_add(out, depend_texts[k].text);
  }
}

// The first variable of e whose kind is in `set`; "?" when it is not among the first ones.
// Quantities of rods as they are written: dcoord(rod(1)).
typedef struct culprit_name {
  char text[96];
} culprit_name;
// Name, as the user writes it, of the first variable of e whose kind is in `set` (TD_ON_*); sensors
// of rods are named after their rod. "?" if there is none.
static culprit_name culprit(const td_spec* spec, ex e, unsigned set) {
  culprit_name name = {"?"};
  int vars[64];
  const td_exprs* g = spec->graph;
  const int n = min_int(td_ex_vars(g, e, vars, 64), 64);
  for (int k = 0; k < n; k++) {
    if (!((unsigned)td_exprs_var_kind(g, vars[k]) & set)) continue;
    snprintf(name.text, sizeof name.text, "%s", td_exprs_var_name(g, vars[k]));

    // a sensor of a rod: its quantity and the rod
    for (int i = 0; i < spec->nsensor; i++) {
      const td_sensor_ref* ref = &spec->sensors[i].ref;
      if (spec->sensors[i].var != vars[k] || ref->root != 'r') continue;
      snprintf(name.text, sizeof name.text, "%s(rod(%d))", td_sensor_table[ref->kind].name,
               ref->index);
    }
    return name;
  }
  return name;
}

// Report that the field of c depends on something it may not depend on: the error names the allowed
// kinds, the first kind in `bad` and a variable of it.
static void report_dependence(td_spec* spec, const checked* c, ex e, unsigned bad) {
  td_text allowed = {0}, found = {0};
  const unsigned first = bad & (0u - bad);
  depends_text(c->field->depends, &allowed);
  depends_text(first, &found);
  if (allowed.n > 0)
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s may depend on %s only, but it depends on %s (%s)",
             c->name, allowed.s, found.s, culprit(spec, e, first).text);
  else
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must be known when the model is loaded, but it depends on %s (%s)", c->name,
             found.s ? found.s : "", culprit(spec, e, first).text);
  if (first == TD_ON_ACCEL)
    td_hint(&spec->diags, "acc, force and lambda are for sensors and events");
  td_text_free(&allowed);
  td_text_free(&found);
}

// Check that no element depends on what its field may not depend on.  False after a message about
// the first one.
static bool check_depends(td_spec* spec, const checked* c) {
  for (int i = 0; c->v->e && i < td_value_count(c->v); i++) {
    if (c->v->e[i] == EX_NONE) continue;
    const unsigned bad = (unsigned)td_ex_depends(spec->graph, c->v->e[i]) & ~c->field->depends;
    if (!bad) continue;
    if (bad & TD_ON_SYMBOL) {
      const culprit_name symbol = culprit(spec, c->v->e[i], TD_ON_SYMBOL);
      td_error(&spec->diags, TD_E_MODEL, c->at, "%s depends on the symbol '%s', which has no value",
               c->name, symbol.text);
      td_hint(&spec->diags, "write %s = param('%s', ...), or use par.sym and par.var", symbol.text,
              symbol.text);
    } else {
      report_dependence(spec, c, c->v->e[i], bad);
    }
    return false;
  }
  return true;
}

// ---- numbers ----------------------------------------------------------------------------------

static void size_text(const value* v, char* out, size_t size) {
  if (v->pages > 1)
    td_write_name(out, size, "%dx%dx%d", v->rows, v->cols, v->pages);
  else
    td_write_name(out, size, "%dx%d", v->rows, v->cols);
}

// "joint(1).spring.compr(2)", "body(1).l_com(2,3)": element i of a value, as the user would write
// it.
static void element_name(const checked* c, int i, char* out, size_t size) {
  const value* v = c->v;
  if (td_value_count(v) == 1)
    td_write_name(out, size, "%s", c->name);
  else if (v->pages > 1)
    td_write_name(out, size, "%s(%d,%d,%d)", c->name, i % v->rows + 1, i / v->rows % v->cols + 1,
                  i / (v->rows * v->cols) + 1);
  else if (v->rows > 1 && v->cols > 1)
    td_write_name(out, size, "%s(%d,%d)", c->name, i % v->rows + 1, i / v->rows + 1);
  else
    td_write_name(out, size, "%s(%d)", c->name, i + 1);
}

// Hint at the usual fix for a value v of the wrong size: a diagonal matrix, three numbers, or what
// n stands for.
static void shape_hint(td_diags* diags, const char* shape, const value* v, int n) {
  const int count = td_value_count(v);
  const bool vector = strstr(shape, "x3") && !strstr(shape, "3x3");
  if (strstr(shape, "3x3") && count == 3)
    td_hint(diags, "write diag([a b c]) for a matrix with these on its diagonal");
  else if (vector && count == 1)
    td_hint(diags, "write three numbers, like [0 0 %g]", v->e ? 1 : v->x[0]);
  else if (strchr(shape, 'n') && n > 1)
    td_hint(diags, "n is 1, or %d as there are repeated elements", n);
  else if (strchr(shape, 'n') && n == 1)
    td_hint(diags, "n is 1 here: nothing is repeated");
  else if (strchr(shape, 'n'))
    td_hint(diags, "n is 1, or the number of repeated elements");
}

// Match the size of a value with the shapes of its field; c->fit receives the matching one. Returns
// false after an error with the allowed shapes.
static bool check_shape(const walk* w, checked* c) {
  const char* shape = c->field->shape;
  const int n = strchr(shape, 'n') ? w->repeated : 0;
  c->fit = td_field_fit(shape, c->v, n);
  if (c->fit.ok) return true;

  char got[48];
  size_text(c->v, got, sizeof got);
  td_text allowed = {0};
  td_field_alternatives(&allowed, shape, "");
  td_diags* diags = &w->spec->diags;
  if (strcmp(shape, "1") == 0)
    td_error(diags, TD_E_MODEL, c->at, "%s must be a single number, got %s", c->name, got);
  else
    td_error(diags, TD_E_MODEL, c->at, "%s must be %s, got %s", c->name,
             allowed.s ? allowed.s : shape, got);
  shape_hint(diags, shape, c->v, n);
  td_text_free(&allowed);
  return false;
}

// Whether x obeys the option string of a number: "> 0", ">= 1", "(0,1]", "-1|0|1"; an empty one
// admits all.
static bool in_range(const char* options, double x) {
  char* end;
  if (options[0] == '>') {
    const bool equal = options[1] == '=';
    const double least = strtod(options + (equal ? 2 : 1), NULL);
    return equal ? x >= least : x > least;
  }
  if (options[0] == '(') {
    const double low = strtod(options + 1, &end);
    return x > low && x <= strtod(end + 1, NULL);
  }
  for (const char* s = options; *s; s = *end ? end + 1 : end)
    if (strtod(s, &end) == x) return true;
  return options[0] == '\0';
}

// Words for the range of a field ("> 0", "(0, 1)", alternatives), as the end of a message.
static void range_text(const char* options, td_text* out) {
  if (strcmp(options, ">= 0") == 0)
    td_text_add(out, "must not be negative");
  else if (strcmp(options, "> 0") == 0)
    td_text_add(out, "must be positive");
  else if (options[0] == '>')
    td_text_printf(out, "must be at least %s", options + 3);
  else if (options[0] == '(')
    td_text_printf(out, "must be in %s", options);
  else {
    td_text_add(out, "must be ");
    td_field_alternatives(out, options, "");
  }
}

// Check one number x of a field: finite, in range, whole, not absurdly large; `where` follows its
// name in messages. inf (a DOF) and nan (a rest value) shape the structure, so they must be written
// out (`written`).  False after a message.
static bool check_number(td_spec* spec, const checked* c, int i, double x, bool written,
                         const char* where) {
  const td_field* f = c->field;
  const char* options = f->kind == FIELD_FLAG ? "0|1" : f->options;
  const bool whole = f->kind != FIELD_INT || x == floor(x);
  const bool unbounded = strcmp(f->special, "limit") == 0 || strcmp(f->special, "hard") == 0;
  const bool sensible = fabs(x) <= TD_MOST_NUMBER || unbounded;
  if (isfinite(x) && in_range(options, x) && whole && sensible) return true;
  if (isinf(x) && strcmp(f->special, "limit") == 0) return true;
  if (written && isinf(x) && x > 0 && strcmp(f->special, "hard") == 0) return true;
  if (written && !isfinite(x) && strcmp(f->special, isnan(x) ? "nan" : "inf") == 0 && !(x < 0))
    return true;

  // the first rule it breaks
  char name[NAME_SIZE];
  element_name(c, i, name, sizeof name);
  strncat(name, where, sizeof name - strlen(name) - 1);
  if (!isfinite(x) && !written && *f->special) {
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be a finite number, got %g", name, x);
    td_hint(&spec->diags, "%g has a meaning here only when it is written out, not as a parameter",
            x);
  } else if (!isfinite(x)) {
    const bool dof = strcmp(f->special, "inf") == 0, hard = strcmp(f->special, "hard") == 0;
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be %s, got %s", name,
             dof    ? "a finite number, or inf for a DOF"
             : hard ? "a finite number, or inf"
                    : "a finite number",
             isnan(x) ? "nan" : (x > 0 ? "inf" : "-inf"));
    if (!dof && !hard)
      td_hint(&spec->diags, isnan(x) ? "nan has a meaning in spring.init only"
                                     : "inf has a meaning in joint.tr only");
  } else if (!in_range(options, x)) {
    td_text rule = {0};
    range_text(options, &rule);
    const char* unit = strchr(f->unit, ',') ? "" : f->unit;
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s %s, got %g%s%s", name, rule.s ? rule.s : "", x,
             *unit ? " " : "", unit);
    td_text_free(&rule);
  } else if (!sensible) {
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s is %g: a number of a model may be %g at most, beyond that its powers are no "
             "numbers any more",
             name, x, TD_MOST_NUMBER);
  } else {
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be a whole number, got %g", name, x);
  }
  return false;
}

// Keep the range of element i as a bound for values that parameters get later, at an arc length
// (EX_NONE: there is none).  With `end` 0 is admitted where the range is "> 0".
static void keep_range(td_spec* spec, const checked* c, int i, ex arc, bool end,
                       const char* where) {
  const char *options = c->field->options,
             *unit = strchr(c->field->unit, ',') ? "" : c->field->unit;
  double low = -HUGE_VAL, high = HUGE_VAL;
  bool open = false;
  char name[NAME_SIZE], *after, tail[48];
  td_text rule = {0};
  if (strcmp(c->field->special, "limit") == 0) return;
  element_name(c, i, name, sizeof name);
  td_text_printf(&rule, "%s%s ", name, where);
  if (options[0] == '>') {
    open = options[1] != '=';
    low = strtod(options + (open ? 1 : 2), NULL);
  } else if (options[0] == '(') {
    open = true;
    low = strtod(options + 1, &after);
    high = strtod(after + 1, NULL);
  }
  if (*options)
    range_text(options, &rule);
  else
    td_text_add(&rule, "must be a finite number");
  td_text_add(&rule, ", got ");
  td_write_name(tail, sizeof tail, "%s%s", *unit ? " " : "", unit);
  td_bound_range(spec, td_bound_at(spec, c->v, i, arc), low, open && !end, high,
                 rule.s ? rule.s : name, tail);
  td_text_free(&rule);
}

// A number, or an expression of parameters and arc length: at the parameters' present values, at
// both ends and in the middle of its rod.  At an end 0 does for "> 0": a rod may run to a point.
static bool check_entry(td_spec* spec, const checked* c, int i) {
  double x;
  if (td_check_constant(spec, c->v, i, &x)) return check_number(spec, c, i, x, true, "");
  if (td_check_known(spec, c->v, i, &x)) {
    if (!check_number(spec, c, i, x, false, "")) return false;
    keep_range(spec, c, i, EX_NONE, false, "");
    return true;
  }
  for (int k = 0; k < 3; k++) {
    const double arc = stretch_arc(c->along, k);
    char where[48];
    if (!td_check_along(spec, c->v, i, arc, &x)) return true;
    td_write_name(where, sizeof where, " at s = %g m", arc);
    if ((k == 1 || x != 0) && !check_number(spec, c, i, x, true, where)) return false;
    keep_range(spec, c, i, td_stretch_ex(spec, c->along, k), k != 1, where);
  }
  return true;
}

// Check a numeric field: shape, permitted dependences, each entry (finite, whole, in range), then
// the rules of its structure.  Stops at the first error.
void td_check_numbers(const walk* w, checked* c) {
  if (!check_shape(w, c) || !check_depends(w->spec, c)) return;
  for (int i = 0; i < td_value_count(c->v); i++)
    if (!check_entry(w->spec, c, i)) return;

  // a negative stiffness or viscosity is allowed, and seldom meant
  const char* name = td_field_name(c->field);
  const bool spring = strcmp(name, "coeff") == 0, damper = strcmp(name, "visc") == 0;
  bool told = !spring && !damper;
  for (int i = 0; !told && i < td_value_count(c->v); i++) {
    double x;
    told = td_check_known(w->spec, c->v, i, &x) && x < 0;
    if (told)
      td_remark(&w->spec->diags, c->at,
                spring ? "%s is negative (%g): this spring pushes away from its rest value"
                       : "%s is negative (%g): this damper drives the motion",
                c->name, x);
  }

  // rules of the structure for this field
  for (const td_rule* r = w->structure->rules; r && r->path; r++)
    if (r->value && strcmp(r->path, c->field->path) == 0) r->value(w->spec, c);
}

// ---- words and places -------------------------------------------------------------------------

// Check that a string is one of the options of its field.  The error names the options and adds the
// meaning of a word of another program, or the nearest option.
void td_check_word(td_spec* spec, const checked* c) {
  if (td_field_has_option(c->field, c->v->s)) return;
  char path[NAME_SIZE];
  td_write_name(path, sizeof path, "%s = '%.40s'", c->field->path, c->v->s);
  const char* later = td_field_refused(path);
  if (later) {
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s: %s", c->name, later);
    return;
  }
  td_text allowed = {0};
  td_field_alternatives(&allowed, c->field->options, "'");
  td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be %s, got '%.80s'", c->name,
           allowed.s ? allowed.s : c->field->options, c->v->s);
  td_text_free(&allowed);

  // cut the options into words, to suggest the nearest
  char copy[128];
  const char* words[16];
  int n = 0;
  td_write_name(copy, sizeof copy, "%s", c->field->options);
  for (char* s = copy; s && n < 16; n++) {
    words[n] = s;
    s = strchr(s, '|');
    if (s) *s++ = '\0';
  }
  td_write_name(path, sizeof path, "%s =", c->field->path);
  const char* meaning = td_foreign_word(strncmp(path, "rod.", 4) == 0 ? path + 4 : path, c->v->s);
  if (meaning)
    td_hint(&spec->diags, "here this is %s", meaning);
  else
    td_suggest(&spec->diags, c->v->s, words, n);
}

// Does a joint make this body a rod?
static bool is_rom_body(const td_spec* spec, double body) {
  const value* joints = td_get(spec->root, 0, "joint");
  for (int i = 0; joints && i < td_value_count(joints); i++) {
    const value* second = td_get(joints, i, "rom") ? td_get(joints, i, "second") : NULL;
    if (second && second->kind == V_NUM && second->x[0] == body) return true;
  }
  return false;
}

// Check a reference such as at(body(2), 3): to a rod, a mesh node or a body, with an element that
// is a known whole number.
static void check_reference(td_spec* spec, const checked* c) {
  const value_ref* ref = &c->v->ref;
  if (strcmp(ref->root, "rod") == 0) return;
  if (strcmp(ref->root, "mesh") == 0 && !ref->has_place &&
      strcmp(c->field->path, "contact.first") != 0 &&
      strcmp(c->field->path, "contact.second") != 0) {
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must be a node of mesh(%d), as in at(mesh(%d), 1)", c->name, ref->index,
             ref->index);
    return;
  }
  if (strcmp(ref->root, "mesh") == 0) return;
  if (strcmp(ref->root, "body") != 0) {
    const char* later = td_field_refused(ref->root);
    if (later)
      td_error(&spec->diags, TD_E_MODEL, c->at, "%s", later);
    else
      td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be a body, got %s(%d)", c->name, ref->root,
               ref->index);
    return;
  }
  if (!ref->has_place) return;
  const double x = td_ex_value(spec->graph, ref->place);
  if (!td_ex_is_const(spec->graph, ref->place))
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s: the element in at(body(%d), ...) must be known when the model is loaded", c->name,
             ref->index);
  else if (!(x >= 1 && x == floor(x) && isfinite(x)) && !is_rom_body(spec, ref->index))
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s: the element in at(body(%d), ...) must be a whole number from 1, got %g", c->name,
             ref->index, x);
}

// Node numbers: whole and positive.
void td_check_nodes(td_spec* spec, const checked* c) {
  if (!check_depends(spec, c)) return;
  for (int i = 0; i < td_value_count(c->v); i++) {
    double x;
    if (!td_check_constant(spec, c->v, i, &x) || (x >= 1 && x == floor(x) && isfinite(x))) continue;
    char name[NAME_SIZE];
    element_name(c, i, name, sizeof name);
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be the number of a node, 1 or more, got %g",
             name, x);
    return;
  }
}

// Check a place: a reference such as at(body(2), 3), a body number, or [body element element ...].
// Report the first rule that it breaks.
void td_check_place(td_spec* spec, const checked* c) {
  const value* v = c->v;
  if (v->kind == V_REF) {
    check_reference(spec, c);
    return;
  }

  // an array must be a vector
  if (v->pages > 1 || (v->rows > 1 && v->cols > 1)) {
    char got[48];
    size_text(v, got, sizeof got);
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must be a body number or [body element ...], got %s", c->name, got);
    return;
  }

  // its numbers must be whole, 0 or more; on a polynomial rod an arc length follows the body
  if (!check_depends(spec, c)) return;
  for (int i = 0; i < td_value_count(v); i++) {
    double x;
    if (i > 0 && is_rom_body(spec, v->x[0])) return;  // [body length], [body arc length]
    if (!td_check_constant(spec, v, i, &x) || (x >= 0 && x == floor(x) && isfinite(x))) continue;
    char name[NAME_SIZE];
    element_name(c, i, name, sizeof name);
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must be a %s number, 0 or more, got %g", name,
             i == 0 ? "body" : "whole", x);
    return;
  }
}

// Check each entry of a cell of places, named c{1}, c{2}, ... in messages.
void td_check_places(td_spec* spec, const checked* c) {
  for (int i = 0; i < td_value_count(c->v); i++) {
    const value* v = c->v->slots[i].v;
    char name[NAME_SIZE];
    td_write_name(name, sizeof name, "%s{%d}", c->name, i + 1);
    checked one = {c->field, v, name, c->v->slots[i].at, {0}, {.length = NAN}};
    if (v && (v->kind == V_NUM || v->kind == V_REF) && !td_value_is_empty(v))
      td_check_place(spec, &one);
    else
      td_error(&spec->diags, TD_E_MODEL, one.at,
               "%s must be a body number or a reference like at(rod(2), 0.1), got %s", name,
               v ? td_value_kind_text(v) : "nothing");
  }
}
