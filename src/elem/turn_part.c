// Scalar coordinates of a rotation; turn_part.h has the formulas.
#include "elem/turn_part.h"

#include <math.h>

// c(t) = (1 - θ/2 cot θ/2)/θ² and its derivative with respect to t = θ².  Below θ = 1 the series
// Σ |B_2n+2| tⁿ / (2n+2)!, cut at rounding, is used.
static double turn_factor(double t, double* slope) {
  static const double series[] = {1 / 12.,
                                  1 / 720.,
                                  1 / 30240.,
                                  1 / 1209600.,
                                  1 / 47900160.,
                                  691 / 1307674368000.,
                                  1 / 74724249600.,
                                  3617 / 10670622842880000.,
                                  43867 / 5109094217170944000.,
                                  174611 / 802857662698291200000.};
  if (t < 1) {
    double c = 0;
    *slope = 0;
    for (int n = (int)(sizeof series / sizeof *series) - 1; n >= 0; n--) {
      *slope = t * *slope + c;
      c = t * c + series[n];
    }
    return c;
  }

  const double half = 0.5 * sqrt(t), s = sin(half), h = half * cos(half) / s;
  const double c = (1 - h) / t;

  // dh/dt = (h - (half/s)²) / (2 t)
  *slope = (-(h - half * half / (s * s)) / (2 * t) - c) / t;
  return c;
}

double td_turn_angle(quat Q) { return 2 * atan2(vec3_norm(Q.v), Q.w); }

static vec3 rotation_vector(quat Q) {
  const double n = vec3_norm(Q.v);
  return vec3_scale(n < 1e-9 ? 2 : td_turn_angle(Q) / n, Q.v);
}

// Coordinate x and its gradient g.
turn_part td_turn_part(turn_part_kind kind, quat Q, int i) {
  const vec3 a = vec3_axis(i);
  if (kind == PART_VECTOR) {
    const vec3 g = vec3_axpy(Q.w, a, vec3_cross(a, Q.v));
    return (turn_part){vec3_at(Q.v, i), vec3_scale(0.5, g)};
  }
  const vec3 y = rotation_vector(Q), ya = vec3_cross(y, a);
  double slope;
  const double c = turn_factor(vec3_dot(y, y), &slope);
  return (turn_part){vec3_at(y, i), vec3_axpy(-0.5, ya, vec3_axpy(c, vec3_cross(y, ya), a))};
}

// Derivative of g along a rotation of the body.
vec3 td_turn_part_change(turn_part_kind kind, quat Q, int i, vec3 turn) {
  const vec3 a = vec3_axis(i);
  if (kind == PART_VECTOR) {  // s' = -e·turn/2,  e' = (s turn + e × turn)/2
    const vec3 de = vec3_scale(0.5, vec3_axpy(Q.w, turn, vec3_cross(Q.v, turn)));
    const vec3 dg = vec3_axpy(-0.5 * vec3_dot(Q.v, turn), a, vec3_cross(a, de));
    return vec3_scale(0.5, dg);
  }
  const vec3 y = rotation_vector(Q), ya = vec3_cross(y, a), yt = vec3_cross(y, turn);
  double slope;
  const double c = turn_factor(vec3_dot(y, y), &slope);

  // y' = turn + y × turn / 2 + c y × (y × turn)
  const vec3 dy = vec3_axpy(0.5, yt, vec3_axpy(c, vec3_cross(y, yt), turn));
  const vec3 dya = vec3_cross(dy, a);
  const vec3 curl = vec3_add(vec3_cross(dy, ya), vec3_cross(y, dya));
  const vec3 dg = vec3_axpy(2 * slope * vec3_dot(y, dy), vec3_cross(y, ya), vec3_scale(c, curl));
  return vec3_axpy(-0.5, dya, dg);
}
