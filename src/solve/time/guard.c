// Steps that do not pass over what acts on one side only.
//
// A contact, a stop, a rope that catches or a max in a force acts for a short while.  A step that
// is much longer may begin before and end behind that while and see nothing of it: its error
// estimate is that of the free motion.  So after each step every guard (engine.h) that has the same
// sign at both ends is followed along the step, by a conservative advance along a solution that is
// known.  A step that went through something is taken again, to end inside.
//
// Where an element begins to act sharply the step ends, too: impact.c.
//
// The stages of explicit methods leave the solution.  A stage that is thrown out of a contact by
// the force that another one saw hides the contact from the result: the stages, ordered by time,
// and the two ends must see each element begin or cease to act once at most.
#include "solve/time/guard.h"

#include <math.h>
#include <string.h>

enum { STAGES = TD_RK8_STAGES, REPEATS = 60 };
// Rates between the ends of a step may exceed those at its ends by this factor.
static const double faster = 1.5;
// Noise of a guard: this many times what errors of the states within their tolerance do to it.
// Little for what was found to act at once where it begins.
static const double noisy = 10, quiet = 0.1;
// Steps that a method with a history needs after a start until it is worth another one.
enum { START_PAYS = 10 };

// Allocate the guards of an ode in one block.  On TD_E_NOMEM *guard is what td_guard_free() must
// release.
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
  return td_crossings_new(&g->crossings, g->n, td_impact_watched, NULL);
}

