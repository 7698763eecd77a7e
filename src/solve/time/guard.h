// Data that the guarding of steps (guard.c) and the location of impacts (impact.c) share.
#ifndef TD_GUARD_H
#define TD_GUARD_H

#include "engine/engine.h"
#include "solve/time/crossings.h"
#include "solve/time/ode.h"

struct td_guard {
  int n, ny;
  double t0;                              // beginning of the step
  double *y0, *y;                         // (ny)
  double *g0, *g1;                        // (n) at its ends
  double *v0, *v1;                        // (n) bounds of the rates there
  double *bound, *noise;                  // (n) for the whole step; NaN noise: not yet known
  double* rate;                           // (n) scratch
  double t_stage[TD_RK8_STAGES], *stage;  // the last stages (TD_RK8_STAGES x n)
  int nstage;
  double* level;  // (TD_GUARD_LEVELS x n) guards in the middle of nested intervals

  // impacts
  double *factor, *until;  // (n) of the tolerance of positions, and up to when; until < t: none
  double* stopping;        // (n) stopping time of the last impact, 0 or infinite: not known
  double* side;            // (n) sign of the guard while the element acts in the last impact
  double* contact;         // (n) 1: the element knows how fast its gap can change
  double* watched;         // (n) 1 where changes of sign are looked for along the step, else 0
  td_crossings crossings;  // of the watched guards
  double *hit, *f, *f_before, *f_behind;  // (ny) state where an element begins to act, rates there
  double *changed,
      *since;  // (n) last change of sign of those that follow each other at once, first
  double *skip, *fruitless;  // (n) crossings that are not looked at; how many looks found no impact
  double* often;             // (n) how many there were
  bool afresh;               // the solver is to start at (t0, y0)
  long start_steps;          // steps at its last start
  double block[];
};

// Guards at a state; at a time inside the last step, false: not known.
static inline void guards_at(td_stepper* s, double t, const double* y, double* gap) {
  s->ode->guards(s->ode->ctx, t, y, gap, s->guard->rate);
}
bool td_guards_along(void* stepper, double t, double* gap);

// ---- impacts (impact.c) -----------------------------------------------------------------------
// Watched guards along the step, for the search for crossings.
void td_impact_watched(void* stepper, double t, double* gap);
// The first element that begins to act inside the step in a way that requires sharper positions, or
// whose impact is over: its time, with the state in `hit`; NaN: there is none.
double td_impact_first(td_stepper* stepper, const td_step* step, bool* over);
// The tolerance of positions at the present time: the sharpest of the impacts that last counts.
void td_impact_sharpen(td_stepper* stepper);
// A corner of a force that is crossed so often that the run gets nowhere: TD_E_MODEL.
td_status td_impact_chatters(td_stepper* stepper, const td_step* step);

#endif
