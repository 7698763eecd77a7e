// Exact derivatives of F = M a + h - τ - Jᵀλ.
//
// Along a column k of hop j everything downstream moves rigidly with the twist S_k.  For a station
// i below,
//
//   dV_i/dq_k = S_k × V_i + U_k                       dV_i/dv_k = S_k
//   dA_i/dq_k = S_k × A_i + U_k × V_i + Z_k           dA_i/dv_k = S_k × V_i + X_k
//
// where U, Z, X depend on the hop alone:
//
//   U_k = W_k - S_k × V_j             W_k = d(S v)/dq_k, parent held
//   Z_k = B_k - S_k × A_j - U_k × V_j B_k = dA_j/dq_k, parent held
//   X_k = Y_k - S_k × V_j             Y_k = dA_j/dv_k
//
// The inertial wrench f = I A + V ×* I V turns along: df = S_k ×* f + I Z_k + B(I,V) U_k, df/dv_k =
// I X_k + B(I,V) S_k, with B U = -I (V × U) + V ×* I U + U ×* I V = [-2 P × ω_U, (İ - [L]×) ω_U]:
// it sees only the rotational part of U (P, L linear and angular momentum, İ the rate of the
// rotational inertia).  Sums over subtrees of f, I and B then give every entry in two dot products:
// for l at or above k, S_l·(S_k ×* F_j + Ic_j Z_k + B_j U_k); for l below k the turning of S_l and
// F_l cancels and (Ic_l S_l)·Z_k + (B_lᵀ S_l)·U_k is left.
#include <string.h>

#include "elem/fluid.h"
#include "engine/hop.h"
#include "engine/hop_strain.h"
#include "engine/path.h"
#include "engine/sparse_engine.h"
#include "engine/stages.h"
#include "math/tiles.h"

// ---- U, Z, X of the columns -------------------------------------------------------------------

void td_columns_of(const td_model* m, td_work* w, const double* a, int first, int end,
                   bool of_rods) {
  for (int i = first, stop; i < end; i = stop) {
    stop = min_int(m->hop[i].alike, end);
    td_hop_table[m->hop[i].kind]->columns(m, w, i, stop, a, of_rods);
  }
}

void td_tangent_columns(const td_model* m, td_work* w, const double* a) {
  td_strain_tangent_numbers(m, w, a);
  if (w->whole) td_columns_of(m, w, a, 0, m->nhop, true);  // else nobody looks at all of them
}

// ---- inertia ----------------------------------------------------------------------------------

// İ = [ω]× I - I [ω]× + 2 (mc·v) 1 - mc vᵀ - v mcᵀ  about the origin, minus [L]×
static mat3 inertia_rate(const inertia* I, const spatial* V, vec3 L) {
  const vec3 v = spatial_t(V), w = spatial_r(V);
  const mat3 W = mat3_skew(w), WI = mat3_mul(W, I->I);
  mat3 B = mat3_add(WI, mat3_transpose(WI));  // [ω]× I - I [ω]×, I symmetric
  const double s = 2 * vec3_dot(I->mc, v);
  B = mat3_add(B, mat3_scale(-1, mat3_add(mat3_outer(I->mc, v), mat3_outer(v, I->mc))));
  B = mat3_add(B, mat3_scale(-1, mat3_skew(L)));
  for (int k = 0; k < 9; k += 4) B.m[k] += s;
  return B;
}

// Added mass is a general inertia: its part of B is a whole matrix, in blocks.
static void add_general(td_work* w, int i) {
  hop_work* h = &w->hop[i];
  const spatial6 *M = &w->added_now[i], B = inertia_rate_matrix(M, &h->V);
  const spatial MA = spatial6_apply(M, &h->A), MV = spatial6_apply(M, &h->V);
  h->F = spatial_add(h->F, spatial_add(MA, spatial_cross_force(&h->V, &MV)));
  spatial6_add(&sums_of_hop(w, i)->IA, M);
  spatial6_add(&w->blocks[i].B, &B);
}

