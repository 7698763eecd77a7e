// Rotations by three numbers of a chart: the vector part of a unit quaternion, the Euler-Bernoulli
// rotation of Cayley, the rotation vector (elem/chart.h).
#include <math.h>

#include "elem/chart.h"
#include "elem/taylor.h"
#include "engine/adjoint.h"
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

// Pose, columns, velocity and bias acceleration of the chart hops first .. end-1: R = R_parent
// R(Q), S_k = R T e_k. w->edge notes a chart near its end (half a turn).
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

// Tangent vectors U, Z, X of the columns (tangent.c) at accelerations a, from T and its first and
// second derivatives.
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

// cos(√s/2) and sin(√s/2)/√s with their first three derivatives, from
//
//   4 c' = -k,   2 s k' + k = c/2,   2 s k" + 3 k' = -k/8,   2 s k"' + 5 k" = -k'/8
//
// or, below s = 0.1, by the series of k.
static void half_turns(double s, double c[4], double k[4]) {
  enum { TERMS = 10 };
  c[0] = cos(0.5 * sqrt(s));
  if (s < 0.1) {
    double term[TERMS];
    for (int j = 0; j < TERMS; j++)
      term[j] = j == 0 ? 0.5 : -term[j - 1] / (4.0 * (2 * j) * (2 * j + 1));
    k[0] = k[1] = k[2] = k[3] = 0;
    for (int j = TERMS - 1; j >= 0; j--) {  // Horner: value, k', k"/2, k"'/6
      for (int order = 3; order > 0; order--) k[order] = k[order] * s + k[order - 1];
      k[0] = k[0] * s + term[j];
    }
    k[2] *= 2;
    k[3] *= 6;
  } else {
    k[0] = sin(0.5 * sqrt(s)) / sqrt(s);
    k[1] = (0.5 * c[0] - k[0]) / (2 * s);
    k[2] = (-0.125 * k[0] - 3 * k[1]) / (2 * s);
    k[3] = (-0.125 * k[1] - 5 * k[2]) / (2 * s);
  }
  for (int j = 1; j < 4; j++) c[j] = -0.25 * k[j - 1];
}

static taylor4 chart_quaternion(chart_kind kind, taylor3 y) {
  const taylor s = taylor3_dot(y, y);
  if (kind == CHART_QUAT3) return (taylor4){taylor_sqrt(taylor_sub(taylor_const(1), s)), y};
  if (kind == CHART_CAYLEY) {
    const taylor square = taylor_add(taylor_const(1), taylor_scale(0.25, s)),
                 unit = taylor_inverse(taylor_sqrt(square));
    return (taylor4){unit, taylor3_mul(taylor_scale(0.5, unit), y)};
  }
  double c[4], k[4];
  half_turns(s.x, c, k);
  return (taylor4){taylor_apply(c, s), taylor3_mul(taylor_apply(k, s), y)};
}

// The changes of a number as a number that moves.
static taylor change_of(taylor a) { return (taylor){.x = a.e, .d = a.ed, .dd = a.edd}; }

// ε = 2 vec(∂Q Q⁻¹) with its rates, for changes dy of the numbers, their rates and accelerations
static void turn_series(const td_model* m, const td_work* w, const model_hop* hop, const double* v,
                        const double* a, const vec3 dy[3], vec3 out[3]) {
  const taylor3 y = taylor3_of(td_chart_numbers(m, w, hop), td_chart_rates(m, w, hop, v),
                               td_chart_rates(m, w, hop, a), dy[0], dy[1], dy[2]);
  const taylor4 Q = chart_quaternion(td_hop_chart(hop), y);
  const taylor4 dQ = {change_of(Q.w), {change_of(Q.v.x), change_of(Q.v.y), change_of(Q.v.z)}};
  const taylor3 turn = taylor3_scale(2, taylor4_mul(dQ, taylor4_conj(Q)).v);
  out[0] = (vec3){turn.x.x, turn.y.x, turn.z.x};
  out[1] = (vec3){turn.x.d, turn.y.d, turn.z.d};
  out[2] = (vec3){turn.x.dd, turn.y.dd, turn.z.dd};
}

static void series(const td_model* m, const td_work* w, int i, const hop_rates* r,
                   twist_series* out) {
  const model_hop* hop = &m->hop[i];
  const vec3 none = {0, 0, 0};
  vec3 dy[3], turn[3];
  td_chart_change(m, w, hop, r, dy);
  turn_series(m, w, hop, r->v, r->a, dy, turn);
  out->x = spatial_of(none, turn[0]);
  out->d = spatial_of(none, turn[1]);
  out->dd = spatial_of(none, turn[2]);
}

// ε = E δy with the matrix E of the three numbers, so that ε̇ = E δẏ + Ė δy and
// ε̈ = E δÿ + 2 Ė δẏ + Ë δy: the series of unit changes have E, Ė and Ë.
static void reverse(const td_model* m, td_work* w, int first, int end, struct adjoint* b) {
  const vec3 none = {0, 0, 0};
  for (int i = end - 1; i >= first; i--) {
    const model_hop* hop = &m->hop[i];
    const twist_series bar = td_reverse_take(m, w, i, b);
    const spatial F = td_hop_wrench(m, w, i);
    const vec3 x = spatial_r(&bar.x), d = spatial_r(&bar.d), dd = spatial_r(&bar.dd),
               torque = spatial_r(&F);
    double dy[3][3], force[3];
    for (int k = 0; k < 3; k++) {
      const vec3 unit[3] = {vec3_axis(k), none, none};
      vec3 E[3], forced[3];
      turn_series(m, w, hop, w->v, w->along->accel, unit, E);
      turn_series(m, w, hop, b->F, w->along->none, unit, forced);
      dy[0][k] =
          vec3_dot(x, E[0]) + vec3_dot(d, E[1]) + vec3_dot(dd, E[2]) + vec3_dot(torque, forced[1]);
      dy[1][k] = vec3_dot(d, E[0]) + 2 * vec3_dot(dd, E[1]);
      dy[2][k] = vec3_dot(dd, E[0]);
      force[k] = vec3_dot(torque, E[0]);
    }
    const vec3 all[3] = {vec3_of(dy[0]), vec3_of(dy[1]), vec3_of(dy[2])};
    td_chart_reverse(m, w, i, all, vec3_of(force), b);
  }
}

static void vary(const td_model* m, td_work* w, int first, int end, const struct direction* d) {
  td_vary_by(m, w, first, end, d, series);
}

static void vary_forces(const td_model* m, td_work* w, int first, int end,
                        const struct direction* d, double* out) {
  td_vary_forces_by(m, w, first, end, d, series, out);
}

#define CHART                                                                                 \
  {                                                                                           \
    .place = place, .columns = columns, .own = own, .vary = vary, .vary_forces = vary_forces, \
    .reverse = reverse, .rate = td_plain_rate, .displace = td_plain_displace                  \
  }
const hop_ops td_hop_quat3 = CHART;
const hop_ops td_hop_cayley = CHART;
const hop_ops td_hop_turn = CHART;
