// Which cables that cannot be stretched are taut.  With the gap  e - pull >= 0  of each (taut.c):
//
//   positions       a cable is taut where its gap is closed
//   velocities      impulses P >= 0 stop gaps that close, perfectly plastic:
//                   v+ = v + M⁻¹ Jᵀ P,   gap' >= 0,   P gap' = 0
//   accelerations   T >= 0,   gap" >= 0,   T gap" = 0
//
// together with all other constraints.  The two problems of complementarity are solved by active
// sets: begin with all closed ones taut, change those of the wrong sign, after a while only the
// first of them, which ends (K. G. Murty, Bull. Austral. Math. Soc. 10, 1974).
#include <math.h>
#include <string.h>

#include "engine/taut.h"

#define GAP_OVERSHOOT 1e-10
#define GAP_BOUNCE 1e-8
// Relative to the largest tension: a taut cable is let go below minus this; a multiplier is
// negative below minus this.
#define TENSION_RELEASE 1e-9
#define TENSION_SIGN 1e-11
// Relative to the speeds that add up to the rate of a gap: below this there is none.
#define GAP_STILL 1e-9

static bool is_hard(const td_model* m, int cable) { return m->cable[cable].row >= 0; }

int td_taut_count(const td_model* m) { return m->ntaut; }

const char* td_taut_name(const td_model* m, int i) {
  int cable = 0;
  while (!is_hard(m, cable) || i-- > 0) cable++;
  return model_name(m, m->cable[cable].name);
}

void td_taut_copy(const td_model* m, const td_work* from, td_work* to) {
  for (int i = 0; i < m->ncable; i++) to->cable[i].slack = from->cable[i].slack;
}

static void keep_slack(const td_model* m, const td_work* w, bool* slack) {
  for (int i = 0; i < m->ncable; i++) slack[i] = w->cable[i].slack;
}

static void set_slack(const td_model* m, td_work* w, const bool* slack) {
  for (int i = 0; i < m->ncable; i++) w->cable[i].slack = slack[i];
}

td_status td_taut_free(const td_model* m, td_state* state, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  bool* slack = arena_bytes(&w->scratch, (size_t)m->ncable);
  keep_slack(m, w, slack);
  for (int i = 0; i < m->ncable; i++) w->cable[i].slack = true;
  const td_status status = td_project_v(m, state, w);
  set_slack(m, w, slack);
  arena_close(&w->scratch, mark);
  return status;
}

// ---- complementarity --------------------------------------------------------------------------

// Multipliers of the taut and openings of the slack cables, and their largest values so far.
typedef struct contest {
  const td_model* m;
  td_state* state;
  td_work* w;
  bool* closed;  // whose gaps are: only these take part
  double *multiplier, *opening;
  double *rate, *scale;  // of the gaps, and what counts as none
  double *g, *dv, *row;  // velocities: rates to be brought about, their change, a row of J
  double most, widest;
} contest;

static contest contest_new(const td_model* m, td_state* state, td_work* w) {
  arena* s = &w->scratch;
  return (contest){.m = m,
                   .state = state,
                   .w = w,
                   .closed = arena_bytes(s, (size_t)m->ncable),
                   .multiplier = arena_zeros(s, m->nrow),
                   .opening = arena_zeros(s, m->ncable),
                   .rate = arena_zeros(s, m->ncable),
                   .scale = arena_zeros(s, m->ncable),
                   .g = arena_zeros(s, m->nrow),
                   .dv = arena_zeros(s, m->nvel),
                   .row = arena_zeros(s, m->nvel)};
}

static bool is_wrong(const contest* c, int i) {
  const int row = c->m->cable[i].row;
  if (row < 0 || !c->closed[i]) return false;
  return c->w->cable[i].slack ? c->opening[i] < -fmax(GAP_STILL * c->widest, c->scale[i])
                              : c->multiplier[row] < -TENSION_SIGN * c->most;
}

static void take_scales(contest* c) {
  for (int i = 0; i < c->m->ncable; i++) {
    if (!is_hard(c->m, i) || !c->closed[i]) continue;
    c->most = fmax(c->most, fabs(c->multiplier[c->m->cable[i].row]));
    c->widest = fmax(c->widest, fabs(c->opening[i]));
  }
}

