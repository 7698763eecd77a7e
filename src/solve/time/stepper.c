// The part that all solvers share: the callbacks with their counting and checks, and the calls
// through the table.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/time/ode.h"

void td_stepper_free(td_stepper* stepper) {
  if (stepper == NULL) return;
  td_guard_free(stepper->guard);
  stepper->ops->free(stepper);
}

// Steps at the limit of rounding mean that the solver is stuck, even if it does not say so.
static bool stuck(td_stepper* s, const td_step* step) {
  const double h = step->t - step->t0, reach = fmax(fabs(step->t), s->t_high - s->t_low);
  s->creeping = h < 1e-13 * reach && !step->root && step->t < s->t_high ? s->creeping + 1 : 0;
  if (s->creeping == 0) s->trouble = TD_E_DIVERGED;
  if (s->failure != TD_OK) s->trouble = s->failure;
  return s->creeping > 50;
}

td_status td_stepper_step(td_stepper* stepper, double t_stop, td_step* step) {
  stepper->t_high = t_stop;
  TD_TRY(stepper->guard != NULL ? td_guard_step(stepper, t_stop, step)
                                : stepper->ops->step(stepper, t_stop, step));
  return stuck(stepper, step) ? stepper->trouble : TD_OK;
}

td_status td_stepper_at(td_stepper* stepper, double t, double* y) {
  return stepper->ops->at(stepper, t, y);
}

td_status td_stepper_restart(td_stepper* stepper, double t, const double* y) {
  stepper->t_low = t;
  stepper->t_high = INFINITY;
  if (stepper->ode->nguard > 0 && stepper->guard == NULL)
    TD_TRY(td_guard_new(stepper->ode, &stepper->guard));
  TD_TRY(stepper->ops->restart(stepper, t, y));
  if (stepper->guard != NULL) td_guard_begin(stepper, t, y);
  return TD_OK;
}
