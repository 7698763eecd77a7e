// Interface of the engine for the analyses, beyond the public API: coordinates and their
// rates, prescribed motion, projection onto the constraints, power of the forces without potential,
// events, load scaling.
//
//   F(t, q, v, a, l) = M a + h - tau - Jcᵀ l          Jc a + gamma = 0          qdot = N(q) v
//
// Dimensions: nq positions, nv velocities, nu inputs, nz internal states, nconstraint rows.
// Matrices are row-major.
#ifndef TD_DYN_H
#define TD_DYN_H

#include "base/arena.h"
#include "base/base.h"
#include "tendril/tools.h"

// ---- coordinates ------------------------------------------------------------------------------

// Indices of the unprescribed velocities and positions, ascending; returns how many.
int td_free_v(const td_model* model, const int** index);
int td_free_q(const td_model* model, const int** index);
// Put prescribed q and v (dof.motion at state->t) into the state.
void td_prescribe(const td_model* model, td_work* work, td_state* state);
// qdot = N(q) v.
void td_qdot(const td_model* model, const double* q, const double* v, double* qdot);
// Matrices of qdot for ODE solvers: N (nq x nv), d(N v)/dq (nq x nq), and a left inverse N+ (nv x
// nq) with N+ N = 1.
void td_qdot_matrix(const td_model* model, const double* q, double* N);
void td_qdot_dq(const td_model* model, const double* q, const double* v, double* dNv);
void td_qdot_inverse(const td_model* model, const double* q, double* Nplus);
// True when the model has quaternions, nq > nv.
bool td_has_quaternions(const td_model* model);
// True when a state and a work belong to a model (model_has).
bool td_belongs(const td_model* model, const td_state* state, const td_work* work);
// True when all numbers of a state are finite.
bool td_state_is_finite(const td_model* model, const td_state* state);
// Scale all unit quaternions of q to length 1.
void td_normalise(const td_model* model, double* q);

// td_trial_X is td_X for the trial states of solvers: numbers may be anything, and those that are
// not finite go through into the results, where the solver finds them.  Derivatives by inputs are
// by all drives (model_drives): inputs, then internal states.
td_status td_trial_displace(const td_model* model, const double* q, const double* dv,
                            double* q_out);
td_status td_trial_dynamics(const td_model* model, const td_state* state, td_work* work);
td_status td_trial_residual(const td_model* model, const td_state* state, td_work* work,
                            const double* a, const double* lambda, double* F);
td_status td_trial_tangent(const td_model* model, const td_state* state, td_work* work,
                           const double* a, const double* lambda, double* dFdq, double* dFdv);
td_status td_trial_sensors(const td_model* model, const td_state* state, td_work* work,
                           double* values);
td_status td_trial_mass_matrix(const td_model* model, const td_state* state, td_work* work,
                               double* M);
td_status td_trial_bias(const td_model* model, const td_state* state, td_work* work, double* h,
                        double* tau);
td_status td_trial_input_map(const td_model* model, const td_state* state, td_work* work,
                             double* B);
td_status td_trial_constraints(const td_model* model, const td_state* state, td_work* work,
                               double* Jc, double* e, double* edot);
td_status td_trial_forward_tangent(const td_model* model, const td_state* state, td_work* work,
                                   double* dq, double* dv, double* du);
td_status td_trial_station(const td_model* model, const td_state* state, td_work* work, int station,
                           double pose[16], double twist[6]);
td_energies td_trial_energy(const td_model* model, const td_state* state, td_work* work);

// td_displace for the long steps of statics: the strains of 'eba' and 'rom' rods change linearly
// instead of their positions, so that a rod bends rather than stretches.  Moves state->q and leaves
// state->v zero.
void td_displace_chains(const td_model* model, td_work* work, td_state* state, const double* dv);
// True when the model has such rods.
bool td_has_chains(const td_model* model);
// Least margin to a coordinate singularity of three-number charts (1: none near, 0: at it), and
// that DOF's name.
double td_chart_margin(const td_model* model, const double* q, const char** name);

// ---- size and strains of the state placed last ------------------------------------------------

