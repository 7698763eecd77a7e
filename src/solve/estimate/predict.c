// Predictions for recordings.
//
// A static recording is a list of equilibria: each is sought from where it was in the evaluation
// before or, at first, from the equilibrium of the row before.  A motion is simulated from its
// start with the recorded inputs; sensors between two records of the simulation are interpolated by
// a polynomial of degree 5, and their derivatives with the same factors.
#include "solve/estimate/predict.h"

#include <math.h>
#include <stdio.h>

#include "engine/engine.h"
#include "solve/vectors.h"
#include "tendril/tools.h"

// ---- memory -----------------------------------------------------------------------------------

void td_prediction_free(prediction* p) {
  for (int i = 0; i < p->nplace; i++) {
    if (p->near) td_state_free(p->near[i]);
    if (p->found) td_state_free(p->found[i]);
  }
  td_state_free(p->initial);
  td_state_free(p->state);
  free(p->list);
  free(p->use);
  free(p->y);
  free(p->dy);
  free(p->base);
  free(p->place);
  free(p->near);
  free(p->found);
  free(p->known);
  free(p->new);
  free(p->sensors);
  free(p->change);
}

// List the measurements; those that a delay moves out of the recording are left out.
static void list_comparisons(prediction* p) {
  p->n = 0;
  for (int k = 0; k < p->set->n; k++) {
    const recording* r = &p->set->list[k];
    for (int row = 0; row < r->rows; row++) {
      const double t = r->t[row] - r->delay;
      if (r->motion && (t < r->t[0] || t > r->t[r->rows - 1])) continue;
      for (int i = 0; i < r->nsensor; i++) {
        const double data = r->data[area(row, r->nsensor) + (size_t)i];
        if (isnan(data)) continue;
        p->list[p->n++] = (comparison){k, row, r->sensor[i], r->t[row], data, r->weight[i]};
      }
    }
  }
}

td_status td_prediction_open(prediction* p, const td_model* model, td_work* work,
                             const td_recordings* set, int nby) {
  *p = (prediction){.model = model, .work = work, .set = set, .nby_room = nby};

  // memory
  size_t n = 0;
  for (int k = 0; k < set->n; k++) {
    n += area(set->list[k].rows, set->list[k].nsensor);
    p->nplace += set->list[k].motion ? 1 : set->list[k].rows;
  }
  const size_t nplace = (size_t)p->nplace, nsensor = (size_t)model->noutput_name;
  p->list = calloc(n + 1, sizeof *p->list);
  p->use = calloc(n + 1, sizeof *p->use);
  p->y = calloc(n + 1, sizeof *p->y);
  p->dy = calloc(n * (size_t)nby + 1, sizeof *p->dy);
  p->base = calloc((size_t)model->nparam + 1, sizeof *p->base);
  p->place = calloc((size_t)set->n + 1, sizeof *p->place);
  p->near = calloc(nplace + 1, sizeof(td_state*));
  p->found = calloc(nplace + 1, sizeof(td_state*));
  p->known = calloc(nplace + 1, sizeof *p->known);
  p->new = calloc(nplace + 1, sizeof *p->new);
  p->sensors = calloc(nsensor + 1, sizeof *p->sensors);
  p->change = calloc(nsensor * (size_t)nby + 1, sizeof *p->change);
  p->initial = td_state_new(model);
  p->state = td_state_new(model);
  bool ok = p->list && p->use && p->y && p->dy && p->base && p->place && p->near && p->found &&
            p->known && p->new && p->sensors && p->change && p->initial && p->state;
  for (int i = 0; ok && i < p->nplace; i++) {
    p->near[i] = td_state_new(model);
    p->found[i] = td_state_new(model);
    ok = p->near[i] && p->found[i];
  }
  if (!ok) return TD_E_NOMEM;

  // equilibria of each recording, values of parameters outside of recordings, measurements
  for (int k = 0, at = 0; k < set->n; k++) {
    p->place[k] = at;
    at += set->list[k].motion ? 1 : set->list[k].rows;
  }
  for (int i = 0; i < model->nparam; i++) p->base[i] = td_work_param(model, work, i);
  list_comparisons(p);
  return td_state_initial(model, work, p->initial);
}

