// Stops, switches and jumps that a run passes between its steps (solve/time/follow.h), for its
// derivatives: those that are refused, and times of stops that move with parameters.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "solve/gradient/motion_change.h"

#define REFUSED "and trajectories are not differentiated across that"

td_status td_motion_change_refuse(td_motion_change* x, const char* format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(x->why, sizeof x->why, format, list);
  va_end(list);
  return TD_E_USAGE;
}

td_status td_motion_change_pass(td_motion_change* x, td_passing what, int which, double t) {
  const td_model* m = x->model;
  switch (what) {
    case TD_PASS_CABLE:
      return td_motion_change_refuse(
          x, "at t = %.6g s %s becomes taut or slack, " REFUSED ": give it a stiffness", t,
          which >= 0 ? td_taut_name(m, which) : "a cable that cannot be stretched");
    case TD_PASS_EVENT:
      return td_motion_change_refuse(
          x, "at t = %.6g s event '%s' ends the run, " REFUSED ": end it before", t,
          model_name(m, m->event[which].name));
    case TD_PASS_BUCKLE:
      return td_motion_change_refuse(
          x, "at t = %.6g s rods buckle, " REFUSED ": start with bent ones", t);
    case TD_PASS_SPEED:
    case TD_PASS_STOP:
    case TD_PASS_SWITCH:
      break;
  }
  return TD_OK;
}

// Name the guard at which rates jump.
static td_status refuse_jump(td_motion_change* x, int guard, double t) {
  const td_model* m = x->model;
  const int balls = td_contact_guards(m), switches = td_switch_count(m);
  const int kink = guard - balls - switches - m->ntaut;
  td_text text = {0};
  if (kink >= 0) td_ex_print(m->graph, m->kink_ex[kink], TD_SYNTAX_OCTAVE, &text);
  td_motion_change_refuse(
      x, "at t = %.6g s %s%.80s%s begins or ceases to act with a jump of the rates, " REFUSED, t,
      guard < balls              ? "a contact"
      : guard < balls + switches ? "a one-sided spring, damper or cable (dir)"
      : kink < 0                 ? td_taut_name(m, guard - balls - switches)
                                 : "",
      text.s != NULL ? text.s : "", kink >= 0 ? " in a force" : "");
  td_text_free(&text);
  return TD_E_USAGE;
}

// How much the rates differ at a time d before and behind (t, y), relative to their size; h is the
// length of the step before it.  scratch 3 (n + nquad).
static td_status difference(td_motion* mo, td_stepper* stepper, double t, const double* y, double h,
                            double d, double* scratch, double* jump) {
  const int n = mo->ode.n;
  double *state = scratch, *before = state + n + mo->ode.nquad,
         *behind = before + n + mo->ode.nquad;
  if (d <= h) {
    TD_TRY(td_stepper_at(stepper, t - d, state));
  } else {  // beyond the last step, along the rates behind it
    TD_TRY(mo->ode.rhs(mo, t, y, before));
    for (int i = 0; i < n; i++) state[i] = y[i] - d * before[i];
  }
  TD_TRY(mo->ode.rhs(mo, t - d, state, before));
  for (int i = 0; i < n; i++) state[i] = y[i] + d * before[i];
  TD_TRY(mo->ode.rhs(mo, t + d, state, behind));
  double most = 0, far = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fmax(fabs(before[i]), fabs(behind[i])));
    far = fmax(far, fabs(before[i] - behind[i]));
  }
  *jump = most > 0 ? far / most : 0;
  return TD_OK;
}

// The difference of the rates grows with the time d around the switch.  Where they are continuous
// it does so step by step; where they jump it does so at once, at a d that the search for the
// switch has left, which bisection finds.
td_status td_motion_change_switch(td_motion_change* x, td_stepper* stepper, int guard, double t,
                                  const double* y, double h) {
  td_motion* mo = x->motion;
  double* scratch = malloc((3 * (size_t)(mo->ode.n + mo->ode.nquad) + 1) * sizeof(double));
  if (scratch == NULL) return TD_E_NOMEM;
  double low = 0, high = fmax(0.1 * h, 1e-5 * fmax(fabs(t), 1e-3)), at_low = 0, at_high = 0, whole;
  td_status status = difference(mo, stepper, t, y, h, high, scratch, &at_high);
  whole = at_high;
  for (int k = 0; k < 60 && status == TD_OK && whole > 1e-7 && high - low > 1e-9 * high; k++) {
    const double d = low + (high - low) / 2;
    double jump;
    status = difference(mo, stepper, t, y, h, d, scratch, &jump);
    if (jump > whole / 2)
      high = d, at_high = jump;
    else
      low = d, at_low = jump;
  }
  free(scratch);
  const bool jumps = whole > 1e-7 && at_high - at_low > 0.1 * whole;
  return status == TD_OK && jumps ? refuse_jump(x, guard, t) : status;
}

