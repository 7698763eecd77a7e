// Newton's method with natural monotonicity (newton.h), on the operations td_linear_ops; the dense
// ones are here, the sparse ones in sparse_statics.c.
#include "solve/statics/newton.h"

#include <float.h>
#include <math.h>

#include "solve/vectors.h"

// ---- dense linear algebra ---------------------------------------------------------------------

static td_status dense_factor(void* ctx, const double* x, const double* l, double p, double shift,
                              double* size) {
  td_newton* w = ctx;
  const td_equations* s = w->equations;
  (void)shift;  // pseudo-transient continuation has eigenvectors instead
  s->tangent(s->ctx, x, l, p, w->K, w->J);
  td_newton_hold(w, x, l, p);
  td_saddle_factor(w->saddle, w->K, w->J, NULL);
  *size = largest(w->K, area(s->n, s->n));
  return w->saddle->singular ? TD_E_SINGULAR : TD_OK;
}

static void dense_solve(void* ctx, const double* F, const double* e, double* dx, double* dl) {
  td_saddle_solve(((td_newton*)ctx)->saddle, F, e, 0, dx, dl, NULL);
}

static td_status dense_transpose(void* ctx) {
  td_newton* w = ctx;
  const int n = w->equations->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double x = w->K[area(i, n) + (size_t)j];
      w->K[area(i, n) + (size_t)j] = w->K[area(j, n) + (size_t)i];
      w->K[area(j, n) + (size_t)i] = x;
    }
  td_saddle_factor(w->saddle, w->K, w->J, NULL);
  return w->saddle->singular ? TD_E_SINGULAR : TD_OK;
}

static void dense_estimate(void* ctx, const double* x, double p, const double* F, double* l) {
  td_newton* w = ctx;
  w->equations->tangent(w->equations->ctx, x, l, p, w->K, w->J);
  td_saddle_null_space(w->saddle, w->J);
  td_saddle_multipliers(w->saddle, F, l);
}

static const td_linear_ops dense_ops = {dense_factor, dense_solve, dense_transpose,
                                        dense_estimate};

// ---- life -------------------------------------------------------------------------------------

// Allocate the vectors of a Newton iteration and, for dense equations, K, M, J and the saddle-point
// system. `equations` must outlive it.
td_status td_newton_new(const td_equations* equations, td_newton** newton) {
  *newton = NULL;
  const size_t n = (size_t)equations->n, m = (size_t)equations->m, nx = (size_t)equations->nx;
  td_newton* w = calloc(1, sizeof *w);
  if (!w) return TD_E_NOMEM;
  const bool dense = equations->linear == NULL;
  const size_t matrices = dense ? 2 * n * n + m * n : 0;
  const size_t bytes = sizeof(double) * (matrices + 6 * n + 5 * m + 2 * nx) + 64 * 24;
  w->block = malloc(bytes);
  if (!w->block || (dense && td_saddle_new(equations->n, equations->m, &w->saddle) != TD_OK)) {
    td_newton_free(w);
    return TD_E_NOMEM;
  }
  arena a = {.base = w->block, .size = bytes};
  double** const vectors[] = {&w->F, &w->dx, &w->step, &w->bar, &w->Fp};
  double** const rows[] = {&w->e, &w->ep, &w->dl, &w->l_try, &w->l_best};
  for (int i = 0; i < 5; i++) *vectors[i] = arena_zeros(&a, equations->n);
  for (int i = 0; i < 5; i++) *rows[i] = arena_zeros(&a, equations->m);
  w->x_try = arena_zeros(&a, equations->nx);
  w->x_best = arena_zeros(&a, equations->nx);
  if (dense) {
    w->K = arena_zeros(&a, equations->n * equations->n);
    w->M = arena_zeros(&a, equations->n * equations->n);
    w->J = arena_zeros(&a, equations->m * equations->n);
  }
  w->equations = equations;
  w->linear = dense ? &dense_ops : equations->linear;
  w->linear_ctx = dense ? w : equations->ctx;
  w->loose = -1;
  w->zero = 1e-14;
  if (w->saddle) w->saddle->scale = equations->rows;
  *newton = w;
  return TD_OK;
}

void td_newton_free(td_newton* newton) {
  if (!newton) return;
  td_saddle_free(newton->saddle);
  free(newton->block);
  free(newton);
}

// ---- one step ---------------------------------------------------------------------------------