td_status td_prediction_set(prediction* p, int param, double value) {
  TD_TRY(td_work_set_param(p->model, p->work, param, value));
  p->base[param] = value;
  return TD_OK;
}

void td_prediction_accept(prediction* p) {
  for (int i = 0; i < p->nplace; i++) {
    if (!p->new[i]) continue;
    td_state* swap = p->near[i];
    p->near[i] = p->found[i];
    p->found[i] = swap;
    p->known[i] = true;
    p->new[i] = false;
  }
}

// ---- one recording ----------------------------------------------------------------------------

// Report progress of the whole fit; false: the caller stops it.
static bool ask(void* user, double fraction, const char* what) {
  const prediction* p = user;
  (void)fraction, (void)what;
  return !p->progress || p->progress(p->user, p->fraction, p->what ? p->what : "fit");
}

// Give an input of the state (i >= 0) or a parameter of the work (-1 - i) a value.
static td_status drive(prediction* p, td_state* state, int i, double value) {
  if (i < 0) return td_work_set_param(p->model, p->work, -1 - i, value);
  state->u[i] = value;
  return TD_OK;
}

// Set the inputs of a row and of `set`.
static td_status drive_row(prediction* p, const recording* r, int row, td_state* state) {
  for (int i = 0; i < r->nset; i++) TD_TRY(drive(p, state, r->set[i], r->set_values[i]));
  for (int i = 0; i < r->ninput; i++)
    TD_TRY(drive(p, state, r->input[i], r->inputs[area(row, r->ninput) + (size_t)i]));
  return TD_OK;
}

// Let parameters that a recording set have their own values again.
static void undrive(prediction* p, const recording* r) {
  for (int i = 0; i < r->nset; i++)
    if (r->set[i] < 0)
      td_work_set_param(p->model, p->work, -1 - r->set[i], p->base[-1 - r->set[i]]);
  for (int i = 0; i < r->ninput; i++)
    if (r->input[i] < 0)
      td_work_set_param(p->model, p->work, -1 - r->input[i], p->base[-1 - r->input[i]]);
}

// Find the equilibrium of a row, in p->state: from the last one, from that of the row before, or
// from the initial state.  At first a stable one is sought.
static td_status rest(prediction* p, const recording* r, int k, int row) {
  const int at = p->place[k] + row;
  const td_state* from[3];
  int n = 0;
  if (p->known[at]) from[n++] = p->near[at];
  if (!p->known[at] && row > 0 && (p->new[at - 1] || p->known[at - 1]))
    from[n++] = p->new[at - 1] ? p->found[at - 1] : p->near[at - 1];
  from[n++] = p->initial;

  td_equil_options options = td_equil_options_default();
  td_equil_result result;
  td_status status = TD_E_DIVERGED;
  options.progress = ask;
  options.user = p;
  for (int i = 0; i < n && status != TD_OK && status != TD_E_STOPPED; i++) {
    options.stable = !p->known[at];
    td_state_copy(p->model, from[i], p->state);
    copy(p->state->u, p->initial->u, p->model->ninput);
    if (r->motion) p->state->t = r->t[0];
    if (from[i] == p->initial) {
      // loops are closed anew where parameters move their ends
      TD_TRY(td_state_initial(p->model, p->work, p->state));
      if (r->motion) p->state->t = r->t[0];
    }
    TD_TRY(drive_row(p, r, row, p->state));
    status = td_equilibrium(p->model, p->work, p->state, &options, &result);
    p->evaluations++;
  }
  if (status == TD_OK && !result.converged) status = TD_E_DIVERGED;
  if (status != TD_OK && status != TD_E_STOPPED) {
    char why[400];
    snprintf(why, sizeof why, "%s",
             *td_work_failure(p->work) ? td_work_failure(p->work) : result.note);
    td_work_fail(p->work, "recording %s, row %d: no equilibrium was found%s%s", r->name, row + 1,
                 *why ? ": " : "", why);
    return status;
  }
  TD_TRY(status);
  td_state_copy(p->model, p->state, p->found[at]);
  p->new[at] = true;
  return TD_OK;
}

