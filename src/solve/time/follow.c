// Steps of a run that something goes along with (follow.h).
#include "solve/time/follow.h"

#include <string.h>

// The step is taken anew, shorter each time, until the follower is content.
td_status td_follow_step(const td_follower* f, td_stepper* s, double t_stop, td_step* step) {
  enum { REPEATS = 40 };
  if (f == NULL || s->ode->n == 0) return TD_OK;
  td_collocated* c = (td_collocated*)s;
  for (int k = 0; k < REPEATS; k++) {
    bool again = false;
    TD_TRY(f->step(f->ctx, c, &again));
    if (!again) return TD_OK;
    s->counts.rejected++;
    s->counts.steps--;
    memcpy(c->stage, c->y_from, (size_t)(c->n + s->ode->nquad) * sizeof(double));
    TD_TRY(td_stepper_restart(s, c->t_from, c->stage));
    TD_TRY(td_stepper_step(s, t_stop, step));
  }
  return TD_E_DIVERGED;
}
