// tendril observe: motion, unknown inputs and parameters of a robot from recorded sensors;
// observe.csv and observe.json.
//
// Columns of the data with names of inputs are held from their row to the next; those with names of
// sensors are measurements; one with the name of an unknown is compared with the estimate.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// An observation.
typedef struct watch {
  session* s;
  table data;
  int time;
  int *sensor, *input, *truth;  // columns of the data, -1: none
  td_unknown* unknown;
  int np, rows, stride, *index;
  td_observer* observer;
  double *out, *sigma, *y, *e, *se, *u;
  double nis;
  long measured;
  char** names;
  td_verdict verdict;
  char reasons[2000];
} watch;

// ---- checking the data ------------------------------------------------------------------------

// Find the columns of the data for time (t, t_s or time), sensors and inputs; -1 for those that are
// absent.  Refuses data without time or without any sensor.  Returns the exit code.
static int find_columns(watch* w) {
  session* s = w->s;
  static const char* const times[] = {"t", "t_s", "time"};
  int seen = 0;
  w->time = -1;
  for (int i = 0; i < 3 && w->time < 0; i++) w->time = table_find(&w->data, times[i]);
  if (w->time < 0) return complain(CODE_FILE, "%s has no column t", s->opt->data);
  for (int i = 0; i < s->n.nsensor; i++) {
    w->sensor[i] = table_find(&w->data, td_model_sensor_name(s->model, i));
    seen += w->sensor[i] >= 0;
  }
  for (int i = 0; i < s->n.nu; i++)
    w->input[i] = table_find(&w->data, td_model_input_name(s->model, i));
  if (seen == 0)
    return complain(CODE_FILE, "%s has no column that is called like a sensor of the model",
                    s->opt->data);
  return CODE_DONE;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Check that times are there, finite and ascending, and that no step of them is absurd against the
// rest: a filter integrates the model across every gap, for hours if the gap is a misprint.  A gap
// may last as long as ten times the recording would without gaps, rows times the median step, and
// at least a thousand median steps; but never more than a day.
static int judge_times(const watch* w) {
  const table* d = &w->data;
  const char* path = w->s->opt->data;
  double* steps = malloc((size_t)d->rows * sizeof *steps);
  int n = 0, code = CODE_DONE;
  if (!steps) return complain(CODE_NUMERICS, "out of memory");
  for (int k = 0; k < d->rows && code == CODE_DONE; k++) {
    const double now = d->x[(size_t)k * (size_t)d->cols + (size_t)w->time];
    const double before = k ? d->x[(size_t)(k - 1) * (size_t)d->cols + (size_t)w->time] : now;
    if (isnan(now))
      code = complain(CODE_FILE, "%s:%d: the row has no time (column %s)", path, d->line[k],
                      d->names[w->time]);
    else if (now < before)
      code = complain(CODE_FILE, "%s:%d: times must ascend: %.10g s follows %.10g s", path,
                      d->line[k], now, before);
    else if (now > before)
      steps[n++] = now - before;
  }

  // gaps, and steps that are lost in the rounding of the times
  if (n > 0) qsort(steps, (size_t)n, sizeof *steps, ascending);
  const double median = n > 0 ? steps[(n - 1) / 2] : 0,
               most = fmin(median * fmax(1000, 10.0 * d->rows), 86400);
  free(steps);
  for (int k = 1; k < d->rows && code == CODE_DONE; k++) {
    const double* time = d->x + (size_t)w->time;
    const double from = time[(size_t)(k - 1) * (size_t)d->cols],
                 to = time[(size_t)k * (size_t)d->cols];
    if (to - from > most)
      code = complain(CODE_FILE,
                      "%s:%d: the time jumps from %.10g to %.10g s, where half of the steps are at "
                      "most %.3g s: a gap may last %.3g s here; correct the time, or observe the "
                      "parts one by one",
                      path, d->line[k], from, to, median, most);
    else if (to > from && !(to - from > 1e-12 * fmax(fabs(to), fabs(from))))
      code = complain(CODE_FILE,
                      "%s:%d: a step of %.3g s is below the rounding of the time %.10g s: let the "
                      "times begin near 0",
                      path, d->line[k], to - from, to);
  }
  return code;
}

// Report whether a column of the data has a use.
static bool is_used(const watch* w, int column) {
  bool used = column == w->time;
  for (int i = 0; i < w->s->n.nsensor; i++) used = used || w->sensor[i] == column;
  for (int i = 0; i < w->s->n.nu; i++)
    used = used || strcmp(td_model_input_name(w->s->model, i), w->data.names[column]) == 0;
  for (int i = 0; i < w->np; i++) used = used || w->truth[i] == column;
  return used;
}

// Refuse a column whose name is nearly that of a sensor, input or unknown that the data lack;
// others without a use are listed in a note.
static int judge_columns(const watch* w) {
  const session* s = w->s;
  const char** lacking = calloc((size_t)(s->n.nsensor + s->n.nu + w->np) + 1, sizeof *lacking);
  char left_out[400] = "";
  int n = 0, code = CODE_DONE;
  if (!lacking) return complain(CODE_NUMERICS, "out of memory");

  // names that the data lack
  for (int i = 0; i < s->n.nsensor; i++)
    if (w->sensor[i] < 0) lacking[n++] = td_model_sensor_name(s->model, i);
  for (int i = 0; i < s->n.nu; i++)
    if (table_find(&w->data, td_model_input_name(s->model, i)) < 0)
      lacking[n++] = td_model_input_name(s->model, i);
  for (int i = 0; i < w->np; i++)
    if (w->truth[i] < 0 && w->unknown[i].is_param) lacking[n++] = w->names[i];

  // columns without a use
  for (int j = 0; j < w->data.cols && code == CODE_DONE; j++) {
    const char* name = w->data.names[j];
    if (is_used(w, j) || !*name) continue;
    const char* meant = td_nearest(name, lacking, n);
    if (meant)
      code = complain(CODE_FILE,
                      "%s: column %d is called '%s', which is no sensor or input of the model; did "
                      "you mean '%s'?",
                      s->opt->data, j + 1, name, meant);
    const size_t used = strlen(left_out);
    snprintf(left_out + used, sizeof left_out - used, "%s%s", used ? ", " : "", name);
  }
  free(lacking);
  if (code == CODE_DONE && *left_out && !s->opt->quiet)
    complain(0, "note: columns of the data that are no sensors or inputs of the model: %s",
             left_out);
  return code;
}

// Refuse a column with a use that has no number at all.
static int judge_numbers(const watch* w) {
  const table* d = &w->data;
  for (int j = 0; j < d->cols; j++) {
    int k = 0;
    if (!is_used(w, j)) continue;
    while (k < d->rows && isnan(d->x[(size_t)k * (size_t)d->cols + (size_t)j])) k++;
    if (k == d->rows)
      return complain(CODE_FILE, "%s:%d: column %d (%s) has no number, here and in all rows below",
                      w->s->opt->data, d->line[0], j + 1, d->names[j]);
  }
  return CODE_DONE;
}

// Read the unknowns of --estimate, "name=sigma:walk".
static int read_unknowns(watch* w) {
  session* s = w->s;
  for (int i = 0; i < s->opt->nestimate; i++) {
    const char *text = s->opt->estimate[i], *equals = strchr(text, '=');
    char *name = format_text("%.*s", (int)(equals - text), text), *end;
    if (!name) return complain(CODE_NUMERICS, "out of memory");
    w->names[i] = name;

    // an input or a parameter, with its deviations
    td_unknown* u = &w->unknown[w->np++];
    u->sigma = strtod(equals + 1, &end);
    u->walk = strtod(end + 1, NULL);
    u->index = td_model_input_find(s->model, name);
    if (u->index < 0) {
      u->is_param = true;
      u->index = td_model_param_find(s->model, name);
    } else {
      w->input[u->index] = -1;
    }
    if (u->index < 0) {
      const char** names = calloc((size_t)(s->n.nu + s->n.nparam) + 1, sizeof *names);
      int n = 0;
      for (int k = 0; names && k < s->n.nu; k++) names[n++] = td_model_input_name(s->model, k);
      for (int k = 0; names && k < s->n.nparam; k++) names[n++] = td_model_param_name(s->model, k);
      const char* meant = names ? td_nearest(name, names, n) : NULL;
      free(names);
      return complain(CODE_USE, "--estimate %s: the model has no input or param of that name%s%s%s",
                      name, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    }
    w->truth[i] = table_find(&w->data, name);
  }
  return CODE_DONE;
}

// Allocate columns and unknowns.  False: no memory.
static bool allocate(watch* w) {
  const session* s = w->s;
  const size_t ny = (size_t)s->n.nsensor, nu = (size_t)s->n.nu, np = (size_t)s->opt->nestimate;
  w->sensor = calloc(ny + nu + np + 1, sizeof(int));
  w->unknown = calloc(np + 1, sizeof *w->unknown);
  w->names = calloc(np + 1, sizeof *w->names);
  if (!w->sensor || !w->unknown || !w->names) return false;
  w->input = w->sensor + ny;
  w->truth = w->input + nu;
  return true;
}

static void release(watch* w) {
  for (int i = 0; w->names && i < w->np; i++) free(w->names[i]);
  td_observer_free(w->observer);
  table_free(&w->data);
  free(w->names);
  free(w->unknown);
  free(w->sensor);
  free(w->out);
  free(w->sigma);
}

// ---- estimating -------------------------------------------------------------------------------

// Show progress inside the step to a row, as part of the whole.
static bool show_step(void* user, double fraction, const char* what) {
  watch* w = user;
  (void)what;
  return progress_show(&w->s->progress, (w->rows + fraction) / w->data.rows, "observe");
}

static const double* data_row(const watch* w, int k) {
  return w->data.x + (size_t)k * (size_t)w->data.cols;
}

// Set the known inputs of row k; those that it does not give stay.
static void inputs_of(const watch* w, int k, double* u) {
  for (int i = 0; i < w->s->n.nu; i++) {
    const double x = w->input[i] >= 0 ? data_row(w, k)[w->input[i]] : NAN;
    if (!isnan(x)) u[i] = x;
  }
}

// Start the observer at the first row, and allocate the records.
static int start(watch* w) {
  session* s = w->s;
  inputs_of(w, 0, s->state->u);
  s->state->t = data_row(w, 0)[w->time];
  if (s->opt->from_rest) {
    const int code = equil_step(s);
    if (code) return code;
    td_state_copy(s->model, s->rest, s->state);
  }

  // options of the filter and of its simulation
  td_observe_options o = td_observe_options_default();
  o.filter = s->opt->filter;
  if (!isnan(s->opt->sigma_q)) o.sigma_q = s->opt->sigma_q, o.sigma_v = s->opt->sigma_v;
  if (!isnan(s->opt->drift)) o.drift = s->opt->drift;
  o.unknown = w->unknown;
  o.nunknown = w->np;
  td_sim_options sim = sim_options(s);
  sim.progress = show_step;
  sim.user = w;
  o.sim = &sim;
  const td_status status = td_observer_new(s->model, s->work, s->state, &o, &w->observer);
  if (status != TD_OK) return session_failed(s, status, "observer");

  // a record: t, nis, n, estimated sensors, q, v, then value and deviation of each unknown,
  // innovation and deviation of each sensor, and the deviations of the error
  const td_sizes* n = &s->n;
  const int N = td_observer_size(w->observer);
  w->stride = 3 + n->nsensor + n->nq + n->nv + 2 * w->np + 2 * n->nsensor + N;
  w->out = calloc((size_t)w->data.rows * (size_t)w->stride + 1, sizeof(double));
  w->sigma = calloc((size_t)(N + 3 * n->nsensor + n->nu) + 1, sizeof(double));
  if (!w->out || !w->sigma) return complain(CODE_NUMERICS, "out of memory");
  w->y = w->sigma + N;
  w->e = w->y + n->nsensor;
  w->se = w->e + n->nsensor;
  w->u = w->se + n->nsensor;
  return CODE_DONE;
}

// Write the record of the present estimate.
static td_status keep(watch* w, double* row) {
  session* s = w->s;
  const td_state* x = td_observer_state(w->observer);
  int n;
  *row++ = x->t;
  *row = td_observer_innovation(w->observer, w->e, w->se, &n);
  w->nis += *row++;
  w->measured += n;
  *row++ = n;

  // estimated sensors and state
  const bool known = s->n.nsensor == 0 || sensors_at(s, x, row);
  row += s->n.nsensor;
  for (int i = 0; i < s->n.nq; i++) *row++ = x->q[i];
  for (int i = 0; i < s->n.nv; i++) *row++ = x->v[i];

  // unknowns, innovations and deviations
  td_observer_covariance(w->observer, NULL, w->sigma);
  const int N = td_observer_size(w->observer);
  for (int i = 0; i < w->np; i++) {
    *row++ = td_observer_unknown(w->observer, i);
    *row++ = w->sigma[N - w->np + i];
  }
  for (int i = 0; i < s->n.nsensor; i++) *row++ = w->e[i], *row++ = w->se[i];
  for (int i = 0; i < N; i++) *row++ = w->sigma[i];
  return known ? TD_OK : TD_E_SINGULAR;
}

// Take the observer through all rows; a stop keeps the records so far.
static int run(watch* w) {
  session* s = w->s;
  memcpy(w->u, s->state->u, sizeof(double) * (size_t)s->n.nu);
  const double begin = seconds();
  int code = CODE_DONE;
  for (int k = 0; k < w->data.rows && code == CODE_DONE; k++) {
    const double* row = data_row(w, k);
    for (int i = 0; i < s->n.nsensor; i++) w->y[i] = w->sensor[i] >= 0 ? row[w->sensor[i]] : NAN;

    // predict, correct, record
    td_status status = td_observer_step(w->observer, row[w->time], w->u, w->y);
    if (status == TD_OK) status = keep(w, w->out + (size_t)k * (size_t)w->stride);
    if (status == TD_OK) {
      w->rows = k + 1;
      inputs_of(w, k, w->u);
      if (!show_step(w, 0, "")) status = w->rows < w->data.rows ? TD_E_STOPPED : TD_OK;
    } else if (status != TD_E_STOPPED) {
      complain(0, "%s:%d: at t = %g s", s->opt->data, w->data.line[k], row[w->time]);
      return session_failed(s, status, "observe");
    }

    // a stop keeps the records so far
    if (status == TD_E_STOPPED) {
      s->partial = true;
      progress_clear(&s->progress);
      code = complain(CODE_NUMERICS, "observe: stopped on request before row %d of %d (t = %g s)",
                      w->rows + 1, w->data.rows, data_row(w, w->rows)[w->time]);
    }
  }
  progress_clear(&s->progress);
  s->timings[TIME_SIMULATE] = seconds() - begin;
  return code;
}

// ---- results ----------------------------------------------------------------------------------

// Fit of an estimate to its column of the data: R² = 1 - Σ (x - y)² / Σ (y - mean)², and the
// squared correlation, which ignores scale and offset
static void fit(const watch* w, int i, double* r2, double* correlation2) {
  const int at = 3 + w->s->n.nsensor + w->s->n.nq + w->s->n.nv + 2 * i;
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, ee = 0;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < w->rows; k++) {
      const double x = w->out[(size_t)k * (size_t)w->stride + (size_t)at],
                   y = data_row(w, k)[w->truth[i]];
      if (isnan(y)) continue;
      if (pass == 0) {
        mx += x, my += y, n++;
        continue;
      }
      xx += (x - mx) * (x - mx), yy += (y - my) * (y - my), xy += (x - mx) * (y - my);
      ee += (x - y) * (x - y);
    }
    if (pass == 0 && n) mx /= n, my /= n;
  }

  // measures of fit
  *r2 = 1 - ee / yy;
  *correlation2 = xy * xy / (xx * yy);
}

