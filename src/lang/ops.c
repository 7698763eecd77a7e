// Operators: element by element with broadcasting, matrix products, division and powers,
// concatenation.  To add an element-wise operator: its text in op_text and its row in element_ops.
// A function returns NULL or false after a message.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/apply.h"
#include "lang/eval.h"
#include "math/dense.h"

static const char* const op_text[] = {
    [OP_ADD] = "+",        [OP_SUB] = "-",   [OP_MUL] = "*",     [OP_DIV] = "/",
    [OP_LDIV] = "\\",      [OP_POW] = "^",   [OP_EMUL] = ".*",   [OP_EDIV] = "./",
    [OP_ELDIV] = ".\\",    [OP_EPOW] = ".^", [OP_EQ] = "==",     [OP_NE] = "~=",
    [OP_LT] = "<",         [OP_LE] = "<=",   [OP_GT] = ">",      [OP_GE] = ">=",
    [OP_AND] = "&",        [OP_OR] = "|",    [OP_ANDAND] = "&&", [OP_OROR] = "||",
    [OP_NOT] = "~",        [OP_NEG] = "-",   [OP_PLUS] = "+",    [OP_CTRANSPOSE] = "'",
    [OP_TRANSPOSE] = ".'",
};

// Report an operand that is no number.
static void* wrong_kind(lang* L, ast_op op, const value* v, td_span at) {
  char text[TD_DESCRIBE_SIZE];
  return td_fail(L, at, "the operator %s works on numbers, not on %s", op_text[op],
                 td_value_describe(v, text));
}

// Sizes as text: 2x3 or 2x3x4
static void shape_text(const value* v, char text[40]) {
  if (v->pages == 1) snprintf(text, 40, "%dx%d", v->rows, v->cols);
  if (v->pages != 1) snprintf(text, 40, "%dx%dx%d", v->rows, v->cols, v->pages);
}

// Report sizes that do not fit.
static void* wrong_sizes(lang* L, ast_op op, const value* a, const value* b, td_span at) {
  char sa[40], sb[40];
  shape_text(a, sa);
  shape_text(b, sb);
  td_fail(L, at, "sizes do not match: %s %s %s", sa, op_text[op], sb);
  if (a->pages == 1 && b->pages == 1 && a->rows == b->cols && a->cols == b->rows)
    td_hint(L->diags, "transpose one of them with '");
  else
    td_hint(L->diags, "%s needs equal sizes, a row and a column, or one number", op_text[op]);
  return NULL;
}

// Report sizes that do not fit in a * b, with a hint at what was probably meant.
static void* wrong_product(lang* L, const value* a, const value* b, td_span at) {
  td_fail(L, at, "sizes do not match: %dx%d * %dx%d (inner sizes %d and %d)", a->rows, a->cols,
          b->rows, b->cols, a->cols, b->rows);
  if (a->rows == b->rows && a->cols == b->cols)
    td_hint(L->diags, "use .* for each element, or a*b' for a sum of products");
  else if (a->cols == b->cols)
    td_hint(L->diags, "transpose the second: a*b'");
  else if (a->rows == b->rows)
    td_hint(L->diags, "transpose the first: a'*b");
  return NULL;
}

// ---- element by element -----------------------------------------------------------------------

// Operation of expressions that an element-wise operator means; `swap` exchanges the operands
static const struct {
  ex_op op;
  bool swap;
} element_ops[OP_TRANSPOSE + 1] = {
    [OP_ADD] = {EX_ADD, false},  [OP_SUB] = {EX_SUB, false},  [OP_EMUL] = {EX_MUL, false},
    [OP_EDIV] = {EX_DIV, false}, [OP_ELDIV] = {EX_DIV, true}, [OP_EPOW] = {EX_POW, false},
    [OP_EQ] = {EX_EQ, false},    [OP_NE] = {EX_NE, false},    [OP_LT] = {EX_LT, false},
    [OP_LE] = {EX_LE, false},    [OP_GT] = {EX_LT, true},     [OP_GE] = {EX_LE, true},
    [OP_AND] = {EX_AND, false},  [OP_OR] = {EX_OR, false},
};

static bool fits(int a, int b) { return a == b || a == 1 || b == 1; }
static int wider(int a, int b) { return a == 1 ? b : a; }

