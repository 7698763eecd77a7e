// summary.json: sizes, statistics, timings, energy balance, versions and the exact command; and the
// end of a command, where summary and report are added to the results and all files put in place.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include "cli/cli.h"

// Sizes of the model
cJSON* sizes_json(const session* s) {
  cJSON* o = cJSON_CreateObject();
  const td_sizes n = s->n;
  const struct {
    const char* name;
    int value;
  } rows[] = {{"nq", n.nq},
              {"nv", n.nv},
              {"nfree", n.nfree},
              {"inputs", n.nu},
              {"parameters", n.nparam},
              {"bodies", n.nbody},
              {"joints", n.njoint},
              {"rods", n.nrod},
              {"meshes", n.nmesh},
              {"stations", n.nstation},
              {"constraints", n.nconstraint},
              {"forces", n.nforce},
              {"sensors", n.nsensor},
              {"events", n.nevent},
              {"internals", n.nz}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    json_add_number(o, rows[i].name, rows[i].value);
  }
  return o;
}

cJSON* names_json(const td_model* model, int n, const char* (*name)(const td_model*, int)) {
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < n; i++) cJSON_AddItemToArray(list, cJSON_CreateString(name(model, i)));
  return list;
}

// Print the sizes of the model in one line.
void say_sizes(session* s) {
  const td_sizes n = s->n;
  say(s, "%s: bodies %d, joints %d, ", s->name, n.nbody, n.njoint);
  if (n.nrod) say(s, "rods %d, ", n.nrod);
  if (n.nmesh) say(s, "meshes %d, ", n.nmesh);
  say(s, "coordinates %d", n.nq);
  if (n.nfree != n.nv) say(s, " (prescribed %d)", n.nv - n.nfree);
  if (n.nz) say(s, ", internal states %d", n.nz);
  say(s, ", constraints %d, forces %d, sensors %d\n", n.nconstraint, n.nforce, n.nsensor);
  if (*s->chosen) say(s, "  %s\n", s->chosen);
}

// Count the sensors from i on that are components of one vector.
int component_count(const session* s, int i, size_t* stem) {
  const char* name = td_model_sensor_name(s->model, i);
  const char* cut = strrchr(name, '_');
  if (!cut || (strcmp(cut, "_x") != 0 && strcmp(cut, "_1") != 0)) return 1;
  *stem = (size_t)(cut - name);
  int n = 1;
  for (; i + n < s->n.nsensor; n++) {
    char end[16];
    snprintf(end, sizeof end, cut[1] == 'x' ? "_%c" : "_%d", cut[1] == 'x' ? 'x' + n : n + 1);
    const char* next = td_model_sensor_name(s->model, i + n);
    if (strncmp(next, name, *stem) != 0 || strcmp(next + *stem, end) != 0) break;
    if (cut[1] == 'x' && n == 3) break;
  }
  return n;
}

// JSON object of the sensors' values at a state by name, components of a vector as an array; empty
// if they cannot be evaluated.
cJSON* by_sensor_json(const session* s, const double* values) {
  cJSON* o = cJSON_CreateObject();
  for (int i = 0; i < s->n.nsensor;) {
    const char* name = td_model_sensor_name(s->model, i);
    size_t stem = strlen(name);
    const int n = component_count(s, i, &stem);
    char* key = n > 1 ? format_text("%.*s", (int)stem, name) : format_text("%s", name);
    if (key) json_add(o, key, n > 1 ? json_vector(values + i, n) : json_number(values[i]));
    free(key);
    i += n;
  }
  return o;
}

cJSON* sensors_json(session* s, const td_state* state) {
  double* values = calloc((size_t)s->n.nsensor + 1, sizeof *values);
  cJSON* o =
      values && sensors_at(s, state, values) ? by_sensor_json(s, values) : cJSON_CreateObject();
  free(values);
  return o;
}

cJSON* inputs_json(const session* s, const td_state* state) {
  cJSON* o = cJSON_CreateObject();
  for (int i = 0; i < s->n.nu; i++) {
    json_add_number(o, td_model_input_name(s->model, i), state->u[i]);
  }
  return o;
}

