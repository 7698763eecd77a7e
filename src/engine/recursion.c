// Recursions along the tree [featherstone2008, ch. 5-7], in one common frame, where nothing has to
// be transformed on the way: the additions are the algorithm.
//
// Inverse dynamics, leaves to root:
//
//   f_i = I_i A_i + V_i ×* I_i V_i - f_ext,i        F_j = Σ_{i downstream of j} f_i        τ_j =
//   S_jᵀ F_j
//
// Mass matrix, with Ic the composite inertia of the subtree, k on hop j and l on j or upstream of
// it:
//
//   M_kl = S_kᵀ Ic_j S_l
//
// Forward dynamics with articulated inertias Ia, leaves to root, then root to leaves:
//
//   U = Ia S,  D = Sᵀ U,  u = τ - Sᵀ p
//   Ia_parent += Ia - U D⁻¹ Uᵀ                      p_parent += p + Ia c + U D⁻¹ (u - Uᵀ c)
//   v' = D⁻¹ (u - Uᵀ (A_parent + c))                A = A_parent + c + S v'
#include <math.h>
#include <string.h>

#include "engine/hop_strain.h"
#include "engine/path.h"
#include "engine/stages.h"
#include "math/tiles.h"

// Gravity as an upward acceleration of the ground.
static spatial ground_acceleration(const td_model* m, const td_work* w) {
  return spatial_of(vec3_scale(-w->load, vec3_of(w->num + m->gravity)), (vec3){0, 0, 0});
}

// A_j = A_parent + c_j + S_j a_j for all hops, root to leaves; a NULL: zero.
void td_accelerate(const td_model* m, td_work* w, const double* a, bool gravity) {
  const spatial base = gravity ? ground_acceleration(m, w) : spatial_zero();
  for (int i = 0; m->ntaut > 0 && i < m->nvel; i++) w->accel[i] = a ? a[i] : 0;
  w->ground = spatial_t(&base);

  // parents first
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    hop_work* h = &w->hop[i];
    spatial A = spatial_add(hop->parent < 0 ? base : w->hop[hop->parent].A, h->c);
    if (a && is_step(hop)) {
      A = spatial_add(A, td_strain_acceleration(m, w, hop, a));
    } else {
      for (int k = 0; a && k < hop->nv; k++)
        A = spatial_axpy(a[m->col[hop->col + k].v], w->col[hop->col + k].S, A);
    }
    h->A = A;
  }
}

// out += Sᵀ F for the velocities of one hop.
void td_hop_forces(const td_model* m, const td_work* w, int i, const spatial* F, double* out) {
  const model_hop* hop = &m->hop[i];
  if (is_step(hop)) {
    td_strain_forces(m, w, hop, F, out);
    return;
  }
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    out[m->col[k].v] += spatial_dot(&w->col[k].S, F);
}

// Inverse dynamics: out = Σ Sᵀ F - tau from the accelerations and forces of all hops; leaves F in
// hop.F.
void td_inverse(const td_model* m, td_work* w, double* out) {
  for (int i = 0; i < m->nvel; i++) out[i] = -w->tau[i];

  // own wrench of each hop, added mass of immersed ones included
  for (int i = 0; i < m->nhop; i++) {
    hop_work* h = &w->hop[i];
    h->F = spatial_scale(-1, h->f);
    if (is_wet(w, i)) {
      const spatial6* M = &w->added_now[i];
      const spatial MA = spatial6_apply(M, &h->A), MV = spatial6_apply(M, &h->V);
      h->F = spatial_add(h->F, spatial_add(MA, spatial_cross_force(&h->V, &MV)));
    }
    if (!w->hop_heavy[i]) continue;
    const spatial IV = inertia_apply(&h->I, &h->V);
    h->F = spatial_add(h->F,
                       spatial_add(inertia_apply(&h->I, &h->A), spatial_cross_force(&h->V, &IV)));
  }

  // sum over subtrees; generalised forces hop by hop, of rods bundle by bundle
  for (int i = m->nhop - 1; i >= 0; i--) {
    const model_hop* hop = &m->hop[i];
    const hop_work* h = &w->hop[i];
    if (!has_parts(hop)) td_hop_forces(m, w, i, &h->F, out);
    if (hop->parent >= 0) w->hop[hop->parent].F = spatial_add(w->hop[hop->parent].F, h->F);
  }

  for (int i = 0; i < m->nrun; i++)
    if (!m->run[i].dependent) td_run_forces(m, w, &m->run[i], out);
}

