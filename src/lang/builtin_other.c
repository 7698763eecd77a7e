// Built-in functions: polynomials, symbols, tests, structs, rotation matrices.  A function takes
// the arguments of a call, checks them, and returns its value, or NULL after a message.
#include <math.h>
#include <string.h>

#include "lang/eval.h"

// ---- polynomials ------------------------------------------------------------------------------

// polyval(p, x) = p(1) x^n + ... + p(n+1), by Horner's scheme
static value* polyval(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  const value *p = c->argv[0], *x = c->argv[1];
  const int degree = td_value_count(p);
  value* out = td_num(L, x->rows, x->cols, x->pages, c->at);
  const int n = out ? td_value_count(x) : 0;
  bool ok = out && td_spend(L, (long)n * degree / 4, c->at);
  const bool numbers = !td_has_expr(p);

  for (int i = 0; ok && i < n; i++) {
    if (numbers && !is_expr(x, i)) {
      double y = 0;
      for (int k = 0; k < degree; k++) y = y * x->x[i] + p->x[k];
      out->x[i] = y;
      continue;
    }
    ex y = td_ex_const(L->g, 0);
    const ex ei = td_value_ex(x, i, L->g);
    for (int k = 0; k < degree; k++)
      y = td_ex_2(L->g, EX_ADD, td_ex_2(L->g, EX_MUL, y, ei), td_value_ex(p, k, L->g));
    ok = td_set_ex(L, out, i, y, c->at);
  }
  return value_if(ok, out);
}

// polyfit(x, y, degree): least squares with the Vandermonde matrix
static value* polyfit(lang* L, call* c) {
  int degree;
  if (!td_arg_numeric(L, c, 0) || !td_arg_numeric(L, c, 1) || !td_arg_int(L, c, 2, 0, 100, &degree))
    return NULL;
  const int n = td_value_count(c->argv[0]);
  if (n != td_value_count(c->argv[1])) {
    return td_fail(L, c->at, "polyfit: %d values of x and %d of y", n, td_value_count(c->argv[1]));
  }
  if (n <= degree)
    return td_fail(L, c->at, "polyfit: %d points do not fix a polynomial of degree %d", n, degree);

  value* x = td_constant(L, c->argv[0], c->arg_at[0], "the first argument of polyfit");
  value* y = x ? td_constant(L, c->argv[1], c->arg_at[1], "the second argument of polyfit") : NULL;
  value *A = y ? td_num(L, n, degree + 1, 1, c->at) : NULL,
        *b = A ? td_num(L, n, 1, 1, c->at) : NULL;

  // Vandermonde matrix, highest power first
  for (int i = 0; b && i < n; i++) {
    b->x[i] = y->x[i];
    for (int k = degree; k >= 0; k--)
      A->x[i + n * k] = k == degree ? 1 : A->x[i + n * (k + 1)] * x->x[i];
  }

  value* p = b ? td_solve(L, A, b, c->at) : NULL;
  value* out = p ? td_transpose(L, p, c->at) : NULL;
  td_value_drop(x);
  td_value_drop(y);
  td_value_drop(A);
  td_value_drop(b);
  td_value_drop(p);
  return out;
}

// ---- symbols ----------------------------------------------------------------------------------

// Name of one symbol of an array: its indices replace %d, or follow the name.
static void put_symbol_name(td_text* out, const char* name, const int number[2], int n) {
  int k = 0;
  for (const char* s = name; *s;) {
    const bool place = strncmp(s, "%d", 2) == 0 && k < n;
    if (place)
      td_text_printf(out, "%d", number[k++]);
    else
      td_text_printf(out, "%c", *s);
    s += place ? 2 : 1;
  }
  if (k == 0) td_text_printf(out, "%d", number[0]);
  if (k == 0 && n == 2) td_text_printf(out, "_%d", number[1]);
}

