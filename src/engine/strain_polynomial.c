// Strains of a polynomial pose at station b (elem/polyrod.h; model 'rom').
#include <math.h>
#include <string.h>

#include "engine/strain_table.h"

// The hops of a polynomial rod at a station: translation, then rotation.
static void polynomial_hops(const td_model* m, const model_strain* f, const model_hop** move,
                            const model_hop** turn) {
  *turn = &m->hop[m->station[f->b].hop];
  *move = &m->hop[(*turn)->parent];
}

// Numbers of a hop and their rates: sums of weights times coordinates, and the same with slopes.
typedef struct hop_sums {
  double y[3], yd[3], ys[3], ysd[3];
} hop_sums;

static hop_sums weighted(const td_model* m, const td_work* w, const model_hop* hop) {
  hop_sums s = {{0}, {0}, {0}, {0}};
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const int part = m->col[k].part;
    const double q = w->q[m->col[k].q], v = w->v[m->col[k].v];
    s.y[part] += w->col_weight[k] * q;
    s.yd[part] += w->col_weight[k] * v;
    s.ys[part] += w->col_slope[k] * q;
    s.ysd[part] += w->col_slope[k] * v;
  }
  return s;
}

polyrod td_polynomial_at(const td_model* m, const td_work* w, const model_strain* f) {
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  const hop_sums p = weighted(m, w, move), x = weighted(m, w, turn);
  const vec3 along = {0, 0, 1};
  return td_polyrod(vec3_add(along, vec3_of(p.ys)), vec3_of(x.y), vec3_of(x.ys), vec3_of(p.ysd),
                    vec3_of(x.yd), vec3_of(x.ysd));
}

// Derivatives of the numbers of a polynomial rod by DOF v.
static polyrod_vector polynomial_direction(const td_model* m, const td_work* w,
                                           const model_strain* f, int v) {
  const model_hop *move, *turn;
  double ps[3] = {0}, x[3] = {0}, xs[3] = {0};
  polynomial_hops(m, f, &move, &turn);
  for (int k = move->col; k < move->col + move->nv; k++)
    if (m->col[k].v == v) ps[m->col[k].part] += w->col_slope[k];
  for (int k = turn->col; k < turn->col + turn->nv; k++)
    if (m->col[k].v == v) {
      x[m->col[k].part] += w->col_weight[k];
      xs[m->col[k].part] += w->col_slope[k];
    }
  return (polyrod_vector){vec3_of(ps), vec3_of(x), vec3_of(xs)};
}

// Generalised forces of a force g on the numbers, times `weight`, added to a column of a matrix of
// the part's order, or to tau (NULL).
static void sum_forces(const td_model* m, const td_work* w, const model_strain* f,
                       const polyrod_vector* g, double weight, const tree_part* part, double* tau) {
  const model_hop *move, *turn;
  const tree_part plain = {.n = 1};
  const tree_part* to = part ? part : &plain;
  polynomial_hops(m, f, &move, &turn);
  for (int k = move->col; k < move->col + move->nv; k++)
    tau[part_row(to, m->col[k].v) * to->n] +=
        weight * w->col_slope[k] * vec3_at(g->ps, m->col[k].part);
  for (int k = turn->col; k < turn->col + turn->nv; k++)
    tau[part_row(to, m->col[k].v) * to->n] +=
        weight * (w->col_weight[k] * vec3_at(g->x, m->col[k].part) +
                  w->col_slope[k] * vec3_at(g->xs, m->col[k].part));
}

static void polynomial_state(const td_model* m, const td_work* w, const model_strain* f,
                             double x[6], double u[6]) {
  const polyrod r = td_polynomial_at(m, w, f);
  memcpy(x, r.strain, sizeof r.strain);
  memcpy(u, r.rate, sizeof r.rate);
}

static double slot_change(const td_work* w, num slot) {
  return slot == NUM_NONE ? 0 : w->dnum[slot];
}

