// Forces of a fluid on an immersed station: drag and added mass.
//
// Drag:        f = -D |v| y        y = [v ω] is the twist relative to the fluid in the station's
// axes Added mass:  a 6 x 6 inertia M that rotates with the station.  In a fluid at rest its wrench
// is
//              that of any inertia, M A + V ×* M V.  In a fluid that moves with the constant twist
//              V_f it is M (A + V × V_f) + (V - V_f) ×* M (V - V_f); the difference is a force.
#ifndef TD_FLUID_H
#define TD_FLUID_H

#include "elem/station.h"
#include "math/octet.h"

// Drag -D |v| y in the station's axes
static inline spatial drag_local(const spatial6* D, const spatial* y) {
  return spatial_scale(-vec3_norm(spatial_t(y)), spatial6_apply(D, y));
}

// Drag in the world for the twist Vr relative to the fluid
static inline spatial drag_force(const pose* g, const spatial* Vr, const spatial6* D) {
  const spatial y = spatial_to_local(g, Vr), f = drag_local(D, &y);
  return spatial_to_world(g, &f);
}

// Drag of eight stations in their own axes; D holds the columns of their matrices side by side.
static inline octet drag_each(const octet D[6], const octet* y) {
  const lanes square = y->c[0] * y->c[0] + y->c[1] * y->c[1] + y->c[2] * y->c[2];
  const octet Dy = octet_apply_each(D, y);
  lanes minus;
  for (int l = 0; l < LANES; l++) minus[l] = -sqrt(square[l]);
  return octet_axpy_each(minus, &Dy, octet_zero());
}

// Derivative of drag_each with respect to the twist, column by column:  J = -|v| D - D y vᵀ/|v|. In
// the world it is Kv = X⁻ᵀ J X⁻¹, and along a motion δX the force also turns with its station:
// δX ×* f + Kv (V - V_f) × δX.
static inline void drag_slopes_each(const octet D[6], const octet* y, octet J[6]) {
  const lanes square = y->c[0] * y->c[0] + y->c[1] * y->c[1] + y->c[2] * y->c[2];
  const octet Dy = octet_apply_each(D, y), zero = octet_zero();
  lanes speed, inverse;
  for (int l = 0; l < LANES; l++) {
    speed[l] = sqrt(square[l]);
    inverse[l] = speed[l] > 0 ? 1 / speed[l] : 0;
  }
  for (int j = 0; j < 6; j++) {
    J[j] = octet_axpy_each(-speed, &D[j], zero);
    if (j < 3) J[j] = octet_axpy_each(-y->c[j] * inverse, &Dy, J[j]);
  }
}

// B U = -M (V × U) + V ×* M U + U ×* M V: derivative of the wrench of an inertia along a change U
// of its twist V
static inline spatial6 inertia_rate_matrix(const spatial6* M, const spatial* V) {
  const spatial MV = spatial6_apply(M, V);
  spatial6 B;
  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j), VU = spatial_cross(V, &e), MVU = spatial6_apply(M, &VU);
    const spatial VMU = spatial_cross_force(V, &M->col[j]), UMV = spatial_cross_force(&e, &MV);
    B.col[j] = spatial_sub(spatial_add(VMU, UMV), MVU);
  }
  return B;
}

// Force of a moving fluid on the added mass: the negative difference to the wrench in a fluid at
// rest
static inline spatial stream_force(const spatial6* M, const spatial* V, const spatial* Vf) {
  const spatial Vr = spatial_sub(*V, *Vf), VVf = spatial_cross(V, Vf);
  const spatial MV = spatial6_apply(M, V), MVr = spatial6_apply(M, &Vr);
  const spatial still = spatial_cross_force(V, &MV), moving = spatial_cross_force(&Vr, &MVr);
  return spatial_sub(spatial_sub(still, moving), spatial6_apply(M, &VVf));
}

// Change of stream_force for a change dVf of the fluid's twist
static inline spatial stream_force_change(const spatial6* M, const spatial* V, const spatial* Vf,
                                          const spatial* dVf) {
  const spatial Vr = spatial_sub(*V, *Vf), MVr = spatial6_apply(M, &Vr),
                Md = spatial6_apply(M, dVf), Vd = spatial_cross(V, dVf);
  const spatial moving = spatial_add(spatial_cross_force(dVf, &MVr), spatial_cross_force(&Vr, &Md));
  return spatial_sub(moving, spatial6_apply(M, &Vd));
}

// Change of M x at constant x when the station moves by δX:  δX ×* M x - M (δX × x)
static inline spatial moved_inertia(const spatial6* M, const spatial* dX, const spatial* x) {
  const spatial Mx = spatial6_apply(M, x), Xx = spatial_cross(dX, x);
  return spatial_sub(spatial_cross_force(dX, &Mx), spatial6_apply(M, &Xx));
}

// stream_force with its derivatives
static inline station_force stream_at(const spatial6* M, const spatial* V, const spatial* Vf) {
  const spatial Vr = spatial_sub(*V, *Vf), VVf = spatial_cross(V, Vf);
  const spatial MV = spatial6_apply(M, V), MVr = spatial6_apply(M, &Vr);
  station_force s = {.f = stream_force(M, V, Vf)};

  for (int j = 0; j < 6; j++) {
    const spatial e = spatial_unit(j);
    const spatial dMV = moved_inertia(M, &e, V), dMVr = moved_inertia(M, &e, &Vr),
                  dMVVf = moved_inertia(M, &e, &VVf);
    s.Kx.col[j] = spatial_sub(
        spatial_sub(spatial_cross_force(V, &dMV), spatial_cross_force(&Vr, &dMVr)), dMVVf);
    const spatial eVf = spatial_cross(&e, Vf);
    const spatial still =
        spatial_add(spatial_cross_force(&e, &MV), spatial_cross_force(V, &M->col[j]));
    const spatial moving =
        spatial_add(spatial_cross_force(&e, &MVr), spatial_cross_force(&Vr, &M->col[j]));
    s.Kv.col[j] = spatial_sub(spatial_sub(still, moving), spatial6_apply(M, &eVf));
  }
  return s;
}

#endif
