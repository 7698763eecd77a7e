// Pieces of rods: strains from coordinates or from the two ends, the section's law, and their
// first-order change.
//
// Virtual work of a piece of length l:  l f·δχ, with χ = x/l for measured displacements and angles
// x, so f itself is the force along x.
#include <string.h>

#include "engine.h"
#include "polyrod.h"
#include "section.h"
#include "segment.h"

static section section_at(const double* n, double load) {
  return (section){
      n + SECTION_K,    n + SECTION_D, n + SECTION_X0, n + SECTION_INPUT, n + SECTION_MU,
      n[SECTION_POWER], load};
}

static const double no_numbers[SECTION_SLOTS];

static section section_of(const td_work* w, const model_force* f, const double* slots) {
  return section_at(slots + f->section, w->load);
}

static double piece_length(const td_work* w, const model_force* f) {
  return w->num[f->section + SECTION_LENGTH];
}

// The stretch of a segment is measured from its length.
static void segment_strains(const segment* s, double length, double x[6], double u[6]) {
  for (int d = 0; d < 6; d++) {
    x[d] = s->x[d] / length - (d == 2);
    u[d] = s->u[d] / length;
  }
}

static void dof_strains(const td_work* w, const model_force* f, double x[6], double u[6]) {
  const double length = piece_length(w, f);
  for (int d = 0; d < 6; d++) {
    const bool held = f->dof_q[d] < 0;
    x[d] = held ? w->num[f->section + SECTION_HELD + d] : w->q[f->dof_q[d]] / length;
    u[d] = held ? 0 : w->v[f->dof_v[d]] / length;
  }
}

static void basis_strains(const td_model* m, const td_work* w, const model_force* f, double x[6],
                          double u[6]) {
  for (int d = 0; d < 6; d++) {
    x[d] = w->num[f->section + SECTION_HELD + d];
    u[d] = 0;
  }
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
    x[t->mode] += w->num[t->weight] * w->q[t->q];
    u[t->mode] += w->num[t->weight] * w->v[t->v];
  }
}

// Generalised forces of a force s on the strains, times the quadrature weight.
static void basis_collect(const td_model* m, const td_work* w, const model_force* f,
                          const double s[6], double* tau) {
  const double weight = piece_length(w, f);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    tau[t->v] += weight * w->num[t->weight] * s[t->mode];
}

static segment ends(const td_model* m, const td_work* w, const model_force* f) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  return td_segment(&a, &b);
}

// The hops of a polynomial rod at a station: translation, then rotation.
static void polynomial_hops(const td_model* m, const model_force* f, const model_hop** move,
                            const model_hop** turn) {
  *turn = &m->hop[m->station[f->b].hop];
  *move = &m->hop[(*turn)->parent];
}

// Sum of weight (slope: of its derivative) times a coordinate's number, per component.
static vec3 weighted(const td_model* m, const td_work* w, const model_hop* hop, bool slope,
                     bool rate) {
  double y[3] = {0, 0, 0};
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    y[m->col[k].part] += (slope ? w->col[k].slope : w->col[k].weight) *
                         (rate ? w->v[m->col[k].v] : w->q[m->col[k].q]);
  return vec3_of(y);
}

static polyrod polynomial_at(const td_model* m, const td_work* w, const model_force* f) {
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  const vec3 along = {0, 0, 1};
  return td_polyrod(vec3_add(along, weighted(m, w, move, true, false)),
                    weighted(m, w, turn, false, false), weighted(m, w, turn, true, false),
                    weighted(m, w, move, true, true), weighted(m, w, turn, false, true),
                    weighted(m, w, turn, true, true));
}

