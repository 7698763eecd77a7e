// Values: storage, sharing, growth.  Arrays are column-major; growing a vector, a matrix by columns
// or a struct array by elements extends the block in place with spare room, so that building one
// element by element is linear.
#include "model/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/poison.h"

// ---- memory -----------------------------------------------------------------------------------

// Change what v is charged with; false when the meter has no room.
static bool charge(value* v, size_t bytes) {
  td_meter* m = v->meter;
  if (m) {
    if (bytes > v->bytes && bytes - v->bytes > m->limit - m->used) return false;
    m->used = m->used - v->bytes + bytes;
  }
  v->bytes = bytes;
  return true;
}

bool td_value_meter(value* v, td_meter* meter) {
  const size_t bytes = v->bytes;
  if (v->meter == meter) return true;
  if (bytes > meter->limit - meter->used) return false;
  v->meter = meter;
  meter->used += bytes;
  return true;
}

static size_t element_size(const value* v) {
  if (v->kind == V_NUM) return sizeof(double) + (v->e ? sizeof(ex) : 0);
  return sizeof(value_slot);
}

// Make room for `need` elements of x (and e) or slots; new ones are zero, EX_NONE or unset.
static bool reserve(value* v, int64_t need) {
  if (need <= v->cap) return true;
  if (need > TD_VALUE_LIMIT) return false;
  if (v->kind == V_NUM && need == 1 && !v->e) {  // most values are single numbers
    v->x = &v->one;
    v->cap = 1;
    return true;
  }
  int64_t cap = v->cap == 0 ? need : need + need / 2;
  if (cap > TD_VALUE_LIMIT) cap = TD_VALUE_LIMIT;
  const size_t n = (size_t)cap, old = (size_t)v->cap;
  if (!charge(v, sizeof(value) + n * element_size(v))) return false;

  if (v->kind == V_NUM) {
    if (v->e) {
      ex* e = realloc(v->e, n * sizeof(ex));
      if (!e) return false;
      for (size_t i = old; i < n; i++) e[i] = EX_NONE;
      v->e = e;
    }
    const bool inside = old == 0 || v->x == &v->one;
    double* x = inside ? calloc(n, sizeof(double)) : realloc(v->x, n * sizeof(double));
    if (!x) return false;
    if (inside && old > 0) x[0] = v->one;
    for (size_t i = old; !inside && i < n; i++) x[i] = 0;
    v->x = x;
  } else {
    value_slot* slots = realloc(v->slots, n * sizeof(value_slot));
    if (!slots) return false;
    memset(slots + old, 0, (n - old) * sizeof(value_slot));
    v->slots = slots;
  }
  v->cap = (int)cap;
  return true;
}

// A value of this kind and size with one reference and no storage yet.  NULL: no memory, negative
// or more than TD_VALUE_LIMIT elements.
static value* fresh(value_kind kind, int rows, int cols, int pages) {
  if (rows < 0 || cols < 0 || pages < 0) return NULL;
  const double n = (double)rows * cols * pages;
  if (n > TD_VALUE_LIMIT) return NULL;
  value* v = calloc(1, sizeof(value));
  if (!v) return NULL;
  v->kind = kind;
  v->refs = 1;
  v->rows = rows;
  v->cols = cols;
  v->pages = pages;
  v->bytes = sizeof(value);
  return v;
}

static value* with_room(value* v, int n) {
  if (v && !reserve(v, n)) {
    td_value_drop(v);
    return NULL;
  }
  return v;
}

// ---- constructors -----------------------------------------------------------------------------

value* td_value_num(int rows, int cols, int pages) {
  value* v = fresh(V_NUM, rows, cols, pages);
  return with_room(v, v ? max_int(1, td_value_count(v)) : 0);
}

value* td_value_renew(td_meter* meter, int rows, int cols, int pages) {
  value* v = meter->spare;
  if (!v || rows != 1 || cols != 1 || pages != 1) return td_value_num(rows, cols, pages);
  unpoison(v, sizeof *v);
  meter->spare = v->next;
  meter->nspare--;
  *v = (value){.kind = V_NUM, .refs = 1, .rows = 1, .cols = 1, .pages = 1, .cap = 1};
  v->bytes = sizeof *v;
  v->x = &v->one;
  return v;
}

void td_meter_free(td_meter* meter) {
  while (meter->spare) {
    value* v = meter->spare;
    unpoison(v, sizeof *v);
    meter->spare = v->next;
    free(v);
  }
  meter->nspare = 0;
}

