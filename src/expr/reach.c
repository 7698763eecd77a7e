// The nodes that an expression needs.  Operands precede the nodes that use them, so that one sweep
// down a bitmap marks everything: no stack, no recursion.  The cost is the size of the expression
// plus 1/64 of the range of its handles.
#include "base/order.h"
#include "expr/graph.h"

// Add node e to the set.
static void mark(reach* r, ex e) { r->bits[e / 64] |= (uint64_t)1 << (e % 64); }

// True if the rule keeps node e.
static bool wanted(const td_exprs* g, ex e, reach_rule rule) {
  return rule.depends == 0 || (node_at(g, e)->depends & rule.depends) != 0;
}

// Mark the needed nodes in one sweep down the bitmap, then list them.
bool td_reach(const td_exprs* g, const ex* roots, int nroot, reach_rule rule, reach* r) {
  ex top = 0;
  for (int i = 0; i < nroot; i++) top = max_int(top, roots[i]);
  *r = (reach){.words = top / 64 + 1};
  r->bits = calloc((size_t)r->words, sizeof *r->bits);
  r->rank = malloc((size_t)r->words * sizeof *r->rank);
  if (!r->bits || !r->rank) goto failed;

  for (int i = 0; i < nroot; i++) {
    if (wanted(g, roots[i], rule)) mark(r, roots[i]);
  }

  // from the last node down, mark the operands of each marked node
  for (int w = r->words - 1; w >= 0; w--) {
    uint64_t done = 0;
    for (uint64_t todo; (todo = r->bits[w] & ~done) != 0;) {
      const int bit = 63 - __builtin_clzll(todo);
      done |= (uint64_t)1 << bit;
      r->n++;
      const node* n = node_at(g, 64 * w + bit);
      const ex_op op = (ex_op)n->op;
      if (rule.smooth && td_op_is_flat(op)) continue;
      for (int i = rule.smooth && op == EX_IFELSE ? 1 : 0; i < td_op_arity(op); i++) {
        if (wanted(g, n->arg[i], rule)) mark(r, n->arg[i]);
      }
    }
  }

  // list the marked nodes in ascending order and count those before each word
  r->list = malloc((size_t)max_int(r->n, 1) * sizeof *r->list);
  if (!r->list) goto failed;

  for (int w = 0, n = 0; w < r->words; w++) {
    r->rank[w] = n;
    for (uint64_t left = r->bits[w]; left; left &= left - 1) {
      r->list[n++] = 64 * w + __builtin_ctzll(left);
    }
  }

  return true;

failed:
  td_reach_free(r);
  return false;
}

void td_reach_free(reach* r) {
  free(r->bits);
  free(r->rank);
  free(r->list);
  *r = (reach){0};
}

// List the needed nodes.
ex* td_ex_needed(const td_exprs* g, const ex* e, int n, int* count) {
  reach r;
  *count = 0;
  for (int i = 0; i < n; i++) {
    if (!is_node(g, e[i])) return NULL;
  }
  if (!td_reach(g, e, n, (reach_rule){0, false}, &r)) return NULL;
  ex* list = r.list;
  *count = n > 0 ? r.n : 0;
  r.list = NULL;
  td_reach_free(&r);
  return list;
}

// Each variable has one node, so that the VAR nodes reached are the variables.
int td_ex_vars(const td_exprs* g, ex e, int* vars, int max) {
  reach r;
  if (!is_node(g, e) || !td_reach(g, &e, 1, (reach_rule){0, false}, &r)) return 0;
  int n = 0;
  for (int i = 0; i < r.n; i++) {
    const int var = td_ex_var_of(g, r.list[i]);
    if (var >= 0) r.list[n++] = var;
  }
  qsort(r.list, (size_t)n, sizeof *r.list, ascending_ints);
  for (int i = 0; i < min_int(n, max); i++) vars[i] = r.list[i];
  td_reach_free(&r);
  return n;
}

// Count the needed nodes.
int td_ex_size(const td_exprs* g, ex e) {
  reach r;
  if (!is_node(g, e) || !td_reach(g, &e, 1, (reach_rule){0, false}, &r)) return 0;
  const int n = r.n;
  td_reach_free(&r);
  return n;
}

// Search a variable among the needed nodes.
bool td_ex_has_var(const td_exprs* g, ex e, int var) {
  reach r;
  if (!is_node(g, e) || var < 0 || var >= g->nvar) return false;
  if (!td_reach(g, &e, 1, (reach_rule){(int)g->vars[var].kind, false}, &r)) return false;
  bool found = false;
  for (int i = 0; i < r.n && !found; i++) found = td_ex_var_of(g, r.list[i]) == var;
  td_reach_free(&r);
  return found;
}
