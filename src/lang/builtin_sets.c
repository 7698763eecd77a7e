// Lists as sets: unique, ismember, union, intersect, setdiff of numbers and of texts; sortrows.  A
// function takes the arguments of a call, checks them, and returns its value, or NULL after a
// message.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/eval.h"

// ---- items --------------------------------------------------------------------------------------

// Item of a list: a number, a row of numbers or a text, and its position
typedef struct item {
  const double* x;
  const char* s;
  int n, stride;  // of a row of numbers
  int at;
} item;

typedef struct items {
  item* list;
  int n;
  bool row;     // the list was a row
  value* held;  // value that the items point into
} items;

// Order of two items for qsort.
static int compare_items(const void* p, const void* q) {
  const item *a = p, *b = q;
  if (a->s) return strcmp(a->s, b->s);
  for (int i = 0; i < a->n; i++) {
    const double x = a->x[i * a->stride], y = b->x[i * b->stride];
    if (isnan(x) || isnan(y)) return (isnan(x) != 0) - (isnan(y) != 0);  // NaN last
    if (x != y) return (x > y) - (x < y);
  }
  return 0;
}

// Order of two items for qsort by their positions.
static int compare_positions(const void* p, const void* q) {
  const item *a = p, *b = q;
  return (a->at > b->at) - (a->at < b->at);
}

// Order of two items for qsort; equal items keep their order.
static int compare_places(const void* p, const void* q) {
  const int order = compare_items(p, q);
  return order ? order : compare_positions(p, q);
}

static void items_free(items* it) {
  free(it->list);
  td_value_drop(it->held);
  *it = (items){0};
}

// Read the items of argument k and charge their sorting; `rows`: whole rows are items.  False after
// a message.
static bool items_of(lang* L, call* c, int k, bool rows, items* out) {
  value* v = c->argv[k];
  const bool texts = v->kind == V_CELL || v->kind == V_STR;
  *out = (items){0};
  if (!texts && !td_arg_numeric(L, c, k)) return false;
  out->held = texts ? td_value_hold(v) : td_constant(L, v, c->arg_at[k], "a list");
  if (!out->held) return false;
  v = out->held;

  out->n = v->kind == V_STR ? 1 : rows ? v->rows : td_value_count(v);
  out->row = v->rows == 1 && out->n > 0 && !rows;
  out->list = malloc(sizeof(item) * (size_t)max_int(1, out->n));
  bool ok = out->list && td_spend(L, 4L * out->n, c->at);
  if (!out->list) td_no_memory(L, c->at);
  double characters = 0;

  // point each item to its number, row or text
  for (int i = 0; ok && i < out->n; i++) {
    const value* text = v->kind == V_CELL ? v->slots[i].v : v;
    out->list[i] = (item){.at = i};
    if (!texts) {
      out->list[i].x = v->x + i;
      out->list[i].n = rows ? v->cols : 1;
      out->list[i].stride = v->rows;
    } else if (text && text->kind == V_STR) {
      out->list[i].s = text->s;
      characters += text->cols;
    } else {
      ok = td_fail(L, c->arg_at[k], "%s: element %d of the cell is not a text", c->name, i + 1) !=
           NULL;
    }
  }

  // a comparison of two rows or texts reads them until they differ
  const double each = rows ? 1 + v->cols / 4.0 : 1 + characters / (16.0 * max_int(1, out->n));
  ok = ok && td_spend_sort(L, 1, out->n, each, c->at);
  if (!ok) items_free(out);
  return ok;
}

// Value of a list of items: a cell of texts, rows, or numbers as a row or column.
static value* items_value(lang* L, const item* list, int n, const items* like, bool row,
                          td_span at) {
  const value* v = like->held;
  if (v->kind != V_NUM) {
    value* out = td_cell(L, row ? 1 : n, row ? n : (n > 0), at);
    for (int i = 0; out && i < n; i++) {
      value* text = td_string(L, list[i].s, (int)strlen(list[i].s), at);
      if (text && td_value_put(out, &out->slots[i], text)) continue;
      td_value_drop(out);
      return NULL;
    }
    return out;
  }
  const int width = n > 0 ? list[0].n : 1;
  value* out = width > 1 ? td_num(L, n, width, 1, at)
                         : td_num(L, row ? 1 : n, row ? n : n > 0 || v->cols > 0, 1, at);
  for (int i = 0; out && i < n; i++)
    for (int j = 0; j < width; j++) out->x[i + n * j] = list[i].x[j * list[i].stride];
  return out;
}

