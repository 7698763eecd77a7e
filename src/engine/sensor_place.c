// Sensors of a station: pos, rot, quat, vel, omega, acc.  With the frame (p, R, v, w) of the
// station and s = R r for a point r fixed in it,
//
//   pos = p + s,   vel = v + w × s,   acc = a + w' × s + w × (w × s),   omega = Rᵀ w
//
// rot is the rotation matrix R, column by column, and quat its unit quaternion.
#include "engine/adjoint.h"
#include "engine/sensor_table.h"
#include "engine/stages.h"

// A station's frame and the arm from its origin to the probe's point, in world axes.
typedef struct placed {
  frame f;
  vec3 s;
} placed;

// Evaluate the frame of a probe's station and the arm of its point.
static placed place_of(const td_model* m, const td_work* w, const model_probe* p) {
  placed x = {.f = td_frame(m, w, p->station)};
  if (p->point != NUM_NONE) x.s = mat3_apply(x.f.R, vec3_of(w->num + p->point));
  return x;
}

// ---- values -----------------------------------------------------------------------------------

// p + s
static double pos(const td_model* m, td_work* w, int i) {
  const placed x = place_of(m, w, &m->probe[i]);
  return vec3_at(vec3_add(x.f.p, x.s), m->probe[i].component);
}

// v + w × s
static double vel(const td_model* m, td_work* w, int i) {
  const placed x = place_of(m, w, &m->probe[i]);
  return vec3_at(vec3_add(x.f.v, vec3_cross(x.f.w, x.s)), m->probe[i].component);
}

// a + w' × s + w × (w × s)
static double acc(const td_model* m, td_work* w, int i) {
  const placed x = place_of(m, w, &m->probe[i]);
  const vec3 turning = vec3_add(vec3_cross(x.f.dw, x.s), vec3_cross(x.f.w, vec3_cross(x.f.w, x.s)));
  return vec3_at(vec3_add(x.f.a, turning), m->probe[i].component);
}

// Element c of R, column by column.
static double rot(const td_model* m, td_work* w, int i) {
  const int c = m->probe[i].component;
  return td_frame(m, w, m->probe[i].station).R.m[3 * (c % 3) + c / 3];
}

// Component c of the unit quaternion of R, the scalar first.
static double quaternion(const td_model* m, td_work* w, int i) {
  const quat q = quat_mat3(td_frame(m, w, m->probe[i].station).R);
  return m->probe[i].component == 0 ? q.w : vec3_at(q.v, m->probe[i].component - 1);
}

// Rᵀ w
static double omega(const td_model* m, td_work* w, int i) {
  const frame f = td_frame(m, w, m->probe[i].station);
  return vec3_at(mat3_apply_t(f.R, f.w), m->probe[i].component);
}

// ---- changes ----------------------------------------------------------------------------------

// A station's frame and arm with their changes along a column.
typedef struct moved_place {
  placed at;
  frame_change d;
  vec3 ds;
} moved_place;

// Differentiate the frame and the arm of a probe: ds = turn × s.
static moved_place change_of(const td_model* m, const td_work* w, const model_probe* p, int col,
                             bool rate) {
  moved_place x = {.at = place_of(m, w, p), .d = td_frame_change(m, w, p->station, col, rate)};
  x.ds = vec3_cross(x.d.turn, x.at.s);
  if (w->along && p->point != NUM_NONE)
    x.ds = vec3_add(x.ds, mat3_apply(x.at.f.R, vec3_of(w->dnum + p->point)));
  return x;
}

// dp + ds
static double pos_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const moved_place x = change_of(m, w, &m->probe[i], col, rate);
  return vec3_at(vec3_add(x.d.p, x.ds), m->probe[i].component);
}

// dv + dw × s + w × ds
static double vel_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const moved_place x = change_of(m, w, &m->probe[i], col, rate);
  const vec3 turning = vec3_add(vec3_cross(x.d.w, x.at.s), vec3_cross(x.at.f.w, x.ds));
  return vec3_at(vec3_add(x.d.v, turning), m->probe[i].component);
}

