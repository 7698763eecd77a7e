// Exact derivatives of results: how equilibria, modes, linear models and limit loads change with
// every number of the model.  See docs/gradients.md.
#ifndef TENDRIL_GRADIENT_H
#define TENDRIL_GRADIENT_H

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- by what ----------------------------------------------------------------------------------

// What a result is differentiated with respect to.
typedef enum td_by_kind {
  TD_BY_PARAM,     // parameter `index` (td_model_param_find)
  TD_BY_INPUT,     // input `index`, held or a constant offset of its course over time
  TD_BY_POSITION,  // initial coordinate: tangent direction `index` (0 .. nv - 1), trajectories only
  TD_BY_VELOCITY,  // initial velocity `index`, trajectories only
  TD_BY_INTERNAL,  // initial internal state `index`
  TD_BY_SAMPLE     // sample `index` (row * n + column) of td_sim_options.inputs, trajectories only
} td_by_kind;
// (Fixed.)
typedef struct td_by {
  td_by_kind kind;
  int index;
} td_by;

// True when results at rest have derivatives by it: it exists, and was not read while loading.
TD_API bool td_by_allowed(const td_model* model, td_by by);

// Parameters that were read while the model was loaded have no derivative: the functions below
// return TD_E_USAGE, and td_work_failure (tools.h) names them.  So it does for all that is refused.

// ---- statics ----------------------------------------------------------------------------------

// Change of an equilibrium with each of n `by`; `state` is the one td_equilibrium left.  Matrices
// have one row for each `by`: dq n x nv (tangent directions, as td_displace), dlambda n x
// nconstraint, dz n x nz, dsensors n x nsensor, denergy n x 1 (potential energy: elastic and of
// gravity); NULL: not wanted.
//
//   dy/dp = -K^-1 dF/dp       y = (q, lambda, z), K evaluated at the state and factored once
//
// Cables that are taut stay taut and contacts stay closed.  Directions that nothing holds (a robot
// that floats) stay where they are, in the metric of the masses.  Internal states that their rates
// do not determine follow their initial values.  TD_E_SINGULAR: at a limit point, where a direction
// is neutral, or where what is changed pushes along a direction that nothing holds.  TD_E_USAGE:
// the state is no equilibrium, or a `by` has no derivative.
TD_API td_status td_equilibrium_gradient(const td_model* model, const td_state* state,
                                         td_work* work, const td_by* by, int n, double* dq,
                                         double* dlambda, double* dz, double* dsensors,
                                         double* denergy);

// The transpose: gradient (n) of  sensor_weights·sensors + q_weights·q + energy_weight energy,  q
// in tangent directions (nsensor, nv; NULL: none), by one solve with K' and one sweep whatever n
// is. Sensors of forces, accelerations and energy, and the potential energy, have no sweep: with
// weights of those it is the forward derivative of each `by`, as exact.
TD_API td_status td_equilibrium_adjoint(const td_model* model, const td_state* state, td_work* work,
                                        const double* sensor_weights, const double* q_weights,
                                        double energy_weight, const td_by* by, int n,
                                        double* gradient);

// After either: "" or words on what is one-sided there (a cable at the change between taut and
// slack, a contact at first touch); the derivative is then that of one side.
TD_API const char* td_work_gradient_note(const td_work* work);

// Change of the linear model `linear`, which td_linearize made at the same equilibrium: one matrix
// for each of n `by`, dA n x nx x nx, dB n x nx x nu, dC n x ny x nx, dD n x ny x nu; NULL: not
// wanted.  Derivatives are total: the equilibrium moves with what is changed.  All models are
// written in the coordinates x of `linear` (its basis stays).  Second derivatives of forces are
// central differences of order 8 of exact linear models along the change; what two orders do not
// agree about is refused (TD_E_DIVERGED).
TD_API td_status td_linearize_gradient(const td_model* model, const td_state* state, td_work* work,
                                       const td_linear* linear, const td_by* by, int n, double* dA,
                                       double* dB, double* dC, double* dD);

// Change of the modes that td_modes found at the same equilibrium, total derivatives as above: of
// the natural frequencies and damping ratios (n x modes->n), of the eigenvalues' real and imaginary
// parts (n x modes->ncomplex) and of the mass-normalised shapes (n x modes->n x nv); NULL: not
// wanted.
//
//   dw^2 = phi'(dK - w^2 dM) phi + 2 mu'dJ phi       with loops: J'mu balances (K - w^2 M) phi
//
// Modes of the same frequency get the derivative of their mean, as td_work_gradient_note says;
// their shapes are not determined, and those derivatives are NaN.  So is what has no slope: a
// frequency that is zero.
TD_API td_status td_modes_gradient(const td_model* model, const td_state* state, td_work* work,
                                   const td_modes_result* modes, const td_by* by, int n,
                                   double* domega, double* dzeta, double* dre, double* dim,
                                   double* dshape);

