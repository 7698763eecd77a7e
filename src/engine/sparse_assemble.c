// Assembly of the sparse matrices, one block column at a time: the inertia of the block's trees and
// forces along their coordinates, then every element that the block changes.  An element between
// two blocks is visited from both; in exchange each column is written by one thread, always in the
// same order, and its data stay in the cache.
#include <math.h>
#include <string.h>

#include "engine/hop_strain.h"
#include "engine/rank.h"
#include "engine/sparse_engine.h"

// x = v in the order of the blocks.
void td_sparse_gather(const td_model* m, const double* v, double* x) {
  for (int i = 0; i < m->nvel; i++) x[i] = v[m->index_v[i]];
}

// v = x in the order of the velocities.
void td_sparse_scatter(const td_model* m, const double* x, double* v) {
  for (int i = 0; i < m->nvel; i++) v[m->index_v[i]] = x[i];
}

// ---- trees ------------------------------------------------------------------------------------

// The matrices that are assembled, at accelerations a with multipliers lambda.
typedef struct assembly {
  const td_model* m;
  const double *a, *lambda;
  double *dq, *dv, *M;
} assembly;

// The hops of one tree of a block, with the numbering of its velocities inside the block.
static tree_part part_of(const td_model* m, int block, int tree) {
  const int t = m->block_tree[tree];
  return (tree_part){m->tree[t], m->tree[t + 1], m->block_at[block + 1] - m->block_at[block],
                     m->v_local};
}

// Move the window of the sums to the trees of a block.
static void window_of(const td_model* m, td_work* w, int b) {
  window_at(m, w, m->tree[m->block_tree[m->block_tree_at[b]]]);
}

// Block b of the mass matrix into M, after td_composite_inertia.
static void block_mass_at(const td_model* m, td_work* w, int b, double* M) {
  memset(M, 0, (size_t)(m->mass_base[b + 1] - m->mass_base[b]) * sizeof(double));
  for (int t = m->block_tree_at[b]; t < m->block_tree_at[b + 1]; t++) {
    const tree_part part = part_of(m, b, t);
    td_tree_mass(m, w, &part, M);
  }
  td_mass_join(M, m->block_at[b + 1] - m->block_at[b]);
}

// Composite inertias and mass matrix M of block b.
static void block_mass(const td_model* m, td_work* w, int b, double* M) {
  window_of(m, w, b);
  for (int t = m->block_tree_at[b]; t < m->block_tree_at[b + 1]; t++) {
    const tree_part part = part_of(m, b, t);
    td_composite_inertia(m, w, part.first, part.end);
  }
  block_mass_at(m, w, b, M);
}

// Item of td_sparse_each: block b of the mass matrix.
static void block_mass_item(void* ctx, td_work* w, int b) {
  const assembly* g = ctx;
  block_mass(g->m, w, b, g->M + g->m->mass_base[b]);
}

// All blocks of the mass matrix.
void td_sparse_mass(const td_model* m, td_work* w, double* M) {
  assembly g = {.m = m, .M = M};
  td_sparse_each(w, m->nblock_at - 1, block_mass_item, &g);
}

// Write the mass matrix into the dense M (nvel x nvel), block by block.
void td_sparse_mass_spread(const td_model* m, td_work* w, double* M) {
  const size_t nv = (size_t)m->nvel;
  memset(M, 0, nv * nv * sizeof(double));

  for (int b = 0; b < m->nblock_at - 1; b++) {
    const arena_mark mark = arena_open(&w->scratch);
    const int n = m->block_at[b + 1] - m->block_at[b], *v = m->index_v + m->block_at[b];
    double* own = arena_doubles(&w->scratch, n * n);
    block_mass(m, w, b, own);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) M[(size_t)v[i] * nv + (size_t)v[j]] = own[i * n + j];
    arena_close(&w->scratch, mark);
  }
}

