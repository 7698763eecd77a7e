// Foundations of the interpreter: names, messages, limits, and constructors of values that respect
// the limits.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"

// ---- names ------------------------------------------------------------------------------------

// FNV-1a hash of a string
static uint32_t hash(const char* key) {
  uint32_t h = 2166136261u;
  for (; *key; key++) h = (h ^ (unsigned char)*key) * 16777619u;
  return h;
}

// Slot of a key in a hash map, or the free slot for it.
static int map_place(const map* m, const char* key) {
  const uint32_t mask = (uint32_t)m->cap - 1;
  uint32_t i = hash(key) & mask;
  while (m->key[i] && strcmp(m->key[i], key) != 0) i = (i + 1) & mask;
  return (int)i;
}

int td_map_find(const map* m, const char* key) {
  if (m->n == 0) return -1;
  const int i = map_place(m, key);
  return m->key[i] ? m->item[i] : -1;
}

// Double the slots of a map.  False: no memory.
static bool map_widen(map* m) {
  map wide = {.n = m->n, .cap = m->cap ? 2 * m->cap : 16};
  wide.key = calloc((size_t)wide.cap, sizeof *wide.key);
  wide.item = calloc((size_t)wide.cap, sizeof *wide.item);
  if (!wide.key || !wide.item) {
    td_map_free(&wide);
    return false;
  }

  for (int i = 0; i < m->cap; i++) {
    if (!m->key[i]) continue;
    const int k = map_place(&wide, m->key[i]);
    wide.key[k] = m->key[i];
    wide.item[k] = m->item[i];
  }

  td_map_free(m);
  *m = wide;
  return true;
}

// Set the item of a key.
bool td_map_add(map* m, const char* key, int item) {
  if (2 * m->n >= m->cap && !map_widen(m)) return false;
  const int i = map_place(m, key);
  if (!m->key[i]) m->n++;
  m->key[i] = key;
  m->item[i] = item;
  return true;
}

void td_map_free(map* m) {
  free((void*)m->key);
  free(m->item);
  *m = (map){0};
}

variable* td_scope_find(const scope* s, const char* name) {
  const int i = td_map_find(&s->names, name);
  return i < 0 ? NULL : &s->list[i];
}

// Find a variable, or create it.
variable* td_scope_make(scope* s, const char* name) {
  variable* old = td_scope_find(s, name);
  if (old) return old;
  variable* grown = td_grow(s->list, &s->cap, s->n + 1, sizeof *grown);
  if (!grown) return NULL;
  s->list = grown;
  if (!td_map_add(&s->names, name, s->n)) return NULL;
  grown[s->n] = (variable){.name = name, .at = td_span_none(), .first = td_span_none()};
  return &grown[s->n++];
}

void td_scope_free(scope* s) {
  for (int i = 0; i < s->n; i++) td_value_drop(s->list[i].v);
  free(s->list);
  td_map_free(&s->names);
  *s = (scope){0};
}

// True for letters, digits and _, a letter or _ first.
bool td_is_identifier(const char* s) {
  if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_')) return false;
  for (; *s; s++) {
    const bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                        (*s >= '0' && *s <= '9') || *s == '_';
    if (!letter) return false;
  }
  return true;
}

// ---- messages and limits ----------------------------------------------------------------------

// Report an error in the model.
void* td_fail(lang* L, td_span at, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  td_error(L->diags, TD_E_MODEL, at, "%s", text);
  return NULL;
}

// Report once that memory is exhausted, and stop.
void* td_no_memory(lang* L, td_span at) {
  if (L->stop) return NULL;
  L->stop = true;
  if (td_exprs_failed(L->g)) {
    td_error(L->diags, TD_E_NOMEM, at, "the model's expressions do not fit into memory");
  } else {
    td_error(L->diags, TD_E_NOMEM, at, "out of memory: the values of a model may take %zu MB",
             L->meter.limit >> 20);
  }
  return NULL;
}

// The limit is one of time, but counted, so that a text ends at the same place on every computer.
// One operation takes about ten nanoseconds; creating a value counts as several, growing and
// copying as many as there are elements.
bool td_spend(lang* L, long work, td_span at) {
  if (L->stop) return false;
  L->work += work;
  if (L->work <= L->spec->limits.work) return true;
  L->stop = true;
  td_fail(L, at,
          "the model text takes too long to run (more than %g million operations): is there an "
          "endless loop?",
          (double)L->spec->limits.work / 1e6);
  return false;
}

// A sort of n items compares about n log2(n) times.
bool td_spend_sort(lang* L, int lists, int n, double each, td_span at) {
  return td_spend(L, (long)((double)lists * n * (1 + each * log2(1.0 + n))), at);
}

