// Strains of the line between the stations a and b (elem/segment.h; model 'eba', beams of joints
// and meshes, cables over joints).
#include "elem/segment.h"

#include "engine/strain_table.h"

// The stretch of a segment is measured from its length.
static void strains_in(const segment* s, double length, double x[6], double u[6]) {
  for (int d = 0; d < 6; d++) {
    x[d] = s->x[d] / length - (d == 2);
    u[d] = s->u[d] / length;
  }
}

static segment ends(const td_model* m, const td_work* w, const model_strain* f) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  return td_segment(&a, &b);
}

// Rest values of beams that the geometry gives; their piece has length 1.
static void segment_prepare(const td_model* m, td_work* w, const model_strain* f) {
  const segment x = ends(m, w, f);
  for (int d = 0; d < 6; d++)
    if (f->rest_initial[d])
      w->num[f->section + SECTION_X0 + d] = w->num[f->compr[d]] * x.x[d] - (d == 2);
}

static void segment_prepare_diff(const td_model* m, td_work* w, const model_strain* f) {
  const segment x = ends(m, w, f);
  const frame_change da = td_frame_along(m, w, f->a), db = td_frame_along(m, w, f->b);
  const segment_change d = td_segment_change(&x, &da, &db);
  for (int k = 0; k < 6; k++)
    if (f->rest_initial[k])
      w->dnum[f->section + SECTION_X0 + k] =
          w->num[f->compr[k]] * d.x[k] + w->dnum[f->compr[k]] * x.x[k];
}

static void segment_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                          double u[6]) {
  const segment s = ends(m, w, f);
  strains_in(&s, piece_length(w, f), x, u);
}

taylor_frame td_series_frame(const td_model* m, const td_work* w, int station,
                             const strain_direction* to) {
  frame f = td_frame(m, w, station);
  if (station >= 0 && m->station[station].hop >= 0) f.a = vec3_sub(f.a, w->ground);
  if (to->col == -1) return td_taylor_frame(&f, NULL);
  const frame_change d = td_frame_change(m, w, station, to->col, to->rate);
  return td_taylor_frame(&f, &d);
}

static void segment_series(const td_model* m, const td_work* w, const model_strain* f,
                           const strain_direction* to, taylor x[6]) {
  const taylor_frame a = td_series_frame(m, w, f->a, to), b = td_series_frame(m, w, f->b, to);
  const double length = piece_length(w, f), grown = w->dnum[f->section + SECTION_LENGTH] / length;
  td_taylor_segment(&a, &b, length, x);
  for (int d = 0; d < 6 && grown != 0; d++) {
    x[d].e -= grown * (x[d].x + (d == 2));
    x[d].ed -= grown * x[d].d;
    x[d].edd -= grown * x[d].dd;
  }
}

static void segment_strains_diff(const td_model* m, const td_work* w, const model_strain* f,
                                 int col, double dx[6]) {
  const segment s = ends(m, w, f);
  const frame_change da = td_frame_change(m, w, f->a, col, false),
                     db = td_frame_change(m, w, f->b, col, false);
  const segment_change d = td_segment_change(&s, &da, &db);
  const double length = piece_length(w, f),
               grown = col == ALONG ? w->dnum[f->section + SECTION_LENGTH] / length : 0;
  for (int i = 0; i < 6; i++) dx[i] = (d.x[i] - grown * s.x[i]) / length;
}

static void segment_add(const td_model* m, td_work* w, const model_strain* f, int which) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const segment e = td_segment(&a, &b);
  double x[6], u[6], s[6];
  strains_in(&e, piece_length(w, f), x, u);
  piece_force(m, w, f, x, u, which, s);
  const segment_wrench t = td_segment_wrench(&e, s);
  force_on(m, w, f->b, spatial_force(b.p, t.force, t.torque_b));
  force_on(m, w, f->a, spatial_force(a.p, vec3_scale(-1, t.force), t.torque_a));
}

static void add_wrench(const td_model* m, spatial* on, size_t stride, int station, spatial f) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop < 0) return;
  spatial* at = (spatial*)(void*)((char*)on + (size_t)hop * stride);
  *at = spatial_add(*at, f);
}

