// Steps that do not pass over what acts on one side only.
//
// A contact, a stop, a rope that catches or a max in a force acts for a short while.  A step that
// is much longer may begin before and end behind that while and see nothing of it: its error
// estimate is that of the free motion.  So after each step every guard (dyn.h) that has the same
// sign at both ends is followed along the step, by a conservative advance along a solution that is
// known.  A step that went through something is taken again, to end inside.
//
// The stages of explicit methods leave the solution.  A stage that is thrown out of a contact by
// the force that another one saw hides the contact from the result: the stages, ordered by time,
// and the two ends must see each element begin or cease to act once at most.
#include <float.h>
#include <math.h>
#include <string.h>

#include "dyn.h"
#include "ode.h"

enum { STAGES = TD_RK8_STAGES, REPEATS = 60 };
// Rates between the ends of a step may exceed those at its ends by this factor.
static const double faster = 1.5;
// Noise of a guard: this many times what errors of the states within their tolerance do to it.
static const double noisy = 10;

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
  double block[];
};

td_status td_guard_new(const td_ode* ode, td_guard** guard) {
  const size_t n = (size_t)ode->nguard, ny = (size_t)(ode->n + ode->nquad);
  td_guard* g =
      calloc(1, sizeof *g + (2 * ny + (7 + STAGES + TD_GUARD_LEVELS) * n) * sizeof(double));
  *guard = g;
  if (g == NULL) return TD_E_NOMEM;
  g->n = (int)n;
  g->ny = (int)ny;
  double* p = g->block;
  double** const some[] = {&g->g0, &g->g1, &g->v0, &g->v1, &g->bound, &g->noise, &g->rate};
  for (int i = 0; i < 7; i++) *some[i] = take(&p, g->n);
  g->y0 = take(&p, g->ny);
  g->y = take(&p, g->ny);
  g->stage = take(&p, STAGES * g->n);
  g->level = take(&p, TD_GUARD_LEVELS * g->n);
  return TD_OK;
}

void td_guard_free(td_guard* guard) { free(guard); }

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
}

// What errors of the states within their tolerance do to the guards.
static void find_noise(td_stepper* s) {
  td_guard* g = s->guard;
  const td_ode* ode = s->ode;
  if (!isnan(g->noise[0])) return;
  memcpy(g->y, g->y0, (size_t)g->ny * sizeof(double));
  for (int i = 0; i < ode->n; i++)
    g->y[i] += (i % 3 == 1 ? -1 : 1) * td_ode_tolerance(ode, i, g->y0[i]);
  guards_at(s, g->t0, g->y, g->noise);
  for (int i = 0; i < g->n; i++)
    g->noise[i] = isfinite(g->g0[i]) ? noisy * fabs(g->noise[i] - g->g0[i]) : 0;
}

// ---- the solution -----------------------------------------------------------------------------

// Bounds of the rates at the end of the step and along it.
static td_status find_bounds(td_stepper* s, const td_step* step) {
  td_guard* g = s->guard;
  s->ode->guards(s->ode->ctx, step->t, step->y, g->g1, g->v1);
  bool differences = false;
  for (int i = 0; i < g->n; i++) {
    differences = differences || isnan(g->v1[i]);
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
  for (int i = 0; i < g->n; i++) {
    // contacts that leave and come back are seen by the error estimate
    const bool resting = g->bound[i] == 0;
    g->bound[i] = faster * fmax(g->v0[i], g->v1[i]);
    if (resting || !isfinite(g->bound[i])) g->bound[i] = 0;
  }
  g->noise[0] = NAN;
  return TD_OK;
}

td_status td_guard_step(td_stepper* s, double t_stop, td_step* step) {
  td_guard* g = s->guard;
  double end = t_stop;
  for (int k = 0; k < REPEATS; k++) {
    TD_TRY(s->ops->step(s, end, step));
    TD_TRY(find_bounds(s, step));
    td_guard_path path = {.n = g->n,
                          .start = g->g0,
                          .end = g->g1,
                          .bound = g->bound,
                          .noise = g->noise,
                          .level = g->level,
                          .at = guards_along,
                          .ctx = s};
    if (!td_guard_possible(&path, g->t0, g->g0, step->t, g->g1)) break;
    find_noise(s);
    const double closed = td_guard_search(&path, g->t0, g->g0, step->t, g->g1, 0);
    if (isnan(closed)) break;
    // once more, to an end inside, near where it closes
    s->counts.rejected++;
    end = closed;
    TD_TRY(s->ops->restart(s, g->t0, g->y0));
  }
  memcpy(g->y0, step->y, (size_t)g->ny * sizeof(double));
  memcpy(g->g0, g->g1, (size_t)g->n * sizeof(double));
  memcpy(g->v0, g->v1, (size_t)g->n * sizeof(double));
  g->t0 = step->t;
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