// `solve` finds multipliers and openings for the present set.
static td_status decide(contest* c, td_status (*solve)(contest*)) {
  enum { ALL_AT_ONCE = 8 };
  const int most = 4 * ALL_AT_ONCE + 8 * c->m->ntaut;
  c->most = c->widest = 0;
  for (int k = 0; k < most; k++) {
    TD_TRY(solve(c));
    take_scales(c);
    int wrong = 0;
    for (int i = 0; i < c->m->ncable; i++) {
      if (!is_wrong(c, i) || (wrong > 0 && k >= ALL_AT_ONCE)) continue;
      c->w->cable[i].slack = !c->w->cable[i].slack;
      wrong++;
    }
    if (wrong == 0) return TD_OK;
  }
  td_work_fail(c->w, "the cables cannot be told taut from slack (t = %g s)", c->state->t);
  return TD_E_DIVERGED;
}

// ---- velocities -------------------------------------------------------------------------------

static double along_row(const contest* c, int cable, const double* v) {
  double sum = 0;
  td_taut_jacobian(c->m, c->w, cable, c->row);
  for (int j = 0; j < c->m->nvel; j++) sum += c->row[j] * v[j];
  return sum;
}

// Rates of the cables, and what counts as none: besides a part of what they are made of, the
// rounding that velocities have of each other where an impulse of loops was solved for.
static void measure_rates(contest* c) {
  double most = 0;
  for (int j = 0; j < c->m->nvel; j++) most = fmax(most, fabs(c->w->v[j]));
  for (int i = 0; i < c->m->ncable; i++) {
    if (!is_hard(c->m, i)) continue;
    const double rate = c->w->num[c->m->row[c->m->cable[i].row].motion + 1];
    td_taut_jacobian(c->m, c->w, i, c->row);
    double made = fabs(rate), rounding = 0;
    for (int j = 0; j < c->m->nvel; j++) {
      made += fabs(c->row[j] * c->w->v[j]);
      rounding += 1e-13 * most * fabs(c->row[j]);
    }
    c->scale[i] = GAP_STILL * made + rounding + 1e-14;
    c->rate[i] = td_taut_gap(c->m, c->w, i).ed;
  }
}

static bool is_opening(const contest* c) {
  for (int i = 0; i < c->m->ncable; i++)
    if (is_hard(c->m, i) && c->closed[i] && c->rate[i] > c->scale[i]) return true;
  return false;
}

// Impulses that bring the rates of all constraints to where they should be.
static td_status strike(contest* c) {
  const td_model* m = c->m;
  td_work* w = c->w;
  for (int i = 0; i < m->nrow; i++) {
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    c->g[i] = m->row[i].projected && !row_is_off(m, w, i) ? ed - td_row_at(m, w, i).ed : 0;
  }
  TD_TRY(td_impulse(m, w, c->g, c->dv, c->multiplier));
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i)) c->opening[i] = c->rate[i] + along_row(c, i, c->dv);
  return TD_OK;
}

// ---- accelerations ----------------------------------------------------------------------------

static td_status hold(contest* c) {
  const td_model* m = c->m;
  td_work* w = c->w;
  TD_TRY(td_trial_dynamics(m, c->state, w));
  memcpy(c->multiplier, w->lambda, (size_t)m->nrow * sizeof(double));
  td_accelerate(m, w, w->vdot, false);
  for (int i = 0; i < m->ncable; i++) c->opening[i] = is_hard(m, i) ? td_taut_gap(m, w, i).edd : 0;
  return TD_OK;
}

// The same, with what counts as no opening: of a cable along what loops hold rigid only the
// rounding of the accelerations is left.
static td_status hold_or_not(contest* c) {
  TD_TRY(hold(c));
  double most = 0;
  for (int j = 0; j < c->m->nvel; j++) most = fmax(most, fabs(c->w->vdot[j]));
  for (int i = 0; i < c->m->ncable; i++) {
    c->scale[i] = 1e-14;  // where nothing can move at all
    if (!is_hard(c->m, i)) continue;
    td_taut_jacobian(c->m, c->w, i, c->row);
    for (int j = 0; j < c->m->nvel; j++) c->scale[i] += 1e-13 * most * fabs(c->row[j]);
  }
  return TD_OK;
}

