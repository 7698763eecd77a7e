// A fit in progress: the measurements in use as a least-squares problem over scaled parameters.
#ifndef TD_FIT_H
#define TD_FIT_H

#include "solve/estimate/predict.h"

// A parameter that is found.  The search works with x itself, or with log x where its range counts
// by factors.
typedef struct variable {
  int param;
  bool logarithmic;
  double low, high;  // of the search's variable, -inf and inf where there is no range
  double scale;      // the change that counts as 1: width of the range, one in log x, or |x|
} variable;

typedef struct fit {
  const td_model* model;
  td_work* work;
  const td_recordings* set;
  const td_fit_options* options;
  prediction y;
  td_by* by;
  variable* var;
  int n;            // variables
  double* corner;   // (recordings) where Huber's loss becomes linear; infinite: least squares
  int *row, m;      // comparisons that are fitted, and how many
  td_prior* prior;  // of the variables; param is the number of the variable
  int nprior;
  double* last;  // (n) variables of the last predictions, if `fresh`
  bool fresh;
  int evaluations;
  char what[160];   // for `progress`
  double fraction;  // of the whole, at the beginning of this search
} fit;

// Rows of the problem: comparisons, then priors.
static inline int fit_rows(const fit* f) { return f->m + f->nprior; }

// Parameter of variable j at x of the search, and its derivative.
double td_fit_value(const fit* f, int j, double x);
double td_fit_slope(const fit* f, int j, double x);
double td_fit_variable(const fit* f, int j, double value);

// Give the parameters of x to the model.  TD_E_MODEL: they break a rule.
td_status td_fit_put(fit* f, const double* x);

// Residuals (weight times error) and their Jacobian in the search's variables, without the loss.
td_status td_fit_residuals(fit* f, const double* x, double* r, double* J);

// Fit only the comparisons of `use` (comparisons; NULL: all recordings of the options).
void td_fit_select(fit* f, const bool* use);

// Search from x, which becomes the minimum.
td_status td_fit_search(fit* f, double* x, double* cost, int* at_bound, bool* converged);

// Fill in values, intervals, fit and notes of the result from the minimum x (fit_statistics.c).
td_status td_fit_judge(fit* f, const double* x, td_fit_result* result, td_text* notes);

// Estimate what freeing each of the other parameters would gain (change of BIC).
td_status td_fit_score(fit* f, const double* x, td_fit_result* result);

// Root of the mean square error of the comparisons of a recording (k < 0: of all in use), as
// td_fit_result.rms has it; `y` are the predictions.
double td_fit_rms(const fit* f, int k, const bool* use);
// Their unit, "" where they have several.
const char* td_fit_unit(const fit* f);

#endif
