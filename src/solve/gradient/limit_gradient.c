// td_limit_gradient: derivatives of the load at a limit point (gradient.h).
//
// At a limit point the stiffness is singular on the motions that the constraints allow.  With the
// left null vector ψ and its ν, ψ'K + ν'J = 0, J ψ = 0, any neighbouring equilibrium has
//
//   ψ·(F_p dp + F_load dload) + ν·(e_p dp + e_load dload) = 0
//
// ψ = Z y with y the left singular vector of Z'K Z for its least singular value, which alternating
// solutions with it and its transpose converge to.
#include <float.h>
#include <math.h>

#include "engine/sparse_engine.h"
#include "model/model.h"
#include "solve/gradient/rest.h"
#include "solve/vectors.h"

typedef struct singular {
  td_statics* s;
  td_newton* newton;
  double *q, *psi, *nu;  // the point and its multipliers; (n), (m)
  double *F, *full, *e;  // (n), (nv), (m)
  double yield;          // how far the weakest motion goes for a unit of ψ·F
} singular;

// Least singular value of A (k x k, rows and columns scaled to ones) with its left and right
// vectors y and x, in A's own scales; scratch 2 k² + 2 k.
static double weakest(const double* A, int k, double* y, double* x, double* scratch, int* pivot) {
  double *B = scratch, *T = B + area(k, k), *row = T + area(k, k), *col = row + k;
  for (int i = 0; i < k; i++) {
    double most = 0;
    for (int j = 0; j < k; j++) most = fmax(most, fabs(A[i * k + j]));
    row[i] = most > 0 ? 1 / most : 1;
  }
  for (int j = 0; j < k; j++) {
    double most = 0;
    for (int i = 0; i < k; i++) most = fmax(most, fabs(A[i * k + j] * row[i]));
    col[j] = most > 0 ? 1 / most : 1;
  }
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      B[i * k + j] = A[i * k + j] * row[i] * col[j] + (i == j ? DBL_EPSILON : 0);
      T[j * k + i] = B[i * k + j];
    }
  int* other = pivot + k;
  if (td_lu(B, k, pivot) != 0 || td_lu(T, k, other) != 0) return NAN;

  // x = B⁻¹ y, y = B⁻ᵀ x
  double grown = 1;
  for (int i = 0; i < k; i++) y[i] = 1 + 0.5 * sin(1.7 * i);
  for (int round = 0; round < 6; round++) {
    copy(x, y, k);
    td_lu_solve(B, pivot, k, x, 1);
    const double size = norm(x, k);
    for (int i = 0; i < k; i++) y[i] = x[i] /= size;
    td_lu_solve(T, other, k, y, 1);
    grown = norm(y, k);
    for (int i = 0; i < k; i++) y[i] /= grown;
  }
  for (int i = 0; i < k; i++) {
    y[i] *= row[i];
    x[i] *= col[i];
  }
  return 1 / grown;
}

// ψ and ν at the state.
static td_status find(singular* c) {
  td_statics* s = c->s;
  td_newton* newton = c->newton;
  td_saddle* saddle = newton->saddle;
  const int n = s->n;
  s->equations.tangent(s, c->q, c->q + s->nq, 1, newton->K, newton->J);
  td_saddle_null_space(saddle, newton->J);
  const int k = saddle->free;
  double* block = malloc(sizeof(double) * (3 * area(k, k) + 6 * (size_t)k + 1));
  int* pivot = malloc(sizeof(int) * (size_t)(2 * k + 1));
  td_status status = block && pivot ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    double *Kz = block, *y = Kz + area(k, k), *x = y + k;
    td_saddle_reduce(saddle, newton->K, Kz);
    const double least = weakest(Kz, k, y, x, x + k, pivot);
    td_mul(saddle->Z, x, n, k, 1, c->psi);
    c->yield = largest(c->psi, (size_t)n) / least;
    td_mul(saddle->Z, y, n, k, 1, c->psi);
    // J'ν = -K'ψ
    td_mul_tn(newton->K, c->psi, n, n, 1, c->F);
    for (int i = 0; i < n; i++) c->F[i] = -c->F[i];
    if (s->m > 0) td_saddle_multipliers(saddle, c->F, c->nu);
  }
  free(block);
  free(pivot);
  return status;
}

