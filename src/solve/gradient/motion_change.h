// Terms of the changes of a motion, for the forward derivative (sensitivity.c) and its transpose
// (adjoint_motion.c): the quantities that it is differentiated by, direct changes of its rates,
// changes of its start, and the derivative of the projection onto constraints and unit quaternions.
//
// Changes of the states y of a motion (solve/time/motion.h) are in the space of y; `columns` of
// them are n x k, k the number of `by`.
#ifndef TD_MOTION_CHANGE_H
#define TD_MOTION_CHANGE_H

#include "solve/gradient/stop_change.h"
#include "solve/time/follow.h"
#include "solve/time/motion.h"
#include "tendril/gradient.h"

typedef struct td_motion_change {
  const td_model* model;
  td_work* work;
  td_motion* motion;  // once the run has begun
  const td_by* by;
  int k;
  const td_input_table* inputs;
  // Parameters and inputs that rates depend on directly, each once: a sample of an input acts as
  // the input, with its weight.
  int nbase;
  td_by* base;                      // (nbase) parameters and inputs alone
  int* of;                          // (k) which of them, -1: none
  double* unit;                     // (k) a usual size of each `by`
  int* var;                         // (k) variable of each parameter in expressions, -1: none
  td_stop_change stops;             // times of stops
  td_constants_change** constants;  // (nbase) along the parameters, the same all along the run
  td_direction* along;              // (nbase) directions of the rates
  // scratch
  double *p, *u;           // directions: (nbase x nparam), (nbase x drives)
  double *a, *lambda, *z;  // (nbase x nv), (nbase x nrow), (nbase x nz)
  double *theta, *rate;    // (k x nv) tangent changes of all coordinates and their rates
  double *e, *x;           // (k x nrow), (k x nv)
  double *N, *Nplus;       // (nq x nv), (nv x nq)
  double *one_p, *one_u;   // (nparam), (drives)
  double* column;          // (nv) ...
  const double* shift;     // (k) changes of the time at which directions are taken, NULL: none
  void* block;
  char why[400];  // of a refusal
} td_motion_change;

// Check what is to be differentiated by what; TD_E_USAGE: refused, change->why tells why.
td_status td_motion_change_new(const td_model* model, td_work* work, const td_sim_options* options,
                               td_start start, const td_by* by, int k, td_motion_change* change);
void td_motion_change_free(td_motion_change* change);

// Leave the reason of a refusal; TD_E_USAGE.
td_status td_motion_change_refuse(td_motion_change* change, const char* format, ...)
    TD_PRINTF(2, 3);

// Weight of the base direction of a `by` at time t.
double td_motion_change_weight(const td_motion_change* change, int by, double t);
// Its direction at time t: p and u (zero otherwise) in change->one_p and one_u.
td_direction td_motion_change_along(td_motion_change* change, int by, double t);

// Direct changes G (n x k) of y' at (t, y).
td_status td_motion_change_rates(td_motion_change* change, double t, const double* y, double* G);
// Changes S (n x k) of the start at (t, y).
td_status td_motion_change_start(td_motion_change* change, td_start start, double t,
                                 const double* y, double* S);
// Changes at (t, y), which is on the constraints: S (n x k) is projected, in place.
td_status td_motion_change_project(td_motion_change* change, double t, const double* y, double* S);
// Impulses of prescribed speeds that jump at t take the run from (t, before) to (t, y): S (n x k)
// becomes the changes behind them, in place.  `start`: tables go on before t.  TD_E_USAGE: refused.
td_status td_motion_change_impulse(td_motion_change* change, double t, const double* before,
                                   const double* y, bool start, double* S);
// A time beside t [s] at which what jumps at t is what it is before or behind.
static inline double td_motion_change_aside(double t) {
  const double size = t < 0 ? -t : t;
  return 1e-11 * (size > 1e-2 ? size : 1e-2);
}
// Tangent changes (k x nv) of all coordinates and rates at (t, y) for S: change->theta, rate.
void td_motion_change_tangent(td_motion_change* change, double t, const double* y, const double* S);
// Refuse what a run passes at t, but for stops, switches and speeds that jump.
td_status td_motion_change_pass(td_motion_change* change, td_passing what, int which, double t);
// Refuse a switch of a guard that the state decides on at (t, y), behind a step of length h, unless
// what acts is continuous there.
td_status td_motion_change_switch(td_motion_change* change, td_stepper* stepper, int guard,
                                  double t, const double* y, double h);
// Newton's method did not converge in an equal step of h from the state: refuse by name where a
// force jumps there, as friction by sign(v) does.  TD_E_DIVERGED: none does.
td_status td_motion_change_stuck(td_motion_change* change, const td_state* state, double h);
// Derivatives dt (k) of the time of a stop at (t, y).  TD_E_USAGE: several things jump there whose
// times move differently; y = NULL: speeds do.
td_status td_motion_change_stop(td_motion_change* change, double t, const double* y, double* dt);
// Refuse parameters that move jumps at which runs do not stop.
td_status td_motion_change_missed(td_motion_change* change);
// True when there is nothing to project.
bool td_motion_change_is_free(const td_motion_change* change);

#endif
