// Identification of parameters from recordings: checks of the request, several starts, and fits
// that leave something out (cross-validation).
#include "solve/estimate/fit.h"

#include <math.h>
#include <stdio.h>

#include "engine/engine.h"
#include "math/random.h"
#include "solve/vectors.h"
#include "tendril/tools.h"

void td_fit_options_fill(td_fit_options* options, size_t size) {
  const td_fit_options own = {.size = size,
                              .starts = 1,
                              .seed = 1,
                              .tol = 1e-8,
                              .max_iterations = 100,
                              .level = 0.95,
                              .score = true};
  struct_into(options, size, &own, sizeof own);
}

void td_fit_free(td_fit_result* r) {
  if (!r) return;
  for (int i = 0; r->group_name && i < r->groups; i++) free(r->group_name[i]);
  void* const blocks[] = {
      r->param,     r->value,         r->first,         r->low,          r->high,
      r->deviation, r->at_bound,      r->correlation,   r->covariance,   r->group_name,
      r->group_rms, r->fitted,        r->recording_rms, r->left_out_rms, r->left_out_value,
      r->direction, r->uncertainty,   r->held_param,    r->held_value,   r->held_deviation,
      r->held_gain, r->res_recording, r->res_row,       r->res_sensor,   r->res_t,
      r->res_data,  r->res_model,     r->res_weighted,  r->notes};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  free(r);
}

// ---- checks -----------------------------------------------------------------------------------

// Leave the reason of a refusal in the work; TD_E_MODEL.
static td_status refuse(const fit* f, const char* format, ...) TD_PRINTF(2, 3);
static td_status refuse(const fit* f, const char* format, ...) {
  char text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  td_work_fail(f->work, "%s", text);
  return TD_E_MODEL;
}

// Set up the variables with their ranges, and check that they can be found.
static td_status read_variables(fit* f) {
  const td_model* m = f->model;
  for (int j = 0; j < f->n; j++) {
    const int k = f->options->param[j];
    const model_named* p = &m->param[k];
    const char* name = td_model_param_name(m, k);
    const double x = td_work_param(m, f->work, k);
    if (p->structural)
      return refuse(f,
                    "the param '%s' was used while loading (a count, a condition or a place that "
                    "must be known then): it cannot be found; write the model without this use, or "
                    "fit several models with --set",
                    name);
    for (int i = 0; i < j; i++)
      if (f->options->param[i] == k) return refuse(f, "the param '%s' is to be found twice", name);
    for (int r = 0; r < f->set->n; r++) {
      const recording* rec = &f->set->list[r];
      for (int i = 0; i < rec->ninput + rec->nset; i++)
        if ((i < rec->ninput ? rec->input[i] : rec->set[i - rec->ninput]) == -1 - k)
          return refuse(f, "the param '%s' is given by recording %s: it cannot be found too", name,
                        rec->name);
    }
    const bool bounded = !m->ranges_lifted && isfinite(p->low) && isfinite(p->high);
    const bool factors = p->logarithmic && x > 0;
    f->by[j] = (td_by){TD_BY_PARAM, k};
    f->var[j] = (variable){.param = k,
                           .logarithmic = factors,
                           .low = m->ranges_lifted ? -INFINITY
                                  : factors        ? log(p->low)
                                                   : p->low,
                           .high = m->ranges_lifted ? INFINITY
                                   : factors        ? log(p->high)
                                                    : p->high,
                           .scale = factors   ? 1
                                    : bounded ? p->high - p->low
                                    : x != 0  ? fabs(x)
                                              : 1};
  }

  // priors of these
  for (int i = 0; i < f->set->nprior; i++)
    for (int j = 0; j < f->n; j++)
      if (f->set->prior[i].param == f->var[j].param) {
        f->prior[f->nprior] = f->set->prior[i];
        f->prior[f->nprior++].param = j;
      }
  for (int k = 0; k < f->set->n && f->nprior > 0; k++)
    if (!f->set->list[k].weighted)
      return refuse(f,
                    "a prior needs fit.weight = 1/standard deviation in every recording, and "
                    "recording %s has none",
                    f->set->list[k].name);
  return TD_OK;
}

