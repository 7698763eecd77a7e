// The fluid around the robot: drag, buoyancy and added mass of the wetted stations.
//
// Added mass enters the recursions as a general inertia beside the rigid one (added_now).  There
// gravity acts as an upward acceleration of the ground, which added mass does not feel: a force
// takes it back.  Buoyancy is minus the weight of the displaced fluid at its centre.
#include <string.h>

#include "elem/fluid.h"
#include "engine/adjoint.h"
#include "engine/force.h"
#include "engine/stages.h"

// ---- added mass -------------------------------------------------------------------------------

static bool moves(const td_model* m, const model_wet* wet) {
  return m->station[wet->station].hop >= 0;
}

// Collect the stations that move in the fluid into groups of eight lanes: hop, pose in it,
// displaced mass and centre, drag matrix.
static void prepare_stations(const td_model* m, td_work* w) {
  wet_eight* e = memset(w->wet_eight, 0, sizeof *e * (size_t)(m->nwet / LANES + 1));
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    if (!moves(m, wet)) continue;
    if (e->n == LANES) e++;
    const int l = e->n++;
    e->hop[l] = m->station[wet->station].hop;
    e->wet[l] = i;
    octet_pose_put(&e->fix, l, &w->station_fix[wet->station]);
    e->mass[l] = w->num[wet->displaced];
    for (int c = 0; c < 3; c++) e->centre[c][l] = w->num[wet->centre + c];
    for (int j = 0; wet->drag != NUM_NONE && j < 6; j++)
      for (int c = 0; c < 6; c++) e->drag[j].c[c][l] = w->num[wet->drag + 6 * c + j];
  }
}

// Sum the added masses of the stations of each hop in the hop's frame, and pack those of all
// immersed hops into groups of eight.
static void prepare_added(const td_model* m, td_work* w) {
  added_eight* e = memset(w->added_eight, 0, sizeof *e * (size_t)(m->nhop / LANES + 1));
  memset(w->added_now, 0, (size_t)m->nhop * sizeof(spatial6));
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    const int hop = m->station[wet->station].hop;
    if (wet->added == NUM_NONE || hop < 0) continue;
    spatial6 M = spatial6_of(w->num + wet->added);
    M = spatial6_to_world(&w->station_fix[wet->station], &M);  // to the hop's frame
    spatial6_add(&w->added_now[hop], &M);
    if (!w->hop_wet[hop]) w->hop_stream[hop] = i;
    w->hop_wet[hop] = true;
  }
  for (int i = 0; i < m->nhop; i++) {
    if (!w->hop_wet[i]) continue;
    if (e->n == LANES) e++;
    for (int j = 0; j < 6; j++) octet_put(&e->col[j], e->n, &w->added_now[i].col[j]);
    e->hop[e->n++] = i;
  }
}

void td_fluid_prepare(const td_model* m, td_work* w) {
  if (m->nwet > 0) prepare_stations(m, w);
  if (m->has_added) prepare_added(m, w);
}

static octet_pose poses_of(const td_work* w, const int* hop, int n) {
  octet_pose g = {{{0}}, {{0}}};
  for (int l = 0; l < n; l++) octet_pose_put(&g, l, &w->hop[hop[l]].g);
  return g;
}

// Carry the added masses of all hops from their frames to world axes, w->added_now, eight at a
// time.  Needs the poses of the present state.
void td_fluid_place(const td_model* m, td_work* w) {
  if (!w->added) return;
  for (const added_eight* e = w->added_eight; e <= w->added_eight + m->nhop / LANES; e++) {
    if (e->n == 0) return;
    const octet_pose g = poses_of(w, e->hop, e->n);
    octet M[6];
    octet_matrix_out_each(&g, e->col, M);
    for (int j = 0; j < 6; j++) {
      spatial each[LANES];
      octet_vectors(&M[j], each);
      for (int l = 0; l < e->n; l++) w->added_now[e->hop[l]].col[j] = each[l];
    }
  }
}

// ---- forces -----------------------------------------------------------------------------------

static spatial gravity(const td_model* m, const td_work* w) {
  return spatial_of(vec3_scale(w->load, vec3_of(w->num + m->gravity)), (vec3){0, 0, 0});
}

