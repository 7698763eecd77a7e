// The implicit solver for fast modes that are hardly damped: Radau IIA collocation of order 9.
//
// A step from (t, y) finds Z with A^-1 Z = h f(t + c h, y + Z) by Newton's method with one J for
// all stages, which T splits into one real and two complex systems of the order of J
// [Hairer and Wanner, Solving ODEs II, IV.8]:
//
//   (E/h - J) dW = T^-1 f - E W/h,   Z = T W
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
#include "solve/statics/shifted.h"
#include "solve/time/collocation.h"
#include "solve/time/crossings.h"
#include "solve/time/ode.h"

enum { STAGES = 5, SYSTEMS = (STAGES + 1) / 2, ITERATIONS = 10, ATTEMPTS = 60 };
// The estimate is that of a formula of order 5.  The polynomial inside a step is about five times
// better, the end of the step better by orders: a step may have this many times the tolerance.
static const double generous = 5;
// How far Newton's method goes, as a part of the error a step may make.
static const double newton_accuracy = 0.03;
// Evaluations that a Jacobian may cost, about: it is taken anew when the old one has wasted as
// many.
enum { TANGENT_COST = 20 };

typedef struct radau {
  td_stepper base;
  td_collocation table;
  int n;
  // the last step
  double t_from, t_to, h;  // h of the collocation
  double *y_from, *y_to;   // (n + nquad)
  double *Z, *power;       // (s n); (s nquad), slopes of the integrals
  bool stepped;            // there is one
  // the next one
  double h_next;
  double* f;  // (n + nquad) slope at t_to
  double *Z_try, *W, *F, *R, *power_try, *y_try, *f_try;
  double *tolerance, *stage, *pair, *y;
  bool rejected;  // the error of this step was too large
  double h_before, error_before;
  // Newton's method
  double* J;
  td_shifted* system[SYSTEMS];
  double h_factored;                 // of the factors, 0: none
  bool stale, fresh;                 // J is wanted anew; J is that of (t_to, y_to)
  double contraction;                // last that was seen, of an iteration
  double trust;                      // the same, forgotten step by step
  int iterations, iterations_fresh;  // of the last step; of that with the last new Jacobian
  int wasted;                        // evaluations more than with a new one, since then
  td_crossings roots;
  double block[];
} radau;

static td_status failed(const radau* s) {
  return s->base.failure != TD_OK ? s->base.failure : TD_E_DIVERGED;
}

static double* row(const radau* s, double* X, int i) { return X + (size_t)i * (size_t)s->n; }

// ---- norms and sums ---------------------------------------------------------------------------

// Root mean square of `count` vectors in units of the tolerance
static double norm(const radau* s, const double* x, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++, x += s->n)
    for (int i = 0; i < s->n; i++) sum += x[i] / s->tolerance[i] * (x[i] / s->tolerance[i]);
  return sqrt(sum / (count * max_int(s->n, 1)));
}

// y = sum w_i X_i
static void weighted(const radau* s, const double* w, double* X, double* y) {
  memset(y, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < STAGES; i++) axpy(w[i], row(s, X, i), y, s->n);
}

// Y = C X for C s x s
static void combine(const radau* s, const double* C, double* X, double* Y) {
  for (int i = 0; i < STAGES; i++) weighted(s, C + i * STAGES, X, row(s, Y, i));
}

static void weigh(radau* s) {
  for (int i = 0; i < s->n; i++) s->tolerance[i] = generous * td_tolerance(&s->base, i, s->y_to[i]);
}

// ---- Newton's method --------------------------------------------------------------------------

// J and the factors for steps of h
static int prepare(radau* s, double h) {
  if (s->stale && !s->fresh) {
    if (td_ode_jacobian(&s->base, s->t_to, s->y_to, s->J) != 0) return 1;
    s->fresh = true;
    s->h_factored = 0;
    s->trust = 0;
  }
  s->stale = false;
  if (h == s->h_factored) return 0;
  s->h_factored = 0;
  s->base.counts.factorisations++;
  for (int i = 0; i < SYSTEMS; i++) {
    const int k = max_int(2 * i - 1, 0);
    const double re = s->table.re[k] / h, im = -s->table.im[k] / h;
    if (td_shifted_factor(s->system[i], s->J, re, im) != TD_OK) return 1;
  }
  s->h_factored = h;
  return 0;
}