// Predict the rows of a static recording, whose measurements are list[first] to list[end - 1].
static td_status predict_static(prediction* p, int k, int first, int end) {
  const recording* r = &p->set->list[k];
  const int ns = p->model->noutput_name;
  for (int i = first; i < end;) {
    const int row = p->list[i].row;
    int last = i;
    bool wanted = false;
    while (last < end && p->list[last].row == row) wanted = p->use[last++] || wanted;
    if (wanted) {
      if (!ask(p, 0, NULL)) return TD_E_STOPPED;
      TD_TRY(rest(p, r, k, row));
      TD_TRY(td_sensors(p->model, p->state, p->work, p->sensors));
      if (p->nby > 0)
        TD_TRY(td_equilibrium_gradient(p->model, p->state, p->work, p->by, p->nby, NULL, NULL, NULL,
                                       p->change, NULL));
      for (int c = i; c < last; c++) {
        const int s = p->list[c].output;
        p->y[c] = p->sensors[s];
        for (int j = 0; j < p->nby; j++)
          p->dy[area(c, p->nby) + (size_t)j] = p->change[area(j, ns) + (size_t)s];
      }
    }
    i = last;
  }
  return TD_OK;
}

// Interval [s] between the records of the simulation: that of the rows if they are equally spaced
// and not delayed, else a quarter of the shortest, for the interpolation.
static double record_interval(const recording* r) {
  const double span = r->t[r->rows - 1] - r->t[0], equal = span / (r->rows - 1);
  bool even = r->delay == 0;
  double shortest = span;
  for (int i = 1; i < r->rows; i++) {
    even = even && fabs(r->t[i] - r->t[0] - i * equal) < 1e-6 * equal;
    shortest = fmin(shortest, r->t[i] - r->t[i - 1]);
  }
  return even ? equal : fmax(fmin(shortest, equal) / 4, span / 200000);
}

// Factors of the polynomial through six records around time t, from record *from on; one factor
// where t is that of a record.  Returns how many.
static int interpolation(const td_trajectory* y, double t, int* at, int* from, double factor[6]) {
  const int rows = td_trajectory_rows(y);
  while (*at + 1 < rows && td_trajectory_time(y, *at + 1) <= t) ++*at;
  const double step =
      rows > 1 ? (td_trajectory_time(y, rows - 1) - td_trajectory_time(y, 0)) / (rows - 1) : 1;
  for (int i = *at; i <= *at + 1 && i < rows; i++) {
    if (fabs(td_trajectory_time(y, i) - t) > 2e-6 * step) continue;
    *from = i;
    factor[0] = 1;
    return 1;
  }
  const int n = min_int(6, rows);
  *from = max_int(0, min_int(*at - 2, rows - n));
  for (int i = 0; i < n; i++) {
    factor[i] = 1;
    const double ti = td_trajectory_time(y, *from + i);
    for (int j = 0; j < n; j++) {
      const double tj = td_trajectory_time(y, *from + j);
      if (j != i) factor[i] *= (t - tj) / (ti - tj);
    }
  }
  return n;
}

