// Exact derivatives and substitution.  Both rebuild an expression from its nodes in order of
// evaluation, so that a shared node is processed once and nothing recurses:
//
//   d f(a, b) = f_a da + f_b db
//
// This is forward-mode differentiation [griewank2008, sec. 3.1].  Partial derivatives refer to the
// node itself where that saves work, e.g. d exp(a) = exp(a) da.  Nodes that cannot contain the
// variable are skipped.
#include "expr/graph.h"

// Short constructors, with which the derivatives below read as their formulas
static ex num(td_exprs* g, double x) { return td_ex_const(g, x); }
static ex neg(td_exprs* g, ex a) { return td_ex_1(g, EX_NEG, a); }
static ex add(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_ADD, a, b); }
static ex sub(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_SUB, a, b); }
static ex mul(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_MUL, a, b); }
static ex quo(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_DIV, a, b); }
static ex fun(td_exprs* g, ex_op op, ex a) { return td_ex_1(g, op, a); }
static ex pick(td_exprs* g, ex cond, ex yes, ex no) {
  return td_ex_make(g, EX_IFELSE, cond, yes, no);
}

static bool is_zero(const td_exprs* g, ex e) {
  return td_ex_is_const(g, e) && td_ex_value(g, e) == 0;
}

// 1 - a² and 1 + a²
static ex one_minus_square(td_exprs* g, ex a) { return sub(g, num(g, 1), mul(g, a, a)); }
static ex one_plus_square(td_exprs* g, ex a) { return add(g, num(g, 1), mul(g, a, a)); }

// `slope`, or 0 where `root` and `inner` both vanish.  A square root has an infinite derivative at
// zero.  In the length of a vector, sqrt(v'v), the radicand vanishes there together with its
// derivative, which gives 0/0.  The value 0 is the mean of all slopes of the length at its tip, and
// the one with which norm(v) v gets its true derivative.  The test is on a sum of squares because
// it never changes its sign: the search for stop times then ignores it.
static ex unless_both_vanish(td_exprs* g, ex root, ex inner, ex slope) {
  if (td_ex_is_const(g, inner)) return slope;
  const ex size = add(g, mul(g, root, root), mul(g, inner, inner));
  return pick(g, td_ex_2(g, EX_EQ, size, num(g, 0)), num(g, 0), slope);
}

// True if u^v may have an infinite derivative at u = 0: 0 < v < 1, or v is not constant.
static bool is_steep_power(const td_exprs* g, ex v) {
  return !td_ex_is_const(g, v) || (td_ex_value(g, v) > 0 && td_ex_value(g, v) < 1);
}

// d(u^v) = v u^(v-1) du + u^v log(u) dv.  A term with zero derivative is not created, so that the
// logarithm of a negative base does not occur with a constant exponent.
static ex diff_pow(td_exprs* g, ex e, ex u, ex v, ex du, ex dv) {
  ex sum = num(g, 0);
  if (!is_zero(g, du)) {
    const ex power = td_ex_2(g, EX_POW, u, sub(g, v, num(g, 1)));
    sum = mul(g, mul(g, v, power), du);
    if (is_steep_power(g, v)) sum = unless_both_vanish(g, u, du, sum);
  }
  if (!is_zero(g, dv)) {
    // u^v log(u) goes to 0 with u^v
    const ex by_exponent = mul(g, mul(g, e, fun(g, EX_LOG, u)), dv);
    const ex none = td_ex_2(g, EX_EQ, e, num(g, 0));
    sum = add(g, sum, pick(g, none, num(g, 0), by_exponent));
  }
  return sum;
}

// True if e has a root as a factor (within `depth` products), so that its derivative may be
// unbounded where e is zero.
static bool has_steep_factor(const td_exprs* g, ex e, int depth) {
  const node* n = node_at(g, e);
  if (n->op == EX_SQRT) return true;
  if (n->op == EX_POW) return is_steep_power(g, n->arg[1]);
  if (depth == 0 || (n->op != EX_NEG && n->op != EX_MUL && n->op != EX_DIV)) return false;
  return has_steep_factor(g, n->arg[0], depth - 1) ||
         (n->op == EX_MUL && has_steep_factor(g, n->arg[1], depth - 1));
}

