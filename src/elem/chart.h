// Charts of rotations: three numbers y with rates y'; the body angular velocity is w = T(y) y'.
//
//   QUAT3   Q = [sqrt(1 - |y|²), y]              T = 2 (q0 1 - [y]× + y yᵀ / q0)
//   CAYLEY  Q = [1, y/2] / sqrt(1 + |y|²/4)      T = s (1 - [y]×/2),  s = 1 / (1 + |y|²/4)
//   TURN    Q = exp(y/2)                         T = 1 - b [y]× + c [y]×²,
//                                                b = (1 - cos θ)/θ², c = (θ - sin θ)/θ³
//
// Exact tangents need T_k = dT/dy_k and the second derivatives contracted with a rate and a vector.
#ifndef TD_CHART_H
#define TD_CHART_H

#include "math/vec3.h"

typedef enum chart_kind { CHART_QUAT3, CHART_CAYLEY, CHART_TURN } chart_kind;

typedef struct chart {
  quat Q;
  mat3 T, Tk[3];
} chart;

typedef struct chart_frame {
  quat Q;
  mat3 T;
} chart_frame;

// Quaternion and T, with the derivatives of T and without.
chart td_chart(chart_kind kind, vec3 y);
chart_frame td_chart_frame(chart_kind kind, vec3 y);
// (Σ_k T_k u_k) u: the angular acceleration at constant rates u
vec3 td_chart_rate(chart_kind kind, vec3 y, vec3 u);
// Σ_l d²T/dy_k dy_l  u_l  x  for k = 0, 1, 2: the derivative of T_k x along u
void td_chart_second(chart_kind kind, vec3 y, vec3 u, vec3 x, vec3 out[3]);
// 1 far from the chart's singularity (180 degrees, a full turn for TURN), 0 at it
double td_chart_distance(chart_kind kind, vec3 y);

#endif