// Predict a motion.
static td_status predict_motion(prediction* p, int k, int first, int end) {
  const recording* r = &p->set->list[k];
  const int ns = p->model->noutput_name;
  bool wanted = false;
  for (int i = first; i < end; i++) wanted = wanted || p->use[i];
  if (!wanted) return TD_OK;

  // the start
  td_start start = TD_START_GIVEN;
  if (r->start == TD_FROM_EQUILIBRIUM) {
    TD_TRY(rest(p, r, k, 0));
    start = TD_START_EQUILIBRIUM;
  } else if (r->start == TD_FROM_STATE) {
    TD_TRY(td_state_copy(p->model, r->state, p->state));
    TD_TRY(drive_row(p, r, 0, p->state));
  } else {
    TD_TRY(drive_row(p, r, 0, p->state));  // parameters come first
    TD_TRY(td_state_initial(p->model, p->work, p->state));
    TD_TRY(drive_row(p, r, 0, p->state));
    start = TD_START_INITIAL;
  }
  p->state->t = r->t[0];

  // the motion with its sensitivities
  td_input_table inputs = {r->rows, r->ninput, r->t, r->input, r->inputs};
  td_sim_options options = td_sim_options_default();
  options.t_final = r->t[r->rows - 1];
  options.dt_out = record_interval(r);
  if (r->ninput > 0) options.inputs = &inputs;
  options.progress = ask;
  options.user = p;
  td_trajectory* y = NULL;
  td_sensitivity* dy = NULL;
  td_status status = p->nby > 0 ? td_simulate_gradient(p->model, p->work, p->state, &options, start,
                                                       p->by, p->nby, &y, &dy)
                                : td_simulate(p->model, p->work, p->state, &options, &y);
  p->evaluations++;
  if (status != TD_OK && status != TD_E_STOPPED) {
    char why[400];
    const char* reason = y ? td_trajectory_diagnosis(y) : "";
    snprintf(why, sizeof why, "%s", *reason ? reason : td_work_failure(p->work));
    td_work_fail(p->work, "recording %s: the motion could not be simulated%s%s", r->name,
                 *why ? ": " : "", why);
    if (status == TD_E_USAGE) status = TD_E_MODEL;  // what has no sensitivities
  } else if (status == TD_OK && td_trajectory_stats(y)->partial) {
    td_work_fail(p->work, "recording %s: the simulation ended at %g s, before the recording",
                 r->name, td_trajectory_stats(y)->t_end);
    status = TD_E_DIVERGED;
  }

  // sensors at the times of the measurements
  for (int i = first, at = 0; status == TD_OK && i < end; i++) {
    double factor[6];
    int from;
    const int n = interpolation(y, p->list[i].t - r->delay, &at, &from, factor);
    double* change = p->dy + area(i, p->nby);
    p->y[i] = 0;
    memset(change, 0, sizeof(double) * (size_t)p->nby);
    for (int m = 0; m < n; m++) {
      p->y[i] += factor[m] * td_trajectory_sensors(y, from + m)[p->list[i].output];
      const double* d = p->nby > 0 ? td_sensitivity_sensors(dy, from + m) : NULL;
      for (int j = 0; j < p->nby; j++)
        change[j] += factor[m] * d[area(j, ns) + (size_t)p->list[i].output];
    }
  }
  td_sensitivity_free(dy);
  td_trajectory_free(y);
  return status;
}

// Predict recording by recording.
td_status td_predict(prediction* p) {
  td_status status = TD_OK;
  for (int i = 0; i < p->nplace; i++) p->new[i] = false;
  for (int k = 0, first = 0; k < p->set->n && status == TD_OK; k++) {
    int end = first;
    while (end < p->n && p->list[end].recording == k) end++;
    status = p->set->list[k].motion ? predict_motion(p, k, first, end)
                                    : predict_static(p, k, first, end);
    undrive(p, &p->set->list[k]);
    first = end;
  }
  if (status != TD_OK) return status;
  for (int i = 0; i < p->n; i++)
    if (p->use[i] && (!isfinite(p->y[i]) || !all_finite(p->dy + area(i, p->nby), (size_t)p->nby))) {
      td_work_fail(p->work, "the sensor '%s' of recording %s is not a finite number",
                   td_model_sensor_name(p->model, p->list[i].output),
                   p->set->list[p->list[i].recording].name);
      return TD_E_INFINITE;
    }
  return TD_OK;
}
