// A report: the page with scene, replay, plots, strains, equilibrium, modes, the model's text and
// the model that was made of it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "io/files.h"
#include "solve/time/trajectory.h"
#include "tendril/view.h"
#include "view/describe.h"
#include "view/pack.h"
#include "view/page.h"
#include "view/scene.h"
#include "view/text_json.h"

// Limits of what a report holds; beyond them records of the motion, then coordinates, are left out.
enum {
  FRAME_NUMBERS = 6000000,
  PLOT_NUMBERS = 1500000,
  STRAIN_NUMBERS = 400000,
  STRAIN_TIMES = 101,
  MODES = 20,
  EVENTS = 400
};

// A report while it is written.
typedef struct writer {
  const td_report* in;
  td_sizes size;
  td_scene* scene;
  td_state* at;  // the state at which the model is drawn
  td_text json;
  bool failed;
} writer;

static void check(writer* w, bool ok) { w->failed |= !ok; }

// ---- the replay -------------------------------------------------------------------------------

// Set the state to a record of the motion.
static void go_to_record(writer* w, int row) {
  const td_trajectory* tr = w->in->trajectory;
  w->at->t = td_trajectory_time(tr, row);
  memcpy(w->at->q, td_trajectory_q(tr, row), (size_t)w->size.nq * sizeof(double));
  memcpy(w->at->v, td_trajectory_v(tr, row), (size_t)w->size.nv * sizeof(double));
}

// Selection of every stride-th record so that no more than `limit` remain, the last one among them.
static int stride_for(int rows, double limit) { return (int)fmax(1, ceil(rows / fmax(limit, 2))); }
static int kept_records(int rows, int stride) { return (rows - 1 + stride - 1) / stride + 1; }
static int kept_record(int rows, int stride, int i) { return min_int(i * stride, rows - 1); }

// Write the times of the selected records.
static void write_times(writer* w, int rows, int stride) {
  td_json_key(&w->json, "t");
  td_text_add(&w->json, "[");
  for (int i = 0; i < kept_records(rows, stride); i++) {
    td_json_next(&w->json);
    td_json_number(&w->json, td_trajectory_time(w->in->trajectory, kept_record(rows, stride, i)));
  }
  td_text_add(&w->json, "]");
}

// Write the frames of the motion.
static void write_motion(writer* w) {
  const int rows = td_trajectory_rows(w->in->trajectory), n = w->scene->nnumber;
  const int stride = stride_for(rows, (double)FRAME_NUMBERS / fmax(n, 1));
  const int kept = kept_records(rows, stride);
  float* x = malloc((size_t)kept * (size_t)n * sizeof *x + 1);
  check(w, x != NULL);
  if (!x) return;

  // frames, their quaternions aligned
  for (int i = 0; i < kept; i++) {
    float* picture = x + (size_t)i * (size_t)n;
    go_to_record(w, kept_record(rows, stride, i));
    td_scene_frame(w->scene, w->at, w->in->work, picture);
    if (i > 0) td_scene_align(w->scene, picture - n, picture);
  }

  // times and frames
  td_json_key(&w->json, "motion");
  td_text_add(&w->json, "{");
  write_times(w, rows, stride);
  td_json_key(&w->json, "frames");
  check(w, td_pack_write(&w->json, x, kept, n));
  td_text_add(&w->json, "}");
  free(x);
}

// ---- plots ------------------------------------------------------------------------------------

// A group of curves: the numbers of a record, and names and units.
typedef struct curves {
  const char* name;
  int n;
  bool precise;  // all bits of a float; else 16 bits of the range
  const double* (*row)(const td_trajectory* trajectory, int row);  // NULL: inputs, constant here
  void (*about)(const writer* w, int i, td_text* out);
} curves;

// Write the name and unit of a curve.
static void name_unit(td_text* out, const char* name, const char* unit) {
  td_text_add(out, "{\"name\":");
  td_json_string(out, name);
  td_text_add(out, ",\"unit\":");
  td_json_string(out, unit);
  td_text_add(out, "}");
}

static void about_sensor(const writer* w, int i, td_text* out) {
  name_unit(out, td_model_sensor_name(w->in->model, i), td_model_sensor_unit(w->in->model, i));
}
static void about_energy(const writer* w, int i, td_text* out) {
  static const char* const names[] = {"kinetic", "elastic", "gravity", "work"};
  (void)w;
  name_unit(out, names[i], "J");
}
static void about_input(const writer* w, int i, td_text* out) {
  name_unit(out, td_model_input_name(w->in->model, i), "");
}
static void about_q(const writer* w, int i, td_text* out) {
  td_coordinate c = {.name = "", .unit = ""};
  td_model_q_about(w->in->model, i, &c);
  name_unit(out, c.name, c.unit);
}
static void about_v(const writer* w, int i, td_text* out) {
  td_coordinate c = {.name = "", .unit = ""};
  td_model_v_about(w->in->model, i, &c);
  name_unit(out, c.name, c.unit);
}

