// td_modal_reduction of large models: the shapes by ARPACK, projections by sparse products.
//
// A shape for each input makes up for the modes that are left out: what remains of
//
//   x = (K + s^2 M)^-1 B,   s a thousandth of the highest frequency kept,
//
// beside the modes, normalised by the mass.  The static answer is right to 1e-6 with it, and s
// keeps rigid motions apart.
#include <math.h>

#include "solve/statics/sparse_modes.h"
#include "solve/vectors.h"
#include "tendril/control.h"

void td_linear_modal_basis(int nv, int k, const double* phi, const double* phi_M, td_linear* lin) {
  const int nx = 2 * k;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < nv; j++) {
      const double x = phi[area(i, nv) + (size_t)j], y = phi_M[area(i, nv) + (size_t)j];
      lin->basis[area(j, nx) + (size_t)i] = lin->basis[area(nv + j, nx) + (size_t)(k + i)] = x;
      lin->inverse[area(i, 2 * nv) + (size_t)j] = y;
      lin->inverse[area(k + i, 2 * nv) + (size_t)(nv + j)] = y;
    }
}

enum { MOST_MODES = 300 };

typedef struct shapes {
  const td_reduction* p;
  spectrum spectrum;
  modes found;
  int k;                           // shapes in all
  double *phi, *phi_M, *B;         // k x nv, k x nv, nv x nu
  double *dq, *dv, *da, *product;  // ny x nv, (nv)
  bool* known;
} shapes;

// ---- shapes -----------------------------------------------------------------------------------

// x less its part along the shapes, normalised; false when nothing is left
static bool independent(const td_statics* s, shapes* w, double* x, double* Mx) {
  td_sparse_mass_mul(s->model, s->sparse->M, x, Mx);
  const double before = inner(x, Mx, s->nv);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < w->k; i++) {
      const double part = inner(w->phi_M + area(i, s->nv), x, s->nv);
      for (int j = 0; j < s->nv; j++) x[j] -= part * w->phi[area(i, s->nv) + (size_t)j];
    }
  td_sparse_mass_mul(s->model, s->sparse->M, x, Mx);
  const double left = inner(x, Mx, s->nv);
  if (!(left > 1e-18 * before)) return false;
  for (int j = 0; j < s->nv; j++) x[j] /= sqrt(left), Mx[j] /= sqrt(left);
  return true;
}

static td_status add_static(shapes* w, int nu) {
  td_statics* s = w->p->s;
  const double top = w->found.w[w->found.found - 1];
  if (!(top > 0)) return TD_OK;
  td_sparse_assemble(s, w->p->q, w->p->l, 1, w->spectrum.C);
  td_sparse_shift(s, 1e-6 * top);
  TD_TRY(td_sparse_refactor(s));
  for (int u = 0; u < nu; u++) {
    double *x = w->phi + area(w->k, s->nv), *Mx = w->phi_M + area(w->k, s->nv);
    memset(w->product, 0, sizeof(double) * (size_t)s->nv);
    for (int i = 0; i < s->n; i++) w->product[s->free[i]] = w->B[area(s->free[i], nu) + (size_t)u];
    td_sparse_kkt_solve(s->sparse->kkt, w->product, NULL, x, NULL);
    if (independent(s, w, x, Mx)) w->k++;
  }
  return TD_OK;
}

static td_status find_shapes(shapes* w, int nu) {
  const td_reduction* p = w->p;
  TD_TRY(td_sparse_natural(&w->spectrum, p->q, p->l, &w->found));
  w->k = w->found.found;
  for (int i = 0; i < w->k; i++)
    td_sparse_mass_mul(p->s->model, p->s->sparse->M, w->phi + area(i, p->s->nv),
                       w->phi_M + area(i, p->s->nv));
  if (p->correct) TD_TRY(add_static(w, nu));
  td_sparse_assemble(p->s, p->q, p->l, 1, w->spectrum.C);
  return TD_OK;
}

// ---- the model --------------------------------------------------------------------------------

// out (k x k in rows of nx) = -phi A phi'
static void project(const shapes* w, const double* A, double* out, int nx) {
  const td_statics* s = w->p->s;
  for (int j = 0; j < w->k; j++) {
    memset(w->product, 0, sizeof(double) * (size_t)s->nv);
    td_sparse_mul_add(s->model, A, 1, w->phi + area(j, s->nv), w->product);
    for (int i = 0; i < w->k; i++)
      out[area(i, nx) + (size_t)j] = -inner(w->phi + area(i, s->nv), w->product, s->nv);
  }
}

