// Recordings and priors of a model text, fit(k) and prior(k), as users write them, with names
// resolved to inputs, parameters and sensors of the compiled model.
#ifndef TD_FIT_WORDS_H
#define TD_FIT_WORDS_H

#include "model/model.h"
#include "model/spec.h"

// One row of fit(k).input, .sensor or .set: a thing of the model, and the column that has its
// values or, in `set`, its value.
typedef struct fit_pair {
  int index;      // of an input, a parameter or a sensor
  bool is_param;  // `input` and `set`: a parameter
  char* column;   // `input` and `sensor`
  double value;   // `set`
  double weight;  // `sensor`
  td_span at;     // of the column or the value
} fit_pair;

typedef enum fit_start { FIT_START_EQUIL, FIT_START_INITIAL, FIT_START_DATA } fit_start;

// One recording.
typedef struct fit_words {
  const char* name;   // "" where none is written
  const value* data;  // a string or a structure of columns
  td_span at;         // of the data
  bool motion, huber;
  bool weighted;  // weights are written
  fit_start start;
  double delay, from, to;  // [s]; from, to: -inf and inf where none is written
  fit_pair *input, *sensor, *set;
  int ninput, nsensor, nset;
} fit_words;

// How many recordings the text has.
int td_fit_count(const td_spec* spec);
// Read fit(k), from 0.  What is wrong is added to the messages of the spec; TD_E_MODEL then, and
// *words holds nothing.
td_status td_fit_read(td_spec* spec, const td_model* model, int k, fit_words* words);
void td_fit_words_free(fit_words* words);

// One prior: what is known about a parameter before.
typedef struct prior_words {
  int param;
  double mean, deviation;
} prior_words;
int td_prior_count(const td_spec* spec);
td_status td_prior_read(td_spec* spec, const td_model* model, int k, prior_words* words);

// Check all of them against the names of the compiled model.
td_status td_check_fits(td_spec* spec, const td_model* model);

#endif
