// Steps that do not pass over what acts on one side only.
//
// A contact, a stop, a rope that catches or a max in a force acts for a short while.  A step that
// is much longer may begin before and end behind that while and see nothing of it: its error
// estimate is that of the free motion.  So after each step every guard (dyn.h) that has the same
// sign at both ends is followed along the step, by a conservative advance along a solution that is
// known.  A step that went through something is taken again, to end inside.
//
// Where an element begins to act the step ends and the solver starts afresh.  An impact turns a
// position error e into a velocity error of about e/T, with T the time in which the element stops
// what approaches it: the tolerance of positions, which is a share of coordinates counted from some
// far origin, says nothing of that.  While an impact lasts, positions are held to errors of the gap
// below rtol D + atol, where D = |gap'| T is the depth that the element will reach.
//
// The stages of explicit methods leave the solution.  A stage that is thrown out of a contact by
// the force that another one saw hides the contact from the result: the stages, ordered by time,
// and the two ends must see each element begin or cease to act once at most.
#include <float.h>
#include <math.h>
#include <string.h>

#include "crossings.h"
#include "dyn.h"
#include "ode.h"

enum { STAGES = TD_RK8_STAGES, REPEATS = 60 };
// Rates between the ends of a step may exceed those at its ends by this factor.
static const double faster = 1.5;
// Noise of a guard: this many times what errors of the states within their tolerance do to it.
// Little for what was found to act at once where it begins.
static const double noisy = 10, quiet = 0.1;
// An impact lasts until its element ceases to act, or this many stopping times: pi of them are half
// an oscillation on a linear spring; what still touches then rests.
static const double impact_lasts = 10;
// The tolerance of positions is not lowered further than by this factor.
static const double sharpest = 1e-5;
// Steps that a method with a history needs after a start until it is worth another one.
enum { START_PAYS = 10, PATTERNS = 8 };

struct td_guard {
  int n, ny;
  double t0;                       // beginning of the step
  double *y0, *y;                  // (ny)
  double *g0, *g1;                 // (n) at its ends
  double *v0, *v1;                 // (n) bounds of the rates there
  double *bound, *noise;           // (n) for the whole step; NaN noise: not yet known
  double* rate;                    // (n) scratch
  double t_stage[STAGES], *stage;  // the last stages (STAGES x n)
  int nstage;
  double* level;  // (TD_GUARD_LEVELS x n) guards in the middle of nested intervals

  // impacts
  double *factor, *until;  // (n) of the tolerance of positions, and up to when; until < t: none
  double* stopping;        // (n) stopping time of the last impact, 0 or infinite: not known
  double* side;            // (n) sign of the guard while the element acts in the last impact
  double* contact;         // (n) 1: the element knows how fast its gap can change
  double* watched;         // (n) 1 where changes of sign are looked for along the step, else 0
  td_crossings crossings;  // of the watched guards
  double *hit, *f, *f_before, *f_behind;  // (ny) state where an element begins to act, rates there
  double *changed,
      *since;  // (n) last change of sign of those that follow each other at once, first
  double *skip, *fruitless;  // (n) crossings that are not looked at; how many looks found no impact
  double* often;             // (n) how many there were
  bool afresh;               // the solver is to start at (t0, y0)
  long start_steps;          // steps at its last start
  double block[];
};

static void watched_along(void* ctx, double t, double* gap);

td_status td_guard_new(const td_ode* ode, td_guard** guard) {
  const size_t n = (size_t)ode->nguard, ny = (size_t)(ode->n + ode->nquad);
  td_guard* g =
      calloc(1, sizeof *g + (6 * ny + (18 + STAGES + TD_GUARD_LEVELS) * n) * sizeof(double));
  *guard = g;
  if (g == NULL) return TD_E_NOMEM;
  g->n = (int)n;
  g->ny = (int)ny;
  double* p = g->block;
  double** const some[] = {&g->g0,    &g->g1,        &g->v0,      &g->v1,    &g->bound,
                           &g->noise, &g->rate,      &g->factor,  &g->until, &g->stopping,
                           &g->skip,  &g->fruitless, &g->changed, &g->since, &g->often,
                           &g->side,  &g->contact,   &g->watched};
  double** const whole[] = {&g->y0, &g->y, &g->hit, &g->f, &g->f_before, &g->f_behind};
  for (int i = 0; i < 18; i++) *some[i] = take(&p, g->n);
  for (int i = 0; i < 6; i++) *whole[i] = take(&p, g->ny);
  for (int i = 0; i < g->n; i++) g->until[i] = g->changed[i] = -INFINITY;
  g->stage = take(&p, STAGES * g->n);
  g->level = take(&p, TD_GUARD_LEVELS * g->n);
  return td_crossings_new(&g->crossings, g->n, watched_along, NULL);
}

