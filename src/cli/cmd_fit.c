// tendril fit: params of a model from recordings of the robot; fit.json, fit.csv, NAME_fit.m and a
// page.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// A fit of the command line: its options resolved against the model, and its result.
typedef struct job {
  session* s;
  td_recordings* recordings;
  int* param;
  int n;
  bool* use;
  td_fit_result* fit;
} job;

// ---- the request ------------------------------------------------------------------------

// Take the next name off a list separated by commas: returns its length, and *list is what
// follows.
static int next_name(const char** list, const char** name) {
  *name = *list;
  const int n = (int)strcspn(*list, ",");
  *list += n + ((*list)[n] == ',');
  return n;
}

// Complain about a param that --by names and the model does not have, or cannot change.
static int refuse_param(const session* s, const char* name) {
  const char** known = calloc((size_t)s->n.nparam + 1, sizeof *known);
  if (!known) return complain(CODE_NUMERICS, "out of memory");
  for (int i = 0; i < s->n.nparam; i++) known[i] = td_model_param_name(s->model, i);
  const char* meant = td_nearest(name, known, s->n.nparam);
  const bool is_input = td_model_input_find(s->model, name) >= 0;
  const char *other, *text;
  double value;
  int code = CODE_DONE;
  for (int i = 0; td_spec_param_about(s->spec, i, &other, &value, &text) && !code; i++)
    if (strcmp(other, name) == 0)
      code = complain(CODE_MODEL, "--by %s: this param is %s and cannot be found", name,
                      text ? "a text" : "used while loading");
  if (!code && is_input)
    code =
        complain(CODE_MODEL,
                 "--by %s: this is an input, which recordings give; to find what is added to it, "
                 "write %s + param('%s_offset', 0) where it is used",
                 name, name, name);
  if (!code)
    code = complain(CODE_MODEL, "--by %s: the model has no param of that name%s%s%s", name,
                    meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
  free(known);
  return code;
}

// Read the names of --by.
static int read_by(job* j) {
  session* s = j->s;
  if (!s->opt->by) {
    char names[400] = "";
    for (int i = 0; i < s->n.nparam && i < 20; i++)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
               td_model_param_name(s->model, i));
    return complain(CODE_USE, "which params? give --by NAMES; the model has %s",
                    s->n.nparam ? names : "none");
  }
  j->param = calloc(strlen(s->opt->by) + 2, sizeof *j->param);
  if (!j->param) return complain(CODE_NUMERICS, "out of memory");
  for (const char *list = s->opt->by, *at; *list;) {
    const int n = next_name(&list, &at);
    char* name = format_text("%.*s", n, at);
    if (!name) return complain(CODE_NUMERICS, "out of memory");
    const int k = td_model_param_find(s->model, name);
    const int code = k < 0 ? refuse_param(s, name) : CODE_DONE;
    free(name);
    if (code) return code;
    j->param[j->n++] = k;
  }
  return j->n ? CODE_DONE : complain(CODE_USE, "--by must name params");
}

// Read the names or numbers of --on.
static int read_on(job* j) {
  const int count = td_recordings_count(j->recordings);
  if (!j->s->opt->on) return CODE_DONE;
  j->use = calloc((size_t)count + 1, sizeof *j->use);
  const char** known = calloc((size_t)count + 1, sizeof *known);
  if (!j->use || !known) {
    free(known);
    return complain(CODE_NUMERICS, "out of memory");
  }
  for (int k = 0; k < count; k++) known[k] = td_recordings_name(j->recordings, k);

  // mark each recording of the list, found by its name or else by its number
  int code = CODE_DONE;
  for (const char *list = j->s->opt->on, *at; *list && !code;) {
    const int n = next_name(&list, &at);
    char* name = format_text("%.*s", n, at);
    int found = -1;
    for (int k = 0; name && k < count; k++)
      if (strcmp(known[k], name) == 0) found = k;
    const long number = name ? strtol(name, NULL, 10) : 0;
    if (found < 0 && number >= 1 && number <= count) found = (int)number - 1;
    if (found >= 0) {
      j->use[found] = true;
    } else {
      const char* meant = name ? td_nearest(name, known, count) : NULL;
      code = complain(CODE_MODEL, "--on %s: the model has no recording of that name%s%s%s",
                      name ? name : "", meant ? "; did you mean '" : "", meant ? meant : "",
                      meant ? "'?" : "");
    }
    free(name);
  }
  free(known);
  return code;
}

// ---- results ----------------------------------------------------------------------------------

