// The inside of the expression graph, for the files of this folder only.
#ifndef TD_GRAPH_H
#define TD_GRAPH_H

#include <math.h>

#include "expr.h"

// 16 bytes, hashed and compared as they are.  What `arg` holds depends on the operation:
//   CONST  the two halves of the value      VAR  the variable's number
//   TABLE  the operand and the table's number      else the operands, EX_NONE where unused
typedef struct node {
  uint16_t op;
  uint16_t depends;
  ex arg[3];
} node;

// A piecewise polynomial as in td_ex_table: knots, then the pieces, in one block.
typedef struct table {
  int n, order;
  bool clamp;
  double* data;  // n knots, (n-1)*order coefficients
  uint64_t hash;
  int slope;  // number of the derivative's table, -1: not made yet
} table;

typedef struct variable {
  char* name;
  td_depends kind;
} variable;

// The hash beside the number spares a look at the node, which is most often far away in memory.
typedef struct slot {
  uint32_t hash;
  int node;  // -1: free
} slot;

struct td_exprs {
  node* nodes;
  int n, cap;
  slot* slots;  // open addressing
  int nslot;    // a power of two
  table* tables;
  int ntable, table_cap;
  variable* vars;
  int nvar, var_cap;
  bool failed;
};

int td_op_arity(ex_op op);
bool td_op_is_flat(ex_op op);     // piecewise constant: its derivative is 0
bool td_op_is_logical(ex_op op);  // gives 0 or 1 and prints as a condition

static inline bool is_node(const td_exprs* g, ex e) { return e >= 0 && e < g->n; }
static inline const node* node_at(const td_exprs* g, ex e) { return &g->nodes[e]; }
// For good: every constructor gives EX_NONE from now on.
static inline ex graph_fail(td_exprs* g) {
  g->failed = true;
  return EX_NONE;
}
double td_node_value(const node* n);  // of a CONST node

// The node, found or made.  No folding.
ex td_node_cons(td_exprs* g, ex_op op, ex a, ex b, ex c);
// The node after algebra.  Not all operands are constants: td_ex_make has dealt with that.
ex td_node_fold(td_exprs* g, ex_op op, ex a, ex b, ex c);

// A table node; `number` is a table of g.
ex td_table_node(td_exprs* g, int number, ex x);
// The number of the derivative's table, -1: no memory.
int td_table_slope(td_exprs* g, int number);
double td_table_eval(const double* knots, int n, const double* coef, int order, bool clamp,
                     double x);
static inline double table_eval(const table* t, double x) {
  return td_table_eval(t->data, t->n, t->data + t->n, t->order, t->clamp, x);
}

// MATLAB's mod: the sign of the divisor, mod(x, 0) = x.  fmod is exact, so no rounding enters
// except in the last addition.
static inline double matlab_mod(double x, double y) {
  if (y == 0) return x;
  const double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// The value of every operation but CONST, VAR and TABLE, for folding, td_ex_eval and the tape.
static inline double apply(ex_op op, double x, double y, double z) {
  switch (op) {
    case EX_CONST:
    case EX_VAR:
    case EX_TABLE:
    case EX_OP_COUNT:
      break;
    case EX_NEG:
      return -x;
    case EX_ADD:
      return x + y;
    case EX_SUB:
      return x - y;
    case EX_MUL:
      return x * y;
    case EX_DIV:
      return x / y;
    case EX_POW:
      return pow(x, y);
    case EX_SQRT:
      return sqrt(x);
    case EX_EXP:
      return exp(x);
    case EX_LOG:
      return log(x);
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
    case EX_ATAN2:
      return atan2(x, y);
    case EX_SINH:
      return sinh(x);
    case EX_COSH:
      return cosh(x);
    case EX_TANH:
      return tanh(x);
    case EX_ABS:
      return fabs(x);
    case EX_SIGN:
      return isnan(x) ? x : (double)((x > 0) - (x < 0));
    case EX_FLOOR:
      return floor(x);
    case EX_CEIL:
      return ceil(x);
    case EX_ROUND:
      return round(x);
    case EX_MOD:
      return matlab_mod(x, y);
    case EX_MIN:
      return fmin(x, y);
    case EX_MAX:
      return fmax(x, y);
    case EX_HYPOT:
      return hypot(x, y);
    case EX_LT:
      return x < y;
    case EX_LE:
      return x <= y;
    case EX_EQ:
      return x == y;
    case EX_NE:
      return x != y;
    case EX_AND:
      return x != 0 && y != 0;
    case EX_OR:
      return x != 0 || y != 0;
    case EX_NOT:
      return x == 0;
    case EX_IFELSE:
      return x != 0 ? y : z;
    case EX_STEP:
      return x >= y;
  }
  return NAN;
}

// The nodes that some roots need, as a bitmap with ranks: node e is number reach_rank(r, e) of
// `list`, which is ascending and therefore in order of evaluation.
typedef struct reach {
  uint64_t* bits;
  int* rank;  // members before each word of 64
  ex* list;
  int n, words;
} reach;

typedef struct reach_rule {
  int depends;  // pass over nodes that depend on none of these; 0: keep all
  bool smooth;  // stop at operations with zero derivative, and pass over conditions
} reach_rule;

// False: no memory (then there is nothing to free).  Roots are valid handles.
bool td_reach(const td_exprs* g, const ex* roots, int nroot, reach_rule rule, reach* r);
void td_reach_free(reach* r);

static inline bool reach_has(const reach* r, ex e) {
  return e >= 0 && e / 64 < r->words && (r->bits[e / 64] >> (e % 64) & 1);
}
static inline int reach_rank(const reach* r, ex e) {
  const uint64_t below = r->bits[e / 64] & (((uint64_t)1 << (e % 64)) - 1);
  return r->rank[e / 64] + __builtin_popcountll(below);
}

#endif
