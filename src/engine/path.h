// The columns on the way from the ground to a hop, component by component.  The entries of M and of
// the tangents are products of one vector with the vectors of all columns above it; with their
// components side by side, eight entries are made at once.  Hops come depth first, so one stack
// serves all of them: what lies above a hop is a beginning of it.
//
// Steps along a rod that share their DOFs share slots, which the rod takes at its first step, and
// what they put there adds up.  Such a hop comes after all other children of its parent, so nobody
// misses what it changes.
#ifndef TD_PATH_H
#define TD_PATH_H

#include "elem/magnus.h"
#include "engine/hop_strain.h"
#include "engine/stages.h"
#include "math/kernel.h"
#include "math/octet.h"

typedef struct path {
  const tree_part* part;
  bool rods;  // some hops are steps of rods
  int nslot, nblock;
  int parts;      // of the steps of a run at most
  int top;        // slots taken
  bool straight;  // their rows ascend one by one
  bool plain;     // and so do those of all paths: the first row says all
  int* row;       // of each slot, in the matrices
  lanes* sum;     // where entries are made
} path;

static inline int slot_blocks(int slots) { return (slots + LANES - 1) / LANES; }

// The parts of all steps of the run that begins with a hop.
static inline int run_parts(const td_model* m, int hop) {
  if (!begins_run(m, hop)) return 0;
  return m->run[m->hop[hop].run].n * step_parts(&m->hop[hop]);
}

static inline path path_new(const td_model* m, const tree_part* part, arena* s) {
  path p = {.part = part, .plain = !part->index};
  for (int i = part->first; i < part->end; i++) {
    p.nslot = max_int(p.nslot, m->hop[i].end);
    p.rods = p.rods || is_step(&m->hop[i]);
    p.parts = max_int(p.parts, run_parts(m, i));
    p.plain = p.plain && m->hop[i].straight;
  }
  p.nblock = slot_blocks(p.nslot);
  p.row = memset(arena_ints(s, p.nslot), 0, (size_t)p.nslot * sizeof(int));
  p.sum = arena_bytes(s, (size_t)p.nblock * sizeof(lanes));
  return p;
}

// Room for one vector per column.
static inline octet* path_vectors(const path* p, arena* s) {
  const size_t size = (size_t)p->nblock * sizeof(octet);
  return memset(arena_bytes(s, size), 0, size);
}

// Entries of the parts of a run.
static inline lanes* path_room(const path* p, arena* s) {
  return arena_bytes(s, (size_t)p->parts * (size_t)p->nblock * sizeof(lanes));
}

// A hop's own columns are put on the path after the entries of its rows are made: what has just
// been written number by number is slow to read eight at a time.
static inline void path_enter(path* p, const td_model* m, int hop) {
  const model_hop* h = &m->hop[hop];
  if (p->plain && h->above > 0) return;
  for (int k = h->col; k < h->col + h->nv; k++)
    p->row[m->col[k].slot] = part_row(p->part, m->col[k].v);
}
// The slots of a rod are zero until its steps add to them, and so are those behind them of the same
// block, which others may have left.
static inline bool path_is_stale(const path* p, const model_hop* hop) {
  return is_step(hop) && (hop->above < hop->end || p->top > hop->end);
}
static inline void path_clear(octet* vectors, const model_hop* hop) {
  for (int slot = hop->above; slot < LANES * slot_blocks(hop->end); slot++)
    for (int c = 0; c < 6; c++) vectors[slot / LANES].c[c][slot % LANES] = 0;
}
static inline void path_column(octet* vectors, const model_hop* hop, int slot, const spatial* x) {
  double* to = (double*)&vectors[slot / LANES] + slot % LANES;
  const bool adds = is_step(hop);
  for (int c = 0; c < 6; c++) to[c * LANES] = (adds ? to[c * LANES] : 0) + x->a[c];
}

// The products with the first n columns' vectors, in p->sum.
static inline void path_sum(const path* p, int n, const octet* vectors, const spatial* x) {
  for (int b = 0; b * LANES < n; b++) p->sum[b] = octet_dot(x, &vectors[b]);
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

// ---- steps of rods (strain_path.c) ------------------------------------------------------------

// Many steps add to the rows of the same DOFs: these are gathered slot by slot, and added to the
// matrix before the slots are taken by others.
static inline lanes* path_rows(const path* p, arena* s) {
  const size_t size = !p->rods ? 0 : (size_t)p->nslot * (size_t)p->nblock * sizeof(lanes);
  return memset(arena_bytes(s, size), 0, size);
}
// The first row is set here: the first step of a rod need not have a column of its first DOF.
static inline void path_reach(path* p, const model_hop* hop) {
  p->top = hop->end;
  if (hop->root >= 0) p->row[0] = part_row(p->part, hop->root);
  p->straight = hop->straight && !p->part->index;
}
static inline void path_flush(const path* p, int first, lanes* rows, double* M) {
  for (int slot = first; p->rods && slot < p->top; slot++) {
    const int at = p->plain ? p->row[0] + slot : p->row[slot];
    double *row = (double*)(rows + slot * p->nblock), *to = M + at * p->part->n;
    if (p->straight) {
      axpy(1, row, to + p->row[0], p->top);
    } else {
      for (int l = 0; l < p->top; l++) to[p->row[l]] += row[l];
    }
    for (int b = 0; b < p->nblock; b++) rows[slot * p->nblock + b] = (lanes){0};
  }
}

// Columns of the tangents beside those of the motion; rows of dF/dq, dF/dv and their transposes.
enum { TANGENT_ROWS = 4 };
typedef struct tangent_path {
  path p;
  octet *S, *U, *Z, *X;
  lanes* room[TANGENT_ROWS];  // for the entries of all parts of a run
  lanes* rows[TANGENT_ROWS];
  curvature_row* curvature;  // of the steps of the run at hand
} tangent_path;
// All of it, for some hops of a model.
static inline size_t path_bytes(const td_model* m, int first, int end) {
  int slots = 0, parts = 0;
  for (int i = first; i < end; i++) {
    slots = max_int(slots, m->hop[i].end);
    parts = max_int(parts, run_parts(m, i));
  }
  const size_t rows = 4 * 6 + TANGENT_ROWS * (size_t)(parts + slots) + 2;
  const size_t curvature = MAGNUS_PARTS * sizeof(curvature_row);
  return rows * (size_t)slot_blocks(slots) * sizeof(lanes) + curvature + 64 * 16;
}

// A place that only watches or is acted upon carries nothing.
static inline bool td_has_mass(const spatial6* I) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += fabs(I->col[k].a[k]);
  return sum != 0;
}
// Whether the columns of a hop are constant weights times its parts, so that all that is linear in
// them is done with the parts.
static inline bool has_parts(const model_hop* hop) { return is_step(hop) && !hop->dependent; }
// vectors += the columns of a step, made of its parts x.
void td_step_add(const td_work* w, const model_hop* hop, const octet* x, octet* vectors);
// What mass_of_hop and the loop of td_tree_tangent do with columns, and the columns put on the
// path.
void td_step_mass(const td_model* m, const td_work* w, int hop, const path* p, octet* S,
                  lanes* room, lanes* M);
void td_step_tangent(const td_model* m, const td_work* w, int hop, const tangent_path* t);

#endif
