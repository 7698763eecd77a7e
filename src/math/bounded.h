// Small least-squares problems with bounds, without heap calls.
#ifndef TD_BOUNDED_H
#define TD_BOUNDED_H

#include "base/arena.h"

// Minimise |A x - b|^2 + damping^2 |x|^2 subject to low <= x <= high.  A is rows x cols
// (row-major); bounds may be infinite.  Directions of x in the null space of A (singular values
// below 1e-10 of the largest) stay as small as the bounds allow.  `free` (cols, may be NULL)
// reports which x are inside their bounds.  `scratch` holds td_bounded_scratch() doubles.  False: a
// number is not finite; x is then zero, clamped to the bounds.
bool td_bounded_least_squares(const double* A, const double* b, int rows, int cols, double damping,
                              const double* low, const double* high, double* x, bool* free,
                              double* scratch);
size_t td_bounded_scratch(int rows, int cols);

// Minimum-norm (damped) inverse G (cols x rows) of the free columns of A; other rows of G are zero.
void td_free_inverse(const double* A, int rows, int cols, double damping, const bool* free,
                     double* G, double* scratch);

#endif
