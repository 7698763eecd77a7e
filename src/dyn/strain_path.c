// What a step of a rod adds to M and to the tangents, in terms of its parts.
//
// The columns of a step are weights times parts, S_k = Σ_p w_kp S_p, and there are fewer parts (the
// strains at its one to three nodes) than columns (all DOFs of the rod).  So the entries with the
// path are made for the parts, R_p = x_p · path, and each row of the matrix gets Σ_p w_kp R_p; what
// the step adds to the path is Σ_p w_p S_p with the weights of eight slots side by side.
#include <math.h>

#include "path.h"
#include "strain_hop.h"

// Σ_p w_p x_p of one block of slots
static inline octet weighed_parts(const td_work* w, const model_hop* hop, const octet* x, int b) {
  const lanes* weight = w->weight + hop->weights + b;
  octet sum = octet_zero();
  for (int n = 0; n < hop->nodes; n++)
    for (int d = 0; d < 6; d++) {
      if (!(hop->modes >> d & 1)) continue;
      const lanes here = weight[(6 * n + d) * hop->blocks];
      for (int c = 0; c < 6; c++) sum.c[c] += x[n].c[c][d] * here;
    }
  return sum;
}

// vectors += scale Σ_p w_p x_p
static void add_parts(const td_work* w, const model_hop* hop, double scale, const octet* x,
                      octet* vectors) {
  for (int b = 0; b < hop->blocks; b++) {
    const octet sum = weighed_parts(w, hop, x, b);
    vectors[hop->block + b] = octet_axpy(scale, &sum, vectors[hop->block + b]);
  }
}

// R[b] (+)= x_d · the vectors of the first n slots
static inline void products(const octet* x, int d, const octet* vectors, int n, bool more,
                            lanes* R) {
  const spatial one = octet_vector(x, d);
  for (int b = 0; b * LANES < n; b++) {
    const lanes sum = octet_dot(&one, &vectors[b]);
    R[b] = more ? R[b] + sum : sum;
  }
}

// The rows of the step's slots: that of column k gets Σ_n w_kn R_n, over the first n slots.
static ALWAYS void add_rows_of(const td_model* m, const td_work* w, const model_hop* hop, int nodes,
                               const path* p, const lanes* R, int blocks, lanes* rows) {
  const int node = 6 * p->nblock;
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const double* weight = w->num + c->weight;
    const lanes* from = R + c->part * p->nblock;
    lanes* row = rows + c->slot * p->nblock;
    for (int b = 0; b < blocks; b++) {
      lanes sum = row[b];
      for (int n = 0; n < nodes; n++) sum += weight[n] * from[n * node + b];
      row[b] = sum;
    }
  }
}
static void add_rows(const td_model* m, const td_work* w, const model_hop* hop, const path* p,
                     const lanes* R, int n, lanes* rows) {
  const int blocks = slot_blocks(n);
  if (hop->nodes == 1) add_rows_of(m, w, hop, 1, p, R, blocks, rows);
  if (hop->nodes == 2) add_rows_of(m, w, hop, 2, p, R, blocks, rows);
  if (hop->nodes == 3) add_rows_of(m, w, hop, 3, p, R, blocks, rows);
}

// Both halves of M get half of what the step has with itself: its columns are on the path by half.
void td_step_mass(const td_model* m, const td_work* w, int i, const path* p, octet* S, lanes* room,
                  lanes* M) {
  const model_hop* hop = &m->hop[i];
  const octet* part = w->part + hop->parts;
  if (!td_has_mass(&sums_of_hop(w, i)->IA)) {
    add_parts(w, hop, 1, part, S);
    return;
  }
  add_parts(w, hop, 0.5, part, S);
  for (int n = 0; n < hop->nodes; n++) {
    const octet H = octet_apply(&sums_of_hop(w, i)->IA, &part[n]);
    for (int d = 0; d < 6; d++)
      if (hop->modes >> d & 1) products(&H, d, S, hop->end, false, room + (6 * n + d) * p->nblock);
  }
  add_rows(m, w, hop, p, room, hop->end, M);
  add_parts(w, hop, 0.5, part, S);
}

// ---- tangents ---------------------------------------------------------------------------------

// B(I, V) of tangent.c: [-2 P × ω, B ω]
static octet rate_wrench(const hop_sum* h, const octet* U) {
  const double P[3] = {-2 * h->P.x, -2 * h->P.y, -2 * h->P.z};
  octet y = octet_zero();
  octet_cross3(P, U->c + 3, y.c);
  octet_rotate(&h->B, U->c + 3, y.c + 3);
  return y;
}

// its transpose: [0, 2 P × v + Bᵀ ω]
static octet rate_wrench_transposed(const hop_sum* h, const octet* S) {
  const double P[3] = {2 * h->P.x, 2 * h->P.y, 2 * h->P.z};
  const mat3 Bt = mat3_transpose(h->B);
  octet y = octet_zero();
  octet_rotate(&Bt, S->c + 3, y.c + 3);
  octet_cross3(P, S->c, y.c + 3);
  return y;
}

