// tendril view: a model live in the browser, or the report of a directory.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/demos.h"

// Text of a built-in model of this name, unless there is such a file; NULL: none
static const char* demo_text(const char* name) {
  struct stat st;
  if (stat(name, &st) == 0) return NULL;
  for (const demo* d = demo_table; d->name; d++)
    if (strcmp(d->name, name) == 0) return d->text;
  return NULL;
}

// Open an address in the desktop's browser, in a child process.
void open_page(const char* address) {
  const pid_t child = fork();
  if (child != 0) return;
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
  execlp("xdg-open", "xdg-open", address, (char*)NULL);
  _exit(127);
}

// Open the view, print its address and wait for a signal.
static int serve(const options* opt, const td_view_options* what) {
  td_view* view;
  char message[200];
  const td_status status = td_view_open(what, &view, message, sizeof message);
  if (status != TD_OK) return complain(code_of(status), "%s", message);
  if (opt->json) {
    printf("{\"address\": \"%s\"}\n", td_view_address(view));
  } else {
    printf("%s\n", td_view_address(view));
    if (!opt->quiet)
      printf("open this address in a browser on this machine; Ctrl-C ends the view\n");
  }
  fflush(stdout);
  if (opt->open) open_page(td_view_address(view));
  stop_on_signal();
  while (!stop_asked()) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  td_view_close(view);
  return CODE_DONE;
}

// Show a model or the report of a directory in the browser.
int cmd_view(const options* opt) {
  td_view_options what = td_view_options_default();
  what.set = opt->set;
  what.nset = opt->nset;
  what.port = opt->port;
  what.allow_read = opt->allow_read;

  // the report of a directory
  if (is_directory(opt->target)) {
    char* page = report_read(opt->target);
    if (!page) return CODE_FILE;
    what.page = page;
    const int code = serve(opt, &what);
    free(page);
    return code;
  }

  // a model, of a file or built in
  what.model = opt->target;
  what.text = demo_text(opt->target);
  if (!what.text && access(opt->target, R_OK) != 0)
    return complain(CODE_FILE, "cannot read '%s'", opt->target);
  return serve(opt, &what);
}