vec3 td_stream(const td_model* m, const td_work* w) {
  return vec3_scale(w->load, vec3_of(w->num + m->fluid_velocity));
}

static spatial stream(const td_model* m, const td_work* w) {
  return spatial_of(td_stream(m, w), (vec3){0, 0, 0});
}
// The same at a station; it is taken as uniform around it.
static spatial stream_by(const td_model* m, const td_work* w, int wet) {
  const num at = m->wet[wet].stream;
  if (!m->stream_varies || at == NUM_NONE) return stream(m, w);
  return spatial_of(vec3_scale(w->load, vec3_of(w->num + at)), (vec3){0, 0, 0});
}
// Change of the stream's velocity at a station, now at p, that moves by δX:
// ∂u/∂x (δX_t + δX_r × p)
static spatial stream_change(const td_model* m, const td_work* w, int wet, vec3 p,
                             const spatial* dX) {
  mat3 G;
  for (int k = 0; k < 9; k++) G.m[k] = w->load * w->num[m->wet[wet].stream + 3 + k];
  const vec3 dp = vec3_add(spatial_t(dX), vec3_cross(spatial_r(dX), p));
  return spatial_of(mat3_apply(G, dp), (vec3){0, 0, 0});
}
static bool varies_at(const td_model* m, int wet) {
  return m->stream_varies && m->wet[wet].stream != NUM_NONE;
}

static pose pose_of(const td_model* m, const td_work* w, int station) {
  return pose_mul(w->hop[m->station[station].hop].g, w->station_fix[station]);
}

// Displaced mass: centre and mass
static vec3 displaced(const td_model* m, const td_work* w, const model_wet* wet, double* mass) {
  *mass = w->num[wet->displaced];
  return pose_apply(pose_of(m, w, wet->station), vec3_of(w->num + wet->centre));
}

static spatial buoyancy(const td_model* m, const td_work* w, const model_wet* wet, vec3 g) {
  double mass;
  const vec3 c = displaced(m, w, wet, &mass);
  return spatial_force(c, vec3_scale(-mass, g), (vec3){0, 0, 0});
}

// Eight stations as they are now: their poses, and their twists against the fluid.
static octet_pose eight_now(const td_model* m, const td_work* w, const wet_eight* e,
                            const spatial* Vf, octet* Vr) {
  const octet_pose g = poses_of(w, e->hop, e->n);
  *Vr = octet_zero();
  for (int l = 0; l < e->n; l++) {
    const spatial u = m->stream_varies ? stream_by(m, w, e->wet[l]) : *Vf;
    const spatial V = spatial_sub(w->hop[e->hop[l]].V, u);
    octet_put(Vr, l, &V);
  }
  return octet_pose_mul(&g, &e->fix);
}

// Buoyancy of eight stations, as wrenches in the world: minus the weight of the displaced fluid at
// its centre.
static octet buoyancies(const wet_eight* e, const octet_pose* at, const spatial* g) {
  lanes c[3];
  octet f = octet_zero();
  octet_rotate_each(at->R, e->centre, c);
  for (int i = 0; i < 3; i++) {
    c[i] += at->p[i];
    f.c[i] = -g->a[i] * e->mass;
  }
  octet_cross3_each(c, f.c, f.c + 3);
  return f;
}

static void add_eight(td_work* w, const wet_eight* e, const octet* f) {
  spatial each[LANES];
  octet_vectors(f, each);
  for (int l = 0; l < e->n; l++) w->hop[e->hop[l]].f = spatial_add(w->hop[e->hop[l]].f, each[l]);
}

// Whether the power of the fluid is that of the drag alone, which is computed with the forces: the
// fluid is at rest, and gravity has a potential.
static bool only_drags(const td_model* m, const spatial* Vf) {
  return m->gravity_constant && !m->stream_varies && spatial_dot(Vf, Vf) == 0;
}

