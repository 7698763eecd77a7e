// Messages, colour and progress on a terminal, and signals.
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool colour_on(FILE* f) { return isatty(fileno(f)) && !getenv("NO_COLOR"); }

// Print a message on stderr; returns the exit code given.
int complain(int code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);  // keep the order where both go to one file
  fputs(colour_on(stderr) ? "\033[1;31mtendril:\033[0m " : "tendril: ", stderr);
  vfprintf(stderr, format, args);
  putc('\n', stderr);
  va_end(args);
  return code;
}

// Format a text; to be freed, NULL: no memory.
char* format_text(const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, format, args);
  char* s = n < 0 ? NULL : malloc((size_t)n + 1);
  if (s) vsnprintf(s, (size_t)n + 1, format, again);
  va_end(again);
  va_end(args);
  return s;
}

// Set by a signal, which can only set a flag for the running command.
static volatile sig_atomic_t stop_note;

// While set, a signal ends the program at once: no file is being written, and the computation
// cannot be stopped in another way.
static volatile sig_atomic_t ends_at_once = 1;

// While set, a signal ends the program when the computation has not stopped after some seconds.
static volatile sig_atomic_t ends_late;
enum { PATIENCE = 2 };  // [s]

static void end_at_once(void) {
  static const char text[] = "tendril: stopped by a signal\n";
  const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(n < 0 ? CODE_FILE : CODE_NUMERICS);
}

// Handle a signal; the second one ends the program at once.
static void on_signal(int number) {
  if (ends_at_once) end_at_once();
  stop_note = 1;
  signal(number, SIG_DFL);
  if (ends_late) alarm(PATIENCE);
}

static void on_alarm(int number) {
  (void)number;
  if (ends_late) end_at_once();
}

void heed_signals(void) {
  signal(SIGTERM, on_signal);
  static const int others[] = {SIGINT, SIGHUP};  // stay ignored in scripts' background and by nohup
  for (int i = 0; i < 2; i++)
    if (signal(others[i], SIG_IGN) != SIG_IGN) signal(others[i], on_signal);
}

void stop_on_signal(void) { ends_at_once = 0; }

bool deaf_begin(void) {
  if (stop_note) return false;
  ends_at_once = 1;
  return true;
}

void deaf_end(void) { ends_at_once = 0; }

void slow_begin(void) {
  signal(SIGALRM, on_alarm);
  ends_late = 1;
}

void slow_end(void) {
  ends_late = 0;
  alarm(0);
}

bool stop_asked(void) { return stop_note != 0; }

// Print "  simulate  42 %, 12 s left": after the first second, ten times a second at most.
bool progress_show(void* user, double fraction, const char* what) {
  progress* p = user;
  const double now = seconds();
  if (isatty(STDERR_FILENO) && now - p->start > 1 && now - p->shown > 0.1) {
    p->shown = now;
    fprintf(stderr, "\r\033[K  %s %3.0f %%", what, 100 * fraction);
    if (fraction > 0.001) {
      fprintf(stderr, ", %.0f s left", (now - p->start) * (1 - fraction) / fraction);
    }
    fflush(stderr);
  }
  return !stop_asked();
}

void progress_clear(progress* p) {
  if (p->shown > 0) fputs("\r\033[K", stderr);
  *p = (progress){seconds(), 0};
}
