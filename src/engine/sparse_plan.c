// The blocks of a model and the pattern of its matrices (sparse_engine.h), found when the model is
// compiled.
//
//   trees   -> blocks      trees that share DOFs are one block
//   forces  -> pairs       rows of the blocks they act on, columns of the blocks they depend on
//   rows    -> pairs       all pairs of the blocks they touch (tangent of their multipliers)
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
  FEW_BLOCKS = 8,        // trees below which dense matrices are as fast
  LEAST_EMPTY = 5        // sparse matrices pay when at most one entry in that many is not zero
};

// Row and column of a block.
typedef struct pair {
  int row, column;
} pair;

// The plan while it is made.
typedef struct planner {
  td_model* m;
  int nblock;
  int* q_block;           // block of a position
  int *slot_live, *next;  // first of live_probe for each slot; the next with the same slot
  int* stamp;             // last set that each block was put into
  int set;                // number of the present set
  int* list;              // (nblock) the blocks that an element touches
  int n, own;             // how many; the first `own` are those the element acts on
  pair* pairs;            // blocks of the pattern that are not zero
  int npair, cap;
  bool failed;  // out of memory
} planner;

// ---- trees and blocks -------------------------------------------------------------------------

// Counting sort: list items i with key[i] >= 0 by key, the items of key k at list[at[k]] ..
// list[at[k + 1] - 1].
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

// Number the blocks, and list the trees and velocities of each.  up: union-find of the trees;
// owner: a tree of each velocity.
static bool number_blocks(planner* p, int* up, const int* owner, int* tree_block) {
  td_model* m = p->m;
  const int ntree = m->ntree - 1;
  int *block_of_hop = td_push_block_of_hop(m, m->nhop), *v_block = td_push_v_block(m, m->nvel);
  int *v_local = td_push_v_local(m, m->nvel), *index_v = td_push_index_v(m, m->nvel);
  if (!block_of_hop || !v_block || !v_local || !index_v) return false;

  // the root of a set is its first tree
  for (int t = 0; t < ntree; t++)
    tree_block[t] = up[t] == t ? p->nblock++ : tree_block[set_root(up, t)];
  for (int t = 0; t < ntree; t++)
    for (int i = m->tree[t]; i < m->tree[t + 1]; i++) block_of_hop[i] = tree_block[t];
  for (int v = 0; v < m->nvel; v++) v_block[v] = tree_block[owner[v]];

  // velocities and trees of each block
  int *at = td_push_block_at(m, p->nblock + 1), *trees_at = td_push_block_tree_at(m, p->nblock + 1);
  int* trees = td_push_block_tree(m, ntree);
  if (!at || !trees_at || !trees) return false;
  sort_by_key(v_block, m->nvel, p->nblock, at, index_v);
  sort_by_key(tree_block, ntree, p->nblock, trees_at, trees);
  for (int i = 0; i < m->nvel; i++) v_local[index_v[i]] = i - at[v_block[index_v[i]]];
  return true;
}

// List the trees, join those that share velocities into blocks, and find the block of each
// position.
static bool make_blocks(planner* p) {
  td_model* m = p->m;

  for (int i = 0; i <= m->nhop; i++) {
    if (i < m->nhop && m->hop[i].parent >= 0) continue;
    int* at = td_push_tree(m, 1);  // the last one is the end
    if (!at) return false;
    *at = i;
  }

  // join each tree to the first that has the same velocity
  const int ntree = m->ntree - 1;
  int* up = malloc(((size_t)2 * (size_t)m->ntree + (size_t)m->nvel) * sizeof(int));
  if (!up) return false;
  int *tree_block = up + m->ntree, *owner = tree_block + m->ntree;
  for (int t = 0; t < ntree; t++) up[t] = t;
  for (int v = 0; v < m->nvel; v++) owner[v] = -1;
  for (int t = 0; t < ntree; t++)
    for (int i = m->tree[t]; i < m->tree[t + 1]; i++)
      for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
        int* o = &owner[m->col[k].v];
        if (*o < 0) *o = t;
        const int a = set_root(up, *o), b = set_root(up, t);
        up[max_int(a, b)] = min_int(a, b);
      }
  const bool ok = number_blocks(p, up, owner, tree_block);
  free(up);
  if (!ok) return false;

  // blocks of the positions
  p->q_block = malloc(((size_t)m->npos + 1) * sizeof(int));
  if (!p->q_block) return false;
  for (int k = 0; k < m->ncol; k++) p->q_block[m->col[k].q] = m->block_of_hop[m->col[k].hop];
  for (int i = 0; i < m->nhop; i++)
    for (int k = 0; k < m->hop[i].nq; k++) p->q_block[m->hop[i].q + k] = m->block_of_hop[i];
  return true;
}

