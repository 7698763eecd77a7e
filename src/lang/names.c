// Names of constants and sensors, and warnings about names that may mislead.  A variable that hides
// a function or a sensor is reported where it is first assigned.  A structure that is filled and
// never read is most likely a misspelled structure of the model (`chmaber(1).rod = 1`); it is
// reported when the whole text is known.
#include <string.h>
#include <strings.h>

#include <math.h>
#include "lang/eval.h"
#include "model/fields.h"
#include "tendril/tools.h"

// ---- constants and sensors ----------------------------------------------------------------------

static const constant constants[] = {
    {"pi", 3.14159265358979323846, false},
    {"inf", INFINITY, false},
    {"Inf", INFINITY, false},
    {"nan", NAN, false},
    {"NaN", NAN, false},
    {"eps", 2.220446049250313e-16, false},
    {"realmax", 1.7976931348623157e308, false},
    {"realmin", 2.2250738585072014e-308, false},
    {"true", 1, true},
    {"false", 0, true},
    {"nargin", 0, false},  // of a file; functions have their own
    {"nargout", 0, false},
};

const constant* td_constant_find(const char* name) {
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    if (strcmp(constants[i].name, name) == 0) return &constants[i];
  }
  return NULL;
}

int td_sensor_find(const char* name) {
  for (int i = 0; i < SENSOR_KIND_COUNT; i++) {
    if (strcmp(td_sensor_table[i].name, name) == 0) return i;
  }
  return -1;
}

// ---- hiding -----------------------------------------------------------------------------------

// Meaning that a name has before it is assigned; NULL: none.
static const char* meaning_of(const lang* L, const char* name) {
  if (strcmp(name, "t") == 0) return "time";
  if (strcmp(name, "s") == 0) return "arc length";
  if (strcmp(name, "here") == 0) return "the place at hand";
  if (td_sensor_find(name) >= 0) return "the sensor of that name";
  if (td_constant_find(name)) return "the constant of that name";
  const int k = td_map_find(&L->builtins, name);
  return k >= 0 && k < L->ntold ? "the function of that name" : NULL;
}

// Warn if a first assignment hides another meaning of the name.
void td_warn_hiding(lang* L, const ast* name) {
  if (!L->scope->global || name->kind != AST_NAME) return;
  if (td_scope_find(L->scope, name->text)) return;  // not the first assignment
  const char* meaning = meaning_of(L, name->text);
  if (!meaning) return;
  td_warn(L->diags, name->at, "'%s' is assigned here and no longer means %s", name->text, meaning);
  if (td_sensor_find(name->text) >= 0)
    td_hint(L->diags, "sensor.%s(...) still means the sensor", name->text);
}

// ---- structures that nothing reads ------------------------------------------------------------

// Structure of the model whose name is nearest; NULL: none is near.
static const char* near_structure(const char* name) {
  const char* roots[64];
  int n = 0;
  const td_field* f;
  for (int i = 0; n < 64 && (f = td_field_row(i)); i++) {
    const char* path = f->path;
    if (strchr(path, '.')) continue;
    if (strcasecmp(path, name) == 0) return path;
    roots[n++] = path;
  }
  return td_nearest(name, roots, n);
}

// Warn about a structure that is none of the model.  One that is read may still be a misspelling if
// the model does not have the structure that it is near to.
static void warn_structure(lang* L, const variable* var) {
  const char* near = near_structure(var->name);
  const variable* meant = near ? td_scope_find(&L->global, near) : NULL;
  if (var->read && (!near || (meant && meant->v))) return;
  if (!near && !var->parts) return;
  if (var->read)
    td_warn(L->diags, var->first, "'%s' is a variable, not a structure of the model", var->name);
  else
    td_warn(L->diags, var->first,
            "'%s' is not a structure of the model, and nothing uses this variable", var->name);
  const char* meaning = td_foreign_word("", var->name);
  if (meaning)
    td_hint(L->diags, "here this is %s", meaning);
  else if (near)
    td_hint(L->diags, "did you mean '%s'?", near);
}

// Warn about structures and settings that nothing reads.
void td_warn_unread(void* language) {
  lang* L = language;
  if (L->stop) return;
  for (int i = 0; i < L->global.n; i++) {
    const variable* var = &L->global.list[i];
    if (!var->v || var->poisoned || td_root_kind(L, var->name) != ROOT_NONE) continue;
    if (var->v->kind == V_STRUCT) {
      warn_structure(L, var);
    } else if (!var->read && td_foreign_word("", var->name)) {
      td_warn(L->diags, var->first, "nothing uses '%s'", var->name);
      td_hint(L->diags, "here this is %s", td_foreign_word("", var->name));
    }
  }
}
