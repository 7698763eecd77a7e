// A block matrix with factors (fronts.h), bordered by a few rows and columns:
//
//   [ A   -J1' ] [ x ]   [ f ]        W = A⁻¹ J1',   S = J2 W + d,
//   [ J2   d   ] [ l ] = [ g ]        l = S⁻¹ (g - J2 A⁻¹ f),   x = A⁻¹ f + W l
//
// Rows are compressed: values ptr[i] .. ptr[i + 1] - 1 of row i belong to columns col[].
#ifndef TD_BORDER_H
#define TD_BORDER_H

#include "math/fronts.h"

typedef struct td_border td_border;

// Allocate for `rows` border rows.  ptr and col must outlive the object.  NULL: out of memory.
td_border* td_border_new(int n, int rows, const int* ptr, const int* col);
void td_border_free(td_border* border);
// Compute W and factor S; d is dropped if the rows are independent without it.  TD_E_SINGULAR: S
// has no inverse.
td_status td_border_factor(td_border* border, td_fronts* A, const double* J1, const double* J2,
                           double d);
void td_border_solve(td_border* border, double* z);  // [f; g] to [x; l]
int td_border_rank(const td_border* border);         // independent rows

#endif
