// What the analyses need of the equations of motion beyond the public API: coordinates and their
// rates, prescribed motion, projection onto the constraints, power of the non-potential forces,
// events, load scaling.
//
//   F(t, q, v, a, l) = M a + h - tau - Jc' l          Jc a + gamma = 0          qdot = N(q) v
#ifndef TD_DYN_H
#define TD_DYN_H

#include "base/arena.h"
#include "base/base.h"
#include "tendril/tools.h"

// ---- coordinates ------------------------------------------------------------------------------
// Unprescribed velocities and positions: indices into v and q, ascending.
int td_free_v(const td_model* model, const int** index);
int td_free_q(const td_model* model, const int** index);
// Put prescribed q and v (dof.motion at state->t) into the state.
void td_prescribe(const td_model* model, td_work* work, td_state* state);
// qdot = N(q) v, and the three matrices an ODE solver needs (row-major): N (nq x nv), d(N v)/dq (nq
// x nq), and a left inverse N+ (nv x nq), N+ N = 1.
void td_qdot(const td_model* model, const double* q, const double* v, double* qdot);
void td_qdot_matrix(const td_model* model, const double* q, double* N);
void td_qdot_dq(const td_model* model, const double* q, const double* v, double* dNv);
void td_qdot_inverse(const td_model* model, const double* q, double* Nplus);
bool td_has_quaternions(const td_model* model);  // nq > nv
// Do a state and a work belong to a model (model_has)?
bool td_belongs(const td_model* model, const td_state* state, const td_work* work);
// Are all numbers of a state finite?
bool td_state_is_finite(const td_model* model, const td_state* state);
// td_displace, td_forward_dynamics, td_residual and so on for the trials of solvers: numbers may be
// anything, those that are not finite go through into the results, where the solver finds them.
// Derivatives by inputs are by all drives (model_drives): inputs, then internal states.
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
td_status td_trial_station_positions(const td_model* model, const td_state* state, td_work* work,
                                     int first, int n, double* positions);
td_status td_trial_station(const td_model* model, const td_state* state, td_work* work, int station,
                           double pose[16], double twist[6]);
td_energies td_trial_energy(const td_model* model, const td_state* state, td_work* work);
void td_normalise(const td_model* model, double* q);  // unit quaternions to length 1
// td_displace for the long steps of statics: the strains of 'eba' and 'rom' change linearly instead
// of their positions, so that a rod bends rather than stretches.  Moves state->q, leaves state->v
// zero.
bool td_has_chains(const td_model* model);  // does that matter?
void td_displace_chains(const td_model* model, td_work* work, td_state* state, const double* dv);
// Least margin to a coordinate singularity of three-number charts (1: none near, 0: at it), and the
// DOF's name.
double td_chart_margin(const td_model* model, const double* q, const char** name);
// At the state placed last: the diagonal of the box around all stations [m]; and the least stretch
// of the pieces of rods (1: as long as made, 0: pressed to nothing), infinity without rods, and the
// rod's name.
double td_robot_size(const td_model* model, const td_work* work);
double td_least_stretch(const td_model* model, const td_work* work, const char** rod);
// The largest |shear| or |stretch - 1| among pieces of rods whose law is linear, 0 without any.
double td_largest_strain(const td_model* model, const td_work* work, const char** rod);
// (nvel) true for velocities of rods in loops that can only bend and twist: where such a rod is
// straight its rows are nearly dependent.
void td_stiff_loop_rods(const td_model* model, td_work* work, bool* out);
// Leave the message that a loop cannot follow the prescribed motion from time t on: at `state` its
// rows are left with errors of positions or rates.
void td_report_unfollowed(const td_model* model, td_work* work, const td_state* state, double t,
                          bool rate);
