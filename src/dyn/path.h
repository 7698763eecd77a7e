// The columns on the way from the ground to a hop, component by component.  The entries of M and of
// the tangents are products of one vector with the vectors of all columns above it; with their
// components side by side, eight entries are made at once.  Hops come depth first, so one stack
// serves all of them: what lies above a hop is a beginning of it.
//
// Steps along a rod that share their DOFs share slots, and what they put there adds up.  Such a hop
// comes after all other children of its parent, so nobody misses what it changes.
#ifndef TD_PATH_H
#define TD_PATH_H

#include "engine.h"
#include "lanes.h"

// The same six components of eight columns.
typedef struct path_block {
  lanes c[6];
} path_block;

typedef struct path {
  const tree_part* part;
  int* row;  // of each slot, in the matrices
  int nblock;
  lanes* sum;  // where entries are made
} path;

static inline path path_new(const td_model* m, const tree_part* part, arena* s) {
  int ncol = 0;
  for (int i = part->first; i < part->end; i++) ncol += m->hop[i].nv;
  const int nblock = (ncol + LANES - 1) / LANES;
  return (path){part, arena_ints(s, ncol), nblock, arena_bytes(s, (size_t)nblock * sizeof(lanes))};
}

// Room for one vector per column.
static inline path_block* path_vectors(const path* p, arena* s) {
  const size_t size = (size_t)p->nblock * sizeof(path_block);
  return memset(arena_bytes(s, size), 0, size);
}

// A hop's own columns are put on the path after the entries of its rows are made: what has just
// been written number by number is slow to read eight at a time.
static inline void path_enter(path* p, const td_model* m, int hop) {
  const model_hop* h = &m->hop[hop];
  for (int k = h->col; k < h->col + h->nv; k++)
    p->row[m->col[k].slot] = part_row(p->part, m->col[k].v);
}
static inline void path_add(path_block* vectors, int at, const spatial* x) {
  double* to = (double*)&vectors[at / LANES] + at % LANES;
  for (int c = 0; c < 6; c++) to[c * LANES] += x->a[c];
}
static inline void path_put(path_block* vectors, int at, const spatial* x) {
  double* to = (double*)&vectors[at / LANES] + at % LANES;
  for (int c = 0; c < 6; c++) to[c * LANES] = x->a[c];
}
// A column's vector: a new slot, or one above that goes on.
static inline void path_column(path_block* vectors, const model_hop* hop, int slot,
                               const spatial* x) {
  if (slot < hop->above) {
    path_add(vectors, slot, x);
  } else {
    path_put(vectors, slot, x);
  }
}

// sum += the products of x with the vectors of eight columns
static inline void path_dot(const path_block* b, const spatial* x, lanes* sum) {
  const double* a = x->a;
  *sum += (b->c[0] * a[0] + b->c[1] * a[1] + b->c[2] * a[2]) +
          (b->c[3] * a[3] + b->c[4] * a[4] + b->c[5] * a[5]);
}
// The products with the first n columns' vectors, in p->sum.
static inline void path_sum(const path* p, int n, const path_block* vectors, const spatial* x) {
  for (int b = 0; b * LANES < n; b++) {
    lanes sum = {0};
    path_dot(&vectors[b], x, &sum);
    p->sum[b] = sum;
  }
}

// Add the first n sums to a row of a matrix, at the velocities of the slots; `straight`: these
// ascend one by one.
static inline void path_add_row(const path* p, int n, bool straight, double* row) {
  const double* sum = (const double*)p->sum;
  if (n == 0) return;
  if (straight) {
    double* to = row + p->row[0];
    for (int l = 0; l < n; l++) to[l] += sum[l];
    return;
  }
  for (int l = 0; l < n; l++) row[p->row[l]] += sum[l];
}

#endif