// The blocks of a hop: passed to its parent, and what its columns need of them.
static void general_columns(const td_model* m, td_work* w, int i) {
  const hop_block* b = &w->blocks[i];
  for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv && !has_parts(&m->hop[i]); k++) {
    const spatial* S = &w->col[k].S;
    col_sum* c = sums_of_col(w, k);
    c->G = spatial_add(c->G, spatial6_apply_t(&b->B, S));
    c->Y = spatial_sub(c->Y, spatial6_apply_t(&b->K, S));
  }
  if (m->hop[i].parent < 0) return;
  hop_block* parent = &w->blocks[m->hop[i].parent];
  spatial6_add(&parent->B, &b->B);
  spatial6_add(&parent->K, &b->K);
}

// Start the sums of hop i with its own mass and forces: F = I A + V ×* I V, E the other wrenches,
// IA the inertia, P and B the derivative of V ×* I V by V.
static void begin_sums(td_work* w, int i) {
  hop_work* h = &w->hop[i];
  hop_sum* s = sums_of_hop(w, i);
  s->E = h->f;
  if (w->hop_heavy[i]) {
    const spatial IV = inertia_apply(&h->I, &h->V);
    h->F = spatial_add(inertia_apply(&h->I, &h->A), spatial_cross_force(&h->V, &IV));
    inertia_matrix(&h->I, &s->IA);
    s->P = spatial_t(&IV);
    s->B = inertia_rate(&h->I, &h->V, spatial_r(&IV));
  } else {
    h->F = spatial_zero();
    memset(&s->IA, 0, sizeof s->IA);
    s->P = (vec3){0, 0, 0};
    memset(&s->B, 0, sizeof s->B);
  }
  if (is_wet(w, i)) add_general(w, i);
}

static void add_to_parent(td_work* w, int i, int parent) {
  const hop_sum* s = sums_of_hop(w, i);
  hop_sum* p = sums_of_hop(w, parent);
  w->hop[parent].F = spatial_add(w->hop[parent].F, w->hop[i].F);
  p->E = spatial_add(p->E, s->E);
  spatial6_add(&p->IA, &s->IA);
  p->P = vec3_add(p->P, s->P);
  p->B = mat3_add(p->B, s->B);
}

// Sum wrenches and inertias from the leaves to the roots of the hops first .. end-1, and from them
// the vectors H = IA S, Y = S ×* E and G of each column, with which entries of the tangent are dot
// products.
void td_composites_of(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++) begin_sums(w, i);
  for (int i = end - 1; i >= first; i--) {
    const hop_sum* s = sums_of_hop(w, i);
    if (m->hop[i].parent >= 0) add_to_parent(w, i, m->hop[i].parent);
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv && !has_parts(&m->hop[i]); k++) {
      const spatial* S = &w->col[k].S;
      col_sum* c = sums_of_col(w, k);
      c->H = spatial6_apply(&s->IA, S);
      c->Y = spatial_cross_force(S, &s->E);
      const vec3 G =
          vec3_add(vec3_scale(2, vec3_cross(s->P, spatial_t(S))), mat3_apply_t(s->B, spatial_r(S)));
      c->G = spatial_of((vec3){0, 0, 0}, G);
    }
    if (m->has_blocks) general_columns(m, w, i);
  }
}

void td_composites(const td_model* m, td_work* w) {
  require(w->whole);
  td_blocks(m, w);
  td_composites_of(m, w, 0, m->nhop);
}

static tangent_path tangent_path_new(const td_model* m, const tree_part* part, arena* s) {
  tangent_path t = {.p = path_new(m, part, s)};
  t.S = path_vectors(&t.p, s);
  t.U = path_vectors(&t.p, s);
  t.Z = path_vectors(&t.p, s);
  t.X = path_vectors(&t.p, s);
  for (int k = 0; k < TANGENT_ROWS; k++) {
    t.room[k] = path_room(&t.p, s);
    t.rows[k] = path_rows(&t.p, s);
  }
  if (t.p.rods) t.curvature = arena_bytes(s, MAGNUS_PARTS * sizeof *t.curvature);
  return t;
}

static void tangent_path_clear(const tangent_path* t, const model_hop* hop) {
  path_clear(t->S, hop);
  path_clear(t->U, hop);
  path_clear(t->Z, hop);
  path_clear(t->X, hop);
}