// out[k] = a[i] op b[j], as a number or as an expression.  False after a message: a power that is
// not real.
static bool element(lang* L, ast_op op, const value* a, int i, const value* b, int j, value* out,
                    int k, td_span at) {
  const ex_op e = element_ops[op].op;
  const bool swap = element_ops[op].swap;
  if (is_expr(a, i) || is_expr(b, j)) {
    const ex x = td_value_ex(a, i, L->g), y = td_value_ex(b, j, L->g);
    return td_set_ex(L, out, k, td_ex_2(L->g, e, swap ? y : x, swap ? x : y), at);
  }
  const double x = a->x[i], y = b->x[j];
  out->x[k] = apply(e, swap ? y : x, swap ? x : y, 0);
  if (op == OP_EPOW && isnan(out->x[k]) && !isnan(x) && !isnan(y))
    return td_fail(L, at, "(%g)^%g is not a real number", x, y) != NULL;
  return true;
}

// Apply an operator element by element.  Sizes must be equal or 1 in each dimension; where one is
// 1, the element is repeated.
static value* elementwise(lang* L, ast_op op, const value* a, const value* b, td_span at) {
  if (!fits(a->rows, b->rows) || !fits(a->cols, b->cols) || !fits(a->pages, b->pages)) {
    return wrong_sizes(L, op, a, b, at);
  }
  const int rows = wider(a->rows, b->rows), cols = wider(a->cols, b->cols),
            pages = wider(a->pages, b->pages);
  value* out = td_num(L, rows, cols, pages, at);
  if (!out) return NULL;

  // strides of the operands: 0 where a size of 1 is repeated
  const int ar = a->rows > 1, ac = a->cols > 1 ? a->rows : 0,
            ap = a->pages > 1 ? a->rows * a->cols : 0;
  const int br = b->rows > 1, bc = b->cols > 1 ? b->rows : 0,
            bp = b->pages > 1 ? b->rows * b->cols : 0;

  const double each = a->e || b->e ? 30 : op == OP_EPOW ? 2 : 0.5;
  bool ok = td_spend(L, (long)(each * td_value_count(out)), at);
  int n = 0;
  for (int k = 0; ok && k < pages; k++) {
    for (int j = 0; ok && j < cols; j++) {
      for (int i = 0; ok && i < rows; i++) {
        ok = element(L, op, a, ar * i + ac * j + ap * k, b, br * i + bc * j + bp * k, out, n++, at);
      }
    }
  }

  out->logical = op >= OP_EQ && op <= OP_OR;
  return value_if(ok, out);
}

// ---- matrix operations ------------------------------------------------------------------------

// Transpose of a matrix, cell or struct array.
value* td_transpose(lang* L, const value* a, td_span at) {
  if (a->pages != 1) return td_fail(L, at, "a 3-D array has no transpose; take one page, a(:,:,k)");
  if (a->kind == V_STR || a->kind == V_FUNC || a->kind == V_REF)
    return wrong_kind(L, OP_CTRANSPOSE, a, at);
  if (!td_spend(L, (a->kind == V_NUM ? 1L : 4L) * td_value_count(a), at)) return NULL;
  value* out = a->kind == V_NUM    ? td_num(L, a->cols, a->rows, 1, at)
               : a->kind == V_CELL ? td_cell(L, a->cols, a->rows, at)
                                   : td_struct(L, a->cols, a->rows, at);
  bool ok = out != NULL;
  for (int j = 0; ok && j < a->cols; j++)
    for (int i = 0; ok && i < a->rows; i++)
      ok = td_copy_element(L, out, j + a->cols * i, a, i + a->rows * j, at);
  if (ok) out->logical = a->logical;
  return value_if(ok, out);
}

// out_ij = Σ_k a_ik b_kj; numbers and expressions are summed apart.
static bool product_element(lang* L, const value* a, const value* b, int i, int j, value* out,
                            td_span at) {
  double sum = 0;
  ex e = EX_NONE;
  for (int k = 0; k < a->cols; k++) {
    const int p = i + a->rows * k, q = k + b->rows * j;
    if (!is_expr(a, p) && !is_expr(b, q)) {
      sum += a->x[p] * b->x[q];
      continue;
    }
    const ex term = td_ex_2(L->g, EX_MUL, td_value_ex(a, p, L->g), td_value_ex(b, q, L->g));
    e = e == EX_NONE ? term : td_ex_2(L->g, EX_ADD, e, term);
    if (e == EX_NONE) return td_no_memory(L, at) != NULL;
  }

  const int n = i + out->rows * j;
  if (e == EX_NONE) {
    out->x[n] = sum;
    return true;
  }
  return td_set_ex(L, out, n, td_ex_2(L->g, EX_ADD, e, td_ex_const(L->g, sum)), at);
}

