// Built-in functions: sums, products and searches along a dimension; vector algebra; inverse and
// determinant.  A function takes the arguments of a call, checks them, and returns its value, or
// NULL after a message.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/eval.h"
#include "math/dense.h"

// ---- along one dimension ----------------------------------------------------------------------

// Lines of an array along a dimension: `count` lines of n elements, `stride` apart
typedef struct lines {
  int n, stride, count;
  int rows, cols, pages;  // shape with that dimension reduced to 1
} lines;

// First dimension with a size other than 1.
static int first_dim(const value* a) {
  return a->rows != 1 ? 1 : a->cols != 1 ? 2 : a->pages != 1 ? 3 : 1;
}

// Lines of an array along dimension `dim`.
static lines lines_of(const value* a, int dim) {
  lines l = {.rows = a->rows, .cols = a->cols, .pages = a->pages};
  l.stride = dim == 1 ? 1 : dim == 2 ? a->rows : a->rows * a->cols;
  int* reduced = dim == 1 ? &l.rows : dim == 2 ? &l.cols : &l.pages;
  l.n = *reduced;
  *reduced = 1;
  if (a->rows == 0 && a->cols == 0) {  // sum([]) = 0, along any dimension
    l.rows = l.cols = l.pages = l.stride = 1;
    l.n = 0;
  }
  l.count = l.rows * l.cols * l.pages;
  return l;
}

// Index of the first element of line k.
static int line_start(const lines* l, int k) {
  return k / l->stride * l->stride * max_int(1, l->n) + k % l->stride;
}

// Read argument k, the dimension; without it the first one that is not 1.
static bool dimension(lang* L, call* c, int k, int* dim) {
  *dim = first_dim(c->argv[0]);
  return c->argc <= k || td_arg_int(L, c, k, 1, 3, dim);
}

typedef enum reduction { R_SUM, R_PROD, R_MEAN, R_ANY, R_ALL, R_CUMSUM, R_CUMPROD } reduction;

// Operation of expressions for a reduction.
static ex_op reduction_op(int r) {
  return r == R_PROD || r == R_CUMPROD ? EX_MUL : r == R_ANY ? EX_OR : r == R_ALL ? EX_AND : EX_ADD;
}

// One step of a reduction of numbers.
static double reduce_number(int r, double sum, double x) {
  if (r == R_PROD || r == R_CUMPROD) return sum * x;
  if (r == R_ANY) return sum != 0 || x != 0;
  if (r == R_ALL) return sum != 0 && x != 0;
  return sum + x;
}

// Reduce one line to out[to], or write its partial results for cumsum and cumprod.  The result
// becomes an expression with the first element that is one.
static bool reduce_line(lang* L, call* c, const lines* l, int start, value* out, int to) {
  const value* a = c->argv[0];
  const int r = c->row->op;
  const bool cumulative = r == R_CUMSUM || r == R_CUMPROD;
  double x = r == R_PROD || r == R_CUMPROD || r == R_ALL ? 1 : 0;
  ex e = EX_NONE;

  for (int i = 0; i < l->n; i++) {
    const int at = start + i * l->stride;
    if (e == EX_NONE && !is_expr(a, at)) {
      x = reduce_number(r, x, a->x[at]);
    } else {
      if (e == EX_NONE) e = td_ex_const(L->g, x);
      e = td_ex_2(L->g, reduction_op(r), e, td_value_ex(a, at, L->g));
      if (e == EX_NONE) return td_no_memory(L, c->at) != NULL;
    }
    if (!cumulative) continue;
    if (e == EX_NONE) out->x[at] = x;
    if (e != EX_NONE && !td_set_ex(L, out, at, e, c->at)) return false;
  }

  if (cumulative) return true;
  if (e != EX_NONE && r == R_MEAN) e = td_ex_2(L->g, EX_DIV, e, td_ex_const(L->g, l->n));
  if (e != EX_NONE) return td_set_ex(L, out, to, e, c->at);
  out->x[to] = r == R_MEAN ? x / l->n : x;
  return true;
}

// sum, prod, mean, any, all, cumsum, cumprod
static value* reduce(lang* L, call* c) {
  int dim;
  if (!td_arg_numeric(L, c, 0) || !dimension(L, c, 1, &dim)) return NULL;
  const value* a = c->argv[0];
  const lines l = lines_of(a, dim);
  const bool cumulative = c->row->op == R_CUMSUM || c->row->op == R_CUMPROD;
  value* out = cumulative ? td_num(L, a->rows, a->cols, a->pages, c->at)
                          : td_num(L, l.rows, l.cols, l.pages, c->at);
  bool ok = out && td_spend(L, a->e ? 30L * td_value_count(a) : td_value_count(a) / 4, c->at);
  for (int k = 0; ok && k < l.count && !(cumulative && l.n == 0); k++)
    ok = reduce_line(L, c, &l, line_start(&l, k), out, k);
  if (ok) out->logical = c->row->op == R_ANY || c->row->op == R_ALL;
  return value_if(ok, out);
}