void td_guard_free(td_guard* guard) {
  if (guard != NULL) td_crossings_free(&guard->crossings);
  free(guard);
}

static void guards_at(td_stepper* s, double t, const double* y, double* gap) {
  s->ode->guards(s->ode->ctx, t, y, gap, s->guard->rate);
}

// Guards at a time inside the last step.
static bool guards_along(void* ctx, double t, double* gap) {
  td_stepper* s = ctx;
  td_guard* g = s->guard;
  if (s->ops->sketch != NULL)
    s->ops->sketch(s, t, g->y);
  else if (s->ops->at(s, t, g->y) != TD_OK)
    return false;
  guards_at(s, t, g->y, gap);
  return true;
}

void td_guard_begin(td_stepper* s, double t, const double* y) {
  td_guard* g = s->guard;
  s->ode->guards(s->ode->ctx, t, y, g->g0, g->v0);
  for (int i = 0; i < g->n; i++)
    if (isnan(g->v0[i])) g->v0[i] = 0;
  memcpy(g->y0, y, (size_t)g->ny * sizeof(double));
  g->t0 = t;
  g->nstage = 0;
  g->afresh = false;
  g->start_steps = s->counts.steps;
}

// What errors of the states within their tolerance do to the guards.
static void find_noise(td_stepper* s) {
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  if (!isnan(g->noise[0])) return;
  memcpy(g->y, g->y0, (size_t)g->ny * sizeof(double));
  for (int i = 0; i < ode->n; i++) g->y[i] += (i % 3 == 1 ? -1 : 1) * td_tolerance(s, i, g->y0[i]);
  guards_at(s, g->t0, g->y, g->noise);
  for (int i = 0; i < g->n; i++)
    g->noise[i] = isfinite(g->g0[i])
                      ? (g->fruitless[i] == 0 ? quiet : noisy) * fabs(g->noise[i] - g->g0[i])
                      : 0;
}

// ---- the solution -----------------------------------------------------------------------------

// Whether no guard comes near to zero in the step, by twice what its rates tell: what the last
// correction of the step's end does to it does not matter then.
static bool is_far(td_stepper* s, const td_step* step) {
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  const double h = step->t - g->t0;
  if (ode->guards_near == NULL || !(h > 0) ||
      !ode->guards_near(ode->ctx, g->y0, step->t, step->y, g->g1, g->v1))
    return false;
  for (int i = 0; i < g->n; i++) {
    const double room = fabs(g->g0[i]) + fabs(g->g1[i]);
    if (isnan(g->v1[i]) ||
        !(g->g0[i] * g->g1[i] > 0 && room > 2 * faster * fmax(g->v0[i], g->v1[i]) * h &&
          g->until[i] < g->t0))
      return false;
  }
  return true;
}

// What time alone moves may come and go between the ends of a step: its speed is looked at at some
// times between, and that of the guards where it is largest.  Short steps are not, so that a run
// has some thousand of these times, however many steps it takes.
static td_status look_between(td_stepper* s, const td_step* step) {
  enum { TIMES = 64, PEAKS = 8 };
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  const double h = step->t - g->t0, part = ode->h_max > 0 ? fmin(1, h / ode->h_max) : 1;
  double times[PEAKS], *between = g->level;
  const int n = (int)ceil(TIMES * part);
  const int found = n < 2 ? 0 : ode->peaks(ode->ctx, g->t0, step->t, n, times, PEAKS);
  for (int k = 0; k < found; k++) {
    if (!guards_along(s, times[k], between)) return TD_E_DIVERGED;
    for (int i = 0; i < g->n; i++) g->v0[i] = fmax(g->v0[i], g->rate[i]);
  }
  return TD_OK;
}

