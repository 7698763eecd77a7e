// A few eigenvalues of large operators by ARPACK.  ARPACK keeps state of its own: two threads must
// not use it at once.
#ifndef TD_ARPACK_H
#define TD_ARPACK_H

#include "base/base.h"

// Operator y = OP x; for the symmetric problem also y = B x, the metric in which OP is symmetric
typedef struct td_operator {
  void* ctx;
  int n;
  void (*apply)(void* ctx, const double* x, double* y);
  void (*metric)(void* ctx, const double* x, double* y);  // NULL: the unit matrix
} td_operator;

// Find the `count` eigenvalues w of K x = w B x nearest to zero, given OP = K⁻¹ B: ascending, with
// vectors as rows of V (count x n), normalised in the metric.  *found of them converged.  `start`
// (n) is a vector in the range of OP.
td_status td_arpack_symmetric(const td_operator* op, int count, const double* start, double* w,
                              double* V, int* found);
// Find the `count` eigenvalues of largest modulus of OP, which need not be symmetric: real and
// imaginary parts (count + 1), vectors (count + 1 rows) in the format of td_eig_general.
td_status td_arpack_general(const td_operator* op, int count, const double* start, double* re,
                            double* im, double* V, int* found);

#endif
