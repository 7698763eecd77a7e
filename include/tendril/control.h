// Control and observation: what is designed on a linear model, and a plant that runs step by step
// with inputs from outside.  See docs/control.md.
#ifndef TENDRIL_CONTROL_H
#define TENDRIL_CONTROL_H

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- linear design ----------------------------------------------------------------------------

// Gain of the controller u = -K x (K nu x nx) that minimises the integral of x'Q x + u'R u for
// x' = A x + B u.  Q symmetric and not negative, R symmetric positive.  X (nx x nx) solves the
// Riccati equation; X and residual (its largest element left over, relative) may be NULL.
// TD_E_SINGULAR: no such gain (an unstable motion is out of reach, or a motion on the imaginary
// axis is not weighted, or R is not positive).
td_status td_lqr(int nx, int nu, const double* A, const double* B, const double* Q, const double* R,
                 double* K, double* X, double* residual);

// Gain of the observer x^' = A x^ + B u + L (y - C x^ - D u) (L nx x ny) with the least variance P
// for process noise of intensity W (nx x nx) and sensor noise of intensity V (ny x ny).
td_status td_kalman(int nx, int ny, const double* A, const double* C, const double* W,
                    const double* V, double* L, double* P, double* residual);

// Eigenvalues of a square matrix: re and im (n each), largest real part first.
td_status td_poles(const double* A, int n, double* re, double* im);

// What inputs can move and outputs can see.
typedef struct td_structure {
  int reachable, observable;  // dimensions, at most nx (staircase, relative 1e-12)
  bool stable;                // all real parts below zero
  // stable systems: smallest over largest eigenvalue of the Gramians, how far the weakest direction
  // is from being out of reach or sight; NaN otherwise
  double reach_ratio, sight_ratio;
} td_structure;
td_status td_linear_structure(const td_linear* linear, td_structure* structure);

// G = C (i omega - A)^-1 B + D, ny x nu complex numbers as (re, im).  TD_E_SINGULAR at an undamped
// frequency.
td_status td_frequency_response(const td_linear* linear, double omega, double* G);

// The linear model of the first n natural modes about an equilibrium at rest: x = [z, z'] with
// dq = shape' z.  Fewer when there are fewer.  TD_E_USAGE when prescribed motion moves.
td_status td_modal_reduction(const td_model* model, const td_state* state, td_work* work, int n,
                             td_linear** result);

// x (nx) of a state near the one that was linearised about.
td_status td_linear_state(const td_model* model, const td_linear* linear, const td_state* about,
                          const td_state* state, double* x);

// ---- controllers as plug-ins ------------------------------------------------------------------

// The function `td_controller` of a shared library named by control.plugin.  At each sample it gets
// the time, the measured sensors y (ny) and the inputs of its controller u (nu) as they are, which
// it overwrites.  `memory` is zero at the start and kept between calls.  0: go on; else the
// simulation stops.
enum { TD_CONTROLLER_MEMORY = 64 };
typedef int td_controller_function(double t, const double* y, int ny, double* u, int nu,
                                   double* memory);

// ---- a plant that runs ------------------------------------------------------------------------

// A simulation driven from outside: inputs are held over a step.  The same inputs at the same times
// give the same numbers, bit by bit.  It uses the work given to it: one plant per work.
typedef struct td_plant td_plant;

// Starts at `state` (not kept).  options: rtol, atol, solver as in td_simulate; the rest is
// ignored.
td_status td_plant_new(const td_model* model, td_work* work, const td_state* state,
                       const td_sim_options* options, td_plant** plant);
void td_plant_free(td_plant* plant);

// Where it is.  Belongs to the plant, valid until the next call.
const td_state* td_plant_state(const td_plant* plant);
// Hold these inputs (nu) from now on.
void td_plant_inputs(td_plant* plant, const double* u);
// Integrate to time t > now.  On failure the plant stays at the last state reached and
// td_work_failure() of its work may tell more.  Makes no heap call, except that forces which jump
// at known times are looked up again now and then.
td_status td_plant_step(td_plant* plant, double t);
// Go on from another state.
td_status td_plant_reset(td_plant* plant, const td_state* state);
// Counts since the start: steps, rejected, evaluations, tangents, factorisations, projections.
td_sim_stats td_plant_stats(const td_plant* plant);

#ifdef __cplusplus
}
#endif
#endif