value* td_value_scalar(double x) {
  value* v = td_value_num(1, 1, 1);
  if (v) v->x[0] = x;
  return v;
}

value* td_value_expr(ex e) {
  value* v = td_value_num(1, 1, 1);
  if (!v) return NULL;
  v->e = malloc(sizeof(ex));
  if (!v->e) {
    td_value_drop(v);
    return NULL;
  }
  v->e[0] = e;
  v->x[0] = NAN;
  v->bytes += sizeof(ex);
  return v;
}

value* td_value_string(const char* s, int n) {
  value* v = fresh(V_STR, n > 0 ? 1 : 0, n, 1);
  if (!v) return NULL;
  v->s = td_strndup(s, (size_t)n);
  v->bytes += (size_t)n + 1;
  if (v->s) return v;
  td_value_drop(v);
  return NULL;
}

value* td_value_struct(int rows, int cols) {
  value* v = fresh(V_STRUCT, rows, cols, 1);
  if (v) v->depth = 1;
  return v;
}

value* td_value_cell(int rows, int cols) {
  value* v = fresh(V_CELL, rows, cols, 1);
  if (v) v->depth = 1;
  return with_room(v, v ? td_value_count(v) : 0);
}

value* td_value_ref(const char* root, int index) {
  value* v = fresh(V_REF, 1, 1, 1);
  if (!v) return NULL;
  snprintf(v->ref.root, sizeof v->ref.root, "%s", root);
  v->ref.index = index;
  v->ref.place = EX_NONE;
  return v;
}

value* td_value_func(void* func, td_func_free free_func) {
  value* v = fresh(V_FUNC, 1, 1, 1);
  if (!v) return NULL;
  v->func = func;
  v->func_free = free_func;
  v->depth = 1;
  return v;
}

// ---- sharing ----------------------------------------------------------------------------------

value* td_value_hold(value* v) {
  if (v) v->refs++;
  return v;
}

static int slot_count(const value* v) {
  if (v->kind == V_STRUCT) return td_value_count(v) * v->nfield;
  return v->kind == V_CELL ? td_value_count(v) : 0;
}

// Give up one reference; with the last one the value is freed, or kept in its meter's list of spare
// numbers.  What it holds is dropped with it.
void td_value_drop(value* v) {
  enum { SPARE = 64 };
  if (!v || --v->refs > 0) return;

  // a single number is kept for the next one
  if (v->kind == V_NUM && v->x == &v->one && !v->e && v->meter && v->meter->nspare < SPARE) {
    td_meter* meter = v->meter;
    meter->used -= v->bytes;
    v->next = meter->spare;
    meter->spare = v;
    meter->nspare++;
    poison(v, sizeof *v);
    return;
  }

  const int n = v->slots ? slot_count(v) : 0;
  for (int i = 0; i < n; i++) td_value_drop(v->slots[i].v);
  for (int f = 0; f < v->nfield; f++) free(v->names[f]);
  if (v->func_free) v->func_free(v->func);
  if (v->meter) v->meter->used -= v->bytes;
  free(v->names);
  free(v->slots);
  if (v->x != &v->one) free(v->x);
  free(v->e);
  free(v->s);
  free(v);
}

// Copy the numbers of an array, and its expressions where it has some.  False: no memory.
static bool copy_numbers(value* to, const value* from) {
  const int n = td_value_count(from);
  if (from->e) {
    to->e = malloc(sizeof(ex));  // reserve() makes room for the rest
    if (!to->e) return false;
  }
  to->logical = from->logical;
  if (!reserve(to, max_int(1, n))) return false;
  memcpy(to->x, from->x, (size_t)n * sizeof(double));
  if (from->e) memcpy(to->e, from->e, (size_t)n * sizeof(ex));
  return true;
}

// Copy field names and slots of a struct or cell; the values in the slots are shared.  False: no
// memory, and `to` is left in a state that td_value_drop can free.
static bool copy_slots(value* to, const value* from) {
  const int n = slot_count(from);
  if (from->nfield > 0) {
    to->names = calloc((size_t)from->nfield, sizeof(char*));
    if (!to->names) return false;
    for (int f = 0; f < from->nfield; f++) {
      to->names[f] = td_strdup(from->names[f]);
      if (!to->names[f]) return false;
      to->nfield = f + 1;
    }
  }
  if (!reserve(to, n)) return false;
  for (int i = 0; i < n; i++) {
    to->slots[i] = from->slots[i];
    td_value_hold(to->slots[i].v);
  }
  return true;
}

