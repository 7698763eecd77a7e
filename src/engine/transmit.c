// Sensors of transmitted forces and their derivatives: force() of joints, wrench() of sections of
// rods, lambda() of constraint rows and tension() of cables.
//
// The wrench f on the second body of a joint in the tree is the wrench that everything downstream
// needs,
//
//   f = Σ_j (I A + V ×* I V - f_j)       over the subtree,
//
// and that of a link is what its springs and multipliers exert.  It depends on the state directly,
// as the rows of tangent.c do, and through v' and λ, in which it is linear:
//
//   df = ∂f + Σ_l (Σ_j I_j S_l) dv'_l + Σ_i (∂f/∂λ_i) dλ_i
//
// The sensor shows it in the axes of the first body, about the place of the second.  Inside a rod
// it is a sum of such wrenches (model_share) with the opposite sign, in the axes of the section.
#include <string.h>

#include "engine/direction.h"
#include "engine/taut.h"

// The joint of a force() sensor, or one term of a wrench() sensor, at the present state.
typedef struct transmitted {
  const model_probe* p;
  int hop;                   // joints of the tree: first hop of the subtree, -1: the ground
  int strain;                // segment whose wrench it is, -1: none
  bool main;                 // a joint of the tree, or a hop of a rod
  double factor;             // factor of this term in the sensor
  int a_station, b_station;  // axes of the first, point of the second
  frame a, b;                // their frames
  spatial f;                 // the wrench, about the world's origin
} transmitted;

// Number of wrenches that a sensor sums: one of a joint, several of a section.
static int term_count(const model_probe* p) { return sensor_is(p->kind, OF_JOINT) ? 1 : p->nshare; }

// Evaluate one term of a force() or wrench() sensor, after td_composites.
static transmitted transmitted_at(const td_model* m, const td_work* w, const model_probe* p,
                                  int term) {
  const bool joint = sensor_is(p->kind, OF_JOINT);
  const model_share* s = joint ? NULL : &m->share[p->share + term];
  transmitted t = {.p = p,
                   .hop = joint ? -1 : s->hop,
                   .strain = joint ? -1 : s->strain,
                   .main = joint ? m->joint[p->joint - 1].main : s->hop >= 0,
                   .factor = joint ? 1 : -s->factor,
                   .a_station = joint ? p->a : p->station,
                   .b_station = joint ? p->b : p->station};
  t.a = td_frame(m, w, t.a_station);
  t.b = td_frame(m, w, t.b_station);

  // the wrench: from the sums over the subtree, or of the link or segment itself
  if (joint && t.main) t.hop = m->station[p->b].hop;

  if (t.main) {
    if (t.hop >= 0) t.f = w->hop[t.hop].F;
    if (t.hop >= 0 && !w->along) t.f = spatial_sub(t.f, sums_of_hop(w, t.hop)->E);
  } else {
    t.f = joint ? td_link_wrench(m, w, p->joint, p->element) : td_segment_link(m, w, t.strain);
  }

  return t;
}

// True when `hop` lies in the subtree of `root`.
static bool in_subtree(const td_model* m, int root, int hop) {
  return root >= 0 && hop >= root && hop <= m->hop[root].last;
}

// Sum of the multipliers, or of their changes, of the rows that a lambda() sensor names.
static double lambda_sum(const td_model* m, const model_probe* p, const double* lambda) {
  double sum = 0;
  for (int k = 0; k < m->nrow; k++) {
    const model_row* r = &m->row[k];
    if (r->joint == p->joint && r->element == p->element && r->direction == p->component)
      sum += lambda[k];
  }
  return sum;
}

// Component c of a force (0-2) or torque (3-5) in the axes R.
static double component(mat3 R, vec3 force, vec3 torque, int c) {
  return c < 3 ? vec3_at(mat3_apply_t(R, force), c) : vec3_at(mat3_apply_t(R, torque), c - 3);
}

// Torque of the wrench f about the point p.
static vec3 torque_about(const spatial* f, vec3 p) {
  return vec3_sub(spatial_r(f), vec3_cross(p, spatial_t(f)));
}

// Change of the sensor for a change df of the wrench, at fixed frames.
static double shown(const transmitted* t, spatial df) {
  return t->factor * component(t->a.R, spatial_t(&df), torque_about(&df, t->b.p), t->p->component);
}

