// The implicit solver for fast modes that are hardly damped: Radau IIA collocation of order 9.
//
// Error: the slope at the beginning against that of the polynomial there, through the same factors,
//
//   e = (g/h - J)^-1 (f(t, y) - p'(t)),   of order h^6, as is the error of p inside the step.
//
// L-stable: modes of any frequency whose motion is below the tolerance do not shorten the steps,
// whereas BDF is unstable near the imaginary axis above order 2.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/kernel.h"
#include "solve/time/collocation.h"

enum { STAGES = 5, ITERATIONS = 10, ATTEMPTS = 60 };
// The estimate is that of a formula of order 5.  The polynomial inside a step is about five times
// better, the end of the step better by orders: a step may have this many times the tolerance.
static const double generous = 5;
// Accuracy of Newton's method, relative to the error a step may make.
static const double newton_accuracy = 0.03;
// Share of it below which corrections may be those of rounding
static const double rounding_share = 1e-3;
// Evaluations that a Jacobian may cost, about: it is taken anew when the old one has wasted as
// many.
enum { TANGENT_COST = 20 };

typedef struct radau {
  td_collocated c;
  double *f, *f_try;  // (n + nquad) slopes at t_to and at the end of the step that is tried
  bool rejected;      // the error of this step was too large
  double h_before, error_before;
  // Newton's method
  double h_factored;                 // of the factors, 0: none
  bool stale, fresh;                 // J is wanted anew; J is that of (t_to, y_to)
  double contraction;                // last that was seen, of an iteration
  double trust;                      // the same, forgotten step by step
  int iterations, iterations_fresh;  // of the last step; of that with the last new Jacobian
  int wasted;                        // evaluations more than with a new one, since then
  double block[];
} radau;

static void weigh(td_collocated* c) {
  for (int i = 0; i < c->n; i++) c->tolerance[i] = generous * td_tolerance(&c->base, i, c->y_to[i]);
}

// ---- Newton's method --------------------------------------------------------------------------

// J and the factors for steps of h
static int prepare(radau* s, double h) {
  td_collocated* c = &s->c;
  if (s->stale && !s->fresh) {
    if (td_ode_jacobian(&c->base, c->t_to, c->y_to, c->J) != 0) return 1;
    s->fresh = true;
    s->h_factored = 0;
    s->trust = 0;
  }
  s->stale = false;
  if (h == s->h_factored) return 0;
  s->h_factored = 0;
  if (td_collocated_factor(c, h) != TD_OK) return 1;
  s->h_factored = h;
  return 0;
}

// Z of the linear equations y' = f(t_to) + J (y - y_to) + r(t), where r goes on as the cubic
// through three of its values in the last step and 0 at its end: fast modes are carried on by J,
// everything else by r.
static void guess(radau* s, double h) {
  enum { COUNT = 3 };
  static const int stage[COUNT] = {1, 2, 3};
  td_collocated* c = &s->c;
  const double* at = c->table.c;
  for (int i = 0; i < STAGES; i++)
    memcpy(stage_row(c, c->F, i), s->f, (size_t)c->n * sizeof(double));
  for (int k = 0; c->stepped && k < COUNT; k++) {
    // r(t) = f - f(t_to) - J (y - y_to) at a stage of the last step
    double* r = c->R;
    td_collocated_sum(c, c->table.slope + stage[k] * STAGES, c->Z, r);
    for (int j = 0; j < c->n; j++) {
      r[j] = r[j] / c->h - s->f[j];
      c->stage[j] = c->y_from[j] + stage_row(c, c->Z, stage[k])[j] - c->y_to[j];
    }
    for (int j = 0; j < c->n; j++) r[j] -= dot(stage_row(c, c->J, j), c->stage, c->n);

    // its weight in the polynomial at each stage of this step
    for (int i = 0; i < STAGES; i++) {
      const double ahead = at[i] * h / c->h;
      double w = ahead / (at[stage[k]] - 1);
      for (int j = 0; j < COUNT; j++)
        if (j != k) w *= (ahead + 1 - at[stage[j]]) / (at[stage[k]] - at[stage[j]]);
      axpy(w, r, stage_row(c, c->F, i), c->n);
    }
  }
  memset(c->W, 0, (size_t)c->n * STAGES * sizeof(double));
  memset(c->Z_try, 0, (size_t)c->n * STAGES * sizeof(double));
  td_collocated_correct(c, h);
}