// Bounds of the rates at the end of the step and along it.
static td_status find_bounds(td_stepper* s, const td_step* step) {
  td_guard* g = s->guard;
  if (!is_far(s, step)) s->ode->guards(s->ode->ctx, step->t, step->y, g->g1, g->v1);
  bool differences = false;
  for (int i = 0; i < g->n; i++) {
    differences = differences || isnan(g->v1[i]);
    g->contact[i] = !isnan(g->v1[i]);
    g->bound[i] = isnan(g->v1[i]) || g->g0[i] > 0;
  }
  const double h = step->t - g->t0, d = 1e-3 * h;
  differences = differences && h > 0;
  double* near = g->level;
  if (differences) {
    if (!guards_along(s, step->t - d, near)) return TD_E_DIVERGED;
    for (int i = 0; i < g->n; i++)
      if (isnan(g->v1[i]))
        g->v1[i] = fmax(fabs(g->g1[i] - near[i]) / d, fabs(g->g1[i] - g->g0[i]) / h);
    if (!guards_along(s, g->t0 + d, near)) return TD_E_DIVERGED;
    for (int i = 0; i < g->n; i++) g->v0[i] = fmax(g->v0[i], fabs(near[i] - g->g0[i]) / d);
  }
  if (s->ode->peaks != NULL) TD_TRY(look_between(s, step));
  for (int i = 0; i < g->n; i++) {
    // contacts that leave and come back are seen by the error estimate
    const bool resting = g->bound[i] == 0;
    g->bound[i] = faster * fmax(g->v0[i], g->v1[i]);
    if (resting || !isfinite(g->bound[i])) g->bound[i] = 0;
  }
  g->noise[0] = NAN;
  return TD_OK;
}

// A step may begin where an element has just begun to act and end behind it: the ends feel nothing
// of what is deep inside between them.  A time at which a guard that changes its sign is several
// times deeper on the side where it began; NaN: there is none.
static double passed_behind(td_stepper* s, const td_step* step) {
  td_guard* g = s->guard;
  const double deeper = 4;
  double* between = g->level;
  for (int i = 0; i < g->n; i++) {
    if (!(g->g0[i] * g->g1[i] < 0) || g->fruitless[i] > 0) continue;
    const double speed = faster * fmax(g->v0[i], g->v1[i]), shallow = deeper * fabs(g->g0[i]);
    // it began at t0: times that come nearer to that see it, however short it was
    for (double d = (step->t - g->t0) / 2; speed * d > shallow; d /= 2) {
      if (!(g->t0 + d > g->t0) || !guards_along(s, g->t0 + d, between)) break;
      const double depth = copysign(1, g->g0[i]) * between[i];
      if (!(depth > shallow)) continue;
      find_noise(s);
      if (depth > g->noise[i]) return g->t0 + d;
      break;
    }
  }
  return NAN;
}

// ---- impacts ----------------------------------------------------------------------------------

