// Contributions of the steps of rods to M and to the tangents, in terms of their parts.
//
// The columns of a step are weights times parts, S_k = Σ_p w_kp S_p, and there are fewer parts (the
// strains at its one to three nodes) than columns (all DOFs of the rod).  So the entries with the
// path are made for the parts, R_p = x_p · path, and what the step adds to the path is Σ_p w_p S_p
// with the weights of eight slots side by side.  When all steps of a run are done, each row of the
// matrix gets Σ w_kp R_p over the parts of all of them.
#include "engine/hop_strain.h"
#include "engine/path.h"

// The first component of part p; the others follow LANES apart.
static inline const double* part(const octet* x, int p) {
  return (const double*)&x[(unsigned)p / LANES] + (unsigned)p % LANES;
}
static inline lanes part_dot(const double* x, const octet* v) {
  return (x[0] * v->c[0] + x[LANES] * v->c[1] + x[2 * LANES] * v->c[2]) +
         (x[3 * LANES] * v->c[3] + x[4 * LANES] * v->c[4] + x[5 * LANES] * v->c[5]);
}

// Σ_p w_p x_p of one block of slots
static inline octet weighed_parts(const td_work* w, const model_hop* hop, const octet* x, int b) {
  const strain_range range = w->weight_range[hop->weights + b];
  const lanes* weight = w->weight + hop->weights + b;
  const int parts = step_parts(hop), modes = modes_in(hop->modes);
  octet sum = octet_zero();
  for (int node = 0; node < parts; node += modes)
    for (int p = node + range.first; p < node + range.end; p++) {
      const double* from = part(x, p);
      const lanes by = weight[p * hop->blocks];
      for (int c = 0; c < 6; c++) sum.c[c] += from[c * LANES] * by;
    }
  return sum;
}

// vectors += Σ_p w_p x_p
void td_step_add(const td_work* w, const model_hop* hop, const octet* x, octet* vectors) {
  for (int b = 0; b < hop->blocks; b++) {
    const octet sum = weighed_parts(w, hop, x, b);
    vectors[hop->block + b] = octet_add(sum, vectors[hop->block + b]);
  }
}

// ---- rows -------------------------------------------------------------------------------------

// The entries of a step's parts stand `nblock` apart, those of the steps of a run behind each
// other.
static inline lanes* step_entries(const td_model* m, const path* p, int hop, lanes* room) {
  const model_hop* at = &m->hop[hop];
  return room + (hop - m->run[at->run].hop) * step_parts(at) * p->nblock;
}
// Clear the entries behind the first `blocks` blocks: they are zero for this step, but not for all
// steps of its run.
static void clear_behind(const td_model* m, const path* p, int hop, int blocks, lanes* R) {
  const model_hop *at = &m->hop[hop], *last = &m->hop[m->run[at->run].hop + m->run[at->run].n - 1];
  const int all = last->filled;
  for (int k = 0; blocks < all && k < step_parts(at); k++)
    memset(R + k * p->nblock + blocks, 0, (size_t)(all - blocks) * sizeof(lanes));
}

// Entries of the parts of one strain with the path, at all nodes of all steps of a run.
typedef struct entries {
  const lanes* R;  // of the strain at the first node of the first step
  int node, step;  // how far the others are apart
  int nodes, steps;
} entries;
// row[k] += Σ_p w_kp R_p for `count` rows (1 or 2) and `width` vectors of eight slots (at most 4)
// from b on, kept in registers.  Called with constant sizes, so that the loops unroll.
static ALWAYS void add_tile(const entries* e, const lanes* weight, int count, int width,
                            lanes* const* row, int b) {
  lanes sum[2][4];
  for (int k = 0; k < count; k++)
    for (int i = 0; i < width; i++) sum[k][i] = row[k][b + i];
  for (int n = 0; n < e->nodes; n++)
    for (int l = 0; l < e->steps; l++) {
      const lanes* R = e->R + n * e->node + l * e->step + b;
      for (int k = 0; k < count; k++) {
        const double s = ((const double*)&weight[k * e->nodes + n])[l];
        for (int i = 0; i < width; i++) sum[k][i] += s * R[i];
      }
    }
  for (int k = 0; k < count; k++)
    for (int i = 0; i < width; i++) row[k][b + i] = sum[k][i];
}
static ALWAYS void add_tiles(const entries* e, const lanes* weight, int count, int blocks,
                             lanes* const* row) {
  int b = 0;
  for (; b + 4 <= blocks; b += 4) add_tile(e, weight, count, 4, row, b);
  if (b + 2 <= blocks) {
    add_tile(e, weight, count, 2, row, b);
    b += 2;
  }
  if (b < blocks) add_tile(e, weight, count, 1, row, b);
}

