// The table of solvers, and a stepper made for one of them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/time/ode.h"

const td_solver_row* td_solver_of(td_solver solver) {
#define ROW(value, word, what) &td_solver_##word,
  static const td_solver_row* const rows[TD_SOLVER_COUNT] = {&td_solver_explicit, TD_SOLVERS(ROW)};
#undef ROW
  return rows[solver];
}

td_status td_stepper_new(td_solver solver, const td_ode* ode, double t, const double* y,
                         td_stepper** stepper) {
  return td_solver_of(ode->n > 0 ? solver : TD_SOLVER_AUTO)->start(ode, t, y, stepper);
}
