// tendril plot: curves of results as SVG, or as a gnuplot script; strains along rods and snapshots
// of shapes, for which the model is loaded again and put into the states of the results.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

enum { MOST = 64 };  // curves in one figure

// Columns that are drawn.
typedef struct chosen {
  int list[MOST], n;
} chosen;

// Choose a column, once.  False: too many.
static bool add(chosen* c, int column) {
  for (int i = 0; i < c->n; i++)
    if (c->list[i] == column) return true;
  if (c->n == MOST) return false;
  c->list[c->n++] = column;
  return true;
}

// Report whether a column is a component of a name: "tip" also stands for tip_x, tip_y ...
static bool is_component(const char* column, const char* name, size_t n) {
  return strncmp(column, name, n) == 0 && column[n] == '_' && strlen(column) <= n + 3;
}

// Complain about an unknown column, with the nearest name.
static int unknown(const td_table* t, const char* name) {
  const char* near = td_nearest(name, (const char* const*)t->names, t->cols);
  if (near) return complain(CODE_USE, "no column '%s'; did you mean '%s'?", name, near);
  return complain(CODE_USE, "no column '%s' in these results", name);
}

// Choose columns by names separated by commas; the name of a vector chooses its components.
// Returns the exit code, after a message for an unknown name or too many curves.
static int choose(const td_table* t, const char* names, chosen* c) {
  for (const char* at = names; *at;) {
    const size_t n = strcspn(at, ",");
    const int before = c->n;
    bool room = true;
    for (int i = 0; i < t->cols; i++) {
      const bool same = strlen(t->names[i]) == n && strncmp(t->names[i], at, n) == 0;
      if (same || is_component(t->names[i], at, n)) room = add(c, i) && room;
    }
    if (!room) return complain(CODE_USE, "more than %d curves in one figure", MOST);
    if (c->n == before) {
      char* name = format_text("%.*s", (int)n, at);
      const int code = unknown(t, name ? name : "");
      free(name);
      return code;
    }
    at += n + (at[n] == ',');
  }
  return c->n ? CODE_DONE : complain(CODE_USE, "--y names no column");
}

// Write a file into its directory.
static int write_text(const char* path, const char* text) {
  const char* slash = strrchr(path, '/');
  char* directory =
      slash ? format_text("%.*s", (int)(slash - path) + !(slash - path), path) : format_text(".");
  const int code = directory ? file_write(directory, slash ? slash + 1 : path, text)
                             : complain(CODE_NUMERICS, "out of memory");
  free(directory);
  return code;
}

// Units as trajectory.h5 beside trajectory.csv has them: at the axis where all curves have one,
// else behind the curves' names.
enum { UNIT = 24 };

// Take the units of the columns from the HDF5 file beside the CSV file, if there is one: a common
// unit labels the y axis (text in `axis`), different ones the curves (labels, to be freed).
static void label(const td_table* t, const chosen* c, const char* csv, td_plot* plot, char** labels,
                  char* axis) {
  const char* names[MOST];
  char units[MOST][UNIT];
  const size_t n = strlen(csv);
  char* h5 =
      n > 4 && strcmp(csv + n - 4, ".csv") == 0 ? format_text("%.*s.h5", (int)(n - 4), csv) : NULL;
  for (int i = 0; i < c->n; i++) names[i] = t->names[c->list[i]];
  const bool known = h5 && td_h5_units(h5, names, c->n, units[0], UNIT) == TD_OK;
  free(h5);
  if (!known) return;

  bool common = true, complete = true;
  for (int i = 0; i < c->n; i++) common = common && strcmp(units[i], units[0]) == 0;
  if (common && !units[0][0]) return;
  if (common) {
    snprintf(axis, UNIT + 3, "[%s]", units[0]);
    plot->y_label = axis;
    return;
  }
  for (int i = 0; i < c->n; i++) {
    labels[i] =
        units[i][0] ? format_text("%s [%s]", names[i], units[i]) : format_text("%s", names[i]);
    complete = complete && labels[i];
  }
  if (complete) plot->labels = (const char* const*)labels;
}

