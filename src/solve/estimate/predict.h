// Predictions of the model for the measurements of all recordings, and their derivatives by
// parameters.
#ifndef TD_PREDICT_H
#define TD_PREDICT_H

#include "solve/estimate/recordings.h"
#include "tendril/gradient.h"

// One measurement.
typedef struct comparison {
  int recording, row, output;  // `output` is the sensor of the model
  double t, data, weight;
} comparison;

typedef struct prediction {
  const td_model* model;
  td_work* work;
  const td_recordings* set;
  int n;
  comparison* list;  // (n) recording by recording, row by row
  bool* use;         // (n) which of them the next evaluation computes
  double* y;         // (n)
  const td_by* by;
  int nby;
  double* dy;         // n x nby
  double* base;       // (nparam) values outside of recordings
  int nplace;         // equilibria: rows of static recordings, starts of motions
  int* place;         // (recordings) first of each
  td_state** near;    // (nplace) where the next evaluation starts
  td_state** found;   // (nplace) of the last evaluation
  bool *known, *new;  // (nplace) whether these are there
  td_state *initial, *state;
  double *sensors, *change;  // (nsensor), nby_room x nsensor
  int nby_room;
  td_progress progress;
  void* user;
  double fraction;  // done, for `progress`
  const char* what;
  long evaluations;  // equilibria and motions
} prediction;

// Make room for predictions with derivatives by at most `nby` parameters.  Free it also after a
// failure.
td_status td_prediction_open(prediction* p, const td_model* model, td_work* work,
                             const td_recordings* set, int nby);
void td_prediction_free(prediction* p);

// Set a parameter outside of recordings.  TD_E_MODEL: it breaks a rule of the model.
td_status td_prediction_set(prediction* p, int param, double value);

// Compute y and dy of the measurements in use.  On failure the work has the reason.
td_status td_predict(prediction* p);

// Start further evaluations at the equilibria of the last one.
void td_prediction_accept(prediction* p);

#endif
