// Properties of cables that the pieces of rods (crossing.c) and whole cables (force_cable.c) share.
#ifndef TD_CROSSING_H
#define TD_CROSSING_H

#include "elem/cable.h"
#include "engine/stages.h"

static inline bool is_hard(const model_cable* c) { return c->row >= 0; }

static inline bool by_length(const model_cable* c) { return c->tension == NUM_NONE && !is_hard(c); }

// Arc length of the rod along which the cable passes a piece.
static inline double passed(const td_model* m, const td_work* w, const model_crossing* c) {
  return c->cover * w->num[m->strain[c->strain].section + SECTION_LENGTH];
}

// A given tension is an input, a cable of given length a spring.
static inline bool acts(const model_cable* c, int which) {
  return which & (by_length(c) ? FORCES_PASSIVE : FORCES_ACTIVE);
}

// Change of the tension for changes of the numbers alone.
double td_tension_change(const td_model* m, const td_work* w, int cable);

#endif
