// Algebra that is applied when a node is created.  Only rules are used that preserve the value in
// floating point, up to the sign of a zero and barring overflow on the way.  Three rules go
// further, because symbolic derivatives rely on them: 0*x = 0, 0/x = 0 and x-x = 0 hold also where
// x is infinite or NaN.  Sums and products are never regrouped, and a division by a constant stays
// a division unless the reciprocal is exact.
//
// Minus signs move outwards and into constants, so that a sign has one place: a + (-2)x becomes
// a - 2x, and sin(-x) becomes -sin(x).  Commutative operands are ordered: a constant first, then by
// age.  To add a rule: put it at its operation below; a node without a rule is created as it is.
#include "expr/graph.h"

// True if e is the constant `value`.
static bool is(const td_exprs* g, ex e, double value) {
  return td_ex_is_const(g, e) && td_ex_value(g, e) == value;
}

static ex arg(const td_exprs* g, ex e, int i) { return node_at(g, e)->arg[i]; }

// True if e is c*x or c/x with a constant c; a constant factor stands nowhere else.
static bool has_factor(const td_exprs* g, ex e) {
  const ex_op op = td_ex_op(g, e);
  return (op == EX_MUL || op == EX_DIV) && td_ex_is_const(g, arg(g, e, 0));
}

// s times c*x (or c/x), as (s*c)*x
static ex scale_factor(td_exprs* g, ex e, double s) {
  const double c = td_ex_value(g, arg(g, e, 0));
  return td_ex_2(g, td_ex_op(g, e), td_ex_const(g, s * c), arg(g, e, 1));
}

// True if e carries a minus sign: a negative constant, -x, or a negative constant factor.
static bool negative(const td_exprs* g, ex e) {
  if (td_ex_is_const(g, e)) return td_ex_value(g, e) < 0;
  return td_ex_op(g, e) == EX_NEG || (has_factor(g, e) && td_ex_value(g, arg(g, e, 0)) < 0);
}

// True if c and 1/c are powers of two, so that products with them are exact.
static bool is_power_of_two(double c) {
  int exponent;
  return isnormal(c) && fabs(frexp(c, &exponent)) == 0.5 && isnormal(1 / c);
}

// 1 where e is not zero, else 0; a condition is its own truth value.
static ex truth(td_exprs* g, ex e) {
  const ex_op op = td_ex_op(g, e);
  return td_op_is_logical(op) || op == EX_STEP ? e : td_ex_2(g, EX_NE, e, td_ex_const(g, 0));
}

// Rules for c*b with a constant c, the value of node a.
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

// Rules for +, -, *, / and powers; EX_NONE: no rule applies.
static ex fold_arithmetic(td_exprs* g, ex_op op, ex a, ex b) {
  const bool neg_a = td_ex_op(g, a) == EX_NEG, neg_b = td_ex_op(g, b) == EX_NEG;
  switch (op) {
    case EX_ADD:
      if (is(g, a, 0)) return b;
      if (a == b) return td_ex_2(g, EX_MUL, td_ex_const(g, 2), a);
      if (negative(g, b)) return td_ex_2(g, EX_SUB, a, td_ex_1(g, EX_NEG, b));
      if (negative(g, a)) return td_ex_2(g, EX_SUB, b, td_ex_1(g, EX_NEG, a));
      return EX_NONE;
    case EX_SUB:
      if (is(g, b, 0)) return a;
      if (is(g, a, 0)) return td_ex_1(g, EX_NEG, b);
      if (a == b) return td_ex_const(g, 0);
      if (negative(g, b)) return td_ex_2(g, EX_ADD, a, td_ex_1(g, EX_NEG, b));
      return EX_NONE;
    case EX_MUL:
      if (td_ex_is_const(g, a)) return fold_scaled(g, a, b);
      if (neg_a) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_MUL, arg(g, a, 0), b));
      if (neg_b) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_MUL, a, arg(g, b, 0)));
      return EX_NONE;
    case EX_DIV:
      if (is(g, a, 0)) return td_ex_const(g, 0);
      if (is(g, b, 1)) return a;
      if (td_ex_is_const(g, b)) {
        const double c = td_ex_value(g, b);
        if (is_power_of_two(c)) return td_ex_2(g, EX_MUL, td_ex_const(g, 1 / c), a);
        if (c < 0) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_DIV, a, td_ex_const(g, -c)));
      }
      if (neg_a) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_DIV, arg(g, a, 0), b));
      if (neg_b) return td_ex_1(g, EX_NEG, td_ex_2(g, EX_DIV, a, arg(g, b, 0)));
      return EX_NONE;
    case EX_POW:
      if (is(g, b, 0) || is(g, a, 1)) return td_ex_const(g, 1);
      if (is(g, b, 1)) return a;
      if (is(g, b, 2)) return td_ex_2(g, EX_MUL, a, a);
      if (is(g, b, 0.5)) return td_ex_1(g, EX_SQRT, a);
      if (is(g, b, -1)) return td_ex_2(g, EX_DIV, td_ex_const(g, 1), a);
      return EX_NONE;
    default:
      return EX_NONE;
  }
}

