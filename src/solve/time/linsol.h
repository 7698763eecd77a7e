// The part that all direct linear solvers given to SUNDIALS have in common.
#ifndef TD_LINSOL_H
#define TD_LINSOL_H

#include <sundials/sundials_linearsolver.h>

// First member of each solver's content.
typedef struct td_linsol {
  sunindextype last_flag;
  long* factorisations;  // counts them
} td_linsol;

// A solver with this content (may be NULL), whose setup, solve and free are still to be set; NULL:
// out of memory.
SUNLinearSolver td_linsol_new(td_linsol* content, SUNContext context);

#endif