// Plot columns of the table t over the column --x (the first one if it is not given): those of --y,
// or all before q1, which are sensors.  Writes `path` as SVG, or as a gnuplot script that reads the
// file `csv`, and prints its name.  Returns the exit code.
static int draw(const options* opt, const td_table* t, const char* csv, const char* path) {
  chosen c = {.n = 0};
  const int x = opt->x ? td_table_find(t, opt->x) : 0;
  if (x < 0) return unknown(t, opt->x);
  if (opt->y) {
    const int code = choose(t, opt->y, &c);
    if (code) return code;
  } else {
    int end = td_table_find(t, "q1");
    if (end <= 1) end = t->cols;
    for (int i = 0; i < end && c.n < MOST; i++)
      if (i != x) add(&c, i);
  }
  if (c.n == 0) return complain(CODE_USE, "there is nothing to plot over '%s'", t->names[x]);

  // the figure
  td_plot plot = td_plot_default();
  plot.table = t;
  plot.x = x;
  plot.y = c.list;
  plot.ny = c.n;
  plot.x_label = strcmp(t->names[x], "t") == 0 ? "t [s]" : NULL;
  char *text = NULL, *labels[MOST] = {NULL}, axis[UNIT + 3];
  label(t, &c, csv, &plot, labels, axis);

  // as SVG or as a script
  char* svg = opt->gnuplot ? format_text("%s.svg", path) : NULL;
  const td_status status = opt->gnuplot ? td_plot_gnuplot(&plot, csv, svg ? svg : "plot.svg", &text)
                                        : td_plot_svg(&plot, &text);
  int code = code_of(status);
  if (status != TD_OK) complain(0, "%s", td_status_text(status));
  if (status == TD_OK) code = write_text(path, text);
  if (code == CODE_DONE && !opt->quiet) printf("%s\n", path);
  for (int i = 0; i < c.n; i++) free(labels[i]);
  free(svg);
  free(text);
  return code;
}

// ---- strains and shapes -------------------------------------------------------------------------

// The model of the results and its states at some times.
typedef struct scenes {
  session s;
  options opt;
  td_state** state;
  int n;
} scenes;

static void scenes_close(scenes* c) {
  for (int i = 0; i < c->n; i++) td_state_free(c->state[i]);
  free(c->state);
  if (c->s.opt) session_close(&c->s);
  for (int i = 0; i < c->opt.nset; i++) free((char*)c->opt.set[i]);
  free((void*)c->opt.set);
}

// Set the parameters of the results, as "name=value".  False: no memory.
static bool take_parameters(scenes* c, const cJSON* parameters) {
  const int n = cJSON_GetArraySize(parameters);
  c->opt.set = calloc((size_t)n + 1, sizeof *c->opt.set);
  c->opt.nset = 0;
  const cJSON* p;
  cJSON_ArrayForEach(p, parameters) {
    if (!p->string) continue;  // no member of ours
    char* text = cJSON_IsString(p) ? format_text("%s=%s", p->string, p->valuestring)
                                   : format_text("%s=%.17g", p->string, p->valuedouble);
    if (!text || !c->opt.set) return free(text), false;
    c->opt.set[c->opt.nset++] = text;
  }
  return c->opt.set != NULL;
}

// Load the model of the results again, with their parameters and a text that is added to it.
static int scenes_model(scenes* c, const options* opt, const char* more) {
  char* path = format_text("%s/summary.json", opt->target);
  cJSON* summary = path ? json_read(path) : NULL;
  const cJSON* model = cJSON_GetObjectItem(summary, "model");
  *c = (scenes){.opt = *opt};

  // options of the session: parameters of the results
  c->opt.at = NULL;
  c->opt.set = NULL;  // its own, from the results
  c->opt.nset = 0;
  c->opt.quiet = true;
  c->opt.force_range = true;  // parameters as they were
  c->opt.more = more;
  c->opt.target = cJSON_IsString(model) ? model->valuestring : NULL;

  // load
  int code = CODE_DONE;
  if (!c->opt.target)
    code = complain(CODE_FILE, "'%s' has no summary.json that names its model", opt->target);
  else if (!take_parameters(c, cJSON_GetObjectItem(summary, "parameters")))
    code = complain(CODE_NUMERICS, "out of memory");
  if (!code) code = session_open(&c->s, &c->opt);
  if (code && c->opt.target)
    complain(0, "a plot of strains or shapes needs the model of the results, %s", c->opt.target);
  free(path);
  cJSON_Delete(summary);
  c->opt.target = NULL;
  return code;
}

