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
#include "engine/crossing.h"
#include "engine/row_table.h"
#include "engine/strain_table.h"

// ---- lengths ----------------------------------------------------------------------------------

static strain_direction direction_of(const td_model* m, int col, bool rate) {
  const bool own = col >= 0 && m->col[col].first;
  return (strain_direction){col, own ? m->col[col].v : -1, rate};
}

static taylor crossing_length(const td_model* m, const td_work* w, const model_crossing* c,
                              const strain_direction* to) {
  const model_strain* f = &m->strain[c->strain];
  const taylor covered = {.x = passed(m, w, c), .e = passed_change(m, w, c)};
  taylor x[6], path[CABLE_PATH];
  strain_of(f)->series(m, w, f, to, x);
  for (int i = 0; i < CABLE_PATH; i++)
    path[i] = (taylor){.x = w->num[c->path + i], .e = w->dnum[c->path + i]};
  return taylor_mul(covered, td_taylor_cable(c->joint > 0, x, path));
}

static taylor length_along(const td_model* m, const td_work* w, int cable, int col, bool rate) {
  const model_cable* c = &m->cable[cable];
  const strain_direction to = direction_of(m, col, rate);
  taylor sum = taylor_const(0);
  for (int i = c->order; i < c->order + c->norder; i++)
    sum = taylor_add(sum, crossing_length(m, w, &m->crossing[m->cable_order[i]], &to));
  for (int i = c->span; i < c->span + c->nspan; i++) {
    const taylor_frame a = td_series_frame(m, w, m->span[i].a, &to),
                       b = td_series_frame(m, w, m->span[i].b, &to);
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
  const double zero = col == ALONG ? w->along->zero[cable] : 0;
  return (row_value){.e = zero - l.e, .ed = -l.ed, .edd = -l.edd};
}

// ---- forces -----------------------------------------------------------------------------------

void td_taut_pull(const td_model* m, const td_work* w, int cable, double tension, spatial* on,
                  size_t stride, double* tau) {
  const model_cable* c = &m->cable[cable];
  for (int i = c->order; i < c->order + c->norder; i++) {
    const model_crossing* at = &m->crossing[m->cable_order[i]];
    const model_strain* f = &m->strain[at->strain];
    double x[6], s[6];
    td_strains(m, w, f, x);
    const cable_section pulled = cable_through(at->joint > 0, x, w->num + at->path);
    for (int d = 0; d < 6; d++) s[d] = -tension * w->num[at->cover] * pulled.g[d];
    strain_of(f)->collect(m, w, f, s, on, stride, tau);
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

// ---- what the engine requires of the row -------------------------------------------------------

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

// The multiplier of a cable is its tension, which everything that needs tensions takes from there.
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

// ---- adjoints ---------------------------------------------------------------------------------

// A weighted series: value, rate and acceleration.
static double weigh(taylor l, const row_value* bar) {
  return -(bar->e * l.e + bar->ed * l.ed + bar->edd * l.edd);
}

// The length W |τ| of a crossing:  δl = W A δx with A = ∂|τ|/∂x, and so its rates as in
// strain_polynomial.c; the series of unit changes have A, Ȧ and Ä.
static void crossing_reverse(const td_model* m, td_work* w, const model_crossing* c,
                             const row_value* bar, adjoint* b) {
  const model_strain* f = &m->strain[c->strain];
  const strain_direction none = {-1, -1, false};
  const double W = passed(m, w, c);
  taylor x[6], path[CABLE_PATH];
  strain_weights to = {{0}, {0}, {0}};
  strain_of(f)->series(m, w, f, &none, x);
  for (int i = 0; i < CABLE_PATH; i++) path[i] = taylor_const(w->num[c->path + i]);
  const taylor l = td_taylor_cable(c->joint > 0, x, path);
  passed_reverse(m, w, c, -(bar->e * l.x + bar->ed * l.d + bar->edd * l.dd), b->n);
  for (int d = 0; d < 6; d++) {
    x[d].e = 1;
    const taylor A = td_taylor_cable(c->joint > 0, x, path);
    x[d].e = 0;
    to.x[d] = W * weigh(A, bar);
    to.u[d] = -W * (bar->ed * A.e + 2 * bar->edd * A.ed);
    to.a[d] = -W * bar->edd * A.e;
  }
  for (int d = 0; d < CABLE_PATH; d++) {
    path[d].e = 1;
    b->n[c->path + d] += W * weigh(td_taylor_cable(c->joint > 0, x, path), bar);
    path[d].e = 0;
  }
  strain_of(f)->series_reverse(m, w, f, &to, b);
}

// A straight span with the changes of its ends.
typedef struct weighed_length {
  frame end[2];
  frame_change d[2];
  bool along;
  const row_value* bar;
} weighed_length;
static double span_change(const td_model* m, td_work* w, void* what) {
  (void)m, (void)w;
  const weighed_length* e = what;
  const taylor_frame a = td_taylor_frame(&e->end[0], &e->d[0]),
                     b = td_taylor_frame(&e->end[1], &e->d[1]);
  return weigh(td_chord(&a, &b, e->along).l, e->bar);
}

static void cable_reverse_row(const td_model* m, td_work* w, int row, const row_value* bar,
                              struct adjoint* b) {
  const int cable = m->row[row].cable;
  const model_cable* c = &m->cable[cable];
  b->zero[cable] += bar->e;
  for (int i = c->order; i < c->order + c->norder; i++)
    crossing_reverse(m, w, &m->crossing[m->cable_order[i]], bar, b);
  for (int i = c->span; i < c->span + c->nspan; i++) {
    const int station[2] = {m->span[i].a, m->span[i].b};
    weighed_length e = {.along = w->span_along[i], .bar = bar};
    for (int k = 0; k < 2; k++) {
      e.end[k] = td_frame(m, w, station[k]);
      if (station[k] >= 0 && m->station[station[k]].hop >= 0)
        e.end[k].a = vec3_sub(e.end[k].a, w->ground);
    }
    for (int k = 0; k < 2; k++) {
      frame_change to = {0};
      td_units(m, w, (change_rule){span_change, &e}, &e.d[k].p.x, 18, &to.p.x);
      td_frame_reverse(m, w, station[k], &to, b);
    }
  }
}

// The tension of a row is a cable's: what it does changes with the forces (force_cable.c).
static void cable_force_reverse(const td_model* m, td_work* w, int row, double lambda,
                                struct adjoint* b) {
  (void)lambda;
  if (row_is_off(m, w, row)) return;
  memset(w->df, 0, (size_t)m->nhop * sizeof(spatial));
  memset(w->dtau, 0, (size_t)m->nvel * sizeof(double));
  td_taut_pull(m, w, m->row[row].cable, 1, w->df, sizeof *w->df, w->dtau);
  for (int i = 0; i < m->nhop; i++) b->lambda[row] += spatial_dot(&b->f[i], &w->df[i]);
  for (int i = 0; i < m->nvel; i++) b->lambda[row] += b->tau[i] * w->dtau[i];
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
    const double length = w->num[f->section + SECTION_LENGTH], cover = w->num[at->cover];
    const double *d = w->num + at->path, reach_of = hypot(hypot(d[0], d[1]), length);
    if (!strain_is_link(f)) {
      strain_of(f)->squares(m, w, f, cover, cover * reach_of, moved);
      continue;
    }
    const int ends[2] = {f->a, f->b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0 || m->station[ends[e]].hop < 0) continue;
      td_reach_to(m, w, m->station[ends[e]].hop, &to[0]);
      reach_squares(&to[0], td_frame(m, w, ends[e]).p, cover * cover, cover * reach_of, moved,
                    NULL);
    }
  }
  for (int i = c->span; i < c->span + c->nspan; i++) {
    const int ends[2] = {m->span[i].a, m->span[i].b};
    for (int e = 0; e < 2; e++) {
      if (ends[e] < 0 || m->station[ends[e]].hop < 0) continue;
      td_reach_to(m, w, m->station[ends[e]].hop, &to[0]);
      reach_squares(&to[0], td_frame(m, w, ends[e]).p, 1, 0, moved, NULL);
    }
  }
}

const row_ops td_row_cable = {
    .value = cable_value,
    .linearise = cable_linearise,
    .diff = cable_diff,
    .moves = cable_moves,
    .add = cable_add,
    .add_diff = cable_add_diff,
    .reverse = cable_reverse_row,
    .force_reverse = cable_force_reverse,
    .jacobian = cable_jacobian,
    .squares = cable_squares,
    .tangent = cable_tangent,
};