// Numbers of a hop: sums of weights, or of their slopes, times coordinates.
static taylor3 weighted_series(const td_model* m, const td_work* w, const model_hop* hop,
                               bool slopes, const strain_direction* to) {
  taylor y[3] = {taylor_const(0), taylor_const(0), taylor_const(0)};
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const double weight = slopes ? w->col_slope[k] : w->col_weight[k],
                 change = slot_change(w, slopes ? c->slope : c->weight);
    y[c->part] = taylor_add(y[c->part], coordinate_series(w, c->q, c->v, weight, change, to));
  }
  return (taylor3){y[0], y[1], y[2]};
}

static void polynomial_series(const td_model* m, const td_work* w, const model_strain* f,
                              const strain_direction* to, taylor x[6]) {
  const model_hop *turn = &m->hop[m->station[f->b].hop], *move = &m->hop[turn->parent];
  const taylor3 e_z = taylor3_const((vec3){0, 0, 1});
  td_taylor_polyrod(taylor3_add(e_z, weighted_series(m, w, move, true, to)),
                    weighted_series(m, w, turn, false, to), weighted_series(m, w, turn, true, to),
                    x);
}

// Changes of the numbers of a hop along a direction and with the weights.
static hop_sums weighted_along(const td_model* m, const td_work* w, const model_hop* hop) {
  hop_sums s = {{0}, {0}, {0}, {0}};
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const double weight = slot_change(w, c->weight), slope = slot_change(w, c->slope);
    const double q = w->q[c->q], v = w->v[c->v], dq = along_q(w, c->v), dv = along_v(w, c->v);
    s.y[c->part] += w->col_weight[k] * dq + weight * q;
    s.yd[c->part] += w->col_weight[k] * dv + weight * v;
    s.ys[c->part] += w->col_slope[k] * dq + slope * q;
    s.ysd[c->part] += w->col_slope[k] * dv + slope * v;
  }
  return s;
}

static void polynomial_along(const td_model* m, const td_work* w, const model_strain* f,
                             polyrod_vector* dz, polyrod_vector* dzd) {
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  const hop_sums p = weighted_along(m, w, move), x = weighted_along(m, w, turn);
  *dz = (polyrod_vector){vec3_of(p.ys), vec3_of(x.y), vec3_of(x.ys)};
  *dzd = (polyrod_vector){vec3_of(p.ysd), vec3_of(x.yd), vec3_of(x.ysd)};
}

// Change dx of the six strains along column col, or along w->along.
static void polynomial_strains_diff(const td_model* m, const td_work* w, const model_strain* f,
                                    int col, double dx[6]) {
  double du[6];
  const polyrod r = td_polynomial_at(m, w, f);
  if (col == ALONG) {
    polyrod_vector dz, dzd;
    polynomial_along(m, w, f, &dz, &dzd);
    td_polyrod_change(&r, &dz, &dzd, dx, du);
    return;
  }
  memset(dx, 0, 6 * sizeof(double));
  if (!m->col[col].first) return;
  const polyrod_vector d = polynomial_direction(m, w, f, m->col[col].v),
                       none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  td_polyrod_change(&r, &d, &none, dx, du);
}

// The transpose of the numbers of a hop along a direction: weights of the sums with the weights of
// its coordinates and of those with their slopes, value, rate and acceleration of each.
static void weighted_reverse(const td_model* m, const td_work* w, const model_hop* hop,
                             double y[3][3], double ys[3][3], adjoint* b) {
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const double weight = w->col_weight[k], slope = w->col_slope[k];
    const double x[3] = {w->q[c->q], w->v[c->v], w->along->accel[c->v]};
    double* to[3] = {b->q + c->v, b->v + c->v, b->a + c->v};
    for (int o = 0; o < 3; o++) {
      *to[o] += weight * y[o][c->part] + slope * ys[o][c->part];
      if (c->weight != NUM_NONE) b->n[c->weight] += x[o] * y[o][c->part];
      if (c->slope != NUM_NONE) b->n[c->slope] += x[o] * ys[o][c->part];
    }
  }
}