// Add to the row of each DOF of a run the entries R of its steps' parts, times the DOF's weights;
// two DOFs of one strain at a time.
static void add_rows(const td_model* m, const td_work* w, const model_run* run, const path* p,
                     const lanes* R, lanes* rows) {
  const model_hop* hop = &m->hop[run->hop];
  const int blocks = hop[run->n - 1].filled;
  const lanes* weight = td_run_weights(w, run);
  const model_run_dof *f = m->run_dof + run->dof, *end = f + run->ndof;
  while (f < end) {
    const bool two = f + 1 < end && f[1].part == f->part;
    const entries e = {.R = R + step_part(hop, 0, f->part) * p->nblock,
                       .node = modes_in(run->modes) * p->nblock,
                       .step = step_parts(hop) * p->nblock,
                       .nodes = run->nodes,
                       .steps = run->n};
    lanes* const row[2] = {rows + f->slot * p->nblock, two ? rows + f[1].slot * p->nblock : NULL};
    if (two) {
      add_tiles(&e, weight, 2, blocks, row);
    } else {
      add_tiles(&e, weight, 1, blocks, row);
    }
    f += 1 + two;
    weight += (1 + two) * run->nodes;
  }
}

static bool ends_run(const td_model* m, int hop) {
  const model_run* run = &m->run[m->hop[hop].run];
  return hop == run->hop + run->n - 1;
}

// ---- mass -------------------------------------------------------------------------------------

// Entries R of M between the parts of a step and the path, and the step's columns onto the path S.
// Its own columns count by half here: both halves of M get that entry.
static void mass_entries(const td_work* w, const model_hop* hop, const spatial6* I, const path* p,
                         octet* S, lanes* R) {
  const octet* x = w->part + hop->parts;
  const int parts = step_parts(hop), next = p->nblock;
  octet H[MAGNUS_NODES];
  for (int o = 0; o < step_octets(hop); o++) H[o] = octet_apply(I, &x[o]);
  for (int b = 0; b < hop->filled; b++) {
    const int own = b - hop->block;
    octet at = S[b];
    if (own >= 0 && own < hop->blocks) {
      const octet all = weighed_parts(w, hop, x, own);
      S[b] = octet_add(at, all);
      at = octet_axpy(0.5, &all, at);
    }
    for (int k = 0; k < parts; k++) R[k * next + b] = part_dot(part(H, k), &at);
  }
}

