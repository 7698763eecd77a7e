// Cells, functions over lists, comparisons of whole values, and arrangements of elements: functions
// that files written for MATLAB use.  A function takes the arguments of a call, checks them, and
// returns its value, or NULL after a message.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lang/eval.h"

// ---- functions over elements ------------------------------------------------------------------

// First argument as a function: @name, @(x) ... or 'name'; a new reference.
static value* function_argument(lang* L, call* c) {
  value* f = c->argv[0];
  if (f->kind == V_FUNC) return td_value_hold(f);
  if (f->kind == V_STR && td_is_identifier(f->s)) return td_named_function(L, f->s, c->arg_at[0]);
  return td_fail(L, c->arg_at[0], "%s needs a function, @name or @(x) ..., got %s", c->name,
                 td_value_kind_text(f));
}

// Call the function in the first argument with the others; further results go to c->more.
value* td_call_first(lang* L, call* c) {
  value* f = function_argument(L, c);
  values args = {0}, results = {0};
  bool ok = f != NULL;
  for (int k = 1; ok && k < c->argc; k++)
    ok = td_values_add(L, &args, td_value_hold(c->argv[k]), c->arg_at[k]);
  ok = ok && td_call_value(L, f, &args, max_int(1, c->nout), c->at, &results);
  value* out = ok && results.n > 0 ? td_value_hold(results.v[0]) : NULL;
  if (ok && !out) td_fail(L, c->at, "%s: the function gives no value", c->name);
  for (int k = 1; out && k < results.n && k <= TD_CALL_RESULTS; k++)
    c->more[k - 1] = td_value_hold(results.v[k]);
  td_values_free(&args);
  td_values_free(&results);
  td_value_drop(f);
  return out;
}

// The pair 'UniformOutput', value at the end of the arguments, in any case of letters.
bool td_uniform_option(lang* L, call* c, int from, bool* uniform) {
  *uniform = true;
  if (c->argc < from + 2) return true;
  const value* word = c->argv[c->argc - 2];
  if (word->kind == V_STR && strcasecmp(word->s, "ErrorHandler") == 0) {
    td_fail(L, c->arg_at[c->argc - 2], "%s: errors end the load here, there is no ErrorHandler",
            c->name);
    return false;
  }

  // 'un' and the like are short for it
  if (word->kind != V_STR || word->cols < 2 ||
      strncasecmp(word->s, "UniformOutput", (size_t)word->cols) != 0)
    return true;
  double x;
  if (!td_arg_number(L, c, c->argc - 1, &x)) return false;
  *uniform = x != 0;
  c->argc -= 2;
  return true;
}

// arrayfun(f, a, b, ...) and cellfun(f, c, d, ...), with 'UniformOutput', false for a cell of
// results.
static value* map_function(lang* L, call* c) {
  const bool contents = c->row->op == 1;
  bool uniform = true;
  if (!td_uniform_option(L, c, 2, &uniform)) return NULL;
  const int lists = c->argc, nout = max_int(1, c->nout);
  const value* shape = c->argv[1];
  const int n = td_value_count(shape);

  for (int k = 1; k < lists; k++) {
    if (contents && c->argv[k]->kind != V_CELL)
      return td_fail(L, c->arg_at[k], "cellfun works on cells, got %s; use arrayfun",
                     td_value_kind_text(c->argv[k]));
    if (td_value_count(c->argv[k]) != n)
      return td_fail(L, c->arg_at[k], "%s: lists of %d and %d elements", c->name, n,
                     td_value_count(c->argv[k]));
  }

  // one list for each result, all of one shape
  value* out[TD_CALL_RESULTS + 1] = {0};
  value* f = function_argument(L, c);
  bool ok = f != NULL;

  for (int j = 0; ok && j < nout; j++) {
    out[j] = uniform ? td_num(L, shape->rows, shape->cols, shape->pages, c->at)
                     : td_cell(L, shape->rows, shape->cols, c->at);
    ok = out[j] != NULL;
  }

  // call the function for each element and store its results
  for (int i = 0; ok && i < n; i++) {
    values args = {0}, results = {0};
    for (int k = 1; ok && k < lists; k++)
      ok = td_values_add(L, &args, td_element(L, c->argv[k], i, contents, c->at), c->arg_at[k]);
    ok = ok && td_call_value(L, f, &args, nout, c->at, &results);
    if (ok && results.n < nout)
      ok = td_fail(L, c->at, "%s: the function gives %s", c->name,
                   results.n == 0 ? "no value" : "fewer values than are wanted") != NULL;
    for (int j = 0; ok && j < nout; j++) {
      value* r = results.v[j];
      if (uniform && (r->kind != V_NUM || td_value_count(r) != 1)) {
        ok = td_fail(L, c->at, "%s: result %d is %s, not one number", c->name, i + 1,
                     td_value_kind_text(r)) != NULL;
        td_hint(L->diags, "for a cell of results add 'UniformOutput', false");
      } else if (uniform) {
        ok = td_copy_element(L, out[j], i, r, 0, c->at);
        out[j]->logical = r->logical && (i == 0 || out[j]->logical);
      } else {
        ok = td_value_put(out[j], &out[j]->slots[i], td_value_hold(r));
        if (!ok) td_fail(L, c->at, "%s: nested too deep", c->name);
      }
    }
    td_values_free(&args);
    td_values_free(&results);
  }

  td_value_drop(f);
  for (int j = 1; j < nout; j++) {
    if (ok)
      c->more[j - 1] = out[j];
    else
      td_value_drop(out[j]);
  }

  if (ok) return out[0];
  td_value_drop(out[0]);
  return NULL;
}

