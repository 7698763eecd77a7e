// Pieces of rods: strains from coordinates or from the two ends, the section's law, and their
// first-order change.
//
// Virtual work of a piece of length l:  l f·δχ, with χ = x/l for measured displacements and angles
// x, so f itself is the force along x.
#include <math.h>
#include <string.h>

#include "elem/section.h"
#include "elem/segment.h"
#include "engine/force.h"
#include "engine/stages.h"

enum { ALL_MODES = 0x3f };

static section section_at(const double* n, double load) {
  return (section){
      n + SECTION_K,    n + SECTION_D, n + SECTION_X0, n + SECTION_INPUT, n + SECTION_MU,
      n[SECTION_POWER], load};
}

static const double no_numbers[SECTION_SLOTS];

static section section_of(const td_work* w, const model_strain* f, const double* slots) {
  return section_at(slots + f->section, w->load);
}

static double piece_length(const td_work* w, const model_strain* f) {
  return w->num[f->section + SECTION_LENGTH];
}

// The stretch of a segment is measured from its length.
static void segment_strains(const segment* s, double length, double x[6], double u[6]) {
  for (int d = 0; d < 6; d++) {
    x[d] = s->x[d] / length - (d == 2);
    u[d] = s->u[d] / length;
  }
}

static void dof_strains(const td_work* w, const model_strain* f, double x[6], double u[6]) {
  const double length = piece_length(w, f);
  for (int d = 0; d < 6; d++) {
    const bool held = f->dof_q[d] < 0;
    x[d] = held ? w->num[f->section + SECTION_HELD + d] : w->q[f->dof_q[d]] / length;
    u[d] = held ? 0 : w->v[f->dof_v[d]] / length;
  }
}

// Returns which of them have coordinates.
static unsigned basis_strains(const td_model* m, const td_work* w, const model_strain* f,
                              double x[6], double u[6]) {
  unsigned modes = 0;
  for (int d = 0; d < 6; d++) {
    x[d] = w->num[f->section + SECTION_HELD + d];
    u[d] = f->coords >= 0 ? w->num[f->rate + d] : 0;
  }
  if (f->coords >= 0) return ALL_MODES;
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
    x[t->mode] += w->num[t->weight] * w->q[t->q];
    u[t->mode] += w->num[t->weight] * w->v[t->v];
    modes |= 1u << t->mode;
  }
  return modes;
}

// Generalised forces of a force s on the strains, times the quadrature weight.
static void basis_collect(const td_model* m, const td_work* w, const model_strain* f,
                          const double s[6], double* tau) {
  const double weight = piece_length(w, f);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    tau[t->v] += weight * w->num[t->weight] * s[t->mode];
}

static segment ends(const td_model* m, const td_work* w, const model_strain* f) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  return td_segment(&a, &b);
}

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

// What DOF v does to the numbers of a polynomial rod.
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

// Generalised forces of a force g on the numbers, times `scale` and the quadrature weight, added to
// a column of a matrix of the part's order, or to tau (NULL).
static void polynomial_collect(const td_model* m, const td_work* w, const model_strain* f,
                               const polyrod_vector* g, double scale, const tree_part* part,
                               double* tau) {
  const model_hop *move, *turn;
  const double weight = scale * piece_length(w, f);
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

void td_strain_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                     double u[6]) {
  if (f->kind == STRAIN_DOF) {
    dof_strains(w, f, x, u);
  } else if (f->kind == STRAIN_BASIS) {
    basis_strains(m, w, f, x, u);
  } else if (f->kind == STRAIN_POLYNOMIAL) {
    const polyrod r = td_polynomial_at(m, w, f);
    memcpy(x, r.strain, sizeof r.strain);
    memcpy(u, r.rate, sizeof r.rate);
  } else {
    const segment s = ends(m, w, f);
    segment_strains(&s, piece_length(w, f), x, u);
  }
}

void td_strains(const td_model* m, const td_work* w, const model_strain* f, double x[6]) {
  double u[6];
  td_strain_state(m, w, f, x, u);
}

