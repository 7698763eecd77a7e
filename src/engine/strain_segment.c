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

static void segment_prepare_reverse(const td_model* m, td_work* w, const model_strain* f,
                                    struct adjoint* b) {
  const segment x = ends(m, w, f);
  double bar[6];
  bool some = false;
  for (int d = 0; d < 6; d++) {
    const num rest = f->section + SECTION_X0 + d;
    bar[d] = 0;
    if (!f->rest_initial[d]) continue;
    b->n[f->compr[d]] += b->n[rest] * x.x[d];
    bar[d] = b->n[rest] * w->num[f->compr[d]];
    b->n[rest] = 0;
    some = some || bar[d] != 0;
  }
  const int station[2] = {f->a, f->b};
  for (int e = 0; e < 2 && some; e++) {
    frame_change d[2] = {{.p = {0, 0, 0}}, {.p = {0, 0, 0}}}, to = {0};
    double *unit = &d[e].p.x, *at = &to.p.x;
    for (int k = 0; k < 6; k++) {  // place and turn
      unit[k] = 1;
      const segment_change c = td_segment_change(&x, &d[0], &d[1]);
      unit[k] = 0;
      for (int i = 0; i < 6; i++) at[k] += bar[i] * c.x[i];
    }
    td_frame_reverse(m, w, station[e], &to, b);
  }
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

// A segment with the changes of its ends, and the weights of its displacements and angles, of their
// rates and second rates.
typedef struct weighed_segment {
  const frame* at;
  frame_change d[2];
  double length;
  const strain_weights* bar;
} weighed_segment;

static double series_change(const td_model* m, td_work* w, void* what) {
  (void)m, (void)w;
  const weighed_segment* e = what;
  const taylor_frame a = td_taylor_frame(&e->at[0], &e->d[0]),
                     b = td_taylor_frame(&e->at[1], &e->d[1]);
  taylor x[6];
  double sum = 0;
  td_taylor_segment(&a, &b, e->length, x);
  for (int d = 0; d < 6; d++)
    sum += e->bar->x[d] * x[d].e + e->bar->u[d] * x[d].ed + e->bar->a[d] * x[d].edd;
  return sum;
}

// x/l with the displacements and angles x, which follow from the two frames.
static void segment_series_reverse(const td_model* m, td_work* w, const model_strain* f,
                                   const strain_weights* bar, struct adjoint* b) {
  const int station[2] = {f->a, f->b};
  frame end[2] = {td_frame(m, w, f->a), td_frame(m, w, f->b)};
  for (int e = 0; e < 2; e++)
    if (station[e] >= 0 && m->station[station[e]].hop >= 0)
      end[e].a = vec3_sub(end[e].a, w->ground);
  weighed_segment s = {.at = end, .length = piece_length(w, f), .bar = bar};
  bool moved = false, faster = false;
  for (int d = 0; d < 6; d++) moved = moved || bar->u[d] != 0, faster = faster || bar->a[d] != 0;
  const int n = faster ? 18 : moved ? 12 : 6;  // places; velocities; accelerations
  for (int e = 0; e < 2; e++) {
    frame_change to = {0};
    if (station[e] < 0) continue;
    td_units(m, w, (change_rule){series_change, &s}, &s.d[e].p.x, n, &to.p.x);
    td_frame_reverse(m, w, station[e], &to, b);
  }

  // its length
  const taylor_frame at = td_taylor_frame(&end[0], NULL), to = td_taylor_frame(&end[1], NULL);
  taylor x[6];
  td_taylor_segment(&at, &to, s.length, x);
  for (int d = 0; d < 6; d++)
    b->n[f->section + SECTION_LENGTH] -=
        (bar->x[d] * (x[d].x + (d == 2)) + bar->u[d] * x[d].d + bar->a[d] * x[d].dd) / s.length;
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

// Add the wrenches of a segment with the section forces s to those on its two stations (`on`).
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

// A segment with the changes of its ends: weights of its measures and of its wrench.
typedef struct weighed_wrench {
  const force_state* s;
  frame_change d[2];
  const strain_weights* bar;  // of the measures x and u
  vec3 force, torque[2];
} weighed_wrench;

static double wrench_turn(const td_model* m, td_work* w, void* what) {
  (void)m, (void)w;
  static const double none[6];
  const weighed_wrench* e = what;
  const segment_change d = td_segment_change(&e->s->segment, &e->d[0], &e->d[1]);
  const segment_wrench t = td_segment_wrench_change(&e->s->segment, &d, e->s->s, none);
  double sum = vec3_dot(e->force, t.force) + vec3_dot(e->torque[0], t.torque_a) +
               vec3_dot(e->torque[1], t.torque_b);
  for (int k = 0; k < 6; k++) sum += e->bar->x[k] * d.x[k] + e->bar->u[k] * d.u[k];
  return sum;
}

static void segment_reverse(const td_model* m, td_work* w, const model_strain* f,
                            const force_state* s, struct adjoint* b) {
  const double length = piece_length(w, f);
  const spatial ya = wrench_weight(m, f->a, b), yb = wrench_weight(m, f->b, b);
  double x[6], u[6], bar[6];
  strain_weights to = {{0}, {0}, {0}};
  strains_in(&s->segment, length, x, u);

  // weights of the forces along the strains, and of the strains
  const vec3 force = vec3_sub(twist_at(&yb, s->b.p), twist_at(&ya, s->a.p));
  for (int k = 0; k < 6; k++) {
    const double unit[6] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
    const segment_wrench t = td_segment_wrench(&s->segment, unit);
    bar[k] = vec3_dot(force, t.force) + vec3_dot(spatial_r(&ya), t.torque_a) +
             vec3_dot(spatial_r(&yb), t.torque_b);
  }
  piece_reverse(m, w, f, x, u, bar, &to, b);
  for (int k = 0; k < 6; k++) {
    to.x[k] /= length;
    to.u[k] /= length;
    b->n[f->section + SECTION_LENGTH] -=
        (to.x[k] * s->segment.x[k] + to.u[k] * s->segment.u[k]) / length;
  }

  // the ends move
  weighed_wrench e = {
      .s = s, .bar = &to, .force = force, .torque = {spatial_r(&ya), spatial_r(&yb)}};
  const change_rule rule = {wrench_turn, &e};
  frame_change at[2] = {{.p = vec3_cross(spatial_r(&ya), s->F)},
                        {.p = vec3_cross(s->F, spatial_r(&yb))}};
  td_units(m, w, rule, &e.d[0].p.x, 12, &at[0].p.x);
  td_units(m, w, rule, &e.d[1].p.x, 12, &at[1].p.x);
  td_frame_reverse(m, w, f->a, &at[0], b);
  td_frame_reverse(m, w, f->b, &at[1], b);
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
    .prepare_reverse = segment_prepare_reverse,
    .state = segment_state,
    .series = segment_series,
    .series_reverse = segment_series_reverse,
    .strains_diff = segment_strains_diff,
    .add = segment_add,
    .collect = segment_collect,
    .squares = segment_squares,
    .linearise = segment_linearise,
    .diff = segment_diff,
    .numbers_diff = segment_numbers_diff,
    .reverse = segment_reverse,
    .tangent = segment_tangent,
    .visit = segment_visit,
};
