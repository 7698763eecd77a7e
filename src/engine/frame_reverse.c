// Transpose of td_frame_along (kinematics.c): what the adjoints of a station's frame give to the
// motion of its hop and to the numbers of its own transformations.
#include "engine/adjoint.h"

void td_frame_reverse(const td_model* m, const td_work* w, int station, const frame_change* bar,
                      adjoint* b) {
  if (station < 0) return;
  const int hop = m->station[station].hop;
  const frame f = td_frame(m, w, station);

  // from the station's point to the origin, accelerations first
  const vec3 v = vec3_add(bar->v, vec3_cross(bar->a, f.w));
  const vec3 p = vec3_add(bar->p, vec3_add(vec3_cross(bar->a, f.dw), vec3_cross(v, f.w)));
  const vec3 spin = vec3_add(bar->w, vec3_add(vec3_cross(f.v, bar->a), vec3_cross(f.p, v)));
  const spatial X = spatial_of(p, vec3_add(bar->turn, vec3_cross(f.p, p))), V = spatial_of(v, spin),
                A = spatial_of(bar->a, vec3_add(bar->dw, vec3_cross(f.p, bar->a)));
  td_station_reverse(m, w, station, &X, b);
  if (hop < 0) return;

  // δV = X × V + U,  δA = X × A + U × V + Z
  const hop_work* h = &w->hop[hop];
  hop_change* c = &b->hop[hop];
  const spatial turned =
      spatial_add(spatial_cross_force(&h->V, &V), spatial_cross_force(&h->A, &A));
  c->X = spatial_add(c->X, spatial_add(X, turned));
  c->U = spatial_add(c->U, spatial_add(V, spatial_cross_force(&h->V, &A)));
  c->Z = spatial_add(c->Z, A);
}