// Matrix product.
value* td_matmul(lang* L, const value* a, const value* b, td_span at) {
  if (a->pages != 1 || b->pages != 1)
    return td_fail(L, at, "* works on matrices, not on 3-D arrays; use .*");
  if (a->cols != b->rows) return wrong_product(L, a, b, at);
  value* out = td_num(L, a->rows, b->cols, 1, at);
  bool ok =
      out &&
      td_spend(L, (long)((double)a->rows * a->cols * b->cols * (a->e || b->e ? 10 : 0.125)), at);

  // large matrices by BLAS: (a b)ᵀ = bᵀ aᵀ, and the transpose is the same numbers stored by rows
  const bool large = (double)a->rows * a->cols * b->cols > 1e5 && !a->e && !b->e;
  if (ok && large) td_mul(b->x, a->x, b->cols, b->rows, a->rows, out->x);

  for (int j = 0; ok && !large && j < b->cols; j++) {
    for (int i = 0; ok && i < a->rows; i++) ok = product_element(L, a, b, i, j, out, at);
  }
  return value_if(ok, out);
}

// Row-major copy of a matrix of numbers; NULL: no memory.
static double* row_major(const value* a) {
  double* x = malloc(sizeof(double) * (size_t)max_int(1, td_value_count(a)));
  for (int i = 0; x && i < a->rows; i++) {
    for (int j = 0; j < a->cols; j++) x[i * a->cols + j] = a->x[i + a->rows * j];
  }
  return x;
}

// A \ B for square A by LU; a matrix that is singular to working precision is an error.
static value* solve_square(lang* L, const value* A, const value* B, td_span at) {
  const int n = A->rows, cols = B->cols;
  double *LU = row_major(A), *X = row_major(B), big = 0, small = INFINITY;
  int* pivot = malloc(sizeof(int) * (size_t)max_int(1, n));
  value* out = NULL;
  if (!LU || !X || !pivot) {
    td_no_memory(L, at);
    goto done;
  }

  // factor; compare the smallest pivot with the largest
  bool singular = n > 0 && td_lu(LU, n, pivot) != 0;
  for (int i = 0; i < n && !singular; i++) {
    big = fmax(big, fabs(LU[i * n + i]));
    small = fmin(small, fabs(LU[i * n + i]));
  }

  if (singular || (n > 0 && !(small > 1e-15 * big))) {
    td_fail(L, at, "the %dx%d matrix is singular: the linear system has no unique solution", n, n);
    goto done;
  }

  // solve, and back to column-major order
  if (n > 0) td_lu_solve(LU, pivot, n, X, cols);
  out = td_num(L, n, cols, 1, at);
  for (int i = 0; out && i < n; i++)
    for (int j = 0; j < cols; j++) out->x[i + n * j] = X[i * cols + j];
done:
  free(LU);
  free(X);
  free(pivot);
  return out;
}

// A \ B for other A: min |A X - B| column by column, the shortest of many solutions.
static value* least_squares(lang* L, const value* A, const value* B, td_span at) {
  bool finite = true;
  for (int i = 0; i < td_value_count(A); i++) finite = finite && isfinite(A->x[i]);
  for (int i = 0; i < td_value_count(B); i++) finite = finite && isfinite(B->x[i]);
  if (!finite) return td_fail(L, at, "least squares need finite numbers, not inf or nan");

  double* R = row_major(A);
  value* out = td_num(L, A->cols, B->cols, 1, at);
  bool ok = R && out;
  for (int j = 0; ok && j < B->cols; j++) {
    ok = td_least_squares(R, A->rows, A->cols, 1e-14, B->x + A->rows * j, out->x + A->cols * j);
  }
  free(R);
  if (ok) return out;
  td_value_drop(out);
  return td_no_memory(L, at);
}

