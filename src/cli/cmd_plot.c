// tendril plot: curves of results as SVG, or as a gnuplot script.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { MOST = 64 };  // curves in one figure

typedef struct chosen {
  int list[MOST], n;
} chosen;

static bool add(chosen* c, int column) {
  for (int i = 0; i < c->n; i++)
    if (c->list[i] == column) return true;
  if (c->n == MOST) return false;
  c->list[c->n++] = column;
  return true;
}

// "tip" also stands for tip_x, tip_y ...
static bool is_component(const char* column, const char* name, size_t n) {
  return strncmp(column, name, n) == 0 && column[n] == '_' && strlen(column) <= n + 3;
}

static int unknown(const td_table* t, const char* name) {
  const char* near = td_nearest(name, (const char* const*)t->names, t->cols);
  if (near) return complain(CODE_USE, "no column '%s'; did you mean '%s'?", name, near);
  return complain(CODE_USE, "no column '%s' in these results", name);
}

// Columns by name, separated by commas.
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

// What comes before q1, or everything.
static void choose_sensors(const td_table* t, int x, chosen* c) {
  int end = td_table_find(t, "q1");
  if (end <= 1) end = t->cols;
  for (int i = 0; i < end && c->n < MOST; i++)
    if (i != x) add(c, i);
}

// The file, in its directory at once.
static int write_text(const char* path, const char* text) {
  const char* slash = strrchr(path, '/');
  char* directory =
      slash ? format_text("%.*s", (int)(slash - path) + !(slash - path), path) : format_text(".");
  td_files* files = NULL;
  char message[600] = "out of memory";
  td_status status =
      directory ? td_files_open(directory, &files, message, sizeof message) : TD_E_NOMEM;
  if (status == TD_OK) {
    status = td_files_text(files, slash ? slash + 1 : path, text);
    if (status == TD_OK) status = td_files_commit(files);
    if (status != TD_OK) snprintf(message, sizeof message, "%s", td_files_error(files));
    td_files_close(files);
  }
  free(directory);
  return status == TD_OK ? CODE_DONE : complain(code_of(status), "%s", message);
}

static int draw(const options* opt, const td_table* t, const char* csv, const char* path) {
  chosen c = {.n = 0};
  const int x = opt->x ? td_table_find(t, opt->x) : 0;
  if (x < 0) return unknown(t, opt->x);
  if (opt->y) {
    const int code = choose(t, opt->y, &c);
    if (code) return code;
  } else {
    choose_sensors(t, x, &c);
  }
  if (c.n == 0) return complain(CODE_USE, "there is nothing to plot over '%s'", t->names[x]);
  const td_plot plot = {.table = t,
                        .x = x,
                        .y = c.list,
                        .ny = c.n,
                        .title = "",
                        .x_label = strcmp(t->names[x], "t") == 0 ? "t [s]" : NULL,
                        .width = 140,
                        .height = 80};
  char* text = NULL;
  char* svg = opt->gnuplot ? format_text("%s.svg", path) : NULL;
  const td_status status = opt->gnuplot ? td_plot_gnuplot(&plot, csv, svg ? svg : "plot.svg", &text)
                                        : td_plot_svg(&plot, &text);
  int code = code_of(status);
  if (status != TD_OK) complain(0, "%s", td_status_text(status));
  if (status == TD_OK) code = write_text(path, text);
  if (code == CODE_DONE && !opt->quiet) printf("%s\n", path);
  free(svg);
  free(text);
  return code;
}

static bool is_directory(const char* path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int cmd_plot(const options* opt) {
  const bool directory = is_directory(opt->target);
  char* csv =
      directory ? format_text("%s/trajectory.csv", opt->target) : format_text("%s", opt->target);
  const char* ending = opt->gnuplot ? "gp" : "svg";
  char* path = opt->out    ? format_text("%s", opt->out)
               : directory ? format_text("%s/plot.%s", opt->target, ending)
                           : format_text("plot.%s", ending);
  int code = CODE_NUMERICS;
  td_table* figures = NULL;
  char message[300] = "out of memory";
  if (csv && path) {
    const td_status status = td_table_read(csv, &figures, message, sizeof message);
    code =
        status == TD_OK ? draw(opt, figures, csv, path) : complain(code_of(status), "%s", message);
  }
  td_table_free(figures);
  free(csv);
  free(path);
  return code;
}
