// A session: one model from text to files.  Everything that a command prints for people is printed
// by say().
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

// Exit code of a status
int code_of(td_status status) {
  switch (status) {
    case TD_OK:
      return CODE_DONE;
    case TD_E_USAGE:
      return CODE_USE;
    case TD_E_SYNTAX:
    case TD_E_MODEL:
      return CODE_MODEL;
    case TD_E_NOMEM:
    case TD_E_SINGULAR:
    case TD_E_DIVERGED:
    case TD_E_STOPPED:
    case TD_E_INFINITE:
      return CODE_NUMERICS;
    case TD_E_IO:
      return CODE_FILE;
    case TD_STATUS_COUNT:
      break;
  }
  return CODE_NUMERICS;
}

// ---- talking ----------------------------------------------------------------------------------

// Print for people, unless --json or --quiet is given.
void say(const session* s, const char* format, ...) {
  if (s->opt->json || s->opt->quiet) return;
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
}

void say_heading(const session* s, const char* format, ...) {
  if (s->opt->json || s->opt->quiet) return;
  const bool colour = colour_on(stdout);
  va_list args;
  va_start(args, format);
  fputs(colour ? "\n\033[1m" : "\n", stdout);
  vprintf(format, args);
  puts(colour ? "\033[0m" : "");
  va_end(args);
}

void say_time(session* s, double t) {
  if (td_model_uses_time(s->model))
    say(s, "  the model depends on time; this is for t = %g s\n", t);
}

// Print one line of the messages; "error:" in red and "warning:" in yellow on a terminal.
static void show_line(const char* line, int n, bool colour) {
  static const struct {
    const char *word, *begin;
  } marks[] = {{" error: ", "\033[1;31m"}, {" warning: ", "\033[1;33m"}};
  for (size_t k = 0; colour && k < sizeof marks / sizeof *marks; k++) {
    const char* at = strstr(line, marks[k].word);
    if (!at || at >= line + n) continue;
    const int before = (int)(at - line), length = (int)strlen(marks[k].word);
    fprintf(stderr, "%.*s%s%s\033[0m%.*s\n", before, line, marks[k].begin, marks[k].word,
            n - before - length, at + length);
    return;
  }
  fprintf(stderr, "%.*s\n", n, line);
}

// Print the messages of the text.
static void show_messages(session* s) {
  if (td_spec_message_count(s->spec) == 0) return;
  if (s->opt->quiet && td_spec_error_count(s->spec) == 0) return;
  const bool colour = colour_on(stderr);
  for (const char* line = td_spec_messages(s->spec); *line;) {
    const int n = (int)strcspn(line, "\n");
    show_line(line, n, colour);
    line += n + (line[n] == '\n');
  }
}

// Print the messages as {"errors": [{"severity", "file", "line", "column", "text"}]}.
static void print_messages_json(const session* s) {
  static const char* const severity[] = {"note", "warning", "error"};
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < td_spec_message_count(s->spec); i++) {
    const td_message m = td_spec_message(s->spec, i);
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "severity", severity[m.severity]);
    cJSON_AddStringToObject(item, "file", m.file ? m.file : "");
    json_add_number(item, "line", m.line);
    json_add_number(item, "column", m.column);
    cJSON_AddStringToObject(item, "text", m.text);
    cJSON_AddItemToArray(list, item);
  }
  cJSON* object = cJSON_CreateObject();
  json_add(object, "errors", list);
  json_print(object);
}

// Report a failed analysis with its reason; returns the exit code.
int session_failed(session* s, td_status status, const char* what) {
  progress_clear(&s->progress);
  const char* why = s->work ? td_work_failure(s->work) : "";
  complain(0, "%s: %s%s%s", what, td_status_text(status), *why ? ": " : "", why);
  return code_of(status);
}

// ---- loading ----------------------------------------------------------------------------------

// Allow the text to read a file that --set names.  Texts give names relative to the model's folder,
// and so does --set, wherever the command is called; a folder is no file, and allows nothing.
static td_status allow_named(const session* s, td_spec* spec, const char* value) {
  const char* slash = strrchr(s->name, '/');
  struct stat info;
  char* path = *value == '/' || !slash
                   ? format_text("%s", value)
                   : format_text("%.*s%s", (int)(slash + 1 - s->name), s->name, value);
  td_status status = path ? TD_OK : TD_E_NOMEM;
  if (path && stat(path, &info) == 0 && S_ISREG(info.st_mode))
    status = td_spec_allow_read(spec, path);
  free(path);
  return status;
}