// What DOF v does to the numbers of a polynomial rod.
static polyrod_vector polynomial_direction(const td_model* m, const td_work* w,
                                           const model_force* f, int v) {
  const model_hop *move, *turn;
  double ps[3] = {0}, x[3] = {0}, xs[3] = {0};
  polynomial_hops(m, f, &move, &turn);
  for (int k = move->col; k < move->col + move->nv; k++)
    if (m->col[k].v == v) ps[m->col[k].part] += w->col[k].slope;
  for (int k = turn->col; k < turn->col + turn->nv; k++)
    if (m->col[k].v == v) {
      x[m->col[k].part] += w->col[k].weight;
      xs[m->col[k].part] += w->col[k].slope;
    }
  return (polyrod_vector){vec3_of(ps), vec3_of(x), vec3_of(xs)};
}

// Generalised forces of a force g on the numbers, times `scale` and the quadrature weight, added to
// a column of a matrix of the part's order, or to tau (NULL).
static void polynomial_collect(const td_model* m, const td_work* w, const model_force* f,
                               const polyrod_vector* g, double scale, const tree_part* part,
                               double* tau) {
  const model_hop *move, *turn;
  const double weight = scale * piece_length(w, f);
  const tree_part plain = {.n = 1};
  const tree_part* to = part ? part : &plain;
  polynomial_hops(m, f, &move, &turn);
  for (int k = move->col; k < move->col + move->nv; k++)
    tau[part_row(to, m->col[k].v) * to->n] +=
        weight * w->col[k].slope * vec3_at(g->ps, m->col[k].part);
  for (int k = turn->col; k < turn->col + turn->nv; k++)
    tau[part_row(to, m->col[k].v) * to->n] +=
        weight * (w->col[k].weight * vec3_at(g->x, m->col[k].part) +
                  w->col[k].slope * vec3_at(g->xs, m->col[k].part));
}

static void strains_and_rates(const td_model* m, const td_work* w, const model_force* f,
                              double x[6], double u[6]) {
  if (f->strain == STRAIN_DOF) {
    dof_strains(w, f, x, u);
  } else if (f->strain == STRAIN_BASIS) {
    basis_strains(m, w, f, x, u);
  } else if (f->strain == STRAIN_POLYNOMIAL) {
    const polyrod r = polynomial_at(m, w, f);
    memcpy(x, r.strain, sizeof r.strain);
    memcpy(u, r.rate, sizeof r.rate);
  } else {
    const segment s = ends(m, w, f);
    segment_strains(&s, piece_length(w, f), x, u);
  }
}

void td_strains(const td_model* m, const td_work* w, const model_force* f, double x[6]) {
  double u[6];
  strains_and_rates(m, w, f, x, u);
}

static void masked_force(const section* s, const double x[6], const double u[6], int which,
                         double f[6]) {
  section_force(s, x, u, f);
  for (int d = 0; d < 6; d++) {
    const double input = s->load * s->input[d];
    if (which == FORCES_PASSIVE) f[d] -= input;
    if (which == FORCES_ACTIVE) f[d] = input;
  }
}

static void add_wrench(const td_model* m, td_work* w, int station, spatial f) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop >= 0) w->hop[hop].f = spatial_add(w->hop[hop].f, f);
}

void td_strain_add(const td_model* m, td_work* w, const model_force* f, int which) {
  const section sec = section_of(w, f, w->num);
  double x[6], u[6], s[6];
  if (f->strain == STRAIN_DOF) {
    dof_strains(w, f, x, u);
    masked_force(&sec, x, u, which, s);
    for (int d = 0; d < 6; d++)
      if (f->dof_v[d] >= 0) w->tau[f->dof_v[d]] += s[d];
    return;
  }
  if (f->strain == STRAIN_BASIS) {
    basis_strains(m, w, f, x, u);
    masked_force(&sec, x, u, which, s);
    basis_collect(m, w, f, s, w->tau);
    return;
  }
  if (f->strain == STRAIN_POLYNOMIAL) {
    const polyrod r = polynomial_at(m, w, f);
    masked_force(&sec, r.strain, r.rate, which, s);
    const polyrod_vector g = td_polyrod_force(&r, s);
    polynomial_collect(m, w, f, &g, 1, NULL, w->tau);
    return;
  }
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const segment e = td_segment(&a, &b);
  segment_strains(&e, piece_length(w, f), x, u);
  masked_force(&sec, x, u, which, s);
  const segment_wrench t = td_segment_wrench(&e, s);
  add_wrench(m, w, f->b, spatial_force(b.p, t.force, t.torque_b));
  add_wrench(m, w, f->a, spatial_force(a.p, vec3_scale(-1, t.force), t.torque_a));
}