// Add drag, buoyancy, and the reactions of the added mass to gravity and stream to the wrenches of
// the hops.  The power of drag is counted where the fluid is at rest (only_drags).
static void add(const td_model* m, td_work* w, int which) {
  if (m->nwet == 0 || !(which & FORCES_PASSIVE)) return;
  const spatial g = gravity(m, w), Vf = stream(m, w);
  const bool flows = m->stream_varies || spatial_dot(&Vf, &Vf) > 0, drags = only_drags(m, &Vf);

  // drag and buoyancy at the stations, eight at a time
  for (const wet_eight* e = w->wet_eight; e <= w->wet_eight + m->nwet / LANES && e->n > 0; e++) {
    octet Vr;
    const octet_pose at = eight_now(m, w, e, &Vf, &Vr);
    const octet y = octet_twist_in_each(&at, &Vr), drag = drag_each(e->drag, &y);
    const octet f = octet_add(octet_wrench_out_each(&at, &drag), buoyancies(e, &at, &g));
    add_eight(w, e, &f);
    const lanes power = octet_dot_each(&y, &drag);
    for (int l = 0; l < e->n && drags; l++) w->law_power += power[l];
  }

  // added mass, hop by hop
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    hop_work* h = &w->hop[i];
    const spatial6* M = &w->added_now[i];
    h->f = spatial_sub(h->f, spatial6_apply(M, &g));
    if (!flows) continue;
    const spatial u = stream_by(m, w, w->hop_stream[i]);
    h->f = spatial_add(h->f, stream_force(M, &h->V, &u));
  }
}

// Change for a change of gravity.
void td_fluid_gravity_change(const td_model* m, const td_work* w, vec3 dg, spatial* df) {
  const spatial g = spatial_of(dg, (vec3){0, 0, 0});
  for (int i = 0; i < m->nwet; i++) {
    const int hop = m->station[m->wet[i].station].hop;
    if (hop >= 0) df[hop] = spatial_add(df[hop], buoyancy(m, w, &m->wet[i], dg));
  }
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    df[i] = spatial_sub(df[i], spatial6_apply(M, &g));
  }
}

// ---- derivatives ------------------------------------------------------------------------------

// Add the derivatives of buoyancy and drag at eight stations to the blocks of their hops: buoyancy
// keeps its direction, drag turns with its station and follows its twist.
static void eight_blocks(const td_model* m, td_work* w, const wet_eight* e, const spatial* g,
                         const spatial* Vf) {
  octet Vr, J[6], Kv[6];
  spatial each[LANES];
  const octet_pose at = eight_now(m, w, e, Vf, &Vr);
  const octet y = octet_twist_in_each(&at, &Vr), local = drag_each(e->drag, &y);
  const octet drag = octet_wrench_out_each(&at, &local);
  drag_slopes_each(e->drag, &y, J);
  octet_matrix_out_each(&at, J, Kv);
  octet_vectors(&drag, each);
  for (int l = 0; l < e->n; l++) {
    const pose one = octet_pose_at(&at, l);
    const vec3 c = {e->centre[0][l], e->centre[1][l], e->centre[2][l]};
    spatial6 K;
    for (int j = 0; j < 6; j++) K.col[j] = octet_vector(&Kv[j], l);
    td_block_dead_force(w, e->hop[l], pose_apply(one, c), vec3_scale(-e->mass[l], spatial_t(g)));
    const spatial u = m->stream_varies ? stream_by(m, w, e->wet[l]) : *Vf;
    td_block_turning(w, e->hop[l], &each[l], &K, &u);
    // where the station moves to, the stream is another: δf = -Kv δu, and blocks hold minus that
    for (int j = 0; varies_at(m, e->wet[l]) && j < 6; j++) {
      const spatial dX = spatial_unit(j), du = stream_change(m, w, e->wet[l], one.p, &dX);
      spatial* to = &w->blocks[e->hop[l]].K.col[j];
      *to = spatial_add(*to, spatial6_apply(&K, &du));
    }
  }
}

// Change of what takes gravity back from added mass, -M g:  δX ×* M g - M (δX × g) beside a minus,
// where δX × g has only its rotation's part.
static void weight_block(td_work* w, int hop, const spatial* g) {
  const spatial6* M = &w->added_now[hop];
  const spatial Mg = spatial6_apply(M, g);
  spatial6* K = &w->blocks[hop].K;
  spatial6_add_turning(K, &Mg);
  for (int j = 3; j < 6; j++) {
    const spatial e = spatial_unit(j), turned = spatial_cross(&e, g);
    K->col[j] = spatial_sub(K->col[j], spatial6_apply(M, &turned));
  }
}