static void tangent_path_enter(tangent_path* t, const td_model* m, const td_work* w, int hop) {
  const model_hop* h = &m->hop[hop];
  path_enter(&t->p, m, hop);
  for (int k = h->col; k < h->col + h->nv; k++) {
    const col_sum* c = sums_of_col(w, k);
    const int slot = m->col[k].slot;
    path_column(t->S, h, slot, &w->col[k].S);
    path_column(t->U, h, slot, &c->U);
    path_column(t->Z, h, slot, &c->Z);
    path_column(t->X, h, slot, &c->X);
  }
}

// The column of DOF v: rows above, for the changes dF and dFv of the wrench below.  `column_q` and
// `column_v` are rows of transposed matrices.
static void column_above(const tangent_path* t, const model_hop* hop, const spatial* dF,
                         const spatial* dFv, double* column_q, double* column_v) {
  path_sum(&t->p, hop->above, t->S, dF);
  path_add_row(&t->p, hop->above, hop->straight, column_q);
  path_sum(&t->p, hop->above, t->S, dFv);
  path_add_row(&t->p, hop->above, hop->straight, column_v);
}

// The row of DOF v: columns above (l below k in the formulas of the head).
static void row_above(const tangent_path* t, const model_hop* hop, const col_sum* c, double* row_q,
                      double* row_v) {
  const spatial minus_Y = spatial_scale(-1, c->Y);
  for (int b = 0; b * LANES < hop->above; b++) {
    t->p.sum[b] =
        octet_dot(&c->H, &t->Z[b]) + octet_dot(&c->G, &t->U[b]) + octet_dot(&minus_Y, &t->S[b]);
  }
  path_add_row(&t->p, hop->above, hop->straight, row_q);
  for (int b = 0; b * LANES < hop->above; b++) {
    t->p.sum[b] = octet_dot(&c->H, &t->X[b]) + octet_dot(&c->G, &t->S[b]);
  }
  path_add_row(&t->p, hop->above, hop->straight, row_v);
}

static void flush_rows(const tangent_path* t, int first, double* const to[TANGENT_ROWS]) {
  for (int k = 0; k < TANGENT_ROWS; k++) path_flush(&t->p, first, t->rows[k], to[k]);
}

// Add the entries of dF/dq and dF/dv, hop by hop from the root, against the columns of all hops
// upstream, which are on a path (a stack).  Entries of a column below with a row above are
// collected transposed, so that memory is visited in order, and added at the end.
void td_tree_tangent(const td_model* m, td_work* w, const tree_part* part, double* dq, double* dv) {
  const int n = part->n;
  const arena_mark mark = arena_open(&w->scratch);
  tangent_path t = tangent_path_new(m, part, &w->scratch);
  double *dqT = arena_zeros(&w->scratch, n * n), *dvT = arena_zeros(&w->scratch, n * n);
  double* const rows[TANGENT_ROWS] = {dq, dv, dqT, dvT};
  for (int i = part->first; i < part->end; i++) {
    const model_hop* hop = &m->hop[i];
    const hop_sum* h = sums_of_hop(w, i);

    // leave the branch before, and begin the slots of a rod with zeros
    flush_rows(&t, hop->above, rows);
    if (path_is_stale(&t.p, hop)) tangent_path_clear(&t, hop);
    path_reach(&t.p, hop);

    // a rod step adds its parts
    if (begins_run(m, i)) td_strain_curvature(m, w, &m->run[hop->run], t.curvature);
    if (has_parts(hop)) {
      path_enter(&t.p, m, i);
      td_step_tangent(m, w, i, &t);
      continue;
    }

    // any other hop: its own derivative, then column by column
    td_hop_table[m->hop[i].kind]->own(m, w, i, &t, dq);
    for (int k = 0; k < hop->nv; k++) {
      const spatial* Sk = &w->col[hop->col + k].S;
      const col_sum* c = sums_of_col(w, hop->col + k);
      const int v = part_row(part, m->col[hop->col + k].v);

      // change of the composite wrench along column k, by its position and by its rate
      const spatial turn = spatial_cross_force(Sk, &w->hop[i].F),
                    IZ = spatial6_apply(&h->IA, &c->Z);
      spatial dF = spatial_add(spatial_add(turn, IZ), td_rate_wrench(h, &c->U));
      spatial dFv = spatial_add(spatial6_apply(&h->IA, &c->X), td_rate_wrench(h, Sk));
      if (m->has_blocks) {
        const hop_block* b = &w->blocks[i];
        dF = spatial_add(dF, spatial_add(spatial6_apply(&b->B, &c->U), spatial6_apply(&b->K, Sk)));
        dFv = spatial_add(dFv, spatial6_apply(&b->B, Sk));
      }

      // entries with the columns upstream, and of the hop's columns with each other
      column_above(&t, hop, &dF, &dFv, dqT + v * n, dvT + v * n);
      row_above(&t, hop, c, dq + v * n, dv + v * n);
      for (int l = 0; l < hop->nv; l++) {
        const spatial* S = &w->col[hop->col + l].S;
        const int row = part_row(part, m->col[hop->col + l].v);
        dqT[v * n + row] += spatial_dot(S, &dF);
        dvT[v * n + row] += spatial_dot(S, &dFv);
      }
    }
    tangent_path_enter(&t, m, w, i);
  }
  flush_rows(&t, 0, rows);
  add_transposed(dq, dqT, n);
  add_transposed(dv, dvT, n);
  arena_close(&w->scratch, mark);
}

