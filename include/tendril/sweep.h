// Sweeps: one analysis of one model at many points of its parameters and inputs, on the threads of
// one machine or, under an MPI launcher, on the processes of several.  See docs/sweep.md.
//
//   td_points* points = td_points_new();
//   td_points_vary(points, "E=1e5:1e6/20,n={2,3,4}", message, sizeof message);
//   td_sweep_new(&source, spec, model, points, &options, &sweep, message, sizeof message);
//   td_sweep_run(sweep, message, sizeof message);
//   for (int i = 0; i < td_sweep_rows(sweep); i++) ... td_sweep_values(sweep, i)
//
// The table is the same, bit by bit, whatever the number of threads and processes: each point
// begins at the initial state of the model with its own values and memory of its own.
#ifndef TENDRIL_SWEEP_H
#define TENDRIL_SWEEP_H

#include "tendril/tools.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- points -----------------------------------------------------------------------------------

// Points of a sweep: a grid, a sample or a table of values of named parameters and inputs (axes).
typedef struct td_points td_points;

// Samples: the sequence of Sobol with the direction numbers of Joe and Kuo, at most
// TD_SOBOL_DIMENSIONS axes; Latin hypercubes; independent random numbers.
typedef enum td_sampling { TD_SOBOL, TD_LHS, TD_RANDOM, TD_SAMPLING_COUNT } td_sampling;
enum { TD_SOBOL_DIMENSIONS = 32, TD_MOST_POINTS = 10000000 };
// The sampling of a word ("sobol", "lhs", "random"); TD_SAMPLING_COUNT: none has it.
TD_API td_sampling td_sampling_named(const char* word);

TD_API td_points* td_points_new(void);  // NULL when out of memory
TD_API void td_points_free(td_points* points);

// Add axes of a grid, as users write them, separated by commas: "E=1e5:1e6/20" (20 values from
// first to last), "E=1e5:1e6/20log" (equal factors between them), "n={2,3,4}" or "n={soft,stiff}"
// (a list of numbers, or of texts).  The last axis varies fastest.  On failure `message` says what
// is wrong and nothing is added.
TD_API td_status td_points_vary(td_points* points, const char* text, char* message, size_t size);

// Add axes of a sample: "E,L" with the ranges that the model writes for them, "E=1e5:1e6" and
// "E=1e5:1e6log" with one of their own.  Logarithmic ranges are sampled by factors.
TD_API td_status td_points_over(td_points* points, const td_model* model, const char* text,
                                char* message, size_t size);
// Draw n points over these axes.  The seed chooses the random numbers; of TD_SOBOL it adds a
// digital shift, and 0 leaves the sequence as it is, beginning at the lower ends of all ranges.
// `indices`: n (axes + 2) points of which td_sweep_indices() makes sensitivities.
TD_API td_status td_points_sample(td_points* points, td_sampling how, int n,
                                  unsigned long long seed, bool indices, char* message,
                                  size_t size);
// Take points from a table (rows x cols), one column for each axis.
TD_API td_status td_points_table(td_points* points, int rows, int cols, const char* const* names,
                                 const double* values, char* message, size_t size);

TD_API int td_points_count(const td_points* points);
TD_API int td_points_axes(const td_points* points);
TD_API const char* td_points_name(const td_points* points, int axis);  // NULL: there is none
// The value at a point (from 0); NaN where it is a text, which td_points_word() gives (else NULL).
TD_API double td_points_value(const td_points* points, int point, int axis);
TD_API const char* td_points_word(const td_points* points, int point, int axis);

// ---- sharing with other processes -------------------------------------------------------------

// Processes that an MPI launcher has started.
typedef struct td_link td_link;

// Join them.  Without a launcher *link is NULL, and MPI is not touched: it is a module that is
// loaded only under one (the environment has OMPI_COMM_WORLD_SIZE, PMI_SIZE or PMIX_RANK).  The
// module is looked for at TENDRIL_MPI, beside the program or library and in ../lib/tendril.
// TD_E_IO: there is a launcher but no module; `message` says so.
TD_API td_status td_link_open(td_link** link, char* message, size_t size);
TD_API int td_link_rank(const td_link* link);  // 0 with NULL
TD_API int td_link_size(const td_link* link);  // 1 with NULL
// Leave them; every process calls it before it ends.
TD_API void td_link_close(td_link* link);
// Which MPI the module found on this machine is made for ("Open MPI 4.1.4"), and its file; false:
// there is none.
TD_API bool td_link_module(char* version, char* path, size_t size);

// ---- sweeps -----------------------------------------------------------------------------------

// The analyses, one line each: the end of its value TD_SWEEP_..., its word, what it is.
#define TD_SWEEPS(X)                                           \
  X(EQUIL, equil, "static equilibrium from the initial state") \
  X(MODES, modes, "natural frequencies at the equilibrium")    \
  X(SIM, sim, "simulation")                                    \
  X(CHECK, check, "the model at its initial state, no analysis")
