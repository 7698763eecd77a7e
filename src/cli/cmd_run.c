// tendril run: the stages that the file requests; tendril equil, modes and sim: one of them each.
#define _XOPEN_SOURCE 700  // realpath
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static int first_problem(int a, int b) { return a ? a : b; }

// Run the stages, write the results and put them in place.  A stage that fails or is stopped keeps
// its results, marked as partial.  The simulation starts from the state of the file or of --at, but
// from the equilibrium with --from-equilibrium and where `run` finds both in the file.
int run_stages(session* s, bool equil, bool modes, bool sim) {
  int code = session_output(s);
  if (code) return code;
  s->reports = !s->opt->no_report;
  say_sizes(s);

  // equilibrium and modes
  if (equil) code = equil_step(s);
  if (modes && !equil) {
    td_state_copy(s->model, s->state, s->rest);
    memset(s->rest->v, 0, (size_t)s->n.nv * sizeof *s->rest->v);
    say(s, "\nModes at the initial state: par.equil is 0\n");
  }
  if (modes && code == CODE_DONE) code = modes_step(s);

  // simulation
  const bool at_rest = s->opt->from_rest || s->from_rest;
  if (sim && !stop_asked()) {
    if (at_rest && code == CODE_DONE) {
      td_state_copy(s->model, s->rest, s->state);
      snprintf(s->from, sizeof s->from, "equilibrium%s",
               s->from_rest ? ", as the file writes par.equil and par.dyn" : "");
    }
    if (!at_rest || code == CODE_DONE) code = first_problem(code, sim_step(s));
  } else if (sim && code == CODE_DONE) {
    s->partial = true;
    code = session_failed(s, TD_E_STOPPED, "simulation");
  }

  // results that were refused, or failed in the first step, leave earlier ones as they are
  const int rows = s->trajectory ? td_trajectory_rows(s->trajectory) : 0;
  if (code && rows <= 1) {
    td_trajectory_free(s->trajectory);
    s->trajectory = NULL;
    if (!s->has_equil && !s->modes) return code;
  }

  // files; a demo has its model among them
  const double start = seconds();
  int written = CODE_DONE;
  if (s->text) written = session_wrote(s, td_files_text(s->files, s->name, s->text));
  if (written == CODE_DONE && s->has_equil) written = equil_write(s);
  if (written == CODE_DONE && s->modes) written = modes_write(s);
  if (written == CODE_DONE && s->trajectory) written = sim_write(s);
  if (written == CODE_DONE && s->derives) written = derive_write(s);
  s->timings[TIME_WRITE] = seconds() - start;
  if (written == CODE_DONE) written = session_commit(s, NULL, NULL);
  return first_problem(written, code);
}

// ---- after the results --------------------------------------------------------------------------

// Make the video of par.mov = 1, beside the report that it shows.
static int write_video(session* s) {
  if (!s->trajectory || !s->reports)
    return complain(CODE_USE, "par.mov = 1: a video needs a simulation and its report (%s)",
                    s->trajectory ? "--no-report" : "par.dyn = 0");

  // film the report
  char *report = format_text("%s/report.html", s->out), *path = format_text("%s/video.mp4", s->out);
  char message[300] = "out of memory";
  td_status status = TD_E_NOMEM;
  if (report && path) {
    td_shot shot = td_shot_default(report);
    shot.progress = progress_show;
    shot.user = &s->progress;
    progress_clear(&s->progress);
    status = td_shot_video(&shot, path, message, sizeof message);
    progress_clear(&s->progress);
  }
  if (status == TD_OK) say(s, "Video: %s\n", path);
  free(report);
  free(path);
  return status == TD_OK ? CODE_DONE
                         : complain(code_of(status), "par.mov = 1: no video: %s", message);
}

// Show the animation of par.anim = 1: the report, in the desktop's browser if there is a desktop
// and somebody at the terminal.
static void show_report(const session* s) {
  const bool display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
  if (!s->reports || s->opt->json || s->opt->quiet) return;
  char* path = format_text("%s/report.html", s->out);
  if (path && display && isatty(STDOUT_FILENO)) {
    open_page(path);
  } else {
    say(s, "par.anim = 1: the animation is in the report; there is no display to open it on\n");
  }
  free(path);
}

