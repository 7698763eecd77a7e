// Built-in functions that create matrices and arrange their elements.  A function takes the
// arguments of a call, checks them, and returns its value, or NULL after a message.
#include <math.h>
#include <string.h>

#include "lang/eval.h"

// Read sizes from the arguments first .. argc - 1: n (n x n), (m, n), (m, n, p) or one [m n p].
static bool sizes(lang* L, call* c, int first, double size[3]) {
  size[0] = size[1] = size[2] = 1;
  const int given = c->argc - first;
  if (given <= 0) return true;

  for (int k = first; k < c->argc; k++) {
    const value* v = c->argv[k];
    if (!td_arg_numeric(L, c, k)) return false;
    const int n = td_value_count(v);
    if (n == 0 || n > 3 || (n > 1 && given > 1)) {
      td_fail(L, c->arg_at[k], "%s: a size must be a number or [rows cols], got %d values", c->name,
              n);
      return false;
    }
    for (int i = 0; i < n; i++) {
      double x;
      if (!td_number_at(L, v, i, c->arg_at[k], "a size", &x)) return false;
      if (x != floor(x) || isinf(x))
        return td_fail(L, c->arg_at[k], "a size must be a whole number, got %g", x) != NULL;
      size[n > 1 ? i : k - first] = fmax(x, 0);
    }
    if (n == 1 && given == 1) size[1] = size[0];
  }
  return true;
}

// zeros(...) and ones(...)
static value* filled(lang* L, call* c) {
  double size[3];
  if (!sizes(L, c, 0, size)) return NULL;
  value* out = td_num(L, size[0], size[1], size[2], c->at);
  const int n = out && c->row->op ? td_value_count(out) : 0;
  for (int i = 0; i < n; i++) out->x[i] = 1;
  return out;
}

// eye(n): the unit matrix
static value* eye(lang* L, call* c) {
  double size[3];
  if (!sizes(L, c, 0, size)) return NULL;
  value* out = td_num(L, size[0], size[1], 1, c->at);
  for (int i = 0; out && i < min_int(out->rows, out->cols); i++) out->x[i + out->rows * i] = 1;
  return out;
}

// diag(vector): a diagonal matrix; diag(matrix): its diagonal as a column; diag(a, k): diagonal k
static value* diag(lang* L, call* c) {
  int k = 0;
  if (!td_arg_numeric(L, c, 0) || (c->argc > 1 && !td_arg_int(L, c, 1, -1e6, 1e6, &k))) return NULL;
  const value* a = c->argv[0];
  const int up = max_int(k, 0), down = max_int(-k, 0);
  const bool vector = a->rows == 1 || a->cols == 1;
  const int n = vector ? td_value_count(a) : max_int(0, min_int(a->rows - down, a->cols - up));
  const double side = (double)n + abs(k);
  value* out = vector ? td_num(L, side, side, 1, c->at) : td_num(L, n, 1, 1, c->at);
  bool ok = out != NULL;

  for (int i = 0; ok && i < n; i++) {
    const int place = (i + down) + (vector ? out->rows : a->rows) * (i + up);
    ok = td_copy_element(L, out, vector ? place : i, a, vector ? i : place, c->at);
  }
  return value_if(ok, out);
}

// size(a), size(a, dim), [rows, cols, ...] = size(a)
static value* size(lang* L, call* c) {
  const value* v = c->argv[0];
  const int dim[3] = {v->rows, v->cols, v->pages};
  if (c->argc > 1) {
    int k;
    return td_arg_int(L, c, 1, 1, 100, &k) ? td_scalar(L, k <= 3 ? dim[k - 1] : 1, c->at) : NULL;
  }
  if (c->nout > 1) {
    // the last result is the product of the remaining sizes
    for (int i = 1; i < c->nout && i <= TD_CALL_RESULTS; i++) {
      double n = i < 3 ? dim[i] : 1;
      for (int j = i + 1; i == c->nout - 1 && j < 3; j++) n *= dim[j];
      c->more[i - 1] = td_scalar(L, n, c->at);
    }
    return td_scalar(L, v->rows, c->at);
  }
  value* out = td_num(L, 1, v->pages == 1 ? 2 : 3, 1, c->at);
  for (int i = 0; out && i < out->cols; i++) out->x[i] = dim[i];
  return out;
}

static value* numel(lang* L, call* c) { return td_scalar(L, td_value_count(c->argv[0]), c->at); }

