// Elementary functions, element by element, and the helpers that read the arguments of all built-in
// functions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/apply.h"
#include "lang/eval.h"

// ---- arguments --------------------------------------------------------------------------------

bool td_arg_numeric(lang* L, call* c, int k) {
  if (c->argv[k]->kind == V_NUM) return true;
  char text[TD_DESCRIBE_SIZE];
  td_fail(L, c->arg_at[k], "%s works on numbers, got %s", c->name,
          td_value_describe(c->argv[k], text));
  return false;
}

bool td_all_numeric(lang* L, call* c) {
  for (int k = 0; k < c->argc; k++) {
    if (!td_arg_numeric(L, c, k)) return false;
  }
  return true;
}

static const char* argument_text(const call* c, int k, char text[48]) {
  static const char* const order[] = {"first", "second", "third", "fourth"};
  if (k < 4) snprintf(text, 48, "the %s argument of %.20s", order[k], c->name);
  if (k >= 4) snprintf(text, 48, "argument %d of %.20s", k + 1, c->name);
  return text;
}

bool td_arg_number(lang* L, call* c, int k, double* x) {
  char what[48], text[TD_DESCRIBE_SIZE];
  argument_text(c, k, what);
  if (c->argv[k]->kind != V_NUM || td_value_count(c->argv[k]) != 1) {
    td_fail(L, c->arg_at[k], "%s must be one number, got %s", what,
            td_value_describe(c->argv[k], text));
    return false;
  }
  return td_number_at(L, c->argv[k], 0, c->arg_at[k], what, x);
}

bool td_arg_int(lang* L, call* c, int k, double lo, double hi, int* x) {
  char what[48];
  double d;
  if (!td_arg_number(L, c, k, &d)) return false;
  if (d == floor(d) && d >= lo && d <= hi) {
    *x = (int)d;
    return true;
  }
  td_fail(L, c->arg_at[k], "%s must be a whole number from %g to %g, got %g",
          argument_text(c, k, what), lo, hi, d);
  return false;
}

const char* td_arg_string(lang* L, call* c, int k) {
  if (c->argv[k]->kind == V_STR) return c->argv[k]->s;
  char what[48], text[TD_DESCRIBE_SIZE];
  return td_fail(L, c->arg_at[k], "%s must be a string, got %s", argument_text(c, k, what),
                 td_value_describe(c->argv[k], text));
}

// ---- one argument -----------------------------------------------------------------------------

static double number1(int op, double x) {
  switch (op) {
    case EX_SIN:
      return sin(x);
    case EX_COS:
      return cos(x);
    case EX_TAN:
      return tan(x);
    case EX_ASIN:
      return asin(x);
    case EX_ACOS:
      return acos(x);
    case EX_ATAN:
      return atan(x);
    case EX_SINH:
      return sinh(x);
    case EX_COSH:
      return cosh(x);
    case EX_TANH:
      return tanh(x);
    case EX_EXP:
      return exp(x);
    case EX_LOG:
      return log(x);
    case EX_SQRT:
      return sqrt(x);
    case EX_ABS:
      return fabs(x);
    case EX_SIGN:
      return isnan(x) ? x : (x > 0) - (x < 0);
    case EX_FLOOR:
      return floor(x);
    case EX_CEIL:
      return ceil(x);
    case EX_ROUND:
      return round(x);
    default:
      return NAN;
  }
}

// NaN from a number that is none: outside the domain, where the result would be complex.
static bool in_domain(lang* L, call* c, double x, double y) {
  if (!isnan(y) || isnan(x) || isinf(x)) return true;
  td_fail(L, c->arg_at[0], "%s(%g) is not a real number", c->name, x);
  return false;
}