// Report whether the data have an effect on an unknown: its deviation is less than the start and
// its random walk alone would leave.
static bool is_seen(const watch* w, int i) {
  const double* last = w->out + (size_t)(w->rows - 1) * (size_t)w->stride;
  const double sigma = last[3 + w->s->n.nsensor + w->s->n.nq + w->s->n.nv + 2 * i + 1];
  const td_unknown* u = &w->unknown[i];
  const double blind = sqrt(u->sigma * u->sigma + u->walk * u->walk * (last[0] - w->out[0]));
  return sigma < (1 - 1e-6) * blind;
}

// Add a reason to the verdict.
static void blame(watch* w, td_verdict verdict, char* reason) {
  const size_t used = strlen(w->reasons);
  if (verdict > w->verdict) w->verdict = verdict;
  if (reason)
    snprintf(w->reasons + used, sizeof w->reasons - used, "%s%s", used ? "\n" : "", reason);
  free(reason);
}

// Judge the estimate.  Innovations divided by their deviations are normally distributed where
// model, noise and data agree.  The usual size of one sensor's innovations, by their median, which
// single samples do not move, tells whether the sensor as a whole fits; a sample far beyond that is
// an outlier: of a million correct ones none is six deviations off.
static bool judge_estimate(watch* w) {
  static const double median_of_normal = 0.6745, large = 3, wrong = 10, small = 0.1, far = 6;
  enum { ENOUGH = 20 };
  const session* s = w->s;
  double* size = malloc(((size_t)w->rows + 1) * sizeof *size);
  if (!size) return false;
  for (int i = 0; i < s->n.nsensor; i++) {
    const int at = 3 + s->n.nsensor + s->n.nq + s->n.nv + 2 * w->np + 2 * i;
    const char* name = td_model_sensor_name(s->model, i);
    int n = 0, first = -1, more = 0;
    for (int k = 0; k < w->rows; k++) {
      const double* row = w->out + (size_t)k * (size_t)w->stride + at;
      if (!isnan(row[0])) size[n++] = fabs(row[0] / row[1]);
    }
    if (n == 0) continue;
    qsort(size, (size_t)n, sizeof *size, ascending);
    const double usual = size[(n - 1) / 2] / median_of_normal;
    if (usual > large)
      blame(w, usual > wrong ? TD_TRUST_WRONG : TD_TRUST_LOOK,
            format_text("column %d (%s): measurements are off by %.2g times what noise and model "
                        "allow; are its unit, sign and zero those of the model, and sensor.noise?",
                        w->sensor[i] + 1, name, usual));
    else if (usual < small && n >= ENOUGH)
      blame(w, TD_TRUST_LOOK,
            format_text("column %d (%s): measurements are off by %.2g times what noise and model "
                        "allow only; are sensor.noise, --drift and the times (s) as they should?",
                        w->sensor[i] + 1, name, usual));

    // outliers: name the first, count the others
    for (int k = 0; k < w->rows; k++) {
      const double* row = w->out + (size_t)k * (size_t)w->stride + at;
      if (isnan(row[0]) || !(fabs(row[0] / row[1]) > far * fmax(usual, 1))) continue;
      if (first < 0)
        first = k;
      else
        more++;
    }
    if (first < 0) continue;
    const double *row = w->out + (size_t)first * (size_t)w->stride + at,
                 y = data_row(w, first)[w->sensor[i]];
    char others[40] = "";
    if (more > 0) snprintf(others, sizeof others, " (and %d rows later)", more);
    blame(
        w, TD_TRUST_LOOK,
        format_text("%s:%d: %s is %.6g, expected was %.6g ± %.2g: an outlier, or a start far off "
                    "(--sigma)?%s",
                    s->opt->data, w->data.line[first], name, y, y - row[0], 1.96 * row[1], others));
  }

  // unknowns without an effect, or far from the data
  for (int i = 0; i < w->np; i++) {
    double r2 = 1, correlation2;
    if (w->truth[i] >= 0) fit(w, i, &r2, &correlation2);
    if (!is_seen(w, i))
      blame(w, TD_TRUST_LOOK,
            format_text("%s is not estimated: it makes no difference to what was measured",
                        w->names[i]));
    else if (r2 < 0)
      blame(w, TD_TRUST_LOOK,
            format_text("%s is further from column %d than that column's mean is (R² %.2g)",
                        w->names[i], w->truth[i] + 1, r2));
  }
  free(size);
  return true;
}

