// The blocks of a model and the pattern of its matrices; see sparse_engine.h.
//
//   trees   -> blocks      trees that share DOFs are one block
//   forces  -> pairs       rows of the blocks they act on, columns of the blocks they depend on
//   rows    -> pairs       all pairs of the blocks they touch (their multiplier's tangent)
//   pairs   -> pattern     sorted, each once, and symmetric
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/force.h"
#include "engine/sensor_table.h"
#include "engine/sparse_engine.h"
#include "model/arrays.h"

enum {
  FEW_VELOCITIES = 150,  // below this dense matrices are as fast
  FEW_BLOCKS = 8,
  LEAST_EMPTY = 5  // sparse pays when at most one entry in that many is not zero
};

typedef struct pair {
  int row, column;
} pair;

typedef struct planner {
  td_model* m;
  int nblock;
  int* q_block;           // block of a position
  int *slot_live, *next;  // per slot: its first of live_probe; the next with the same slot
  int* stamp;             // per block: last set it was put in
  int set;
  int* list;   // the set: (nblock)
  int n, own;  // blocks in it; the first `own` are those the element acts on
  pair* pairs;
  int npair, cap;
  bool failed;  // memory ran out
} planner;

// ---- trees and blocks -------------------------------------------------------------------------

static int find_root(int* up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static bool list_trees(td_model* m) {
  for (int i = 0; i < m->nhop; i++) {
    if (m->hop[i].parent >= 0) continue;
    int* at = td_push_tree(m, 1);
    if (!at) return false;
    *at = i;
  }
  int* end = td_push_tree(m, 1);
  if (end) *end = m->nhop;
  return end != NULL;
}

// up[t]: a tree of the same block; owner[v]: a tree that has this DOF
static void join_trees(const td_model* m, int* up, int* owner) {
  const int ntree = m->ntree - 1;
  for (int t = 0; t < ntree; t++) up[t] = t;
  for (int v = 0; v < m->nvel; v++) owner[v] = -1;
  for (int t = 0; t < ntree; t++)
    for (int i = m->tree[t]; i < m->tree[t + 1]; i++)
      for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
        int* o = &owner[m->col[k].v];
        if (*o < 0) *o = t;
        const int a = find_root(up, *o), b = find_root(up, t);
        up[max_int(a, b)] = min_int(a, b);
      }
}

// Lists by counting: items i with key[i] >= 0 sorted by key, ends in at (n + 1).
static void sort_by_key(const int* key, int nitem, int n, int* at, int* list) {
  memset(at, 0, ((size_t)n + 1) * sizeof(int));
  for (int i = 0; i < nitem; i++)
    if (key[i] >= 0) at[key[i] + 1]++;
  for (int k = 0; k < n; k++) at[k + 1] += at[k];
  for (int i = 0; i < nitem; i++)
    if (key[i] >= 0) list[at[key[i]]++] = i;
  for (int k = n; k > 0; k--) at[k] = at[k - 1];
  at[0] = 0;
}

static bool number_blocks(planner* p, const int* up, const int* owner, int* tree_block) {
  td_model* m = p->m;
  const int ntree = m->ntree - 1;
  int *block_of_hop = td_push_block_of_hop(m, m->nhop), *v_block = td_push_v_block(m, m->nvel);
  int *v_local = td_push_v_local(m, m->nvel), *index_v = td_push_index_v(m, m->nvel);
  if (!block_of_hop || !v_block || !v_local || !index_v) return false;
  for (int t = 0; t < ntree; t++)  // the root is the first of its block
    tree_block[t] = up[t] == t ? p->nblock++ : tree_block[find_root((int*)(uintptr_t)up, t)];
  for (int t = 0; t < ntree; t++)
    for (int i = m->tree[t]; i < m->tree[t + 1]; i++) block_of_hop[i] = tree_block[t];
  for (int v = 0; v < m->nvel; v++) v_block[v] = tree_block[owner[v]];

  int *at = td_push_block_at(m, p->nblock + 1), *trees_at = td_push_block_tree_at(m, p->nblock + 1);
  int* trees = td_push_block_tree(m, ntree);
  if (!at || !trees_at || !trees) return false;
  sort_by_key(v_block, m->nvel, p->nblock, at, index_v);
  sort_by_key(tree_block, ntree, p->nblock, trees_at, trees);
  for (int i = 0; i < m->nvel; i++) v_local[index_v[i]] = i - at[v_block[index_v[i]]];
  return true;
}