// Time [s] after which prescribed motion up to t_end has gone a way that its loops cannot follow to
// first order although rods could buckle, 0: none.  td_buckle moves a state on by that time, with
// the rods bent as little as closes the loops, and speeds that follow.
double td_stuck(const td_model* model, const td_state* state, td_work* work, double t_end);
// The row that is left most, by *left, of the accelerations that joint.control asks for at a state
// and the mechanism cannot follow; -1: it can.
int td_unfollowed_control(const td_model* model, const td_state* state, td_work* work,
                          double* left);
#define TD_UNFOLLOWED_CONTROL                                                                      \
  "the mechanism cannot follow the accelerations of joint.control at t = %.6g s: %s is left with " \
  "%.3g %s; control fewer directions, or those that it can move along"
td_status td_buckle(const td_model* model, td_state* state, td_work* work, double after);
// The largest angle [rad] between the ends of a segment of an 'eba' rod at a state, 0 without such
// rods, and the node at its end.  At half a turn the middle frame of the segment flips and its
// energy jumps; a segment that comes near is at the end of what it can tell.
#define TD_MOST_FOLD 3.0
double td_largest_fold(const td_model* model, const td_state* state, td_work* work, int* node);
// Such a segment by its number along its rod and the rod's name.
#define TD_FOLDED                                                                            \
  "segment %d of %s is folded by %.3g rad; beyond half a turn a segment of 'eba' is turned " \
  "inside out: use more segments (rod.n), 'gvs' or 'ebr'"
int td_fold_segment(const td_model* model, int node, const char** rod);
// TD_E_DIVERGED, with that message in the work, where a segment is folded by more than
// TD_MOST_FOLD.
td_status td_refuse_folds(const td_model* model, const td_state* state, td_work* work);

// ---- constraints ------------------------------------------------------------------------------
// Move q (then v) onto the constraints, in the metric of the mass matrix.  Rows that are not to be
// projected (state- dependent control, PD-stabilised) are left out.  Returns TD_E_DIVERGED when
// Newton does not get below tol.
td_status td_project_q(const td_model* model, td_state* state, td_work* work, double tol);
// Positions that cannot be brought below tol are good enough below `accept`.
td_status td_project_q_within(const td_model* model, td_state* state, td_work* work, double tol,
                              double accept);
td_status td_project_v(const td_model* model, td_state* state, td_work* work);
// Both; positions that cannot be brought below tol are good enough below `accept`.
td_status td_project(const td_model* model, td_state* state, td_work* work, double tol,
                     double accept);
// The same for states that hardly left them, as the steps of a simulation do.
typedef struct td_projector {
  double accept;       // position errors that may be left over if they must
  double* B;           // (nv x nconstraint) of a state near by
  double* J;           // (nconstraint x nv) scratch
  bool ready;          // B is there
  double error, rate;  // largest that the last projection left over
} td_projector;
td_status td_project_near(const td_model* model, td_state* state, td_work* work,
                          td_projector* projector);
// Sizes of the constraint rows and factors of the free columns (nconstraint, free velocities) at a
// state, for td_row_scale of math/dense.h; and how many rows are independent there, which in
// `order` (may be NULL).
void td_constraint_scales(const td_model* model, const td_state* state, td_work* work, double* row,
                          double* col);
int td_constraint_rank(const td_model* model, const td_state* state, td_work* work, int* order);
// ... or at a state near by that meets the constraints, if more are independent there: what may be
// reached by motion from this state.
int td_constraint_rank_around(const td_model* model, const td_state* state, td_work* work,
                              int* order);