// Read the states at the given times, or at five times over the whole motion.
static int scenes_states(scenes* c, const options* opt, const td_table* rows) {
  enum { DEFAULT_TIMES = 5, MOST_STATES = 32 };
  double times[MOST_STATES];
  const int n = opt->times ? times_of(opt->times, times, MOST_STATES) : DEFAULT_TIMES;
  if (n == 0) return complain(CODE_USE, "--times: at most %d times", MOST_STATES);
  const double first = rows->values[0];
  const double last = rows->values[(size_t)(rows->rows - 1) * (size_t)rows->cols];
  for (int i = 0; !opt->times && i < n; i++) times[i] = first + (last - first) * i / (n - 1);

  // read them
  c->state = calloc((size_t)n, sizeof *c->state);
  if (!c->state) return complain(CODE_NUMERICS, "out of memory");
  for (int i = 0; i < n; i++) {
    char message[600];
    c->state[i] = td_state_new(c->s.model);
    c->n = i + 1;
    const td_status status =
        td_state_read(c->s.model, opt->target, times[i], c->state[i], message, sizeof message);
    if (status != TD_OK) return complain(code_of(status), "%s", message);
  }
  return CODE_DONE;
}

// Index of a rod by its name or number, "arm", "rod1", "1"; -1: none
static int find_rod(const td_model* model, const char* name, size_t n) {
  td_rod rod;
  for (int i = 0; td_model_rod_about(model, i, &rod); i++) {
    char* plain = format_text("rod%d", i + 1);
    const bool same = (strlen(rod.name) == n && strncmp(rod.name, name, n) == 0) ||
                      (plain && strlen(plain) == n && strncmp(plain, name, n) == 0) ||
                      (plain && strlen(plain + 3) == n && strncmp(plain + 3, name, n) == 0);
    free(plain);
    if (same) return i;
  }
  return -1;
}

// Text that adds sensors at many points of one rod, or of all (-1), so that lines and strains are
// drawn as the model has them and not only at its own points.  A rod is found by its name, since
// its number among the compiled rods differs where bodies are rods too.
enum { PLACES = 121 };
// Model text, to be appended to the model, that adds a sensor of the quantity `what` at PLACES
// points along each rod, or along rod number `only` (-1: all).  To be freed; NULL: no memory.
static char* text_of_places(const td_model* model, const char* what, int only) {
  char* text = format_text(
      "plot_n_ = 0; if exist('sensor', 'var'), plot_n_ = numel(sensor); end\n"
      "plot_m_ = 0; if exist('rod', 'var'), plot_m_ = numel(rod); end\n");
  td_rod rod;
  for (int i = 0; text && td_model_rod_about(model, i, &rod); i++) {
    if ((only >= 0 && i != only) || strpbrk(rod.name, "'\n")) continue;
    char* longer = format_text(
        "%sfor plot_k_ = 1:plot_m_\n"
        "  plot_name_ = sprintf('rod(%%d)', plot_k_);\n"
        "  if isfield(rod, 'name') && ~isempty(rod(plot_k_).name)\n"
        "    plot_name_ = rod(plot_k_).name;\n  end\n"
        "  if strcmp(plot_name_, '%s')\n    for plot_i_ = 0:%d\n      plot_n_ = plot_n_ + 1;\n"
        "      sensor(plot_n_).name = sprintf('plot_%%d_', plot_n_);\n"
        "      sensor(plot_n_).value = %s(rod(plot_k_), %.17g*plot_i_/%d);\n"
        "    end\n  end\nend\n",
        text, rod.name, PLACES - 1, what, rod.length, PLACES - 1);
    free(text);
    text = longer;
  }
  return text;
}

// Replace the values of a strain table by those of the added sensors, the last ones of the model.
static td_status strains_of_places(const scenes* c, double length, td_table** curves) {
  td_status status = TD_OK;
  const int first = c->s.n.nsensor - 6 * PLACES;
  double* value = malloc(((size_t)c->s.n.nsensor + 1) * sizeof *value);
  double* rows = malloc((size_t)PLACES * (size_t)(1 + 6 * c->n) * sizeof *rows);
  if (!value || !rows) status = TD_E_NOMEM;
  for (int k = 0; status == TD_OK && k < c->n; k++) {
    status = sensors_at(&c->s, c->state[k], value) ? TD_OK : TD_E_SINGULAR;
    for (int i = 0; i < PLACES; i++) {
      double* row = rows + (size_t)i * (size_t)(1 + 6 * c->n);
      row[0] = length * i / (PLACES - 1);
      memcpy(row + 1 + 6 * k, value + first + 6 * i, 6 * sizeof *row);
    }
  }

  // replace the values
  free(value);
  if (status == TD_OK) {
    free((*curves)->values);
    (*curves)->values = rows;
    (*curves)->rows = PLACES;
  } else {
    free(rows);
  }
  return status;
}

