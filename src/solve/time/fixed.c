// The solver that takes equal steps: Radau IIA collocation of order 5 (three stages), with the
// Jacobian and its factors anew in each step.
//
// Its cost is known beforehand and the same everywhere: one tangent, one real and one complex
// factorisation and some three Newton iterations a step.  It is L-stable: modes that are faster
// than the steps die out instead of growing.  It has no error test; `sim --halve` compares with
// steps of half the length.  From a start or a stop to the next stop steps are equal: the longest
// that go into the interval a whole number of times and are not longer than those asked for.
//
// With Z_i = Y_i - y at the stages, A^-1 Z = h f(t + c h, y + Z) is solved by Newton's method with
// one J, which T splits into systems of the order of J [Hairer and Wanner, Solving ODEs II, IV.8]:
//
//   (E/h - J) dW = T^-1 f - E W/h,   Z = T W
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/kernel.h"
#include "solve/statics/shifted.h"
#include "solve/time/collocation.h"
#include "solve/time/crossings.h"
#include "solve/time/ode.h"

enum { STAGES = 3, ITERATIONS = 12 };
// How far Newton's method goes, as a part of the tolerance.  Nothing else is held to the tolerance
// here, and an iteration costs three evaluations: well below what anybody asks for.
static const double newton_accuracy = 1e-3;

typedef struct fixed {
  td_stepper base;
  td_collocation table;
  int n;
  double t_from, t_to, h;      // the last step
  double *y_from, *y_to;       // (n + nquad)
  double *Z, *power;           // (3 n) of the last step; (3 nquad) slopes of the integrals
  bool stepped;                // there is one
  double *W, *F, *R;           // (3 n)
  double *stage, *slope, *y;   // (n + nquad)
  double *tolerance, *pair;    // (n), (2 n)
  double* J;                   // (n n)
  td_shifted *real, *complex;  // factors of E/h - J
  td_crossings roots;
  double block[];
} fixed;

static td_status failed(const fixed* s) {
  return s->base.failure != TD_OK ? s->base.failure : TD_E_DIVERGED;
}

static double* row(const fixed* s, double* X, int i) { return X + (size_t)i * (size_t)s->n; }

// y = sum w_i X_i
static void weighted(const fixed* s, const double* w, double* X, double* y) {
  memset(y, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < STAGES; i++) axpy(w[i], row(s, X, i), y, s->n);
}

// b and c (NULL: zero) as real and imaginary part of a right-hand side, in place
static void solve(fixed* s, td_shifted* system, double* b, double* c) {
  for (int k = 0; k < s->n; k++) {
    s->pair[2 * k] = b[k];
    s->pair[2 * k + 1] = c != NULL ? c[k] : 0;
  }
  td_shifted_solve(system, s->pair);
  for (int k = 0; k < s->n; k++) {
    b[k] = s->pair[2 * k];
    if (c != NULL) c[k] = s->pair[2 * k + 1];
  }
}

