// A straight piece of rod between two frames a and b, measured in the frame half-way between them.
//
// With R_aᵀ R_b = exp(θ), φ = θ/2 and the middle frame R_m = R_a exp(φ), in the axes of R_m:
//
//   strains    x = R_mᵀ (p_b - p_a),  θ
//   rates      x' = R_mᵀ r' - μ × x,  θ' = P W           W = R_mᵀ (w_b - w_a)
//              μ = (w_a + w_b)/2 - τ φ × W / 2
//              P = p0 1 + p1 φ φᵀ,   p0 = |φ|/sin|φ|,  p1 = (1 - p0)/|φ|²,  τ = tan(|φ|/2)/|φ|
//   wrench     force f_x on b (at p_b) and -f_x on a (at p_a);
//              torques  g/2 ∓ τ g × φ / 2 ± P f_θ  on b and a,   g = f_x × x
//
// The approximation is of second order in the length of the piece and symmetric in a and b.
#ifndef TD_SEGMENT_H
#define TD_SEGMENT_H

#include "elem/frame.h"

typedef struct segment {
  mat3 R;                 // middle frame
  vec3 phi;               // half the rotation vector
  double p0, p1, tau;     // coefficients
  double dp0, dp1, dtau;  // their derivatives with respect to |φ|²
  vec3 r, rd;             // p_b - p_a and its rate, in the middle frame
  vec3 wa, wb, mu, W;     // angular velocities in the middle frame
  double x[6], u[6];      // strains [x, θ] and rates
} segment;

typedef struct segment_wrench {
  vec3 force;  // on b; -force on a: world axes
  vec3 torque_a, torque_b;
} segment_wrench;

// End of a piece of length l seen from its start, for given strains x and rates u per length:
//
//   exp(l κ/2) · move l (e_z + ε) · exp(l κ/2)                 x = [ε κ]
typedef struct segment_end {
  pose g;
  vec3 v, w;  // velocity of its origin and angular velocity, in its own axes
} segment_end;
segment_end td_segment_end(const double x[6], const double u[6], double l);

// Strains and rates between two frames.
segment td_segment(const frame* a, const frame* b);
// Wrenches on the two frames for forces f = [f_x, f_θ] that work on the strains.
segment_wrench td_segment_wrench(const segment* s, const double f[6]);
// Change of strains and rates
typedef struct segment_change {
  vec3 m, phi;  // rotation of the middle frame, change of φ
  double x[6], u[6];
} segment_change;
// Changes for given changes of the two frames; and of the wrench when also f changes by df.
segment_change td_segment_change(const segment* s, const frame_change* da, const frame_change* db);
segment_wrench td_segment_wrench_change(const segment* s, const segment_change* d,
                                        const double f[6], const double df[6]);

#endif