// Copy on write: numbers are copied, slots of structs and cells share their values.
value* td_value_own(value* v) {
  if (!v || v->refs == 1) return v;
  if (v->kind == V_STR || v->kind == V_FUNC || v->kind == V_REF)
    return v;  // never changed in place
  value* copy = fresh(v->kind, v->rows, v->cols, v->pages);
  bool ok = copy != NULL;
  if (ok) {
    copy->depth = v->depth;
    ok = (!v->meter || td_value_meter(copy, v->meter)) &&
         (v->kind == V_NUM ? copy_numbers(copy, v) : copy_slots(copy, v));
  }
  td_value_drop(v);
  if (ok) return copy;
  td_value_drop(copy);
  return NULL;
}

bool td_value_is_empty(const value* v) { return !v || td_value_count(v) == 0; }

// ---- numbers and expressions ------------------------------------------------------------------

ex td_value_ex(const value* v, int i, td_exprs* g) {
  if (v->e && v->e[i] != EX_NONE) return v->e[i];
  return td_ex_const(g, v->x[i]);
}

// Store a number or an expression in element i: x[i] is NaN where e[i] holds an expression.  False:
// no memory or e is EX_NONE.
bool td_value_set_ex(value* v, int i, ex e, const td_exprs* g) {
  if (e == EX_NONE) return false;
  if (td_ex_is_const(g, e)) {
    v->x[i] = td_ex_value(g, e);
    if (v->e) v->e[i] = EX_NONE;
    return true;
  }
  if (!v->e) {
    const size_t n = (size_t)v->cap;
    if (!charge(v, v->bytes + n * sizeof(ex))) return false;
    v->e = malloc(n * sizeof(ex));
    if (!v->e) return false;
    for (size_t k = 0; k < n; k++) v->e[k] = EX_NONE;
  }
  v->e[i] = e;
  v->x[i] = NAN;
  return true;
}

// ---- structs ----------------------------------------------------------------------------------

int td_value_field(const value* s, const char* name) {
  if (!s || s->kind != V_STRUCT) return -1;
  for (int f = 0; f < s->nfield; f++) {
    if (strcmp(s->names[f], name) == 0) return f;
  }
  return -1;
}

value_slot* td_value_slot(const value* s, int i, const char* name) {
  const int f = td_value_field(s, name);
  if (f < 0 || i < 0 || i >= td_value_count(s)) return NULL;
  return &s->slots[i * s->nfield + f];
}

// Add a field: every element's run of slots becomes one longer, moved from the last element on.
static int add_field(value* s, const char* name) {
  const int n = td_value_count(s), old = s->nfield;
  char* copy = td_strdup(name);
  char** names = copy ? realloc(s->names, (size_t)(old + 1) * sizeof(char*)) : NULL;
  if (names) s->names = names;
  if (!names || !reserve(s, (int64_t)n * (old + 1))) {
    free(copy);
    return -1;
  }
  names[old] = copy;
  for (int i = n - 1; i >= 0; i--) {
    memmove(&s->slots[i * (old + 1)], &s->slots[i * old], (size_t)old * sizeof(value_slot));
    memset(&s->slots[i * (old + 1) + old], 0, sizeof(value_slot));
  }
  s->nfield = old + 1;
  return old;
}

value_slot* td_value_slot_make(value* s, int i, const char* name) {
  if (i >= td_value_count(s)) {
    const bool column = s->cols == 1 && s->rows > 1;
    if (!(column ? td_value_resize(s, i + 1, 1, 1) : td_value_resize(s, 1, i + 1, 1))) return NULL;
  }
  int f = td_value_field(s, name);
  if (f < 0) f = add_field(s, name);
  return f < 0 ? NULL : &s->slots[i * s->nfield + f];
}

bool td_value_put(value* owner, value_slot* slot, value* v) {
  if (v && v->depth >= TD_VALUE_DEPTH) {
    td_value_drop(v);
    return false;
  }
  value* old = slot->v;
  slot->v = v;
  if (v) owner->depth = max_int(owner->depth, v->depth + 1);
  td_value_drop(old);
  return true;
}

// ---- growth -----------------------------------------------------------------------------------

// Do the old elements keep their linear index in the new shape?
static bool is_prefix(const value* v, int rows, int cols, int pages) {
  if (td_value_count(v) == 0) return true;
  if (rows < v->rows || cols < v->cols || pages < v->pages) return false;
  if (rows == v->rows) return cols == v->cols || v->pages == 1;
  return v->cols == 1 && v->pages == 1;
}

