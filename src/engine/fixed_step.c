// Steps of fixed length: the classical Runge-Kutta method of order 4 on
//
//   q' = N(q) v      v' = forward dynamics
//
// with integrated controls of constraint rows and internal states as further states.  Where
// one-sided elements act, or would be stepped over, the step is divided into shorter ones.
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/stages.h"

// Everything that is integrated, or its rates, in one array: q, v, control targets, internal
// states.
typedef struct rates {
  int n;
  double *q, *v, *target, *z;
} rates;

// Allocate zero rates in the scratch.
static rates rates_new(const td_model* m, arena* s) {
  const int n = m->npos + m->nvel + 2 * m->ntarget + m->ninternal;
  double *q = arena_zeros(s, n), *v = q + m->npos, *target = v + m->nvel;
  return (rates){n, q, v, target, target + 2 * m->ntarget};
}

// Copy a state and its control targets into one array.
static void gather(const td_model* m, const td_state* state, td_work* w, rates* at) {
  memcpy(at->q, state->q, (size_t)m->npos * sizeof(double));
  memcpy(at->v, state->v, (size_t)m->nvel * sizeof(double));
  memcpy(at->target, td_targets(w), 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < m->ninternal; i++) at->z[i] = state->z[i];
}

// Copy them back.
static void scatter(const td_model* m, const rates* at, td_state* state, td_work* w) {
  memcpy(state->q, at->q, (size_t)m->npos * sizeof(double));
  memcpy(state->v, at->v, (size_t)m->nvel * sizeof(double));
  memcpy(td_targets(w), at->target, 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < m->ninternal; i++) state->z[i] = at->z[i];
}

// state = start + h rate
static void move(const td_model* m, const rates* start, const rates* rate, double h, rates* at,
                 td_state* state, td_work* w) {
  for (int i = 0; i < at->n; i++) at->q[i] = start->q[i] + h * rate->q[i];
  scatter(m, at, state, w);
}

// A step that may meet one-sided elements: its two ends and the guards on the way.
typedef struct guarded {
  const td_model* m;
  td_state* state;
  td_work* w;
  rates from, to, slope_from, slope_to;  // states at the ends of a step and their rates
  double t, h, *start, *end, *speed, *bound, *level;
  double *least, *most;  // range of each guard at the beginning, the stages and the end
  bool *slack_from, *slack_to;
} guarded;

// Widen the ranges of all guards by their values `gap`.
static void widen_ranges(guarded* g, const double* gap) {
  for (int i = 0; i < td_guard_count(g->m); i++) {
    g->least[i] = fmin(g->least[i], gap[i]);
    g->most[i] = fmax(g->most[i], gap[i]);
  }
}

// One Runge-Kutta step and the return onto the constraints.  Prescribed motion may jump right at
// the ends: stages and the end are evaluated a little inside.  g: NULL when nothing is one-sided.
static td_status step(const td_model* m, td_state* state, td_work* w, double dt, guarded* g) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  arena* s = &w->scratch;
  rates start = rates_new(m, s), k = rates_new(m, s), sum = rates_new(m, s), x = rates_new(m, s);
  const double t = state->t, end = t + dt;
  const double inside = m->nmotion_slot > 0 ? fmin(td_jump_margin(end, dt), 0.25 * dt) : 0;
  gather(m, state, w, &start);

  for (int i = 0; i < 4; i++) {
    if (i > 0) move(m, &start, &k, at[i] * dt, &x, state, w);
    state->t = t + at[i] * dt + (i == 0 ? inside : i == 3 ? -inside : 0);

    // rates at this stage
    TD_TRY(td_trial_dynamics(m, state, w));
    memcpy(k.v, w->vdot, (size_t)m->nvel * sizeof(double));
    memset(k.q, 0, (size_t)m->npos * sizeof(double));
    td_qdot(m, w->q, w->v, k.q);
    for (int j = 0; j < m->ninternal; j++) k.z[j] = w->num[m->internal_rate + j];
    if (m->ntarget > 0) td_target_rates(m, state, w, td_targets(w), k.target);
    for (int j = 0; j < k.n; j++) sum.q[j] += weight[i] * k.q[j];

    // guards at this stage
    if (g && i == 0) memcpy(g->slope_from.v, k.v, (size_t)m->nvel * sizeof(double));
    if (g && i > 0) {
      td_guard_values(m, state, w, g->level, g->speed);
      widen_ranges(g, g->level);
    }
  }

  move(m, &start, &sum, dt, &x, state, w);

  // restore unit quaternions, prescribed motion, constraints and taut cables
  state->t = end - inside;
  td_normalise(m, state->q);
  td_prescribe(m, w, state);

  if (m->nrow > 0) {
    TD_TRY(td_project_q(m, state, w, 1e-10));
    TD_TRY(td_project_v(m, state, w));
    TD_TRY(td_taut_settle(m, state, w));
  }

  // prescribed positions belong to the very end
  state->t = end;
  if (inside > 0) td_place_motion(m, w, end, state->q, start.v);
  w->placed = false;
  return TD_OK;
}