void td_step_mass(const td_model* m, const td_work* w, int i, const path* p, octet* S, lanes* room,
                  lanes* M) {
  const model_hop* hop = &m->hop[i];
  const spatial6* I = &sums_of_hop(w, i)->IA;
  lanes* R = step_entries(m, p, i, room);
  if (td_has_mass(I)) {
    mass_entries(w, hop, I, p, S, R);
    clear_behind(m, p, i, hop->filled, R);
  } else {
    td_step_add(w, hop, w->part + hop->parts, S);
    clear_behind(m, p, i, 0, R);
  }
  if (ends_run(m, i)) add_rows(m, w, &m->run[hop->run], p, room, M);
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

// Vectors of the parts of a step, with which entries of the tangents are dot products (tangent.c).
typedef struct part_rows {
  octet H[MAGNUS_NODES], G[MAGNUS_NODES], minus_Y[MAGNUS_NODES], dF[MAGNUS_NODES],
      dFv[MAGNUS_NODES];
} part_rows;

// Vectors H, G, -Y, dF, dFv (tangent.c) of the eight parts o of step i.
static void parts_at(const td_model* m, const td_work* w, int i, int o, part_rows* s) {
  const hop_sum* h = sums_of_hop(w, i);
  const int at = m->hop[i].parts + o;
  const octet *S = &w->part[at], *U = &w->part_U[at], *Z = &w->part_Z[at];
  s->H[o] = octet_apply(&h->IA, S);
  s->G[o] = rate_wrench_transposed(h, S);
  s->minus_Y[o] = octet_scale(-1, octet_cross_force(S, &h->E));
  s->dF[o] =
      octet_add(octet_cross_force(S, &w->hop[i].F), octet_apply_add(&h->IA, Z, rate_wrench(h, U)));
  const octet IU = octet_apply(&h->IA, U);
  s->dFv[o] = octet_axpy(2, &IU, rate_wrench(h, S));
  if (!m->has_blocks) return;
  const hop_block* b = &w->blocks[i];
  s->G[o] = apply_transposed_add(&b->B, 1, S, s->G[o]);
  s->minus_Y[o] = apply_transposed_add(&b->K, 1, S, s->minus_Y[o]);
  s->dF[o] = octet_apply_add(&b->B, U, octet_apply_add(&b->K, S, s->dF[o]));
  s->dFv[o] = octet_apply_add(&b->B, S, s->dFv[o]);
}

// Entries of the tangent of the step's own velocities (`parts` of them) with one block of slots of
// the velocities above it, by position (q) and by velocity (v): in the rows of its own velocities.
static void row_entries(const tangent_path* t, const part_rows* s, int parts, int b, lanes* q,
                        lanes* v) {
  const octet *S = &t->S[b], *U = &t->U[b], *Z = &t->Z[b], *X = &t->X[b];
  const int next = t->p.nblock;
  for (int k = 0; k < parts; k++) {
    const double *H = part(s->H, k), *G = part(s->G, k), *Y = part(s->minus_Y, k);
    q[k * next + b] = part_dot(H, Z) + part_dot(G, U) + part_dot(Y, S);
    v[k * next + b] = part_dot(H, X) + part_dot(G, S);
  }
}

// The same in the columns of its own velocities: what the wrenches that they cause do along the
// block.
static void column_entries(const tangent_path* t, const part_rows* s, int parts, int b, lanes* q,
                           lanes* v) {
  const octet S = t->S[b];
  const int next = t->p.nblock;
  for (int k = 0; k < parts; k++) {
    q[k * next + b] = part_dot(part(s->dF, k), &S);
    v[k * next + b] = part_dot(part(s->dFv, k), &S);
  }
}

// Put the vectors S, U, Z and X = 2 U of a step's DOFs on the path.
static void put_on_path(const td_work* w, const model_hop* hop, const tangent_path* t) {
  td_step_add(w, hop, w->part + hop->parts, t->S);
  td_step_add(w, hop, w->part_Z + hop->parts, t->Z);
  for (int b = 0; b < hop->blocks; b++) {
    const octet U = weighed_parts(w, hop, w->part_U + hop->parts, b);
    const int at = hop->block + b;
    t->U[at] = octet_add(U, t->U[at]);
    t->X[at] = octet_axpy(2, &U, t->X[at]);
  }
}

// S changes inside its own step: Σ_r N[p][r] w_r added to the row of part p.
static void add_curvature(const td_model* m, const td_work* w, int i, const tangent_path* t,
                          lanes* rows) {
  const model_hop* hop = &m->hop[i];
  const int lane = i - m->run[hop->run].hop, blocks = hop->blocks, next = t->p.nblock,
            modes = modes_in(hop->modes);
  int list[MAGNUS_PARTS], count = 0;
  for (int p = 0; p < 6 * hop->nodes; p++)
    if (hop->modes >> p % 6 & 1) list[count++] = p;
  for (int k = 0; k < count; k++)
    for (int b = 0; b < blocks; b++) {
      const strain_range range = w->weight_range[hop->weights + b];
      const lanes* weight = w->weight + hop->weights + b;
      lanes* to = rows + k * next + hop->block + b;
      lanes sum = *to;
      for (int node = 0; node < count; node += modes)
        for (int r = node + range.first; r < node + range.end; r++)
          sum += ((const double*)&t->curvature[list[k]][list[r]])[lane] * weight[r * blocks];
      *to = sum;
    }
}

// Entries of a step's parts with the path, in the room of its run; at the end of the run the rows
// of all its DOFs are added up from them.
void td_step_tangent(const td_model* m, const td_work* w, int i, const tangent_path* t) {
  const model_hop* hop = &m->hop[i];
  const model_run* run = &m->run[hop->run];
  const int blocks = hop->filled, parts = step_parts(hop);
  lanes* R[TANGENT_ROWS];
  part_rows s;
  for (int k = 0; k < TANGENT_ROWS; k++) R[k] = step_entries(m, &t->p, i, t->room[k]);
  for (int o = 0; o < step_octets(hop); o++) parts_at(m, w, i, o, &s);

  // rows of the parts with the columns upstream, then the step's own columns join the path
  for (int b = 0; b < blocks; b++) row_entries(t, &s, parts, b, R[0], R[1]);
  put_on_path(w, hop, t);

  // columns of the parts with all rows on the path, and the curvature of the step
  for (int b = 0; b < blocks; b++) column_entries(t, &s, parts, b, R[2], R[3]);
  add_curvature(m, w, i, t, R[2]);
  for (int k = 0; k < TANGENT_ROWS; k++) clear_behind(m, &t->p, i, blocks, R[k]);
  for (int k = 0; k < TANGENT_ROWS && ends_run(m, i); k++)
    add_rows(m, w, run, &t->p, t->room[k], t->rows[k]);
}