// ---- cells and fields -------------------------------------------------------------------------

// cell(n), cell(rows, cols): a cell with empty elements
static value* make_cell(lang* L, call* c) {
  double size[2] = {0, 0};
  const value* first = c->argc > 0 ? c->argv[0] : NULL;
  if (first && c->argc == 1 && first->kind == V_NUM && td_value_count(first) == 2) {
    for (int i = 0; i < 2; i++)
      if (!td_number_at(L, first, i, c->arg_at[0], "a size", &size[i])) return NULL;
  } else {
    for (int k = 0; k < c->argc; k++)
      if (!td_arg_number(L, c, k, &size[k])) return NULL;
    if (c->argc == 1) size[1] = size[0];
  }

  for (int k = 0; k < 2; k++) {
    if (size[k] != floor(size[k]) || size[k] > TD_VALUE_LIMIT)
      return td_fail(L, c->at, "a size must be a whole number, got %g", size[k]);
    size[k] = fmax(size[k], 0);
  }
  return td_cell(L, (int)size[0], (int)size[1], c->at);
}

// double(x), single(x): numbers are unchanged, characters become their codes
static value* as_number(lang* L, call* c) {
  const value* text = c->argv[0];
  value* codes = text->kind == V_STR ? td_num(L, text->rows, text->cols, 1, c->at) : NULL;
  for (int i = 0; codes && i < text->cols; i++) codes->x[i] = (unsigned char)text->s[i];
  if (text->kind == V_STR) return codes;
  return td_arg_numeric(L, c, 0) ? td_value_hold(c->argv[0]) : NULL;
}

// cell2mat(c): the elements of each row side by side, the rows one below the other
static value* cell2mat(lang* L, call* c) {
  const value* cell = c->argv[0];
  if (cell->kind != V_CELL)
    return td_fail(L, c->arg_at[0], "cell2mat works on cells, got %s", td_value_kind_text(cell));
  const int rows = cell->rows, cols = cell->cols;
  if (td_value_count(cell) == 0) return td_num(L, 0, 0, 1, c->at);

  // join each row, then the rows
  value** list = calloc((size_t)rows + (size_t)cols, sizeof *list);
  bool ok = list != NULL;
  if (!ok) td_no_memory(L, c->at);

  for (int i = 0; ok && i < rows; i++) {
    for (int j = 0; ok && j < cols; j++) {
      list[rows + j] = cell->slots[i + rows * j].v;
      ok = list[rows + j] != NULL;
      if (!ok) td_fail(L, c->arg_at[0], "cell2mat: element (%d,%d) is empty", i + 1, j + 1);
    }
    list[i] = ok ? td_concat(L, 2, list + rows, cols, c->at) : NULL;
    ok = list[i] != NULL;
  }

  value* out = ok ? td_concat(L, 1, list, rows, c->at) : NULL;
  for (int i = 0; list && i < rows; i++) td_value_drop(list[i]);
  free(list);
  return out;
}

// fieldnames(s): a cell with the names of the fields
static value* fieldnames(lang* L, call* c) {
  const value* s = c->argv[0];
  if (s->kind != V_STRUCT)
    return td_fail(L, c->arg_at[0], "fieldnames works on structures, got %s",
                   td_value_kind_text(s));
  value* out = td_cell(L, s->nfield, 1, c->at);

  for (int f = 0; out && f < s->nfield; f++) {
    value* name = td_string(L, s->names[f], (int)strlen(s->names[f]), c->at);
    if (!name || !td_value_put(out, &out->slots[f], name)) {
      td_value_drop(out);
      return NULL;
    }
  }
  return out;
}

