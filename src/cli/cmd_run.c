// tendril run: what the file asks for.  Also the sequence that equil, modes, sim and demo are parts
// of.
#include <string.h>

#include "cli.h"

static int first_problem(int a, int b) { return a ? a : b; }

static int write_results(session* s) {
  int code = CODE_DONE;
  if (s->text)
    code = session_wrote(s, td_files_text(s->files, s->name, s->text));  // a demo's model
  if (code == CODE_DONE && s->has_equil) code = equil_write(s);
  if (code == CODE_DONE && s->modes) code = modes_write(s);
  if (code == CODE_DONE && s->trajectory) code = sim_write(s);
  if (code == CODE_DONE && s->derives) code = derive_write(s);
  return code;
}

static int simulate_from(session* s, int before) {
  if (!s->opt->from_rest && !s->from_rest) return first_problem(before, sim_step(s));
  if (before) return before;
  td_state_copy(s->model, s->rest, s->state);
  snprintf(s->from, sizeof s->from, "equilibrium%s",
           s->from_rest ? ", as the file writes par.equil and par.dyn" : "");
  return sim_step(s);
}

// Compute, write, put in place.  A step that fails or is stopped keeps what it has: the files are
// written, marked as partial.  The simulation starts from the state that the file or --at gives;
// from the equilibrium with --from-equilibrium, and where `run` finds both in the file.
int run_stages(session* s, bool equil, bool modes, bool sim) {
  int code = session_output(s);
  if (code) return code;
  s->reports = !s->opt->no_report;
  say_sizes(s);
  if (equil) code = equil_step(s);
  if (modes && !equil) {
    td_state_copy(s->model, s->state, s->rest);
    memset(s->rest->v, 0, (size_t)s->n.nv * sizeof *s->rest->v);
    say(s, "\nModes at the initial state: par.equil is 0\n");
  }
  if (modes && code == CODE_DONE) code = modes_step(s);
  if (sim && !stop_asked()) code = simulate_from(s, code);

  // a run that was refused, or failed in its first step, leaves earlier results as they are
  const int rows = s->trajectory ? td_trajectory_rows(s->trajectory) : 0;
  if (code && rows <= 1) {
    td_trajectory_free(s->trajectory);
    s->trajectory = NULL;
    if (!s->has_equil && !s->modes) return code;
  }

  const double start = seconds();
  int written = write_results(s);
  s->timings[TIME_WRITE] = seconds() - start;
  if (written == CODE_DONE) written = session_commit(s, NULL, NULL);
  return first_problem(written, code);
}

// A post script is a program of its own, and this version does not run any.
static int check_post(const session* s) {
  const char* post = td_spec_text(s->spec, "par.post");
  if (!post || !*post) return CODE_DONE;
  if (s->opt->allow_post) {
    return complain(CODE_USE, "par.post = '%s': post scripts are not run in this version", post);
  }
  if (!s->opt->quiet) {
    complain(0, "note: par.post = '%s' is left out; post scripts are not run in this version",
             post);
  }
  return CODE_DONE;
}

// The published algorithms start the motion at the equilibrium; a file that asks for both by itself
// (par.equil and par.dyn written) does too.  With --at the state is told.
bool starts_at_rest(const session* s) {
  return td_spec_value(s->spec, "par.equil") >= 1 && td_spec_value(s->spec, "par.dyn") >= 1 &&
         !s->opt->at;
}

int cmd_run(const options* opt) {
  session s = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = check_post(&s);
  if (code == CODE_DONE) {
    const td_settings par = td_model_settings(s.model);
    s.stable = true;
    s.from_rest = starts_at_rest(&s);
    s.derives = td_spec_value(s.spec, "par.derive") == 1;
    code = run_stages(&s, par.equil, par.modal, par.dyn);
    if (opt->json && s.files) json_print(summary_json(&s));
  }
  session_close(&s);
  return code;
}
