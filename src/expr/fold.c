// Algebra applied when a node is made: only what leaves the value as it is in floating point, to
// the sign of a zero and short of overflow on the way.  Three rules go further, because symbolic
// derivatives are made of them: 0*x = 0, 0/x = 0 and x-x = 0 hold also where x is infinite or not a
// number.  Sums and products are never regrouped, and dividing by a constant stays a division
// unless the reciprocal is exact.
//
// Minus signs move outwards and into constants, so that a sign has one place: a + (-2)x is made as
// a - 2x and sin(-x) as -sin(x).  Commutative operands are ordered: a constant first, then by age.
#include "expr/graph.h"

static bool is(const td_exprs* g, ex e, double value) {
  return td_ex_is_const(g, e) && td_ex_value(g, e) == value;
}

static ex arg(const td_exprs* g, ex e, int i) { return node_at(g, e)->arg[i]; }

// c*x and c/x with a constant c, the only place a constant factor can be.
static bool has_factor(const td_exprs* g, ex e) {
  const ex_op op = td_ex_op(g, e);
  return (op == EX_MUL || op == EX_DIV) && td_ex_is_const(g, arg(g, e, 0));
}

// (c*x, s) -> (s*c)*x
static ex scale_factor(td_exprs* g, ex e, double s) {
  const double c = td_ex_value(g, arg(g, e, 0));
  return td_ex_2(g, td_ex_op(g, e), td_ex_const(g, s * c), arg(g, e, 1));
}

// Does e carry a minus sign?
static bool negative(const td_exprs* g, ex e) {
  if (td_ex_is_const(g, e)) return td_ex_value(g, e) < 0;
  return td_ex_op(g, e) == EX_NEG || (has_factor(g, e) && td_ex_value(g, arg(g, e, 0)) < 0);
}

static bool is_power_of_two(double c) {
  int exponent;
  return isnormal(c) && fabs(frexp(c, &exponent)) == 0.5 && isnormal(1 / c);
}

// The same truth as a number 0 or 1.
static ex truth(td_exprs* g, ex e) {
  const ex_op op = td_ex_op(g, e);
  return td_op_is_logical(op) || op == EX_STEP ? e : td_ex_2(g, EX_NE, e, td_ex_const(g, 0));
}

// ---- rules, by operation; each ends with the plain node ---------------------------------------

static ex fold_neg(td_exprs* g, ex a) {
  const ex_op op = td_ex_op(g, a);
  if (op == EX_NEG) return arg(g, a, 0);
  if (op == EX_SUB) return td_ex_2(g, EX_SUB, arg(g, a, 1), arg(g, a, 0));
  if (has_factor(g, a)) return scale_factor(g, a, -1);
  return td_node_cons(g, EX_NEG, a, EX_NONE, EX_NONE);
}

static ex fold_add(td_exprs* g, ex a, ex b) {
  if (is(g, a, 0)) return b;
  if (a == b) return td_ex_2(g, EX_MUL, td_ex_const(g, 2), a);
  if (negative(g, b)) return td_ex_2(g, EX_SUB, a, td_ex_1(g, EX_NEG, b));
  if (negative(g, a)) return td_ex_2(g, EX_SUB, b, td_ex_1(g, EX_NEG, a));
  return td_node_cons(g, EX_ADD, a, b, EX_NONE);
}

static ex fold_sub(td_exprs* g, ex a, ex b) {
  if (is(g, b, 0)) return a;
  if (is(g, a, 0)) return td_ex_1(g, EX_NEG, b);
  if (a == b) return td_ex_const(g, 0);
  if (negative(g, b)) return td_ex_2(g, EX_ADD, a, td_ex_1(g, EX_NEG, b));
  return td_node_cons(g, EX_SUB, a, b, EX_NONE);
}

// c*b with a constant c
static ex fold_scaled(td_exprs* g, ex a, ex b) {
  const double c = td_ex_value(g, a);
  if (c == 0) return td_ex_const(g, 0);
  if (c == 1) return b;
  if (c == -1) return td_ex_1(g, EX_NEG, b);
  if (td_ex_op(g, b) == EX_NEG) return td_ex_2(g, EX_MUL, td_ex_const(g, -c), arg(g, b, 0));
  if (has_factor(g, b)) {
    const double c2 = td_ex_value(g, arg(g, b, 0));
    const bool exact = is_power_of_two(c) || (is_power_of_two(c2) && td_ex_op(g, b) == EX_MUL);
    if (exact && isnormal(c * c2)) return scale_factor(g, b, c);
  }
  return td_node_cons(g, EX_MUL, a, b, EX_NONE);
}

