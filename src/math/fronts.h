// LU of block matrices (pattern.h) by the multifrontal method: the nodes of the elimination tree
// are dense matrices, factored by LAPACK and BLAS.  Rows are exchanged within a front only, so that
// the method suits matrices that need little pivoting; td_fronts_factor tests its factors and
// reports TD_E_SINGULAR if they are not accurate.  The ordering is approximate minimum degree on
// the graph of the blocks.
#ifndef TD_FRONTS_H
#define TD_FRONTS_H

#include "math/pattern.h"

typedef struct td_fronts td_fronts;

// Order the blocks and allocate the factors.  The pattern must be symmetric and outlive them. NULL:
// out of memory, or too large.
td_fronts* td_fronts_new(const td_pattern* blocks);
void td_fronts_free(td_fronts* fronts);
// Factor the matrix with these values.  TD_E_SINGULAR: a front has no pivot, or the factors are not
// accurate.
td_status td_fronts_factor(td_fronts* fronts, const double* values);
void td_fronts_solve(td_fronts* fronts, double* x);  // A x = b, in place
size_t td_fronts_bytes(const td_fronts* fronts);     // memory of the factors and the work space

#endif
