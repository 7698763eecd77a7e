// Further functions of numbers and matrices that files written for MATLAB use: degrees, secants,
// inverse hyperbolic functions, counts, spreads, grids, polynomials, the exponential of a matrix.
// A function takes the arguments of a call, checks them, and returns its value, or NULL after a
// message.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "lang/eval.h"
#include "math/riccati.h"

static const double pi = 3.14159265358979323846;

// ---- functions of one number --------------------------------------------------------------------

typedef enum function1 {
  SIND,
  COSD,
  TAND,
  ASIND,
  ACOSD,
  ATAND,
  SEC,
  CSC,
  COT,
  ASINH,
  ACOSH,
  ATANH,
  LOG2,
  LOG1P,
  EXPM1
} function1;

// sind, cosd, tand.  Degrees are reduced first, so that sind(30) is 1/2 and cosd(90) is 0.
static double in_degrees(int op, double x) {
  const double r = fmod(x, 360);
  const long double a = (long double)r * 3.14159265358979323846264338L / 180;
  if (op == SIND) return fmod(r, 180) == 0 ? 0 : (double)sinl(a);
  if (op == COSD) return fmod(r - 90, 180) == 0 ? 0 : (double)cosl(a);
  return fmod(r, 180) == 0        ? 0
         : fmod(r - 90, 180) == 0 ? INFINITY * sin(r * pi / 180)
                                  : (double)tanl(a);
}

// Value of a function of one number.
static double number1(int op, double x) {
  switch ((function1)op) {
    case SIND:
    case COSD:
    case TAND:
      return in_degrees(op, x);
    case ASIND:
      return (double)(asinl(x) * 180 / 3.14159265358979323846264338L);
    case ACOSD:
      return (double)(acosl(x) * 180 / 3.14159265358979323846264338L);
    case ATAND:
      return (double)(atanl(x) * 180 / 3.14159265358979323846264338L);
    case SEC:
      return 1 / cos(x);
    case CSC:
      return 1 / sin(x);
    case COT:
      return 1 / tan(x);
    case ASINH:
      return asinh(x);
    case ACOSH:
      return acosh(x);
    case ATANH:
      return atanh(x);
    case LOG2:
      return log2(x);
    case LOG1P:
      return log1p(x);
    case EXPM1:
      return expm1(x);
  }
  return NAN;
}

// A function of one number in terms of the operations of expressions.
static ex expression1(td_exprs* g, int op, ex x) {
  const ex one = td_ex_const(g, 1), degree = td_ex_const(g, pi / 180);
  const ex square = td_ex_2(g, EX_MUL, x, x);
  switch ((function1)op) {
    case SIND:
      return td_ex_1(g, EX_SIN, td_ex_2(g, EX_MUL, x, degree));
    case COSD:
      return td_ex_1(g, EX_COS, td_ex_2(g, EX_MUL, x, degree));
    case TAND:
      return td_ex_1(g, EX_TAN, td_ex_2(g, EX_MUL, x, degree));
    case ASIND:
      return td_ex_2(g, EX_DIV, td_ex_1(g, EX_ASIN, x), degree);
    case ACOSD:
      return td_ex_2(g, EX_DIV, td_ex_1(g, EX_ACOS, x), degree);
    case ATAND:
      return td_ex_2(g, EX_DIV, td_ex_1(g, EX_ATAN, x), degree);
    case SEC:
      return td_ex_2(g, EX_DIV, one, td_ex_1(g, EX_COS, x));
    case CSC:
      return td_ex_2(g, EX_DIV, one, td_ex_1(g, EX_SIN, x));
    case COT:
      return td_ex_2(g, EX_DIV, one, td_ex_1(g, EX_TAN, x));
    case ASINH:  // log(x + sqrt(x^2 + 1)) loses its digits for large negative numbers
      return EX_NONE;
    case ACOSH:
      return td_ex_1(g, EX_LOG,
                     td_ex_2(g, EX_ADD, x, td_ex_1(g, EX_SQRT, td_ex_2(g, EX_SUB, square, one))));
    case ATANH:
      return td_ex_2(
          g, EX_MUL, td_ex_const(g, 0.5),
          td_ex_1(g, EX_LOG,
                  td_ex_2(g, EX_DIV, td_ex_2(g, EX_ADD, one, x), td_ex_2(g, EX_SUB, one, x))));
    case LOG2:
      return td_ex_2(g, EX_DIV, td_ex_1(g, EX_LOG, x), td_ex_const(g, log(2)));
    case LOG1P:
      return td_ex_1(g, EX_LOG, td_ex_2(g, EX_ADD, one, x));
    case EXPM1:
      return td_ex_2(g, EX_SUB, td_ex_1(g, EX_EXP, x), one);
  }
  return EX_NONE;
}