// Source text of a span on one line, cut with "..." if it is too long.
const char* td_excerpt(const lang* L, td_span at, char* text, int size) {
  int n = 0;
  if (at.source >= 0 && at.source < L->diags->nsource) {
    const td_source* s = &L->diags->sources[at.source];
    const int end = min_int(at.end, s->size);
    const bool cut = end - at.begin > size - 1;
    for (int i = at.begin; i < end && n < size - (cut ? 4 : 1); i++) {
      const char c = s->text[i];
      text[n++] = c == '\n' || c == '\t' || c == '\r' || c == 0 ? ' ' : c;
    }
    if (cut) {
      memcpy(text + n, "...", 3);
      n += 3;
    }
  }
  text[n] = 0;
  return text;
}

static const char* const special_names[] = {"pi",   "inf",   "Inf", "nan", "NaN", "eps",
                                            "true", "false", "t",   "s",   "here"};

// Suggest a variable, function, sensor or constant.
void td_suggest_name(lang* L, const char* name) {
  if (!L->diags->last) return;  // the message was not kept
  const int nspecial = (int)(sizeof special_names / sizeof *special_names);
  const int max = L->scope->n + L->nfunction + L->nbuiltin + SENSOR_KIND_COUNT + nspecial;
  const char** list = malloc((size_t)max * sizeof *list);
  if (!list) return;
  int n = 0;
  for (int i = 0; i < L->scope->n; i++) list[n++] = L->scope->list[i].name;
  for (int i = 0; i < L->nfunction; i++) list[n++] = L->function_list[i]->text;
  for (int i = 0; i < nspecial; i++) list[n++] = special_names[i];
  for (int i = 0; i < SENSOR_KIND_COUNT; i++) list[n++] = td_sensor_table[i].name;
  for (int i = 0; i < L->nbuiltin; i++) list[n++] = L->builtin_list[i]->name;
  td_suggest(L->diags, name, list, n);
  free((void*)list);
}

// ---- constructors -----------------------------------------------------------------------------

// Charge the memory and the work of a new value.
value* td_metered(lang* L, value* v, td_span at) {
  // operations to create and free a value: single numbers are recycled, other values have blocks of
  // their own; bytes that cost one operation more
  enum { KEPT = 8, MAKE = 26, LINE = 32 };
  const bool fits = v && td_value_meter(v, &L->meter);
  const bool kept = fits && v->kind == V_NUM && v->cap == 1 && !v->e;
  if (fits && td_spend(L, kept ? KEPT : MAKE + (long)(v->bytes / LINE), at)) return v;
  td_value_drop(v);
  return fits ? NULL : td_no_memory(L, at);
}

// Matrix of zeros.
value* td_num(lang* L, double rows, double cols, double pages, td_span at) {
  rows = fmax(rows, 0);
  cols = fmax(cols, 0);
  pages = fmax(pages, 0);
  if (rows * cols * pages > TD_VALUE_LIMIT || rows > TD_VALUE_LIMIT || cols > TD_VALUE_LIMIT ||
      pages > TD_VALUE_LIMIT) {
    return td_fail(L, at, "a %.10gx%.10g matrix is larger than the limit of %d elements", rows,
                   cols * pages, TD_VALUE_LIMIT);
  }
  if (!td_spend(L, (long)(rows * cols * pages) / 16, at)) return NULL;
  return td_metered(L, td_value_renew(&L->meter, (int)rows, (int)cols, (int)pages), at);
}

value* td_scalar(lang* L, double x, td_span at) {
  value* v = td_metered(L, td_value_renew(&L->meter, 1, 1, 1), at);
  if (v) v->x[0] = x;
  return v;
}

value* td_logical(lang* L, bool x, td_span at) {
  value* v = td_scalar(L, x, at);
  if (v) v->logical = true;
  return v;
}

value* td_expr(lang* L, ex e, td_span at) {
  if (e == EX_NONE) return td_no_memory(L, at);
  if (td_ex_is_const(L->g, e)) return td_scalar(L, td_ex_value(L->g, e), at);
  if (!td_spend(L, 100, at)) return NULL;  // the search for an equal node
  return td_metered(L, td_value_expr(e), at);
}

value* td_string(lang* L, const char* s, int n, td_span at) {
  if (n > TD_STRING_LIMIT)
    return td_fail(L, at, "a string of more than %d characters", TD_STRING_LIMIT);
  return td_metered(L, td_value_string(s, n), at);
}

value* td_struct(lang* L, int rows, int cols, td_span at) {
  return td_metered(L, td_value_struct(rows, cols), at);
}

