// One point of a sweep.
//
// Every point begins with a work of its own, so that nothing is left of the point before: the
// numbers do not depend on which thread or process computes it, nor on what it computed before.
// Values that decide how the model is built are given to the text, which is loaded again unless the
// last point had the same ones; all others are set in the work and in the state.
#include "solve/ensemble/worker.h"

#include <math.h>
#include <stdio.h>

#include "solve/vectors.h"

struct worker {
  const sweep_plan* plan;
  td_progress progress;
  void* user;
  td_spec* spec;      // of the text that was loaded again, or NULL
  td_model* own;      // its model, or NULL
  int at;             // the point for which it was loaded, -1: none
  char failure[400];  // of loading, "": none
  int loads;
  const td_model* model;  // of the present point
  td_work* work;
  td_state* state;
  const td_model* made_for;  // state and sensors
  double* sensors;
};

worker* td_worker_new(const sweep_plan* plan, td_progress progress, void* user) {
  worker* w = calloc(1, sizeof *w);
  if (w) *w = (worker){.plan = plan, .progress = progress, .user = user, .at = -1};
  return w;
}

// Free what belongs to the model of the last point.
static void leave_model(worker* w) {
  td_state_free(w->state);
  free(w->sensors);
  w->state = NULL;
  w->sensors = NULL;
  w->made_for = NULL;
}

void td_worker_free(worker* w) {
  if (!w) return;
  leave_model(w);
  td_work_free(w->work);
  td_model_free(w->own);
  td_spec_free(w->spec);
  free(w);
}

int td_worker_loads(const worker* w) { return w ? w->loads : 0; }

// ---- the model of a point -----------------------------------------------------------------------

// Have two points the same values where these decide how the model is built?
static bool built_alike(const sweep_plan* p, int a, int b) {
  for (int j = 0; j < td_points_axes(p->points); j++) {
    if (p->way[j] != WAY_LOAD) continue;
    const char *one = td_points_word(p->points, a, j), *other = td_points_word(p->points, b, j);
    if (one ? strcmp(one, other) != 0
            : td_points_value(p->points, a, j) != td_points_value(p->points, b, j))
      return false;
  }
  return true;
}

// Load the text with the values of a point; w->failure says why there is no model.
static td_status load(worker* w, int point) {
  const sweep_plan* p = w->plan;
  leave_model(w);
  td_model_free(w->own);
  td_spec_free(w->spec);
  w->own = NULL;
  w->failure[0] = '\0';
  w->at = -1;
  w->spec = td_spec_new();
  if (!w->spec) return TD_E_NOMEM;
  w->loads++;

  td_status status = TD_OK;
  for (int j = 0; status == TD_OK && j < td_points_axes(p->points); j++) {
    if (p->way[j] != WAY_LOAD) continue;
    const char* word = td_points_word(p->points, point, j);
    char number[40];
    snprintf(number, sizeof number, "%.17g", td_points_value(p->points, point, j));
    status = td_spec_override(w->spec, td_points_name(p->points, j), word ? word : number);
  }
  if (status == TD_OK) status = p->source.load(p->source.user, w->spec);
  if (status == TD_OK || status == TD_E_MODEL) status = td_model_compile(w->spec, &w->own);
  if (status == TD_E_NOMEM) return status;
  w->at = point;
  if (status == TD_OK) return TD_OK;

  // the first error of the text
  snprintf(w->failure, sizeof w->failure, "model: %s", td_status_text(status));
  for (int i = 0; i < td_spec_message_count(w->spec); i++) {
    const td_message m = td_spec_message(w->spec, i);
    if (m.severity != TD_ERROR) continue;
    snprintf(w->failure, sizeof w->failure, "model: line %d: %s", m.line, m.text);
    break;
  }
  return TD_OK;
}

// ---- columns ------------------------------------------------------------------------------------

// Index of a column in the present model; -1: it has none
static int place_of(const worker* w, const sweep_column* c) {
  const td_sizes n = td_model_sizes(w->model);
  if (w->model == w->plan->model) return c->index;
  switch (c->kind) {
    case COLUMN_SENSOR:
      return td_model_sensor_find(w->model, c->what);
    case COLUMN_INTERNAL:
      return td_model_internal_find(w->model, c->what);
    case COLUMN_Q:
      return c->index < n.nq ? c->index : -1;
    case COLUMN_V:
      return c->index < n.nv ? c->index : -1;
    case COLUMN_RESIDUAL:
    case COLUMN_CRITICAL:
    case COLUMN_FREQUENCY:
    case COLUMN_DAMPING:
    case COLUMN_ENERGY_ERROR:
    case COLUMN_T_END:
      break;
  }
  return c->index;
}

