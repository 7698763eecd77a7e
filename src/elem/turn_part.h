// Scalar coordinates of a rotation that is stored as a unit quaternion Q = [s, e] with the body
// angular velocity w, for springs, dampers and inputs that act on them:
//
//   VECTOR  x = e_i             x' = g·w,  g = (s a + a × e) / 2                    a = axis i
//   TURN    x = y_i, y = log Q  x' = g·w,  g = a - y × a / 2 + c y × (y × a)
//           y: rotation vector, c = (1 - θ/2 cot θ/2) / θ²
//
// A force f along x is the torque g f.  Q and -Q are the same rotation, but Q is continuous through
// half turns, so that VECTOR is smooth everywhere and TURN is smooth up to a full turn, where y
// with |y| = 2π has no direction.
#ifndef TD_TURN_PART_H
#define TD_TURN_PART_H

#include "math/vec3.h"

typedef enum turn_part_kind { PART_NUMBER, PART_VECTOR, PART_TURN } turn_part_kind;

typedef struct turn_part {
  double x;
  vec3 g;
} turn_part;

turn_part td_turn_part(turn_part_kind kind, quat Q, int i);
// Change of g when the body rotates by `turn`, in body axes.
vec3 td_turn_part_change(turn_part_kind kind, quat Q, int i, vec3 turn);
// Angle of the rotation vector, from 0 to 2π.
double td_turn_angle(quat Q);

#endif
