// Where elements that act on one side only begin to act, and how sharply.
//
// Where an element begins to act the step ends and the solver starts afresh.  An impact turns a
// position error e into a velocity error of about e/T, with T the time in which the element stops
// what approaches it: the tolerance of positions, which is a share of coordinates counted from some
// far origin, says nothing of that.  While an impact lasts, positions are held to errors of the gap
// below rtol D + atol, where D = |gap'| T is the depth that the element will reach.
//
// Elements that are found to do nothing sharp are looked at ever more rarely; corners that are
// crossed on end and jump each time end the run.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/time/guard.h"

bool td_guards_along(void* ctx, double t, double* gap) {
  td_stepper* s = ctx;
  td_guard* g = s->guard;
  if (s->ops->sketch != NULL)
    s->ops->sketch(s, t, g->y);
  else if (s->ops->at(s, t, g->y) != TD_OK)
    return false;
  guards_at(s, t, g->y, gap);
  return true;
}

// An impact lasts until its element ceases to act, or this many stopping times: pi of them are half
// an oscillation on a linear spring; what still touches then rests.
static const double impact_lasts = 10;
// The tolerance of positions is not lowered further than by this factor.
static const double sharpest = 1e-5;
// Positions that are off by plus or minus their tolerance, by which the gap's error is measured.
enum { PATTERNS = 8 };

// Values of the watched guards, a constant for others.
void td_impact_watched(void* ctx, double t, double* gap) {
  td_guard* g = ((td_stepper*)ctx)->guard;
  if (!td_guards_along(ctx, t, gap)) memcpy(gap, g->g0, (size_t)g->n * sizeof(double));
  for (int i = 0; i < g->n; i++)
    if (g->watched[i] == 0) gap[i] = 1;
}

// Change of guard i when the positions of the state at `hit` move by a x + b N w, w the rates of
// other states in `rate`; the result is left in g->y.
static double moved_gap(td_stepper* s, double t, int i, double a, const double* x, double b,
                        const double* rate) {
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  double* gap = g->level;
  memcpy(g->y, g->hit, (size_t)g->ny * sizeof(double));
  if (b != 0 && ode->drift != NULL) ode->drift(ode->ctx, g->hit, rate + ode->npos, g->y);
  for (int k = 0; k < ode->npos; k++) {
    const double pushed = b == 0 ? 0 : ode->drift != NULL ? g->y[k] : rate[ode->npos + k];
    g->y[k] = g->hit[k] + a * x[k] + b * pushed;
  }
  guards_at(s, t, g->y, gap);
  return gap[i];
}

// The factor of the tolerance of positions that the impact at (t, hit) requires; its stopping time
// T is left in g->stopping.  Along the tangent y + x y' the element acts for x > 0 alone: what it
// does to the rates is S = y'(x) - 2 y'(0) + y'(-x), in which everything linear cancels.  S pushes
// the gap back by as much as it would close where x = T.
static double sharpness(td_stepper* s, double t, int i, double longest) {
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  const size_t bytes = (size_t)g->ny * sizeof(double);
  const double known = g->stopping[i];
  double T = known > 0 ? fmin(known, longest) : longest, depth = 0;
  int smaller = 0;
  g->stopping[i] = INFINITY;
  if (td_ode_rhs(s, t, g->hit, g->f) != 0) return 1;
  const double gap = moved_gap(s, t, i, 0, g->hit, 0, NULL);
  for (int k = 0; k < 20; k++) {
    bool fails = false;
    for (int side = -1; side <= 1; side += 2) {
      double* f = side < 0 ? g->f_before : g->f_behind;
      memcpy(g->y, g->hit, bytes);
      for (int j = 0; j < ode->n; j++) g->y[j] += side * T * g->f[j];
      fails = fails || td_ode_rhs(s, t, g->y, f) != 0;
    }
    for (int j = 0; j < ode->n; j++) g->f_behind[j] += g->f_before[j] - 2 * g->f[j];
    const double closed = moved_gap(s, t, i, T, g->f, 0, NULL) - gap;
    const double pushed = moved_gap(s, t, i, T, g->f, T * T, g->f_behind) - gap - closed;
    const double ratio = fabs(pushed / closed);
    if (fails || !(ratio > 1e-3)) {  // too far, or nothing acts
      if (++smaller > 6) return 1;
      T /= 8;
      continue;
    }
    depth = fabs(closed);
    g->stopping[i] = T;
    if (ratio > 0.5 && ratio < 2) break;
    if (ratio < 0.5 && T >= longest) return 1;  // slower than anything here
    T = fmin(T / sqrt(ratio), longest);
  }
  s->failure = TD_OK;

  // root mean square of the gap's change over positions that are off by plus or minus their usual
  // tolerance
  double sum = 0;
  unsigned random = 1;
  const double sharp = s->sharp;
  s->sharp = 1;
  for (int p = 0; p < PATTERNS; p++) {
    for (int j = 0; j < ode->npos; j++) {
      random = random * 1664525u + 1013904223u;
      g->f[j] = (random >> 31 ? 1 : -1) * td_tolerance(s, j, g->hit[j]);
    }
    const double off = moved_gap(s, t, i, 1, g->f, 0, NULL) - gap;
    sum += off * off;
  }
  s->sharp = sharp;
  const double off = sqrt(sum / PATTERNS), allowed = ode->rtol * depth + ode->atol;
  return off > allowed ? fmax(allowed / off, sharpest) : 1;
}