// ---- changes ----------------------------------------------------------------------------------

static void dof_change(const td_model* m, const td_work* w, const model_force* f, int col,
                       bool rate, double dx[6], double du[6]) {
  const model_col* c = col < 0 ? NULL : &m->col[col];
  for (int d = 0; d < 6; d++) {
    const bool own = c && c->first && f->dof_v[d] == c->v;
    dx[d] = own && !rate ? 1 / piece_length(w, f) : 0;
    du[d] = own && rate ? 1 / piece_length(w, f) : 0;
  }
}

static void basis_change(const td_model* m, const td_work* w, const model_force* f, int col,
                         double dx[6]) {
  const model_col* c = &m->col[col];
  for (int d = 0; d < 6; d++) dx[d] = 0;
  if (!c->first) return;
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    if (t->v == c->v) dx[t->mode] += w->num[t->weight];
}

void td_strains_change(const td_model* m, const td_work* w, const model_force* f, int col,
                       double dx[6]) {
  double du[6];
  if (f->strain == STRAIN_DOF) {
    dof_change(m, w, f, col, false, dx, du);
    return;
  }
  if (f->strain == STRAIN_BASIS) {
    basis_change(m, w, f, col, dx);
    return;
  }
  if (f->strain == STRAIN_POLYNOMIAL) {
    const polyrod r = polynomial_at(m, w, f);
    polyrod_vector d = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, none = d;
    if (m->col[col].first) d = polynomial_direction(m, w, f, m->col[col].v);
    td_polyrod_change(&r, &d, &none, dx, du);
    return;
  }
  const segment s = ends(m, w, f);
  const frame_change da = td_frame_change(m, w, f->a, col, false),
                     db = td_frame_change(m, w, f->b, col, false);
  const segment_change d = td_segment_change(&s, &da, &db);
  for (int i = 0; i < 6; i++) dx[i] = d.x[i] / piece_length(w, f);
}

// Change of the wrench [F, T] at p.
static spatial wrench_change(vec3 p, vec3 F, vec3 dp, vec3 dF, vec3 dT) {
  return spatial_of(dF, vec3_add(vec3_add(vec3_cross(p, dF), vec3_cross(dp, F)), dT));
}

void td_strain_numbers_change(const td_model* m, const td_work* w, const model_force* f,
                              double* dtau) {
  const section sec = section_of(w, f, w->num), dsec = section_of(w, f, w->dnum);
  const double none[6] = {0};
  double x[6], u[6], ds[6];
  if (f->strain == STRAIN_DOF) {
    dof_strains(w, f, x, u);
    section_change(&sec, &dsec, x, u, none, none, ds);
    for (int d = 0; d < 6; d++)
      if (f->dof_v[d] >= 0) dtau[f->dof_v[d]] += ds[d];
    return;
  }
  if (f->strain == STRAIN_BASIS) {
    basis_strains(m, w, f, x, u);
    section_change(&sec, &dsec, x, u, none, none, ds);
    basis_collect(m, w, f, ds, dtau);
    return;
  }
  const polyrod r = polynomial_at(m, w, f);
  section_change(&sec, &dsec, r.strain, r.rate, none, none, ds);
  const polyrod_vector g = td_polyrod_force(&r, ds);
  polynomial_collect(m, w, f, &g, 1, NULL, dtau);
}