// Diagonal [m] of the box around all stations.
double td_robot_size(const td_model* model, const td_work* work);
// Size of a placed model: the largest of the diagonal of the box around all stations, rod lengths
// and offsets of centres of mass; 1 m where that is zero.
double td_extent(const td_model* model, const td_work* work);
// Least stretch of the pieces of rods (1: undeformed length, 0: compressed to nothing), infinity
// without rods, and that rod's name.
double td_least_stretch(const td_model* model, const td_work* work, const char** rod);
// Largest |shear| or |stretch - 1| among pieces of rods with a linear law, 0 without any, and that
// rod's name.
double td_largest_strain(const td_model* model, const td_work* work, const char** rod);
// (nv) True for velocities of rods in loops that can only bend and twist: where such a rod is
// straight its rows are nearly dependent.
void td_stiff_loop_rods(const td_model* model, td_work* work, bool* out);

// Largest angle [rad] between the ends of a segment of an 'eba' rod at a state, 0 without such
// rods, and the node at that segment's end.  At half a turn the middle frame of the segment flips
// and its energy jumps; a segment near it is at the end of its validity.
#define TD_MOST_FOLD 3.0
double td_largest_fold(const td_model* model, const td_state* state, td_work* work, int* node);
// Number, from 1, of the segment that ends at a node along its rod, and the rod's name.
int td_fold_segment(const td_model* model, int node, const char** rod);
#define TD_FOLDED                                                                            \
  "segment %d of %s is folded by %.3g rad; beyond half a turn a segment of 'eba' is turned " \
  "inside out: use more segments (rod.n), 'gvs' or 'ebr'"
// TD_E_DIVERGED, with that message in the work, where a segment or beam is folded by more than
// TD_MOST_FOLD.
td_status td_refuse_folds(const td_model* model, const td_state* state, td_work* work);

// ---- motion that loops cannot follow ----------------------------------------------------------

// Leave the message that a loop cannot follow the prescribed motion from time t on: at `state` its
// rows have errors of positions, or of rates.
void td_report_unfollowed(const td_model* model, td_work* work, const td_state* state, double t,
                          bool rate);
// The row that misses its acceleration most, by *left, when joint.control requests accelerations
// that the mechanism cannot follow at a state; -1: it can.
int td_unfollowed_control(const td_model* model, const td_state* state, td_work* work,
                          double* left);
#define TD_UNFOLLOWED_CONTROL                                                                      \
  "the mechanism cannot follow the accelerations of joint.control at t = %.6g s: %s is left with " \
  "%.3g %s; control fewer directions, or those that it can move along"
// Time [s] until prescribed motion up to t_end has covered a distance that its loops cannot follow
// to first order although rods could buckle, 0: they can follow.
double td_stuck(const td_model* model, const td_state* state, td_work* work, double t_end);
// Move a state on by that time, with the rods bent as little as closes the loops, and velocities
// that follow.
td_status td_buckle(const td_model* model, td_state* state, td_work* work, double after);

// ---- constraints ------------------------------------------------------------------------------

// Move q onto the constraints in the metric of the mass matrix, down to tol.  Rows that are not
// projected (control by the state, PD stabilisation) are left out.  TD_E_DIVERGED: Newton's method
// does not get below tol.
td_status td_project_q(const td_model* model, td_state* state, td_work* work, double tol);
// td_project_q; position errors that cannot be brought below tol are good enough below `accept`.
td_status td_project_q_within(const td_model* model, td_state* state, td_work* work, double tol,
                              double accept);
// Move v onto the constraints.
td_status td_project_v(const td_model* model, td_state* state, td_work* work);
// Move q, then v.
td_status td_project(const td_model* model, td_state* state, td_work* work, double tol,
                     double accept);
// Project states that have hardly left the constraints, as after a step of a simulation.
typedef struct td_projector {
  double accept;       // position errors that may remain if they must
  double* B;           // (nv x nconstraint) corrections at a nearby state
  double* J;           // (nconstraint x nv) scratch
  bool ready;          // B has been computed
  double error, rate;  // largest errors of positions and rates after the last projection
} td_projector;
td_status td_project_near(const td_model* model, td_state* state, td_work* work,
                          td_projector* projector);
