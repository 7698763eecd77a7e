// Loading of model texts, the entry of the language: files, strings and single fields.  The
// interpreter lives between loads; at the end of a load the structures of the model are handed over
// to the spec.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lang/eval.h"
#include "math/dense.h"
#include "model/fields.h"

// ---- state ------------------------------------------------------------------------------------

// Free the interpreter of a spec.
static void lang_free(void* p) {
  lang* L = p;
  if (!L) return;
  td_scope_free(&L->global);
  td_meter_free(&L->meter);
  for (int i = 0; i < L->npool; i++) td_ast_free(L->pools[i]);
  for (int i = 0; i < L->nfield; i++) free(L->field_paths[i]);
  for (int i = 0; i < L->npending; i++) free(L->pendings[i].name);

  td_map_free(&L->functions);
  td_map_free(&L->builtins);
  td_map_free(&L->fields);
  td_map_free(&L->beside);
  td_map_free(&L->roots);
  free(L->pools);
  free((void*)L->function_list);
  free((void*)L->builtin_list);
  free((void*)L->field_list);
  free(L->field_paths);
  free(L->symbols);
  td_text_free(&L->skipped);
  td_text_free(&L->kept);
  free(L->pendings);
  free(L);
}

// Add a table of built-in functions.  False: no memory.
static bool add_builtins(lang* L, const builtin* table) {
  for (const builtin* b = table; b->name; b++) {
    const builtin** grown =
        td_grow((void*)L->builtin_list, &L->builtin_cap, L->nbuiltin + 1, sizeof *grown);
    if (!grown) return false;
    L->builtin_list = grown;
    if (!td_map_add(&L->builtins, b->name, L->nbuiltin)) return false;
    grown[L->nbuiltin++] = b;
  }
  return true;
}

const builtin* const td_builtin_all[] = {
    td_builtin_elementary, td_builtin_shape,   td_builtin_matrix,     td_builtin_other,
    td_builtin_text,       td_builtin_time,    td_builtin_sensors,    td_builtin_tables,
    td_builtin_lists,      td_builtin_words,   td_builtin_structures, td_builtin_search,
    td_builtin_sets,       td_builtin_numbers, td_builtin_symbols,    NULL};

// Interpreter of a spec, created at the first load.
static lang* lang_of(td_spec* spec) {
  // a model that assigns a name of the first `told` tables gets a note; the names of the others,
  // which only files written for MATLAB call, are common names of variables: lower, cell, diff
  enum { told = 8 };
  if (spec->language) return spec->language;
  if (!td_blas_room()) {
    td_error(
        &spec->diags, TD_E_NOMEM, td_span_none(),
        "out of memory: the linear algebra needs 136 MB of address space at once, and a limit of "
        "the process leaves less (ulimit -v or -d)");
    return NULL;
  }

  lang* L = calloc(1, sizeof *L);
  if (!L) return NULL;
  L->spec = spec;
  L->g = spec->graph;
  L->diags = &spec->diags;
  L->meter.limit = spec->limits.memory;
  L->global.global = true;
  L->scope = &L->global;
  bool ok = true;

  for (int k = 0; ok && td_builtin_all[k]; k++) {
    if (k == told) L->ntold = L->nbuiltin;
    ok = add_builtins(L, td_builtin_all[k]);
  }

  if (!ok) {
    lang_free(L);
    return NULL;
  }
  spec->language = L;
  spec->language_free = lang_free;
  spec->language_check = td_warn_unread;
  return L;
}

// ---- hand-over to the spec --------------------------------------------------------------------

// Replace a symbol t or s without a value by time or arc length: `syms t` only declares the name.
// False: it is another symbol.
static bool take_meaning(lang* L, symbol* s, ex* e) {
  const bool time = strcmp(s->name, "t") == 0;
  if (!time && strcmp(s->name, "s") != 0) return false;
  const ex with = td_ex_var(L->g, time ? L->spec->time_var : L->spec->arc_var);
  if (!s->told)
    td_remark(L->diags, s->at, "par.var has no value for the symbol '%s': it is %s", s->name,
              time ? "time" : "the arc length of rods");
  s->told = true;
  *e = td_ex_substitute(L->g, *e, &s->var, &with, 1);
  return true;
}

