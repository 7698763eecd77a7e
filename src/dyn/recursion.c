// The recursions along the tree.
//
//   inverse dynamics   f_i = I_i A_i + V_i ×* I_i V_i - f_ext,i      F_j = Σ_{i below j} f_i τ_j =
//   S_jᵀ F_j mass matrix        M_kl = S_kᵀ Ic_j S_l     (k on hop j, l on j or above; Ic the
//   composite inertia) forward dynamics   articulated inertias, leaves to root: with U = Ia S, D =
//   Sᵀ U, u = τ - Sᵀ p
//                        Ia_parent += Ia - U D⁻¹ Uᵀ,   p_parent += p + Ia c + U D⁻¹ (u - Uᵀ c)
//                      then  v' = D⁻¹ (u - Uᵀ (A_parent + c)),  A = A_parent + c + S v'
// In one common frame nothing is transformed on the way: the additions are the algorithm.
// (Featherstone 2008, ch. 5-7)
#include <string.h>

#include "engine.h"
#include "path.h"

void td_accelerate(const td_model* m, td_work* w, const double* a, bool gravity) {
  spatial base = spatial_zero();
  for (int c = 0; gravity && c < 3; c++) base.a[c] = -w->load * w->num[m->gravity + c];
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    hop_work* h = &w->hop[i];
    spatial A = spatial_add(hop->parent < 0 ? base : w->hop[hop->parent].A, h->c);
    for (int k = 0; k < hop->nv; k++) A = spatial_axpy(a[hop->v + k], w->col[hop->col + k].S, A);
    h->A = A;
  }
}

void td_inverse(const td_model* m, td_work* w, double* out) {
  for (int i = 0; i < m->nvel; i++) out[i] = -w->tau[i];
  for (int i = 0; i < m->nhop; i++) {
    hop_work* h = &w->hop[i];
    h->F = spatial_scale(-1, h->f);
    if (!w->hop_heavy[i]) continue;
    const spatial IV = inertia_apply(&h->I, &h->V);
    h->F = spatial_add(h->F,
                       spatial_add(inertia_apply(&h->I, &h->A), spatial_cross_force(&h->V, &IV)));
  }
  for (int i = m->nhop - 1; i >= 0; i--) {
    const model_hop* hop = &m->hop[i];
    const hop_work* h = &w->hop[i];
    for (int k = 0; k < hop->nv; k++)
      out[hop->v + k] += spatial_dot(&w->col[hop->col + k].S, &h->F);
    if (hop->parent >= 0) w->hop[hop->parent].F = spatial_add(w->hop[hop->parent].F, h->F);
  }
}

// Composite inertias of all subtrees, as 6x6 matrices in hop.IA.
static void composite_inertia(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nhop; i++) {
    if (w->hop_heavy[i]) {
      inertia_matrix(&w->hop[i].I, &w->hop[i].IA);
    } else {
      memset(&w->hop[i].IA, 0, sizeof(spatial6));
    }
  }
  for (int i = m->nhop - 1; i >= 0; i--)
    if (m->hop[i].parent >= 0) spatial6_add(&w->hop[m->hop[i].parent].IA, &w->hop[i].IA);
}

void td_composite_mass(const td_model* m, td_work* w, double* M) {
  const int n = m->nvel;
  const arena_mark mark = arena_open(&w->scratch);
  path p = path_new(m, &w->scratch);
  path_block* S = path_vectors(&p, &w->scratch);
  memset(M, 0, (size_t)n * (size_t)n * sizeof(double));
  composite_inertia(m, w);
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    const col_work* col = &w->col[hop->col];
    const int above = path_above(&p, m, i);
    for (int k = 0; k < hop->nv; k++) {
      const spatial H = spatial6_apply(&w->hop[i].IA, &col[k].S);
      path_sum(&p, above, S, &H);
      path_add_row(&p, above, M, n, hop->v + k);
      path_add_column(&p, above, M, n, hop->v + k);
      for (int l = 0; l < hop->nv; l++)
        M[(hop->v + k) * n + hop->v + l] += spatial_dot(&col[l].S, &H);
    }
    path_enter(&p, m, i);
    for (int k = 0; k < hop->nv; k++) path_put(S, above + k, &col[k].S);
  }
  arena_close(&w->scratch, mark);
}

