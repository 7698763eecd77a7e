// The expression graph: nodes, hash-consing, variables, tables and queries.  Every node is created
// by td_node_cons, which first searches for an equal one, so that equal expressions have equal
// handles.  Failure (no memory, too many nodes) is permanent: afterwards every constructor returns
// EX_NONE.
#include "expr/graph.h"

#include <string.h>

enum { NODE_LIMIT = 20000000 };

static const char arities[EX_OP_COUNT] = {
#define X(name, arity, c) arity,
    TD_EX_OPS(X)
#undef X
};

int td_op_arity(ex_op op) { return arities[op]; }

bool td_op_is_logical(ex_op op) { return op >= EX_LT && op <= EX_NOT; }

bool td_op_is_flat(ex_op op) {
  return td_op_is_logical(op) || op == EX_SIGN || op == EX_FLOOR || op == EX_CEIL ||
         op == EX_ROUND || op == EX_STEP || op == EX_CONST;
}

// ---- the graph --------------------------------------------------------------------------------

td_exprs* td_exprs_new(void) { return calloc(1, sizeof(td_exprs)); }

// Free the graph.
void td_exprs_free(td_exprs* g) {
  if (!g) return;
  for (int i = 0; i < g->ntable; i++) free(g->tables[i].data);
  for (int i = 0; i < g->nvar; i++) free(g->vars[i].name);
  free(g->nodes);
  free(g->slots);
  free(g->tables);
  free(g->vars);
  free(g);
}

// Bytes of the knots and coefficients of a table.
static size_t table_bytes(int n, int order) {
  return ((size_t)n + (size_t)(n - 1) * (size_t)order) * sizeof(double);
}

// Copy on the heap; NULL: no memory.
static void* copy_bytes(const void* from, size_t bytes) {
  void* to = malloc(bytes > 0 ? bytes : 1);
  if (to && bytes > 0) memcpy(to, from, bytes);
  return to;
}

// Deep copy; handles stay valid.
td_exprs* td_exprs_copy(const td_exprs* g) {
  td_exprs* copy = td_exprs_new();
  if (!copy) return NULL;
  copy->failed = g->failed;
  copy->table_cap = max_int(g->ntable, 1);
  copy->var_cap = max_int(g->nvar, 1);
  copy->nodes = copy_bytes(g->nodes, (size_t)g->n * sizeof(node));
  copy->slots = copy_bytes(g->slots, (size_t)g->nslot * sizeof(slot));
  copy->tables = calloc((size_t)copy->table_cap, sizeof(table));
  copy->vars = calloc((size_t)copy->var_cap, sizeof(variable));
  if (!copy->nodes || !copy->slots || !copy->tables || !copy->vars) goto failed;
  copy->n = copy->cap = g->n;
  copy->nslot = g->nslot;

  // tables and variables own memory of their own
  for (int i = 0; i < g->ntable; i++) {
    const table* t = &g->tables[i];
    double* data = copy_bytes(t->data, table_bytes(t->n, t->order));
    if (!data) goto failed;
    copy->tables[copy->ntable] = *t;
    copy->tables[copy->ntable++].data = data;
  }

  for (int i = 0; i < g->nvar; i++) {
    char* name = td_strdup(g->vars[i].name);
    if (!name) goto failed;
    copy->vars[copy->nvar++] = (variable){name, g->vars[i].kind};
  }

  return copy;

failed:
  td_exprs_free(copy);
  return NULL;
}

int td_exprs_count(const td_exprs* g) { return g->n; }
bool td_exprs_failed(const td_exprs* g) { return g->failed; }

// ---- variables --------------------------------------------------------------------------------

// Add a variable; returns its number.
int td_exprs_var(td_exprs* g, const char* name, td_depends kind) {
  if (g->failed) return -1;
  variable* vars = td_grow(g->vars, &g->var_cap, g->nvar + 1, sizeof *vars);
  if (!vars) return graph_fail(g);
  g->vars = vars;
  char* copy = td_strdup(name);
  if (!copy) return graph_fail(g);
  g->vars[g->nvar] = (variable){copy, kind};
  return g->nvar++;
}

static bool is_var(const td_exprs* g, int var) { return var >= 0 && var < g->nvar; }

int td_exprs_nvar(const td_exprs* g) { return g->nvar; }
const char* td_exprs_var_name(const td_exprs* g, int var) {
  return is_var(g, var) ? g->vars[var].name : NULL;
}
td_depends td_exprs_var_kind(const td_exprs* g, int var) {
  return is_var(g, var) ? g->vars[var].kind : TD_ON_NOTHING;
}

// ---- hash-consing -----------------------------------------------------------------------------

