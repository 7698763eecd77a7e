// Edges of meshes in a fluid (elem/edge_drag.h) as forces between two stations.
#include "elem/edge_drag.h"
#include "engine/stages.h"

edge_drag td_edge_drag(const td_model* m, const td_work* w, const model_force* f, const frame* a,
                       const frame* b) {
  const vec3 all = td_stream(m, w);
  vec3 u[2] = {all, all};
  const double* flow = w->num + f->stream;
  for (int k = 0; m->stream_varies && k < 2; k++)
    u[k] = vec3_scale(w->load, vec3_of(flow + STREAM_SLOTS * k));
  edge_drag e = edge_drag_at(a, b, u, w->num[f->wrench], w->num[f->wrench + 1]);
  e.varies = m->stream_varies;
  for (int k = 0; m->stream_varies && k < 2; k++)
    for (int c = 0; c < 9; c++) e.G[k].m[c] = w->load * flow[STREAM_SLOTS * k + 3 + c];
  return e;
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