// Report symbols without a value in v, and in all that it contains; a symbol whose meaning is known
// is replaced by it.
static void check_symbols(lang* L, value* v, td_span at) {
  if (!v) return;
  if (v->kind == V_STRUCT || v->kind == V_CELL) {
    const int n = td_value_count(v) * (v->kind == V_STRUCT ? v->nfield : 1);
    for (int i = 0; i < n; i++) check_symbols(L, v->slots[i].v, v->slots[i].at);
    return;
  }

  if (v->kind != V_NUM || !v->e) return;
  for (int i = 0; i < td_value_count(v); i++) {
    if (!is_expr(v, i)) continue;
    if (!td_spend(L, (v->e[i] / 16 + 1) * L->nsymbol, at)) return;
    for (int k = 0; k < L->nsymbol; k++) {
      symbol* s = &L->symbols[k];
      if (s->bound || td_spec_param_find(L->spec, s->name) || !td_ex_has_var(L->g, v->e[i], s->var))
        continue;
      if (take_meaning(L, s, &v->e[i])) continue;
      td_fail(L, at,
              "the symbol '%s' has no value: give it one with par.sym and par.var, or use param()",
              s->name);
    }
  }
}

// Row r of a matrix as a value.
static value* matrix_row(lang* L, const value* a, int r, td_span at) {
  value* row = td_num(L, 1, a->cols, 1, at);
  bool ok = row != NULL;
  for (int c = 0; ok && c < a->cols; c++) ok = td_copy_element(L, row, c, a, r + a->rows * c, at);
  return value_if(ok, row);
}

// [body place] for place r of [body place place ...]
static value* one_place(lang* L, const value* a, int r, td_span at) {
  value* pair = td_num(L, 1, 2, 1, at);
  return value_if(
      pair && td_copy_element(L, pair, 0, a, 0, at) && td_copy_element(L, pair, 1, a, r + 1, at),
      pair);
}

// True if this is the number of a body that joint.rom makes a polynomial rod.
static bool is_polynomial(const lang* L, double body) {
  const variable* var = td_scope_find(&L->global, "joint");
  const int n = var && var->v && var->v->kind == V_STRUCT ? td_value_count(var->v) : 0;
  for (int i = 0; i < n; i++) {
    const value* second = td_get(var->v, i, "second");
    if (!td_get(var->v, i, "rom") || !second) continue;
    if (second->kind == V_REF ? second->ref.index == body
                              : second->kind == V_NUM && second->x && second->x[0] == body)
      return true;
  }
  return false;
}

// Number of loads that exload.exbody stands for: 1, the number of its rows [body place], or the
// number of arc lengths in [body s s ...].
static int load_count(const lang* L, const value* places) {
  if (!places || places->kind != V_NUM || places->pages != 1) return 1;
  const int n = td_value_count(places);
  if (places->rows > 1 && places->cols == 2) return places->rows;
  const bool vector = places->rows == 1 || places->cols == 1;
  return vector && n > 2 && is_polynomial(L, places->x[0]) ? n - 1 : 1;
}

// Expand sets of loads: exload.exbody with several rows [body element] or [body arc length], or
// with several arc lengths, becomes several loads, the first in its place and the others behind
// all.  Rows of ftau and places of refbody belong to them one by one; a single one applies to all.
static bool spread_loads(lang* L) {
  variable* var = td_scope_find(&L->global, "exload");
  const bool any = var && var->v && !var->poisoned && var->v->kind == V_STRUCT;
  const int nload = any ? td_value_count(var->v) : 0;

  for (int i = 0; i < nload; i++) {
    const char* field = td_get(var->v, i, "exbody") ? "exbody" : "body";
    const int n = load_count(L, td_get(var->v, i, field));
    const value* written = td_get(var->v, i, "ftau");
    if (n < 2 ||
        (written && (written->kind != V_NUM || (written->rows != 1 && written->rows != n))))
      continue;  // the check of the model reports what is wrong

    // values that are distributed to the loads
    value* all = td_value_own(var->v);
    var->v = all;
    if (!all) return false;
    value *body = td_value_hold((value*)(uintptr_t)td_get(all, i, field)),
          *ftau = written ? td_value_hold((value*)(uintptr_t)td_get(all, i, "ftau")) : NULL;
    const value* frame = td_get(all, i, "refbody");
    value* ref = frame && frame->kind == V_NUM && td_value_count(frame) == n + 1
                     ? td_value_hold((value*)(uintptr_t)frame)
                     : NULL;

    // load r: a copy with its own place, reference and force
    bool ok = td_spend(L, 10L * n, var->at);
    for (int r = 0; ok && r < n; r++) {
      const int to = r == 0 ? i : td_value_count(all);
      for (int f = 0; ok && f < all->nfield; f++) {
        const value_slot from = all->slots[i * all->nfield + f];
        const char* name = all->names[f];
        value* v = NULL;
        if (strcmp(name, field) == 0)
          v = body->cols == 2 && body->rows == n ? matrix_row(L, body, r, from.at)
                                                 : one_place(L, body, r, from.at);
        else if (ref && strcmp(name, "refbody") == 0)
          v = one_place(L, ref, r, from.at);
        else if (ftau && ftau->rows == n && strcmp(name, "ftau") == 0)
          v = matrix_row(L, ftau, r, from.at);
        else if (from.v)
          v = td_value_hold(from.v);
        if (!v) continue;
        value_slot* slot = td_value_slot_make(all, to, name);
        ok = slot && td_value_put(all, slot, v);
        if (!slot) td_value_drop(v);
        if (ok) slot->at = from.at;
        if (ok) slot->name_at = from.name_at;
      }
    }
    td_value_drop(body);
    td_value_drop(ftau);
    td_value_drop(ref);
    if (!ok) return false;
  }
  return true;
}