// A \ B: LU for square A, least squares else.
value* td_solve(lang* L, const value* A, const value* B, td_span at) {
  if (A->pages != 1 || B->pages != 1)
    return td_fail(L, at, "matrix division works on matrices, not on 3-D arrays");
  if (A->rows != B->rows) return wrong_sizes(L, OP_LDIV, A, B, at);
  if (td_has_expr(A) || td_has_expr(B)) {
    return td_fail(
        L, at, "division by a matrix needs numbers, not expressions of time, state or parameters");
  }
  const double work = 100 + (double)A->rows * A->cols * (A->cols + B->cols) / 8;
  if (!td_spend(L, (long)work, at)) return NULL;
  if (A->rows == A->cols) return solve_square(L, A, B, at);
  return least_squares(L, A, B, at);
}

// a / B = (B' \ a')'
static value* right_divide(lang* L, const value* a, const value* b, td_span at) {
  if (a->cols != b->cols) return wrong_sizes(L, OP_DIV, a, b, at);
  value *bt = td_transpose(L, b, at), *atr = bt ? td_transpose(L, a, at) : NULL;
  value* x = atr ? td_solve(L, bt, atr, at) : NULL;
  value* out = x ? td_transpose(L, x, at) : NULL;
  td_value_drop(bt);
  td_value_drop(atr);
  td_value_drop(x);
  return out;
}

// a^b for a square matrix and a whole number b, by repeated squaring; a negative exponent inverts
// first.
static value* matrix_power(lang* L, const value* a, const value* b, td_span at) {
  if (!is_scalar(b) || a->rows != a->cols || a->pages != 1) {
    return td_fail(
        L, at,
        "^ needs a square matrix and a whole number, or two numbers; use .^ for each element");
  }
  double p;
  if (!td_number_at(L, b, 0, at, "the exponent of a matrix", &p)) return NULL;
  if (p != floor(p) || fabs(p) > 1e6)
    return td_fail(L, at, "the exponent of a matrix must be a whole number, got %g", p);

  // result = 1, square = a or its inverse
  value* result = td_num(L, a->rows, a->rows, 1, at);
  for (int i = 0; result && i < a->rows; i++) result->x[i + a->rows * i] = 1;
  value* square =
      p < 0 && result ? td_solve(L, a, result, at) : td_value_hold((value*)(uintptr_t)a);

  // square, and multiply where the exponent has a bit
  for (long n = labs((long)p); result && square && n > 0; n /= 2) {
    if (n % 2) {
      value* next = td_matmul(L, result, square, at);
      td_value_drop(result);
      result = next;
    }
    if (n < 2) break;
    value* next = result ? td_matmul(L, square, square, at) : NULL;
    td_value_drop(square);
    square = next;
  }

  if (!square) {
    td_value_drop(result);
    result = NULL;
  }
  td_value_drop(square);
  return result;
}

// ---- operators of one and two operands --------------------------------------------------------

// == and ~= of strings, which are compared as a whole.
static value* compare_strings(lang* L, ast_op op, const value* a, const value* b, td_span at) {
  if (a->kind != V_STR || b->kind != V_STR) {
    if (op == OP_EQ || op == OP_NE) {
      char ta[TD_DESCRIBE_SIZE], tb[TD_DESCRIBE_SIZE];
      return td_fail(L, at, "%s cannot be compared with %s", td_value_describe(a, ta),
                     td_value_describe(b, tb));
    }
    return wrong_kind(L, op, a->kind == V_STR ? a : b, at);
  }
  if (op != OP_EQ && op != OP_NE) return wrong_kind(L, op, a, at);
  if (!td_spend(L, a->cols / 16, at)) return NULL;
  const bool same = a->cols == b->cols && memcmp(a->s, b->s, (size_t)a->cols) == 0;
  return td_logical(L, same == (op == OP_EQ), at);
}

// Apply a binary operator: comparison of strings, matrix operation or element by element.
value* td_binary(lang* L, ast_op op, const value* a, const value* b, td_span at) {
  if (a->kind == V_STR || b->kind == V_STR) return compare_strings(L, op, a, b, at);
  if (a->kind != V_NUM) return wrong_kind(L, op, a, at);
  if (b->kind != V_NUM) return wrong_kind(L, op, b, at);

  switch (op) {
    case OP_MUL:
      return is_scalar(a) || is_scalar(b) ? elementwise(L, OP_EMUL, a, b, at)
                                          : td_matmul(L, a, b, at);
    case OP_DIV:
      return is_scalar(b) ? elementwise(L, OP_EDIV, a, b, at) : right_divide(L, a, b, at);
    case OP_LDIV:
      return is_scalar(a) ? elementwise(L, OP_ELDIV, a, b, at) : td_solve(L, a, b, at);
    case OP_POW:
      return is_scalar(a) && is_scalar(b) ? elementwise(L, OP_EPOW, a, b, at)
                                          : matrix_power(L, a, b, at);
    default:
      return elementwise(L, op, a, b, at);
  }
}