// ---- forces -----------------------------------------------------------------------------------

// Generalised forces of the wrench changes w->df, plus w->dtau, subtracted from column `v` of out.
static void collect(const td_model* m, td_work* w, double* out, int stride, int column) {
  for (int i = m->nhop - 1; i >= 0; i--) {
    const model_hop* hop = &m->hop[i];
    if (spatial_dot(&w->df[i], &w->df[i]) == 0) continue;
    td_hop_forces(m, w, i, &w->df[i], w->dtau);
    if (hop->parent >= 0) w->df[hop->parent] = spatial_add(w->df[hop->parent], w->df[i]);
  }
  for (int i = 0; i < m->nvel; i++) out[i * stride + column] -= w->dtau[i];
}

static void clear_changes(const td_model* m, td_work* w) {
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
}

// Add the derivatives of forces that act between stations or depend on sensors: one sweep for each
// leading column, by position and by rate.  Columns that move no such force are skipped.
static void force_tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  const int n = m->nvel;
  const arena_mark mark = arena_open(&w->scratch);
  bool* touched = (bool*)arena_doubles(&w->scratch, m->nhop / (int)sizeof(double) + 1);
  td_forces_sweep(m, w, touched);
  for (int col = 0; col < m->ncol; col++) {
    for (int rate = 0; rate < 2 && m->col[col].leads && touched[m->col[col].hop]; rate++) {
      clear_changes(m, w);
      td_number_changes(m, w, col, rate);
      td_forces_change(m, w, col, rate, w->df, w->dtau);
      collect(m, w, rate ? dv : dq, n, m->col[col].v);
    }
  }
  td_number_changes(m, w, -1, false);
  arena_close(&w->scratch, mark);
}

// Sum of four contributions: inertia and local forces along the trees, forces along coordinates,
// forces between stations, multipliers of rows.
void td_tangent_at(const td_model* m, td_work* w, const double* a, const double* lambda,
                   double* dFdq, double* dFdv) {
  const size_t size = (size_t)m->nvel * (size_t)m->nvel * sizeof(double);
  memset(dFdq, 0, size);
  memset(dFdv, 0, size);

  // accelerations, tangent vectors of the columns and sums over subtrees
  if (m->nrow > 0 && lambda) td_row_forces(m, w, lambda);
  const bool sweeps = td_forces_sweep(m, w, NULL);  // over columns
  td_accelerate(m, w, a, true);
  td_strain_tangent_numbers(m, w, a);
  td_columns_of(m, w, a, 0, m->nhop, sweeps || m->nrow > 0);
  td_composites(m, w);

  // the four contributions
  const tree_part all = whole_forest(m);
  td_tree_tangent(m, w, &all, dFdq, dFdv);
  td_coordinate_tangent(m, w, dFdq, dFdv);
  if (sweeps) force_tangent(m, w, dFdq, dFdv);
  if (m->nrow > 0 && lambda) td_row_tangent(m, w, lambda, dFdq);
}

