// Rotations by three numbers of a chart: the vector part of a unit quaternion, the Euler-Bernoulli
// rotation of Cayley, the rotation vector (elem/chart.h).
#include "elem/chart.h"
#include "engine/hop_rotation.h"
#include "engine/stages.h"

// Scalar part of a quaternion below which its vector part does not tell the motion any more: its
// rate has lost the component along the axis.  Within a tenth of a degree of half a turn.
#define HALF_TURN 1e-3

chart_kind td_hop_chart(const model_hop* hop) {
  return hop->kind == HOP_QUAT3 ? CHART_QUAT3 : hop->kind == HOP_CAYLEY ? CHART_CAYLEY : CHART_TURN;
}

// A rotation vector that is given over time may go on beyond half a turn.
bool td_chart_ends(const model_hop* hop) {
  return has_chart(hop) && !(hop->kind == HOP_TURN && hop->prescribed);
}

vec3 td_chart_numbers(const td_model* m, const td_work* w, const model_hop* hop) {
  double y[3];
  for (int c = 0; c < 3; c++) y[c] = w->num[hop->value + c];
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    y[m->col[k].part] += w->col_weight[k] * w->q[m->col[k].q];
  return vec3_of(y);
}

vec3 td_chart_rates(const td_model* m, const td_work* w, const model_hop* hop, const double* v) {
  double u[3] = {0, 0, 0};
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    u[m->col[k].part] += w->col_weight[k] * v[m->col[k].v];
  return vec3_of(u);
}

static void place(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const chart_kind kind = td_hop_chart(hop);
    const vec3 y = td_chart_numbers(m, w, hop);
    const chart_frame c = td_chart_frame(kind, y);
    if (c.Q.w < HALF_TURN && td_chart_ends(hop)) w->edge = i;

    pose g = pose_before(m, w, i);
    g.R = mat3_mul(g.R, mat3_quat(c.Q));
    spatial part[3];
    for (int k = 0; k < 3; k++) part[k] = spatial_rotation(g.p, mat3_apply(g.R, mat3_col(c.T, k)));
    const spatial Sv = put_columns(m, w, hop, part);

    // Ṫ y' in the world
    const vec3 rate = td_chart_rate(kind, y, td_chart_rates(m, w, hop, w->v));
    const spatial own = spatial_rotation(g.p, mat3_apply(g.R, rate));
    put_hop(m, w, i, &g, &Sv, &own);
  }
}

static void columns(const td_model* m, td_work* w, int first, int end, const double* a,
                    bool of_rods) {
  (void)of_rods;
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const chart_kind kind = td_hop_chart(hop);
    const vec3 y = td_chart_numbers(m, w, hop), v = td_chart_rates(m, w, hop, w->v),
               acceleration = td_chart_rates(m, w, hop, a);
    const chart c = td_chart(kind, y);
    turning t = {.T = c.T};
    vec3 Tv_rate = {0, 0, 0};
    for (int k = 0; k < 3; k++) Tv_rate = vec3_axpy(vec3_at(v, k), mat3_apply(c.Tk[k], v), Tv_rate);
    t.w = mat3_apply(c.T, v);
    t.dw = vec3_add(mat3_apply(c.T, acceleration), Tv_rate);
    td_chart_second(kind, y, v, v, t.second);
    for (int k = 0; k < 3; k++) {
      t.slope[k] = mat3_apply(c.Tk[k], v);
      t.second[k] = vec3_add(mat3_apply(c.Tk[k], acceleration), t.second[k]);
      for (int l = 0; l < 3; l++)
        t.rate[k] = vec3_axpy(vec3_at(v, l), mat3_col(c.Tk[l], k), t.rate[k]);
    }
    rotation_columns(m, w, i, &t);
  }
}

static void own(const td_model* m, const td_work* w, int i, const struct tangent_path* t,
                double* dq) {
  const model_hop* hop = &m->hop[i];
  const chart c = td_chart(td_hop_chart(hop), td_chart_numbers(m, w, hop));
  vec3 slope[3][3];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      slope[k][l] = vec3_add(vec3_cross(mat3_col(c.T, k), mat3_col(c.T, l)), mat3_col(c.Tk[k], l));
  rotation_own(m, w, i, slope, t, dq);
}

#define CHART                                                              \
  {                                                                        \
    .place = place, .columns = columns, .own = own, .rate = td_plain_rate, \
    .displace = td_plain_displace                                          \
  }
const hop_ops td_hop_quat3 = CHART;
const hop_ops td_hop_cayley = CHART;
const hop_ops td_hop_turn = CHART;
