// Steppers of several steps, by CVODES; which formula is for each solver to say.
#ifndef TD_CVODE_H
#define TD_CVODE_H

#include "solve/time/ode.h"

typedef enum td_formula {
  TD_FORMULA_BDF,   // backward differentiation: Newton's method with the exact Jacobian
  TD_FORMULA_ADAMS  // Adams and Moulton: fixed-point iteration, no Jacobian
} td_formula;

td_status td_cvode_start(td_formula formula, const td_ode* ode, double t, const double* y,
                         td_stepper** stepper);

#endif