static bool make_blocks(planner* p) {
  td_model* m = p->m;
  if (!list_trees(m)) return false;
  int* up = malloc(((size_t)2 * (size_t)m->ntree + (size_t)m->nvel) * sizeof(int));
  if (!up) return false;
  int *tree_block = up + m->ntree, *owner = tree_block + m->ntree;
  join_trees(m, up, owner);
  const bool ok = number_blocks(p, up, owner, tree_block);
  free(up);
  if (!ok) return false;
  p->q_block = malloc(((size_t)m->npos + 1) * sizeof(int));
  if (!p->q_block) return false;
  for (int k = 0; k < m->ncol; k++) p->q_block[m->col[k].q] = m->block_of_hop[m->col[k].hop];
  for (int i = 0; i < m->nhop; i++)
    for (int k = 0; k < m->hop[i].nq; k++) p->q_block[m->hop[i].q + k] = m->block_of_hop[i];
  return true;
}

// ---- what an element touches ------------------------------------------------------------------

static void touch(planner* p, int block) {
  if (p->stamp[block] == p->set) return;
  p->stamp[block] = p->set;
  p->list[p->n++] = block;
}

static void touch_station(planner* p, int station) {
  const int hop = station < 0 ? -1 : p->m->station[station].hop;
  if (hop >= 0) touch(p, p->m->block_of_hop[hop]);
}

static void visit_velocity(void* ctx, int v) {
  planner* p = ctx;
  touch(p, p->m->v_block[v]);
}
static void visit_station(void* ctx, int station) { touch_station(ctx, station); }
static void pass_by(void* ctx, int i) { (void)ctx, (void)i; }
static void pass_numbers(void* ctx, num first, int n) { (void)ctx, (void)first, (void)n; }

// The blocks that a force acts on.
static void touch_force(planner* p, int force) {
  const force_info f = force_at(p->m, force);
  const force_visitor to = {p, visit_velocity, visit_station, pass_numbers};
  td_element_table[f.kind]->visit(p->m, f.i, &to);
}

static void visit_position(void* ctx, int q) {
  planner* p = ctx;
  touch(p, p->q_block[q]);
}
// The whole rod, whichever of its pieces is looked at.
static void visit_rod(void* ctx, int rod) {
  planner* p = ctx;
  for (int i = 0; i < p->m->nstrain; i++)
    if (p->m->strain[i].rod == rod) touch_force(p, first_force(p->m, FORCE_strain) + i);
}

static void touch_probe(planner* p, const model_probe* probe) {
  const sensor_visitor to = {p, visit_station, visit_position, visit_velocity, visit_rod};
  if (probe->rod > 0) {
    visit_rod(p, probe->rod);
  } else {
    td_sensor_ops[probe->kind]->visit(p->m, probe, &to);
  }
}

// The live numbers among n slots: what they depend on, and the list of them.
static bool touch_slots(planner* p, num first, int n, int* (*push)(td_model*, int)) {
  for (num slot = first; first != NUM_NONE && slot < first + n; slot++)
    for (int i = p->slot_live[slot]; i >= 0; i = p->next[i]) {
      int* at = push(p->m, 1);
      if (!at) return false;
      *at = i;
      touch_probe(p, &p->m->probe[p->m->live_probe[i].source]);
    }
  return true;
}

static void visit_numbers(void* ctx, num first, int n) {
  planner* p = ctx;
  if (!p->failed && !touch_slots(p, first, n, td_push_force_live)) p->failed = true;
}

// ... and those that its numbers follow.
static bool touch_force_numbers(planner* p, int force) {
  if (p->m->nlive_probe == 0) return true;
  const force_info f = force_at(p->m, force);
  const force_visitor to = {p, pass_by, pass_by, visit_numbers};
  td_element_table[f.kind]->visit(p->m, f.i, &to);
  return !p->failed;
}

static bool add_pair(planner* p, int row, int column) {
  if (p->npair == p->cap) {
    pair* grown =
        p->cap < INT_MAX / 4 ? td_grow(p->pairs, &p->cap, p->npair + 1, sizeof(pair)) : NULL;
    if (!grown) return false;
    p->pairs = grown;
  }
  p->pairs[p->npair++] = (pair){row, column};
  return true;
}

// Rows of the element's own blocks, columns of all in the set; and the transposed.
static bool add_pairs(planner* p) {
  bool ok = true;
  for (int i = 0; i < p->own && ok; i++)
    for (int j = 0; j < p->n && ok; j++) {
      if (p->list[i] == p->list[j]) continue;
      ok = add_pair(p, p->list[i], p->list[j]);
      if (j >= p->own) ok = ok && add_pair(p, p->list[j], p->list[i]);
    }
  return ok;
}

static void begin_set(planner* p) {
  p->set++;
  p->n = 0;
}

static bool list_blocks(planner* p, int* (*push)(td_model*, int)) {
  if (p->n == 0) return true;
  int* blocks = push(p->m, p->n);
  if (blocks) memcpy(blocks, p->list, (size_t)p->n * sizeof(int));
  return blocks != NULL;
}