// da + dw' × s + w' × ds + dw × (w × s) + w × d(w × s)
static double acc_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const moved_place x = change_of(m, w, &m->probe[i], col, rate);
  const frame* f = &x.at.f;
  const vec3 ws = vec3_cross(f->w, x.at.s);
  const vec3 dws = vec3_add(vec3_cross(x.d.w, x.at.s), vec3_cross(f->w, x.ds));
  vec3 sum = vec3_add(x.d.a, vec3_add(vec3_cross(x.d.dw, x.at.s), vec3_cross(f->dw, x.ds)));
  sum = vec3_add(sum, vec3_add(vec3_cross(x.d.w, ws), vec3_cross(f->w, dws)));
  return vec3_at(sum, m->probe[i].component);
}

// d acc/d v' = d vel/d v
static double acc_accel_diff(const td_model* m, const td_work* w, int i, int col) {
  return vel_diff(m, w, i, col, true);
}

// dR = turn × R, column by column.
static double rot_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const frame f = td_frame(m, w, m->probe[i].station);
  const frame_change d = td_frame_change(m, w, m->probe[i].station, col, rate);
  const int c = m->probe[i].component;
  return vec3_at(vec3_cross(d.turn, mat3_col(f.R, c / 3)), c % 3);
}

// dQ = ½ (0, turn) Q
static double quaternion_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const frame f = td_frame(m, w, m->probe[i].station);
  const frame_change d = td_frame_change(m, w, m->probe[i].station, col, rate);
  const quat half = {0, vec3_scale(0.5, d.turn)}, q = quat_mul(half, quat_mat3(f.R));
  return m->probe[i].component == 0 ? q.w : vec3_at(q.v, m->probe[i].component - 1);
}

// d(Rᵀ w) = Rᵀ (dw - turn × w)
static double omega_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const frame f = td_frame(m, w, m->probe[i].station);
  const frame_change d = td_frame_change(m, w, m->probe[i].station, col, rate);
  return vec3_at(mat3_apply_t(f.R, vec3_sub(d.w, vec3_cross(d.turn, f.w))), m->probe[i].component);
}

// ---- rates and biases -------------------------------------------------------------------------

// Rates of a vector s fixed in a rotating frame: s' = w × s, s" = w' × s + w × (w × s) at v' = 0.
static void carried(const frame* f, vec3 s, vec3* rate, vec3* bias) {
  *rate = vec3_cross(f->w, s);
  *bias = vec3_add(vec3_cross(f->dw, s), vec3_cross(f->w, *rate));
}

// Rate and bias of p + s.
static sensor_motion pos_motion(const td_model* m, const td_work* w, int i) {
  const placed x = place_of(m, w, &m->probe[i]);
  const int c = m->probe[i].component;
  vec3 rate, bias;
  carried(&x.f, x.s, &rate, &bias);
  return (sensor_motion){vec3_at(vec3_add(x.f.v, rate), c), vec3_at(vec3_add(x.f.a, bias), c)};
}

// Rate and bias of a column of R.
static sensor_motion rot_motion(const td_model* m, const td_work* w, int i) {
  const frame f = td_frame(m, w, m->probe[i].station);
  const int c = m->probe[i].component;
  vec3 rate, bias;
  carried(&f, mat3_col(f.R, c / 3), &rate, &bias);
  return (sensor_motion){vec3_at(rate, c % 3), vec3_at(bias, c % 3)};
}