// ---- articulated bodies -----------------------------------------------------------------------

static inline void add_to_parent(td_work* w, int parent, const spatial6* Ia, const spatial* pa) {
  if (parent < 0) return;
  spatial6_add(&w->hop[parent].IA, Ia);
  w->hop[parent].pA = spatial_add(w->hop[parent].pA, *pa);
}

// to += from - s U Uᵀ
static inline void add_reduced(spatial6* restrict to, const spatial6* restrict from, double s,
                               const spatial* restrict U) {
  for (int j = 0; j < 6; j++) {
    const double sU = s * U->a[j];
    for (int i = 0; i < 8; i++) to->col[j].a[i] += from->col[j].a[i] - sU * U->a[i];
  }
}

// One DOF: rank-one update.  U is kept in col.H, 1/D in col.D.
static inline bool reduce_one(td_work* w, const model_hop* hop, hop_work* h) {
  col_work* col = &w->col[hop->col];
  const spatial U = spatial6_apply(&h->IA, &col->S);
  const double D = spatial_dot(&col->S, &U);
  if (!(D > 0)) return false;
  const double invD = 1 / D;
  col->H = U;
  col->D = invD;
  col->u = w->tau[hop->v] - spatial_dot(&col->S, &h->pA);
  if (hop->parent < 0) return true;
  hop_work* p = &w->hop[hop->parent];
  const double gain = invD * (col->u - spatial_dot(&U, &h->c));
  const spatial Ic = spatial6_apply(&h->IA, &h->c);
  p->pA = spatial_add(p->pA, spatial_axpy(gain, U, spatial_add(h->pA, Ic)));
  add_reduced(&p->IA, &h->IA, invD, &U);
  return true;
}

// Inverse of a symmetric positive definite matrix of 2 or 3 rows, by Cholesky.
static bool invert_small(double D[3][3], int n, double inv[3][3]) {
  double L[3][3] = {{0}};
  for (int j = 0; j < n; j++) {
    double d = D[j][j];
    for (int k = 0; k < j; k++) d -= L[j][k] * L[j][k];
    if (!(d > 1e-15 * D[j][j])) return false;
    L[j][j] = sqrt(d);
    for (int i = j + 1; i < n; i++) {
      double x = D[i][j];
      for (int k = 0; k < j; k++) x -= L[i][k] * L[j][k];
      L[i][j] = x / L[j][j];
    }
  }
  for (int c = 0; c < n; c++) {
    double y[3];
    for (int i = 0; i < n; i++) {
      y[i] = i == c;
      for (int k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
      y[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) y[i] -= L[k][i] * inv[k][c];
      inv[i][c] = y[i] / L[i][i];
    }
  }
  return true;
}

// Inverse of D = Sᵀ U.
static bool invert_pivot(const col_work* col, int n, double inv[3][3]) {
  double D[3][3] = {{0}};
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) D[k][l] = spatial_dot(&col[k].S, &col[l].H);
  return invert_small(D, n, inv);
}

// Several DOFs.  U in col.H; D⁻¹ u in col.u, the columns of U D⁻¹ in col.X.
static bool reduce_block(td_work* w, const model_hop* hop, hop_work* h) {
  col_work* col = &w->col[hop->col];
  const int n = hop->nv;
  double inv[3][3] = {{0}};
  for (int k = 0; k < n; k++) col[k].H = spatial6_apply(&h->IA, &col[k].S);
  if (!invert_pivot(col, n, inv)) return false;
  spatial6 Ia = h->IA;
  spatial pa = spatial_add(h->pA, spatial6_apply(&h->IA, &h->c));
  for (int k = 0; k < n; k++) {
    col[k].X = spatial_zero();
    col[k].D = 0;
    for (int l = 0; l < n; l++) {
      const double u = w->tau[hop->v + l] - spatial_dot(&col[l].S, &h->pA);
      col[k].X = spatial_axpy(inv[k][l], col[l].H, col[k].X);
      col[k].D += inv[k][l] * u;  // (D⁻¹ u)_k
    }
  }
  for (int k = 0; k < n; k++) {
    const double u = w->tau[hop->v + k] - spatial_dot(&col[k].S, &h->pA);
    pa = spatial_axpy(u - spatial_dot(&col[k].H, &h->c), col[k].X, pa);
    for (int j = 0; j < 6; j++) Ia.col[j] = spatial_axpy(-col[k].H.a[j], col[k].X, Ia.col[j]);
  }
  add_to_parent(w, hop->parent, &Ia, &pa);
  return true;
}

