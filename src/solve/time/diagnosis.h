// Messages about runs that end before their time.
#ifndef TD_DIAGNOSIS_H
#define TD_DIAGNOSIS_H

#include "solve/time/motion.h"
#include "solve/time/run.h"

// The last good state of a run, and what was noticed there.
typedef struct td_run_end {
  const td_run_plan* plan;
  td_motion* motion;
  td_trajectory* out;  // gets the messages
  double t_start, t;
  const double* y;
  double* scratch;  // as long as y
  bool still;       // its steps have become too small to get on
  bool folded;      // a rod or beam is folded
} td_run_end;

// Tell where a failed run ended, the first cause that applies and advice.
void td_diagnose(const td_run_end* end, td_status status);

// Whether prescribed motion that cannot be followed finds straight rods that could buckle: they are
// found again some way on, but no row can be given on this way.  The work says so.
bool td_rows_are_tight(const td_run_end* end);

#endif
