// Vectors, rotation matrices, unit quaternions and poses, by value.  Rotations act on column
// vectors: x_A = R_AB x_B.
#ifndef TD_VEC3_H
#define TD_VEC3_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct vec3 {
  double x, y, z;
} vec3;

typedef struct mat3 {
  double m[9];  // row-major
} mat3;

typedef struct quat {
  double w;
  vec3 v;
} quat;

static inline vec3 vec3_of(const double* a) { return (vec3){a[0], a[1], a[2]}; }
static inline void vec3_put(double* a, vec3 u) {
  a[0] = u.x;
  a[1] = u.y;
  a[2] = u.z;
}
static inline double vec3_at(vec3 u, int i) { return i == 0 ? u.x : i == 1 ? u.y : u.z; }
static inline vec3 vec3_axis(int i) { return (vec3){i == 0, i == 1, i == 2}; }
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline vec3 vec3_axpy(double s, vec3 a, vec3 b) {  // s a + b
  return (vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_norm(vec3 a) { return sqrt(vec3_dot(a, a)); }

static inline mat3 mat3_identity(void) { return (mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
static inline mat3 mat3_mul(mat3 a, mat3 b) {
  mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[3 * i + j] =
          a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
  return c;
}
static inline mat3 mat3_transpose(mat3 a) {
  return (mat3){{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
static inline vec3 mat3_apply(mat3 a, vec3 u) {
  return (vec3){a.m[0] * u.x + a.m[1] * u.y + a.m[2] * u.z,
                a.m[3] * u.x + a.m[4] * u.y + a.m[5] * u.z,
                a.m[6] * u.x + a.m[7] * u.y + a.m[8] * u.z};
}
static inline vec3 mat3_apply_t(mat3 a, vec3 u) {  // aᵀ u
  return (vec3){a.m[0] * u.x + a.m[3] * u.y + a.m[6] * u.z,
                a.m[1] * u.x + a.m[4] * u.y + a.m[7] * u.z,
                a.m[2] * u.x + a.m[5] * u.y + a.m[8] * u.z};
}
static inline vec3 mat3_col(mat3 a, int j) { return (vec3){a.m[j], a.m[3 + j], a.m[6 + j]}; }
static inline mat3 mat3_add(mat3 a, mat3 b) {
  mat3 c;
  for (int i = 0; i < 9; i++) c.m[i] = a.m[i] + b.m[i];
  return c;
}
static inline mat3 mat3_scale(double s, mat3 a) {
  mat3 c;
  for (int i = 0; i < 9; i++) c.m[i] = s * a.m[i];
  return c;
}
// [u]×: skew(u) x = u × x
static inline mat3 mat3_skew(vec3 u) { return (mat3){{0, -u.z, u.y, u.z, 0, -u.x, -u.y, u.x, 0}}; }
static inline mat3 mat3_outer(vec3 a, vec3 b) {
  return (mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                 a.z * b.y, a.z * b.z}};
}

// Rotation by `angle` [rad] about the unit vector u: 1 + sin [u]× + (1 - cos)(u uᵀ - 1)
static inline mat3 mat3_axis_angle(vec3 u, double angle) {
  const double s = sin(angle), c = cos(angle), k = 1 - c;
  return (mat3){{c + k * u.x * u.x, k * u.x * u.y - s * u.z, k * u.x * u.z + s * u.y,
                 k * u.y * u.x + s * u.z, c + k * u.y * u.y, k * u.y * u.z - s * u.x,
                 k * u.z * u.x - s * u.y, k * u.z * u.y + s * u.x, c + k * u.z * u.z}};
}

static inline quat quat_mul(quat a, quat b) {
  return (quat){a.w * b.w - vec3_dot(a.v, b.v),
                vec3_add(vec3_axpy(a.w, b.v, vec3_scale(b.w, a.v)), vec3_cross(a.v, b.v))};
}
static inline quat quat_conj(quat a) { return (quat){a.w, vec3_scale(-1, a.v)}; }
static inline quat quat_unit(quat a) {
  const double n = sqrt(a.w * a.w + vec3_dot(a.v, a.v));
  return (quat){a.w / n, vec3_scale(1 / n, a.v)};
}
// Rotation matrix of a unit quaternion
static inline mat3 mat3_quat(quat q) {
  const double w = q.w, x = q.v.x, y = q.v.y, z = q.v.z;
  return (mat3){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}
// Unit quaternion of a rotation matrix, scalar part >= 0.  The component of largest modulus is
// computed first, so that no digits are lost near 180 degrees.
static inline quat quat_mat3(mat3 R) {
  const double* m = R.m;
  const double t[4] = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                       1 - m[0] - m[4] + m[8]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  quat q;

  switch (k) {
    case 0:
      q = (quat){t[0], {m[7] - m[5], m[2] - m[6], m[3] - m[1]}};
      break;
    case 1:
      q = (quat){m[7] - m[5], {t[1], m[1] + m[3], m[2] + m[6]}};
      break;
    case 2:
      q = (quat){m[2] - m[6], {m[1] + m[3], t[2], m[5] + m[7]}};
      break;
    default:
      q = (quat){m[3] - m[1], {m[2] + m[6], m[5] + m[7], t[3]}};
      break;
  }
  q = quat_unit(q);
  return q.w < 0 ? (quat){-q.w, vec3_scale(-1, q.v)} : q;
}
// Unit quaternion of the rotation by |w| about w
static inline quat quat_exp(vec3 w) {
  const double t2 = vec3_dot(w, w), t = sqrt(t2);
  const double s = t < 1e-4 ? 0.5 - t2 / 48 : sin(t / 2) / t;  // next term t⁴/3840 < 1e-19
  return (quat){cos(t / 2), vec3_scale(s, w)};
}

// Pose of B seen from A: x_A = R x_B + p
typedef struct pose {
  mat3 R;
  vec3 p;
} pose;

static inline pose pose_identity(void) { return (pose){mat3_identity(), {0, 0, 0}}; }
static inline pose pose_mul(pose a, pose b) {
  return (pose){mat3_mul(a.R, b.R), vec3_add(a.p, mat3_apply(a.R, b.p))};
}
static inline vec3 pose_apply(pose a, vec3 x) { return vec3_add(a.p, mat3_apply(a.R, x)); }

#endif