static value* each1(lang* L, call* c, double (*number)(int, double),
                    ex (*expression)(td_exprs*, int, ex)) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  const value* a = c->argv[0];
  value* out = td_num(L, a->rows, a->cols, a->pages, c->at);
  const int n = out ? td_value_count(a) : 0;
  bool ok = out && td_spend(L, a->e ? 45L * n : n / 2, c->at);
  for (int i = 0; ok && i < n; i++) {
    if (is_expr(a, i)) {
      ok = td_set_ex(L, out, i, expression(L->g, c->row->op, a->e[i]), c->at);
    } else {
      out->x[i] = number(c->row->op, a->x[i]);
      ok = in_domain(L, c, a->x[i], out->x[i]);
    }
  }
  if (ok) return out;
  td_value_drop(out);
  return NULL;
}

static ex expression1(td_exprs* g, int op, ex e) { return td_ex_1(g, (ex_op)op, e); }
static value* elementary1(lang* L, call* c) { return each1(L, c, number1, expression1); }

static double log10_number(int op, double x) {
  (void)op;
  return log10(x);
}
static ex log10_expression(td_exprs* g, int op, ex e) {
  (void)op;
  return td_ex_2(g, EX_DIV, td_ex_1(g, EX_LOG, e), td_ex_const(g, log(10)));
}
static value* log_10(lang* L, call* c) { return each1(L, c, log10_number, log10_expression); }

// fix: towards zero
static double fix_number(int op, double x) {
  (void)op;
  return trunc(x);
}
static ex fix_expression(td_exprs* g, int op, ex e) {
  (void)op;
  return td_ex_2(g, EX_MUL, td_ex_1(g, EX_SIGN, e), td_ex_1(g, EX_FLOOR, td_ex_1(g, EX_ABS, e)));
}
static value* fix(lang* L, call* c) { return each1(L, c, fix_number, fix_expression); }

static double scale_number(int op, double x) {
  return op ? x * (180 / 3.14159265358979323846) : x * (3.14159265358979323846 / 180);
}
static ex scale_expression(td_exprs* g, int op, ex e) {
  return td_ex_2(g, EX_MUL, e, td_ex_const(g, scale_number(op, 1)));
}
static value* angle_unit(lang* L, call* c) { return each1(L, c, scale_number, scale_expression); }

// ---- two arguments ----------------------------------------------------------------------------

enum { OP_REM = -1 };  // of numbers only, beside the operations of expressions

// MATLAB's min and max pass over NaN.
static double number2(int op, double a, double b) {
  switch (op) {
    case EX_ATAN2:
      return atan2(a, b);
    case EX_MOD:
      return matlab_mod(a, b);
    case OP_REM:
      return matlab_rem(a, b);
    case EX_MIN:
      return fmin(a, b);
    case EX_MAX:
      return fmax(a, b);
    case EX_HYPOT:
      return hypot(a, b);
    default:
      return NAN;
  }
}

static bool fits(int a, int b) { return a == b || a == 1 || b == 1; }

// The remainder of a number whose last digit is coarser than the divisor says nothing.
static void judge_remainder(lang* L, call* c, double x, double y) {
  const double digit = nextafter(fabs(x), INFINITY) - fabs(x);
  if (!isfinite(x) || !isfinite(y) || y == 0 || !(digit > fabs(y))) return;
  td_warn(L->diags, c->at,
          "%s(%g, %g): numbers of this size are %g apart, so that the remainder says nothing",
          c->name, x, y, digit);
}

