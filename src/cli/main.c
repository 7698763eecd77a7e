// tendril: the table of commands (commands.h), the help, and the call of a command.
#include <signal.h>
#include <string.h>

#include "cli/cli.h"

// The table ends with a row of nothing.
const command command_table[] = {
#define X(name, arguments, accepts, targets, text) \
  {#name, arguments, accepts, targets, cmd_##name, text},
    COMMANDS(X)
#undef X
        {NULL, NULL, NULL, 0, NULL, NULL}};

static const command* find(const char* name) {
  for (const command* c = command_table; c->name; c++) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

// Complain about an unknown command, with the nearest name.
static int unknown(const char* name) {
  const char* names[64];
  int n = 0;
  for (const command* c = command_table; c->name && n < 64; c++) names[n++] = c->name;
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
