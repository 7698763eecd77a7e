// Built-in functions of time: ramp, step, pulse, sat, ifelse.  With numbers they give numbers.
//
//   ramp(x, a, b) = min(max((x - a)/(b - a), 0), 1)
//   step(x, a)    = 0 for x < a, 1 for x >= a
//   pulse(x,a,b)  = step(x, a) - step(x, b)
//   sat(x, a, b)  = min(max(x, a), b)
//
// A function takes the arguments of a call, checks them, and returns its value, or NULL after a
// message.
#include "lang/eval.h"

// Common shape of the arguments, which are of equal size or 1x1.
static const value* shape_of(lang* L, call* c) {
  const value* shape = c->argv[0];
  for (int k = 0; k < c->argc; k++) {
    const value* v = c->argv[k];
    if (!td_arg_numeric(L, c, k)) return NULL;
    if (is_scalar(v)) continue;
    const bool same = v->rows == shape->rows && v->cols == shape->cols && v->pages == shape->pages;
    if (!is_scalar(shape) && !same) {
      return td_fail(L, c->arg_at[k], "%s: sizes do not match: %dx%d and %dx%d", c->name,
                     shape->rows, shape->cols, v->rows, v->cols);
    }
    shape = v;
  }
  return shape;
}

typedef ex (*formula)(td_exprs* g, const ex* arg);

// Apply a formula to each element; constant arguments give constants.
static value* each(lang* L, call* c, formula f) {
  const value* shape = shape_of(L, c);
  value* out = shape ? td_num(L, shape->rows, shape->cols, shape->pages, c->at) : NULL;
  const int n = out ? td_value_count(out) : 0;
  bool ok = out && td_spend(L, 4L * n, c->at);
  for (int i = 0; ok && i < n; i++) {
    ex arg[3] = {EX_NONE, EX_NONE, EX_NONE};
    for (int k = 0; k < c->argc; k++)
      arg[k] = td_value_ex(c->argv[k], is_scalar(c->argv[k]) ? 0 : i, L->g);
    ok = td_set_ex(L, out, i, f(L->g, arg), c->at);
  }
  return value_if(ok, out);
}

static ex clamp(td_exprs* g, ex x, ex lo, ex hi) {
  return td_ex_2(g, EX_MIN, td_ex_2(g, EX_MAX, x, lo), hi);
}

static ex ramp_formula(td_exprs* g, const ex* a) {
  const ex rise =
      td_ex_2(g, EX_DIV, td_ex_2(g, EX_SUB, a[0], a[1]), td_ex_2(g, EX_SUB, a[2], a[1]));
  return clamp(g, rise, td_ex_const(g, 0), td_ex_const(g, 1));
}
static ex step_formula(td_exprs* g, const ex* a) { return td_ex_2(g, EX_STEP, a[0], a[1]); }
static ex pulse_formula(td_exprs* g, const ex* a) {
  return td_ex_2(g, EX_SUB, td_ex_2(g, EX_STEP, a[0], a[1]), td_ex_2(g, EX_STEP, a[0], a[2]));
}
static ex sat_formula(td_exprs* g, const ex* a) { return clamp(g, a[0], a[1], a[2]); }
static ex ifelse_formula(td_exprs* g, const ex* a) {
  return td_ex_make(g, EX_IFELSE, a[0], a[1], a[2]);
}

// Check that the interval is not reversed (`strict`: nor empty), if it is known.
static bool ordered(lang* L, call* c, bool strict) {
  const value *a = c->argv[1], *b = c->argv[2];
  if (a->kind != V_NUM || b->kind != V_NUM || !is_scalar(a) || !is_scalar(b) || is_expr(a, 0) ||
      is_expr(b, 0))
    return true;
  if (a->x[0] < b->x[0] || (!strict && a->x[0] == b->x[0])) return true;
  td_fail(L, c->at, "%s: the second limit must be %s the first, got %g and %g", c->name,
          strict ? "above" : "at or above", a->x[0], b->x[0]);
  return false;
}

static value* ramp(lang* L, call* c) {
  return ordered(L, c, true) ? each(L, c, ramp_formula) : NULL;
}
static value* step(lang* L, call* c) { return each(L, c, step_formula); }
static value* pulse(lang* L, call* c) {
  return ordered(L, c, false) ? each(L, c, pulse_formula) : NULL;
}
static value* sat(lang* L, call* c) {
  return ordered(L, c, false) ? each(L, c, sat_formula) : NULL;
}
static value* ifelse(lang* L, call* c) { return each(L, c, ifelse_formula); }

// ddt(x): the exact derivative of an expression of time and parameters
static value* ddt(lang* L, call* c) {
  const value* x = c->argv[0];
  if (!td_arg_numeric(L, c, 0)) return NULL;
  value* out = td_num(L, x->rows, x->cols, x->pages, c->at);
  bool ok = out != NULL;

  for (int i = 0; ok && i < td_value_count(x); i++) {
    const ex e = td_value_ex(x, i, L->g);
    const unsigned other = (unsigned)td_ex_depends(L->g, e) & ~(unsigned)(TD_ON_PARAM | TD_ON_TIME);
    ok = other == 0 ||
         td_fail(L, c->at, "ddt: its argument may depend on time and parameters only") != NULL;
    ok = ok && td_spend(L, 50 + e / 16 + 20L * td_ex_size(L->g, e), c->at) &&
         td_set_ex(L, out, i, td_ex_diff(L->g, e, L->spec->time_var), c->at);
  }
  return value_if(ok, out);
}

const builtin td_builtin_time[] = {
    {"ramp", ramp, 3, 3, "ramp(t, t0, t1)", 0},
    {"step", step, 2, 2, "step(t, t0)", 0},
    {"pulse", pulse, 3, 3, "pulse(t, t0, t1)", 0},
    {"sat", sat, 3, 3, "sat(x, low, high)", 0},
    {"ddt", ddt, 1, 1, "ddt(x)", 0},
    {"ifelse", ifelse, 3, 3, "ifelse(condition, a, b)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
