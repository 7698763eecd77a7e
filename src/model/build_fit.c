// Recordings for identification, fit(k), and prior knowledge of parameters, prior(k): their fields,
// their rules, and how they are read.  Files of data are not opened here: a model can be
// simulated where its recordings are absent.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/fit_words.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"fit", FIELD_STRUCTS, "", "", "", FIXED, "", "", "recordings from which `fit` finds params"},
    {"fit.data", FIELD_DATA, "", TD_REQUIRED, "", FIXED, "", "",
     "a CSV file whose first line names the columns, beside the model or in the folder "
     "TENDRIL_DATA; or what `table` returns. Columns without a use may hold anything"},
    {"fit.kind", FIELD_STR, "", "static", "", FIXED, "", "static|motion",
     "every row is an equilibrium, or rows follow each other in time (column `t`, `t_s` or "
     "`time`)"},
    {"fit.input", FIELD_PAIRS, "", "", "", FIXED, "", "",
     "inputs of the model with the columns that have their values: {'u', 'u_N'; ...}; in `static` "
     "recordings params too. In between two times an input follows a straight line"},
    {"fit.sensor", FIELD_PAIRS, "", TD_REQUIRED, "", FIXED, "", "",
     "sensors of the model with the columns that measured them; {'tip', 'tip_*_m'} are all "
     "components of a vector. An empty cell is a value that was not measured"},
    {"fit.weight", FIELD_NUM, "", "1", "", FIXED, "", "> 0",
     "1/standard deviation of the sensors, one number or one for each row of `sensor`"},
    {"fit.delay", FIELD_NUM, "1", "0", "s", FIXED, "", "",
     "by how much measurements are late: those at t show the motion at t - delay"},
    {"fit.from", FIELD_NUM, "1", "first row", "s", FIXED, "", "",
     "time from which a motion is used; it starts there"},
    {"fit.to", FIELD_NUM, "1", "last row", "s", FIXED, "", "", "time up to which it is used"},
    {"fit.loss", FIELD_STR, "", "square", "", FIXED, "", "square|huber",
     "least squares, or Huber's loss, which limits the influence of outliers"},
    {"fit.start", FIELD_STR, "", "equil", "", FIXED, "", "equil|initial|data",
     "a motion starts at the equilibrium under its first inputs, at the initial state of the "
     "model, or at the columns q1, q2, ..., v1, v2, ... of its first row"},
    {"fit.set", FIELD_PAIRS, "", "", "", FIXED, "", "",
     "inputs and params that have another value in this recording: {'load', 0.1; ...}"},
    {"fit.name", FIELD_STR, "", "", "", FIXED, "", "", "name in results and messages; unique"},
    {.path = NULL},
};

// Rules of one recording that need no names of the model.
static void check_fit(td_spec* spec, const value* s, int i, const char* name) {
  const bool motion = strcmp(td_get_word(s, i, "kind", "static"), "motion") == 0;
  static const char* const timed[] = {"delay", "from", "to", "start"};
  for (int k = 0; !motion && k < 4; k++)
    td_check_unused(spec, s, i, name, timed[k],
                    "every row of a static recording is an equilibrium");
  const value *from = td_get(s, i, "from"), *to = td_get(s, i, "to");
  double a, b;
  if (from && to && td_check_constant(spec, from, 0, &a) && td_check_constant(spec, to, 0, &b) &&
      !(a < b))
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "to"),
             "%s.to must be later than %s.from, got %g s and %g s", name, name, b, a);
}

static const td_rule rules[] = {
    {"fit", .element = check_fit},
    {.path = NULL},
};