// JSON of the unknowns: last estimate with its deviation, whether the sensors determine it, and
// where the data have its true values the fit to them.
static cJSON* unknowns_json(const watch* w) {
  cJSON* list = cJSON_CreateArray();
  const double* last = w->out + (size_t)(w->rows - 1) * (size_t)w->stride + 3 + w->s->n.nsensor +
                       w->s->n.nq + w->s->n.nv;
  for (int i = 0; i < w->np; i++) {
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", w->names[i]);
    json_add_number(o, "value", last[2 * i]);
    json_add_number(o, "sigma", last[2 * i + 1]);
    cJSON_AddBoolToObject(o, "seen", is_seen(w, i));
    if (w->truth[i] >= 0) {
      double r2, correlation2;
      fit(w, i, &r2, &correlation2);
      json_add_number(o, "R2", r2);
      json_add_number(o, "correlation2", correlation2);
    }
    cJSON_AddItemToArray(list, o);
  }
  return list;
}

// Innovations divided by their deviation: mean, rms, and fraction inside the 95 % band
static cJSON* sensors_json_of(const watch* w) {
  cJSON* list = cJSON_CreateArray();
  const session* s = w->s;
  for (int i = 0; i < s->n.nsensor; i++) {
    const int at = 3 + s->n.nsensor + s->n.nq + s->n.nv + 2 * w->np + 2 * i;
    double sum = 0, square = 0;
    int n = 0, inside = 0;
    for (int k = 0; k < w->rows; k++) {
      const double* row = w->out + (size_t)k * (size_t)w->stride + at;
      if (isnan(row[0])) continue;
      const double z = row[0] / row[1];
      sum += z, square += z * z, inside += fabs(z) <= 1.96, n++;
    }
    if (n == 0) continue;
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", td_model_sensor_name(s->model, i));
    json_add_number(o, "measurements", n);
    json_add_number(o, "mean", sum / n);
    json_add_number(o, "rms", sqrt(square / n));
    json_add_number(o, "inside_95", (double)inside / n);
    cJSON_AddItemToArray(list, o);
  }
  return list;
}

