// Identification: parameters of a model from recordings of a robot, with what the recordings know
// about them.  See docs/fit.md.
//
//   td_recordings* recordings;
//   td_recordings_read(spec, model, &recordings, message, sizeof message);      // fit(k) of the
//   text td_fit_options o = td_fit_options_default(); o.param = list;  o.nparam = 2; td_fit_result*
//   fit; td_fit_params(model, work, recordings, &o, &fit);                          // fit->value,
//   fit->low ...
//
// With r_i = weight (sensor - measurement) the sum of their squares (or of Huber's loss) is
// minimised within the ranges of the parameters by the method of Levenberg and Marquardt.
#ifndef TENDRIL_ESTIMATE_H
#define TENDRIL_ESTIMATE_H

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- recordings -------------------------------------------------------------------------------

typedef enum td_loss { TD_LOSS_SQUARE, TD_LOSS_HUBER } td_loss;
typedef enum td_from {
  TD_FROM_EQUILIBRIUM,  // a motion starts at rest under its first inputs,
  TD_FROM_INITIAL,      // at the initial state of the model,
  TD_FROM_STATE         // or at a given state
} td_from;

// One recording.  Everything is copied.  (Options.)
typedef struct td_recording {
  size_t size;       // bytes of this struct, by td_recording_default()
  const char* name;  // NULL: its number
  bool motion;       // rows follow each other in time; false: every row is an equilibrium
  int rows;
  const double* t;  // (rows) of a motion, ascending [s]
  // Inputs, and in static recordings parameters, whose values are measured.
  int ninput;
  const int* input;      // (ninput) input i, or -1 - i for parameter i
  const double* inputs;  // rows x ninput; straight lines between the rows of a motion
  // Sensors and their measurements.
  int nsensor;
  const int* sensor;         // (nsensor)
  const double* data;        // rows x nsensor; NaN: not measured
  const double* weight;      // (nsensor) 1/standard deviation; NULL: 1
  double delay;              // measurements at t show the motion at t - delay [s]
  td_loss loss;              // default TD_LOSS_SQUARE
  td_from start;             // of a motion, default TD_FROM_EQUILIBRIUM
  const td_state* state;     // TD_FROM_STATE
  int nset;                  // inputs (i) and parameters (-1 - i) with another value here
  const int* set;            // (nset)
  const double* set_values;  // (nset)
} td_recording;
TD_API void td_recording_fill(td_recording* recording, size_t size);
static inline td_recording td_recording_default(void) {
  td_recording recording;
  td_recording_fill(&recording, sizeof recording);
  return recording;
}

// What is known about a parameter before: one more measurement, of the parameter itself.  (Fixed.)
typedef struct td_prior {
  int param;
  double mean, deviation;
} td_prior;

// Recordings and priors for one model.
typedef struct td_recordings td_recordings;
TD_API td_status td_recordings_new(const td_model* model, td_recordings** recordings);
TD_API void td_recordings_free(td_recordings* recordings);
// TD_E_USAGE: `message` (of `size` bytes) says what is wrong with it.
TD_API td_status td_recordings_add(td_recordings* recordings, const td_recording* recording,
                                   char* message, size_t size);
TD_API td_status td_recordings_prior(td_recordings* recordings, const td_prior* prior);
// All fit(k) and prior(k) of the text that the model was compiled from; files are read here.
// TD_E_IO: a file cannot be read or is no table of numbers; TD_E_MODEL: a column that the text
// names is not there.  `message` then has the file, line and column.
TD_API td_status td_recordings_read(td_spec* spec, const td_model* model,
                                    td_recordings** recordings, char* message, size_t size);
TD_API int td_recordings_count(const td_recordings* recordings);
TD_API const char* td_recordings_name(const td_recordings* recordings, int k);  // NULL: none

// ---- fitting ----------------------------------------------------------------------------------

typedef enum td_leave_out {
  TD_LEAVE_NONE,
  TD_LEAVE_RECORDINGS,  // fit again without each recording and predict it
  TD_LEAVE_ROWS         // the same for each row of the static ones
} td_leave_out;