void td_strain_state(const td_work* w, const model_force* f, force_state* s) {
  const section sec = section_of(w, f, w->num);
  double x[6], u[6];
  s->segment = td_segment(&s->a, &s->b);
  segment_strains(&s->segment, piece_length(w, f), x, u);
  section_force(&sec, x, u, s->s);
  s->F = td_segment_wrench(&s->segment, s->s).force;
}

void td_strain_change(const td_work* w, const model_force* f, const force_state* s,
                      const frame_change* da, const frame_change* db, spatial change[2]) {
  const section sec = section_of(w, f, w->num), none = section_at(no_numbers, w->load),
                dsec = w->numbers_change ? section_of(w, f, w->dnum) : none;
  double x[6], u[6], dx[6], du[6], ds[6];
  const double length = piece_length(w, f);
  const segment_change d = td_segment_change(&s->segment, da, db);
  segment_strains(&s->segment, length, x, u);
  for (int i = 0; i < 6; i++) {
    dx[i] = d.x[i] / length;
    du[i] = d.u[i] / length;
  }
  section_change(&sec, &dsec, x, u, dx, du, ds);
  const segment_wrench t = td_segment_wrench_change(&s->segment, &d, s->s, ds);
  const vec3 back = vec3_scale(-1, s->F), dback = vec3_scale(-1, t.force);
  change[0] = wrench_change(s->a.p, back, da->p, dback, t.torque_a);
  change[1] = wrench_change(s->b.p, s->F, db->p, t.force, t.torque_b);
}

// ---- tangents of forces that follow from the coordinates themselves ---------------------------

static void dof_tangent(const td_work* w, const model_force* f, const tree_part* part, double* dq,
                        double* dv) {
  const section sec = section_of(w, f, w->num), none = section_at(no_numbers, w->load);
  const double zero[6] = {0};
  double x[6], u[6], ds[6];
  dof_strains(w, f, x, u);
  for (int d = 0; d < 6; d++) {
    if (f->dof_v[d] < 0) continue;
    double e[6] = {0};
    e[d] = 1 / piece_length(w, f);
    for (int rate = 0; rate < 2; rate++) {
      section_change(&sec, &none, x, u, rate ? zero : e, rate ? e : zero, ds);
      for (int i = 0; i < 6; i++)
        if (f->dof_v[i] >= 0)
          (rate ? dv : dq)[part_row(part, f->dof_v[i]) * part->n + part_row(part, f->dof_v[d])] -=
              ds[i];
    }
  }
}

// -dτ/dq and -dτ/dv are sums of weights times the law's 6x6 slopes.
static void basis_tangent(const td_model* m, const td_work* w, const model_force* f,
                          const tree_part* part, double* dq, double* dv) {
  const section sec = section_of(w, f, w->num), none = section_at(no_numbers, w->load);
  const double zero[6] = {0};
  double x[6], u[6], Kx[6][6], Kv[6][6];
  basis_strains(m, w, f, x, u);
  for (int d = 0; d < 6; d++) {
    double e[6] = {0};
    e[d] = 1;
    section_change(&sec, &none, x, u, e, zero, Kx[d]);
    section_change(&sec, &none, x, u, zero, e, Kv[d]);
  }
  const model_term *first = m->term + f->term, *end = first + f->nterm;
  for (const model_term* t = first; t < end; t++) {
    const double weight = piece_length(w, f) * w->num[t->weight];
    for (const model_term* s = first; s < end; s++) {
      const double both = weight * w->num[s->weight];
      const int at = part_row(part, s->v) * part->n + part_row(part, t->v);
      dq[at] -= both * Kx[t->mode][s->mode];
      dv[at] -= both * Kv[t->mode][s->mode];
    }
  }
}

// What a column does to the numbers of a polynomial rod.
static polyrod_vector column_direction(const model_col* col, const col_work* c, bool turns) {
  const vec3 e = vec3_axis(col->part), zero = {0, 0, 0};
  return (polyrod_vector){turns ? zero : vec3_scale(c->slope, e),
                          turns ? vec3_scale(c->weight, e) : zero,
                          turns ? vec3_scale(c->slope, e) : zero};
}

