// States of older files, in which rotations [0 inf ...] have the vector part of their unit
// quaternion alone, and its rate instead of an angular velocity.
#ifndef TD_STATE_TURNS_H
#define TD_STATE_TURNS_H

#include <stdbool.h>

#include "tendril/tendril.h"

// Quaternions of the model that are written as their vector part: so many positions less are there.
int td_turn_count(const td_model* m);

// `state` holds the shorter list of positions and, if `rates`, the rates of vector parts among its
// velocities: puts scalar parts and angular velocities in.  False: a vector part is too long.
bool td_complete_turns(const td_model* m, td_state* state, bool rates);

#endif