// Results of one point, from which columns are taken; what was not computed is NULL.
typedef struct point_results {
  const td_state* state;  // with the sensors of the worker
  const td_equil_result* equil;
  const td_modes_result* modes;
  const td_trajectory* run;
} point_results;

static const double two_pi = 6.28318530717958647692;

// A number of the records of a simulation
static double of_record(const td_trajectory* run, column_kind kind, int at, int row) {
  return kind == COLUMN_SENSOR ? td_trajectory_sensors(run, row)[at]
         : kind == COLUMN_Q    ? td_trajectory_q(run, row)[at]
         : kind == COLUMN_V    ? td_trajectory_v(run, row)[at]
                               : td_trajectory_z(run, row)[at];
}

// Largest, smallest or mean value over the records: the mean is the integral of straight lines
// between them, divided by the time.
static double over_records(const td_trajectory* run, const sweep_column* c, int at) {
  const int rows = td_trajectory_rows(run);
  double x = of_record(run, c->kind, at, 0), best = x, area_below = 0;
  for (int i = 1; i < rows; i++) {
    const double before = x;
    x = of_record(run, c->kind, at, i);
    area_below +=
        0.5 * (before + x) * (td_trajectory_time(run, i) - td_trajectory_time(run, i - 1));
    best = c->over == OVER_MAX ? fmax(best, x) : fmin(best, x);
  }
  const double span = td_trajectory_time(run, rows - 1) - td_trajectory_time(run, 0);
  if (c->over == OVER_END) return x;
  return c->over == OVER_MEAN ? (span > 0 ? area_below / span : x) : best;
}

// Value of a column; false: the present model does not have it.
static bool take(const worker* w, const point_results* r, const sweep_column* c, double* value) {
  const int at = place_of(w, c);
  *value = NAN;
  if (at < 0) return false;
  switch (c->kind) {
    case COLUMN_SENSOR:
    case COLUMN_Q:
    case COLUMN_V:
    case COLUMN_INTERNAL:
      *value = r->run                     ? over_records(r->run, c, at)
               : c->kind == COLUMN_SENSOR ? w->sensors[at]
               : c->kind == COLUMN_Q      ? r->state->q[at]
               : c->kind == COLUMN_V      ? r->state->v[at]
                                          : r->state->z[at];
      return true;
    case COLUMN_RESIDUAL:
      *value = r->equil->residual;
      return true;
    case COLUMN_CRITICAL:
      *value = r->equil->critical;
      return true;
    case COLUMN_FREQUENCY:  // a model with fewer modes has none there
      if (at < r->modes->n) *value = r->modes->omega[at] / two_pi;
      return true;
    case COLUMN_DAMPING:
      if (at < r->modes->n) *value = r->modes->zeta[at];
      return true;
    case COLUMN_ENERGY_ERROR:
      *value = td_trajectory_stats(r->run)->energy_error;
      return true;
    case COLUMN_T_END:
      *value = td_trajectory_stats(r->run)->t_end;
      return true;
  }
  return false;
}

// ---- analyses -----------------------------------------------------------------------------------

// Copy a text without line ends, which would end a record of the journal.
static void put_status(char* status, size_t size, const char* what, const char* why) {
  snprintf(status, size, "%s%s%s", what, *what && *why ? ": " : "", why);
  for (char* c = status; *c; c++)
    if ((unsigned char)*c < ' ') *c = c[1] ? ';' : '\0';
}

// Report a failed step of an analysis in the status of the point; what has no result at all is
// returned.
static td_status failed(const worker* w, td_status status, const char* what, const char* why,
                        char* text, size_t size) {
  if (status == TD_E_STOPPED || status == TD_E_NOMEM) return status;
  if (!*why) why = td_work_failure(w->work);
  if (!*why) why = td_status_text(status);
  put_status(text, size, what, why);
  return TD_OK;
}

// Set the values of a point in the work and the state.  A rule may hold for the new values of two
// parameters and not for one of them with the old one of the other: those that are refused are
// tried again after the others.
static td_status set_values(worker* w, int point) {
  const sweep_plan* p = w->plan;
  const int n = td_points_axes(p->points);
  int left = n + 1;
  for (int before = n + 2; left > 0 && left < before;) {
    before = left;
    left = 0;
    for (int j = 0; j < n; j++) {
      if (p->way[j] != WAY_PARAM) continue;
      const double x = td_points_value(p->points, point, j);
      const int param = w->model == p->model
                            ? p->index[j]
                            : td_model_param_find(w->model, td_points_name(p->points, j));
      if (td_work_set_param(w->model, w->work, param, x) != TD_OK) left++;
    }
  }
  return left > 0 ? TD_E_MODEL : TD_OK;
}