// Refuse NaN, which is not equal to itself, where items are compared.
static bool no_nan(lang* L, call* c, int k, const items* it) {
  const int n = it->held->kind == V_NUM ? td_value_count(it->held) : 0;
  for (int i = 0; i < n; i++)
    if (isnan(it->held->x[i]))
      return td_fail(L, c->arg_at[k], "%s: the list has NaN, which equals nothing", c->name) !=
             NULL;
  return true;
}

// ---- sets ---------------------------------------------------------------------------------------

// [u, i, j] = unique(a): each item once, in order; u = a(i), a = u(j).  'rows', 'stable'
static value* unique(lang* L, call* c) {
  bool rows = false, stable = false;
  for (int k = 1; k < c->argc; k++) {
    const char* option = td_arg_string(L, c, k);
    if (!option) return NULL;
    if (strcmp(option, "rows") == 0)
      rows = true;
    else if (strcmp(option, "stable") == 0)
      stable = true;
    else if (strcmp(option, "sorted") != 0)
      return td_fail(L, c->arg_at[k], "unique knows 'rows', 'stable' and 'sorted', got '%.40s'",
                     option);
  }

  items a;
  if (c->argv[0]->kind == V_STR)
    return td_fail(L, c->arg_at[0], "unique works on numbers and cells of texts, got a string");
  if (!items_of(L, c, 0, rows && c->argv[0]->kind == V_NUM, &a)) return NULL;
  if (!no_nan(L, c, 0, &a)) {
    items_free(&a);
    return NULL;
  }

  // sort, keep the first of equal items, and restore their original order for 'stable'
  value* index = td_num(L, a.n, a.n > 0, 1, c->at);
  int n = 0;
  int* place = malloc(sizeof(int) * (size_t)max_int(1, 2 * a.n));
  int* rank = place ? place + a.n : NULL;  // position among the kept ones of the k-th in order
  item* kept = malloc(sizeof(item) * (size_t)max_int(1, a.n));
  if (!place || !kept) td_no_memory(L, c->at);
  const bool ok = index && place && kept;
  if (ok) qsort(a.list, (size_t)a.n, sizeof(item), compare_places);

  for (int i = 0; ok && i < a.n; i++) {
    if (n == 0 || compare_items(&a.list[i], &kept[n - 1]) != 0) kept[n++] = a.list[i];
    place[a.list[i].at] = n - 1;
  }

  if (ok && stable) qsort(kept, (size_t)n, sizeof(item), compare_positions);
  for (int k = 0; ok && k < n; k++) rank[place[kept[k].at]] = k;
  for (int i = 0; ok && i < a.n; i++) index->x[i] = rank[place[i]] + 1;

  value* first = ok ? td_num(L, n, n > 0, 1, c->at) : NULL;
  for (int i = 0; first && i < n; i++) first->x[i] = kept[i].at + 1;
  value* out = first ? items_value(L, kept, n, &a, a.row, c->at) : NULL;
  free(place);
  free(kept);
  items_free(&a);
  if (out) {
    c->more[0] = first;
    c->more[1] = index;
    return out;
  }
  td_value_drop(first);
  td_value_drop(index);
  return NULL;
}