// Apply a unary operator or a transpose.
value* td_unary(lang* L, ast_op op, const value* a, td_span at) {
  if (op == OP_CTRANSPOSE || op == OP_TRANSPOSE) return td_transpose(L, a, at);
  if (a->kind != V_NUM) return wrong_kind(L, op, a, at);
  if (op == OP_PLUS) return td_value_hold((value*)(uintptr_t)a);
  value* out = td_num(L, a->rows, a->cols, a->pages, at);
  const int n = out ? td_value_count(a) : 0;

  for (int i = 0; i < n; i++) {
    if (is_expr(a, i)) {
      if (!td_set_ex(L, out, i, td_ex_1(L->g, op == OP_NEG ? EX_NEG : EX_NOT, a->e[i]), at)) {
        td_value_drop(out);
        return NULL;
      }
    } else {
      out->x[i] = op == OP_NEG ? -a->x[i] : a->x[i] == 0;
    }
  }

  if (out) out->logical = op == OP_NOT;
  return out;
}

// ---- concatenation ----------------------------------------------------------------------------

// One string from several.
static value* join_strings(lang* L, value* const* list, int n, td_span at) {
  td_text text = {0};
  td_text_add(&text, "");
  for (int i = 0; i < n; i++) {
    td_text_addn(&text, list[i]->s, list[i]->cols);
    if (text.n > TD_STRING_LIMIT || !td_spend(L, 8 + list[i]->cols / 8, at)) break;
  }
  value* out = text.failed ? td_no_memory(L, at) : td_string(L, text.s, text.n, at);
  td_text_free(&text);
  return out;
}

// Size of a value along a dimension: 1 rows, 2 columns, 3 pages.
static int size_along(const value* v, int dim) {
  return dim == 1 ? v->rows : dim == 2 ? v->cols : v->pages;
}

// Check that a value may be in an array of this kind.
static bool same_kind(lang* L, value_kind kind, const value* v, const value* first, td_span at) {
  if (v->kind == kind || (kind == V_CELL && v->kind != V_STRUCT)) return true;
  char a[TD_DESCRIBE_SIZE], b[TD_DESCRIBE_SIZE];
  td_fail(L, at, "%s and %s cannot be put into one array", td_value_describe(first, a),
          td_value_describe(v, b));
  return false;
}

// Shape of the joined array: sizes other than along `dim` must agree; empty arrays are ignored.
static bool joined_shape(lang* L, int dim, value* const* list, int n, int size[3], td_span at) {
  const value* first = NULL;
  int64_t total = 0;

  // add the sizes along dim, compare the others with those of the first
  for (int i = 0; i < n; i++) {
    const value* v = list[i];
    const bool empty = td_value_count(v) == 0 && (v->rows == 0 || v->cols == 0);
    if (empty) continue;
    if (!first) first = v;
    total += size_along(v, dim);

    for (int d = 1; d <= 3; d++) {
      if (d == dim || size_along(v, d) == size_along(first, d)) continue;
      char a[40], b[40];
      shape_text(first, a);
      shape_text(v, b);
      td_fail(L, at, "sizes do not match: %s %s %s", a,
              dim == 1   ? "above"
              : dim == 2 ? "beside"
                         : "behind",
              b);
      if (dim < 3)
        td_hint(L->diags, "%s must have equally many %s", dim == 1 ? "all rows" : "all parts",
                dim == 1 ? "elements" : "rows");
      return false;
    }
  }

  if (total > TD_VALUE_LIMIT) {
    td_fail(L, at, "an array of more than %d elements", TD_VALUE_LIMIT);
    return false;
  }
  for (int d = 1; d <= 3; d++) size[d - 1] = first ? size_along(first, d) : d == 3;
  if (first) size[dim - 1] = (int)total;
  return true;
}