// Composite inertias of the hops of whole trees, as 6 x 6 matrices.
void td_composite_inertia(const td_model* m, td_work* w, int first, int end) {
  // own inertia, with added mass
  for (int i = first; i < end; i++) {
    spatial6* IA = &sums_of_hop(w, i)->IA;
    if (w->hop_heavy[i]) {
      inertia_matrix(&w->hop[i].I, IA);
    } else {
      memset(IA, 0, sizeof *IA);
    }
    if (is_wet(w, i)) spatial6_add(IA, &w->added_now[i]);
  }

  // sums over subtrees
  for (int i = end - 1; i >= first; i--)
    if (m->hop[i].parent >= 0)
      spatial6_add(&sums_of_hop(w, m->hop[i].parent)->IA, &sums_of_hop(w, i)->IA);
}

// Entries of M between the columns of one hop and those between it and the ground, on one side of
// the diagonal, with half of the diagonal itself.
static void mass_of_hop(const td_model* m, const td_work* w, int i, path* p, const octet* S,
                        double* M) {
  const model_hop* hop = &m->hop[i];
  const col_work* col = &w->col[hop->col];
  const int n = p->part->n, above = hop->above;

  for (int k = 0; k < hop->nv; k++) {
    double* row = M + part_row(p->part, m->col[hop->col + k].v) * n;
    const spatial H = spatial6_apply(&sums_of_hop(w, i)->IA, &col[k].S);
    path_sum(p, above, S, &H);
    path_add_row(p, above, hop->straight, row);
    for (int l = 0; l < k; l++)
      row[part_row(p->part, m->col[hop->col + l].v)] += spatial_dot(&col[l].S, &H);
    row[part_row(p->part, m->col[hop->col + k].v)] += 0.5 * spatial_dot(&col[k].S, &H);
  }
}

// Add the mass matrix of a part of the trees to M, one half: td_mass_join completes it.
void td_tree_mass(const td_model* m, td_work* w, const tree_part* part, double* M) {
  const arena_mark mark = arena_open(&w->scratch);
  path p = path_new(m, part, &w->scratch);
  octet* S = path_vectors(&p, &w->scratch);
  lanes *rows = path_rows(&p, &w->scratch), *room = path_room(&p, &w->scratch);

  // hops depth first: the columns upstream of each are on a stack
  for (int i = part->first; i < part->end; i++) {
    const model_hop* hop = &m->hop[i];

    // leave the branch before, and begin the slots of a rod with zeros
    path_flush(&p, hop->above, rows, M);
    if (path_is_stale(&p, hop)) path_clear(S, hop);
    path_reach(&p, hop);

    // a rod step adds parts, any other hop its columns
    if (has_parts(hop)) {
      path_enter(&p, m, i);
      td_step_mass(m, w, i, &p, S, room, rows);
      continue;
    }
    if (td_has_mass(&sums_of_hop(w, i)->IA)) mass_of_hop(m, w, i, &p, S, M);
    path_enter(&p, m, i);
    for (int k = hop->col; k < hop->col + hop->nv; k++)
      path_column(S, hop, m->col[k].slot, &w->col[k].S);
  }

  path_flush(&p, 0, rows, M);
  arena_close(&w->scratch, mark);
}