void td_guard_free(td_guard* guard) {
  if (guard != NULL) td_crossings_free(&guard->crossings);
  free(guard);
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

// Changes of the guards that errors of the states within their tolerance make.
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

// Raise the bounds of the rates by speeds inside the step, at the times when objects that time
// alone moves are fastest: these may come and go between its ends.  Short steps are left out, so
// that a run has some thousand of these evaluations however many steps it takes.
static td_status look_between(td_stepper* s, const td_step* step) {
  enum { TIMES = 64, PEAKS = 8 };
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  const double h = step->t - g->t0, part = ode->h_max > 0 ? fmin(1, h / ode->h_max) : 1;
  double times[PEAKS], *between = g->level;
  const int n = (int)ceil(TIMES * part);
  const int found = n < 2 ? 0 : ode->peaks(ode->ctx, g->t0, step->t, n, times, PEAKS);
  for (int k = 0; k < found; k++) {
    if (!td_guards_along(s, times[k], between)) return TD_E_DIVERGED;
    for (int i = 0; i < g->n; i++) g->v0[i] = fmax(g->v0[i], g->rate[i]);
  }
  return TD_OK;
}

// Values of the guards at the end of the step, and bounds of their rates along it: by formula, or
// by differences near both ends where there is none.  Zero for contacts that rest, which the error
// estimate sees.
static td_status find_bounds(td_stepper* s, const td_step* step) {
  td_guard* g = s->guard;
  if (!is_far(s, step)) s->ode->guards(s->ode->ctx, step->t, step->y, g->g1, g->v1);
  bool differences = false;
  for (int i = 0; i < g->n; i++) {
    differences = differences || isnan(g->v1[i]);
    g->contact[i] = !isnan(g->v1[i]);
    g->bound[i] = isnan(g->v1[i]) || g->g0[i] > 0;
  }

  // differences, for guards without a rate of their own
  const double h = step->t - g->t0, d = 1e-3 * h;
  differences = differences && h > 0;
  double* near = g->level;
  if (differences) {
    if (!td_guards_along(s, step->t - d, near)) return TD_E_DIVERGED;
    for (int i = 0; i < g->n; i++)
      if (isnan(g->v1[i]))
        g->v1[i] = fmax(fabs(g->g1[i] - near[i]) / d, fabs(g->g1[i] - g->g0[i]) / h);
    if (!td_guards_along(s, g->t0 + d, near)) return TD_E_DIVERGED;
    for (int i = 0; i < g->n; i++) g->v0[i] = fmax(g->v0[i], fabs(near[i] - g->g0[i]) / d);
  }
  if (s->ode->peaks != NULL) TD_TRY(look_between(s, step));

  // margin
  for (int i = 0; i < g->n; i++) {
    // contacts that leave and come back are seen by the error estimate
    const bool resting = g->bound[i] == 0;
    g->bound[i] = faster * fmax(g->v0[i], g->v1[i]);
    if (resting || !isfinite(g->bound[i])) g->bound[i] = 0;
  }
  g->noise[0] = NAN;
  return TD_OK;
}

// A time at which the step is deep in something behind which it ends; NaN: there is none.
static double passed_behind(td_stepper* s, const td_step* step, td_guard_path* path) {
  td_guard* g = s->guard;
  double* speed = g->level + g->n;  // the first is for guards on the way
  for (int i = 0; i < g->n; i++)
    speed[i] = g->fruitless[i] > 0 ? 0 : faster * fmax(g->v0[i], g->v1[i]);
  path->noise = NULL;
  if (isnan(td_guard_behind(path, g->t0, step->t, speed))) return NAN;
  find_noise(s);
  path->noise = g->noise;
  return td_guard_behind(path, g->t0, step->t, speed);
}

// Repeat the step, at most REPEATS times, until no guard closes and opens again inside it unseen,
// and until it ends where an element begins to act sharply.  Signs and gaps at its end are kept for
// the next step.
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
    // take the step, and search for a guard that closes and opens inside
    TD_TRY(s->ops->step(s, end, step));
    TD_TRY(find_bounds(s, step));
    td_guard_path path = {.n = g->n,
                          .start = g->g0,
                          .end = g->g1,
                          .bound = g->bound,
                          .level = g->level,
                          .at = td_guards_along,
                          .ctx = s};
    double closed = NAN;
    if (td_guard_possible(&path, g->t0, g->g0, step->t, g->g1)) {
      find_noise(s);
      path.noise = g->noise;
      closed = td_guard_search(&path, g->t0, g->g0, step->t, g->g1, 0);
    }
    if (isnan(closed)) closed = passed_behind(s, step, &path);
    if (isnan(closed)) {
      bool over = false;

      // none: end the step at the first sharp impact
      const double hit = located ? NAN : td_impact_first(s, step, &over);
      if (isnan(hit)) break;
      const double h = step->t - g->t0, small = 1e-6 * h;
      const double before = s->sharp;
      located = true;
      td_impact_sharpen(s);
      if (!over && before < fmin(2 * s->sharp, 0.5)) break;  // it was as careful as this
      if (step->root && step->t - hit < small) break;        // the solver ends there by itself
      // a method with a history goes on from its own solution, unless its start was just now
      if (s->ops->history && hit - g->t0 > small) {
        if (s->counts.steps - g->start_steps < START_PAYS) break;
        if (s->ode->project != NULL && td_ode_project(s, hit, g->hit) != 0) return s->failure;
        s->ode->guards(s->ode->ctx, hit, g->hit, g->g1, g->v1);

        // impacts that are over, and guards that changed their sign
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
  TD_TRY(td_impact_chatters(s, step));

  // the end is the start of the next step
  memcpy(g->y0, step->y, (size_t)g->ny * sizeof(double));
  memcpy(g->g0, g->g1, (size_t)g->n * sizeof(double));
  memcpy(g->v0, g->v1, (size_t)g->n * sizeof(double));
  g->t0 = step->t;
  td_impact_sharpen(s);
  return TD_OK;
}

// ---- stages -----------------------------------------------------------------------------------

void td_guard_stage(td_stepper* s, double t, const double* y) {
  td_guard* g = s->guard;
  const int k = g->nstage++ % STAGES;
  g->t_stage[k] = t;
  guards_at(s, t, y, g->stage + (size_t)k * (size_t)g->n);
}

// Number of sign changes of guard i along the ordered stages; values within `noise` do not count.
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

// Sort the stages by time and count the sign changes of each guard; those within its rounding noise
// do not count.
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
