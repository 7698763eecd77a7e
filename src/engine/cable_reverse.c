// Transposes of force_cable.c: adjoints of tensions, shares and lengths of cables, of their spans
// and crossings.
//
//   T = k s / mean,  s = l - l(0) + pull        share_i = exp(-μ (Θ_i + θ_i/2)),  Θ_i = Σ_{j<i} θ_j
//
// with the turn θ of each crossing; the mean is that of the shares, weighted with the lengths.
#include "elem/chord.h"
#include "elem/link.h"
#include "engine/adjoint.h"
#include "engine/crossing.h"
#include "engine/strain_table.h"

static vec3 value3(taylor3 x) { return (vec3){x.x.x, x.y.x, x.z.x}; }
static vec3 change3(taylor3 x) { return (vec3){x.x.e, x.y.e, x.z.e}; }

static chord span_chord(const frame end[2], const frame_change d[2]) {
  const taylor_frame a = td_taylor_frame(&end[0], &d[0]), b = td_taylor_frame(&end[1], &d[1]);
  return td_chord(&a, &b, true);
}

// ---- lengths ----------------------------------------------------------------------------------

// A crossing gives weights of its strains, of its length per length of rod, of its path and of the
// length of rod it covers.
static void crossing_reverse(const td_model* m, td_work* w, const model_crossing* at,
                             const double x[6], double l, double W, strain_weights* to,
                             adjoint* b) {
  const model_strain* f = &m->strain[at->strain];
  const cable_section s = cable_through(at->joint > 0, x, w->num + at->path);
  const double none[6] = {0};
  cable_reverse(&s, x, l, none, to->x, b->n + at->path);
  passed_reverse(m, w, at, W, b->n);
  strain_of(f)->series_reverse(m, w, f, to, b);
}

// The length of a span, whose derivatives are the forces of a unit tension.
static void span_length_reverse(const td_model* m, const td_work* w, int span, double bar,
                                adjoint* b) {
  const model_span* s = &m->span[span];
  const frame end[2] = {td_frame(m, w, s->a), td_frame(m, w, s->b)};
  frame_change to[2] = {{.p = {0, 0, 0}}, {.p = {0, 0, 0}}};
  if (w->span_along[span]) {
    const chord c = span_chord(end, to);
    to[1].p = vec3_scale(bar, value3(c.force));
    to[0].turn = vec3_scale(bar, value3(c.torque_a));
    to[1].turn = vec3_scale(bar, value3(c.torque_b));
  } else {
    to[1].p = vec3_scale(bar, axial_at(&end[0], &end[1]).n);
  }
  to[0].p = vec3_scale(-1, to[1].p);
  td_frame_reverse(m, w, s->a, &to[0], b);
  td_frame_reverse(m, w, s->b, &to[1], b);
}

void td_cable_length_reverse(const td_model* m, td_work* w, int cable, double bar, adjoint* b) {
  const model_cable* c = &m->cable[cable];
  if (bar == 0) return;
  for (int i = c->order; i < c->order + c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[i]];
    strain_weights to = {{0}, {0}, {0}};
    double x[6];
    td_strains(m, w, &m->strain[at->strain], x);
    const double l = cable_through(at->joint > 0, x, w->num + at->path).l;
    crossing_reverse(m, w, at, x, bar * passed(m, w, at), bar * l, &to, b);
  }
  for (int i = c->span; i < c->span + c->nspan; i++) span_length_reverse(m, w, i, bar, b);
}

// ---- tensions ---------------------------------------------------------------------------------

// The bend of a crossing as a function of its strains, of its path and of the length of all rods.
typedef struct weighed_bend {
  bool joint;
  double x[6], dx[6], path[CABLE_PATH], dpath[CABLE_PATH], total, dtotal;
} weighed_bend;

static taylor bend_at(const weighed_bend* e) {
  taylor x[6], path[CABLE_PATH];
  for (int j = 0; j < 6; j++) x[j] = (taylor){.x = e->x[j], .e = e->dx[j]};
  for (int j = 0; j < CABLE_PATH; j++) path[j] = (taylor){.x = e->path[j], .e = e->dpath[j]};
  return td_taylor_bend(e->joint, x, path, (taylor){.x = e->total, .e = e->dtotal});
}
static double bend_change(const td_model* m, td_work* w, void* what) {
  return (void)m, (void)w, bend_at(what).e;
}

// A crossing of a cable with friction: values, then weights of its length and of its turn.
typedef struct rubbing {
  weighed_bend bend;
  double W, l, curvature, share, angle;  // angle: Θ + θ/2
  double l_bar, turn_bar;
} rubbing;

