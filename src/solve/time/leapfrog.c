// Leapfrog for networks: one evaluation per step, order 2, stable while a step is shorter than a
// third of the fastest period (ω h < 2).  That is six times as far per evaluation as the
// Runge-Kutta pair of order 8 gets at its own limit, and a net of many nodes is kept at the limit
// by waves from node to node at every tolerance but the finest.  With y = [q, w], q' = N(q) w and
// w' = g(t, q, w):
//
//   w½ = w + h/2 g,   q⁺ = q + h N(q + h/2 N(q) w½) w½,
//   g⁺ = g(t + h, q⁺, ŵ),   ŵ = w + h g - h/4 (g - g⁻),   w⁺ = w½ + h/2 g⁺
//
// The forces see a velocity ŵ that is off by 3 h² g'/4, which costs the order nothing.  Of all such
// extrapolations from the rates g⁻ and g before, a quarter reaches farthest where modes are damped,
// w' = -ω² q - c w:  a perturbation that changes its sign each step grows beyond
//
//   (ω h)²/4 + c h/2 = 1     (c h = 1 were ŵ = w + h g)
//
// Where there are constraints both q⁺ and ŵ are put onto them before the forces are evaluated, and
// w⁺ afterwards: RATTLE up to h³.  Local errors are those of the two quadratures,
//
//   q:  h³/6 g' = h²/6 (g⁺ - g)          w:  h³/12 g'',  by divided differences of g
//
// and of the midpoint rule where N changes: a free spin has no rates g at all.  Its distance to
// h/2 (N(q) + N(q⁺)) w½ is h³/4 Ω³ q for q' = Ω q, and its error h³/6 Ω³ q.  Integrals are
// trapezia.  Between steps the solution is the cubic through values and slopes.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/time/ode.h"

// Steps are kept equal while they serve: fast modes close to the stability limit grow whenever the
// step changes.  A longer one is tried when it promises to be worth it, after a wait that doubles
// with each try that fails and shrinks with each that does not.  The error of stable steps says
// nothing about the limit, those that failed do: steps stay below a part of them, which is raised a
// little after each wait.
static const double shortest = 0.2, longest = 2, safety = 0.9, worth = 1.2;
static const double below = 0.9, raise = 1.25;
enum { RETRIES = 30, BISECTIONS = 100, LONGEST_WAIT = 128 };

typedef struct moment {
  double t;
  double *y, *g;  // (n + nquad): states and integrals; rates of w behind npos, and the powers
} moment;

typedef struct leapfrog {
  td_stepper base;
  int n;             // states and integrals
  moment from, to;   // the last step
  double h, h_past;  // next step, length of the last one
  double ceiling;    // of the steps, after one that failed
  int calm, wait;    // steps since it was changed; before a longer one is tried
  double* g_past;    // rates before `from`
  double *y, *rate, *middle;
  double *root_from, *root_to, *root_at;  // (nroot)
  int* crossed;
  bool fresh;   // nothing is behind `from`
  bool rooted;  // the last step ended at a root
  int turns;    // steps on end at which rates turned around
  double t_turns;
  double block[];
} leapfrog;

// ---- one step ---------------------------------------------------------------------------------

// q' at positions q with velocities w
static const double* drift(leapfrog* s, const double* q, const double* w) {
  const td_ode* ode = s->base.ode;
  if (ode->drift == NULL) return w;
  ode->drift(ode->ctx, q, w, s->rate);
  return s->rate;
}

// Positions after h: by the midpoint rule where N changes.  w½ is in the velocities of y.
static void move(leapfrog* s, double h) {
  const td_ode* ode = s->base.ode;
  const double *q = s->from.y, *w = s->to.y + ode->npos, *rate = drift(s, q, w);
  if (ode->drift != NULL) {
    for (int i = 0; i < ode->npos; i++) s->middle[i] = q[i] + h / 2 * rate[i];
    rate = drift(s, s->middle, w);
  }
  for (int i = 0; i < ode->npos; i++) s->to.y[i] = q[i] + h * rate[i];
}

// ŵ and the integrals at the beginning.
static void extrapolate(leapfrog* s, double h) {
  const td_ode* ode = s->base.ode;
  const double *w = s->from.y, *g = s->from.g, *past = s->g_past;
  const double back = s->fresh ? 0 : h * h / s->h_past / 4;
  for (int i = ode->npos; i < ode->n; i++) s->to.y[i] = w[i] + h * g[i] - back * (g[i] - past[i]);
  memcpy(s->to.y + ode->n, w + ode->n, (size_t)ode->nquad * sizeof(double));
}