// x = x(z) of the nine numbers z = (p', x, x'), so that δẋ = A δż + Ȧ δz and δẍ = A δz̈ + 2 Ȧ δż +
// Ä δz: the series of unit changes of z have A, Ȧ and Ä.
static void polynomial_series_reverse(const td_model* m, td_work* w, const model_strain* f,
                                      const strain_weights* bar, struct adjoint* b) {
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  const hop_sums p = weighted(m, w, move), x = weighted(m, w, turn);
  double ps[3] = {0}, xa[3] = {0}, xs[3] = {0};  // accelerations
  for (int k = move->col; k < move->col + move->nv; k++)
    ps[m->col[k].part] += w->col_slope[k] * w->along->accel[m->col[k].v];
  for (int k = turn->col; k < turn->col + turn->nv; k++) {
    xa[m->col[k].part] += w->col_weight[k] * w->along->accel[m->col[k].v];
    xs[m->col[k].part] += w->col_slope[k] * w->along->accel[m->col[k].v];
  }

  double z[3][3][3] = {{{0}}};  // weights of the three vectors: value, rate, acceleration
  for (int k = 0; k < 9; k++) {
    vec3 e[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const vec3 none = {0, 0, 0}, along = {0, 0, 1};
    taylor s[6];
    e[k / 3] = vec3_axis(k % 3);
    td_taylor_polyrod(
        taylor3_of(vec3_add(along, vec3_of(p.ys)), vec3_of(p.ysd), vec3_of(ps), e[0], none, none),
        taylor3_of(vec3_of(x.y), vec3_of(x.yd), vec3_of(xa), e[1], none, none),
        taylor3_of(vec3_of(x.ys), vec3_of(x.ysd), vec3_of(xs), e[2], none, none), s);
    for (int d = 0; d < 6; d++) {
      z[k / 3][0][k % 3] += bar->x[d] * s[d].e + bar->u[d] * s[d].ed + bar->a[d] * s[d].edd;
      z[k / 3][1][k % 3] += bar->u[d] * s[d].e + 2 * bar->a[d] * s[d].ed;
      z[k / 3][2][k % 3] += bar->a[d] * s[d].e;
    }
  }
  double none[3][3] = {{0}};
  weighted_reverse(m, w, move, none, z[0], b);
  weighted_reverse(m, w, turn, z[1], z[2], b);
}

static void polynomial_collect(const td_model* m, const td_work* w, const model_strain* f,
                               const double s[6], spatial* on, size_t stride, double* tau) {
  (void)on, (void)stride;
  const polyrod r = td_polynomial_at(m, w, f);
  const polyrod_vector g = td_polyrod_force(&r, s);
  sum_forces(m, w, f, &g, piece_length(w, f), NULL, tau);
}

static void polynomial_add(const td_model* m, td_work* w, const model_strain* f, int which) {
  const polyrod r = td_polynomial_at(m, w, f);
  double s[6];
  piece_force(m, w, f, r.strain, r.rate, which, s);
  const polyrod_vector g = td_polyrod_force(&r, s);
  sum_forces(m, w, f, &g, piece_length(w, f), NULL, w->tau);
}

// Squares of strain_table.h, bounded from above: a translation stretches by its slope, a rotation
// turns by weight and slope, and shears by its weight.
static void polynomial_squares(const td_model* m, const td_work* w, const model_strain* f,
                               double along, double turning, double* square) {
  const double weight = piece_length(w, f);
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  for (int k = move->col; k < move->col + move->nv; k++) {
    const double s = weight * w->col_slope[k] * along;
    square[m->col[k].v] += s * s;
  }
  for (int k = turn->col; k < turn->col + turn->nv; k++) {
    const double s =
        weight * (fabs(w->col_weight[k]) * (along + turning) + fabs(w->col_slope[k]) * turning);
    square[m->col[k].v] += s * s;
  }
}

// Add the change of the section's generalised forces to dtau, by changes of strains and numbers;
// along a direction also by those of the shape, the length and the weights.
static void polynomial_numbers_diff(const td_model* m, const td_work* w, const model_strain* f,
                                    double* dtau) {
  const polyrod r = td_polynomial_at(m, w, f);
  polyrod_vector dz, dzd;
  double dx[6], du[6], s[6], ds[6];
  polynomial_along(m, w, f, &dz, &dzd);
  td_polyrod_change(&r, &dz, &dzd, dx, du);
  piece_change(m, w, f, r.strain, r.rate, dx, du, true, ds);
  const polyrod_vector g = td_polyrod_force(&r, ds);
  const double length = piece_length(w, f);
  sum_forces(m, w, f, &g, length, NULL, dtau);
  if (!w->along) return;

  // the shape turns what the section does; lengths and weights change, too
  piece_force(m, w, f, r.strain, r.rate, FORCES_ALL, s);
  const polyrod_vector turned = td_polyrod_force_change(&r, &dz, s), own = td_polyrod_force(&r, s);
  sum_forces(m, w, f, &turned, length, NULL, dtau);
  sum_forces(m, w, f, &own, w->dnum[f->section + SECTION_LENGTH], NULL, dtau);
  const model_hop* hop[2];
  polynomial_hops(m, f, &hop[0], &hop[1]);
  for (int h = 0; h < 2; h++)
    for (int k = hop[h]->col; k < hop[h]->col + hop[h]->nv; k++) {
      const model_col* c = &m->col[k];
      const double along = vec3_at(h == 0 ? own.ps : own.xs, c->part),
                   itself = h == 0 ? 0 : vec3_at(own.x, c->part);
      dtau[c->v] +=
          length * (slot_change(w, c->slope) * along + slot_change(w, c->weight) * itself);
    }
}

// With ḡ the weights of the generalised forces on z, those of the section's forces are A ḡ; and
// what the shape turns, δ(Aᵀ s), is symmetric in ḡ and δz.
static void polynomial_reverse(const td_model* m, td_work* w, const model_strain* f,
                               const force_state* at, struct adjoint* b) {
  (void)at;
  const polyrod r = td_polynomial_at(m, w, f);
  const double length = piece_length(w, f);
  const model_hop* hop[2];
  double s[6], bar[6], unused[6], ps[3] = {0}, x[3] = {0}, xs[3] = {0};
  polynomial_hops(m, f, &hop[0], &hop[1]);
  piece_force(m, w, f, r.strain, r.rate, FORCES_ALL, s);
  const polyrod_vector own = td_polyrod_force(&r, s), none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int h = 0; h < 2; h++)
    for (int k = hop[h]->col; k < hop[h]->col + hop[h]->nv; k++) {
      const model_col* c = &m->col[k];
      const double tau = b->tau[c->v];
      const double along = vec3_at(h == 0 ? own.ps : own.xs, c->part),
                   itself = h == 0 ? 0 : vec3_at(own.x, c->part);
      (h == 0 ? ps : xs)[c->part] += tau * w->col_slope[k];
      if (h == 1) x[c->part] += tau * w->col_weight[k];
      if (c->slope != NUM_NONE) b->n[c->slope] += length * tau * along;
      if (c->weight != NUM_NONE) b->n[c->weight] += length * tau * itself;
    }
  polyrod_vector g = {vec3_of(ps), vec3_of(x), vec3_of(xs)};
  b->n[f->section + SECTION_LENGTH] +=
      vec3_dot(own.ps, g.ps) + vec3_dot(own.x, g.x) + vec3_dot(own.xs, g.xs);
  g = (polyrod_vector){vec3_scale(length, g.ps), vec3_scale(length, g.x), vec3_scale(length, g.xs)};

  // the section, then the shape
  strain_weights to = {{0}, {0}, {0}};
  td_polyrod_change(&r, &g, &none, bar, unused);
  piece_reverse(m, w, f, r.strain, r.rate, bar, &to, b);
  polynomial_series_reverse(m, w, f, &to, b);
  const polyrod_vector turned = td_polyrod_force_change(&r, &g, s);
  double zero[3][3] = {{0}}, z[3][3][3] = {{{0}}};
  for (int k = 0; k < 3; k++) {
    z[0][0][k] = vec3_at(turned.ps, k);
    z[1][0][k] = vec3_at(turned.x, k);
    z[2][0][k] = vec3_at(turned.xs, k);
  }
  weighted_reverse(m, w, hop[0], zero, z[0], b);
  weighted_reverse(m, w, hop[1], z[1], z[2], b);
}