// rmfield(s, 'name')
static value* rmfield(lang* L, call* c) {
  const value* s = c->argv[0];
  const char* name = td_arg_string(L, c, 1);
  if (!name) return NULL;
  if (td_value_field(s, name) < 0)
    return td_fail(L, c->arg_at[1], "rmfield: there is no field '%.40s'", name);
  return td_without_field(L, s, name, c->at);
}

// exist('x'), exist('x', 'var'): 1 for a variable, 2 for a function of the file, 5 for one of the
// language, else 0.  Whether a file is there concerns MATLAB's own work and is not known here.
static value* exist(lang* L, call* c) {
  const char* name = td_arg_string(L, c, 0);
  const char* kind = c->argc > 1 ? td_arg_string(L, c, 1) : "";
  if (!name || !kind) return NULL;
  const bool file = strcmp(kind, "file") == 0 || strcmp(kind, "dir") == 0;
  if (file || (!*kind && !td_is_identifier(name))) {
    td_skip_call(L, "exist", c->at);
    return NULL;
  }
  const variable* var = td_scope_find(L->scope, name);
  if (var && (var->poisoned || !var->v)) var = NULL;
  int found = var ? 1 : 0;
  if (!found && strcmp(kind, "var") != 0 && td_map_find(&L->functions, name) >= 0) found = 2;
  if (!found && strcmp(kind, "var") != 0 && td_map_find(&L->builtins, name) >= 0) found = 5;
  if (!found && L->loaded) {  // it may be in a file that was not read
    L->skipping = "exist";
    return NULL;
  }
  return td_scalar(L, found, c->at);
}

// ---- comparisons ------------------------------------------------------------------------------

// Whether two values are equal: kind, shape and all elements, recursively; expressions are equal if
// they are the same node.  Nothing equals only nothing, NaN equals no number.  False as well if the
// limit of operations is passed.
static bool same(lang* L, const value* a, const value* b, td_span at) {
  if (!a || !b) return !a == !b;

  // kind and size first, then the elements
  if (a->kind != b->kind || a->rows != b->rows || a->cols != b->cols || a->pages != b->pages)
    return false;
  const int n = td_value_count(a);
  if (!td_spend(L, 2 + (a->kind == V_STR ? n / 16 : n / 2), at)) return false;

  switch (a->kind) {
    case V_STR:
      return strcmp(a->s, b->s) == 0;
    case V_NUM:
      for (int i = 0; i < n; i++) {
        if (is_expr(a, i) != is_expr(b, i)) return false;
        if (is_expr(a, i) ? a->e[i] != b->e[i] : a->x[i] != b->x[i]) return false;
      }
      return true;
    case V_CELL:
      for (int i = 0; i < n; i++)
        if (!same(L, a->slots[i].v, b->slots[i].v, at)) return false;
      return true;
    case V_STRUCT:
      if (a->nfield != b->nfield) return false;
      if (!td_spend(L, (long)n * a->nfield * a->nfield / 4, at))
        return false;  // names are searched
      for (int i = 0; i < n; i++)
        for (int f = 0; f < a->nfield; f++) {
          const int g = td_value_field(b, a->names[f]);
          if (g < 0) return false;
          const value *x = a->slots[i * a->nfield + f].v, *y = b->slots[i * b->nfield + g].v;
          if (!same(L, x, y, at)) return false;
        }
      return true;
    case V_REF:
      if (a->ref.index != b->ref.index || strcmp(a->ref.root, b->ref.root) != 0) return false;
      return a->ref.has_place == b->ref.has_place &&
             (!a->ref.has_place || a->ref.place == b->ref.place);
    case V_FUNC:
      return a->func == b->func;
  }
  return false;
}

static value* isequal(lang* L, call* c) {
  bool equal = true;
  for (int k = 1; k < c->argc; k++) equal = equal && same(L, c->argv[0], c->argv[k], c->at);
  return td_logical(L, equal, c->at);
}

// and(a, b), or(a, b), xor(a, b), not(a)
static value* logic(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  if (c->argc == 1) return td_unary(L, OP_NOT, c->argv[0], c->at);
  if (c->row->op != OP_NE) return td_binary(L, (ast_op)c->row->op, c->argv[0], c->argv[1], c->at);
  value *a = td_unary(L, OP_NOT, c->argv[0], c->at), *b = td_unary(L, OP_NOT, c->argv[1], c->at);
  value* out = a && b ? td_binary(L, OP_NE, a, b, c->at) : NULL;
  td_value_drop(a);
  td_value_drop(b);
  return out;
}