// Add the derivatives of the fluid's wrenches to the stiffness and damping blocks of the hops.
static void blocks(const td_model* m, td_work* w) {
  if (m->nwet == 0) return;
  const spatial g = gravity(m, w), Vf = stream(m, w);
  const bool flows = m->stream_varies || spatial_dot(&Vf, &Vf) > 0;
  for (const wet_eight* e = w->wet_eight; e <= w->wet_eight + m->nwet / LANES && e->n > 0; e++)
    eight_blocks(m, w, e, &g, &Vf);

  // added mass in gravity and in a stream, which may vary in space
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    weight_block(w, i, &g);
    if (!flows) continue;
    const int wet = w->hop_stream[i];
    const spatial u = stream_by(m, w, wet), *V = &w->hop[i].V;
    station_force s = stream_at(&w->added_now[i], V, &u);
    for (int j = 0; varies_at(m, wet) && j < 6; j++) {
      const spatial dX = spatial_unit(j),
                    du = stream_change(m, w, wet, pose_of(m, w, m->wet[wet].station).p, &dX);
      const spatial change = stream_force_change(&w->added_now[i], V, &u, &du);
      s.Kx.col[j] = spatial_add(s.Kx.col[j], change);
    }
    td_block_add(w, i, &s);
  }
}

// ---- energy and power -------------------------------------------------------------------------

double td_fluid_kinetic(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; m->has_added && i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    const spatial MV = spatial6_apply(M, &w->hop[i].V);
    sum += 0.5 * spatial_dot(&w->hop[i].V, &MV);
  }
  return sum;
}

double td_fluid_buoyancy(const td_model* m, const td_work* w) {
  const spatial g = gravity(m, w);
  double sum = 0, mass;
  for (int i = 0; i < m->nwet; i++) {
    if (!moves(m, &m->wet[i])) continue;
    const vec3 c = displaced(m, w, &m->wet[i], &mass);
    sum += mass * vec3_dot(spatial_t(&g), c);
  }
  return sum;
}

// Power [W] of the fluid that is not the change of a stored energy: drag, streams, and buoyancy in
// varying gravity. 0 if `known`: td_forces has counted the drag already and nothing else acts.
static double power(const td_model* m, const td_work* w, bool known) {
  const spatial g = gravity(m, w), Vf = stream(m, w);
  double sum = 0;
  if (m->nwet == 0 || (known && only_drags(m, &Vf))) return 0;
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    if (!moves(m, wet)) continue;
    const spatial* V = &w->hop[m->station[wet->station].hop].V;
    const spatial lift = buoyancy(m, w, wet, spatial_t(&g));
    if (!m->gravity_constant) sum += spatial_dot(V, &lift);
    if (wet->drag == NUM_NONE) continue;
    const pose at = pose_of(m, w, wet->station);
    const spatial6 D = spatial6_of(w->num + wet->drag);
    const spatial Vr = spatial_sub(*V, stream_by(m, w, i)), f = drag_force(&at, &Vr, &D);
    sum += spatial_dot(V, &f);
  }
  for (int i = 0; i < m->nhop; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    const spatial u = stream_by(m, w, w->hop_stream[i]), f = stream_force(M, &w->hop[i].V, &u);
    sum += spatial_dot(&w->hop[i].V, &f);
  }
  return sum;
}

// Derivatives of the fluid's energies of the hops `first` to `last`: along changes dV of their
// twist beyond turning (added to momentum) and along displacements S (added to weight).
void td_fluid_energy_change(const td_model* m, const td_work* w, int first, int last,
                            spatial* momentum, spatial* weight) {
  const spatial g = gravity(m, w);
  for (int i = 0; i < m->nwet && m->gravity_constant; i++) {
    const int hop = m->station[m->wet[i].station].hop;
    if (hop >= first && hop <= last)
      *weight = spatial_add(*weight, buoyancy(m, w, &m->wet[i], spatial_t(&g)));
  }
  for (int i = first; i <= last; i++) {
    if (!is_wet(w, i)) continue;
    const spatial6* M = &w->added_now[i];
    *momentum = spatial_add(*momentum, spatial6_apply(M, &w->hop[i].V));
  }
}