// A constraint row that lets the robot move to first order but no further, as bars in line do: no
// state near by that meets the constraints is reached by what they seem to allow.  -1: there is
// none, or the model is sparse and larger than TD_LENT_DENSE velocities.  *energy is then how much
// the potential energy changes as far from the state as loops that are closed to rounding let it.
int td_shaky_row(const td_model* model, const td_state* state, td_work* work, double* energy);
// Sparse models have no scratch for dense matrices of all velocities and rows: it is lent to them,
// up to this number of velocities, which take seconds.  False: the model is larger, or no memory.
enum { TD_LENT_DENSE = 700 };
bool td_lend_dense(const td_model* model, td_work* work, arena* own, char** memory);
void td_take_back(td_work* work, const arena* own, char* memory);
// Keep the rank at this state, which meets the constraints, for the evaluations that follow at
// states near by: beside the constraints rows seem independent that are not.  `first`: nothing is
// known of states before it.  Until td_rank_forget.
void td_rank_keep(const td_model* model, const td_state* state, td_work* work, bool first);
void td_rank_forget(td_work* work);
// The state has gone on: the next evaluation finds the sizes of the rows anew, with the same rank.
void td_rank_resize(td_work* work);
// Largest |e| and |edot| over the projected rows.
void td_constraint_error(const td_model* model, const td_state* state, td_work* work, double* e,
                         double* edot);
// Rows whose `control` is a function of time follow a target that the solver integrates along with
// the state: 2 per row, [value, rate].  The owner copies its integrated values into td_targets()
// before evaluating.
int td_target_count(const td_model* model);  // numbers (2 per row)
double* td_targets(td_work* work);
void td_target_initial(const td_model* model, const td_state* state, td_work* work,
                       double* targets);
void td_target_rates(const td_model* model, const td_state* state, td_work* work,
                     const double* targets, double* rates);
// d(Jc a + gamma)/dq, d/dv (nconstraint x nv) at the given a: for the linearised forward dynamics.
void td_constraint_tangent(const td_model* model, const td_state* state, td_work* work,
                           const double* a, double* dq, double* dv);

// ---- cables that cannot be stretched ----------------------------------------------------------
// Which of them are slack is part of the work, beside the state: their rows are off.  At first
// those are whose length is below what is left of the cable.
int td_taut_count(const td_model* model);
const char* td_taut_name(const td_model* model, int i);
// Taut are those without gap; nothing is moved.  td_taut_choose() leaves those of them that pull.
void td_taut_touching(const td_model* model, const td_state* state, td_work* work);
// What happens at this instant: gaps that are too small are closed, cables that catch change the
// velocities by plastic impulses, those without tension are let go.
td_status td_taut_settle(const td_model* model, td_state* state, td_work* work);
// Velocities onto the other constraints alone.
td_status td_taut_free(const td_model* model, td_state* state, td_work* work);
// Switching functions (count), positive: the tension of a taut, the gap of a slack cable.
void td_taut_values(const td_model* model, const td_state* state, td_work* work, double* values);
void td_taut_copy(const td_model* model, const td_work* from, td_work* to);
// Statics: all taut or none; change all with negative tensions or gaps, or only the worst or the
// first of them, and tell how many there are.
typedef enum td_taut_rule { TD_TAUT_ALL, TD_TAUT_WORST, TD_TAUT_FIRST } td_taut_rule;
void td_taut_all(const td_model* model, td_work* work, bool taut);
int td_taut_correct(const td_model* model, const td_state* state, td_work* work,
                    const double* lambda, td_taut_rule rule);

// ---- jumps of prescribed speeds ---------------------------------------------------------------
// Prescribed speeds may jump at the instant of the state: its free velocities, which are those just
// before, jump too, by impulses of the motors whose work is left in *done; *moved: there was
// a jump.  Both sides are looked at `margin` [s] aside.  A position that jumps, and a
// jump that a loop cannot follow, are TD_E_MODEL with a message.  At the start of a run the first
// knot of a table is no jump, nor is one that the state has behind it, as the last state of another
// run has; at the end the last knot is none.
typedef enum td_edge { TD_EDGE_NONE, TD_EDGE_START, TD_EDGE_END } td_edge;
td_status td_jump(const td_model* model, td_state* state, td_work* work, double margin,
                  td_edge edge, double* done, bool* moved);