td_status td_trial_tangent(const td_model* m, const td_state* state, td_work* w, const double* a,
                           const double* lambda, double* dFdq, double* dFdv) {
  if (!model_has(m, state, w) || !a || !dFdq || !dFdv) return TD_E_USAGE;
  if (m->sparse && m->nvel > SPARSE_DENSE_LIMIT) {
    td_work_fail(w, "a network of %d velocities has no dense tangents; up to %d do", m->nvel,
                 SPARSE_DENSE_LIMIT);
    return TD_E_USAGE;
  }
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  td_tangent_at(m, w, a, lambda, dFdq, dFdv);
  return TD_OK;
}

td_status td_tangent(const td_model* m, const td_state* state, td_work* w, const double* a,
                     const double* lambda, double* dFdq, double* dFdv) {
  if (!model_owns(m, state) || !a || !td_state_is_finite(m, state) || !are_finite(a, m->nvel) ||
      (lambda && !are_finite(lambda, m->nrow)))
    return TD_E_USAGE;
  const char* const what = "a derivative of the force on";
  TD_TRY(td_trial_tangent(m, state, w, a, lambda, dFdq, dFdv));
  TD_TRY(td_finite(m, w, what, td_model_v_name, dFdq, m->nvel, m->nvel));
  return td_finite(m, w, what, td_model_v_name, dFdv, m->nvel, m->nvel);
}

// ---- inputs and parameters --------------------------------------------------------------------

// Change of -F for changes of the numbers alone, into column `column` of out (added negatively by
// collect).
void td_number_column(const td_model* m, td_work* w, double* out, int stride, int column) {
  clear_changes(m, w);
  w->numbers_change = true;
  td_forces_change(m, w, -1, false, w->df, w->dtau);
  // gravity pulls on every mass
  vec3 dg = vec3_scale(w->load, vec3_of(w->dnum + m->gravity));
  for (int i = 0; i < m->nhop; i++)
    if (w->hop_heavy[i]) {
      const inertia* I = &w->hop[i].I;
      w->df[i] = spatial_add(w->df[i], spatial_of(vec3_scale(I->m, dg), vec3_cross(I->mc, dg)));
    }
  td_fluid_gravity_change(m, w, dg, w->df);
  collect(m, w, out, stride, column);
  w->numbers_change = false;
}

void td_number_partials(td_work* w, const td_tape* tape, const model_partial* list, int n,
                        int source) {
  td_tape_eval(tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < n; i++)
    if (list[i].source == source) w->dnum[list[i].target] += w->partial[i];
}

void td_clear_partials(td_work* w, const model_partial* list, int n) {
  for (int i = 0; i < n; i++) w->dnum[list[i].target] = 0;
}

// d(tau - h) by the drives from `first` on (nv x n)
static void drive_columns(const td_model* m, const td_state* state, td_work* w, int first, int n,
                          double* B) {
  memset(B, 0, (size_t)m->nvel * (size_t)n * sizeof(double));
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  for (int u = 0; u < n; u++) {
    td_number_partials(w, m->live_input_tape, m->live_input, m->nlive_input, first + u);
    td_number_column(m, w, B, n, u);
    td_clear_partials(w, m->live_input, m->nlive_input);
  }
  for (int i = 0; i < m->nvel * n; i++) B[i] = -B[i];
}

td_status td_trial_input_map(const td_model* m, const td_state* state, td_work* w, double* B) {
  if (!model_has(m, state, w) || !B) return TD_E_USAGE;
  drive_columns(m, state, w, 0, model_drives(m), B);
  return TD_OK;
}

td_status td_input_map(const td_model* m, const td_state* state, td_work* w, double* B) {
  if (!model_has(m, state, w) || !B || !td_state_is_finite(m, state)) return TD_E_USAGE;
  drive_columns(m, state, w, 0, m->ninput, B);
  return td_finite(m, w, "a derivative by inputs of the force on", td_model_v_name, B, m->nvel,
                   m->ninput);
}

td_status td_internal_map(const td_model* m, const td_state* state, td_work* w, double* B) {
  if (!model_has(m, state, w) || !B || !td_state_is_finite(m, state)) return TD_E_USAGE;
  drive_columns(m, state, w, m->ninput, m->ninternal, B);
  return td_finite(m, w, "a derivative by internal states of the force on", td_model_v_name, B,
                   m->nvel, m->ninternal);
}
