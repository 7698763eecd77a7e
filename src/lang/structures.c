// Structures of the model inside the language: field names are checked where they are written, and
// symbols get their values from par.sym and par.var.
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"
#include "lang/parser.h"
#include "model/fields.h"

// Row of the table of fields for a path, with a cache: loops use the same paths again and again.
const td_field* td_field_cached(lang* L, const char* path) {
  enum { KEPT = 10000 };  // limit of the cache: a text may compute any number of paths
  const int known = td_map_find(&L->fields, path);
  if (known >= 0) return L->field_list[known];
  const td_field* field = td_field_refused(path) ? NULL : td_field_find(path);
  if (L->nfield >= KEPT) return field;
  const td_field** list = td_grow((void*)L->field_list, &L->field_cap, L->nfield + 1, sizeof *list);
  if (list) L->field_list = list;
  char** paths = td_grow(L->field_paths, &L->field_path_cap, L->nfield + 1, sizeof *paths);
  if (paths) L->field_paths = paths;
  char* copy = list && paths ? td_strdup(path) : NULL;
  if (!copy) return field;
  list[L->nfield] = field;
  paths[L->nfield] = copy;
  td_map_add(&L->fields, copy, L->nfield++);
  return field;
}

// Kind of a name, with a cache.
root_kind td_root_kind(lang* L, const char* name) {
  const int known = td_map_find(&L->roots, name);
  if (known >= 0) return (root_kind)known;
  const root_kind kind = td_field_refused(name)   ? ROOT_LATER
                         : td_field_is_root(name) ? ROOT_NOW
                                                  : ROOT_NONE;
  td_map_add(&L->roots, name, (int)kind);
  L->work += 200;  // the search in the tables; the next statement reports the limit
  return kind;
}

// Append ".name" to a path if the table has it; otherwise report it.  An unknown field of par is
// data of the file: the path is empty from there on.
bool td_step_into(lang* L, char* path, int size, const char* name, td_span at) {
  const size_t n = strlen(path), m = strlen(name);
  const td_field* parent = td_field_cached(L, path);
  const bool data = strcmp(path, "par") == 0;

  // the path with the name, if it fits and the table has it
  if (n + m + 2 <= (size_t)size) {
    path[n] = '.';
    memcpy(path + n + 1, name, m + 1);
    if (td_field_cached(L, path)) return true;
    const variable* par = data ? td_scope_find(&L->global, "par") : NULL;
    if (par && td_value_field(par->v, name) >= 0) {  // reported where it was first assigned
      path[0] = 0;
      return true;
    }
    const char* later = td_field_refused(path);
    if (later) return td_fail(L, at, "%s", later) != NULL;
    path[n] = 0;
  }

  // otherwise data of par, or an error
  if (data) {
    td_keep_data(L, name, at);
    path[0] = 0;
    return true;
  }
  if (parent && parent->kind != FIELD_STRUCT && parent->kind != FIELD_STRUCTS) {
    td_fail(L, at, "%s is not a structure: it has no field '%s'", path, name);
  } else {
    td_field_unknown(L->diags, path, name, at);
  }
  return false;
}

// Check the names of all fields of a struct, recursively.
bool td_check_struct(lang* L, const char* path, const value* v, td_span at) {
  bool ok = true;
  for (int f = 0; f < v->nfield; f++) {
    char longer[256];
    snprintf(longer, sizeof longer, "%s", path);
    td_span where = at;

    // place of the field in the text
    for (int i = 0; i < td_value_count(v); i++) {
      const value_slot* slot = &v->slots[i * v->nfield + f];
      if (slot->v && slot->name_at.end > 0) where = slot->name_at;
    }

    if (!td_step_into(L, longer, sizeof longer, v->names[f], where)) {
      ok = false;
      continue;
    }
    for (int i = 0; i < td_value_count(v); i++) {
      const value* inner = v->slots[i * v->nfield + f].v;
      if (*longer && inner && inner->kind == V_STRUCT && !td_check_struct(L, longer, inner, where))
        ok = false;
    }
  }
  return ok;
}

// ---- symbols ----------------------------------------------------------------------------------