td_status td_worker_run(worker* w, int point, double* values, char* status, size_t size) {
  const sweep_plan* p = w->plan;
  for (int i = 0; i < p->ncolumn; i++) values[i] = NAN;
  snprintf(status, size, "ok");

  // the model
  if (p->loads && (w->at < 0 || !built_alike(p, w->at, point))) TD_TRY(load(w, point));
  if (w->failure[0]) {
    put_status(status, size, "", w->failure);
    return TD_OK;
  }
  w->model = p->loads ? w->own : p->model;
  if (w->made_for != w->model) {
    leave_model(w);
    w->state = td_state_new(w->model);
    w->sensors = calloc((size_t)td_model_sizes(w->model).nsensor + 1, sizeof *w->sensors);
    if (!w->state || !w->sensors) return TD_E_NOMEM;
    w->made_for = w->model;
  }
  td_work_free(w->work);
  w->work = td_work_new(w->model);
  if (!w->work) return TD_E_NOMEM;

  // the initial state with the values of the point
  td_status done = set_values(w, point);
  if (done != TD_OK) return failed(w, done, "model", "", status, size);
  done = td_state_initial(w->model, w->work, w->state);
  if (done != TD_OK) return failed(w, done, "initial state", "", status, size);
  for (int j = 0; j < td_points_axes(p->points); j++) {
    if (p->way[j] != WAY_INPUT) continue;
    const int input = w->model == p->model
                          ? p->index[j]
                          : td_model_input_find(w->model, td_points_name(p->points, j));
    if (input < 0) return failed(w, TD_E_MODEL, "model", "an input is not there", status, size);
    w->state->u[input] = td_points_value(p->points, point, j);
  }

  // the equilibrium
  point_results r = {.state = w->state};
  td_equil_result equil = {0};
  if (p->what == TD_SWEEP_EQUIL || p->what == TD_SWEEP_MODES ||
      (p->what == TD_SWEEP_SIM && p->from_rest)) {
    td_equil_options o = td_equil_options_default();
    o.stable = p->what == TD_SWEEP_EQUIL && !p->any;
    o.progress = w->progress;
    o.user = w->user;
    done = td_equilibrium(w->model, w->work, w->state, &o, &equil);
    if (done == TD_OK && !equil.converged) done = TD_E_DIVERGED;
    if (done != TD_OK) return failed(w, done, "equilibrium", equil.note, status, size);
    r.equil = &equil;
  }

  // modes, or the motion
  td_modes_result* modes = NULL;
  td_trajectory* run = NULL;
  if (p->what == TD_SWEEP_MODES) {
    done = td_modes(w->model, w->state, w->work, &modes);
    if (done != TD_OK) done = failed(w, done, "modes", "", status, size);
    r.modes = modes;
  } else if (p->what == TD_SWEEP_SIM) {
    td_sim_options o = p->sim;
    o.progress = w->progress;
    o.user = w->user;
    done = td_simulate(w->model, w->work, w->state, &o, &run);
    if (done != TD_OK)
      done = failed(w, done, "simulation", run ? td_trajectory_diagnosis(run) : "", status, size);
    r.run = run;
    const char* reasons = "";
    const td_verdict verdict = run && status_is_good(status) && done == TD_OK
                                   ? td_trajectory_trust(run, &reasons)
                                   : TD_TRUST_OK;
    if (verdict != TD_TRUST_OK)
      put_status(status, size, verdict == TD_TRUST_WRONG ? "wrong" : "look", reasons);
  }

  // the kept numbers
  bool senses = false;
  for (int i = 0; i < p->ncolumn; i++) senses |= p->column[i].kind == COLUMN_SENSOR;
  if (done == TD_OK && status_is_good(status) && !run && senses) {
    const td_status measured = td_sensors(w->model, w->state, w->work, w->sensors);
    if (measured != TD_OK) done = failed(w, measured, "sensors", "", status, size);
  }
  for (int i = 0; done == TD_OK && status_is_good(status) && i < p->ncolumn; i++) {
    if (take(w, &r, &p->column[i], &values[i])) continue;
    char why[300];
    snprintf(why, sizeof why, "the model of this point has no '%s'", p->column[i].what);
    put_status(status, size, "keep", why);
    for (int k = 0; k < p->ncolumn; k++) values[k] = NAN;
  }
  td_modes_free(modes);
  td_trajectory_free(run);
  return done;
}
