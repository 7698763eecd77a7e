// Rows of a simulation under construction: t, q, v, sensors and energies side by side in one
// growing block.
#ifndef TD_TRAJECTORY_H
#define TD_TRAJECTORY_H

#include "base/base.h"

typedef struct td_mark {
  double t;
  int event;
} td_mark;

struct td_trajectory {
  const td_model* model;
  td_sizes size;
  int memory;  // numbers of it in a row
  int stride, rows,
      cap;  // a row is [t, q (nq), v (nv), sensors (nsensor), kinetic, elastic, gravity, work,
            // inputs (nu), memory of controllers, internal states (nz)]
  double* data;
  td_mark* marks;
  int nmark, mark_cap;
  td_sim_stats stats;
  bool driven;  // a table gives its inputs over time
  char diagnosis[1024];
  td_verdict verdict;
  char reasons[1500];  // one a line
};

td_trajectory* td_trajectory_new(const td_model* model);
// A new row to fill, NULL when out of memory; it counts once td_trajectory_keep is called.
double* td_trajectory_next(td_trajectory* trajectory);
void td_trajectory_keep(td_trajectory* trajectory);
td_status td_trajectory_mark(td_trajectory* trajectory, double t, int event);
// Add a sentence to the diagnosis; what does not fit is cut.
void td_trajectory_say(td_trajectory* trajectory, const char* format, ...) TD_PRINTF(2, 3);

#endif