// ψ·F_p + ν·e_p of one `by`, and the size of its terms.
static td_status push(singular* c, td_by by, td_change* change, double* sum, double* size) {
  td_statics* s = c->s;
  const td_model* m = s->model;
  memset(change->q, 0,
         sizeof(double) * (size_t)(3 * s->nv + m->nrow + m->nparam + model_drives(m)));
  if (by.kind == TD_BY_PARAM) change->p[by.index] = 1;
  if (by.kind == TD_BY_INPUT) change->u[by.index] = 1;
  td_direction along = {.p = change->p, .u = change->u};
  if (m->nmotion_slot > 0) {
    const td_given given = {.a = change->a};
    TD_TRY(td_given_diff(m, s->state, s->work, &along, &given));
    along.a = change->a;
  }
  TD_TRY(td_residual_diff(m, s->state, s->work, &along, s->a, c->q + s->nq, c->full));
  if (s->m > 0) TD_TRY(td_constraints_diff(m, s->state, s->work, &along, s->a, c->e, NULL, NULL));
  *sum = *size = 0;
  for (int i = 0; i < s->n; i++) {
    *sum += c->psi[i] * c->full[s->free[i]];
    *size += fabs(c->psi[i] * c->full[s->free[i]]);
  }
  for (int i = 0; i < s->m; i++) {
    *sum += c->nu[i] * c->e[i];
    *size += fabs(c->nu[i] * c->e[i]);
  }
  return TD_OK;
}

// Check that the state is a limit point of `load`, and compute d(load)/d(by).
static td_status analyse(singular* c, td_by load, const td_by* by, int n, td_change* change,
                         double* dload) {
  td_statics* s = c->s;
  TD_TRY(find(c));
  double along, size, terms;
  TD_TRY(push(c, load, change, &along, &size));
  if (!(fabs(along) > 1e-6 * size)) {
    td_work_fail(s->work,
                 "'%s' does not push along the weakest motion: this is a bifurcation, whose load "
                 "has no derivative in general, or no critical point at all",
                 td_by_name(s->model, load));
    return TD_E_SINGULAR;
  }
  // how far a load changes for a motion of the robot's size, or of one radian, relative to itself
  const double now = load.kind == TD_BY_PARAM ? td_work_param(s->model, s->work, load.index)
                                              : s->state->u[load.index];
  const double far = fmin(1, fmax(td_robot_size(s->model, s->work), 1e-6)),
               weak = far / (c->yield * fabs(along) * (now != 0 ? fabs(now) : 1));
  if (!(weak <= 1e-4)) {
    td_work_fail(s->work,
                 "the state is no limit point of '%s': it is %.2g of the load away from one by its "
                 "stiffness; take one that `trace` has located",
                 td_by_name(s->model, load), weak);
    return TD_E_USAGE;
  }
  for (int i = 0; i < n; i++) {
    TD_TRY(push(c, by[i], change, &dload[i], &terms));
    dload[i] = -dload[i] / along;
  }
  return TD_OK;
}

td_status td_limit_gradient(const td_model* model, const td_state* state, td_work* work, td_by load,
                            const td_by* by, int n, double* dload) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || (n > 0 && !dload))
    return TD_E_USAGE;
  *work->failure = *work->gradient_note = 0;
  TD_TRY(td_by_check(model, work, &load, 1));
  TD_TRY(td_by_check(model, work, by, n));
  if (model->ninternal > 0) {
    td_work_fail(work, TD_NO_INTERNALS, "the derivative of limit loads",
                 td_model_internal_name(model, 0));
    return TD_E_USAGE;
  }
  if (model->sparse && model->nvel > SPARSE_DENSE_LIMIT) {
    td_work_fail(work, "limit loads have derivatives up to %d velocities: this model has %d",
                 SPARSE_DENSE_LIMIT, model->nvel);
    return TD_E_USAGE;
  }
  singular c = {0};
  td_change change = {0};
  double* block = calloc((size_t)(3 * model->nvel + 2 * model->nrow) + 1, sizeof(double));
  td_status status = block ? td_statics_here(model, state, work, &c.s, &c.q) : TD_E_NOMEM;
  if (status == TD_OK) {
    // dense, as the path was
    c.s->equations.linear = NULL;
    c.s->equations.rows = c.s->m > 0 ? &c.s->rows : NULL;
    c.psi = block;
    c.F = c.psi + model->nvel;
    c.full = c.F + model->nvel;
    c.nu = c.full + model->nvel;
    c.e = c.nu + model->nrow;
    status = td_newton_new(&c.s->equations, &c.newton);
  }
  if (status == TD_OK) status = td_change_new(model, &change);
  if (status == TD_OK) status = analyse(&c, load, by, n, &change, dload);
  td_change_free(&change);
  td_newton_free(c.newton);
  td_statics_free(c.s);
  free(c.q);
  free(block);
  return status;
}