// Change of the sensor for the motion of the frames, at a fixed wrench: da turns the axes, db moves
// the point.
static double turned(const transmitted* t, const frame_change* da, const frame_change* db) {
  const vec3 F = spatial_t(&t->f), T = torque_about(&t->f, t->b.p);
  const vec3 moved = vec3_add(vec3_cross(db->p, F), vec3_cross(da->turn, T));
  return t->factor *
         component(t->a.R, vec3_cross(F, da->turn), vec3_scale(-1, moved), t->p->component);
}

// ---- derivatives along a column ---------------------------------------------------------------

// Change of the inertial wrenches of a subtree and of the forces on its single stations along one
// column, at constant v': with h the lower of the column's hop and the root, IA X + B(S) for its
// rate and S ×* F + IA Z + B(U) for its position (tangent.c).
static spatial inertial_change(const td_model* m, const td_work* w, int root, int col, bool rate) {
  const int hop = m->col[col].hop;
  const int lower = in_subtree(m, root, hop) ? hop : in_subtree(m, hop, root) ? root : -1;
  if (lower < 0) return spatial_zero();
  const hop_sum* h = sums_of_hop(w, lower);
  const col_sum* c = sums_of_col(w, col);
  const spatial* S = &w->col[col].S;
  const hop_block* b = m->has_blocks ? &w->blocks[lower] : NULL;

  // along its rate
  if (rate) {
    const spatial d = spatial_add(spatial6_apply(&h->IA, &c->X), td_rate_wrench(h, S));
    return b ? spatial_add(d, spatial6_apply(&b->B, S)) : d;
  }

  // along its position
  const spatial turn = spatial_cross_force(S, &w->hop[lower].F), IZ = spatial6_apply(&h->IA, &c->Z);
  const spatial d = spatial_add(spatial_add(turn, IZ), td_rate_wrench(h, &c->U));
  if (!b) return d;
  return spatial_add(d, spatial_add(spatial6_apply(&b->B, &c->U), spatial6_apply(&b->K, S)));
}

// Change of the wrench for the changes w->df of the forces on hops; col < 0: with the numbers
// alone.
static spatial wrench_change(const td_model* m, td_work* w, const transmitted* t, int col,
                             bool rate) {
  // a segment, then a link of a joint: their own derivatives
  if (t->strain >= 0) {
    const force_info f = force_at(m, first_force(m, FORCE_strain) + t->strain);
    force_state s;
    spatial change[3];
    td_force_linearise(m, w, &f, &s);
    td_force_change(m, w, &f, &s, col, rate, change, NULL);
    return change[1];
  }

  if (!t->main) return td_link_change(m, w, t->p->joint, t->p->element, col, rate);

  // along the direction w->df has the changes of all forces, those of the masses included

  // a joint of the tree: inertial wrenches along all columns of the DOF, minus the changes of
  // forces
  if (t->hop < 0) return spatial_zero();
  spatial d = spatial_zero();
  for (int k = col; k >= 0; k = m->col[k].next)
    d = spatial_add(d, inertial_change(m, w, t->hop, k, rate));
  for (int i = t->hop; i <= m->hop[t->hop].last; i++) d = spatial_sub(d, w->df[i]);
  return d;
}

// Add scale · ∂f of a force() or wrench() sensor: change of the wrench, and along a position of its
// frames.
static void wrench_diff(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
                        double scale, double* to) {
  for (int term = 0; term < term_count(p); term++) {
    const transmitted t = transmitted_at(m, w, p, term);
    double d = shown(&t, wrench_change(m, w, &t, col, rate));
    if ((col >= 0 || col == ALONG) && !rate) {
      const frame_change da = td_frame_change(m, w, t.a_station, col, false),
                         db = td_frame_change(m, w, t.b_station, col, false);
      d += turned(&t, &da, &db);
    }
    *to += scale * d;
  }
}

// Add scale · ∂T of a tension() sensor; velocities do not change a tension.
static void tension_diff(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
                         double scale, double* to) {
  const int row = m->cable[p->cable - 1].row;
  if (col != ALONG)
    *to += scale * td_cable_tension_change(m, w, p->cable - 1, rate ? -1 : col);
  else if (row < 0)
    *to += scale * w->along->tension[p->cable - 1];
  else if (!row_is_off(m, w, row))
    *to += scale * w->along->lambda[row];
}

// A multiplier depends on the state only through the equations of motion: ∂λ = 0 along columns.
static void lambda_diff(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
                        double scale, double* to) {
  (void)rate;
  if (col == ALONG) *to += scale * lambda_sum(m, p, w->along->lambda);
}