// isscalar, isvector, isrow, iscolumn by the sizes they accept
static value* test_shape(lang* L, call* c) {
  const value* v = c->argv[0];
  const bool row = v->rows == 1 && v->pages == 1, column = v->cols == 1 && v->pages == 1;
  const bool fits = c->row->op == 0   ? row && column
                    : c->row->op == 1 ? row || column
                    : c->row->op == 2 ? row
                                      : column;
  return td_logical(L, fits, c->at);
}

static value* islogical(lang* L, call* c) {
  return td_logical(L, c->argv[0]->kind == V_NUM && c->argv[0]->logical, c->at);
}

// ---- arrangements -----------------------------------------------------------------------------

// Value whose element m is element from[m] of the argument.
static value* arranged(lang* L, call* c, int rows, int cols, const int* from) {
  const value* a = c->argv[0];
  value* out = a->kind == V_NUM ? td_num(L, rows, cols, 1, c->at) : td_cell(L, rows, cols, c->at);
  bool ok = out && td_spend(L, (long)rows * cols / 4, c->at);
  for (int m = 0; ok && m < rows * cols; m++)
    ok = from[m] < 0 || td_copy_element(L, out, m, a, from[m], c->at);
  return value_if(ok, out);
}

typedef enum arrangement { LEFT_RIGHT, UP_DOWN, SHIFT, LOWER, UPPER } arrangement;

// fliplr, flipud, circshift(a, k), tril, triu
static value* arrange(lang* L, call* c) {
  const value* a = c->argv[0];
  const int rows = a->rows, cols = a->cols;
  int k = 0;
  if ((a->kind != V_NUM && a->kind != V_CELL) || a->pages != 1)
    return td_fail(L, c->arg_at[0], "%s works on matrices, got %s", c->name, td_value_kind_text(a));
  if (c->argc > 1 && !td_arg_int(L, c, 1, -1e6, 1e6, &k)) return NULL;
  if (!td_spend(L, 3L * rows * cols, c->at)) return NULL;  // a place for each, then the elements
  int* from = malloc(sizeof(int) * (size_t)max_int(1, rows * cols));
  if (!from) return td_no_memory(L, c->at);

  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) {
      int r = i, s = j;
      switch ((arrangement)c->row->op) {
        case LEFT_RIGHT:
          s = cols - 1 - j;
          break;
        case UP_DOWN:
          r = rows - 1 - i;
          break;
        case SHIFT:  // along the first dimension that is not 1
          if (rows > 1)
            r = ((i - k) % rows + rows) % rows;
          else
            s = ((j - k) % cols + cols) % cols;
          break;
        case LOWER:
          if (j > i + k) r = -1;
          break;
        case UPPER:
          if (j < i + k) r = -1;
          break;
      }
      from[i + rows * j] = r < 0 ? -1 : r + rows * s;
    }
  }

  value* out = arranged(L, c, rows, cols, from);
  free(from);
  return out;
}

// blkdiag(a, b, ...)
static value* blkdiag(lang* L, call* c) {
  double rows = 0, cols = 0;
  if (!td_all_numeric(L, c)) return NULL;
  for (int k = 0; k < c->argc; k++) {
    rows += c->argv[k]->rows;
    cols += c->argv[k]->cols;
  }

  // copy the blocks
  value* out = td_num(L, rows, cols, 1, c->at);
  int row = 0, col = 0;

  for (int k = 0; out && k < c->argc; k++) {
    const value* a = c->argv[k];
    for (int m = 0; m < a->rows * a->cols; m++) {
      const int to = row + m % a->rows + out->rows * (col + m / a->rows);
      if (!td_copy_element(L, out, to, a, m, c->at)) {
        td_value_drop(out);
        return NULL;
      }
    }
    row += a->rows;
    col += a->cols;
  }
  return out;
}

