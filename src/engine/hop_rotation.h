// Rotations with three numbers y: body angular velocity ω = T(y) y' (elem/chart.h); of a unit
// quaternion T is the identity.  What their columns have in common.
#ifndef TD_HOP_ROTATION_H
#define TD_HOP_ROTATION_H

#include "engine/hop.h"
#include "engine/path.h"

// At the present state, for accelerations y'' of the numbers.
typedef struct turning {
  mat3 T;
  vec3 w, dw;      // ω = T y';  T y'' + Ṫ y'
  vec3 slope[3];   // T_k y',  T_k = ∂T/∂y_k
  vec3 second[3];  // T_k y'' + (Σ_l T_kl y_l') y'
  vec3 rate[3];    // Ṫ e_k
} turning;

static inline spatial turned(const hop_work* h, vec3 body) {
  return spatial_rotation(h->g.p, mat3_apply(h->g.R, body));
}

// U, Z, X of each number, then of the columns that enter it (tangent.c).
static inline void rotation_columns(const td_model* m, td_work* w, int i, const turning* t) {
  const model_hop* hop = &m->hop[i];
  const hop_work* h = &w->hop[i];
  const spatial zero = spatial_zero();
  const spatial* Vp = hop->parent < 0 ? &zero : &w->hop[hop->parent].V;
  spatial U[3], Z[3], X[3];
  for (int k = 0; k < 3; k++) {
    const vec3 Tk = mat3_col(t->T, k);
    const vec3 dw = vec3_add(vec3_cross(Tk, t->w), t->slope[k]);
    const vec3 ddw = vec3_add(vec3_cross(Tk, t->dw), t->second[k]);
    const spatial S = turned(h, Tk), W = turned(h, dw);
    const spatial SV = spatial_cross(&S, &h->V), SA = spatial_cross(&S, &h->A);
    U[k] = spatial_sub(W, SV);
    const spatial UV = spatial_cross(&U[k], &h->V),
                  B = spatial_add(turned(h, ddw), spatial_cross(Vp, &W));
    Z[k] = spatial_sub(spatial_sub(B, SA), UV);
    const spatial turning_S = turned(h, vec3_add(t->slope[k], t->rate[k]));
    X[k] = spatial_sub(spatial_add(spatial_cross(Vp, &S), turning_S), SV);
  }
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    col_sum* c = sums_of_col(w, k);
    const int part = m->col[k].part;
    c->U = spatial_scale(w->col_weight[k], U[part]);
    c->Z = spatial_scale(w->col_weight[k], Z[part]);
    c->X = spatial_scale(w->col_weight[k], X[part]);
  }
}

// d(S_lᵀ F)/dq_k with F held; slope[k][l]: the change of T e_l along number k, in the body's axes.
static inline void rotation_own(const td_model* m, const td_work* w, int i, vec3 slope[3][3],
                                const tangent_path* t, double* dq) {
  const tree_part* part = t->p.part;
  const model_hop* hop = &m->hop[i];
  const spatial F = spatial_sub(w->hop[i].F, sums_of_hop(w, i)->E);
  double d[3][3];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      const spatial dS = turned(&w->hop[i], slope[k][l]);
      d[l][k] = spatial_dot(&dS, &F);
    }
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    for (int l = hop->col; l < hop->col + hop->nv; l++)
      dq[part_row(part, m->col[l].v) * part->n + part_row(part, m->col[k].v)] +=
          w->col_weight[k] * w->col_weight[l] * d[m->col[l].part][m->col[k].part];
}

#endif
