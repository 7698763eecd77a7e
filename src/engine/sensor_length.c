// Sensors of lengths and strains: length, stretch, strain.
#include "elem/link.h"
#include "engine/adjoint.h"
#include "engine/sensor_table.h"
#include "engine/stages.h"
#include "engine/strain_table.h"

// ---- between two stations ---------------------------------------------------------------------

static double end_distance(const td_model* m, const td_work* w, const model_probe* p) {
  return vec3_norm(vec3_sub(td_frame(m, w, p->b).p, td_frame(m, w, p->a).p));
}

static double distance_diff(const td_model* m, const td_work* w, const model_probe* p, int col,
                            bool rate) {
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  const frame_change da = td_frame_change(m, w, p->a, col, rate),
                     db = td_frame_change(m, w, p->b, col, rate);
  const axial x = axial_at(&a, &b);
  return td_axial_change(&x, &a, &b, &da, &db).L;
}
// L' = n·r',  L'' = n·r'' + (|r'|² - L'²) / L
static sensor_motion distance_motion(const td_model* m, const td_work* w, const model_probe* p) {
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  const axial x = axial_at(&a, &b);
  const vec3 v = vec3_sub(b.v, a.v);
  const double rate = vec3_dot(x.n, v);
  return (sensor_motion){rate, vec3_dot(x.n, vec3_sub(b.a, a.a)) +
                                   (x.L > 0 ? (vec3_dot(v, v) - rate * rate) / x.L : 0)};
}

static double length(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  return p->cable > 0 ? td_cable_length(m, w, p->cable - 1) : end_distance(m, w, p);
}
static double length_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const model_probe* p = &m->probe[i];
  if (p->cable > 0) return rate ? 0 : td_cable_length_change(m, w, p->cable - 1, col);
  return distance_diff(m, w, p, col, rate);
}
static sensor_motion length_motion(const td_model* m, const td_work* w, int i) {
  return distance_motion(m, w, &m->probe[i]);
}
static void visit_ends(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m;
  if (p->rod > 0) {
    to->rod(to->ctx, p->rod);
    return;
  }
  to->station(to->ctx, p->a);
  to->station(to->ctx, p->b);
}

// ---- along a rod ------------------------------------------------------------------------------

// The pieces of a part of a rod between whose middles an arc length lies; near an end, the two
// nearest. NULL: there is only one.
static void neighbours(const td_model* m, const model_probe* p, const model_strain** first,
                       const model_strain** second) {
  *first = *second = NULL;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod != p->rod || f->part != p->part) continue;
    const double d = fabs(f->arc - p->arc);
    if (!*first || d < fabs((*first)->arc - p->arc)) {
      *second = *first;
      *first = f;
    } else if (!*second || d < fabs((*second)->arc - p->arc)) {
      *second = f;
    }
  }
}

static void strains_or_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                              double x[6]) {
  if (col == -1) {
    td_strains(m, w, f, x);
  } else {
    td_strains_change(m, w, f, col, x);
  }
}

// Strain component of a rod at an arc length, or its change along a column (col >= 0): linear
// between the middles of the segments, continued to the ends; polynomial rods have a point at every
// place that is requested.
static double rod_strain(const td_model* m, const td_work* w, const model_probe* p, int col) {
  const model_strain *near, *next;
  neighbours(m, p, &near, &next);
  double x[6], y[6];
  strains_or_change(m, w, near, col, x);
  if (!next || near->arc == p->arc) return x[p->component];
  strains_or_change(m, w, next, col, y);
  const double s = (p->arc - near->arc) / (next->arc - near->arc);
  return (1 - s) * x[p->component] + s * y[p->component];
}

// Mean stretch strain of a rod, or its change along a column.
static double mean_stretch(const td_model* m, const td_work* w, const model_probe* p, int col) {
  double sum = 0;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod != p->rod) continue;
    double x[6];
    strains_or_change(m, w, f, col, x);
    sum += x[2] * w->num[f->section + SECTION_LENGTH];
    if (col != ALONG) continue;
    td_strains(m, w, f, x);
    sum += x[2] * w->dnum[f->section + SECTION_LENGTH];
  }
  const num extent = m->rod[p->rod - 1].extent;
  const double mean = sum / w->num[extent];
  if (col != ALONG) return mean;
  return mean - mean_stretch(m, w, p, -1) * w->dnum[extent] / w->num[extent];
}