// Tangent vectors of the columns of a block.
static void block_columns(const td_model* m, td_work* w, const double* a, int b) {
  window_of(m, w, b);
  for (int t = m->block_tree_at[b]; t < m->block_tree_at[b + 1]; t++) {
    const tree_part part = part_of(m, b, t);
    td_columns_of(m, w, a, part.first, part.end, true);
  }
}

// Add the tangent of the inertia and of forces along coordinates inside one block.
static void block_tangent(const td_model* m, td_work* w, const td_pattern* p, int b, double* dq,
                          double* dv) {
  const arena_mark mark = arena_open(&w->scratch);
  const int n = block_size(p, b), height = block_height(p, b), at = block_start(p, b, b);
  double *own_q = arena_zeros(&w->scratch, n * n), *own_v = arena_zeros(&w->scratch, n * n);
  tree_part part = {0};

  // inertia and single-station forces of the trees
  for (int t = m->block_tree_at[b]; t < m->block_tree_at[b + 1]; t++) {
    part = part_of(m, b, t);
    td_composites_of(m, w, part.first, part.end);
    td_tree_tangent(m, w, &part, own_q, own_v);
  }

  // forces along coordinates
  for (int i = m->block_force_at[b]; i < m->block_force_at[b + 1]; i++) {
    const force_info f = force_at(m, m->block_force[i]);
    td_element_table[f.kind]->tangent(m, w, f.i, &part, own_q, own_v);
  }

  // into the diagonal block, which is stored by columns
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      dq[at + j * height + i] += own_q[i * n + j];
      if (dv) dv[at + j * height + i] += own_v[i * n + j];
    }
  arena_close(&w->scratch, mark);
}

// ---- elements ---------------------------------------------------------------------------------

// Live numbers of an element: indices into live_probe.
typedef struct numbers {
  const int* list;
  int n;
} numbers;

// The live numbers of element i in lists with the ends `at`.
static numbers numbers_of(const int* at, const int* list, int i) {
  const int n = at[i + 1] - at[i];
  return (numbers){n > 0 ? list + at[i] : NULL, n};
}

// Set the changes of live numbers along a column (col < 0: none); w->partial holds their
// derivatives by sensors.
static void change_numbers(const td_model* m, td_work* w, numbers live, int col, bool rate) {
  for (int i = 0; i < live.n; i++) w->dnum[m->live_probe[live.list[i]].target] = 0;
  w->numbers_change = live.n > 0 && col >= 0;
  for (int i = 0; i < live.n && col >= 0; i++) {
    const model_partial* p = &m->live_probe[live.list[i]];
    w->dnum[p->target] += w->partial[live.list[i]] * td_probe_change(m, w, p->source, col, rate);
  }
}

// Hop of a station, -1: the ground.
static int station_hop(const td_model* m, int station) {
  return station < 0 ? -1 : m->station[station].hop;
}

// Subtract the generalised forces Sᵀ f of a wrench on a hop from the rows of its block in one
// column.
static void subtract(const td_model* m, const td_work* w, int hop, const spatial* f, double* rows) {
  for (; hop >= 0; hop = m->hop[hop].parent)
    for (int k = m->hop[hop].col; k < m->hop[hop].col + m->hop[hop].nv; k++)
      rows[m->v_local[m->col[k].v]] -= spatial_dot(&w->col[k].S, f);
}

// A force or a constraint row, for the loops over the columns that change it.
typedef struct element {
  bool is_force;      // otherwise it is a row
  force_info force;   // the force
  int number;         // its number
  force_reach reach;  // stations, one station or coordinates
  force_state state;  // its linearisation
  int row;            // the row
  double lambda;      // its multiplier
  numbers live;       // numbers that follow sensors
  int hop[3], nhop;   // where its wrenches act
  bool damped;        // velocities change it
} element;