// Z_try for a step of h; 0 when found.  After one iteration the contraction of earlier steps tells
// what is left, as long as it can be trusted: not where elements begin or cease to act, since what
// contracted while they acted says nothing of the step behind.
static int newton(radau* s, double h) {
  const int fewest = s->c.base.guard != NULL ? 2 : 1;
  double before = 0;
  s->trust = s->trust > 0 ? pow(fmax(s->trust, 1e-8), 0.8) : 1;
  for (s->iterations = 1; s->iterations <= ITERATIONS; s->iterations++) {
    if (td_collocated_slopes(&s->c, h) != 0) return 1;
    td_collocated_correct(&s->c, h);
    const double size = td_collocated_norm(&s->c, s->c.F, STAGES);
    if (!isfinite(size)) return 1;
    if (s->iterations > 1) {
      // does it contract, and fast enough for the iterations that are left?
      const double ratio = size / fmax(before, DBL_MIN);
      s->contraction = s->iterations == 2 ? ratio : sqrt(ratio * s->contraction);
      s->trust = s->contraction;
      const double left = pow(s->contraction, ITERATIONS - s->iterations);
      // (what rounding leaves does not contract, as in a step of a few units in the last place of
      // t)
      if (!(s->contraction < 0.9)) return size <= rounding_share * newton_accuracy ? 0 : 1;
      if (!(size * left / (1 - s->contraction) < newton_accuracy)) return 1;
    }
    if (s->iterations >= fewest && size * s->trust <= newton_accuracy * fmax(1 - s->trust, 0.01))
      return 0;
    before = size;
  }
  return 1;
}

// ---- error and step size ----------------------------------------------------------------------

// The filtered error of the step by the slope f at its beginning
static double filtered(radau* s, double h, const double* f) {
  double* e = s->c.R;
  td_collocated_sum(&s->c, s->c.table.first, s->c.Z_try, e);
  for (int k = 0; k < s->c.n; k++) e[k] = f[k] - e[k] / h;
  td_collocated_solve(&s->c, 0, e, NULL);
  return fmax(td_collocated_norm(&s->c, e, 1), 1e-10);
}

// Error estimate of a step, relative to the tolerance.  After a start or a rejection fast modes
// that the filter leaves are removed by a second one.  Returns 0, or 1 when the slopes fail.
static int estimate(radau* s, double h, double* error) {
  *error = filtered(s, h, s->f);
  if (*error < 1 || (s->c.stepped && !s->rejected)) return 0;
  for (int k = 0; k < s->c.n; k++) s->c.stage[k] = s->c.y_to[k] + s->c.R[k];
  if (td_ode_rhs(&s->c.base, s->c.t_to, s->c.stage, s->f_try) != 0) return 1;
  *error = filtered(s, h, s->f_try);
  return 0;
}

// Length of the next step, by the error of this one and of the one before it [Gustafsson], shorter
// the more iterations Newton's method took; not much longer where these contract slowly with the
// best of Jacobians.
static double next_step(const radau* s, double h, double error) {
  const double safety = 0.9 * (1 + 2 * ITERATIONS) / (s->iterations + 2 * ITERATIONS);
  double ratio = safety * pow(error, -1.0 / (STAGES + 1));
  if (error < 1 && s->h_before > 0) {
    const double trend = h / s->h_before * pow(s->error_before / error, 1.0 / (STAGES + 1));
    ratio = fmin(ratio, ratio * trend);
  }
  if (s->fresh && s->iterations > 2) ratio = fmin(ratio, fmax(0.2 / s->contraction, 0.5));
  return h * fmin(fmax(ratio, 0.2), 6);
}

static double limited(const radau* s, double h) {
  const double h_max = s->c.base.ode->h_max;
  return h_max > 0 ? fmin(h, STAGES * h_max) : h;  // as many stages as there would be steps
}

// ---- stepping ---------------------------------------------------------------------------------

