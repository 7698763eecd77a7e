// Kinematics: poses, motion subspaces and twists of all hops, parents first [featherstone2008, ch.
// 4 and 5].
//
//   g_j = g_parent · fix_j · exp(S q)            V_j = V_parent + S_j v_j
//   c_j = V_parent × S_j v_j + (own rate of S_j) v_j       so that  A_j = A_parent + S_j v_j' + c_j
//
// Everything is written in world axes about one origin (spatial.h), so that S_j is the same for
// every station downstream of hop j.
#include <string.h>

#include "engine/direction.h"
#include "engine/hop.h"
#include "engine/hop_strain.h"
#include "engine/stages.h"

// Compute poses, motion subspaces, twists and bias accelerations c of all hops at a state.
void td_place(const td_model* m, const td_state* state, td_work* w) {
  const size_t nq = (size_t)m->npos * sizeof(double), nv = (size_t)m->nvel * sizeof(double);
  if (w->placed && memcmp(&w->t, &state->t, sizeof(double)) == 0 &&
      memcmp(w->q, state->q, nq) == 0 && memcmp(w->v, state->v, nv) == 0)
    return;  // the work already holds this very state

  // copy the state and forget what was derived from the last one
  w->placed = true;
  w->edge = w->wound = -1;
  *w->found = (contact_found){.n = 0};
  memcpy(w->q, state->q, nq);
  memcpy(w->v, state->v, nv);
  w->t = state->t;

  // prescribed coordinates and written-out strains, then the hops: bundles of equal kind, parents
  // first
  if (m->nmotion_slot > 0) td_place_motion(m, w, w->t, w->q, w->v);
  td_strain_numbers(m, w);

  for (int i = 0, end; i < m->nhop; i = end) {
    end = m->hop[i].alike;
    td_hop_table[m->hop[i].kind]->place(m, w, i, end);
  }

  td_fluid_place(m, w);
}

// Evaluate prescribed motion at time t: its numbers, and the q and v of prescribed coordinates.
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

// Pose, velocity and acceleration of a station; without a station, or on the ground, all rates are
// zero.
frame td_frame(const td_model* m, const td_work* w, int station) {
  if (station < 0) return frame_ground();
  const int i = m->station[station].hop;
  if (i < 0) {
    frame f = frame_ground();
    f.R = w->station_fix[station].R;
    f.p = w->station_fix[station].p;
    return f;
  }

  // shift the hop's twist and acceleration from the world's origin to the station
  const hop_work* h = &w->hop[i];
  const pose g = m->station[station].nfix == 0 ? h->g : pose_mul(h->g, w->station_fix[station]);
  frame f = {.R = g.R, .p = g.p, .w = spatial_r(&h->V), .dw = spatial_r(&h->A)};
  f.v = vec3_add(spatial_t(&h->V), vec3_cross(f.w, f.p));
  f.a = vec3_add(vec3_add(spatial_t(&h->A), vec3_cross(f.dw, f.p)), vec3_cross(f.w, f.v));
  return f;
}

// Shift the changes of a hop's twist and acceleration about the world's origin to a station's
// frame, which moves itself by d->p.
static void shift_to(const frame* f, const spatial* dV, const spatial* dA, frame_change* d) {
  d->w = spatial_r(dV);
  d->v = vec3_add(vec3_add(spatial_t(dV), vec3_cross(d->w, f->p)), vec3_cross(f->w, d->p));
  d->dw = spatial_r(dA);
  d->a = vec3_add(vec3_add(spatial_t(dA), vec3_cross(d->dw, f->p)), vec3_cross(f->dw, d->p));
  d->a = vec3_add(d->a, vec3_add(vec3_cross(d->w, f->v), vec3_cross(f->w, d->v)));
}

// Changes of position, orientation, velocities and accelerations of a station's frame in the world,
// along the direction w->along; zero for the ground.
frame_change td_frame_along(const td_model* m, const td_work* w, int station) {
  frame_change d = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  if (station < 0) return d;
  const int hop = m->station[station].hop;
  const frame f = td_frame(m, w, station);
  spatial X = td_station_change(m, w, station);
  if (hop >= 0) X = spatial_add(X, w->along->hop[hop].X);

  // pose
  d.turn = spatial_r(&X);
  d.p = vec3_add(spatial_t(&X), vec3_cross(d.turn, f.p));
  if (hop < 0) return d;

  // velocities and accelerations at the origin of the world, carried to the station
  const hop_work* h = &w->hop[hop];
  const hop_change* c = &w->along->hop[hop];
  const spatial dV = spatial_add(spatial_cross(&c->X, &h->V), c->U);
  const spatial dA =
      spatial_add(spatial_add(spatial_cross(&c->X, &h->A), spatial_cross(&c->U, &h->V)), c->Z);
  shift_to(&f, &dV, &dA, &d);
  return d;
}

// Differentiate a station's frame along a leading column: dV = S × V + U and dA = S × A + U × V + Z
// for its position coordinate, dV = S and dA = S × V + X for its velocity (U, Z, X: tangent.c).
frame_change td_frame_change(const td_model* m, const td_work* w, int station, int col, bool rate) {
  if (col == ALONG) return td_frame_along(m, w, station);
  frame_change d = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  if (!station_moves(m, station, m->col[col].hop)) return d;
  const hop_work* h = &w->hop[m->station[station].hop];
  const frame f = td_frame(m, w, station);

  // sum the columns of this DOF up to the station: along a rod each step has its own
  spatial S = w->col[col].S, U = sums_of_col(w, col)->U, Z = sums_of_col(w, col)->Z,
          X = sums_of_col(w, col)->X;
  for (int k = m->col[col].next; k >= 0 && station_moves(m, station, m->col[k].hop);
       k = m->col[k].next) {
    const col_sum* c = sums_of_col(w, k);
    S = spatial_add(S, w->col[k].S);
    U = spatial_add(U, c->U);
    Z = spatial_add(Z, c->Z);
    X = spatial_add(X, c->X);
  }

  // changes of the hop's twist and acceleration about the world's origin
  spatial dV = S, dA = spatial_add(spatial_cross(&S, &h->V), X);

  if (!rate) {
    d.turn = spatial_r(&S);
    d.p = vec3_add(spatial_t(&S), vec3_cross(d.turn, f.p));
    dV = spatial_add(spatial_cross(&S, &h->V), U);
    dA = spatial_add(spatial_add(spatial_cross(&S, &h->A), spatial_cross(&U, &h->V)), Z);
  }

  shift_to(&f, &dV, &dA, &d);
  return d;
}

// Diagonal [m] of the axis-parallel box around all stations.
double td_robot_size(const td_model* m, const td_work* w) {
  vec3 low = {0, 0, 0}, high = low;
  for (int i = 0; i < m->nstation; i++) {
    const vec3 p = td_frame(m, w, i).p;
    if (i == 0) low = high = p;
    low = (vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
    high = (vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
  }
  return vec3_norm(vec3_sub(high, low));
}