// The section's law and the cables that pass; only what is asked for by `modes` need be right.
static void piece_forces(const td_model* m, const td_work* w, const model_strain* f,
                         const double x[6], const double u[6], int which, unsigned modes,
                         double s[6]) {
  const section sec = section_of(w, f, w->num);
  section_force(&sec, x, u, modes, s);
  for (int d = 0; d < 6; d++) {
    const double input = sec.load * sec.input[d];
    if (which == FORCES_PASSIVE) s[d] -= input;
    if (which == FORCES_ACTIVE) s[d] = input;
  }
  if (f->ncrossing > 0) td_cable_force(m, w, f, x, which, s);
}

static void piece_force(const td_model* m, const td_work* w, const model_strain* f,
                        const double x[6], const double u[6], int which, double s[6]) {
  piece_forces(m, w, f, x, u, which, ALL_MODES, s);
}

// Its change for changes of strains and rates, and of the numbers.
static void piece_change(const td_model* m, const td_work* w, const model_strain* f,
                         const double x[6], const double u[6], const double dx[6],
                         const double du[6], bool numbers, double ds[6]) {
  const section sec = section_of(w, f, w->num),
                dsec = numbers ? section_of(w, f, w->dnum) : section_at(no_numbers, w->load);
  section_change(&sec, &dsec, x, u, dx, du, ds);
  if (f->ncrossing > 0) td_cable_force_change(m, w, f, x, dx, numbers, ds);
}

void td_strain_collect(const td_model* m, const td_work* w, const model_strain* f,
                       const double s[6], double* tau) {
  if (f->kind == STRAIN_DOF) {
    for (int d = 0; d < 6; d++)
      if (f->dof_v[d] >= 0) tau[f->dof_v[d]] += s[d];
  } else if (f->kind == STRAIN_BASIS) {
    basis_collect(m, w, f, s, tau);
  } else {
    const polyrod r = td_polynomial_at(m, w, f);
    const polyrod_vector g = td_polyrod_force(&r, s);
    polynomial_collect(m, w, f, &g, 1, NULL, tau);
  }
}

void td_strain_squares(const td_model* m, const td_work* w, const model_strain* f, double along,
                       double turning, double* square) {
  if (f->kind == STRAIN_DOF) {
    for (int d = 0; d < 6; d++) {
      const double s = d < 3 ? along : turning;
      if (f->dof_v[d] >= 0) square[f->dof_v[d]] += s * s;
    }
    return;
  }
  const double weight = piece_length(w, f);
  if (f->kind == STRAIN_BASIS) {
    for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
      const double s = weight * w->num[t->weight] * (t->mode < 3 ? along : turning);
      square[t->v] += s * s;
    }
    return;
  }
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

void td_segment_wrenches(const td_model* m, const td_work* w, const model_strain* f,
                         const double s[6], spatial on[2]) {
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const segment e = td_segment(&a, &b);
  const segment_wrench t = td_segment_wrench(&e, s);
  on[0] = spatial_force(a.p, vec3_scale(-1, t.force), t.torque_a);
  on[1] = spatial_force(b.p, t.force, t.torque_b);
}

static void add(const td_model* m, td_work* w, int which) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    double x[6], u[6], s[6];
    switch (f->kind) {
      case STRAIN_DOF:
        dof_strains(w, f, x, u);
        piece_force(m, w, f, x, u, which, s);
        for (int d = 0; d < 6; d++)
          if (f->dof_v[d] >= 0) w->tau[f->dof_v[d]] += s[d];
        break;
      case STRAIN_BASIS: {
        const unsigned modes = basis_strains(m, w, f, x, u);
        piece_forces(m, w, f, x, u, which, modes, s);
        basis_collect(m, w, f, s, w->tau);
        break;
      }
      case STRAIN_POLYNOMIAL: {
        const polyrod r = td_polynomial_at(m, w, f);
        piece_force(m, w, f, r.strain, r.rate, which, s);
        const polyrod_vector g = td_polyrod_force(&r, s);
        polynomial_collect(m, w, f, &g, 1, NULL, w->tau);
        break;
      }
      case STRAIN_SEGMENT: {
        const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
        const segment e = td_segment(&a, &b);
        segment_strains(&e, piece_length(w, f), x, u);
        piece_force(m, w, f, x, u, which, s);
        const segment_wrench t = td_segment_wrench(&e, s);
        force_on(m, w, f->b, spatial_force(b.p, t.force, t.torque_b));
        force_on(m, w, f->a, spatial_force(a.p, vec3_scale(-1, t.force), t.torque_a));
        break;
      }
    }
  }
}