// Displacements x (k x nv) and multipliers l (k x nconstraint, NULL: not wanted) over the projected
// rows at a state, W x - Jᵀ l = f, J x = g for k right-hand sides (f, g NULL: zero).  W is the mass
// matrix (`rates`), or the metric of td_project_near.
td_status td_projection_solve(const td_model* model, const td_state* state, td_work* work,
                              bool rates, const double* f, const double* g, int k, double* x,
                              double* l);
// Largest |e| and |edot| of the projected rows at a state.
void td_constraint_error(const td_model* model, const td_state* state, td_work* work, double* e,
                         double* edot);
// d(Jc a + gamma)/dq and /dv (nconstraint x nv) at given a, for the linearised forward dynamics.
void td_constraint_tangent(const td_model* model, const td_state* state, td_work* work,
                           const double* a, double* dq, double* dv);

// Sizes of the rows (nconstraint) and scale factors of the free columns at a state, for
// td_row_scale of math/dense.h.
void td_constraint_scales(const td_model* model, const td_state* state, td_work* work, double* row,
                          double* col);
// Number of independent rows at a state, and which of them (order, may be NULL).
int td_constraint_rank(const td_model* model, const td_state* state, td_work* work, int* order);
// Number of independent rows at this state or at one near by that meets the constraints, whichever
// is larger: the rank that motion from this state may reach.
int td_constraint_rank_around(const td_model* model, const td_state* state, td_work* work,
                              int* order);
// A row that admits motion to first order but no further, as of bars in line: no nearby state that
// meets the constraints is reached along it.  -1: none, or the model is sparse with more than
// TD_LENT_DENSE velocities.  *energy is then how much the potential energy changes as far from the
// state as loops closed to rounding admit.
int td_shaky_row(const td_model* model, const td_state* state, td_work* work, double* energy);
// Sparse models have no scratch for dense matrices of all velocities and rows: it is lent to them,
// up to this number of velocities, which takes seconds.  False: the model is larger, or out of
// memory.
enum { TD_LENT_DENSE = 700 };
bool td_lend_dense(const td_model* model, td_work* work, arena* own, char** memory);
void td_take_back(td_work* work, const arena* own, char* memory);
// Keep the rank at this state, which meets the constraints, for the evaluations that follow at
// nearby states: beside the constraints dependent rows seem independent.  `first`: nothing is known
// of earlier states.  Until td_rank_forget.
void td_rank_keep(const td_model* model, const td_state* state, td_work* work, bool first);
void td_rank_forget(td_work* work);
// After a step: the next evaluation renews the sizes of the rows, with the same rank.
void td_rank_resize(td_work* work);

// Rows whose `control` is a function of time follow a target that the solver integrates along with
// the state, 2 numbers for each row, [value, rate].  The owner copies its integrated values into
// td_targets() before evaluating.
int td_target_count(const td_model* model);
double* td_targets(td_work* work);
// Targets at the present values of their rows, and rates of the targets.
void td_target_initial(const td_model* model, const td_state* state, td_work* work,
                       double* targets);
void td_target_rates(const td_model* model, const td_state* state, td_work* work,
                     const double* targets, double* rates);

// ---- inextensible cables ----------------------------------------------------------------------
// Which of them are slack is part of the work, beside the state; rows of slack cables are off.  At
// first those are slack whose length is below what is left of the cable.

// Number of inextensible cables, and the name of the i-th.
int td_taut_count(const td_model* model);
const char* td_taut_name(const td_model* model, int i);
// Make cables without gap taut; nothing is moved.  td_taut_choose() keeps those of them that pull.
void td_taut_touching(const td_model* model, const td_state* state, td_work* work);
// At this instant: close gaps that are negative, stop closing gaps by plastic impulses, release
// cables without tension.
td_status td_taut_settle(const td_model* model, td_state* state, td_work* work);
// Project the velocities onto the other constraints alone.
td_status td_taut_free(const td_model* model, td_state* state, td_work* work);
// Switching functions (count), positive: the tension of a taut, the gap of a slack cable.
void td_taut_values(const td_model* model, const td_state* state, td_work* work, double* values);
// Copy which cables are slack.
void td_taut_copy(const td_model* model, const td_work* from, td_work* to);
// Statics: make all taut or all slack; change all cables with negative tensions or gaps, the worst
// or the first of them, and return how many there were.
typedef enum td_taut_rule { TD_TAUT_ALL, TD_TAUT_WORST, TD_TAUT_FIRST } td_taut_rule;
void td_taut_all(const td_model* model, td_work* work, bool taut);
int td_taut_correct(const td_model* model, const td_state* state, td_work* work,
                    const double* lambda, td_taut_rule rule);

