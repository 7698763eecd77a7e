// Elements between two frames: axial springs and linking beams.
//
// Axial:  r = p_b - p_a,  L = |r|,  n = r/L;  force f n on b and -f n on a, f a law of L and L'.
// Beam:   strains  ε = Fᵀ r,  α = Fᵀ A  in the beam axes F = R_a · (constant rotation), with A the
//         relative rotation (frame.h); virtual power gives the force F f_ε at p_b and the torque
//         q0 m + A × m / 2 with m = F f_α on b; a carries the opposite.
#ifndef TD_LINK_H
#define TD_LINK_H

#include "elem/frame.h"
#include "elem/law.h"

typedef struct axial {
  vec3 n;
  double L, Ld;
} axial;

// Damping of each world component of the velocity u of b seen from a (the published form, for
// damp.along = 0)
static inline vec3 link_damping(vec3 u, double mu, double nu) {
  double r[3], unused;
  for (int c = 0; c < 3; c++) {
    law_power(vec3_at(u, c), nu, &r[c], &unused);
    r[c] *= -mu;
  }
  return vec3_of(r);
}

// Axial state of r = p_b - p_a with the rate u
static inline axial axial_of(vec3 r, vec3 u) {
  axial x = {.L = vec3_norm(r)};
  if (x.L > 0) x.n = vec3_scale(1 / x.L, r);
  x.Ld = vec3_dot(x.n, u);
  return x;
}
static inline axial axial_at(const frame* a, const frame* b) {
  return axial_of(vec3_sub(b->p, a->p), vec3_sub(b->v, a->v));
}
// Changes of L, L' and n.
axial td_axial_change(const axial* x, const frame* a, const frame* b, const frame_change* da,
                      const frame_change* db);

typedef struct beam {
  relative rel;
  vec3 D[3];          // beam axes in the world
  vec3 C[3];          // torque of a unit moment along each axis
  double x[6], u[6];  // strains and rates
} beam;

// Strains and rates of a beam; `axes`: its constant rotation in a, NULL: the axes of a.
beam td_beam(const frame* a, const frame* b, const mat3* axes);
// Force and torque on b for forces f that work on the six strains.
void td_beam_wrench(const beam* x, const double f[6], vec3* force, vec3* torque);
// Changes of strains and rates; change of the wrench when also f changes by df.
void td_beam_change(const beam* x, const frame* a, const frame* b, const frame_change* da,
                    const frame_change* db, double dx[6], double du[6]);
void td_beam_wrench_change(const beam* x, const frame_change* da, const frame_change* db,
                           const double f[6], const double df[6], vec3* dforce, vec3* dtorque);
// The same for a turn of the beam axes against the first frame, added to all of it.
void td_beam_axes_change(const beam* x, const frame* a, const frame* b, vec3 turn, double dx[6],
                         double du[6]);
void td_beam_axes_wrench(const beam* x, vec3 turn, const double f[6], vec3* dforce, vec3* dtorque);

#endif
