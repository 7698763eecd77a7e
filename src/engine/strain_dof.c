// Strains that are coordinates: χ_d = q_d / length, or held (models 'srl' and 'ebr').
#include "engine/strain_table.h"

static void dof_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                      double u[6]) {
  (void)m;
  const double length = piece_length(w, f);
  for (int d = 0; d < 6; d++) {
    const bool held = f->dof_q[d] < 0;
    x[d] = held ? w->num[f->section + SECTION_HELD + d] : w->q[f->dof_q[d]] / length;
    u[d] = held ? 0 : w->v[f->dof_v[d]] / length;
  }
}

static void dof_series(const td_model* m, const td_work* w, const model_strain* f,
                       const strain_direction* to, taylor x[6]) {
  (void)m;
  const double length = w->num[f->section + SECTION_LENGTH],
               grown = w->dnum[f->section + SECTION_LENGTH];
  for (int d = 0; d < 6; d++) {
    const num held = f->section + SECTION_HELD + d;
    x[d] = f->dof_q[d] < 0 ? (taylor){.x = w->num[held], .e = w->dnum[held]}
                           : coordinate_series(w, f->dof_q[d], f->dof_v[d], 1 / length,
                                               -grown / (length * length), to);
  }
}

// Changes along a direction and with the numbers.
static void dof_along(const td_work* w, const model_strain* f, const double x[6], const double u[6],
                      double dx[6], double du[6]) {
  const double length = piece_length(w, f), grown = w->dnum[f->section + SECTION_LENGTH];
  for (int d = 0; d < 6; d++) {
    const bool held = f->dof_q[d] < 0;
    dx[d] = held ? w->dnum[f->section + SECTION_HELD + d]
                 : (along_q(w, f->dof_v[d]) - grown * x[d]) / length;
    du[d] = held ? 0 : (along_v(w, f->dof_v[d]) - grown * u[d]) / length;
  }
}

static void dof_series_reverse(const td_model* m, td_work* w, const model_strain* f,
                               const strain_weights* bar, struct adjoint* b) {
  (void)m;
  const double length = piece_length(w, f);
  for (int d = 0; d < 6; d++) {
    const int q = f->dof_q[d], v = f->dof_v[d];
    if (q < 0) {
      b->n[f->section + SECTION_HELD + d] += bar->x[d];
      continue;
    }
    b->q[v] += bar->x[d] / length;
    b->v[v] += bar->u[d] / length;
    b->a[v] += bar->a[d] / length;
    b->n[f->section + SECTION_LENGTH] -=
        (bar->x[d] * w->q[q] + bar->u[d] * w->v[v] + bar->a[d] * w->along->accel[v]) /
        (length * length);
  }
}

static void dof_strains_diff(const td_model* m, const td_work* w, const model_strain* f, int col,
                             double dx[6]) {
  if (col == ALONG) {
    double x[6], u[6], du[6];
    dof_state(m, w, f, x, u);
    dof_along(w, f, x, u, dx, du);
    return;
  }
  const model_col* c = col < 0 ? NULL : &m->col[col];
  for (int d = 0; d < 6; d++)
    dx[d] = c && c->first && f->dof_v[d] == c->v ? 1 / piece_length(w, f) : 0;
}

static void collect(const model_strain* f, const double s[6], double* tau) {
  for (int d = 0; d < 6; d++)
    if (f->dof_v[d] >= 0) tau[f->dof_v[d]] += s[d];
}

static void dof_collect(const td_model* m, const td_work* w, const model_strain* f,
                        const double s[6], spatial* on, size_t stride, double* tau) {
  (void)m, (void)w, (void)on, (void)stride;
  collect(f, s, tau);
}

static void dof_add(const td_model* m, td_work* w, const model_strain* f, int which) {
  double x[6], u[6], s[6];
  dof_state(m, w, f, x, u);
  piece_force(m, w, f, x, u, which, s);
  collect(f, s, w->tau);
}

static void dof_squares(const td_model* m, const td_work* w, const model_strain* f, double along,
                        double turning, double* square) {
  (void)m, (void)w;
  for (int d = 0; d < 6; d++) {
    const double s = d < 3 ? along : turning;
    if (f->dof_v[d] >= 0) square[f->dof_v[d]] += s * s;
  }
}

static void dof_numbers_diff(const td_model* m, const td_work* w, const model_strain* f,
                             double* dtau) {
  double x[6], u[6], dx[6], du[6], ds[6];
  dof_state(m, w, f, x, u);
  dof_along(w, f, x, u, dx, du);
  piece_change(m, w, f, x, u, dx, du, true, ds);
  collect(f, ds, dtau);
}

static void dof_reverse(const td_model* m, td_work* w, const model_strain* f, const force_state* s,
                        struct adjoint* b) {
  (void)s;
  double x[6], u[6], bar[6];
  strain_weights to = {{0}, {0}, {0}};
  dof_state(m, w, f, x, u);
  for (int d = 0; d < 6; d++) bar[d] = f->dof_v[d] >= 0 ? b->tau[f->dof_v[d]] : 0;
  piece_reverse(m, w, f, x, u, bar, &to, b);
  dof_series_reverse(m, w, f, &to, b);
}

// Add -dτ/dq and -dτ/dv of one segment whose strains are coordinates over the length: the section's
// stiffness and damping between its free strains.
static void dof_tangent(const td_model* m, const td_work* w, const model_strain* f,
                        const tree_part* part, double* dq, double* dv) {
  const double zero[6] = {0};
  double x[6], u[6], ds[6];
  dof_state(m, w, f, x, u);
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

static void dof_visit(const td_model* m, const model_strain* f, const force_visitor* to) {
  (void)m;
  for (int d = 0; d < 6; d++)
    if (f->dof_v[d] >= 0) to->velocity(to->ctx, f->dof_v[d]);
}

const strain_ops td_strain_dof = {
    .prepare = td_strain_no_prepare,
    .prepare_diff = td_strain_no_prepare_diff,
    .prepare_reverse = td_strain_no_prepare_reverse,
    .state = dof_state,
    .series = dof_series,
    .series_reverse = dof_series_reverse,
    .strains_diff = dof_strains_diff,
    .add = dof_add,
    .collect = dof_collect,
    .squares = dof_squares,
    .linearise = td_strain_no_linearise,
    .diff = td_strain_no_diff,
    .numbers_diff = dof_numbers_diff,
    .reverse = dof_reverse,
    .tangent = dof_tangent,
    .visit = dof_visit,
};
