// Elementary functions, element by element, and the functions that read the arguments of all
// built-in functions.  A function takes the arguments of a call, checks them, and returns its
// value, or NULL after a message.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/apply.h"
#include "lang/eval.h"

// ---- arguments --------------------------------------------------------------------------------

// Check that argument k is numeric.
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

// Name of an argument in a message: "the first argument of sin"
static const char* argument_text(const call* c, int k, char text[48]) {
  static const char* const order[] = {"first", "second", "third", "fourth"};
  if (k < 4) snprintf(text, 48, "the %s argument of %.20s", order[k], c->name);
  if (k >= 4) snprintf(text, 48, "argument %d of %.20s", k + 1, c->name);
  return text;
}

// Read argument k, one number.
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

// Read argument k, a whole number from lo to hi.
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

// Value of an operation of one operand.
static double number1(int op, double x) { return apply((ex_op)op, x, 0, 0); }

// Apply a function to each element: `number` to numbers, `expression` to expressions.
static value* each1(lang* L, call* c, double (*number)(int, double),
                    ex (*expression)(td_exprs*, int, ex)) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  const value* a = c->argv[0];
  value* out = td_num(L, a->rows, a->cols, a->pages, c->at);
  const int n = out ? td_value_count(a) : 0;
  bool ok = out && td_spend(L, a->e ? 45L * n : n, c->at);

  for (int i = 0; ok && i < n; i++) {
    if (is_expr(a, i)) {
      ok = td_set_ex(L, out, i, expression(L->g, c->row->op, a->e[i]), c->at);
      continue;
    }

    // NaN of a finite number: the result would be complex
    const double x = a->x[i];
    out->x[i] = number(c->row->op, x);
    if (isnan(out->x[i]) && !isnan(x) && !isinf(x))
      ok = td_fail(L, c->arg_at[0], "%s(%g) is not a real number", c->name, x) != NULL;
  }
  return value_if(ok, out);
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

// fix(x): rounds towards zero
static double fix_number(int op, double x) {
  (void)op;
  return trunc(x);
}
static ex fix_expression(td_exprs* g, int op, ex e) {
  (void)op;
  return td_ex_2(g, EX_MUL, td_ex_1(g, EX_SIGN, e), td_ex_1(g, EX_FLOOR, td_ex_1(g, EX_ABS, e)));
}
static value* fix(lang* L, call* c) { return each1(L, c, fix_number, fix_expression); }

// deg2rad (op 0) and rad2deg (op 1)

static double scale_number(int op, double x) {
  return op ? x * (180 / 3.14159265358979323846) : x * (3.14159265358979323846 / 180);
}
static ex scale_expression(td_exprs* g, int op, ex e) {
  return td_ex_2(g, EX_MUL, e, td_ex_const(g, scale_number(op, 1)));
}
static value* angle_unit(lang* L, call* c) { return each1(L, c, scale_number, scale_expression); }

// ---- two arguments ----------------------------------------------------------------------------

enum { OP_REM = -1 };  // rem, which expressions do not have

static bool fits(int a, int b) { return a == b || a == 1 || b == 1; }

// Warn if the last digit of x is coarser than the divisor y: the remainder is then meaningless.
static void judge_remainder(lang* L, call* c, double x, double y) {
  const double digit = nextafter(fabs(x), INFINITY) - fabs(x);
  if (!isfinite(x) || !isfinite(y) || y == 0 || !(digit > fabs(y))) return;
  td_warn(L->diags, c->at,
          "%s(%g, %g): numbers of this size are %g apart, so that the remainder says nothing",
          c->name, x, y, digit);
}

// Apply an operation of two operands element by element with broadcasting.
value* td_each2(lang* L, call* c, int op, const value* a, const value* b) {
  if (!fits(a->rows, b->rows) || !fits(a->cols, b->cols) || !fits(a->pages, b->pages)) {
    return td_fail(L, c->at, "%s: sizes do not match: %dx%d and %dx%d", c->name, a->rows,
                   a->cols * a->pages, b->rows, b->cols * b->pages);
  }

  value* out = td_num(L, a->rows == 1 ? b->rows : a->rows, a->cols == 1 ? b->cols : a->cols,
                      a->pages == 1 ? b->pages : a->pages, c->at);
  const int n = out ? td_value_count(out) : 0;
  bool ok = out && td_spend(L, a->e || b->e ? 14L * n : 2L * n, c->at);

  for (int m = 0; ok && m < n; m++) {
    const int i = m % out->rows, j = m / out->rows % out->cols, k = m / (out->rows * out->cols);

    // elements of the operands; a size of 1 is repeated
    const int p = (a->rows > 1 ? i : 0) +
                  a->rows * ((a->cols > 1 ? j : 0) + a->cols * (a->pages > 1 ? k : 0));
    const int q = (b->rows > 1 ? i : 0) +
                  b->rows * ((b->cols > 1 ? j : 0) + b->cols * (b->pages > 1 ? k : 0));
    if (is_expr(a, p) || is_expr(b, q)) {
      ok = td_set_ex(L, out, m,
                     td_ex_2(L->g, (ex_op)op, td_value_ex(a, p, L->g), td_value_ex(b, q, L->g)),
                     c->at);
    } else {
      const double x = a->x[p], y = b->x[q];
      out->x[m] = op == OP_REM ? matlab_rem(x, y) : apply((ex_op)op, x, y, 0);
      if (op == EX_MOD || op == OP_REM) judge_remainder(L, c, x, y);
    }
  }
  return value_if(ok, out);
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
