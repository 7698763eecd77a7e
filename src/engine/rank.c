// Rank of the constraint rows: how many are independent at a state, in its neighbourhood, and along
// a simulation.
//
// Rows and columns are scaled by the sizes of the numbers they are made of (math/dense.h), and the
// pivots of a QR factorisation above TD_RANK_TOL are counted.  In a singular position, as of bars
// in line, fewer rows are independent than beside it, and motion passes through such positions.
#include "engine/rank.h"

#include <math.h>
#include <string.h>

#include "engine/stages.h"
#include "engine/taut.h"
#include "math/dense.h"

// Number of rows of slack cables.
int td_rows_off(const td_model* m, const td_work* w) {
  int off = 0;
  for (int i = 0; i < m->nrow; i++) off += row_is_off(m, w, i);
  return off;
}

// Columns of the free velocities (rows x nfree_v) of a matrix (rows x nvel).
void td_free_columns(const td_model* m, const double* from, int rows, double* to) {
  const int n = m->nfree_v;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) to[i * n + j] = from[i * m->nvel + m->free_v[j]];
}

// J (nrow x nvel) at a state, with the sizes of its rows and the scale factors of its columns.
static void sized_rows(const td_model* m, const td_state* state, td_work* w, double* J, double* row,
                       double* col) {
  td_enter(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  double* M = arena_doubles(&w->scratch, m->nvel * m->nvel);
  td_composite_mass(m, w, M);
  td_row_jacobian_sized(m, w, J, M, row, col);
  arena_close(&w->scratch, mark);
}

// Sizes of the rows (nrow) and scale factors of the free columns (nfree_v) at a state.
void td_constraint_scales(const td_model* m, const td_state* state, td_work* w, double* row,
                          double* col) {
  const arena_mark mark = arena_open(&w->scratch);
  sized_rows(m, state, w, arena_doubles(&w->scratch, m->nrow * m->nvel), row, col);
  arena_close(&w->scratch, mark);
}

// Rank of J at a state by pivoted QR; leaves the scales in row and col, and the independent rows in
// order.
static int rank_of(const td_model* m, const td_state* state, td_work* w, double* row, double* col,
                   int* order) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *J = arena_doubles(s, m->nrow * m->nvel), *free_J = arena_doubles(s, m->nrow * m->nfree_v);
  sized_rows(m, state, w, J, row, col);
  td_free_columns(m, J, m->nrow, free_J);
  const td_row_scale scale = {row, col, -1, NULL};
  const int rank = td_row_rank(free_J, m->nfree_v, m->nrow, &scale, TD_RANK_TOL, order, s);
  arena_close(s, mark);
  return rank;
}

// Number of independent rows at a state, and which (order may be NULL).
int td_constraint_rank(const td_model* m, const td_state* state, td_work* w, int* order) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *row = arena_doubles(s, m->nrow), *col = arena_doubles(s, m->nfree_v);
  const int rank = rank_of(m, state, w, row, col, order);
  arena_close(s, mark);
  return rank;
}

// Put an arbitrary direction, cos(a + b j), projected onto the velocities that the rows allow at
// `state`, into near->v, and the positions of the state into near->q.  Returns the largest rotation
// [rad] of that direction, -1: no projection.
static double allowed_direction(const td_model* m, const td_state* state, td_work* w, double a,
                                double b, td_state* near) {
  memset(near->v, 0, (size_t)m->nvel * sizeof(double));
  for (int j = 0; j < m->nfree_v; j++) near->v[m->free_v[j]] = cos(a + b * j);
  memcpy(near->q, state->q, (size_t)m->npos * sizeof(double));
  return td_project_v(m, near, w) == TD_OK ? td_largest_turn(m, w, near->v) : -1;
}

// Largest number of independent rows at a state and at two states near by that meet the
// constraints.
int td_constraint_rank_around(const td_model* m, const td_state* state, td_work* w, int* order) {
  // [rad]: far enough to leave a singular position, near enough for Newton's method to return
  static const double turn = 0.02;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int rank = td_constraint_rank(m, state, w, order), *other = arena_ints(s, m->nrow);
  double* delta = arena_doubles(s, m->nvel);
  td_state near = {.t = state->t, .u = state->u, .z = state->z};
  near.q = arena_doubles(s, m->npos);
  near.v = arena_zeros(s, m->nvel);

  for (int attempt = 0; attempt < 2 && rank < min_int(m->nrow, m->nfree_v); attempt++) {
    // move along some direction until something has rotated by `turn`, and close the loops there
    const double largest = allowed_direction(m, state, w, 1, 2 + attempt, &near);
    if (largest < 0) break;
    const double factor = largest > 0 ? turn / largest : 0;
    for (int j = 0; j < m->nvel; j++) delta[j] = factor * near.v[j];
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    td_trial_displace(m, near.q, delta, near.q);
    if (td_project_q(m, &near, w, 1e-12) != TD_OK) continue;

    // keep the larger rank, with its rows
    const int found = td_constraint_rank(m, &near, w, other);
    if (found <= rank) continue;
    rank = found;
    if (order) memcpy(order, other, (size_t)rank * sizeof(int));
  }

  w->failure[0] = 0;
  arena_close(s, mark);
  return rank;
}

