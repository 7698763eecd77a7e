// The linear systems of implicit steps (td_step_ops) as a SUNLinearSolver and its SUNMatrix.
#ifndef TD_LINSOL_H
#define TD_LINSOL_H

#include <sundials/sundials_linearsolver.h>

#include "solve/time/ode.h"

// The matrix holds gamma alone; the operations have the rest.  NULL: out of memory.
SUNMatrix td_step_matrix(SUNContext context);
void td_step_matrix_gamma(SUNMatrix matrix, double gamma);
// For systems of order n; *factorisations is counted up.  NULL: out of memory.
SUNLinearSolver td_step_linsol(const td_step_ops* ops, void* ctx, int n, long* factorisations,
                               SUNContext context);

#endif
