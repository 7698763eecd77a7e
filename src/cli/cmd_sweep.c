// tendril sweep: one analysis at many points; sweep.csv, sweep.h5, sweep.json, sweep.svg and, with
// --indices, sweep_indices.csv.  Under an MPI launcher all processes run this command: that of rank
// 0 prints and writes, the others compute points for it.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

// ---- points -------------------------------------------------------------------------------------

// Read --table into points.
static td_status points_of_table(const char* path, td_points* points, char* message, size_t size,
                                 int* code) {
  table data = {0};
  *code = table_read(path, &data);
  td_status status = TD_E_IO;
  if (*code == CODE_DONE) {
    status = td_points_table(points, data.rows, data.cols, (const char* const*)data.names, data.x,
                             message, size);
    for (int i = 0; status != TD_OK && i < data.rows * data.cols; i++) {
      if (!isnan(data.x[i])) continue;
      snprintf(message, size, "%s:%d: column %d (%s) needs a number in every row", path,
               data.line[i / data.cols], i % data.cols + 1, data.names[i % data.cols]);
      break;
    }
  } else if (data.text) {
    *code = CODE_MODEL;  // it was read, and is wrong
  }
  table_free(&data);
  return status;
}

// Make the points of the command line; complains.
static int make_points(session* s, td_points* points) {
  const options* o = s->opt;
  const bool sample = o->sample < TD_SAMPLING_COUNT;

  // options that do not fit together
  const int kinds = (o->nvary > 0) + sample + (o->table != NULL);
  if (kinds != 1)
    return complain(CODE_USE, "sweep needs one of --vary, --sample and --table%s",
                    kinds > 1 ? ", not several" : "");
  if (sample && (!o->over || o->number == 0))
    return complain(CODE_USE, "--sample needs %s",
                    o->over ? "-N, the number of points" : "--over NAMES, what it varies");
  if (!sample && (o->over || o->number || o->indices || o->seed))
    return complain(CODE_USE, "%s needs --sample",
                    o->over     ? "--over"
                    : o->number ? "-N"
                    : o->seed   ? "--seed"
                                : "--indices");

  // the points: of a grid, of a sample or of a table
  char message[600] = "";
  td_status status = TD_OK;
  int code = CODE_DONE;
  for (int i = 0; status == TD_OK && i < o->nvary; i++)
    status = td_points_vary(points, o->vary[i], message, sizeof message);
  if (sample) {
    const unsigned long long seed = o->seed                 ? strtoull(o->seed, NULL, 10)
                                    : o->sample == TD_SOBOL ? 0
                                                            : 1;
    status = td_points_over(points, s->model, o->over, message, sizeof message);
    if (status == TD_OK)
      status =
          td_points_sample(points, o->sample, o->number, seed, o->indices, message, sizeof message);
  }
  if (o->table) status = points_of_table(o->table, points, message, sizeof message, &code);
  if (code) return code;

  // a value has one source
  for (int j = 0; status == TD_OK && j < td_points_axes(points); j++)
    if (is_set(o, td_points_name(points, j)))
      return complain(CODE_USE, "--set and the sweep both give '%s'", td_points_name(points, j));
  return status == TD_OK ? CODE_DONE
                         : complain(code_of(status), "%s: %s",
                                    sample     ? "--sample"
                                    : o->table ? "--table"
                                               : "--vary",
                                    message);
}

// ---- results ------------------------------------------------------------------------------------

enum { MOST_PANELS = 4, MOST_CURVES = 6, MOST_REASONS = 20 };

