// Turns about an axis, moves along one, or both with a pitch: one number, a constant screw S in the
// frame before it.
#include "engine/adjoint.h"
#include "engine/hop.h"

// Rotate columns i, j of R:  R · rot(axis k, angle),  (i, j, k) cyclic.
static inline mat3 turn_principal(mat3 R, int k, double s, double c) {
  const int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
  for (int r = 0; r < 9; r += 3) {
    const double x = R.m[r + i], y = R.m[r + j];
    R.m[r + i] = c * x + s * y;
    R.m[r + j] = c * y - s * x;
  }
  return R;
}

// Pose and column of the screws first .. end-1: p += lead q n, R turned by q about n, S = [p × n +
// lead n; n] in the world.
static void place(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    pose g = pose_before(m, w, i);
    const double q = w->q[hop->q];
    const vec3 axis = mat3_apply(g.R, w->hop_axis[i]);

    // along the axis
    const double lead = hop->moves ? 1 : hop->pitch != NUM_NONE ? w->num[hop->pitch] : 0;
    spatial S = spatial_of(vec3_scale(lead, axis), (vec3){0, 0, 0});
    if (lead != 0) g.p = vec3_axpy(lead * q, axis, g.p);

    // about the axis, which is one of the frame's own in most joints
    if (hop->turns) {
      const vec3 pw = vec3_cross(g.p, axis);
      S = spatial_of(vec3_axpy(lead, axis, pw), axis);
      const int k = w->hop_principal[i];
      g.R = k >= 0 ? turn_principal(g.R, k, sin(q), cos(q))
                   : mat3_mul(g.R, mat3_axis_angle(w->hop_axis[i], q));
    }
    w->col[hop->col].S = S;
    const spatial Sv = spatial_scale(w->v[hop->v], S);
    put_hop(m, w, i, &g, &Sv, NULL);
  }
}

static axis_motion motion_of(const td_model* m, const td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  const bool pitched = !hop->moves && hop->pitch != NUM_NONE;
  return (axis_motion){.axis = w->hop_axis[i],
                       .turned = td_unit_change(w, hop->axis, w->hop_axis[i]),
                       .turns = hop->turns,
                       .lead = hop->moves ? 1
                               : pitched  ? w->num[hop->pitch]
                                          : 0,
                       .lead_change = pitched ? w->dnum[hop->pitch] : 0,
                       .q = w->q[hop->q]};
}

static void series(const td_model* m, const td_work* w, int i, const hop_rates* r,
                   twist_series* out) {
  const axis_motion x = motion_of(m, w, i);
  td_axis_series(&x, m->hop[i].v, r, out);
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
    const model_hop* hop = &m->hop[i];
    const axis_motion x = motion_of(m, w, i);
    const twist_series bar = td_reverse_take(m, w, i, b);
    double lead = 0;
    td_axis_reverse(m, w, i, &x, &bar, b, &lead);
    if (!hop->moves && hop->pitch != NUM_NONE) b->n[hop->pitch] += lead;
  }
}

const hop_ops td_hop_screw = {.place = place,
                              .columns = td_fixed_columns,
                              .own = td_fixed_own,
                              .vary = vary,
                              .vary_forces = vary_forces,
                              .reverse = reverse,
                              .rate = td_plain_rate,
                              .displace = td_plain_displace};