// Largest value of one strain at n states
static double largest(const td_table* t, int n, int strain) {
  double x = 0;
  for (int i = 0; i < t->rows; i++)
    for (int k = 0; k < n; k++)
      x = fmax(x, fabs(t->values[(size_t)i * (size_t)t->cols + (size_t)(1 + 6 * k + strain)]));
  return x;
}

// Choose which of the six strains to draw: those named, or the bends and twist above a hundredth of
// the largest of them, or else the others.
static int choose_strains(const td_table* t, int n, const char* names, bool wanted[6]) {
  static const char* const known[6] = {"shear_x", "shear_y", "stretch",
                                       "bend_x",  "bend_y",  "twist"};
  bool any = false;

  // those that are named
  for (const char* at = names; *at;) {
    const size_t length = strcspn(at, ",");
    int found = -1;
    for (int d = 0; d < 6; d++)
      if (strlen(known[d]) == length && strncmp(known[d], at, length) == 0) found = d;
    if (found < 0)
      return complain(CODE_USE,
                      "no strain '%.*s': shear_x, shear_y, stretch, bend_x, bend_y or twist",
                      (int)length, at);
    wanted[found] = any = true;
    at += length + (at[length] == ',');
  }

  // else the group that is not zero
  for (int group = 3; group >= 0 && !any; group -= 3) {
    double most = 0;
    for (int d = group; d < group + 3; d++) most = fmax(most, largest(t, n, d));
    for (int d = group; d < group + 3; d++)
      if (most > 1e-9 && largest(t, n, d) >= 0.01 * most) wanted[d] = any = true;
  }
  if (!any) wanted[4] = true;
  return CODE_DONE;
}

// Compute the strains of a rod at the states, and choose the curves.
static int draw_strains(const options* opt, scenes* c, const td_table* rows, td_plot* plot,
                        chosen* y, td_table** curves) {
  const size_t n = strcspn(opt->strain, ",");
  bool wanted[6] = {false};
  int code = scenes_model(c, opt, NULL);
  if (code) return code;
  const int rod = find_rod(c->s.model, opt->strain, n), sensors = c->s.n.nsensor;
  td_rod about;
  if (rod < 0)
    return complain(CODE_USE, "no rod '%.*s'; write its name, or its number as rod1", (int)n,
                    opt->strain);
  td_model_rod_about(c->s.model, rod, &about);
  const double length = about.length;

  // load the model again with sensors along the rod
  char* more = text_of_places(c->s.model, "strain", rod);
  scenes_close(c);
  code = scenes_model(c, opt, more);
  if (!code) code = scenes_states(c, opt, rows);
  if (!code) {
    td_status status =
        td_strain_table(c->s.model, c->s.work, (const td_state* const*)c->state, c->n, rod, curves);
    if (status == TD_OK && c->s.n.nsensor == sensors + 6 * PLACES)
      status = strains_of_places(c, length, curves);
    if (status != TD_OK) code = complain(code_of(status), "%s", td_status_text(status));
  }

  // a curve for each strain and state
  const char* names = opt->strain + n + (opt->strain[n] == ',');
  if (!code) code = choose_strains(*curves, c->n, names, wanted);
  for (int d = 0; !code && d < 6; d++)
    for (int k = 0; wanted[d] && k < c->n && y->n < MOST; k++) y->list[y->n++] = 1 + 6 * k + d;
  plot->x_label = "s [m]";
  plot->y_label = wanted[3] || wanted[4] || wanted[5] ? "curvature, twist [1/m]" : "strain";
  c->opt.more = NULL;
  free(more);
  return code;
}

