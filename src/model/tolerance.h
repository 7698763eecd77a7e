// Limits of the tolerances and times of a simulation, in the model's text and in options, and of
// every number of a model.
#ifndef TD_TOLERANCE_H
#define TD_TOLERANCE_H

// Smallest relative tolerance of a solver: ten times the rounding of a double.  Below it steps
// measure rounding.  Smallest absolute one: its square must still be a number.
#define TD_LEAST_RTOL 2.3e-15
#define TD_LEAST_ATOL 1e-100
// A step of an error of a kilometre judges nothing.
#define TD_MOST_ATOL 1e3

// Thirty thousand years [s]; samples of a controller and equal steps that a run may take; numbers
// whose cube is still one.
#define TD_MOST_TIME 1e12
#define TD_MOST_SAMPLES 1e9
#define TD_MOST_STEPS 1e9
#define TD_MOST_NUMBER 1e100

#endif
