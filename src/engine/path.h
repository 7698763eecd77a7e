// The ancestry of a hop: the columns of all hops between the ground and it, component by component.
// Entries of M and of the tangents are products of one vector with the vectors of all these
// columns; with their components side by side eight entries are computed at once.  Hops are
// numbered depth first, so that one stack holds the ancestry of each in turn: the ancestry of a
// parent is a beginning of that of its children.
//
// Steps along a rod that share their DOFs share slots of the stack, which the rod takes at its
// first step, and add up there.  Such a step comes after all other children of its parent, so that
// no other hop needs the slots before the step has changed them.
#ifndef TD_PATH_H
#define TD_PATH_H

#include "elem/magnus.h"
#include "engine/hop_strain.h"
#include "engine/stages.h"
#include "math/kernel.h"
#include "math/octet.h"

// The stack for some trees of a model.
typedef struct path {
  const tree_part* part;
  bool rods;          // some hops are steps of rods
  int nslot, nblock;  // slots, and vectors of eight of them
  int parts;          // largest number of parts of a bundle of steps
  int top;            // slots in use
  bool straight;      // the rows of the slots in use are consecutive
  bool plain;         // they are for all hops, so that the first row determines the others
  int* row;           // row of each slot in the matrices
  lanes* sum;         // the entries of one row while they are computed
} path;

// Vectors of eight for this number of slots.
static inline int slot_blocks(int slots) { return (slots + LANES - 1) / LANES; }

// Number of parts of all steps of the bundle that begins with a hop, 0: none begins there.
static inline int run_parts(const td_model* m, int hop) {
  if (!begins_run(m, hop)) return 0;
  return m->run[m->hop[hop].run].n * step_parts(&m->hop[hop]);
}

// Allocate the stack in the scratch.
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

// Allocate zero vectors, one for each column.
static inline octet* path_vectors(const path* p, arena* s) {
  const size_t size = (size_t)p->nblock * sizeof(octet);
  return memset(arena_bytes(s, size), 0, size);
}

// Allocate the entries of all parts of a bundle.
static inline lanes* path_room(const path* p, arena* s) {
  return arena_bytes(s, (size_t)p->parts * (size_t)p->nblock * sizeof(lanes));
}

// Put the rows of a hop's own columns on the stack.  This comes after the entries of these rows,
// since numbers that have just been written one by one are slow to read eight at a time.
static inline void path_enter(path* p, const td_model* m, int hop) {
  const model_hop* h = &m->hop[hop];
  if (p->plain && h->above > 0) return;
  for (int k = h->col; k < h->col + h->nv; k++)
    p->row[m->col[k].slot] = part_row(p->part, m->col[k].v);
}

// True when the slots of a rod step hold old numbers: they are zero until its steps add to them,
// and so are the slots behind them in the same vector of eight, which other hops may have used.
static inline bool path_is_stale(const path* p, const model_hop* hop) {
  return is_step(hop) && (hop->above < hop->end || p->top > hop->end);
}

// Set the slots of a rod to zero, up to the end of their last vector.
static inline void path_clear(octet* vectors, const model_hop* hop) {
  for (int slot = hop->above; slot < LANES * slot_blocks(hop->end); slot++)
    for (int c = 0; c < 6; c++) vectors[slot / LANES].c[c][slot % LANES] = 0;
}

// Put one column into its slot; steps of a rod add to it.
static inline void path_column(octet* vectors, const model_hop* hop, int slot, const spatial* x) {
  double* to = (double*)&vectors[slot / LANES] + slot % LANES;
  const bool adds = is_step(hop);
  for (int c = 0; c < 6; c++) to[c * LANES] = (adds ? to[c * LANES] : 0) + x->a[c];
}

// p->sum = products of x with the first n columns.
static inline void path_sum(const path* p, int n, const octet* vectors, const spatial* x) {
  for (int b = 0; b * LANES < n; b++) p->sum[b] = octet_dot(x, &vectors[b]);
}

// Add the first n entries to a row of a matrix, at the rows of the slots; `straight`: these are
// consecutive.
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

// Allocate the rows of DOFs that many steps of a rod add to: they are gathered slot by slot, and
// added to the matrix before other hops take the slots.
static inline lanes* path_rows(const path* p, arena* s) {
  const size_t size = !p->rods ? 0 : (size_t)p->nslot * (size_t)p->nblock * sizeof(lanes);
  return memset(arena_bytes(s, size), 0, size);
}

// Set the end of the stack for a hop.  Its first row is set here, since the first step of a rod
// need not have a column of its first DOF.
static inline void path_reach(path* p, const model_hop* hop) {
  p->top = hop->end;
  if (hop->root >= 0) p->row[0] = part_row(p->part, hop->root);
  p->straight = hop->straight && !p->part->index;
}

// Add the gathered rows of all slots from `first` on to M, and clear them.
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

// The stack of the tangents: columns U, Z, X beside S; rows of dF/dq, dF/dv and of their
// transposes.
enum { TANGENT_ROWS = 4 };
typedef struct tangent_path {
  path p;
  octet *S, *U, *Z, *X;
  lanes* room[TANGENT_ROWS];  // entries of all parts of a bundle
  lanes* rows[TANGENT_ROWS];  // gathered rows
  curvature_row* curvature;   // curvatures of the steps of the present bundle
} tangent_path;
// Scratch [bytes] of all of these for the hops first .. end - 1.
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

// True when an inertia is not zero: places that are only measured or acted upon carry none.
static inline bool td_has_mass(const spatial6* I) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += fabs(I->col[k].a[k]);
  return sum != 0;
}

// True when the columns of a hop are constant weights times its parts, so that everything linear in
// the columns is done with the parts.
static inline bool has_parts(const model_hop* hop) { return is_step(hop) && !hop->dependent; }
// vectors += the columns of a step, made of its parts x.
void td_step_add(const td_work* w, const model_hop* hop, const octet* x, octet* vectors);
// mass_of_hop, and the loop body of td_tree_tangent, for a rod step; both also put its columns on
// the stack.
void td_step_mass(const td_model* m, const td_work* w, int hop, const path* p, octet* S,
                  lanes* room, lanes* M);
void td_step_tangent(const td_model* m, const td_work* w, int hop, const tangent_path* t);

#endif
