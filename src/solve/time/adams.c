// The solver for smooth motion whose evaluations are costly: Adams' formulas of orders 1 to 12.
//
//   y(t + h) = y(t) + h (b0 y'(t + h) + b1 y'(t) + b2 y'(t - h1) + ...)
//
// found by fixed-point iteration: one to two evaluations a step, where the explicit solver takes
// thirteen for steps some five to ten times as long.  Corners and jumps cost it its order,
// stiffness its steps.
#include "solve/time/cvode.h"

static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  return td_cvode_start(TD_FORMULA_ADAMS, ode, t, y, stepper);
}

const td_solver_row td_solver_adams = {.start = start, .method = "Adams"};
