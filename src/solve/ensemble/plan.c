// The plan of a sweep: axes (the values that it sets) and columns (the numbers that it keeps)
// resolved against the model, and a digest of everything that decides its table.
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "model/spec.h"
#include "solve/ensemble/points.h"
#include "solve/ensemble/worker.h"

// ---- analyses -----------------------------------------------------------------------------------

#define KIND_WORD(value, word, what) #word,
static const char* const kind_words[] = {TD_SWEEPS(KIND_WORD)};
#undef KIND_WORD

const char* td_sweep_kind_text(td_sweep_kind kind) {
  return (unsigned)kind < TD_SWEEP_COUNT ? kind_words[kind] : NULL;
}

td_sweep_kind td_sweep_kind_named(const char* word) {
  for (int i = 0; word && i < TD_SWEEP_COUNT; i++)
    if (strcmp(word, kind_words[i]) == 0) return (td_sweep_kind)i;
  return TD_SWEEP_COUNT;
}

// ---- axes -------------------------------------------------------------------------------------

// Say that the model has no such name, with the nearest one.
static td_status unknown_axis(const sweep_plan* p, const char* name, char* message, size_t size) {
  const int n = p->spec->nparam + p->model->ninput;
  const char** names = calloc((size_t)n + 1, sizeof *names);
  if (!names) return TD_E_NOMEM;
  for (int i = 0; i < n; i++)
    names[i] = i < p->spec->nparam ? p->spec->params[i].name
                                   : td_model_input_name(p->model, i - p->spec->nparam);
  const char* near = td_nearest(name, names, n);
  snprintf(message, size, "the model has no parameter or input '%s'%s%s%s", name,
           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  free(names);
  return TD_E_USAGE;
}

// Refuse values of an axis outside the range that the model writes for it.
static td_status within(const sweep_plan* p, int axis, double low, double high, char* message,
                        size_t size) {
  if (p->spec->beyond || p->model->ranges_lifted) return TD_OK;
  const int n = p->points->kind == POINTS_GRID ? p->points->axis[axis].n : p->points->n;
  for (int i = 0; i < n; i++) {
    const double x = p->points->kind == POINTS_GRID ? p->points->axis[axis].values[i]
                                                    : td_points_value(p->points, i, axis);
    if (x >= low && x <= high) continue;
    snprintf(message, size,
             "'%s' has the range [%g %g], the sweep has %.9g; --force-range goes beyond it",
             td_points_name(p->points, axis), low, high, x);
    return TD_E_MODEL;
  }
  return TD_OK;
}

td_status td_plan_axes(sweep_plan* p, char* message, size_t size) {
  const int n = td_points_axes(p->points);
  const td_model* m = p->model;
  p->way = calloc((size_t)n + 1, sizeof *p->way);
  p->index = calloc((size_t)n + 1, sizeof *p->index);
  if (!p->way || !p->index) return TD_E_NOMEM;

  for (int j = 0; j < n; j++) {
    const char* name = td_points_name(p->points, j);
    const bool words = p->points->axis[j].words != NULL;
    const int param = td_model_param_find(m, name), input = td_model_input_find(m, name);
    p->way[j] = WAY_LOAD;

    // an input that nothing else sets; where constraints follow inputs (joint.control) the initial
    // state depends on them, and the text is loaded with them
    if (input >= 0) {
      if (words || td_model_input_is_set(m, input)) {
        snprintf(message, size,
                 words ? "'%s' is an input: its values must be numbers"
                       : "'%s' is an input that a controller of the model sets",
                 name);
        return TD_E_USAGE;
      }
      TD_TRY(within(p, j, m->input[input].low, m->input[input].high, message, size));
      p->index[j] = input;
      if (m->ntarget == 0) p->way[j] = WAY_INPUT;
      p->loads |= p->way[j] == WAY_LOAD;
      continue;
    }

    // a parameter: in the work, or where it decides how the model is built by loading
    const spec_param* written = NULL;
    for (int i = 0; i < p->spec->nparam; i++)
      if (strcmp(p->spec->params[i].name, name) == 0) written = &p->spec->params[i];
    if (!written) return unknown_axis(p, name, message, size);
    if (!words) TD_TRY(within(p, j, written->range.low, written->range.high, message, size));
    if (words != (written->text != NULL) && words) {
      snprintf(message, size, "'%s' is a number in the model, the sweep has the text '%s'", name,
               p->points->axis[j].words[0]);
      return TD_E_USAGE;
    }
    p->index[j] = param;
    if (param >= 0 && !words && !m->param[param].structural) p->way[j] = WAY_PARAM;
    p->loads |= p->way[j] == WAY_LOAD;
  }

  if (p->loads && !p->source.load) {
    snprintf(message, size, "some values decide how the model is built, and no text is given");
    return TD_E_USAGE;
  }
  return TD_OK;
}

// ---- columns ----------------------------------------------------------------------------------

// Numbers with names of their own: which analyses have them, whether a number follows the name.
typedef struct named_number {
  const char* name;
  column_kind kind;
  td_sweep_kind of;
  bool counted;
  const char* unit;
} named_number;
static const named_number named_numbers[] = {
    {"residual", COLUMN_RESIDUAL, TD_SWEEP_EQUIL, false, ""},
    {"critical", COLUMN_CRITICAL, TD_SWEEP_EQUIL, false, ""},
    {"frequency", COLUMN_FREQUENCY, TD_SWEEP_MODES, true, "Hz"},
    {"damping", COLUMN_DAMPING, TD_SWEEP_MODES, true, ""},
    {"energy_error", COLUMN_ENERGY_ERROR, TD_SWEEP_SIM, false, "J"},
    {"t_end", COLUMN_T_END, TD_SWEEP_SIM, false, "s"},
};
enum { NNAMED = sizeof named_numbers / sizeof *named_numbers };

static const char* const over_words[OVER_COUNT] = {"end", "max", "min", "mean"};

// Append a column; its name is that of the number and, but for the end, how it is taken.
static td_status add_column(sweep_plan* p, const char* what, column_kind kind, int index,
                            column_over over, const char* unit, char* message, size_t size) {
  td_text name = {0};
  td_text_printf(&name, over == OVER_END ? "%s" : "%s@%s", what, over_words[over]);
  if (name.failed) return TD_E_NOMEM;
  for (int i = 0; i < p->ncolumn; i++) {
    if (strcmp(p->column[i].name, name.s) != 0) continue;
    snprintf(message, size, "'%s' is kept twice", name.s);
    td_text_free(&name);
    return TD_E_USAGE;
  }
  for (int j = 0; j < td_points_axes(p->points); j++) {
    if (strcmp(td_points_name(p->points, j), name.s) != 0) continue;
    td_text_printf(&name, "_value");  // a sensor called like a parameter
  }
  sweep_column* grown = td_grow(p->column, &p->column_cap, p->ncolumn + 1, sizeof *grown);
  char* copy = td_strdup(what);
  if (!grown || !copy || name.failed) {
    if (grown) p->column = grown;
    free(copy);
    td_text_free(&name);
    return TD_E_NOMEM;
  }
  p->column = grown;
  p->column[p->ncolumn++] = (sweep_column){
      .name = name.s, .what = copy, .kind = kind, .index = index, .over = over, .unit = unit};
  return TD_OK;
}

// Number behind a stem, "q12" -> 12; 0: there is none
static int counted(const char* name, const char* stem) {
  const size_t n = strlen(stem);
  if (strncmp(name, stem, n) != 0 || !isdigit((unsigned char)name[n]) || name[n] == '0') return 0;
  char* end;
  const long k = strtol(name + n, &end, 10);
  return *end == '\0' && k < 1000000 ? (int)k : 0;
}

// Add what one word of `keep` names: a sensor, the components of one, a coordinate, an internal
// state, a number of the analysis.
static td_status add_named(sweep_plan* p, const char* name, column_over over, char* message,
                           size_t size) {
  const td_model* m = p->model;
  const td_sizes n = td_model_sizes(m);
  const int sensor = td_model_sensor_find(m, name), internal = td_model_internal_find(m, name);
  if (sensor >= 0)
    return add_column(p, name, COLUMN_SENSOR, sensor, over, td_model_sensor_unit(m, sensor),
                      message, size);
  if (internal >= 0)
    return add_column(p, name, COLUMN_INTERNAL, internal, over, td_model_internal_unit(m, internal),
                      message, size);

  // all components of a sensor
  const size_t stem = strlen(name);
  int found = 0;
  for (int i = 0; i < n.nsensor; i++) {
    const char* component = td_model_sensor_name(m, i);
    if (strncmp(component, name, stem) != 0 || component[stem] != '_' ||
        strchr(component + stem + 1, '_'))
      continue;
    TD_TRY(add_column(p, component, COLUMN_SENSOR, i, over, td_model_sensor_unit(m, i), message,
                      size));
    found++;
  }
  if (found) return TD_OK;

  // coordinates
  const int q = counted(name, "q"), v = counted(name, "v");
  td_coordinate about;
  if (q > 0 && td_model_q_about(m, q - 1, &about))
    return add_column(p, name, COLUMN_Q, q - 1, over, about.unit, message, size);
  if (v > 0 && td_model_v_about(m, v - 1, &about))
    return add_column(p, name, COLUMN_V, v - 1, over, about.unit, message, size);

  // numbers of the analysis
  for (int k = 0; k < NNAMED; k++) {
    const named_number* x = &named_numbers[k];
    const int which = x->counted ? counted(name, x->name) : strcmp(name, x->name) == 0;
    if (which == 0) continue;
    if (x->of != p->what || over != OVER_END) {
      snprintf(message, size,
               x->of != p->what ? "'%s' is a number of '%s', this sweep does '%s'"
                                : "'%s' is one number of the whole %s, it has no @",
               name, td_sweep_kind_text(x->of), td_sweep_kind_text(p->what));
      return TD_E_USAGE;
    }
    return add_column(p, name, x->kind, which - 1, over, x->unit, message, size);
  }

  // nothing has the name
  const char** names = calloc((size_t)n.nsensor + NNAMED + 1, sizeof *names);
  if (!names) return TD_E_NOMEM;
  for (int i = 0; i < n.nsensor; i++) names[i] = td_model_sensor_name(m, i);
  for (int k = 0; k < NNAMED; k++) names[n.nsensor + k] = named_numbers[k].name;
  const char* near = td_nearest(name, names, n.nsensor + NNAMED);
  snprintf(message, size, "there is no sensor, coordinate or result '%s' to keep%s%s%s", name,
           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  free(names);
  return TD_E_USAGE;
}

// The default columns: all sensors (without any, the positions), or the lowest frequencies.
static td_status add_defaults(sweep_plan* p, int modes, char* message, size_t size) {
  const td_sizes n = td_model_sizes(p->model);
  char name[32];
  if (p->what == TD_SWEEP_MODES) {
    for (int k = 0; k < modes; k++) {
      snprintf(name, sizeof name, "frequency%d", k + 1);
      TD_TRY(add_column(p, name, COLUMN_FREQUENCY, k, OVER_END, "Hz", message, size));
    }
    return TD_OK;
  }
  for (int i = 0; i < n.nsensor; i++)
    TD_TRY(add_column(p, td_model_sensor_name(p->model, i), COLUMN_SENSOR, i, OVER_END,
                      td_model_sensor_unit(p->model, i), message, size));
  for (int i = 0; n.nsensor == 0 && i < n.nq; i++) {
    snprintf(name, sizeof name, "q%d", i + 1);
    TD_TRY(add_named(p, name, OVER_END, message, size));
  }
  return TD_OK;
}

td_status td_plan_columns(sweep_plan* p, const char* keep, int modes, char* message, size_t size) {
  if (!keep) return add_defaults(p, modes, message, size);
  for (const char* s = keep;; s++) {
    const char* end = s + strcspn(s, ",");
    while (s < end && isspace((unsigned char)*s)) s++;
    const char* stop = end;
    while (stop > s && isspace((unsigned char)stop[-1])) stop--;
    const char* at = memchr(s, '@', (size_t)(stop - s));
    char name[256], word[32] = "end";
    snprintf(name, sizeof name, "%.*s", (int)((at ? at : stop) - s), s);
    if (at) snprintf(word, sizeof word, "%.*s", (int)(stop - at - 1), at + 1);
    if (!*name) {
      snprintf(message, size, "--keep has an empty name in '%s'", keep);
      return TD_E_USAGE;
    }

    // how it is taken
    int over = 0;
    while (over < OVER_COUNT && strcmp(word, over_words[over]) != 0) over++;
    if (over == OVER_COUNT) {
      snprintf(message, size, "'%s@%s': behind @ stands end, max, min or mean", name, word);
      return TD_E_USAGE;
    }
    if (at && p->what != TD_SWEEP_SIM) {
      snprintf(message, size,
               "'%s@%s': @ is for simulations, this sweep does '%s' and has one state", name, word,
               td_sweep_kind_text(p->what));
      return TD_E_USAGE;
    }
    TD_TRY(add_named(p, name, (column_over)over, message, size));
    if (*(s = end) == '\0') return TD_OK;
  }
}

void td_plan_free(sweep_plan* p) {
  for (int i = 0; i < p->ncolumn; i++) {
    free(p->column[i].name);
    free(p->column[i].what);
  }
  free(p->column);
  free(p->way);
  free(p->index);
}

// ---- digest -----------------------------------------------------------------------------------

uint64_t td_hash(uint64_t hash, const void* data, size_t size) {
  const unsigned char* byte = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_text(uint64_t h, const char* s) {
  return s ? td_hash(h, s, strlen(s) + 1) : td_hash(h, "\1", 2);
}

static uint64_t hash_number(uint64_t h, double x) { return td_hash(h, &x, sizeof x); }

uint64_t td_plan_digest(const sweep_plan* p) {
  uint64_t h = hash_text(TD_HASH_START, td_version());

  // the texts that were loaded, and the values that they got
  const td_diags* d = &p->spec->diags;
  for (int i = 0; i < d->nsource; i++)
    h = td_hash(h, d->sources[i].text, (size_t)d->sources[i].size);
  for (int i = 0; i < p->spec->nparam; i++) {
    h = hash_text(h, p->spec->params[i].name);
    h = p->spec->params[i].text ? hash_text(h, p->spec->params[i].text)
                                : hash_number(h, p->spec->params[i].value);
  }
  for (int i = 0; i < p->spec->ninput; i++) h = hash_number(h, p->spec->inputs[i].value);

  // the analysis
  const double options[] = {p->what,
                            p->any,
                            p->from_rest,
                            p->sim.t_final,
                            p->sim.dt_out,
                            p->sim.rtol,
                            p->sim.atol,
                            p->sim.solver,
                            p->sim.step,
                            p->sim.halve,
                            (double)p->sim.max_steps};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    h = isnan(options[i]) ? hash_text(h, "nan") : hash_number(h, options[i]);
  for (int i = 0; i < p->ncolumn; i++) h = hash_text(h, p->column[i].name);

  // the points
  const int n = td_points_count(p->points), axes = td_points_axes(p->points);
  for (int j = 0; j < axes; j++) h = hash_text(h, td_points_name(p->points, j));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < axes; j++) {
      const char* word = td_points_word(p->points, i, j);
      h = word ? hash_text(h, word) : hash_number(h, td_points_value(p->points, i, j));
    }
  return h;
}
