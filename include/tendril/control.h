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
// Riccati equation; X and residual may be NULL.  The residual is the largest element that X leaves
// over relative to the largest term, in coordinates in which A is balanced and inputs act along
// axes; K comes from there and is more accurate than R^-1 B'X where control is cheap.
// TD_E_SINGULAR: no such gain (an unstable motion is out of reach, or a motion on the imaginary
// axis is not weighted, or R is not positive).
TD_API td_status td_lqr(int nx, int nu, const double* A, const double* B, const double* Q,
                        const double* R, double* K, double* X, double* residual);

// Gain of the observer x^' = A x^ + B u + L (y - C x^ - D u) (L nx x ny) with the least variance P
// for process noise of intensity W (nx x nx) and sensor noise of intensity V (ny x ny).
TD_API td_status td_kalman(int nx, int ny, const double* A, const double* C, const double* W,
                           const double* V, double* L, double* P, double* residual);

// Eigenvalues of a square matrix: re and im (n each), largest real part first.
TD_API td_status td_poles(const double* A, int n, double* re, double* im);

// What inputs can move and outputs can see.  (Answers.)
typedef struct td_structure {
  int reachable, observable;  // dimensions, at most nx (staircase, relative 1e-12)
  bool stable;                // all real parts below zero
  // stable systems: smallest over largest eigenvalue of the Gramians, how far the weakest direction
  // is from being out of reach or sight; NaN otherwise
  double reach_ratio, sight_ratio;
} td_structure;
TD_API td_status td_linear_structure_into(const td_linear* linear, td_structure* structure,
                                          size_t size);
static inline td_status td_linear_structure(const td_linear* linear, td_structure* structure) {
  return td_linear_structure_into(linear, structure, sizeof *structure);
}

// G = C (i omega - A)^-1 B + D, ny x nu complex numbers as (re, im).  TD_E_SINGULAR at an undamped
// frequency.
TD_API td_status td_frequency_response(const td_linear* linear, double omega, double* G);

// The same without a linear model of all states, for models of any size about a state: large ones
// at rest by sparse complex factors of K + i omega C - omega^2 M.  It uses the work given to it.
// What joints and cables transmit is left out of large models.
typedef struct td_response td_response;
TD_API td_status td_response_new(const td_model* model, const td_state* state, td_work* work,
                                 td_response** response);
TD_API void td_response_free(td_response* response);
TD_API int td_response_count(const td_response* response);          // ny
TD_API int td_response_output(const td_response* response, int i);  // which sensor row i of G is
TD_API const char* td_response_note(const td_response* response);   // sensors left out, "" if none
TD_API td_status td_response_at(td_response* response, double omega, double* G);

// The linear model of the first n natural modes about an equilibrium at rest: x = [z, z'] with
// dq = shape' z.  Fewer when there are fewer.  Above 1000 velocities the modes come from a sparse
// eigenvalue problem, at most 300 of them.  TD_E_USAGE when prescribed motion moves, or when an
// input says where a constraint is.
TD_API td_status td_modal_reduction(const td_model* model, const td_state* state, td_work* work,
                                    int n, td_linear** result);
// ... and one more shape for each input: what the modes left out would add to the static answer,
// which is then right to 1e-6.
TD_API td_status td_static_reduction(const td_model* model, const td_state* state, td_work* work,
                                     int n, td_linear** result);

// x (nx) of a state near the one that was linearised about.
TD_API td_status td_linear_state(const td_model* model, const td_linear* linear,
                                 const td_state* about, const td_state* state, double* x);

// ---- controllers as plug-ins ------------------------------------------------------------------

// The function `td_controller` of a shared library named by control.plugin.  At each sample it gets
// the time, the measured sensors y (ny) and the inputs of its controller u (nu) as they are, which
// it overwrites.  `memory` is zero at the start and kept between calls.  0: go on; else the
// simulation stops.
enum { TD_CONTROLLER_MEMORY = 64 };
typedef int td_controller_function(double t, const double* y, int ny, double* u, int nu,
                                   double* memory);

// ---- a plant that runs ------------------------------------------------------------------------

// A simulation driven from outside: inputs are held over a step.  Tasks and controllers of the
// model set their inputs as in td_simulate(); what is given for those is ignored.  The same inputs
// at the same times give the same numbers, bit by bit.  What ends a simulation (a folded segment of
// an 'eba' rod, a loop that cannot follow) ends a step, and straight rods buckle as there, but for
// events of the model: a plant does not stop at them.  It uses the work given to it: one plant per
// work.
typedef struct td_plant td_plant;

// Starts at `state` (not kept).  options: rtol, atol, solver, allow_plugin and progress as in
// td_simulate; the rest is ignored.
TD_API td_status td_plant_new(const td_model* model, td_work* work, const td_state* state,
                              const td_sim_options* options, td_plant** plant);
TD_API void td_plant_free(td_plant* plant);