#define TD_SWEEP_VALUE(value, word, what) TD_SWEEP_##value,
typedef enum td_sweep_kind { TD_SWEEPS(TD_SWEEP_VALUE) TD_SWEEP_COUNT } td_sweep_kind;
#undef TD_SWEEP_VALUE
TD_API const char* td_sweep_kind_text(td_sweep_kind kind);  // NULL: there is no such analysis
// The analysis of a word; TD_SWEEP_COUNT: none has it.
TD_API td_sweep_kind td_sweep_kind_named(const char* word);

// How the text of the model is loaded into a new spec, for values that decide how the model is
// built: overrides are set already.  Several threads may call it at once.  (Fixed.)
typedef struct td_sweep_source {
  void* user;
  td_status (*load)(void* user, td_spec* spec);
} td_sweep_source;

// (Options.)
typedef struct td_sweep_options {
  size_t size;         // bytes of this struct, by td_sweep_options_default()
  td_sweep_kind what;  // default TD_SWEEP_EQUIL
  // Columns to keep, separated by commas; NULL: all sensors, and the frequencies of modes.  Names:
  // sensors (also "tip" for tip_x, tip_y, tip_z), q1..., v1..., internal states; of equilibria
  // residual and critical, of modes frequency1... and damping1..., of simulations energy_error and
  // t_end.  Of simulations "@end" (default), "@max", "@min", "@mean" behind a name: at the end, or
  // of all records of the output.
  const char* keep;
  int modes;                  // how many frequencies are kept without `keep`, default 6
  int threads;                // default 1
  bool any;                   // the nearest equilibrium also where it is unstable
  bool from_rest;             // simulations begin at the equilibrium
  const td_sim_options* sim;  // of simulations; not kept, progress is ignored; NULL: defaults
  // A file to which every finished point is appended at once, for a sweep that is stopped or
  // killed; NULL: none.  `resume` goes on with one that the same sweep has left, and begins anew
  // where there is none; without it an existing file is refused.
  const char* journal;
  bool resume;
  td_link* link;  // processes that share the points, of which rank 0 gets the table; NULL: alone
  td_progress progress;  // called by one thread at a time
  void* user;
} td_sweep_options;
TD_API void td_sweep_options_fill(td_sweep_options* options, size_t size);
static inline td_sweep_options td_sweep_options_default(void) {
  td_sweep_options options;
  td_sweep_options_fill(&options, sizeof options);
  return options;
}

typedef struct td_sweep td_sweep;

// Prepare a sweep of a model, whose spec and points must live as long as the sweep.  Unknown names,
// values outside the ranges of the model and columns that do not exist are refused: TD_E_USAGE or
// TD_E_MODEL, and `message` says why.
TD_API td_status td_sweep_new(const td_sweep_source* source, const td_spec* spec,
                              const td_model* model, const td_points* points,
                              const td_sweep_options* options, td_sweep** sweep, char* message,
                              size_t size);
TD_API void td_sweep_free(td_sweep* sweep);

// Compute all points that are not done.  A point that fails has a status and does not end the
// sweep.  TD_E_STOPPED when progress says so: finished points are in the journal.  TD_E_IO,
// TD_E_USAGE: the journal cannot be used; `message` says why.  On ranks other than 0 the points
// that rank 0 hands out are computed, and nothing is kept.
TD_API td_status td_sweep_run(td_sweep* sweep, char* message, size_t size);

TD_API int td_sweep_rows(const td_sweep* sweep);     // points
TD_API int td_sweep_columns(const td_sweep* sweep);  // kept numbers of each
TD_API const char* td_sweep_column_name(const td_sweep* sweep, int column);
TD_API const char* td_sweep_column_unit(const td_sweep* sweep, int column);
TD_API const double* td_sweep_values(const td_sweep* sweep, int row);  // NaN where it failed
TD_API const char* td_sweep_status(const td_sweep* sweep, int row);    // "ok" or what went wrong

// (Answers.)
typedef struct td_sweep_stats {
  int points, done, failed;
  int taken;          // points that the journal had
  int loads;          // points for which the text was loaded again, here
  double seconds;     // of td_sweep_run()
  double mean, most;  // time of a point [s], of those computed now
  int threads, processes;
  int lost;  // processes that could not take part
} td_sweep_stats;
TD_API void td_sweep_stats_into(const td_sweep* sweep, td_sweep_stats* stats, size_t size);
static inline td_sweep_stats td_sweep_statistics(const td_sweep* sweep) {
  td_sweep_stats stats;
  td_sweep_stats_into(sweep, &stats, sizeof stats);
  return stats;
}

// Sensitivities of a column: the shares of its variance that each axis has alone (first order) and
// together with the others (total), and the halves of their 95 % confidence intervals (bootstrap);
// each (axes).  TD_E_USAGE: the points were not drawn for indices.  Base points of which any of the
// n + 2 evaluations failed are left out; *used (may be NULL) tells how many are left.
TD_API td_status td_sweep_indices(const td_sweep* sweep, int column, double* first, double* total,
                                  double* first_half, double* total_half, int* used);

// Stage the table as sweep.csv and sweep.h5: point (from 1), axes, kept columns, status.
TD_API td_status td_sweep_write(const td_sweep* sweep, const char* model, td_files* files);

#ifdef __cplusplus
}
#endif
#endif