value* td_cell(lang* L, int rows, int cols, td_span at) {
  if ((double)rows * cols > TD_VALUE_LIMIT)
    return td_fail(L, at, "a %dx%d cell is too large", rows, cols);
  return td_metered(L, td_value_cell(rows, cols), at);
}

// Append a value and its place.
bool td_values_add(lang* L, values* list, value* v, td_span at) {
  if (!v) return false;
  if (list->n == list->cap) {
    // one block: the values, and behind them their places
    const int cap = max_int(4, list->cap > INT_MAX / 2 ? INT_MAX : 2 * list->cap);
    value** grown = realloc(list->v, (size_t)cap * (sizeof *list->v + sizeof *list->at));
    if (!grown) {
      td_value_drop(v);
      td_no_memory(L, at);
      return false;
    }
    td_span* places = (td_span*)(void*)(grown + cap);
    if (list->n > 0)
      memmove(places, (const void*)(grown + list->cap), (size_t)list->n * sizeof *places);
    list->v = grown;
    list->at = places;
    list->cap = cap;
  }
  list->v[list->n] = v;
  list->at[list->n++] = at;
  return true;
}

void td_values_free(values* list) {
  for (int i = 0; i < list->n; i++) td_value_drop(list->v[i]);
  free(list->v);
  *list = (values){0};
}

// ---- elements ---------------------------------------------------------------------------------

// True if an element is an expression.
bool td_has_expr(const value* v) {
  if (v->kind != V_NUM || !v->e) return false;
  const int n = td_value_count(v);
  for (int i = 0; i < n; i++) {
    if (v->e[i] != EX_NONE) return true;
  }
  return false;
}

bool td_set_ex(lang* L, value* v, int i, ex e, td_span at) {
  if (td_value_set_ex(v, i, e, L->g)) return true;
  td_no_memory(L, at);
  return false;
}

// Copy the fields of an element of a struct array; the fields of `to` are found by name.
static bool copy_fields(lang* L, value* to, int i, const value* from, int j, td_span at) {
  if (!td_spend(L, 4L * from->nfield + (long)from->nfield * from->nfield / 2, at)) return false;
  for (int f = 0; f < from->nfield; f++) {
    const value_slot* source = &from->slots[j * from->nfield + f];
    value_slot* slot = td_value_slot_make(to, i, from->names[f]);
    if (!slot) return td_no_memory(L, at) != NULL;
    slot->at = source->at;
    slot->name_at = source->name_at;
    td_value_put(to, slot, td_value_hold(source->v));
  }

  for (int f = 0; f < to->nfield; f++) {  // fields that only `to` has
    if (td_value_field(from, to->names[f]) < 0)
      td_value_put(to, &to->slots[i * to->nfield + f], NULL);
  }
  return true;
}

// Copy an element: a number, an expression, the fields of a struct, or a slot.
bool td_copy_element(lang* L, value* to, int i, const value* from, int j, td_span at) {
  if (from->kind == V_NUM) {
    if (is_expr(from, j)) return td_set_ex(L, to, i, from->e[j], at);
    to->x[i] = from->x[j];
    if (to->e) to->e[i] = EX_NONE;
    return true;
  }
  if (from->kind == V_STRUCT) return copy_fields(L, to, i, from, j, at);
  value_slot* slot = &to->slots[i];
  slot->at = from->slots[j].at;
  td_value_put(to, slot, td_value_hold(from->slots[j].v));
  return true;
}

// Element i of an argument; with `contents`, what an element of a cell holds.
value* td_element(lang* L, const value* v, int i, bool contents, td_span at) {
  if (v->kind == V_STR) return td_string(L, v->s + i, 1, at);
  if (v->kind == V_FUNC || v->kind == V_REF)  // one element, the value itself
    return td_value_hold((value*)(uintptr_t)v);
  if (v->kind == V_CELL && contents) {
    value* held = v->slots[i].v;
    return held ? td_value_hold(held) : td_num(L, 0, 0, 1, at);
  }
  value* one = v->kind == V_NUM    ? td_num(L, 1, 1, 1, at)
               : v->kind == V_CELL ? td_cell(L, 1, 1, at)
                                   : td_struct(L, 1, 1, at);
  return value_if(one && td_copy_element(L, one, 0, v, i, at), one);
}

