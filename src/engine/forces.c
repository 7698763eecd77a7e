// Forces: springs, dampers and inputs along DOFs and between stations, external loads; and their
// first-order change.
#include <math.h>
#include <string.h>

#include "elem/law.h"
#include "elem/link.h"
#include "engine/stages.h"

static law law_of(const td_work* w, const model_law* l) {
  return (law){w->num[l->k], w->num[l->rest] * w->num[l->compr], w->num[l->mu], w->num[l->nu],
               l->dir};
}

// The input of a law, which acts where the law does.
static double switched_input(const td_work* w, const model_law* l, double x) {
  const double input = w->load * w->num[l->input];
  if (l->dir == 0 || input == 0) return input;
  const law c = law_of(w, l);
  double slope;
  return law_switch(&c, x, &slope) * input;
}

// Law plus input, masked: passive parts belong to h, the input to tau.  What it does at `rate`
// beyond storing energy is added to *power.
static double law_force(const td_work* w, const model_law* l, double x, double u, double rate,
                        int which, double* power) {
  double f = 0, stored = 0;
  if (which & FORCES_PASSIVE) {
    const law c = law_of(w, l);
    const law_value v = law_at(&c, x, u);
    f += v.f;
    stored = l->potential ? v.spring : 0;
  }
  if (which & FORCES_ACTIVE) f += switched_input(w, l, x);
  *power += (f - stored) * rate;
  return f;
}

// Its change for changes of x, u and of the numbers, v being the law at x and u.
static double law_change(const td_work* w, const model_law* l, const law_value* v, double dx,
                         double du) {
  double f = v->fx * dx + v->fu * du;
  if (l->dir != 0) f += v->on_x * w->load * w->num[l->input] * dx;
  if (!w->numbers_change) return f;
  const double* d = w->dnum;
  const double dx0 = d[l->rest] * w->num[l->compr] + w->num[l->rest] * d[l->compr];
  const double fnu = d[l->nu] == 0 ? 0 : w->num[l->mu] * law_power_nu(v->fmu, v->u2) * d[l->nu];
  return f + v->fk * d[l->k] + v->fx0 * dx0 + v->fmu * d[l->mu] + fnu +
         w->load * (v->on * d[l->input] - v->on_x * w->num[l->input] * dx0);
}

static law_value law_value_at(const td_work* w, const model_law* l, double x, double u) {
  const law c = law_of(w, l);
  return law_at(&c, x, u);
}

static void add_wrench(const td_model* m, td_work* w, int station, spatial f) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop >= 0) w->hop[hop].f = spatial_add(w->hop[hop].f, f);
}

// ---- axial ------------------------------------------------------------------------------------

static vec3 isotropic_damping(const td_work* w, const model_force* f, const frame* a,
                              const frame* b) {
  const vec3 r = link_damping(vec3_sub(b->v, a->v), w->num[f->law[0].mu], w->num[f->law[0].nu]);
  if (f->law[0].dir == 0) return r;
  const law l = law_of(w, &f->law[0]);
  double slope;
  return vec3_scale(law_switch(&l, vec3_norm(vec3_sub(b->p, a->p)), &slope), r);
}

// v: the law of the link; dL: how its length changes
static vec3 isotropic_damping_change(const td_work* w, const model_force* f, const frame* a,
                                     const frame* b, const frame_change* da, const frame_change* db,
                                     const law_value* v, double dL) {
  const vec3 u = vec3_sub(b->v, a->v), du = vec3_sub(db->v, da->v);
  const model_law* l = &f->law[0];
  double r[3];
  for (int c = 0; c < 3; c++) {
    double x, slope;
    const double u2 = law_power(vec3_at(u, c), w->num[l->nu], &x, &slope);
    const double dnu = w->dnum[l->nu] == 0 ? 0 : law_power_nu(x, u2);
    r[c] = -w->num[l->mu] * (slope * vec3_at(du, c) + dnu * w->dnum[l->nu]) - x * w->dnum[l->mu];
  }
  if (l->dir == 0) return vec3_of(r);
  const double dx0 = w->dnum[l->rest] * w->num[l->compr] + w->num[l->rest] * w->dnum[l->compr];
  return vec3_axpy(v->on_x * (dL - dx0), link_damping(u, w->num[l->mu], w->num[l->nu]),
                   vec3_scale(v->on, vec3_of(r)));
}