// Load the session's text with the values of --set, and the text that the command adds.
td_status session_load(const session* s, td_spec* spec) {
  td_status status = s->opt->force_range ? td_spec_beyond_ranges(spec) : TD_OK;
  for (int i = 0; status == TD_OK && i < s->opt->nset; i++) {
    const char *text = s->opt->set[i], *equals = strchr(text, '=');
    char* name = format_text("%.*s", (int)(equals - text), text);
    status = name ? td_spec_override(spec, name, equals + 1) : TD_E_NOMEM;
    free(name);
  }
  if (status == TD_OK && s->opt->allow_read) status = td_spec_allow_read(spec, NULL);
  for (int i = 0; status == TD_OK && i < s->opt->nset; i++)
    status = allow_named(s, spec, strchr(s->opt->set[i], '=') + 1);
  if (status != TD_OK) return status;
  status = s->text ? td_spec_load_string(spec, s->name, s->text) : td_spec_load_file(spec, s->name);
  return status == TD_OK && s->opt->more ? td_spec_load_string(spec, "plot", s->opt->more) : status;
}

bool is_set(const options* opt, const char* name) {
  const size_t n = strlen(name);
  for (int i = 0; i < opt->nset; i++) {
    if (strncmp(opt->set[i], name, n) == 0 && opt->set[i][n] == '=') return true;
  }
  return false;
}

// Read the state of --at and --time; inputs of --set take precedence over those of the file.
static int state_from_file(session* s) {
  double* u = calloc((size_t)s->n.nu + 1, sizeof *u);
  if (!u) return complain(CODE_NUMERICS, "out of memory");
  if (s->n.nu) memcpy(u, s->state->u, (size_t)s->n.nu * sizeof *u);
  const td_status status =
      td_state_read(s->model, s->opt->at, s->opt->time, s->state, s->from, sizeof s->from);

  // inputs of --set
  for (int i = 0; i < s->n.nu; i++) {
    if (is_set(s->opt, td_model_input_name(s->model, i))) s->state->u[i] = u[i];
  }
  free(u);
  if (status == TD_OK) return CODE_DONE;
  return complain(status == TD_E_USAGE ? CODE_USE : CODE_FILE, "--at: %s", s->from);
}

// Write the chosen resolution of the rods (--write-discretisation) as lines of a model.
static int write_discretisation(session* s) {
  const char* path = s->opt->discretisation;
  if (!*s->chosen)
    return complain(CODE_USE,
                    "--write-discretisation: nothing was chosen; it needs --accuracy or "
                    "par.accuracy and a rod without n, order and elements");
  const char* slash = strrchr(path, '/');
  char* folder = slash ? format_text("%.*s", (int)(slash - path) + 1, path) : format_text(".");
  const char* statement = strstr(s->chosen, " with ");
  char* text = format_text("%% %.*s\n", (int)strcspn(s->chosen, ";"), s->chosen);
  for (statement = statement ? statement + 6 : ""; text && *statement;) {
    const int n = (int)strcspn(statement, ";");
    char* more = format_text("%s%.*s;\n", text, n, statement);
    free(text);
    text = more;
    statement += n + (statement[n] == ';');
    statement += strspn(statement, " ");
  }
  const int code = folder && text ? file_write(folder, slash ? slash + 1 : path, text)
                                  : complain(CODE_NUMERICS, "out of memory");
  free(folder);
  free(text);
  return code;
}

