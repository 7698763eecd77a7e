// Internals of the expression graph, for the files of this folder only.
#ifndef TD_GRAPH_H
#define TD_GRAPH_H

#include <math.h>

#include "expr/apply.h"
#include "expr/tape.h"

// Node of 16 bytes, hashed and compared as raw bytes.  The operation determines what `arg` holds:
//   CONST  the two halves of the value      VAR  the variable's number
//   TABLE  the operand and the table's number      else the operands, EX_NONE where unused
typedef struct node {
  uint16_t op;
  uint16_t depends;
  ex arg[3];
} node;

// Piecewise polynomial as in td_ex_table: knots, then the pieces, in one block
typedef struct table {
  int n, order;
  bool clamp;
  double* data;  // n knots, (n-1)*order coefficients
  uint64_t hash;
  int slope;  // number of the derivative's table, -1: not made yet
  int of;     // number of the table that this one is the derivative of, -1: none
} table;

typedef struct variable {
  char* name;
  td_depends kind;
} variable;

// Slot of the hash table.  Storing the hash avoids reading the node, which is likely not in the
// cache
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
// Mark the graph as failed for good: every constructor returns EX_NONE from now on.
static inline ex graph_fail(td_exprs* g) {
  g->failed = true;
  return EX_NONE;
}
double td_node_value(const node* n);  // value of a CONST node

// Find or create a node, without folding.
ex td_node_cons(td_exprs* g, ex_op op, ex a, ex b, ex c);
// Create a node that evaluates table `number` of g at x.
ex td_table_node(td_exprs* g, int number, ex x);
// Number of the table that is the derivative of this one; -1: no memory.
int td_table_slope(td_exprs* g, int number);
// Number of the table whose end pieces continue beyond the end knots; for a derivative, the
// derivative of the open table.  -1: no memory.
int td_table_open(td_exprs* g, int number);
static inline double table_eval(const table* t, double x) {
  return td_table_eval(t->data, t->n, t->data + t->n, t->order, t->clamp, x);
}

// Set of nodes that some roots need, as a bitmap with ranks: node e is number reach_rank(r, e) of
// `list`, which is ascending and therefore in order of evaluation
typedef struct reach {
  uint64_t* bits;
  int* rank;  // number of members before each word of 64
  ex* list;
  int n, words;
} reach;

typedef struct reach_rule {
  int depends;  // skip nodes that depend on none of these kinds; 0: keep all
  bool smooth;  // stop at operations with zero derivative, and skip conditions
} reach_rule;

// Collect the nodes that the roots (valid handles) need.  False: no memory, nothing to free.
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
