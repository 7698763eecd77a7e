// Levenberg and Marquardt's method [more1978] of cminpack with an active set for bounds.
//
// lmder() knows no bounds.  It searches over the variables that no bound holds back; a trial point
// beyond a bound is evaluated on the bound, where the column of its variable is zero.  When it
// ends, the gradient Jᵀr decides: a variable on its bound is held where the sum of squares would
// fall only outside, and released where it falls inside.  The search is repeated until no bound
// changes.
#include "math/least.h"

#include <cminpack.h>
#include <math.h>

// A search over the free variables.
typedef struct search {
  const least_problem* p;
  double* x;      // (n) the point of all variables
  double* trial;  // (n) the last point evaluated
  double *r, *J;  // there
  bool valid;     // these are there
  double norm;    // smallest norm of the residuals so far
  const int* free;
  td_status status;
  int evaluations;
} search;

static bool may_retreat(td_status status) {
  return status == TD_E_DIVERGED || status == TD_E_SINGULAR || status == TD_E_INFINITE ||
         status == TD_E_MODEL;
}

static double clamp(const least_problem* p, int j, double x) {
  return fmin(fmax(x, p->low[j]), p->high[j]);
}

// Evaluate at the free variables z, unless that was the last point.
static td_status evaluate(search* s, const double* z, int n) {
  bool same = s->valid;
  for (int k = 0; k < n; k++) {
    const int j = s->free[k];
    s->x[j] = clamp(s->p, j, z[k]);
  }
  for (int j = 0; j < s->p->n; j++) same = same && s->x[j] == s->trial[j];
  if (same) return TD_OK;
  memcpy(s->trial, s->x, sizeof(double) * (size_t)s->p->n);
  s->evaluations++;
  const td_status status = s->p->evaluate(s->p->user, s->trial, s->r, s->J);
  s->valid = status == TD_OK;
  return status;
}

// Compute what lmder() requests at z: residuals (iflag 1) or the Jacobian (iflag 2).
static int answer(void* user, int m, int n, const double* z, double* r, double* J, int ld,
                  int iflag) {
  search* s = user;
  s->status = evaluate(s, z, n);
  if (s->status != TD_OK && (iflag == 2 || !may_retreat(s->status))) return -1;

  if (iflag == 1 && s->status != TD_OK) {
    // no value here: so large that the step is refused
    for (int i = 0; i < m; i++) r[i] = 1e3 * (s->norm + 1e-300) / sqrt(m);
    s->status = TD_OK;
    return 0;
  }
  if (iflag == 1) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += (r[i] = s->r[i]) * s->r[i];
    s->norm = fmin(s->norm, sqrt(sum));
    return 0;
  }

  // columns of the free variables, zero beyond a bound
  if (s->p->accept) s->p->accept(s->p->user);
  for (int k = 0; k < n; k++) {
    const int j = s->free[k];
    const bool beyond = z[k] < s->p->low[j] || z[k] > s->p->high[j];
    for (int i = 0; i < m; i++)
      J[(size_t)k * (size_t)ld + (size_t)i] =
          beyond ? 0 : s->J[(size_t)i * (size_t)s->p->n + (size_t)j];
  }
  return 0;
}

// Which bound holds each variable back: it is there, and the sum of squares falls beyond it only.
static bool hold(const search* s, int* at_bound) {
  const least_problem* p = s->p;
  bool changed = false;
  for (int j = 0; j < p->n; j++) {
    double slope = 0;
    for (int i = 0; i < p->m; i++) slope += s->r[i] * s->J[(size_t)i * (size_t)p->n + (size_t)j];
    const int now = s->trial[j] <= p->low[j] && slope >= 0    ? -1
                    : s->trial[j] >= p->high[j] && slope <= 0 ? 1
                                                              : 0;
    changed = changed || now != at_bound[j];
    at_bound[j] = now;
  }
  return changed;
}

td_status td_least_search(const least_problem* p, double* x, double* r, double* J, int* at_bound,
                          least_result* result) {
  const size_t m = (size_t)p->m, n = (size_t)p->n;
  double* block = calloc(m * n + 2 * m + 9 * n + 1, sizeof *block);
  int* index = calloc(2 * n + 1, sizeof *index);
  *result = (least_result){.cost = (double)NAN};
  if (!block || !index) {
    free(block);
    free(index);
    return TD_E_NOMEM;
  }
  double *fjac = block, *fvec = fjac + m * n, *wa4 = fvec + m, *z = wa4 + m, *diag = z + n,
         *qtf = diag + n, *wa1 = qtf + n, *wa2 = wa1 + n, *wa3 = wa2 + n;
  int *ipvt = index, *list = index + n;
  search s = {.p = p, .x = x, .trial = wa3 + n, .r = r, .J = J, .free = list, .norm = INFINITY};

  // the start must have a value
  for (int j = 0; j < p->n; j++) list[j] = j, z[j] = x[j];
  td_status status = evaluate(&s, z, p->n);
  if (status == TD_OK && p->accept) p->accept(p->user);
  memset(at_bound, 0, sizeof(int) * n);
  if (status == TD_OK) hold(&s, at_bound);

  for (int round = 0; status == TD_OK && round < 10 + 2 * p->n; round++) {
    int nfree = 0, nfev, njev;
    for (int j = 0; j < p->n; j++)
      if (at_bound[j] == 0) list[nfree] = j, z[nfree++] = x[j];
    if (nfree == 0) {
      result->converged = true;
      break;
    }
    s.status = TD_OK;
    const int info = lmder(answer, &s, p->m, nfree, z, fvec, fjac, p->m, 1e-4 * p->tol, p->tol, 0,
                           max_int(1, p->max_evaluations - s.evaluations), diag, 1, 1, 0, &nfev,
                           &njev, ipvt, qtf, wa1, wa2, wa3, wa4);
    result->converged = info >= 1 && info != 5;
    if (info < 0) {
      status = s.status != TD_OK ? s.status : TD_E_DIVERGED;
      break;
    }

    // the minimum over the free variables, and which bounds are in the way there
    status = evaluate(&s, z, nfree);
    if (status != TD_OK) break;
    if (p->accept) p->accept(p->user);
    if (!hold(&s, at_bound) || !result->converged) break;
    result->converged = false;
  }

  result->evaluations = s.evaluations;
  if (status == TD_OK) {
    result->cost = 0;
    for (int i = 0; i < p->m; i++) result->cost += r[i] * r[i];
  }
  free(block);
  free(index);
  return status;
}