// Subtract the change of an element's generalised forces along one column of block J from dF/dq or
// dF/dv.
static void element_column(const td_model* m, td_work* w, const td_pattern* p, const element* e,
                           int J, int col, bool rate, double* values) {
  // change of its wrenches
  spatial change[3];
  double* column = values + p->base[J] + block_height(p, J) * m->v_local[m->col[col].v];
  if (e->live.n > 0) change_numbers(m, w, e->live, col, rate);

  if (e->is_force) {
    td_force_change(m, w, &e->force, &e->state, col, rate, change, w->dtau);
  } else {
    td_row_wrenches_change(m, w, e->row, col, rate, change);
    for (int s = 0; s < 3; s++) change[s] = spatial_scale(e->lambda, change[s]);
  }

  // wrenches on hops
  for (int s = 0; s < e->nhop; s++) {
    if (e->hop[s] < 0) continue;
    const int I = m->block_of_hop[e->hop[s]];
    subtract(m, w, e->hop[s], &change[s], column + p->offset[block_find(p, I, J)]);
  }

  // generalised forces, which change with the numbers; w->dtau is left clean
  if (e->is_force && e->reach == REACH_COORDINATES) {
    const int I = m->force_block[m->force_block_at[e->number]];
    const int* v = m->index_v + m->block_at[I];
    double* rows = column + p->offset[block_find(p, I, J)];
    for (int i = 0; i < m->block_at[I + 1] - m->block_at[I]; i++) {
      rows[i] -= w->dtau[v[i]];
      w->dtau[v[i]] = 0;
    }
  }
}

// Add the derivatives of one force or row along all columns of block J that move it, or change the
// numbers it depends on.
static void element_block(const td_model* m, td_work* w, const td_pattern* p, const element* e,
                          int J, double* dq, double* dv) {
  for (int t = m->block_tree_at[J]; t < m->block_tree_at[J + 1]; t++) {
    const int tree = m->block_tree[t];
    for (int i = m->tree[tree]; i < m->tree[tree + 1]; i++) {
      const bool moved =
          !e->is_force ? td_row_moves(m, e->row, i)
                       : e->reach != REACH_COORDINATES &&
                             (station_moves(m, e->force.a, i) || station_moves(m, e->force.b, i));
      if (e->live.n == 0 && !moved) continue;
      for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
        if (!m->col[k].leads) continue;
        element_column(m, w, p, e, J, k, false, dq);
        if (dv && (e->damped || e->live.n > 0)) element_column(m, w, p, e, J, k, true, dv);
      }
    }
  }
}

// ---- forces -----------------------------------------------------------------------------------

// Columns of block J that force i changes.
static void force_column(const td_model* m, td_work* w, const td_pattern* p, int i, int J,
                         double* dq, double* dv) {
  const force_info f = force_at(m, i);
  const element_ops* ops = td_element_table[f.kind];
  element e = {.is_force = true,
               .force = f,
               .number = i,
               .reach = ops->reach(m, f.i),
               .live = numbers_of(m->force_live_at, m->force_live, i),
               .damped = ops->is_damped(m, w, f.i)};
  if (e.reach != REACH_STATIONS && e.live.n == 0) return;

  // wrenches act on the hops of its stations
  if (e.reach != REACH_COORDINATES) {
    e.nhop = 2;
    e.hop[0] = station_hop(m, f.a);
    e.hop[1] = station_hop(m, f.b);
    td_force_linearise(m, w, &f, &e.state);
  }

  element_block(m, w, p, &e, J, dq, dv);
  if (e.live.n > 0) change_numbers(m, w, e.live, -1, false);
}

// Columns of block J that the multiplier's force of row i changes: it turns with the frames, at
// constant lambda.
static void row_column(const td_model* m, td_work* w, const td_pattern* p, int i, double lambda,
                       int J, double* dq, double* dv) {
  const model_row* r = &m->row[i];
  const element e = {.row = i,
                     .lambda = lambda,
                     .hop = {station_hop(m, r->a), station_hop(m, r->b), station_hop(m, r->c)},
                     .nhop = 3};
  element_block(m, w, p, &e, J, dq, dv);
}