spatial td_segment_link(const td_model* m, const td_work* w, int i) {
  const model_strain* f = &m->strain[i];
  const segment e = ends(m, w, f);
  double x[6], u[6], s[6];
  segment_strains(&e, piece_length(w, f), x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  const segment_wrench t = td_segment_wrench(&e, s);
  return spatial_force(td_frame(m, w, f->b).p, t.force, t.torque_b);
}

// ---- changes ----------------------------------------------------------------------------------

static void dof_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                       bool rate, double dx[6], double du[6]) {
  const model_col* c = col < 0 ? NULL : &m->col[col];
  for (int d = 0; d < 6; d++) {
    const bool own = c && c->first && f->dof_v[d] == c->v;
    dx[d] = own && !rate ? 1 / piece_length(w, f) : 0;
    du[d] = own && rate ? 1 / piece_length(w, f) : 0;
  }
}

static void basis_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                         double dx[6]) {
  const model_col* c = &m->col[col];
  for (int d = 0; d < 6; d++) dx[d] = 0;
  if (!c->first) return;
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    if (t->v == c->v) dx[t->mode] += w->num[t->weight];
}

void td_strains_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                       double dx[6]) {
  double du[6];
  if (f->kind == STRAIN_DOF) {
    dof_change(m, w, f, col, false, dx, du);
    return;
  }
  if (f->kind == STRAIN_BASIS) {
    basis_change(m, w, f, col, dx);
    return;
  }
  if (f->kind == STRAIN_POLYNOMIAL) {
    memset(dx, 0, 6 * sizeof(double));
    if (!m->col[col].first) return;
    const polyrod r = td_polynomial_at(m, w, f);
    const polyrod_vector d = polynomial_direction(m, w, f, m->col[col].v),
                         none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    td_polyrod_change(&r, &d, &none, dx, du);
    return;
  }
  const segment s = ends(m, w, f);
  const frame_change da = td_frame_change(m, w, f->a, col, false),
                     db = td_frame_change(m, w, f->b, col, false);
  const segment_change d = td_segment_change(&s, &da, &db);
  for (int i = 0; i < 6; i++) dx[i] = d.x[i] / piece_length(w, f);
}

static void numbers_diff(const td_model* m, const td_work* w, int i, double* dtau) {
  const model_strain* f = &m->strain[i];
  if (f->kind == STRAIN_SEGMENT) return;
  const double none[6] = {0};
  double x[6], u[6], ds[6];
  if (f->kind == STRAIN_DOF) {
    dof_strains(w, f, x, u);
    piece_change(m, w, f, x, u, none, none, true, ds);
    for (int d = 0; d < 6; d++)
      if (f->dof_v[d] >= 0) dtau[f->dof_v[d]] += ds[d];
    return;
  }
  if (f->kind == STRAIN_BASIS) {
    basis_strains(m, w, f, x, u);
    piece_change(m, w, f, x, u, none, none, true, ds);
    basis_collect(m, w, f, ds, dtau);
    return;
  }
  const polyrod r = td_polynomial_at(m, w, f);
  piece_change(m, w, f, r.strain, r.rate, none, none, true, ds);
  const polyrod_vector g = td_polyrod_force(&r, ds);
  polynomial_collect(m, w, f, &g, 1, NULL, dtau);
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  const model_strain* f = &m->strain[i];
  if (f->kind != STRAIN_SEGMENT) return;
  double x[6], u[6];
  s->segment = td_segment(&s->a, &s->b);
  segment_strains(&s->segment, piece_length(w, f), x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s->s);
  s->F = td_segment_wrench(&s->segment, s->s).force;
}

