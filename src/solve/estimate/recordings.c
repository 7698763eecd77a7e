// Recordings for identification: taken from the caller's arrays, or from fit(k) of the model text
// and the files that it names.
#include "solve/estimate/recordings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "io/sheet.h"
#include "model/fit_words.h"
#include "solve/vectors.h"
#include "tendril/tools.h"

void td_recording_fill(td_recording* out, size_t size) {
  const td_recording own = {.size = size};
  struct_into(out, size, &own, sizeof own);
}

// ---- the set ----------------------------------------------------------------------------------

static void recording_free(recording* r) {
  free(r->name);
  free(r->t);
  free(r->inputs);
  free(r->data);
  free(r->weight);
  free(r->set_values);
  free(r->input);
  free(r->sensor);
  free(r->set);
  td_state_free(r->state);
}

void td_recordings_free(td_recordings* set) {
  if (!set) return;
  for (int k = 0; k < set->n; k++) recording_free(&set->list[k]);
  free(set->list);
  free(set->prior);
  free(set);
}

td_status td_recordings_new(const td_model* model, td_recordings** recordings) {
  if (!recordings) return TD_E_USAGE;
  *recordings = NULL;
  if (!model) return TD_E_USAGE;
  *recordings = calloc(1, sizeof **recordings);
  if (!*recordings) return TD_E_NOMEM;
  (*recordings)->model = model;
  return TD_OK;
}

int td_recordings_count(const td_recordings* set) { return set ? set->n : 0; }

const char* td_recordings_name(const td_recordings* set, int k) {
  return set && k >= 0 && k < set->n ? set->list[k].name : NULL;
}

td_status td_recordings_prior(td_recordings* set, const td_prior* prior) {
  if (!set || !prior || prior->param < 0 || prior->param >= set->model->nparam ||
      !isfinite(prior->mean) || !(prior->deviation > 0) || !isfinite(prior->deviation))
    return TD_E_USAGE;
  td_prior* grown = td_grow(set->prior, &set->prior_cap, set->nprior + 1, sizeof *grown);
  if (!grown) return TD_E_NOMEM;
  set->prior = grown;
  grown[set->nprior++] = *prior;
  return TD_OK;
}

// ---- checking ---------------------------------------------------------------------------------

static td_status refuse(char* message, size_t size, const char* format, ...) TD_PRINTF(3, 4);
static td_status refuse(char* message, size_t size, const char* format, ...) {
  va_list args;
  va_start(args, format);
  if (message && size > 0) vsnprintf(message, size, format, args);
  va_end(args);
  return TD_E_USAGE;
}

// Is i an input (i >= 0) or a parameter (-1 - i) that may have a value of its own?
static bool drive_exists(const td_model* m, int i) {
  return i >= 0 ? i < m->ninput : -1 - i < m->nparam && !m->param[-1 - i].structural;
}

static const char* drive_name(const td_model* m, int i) {
  return i >= 0 ? td_model_input_name(m, i) : td_model_param_name(m, -1 - i);
}

// May an input or a parameter have this value?
static bool drive_admits(const td_model* m, int i, double x) {
  return model_admits(m, i >= 0 ? &m->input[i] : &m->param[-1 - i], x);
}

