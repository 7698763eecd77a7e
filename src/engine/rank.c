// The rank of the constraint rows: how many are independent at a state, around it, and along a run.
//
// Rows and columns are scaled by the sizes of the numbers that they are made of (math/dense.h), and
// the pivots of a QR factorisation above TD_RANK_TOL count.  In a singular position (bars in line)
// fewer rows are independent than beside it, where a motion passes.
#include "engine/rank.h"

#include <math.h>
#include <string.h>

#include "engine/stages.h"
#include "engine/taut.h"
#include "math/dense.h"

int td_rows_off(const td_model* m, const td_work* w) {
  int off = 0;
  for (int i = 0; i < m->nrow; i++) off += row_is_off(m, w, i);
  return off;
}

void td_free_columns(const td_model* m, const double* from, int rows, double* to) {
  const int n = m->nfree_v;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) to[i * n + j] = from[i * m->nvel + m->free_v[j]];
}

// Jacobian (nrow x nvel) of the rows at a state, with their sizes and the factors of the columns.
static void sized_rows(const td_model* m, const td_state* state, td_work* w, double* J, double* row,
                       double* col) {
  td_enter(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  double* M = arena_doubles(&w->scratch, m->nvel * m->nvel);
  td_composite_mass(m, w, M);
  td_row_jacobian_sized(m, w, J, M, row, col);
  arena_close(&w->scratch, mark);
}

void td_constraint_scales(const td_model* m, const td_state* state, td_work* w, double* row,
                          double* col) {
  const arena_mark mark = arena_open(&w->scratch);
  sized_rows(m, state, w, arena_doubles(&w->scratch, m->nrow * m->nvel), row, col);
  arena_close(&w->scratch, mark);
}

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

int td_constraint_rank(const td_model* m, const td_state* state, td_work* w, int* order) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *row = arena_doubles(s, m->nrow), *col = arena_doubles(s, m->nfree_v);
  const int rank = rank_of(m, state, w, row, col, order);
  arena_close(s, mark);
  return rank;
}

int td_constraint_rank_around(const td_model* m, const td_state* state, td_work* w, int* order) {
  static const double turn =
      0.02;  // [rad]: out of a singular position, and back by Newton's method
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int rank = td_constraint_rank(m, state, w, order);
  int* other = arena_ints(s, m->nrow);
  double *delta = arena_doubles(s, m->nvel), *e = arena_doubles(s, m->nrow);
  td_state near = {.t = state->t, .u = state->u, .z = state->z};
  near.q = arena_doubles(s, m->npos);
  near.v = arena_zeros(s, m->nvel);
  for (int attempt = 0; attempt < 2 && rank < min_int(m->nrow, m->nfree_v); attempt++) {
    // some direction, taken out of the way of the constraints to first order
    memset(delta, 0, (size_t)m->nvel * sizeof(double));
    for (int j = 0; j < m->nfree_v; j++) delta[m->free_v[j]] = cos(1 + (2 + attempt) * j);
    memcpy(near.q, state->q, (size_t)m->npos * sizeof(double));
    memcpy(near.v, delta, (size_t)m->nvel * sizeof(double));
    if (td_project_v(m, &near, w) != TD_OK) break;
    td_row_errors(m, w, true, e);
    const double largest = td_largest_turn(m, w, near.v);
    const double factor = largest > 0 ? turn / largest : 0;
    for (int j = 0; j < m->nvel; j++) delta[j] = factor * near.v[j];
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    td_trial_displace(m, near.q, delta, near.q);
    if (td_project_q(m, &near, w, 1e-12) != TD_OK) continue;
    const int found = td_constraint_rank(m, &near, w, other);
    if (found <= rank) continue;
    rank = found;
    if (order) memcpy(order, other, (size_t)rank * sizeof(int));
  }
  w->failure[0] = 0;
  arena_close(s, mark);
  return rank;
}

int td_shaky_row(const td_model* m, const td_state* state, td_work* w, double* energy) {
  // [rad]: beside the state; and as far as loops that are closed to 1e-10 may be from it, which
  // they open by the square of the way
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
    // some way that the rows allow to first order
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    for (int j = 0; j < m->nfree_v; j++) near.v[m->free_v[j]] = cos(2 + (3 + way) * j);
    memcpy(near.q, state->q, (size_t)m->npos * sizeof(double));
    if (td_project_v(m, &near, w) != TD_OK) break;
    const double largest = td_largest_turn(m, w, near.v);
    if (!(largest > 0)) break;
    for (int j = 0; j < m->nvel; j++) delta[j] = drift / largest * near.v[j];
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    td_trial_displace(m, state->q, delta, near.q);
    const td_energies there = td_trial_energy(m, &near, w);
    *energy = fmax(*energy, fabs(there.elastic + there.gravity - here.elastic - here.gravity));
    for (int j = 0; j < m->nvel; j++) delta[j] *= turn / drift;
    td_trial_displace(m, state->q, delta, near.q);

    // the row that opens most, and how far from here closing it leaves the robot
    double gone = 0, left = 0;
    for (int j = 0; j < m->npos; j++) gone += pow(near.q[j] - state->q[j], 2);
    w->placed = false;
    td_constraint_error(m, &near, w, &e[0], &e[0]);
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

void td_rank_keep(const td_model* m, const td_state* state, td_work* w, bool first) {
  if (m->nrow == 0 || m->sparse) return;
  const int off = td_rows_off(m, w), before = w->rank.off == off ? w->rank.last : 0;
  int now;
  if (first) {
    now = td_constraint_rank_around(m, state, w, w->rank_order);
  } else {
    now = rank_of(m, state, w, w->row_size, w->col_factor, w->rank_order);
  }
  w->rank.sized = !first;
  // fewer than before are a singular position on the way, which the motion passes
  w->rank.on = true;
  w->rank.last = now;
  w->rank.off = off;
  w->rank.most = max_int(now, before);
}

void td_rank_forget(td_work* w) { w->rank.on = false; }

void td_rank_resize(td_work* w) { w->rank.sized = false; }