static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  const model_strain* f = &m->strain[i];
  change[0] = change[1] = spatial_zero();
  if (f->kind != STRAIN_SEGMENT) return;
  double x[6], u[6], dx[6], du[6], ds[6];
  const double length = piece_length(w, f);
  const segment_change d = td_segment_change(&s->segment, da, db);
  segment_strains(&s->segment, length, x, u);
  for (int k = 0; k < 6; k++) {
    dx[k] = d.x[k] / length;
    du[k] = d.u[k] / length;
  }
  piece_change(m, w, f, x, u, dx, du, w->numbers_change, ds);
  const segment_wrench t = td_segment_wrench_change(&s->segment, &d, s->s, ds);
  const vec3 back = vec3_scale(-1, s->F), dback = vec3_scale(-1, t.force);
  change[0] = spatial_force_change(s->a.p, back, da->p, dback, t.torque_a);
  change[1] = spatial_force_change(s->b.p, s->F, db->p, t.force, t.torque_b);
}

// ---- tangents of forces that follow from the coordinates themselves ---------------------------

static void dof_tangent(const td_model* m, const td_work* w, const model_strain* f,
                        const tree_part* part, double* dq, double* dv) {
  const double zero[6] = {0};
  double x[6], u[6], ds[6];
  dof_strains(w, f, x, u);
  for (int d = 0; d < 6; d++) {
    if (f->dof_v[d] < 0) continue;
    double e[6] = {0};
    e[d] = 1 / piece_length(w, f);
    for (int rate = 0; rate < 2; rate++) {
      piece_change(m, w, f, x, u, rate ? zero : e, rate ? e : zero, false, ds);
      for (int i = 0; i < 6; i++)
        if (f->dof_v[i] >= 0)
          (rate ? dv : dq)[part_row(part, f->dof_v[i]) * part->n + part_row(part, f->dof_v[d])] -=
              ds[i];
    }
  }
}

// What the weights' own change adds where strains are expressions of their coordinates.
static void basis_hessian(const td_model* m, const td_work* w, const model_strain* f,
                          const double x[6], const double u[6], const tree_part* part, double* dq) {
  const model_coords* field = &m->coords[f->coords];
  if (field->n == 0) return;
  const model_coordinate* c = m->coordinate + field->first;
  const double* H = w->num + f->hessian;
  double s[6];
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  for (int d = 0; d < 6; d++) {
    if (!(f->modes >> d & 1)) continue;
    for (int k = 0; k < field->n; k++)
      for (int l = 0; l < field->n; l++)
        dq[part_row(part, c[k].v) * part->n + part_row(part, c[l].v)] -=
            piece_length(w, f) * s[d] * *H++;
  }
}

// -dτ/dq and -dτ/dv are sums of weights times the law's 6x6 slopes.
void td_basis_slopes(const td_model* m, const td_work* w, const model_strain* f, double Kx[6][6],
                     double Kv[6][6]) {
  const section sec = section_of(w, f, w->num);
  double x[6], u[6];
  basis_strains(m, w, f, x, u);
  section_slopes(&sec, u, Kx, Kv);
  if (f->ncrossing > 0) td_cable_slopes(m, w, f, x, Kx);
}

static void basis_tangent(const td_model* m, const td_work* w, const model_strain* f,
                          const tree_part* part, double* dq, double* dv) {
  double x[6], u[6], Kx[6][6], Kv[6][6];
  td_basis_slopes(m, w, f, Kx, Kv);
  const model_term *first = m->term + f->term, *end = first + f->nterm;
  for (const model_term* t = first; t < end; t++) {
    const double weight = piece_length(w, f) * w->num[t->weight];
    for (const model_term* s = first; s < end; s++) {
      const double both = weight * w->num[s->weight];
      const int at = part_row(part, s->v) * part->n + part_row(part, t->v);
      dq[at] -= both * Kx[t->mode][s->mode];
      dv[at] -= both * Kv[t->mode][s->mode];
      if (f->coords >= 0)
        dq[at] -= piece_length(w, f) * w->num[t->rate] * w->num[s->weight] * Kv[t->mode][s->mode];
    }
  }
  if (f->coords < 0) return;
  basis_strains(m, w, f, x, u);
  basis_hessian(m, w, f, x, u, part, dq);
}

// What a column does to the numbers of a polynomial rod.
static polyrod_vector column_direction(const td_model* m, const td_work* w, int col, bool turns) {
  const vec3 e = vec3_axis(m->col[col].part), zero = {0, 0, 0};
  const double weight = w->col_weight[col], slope = w->col_slope[col];
  return (polyrod_vector){turns ? zero : vec3_scale(slope, e), turns ? vec3_scale(weight, e) : zero,
                          turns ? vec3_scale(slope, e) : zero};
}

