// Loops are closed at the start by what they are made of, and by as little of it as will do:
//
//   1. joints of the loop between rigid parts,
//   2. besides, its rods by bending and twisting,
//   3. besides, its rods by shear and stretch.
//
// Nothing outside a loop moves: a DOF is in it when it moves one end and not the other.  Each stage
// is Newton's method from the written values,
//
//   J δ = -e,   δ' M δ least,   M the masses that these DOFs move, sharp bends made heavier
//
// A straight rod cannot bring its ends nearer by a little bending; where the rods' stages come to a
// standstill they begin again from an arc.
#include <math.h>
#include <string.h>

#include "dense.h"
#include "engine.h"
#include "strain_hop.h"
#include "taut.h"

typedef enum share { OUTSIDE, RIGID, BENDING, STRETCHING } share;

// Rods whose DOFs are strains; the nodes of 'eba' and the polynomials of 'rom' are positions, which
// bend and stretch at once.
static share share_of(const td_model* m, int v) {
  const model_dof* d = &m->vel[v];
  if (d->rod == 0) return RIGID;
  const char* model = model_name(m, m->rod[d->rod - 1].model);
  if (strcmp(model, "eba") == 0 || strcmp(model, "rom") == 0) return BENDING;
  return d->dof >= 4 ? BENDING : STRETCHING;
}

static void mark_ancestors(const td_model* m, int station, int bit, int* on) {
  for (int h = station < 0 ? -1 : m->station[station].hop; h >= 0; h = m->hop[h].parent)
    on[h] |= bit;
}

// What each free velocity is to the loops.
static void find_shares(const td_model* m, share* out, arena* s) {
  const arena_mark mark = arena_open(s);
  int* on = arena_ints(s, m->nhop);
  for (int j = 0; j < m->nvel; j++) out[j] = OUTSIDE;
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->kind == ROW_CABLE || !r->projected) continue;
    memset(on, 0, (size_t)m->nhop * sizeof(int));
    mark_ancestors(m, r->a, 1, on);
    mark_ancestors(m, r->b, 2, on);
    mark_ancestors(m, r->c, 4, on);
    for (int k = 0; k < m->ncol; k++) {
      const int which = on[m->col[k].hop], v = m->col[k].v;
      // both ends, or all three places, move as one
      if (which == 0 || which == 7 || (which == 3 && r->c < 0)) continue;
      out[v] = share_of(m, v);
    }
  }
  for (int j = 0; j < m->nvel; j++)
    if (m->vel[j].motion != NUM_NONE) out[j] = OUTSIDE;
  arena_close(s, mark);
}

// Newton's step with the DOFs `v` (n of them); false: nothing resists one of them.
static bool find_step(const td_model* m, td_work* w, const int* v, int n, const double* e,
                      double* delta) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, r = m->nrow;
  double *M = arena_doubles(s, nv * nv), *J = arena_doubles(s, r * nv);
  double *row = arena_doubles(s, r), *col = arena_doubles(s, m->nfree_v);
  double *metric = arena_zeros(s, n * n), *rows = arena_zeros(s, r * n), *own = arena_doubles(s, n);
  double *mass = arena_doubles(s, nv), *f = arena_zeros(s, n), *g = arena_doubles(s, r);
  td_composite_mass(m, w, M);
  td_row_jacobian(m, w, J);
  td_row_scales(m, w, M, row, col);
  for (int j = 0; j < nv; j++) mass[j] = M[j * nv + j];
  td_weigh_strains(m, mass, s);
  for (int k = 0; k < n; k++) {
    int at = 0;
    while (m->free_v[at] != v[k]) at++;
    own[k] = col[at];
    for (int l = 0; l < n; l++) metric[k * n + l] = M[v[k] * nv + v[l]];
    metric[k * n + k] += mass[v[k]];
    for (int i = 0; i < r; i++)
      if (m->row[i].projected) rows[i * n + k] = J[i * nv + v[k]];
  }
  for (int i = 0; i < r; i++) g[i] = -e[i];
  const td_row_scale scale = {row, own, -1, NULL};
  td_kkt kkt;
  td_kkt_factor(&kkt, metric, rows, n, r, &scale, 1e-10, s);
  if (!kkt.singular) td_kkt_solve(&kkt, f, g, 1, f, NULL, s);
  memset(delta, 0, (size_t)nv * sizeof(double));
  for (int k = 0; k < n && !kkt.singular; k++) delta[v[k]] = f[k];
  arena_close(s, mark);
  return !kkt.singular;
}

