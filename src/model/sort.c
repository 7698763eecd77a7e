// Depth-first order of the hops: every subtree becomes a contiguous range, groups stay together.
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/arrays.h"
#include "model/build.h"

typedef struct family {
  int child, sibling;  // first child, next sibling; -1: none
} family;

static void put_first(const td_model* m, family* f, int i, int* root) {
  int* list = m->hop[i].parent < 0 ? root : &f[m->hop[i].parent].child;
  f[i].sibling = *list;
  *list = i;
}

// order[k]: the old number of the k-th hop.  A hop that continues its parent's columns comes after
// its siblings (engine/path.h).
static void depth_first(const td_model* m, family* f, int* order) {
  const int n = m->nhop;
  int root = -1, count = 0;
  for (int i = 0; i < n; i++) f[i].child = -1;
  for (int i = n - 1; i >= 0; i--)
    if (m->hop[i].continues) put_first(m, f, i, &root);
  for (int i = n - 1; i >= 0; i--)
    if (!m->hop[i].continues) put_first(m, f, i, &root);
  for (int at = root; at >= 0;) {
    order[count++] = at;
    int next = f[at].child;
    for (int up = at; next < 0 && up >= 0; up = m->hop[up].parent) next = f[up].sibling;
    at = next;
  }
}

// Copy hops and columns into the new order and renumber what refers to them: parents, groups,
// stations. to[old] = new.
static void renumber(td_model* m, const int* order, int* to, model_hop* hop, model_col* col) {
  int c = 0;
  for (int k = 0; k < m->nhop; k++) to[order[k]] = k;
  for (int k = 0; k < m->nhop; k++) {
    hop[k] = m->hop[order[k]];
    if (hop[k].parent >= 0) hop[k].parent = to[hop[k].parent];
    hop[k].group = to[hop[k].group];
    for (int i = 0; i < hop[k].nv; i++) {
      col[c + i] = m->col[hop[k].col + i];
      col[c + i].hop = k;
    }
    hop[k].col = c;
    c += hop[k].nv;
  }
  if (m->nhop > 0) memcpy(m->hop, hop, (size_t)m->nhop * sizeof *hop);
  if (m->ncol > 0) memcpy(m->col, col, (size_t)m->ncol * sizeof *col);
  for (int i = 0; i < m->nstation; i++)
    if (m->station[i].hop >= 0) m->station[i].hop = to[m->station[i].hop];
}

// ---- slots ------------------------------------------------------------------------------------

// The DOFs of a step and of those that continue it: ascending, each once.
static int dofs_along(const td_model* m, int first, int* v) {
  int n = 0, at = first;
  for (int i = first; i < m->nhop && (i == first || m->hop[i].parent >= first); i++) {
    if (i != first && !(m->hop[i].continues && m->hop[i].parent == at)) continue;
    at = i;
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
      int known = 0;
      while (known < n && v[known] != m->col[k].v) known++;
      if (known == n) v[n++] = m->col[k].v;
    }
  }
  if (n > 0) qsort(v, (size_t)n, sizeof *v, ascending_ints);
  return n;
}

// Number the slots of the columns on the ancestry of each hop, from the ground outwards.  A rod
// takes one slot for each of its DOFs at its first step, and all of its steps share these slots.
// Hops are in depth-first order, so that the slots of the present ancestry are a stack.
// Scratch: v is the velocity of each slot on the stack, of_slot the last column so far of each slot
// of a rod, head the first step of the rod to which a hop belongs.
static void number_slots(td_model* m, int* v, int* of_slot, int* head) {
  for (int i = 0; i < m->nhop; i++) {
    model_hop* hop = &m->hop[i];

    // slots begin behind those of the parent; the first step of a rod takes those of all its DOFs
    hop->above = hop->end = hop->parent < 0 ? 0 : m->hop[hop->parent].end;
    head[i] = hop->continues && hop->parent >= 0 ? head[hop->parent] : i;
    const model_hop* rod = &m->hop[head[i]];
    if (is_step(hop) && head[i] == i) hop->end += dofs_along(m, i, v + hop->above);
    for (int l = hop->above; l < hop->end && head[i] == i; l++) of_slot[l] = -1;

    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      // a column of a step has the slot of its DOF along the rod, any other column a new slot
      int slot = rod->above;
      if (!is_step(hop)) v[slot = hop->end++] = m->col[k].v;
      while (v[slot] != m->col[k].v) slot++;
      m->col[k].slot = slot;

      // link the columns of a DOF along a rod into a list, in the order of the steps
      int* before = &of_slot[slot];
      m->col[k].leads = !is_step(hop) || *before < 0;
      m->col[k].next = -1;
      if (!m->col[k].leads) m->col[*before].next = k;
      *before = k;
    }

    // the first velocity from the ground, and whether those of all slots ascend one by one
    hop->root = hop->end > 0 ? v[0] : -1;
    hop->straight = hop->parent < 0 || m->hop[hop->parent].straight;  // up to its own slots
    for (int l = max_int(1, hop->above); l < hop->end && hop->straight; l++)
      hop->straight = v[l] == v[l - 1] + 1;
  }
}