// The first time in (t0, t1] at which a prescribed speed jumps, by looking at its values alone;
// INFINITY: none.
double td_next_jump(const td_model* model, td_work* work, double t0, double t1);
// The clocks of the model (clock_tape) at a time; where one of them changes its sign between low
// and high; and the first time in (t0, t1] at which one does, of motion and strains or of all;
// INFINITY: none.  Of clocks that are no lines two changes within 1/32 of the stretch may be
// missed.
void td_clocks(const td_model* model, td_work* work, double t, double* values);
double td_clock_turn(const td_model* model, td_work* work, int clock, double low, double high);
double td_next_corner(const td_model* model, td_work* work, double t0, double t1, bool motion);
// The margin for runs of this length around t: corners that are nearer to each other are one.
static inline double td_jump_margin(double t, double length) {
  const double size = length > 0 && length < 1e300 ? length : 1;
  return 2e-12 * (size > t && size > -t ? size : t < 0 ? -t : t);
}

// ---- one step of fixed length -----------------------------------------------------------------
// The classical Runge-Kutta step of order 4, then unit quaternions and constraints are restored.
// For programs that must know beforehand how long a step takes; td_simulate chooses its steps
// itself.  While something one-sided acts, the step is divided as far as it needs.
td_status td_fixed_step(const td_model* model, td_state* state, td_work* work, double dt);
size_t td_work_bytes(const td_model* model);  // memory of a td_work

// ---- forces -----------------------------------------------------------------------------------
// Scale gravity, inputs, loads and rest-length changes for load continuation: 1 is the real thing.
void td_set_load(td_work* work, double scale);
// Power of everything that has no potential: inputs, loads, dampers, prescribed motion, control,
// time- or state-dependent springs.  d(kinetic + elastic + gravity)/dt equals it.  Uses the v' of
// the last forward dynamics.
double td_power(const td_model* model, const td_state* state, td_work* work);
// The same right after td_forward_dynamics: nothing is placed again.
double td_power_placed(const td_model* model, td_work* work);
// Whether v' and the multipliers matter to it (driven constraints, prescribed motion).
bool td_power_needs_motion(const td_model* model);
// Where they do not, at a state that meets the constraints.
double td_power_unmoved(const td_model* model, const td_state* state, td_work* work);
// True when every force has a potential or is viscous, so that stability may be judged by the
// stiffness alone; prescribed DOFs are held at rest.
bool td_is_conservative(const td_model* model);
// True when some damper has power != 1 (contributes nothing to the linearisation at rest when > 1).
bool td_has_power_dampers(const td_model* model);
// Has a damper a negative coefficient, with the numbers `work` was last evaluated with?  It drives
// the motion, and the stiffness alone does not tell whether a rest is stable.
bool td_has_driving_dampers(const td_model* model, const td_work* work);
// dF/dp for a parameter at a = 0 (or the given a, may be NULL) and lambda.
void td_param_derivative(const td_model* model, const td_state* state, td_work* work, int param,
                         const double* a, const double* lambda, double* dFdp);
// dF/du for one input.
void td_input_derivative(const td_model* model, const td_state* state, td_work* work, int input,
                         double* dFdu);
// d sensor/dq, /dv (nsensor x nv), /du (nsensor x drives): exact; acceleration-level sensors
// included. known (nsensor, may be NULL): false where a sensor has no derivative because it follows
// from the multipliers of dependent constraints.
td_status td_sensor_tangent(const td_model* model, const td_state* state, td_work* work, double* dq,
                            double* dv, double* du, bool* known);

// The same at rest without the equations of motion, for models of any size: da are the slopes with
// respect to v'.  known is false for what joints and cables transmit.
typedef struct sensor_slopes {
  double *dq, *dv, *da;  // nsensor x nv
  double* du;            // nsensor x drives
  bool* known;           // (nsensor)
} sensor_slopes;
td_status td_sensor_slopes(const td_model* model, const td_state* state, td_work* work,
                           const sensor_slopes* slopes);
// Rates of the internal states at the last evaluation (nz); they belong to the work.
const double* td_work_rates(const td_model* model, const td_work* work);
// Their exact derivatives along the tangent directions of q, by v (nz x nv each) and by the drives:
// inputs, then internal states (nz x (nu + nz)).
void td_trial_internal_tangent(const td_model* model, const td_state* state, td_work* work,
                               double* dq, double* dv, double* du);