// ---- derivatives through v' and λ -------------------------------------------------------------

// d(sensor)/dv'_v: inertia downstream of the joint that the DOF v accelerates.
static double slope_of_acceleration(const td_model* m, const td_work* w, const transmitted* t,
                                    int v) {
  double sum = 0;
  for (int col = 0; col < m->ncol && t->hop >= 0; col++) {
    const int hop = m->col[col].hop;
    if (m->col[col].v != v) continue;
    if (in_subtree(m, t->hop, hop))
      sum += shown(t, spatial6_apply(&sums_of_hop(w, hop)->IA, &w->col[col].S));
    else if (in_subtree(m, hop, t->hop))
      sum += shown(t, spatial6_apply(&sums_of_hop(w, t->hop)->IA, &w->col[col].S));
  }
  return sum;
}

// d(sensor)/dλ of a row: its unit wrenches on a link itself, or minus those on the subtree.
static double slope_of_multiplier(const td_model* m, td_work* w, const transmitted* t, int row) {
  const model_row* r = &m->row[row];
  double sum = 0;

  // an inextensible cable pulls on all hops that it passes
  if (!row_has_frames(r->kind)) {
    if (!t->main || t->hop < 0 || row_is_off(m, w, row)) return 0;
    memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
    td_taut_pull(m, w, r->cable, 1, w->df, sizeof *w->df, w->dtau);
    for (int i = t->hop; i <= m->hop[t->hop].last; i++) sum -= shown(t, w->df[i]);
    return sum;
  }

  // a row between frames acts on its three stations
  const int station[3] = {r->a, r->b, r->c};
  spatial f[3];
  if (t->strain >= 0) return 0;
  td_row_wrenches(m, w, row, f);
  if (!t->main) return r->joint == t->p->joint && r->element == t->p->element ? shown(t, f[1]) : 0;
  for (int k = 0; k < 3; k++)
    if (station[k] >= 0 && in_subtree(m, t->hop, m->station[station[k]].hop)) sum -= shown(t, f[k]);
  return sum;
}

// Add slope · [q v u], the derivatives of one v' or λ, to the derivatives of output `target`.
static void add_through(const td_model* m, const sensor_tangent* s, int target, double slope,
                        const double* q, const double* v, const double* u) {
  const int nv = m->nvel, nu = model_drives(m);
  if (slope == 0) return;
  for (int k = 0; k < nv; k++) {
    s->dq[target * nv + k] += slope * q[k];
    s->dv[target * nv + k] += slope * v[k];
  }
  for (int k = 0; k < nu; k++) s->du[target * nu + k] += slope * u[k];
}

// Add what a force() or wrench() sensor gets through all v' and λ.
static void wrench_through(const td_model* m, td_work* w, const sensor_tangent* s, int i) {
  const int nv = m->nvel, nu = model_drives(m), cols = 2 * nv + nu,
            target = m->output_probe[i].target;
  const model_probe* p = &m->probe[m->output_probe[i].source];

  for (int term = 0; term < term_count(p); term++) {
    const transmitted t = transmitted_at(m, w, p, term);
    for (int l = 0; l < nv && t.hop >= 0; l++)
      add_through(m, s, target, s->scale[i] * slope_of_acceleration(m, w, &t, l), s->Aq + l * nv,
                  s->Av + l * nv, s->Au + l * nu);
    for (int r = 0; r < m->nrow; r++) {
      const double* d = s->dlambda + r * cols;
      const double slope = s->scale[i] * slope_of_multiplier(m, w, &t, r);
      add_through(m, s, target, slope, d, d + nv, d + 2 * nv);
    }
  }
}

// The tension of an inextensible cable is the multiplier of its row; others do not depend on
// multipliers.
static void tension_through(const td_model* m, td_work* w, const sensor_tangent* s, int i) {
  const int nv = m->nvel, cols = 2 * nv + model_drives(m);
  const int row = m->cable[m->probe[m->output_probe[i].source].cable - 1].row;
  if (row < 0 || row_is_off(m, w, row)) return;
  const double* own = s->dlambda + row * cols;
  add_through(m, s, m->output_probe[i].target, s->scale[i], own, own + nv, own + 2 * nv);
}