// For each hop: how many blocks of eight slots are filled from the ground up to it (filled).  For
// each step of a rod also the blocks that its own DOFs occupy (block, blocks), and the places of
// its parts and weights in td_work (parts, weights), which are counted in nstrain_octet and
// nstrain_weight.
static void number_parts(td_model* m) {
  m->nstrain_octet = m->nstrain_weight = 0;
  for (int i = 0; i < m->nhop; i++) {
    model_hop* hop = &m->hop[i];
    hop->filled = (hop->end + LANES - 1) / LANES;
    if (!is_step(hop)) continue;

    // blocks of its own columns
    int first = hop->end, end = 0;
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      first = min_int(first, m->col[k].slot / LANES);
      end = max_int(end, m->col[k].slot / LANES + 1);
    }
    hop->block = first;
    hop->blocks = max_int(end - first, 0);
    hop->filled = max_int(end, hop->parent < 0 ? 0 : m->hop[hop->parent].filled);

    // places in the work
    hop->parts = m->nstrain_octet;
    hop->weights = m->nstrain_weight;
    m->nstrain_octet += step_octets(hop);
    m->nstrain_weight += step_parts(hop) * hop->blocks;
  }
}

// ---- runs -------------------------------------------------------------------------------------

static bool joins(const td_model* m, const model_run* run, int i) {
  const model_hop* hop = &m->hop[i];
  return run->n < LANES && hop->parent == i - 1 && hop->nodes == run->nodes &&
         hop->dependent == run->dependent &&
         (!run->dependent || hop->modes == m->hop[run->hop].modes);
}

// Add the coordinate of a column to a run, once.
static td_status add_dof(td_model* m, model_run* run, const model_col* c) {
  for (int f = run->dof; f < run->dof + run->ndof; f++)
    if (m->run_dof[f].slot == c->slot && m->run_dof[f].part == c->part) return TD_OK;
  model_run_dof* f = td_push_run_dof(m, 1);
  if (!f) return TD_E_NOMEM;
  *f = (model_run_dof){.q = c->q, .v = c->v, .slot = c->slot, .part = c->part};
  run->ndof++;
  return TD_OK;
}

// Group steps of rods that follow each other directly into runs of at most eight, which are
// evaluated side by side, with the union of their moving strains and DOFs.
static td_status number_runs(td_model* m) {
  m->nrun_weight = 0;
  for (int first = 0, n; first < m->nhop; first += n) {
    const model_hop* hop = &m->hop[first];
    n = 1;
    if (!is_step(hop)) continue;
    model_run run = {.hop = first,
                     .n = 1,
                     .nodes = hop->nodes,
                     .dependent = hop->dependent,
                     .dof = m->nrun_dof,
                     .weight = m->nrun_weight};
    while (first + run.n < m->nhop && is_step(&m->hop[first + run.n]) &&
           joins(m, &run, first + run.n))
      run.n++;

    // strains and DOFs of all its steps
    for (int i = first; i < first + run.n; i++) {
      m->hop[i].run = m->nrun;
      run.modes |= m->hop[i].modes;
      for (int k = m->hop[i].col; !run.dependent && k < m->hop[i].col + m->hop[i].nv; k++)
        TD_TRY(add_dof(m, &run, &m->col[k]));
    }
    for (int i = first; i < first + run.n; i++) m->hop[i].modes = run.modes;
    model_run* to = td_push_run(m, 1);
    if (!to) return TD_E_NOMEM;
    *to = run;
    m->nrun_weight += run_constants(&run);
    n = run.n;
  }
  return TD_OK;
}

// Sort the hops depth first, then number slots, runs and parts, and note where hops of one kind
// end.
td_status td_sort_hops(td_model* m, int** renumbered) {
  const size_t n = (size_t)m->nhop + 1;
  family* f = malloc(n * sizeof *f);
  int *order = malloc(n * sizeof(int)), *to = malloc(n * sizeof(int));
  int *v = malloc(2 * ((size_t)m->ncol + 1) * sizeof(int)), *head = malloc(n * sizeof(int));
  model_hop* hop = malloc(n * sizeof *hop);
  model_col* col = malloc(((size_t)m->ncol + 1) * sizeof *col);
  const bool ok = f && order && to && hop && col && v && head;
  td_status status = TD_E_NOMEM;
  if (ok) {
    depth_first(m, f, order);
    renumber(m, order, to, hop, col);
    number_slots(m, v, v + m->ncol + 1, head);
    status = number_runs(m);
    number_parts(m);
    for (int i = m->nhop - 1; i >= 0; i--) {
      const bool same = i + 1 < m->nhop && m->hop[i + 1].kind == m->hop[i].kind;
      m->hop[i].alike = same ? m->hop[i + 1].alike : i + 1;
    }
  }
  free(f);
  free(order);
  free(v);
  free(head);
  free(hop);
  free(col);
  *renumbered = to;
  if (status != TD_OK) {
    free(to);
    *renumbered = NULL;
  }
  return status;
}
