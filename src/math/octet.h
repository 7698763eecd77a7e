// Eight spatial vectors side by side (structure of arrays): component c of all eight is one vector
// of `lanes`, so that an operation acts on all of them at once.  Functions whose names end in
// `each` combine the n-th vector of one octet with the n-th of the other.
#ifndef TD_OCTET_H
#define TD_OCTET_H

#include "math/lanes.h"
#include "math/spatial.h"

typedef struct octet {
  lanes c[6];
} octet;

static inline octet octet_zero(void) { return (octet){{{0}, {0}, {0}, {0}, {0}, {0}}}; }
static inline octet octet_add(octet x, octet y) {
  for (int i = 0; i < 6; i++) x.c[i] += y.c[i];
  return x;
}
static inline octet octet_scale(double s, octet x) {
  for (int i = 0; i < 6; i++) x.c[i] *= s;
  return x;
}
static inline octet octet_axpy(double s, const octet* x, octet y) {  // s x + y
  for (int i = 0; i < 6; i++) y.c[i] += s * x->c[i];
  return y;
}
static inline octet octet_axpy_each(lanes s, const octet* x, octet y) {
  for (int i = 0; i < 6; i++) y.c[i] += s * x->c[i];
  return y;
}
static inline lanes octet_dot_each(const octet* a, const octet* x) {
  return (a->c[0] * x->c[0] + a->c[1] * x->c[1] + a->c[2] * x->c[2]) +
         (a->c[3] * x->c[3] + a->c[4] * x->c[4] + a->c[5] * x->c[5]);
}
// a · x_n
static inline lanes octet_dot(const spatial* a, const octet* x) {
  const double* s = a->a;
  return (s[0] * x->c[0] + s[1] * x->c[1] + s[2] * x->c[2]) +
         (s[3] * x->c[3] + s[4] * x->c[4] + s[5] * x->c[5]);
}

// ---- products of vectors ----------------------------------------------------------------------

// to += a × x for three components; one a for all eight
static inline void octet_cross3(const double* a, const lanes* x, lanes* to) {
  to[0] += a[1] * x[2] - a[2] * x[1];
  to[1] += a[2] * x[0] - a[0] * x[2];
  to[2] += a[0] * x[1] - a[1] * x[0];
}

// to += a × x for three components; eight a
static inline void octet_cross3_each(const lanes* a, const lanes* x, lanes* to) {
  to[0] += a[1] * x[2] - a[2] * x[1];
  to[1] += a[2] * x[0] - a[0] * x[2];
  to[2] += a[0] * x[1] - a[1] * x[0];
}
// y + a × x, the spatial cross product of twists
static inline octet octet_cross_add_each(const octet* a, const octet* x, octet y) {
  octet_cross3_each(a->c + 3, x->c, y.c);
  octet_cross3_each(a->c, x->c + 3, y.c);
  octet_cross3_each(a->c + 3, x->c + 3, y.c + 3);
  return y;
}
static inline octet octet_cross_each(const octet* a, const octet* x) {
  return octet_cross_add_each(a, x, octet_zero());
}
// a × e_d for the d-th unit twist
static inline octet octet_cross_unit(const octet* a, int d) {
  const int i = d % 3, j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
  octet y = octet_zero();
  if (d < 3) {
    y.c[j] = a->c[3 + k];
    y.c[k] = -a->c[3 + j];
  } else {
    y.c[j] = a->c[k];
    y.c[k] = -a->c[j];
    y.c[3 + j] = a->c[3 + k];
    y.c[3 + k] = -a->c[3 + j];
  }
  return y;
}
// x ×* f for eight twists x and one wrench f:  [w × f, v × f + w × m] = -[f × w, f × v + m × w]
static inline octet octet_cross_force(const octet* x, const spatial* f) {
  const double force[3] = {-f->a[0], -f->a[1], -f->a[2]},
               moment[3] = {-f->a[3], -f->a[4], -f->a[5]};
  octet y = octet_zero();
  octet_cross3(force, x->c + 3, y.c);
  octet_cross3(force, x->c, y.c + 3);
  octet_cross3(moment, x->c + 3, y.c + 3);
  return y;
}
// y + A x; even and odd columns are summed apart to shorten the chain of additions
static inline octet octet_apply_add(const spatial6* A, const octet* x, octet y) {
  for (int i = 0; i < 6; i++) {
    lanes even = A->col[0].a[i] * x->c[0], odd = A->col[1].a[i] * x->c[1];
    for (int j = 2; j < 6; j += 2) {
      even += A->col[j].a[i] * x->c[j];
      odd += A->col[j + 1].a[i] * x->c[j + 1];
    }
    y.c[i] += even + odd;
  }
  return y;
}
static inline octet octet_apply(const spatial6* A, const octet* x) {
  return octet_apply_add(A, x, octet_zero());
}

// to = R x for three components; one R for all eight
static inline void octet_rotate(const mat3* R, const lanes* x, lanes* to) {
  for (int i = 0; i < 3; i++)
    to[i] = R->m[3 * i] * x[0] + R->m[3 * i + 1] * x[1] + R->m[3 * i + 2] * x[2];
}

// Eight poses side by side
typedef struct octet_pose {
  lanes R[9], p[3];
} octet_pose;

