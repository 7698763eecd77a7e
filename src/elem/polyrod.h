// Strains of a rod whose pose is a polynomial of arc length: position p(s) and the vector part x(s)
// of a unit quaternion are given, with their derivatives p' and x'.
//
//   ξ = Rᵀ p' - e_z             ζ = T(x) x'                     χ = [ξ ζ]
//
// as functions of the nine numbers z = [p' x x'], with first derivative A = dχ/dz and what tangents
// need of the second.
#ifndef TD_POLYROD_H
#define TD_POLYROD_H

#include "elem/chart.h"

typedef struct polyrod {
  vec3 ps, x, xs;     // p', x, x'
  vec3 psd, xd, xsd;  // their rates
  chart c;
  mat3 R;
  double strain[6], rate[6];
} polyrod;

typedef struct polyrod_vector {
  vec3 ps, x, xs;
} polyrod_vector;

polyrod td_polyrod(vec3 ps, vec3 x, vec3 xs, vec3 psd, vec3 xd, vec3 xsd);
// Aᵀ f
polyrod_vector td_polyrod_force(const polyrod* r, const double f[6]);
// A dz, and the change of the rates for changes dz of the numbers and dzd of their rates.
void td_polyrod_change(const polyrod* r, const polyrod_vector* dz, const polyrod_vector* dzd,
                       double dx[6], double du[6]);
// Change of Aᵀ f with f held.
polyrod_vector td_polyrod_force_change(const polyrod* r, const polyrod_vector* dz,
                                       const double f[6]);

#endif