// Where it is.  Belongs to the plant, valid until the next call.
TD_API const td_state* td_plant_state(const td_plant* plant);
// Hold these inputs (nu) from now on.
TD_API td_status td_plant_inputs(td_plant* plant, const double* u);
// Integrate to time t > now.  On failure the plant stays at the last state reached and
// td_work_failure() of its work may tell more.  Makes no heap call, except that forces which jump
// at known times are looked up again now and then.  options.progress is asked every 0.05 s at most,
// of the clock on the wall; when it says stop, the step returns TD_E_STOPPED, and a further call
// with the same inputs and time goes on to the same bits.  Parameters that were changed in its work
// (td_work_set_param) make it go on from its own state as another robot: loops are closed, and what
// is prescribed stands where the new parameters say; jumps at known times are looked up again.
TD_API td_status td_plant_step(td_plant* plant, double t);
// A td_progress that always says stop: long steps come back to the caller every 0.05 s, who calls
// again after looking after other things (signals, for example).
TD_API bool td_plant_pause(void* user, double fraction, const char* what);
// All in one call, for other languages: hold u (NULL: as they are), go to t, and measure there
// (nsensor; NULL: do not).
TD_API td_status td_plant_drive(td_plant* plant, double t, const double* u, double* sensors);
// Go on from another state.
TD_API td_status td_plant_reset(td_plant* plant, const td_state* state);
// Counts since the start: steps, rejected, evaluations, tangents, factorisations, projections.
TD_API void td_plant_stats_into(const td_plant* plant, td_sim_stats* stats, size_t size);
static inline td_sim_stats td_plant_stats(const td_plant* plant) {
  td_sim_stats stats;
  td_plant_stats_into(plant, &stats, sizeof stats);
  return stats;
}
// Can the numbers since the start (td_plant_reset, a change of parameters) be trusted?  The energy
// balance, rods and states are judged as by td_trajectory_trust(); *reasons, one a line, lives
// until the next call.
TD_API td_verdict td_plant_trust(td_plant* plant, const char** reasons);

// ---- observers --------------------------------------------------------------------------------

// What is estimated beside the motion: a parameter or an input that wanders at random.  (Fixed.)
typedef struct td_unknown {
  bool is_param;  // else an input
  int index;
  double sigma;  // standard deviation at the start
  double walk;   // of its change in one second; grows with the square root of time
} td_unknown;

typedef enum td_filter {
  TD_EKF,  // extended: exact tangents along the estimate
  TD_UKF   // unscented, symmetric points of equal weight (cubature): no tangents
} td_filter;

// (Options.)
typedef struct td_observe_options {
  size_t size;  // bytes of this struct, by td_observe_options_default()
  td_filter filter;
  double sigma_q, sigma_v;  // standard deviation of every position and velocity at the start
  double drift;             // white noise on every acceleration: of a velocity after one second
  const double*
      noise;  // (nsensor) standard deviations; NULL or 0: as the model says (sensor.noise)
  const td_unknown* unknown;
  int nunknown;
  const td_sim_options* sim;  // rtol, atol, solver, progress; not kept; NULL: their defaults
} td_observe_options;
TD_API void td_observe_options_fill(td_observe_options* options, size_t size);
static inline td_observe_options td_observe_options_default(void) {
  td_observe_options options;
  td_observe_options_fill(&options, sizeof options);
  return options;
}

// A Kalman filter on the full model, in square-root form.  The error lives on the tangent
// directions of the unprescribed coordinates: [dq, dv, unknowns], 2 nfree + nunknown numbers.
typedef struct td_observer td_observer;

// Starts at `state`; unknown inputs and parameters at their values in state and work.  The work
// belongs to the observer while it lives.  TD_E_USAGE with a message in the work when options do
// not fit.
TD_API td_status td_observer_new(const td_model* model, td_work* work, const td_state* state,
                                 const td_observe_options* options, td_observer** observer);
TD_API void td_observer_free(td_observer* observer);

// Go to time t with the known inputs u (nu; unknown ones are ignored) held on the way, then take
// the measurement y (nsensor; NaN: not measured) into account.  t may be the present time.
// TD_E_STOPPED when options.sim->progress says so; the measurement is then left out.
TD_API td_status td_observer_step(td_observer* observer, double t, const double* u,
                                  const double* y);

// The estimate.  Belongs to the observer; unknown inputs are in its u.
TD_API const td_state* td_observer_state(const td_observer* observer);
TD_API double td_observer_unknown(const td_observer* observer, int i);
TD_API int td_observer_size(const td_observer* observer);  // of the error
// Covariance of the error (size x size), and standard deviations (size); either may be NULL.
TD_API td_status td_observer_covariance(const td_observer* observer, double* P, double* sigma);
// Of the last measurement: y less what was expected and its standard deviation (nsensor each, NaN
// where not measured; may be NULL); returns the normalised square, chi-square with *n degrees of
// freedom.
TD_API double td_observer_innovation(const td_observer* observer, double* e, double* sigma, int* n);

#ifdef __cplusplus
}
#endif
#endif