// ---- min, max ---------------------------------------------------------------------------------

// Find the extreme of one line and its position, which is not known if there are expressions.
static bool extreme_line(lang* L, call* c, const lines* l, int start, value* out, value* place,
                         int to) {
  const value* a = c->argv[0];
  const int op = c->row->op;
  ex e = EX_NONE;
  int best = -1;

  // extreme of the numbers, and an expression for the others
  for (int i = 0; i < l->n; i++) {
    const int at = start + i * l->stride;
    if (is_expr(a, at)) {
      e = e == EX_NONE ? a->e[at] : td_ex_2(L->g, (ex_op)op, e, a->e[at]);
      if (e == EX_NONE) return td_no_memory(L, c->at) != NULL;
      continue;
    }
    const double x = a->x[at], b = best < 0 ? NAN : a->x[start + best * l->stride];
    if (best < 0 || (isnan(b) && !isnan(x)) || (op == EX_MIN ? x < b : x > b)) best = i;
  }

  const double x = best < 0 ? NAN : a->x[start + best * l->stride];
  if (e != EX_NONE) {
    if (place)
      return td_fail(L, c->at, "%s: the place of the extreme is not known for expressions",
                     c->name) != NULL;
    if (best >= 0) e = td_ex_2(L->g, (ex_op)op, e, td_ex_const(L->g, x));
    return td_set_ex(L, out, to, e, c->at);
  }
  out->x[to] = x;
  if (place) place->x[to] = best + 1;
  return true;
}

// min and max of one array along a dimension, or of two arrays
static value* extreme(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  if (c->argc == 2) return td_each2(L, c, c->row->op, c->argv[0], c->argv[1]);
  if (c->argc == 3 && td_value_count(c->argv[1]) != 0)
    return td_fail(L, c->arg_at[1], "%s(a, [], dim): the second argument is []", c->name);

  // along a dimension
  int dim;
  if (!dimension(L, c, 2, &dim)) return NULL;
  const value* a = c->argv[0];
  if (td_value_count(a) == 0) return td_num(L, 0, 0, 1, c->at);

  const lines l = lines_of(a, dim);
  value* out = td_num(L, l.rows, l.cols, l.pages, c->at);
  value* place = out && c->nout > 1 ? td_num(L, l.rows, l.cols, l.pages, c->at) : NULL;
  bool ok = out && (c->nout < 2 || place) &&
            td_spend(L, a->e ? 30L * td_value_count(a) : td_value_count(a) / 4, c->at);
  for (int k = 0; ok && k < l.count; k++)
    ok = extreme_line(L, c, &l, line_start(&l, k), out, place, k);
  if (ok) {
    c->more[0] = place;
    return out;
  }
  td_value_drop(out);
  td_value_drop(place);
  return NULL;
}

// ---- find, sort -------------------------------------------------------------------------------

// find(a, n): indices of the elements that are not 0, as [rows, cols] if two results are wanted
static value* find(lang* L, call* c) {
  int limit = TD_VALUE_LIMIT;
  if (!td_arg_numeric(L, c, 0) || (c->argc > 1 && !td_arg_int(L, c, 1, 1, TD_VALUE_LIMIT, &limit)))
    return NULL;
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "the argument of find");
  if (!a) return NULL;

  // count them, then list them
  int n = 0;
  for (int i = 0; i < td_value_count(a) && n < limit; i++) n += a->x[i] != 0;

  const bool row = a->rows == 1 && a->cols != 1;
  value* out = td_spend(L, td_value_count(a) / 2, c->at)
                   ? td_num(L, row ? 1 : n, row ? n : 1, 1, c->at)
                   : NULL;
  value* cols = out && c->nout > 1 ? td_num(L, out->rows, out->cols, 1, c->at) : NULL;
  n = 0;

  for (int i = 0; out && i < td_value_count(a) && n < limit; i++) {
    if (a->x[i] == 0) continue;
    out->x[n] = cols ? i % a->rows + 1 : i + 1;
    if (cols) cols->x[n] = i / a->rows + 1;
    n++;
  }

  c->more[0] = cols;
  td_value_drop(a);
  return out;
}