// diff(a, n): differences of neighbours, n times, along a row or down the columns; diff(f, x): the
// derivative
static value* diff(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  const value* a = c->argv[0];
  if (c->argc > 1 && c->argv[1]->kind == V_NUM && td_has_expr(c->argv[1]))
    return td_symbolic_diff(L, c);

  int times = 1;
  if (c->argc > 2) return td_fail(L, c->arg_at[2], "diff(a, n) works along the first dimension");
  if (c->argc > 1 && !td_arg_int(L, c, 1, 1, 100, &times)) return NULL;

  // repeat it
  if (times > 1) {
    call once = *c;
    once.argc = 1;
    value* held = td_value_hold(c->argv[0]);
    for (int k = 0; held && k < times; k++) {
      once.argv = &held;
      value* next = diff(L, &once);
      td_value_drop(held);
      held = next;
    }
    return held;
  }

  if (is_scalar(a) && td_has_expr(a))
    return td_fail(L, c->at, "diff of an expression needs the symbol, as in diff(f, x)");
  if (a->pages != 1) return td_fail(L, c->at, "diff works on matrices");

  // differences of neighbours
  const bool row = a->rows == 1;
  const int rows = row ? 1 : max_int(0, a->rows - 1),
            cols = row ? max_int(0, a->cols - 1) : a->cols;
  value* out = td_num(L, rows, cols, 1, c->at);

  for (int m = 0; out && m < rows * cols; m++) {
    const int i = row ? m : m % rows + a->rows * (m / rows);
    if (!is_expr(a, i) && !is_expr(a, i + 1)) {
      out->x[m] = a->x[i + 1] - a->x[i];
    } else if (!td_set_ex(
                   L, out, m,
                   td_ex_2(L->g, EX_SUB, td_value_ex(a, i + 1, L->g), td_value_ex(a, i, L->g)),
                   c->at)) {
      td_value_drop(out);
      return NULL;
    }
  }
  return out;
}

// trapz(y), trapz(x, y) of vectors
static value* trapz(lang* L, call* c) {
  const value* y = c->argv[c->argc - 1];
  const int n = td_value_count(y);
  if (!td_all_numeric(L, c)) return NULL;
  if (td_value_count(c->argv[0]) != n || (y->rows != 1 && y->cols != 1))
    return td_fail(L, c->at, "trapz(x, y) needs two vectors of one length");
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "an argument of trapz");
  value* b = a ? td_constant(L, y, c->arg_at[c->argc - 1], "an argument of trapz") : NULL;
  const bool ok = b && td_spend(L, n, c->at);
  double sum = 0;
  for (int i = 0; ok && i + 1 < n; i++)
    sum += (c->argc > 1 ? a->x[i + 1] - a->x[i] : 1) * (b->x[i] + b->x[i + 1]) / 2;
  value* out = ok ? td_scalar(L, sum, c->at) : NULL;
  td_value_drop(a);
  td_value_drop(b);
  return out;
}

const builtin td_builtin_lists[] = {
    {"arrayfun", map_function, 2, -1, "arrayfun(f, a)", 0},
    {"cellfun", map_function, 2, -1, "cellfun(f, c)", 1},
    {"feval", td_call_first, 1, -1, "feval(f, x, ...)", 0},
    {"cell", make_cell, 0, 2, "cell(rows, cols)", 0},
    {"double", as_number, 1, 1, "double(x)", 0},
    {"single", as_number, 1, 1, "single(x)", 0},
    {"real", as_number, 1, 1, "real(x)", 0},  // values are real, matrices full
    {"conj", as_number, 1, 1, "conj(x)", 0},
    {"full", as_number, 1, 1, "full(A)", 0},
    {"cell2mat", cell2mat, 1, 1, "cell2mat(c)", 0},
    {"fieldnames", fieldnames, 1, 1, "fieldnames(s)", 0},
    {"rmfield", rmfield, 2, 2, "rmfield(s, 'name')", 0},
    {"exist", exist, 1, 2, "exist('name')", 0},
    {"isequal", isequal, 2, -1, "isequal(a, b)", 0},
    {"and", logic, 2, 2, "and(a, b)", OP_AND},
    {"or", logic, 2, 2, "or(a, b)", OP_OR},
    {"xor", logic, 2, 2, "xor(a, b)", OP_NE},
    {"not", logic, 1, 1, "not(a)", OP_NOT},
    {"isscalar", test_shape, 1, 1, "isscalar(x)", 0},
    {"isvector", test_shape, 1, 1, "isvector(x)", 1},
    {"isrow", test_shape, 1, 1, "isrow(x)", 2},
    {"iscolumn", test_shape, 1, 1, "iscolumn(x)", 3},
    {"islogical", islogical, 1, 1, "islogical(x)", 0},
    {"fliplr", arrange, 1, 1, "fliplr(a)", LEFT_RIGHT},
    {"flipud", arrange, 1, 1, "flipud(a)", UP_DOWN},
    {"circshift", arrange, 2, 2, "circshift(a, k)", SHIFT},
    {"tril", arrange, 1, 2, "tril(a)", LOWER},
    {"triu", arrange, 1, 2, "triu(a)", UPPER},
    {"blkdiag", blkdiag, 1, -1, "blkdiag(a, b, ...)", 0},
    {"diff", diff, 1, 3, "diff(a)", 0},
    {"trapz", trapz, 1, 2, "trapz(x, y)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