static bool plan_forces(planner* p) {
  td_model* m = p->m;
  const int n = model_forces(m);
  if (!td_push_force_live_at(m, n + 1) || !td_push_force_block_at(m, n + 1)) return false;
  for (int i = 0; i < n; i++) {
    begin_set(p);
    touch_force(p, i);
    p->own = p->n;
    if (!touch_force_numbers(p, i) || !add_pairs(p)) return false;
    if (!list_blocks(p, td_push_force_block)) return false;
    m->force_live_at[i + 1] = m->nforce_live;
    m->force_block_at[i + 1] = m->nforce_block;
  }
  return true;
}

static bool plan_row(planner* p, const model_row* r) {
  td_model* m = p->m;
  begin_set(p);
  touch_station(p, r->a);
  touch_station(p, r->b);
  touch_station(p, r->c);
  p->own = p->n;
  const num slots[] = {r->control, r->k, r->mu};
  for (int i = 0; i < 3 && m->nlive_probe > 0; i++)
    if (!touch_slots(p, slots[i], 1, td_push_row_live)) return false;
  if (!list_blocks(p, td_push_row_block)) return false;
  p->n = p->own;
  return add_pairs(p);
}

static bool plan_rows(planner* p) {
  td_model* m = p->m;
  if (!td_push_row_live_at(m, m->nrow + 1) || !td_push_row_block_at(m, m->nrow + 1) ||
      !td_push_row_base(m, m->nrow + 1))
    return false;
  for (int i = 0; i < m->nrow; i++) {
    if (!plan_row(p, &m->row[i])) return false;
    m->row_live_at[i + 1] = m->nrow_live;
    m->row_block_at[i + 1] = m->nrow_block;
    m->row_base[i + 1] = m->row_base[i];
    for (int k = m->row_block_at[i]; k < m->row_block_at[i + 1]; k++)
      m->row_base[i + 1] += m->block_at[m->row_block[k] + 1] - m->block_at[m->row_block[k]];
  }
  return true;
}

// The elements that each block changes: forces, then rows.
static void count_elements(const td_model* m, int* at, int* list) {
  const int nforce = model_forces(m);
  for (int i = 0; i < nforce + m->nrow; i++) {
    const bool force = i < nforce;
    const int* first = force ? m->force_block_at + i : m->row_block_at + (i - nforce);
    const int* block = force ? m->force_block : m->row_block;
    for (int k = first[0]; k < first[1]; k++) {
      if (list) list[at[block[k]]] = i;
      at[block[k]]++;
    }
  }
}

static bool list_elements(planner* p) {
  td_model* m = p->m;
  int* at = td_push_block_element_at(m, p->nblock + 1);
  int* list = td_push_block_element(m, m->nforce_block + m->nrow_block + 1);
  if (!at || !list) return false;
  count_elements(m, at + 1, NULL);
  for (int b = 0; b < p->nblock; b++) at[b + 1] += at[b];
  count_elements(m, at, list);
  for (int b = p->nblock; b > 0; b--) at[b] = at[b - 1];
  at[0] = 0;
  return true;
}

// Forces that follow from the coordinates of one block, block after block.
static bool list_local_forces(planner* p) {
  td_model* m = p->m;
  const int n = model_forces(m);
  int *key = malloc(((size_t)n + 1) * sizeof(int)), count = 0;
  if (!key) return false;
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    key[i] = -1;
    if (td_element_table[f.kind]->reach(m, f.i) != REACH_COORDINATES) continue;
    begin_set(p);
    touch_force(p, i);
    key[i] = p->n > 0 ? p->list[0] : -1;
    count++;
  }
  int *at = td_push_block_force_at(m, p->nblock + 1), *list = td_push_block_force(m, count + 1);
  if (at && list) sort_by_key(key, n, p->nblock, at, list);
  free(key);
  return at && list;
}

// ---- pattern ----------------------------------------------------------------------------------

static int by_column(const void* a, const void* b) {
  const pair *x = a, *y = b;
  return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                : (x->row > y->row) - (x->row < y->row);
}

static int size_of(const td_model* m, int block) {
  return m->block_at[block + 1] - m->block_at[block];
}

