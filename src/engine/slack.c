// Decision which inextensible cables are taut.  With the gap  e - pull >= 0  of each cable
// (taut.h):
//
//   positions       a cable is taut where its gap is closed
//   velocities      impulses P >= 0 stop closing gaps, perfectly plastic:
//                   v+ = v + M⁻¹ Jᵀ P,   gap' >= 0,   P gap' = 0
//   accelerations   T >= 0,   gap" >= 0,   T gap" = 0
//
// together with all other constraints.  Both linear complementarity problems are solved by active
// sets: all cables with closed gaps begin taut, those of the wrong sign change, and after some
// iterations only the first of them, which makes the method finite (K. G. Murty, Bull. Austral.
// Math. Soc. 10, 1974).
#include <math.h>
#include <string.h>

#include "engine/taut.h"

// Relative to the length of the cable: how far a switching function of a gap is shifted, so that
// events lie just beyond contact; and the width below which an opening gap counts as a bounce.
#define GAP_OVERSHOOT 1e-10
#define GAP_BOUNCE 1e-8
// Relative to the largest tension: a taut cable is released below minus the first; a multiplier
// counts as negative below minus the second.
#define TENSION_RELEASE 1e-9
#define TENSION_SIGN 1e-11
// Relative to the speeds that add up to the rate of a gap: a smaller rate counts as none.
#define GAP_STILL 1e-9

// True for an inextensible cable.
static bool is_hard(const td_model* m, int cable) { return m->cable[cable].row >= 0; }

int td_taut_count(const td_model* m) { return m->ntaut; }

// Name of the i-th inextensible cable.
const char* td_taut_name(const td_model* m, int i) {
  int cable = 0;
  while (!is_hard(m, cable) || i-- > 0) cable++;
  return model_name(m, m->cable[cable].name);
}

// Copy which cables are slack from one work to another.
void td_taut_copy(const td_model* m, const td_work* from, td_work* to) {
  for (int i = 0; i < m->ncable; i++) to->cable[i].slack = from->cable[i].slack;
}

// Project the velocities onto all constraints but the inextensible cables.
td_status td_taut_free(const td_model* m, td_state* state, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  bool* slack = arena_bytes(&w->scratch, (size_t)m->ncable);
  for (int i = 0; i < m->ncable; i++) {
    slack[i] = w->cable[i].slack;
    w->cable[i].slack = true;
  }
  const td_status status = td_project_v(m, state, w);
  for (int i = 0; i < m->ncable; i++) w->cable[i].slack = slack[i];
  arena_close(&w->scratch, mark);
  return status;
}

// ---- complementarity --------------------------------------------------------------------------

// A complementarity problem at one instant: multipliers of taut cables against openings of slack
// ones.
typedef struct taut_problem {
  const td_model* m;
  td_state* state;
  td_work* w;
  bool* closed;          // (ncable) cables with closed gaps: only these take part
  double* multiplier;    // (nrow) impulses or tensions
  double* opening;       // (ncable) rates or accelerations of the gaps
  double *rate, *scale;  // (ncable) rates of the gaps, and below what an opening counts as none
  double *g, *dv, *row;  // changes of the rows' rates, changes of the velocities, a row of J
  double most, widest;   // largest multiplier and opening so far
} taut_problem;

// Allocate a problem in the scratch of the work.
static taut_problem problem_new(const td_model* m, td_state* state, td_work* w) {
  arena* s = &w->scratch;
  taut_problem c = {.m = m, .state = state, .w = w};
  c.closed = arena_bytes(s, (size_t)m->ncable);
  c.multiplier = arena_zeros(s, m->nrow), c.g = arena_zeros(s, m->nrow);
  c.dv = arena_zeros(s, m->nvel), c.row = arena_zeros(s, m->nvel);
  double** per_cable[] = {&c.opening, &c.rate, &c.scale};
  for (int k = 0; k < 3; k++) *per_cable[k] = arena_zeros(s, m->ncable);
  return c;
}

// Active sets: `solve` finds multipliers and openings for the present set of taut cables, then
// cables of the wrong sign change sides.
static td_status decide(taut_problem* c, td_status (*solve)(taut_problem*)) {
  enum { ALL_AT_ONCE = 8 };
  const td_model* m = c->m;
  const int most = 4 * ALL_AT_ONCE + 8 * m->ntaut;
  c->most = c->widest = 0;

  for (int k = 0; k < most; k++) {
    // solve for the present set, and note the scales
    TD_TRY(solve(c));
    for (int i = 0; i < m->ncable; i++) {
      if (!is_hard(m, i) || !c->closed[i]) continue;
      c->most = fmax(c->most, fabs(c->multiplier[m->cable[i].row]));
      c->widest = fmax(c->widest, fabs(c->opening[i]));
    }

    // change all of the wrong sign, after ALL_AT_ONCE iterations only the first of them
    int wrong = 0;
    for (int i = 0; i < m->ncable && !(wrong > 0 && k >= ALL_AT_ONCE); i++) {
      if (!is_hard(m, i) || !c->closed[i]) continue;
      bool* slack = &c->w->cable[i].slack;
      if (*slack ? !(c->opening[i] < -fmax(GAP_STILL * c->widest, c->scale[i]))
                 : !(c->multiplier[m->cable[i].row] < -TENSION_SIGN * c->most))
        continue;
      *slack = !*slack;
      wrong++;
    }
    if (wrong == 0) return TD_OK;
  }

  td_work_fail(c->w, "the cables cannot be told taut from slack (t = %g s)", c->state->t);
  return TD_E_DIVERGED;
}

