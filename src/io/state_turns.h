// States of older files, in which rotations [0 inf ...] have the vector part of their unit
// quaternion alone, and its rate instead of an angular velocity.
#ifndef TD_STATE_TURNS_H
#define TD_STATE_TURNS_H

#include <stdbool.h>

#include "tendril/tendril.h"

// Number of quaternions of the model that older files have as their vector part: each makes one
// position less.
int td_turn_count(const td_model* m);

// Complete a state with the shorter list of positions and, if `rates`, rates of vector parts among
// its velocities: insert scalar parts, compute angular velocities.  False: a vector part is too
// long.
bool td_complete_turns(const td_model* m, td_state* state, bool rates);

#endif