static ex fold_mul(td_exprs* g, ex a, ex b) {
  if (td_ex_is_const(g, a)) return fold_scaled(g, a, b);
  if (td_ex_op(g, a) == EX_NEG) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_MUL, arg(g, a, 0), b));
  if (td_ex_op(g, b) == EX_NEG) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_MUL, a, arg(g, b, 0)));
  return td_node_cons(g, EX_MUL, a, b, EX_NONE);
}

static ex fold_div(td_exprs* g, ex a, ex b) {
  if (is(g, a, 0)) return td_ex_const(g, 0);
  if (is(g, b, 1)) return a;
  if (td_ex_is_const(g, b)) {
    const double c = td_ex_value(g, b);
    if (is_power_of_two(c)) return td_ex_2(g, EX_MUL, td_ex_const(g, 1 / c), a);
    if (c < 0) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_DIV, a, td_ex_const(g, -c)));
  }
  if (td_ex_op(g, a) == EX_NEG) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_DIV, arg(g, a, 0), b));
  if (td_ex_op(g, b) == EX_NEG) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_DIV, a, arg(g, b, 0)));
  return td_node_cons(g, EX_DIV, a, b, EX_NONE);
}

static ex fold_pow(td_exprs* g, ex a, ex b) {
  if (is(g, b, 0) || is(g, a, 1)) return td_ex_const(g, 1);
  if (is(g, b, 1)) return a;
  if (is(g, b, 2)) return td_ex_2(g, EX_MUL, a, a);
  if (is(g, b, 0.5)) return td_ex_1(g, EX_SQRT, a);
  if (is(g, b, -1)) return td_ex_2(g, EX_DIV, td_ex_const(g, 1), a);
  return td_node_cons(g, EX_POW, a, b, EX_NONE);
}

// f(-x) = -f(x)
static ex fold_odd(td_exprs* g, ex_op op, ex a) {
  if (negative(g, a)) return td_ex_1(g, EX_NEG, td_ex_1(g, op, td_ex_1(g, EX_NEG, a)));
  return td_node_cons(g, op, a, EX_NONE, EX_NONE);
}

// f(-x) = f(x)
static ex fold_even(td_exprs* g, ex_op op, ex a) {
  const ex_op inner = td_ex_op(g, a);
  if (negative(g, a)) return td_ex_1(g, op, td_ex_1(g, EX_NEG, a));
  const bool positive = inner == EX_ABS || inner == EX_SQRT || inner == EX_EXP || inner == EX_HYPOT;
  if (op == EX_ABS && positive) return a;
  return td_node_cons(g, op, a, EX_NONE, EX_NONE);
}

// floor, ceil and round of what is whole already
static ex fold_whole(td_exprs* g, ex_op op, ex a) {
  const ex_op inner = td_ex_op(g, a);
  if (inner == EX_FLOOR || inner == EX_CEIL || inner == EX_ROUND || inner == EX_SIGN) return a;
  if (op == EX_ROUND) return fold_odd(g, op, a);
  return td_node_cons(g, op, a, EX_NONE, EX_NONE);
}

static ex fold_hypot(td_exprs* g, ex a, ex b) {
  if (is(g, a, 0)) return td_ex_1(g, EX_ABS, b);
  if (negative(g, a)) return td_ex_2(g, EX_HYPOT, td_ex_1(g, EX_NEG, a), b);
  if (negative(g, b)) return td_ex_2(g, EX_HYPOT, a, td_ex_1(g, EX_NEG, b));
  return td_node_cons(g, EX_HYPOT, a, b, EX_NONE);
}

// Comparing a thing with itself; NaN is left out of account as in x-x = 0.
static ex fold_compare(td_exprs* g, ex_op op, ex a, ex b) {
  if (a == b) return td_ex_const(g, op == EX_LE || op == EX_EQ || op == EX_STEP);
  return td_node_cons(g, op, a, b, EX_NONE);
}

static ex fold_and_or(td_exprs* g, ex_op op, ex a, ex b) {
  if (td_ex_is_const(g, a)) {
    const bool on = td_ex_value(g, a) != 0;
    return on == (op == EX_AND) ? truth(g, b) : td_ex_const(g, on);
  }
  if (a == b) return truth(g, a);
  return td_node_cons(g, op, a, b, EX_NONE);
}

