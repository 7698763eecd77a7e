// Kinematics: poses, motion subspaces and twists of all hops, parents first.
//
//   g_j = g_parent · fix_j · exp(S q)            V_j = V_parent + S_j v_j
//   c_j = V_parent × S_j v_j + (own rate of S_j) v_j       so that  A_j = A_parent + S_j v_j' + c_j
//
// All in world axes about one origin (spatial.h), so S_j is the same for every station downstream.
#include <string.h>

#include "elem/chart.h"
#include "engine/hop_strain.h"
#include "engine/stages.h"

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

// Returns the motion subspace.
static inline spatial place_screw(const td_work* w, const model_hop* hop, int i, pose* g) {
  const double q = w->q[hop->q];
  const vec3 axis = mat3_apply(g->R, w->hop_axis[i]);
  const double lead = hop->moves ? 1 : hop->pitch != NUM_NONE ? w->num[hop->pitch] : 0;
  spatial S = spatial_of(vec3_scale(lead, axis), (vec3){0, 0, 0});
  if (lead != 0) g->p = vec3_axpy(lead * q, axis, g->p);
  if (hop->turns) {
    const vec3 pw = vec3_cross(g->p, axis);
    S = spatial_of(vec3_axpy(lead, axis, pw), axis);
    const double s = sin(q), c = cos(q);
    const int k = w->hop_principal[i];
    g->R =
        k >= 0 ? turn_principal(g->R, k, s, c) : mat3_mul(g->R, mat3_axis_angle(w->hop_axis[i], q));
  }
  return S;
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

chart_kind td_hop_chart(const model_hop* hop) {
  return hop->kind == HOP_QUAT3 ? CHART_QUAT3 : hop->kind == HOP_CAYLEY ? CHART_CAYLEY : CHART_TURN;
}

// Columns of a chart: weight times the motion of the number they enter.
static void put_columns(const td_model* m, td_work* w, const model_hop* hop,
                        const spatial part[3]) {
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    w->col[k].S = spatial_scale(w->col_weight[k], part[m->col[k].part]);
}

static void place_move(const td_model* m, td_work* w, const model_hop* hop, pose* g) {
  const vec3 none = {0, 0, 0};
  spatial part[3];
  for (int k = 0; k < 3; k++) part[k] = spatial_of(mat3_col(g->R, k), none);
  g->p = pose_apply(*g, td_chart_numbers(m, w, hop));
  put_columns(m, w, hop, part);
}

// Scalar part of a quaternion below which its vector part does not tell the motion any more: its
// rate has lost the component along the axis.  Within a tenth of a degree of half a turn.
#define HALF_TURN 1e-3

// Unit quaternion, pair or chart: columns are body axes T e_k carried to the world.
static void place_rotation(const td_model* m, td_work* w, const model_hop* hop, int i, pose* g) {
  const double* q = w->q + hop->q;
  mat3 T = mat3_identity();
  if (hop->kind == HOP_CIRCLE) {
    g->R = mat3_mul(g->R, mat3_quat(quat_unit((quat){q[0], vec3_scale(q[1], w->hop_axis[i])})));
    w->col[hop->col].S = spatial_rotation(g->p, mat3_apply(g->R, w->hop_axis[i]));
    return;
  }
  if (hop->kind == HOP_BALL) {
    g->R = mat3_mul(g->R, mat3_quat(quat_unit((quat){q[0], vec3_of(q + 1)})));
  } else {
    const chart_frame c = td_chart_frame(td_hop_chart(hop), td_chart_numbers(m, w, hop));
    if (c.Q.w < HALF_TURN && !(hop->kind == HOP_TURN && hop->prescribed)) w->edge = i;
    g->R = mat3_mul(g->R, mat3_quat(c.Q));
    T = c.T;
  }
  spatial part[3];
  for (int k = 0; k < 3; k++) part[k] = spatial_rotation(g->p, mat3_apply(g->R, mat3_col(T, k)));
  put_columns(m, w, hop, part);
}

// (dT/dt y') of a chart, in the world: what S v gains at constant v
static spatial own_rate(const td_model* m, const td_work* w, const model_hop* hop, const pose* g) {
  const vec3 y = td_chart_numbers(m, w, hop), u = td_chart_rates(m, w, hop, w->v);
  const vec3 rate = td_chart_rate(td_hop_chart(hop), y, u);
  return spatial_rotation(g->p, mat3_apply(g->R, rate));
}

static bool is_placed(const td_model* m, const td_state* state, const td_work* w) {
  return w->placed && memcmp(&w->t, &state->t, sizeof(double)) == 0 &&
         memcmp(w->q, state->q, (size_t)m->npos * sizeof(double)) == 0 &&
         memcmp(w->v, state->v, (size_t)m->nvel * sizeof(double)) == 0;
}

void td_place(const td_model* m, const td_state* state, td_work* w) {
  if (is_placed(m, state, w)) return;
  w->placed = true;
  w->edge = w->wound = -1;
  *w->found = (contact_found){.n = 0};
  memcpy(w->q, state->q, (size_t)m->npos * sizeof(double));
  memcpy(w->v, state->v, (size_t)m->nvel * sizeof(double));
  w->t = state->t;
  if (m->nmotion_slot > 0) td_place_motion(m, w, w->t, w->q, w->v);
  td_strain_numbers(m, w);
  const spatial still = spatial_zero();
  const pose ground = pose_identity();
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (hop->node > 0 && hop->kind == HOP_MOVE) {
      td_node_place(m, w, i);
      continue;
    }
    if (hop->kind == HOP_STRAIN) {
      if (begins_run(m, i)) td_strain_place(m, w, &m->run[hop->run]);
      continue;
    }
    hop_work* h = &w->hop[i];
    const bool root = hop->parent < 0;
    const spatial* V = root ? &still : &w->hop[hop->parent].V;
    pose g = pose_mul(root ? ground : w->hop[hop->parent].g, w->hop_fix[i]);

    spatial Sv, own = still;
    if (hop->kind == HOP_SCREW) {
      const spatial S = place_screw(w, hop, i, &g);
      w->col[hop->col].S = S;
      Sv = spatial_scale(w->v[hop->v], S);
    } else {
      if (hop->kind == HOP_MOVE) {
        place_move(m, w, hop, &g);
      } else {
        place_rotation(m, w, hop, i, &g);
      }
      Sv = spatial_zero();
      for (int k = hop->col; k < hop->col + hop->nv; k++)
        Sv = spatial_axpy(w->v[m->col[k].v], w->col[k].S, Sv);
    }
    h->g = g;
    h->V = spatial_add(*V, Sv);
    h->c = spatial_cross(V, &Sv);
    if (is_chart(hop)) own = own_rate(m, w, hop, &g);
    h->c = spatial_add(h->c, own);
    if (w->hop_heavy[i]) h->I = inertia_move(g, w->hop_inertia[i]);
  }
  td_fluid_place(m, w);
}