// M += Mᵀ
void td_mass_join(double* M, int n) { add_own_transpose(M, n); }

// M (nvel x nvel) of the whole model.
void td_composite_mass(const td_model* m, td_work* w, double* M) {
  const tree_part all = whole_forest(m);
  require(w->whole);
  memset(M, 0, (size_t)all.n * (size_t)all.n * sizeof(double));
  td_composite_inertia(m, w, 0, m->nhop);
  td_tree_mass(m, w, &all, M);
  td_mass_join(M, all.n);
}

// ---- articulated bodies -----------------------------------------------------------------------

// Add a reduced inertia and bias wrench to those of the parent.
static inline void add_to_parent(td_work* w, int parent, const spatial6* Ia, const spatial* pa) {
  if (parent < 0) return;
  hop_sum* p = sums_of_hop(w, parent);
  spatial6_add(&p->IA, Ia);
  p->pA = spatial_add(p->pA, *pa);
}

// to += from - s U Uᵀ
static inline void add_reduced(spatial6* restrict to, const spatial6* restrict from, double s,
                               const spatial* restrict U) {
  for (int j = 0; j < 6; j++) {
    const double sU = s * U->a[j];
    for (int i = 0; i < 8; i++) to->col[j].a[i] += from->col[j].a[i] - sU * U->a[i];
  }
}

// Reduce a hop with one DOF by a rank-one update; U is kept in col.H, 1/D in col.D.  False: D is
// not positive.
static inline bool reduce_one(td_work* w, const model_hop* hop, int i) {
  const hop_sum* h = sums_of_hop(w, i);
  const spatial *S = &w->col[hop->col].S, *c = &w->hop[i].c;
  col_sum* col = sums_of_col(w, hop->col);
  const spatial U = spatial6_apply(&h->IA, S);
  const double D = spatial_dot(S, &U);
  if (!(D > 0)) return false;
  const double invD = 1 / D;
  col->H = U;
  col->D = invD;
  col->u = w->tau[hop->v] - spatial_dot(S, &h->pA);

  // reduce to the parent
  if (hop->parent < 0) return true;
  hop_sum* p = sums_of_hop(w, hop->parent);
  const double gain = invD * (col->u - spatial_dot(&U, c));
  const spatial Ic = spatial6_apply(&h->IA, c);
  p->pA = spatial_add(p->pA, spatial_axpy(gain, U, spatial_add(h->pA, Ic)));
  add_reduced(&p->IA, &h->IA, invD, &U);
  return true;
}

#define MAX_BLOCK 6
// The DOFs between a hop and the parent of its group: several DOFs of one hop, or of a group of
// hops of which only the last carries mass.  In the common frame the columns of a shared DOF simply
// add up.
typedef struct block {
  int n;
  int col[MAX_BLOCK];  // first column of each DOF: keeps its results
  spatial S[MAX_BLOCK], c;
} block;

// Gather the block of a group that ends with the hop `last`.
static void block_at(const td_model* m, const td_work* w, int last, block* b) {
  b->n = 0;
  b->c = spatial_zero();

  for (int i = m->hop[last].group; i <= last; i++) {
    b->c = spatial_add(b->c, w->hop[i].c);
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
      // columns of a DOF that occurs before are added to it
      int at = 0;
      while (at < b->n && m->col[b->col[at]].v != m->col[k].v) at++;
      if (at < b->n) {
        b->S[at] = spatial_add(b->S[at], w->col[k].S);
      } else {
        require(b->n < MAX_BLOCK);
        b->col[b->n] = k;
        b->S[b->n++] = w->col[k].S;
      }
    }
  }
}

