// td_modal_reduction: the linear model of the first natural modes,
//
//   z'' + (phi C phi') z' + (phi K phi') z = phi B u,   y = Cq phi' z + Cv phi' z',   dq = phi' z
//
// with mass-normalised shapes phi by rows.  C and K are whole, so that modes remain coupled by
// damping and by what is not symmetric.
#include "model/model.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"
#include "tendril/control.h"

typedef struct reduction {
  td_statics* s;
  const td_reduced* r;
  double* z;      // k x r->n: shapes in the allowed motions
  double* shape;  // k x nv
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

// ---- static shapes ----------------------------------------------------------------------------

// x less its part along the shapes, normalised by the mass; false when nothing is left
static bool independent(const reduction* p, double* x, double* Mx) {
  const int n = p->r->n;
  td_mul(p->r->M, x, n, n, 1, Mx);
  const double before = inner(x, Mx, n);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < p->k; i++) {
      td_mul(p->r->M, x, n, n, 1, Mx);
      const double *z = p->z + area(i, n), part = inner(z, Mx, n);
      for (int j = 0; j < n; j++) x[j] -= part * z[j];
    }
  td_mul(p->r->M, x, n, n, 1, Mx);
  const double left = inner(x, Mx, n);
  if (!(left > 1e-18 * before)) return false;
  for (int j = 0; j < n; j++) x[j] /= sqrt(left);
  return true;
}

// (K + s^2 M) x = Z'B for each input, see sparse_reduction.c; `top` is the highest square kept
static td_status add_static(reduction* p, const double* B, int nu, double top) {
  const int n = p->r->n;
  int* pivot = malloc(sizeof(int) * (size_t)(n + 1));
  double* A = malloc(sizeof(double) * (area(n, n) + area(n, nu) + (size_t)n + 1));
  td_status status = A && pivot ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK && top > 0) {
    double *x = A + area(n, n), *Mx = x + area(n, nu);
    for (size_t i = 0; i < area(n, n); i++) A[i] = p->r->K[i] + 1e-6 * top * p->r->M[i];
    for (int i = 0; i < n; i++)
      for (int u = 0; u < nu; u++) {
        double* b = &x[area(i, nu) + (size_t)u];
        *b = 0;
        for (int f = 0; f < p->s->n; f++)
          *b += p->r->Z[area(f, n) + (size_t)i] * B[area(p->s->free[f], nu) + (size_t)u];
      }
    if (td_lu(A, n, pivot) != 0) status = TD_E_SINGULAR;
    if (status == TD_OK) td_lu_solve(A, pivot, n, x, nu);
    for (int u = 0; status == TD_OK && u < nu && p->k < n; u++) {
      double* z = p->z + area(p->k, n);
      for (int i = 0; i < n; i++) z[i] = x[area(i, nu) + (size_t)u];
      if (independent(p, z, Mx)) p->k++;
    }
  }
  free(A);
  free(pivot);
  return status;
}

// ---- the model --------------------------------------------------------------------------------

static void fill_basis(const reduction* p, td_linear* lin) {
  const int nv = p->s->nv;
  double *M = p->scratch, *phi_M = M + area(nv, nv);
  td_trial_mass_matrix(p->s->model, p->s->state, p->s->work, M);
  td_mul(p->shape, M, p->k, nv, nv, phi_M);
  td_linear_modal_basis(nv, p->k, p->shape, phi_M, lin);
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
  if (status == TD_OK)
    td_linear_choose(s->model, known, "since dependent constraints do not determine them", lin);
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
  td_trial_input_map(s->model, s->state, s->work, p->scratch);
  td_mul(p->shape, p->scratch, k, s->nv, lin->nu, lin->B + area(k, lin->nu));
  fill_basis(p, lin);
  return outputs(p, lin);
}