// Combinations of parameters that the measurements do not determine, each as {name: component}.
static cJSON* unseen_json(const job* j) {
  cJSON* list = cJSON_CreateArray();
  const td_fit_result* f = j->fit;
  for (int i = 0; i < f->unseen; i++) {
    cJSON *o = cJSON_CreateObject(), *direction = cJSON_CreateObject();
    for (int k = 0; k < f->n; k++)
      if (fabs(f->direction[i * f->n + k]) >= 0.05)
        json_add_number(direction, td_model_param_name(j->s->model, f->param[k]),
                        f->direction[i * f->n + k]);
    json_add(o, "direction", direction);
    json_add_number(o, "uncertainty", f->uncertainty[i]);
    cJSON_AddItemToArray(list, o);
  }
  return list;
}

// The content of fit.json.
static cJSON* fit_json(const job* j) {
  const td_fit_result* f = j->fit;
  const td_model* m = j->s->model;
  cJSON *o = cJSON_CreateObject(), *parameters = cJSON_AddObjectToObject(o, "parameters");
  for (int i = 0; i < f->n; i++) {
    cJSON* p = cJSON_AddObjectToObject(parameters, td_model_param_name(m, f->param[i]));
    json_add_number(p, "value", f->value[i]);
    json_add_number(p, "low", f->low[i]);
    json_add_number(p, "high", f->high[i]);
    json_add_number(p, "deviation", f->deviation[i]);
    json_add_number(p, "start", f->first[i]);
    cJSON_AddStringToObject(p, "unit", "");
    if (f->at_bound[i]) cJSON_AddStringToObject(p, "at_bound", f->at_bound[i] < 0 ? "low" : "high");
  }
  json_add(o, "correlation", json_matrix(f->correlation, f->n, f->n));
  json_add(o, "covariance", json_matrix(f->covariance, f->n, f->n));
  json_add_number(o, "rms", f->rms);
  cJSON_AddStringToObject(o, "rms_unit", f->rms_unit);
  json_add_number(o, "rms_at_start", f->first_rms);
  cJSON* groups = cJSON_AddObjectToObject(o, "rms_by_sensor");
  for (int i = 0; i < f->groups; i++) json_add_number(groups, f->group_name[i], f->group_rms[i]);
  json_add_number(o, "residuals", f->residuals);
  json_add_number(o, "dof", f->dof);
  json_add_number(o, "aicc", f->aicc);
  json_add_number(o, "bic", f->bic);
  json_add(o, "unseen", unseen_json(j));

  // recordings
  cJSON* recordings = cJSON_AddObjectToObject(o, "recordings");
  for (int k = 0; k < f->recordings; k++) {
    cJSON* r = cJSON_AddObjectToObject(recordings, td_recordings_name(j->recordings, k));
    cJSON_AddBoolToObject(r, "fitted", f->fitted[k]);
    json_add_number(r, "rms", f->recording_rms[k]);
  }
  cJSON* left = cJSON_AddObjectToObject(o, "left_out");
  for (int k = 0; k < f->recordings; k++) {
    if (isnan(f->left_out_rms[k])) continue;
    cJSON* r = cJSON_AddObjectToObject(left, td_recordings_name(j->recordings, k));
    json_add_number(r, "rms", f->left_out_rms[k]);
    cJSON* values = cJSON_AddObjectToObject(r, "parameters");
    for (int i = 0; i < f->n; i++)
      json_add_number(values, td_model_param_name(m, f->param[i]), f->left_out_value[k * f->n + i]);
  }
  if (!isnan(f->left_out_row_rms)) json_add_number(left, "rows", f->left_out_row_rms);

  // further parameters
  cJSON* worth = cJSON_AddArrayToObject(o, "further");
  for (int i = 0; i < f->held; i++) {
    cJSON* h = cJSON_CreateObject();
    cJSON_AddStringToObject(h, "name", td_model_param_name(m, f->held_param[i]));
    json_add_number(h, "value", f->held_value[i]);
    json_add_number(h, "deviation", f->held_deviation[i]);
    json_add_number(h, "bic_change", f->held_gain[i]);
    cJSON_AddItemToArray(worth, h);
  }
  cJSON_AddBoolToObject(o, "converged", f->converged);
  json_add_number(o, "starts", f->starts);
  json_add_number(o, "best_starts", f->best_starts);
  json_add_number(o, "evaluations", f->evaluations);
  cJSON* notes = cJSON_AddArrayToObject(o, "notes");
  for (const char* line = f->notes; *line;) {
    const int n = (int)strcspn(line, "\n");
    char* text = format_text("%.*s", n, line);
    cJSON_AddItemToArray(notes, cJSON_CreateString(text ? text : ""));
    free(text);
    line += n + (line[n] == '\n');
  }
  return o;
}

