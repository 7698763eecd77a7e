// The classical Runge-Kutta step of order 4 on q' = N(q) v, v' = forward dynamics, with the
// integrated controls of constraint rows and the internal states as further states.  Where
// one-sided elements act or would be passed over, the step is made of shorter ones.
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/stages.h"

typedef struct rates {
  double *q, *v, *target, *z;
} rates;

static rates rates_new(const td_model* m, arena* s) {
  return (rates){arena_doubles(s, m->npos), arena_doubles(s, m->nvel),
                 arena_doubles(s, 2 * m->ntarget), arena_doubles(s, m->ninternal)};
}

static td_status rates_at(const td_model* m, const td_state* state, td_work* w, rates* r) {
  TD_TRY(td_trial_dynamics(m, state, w));
  memcpy(r->v, w->vdot, (size_t)m->nvel * sizeof(double));
  memset(r->q, 0, (size_t)m->npos * sizeof(double));
  td_qdot(m, w->q, w->v, r->q);
  for (int i = 0; i < m->ninternal; i++) r->z[i] = w->num[m->internal_rate + i];
  if (m->ntarget > 0) td_target_rates(m, state, w, td_targets(w), r->target);
  return TD_OK;
}

// state = start + h rate
static void move(const td_model* m, const rates* start, const rates* rate, double h,
                 td_state* state, td_work* w) {
  for (int i = 0; i < m->npos; i++) state->q[i] = start->q[i] + h * rate->q[i];
  for (int i = 0; i < m->nvel; i++) state->v[i] = start->v[i] + h * rate->v[i];
  for (int i = 0; i < 2 * m->ntarget; i++) {
    td_targets(w)[i] = start->target[i] + h * rate->target[i];
  }
  for (int i = 0; i < m->ninternal; i++) state->z[i] = start->z[i] + h * rate->z[i];
}

static void add(const td_model* m, double weight, const rates* rate, rates* sum) {
  for (int i = 0; i < m->npos; i++) sum->q[i] += weight * rate->q[i];
  for (int i = 0; i < m->nvel; i++) sum->v[i] += weight * rate->v[i];
  for (int i = 0; i < 2 * m->ntarget; i++) sum->target[i] += weight * rate->target[i];
  for (int i = 0; i < m->ninternal; i++) sum->z[i] += weight * rate->z[i];
}

static td_status restore(const td_model* m, td_state* state, td_work* w) {
  td_normalise(m, state->q);
  td_prescribe(m, w, state);
  if (m->nrow == 0) return TD_OK;
  TD_TRY(td_project_q(m, state, w, 1e-10));
  TD_TRY(td_project_v(m, state, w));
  return td_taut_settle(m, state, w);
}

// A step that may meet one-sided elements
typedef struct guarded {
  const td_model* m;
  td_state* state;
  td_work* w;
  rates from, to, slope_from, slope_to;  // states at the ends of a step and their rates
  double t, h, *start, *end, *speed, *bound, *level;
  double *least, *most;  // of each guard at the beginning, the stages and the end
  bool *slack_from, *slack_to;
} guarded;

static void see(guarded* g, const double* gap) {
  for (int i = 0; i < td_guard_count(g->m); i++) {
    g->least[i] = fmin(g->least[i], gap[i]);
    g->most[i] = fmax(g->most[i], gap[i]);
  }
}

