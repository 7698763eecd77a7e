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
#include "engine/row_table.h"

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

// ---- what the engine asks of the row ----------------------------------------------------------

static void cable_fill(const td_model* m, const td_work* w, int row, row_frames* f) {
  (void)m, (void)w, (void)row, (void)f;
}

static row_value cable_value(const td_model* m, const td_work* w, int row) {
  return td_taut_value(m, w, m->row[row].cable);
}

static void cable_linearise(const td_model* m, const td_work* w, int row, row_state* s) {
  s->at = cable_value(m, w, row);
}

static row_value cable_diff(const td_model* m, const td_work* w, int row, const row_state* s,
                            const ends_change* c, int col, bool rate) {
  (void)s, (void)c;
  return td_taut_change(m, w, m->row[row].cable, col, rate);
}

static bool cable_moves(const td_model* m, int row, int hop) {
  return (void)m, (void)row, (void)hop, true;
}

// The multiplier of a cable is its tension, with which all that asks for tensions goes on.
static void cable_add(const td_model* m, td_work* w, int row, double lambda) {
  const int cable = m->row[row].cable;
  const double tension = row_is_off(m, w, row) ? 0 : lambda;
  w->cable[cable].tension = tension;
  td_taut_pull(m, w, cable, tension, &w->hop[0].f, sizeof(hop_work), w->tau);
}

// The tension is set then, and its derivatives are among those of the forces.
static void cable_add_diff(const td_model* m, const td_work* w, int row, double lambda, int col,
                           bool rate, spatial* df) {
  (void)m, (void)w, (void)row, (void)lambda, (void)col, (void)rate, (void)df;
}
static void cable_tangent(const td_model* m, const td_work* w, int first, int end,
                          const row_state* s, const double* lambda, row_reach to[3], double* dq) {
  (void)m, (void)w, (void)first, (void)end, (void)s, (void)lambda, (void)to, (void)dq;
}

static void cable_jacobian(const td_model* m, td_work* w, int first, int end, row_reach to[3],
                           double* Jc) {
  (void)end, (void)to;
  if (!row_is_off(m, w, first)) td_taut_jacobian(m, w, m->row[first].cable, Jc + first * m->nvel);
}

// Squares of what makes the length of a cable: its parts are strains of the pieces that it crosses
// and distances of the ends of its straight spans.  A strain that bends counts with the distance of
// the cable from the centre line and with the length of the piece, so that a distance that is
// rounding does not make a row.
static void cable_squares(const td_model* m, const td_work* w, int first, row_reach to[3],
                          double* moved, double* turned) {
  const int cable = m->row[first].cable;
  (void)turned;
  const model_cable* c = &m->cable[cable];
  for (int i = c->order; i < c->order + c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[i]];
    const model_strain* f = &m->strain[at->strain];
    const double length = w->num[f->section + SECTION_LENGTH];
    const double *d = w->num + at->path, reach_of = hypot(hypot(d[0], d[1]), length);
    if (f->kind != STRAIN_SEGMENT) {
      td_strain_squares(m, w, f, at->cover, at->cover * reach_of, moved);
      continue;
    }
    const int ends[2] = {f->a, f->b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0 || m->station[ends[e]].hop < 0) continue;
      td_reach_to(m, w, m->station[ends[e]].hop, &to[0]);
      td_reach_squares(&to[0], td_frame(m, w, ends[e]).p, at->cover * at->cover,
                       at->cover * reach_of, moved, NULL);
    }
  }
  for (int i = c->span; i < c->span + c->nspan; i++) {
    const int ends[2] = {m->span[i].a, m->span[i].b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0 || m->station[ends[e]].hop < 0) continue;
      td_reach_to(m, w, m->station[ends[e]].hop, &to[0]);
      td_reach_squares(&to[0], td_frame(m, w, ends[e]).p, 1, 0, moved, NULL);
    }
  }
}

const row_ops td_row_cable = {
    .fill = cable_fill,
    .value = cable_value,
    .linearise = cable_linearise,
    .diff = cable_diff,
    .moves = cable_moves,
    .add = cable_add,
    .add_diff = cable_add_diff,
    .jacobian = cable_jacobian,
    .squares = cable_squares,
    .tangent = cable_tangent,
};