// Apply a function of one number to each element.
static value* each1(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  const value* a = c->argv[0];
  value* out = td_num(L, a->rows, a->cols, a->pages, c->at);
  bool ok = out && td_spend(L, td_value_count(a), c->at);

  for (int i = 0; ok && i < td_value_count(a); i++) {
    if (is_expr(a, i) && c->row->op == ASINH) {
      ok = td_fail(L, c->arg_at[0], "asinh works on numbers, not on expressions") != NULL;
      td_hint(L->diags, "write log(x + sqrt(x^2 + 1)), which is exact enough for x > -1e3");
      continue;
    }
    if (is_expr(a, i)) {
      ok = td_set_ex(L, out, i, expression1(L->g, c->row->op, a->e[i]), c->at);
      continue;
    }
    out->x[i] = number1(c->row->op, a->x[i]);
    if (!isnan(out->x[i]) || isnan(a->x[i])) continue;
    ok = td_fail(L, c->arg_at[0], "%s(%g) is not a real number", c->name, a->x[i]) != NULL;
  }
  return value_if(ok, out);
}

// ---- functions of whole and real numbers --------------------------------------------------------

typedef enum function2 { NTHROOT, GCD, LCM, NCHOOSEK, ATAN2D } function2;

// Value of a function of two numbers.
static double number2(int op, double x, double y) {
  double a = fabs(x), b = fabs(y), r = 1;
  switch ((function2)op) {
    case NTHROOT:
      return x < 0 ? -pow(-x, 1 / y) : y == 3 ? cbrt(x) : pow(x, 1 / y);
    case GCD:
    case LCM:
      while (b > 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
      }
      return op == GCD ? a : a > 0 ? fabs(x * y) / a : 0;
    case NCHOOSEK:
      for (int k = 1; k <= y; k++) r = r * (x - y + k) / k;
      return floor(r + 0.5);
    case ATAN2D:
      return atan2(x, y) * 180 / pi;
  }
  return NAN;
}

// nthroot(x, n), gcd(a, b), lcm(a, b), nchoosek(n, k), atan2d(y, x)
static value* each2(lang* L, call* c) {
  value *a = td_arg_numeric(L, c, 0) ? td_constant(L, c->argv[0], c->arg_at[0], c->name) : NULL,
        *b =
            a && td_arg_numeric(L, c, 1) ? td_constant(L, c->argv[1], c->arg_at[1], c->name) : NULL;

  const int op = c->row->op, n = a ? td_value_count(a) : 0, m = b ? td_value_count(b) : 0;
  bool ok = a && b;
  if (ok && n != m && n != 1 && m != 1)
    ok = td_fail(L, c->at, "%s: lists of %d and %d numbers", c->name, n, m) != NULL;

  // the result has the shape of the list
  const value* shape = n == 1 ? b : a;
  value* out = ok ? td_num(L, shape->rows, shape->cols, shape->pages, c->at) : NULL;

  // each pair of numbers, if the function is defined for it
  for (int i = 0; out && ok && i < td_value_count(out); i++) {
    const double x = a->x[n == 1 ? 0 : i], y = b->x[m == 1 ? 0 : i];
    const bool whole = x == floor(x) && y == floor(y) && fabs(x) < 1e15 && fabs(y) < 1e15;
    if (op == GCD || op == LCM || op == NCHOOSEK) ok = whole;
    if (op == NCHOOSEK) ok = ok && y >= 0 && x >= y && y <= 1000;
    if (op == NTHROOT) ok = y == floor(y) && y != 0 && (x >= 0 || fmod(y, 2) != 0);
    if (!ok) td_fail(L, c->at, "%s: not defined for %g and %g", c->name, x, y);

    // Euclid's algorithm divides at most 73 times, 15 times on average; binomials multiply y times
    const long work = op == GCD || op == LCM ? 30 : op == NCHOOSEK ? 2 + (long)y : 4;
    ok = ok && td_spend(L, work, c->at);
    if (ok) out->x[i] = number2(op, x, y);
  }

  td_value_drop(a);
  td_value_drop(b);
  return value_if(ok, out);
}

