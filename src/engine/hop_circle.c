// Rotation about one axis by a quaternion's pair [w, s]:  [w, s]' = [-s, w] ω / 2.
#include "engine/hop.h"

static void place(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const double* q = w->q + hop->q;
    pose g = pose_before(m, w, i);
    g.R = mat3_mul(g.R, mat3_quat(quat_unit((quat){q[0], vec3_scale(q[1], w->hop_axis[i])})));
    const spatial S = spatial_rotation(g.p, mat3_apply(g.R, w->hop_axis[i]));
    w->col[hop->col].S = S;
    const spatial Sv = spatial_scale(w->v[m->col[hop->col].v], S);
    put_hop(m, w, i, &g, &Sv, NULL);
  }
}

static void rate(const double* q, const double* v, double* qdot) {
  const double s = q[1], c = q[0];
  qdot[0] = -0.5 * s * v[0];
  qdot[1] = 0.5 * c * v[0];
}

static void displace(double* q, const double* dv) {
  const double c = cos(0.5 * dv[0]), s = sin(0.5 * dv[0]), w = q[0];
  q[0] = c * w - s * q[1];
  q[1] = c * q[1] + s * w;
}

const hop_ops td_hop_circle = {.place = place,
                               .columns = td_fixed_columns,
                               .own = td_fixed_own,
                               .rate = rate,
                               .displace = displace};
