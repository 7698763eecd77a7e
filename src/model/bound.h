// Rules that numbers made of parameters must obey: limits of fields, inertias that a body can have.
// td_spec_check applies them to the values at load and keeps them, so that td_work_set_param can
// refuse a value that the file could not have had either.
#ifndef TD_BOUND_H
#define TD_BOUND_H

typedef enum bound_kind {
  BOUND_RANGE,      // one finite number from `low` to `high`
  BOUND_SYMMETRIC,  // a symmetric matrix without negative eigenvalue
  BOUND_PASSIVE,    // a matrix whose symmetric part has no negative eigenvalue
  BOUND_MOMENTS     // an inertia: symmetric, and no principal moment above the sum of the others
} bound_kind;

// Relative rounding allowed where a number must equal another that was computed differently.
#define TD_BOUND_SLACK 1e-9

#endif
