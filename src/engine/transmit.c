// Sensors of what joints, sections of rods and cables transmit, and their derivatives: force(),
// wrench(), lambda() and tension().
//
// The wrench f on the second body of a joint is, for a joint of the main chain, what everything
// beyond it needs,
//
//   f = Σ_j (I A + V ×* I V - f_j)       over the subtree,
//
// and for a link what its springs and multipliers give.  It depends on the state directly, as the
// rows of tangent.c do, and through v' and λ, in which it is linear:
//
//   df = ∂f + Σ_l (Σ_j I_j S_l) dv'_l + Σ_i (∂f/∂λ_i) dλ_i
//
// It is shown in the axes of the first body, about the second one's place.  Inside a rod it is a
// sum of such wrenches (model_share), with the opposite sign, in the axes of the section.
#include <string.h>

#include "engine/taut.h"

// The joint of a force() sensor, or a term of wrench(), at the present state.
typedef struct transmitted {
  const model_probe* p;
  int hop;     // main joints: the hop that the subtree begins with, -1: it is the ground
  int strain;  // the segment whose wrench it is, -1: a joint
  bool main;
  double factor;
  int a_station, b_station;
  frame a, b;
  spatial f;
} transmitted;

static int term_count(const model_probe* p) { return sensor_is(p->kind, OF_JOINT) ? 1 : p->nshare; }

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
  if (joint && t.main) t.hop = m->station[p->b].hop;
  if (t.main) {
    if (t.hop >= 0) t.f = spatial_sub(w->hop[t.hop].F, sums_of_hop(w, t.hop)->E);
  } else {
    t.f = joint ? td_link_wrench(m, w, p->joint, p->element) : td_segment_link(m, w, t.strain);
  }
  return t;
}

static bool in_subtree(const td_model* m, int root, int hop) {
  return root >= 0 && hop >= root && hop <= m->hop[root].last;
}

// ---- the component that is shown --------------------------------------------------------------

static double component(const transmitted* t, vec3 force, vec3 torque) {
  const int c = t->p->component;
  return t->factor * (c < 3 ? vec3_at(mat3_apply_t(t->a.R, force), c)
                            : vec3_at(mat3_apply_t(t->a.R, torque), c - 3));
}

// ... of a change of the wrench, the places held
static double held(const transmitted* t, spatial df) {
  const vec3 F = spatial_t(&df);
  return component(t, F, vec3_sub(spatial_r(&df), vec3_cross(t->b.p, F)));
}

// ... of the places alone: da turns the axes, db moves the point
static double turned(const transmitted* t, const frame_change* da, const frame_change* db) {
  const vec3 F = spatial_t(&t->f), T = vec3_sub(spatial_r(&t->f), vec3_cross(t->b.p, F));
  const vec3 moved = vec3_add(vec3_cross(db->p, F), vec3_cross(da->turn, T));
  return component(t, vec3_cross(F, da->turn), vec3_scale(-1, moved));
}

// ---- along a column ---------------------------------------------------------------------------

// Change of the inertial wrenches of a subtree and of the forces on single stations, v' held.
static spatial inertial_change(const td_model* m, const td_work* w, int root, int col, bool rate) {
  const int hop = m->col[col].hop;
  const int lower = in_subtree(m, root, hop) ? hop : in_subtree(m, hop, root) ? root : -1;
  if (lower < 0) return spatial_zero();
  const hop_sum* h = sums_of_hop(w, lower);
  const col_sum* c = sums_of_col(w, col);
  const spatial* S = &w->col[col].S;
  const hop_block* b = m->has_blocks ? &w->blocks[lower] : NULL;
  if (rate) {
    const spatial d = spatial_add(spatial6_apply(&h->IA, &c->X), td_rate_wrench(h, S));
    return b ? spatial_add(d, spatial6_apply(&b->B, S)) : d;
  }
  const spatial turn = spatial_cross_force(S, &w->hop[lower].F), IZ = spatial6_apply(&h->IA, &c->Z);
  const spatial d = spatial_add(spatial_add(turn, IZ), td_rate_wrench(h, &c->U));
  if (!b) return d;
  return spatial_add(d, spatial_add(spatial6_apply(&b->B, &c->U), spatial6_apply(&b->K, S)));
}