static vec3 axial_force(const td_work* w, const model_force* f, const frame* a, const frame* b,
                        int which, double* power) {
  const axial x = axial_at(a, b);
  const model_law l = f->law[0];
  const double s = law_force(w, &l, x.L, f->isotropic ? 0 : x.Ld, x.Ld, which, power);
  const vec3 F = vec3_scale(s, x.n);
  if (!f->isotropic || !(which & FORCES_PASSIVE)) return F;
  const vec3 damping = isotropic_damping(w, f, a, b);
  *power += vec3_dot(damping, vec3_sub(b->v, a->v));
  return vec3_add(F, damping);
}

static void axial_add(const td_model* m, td_work* w, const model_force* f, int which) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const vec3 F = axial_force(w, f, &a, &b, which, &w->law_power), none = {0, 0, 0};
  add_wrench(m, w, f->b, spatial_force(b.p, F, none));
  add_wrench(m, w, f->a, spatial_scale(-1, spatial_force(a.p, F, none)));
}

// ---- beams ------------------------------------------------------------------------------------

static beam beam_at(const td_work* w, const model_force* f, const frame* a, const frame* b) {
  return td_beam(a, b, f->frame >= 0 ? &w->beam_frame[f->frame] : NULL);
}

static void beam_force(const td_work* w, const model_force* f, const frame* a, const frame* b,
                       int which, vec3* F, vec3* T, double* power) {
  const beam x = beam_at(w, f, a, b);
  double s[6];
  for (int d = 0; d < 6; d++) s[d] = law_force(w, &f->law[d], x.x[d], x.u[d], x.u[d], which, power);
  td_beam_wrench(&x, s, F, T);
}

static void beam_add(const td_model* m, td_work* w, const model_force* f, int which) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  vec3 F, T;
  beam_force(w, f, &a, &b, which, &F, &T, &w->law_power);
  const spatial on_b = spatial_force(b.p, F, T);
  add_wrench(m, w, f->b, on_b);
  add_wrench(m, w, f->a, spatial_scale(-1, on_b));
}

// ---- edges in a fluid -------------------------------------------------------------------------

static void drag_add(const td_model* m, td_work* w, const model_force* f) {
  spatial on[2];
  td_edge_drag_wrenches(m, w, f, on);
  add_wrench(m, w, f->a, on[0]);
  add_wrench(m, w, f->b, on[1]);
}

// ---- loads ------------------------------------------------------------------------------------

static void load_add(const td_model* m, td_work* w, const model_force* f) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const double* x = w->num + f->wrench;
  const vec3 F = mat3_apply(a.R, vec3_scale(w->load, vec3_of(x)));
  const vec3 T = mat3_apply(a.R, vec3_scale(w->load, vec3_of(x + 3)));
  add_wrench(m, w, f->b, spatial_force(b.p, F, T));
}

// ---- along degrees of freedom -----------------------------------------------------------------

// The quaternion whose number a law acts along; a rotation about one axis as if about the first.
static quat quaternion_at(const td_work* w, const model_force* f) {
  const double* q = w->q + f->q;
  return quat_unit((quat){q[0], f->nturn == 3 ? vec3_of(q + 1) : (vec3){q[1], 0, 0}});
}

// The angular velocities of that rotation among n numbers.
static vec3 spin_at(const model_force* f, const double* v) {
  return f->nturn == 3 ? vec3_of(v + f->v) : (vec3){v[f->v], 0, 0};
}

