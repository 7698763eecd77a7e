// Newton's method with natural monotonicity, and pseudo-transient continuation.
#include "newton.h"

#include <float.h>
#include <math.h>

enum { transient_steps = 400 };

static double largest(const double* a, int n) {
  double top = 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(a[i])) return INFINITY;
    top = fmax(top, fabs(a[i]));
  }
  return top;
}

static double norm(const double* a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

static void copy(double* to, const double* from, int n) {
  if (n) memcpy(to, from, sizeof(double) * (size_t)n);
}

td_status td_newton_new(const td_system* system, td_newton** newton) {
  *newton = NULL;
  const size_t n = (size_t)system->n, m = (size_t)system->m, nx = (size_t)system->nx;
  td_newton* w = calloc(1, sizeof *w);
  if (!w) return TD_E_NOMEM;
  const size_t bytes = sizeof(double) * (2 * n * n + m * n + 6 * n + 5 * m + 2 * nx) + 64 * 24;
  w->block = malloc(bytes);
  if (!w->block || td_saddle_new(system->n, system->m, &w->saddle) != TD_OK) {
    td_newton_free(w);
    return TD_E_NOMEM;
  }
  arena a = {.base = w->block, .size = bytes};
  double** const vectors[] = {&w->F, &w->dx, &w->step, &w->bar, &w->Fp};
  double** const rows[] = {&w->e, &w->ep, &w->dl, &w->l_try, &w->l_best};
  for (int i = 0; i < 5; i++) *vectors[i] = arena_zeros(&a, system->n);
  for (int i = 0; i < 5; i++) *rows[i] = arena_zeros(&a, system->m);
  w->x_try = arena_zeros(&a, system->nx);
  w->x_best = arena_zeros(&a, system->nx);
  w->K = arena_zeros(&a, system->n * system->n);
  w->M = arena_zeros(&a, system->n * system->n);
  w->J = arena_zeros(&a, system->m * system->n);
  w->system = system;
  *newton = w;
  return TD_OK;
}

void td_newton_free(td_newton* newton) {
  if (!newton) return;
  td_saddle_free(newton->saddle);
  free(newton->block);
  free(newton);
}

static void evaluate(td_newton* w, const double* x, const double* l, double p) {
  w->system->residual(w->system->ctx, x, l, p, w->F, w->e);
}

static void linearise(td_newton* w, const double* x, const double* l, double p) {
  w->system->tangent(w->system->ctx, x, l, p, w->K, w->J);
}

void td_newton_estimate(td_newton* w, const double* x, double* l, double p) {
  memset(l, 0, sizeof(double) * (size_t)w->system->m);
  if (w->system->m == 0) return;
  evaluate(w, x, l, p);
  linearise(w, x, l, p);
  td_saddle_null_space(w->saddle, w->J);
  td_saddle_multipliers(w->saddle, w->F, l);
  if (!isfinite(largest(l, w->system->m))) memset(l, 0, sizeof(double) * (size_t)w->system->m);
}

// The larger of |F| relative to the forces and |e|, at the residual last evaluated
static double measure(const td_newton* w) {
  const double F = largest(w->F, w->system->n), e = largest(w->e, w->system->m);
  return fmax(F == 0 ? 0 : F / fmax(w->forces, DBL_MIN), e);
}

static void size_forces(td_newton* w, const double* x, const double* l, double p) {
  const td_system* s = w->system;
  const double given = s->scale ? s->scale(s->ctx, x, l, p) : 0;
  const double first = largest(w->F, s->n);
  w->forces = fmax(isfinite(given) ? given : 0, isfinite(first) ? first : 0);
}

// Factor of the step that keeps every direction within its limit
static double within_limits(const td_system* s, const double* dx) {
  double factor = 1;
  for (int i = 0; i < s->n; i++)
    if (fabs(dx[i]) * factor > s->limit[i]) factor = s->limit[i] / fabs(dx[i]);
  return factor;
}

// x_try = x + alpha dx, l_try = l + alpha dl, and the residual there
static void try_step(td_newton* w, const double* x, const double* l, double p, double alpha) {
  const td_system* s = w->system;
  for (int i = 0; i < s->n; i++) w->step[i] = alpha * w->dx[i];
  s->displace(s->ctx, x, w->step, w->x_try);
  for (int i = 0; i < s->m; i++) w->l_try[i] = l[i] + alpha * w->dl[i];
  evaluate(w, w->x_try, w->l_try, p);
}

// Is the simplified Newton step from the trial point, with the old tangent, shorter than the step
// itself?
static bool monotone(td_newton* w, double alpha) {
  if (!isfinite(measure(w))) return false;
  td_saddle_solve(w->saddle, w->F, w->e, 0, w->bar, NULL, NULL);
  return norm(w->bar, w->system->n) <= (1 - alpha / 4) * norm(w->dx, w->system->n);
}

static bool line_search(td_newton* w, const double* x, const double* l, double p) {
  double alpha = within_limits(w->system, w->dx);
  for (const double least = 1e-6 * alpha; alpha >= least; alpha /= 2) {
    try_step(w, x, l, p, alpha);
    if (monotone(w, alpha)) return true;
  }
  return false;
}

// Once the tolerance is met take full steps as long as they help: they cost little and reach
// round-off.
static double polish(td_newton* w, double* x, double* l, double p, double reached) {
  copy(w->x_best, x, w->system->nx);
  copy(w->l_best, l, w->system->m);
  for (int i = 0; i < 3 && reached > 0; i++) {
    linearise(w, x, l, p);
    td_saddle_factor(w->saddle, w->K, w->J, NULL);
    td_saddle_solve(w->saddle, w->F, w->e, 0, w->dx, w->dl, NULL);
    if (!isfinite(largest(w->dx, w->system->n)) || within_limits(w->system, w->dx) < 1) break;
    try_step(w, x, l, p, 1);
    const double now = measure(w);
    if (!(now < reached)) break;
    copy(x, w->x_try, w->system->nx);
    copy(l, w->l_try, w->system->m);
    const bool enough = now > 0.25 * reached;
    reached = now;
    copy(w->x_best, x, w->system->nx);
    copy(w->l_best, l, w->system->m);
    if (enough) break;
  }
  copy(x, w->x_best, w->system->nx);
  copy(l, w->l_best, w->system->m);
  evaluate(w, x, l, p);
  return reached;
}

static td_status finish(td_newton* w, td_status status, double reached, td_newton_report* report) {
  report->measure = reached;
  report->residual = largest(w->F, w->system->n);
  return status;
}

td_status td_newton_solve(td_newton* w, double* x, double* l, double p,
                          const td_newton_options* options, td_newton_report* report) {
  const td_system* s = w->system;
  *report = (td_newton_report){0};
  evaluate(w, x, l, p);
  size_forces(w, x, l, p);
  for (;;) {
    const double now = measure(w);
    if (now <= options->tol) return finish(w, TD_OK, polish(w, x, l, p, now), report);
    if (!isfinite(now) || report->iterations >= options->max_iterations) break;
    if (s->go_on && !s->go_on(s->ctx)) return finish(w, TD_E_STOPPED, now, report);

    linearise(w, x, l, p);
    td_saddle_factor(w->saddle, w->K, w->J, NULL);
    td_saddle_solve(w->saddle, w->F, w->e, 0, w->dx, w->dl, NULL);
    if (!isfinite(largest(w->dx, s->n))) break;
    // a step lost in round-off is the end: forces may be too small to measure by, or, where the
    // tangent is singular, what is left of them has no effect on the directions that can move
    if (largest(w->dx, s->n) < 1e-14) {
      const bool good = !w->saddle->singular && largest(w->e, s->m) <= options->tol;
      return finish(w, good ? TD_OK : TD_E_DIVERGED, now, report);
    }
    if (!line_search(w, x, l, p)) break;
    report->iterations++;
    copy(x, w->x_try, s->nx);
    copy(l, w->l_try, s->m);
  }
  evaluate(w, x, l, p);
  return finish(w, TD_E_DIVERGED, measure(w), report);
}

// ---- pseudo-transient continuation
// -----------------------------------------------------------------------

// A metric that is positive in every direction: massless ones get a trifle
static void metric(td_newton* w, const double* x, double p) {
  const td_system* s = w->system;
  const int n = s->n;
  if (s->mass) {
    s->mass(s->ctx, x, p, w->M);
  } else {
    memset(w->M, 0, sizeof(double) * (size_t)n * (size_t)n);
  }
  double top = 0;
  for (int i = 0; i < n; i++) top = fmax(top, w->M[i * n + i]);
  for (int i = 0; i < n; i++) w->M[i * n + i] += top > 0 ? 1e-3 * top : 1;
}

// Is the symmetric part of Z'KZ + Z'MZ/dt positive definite, so that the step goes downhill?
static bool downhill(const td_saddle* s, double* scratch) {
  const int k = s->free;
  for (int i = 0; i < k; i++)
    for (int j = 0; j <= i; j++) scratch[i * k + j] = (s->Kz[i * k + j] + s->Kz[j * k + i]) / 2;
  return td_chol(scratch, k, 1e-10) == 0;
}

// One step of  (M/dt + K) dx = -F  with J dx = -e; false: dt must become shorter
static bool transient_step(td_newton* w, const double* x, const double* l, double p, double dt,
                           double* scratch) {
  const td_system* s = w->system;
  const int n = s->n;
  const double before = largest(w->F, n);
  double* A = scratch + (size_t)n * (size_t)n;
  for (int i = 0; i < n * n; i++) A[i] = w->K[i] + w->M[i] / dt;
  td_saddle_factor(w->saddle, A, w->J, NULL);
  if (w->saddle->singular || !downhill(w->saddle, scratch)) return false;
  td_saddle_solve(w->saddle, w->F, w->e, 0, w->dx, w->dl, NULL);
  if (!isfinite(largest(w->dx, n)) || within_limits(s, w->dx) < 1) return false;
  try_step(w, x, l, p, 1);
  return isfinite(measure(w)) && largest(w->F, n) <= 4 * before + 1e-3 * w->forces;
}

static td_status follow_flow(td_newton* w, double* x, double* l, double p,
                             const td_newton_options* options, td_newton_report* report,
                             double* scratch) {
  const td_system* s = w->system;
  int iterations = 0;
  metric(w, x, p);
  linearise(w, x, l, p);
  const double mass = norm(w->M, s->n * s->n);
  double dt = mass / fmax(fmax(norm(w->K, s->n * s->n), largest(w->F, s->n)), DBL_MIN);
  const double shortest = 1e-14 * dt;
  double tried = 0.1;  // measure below which Newton's method is tried again

  while (iterations < transient_steps) {
    if (s->go_on && !s->go_on(s->ctx)) return finish(w, TD_E_STOPPED, measure(w), report);
    evaluate(w, x, l, p);
    if (!transient_step(w, x, l, p, dt, scratch)) {
      dt /= 3;
      if (!(dt > shortest)) break;
      continue;
    }
    iterations++;
    copy(x, w->x_try, s->nx);
    copy(l, w->l_try, s->m);
    metric(w, x, p);
    linearise(w, x, l, p);
    dt *= 2;
    if (measure(w) < tried) {
      tried = measure(w) / 10;
      double *keep = scratch + 2 * (size_t)s->n * (size_t)s->n, *keep_l = keep + s->nx;
      copy(keep, x, s->nx);
      copy(keep_l, l, s->m);
      const td_status status = td_newton_solve(w, x, l, p, options, report);
      report->iterations += iterations;
      if (status != TD_E_DIVERGED) return status;
      copy(x, keep, s->nx);
      copy(l, keep_l, s->m);
      metric(w, x, p);
      linearise(w, x, l, p);
    }
  }
  evaluate(w, x, l, p);
  report->iterations = iterations;
  return finish(w, TD_E_DIVERGED, measure(w), report);
}

td_status td_transient_solve(td_newton* w, double* x, double* l, double p,
                             const td_newton_options* options, td_newton_report* report) {
  const td_system* s = w->system;
  const size_t n = (size_t)s->n;
  *report = (td_newton_report){0};
  double* scratch = malloc(sizeof(double) * (2 * n * n + (size_t)s->nx + (size_t)s->m + 1));
  if (!scratch) return TD_E_NOMEM;
  evaluate(w, x, l, p);
  size_forces(w, x, l, p);
  const td_status status = isfinite(measure(w)) ? follow_flow(w, x, l, p, options, report, scratch)
                                                : finish(w, TD_E_DIVERGED, INFINITY, report);
  free(scratch);
  return status;
}