// ---- the tables -------------------------------------------------------------------------------

bool td_fluid_is_still(const td_model* m) {
  if (m->stream_varies) return false;
  for (int c = 0; c < 3; c++)
    if (!stays(m, m->fluid_velocity + c, 0)) return false;
  return true;
}

static bool has_drag(const td_model* m) {
  for (int i = 0; i < m->nwet; i++)
    if (m->wet[i].drag != NUM_NONE) return true;
  return false;
}

// A moving fluid pushes in proportion to how much of a part stands across it.
static bool has_potential(const td_model* m) { return !has_drag(m) || td_fluid_is_still(m); }

// ---- along a direction ------------------------------------------------------------------------

// A wetted station and its changes: its pose moves by X, the twist of its hop by V, its
// acceleration by A, the stream by u.
typedef struct wet_along {
  pose g;
  spatial X, V, A, u;
} wet_along;

// The change of the stream, of which that with the place is one.
static spatial stream_along(const td_model* m, const td_work* w, int wet) {
  const num at = varies_at(m, wet) ? m->wet[wet].stream : m->fluid_velocity;
  return spatial_of(vec3_scale(w->load, vec3_of(w->dnum + at)), (vec3){0, 0, 0});
}

static wet_along wet_change(const td_model* m, const td_work* w, int i) {
  const int station = m->wet[i].station, hop = m->station[station].hop;
  const hop_work* h = &w->hop[hop];
  const hop_change* c = &w->along->hop[hop];
  return (wet_along){
      .g = pose_of(m, w, station),
      .X = spatial_add(c->X, td_station_change(m, w, station)),
      .V = spatial_add(spatial_cross(&c->X, &h->V), c->U),
      .A = spatial_add(spatial_add(spatial_cross(&c->X, &h->A), spatial_cross(&c->U, &h->V)), c->Z),
      .u = stream_along(m, w, i)};
}

// Seen from the station the twist y changes by X⁻¹ (δV - X × V); the drag in its axes turns along.
static spatial drag_along(const td_work* w, const model_wet* wet, const wet_along* c,
                          const spatial* Vr) {
  const spatial6 D = spatial6_of(w->num + wet->drag), dD = spatial6_of(w->dnum + wet->drag);
  const spatial y = spatial_to_local(&c->g, Vr), f = drag_force(&c->g, Vr, &D);
  const spatial dVr = spatial_sub(c->V, c->u), turned = spatial_cross(&c->X, Vr),
                own = spatial_sub(dVr, turned), dy = spatial_to_local(&c->g, &own);
  const vec3 v = spatial_t(&y);
  const double speed = vec3_norm(v), dspeed = speed > 0 ? vec3_dot(v, spatial_t(&dy)) / speed : 0;
  spatial local = spatial_scale(-dspeed, spatial6_apply(&D, &y));
  local = spatial_axpy(-speed, spatial6_apply(&D, &dy), local);
  local = spatial_axpy(-speed, spatial6_apply(&dD, &y), local);
  return spatial_add(spatial_cross_force(&c->X, &f), spatial_to_world(&c->g, &local));
}

// Centre of the fluid that a station displaces, and its change along the direction of w->along.
static vec3 centre_along(const td_work* w, const model_wet* wet, const wet_along* c, vec3* moved) {
  const vec3 at = pose_apply(c->g, vec3_of(w->num + wet->centre));
  *moved = vec3_add(vec3_add(spatial_t(&c->X), vec3_cross(spatial_r(&c->X), at)),
                    mat3_apply(c->g.R, vec3_of(w->dnum + wet->centre)));
  return at;
}

// -m g at the centre
static spatial buoyancy_along(const td_model* m, const td_work* w, const model_wet* wet,
                              const wet_along* c) {
  const vec3 g = vec3_scale(w->load, vec3_of(w->num + m->gravity)),
             dg = vec3_scale(w->load, vec3_of(w->dnum + m->gravity)), none = {0, 0, 0};
  const double mass = w->num[wet->displaced], dmass = w->dnum[wet->displaced];
  vec3 moved;
  const vec3 at = centre_along(w, wet, c, &moved);
  const vec3 dF = vec3_axpy(-dmass, g, vec3_scale(-mass, dg));
  return spatial_force_change(at, vec3_scale(-mass, g), moved, dF, none);
}