// The columns of one of its two hops.
static void polynomial_columns(const td_model* m, const td_work* w, const model_strain* f,
                               const polyrod* r, const model_hop* hop, const tree_part* part,
                               double* dq, double* dv) {
  const polyrod_vector zero = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double dx[6], du[6], s[6], ds[6];
  piece_force(m, w, f, r->strain, r->rate, FORCES_ALL, s);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const polyrod_vector d = column_direction(m, w, k, td_hop_traits[hop->kind].axes > 0);
    const int v = part_row(part, m->col[k].v);
    td_polyrod_change(r, &d, &zero, dx, du);
    piece_change(m, w, f, r->strain, r->rate, dx, du, false, ds);
    const polyrod_vector g = td_polyrod_force(r, ds), turned = td_polyrod_force_change(r, &d, s);
    polynomial_collect(m, w, f, &g, -1, part, dq + v);
    polynomial_collect(m, w, f, &turned, -1, part, dq + v);

    td_polyrod_change(r, &zero, &d, dx, du);
    piece_change(m, w, f, r->strain, r->rate, dx, du, false, ds);
    const polyrod_vector gv = td_polyrod_force(r, ds);
    polynomial_collect(m, w, f, &gv, -1, part, dv + v);
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

static void element_tangent(const td_model* m, const td_work* w, int i, const tree_part* part,
                            double* dq, double* dv) {
  const model_strain* f = &m->strain[i];
  if (f->kind == STRAIN_DOF) dof_tangent(m, w, f, part, dq, dv);
  if (f->kind == STRAIN_POLYNOMIAL) polynomial_tangent(m, w, f, part, dq, dv);
  if (f->kind == STRAIN_BASIS) basis_tangent(m, w, f, part, dq, dv);
}

// ---- energy and power -------------------------------------------------------------------------

static double piece_energy(const td_model* m, const td_work* w, const model_strain* f) {
  if (!f->potential) return 0;
  if (f->stored) return piece_length(w, f) * w->num[f->section + SECTION_STORED];
  const section sec = section_of(w, f, w->num);
  double x[6], u[6];
  td_strain_state(m, w, f, x, u);
  return piece_length(w, f) * section_energy(&sec, x);
}

static double piece_power(const td_model* m, const td_work* w, const model_strain* f) {
  const section sec = section_of(w, f, w->num);
  double x[6], u[6], s[6], sum = 0;
  td_strain_state(m, w, f, x, u);
  section_force(&sec, f->potential ? sec.x0 : x, u, ALL_MODES, s);  // springs apart
  for (int d = 0; d < 6; d++) sum += s[d] * u[d];
  sum *= piece_length(w, f);
  return f->ncrossing > 0 ? sum + td_crossings_power(m, w, f, x, u) : sum;
}

// With strains y(q, t) all that lies behind a step also moves with the twist V_t = ∂y/∂t ∂g/∂y, on
// which what the coordinates are in balance with still works:  F·V_t of the wrench F behind it, and
// -s·∂y/∂t of what the piece itself does.
static double step_drive(const td_model* m, const td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  spatial V = w->hop[i].V;
  if (hop->parent >= 0) V = spatial_sub(V, w->hop[hop->parent].V);
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    V = spatial_axpy(-w->v[m->col[k].v], w->col[k].S, V);
  return spatial_dot(&w->hop[i].F, &V);
}

static double piece_drive(const td_model* m, const td_work* w, const model_strain* f) {
  double x[6], u[6], s[6], sum = 0;
  basis_strains(m, w, f, x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    u[t->mode] -= w->num[t->weight] * w->v[t->v];
  for (int d = 0; d < 6; d++) sum -= s[d] * u[d];
  return piece_length(w, f) * sum;
}

double td_strain_drive(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nhop; i++)
    if (is_step(&m->hop[i]) && m->hop[i].dependent) sum += step_drive(m, w, i);
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->kind == STRAIN_BASIS && f->coords >= 0) sum += piece_drive(m, w, f);
  }
  return sum;
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nstrain; i++) sum += piece_energy(m, w, &m->strain[i]);
  return sum;
}