// ---- jumps of prescribed speeds ---------------------------------------------------------------

// Prescribed speeds may jump at the instant of the state.  Its free velocities, which are those
// just before, then jump, too, by impulses of the motors, whose work is left in *done; *moved:
// there was a jump.  Both sides are evaluated `margin` [s] aside.  Positions that jump, and jumps
// that a loop cannot follow, are TD_E_MODEL with a message.  At the start of a simulation the first
// knot of a table is no jump, nor is one that lies behind the state, as in the last state of
// another simulation; at the end the last knot is none.
typedef enum td_edge { TD_EDGE_NONE, TD_EDGE_START, TD_EDGE_END } td_edge;
td_status td_jump(const td_model* model, td_state* state, td_work* work, double margin,
                  td_edge edge, double* done, bool* moved);
// First time in (t0, t1] at which a prescribed speed jumps, from its values alone; INFINITY: none.
double td_next_jump(const td_model* model, td_work* work, double t0, double t1);
// Values of the clocks of the model (clock_tape), whose sign changes are corners, at time t.
void td_clocks(const td_model* model, td_work* work, double t, double* values);
// Time at which a clock changes sign between low and high.
double td_clock_turn(const td_model* model, td_work* work, int clock, double low, double high);
// First time in (t0, t1] at which a clock of motion and strains, or any clock, changes sign;
// INFINITY: none.  Where clocks are not linear in time two changes within 1/32 of the interval may
// be missed.
double td_next_corner(const td_model* model, td_work* work, double t0, double t1, bool motion);
// Margin [s] around t for simulations of this length: corners nearer to each other are one.
static inline double td_jump_margin(double t, double length) {
  const double size = length > 0 && length < 1e300 ? length : 1;
  return 2e-12 * (size > t && size > -t ? size : t < 0 ? -t : t);
}

// ---- one step of fixed length -----------------------------------------------------------------

// The classical Runge-Kutta step of order 4, after which unit quaternions and constraints are
// restored, for programs that must know beforehand how long a step takes; td_simulate chooses its
// steps itself.  While something one-sided acts, the step is divided as far as needed.
td_status td_fixed_step(const td_model* model, td_state* state, td_work* work, double dt);
// Memory [bytes] of a td_work.
size_t td_work_bytes(const td_model* model);

// ---- forces -----------------------------------------------------------------------------------

// Scale gravity, inputs, loads and rest-length changes for load continuation; 1 is the model
// itself.
void td_set_load(td_work* work, double scale);
// Generalised forces (nv) of a force m d on every mass m that moves.
void td_mass_push(const td_model* model, const td_state* state, td_work* work, const double d[3],
                  double* forces);