// ---- steps that meet one-sided elements -------------------------------------------------------

// A step is divided where it would pass over an element, and while a one-sided element acts
// until two halves agree with the whole.  The time at which an element begins or ceases to act is
// located, since stages on both sides of it could agree on anything.
enum { MOST_STEPS = 65536 };
static const double agreement = 1e-6;  // difference of velocities relative to the largest

// Save the state, its targets and which cables are slack.
static void save(const guarded* g, rates* at, bool* slack) {
  gather(g->m, g->state, g->w, at);
  for (int i = 0; i < g->m->ncable; i++) slack[i] = g->w->cable[i].slack;
}

// Return to a saved state at time t.
static void put_back(const guarded* g, const rates* at, const bool* slack, double t) {
  scatter(g->m, at, g->state, g->w);
  for (int i = 0; i < g->m->ncable; i++) g->w->cable[i].slack = slack[i];
  g->state->t = t;
}

// Step the state by h, and release the scratch.
static td_status substep(guarded* g, double h) {
  const arena_mark mark = arena_open(&g->w->scratch);
  const td_status status = step(g->m, g->state, g->w, h, g);
  arena_close(&g->w->scratch, mark);
  return status;
}

// Guards at time t on Hermite's cubic through the positions and rates of both ends.
static bool guards_along(void* ctx, double t, double* gap) {
  guarded* g = ctx;
  const double h = g->h, x = (t - g->t) / h, z = 1 - x;
  const double a = z * z * (1 + 2 * x), b = x * x * (1 + 2 * z), c = h * x * z * z,
               d = -h * x * x * z;
  for (int i = 0; i < g->m->npos; i++)
    g->state->q[i] =
        a * g->from.q[i] + b * g->to.q[i] + c * g->slope_from.q[i] + d * g->slope_to.q[i];
  for (int i = 0; i < g->m->nvel; i++) g->state->v[i] = z * g->from.v[i] + x * g->to.v[i];
  for (int i = 0; i < g->m->ninternal; i++) g->state->z[i] = z * g->from.z[i] + x * g->to.z[i];
  g->state->t = t;
  td_guard_values(g->m, g->state, g->w, gap, g->speed);
  return true;
}

// Length of the step up to an element that it would pass over; NaN: there is none.
static double first_crossing(guarded* g) {
  const int n = td_guard_count(g->m);
  const double d = 1e-3 * g->h;
  td_qdot(g->m, g->from.q, g->from.v, g->slope_from.q);
  td_qdot(g->m, g->to.q, g->to.v, g->slope_to.q);

  // bound the rates of the guards: their speeds at both ends, and differences near the ends
  memset(g->bound, 0, (size_t)n * sizeof(double));

  for (int side = 0; side < 2; side++) {
    double *at = side ? g->end : g->start, t = side ? g->t + g->h : g->t;
    guards_along(g, t, at);
    for (int i = 0; i < n; i++) g->bound[i] = fmax(g->bound[i], g->speed[i]);  // ignores NaN
    guards_along(g, side ? t - d : t + d, g->level);
    for (int i = 0; i < n; i++)
      if (isfinite(at[i])) g->bound[i] = fmax(g->bound[i], fabs(g->level[i] - at[i]) / d);
  }

  // obstacles and coordinates moved by time may be faster in between
  double peak[4];
  const int peaks =
      td_guards_are_timed(g->m) ? td_guard_peaks(g->m, g->w, g->t, g->t + g->h, 8, peak, 4) : 0;

  for (int k = 0; k < peaks; k++) {
    guards_along(g, peak[k], g->level);
    for (int i = 0; i < n; i++) g->bound[i] = fmax(g->bound[i], g->speed[i]);
  }

  for (int i = 0; i < n; i++) g->bound[i] *= 1.5;

  // search for a guard that changes sign between the ends, or is deeper behind the first
  td_guard_path path = {.n = n,
                        .start = g->start,
                        .end = g->end,
                        .bound = g->bound,
                        .level = g->level,
                        .at = guards_along,
                        .ctx = g};
  double inside = td_guard_search(&path, g->t, g->start, g->t + g->h, g->end, 0);
  if (isnan(inside)) inside = td_guard_behind(&path, g->t, g->t + g->h, g->bound);
  return inside - g->t;
}

