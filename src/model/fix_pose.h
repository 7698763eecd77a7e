// The pose of a fixed transformation from its numbers.
#ifndef TD_FIX_POSE_H
#define TD_FIX_POSE_H

#include "model/model.h"

static inline mat3 fix_rotation(const model_fix* fix, const double* x) {
  switch (fix->kind) {
    case ROT_NONE:
      break;
    case ROT_PRINCIPAL:
      return mat3_axis_angle(vec3_axis(fix->axis), x[0]);
    case ROT_EULER_BERNOULLI:
      return mat3_quat(quat_unit((quat){1, vec3_scale(0.5, vec3_of(x))}));
    case ROT_ANGLE_AXIS: {
      const double n = vec3_norm(vec3_of(x + 1));
      return n > 0 ? mat3_axis_angle(vec3_scale(1 / n, vec3_of(x + 1)), x[0]) : mat3_identity();
    }
    case ROT_QUATERNION:
      return mat3_quat(quat_unit((quat){x[0], vec3_of(x + 1)}));
    case ROT_UNIT_VECTOR: {
      const vec3 v = vec3_of(x);
      return mat3_quat(quat_unit((quat){sqrt(fmax(0, 1 - vec3_dot(v, v))), v}));
    }
  }
  return mat3_identity();
}

// How many numbers its rotation has.
static inline int fix_numbers(const model_fix* fix) {
  switch (fix->kind) {
    case ROT_NONE:
      return 0;
    case ROT_PRINCIPAL:
      return 1;
    case ROT_EULER_BERNOULLI:
    case ROT_UNIT_VECTOR:
      return 3;
    case ROT_ANGLE_AXIS:
    case ROT_QUATERNION:
      return 4;
  }
  return 0;
}

#endif