// Rules for functions of one operand; EX_NONE: no rule applies.
static ex fold_function(td_exprs* g, ex_op op, ex a) {
  const ex_op inner = td_ex_op(g, a);
  switch (op) {
    case EX_NEG:
      if (inner == EX_NEG) return arg(g, a, 0);
      if (inner == EX_SUB) return td_ex_2(g, EX_SUB, arg(g, a, 1), arg(g, a, 0));
      return has_factor(g, a) ? scale_factor(g, a, -1) : EX_NONE;
    case EX_FLOOR:
    case EX_CEIL:
    case EX_ROUND:
      // whole already
      if (inner == EX_FLOOR || inner == EX_CEIL || inner == EX_ROUND || inner == EX_SIGN) return a;
      if (op != EX_ROUND) return EX_NONE;
      // fall through
    case EX_SIN:
    case EX_TAN:
    case EX_ASIN:
    case EX_ATAN:
    case EX_SINH:
    case EX_TANH:
    case EX_SIGN:
      // odd: f(-x) = -f(x)
      if (!negative(g, a)) return EX_NONE;
      return td_ex_1(g, EX_NEG, td_ex_1(g, op, td_ex_1(g, EX_NEG, a)));
    case EX_COS:
    case EX_COSH:
    case EX_ABS:
      // even: f(-x) = f(x)
      if (negative(g, a)) return td_ex_1(g, op, td_ex_1(g, EX_NEG, a));
      if (op == EX_ABS &&
          (inner == EX_ABS || inner == EX_SQRT || inner == EX_EXP || inner == EX_HYPOT))
        return a;
      return EX_NONE;
    default:
      return EX_NONE;
  }
}

// Rules for comparisons, conditions, choices and the remaining functions of two operands; EX_NONE:
// no rule applies.
static ex fold_condition(td_exprs* g, ex_op op, ex a, ex b, ex c) {
  const ex_op inner = td_ex_op(g, a);
  switch (op) {
    case EX_LT:
    case EX_LE:
    case EX_EQ:
    case EX_NE:
    case EX_STEP:
      // NaN is ignored, as in x-x = 0
      return a == b ? td_ex_const(g, op == EX_LE || op == EX_EQ || op == EX_STEP) : EX_NONE;
    case EX_AND:
    case EX_OR:
      if (td_ex_is_const(g, a)) {
        const bool on = td_ex_value(g, a) != 0;
        return on == (op == EX_AND) ? truth(g, b) : td_ex_const(g, on);
      }
      return a == b ? truth(g, a) : EX_NONE;
    case EX_NOT:
      if (inner == EX_NOT) return truth(g, arg(g, a, 0));
      if (inner == EX_EQ) return td_ex_2(g, EX_NE, arg(g, a, 0), arg(g, a, 1));
      if (inner == EX_NE) return td_ex_2(g, EX_EQ, arg(g, a, 0), arg(g, a, 1));
      return EX_NONE;
    case EX_IFELSE:
      if (td_ex_is_const(g, a)) return td_ex_value(g, a) != 0 ? b : c;
      if (b == c) return b;
      return inner == EX_NOT ? td_ex_make(g, EX_IFELSE, arg(g, a, 0), c, b) : EX_NONE;
    case EX_MIN:
    case EX_MAX:
      return a == b ? a : EX_NONE;
    case EX_MOD:
      return is(g, b, 0) ? a : EX_NONE;
    case EX_HYPOT:
      if (is(g, a, 0)) return td_ex_1(g, EX_ABS, b);
      if (negative(g, a)) return td_ex_2(g, EX_HYPOT, td_ex_1(g, EX_NEG, a), b);
      return negative(g, b) ? td_ex_2(g, EX_HYPOT, a, td_ex_1(g, EX_NEG, b)) : EX_NONE;
    default:
      return EX_NONE;
  }
}

// True if op(a, b) = op(b, a).
static bool commutes(ex_op op) {
  return op == EX_ADD || op == EX_MUL || op == EX_MIN || op == EX_MAX || op == EX_HYPOT ||
         op == EX_EQ || op == EX_NE || op == EX_AND || op == EX_OR;
}

// Create a node after folding constants and applying the rules.
ex td_ex_make(td_exprs* g, ex_op op, ex a, ex b, ex c) {
  const ex args[3] = {a, b, c};
  if (g->failed || op < EX_NEG || op >= EX_TABLE) return EX_NONE;

  // constant operands give a constant
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

  // order commutative operands: a constant first, then by age
  if (commutes(op)) {
    const bool ca = td_ex_is_const(g, a), cb = td_ex_is_const(g, b);
    if (ca == cb ? a > b : cb) a = args[1], b = args[0];
  }

  // the first rule that applies, else the plain node
  ex folded = EX_NONE;
  if (arity == 1 && op != EX_NOT) {
    folded = fold_function(g, op, a);
  } else if (op >= EX_ADD && op <= EX_POW) {
    folded = fold_arithmetic(g, op, a, b);
  } else {
    folded = fold_condition(g, op, a, b, c);
  }
  return folded != EX_NONE ? folded : td_node_cons(g, op, a, b, c);
}