// length(a): the largest size
static value* length(lang* L, call* c) {
  const value* v = c->argv[0];
  if (v->kind == V_REF)
    return td_fail(L, c->at,
                   "write sensor.length(...) for the length of a joint held in a variable");
  return td_scalar(L, td_value_count(v) == 0 ? 0 : max_int(v->rows, max_int(v->cols, v->pages)),
                   c->at);
}

static value* isempty(lang* L, call* c) {
  return td_logical(L, td_value_count(c->argv[0]) == 0, c->at);
}

static value* transpose(lang* L, call* c) { return td_transpose(L, c->argv[0], c->at); }

// linspace(a, b, n): a + (b - a) i/(n-1); the ends may be expressions
static value* linspace(lang* L, call* c) {
  int n = 100;
  if (!td_arg_numeric(L, c, 0) || !td_arg_numeric(L, c, 1)) return NULL;
  if (c->argc > 2 && !td_arg_int(L, c, 2, 0, TD_VALUE_LIMIT, &n)) return NULL;
  const value *a = c->argv[0], *b = c->argv[1];
  if (!is_scalar(a) || !is_scalar(b))
    return td_fail(L, c->at, "linspace(a, b, n) needs numbers for a and b");
  value* out = td_num(L, 1, n, 1, c->at);
  bool ok = out != NULL;

  for (int i = 0; ok && i < n; i++) {
    const double s = n > 1 ? (double)i / (n - 1) : 1;
    if (!is_expr(a, 0) && !is_expr(b, 0)) {
      out->x[i] = i == n - 1 ? b->x[0] : a->x[0] + (b->x[0] - a->x[0]) * s;
      continue;
    }
    const ex ea = td_value_ex(a, 0, L->g), eb = td_value_ex(b, 0, L->g);
    const ex rise = td_ex_2(L->g, EX_MUL, td_ex_2(L->g, EX_SUB, eb, ea), td_ex_const(L->g, s));
    ok = td_set_ex(L, out, i, td_ex_2(L->g, EX_ADD, ea, rise), c->at);
  }
  return value_if(ok, out);
}

// repmat(a, rows, cols, pages): copies of an array side by side
static value* repmat(lang* L, call* c) {
  double times[3];
  if (!sizes(L, c, 1, times)) return NULL;
  const value* a = c->argv[0];
  if (a->kind == V_STR && times[0] == 1 && times[2] == 1) {  // a text that is repeated
    td_text out = {0};
    td_text_add(&out, "");
    for (int k = 0; k < times[1] && out.n < TD_STRING_LIMIT && td_spend(L, 1, c->at); k++)
      td_text_addn(&out, a->s, a->cols);
    value* v = out.failed ? td_no_memory(L, c->at) : td_string(L, out.s, out.n, c->at);
    td_text_free(&out);
    return v;
  }

  if (a->kind == V_STR || a->kind == V_FUNC || a->kind == V_REF) {
    return td_fail(L, c->arg_at[0],
                   "repmat repeats matrices, structs, cells and, in a row, texts, got %s",
                   td_value_kind_text(a));
  }

  const double rows = a->rows * times[0], cols = a->cols * times[1], pages = a->pages * times[2];
  if (a->kind != V_NUM && (pages != 1 || rows * cols > TD_VALUE_LIMIT))
    return td_fail(L, c->at, "repmat: too large");
  value* out = a->kind == V_NUM    ? td_num(L, rows, cols, pages, c->at)
               : a->kind == V_CELL ? td_cell(L, (int)rows, (int)cols, c->at)
                                   : td_struct(L, (int)rows, (int)cols, c->at);
  const int n = out ? td_value_count(out) : 0;
  bool ok = out && td_spend(L, a->kind == V_NUM ? n : 4L * n, c->at);

  // copy each element from its position in one copy
  for (int m = 0; ok && m < n; m++) {
    const int i = m % out->rows % a->rows, j = m / out->rows % out->cols % a->cols;
    const int k = m / (out->rows * out->cols) % a->pages;
    ok = td_copy_element(L, out, m, a, i + a->rows * (j + a->cols * k), c->at);
  }
  return value_if(ok, out);
}

// cat(dim, ...), vertcat(...), horzcat(...)
static value* cat(lang* L, call* c) {
  int dim = c->row->op;
  if (dim == 0 && !td_arg_int(L, c, 0, 1, 3, &dim)) return NULL;
  const int first = c->row->op == 0;
  return td_concat(L, dim, c->argv + first, c->argc - first, c->at);
}