static td_status reduce(const td_reduction* what, const td_reduced* r, td_linear** result) {
  td_statics* s = what->s;
  const td_sizes size = td_model_sizes(s->model);
  const size_t wide = area(s->nv, max_int(s->nv, size.nu)) + area(r->n, s->nv) +
                      2 * area(size.nsensor, s->nv) + (size_t)(s->nv + r->n);
  double* w = calloc((size_t)r->n + area(r->n, r->n) + area(r->n, s->nv) + wide + 1, sizeof *w);
  if (!w) return TD_E_NOMEM;
  double *shapes = w + r->n, *full = shapes + area(r->n, r->n);
  int n = 0;
  td_status status = td_reduced_modes(r, w, shapes, &n);
  reduction p = {s, r, shapes, full, full + area(r->n, s->nv), min_int(n, what->count)};
  if (status == TD_OK && what->correct && p.k > 0) {
    td_trial_input_map(s->model, s->state, s->work, p.scratch);
    status = add_static(&p, p.scratch, size.nu, w[p.k - 1]);
  }
  if (status == TD_OK) {
    *result = td_linear_new(s->model, 2 * p.k, size.nu, size.nsensor);
    status = *result ? assemble(&p, *result) : TD_E_NOMEM;
  }
  free(w);
  return status;
}

static td_status at_point(const td_reduction* p, td_linear** result) {
  if (!p->s->dense) return td_sparse_reduction(p, result);
  td_reduced* r;
  TD_TRY(td_reduced_new(p->s, p->q, p->l, 1, &r));
  const td_status status = reduce(p, r, result);
  td_reduced_free(r);
  return status;
}

// Velocities of unprescribed coordinates above `at_rest` [SI] are motion.
static td_status refuse(const td_statics* s, const td_state* state) {
  static const double at_rest = 1e-6;
  if (s->model->ninternal > 0) {
    td_work_fail(s->work, TD_NO_INTERNALS, "reduction to modes",
                 td_model_internal_name(s->model, 0));
    return TD_E_USAGE;
  }
  int fastest = -1;
  for (int i = 0; i < s->n; i++) {
    const double v = fabs(state->v[s->free[i]]);
    if (v > at_rest && (fastest < 0 || v > fabs(state->v[fastest]))) fastest = s->free[i];
  }
  if (fastest >= 0) {
    td_work_fail(s->work,
                 "natural modes are those about a state at rest, but %s moves with %.3g; give an "
                 "equilibrium, or linearise without reduction",
                 td_model_v_name(s->model, fastest), state->v[fastest]);
    return TD_E_USAGE;
  }
  if (s->moving)
    td_work_fail(s->work, "it is for a robot at rest; prescribed motion moves this one");
  if (td_inputs_drive_rows(s->model))
    td_work_fail(s->work, "an input that says where a constraint is (joint.control) moves no mode");
  return s->moving || td_inputs_drive_rows(s->model) ? TD_E_USAGE : TD_OK;
}

static td_status natural_reduction(const td_model* model, const td_state* state, td_work* work,
                                   int n, bool correct, td_linear** result) {
  *result = NULL;
  if (n < 1) return TD_E_USAGE;
  td_statics* s = NULL;
  td_newton* newton = NULL;
  const td_sizes sizes = td_model_sizes(model);
  double* q = calloc((size_t)(sizes.nq + sizes.nconstraint) + 1, sizeof(double));
  td_status status = q ? td_statics_new(model, work, state, TD_LOAD_SCALE, &s) : TD_E_NOMEM;
  if (status == TD_OK) status = refuse(s, state);
  if (status == TD_OK) status = td_newton_new(&s->equations, &newton);
  if (status == TD_OK) {
    memcpy(q, s->state->q, sizeof(double) * (size_t)sizes.nq);
    status = td_taut_choose(model, s->state, work);
  }
  if (status == TD_OK) {
    td_newton_estimate(newton, q, q + sizes.nq, 1);
    status = at_point(&(td_reduction){s, q, q + sizes.nq, n, correct}, result);
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

td_status td_modal_reduction(const td_model* model, const td_state* state, td_work* work, int n,
                             td_linear** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || n < 1 || !result)
    return TD_E_USAGE;
  return natural_reduction(model, state, work, n, false, result);
}

td_status td_static_reduction(const td_model* model, const td_state* state, td_work* work, int n,
                              td_linear** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || n < 1 || !result)
    return TD_E_USAGE;
  return natural_reduction(model, state, work, n, true, result);
}
