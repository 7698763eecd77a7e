// The least-squares problem of a fit: parameters to variables of the search, residuals with their
// Jacobian, and the search.
//
// With measurements d_i, predictions y_i(p) and weights w_i the residuals are r_i = w_i (y_i -
// d_i); priors add (p - mean)/deviation.  Huber's loss [huber1964] is brought into the same form by
// the residual  sign(r) √(2ρ(r)),  ρ = r²/2 up to the corner c and c|r| - c²/2 beyond, with c
// = 1.345 times the robust standard deviation of the recording's residuals, renewed until it
// settles.
#include <math.h>

#include "base/order.h"
#include "math/least.h"
#include "solve/estimate/fit.h"
#include "solve/vectors.h"

// ---- variables --------------------------------------------------------------------------------

double td_fit_value(const fit* f, int j, double x) {
  const variable* v = &f->var[j];
  const model_named* p = &f->model->param[v->param];
  const double value = v->logarithmic ? exp(x) : x;
  return f->model->ranges_lifted ? value : fmin(fmax(value, p->low), p->high);
}

double td_fit_slope(const fit* f, int j, double x) { return f->var[j].logarithmic ? exp(x) : 1; }

double td_fit_variable(const fit* f, int j, double value) {
  return f->var[j].logarithmic ? log(value) : value;
}

// ---- the problem ------------------------------------------------------------------------------

// Give the parameters of the search to the model.  What breaks a rule together with an old value of
// another one is tried again after that.
td_status td_fit_put(fit* f, const double* x) {
  td_status status = TD_OK;
  for (int pass = 0; pass < 2; pass++) {
    status = TD_OK;
    for (int j = 0; j < f->n; j++) {
      const td_status s = td_prediction_set(&f->y, f->var[j].param, td_fit_value(f, j, x[j]));
      if (s != TD_OK) status = s;
    }
    if (status != TD_E_MODEL) break;
  }
  return status;
}

td_status td_fit_residuals(fit* f, const double* x, double* r, double* J) {
  // predictions, unless the last ones were for the same parameters
  bool same = f->fresh;
  for (int j = 0; j < f->n; j++) same = same && x[j] == f->last[j];
  if (!same) {
    f->fresh = false;
    TD_TRY(td_fit_put(f, x));
    f->evaluations++;
    f->y.fraction = f->fraction;
    TD_TRY(td_predict(&f->y));
    f->fresh = true;
    memcpy(f->last, x, sizeof(double) * (size_t)f->n);
  }

  // residuals
  for (int i = 0; i < f->m; i++) {
    const int c = f->row[i];
    const comparison* at = &f->y.list[c];
    r[i] = at->weight * (f->y.y[c] - at->data);
    for (int j = 0; J && j < f->n; j++)
      J[area(i, f->n) + (size_t)j] =
          at->weight * f->y.dy[area(c, f->y.nby) + (size_t)j] * td_fit_slope(f, j, x[j]);
  }
  for (int k = 0; k < f->nprior; k++) {
    const td_prior* p = &f->prior[k];
    r[f->m + k] = (td_fit_value(f, p->param, x[p->param]) - p->mean) / p->deviation;
    if (!J) continue;
    memset(J + area(f->m + k, f->n), 0, sizeof(double) * (size_t)f->n);
    J[area(f->m + k, f->n) + (size_t)p->param] =
        td_fit_slope(f, p->param, x[p->param]) / p->deviation;
  }
  return TD_OK;
}

// The same under Huber's loss, for the search.
static td_status robust_residuals(void* user, const double* x, double* r, double* J) {
  fit* f = user;
  TD_TRY(td_fit_residuals(f, x, r, J));
  for (int i = 0; i < f->m; i++) {
    const double c = f->corner[f->y.list[f->row[i]].recording], size = fabs(r[i]);
    if (!(size > c)) continue;
    const double root = sqrt(2 * c * size - c * c);
    r[i] = r[i] > 0 ? root : -root;
    for (int j = 0; j < f->n; j++) J[area(i, f->n) + (size_t)j] *= c / root;
  }
  return TD_OK;
}

static void accept_point(void* user) {
  fit* f = user;
  td_prediction_accept(&f->y);
}

void td_fit_select(fit* f, const bool* use) {
  f->m = 0;
  f->fresh = false;
  for (int c = 0; c < f->y.n; c++) {
    const int k = f->y.list[c].recording;
    f->y.use[c] = use ? use[c] : !f->options->use || f->options->use[k];
    if (f->y.use[c]) f->row[f->m++] = c;
  }
}

// Set the corners of Huber's loss from residuals; returns the largest relative change.
static double set_corners(fit* f, const double* r, double* scratch) {
  double change = 0;
  for (int k = 0; k < f->set->n; k++) {
    int n = 0;
    if (f->set->list[k].loss != TD_LOSS_HUBER) continue;
    for (int i = 0; i < f->m; i++)
      if (f->y.list[f->row[i]].recording == k) scratch[n++] = fabs(r[i]);
    if (n == 0) continue;
    qsort(scratch, (size_t)n, sizeof *scratch, ascending);
    const double before = f->corner[k];
    f->corner[k] = fmax(1.345 * 1.4826 * scratch[n / 2], 1e-300);
    change = fmax(change, isinf(before) ? 1 : fabs(f->corner[k] / before - 1));
  }
  return change;
}

// Search from x; with Huber's loss several times, until its corners settle.
td_status td_fit_search(fit* f, double* x, double* cost, int* at_bound, bool* converged) {
  const int m = fit_rows(f), n = f->n;
  double* block = calloc(area(m, n) + 2 * (size_t)m + 2 * (size_t)n + 1, sizeof *block);
  if (!block) return TD_E_NOMEM;
  double *J = block, *r = J + area(m, n), *scratch = r + m, *low = scratch + m, *high = low + n;
  for (int j = 0; j < n; j++) low[j] = f->var[j].low, high[j] = f->var[j].high;
  for (int k = 0; k < f->set->n; k++) f->corner[k] = INFINITY;
  const least_problem problem = {.m = m,
                                 .n = n,
                                 .low = low,
                                 .high = high,
                                 .evaluate = robust_residuals,
                                 .accept = accept_point,
                                 .user = f,
                                 .tol = f->options->tol,
                                 .max_evaluations = f->options->max_iterations};
  least_result result;
  td_status status = TD_OK;
  for (int round = 0; round < 20; round++) {
    status = td_least_search(&problem, x, r, J, at_bound, &result);
    if (status != TD_OK) break;
    *converged = result.converged;
    *cost = result.cost;
    status = td_fit_residuals(f, x, r, NULL);
    if (status != TD_OK || set_corners(f, r, scratch) < 1e-4) break;
  }
  free(block);
  return status;
}