// factorial(n), for each element
static value* factorial(lang* L, call* c) {
  value* a = td_arg_numeric(L, c, 0) ? td_constant(L, c->argv[0], c->arg_at[0], "a number") : NULL;
  value* out = a ? td_num(L, a->rows, a->cols, a->pages, c->at) : NULL;
  bool ok = out != NULL;
  for (int i = 0; ok && i < td_value_count(a); i++) {
    ok = a->x[i] >= 0 && a->x[i] == floor(a->x[i]) && a->x[i] <= 170;
    if (!ok) td_fail(L, c->arg_at[0], "factorial takes whole numbers from 0 to 170");
    ok = ok && td_spend(L, 1 + (long)a->x[i] / 2, c->at);
    out->x[i] = 1;
    for (int k = 2; ok && k <= a->x[i]; k++) out->x[i] *= k;
  }
  td_value_drop(a);
  return value_if(ok, out);
}

// ---- counts and tests ---------------------------------------------------------------------------

// isfinite(x), for each element; expressions count as finite
static value* isfinite_each(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  const value* a = c->argv[0];
  value* out = td_num(L, a->rows, a->cols, a->pages, c->at);
  for (int i = 0; out && i < td_value_count(a); i++) out->x[i] = is_expr(a, i) || isfinite(a->x[i]);
  if (out) out->logical = true;
  return out;
}

typedef enum count_kind { NONZERO, DIMENSIONS, ROWS, COLUMNS } count_kind;

// nnz(a), ndims(a), rows(a), columns(a)
static value* count(lang* L, call* c) {
  const value* a = c->argv[0];
  int n = 0;
  if (c->row->op == ROWS) n = a->rows;
  if (c->row->op == COLUMNS) n = a->cols;
  if (c->row->op == DIMENSIONS) n = a->pages > 1 ? 3 : 2;
  if (c->row->op == NONZERO && !td_arg_numeric(L, c, 0)) return NULL;
  for (int i = 0; c->row->op == NONZERO && i < td_value_count(a); i++)
    n += is_expr(a, i) || a->x[i] != 0;
  return td_scalar(L, n, c->at);
}

// isreal(x), ismatrix(x), issquare(x)
static value* test_matrix(lang* L, call* c) {
  const value* a = c->argv[0];
  const bool is = c->row->op == 0   ? a->kind == V_NUM || a->kind == V_STR
                  : c->row->op == 1 ? a->pages == 1
                                    : a->pages == 1 && a->rows == a->cols;
  return td_logical(L, is, c->at);
}

// ---- spreads ------------------------------------------------------------------------------------

typedef enum spread { VARIANCE, DEVIATION, MEDIAN } spread;

