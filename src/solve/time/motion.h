// The motion of a model as an initial value problem:
//
//   y  = [q, v (unprescribed), targets of controlled constraint rows, internal states, integrals
//         of task errors; work]
//   y' = [N(q) v, v', target rates, rates of internal states, task errors; power]
#ifndef TD_MOTION_H
#define TD_MOTION_H

#include <string.h>

#include "engine/engine.h"
#include "solve/control/control.h"
#include "solve/time/ode.h"

typedef struct td_motion {
  td_ode ode;
  const td_model* model;
  td_work* work;
  td_state* state;  // that of the y unpacked last
  td_sizes size;
  int nq, nv, ntarget;  // of y
  int ninner;           // internal states, behind the targets
  const int *iq, *iv;   // indices of its q and v in the state
  int nevent, nswitch;  // the roots, in this order; then the cables that cannot be stretched
  double* watched;      // scratch where all guards are roots in place of the switches, else NULL
  int rank;             // of the constraint rows at the start
  td_projector projector;
  double t_projected;    // where it was used last
  double t_jump;         // at this instant numbers of time are those just after it
  td_control* control;   // gives the inputs at every state; NULL: they are those of the state
  int nz;                // its integrals, the last of y
  td_status controlled;  // of its last call
  const td_input_table* inputs;  // inputs over time, NULL: they are held
  int input_row;                 // where the last time was found in it
  double *du, *uq, *uv, *uz;
  double *Rq, *Rv, *Ru;        // derivatives of the rates of internal states
  struct td_lattice* lattice;  // gives v' of plain networks; NULL: it is none
  const td_code* code;         // derived code that gives v' instead of the engine; NULL: none
  double *qdot, *vdot, *dq, *dv, *N, *dN, *Nplus, *Jc, *sigma;  // scratch
  struct sparse_motion* sparse;  // of sparse models, instead of matrices
} td_motion;

// First index of internal states and of the integrals of task errors in y.
static inline int inner_at(const td_motion* m) { return m->nq + m->nv + m->ntarget; }
static inline int integrals_at(const td_motion* m) { return inner_at(m) + m->ninner; }

// `from` gives the time, positions, velocities and inputs to start with.
td_status td_motion_new(const td_model* model, td_work* work, const td_state* from, double rtol,
                        double atol, td_motion** motion);
void td_motion_free(td_motion* motion);
// Start anew from a state with nothing left of what was before, so that motion from there can be
// repeated to the bit: y is that of the state after the jumps of its instant, in a run of `length`.
td_status td_motion_begin(td_motion* motion, const td_state* from, double length, double* y);
// Take inputs over time from a table, which must outlive the motion and has been checked.
void td_motion_inputs(td_motion* motion, const td_input_table* inputs);
// Let all guards be roots: steps end where a one-sided element begins or ceases to act.
td_status td_motion_watch(td_motion* motion);
// Let a control, which must outlive the motion, give the inputs from now on.
td_status td_motion_control(td_motion* motion, td_control* control);

// Write positions, velocities and internal states of the state into y (n + 1); the targets and
// integrals in y stay as they are.
void td_motion_pack(const td_motion* motion, double* y);
// Set the state to y at time t.  The targets of controlled rows go to the work; prescribed motion
// follows from time, inputs from the table or the controller (its status: motion->controlled).
void td_motion_unpack(td_motion* motion, double t, const double* y);
// Some of the n numbers in their order, or all.
static inline void gather(const int* index, int some, int n, const double* from, double* to) {
  if (some == n) {
    memcpy(to, from, (size_t)n * sizeof(double));
  } else {
    for (int i = 0; i < some; i++) to[i] = from[index[i]];
  }
}
// The integrals of task errors in y, as the state's memory has them.
void td_motion_recall(const td_motion* motion, double* y);

// The state at (t, y) for others: positions are those of the instant, prescribed velocities those
// just after it where they jump.
void td_motion_show(td_motion* motion, double t, const double* y, td_state* to);

// Largest errors of the constraints at the state that was unpacked last, and of their rates.
void td_motion_errors(td_motion* motion, double* e, double* edot);

// At an instant at which prescribed speeds may jump, in a run of this length: what impulses leave
// of y, and the work they do.  *moved: there was a jump.  From here on the instant shows what
// follows.
td_status td_motion_jump(td_motion* motion, double t, double* y, double length, td_edge edge,
                         double* work, bool* moved);

// Straight rods that cannot stretch give way to prescribed motion by buckling (td_stuck): (t, y)
// goes on by a short time, in which their speeds would be infinite.
td_status td_motion_buckle(td_motion* motion, double after, double* t, double* y);

// At an instant at which cables that cannot be stretched may become taut or slack: what impulses
// leave of y, and the work they do.
td_status td_motion_settle(td_motion* motion, double t, double* y, double* work);

// The dense Jacobian of motion->ode (motion_dense.c).
td_status td_motion_jacobian(void* motion, double t, const double* y, double* J);
// Give motion->ode the linear systems of implicit steps of a sparse model (motion_sparse.c), and
// these the feedback of motion->control.
td_status td_sparse_motion_new(td_motion* motion);
td_status td_sparse_motion_control(td_motion* motion);
void td_sparse_motion_free(struct sparse_motion* sparse);

#endif
