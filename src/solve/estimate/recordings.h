// Recordings as the fit uses them: copies of what the caller or the text gave, checked.
#ifndef TD_RECORDINGS_H
#define TD_RECORDINGS_H

#include "model/model.h"
#include "tendril/estimate.h"

typedef struct recording {
  char* name;
  bool motion, weighted;  // weights are given
  int rows, ninput, nsensor, nset;
  double *t, *inputs, *data, *weight, *set_values;
  int *input, *sensor, *set;
  double delay;
  td_loss loss;
  td_from start;
  td_state* state;  // TD_FROM_STATE
} recording;

struct td_recordings {
  const td_model* model;
  recording* list;
  int n, cap;
  td_prior* prior;
  int nprior, prior_cap;
};

#endif