turn_part td_dof_number(const td_work* w, const model_force* f, double* u) {
  if (f->measure == PART_NUMBER) {
    *u = w->v[f->v];
    return (turn_part){f->q < 0 ? 0 : w->q[f->q], {1, 0, 0}};
  }
  const turn_part p = td_turn_part(f->measure, quaternion_at(w, f), f->axis);
  *u = vec3_dot(p.g, spin_at(f, w->v));
  return p;
}

// Angle beyond which the rotation vector of a spring ends: 19 of 20 parts of a full turn.
#define FULL_TURN 5.97

static void turn_add(const td_model* m, td_work* w, const model_force* f, int which) {
  double u;
  const turn_part p = td_dof_number(w, f, &u);
  const double s = law_force(w, &f->law[0], p.x, u, u, which, &w->law_power);
  for (int k = 0; k < f->nturn; k++) w->tau[f->v + k] += s * vec3_at(p.g, k);
  if (f->measure == PART_TURN && td_turn_angle(quaternion_at(w, f)) > FULL_TURN)
    w->wound = (int)(f - m->force);
}

static void dof_add(const td_model* m, td_work* w, const model_force* f, int which) {
  if (f->measure != PART_NUMBER) {
    turn_add(m, w, f, which);
    return;
  }
  const double x = f->q < 0 ? 0 : w->q[f->q], u = w->v[f->v];
  w->tau[f->v] += law_force(w, &f->law[0], x, u, u, which, &w->law_power);
}

void td_forces(const td_model* m, td_work* w, int which) {
  w->law_power = 0;
  w->lawless = 0;
  w->wound = -1;
  memset(w->tau, 0, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nhop; i++) w->hop[i].f = spatial_zero();
  td_cable_tensions(m, w);
  td_spans_add(m, w, which);
  td_fluid_add(m, w, which);
  td_contacts_add(m, w, which);
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    w->lawless += force_laws(f->kind) == 0;
    switch (f->kind) {
      case FORCE_DOF:
        dof_add(m, w, f, which);
        break;
      case FORCE_AXIAL:
        axial_add(m, w, f, which);
        break;
      case FORCE_BEAM:
        beam_add(m, w, f, which);
        break;
      case FORCE_LOAD:
        if (which & FORCES_ACTIVE) load_add(m, w, f);
        break;
      case FORCE_STRAIN:
        td_strain_add(m, w, f, which);
        break;
      case FORCE_DRAG:
        if (which & FORCES_PASSIVE) drag_add(m, w, f);
        break;
    }
  }
  if (w->pull.on && (which & FORCES_ACTIVE)) td_pull_add(m, w);
}

// ---- changes ----------------------------------------------------------------------------------

static void axial_state(const td_work* w, const model_force* f, force_state* s) {
  s->axial = axial_at(&s->a, &s->b);
  const double u = f->isotropic ? 0 : s->axial.Ld;
  s->law[0] = law_value_at(w, &f->law[0], s->axial.L, u);
  s->s[0] = s->law[0].f + s->law[0].on * w->load * w->num[f->law[0].input];
  double unused = 0;
  s->F = axial_force(w, f, &s->a, &s->b, FORCES_ALL, &unused);
}

static void beam_state(const td_work* w, const model_force* f, force_state* s) {
  s->beam = beam_at(w, f, &s->a, &s->b);
  for (int d = 0; d < 6; d++) {
    s->law[d] = law_value_at(w, &f->law[d], s->beam.x[d], s->beam.u[d]);
    s->s[d] = s->law[d].f + s->law[d].on * w->load * w->num[f->law[d].input];
  }
  td_beam_wrench(&s->beam, s->s, &s->F, &s->T);
}