// The columns of one of its two hops.
static void polynomial_columns(const td_model* m, const td_work* w, const model_force* f,
                               const polyrod* r, const model_hop* hop, const tree_part* part,
                               double* dq, double* dv) {
  const section sec = section_of(w, f, w->num), none = section_at(no_numbers, w->load);
  const polyrod_vector zero = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double dx[6], du[6], s[6], ds[6];
  section_force(&sec, r->strain, r->rate, s);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const polyrod_vector d = column_direction(&m->col[k], &w->col[k], hop->kind != HOP_MOVE);
    const int v = part_row(part, m->col[k].v);
    td_polyrod_change(r, &d, &zero, dx, du);
    section_change(&sec, &none, r->strain, r->rate, dx, du, ds);
    const polyrod_vector g = td_polyrod_force(r, ds), turned = td_polyrod_force_change(r, &d, s);
    polynomial_collect(m, w, f, &g, -1, part, dq + v);
    polynomial_collect(m, w, f, &turned, -1, part, dq + v);

    td_polyrod_change(r, &zero, &d, dx, du);
    section_change(&sec, &none, r->strain, r->rate, dx, du, ds);
    const polyrod_vector gv = td_polyrod_force(r, ds);
    polynomial_collect(m, w, f, &gv, -1, part, dv + v);
  }
}

static void polynomial_tangent(const td_model* m, const td_work* w, const model_force* f,
                               const tree_part* part, double* dq, double* dv) {
  const polyrod r = polynomial_at(m, w, f);
  const model_hop *move, *turn;
  polynomial_hops(m, f, &move, &turn);
  polynomial_columns(m, w, f, &r, move, part, dq, dv);
  polynomial_columns(m, w, f, &r, turn, part, dq, dv);
}

void td_strain_tangent(const td_model* m, const td_work* w, const model_force* f,
                       const tree_part* part, double* dq, double* dv) {
  if (f->strain == STRAIN_DOF) dof_tangent(w, f, part, dq, dv);
  if (f->strain == STRAIN_POLYNOMIAL) polynomial_tangent(m, w, f, part, dq, dv);
  if (f->strain == STRAIN_BASIS) basis_tangent(m, w, f, part, dq, dv);
}

// ---- energy and power -------------------------------------------------------------------------

double td_strain_energy(const td_model* m, const td_work* w, const model_force* f) {
  if (!f->potential) return 0;
  const section sec = section_of(w, f, w->num);
  double x[6], u[6];
  strains_and_rates(m, w, f, x, u);
  return piece_length(w, f) * section_energy(&sec, x);
}

double td_strain_power(const td_model* m, const td_work* w, const model_force* f) {
  const section sec = section_of(w, f, w->num);
  double x[6], u[6], s[6], still[6] = {0}, spring[6], power = 0;
  strains_and_rates(m, w, f, x, u);
  section_force(&sec, x, u, s);
  section_force(&sec, x, still, spring);
  for (int d = 0; d < 6; d++)
    power += (s[d] - (f->potential ? spring[d] - sec.load * sec.input[d] : 0)) * u[d];
  return piece_length(w, f) * power;
}

double td_strain_energy_change(const td_model* m, const td_work* w, const model_force* f, int col) {
  if (!f->potential) return 0;
  const section sec = section_of(w, f, w->num);
  double x[6], u[6], dx[6], still[6] = {0}, spring[6], sum = 0;
  strains_and_rates(m, w, f, x, u);
  td_strains_change(m, w, f, col, dx);
  section_force(&sec, x, still, spring);
  for (int d = 0; d < 6; d++) sum -= (spring[d] - sec.load * sec.input[d]) * dx[d];
  return piece_length(w, f) * sum;
}