typedef struct sorted {
  double x;
  int at;
} sorted;

// Ascending order with NaN last; equal elements keep their order.
static int compare_up(const void* p, const void* q) {
  const sorted *a = p, *b = q;
  if (isnan(a->x) != isnan(b->x)) return isnan(a->x) ? 1 : -1;
  if (a->x != b->x && !isnan(a->x)) return a->x < b->x ? -1 : 1;
  return (a->at > b->at) - (a->at < b->at);
}

// Descending order with NaN first; equal elements keep their order.
static int compare_down(const void* p, const void* q) {
  const sorted *a = p, *b = q;
  if (isnan(a->x) != isnan(b->x)) return isnan(a->x) ? -1 : 1;
  if (a->x != b->x && !isnan(a->x)) return a->x > b->x ? -1 : 1;
  return (a->at > b->at) - (a->at < b->at);
}

// Read the arguments of sort: a dimension, 'ascend' or 'descend'.
static bool sort_direction(lang* L, call* c, int* dim, bool* down) {
  *dim = first_dim(c->argv[0]);
  *down = false;
  for (int k = 1; k < c->argc; k++) {
    if (c->argv[k]->kind == V_STR) {
      const char* word = c->argv[k]->s;
      *down = strcmp(word, "descend") == 0;
      if (!*down && strcmp(word, "ascend") != 0) {
        return td_fail(L, c->arg_at[k], "sort: 'ascend' or 'descend', got '%.40s'", word) != NULL;
      }
    } else if (!td_arg_int(L, c, k, 1, 3, dim)) {
      return false;
    }
  }
  return true;
}

// [sorted, order] = sort(a, dim, direction)
static value* sort(lang* L, call* c) {
  int dim;
  bool down;
  if (c->argv[0]->kind == V_CELL) return td_sort_texts(L, c);
  if (!td_arg_numeric(L, c, 0) || !sort_direction(L, c, &dim, &down)) return NULL;
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "the argument of sort");
  if (!a) return NULL;

  const lines l = lines_of(a, dim);
  sorted* line = malloc(sizeof *line * (size_t)max_int(1, l.n));
  value* out = td_num(L, a->rows, a->cols, a->pages, c->at);
  value* place = out && c->nout > 1 ? td_num(L, a->rows, a->cols, a->pages, c->at) : NULL;
  const bool ok = line && out && td_spend_sort(L, l.count, l.n, 0.5, c->at);

  // sort each line and record where its elements were
  for (int k = 0; ok && k < l.count && l.n > 0; k++) {
    const int start = line_start(&l, k);
    for (int i = 0; i < l.n; i++) line[i] = (sorted){a->x[start + i * l.stride], i};
    qsort(line, (size_t)l.n, sizeof *line, down ? compare_down : compare_up);
    for (int i = 0; i < l.n; i++) {
      out->x[start + i * l.stride] = line[i].x;
      if (place) place->x[start + i * l.stride] = line[i].at + 1;
    }
  }

  if (!line) td_no_memory(L, c->at);
  free(line);
  td_value_drop(a);
  c->more[0] = place;
  return value_if(ok, out);
}

// ---- vectors ----------------------------------------------------------------------------------

static ex mul(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_MUL, a, b); }
static ex sub(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_SUB, a, b); }

static bool is_vector(const value* v) { return v->pages == 1 && (v->rows == 1 || v->cols == 1); }

// cross(a, b) of vectors of three
static value* cross(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  const value *a = c->argv[0], *b = c->argv[1];
  for (int k = 0; k < 2; k++) {
    if (is_vector(c->argv[k]) && td_value_count(c->argv[k]) == 3) continue;
    char text[TD_DESCRIBE_SIZE];
    return td_fail(L, c->arg_at[k], "cross works on vectors of three, got %s",
                   td_value_describe(c->argv[k], text));
  }

  value* out = td_num(L, a->rows, a->cols, 1, c->at);
  for (int i = 0; out && i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const ex e = sub(L->g, mul(L->g, td_value_ex(a, j, L->g), td_value_ex(b, k, L->g)),
                     mul(L->g, td_value_ex(a, k, L->g), td_value_ex(b, j, L->g)));
    if (!td_set_ex(L, out, i, e, c->at)) {
      td_value_drop(out);
      return NULL;
    }
  }
  return out;
}