// Rows a and b (NULL: zero) of a right-hand side as real and imaginary part, in place
static void solve(radau* s, int system, double* a, double* b) {
  for (int k = 0; k < s->n; k++) {
    s->pair[2 * k] = a[k];
    s->pair[2 * k + 1] = b != NULL ? b[k] : 0;
  }
  td_shifted_solve(s->system[system], s->pair);
  for (int k = 0; k < s->n; k++) {
    a[k] = s->pair[2 * k];
    if (b != NULL) b[k] = s->pair[2 * k + 1];
  }
}

// F becomes dZ; W and Z go on by it
static void correct(radau* s, double h) {
  const td_collocation* k = &s->table;
  combine(s, k->back, s->F, s->R);
  axpy(-k->re[0] / h, s->W, s->R, s->n);
  solve(s, 0, s->R, NULL);
  for (int i = 1; i < STAGES; i += 2) {
    double *a = row(s, s->R, i), *b = row(s, s->R, i + 1);
    axpy(-k->re[i] / h, row(s, s->W, i), a, s->n);
    axpy(-k->im[i] / h, row(s, s->W, i + 1), a, s->n);
    axpy(-k->re[i] / h, row(s, s->W, i + 1), b, s->n);
    axpy(k->im[i] / h, row(s, s->W, i), b, s->n);
    solve(s, (i + 1) / 2, a, b);
  }
  axpy(1, s->R, s->W, STAGES * s->n);
  combine(s, k->T, s->R, s->F);
  axpy(1, s->F, s->Z_try, STAGES * s->n);
}

// r(t) = f - f(t_to) - J (y - y_to) at stage i of the last step
static void remainder_at(radau* s, int i, double* r) {
  weighted(s, s->table.slope + i * STAGES, s->Z, r);
  for (int k = 0; k < s->n; k++) {
    r[k] = r[k] / s->h - s->f[k];
    s->stage[k] = s->y_from[k] + row(s, s->Z, i)[k] - s->y_to[k];
  }
  for (int k = 0; k < s->n; k++) r[k] -= dot(row(s, s->J, k), s->stage, s->n);
}

// Weight of the value at stage `k` of the last step in the polynomial that passes through those at
// `count` stages and 0 at the end of the step, `ahead` of it in steps
static double carried_on(const double* c, const int* stage, int count, int k, double ahead) {
  double w = ahead / (c[stage[k]] - 1);
  for (int j = 0; j < count; j++)
    if (j != k) w *= (ahead + 1 - c[stage[j]]) / (c[stage[k]] - c[stage[j]]);
  return w;
}

// Z of the linear equations y' = f(t_to) + J (y - y_to) + r(t), where r goes on as the cubic
// through three of its values in the last step and 0 at its end: fast modes are carried on by J,
// everything else by r.
static void guess(radau* s, double h) {
  enum { COUNT = 3 };
  static const int stage[COUNT] = {1, 2, 3};
  for (int i = 0; i < STAGES; i++) memcpy(row(s, s->F, i), s->f, (size_t)s->n * sizeof(double));
  for (int k = 0; s->stepped && k < COUNT; k++) {
    remainder_at(s, stage[k], s->R);
    for (int i = 0; i < STAGES; i++) {
      const double w = carried_on(s->table.c, stage, COUNT, k, s->table.c[i] * h / s->h);
      axpy(w, s->R, row(s, s->F, i), s->n);
    }
  }
  memset(s->W, 0, (size_t)s->n * STAGES * sizeof(double));
  memset(s->Z_try, 0, (size_t)s->n * STAGES * sizeof(double));
  correct(s, h);
}

// Slopes of states and integrals at the stages
static int slopes(radau* s, double h) {
  const int m = s->base.ode->nquad;
  for (int i = 0; i < STAGES; i++) {
    const double* z = row(s, s->Z_try, i);
    for (int k = 0; k < s->n; k++) s->stage[k] = s->y_to[k] + z[k];
    memcpy(s->stage + s->n, s->y_to + s->n, (size_t)m * sizeof(double));
    if (td_ode_rhs(&s->base, s->t_to + s->table.c[i] * h, s->stage, s->f_try) != 0) return 1;
    memcpy(row(s, s->F, i), s->f_try, (size_t)s->n * sizeof(double));
    memcpy(s->power_try + i * m, s->f_try + s->n, (size_t)m * sizeof(double));
  }
  return 0;
}

// Behind an iteration other than the first: the contraction; false: it will not do
static bool contracts(radau* s, double size, double before) {
  const double ratio = size / fmax(before, DBL_MIN);
  s->contraction = s->iterations == 2 ? ratio : sqrt(ratio * s->contraction);
  s->trust = s->contraction;
  if (!(s->contraction < 0.9)) return false;
  const int left = ITERATIONS - s->iterations;
  return size * pow(s->contraction, left) / (1 - s->contraction) < newton_accuracy;
}