static double energy_diff(const td_model* m, const td_work* w, int col) {
  double all = 0;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (!f->potential) continue;
    const section sec = section_of(w, f, w->num);
    double x[6], u[6], dx[6], still[6] = {0}, spring[6], sum = 0;
    td_strain_state(m, w, f, x, u);
    td_strains_change(m, w, f, col, dx);
    section_force(&sec, x, still, ALL_MODES, spring);
    for (int d = 0; d < 6; d++) sum -= (spring[d] - sec.load * sec.input[d]) * dx[d];
    all += piece_length(w, f) * sum;
  }
  return all;
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  for (int i = 0; i < m->nstrain; i++) sum += piece_power(m, w, &m->strain[i]);
  return sum;
}

// ---- the tables -------------------------------------------------------------------------------

// Rest values of beams that the geometry gives; their piece has length 1.
static void prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->kind != STRAIN_SEGMENT) continue;
    const segment x = ends(m, w, f);
    for (int d = 0; d < 6; d++)
      if (f->rest_initial[d])
        w->num[f->section + SECTION_X0 + d] = w->num[f->compr[d]] * x.x[d] - (d == 2);
  }
}

// Pieces with the same coordinates that follow each other are taken at once (alike.c).
static void tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  const tree_part all = whole_forest(m);
  for (int i = 0, end; i < m->nstrain; i = end) {
    end = td_alike_end(m, i);
    if (end > i + 1) {
      td_alike_tangent(m, w, i, end, dq, dv);
    } else {
      element_tangent(m, w, i, &all, dq, dv);
    }
  }
}

static bool has_power_dampers(const td_model* m) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (stays(m, f->section + SECTION_POWER, 1)) continue;
    for (int d = 0; d < 6; d++)
      if (!stays(m, f->section + SECTION_MU + d, 0)) return true;
  }
  return false;
}

static bool has_driving_dampers(const td_model* m, const td_work* w) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    for (int d = 0; d < 6; d++)
      if (w->num[f->section + SECTION_MU + d] < 0 || w->num[f->section + SECTION_D + 7 * d] < 0)
        return true;
  }
  return false;
}

bool td_strain_stores(const td_model* m, num slot) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    const int at = slot - f->section;
    if (f->stored && at >= 0 && (at == SECTION_STORED || (at >= SECTION_X0 && at < SECTION_X0 + 6)))
      return true;
  }
  return false;
}

static force_reach reach(const td_model* m, int i) {
  return m->strain[i].kind == STRAIN_SEGMENT ? REACH_STATIONS : REACH_COORDINATES;
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  const model_strain* f = &m->strain[i];
  if (f->kind == STRAIN_DOF) {
    for (int d = 0; d < 6; d++)
      if (f->dof_v[d] >= 0) to->velocity(to->ctx, f->dof_v[d]);
  } else if (f->kind == STRAIN_BASIS) {
    for (int k = f->term; k < f->term + f->nterm; k++) to->velocity(to->ctx, m->term[k].v);
  } else {
    to->station(to->ctx, f->a);
    to->station(to->ctx, f->b);
  }
  to->numbers(to->ctx, f->section, SECTION_SLOTS);
}

static bool is_link(const td_model* m, int i) { return m->strain[i].kind == STRAIN_SEGMENT; }

const force_ops td_force_strain = {.prepare = prepare,
                                   .add = add,
                                   .energy = energy,
                                   .energy_diff = energy_diff,
                                   .power = power,
                                   .tangent = tangent,
                                   .blocks = td_no_blocks,
                                   .has_potential = td_always_potential,
                                   .has_power_dampers = has_power_dampers,
                                   .has_driving_dampers = has_driving_dampers,
                                   .switches = td_no_switches,
                                   .switch_values = td_no_switch_values};
const element_ops td_element_strain = {
    .reach = reach,
    .is_damped = td_always_damped,
    .linearise = linearise,
    .diff = diff,
    .numbers_diff = numbers_diff,
    .tangent = element_tangent,
    .visit = visit,
    .flaw = td_no_flaw,  // sections are judged with the fields that give them (judge.c)
    .is_link = is_link,
    .wrench = td_segment_link};