static void segment_collect(const td_model* m, const td_work* w, const model_strain* f,
                            const double s[6], spatial* on, size_t stride, double* tau) {
  (void)tau;
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const segment e = td_segment(&a, &b);
  const segment_wrench t = td_segment_wrench(&e, s);
  add_wrench(m, on, stride, f->a, spatial_force(a.p, vec3_scale(-1, t.force), t.torque_a));
  add_wrench(m, on, stride, f->b, spatial_force(b.p, t.force, t.torque_b));
}

// Nothing to add: a segment has no coordinates of its own, its stations move (engine/row_cable.c).
static void segment_squares(const td_model* m, const td_work* w, const model_strain* f,
                            double along, double turning, double* square) {
  (void)m, (void)w, (void)f, (void)along, (void)turning, (void)square;
}

spatial td_segment_link(const td_model* m, const td_work* w, int i) {
  const model_strain* f = &m->strain[i];
  const segment e = ends(m, w, f);
  double x[6], u[6], s[6];
  strains_in(&e, piece_length(w, f), x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  const segment_wrench t = td_segment_wrench(&e, s);
  return spatial_force(td_frame(m, w, f->b).p, t.force, t.torque_b);
}

static void segment_linearise(const td_model* m, const td_work* w, const model_strain* f,
                              force_state* s) {
  double x[6], u[6];
  s->segment = td_segment(&s->a, &s->b);
  strains_in(&s->segment, piece_length(w, f), x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s->s);
  s->F = td_segment_wrench(&s->segment, s->s).force;
}

// Change of the wrenches on both nodes for changes da, db of their frames: the section's forces
// change with the strains, and their directions with the frames.
static void segment_diff(const td_model* m, const td_work* w, const model_strain* f,
                         const force_state* s, const frame_change* da, const frame_change* db,
                         spatial change[2]) {
  double x[6], u[6], dx[6], du[6], ds[6];
  const double length = piece_length(w, f);
  const segment_change d = td_segment_change(&s->segment, da, db);
  strains_in(&s->segment, length, x, u);
  const double grown = w->along ? w->dnum[f->section + SECTION_LENGTH] / length : 0;
  for (int k = 0; k < 6; k++) {
    dx[k] = (d.x[k] - grown * s->segment.x[k]) / length;
    du[k] = (d.u[k] - grown * s->segment.u[k]) / length;
  }
  piece_change(m, w, f, x, u, dx, du, w->numbers_change, ds);
  const segment_wrench t = td_segment_wrench_change(&s->segment, &d, s->s, ds);
  const vec3 back = vec3_scale(-1, s->F), dback = vec3_scale(-1, t.force);
  change[0] = spatial_force_change(s->a.p, back, da->p, dback, t.torque_a);
  change[1] = spatial_force_change(s->b.p, s->F, db->p, t.force, t.torque_b);
}

// Numbers change it with its stations (segment_diff).
static void segment_numbers_diff(const td_model* m, const td_work* w, const model_strain* f,
                                 double* dtau) {
  (void)m, (void)w, (void)f, (void)dtau;
}

static void segment_tangent(const td_model* m, const td_work* w, const model_strain* f,
                            const tree_part* part, double* dq, double* dv) {
  (void)m, (void)w, (void)f, (void)part, (void)dq, (void)dv;
}

static void segment_visit(const td_model* m, const model_strain* f, const force_visitor* to) {
  (void)m;
  to->station(to->ctx, f->a);
  to->station(to->ctx, f->b);
}

const strain_ops td_strain_segment = {
    .prepare = segment_prepare,
    .prepare_diff = segment_prepare_diff,
    .state = segment_state,
    .series = segment_series,
    .strains_diff = segment_strains_diff,
    .add = segment_add,
    .collect = segment_collect,
    .squares = segment_squares,
    .linearise = segment_linearise,
    .diff = segment_diff,
    .numbers_diff = segment_numbers_diff,
    .tangent = segment_tangent,
    .visit = segment_visit,
};