static float as_float(double x) {
  const float y = (float)x;
  return isfinite(y) ? y : 0;
}

// Write the half-widths of the error bars of the first n sensors, NaN where there is none.
static void write_bands(writer* w, int n, int stride) {
  const int rows = td_trajectory_rows(w->in->trajectory), kept = kept_records(rows, stride);
  float* x = malloc((size_t)kept * (size_t)n * sizeof *x);
  check(w, x != NULL);
  for (int i = 0; x && i < kept; i++) {
    const double* from =
        w->in->errors + (size_t)kept_record(rows, stride, i) * (size_t)w->size.nsensor;
    for (int k = 0; k < n; k++) x[(size_t)i * (size_t)n + (size_t)k] = (float)from[k];
  }
  td_json_key(&w->json, "bands");
  if (x) check(w, td_json_floats(&w->json, x, (size_t)kept * (size_t)n));
  free(x);
}

// Write a group of curves; those beyond the limit are counted as left out.
static void write_curves(writer* w, const curves* c, int stride) {
  const td_trajectory* tr = w->in->trajectory;
  const int rows = td_trajectory_rows(tr), kept = kept_records(rows, stride);
  const int n = min_int(c->n, (int)(PLOT_NUMBERS / fmax(kept, 1)));
  if (n == 0) return;
  float* x = malloc((size_t)kept * (size_t)n * sizeof *x);
  check(w, x != NULL);
  if (!x) return;
  for (int i = 0; i < kept; i++) {
    const double* from = c->row ? c->row(tr, kept_record(rows, stride, i)) : w->at->u;
    for (int k = 0; k < n; k++) x[(size_t)i * (size_t)n + (size_t)k] = as_float(from[k]);
  }

  // names and units, then the numbers
  td_json_next(&w->json);
  td_text_add(&w->json, "{");
  td_json_key(&w->json, "name");
  td_json_string(&w->json, c->name);
  td_json_key(&w->json, "left_out");
  td_text_printf(&w->json, "%d,\"curves\":[", c->n - n);
  for (int k = 0; k < n; k++) {
    td_json_next(&w->json);
    c->about(w, k, &w->json);
  }
  td_text_add(&w->json, c->precise ? "],\"floats\":" : "],\"packed\":");
  check(w, c->precise ? td_json_floats(&w->json, x, (size_t)kept * (size_t)n)
                      : td_pack_write(&w->json, x, kept, n));
  if (c->row == td_trajectory_sensors && w->in->errors) write_bands(w, n, stride);
  td_text_add(&w->json, "}");
  free(x);
}

// Write sensors, energies, inputs, coordinates, velocities and times of events.
static void write_plots(writer* w) {
  const curves groups[] = {
      {"Sensors", w->size.nsensor, true, td_trajectory_sensors, about_sensor},
      {"Energy", 4, true, td_trajectory_energy, about_energy},
      {"Inputs", w->size.nu, false, NULL, about_input},
      {"Positions", w->size.nq, false, td_trajectory_q, about_q},
      {"Velocities", w->size.nv, false, td_trajectory_v, about_v},
  };

  // all groups at the same times
  const int rows = td_trajectory_rows(w->in->trajectory);
  const int stride = stride_for(rows, 20000);
  td_json_key(&w->json, "plots");
  td_text_add(&w->json, "{");
  write_times(w, rows, stride);
  td_json_key(&w->json, "groups");
  td_text_add(&w->json, "[");
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) write_curves(w, &groups[i], stride);
  td_text_add(&w->json, "]");

  // events
  td_json_key(&w->json, "events");
  td_text_add(&w->json, "[");
  const int events = min_int(td_trajectory_event_count(w->in->trajectory), EVENTS);
  for (int i = 0; i < events; i++) {
    double t;
    int event;
    td_trajectory_event(w->in->trajectory, i, &t, &event);
    td_json_next(&w->json);
    td_json_number(&w->json, t);
  }
  td_text_add(&w->json, "]}");
}

// ---- strains along the rods -------------------------------------------------------------------

