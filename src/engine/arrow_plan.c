// Trunk and branches of a tree with loops (math/arrow.h).
//
// The trunk is the way from the ground to some hop; what grows from it are branches, and those that
// a constraint row connects are one.  A DOF that moves several of them belongs to the trunk.  Of
// all hops where the tree forks the one is taken that makes the least work.
#include <stdlib.h>
#include <string.h>

#include "engine/stages.h"
#include "model/arrays.h"

typedef struct planner {
  td_model* m;
  int* part;  // of each hop: -1 trunk, else the first hop of its branch
  int* up;    // branches that rows connect: another of them
  int* of_v;  // of each velocity: -1 trunk, else a branch
  int* of_row;
  int *nx, *nrow;  // per branch (its first hop): free velocities, rows
} planner;

enum { TRUNK = -1, NOWHERE = -2 };

static int find_root(int* up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// ---- one trunk --------------------------------------------------------------------------------

static void part_hops(planner* p, int tip) {
  const td_model* m = p->m;
  for (int i = 0; i < m->nhop; i++) {
    const int parent = m->hop[i].parent;
    const bool trunk = i <= tip && tip <= m->hop[i].last;
    p->part[i] = trunk ? TRUNK : parent < 0 || p->part[parent] == TRUNK ? i : p->part[parent];
    p->up[i] = i;
  }
}

static void join_rows(planner* p) {
  const td_model* m = p->m;
  for (int i = 0; i < m->nrow; i++) {
    const int station[3] = {m->row[i].a, m->row[i].b, m->row[i].c};
    p->of_row[i] = TRUNK;
    for (int s = 0; s < 3; s++) {
      const int hop = station[s] < 0 ? -1 : m->station[station[s]].hop;
      if (hop < 0 || p->part[hop] == TRUNK) continue;
      if (p->of_row[i] != TRUNK)
        p->up[find_root(p->up, p->of_row[i])] = find_root(p->up, p->part[hop]);
      p->of_row[i] = p->part[hop];
    }
  }
}

static void part_velocities(planner* p) {
  const td_model* m = p->m;
  for (int v = 0; v < m->nvel; v++) p->of_v[v] = NOWHERE;
  for (int k = 0; k < m->ncol; k++) {
    const int part = p->part[m->col[k].hop], root = part == TRUNK ? TRUNK : find_root(p->up, part);
    int* of = &p->of_v[m->col[k].v];
    *of = *of == NOWHERE || *of == root ? root : TRUNK;
  }
}

// Branches with more rows than DOFs cannot hold by themselves: part of the trunk.
static void count_parts(planner* p) {
  const td_model* m = p->m;
  memset(p->nx, 0, (size_t)m->nhop * sizeof(int));
  memset(p->nrow, 0, (size_t)m->nhop * sizeof(int));
  for (int i = 0; i < m->nrow; i++) {
    if (p->of_row[i] == TRUNK) continue;
    p->of_row[i] = find_root(p->up, p->of_row[i]);
    p->nrow[p->of_row[i]]++;
  }
  for (int i = 0; i < m->nfree_v; i++)
    if (p->of_v[m->free_v[i]] >= 0) p->nx[p->of_v[m->free_v[i]]]++;
  for (int v = 0; v < m->nvel; v++)
    if (p->of_v[v] >= 0 && p->nrow[p->of_v[v]] > p->nx[p->of_v[v]]) p->of_v[v] = TRUNK;
  for (int i = 0; i < m->nrow; i++)
    if (p->of_row[i] >= 0 && p->nrow[p->of_row[i]] > p->nx[p->of_row[i]]) p->of_row[i] = TRUNK;
  for (int b = 0; b < m->nhop; b++)
    if (p->nrow[b] > p->nx[b]) p->nx[b] = p->nrow[b] = 0;
}

// Products of td_kkt_factor
static double work_alone(double n, double m) { return n * n * n / 3 + 6 * n * n * m; }

static double work_of(planner* p, int tip) {
  part_hops(p, tip);
  join_rows(p);
  part_velocities(p);
  count_parts(p);
  const td_model* m = p->m;
  double n0 = m->nfree_v, m0 = m->nrow, sum = 0;
  for (int b = 0; b < m->nhop; b++) {
    n0 -= p->nx[b];
    m0 -= p->nrow[b];
  }
  for (int b = 0; b < m->nhop; b++) {
    const double n = p->nx[b], rows = p->nrow[b], call = 2000;
    if (n > 0) sum += work_alone(n, rows) + n0 * (n * n + 6 * n * rows + n0 * (n + rows)) + call;
  }
  return sum + work_alone(n0, m0);
}

// ---- the best ---------------------------------------------------------------------------------

// Subtrees with DOFs that grow from a hop (-1: the ground), two at most.
static void count_children(const td_model* m, int* children) {
  for (int i = -1; i < m->nhop; i++) children[i] = 0;
  for (int i = 0; i < m->nhop; i++) {
    const int last = m->hop[i].last;
    const bool moves = m->hop[last].col + m->hop[last].nv > m->hop[i].col;
    if (moves && children[m->hop[i].parent] < 2) children[m->hop[i].parent]++;
  }
}

static int best_tip(planner* p, const int* children) {
  const double whole = work_alone(p->m->nfree_v, p->m->nrow);
  double least = 0.7 * whole;
  int best = NOWHERE;
  for (int tip = -1; tip < p->m->nhop; tip++) {
    if (children[tip] < 2) continue;
    const double work = work_of(p, tip);
    if (work >= least) continue;
    least = work;
    best = tip;
  }
  return best;
}

static bool push(int* (*more)(td_model*, int), td_model* m, int x) {
  int* at = more(m, 1);
  if (at) *at = x;
  return at != NULL;
}

// The members of one part, and where it ends.
static bool list_part(planner* p, int part) {
  td_model* m = p->m;
  bool ok = true;
  for (int i = 0; i < m->nfree_v; i++)
    if (p->of_v[m->free_v[i]] == part) ok = ok && push(td_push_arrow_x, m, i);
  for (int i = 0; i < m->nrow; i++)
    if (p->of_row[i] == part) ok = ok && push(td_push_arrow_row, m, i);
  return ok && push(td_push_arrow_x_at, m, m->narrow_x) &&
         push(td_push_arrow_row_at, m, m->narrow_row);
}

static bool list_parts(planner* p, int tip) {
  work_of(p, tip);
  bool ok = push(td_push_arrow_x_at, p->m, 0) && push(td_push_arrow_row_at, p->m, 0) &&
            list_part(p, TRUNK);
  for (int b = 0; b < p->m->nhop; b++)
    if (p->nx[b] > 0) ok = ok && list_part(p, b);
  return ok;
}

td_status td_arrow_plan(td_model* m) {
  if (m->sparse || (m->recursive && m->nrow == 0)) return TD_OK;
  if (m->ntaut > 0) return TD_OK;  // a cable's row may touch everything
  const size_t hops = (size_t)m->nhop, n = 5 * hops + (size_t)m->nvel + (size_t)m->nrow + 1;
  int* room = malloc(n * sizeof(int));
  if (!room) return TD_E_NOMEM;
  planner p = {.m = m, .part = room, .up = room + hops, .nx = room + 2 * hops};
  p.nrow = p.nx + hops;
  int* children = p.nrow + hops + 1;
  p.of_v = children + hops;
  p.of_row = p.of_v + m->nvel;
  count_children(m, children);
  const int tip = best_tip(&p, children);
  const bool ok = tip == NOWHERE || list_parts(&p, tip);
  free(room);
  return ok ? TD_OK : TD_E_NOMEM;
}