// (Options.)
typedef struct td_fit_options {
  size_t size;       // bytes of this struct, by td_fit_options_default()
  const int* param;  // (nparam) which parameters are found; they start at their values in the work
  int nparam;
  const bool* use;  // (recordings) which of them are fitted, the others are predicted; NULL: all
  int starts;       // default 1; further ones are drawn from the ranges
  unsigned seed;    // of these draws, default 1
  td_leave_out leave_out;  // default TD_LEAVE_NONE
  double tol;              // relative, of parameters and of the sum of squares, default 1e-8
  int max_iterations;      // evaluations for each start, default 100
  double level;            // of the intervals, default 0.95
  bool score;              // judge which further parameters are worth it; default true
  td_progress progress;    // may be NULL
  void* user;
} td_fit_options;
TD_API void td_fit_options_fill(td_fit_options* options, size_t size);
static inline td_fit_options td_fit_options_default(void) {
  td_fit_options options;
  td_fit_options_fill(&options, sizeof options);
  return options;
}

// What a fit found.  Arrays belong to it.  Parameters are numbered as in the options (n).
//
// Intervals and covariances are those of the linearised model with independent errors of equal size
// relative to the weights, whose size is that of the residuals; parameters whose range counts by
// factors are treated by their logarithm.  (Results.)
typedef struct td_fit_result {
  bool converged;
  int n;
  int* param;           // (n) index in the model
  double* value;        // (n)
  double* first;        // (n) where it started
  double *low, *high;   // (n) interval at the level asked for; not cut by the range; infinite where
                        // the recordings say nothing
  double* deviation;    // (n) standard deviation
  int* at_bound;        // (n) -1: at the low end of its range, 1: at the high end, 0: inside
  double* correlation;  // n x n; NaN where a deviation is infinite
  double* covariance;   // n x n

  // How well it fits.  An error is sensor - measurement; a vector sensor counts as one reading,
  // with the length of its error.  `rms` is the root of the mean square over all readings if they
  // have one unit, else over the weighted residuals (`rms_unit` is "").
  int residuals, dof;  // numbers that were compared, these less the parameters
  double first_rms, rms;
  const char* rms_unit;
  double cost;        // sum of squares of weighted residuals, priors included
  double aicc, bic;   // information criteria, smaller is better
  int groups;         // sensors
  char** group_name;  // (groups)
  double* group_rms;  // (groups)
  int recordings;
  bool* fitted;             // (recordings) or predicted
  double* recording_rms;    // (recordings)
  double* left_out_rms;     // (recordings) predicted by a fit without it; NaN: not asked for
  double* left_out_value;   // recordings x n, of that fit
  double left_out_row_rms;  // over all rows, each predicted by a fit without it; NaN: not asked

  // Combinations of parameters that the recordings cannot see: a direction of relative changes (of
  // the width of the range, of the logarithm, or of the value) of length 1, and how uncertain the
  // parameters are along it.
  int unseen;
  double* direction;    // unseen x n
  double* uncertainty;  // (unseen) half-width of the interval, 1: as wide as the range

  // Parameters that were not found but held: what freeing one more of them would bring, by one
  // step.
  int held;
  int* held_param;                      // (held) best first
  double *held_value, *held_deviation;  // (held) where it would go
  double* held_gain;  // (held) change of the information criterion (BIC), negative: worth it

  // All comparisons, recording by recording and row by row.
  int* res_recording;  // (residuals_all)
  int* res_row;        // from 0
  int* res_sensor;
  double *res_t, *res_data, *res_model, *res_weighted;
  int residuals_all;  // those of predicted recordings included

  int starts, best_starts;  // how many were made, and how many of them ended in the same place
  int evaluations;
  char* notes;  // sentences, one a line; "" when there is nothing to tell
} td_fit_result;

// Find parameters.  The work is left with the values found.  TD_E_USAGE or TD_E_MODEL: what was
// asked for cannot be done; TD_E_DIVERGED: the minimum was not reached, *result (if it is not NULL)
// has the best point so far; td_work_failure (tools.h) says why.
TD_API td_status td_fit_params(const td_model* model, td_work* work,
                               const td_recordings* recordings, const td_fit_options* options,
                               td_fit_result** result);
TD_API void td_fit_free(td_fit_result* result);

#ifdef __cplusplus
}
#endif
#endif
