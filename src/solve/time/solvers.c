// The table of solvers, and a stepper made for one of them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/time/ode.h"

// Solver 'auto' where nothing has selected one: the explicit solver.
static td_status start_open(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  return td_solver_explicit.start(ode, t, y, stepper);
}
static const td_solver_row by_rule = {.start = start_open, .method = "explicit", .open = true};

const td_solver_row* td_solver_of(td_solver solver) {
#define ROW(value, word, what) &td_solver_##word,
  static const td_solver_row* const rows[TD_SOLVER_COUNT] = {&by_rule, TD_SOLVERS(ROW)};
#undef ROW
  return rows[solver];
}

td_solver td_solver_or(td_solver solver, td_solver other) {
  return td_solver_name(solver) && td_solver_of(solver)->open ? other : solver;
}

td_status td_stepper_new(td_solver solver, const td_ode* ode, double t, const double* y,
                         td_stepper** stepper) {
  return td_solver_of(ode->n > 0 ? solver : TD_SOLVER_AUTO)->start(ode, t, y, stepper);
}
