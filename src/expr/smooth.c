// Smoothness of an expression in some of its variables: the number of continuous derivatives.
// Corners and jumps are those of the operations; that the two sides of an `ifelse` happen to meet
// is not seen.  Only where a square or a higher power takes a corner that lies at zero away, as in
// max(x, 0)^2, it is counted as the smoother one that it is.
#include "expr/graph.h"

enum { SMOOTH = 3 };  // and smoother

// Smoothness of a table: at its knots, and at its ends where it holds its end values.
static int table_smoothness(const table* t) {
  const double *x = t->data, *coef = t->data + t->n, width = (x[t->n - 1] - x[0]) / (t->n - 1);
  double size = 0;
  for (int i = 0; i < (t->n - 1) * t->order; i += t->order) size = fmax(size, fabs(coef[i]));
  int least = SMOOTH;
  for (int k = t->clamp ? 0 : 1; k < (t->clamp ? t->n : t->n - 1); k++) {
    // derivatives of the pieces before and behind the knot; beyond the ends the value alone
    double side[2][SMOOTH] = {{0}};
    for (int behind = 0; behind < 2; behind++) {
      const bool held = k == 0 ? !behind : k == t->n - 1 && behind;
      const int piece = min_int(max_int(k - 1 + behind, 0), t->n - 2);
      const double h = x[k] - x[piece], *c = coef + piece * t->order;
      for (int d = 0; d < (held ? 1 : SMOOTH); d++)
        for (int i = d; i < t->order; i++) {
          double falling = 1;
          for (int j = 0; j < d; j++) falling *= i - j;
          side[behind][d] += falling * c[i] * pow(h, i - d);
        }
    }
    // to rounding, in units of the table's values and of the distance between knots
    double unit = 1e-9 * size;
    for (int d = 0; d < SMOOTH; d++, unit /= width)
      if (fabs(side[1][d] - side[0][d]) > unit) least = min_int(least, d - 1);
  }
  return least;
}

// Is the corner of a node at its value 0?
static bool turns_at_zero(const td_exprs* g, const node* n) {
  if (n->op == EX_ABS) return true;
  if (n->op != EX_MAX && n->op != EX_MIN) return false;
  for (int i = 0; i < 2; i++)
    if (td_ex_is_const(g, n->arg[i]) && td_ex_value(g, n->arg[i]) == 0) return true;
  return false;
}

// Derive the smoothness of each node from that of its operands, operands first. -1 also without
// memory.
int td_ex_smoothness(const td_exprs* g, ex e, int depends) {
  reach r;
  if (!is_node(g, e) || !(node_at(g, e)->depends & depends)) return SMOOTH;
  if (!td_reach(g, &e, 1, (reach_rule){depends, false}, &r)) return -1;
  int* of = malloc((size_t)max_int(r.n, 1) * sizeof *of);
  for (int i = 0; of && i < r.n; i++) {
    const node* n = node_at(g, r.list[i]);
    const ex_op op = (ex_op)n->op;
    of[i] = SMOOTH;
    for (int k = 0; k < td_op_arity(op); k++)
      if (reach_has(&r, n->arg[k])) of[i] = min_int(of[i], of[reach_rank(&r, n->arg[k])]);

    // the operation itself: a jump, a corner, or the knots of a table
    const bool by_condition = op == EX_IFELSE && reach_has(&r, n->arg[0]);
    if (op != EX_VAR && (td_op_is_flat(op) || op == EX_MOD || by_condition)) of[i] = -1;
    if (op == EX_ABS || op == EX_MIN || op == EX_MAX) of[i] = min_int(of[i], 0);
    if (op == EX_TABLE) of[i] = min_int(of[i], table_smoothness(&g->tables[n->arg[1]]));

    // x x and x^n make the corner of an operand that is zero there smoother
    const bool square = op == EX_MUL && n->arg[0] == n->arg[1];
    const bool power = op == EX_POW && td_ex_is_const(g, n->arg[1]);
    if (of[i] == 0 && (square || power) && turns_at_zero(g, node_at(g, n->arg[0])))
      of[i] = (int)fmin(SMOOTH, fmax(0, square ? 1 : ceil(td_ex_value(g, n->arg[1])) - 1));
  }
  const int result = of ? of[r.n - 1] : -1;
  free(of);
  td_reach_free(&r);
  return result;
}