// Value of the symbol `name`, which is created with its variable at first use; a parameter of this
// name is its value.
value* td_symbol(lang* L, const char* name, td_span at) {
  int k = 0;
  if (!td_spend(L, L->nsymbol, at)) return NULL;
  while (k < L->nsymbol && strcmp(L->symbols[k].name, name) != 0) k++;
  if (k == L->nsymbol) {
    symbol* grown = td_grow(L->symbols, &L->symbol_cap, L->nsymbol + 1, sizeof *grown);
    if (!grown) return td_no_memory(L, at);
    L->symbols = grown;
    const char* kept = td_ast_text(L->pools[L->npool - 1], name, (int)strlen(name));
    const spec_param* p = td_spec_param_find(L->spec, name);
    const int var = p && p->var >= 0 ? p->var : td_exprs_var(L->g, name, TD_ON_PARAM);
    if (var < 0 || !kept) return td_no_memory(L, at);
    grown[L->nsymbol++] = (symbol){.name = kept, .var = var, .at = at, .bound = p != NULL};
  }
  return td_expr(L, td_ex_var(L->g, L->symbols[k].var), at);
}

// Give the symbol e the value x; it is a parameter from now on.  An override from outside has
// precedence.  Anything but a symbol or parameter is refused.
static void bind_symbol(lang* L, ex e, double x, td_span at) {
  const int var = td_ex_var_of(L->g, e);
  if (var < 0 || td_exprs_var_kind(L->g, var) != TD_ON_PARAM) {
    td_fail(L, at, "par.sym must list symbols made by syms, or parameters");
    return;
  }

  const char* name = td_exprs_var_name(L->g, var);
  spec_param* p = td_spec_param_find(L->spec, name);
  if (p) {
    bool overridden = false;
    for (int i = 0; i < L->spec->noverride; i++)
      overridden |= strcmp(L->spec->overrides[i].name, name) == 0;
    if (!overridden) p->value = x;
  } else {
    p = td_spec_param_var(L->spec, name, var, x, NULL, NULL, at);
    if (!p) {
      td_no_memory(L, at);
      return;
    }
    p->from_syms = true;
  }

  for (int i = 0; i < L->nsymbol; i++) {
    if (L->symbols[i].var == var) L->symbols[i].bound = true;
  }
}

// Element i of par.sym, a symbol or the name of one; EX_NONE: neither.
static ex listed_symbol(lang* L, const value* list, int i) {
  if (list->kind == V_NUM) return td_value_ex(list, i, L->g);
  const value* name = list->slots[i].v;
  for (int k = 0; name && name->kind == V_STR && k < L->nsymbol; k++)
    if (strcmp(L->symbols[k].name, name->s) == 0) return td_ex_var(L->g, L->symbols[k].var);
  return EX_NONE;
}

// Replace names in par.sym by symbols, which the check of the model expects.
static void symbols_of_names(lang* L, variable* par, td_span at) {
  const value* names = td_get(par->v, 0, "sym");
  const int n = td_value_count(names);
  value* symbols = td_num(L, 1, n, 1, at);
  for (int i = 0; symbols && i < n; i++)
    if (!td_set_ex(L, symbols, i, listed_symbol(L, names, i), at)) {
      td_value_drop(symbols);
      symbols = NULL;
    }
  if (!symbols) return;
  par->v = td_value_own(par->v);
  value_slot* slot = par->v ? td_value_slot(par->v, 0, "sym") : NULL;
  if (slot) {
    td_value_put(par->v, slot, symbols);
  } else {
    td_value_drop(symbols);
    td_no_memory(L, at);
  }
}

// Give the symbols of par.sym the values of par.var; `last`: report what does not fit.
void td_bind_symbols(lang* L, bool last) {
  variable* par = td_scope_find(&L->global, "par");
  if (!par || !par->v || par->poisoned) return;
  const value *sym = td_get(par->v, 0, "sym"), *var = td_get(par->v, 0, "var");
  const td_span at = td_get_at(par->v, 0, "sym");
  if (!sym) return;

  // par.sym lists symbols or names of symbols, and par.var as many values
  bool listed = sym->kind == V_NUM || sym->kind == V_CELL;
  for (int i = 0; listed && sym->kind == V_CELL && i < td_value_count(sym); i++)
    listed = listed_symbol(L, sym, i) != EX_NONE;
  if (!listed) {
    if (last) td_fail(L, at, "par.sym must list symbols made by syms, or parameters");
    return;
  }
  const int n = td_value_count(sym), m = var ? td_value_count(var) : 0;
  if (n != m || var->kind != V_NUM) {
    if (last && var) {
      td_fail(L, td_get_at(par->v, 0, "var"), "par.var has %d value%s for %d symbol%s in par.sym",
              m, m == 1 ? "" : "s", n, n == 1 ? "" : "s");
    }
    return;
  }

  for (int i = 0; i < n; i++) {
    double x;
    if (!td_number_at(L, var, i, td_get_at(par->v, 0, "var"), "a value in par.var", &x)) return;
    bind_symbol(L, listed_symbol(L, sym, i), x, at);
  }
  if (last && sym->kind == V_CELL) symbols_of_names(L, par, at);
}