// From `from` to `to`; 0, or 1: failed.
static int leap(leapfrog* s, double h) {
  const td_ode* ode = s->base.ode;
  const double *w = s->from.y, *g = s->from.g;
  double *to = s->to.y, *g_to = s->to.g;
  s->to.t = s->from.t + h;
  for (int i = ode->npos; i < ode->n; i++) to[i] = w[i] + h / 2 * g[i];
  move(s, h);
  extrapolate(s, h);
  if (ode->constrained && td_ode_project(&s->base, s->to.t, to) != 0) return 1;
  if (td_ode_rhs(&s->base, s->to.t, to, g_to) != 0) return 1;
  for (int i = ode->npos; i < s->n; i++) to[i] = w[i] + h / 2 * (g[i] + g_to[i]);
  return ode->project == NULL ? 0 : td_ode_project(&s->base, s->to.t, to);
}

// Root mean square of the local errors, in units of the tolerance.
static double local_error(leapfrog* s, double h) {
  const td_ode* ode = s->base.ode;
  const double bend = s->fresh ? 0 : h * h / 6 / (h + s->h_past),
               past = s->fresh ? 0 : h / s->h_past;
  double *change = s->y, sum = 0;
  // integrals are rates like those of w, and take part where nothing else shows their size
  const int last = ode->measured ? ode->n + ode->nquad : ode->n;
  for (int i = ode->npos; i < last; i++) {
    change[i] = s->to.g[i] - s->from.g[i];
    const double second = change[i] - past * (s->from.g[i] - s->g_past[i]);
    const double e = bend * second / td_tolerance(&s->base, i, s->from.y[i]);
    sum += e * e;
  }
  const double* bent = drift(s, s->from.y, change + ode->npos);
  for (int i = 0; i < ode->npos; i++) {
    const double e = h * h / 6 * bent[i] / td_tolerance(&s->base, i, s->from.y[i]);
    sum += e * e;
  }
  if (ode->drift == NULL) return sqrt(sum / max_int(last, 1));

  // the midpoint rule where N changes along the step: 2/3 of its distance to the trapezium
  double* half = s->y;
  for (int i = ode->npos; i < ode->n; i++) half[i] = s->from.y[i] + h / 2 * s->from.g[i];
  for (int i = 0; i < ode->npos; i++) s->middle[i] = s->from.y[i] - s->to.y[i];
  for (int end = 0; end < 2; end++) {
    const double* rate = drift(s, end == 0 ? s->from.y : s->to.y, half + ode->npos);
    for (int i = 0; i < ode->npos; i++) s->middle[i] += h / 2 * rate[i];
  }
  for (int i = 0; i < ode->npos; i++) {
    const double e = 2.0 / 3 * s->middle[i] / td_tolerance(&s->base, i, s->from.y[i]);
    sum += e * e;
  }
  return sqrt(sum / max_int(last, 1));
}

// ---- stepping ---------------------------------------------------------------------------------

static td_status failed(const leapfrog* s) {
  return s->base.failure != TD_OK ? s->base.failure : TD_E_DIVERGED;
}

// The end of the last step becomes the beginning of the next.
static void turn_over(leapfrog* s) {
  double* oldest = s->g_past;
  const moment to = s->to;
  if (s->from.t == to.t) return;
  s->h_past = to.t - s->from.t;
  s->g_past = s->from.g;
  s->to = (moment){to.t, s->from.y, oldest};
  s->from = to;
  s->fresh = false;
}

// Length of the next step: two equal ones where one would leave a small rest.
static double next_length(const leapfrog* s, double t_stop) {
  const double rest = t_stop - s->from.t, most = s->base.ode->h_max;
  const double h = most > 0 ? fmin(s->h, most) : s->h;
  return h >= rest ? rest : 2 * h > rest ? rest / 2 : h;
}

// The factor for the next step after an error, in units of what is allowed.
static double factor(double error) {
  return fmin(fmax(safety * pow(error, -1.0 / 3), shortest), longest);
}

// Lengthen the next step after a good one of length h, unless a stop had cut it short.
static void lengthen(leapfrog* s, double h, double error) {
  const double ratio = factor(error);
  s->calm++;
  if (h < s->h || ratio < worth || s->calm <= s->wait) return;
  s->calm = 0;
  if (s->ceiling < worth * h) {
    s->ceiling *= raise;
    return;
  }
  s->h = fmin(h * ratio, s->ceiling);
  s->wait /= 2;
}