// Reduce several DOFs, the outermost first, each as if between massless bodies: U in col.H, 1/D in
// col.D, u in col.u.  False: a pivot D is rounding.
static bool reduce_block(const td_model* m, td_work* w, int last) {
  const hop_sum* h = sums_of_hop(w, last);
  block b;
  block_at(m, w, last, &b);
  spatial6 Ia = h->IA;
  spatial pa = h->pA;

  // one DOF after the other, each by a rank-one update
  for (int k = b.n - 1; k >= 0; k--) {
    col_sum* col = sums_of_col(w, b.col[k]);
    const spatial whole = spatial6_apply(&h->IA, &b.S[k]), U = spatial6_apply(&Ia, &b.S[k]);
    const double D = spatial_dot(&b.S[k], &U);
    if (!(D > 1e-15 * spatial_dot(&b.S[k], &whole))) return false;  // only rounding is left
    col->H = U;
    col->D = 1 / D;
    col->u = w->tau[m->col[b.col[k]].v] - spatial_dot(&b.S[k], &pa);
    pa = spatial_axpy(col->D * col->u, U, pa);
    for (int j = 0; j < 6; j++) Ia.col[j] = spatial_axpy(-col->D * U.a[j], U, Ia.col[j]);
  }

  // what is left of the block acts on the parent
  pa = spatial_add(pa, spatial6_apply(&Ia, &b.c));
  add_to_parent(w, m->hop[m->hop[last].group].parent, &Ia, &pa);
  return true;
}

// Leaves to root: reduce articulated inertias and bias wrenches to the parents.  Returns a hop
// without a positive pivot, -1: all have one.
static int reduce(const td_model* m, td_work* w, int first, int end) {
  for (int i = end - 1; i >= first; i--) {
    const model_hop* hop = &m->hop[i];
    bool ok = true;
    if (hop->prescribed) {
      // the hop moves as prescribed, and its parent carries all of it
      const hop_sum* h = sums_of_hop(w, i);
      spatial A = w->hop[i].c;
      for (int k = hop->col; k < hop->col + hop->nv; k++)
        A = spatial_axpy(w->num[m->vel[m->col[k].v].motion + 2], w->col[k].S, A);
      const spatial pa = spatial_add(h->pA, spatial6_apply(&h->IA, &A));
      add_to_parent(w, hop->parent, &h->IA, &pa);
    } else if (hop->group == i && hop->nv == 1) {
      ok = reduce_one(w, hop, i);
    } else {
      ok = reduce_block(m, w, i);
      i = hop->group;
    }
    if (!ok) return i;
  }

  return -1;
}

// Root to leaves: v' of each hop, or of each group of hops, and its acceleration.
static void expand(const td_model* m, td_work* w, const spatial* base, double* vdot, int first,
                   int end) {
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const spatial* parent = hop->parent < 0 ? base : &w->hop[hop->parent].A;
    spatial A = spatial_add(*parent, w->hop[i].c);
    if (hop->prescribed) {
      for (int k = hop->col; k < hop->col + hop->nv; k++)
        vdot[m->col[k].v] = w->num[m->vel[m->col[k].v].motion + 2];
    } else if (hop->group_last == i && hop->group == i && hop->nv == 1) {
      const col_sum* col = sums_of_col(w, hop->col);
      vdot[hop->v] = col->D * (col->u - spatial_dot(&col->H, &A));
    } else if (hop->group == i) {
      // a block of DOFs, the innermost first
      block b;
      block_at(m, w, hop->group_last, &b);
      spatial Ab = spatial_add(*parent, b.c);
      for (int k = 0; k < b.n; k++) {
        const col_sum* col = sums_of_col(w, b.col[k]);
        const double x = col->D * (col->u - spatial_dot(&col->H, &Ab));
        vdot[m->col[b.col[k]].v] = x;
        Ab = spatial_axpy(x, b.S[k], Ab);
      }
    }
    for (int k = hop->col; k < hop->col + hop->nv; k++)
      A = spatial_axpy(vdot[m->col[k].v], w->col[k].S, A);
    w->hop[i].A = A;
  }
}

