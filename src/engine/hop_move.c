// Translations along the three axes of the frame before them.
#include "engine/adjoint.h"
#include "engine/hop.h"
#include "engine/stages.h"

// Pose and columns of the translations first .. end-1: p += R y, S_k = the axes of the frame
// before.
static void place(const td_model* m, td_work* w, int first, int end) {
  const vec3 none = {0, 0, 0};
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    if (hop->node > 0) {  // of a network: nothing turns before it
      td_node_place(m, w, i);
      continue;
    }
    pose g = pose_before(m, w, i);
    spatial part[3];
    for (int k = 0; k < 3; k++) part[k] = spatial_of(mat3_col(g.R, k), none);
    g.p = pose_apply(g, td_chart_numbers(m, w, hop));
    const spatial Sv = put_columns(m, w, hop, part);
    put_hop(m, w, i, &g, &Sv, NULL);
  }
}

static void series(const td_model* m, const td_work* w, int i, const hop_rates* r,
                   twist_series* out) {
  const vec3 none = {0, 0, 0};
  vec3 dy[3];
  td_chart_change(m, w, &m->hop[i], r, dy);
  out->x = spatial_of(dy[0], none);
  out->d = spatial_of(dy[1], none);
  out->dd = spatial_of(dy[2], none);
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
    const twist_series bar = td_reverse_take(m, w, i, b);
    const spatial F = td_hop_wrench(m, w, i);
    const vec3 dy[3] = {spatial_t(&bar.x), spatial_t(&bar.d), spatial_t(&bar.dd)};
    td_chart_reverse(m, w, i, dy, spatial_t(&F), b);
  }
}

const hop_ops td_hop_move = {.place = place,
                             .columns = td_fixed_columns,
                             .own = td_fixed_own,
                             .vary = vary,
                             .vary_forces = vary_forces,
                             .reverse = reverse,
                             .rate = td_plain_rate,
                             .displace = td_plain_displace};
