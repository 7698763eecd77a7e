// Naming shared expressions; see listing.h.  The nodes that the outputs need are visited in order,
// operands first; a node that gets a name is replaced by a variable in every expression made of it.
#include "gen/listing.h"

#include <stdio.h>
#include <string.h>

enum { LONG = 14, MAX_REFS = 4 * LONG };  // operations in one statement

// A listing while it is made.  Positions are indices into `need`.
typedef struct lister {
  td_exprs* g;
  const ex* need;
  int n;
  int* at;    // by node: its position in `need`
  int* uses;  // by position, as are the following: how often it is an operand or an output
  int* size;  // operations that would be printed
  ex* shown;  // expression that stands for the node
  int* name;  // number of its name, 0: none
  name_pool* pool;
  listing* out;
  int ref_cap;
  listing_rule rule;
} lister;

static int place(const lister* l, ex e) { return l->at[e]; }

static int arity(const td_exprs* g, ex e) {
  int n = 0;
  while (n < 3 && td_ex_arg(g, e, n) != EX_NONE) n++;
  return n;
}

static bool is_leaf(const td_exprs* g, ex e) {
  const ex_op op = td_ex_op(g, e);
  return op == EX_CONST || op == EX_VAR;
}

// ---- names ------------------------------------------------------------------------------------

// The variable x<x> of the graph, made when it is first needed; -1: no memory
static int name_var(lister* l, int x) {
  name_pool* p = l->pool;
  if (x <= p->n) return p->var[x - 1];
  int* grown = td_grow(p->var, &p->cap, p->n + 1, sizeof *grown);
  if (!grown) return -1;
  p->var = grown;
  char name[24];
  snprintf(name, sizeof name, "x%d", x);
  const int var = td_exprs_var(l->g, name, TD_ON_SYMBOL);
  if (var >= 0) p->var[p->n++] = var;
  return var;
}

// Append the names and variables that are printed in the expression at a position.
static int collect_refs(const lister* l, int i, int* refs, int n) {
  for (int k = 0; k < arity(l->g, l->need[i]) && n < MAX_REFS; k++) {
    const ex e = td_ex_arg(l->g, l->need[i], k);
    const int a = place(l, e);
    if (l->name[a] > 0) {
      refs[n++] = l->name[a];
    } else if (td_ex_op(l->g, e) == EX_VAR) {
      refs[n++] = -1 - td_ex_var_of(l->g, e);
    } else {
      n = collect_refs(l, a, refs, n);  // bounded by the length of a statement
    }
  }
  return n;
}

// Append the statement x = e (root < 0) or output `root` = e (x = 0) of position i.  False: no
// room.
static bool push(lister* l, int x, int root, ex e, int i) {
  listing* out = l->out;
  int refs[MAX_REFS], n = 0;
  if (x > 0 || l->name[i] == 0) {
    n = collect_refs(l, i, refs, 0);
    if (td_ex_op(l->g, l->need[i]) == EX_VAR) refs[n++] = -1 - td_ex_var_of(l->g, l->need[i]);
  } else {
    refs[n++] = l->name[i];
  }

  // append it and its references
  int total =
      out->n > 0 ? (int)(out->list[out->n - 1].refs - out->refs) + out->list[out->n - 1].nref : 0;
  if (total + n > l->ref_cap) return false;
  if (n > 0) memcpy(out->refs + total, refs, (size_t)n * sizeof *refs);
  out->list[out->n++] = (statement){x, root, e, out->refs + total, n};
  return true;
}

// ---- visiting nodes ---------------------------------------------------------------------------

// The node with named operands replaced by their variables
static ex rebuild(lister* l, ex e) {
  ex arg[3] = {EX_NONE, EX_NONE, EX_NONE};
  bool changed = false;
  for (int k = 0; k < arity(l->g, e); k++) {
    const ex a = td_ex_arg(l->g, e, k);
    arg[k] = l->shown[place(l, a)];
    changed = changed || arg[k] != a;
  }
  if (!changed) return e;
  if (td_ex_op(l->g, e) == EX_TABLE) {
    const td_ex_pieces t = td_exprs_table(l->g, td_ex_table_of(l->g, e));
    return td_ex_table(l->g, t.knots, t.n, t.coef, t.order, t.clamp, arg[0]);
  }
  return td_ex_make(l->g, td_ex_op(l->g, e), arg[0], arg[1], arg[2]);
}

// Decide whether a node gets a name: shared and not trivial, or too long for one statement.  A sign
// costs nothing, and the negative of a name is no longer than another name.
static bool wants_name(const lister* l, int i) {
  const ex e = l->need[i];
  const ex_op op = td_ex_op(l->g, e);
  const bool condition = op >= EX_LT && op <= EX_NOT;  // stays where it is tested
  if (is_leaf(l->g, e) || (condition && l->size[i] <= LONG)) return false;
  if (op == EX_IFELSE && l->rule.cases) return true;
  if (td_ex_op(l->g, e) == EX_NEG && l->size[i] <= 1) return false;
  return (l->uses[i] > 1 && l->size[i] >= l->rule.least) || l->size[i] > LONG;
}