// The guards along a substep.
typedef struct meeting {
  bool engaged;  // an element acts at one of the ends; corners of expressions always count
  bool mixed;    // some guard had both signs
  bool once;     // each such guard changed sign once, from end to end
} meeting;

// Classify a substep by the guards at its ends and stages.
static meeting meet(guarded* g) {
  const int n = td_guard_count(g->m);
  const double d = 1e-3 * g->h;
  meeting it = {.engaged = g->m->nkink > 0, .once = true};
  widen_ranges(g, g->start);
  widen_ranges(g, g->end);

  // elements that act at the ends, and guards that had both signs
  for (int i = 0; i < n; i++) {
    it.engaged = it.engaged || g->start[i] <= 0 || g->end[i] <= 0;
    it.mixed = it.mixed || (g->least[i] < 0 && g->most[i] > 0);
  }

  // a guard changes sign once when its slopes at both ends have the sign of its change
  for (int side = 0; side < 2 && it.mixed; side++) {
    const double* at = side ? g->end : g->start;
    guards_along(g, side ? g->t + g->h - d : g->t + d, g->level);
    for (int i = 0; i < n; i++) {
      const double change = g->end[i] - g->start[i],
                   slope = side ? at[i] - g->level[i] : g->level[i] - at[i];
      if (g->least[i] < 0 && g->most[i] > 0 &&
          !(g->start[i] * g->end[i] <= 0 && slope * change > 0))
        it.once = false;
    }
  }

  return it;
}

// Largest difference of the velocities at the end from those at constant acceleration; *most: the
// largest velocity.
static double curvature_of(const guarded* g, double* most) {
  double worst = 0;
  *most = 0;
  for (int i = 0; i < g->m->nvel; i++) {
    const double from = g->from.v[i], to = g->to.v[i];
    *most = fmax(*most, fmax(fabs(from), fabs(to)));
    worst = fmax(worst, fabs(to - from - g->h * g->slope_from.v[i]));
  }
  return worst;
}

// Difference of the velocities after two halves and after the whole substep, relative to what is
// allowed.
static double disagreement(const guarded* g) {
  double most = 0, worst = 0;
  for (int i = 0; i < g->m->nvel; i++) {
    most = fmax(most, fmax(fabs(g->state->v[i]), fabs(g->from.v[i])));
    worst = fmax(worst, fabs(g->state->v[i] - g->to.v[i]));
  }
  return worst / (agreement * most + 1e-12);
}

// Step by dt in substeps that locate the changes of one-sided elements and resolve the time they
// act.
static td_status divided_step(guarded* g, double dt) {
  static const double modest = 0.05;
  const int n = td_guard_count(g->m);
  const double t_end = g->state->t + dt;
  const double least = fmax(1e-10 * dt, 8 * DBL_EPSILON * fabs(t_end));
  double h = dt, change = INFINITY;  // a guard changes sign before this time

  for (int steps = 0; t_end - g->state->t > 0.1 * least; steps++) {
    if (steps == MOST_STEPS) return TD_E_DIVERGED;

    // choose the length, and try it
    g->t = g->state->t;
    const double left = t_end - g->t;
    if (change - g->t > least) h = fmin(h, (change - g->t) / 2);
    g->h = h = h > 0.999 * left ? left : fmax(h, fmin(least, left));
    save(g, &g->from, g->slack_from);
    td_guard_values(g->m, g->state, g->w, g->start, g->speed);
    memcpy(g->least, g->start, (size_t)n * sizeof(double));
    memcpy(g->most, g->start, (size_t)n * sizeof(double));
    TD_TRY(substep(g, h));

    // how did it meet the guards?
    save(g, &g->to, g->slack_to);
    const double inside = first_crossing(g);
    const meeting met = meet(g);
    double size;
    const double curve = curvature_of(g, &size);

    // accept: no element acts, and none was passed
    if (!(inside < h) && !met.mixed && !met.engaged) {
      put_back(g, &g->to, g->slack_to, g->t + h);
      h *= 2;
      continue;
    }

    // accept: an element changes sides, but so near or so weakly that it has no effect
    const bool alone = met.once && !(inside < h);
    if (met.mixed && ((alone && curve <= agreement * size) || h <= 1.001 * least)) {
      put_back(g, &g->to, g->slack_to, g->t + h);
      change = INFINITY;
      h *= 2;
      continue;
    }

    // go back and shorten the substep towards a change of sides
    put_back(g, &g->from, g->slack_from, g->t);
    if (inside < h || (met.mixed && !(alone && curve <= modest * size))) {
      change = g->t + (inside < h ? inside : h);
      h = (change - g->t) / 2;
      continue;
    }

    // an element acts all the time: accept two halves when they agree with the whole
    TD_TRY(substep(g, h / 2));
    TD_TRY(substep(g, h / 2));
    const double error = disagreement(g);
    if (error <= 1 || h <= 1.001 * least) {
      if (met.mixed) change = INFINITY;
      h *= fmin(4, 0.9 * pow(fmax(error, 1e-6), -0.2));
      continue;
    }
    put_back(g, &g->from, g->slack_from, g->t);
    h /= 2;
  }

  g->state->t = t_end;
  return TD_OK;
}

