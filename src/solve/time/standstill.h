// Detection of runs that no longer get on.
#ifndef TD_STANDSTILL_H
#define TD_STANDSTILL_H

#include "solve/time/motion.h"

// Observations of a run so far.  All zero at the start, but for the time t of the start.
typedef struct td_standstill {
  double t;       // time at the last look
  long attempts;  // steps tried until then
  int looks;      // consecutive looks that saw none but tiny steps
  bool still;     // the verdict: it stands still
  // a velocity that grows without bound
  int velocity;      // the largest at the last look
  double size;       // its |v| there
  double time_left;  // in which it grew by a factor e, halfway between the last two looks
  double middle;     // the time of that half
  double pole;       // where the time left vanishes
  int agreeing;      // consecutive looks that agree on it
  bool blown;        // the verdict: it goes to infinity at `pole`
} td_standstill;

// Judge a run at the time t and the unknowns y after `attempts` steps.  `span` is the length of the
// whole run and `end` its end.  TD_E_DIVERGED: it does not get on, for the reason in `s`.
td_status td_notice_standstill(td_standstill* s, td_motion* m, double t, const double* y,
                               long attempts, double span, double end);

#endif