// Check the numbers of a recording against the model.
static td_status check(const td_model* m, const td_recording* r, const char* name, char* message,
                       size_t size) {
  if (r->rows < 1 || r->nsensor < 1 || r->ninput < 0 || r->nset < 0 || !r->sensor || !r->data ||
      (r->ninput > 0 && (!r->input || !r->inputs)) || (r->motion && !r->t) ||
      (r->nset > 0 && (!r->set || !r->set_values)))
    return refuse(message, size, "recording %s has no rows, no sensors or an array that is missing",
                  name);
  if ((unsigned)r->loss > TD_LOSS_HUBER || (unsigned)r->start > TD_FROM_STATE ||
      !isfinite(r->delay))
    return refuse(message, size, "recording %s: loss, start or delay are none that there are",
                  name);
  if (r->motion && r->start == TD_FROM_STATE && !r->state)
    return refuse(message, size, "recording %s starts at a state, which is missing", name);

  // times
  for (int k = 0; r->motion && k < r->rows; k++) {
    if (!isfinite(r->t[k]))
      return refuse(message, size, "recording %s: the time of row %d is not finite", name, k + 1);
    if (k > 0 && !(r->t[k] > r->t[k - 1]))
      return refuse(message, size,
                    "recording %s: times must ascend, but row %d at %.10g s follows %.10g s", name,
                    k + 1, r->t[k], r->t[k - 1]);
  }
  if (r->motion && r->rows < 2)
    return refuse(message, size, "recording %s: a motion needs two rows at least", name);

  // inputs
  for (int i = 0; i < r->ninput; i++) {
    const int at = r->input[i];
    if (!drive_exists(m, at) || (r->motion && at < 0))
      return refuse(message, size, "recording %s: input %d is none that it may have", name, i + 1);
    for (int k = 0; k < r->rows; k++) {
      const double x = r->inputs[area(k, r->ninput) + (size_t)i];
      if (!isfinite(x))
        return refuse(message, size, "recording %s: '%s' in row %d is not a finite number", name,
                      drive_name(m, at), k + 1);
      if (!drive_admits(m, at, x))
        return refuse(message, size, "recording %s: '%s' is %g in row %d, outside its range", name,
                      drive_name(m, at), x, k + 1);
    }
  }
  for (int i = 0; i < r->nset; i++)
    if (!drive_exists(m, r->set[i]) || !isfinite(r->set_values[i]) ||
        !drive_admits(m, r->set[i], r->set_values[i]))
      return refuse(message, size, "recording %s: value %d that is set cannot be", name, i + 1);

  // measurements
  long measured = 0;
  for (int i = 0; i < r->nsensor; i++) {
    if (r->sensor[i] < 0 || r->sensor[i] >= m->noutput_name)
      return refuse(message, size, "recording %s: the model has no sensor %d", name, r->sensor[i]);
    if (r->weight && !(r->weight[i] > 0 && isfinite(r->weight[i])))
      return refuse(message, size, "recording %s: the weight of '%s' must be positive, got %g",
                    name, td_model_sensor_name(m, r->sensor[i]), r->weight[i]);
    for (int k = 0; k < r->rows; k++) {
      const double x = r->data[area(k, r->nsensor) + (size_t)i];
      if (isinf(x))
        return refuse(message, size, "recording %s: '%s' in row %d is infinite", name,
                      td_model_sensor_name(m, r->sensor[i]), k + 1);
      measured += !isnan(x);
    }
  }
  if (measured == 0) return refuse(message, size, "recording %s: nothing was measured", name);
  return TD_OK;
}

static double* doubles(const double* from, size_t n) {
  double* to = malloc((n + 1) * sizeof *to);
  if (to && n > 0) memcpy(to, from, n * sizeof *to);
  return to;
}

