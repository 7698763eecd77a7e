// Messages about runs that end before their time.
#ifndef TD_DIAGNOSIS_H
#define TD_DIAGNOSIS_H

#include "solve/time/motion.h"
#include "solve/time/run.h"
#include "solve/time/standstill.h"

// The last good state of a run, and what was noticed there.
typedef struct td_run_end {
  const td_run_plan* plan;
  td_motion* motion;
  td_trajectory* out;  // gets the messages
  double t_start, t;
  const double* y;
  double* scratch;                  // as long as y
  const td_standstill* standstill;  // whether it got on
  bool folded;                      // a rod or beam is folded
} td_run_end;

// Tell where a failed run ended, the first cause that applies and advice.
void td_diagnose(const td_run_end* end, td_status status);

// Refuse steps held down by stability of a solver that the user chose although the rule says stiff,
// so many that the run would take tens of minutes to months: each costs 1e-6 s to 1e-5 s per state.
// Who wants them all the same gives max_steps.
td_status td_refuse_endless(const td_run_plan* plan, const td_ode* ode, double t,
                            const td_choice* choice, td_trajectory* out);

// Whether prescribed motion that cannot be followed finds straight rods that could buckle: they are
// found again some way on, but no row can be given on this way.  The work says so.
bool td_rows_are_tight(const td_run_end* end);

#endif