// [found, place] = ismember(x, list): each number, each character or each text of a cell
static value* ismember(lang* L, call* c) {
  const value *x = c->argv[0], *list = c->argv[1];
  value* codes[2] = {0};

  // characters beside characters or numbers count as their codes
  for (int k = 0; k < 2; k++) {
    const value_kind other = c->argv[1 - k]->kind;
    if (c->argv[k]->kind != V_STR || (other != V_STR && other != V_NUM)) continue;
    codes[k] = td_num(L, 1, c->argv[k]->cols, 1, c->at);
    for (int i = 0; codes[k] && i < c->argv[k]->cols; i++)
      codes[k]->x[i] = (unsigned char)c->argv[k]->s[i];
    if (codes[k]) continue;
    td_value_drop(codes[0]);
    return NULL;
  }

  call own = *c;
  value* argv[2] = {codes[0] ? codes[0] : c->argv[0], codes[1] ? codes[1] : c->argv[1]};
  own.argv = argv;
  const bool texts = argv[1]->kind == V_CELL;

  // items of both lists
  items a = {0}, b = {0};
  bool ok = true;
  if (texts && x->kind != V_STR && x->kind != V_CELL)
    ok = td_fail(L, c->arg_at[0], "ismember looks for a text in a cell of texts, got %s",
                 td_value_kind_text(x)) != NULL;
  if (!texts && argv[0]->kind != V_NUM)
    ok = td_fail(L, c->arg_at[1], "ismember looks for texts in a cell of texts, got %s",
                 td_value_kind_text(list)) != NULL;
  ok = ok && items_of(L, &own, 0, false, &a);
  ok = ok && items_of(L, &own, 1, false, &b);

  const bool one = texts && x->kind == V_STR;
  value* found = ok ? td_num(L, one ? 1 : argv[0]->rows, one ? 1 : argv[0]->cols,
                             one ? 1 : argv[0]->pages, c->at)
                    : NULL;
  value* place = found ? td_num(L, found->rows, found->cols, found->pages, c->at) : NULL;

  // search each item in the sorted list
  if (place) qsort(b.list, (size_t)b.n, sizeof(item), compare_places);
  for (int i = 0; place && i < a.n && b.n > 0; i++) {
    int lo = 0, hi = b.n;  // the first that is not less
    while (lo < hi) {
      const int middle = (lo + hi) / 2;
      if (compare_items(&b.list[middle], &a.list[i]) < 0)
        lo = middle + 1;
      else
        hi = middle;
    }
    const bool is_nan = a.list[i].x && isnan(*a.list[i].x);
    if (lo == b.n || is_nan || compare_items(&b.list[lo], &a.list[i]) != 0) continue;
    found->x[i] = 1;
    place->x[i] = b.list[lo].at + 1;
  }

  items_free(&a);
  items_free(&b);
  for (int k = 0; k < 2; k++) td_value_drop(codes[k]);
  if (!place) {
    td_value_drop(found);
    return NULL;
  }
  found->logical = true;
  c->more[0] = place;
  return found;
}

typedef enum set_kind { UNION, INTERSECT, DIFFERENCE } set_kind;

// union(a, b), intersect(a, b), setdiff(a, b): in order, each once
static value* combine(lang* L, call* c) {
  items a = {0}, b = {0};
  if (c->argc > 2)
    return td_fail(L, c->arg_at[2], "%s has no options here: items are sorted, each once", c->name);
  bool ok = items_of(L, c, 0, false, &a) && no_nan(L, c, 0, &a);
  ok = ok && items_of(L, c, 1, false, &b) && no_nan(L, c, 1, &b);
  const bool a_texts = c->argv[0]->kind != V_NUM, b_texts = c->argv[1]->kind != V_NUM;
  if (ok && a_texts != b_texts && a.n > 0 && b.n > 0)
    ok = td_fail(L, c->at, "%s: a list of numbers and a list of texts", c->name) != NULL;

  item* all = ok ? malloc(sizeof(item) * (size_t)(a.n + b.n + 1)) : NULL;
  if (ok && !all) td_no_memory(L, c->at);
  int n = 0;
  if (all) {
    // sort both and merge them
    qsort(a.list, (size_t)a.n, sizeof(item), compare_places);
    qsort(b.list, (size_t)b.n, sizeof(item), compare_places);
    int i = 0, k = 0;  // merge
    while (i < a.n || k < b.n) {
      const int order = i == a.n ? 1 : k == b.n ? -1 : compare_items(&a.list[i], &b.list[k]);
      const item x = order <= 0 ? a.list[i] : b.list[k];
      const bool in = c->row->op == UNION ? true : c->row->op == INTERSECT ? order == 0 : order < 0;
      if (in) all[n++] = x;
      while (i < a.n && compare_items(&a.list[i], &x) == 0) i++;
      while (k < b.n && compare_items(&b.list[k], &x) == 0) k++;
    }
  }

  const bool row =
      c->row->op == DIFFERENCE ? a.row || a.n == 0 : (a.row || a.n == 0) && (b.row || b.n == 0);
  value* out = all ? items_value(L, all, n, a.n > 0 || b.n == 0 ? &a : &b, row, c->at) : NULL;
  free(all);
  items_free(&a);
  items_free(&b);
  return out;
}

