// Plants, for other parts of the library.
#ifndef TD_PLANT_H
#define TD_PLANT_H

#include "tendril/control.h"

// td_plant_new() with the model's tasks and controllers, or without: observers are given all
// inputs.
td_status td_plant_open(const td_model* model, td_work* work, const td_state* state,
                        const td_sim_options* options, bool controlled, td_plant** plant);

// Begin anew at a state as td_plant_reset(), but in the memory that the plant has; only computers of
// sampled controllers are made anew.
td_status td_plant_begin(td_plant* plant, const td_state* state);

#endif