static td_status settle_accelerations(contest* c) {
  for (int i = 0; i < c->m->ncable; i++)
    if (is_hard(c->m, i)) c->w->cable[i].slack = !c->closed[i];
  TD_TRY(decide(c, hold_or_not));
  c->w->taut_scale = fmax(c->w->taut_scale, c->most);
  return TD_OK;
}

// ---- impacts ----------------------------------------------------------------------------------

static void add_impulses(contest* c) {
  for (int j = 0; j < c->m->nvel; j++) c->state->v[j] += c->dv[j];
  td_enter(c->m, c->state, c->w);
  measure_rates(c);
}

// An impulse of one cable may open the gap of another, which closes again and opens the first, ever
// less: a gap that would close before it is GAP_BOUNCE wide,  gap'²/(2 |gap"|),  does not open.
static td_status hold_back(contest* c) {
  bool any = false;
  if (!is_opening(c)) return TD_OK;
  TD_TRY(hold(c));
  for (int i = 0; i < c->m->ncable; i++) {
    if (!is_hard(c->m, i) || !c->closed[i] || !(c->rate[i] > c->scale[i])) continue;
    const double bounce = GAP_BOUNCE * c->w->cable[i].zero;
    if (!(c->rate[i] * c->rate[i] < -2 * c->opening[i] * bounce)) continue;
    c->w->cable[i].slack = false;
    any = true;
  }
  if (!any) return TD_OK;
  TD_TRY(strike(c));
  add_impulses(c);
  return TD_OK;
}

static td_status settle_velocities(contest* c) {
  bool closing = false;
  td_enter(c->m, c->state, c->w);
  measure_rates(c);
  for (int i = 0; i < c->m->ncable; i++) {
    if (!is_hard(c->m, i) || !c->closed[i]) continue;
    closing |= c->rate[i] < -c->scale[i];
    c->w->cable[i].slack = c->rate[i] > c->scale[i];
  }
  if (closing) {
    TD_TRY(decide(c, strike));
    add_impulses(c);
  }
  TD_TRY(hold_back(c));
  for (int i = 0; i < c->m->ncable; i++)
    if (is_hard(c->m, i)) c->closed[i] = c->closed[i] && c->rate[i] <= c->scale[i];
  return TD_OK;
}

// ---- all of it --------------------------------------------------------------------------------

static void find_closed(contest* c) {
  for (int i = 0; i < c->m->ncable; i++) c->closed[i] = is_hard(c->m, i) && !c->w->cable[i].slack;
}

// The cable that is farthest from where it is pulled to.
static td_status cannot_follow(contest* c) {
  int worst = -1;
  double most = 0;
  td_place(c->m, c->state, c->w);
  for (int i = 0; i < c->m->ncable; i++) {
    const double gap = is_hard(c->m, i) ? fabs(td_taut_gap(c->m, c->w, i).e) : 0;
    if (c->closed[i] && gap > most) worst = i, most = gap;
  }
  if (worst >= 0)
    td_work_fail(c->w,
                 "%s cannot be stretched, and what it pulls cannot follow: %.3g m are left at t = "
                 "%g s",
                 model_name(c->m, c->m->cable[worst].name), most, c->state->t);
  return TD_E_DIVERGED;
}

// The slack cable that is most too long, -1: none.
static int longest(const contest* c) {
  int worst = -1;
  double most = GAP_CLOSED;
  for (int i = 0; i < c->m->ncable; i++) {
    if (!is_hard(c->m, i) || !c->w->cable[i].slack) continue;
    const double over = -td_taut_gap(c->m, c->w, i).e / c->w->cable[i].zero;
    if (over > most) worst = i, most = over;
  }
  return worst;
}