// Power of everything without potential: inputs, loads, dampers, prescribed motion, control,
// springs that depend on time or state.  d(kinetic + elastic + gravity)/dt equals it.  Uses the v'
// of the last forward dynamics.
double td_power(const td_model* model, const td_state* state, td_work* work);
// td_power right after td_forward_dynamics, without evaluating the state again.
double td_power_placed(const td_model* model, td_work* work);
// True when the power depends on v' and the multipliers (driven constraints, prescribed motion).
bool td_power_needs_motion(const td_model* model);
// The power where it does not, at a state that meets the constraints.
double td_power_unmoved(const td_model* model, const td_state* state, td_work* work);
// True when every force has a potential or is viscous, so that stability may be judged by the
// stiffness alone; prescribed DOFs are held at rest.
bool td_is_conservative(const td_model* model);
// True when some damper has power != 1 (contributes nothing to the linearisation at rest when > 1).
bool td_has_power_dampers(const td_model* model);
// True when a damper has a negative coefficient, with the numbers `work` was last evaluated with.
// It drives the motion, and the stiffness alone does not tell whether an equilibrium is stable.
bool td_has_driving_dampers(const td_model* model, const td_work* work);
// A direction of all that the residual F(t, q, v, a, lambda; p) depends on; NULL: no change.
typedef struct td_direction {
  double t;                 // time
  const double *q, *v, *a;  // (nv) coordinates (turns of quaternions, as td_displace), rates, v'
  const double* lambda;     // (nconstraint)
  const double* p;          // (nparam)
  const double* u;          // (drives) inputs, then internal states
  const double* n;          // numbers of the model themselves (td_model.number), besides
  const struct td_constants_change* constants;  // along p, known beforehand; NULL: they are made
} td_direction;
// The changes along p (nparam) of all that is computed once for the parameters: numbers that follow
// them alone, and what the initial geometry gives.  Directions with the same p at many states
// refer to one.  Where parameters of the work have changed since, it is not used.  NULL: no memory.
typedef struct td_constants_change td_constants_change;
td_constants_change* td_constants_change_new(const td_model* model, td_work* work, const double* p);
void td_constants_change_free(td_constants_change* change);
// The exact change of F along it.  What moves with time as prescribed does so whatever q and v say;
// rest values, lengths and references that the initial geometry gives change with the parameters.
td_status td_residual_diff(const td_model* model, const td_state* state, td_work* work,
                           const td_direction* along, const double* a, const double* lambda,
                           double* dF);
// The changes (k x nv) along k directions at one state, which is evaluated once.  held (k x nv,
// zeros before; NULL: not wanted) gets the changes of prescribed accelerations, which then count as
// those of v'; rates (k x nz, NULL: not wanted) those of the rates of internal states.
td_status td_residual_diffs(const td_model* model, const td_state* state, td_work* work,
                            const td_direction* along, int k, const double* a, const double* lambda,
                            double* dF, double* held, double* rates);
// The same of the constraints: of their values and rates less those of their targets, and of their
// accelerations for v' = a less what drives them (each nconstraint, NULL: not wanted).
td_status td_constraints_diff(const td_model* model, const td_state* state, td_work* work,
                              const td_direction* along, const double* a, double* e, double* edot,
                              double* defect);
// ... along k directions (k x nconstraint each) at one state.
td_status td_constraints_diffs(const td_model* model, const td_state* state, td_work* work,
                               const td_direction* along, int k, const double* a, double* e,
                               double* edot, double* defect);
// The exact change of the sensors (nsensor) along it.  v' and the multipliers follow from the
// equations of motion: the changes `a` and `lambda` of the direction are not used.
td_status td_sensors_diff(const td_model* model, const td_state* state, td_work* work,
                          const td_direction* along, double* dy);
// The changes along it of what an equilibrium is given; NULL: not wanted.
typedef struct td_given {
  double *q, *v,
      *a;           // (nv) prescribed coordinates, their rates and accelerations; 0: not prescribed
  double* target;   // (nconstraint) values that rows with control begin with; 0: other rows
  double* initial;  // (nz) initial values of the internal states
  double* rates;    // (nz) rates of the internal states at the state
} td_given;
td_status td_given_diff(const td_model* model, const td_state* state, td_work* work,
                        const td_direction* along, const td_given* out);
// The change along it of the potential energy, elastic and of gravity as td_energy has them.
td_status td_potential_diff(const td_model* model, const td_state* state, td_work* work,
                            const td_direction* along, double* change);
// The exact changes of v' (k x nv), of the multipliers (k x nconstraint) and of the rates of
// internal states (k x nz, NULL: not wanted) along k directions at one state: v' and the
// multipliers follow from the equations of motion, and their changes in the directions are not
// used.
td_status td_rates_diff(const td_model* model, const td_state* state, td_work* work,
                        const td_direction* along, int k, double* a, double* lambda, double* rates);
// The transpose: for weights F of the residual (nv) those of all that a direction has, so that
// F·dF = q·dq + v·dv + ... for every direction.  Results are overwritten; NULL: not wanted.  One
// sweep, whatever the number of numbers.
typedef struct td_adjoint {
  double* t;          // (1) time
  double *q, *v, *a;  // (nv)
  double* lambda;     // (nconstraint)
  double* p;          // (nparam)
  double* u;          // (drives)
  double* n;          // (td_model.nnumber)
} td_adjoint;
td_status td_residual_reverse(const td_model* model, const td_state* state, td_work* work,
                              const double* a, const double* lambda, const double* F,
                              const td_adjoint* out);