// Sum of the multipliers of the rows that the sensor names.
static void lambda_through(const td_model* m, td_work* w, const sensor_tangent* s, int i) {
  (void)w;
  const int nv = m->nvel, cols = 2 * nv + model_drives(m);
  const model_probe* p = &m->probe[m->output_probe[i].source];
  for (int r = 0; r < m->nrow; r++) {
    const model_row* row = &m->row[r];
    const double* d = s->dlambda + r * cols;
    if (row->joint == p->joint && row->element == p->element && row->direction == p->component)
      add_through(m, s, m->output_probe[i].target, s->scale[i], d, d + nv, d + 2 * nv);
  }
}

// Sum of the shares of a wrench() sensor: the wrench of the part of the rod before s on the part
// beyond, about the world's origin; after td_inverse.
spatial td_rod_wrench(const td_model* m, const td_work* w, const model_probe* p) {
  spatial sum = spatial_zero();
  for (int i = p->share; i < p->share + p->nshare; i++) {
    const model_share* s = &m->share[i];
    sum = spatial_axpy(s->factor, s->hop >= 0 ? w->hop[s->hop].F : td_segment_link(m, w, s->strain),
                       sum);
  }
  return sum;
}

// force(): for a joint of the tree the wrench that the inverse dynamics has left in hop.F, else
// that of its links.
static double force_value(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  const bool main = m->joint[p->joint - 1].main;
  const int hop = main ? m->station[p->b].hop : -1;
  const spatial f = !main      ? td_link_wrench(m, w, p->joint, p->element)
                    : hop >= 0 ? w->hop[hop].F
                               : spatial_zero();
  return component(a.R, spatial_t(&f), torque_about(&f, b.p), p->component);
}

// wrench(): minus the wrench of the part before the section, in the axes of the section and about
// it.
static double wrench_value(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  const frame f = td_frame(m, w, p->station);
  const spatial on = td_rod_wrench(m, w, p);
  return -component(f.R, spatial_t(&on), torque_about(&on, f.p), p->component);
}

// lambda(): sum of the multipliers of a joint's element along one direction.
static double lambda_value(const td_model* m, td_work* w, int i) {
  return lambda_sum(m, &m->probe[i], w->lambda);
}

// tension(): the multiplier of an inextensible cable, 0 while it is slack, or the law of an elastic
// one.
static double tension_value(const td_model* m, td_work* w, int i) {
  const int cable = m->probe[i].cable - 1, row = m->cable[cable].row;
  if (row >= 0) return w->cable[cable].slack ? 0 : w->lambda[row];
  td_cable_tensions(m, w);
  return w->cable[cable].tension;
}

// Does a sensor depend on multipliers?  lambda() and links: when the joint has rows of its own.
static bool has_own_rows(const td_model* m, const model_probe* p) {
  for (int i = 0; i < m->nrow; i++)
    if (m->row[i].joint == p->joint && m->row[i].element == p->element) return true;
  return false;
}

// wrench(): rows anywhere may load the rod.
static bool has_any_row(const td_model* m, const model_probe* p) { return (void)p, m->nrow > 0; }
// force(): rows anywhere may load a joint of the tree, a link only feels its own.
static bool force_has_rows(const td_model* m, const model_probe* p) {
  return m->joint[p->joint - 1].main ? m->nrow > 0 : has_own_rows(m, p);
}

// tension(): of an inextensible cable.
static bool tension_is_row(const td_model* m, const model_probe* p) {
  return m->cable[p->cable - 1].row >= 0;
}

// Forces may not depend on transmitted forces: these sensors have no derivatives of that kind and
// visit nothing.
#define ANSWERS td_no_diff, td_no_accel_diff, td_no_motion, td_no_visit, td_no_sensor_reverse
static const transmit_ops joint_ops = {wrench_diff, wrench_through, force_has_rows, true};
static const transmit_ops wrench_ops = {wrench_diff, wrench_through, has_any_row, true};
static const transmit_ops lambda_ops = {lambda_diff, lambda_through, has_own_rows, false};
static const transmit_ops tension_ops = {tension_diff, tension_through, tension_is_row, false};
const sensor_ops td_sensor_FORCE = {force_value, ANSWERS, &joint_ops, true};
const sensor_ops td_sensor_WRENCH = {wrench_value, ANSWERS, &wrench_ops, true};
const sensor_ops td_sensor_LAMBDA = {lambda_value, ANSWERS, &lambda_ops, false};
const sensor_ops td_sensor_TENSION = {tension_value, ANSWERS, &tension_ops, false};
#undef ANSWERS