const td_structure td_structure_fit = {
    .fields = fields,
    .rules = rules,
    .plural = "recordings",
    .intro =
        "A recording for `tendril fit`, which finds params of the model from measurements. "
        "Static recordings have one equilibrium in each row, motions have rows over time. See "
        "fit.md.",
    .example =
        "fit(1).data   = 'poses.csv';\n"
        "fit(1).input  = {'tau', 'tau_Nm'};\n"
        "fit(1).sensor = {'tip', 'tip_*_m'};           % tip_x_m, tip_y_m, tip_z_m\n"
        "fit(1).weight = 1/0.001;                      % measured to 1 mm\n",
};

static const td_field prior_fields[] = {
    {"prior", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "what is known about params before `fit` looks at recordings"},
    {"prior.of", FIELD_STR, "", TD_REQUIRED, "", FIXED, "", "", "name of the param"},
    {"prior.mean", FIELD_NUM, "1", "value of the param", "", FIXED, "", "", "its expected value"},
    {"prior.deviation", FIELD_NUM, "1", TD_REQUIRED, "", FIXED, "", "> 0",
     "standard deviation of that"},
    {.path = NULL},
};

const td_structure td_structure_prior = {
    .fields = prior_fields,
    .plural = "priors",
    .intro =
        "A prior counts in `tendril fit` as one more measurement, of a param itself: mean ± "
        "deviation. Recordings then need `fit.weight`, so that both are weighed in the same unit.",
    .example =
        "E = param('E', 3e5, [1e4 1e6], 'log');\n"
        "prior(1).of = 'E';  prior(1).mean = 3e5;  prior(1).deviation = 5e4;\n",
};

// ---- reading ----------------------------------------------------------------------------------

static const value* structures(const td_spec* spec, const char* root) {
  const value* list = td_get(spec->root, 0, root);
  return list && list->kind == V_STRUCT ? list : NULL;
}

static int count_of(const value* list) { return list ? td_value_count(list) : 0; }
int td_fit_count(const td_spec* spec) { return count_of(structures(spec, "fit")); }
int td_prior_count(const td_spec* spec) { return count_of(structures(spec, "prior")); }

void td_fit_words_free(fit_words* w) {
  for (int i = 0; i < w->ninput; i++) free(w->input[i].column);
  for (int i = 0; i < w->nsensor; i++) free(w->sensor[i].column);
  free(w->input);
  free(w->sensor);
  free(w->set);
  *w = (fit_words){0};
}

// Report a name that the model does not have, with the nearest of those that it has.
static td_status unknown_name(td_spec* spec, td_span at, const char* field, int k, const char* name,
                              const char* what, const char** known, int n) {
  td_error(&spec->diags, TD_E_MODEL, at, "fit(%d).%s: the model has no %s '%.80s'", k + 1, field,
           what, name);
  td_suggest(&spec->diags, name, known, n);
  td_text list = {0};
  for (int i = 0; i < n && i < 40; i++) td_text_printf(&list, " %s", known[i]);
  if (n > 0 && !list.failed) td_more(&spec->diags, "it has:%s%s", list.s, n > 40 ? " ..." : "");
  td_text_free(&list);
  return TD_E_MODEL;
}

// Report a sensor that the model does not have.
static td_status unknown_sensor(td_spec* spec, const td_model* m, td_span at, int k,
                                const char* name) {
  const char** known = calloc((size_t)m->noutput_name + 1, sizeof *known);
  if (!known) return TD_E_NOMEM;
  for (int i = 0; i < m->noutput_name; i++) known[i] = td_model_sensor_name(m, i);
  const td_status status =
      unknown_name(spec, at, "sensor", k, name, "sensor", known, m->noutput_name);
  free(known);
  return status;
}