// The same for weights of the constraints as td_constraints_diff has them; NULL: zero.
td_status td_constraints_reverse(const td_model* model, const td_state* state, td_work* work,
                                 const double* a, const double* e, const double* edot,
                                 const double* defect, const td_adjoint* out);
// The same for weights of the numbers of the model themselves (td_model.nnumber): prescribed
// motion, rates of internal states and all others that follow time, inputs, parameters and sensors.
td_status td_numbers_reverse(const td_model* model, const td_state* state, td_work* work,
                             const double* numbers, const td_adjoint* out);
// The same for weights of the sensors (nsensor).  TD_E_USAGE, and *first is its number, where a
// sensor with a weight has no transpose: what is transmitted, accelerated or stored (force, wrench,
// tension, lambda, acc, energy).
td_status td_sensors_reverse(const td_model* model, const td_state* state, td_work* work,
                             const double* sensors, int* first, const td_adjoint* out);
// Does the initial geometry give rest values of springs, beams and strains, or values that rows
// keep?
bool td_initial_rests(const td_model* model);
// Changes of the initial state (td_state_initial) with the parameters, along p (nparam): positions
// (nv) with loops closed; rates (nv) and internal states (nz) as they are written, before
// td_state_initial() brings rates onto the constraints.  TD_E_USAGE with a message in the work:
// gaps of loops change, which are closed from written values that do not meet them.
td_status td_state_initial_diff(const td_model* model, td_work* work, const double* p, double* q,
                                double* v, double* z);
// Put changes of prescribed coordinates and of their rates along a direction (nv; others stay).
void td_prescribe_diff(const td_model* model, const td_state* state, td_work* work,
                       const td_direction* along, double* q, double* v);
// The transpose of td_rates_diff for weights of v' (nv, zero for prescribed ones) and of the rates
// of internal states (nz, NULL: zero): those of t, q, v, u, p and n; a and lambda are not written.
td_status td_rates_reverse(const td_model* model, const td_state* state, td_work* work,
                           const double* a, const double* rates, const td_adjoint* out);
// dF/dp (nv) for a parameter at given a and lambda (NULL: zero).
void td_param_derivative(const td_model* model, const td_state* state, td_work* work, int param,
                         const double* a, const double* lambda, double* dFdp);
// The changes of the constraints (td_constraints_diff) with a parameter; NULL: not wanted.
void td_param_constraints(const td_model* model, const td_state* state, td_work* work, int param,
                          const double* a, double* e, double* defect);
// dF/du (nv) for one input.
void td_input_derivative(const td_model* model, const td_state* state, td_work* work, int input,
                         double* dFdu);

// ---- derivatives of sensors and internal states -----------------------------------------------

// d sensor/dq, /dv (nsensor x nv), /du (nsensor x drives): exact, sensors of accelerations
// included.  known (nsensor, may be NULL): false where a sensor has no derivative because it
// follows from the multipliers of dependent constraints.
td_status td_sensor_tangent(const td_model* model, const td_state* state, td_work* work, double* dq,
                            double* dv, double* du, bool* known);
// Derivatives of the sensors at rest without the equations of motion, for models of any size: da
// are the slopes with respect to v'.  known is false for what joints and cables transmit.
typedef struct sensor_slopes {
  double *dq, *dv, *da;  // nsensor x nv
  double* du;            // nsensor x drives
  bool* known;           // (nsensor)
} sensor_slopes;
td_status td_sensor_slopes(const td_model* model, const td_state* state, td_work* work,
                           const sensor_slopes* slopes);
// Rates of the internal states at the last evaluation (nz); they belong to the work.
const double* td_work_rates(const td_model* model, const td_work* work);
// Exact derivatives of these rates along the tangent directions of q, by v (nz x nv each) and by
// the drives (nz x (nu + nz)).
void td_trial_internal_tangent(const td_model* model, const td_state* state, td_work* work,
                               double* dq, double* dv, double* du);