// Derivatives of the numbers of a polynomial rod along one column of its hops.
static polyrod_vector column_direction(const td_model* m, const td_work* w, int col, bool turns) {
  const vec3 e = vec3_axis(m->col[col].part), zero = {0, 0, 0};
  const double weight = w->col_weight[col], slope = w->col_slope[col];
  return (polyrod_vector){turns ? zero : vec3_scale(slope, e), turns ? vec3_scale(weight, e) : zero,
                          turns ? vec3_scale(slope, e) : zero};
}

// Add -dτ/dq and -dτ/dv of one section along the columns of one of its two hops: the section's
// stiffness and damping, and the turn of its forces with the shape.
static void polynomial_columns(const td_model* m, const td_work* w, const model_strain* f,
                               const polyrod* r, const model_hop* hop, const tree_part* part,
                               double* dq, double* dv) {
  const polyrod_vector zero = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const double length = piece_length(w, f);
  double dx[6], du[6], s[6], ds[6];
  piece_force(m, w, f, r->strain, r->rate, FORCES_ALL, s);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const polyrod_vector d = column_direction(m, w, k, td_hop_traits[hop->kind].axes > 0);
    const int v = part_row(part, m->col[k].v);

    // along the position
    td_polyrod_change(r, &d, &zero, dx, du);
    piece_change(m, w, f, r->strain, r->rate, dx, du, false, ds);
    const polyrod_vector g = td_polyrod_force(r, ds), turned = td_polyrod_force_change(r, &d, s);
    sum_forces(m, w, f, &g, -length, part, dq + v);
    sum_forces(m, w, f, &turned, -length, part, dq + v);

    // along the rate
    td_polyrod_change(r, &zero, &d, dx, du);
    piece_change(m, w, f, r->strain, r->rate, dx, du, false, ds);
    const polyrod_vector gv = td_polyrod_force(r, ds);
    sum_forces(m, w, f, &gv, -length, part, dv + v);
  }
}