// Does an input say where a constraint is to be (joint.control)?
bool td_inputs_drive_rows(const td_model* model);

// Give a parameter a value that need not obey the rules of the fields it is in: for differences and
// for values that have been checked together.
void td_work_put_param(const td_model* model, td_work* work, int param, double value);
// Are the rows x cols numbers of a result finite?  Otherwise TD_E_INFINITE, and the failure is
// "<what> <name of the row> is inf", or without `name` "<what> has ... in row r, column c".
td_status td_finite(const td_model* model, td_work* work, const char* what,
                    const char* (*name)(const td_model*, int), const double* x, int rows, int cols);
// Accelerations and rates of internal states at a state, for analyses that begin there: TD_OK, or
// TD_E_INFINITE.
td_status td_finite_rates(const td_model* model, const td_state* state, td_work* work);
// What went wrong, for td_work_failure().
void td_work_fail(td_work* work, const char* format, ...) TD_PRINTF(2, 3);

// ---- controllers ------------------------------------------------------------------------------
typedef enum td_loop_kind { TD_LOOP_LAW, TD_LOOP_GAINS, TD_LOOP_PLUGIN } td_loop_kind;
typedef struct td_loop {
  td_loop_kind kind;
  int first, n;       // its inputs among those of all controllers
  const char* file;   // of gains or a plug-in
  bool from_sensors;  // gains: the state is estimated
} td_loop;
int td_loop_count(const td_model* model);
td_loop td_loop_at(const td_model* model, int k);
// Inputs that controllers set: how many, and the i-th with its limits.
int td_law_count(const td_model* model);
int td_law_input(const td_model* model, const td_work* work, int i, double* low, double* high);
bool td_law_is_law(const td_model* model, int i);  // set by an expression
// Values of the laws (count, others 0), and d/dq, d/dv (count x nv).
void td_law_values(const td_model* model, const td_state* state, td_work* work, double* values);
void td_law_tangent(const td_model* model, const td_state* state, td_work* work, double* dq,
                    double* dv);
// The computer they run on, and how it measures output i.
typedef struct td_computer {
  double rate, delay, quantum;
  uint64_t seed;
} td_computer;
td_computer td_model_computer(const td_model* model);
void td_measure(const td_model* model, const td_work* work, int i, double* noise, double* quantum);

// ---- tasks ------------------------------------------------------------------------------------
// Numbers that tasks are to bring about; 0: the model has no tasks.
int td_task_count(const td_model* model);
bool td_task_is_static(const td_model* model);  // feed-forward from statics
// Each (count): value, rate, acceleration at v' = 0 (the bias), desired value, rate, acceleration.
typedef struct td_task_values {
  const double *y, *rate, *bias, *desired, *desired_rate, *desired_acc;
} td_task_values;
// Belong to the work, valid until its next use.
td_task_values td_task_at(const td_model* model, const td_state* state, td_work* work);
// d value / d q (count x nv)
void td_task_jacobian(const td_model* model, const td_state* state, td_work* work, double* J);
// Gains of value i, and the largest damping of all tasks.
void td_task_gains(const td_model* model, const td_work* work, int i, double* P, double* I,
                   double* D);
double td_task_damping(const td_model* model, const td_work* work);
// Rate [1/s] at which motion that the tasks leave free is braked.
double td_task_calm(const td_model* model, const td_work* work);
// Inputs that tasks drive: how many, and the k-th with its limits.
int td_task_input_count(const td_model* model);
int td_task_input(const td_model* model, const td_work* work, int k, double* low, double* high);
// d v'/du (nv x drives) after td_forward_dynamics at this very state.
td_status td_input_accelerations(const td_model* model, const td_state* state, td_work* work,
                                 double* du);