// Read the sizes of reshape, of which one may be [] and follows from the others.
static bool open_size(lang* L, call* c, double want[3], int* open) {
  *open = -1;
  for (int k = 1; k < c->argc && c->argc > 2; k++) {
    if (c->argv[k]->kind != V_NUM || td_value_count(c->argv[k]) != 0) continue;
    if (*open >= 0) return td_fail(L, c->at, "reshape: only one size can be []") != NULL;
    *open = k - 1;
  }

  if (*open < 0) return sizes(L, c, 1, want);
  double others = 1;
  for (int k = 1; k < c->argc; k++) {
    if (k - 1 == *open) continue;
    if (!td_arg_number(L, c, k, &want[k - 1])) return false;
    others *= want[k - 1];
  }

  want[*open] = others > 0 ? td_value_count(c->argv[0]) / others : 0;
  return true;
}

// reshape(a, rows, cols, pages): the same elements in another shape
static value* reshape(lang* L, call* c) {
  double want[3] = {1, 1, 1};
  int open;
  if (!open_size(L, c, want, &open)) return NULL;
  const value* a = c->argv[0];
  const int n = td_value_count(a);
  if (want[0] * want[1] * want[2] != n || want[0] != floor(want[0]) || want[1] != floor(want[1])) {
    return td_fail(L, c->at, "reshape: %d elements do not make a %gx%g matrix", n, want[0],
                   want[1] * want[2]);
  }
  if (a->kind != V_NUM && (a->kind != V_CELL || want[2] != 1))
    return td_fail(L, c->at, "reshape works on matrices and cells");
  if (!td_spend(L, n / 2, c->at)) return NULL;
  value* out = a->kind == V_NUM ? td_num(L, want[0], want[1], want[2], c->at)
                                : td_cell(L, (int)want[0], (int)want[1], c->at);
  bool ok = out != NULL;
  for (int i = 0; ok && i < n; i++) ok = td_copy_element(L, out, i, a, i, c->at);
  return value_if(ok, out);
}

// kron(a, b): the Kronecker product, blocks a_ij b
static value* kron(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  const value *a = c->argv[0], *b = c->argv[1];
  if (a->pages != 1 || b->pages != 1) return td_fail(L, c->at, "kron works on matrices");
  value* out = td_num(L, (double)a->rows * b->rows, (double)a->cols * b->cols, 1, c->at);
  const int n = out ? td_value_count(out) : 0;
  bool ok = out && td_spend(L, n, c->at);

  for (int m = 0; ok && m < n; m++) {
    const int i = m % out->rows, j = m / out->rows;
    const int p = i / b->rows + a->rows * (j / b->cols), q = i % b->rows + b->rows * (j % b->cols);
    if (is_expr(a, p) || is_expr(b, q)) {
      ok =
          td_set_ex(L, out, m,
                    td_ex_2(L->g, EX_MUL, td_value_ex(a, p, L->g), td_value_ex(b, q, L->g)), c->at);
    } else {
      out->x[m] = a->x[p] * b->x[q];
    }
  }
  return value_if(ok, out);
}

const builtin td_builtin_shape[] = {
    {"zeros", filled, 0, 3, "zeros(rows, cols)", 0},
    {"ones", filled, 0, 3, "ones(rows, cols)", 1},
    {"eye", eye, 0, 2, "eye(n)", 0},
    {"diag", diag, 1, 2, "diag(v)", 0},
    {"transpose", transpose, 1, 1, "transpose(a)", 0},
    {"size", size, 1, 2, "size(a)", 0},
    {"numel", numel, 1, 1, "numel(a)", 0},
    {"length", length, 1, 1, "length(a)", 0},
    {"isempty", isempty, 1, 1, "isempty(a)", 0},
    {"linspace", linspace, 2, 3, "linspace(a, b, n)", 0},
    {"repmat", repmat, 2, 4, "repmat(a, rows, cols)", 0},
    {"cat", cat, 1, -1, "cat(dim, a, b, ...)", 0},
    {"vertcat", cat, 1, -1, "vertcat(a, b, ...)", 1},
    {"horzcat", cat, 1, -1, "horzcat(a, b, ...)", 2},
    {"reshape", reshape, 2, 4, "reshape(a, rows, cols)", 0},
    {"kron", kron, 2, 2, "kron(a, b)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