// Z_try for a step of h; 0 when found.  After one iteration the contraction of earlier steps tells
// what is left, as long as it can be trusted: not where elements begin or cease to act, since what
// contracted while they acted says nothing of the step behind.
static int newton(radau* s, double h) {
  const int fewest = s->base.guard != NULL ? 2 : 1;
  double before = 0;
  s->trust = s->trust > 0 ? pow(fmax(s->trust, 1e-8), 0.8) : 1;
  for (s->iterations = 1; s->iterations <= ITERATIONS; s->iterations++) {
    if (slopes(s, h) != 0) return 1;
    correct(s, h);
    const double size = norm(s, s->F, STAGES);
    if (!isfinite(size) || (s->iterations > 1 && !contracts(s, size, before))) return 1;
    if (s->iterations >= fewest && size * s->trust <= newton_accuracy * fmax(1 - s->trust, 0.01))
      return 0;
    before = size;
  }
  return 1;
}

// ---- error and step size ----------------------------------------------------------------------

// The filtered error of the step by the slope f at its beginning
static double filtered(radau* s, double h, const double* f) {
  double* e = s->R;
  weighted(s, s->table.first, s->Z_try, e);
  for (int k = 0; k < s->n; k++) e[k] = f[k] - e[k] / h;
  solve(s, 0, e, NULL);
  return fmax(norm(s, e, 1), 1e-10);
}

// After a start or a rejection what the filter leaves of fast modes is taken out by a second one.
static int estimate(radau* s, double h, double* error) {
  *error = filtered(s, h, s->f);
  if (*error < 1 || (s->stepped && !s->rejected)) return 0;
  for (int k = 0; k < s->n; k++) s->stage[k] = s->y_to[k] + s->R[k];
  if (td_ode_rhs(&s->base, s->t_to, s->stage, s->f_try) != 0) return 1;
  *error = filtered(s, h, s->f_try);
  return 0;
}

// By the error of this step and of the one before it [Gustafsson], shorter the more iterations
// Newton's method took; not much longer where these contract slowly with the best of Jacobians.
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

// Small changes are not worth other factors; a step cut short by a stop says little.
static double settled(const radau* s, double h, double next) {
  if (h < s->h_next && next < s->h_next) return s->h_next;
  return next > h && next < 1.2 * h ? h : next;
}

static double limited(const radau* s, double h) {
  const double h_max = s->base.ode->h_max;
  return h_max > 0 ? fmin(h, STAGES * h_max) : h;  // as many stages as there would be steps
}

// ---- stepping ---------------------------------------------------------------------------------

// The new state and its slope into y_try, f_try.  The slope is that of the polynomial, which
// differs from the right-hand side by what Newton's method left over, unless the state is moved.
static int finish(radau* s, double h, double t) {
  const int m = s->base.ode->nquad;
  double w[TD_STAGES_MOST];
  td_collocation_integrals(&s->table, 1, w);
  const double* last = row(s, s->Z_try, STAGES - 1);
  for (int k = 0; k < s->n; k++) s->y_try[k] = s->y_to[k] + last[k];
  for (int k = 0; k < m; k++) {
    s->y_try[s->n + k] = s->y_to[s->n + k];
    for (int i = 0; i < STAGES; i++) s->y_try[s->n + k] += h * w[i] * s->power_try[i * m + k];
  }
  if (s->base.ode->project != NULL)
    return td_ode_project(&s->base, t, s->y_try) || td_ode_rhs(&s->base, t, s->y_try, s->f_try);
  weighted(s, s->table.slope + (STAGES - 1) * STAGES, s->Z_try, s->f_try);
  for (int k = 0; k < s->n; k++) s->f_try[k] /= h;
  return 0;
}

static void swap(double** a, double** b) {
  double* keep = *a;
  *a = *b;
  *b = keep;
}

static void accept(radau* s, double h, double t) {
  double* oldest = s->y_from;
  s->y_from = s->y_to;
  s->y_to = s->y_try;
  s->y_try = oldest;
  swap(&s->f, &s->f_try);
  swap(&s->Z, &s->Z_try);
  swap(&s->power, &s->power_try);
  s->t_from = s->t_to;
  s->t_to = t;
  s->h = h;
  s->stepped = true;
  if (s->fresh)
    s->iterations_fresh = max_int(s->iterations - 1, 1);  // one was to see how it contracts
  s->wasted = s->fresh ? 0 : s->wasted + STAGES * (s->iterations - s->iterations_fresh);
  s->stale = s->wasted > TANGENT_COST;
  s->fresh = false;
  s->base.counts.steps++;
}