// v' of the hops of whole trees; returns a hop without a positive pivot, -1: none.
static int articulate(const td_model* m, td_work* w, const spatial* base, double* vdot, int first,
                      int end) {
  window_at(m, w, first);

  // own inertia and bias wrench  V ×* I V - f,  with added mass
  for (int i = first; i < end; i++) {
    const hop_work* h = &w->hop[i];
    hop_sum* s = sums_of_hop(w, i);
    s->pA = spatial_scale(-1, h->f);
    if (w->hop_heavy[i]) {
      const spatial IV = inertia_apply(&h->I, &h->V);
      inertia_matrix(&h->I, &s->IA);
      s->pA = spatial_add(s->pA, spatial_cross_force(&h->V, &IV));
    } else {
      memset(&s->IA, 0, sizeof(spatial6));
    }
    if (is_wet(w, i)) {
      const spatial6* M = &w->added_now[i];
      const spatial MV = spatial6_apply(M, &h->V);
      spatial6_add(&s->IA, M);
      s->pA = spatial_add(s->pA, spatial_cross_force(&h->V, &MV));
    }
  }

  const int bad = reduce(m, w, first, end);
  if (bad < 0) expand(m, w, base, vdot, first, end);
  return bad;
}

// v' by the articulated-body recursion, tree by tree in sparse models.  False: *bad is a hop whose
// pivot is not positive.
bool td_articulated(const td_model* m, td_work* w, double* vdot, int* bad) {
  const spatial base = ground_acceleration(m, w);
  *bad = -1;

  if (!m->sparse) {
    *bad = articulate(m, w, &base, vdot, 0, m->nhop);
    return *bad < 0;
  }

  // tree by tree; nodes of networks have short cuts
  for (int t = 0; t + 1 < m->ntree && *bad < 0; t++) {
    const int first = m->tree[t], end = m->tree[t + 1];
    if (m->hop[first].node == 0) {
      *bad = articulate(m, w, &base, vdot, first, end);
    } else if (!td_node_accelerate(m, w, end - 1, &base, vdot)) {
      *bad = end - 1;
    }
  }

  return *bad < 0;
}

// ---- M⁻¹ for many right-hand sides ------------------------------------------------------------
//
// The same recursion without velocities and gravity, DOF by DOF.  Leaves to root: u = b - Sᵀ p, p
// += W u with W = U / D, then p_parent += p.  Root to leaves: from A = A_parent, x = u / D - Wᵀ A,
// A += S x.  It costs about 24 products for each DOF and column, less than two triangular solves
// with the dense factor of M from some 25 DOFs on, and M is never formed.

// Collect S, W and 1/D of all DOFs, base first, from what td_articulated has left; zeros for
// prescribed DOFs.
void td_mass_factors(const td_model* m, const td_work* w, mass_factor* factor) {
  for (int i = 0; i < m->nhop; i = m->hop[i].group_last + 1) {
    block b;
    block_at(m, w, m->hop[i].group_last, &b);
    for (int k = 0; k < b.n; k++) {
      const col_sum* col = sums_of_col(w, b.col[k]);
      const bool given = m->hop[i].prescribed;  // moves as prescribed, whatever acts on it
      *factor++ = (mass_factor){.S = given ? spatial_zero() : b.S[k],
                                .W = given ? spatial_zero() : spatial_scale(col->D, col->H),
                                .inv = given ? 0 : col->D,
                                .v = m->col[b.col[k]].v,
                                .hop = m->hop[i].group_last};
    }
  }
}

// Sixteen columns at a time, enough to hide the latency of each product.
typedef struct group {
  lanes a, b;
} group;

// s x + y
static inline group group_axpy(double s, group x, group y) {
  return (group){s * x.a + y.a, s * x.b + y.b};
}