// True when an input is part of joint.control.
bool td_inputs_drive_rows(const td_model* model);

// ---- parameters and failures ------------------------------------------------------------------

// Give a parameter a value that need not obey the rules of the fields it is in: for finite
// differences and for values that have been checked together.
void td_work_put_param(const td_model* model, td_work* work, int param, double value);
// TD_OK when the rows x cols numbers of a result are finite; otherwise TD_E_INFINITE, and the
// failure is "<what> <name of the row> is inf", or without `name` "<what> is inf in row r, column
// c".
td_status td_finite(const td_model* model, td_work* work, const char* what,
                    const char* (*name)(const td_model*, int), const double* x, int rows, int cols);
// TD_E_INFINITE when accelerations or rates of internal states are not finite at a state where an
// analysis begins.
td_status td_finite_rates(const td_model* model, const td_state* state, td_work* work);
// Leave the text of a failure for td_work_failure().
void td_work_fail(td_work* work, const char* format, ...) TD_PRINTF(2, 3);

// ---- controllers ------------------------------------------------------------------------------

typedef enum td_controller_kind {
  TD_CONTROLLER_LAW,
  TD_CONTROLLER_GAINS,
  TD_CONTROLLER_PLUGIN
} td_controller_kind;
typedef struct td_controller_info {
  td_controller_kind kind;
  int first, n;       // its inputs among those of all controllers
  const char* file;   // file of the gains or the plug-in
  bool from_sensors;  // gains act on an estimated state
} td_controller_info;
// Number of controllers, and the k-th.
int td_controller_count(const td_model* model);
td_controller_info td_controller_at(const td_model* model, int k);
// Number of inputs that controllers set; index and limits of the i-th; true when an expression sets
// it.
int td_law_count(const td_model* model);
int td_law_input(const td_model* model, const td_work* work, int i, double* low, double* high);
bool td_law_is_law(const td_model* model, int i);
// Values of the laws (count, 0 for inputs without a law), and their derivatives by q and v (count x
// nv).
void td_law_values(const td_model* model, const td_state* state, td_work* work, double* values);
void td_law_tangent(const td_model* model, const td_state* state, td_work* work, double* dq,
                    double* dv);
// The computer that controllers run on.
typedef struct td_computer {
  double rate, delay, quantum;  // samples [1/s], delay [s], quantum of the inputs
  uint64_t seed;                // seed of the noise
} td_computer;
td_computer td_model_computer(const td_model* model);
// Noise and quantum with which it measures output i.
void td_measure(const td_model* model, const td_work* work, int i, double* noise, double* quantum);

// ---- tasks ------------------------------------------------------------------------------------

// Number of values that tasks are to bring about; 0: the model has no tasks.
int td_task_count(const td_model* model);
// True when the feed-forward of the tasks comes from statics.
bool td_task_is_static(const td_model* model);
// For each value: value, rate, acceleration at v' = 0 (the bias), and desired value, rate and
// acceleration.
typedef struct td_task_values {
  const double *y, *rate, *bias, *desired, *desired_rate, *desired_acc;
} td_task_values;
// Evaluate the tasks at a state; the arrays belong to the work and are valid until its next use.
td_task_values td_task_at(const td_model* model, const td_state* state, td_work* work);
// d value/dq (count x nv)
void td_task_jacobian(const td_model* model, const td_state* state, td_work* work, double* J);
// Gains of value i, and the largest damping of all tasks.
void td_task_gains(const td_model* model, const td_work* work, int i, double* P, double* I,
                   double* D);
double td_task_damping(const td_model* model, const td_work* work);
// Rate [1/s] at which motion that the tasks leave free is braked.
double td_task_calm(const td_model* model, const td_work* work);
// Number of inputs that tasks drive, and index and limits of the k-th.
int td_task_input_count(const td_model* model);
int td_task_input(const td_model* model, const td_work* work, int k, double* low, double* high);
// True when forces are affine in the inputs.
bool td_inputs_affine(const td_model* model);
// d v'/du (nv x drives) after td_forward_dynamics at this very state.
td_status td_input_accelerations(const td_model* model, const td_state* state, td_work* work,
                                 double* du);