static void evaluate(td_newton* w, const double* x, const double* l, double p) {
  w->equations->residual(w->equations->ctx, x, l, p, w->F, w->e);
}

// Tangent at x, factored
static void factor(td_newton* w, const double* x, const double* l, double p) {
  w->singular = w->linear->factor(w->linear_ctx, x, l, p, 0, &w->stiffness) != TD_OK;
}

// Newton's step for the residual last evaluated; dl may be NULL.  Not a number: there is none.
static void solve(td_newton* w, double* dx, double* dl) {
  w->linear->solve(w->linear_ctx, w->F, w->e, dx, dl);
}

void td_newton_estimate(td_newton* w, const double* x, double* l, double p) {
  memset(l, 0, sizeof(double) * (size_t)w->equations->m);
  if (w->equations->m == 0) return;
  evaluate(w, x, l, p);
  w->linear->estimate(w->linear_ctx, x, p, w->F, l);
  if (!isfinite(largest(l, (size_t)w->equations->m)))
    memset(l, 0, sizeof(double) * (size_t)w->equations->m);
}

// The larger of |F| relative to the forces and |e|, at the residual last evaluated
double td_newton_measure(const td_newton* w) {
  const double F = largest(w->F, (size_t)w->equations->n),
               e = largest(w->e, (size_t)w->equations->m);
  return fmax(F == 0 ? 0 : F / fmax(w->forces, DBL_MIN), e);
}

void td_newton_begin(td_newton* w, const double* x, const double* l, double p) {
  const td_equations* s = w->equations;
  const double given = s->scale ? s->scale(s->ctx, x, l, p) : 0;
  evaluate(w, x, l, p);
  const double first = largest(w->F, (size_t)s->n);
  w->forces = fmax(w->forces, fmax(isfinite(given) ? given : 0, isfinite(first) ? first : 0));
}

double td_newton_within(const td_newton* w, const double* dx) {
  const td_equations* s = w->equations;
  double part = 1;
  for (int i = 0; i < s->n; i++)
    if (fabs(dx[i]) * part > s->limit[i]) part = s->limit[i] / fabs(dx[i]);
  return part;
}

double td_newton_reach(td_newton* w, const double* x, const double* dx, double p, double alpha) {
  const td_equations* s = w->equations;
  if (!s->reach) return alpha;
  for (int i = 0; i < s->n; i++) w->step[i] = alpha * dx[i];
  return alpha * s->reach(s->ctx, x, w->step, p, 0);
}

// x_try = x + alpha dx, l_try = l + alpha dl, and the residual there
static void try_step(td_newton* w, const double* x, const double* l, double p, double alpha) {
  const td_equations* s = w->equations;
  for (int i = 0; i < s->n; i++) w->step[i] = alpha * w->dx[i];
  s->displace(s->ctx, x, w->step, w->x_try);
  for (int i = 0; i < s->m; i++) w->l_try[i] = l[i] + alpha * w->dl[i];
  evaluate(w, w->x_try, w->l_try, p);
}

// Halve the step until it is monotone: the simplified Newton step from the trial point, with the
// old tangent, is shorter than the step itself.
static bool line_search(td_newton* w, const double* x, const double* l, double p) {
  const int n = w->equations->n;
  double alpha = td_newton_reach(w, x, w->dx, p, td_newton_within(w, w->dx));
  for (const double least = 1e-6 * alpha; alpha >= least; alpha /= 2) {
    try_step(w, x, l, p, alpha);
    if (!isfinite(td_newton_measure(w))) continue;
    solve(w, w->bar, NULL);
    if (norm(w->bar, n) <= (1 - alpha / 4) * norm(w->dx, n)) return true;
  }
  return false;
}

// Once the tolerance is met take full steps as long as they help: they cost little and reach
// round-off.
static void polish(td_newton* w, double* x, double* l, double p, double reached) {
  copy(w->x_best, x, w->equations->nx);
  copy(w->l_best, l, w->equations->m);
  for (int i = 0; i < 3 && reached > 0; i++) {
    factor(w, x, l, p);
    solve(w, w->dx, w->dl);
    if (!isfinite(largest(w->dx, (size_t)w->equations->n)) || td_newton_within(w, w->dx) < 1) break;
    try_step(w, x, l, p, 1);
    const double now = td_newton_measure(w);
    if (!(now < reached)) break;
    copy(x, w->x_try, w->equations->nx);
    copy(l, w->l_try, w->equations->m);
    const bool enough = now > 0.25 * reached;
    reached = now;
    copy(w->x_best, x, w->equations->nx);
    copy(w->l_best, l, w->equations->m);
    if (enough) break;
  }
  copy(x, w->x_best, w->equations->nx);
  copy(l, w->l_best, w->equations->m);
  evaluate(w, x, l, p);
}