// Prescribed: the hop moves as told, its parent carries all of it.
static void reduce_given(const td_model* m, td_work* w, const model_hop* hop, hop_work* h) {
  spatial A = h->c;
  for (int k = 0; k < hop->nv; k++)
    A = spatial_axpy(w->num[m->vel[hop->v + k].motion + 2], w->col[hop->col + k].S, A);
  const spatial pa = spatial_add(h->pA, spatial6_apply(&h->IA, &A));
  add_to_parent(w, hop->parent, &h->IA, &pa);
}

static void expand(const td_model* m, td_work* w, const model_hop* hop, hop_work* h, spatial A,
                   double* vdot) {
  for (int k = 0; k < hop->nv; k++) {
    const col_work* col = &w->col[hop->col + k];
    double x;
    if (hop->prescribed) {
      x = w->num[m->vel[hop->v + k].motion + 2];
    } else if (hop->nv == 1) {
      x = col->D * (col->u - spatial_dot(&col->H, &A));
    } else {
      x = col->D - spatial_dot(&col->X, &A);
    }
    vdot[hop->v + k] = x;
  }
  for (int k = 0; k < hop->nv; k++) A = spatial_axpy(vdot[hop->v + k], w->col[hop->col + k].S, A);
  h->A = A;
}

bool td_articulated(const td_model* m, td_work* w, double* vdot, int* bad) {
  for (int i = 0; i < m->nhop; i++) {
    hop_work* h = &w->hop[i];
    h->pA = spatial_scale(-1, h->f);
    if (w->hop_heavy[i]) {
      const spatial IV = inertia_apply(&h->I, &h->V);
      inertia_matrix(&h->I, &h->IA);
      h->pA = spatial_add(h->pA, spatial_cross_force(&h->V, &IV));
    } else {
      memset(&h->IA, 0, sizeof(spatial6));
    }
  }
  for (int i = m->nhop - 1; i >= 0; i--) {
    const model_hop* hop = &m->hop[i];
    hop_work* h = &w->hop[i];
    bool ok = true;
    if (hop->prescribed) {
      reduce_given(m, w, hop, h);
    } else if (hop->nv == 1) {
      ok = reduce_one(w, hop, h);
    } else {
      ok = reduce_block(w, hop, h);
    }
    if (!ok) {
      *bad = i;
      return false;
    }
  }
  spatial base = spatial_zero();
  for (int c = 0; c < 3; c++) base.a[c] = -w->load * w->num[m->gravity + c];
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    const spatial A = spatial_add(hop->parent < 0 ? base : w->hop[hop->parent].A, w->hop[i].c);
    expand(m, w, hop, &w->hop[i], A, vdot);
  }
  return true;
}

// ---- M⁻¹ for many right-hand sides ------------------------------------------------------------
//
// The same recursion without velocities and gravity: u = b - Sᵀ p, p_parent += p + W u, then x =
// D⁻¹ u - Wᵀ A_parent, A = A_parent + S x, where W = U D⁻¹.  It costs about 24 products per hop and
// column, less than two triangular solves with the dense factor of M from some 25 DOFs on, and M is
// never formed.

void td_mass_factors(const td_model* m, const td_work* w, mass_factor* factor) {
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    const col_work* col = &w->col[hop->col];
    double inv[3][3] = {{hop->nv == 1 ? col->D : 0}};
    if (hop->nv > 1 && !hop->prescribed) invert_pivot(col, hop->nv, inv);
    for (int k = 0; k < hop->nv; k++) {
      mass_factor* f = &factor[hop->col + k];
      f->S = col[k].S;
      f->W = hop->nv == 1 ? spatial_scale(col->D, col->H) : col[k].X;
      for (int l = 0; l < 3; l++) f->inv[l] = inv[k][l];
    }
  }
}