value* td_each2(lang* L, call* c, int op, const value* a, const value* b) {
  if (!fits(a->rows, b->rows) || !fits(a->cols, b->cols) || !fits(a->pages, b->pages)) {
    return td_fail(L, c->at, "%s: sizes do not match: %dx%d and %dx%d", c->name, a->rows,
                   a->cols * a->pages, b->rows, b->cols * b->pages);
  }
  value* out = td_num(L, a->rows == 1 ? b->rows : a->rows, a->cols == 1 ? b->cols : a->cols,
                      a->pages == 1 ? b->pages : a->pages, c->at);
  const int n = out ? td_value_count(out) : 0;
  bool ok = out && td_spend(L, a->e || b->e ? 14L * n : n / 2, c->at);
  for (int m = 0; ok && m < n; m++) {
    const int i = m % out->rows, j = m / out->rows % out->cols, k = m / (out->rows * out->cols);
    const int p = (a->rows > 1 ? i : 0) +
                  a->rows * ((a->cols > 1 ? j : 0) + a->cols * (a->pages > 1 ? k : 0));
    const int q = (b->rows > 1 ? i : 0) +
                  b->rows * ((b->cols > 1 ? j : 0) + b->cols * (b->pages > 1 ? k : 0));
    if (is_expr(a, p) || is_expr(b, q)) {
      ok = td_set_ex(L, out, m,
                     td_ex_2(L->g, (ex_op)op, td_value_ex(a, p, L->g), td_value_ex(b, q, L->g)),
                     c->at);
    } else {
      out->x[m] = number2(op, a->x[p], b->x[q]);
      if (op == EX_MOD || op == OP_REM) judge_remainder(L, c, a->x[p], b->x[q]);
    }
  }
  if (ok) return out;
  td_value_drop(out);
  return NULL;
}

static value* elementary2(lang* L, call* c) {
  return td_all_numeric(L, c) ? td_each2(L, c, c->row->op, c->argv[0], c->argv[1]) : NULL;
}

// rem(x, y) = x - y fix(x/y)
static value* rem(lang* L, call* c) {
  if (!td_all_numeric(L, c)) return NULL;
  value *a = td_constant(L, c->argv[0], c->arg_at[0], "the first argument of rem"),
        *b = a ? td_constant(L, c->argv[1], c->arg_at[1], "the second argument of rem") : NULL;
  value* out = b ? td_each2(L, c, OP_REM, a, b) : NULL;
  td_value_drop(a);
  td_value_drop(b);
  return out;
}

const builtin td_builtin_elementary[] = {
    {"sin", elementary1, 1, 1, "sin(x)", EX_SIN},
    {"cos", elementary1, 1, 1, "cos(x)", EX_COS},
    {"tan", elementary1, 1, 1, "tan(x)", EX_TAN},
    {"asin", elementary1, 1, 1, "asin(x)", EX_ASIN},
    {"acos", elementary1, 1, 1, "acos(x)", EX_ACOS},
    {"atan", elementary1, 1, 1, "atan(x)", EX_ATAN},
    {"atan2", elementary2, 2, 2, "atan2(y, x)", EX_ATAN2},
    {"sinh", elementary1, 1, 1, "sinh(x)", EX_SINH},
    {"cosh", elementary1, 1, 1, "cosh(x)", EX_COSH},
    {"tanh", elementary1, 1, 1, "tanh(x)", EX_TANH},
    {"exp", elementary1, 1, 1, "exp(x)", EX_EXP},
    {"log", elementary1, 1, 1, "log(x)", EX_LOG},
    {"log10", log_10, 1, 1, "log10(x)", 0},
    {"sqrt", elementary1, 1, 1, "sqrt(x)", EX_SQRT},
    {"abs", elementary1, 1, 1, "abs(x)", EX_ABS},
    {"sign", elementary1, 1, 1, "sign(x)", EX_SIGN},
    {"floor", elementary1, 1, 1, "floor(x)", EX_FLOOR},
    {"ceil", elementary1, 1, 1, "ceil(x)", EX_CEIL},
    {"round", elementary1, 1, 1, "round(x)", EX_ROUND},
    {"fix", fix, 1, 1, "fix(x)", 0},
    {"mod", elementary2, 2, 2, "mod(x, y)", EX_MOD},
    {"rem", rem, 2, 2, "rem(x, y)", 0},
    {"hypot", elementary2, 2, 2, "hypot(x, y)", EX_HYPOT},
    {"deg2rad", angle_unit, 1, 1, "deg2rad(x)", 0},
    {"rad2deg", angle_unit, 1, 1, "rad2deg(x)", 1},
    {NULL, NULL, 0, 0, NULL, 0},
};