static void load_state(const td_work* w, const model_force* f, force_state* s) {
  const double* x = w->num + f->wrench;
  s->F = mat3_apply(s->a.R, vec3_scale(w->load, vec3_of(x)));
  s->T = mat3_apply(s->a.R, vec3_scale(w->load, vec3_of(x + 3)));
}

void td_force_state(const td_model* m, const td_work* w, const model_force* f, force_state* s) {
  if (is_local(f)) return;
  s->a = td_frame(m, w, f->a);
  s->b = td_frame(m, w, f->b);
  if (f->kind == FORCE_AXIAL) axial_state(w, f, s);
  if (f->kind == FORCE_BEAM) beam_state(w, f, s);
  if (f->kind == FORCE_LOAD) load_state(w, f, s);
  if (f->kind == FORCE_STRAIN) td_segment_state(m, w, f, s);
  if (f->kind == FORCE_DRAG) s->drag = td_edge_drag(m, w, f, &s->a, &s->b);
}

static void axial_change(const td_work* w, const model_force* f, const force_state* s,
                         const frame_change* da, const frame_change* db, spatial change[2]) {
  const axial *x = &s->axial, dx = td_axial_change(x, &s->a, &s->b, da, db);
  const vec3 none = {0, 0, 0};
  vec3 dF;
  if (x->L > 0) {
    const double ds = law_change(w, &f->law[0], &s->law[0], dx.L, f->isotropic ? 0 : dx.Ld);
    dF = vec3_axpy(ds, x->n, vec3_scale(s->s[0], dx.n));
  } else {  // no direction yet: a spring of rest length 0 pulls with k r
    dF = vec3_scale(-w->num[f->law[0].k], vec3_sub(db->p, da->p));
  }
  if (f->isotropic)
    dF = vec3_add(dF, isotropic_damping_change(w, f, &s->a, &s->b, da, db, &s->law[0], dx.L));
  change[0] = spatial_scale(-1, spatial_force_change(s->a.p, s->F, da->p, dF, none));
  change[1] = spatial_force_change(s->b.p, s->F, db->p, dF, none);
}

static void beam_change(const td_work* w, const model_force* f, const force_state* s,
                        const frame_change* da, const frame_change* db, spatial change[2]) {
  double dx[6], du[6], ds[6];
  vec3 dF, dT;
  td_beam_change(&s->beam, &s->a, &s->b, da, db, dx, du);
  for (int d = 0; d < 6; d++) ds[d] = law_change(w, &f->law[d], &s->law[d], dx[d], du[d]);
  td_beam_wrench_change(&s->beam, da, db, s->s, ds, &dF, &dT);
  change[1] = spatial_force_change(s->b.p, s->F, db->p, dF, dT);
  change[0] = spatial_scale(-1, change[1]);
}

static void load_change(const td_work* w, const model_force* f, const force_state* s,
                        const frame_change* da, const frame_change* db, spatial change[2]) {
  vec3 dF = vec3_cross(da->turn, s->F), dT = vec3_cross(da->turn, s->T);
  if (w->numbers_change) {
    const double* d = w->dnum + f->wrench;
    dF = vec3_add(dF, mat3_apply(s->a.R, vec3_scale(w->load, vec3_of(d))));
    dT = vec3_add(dT, mat3_apply(s->a.R, vec3_scale(w->load, vec3_of(d + 3))));
  }
  change[0] = spatial_zero();
  change[1] = spatial_force_change(s->b.p, s->F, db->p, dF, dT);
}

// Forces that follow from the coordinates themselves, for changes of the numbers alone.
static void local_change(const td_model* m, const td_work* w, const model_force* f, double* dtau) {
  if (!w->numbers_change) return;
  if (f->kind == FORCE_STRAIN) {
    td_strain_numbers_change(m, w, f, dtau);
    return;
  }
  double u;
  const turn_part p = td_dof_number(w, f, &u);
  const law_value v = law_value_at(w, &f->law[0], p.x, u);
  const double change = law_change(w, &f->law[0], &v, 0, 0);
  dtau[f->v] += change * p.g.x;
  for (int k = 1; k < f->nturn; k++) dtau[f->v + k] += change * vec3_at(p.g, k);
}

