// Sensors of coordinates and their rates: q, v, dof, ddof, coord, dcoord.
#include "engine/adjoint.h"
#include "engine/sensor_table.h"
#include "engine/stages.h"

void td_motion_add(const td_model* m, const td_work* w, int col, double slope, sensor_motion* x) {
  const int v = m->col[col].v;
  x->rate += slope * w->v[v];
  if (m->vel[v].motion != NUM_NONE) x->bias += slope * w->num[m->vel[v].motion + 2];
}

// ddof of the vector part of a unit quaternion: its rate, which is no coordinate's.
static const model_hop* turn_of(const td_model* m, const model_probe* p) {
  return &m->hop[m->pos[p->q].hop];
}

static bool shows_turn(const td_model* m, const model_probe* p) {
  return m->pos[p->q].hop >= 0 && turn_of(m, p)->vector;
}

// Rate of the vector part with the quaternion Q, in which it is linear.
static double turn_rate(const td_model* m, const td_work* w, const model_probe* p,
                        const double* Q) {
  const model_hop* hop = turn_of(m, p);
  double rate[4];
  td_hop_rate(hop, Q, w->v + hop->v, rate);
  return rate[p->q - hop->q];
}

// Change of coordinate q along the DOF of a column.
static double coordinate_along(const td_model* m, const td_work* w, int q) {
  const model_hop* hop = m->pos[q].hop < 0 ? NULL : &m->hop[m->pos[q].hop];
  if (hop && has_quaternion(hop)) {
    double qdot[4];
    td_hop_rate(hop, w->q + hop->q, w->along->q + hop->v, qdot);
    return qdot[q - hop->q];
  }
  for (int v = 0; v < m->nvel; v++)
    if (m->vel[v].partner == q) return w->along->q[v];
  return 0;
}
static double coordinate_change(const td_model* m, const td_work* w, int q, int col) {
  if (col == ALONG) return coordinate_along(m, w, q);
  const model_col* c = &m->col[col];
  const model_hop* hop = &m->hop[c->hop];
  if (!c->first) return 0;
  if (!has_quaternion(hop)) return m->vel[c->v].partner == q;
  if (q < hop->q || q >= hop->q + hop->nq) return 0;
  double v[3] = {0, 0, 0}, qdot[4];
  v[c->v - hop->v] = 1;
  td_hop_rate(hop, w->q + hop->q, v, qdot);
  return qdot[q - hop->q];
}

// Change of the rate of a vector part: along the velocity it is the number's change along the DOF,
// along the DOF the rate of the changed quaternion.
static double turn_rate_change(const td_model* m, const td_work* w, const model_probe* p, int col,
                               bool rate) {
  if (rate) return coordinate_change(m, w, p->q, col);
  const model_hop* hop = turn_of(m, p);
  double dQ[4], faster[4] = {0, 0, 0, 0};
  for (int i = 0; i < hop->nq; i++) dQ[i] = coordinate_change(m, w, hop->q + i, col);
  if (col == ALONG) td_hop_rate(hop, w->q + hop->q, w->along->v + hop->v, faster);
  return turn_rate(m, w, p, dQ) + faster[p->q - hop->q];
}

static double position(const td_model* m, td_work* w, int i) { return w->q[m->probe[i].q]; }
static double position_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  return rate ? 0 : coordinate_change(m, w, m->probe[i].q, col);
}
static sensor_motion position_motion(const td_model* m, const td_work* w, int i) {
  sensor_motion x = {0, 0};
  for (int col = 0; col < m->ncol; col++)
    if (m->col[col].leads) td_motion_add(m, w, col, position_diff(m, w, i, col, false), &x);
  return x;
}
static void visit_position(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m;
  to->position(to->ctx, p->q);
}

static double velocity(const td_model* m, td_work* w, int i) { return w->v[m->probe[i].v]; }
static double velocity_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  if (col == ALONG) return w->along->v[m->probe[i].v];
  return rate && m->col[col].first && m->col[col].v == m->probe[i].v;
}
static void visit_velocity(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m;
  to->velocity(to->ctx, p->v);
}

static double dof_rate(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  return shows_turn(m, p) ? turn_rate(m, w, p, w->q + turn_of(m, p)->q) : w->v[p->v];
}
static double dof_rate_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const model_probe* p = &m->probe[i];
  return shows_turn(m, p) ? turn_rate_change(m, w, p, col, rate)
                          : velocity_diff(m, w, i, col, rate);
}

// Weights of the change of a coordinate: of a quaternion by the turns of its hop.
static void position_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const int q = m->probe[i].q;
  const model_hop* hop = m->pos[q].hop < 0 ? NULL : &m->hop[m->pos[q].hop];
  if (hop && has_quaternion(hop)) {
    for (int k = 0; k < hop->nv; k++) {
      const double unit[3] = {k == 0, k == 1, k == 2};
      double qdot[4];
      td_hop_rate(hop, w->q + hop->q, unit, qdot);
      b->q[hop->v + k] += bar * qdot[q - hop->q];
    }
    return;
  }
  for (int v = 0; v < m->nvel; v++)
    if (m->vel[v].partner == q) {
      b->q[v] += bar;
      return;
    }
}

static void velocity_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  (void)w;
  b->v[m->probe[i].v] += bar;
}

static void dof_rate_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  if (!shows_turn(m, p)) {
    velocity_reverse(m, w, i, bar, b);
    return;
  }
  const model_hop* hop = turn_of(m, p);
  for (int k = 0; k < hop->nv; k++) {
    const double unit[3] = {k == 0, k == 1, k == 2};
    double dQ[4];
    td_hop_rate(hop, w->q + hop->q, unit, dQ);
    b->q[hop->v + k] += bar * turn_rate(m, w, p, dQ);
    b->v[hop->v + k] += bar * dQ[p->q - hop->q];
  }
}

#define POSITION \
  position, position_diff, td_no_accel_diff, position_motion, visit_position, position_reverse
#define VELOCITY \
  velocity, velocity_diff, td_no_accel_diff, td_no_motion, visit_velocity, velocity_reverse
const sensor_ops td_sensor_Q = {POSITION, NULL, false};
const sensor_ops td_sensor_DOF = {POSITION, NULL, false};
const sensor_ops td_sensor_COORD = {POSITION, NULL, false};
const sensor_ops td_sensor_V = {VELOCITY, NULL, false};
const sensor_ops td_sensor_DCOORD = {VELOCITY, NULL, false};
const sensor_ops td_sensor_DDOF = {dof_rate,     dof_rate_diff,  td_no_accel_diff,
                                   td_no_motion, visit_velocity, dof_rate_reverse,
                                   NULL,         false};
#undef POSITION
#undef VELOCITY