static inline void octet_pose_put(octet_pose* all, int i, const pose* g) {
  for (int k = 0; k < 9; k++) all->R[k][i] = g->R.m[k];
  all->p[0][i] = g->p.x;
  all->p[1][i] = g->p.y;
  all->p[2][i] = g->p.z;
}
static inline pose octet_pose_at(const octet_pose* all, int i) {
  pose g = {.p = {all->p[0][i], all->p[1][i], all->p[2][i]}};
  for (int k = 0; k < 9; k++) g.R.m[k] = all->R[k][i];
  return g;
}
// g_n = a_n b_n
static ALWAYS octet_pose octet_pose_mul(const octet_pose* a, const octet_pose* b) {
  octet_pose g;
  for (int i = 0; i < 3; i++) {
    const lanes* R = a->R + 3 * i;
    for (int j = 0; j < 3; j++)
      g.R[3 * i + j] = R[0] * b->R[j] + R[1] * b->R[3 + j] + R[2] * b->R[6 + j];
    g.p[i] = a->p[i] + R[0] * b->p[0] + R[1] * b->p[1] + R[2] * b->p[2];
  }
  return g;
}
static inline void octet_rotate_each(const lanes* R, const lanes* x, lanes* to) {
  for (int i = 0; i < 3; i++) to[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}
// Transform twists from their frames g to the world: [R v + p × R w, R w]
static inline octet octet_carried_each(const octet_pose* g, const octet* x) {
  octet y;
  octet_rotate_each(g->R, x->c + 3, y.c + 3);
  octet_rotate_each(g->R, x->c, y.c);
  octet_cross3_each(g->p, y.c + 3, y.c);
  return y;
}
// Transform twists from the world to their frames g: [Rᵀ (v - p × w), Rᵀ w]
static ALWAYS octet octet_twist_in_each(const octet_pose* g, const octet* V) {
  lanes v[3] = {V->c[0], V->c[1], V->c[2]};
  octet y;
  octet_cross3_each(V->c + 3, g->p, v);
  for (int i = 0; i < 3; i++) {
    y.c[i] = g->R[i] * v[0] + g->R[3 + i] * v[1] + g->R[6 + i] * v[2];
    y.c[3 + i] = g->R[i] * V->c[3] + g->R[3 + i] * V->c[4] + g->R[6 + i] * V->c[5];
  }
  return y;
}
// Transform wrenches from their frames g to the world: [R f, p × R f + R m]
static ALWAYS octet octet_wrench_out_each(const octet_pose* g, const octet* F) {
  octet y;
  octet_rotate_each(g->R, F->c, y.c);
  octet_rotate_each(g->R, F->c + 3, y.c + 3);
  octet_cross3_each(g->p, y.c, y.c + 3);
  return y;
}
// Transform matrices K from twists to wrenches from their frames g to the world, X⁻ᵀ K X⁻¹, column
// by column.  First Y = X⁻ᵀ K; then Y X⁻¹ has the columns Y_t Rᵀ and Y_r Rᵀ - Y_t Rᵀ p×.
static inline void octet_matrix_out_each(const octet_pose* g, const octet K[6], octet to[6]) {
  octet Y[6];
  for (int j = 0; j < 6; j++) Y[j] = octet_wrench_out_each(g, &K[j]);
  for (int j = 0; j < 3; j++)
    for (int c = 0; c < 6; c++) {
      const lanes* R = g->R + 3 * j;
      to[j].c[c] = R[0] * Y[0].c[c] + R[1] * Y[1].c[c] + R[2] * Y[2].c[c];
      to[3 + j].c[c] = R[0] * Y[3].c[c] + R[1] * Y[4].c[c] + R[2] * Y[5].c[c];
    }

  for (int c = 0; c < 6; c++) {
    const lanes t[3] = {to[0].c[c], to[1].c[c], to[2].c[c]};
    to[3].c[c] -= t[1] * g->p[2] - t[2] * g->p[1];
    to[4].c[c] -= t[2] * g->p[0] - t[0] * g->p[2];
    to[5].c[c] -= t[0] * g->p[1] - t[1] * g->p[0];
  }
}
static ALWAYS octet octet_apply_each(const octet A[6], const octet* x) {  // A_n x_n
  octet y = octet_zero();
  for (int j = 0; j < 6; j++) y = octet_axpy_each(x->c[j], &A[j], y);
  return y;
}
// Transform wrenches from the world to their frames g: [Rᵀ f, Rᵀ (m - p × f)]
static inline octet octet_wrench_in_each(const octet_pose* g, const octet* F) {
  lanes moment[3] = {{0}, {0}, {0}};
  octet y;
  octet_cross3_each(F->c, g->p, moment);
  for (int i = 0; i < 3; i++) moment[i] += F->c[3 + i];
  for (int i = 0; i < 3; i++) {
    y.c[i] = g->R[i] * F->c[0] + g->R[3 + i] * F->c[1] + g->R[6 + i] * F->c[2];
    y.c[3 + i] = g->R[i] * moment[0] + g->R[3 + i] * moment[1] + g->R[6 + i] * moment[2];
  }
  return y;
}

// ---- conversion to and from spatial vectors ---------------------------------------------------

static inline spatial octet_vector(const octet* x, int i) {
  return (spatial){{x->c[0][i], x->c[1][i], x->c[2][i], x->c[3][i], x->c[4][i], x->c[5][i], 0, 0}};
}

static inline void octet_put(octet* x, int i, const spatial* a) {
  for (int c = 0; c < 6; c++) x->c[c][i] = a->a[c];
}

// Unpack all eight vectors.
static inline void octet_vectors(const octet* x, spatial to[8]) {
  const lanes all[8] = {x->c[0], x->c[1], x->c[2], x->c[3], x->c[4], x->c[5]};
  lanes_transpose(all, (lanes*)(void*)to);
}

#endif