// ---- velocities -------------------------------------------------------------------------------

// Rates of the gaps, and below what each counts as none: a part of the speeds it is made of, and
// the rounding that velocities have after an impulse of loops was solved for.
static void measure_rates(taut_problem* c) {
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

// Impulses that bring the rates of all active constraints to their targets, and the rates of the
// gaps after them.
static td_status strike(taut_problem* c) {
  const td_model* m = c->m;
  td_work* w = c->w;

  for (int i = 0; i < m->nrow; i++) {
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    c->g[i] = m->row[i].projected && !row_is_off(m, w, i) ? ed - td_row_at(m, w, i).ed : 0;
  }

  // impulses, and the rates of the gaps after them
  TD_TRY(td_impulse(m, w, c->g, c->dv, c->multiplier));

  for (int i = 0; i < m->ncable; i++) {
    if (!is_hard(m, i)) continue;
    double change = 0;
    td_taut_jacobian(m, w, i, c->row);
    for (int j = 0; j < m->nvel; j++) change += c->row[j] * c->dv[j];
    c->opening[i] = c->rate[i] + change;
  }

  return TD_OK;
}

// ---- accelerations ----------------------------------------------------------------------------

// Tensions of the taut cables and accelerations of all gaps, by the forward dynamics.
static td_status hold(taut_problem* c) {
  const td_model* m = c->m;
  td_work* w = c->w;
  TD_TRY(td_trial_dynamics(m, c->state, w));
  memcpy(c->multiplier, w->lambda, (size_t)m->nrow * sizeof(double));
  td_accelerate(m, w, w->vdot, false);
  for (int i = 0; i < m->ncable; i++) c->opening[i] = is_hard(m, i) ? td_taut_gap(m, w, i).edd : 0;
  return TD_OK;
}

// hold(), with what counts as no opening: along a cable that loops hold rigid only rounding of v'
// is left.
static td_status hold_scaled(taut_problem* c) {
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

// Decide by tensions and accelerations which of the closed cables stay taut.
static td_status settle_accelerations(taut_problem* c) {
  for (int i = 0; i < c->m->ncable; i++)
    if (is_hard(c->m, i)) c->w->cable[i].slack = !c->closed[i];
  TD_TRY(decide(c, hold_scaled));
  c->w->taut_scale = fmax(c->w->taut_scale, c->most);
  return TD_OK;
}

// ---- impacts ----------------------------------------------------------------------------------

// Add the velocity changes of the impulses, and measure the rates after them.
static void add_impulses(taut_problem* c) {
  for (int j = 0; j < c->m->nvel; j++) c->state->v[j] += c->dv[j];
  td_enter(c->m, c->state, c->w);
  measure_rates(c);
}

// Keep gaps closed that would only bounce.  An impulse of one cable may open the gap of another,
// which closes again and opens the first, ever less: a gap that would close before it is GAP_BOUNCE
// wide,  gap'²/(2 |gap"|),  does not open.
static td_status hold_back(taut_problem* c) {
  const td_model* m = c->m;
  bool opens = false, any = false;
  for (int i = 0; i < m->ncable && !opens; i++)
    opens = is_hard(m, i) && c->closed[i] && c->rate[i] > c->scale[i];
  if (!opens) return TD_OK;

  // accelerations of the gaps; cables with gaps that would close again at once stay taut
  TD_TRY(hold(c));

  for (int i = 0; i < m->ncable; i++) {
    if (!is_hard(m, i) || !c->closed[i] || !(c->rate[i] > c->scale[i])) continue;
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

// Stop closing gaps by impulses; afterwards only gaps at rest count as closed.
static td_status settle_velocities(taut_problem* c) {
  bool closing = false;

  // which closed gaps are closing, and which are opening?
  td_enter(c->m, c->state, c->w);
  measure_rates(c);

  for (int i = 0; i < c->m->ncable; i++) {
    if (!is_hard(c->m, i) || !c->closed[i]) continue;
    closing |= c->rate[i] < -c->scale[i];
    c->w->cable[i].slack = c->rate[i] > c->scale[i];
  }

  // impulses where a gap is closing
  if (closing) {
    TD_TRY(decide(c, strike));
    add_impulses(c);
  }

  TD_TRY(hold_back(c));
  for (int i = 0; i < c->m->ncable; i++)
    if (is_hard(c->m, i)) c->closed[i] = c->closed[i] && c->rate[i] <= c->scale[i];
  return TD_OK;
}

// Gaps of taut cables are closed.
static void find_closed(taut_problem* c) {
  for (int i = 0; i < c->m->ncable; i++) c->closed[i] = is_hard(c->m, i) && !c->w->cable[i].slack;
}

// Project the positions so that no gap is negative.  Closed gaps stay closed; negative ones, as of
// cables pulled at the start, are closed one by one, since the longest cable may pull the others
// short.
static td_status close_gaps(taut_problem* c) {
  const td_model* m = c->m;
  td_work* w = c->w;
  td_prepare(m, w);
  td_place(m, c->state, w);
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i))
      w->cable[i].slack = !(fabs(td_taut_gap(m, w, i).e) <= GAP_CLOSED * w->cable[i].zero);

  for (int worst = 0; worst >= 0;) {
    find_closed(c);
    const td_status status = td_project_q(m, c->state, w, 1e-12);
    td_place(m, c->state, w);
    if (status != TD_OK && status != TD_E_DIVERGED) return status;
    worst = -1;

    // where it fails, name the taut cable that is farthest from where it is pulled to
    if (status == TD_E_DIVERGED) {
      double most = 0;
      for (int i = 0; i < m->ncable; i++) {
        const double gap = is_hard(m, i) ? fabs(td_taut_gap(m, w, i).e) : 0;
        if (c->closed[i] && gap > most) worst = i, most = gap;
      }
      if (worst >= 0)
        td_work_fail(w,
                     "%s cannot be stretched, and what it pulls cannot follow: %.3g m are left at "
                     "t = %g s",
                     model_name(m, m->cable[worst].name), most, c->state->t);
      return status;
    }

    // the slack cable whose gap is most negative becomes taut
    double most = GAP_CLOSED;
    for (int i = 0; i < m->ncable; i++) {
      if (!is_hard(m, i) || !w->cable[i].slack) continue;
      const double over = -td_taut_gap(m, w, i).e / w->cable[i].zero;
      if (over > most) worst = i, most = over;
    }
    if (worst >= 0) w->cable[worst].slack = false;
  }

  return TD_OK;
}

// Close gaps, stop closing rates by impulses and release cables without tension, at the instant of
// the state.
td_status td_taut_settle(const td_model* m, td_state* state, td_work* w) {
  if (m->ntaut == 0) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  taut_problem c = problem_new(m, state, w);
  td_status status = close_gaps(&c);
  if (status == TD_OK) status = settle_velocities(&c);
  if (status == TD_OK) status = settle_accelerations(&c);
  arena_close(&w->scratch, mark);
  return status;
}

// Decide which cables are taut at a state that stays as it is: those whose gap is closed and does
// not open, and which then carry tension by the accelerations.  TD_E_USAGE for a state that is not
// finite.
td_status td_taut_choose(const td_model* m, const td_state* state, td_work* w) {
  if (!model_has(m, state, w) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  if (m->ntaut == 0) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  td_state same = *state;
  taut_problem c = problem_new(m, &same, w);
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

// Gaps of the slack cables, just beyond contact; infinite for taut ones.
void td_taut_gaps(const td_model* m, const td_work* w, double* gap) {
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i))
      *gap++ =
          w->cable[i].slack ? td_taut_gap(m, w, i).e + GAP_OVERSHOOT * w->cable[i].zero : INFINITY;
}

// Switching functions: the tension of each taut and the gap of each slack cable.
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

// Correct the set of taut cables at a state with multipliers lambda (statics): a taut cable is
// wrong if its tension is negative, by more than GAP_CLOSED of the largest; a slack one if it is
// longer than its free length, by more than GAP_CLOSED of it.  By `rule` all wrong cables are
// exchanged between taut and slack in w, or only the worst, or the first.  Returns how many were
// wrong.  Updates the kinematics of w.
int td_taut_correct(const td_model* m, const td_state* state, td_work* w, const double* lambda,
                    td_taut_rule rule) {
  double most = 0, worst = 0;
  int wrong = 0, which = -1;
  td_enter(m, state, w);
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i) && !w->cable[i].slack) most = fmax(most, fabs(lambda[m->cable[i].row]));

  // violation of each cable, and the one to exchange
  for (int i = 0; i < m->ncable; i++) {
    if (!is_hard(m, i)) continue;
    const double x = w->cable[i].slack ? -td_taut_gap(m, w, i).e / w->cable[i].zero
                     : most > 0        ? -lambda[m->cable[i].row] / most
                                       : 0;
    if (!(x > GAP_CLOSED)) continue;
    wrong++;
    if (rule == TD_TAUT_ALL) w->cable[i].slack = !w->cable[i].slack;
    if (which < 0 || (rule == TD_TAUT_WORST && x > worst)) which = i, worst = x;
  }

  if (wrong > 0 && rule != TD_TAUT_ALL) w->cable[which].slack = !w->cable[which].slack;
  return wrong;
}

// Make all inextensible cables taut, or all slack.
void td_taut_all(const td_model* m, td_work* w, bool taut) {
  for (int i = 0; i < m->ncable; i++)
    if (is_hard(m, i)) w->cable[i].slack = !taut;
}