// M x of an added mass that moves with its station, and its change for a change of x.
typedef struct added_along {
  spatial6 M, dM;  // in the world; dM: its own numbers'
  spatial X;
} added_along;
static added_along added_at(const td_work* w, const model_wet* wet, const wet_along* c) {
  const spatial6 own = spatial6_of(w->num + wet->added),
                 numbers = spatial6_of(w->dnum + wet->added);
  return (added_along){spatial6_to_world(&c->g, &own), spatial6_to_world(&c->g, &numbers), c->X};
}
static spatial added_change(const added_along* c, const spatial* x, const spatial* dx) {
  const spatial turned = moved_inertia(&c->M, &c->X, x);
  return spatial_add(spatial_add(turned, spatial6_apply(&c->M, dx)), spatial6_apply(&c->dM, x));
}

// Change along a direction of the force of added mass, with gravity and stream:
//
//   -M g - M A - V ×* M V + stream_force(M, V, u) = -M (g + A + V × u) - (V - u) ×* M (V - u)
static spatial added_force_along(const td_model* m, const td_work* w, int wet, const wet_along* c) {
  const int hop = m->station[m->wet[wet].station].hop;
  const hop_work* h = &w->hop[hop];
  const added_along M = added_at(w, &m->wet[wet], c);
  const spatial u = stream_by(m, w, w->hop_stream[hop]),
                du = stream_along(m, w, w->hop_stream[hop]);
  const spatial Vr = spatial_sub(h->V, u), dVr = spatial_sub(c->V, du), g = gravity(m, w),
                dg =
                    spatial_of(vec3_scale(w->load, vec3_of(w->dnum + m->gravity)), (vec3){0, 0, 0});
  const spatial Vu = spatial_cross(&h->V, &u),
                dVu = spatial_add(spatial_cross(&c->V, &u), spatial_cross(&h->V, &du));
  const spatial x = spatial_scale(-1, spatial_add(spatial_add(g, h->A), Vu)),
                dx = spatial_scale(-1, spatial_add(spatial_add(dg, c->A), dVu));
  const spatial MVr = spatial6_apply(&M.M, &Vr), dMVr = added_change(&M, &Vr, &dVr);
  const spatial turning =
      spatial_add(spatial_cross_force(&dVr, &MVr), spatial_cross_force(&Vr, &dMVr));
  return spatial_sub(added_change(&M, &x, &dx), turning);
}

// Change of the kinetic energy of added mass, where it is wanted, and of the potential of buoyancy
// along w->along.
double td_fluid_energy_along(const td_model* m, const td_work* w, bool kinetic) {
  const vec3 g = vec3_scale(w->load, vec3_of(w->num + m->gravity)),
             dg = vec3_scale(w->load, vec3_of(w->dnum + m->gravity));
  double sum = 0;
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    if (!moves(m, wet)) continue;
    const int hop = m->station[wet->station].hop;
    const wet_along c = wet_change(m, w, i);

    // mass g · centre
    vec3 moved;
    const vec3 at = centre_along(w, wet, &c, &moved);
    const double lifted = w->dnum[wet->displaced] * vec3_dot(g, at) +
                          w->num[wet->displaced] * (vec3_dot(dg, at) + vec3_dot(g, moved));
    if (m->gravity_constant) sum += lifted;

    // ½ V · M V
    if (!kinetic || wet->added == NUM_NONE || !is_wet(w, hop)) continue;
    const spatial* V = &w->hop[hop].V;
    const added_along M = added_at(w, wet, &c);
    const spatial MV = spatial6_apply(&M.M, V), dMV = added_change(&M, V, &c.V);
    sum += 0.5 * (spatial_dot(&c.V, &MV) + spatial_dot(V, &dMV));
  }
  return sum;
}