// From one instant to the next without jumps between; right at the ends there may be some, so times
// keep a little inside.  g: NULL when nothing is one-sided.
static td_status step(const td_model* m, td_state* state, td_work* w, double dt, guarded* g) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  arena* s = &w->scratch;
  rates start = rates_new(m, s), k = rates_new(m, s), sum = rates_new(m, s);
  const double t = state->t, end = t + dt;
  const double inside = m->nmotion_slot > 0 ? fmin(td_jump_margin(end, dt), 0.25 * dt) : 0;
  memcpy(start.q, state->q, (size_t)m->npos * sizeof(double));
  memcpy(start.v, state->v, (size_t)m->nvel * sizeof(double));
  memcpy(start.target, td_targets(w), 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < m->ninternal; i++) start.z[i] = state->z[i], sum.z[i] = 0;
  memset(sum.q, 0, (size_t)m->npos * sizeof(double));
  memset(sum.v, 0, (size_t)m->nvel * sizeof(double));
  memset(sum.target, 0, 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < 4; i++) {
    if (i > 0) move(m, &start, &k, at[i] * dt, state, w);
    state->t = t + at[i] * dt + (i == 0 ? inside : i == 3 ? -inside : 0);
    TD_TRY(rates_at(m, state, w, &k));
    if (g && i == 0) memcpy(g->slope_from.v, k.v, (size_t)m->nvel * sizeof(double));
    if (g && i > 0) {
      td_guard_values(m, state, w, g->level, g->speed);
      see(g, g->level);
    }
    add(m, weight[i], &k, &sum);
  }
  move(m, &start, &sum, dt, state, w);
  state->t = end - inside;
  TD_TRY(restore(m, state, w));
  state->t = end;
  if (inside > 0) td_place_motion(m, w, end, state->q, start.v);  // positions of the very end
  w->placed = false;
  return TD_OK;
}

// ---- steps that meet one-sided elements -------------------------------------------------------

// A step is divided where it passes over something, and where something one-sided acts until two
// halves agree with the whole.  What begins or ceases to act on the way is located: stages on
// both sides of it may agree on anything.
enum { MOST_PARTS = 65536 };
static const double agreement = 1e-6;  // of velocities, relative to the largest

static void keep(const guarded* g, rates* at, bool* slack) {
  const td_model* m = g->m;
  memcpy(at->q, g->state->q, (size_t)m->npos * sizeof(double));
  memcpy(at->v, g->state->v, (size_t)m->nvel * sizeof(double));
  memcpy(at->target, td_targets(g->w), 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < m->ninternal; i++) at->z[i] = g->state->z[i];
  for (int i = 0; i < m->ncable; i++) slack[i] = g->w->cable[i].slack;
}

static void put_back(const guarded* g, const rates* at, const bool* slack, double t) {
  const td_model* m = g->m;
  memcpy(g->state->q, at->q, (size_t)m->npos * sizeof(double));
  memcpy(g->state->v, at->v, (size_t)m->nvel * sizeof(double));
  memcpy(td_targets(g->w), at->target, 2 * (size_t)m->ntarget * sizeof(double));
  for (int i = 0; i < m->ninternal; i++) g->state->z[i] = at->z[i];
  for (int i = 0; i < m->ncable; i++) g->w->cable[i].slack = slack[i];
  g->state->t = t;
}

static td_status part(guarded* g, double h) {
  const arena_mark mark = arena_open(&g->w->scratch);
  const td_status status = step(g->m, g->state, g->w, h, g);
  arena_close(&g->w->scratch, mark);
  return status;
}

// Guards on Hermite's cubic through both ends
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