// var(a), std(a) (sum of squares over n - 1) and median(a): of a vector, or of each column of a
// matrix.  Empty and 3-D arrays are refused.
static value* spread_of(lang* L, call* c) {
  value* a = td_arg_numeric(L, c, 0) ? td_constant(L, c->argv[0], c->arg_at[0], "a list") : NULL;
  if (!a) return NULL;
  const bool vector = a->rows == 1 || a->cols == 1;
  const int n = vector ? td_value_count(a) : a->rows, cols = vector ? 1 : a->cols;
  const bool known = a->pages == 1 && n > 0;
  value* out = known ? td_num(L, 1, cols, 1, c->at) : NULL;
  if (!known) td_fail(L, c->arg_at[0], "%s works on a vector or matrix that is not empty", c->name);

  double* line = malloc(sizeof(double) * (size_t)max_int(1, n));
  const bool ok = out && line && td_spend_sort(L, cols, n, c->row->op == MEDIAN ? 0.5 : 0, c->at);

  // mean, variance and median of each column
  for (int j = 0; ok && j < cols; j++) {
    double mean = 0, sum = 0;
    memcpy(line, a->x + j * n, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) mean += line[i] / n;
    for (int i = 0; i < n; i++) sum += (line[i] - mean) * (line[i] - mean);
    const double variance = n > 1 ? sum / (n - 1) : 0;
    if (c->row->op == MEDIAN) qsort(line, (size_t)n, sizeof *line, ascending);
    out->x[j] = c->row->op == VARIANCE    ? variance
                : c->row->op == DEVIATION ? sqrt(variance)
                                          : (line[(n - 1) / 2] + line[n / 2]) / 2;
  }

  if (!line) td_no_memory(L, c->at);
  free(line);
  td_value_drop(a);
  return value_if(ok, out);
}

// cumtrapz(y), cumtrapz(x, y) of vectors
static value* cumtrapz(lang* L, call* c) {
  const int last = c->argc - 1;
  if (!td_all_numeric(L, c)) return NULL;
  value* x = td_constant(L, c->argv[0], c->arg_at[0], "an argument of cumtrapz");
  value* y = x ? td_constant(L, c->argv[last], c->arg_at[last], "an argument of cumtrapz") : NULL;
  const int n = y ? td_value_count(y) : 0;
  value* out = NULL;
  if (y && (td_value_count(x) != n || y->pages != 1 || (y->rows != 1 && y->cols != 1)))
    td_fail(L, c->at, "cumtrapz(x, y) needs two vectors of one length");
  else if (y)
    out = td_num(L, y->rows, y->cols, 1, c->at);
  for (int i = 1; out && i < n; i++)
    out->x[i] =
        out->x[i - 1] + (last > 0 ? x->x[i] - x->x[i - 1] : 1) * (y->x[i] + y->x[i - 1]) / 2;
  td_value_drop(x);
  td_value_drop(y);
  return out;
}

// ---- grids and arrangements ---------------------------------------------------------------------

// [X, Y] = meshgrid(x, y): x along the rows; ndgrid: x along the columns
static value* grid(lang* L, call* c) {
  const value *x = c->argv[0], *y = c->argv[c->argc - 1];
  const bool across = c->row->op == 0;
  if (!td_all_numeric(L, c)) return NULL;
  if (c->nout > 2) return td_fail(L, c->at, "%s makes grids of two dimensions here", c->name);

  const int nx = td_value_count(x), ny = td_value_count(y);
  const int rows = across ? ny : nx, cols = across ? nx : ny;
  value *X = td_num(L, rows, cols, 1, c->at), *Y = X ? td_num(L, rows, cols, 1, c->at) : NULL;
  bool ok = Y && td_spend(L, 2L * rows * cols, c->at);

  for (int m = 0; ok && m < rows * cols; m++) {
    const int i = m % rows, j = m / rows;
    ok = td_copy_element(L, X, m, x, across ? j : i, c->at) &&
         td_copy_element(L, Y, m, y, across ? i : j, c->at);
  }

  if (ok) {
    c->more[0] = Y;
    return X;
  }
  td_value_drop(X);
  td_value_drop(Y);
  return NULL;
}