static double stretch(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  return p->rod > 0 ? 1 + mean_stretch(m, w, p, -1) : end_distance(m, w, p) / w->length0[i];
}
static double stretch_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const model_probe* p = &m->probe[i];
  if (p->rod > 0) return rate ? 0 : mean_stretch(m, w, p, col);
  const double start =
      col == ALONG ? end_distance(m, w, p) / w->length0[i] * w->along->length0[i] : 0;
  return (distance_diff(m, w, p, col, rate) - start) / w->length0[i];
}
static sensor_motion stretch_motion(const td_model* m, const td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  sensor_motion x = {0, 0};
  if (p->rod > 0) {
    for (int col = 0; col < m->ncol; col++)
      if (m->col[col].leads) td_motion_add(m, w, col, mean_stretch(m, w, p, col), &x);
  } else {
    x = distance_motion(m, w, p);
    x.rate /= w->length0[i], x.bias /= w->length0[i];
  }
  return x;
}

static double strain(const td_model* m, td_work* w, int i) {
  return rod_strain(m, w, &m->probe[i], -1);
}
static double strain_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  return rate ? 0 : rod_strain(m, w, &m->probe[i], col);
}
static sensor_motion strain_motion(const td_model* m, const td_work* w, int i) {
  sensor_motion x = {0, 0};
  for (int col = 0; col < m->ncol; col++)
    if (m->col[col].leads) td_motion_add(m, w, col, rod_strain(m, w, &m->probe[i], col), &x);
  return x;
}
static void visit_rod(const td_model* m, const model_probe* p, const sensor_visitor* to) {
  (void)m;
  to->rod(to->ctx, p->rod);
}

// ---- adjoints ---------------------------------------------------------------------------------

static void distance_reverse(const td_model* m, const td_work* w, const model_probe* p, double bar,
                             adjoint* b) {
  const frame a = td_frame(m, w, p->a), c = td_frame(m, w, p->b);
  const vec3 n = axial_at(&a, &c).n;
  const frame_change at_a = {.p = vec3_scale(-bar, n)}, at_b = {.p = vec3_scale(bar, n)};
  td_frame_reverse(m, w, p->a, &at_a, b);
  td_frame_reverse(m, w, p->b, &at_b, b);
}

static void strain_weigh(const td_model* m, td_work* w, const model_strain* f, int component,
                         double bar, adjoint* b) {
  strain_weights to = {{0}, {0}, {0}};
  to.x[component] = bar;
  strain_of(f)->series_reverse(m, w, f, &to, b);
}

static void length_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  if (p->cable > 0) {
    td_cable_length_reverse(m, w, p->cable - 1, bar, b);
  } else {
    distance_reverse(m, w, p, bar, b);
  }
}

static void stretch_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  if (p->rod == 0) {
    const double start = w->length0[i];
    distance_reverse(m, w, p, bar / start, b);
    b->length0[i] -= bar * end_distance(m, w, p) / (start * start);
    return;
  }
  const num extent = m->rod[p->rod - 1].extent;
  const double share = bar / w->num[extent];
  b->n[extent] -= share * mean_stretch(m, w, p, -1);
  for (int k = 0; k < m->nstrain; k++) {
    const model_strain* f = &m->strain[k];
    const num length = f->section + SECTION_LENGTH;
    double x[6];
    if (f->rod != p->rod) continue;
    td_strains(m, w, f, x);
    b->n[length] += share * x[2];
    strain_weigh(m, w, f, 2, share * w->num[length], b);
  }
}

static void strain_reverse(const td_model* m, td_work* w, int i, double bar, struct adjoint* b) {
  const model_probe* p = &m->probe[i];
  const model_strain *near, *next;
  neighbours(m, p, &near, &next);
  const double s =
      !next || near->arc == p->arc ? 0 : (p->arc - near->arc) / (next->arc - near->arc);
  strain_weigh(m, w, near, p->component, (1 - s) * bar, b);
  if (s != 0) strain_weigh(m, w, next, p->component, s * bar, b);
}

const sensor_ops td_sensor_LENGTH = {
    length, length_diff, td_no_accel_diff, length_motion, visit_ends, length_reverse, NULL, false};
const sensor_ops td_sensor_STRETCH = {stretch,        stretch_diff, td_no_accel_diff,
                                      stretch_motion, visit_ends,   stretch_reverse,
                                      NULL,           false};
const sensor_ops td_sensor_STRAIN = {
    strain, strain_diff, td_no_accel_diff, strain_motion, visit_rod, strain_reverse, NULL, false};