// Find an input or a real parameter by name.  A parameter that was used while loading is refused.
static td_status find_drive(td_spec* spec, const td_model* m, td_span at, int k, const char* field,
                            const char* name, fit_pair* pair) {
  pair->index = td_model_input_find(m, name);
  pair->is_param = pair->index < 0;
  if (!pair->is_param) return TD_OK;
  pair->index = td_model_param_find(m, name);
  const spec_param* p = td_spec_param_find(spec, name);
  if (p && (p->structural || p->text))
    return td_error(&spec->diags, TD_E_MODEL, at,
                    "fit(%d).%s: the param '%.80s' %s, so that a recording cannot change it", k + 1,
                    field, name, p->text ? "is a text" : "was used while loading");
  if (pair->index >= 0) return TD_OK;

  const int n = m->ninput + m->nparam;
  const char** known = calloc((size_t)n + 1, sizeof *known);
  if (!known) return TD_E_NOMEM;
  for (int i = 0; i < m->ninput; i++) known[i] = td_model_input_name(m, i);
  for (int i = 0; i < m->nparam; i++) known[m->ninput + i] = td_model_param_name(m, i);
  const td_status status = unknown_name(spec, at, field, k, name, "input or param", known, n);
  free(known);
  return status;
}

// Name of the column of one component: the ending in place of '*', or behind the name.
static char* component_column(const char* column, const char* ending) {
  const char* star = strchr(column, '*');
  td_text text = {0};
  if (star)
    td_text_printf(&text, "%.*s%s%s", (int)(star - column), column, ending, star + 1);
  else
    td_text_printf(&text, "%s_%s", column, ending);
  return text.s;  // NULL: no memory
}

// Add a sensor with its column, or all components of a vector sensor.
static td_status push_sensors(td_spec* spec, const td_model* m, int k, const char* name,
                              td_span name_at, const char* column, td_span at, double weight,
                              fit_words* w) {
  const size_t stem = strlen(name);
  const int whole = td_model_sensor_find(m, name);
  int found = 0;
  for (int i = 0; i < m->noutput_name; i++) {
    // the sensor itself, or name_x, name_y, name_z, name_1 ...
    const char *full = td_model_sensor_name(m, i), *ending = full + stem;
    bool part = whole < 0 && strncmp(full, name, stem) == 0 && *ending == '_';
    if (part) {
      ending++;
      part = (strlen(ending) == 1 && strchr("xyz", *ending)) ||
             (*ending && strspn(ending, "0123456789") == strlen(ending));
    }
    if (i != whole && !part) continue;
    for (int j = 0; j < w->nsensor; j++)
      if (w->sensor[j].index == i)
        return td_error(&spec->diags, TD_E_MODEL, name_at,
                        "fit(%d).sensor: the sensor '%.80s' has a column already", k + 1, full);
    fit_pair* grown = realloc(w->sensor, ((size_t)w->nsensor + 1) * sizeof *grown);
    if (!grown) return TD_E_NOMEM;
    w->sensor = grown;
    char* own = i == whole ? td_strdup(column) : component_column(column, ending);
    if (!own) return TD_E_NOMEM;
    grown[w->nsensor++] = (fit_pair){.index = i, .column = own, .weight = weight, .at = at};
    found++;
  }
  return found ? TD_OK : unknown_sensor(spec, m, name_at, k, name);
}

// Check that a cell has rows of two elements whose first is a name; the second is a text, or a
// number in `set`.
static td_status check_pairs(td_spec* spec, int k, const char* field, const value* v, td_span at,
                             bool numbers) {
  if (v->cols != 2 || v->pages != 1)
    return td_error(&spec->diags, TD_E_MODEL, at,
                    "fit(%d).%s must have two elements in each row, a name and %s, got a %dx%d "
                    "cell",
                    k + 1, field, numbers ? "a number" : "a column", v->rows, v->cols);
  for (int r = 0; r < v->rows; r++) {
    const value_slot *a = &v->slots[r], *b = &v->slots[r + v->rows];
    if (!a->v || a->v->kind != V_STR)
      return td_error(&spec->diags, TD_E_MODEL, a->at,
                      "fit(%d).%s{%d,1} must be a name in quotes, got %s", k + 1, field, r + 1,
                      a->v ? td_value_kind_text(a->v) : "nothing");
    double x;
    const bool right = b->v && (numbers ? b->v->kind == V_NUM && td_value_count(b->v) == 1 &&
                                              td_check_known(spec, b->v, 0, &x) && isfinite(x)
                                        : b->v->kind == V_STR);
    if (!right)
      return td_error(&spec->diags, TD_E_MODEL, b->at, "fit(%d).%s{%d,2} must be %s, got %s", k + 1,
                      field, r + 1, numbers ? "a finite number" : "the name of a column in quotes",
                      b->v ? td_value_kind_text(b->v) : "nothing");
  }
  return TD_OK;
}