// Values of the watched guards, a constant for others.
static void watched_along(void* ctx, double t, double* gap) {
  td_guard* g = ((td_stepper*)ctx)->guard;
  if (!guards_along(ctx, t, gap)) memcpy(gap, g->g0, (size_t)g->n * sizeof(double));
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

// The factor of the tolerance of positions that the impact at (t, hit) asks for; its stopping time
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

// The first element that begins to act inside the step in a way that asks for sharper positions, or
// whose impact is over: its time, with the state in `hit`; NaN: there is none.
static double first_impact(td_stepper* s, const td_step* step, bool* over) {
  td_guard* g = s->guard;
  const double tiny = 8 * DBL_EPSILON * fmax(fabs(g->t0), fabs(step->t));
  g->crossings.ctx = s;
  bool any = false;
  for (int i = 0; i < g->n; i++) {
    const bool changes = isfinite(g->g0[i]) && g->g0[i] != 0 && g->g0[i] * g->g1[i] <= 0;
    const bool opens = g->g0[i] < 0 && g->contact[i] != 0;
    g->watched[i] = changes && (g->until[i] >= g->t0 ? leaves(s, i) : !opens);
    any = any || g->watched[i] != 0;
  }
  if (!any) return NAN;
  td_crossings_begin(&g->crossings, g->t0);
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

// The sharpest of the impacts that last counts.
static void sharpen(td_stepper* s) {
  td_guard* g = s->guard;
  s->sharp = 1;
  for (int i = 0; i < g->n; i++)
    if (g->until[i] >= g->t0) s->sharp = fmin(s->sharp, g->factor[i]);
}

// A corner of a force that is crossed very many times on end, each soon after the one before or
// with hardly a step between, and with a jump of the rates that the tolerance does not let pass:
// sign(v) where friction holds v = 0.
static td_status notice_chatter(td_stepper* s, const td_step* step) {
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

td_status td_guard_step(td_stepper* s, double t_stop, td_step* step) {
  td_guard* g = s->guard;
  double end = t_stop;
  bool located = false;
  if (g->afresh) {
    TD_TRY(s->ops->restart(s, g->t0, g->y0));
    g->afresh = false;
    g->start_steps = s->counts.steps;
  }
  for (int k = 0; k < REPEATS; k++) {
    TD_TRY(s->ops->step(s, end, step));
    TD_TRY(find_bounds(s, step));
    td_guard_path path = {.n = g->n,
                          .start = g->g0,
                          .end = g->g1,
                          .bound = g->bound,
                          .level = g->level,
                          .at = guards_along,
                          .ctx = s};
    double closed = NAN;
    if (td_guard_possible(&path, g->t0, g->g0, step->t, g->g1)) {
      find_noise(s);
      path.noise = g->noise;
      closed = td_guard_search(&path, g->t0, g->g0, step->t, g->g1, 0);
    }
    if (isnan(closed)) closed = passed_behind(s, step);
    if (isnan(closed)) {
      bool over = false;
      const double hit = located ? NAN : first_impact(s, step, &over);
      if (isnan(hit)) break;
      const double h = step->t - g->t0, small = 1e-6 * h;
      const double before = s->sharp;
      located = true;
      sharpen(s);
      if (!over && before < fmin(2 * s->sharp, 0.5)) break;  // it was as careful as this
      if (step->root && step->t - hit < small) break;        // the solver ends there by itself
      // a method with a history goes on from its own solution, unless its start was just now
      if (s->ops->history && hit - g->t0 > small) {
        if (s->counts.steps - g->start_steps < START_PAYS) break;
        if (s->ode->project != NULL && td_ode_project(s, hit, g->hit) != 0) return s->failure;
        s->ode->guards(s->ode->ctx, hit, g->hit, g->g1, g->v1);
        for (int i = 0; i < g->n; i++)
          if (isnan(g->v1[i])) g->v1[i] = 0;
        step->t = hit;
        step->y = g->hit;
        step->root = false;
        g->afresh = true;
        break;
      }
      closed = hit - g->t0 > small ? hit : end;
    }
    // once more, to an end inside, near where it closes
    s->counts.rejected++;
    end = closed;
    TD_TRY(s->ops->restart(s, g->t0, g->y0));
  }
  for (int i = 0; i < g->n; i++)
    if (g->side[i] * g->g0[i] > 0 && g->side[i] * g->g1[i] < 0) g->until[i] = -INFINITY;
  for (int i = 0; i < g->n; i++)
    if (g->g0[i] * g->g1[i] < 0 && g->fruitless[i] == 0) s->stale = true;
  TD_TRY(notice_chatter(s, step));
  memcpy(g->y0, step->y, (size_t)g->ny * sizeof(double));
  memcpy(g->g0, g->g1, (size_t)g->n * sizeof(double));
  memcpy(g->v0, g->v1, (size_t)g->n * sizeof(double));
  g->t0 = step->t;
  sharpen(s);
  return TD_OK;
}

// ---- stages -----------------------------------------------------------------------------------

void td_guard_stage(td_stepper* s, double t, const double* y) {
  td_guard* g = s->guard;
  const int k = g->nstage++ % STAGES;
  g->t_stage[k] = t;
  guards_at(s, t, y, g->stage + (size_t)k * (size_t)g->n);
}

// How often a guard changes its sign along the ordered stages, values within `noise` aside.
static int changes(const td_guard* g, int i, const int* order, int m, double noise) {
  int sign = g->g0[i] > noise ? 1 : g->g0[i] < -noise ? -1 : 0, n = 0;
  for (int k = 0; k <= m; k++) {
    const double x = k == m ? g->g1[i] : g->stage[(size_t)order[k] * (size_t)g->n + (size_t)i];
    const int now = x > noise ? 1 : x < -noise ? -1 : 0;
    if (now == 0) continue;
    n += sign != 0 && now != sign;
    sign = now;
  }
  return n;
}

bool td_guard_stages_agree(td_stepper* s, double t, const double* y) {
  td_guard* g = s->guard;
  int order[STAGES], m = 0;
  for (int k = 0; k < min_int(g->nstage, STAGES); k++) {
    if (!(g->t_stage[k] > g->t0 && g->t_stage[k] <= t)) continue;
    int at = m++;
    for (; at > 0 && g->t_stage[order[at - 1]] > g->t_stage[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  guards_at(s, t, y, g->g1);
  g->noise[0] = NAN;
  for (int i = 0; i < g->n; i++) {
    if (!isfinite(g->g0[i]) || changes(g, i, order, m, 0) < 2) continue;
    find_noise(s);
    if (changes(g, i, order, m, g->noise[i]) >= 2) return false;
  }
  return true;
}
