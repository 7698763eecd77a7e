// A SUNLinearSolver and its matrix for problems that do their own linear algebra (td_ode.factor and
// solve).
#ifndef TD_SPARSE_LINSOL_H
#define TD_SPARSE_LINSOL_H

#include <sundials/sundials_linearsolver.h>

#include "solve/time/ode.h"

// The matrix holds gamma alone; the ode has the rest.  NULL: out of memory.
SUNMatrix td_sparse_matrix(SUNContext context);
void td_sparse_matrix_gamma(SUNMatrix matrix, double gamma);
SUNLinearSolver td_sparse_linsol(const td_ode* ode, long* factorisations, SUNContext context);

#endif