// logspace(a, b, n): 10^a ... 10^b
static value* logspace(lang* L, call* c) {
  double a, b;
  int n = 50;
  if (!td_arg_number(L, c, 0, &a) || !td_arg_number(L, c, 1, &b)) return NULL;
  if (c->argc > 2 && !td_arg_int(L, c, 2, 0, TD_VALUE_LIMIT, &n)) return NULL;
  value* out = td_spend(L, 4L * n, c->at) ? td_num(L, 1, n, 1, c->at) : NULL;
  for (int i = 0; out && i < n; i++) out->x[i] = pow(10, n > 1 ? a + (b - a) * i / (n - 1) : b);
  return out;
}

typedef enum turn { FLIP, ROT90, SQUEEZE } turn;

// flip(a, dim), rot90(a, k), squeeze(a)
static value* turned(lang* L, call* c) {
  const value* a = c->argv[0];
  int k = 1;
  if (a->kind != V_NUM && a->kind != V_CELL)
    return td_fail(L, c->arg_at[0], "%s works on matrices, got %s", c->name, td_value_kind_text(a));
  if (c->row->op != SQUEEZE && a->pages != 1)
    return td_fail(L, c->arg_at[0], "%s works on matrices of two dimensions", c->name);
  if (c->row->op == FLIP) k = a->rows > 1 ? 1 : 2;
  if (c->argc > 1 &&
      !td_arg_int(L, c, 1, c->row->op == FLIP ? 1 : -1000, c->row->op == FLIP ? 2 : 1000, &k))
    return NULL;

  // shape of the result
  int rows = a->rows, cols = a->cols;
  const int quarter = c->row->op == ROT90 ? (k % 4 + 4) % 4 : 0;
  if (quarter % 2) {
    rows = a->cols;
    cols = a->rows;
  }
  int pages = a->pages;
  if (c->row->op == SQUEEZE && a->rows == 1 && pages > 1) {  // 1 x n x m becomes n x m
    rows = a->cols;
    cols = pages;
    pages = 1;
    if (a->cols == 1) {
      rows = cols;
      cols = 1;
    }
  } else if (c->row->op == SQUEEZE && a->cols == 1 && pages > 1) {
    cols = pages;
    pages = 1;
  }

  // copy each element from its old position
  value* out =
      a->kind == V_NUM ? td_num(L, rows, cols, pages, c->at) : td_cell(L, rows, cols, c->at);
  bool ok = out && td_spend(L, (a->kind == V_NUM ? 1L : 4L) * td_value_count(a), c->at);

  for (int m = 0; ok && m < td_value_count(a); m++) {
    const int i = m % rows, j = m / rows;
    int from = m;
    if (c->row->op == FLIP) from = k == 1 ? rows - 1 - i + rows * j : i + rows * (cols - 1 - j);
    if (quarter == 1) from = j + a->rows * (a->cols - 1 - i);
    if (quarter == 2) from = rows - 1 - i + a->rows * (cols - 1 - j);
    if (quarter == 3) from = a->rows - 1 - j + a->rows * i;
    ok = td_copy_element(L, out, m, a, from, c->at);
  }
  return value_if(ok, out);
}