// Run the script par.post in Octave, in the folder of the results, with the variable `results`
// (folder, names, data, t).
static int run_post(session* s, const char* post) {
  if (!s->opt->allow_post) {
    if (!s->opt->quiet) complain(0, "note: par.post = '%s' is not run without --allow-post", post);
    return CODE_DONE;
  }

  // the script beside the model, and the folder of the results
  const char* slash = s->text ? NULL : strrchr(s->name, '/');
  char* beside = post[0] == '/' || !slash
                     ? format_text("%s", post)
                     : format_text("%.*s/%s", (int)(slash - s->name), s->name, post);
  const size_t n = beside ? strlen(beside) : 0;
  char* named = n > 2 && strcmp(beside + n - 2, ".m") == 0 ? format_text("%s", beside)
                                                           : format_text("%s.m", beside);
  char *script = named ? realpath(named, NULL) : NULL, *folder = realpath(s->out, NULL);
  int code = CODE_DONE;
  if (!script || !folder) {
    code = complain(CODE_FILE, "par.post = '%s': there is no script %s", post, named);
  } else if (strpbrk(script, "'\n") || strpbrk(folder, "'\n")) {
    code = complain(CODE_USE, "par.post: quotes in file names cannot be told to Octave");
  } else {
    // start Octave
    char* program = format_text(
        "cd('%s'); results.folder = '%s'; results.names = {}; results.data = []; results.t = [];"
        "if exist('trajectory.csv', 'file'), d = importdata('trajectory.csv', ',', 1);"
        "results.names = d.colheaders; results.data = d.data; results.t = d.data(:, 1); end;"
        "source('%s');",
        folder, folder, script);
    fflush(stdout);
    const pid_t child = program ? fork() : -1;
    if (child == 0) {
      if (s->opt->json) dup2(STDERR_FILENO, STDOUT_FILENO);
      setenv("QT_QPA_PLATFORM", "offscreen", 0);  // octave draws without a display, too
      execlp("octave", "octave", "--quiet", "--no-gui", "--no-history", "--eval", program,
             (char*)NULL);
      execlp("octave-cli", "octave-cli", "--quiet", "--no-history", "--eval", program, (char*)NULL);
      _exit(127);
    }

    // wait for it; a stop is passed on
    int status = 0;
    pid_t ended = 0;
    bool told = false;
    while (child > 0 && (ended = waitpid(child, &status, WNOHANG)) == 0) {
      if (stop_asked() && !told) kill(child, SIGTERM), told = true;
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (told)
      code = complain(CODE_NUMERICS, "par.post = '%s': stopped", post);
    else if (child < 0 || ended < 0)
      code = complain(CODE_NUMERICS, "par.post: no program could be started");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
      code = complain(CODE_FILE,
                      "par.post = '%s' needs Octave, which is not installed (Debian: apt install "
                      "octave)",
                      post);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      code = complain(CODE_NUMERICS, "par.post = '%s' failed in Octave", post);
    free(program);
  }
  free(beside);
  free(named);
  free(script);
  free(folder);
  return code;
}

// Make the video, show the animation and run the script, each whatever the others do; only where
// there are results.
static int follow_up(session* s, int code) {
  const char* post = td_spec_text(s->spec, "par.post");
  const bool results = s->files && (s->trajectory || s->has_equil || s->modes);
  if (!results || stop_asked()) return code;
  if (td_spec_value(s->spec, "par.mov") == 1) code = first_problem(code, write_video(s));
  if (td_spec_value(s->spec, "par.anim") == 1) show_report(s);
  if (post && *post) code = first_problem(code, run_post(s, post));
  return code;
}

// Report whether the simulation starts at the equilibrium, as in the published algorithms: where
// the file writes both par.equil and par.dyn.  --at gives another state.
bool starts_at_rest(const session* s) {
  return td_spec_value(s->spec, "par.equil") >= 1 && td_spec_value(s->spec, "par.dyn") >= 1 &&
         !s->opt->at;
}

// Run the stages that the file requests, then video, animation and script.
int cmd_run(const options* opt) {
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) {
    const td_settings par = td_model_settings(s.model);
    s.stable = true;
    s.from_rest = starts_at_rest(&s);
    s.derives = td_spec_value(s.spec, "par.derive") == 1;
    s.compiles = td_spec_value(s.spec, "par.mex") == 1;
    code = follow_up(&s, run_stages(&s, par.equil, par.modal, par.dyn));
    if (opt->json && s.files) json_print(summary_json(&s));
  }
  session_close(&s);
  return code;
}

// Find the equilibrium.
int cmd_equil(const options* opt) {
  session s = {0};
  int code = session_open(&s, opt);
  s.stable = true;
  if (code == CODE_DONE) code = run_stages(&s, true, false, false);
  if (opt->json && s.has_equil) json_print(equil_json(&s));
  session_close(&s);
  return code;
}

// Find the equilibrium and the modes about it.
int cmd_modes(const options* opt) {
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = run_stages(&s, true, true, false);
  if (opt->json && s.modes) json_print(modes_json(&s));
  session_close(&s);
  return code;
}

// Simulate.
int cmd_sim(const options* opt) {
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = run_stages(&s, opt->from_rest, false, true);
  if (opt->json && s.trajectory) json_print(summary_json(&s));
  session_close(&s);
  return code;
}