// Read the rows of `input` or `set`.
static td_status read_drives(td_spec* spec, const td_model* m, const value* list, int k,
                             const char* field, bool numbers, bool motion, fit_pair** pairs,
                             int* n) {
  const value* v = td_get(list, k, field);
  if (!v) return TD_OK;
  TD_TRY(check_pairs(spec, k, field, v, td_get_at(list, k, field), numbers));
  *pairs = calloc((size_t)v->rows + 1, sizeof **pairs);
  if (!*pairs) return TD_E_NOMEM;
  for (int r = 0; r < v->rows; r++) {
    const value_slot *a = &v->slots[r], *b = &v->slots[r + v->rows];
    fit_pair* p = &(*pairs)[*n];
    *p = (fit_pair){.at = b->at};
    TD_TRY(find_drive(spec, m, a->at, k, field, a->v->s, p));
    if (p->is_param && motion && !numbers)
      return td_error(&spec->diags, TD_E_MODEL, a->at,
                      "fit(%d).input: '%.80s' is a param, which cannot change during a motion; "
                      "make it an input, or give it one value with fit(%d).set",
                      k + 1, a->v->s, k + 1);
    for (int j = 0; j < *n; j++)
      if ((*pairs)[j].index == p->index && (*pairs)[j].is_param == p->is_param)
        return td_error(&spec->diags, TD_E_MODEL, a->at, "fit(%d).%s: '%.80s' is given twice",
                        k + 1, field, a->v->s);
    if (numbers) td_check_known(spec, b->v, 0, &p->value);
    if (!numbers) p->column = td_strdup(b->v->s);
    ++*n;
    if (!numbers && !p->column) return TD_E_NOMEM;
  }
  return TD_OK;
}

// Read the rows of `sensor` with their weights.
static td_status read_sensors(td_spec* spec, const td_model* m, const value* list, int k,
                              fit_words* w) {
  const value *v = td_get(list, k, "sensor"), *weight = td_get(list, k, "weight");
  TD_TRY(check_pairs(spec, k, "sensor", v, td_get_at(list, k, "sensor"), false));
  const int n = weight ? td_value_count(weight) : 1;
  w->weighted = weight != NULL;
  if (n != 1 && n != v->rows)
    return td_error(&spec->diags, TD_E_MODEL, td_get_at(list, k, "weight"),
                    "fit(%d).weight must be one number or %d, one for each row of fit(%d).sensor, "
                    "got %d",
                    k + 1, v->rows, k + 1, n);
  for (int r = 0; r < v->rows; r++) {
    const value_slot *a = &v->slots[r], *b = &v->slots[r + v->rows];
    double x = 1;
    if (weight) td_check_known(spec, weight, n == 1 ? 0 : r, &x);
    TD_TRY(push_sensors(spec, m, k, a->v->s, a->at, b->v->s, b->at, x, w));
  }
  return TD_OK;
}

// A number of a field, or `fallback` where it is not written.
static double number_of(td_spec* spec, const value* list, int k, const char* field,
                        double fallback) {
  const value* v = td_get(list, k, field);
  double x = fallback;
  if (v) td_check_known(spec, v, 0, &x);
  return x;
}