// Q' = ½ (0, w) Q,   Q" = ½ (0, w') Q + ½ (0, w) Q'
static sensor_motion quaternion_motion(const td_model* m, const td_work* w, int i) {
  const frame f = td_frame(m, w, m->probe[i].station);
  const int c = m->probe[i].component;
  const quat half = {0, vec3_scale(0.5, f.w)}, half_rate = {0, vec3_scale(0.5, f.dw)};
  const quat q = quat_mat3(f.R), q1 = quat_mul(half, q), a = quat_mul(half_rate, q),
             b = quat_mul(half, q1);
  if (c == 0) return (sensor_motion){q1.w, a.w + b.w};
  return (sensor_motion){vec3_at(q1.v, c - 1), vec3_at(vec3_add(a.v, b.v), c - 1)};
}

static void visit(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m;
  to->station(to->ctx, p->station);
}

// ---- adjoints ---------------------------------------------------------------------------------

// Weights of the arm s of a probe's point, which turns with its frame.
static void arm_reverse(const model_probe* p, const placed* x, vec3 arm, frame_change* to,
                        adjoint* b) {
  to->turn = vec3_add(to->turn, vec3_cross(x->s, arm));
  if (p->point != NUM_NONE) add3(b->n + p->point, mat3_apply_t(x->f.R, arm));
}

static void pos_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  const placed x = place_of(m, w, p);
  frame_change to = {.p = vec3_scale(bar, vec3_axis(p->component))};
  arm_reverse(p, &x, to.p, &to, b);
  td_frame_reverse(m, w, p->station, &to, b);
}

static void vel_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  const placed x = place_of(m, w, p);
  frame_change to = {.v = vec3_scale(bar, vec3_axis(p->component))};
  to.w = vec3_cross(x.s, to.v);
  arm_reverse(p, &x, vec3_cross(to.v, x.f.w), &to, b);
  td_frame_reverse(m, w, p->station, &to, b);
}

static void rot_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  const int c = p->component;
  const vec3 column = mat3_col(td_frame(m, w, p->station).R, c / 3);
  const frame_change to = {.turn = vec3_scale(bar, vec3_cross(column, vec3_axis(c % 3)))};
  td_frame_reverse(m, w, p->station, &to, b);
}

static void quaternion_reverse(const td_model* m, td_work* w, int i, double bar,
                               struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  const quat Q = quat_mat3(td_frame(m, w, p->station).R);
  double turn[3];
  for (int k = 0; k < 3; k++) {
    const quat q = quat_mul((quat){0, vec3_scale(0.5 * bar, vec3_axis(k))}, Q);
    turn[k] = p->component == 0 ? q.w : vec3_at(q.v, p->component - 1);
  }
  const frame_change to = {.turn = vec3_of(turn)};
  td_frame_reverse(m, w, p->station, &to, b);
}

static void omega_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  const frame f = td_frame(m, w, p->station);
  const vec3 axis = vec3_scale(bar, mat3_col(f.R, p->component));
  const frame_change to = {.w = axis, .turn = vec3_cross(axis, f.w)};
  td_frame_reverse(m, w, p->station, &to, b);
}

const sensor_ops td_sensor_POS = {pos,  pos_diff, td_no_accel_diff, pos_motion, visit, pos_reverse,
                                  NULL, false};
const sensor_ops td_sensor_ROT = {rot,  rot_diff, td_no_accel_diff, rot_motion, visit, rot_reverse,
                                  NULL, false};
const sensor_ops td_sensor_QUAT = {quaternion,
                                   quaternion_diff,
                                   td_no_accel_diff,
                                   quaternion_motion,
                                   visit,
                                   quaternion_reverse,
                                   NULL,
                                   false};
const sensor_ops td_sensor_VEL = {
    vel, vel_diff, td_no_accel_diff, td_no_motion, visit, vel_reverse, NULL, false};
const sensor_ops td_sensor_OMEGA = {
    omega, omega_diff, td_no_accel_diff, td_no_motion, visit, omega_reverse, NULL, false};
const sensor_ops td_sensor_ACC = {
    acc, acc_diff, acc_accel_diff, td_no_motion, visit, td_no_sensor_reverse, NULL, true};
