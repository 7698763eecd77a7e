// The rows of cables that cannot be stretched.
//
//   e = l(0) - l,   J = -∂l/∂q = what a unit tension does,   e" = J v' + J' v
//
// Lengths with their second rates, and the changes of these along a column, come as series
// (elem/taylor.h): of strains that are sums of coordinates, of polynomial poses, of segments
// between frames, and of straight spans.
#include "engine/taut.h"

#include <string.h>

#include "elem/cable.h"
#include "elem/chord.h"
#include "elem/taylor.h"

// ---- lengths ----------------------------------------------------------------------------------

// A direction: a column's DOF, its position or its rate; col < 0: none.
typedef struct direction {
  int col, v;
  bool rate;
} direction;

static direction along(const td_model* m, int col, bool rate) {
  const bool own = col >= 0 && m->col[col].first;
  return (direction){col, own ? m->col[col].v : -1, rate};
}

// weight · q of a DOF
static taylor coordinate(const td_work* w, int q, int v, double weight, const direction* to) {
  const double own = v == to->v ? weight : 0;
  return (taylor){weight * w->q[q],   weight * w->v[v],   weight * w->accel[v],
                  to->rate ? 0 : own, to->rate ? own : 0, 0};
}

static void dof_strains(const td_work* w, const model_strain* f, const direction* to, taylor x[6]) {
  const double length = w->num[f->section + SECTION_LENGTH];
  for (int d = 0; d < 6; d++)
    x[d] = f->dof_q[d] < 0 ? taylor_const(w->num[f->section + SECTION_HELD + d])
                           : coordinate(w, f->dof_q[d], f->dof_v[d], 1 / length, to);
}

static void basis_strains(const td_model* m, const td_work* w, const model_strain* f,
                          const direction* to, taylor x[6]) {
  for (int d = 0; d < 6; d++) x[d] = taylor_const(w->num[f->section + SECTION_HELD + d]);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    x[t->mode] = taylor_add(x[t->mode], coordinate(w, t->q, t->v, w->num[t->weight], to));
}

// Numbers of a hop: sums of weights times coordinates.
static taylor3 weighted(const td_model* m, const td_work* w, const model_hop* hop,
                        const double* weight, const direction* to) {
  taylor y[3] = {taylor_const(0), taylor_const(0), taylor_const(0)};
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    y[c->part] = taylor_add(y[c->part], coordinate(w, c->q, c->v, weight[k], to));
  }
  return (taylor3){y[0], y[1], y[2]};
}

static void polynomial_strains(const td_model* m, const td_work* w, const model_strain* f,
                               const direction* to, taylor x[6]) {
  const model_hop *turn = &m->hop[m->station[f->b].hop], *move = &m->hop[turn->parent];
  const taylor3 e_z = taylor3_const((vec3){0, 0, 1});
  td_taylor_polyrod(taylor3_add(e_z, weighted(m, w, move, w->col_slope, to)),
                    weighted(m, w, turn, w->col_weight, to), weighted(m, w, turn, w->col_slope, to),
                    x);
}

static taylor_frame frame_at(const td_model* m, const td_work* w, int station,
                             const direction* to) {
  frame f = td_frame(m, w, station);
  if (station >= 0 && m->station[station].hop >= 0) f.a = vec3_sub(f.a, w->ground);
  if (to->col < 0) return td_taylor_frame(&f, NULL);
  const frame_change d = td_frame_change(m, w, station, to->col, to->rate);
  return td_taylor_frame(&f, &d);
}

static taylor crossing_length(const td_model* m, const td_work* w, const model_crossing* c,
                              const direction* to) {
  const model_strain* f = &m->strain[c->strain];
  const double length = w->num[f->section + SECTION_LENGTH];
  taylor x[6];
  if (f->kind == STRAIN_DOF) {
    dof_strains(w, f, to, x);
  } else if (f->kind == STRAIN_BASIS) {
    basis_strains(m, w, f, to, x);
  } else if (f->kind == STRAIN_POLYNOMIAL) {
    polynomial_strains(m, w, f, to, x);
  } else {
    const taylor_frame a = frame_at(m, w, f->a, to), b = frame_at(m, w, f->b, to);
    td_taylor_segment(&a, &b, length, x);
  }
  return taylor_scale(c->cover * length, td_taylor_cable(c->joint > 0, x, w->num + c->path));
}

static taylor length_along(const td_model* m, const td_work* w, int cable, int col, bool rate) {
  const model_cable* c = &m->cable[cable];
  const direction to = along(m, col, rate);
  taylor sum = taylor_const(0);
  for (int i = c->order; i < c->order + c->norder; i++)
    sum = taylor_add(sum, crossing_length(m, w, &m->crossing[m->cable_order[i]], &to));
  for (int i = c->span; i < c->span + c->nspan; i++) {
    const taylor_frame a = frame_at(m, w, m->span[i].a, &to), b = frame_at(m, w, m->span[i].b, &to);
    sum = taylor_add(sum, td_chord(&a, &b, w->span_along[i]).l);
  }
  return sum;
}

row_value td_taut_value(const td_model* m, const td_work* w, int cable) {
  const taylor l = length_along(m, w, cable, -1, false);
  return (row_value){.e = w->cable[cable].zero - l.x, .ed = -l.d, .edd = -l.dd};
}

row_value td_taut_change(const td_model* m, const td_work* w, int cable, int col, bool rate) {
  const taylor l = length_along(m, w, cable, col, rate);
  return (row_value){.e = -l.e, .ed = -l.ed, .edd = -l.edd};
}

// ---- forces -----------------------------------------------------------------------------------

static void add_wrench(const td_model* m, spatial* on, size_t stride, int station, spatial f) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop < 0) return;
  spatial* at = (spatial*)(void*)((char*)on + (size_t)hop * stride);
  *at = spatial_add(*at, f);
}

void td_taut_pull(const td_model* m, const td_work* w, int cable, double tension, spatial* on,
                  size_t stride, double* tau) {
  const model_cable* c = &m->cable[cable];
  for (int i = c->order; i < c->order + c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[i]];
    const model_strain* f = &m->strain[at->strain];
    double x[6], s[6];
    td_strains(m, w, f, x);
    const cable_section section = cable_through(at->joint > 0, x, w->num + at->path);
    for (int d = 0; d < 6; d++) s[d] = -tension * at->cover * section.g[d];
    if (f->kind != STRAIN_SEGMENT) {
      td_strain_collect(m, w, f, s, tau);
      continue;
    }
    spatial both[2];
    td_segment_wrenches(m, w, f, s, both);
    add_wrench(m, on, stride, f->a, both[0]);
    add_wrench(m, on, stride, f->b, both[1]);
  }
  for (int i = c->span; i < c->span + c->nspan; i++) td_span_pull(m, w, i, tension, on, stride);
}

void td_taut_jacobian(const td_model* m, td_work* w, int cable, double* row) {
  memset(row, 0, (size_t)m->nvel * sizeof(double));
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  td_taut_pull(m, w, cable, 1, w->df, sizeof *w->df, row);
  for (int i = m->nhop - 1; i >= 0; i--) {
    if (spatial_dot(&w->df[i], &w->df[i]) == 0) continue;
    td_hop_forces(m, w, i, &w->df[i], row);
    const int parent = m->hop[i].parent;
    if (parent >= 0) w->df[parent] = spatial_add(w->df[parent], w->df[i]);
  }
}