// Sixteen columns at a time, enough to hide the wait for each product.
typedef struct group {
  lanes a, b;
} group;

static inline group group_axpy(double s, group x, group y) {
  return (group){s * x.a + y.a, s * x.b + y.b};
}
static inline group group_dot(const spatial* s, const group* x) {
  const double* c = s->a;
  return (group){(c[0] * x[0].a + c[1] * x[1].a + c[2] * x[2].a) +
                     (c[3] * x[3].a + c[4] * x[4].a + c[5] * x[5].a),
                 (c[0] * x[0].b + c[1] * x[1].b + c[2] * x[2].b) +
                     (c[3] * x[3].b + c[4] * x[4].b + c[5] * x[5].b)};
}

// One step up: the rows b of a hop become u.  Rows are `row` groups apart; p and p_parent are six
// groups.
static inline void group_up(const mass_factor* f, int nv, const group* p, group* p_parent, group* b,
                            int row) {
  group u[3];
  for (int k = 0; k < nv; k++)
    b[k * row] = u[k] = group_axpy(-1, group_dot(&f[k].S, p), b[k * row]);
  for (int c = 0; c < 6; c++) {
    group sum = group_axpy(1, p[c], p_parent[c]);
    for (int k = 0; k < nv; k++) sum = group_axpy(f[k].W.a[c], u[k], sum);
    p_parent[c] = sum;
  }
}

// One step down: u becomes x.
static inline void group_down(const mass_factor* f, int nv, group* A, const group* A_parent,
                              group* b, int row) {
  group x[3];
  for (int k = 0; k < nv; k++) {
    x[k] = group_axpy(-1, group_dot(&f[k].W, A_parent), (group){{0}, {0}});
    for (int l = 0; l < nv; l++) x[k] = group_axpy(f[k].inv[l], b[l * row], x[k]);
  }
  for (int k = 0; k < nv; k++) b[k * row] = x[k];
  for (int c = 0; c < 6; c++) {
    group sum = A_parent[c];
    for (int k = 0; k < nv; k++) sum = group_axpy(f[k].S.a[c], x[k], sum);
    A[c] = sum;
  }
}

// Sixteen columns of B.  Six groups per hop in `vectors`, those of the ground first.
static void solve_columns(const td_model* m, const mass_factor* factor, group* vectors, group* B,
                          int row) {
  for (int i = m->nhop - 1; i >= 0; i--) {
    const model_hop* hop = &m->hop[i];
    const mass_factor* f = &factor[hop->col];
    group *p = vectors + 6 * (i + 1), *p_parent = vectors + 6 * (hop->parent + 1),
          *b = B + hop->v * row;
    if (hop->prescribed) {
      group_up(f, 0, p, p_parent, b, row);
    } else if (hop->nv == 1) {
      group_up(f, 1, p, p_parent, b, row);
    } else {
      group_up(f, hop->nv, p, p_parent, b, row);
    }
  }
  memset(vectors, 0, 6 * sizeof(group));
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    const mass_factor* f = &factor[hop->col];
    group *A = vectors + 6 * (i + 1), *A_parent = vectors + 6 * (hop->parent + 1),
          *b = B + hop->v * row;
    if (hop->prescribed) {
      group_down(f, 0, A, A_parent, b, row);
      for (int k = 0; k < hop->nv; k++) b[k * row] = (group){{0}, {0}};
    } else if (hop->nv == 1) {
      group_down(f, 1, A, A_parent, b, row);
    } else {
      group_down(f, hop->nv, A, A_parent, b, row);
    }
  }
}

void td_mass_solve(const td_model* m, td_work* w, const mass_factor* factor, double* B, int width) {
  const arena_mark mark = arena_open(&w->scratch);
  const size_t size = 6 * ((size_t)m->nhop + 1) * sizeof(group);
  group* vectors = arena_bytes(&w->scratch, size);
  for (int first = 0; first < width; first += MASS_WIDTH) {
    memset(vectors, 0, size);
    solve_columns(m, factor, vectors, (group*)(void*)(B + first), width / MASS_WIDTH);
  }
  arena_close(&w->scratch, mark);
}