// Σ a_i b_i over all elements
static ex dot_sum(lang* L, const value* a, const value* b) {
  ex e = td_ex_const(L->g, 0);
  double x = 0;
  for (int i = 0; i < td_value_count(a); i++) {
    if (is_expr(a, i) || is_expr(b, i)) {
      e = td_ex_2(L->g, EX_ADD, e, mul(L->g, td_value_ex(a, i, L->g), td_value_ex(b, i, L->g)));
    } else {
      x += a->x[i] * b->x[i];
    }
  }
  return td_ex_2(L->g, EX_ADD, e, td_ex_const(L->g, x));
}

// dot(a, b) of vectors
static value* dot(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  const value *a = c->argv[0], *b = c->argv[1];
  if (!is_vector(a) || !is_vector(b) || td_value_count(a) != td_value_count(b)) {
    return td_fail(L, c->at, "dot works on vectors of equal length, got %dx%d and %dx%d", a->rows,
                   a->cols, b->rows, b->cols);
  }
  if (!td_spend(L, (a->e || b->e ? 30L : 1L) * td_value_count(a), c->at)) return NULL;
  return td_expr(L, dot_sum(L, a, b), c->at);
}

// max |x_i|, or Σ |x_i|
static ex norm_other(lang* L, const value* a, bool largest) {
  ex e = td_ex_const(L->g, 0);
  for (int i = 0; i < td_value_count(a); i++) {
    e = td_ex_2(L->g, largest ? EX_MAX : EX_ADD, e, td_ex_1(L->g, EX_ABS, td_value_ex(a, i, L->g)));
  }
  return e;
}

// norm(a, p): p = 1, 2, inf of a vector, 2 or 'fro' of a matrix
static value* norm(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  const value* a = c->argv[0];

  // the kind of norm
  double p = 2;
  bool frobenius = false;
  if (c->argc > 1 && c->argv[1]->kind == V_STR) {
    frobenius = strcmp(c->argv[1]->s, "fro") == 0;
    if (!frobenius)
      return td_fail(L, c->arg_at[1], "norm: 1, 2, inf or 'fro', got '%.40s'", c->argv[1]->s);
  } else if (c->argc > 1 && !td_arg_number(L, c, 1, &p)) {
    return NULL;
  }
  if (!frobenius && p != 1 && p != 2 && !isinf(p))
    return td_fail(L, c->arg_at[1], "norm: 1, 2, inf or 'fro', got %g", p);
  if (!td_spend(L, td_value_count(a), c->at)) return NULL;

  // vectors and the Frobenius norm
  if (is_vector(a) || frobenius || td_value_count(a) == 0) {
    if (p != 2) return td_expr(L, norm_other(L, a, isinf(p)), c->at);
    if (td_value_count(a) == 1)
      return td_expr(L, td_ex_1(L->g, EX_ABS, td_value_ex(a, 0, L->g)), c->at);
    return td_expr(L, td_ex_1(L->g, EX_SQRT, dot_sum(L, a, a)), c->at);
  }

  // matrices: the largest singular value; NaN and inf have none
  if (a->pages != 1 || td_has_expr(a) || p != 2)
    return td_fail(L, c->at, "norm of a matrix needs numbers, and 2 or 'fro'");
  const double least = min_int(a->rows, a->cols);
  if (!td_spend(L, (long)(td_value_count(a) * least / 2), c->at)) return NULL;
  double sum = 0;
  for (int i = 0; i < td_value_count(a); i++) sum += fabs(a->x[i]);
  if (!isfinite(sum)) return td_scalar(L, isnan(sum) ? (double)NAN : (double)INFINITY, c->at);
  double* s = malloc(sizeof(double) * (size_t)min_int(a->rows, a->cols));
  const bool ok = s && td_singular_values(a->x, a->cols, a->rows, s);  // of the transpose: the same
  value* out = ok ? td_scalar(L, s[0], c->at) : td_no_memory(L, c->at);
  free(s);
  return out;
}

// ---- inverse, determinant, trace --------------------------------------------------------------

// Check that the argument is a square matrix.
static bool is_square(lang* L, call* c) {
  const value* a = c->argv[0];
  if (!td_arg_numeric(L, c, 0)) return false;
  if (a->pages == 1 && a->rows == a->cols) return true;
  char text[TD_DESCRIBE_SIZE];
  td_fail(L, c->arg_at[0], "%s works on square matrices, got %s", c->name,
          td_value_describe(a, text));
  return false;
}