// sym('a'), sym('a', 'real'), sym('a', [1 3]) (a1 a2 a3), sym('a', [2 2]) (a1_1 ...), sym(2)
static value* sym(lang* L, call* c) {
  int rows = 1, cols = 1;
  if (c->argv[0]->kind == V_NUM) return td_value_hold(c->argv[0]);
  const char* name = td_arg_string(L, c, 0);
  if (!name) return NULL;
  const bool many = c->argc == 2 && c->argv[1]->kind == V_NUM;
  if (!td_is_identifier(name) && !(many && strstr(name, "%d")))
    return td_fail(L, c->arg_at[0], "sym needs a name, got '%.40s'", name);
  if (c->argc == 1 || c->argv[1]->kind == V_STR) return td_symbol(L, name, c->at);

  // a vector or matrix of symbols
  double size[2] = {1, 1};
  const int n = td_value_count(c->argv[1]);
  for (int i = 0; i < n && i < 2; i++)
    if (!td_number_at(L, c->argv[1], i, c->arg_at[1], "a size", &size[i])) return NULL;
  if (n == 1) size[1] = size[0];
  rows = (int)fmax(0, fmin(size[0], 1000));
  cols = (int)fmax(0, fmin(size[1], 1000));
  value* out = td_num(L, rows, cols, 1, c->at);
  bool ok = out != NULL;

  for (int i = 0; ok && i < rows * cols; i++) {
    td_text text = {0};
    const bool row = rows == 1 || cols == 1;
    const int number[2] = {row ? i + 1 : i % rows + 1, i / rows + 1};
    put_symbol_name(&text, name, number, row ? 1 : 2);
    if (text.s && !td_is_identifier(text.s))
      td_fail(L, c->arg_at[0], "sym: '%.40s' makes '%.40s', which is not a name", name, text.s);
    value* one = text.s && td_is_identifier(text.s) ? td_symbol(L, text.s, c->at) : NULL;
    ok = one && td_set_ex(L, out, i, td_value_ex(one, 0, L->g), c->at);
    td_value_drop(one);
    td_text_free(&text);
  }
  return value_if(ok, out);
}

// ---- tests ------------------------------------------------------------------------------------

// isnan(x) and isinf(x), for each element
static value* test_number(lang* L, call* c) {
  const value* a = c->argv[0];
  value* out = td_num(L, a->rows, a->cols, a->pages, c->at);
  const int n = out && a->kind == V_NUM ? td_value_count(a) : 0;
  for (int i = 0; i < n; i++)
    out->x[i] = !is_expr(a, i) && (c->row->op ? isinf(a->x[i]) : isnan(a->x[i]));
  if (out) out->logical = true;
  return out;
}

// isstruct(x), ischar(x), iscell(x), isnumeric(x)
static value* test_kind(lang* L, call* c) {
  return td_logical(L, (int)c->argv[0]->kind == c->row->op, c->at);
}

// isfield(s, 'name'), or with a cell of names one result for each
static value* isfield(lang* L, call* c) {
  const value* list = c->argv[1];
  if (list->kind == V_CELL) {  // one answer for each name
    value* out = td_num(L, list->rows, list->cols, 1, c->at);
    for (int i = 0; out && i < td_value_count(list); i++) {
      const value* word = list->slots[i].v;
      out->x[i] = word && word->kind == V_STR && td_value_field(c->argv[0], word->s) >= 0;
    }
    if (out) out->logical = true;
    return out;
  }
  const char* name = td_arg_string(L, c, 1);
  return name ? td_logical(L, td_value_field(c->argv[0], name) >= 0, c->at) : NULL;
}

// ---- structs ----------------------------------------------------------------------------------