static void shares_reverse(const td_model* m, td_work* w, int cable, double mean, adjoint* b) {
  const model_cable* c = &m->cable[cable];
  if (c->friction == NUM_NONE) return;
  const arena_mark mark = arena_open(&w->scratch);
  rubbing* r = arena_bytes(&w->scratch, (size_t)c->norder * sizeof *r);
  const double mu = w->num[c->friction];
  double angle = 0, sum = 0, length = 0, total = 0;
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[c->order + i]];
    if (at->joint == 0) total += passed(m, w, at);
  }
  for (int i = 0; i < c->norder; i++) {
    const int k = m->cable_order[c->order + i];
    const model_crossing* at = &m->crossing[k];
    r[i] = (rubbing){.bend = {.joint = at->joint > 0, .total = total}, .W = passed(m, w, at)};
    td_strains(m, w, &m->strain[at->strain], r[i].bend.x);
    for (int j = 0; j < CABLE_PATH; j++) r[i].bend.path[j] = w->num[at->path + j];
    r[i].l = cable_through(at->joint > 0, r[i].bend.x, r[i].bend.path).l;
    r[i].curvature = bend_at(&r[i].bend).x;
    const double turn = r[i].W * r[i].curvature;
    r[i].share = w->crossing_share[k];
    r[i].angle = angle + 0.5 * turn;
    angle += turn;
    sum += r[i].W * r[i].l * r[i].share;
    length += r[i].W * r[i].l;
  }

  // weights of the shares, from the last to the first: an angle counts in all that follow
  double later = 0, total_bar = 0;
  for (int i = c->norder - 1; i >= 0; i--) {
    double share = b->share[m->cable_order[c->order + i]];
    if (length > 0) {
      share += mean * r[i].W * r[i].l / length;
      r[i].l_bar = mean * (r[i].share - sum / length) / length;
    }
    const double angle_bar = -share * r[i].share * mu;
    b->n[c->friction] -= share * r[i].share * r[i].angle;
    r[i].turn_bar = later + 0.5 * angle_bar;
    later += angle_bar;
  }

  // and of what the crossings are made of; the length of all rods comes last
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[c->order + i]];
    weighed_bend to = {.total = 0};
    strain_weights strains = {{0}, {0}, {0}};
    const change_rule rule = {bend_change, &r[i].bend};
    const double bend = r[i].turn_bar * r[i].W;
    td_units(m, w, rule, r[i].bend.dx, 6, to.dx);
    td_units(m, w, rule, r[i].bend.dpath, CABLE_PATH, to.dpath);
    td_units(m, w, rule, &r[i].bend.dtotal, 1, &to.dtotal);
    for (int j = 0; j < 6; j++) strains.x[j] = bend * to.dx[j];
    for (int j = 0; j < CABLE_PATH; j++) b->n[at->path + j] += bend * to.dpath[j];
    total_bar += bend * to.dtotal;
    crossing_reverse(m, w, at, r[i].bend.x, r[i].l_bar * r[i].W,
                     r[i].turn_bar * r[i].curvature + r[i].l_bar * r[i].l, &strains, b);
  }
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[c->order + i]];
    if (at->joint == 0) passed_reverse(m, w, at, total_bar, b->n);
  }
  arena_close(&w->scratch, mark);
}

void td_cables_reverse(const td_model* m, td_work* w, adjoint* b) {
  for (int i = 0; i < m->ncable; i++) {
    const model_cable* c = &m->cable[i];
    const cable_work* at = &w->cable[i];
    const double bar = b->tension[i];
    double mean = 0;
    if (by_length(c) && at->stretch > 0) {
      b->n[c->stiffness] += bar * at->stretch / at->mean;
      b->n[c->pull] += bar * at->slope * w->load;
      b->zero[i] -= bar * at->slope;
      mean = -bar * at->tension / at->mean;
      td_cable_length_reverse(m, w, i, bar * at->slope, b);
    } else if (!by_length(c) && !is_hard(c)) {
      b->n[c->tension] += bar * w->load;
    }
    shares_reverse(m, w, i, mean, b);
  }
}

// ---- straight spans ---------------------------------------------------------------------------

// A span counted with a sign, with the changes of its ends and the weights of its wrenches.
typedef struct weighed_span {
  const frame* end;
  frame_change d[2];
  vec3 force, torque[2];
} weighed_span;

static double chord_change(const td_model* m, td_work* w, void* what) {
  (void)m, (void)w;
  const weighed_span* e = what;
  const chord c = span_chord(e->end, e->d);
  return vec3_dot(e->force, change3(c.force)) - vec3_dot(e->torque[0], change3(c.torque_a)) -
         vec3_dot(e->torque[1], change3(c.torque_b));
}

void td_spans_reverse(const td_model* m, td_work* w, adjoint* b) {
  for (int i = 0; i < m->nspan; i++) {
    const model_span* s = &m->span[i];
    const frame end[2] = {td_frame(m, w, s->a), td_frame(m, w, s->b)};
    const spatial y[2] = {wrench_weight(m, s->a, b), wrench_weight(m, s->b, b)};
    const vec3 arm[2] = {spatial_r(&y[0]), spatial_r(&y[1])},
               bar = vec3_sub(twist_at(&y[0], end[0].p), twist_at(&y[1], end[1].p));
    const double T = w->cable[s->cable].tension;
    frame_change to[2] = {{.p = {0, 0, 0}}, {.p = {0, 0, 0}}};
    vec3 n;
    if (w->span_along[i]) {
      weighed_span e = {.end = end,
                        .force = vec3_scale(T, bar),
                        .torque = {vec3_scale(T, arm[0]), vec3_scale(T, arm[1])}};
      const change_rule rule = {chord_change, &e};
      const chord c = span_chord(end, e.d);
      n = value3(c.force);
      b->tension[s->cable] += vec3_dot(bar, n) - vec3_dot(arm[0], value3(c.torque_a)) -
                              vec3_dot(arm[1], value3(c.torque_b));
      for (int k = 0; k < 2; k++) td_units(m, w, rule, &e.d[k].p.x, 6, &to[k].p.x);
    } else {
      const axial x = axial_at(&end[0], &end[1]);
      n = x.n;
      b->tension[s->cable] += vec3_dot(bar, n);
      if (x.L > 0) to[1].p = vec3_scale(T / x.L, vec3_axpy(-vec3_dot(n, bar), n, bar));
      to[0].p = vec3_scale(-1, to[1].p);
    }
    to[0].p = vec3_axpy(T, vec3_cross(n, arm[0]), to[0].p);
    to[1].p = vec3_axpy(-T, vec3_cross(n, arm[1]), to[1].p);
    td_frame_reverse(m, w, s->a, &to[0], b);
    td_frame_reverse(m, w, s->b, &to[1], b);
  }
}