td_newton_report td_newton_state(const td_newton* w) {
  return (td_newton_report){.residual = largest(w->F, (size_t)w->equations->n),
                            .measure = td_newton_measure(w)};
}

static td_status finish(td_newton* w, td_status status, td_newton_report* report) {
  const td_newton_report way = *report;
  *report = td_newton_state(w);
  report->iterations = way.iterations;
  report->travel = way.travel;
  return status;
}

// Whether a point from which Newton's method finds no further step is an equilibrium: the
// constraints are met, and F does not push along a singular tangent or against constraints that
// cannot carry it.
static bool at_rest(const td_newton* w, double tol) {
  const td_equations* s = w->equations;
  const double F = largest(w->F, (size_t)s->n);
  const bool pushed = F > 1e-12 * w->stiffness, unheld = s->m > 0 && F > 1e-6 * w->forces;
  return largest(w->e, (size_t)s->m) <= tol && !(pushed && (w->singular || unheld));
}

// Newton's method with a line search on the natural level function |K⁻¹ F|, from (x, l) at the
// parameter p.  It ends below options->tol, at a step lost in rounding, or without a solution after
// max_iterations.  The report counts iterations and the way travelled in units of s->limit.
td_status td_newton_solve(td_newton* w, double* x, double* l, double p,
                          const td_newton_options* options, td_newton_report* report) {
  const td_equations* s = w->equations;
  *report = (td_newton_report){0};
  bool solved = false;  // w->dx is the step from x
  td_newton_begin(w, x, l, p);
  for (;;) {
    // converged, out of iterations, or stopped
    const double now = td_newton_measure(w);
    if (now <= options->tol) {
      polish(w, x, l, p, now);
      return finish(w, TD_OK, report);
    }
    if (!isfinite(now) || report->iterations >= options->max_iterations) break;
    if (s->go_on && !s->go_on(s->ctx)) return finish(w, TD_E_STOPPED, report);

    // Newton step
    factor(w, x, l, p);
    solved = !w->endless;
    if (w->endless) break;
    solve(w, w->dx, w->dl);
    if (!isfinite(largest(w->dx, (size_t)s->n))) break;
    // a step lost in round-off is the end: forces may be too small to measure by.  The multipliers
    // may have a way to go yet
    if (largest(w->dx, (size_t)s->n) < 1e-14 * fmax(1, largest(x, (size_t)s->nx))) {
      const double before = largest(w->F, (size_t)s->n);
      copy(w->l_try, l, s->m);
      for (int i = 0; i < s->m; i++) l[i] += w->dl[i];
      if (s->m > 0) evaluate(w, x, l, p);
      if (s->m > 0 && !(largest(w->F, (size_t)s->n) < before)) {
        copy(l, w->l_try, s->m);
        evaluate(w, x, l, p);
      }
      return finish(w, at_rest(w, options->tol) ? TD_OK : TD_E_DIVERGED, report);
    }

    // shorten the step until the level function falls, then take it
    if (!line_search(w, x, l, p)) break;
    report->iterations++;
    double longest = 0;
    for (int i = 0; i < s->n; i++) longest = fmax(longest, fabs(w->step[i]) / s->limit[i]);
    report->travel += longest;
    copy(x, w->x_try, s->nx);
    copy(l, w->l_try, s->m);
  }

  // no further step: the point still counts where F is only the rounding of forces K x that cancel
  evaluate(w, x, l, p);
  const double size = largest(x, (size_t)s->nx), F = largest(w->F, (size_t)s->n);
  const bool end = solved && F <= 16 * DBL_EPSILON * w->stiffness * size &&
                   largest(w->e, (size_t)s->m) <= 16 * DBL_EPSILON * fmax(1, size) &&
                   largest(w->dx, (size_t)s->n) < 1e-7 * fmax(1, size);
  return finish(w, end ? TD_OK : TD_E_DIVERGED, report);
}