// [b, i] = sortrows(a, column): by the first column, or by the one given, negative downwards
static value* sortrows(lang* L, call* c) {
  int column = 1;
  items a;
  if (!td_arg_numeric(L, c, 0)) return NULL;
  if (c->argc > 1 && !td_arg_int(L, c, 1, -c->argv[0]->cols, c->argv[0]->cols, &column))
    return NULL;
  if (column == 0) return td_fail(L, c->arg_at[1], "sortrows: columns are counted from 1");
  if (!items_of(L, c, 0, true, &a)) return NULL;

  // the rows, or their elements in one column, as items
  const bool down = column < 0;
  for (int i = 0; i < a.n; i++) {
    if (c->argc > 1) {  // this column alone
      a.list[i].x += (abs(column) - 1) * a.list[i].stride;
      a.list[i].n = 1;
    }
    if (down) a.list[i].at = a.n - 1 - i;  // so that equal ones keep their order when turned round
  }

  // sort them
  qsort(a.list, (size_t)a.n, sizeof(item), compare_places);
  value* out = td_num(L, a.held->rows, a.held->cols, 1, c->at);
  value* place = out ? td_num(L, a.n, 1, 1, c->at) : NULL;

  for (int i = 0; place && i < a.n; i++) {
    const item* x = &a.list[down ? a.n - 1 - i : i];
    const int from = down ? a.n - 1 - x->at : x->at;
    place->x[i] = from + 1;
    for (int j = 0; j < out->cols; j++) out->x[i + a.n * j] = a.held->x[from + a.n * j];
  }

  items_free(&a);
  if (!place) td_value_drop(out);
  if (place) c->more[0] = place;
  return place ? out : NULL;
}

// sort(texts), for sort of a cell
value* td_sort_texts(lang* L, call* c) {
  items a;
  if (!items_of(L, c, 0, false, &a)) return NULL;
  const bool down =
      c->argc > 1 && c->argv[1]->kind == V_STR && strcmp(c->argv[1]->s, "descend") == 0;
  qsort(a.list, (size_t)a.n, sizeof(item), compare_places);

  for (int i = 0; down && i < a.n / 2; i++) {
    const item x = a.list[i];
    a.list[i] = a.list[a.n - 1 - i];
    a.list[a.n - 1 - i] = x;
  }

  value* out = items_value(L, a.list, a.n, &a, a.row, c->at);
  value* place = out ? td_num(L, out->rows, out->cols, 1, c->at) : NULL;
  for (int i = 0; place && i < a.n; i++) place->x[i] = a.list[i].at + 1;
  items_free(&a);
  if (!place) td_value_drop(out);
  if (place) c->more[0] = place;
  return place ? out : NULL;
}

const builtin td_builtin_sets[] = {
    {"unique", unique, 1, 3, "unique(a)", 0},
    {"ismember", ismember, 2, 2, "ismember(x, list)", 0},
    {"union", combine, 2, 3, "union(a, b)", UNION},
    {"intersect", combine, 2, 3, "intersect(a, b)", INTERSECT},
    {"setdiff", combine, 2, 3, "setdiff(a, b)", DIFFERENCE},
    {"sortrows", sortrows, 1, 2, "sortrows(a, column)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
