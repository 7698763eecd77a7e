// Small least-squares problems with bounds, without heap calls.
#ifndef TD_BOUNDED_H
#define TD_BOUNDED_H

#include "base/arena.h"

//   min |A x - b|^2 + damping^2 |x|^2   for low <= x <= high
//
// A rows x cols (row-major); bounds may be infinite, low <= high.  Directions of x that A does not
// see (singular values below 1e-10 of the largest) stay as small as the bounds allow the others to
// be.  `free` (cols, may be NULL) tells which x are inside their bounds.  scratch: room for
// td_bounded_scratch() doubles.  False when numbers are not finite; x is then clamped zeros.
bool td_bounded_least_squares(const double* A, const double* b, int rows, int cols, double damping,
                              const double* low, const double* high, double* x, bool* free,
                              double* scratch);
size_t td_bounded_scratch(int rows, int cols);

// The minimum-norm inverse G (cols x rows) on the free columns, rows of the others zero.
void td_free_inverse(const double* A, int rows, int cols, double damping, const bool* free,
                     double* G, double* scratch);

#endif