// Visit one node: record what it uses, and make the statement of its name if it gets one.
static bool visit(lister* l, int i) {
  const ex e = l->need[i];
  listing* out = l->out;

  // variables, tables and helper functions that occur
  const ex_op op = td_ex_op(l->g, e);
  if (op == EX_VAR) out->used[td_ex_var_of(l->g, e)] = true;
  if (op == EX_TABLE) out->table[td_ex_table_of(l->g, e)] = true;
  out->sign = out->sign || op == EX_SIGN;
  out->step = out->step || op == EX_STEP;
  out->mod = out->mod || op == EX_MOD;

  // length of the expression
  l->shown[i] = rebuild(l, e);
  l->size[i] = !is_leaf(l->g, e);
  for (int k = 0; k < arity(l->g, e); k++) l->size[i] += l->size[place(l, td_ex_arg(l->g, e, k))];
  if (l->shown[i] == EX_NONE) return false;

  // name
  if (!wants_name(l, i)) return true;
  const int x = ++l->out->nx, var = name_var(l, x);
  if (var < 0 || !push(l, x, -1, l->shown[i], i)) return false;
  l->name[i] = x;
  l->size[i] = 0;
  l->shown[i] = td_ex_var(l->g, var);
  return l->shown[i] != EX_NONE;
}

// An output: number of the root and position of its node.
typedef struct sorted_root {
  int place, root;
} sorted_root;

static int by_place(const void* a, const void* b) {
  const sorted_root *x = a, *y = b;
  return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
                              : (x->root > y->root) - (x->root < y->root);
}

static int by_root(const void* a, const void* b) {
  return ((const sorted_root*)a)->root - ((const sorted_root*)b)->root;
}

// Visit all nodes and append the outputs, last or as soon as their nodes are known.  False: no
// memory.
static bool make(lister* l, const ex* roots, int n) {
  sorted_root* sorted = malloc(((size_t)n + 1) * sizeof *sorted);
  if (!sorted) return false;

  // count how often each node is an operand or an output
  for (int i = 0; i < l->n; i++) l->at[l->need[i]] = i;
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < arity(l->g, l->need[i]); k++)
      l->uses[place(l, td_ex_arg(l->g, l->need[i], k))]++;
  }
  int count = 0, next = 0;
  for (int i = 0; i < n; i++) {
    if (roots[i] == EX_NONE) continue;
    l->uses[place(l, roots[i])]++;
    sorted[count++] = (sorted_root){place(l, roots[i]), i};
  }
  qsort(sorted, (size_t)count, sizeof *sorted, l->rule.outputs_last ? by_root : by_place);

  bool ok = true;
  for (int i = 0; ok && i < l->n; i++) {
    ok = visit(l, i);
    for (; ok && !l->rule.outputs_last && next < count && sorted[next].place == i; next++)
      ok = push(l, 0, sorted[next].root, l->shown[i], i);
  }
  for (; ok && next < count; next++) {
    const int i = sorted[next].place;
    ok = push(l, 0, sorted[next].root, l->shown[i], i);
  }
  free(sorted);
  return ok;
}

// List the statements for n roots: find the nodes that they need, allocate, visit.
bool td_listing_make(td_exprs* g, const ex* roots, int n, listing_rule rule, name_pool* pool,
                     listing* out) {
  *out = (listing){0};
  ex* given = malloc(((size_t)n + 1) * sizeof *given);
  int count = 0;
  for (int i = 0; given && i < n; i++) {
    if (roots[i] != EX_NONE) given[count++] = roots[i];
  }
  lister l = {.g = g, .pool = pool, .out = out, .rule = rule};
  ex* need = given ? td_ex_needed(g, given, count, &l.n) : NULL;
  free(given);
  if (!need) return false;

  // arrays by position, and those of the result
  const size_t size = (size_t)l.n + 1, statements = size + (size_t)n;
  int* block = calloc(4 * size, sizeof *block);
  l.need = need;
  l.at = malloc(((size_t)td_exprs_count(g) + 1) * sizeof *l.at);
  out->list = calloc(statements, sizeof *out->list);
  // a reference for each operand, and again where a short expression is repeated
  l.ref_cap = 3 * l.n * rule.least + n;
  out->refs = calloc((size_t)l.ref_cap + 1, sizeof *out->refs);
  out->used = calloc((size_t)td_exprs_nvar(g) + 1, sizeof *out->used);
  out->table = calloc((size_t)td_exprs_ntable(g) + 1, sizeof *out->table);
  bool ok = block && l.at && out->list && out->refs && out->used && out->table;
  if (ok) {
    l.uses = block;
    l.size = block + size;
    l.shown = block + 2 * size;
    l.name = block + 3 * size;
    ok = make(&l, roots, n);
  }
  free(need);
  free(block);
  free(l.at);
  if (!ok) td_listing_free(out);
  return ok;
}

void td_listing_free(listing* l) {
  free(l->list);
  free(l->refs);
  free(l->used);
  free(l->table);
  *l = (listing){0};
}

void td_name_pool_free(name_pool* pool) { free(pool->var); }