cJSON* internals_json(const session* s, const td_state* state) {
  cJSON* o = cJSON_CreateObject();
  for (int i = 0; i < s->n.nz; i++)
    json_add_number(o, td_model_internal_name(s->model, i), state->z[i]);
  return o;
}

cJSON* energies_json(td_energies e) {
  cJSON* o = cJSON_CreateObject();
  json_add_number(o, "kinetic", e.kinetic);
  json_add_number(o, "elastic", e.elastic);
  json_add_number(o, "gravity", e.gravity);
  return o;
}

// Quote a word as a shell does: 'it'\''s'; `out` has room for 4 n + 3 bytes.
static void quote(const char* arg, char* out) {
  const bool plain = *arg && !strpbrk(arg, " \t\n'\"\\$`*?[]{}()<>|&;#~!");
  if (!plain) *out++ = '\'';
  for (; *arg; arg++) {
    if (*arg == '\'') {
      memcpy(out, "'\\'", 3);
      out += 3;
    }
    *out++ = *arg;
  }
  if (!plain) *out++ = '\'';
  *out = '\0';
}

// The command as typed; to be freed, NULL: no memory
static char* command_line(const options* opt) {
  size_t size = sizeof "tendril";
  for (int i = 1; i < opt->argc; i++) size += 4 * strlen(opt->argv[i]) + 4;
  char* line = malloc(size);
  if (!line) return NULL;
  strcpy(line, "tendril");
  for (int i = 1; i < opt->argc; i++) {
    char* end = line + strlen(line);
    *end = ' ';
    quote(opt->argv[i], end + 1);
  }
  return line;
}

// Statistics of the simulation, or of the equilibrium when there was none
static cJSON* statistics_json(const session* s) {
  cJSON* o = cJSON_CreateObject();
  if (s->trajectory) {
    const td_sim_stats* st = td_trajectory_stats(s->trajectory);
    json_add_number(o, "steps", (double)st->steps);
    json_add_number(o, "rejected", (double)st->rejected);
    json_add_number(o, "evaluations", (double)st->evaluations);
    json_add_number(o, "tangents", (double)st->tangents);
    json_add_number(o, "factorisations", (double)st->factorisations);
    json_add_number(o, "projections", (double)st->projections);
    json_add_number(o, "events", (double)st->events);
    json_add_number(o, "stops", (double)st->stops);
  } else if (s->has_equil) {
    json_add_number(o, "iterations", s->equil.iterations);
    json_add_number(o, "evaluations", s->equil.evaluations);
    json_add_number(o, "tangents", s->equil.tangents);
  }
  return o;
}

const char* trust_text(td_verdict verdict) {
  switch (verdict) {
    case TD_TRUST_OK:
      return "ok";
    case TD_TRUST_LOOK:
      return "look";
    case TD_TRUST_WRONG:
      return "wrong";
  }
  return "";
}

// A verdict with its reasons, one in each line of the text
cJSON* trust_json(td_verdict verdict, const char* reasons) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "verdict", trust_text(verdict));
  cJSON* list = cJSON_AddArrayToObject(o, "reasons");
  while (*reasons) {
    const int n = (int)strcspn(reasons, "\n");
    char* one = format_text("%.*s", n, reasons);
    if (one) cJSON_AddItemToArray(list, cJSON_CreateString(one));
    free(one);
    reasons += n + (reasons[n] == '\n');
  }
  return o;
}