// sᵀ x for sixteen columns x of six components
static inline group group_dot(const spatial* s, const group* x) {
  const double* c = s->a;
  return (group){(c[0] * x[0].a + c[1] * x[1].a + c[2] * x[2].a) +
                     (c[3] * x[3].a + c[4] * x[4].a + c[5] * x[5].a),
                 (c[0] * x[0].b + c[1] * x[1].b + c[2] * x[2].b) +
                     (c[3] * x[3].b + c[4] * x[4].b + c[5] * x[5].b)};
}

// One group of hops, leaves to root: the rows of its DOFs in B become u.  Returns the first of its
// factors.
static inline const mass_factor* group_up(const mass_factor* first, const mass_factor* f, int hop,
                                          const group* from, group* p_parent, group* B, int row) {
  group p[6];
  memcpy(p, from, sizeof p);
  while (f > first && f[-1].hop == hop) {
    f--;
    group* b = B + f->v * row;
    const group u = *b = group_axpy(-1, group_dot(&f->S, p), *b);
    for (int c = 0; c < 6; c++) p[c] = group_axpy(f->W.a[c], u, p[c]);
  }
  for (int c = 0; c < 6; c++) p_parent[c] = group_axpy(1, p[c], p_parent[c]);
  return f;
}

// One group of hops, root to leaves: u becomes x.  Returns the first factor behind the group.
static inline const mass_factor* group_down(const mass_factor* f, const mass_factor* end, int hop,
                                            group* to, const group* A_parent, group* B, int row) {
  group A[6];
  memcpy(A, A_parent, sizeof A);
  for (; f < end && f->hop == hop; f++) {
    group* b = B + f->v * row;
    const group Du = {f->inv * b->a, f->inv * b->b};
    const group x = *b = group_axpy(-1, group_dot(&f->W, A), Du);
    for (int c = 0; c < 6; c++) A[c] = group_axpy(f->S.a[c], x, A[c]);
  }
  memcpy(to, A, sizeof A);
  return f;
}

// B = M⁻¹ B for rows of `width` columns, sixteen at a time.
void td_mass_solve(const td_model* m, td_work* w, const mass_factor* factor, double* B, int width) {
  const arena_mark mark = arena_open(&w->scratch);
  const size_t size = 6 * ((size_t)m->nhop + 1) * sizeof(group);
  const int row = width / MASS_WIDTH;  // groups in a row of B

  // six groups for each hop, those of the ground first: p leaves to root, A root to leaves
  group* vectors = arena_bytes(&w->scratch, size);

  for (int first = 0; first < width; first += MASS_WIDTH) {
    group* columns = (group*)(void*)(B + first);

    // only the last hop of a group has vectors; a large block cleared at once costs small models
    // more than all the rest
    memset(vectors, 0, 6 * sizeof(group));
    for (int i = 0; i < m->nhop; i = m->hop[i].group_last + 1)
      memset(vectors + 6 * (m->hop[i].group_last + 1), 0, 6 * sizeof(group));

    // leaves to root
    const mass_factor *f = factor + m->nvel, *end = f;
    for (int i = m->nhop - 1; i >= 0; i = m->hop[i].group - 1) {
      const int parent = m->hop[m->hop[i].group].parent;
      f = group_up(factor, f, i, vectors + 6 * (i + 1), vectors + 6 * (parent + 1), columns, row);
    }

    // root to leaves
    memset(vectors, 0, 6 * sizeof(group));
    for (int i = 0; i < m->nhop; i = m->hop[i].group_last + 1) {
      const int parent = m->hop[i].parent, last = m->hop[i].group_last;
      f = group_down(f, end, last, vectors + 6 * (last + 1), vectors + 6 * (parent + 1), columns,
                     row);
    }
  }

  arena_close(&w->scratch, mark);
}

// B(I, V) U: derivative of the velocity wrench of a subtree (tangent.c).
spatial td_rate_wrench(const hop_sum* h, const spatial* U) {
  const vec3 w = spatial_r(U);
  return spatial_of(vec3_scale(-2, vec3_cross(h->P, w)), mat3_apply(h->B, w));
}
