// Calculation with symbols, as files do that were written for MATLAB's symbolic toolbox: diff(f,
// x), jacobian(f, [x y]), subs(f, x, 2), and simplify, expand, ..., which change how an expression
// is written and not its value.  A function takes the arguments of a call, checks them, and returns
// its value, or NULL after a message.
#include <math.h>
#include <string.h>

#include "lang/eval.h"

// Number of the variable that element i of an argument is; -1 after a message.
static int variable_at(lang* L, call* c, int k, const value* v, int i) {
  const int var = is_expr(v, i) ? td_ex_var_of(L->g, v->e[i]) : -1;
  if (var < 0) td_fail(L, c->arg_at[k], "%s needs a symbol here, as in %s", c->name, c->row->form);
  return var;
}

// Check that an expression can be differentiated while the text runs.
static bool differentiable(lang* L, call* c, ex e) {
  const unsigned known = TD_ON_PARAM | TD_ON_TIME | TD_ON_ARC;
  if ((unsigned)td_ex_depends(L->g, e) & ~known) {
    td_fail(L, c->at, "%s: the expression depends on the state of the robot", c->name);
    return false;
  }
  return td_spend(L, 50 + e / 16 + 20L * td_ex_size(L->g, e), c->at);
}

// diff(f, x, n): the n-th derivative of each element
value* td_symbolic_diff(lang* L, call* c) {
  const value *f = c->argv[0], *x = c->argv[1];
  int times = 1;
  if (!td_arg_numeric(L, c, 0) || !td_arg_numeric(L, c, 1)) return NULL;
  if (c->argc > 2 && !td_arg_int(L, c, 2, 0, 20, &times)) return NULL;
  const int var = is_scalar(x) ? variable_at(L, c, 1, x, 0) : -1;
  if (!is_scalar(x)) td_fail(L, c->arg_at[1], "diff(f, x) needs one symbol");
  value* out = var >= 0 ? td_num(L, f->rows, f->cols, f->pages, c->at) : NULL;
  bool ok = out != NULL;

  for (int i = 0; ok && i < td_value_count(f); i++) {
    ex e = td_value_ex(f, i, L->g);
    for (int k = 0; ok && k < times; k++) {
      ok = differentiable(L, c, e);
      if (ok) e = td_ex_diff(L->g, e, var);
    }
    ok = ok && td_set_ex(L, out, i, e, c->at);
  }
  return value_if(ok, out);
}

// jacobian(f, [x y]): a row for each element of f, a column for each symbol
static value* jacobian(lang* L, call* c) {
  const value *f = c->argv[0], *x = c->argv[1];
  if (!td_arg_numeric(L, c, 0) || !td_arg_numeric(L, c, 1)) return NULL;
  const int n = td_value_count(f), m = td_value_count(x);
  value* out = td_num(L, n, m, 1, c->at);
  bool ok = out != NULL;

  for (int j = 0; ok && j < m; j++) {
    const int var = variable_at(L, c, 1, x, j);
    ok = var >= 0;
    for (int i = 0; ok && i < n; i++) {
      const ex e = td_value_ex(f, i, L->g);
      ok = differentiable(L, c, e) && td_set_ex(L, out, i + n * j, td_ex_diff(L->g, e, var), c->at);
    }
  }
  return value_if(ok, out);
}

// Element i of a list that is a matrix or a cell; EX_NONE after a message.
static ex listed(lang* L, call* c, int k, int i) {
  const value* v = c->argv[k];
  const value* one = v->kind == V_CELL ? v->slots[i].v : v;
  const int at = v->kind == V_CELL ? 0 : i;
  if (one && one->kind == V_NUM && td_value_count(one) > at &&
      (v->kind != V_CELL || is_scalar(one)))
    return td_value_ex(one, at, L->g);
  td_fail(L, c->arg_at[k], "subs takes numbers and symbols, in a matrix or a cell");
  return EX_NONE;
}

// subs(f, x, 2), subs(f, [x y], [1 2]), subs(f, {x, y}, {1, 2})
static value* subs(lang* L, call* c) {
  enum { MOST = 200 };
  const value* f = c->argv[0];
  int var[MOST];
  ex with[MOST];
  if (!td_arg_numeric(L, c, 0)) return NULL;
  if (c->argc < 3)
    return td_fail(L, c->at, "subs needs the symbols and their values, as in subs(f, x, 2)");
  const int n = c->argv[1]->kind == V_STR ? 0 : td_value_count(c->argv[1]);
  const int m = td_value_count(c->argv[2]);
  if (n == 0 || n > MOST || (m != n && m != 1))
    return td_fail(L, c->at, "subs: %d symbols and %d values", n, m);

  // symbols and their replacements
  for (int i = 0; i < n; i++) {
    const ex e = listed(L, c, 1, i);
    with[i] = e == EX_NONE ? EX_NONE : listed(L, c, 2, m == 1 ? 0 : i);
    if (with[i] == EX_NONE) return NULL;
    var[i] = td_ex_var_of(L->g, e);
    if (var[i] < 0) return td_fail(L, c->arg_at[1], "subs replaces symbols, this is none");
  }

  // substitute in each element
  value* out = td_num(L, f->rows, f->cols, f->pages, c->at);
  bool ok = out != NULL;

  for (int i = 0; ok && i < td_value_count(f); i++) {
    if (!is_expr(f, i)) {
      out->x[i] = f->x[i];
      continue;
    }
    ok = td_spend(L, 50 + f->e[i] / 16 + 20L * td_ex_size(L->g, f->e[i]), c->at) &&
         td_set_ex(L, out, i, td_ex_substitute(L->g, f->e[i], var, with, n), c->at);
  }
  return value_if(ok, out);
}

// simplify(f), expand(f), ...
static value* unchanged(lang* L, call* c) {
  return td_arg_numeric(L, c, 0) ? td_value_hold(c->argv[0]) : NULL;
}

const builtin td_builtin_symbols[] = {
    {"jacobian", jacobian, 2, 2, "jacobian(f, [x y])", 0},
    {"subs", subs, 1, 3, "subs(f, x, value)", 0},
    {"simplify", unchanged, 1, -1, "simplify(f)", 0},
    {"simple", unchanged, 1, 1, "simple(f)", 0},
    {"expand", unchanged, 1, -1, "expand(f)", 0},
    {"collect", unchanged, 1, -1, "collect(f)", 0},
    {"combine", unchanged, 1, -1, "combine(f)", 0},
    {"vpa", unchanged, 1, 2, "vpa(f)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