// The term a db of d(a b).  Where b has a root as a factor (`steep`) and a vanishes with a bounded
// derivative, the term vanishes too: v |v|^p has the derivative 0 at v = 0, although |v|^p has
// none.
static ex product_term(td_exprs* g, ex a, ex da, ex db, bool steep) {
  const ex term = mul(g, a, db);
  if (!steep || td_ex_is_const(g, a) || td_ex_is_const(g, db)) return term;
  const ex bounded = td_ex_2(g, EX_LT, fun(g, EX_ABS, da), num(g, 1e300));
  const ex gone = td_ex_2(g, EX_AND, td_ex_2(g, EX_EQ, a, num(g, 0)), bounded);
  return pick(g, gone, num(g, 0), term);
}

// Derivative of e = op(a), given da.
static ex diff_unary(td_exprs* g, ex_op op, ex e, ex a, ex da) {
  switch (op) {
    case EX_NEG:
      return neg(g, da);
    case EX_SQRT:
      return unless_both_vanish(g, e, da, quo(g, da, mul(g, num(g, 2), e)));
    case EX_EXP:
      return mul(g, e, da);
    case EX_LOG:
      return quo(g, da, a);
    case EX_SIN:
      return mul(g, fun(g, EX_COS, a), da);
    case EX_COS:
      return neg(g, mul(g, fun(g, EX_SIN, a), da));
    case EX_TAN:
      return mul(g, one_plus_square(g, e), da);
    case EX_ASIN:
      return quo(g, da, fun(g, EX_SQRT, one_minus_square(g, a)));
    case EX_ACOS:
      return neg(g, quo(g, da, fun(g, EX_SQRT, one_minus_square(g, a))));
    case EX_ATAN:
      return quo(g, da, one_plus_square(g, a));
    case EX_SINH:
      return mul(g, fun(g, EX_COSH, a), da);
    case EX_COSH:
      return mul(g, fun(g, EX_SINH, a), da);
    case EX_TANH:
      return mul(g, one_minus_square(g, e), da);
    case EX_ABS:
      return pick(g, td_ex_2(g, EX_LT, a, num(g, 0)), neg(g, da), da);
    default:
      return EX_NONE;
  }
}

// Derivative of e = op(a, b), given da and db.
static ex diff_binary(td_exprs* g, ex_op op, ex e, ex a, ex b, ex da, ex db) {
  switch (op) {
    case EX_ADD:
      return add(g, da, db);
    case EX_SUB:
      return sub(g, da, db);
    case EX_MUL:
      return add(g, product_term(g, b, db, da, has_steep_factor(g, a, 4)),
                 product_term(g, a, da, db, has_steep_factor(g, b, 4)));
    case EX_DIV:
      return quo(g, sub(g, da, mul(g, e, db)), b);
    case EX_POW:
      return diff_pow(g, e, a, b, da, db);
    case EX_ATAN2: {
      // (b da - a db) / (a² + b²)
      const ex square = add(g, mul(g, b, b), mul(g, a, a));
      return quo(g, sub(g, mul(g, b, da), mul(g, a, db)), square);
    }
    case EX_MOD:
      return sub(g, da, mul(g, fun(g, EX_ROUND, quo(g, sub(g, a, e), b)), db));
    case EX_MIN:
      return pick(g, td_ex_2(g, EX_LE, a, b), da, db);
    case EX_MAX:
      return pick(g, td_ex_2(g, EX_LE, a, b), db, da);
    case EX_HYPOT:
      return pick(g, td_ex_2(g, EX_EQ, e, num(g, 0)), num(g, 0),
                  quo(g, add(g, mul(g, a, da), mul(g, b, db)), e));
    default:
      return EX_NONE;
  }
}