// Move the elements that both shapes have into a new block, each with its subscripts; the others
// are dropped.  False: no memory or beyond the limit.
static bool rearrange(value* v, int rows, int cols, int pages) {
  value* to = fresh(v->kind, rows, cols, pages);
  const int width = v->kind == V_STRUCT ? v->nfield : 1;
  if (!to) return false;

  // storage of the new shape
  if (v->e) to->e = malloc(sizeof(ex));
  if ((v->e && !to->e) ||
      !reserve(to, (int64_t)max_int(1, td_value_count(to)) * max_int(1, width))) {
    td_value_drop(to);
    return false;
  }
  for (int k = 0; k < min_int(pages, v->pages); k++) {
    for (int j = 0; j < min_int(cols, v->cols); j++) {
      for (int i = 0; i < min_int(rows, v->rows); i++) {
        const int a = i + rows * (j + cols * k), b = i + v->rows * (j + v->cols * k);
        if (v->kind == V_NUM) to->x[a] = v->x[b];
        if (v->e) to->e[a] = v->e[b];
        if (v->kind == V_NUM) continue;
        for (int f = 0; f < width; f++) {
          to->slots[a * width + f] = v->slots[b * width + f];
          v->slots[b * width + f].v = NULL;
        }
      }
    }
  }

  // drop what is left, and take over the new storage
  for (int i = 0; i < slot_count(v); i++) td_value_drop(v->slots[i].v);
  if (v->x != &v->one) free(v->x);
  free(v->e);
  free(v->slots);
  v->one = to->one;
  v->x = to->x == &to->one ? &v->one : to->x;
  v->e = to->e;
  v->slots = to->slots;
  v->cap = to->cap;
  const bool ok = charge(v, to->bytes);
  free(to);
  return ok;
}

// Resize a numeric array, struct array or cell in place.  Elements keep their subscripts, new ones
// are empty (numbers: zero).  False: no memory, too large, or a kind without elements.
bool td_value_resize(value* v, int rows, int cols, int pages) {
  if (v->kind == V_STR || v->kind == V_FUNC || v->kind == V_REF) return false;
  if (rows < 0 || cols < 0 || pages < 0) return false;
  const double n = (double)rows * cols * pages;
  const int width = v->kind == V_STRUCT ? v->nfield : 1;
  if (n > TD_VALUE_LIMIT || n * max_int(1, width) > TD_VALUE_LIMIT) return false;
  if (is_prefix(v, rows, cols, pages)) {
    if (!reserve(v, (int64_t)n * width)) return false;
  } else if (!rearrange(v, rows, cols, pages)) {
    return false;
  }
  v->rows = rows;
  v->cols = cols;
  v->pages = pages;
  return true;
}

// ---- description ------------------------------------------------------------------------------

// Words for the kind of a value, for messages.
const char* td_value_kind_text(const value* v) {
  if (!v) return "nothing";
  switch (v->kind) {
    case V_NUM:
      if (td_value_count(v) == 0) return "an empty matrix";
      return td_value_count(v) == 1 ? "a number" : "a matrix";
    case V_STR:
      return "a string";
    case V_STRUCT:
      return td_value_count(v) == 1 ? "a struct" : "a struct array";
    case V_CELL:
      return "a cell";
    case V_FUNC:
      return "a function";
    case V_REF:
      return "a reference";
  }
  return "a value";
}

// Words for kind and size, "a 3x2 matrix"; a single element has no size.  Written to `text`, which
// is returned.
const char* td_value_describe(const value* v, char text[TD_DESCRIBE_SIZE]) {
  char size[40] = "";
  if (v && v->pages == 1) snprintf(size, sizeof size, "%dx%d", v->rows, v->cols);
  if (v && v->pages != 1) snprintf(size, sizeof size, "%dx%dx%d", v->rows, v->cols, v->pages);
  const int n = v ? td_value_count(v) : 0;
  const bool sized = v && n != 1 && (v->kind == V_NUM || v->kind == V_STRUCT || v->kind == V_CELL);
  if (!sized) {
    snprintf(text, TD_DESCRIBE_SIZE, "%s", td_value_kind_text(v));
  } else {
    const char* kind = v->kind == V_NUM ? "matrix" : v->kind == V_CELL ? "cell" : "struct array";
    snprintf(text, TD_DESCRIBE_SIZE, "a %s %s", size, kind);
  }
  return text;
}