// Draw up to four kept columns over the last axis with numbers: curves of a grid, one for some of
// the values of the other axes, or the dots of a sample.
static td_status write_svg(session* s, const td_points* points, const td_sweep* sweep) {
  const int axes = td_points_axes(points), n = td_sweep_rows(sweep);
  const int cols = td_sweep_columns(sweep);
  const bool grid = s->opt->nvary > 0;
  int axis = grid ? axes - 1 : 0;
  if (td_points_word(points, 0, axis) || cols == 0 || n < 2) return TD_OK;

  // rows of one curve: the last axis of a grid varies fastest
  int each = 1;
  while (grid && each < n &&
         td_points_value(points, each, axis) != td_points_value(points, 0, axis))
    each++;
  if (!grid) each = n;
  const int curves = n / each, shown = curves < MOST_CURVES ? curves : MOST_CURVES;
  const int panels = cols < MOST_PANELS ? cols : MOST_PANELS, width = 1 + panels * shown;
  double* values = malloc(sizeof *values * (size_t)each * (size_t)width);
  char** names = calloc((size_t)width, sizeof *names);
  char* title = format_text("Sweep of %s", s->name);
  char* labels[MOST_CURVES] = {NULL};
  char* units[MOST_PANELS] = {NULL};
  td_status status = values && names && title ? TD_OK : TD_E_NOMEM;
  int index[MOST_PANELS][MOST_CURVES];

  // the table of the curves
  for (int k = 0; status == TD_OK && k < shown; k++) {
    const int first = shown > 1 ? (int)((long long)k * (curves - 1) / (shown - 1)) * each : 0;
    for (int i = 0; i < each; i++) {
      double* row = values + (size_t)i * (size_t)width;
      row[0] = td_points_value(points, first + i, axis);
      for (int p = 0; p < panels; p++)
        row[index[p][k] = 1 + p * shown + k] = td_sweep_values(sweep, first + i)[p];
    }
    for (int p = 0; p < panels; p++) names[index[p][k]] = (char*)td_sweep_column_name(sweep, p);

    // a curve is called by the values of the other axes
    labels[k] = format_text("%s", curves > 1 ? "" : td_sweep_column_name(sweep, 0));
    for (int j = 0; curves > 1 && labels[k] && j < axes - 1; j++) {
      const char* word = td_points_word(points, first, j);
      char* longer =
          word ? format_text("%s%s%s = %s", labels[k], j ? ", " : "", td_points_name(points, j),
                             word)
               : format_text("%s%s%s = %.4g", labels[k], j ? ", " : "", td_points_name(points, j),
                             td_points_value(points, first, j));
      free(labels[k]);
      labels[k] = longer;
    }
    if (!labels[k]) status = TD_E_NOMEM;
  }

  // one diagram below the other
  td_plot plot[MOST_PANELS];
  const td_table data = {each, width, names, values};
  if (status == TD_OK) names[0] = (char*)td_points_name(points, axis);
  for (int p = panels - 1; status == TD_OK && p >= 0; p--) {
    const char* unit = td_sweep_column_unit(sweep, p);
    units[p] = *unit ? format_text("%s [%s]", td_sweep_column_name(sweep, p), unit)
                     : format_text("%s", td_sweep_column_name(sweep, p));
    plot[p] = td_plot_default();
    plot[p].table = &data;
    plot[p].y = index[p];
    plot[p].ny = shown;
    plot[p].labels = (const char* const*)labels;
    plot[p].title = p == 0 ? title : "";
    plot[p].y_label = units[p];
    plot[p].marks = !grid;
    plot[p].height = panels > 1 ? 50 : 80;
    plot[p].below = p + 1 < panels ? &plot[p + 1] : NULL;
  }
  char* text = NULL;
  if (status == TD_OK) status = td_plot_svg(&plot[0], &text);
  if (status == TD_OK) status = td_files_text(s->files, "sweep.svg", text);
  if (status == TD_E_USAGE) status = TD_OK;  // nothing finite to draw
  for (int k = 0; k < MOST_CURVES; k++) free(labels[k]);
  for (int p = 0; p < MOST_PANELS; p++) free(units[p]);
  free(text);
  free(title);
  free(names);
  free(values);
  return status;
}

// Sobol indices of all columns: printed, as JSON and as sweep_indices.csv.
static td_status write_indices(session* s, const td_points* points, const td_sweep* sweep,
                               cJSON* out) {
  const int axes = td_points_axes(points), cols = td_sweep_columns(sweep), n = axes * cols;
  double* x = malloc(sizeof *x * 4 * ((size_t)n + 1));
  const char** words = calloc(2 * (size_t)n + 1, sizeof *words);
  td_columns* c = td_columns_new();
  td_status status = x && words && c ? TD_OK : TD_E_NOMEM;
  double *first = x, *total = x + n, *first_half = x + 2 * n, *total_half = x + 3 * n;

  // indices of each column by each axis
  say_heading(s, "Sobol indices (share of the variance, ± 95 %%)");
  say(s, "  %-16s %-12s %18s %18s\n", "number", "of", "first order", "total");
  cJSON* all = cJSON_AddObjectToObject(out, "indices");
  for (int k = 0; status == TD_OK && k < cols; k++) {
    const int at = k * axes;
    int used = 0;
    status =
        td_sweep_indices(sweep, k, first + at, total + at, first_half + at, total_half + at, &used);
    cJSON* one = cJSON_AddObjectToObject(all, td_sweep_column_name(sweep, k));
    json_add_number(one, "base_points", used);
    for (int j = 0; status == TD_OK && j < axes; j++) {
      const int i = at + j;
      words[i] = td_sweep_column_name(sweep, k);
      words[n + i] = td_points_name(points, j);
      say(s, "  %-16s %-12s %8.3f ± %-7.3f %8.3f ± %-7.3f\n", words[i], words[n + i], first[i],
          first_half[i], total[i], total_half[i]);
      cJSON* item = cJSON_AddObjectToObject(one, words[n + i]);
      json_add_number(item, "first", first[i]);
      json_add_number(item, "first_half", first_half[i]);
      json_add_number(item, "total", total[i]);
      json_add_number(item, "total_half", total_half[i]);
    }
  }

  // the table
  if (status == TD_OK) {
    td_columns_add_words(c, "column", n, words);
    td_columns_add_words(c, "name", n, words + n);
    td_columns_add(c, "first", "", n, 1, first);
    td_columns_add(c, "first_half", "", n, 1, first_half);
    td_columns_add(c, "total", "", n, 1, total);
    td_columns_add(c, "total_half", "", n, 1, total_half);
    status = td_columns_csv(c, s->files, "sweep_indices.csv");
  }
  td_columns_free(c);
  free(words);
  free(x);
  return status;
}