// Solver, errors and events of a simulation
static cJSON* simulation_json(const td_trajectory* trajectory) {
  const td_sim_stats* st = td_trajectory_stats(trajectory);
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "solver", td_solver_name(st->solver));
  cJSON_AddStringToObject(o, "why", st->why);
  cJSON_AddStringToObject(o, "derived_code", st->code);
  json_add_number(o, "t_end", st->t_end);
  json_add_number(o, "rows", td_trajectory_rows(trajectory));
  cJSON_AddBoolToObject(o, "partial", st->partial);

  // errors
  cJSON_AddStringToObject(o, "diagnosis", td_trajectory_diagnosis(trajectory));
  json_add_number(o, "max_constraint_error", st->max_constraint_error);
  json_add_number(o, "max_velocity_error", st->max_velocity_error);
  json_add_number(o, "time_error", st->time_error);

  // events
  cJSON* events = cJSON_AddArrayToObject(o, "events");
  for (int i = 0; i < td_trajectory_event_count(trajectory); i++) {
    double t;
    int event;
    td_trajectory_event(trajectory, i, &t, &event);
    cJSON* item = cJSON_CreateObject();
    json_add_number(item, "t", t);
    json_add_number(item, "event", event + 1);
    cJSON_AddItemToArray(events, item);
  }
  return o;
}

// Summaries of other commands in the same directory: the last one, and those that it contains;
// NULL: none
cJSON* earlier_json(const session* s) {
  cJSON* kept = NULL;
  char* path = format_text("%s/summary.json", s->out);
  cJSON* before = path ? json_read(path) : NULL;

  // the command that wrote the last summary, "sim"
  const cJSON* line = cJSON_GetObjectItemCaseSensitive(before, "command");
  const char* word = cJSON_IsString(line) ? strchr(line->valuestring, ' ') : NULL;
  char* name = word ? format_text("%.*s", (int)strcspn(word + 1, " "), word + 1) : NULL;
  if (name) {
    // those that the last summary contains, without the present command
    kept = cJSON_DetachItemFromObjectCaseSensitive(before, "earlier");
    if (!cJSON_IsObject(kept)) {
      cJSON_Delete(kept);
      kept = cJSON_CreateObject();
    }
    cJSON_DeleteItemFromObjectCaseSensitive(kept, name);
    json_add(kept, name, before);
    before = NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(kept, s->opt->argv[1]);
  }

  // nothing but the same command
  if (kept && !kept->child) {
    cJSON_Delete(kept);
    kept = NULL;
  }
  cJSON_Delete(before);
  free(name);
  free(path);
  return kept;
}

// The equilibrium, with state, multipliers, sensors and energy
cJSON* equil_json(session* s) {
  const td_equil_result* r = &s->equil;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddBoolToObject(o, "converged", r->converged);
  cJSON_AddBoolToObject(o, "stable", r->stability == TD_STABLE);
  cJSON_AddStringToObject(o, "stability", td_stability_text(r->stability));
  json_add_number(o, "critical", r->critical);
  cJSON_AddBoolToObject(o, "conservative", r->conservative);
  cJSON_AddStringToObject(o, "strategy", td_strategy_text(r->strategy));
  cJSON_AddStringToObject(o, "note", r->note);
  json_add_number(o, "residual", r->residual);
  json_add_number(o, "iterations", r->iterations);
  json_add_number(o, "evaluations", r->evaluations);
  json_add_number(o, "tangents", r->tangents);

  // state, multipliers, sensors, energy
  json_add_number(o, "t", s->rest->t);
  json_add(o, "q", json_vector(s->rest->q, s->n.nq));
  if (s->n.nz) json_add(o, "z", internals_json(s, s->rest));
  json_add(o, "u", inputs_json(s, s->rest));
  if (td_forward_dynamics(s->model, s->rest, s->work) == TD_OK) {
    json_add(o, "lambda", json_vector(td_work_lambda(s->work), s->n.nconstraint));
  }
  json_add(o, "sensors", sensors_json(s, s->rest));
  if (s->sensor_error) json_add(o, "errors", by_sensor_json(s, s->sensor_error));
  if (s->sensor_error)
    json_add(o, "trust", trust_json(s->equil_trust.verdict, s->equil_trust.reasons));
  json_add(o, "energy", energies_json(td_energy(s->model, s->rest, s->work)));
  return o;
}