// Newton's method failed: with another Jacobian, or, when that would hardly help, a shorter step
static void retreat(radau* s, double h) {
  s->base.counts.rejected++;
  s->stale = true;
  if (s->fresh || s->contraction > 0.9) s->h_next = h * fmin(fmax(0.2 / s->contraction, 0.2), 0.5);
}

// Try a step of h to t: 0 taken, 1 not
static int attempt(radau* s, double h, double t) {
  double error;
  s->contraction = 1;
  const int trouble = prepare(s, h);
  if (trouble == 0) guess(s, h);
  if (trouble != 0 || newton(s, h) != 0 || estimate(s, h, &error) != 0) {
    retreat(s, h);
    return 1;
  }
  const double next = next_step(s, h, error);
  if (error >= 1 || finish(s, h, t) != 0) {
    s->base.counts.rejected++;
    s->rejected = true;
    s->h_next = error >= 1 ? next : h / 4;
    return 1;
  }
  s->h_next = limited(s, settled(s, h, next));
  s->h_before = h;
  s->error_before = fmax(error, 0.01);
  accept(s, h, t);
  return 0;
}

// One step, at most to t_stop; the last two before it are alike
static int advance(radau* s, double t_stop) {
  weigh(s);
  s->rejected = false;
  for (int k = 0; k < ATTEMPTS; k++) {
    const double rest = t_stop - s->t_to;
    const bool last = s->h_next > 0.99 * rest;
    const double h = last ? rest : fmin(s->h_next, rest / (s->h_next > 0.5 * rest ? 2 : 1));
    if (s->t_to + h == s->t_to) return 1;
    if (attempt(s, h, last ? t_stop : s->t_to + h) == 0) return 0;
  }
  return 1;
}

static td_status at(td_stepper* base, double t, double* y) {
  radau* s = (radau*)base;
  const int m = base->ode->nquad;
  const double x = (t - s->t_from) / s->h;
  double w[TD_STAGES_MOST];
  td_collocation_values(&s->table, x, w);
  weighted(s, w, s->Z, y);
  axpy(1, s->y_from, y, s->n);
  td_collocation_integrals(&s->table, x, w);
  for (int k = 0; k < m; k++) {
    y[s->n + k] = s->y_from[s->n + k];
    for (int i = 0; i < STAGES; i++) y[s->n + k] += s->h * w[i] * s->power[i * m + k];
  }
  return TD_OK;
}

static void roots_at(void* ctx, double t, double* g) {
  radau* s = ctx;
  if (t < s->t_to) at(&s->base, t, s->y);
  td_ode_roots(&s->base, t, t < s->t_to ? s->y : s->y_to, g);
}

// The first root behind those already given, looked for from stage to stage
static bool find_root(radau* s) {
  const double tiny = 8 * DBL_EPSILON * fmax(fabs(s->t_from), fabs(s->t_to));
  for (int i = 0; i < STAGES - 1; i++)
    if (td_crossings_find(&s->roots, s->t_from + s->table.c[i] * s->h, tiny)) return true;
  if (td_crossings_find(&s->roots, s->t_to, tiny)) return true;
  s->roots.t = s->t_to;
  return false;
}

static td_status restart(td_stepper* base, double t, const double* y);

static td_status step(td_stepper* base, double t_stop, td_step* out) {
  radau* s = (radau*)base;
  s->base.failure = TD_OK;
  if (base->stale) {
    base->stale = s->fresh = false;
    s->stale = true;
  }
  if (s->roots.t >= s->t_to && advance(s, t_stop) != 0) return failed(s);
  bool root = find_root(s);
  // the stages must not look beyond a switch: once more, to the root
  if (root && base->guard != NULL && s->roots.t < s->t_to) {
    const double t = s->roots.t;
    memcpy(s->y, s->y_from, (size_t)(s->n + base->ode->nquad) * sizeof(double));
    const double h = s->h_next, from = s->t_from;
    TD_TRY(restart(base, from, s->y));
    s->h_next = t - from;
    if (advance(s, t) != 0) return failed(s);
    s->h_next = h;
    s->roots.t = s->t_to;
    root = s->t_to == t;
  }
  *out = (td_step){s->t_from, s->roots.t, root, s->y_to, s->roots.crossed};
  if (!root) return TD_OK;
  out->y = s->y;
  if (out->t >= s->t_to)
    memcpy(s->y, s->y_to, (size_t)(s->n + base->ode->nquad) * sizeof(double));
  else
    TD_TRY(at(base, out->t, s->y));
  return base->ode->project == NULL || td_ode_project(base, out->t, s->y) == 0 ? TD_OK : failed(s);
}