// The content of sweep.json: axes, columns, statistics, and how many points failed for which
// reason.
static cJSON* sweep_json(const session* s, const td_points* points, const td_sweep* sweep) {
  const td_sweep_stats st = td_sweep_statistics(sweep);
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", s->name);
  cJSON_AddStringToObject(o, "analysis", td_sweep_kind_text(s->opt->what));
  cJSON* axes = cJSON_AddArrayToObject(o, "axes");
  for (int j = 0; j < td_points_axes(points); j++)
    cJSON_AddItemToArray(axes, cJSON_CreateString(td_points_name(points, j)));
  cJSON* kept = cJSON_AddObjectToObject(o, "columns");
  for (int k = 0; k < td_sweep_columns(sweep); k++)
    cJSON_AddStringToObject(kept, td_sweep_column_name(sweep, k), td_sweep_column_unit(sweep, k));
  json_add_number(o, "points", st.points);
  json_add_number(o, "failed", st.failed);

  // reasons, the first that occur
  cJSON* reasons = cJSON_AddObjectToObject(o, "reasons");
  for (int i = 0, n = 0; i < st.points; i++) {
    const char* text = td_sweep_status(sweep, i);
    if (strcmp(text, "ok") == 0) continue;
    cJSON* count = cJSON_GetObjectItemCaseSensitive(reasons, text);
    if (count)
      cJSON_SetNumberValue(count, count->valuedouble + 1);
    else if (n++ < MOST_REASONS)
      cJSON_AddNumberToObject(reasons, text, 1);
  }
  cJSON* work = cJSON_AddObjectToObject(o, "statistics");
  json_add_number(work, "seconds", st.seconds);
  json_add_number(work, "points_per_second",
                  st.seconds > 0 ? (st.done - st.taken) / st.seconds : 0);
  json_add_number(work, "mean_seconds", st.mean);
  json_add_number(work, "longest_seconds", st.most);
  json_add_number(work, "resumed_points", st.taken);
  json_add_number(work, "loads", st.loads);
  json_add_number(work, "threads", st.threads);
  json_add_number(work, "processes", st.processes);
  json_add_number(work, "processes_lost", st.lost);
  return o;
}

// Print and write the table, and remove the journal.
static int finish(session* s, const td_points* points, const td_sweep* sweep, const char* journal) {
  const td_sweep_stats st = td_sweep_statistics(sweep);
  say_heading(s, "Sweep");
  say(s, "  %d points in %.3g s (%.4g points/s, %d thread%s", st.points - st.taken, st.seconds,
      (st.points - st.taken) / fmax(st.seconds, 1e-9), st.threads, st.threads > 1 ? "s" : "");
  if (st.processes > 1) say(s, " in each of %d processes", st.processes - st.lost);
  say(s, ")%s", st.taken ? "" : "\n");
  if (st.taken) say(s, ", %d points from the journal\n", st.taken);
  if (st.loads)
    say(s, "  the text was loaded %d times: some values decide how the model is built\n", st.loads);
  if (st.failed)
    say(s, "  %d of %d points failed; the column `status` says why\n", st.failed, st.points);
  if (st.lost && !s->opt->quiet)
    complain(0, "note: %d of %d processes could not take part: they stopped or load another text",
             st.lost, st.processes);

  // files
  cJSON* o = sweep_json(s, points, sweep);
  td_status status = td_sweep_write(sweep, s->name, s->files);
  if (status == TD_OK && s->opt->indices) status = write_indices(s, points, sweep, o);
  if (status == TD_OK) status = write_svg(s, points, sweep);
  cJSON* shown = s->opt->json ? cJSON_Duplicate(o, true) : NULL;
  cJSON* listed = cJSON_Duplicate(o, true);
  if (status == TD_OK)
    status = session_write_json(s, "sweep.json", o);
  else
    cJSON_Delete(o);
  int code = session_wrote(s, status);
  if (code == CODE_DONE)
    code = session_commit(s, "sweep", listed);
  else
    cJSON_Delete(listed);
  if (code == CODE_DONE) unlink(journal);
  if (shown && code == CODE_DONE)
    json_print(shown);
  else
    cJSON_Delete(shown);
  if (code == CODE_DONE && st.failed == st.points)
    code = complain(CODE_NUMERICS, "all %d points failed; the first: %s", st.points,
                    td_sweep_status(sweep, 0));
  return code;
}

