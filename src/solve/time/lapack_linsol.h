// A SUNLinearSolver over LAPACK's LU, which Debian's SUNDIALS lacks.
#ifndef TD_LAPACK_LINSOL_H
#define TD_LAPACK_LINSOL_H

#include <sundials/sundials_linearsolver.h>

// For dense matrices of order n whose data are row-major (the Jacobian callback fills them so;
// SUNDIALS itself only scales them and adds to the diagonal).  NULL when out of memory.
// *factorisations is counted up.  The first `npos` unknowns are positions (see td_ode.npos), which
// are eliminated before the rest is factored.
SUNLinearSolver td_lapack_linsol(int n, int npos, long* factorisations, SUNContext context);

#endif