// The accuracy that was requested, that which was reached, and the rods
cJSON* accuracy_json(const session* s) {
  cJSON* o = cJSON_CreateObject();
  json_add_number(o, "asked", s->asked);
  cJSON_AddBoolToObject(o, "written", s->asked_written);
  double reached = s->sensor_error ? s->equil_judged.reached : NAN;
  if (s->frequency_error && !(reached >= s->modes_judged.reached))
    reached = s->modes_judged.reached;
  double space = reached;
  if (s->motion_error) {
    const double* r = s->motion_reached;
    reached = isnan(reached) || reached < r[0] ? r[0] : reached;
    space = isnan(space) || space < r[1] ? r[1] : space;
    json_add_number(o, "time", r[2]);
    json_add_number(o, "constraint", r[3]);
    json_add(o, "motion_trust", trust_json(s->motion_trust.verdict, s->motion_trust.reasons));
  }
  json_add_number(o, "reached", reached);
  json_add_number(o, "space", space);
  if (*s->chosen) cJSON_AddStringToObject(o, "why", s->chosen);
  cJSON* chosen = cJSON_AddObjectToObject(o, "chosen");
  td_rod rod;
  for (int i = 0; i < s->n.nrod && td_model_rod_about(s->model, i, &rod); i++) {
    cJSON* r = cJSON_AddObjectToObject(chosen, rod.name);
    cJSON_AddStringToObject(r, "model", rod.model);
    json_add_number(r, "n", rod.n);
    if (strcmp(rod.model, "gvs") != 0) continue;
    cJSON *order = cJSON_AddArrayToObject(r, "order"),
          *elements = cJSON_AddArrayToObject(r, "elements");
    for (int d = 0; d < 6; d++) {
      cJSON_AddItemToArray(order, cJSON_CreateNumber(rod.order[d]));
      cJSON_AddItemToArray(elements, cJSON_CreateNumber(rod.elements[d]));
    }
    json_add_number(r, "points", rod.points);
    json_add_number(r, "magnus", rod.magnus);
  }
  return o;
}

// The summary of a session, without the results of single commands
cJSON* summary_json(session* s) {
  cJSON* o = cJSON_CreateObject();
  char* line = command_line(s->opt);
  cJSON_AddStringToObject(o, "program", "tendril");
  cJSON_AddStringToObject(o, "command", line ? line : "");
  cJSON_AddStringToObject(o, "model", s->name);
  if (*s->from) cJSON_AddStringToObject(o, "from", s->from);
  cJSON_AddBoolToObject(o, "partial", s->partial);
  json_add(o, "sizes", sizes_json(s));
  cJSON* parameters = cJSON_CreateObject();
  const char *name, *text;
  double value;
  for (int i = 0; td_spec_param_about(s->spec, i, &name, &value, &text); i++)
    json_add(parameters, name, text ? cJSON_CreateString(text) : json_number(value));
  json_add(o, "parameters", parameters);
  json_add(o, "inputs", inputs_json(s, s->state));
  if (s->has_equil) json_add(o, "equilibrium", equil_json(s));
  if (s->sensor_error || s->frequency_error || s->motion_error)
    json_add(o, "accuracy", accuracy_json(s));

  // simulation with its verdict and energy balance
  if (s->trajectory) {
    const td_sim_stats* st = td_trajectory_stats(s->trajectory);
    td_verdict verdict;
    char* reasons = bars_reasons(s, &verdict);
    json_add(o, "trust", trust_json(verdict, reasons ? reasons : ""));
    free(reasons);
    json_add(o, "simulation", simulation_json(s->trajectory));
    cJSON* energy = cJSON_CreateObject();
    json_add_number(energy, "start", st->energy_start);
    json_add_number(energy, "end", st->energy_end);
    json_add_number(energy, "work", st->work_done);
    json_add_number(energy, "error", st->energy_error);
    json_add(o, "energy", energy);
  }
  json_add(o, "statistics", statistics_json(s));

  // timings, versions, files
  static const char* const stages[TIME_COUNT] = {"load",  "compile",  "equil",
                                                 "modes", "simulate", "write"};
  cJSON* timings = cJSON_CreateObject();
  for (int i = 0; i < TIME_COUNT; i++) json_add_number(timings, stages[i], s->timings[i]);
  json_add(o, "timings", timings);
  td_part parts[16];
  const int nparts = td_parts(parts, 16);
  cJSON* versions = cJSON_CreateObject();
  cJSON_AddStringToObject(versions, "tendril", td_version());
  for (int i = 0; i < nparts; i++)
    cJSON_AddStringToObject(versions, parts[i].name, parts[i].version);
  json_add(o, "versions", versions);
  cJSON* files = s->files ? cJSON_AddArrayToObject(o, "files") : NULL;
  for (int i = 0; files && i < td_files_count(s->files); i++)
    cJSON_AddItemToArray(files, cJSON_CreateString(td_files_name(s->files, i)));
  free(line);
  return o;
}