// Largest rate at which a unit of each DOF bends its rod at its end, with a sign; 0: it is no bend.
static double bend_of(const td_model* m, td_work* w, int v, double* delta) {
  memset(delta, 0, (size_t)m->nvel * sizeof(double));
  delta[v] = 1;
  const double most = td_largest_turn(m, w, delta);
  const int hop = m->vel[v].hop;
  if (hop < 0 || m->hop[hop].kind != HOP_STRAIN) return most;
  // sums along the rod are left in w->df
  int last = hop;
  for (int i = hop; i < m->nhop; i++)
    if (m->hop[i].kind == HOP_STRAIN && m->hop[i].run == m->hop[hop].run) last = i;
  const vec3 turn = spatial_r(&w->df[last]);
  const double x = turn.x, y = turn.y, z = turn.z;
  const double size = vec3_norm(turn);
  const double sign = fabs(x) >= fabs(y) && fabs(x) >= fabs(z) ? x : fabs(y) >= fabs(z) ? y : z;
  return size > 0.3 * most ? copysign(size, sign) : 0;
}

// Rods of the loops bent into arcs of `angle` about the first of their axes that can bend.
static void bend_rods(const td_model* m, td_state* state, td_work* w, const share* in,
                      double angle) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *delta = arena_zeros(s, m->nvel), *unit = arena_doubles(s, m->nvel);
  double* rate = arena_zeros(s, m->nvel);
  td_place(m, state, w);
  for (int rod = 1; rod <= m->nrod; rod++) {
    int axis = 0;
    double sum = 0;
    for (int j = 0; j < m->nvel; j++) {
      const model_dof* d = &m->vel[j];
      if (d->rod != rod || in[j] != BENDING || d->dof > 5 || (axis && d->dof != axis)) continue;
      axis = d->dof;
      rate[j] = bend_of(m, w, j, unit);
      sum += rate[j] * rate[j];
    }
    for (int j = 0; j < m->nvel && sum > 0; j++)
      if (m->vel[j].rod == rod) delta[j] = angle * rate[j] / sum;
  }
  td_displace(m, state->q, delta, state->q);
  arena_close(s, mark);
}

// Newton's method with the DOFs of the first stages; TD_OK: closed.
static td_status close_with(const td_model* m, td_state* state, td_work* w, const share* in,
                            share most, double tol) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int n = 0, *v = arena_ints(s, m->nvel);
  double *e = arena_doubles(s, m->nrow), *delta = arena_doubles(s, m->nvel), before = INFINITY;
  td_status status = TD_E_DIVERGED;
  for (int j = 0; j < m->nvel; j++)
    if (in[j] != OUTSIDE && in[j] <= most) v[n++] = j;
  for (int turn = 0; turn < 60; turn++) {
    td_place(m, state, w);
    const double error = td_row_errors(m, w, false, e);
    if (error <= tol) status = TD_OK;
    if (error <= tol || n == 0 || !isfinite(error)) break;
    if (!find_step(m, w, v, n, e, delta)) break;
    const double largest = td_largest_turn(m, w, delta);
    double size = 0;
    for (int j = 0; j < m->nvel; j++) size = fmax(size, fabs(delta[j]));
    // a standstill: what is open cannot be closed to first order
    if (turn > 40 && error > 0.5 * before) break;
    if (turn % 8 == 0) before = error;
    for (int j = 0; j < m->nvel && largest > 0.5; j++) delta[j] *= 0.5 / largest;
    td_displace(m, state->q, delta, state->q);
    if (size < 1e-14) break;
  }
  arena_close(s, mark);
  return status;
}

// Least and largest length of a piece of a rod in the loops against its own.
static bool is_crushed(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (f->kind != FORCE_STRAIN || f->rod == 0) continue;
    double x[6];
    td_strains(m, w, f, x);
    if (!(x[2] > -0.5 && x[2] < 1)) return true;
  }
  return false;
}

td_status td_close_loops(const td_model* m, td_state* state, td_work* w, double tol) {
  if (m->nrow == 0) return TD_OK;
  if (m->sparse) return td_project_q(m, state, w, tol);
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *e = arena_doubles(s, m->nrow), *q = arena_doubles(s, m->npos);
  share* in = arena_bytes(s, (size_t)m->nvel * sizeof *in);
  memcpy(q, state->q, (size_t)m->npos * sizeof(double));
  td_place(m, state, w);
  bool closed = td_row_errors(m, w, false, e) <= tol, bends = false;
  find_shares(m, in, s);
  for (int j = 0; j < m->nvel; j++) bends = bends || in[j] >= BENDING;

  static const double angles[] = {0, 0.5, 3};
  if (!closed) closed = close_with(m, state, w, in, RIGID, tol) == TD_OK;
  for (int stage = BENDING; stage <= STRETCHING && bends && !closed; stage++)
    for (int k = 0; k < 3 && !closed; k++) {
      memcpy(state->q, q, (size_t)m->npos * sizeof(double));
      if (angles[k] > 0) bend_rods(m, state, w, in, angles[k]);
      closed = close_with(m, state, w, in, (share)stage, tol) == TD_OK && !is_crushed(m, w);
    }
  if (!closed) {
    memcpy(state->q, q, (size_t)m->npos * sizeof(double));
    closed = td_project_q(m, state, w, tol) == TD_OK && !(bends && is_crushed(m, w));
  }
  arena_close(s, mark);
  return closed ? TD_OK : TD_E_DIVERGED;
}
