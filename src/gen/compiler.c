// The system's C compiler as a child process; see compiler.h.
#include "gen/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "io/scratch.h"

extern char** environ;

// ---- directory --------------------------------------------------------------------------------

// Make the directory and its lock.
bool td_build_open(td_build* b) {
  *b = (td_build){0};
  b->held = td_scratch_open("tendril-build-", b->directory, sizeof b->directory);
  if (b->held < 0) return false;
  if (pthread_mutex_init(&b->lock, NULL) == 0) return true;
  td_scratch_close(b->directory, b->held);
  b->directory[0] = '\0';
  return false;
}

// File name of `name` in the directory.  False: too long.
static bool path_of(const td_build* b, const char* name, char* path, size_t size) {
  const int n = snprintf(path, size, "%s/%s", b->directory, name);
  return n > 0 && (size_t)n < size;
}

void td_build_close(td_build* b) {
  if (!b->directory[0]) return;
  td_scratch_close(b->directory, b->held);
  b->directory[0] = '\0';
  pthread_mutex_destroy(&b->lock);
}

bool td_build_file(const td_build* b, const char* name, const char* text, size_t n) {
  char path[600];
  FILE* file = path_of(b, name, path, sizeof path) ? fopen(path, "wb") : NULL;
  if (!file) return false;
  const bool ok = fwrite(text, 1, n, file) == n;
  return fclose(file) == 0 && ok;
}

// ---- process ----------------------------------------------------------------------------------

// Start a program in a process group of its own, so that its children can be ended with it, without
// blocked signals, input or output.  Its TMPDIR is the directory, which is removed with everything
// in it.
static bool spawn(const td_build* b, char* const* arguments, pid_t* pid) {
  // environment with the new TMPDIR
  char place[sizeof b->directory + 8];
  size_t n = 0, k = 0;
  while (environ[n]) n++;
  char** environment = calloc(n + 2, sizeof *environment);
  if (!environment) return false;
  snprintf(place, sizeof place, "TMPDIR=%s", b->directory);
  environment[k++] = place;
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], "TMPDIR=", 7) != 0) environment[k++] = environ[i];

  // process group, signals, /dev/null
  posix_spawn_file_actions_t quiet;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  const bool has_quiet = posix_spawn_file_actions_init(&quiet) == 0;
  bool ok = has_quiet && posix_spawnattr_init(&attributes) == 0;
  if (ok) {
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    ok = posix_spawnp(pid, arguments[0], &quiet, &attributes, arguments, environment) == 0;
    posix_spawnattr_destroy(&attributes);
  }
  if (has_quiet) posix_spawn_file_actions_destroy(&quiet);
  free(environment);
  return ok;
}

// Start the compiler and wait for its end.  True: it succeeded.
static bool run(td_build* b, char* const* arguments) {
  siginfo_t info;
  int status = 1;

  // no compiler starts after a stop
  pid_t pid = 0;
  pthread_mutex_lock(&b->lock);
  const bool started = !b->stopped && spawn(b, arguments, &pid);
  b->child = started ? pid : 0;
  pthread_mutex_unlock(&b->lock);
  if (!started) return false;

  // wait without reaping: until the lock is held, the process number must stay the child's
  for (;;) {
    info.si_pid = 0;
    const int options = WEXITED | WNOWAIT | (b->go_on ? WNOHANG : 0);
    const bool waited = waitid(P_PID, (id_t)b->child, &info, options) == 0;
    if (waited ? info.si_pid != 0 : errno != EINTR) break;
    if (!waited) continue;
    if (!b->stopped && !b->go_on(b->user)) td_build_stop(b);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }

  const bool reaped = waitpid(b->child, &status, 0) == b->child;
  b->child = 0;
  pthread_mutex_unlock(&b->lock);
  return reaped && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// End the compiler with its children, from another thread.
void td_build_stop(td_build* b) {
  if (!b->directory[0]) return;
  pthread_mutex_lock(&b->lock);
  b->stopped = true;
  if (b->child > 0) kill(-b->child, SIGTERM);
  pthread_mutex_unlock(&b->lock);
}

// ---- compiler ---------------------------------------------------------------------------------

// Append the words of a text, which is cut at its blanks, to the arguments; returns their number.
static int add_words(char* text, char** arguments, int n, int most) {
  for (char* at = text; *at && n < most;) {
    at += strspn(at, " ");
    if (!*at) break;
    arguments[n++] = at;
    at += strcspn(at, " ");
    if (*at) *at++ = '\0';
  }
  return n;
}

enum { WORDS = 40 };

static const char* word_of(const char* name) {
  const char* word = getenv(name);
  return word ? word : "";
}

bool td_build_is_chosen(void) { return *word_of("CC") || *word_of("CFLAGS"); }

// Compile `source` into library.so in the directory and link it with the archive, with CC and
// CFLAGS of the environment.
bool td_build_library(td_build* b, const char* source, const char* archive,
                      const char* const* flags, int nflag, char* path, size_t size) {
  char from[600], with[600];
  char *compiler = td_strdup(*word_of("CC") ? word_of("CC") : "cc"),
       *cflags = td_strdup(word_of("CFLAGS"));
  bool ok = compiler && cflags && path_of(b, source, from, sizeof from) &&
            path_of(b, "library.so", path, size) &&
            (!archive || path_of(b, archive, with, sizeof with));
  if (ok) {
    char* arguments[3 * WORDS];
    int n = add_words(compiler, arguments, 0, WORDS / 2);
    for (int i = 0; i < nflag && i < WORDS; i++) arguments[n++] = (char*)(uintptr_t)flags[i];
    n = add_words(cflags, arguments, n, 2 * WORDS);
    char* const last[] = {from, "-o", path, archive ? with : "-lm", archive ? "-lm" : NULL};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) arguments[n++] = last[i];
    arguments[n] = NULL;
    ok = run(b, arguments);
  }
  free(compiler);
  free(cflags);
  return ok;
}