// v' (nv) of generalised forces f (nv) alone, after td_forward_dynamics at this very state.
td_status td_force_accelerations(const td_model* model, td_work* work, const double* f, double* a);
// Velocities that impulses of the constraints change so that their rates change by g (nrow), and
// these impulses; the state is placed.
td_status td_impulse(const td_model* model, td_work* work, const double* g, double* dv,
                     double* impulse);
bool td_inputs_affine(const td_model* model);  // forces are linear in the inputs

// ---- events and stop times --------------------------------------------------------------------
void td_event_values(const td_model* model, const td_state* state, td_work* work,
                     double* values);                   // (nevent)
bool td_event_stops(const td_model* model, int event);  // then = 'stop'
const char* td_event_name(const td_model* model, int event);
// Switching functions of one-sided elements (dir = +-1) worth locating: 0 when there are too many
// of them.
int td_switch_count(const td_model* model);
void td_switch_values(const td_model* model, const td_state* state, td_work* work, double* values);
// Is anything in contact at the state last evaluated?
bool td_touches(const td_model* model, const td_work* work);

// Guards: functions of the state, one for each one-sided element (ball of a contact, one-sided law,
// cable, corner of an expression), whose sign says whether the element acts; positive: a contact is
// open.  speed bounds how fast a gap changes where the element knows it, NaN otherwise.  Steps must
// not pass over an interval in which a guard has the other sign.
int td_guard_count(const td_model* model);
void td_guard_values(const td_model* model, const td_state* state, td_work* work, double* gap,
                     double* speed);
// Those of contacts alone, and how thick both sides are together (infinite: a plane): where a gap
// is minus that, centres meet.
int td_contact_guards(const td_model* model);
void td_contact_guard_values(const td_model* model, const td_state* state, td_work* work,
                             double* gap, double* speed, double* width);
// Guards along a step: a conservative advance along a known solution, for the guards that have the
// same sign at both ends.
typedef struct td_guard_path {
  int n;
  const double *start, *end;  // (n) guards at the ends of the step
  const double* bound;        // (n) of their rates
  const double* noise;        // (n) changes of sign up to this size do not count; NULL: all do
  double* level;              // (TD_GUARD_LEVELS x n) scratch
  bool (*at)(void* ctx, double t, double* gap);  // guards on the way; false: not known
  void* ctx;
  int samples;  // that were taken
} td_guard_path;
enum { TD_GUARD_LEVELS = 40, TD_GUARD_SAMPLES = 400 };
// Whether a guard may change its sign between ta and tb, and back.
bool td_guard_possible(const td_guard_path* path, double ta, const double* ga, double tb,
                       const double* gb);
// A time in (ta, tb) at which a guard has the other sign, or up to which none has when there is too
// much to look at; NaN: none.
double td_guard_search(td_guard_path* path, double ta, const double* ga, double tb,
                       const double* gb, int depth);
// A step may begin where an element has just begun to act and end behind it: the ends feel nothing
// of what is deep inside between them.  A time at which a guard that changes its sign is several
// times deeper on the side where it began; NaN: there is none.  Guards with speed[i] = 0 are left
// out.
double td_guard_behind(const td_guard_path* path, double ta, double tb, const double* speed);
// Whether what time alone moves (prescribed coordinates, fixed objects of contacts) can meet a
// guard: its speeds at the ends of a step say nothing of those between.
bool td_guards_are_timed(const td_model* model);
// Of n - 1 times between a and b those at which such a thing is faster than at both ends, how many;
// at most `most`.  The work is to be placed again afterwards.
int td_guard_peaks(const td_model* model, td_work* work, double a, double b, int n, double* times,
                   int most);
// Times in (t0, t1) at which loads, prescribed motion ... and inputs over time (NULL: none) jump or
// have corners.  Caller frees *times.  TD_E_NOMEM; TD_E_MODEL: there are too many of prescribed motion, as td_work_failure() says.
td_status td_stop_times(const td_model* model, td_work* work, const td_input_table* inputs,
                        double t0, double t1, double** times, int* n);

// Settings from `par` (td_model_settings) and td_work_failure are public: tendril/tools.h.

#endif