static octet apply_transposed_add(const spatial6* A, double scale, const octet* x, octet y) {
  for (int j = 0; j < 6; j++) y.c[j] += scale * octet_dot(&A->col[j], x);
  return y;
}

// What the rows of the parts are made of, and the changes of the wrench below along them.
typedef struct step_parts {
  octet H, G, minus_Y, dF, dFv;
} step_parts;

static step_parts parts_at(const td_model* m, const td_work* w, int i, const octet* S,
                           const octet* U, const octet* Z) {
  const hop_sum* h = sums_of_hop(w, i);
  step_parts s = {.H = octet_apply(&h->IA, S),
                  .G = rate_wrench_transposed(h, S),
                  .minus_Y = octet_scale(-1, octet_cross_force(S, &h->E))};
  s.dF =
      octet_add(octet_cross_force(S, &w->hop[i].F), octet_apply_add(&h->IA, Z, rate_wrench(h, U)));
  const octet IU = octet_apply(&h->IA, U);
  s.dFv = octet_axpy(2, &IU, rate_wrench(h, S));
  if (!m->has_blocks) return s;
  const hop_block* b = &w->blocks[i];
  s.G = apply_transposed_add(&b->B, 1, S, s.G);
  s.minus_Y = apply_transposed_add(&b->K, 1, S, s.minus_Y);
  s.dF = octet_apply_add(&b->B, U, octet_apply_add(&b->K, S, s.dF));
  s.dFv = octet_apply_add(&b->B, S, s.dFv);
  return s;
}

// The entries of the rows (columns above the step) and of the columns (rows above it and its own),
// as four blocks of rows.
static void step_rows(const tangent_path* t, const model_hop* hop, int n, const step_parts* s,
                      lanes* q, lanes* v) {
  for (int d = 0; d < 6; d++) {
    if (!(hop->modes >> d & 1)) continue;
    const int row = (6 * n + d) * t->p.nblock;
    products(&s->H, d, t->Z, hop->end, false, q + row);
    products(&s->G, d, t->U, hop->end, true, q + row);
    products(&s->minus_Y, d, t->S, hop->end, true, q + row);
    products(&s->H, d, t->X, hop->end, false, v + row);
    products(&s->G, d, t->S, hop->end, true, v + row);
  }
}

static void step_columns(const tangent_path* t, const model_hop* hop, int n, const step_parts* s,
                         lanes* q, lanes* v) {
  for (int d = 0; d < 6; d++) {
    if (!(hop->modes >> d & 1)) continue;
    const int row = (6 * n + d) * t->p.nblock;
    products(&s->dF, d, t->S, hop->end, false, q + row);
    products(&s->dFv, d, t->S, hop->end, false, v + row);
  }
}

// S changes inside its own step: Σ_r N[p][r] w_r added to the row of part p.
static void add_curvature(const td_model* m, const td_work* w, int i, const tangent_path* t,
                          lanes* rows) {
  const model_hop* hop = &m->hop[i];
  const int lane = i - m->run[hop->run].hop;
  for (int r = 0; r < 6 * hop->nodes; r++) {
    if (!(hop->modes >> r % 6 & 1)) continue;
    const lanes* weight = w->weight + hop->weights + r * hop->blocks;
    for (int k = 0; k < 6 * hop->nodes; k++) {
      if (!(hop->modes >> k % 6 & 1)) continue;
      const double s = t->curvature[k][r][lane];
      for (int b = 0; b < hop->blocks; b++) rows[k * t->p.nblock + hop->block + b] += s * weight[b];
    }
  }
}

void td_step_tangent(const td_model* m, const td_work* w, int i, const tangent_path* t) {
  const model_hop* hop = &m->hop[i];
  const octet *S = w->part + hop->parts, *U = w->part_U + hop->parts, *Z = w->part_Z + hop->parts;
  lanes *q = t->room, *v = q + MAGNUS_PARTS * t->p.nblock;
  step_parts s[MAGNUS_NODES];
  for (int n = 0; n < hop->nodes; n++) {
    s[n] = parts_at(m, w, i, &S[n], &U[n], &Z[n]);
    step_rows(t, hop, n, &s[n], q, v);
  }
  add_rows(m, w, hop, &t->p, q, hop->end, t->dq);
  add_rows(m, w, hop, &t->p, v, hop->end, t->dv);
  add_parts(w, hop, 1, S, t->S);
  add_parts(w, hop, 1, U, t->U);
  add_parts(w, hop, 1, Z, t->Z);
  add_parts(w, hop, 2, U, t->X);
  for (int n = 0; n < hop->nodes; n++) step_columns(t, hop, n, &s[n], q, v);
  add_curvature(m, w, i, t, q);
  add_rows(m, w, hop, &t->p, q, hop->end, t->dqT);
  add_rows(m, w, hop, &t->p, v, hop->end, t->dvT);
}