static void shorten(leapfrog* s, double h, double error) {
  s->base.counts.rejected++;
  s->h = h * (isfinite(error) ? factor(error) : shortest);
  s->calm = 0;
  s->wait = min_int(4 * s->wait + 2, LONGEST_WAIT);
}

// Try steps from s->from, at most to t_stop, until the estimated error is within the tolerances;
// s->to is the result.  Fails after RETRIES attempts or when steps are lost in rounding.
static td_status advance(leapfrog* s, double t_stop) {
  s->base.failure = TD_OK;
  for (int k = 0; k < RETRIES; k++) {
    const double h = next_length(s, t_stop);
    if (s->from.t + h == s->from.t) return failed(s);
    const int flag = leap(s, h);
    const double error = flag == 0 ? local_error(s, h) : INFINITY;
    if (error <= 1) {
      lengthen(s, h, error);
      if (h == t_stop - s->from.t) s->to.t = t_stop;
      return TD_OK;
    }
    if (s->calm > 1) s->ceiling = below * h;
    shorten(s, h, error);
  }
  return failed(s);
}

// y at a time t inside the last step: the cubic Hermite polynomial, with the slopes q' = N v of
// positions and g of all other states.
static td_status at(td_stepper* base, double t, double* y) {
  leapfrog* s = (leapfrog*)base;
  const td_ode* ode = base->ode;
  const double h = s->to.t - s->from.t;
  if (h == 0) {
    memcpy(y, s->to.y, (size_t)s->n * sizeof(double));
    return TD_OK;
  }
  const double time[2] = {s->from.t, s->to.t};
  double a[2], b[2];
  td_hermite(2, time, t, a, b);
  for (int i = ode->npos; i < s->n; i++)
    y[i] = a[0] * s->from.y[i] + a[1] * s->to.y[i] + b[0] * s->from.g[i] + b[1] * s->to.g[i];
  const double* rate = drift(s, s->from.y, s->from.y + ode->npos);
  for (int i = 0; i < ode->npos; i++)
    y[i] = a[0] * s->from.y[i] + a[1] * s->to.y[i] + b[0] * rate[i];
  rate = drift(s, s->to.y, s->to.y + ode->npos);
  for (int i = 0; i < ode->npos; i++) y[i] += b[1] * rate[i];
  return TD_OK;
}

// ---- roots ------------------------------------------------------------------------------------

// Whether some function changed its sign up to `after`; which, and in which direction.
static bool changed(leapfrog* s, const double* after) {
  bool any = false;
  for (int i = 0; i < s->base.ode->nroot; i++) {
    const bool change = s->root_from[i] * after[i] < 0 || (after[i] == 0 && s->root_from[i] != 0);
    s->crossed[i] = change ? (s->root_from[i] < 0 ? 1 : -1) : 0;
    any = any || change;
  }
  return any;
}

static td_status begin_at(leapfrog* s, double t, const double* y);

// End the step just behind the first sign change of a root function, found by bisection on the
// cubic of the step.  The step is then taken again to the root, since the cubic has seen forces
// beyond it.
static td_status find_root(leapfrog* s, td_step* step) {
  double low = s->from.t, high = s->to.t;
  const double from = s->from.t, tiny = 4 * DBL_EPSILON * fmax(fabs(low), fabs(high));
  for (int k = 0; k < BISECTIONS && high - low > tiny; k++) {
    const double t = low + (high - low) / 2;
    TD_TRY(at(&s->base, t, s->y));
    td_ode_roots(&s->base, t, s->y, s->root_at);
    *(changed(s, s->root_at) ? &high : &low) = t;
  }
  TD_TRY(at(&s->base, high, s->y));
  td_ode_roots(&s->base, high, s->y, s->root_at);
  changed(s, s->root_at);
  if (leap(s, high - from) != 0) return failed(s);
  s->to.t = high;
  s->rooted = true;
  *step = (td_step){from, high, true, s->to.y, s->crossed};
  return TD_OK;
}

// Detect chatter: rates that jump to and fro at each of MOST tiny steps, as where friction by
// sign(v) holds and forces see v = +0 and -0 in turn.  Reported by td_guard_chatters().
static td_status notice_turns(leapfrog* s) {
  enum { MOST = 1000 };
  const td_ode* ode = s->base.ode;
  const double h = s->to.t - s->from.t, span = ode->h_max > 0 ? 50 * ode->h_max : 10;
  if (s->base.guard == NULL || s->fresh || h > 1e-6 * span) {
    s->turns = 0;
    return TD_OK;
  }
  bool turned = false;
  for (int i = ode->npos; i < ode->n && !turned; i++) {
    const double now = s->to.g[i] - s->from.g[i], before = s->from.g[i] - s->g_past[i];
    const double jump = fmin(fabs(now), fabs(before));
    turned = now * before < 0 && h * jump > 0.01 * td_tolerance(&s->base, i, s->to.y[i]);
  }
  if (s->turns == 0) s->t_turns = s->from.t;
  s->turns = turned ? s->turns + 1 : 0;
  if (s->turns < MOST) return TD_OK;
  s->turns = 0;
  return td_guard_chatters(&s->base, s->to.t, s->to.y, MOST, s->to.t - s->t_turns);
}