// Put a block into the set, once.
static void touch(planner* p, int block) {
  if (p->stamp[block] == p->set) return;
  p->stamp[block] = p->set;
  p->list[p->n++] = block;
}

// Callbacks for forces and sensors: each puts the block of a station (the ground has none), a
// velocity or a position into the set.
static void touch_station(void* ctx, int station) {
  planner* p = ctx;
  const int hop = station < 0 ? -1 : p->m->station[station].hop;
  if (hop >= 0) touch(p, p->m->block_of_hop[hop]);
}

static void visit_velocity(void* ctx, int v) {
  planner* p = ctx;
  touch(p, p->m->v_block[v]);
}

static void pass_by(void* ctx, int i) { (void)ctx, (void)i; }
static void pass_numbers(void* ctx, num first, int n) { (void)ctx, (void)first, (void)n; }

// Put the blocks into the set that a force acts on.
static void touch_force(planner* p, int force) {
  const force_info f = force_at(p->m, force);
  const force_visitor to = {p, visit_velocity, touch_station, pass_numbers};
  td_element_table[f.kind]->visit(p->m, f.i, &to);
}

static void visit_position(void* ctx, int q) {
  planner* p = ctx;
  touch(p, p->q_block[q]);
}

// A sensor of a rod may depend on all of its pieces.
static void visit_rod(void* ctx, int rod) {
  planner* p = ctx;
  for (int i = 0; i < p->m->nstrain; i++)
    if (p->m->strain[i].rod == rod) touch_force(p, first_force(p->m, FORCE_strain) + i);
}

// Put the blocks into the set that a sensor component depends on.
static void touch_probe(planner* p, const model_probe* probe) {
  const sensor_visitor to = {p, touch_station, visit_position, visit_velocity, visit_rod};
  if (probe->rod > 0) {
    visit_rod(p, probe->rod);
  } else {
    td_sensor_ops[probe->kind]->visit(p->m, probe, &to);
  }
}

// List the live numbers among n slots by `push`, and put the blocks into the set that they depend
// on.
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

// Callback for the numbers of a force.
static void visit_numbers(void* ctx, num first, int n) {
  planner* p = ctx;
  if (!p->failed && !touch_slots(p, first, n, td_push_force_live)) p->failed = true;
}

// Append one block of the pattern.
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

// Append rows of the element's own blocks with columns of all blocks of the set, and the transposed
// ones.
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

// Begin an empty set.
static void begin_set(planner* p) {
  p->set++;
  p->n = 0;
}

// Append the blocks of the set to a list of the model.
static bool list_blocks(planner* p, int* (*push)(td_model*, int)) {
  if (p->n == 0) return true;
  int* blocks = push(p->m, p->n);
  if (blocks) memcpy(blocks, p->list, (size_t)p->n * sizeof(int));
  return blocks != NULL;
}

// Blocks, live numbers and pairs of all forces.
static bool plan_forces(planner* p) {
  td_model* m = p->m;
  const int n = model_forces(m);
  const force_visitor numbers = {p, pass_by, pass_by, visit_numbers};
  if (!td_push_force_live_at(m, n + 1) || !td_push_force_block_at(m, n + 1)) return false;

  for (int i = 0; i < n; i++) {
    // blocks that the force acts on, then those that its live numbers depend on
    const force_info f = force_at(m, i);
    begin_set(p);
    touch_force(p, i);
    p->own = p->n;
    if (m->nlive_probe > 0) td_element_table[f.kind]->visit(m, f.i, &numbers);
    if (p->failed || !add_pairs(p) || !list_blocks(p, td_push_force_block)) return false;
    m->force_live_at[i + 1] = m->nforce_live;
    m->force_block_at[i + 1] = m->nforce_block;
  }

  return true;
}