// Try a step of h to t: 0 taken, 1 not
static int attempt(radau* s, double h, double t) {
  td_collocated* c = &s->c;
  double error;
  s->contraction = 1;
  const int trouble = prepare(s, h);
  if (trouble == 0) guess(s, h);
  if (trouble != 0 || newton(s, h) != 0 || estimate(s, h, &error) != 0) {
    // with another Jacobian, or, when that would hardly help, a shorter step
    c->base.counts.rejected++;
    s->stale = true;
    if (s->fresh || s->contraction > 0.9)
      c->h_next = h * fmin(fmax(0.2 / s->contraction, 0.2), 0.5);
    return 1;
  }

  // the new state and its slope: that of the polynomial, which differs from the right-hand side by
  // what Newton's method left over, unless the state is projected
  const double next = next_step(s, h, error);
  bool failed = error >= 1 || td_collocated_end(c, h, t) != 0;
  if (!failed && c->base.ode->project != NULL) {
    failed = td_ode_rhs(&c->base, t, c->y_try, s->f_try) != 0;
  } else if (!failed) {
    td_collocated_sum(c, c->table.slope + (STAGES - 1) * STAGES, c->Z_try, s->f_try);
    for (int k = 0; k < c->n; k++) s->f_try[k] /= h;
  }
  if (failed) {
    c->base.counts.rejected++;
    s->rejected = true;
    c->h_next = error >= 1 ? next : h / 4;
    return 1;
  }

  // small changes are not worth other factors; a step cut short by a stop tells little
  const bool cut = h < c->h_next && next<c->h_next, same = next> h && next < 1.2 * h;
  c->h_next = limited(s, cut ? c->h_next : same ? h : next);
  s->h_before = h;
  s->error_before = fmax(error, 0.01);

  // take it; one iteration with a new Jacobian was to see how it contracts
  double* f = s->f;
  s->f = s->f_try;
  s->f_try = f;
  td_collocated_accept(c, h, t);
  if (s->fresh) s->iterations_fresh = max_int(s->iterations - 1, 1);
  s->wasted = s->fresh ? 0 : s->wasted + STAGES * (s->iterations - s->iterations_fresh);
  s->stale = s->wasted > TANGENT_COST;
  s->fresh = false;
  return 0;
}

// One step, at most to t_stop; the last two before it are alike
static int advance(td_collocated* c, double t_stop) {
  radau* s = (radau*)c;
  weigh(c);
  s->rejected = false;
  for (int k = 0; k < ATTEMPTS; k++) {
    const double rest = t_stop - c->t_to;
    const bool last = c->h_next > 0.99 * rest;
    const double h = last ? rest : fmin(c->h_next, rest / (c->h_next > 0.5 * rest ? 2 : 1));
    if (c->t_to + h == c->t_to) return 1;
    if (attempt(s, h, last ? t_stop : c->t_to + h) == 0) return 0;
  }
  return 1;
}

static td_status step(td_stepper* base, double t_stop, td_step* out) {
  radau* s = (radau*)base;
  if (base->stale) {
    base->stale = s->fresh = false;
    s->stale = true;
  }
  return td_collocated_step(&s->c, advance, t_stop, out);
}

// ---- beginning and end ------------------------------------------------------------------------

// Start anew at (t, y) without history; the length of the last step is kept, since it is the best
// guess.
static td_status restart(td_stepper* base, double t, const double* y) {
  radau* s = (radau*)base;
  td_collocated* c = &s->c;
  base->failure = TD_OK;
  td_collocated_begin(c, t, y);
  s->fresh = false;
  s->h_before = s->trust = 0;
  if (td_ode_rhs(base, t, c->y_to, s->f) != 0)
    return base->failure != TD_OK ? base->failure : TD_E_DIVERGED;
  weigh(c);
  if (!(c->h_next > 0))
    c->h_next = td_ode_first_step(base, t, c->y_to, s->f, STAGES + 1, generous, c->stage, s->f_try);
  c->h_next = limited(s, c->h_next);
  return TD_OK;
}

static void release(td_stepper* base) {
  td_collocated_free((td_collocated*)base);
  free(base);
}

static const td_stepper_ops radau_ops = {step, td_collocated_at, restart, release, NULL, false,
                                         true};

// Create the Radau solver at (t, y); *stepper is NULL on failure.
static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  *stepper = NULL;
  const int all = ode->n + ode->nquad;
  radau* s = calloc(1, sizeof *s + 2 * (size_t)all * sizeof(double));
  if (s == NULL) return TD_E_NOMEM;
  s->c.base = (td_stepper){.ops = &radau_ops, .ode = ode, .sharp = 1};
  s->stale = true;
  s->f = s->block;
  s->f_try = s->f + all;
  td_status status = td_collocated_new(&s->c, STAGES);
  if (status == TD_OK) status = td_stepper_restart(&s->c.base, t, y);
  if (status != TD_OK) {
    release(&s->c.base);
    return status;
  }
  *stepper = &s->c.base;
  return TD_OK;
}

const td_solver_row td_solver_radau = {.start = start, .method = "Radau", .implicit = true};