// The expression of a force, friction by sign(v) say, whose sign changes within h of the state
// along the rates there, or which is zero there.
td_status td_motion_change_stuck(td_motion_change* x, const td_state* state, double h) {
  const td_model* m = x->model;
  td_motion* mo = NULL;
  if (m->nkink == 0 || td_motion_new(m, x->work, state, 1e-6, 1e-9, &mo) != TD_OK)
    return TD_E_DIVERGED;
  const int n = mo->ode.n, all = n + mo->ode.nquad, guards = mo->ode.nguard;
  double* y = calloc(3 * (size_t)all + 3 * (size_t)guards + 1, sizeof(double));
  td_status status = y != NULL ? TD_OK : TD_E_NOMEM;
  double *f = y + all, *there = f + all, *gap = there + all, *ahead = gap + guards,
         *speed = ahead + guards;
  if (status == TD_OK) {
    td_motion_pack(mo, y);
    status = mo->ode.rhs(mo, state->t, y, f);
  }
  if (status == TD_OK) {
    for (int i = 0; i < n; i++) there[i] = y[i] + h * f[i];
    mo->ode.guards(mo, state->t, y, gap, speed);
    mo->ode.guards(mo, state->t + h, there, ahead, speed);
    status = TD_E_DIVERGED;
    for (int i = guards - m->nkink; i < guards && status == TD_E_DIVERGED; i++)
      if ((gap[i] > 0) != (ahead[i] > 0) || fabs(gap[i]) <= 1e-9 * fabs(ahead[i] - gap[i]))
        status = refuse_jump(x, i, state->t);
  }
  free(y);
  td_motion_free(mo);
  return status;
}

// Whether the rates jump at (t, y), relative to their size.
static td_status rates_jump(td_motion_change* x, double t, const double* y, bool* jump) {
  td_motion* mo = x->motion;
  const int n = mo->ode.n, all = n + mo->ode.nquad;
  const double aside = td_motion_change_aside(t);
  double* f = calloc(2 * (size_t)all + 1, sizeof(double));
  if (f == NULL) return TD_E_NOMEM;
  td_status status = mo->ode.rhs(mo, t - aside, y, f);
  if (status == TD_OK) status = mo->ode.rhs(mo, t + aside, y, f + all);
  double most = 0, far = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fmax(fabs(f[i]), fabs(f[all + i])));
    far = fmax(far, fabs(f[i] - f[all + i]));
  }
  *jump = far > 1e-8 * most;
  free(f);
  return status;
}

td_status td_motion_change_stop(td_motion_change* x, double t, const double* y, double* dt) {
  const td_model* m = x->model;
  bool apart = false, jump = true;
  td_stop_change_at(&x->stops, m->time_var, x->work->vars, t, td_motion_change_aside(t), x->var,
                    x->k, dt, &apart);
  if (!apart) return TD_OK;
  if (y != NULL) TD_TRY(rates_jump(x, t, y, &jump));
  if (jump)
    return td_motion_change_refuse(
        x,
        "at t = %.6g s several things jump whose times parameters move differently, " REFUSED
        ": move one of them away",
        t);
  memset(dt, 0, (size_t)x->k * sizeof(double));
  return TD_OK;
}

td_status td_motion_change_missed(td_motion_change* x) {
  const td_model* m = x->model;
  for (int i = 0; i < x->k; i++) {
    if (x->var[i] < 0) continue;
    const ex e = td_stop_change_missed(m, &x->stops, x->var[i]);
    if (e == EX_NONE) continue;
    td_text text = {0};
    td_ex_print(m->graph, e, TD_SYNTAX_OCTAVE, &text);
    td_motion_change_refuse(x,
                            "%.80s jumps at times that parameter '%s' moves and that are not those "
                            "of straight lines in t, " REFUSED,
                            text.s != NULL ? text.s : "an expression",
                            td_model_param_name(m, x->by[i].index));
    td_text_free(&text);
    return TD_E_USAGE;
  }
  return TD_OK;
}
