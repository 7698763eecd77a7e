// The computer of controllers and tasks: at its rate it measures, computes, and sets inputs that
// are held until the next ones; a delay lies between measurement and inputs.
#ifndef TD_SAMPLER_H
#define TD_SAMPLER_H

#include "solve/control/control.h"

typedef struct td_sampler td_sampler;

// *sampler is NULL when the model has no such computer.  `belief` has the parameters that tasks and
// laws assume.  On failure `message` tells why.
td_status td_sampler_new(const td_model* model, td_work* work, td_work* belief,
                         const td_state* state, bool allow_plugin, td_sampler** sampler,
                         char* message, size_t size);
void td_sampler_free(td_sampler* sampler);

// Write the states of the controllers into the memory of a state, from which td_sampler_new()
// continues.
void td_sampler_save(const td_sampler* sampler, double* memory);

// Set the inputs that the computer does not set (nu; those it sets are ignored).
void td_sampler_inputs(td_sampler* sampler, const double* u);

// Time of the next measurement or arrival of inputs
double td_sampler_next(const td_sampler* sampler);
// Measure and compute if that is due at state->t; inputs that have arrived are put into state->u.
td_status td_sampler_run(td_sampler* sampler, td_state* state);

#endif