// Add the changes of all wrenches of the fluid along w->along to df.  Along columns there is
// nothing to add: their derivatives are among the blocks, those with gravity apart
// (td_fluid_gravity_change).
static void diff(const td_model* m, td_work* w, int col, bool rate, spatial* df) {
  (void)rate;
  for (int i = 0; col == ALONG && i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    const int hop = m->station[wet->station].hop;
    if (hop < 0) continue;
    const wet_along c = wet_change(m, w, i);
    df[hop] = spatial_add(df[hop], buoyancy_along(m, w, wet, &c));
    if (wet->drag != NUM_NONE) {
      const spatial Vr = spatial_sub(w->hop[hop].V, stream_by(m, w, i));
      df[hop] = spatial_add(df[hop], drag_along(w, wet, &c, &Vr));
    }
    if (wet->added != NUM_NONE && is_wet(w, hop))
      df[hop] = spatial_add(df[hop], added_force_along(m, w, i, &c));
  }
}

// ---- and its transpose ------------------------------------------------------------------------

// Weights of the changes of a wetted station (wet_along).
typedef struct wet_weights {
  spatial X, V, A, u;
} wet_weights;

// Weights of dD in the axes of the station for y·D x, and  Mᵀ y.
static void matrix_reverse(const pose* g, const spatial* y, const spatial* x, double scale,
                           double* n) {
  const spatial a = spatial_to_local(g, y), c = spatial_to_local(g, x);
  for (int k = 0; k < 36; k++) n[k] += scale * a.a[k / 6] * c.a[k % 6];
}
static spatial apply_t(const spatial6* M, const spatial* y) {
  spatial out = spatial_zero();
  for (int j = 0; j < 6; j++) out.a[j] = spatial_dot(&M->col[j], y);
  return out;
}

static void buoyancy_reverse(const td_model* m, const td_work* w, const model_wet* wet,
                             const pose* g, const spatial* y, wet_weights* to, adjoint* b) {
  const vec3 down = vec3_scale(w->load, vec3_of(w->num + m->gravity)),
             at = pose_apply(*g, vec3_of(w->num + wet->centre)), force = twist_at(y, at);
  const double mass = w->num[wet->displaced];
  const vec3 moved = vec3_cross(vec3_scale(-mass, down), spatial_r(y));
  b->n[wet->displaced] -= vec3_dot(force, down);
  add3(b->n + m->gravity, vec3_scale(-w->load * mass, force));
  add3(b->n + wet->centre, mat3_apply_t(g->R, moved));
  to->X = spatial_add(to->X, spatial_of(moved, vec3_cross(at, moved)));
}

static void drag_reverse(const td_work* w, const model_wet* wet, const pose* g, const spatial* Vr,
                         const spatial* y, wet_weights* to, adjoint* b) {
  const spatial6 D = spatial6_of(w->num + wet->drag);
  const spatial x = spatial_to_local(g, Vr), f = drag_force(g, Vr, &D),
                bar = spatial_to_local(g, y), Dx = spatial6_apply(&D, &x);
  const vec3 v = spatial_t(&x), none = {0, 0, 0};
  const double speed = vec3_norm(v), slower = speed > 0 ? -spatial_dot(&bar, &Dx) / speed : 0;
  spatial local = spatial_scale(-speed, apply_t(&D, &bar));
  local = spatial_add(local, spatial_of(vec3_scale(slower, v), none));
  const spatial own = spatial_to_world(g, &local);
  matrix_reverse(g, y, Vr, -speed, b->n + wet->drag);
  to->V = spatial_add(to->V, own);
  to->u = spatial_sub(to->u, own);
  to->X = spatial_sub(to->X, spatial_cross_force(y, &f));
  to->X = spatial_sub(to->X, spatial_cross_force(Vr, &own));
}

// y·δ(M x) with M that moves with its station: returns the weight of δx.
static spatial added_reverse(const spatial6* M, const pose* g, const spatial* y, const spatial* x,
                             wet_weights* to, double* n) {
  const spatial Mx = spatial6_apply(M, x), My = apply_t(M, y);
  to->X = spatial_sub(to->X, spatial_cross_force(y, &Mx));
  to->X = spatial_sub(to->X, spatial_cross_force(x, &My));
  matrix_reverse(g, y, x, 1, n);
  return My;
}