// FNV-1a over 32-bit words, then a final mix so that the low bits depend on all of them.
static uint64_t hash_words(const void* data, size_t bytes, uint64_t h) {
  const unsigned char* p = data;
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, p + i, 4);
    h = (h ^ word) * 0x100000001b3u;
  }
  h ^= h >> 32;
  h *= 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static const uint64_t SEED = 0xcbf29ce484222325u;

// Slot that holds an equal node, or the free slot for it.
static slot* find_slot(const td_exprs* g, const node* n, uint32_t hash) {
  const uint32_t mask = (uint32_t)g->nslot - 1;
  for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
    slot* s = &g->slots[i];
    if (s->node < 0) return s;
    if (s->hash == hash && memcmp(&g->nodes[s->node], n, sizeof *n) == 0) return s;
  }
}

// Double the number of slots, so that at most half of them are occupied.  False: no memory.
static bool rehash(td_exprs* g) {
  const int nslot = g->nslot ? 2 * g->nslot : 64;
  slot* slots = malloc((size_t)nslot * sizeof *slots);
  if (!slots) return false;
  for (int i = 0; i < nslot; i++) slots[i] = (slot){0, -1};

  const uint32_t mask = (uint32_t)nslot - 1;
  for (int i = 0; i < g->nslot; i++) {
    if (g->slots[i].node < 0) continue;
    uint32_t at = g->slots[i].hash & mask;
    while (slots[at].node >= 0) at = (at + 1) & mask;
    slots[at] = g->slots[i];
  }

  free(g->slots);
  g->slots = slots;
  g->nslot = nslot;
  return true;
}

// Handle of an equal node, or of a new one.
static ex intern(td_exprs* g, node n) {
  if (g->failed) return EX_NONE;
  if (2 * (g->n + 1) > g->nslot && !rehash(g)) return graph_fail(g);
  const uint32_t hash = (uint32_t)hash_words(&n, sizeof n, SEED);
  slot* s = find_slot(g, &n, hash);
  if (s->node >= 0) return s->node;

  if (g->n >= NODE_LIMIT) return graph_fail(g);
  node* nodes = td_grow(g->nodes, &g->cap, g->n + 1, sizeof *nodes);
  if (!nodes) return graph_fail(g);
  g->nodes = nodes;
  g->nodes[g->n] = n;
  *s = (slot){hash, g->n};
  return g->n++;
}

double td_node_value(const node* n) {
  double value;
  memcpy(&value, n->arg, sizeof value);
  return value;
}

ex td_ex_const(td_exprs* g, double value) {
  if (isnan(value)) value = (double)NAN;  // one node for all NaN
  node n = {EX_CONST, TD_ON_NOTHING, {0, 0, EX_NONE}};
  memcpy(n.arg, &value, sizeof value);
  return intern(g, n);
}

ex td_ex_var(td_exprs* g, int var) {
  if (!is_var(g, var)) return EX_NONE;
  return intern(g, (node){EX_VAR, (uint16_t)g->vars[var].kind, {var, EX_NONE, EX_NONE}});
}

// Dependencies of a node; none for EX_NONE.
static int depends_of(const td_exprs* g, ex e) { return e >= 0 ? node_at(g, e)->depends : 0; }

ex td_node_cons(td_exprs* g, ex_op op, ex a, ex b, ex c) {
  const int depends = depends_of(g, a) | depends_of(g, b) | depends_of(g, c);
  return intern(g, (node){(uint16_t)op, (uint16_t)depends, {a, b, c}});
}

// ---- tables -----------------------------------------------------------------------------------

// True if the knots are finite and ascending and the sizes within limits.
static bool good_table(const double* knots, int n, int order) {
  if (n < 2 || order < 1 || order > 1000 || n > NODE_LIMIT) return false;
  for (int i = 0; i < n; i++) {
    if (!isfinite(knots[i]) || (i > 0 && !(knots[i - 1] < knots[i]))) return false;
  }
  return true;
}

// Number of an equal table, or of a new one; takes over t.data.  Tables are few, so that their
// hashes are searched one by one.
static int intern_table(td_exprs* g, table t) {
  const size_t bytes = table_bytes(t.n, t.order);
  const int32_t head[3] = {t.n, t.order, t.clamp};
  t.hash = hash_words(t.data, bytes, hash_words(head, sizeof head, SEED));
  t.slope = t.of = -1;

  for (int i = 0; i < g->ntable; i++) {
    const table* old = &g->tables[i];
    if (old->hash == t.hash && old->n == t.n && old->order == t.order && old->clamp == t.clamp &&
        memcmp(old->data, t.data, bytes) == 0) {
      free(t.data);
      return i;
    }
  }

  table* tables = td_grow(g->tables, &g->table_cap, g->ntable + 1, sizeof *tables);
  if (!tables) {
    free(t.data);
    return graph_fail(g);
  }
  g->tables = tables;
  g->tables[g->ntable] = t;
  return g->ntable++;
}

