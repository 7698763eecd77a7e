// Indexing and assignment.  a(i), a(i,j), a(i,j,k) and c{i} read.  Assignment to a path of fields
// and indices walks from its root down; each level is changed in place if nothing else holds it,
// and grown where the index lies outside.  A function returns NULL or false after a message.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"

// ---- index lists ------------------------------------------------------------------------------

static void index_free(index_list* ix) {
  if (ix->at != &ix->one) free(ix->at);
  ix->at = NULL;
}

// The k-th position that an index selects, from 0.
static int index_at(const index_list* ix, int k) {
  return ix->colon ? k : ix->at ? ix->at[k] : ix->one;
}

// Select the elements where a logical array is true.
static bool index_from_mask(lang* L, const value* v, index_list* ix, td_span at) {
  const int n = td_value_count(v);
  int count = 0;
  for (int i = 0; i < n; i++) count += v->x[i] != 0;
  ix->at = malloc(sizeof(int) * (size_t)max_int(1, count));
  if (!ix->at) return td_no_memory(L, at) != NULL;

  for (int i = 0; i < n; i++) {
    if (v->x[i] != 0) ix->at[ix->n++] = i;
  }
  ix->highest = count > 0 ? ix->at[count - 1] + 1 : 0;
  ix->rows = v->rows == 1 ? 1 : count;
  ix->cols = v->rows == 1 ? count : 1;
  return true;
}

// Select elements by their numbers, from 1.
static bool index_from_numbers(lang* L, const value* v, index_list* ix, td_span at) {
  const int n = td_value_count(v);
  ix->rows = v->rows;
  ix->cols = v->cols * v->pages;
  if (n != 1) ix->at = malloc(sizeof(int) * (size_t)max_int(1, n));
  if (n != 1 && !ix->at) return td_no_memory(L, at) != NULL;

  for (int i = 0; i < n; i++) {
    const double x = v->x[i];
    if (!(x >= 1) || x != floor(x)) {
      // a wrong counter fails in many lines of a loop: one message is enough
      char text[80];
      snprintf(text, sizeof text, "an index must be %s, got %g",
               x == floor(x) && x < 1 ? "1 or more" : "a whole number", x);
      if (!td_is_said(L->diags, text)) td_fail(L, at, "%s", text);
      return false;
    }
    if (x > TD_VALUE_LIMIT)
      return td_fail(L, at, "the index %g is larger than the limit of %d", x, TD_VALUE_LIMIT) !=
             NULL;
    *(n == 1 ? &ix->one : &ix->at[i]) = (int)x - 1;
    ix->highest = max_int(ix->highest, (int)x);
  }

  ix->n = n;
  return true;
}

// Evaluate the position-th index of `nindex` into `base` (NULL: the array does not exist yet).
static bool index_eval(lang* L, const ast* node, const value* base, int position, int nindex,
                       index_list* ix) {
  *ix = (index_list){0};
  if (node->kind == AST_COLON) {
    ix->colon = true;
    return true;
  }

  // `end` refers to this array and index while the expression is evaluated
  const value* old_base = L->end_base;
  const int old_at = L->end_at, old_n = L->end_n;
  const bool old_in = L->in_index;
  L->end_base = base;
  L->end_at = position;
  L->end_n = nindex;
  L->in_index = true;
  value* v = td_eval(L, node);
  L->end_base = old_base;
  L->end_at = old_at;
  L->end_n = old_n;
  L->in_index = old_in;
  if (!v) return false;

  // ':', a mask or numbers
  bool ok = false;
  if (v->kind == V_STR && v->cols == 1 && v->s[0] == ':') {
    ok = ix->colon = true;
  } else if (v->kind != V_NUM) {
    char text[TD_DESCRIBE_SIZE];
    td_fail(L, node->at, "an index must be a number, got %s", td_value_describe(v, text));
  } else {
    value* c = td_constant(L, v, node->at, "an index");
    if (c && td_spend(L, td_value_count(c) / 4, node->at)) {
      ok = (v->logical ? index_from_mask : index_from_numbers)(L, c, ix, node->at);
    }
    td_value_drop(c);
  }
  td_value_drop(v);
  if (!ok) index_free(ix);
  return ok;
}

