// Sparse linear systems A x = b by KLU, for matrices in compressed columns with a fixed pattern.
// The ordering is found once.  The first factorisation chooses the pivots; later ones keep them
// while they are large enough, and then allocate nothing.
#ifndef TD_SPARSE_H
#define TD_SPARSE_H

#include "base/base.h"

typedef struct td_sparse_lu td_sparse_lu;

// Find the ordering of a pattern: `ptr` (n + 1) and `row` belong to the caller and must outlive the
// factors.  NULL: out of memory.
td_sparse_lu* td_sparse_lu_new(int n, const int* ptr, const int* row);
// td_sparse_lu_new for complex matrices: values and right-hand sides are pairs (re, im).
td_sparse_lu* td_sparse_lu_new_complex(int n, const int* ptr, const int* row);
void td_sparse_lu_free(td_sparse_lu* lu);

// Keep all pivots on the diagonal.  This is less stable, but the signs of the pivots of a symmetric
// matrix then count its negative eigenvalues (rows may be multiplied by -1).
void td_sparse_lu_diagonal(td_sparse_lu* lu, bool diagonal);

// Factor the matrix with values x.  TD_E_SINGULAR, TD_E_NOMEM.  After TD_E_SINGULAR
// td_sparse_lu_bad() is the column without a pivot.
td_status td_sparse_lu_factor(td_sparse_lu* lu, const double* x);
int td_sparse_lu_bad(const td_sparse_lu* lu);
// Solve in place; b is n x nrhs, one right-hand side after the other.
void td_sparse_lu_solve(td_sparse_lu* lu, double* b, int nrhs);
double td_sparse_lu_pivot(const td_sparse_lu* lu, int column);  // the pivot found for a column
size_t td_sparse_lu_bytes(const td_sparse_lu* lu);              // memory of ordering and factors

#endif