// Columns of block J that the pulling hand of td_work_pull changes.
static void pull_column(const td_model* m, td_work* w, const td_pattern* p, int J, double* dq,
                        double* dv) {
  const int hop = w->pull.on ? station_hop(m, w->pull.station) : -1;
  if (hop < 0 || m->block_of_hop[hop] != J) return;
  for (int i = hop; i >= 0; i = m->hop[i].parent)
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++)
      for (int rate = 0; rate < (dv ? 2 : 1); rate++) {
        double* column =
            (rate ? dv : dq) + block_start(p, J, J) + block_height(p, J) * m->v_local[m->col[k].v];
        w->df[hop] = spatial_zero();
        td_whole_hand.diff(m, w, k, rate, w->df);
        subtract(m, w, hop, &w->df[hop], column);
      }
}

// Derivatives of the live numbers by their sensors, into w->partial.
static void evaluate_partials(const td_model* m, td_work* w) {
  if (m->nlive_probe > 0) td_tape_eval(m->live_probe_tape, w->vars, w->scratch_tape, w->partial);
}

// Item of td_sparse_each: block column J of dF/dq, dF/dv and of the mass matrix.
static void block_column(void* ctx, td_work* w, int J) {
  const assembly* g = ctx;
  const td_model* m = g->m;
  const td_pattern p = model_blocks(m);
  const size_t size = (size_t)(p.base[J + 1] - p.base[J]) * sizeof(double);
  memset(g->dq + p.base[J], 0, size);
  if (g->dv) memset(g->dv + p.base[J], 0, size);

  // the block's own inertia, coordinates and mass
  block_columns(m, w, g->a, J);
  block_tangent(m, w, &p, J, g->dq, g->dv);
  if (g->M) block_mass_at(m, w, J, g->M + m->mass_base[J]);

  // elements that the block changes: forces, then rows
  const int nforce = model_forces(m);

  for (int k = m->block_element_at[J]; k < m->block_element_at[J + 1]; k++) {
    const int i = m->block_element[k], row = i - nforce;
    if (row < 0) {
      force_column(m, w, &p, i, J, g->dq, g->dv);
    } else if (g->lambda) {
      row_column(m, w, &p, row, g->lambda[row], J, g->dq, g->dv);
    }
  }

  pull_column(m, w, &p, J, g->dq, g->dv);
}

// dF/dq, dF/dv and M (dv, M may be NULL) at accelerations a and multipliers lambda (NULL: none).
void td_sparse_tangent(const td_model* m, td_work* w, const double* a, const double* lambda,
                       double* dq, double* dv, double* M) {
  assembly g = {.m = m, .a = a, .lambda = lambda, .dq = dq, .dv = dv, .M = M};
  if (m->nrow > 0 && lambda) td_row_forces(m, w, lambda);
  td_accelerate(m, w, a, true);
  td_strain_tangent_numbers(m, w, a);
  td_blocks(m, w);
  evaluate_partials(m, w);
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  td_sparse_each(w, m->nblock_at - 1, block_column, &g);
}

// ---- constraint rows --------------------------------------------------------------------------

// First value of a block in a row.
static double* row_part(const td_model* m, int row, int block, double* values) {
  double* at = values + m->row_base[row];
  for (int k = m->row_block_at[row]; m->row_block[k] != block; k++)
    at += m->block_at[m->row_block[k] + 1] - m->block_at[m->row_block[k]];
  return at;
}

