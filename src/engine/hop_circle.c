// Rotation about one axis by a quaternion's pair [w, s]:  [w, s]' = [-s, w] ω / 2.
#include <math.h>

#include "engine/adjoint.h"
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

static axis_motion motion_of(const td_model* m, const td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  return (axis_motion){.axis = w->hop_axis[i],
                       .turned = td_unit_change(w, hop->axis, w->hop_axis[i]),
                       .turns = true,
                       .q = 2 * atan2(w->q[hop->q + 1], w->q[hop->q])};
}

static void series(const td_model* m, const td_work* w, int i, const hop_rates* r,
                   twist_series* out) {
  const axis_motion x = motion_of(m, w, i);
  td_axis_series(&x, m->col[m->hop[i].col].v, r, out);
}

static void vary(const td_model* m, td_work* w, int first, int end, const struct direction* d) {
  td_vary_by(m, w, first, end, d, series);
}

static void vary_forces(const td_model* m, td_work* w, int first, int end,
                        const struct direction* d, double* out) {
  td_vary_forces_by(m, w, first, end, d, series, out);
}

static void reverse(const td_model* m, td_work* w, int first, int end, struct adjoint* b) {
  for (int i = end - 1; i >= first; i--) {
    const axis_motion x = motion_of(m, w, i);
    const twist_series bar = td_reverse_take(m, w, i, b);
    double unused = 0;
    td_axis_reverse(m, w, i, &x, &bar, b, &unused);
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
                               .vary = vary,
                               .vary_forces = vary_forces,
                               .reverse = reverse,
                               .rate = rate,
                               .displace = displace};
