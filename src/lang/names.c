// Names that may not be what the user takes them for.  A name that hides a function or a sensor is
// told where it is first assigned.  A structure that is filled and never read is most likely a
// misspelled structure of the model (`chmaber(1).rod = 1`): it is told when the whole text is
// known.
#include <string.h>
#include <strings.h>

#include "lang/eval.h"
#include "model/fields.h"
#include "tendril/tools.h"

// ---- hiding -----------------------------------------------------------------------------------

// Functions that only files written for MATLAB use have names that models use for variables: lower,
// cell, diff.
static bool is_of(const builtin* table, const char* name) {
  for (; table->name; table++) {
    if (strcmp(table->name, name) == 0) return true;
  }
  return false;
}

static const char* meaning_of(const lang* L, const char* name) {
  if (strcmp(name, "t") == 0) return "time";
  if (strcmp(name, "s") == 0) return "arc length";
  if (strcmp(name, "here") == 0) return "the place at hand";
  if (td_is_sensor_name(name)) return "the sensor of that name";
  if (td_is_constant_name(name)) return "the constant of that name";
  const builtin* const quiet[] = {td_builtin_lists,  td_builtin_words, td_builtin_structures,
                                  td_builtin_search, td_builtin_sets,  td_builtin_numbers,
                                  td_builtin_symbols};
  for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++)
    if (is_of(quiet[k], name)) return NULL;
  if (td_map_find(&L->builtins, name) < 0) return NULL;
  return "the function of that name";
}

void td_warn_hiding(lang* L, const ast* name) {
  if (!L->scope->global || name->kind != AST_NAME) return;
  if (td_scope_find(L->scope, name->text)) return;  // loops assign again and again
  const char* meaning = meaning_of(L, name->text);
  if (!meaning) return;
  td_warn(L->diags, name->at, "'%s' is assigned here and no longer means %s", name->text, meaning);
  if (td_is_sensor_name(name->text))
    td_hint(L->diags, "sensor.%s(...) still means the sensor", name->text);
}

// ---- structures that nothing reads ------------------------------------------------------------

// The structure of the model that a name may be meant for; NULL: none is near.
static const char* near_structure(const char* name) {
  const char* roots[64];
  int n = 0;
  for (int i = 0; i < td_field_count && n < 64; i++) {
    const char* path = td_fields[i].path;
    if (strchr(path, '.')) continue;
    if (strcasecmp(path, name) == 0) return path;
    roots[n++] = path;
  }
  return td_nearest(name, roots, n);
}

// One that is read may still be a misspelling when the model does not have what it is near to.
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