// Read one recording; its names must be those of the model.
td_status td_fit_read(td_spec* spec, const td_model* m, int k, fit_words* w) {
  const value* list = structures(spec, "fit");
  const char* start = td_get_word(list, k, "start", "equil");

  // words and numbers
  *w = (fit_words){
      .name = td_get_word(list, k, "name", ""),
      .data = td_get(list, k, "data"),
      .at = td_get_at(list, k, "data"),
      .motion = strcmp(td_get_word(list, k, "kind", "static"), "motion") == 0,
      .huber = strcmp(td_get_word(list, k, "loss", "square"), "huber") == 0,
      .start = strcmp(start, "initial") == 0 ? FIT_START_INITIAL
               : strcmp(start, "data") == 0  ? FIT_START_DATA
                                             : FIT_START_EQUIL,
      .delay = number_of(spec, list, k, "delay", 0),
      .from = number_of(spec, list, k, "from", -INFINITY),
      .to = number_of(spec, list, k, "to", INFINITY),
  };

  // names of inputs, params and sensors; `set` and `input` must not give the same one
  td_status status =
      read_drives(spec, m, list, k, "input", false, w->motion, &w->input, &w->ninput);
  if (status == TD_OK)
    status = read_drives(spec, m, list, k, "set", true, w->motion, &w->set, &w->nset);
  if (status == TD_OK) status = read_sensors(spec, m, list, k, w);
  for (int i = 0; status == TD_OK && i < w->nset; i++)
    for (int j = 0; status == TD_OK && j < w->ninput; j++)
      if (w->set[i].index == w->input[j].index && w->set[i].is_param == w->input[j].is_param)
        status =
            td_error(&spec->diags, TD_E_MODEL, w->set[i].at,
                     "fit(%d).set: '%.80s' has its values in the column '%.80s' already", k + 1,
                     w->set[i].is_param ? td_model_param_name(m, w->set[i].index)
                                        : td_model_input_name(m, w->set[i].index),
                     w->input[j].column);
  if (status != TD_OK) td_fit_words_free(w);
  return status;
}

// Read one prior.
td_status td_prior_read(td_spec* spec, const td_model* m, int k, prior_words* w) {
  const value* list = structures(spec, "prior");
  const char* name = td_get_word(list, k, "of", "");
  const td_span at = td_get_at(list, k, "of");
  const spec_param* p = td_spec_param_find(spec, name);
  w->param = td_model_param_find(m, name);
  if (p && (p->structural || p->text))
    return td_error(&spec->diags, TD_E_MODEL, at,
                    "prior(%d).of: the param '%.80s' %s, so that `fit` cannot change it", k + 1,
                    name, p->text ? "is a text" : "was used while loading");
  if (w->param < 0) {
    const char** known = calloc((size_t)m->nparam + 1, sizeof *known);
    if (!known) return TD_E_NOMEM;
    for (int i = 0; i < m->nparam; i++) known[i] = td_model_param_name(m, i);
    td_error(&spec->diags, TD_E_MODEL, at, "prior(%d).of: the model has no param '%.80s'", k + 1,
             name);
    td_suggest(&spec->diags, name, known, m->nparam);
    free(known);
    return TD_E_MODEL;
  }
  w->mean = number_of(spec, list, k, "mean", m->param[w->param].value);
  w->deviation = number_of(spec, list, k, "deviation", 1);
  return TD_OK;
}

// Read all recordings and priors for their messages.
td_status td_check_fits(td_spec* spec, const td_model* m) {
  td_status worst = TD_OK;
  for (int k = 0; k < td_fit_count(spec); k++) {
    fit_words w;
    const td_status status = td_fit_read(spec, m, k, &w);
    if (status == TD_OK) td_fit_words_free(&w);
    if (status == TD_E_NOMEM) return status;
    if (status != TD_OK) worst = status;
  }
  for (int k = 0; k < td_prior_count(spec); k++) {
    prior_words w;
    const td_status status = td_prior_read(spec, m, k, &w);
    if (status == TD_E_NOMEM) return status;
    if (status != TD_OK) worst = status;
  }
  return worst;
}