static void indices_free(index_list* ix, int n) {
  for (int i = 0; i < n; i++) index_free(&ix[i]);
}

// Evaluate the indices of a node; at most three.
static bool indices_eval(lang* L, const ast* node, const value* base, index_list ix[3]) {
  if (node->n > 3) return td_fail(L, node->at, "at most three indices, got %d", node->n) != NULL;
  for (int i = 0; i < node->n; i++) {
    if (!index_eval(L, node->list[i], base, i, node->n, &ix[i])) {
      indices_free(ix, i);
      return false;
    }
  }
  return true;
}

// Size of dimension d when an array is read with n indices: the last index covers the remaining
// dimensions.
static int extent(const value* v, int d, int n) {
  if (!v) return 0;
  if (n == 1) return td_value_count(v);
  if (d == 0) return v->rows;
  if (d == 1) return n == 2 ? v->cols * v->pages : v->cols;
  return v->pages;
}

// Give colons the size of the dimension that they cover.
static void colons(index_list* ix, const value* v, int n) {
  for (int d = 0; d < n; d++) {
    if (!ix[d].colon) continue;
    ix[d].n = ix[d].highest = extent(v, d, n);
    ix[d].rows = ix[d].n;
    ix[d].cols = 1;
  }
}

// ---- reading ----------------------------------------------------------------------------------

// Check that the indices lie inside the array.
static bool in_range(lang* L, const value* base, const index_list* ix, const ast* node) {
  for (int d = 0; d < node->n; d++) {
    const int size = extent(base, d, node->n);
    if (ix[d].highest <= size) continue;
    if (td_is_partial(L, node)) return false;
    char text[60];
    td_excerpt(L, node->a->at, text, sizeof text);
    if (node->n == 1) {
      td_fail(L, node->list[d]->at, "index %d is out of range: %s has %d element%s", ix[d].highest,
              text, size, size == 1 ? "" : "s");
    } else {
      static const char* const dim[] = {"row", "column", "page"};
      td_fail(L, node->list[d]->at, "index %d is out of range: %s has %d %s%s", ix[d].highest, text,
              size, dim[d], size == 1 ? "" : "s");
    }
    return false;
  }
  return true;
}

// Empty value of the same kind as v (and with the same fields) in another shape; only numbers have
// pages.
static value* like(lang* L, const value* v, int rows, int cols, int pages, td_span at) {
  if (v->kind == V_NUM) {
    value* out = td_num(L, rows, cols, pages, at);
    if (out) out->logical = v->logical;
    return out;
  }
  if (pages != 1) return td_fail(L, at, "3-D arrays hold numbers only");
  if (v->kind == V_CELL) return td_cell(L, rows, cols, at);
  value* s = td_struct(L, rows, cols, at);

  for (int f = 0; s && f < v->nfield && rows * cols > 0; f++) {
    if (!td_value_slot_make(s, 0, v->names[f])) {
      td_value_drop(s);
      return td_no_memory(L, at);
    }
  }
  return s;
}

// Copy the elements of v that n indices select into a new value, in column-major order.  NULL after
// a message: there are too many elements, the limit of work is exceeded or memory is exhausted.
static value* gather(lang* L, const value* v, const index_list* ix, int n, td_span at) {
  // each index gives the size of its dimension
  int rows = ix[0].n, cols = n > 1 ? ix[1].n : 1;
  const int pages = n == 3 ? ix[2].n : 1;

  // one index: the shape of the index, but a vector keeps its direction
  if (n == 1) {
    const bool line = !ix->colon && (ix->rows == 1 || ix->cols == 1);
    const bool row = line && v->rows == 1 && v->cols != 1;
    const bool column = line && v->cols == 1 && v->rows != 1 && v->pages == 1;
    rows = row ? 1 : column ? ix->n : ix->rows;
    cols = row ? ix->n : column ? 1 : ix->cols;
  }

  // td_num reports a size beyond the limit, whatever the kind of v
  if ((double)rows * cols * pages > TD_VALUE_LIMIT) return td_num(L, rows, cols, pages, at);

  // make a value of the kind of v, charge the work, copy the elements
  value* out = like(L, v, rows, cols, pages, at);
  bool ok =
      out && td_spend(L, v->kind == V_NUM ? td_value_count(out) / 2 : 4L * td_value_count(out), at);
  int to = 0;

  for (int k = 0; ok && k < (n == 3 ? ix[2].n : 1); k++) {
    for (int j = 0; ok && j < (n > 1 ? ix[1].n : 1); j++) {
      for (int i = 0; ok && i < ix[0].n; i++) {
        int from = index_at(&ix[0], i);
        if (n > 1) from += v->rows * index_at(&ix[1], j);
        if (n == 3) from += v->rows * v->cols * index_at(&ix[2], k);
        ok = td_copy_element(L, out, to++, v, from, at);
      }
    }
  }
  return value_if(ok, out);
}