static int* integers(const int* from, int n) {
  int* to = malloc(((size_t)n + 1) * sizeof *to);
  if (to && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

// Check a recording and add a copy of it.
td_status td_recordings_add(td_recordings* set, const td_recording* given, char* message,
                            size_t size) {
  if (message && size > 0) *message = 0;
  td_recording own = td_recording_default();
  if (!set || !given) return TD_E_USAGE;
  if (td_options_take(given, &own, sizeof own) != TD_OK)
    return refuse(message, size, "%s", td_options_refused);
  char number[16];
  snprintf(number, sizeof number, "%d", set->n + 1);
  const char* name = own.name && *own.name ? own.name : number;
  TD_TRY(check(set->model, &own, name, message, size));

  // the copy
  recording* grown = td_grow(set->list, &set->cap, set->n + 1, sizeof *grown);
  if (!grown) return TD_E_NOMEM;
  set->list = grown;
  recording* r = &grown[set->n];
  *r = (recording){.motion = own.motion,
                   .weighted = own.weight != NULL,
                   .rows = own.rows,
                   .ninput = own.ninput,
                   .nsensor = own.nsensor,
                   .nset = own.nset,
                   .delay = own.motion ? own.delay : 0,
                   .loss = own.loss,
                   .start = own.start};
  r->name = td_strdup(name);
  r->t =
      own.motion ? doubles(own.t, (size_t)own.rows) : calloc((size_t)own.rows + 1, sizeof(double));
  r->inputs = doubles(own.inputs, area(own.rows, own.ninput));
  r->data = doubles(own.data, area(own.rows, own.nsensor));
  r->weight = doubles(own.weight ? own.weight : own.data, (size_t)own.nsensor);
  for (int i = 0; r->weight && !own.weight && i < own.nsensor; i++) r->weight[i] = 1;
  r->set_values = doubles(own.set_values, (size_t)own.nset);
  r->input = integers(own.input, own.ninput);
  r->sensor = integers(own.sensor, own.nsensor);
  r->set = integers(own.set, own.nset);
  bool ok = r->name && r->t && r->inputs && r->data && r->weight && r->set_values && r->input &&
            r->sensor && r->set;
  td_status status = ok ? TD_OK : TD_E_NOMEM;
  if (ok && own.motion && own.start == TD_FROM_STATE) {
    r->state = td_state_new(set->model);
    status = r->state ? td_state_copy(set->model, own.state, r->state) : TD_E_NOMEM;
  }
  if (status != TD_OK) {
    recording_free(r);
    return status;
  }
  set->n++;
  return TD_OK;
}

// ---- from the text ----------------------------------------------------------------------------

// A recording of the text with its data.
typedef struct reader {
  td_spec* spec;
  const td_model* model;
  int k;  // fit(k + 1)
  fit_words words;
  td_sheet sheet;
  char* path;  // NULL: a table of the text
} reader;

// Open the file beside the text or, where it is not there, in the folder TENDRIL_DATA.
static td_status open_file(reader* r) {
  const char* name = r->words.data->s;
  const td_diags* diags = &r->spec->diags;
  const char* from = r->words.at.source >= 0 ? diags->sources[r->words.at.source].name : "";
  const char* folder = getenv("TENDRIL_DATA");
  r->path = td_file_beside(from, name);
  if (!r->path) return TD_E_NOMEM;

  // find it
  FILE* there = td_spec_may_read(r->spec, r->path) ? fopen(r->path, "rb") : NULL;
  if (there) fclose(there);
  if (!there && folder && *folder && *name != '/') {
    td_text path = {0};
    td_text_printf(&path, "%s/%s", folder, name);
    if (path.failed) return TD_E_NOMEM;
    FILE* other = fopen(path.s, "rb");
    if (other) {
      fclose(other);
      free(r->path);
      r->path = path.s;
    } else {
      td_text_free(&path);
    }
  }

  // read it, if the model may
  char why[600] = "";
  if (!td_spec_may_read(r->spec, r->path)) {
    td_error(&r->spec->diags, TD_E_IO, r->words.at,
             "fit(%d).data: '%s' is outside the model's folder and TENDRIL_DATA, and is not read",
             r->k + 1, r->path);
    td_hint(&r->spec->diags, "--allow-read, if you trust the model");
    return TD_E_IO;
  }
  const td_status status = td_sheet_read(r->path, &r->sheet, why, sizeof why);
  if (status == TD_E_IO) {
    td_error(&r->spec->diags, TD_E_IO, r->words.at, "fit(%d).data: %s", r->k + 1, why);
    if (!folder) td_hint(&r->spec->diags, "it may lie in the folder TENDRIL_DATA too");
  }
  return status;
}

// Take the columns of a structure that table() returned; each must be a vector of numbers, all of
// the same length.
static td_status open_table(reader* r) {
  const value* s = r->words.data;
  td_sheet* sheet = &r->sheet;
  if (td_value_count(s) != 1 || s->nfield == 0)
    return td_error(&r->spec->diags, TD_E_MODEL, r->words.at,
                    "fit(%d).data must be one structure with a column in each field", r->k + 1);

  // check the columns; the first one tells the number of rows
  for (int j = 0; j < s->nfield; j++) {
    const value* v = s->slots[j].v;
    const int n = v ? td_value_count(v) : 0;
    if (!v || v->kind != V_NUM || v->e || n == 0 || (j > 0 && n != sheet->rows))
      return td_error(&r->spec->diags, TD_E_MODEL, r->words.at,
                      "fit(%d).data: the field '%.60s' must be a column of numbers as long as the "
                      "others",
                      r->k + 1, s->names[j]);
    if (j > 0) continue;
    sheet->rows = n;
    sheet->cols = s->nfield;
    sheet->names = calloc((size_t)s->nfield + 1, sizeof *sheet->names);
    sheet->x = calloc(area(n, s->nfield) + 1, sizeof *sheet->x);
    sheet->word = calloc(area(n, s->nfield) + 1, sizeof *sheet->word);
    sheet->line = calloc((size_t)n + 1, sizeof *sheet->line);
    if (!sheet->names || !sheet->x || !sheet->word || !sheet->line) return TD_E_NOMEM;
  }

  // copy them row by row
  for (int j = 0; j < s->nfield; j++) {
    sheet->names[j] = s->names[j];
    for (int i = 0; i < sheet->rows; i++)
      sheet->x[area(i, sheet->cols) + (size_t)j] = s->slots[j].v->x[i];
  }
  return TD_OK;
}

// Find a column that the text names.
static td_status find_column(reader* r, const char* field, const char* name, td_span at, int* j) {
  *j = td_sheet_find(&r->sheet, name);
  if (*j >= 0) return TD_OK;
  td_error(&r->spec->diags, TD_E_MODEL, at, "fit(%d).%s: %s has no column '%.80s'", r->k + 1, field,
           r->path ? r->path : "the table", name);
  td_suggest(&r->spec->diags, name, (const char* const*)r->sheet.names, r->sheet.cols);
  td_text list = {0};
  for (int i = 0; i < r->sheet.cols && i < 60; i++) td_text_printf(&list, " %s", r->sheet.names[i]);
  if (list.s) td_more(&r->spec->diags, "it has:%s%s", list.s, r->sheet.cols > 60 ? " ..." : "");
  td_text_free(&list);
  return TD_E_MODEL;
}

// A number of a row; words, and a missing number where one is needed, are errors with their line.
static td_status cell(reader* r, int row, int j, bool needed, double* x) {
  const td_sheet* s = &r->sheet;
  const size_t at = area(row, s->cols) + (size_t)j;
  *x = s->x[at];
  if (!s->word[at] && (!needed || isfinite(*x))) return TD_OK;
  char place[40] = "";
  if (r->path) snprintf(place, sizeof place, ":%d", s->line[row]);
  return td_error(&r->spec->diags, TD_E_IO, r->words.at,
                  "%s%s: column %d (%.60s)%s must be a finite number%s, got %s%.40s%s",
                  r->path ? r->path : "the table", place, j + 1, s->names[j],
                  needed ? ", which the model needs in every row," : "",
                  needed ? "" : ", or empty where nothing was measured", s->word[at] ? "'" : "",
                  s->word[at] ? s->word[at] : "nothing", s->word[at] ? "'" : "");
}

// The state of the first row, from its columns q1, q2, ..., v1, v2, ... and names of internal
// states; velocities that have no column are zero.
static td_status first_state(reader* r, int row, td_state** state) {
  const td_sizes n = td_model_sizes(r->model);
  td_state* s = *state = td_state_new(r->model);
  if (!s) return TD_E_NOMEM;
  td_work* work = td_work_new(r->model);
  if (!work) return TD_E_NOMEM;
  const td_status begun = td_state_initial(r->model, work, s);
  td_work_free(work);
  if (begun != TD_OK && begun != TD_E_DIVERGED) return begun;
  for (int i = 0; i < n.nq + n.nv + n.nz; i++) {
    char name[32];
    const bool is_q = i < n.nq, is_v = !is_q && i < n.nq + n.nv;
    snprintf(name, sizeof name, "%c%d", is_q ? 'q' : 'v', is_q ? i + 1 : i - n.nq + 1);
    const char* column = is_q || is_v ? name : td_model_internal_name(r->model, i - n.nq - n.nv);
    const int j = td_sheet_find(&r->sheet, column);
    double* to = is_q ? &s->q[i] : is_v ? &s->v[i - n.nq] : &s->z[i - n.nq - n.nv];
    if (j < 0 && is_q)
      return td_error(&r->spec->diags, TD_E_MODEL, r->words.at,
                      "fit(%d).start = 'data' needs the columns q1 ... q%d of its first row, and "
                      "%s has no %s",
                      r->k + 1, n.nq, r->path ? r->path : "the table", column);
    if (j < 0) {
      if (is_v) *to = 0;
      continue;
    }
    TD_TRY(cell(r, row, j, true, to));
  }
  return TD_OK;
}

// Turn the columns into a recording and add it.
static td_status take(reader* r, td_recordings* set) {
  const fit_words* w = &r->words;
  const td_sheet* s = &r->sheet;
  td_diags* diags = &r->spec->diags;
  td_recording out = td_recording_default();
  td_state* state = NULL;
  const size_t rows = (size_t)s->rows, ni = (size_t)w->ninput, ns = (size_t)w->nsensor,
               nset = (size_t)w->nset;
  double* block = calloc(rows * (1 + ni + ns) + ns + nset + 1, sizeof *block);
  int* index = calloc(2 * (ni + ns) + nset + 1, sizeof *index);
  td_status status = block && index ? TD_OK : TD_E_NOMEM;
  if (status != TD_OK) goto done;
  double *t = block, *inputs = t + rows, *data = inputs + rows * ni, *weight = data + rows * ns,
         *set_values = weight + ns;
  int *input = index, *sensor = input + ni, *set_index = sensor + ns, *from = set_index + nset,
      *measured = from + ni;

  // columns
  static const char* const times[] = {"t", "t_s", "time"};
  int time = -1;
  for (int i = 0; w->motion && i < 3 && time < 0; i++) time = td_sheet_find(s, times[i]);
  if (w->motion && time < 0) {
    status = td_error(diags, TD_E_MODEL, w->at,
                      "fit(%d).data: %s has no column t (or t_s, time), which a motion needs",
                      r->k + 1, r->path ? r->path : "the table");
    goto done;
  }
  for (int i = 0; status == TD_OK && i < w->ninput; i++) {
    input[i] = w->input[i].is_param ? -1 - w->input[i].index : w->input[i].index;
    status = find_column(r, "input", w->input[i].column, w->input[i].at, &from[i]);
  }
  for (int i = 0; status == TD_OK && i < w->nsensor; i++) {
    sensor[i] = w->sensor[i].index;
    weight[i] = w->sensor[i].weight;
    status = find_column(r, "sensor", w->sensor[i].column, w->sensor[i].at, &measured[i]);
  }
  for (int i = 0; i < w->nset; i++) {
    set_index[i] = w->set[i].is_param ? -1 - w->set[i].index : w->set[i].index;
    set_values[i] = w->set[i].value;
  }

  // rows between `from` and `to`
  int n = 0, first = -1;
  for (int k = 0; status == TD_OK && k < s->rows; k++) {
    if (w->motion) {
      status = cell(r, k, time, true, &t[n]);
      if (status != TD_OK) break;
      if (t[n] < w->from || t[n] > w->to) continue;
      if (n > 0 && !(t[n] > t[n - 1])) {
        char place[40] = "";
        if (r->path) snprintf(place, sizeof place, ":%d", s->line[k]);
        status =
            td_error(diags, TD_E_IO, w->at, "%s%s: times must ascend, but %.10g s follows %.10g s",
                     r->path ? r->path : "the table", place, t[n], t[n - 1]);
        break;
      }
    }
    for (int i = 0; status == TD_OK && i < w->ninput; i++)
      status = cell(r, k, from[i], true, &inputs[(size_t)n * ni + (size_t)i]);
    for (int i = 0; status == TD_OK && i < w->nsensor; i++)
      status = cell(r, k, measured[i], false, &data[(size_t)n * ns + (size_t)i]);
    if (first < 0) first = k;
    n++;
  }
  if (status == TD_OK && n == 0)
    status = td_error(diags, TD_E_IO, w->at, "fit(%d): no row lies between %g s and %g s", r->k + 1,
                      w->from, w->to);
  if (status == TD_OK && w->motion && w->start == FIT_START_DATA)
    status = first_state(r, first, &state);
  if (status != TD_OK) goto done;

  // the recording
  out.name = w->name;
  out.motion = w->motion;
  out.rows = n;
  out.t = t;
  out.ninput = w->ninput, out.input = input, out.inputs = inputs;
  out.nsensor = w->nsensor, out.sensor = sensor, out.data = data;
  out.weight = w->weighted ? weight : NULL;
  out.delay = w->delay;
  out.loss = w->huber ? TD_LOSS_HUBER : TD_LOSS_SQUARE;
  out.start = w->start == FIT_START_DATA      ? TD_FROM_STATE
              : w->start == FIT_START_INITIAL ? TD_FROM_INITIAL
                                              : TD_FROM_EQUILIBRIUM;
  out.state = state;
  out.nset = w->nset, out.set = set_index, out.set_values = set_values;
  char why[300] = "";
  status = td_recordings_add(set, &out, why, sizeof why);
  if (status == TD_E_USAGE)
    status = td_error(diags, TD_E_IO, w->at, "fit(%d).data: %s", r->k + 1, why);

done:
  td_state_free(state);
  free(index);
  free(block);
  return status;
}

// Read all recordings and priors.  Messages of this call are rendered into `message` and then taken
// out of the spec, which stays as it was.
td_status td_recordings_read(td_spec* spec, const td_model* model, td_recordings** recordings,
                             char* message, size_t size) {
  if (!recordings) return TD_E_USAGE;
  *recordings = NULL;
  if (!spec || !model) return TD_E_USAGE;
  if (message && size > 0) *message = 0;
  td_recordings* set;
  TD_TRY(td_recordings_new(model, &set));
  const td_diags before = spec->diags;
  td_status status = TD_OK;
  for (int k = 0; status == TD_OK && k < td_fit_count(spec); k++) {
    reader r = {.spec = spec, .model = model, .k = k};
    status = td_fit_read(spec, model, k, &r.words);
    if (status == TD_OK) status = r.words.data->kind == V_STR ? open_file(&r) : open_table(&r);
    if (status == TD_OK) status = take(&r, set);
    td_sheet_free(&r.sheet);
    free(r.path);
    td_fit_words_free(&r.words);
  }
  for (int k = 0; status == TD_OK && k < td_prior_count(spec); k++) {
    prior_words w;
    status = td_prior_read(spec, model, k, &w);
    if (status == TD_OK)
      status = td_recordings_prior(set, &(td_prior){w.param, w.mean, w.deviation});
  }

  // messages
  if (status != TD_OK) {
    td_text text = {0};
    for (int i = before.n; i < spec->diags.n; i++) td_diag_render(&spec->diags, i, &text);
    if (message && size > 0)
      snprintf(message, size, "%s", text.s ? text.s : td_status_text(status));
    td_text_free(&text);
    td_diags_back(&spec->diags, &before);
    td_recordings_free(set);
    return status;
  }
  *recordings = set;
  return TD_OK;
}