// Node of a table at x; a constant x gives a constant.
ex td_table_node(td_exprs* g, int number, ex x) {
  if (g->failed || number < 0 || !is_node(g, x)) return EX_NONE;
  if (td_ex_is_const(g, x)) {
    return td_ex_const(g, table_eval(&g->tables[number], td_ex_value(g, x)));
  }
  const uint16_t depends = node_at(g, x)->depends;
  return intern(g, (node){EX_TABLE, depends, {x, number, EX_NONE}});
}

// Intern the table and create its node.
ex td_ex_table(td_exprs* g, const double* knots, int n, const double* coef, int order, bool clamp,
               ex x) {
  if (g->failed || !is_node(g, x) || !good_table(knots, n, order)) return EX_NONE;
  double* data = malloc(table_bytes(n, order));
  if (!data) return graph_fail(g);
  memcpy(data, knots, (size_t)n * sizeof *data);
  memcpy(data + n, coef, table_bytes(n, order) - (size_t)n * sizeof *data);
  return td_table_node(
      g, intern_table(g, (table){.n = n, .order = order, .clamp = clamp, .data = data}), x);
}

// d/dx Σ c_k dx^k = Σ k c_k dx^(k-1) for each piece.  A clamped table is constant outside, so that
// its derivative gets a zero piece at either end; being end pieces, these are continued.
int td_table_slope(td_exprs* g, int number) {
  if (g->tables[number].slope >= 0) return g->tables[number].slope;
  const table t = g->tables[number];
  const int extra = t.clamp ? 1 : 0, n = t.n + 2 * extra, order = max_int(t.order - 1, 1);
  double* knots = calloc(1, table_bytes(n, order));
  if (!knots) return graph_fail(g);

  memcpy(knots + extra, t.data, (size_t)t.n * sizeof *knots);
  if (t.clamp) {
    const double x0 = t.data[0], x1 = t.data[t.n - 1];
    knots[0] = x0 - fmax(1, fabs(x0));
    knots[n - 1] = x1 + fmax(1, fabs(x1));
  }

  for (int i = 0; i < t.n - 1; i++) {
    const double* c = t.data + t.n + (size_t)i * (size_t)t.order;
    double* piece = knots + n + (size_t)(i + extra) * (size_t)order;
    piece[0] = 0;
    for (int k = 1; k < t.order; k++) piece[k - 1] = k * c[k];
  }

  const int slope = intern_table(g, (table){.n = n, .order = order, .data = knots});
  if (slope >= 0) g->tables[number].slope = slope;
  if (slope >= 0 && g->tables[slope].of < 0) g->tables[slope].of = number;
  return slope;
}

// Open table of a clamped one; for a derivative, the derivative of the open table.
int td_table_open(td_exprs* g, int number) {
  table t = g->tables[number];
  if (t.of >= 0) {
    const int of = td_table_open(g, t.of);
    return of >= 0 ? td_table_slope(g, of) : -1;
  }
  if (!t.clamp) return number;
  t.clamp = false;
  t.data = copy_bytes(t.data, table_bytes(t.n, t.order));
  return t.data ? intern_table(g, t) : graph_fail(g);
}

int td_exprs_ntable(const td_exprs* g) { return g->ntable; }

td_ex_pieces td_exprs_table(const td_exprs* g, int number) {
  if (number < 0 || number >= g->ntable) return (td_ex_pieces){0};
  const table* t = &g->tables[number];
  return (td_ex_pieces){t->data, t->data + t->n, t->n, t->order, t->clamp};
}

int td_ex_table_of(const td_exprs* g, ex e) {
  return td_ex_op(g, e) == EX_TABLE ? node_at(g, e)->arg[1] : -1;
}

// ---- queries ---------------------------------------------------------------------------

ex_op td_ex_op(const td_exprs* g, ex e) {
  return is_node(g, e) ? (ex_op)node_at(g, e)->op : EX_OP_COUNT;
}

ex td_ex_arg(const td_exprs* g, ex e, int i) {
  const ex_op op = td_ex_op(g, e);
  return op < EX_OP_COUNT && i >= 0 && i < td_op_arity(op) ? node_at(g, e)->arg[i] : EX_NONE;
}

bool td_ex_is_const(const td_exprs* g, ex e) { return td_ex_op(g, e) == EX_CONST; }

double td_ex_value(const td_exprs* g, ex e) {
  return td_ex_is_const(g, e) ? td_node_value(node_at(g, e)) : (double)NAN;
}

int td_ex_var_of(const td_exprs* g, ex e) {
  return td_ex_op(g, e) == EX_VAR ? node_at(g, e)->arg[0] : -1;
}

td_depends td_ex_depends(const td_exprs* g, ex e) {
  return is_node(g, e) ? (td_depends)node_at(g, e)->depends : TD_ON_NOTHING;
}
