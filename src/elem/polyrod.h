// Strains of a rod whose pose is a polynomial of arc length s: its position p(s) and the vector
// part x(s) of a unit quaternion are given, with their derivatives p' and x':
//
//   ξ = Rᵀ p' - e_z             ζ = T(x) x'                     χ = [ξ ζ]
//
// χ is a function of the nine numbers z = [p' x x'].  Its derivative A = dχ/dz is applied here,
// with the second derivatives that tangents need.
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

// A vector with the structure of z
typedef struct polyrod_vector {
  vec3 ps, x, xs;
} polyrod_vector;

// Strains and their rates.
polyrod td_polyrod(vec3 ps, vec3 x, vec3 xs, vec3 psd, vec3 xd, vec3 xsd);
// Aᵀ f: forces f on the strains as generalised forces on z.
polyrod_vector td_polyrod_force(const polyrod* r, const double f[6]);
// Changes dx = A dz of the strains and du of their rates for changes dz of z and dzd of z'.
void td_polyrod_change(const polyrod* r, const polyrod_vector* dz, const polyrod_vector* dzd,
                       double dx[6], double du[6]);
// Change of Aᵀ f at constant f for a change dz of z.
polyrod_vector td_polyrod_force_change(const polyrod* r, const polyrod_vector* dz,
                                       const double f[6]);

#endif
