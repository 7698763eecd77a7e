// What the tests of the expressions share: a graph with three variables and any operation on them.
#ifndef TD_SAMPLES_H
#define TD_SAMPLES_H

#include "check.h"
#include "expr/expr.h"

static const char* const op_names[EX_OP_COUNT] = {
#define X(name, arity, c) #name,
    TD_EX_OPS(X)
#undef X
};

static const int op_arity[EX_OP_COUNT] = {
#define X(name, arity, c) arity,
    TD_EX_OPS(X)
#undef X
};

typedef struct sample {
  td_exprs* g;
  ex x, y, z;  // variables 0, 1 and 2
} sample;

static inline sample sample_new(void) {
  sample s = {.g = td_exprs_new()};
  s.x = td_ex_var(s.g, td_exprs_var(s.g, "x", TD_ON_STATE));
  s.y = td_ex_var(s.g, td_exprs_var(s.g, "y", TD_ON_STATE));
  s.z = td_ex_var(s.g, td_exprs_var(s.g, "z", TD_ON_RATE));
  return s;
}

// A cubic on three knots, with a jump in its second derivative.
static const double sample_knots[3] = {0.1, 0.5, 1.2};
static const double sample_coef[8] = {1, -0.5, 2, 0.7, 1.1648, 1.436, 0.3, -0.2};

// Any operation but CONST and VAR.
static inline ex sample_op(td_exprs* g, ex_op op, ex a, ex b, ex c) {
  if (op == EX_TABLE) return td_ex_table(g, sample_knots, 3, sample_coef, 4, true, a);
  const int n = op_arity[op];
  return td_ex_make(g, op, a, n > 1 ? b : EX_NONE, n > 2 ? c : EX_NONE);
}

static inline ex sample_const(const sample* s, double value) { return td_ex_const(s->g, value); }

#endif
