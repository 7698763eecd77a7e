// Detection of runs that no longer get on: steps that have collapsed, and solutions that end.
//
// A velocity v ~ (t* - t)^-b that goes to infinity at t* is followed by ever shorter steps, which
// get closer to t* without reaching it.  The time v / v' = (t* - t)/b in which it grows by a factor
// e falls in proportion to the time left, so that two such times give t*.  It is constant for
// growth that is merely exponential.
#include "solve/time/standstill.h"

#include <float.h>
#include <math.h>

#include "model/model.h"

// Looks are LOOK_EVERY attempts apart.  A run stands still where STILL_LOOKS in a row went less
// than the share `tiny` of the way: at that pace the whole run would take 5e10 attempts or more,
// days even of the smallest model; solvers that start, strikes and switches take some hundred.
// Where time itself does not get on any more a fifth of a look is enough.
enum { LOOK_EVERY = 1000, STILL_LOOKS = 5, NO_TIME = 200 };
static const double tiny = 2e-8;
// A velocity is called infinite where POLE_LOOKS in a row agree on its pole within a fifth of the
// time left and went less than the share `slow` of the way each.
enum { POLE_LOOKS = 5 };
static const double slow = 1e-3;

// Look for a velocity that goes to infinity before the end of the run; sets s->blown.
static void look_for_pole(td_standstill* s, td_motion* m, double t, const double* y, double gone,
                          double end) {
  // the largest velocity, and the time in which it grew by a factor e since the last look
  td_motion_unpack(m, t, y);
  int largest = -1;
  double size = 0;
  for (int i = 0; i < m->size.nv; i++)
    if (fabs(m->state->v[i]) > size) largest = i, size = fabs(m->state->v[i]);
  const bool grows = largest >= 0 && largest == s->velocity && size > s->size && gone > 0;
  const double time_left = grows ? gone / log(size / s->size) : HUGE_VAL, middle = t - gone / 2;

  // where that time vanishes; do the last looks agree on it?
  const double fall = s->time_left - time_left, before = s->pole;
  s->pole =
      fall > 0 && isfinite(fall) ? middle + time_left * (middle - s->middle) / fall : HUGE_VAL;
  const bool agrees = s->pole > t && s->pole < end && fabs(s->pole - before) < 0.2 * (s->pole - t);
  s->agreeing = agrees ? s->agreeing + 1 : 0;
  s->blown = s->agreeing >= POLE_LOOKS;
  s->velocity = largest;
  s->size = size;
  s->time_left = time_left;
  s->middle = middle;
}

td_status td_notice_standstill(td_standstill* s, td_motion* m, double t, const double* y,
                               long attempts, double span, double end) {
  const double gone = t - s->t;

  // no time gained beyond rounding
  s->still = attempts >= s->attempts + NO_TIME && gone <= 100 * DBL_EPSILON * fmax(fabs(t), span);
  if (s->still) return TD_E_DIVERGED;
  if (attempts < s->attempts + LOOK_EVERY) return TD_OK;

  // too little time gained in several intervals
  s->looks = gone < tiny * span ? s->looks + 1 : 0;
  s->still = s->looks == STILL_LOOKS;

  // little time gained on the way to a pole of the solution
  if (gone < slow * span)
    look_for_pole(s, m, t, y, gone, end);
  else
    s->agreeing = 0, s->velocity = -1, s->time_left = HUGE_VAL;
  s->attempts = attempts;
  s->t = t;
  return s->still || s->blown ? TD_E_DIVERGED : TD_OK;
}
