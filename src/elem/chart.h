// Three-number charts of rotations with q' = v:  body angular velocity  w = T(q) v.
//
//   QUAT3   Q = [sqrt(1 - |q|²), q]              T = 2 (q0 1 - [q]× + q qᵀ / q0)
//   CAYLEY  Q = [1, q/2] / sqrt(1 + |q|²/4)      T = s (1 - [q]×/2),  s = 1 / (1 + |q|²/4)
//
// and what the exact tangents need: T_k = dT/dq_k and the second derivatives contracted twice with
// v.
#ifndef TD_CHART_H
#define TD_CHART_H

#include "vec3.h"

typedef struct chart {
  quat Q;
  mat3 T, Tk[3];
} chart;

chart td_chart_quat3(vec3 q);
chart td_chart_cayley(vec3 q);
// Σ_lm d²T/dq_k dq_l  v_l  x  for k = 0, 1, 2: how T_k x changes along v
void td_chart_second(vec3 q, bool cayley, vec3 v, vec3 x, vec3 out[3]);
// 1 far from the chart's singularity at 180 degrees, 0 at it
double td_chart_distance(vec3 q, bool cayley);

#endif