// Copy v into `out` with its first element at offset `start` along `dim`.
static bool place(lang* L, value* out, const value* v, int dim, int start, td_span at) {
  const int r0 = dim == 1 ? start : 0, c0 = dim == 2 ? start : 0, p0 = dim == 3 ? start : 0;
  int n = 0;
  for (int k = 0; k < v->pages; k++) {
    for (int j = 0; j < v->cols; j++) {
      for (int i = 0; i < v->rows; i++) {
        const int to = (i + r0) + out->rows * ((j + c0) + out->cols * (k + p0));
        if (!td_copy_element(L, out, to, v, n++, at)) return false;
      }
    }
  }
  return true;
}

// v as an element of a cell; a cell stays what it is.
static value* in_cell(lang* L, value* v, td_span at) {
  if (v->kind == V_CELL) return td_value_hold(v);
  if (td_value_count(v) == 0 && v->kind == V_NUM) return td_cell(L, 0, 0, at);
  value* c = td_cell(L, 1, 1, at);
  if (c && !td_value_put(c, &c->slots[0], td_value_hold(v))) {
    td_value_drop(c);
    return td_fail(L, at, "values are nested deeper than %d", TD_VALUE_DEPTH);
  }
  return c;
}

// Join arrays of one kind along dimension `dim` (1 rows, 2 columns, 3 pages).  The result is
// logical if all of them are.
static value* join_arrays(lang* L, int dim, value_kind kind, value* const* list, int n,
                          td_span at) {
  int size[3];
  if (!joined_shape(L, dim, list, n, size, at)) return NULL;
  if (kind != V_NUM && (size[2] != 1 || dim == 3))
    return td_fail(L, at, "3-D arrays hold numbers only");
  value* out = kind == V_NUM    ? td_num(L, size[0], size[1], size[2], at)
               : kind == V_CELL ? td_cell(L, size[0], size[1], at)
                                : td_struct(L, size[0], size[1], at);
  int start = 0;
  bool logical = n > 0;
  bool ok = out && td_spend(L, 8L * n + (kind == V_NUM ? 1L : 4L) * td_value_count(out), at);

  for (int i = 0; ok && i < n; i++) {
    if (td_value_count(list[i]) == 0) continue;
    ok = place(L, out, list[i], dim, start, at);
    start += size_along(list[i], dim);
    logical = logical && list[i]->logical;
  }

  if (ok) out->logical = logical && kind == V_NUM;
  return value_if(ok, out);
}

// Join values along a dimension.
value* td_concat(lang* L, int dim, value* const* list, int n, td_span at) {
  // the kind of the result: a cell if one of them is a cell, else that of the first
  value_kind kind = V_NUM;
  const value* first = NULL;

  for (int i = 0; i < n; i++) {
    if (list[i]->kind == V_CELL) kind = V_CELL;
    if (!first && (td_value_count(list[i]) > 0 || list[i]->kind == V_STR)) first = list[i];
  }

  if (first && kind != V_CELL) kind = first->kind;
  for (int i = 0; i < n; i++) {
    if (td_value_count(list[i]) == 0 && list[i]->kind == V_NUM) continue;
    if (!same_kind(L, kind, list[i], first, at)) return NULL;
  }

  // functions, references and strings
  if (kind == V_FUNC || kind == V_REF) {
    if (n == 1) return td_value_hold(list[0]);
    return td_fail(L, at, "%s cannot be put into an array; use a cell { }",
                   td_value_kind_text(first));
  }
  if (kind == V_STR) {
    if (dim == 2 || n == 1) {
      value** strings = malloc(sizeof *strings * (size_t)max_int(1, n));
      if (!strings) return td_no_memory(L, at);
      int m = 0;
      for (int i = 0; i < n; i++) {
        if (list[i]->kind == V_STR) strings[m++] = list[i];
      }
      value* out = join_strings(L, strings, m, at);
      free(strings);
      return out;
    }
    return td_fail(L, at, "strings cannot be stacked in rows; use a cell { }");
  }
  if (kind != V_CELL) return join_arrays(L, dim, kind, list, n, at);

  // cells: other values become cells of one element
  value** cells = calloc((size_t)max_int(1, n), sizeof *cells);
  bool ok = cells != NULL;
  for (int i = 0; ok && i < n; i++) ok = (cells[i] = in_cell(L, list[i], at)) != NULL;
  value* out = ok ? join_arrays(L, dim, V_CELL, cells, n, at) : NULL;
  for (int i = 0; cells && i < n; i++) td_value_drop(cells[i]);
  free(cells);
  return out;
}