// Print values with intervals, errors, correlations, parameters worth freeing, and notes.
static void say_fit(const job* j) {
  const session* s = j->s;
  const td_fit_result* f = j->fit;
  say_heading(s, "Fit");
  say(s, "  %-12s %12s %12s %27s\n", "param", "start", "value", "95 % interval");
  for (int i = 0; i < f->n; i++)
    say(s, "  %-12s %12.6g %12.6g   %12.6g to %-12.6g%s\n",
        td_model_param_name(s->model, f->param[i]), f->first[i], f->value[i], f->low[i], f->high[i],
        f->at_bound[i] < 0   ? " at the low end of its range"
        : f->at_bound[i] > 0 ? " at the high end of its range"
                             : "");
  say(s, "  error (rms) %.4g %s, %.4g at the start; %d measurements, %d degrees of freedom\n",
      f->rms, f->rms_unit, f->first_rms, f->residuals, f->dof);
  for (int i = 0; i < f->groups; i++)
    say(s, "%s%s %.4g", i % 6 == 0 ? (i ? "\n    " : "    ") : ", ", f->group_name[i],
        f->group_rms[i]);
  say(s, "\n");

  // recordings
  if (f->recordings > 1) {
    say_heading(s, "Recordings");
    for (int k = 0; k < f->recordings; k++) {
      say(s, "  %-12s %s, rms %.4g %s", td_recordings_name(j->recordings, k),
          f->fitted[k] ? "fitted   " : "predicted", f->recording_rms[k], f->rms_unit);
      if (!isnan(f->left_out_rms[k])) say(s, "; %.4g by a fit without it", f->left_out_rms[k]);
      say(s, "\n");
    }
  }
  if (!isnan(f->left_out_row_rms))
    say(s, "  rows predicted by fits without them: rms %.4g %s\n", f->left_out_row_rms,
        f->rms_unit);

  // correlations
  if (f->n > 1) {
    say_heading(s, "Correlation");
    for (int a = 0; a < f->n; a++) {
      say(s, "  %-12s", td_model_param_name(s->model, f->param[a]));
      for (int b = 0; b < f->n; b++) say(s, " %6.2f", f->correlation[a * f->n + b]);
      say(s, "\n");
    }
  }

  // further parameters that would lower the information criterion
  int shown = 0;
  for (int i = 0; i < f->held && f->held_gain[i] < -2 && shown < 8; i++, shown++) {
    if (shown == 0) say_heading(s, "Worth freeing, each by itself (change of BIC)");
    say(s, "  %-12s %8.1f, towards %.4g ± %.2g\n", td_model_param_name(s->model, f->held_param[i]),
        f->held_gain[i], f->held_value[i], f->held_deviation[i]);
  }
  if (f->starts > 1) say(s, "\n  %d of %d starts ended here\n", f->best_starts, f->starts);
  for (const char* line = f->notes; *line;) {
    const int n = (int)strcspn(line, "\n");
    say(s, "%s  note: %.*s\n", line == f->notes ? "\n" : "", n, line);
    line += n + (line[n] == '\n');
  }
}

// Write fit.csv: one line for each measurement.
static td_status write_csv(const job* j) {
  const td_fit_result* f = j->fit;
  const size_t n = (size_t)f->residuals_all;
  const char** words = calloc(2 * n + 1, sizeof *words);
  double* numbers = calloc(2 * n + 1, sizeof *numbers);
  td_columns* c = td_columns_new();
  td_status status = words && numbers && c ? TD_OK : TD_E_NOMEM;

  // columns that the result has not as arrays: names, row numbers from 1, errors
  for (size_t i = 0; status == TD_OK && i < n; i++) {
    words[i] = td_recordings_name(j->recordings, f->res_recording[i]);
    words[n + i] = td_model_sensor_name(j->s->model, f->res_sensor[i]);
    numbers[i] = f->res_row[i] + 1;
    numbers[n + i] = f->res_model[i] - f->res_data[i];
  }

  // the table
  if (status == TD_OK) {
    const int rows = f->residuals_all;
    td_columns_add_words(c, "recording", rows, words);
    td_columns_add(c, "row", "", rows, 1, numbers);
    td_columns_add(c, "t", "s", rows, 1, f->res_t);
    td_columns_add_words(c, "sensor", rows, words + n);
    td_columns_add(c, "data", "", rows, 1, f->res_data);
    td_columns_add(c, "model", "", rows, 1, f->res_model);
    td_columns_add(c, "error", "", rows, 1, numbers + n);
    td_columns_add(c, "weighted", "", rows, 1, f->res_weighted);
    status = td_columns_csv(c, j->s->files, "fit.csv");
  }
  td_columns_free(c);
  free(words);
  free(numbers);
  return status;
}