void td_force_change(const td_model* m, const td_work* w, const model_force* f,
                     const force_state* s, int col, bool rate, spatial change[2], double* dtau) {
  change[0] = change[1] = spatial_zero();
  if (is_local(f)) {
    local_change(m, w, f, dtau);
    return;
  }
  frame_change da = {0}, db = {0};
  if (col >= 0 && !is_single(f)) {  // what moves those is in the blocks
    da = td_frame_change(m, w, f->a, col, rate);
    db = td_frame_change(m, w, f->b, col, rate);
  }
  if (f->kind == FORCE_AXIAL) axial_change(w, f, s, &da, &db, change);
  if (f->kind == FORCE_BEAM) beam_change(w, f, s, &da, &db, change);
  if (f->kind == FORCE_LOAD) load_change(w, f, s, &da, &db, change);
  if (f->kind == FORCE_STRAIN) td_segment_wrenches_change(m, w, f, s, &da, &db, change);
  if (f->kind == FORCE_DRAG) td_edge_drag_change(s, &da, &db, change);
}

void td_forces_change(const td_model* m, td_work* w, int col, bool rate, spatial* df,
                      double* dtau) {
  const model_col* c = col < 0 ? NULL : &m->col[col];
  td_spans_change(m, w, col, rate, df);
  td_contacts_change(m, w, col, rate, df);
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    const bool moved = c && (station_moves(m, f->a, c->hop) || station_moves(m, f->b, c->hop));
    if (!w->numbers_change && (!moved || is_single(f))) continue;
    force_state s;
    spatial change[2];
    td_force_state(m, w, f, &s);
    td_force_change(m, w, f, &s, col, rate, change, dtau);
    const int station[2] = {f->a, f->b};
    for (int e = 0; e < 2 && !is_local(f); e++) {
      const int hop = station[e] < 0 ? -1 : m->station[station[e]].hop;
      if (hop >= 0) df[hop] = spatial_add(df[hop], change[e]);
    }
  }
  if (w->pull.on && col >= 0) td_pull_change(m, w, col, rate, df);
}

// ---- energy and power -------------------------------------------------------------------------

// Coordinates and rates of the laws of a force.
static void law_coordinates(const td_model* m, const td_work* w, const model_force* f, double x[6],
                            double u[6]) {
  if (f->kind == FORCE_DOF) {
    x[0] = td_dof_number(w, f, &u[0]).x;
  }
  if (f->kind != FORCE_AXIAL && f->kind != FORCE_BEAM) return;
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  if (f->kind == FORCE_AXIAL) {
    const axial e = axial_at(&a, &b);
    x[0] = e.L;
    u[0] = e.Ld;
  } else {
    const beam e = beam_at(w, f, &a, &b);
    memcpy(x, e.x, sizeof e.x);
    memcpy(u, e.u, sizeof e.u);
  }
}

double td_elastic_energy(const td_model* m, const td_work* w) {
  double sum = td_cable_energy(m, w) + td_contacts_energy(m, w);
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    double x[6] = {0}, u[6] = {0};
    if (f->kind == FORCE_STRAIN) sum += td_strain_energy(m, w, f);
    law_coordinates(m, w, f, x, u);
    for (int d = 0; d < force_laws(f->kind); d++) {
      if (!f->law[d].potential) continue;
      const law l = law_of(w, &f->law[d]);
      sum += law_at(&l, x[d], u[d]).energy;
    }
  }
  return sum;
}