// Change of the load at a limit point of a path (TD_LIMIT of td_trace), for each of n `by`: `load`
// is what the path is along.  The state has the point's positions, the work (td_work_set_param) or
// the inputs of the state its load.
//
//   dload/dp = -psi'F_p / psi'F_load         psi'K = 0
//
// TD_E_USAGE where the stiffness is not singular.  TD_E_SINGULAR where the load does not push
// along psi: a bifurcation, not a limit point.
TD_API td_status td_limit_gradient(const td_model* model, const td_state* state, td_work* work,
                                   td_by load, const td_by* by, int n, double* dload);

// ---- trajectories -----------------------------------------------------------------------------

// The changes of a trajectory.  td_sensitivity_free() releases it.
typedef struct td_sensitivity td_sensitivity;

// As td_simulate(), with the changes s = dy/dp of all rows by each of n `by`:
//
//   s' = df/dy s + df/dp,    s(0) = d(start)/dp
//
// are solved stage by stage along the steps of the simulation, each the exact derivative of that
// step.  TD_SOLVER_FIXED takes its equal steps, with Newton's method to rounding; every other
// solver becomes Radau's method of order 9, whose steps are held to the tolerances by the states
// and, ten times looser, by their changes.  Rows of the trajectory stay where they are in time.
// Where elements begin or cease to act, steps end; where prescribed times move with a parameter and
// forces jump there, so do the changes; so they do with prescribed speeds.  TD_E_USAGE with a
// message in the trajectory: what has no derivative (a parameter that was read while loading), or
// what is not differentiated: forces that jump where the state says so, impulses of cables, events
// that end the run before t_final, tasks and sampled controllers, sparse models.  *sensitivity is
// NULL on failure.
TD_API td_status td_simulate_gradient(const td_model* model, td_work* work, td_state* state,
                                      const td_sim_options* options, td_start start,
                                      const td_by* by, int n, td_trajectory** trajectory,
                                      td_sensitivity** sensitivity);

// Changes at a row of the trajectory: of coordinates (tangent directions), velocities, internal
// states and sensors, each with one row for each `by`: n x nv, n x nv, n x nz, n x nsensor.  NULL
// out of range.
TD_API const double* td_sensitivity_q(const td_sensitivity* sensitivity, int row);
TD_API const double* td_sensitivity_v(const td_sensitivity* sensitivity, int row);
TD_API const double* td_sensitivity_z(const td_sensitivity* sensitivity, int row);
TD_API const double* td_sensitivity_sensors(const td_sensitivity* sensitivity, int row);
// Number of rows, as the trajectory has.
TD_API int td_sensitivity_rows(const td_sensitivity* sensitivity);
// Which method it was, and what its numbers are limited by.
TD_API const char* td_sensitivity_note(const td_sensitivity* sensitivity);
TD_API void td_sensitivity_free(td_sensitivity* sensitivity);

// Weights (rows x nsensor, zero before) of an objective, its derivatives by the sensors at the rows
// of a trajectory; anything but TD_OK ends the computation with that status.
typedef td_status (*td_weigh)(void* user, const td_trajectory* trajectory, double* weights);

// Simulate with TD_SOLVER_FIXED, ask `weigh` for the weights of the sensors at the rows of the
// trajectory, and compute the gradient (n) of the objective by each `by`: the discrete adjoint,
// which is the gradient of the computed function to rounding, at a cost that hardly grows with n.
// Steps are kept in memory, up to options->memory; where there are more, they are kept in segments,
// and the run is repeated up to the end of each but the last: the gradient is the same to rounding.
// TD_E_USAGE with a message in the trajectory:
// as td_simulate_gradient(), and prescribed speeds that jump; another solver than TD_SOLVER_FIXED.
TD_API td_status td_simulate_adjoint(const td_model* model, td_work* work, td_state* state,
                                     const td_sim_options* options, td_start start, td_weigh weigh,
                                     void* user, const td_by* by, int n, td_trajectory** trajectory,
                                     double* gradient);

#ifdef __cplusplus
}
#endif

#endif