// Every variable must change the predictions at the start.
static td_status check_influence(fit* f, const double* x) {
  const int m = fit_rows(f);
  double* block = calloc(area(m, f->n) + (size_t)m + 1, sizeof *block);
  if (!block) return TD_E_NOMEM;
  double *J = block, *r = J + area(m, f->n);
  td_status status = td_fit_residuals(f, x, r, J);
  if (status == TD_OK) td_prediction_accept(&f->y);
  double size = 0;
  for (int i = 0; status == TD_OK && i < f->m; i++)
    size += pow(f->y.list[f->row[i]].weight * f->y.y[f->row[i]], 2) + r[i] * r[i];
  for (int j = 0; status == TD_OK && j < f->n; j++) {
    double sum = 0;
    for (int i = 0; i < f->m; i++) sum += pow(J[area(i, f->n) + (size_t)j] * f->var[j].scale, 2);
    if (sum > 1e-24 * size) continue;
    bool motion = false;
    for (int k = 0; k < f->set->n; k++) motion = motion || f->set->list[k].motion;
    status = refuse(f,
                    "the param '%s' has no influence: no sensor of the recordings changes with "
                    "it%s",
                    td_model_param_name(f->model, f->var[j].param),
                    motion ? ""
                           : "; equilibria do not depend on damping, nor on masses where there is "
                             "no gravity");
  }
  free(block);
  return status;
}

// ---- fits that leave something out ------------------------------------------------------------

// Fit again without some comparisons, from x0, and predict others; *rms is their error, NaN where
// too few are left.
static td_status without(fit* f, const bool* keep, const bool* predict, const double* x0, double* x,
                         double* rms) {
  double cost;
  bool converged;
  int* at_bound = calloc((size_t)f->n + 1, sizeof *at_bound);
  if (!at_bound) return TD_E_NOMEM;
  memcpy(x, x0, sizeof(double) * (size_t)f->n);
  td_fit_select(f, keep);
  td_status status = f->m > f->n ? td_fit_search(f, x, &cost, at_bound, &converged) : TD_E_USAGE;
  free(at_bound);
  if (status == TD_OK) {
    td_fit_select(f, predict);
    f->y.nby = 0;
    status = td_fit_put(f, x);
    if (status == TD_OK) status = td_predict(&f->y);
    f->y.nby = f->n;
    *rms = td_fit_rms(f, -1, predict);
  }
  return status == TD_E_USAGE ? TD_OK : status;
}