// Characters of a string that an index selects.
static value* gather_string(lang* L, const value* v, const index_list* ix, const ast* node) {
  if (node->n != 1) return td_fail(L, node->at, "a string takes one index, got %d", node->n);
  char* text = malloc((size_t)ix->n + 1);
  if (!text) return td_no_memory(L, node->at);
  for (int i = 0; i < ix->n; i++) text[i] = v->s[index_at(ix, i)];
  value* out = td_string(L, text, ix->n, node->at);
  free(text);
  return out;
}

// a(i), a(i,j), a(i,j,k)
value* td_index(lang* L, const value* base, const ast* node) {
  if (node->n == 0) return td_value_hold((value*)(uintptr_t)base);
  if (base->kind == V_REF) return td_fail(L, node->at, "a reference has no elements");
  index_list ix[3];
  if (!indices_eval(L, node, base, ix)) return NULL;
  colons(ix, base, node->n);
  value* out = NULL;
  if (in_range(L, base, ix, node)) {
    out = base->kind == V_STR ? gather_string(L, base, ix, node)
                              : gather(L, base, ix, node->n, node->at);
  }
  indices_free(ix, node->n);
  return out;
}

// c{i}: the contents of the selected elements
bool td_cell_index(lang* L, const value* base, const ast* node, values* out) {
  char text[TD_DESCRIBE_SIZE], what[60];
  if (base->kind != V_CELL) {
    td_fail(L, node->at, "{ } takes an element of a cell, but %s is %s",
            td_excerpt(L, node->a->at, what, sizeof what), td_value_describe(base, text));
    return false;
  }
  index_list ix[3];
  if (node->n == 0) return td_fail(L, node->at, "an index is missing between { and }") != NULL;
  if (!indices_eval(L, node, base, ix)) return false;
  colons(ix, base, node->n);
  value* part = in_range(L, base, ix, node) ? gather(L, base, ix, node->n, node->at) : NULL;
  indices_free(ix, node->n);
  bool ok = part != NULL;

  for (int i = 0; ok && i < td_value_count(part); i++) {
    value* v = part->slots[i].v ? td_value_hold(part->slots[i].v) : td_num(L, 0, 0, 1, node->at);
    ok = td_values_add(L, out, v, node->at);
  }

  td_value_drop(part);
  return ok;
}

// ---- writing ----------------------------------------------------------------------------------

// An assignment in progress
typedef struct writing {
  const ast* step[TD_VALUE_DEPTH];  // fields and indices, from the root down
  int n;
  value* v;    // the value to assign
  td_span at;  // its place in the text
  bool erase;  // it is a literal []: delete elements
} writing;

static bool write_at(lang* L, writing* w, int k, value** place);

// True if a place is empty and may become a value of any kind.
static bool is_blank(const value* v) { return !v || (v->kind == V_NUM && td_value_count(v) == 0); }

// Make the value at a place changeable: copy it if something else holds it.
static bool own_place(lang* L, value** place, td_span at) {
  if (!*place) return true;
  const value* v = *place;
  const long copied = v->refs > 1 ? (long)td_value_count(v) * max_int(1, v->nfield) : 0;
  const bool slots = v->kind == V_STRUCT || v->kind == V_CELL;
  if (!td_spend(L, slots ? 2 * copied + 10L * v->nfield : copied / 4, at)) return false;
  *place = td_value_own(*place);
  return *place || td_no_memory(L, at);
}