// Blocks, live numbers and pairs of all constraint rows, and where the values of each row begin.
static bool plan_rows(planner* p) {
  td_model* m = p->m;
  if (!td_push_row_live_at(m, m->nrow + 1) || !td_push_row_block_at(m, m->nrow + 1) ||
      !td_push_row_base(m, m->nrow + 1))
    return false;

  for (int i = 0; i < m->nrow; i++) {
    // blocks of the stations, then those that live numbers depend on
    const model_row* r = &m->row[i];
    const num slots[] = {r->control, r->k, r->mu};
    begin_set(p);
    touch_station(p, r->a);
    touch_station(p, r->b);
    touch_station(p, r->c);
    p->own = p->n;
    for (int k = 0; k < 3 && m->nlive_probe > 0; k++)
      if (!touch_slots(p, slots[k], 1, td_push_row_live)) return false;
    if (!list_blocks(p, td_push_row_block)) return false;

    // the multiplier's tangent couples the stations alone
    p->n = p->own;
    if (!add_pairs(p)) return false;
    m->row_live_at[i + 1] = m->nrow_live;
    m->row_block_at[i + 1] = m->nrow_block;
    m->row_base[i + 1] = m->row_base[i];
    for (int k = m->row_block_at[i]; k < m->row_block_at[i + 1]; k++)
      m->row_base[i + 1] += m->block_at[m->row_block[k] + 1] - m->block_at[m->row_block[k]];
  }

  return true;
}

// Advance at[b] for each element that block b changes, forces first, then rows; with a list, also
// enter it there.
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

// List the elements that each block changes, by counting, then filling.
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

// List the forces that follow from the coordinates of one block, block after block.
static bool list_local_forces(planner* p) {
  td_model* m = p->m;
  const int n = model_forces(m);
  int *key = malloc(((size_t)n + 1) * sizeof(int)), count = 0;
  if (!key) return false;

  // the block of each such force
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    key[i] = -1;
    if (td_element_table[f.kind]->reach(m, f.i) != REACH_COORDINATES) continue;
    begin_set(p);
    touch_force(p, i);
    key[i] = p->n > 0 ? p->list[0] : -1;
    count++;
  }

  // sort the forces by block
  int *at = td_push_block_force_at(m, p->nblock + 1), *list = td_push_block_force(m, count + 1);
  if (at && list) sort_by_key(key, n, p->nblock, at, list);
  free(key);
  return at && list;
}

// ---- pattern ----------------------------------------------------------------------------------

// Order of blocks: by column, then by row.
static int by_column(const void* a, const void* b) {
  const pair *x = a, *y = b;
  return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                : (x->row > y->row) - (x->row < y->row);
}

// Number of velocities of a block.
static int size_of(const td_model* m, int block) {
  return m->block_at[block + 1] - m->block_at[block];
}