// What a force does beyond storing energy.
static double power_of(const td_model* m, const td_work* w, const model_force* f) {
  double x[6] = {0}, u[6] = {0}, sum = 0;
  law_coordinates(m, w, f, x, u);
  for (int d = 0; d < force_laws(f->kind); d++) {
    const law l = law_of(w, &f->law[d]);
    const law_value v = law_at(&l, x[d], f->isotropic ? 0 : u[d]);
    sum += (v.f - (f->law[d].potential ? v.spring : 0) + v.on * w->load * w->num[f->law[d].input]) *
           u[d];
  }
  if (f->kind == FORCE_STRAIN) sum += td_strain_power(m, w, f);
  if (f->kind == FORCE_DRAG) sum += td_edge_drag_power(m, w, f);
  if (f->kind != FORCE_LOAD && !f->isotropic) return sum;
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  if (f->kind == FORCE_AXIAL && f->isotropic)
    sum += vec3_dot(isotropic_damping(w, f, &a, &b), vec3_sub(b.v, a.v));
  if (f->kind == FORCE_LOAD) {
    const double* wrench = w->num + f->wrench;
    sum += w->load * (vec3_dot(mat3_apply(a.R, vec3_of(wrench)), b.v) +
                      vec3_dot(mat3_apply(a.R, vec3_of(wrench + 3)), b.w));
  }
  return sum;
}

double td_force_power(const td_model* m, const td_work* w, bool known) {
  double sum = td_spans_power(m, w) + td_fluid_power(m, w, known) + td_contacts_power(m, w) +
               (w->pull.on ? td_pull_power(m, w) : 0) + (known ? w->law_power : 0);
  for (int i = 0; i < m->nforce && !(known && w->lawless == 0); i++)
    if (!known || force_laws(m->force[i].kind) == 0) sum += power_of(m, w, &m->force[i]);
  return sum;
}

// d(g f)/dq = dg f + g (f_x dx + f_u du) with dx = g·turn, du = dg·w, for turns about each axis
static void turn_tangent(const td_work* w, const model_force* f, const tree_part* part, double* dq,
                         double* dv) {
  double u;
  const turn_part p = td_dof_number(w, f, &u);
  const law_value v = law_value_at(w, &f->law[0], p.x, u);
  const double input = w->load * w->num[f->law[0].input], s = v.f + v.on * input;
  const double slope = v.fx + (f->law[0].dir != 0 ? v.on_x * input : 0);
  const quat Q = quaternion_at(w, f);
  const vec3 spin = spin_at(f, w->v);
  for (int k = 0; k < f->nturn; k++) {
    const int column = part_row(part, f->v + k);
    const vec3 dg = td_turn_part_change(f->measure, Q, f->axis, vec3_axis(k));
    const double ds = slope * vec3_at(p.g, k) + v.fu * vec3_dot(dg, spin);
    for (int l = 0; l < f->nturn; l++) {
      const int row = part_row(part, f->v + l);
      dq[row * part->n + column] -= s * vec3_at(dg, l) + ds * vec3_at(p.g, l);
      dv[row * part->n + column] -= v.fu * vec3_at(p.g, k) * vec3_at(p.g, l);
    }
  }
}

static void dof_tangent(const td_work* w, const model_force* f, const tree_part* part, double* dq,
                        double* dv) {
  if (f->measure != PART_NUMBER) {
    turn_tangent(w, f, part, dq, dv);
    return;
  }
  const law l = law_of(w, &f->law[0]);
  const law_value v = law_at(&l, f->q < 0 ? 0 : w->q[f->q], w->v[f->v]);
  const int row = part_row(part, f->v);
  if (f->q >= 0) dq[row * part->n + row] -= v.fx + v.on_x * w->load * w->num[f->law[0].input];
  dv[row * part->n + row] -= v.fu;
}

void td_local_tangent(const td_model* m, const td_work* w, const model_force* f,
                      const tree_part* part, double* dq, double* dv) {
  if (f->kind == FORCE_DOF) dof_tangent(w, f, part, dq, dv);
  if (f->kind == FORCE_STRAIN) td_strain_tangent(m, w, f, part, dq, dv);
}

