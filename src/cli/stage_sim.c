// A stage of commands: dynamic simulation; trajectory.csv, .h5 and, with --mat, .mat.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

// Options of the simulation: those of the command line, and settings of the model where these are
// not given.
td_sim_options sim_options(session* s) {
  const options* opt = s->opt;
  td_sim_options o = td_sim_options_default();
  if (!isnan(opt->t_final)) o.t_final = opt->t_final;
  if (!isnan(opt->dt_out)) o.dt_out = opt->dt_out;
  if (!isnan(opt->step)) o.step = opt->step;
  if (!isnan(opt->rtol)) o.rtol = opt->rtol;
  if (!isnan(opt->atol)) o.atol = opt->atol;
  o.solver = opt->solver_given ? opt->solver : td_model_settings(s->model).solver;
  o.halve = opt->halve;
  o.allow_plugin = opt->allow_plugin;
  o.progress = progress_show;
  o.user = &s->progress;
  if (s->inputs.t) o.inputs = &s->inputs;
  return o;
}

// Find the input that a column of --inputs drives; -1: it may not, and a message tells why.
static int input_column(const session* s, const table* data, int column) {
  const char *path = s->opt->inputs, *name = data->names[column];
  const int input = td_model_input_find(s->model, name);
  if (input < 0) {
    const char* known[64];
    int count = 0;
    for (int i = 0; i < s->n.nu && count < 64; i++)
      known[count++] = td_model_input_name(s->model, i);
    const char* near = td_nearest(name, known, count);
    complain(0, "--inputs: %s:1: column %d: the model has no input '%.60s'%s%s%s", path, column + 1,
             name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return -1;
  }
  const char* other = td_model_input_is_set(s->model, input) ? "a controller of the model sets"
                      : is_set(s->opt, name)                 ? "--set gives"
                                                             : NULL;
  if (!other) return input;
  complain(0, "--inputs: %s:1: column %d is the input '%s', which %s", path, column + 1, name,
           other);
  return -1;
}

// Read --inputs: columns t and inputs that nothing else sets, each once; a number within the
// input's range in every cell; times that ascend and cover the simulation.
int sim_inputs(session* s) {
  const char* path = s->opt->inputs;
  if (!path || s->inputs.t) return CODE_DONE;
  table data = {0};
  int code = table_read(path, &data);
  if (code == CODE_FILE && data.text) code = CODE_MODEL;  // it was read, and is wrong
  const int time = code ? -1 : table_find(&data, "t");
  if (!code && time < 0) code = complain(CODE_MODEL, "--inputs: %s:1: there is no column t", path);
  if (!code && data.cols < 2)
    code = complain(CODE_MODEL, "--inputs: %s:1: there is no column but t", path);
  const size_t rows = (size_t)data.rows, n = data.cols > 0 ? (size_t)data.cols - 1 : 0;
  s->input_block = code ? NULL : calloc(rows * (n + 1) + 1, sizeof(double));
  s->input_index = code ? NULL : calloc(n + 1, sizeof(int));
  if (!code && (!s->input_block || !s->input_index))
    code = complain(CODE_NUMERICS, "out of memory");
  double* values = s->input_block ? s->input_block + rows : NULL;

  // the input of each column, and its numbers
  for (int j = 0, k = 0; !code && j < data.cols; j++) {
    double range[2];
    if (j == time) continue;
    const int input = input_column(s, &data, j);
    if (input < 0) code = CODE_MODEL;
    const bool limited =
        !code && !s->opt->force_range && td_model_input_range(s->model, input, range);
    if (!code) s->input_index[k] = input;
    for (int i = 0; !code && i < data.rows; i++) {
      const double x = values[(size_t)i * n + (size_t)k] = data.x[i * data.cols + j];
      if (limited && (x < range[0] || x > range[1]))
        code = complain(CODE_MODEL,
                        "--inputs: %s:%d: column %d: input '%s' has the range [%g %g], got %g; "
                        "--force-range goes beyond it",
                        path, data.line[i], j + 1, data.names[j], range[0], range[1], x);
    }
    k++;
  }

  // a number in every cell, ascending times
  for (int i = 0; !code && i < data.rows; i++) {
    const double* row = data.x + (size_t)i * (size_t)data.cols;
    s->input_block[i] = row[time];
    for (int j = 0; !code && j < data.cols; j++)
      if (isnan(row[j]))
        code = complain(CODE_MODEL,
                        "--inputs: %s:%d: column %d (%s) needs a number in every row, this one has "
                        "none, or nan",
                        path, data.line[i], j + 1, data.names[j]);
    if (!code && i > 0 && !(row[time] > row[time - data.cols]))
      code = complain(CODE_MODEL, "--inputs: %s:%d: times must ascend, but t = %g s follows %g s",
                      path, data.line[i], row[time], row[time - data.cols]);
  }

  // from the beginning to the end of the simulation
  const double from = s->state->t,
               end = isnan(s->opt->t_final) ? td_model_settings(s->model).t_final : s->opt->t_final,
               near = 1e-9 * fmax(1, fabs(end));
  if (!code && s->input_block[0] > from + near)
    code = complain(CODE_MODEL,
                    "--inputs: %s:%d: the table begins at t = %g s, but the simulation at %g s",
                    path, data.line[0], s->input_block[0], from);
  if (!code && s->input_block[rows - 1] < end - near)
    code = complain(CODE_MODEL,
                    "--inputs: %s:%d: the table ends at t = %g s, but the simulation at %g s", path,
                    data.line[rows - 1], s->input_block[rows - 1], end);
  if (!code)
    s->inputs = (td_input_table){.rows = data.rows,
                                 .n = (int)n,
                                 .t = s->input_block,
                                 .input = s->input_index,
                                 .values = values};
  table_free(&data);
  return code;
}

// Use of derived code: --jit, or par.mex = 1 in a file of `run`
static jit_use jit_of(const session* s) {
  return s->opt->jit == JIT_NONE && s->compiles ? JIT_SWAP : s->opt->jit;
}

// Print statistics and energy balance of the simulation.
static void say_sim(session* s) {
  const td_sim_stats* st = td_trajectory_stats(s->trajectory);
  const double wall = s->timings[TIME_SIMULATE];
  const double span = st->t_end - td_trajectory_time(s->trajectory, 0);
  say_heading(s, st->partial ? "Simulation (partial)" : "Simulation");
  say(s, "  %.6g s simulated in %.3g s (%.3g x real time), %d rows\n", span, wall, span / wall,
      td_trajectory_rows(s->trajectory));
  if (*s->from) say(s, "  started from: %s\n", s->from);

  // solver and its work
  say(s, "  solver: %s\n", st->why);
  say(s, "  steps %ld, rejected %ld, evaluations %ld, tangents %ld, factorisations %ld\n",
      st->steps, st->rejected, st->evaluations, st->tangents, st->factorisations);
  if (s->n.nconstraint) {
    say(s, "  largest constraint error: %.2g (position), %.2g (velocity)\n",
        st->max_constraint_error, st->max_velocity_error);
  }

  // energy balance
  say(s, "  energy [J]   start %12.6g\n", st->energy_start);
  say(s, "               end   %12.6g\n", st->energy_end);
  say(s, "               work  %12.6g   of inputs, loads and dampers\n", st->work_done);
  say(s, "               error %12.2g   end - start - work\n", st->energy_error);

  // derived code, time error, events
  if (jit_of(s)) say(s, "  derived code: %s\n", *st->code ? st->code : "none came in time");
  if (isfinite(st->time_error))
    say(s, "  time error by tighter tolerances: %.2g\n", st->time_error);
  const int events = td_trajectory_event_count(s->trajectory);
  if (events) say(s, "  events: %d\n", events);
}

// Print the verdict and its reasons in one line; with --json or --quiet only if it is "wrong".
void say_trust(session* s, td_verdict verdict, const char* reasons) {
  const bool silent = s->opt->json || s->opt->quiet;
  if (silent && verdict != TD_TRUST_WRONG) return;
  char* line = format_text("trust: %s", trust_text(verdict));
  for (const char* between = ": "; line && *reasons; between = "; ") {
    const int n = (int)strcspn(reasons, "\n");
    char* longer = format_text("%s%s%.*s", line, between, n, reasons);
    free(line);
    line = longer;
    reasons += n + (reasons[n] == '\n');
  }
  if (line && silent) complain(0, "%s", line);
  if (line) say(s, "%s\n", line);
  free(line);
}

// Set the parameters that controllers assume (--assume).
static int believe(session* s, td_sim_options* o) {
  if (s->opt->nassume == 0) return CODE_DONE;
  o->belief = s->belief = td_work_new(s->model);
  if (!s->belief) return complain(CODE_NUMERICS, "out of memory");
  for (int i = 0; i < s->opt->nassume; i++) {
    const char *text = s->opt->assume[i], *equals = strchr(text, '=');
    char *name = format_text("%.*s", (int)(equals - text), text), *end;

    // a parameter of the model that may change
    const double x = strtod(equals + 1, &end);
    const int param = name ? td_model_param_find(s->model, name) : -1;
    const td_status status =
        param >= 0 && !*end ? td_work_set_param(s->model, s->belief, param, x) : TD_E_USAGE;
    const bool ok = status == TD_OK;
    free(name);
    if (status == TD_E_MODEL)
      return complain(CODE_MODEL, "--assume %s: %s", text, td_work_failure(s->belief));
    if (!ok)
      return complain(CODE_USE,
                      "--assume %s: no parameter of the model that may change to a number", text);
  }
  return CODE_DONE;
}

// Start to compile derived code; unless it is to be swapped in, wait for it.
static int start_jit(session* s, td_sim_options* o, td_jit** jit) {
  if (jit_of(s) == JIT_NONE) return CODE_DONE;
  if (td_jit_new(s->model, s->work, jit) != TD_OK) return complain(CODE_NUMERICS, "out of memory");
  while (jit_of(s) != JIT_SWAP && !td_jit_done(*jit) && !stop_asked())
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  o->code = td_jit_source(*jit);
  o->code_always = s->opt->jit == JIT_ALWAYS;
  return CODE_DONE;
}

// Where the simulation starts.
static td_start start_of(const session* s) {
  if (s->opt->from_rest || s->from_rest) return TD_START_EQUILIBRIUM;
  return s->opt->at ? TD_START_GIVEN : TD_START_INITIAL;
}

// Simulate from the session's state, and print statistics and verdict.  Where an accuracy is
// requested, the motion has error bars, by two more simulations.
int sim_step(session* s) {
  td_jit* jit = NULL;
  int code = sim_inputs(s);
  if (code) return code;

  // options
  td_sim_options o = sim_options(s);
  code = believe(s, &o);
  if (code) return code;
  const double end = isnan(o.t_final) ? td_model_settings(s->model).t_final : o.t_final;
  if (s->opt->at && !(end > s->state->t)) {
    return complain(CODE_USE, "the state of --at is at t = %g s: give a later --t-final than %g s",
                    s->state->t, end);
  }

  // derived code is compiled meanwhile
  const int started = start_jit(s, &o, &jit);
  if (started) return started;
  progress_clear(&s->progress);
  const double start = seconds();
  const bool bars = bars_asked(s);
  const td_status status =
      bars ? td_bars_simulate(s->bars, s->spec, s->work, s->state, start_of(s), &o, &s->trajectory,
                              &s->motion_error, s->motion_reached)
           : td_simulate(s->model, s->work, s->state, &o, &s->trajectory);
  s->timings[TIME_SIMULATE] = seconds() - start;
  progress_clear(&s->progress);
  if (jit) {
    td_jit_stop(jit);
    if (*td_jit_message(jit) && !s->opt->quiet) complain(0, "note: --jit: %s", td_jit_message(jit));
    td_jit_free(jit);
  }

  // results of a simulation that failed half-way count, too
  if (status != TD_OK) s->partial = true;
  if (s->trajectory && td_trajectory_rows(s->trajectory) > 0) {
    say_sim(s);
    if (bars && status == TD_OK) bars_moved(s);
    td_verdict verdict;
    char* reasons = bars_reasons(s, &verdict);
    say_trust(s, verdict, reasons ? reasons : "");
    free(reasons);
  }
  if (status == TD_OK && td_trajectory_trust(s->trajectory, NULL) == TD_TRUST_WRONG)
    return CODE_NUMERICS;
  if (status == TD_OK) return bars ? bars_motion(s) : CODE_DONE;
  const char* why = s->trajectory ? td_trajectory_diagnosis(s->trajectory) : "";
  if (!*why) return session_failed(s, status, "simulation");
  return complain(code_of(status), "simulation: %s: %s", td_status_text(status), why);
}

int sim_write(session* s) {
  if (s->motion_error)
    return session_wrote(s, td_trajectory_write_errors(s->trajectory, s->spec, s->name, s->opt->mat,
                                                       s->motion_error, s->files));
  return session_wrote(s,
                       td_trajectory_write(s->trajectory, s->spec, s->name, s->opt->mat, s->files));
}
