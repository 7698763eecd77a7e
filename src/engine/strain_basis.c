// Strains that are sums of functions of arc length times coordinates, at a quadrature point, or
// expressions of coordinates (model 'gvs'); also those of a joint that a cable crosses.
#include "engine/strain_table.h"

// Strains x and rates u at a quadrature point.  Returns which of the six have coordinates, as bits.
static unsigned strains_in(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                           double u[6]) {
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

static void basis_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                        double u[6]) {
  strains_in(m, w, f, x, u);
}

static void basis_series(const td_model* m, const td_work* w, const model_strain* f,
                         const strain_direction* to, taylor x[6]) {
  for (int d = 0; d < 6; d++) {
    const num held = f->section + SECTION_HELD + d;
    x[d] = (taylor){.x = w->num[held], .e = w->dnum[held]};
  }
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    x[t->mode] = taylor_add(
        x[t->mode], coordinate_series(w, t->q, t->v, w->num[t->weight], w->dnum[t->weight], to));
}

// Changes along a direction and with the numbers; strains that are expressions are numbers.
static void basis_along(const td_model* m, const td_work* w, const model_strain* f, double dx[6],
                        double du[6]) {
  for (int d = 0; d < 6; d++) {
    dx[d] = w->dnum[f->section + SECTION_HELD + d];
    du[d] = f->coords >= 0 ? w->dnum[f->rate + d] : 0;
  }
  if (f->coords >= 0) return;
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
    const double weight = w->num[t->weight], change = w->dnum[t->weight];
    dx[t->mode] += weight * along_q(w, t->v) + change * w->q[t->q];
    du[t->mode] += weight * along_v(w, t->v) + change * w->v[t->v];
  }
}

static void basis_series_reverse(const td_model* m, td_work* w, const model_strain* f,
                                 const strain_weights* bar, struct adjoint* b) {
  for (int d = 0; d < 6; d++) {
    b->n[f->section + SECTION_HELD + d] += bar->x[d];
    if (f->coords >= 0) b->n[f->rate + d] += bar->u[d];
  }
  if (f->coords >= 0) return;
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
    const double weight = w->num[t->weight], x = bar->x[t->mode], u = bar->u[t->mode],
                 a = bar->a[t->mode];
    b->q[t->v] += weight * x;
    b->v[t->v] += weight * u;
    b->a[t->v] += weight * a;
    b->n[t->weight] += x * w->q[t->q] + u * w->v[t->v] + a * w->along->accel[t->v];
  }
}

static void basis_strains_diff(const td_model* m, const td_work* w, const model_strain* f, int col,
                               double dx[6]) {
  double unused[6];
  if (col == ALONG) {
    basis_along(m, w, f, dx, unused);
    return;
  }
  const model_col* c = &m->col[col];
  for (int d = 0; d < 6; d++) dx[d] = 0;
  if (!c->first) return;
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    if (t->v == c->v) dx[t->mode] += w->num[t->weight];
}

// Generalised forces of a force s on the strains, times the quadrature weight.
static void sum_forces(const td_model* m, const td_work* w, const model_strain* f,
                       const double s[6], double* tau) {
  const double weight = piece_length(w, f);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    tau[t->v] += weight * w->num[t->weight] * s[t->mode];
}

static void basis_collect(const td_model* m, const td_work* w, const model_strain* f,
                          const double s[6], spatial* on, size_t stride, double* tau) {
  (void)on, (void)stride;
  sum_forces(m, w, f, s, tau);
}

static void basis_add(const td_model* m, td_work* w, const model_strain* f, int which) {
  double x[6], u[6], s[6];
  const unsigned modes = strains_in(m, w, f, x, u);
  piece_forces(m, w, f, x, u, which, modes, s);
  sum_forces(m, w, f, s, w->tau);
}

static void basis_squares(const td_model* m, const td_work* w, const model_strain* f, double along,
                          double turning, double* square) {
  const double weight = piece_length(w, f);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
    const double s = weight * w->num[t->weight] * (t->mode < 3 ? along : turning);
    square[t->v] += s * s;
  }
}

// Add the change of the section's generalised forces to dtau, by changes of strains and numbers;
// along a direction also by those of the length and the weights.
static void basis_numbers_diff(const td_model* m, const td_work* w, const model_strain* f,
                               double* dtau) {
  double x[6], u[6], dx[6], du[6], s[6], ds[6];
  strains_in(m, w, f, x, u);
  basis_along(m, w, f, dx, du);
  piece_change(m, w, f, x, u, dx, du, true, ds);
  sum_forces(m, w, f, ds, dtau);
  if (!w->along) return;

  // lengths and weights change, too
  const double length = piece_length(w, f), grown = w->dnum[f->section + SECTION_LENGTH];
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    dtau[t->v] += (grown * w->num[t->weight] + length * w->dnum[t->weight]) * s[t->mode];
}

static void basis_reverse(const td_model* m, td_work* w, const model_strain* f,
                          const force_state* at, struct adjoint* b) {
  (void)at;
  const double length = piece_length(w, f);
  double x[6], u[6], s[6], bar[6] = {0};
  strain_weights to = {{0}, {0}, {0}};
  strains_in(m, w, f, x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++) {
    const double weight = w->num[t->weight], tau = b->tau[t->v];
    bar[t->mode] += length * weight * tau;
    b->n[f->section + SECTION_LENGTH] += tau * weight * s[t->mode];
    b->n[t->weight] += tau * length * s[t->mode];
  }
  piece_reverse(m, w, f, x, u, bar, &to, b);
  basis_series_reverse(m, w, f, &to, b);
}

// Add the second derivatives of strains that are expressions of coordinates, times the section's
// forces, to dq.
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
  strains_in(m, w, f, x, u);
  section_slopes(&sec, u, Kx, Kv);
  if (f->ncrossing > 0) td_cable_slopes(m, w, f, x, Kx);
}

// Add -dτ/dq and -dτ/dv of one quadrature point: w_t w_s K between the terms, and second
// derivatives of strains that are expressions of coordinates.
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
  strains_in(m, w, f, x, u);
  basis_hessian(m, w, f, x, u, part, dq);
}

static void basis_visit(const td_model* m, const model_strain* f, const force_visitor* to) {
  for (int k = f->term; k < f->term + f->nterm; k++) to->velocity(to->ctx, m->term[k].v);
}

double td_piece_drive(const td_model* m, const td_work* w, const model_strain* f) {
  double x[6], u[6], s[6], sum = 0;
  strains_in(m, w, f, x, u);
  piece_force(m, w, f, x, u, FORCES_ALL, s);
  for (const model_term* t = m->term + f->term; t < m->term + f->term + f->nterm; t++)
    u[t->mode] -= w->num[t->weight] * w->v[t->v];
  for (int d = 0; d < 6; d++) sum -= s[d] * u[d];
  return piece_length(w, f) * sum;
}

const strain_ops td_strain_basis = {
    .prepare = td_strain_no_prepare,
    .prepare_diff = td_strain_no_prepare_diff,
    .prepare_reverse = td_strain_no_prepare_reverse,
    .state = basis_state,
    .series = basis_series,
    .series_reverse = basis_series_reverse,
    .strains_diff = basis_strains_diff,
    .add = basis_add,
    .collect = basis_collect,
    .squares = basis_squares,
    .linearise = td_strain_no_linearise,
    .diff = td_strain_no_diff,
    .numbers_diff = basis_numbers_diff,
    .reverse = basis_reverse,
    .tangent = basis_tangent,
    .visit = basis_visit,
};