// Give the structures of the model to the spec and report symbols without a value.
static bool hand_over(lang* L) {
  if (!spread_loads(L)) return false;
  value* root = td_value_struct(1, 1);
  if (!root) return false;
  bool check = false;
  for (int k = 0; k < L->nsymbol; k++) check = check || !L->symbols[k].bound;
  check = check && !L->values_missing;
  unsigned partial = 0;

  for (int i = 0; i < L->global.n; i++) {
    const variable* var = &L->global.list[i];
    if (td_root_kind(L, var->name) != ROOT_NOW) continue;
    if (L->stop) {  // the model is incomplete: what it lacks is not reported
      partial |= TD_PARTIAL_ABSENT;
      continue;
    }
    if (var->partial && !var->v) partial |= TD_PARTIAL_ABSENT;
    if (!var->v || td_value_is_empty(var->v)) continue;
    value_slot* slot = td_value_slot_make(root, 0, var->name);
    if (!slot) {
      td_value_drop(root);
      return false;
    }
    slot->at = slot->name_at = var->at;
    if (var->partial || L->syntax_failed) partial |= 1u << (root->nfield - 1);
    td_value_put(root, slot, td_value_hold(var->v));
    if (!check) continue;
    if (strcmp(var->name, "par") != 0) {
      check_symbols(L, var->v, var->at);
      continue;
    }
    for (int f = 0; f < var->v->nfield; f++) {  // par.sym itself lists symbols
      const bool setting = td_field_child(td_field_find("par"), var->v->names[f]) != NULL;
      if (setting && strcmp(var->v->names[f], "sym") != 0)
        check_symbols(L, var->v->slots[f].v, var->v->slots[f].at);
    }
  }

  td_value_drop(L->spec->root);
  L->spec->root = root;
  L->spec->partial = partial;
  return true;
}

// ---- public functions ------------------------------------------------------------------

// Status of the errors since message `from`: out of memory, or that of the first.
static td_status worst(const td_diags* diags, int from) {
  td_status status = TD_OK;
  for (int i = from; i < diags->n; i++) {
    const td_diag* d = &diags->list[i];
    if (d->severity != TD_ERROR) continue;
    if (d->status == TD_E_NOMEM) return TD_E_NOMEM;
    if (status == TD_OK) status = d->status;
  }
  return status;
}

// Finish a load: bind symbols, resolve names, hand over; returns the status of the load.
static td_status finish(lang* L, int messages, int errors) {
  td_bind_symbols(L, true);
  td_resolve_names(L);
  td_tell_skipped(L);
  if (td_exprs_failed(L->g)) td_no_memory(L, td_span_none());
  if (!hand_over(L)) return TD_E_NOMEM;
  const td_status status = worst(L->diags, messages);
  return status == TD_OK && L->diags->errors > errors ? TD_E_MODEL : status;
}

