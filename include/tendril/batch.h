// Batches: many plants of one model that run at once, on the threads of one machine: learning,
// Monte Carlo, controllers that look ahead.  See docs/batch.md.
//
//   td_batch_new(model, 1024, &options, &batch, message, sizeof message);
//   td_batch_reset(batch, NULL);
//   for (;;) {
//     td_batch_step(batch, 0.01, inputs, NULL);
//     td_batch_read(batch, t, q, v, sensors);
//   }
//
// Arrays belong to the caller, who fills inputs and parameters and gets states and sensors: plant
// after plant, row-major.  Numbers are the same bits for any number of threads.
#ifndef TENDRIL_BATCH_H
#define TENDRIL_BATCH_H

#include "tendril/control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_batch td_batch;

// (Options.)
typedef struct td_batch_options {
  size_t size;                // bytes of this struct, by td_batch_options_default()
  int threads;                // default 1
  const td_sim_options* sim;  // rtol, atol, solver, step as of plants; not kept; NULL: defaults.
                              // TD_SOLVER_FIXED takes equal implicit steps of known cost
  // What a plant begins with differs from the initial state of the model by normal noise of these
  // standard deviations on the unprescribed positions (along their tangent directions) and
  // velocities, drawn anew at each reset; default 0
  double sigma_q, sigma_v;
  unsigned long long seed;  // of the noise; plant i has the seed of its own td_batch_seed() gives
  bool auto_reset;          // a plant that fails begins anew at the next step; default false
} td_batch_options;
TD_API void td_batch_options_fill(td_batch_options* options, size_t size);
static inline td_batch_options td_batch_options_default(void) {
  td_batch_options options;
  td_batch_options_fill(&options, sizeof options);
  return options;
}

// Make n plants, which stand at the initial state of the model.  On failure *batch is NULL and
// `message` says why.
TD_API td_status td_batch_new(const td_model* model, int n, const td_batch_options* options,
                              td_batch** batch, char* message, size_t size);
TD_API void td_batch_free(td_batch* batch);
TD_API int td_batch_count(const td_batch* batch);
TD_API size_t td_batch_bytes(const td_batch* batch);  // memory of the works of its plants

// Give a parameter values (n; NaN: as it is), from now on.  Those that a plant refuses are left as
// they were and its status tells so.
TD_API td_status td_batch_param(td_batch* batch, int param, const double* values);
// Give plants seeds of their own (n) for the noise of further resets.
TD_API td_status td_batch_seed(td_batch* batch, const unsigned long long* seeds);

// Let plants begin anew at the initial state of the model with their parameters, and noise; mask
// (n): which ones, NULL: all.  Their time is that of the model's start.
TD_API td_status td_batch_reset(td_batch* batch, const unsigned char* mask);
// Let them begin at states of the caller: t (n), q (n x nq), v (n x nv), z (n x nz); NULL: as in
// the initial state.
TD_API td_status td_batch_reset_to(td_batch* batch, const unsigned char* mask, const double* t,
                                   const double* q, const double* v, const double* z);

// Hold inputs (n x nu; NULL: as they are) and advance by dt [s]; mask (n): which ones, NULL: all.
// Makes no heap call but for what td_plant_step() says.  A plant that fails stays where it is and
// has a status; it is not advanced any more until it is reset.  TD_OK whatever single plants do.
TD_API td_status td_batch_step(td_batch* batch, double dt, const double* inputs,
                               const unsigned char* mask);

// Times (n), states and sensors (n x nsensor) into arrays of the caller, any may be NULL.  Sensors
// that have no value are NaN.
TD_API td_status td_batch_read(td_batch* batch, double* t, double* q, double* v, double* sensors);
// Internal states (n x nz) and inputs (n x nu); any may be NULL.
TD_API td_status td_batch_read_more(td_batch* batch, double* z, double* u);
// What the last step or reset of each plant gave, td_status as int (n); returns how many failed.
TD_API int td_batch_status(const td_batch* batch, int* status);
// Why a plant failed; "" when it did not.  Belongs to the batch.
TD_API const char* td_batch_message(const td_batch* batch, int plant);

#ifdef __cplusplus
}
#endif
#endif