// Write the strains of each rod over its arc length, six for each point, at up to STRAIN_TIMES
// records of the motion, or at the equilibrium where there is none.
static void write_strains(writer* w) {
  const td_trajectory* tr = w->in->trajectory;
  const int rows = tr ? td_trajectory_rows(tr) : 0, stride = stride_for(rows, STRAIN_TIMES);
  const int kept = rows > 0 ? kept_records(rows, stride) : 1;
  int left = STRAIN_NUMBERS, rod = 0;
  const int nrod = w->size.nrod;
  if (nrod == 0 || (rows == 0 && !w->in->rest)) return;
  td_json_key(&w->json, "strains");
  td_text_add(&w->json, "{");
  if (rows > 0) {
    write_times(w, rows, stride);
  } else {
    td_json_numbers(&w->json, "t", (const double[]){0}, 1);
    td_state_copy(w->in->model, w->in->rest, w->at);
  }
  td_json_key(&w->json, "rods");
  td_text_add(&w->json, "[");
  for (; rod < nrod; rod++) {
    float* x = NULL;
    double* arc = NULL;
    int n = 0;

    // strains at each record
    for (int i = 0; i < kept; i++) {
      td_table* table = NULL;
      if (rows > 0) go_to_record(w, kept_record(rows, stride, i));
      const td_state* at = w->at;
      if (td_strain_table(w->in->model, w->in->work, &at, 1, rod, &table) != TD_OK) break;
      if (i == 0) {
        n = table->rows;
        x = malloc((size_t)kept * 6 * (size_t)n * sizeof *x + 1);
        arc = malloc((size_t)n * sizeof *arc + 1);
        for (int k = 0; arc && k < n; k++) arc[k] = table->values[(size_t)k * 7];
      }
      for (int k = 0; x && k < 6 * n; k++)
        x[(size_t)i * 6 * (size_t)n + (size_t)k] = as_float(table->values[k / 6 * 7 + 1 + k % 6]);
      td_table_free(table);
      if (6 * n * kept > left) break;
    }

    // the rod, unless the report gets too large
    check(w, x && arc);
    const bool fits = x && arc && 6 * n * kept <= left;
    if (fits && n > 0) {
      left -= 6 * n * kept;
      td_rod about = {.name = ""};
      td_model_rod_about(w->in->model, rod, &about);
      td_json_next(&w->json);
      td_text_add(&w->json, "{");
      td_json_key(&w->json, "name");
      td_json_string(&w->json, about.name);
      td_json_key(&w->json, "length");
      td_json_number(&w->json, about.length);
      td_json_numbers(&w->json, "arc", arc, n);
      td_json_key(&w->json, "packed");
      check(w, td_pack_write(&w->json, x, kept, 6 * n));
      td_text_add(&w->json, "}");
    }
    free(x);
    free(arc);
    if (!fits) break;
  }
  td_text_add(&w->json, "]");
  td_json_key(&w->json, "left_out");
  td_text_printf(&w->json, "%d}", nrod - rod);
}

// ---- equilibrium and modes --------------------------------------------------------------------

static bool write_frame(writer* w, const char* name, const float* x) {
  td_json_key(&w->json, name);
  return td_json_floats(&w->json, x, (size_t)w->scene->nnumber);
}

// Draw the model displaced by a·shape from its equilibrium.
static void displaced(writer* w, const double* shape, double a, double* scratch, float* picture) {
  for (int i = 0; i < w->size.nv; i++) scratch[i] = a * shape[i];
  td_displace(w->in->model, w->in->rest->q, scratch, w->at->q);
  td_scene_frame(w->scene, w->at, w->in->work, picture);
}

// Amplitude at which some point moves by a tenth of the model's size, but no coordinate by more
// than 0.7; found by iteration
static double amplitude(writer* w, const double* shape, const float* rest, double* scratch,
                        float* picture) {
  double largest = 0;
  for (int i = 0; i < w->size.nv; i++) largest = fmax(largest, fabs(shape[i]));
  if (!(largest > 0)) return 0;
  double a = 0.01 * fmin(1, w->scene->size) / largest;
  for (int i = 0; i < 3; i++) {
    displaced(w, shape, a, scratch, picture);
    const double d = td_scene_distance(w->scene, rest, picture);
    if (!(d > 0)) break;
    a = fmin(a * 0.1 * w->scene->size / d, 0.7 / largest);
  }
  return a;
}

// Write one mode: frequency, damping, and the frames displaced to both sides.
static void write_mode(writer* w, int i, const float* rest, double* scratch, float* picture) {
  const td_modes_result* modes = w->in->modes;
  const double* shape = modes->shape + (size_t)i * (size_t)w->size.nv;
  const double a = amplitude(w, shape, rest, scratch, picture);
  td_json_next(&w->json);
  td_text_add(&w->json, "{");
  td_json_key(&w->json, "frequency");
  td_json_number(&w->json, modes->omega[i] / (2 * 3.14159265358979323846));
  td_json_key(&w->json, "damping");
  td_json_number(&w->json, modes->zeta[i]);
  if (w->in->frequency_errors && isfinite(w->in->frequency_errors[i])) {
    td_json_key(&w->json, "error");
    td_json_number(&w->json, w->in->frequency_errors[i] / (2 * 3.14159265358979323846));
  }

  // displaced to both sides
  for (int side = 1; side >= -1; side -= 2) {
    displaced(w, shape, side * a, scratch, picture);
    td_scene_align(w->scene, rest, picture);
    check(w, write_frame(w, side > 0 ? "plus" : "minus", picture));
  }
  td_text_add(&w->json, "}");
}