// Innovations, unknowns and verdict
static cJSON* observe_json(const watch* w) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "filter", w->s->opt->filter == TD_UKF ? "ukf" : "ekf");
  json_add_number(o, "rows", w->rows);
  cJSON_AddBoolToObject(o, "partial", w->s->partial);
  json_add_number(o, "nis_per_number", w->measured ? w->nis / (double)w->measured : NAN);
  json_add(o, "innovations", sensors_json_of(w));
  json_add(o, "unknowns", unknowns_json(w));
  json_add(o, "trust", trust_json(w->verdict, w->reasons));
  return o;
}

// Print the estimates of the unknowns.
static void say_results(const watch* w) {
  const session* s = w->s;
  say_heading(s, "Observation");
  say(s, "  %d rows in %.3g s; normalised squares of innovations: mean %.3g (1: as expected)\n",
      w->rows, s->timings[TIME_SIMULATE], w->measured ? w->nis / (double)w->measured : NAN);
  for (int i = 0; i < w->np; i++) {
    const double* last = w->out + (size_t)(w->rows - 1) * (size_t)w->stride + 3 + s->n.nsensor +
                         s->n.nq + s->n.nv + 2 * i;
    say(s, "  %-12s %.6g ± %.2g at the end", w->names[i], last[0], 1.96 * last[1]);
    if (!is_seen(w, i)) say(s, "; NOT estimated: it makes no difference to what was measured");
    if (w->truth[i] >= 0) {
      double r2, correlation2;
      fit(w, i, &r2, &correlation2);
      say(s, "; against the data: R² %.3f, correlation² %.3f", r2, correlation2);
    }
    say(s, "\n");
  }
}