// Choose the plane of snapshots and their curves; t: positions x, y, z at each state.
static void draw_snapshots(const options* opt, const scenes* c, td_plot* plot, chosen* y,
                           const td_table* t, int xs[MOST]) {
  static const char* const names[] = {"x [m]", "y [m]", "z [m]"};

  // extent of the shapes in each direction
  double extent[3] = {0};
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < t->rows; i++)
      for (int k = 0; k < c->n; k++) {
        const double x = t->values[(size_t)i * (size_t)t->cols + (size_t)(3 * k + d)];
        if (x < low) low = x;
        if (x > high) high = x;
      }
    extent[d] = high - low;
  }

  // the plane
  int across = 0, up = 2;
  if (opt->plane) {
    across = opt->plane[0] - 'x';
    up = opt->plane[1] - 'x';
  } else {  // leave out the direction of least extent
    const int least = extent[1] <= extent[0] && extent[1] <= extent[2] ? 1
                      : extent[0] <= extent[2]                         ? 0
                                                                       : 2;
    across = least == 0 ? 1 : 0;
    up = least == 2 ? 1 : 2;
  }

  // one curve for each state, with equal scales
  for (int k = 0; k < c->n && y->n < MOST; k++) {
    xs[y->n] = 3 * k + across;
    y->list[y->n++] = 3 * k + up;
  }
  plot->xs = xs;
  plot->equal = true;
  plot->x_label = names[across];
  plot->y_label = names[up];
  plot->height = 110;
}

// Draw strains or snapshots at states of the results.
static int draw_states(const options* opt, const td_table* rows, const char* path) {
  if (opt->gnuplot || opt->y || opt->x)
    return complain(CODE_USE,
                    "--strain and --snapshots draw alone, without --y, --x and --gnuplot");
  if (opt->strain && opt->snapshots) return complain(CODE_USE, "--strain or --snapshots, not both");
  if (rows->rows < 1) return complain(CODE_USE, "there is no motion in '%s'", opt->target);

  // strains of a rod, or snapshots
  scenes c;
  td_table* curves = NULL;
  chosen y = {.n = 0};
  int xs[MOST];
  td_plot plot = td_plot_default();
  char* more = NULL;
  int code =
      opt->strain ? draw_strains(opt, &c, rows, &plot, &y, &curves) : scenes_model(&c, opt, NULL);
  if (!code && opt->snapshots) {
    more = text_of_places(c.s.model, "pos", -1);
    scenes_close(&c);
    code = scenes_model(&c, opt, more);
  }
  if (!code && opt->snapshots) code = scenes_states(&c, opt, rows);
  if (!code && opt->snapshots) {
    const td_status status =
        td_shape_table(c.s.model, c.s.work, (const td_state* const*)c.state, c.n, &curves);
    if (status != TD_OK) code = complain(code_of(status), "%s", td_status_text(status));
    if (!code) draw_snapshots(opt, &c, &plot, &y, curves, xs);
  }

  // draw
  char* labels[MOST] = {NULL};  // snapshots are named by their times
  for (int i = 0; !code && opt->snapshots && i < y.n; i++)
    labels[i] = format_text("%.4g s", c.state[i]->t);
  plot.table = curves;
  plot.y = y.list;
  plot.ny = y.n;
  if (opt->snapshots) plot.labels = (const char* const*)labels;
  char* svg = NULL;
  if (!code) {
    const td_status status = td_plot_svg(&plot, &svg);
    if (status != TD_OK) code = complain(code_of(status), "%s", td_status_text(status));
  }
  if (!code) code = write_text(path, svg);
  if (!code && !opt->quiet) printf("%s\n", path);
  for (int i = 0; i < MOST; i++) free(labels[i]);
  free(more);
  free(svg);
  td_table_free(curves);
  scenes_close(&c);
  return code;
}

// Draw curves, strains or snapshots of results.
int cmd_plot(const options* opt) {
  const bool directory = is_directory(opt->target);
  char* csv =
      directory ? format_text("%s/trajectory.csv", opt->target) : format_text("%s", opt->target);
  const char* ending = opt->gnuplot ? "gp" : "svg";
  char* path = opt->out    ? format_text("%s", opt->out)
               : directory ? format_text("%s/plot.%s", opt->target, ending)
                           : format_text("plot.%s", ending);

  // read the results and draw
  int code = CODE_NUMERICS;
  td_table* figures = NULL;
  char message[300] = "out of memory";
  if (csv && path) {
    const td_status status = td_table_read(csv, &figures, message, sizeof message);
    if (status != TD_OK)
      code = complain(code_of(status), "%s", message);
    else if (opt->strain || opt->snapshots)
      code = draw_states(opt, figures, path);
    else
      code = draw(opt, figures, csv, path);
  }
  td_table_free(figures);
  free(csv);
  free(path);
  return code;
}