// struct('name', value, ...); a cell as a value gives a struct array
static value* make_struct(lang* L, call* c) {
  if (c->argc == 1 && c->argv[0]->kind == V_NUM && td_value_count(c->argv[0]) == 0)
    return td_struct(L, 0, 0, c->at);  // struct([])
  if (c->argc % 2)
    return td_fail(L, c->at, "struct('name', value, ...) needs pairs, got %d arguments", c->argc);

  // number of elements: the size of the cells
  int n = 1;
  for (int k = 1; k < c->argc; k += 2) {
    if (c->argv[k]->kind == V_CELL && td_value_count(c->argv[k]) != 1)
      n = td_value_count(c->argv[k]);
  }

  // assign the fields of each element
  const double slots = (double)n * c->argc / 2;
  value* s =
      td_spend(L, (long)(slots * (4 + c->argc / 8)), c->at) ? td_struct(L, 1, n, c->at) : NULL;
  for (int k = 0; s && k < c->argc; k += 2) {
    const char* name = td_arg_string(L, c, k);
    value* v = c->argv[k + 1];
    bool ok = name != NULL;
    if (ok && v->kind == V_CELL && td_value_count(v) != 1 && td_value_count(v) != n) {
      ok = td_fail(L, c->arg_at[k + 1], "struct: cells of %d and %d elements", n,
                   td_value_count(v)) != NULL;
    }
    for (int i = 0; ok && i < n; i++) {
      value_slot* slot = td_value_slot_make(s, i, name);
      value* one = v->kind == V_CELL ? v->slots[td_value_count(v) == 1 ? 0 : i].v : v;
      ok = slot && td_value_put(s, slot, td_value_hold(one));
      if (!ok) {
        td_fail(L, c->at, "struct: too large or nested too deep");
        break;
      }
      slot->at = c->arg_at[k + 1];
      slot->name_at = c->arg_at[k];
    }
    if (!ok) {
      td_value_drop(s);
      return NULL;
    }
  }
  return s;
}

// ---- rotations --------------------------------------------------------------------------------

// rotx, roty, rotz: rotation matrix about axis 0, 1, 2 by an angle in radians
static value* rotation(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  if (!is_scalar(c->argv[0])) {
    char text[TD_DESCRIBE_SIZE];
    return td_fail(L, c->arg_at[0], "%s needs one angle in radians, got %s", c->name,
                   td_value_describe(c->argv[0], text));
  }
  const ex angle = td_value_ex(c->argv[0], 0, L->g);
  const ex cs = td_ex_1(L->g, EX_COS, angle), sn = td_ex_1(L->g, EX_SIN, angle);
  const int i = c->row->op, j = (i + 1) % 3, k = (i + 2) % 3;
  value* R = td_num(L, 3, 3, 1, c->at);
  if (!R) return NULL;
  R->x[i + 3 * i] = 1;
  const bool ok = td_set_ex(L, R, j + 3 * j, cs, c->at) && td_set_ex(L, R, k + 3 * k, cs, c->at) &&
                  td_set_ex(L, R, k + 3 * j, sn, c->at) &&
                  td_set_ex(L, R, j + 3 * k, td_ex_1(L->g, EX_NEG, sn), c->at);
  return value_if(ok, R);
}

const builtin td_builtin_other[] = {
    {"polyval", polyval, 2, 2, "polyval(p, x)", 0},
    {"polyfit", polyfit, 3, 3, "polyfit(x, y, degree)", 0},
    {"isnan", test_number, 1, 1, "isnan(x)", 0},
    {"isinf", test_number, 1, 1, "isinf(x)", 1},
    {"isfield", isfield, 2, 2, "isfield(s, 'name')", 0},
    {"isstruct", test_kind, 1, 1, "isstruct(x)", V_STRUCT},
    {"ischar", test_kind, 1, 1, "ischar(x)", V_STR},
    {"iscell", test_kind, 1, 1, "iscell(x)", V_CELL},
    {"isnumeric", test_kind, 1, 1, "isnumeric(x)", V_NUM},
    {"sym", sym, 1, 2, "sym('name')", 0},
    {"struct", make_struct, 0, -1, "struct('name', value, ...)", 0},
    {"rotx", rotation, 1, 1, "rotx(angle)", 0},
    {"roty", rotation, 1, 1, "roty(angle)", 1},
    {"rotz", rotation, 1, 1, "rotz(angle)", 2},
    {NULL, NULL, 0, 0, NULL, 0},
};
