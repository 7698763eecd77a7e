// Force on one station as a function of its pose and its twist: value and first derivatives in
// world spatial coordinates.  When the station moves by the twist δX and its twist V changes by δV
// (the total change, including its rotation), the wrench f changes by
//
//   δf = Kx δX + Kv δV
#ifndef TD_STATION_H
#define TD_STATION_H

#include "math/spatial.h"

typedef struct station_force {
  spatial f;
  spatial6 Kx, Kv;
} station_force;

// World twist in the axes and about the origin of a pose:  X⁻¹ V
static inline spatial spatial_to_local(const pose* g, const spatial* V) {
  const vec3 w = spatial_r(V);
  return spatial_of(mat3_apply_t(g->R, vec3_add(spatial_t(V), vec3_cross(w, g->p))),
                    mat3_apply_t(g->R, w));
}
// Wrench from the axes and origin of a pose to the world:  X⁻ᵀ f
static inline spatial spatial_to_world(const pose* g, const spatial* f) {
  return spatial_force(g->p, mat3_apply(g->R, spatial_t(f)), mat3_apply(g->R, spatial_r(f)));
}
static inline spatial spatial_unit(int j) {
  spatial e = spatial_zero();
  e.a[j] = 1;
  return e;
}
// Get and set a 3 x 3 block of a matrix.
static inline mat3 spatial6_block(const spatial6* K, int row, int col) {
  mat3 a;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[3 * i + j] = K->col[3 * col + j].a[3 * row + i];
  return a;
}
static inline void spatial6_set_block(spatial6* K, int row, int col, mat3 a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K->col[3 * col + j].a[3 * row + i] = a.m[3 * i + j];
}
// Matrix from twists to wrenches, transformed from the axes of a pose to the world: X⁻ᵀ K X⁻¹. With
// the rotated blocks A, B, C, D of K and p× = [p]× it is
//
//   [ A           B - A p×                    ]
//   [ C + p× A    D - C p× + p× (B - A p×)    ]
static inline spatial6 spatial6_to_world(const pose* g, const spatial6* K) {
  spatial6 out = {{{{0}}}};
  mat3 block[4];
  const mat3 Rt = mat3_transpose(g->R), P = mat3_skew(g->p);
  for (int k = 0; k < 4; k++)
    block[k] = mat3_mul(mat3_mul(g->R, spatial6_block(K, k / 2, k % 2)), Rt);
  const mat3 minus_P = mat3_scale(-1, P);
  const mat3 B = mat3_add(block[1], mat3_mul(block[0], minus_P));
  const mat3 D = mat3_add(block[3], mat3_mul(block[2], minus_P));
  spatial6_set_block(&out, 0, 0, block[0]);
  spatial6_set_block(&out, 0, 1, B);
  spatial6_set_block(&out, 1, 0, mat3_add(block[2], mat3_mul(P, block[0])));
  spatial6_set_block(&out, 1, 1, mat3_add(D, mat3_mul(P, B)));
  return out;
}
static inline spatial spatial6_apply_t(const spatial6* m, const spatial* x) {
  spatial y = spatial_zero();
  for (int j = 0; j < 6; j++) y.a[j] = spatial_dot(&m->col[j], x);
  return y;
}
// Matrix from 36 row-major numbers
static inline spatial6 spatial6_of(const double* a) {
  spatial6 m;
  for (int j = 0; j < 6; j++) {
    m.col[j] = spatial_zero();
    for (int i = 0; i < 6; i++) m.col[j].a[i] = a[6 * i + j];
  }
  return m;
}

// K += the matrix δX ↦ δX ×* f
static inline void spatial6_add_turning(spatial6* K, const spatial* f) {
  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j);
    K->col[j] = spatial_add(K->col[j], spatial_cross_force(&e, f));
  }
}

#endif