// Gaps that are closed stay so.  Others that are negative, as where cables are pulled at the start,
// are closed one by one: the longest cable may have pulled the others short.
static td_status close_gaps(contest* c) {
  td_prepare(c->m, c->w);
  td_place(c->m, c->state, c->w);
  for (int i = 0; i < c->m->ncable; i++)
    if (is_hard(c->m, i))
      c->w->cable[i].slack =
          !(fabs(td_taut_gap(c->m, c->w, i).e) <= GAP_CLOSED * c->w->cable[i].zero);
  for (int worst = 0; worst >= 0;) {
    find_closed(c);
    const td_status status = td_project_q(c->m, c->state, c->w, 1e-12);
    if (status != TD_OK) return status == TD_E_DIVERGED ? cannot_follow(c) : status;
    td_place(c->m, c->state, c->w);
    worst = longest(c);
    if (worst >= 0) c->w->cable[worst].slack = false;
  }
  return TD_OK;
}

td_status td_taut_settle(const td_model* m, td_state* state, td_work* w) {
  if (m->ntaut == 0) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  contest c = contest_new(m, state, w);
  td_status status = close_gaps(&c);
  if (status == TD_OK) status = settle_velocities(&c);
  if (status == TD_OK) status = settle_accelerations(&c);
  arena_close(&w->scratch, mark);
  return status;
}

td_status td_taut_choose(const td_model* m, const td_state* state, td_work* w) {
  if (!model_has(m, state, w) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  if (m->ntaut == 0) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  td_state same = *state;
  contest c = contest_new(m, &same, w);
  td_taut_touching(m, state, w);
  find_closed(&c);
  td_enter(m, state, w);
  measure_rates(&c);
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i)) c.closed[i] = c.closed[i] && c.rate[i] <= c.scale[i];
  const td_status status = settle_accelerations(&c);
  arena_close(&w->scratch, mark);
  return status;
}

// ---- what solvers watch -----------------------------------------------------------------------

void td_taut_gaps(const td_model* m, const td_work* w, double* gap) {
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i))
      *gap++ =
          w->cable[i].slack ? td_taut_gap(m, w, i).e + GAP_OVERSHOOT * w->cable[i].zero : INFINITY;
}

void td_taut_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  bool taut = false;
  int at = 0;
  for (int i = 0; i < m->ncable; i++) taut |= is_hard(m, i) && !w->cable[i].slack;
  const bool known = taut && td_trial_dynamics(m, state, w) == TD_OK;
  if (!known) td_enter(m, state, w);
  for (int i = 0; i < m->ncable; i++) {
    if (!is_hard(m, i)) continue;
    if (w->cable[i].slack) {
      values[at++] = td_taut_gap(m, w, i).e + GAP_OVERSHOOT * w->cable[i].zero;
    } else {
      values[at++] =
          known ? w->lambda[m->cable[i].row] + TENSION_RELEASE * w->taut_scale + 1e-12 : 1;
    }
  }
}

// How wrong it is that a cable is taut or slack: its tension relative to the largest, its gap
// relative to its length.
static double wrongness(const td_model* m, const td_work* w, const double* lambda, double most,
                        int i) {
  if (!is_hard(m, i)) return 0;
  if (w->cable[i].slack) return -td_taut_gap(m, w, i).e / w->cable[i].zero;
  return most > 0 ? -lambda[m->cable[i].row] / most : 0;
}

int td_taut_correct(const td_model* m, const td_state* state, td_work* w, const double* lambda,
                    td_taut_rule rule) {
  double most = 0, worst = 0;
  int wrong = 0, which = -1;
  td_enter(m, state, w);
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i) && !w->cable[i].slack) most = fmax(most, fabs(lambda[m->cable[i].row]));
  for (int i = 0; i < m->ncable; i++) {
    const double x = wrongness(m, w, lambda, most, i);
    if (!(x > GAP_CLOSED)) continue;
    wrong++;
    if (rule == TD_TAUT_ALL) w->cable[i].slack = !w->cable[i].slack;
    if (which < 0 || (rule == TD_TAUT_WORST && x > worst)) which = i, worst = x;
  }
  if (wrong > 0 && rule != TD_TAUT_ALL) w->cable[which].slack = !w->cable[which].slack;
  return wrong;
}

void td_taut_all(const td_model* m, td_work* w, bool taut) {
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i)) w->cable[i].slack = !taut;
}
