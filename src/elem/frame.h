// Frame of a station as elements use it: pose, velocity and acceleration in the world, and their
// first-order change along some direction (a degree of freedom).
#ifndef TD_FRAME_H
#define TD_FRAME_H

#include "math/spatial.h"

typedef struct frame {
  mat3 R;
  vec3 p;      // position
  vec3 v, w;   // velocity of the origin, angular velocity
  vec3 a, dw;  // acceleration of the origin, angular acceleration
} frame;

typedef struct frame_change {
  vec3 p, turn;  // change of the position; rotation (R changes by [turn]× R)
  vec3 v, w, a, dw;
} frame_change;

static inline frame frame_ground(void) { return (frame){.R = mat3_identity()}; }

// Relative rotation of b seen from a:  α = 2 vec(Q_a⁻¹ Q_b Q0⁻¹) with scalar part q0 >= 0, stored
// as the world vector A = R_a α.  With W = w_b - w_a:
//
//   A' = w_a × A + q0 W - A × W / 2,   q0' = -A·W / 4
typedef struct relative {
  vec3 A;
  double q0;
} relative;

static inline relative relative_rotation(const frame* a, const frame* b, const quat* reference) {
  quat q = quat_mat3(mat3_mul(mat3_transpose(a->R), b->R));
  if (reference) q = quat_mul(q, quat_conj(*reference));
  if (q.w < 0) q = (quat){-q.w, vec3_scale(-1, q.v)};
  return (relative){mat3_apply(a->R, vec3_scale(2, q.v)), q.w};
}

// Change of A, in addition to its rotation with a, when b rotates by `turn` relative to a.
static inline vec3 relative_change(const relative* r, vec3 turn) {
  return vec3_axpy(r->q0, turn, vec3_scale(-0.5, vec3_cross(r->A, turn)));
}

#endif
