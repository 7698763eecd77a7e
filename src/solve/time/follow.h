// Interface of a follower, which goes along with a run by collocation, step by step, to compute the
// changes of its states (solve/gradient).
#ifndef TD_FOLLOW_H
#define TD_FOLLOW_H

#include "solve/time/collocation.h"

struct td_motion;

// Instants between steps at which something is discontinuous.
typedef enum td_passing {
  TD_PASS_STOP,    // a stop time; the next step begins there
  TD_PASS_SWITCH,  // guard `which` changes its sign; the next step begins there
  TD_PASS_SPEED,   // prescribed speeds jump; `which` is 0 at the start of the run, else 1
  TD_PASS_CABLE,   // cable `which` becomes taut or slack, or several do (-1)
  TD_PASS_EVENT,   // event `which` ends the run
  TD_PASS_BUCKLE   // rods buckle
} td_passing;

typedef struct td_follower {
  void* ctx;
  // The run begins at (t, y), before speeds jump there; steps are by collocation unless there are
  // no states.
  td_status (*begin)(void* ctx, struct td_motion* motion, double t, const double* y);
  // A step has been taken, perhaps the same one as before; *again: it is to be taken anew, no
  // longer than c->h_next.
  td_status (*step)(void* ctx, td_collocated* c, bool* again);
  // The trajectory has got a row at (t, y), in the last step or at its end.
  td_status (*row)(void* ctx, double t, const double* y);
  // It passes something at (t, y), before which the state was `before` where speeds jump.
  td_status (*pass)(void* ctx, td_passing what, int which, double t, const double* before,
                    const double* y);
} td_follower;

// The calls, which do nothing without a follower.
static inline td_status td_follow_row(const td_follower* f, double t, const double* y) {
  return f != NULL ? f->row(f->ctx, t, y) : TD_OK;
}
static inline td_status td_follow_pass(const td_follower* f, td_passing what, int which, double t,
                                       const double* y) {
  return f != NULL ? f->pass(f->ctx, what, which, t, y, y) : TD_OK;
}
static inline td_status td_follow_jump(const td_follower* f, bool start, double t,
                                       const double* before, const double* y) {
  return f != NULL ? f->pass(f->ctx, TD_PASS_SPEED, start ? 0 : 1, t, before, y) : TD_OK;
}
// After a step of the stepper to at most t_stop, which may be taken anew.
td_status td_follow_step(const td_follower* f, td_stepper* stepper, double t_stop, td_step* step);

#endif
