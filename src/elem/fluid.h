// What a fluid does to a wetted station: drag and added mass.
//
// Drag:        f = -D |v| y        y = [v ω] the twist relative to the fluid in the station's axes
// Added mass:  a 6x6 inertia M that turns with the station.  In a fluid at rest its wrench is that
//              of any inertia, M A + V ×* M V.  In a fluid that moves with the constant twist V_f
//              it is M (A + V × V_f) + (V - V_f) ×* M (V - V_f); the difference is a force.
#ifndef TD_FLUID_H
#define TD_FLUID_H

#include "station.h"

static inline spatial drag_local(const spatial6* D, const spatial* y) {
  return spatial_scale(-vec3_norm(spatial_t(y)), spatial6_apply(D, y));
}

static inline spatial drag_force(const pose* g, const spatial* Vr, const spatial6* D) {
  const spatial y = spatial_to_local(g, Vr), f = drag_local(D, &y);
  return spatial_to_world(g, &f);
}

// It changes with the twist by J = -|v| D - D y vᵀ/|v|, in the world Kv = X⁻ᵀ J X⁻¹; along a motion
// δX it turns with the station, δX ×* f + Kv (V - V_f) × δX.
static inline spatial6 drag_slope(const pose* g, const spatial* Vr, const spatial6* D, spatial* f) {
  const spatial y = spatial_to_local(g, Vr), Dy = spatial6_apply(D, &y), local = drag_local(D, &y);
  const double speed = vec3_norm(spatial_t(&y));
  spatial6 J;
  for (int j = 0; j < 6; j++) {
    J.col[j] = spatial_scale(-speed, D->col[j]);
    if (j < 3 && speed > 0) J.col[j] = spatial_axpy(-y.a[j] / speed, Dy, J.col[j]);
  }
  *f = spatial_to_world(g, &local);
  return spatial6_to_world(g, &J);
}

// B U = -M (V × U) + V ×* M U + U ×* M V: how the wrench of an inertia changes with its twist.
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

// Minus what added mass needs in a moving fluid beyond what it needs in one at rest.
static inline spatial stream_force(const spatial6* M, const spatial* V, const spatial* Vf) {
  const spatial Vr = spatial_sub(*V, *Vf), VVf = spatial_cross(V, Vf);
  const spatial MV = spatial6_apply(M, V), MVr = spatial6_apply(M, &Vr);
  const spatial still = spatial_cross_force(V, &MV), moving = spatial_cross_force(&Vr, &MVr);
  return spatial_sub(spatial_sub(still, moving), spatial6_apply(M, &VVf));
}

// Change of M x for x held while the station moves by δX:  δX ×* M x - M (δX × x)
static inline spatial moved_inertia(const spatial6* M, const spatial* dX, const spatial* x) {
  const spatial Mx = spatial6_apply(M, x), Xx = spatial_cross(dX, x);
  return spatial_sub(spatial_cross_force(dX, &Mx), spatial6_apply(M, &Xx));
}

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
