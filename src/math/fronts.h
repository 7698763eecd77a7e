// LU of block matrices (pattern.h) by the multifrontal method: dense matrices of LAPACK and BLAS in
// the nodes of the elimination tree.  Rows are exchanged within a front only, so it is for matrices
// that need little pivoting; `td_fronts_factor` tries its factors and says when they do not serve.
// The ordering is approximate minimum degree on the graph of the blocks.
#ifndef TD_FRONTS_H
#define TD_FRONTS_H

#include "math/pattern.h"

typedef struct td_fronts td_fronts;

// The pattern must be symmetric and outlive the factors.  NULL: out of memory, or too large.
td_fronts* td_fronts_new(const td_pattern* blocks);
void td_fronts_free(td_fronts* fronts);
// TD_E_SINGULAR: a front has no pivots, or the factors are not accurate.
td_status td_fronts_factor(td_fronts* fronts, const double* values);
void td_fronts_solve(td_fronts* fronts, double* x);  // in place
size_t td_fronts_bytes(const td_fronts* fronts);

#endif