// Write NAME_fit.m, the text with the values found as defaults.
static td_status write_model(const job* j) {
  const session* s = j->s;
  const char** names = calloc((size_t)j->n + 1, sizeof *names);
  if (!names) return TD_E_NOMEM;
  for (int i = 0; i < j->n; i++) names[i] = td_model_param_name(s->model, j->param[i]);
  char *text = NULL, message[400];
  td_status status =
      td_spec_rewrite(s->spec, names, j->fit->value, j->n, &text, message, sizeof message);
  free(names);
  const char *slash = strrchr(s->name, '/'), *base = slash ? slash + 1 : s->name;
  const size_t length = strlen(base);
  const bool has_m = length > 2 && strcmp(base + length - 2, ".m") == 0;
  char* file = format_text("%.*s_fit.m", (int)(has_m ? length - 2 : length), base);
  if (status == TD_OK) status = file ? td_files_text(s->files, file, text) : TD_E_NOMEM;
  if (status == TD_OK && *message && !s->opt->quiet) complain(0, "note: %s: %s", file, message);
  free(file);
  free(text);
  return status;
}

// Write all files.
static int write_all(job* j) {
  session* s = j->s;
  td_status status = session_write_json(s, "fit.json", fit_json(j));
  if (status == TD_OK) status = write_csv(j);
  if (status == TD_OK) status = write_model(j);
  if (status == TD_OK && !s->opt->no_report)
    status = td_fit_page(s->files, "report.html", s->model, j->recordings, j->fit, s->name);
  const int code = session_wrote(s, status);
  return code ? code : session_commit(s, NULL, NULL);
}

// Read recordings, fit, print and write.
static int run(session* s) {
  job j = {.s = s};
  char message[4000];

  // the params to find, and the recordings
  int code = read_by(&j);
  if (code == CODE_DONE) {
    const td_status status =
        td_recordings_read(s->spec, s->model, &j.recordings, message, sizeof message);
    if (status != TD_OK) {
      fputs(message, stderr);
      if (!*message) complain(0, "recordings: %s", td_status_text(status));
      code = code_of(status);
    } else if (td_recordings_count(j.recordings) == 0) {
      code = complain(CODE_MODEL,
                      "the model has no recordings: write fit(1).data = 'FILE.csv' and "
                      "fit(1).sensor = {'sensor', 'column'}, see 'docs/fit.md'");
    }
  }
  if (code == CODE_DONE) code = read_on(&j);
  if (code == CODE_DONE) code = session_output(s);

  // the fit; a result that did not converge is shown and written as well
  if (code == CODE_DONE) {
    td_fit_options o = td_fit_options_default();
    o.param = j.param;
    o.nparam = j.n;
    o.use = j.use;
    if (s->opt->starts) o.starts = s->opt->starts;
    if (s->opt->fit_seed) o.seed = (unsigned)s->opt->fit_seed;
    o.leave_out = s->opt->leave_out;
    o.progress = progress_show;
    o.user = &s->progress;
    const double begin = seconds();
    const td_status status = td_fit_params(s->model, s->work, j.recordings, &o, &j.fit);
    s->timings[TIME_SIMULATE] = seconds() - begin;
    progress_clear(&s->progress);
    if (status == TD_E_MODEL)
      code = complain(CODE_MODEL, "fit: %s", td_work_failure(s->work));
    else if (status != TD_OK)
      code = session_failed(s, status, "fit");
    if (j.fit) {
      say_fit(&j);
      say(s, "\n  %.3g s, %d evaluations of all recordings\n", s->timings[TIME_SIMULATE],
          j.fit->evaluations);
      s->partial = code != CODE_DONE;
      const int wrote = write_all(&j);
      if (code == CODE_DONE) code = wrote;
      if (s->opt->json && wrote == CODE_DONE) json_print(fit_json(&j));
    }
  }
  td_fit_free(j.fit);
  td_recordings_free(j.recordings);
  free(j.param);
  free(j.use);
  return code;
}

int cmd_fit(const options* opt) { return session_run(opt, run); }
