// Guards of one-sided elements: signed functions of the state that change their sign where an
// element begins or ceases to act.
//
//   contact       distance of each ball to what it can touch
//   laws, cables  the switching functions of settings.c
//   inextensible  the gap of each such cable that is slack
//   expressions   arguments of min, max, abs, sign, step and of comparisons in forces
#include <math.h>

#include "engine.h"

int td_guard_count(const td_model* m) {
  const int balls = m->ncontact > 0 ? m->nball : 0;
  return balls + td_switch_count(m) + m->ntaut + m->nkink;
}

void td_guard_values(const td_model* m, const td_state* state, td_work* w, double* gap,
                     double* speed) {
  td_enter(m, state, w);
  const int balls = m->ncontact > 0 ? m->nball : 0, switches = td_switch_count(m);
  if (balls > 0) td_contact_gaps(m, w, gap, speed);
  gap += balls;
  speed += balls;
  for (int i = 0; i < switches + m->ntaut + m->nkink; i++) speed[i] = NAN;

  if (m->nkink > 0) {
    td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
    td_tape_eval(m->kink_tape, w->vars, w->scratch_tape, gap + switches + m->ntaut);
  }
  if (switches > 0) td_switch_values(m, state, w, gap);
  if (m->ntaut > 0) td_taut_gaps(m, w, gap + switches);
}