// Sort the pairs into block columns, each once.  False: out of memory, or more values than an int
// can count.
static bool make_pattern(planner* p) {
  td_model* m = p->m;
  for (int J = 0; J < p->nblock; J++)
    if (!add_pair(p, J, J)) return false;
  qsort(p->pairs, (size_t)p->npair, sizeof(pair), by_column);
  int unique = 0;
  for (int i = 0; i < p->npair; i++)
    if (i == 0 || by_column(&p->pairs[i - 1], &p->pairs[i]) != 0) p->pairs[unique++] = p->pairs[i];

  int *ptr = td_push_block_ptr(m, p->nblock + 1), *base = td_push_block_base(m, p->nblock + 1);
  int* mass = td_push_mass_base(m, p->nblock + 1);
  int *row = td_push_block_row(m, unique), *offset = td_push_block_offset(m, unique);
  if (!ptr || !base || !mass || !row || !offset) return false;

  // rows of each block column, their offsets in it, and where its values begin
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

// Allocate the set of blocks, and chain the live numbers by their slots.
static bool open_lists(planner* p) {
  const td_model* m = p->m;
  const size_t nslot = (size_t)m->nnumber_ex + 1, nlive = (size_t)m->nlive_probe + 1;
  p->slot_live = malloc(nslot * sizeof(int));
  p->next = malloc(nlive * sizeof(int));
  p->stamp = calloc((size_t)p->nblock + 1, sizeof(int));
  p->list = malloc(((size_t)p->nblock + 1) * sizeof(int));
  if (!p->slot_live || !p->next || !p->stamp || !p->list) return false;

  // chain the live numbers of each slot
  memset(p->slot_live, 0xff, nslot * sizeof(int));

  for (int i = m->nlive_probe - 1; i >= 0; i--) {
    int* head = &p->slot_live[m->live_probe[i].target];
    p->next[i] = *head;
    *head = i;
  }

  return true;
}

// ---- dense or sparse --------------------------------------------------------------------------

// Number of trees, each of which begins at the ground.
static int count_trees(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nhop; i++) n += m->hop[i].parent < 0;
  return n;
}

// Choose between dense and sparse matrices (m->sparse), and leave the reason in m->linear_why.
static td_status choose(planner* p) {
  td_model* m = p->m;
  char* why = m->linear_why;
  const size_t size = sizeof m->linear_why;

  // dense by request, where everything may touch everything, and for small models
  if (m->linear == LINEAR_DENSE) {
    snprintf(why, size, "as asked for");
    return TD_OK;
  }

  if (m->ncable > 0) {
    snprintf(why, size, "a cable couples all that it passes");
    return TD_OK;
  }

  if (m->npiece > 0) {
    snprintf(why, size,
             "parts that move may touch each other anywhere, rods touch between their points");
    return TD_OK;
  }

  if (m->nvel == 0 ||
      (m->linear == LINEAR_AUTO && (m->nvel < FEW_VELOCITIES || count_trees(m) < FEW_BLOCKS))) {
    snprintf(why, size, "%d velocities in %d trees", m->nvel, count_trees(m));
    return TD_OK;
  }

  // otherwise by how much of the matrix is filled
  if (!make_blocks(p) || !open_lists(p) || !plan_forces(p) || !plan_rows(p) || !list_elements(p) ||
      !list_local_forces(p) || !make_pattern(p))
    return TD_E_NOMEM;
  const td_pattern b = model_blocks(m);
  const double filled = blocks_values(&b) / ((double)m->nvel * m->nvel);
  const bool asked = m->linear == LINEAR_SPARSE;
  m->sparse = asked || filled * LEAST_EMPTY <= 1;
  snprintf(why, size, "%s%d blocks of DOFs, %.3g %% of the matrix filled",
           asked ? "as asked for: " : "", b.nblock, 100 * filled);
  return TD_OK;
}

// Decide between dense and sparse matrices; a dense model keeps no pattern.
td_status td_sparse_plan(td_model* m) {
  planner p = {.m = m};
  const td_status status = choose(&p);

  // a dense model keeps no pattern
  if (m->sparse) {
    td_find_nodes(m);
  } else {
    m->ntree = m->nblock_of_hop = m->nv_block = m->nv_local = m->nindex_v = 0;
    m->nblock_tree_at = m->nblock_tree = m->nblock_force_at = m->nblock_force = 0;
    m->nblock_element_at = m->nblock_element = 0;
    m->nblock_at = m->nblock_ptr = m->nblock_row = m->nblock_offset = m->nblock_base = 0;
    m->nmass_base = m->nforce_live_at = m->nforce_live = m->nrow_live_at = m->nrow_live = 0;
    m->nforce_block_at = m->nforce_block = m->nrow_block_at = m->nrow_block = m->nrow_base = 0;
  }

  free(p.q_block);
  free(p.slot_live);
  free(p.next);
  free(p.stamp);
  free(p.list);
  free(p.pairs);
  return status;
}