// y = Cq phi'z + Cv phi'z' + Ca phi'z'', the last by the equations of motion
static td_status outputs(const shapes* w, td_linear* lin) {
  td_statics* s = w->p->s;
  const int nv = s->nv, k = w->k, nx = 2 * k, nu = lin->nu;
  TD_TRY(td_sensor_slopes(s->model, s->state, s->work,
                          &(sensor_slopes){w->dq, w->dv, w->da, lin->D, w->known}));
  for (int i = 0; i < lin->ny; i++)
    for (int j = 0; j < k; j++) {
      const double* phi = w->phi + area(j, nv);
      double* row = lin->C + area(i, nx);
      row[j] += inner(w->dq + area(i, nv), phi, nv);
      row[k + j] += inner(w->dv + area(i, nv), phi, nv);
      const double a = inner(w->da + area(i, nv), phi, nv);
      for (int c = 0; c < nx && a != 0; c++) row[c] += a * lin->A[area(k + j, nx) + (size_t)c];
      for (int u = 0; u < nu && a != 0; u++)
        lin->D[area(i, nu) + (size_t)u] += a * lin->B[area(k + j, nu) + (size_t)u];
    }
  td_linear_choose(s->model, w->known, "forces in a model this large", lin);
  return TD_OK;
}

static td_status assemble(shapes* w, td_linear* lin) {
  const td_statics* s = w->p->s;
  const int k = w->k, nx = 2 * k;
  for (int i = 0; i < k; i++) lin->A[area(i, nx) + (size_t)(k + i)] = 1;
  project(w, s->sparse->K, lin->A + area(k, nx), nx);
  project(w, w->spectrum.C, lin->A + area(k, nx) + k, nx);
  td_mul(w->phi, w->B, k, s->nv, lin->nu, lin->B + area(k, lin->nu));
  td_linear_modal_basis(s->nv, k, w->phi, w->phi_M, lin);
  return lin->ny ? outputs(w, lin) : TD_OK;
}

static td_status reduce(shapes* w, td_linear** result) {
  const td_statics* s = w->p->s;
  const td_sizes size = td_model_sizes(s->model);
  td_trial_input_map(s->model, s->state, s->work, w->B);
  TD_TRY(find_shapes(w, size.nu));
  *result = td_linear_new(s->model, 2 * w->k, size.nu, size.nsensor);
  return *result ? assemble(w, *result) : TD_E_NOMEM;
}

static td_status refuse(const td_reduction* p) {
  if (p->count > MOST_MODES) {
    td_work_fail(p->s->work, "a model of %d velocities may be reduced to %d modes at most, not %d",
                 p->s->nv, MOST_MODES, p->count);
    return TD_E_USAGE;
  }
  return TD_OK;
}

td_status td_sparse_reduction(const td_reduction* p, td_linear** result) {
  TD_TRY(refuse(p));
  const td_sizes size = td_model_sizes(p->s->model);
  const td_pattern b = model_blocks(p->s->model);
  const int count = min_int(p->count, (p->s->n - p->s->m) / 3);
  const int most = count + 1 + (p->correct ? size.nu : 0);  // ARPACK's start stands behind
  const size_t nv = (size_t)p->s->nv, ny = (size_t)size.nsensor;
  shapes w = {.p = p};
  double* block = calloc((size_t)blocks_values(&b) + 3 * nv + (size_t)count + 1 +
                             2 * area(most, p->s->nv) + nv * (size_t)size.nu + 3 * ny * nv,
                         sizeof(double));
  w.known = malloc(sizeof(bool) * (ny + 1));
  td_status status = block && w.known ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    w.spectrum = (spectrum){.s = p->s, .C = block, .f = block + blocks_values(&b)};
    w.spectrum.g = w.spectrum.f + nv;
    w.product = w.spectrum.g + nv;
    w.phi = w.product + nv;
    w.phi_M = w.phi + area(most, p->s->nv);
    w.B = w.phi_M + area(most, p->s->nv);
    w.dq = w.B + nv * (size_t)size.nu;
    w.dv = w.dq + ny * nv;
    w.da = w.dv + ny * nv;
    w.found = (modes){.count = count, .w = w.da + ny * nv, .V = w.phi};
    status = count > 0 ? reduce(&w, result) : TD_E_USAGE;
  }
  free(block);
  free(w.known);
  return status;
}
