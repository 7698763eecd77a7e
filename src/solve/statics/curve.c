// Curves of solutions by pseudo-arc length (Keller): a step along the direction, then Newton's
// method in the plane across it.
#include <float.h>
#include <math.h>

#include "solve/statics/newton.h"
#include "solve/vectors.h"

enum { corrector_steps = 12 };
static const double noise = 1e-7;

td_status td_point_new(const td_equations* equations, td_point* point) {
  const size_t nx = (size_t)equations->nx, n = (size_t)equations->n, m = (size_t)equations->m;
  double* block = calloc(nx + n + 2 * m + 1, sizeof(double));
  if (!block) return TD_E_NOMEM;
  *point = (td_point){.x = block, .tx = block + nx, .l = block + nx + n, .tl = block + nx + n + m};
  return TD_OK;
}

void td_point_free(td_point* point) { free(point->x); }

void td_point_copy(const td_equations* equations, const td_point* from, td_point* to) {
  memcpy(to->x, from->x,
         sizeof(double) * (size_t)(equations->nx + equations->n + 2 * equations->m));
  to->p = from->p;
  to->tp = from->tp;
}

// Factor the system at a point with the border (tx/X^2, tp/P^2)
static void factor(td_curve* curve, const double* x, const double* l, double p,
                   const td_point* direction) {
  td_newton* w = curve->newton;
  const td_equations* s = w->equations;
  s->tangent(s->ctx, x, l, p, w->K, w->J);
  td_newton_hold(w, x, l, p);
  s->slope(s->ctx, x, l, p, w->Fp, w->ep);
  for (int i = 0; i < s->n; i++) w->bar[i] = direction->tx[i] / (curve->X * curve->X);
  const td_border border = {w->Fp, w->ep, w->bar, direction->tp / (curve->P * curve->P)};
  td_saddle_factor(w->saddle, w->K, w->J, &border);
}

// Tangent (tx, tl, tp) of the solution curve, of unit length in the metric x/X, p/P. TD_E_SINGULAR
// if it has none.
td_status td_curve_direction(td_curve* curve, td_point* point, int* sign) {
  td_newton* w = curve->newton;
  const td_equations* s = w->equations;
  factor(curve, point->x, point->l, point->p, point);
  if (sign) *sign = w->saddle->sign;

  // the homogeneous system with one on the right of the border
  memset(w->F, 0, sizeof(double) * (size_t)s->n);
  memset(w->e, 0, sizeof(double) * (size_t)s->m);
  td_saddle_solve(w->saddle, w->F, w->e, -1, point->tx, point->tl, &point->tp);

  // normalise
  double length = point->tp * point->tp / (curve->P * curve->P);
  for (int i = 0; i < s->n; i++) length += point->tx[i] * point->tx[i] / (curve->X * curve->X);
  length = sqrt(length);
  if (!(length > 0) || !isfinite(length)) return TD_E_SINGULAR;
  for (int i = 0; i < s->n; i++) point->tx[i] /= length;
  for (int i = 0; i < s->m; i++) point->tl[i] /= length;
  point->tp /= length;
  return TD_OK;
}

// Size of a correction in units of the curve
static double correction(const td_curve* curve, const double* dx, double dp) {
  return fmax(largest(dx, (size_t)curve->newton->equations->n) / curve->X, fabs(dp) / curve->P);
}

// Newton's method across `from`'s direction, until the correction is lost in round-off or no longer
// shrinks.  Beside a branch point the tangent blows the round-off of the residual up: a correction
// that had come down to `noise` and grows again is nothing else.
static td_status correct(td_curve* curve, const td_point* from, td_point* to, int* iterations) {
  td_newton* w = curve->newton;
  const td_equations* s = w->equations;
  double before = INFINITY;
  for (*iterations = 0; *iterations < corrector_steps; ++*iterations) {
    double dp;
    s->residual(s->ctx, to->x, to->l, to->p, w->F, w->e);
    if (!isfinite(largest(w->F, (size_t)s->n)) || !isfinite(largest(w->e, (size_t)s->m)))
      return TD_E_DIVERGED;
    factor(curve, to->x, to->l, to->p, from);
    td_saddle_solve(w->saddle, w->F, w->e, 0, w->dx, w->dl, &dp);
    const double now = correction(curve, w->dx, dp);
    if (!isfinite(now)) return TD_E_DIVERGED;
    if (now > before && now > curve->options.tol) return before < noise ? TD_OK : TD_E_DIVERGED;
    if (now > before / 2 && now <= curve->options.tol) return TD_OK;

    if (s->reach && s->reach(s->ctx, to->x, w->dx, to->p, dp) < 1) return TD_E_DIVERGED;
    s->displace(s->ctx, to->x, w->dx, to->x);
    for (int i = 0; i < s->m; i++) to->l[i] += w->dl[i];
    to->p += dp;
    if (now < 1e-14) return TD_OK;
    before = now;
  }
  return before <= curve->options.tol ? TD_OK : TD_E_DIVERGED;
}

td_status td_curve_step(td_curve* curve, const td_point* from, double ds, td_point* to,
                        int* iterations, int* sign) {
  td_newton* w = curve->newton;
  const td_equations* s = w->equations;
  td_point_copy(s, from, to);
  for (int i = 0; i < s->n; i++) w->dx[i] = ds * from->tx[i];
  if (s->reach && s->reach(s->ctx, from->x, w->dx, from->p, ds * from->tp) < 1)
    return TD_E_DIVERGED;
  s->displace(s->ctx, from->x, w->dx, to->x);
  for (int i = 0; i < s->m; i++) to->l[i] = from->l[i] + ds * from->tl[i];
  to->p = from->p + ds * from->tp;
  TD_TRY(correct(curve, from, to, iterations));
  return td_curve_direction(curve, to, sign);
}