// sub2ind([rows cols], i, j) and [i, j] = ind2sub([rows cols], k)
static value* subscripts(lang* L, call* c) {
  value* size = td_arg_numeric(L, c, 0) ? td_constant(L, c->argv[0], c->arg_at[0], "a size") : NULL;
  value* a =
      size && td_arg_numeric(L, c, 1) ? td_constant(L, c->argv[1], c->arg_at[1], "an index") : NULL;
  const bool forward = c->row->op == 0;
  value* b = a && forward && td_arg_numeric(L, c, 2)
                 ? td_constant(L, c->argv[2], c->arg_at[2], "an index")
                 : NULL;

  value *out = NULL, *cols = NULL;
  const int n = a ? td_value_count(a) : 0;
  bool ok = a && (b || !forward);
  if (ok && (td_value_count(size) != 2 || (forward && td_value_count(b) != n)))
    ok = td_fail(L, c->at, "%s works on matrices of two dimensions, [rows cols]", c->name) != NULL;
  if (ok) out = td_num(L, a->rows, a->cols, a->pages, c->at);
  if (out && c->nout > 1 && !forward) cols = td_num(L, a->rows, a->cols, a->pages, c->at);
  ok = out != NULL;

  // check each index and convert it
  for (int i = 0; ok && i < n; i++) {
    const double rows = size->x[0], all = rows * size->x[1];
    ok = a->x[i] == floor(a->x[i]) && (!forward || b->x[i] == floor(b->x[i]));
    if (!ok) td_fail(L, c->at, "%s: index %d is no whole number", c->name, i + 1);
    const bool inside = a->x[i] >= 1 && a->x[i] <= (forward ? rows : all) &&
                        (!forward || (b->x[i] >= 1 && b->x[i] <= size->x[1]));
    if (ok && !inside) td_fail(L, c->at, "%s: index %d is outside of the matrix", c->name, i + 1);
    ok = ok && inside;
    if (forward && ok) out->x[i] = a->x[i] + rows * (b->x[i] - 1);
    if (!forward && ok) out->x[i] = cols ? fmod(a->x[i] - 1, rows) + 1 : a->x[i];
    if (cols && ok) cols->x[i] = floor((a->x[i] - 1) / rows) + 1;
  }

  td_value_drop(size);
  td_value_drop(a);
  td_value_drop(b);
  if (ok) {
    c->more[0] = cols;
    return out;
  }
  td_value_drop(out);
  td_value_drop(cols);
  return NULL;
}

// ---- polynomials --------------------------------------------------------------------------------

typedef enum poly_kind { DERIVATIVE, INTEGRAL, PRODUCT } poly_kind;

// polyder(p), polyint(p), conv(p, q)
static value* polynomial(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  value* p = td_constant(L, c->argv[0], c->arg_at[0], "a polynomial");
  value* q = p && c->argc > 1 ? td_constant(L, c->argv[1], c->arg_at[1], "a polynomial") : NULL;
  const int n = p ? td_value_count(p) : 0, m = q ? td_value_count(q) : 0;
  value* out = NULL;
  if (p && (n == 0 || (c->argc > 1 && m == 0)))
    td_fail(L, c->at, "%s: the polynomial is empty", c->name);
  else if (p && c->row->op == PRODUCT)
    out = q && td_spend(L, (long)((double)n * m / 4), c->at) ? td_num(L, 1, n + m - 1, 1, c->at)
                                                             : NULL;
  else if (p)
    out = td_num(L, 1, c->row->op == DERIVATIVE ? max_int(1, n - 1) : n + 1, 1, c->at);

  for (int i = 0; out && i < n; i++) {
    if (c->row->op == DERIVATIVE && i < n - 1) out->x[i] = p->x[i] * (n - 1 - i);
    if (c->row->op == INTEGRAL) out->x[i] = p->x[i] / (n - i);
    for (int j = 0; c->row->op == PRODUCT && j < m; j++) out->x[i + j] += p->x[i] * q->x[j];
  }

  td_value_drop(p);
  td_value_drop(q);
  return out;
}

// ---- matrices -----------------------------------------------------------------------------------

// expm(A); rows and columns may change places, for the exponential of A' is the transposed one
static value* expm(lang* L, call* c) {
  value* a = td_arg_numeric(L, c, 0) ? td_constant(L, c->argv[0], c->arg_at[0], "a matrix") : NULL;
  if (!a) return NULL;
  const int n = a->rows;
  value* E = NULL;
  if (a->cols != n || a->pages != 1 || n > 200)
    td_fail(L, c->arg_at[0], "expm needs a square matrix of at most 200 rows");
  else if (td_spend(L, 30L * n * n * n, c->at))
    E = td_num(L, n, n, 1, c->at);
  const td_status status = E ? td_expm(a->x, n, E->x) : TD_OK;
  if (status == TD_E_NOMEM)
    td_no_memory(L, c->at);
  else if (status != TD_OK)
    td_fail(L, c->arg_at[0], "expm needs a matrix with a norm below 1e9");
  td_value_drop(a);
  return value_if(status == TD_OK, E);
}

