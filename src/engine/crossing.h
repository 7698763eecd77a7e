// Properties of cables that the pieces of rods (crossing.c) and whole cables (force_cable.c) share.
//
// A crossing is the stretch of a cable inside one piece of a rod, or over one joint.
#ifndef TD_CROSSING_H
#define TD_CROSSING_H

#include "elem/cable.h"
#include "engine/stages.h"

// True for an inextensible cable, whose tension is the multiplier of a constraint row.
static inline bool is_hard(const model_cable* c) { return c->row >= 0; }

// True for an elastic cable, whose tension follows from its length.
static inline bool by_length(const model_cable* c) { return c->tension == NUM_NONE && !is_hard(c); }

// Arc length [m] of the rod along which the cable passes a piece.
static inline double passed(const td_model* m, const td_work* w, const model_crossing* c) {
  return w->num[c->cover] * w->num[m->strain[c->strain].section + SECTION_LENGTH];
}
// Its change for changes of the numbers (w->dnum), and the transpose of that change.
static inline double passed_change(const td_model* m, const td_work* w, const model_crossing* c) {
  const num length = m->strain[c->strain].section + SECTION_LENGTH;
  return w->num[c->cover] * w->dnum[length] + w->dnum[c->cover] * w->num[length];
}
static inline void passed_reverse(const td_model* m, const td_work* w, const model_crossing* c,
                                  double bar, double* n) {
  const num length = m->strain[c->strain].section + SECTION_LENGTH;
  n[length] += w->num[c->cover] * bar;
  n[c->cover] += w->num[length] * bar;
}

// True when the cable belongs to the requested forces: a given tension is an input (active), a
// cable of given length a spring (passive).
static inline bool acts(const model_cable* c, int which) {
  return which & (by_length(c) ? FORCES_PASSIVE : FORCES_ACTIVE);
}

// Change of the tension for changes of the numbers (w->dnum) alone.
double td_tension_change(const td_model* m, const td_work* w, int cable);

#endif