// Load and compile the model, print its messages, and go to the initial state or to that of --at.
int session_open(session* s, const options* opt) {
  s->opt = opt;
  if (!s->name) s->name = opt->target;
  s->spec = td_spec_new();
  if (!s->spec) return complain(CODE_NUMERICS, "out of memory");

  // a text some of whose statements failed is checked all the same
  double start = seconds();
  td_status status = session_load(s, s->spec);
  s->timings[TIME_LOAD] = seconds() - start;
  if (status == TD_OK || status == TD_E_MODEL) {
    start = seconds();
    status = td_model_compile(s->spec, &s->model);
    s->timings[TIME_COMPILE] = seconds() - start;
  }

  // rods by the requested accuracy
  if (status == TD_OK) {
    s->asked = td_model_accuracy(s->model, &s->asked_written);
    if (!isnan(opt->accuracy)) {
      s->asked = opt->accuracy;
      s->asked_written = true;
    }
    bool sensors = false;
    for (int i = 0; i < td_model_sizes(s->model).nsensor; i++)
      sensors = sensors || td_sensor_accuracy(s->model, i) > 0;
    if ((s->asked_written && s->asked > 0) || sensors) {
      start = seconds();
      status = td_model_choose(s->spec, s->asked_written ? s->asked : 0, &s->model, s->chosen,
                               sizeof s->chosen);
      s->timings[TIME_COMPILE] += seconds() - start;
    }
  }

  // text of disp and fprintf, not on the standard output with --json; then messages
  const char* printed = td_spec_printed(s->spec);
  if (*printed && !opt->quiet) fputs(printed, opt->json ? stderr : stdout);
  show_messages(s);
  if (status != TD_OK) {
    if (td_spec_error_count(s->spec) == 0)
      complain(0, "cannot load '%s': %s", s->name, td_status_text(status));
    if (opt->json) print_messages_json(s);
    return code_of(status);
  }

  // initial state
  s->n = td_model_sizes(s->model);
  s->work = td_work_new(s->model);
  s->state = td_state_new(s->model);
  s->rest = td_state_new(s->model);
  if (!s->work || !s->state || !s->rest) return complain(CODE_NUMERICS, "out of memory");
  status = td_state_initial(s->model, s->work, s->state);
  if (status != TD_OK) return session_failed(s, status, "initial state");
  int code = opt->discretisation ? write_discretisation(s) : CODE_DONE;
  if (code == CODE_DONE && opt->at) code = state_from_file(s);
  if (code == CODE_DONE && opt->at) td_taut_choose(s->model, s->state, s->work);
  return code;
}

// Free everything a session holds; members that were never made are NULL.
void session_close(session* s) {
  td_bars_free(s->bars);
  td_bars_drop(s->motion_error);
  free(s->sensor_error);
  free(s->frequency_error);
  free(s->equil_trust.reasons);
  free(s->modes_trust.reasons);
  free(s->motion_trust.reasons);
  td_files_close(s->files);
  td_trajectory_free(s->trajectory);
  td_modes_free(s->modes);
  td_state_free(s->rest);
  td_state_free(s->state);
  td_work_free(s->work);
  td_work_free(s->belief);
  td_model_free(s->model);
  td_spec_free(s->spec);
  free(s->study);
  free(s->input_block);
  free(s->input_index);
  free(s->out);
}

// ---- files ------------------------------------------------------------------------------------

// Open the output directory; from now on a signal requests the command to stop.
int session_output(session* s) {
  // the directory of -o, or of the model's name: "dir/arm.m" -> "arm.out"
  const char *slash = strrchr(s->name, '/'), *base = slash ? slash + 1 : s->name;
  const size_t n = strlen(base);
  const bool has_m = n > 2 && strcmp(base + n - 2, ".m") == 0;
  s->out = s->opt->out ? format_text("%s", s->opt->out)
                       : format_text("%.*s.out", (int)(has_m ? n - 2 : n), base);
  if (!s->out) return complain(CODE_NUMERICS, "out of memory");
  char message[600];
  const td_status status = td_files_open(s->out, &s->files, message, sizeof message);
  if (status != TD_OK) return complain(code_of(status), "%s", message);
  td_files_progress(s->files, progress_show, &s->progress);
  stop_on_signal();
  progress_clear(&s->progress);
  return CODE_DONE;
}

int session_wrote(session* s, td_status status) {
  if (status == TD_OK) return CODE_DONE;
  const char* why = td_files_error(s->files);
  return complain(code_of(status), "%s", *why ? why : td_status_text(status));
}

// Stage an object as a file and release it.
td_status session_write_json(session* s, const char* name, cJSON* object) {
  char* text = cJSON_Print(object);
  cJSON_Delete(object);
  char* line = text ? format_text("%s\n", text) : NULL;
  const td_status status = line ? td_files_text(s->files, name, line) : TD_E_NOMEM;
  cJSON_free(text);
  free(line);
  return status;
}

int session_run(const options* opt, int (*run)(session* s)) {
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = run(&s);
  session_close(&s);
  return code;
}

// Write one file into a directory, whole or not at all.
int file_write(const char* directory, const char* name, const char* text) {
  td_files* files = NULL;
  char message[600] = "";
  stop_on_signal();
  td_status status = td_files_open(directory, &files, message, sizeof message);
  if (status == TD_OK) {
    status = td_files_text(files, name, text);
    if (status == TD_OK) status = td_files_commit(files);
    if (status != TD_OK) snprintf(message, sizeof message, "%s", td_files_error(files));
    td_files_close(files);
  }
  return status == TD_OK ? CODE_DONE : complain(code_of(status), "%s", message);
}

bool is_directory(const char* path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool sensors_at(const session* s, const td_state* state, double* values) {
  const td_status status = td_sensors(s->model, state, s->work, values);
  return status == TD_OK || status == TD_E_INFINITE;
}