// ---- the command --------------------------------------------------------------------------------

// Make a directory and those above it.
static int make_directory(const char* path) {
  char* part = format_text("%s", path);
  if (!part) return complain(CODE_NUMERICS, "out of memory");
  int code = CODE_DONE;
  for (char* slash = part + 1; code == CODE_DONE; slash++) {
    slash += strcspn(slash, "/");
    const char was = *slash;
    *slash = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
      code = complain(CODE_FILE, "cannot make the directory '%s': %s", part, strerror(errno));
    *slash = was;
    if (!was) break;
  }
  free(part);
  return code;
}

static td_status load_again(void* user, td_spec* spec) { return session_load(user, spec); }

// Prepare the sweep, run it and write its table.
static int sweep(session* s, td_link* link) {
  const options* opt = s->opt;
  td_points* points = td_points_new();
  if (!points) return complain(CODE_NUMERICS, "out of memory");
  char message[700] = "", *journal = NULL;
  td_sweep* run = NULL;
  int code = make_points(s, points);
  const bool leads = td_link_rank(link) == 0;

  // the output directory, in which the journal is
  if (code == CODE_DONE && leads) {
    code = session_output(s);
    if (code == CODE_DONE) journal = format_text("%s/sweep.journal", s->out);
  }
  if (code == CODE_DONE) {
    td_sim_options sim = sim_options(s);
    sim.progress = NULL;
    td_sweep_options o = td_sweep_options_default();
    o.what = opt->what;
    o.keep = opt->keep;
    if (opt->count) o.modes = opt->count;
    if (opt->jobs) o.threads = opt->jobs;
    o.any = opt->any;
    o.from_rest = opt->from_rest;
    o.sim = &sim;
    o.journal = journal;
    o.resume = opt->resume;
    o.link = link;
    o.progress = progress_show;
    o.user = &s->progress;
    const td_sweep_source source = {s, load_again};
    const td_status status =
        td_sweep_new(&source, s->spec, s->model, points, &o, &run, message, sizeof message);
    if (status != TD_OK) code = complain(code_of(status), "sweep: %s", message);
  }

  // run it
  if (code == CODE_DONE && leads) code = make_directory(s->out);
  if (code == CODE_DONE) {
    if (leads) say_sizes(s);
    if (leads) say(s, "%d points\n", td_points_count(points));
    stop_on_signal();
    progress_clear(&s->progress);
    const td_status status = td_sweep_run(run, message, sizeof message);
    progress_clear(&s->progress);
    if (status == TD_E_STOPPED)
      code = complain(CODE_NUMERICS, "sweep: stopped after %d of %d points; --resume goes on",
                      td_sweep_statistics(run).done, td_sweep_rows(run));
    else if (status != TD_OK)
      code = complain(code_of(status), "sweep: %s", *message ? message : td_status_text(status));
    else if (leads)
      code = finish(s, points, run, journal);
  }
  td_sweep_free(run);
  td_points_free(points);
  free(journal);
  return code;
}

// Sweep a model, alone or as one of the processes of an MPI launcher.
int cmd_sweep(const options* opt) {
  char message[700];
  td_link* link = NULL;
  if (opt->jobs > 16) return complain(CODE_USE, "-j must be at most 16, got %d", opt->jobs);
  const td_status linked = td_link_open(&link, message, sizeof message);
  if (linked != TD_OK) return complain(code_of(linked), "%s", message);

  // only rank 0 talks
  options own = *opt;
  if (td_link_rank(link) > 0 &&
      (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
    own.quiet = true;
  session s = {0};
  int code = session_open(&s, &own);
  if (code == CODE_DONE) code = sweep(&s, link);
  session_close(&s);
  td_link_close(link);
  return code;
}
