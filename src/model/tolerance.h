// Limits of the tolerances of a simulation, in the model's text and in options.
#ifndef TD_TOLERANCE_H
#define TD_TOLERANCE_H

// Smallest relative tolerance of a solver: ten times the rounding of a double.  Below it steps
// measure rounding.  Smallest absolute one: its square must still be a number.
#define TD_LEAST_RTOL 2.3e-15
#define TD_LEAST_ATOL 1e-100

#endif