// Text of the target of a step: the array, if an element of it is changed.
static void describe_target(const lang* L, const ast* step, char* text, int size) {
  const ast* base = step->kind == AST_FIELD && step->a->kind == AST_INDEX ? step->a->a : step->a;
  td_excerpt(L, base->at, text, size);
}

// Name of a field step: written, or computed with .(expression).
static bool field_name(lang* L, const ast* step, char* name, int size) {
  if (!step->b) {
    const size_t n = strlen(step->text);
    if (n >= (size_t)size)
      return td_fail(L, step->name_at, "a field's name has at most %d characters", size - 1) !=
             NULL;
    memcpy(name, step->text, n + 1);
    return true;
  }
  value* v = td_eval(L, step->b);
  const bool ok = v && v->kind == V_STR && v->cols < size && td_is_identifier(v->s);
  if (ok) snprintf(name, (size_t)size, "%s", v->s);
  if (v && !ok)
    td_fail(L, step->b->at, "a field's name must be a word of at most %d letters, digits and _",
            size - 1);
  td_value_drop(v);
  return ok;
}

// Write field step k of element i of the struct at `place`.
static bool write_field(lang* L, writing* w, int k, value** place, int i) {
  const ast* step = w->step[k];
  char name[64];
  if (!field_name(L, step, name, sizeof name)) return false;

  // a place that is empty becomes a struct
  if (is_blank(*place)) {
    td_value_drop(*place);
    *place = td_struct(L, i == 0 ? 1 : 0, i == 0 ? 1 : 0, step->at);
    if (!*place) return false;
  }
  if ((*place)->kind != V_STRUCT) {
    char text[TD_DESCRIBE_SIZE], what[60];
    describe_target(L, step, what, sizeof what);
    td_fail(L, step->name_at, "%s is %s: it has no field '%s'", what,
            td_value_describe(*place, text), name);
    return false;
  }

  // make room for the element and write the rest of the path
  if (!own_place(L, place, step->at)) return false;
  const int fields = (*place)->nfield;
  const double here = td_value_count(*place);
  const double made = fmax(0, i + 1 - here) * max_int(1, fields) +
                      (td_value_field(*place, name) < 0 ? here * fields : 0);  // slots that move
  if (!td_spend(L, 10 + fields / 2 + (long)(2 * made), step->at)) return false;
  value_slot* slot = td_value_slot_make(*place, i, name);
  if (!slot) return td_no_memory(L, step->at) != NULL;
  if (!write_at(L, w, k + 1, &slot->v)) return false;
  slot->at = w->at;
  slot->name_at = step->name_at;
  if (slot->v) (*place)->depth = max_int((*place)->depth, slot->v->depth + 1);
  return true;
}

// Position of the single element that an index step selects.
static bool element_index(lang* L, const ast* step, const value* base, int* i) {
  if (step->n == 0)
    return td_fail(L, step->at, "an index is missing between the parentheses") != NULL;
  index_list ix[3];
  if (!indices_eval(L, step, base, ix)) return false;
  colons(ix, base, step->n);

  // position from the indices, with the strides of the array
  bool ok = true;
  int stride = 1;
  *i = 0;

  for (int d = 0; ok && d < step->n; d++) {
    const int size = extent(base, d, step->n), at = ix[d].n == 1 ? index_at(&ix[d], 0) : 0;
    if (ix[d].n != 1) {
      ok = td_fail(L, step->list[d]->at, "one element is needed here, the index selects %d",
                   ix[d].n) != NULL;
    } else if (step->n > 1 && at >= size && !(d == 1 && (!base || base->rows <= 1)) && at > 0) {
      ok = td_fail(L, step->list[d]->at,
                   "index %d is out of range: arrays of structures grow with one index",
                   at + 1) != NULL;
    }
    *i += stride * at;
    stride *= max_int(1, size);
  }

  indices_free(ix, step->n);
  return ok;
}