// Copy all fields but one.
value* td_without_field(lang* L, const value* s, const char* name, td_span at) {
  value* out = td_struct(L, s->rows, s->cols, at);
  const double slots = (double)td_value_count(s) * s->nfield;  // names are searched for each
  bool ok = out && td_spend(L, (long)(slots * (4 + s->nfield / 4)), at);
  for (int i = 0; ok && i < td_value_count(s); i++) {
    for (int f = 0; ok && f < s->nfield; f++) {
      if (strcmp(s->names[f], name) == 0) continue;
      const value_slot* from = &s->slots[i * s->nfield + f];
      value_slot* to = td_value_slot_make(out, i, s->names[f]);
      ok = to != NULL || td_no_memory(L, at) != NULL;
      if (!ok) break;
      to->at = from->at;
      to->name_at = from->name_at;
      td_value_put(out, to, from->v ? td_value_hold(from->v) : NULL);
    }
  }
  return value_if(ok, out);
}

// ---- numbers while loading --------------------------------------------------------------------

// Value of an expression while the model loads.  The parameters it depends on become structural;
// time, inputs, states and symbols without a value are errors that name `what`.
static bool expression_now(lang* L, ex e, td_span at, const char* what, double* x) {
  const unsigned depends = (unsigned)td_ex_depends(L->g, e),
                 state = TD_ON_STATE | TD_ON_RATE | TD_ON_ACCEL | TD_ON_INTERNAL;
  if (depends & ~(unsigned)TD_ON_PARAM) {
    const char* cause = depends & TD_ON_TIME    ? "time"
                        : depends & TD_ON_INPUT ? "an input"
                        : depends & state       ? "the state of the robot"
                                                : "something that is not known while loading";
    td_fail(L, at, "%s depends on %s, which is not known while the model loads", what, cause);
    if (strstr(what, "condition"))
      td_hint(L->diags, "use ifelse(condition, a, b) in an expression instead");
    return false;
  }

  // current values of the parameters
  const int nvar = td_exprs_nvar(L->g);
  double* vars = calloc((size_t)max_int(1, nvar), sizeof(double));
  int* used = malloc((size_t)max_int(1, nvar) * sizeof(int));
  bool ok = (vars && used) || td_no_memory(L, at);
  const int n = ok ? td_ex_vars(L->g, e, used, nvar) : 0;

  for (int k = 0; ok && k < n; k++) {
    int i = 0;
    while (i < L->spec->nparam && L->spec->params[i].var != used[k]) i++;
    ok = i < L->spec->nparam;
    if (ok) {
      td_param_settle(&L->spec->params[i], what);
      vars[used[k]] = L->spec->params[i].value;
    } else {
      td_fail(
          L, at,
          "the symbol '%s' has no value here: give it one with par.sym and par.var, or use param()",
          td_exprs_var_name(L->g, used[k]));
    }
  }

  if (ok) *x = td_ex_eval(L->g, e, vars);
  free(vars);
  free(used);
  return ok && td_spend(L, nvar + 2L * e + 10, at);
}

// Element i as a number.
bool td_number_at(lang* L, const value* v, int i, td_span at, const char* what, double* x) {
  if (v->kind != V_NUM) {
    char text[TD_DESCRIBE_SIZE];
    td_fail(L, at, "%s must be a number, got %s", what, td_value_describe(v, text));
    return false;
  }
  if (is_expr(v, i)) return expression_now(L, v->e[i], at, what, x);
  *x = v->x[i];
  return true;
}

// The values of all elements as plain numbers, for an argument that must be known while the model
// loads; v itself, held, if it has no expressions.  NULL after a message that names `what`.
value* td_constant(lang* L, const value* v, td_span at, const char* what) {
  if (!td_has_expr(v)) return td_value_hold((value*)(uintptr_t)v);
  value* out = td_num(L, v->rows, v->cols, v->pages, at);
  if (!out) return NULL;
  const int n = td_value_count(v);

  for (int i = 0; i < n; i++) {
    if (!td_number_at(L, v, i, at, what, &out->x[i])) {
      td_value_drop(out);
      return NULL;
    }
  }

  out->logical = v->logical;
  return out;
}

// A value is true if it has elements and none of them is 0; a string is true if it is not empty.
bool td_truth(lang* L, const value* v, td_span at, const char* what, bool* truth) {
  const int n = td_value_count(v);
  *truth = n > 0;
  if (v->kind == V_STR) return true;
  if (v->kind != V_NUM) {
    char text[TD_DESCRIBE_SIZE];
    td_fail(L, at, "%s must be a number or a comparison, got %s", what, td_value_describe(v, text));
    return false;
  }
  if (!td_spend(L, n / 2, at)) return false;

  for (int i = 0; i < n; i++) {
    double x;
    if (!td_number_at(L, v, i, at, what, &x)) return false;
    if (x == 0) *truth = false;
  }
  return true;
}
