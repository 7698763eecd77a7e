// The stages of an evaluation, in the order they run.  Each leaves its results in td_work.
//
//   prepare      constants from parameters: fixed poses, inertias, rest values, initial geometry
//   place        prescribed motion, poses, motion subspaces, twists                  (kinematics.h)
//   numbers      live numbers from time, inputs and sensors                             (sensors.h)
//   forces       wrenches on hops and generalised forces on DOFs              (forces.h, strains.h)
//   accelerate   accelerations of all hops for a given v'                             (recursion.h)
//   articulated  v' by the articulated-body recursion; composite: M, inverse dynamics (recursion.h)
//   rows         constraints, with multipliers where there are any                  (constraints.h)
//   tangent      derivatives of all of these                                            (tangent.h)
#ifndef TD_STAGES_H
#define TD_STAGES_H

#include "engine/constraints.h"
#include "engine/engine.h"
#include "engine/forces.h"
#include "engine/kinematics.h"
#include "engine/recursion.h"
#include "engine/sensors.h"
#include "engine/strains.h"
#include "engine/tangent.h"
#include "math/arrow.h"

// Compute constants from the parameters, where these have changed.
void td_prepare(const td_model* m, td_work* w);
// Place the initial positions and the free nodes of rods; loops are not closed.
void td_initial_place(const td_model* m, td_work* w, td_state* state);
// td_prepare, td_place and td_numbers: everything that forces and constraints depend on.
void td_enter(const td_model* m, const td_state* state, td_work* w);

// ---- equations of motion (dynamics.c, energy.c) -----------------------------------------------

// Forward dynamics without the evaluation of forces: v' and lambda at the placed state from hop.f,
// w->tau, hop.c and the prescribed accelerations.
td_status td_solve_forward(const td_model* m, td_work* w);
// Accelerations (nvel) of prescribed velocities, zero for the others.
void td_prescribed_accelerations(const td_model* m, const td_work* w, double* a);
// td_forward_tangent with the derivatives of the multipliers: dlambda (nrow x (2 nv + nu)) in the
// columns [dq dv du]; NULL: not wanted.
td_status td_forward_tangent_rows(const td_model* m, const td_state* state, td_work* w, double* dq,
                                  double* dv, double* du, double* dlambda);
// Energies of the placed state.
td_energies td_energies_at(const td_model* m, td_work* w);

// ---- plans made when a model is compiled ------------------------------------------------------

// Divide free velocities and rows into a trunk with branches (arrow_plan.c); none where one whole
// system is as good.
td_status td_arrow_plan(td_model* m);
// The division as the solver takes it (math/arrow.h).
static inline arrow_shape td_arrow_shape(const td_model* m) {
  return (arrow_shape){m->nfree_v,    m->nrow,    max_int(m->narrow_x_at - 2, 0),
                       m->arrow_x_at, m->arrow_x, m->arrow_row_at,
                       m->arrow_row};
}

// Find the terms (model_share) of each wrench inside a rod (wrench_plan.c).
td_status td_wrench_plan(td_model* m);

#endif