// Write the frame of the equilibrium, and the shapes of the first modes about it where there are
// any.
static void write_rest(writer* w) {
  const size_t n = (size_t)w->scene->nnumber + 1;
  float* rest = malloc(2 * n * sizeof *rest);
  double* scratch = malloc(((size_t)w->size.nv + 1) * sizeof *scratch);
  check(w, rest && scratch);
  if (rest && scratch) {
    td_state_copy(w->in->model, w->in->rest, w->at);
    memset(w->at->v, 0, (size_t)w->size.nv * sizeof(double));
    td_scene_frame(w->scene, w->at, w->in->work, rest);
    check(w, write_frame(w, "equilibrium", rest));
    if (w->in->modes) {
      td_json_key(&w->json, "modes");
      td_text_add(&w->json, "[");
      for (int i = 0; i < min_int(w->in->modes->n, MODES); i++)
        write_mode(w, i, rest, scratch, rest + n);
      td_text_add(&w->json, "]");
    }
  }
  free(rest);
  free(scratch);
}

// ---- the whole --------------------------------------------------------------------------------

// Write all data of the report as JSON.
static void write_data(writer* w) {
  const td_report* in = w->in;
  td_text_add(&w->json, "{\"tendril\":\"report\",\"version\":");
  td_json_string(&w->json, td_version());
  td_json_key(&w->json, "title");
  td_json_string(&w->json, in->title);
  td_json_key(&w->json, "scene");
  td_text_add(&w->json, w->scene->json.s);

  // the frame at the given state
  float* x = malloc(((size_t)w->scene->nnumber + 1) * sizeof *x);
  check(w, x != NULL);
  if (x) td_scene_frame(w->scene, w->at, in->work, x);
  if (x) check(w, write_frame(w, "still", x));
  free(x);

  // motion, strains, equilibrium
  if (in->trajectory && td_trajectory_rows(in->trajectory) > 0) {
    write_motion(w);
    write_plots(w);
  }
  write_strains(w);
  if (in->rest) write_rest(w);

  // summary, text and model
  if (in->summary) {
    td_json_key(&w->json, "summary");
    td_json_raw(&w->json, in->summary);
  }
  if (in->spec) td_describe_sources(&w->json, in->spec);
  td_describe_model(&w->json, in->model);
  td_text_add(&w->json, "}");
}

void td_report_fill(td_report* report, size_t size) {
  const td_report own = {.size = size};
  struct_into(report, size, &own, sizeof own);
}

// Check the parts of a report, and write it as a file.
td_status td_report_write(td_files* files, const char* name, const td_report* given) {
  td_report own = td_report_default();
  const td_report* report = &own;
  TD_TRY(td_options_take(given, &own, sizeof own));
  if (!files || !name || !report->spec || !report->title ||
      !td_belongs(report->model, report->state, report->work) ||
      (report->rest && !td_belongs(report->model, report->rest, report->work)) ||
      (report->modes && report->modes->model != report->model) ||
      (report->trajectory && report->trajectory->model != report->model))
    return TD_E_USAGE;

  // write the page
  writer w = {.in = report, .size = td_model_sizes(report->model)};
  td_text page = {0};
  td_status status = TD_E_NOMEM;

  // the first record of the motion shows the scene
  w.at = td_state_new(report->model);
  if (w.at) {
    td_state_copy(report->model, report->state, w.at);
    if (report->trajectory && td_trajectory_rows(report->trajectory) > 0) go_to_record(&w, 0);
    w.scene = td_scene_new(report->model, w.at, report->work);
  }
  if (w.scene) {
    write_data(&w);
    if (!w.failed && !w.json.failed && td_page_write(&page, w.json.s)) status = TD_OK;
  }
  if (status == TD_OK) status = td_files_text(files, name, page.s);
  td_text_free(&page);
  td_text_free(&w.json);
  td_scene_free(w.scene);
  td_state_free(w.at);
  return status;
}

// Put the data of an older report into the page of this version; *page is to be freed.
// TD_E_SYNTAX: `report` has no data.
td_status td_report_renew(const char* report, char** page) {
  if (!report || !page) return TD_E_USAGE;
  *page = NULL;
  size_t n;
  const char* data = td_page_data(report, &n);
  if (!data) return TD_E_SYNTAX;
  char* json = td_strndup(data, n);
  td_text out = {0};
  const bool ok = json && td_page_write(&out, json);
  free(json);
  if (!ok) {
    td_text_free(&out);
    return TD_E_NOMEM;
  }
  *page = out.s;
  return TD_OK;
}