// Whether the impact of guard i ends inside the step of a method that would not see it.
static bool leaves(const td_stepper* s, int i) {
  const td_guard* g = s->guard;
  return s->ops->blind && g->side[i] * g->g0[i] > 0 && fabs(g->g0[i]) > 1e-3 * fabs(g->g1[i]);
}

// Walk through the crossings of the watched guards in order of time.  *over: the impact ends there.
// Notes factor, side and duration of the impact that is returned.
double td_impact_first(td_stepper* s, const td_step* step, bool* over) {
  td_guard* g = s->guard;
  const double tiny = 8 * DBL_EPSILON * fmax(fabs(g->t0), fabs(step->t));
  g->crossings.ctx = s;

  // watch elements that begin to act, and impacts that end
  bool any = false;
  for (int i = 0; i < g->n; i++) {
    const bool changes = isfinite(g->g0[i]) && g->g0[i] != 0 && g->g0[i] * g->g1[i] <= 0;
    const bool opens = g->g0[i] < 0 && g->contact[i] != 0;
    g->watched[i] = changes && (g->until[i] >= g->t0 ? leaves(s, i) : !opens);
    any = any || g->watched[i] != 0;
  }
  if (!any) return NAN;
  td_crossings_begin(&g->crossings, g->t0);

  // judge one crossing after another
  while (td_crossings_find(&g->crossings, step->t, tiny)) {
    const double t = g->crossings.t;
    int i = 0;
    while (i < g->n - 1 && g->crossings.crossed[i] == 0) i++;
    *over = g->until[i] >= g->t0;
    if (*over) return t;
    if (s->ops->sketch != NULL)
      s->ops->sketch(s, t, g->hit);
    else if (s->ops->at(s, t, g->hit) != TD_OK)
      return NAN;
    // crossings of a guard that has been found harmless are looked at ever more rarely
    if (g->skip[i] > 0) {
      g->skip[i]--;
      continue;
    }

    // how sharp it is, and whether the step can follow it
    const double factor = sharpness(s, t, i, fmax(step->t - g->t0, s->ode->h_max));
    const bool blind = s->ops->blind && g->stopping[i] < 10 * (step->t - g->t0);
    const bool harmless = !isfinite(g->stopping[i]);
    g->fruitless[i] = harmless ? fmin(g->fruitless[i] + 1, 8) : 0;
    g->skip[i] = harmless ? exp2(g->fruitless[i]) - 2 : 0;
    if (factor < 0.5 || blind) {
      g->factor[i] = factor;
      g->side[i] = copysign(1, -g->g0[i]);
      g->until[i] = t + impact_lasts * g->stopping[i];
      return t;
    }
  }
  return NAN;
}

void td_impact_sharpen(td_stepper* s) {
  td_guard* g = s->guard;
  s->sharp = 1;
  for (int i = 0; i < g->n; i++)
    if (g->until[i] >= g->t0) s->sharp = fmin(s->sharp, g->factor[i]);
}

// A corner of a force that is crossed very many times on end, each soon after the one before or
// with hardly a step between, and with a jump of the rates that the tolerance does not let pass:
// sign(v) where friction holds v = 0.
td_status td_impact_chatters(td_stepper* s, const td_step* step) {
  enum { MOST = 1000 };
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  const double span = ode->h_max > 0 ? 50 * ode->h_max : 10, h = step->t - g->t0;
  for (int i = 0; i < g->n; i++) {
    if (g->contact[i] != 0 || !(g->g0[i] * g->g1[i] < 0)) continue;
    const double apart = step->t - g->changed[i];
    const bool soon = apart <= 1e-6 * span || (apart <= 2.5 * h && h <= 1e-4 * span);
    g->often[i] = soon ? g->often[i] + 1 : 0;
    if (!soon) g->since[i] = step->t;
    g->changed[i] = step->t;
    if (g->often[i] < MOST) continue;
    g->often[i] = 0;
    if (td_ode_rhs(s, g->t0, g->y0, g->f_before) != 0) continue;
    if (td_ode_rhs(s, step->t, step->y, g->f_behind) != 0) continue;
    bool jumps = false;
    for (int j = ode->npos; j < ode->n; j++)
      if (h * fabs(g->f_behind[j] - g->f_before[j]) > 0.01 * td_tolerance(s, j, step->y[j]))
        jumps = true;
    if (!jumps) continue;
    if (ode->chatters != NULL) ode->chatters(ode->ctx, i, MOST, step->t - g->since[i]);
    return TD_E_MODEL;
  }
  return TD_OK;
}

td_status td_guard_chatters(td_stepper* s, double t, const double* y, int times, double within) {
  td_guard* g = s->guard;
  int nearest = -1;
  guards_at(s, t, y, g->bound);
  for (int i = 0; i < g->n; i++)
    if (g->contact[i] == 0 && (nearest < 0 || fabs(g->bound[i]) < fabs(g->bound[nearest])))
      nearest = i;
  if (nearest < 0) return TD_OK;
  if (s->ode->chatters != NULL) s->ode->chatters(s->ode->ctx, nearest, times, within);
  return TD_E_MODEL;
}