// ---- the end of a command ----------------------------------------------------------------------

// Stage report.html, titled after the model's file: "dir/four_bar.m" -> "four_bar".
static td_status report_stage(session* s, const char* summary) {
  char title[200];
  const char *slash = strrchr(s->name, '/'), *base = slash ? slash + 1 : s->name;
  const size_t n = strlen(base);
  const bool has_m = n > 2 && strcmp(base + n - 2, ".m") == 0;
  snprintf(title, sizeof title, "%.*s", (int)(has_m ? n - 2 : n), base);
  td_report report = td_report_default();
  report.spec = s->spec;
  report.model = s->model;
  report.work = s->work;
  report.state = s->state;
  report.rest = s->has_equil && s->equil.converged ? s->rest : NULL;
  report.modes = s->modes;
  report.trajectory = s->trajectory;
  report.title = title;
  report.summary = summary;
  report.errors = s->motion_error;
  report.frequency_errors = s->frequency_error;
  return td_report_write(s->files, "report.html", &report);
}

// Add summary and report to the staged files, put all in place and print where they are.  A report
// that cannot be written does not cost the results.
int session_commit(session* s, const char* what, cJSON* result) {
  cJSON* summary = summary_json(s);
  if (result) json_add(summary, what, result);
  cJSON* earlier = earlier_json(s);
  if (earlier) json_add(summary, "earlier", earlier);

  // summary.json, then the report, which contains it
  char* text = s->reports ? cJSON_PrintUnformatted(summary) : NULL;
  td_status status = session_write_json(s, "summary.json", summary);
  bool reported = s->reports;
  char* why = NULL;
  if (status == TD_OK && s->reports) {
    status = text ? report_stage(s, text) : TD_E_NOMEM;
    reported = status == TD_OK;
    if (status == TD_E_IO) {  // the disk is full for the report alone
      why = format_text("%s", td_files_error(s->files));
      status = TD_OK;
    }
  }
  cJSON_free(text);
  if (status == TD_OK) status = td_files_commit(s->files);
  int code = session_wrote(s, status);

  // an older report would be taken for that of these results
  if (code == CODE_DONE && !reported && (s->reports || s->opt->no_report)) {
    char* old = format_text("%s/report.html", s->out);
    const bool removed = old && remove(old) == 0, stays = !removed && (!old || errno != ENOENT);
    free(old);
    if (s->opt->no_report && (removed || stays))
      complain(0, "note: %s/report.html, of the results before, %s", s->out,
               removed ? "was removed" : "could not be removed");
    if (s->reports)
      code = complain(CODE_FILE, "%s: the results are there, the report is not%s",
                      why ? why : "report.html",
                      removed ? " (that of the results before was removed)"
                      : stays ? " (report.html shows the results before: it could not be removed)"
                              : "");
  }
  free(why);

  if (status == TD_OK) {
    say_heading(s, "Files in %s", s->out);
    for (int i = 0; i < td_files_count(s->files); i++) {
      say(s, "%s%s", i ? ", " : "  ", td_files_name(s->files, i));
    }
    say(s, "\n");
    if (reported) say(s, "\nReport: %s/report.html (open it in a browser)\n", s->out);
  }
  return code;
}