// v' (nv) and multipliers (nconstraint, NULL: not wanted) of generalised forces f (nv) where the
// constraints are to have accelerations g (nconstraint), after td_forward_dynamics at this state.
td_status td_driven_accelerations(const td_model* model, td_work* work, const double* f,
                                  const double* g, double* a, double* lambda);
// Velocity changes (nv) by impulses (nconstraint) of the constraints that change their rates by g;
// the state is placed.
td_status td_impulse(const td_model* model, td_work* work, const double* g, double* dv,
                     double* impulse);

// ---- events and one-sided elements ------------------------------------------------------------

// Values of the event functions (nevent), and whether an event ends the simulation (then = 'stop').
void td_event_values(const td_model* model, const td_state* state, td_work* work, double* values);
bool td_event_stops(const td_model* model, int event);
// Switching functions of one-sided elements (dir = +-1) that are worth locating: 0 when there are
// too many of them.
int td_switch_count(const td_model* model);
void td_switch_values(const td_model* model, const td_state* state, td_work* work, double* values);
// True when anything is in contact at the state last evaluated.
bool td_touches(const td_model* model, const td_work* work);

// Guards: functions of the state, one for each one-sided element (ball of a contact, one-sided law,
// cable, corner of an expression), whose sign tells whether the element acts; positive: a contact
// is open.  speed bounds how fast a gap changes where the element knows it, NaN otherwise.  Steps
// must not pass over an interval in which a guard has the other sign.
int td_guard_count(const td_model* model);
void td_guard_values(const td_model* model, const td_state* state, td_work* work, double* gap,
                     double* speed);
// Guards of contacts alone, and how thick both sides are together (infinite: a plane): where a gap
// is minus that, the centres of both sides meet.
int td_contact_guards(const td_model* model);
void td_contact_guard_values(const td_model* model, const td_state* state, td_work* work,
                             double* gap, double* speed, double* width);
// Guards along a step: a conservative advance along a known solution, for the guards that have the
// same sign at both ends.
typedef struct td_guard_path {
  int n;
  const double *start, *end;  // (n) guards at the ends of the step
  const double* bound;        // (n) bounds of their rates
  const double* noise;        // (n) changes of sign up to this size do not count; NULL: all do
  double* level;              // (TD_GUARD_LEVELS x n) scratch
  bool (*at)(void* ctx, double t, double* gap);  // guards at a time in between; false: not known
  void* ctx;
  int samples;  // number of samples taken
} td_guard_path;
enum { TD_GUARD_LEVELS = 40, TD_GUARD_SAMPLES = 400 };
// True when a guard may change sign between ta and tb, and back.
bool td_guard_possible(const td_guard_path* path, double ta, const double* ga, double tb,
                       const double* gb);
// A time in (ta, tb) at which a guard has the other sign, or up to which none has when the samples
// are used up; NaN: none.
double td_guard_search(td_guard_path* path, double ta, const double* ga, double tb,
                       const double* gb, int depth);
// A step may begin where an element has just begun to act and end behind it, so that its ends feel
// nothing of what is deep inside between them.  Returns a time at which a guard that changes sign
// is several times deeper on the side where it began; NaN: there is none.  Guards with speed[i] = 0
// are left out.
double td_guard_behind(const td_guard_path* path, double ta, double tb, const double* speed);
// True when objects moved by time alone (prescribed coordinates, fixed objects of contacts) can
// meet a guard: their speeds at the ends of a step do not bound those in between.
bool td_guards_are_timed(const td_model* model);
// Times among n - 1 between a and b at which such an object is faster than at both ends; returns
// how many, `most` at most. The work has to be placed again afterwards.
int td_guard_peaks(const td_model* model, td_work* work, double a, double b, int n, double* times,
                   int most);
// Times in (t0, t1) at which loads, prescribed motion ... and inputs over time (NULL: none) jump or
// have corners.  The caller frees *times.  TD_E_NOMEM; TD_E_MODEL: prescribed motion has too many
// of them, as td_work_failure() reports.
td_status td_stop_times(const td_model* model, td_work* work, const td_input_table* inputs,
                        double t0, double t1, double** times, int* n);

#endif
