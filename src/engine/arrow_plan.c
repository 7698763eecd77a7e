// Trunk and branches of a tree with loops (math/arrow.h).
//
// The trunk is the chain of hops from the ground to some hop, its tip; the subtrees that grow from
// it are branches, and branches that a constraint row connects are one.  A DOF that moves several
// branches belongs to the trunk.  All hops where the tree forks are tried as tips, and the one that
// makes the least work is taken.
#include <stdlib.h>
#include <string.h>

#include "engine/stages.h"
#include "model/arrays.h"

// One division into trunk and branches.
typedef struct planner {
  td_model* m;
  int* part;       // (nhop) TRUNK, or the first hop of the branch
  int* up;         // (nhop) union-find of the branches that rows connect
  int* of_v;       // (nvel) TRUNK, or the branch of each velocity
  int* of_row;     // (nrow) the same of each row
  int *nx, *nrow;  // (nhop) free velocities and rows of the branch that begins with a hop
} planner;

enum { TRUNK = -1, NOWHERE = -2 };

// ---- one trunk --------------------------------------------------------------------------------

// Products of td_kkt_factor for n unknowns and m rows.
static double work_alone(double n, double m) { return n * n * n / 3 + 6 * n * n * m; }

// Divide the model into trunk and branches for a tip (-1: the ground), and estimate the products of
// the factors.
static double divide(planner* p, int tip) {
  const td_model* m = p->m;

  for (int i = 0; i < m->nhop; i++) {
    const int parent = m->hop[i].parent;
    const bool trunk = i <= tip && tip <= m->hop[i].last;
    p->part[i] = trunk ? TRUNK : parent < 0 || p->part[parent] == TRUNK ? i : p->part[parent];
    p->up[i] = i;
  }

  // join the branches that a row connects
  for (int i = 0; i < m->nrow; i++) {
    const int station[3] = {m->row[i].a, m->row[i].b, m->row[i].c};
    p->of_row[i] = TRUNK;
    for (int s = 0; s < 3; s++) {
      const int hop = station[s] < 0 ? -1 : m->station[station[s]].hop;
      if (hop < 0 || p->part[hop] == TRUNK) continue;
      if (p->of_row[i] != TRUNK)
        p->up[set_root(p->up, p->of_row[i])] = set_root(p->up, p->part[hop]);
      p->of_row[i] = p->part[hop];
    }
  }

  // velocities that move several branches belong to the trunk
  for (int v = 0; v < m->nvel; v++) p->of_v[v] = NOWHERE;

  for (int k = 0; k < m->ncol; k++) {
    const int part = p->part[m->col[k].hop], root = part == TRUNK ? TRUNK : set_root(p->up, part);
    int* of = &p->of_v[m->col[k].v];
    *of = *of == NOWHERE || *of == root ? root : TRUNK;
  }

  // count free velocities and rows of each branch
  memset(p->nx, 0, (size_t)m->nhop * sizeof(int));
  memset(p->nrow, 0, (size_t)m->nhop * sizeof(int));

  for (int i = 0; i < m->nrow; i++) {
    if (p->of_row[i] == TRUNK) continue;
    p->of_row[i] = set_root(p->up, p->of_row[i]);
    p->nrow[p->of_row[i]]++;
  }

  for (int i = 0; i < m->nfree_v; i++)
    if (p->of_v[m->free_v[i]] >= 0) p->nx[p->of_v[m->free_v[i]]]++;

  // a branch with more rows than velocities cannot hold by itself and joins the trunk
  for (int v = 0; v < m->nvel; v++)
    if (p->of_v[v] >= 0 && p->nrow[p->of_v[v]] > p->nx[p->of_v[v]]) p->of_v[v] = TRUNK;
  for (int i = 0; i < m->nrow; i++)
    if (p->of_row[i] >= 0 && p->nrow[p->of_row[i]] > p->nx[p->of_row[i]]) p->of_row[i] = TRUNK;

  // products of the trunk alone, and of each branch with its coupling to the trunk
  double n0 = m->nfree_v, m0 = m->nrow, sum = 0;

  for (int b = 0; b < m->nhop; b++) {
    if (p->nrow[b] > p->nx[b]) p->nx[b] = p->nrow[b] = 0;
    n0 -= p->nx[b];
    m0 -= p->nrow[b];
  }

  for (int b = 0; b < m->nhop; b++) {
    const double n = p->nx[b], rows = p->nrow[b], call = 2000;
    if (n > 0) sum += work_alone(n, rows) + n0 * (n * n + 6 * n * rows + n0 * (n + rows)) + call;
  }

  return sum + work_alone(n0, m0);
}

// ---- the best division ------------------------------------------------------------------------

// Append x to a list of the model; false: out of memory.
static bool push(int* (*more)(td_model*, int), td_model* m, int x) {
  int* at = more(m, 1);
  if (at) *at = x;
  return at != NULL;
}

// List the free velocities and rows of the trunk or of one branch, and where they end.
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

// Choose and list trunk and branches; none where one whole system is nearly as good.
td_status td_arrow_plan(td_model* m) {
  if (m->sparse || (m->recursive && m->nrow == 0)) return TD_OK;
  if (m->ntaut > 0) return TD_OK;  // the row of a cable may touch everything
  const size_t hops = (size_t)m->nhop, n = 5 * hops + (size_t)m->nvel + (size_t)m->nrow + 1;
  int* room = malloc(n * sizeof(int));
  if (!room) return TD_E_NOMEM;
  planner p = {.m = m, .part = room, .up = room + hops, .nx = room + 2 * hops};
  p.nrow = p.nx + hops;
  int* children = p.nrow + hops + 1;
  p.of_v = children + hops;
  p.of_row = p.of_v + m->nvel;

  // count the subtrees with DOFs that grow from each hop (-1: the ground)
  for (int i = -1; i < m->nhop; i++) children[i] = 0;
  for (int i = 0; i < m->nhop; i++) {
    const int last = m->hop[i].last;
    children[m->hop[i].parent] += m->hop[last].col + m->hop[last].nv > m->hop[i].col;
  }

  // the fork with the least work as tip, at most 0.7 of that of the whole system
  double least = 0.7 * work_alone(m->nfree_v, m->nrow);
  int best = NOWHERE;

  for (int tip = -1; tip < m->nhop; tip++) {
    const double work = children[tip] < 2 ? least : divide(&p, tip);
    if (work >= least) continue;
    least = work;
    best = tip;
  }

  // list its trunk and branches
  bool ok = true;

  if (best != NOWHERE) {
    divide(&p, best);
    ok = push(td_push_arrow_x_at, m, 0) && push(td_push_arrow_row_at, m, 0) && list_part(&p, TRUNK);
    for (int b = 0; b < m->nhop && ok; b++)
      if (p.nx[b] > 0) ok = list_part(&p, b);
  }

  free(room);
  return ok ? TD_OK : TD_E_NOMEM;
}
