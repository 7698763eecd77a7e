// A companion of a model: the same robot with other spaces of its rods, and the way of a state from
// one to the other.
#ifndef TD_COMPANION_H
#define TD_COMPANION_H

#include "engine/engine.h"
#include "model/refine.h"

typedef struct td_companion {
  const td_model* of;  // the model as it is written
  td_model* model;
  td_work* work;
  td_state* state;
  int *q, *v;  // of each position and velocity that is not of a rod: which it is in `of`, else -1
  int* rod_q;  // coordinates of rods in `of`, rod after rod: position and velocity of each
  int* rod_v;
  int* first;  // (nrod + 1) where those of each rod begin
} td_companion;

// Compile the companion of `of` from the spec it was compiled from.  `why` tells where there is
// none: TD_E_MODEL.
td_status td_companion_new(td_spec* spec, const td_model* of, spec_refine how, char* why,
                           size_t size, td_companion** companion);
void td_companion_free(td_companion* companion);
// Bring a state of the written model, with the parameters of its work, into companion->state:
// exactly where its space contains the other, else by projection.  Velocities come along, except
// those of the free nodes of 'eba' rods, which are left at rest.
td_status td_companion_embed(td_companion* companion, td_work* work, const td_state* state);

#endif