// Write step k, c{i}: the contents of one element of a cell, which grows if needed.
static bool write_cell(lang* L, writing* w, int k, value** place) {
  const ast* step = w->step[k];
  int i;
  if (!element_index(L, step, *place, &i)) return false;

  // a place that is empty becomes a cell
  if (is_blank(*place)) {
    td_value_drop(*place);
    *place = td_cell(L, 0, 0, step->at);
    if (!*place) return false;
  }
  if ((*place)->kind != V_CELL) {
    char text[TD_DESCRIBE_SIZE], what[60];
    describe_target(L, step, what, sizeof what);
    td_fail(L, step->at, "%s is %s, not a cell: { } cannot be used", what,
            td_value_describe(*place, text));
    return false;
  }

  // grow it, and write the rest of the path
  if (!own_place(L, place, step->at)) return false;
  value* c = *place;
  if (i >= td_value_count(c)) {
    if (!td_spend(L, 20L * (i + 1 - td_value_count(c)), step->at)) return false;
    const bool column = c->cols == 1 && c->rows > 1;
    if (!(column ? td_value_resize(c, i + 1, 1, 1) : td_value_resize(c, 1, i + 1, 1))) {
      return td_no_memory(L, step->at) != NULL;
    }
  }
  value_slot* slot = &c->slots[i];
  if (!write_at(L, w, k + 1, &slot->v)) return false;
  slot->at = w->at;
  if (slot->v) c->depth = max_int(c->depth, slot->v->depth + 1);
  return true;
}

// Grow an array for the elements that the indices select.
static bool grow_for(lang* L, value* v, const index_list* ix, const ast* step) {
  int size[3] = {v->rows, v->cols, v->pages};
  const int n = step->n;

  // the new size
  if (n == 1) {
    const int need = ix[0].highest;
    if (need <= td_value_count(v)) return true;
    if (v->pages != 1 || (v->rows > 1 && v->cols > 1)) {
      char what[60];
      describe_target(L, step, what, sizeof what);
      td_fail(L, step->list[0]->at,
              "index %d is out of range: %s is a %dx%d matrix and grows with two indices", need,
              what, v->rows, v->cols);
      return false;
    }
    const bool column = v->cols == 1 && v->rows > 1;
    size[0] = column ? need : 1;
    size[1] = column ? 1 : need;
  } else {
    if (n == 2 && v->pages > 1 && ix[1].highest > v->cols * v->pages) {
      return td_fail(L, step->list[1]->at, "index %d is out of range in a 3-D array",
                     ix[1].highest) != NULL;
    }
    size[0] = max_int(size[0], ix[0].highest);
    if (!(n == 2 && v->pages > 1)) size[1] = max_int(size[1], ix[1].highest);
    if (n == 3) size[2] = max_int(size[2], ix[2].highest);
  }

  // check the limit and charge the work
  if (size[0] == v->rows && size[1] == v->cols && size[2] == v->pages) return true;
  const double total = (double)size[0] * size[1] * size[2];
  if (total > TD_VALUE_LIMIT) {
    td_fail(L, step->at, "a %dx%d array is larger than the limit of %d elements", size[0],
            size[1] * size[2], TD_VALUE_LIMIT);
    return false;
  }
  const bool moves = size[0] != v->rows && v->cols > 1;  // otherwise the block is extended in place
  const double made = (moves ? total : total - td_value_count(v)) * max_int(1, v->nfield);
  const double cost =
      v->kind == V_NUM ? (moves ? 0.5 : 0.125) : 4;  // slots are larger than numbers
  if (!td_spend(L, (long)(cost * made), step->at)) return false;
  return td_value_resize(v, size[0], size[1], size[2]) || td_no_memory(L, step->at);
}

// Give colons on the left side their size: that of the array or, where it does not exist yet, that
// of the right side.
static void open_colons(index_list* ix, const value* base, const value* v, int n) {
  int next = 0;
  const int size[3] = {v->rows, v->cols, v->pages};
  for (int d = 0; d < n; d++) {
    if (!ix[d].colon) continue;
    int have = extent(base, d, n);
    if (have == 0) {
      while (next < 3 && n > 1 && size[next] == 1 && next < d) next++;
      have = n == 1 ? td_value_count(v) : size[min_int(max_int(next, d), 2)];
    }
    next++;
    ix[d].n = ix[d].highest = have;
    ix[d].rows = have;
    ix[d].cols = 1;
  }
}

