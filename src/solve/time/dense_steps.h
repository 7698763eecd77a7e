// The linear systems of implicit steps by dense matrices, from the Jacobian of the ode.
#ifndef TD_DENSE_STEPS_H
#define TD_DENSE_STEPS_H

#include "solve/time/ode.h"

typedef struct td_dense_steps td_dense_steps;
td_dense_steps* td_dense_steps_new(const td_ode* ode);  // NULL: out of memory
void td_dense_steps_free(td_dense_steps* steps);
// The operations, with td_dense_steps as their ctx.
extern const td_step_ops td_dense_step_ops;

#endif