// Sorted pairs to block columns.  False: too many values to be counted, or no memory.
static bool fill_pattern(planner* p) {
  td_model* m = p->m;
  int *ptr = td_push_block_ptr(m, p->nblock + 1), *base = td_push_block_base(m, p->nblock + 1);
  int* mass = td_push_mass_base(m, p->nblock + 1);
  int unique = 0;
  for (int i = 0; i < p->npair; i++)
    if (i == 0 || by_column(&p->pairs[i - 1], &p->pairs[i]) != 0) p->pairs[unique++] = p->pairs[i];
  int *row = td_push_block_row(m, unique), *offset = td_push_block_offset(m, unique);
  if (!ptr || !base || !mass || !row || !offset) return false;
  for (int J = 0, k = 0; J < p->nblock; J++) {
    int height = 0;
    for (; k < unique && p->pairs[k].column == J; k++) {
      row[k] = p->pairs[k].row;
      offset[k] = height;
      height += size_of(m, row[k]);
    }
    ptr[J + 1] = k;
    const double end = base[J] + (double)height * size_of(m, J);
    if (end > INT_MAX) return false;
    base[J + 1] = (int)end;
    mass[J + 1] = mass[J] + size_of(m, J) * size_of(m, J);
  }
  return true;
}

static bool make_pattern(planner* p) {
  for (int J = 0; J < p->nblock; J++)
    if (!add_pair(p, J, J)) return false;
  qsort(p->pairs, (size_t)p->npair, sizeof(pair), by_column);
  return fill_pattern(p);
}

static bool open_lists(planner* p) {
  const td_model* m = p->m;
  const size_t nslot = (size_t)m->nnumber_ex + 1, nlive = (size_t)m->nlive_probe + 1;
  p->slot_live = malloc(nslot * sizeof(int));
  p->next = malloc(nlive * sizeof(int));
  p->stamp = calloc((size_t)p->nblock + 1, sizeof(int));
  p->list = malloc(((size_t)p->nblock + 1) * sizeof(int));
  if (!p->slot_live || !p->next || !p->stamp || !p->list) return false;
  memset(p->slot_live, 0xff, nslot * sizeof(int));
  for (int i = m->nlive_probe - 1; i >= 0; i--) {
    int* head = &p->slot_live[m->live_probe[i].target];
    p->next[i] = *head;
    *head = i;
  }
  return true;
}

static bool plan(planner* p) {
  return make_blocks(p) && open_lists(p) && plan_forces(p) && plan_rows(p) && list_elements(p) &&
         list_local_forces(p) && make_pattern(p);
}

// ---- dense or sparse --------------------------------------------------------------------------

static void forget(td_model* m) {
  m->ntree = m->nblock_of_hop = m->nv_block = m->nv_local = m->nindex_v = 0;
  m->nblock_tree_at = m->nblock_tree = m->nblock_force_at = m->nblock_force = 0;
  m->nblock_element_at = m->nblock_element = 0;
  m->nblock_at = m->nblock_ptr = m->nblock_row = m->nblock_offset = m->nblock_base = 0;
  m->nmass_base = m->nforce_live_at = m->nforce_live = m->nrow_live_at = m->nrow_live = 0;
  m->nforce_block_at = m->nforce_block = m->nrow_block_at = m->nrow_block = m->nrow_base = 0;
}

static int count_trees(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nhop; i++) n += m->hop[i].parent < 0;
  return n;
}

static void decide(td_model* m) {
  const td_pattern b = model_blocks(m);
  const double filled = blocks_values(&b) / ((double)m->nvel * m->nvel);
  const bool asked = m->linear == LINEAR_SPARSE;
  m->sparse = asked || filled * LEAST_EMPTY <= 1;
  snprintf(m->linear_why, sizeof m->linear_why, "%s%d blocks of DOFs, %.3g %% of the matrix filled",
           asked ? "as asked for: " : "", b.nblock, 100 * filled);
}

static td_status choose(planner* p) {
  td_model* m = p->m;
  if (m->linear == LINEAR_DENSE) {
    snprintf(m->linear_why, sizeof m->linear_why, "as asked for");
    return TD_OK;
  }
  if (m->ncable > 0) {
    snprintf(m->linear_why, sizeof m->linear_why, "a cable couples all that it passes");
    return TD_OK;
  }
  if (m->npiece > 0) {
    snprintf(m->linear_why, sizeof m->linear_why,
             "parts that move may touch each other anywhere, rods touch between their points");
    return TD_OK;
  }
  if (m->nvel == 0 ||
      (m->linear == LINEAR_AUTO && (m->nvel < FEW_VELOCITIES || count_trees(m) < FEW_BLOCKS))) {
    snprintf(m->linear_why, sizeof m->linear_why, "%d velocities in %d trees", m->nvel,
             count_trees(m));
    return TD_OK;
  }
  if (!plan(p)) return TD_E_NOMEM;
  decide(m);
  return TD_OK;
}

td_status td_sparse_plan(td_model* m) {
  planner p = {.m = m};
  const td_status status = choose(&p);
  if (m->sparse) {
    td_find_nodes(m);
  } else {
    forget(m);
  }
  free(p.q_block);
  free(p.slot_live);
  free(p.next);
  free(p.stamp);
  free(p.list);
  free(p.pairs);
  return status;
}