static void polynomial_tangent(const td_model* m, const td_work* w, const model_strain* f,
                               const tree_part* part, double* dq, double* dv) {
  const polyrod r = td_polynomial_at(m, w, f);
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  polynomial_columns(m, w, f, &r, move, part, dq, dv);
  polynomial_columns(m, w, f, &r, turn, part, dq, dv);
}

static void polynomial_visit(const td_model* m, const model_strain* f, const force_visitor* to) {
  (void)m;
  to->station(to->ctx, f->a);
  to->station(to->ctx, f->b);
}

const strain_ops td_strain_polynomial = {
    .prepare = td_strain_no_prepare,
    .prepare_diff = td_strain_no_prepare_diff,
    .prepare_reverse = td_strain_no_prepare_reverse,
    .state = polynomial_state,
    .series = polynomial_series,
    .series_reverse = polynomial_series_reverse,
    .strains_diff = polynomial_strains_diff,
    .add = polynomial_add,
    .collect = polynomial_collect,
    .squares = polynomial_squares,
    .linearise = td_strain_no_linearise,
    .diff = td_strain_no_diff,
    .numbers_diff = polynomial_numbers_diff,
    .reverse = polynomial_reverse,
    .tangent = polynomial_tangent,
    .visit = polynomial_visit,
};
