// tendril: the table of commands, the help, and the call of a command.  To add a command: its file
// cmd_<name>.c and its row in command_table.
#include <signal.h>
#include <string.h>

#include "cli/cli.h"

// Options of a command by letter (option_table): o -o, s --set, j --json, q --quiet, ...
#define COMMON "osjq"
#define SOLVER "rafdv"

const command command_table[] = {
    {"demo", "[NAME]", COMMON SOLVER "mk", -1, cmd_demo, "list the built-in models, or run one"},
    {"check", "MODEL", "sjqc", 1, cmd_check, "load and check; print what the model is made of"},
    {"run", "MODEL", COMMON SOLVER "hJmpnkAUzc", 1, cmd_run,
     "what the file asks for (par.equil, par.modal, par.dyn)"},
    {"equil", "MODEL", COMMON "@kzxc", 1, cmd_equil, "static equilibrium and its stability"},
    {"modes", "MODEL", COMMON "n@kc", 1, cmd_modes,
     "natural frequencies, damping and shapes at the equilibrium"},
    {"trace", "MODEL", COMMON "t@", 1, cmd_trace, "equilibria along a parameter (--param P=a:b)"},
    {"linearize", "MODEL", COMMON "@R", 1, cmd_linearize,
     "A, B, C, D about the equilibrium or a state"},
    {"gradient", "MODEL", COMMON "9rafveB", 1, cmd_gradient,
     "derivatives of sensors, energy and modes by params and inputs"},
    {"lqr", "MODEL", COMMON "@RQ", 1, cmd_lqr, "gains of a linear controller and observer"},
    {"bode", "MODEL", COMMON "@RHI", 1, cmd_bode, "frequency response as CSV and SVG"},
    {"observe", "MODEL", COMMON "rav@KMENWe", 1, cmd_observe,
     "motion, forces and parameters from recorded sensors (--data FILE)"},
    {"fit", "MODEL", COMMON "6k", 1, cmd_fit,
     "params from recordings of the robot (fit(k) of the model), with their intervals"},
    {"sim", "MODEL", COMMON SOLVER "hJm@ekAUBc", 1, cmd_sim, "dynamic simulation"},
    {"sweep", "MODEL", COMMON SOLVER "CeznU", 1, cmd_sweep,
     "one analysis at many points of parameters and inputs, on threads or under mpirun"},
    {"eval", "MODEL", "sjq@", 1, cmd_eval, "the equations at one state (default: the initial one)"},
    {"compare", "MODEL", COMMON SOLVER "liy", 1, cmd_compare,
     "the same rods in every continuum model: DOF, error, speed"},
    {"view", "MODEL|DIR", "sjqwb", 1, cmd_view,
     "a model live in the browser, or the replay of results"},
    {"report", "DIR", "qPGSTDO", 1, cmd_report,
     "renew report.html of results, or make a picture of it (--png)"},
    {"video", "DIR", "qSFVDO", 1, cmd_video, "the replay of results as a video (-o x.mp4)"},
    {"plot", "DIR", "qYXg5O", 1, cmd_plot,
     "curves of results, strains along rods and snapshots as SVG or gnuplot script"},
    {"derive", "MODEL", COMMON "412", 1, cmd_derive,
     "symbolic equations of motion as C, Octave, Python or LaTeX"},
    {"export", "c|fmu MODEL", COMMON "3", 2, cmd_export,
     "a standalone model: one C file, or a functional mock-up unit"},
    {"doctor", "", "j", 0, cmd_doctor, "parts found on this machine, and how to get missing ones"},
    {"help", "[COMMAND]", "", -1, cmd_help, "this list, or the options of a command"},
    {NULL, NULL, NULL, 0, NULL, NULL},
};

static const command* find(const char* name) {
  for (const command* c = command_table; c->name; c++) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

// Complain about an unknown command, with the nearest name.
static int unknown(const char* name) {
  const char* names[32];
  int n = 0;
  for (const command* c = command_table; c->name && n < 32; c++) names[n++] = c->name;
  const char* near = td_nearest(name, names, n);
  if (near) return complain(CODE_USE, "unknown command '%s'; did you mean '%s'?", name, near);
  return complain(CODE_USE, "unknown command '%s'; 'tendril help' lists them", name);
}

// Print all commands.
static void help_all(FILE* out) {
  fprintf(out, "Tendril %s: models of rigid and soft robots, analysed and simulated\n\n",
          td_version());
  fprintf(out, "usage: tendril COMMAND [options]\n\n");
  for (const command* c = command_table; c->name; c++) {
    fprintf(out, "  %-10s %-10s %s\n", c->name, c->arguments, c->text);
  }
  fprintf(out, "\n'tendril help COMMAND' shows the options of a command.\n");
  fprintf(out,
          "exit codes: 0 done, 1 wrong use, 2 model errors, 3 not converged, stopped or wrong, 4 "
          "files\n");
}

// Print all commands, or the options of one.
int cmd_help(const options* opt) {
  if (!opt->target) {
    help_all(stdout);
    return CODE_DONE;
  }
  const command* cmd = find(opt->target);
  if (!cmd) return unknown(opt->target);
  options_help(cmd, stdout);
  return CODE_DONE;
}

// Find the command, read its options and run it.
static int dispatch(int argc, char** argv) {
  const char* name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
  if (strcmp(name, "--version") == 0) {
    printf("tendril %s\n", td_version());
    return CODE_DONE;
  }
  const command* cmd = find(name);
  if (!cmd) return unknown(name);

  options opt;
  int code = options_read(cmd, argc, argv, &opt);
  if (code == CODE_DONE && opt.help) {
    options_help(cmd, stdout);
  } else if (code == CODE_DONE) {
    code = cmd->run(&opt);
  }
  options_free(&opt);
  return code;
}

// Run the command of the first argument; the exit code is its own, or that of a standard output
// which could not be written.
int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // results are still written when nobody reads the output
  heed_signals();
  signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error like a full disk
  if (argc < 2) {
    help_all(stderr);
    return CODE_USE;
  }
  const int code = dispatch(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    return code ? code : complain(CODE_FILE, "cannot write to the standard output");
  }
  return code;
}