// Leave out each recording, or each row of the static ones, in turn.
static td_status leave_out(fit* f, const double* x, td_fit_result* result, td_text* notes) {
  const size_t n = (size_t)f->y.n;
  bool* mask = calloc(3 * n + 1, sizeof *mask);
  double* other = calloc((size_t)f->n + 1, sizeof *other);
  td_status status = mask && other ? TD_OK : TD_E_NOMEM;
  bool *keep = mask, *predict = mask + n, *fitted = mask + 2 * n;
  int parts = 0, lost = 0;
  for (int c = 0; status == TD_OK && c < f->y.n; c++)
    fitted[c] = !f->options->use || f->options->use[f->y.list[c].recording];
  double sum = 0, rows = 0;
  for (int first = 0, end; status == TD_OK && first < f->y.n; first = end) {
    // what is left out together: the comparisons from first to end
    const bool by_row = f->options->leave_out == TD_LEAVE_ROWS;
    const int k = f->y.list[first].recording, row = f->y.list[first].row;
    for (end = first;
         end < f->y.n && f->y.list[end].recording == k && (!by_row || f->y.list[end].row == row);)
      end++;
    if (!fitted[first] || (by_row && f->set->list[k].motion)) continue;
    for (int c = 0; c < f->y.n; c++) {
      predict[c] = c >= first && c < end;
      keep[c] = fitted[c] && !predict[c];
    }
    snprintf(f->what, sizeof f->what, "fit without %s%.60s", by_row ? "one row of " : "",
             f->set->list[k].name);
    double rms = NAN;
    status = without(f, keep, predict, x, other, &rms);
    if (isnan(rms)) {
      lost++;
      if (status == TD_E_DIVERGED || status == TD_E_SINGULAR) status = TD_OK;
      continue;
    }
    parts++;
    sum += rms * rms;
    rows++;
    if (by_row) continue;
    result->left_out_rms[k] = rms;
    for (int j = 0; j < f->n; j++)
      result->left_out_value[area(k, f->n) + (size_t)j] = td_fit_value(f, j, other[j]);
  }
  if (f->options->leave_out == TD_LEAVE_ROWS && rows > 0)
    result->left_out_row_rms = sqrt(sum / rows);
  if (status == TD_OK && parts == 0)
    td_text_printf(notes,
                   "nothing could be left out: a fit without one %s has too little data, or there "
                   "is one only\n",
                   f->options->leave_out == TD_LEAVE_ROWS ? "row" : "recording");
  else if (status == TD_OK && lost > 0)
    td_text_printf(notes, "%d fits that left something out did not succeed\n", lost);
  td_fit_select(f, NULL);
  free(mask);
  free(other);
  return status;
}

// ---- the whole --------------------------------------------------------------------------------

// Draw a point to start from: uniform in the range of each variable or, where it has none, within a
// factor of two of its first value.
static void draw(const fit* f, uint64_t* seed, const double* x0, double* x) {
  for (int j = 0; j < f->n; j++) {
    const variable* v = &f->var[j];
    const double u = random_uniform(seed);
    if (isfinite(v->low) && isfinite(v->high))
      x[j] = v->low + u * (v->high - v->low);
    else if (v->logarithmic)
      x[j] = x0[j] + (2 * u - 1) * log(2);
    else
      x[j] = fmin(fmax(x0[j] != 0 ? x0[j] * exp2(2 * u - 1) : 2 * u - 1, v->low), v->high);
  }
}

// Allocate the arrays of the result.
static td_status result_new(const fit* f, td_fit_result** result) {
  td_fit_result* r = *result = calloc(1, sizeof *r);
  if (!r) return TD_E_NOMEM;
  const size_t n = (size_t)f->n, k = (size_t)f->set->n, c = (size_t)f->y.n,
               held = (size_t)f->model->nparam, d = sizeof(double);
  r->n = f->n;
  r->recordings = f->set->n;
  const struct {
    void** to;
    size_t n, size;
  } list[] = {{(void**)&r->param, n, sizeof(int)},
              {(void**)&r->value, n, d},
              {(void**)&r->first, n, d},
              {(void**)&r->low, n, d},
              {(void**)&r->high, n, d},
              {(void**)&r->deviation, n, d},
              {(void**)&r->at_bound, n, sizeof(int)},
              {(void**)&r->correlation, n * n, d},
              {(void**)&r->covariance, n * n, d},
              {(void**)&r->group_name, (size_t)f->model->noutput_name, sizeof(char*)},
              {(void**)&r->group_rms, (size_t)f->model->noutput_name, d},
              {(void**)&r->fitted, k, sizeof(bool)},
              {(void**)&r->recording_rms, k, d},
              {(void**)&r->left_out_rms, k, d},
              {(void**)&r->left_out_value, k * n, d},
              {(void**)&r->direction, n * n, d},
              {(void**)&r->uncertainty, n, d},
              {(void**)&r->held_param, held, sizeof(int)},
              {(void**)&r->held_value, held, d},
              {(void**)&r->held_deviation, held, d},
              {(void**)&r->held_gain, held, d},
              {(void**)&r->res_recording, c, sizeof(int)},
              {(void**)&r->res_row, c, sizeof(int)},
              {(void**)&r->res_sensor, c, sizeof(int)},
              {(void**)&r->res_t, c, d},
              {(void**)&r->res_data, c, d},
              {(void**)&r->res_model, c, d},
              {(void**)&r->res_weighted, c, d}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    *list[i].to = calloc(list[i].n + 1, list[i].size);
    if (!*list[i].to) return TD_E_NOMEM;
  }

  // what was not computed is NaN
  for (size_t i = 0; i < k; i++) r->left_out_rms[i] = NAN;
  for (size_t i = 0; i < k * n; i++) r->left_out_value[i] = NAN;
  r->left_out_row_rms = NAN;
  r->rms_unit = "";
  return TD_OK;
}