// Z of a step of h from (t_to, y_to): 0 when found.
static int newton(fixed* s, double h) {
  const td_collocation* k = &s->table;
  const int n = s->n, m = s->base.ode->nquad;

  // the Jacobian at the beginning of the step and the factors of E/h - J
  if (td_ode_jacobian(&s->base, s->t_to, s->y_to, s->J) != 0) return 1;
  s->base.counts.factorisations++;
  if (td_shifted_factor(s->real, s->J, k->re[0] / h, 0) != TD_OK) return 1;
  if (td_shifted_factor(s->complex, s->J, k->re[1] / h, -k->im[1] / h) != TD_OK) return 1;

  // begin with the polynomial of the last step carried on, or with no motion
  for (int i = 0; i < STAGES; i++) {
    double w[TD_STAGES_MOST];
    double* F = row(s, s->F, i);
    memset(F, 0, (size_t)n * sizeof(double));
    if (!s->stepped) continue;
    td_collocation_values(k, 1 + k->c[i] * h / s->h, w);
    weighted(s, w, s->Z, F);
    axpy(-1, row(s, s->Z, STAGES - 1), F, n);
  }
  memcpy(s->Z, s->F, (size_t)n * STAGES * sizeof(double));
  for (int i = 0; i < STAGES; i++) weighted(s, k->back + i * STAGES, s->Z, row(s, s->W, i));

  // what the states may be off; rounding keeps Newton's method from going further
  for (int i = 0; i < n; i++)
    s->tolerance[i] = fmax(newton_accuracy * td_tolerance(&s->base, i, s->y_to[i]),
                           16 * DBL_EPSILON * fabs(s->y_to[i]));

  double before = INFINITY;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    // slopes at the stages
    for (int i = 0; i < STAGES; i++) {
      const double* z = row(s, s->Z, i);
      for (int j = 0; j < n; j++) s->stage[j] = s->y_to[j] + z[j];
      memcpy(s->stage + n, s->y_to + n, (size_t)m * sizeof(double));
      if (td_ode_rhs(&s->base, s->t_to + k->c[i] * h, s->stage, s->slope) != 0) return 1;
      memcpy(row(s, s->F, i), s->slope, (size_t)n * sizeof(double));
      memcpy(s->power + i * m, s->slope + n, (size_t)m * sizeof(double));
    }

    // dW from the residual, first the real system, then the complex one
    for (int i = 0; i < STAGES; i++) weighted(s, k->back + i * STAGES, s->F, row(s, s->R, i));
    double *R0 = s->R, *R1 = row(s, s->R, 1), *R2 = row(s, s->R, 2);
    const double *W1 = row(s, s->W, 1), *W2 = row(s, s->W, 2);
    axpy(-k->re[0] / h, s->W, R0, n);
    axpy(-k->re[1] / h, W1, R1, n);
    axpy(-k->im[1] / h, W2, R1, n);
    axpy(-k->re[1] / h, W2, R2, n);
    axpy(k->im[1] / h, W1, R2, n);
    solve(s, s->real, R0, NULL);
    solve(s, s->complex, R1, R2);
    axpy(1, s->R, s->W, STAGES * n);

    // Z goes on by T dW; how far, in units of what is allowed
    double sum = 0;
    for (int i = 0; i < STAGES; i++) {
      weighted(s, k->T + i * STAGES, s->R, s->slope);
      axpy(1, s->slope, row(s, s->Z, i), n);
      for (int j = 0; j < n; j++)
        sum += s->slope[j] / s->tolerance[j] * (s->slope[j] / s->tolerance[j]);
    }
    const double size = sqrt(sum / (STAGES * max_int(n, 1)));
    if (size <= 1) return 0;
    if (!isfinite(size) || (iteration > 2 && size > 0.9 * before)) return 1;
    before = size;
  }
  return 1;
}

// One step of equal parts of the way to t_stop.
static int advance(fixed* s, double t_stop) {
  const int n = s->n, m = s->base.ode->nquad;
  const double rest = t_stop - s->t_to;
  const double parts = fmax(ceil(rest / s->base.ode->h_fixed * (1 - 1e-9)), 1);
  const double h = rest / parts, t = parts > 1 ? s->t_to + h : t_stop;
  if (!(t > s->t_to) || newton(s, h) != 0) return 1;

  // the new state; integrals by the quadrature of the collocation
  double* y = s->y_from;
  double w[TD_STAGES_MOST];
  td_collocation_integrals(&s->table, 1, w);
  for (int j = 0; j < n; j++) y[j] = s->y_to[j] + row(s, s->Z, STAGES - 1)[j];
  for (int k = 0; k < m; k++) {
    y[n + k] = s->y_to[n + k];
    for (int i = 0; i < STAGES; i++) y[n + k] += h * w[i] * s->power[i * m + k];
  }
  if (s->base.ode->project != NULL && td_ode_project(&s->base, t, y) != 0) return 1;
  s->y_from = s->y_to;
  s->y_to = y;
  s->t_from = s->t_to;
  s->t_to = t;
  s->h = h;
  s->stepped = true;
  s->base.counts.steps++;
  return 0;
}

// The collocation's polynomial is the solution inside the step, of order 3.
static td_status at(td_stepper* base, double t, double* y) {
  fixed* s = (fixed*)base;
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
  fixed* s = ctx;
  if (t < s->t_to) at(&s->base, t, s->y);
  td_ode_roots(&s->base, t, t < s->t_to ? s->y : s->y_to, g);
}