// a(i, j) = v: write the elements that the indices select.
static bool write_elements(lang* L, writing* w, const ast* step, index_list* ix, value** place) {
  char a[TD_DESCRIBE_SIZE], b[TD_DESCRIBE_SIZE], what[60];

  // an array that does not exist yet has the kind of the right side
  if (is_blank(*place) && (!*place || w->v->kind != V_NUM)) {
    value* blank = w->v->kind == V_NUM    ? td_num(L, 0, 0, 1, step->at)
                   : w->v->kind == V_CELL ? td_cell(L, 0, 0, step->at)
                                          : td_struct(L, 0, 0, step->at);
    if (!blank) return false;
    blank->logical = w->v->logical;
    td_value_drop(*place);
    *place = blank;
  }
  const value_kind kind = (*place)->kind;
  describe_target(L, step, what, sizeof what);
  if (kind == V_STR || kind == V_FUNC || kind == V_REF)
    return td_fail(L, step->at, "%s is %s: its parts cannot be assigned", what,
                   td_value_kind_text(*place)) != NULL;
  if (kind != w->v->kind)
    return td_fail(L, w->at, "an element of %s (%s) cannot be %s%s", what,
                   td_value_describe(*place, a), td_value_describe(w->v, b),
                   kind == V_CELL ? "; use { } to set what a cell holds" : "") != NULL;

  // make room
  if (!own_place(L, place, step->at)) return false;
  open_colons(ix, *place, w->v, step->n);
  if (!grow_for(L, *place, ix, step)) return false;

  // both sides must have equally many elements, or the right side one
  const int n = step->n, have = td_value_count(w->v);
  double count = ix[0].n;
  for (int d = 1; d < n; d++) count *= ix[d].n;
  if (have != 1 && have != count)
    return td_fail(L, w->at, "%.10g element%s selected on the left, the right side is %s", count,
                   count == 1 ? " is" : "s are", td_value_describe(w->v, a)) != NULL;
  if (!td_spend(L, (long)count, step->at)) return false;

  value* base = *place;
  int from = 0;
  for (int k = 0; k < (n == 3 ? ix[2].n : 1); k++) {
    for (int j = 0; j < (n > 1 ? ix[1].n : 1); j++) {
      for (int i = 0; i < ix[0].n; i++, from++) {
        int to = index_at(&ix[0], i);
        if (n > 1) to += base->rows * index_at(&ix[1], j);
        if (n == 3) to += base->rows * base->cols * index_at(&ix[2], k);
        if (!td_copy_element(L, base, to, w->v, have == 1 ? 0 : from, w->at)) return false;
      }
    }
  }

  if (base->kind != V_NUM) base->depth = max_int(base->depth, w->v->depth);
  base->logical = base->logical && w->v->logical;
  return true;
}

// a(k) = []: delete the elements, rows or columns that the indices select.
static bool erase_elements(lang* L, const ast* step, index_list* ix, value** place) {
  value* base = *place;
  if (!base) return td_fail(L, step->at, "nothing to delete: there is no such array yet") != NULL;
  colons(ix, base, step->n);

  // the one dimension along which elements are deleted
  int dim = -1;
  for (int d = 0; d < step->n; d++) {
    if (ix[d].colon && step->n > 1) continue;
    if (dim >= 0)
      return td_fail(L, step->at, "only whole rows, columns or pages can be deleted") != NULL;
    dim = d;
  }

  if (!in_range(L, base, ix, step)) return false;
  if (base->kind != V_NUM && base->kind != V_STRUCT && base->kind != V_CELL) {
    return td_fail(L, step->at, "elements of %s cannot be deleted", td_value_kind_text(base)) !=
           NULL;
  }
  if (dim < 0) dim = 0;

  // gather the elements that are kept
  const int size = extent(base, dim, step->n);
  bool* gone = calloc((size_t)max_int(1, size), sizeof(bool));
  index_list kept[3] = {ix[0], ix[1], ix[2]};
  index_list* k = &kept[dim];
  *k = (index_list){.at = malloc(sizeof(int) * (size_t)max_int(1, size))};
  if (!gone || !k->at) {
    free(gone);
    free(k->at);
    return td_no_memory(L, step->at) != NULL;
  }
  for (int i = 0; i < ix[dim].n; i++) gone[index_at(&ix[dim], i)] = true;

  for (int i = 0; i < size; i++) {
    if (!gone[i]) k->at[k->n++] = i;
  }
  k->rows = 1;
  k->cols = k->n;
  value* left = gather(L, base, kept, step->n, step->at);
  free(gone);
  free(k->at);
  if (!left) return false;
  td_value_drop(base);
  *place = left;
  return true;
}