// Change of the wrench for the changes w->df of the forces on hops (col < 0: numbers alone).
static spatial wrench_change(const td_model* m, td_work* w, const transmitted* t, int col,
                             bool rate) {
  if (t->strain >= 0) {
    const force_info f = force_at(m, first_force(m, FORCE_strain) + t->strain);
    force_state s;
    spatial change[3];
    td_force_linearise(m, w, &f, &s);
    td_force_change(m, w, &f, &s, col, rate, change, NULL);
    return change[1];
  }
  if (!t->main) return td_link_change(m, w, t->p->joint, t->p->element, col, rate);
  if (t->hop < 0) return spatial_zero();
  spatial d = spatial_zero();
  for (int k = col; k >= 0; k = m->col[k].next)
    d = spatial_add(d, inertial_change(m, w, t->hop, k, rate));
  for (int i = t->hop; i <= m->hop[t->hop].last; i++) d = spatial_sub(d, w->df[i]);
  return d;
}

// Of the terms of a wrench one by one: the wrench changes, and along a position its places do.
static void wrench_diff(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
                        double scale, double* to) {
  for (int term = 0; term < term_count(p); term++) {
    const transmitted t = transmitted_at(m, w, p, term);
    double d = held(&t, wrench_change(m, w, &t, col, rate));
    if (col >= 0 && !rate) {
      const frame_change da = td_frame_change(m, w, t.a_station, col, false),
                         db = td_frame_change(m, w, t.b_station, col, false);
      d += turned(&t, &da, &db);
    }
    *to += scale * d;
  }
}

static void tension_diff(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
                         double scale, double* to) {
  *to += scale * td_cable_tension_change(m, w, p->cable - 1, rate ? -1 : col);
}

// A multiplier follows from the state through the equations of motion alone.
static void lambda_diff(const td_model* m, td_work* w, const model_probe* p, int col, bool rate,
                        double scale, double* to) {
  (void)m, (void)w, (void)p, (void)col, (void)rate, (void)scale, (void)to;
}

// ---- through v' and λ -------------------------------------------------------------------------

static double slope_of_acceleration(const td_model* m, const td_work* w, const transmitted* t,
                                    int v) {
  double sum = 0;
  for (int col = 0; col < m->ncol && t->hop >= 0; col++) {
    const int hop = m->col[col].hop;
    if (m->col[col].v != v) continue;
    if (in_subtree(m, t->hop, hop))
      sum += held(t, spatial6_apply(&sums_of_hop(w, hop)->IA, &w->col[col].S));
    else if (in_subtree(m, hop, t->hop))
      sum += held(t, spatial6_apply(&sums_of_hop(w, t->hop)->IA, &w->col[col].S));
  }
  return sum;
}

static double slope_of_tension(const td_model* m, td_work* w, const transmitted* t, int row) {
  if (!t->main || t->hop < 0 || row_is_off(m, w, row)) return 0;
  double sum = 0;
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  td_taut_pull(m, w, m->row[row].cable, 1, w->df, sizeof *w->df, w->dtau);
  for (int i = t->hop; i <= m->hop[t->hop].last; i++) sum -= held(t, w->df[i]);
  return sum;
}

static double slope_of_multiplier(const td_model* m, td_work* w, const transmitted* t, int row) {
  const model_row* r = &m->row[row];
  const int station[3] = {r->a, r->b, r->c};
  spatial f[3];
  double sum = 0;
  if (!row_has_frames(r->kind)) return slope_of_tension(m, w, t, row);
  if (t->strain >= 0) return 0;
  td_row_wrenches(m, w, row, f);
  if (!t->main) return r->joint == t->p->joint && r->element == t->p->element ? held(t, f[1]) : 0;
  for (int k = 0; k < 3; k++)
    if (station[k] >= 0 && in_subtree(m, t->hop, m->station[station[k]].hop)) sum -= held(t, f[k]);
  return sum;
}

// out rows of output `target` += slope * the row of a derivative given as [dq dv du]
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

static void tension_through(const td_model* m, td_work* w, const sensor_tangent* s, int i) {
  const int nv = m->nvel, cols = 2 * nv + model_drives(m);
  const int row = m->cable[m->probe[m->output_probe[i].source].cable - 1].row;
  if (row < 0 || row_is_off(m, w, row)) return;
  const double* own = s->dlambda + row * cols;
  add_through(m, s, m->output_probe[i].target, s->scale[i], own, own + nv, own + 2 * nv);
}

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

// ---- values, and the tables -------------------------------------------------------------------