// Set numbers of a row to zero that are rounding of others which cancel: such a row would be scaled
// up to a real constraint.  Each number is a sum of products of twists and wrenches, whose sizes
// are summed here.  A row with all numbers below TD_RANK_TOL of their sizes, as of a loop in a
// singular position, becomes zero, as in the rank of dense matrices.
static void clean_row(const td_model* m, const td_work* w, int row, const int hop[3],
                      const spatial f[3], double* J, double* size) {
  static const double rounding = 1e-13;
  memset(size, 0, (size_t)(m->row_base[row + 1] - m->row_base[row]) * sizeof(double));

  // sizes of the products that each number is a sum of
  for (int s = 0; s < 3; s++) {
    if (hop[s] < 0) continue;
    double* to = size + (row_part(m, row, m->block_of_hop[hop[s]], J) - J - m->row_base[row]);
    const double length = sqrt(spatial_dot(&f[s], &f[s]));
    for (int h = hop[s]; h >= 0; h = m->hop[h].parent)
      for (int k = m->hop[h].col; k < m->hop[h].col + m->hop[h].nv; k++)
        to[m->v_local[m->col[k].v]] += length * sqrt(spatial_dot(&w->col[k].S, &w->col[k].S));
  }

  // clear rounding, and the whole row where nothing else is left
  double left = 0;

  for (int i = m->row_base[row]; i < m->row_base[row + 1]; i++) {
    const double own = size[i - m->row_base[row]];
    if (fabs(J[i]) < rounding * own) J[i] = 0;
    if (own > 0) left = fmax(left, fabs(J[i]) / own);
  }

  for (int i = m->row_base[row]; i < m->row_base[row + 1] && left < TD_RANK_TOL; i++) J[i] = 0;
}

// The Jacobian of the rows, block by block: Sᵀ f of the unit wrenches f on their stations.
void td_sparse_rows(const td_model* m, td_work* w, double* J) {
  const arena_mark mark = arena_open(&w->scratch);
  int longest = 0;
  for (int i = 0; i < m->nrow; i++) longest = max_int(longest, m->row_base[i + 1] - m->row_base[i]);
  double* size = arena_doubles(&w->scratch, longest);
  memset(J, 0, (size_t)row_values(m) * sizeof(double));

  // unit wrenches of each row, along the columns of its stations
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const int hop[3] = {station_hop(m, r->a), station_hop(m, r->b), station_hop(m, r->c)};
    spatial f[3];
    td_row_wrenches(m, w, i, f);
    for (int s = 0; s < 3; s++) {
      f[s] = spatial_scale(-1, f[s]);
      if (hop[s] >= 0) subtract(m, w, hop[s], &f[s], row_part(m, i, m->block_of_hop[hop[s]], J));
    }
    clean_row(m, w, i, hop, f, J, size);
  }

  arena_close(&w->scratch, mark);
}

// Derivatives of (acceleration - drive) of row i along the columns of one block.
static void row_tangent(const td_model* m, td_work* w, int i, int block, double* dq, double* dv) {
  const numbers live = numbers_of(m->row_live_at, m->row_live, i);
  double *to_q = row_part(m, i, block, dq), *to_v = row_part(m, i, block, dv);

  // columns that move the row, or all where its numbers change
  for (int t = m->block_tree_at[block]; t < m->block_tree_at[block + 1]; t++) {
    const int first = m->tree[m->block_tree[t]], end = m->tree[m->block_tree[t] + 1];
    for (int h = first; h < end; h++) {
      if (live.n == 0 && !td_row_moves(m, i, h)) continue;
      for (int k = m->hop[h].col; k < m->hop[h].col + m->hop[h].nv; k++)
        for (int rate = 0; rate < 2 && m->col[k].leads; rate++) {
          change_numbers(m, w, live, k, rate);
          (rate ? to_v : to_q)[m->v_local[m->col[k].v]] += td_row_defect_change(m, w, i, k, rate);
        }
    }
  }

  change_numbers(m, w, live, -1, false);
}

// Derivatives of (acceleration - drive) of all rows, stored like J.
void td_sparse_row_tangent(const td_model* m, td_work* w, const double* a, double* dq, double* dv) {
  memset(dq, 0, (size_t)row_values(m) * sizeof(double));
  memset(dv, 0, (size_t)row_values(m) * sizeof(double));
  td_accelerate(m, w, a, false);
  td_strain_tangent_numbers(m, w, a);
  if (w->whole) td_columns_of(m, w, a, 0, m->nhop, true);
  evaluate_partials(m, w);
  for (int i = 0, at = -1; i < m->nrow; i++)
    for (int k = m->row_block_at[i]; k < m->row_block_at[i + 1]; k++) {
      const int b = m->row_block[k];
      if (!w->whole && b != at) block_columns(m, w, a, at = b);
      row_tangent(m, w, i, b, dq, dv);
    }
}