// Write step k, a(...): elements, or a field of one element if a field follows.
static bool write_indexed(lang* L, writing* w, int k, value** place) {
  const ast* step = w->step[k];
  if (k + 1 < w->n) {
    if (w->step[k + 1]->kind != AST_FIELD) {
      return td_fail(L, w->step[k + 1]->at, "an index after an index cannot be assigned to") !=
             NULL;
    }
    int i;
    return element_index(L, step, *place, &i) && write_field(L, w, k + 1, place, i);
  }
  if (step->n == 0)
    return td_fail(L, step->at, "an index is missing between the parentheses") != NULL;
  index_list ix[3] = {{0}, {0}, {0}};
  if (!indices_eval(L, step, *place, ix)) return false;
  const bool ok =
      w->erase ? erase_elements(L, step, ix, place) : write_elements(L, w, step, ix, place);
  indices_free(ix, step->n);
  return ok;
}

// Write the value w->v to the place that steps k, k + 1, ... of the path reach from `*place`, one
// level at a time (fields, indices, cells); behind the last step the value replaces what is there.
// False after a message.
static bool write_at(lang* L, writing* w, int k, value** place) {
  if (k == w->n) {
    td_value_drop(*place);
    *place = td_value_hold(w->v);
    return true;
  }
  const ast* step = w->step[k];
  if (step->kind == AST_CELLINDEX) return write_cell(L, w, k, place);
  if (step->kind == AST_INDEX) return write_indexed(L, w, k, place);

  // a field of several elements at once is refused
  if (*place && (*place)->kind == V_STRUCT && td_value_count(*place) > 1) {
    char what[60];
    describe_target(L, step, what, sizeof what);
    td_fail(L, step->name_at, "%s has %d elements: say which one, as in %s(1).%s", what,
            td_value_count(*place), what, step->text ? step->text : "name");
    return false;
  }
  return write_field(L, w, k, place, 0);
}

// Assign to a path: collect its steps, then write from the root down.
bool td_assign(lang* L, const ast* target, value* v, td_span at, bool erase) {
  // steps of the path, from the root down; their array is large and not cleared
  writing w;
  w.n = 0;
  w.v = v;
  w.at = at;
  w.erase = erase;
  const ast* node = target;

  while (node->kind == AST_INDEX || node->kind == AST_CELLINDEX || node->kind == AST_FIELD) {
    w.n++;
    node = node->a;
  }

  if (node->kind != AST_NAME) {
    return td_fail(L, node->at, "this cannot be assigned to; write name = value") != NULL;
  }
  if (w.n + v->depth >= TD_VALUE_DEPTH) {
    return td_fail(L, target->at, "values are nested deeper than %d", TD_VALUE_DEPTH) != NULL;
  }
  if (!td_spend(L, 10L * w.n, at)) return false;
  int k = w.n;
  for (const ast* s = target; s != node; s = s->a) w.step[--k] = s;

  // the variable at the root
  variable* var = td_scope_make(L->scope, node->text);
  if (!var) return td_no_memory(L, at) != NULL;
  if (var->borrowed)
    return td_fail(L, target->at, "a function of a model cannot change the global '%s'; return it",
                   node->text) != NULL;
  if (w.n > 0 && var->poisoned) {
    if (var->skipped) L->skipping = var->name;
    return false;
  }

  // write; expressions cannot assign, so that the variable does not move while indices are
  // evaluated
  if (!write_at(L, &w, 0, &var->v)) return false;
  if (var->first.source < 0) var->first = node->at;
  var->at = at;
  var->parts = w.n > 0;
  if (w.n == 0) var->poisoned = var->partial = var->skipped = false;
  return true;
}