// ---- beginning and end ------------------------------------------------------------------------

// A first step for the order of the error [Hairer, Norsett, Wanner, Solving ODEs I, II.4]
static double first_step(radau* s) {
  const double d0 = norm(s, s->y_to, 1), d1 = norm(s, s->f, 1);
  const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  memcpy(s->stage, s->y_to, (size_t)(s->n + s->base.ode->nquad) * sizeof(double));
  axpy(h0, s->f, s->stage, s->n);
  if (td_ode_rhs(&s->base, s->t_to + h0, s->stage, s->f_try) != 0) return h0;
  axpy(-1, s->f, s->f_try, s->n);
  const double fastest = fmax(d1, norm(s, s->f_try, 1) / h0);
  const double h1 =
      fastest < 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / fastest, 1.0 / (STAGES + 1));
  return fmin(100 * h0, h1);
}

// The old step is the best guess for the new one.
static td_status restart(td_stepper* base, double t, const double* y) {
  radau* s = (radau*)base;
  s->base.failure = TD_OK;
  memmove(s->y_to, y, (size_t)(s->n + base->ode->nquad) * sizeof(double));
  s->t_from = s->t_to = t;
  s->stepped = s->fresh = false;
  s->h_before = s->trust = 0;
  if (td_ode_rhs(base, t, s->y_to, s->f) != 0) return failed(s);
  td_crossings_begin(&s->roots, t);
  weigh(s);
  s->h_next = limited(s, s->h_next > 0 ? s->h_next : first_step(s));
  return TD_OK;
}

static void release(td_stepper* base) {
  radau* s = (radau*)base;
  for (int i = 0; i < SYSTEMS; i++) td_shifted_free(s->system[i]);
  td_crossings_free(&s->roots);
  free(s->J);
  free(s);
}

static const td_stepper_ops radau_ops = {step, at, restart, release, NULL, false, true};

static void lay_out(radau* s) {
  const int n = s->n, m = s->base.ode->nquad;
  double* p = s->block;
  double** const whole[] = {&s->y_from, &s->y_to, &s->y_try, &s->f, &s->f_try, &s->y, &s->stage};
  double** const stages[] = {&s->Z, &s->Z_try, &s->W, &s->F, &s->R};
  for (int i = 0; i < 7; i++) *whole[i] = take(&p, n + m);
  for (int i = 0; i < 5; i++) *stages[i] = take(&p, STAGES * n);
  s->tolerance = take(&p, n);
  s->pair = take(&p, 2 * n);
  s->power = take(&p, STAGES * m);
  s->power_try = take(&p, STAGES * m);
}

static td_status allocate(radau* s) {
  const td_ode* ode = s->base.ode;
  s->J = malloc(((size_t)s->n * (size_t)s->n + 1) * sizeof(double));
  if (s->J == NULL) return TD_E_NOMEM;
  for (int i = 0; i < SYSTEMS; i++) {
    s->system[i] = td_shifted_new(s->n, ode->npos);
    if (s->system[i] == NULL) return TD_E_NOMEM;
  }
  return td_crossings_new(&s->roots, ode->nroot, roots_at, s);
}

static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  *stepper = NULL;
  const size_t n = (size_t)ode->n, m = (size_t)ode->nquad;
  const size_t doubles = 7 * (n + m) + STAGES * (5 * n + 2 * m) + 3 * n;
  radau* s = calloc(1, sizeof *s + doubles * sizeof(double));
  if (s == NULL) return TD_E_NOMEM;
  s->base = (td_stepper){.ops = &radau_ops, .ode = ode, .sharp = 1};
  s->n = ode->n;
  s->stale = true;
  lay_out(s);
  td_status status = allocate(s);
  if (status == TD_OK) status = td_collocation_find(STAGES, &s->table);
  if (status == TD_OK) status = td_stepper_restart(&s->base, t, y);
  if (status != TD_OK) {
    release(&s->base);
    return status;
  }
  *stepper = &s->base;
  return TD_OK;
}

const td_solver_row td_solver_radau = {.start = start, .method = "Radau", .implicit = true};