static td_status restart(td_stepper* base, double t, const double* y);

static td_status step(td_stepper* base, double t_stop, td_step* out) {
  fixed* s = (fixed*)base;
  s->base.failure = TD_OK;
  base->stale = false;  // the Jacobian is always new
  if (s->roots.t >= s->t_to && advance(s, t_stop) != 0) return failed(s);

  // the first root behind those already given, looked for from stage to stage
  const double tiny = 8 * DBL_EPSILON * fmax(fabs(s->t_from), fabs(s->t_to));
  bool root = false;
  for (int i = 0; i < STAGES && !root; i++) {
    const double t = i < STAGES - 1 ? s->t_from + s->table.c[i] * s->h : s->t_to;
    root = td_crossings_find(&s->roots, t, tiny);
  }
  if (!root) s->roots.t = s->t_to;

  // the stages must not see what acts behind a switch: once more, to the root
  if (root && base->guard != NULL && s->roots.t < s->t_to) {
    const double t = s->roots.t;
    memcpy(s->y, s->y_from, (size_t)(s->n + base->ode->nquad) * sizeof(double));
    TD_TRY(restart(base, s->t_from, s->y));
    if (advance(s, t) != 0) return failed(s);
    s->roots.t = s->t_to;
    root = s->t_to == t;
  }
  *out = (td_step){s->t_from, s->roots.t, root, s->y_to, s->roots.crossed};
  if (!root || out->t >= s->t_to) return TD_OK;
  out->y = s->y;
  TD_TRY(at(base, out->t, s->y));
  return base->ode->project == NULL || td_ode_project(base, out->t, s->y) == 0 ? TD_OK : failed(s);
}

static td_status restart(td_stepper* base, double t, const double* y) {
  fixed* s = (fixed*)base;
  memmove(s->y_to, y, (size_t)(s->n + base->ode->nquad) * sizeof(double));
  s->t_from = s->t_to = t;
  s->stepped = false;
  td_crossings_begin(&s->roots, t);
  return TD_OK;
}

static void release(td_stepper* base) {
  fixed* s = (fixed*)base;
  td_shifted_free(s->real);
  td_shifted_free(s->complex);
  td_crossings_free(&s->roots);
  free(s->J);
  free(s);
}

static const td_stepper_ops fixed_ops = {step, at, restart, release, NULL, false, true};

static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  *stepper = NULL;
  const int n = ode->n, m = ode->nquad;
  const size_t doubles = 5 * (size_t)(n + m) + STAGES * (size_t)(4 * n + m) + 3 * (size_t)n;
  fixed* s = calloc(1, sizeof *s + doubles * sizeof(double));
  if (s == NULL) return TD_E_NOMEM;
  s->base = (td_stepper){.ops = &fixed_ops, .ode = ode, .sharp = 1};
  s->n = n;
  double* p = s->block;
  double** const whole[] = {&s->y_from, &s->y_to, &s->stage, &s->slope, &s->y};
  double** const stages[] = {&s->Z, &s->W, &s->F, &s->R};
  for (int i = 0; i < 5; i++) *whole[i] = take(&p, n + m);
  for (int i = 0; i < 4; i++) *stages[i] = take(&p, STAGES * n);
  s->power = take(&p, STAGES * m);
  s->tolerance = take(&p, n);
  s->pair = take(&p, 2 * n);

  s->J = malloc(((size_t)n * (size_t)n + 1) * sizeof(double));
  s->real = td_shifted_new(n, ode->npos);
  s->complex = td_shifted_new(n, ode->npos);
  td_status status = s->J && s->real && s->complex ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) status = td_crossings_new(&s->roots, ode->nroot, roots_at, s);
  if (status == TD_OK) status = td_collocation_find(STAGES, &s->table);
  if (status == TD_OK) status = td_stepper_restart(&s->base, t, y);
  if (status != TD_OK) {
    release(&s->base);
    return status;
  }
  *stepper = &s->base;
  return TD_OK;
}

const td_solver_row td_solver_fixed = {
    .start = start,
    .method = "fixed-step",
    .implicit = true,
    .dense = true,
    .advice = "take shorter steps (par.step, --step), or a solver that chooses them (par.solver)"};