const builtin td_builtin_numbers[] = {
    {"sind", each1, 1, 1, "sind(degrees)", SIND},
    {"cosd", each1, 1, 1, "cosd(degrees)", COSD},
    {"tand", each1, 1, 1, "tand(degrees)", TAND},
    {"asind", each1, 1, 1, "asind(x)", ASIND},
    {"acosd", each1, 1, 1, "acosd(x)", ACOSD},
    {"atand", each1, 1, 1, "atand(x)", ATAND},
    {"sec", each1, 1, 1, "sec(x)", SEC},
    {"csc", each1, 1, 1, "csc(x)", CSC},
    {"cot", each1, 1, 1, "cot(x)", COT},
    {"asinh", each1, 1, 1, "asinh(x)", ASINH},
    {"acosh", each1, 1, 1, "acosh(x)", ACOSH},
    {"atanh", each1, 1, 1, "atanh(x)", ATANH},
    {"log2", each1, 1, 1, "log2(x)", LOG2},
    {"log1p", each1, 1, 1, "log1p(x)", LOG1P},
    {"expm1", each1, 1, 1, "expm1(x)", EXPM1},
    {"nthroot", each2, 2, 2, "nthroot(x, n)", NTHROOT},
    {"gcd", each2, 2, 2, "gcd(a, b)", GCD},
    {"lcm", each2, 2, 2, "lcm(a, b)", LCM},
    {"nchoosek", each2, 2, 2, "nchoosek(n, k)", NCHOOSEK},
    {"atan2d", each2, 2, 2, "atan2d(y, x)", ATAN2D},
    {"factorial", factorial, 1, 1, "factorial(n)", 0},
    {"isfinite", isfinite_each, 1, 1, "isfinite(x)", 0},
    {"nnz", count, 1, 1, "nnz(a)", NONZERO},
    {"ndims", count, 1, 1, "ndims(a)", DIMENSIONS},
    {"rows", count, 1, 1, "rows(a)", ROWS},
    {"columns", count, 1, 1, "columns(a)", COLUMNS},
    {"isreal", test_matrix, 1, 1, "isreal(x)", 0},
    {"ismatrix", test_matrix, 1, 1, "ismatrix(x)", 1},
    {"issquare", test_matrix, 1, 1, "issquare(x)", 2},
    {"var", spread_of, 1, 1, "var(a)", VARIANCE},
    {"std", spread_of, 1, 1, "std(a)", DEVIATION},
    {"median", spread_of, 1, 1, "median(a)", MEDIAN},
    {"cumtrapz", cumtrapz, 1, 2, "cumtrapz(x, y)", 0},
    {"meshgrid", grid, 1, 2, "meshgrid(x, y)", 0},
    {"ndgrid", grid, 1, 2, "ndgrid(x, y)", 1},
    {"logspace", logspace, 2, 3, "logspace(a, b, n)", 0},
    {"flip", turned, 1, 2, "flip(a, dim)", FLIP},
    {"rot90", turned, 1, 2, "rot90(a, k)", ROT90},
    {"squeeze", turned, 1, 1, "squeeze(a)", SQUEEZE},
    {"sub2ind", subscripts, 3, 3, "sub2ind([rows cols], i, j)", 0},
    {"ind2sub", subscripts, 2, 2, "ind2sub([rows cols], k)", 1},
    {"polyder", polynomial, 1, 1, "polyder(p)", DERIVATIVE},
    {"polyint", polynomial, 1, 1, "polyint(p)", INTEGRAL},
    {"conv", polynomial, 2, 2, "conv(p, q)", PRODUCT},
    {"expm", expm, 1, 1, "expm(a)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