static bool is_link_of(const model_force* f, int joint, int element) {
  return f->joint == joint && f->element == element &&
         (f->kind == FORCE_AXIAL || f->kind == FORCE_BEAM ||
          (f->kind == FORCE_STRAIN && f->strain == STRAIN_SEGMENT));
}

spatial td_link_change(const td_model* m, td_work* w, int joint, int element, int col, bool rate) {
  spatial sum = spatial_zero(), change[3];
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (!is_link_of(f, joint, element)) continue;
    force_state s;
    td_force_state(m, w, f, &s);
    td_force_change(m, w, f, &s, col, rate, change, NULL);
    sum = spatial_add(sum, change[1]);
  }
  for (int i = 0; i < m->nrow && col >= 0; i++) {
    if (m->row[i].joint != joint || m->row[i].element != element) continue;
    td_row_wrenches_change(m, w, i, col, rate, change);
    sum = spatial_axpy(w->lambda[i], change[1], sum);
  }
  return sum;
}

// What the links of a joint do to their second station, about the origin.
spatial td_link_wrench(const td_model* m, const td_work* w, int joint, int element) {
  spatial sum = spatial_zero();
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (!is_link_of(f, joint, element)) continue;
    if (f->kind == FORCE_STRAIN) {
      sum = spatial_add(sum, td_segment_link(m, w, f));
      continue;
    }
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    vec3 F, T = {0, 0, 0};
    double unused = 0;
    if (f->kind == FORCE_AXIAL) {
      F = axial_force(w, f, &a, &b, FORCES_ALL, &unused);
    } else {
      beam_force(w, f, &a, &b, FORCES_ALL, &F, &T, &unused);
    }
    sum = spatial_add(sum, spatial_force(b.p, F, T));
  }
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->joint != joint || r->element != element) continue;
    const row_value v = td_row_at(m, w, i);
    const spatial f = spatial_force(td_frame(m, w, r->b).p, v.force, v.torque);
    sum = spatial_axpy(w->lambda[i], f, sum);
  }
  return sum;
}

// Change of the elastic energy along the position coordinate of a column: minus the elastic forces'
// work.
double td_elastic_change(const td_model* m, const td_work* w, int col) {
  double sum = td_cable_energy_change(m, w, col) + td_contacts_energy_change(m, w, col);
  const model_col* c = &m->col[col];
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    double dx[6] = {0}, du[6];
    if (f->kind == FORCE_STRAIN) sum += td_strain_energy_change(m, w, f, col);
    if (force_laws(f->kind) == 0) continue;
    if (f->kind == FORCE_DOF && f->measure == PART_NUMBER)
      dx[0] = c->first && c->v == f->v && f->q >= 0;
    if (f->kind == FORCE_DOF && f->measure != PART_NUMBER && c->v >= f->v &&
        c->v < f->v + f->nturn) {
      double u;
      dx[0] = vec3_at(td_dof_number(w, f, &u).g, c->v - f->v);
    }
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const frame_change da = td_frame_change(m, w, f->a, col, false),
                       db = td_frame_change(m, w, f->b, col, false);
    if (f->kind == FORCE_AXIAL) {
      const axial e = axial_at(&a, &b);
      dx[0] = td_axial_change(&e, &a, &b, &da, &db).L;
    }
    if (f->kind == FORCE_BEAM) {
      const beam e = beam_at(w, f, &a, &b);
      td_beam_change(&e, &a, &b, &da, &db, dx, du);
    }
    double x[6] = {0}, u[6] = {0};
    law_coordinates(m, w, f, x, u);
    for (int d = 0; d < force_laws(f->kind); d++) {
      if (!f->law[d].potential) continue;
      const law l = law_of(w, &f->law[d]);
      sum -= law_at(&l, x[d], u[d]).spring * dx[d];
    }
  }
  return sum;
}