// A row that admits motion to first order but not beyond it, -1: none.  The state is displaced in
// two directions that the rows allow to first order; where closing the loops leads back to it each
// time, the mechanism is shaky.
int td_shaky_row(const td_model* m, const td_state* state, td_work* w, double* energy) {
  // [rad]: displacement for the test, and how far loops closed to 1e-10 may be from the state,
  // since the rows open with the square of the displacement
  static const double turn = 0.01, drift = 1e-5;
  arena own;
  char* memory;
  *energy = 0;
  if (m->nrow == 0 || !td_lend_dense(m, w, &own, &memory)) return -1;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int rank = td_constraint_rank(m, state, w, NULL);
  double *delta = arena_doubles(s, m->nvel), *e = arena_doubles(s, m->nrow);
  td_state near = {.t = state->t, .u = state->u, .z = state->z};
  near.q = arena_doubles(s, m->npos);
  near.v = arena_zeros(s, m->nvel);
  const td_energies here = td_trial_energy(m, state, w);
  int row = -1, back = 0;
  enum { WAYS = 2 };

  for (int way = 0; way < WAYS && rank < min_int(m->nrow, m->nfree_v); way++) {
    const double largest = allowed_direction(m, state, w, 2, 3 + way, &near);
    if (!(largest > 0)) break;

    // the potential energy may differ by as much as that of a state `drift` away
    for (int j = 0; j < m->nvel; j++) delta[j] = drift / largest * near.v[j];
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    td_trial_displace(m, state->q, delta, near.q);
    const td_energies there = td_trial_energy(m, &near, w);
    *energy = fmax(*energy, fabs(there.elastic + there.gravity - here.elastic - here.gravity));
    for (int j = 0; j < m->nvel; j++) delta[j] *= turn / drift;
    td_trial_displace(m, state->q, delta, near.q);

    // the row that opens most, and the distance from the state after closing it
    double gone = 0, left = 0;
    for (int j = 0; j < m->npos; j++) gone += pow(near.q[j] - state->q[j], 2);
    w->placed = false;
    td_prepare(m, w);
    td_place(m, &near, w);
    td_row_errors(m, w, false, e);
    int opens = 0;
    for (int i = 1; i < m->nrow; i++)
      if (fabs(e[i]) > fabs(e[opens])) opens = i;
    const bool closes = td_project_q(m, &near, w, 1e-12) == TD_OK;
    for (int j = 0; j < m->npos; j++) left += pow(near.q[j] - state->q[j], 2);
    if (closes && sqrt(left) > 0.1 * sqrt(gone)) break;
    row = opens;
    back++;
  }

  w->failure[0] = 0;
  w->placed = false;
  arena_close(s, mark);
  td_take_back(w, &own, memory);
  return back == WAYS ? row : -1;
}

// Keep the rank and the scales of this state for the evaluations that follow.
void td_rank_keep(const td_model* m, const td_state* state, td_work* w, bool first) {
  if (m->nrow == 0 || m->sparse) return;
  const int off = td_rows_off(m, w), before = w->rank.off == off ? w->rank.last : 0;

  // at first also in the neighbourhood, later at the state alone, with its scales
  int now;

  if (first) {
    now = td_constraint_rank_around(m, state, w, w->rank_order);
  } else {
    now = rank_of(m, state, w, w->row_size, w->col_factor, w->rank_order);
  }

  w->rank.sized = !first;

  // a lower rank than before means a singular position, which the motion passes through
  w->rank.on = true;
  w->rank.last = now;
  w->rank.off = off;
  w->rank.most = max_int(now, before);
}

// Evaluations find the rank themselves again.
void td_rank_forget(td_work* w) { w->rank.on = false; }

// The next evaluation renews the sizes of the rows and keeps the rank.
void td_rank_resize(td_work* w) { w->rank.sized = false; }