// Search from all starts; x becomes the best minimum.
static td_status search_all(fit* f, double* x, double* block, int* at_bound, int* at_try,
                            td_fit_result* result) {
  double *x0 = block, *trial = x0 + f->n, best = INFINITY;
  uint64_t seed = f->options->seed;
  td_status first = TD_OK, status = TD_OK;
  bool any = false;
  memcpy(x0, x, sizeof(double) * (size_t)f->n);
  double* costs = calloc((size_t)f->options->starts + 1, sizeof *costs);
  if (!costs) return TD_E_NOMEM;

  // the first search starts at the present values, the others at random; keep the best minimum
  for (int s = 0; s < f->options->starts && status == TD_OK; s++) {
    if (s == 0)
      memcpy(trial, x0, sizeof(double) * (size_t)f->n);
    else
      draw(f, &seed, x0, trial);
    f->fraction = (double)s / f->options->starts;
    snprintf(f->what, sizeof f->what, "fit, start %d of %d", s + 1, f->options->starts);
    bool converged = false;
    costs[s] = INFINITY;
    const td_status ended = td_fit_search(f, trial, &costs[s], at_try, &converged);
    if (ended == TD_E_STOPPED || ended == TD_E_NOMEM || ended == TD_E_USAGE) status = ended;
    if (s == 0) first = ended;
    if (ended != TD_OK) {
      costs[s] = INFINITY;
      continue;
    }
    if (any && !(costs[s] < best * (1 - 1e-12))) continue;
    any = true;
    best = costs[s];
    result->converged = converged;
    memcpy(x, trial, sizeof(double) * (size_t)f->n);
    memcpy(at_bound, at_try, sizeof(int) * (size_t)f->n);
  }

  // how many starts ended there
  result->starts = f->options->starts;
  for (int s = 0; s < f->options->starts; s++) result->best_starts += costs[s] <= best * (1 + 1e-6);
  free(costs);
  return status != TD_OK ? status : any ? TD_OK : first;
}

