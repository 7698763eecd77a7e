// Which of the solvers goes on: the one that does a second of motion with the least work, as far as
// they were tried.
//
//   champion  steps on; now and then it is measured over a stretch of steps
//   trial     another solver that is due does a stretch from there; the better one is champion, the
//             other waits until as much work again has been done
//
// Stretches and trials are parts of all work so far: motion differs from moment to moment, and what
// is to be decided for long must be measured for long.  Work is counted, never timed: evaluations,
// tangents, factorisations and steps at fixed prices, so that a run can be repeated to the bit.
#ifndef TD_CONTEST_H
#define TD_CONTEST_H

#include "solve/time/ode.h"

typedef enum td_method { TD_METHOD_SHORT, TD_METHOD_BDF, TD_METHOD_RADAU, TD_METHODS } td_method;

// Nanoseconds, about, of one of each; `evaluation` with the linear systems that come with it.
typedef struct td_prices {
  double evaluation, tangent, factor, step;
} td_prices;

typedef struct td_contest {
  td_prices price[TD_METHODS];
  long least[TD_METHODS];    // steps that a stretch has at least
  bool may[TD_METHODS];      // who takes part
  td_method now, champion;   // now: on trial when it is another one
  double rate[TD_METHODS];   // work for a second of motion over the last stretch, 0: not yet tried
  double again[TD_METHODS];  // all work after which there may be another trial
  double total;              // all work up to this stretch
  bool warm;                 // the steps that a start needs are over
  td_ode_counts before;      // where the stretch began
  double t_before;
} td_contest;

// Prices follow from the order n of the problem, its positions and the work of an evaluation; when
// that changes nobody counts as tried.
void td_contest_price(td_contest* contest, const td_ode* ode);
td_contest td_contest_new(const td_ode* ode, td_method first);
// A stretch begins; counts are those of the stepper that `now` says.
void td_contest_begin(td_contest* contest, const td_ode_counts* counts, double t);
// Whether the stretch is over, after each step.
bool td_contest_due(td_contest* contest, const td_ode_counts* counts, double t);
// Judge the stretch that is over and set `now` for the next one, which has begun if it is the same.
void td_contest_judge(td_contest* contest, const td_ode_counts* counts, double t, double t_end);
// The one on trial cannot go on: it is out, the champion is back.
void td_contest_forfeit(td_contest* contest);

#endif
