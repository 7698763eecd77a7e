// Edges of meshes in a fluid (elem/edge_drag.h) as forces between two stations.
#include "edge_drag.h"
#include "engine.h"

edge_drag td_edge_drag(const td_model* m, const td_work* w, const model_force* f, const frame* a,
                       const frame* b) {
  return edge_drag_at(a, b, td_stream(m, w), w->num[f->wrench], w->num[f->wrench + 1]);
}

void td_edge_drag_wrenches(const td_model* m, const td_work* w, const model_force* f,
                           spatial on[2]) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const edge_drag e = td_edge_drag(m, w, f, &a, &b);
  const vec3 none = {0, 0, 0};
  vec3 Fa, Fb;
  edge_shares(e.f, &Fa, &Fb);
  on[0] = spatial_force(a.p, Fa, none);
  on[1] = spatial_force(b.p, Fb, none);
}

void td_edge_drag_change(const force_state* s, const frame_change* da, const frame_change* db,
                         spatial change[2]) {
  const vec3 none = {0, 0, 0};
  vec3 df[2], F[2], dF[2];
  edge_drag_change(&s->drag, da, db, df);
  edge_shares(s->drag.f, &F[0], &F[1]);
  edge_shares(df, &dF[0], &dF[1]);
  change[0] = spatial_force_change(s->a.p, F[0], da->p, dF[0], none);
  change[1] = spatial_force_change(s->b.p, F[1], db->p, dF[1], none);
}

double td_edge_drag_power(const td_model* m, const td_work* w, const model_force* f) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const edge_drag e = td_edge_drag(m, w, f, &a, &b);
  double sum = 0;
  for (int k = 0; k < 2; k++) sum += vec3_dot(e.f[k], between(edge_gauss[k], a.v, b.v));
  return sum;
}