td_status td_fit_params(const td_model* model, td_work* work, const td_recordings* set,
                        const td_fit_options* given, td_fit_result** out) {
  if (!out) return TD_E_USAGE;
  *out = NULL;
  if (!model_works(model, work) || !set || set->model != model) return TD_E_USAGE;
  td_fit_options options = td_fit_options_default();
  if (td_options_take(given, &options, sizeof options) != TD_OK) {
    td_work_fail(work, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  bool sensible = options.nparam > 0 && options.param && options.starts >= 1 &&
                  options.starts <= 10000 && options.tol > 0 && options.tol < 1 &&
                  options.max_iterations > 0 && options.level > 0 && options.level < 1 &&
                  (unsigned)options.leave_out <= TD_LEAVE_ROWS;
  for (int j = 0; sensible && j < options.nparam; j++)
    sensible = options.param[j] >= 0 && options.param[j] < model->nparam;
  if (!sensible) {
    td_work_fail(work,
                 "the options of a fit must name parameters of the model, at least one start, "
                 "a tolerance and a level between 0 and 1");
    return TD_E_USAGE;
  }

  // the problem
  fit f = {.model = model, .work = work, .set = set, .options = &options, .n = options.nparam};
  const size_t n = (size_t)f.n;
  td_status status = td_prediction_open(&f.y, model, work, set, max_int(f.n, model->nparam));
  f.by = calloc(n, sizeof *f.by);
  f.var = calloc(n, sizeof *f.var);
  f.corner = calloc((size_t)set->n + 1, sizeof *f.corner);
  f.row = calloc((size_t)f.y.n + 1, sizeof *f.row);
  f.prior = calloc((size_t)set->nprior + 1, sizeof *f.prior);
  double* block = calloc(4 * n, sizeof *block);
  int* bounds = calloc(2 * n, sizeof *bounds);
  td_text notes = {0};
  td_fit_result* r = NULL;
  if (!f.by || !f.var || !f.corner || !f.row || !f.prior || !block || !bounds) status = TD_E_NOMEM;
  if (status == TD_OK) status = read_variables(&f);
  if (status == TD_OK) status = result_new(&f, &r);
  if (status != TD_OK) goto done;
  double* x = block;
  f.last = block + 3 * n;
  f.y.by = f.by;
  f.y.nby = f.n;
  f.y.progress = options.progress;
  f.y.user = options.user;
  f.y.what = f.what;
  snprintf(f.what, sizeof f.what, "fit");
  td_fit_select(&f, NULL);
  if (f.m == 0)
    status = refuse(&f, "no recording is to be fitted: the model has %d (fit(k).data)", set->n);
  else if (fit_rows(&f) <= f.n)
    status = refuse(&f, "%d measurements are too few to find %d parameter%s", f.m, f.n,
                    f.n == 1 ? "" : "s");
  if (status != TD_OK) goto done;

  // the start
  for (int j = 0; j < f.n; j++) {
    r->param[j] = f.var[j].param;
    r->first[j] = td_work_param(model, work, f.var[j].param);
    x[j] = td_fit_variable(&f, j, r->first[j]);
    if (!(x[j] >= f.var[j].low && x[j] <= f.var[j].high)) {
      status = refuse(&f, "the param '%s' starts at %g, outside its range [%g %g]",
                      td_model_param_name(model, f.var[j].param), r->first[j],
                      model->param[f.var[j].param].low, model->param[f.var[j].param].high);
      goto done;
    }
  }
  status = check_influence(&f, x);
  if (status != TD_OK) goto done;
  r->first_rms = td_fit_rms(&f, -1, f.y.use);

  // the search, and what it found
  status = search_all(&f, x, block + n, bounds, bounds + n, r);
  if (status != TD_OK) goto done;
  for (int j = 0; j < f.n; j++) r->at_bound[j] = bounds[j];
  status = td_fit_judge(&f, x, r, &notes);
  if (status == TD_OK && options.score) status = td_fit_score(&f, x, r);
  if (status == TD_OK && options.leave_out != TD_LEAVE_NONE) status = leave_out(&f, x, r, &notes);
  const td_status left = td_fit_put(&f, x);
  if (status == TD_OK) status = left;
  r->evaluations = f.evaluations;
  if (status == TD_OK) {
    td_text_add(&notes, "");
    r->notes = notes.failed ? NULL : notes.s;
    notes = (td_text){0};
    if (!r->notes) status = TD_E_NOMEM;
  }
  if (status == TD_OK && !r->converged) {
    td_work_fail(work, "the search did not converge within %d evaluations for each start",
                 options.max_iterations);
    *out = r;
    r = NULL;
    status = TD_E_DIVERGED;
  } else if (status == TD_OK) {
    *out = r;
    r = NULL;
  }

done:
  td_fit_free(r);
  td_text_free(&notes);
  td_prediction_free(&f.y);
  free(f.by);
  free(f.var);
  free(f.corner);
  free(f.row);
  free(f.prior);
  free(block);
  free(bounds);
  return status;
}
