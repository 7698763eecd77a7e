// One point of a sweep: which values are set in which way, the analysis, the numbers that are kept.
#ifndef TD_ENSEMBLE_WORKER_H
#define TD_ENSEMBLE_WORKER_H

#include "base/base.h"
#include "tendril/sweep.h"

// How an axis is set: in the work, in the state, or by loading the text again.
typedef enum sweep_way { WAY_PARAM, WAY_INPUT, WAY_LOAD } sweep_way;

// The quantity that a column of the table holds.
typedef enum column_kind {
  COLUMN_SENSOR,
  COLUMN_Q,
  COLUMN_V,
  COLUMN_INTERNAL,
  COLUMN_RESIDUAL,
  COLUMN_CRITICAL,
  COLUMN_FREQUENCY,
  COLUMN_DAMPING,
  COLUMN_ENERGY_ERROR,
  COLUMN_T_END
} column_kind;

// How the records of a simulation become one number.
typedef enum column_over { OVER_END, OVER_MAX, OVER_MIN, OVER_MEAN, OVER_COUNT } column_over;

typedef struct sweep_column {
  char* name;  // of the column, "tip_x@max"
  char* what;  // of the sensor or internal state, found by name in models that are loaded again
  column_kind kind;
  column_over over;
  int index;         // in the first model; of coordinates and modes from 0
  const char* unit;  // belongs to the first model
} sweep_column;

// The sweep as all workers see it; constant while they work.
typedef struct sweep_plan {
  td_sweep_source source;
  const td_spec* spec;
  const td_model* model;
  const td_points* points;
  td_sweep_kind what;
  bool any, from_rest;
  td_sim_options sim;
  sweep_way* way;  // of each axis
  int* index;      // of its parameter or input
  bool loads;      // some axis is set by loading
  sweep_column* column;
  int ncolumn, column_cap;
} sweep_plan;

// Resolve the axes of plan->points.  On failure `message` says why.
td_status td_plan_axes(sweep_plan* plan, char* message, size_t size);
// Resolve the columns of `keep` (NULL: the default ones, with `modes` frequencies).
td_status td_plan_columns(sweep_plan* plan, const char* keep, int modes, char* message,
                          size_t size);
void td_plan_free(sweep_plan* plan);
// A number for model, options and points: sweeps with another number have another table.
uint64_t td_plan_digest(const sweep_plan* plan);
// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits), continued.
uint64_t td_hash(uint64_t hash, const void* data, size_t size);
#define TD_HASH_START UINT64_C(0xcbf29ce484222325)

// Model, work and states of one thread.
typedef struct worker worker;
worker* td_worker_new(const sweep_plan* plan, td_progress progress, void* user);
void td_worker_free(worker* w);
int td_worker_loads(const worker* w);  // how often the text was loaded again

// Analyse a point: the kept numbers (ncolumn; NaN where it fails), and in `status` "ok",
// "look: ..." or what went wrong.  TD_E_STOPPED, TD_E_NOMEM: the point has no result.
td_status td_worker_run(worker* w, int point, double* values, char* status, size_t size);

// Has a status text the numbers of a point?
static inline bool status_is_good(const char* status) {
  return strcmp(status, "ok") == 0 || strncmp(status, "look: ", 6) == 0;
}

#endif