// Take one step; at a sign change of a root function the step ends at the root, from which the next
// one starts anew.
static td_status step(td_stepper* base, double t_stop, td_step* step) {
  leapfrog* s = (leapfrog*)base;
  if (s->rooted) {  // go on from the root, with the signs behind it
    TD_TRY(begin_at(s, s->to.t, s->to.y));
    memcpy(s->root_from, s->root_at, (size_t)base->ode->nroot * sizeof(double));
  }
  turn_over(s);
  TD_TRY(advance(s, t_stop));
  base->counts.steps++;
  TD_TRY(notice_turns(s));
  *step = (td_step){s->from.t, s->to.t, false, s->to.y, s->crossed};
  if (base->ode->nroot == 0) return TD_OK;
  td_ode_roots(base, s->to.t, s->to.y, s->root_to);
  if (changed(s, s->root_to)) return find_root(s, step);
  memcpy(s->root_from, s->root_to, (size_t)base->ode->nroot * sizeof(double));
  return TD_OK;
}

// ---- beginning and end ------------------------------------------------------------------------

static td_status begin_at(leapfrog* s, double t, const double* y) {
  memmove(s->to.y, y, (size_t)s->n * sizeof(double));
  s->from.t = s->to.t = t;
  s->fresh = true;
  s->rooted = false;
  s->h_past = 0;
  if (td_ode_rhs(&s->base, t, s->to.y, s->to.g) != 0) return failed(s);
  memcpy(s->from.y, s->to.y, (size_t)s->n * sizeof(double));
  memcpy(s->from.g, s->to.g, (size_t)s->n * sizeof(double));
  memcpy(s->g_past, s->to.g, (size_t)s->n * sizeof(double));
  if (s->base.ode->nroot > 0) td_ode_roots(&s->base, t, s->to.y, s->root_from);
  return TD_OK;
}

static td_status restart(td_stepper* base, double t, const double* y) {
  leapfrog* s = (leapfrog*)base;
  base->failure = TD_OK;
  TD_TRY(begin_at(s, t, y));
  // a first step in which nothing moves by more than a part of its tolerance
  const double speed = td_ode_norm(base, 1, s->to.y, s->to.g);
  s->h = speed > 0 ? 0.1 / speed : INFINITY;
  s->ceiling = INFINITY;
  s->calm = s->wait = 0;
  return TD_OK;
}

static void release(td_stepper* base) {
  free(((leapfrog*)base)->crossed);
  free(base);
}

static const td_stepper_ops leapfrog_ops = {step, at, restart, release, NULL, false, false};

// Create the leapfrog solver at (t, y); *stepper is NULL on failure.
static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  *stepper = NULL;
  const size_t n = (size_t)(ode->n + ode->nquad), nroot = (size_t)ode->nroot;
  leapfrog* s = calloc(1, sizeof *s + (6 * n + 2 * (size_t)ode->npos + 3 * nroot) * sizeof(double));
  if (s == NULL) return TD_E_NOMEM;
  s->base = (td_stepper){.ops = &leapfrog_ops, .ode = ode, .sharp = 1};
  s->n = (int)n;
  s->from = (moment){t, s->block, s->block + n};
  s->to = (moment){t, s->block + 2 * n, s->block + 3 * n};
  s->g_past = s->block + 4 * n;
  s->y = s->block + 5 * n;
  s->rate = s->block + 6 * n;
  s->middle = s->rate + ode->npos;
  s->root_from = s->middle + ode->npos;
  s->root_to = s->root_from + nroot;
  s->root_at = s->root_to + nroot;
  s->crossed = calloc(nroot + 1, sizeof(int));
  const td_status status = s->crossed != NULL ? td_stepper_restart(&s->base, t, y) : TD_E_NOMEM;
  if (status != TD_OK) {
    release(&s->base);
    return status;
  }
  *stepper = &s->base;
  return TD_OK;
}

const td_solver_row td_solver_leapfrog = {.start = start, .method = "leapfrog"};