static ex fold_not(td_exprs* g, ex a) {
  const ex_op inner = td_ex_op(g, a);
  if (inner == EX_NOT) return truth(g, arg(g, a, 0));
  if (inner == EX_EQ) return td_ex_2(g, EX_NE, arg(g, a, 0), arg(g, a, 1));
  if (inner == EX_NE) return td_ex_2(g, EX_EQ, arg(g, a, 0), arg(g, a, 1));
  return td_node_cons(g, EX_NOT, a, EX_NONE, EX_NONE);
}

static ex fold_ifelse(td_exprs* g, ex a, ex b, ex c) {
  if (td_ex_is_const(g, a)) return td_ex_value(g, a) != 0 ? b : c;
  if (b == c) return b;
  if (td_ex_op(g, a) == EX_NOT) return td_ex_make(g, EX_IFELSE, arg(g, a, 0), c, b);
  return td_node_cons(g, EX_IFELSE, a, b, c);
}

static bool commutes(ex_op op) {
  return op == EX_ADD || op == EX_MUL || op == EX_MIN || op == EX_MAX || op == EX_HYPOT ||
         op == EX_EQ || op == EX_NE || op == EX_AND || op == EX_OR;
}

static bool out_of_order(const td_exprs* g, ex a, ex b) {
  const bool ca = td_ex_is_const(g, a), cb = td_ex_is_const(g, b);
  return ca == cb ? a > b : cb;
}

// The node after algebra.  Not all operands are constants: td_ex_make has dealt with that.
static ex fold(td_exprs* g, ex_op op, ex a, ex b, ex c) {
  if (commutes(op) && out_of_order(g, a, b)) {
    const ex first = b;
    b = a, a = first;
  }
  switch (op) {
    case EX_NEG:
      return fold_neg(g, a);
    case EX_ADD:
      return fold_add(g, a, b);
    case EX_SUB:
      return fold_sub(g, a, b);
    case EX_MUL:
      return fold_mul(g, a, b);
    case EX_DIV:
      return fold_div(g, a, b);
    case EX_POW:
      return fold_pow(g, a, b);
    case EX_SIN:
    case EX_TAN:
    case EX_ASIN:
    case EX_ATAN:
    case EX_SINH:
    case EX_TANH:
    case EX_SIGN:
      return fold_odd(g, op, a);
    case EX_COS:
    case EX_COSH:
    case EX_ABS:
      return fold_even(g, op, a);
    case EX_FLOOR:
    case EX_CEIL:
    case EX_ROUND:
      return fold_whole(g, op, a);
    case EX_HYPOT:
      return fold_hypot(g, a, b);
    case EX_MIN:
    case EX_MAX:
      return a == b ? a : td_node_cons(g, op, a, b, c);
    case EX_MOD:
      return is(g, b, 0) ? a : td_node_cons(g, op, a, b, c);
    case EX_LT:
    case EX_LE:
    case EX_EQ:
    case EX_NE:
    case EX_STEP:
      return fold_compare(g, op, a, b);
    case EX_AND:
    case EX_OR:
      return fold_and_or(g, op, a, b);
    case EX_NOT:
      return fold_not(g, a);
    case EX_IFELSE:
      return fold_ifelse(g, a, b, c);
    case EX_SQRT:
    case EX_EXP:
    case EX_LOG:
    case EX_ACOS:
    case EX_ATAN2:
      return td_node_cons(g, op, a, b, c);
    case EX_CONST:
    case EX_VAR:
    case EX_TABLE:
    case EX_OP_COUNT:
      break;
  }
  return EX_NONE;
}

ex td_ex_make(td_exprs* g, ex_op op, ex a, ex b, ex c) {
  const ex args[3] = {a, b, c};
  if (g->failed || op < EX_NEG || op >= EX_TABLE) return EX_NONE;
  double value[3] = {0, 0, 0};
  bool constant = true;
  const int arity = td_op_arity(op);
  for (int i = 0; i < arity; i++) {
    if (!is_node(g, args[i])) return EX_NONE;
    constant = constant && td_ex_is_const(g, args[i]);
    value[i] = td_ex_value(g, args[i]);
  }

  if (constant) return td_ex_const(g, apply(op, value[0], value[1], value[2]));
  if (arity < 2) b = EX_NONE;
  if (arity < 3) c = EX_NONE;
  return fold(g, op, a, b, c);
}
