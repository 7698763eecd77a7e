// td_modal_reduction: the linear model of the first natural modes,
//
//   z'' + (phi C phi') z' + (phi K phi') z = phi B u,   y = Cq phi' z + Cv phi' z',   dq = phi' z
//
// with mass-normalised shapes phi by rows.  C and K are whole, so that modes remain coupled by
// damping and by what is not symmetric.
#include "statics.h"
#include "tendril/control.h"
#include "vectors.h"

typedef struct reduction {
  td_statics* s;
  const td_reduced* r;
  const double* z;  // k x r->n: shapes in the allowed motions
  double* shape;    // k x nv
  double* scratch;
  int k;
} reduction;

// out (k x k, rows of length nx) = -z A z'
static void project(const reduction* p, const double* A, double* out, int nx) {
  const int n = p->r->n;
  for (int j = 0; j < p->k; j++) {
    td_mul(A, p->z + area(j, n), n, n, 1, p->scratch);
    for (int i = 0; i < p->k; i++)
      out[area(i, nx) + (size_t)j] = -inner(p->z + area(i, n), p->scratch, n);
  }
}

static void expand(const reduction* p) {
  const td_statics* s = p->s;
  for (int i = 0; i < p->k; i++)
    for (int f = 0; f < s->n; f++)
      p->shape[area(i, s->nv) + (size_t)s->free[f]] =
          inner(p->r->Z + area(f, p->r->n), p->z + area(i, p->r->n), p->r->n);
}

// basis = [phi' 0; 0 phi'], inverse = [phi M 0; 0 phi M]
static void fill_basis(const reduction* p, td_linear* lin) {
  const int nv = p->s->nv, k = p->k, nx = 2 * k;
  double *M = p->scratch, *row = M + area(nv, nv);
  td_mass_matrix(p->s->model, p->s->state, p->s->work, M);
  for (int i = 0; i < k; i++) {
    const double* phi = p->shape + area(i, nv);
    td_mul(M, phi, nv, nv, 1, row);
    for (int j = 0; j < nv; j++) {
      lin->basis[area(j, nx) + (size_t)i] = lin->basis[area(nv + j, nx) + (size_t)(k + i)] = phi[j];
      lin->inverse[area(i, 2 * nv) + (size_t)j] = row[j];
      lin->inverse[area(k + i, 2 * nv) + (size_t)(nv + j)] = row[j];
    }
  }
}

static td_status outputs(const reduction* p, td_linear* lin) {
  const td_statics* s = p->s;
  const int nv = s->nv, ny = lin->ny, k = p->k, nx = 2 * k;
  double *dq = p->scratch, *dv = dq + area(ny, nv);
  if (ny == 0) return TD_OK;
  bool* known = malloc(sizeof(bool) * (size_t)ny);
  if (!known) return TD_E_NOMEM;
  const td_status status = td_sensor_tangent(s->model, s->state, s->work, dq, dv, lin->D, known);
  for (int i = 0; status == TD_OK && i < ny; i++) {
    for (int j = 0; j < k; j++) {
      lin->C[area(i, nx) + (size_t)j] = inner(dq + area(i, nv), p->shape + area(j, nv), nv);
      lin->C[area(i, nx) + (size_t)(k + j)] = inner(dv + area(i, nv), p->shape + area(j, nv), nv);
    }
  }
  if (status == TD_OK) td_linear_choose(s->model, known, lin);
  free(known);
  return status;
}

static td_status assemble(const reduction* p, td_linear* lin) {
  const td_statics* s = p->s;
  const int k = p->k, nx = 2 * k;
  expand(p);
  for (int i = 0; i < k; i++) lin->A[area(i, nx) + (size_t)(k + i)] = 1;
  project(p, p->r->K, lin->A + area(k, nx), nx);
  project(p, p->r->C, lin->A + area(k, nx) + k, nx);
  td_input_map(s->model, s->state, s->work, p->scratch);
  td_mul(p->shape, p->scratch, k, s->nv, lin->nu, lin->B + area(k, lin->nu));
  fill_basis(p, lin);
  return outputs(p, lin);
}

static td_status reduce(td_statics* s, const td_reduced* r, int limit, td_linear** result) {
  const td_sizes size = td_model_sizes(s->model);
  const size_t wide =
      area(s->nv, max_int(s->nv, size.nu)) + 2 * area(size.nsensor, s->nv) + (size_t)(s->nv + r->n);
  double* w = calloc((size_t)r->n + area(r->n, r->n) + area(r->n, s->nv) + wide + 1, sizeof *w);
  if (!w) return TD_E_NOMEM;
  double *shapes = w + r->n, *full = shapes + area(r->n, r->n);
  int n = 0;
  td_status status = td_reduced_modes(r, w, shapes, &n);
  if (status == TD_OK) {
    const reduction p = {s, r, shapes, full, full + area(r->n, s->nv), min_int(n, limit)};
    *result = td_linear_new(2 * p.k, size.nu, size.nsensor, s->nv);
    status = *result ? assemble(&p, *result) : TD_E_NOMEM;
  }
  free(w);
  return status;
}

static td_status at_point(td_statics* s, const double* q, const double* l, int limit,
                          td_linear** result) {
  td_reduced* r;
  TD_TRY(td_reduced_new(s, q, l, 1, &r));
  const td_status status = reduce(s, r, limit, result);
  td_reduced_free(r);
  return status;
}

td_status td_modal_reduction(const td_model* model, const td_state* state, td_work* work, int n,
                             td_linear** result) {
  *result = NULL;
  if (n < 1) return TD_E_USAGE;
  td_statics* s = NULL;
  td_newton* newton = NULL;
  const td_sizes sizes = td_model_sizes(model);
  double* q = calloc((size_t)(sizes.nq + sizes.nconstraint) + 1, sizeof(double));
  td_status status = q ? td_statics_new(model, work, state, TD_LOAD_SCALE, &s) : TD_E_NOMEM;
  if (status == TD_OK && s->moving) status = TD_E_USAGE;
  if (status == TD_OK) status = td_newton_new(&s->system, &newton);
  if (status == TD_OK) {
    memcpy(q, s->state->q, sizeof(double) * (size_t)sizes.nq);
    td_newton_estimate(newton, q, q + sizes.nq, 1);
    status = at_point(s, q, q + sizes.nq, n, result);
  }
  if (status != TD_OK) {
    td_linear_free(*result);
    *result = NULL;
  }
  td_newton_free(newton);
  td_statics_free(s);
  free(q);
  return status;
}
