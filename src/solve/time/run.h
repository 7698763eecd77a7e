// One simulation from beginning to end at one pair of tolerances.
#ifndef TD_RUN_H
#define TD_RUN_H

#include "solve/time/follow.h"
#include "solve/time/trajectory.h"

typedef struct td_run_plan {
  double t_end, dt_out, step;
  double rtol, atol;
  td_solver solver;
  long max_steps;   // 0: no limit
  bool halved;      // the longest step, and a fixed one, is half as long as else
  td_work* belief;  // NULL: that of the run
  bool allow_plugin;
  const td_code_source* code;  // may be NULL
  bool code_always;
  const td_input_table* inputs;  // over time, NULL: they are held
  td_progress progress;          // may be NULL
  void* user;
  const td_follower* follow;  // NULL: nothing goes along
  double done_from, done_to;  // the part of the whole that this run is, for the progress
} td_run_plan;

// The plan of a simulation with these options, complete (td_options_take).  TD_E_USAGE: they are
// refused, and `out` tells why.
td_status td_run_plan_of(const td_model* model, const td_state* start,
                         const td_sim_options* options, td_run_plan* plan, td_trajectory* out);
// Integrate from `state`, which is replaced by the last state reached.  `out` is filled with rows,
// statistics and the diagnosis, also when the run fails or is stopped.
td_status td_run(const td_model* model, td_work* work, td_state* state, const td_run_plan* plan,
                 td_trajectory* out);

#endif