// Allow a text to read the files of its folder.
static td_status allow_folder(td_spec* spec, const char* path) {
  const char* slash = strrchr(path, '/');
  char* folder = slash ? td_strndup(path, (size_t)(slash - path) + 1) : td_strdup(".");
  const td_status status = folder ? td_spec_allow_read(spec, folder) : TD_E_NOMEM;
  free(folder);
  return status;
}

// Run a file and hand the model over.
td_status td_spec_load_file(td_spec* spec, const char* path) {
  if (!spec || !path) return TD_E_USAGE;
  TD_TRY(allow_folder(spec, path));
  TD_TRY(td_spec_allow_read(spec, path));  // it may be a link to elsewhere
  lang* L = lang_of(spec);
  char* copy = L ? td_strdup(path) : NULL;
  if (!copy) return TD_E_NOMEM;
  const int messages = spec->diags.n, errors = spec->diags.errors;
  td_run_file(L, copy, td_span_none());
  free(copy);
  return finish(L, messages, errors);
}

// Run a text and hand the model over.
td_status td_spec_load_string(td_spec* spec, const char* name, const char* text) {
  if (!spec || !name || !text) return TD_E_USAGE;
  const size_t size = strlen(text);
  TD_TRY(allow_folder(spec, name));
  lang* L = lang_of(spec);
  if (!L) return TD_E_NOMEM;
  const int messages = spec->diags.n, errors = spec->diags.errors;
  if (size > TD_TEXT_LIMIT) {
    return td_error(L->diags, TD_E_IO, td_span_none(), "'%s' is longer than %d MB", name,
                    TD_TEXT_LIMIT / 1000000);
  }
  const int source = td_diags_source(L->diags, name, text, (int)size);
  if (source < 0 || !td_run_source(L, source)) return TD_E_NOMEM;
  return finish(L, messages, errors);
}

// ---- setting single fields --------------------------------------------------------------------

// Assign v (whose reference is taken) to a path, by parsing "path = 0" for its target.
static td_status set_path(td_spec* spec, const char* path, value* v) {
  lang* L = v ? lang_of(spec) : NULL;
  td_text text = {0};
  td_text_printf(&text, "%s = 0;", path);
  ast_pool** grown = L ? td_grow(L->pools, &L->pool_cap, L->npool + 1, sizeof *grown) : NULL;
  if (grown) L->pools = grown;
  const int source = grown && !text.failed ? td_diags_source(L->diags, path, text.s, text.n) : -1;
  td_text_free(&text);

  // parse it
  ast_pool* pool = NULL;
  const int messages = spec->diags.n, errors = spec->diags.errors;
  ast* program = source >= 0 ? td_parse(L->diags, source, &pool) : NULL;
  if (!program) {
    td_value_drop(v);
    return TD_E_NOMEM;
  }
  L->pools[L->npool++] = pool;

  // assign to the target of the statement
  td_status status = TD_E_USAGE;
  if (program->n == 1 && program->list[0]->kind == AST_ASSIGN && program->list[0]->n == 1) {
    const ast* assign = program->list[0];
    td_value_meter(v, &L->meter);
    if (!td_assign_checked(L, assign->list[0], v, assign->list[0]->at, false) &&
        spec->diags.errors == errors) {
      td_fail(L, assign->at, "'%s' cannot be set because of an earlier error", path);
    }
    status = finish(L, messages, errors);
  }
  td_value_drop(v);
  return status;
}

td_status td_spec_number(td_spec* spec, const char* path, double x) {
  if (!spec || !path || isnan(x)) return TD_E_USAGE;
  return set_path(spec, path, td_value_scalar(x));
}

// Set a field to a matrix.
td_status td_spec_matrix(td_spec* spec, const char* path, int rows, int cols,
                         const double* row_major) {
  if (!spec || !path || rows < 0 || cols < 0 || !row_major) return TD_E_USAGE;
  value* v = td_value_num(rows, cols, 1);
  for (int i = 0; v && i < rows * cols; i++) {
    if (isnan(row_major[i])) {
      td_value_drop(v);
      return TD_E_USAGE;
    }
    v->x[i / cols + rows * (i % cols)] = row_major[i];
  }
  return set_path(spec, path, v);
}

td_status td_spec_string(td_spec* spec, const char* path, const char* text) {
  if (!spec || !path || !text) return TD_E_USAGE;
  const size_t n = strlen(text);
  if (n > TD_STRING_LIMIT) return TD_E_USAGE;
  return set_path(spec, path, td_value_string(text, (int)n));
}