static double joint_force(const td_model* m, td_work* w, const model_probe* p) {
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  spatial f = spatial_zero();
  if (m->joint[p->joint - 1].main) {
    // everything the subtree beyond the joint needs: left in hop.F by the inverse dynamics
    const int hop = m->station[p->b].hop;
    if (hop >= 0) f = w->hop[hop].F;
  } else {
    f = td_link_wrench(m, w, p->joint, p->element);
  }
  const vec3 F = mat3_apply_t(a.R, spatial_t(&f));
  const vec3 T = mat3_apply_t(a.R, vec3_sub(spatial_r(&f), vec3_cross(b.p, spatial_t(&f))));
  return p->component < 3 ? vec3_at(F, p->component) : vec3_at(T, p->component - 3);
}

spatial td_rod_wrench(const td_model* m, const td_work* w, const model_probe* p) {
  spatial sum = spatial_zero();
  for (int i = p->share; i < p->share + p->nshare; i++) {
    const model_share* s = &m->share[i];
    sum = spatial_axpy(s->factor, s->hop >= 0 ? w->hop[s->hop].F : td_segment_link(m, w, s->strain),
                       sum);
  }
  return sum;
}

static double section_force(const td_model* m, const td_work* w, const model_probe* p) {
  const frame f = td_frame(m, w, p->station);
  const spatial on = td_rod_wrench(m, w, p);
  const vec3 F = mat3_apply_t(f.R, spatial_t(&on));
  const vec3 T = mat3_apply_t(f.R, vec3_sub(spatial_r(&on), vec3_cross(f.p, spatial_t(&on))));
  return p->component < 3 ? -vec3_at(F, p->component) : -vec3_at(T, p->component - 3);
}

static double row_lambda(const td_model* m, const td_work* w, const model_probe* p) {
  double sum = 0;
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->joint == p->joint && r->element == p->element && r->direction == p->component)
      sum += w->lambda[i];
  }
  return sum;
}

static double taut_tension(const td_model* m, const td_work* w, int cable) {
  return w->cable[cable].slack ? 0 : w->lambda[m->cable[cable].row];
}

static double force_value(const td_model* m, td_work* w, int i) {
  return joint_force(m, w, &m->probe[i]);
}
static double wrench_value(const td_model* m, td_work* w, int i) {
  return section_force(m, w, &m->probe[i]);
}
static double lambda_value(const td_model* m, td_work* w, int i) {
  return row_lambda(m, w, &m->probe[i]);
}
static double tension_value(const td_model* m, td_work* w, int i) {
  const int cable = m->probe[i].cable - 1;
  if (m->cable[cable].row >= 0) return taut_tension(m, w, cable);
  td_cable_tensions(m, w);
  return w->cable[cable].tension;
}

// Does a probe follow from multipliers?  What a main joint transmits may.
static bool has_own_rows(const td_model* m, const model_probe* p) {
  for (int i = 0; i < m->nrow; i++)
    if (m->row[i].joint == p->joint && m->row[i].element == p->element) return true;
  return false;
}
static bool has_any_row(const td_model* m, const model_probe* p) { return (void)p, m->nrow > 0; }
static bool force_has_rows(const td_model* m, const model_probe* p) {
  return m->joint[p->joint - 1].main ? m->nrow > 0 : has_own_rows(m, p);
}
static bool tension_is_row(const td_model* m, const model_probe* p) {
  return m->cable[p->cable - 1].row >= 0;
}

// Forces may not depend on these.
#define ANSWERS td_no_diff, td_no_accel_diff, td_no_motion, td_no_visit
static const transmit_ops joint_ops = {wrench_diff, wrench_through, force_has_rows, true};
static const transmit_ops wrench_ops = {wrench_diff, wrench_through, has_any_row, true};
static const transmit_ops lambda_ops = {lambda_diff, lambda_through, has_own_rows, false};
static const transmit_ops tension_ops = {tension_diff, tension_through, tension_is_row, false};
const sensor_ops td_sensor_FORCE = {force_value, ANSWERS, &joint_ops, true};
const sensor_ops td_sensor_WRENCH = {wrench_value, ANSWERS, &wrench_ops, true};
const sensor_ops td_sensor_LAMBDA = {lambda_value, ANSWERS, &lambda_ops, false};
const sensor_ops td_sensor_TENSION = {tension_value, ANSWERS, &tension_ops, false};
#undef ANSWERS