// The change of  M x - Vr ×* M Vr  with x = -(g + A + V × u), Vr = V - u.
static void added_force_reverse(const td_model* m, const td_work* w, const model_wet* wet,
                                const pose* g, const spatial* y, wet_weights* to, spatial* stream,
                                adjoint* b) {
  const int hop = m->station[wet->station].hop;
  const hop_work* h = &w->hop[hop];
  const spatial6 own = spatial6_of(w->num + wet->added), M = spatial6_to_world(g, &own);
  const spatial u = stream_by(m, w, w->hop_stream[hop]), Vr = spatial_sub(h->V, u),
                Vu = spatial_cross(&h->V, &u), down = gravity(m, w);
  const spatial x = spatial_scale(-1, spatial_add(spatial_add(down, h->A), Vu));
  const spatial z = spatial_cross(&Vr, y), MVr = spatial6_apply(&M, &Vr);
  const spatial dx = added_reverse(&M, g, y, &x, to, b->n + wet->added),
                turned = added_reverse(&M, g, &z, &Vr, to, b->n + wet->added),
                dVr = spatial_add(turned, spatial_cross_force(y, &MVr));
  to->V = spatial_add(to->V, spatial_sub(dVr, spatial_cross_force(&u, &dx)));
  to->A = spatial_sub(to->A, dx);
  *stream = spatial_sub(spatial_cross_force(&h->V, &dx), dVr);
  add3(b->n + m->gravity, vec3_scale(-w->load, spatial_t(&dx)));
}

static void stream_reverse(const td_model* m, const td_work* w, int wet, const spatial* u,
                           adjoint* b) {
  const num at = varies_at(m, wet) ? m->wet[wet].stream : m->fluid_velocity;
  add3(b->n + at, vec3_scale(w->load, spatial_t(u)));
}

static void reverse(const td_model* m, td_work* w, struct adjoint* b) {
  for (int i = 0; i < m->nwet; i++) {
    const model_wet* wet = &m->wet[i];
    const int hop = m->station[wet->station].hop;
    if (hop < 0) continue;
    const hop_work* h = &w->hop[hop];
    const pose g = pose_of(m, w, wet->station);
    const spatial zero = spatial_zero(), *y = &b->f[hop];
    wet_weights to = {zero, zero, zero, zero};

    // its forces
    buoyancy_reverse(m, w, wet, &g, y, &to, b);
    if (wet->drag != NUM_NONE) {
      const spatial Vr = spatial_sub(h->V, stream_by(m, w, i));
      drag_reverse(w, wet, &g, &Vr, y, &to, b);
    }
    if (wet->added != NUM_NONE && is_wet(w, hop)) {
      spatial stream;
      added_force_reverse(m, w, wet, &g, y, &to, &stream, b);
      stream_reverse(m, w, w->hop_stream[hop], &stream, b);
    }
    stream_reverse(m, w, i, &to.u, b);

    // the motion of its station and of its hop
    hop_change* c = &b->hop[hop];
    td_station_reverse(m, w, wet->station, &to.X, b);
    const spatial turned =
        spatial_add(spatial_cross_force(&h->V, &to.V), spatial_cross_force(&h->A, &to.A));
    c->X = spatial_add(c->X, spatial_add(to.X, turned));
    c->U = spatial_add(c->U, spatial_add(to.V, spatial_cross_force(&h->V, &to.A)));
    c->Z = spatial_add(c->Z, to.A);
  }
}

static bool sweeps(const td_model* m, const td_work* w) { return (void)m, (void)w, false; }

const force_ops td_force_fluid = {.prepare = td_no_prepare,
                                  .prepare_diff = td_no_prepare_diff,
                                  .prepare_reverse = td_no_prepare_reverse,
                                  .add = add,
                                  .energy = td_no_energy,
                                  .energy_diff = td_no_energy_diff,
                                  .power = power,
                                  .tangent = td_no_tangent,
                                  .blocks = blocks,
                                  .has_potential = has_potential,
                                  .has_power_dampers = has_drag,
                                  .has_driving_dampers = td_no_driving_dampers,
                                  .switches = td_no_switches,
                                  .switch_values = td_no_switch_values};
const whole_ops td_whole_fluid = {.diff = diff, .reverse = reverse, .sweeps = sweeps};