// The length of the step up to something that it passes over; NaN: there is nothing.
static double passed(guarded* g) {
  const int n = td_guard_count(g->m);
  const double d = 1e-3 * g->h;
  td_qdot(g->m, g->from.q, g->from.v, g->slope_from.q);
  td_qdot(g->m, g->to.q, g->to.v, g->slope_to.q);
  guards_along(g, g->t, g->start);
  for (int i = 0; i < n; i++) g->bound[i] = isnan(g->speed[i]) ? 0 : g->speed[i];
  guards_along(g, g->t + g->h, g->end);
  for (int i = 0; i < n; i++) g->bound[i] = fmax(g->bound[i], isnan(g->speed[i]) ? 0 : g->speed[i]);
  guards_along(g, g->t + d, g->level);
  for (int i = 0; i < n; i++)
    if (isfinite(g->start[i])) g->bound[i] = fmax(g->bound[i], fabs(g->level[i] - g->start[i]) / d);
  guards_along(g, g->t + g->h - d, g->level);
  for (int i = 0; i < n; i++)
    if (isfinite(g->end[i])) g->bound[i] = fmax(g->bound[i], fabs(g->level[i] - g->end[i]) / d);
  // what time alone moves may be faster on the way
  double peak[4];
  const int peaks =
      td_guards_are_timed(g->m) ? td_guard_peaks(g->m, g->w, g->t, g->t + g->h, 8, peak, 4) : 0;
  for (int k = 0; k < peaks; k++) {
    guards_along(g, peak[k], g->level);
    for (int i = 0; i < n; i++)
      g->bound[i] = fmax(g->bound[i], isnan(g->speed[i]) ? 0 : g->speed[i]);
  }
  for (int i = 0; i < n; i++) g->bound[i] *= 1.5;
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

// How a part of a step met the one-sided elements
typedef struct meeting {
  bool engaged;  // something acts at one of its ends; of expressions it is not known on which side
  bool mixed;    // something was seen on both of its sides
  bool once;     // and all of that changed its side once, from end to end
} meeting;

static meeting meet(guarded* g) {
  const int n = td_guard_count(g->m);
  const double d = 1e-3 * g->h;
  meeting it = {.engaged = g->m->nkink > 0, .once = true};
  see(g, g->start);
  see(g, g->end);
  for (int i = 0; i < n; i++) {
    it.engaged = it.engaged || g->start[i] <= 0 || g->end[i] <= 0;
    it.mixed = it.mixed || (g->least[i] < 0 && g->most[i] > 0);
  }

  // its slopes at both ends point to the other side
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

// The largest velocity, and how far the step was from one with the acceleration of its beginning.
static double bent(const guarded* g, double* most) {
  double worst = 0;
  *most = 0;
  for (int i = 0; i < g->m->nvel; i++) {
    const double from = g->from.v[i], to = g->to.v[i];
    *most = fmax(*most, fmax(fabs(from), fabs(to)));
    worst = fmax(worst, fabs(to - from - g->h * g->slope_from.v[i]));
  }
  return worst;
}

// Two halves against the whole, in units of what is allowed.
static double disagreement(const guarded* g) {
  double most = 0, worst = 0;
  for (int i = 0; i < g->m->nvel; i++) {
    most = fmax(most, fmax(fabs(g->state->v[i]), fabs(g->from.v[i])));
    worst = fmax(worst, fabs(g->state->v[i] - g->to.v[i]));
  }
  return worst / (agreement * most + 1e-12);
}

static td_status divided(guarded* g, double dt) {
  static const double modest = 0.05;
  const int n = td_guard_count(g->m);
  const double t_end = g->state->t + dt;
  const double least = fmax(1e-10 * dt, 8 * DBL_EPSILON * fabs(t_end));
  double h = dt, change = INFINITY;  // something changes its side before this time
  for (int parts = 0; t_end - g->state->t > 0.1 * least; parts++) {
    if (parts == MOST_PARTS) return TD_E_DIVERGED;
    g->t = g->state->t;
    const double left = t_end - g->t;
    if (change - g->t > least) h = fmin(h, (change - g->t) / 2);
    g->h = h = h > 0.999 * left ? left : fmax(h, fmin(least, left));
    keep(g, &g->from, g->slack_from);
    td_guard_values(g->m, g->state, g->w, g->start, g->speed);
    memcpy(g->least, g->start, (size_t)n * sizeof(double));
    memcpy(g->most, g->start, (size_t)n * sizeof(double));
    TD_TRY(part(g, h));
    keep(g, &g->to, g->slack_to);
    const double inside = passed(g);
    const meeting met = meet(g);
    double size;
    const double curve = bent(g, &size);

    // free on one side of everything
    if (!(inside < h) && !met.mixed && !met.engaged) {
      put_back(g, &g->to, g->slack_to, g->t + h);
      h *= 2;
      continue;
    }
    // a change of sides is so near that nothing comes of it
    const bool alone = met.once && !(inside < h);
    if (met.mixed && ((alone && curve <= agreement * size) || h <= 1.001 * least)) {
      put_back(g, &g->to, g->slack_to, g->t + h);
      change = INFINITY;
      h *= 2;
      continue;
    }
    put_back(g, &g->from, g->slack_from, g->t);
    if (inside < h || (met.mixed && !(alone && curve <= modest * size))) {
      change = g->t + (inside < h ? inside : h);
      h = (change - g->t) / 2;
      continue;
    }

    TD_TRY(part(g, h / 2));
    TD_TRY(part(g, h / 2));
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

// A step without jumps between its ends.
static td_status smooth_step(const td_model* m, td_state* state, td_work* w, double dt) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int n = td_guard_count(m);
  td_status status;
  td_prepare(m, w);
  if (m->nrow > 0 && w->rank.last < m->nrow) td_rank_keep(m, state, w, w->rank.last == 0);
  if (n == 0) {
    status = step(m, state, w, dt, NULL);
  } else {
    guarded g = {.m = m,
                 .state = state,
                 .w = w,
                 .from = rates_new(m, s),
                 .to = rates_new(m, s),
                 .slope_from = rates_new(m, s),
                 .slope_to = rates_new(m, s),
                 .start = arena_doubles(s, n),
                 .end = arena_doubles(s, n),
                 .speed = arena_doubles(s, n),
                 .bound = arena_doubles(s, n),
                 .level = arena_doubles(s, TD_GUARD_LEVELS * n),
                 .least = arena_doubles(s, n),
                 .most = arena_doubles(s, n),
                 .slack_from = arena_bytes(s, (size_t)m->ncable + 1),
                 .slack_to = arena_bytes(s, (size_t)m->ncable + 1)};
    status = divided(&g, dt);
  }
  td_rank_forget(w);
  arena_close(s, mark);
  return status;
}

// Prescribed motion that finds rods of its loops straight, at the start and at jumps, makes them
// buckle: the state goes on by a short part of what is left of the step, or says how long it must
// be.
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

// Prescribed speeds that jump on the way, or right at the end, are met one by one.
td_status td_fixed_step(const td_model* m, td_state* state, td_work* w, double dt) {
  const double begin = state->t, end = begin + dt, margin = td_jump_margin(begin, dt);
  double work;
  bool moved = false, buckled = false;
  if (m->nmotion_slot == 0 && !m->strains_timed) {
    TD_TRY(smooth_step(m, state, w, dt));
    return td_refuse_folds(m, state, w);
  }
  if (fabs(begin - m->settings[0]) <= margin) {
    TD_TRY(buckle(m, state, w, end, &buckled));
    if (!buckled) TD_TRY(td_jump(m, state, w, margin, TD_EDGE_START, &work, &moved));
  }
  if (moved) TD_TRY(td_taut_settle(m, state, w));
  for (double t = state->t; t < end;) {
    const double from = t + 2 * margin, past = end + 2 * margin;
    const double corner = td_next_corner(m, w, from, past, true);
    const double jump = fmin(corner, td_next_jump(m, w, from, fmin(past, corner)));
    const bool at_end = jump >= end - margin, none = jump > end + 2 * margin;
    const double to = at_end ? end : jump;
    TD_TRY(smooth_step(m, state, w, to - t));
    state->t = t = to;
    if (none) continue;
    TD_TRY(buckle(m, state, w, end, &buckled));
    if (!buckled) TD_TRY(td_jump(m, state, w, 2 * margin, TD_EDGE_NONE, &work, &moved));
    if (!buckled && moved) TD_TRY(td_taut_settle(m, state, w));
    t = state->t = buckled ? state->t : to;
  }
  state->t = end;
  return td_refuse_folds(m, state, w);
}