// inv(a): a \ 1
static value* inv(lang* L, call* c) {
  if (!is_square(L, c)) return NULL;
  const value* a = c->argv[0];
  if (is_scalar(a) && is_expr(a, 0))
    return td_expr(L, td_ex_2(L->g, EX_DIV, td_ex_const(L->g, 1), a->e[0]), c->at);
  if (td_has_expr(a))
    return td_fail(L, c->arg_at[0],
                   "inv needs numbers, not expressions of time, state or parameters");
  value* I = td_num(L, a->rows, a->cols, 1, c->at);
  for (int i = 0; I && i < a->rows; i++) I->x[i + a->rows * i] = 1;
  value* out = I ? td_solve(L, a, I, c->at) : NULL;
  td_value_drop(I);
  return out;
}

// a_ij of a matrix as an expression
static ex entry(lang* L, const value* a, int i, int j) {
  return td_value_ex(a, i + a->rows * j, L->g);
}

// a_rp a_sq - a_rq a_sp
static ex det2(lang* L, const value* a, int r, int s, int p, int q) {
  return sub(L->g, mul(L->g, entry(L, a, r, p), entry(L, a, s, q)),
             mul(L->g, entry(L, a, r, q), entry(L, a, s, p)));
}

// Determinant up to 3x3 by cofactors, also of expressions
static ex det_small(lang* L, const value* a) {
  if (a->rows == 0) return td_ex_const(L->g, 1);
  if (a->rows == 1) return td_value_ex(a, 0, L->g);
  if (a->rows == 2) return det2(L, a, 0, 1, 0, 1);
  const ex x = mul(L->g, entry(L, a, 0, 0), det2(L, a, 1, 2, 1, 2));
  const ex y = mul(L->g, entry(L, a, 0, 1), det2(L, a, 1, 2, 0, 2));
  const ex z = mul(L->g, entry(L, a, 0, 2), det2(L, a, 1, 2, 0, 1));
  return td_ex_2(L->g, EX_ADD, sub(L->g, x, y), z);
}

// det(a): by cofactors up to 3x3, by LU above
static value* det(lang* L, call* c) {
  if (!is_square(L, c)) return NULL;
  const value* a = c->argv[0];
  const int n = a->rows;
  if (n <= 3) return td_expr(L, det_small(L, a), c->at);

  if (td_has_expr(a))
    return td_fail(L, c->arg_at[0], "det of expressions works up to 3x3, got %dx%d", n, n);
  if (!td_spend(L, (long)((double)n * n * n / 8), c->at)) return NULL;

  // product of the pivots of LU
  double* LU = malloc(sizeof(double) * (size_t)n * (size_t)n);
  int* pivot = malloc(sizeof(int) * (size_t)n);
  value* out = NULL;
  if (LU && pivot) {
    memcpy(LU, a->x, sizeof(double) * (size_t)n * (size_t)n);  // of the transpose: the same
    double d = td_lu(LU, n, pivot) == 0 ? td_lu_sign(LU, pivot, n) : 0;
    for (int i = 0; i < n; i++) d *= fabs(LU[i * n + i]);
    out = td_scalar(L, d, c->at);
  } else {
    td_no_memory(L, c->at);
  }
  free(LU);
  free(pivot);
  return out;
}

// trace(a): the sum of the diagonal
static value* trace(lang* L, call* c) {
  if (!is_square(L, c)) return NULL;
  ex e = td_ex_const(L->g, 0);
  for (int i = 0; i < c->argv[0]->rows; i++)
    e = td_ex_2(L->g, EX_ADD, e, entry(L, c->argv[0], i, i));
  return td_expr(L, e, c->at);
}

const builtin td_builtin_matrix[] = {
    {"sum", reduce, 1, 2, "sum(a, dim)", R_SUM},
    {"prod", reduce, 1, 2, "prod(a, dim)", R_PROD},
    {"cumsum", reduce, 1, 2, "cumsum(a, dim)", R_CUMSUM},
    {"cumprod", reduce, 1, 2, "cumprod(a, dim)", R_CUMPROD},
    {"mean", reduce, 1, 2, "mean(a, dim)", R_MEAN},
    {"any", reduce, 1, 2, "any(a, dim)", R_ANY},
    {"all", reduce, 1, 2, "all(a, dim)", R_ALL},
    {"min", extreme, 1, 3, "min(a, b)", EX_MIN},
    {"max", extreme, 1, 3, "max(a, b)", EX_MAX},
    {"find", find, 1, 2, "find(a)", 0},
    {"sort", sort, 1, 3, "sort(a)", 0},
    {"cross", cross, 2, 2, "cross(a, b)", 0},
    {"dot", dot, 2, 2, "dot(a, b)", 0},
    {"norm", norm, 1, 2, "norm(a)", 0},
    {"inv", inv, 1, 1, "inv(a)", 0},
    {"det", det, 1, 1, "det(a)", 0},
    {"trace", trace, 1, 1, "trace(a)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
