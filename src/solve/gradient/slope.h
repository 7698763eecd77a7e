// Slopes of matrices along the change of an equilibrium.
//
// Tangents, masses and linear models are exact at every point; how they change along a direction is
// their central difference of order 8 along it, the step being chosen by that of order 6 from the
// same points.  Points need not be equilibria to second order: the slope at the equilibrium only
// depends on the direction.
#ifndef TD_GRADIENT_SLOPE_H
#define TD_GRADIENT_SLOPE_H

#include "solve/gradient/rest.h"

typedef struct td_sampled {
  int count;  // numbers
  // Numbers at the state of r->s, whose parameters are in the work, with the multipliers lambda.
  td_status (*values)(void* ctx, td_rest* r, const double* lambda, double* out);
  // How far the results that two sets of slopes give are apart, relative to their size.
  double (*apart)(void* ctx, const double* a, const double* b);
  void* ctx;
} td_sampled;

// The slopes (count) along the change of `by`; *error is what is not known of the results.
td_status td_rest_slope(td_rest* rest, td_by by, const td_change* change, const td_sampled* what,
                        double* slope, double* error);

// Slopes whose two orders differ by more than this are refused.
#define TD_SLOPE_ERROR 1e-5
// Leave the message that results of `what` have no derivative by `by` because they are not smooth.
td_status td_refuse_slope(td_rest* rest, const char* what, td_by by, double error);

// Slopes of A, B, C, D, one after the other, of the linear model `first` at the equilibrium, in its
// coordinates (linear_gradient.c).
td_status td_linear_slopes(td_rest* rest, const td_linear* first, td_by by, const td_change* change,
                           double* slope);

#endif