// Derivative of node e, given the derivatives d[i] of its operands.  The node is passed by value
// because creating nodes moves the array.
static ex diff_node(td_exprs* g, ex e, node n, const ex d[3]) {
  const ex_op op = (ex_op)n.op;
  if (td_op_is_flat(op)) return num(g, 0);
  if (op == EX_IFELSE) return pick(g, n.arg[0], d[1], d[2]);
  if (op == EX_TABLE) {
    if (is_zero(g, d[0]) || g->tables[n.arg[1]].order == 1) return num(g, 0);
    return mul(g, td_table_node(g, td_table_slope(g, n.arg[1]), n.arg[0]), d[0]);
  }
  return td_op_arity(op) == 1 ? diff_unary(g, op, e, n.arg[0], d[0])
                              : diff_binary(g, op, e, n.arg[0], n.arg[1], d[0], d[1]);
}

// Array over the variables with map[var[i]] = value[i], EX_NONE elsewhere; NULL: no memory.
// *depends is the set of kinds of these variables.
static ex* map_variables(const td_exprs* g, const int* var, const ex* value, int n, int* depends) {
  ex* map = malloc((size_t)max_int(g->nvar, 1) * sizeof *map);
  if (!map) return NULL;
  for (int v = 0; v < g->nvar; v++) map[v] = EX_NONE;
  *depends = 0;
  for (int i = 0; i < n; i++) {
    map[var[i]] = value[i];
    *depends |= (int)g->vars[var[i]].kind;
  }
  return map;
}

static bool are_nodes(const td_exprs* g, const ex* e, int n) {
  for (int i = 0; i < n; i++) {
    if (!is_node(g, e[i])) return false;
  }
  return true;
}

static bool are_vars(const td_exprs* g, const int* var, int n) {
  for (int i = 0; i < n; i++) {
    if (var[i] < 0 || var[i] >= g->nvar) return false;
  }
  return true;
}

// Directional derivatives by forward differentiation of the needed nodes.
bool td_ex_along(td_exprs* g, const ex* e, int n, const int* var, const ex* rate, int nvar,
                 ex* out) {
  for (int i = 0; i < n; i++) out[i] = EX_NONE;
  if (g->failed || !are_nodes(g, e, n) || !are_vars(g, var, nvar) || !are_nodes(g, rate, nvar)) {
    return false;
  }

  // nodes that depend on one of the variables
  int depends;
  ex* seed = map_variables(g, var, rate, nvar, &depends);
  reach r = {0};
  ex* d = NULL;
  if (seed && td_reach(g, e, n, (reach_rule){depends, true}, &r)) {
    d = malloc((size_t)max_int(r.n, 1) * sizeof *d);
  }
  if (!d) graph_fail(g);

  // their derivatives, operands first
  for (int i = 0; d && i < r.n && !g->failed; i++) {
    const ex zero = num(g, 0);
    const node at = *node_at(g, r.list[i]);
    if (at.op == EX_VAR) {
      d[i] = seed[at.arg[0]] != EX_NONE ? seed[at.arg[0]] : zero;
      continue;
    }
    ex da[3] = {zero, zero, zero};
    bool any = false;
    for (int k = 0; k < td_op_arity((ex_op)at.op); k++) {
      if (reach_has(&r, at.arg[k])) da[k] = d[reach_rank(&r, at.arg[k])];
      any = any || da[k] != zero;
    }
    d[i] = any ? diff_node(g, r.list[i], at, da) : zero;
  }

  const ex zero = num(g, 0);
  for (int i = 0; i < n && !g->failed; i++) {
    out[i] = reach_has(&r, e[i]) ? d[reach_rank(&r, e[i])] : zero;
  }

  free(d);
  free(seed);
  td_reach_free(&r);
  return !g->failed;
}

