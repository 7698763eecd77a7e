// td_linearize_gradient: derivatives of linear models about an equilibrium (gradient.h).
//
// With loops the motions that the constraints allow turn with the parameters, and so do the
// coordinates x in which a linear model is written.  All models along the change are written in
// those of the first, x = inverse basis' x':
//
//   T = inverse basis',   A = T A' T⁻¹,   B = T B',   C = C' T⁻¹,   D = D'
#include <math.h>

#include "model/model.h"
#include "solve/gradient/slope.h"
#include "solve/vectors.h"

// Numbers of A, B, C and D.
static int numbers(const td_linear* l) {
  return l->nx * l->nx + l->nx * l->nu + l->ny * l->nx + l->ny * l->nu;
}

// A, B, C, D of `at` in the coordinates of `first`.
static td_status convert(const td_linear* first, const td_linear* at, int parts, double* out) {
  const int nx = first->nx, nu = first->nu, ny = first->ny;
  if (at->nx != nx || at->ny != ny) return TD_E_SINGULAR;
  double* block = malloc(sizeof(double) * (3 * area(nx, nx) + 2 * area(nx, nx + ny) + 1));
  int* pivot = malloc(sizeof(int) * (size_t)(nx + 1));
  td_status status = block && pivot ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    // rows of A' and C', which T⁻¹ multiplies from the right: T' x = rows'
    double *T = block, *Tt = T + area(nx, nx), *rows = Tt + area(nx, nx),
           *solved = rows + area(nx, nx + ny);
    const int all = nx + ny;
    td_mul(first->inverse, at->basis, nx, parts, nx, T);
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) Tt[i * nx + j] = T[j * nx + i];
    for (int j = 0; j < nx; j++) {
      for (int i = 0; i < nx; i++) rows[area(j, all) + (size_t)i] = at->A[area(i, nx) + (size_t)j];
      for (int i = 0; i < ny; i++)
        rows[area(j, all) + (size_t)(nx + i)] = at->C[area(i, nx) + (size_t)j];
    }
    if (td_lu(Tt, nx, pivot) != 0) status = TD_E_SINGULAR;
    if (status == TD_OK) {
      td_lu_solve(Tt, pivot, nx, rows, all);
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++)
          solved[area(i, nx) + (size_t)j] = rows[area(j, all) + (size_t)i];
      double *A = out, *B = A + area(nx, nx), *C = B + area(nx, nu), *D = C + area(ny, nx);
      td_mul(T, solved, nx, nx, nx, A);
      td_mul(T, at->B, nx, nx, nu, B);
      for (int i = 0; i < ny; i++)
        for (int j = 0; j < nx; j++)
          C[area(i, nx) + (size_t)j] = rows[area(j, all) + (size_t)(nx + i)];
      copy(D, at->D, ny * nu);
    }
  }
  free(block);
  free(pivot);
  return status;
}

typedef struct sampled_linear {
  const td_linear* first;
  int parts;
} sampled_linear;

// The matrices of the linear model at the point of `r`, as slope.h requires them.
static td_status values(void* ctx, td_rest* r, const double* lambda, double* out) {
  const sampled_linear* s = ctx;
  (void)lambda;
  td_linear* at = NULL;
  td_status status = td_linearize(r->s->model, r->s->state, r->s->work, &at);
  if (status == TD_OK) status = convert(s->first, at, s->parts, out);
  td_linear_free(at);
  return status;
}

// Largest difference in a matrix relative to its largest slope, and to what it is itself.
static double apart(void* ctx, const double* a, const double* b) {
  const td_linear* l = ((const sampled_linear*)ctx)->first;
  const struct {
    const double* x;
    size_t n;
  } parts[] = {{l->A, area(l->nx, l->nx)},
               {l->B, area(l->nx, l->nu)},
               {l->C, area(l->ny, l->nx)},
               {l->D, area(l->ny, l->nu)}};
  double worst = 0;
  for (int k = 0; k < 4; k++) {
    double most = 1e-6 * largest(parts[k].x, parts[k].n), off = 0;
    for (size_t i = 0; i < parts[k].n; i++) most = fmax(most, fabs(a[i]));
    for (size_t i = 0; i < parts[k].n; i++) {
      if (!isfinite(a[i] - b[i])) return INFINITY;
      off = fmax(off, fabs(a[i] - b[i]));
    }
    if (off > 0) worst = fmax(worst, off / most);
    a += parts[k].n;
    b += parts[k].n;
  }
  return worst;
}

td_status td_linear_slopes(td_rest* r, const td_linear* first, td_by by, const td_change* c,
                           double* slope) {
  const td_model* m = r->s->model;
  sampled_linear s = {first, 2 * m->nvel + m->ninternal};
  const td_sampled what = {numbers(first), values, apart, &s};
  double error;
  TD_TRY(td_rest_slope(r, by, c, &what, slope, &error));
  return error <= TD_SLOPE_ERROR ? TD_OK : td_refuse_slope(r, "the linear model", by, error);
}

td_status td_linearize_gradient(const td_model* model, const td_state* state, td_work* work,
                                const td_linear* linear, const td_by* by, int n, double* dA,
                                double* dB, double* dC, double* dD) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !linear ||
      linear->model != model)
    return TD_E_USAGE;
  TD_TRY(td_by_check(model, work, by, n));
  td_rest* rest = NULL;
  td_change change = {0};
  double* slope = malloc(sizeof(double) * ((size_t)numbers(linear) + 1));
  td_status status = slope ? td_rest_new(model, state, work, &rest) : TD_E_NOMEM;
  if (status == TD_OK) status = td_change_new(model, &change);
  const int nx = linear->nx, nu = linear->nu, ny = linear->ny;
  for (int i = 0; i < n && status == TD_OK; i++) {
    status = td_rest_change(rest, by[i], &change);
    if (status == TD_OK) status = td_linear_slopes(rest, linear, by[i], &change, slope);
    if (status != TD_OK) break;
    const double *A = slope, *B = A + area(nx, nx), *C = B + area(nx, nu), *D = C + area(ny, nx);
    if (dA) copy(dA + area(i, nx * nx), A, nx * nx);
    if (dB) copy(dB + area(i, nx * nu), B, nx * nu);
    if (dC) copy(dC + area(i, ny * nx), C, ny * nx);
    if (dD) copy(dD + area(i, ny * nu), D, ny * nu);
  }
  if (status == TD_OK) td_rest_note(rest);
  td_change_free(&change);
  td_rest_free(rest);
  free(slope);
  return status;
}