// Add a column named stem + ending.
static void add(td_columns* c, const char* stem, const char* ending, const watch* w, int at) {
  char* name = format_text("%s%s", stem, ending);
  td_columns_add(c, name, "", w->rows, w->stride, w->out + at);
  free(name);
}

// Write observe.csv.
static td_status write_csv(watch* w) {
  session* s = w->s;
  td_columns* c = td_columns_new();
  if (!c) return TD_E_NOMEM;
  int at = 3 + s->n.nsensor + s->n.nq + s->n.nv;
  td_columns_add(c, "t", "s", w->rows, w->stride, w->out);
  td_columns_add_state(c, s->spec, s->model, w->rows, w->stride, w->out + 3, true);

  // unknowns
  for (int i = 0; i < w->np; i++, at += 2) {
    add(c, w->names[i], w->unknown[i].is_param ? "" : "_estimate", w, at);
    add(c, w->names[i], "_sigma", w, at + 1);
  }

  // innovations
  for (int i = 0; i < s->n.nsensor; i++, at += 2) {
    if (w->sensor[i] < 0) continue;
    add(c, td_model_sensor_name(s->model, i), "_innovation", w, at);
    add(c, td_model_sensor_name(s->model, i), "_innovation_sigma", w, at + 1);
  }

  // deviations of positions and velocities
  const int N = td_observer_size(w->observer), nf = (N - w->np) / 2;
  char name[40];
  for (int i = 0; i < 2 * nf; i++, at++) {
    snprintf(name, sizeof name, "%s%d_sigma", i < nf ? "dq" : "dv", 1 + i % nf);
    td_columns_add(c, name, "", w->rows, w->stride, w->out + at);
  }

  // normalised innovation squared, and of how many numbers
  td_columns_add(c, "nis", "", w->rows, w->stride, w->out + 1);
  td_columns_add(c, "nis_n", "", w->rows, w->stride, w->out + 2);
  const td_status status = td_columns_csv(c, s->files, "observe.csv");
  td_columns_free(c);
  return status;
}