ex td_ex_diff(td_exprs* g, ex e, int var) {
  const ex one = num(g, 1);
  ex result;
  return td_ex_along(g, &e, 1, &var, &one, 1, &result) ? result : EX_NONE;
}

// ---- substitution -----------------------------------------------------------------------------

// Rebuild the nodes that contain one of the variables.
bool td_ex_substitute_all(td_exprs* g, const ex* e, int ne, const int* var, const ex* with, int n,
                          ex* out) {
  for (int i = 0; i < ne; i++) out[i] = EX_NONE;
  if (g->failed || !are_nodes(g, e, ne) || !are_vars(g, var, n) || !are_nodes(g, with, n)) {
    return false;
  }

  // nodes that depend on one of the variables; a variable of no kind is in no set of dependencies
  int depends = 0;
  ex* map = map_variables(g, var, with, n, &depends);
  bool all = false;
  for (int i = 0; i < n; i++) all = all || g->vars[var[i]].kind == TD_ON_NOTHING;
  reach r = {0};
  if (!td_reach(g, e, ne, (reach_rule){all ? 0 : depends, false}, &r)) graph_fail(g);
  ex* made = malloc((size_t)max_int(r.n, 1) * sizeof *made);
  if (!map || !made) graph_fail(g);

  // rebuild them with the replacements, operands first
  for (int i = 0; i < r.n && !g->failed; i++) {
    const node at = *node_at(g, r.list[i]);
    const ex_op op = (ex_op)at.op;
    made[i] = r.list[i];
    if (op == EX_VAR) {
      if (map[at.arg[0]] != EX_NONE) made[i] = map[at.arg[0]];
      continue;
    }
    ex arg[3] = {EX_NONE, EX_NONE, EX_NONE};
    bool changed = false;
    for (int k = 0; k < td_op_arity(op); k++) {
      arg[k] = reach_has(&r, at.arg[k]) ? made[reach_rank(&r, at.arg[k])] : at.arg[k];
      changed = changed || arg[k] != at.arg[k];
    }
    if (changed)
      made[i] = op == EX_TABLE ? td_table_node(g, at.arg[1], arg[0])
                               : td_ex_make(g, op, arg[0], arg[1], arg[2]);
  }

  for (int i = 0; i < ne && !g->failed; i++) {
    out[i] = reach_has(&r, e[i]) ? made[reach_rank(&r, e[i])] : e[i];
  }
  free(map);
  free(made);
  td_reach_free(&r);
  return !g->failed;
}

ex td_ex_substitute(td_exprs* g, ex e, const int* var, const ex* with, int n) {
  ex result;
  return td_ex_substitute_all(g, &e, 1, var, with, n, &result) ? result : EX_NONE;
}

// Rebuild all nodes with open tables.
ex td_ex_open(td_exprs* g, ex e) {
  if (g->failed || !is_node(g, e)) return EX_NONE;
  reach r = {0};
  if (!td_reach(g, &e, 1, (reach_rule){0, false}, &r)) return graph_fail(g);
  ex* made = malloc((size_t)max_int(r.n, 1) * sizeof *made);
  if (!made) graph_fail(g);

  // rebuild every node, with open tables
  for (int i = 0; i < r.n && !g->failed; i++) {
    const node n = *node_at(g, r.list[i]);
    ex arg[3] = {EX_NONE, EX_NONE, EX_NONE};
    made[i] = r.list[i];
    for (int k = 0; k < td_op_arity((ex_op)n.op); k++) arg[k] = made[reach_rank(&r, n.arg[k])];
    if (n.op == EX_TABLE) {
      made[i] = td_table_node(g, td_table_open(g, n.arg[1]), arg[0]);
    } else if (n.op != EX_VAR && n.op != EX_CONST) {
      made[i] = td_ex_make(g, (ex_op)n.op, arg[0], arg[1], arg[2]);
    }
  }

  const ex result = g->failed ? EX_NONE : made[reach_rank(&r, e)];
  free(made);
  td_reach_free(&r);
  return result;
}