void td_place_motion(const td_model* m, td_work* w, double t, double* q, double* v) {
  double* value = w->partial;
  w->vars[m->time_var] = t;
  const td_tape* tape = w->open_tables ? m->motion_open_tape : m->motion_tape;
  td_tape_eval(tape, w->vars, w->scratch_tape, value);
  for (int i = 0; i < m->nmotion_slot; i++) w->num[m->motion_slot[i]] = value[i];
  for (int i = 0; i < m->nvel && m->nfree_v < m->nvel; i++) {
    if (m->vel[i].motion == NUM_NONE) continue;
    q[m->vel[i].partner] = w->num[m->vel[i].motion];
    v[i] = w->num[m->vel[i].motion + 1];
  }
}

frame td_frame(const td_model* m, const td_work* w, int station) {
  if (station < 0) return frame_ground();
  const int i = m->station[station].hop;
  if (i < 0) {
    frame f = frame_ground();
    f.R = w->station_fix[station].R;
    f.p = w->station_fix[station].p;
    return f;
  }
  const hop_work* h = &w->hop[i];
  const pose g = m->station[station].nfix == 0 ? h->g : pose_mul(h->g, w->station_fix[station]);
  frame f = {.R = g.R, .p = g.p, .w = spatial_r(&h->V), .dw = spatial_r(&h->A)};
  f.v = vec3_add(spatial_t(&h->V), vec3_cross(f.w, f.p));
  f.a = vec3_add(vec3_add(spatial_t(&h->A), vec3_cross(f.dw, f.p)), vec3_cross(f.w, f.v));
  return f;
}