// Step by dt without jumps of prescribed speeds in between; divided where the model has guards.
static td_status smooth_step(const td_model* m, td_state* state, td_work* w, double dt) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int n = td_guard_count(m);
  td_status status;
  td_prepare(m, w);
  if (m->nrow > 0 && w->rank.last < m->nrow) td_rank_keep(m, state, w, w->rank.last == 0);

  // one step where nothing is one-sided, else divided as needed
  if (n == 0) {
    status = step(m, state, w, dt, NULL);
  } else {
    guarded g = {.m = m, .state = state, .w = w};
    rates* ends[] = {&g.from, &g.to, &g.slope_from, &g.slope_to};
    double** guards[] = {&g.start, &g.end, &g.speed, &g.bound, &g.least, &g.most};
    for (int k = 0; k < 4; k++) *ends[k] = rates_new(m, s);
    for (int k = 0; k < 6; k++) *guards[k] = arena_doubles(s, n);
    g.level = arena_doubles(s, TD_GUARD_LEVELS * n);
    g.slack_from = arena_bytes(s, (size_t)m->ncable + 1);
    g.slack_to = arena_bytes(s, (size_t)m->ncable + 1);
    status = divided_step(&g, dt);
  }

  td_rank_forget(w);
  arena_close(s, mark);
  return status;
}

// Let rods buckle that prescribed motion finds straight, at the start and at jumps: the state moves
// on by a short part of the step.  Fails with a message when the step is too short for that.
static td_status buckle(const td_model* m, td_state* state, td_work* w, double end, bool* buckled) {
  const double ahead = fmax(end, state->t + m->settings[2]);
  *buckled = td_stuck(m, state, w, ahead) > 0;
  if (!*buckled) return TD_OK;
  const double after = td_stuck(m, state, w, end);
  if (after > 0) return td_buckle(m, state, w, after);
  td_work_fail(w,
               "at t = %g s prescribed motion finds rods of its loops straight, which can give way "
               "only by buckling; the step must be longer than %g s there",
               state->t, td_stuck(m, state, w, ahead));
  return TD_E_MODEL;
}

// Step by dt.  Jumps of prescribed speeds in between, or right at the end, are met one by one.
td_status td_fixed_step(const td_model* m, td_state* state, td_work* w, double dt) {
  const double begin = state->t, end = begin + dt, margin = td_jump_margin(begin, dt);
  double work;
  bool moved = false, buckled = false;

  if (m->nmotion_slot == 0 && !m->strains_timed) {
    TD_TRY(smooth_step(m, state, w, dt));
    return td_refuse_folds(m, state, w);
  }

  // buckling and jumps right at the start of the simulation
  if (fabs(begin - m->settings[0]) <= margin) {
    TD_TRY(buckle(m, state, w, end, &buckled));
    if (!buckled) TD_TRY(td_jump(m, state, w, margin, TD_EDGE_START, &work, &moved));
  }

  if (moved) TD_TRY(td_taut_settle(m, state, w));

  // smooth steps from one jump to the next
  for (double t = state->t; t < end;) {
    const double from = t + 2 * margin, past = end + 2 * margin;
    const double corner = td_next_corner(m, w, from, past, true);
    const double jump = fmin(corner, td_next_jump(m, w, from, fmin(past, corner)));
    const bool at_end = jump >= end - margin, none = jump > end + 2 * margin;
    const double to = at_end ? end : jump;
    TD_TRY(smooth_step(m, state, w, to - t));
    state->t = t = to;

    // buckling or the jump at the end of the smooth step
    if (none) continue;
    TD_TRY(buckle(m, state, w, end, &buckled));
    if (!buckled) TD_TRY(td_jump(m, state, w, 2 * margin, TD_EDGE_NONE, &work, &moved));
    if (!buckled && moved) TD_TRY(td_taut_settle(m, state, w));
    t = state->t = buckled ? state->t : to;
  }

  state->t = end;
  return td_refuse_folds(m, state, w);
}