// Check the data, estimate, judge, print and write.
static int observe(watch* w) {
  session* s = w->s;
  if (!s->opt->data) return complain(CODE_USE, "which measurements? give --data FILE");
  int code = session_output(s);
  if (code == CODE_DONE && !allocate(w)) code = complain(CODE_NUMERICS, "out of memory");
  if (code == CODE_DONE) code = table_read(s->opt->data, &w->data);
  if (code == CODE_DONE) code = find_columns(w);
  if (code == CODE_DONE) code = read_unknowns(w);
  if (code == CODE_DONE) code = judge_times(w);
  if (code == CODE_DONE) code = judge_columns(w);
  if (code == CODE_DONE) code = judge_numbers(w);
  if (code == CODE_DONE) code = start(w);
  if (code == CODE_DONE) code = run(w);
  if (code && !(s->partial && w->rows > 1)) return code;

  // estimates before a stop are kept, marked as partial
  if (!judge_estimate(w)) return complain(CODE_NUMERICS, "out of memory");
  say_results(w);
  say_trust(s, w->verdict, w->reasons);
  if (code == CODE_DONE && w->verdict == TD_TRUST_WRONG) code = CODE_NUMERICS;
  td_status status = write_csv(w);
  if (status == TD_OK) status = session_write_json(s, "observe.json", observe_json(w));
  int written = session_wrote(s, status);
  if (written == CODE_DONE) written = session_commit(s, NULL, NULL);
  if (written == CODE_DONE && s->opt->json) json_print(observe_json(w));
  return written ? written : code;
}

// Estimate the motion of a model from recorded data.
int cmd_observe(const options* opt) {
  session s = {0};
  watch w = {.s = &s};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = observe(&w);
  release(&w);
  session_close(&s);
  return code;
}
