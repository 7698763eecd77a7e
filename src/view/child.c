// Child processes, connected by sockets; see child.h.
#include "view/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// Make a socket pair whose descriptors are above those that children get, and that other programs
// do not inherit.
static bool make_pair(int ends[2]) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(pair[i], F_DUPFD_CLOEXEC, 10);
    close(pair[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0) return true;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  return false;
}

// Start a program; `in` and `out` are its descriptors, -1: none.
bool td_child_start(char* const argv[], int in, int out, td_child* child) {
  *child = (td_child){0, -1, -1};
  int a[2] = {-1, -1}, b[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  bool ok = (in < 0 || make_pair(a)) && (out < 0 || make_pair(b));

  // standard input and output are /dev/null unless they are connected
  int bad = 0;
  for (int fd = 0; fd < 3; fd++)
    bad |= posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
  if (ok && in >= 0) bad |= posix_spawn_file_actions_adddup2(&actions, a[1], in);
  if (ok && out >= 0) bad |= posix_spawn_file_actions_adddup2(&actions, b[1], out);
  ok = ok && bad == 0;

  pid_t pid = 0;
  ok = ok && posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (a[1] >= 0) close(a[1]);
  if (b[1] >= 0) close(b[1]);
  if (ok) {
    *child = (td_child){pid, a[0], b[0]};
    return true;
  }
  if (a[0] >= 0) close(a[0]);
  if (b[0] >= 0) close(b[0]);
  return false;
}

// Send all bytes, without a signal if the program has ended.
bool td_child_write(const td_child* child, const void* data, size_t n) {
  const char* at = data;
  while (n > 0) {
    const ssize_t done = send(child->to, at, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    n -= (size_t)done;
  }
  return true;
}

// Close our ends, end the program if wanted, and wait for it.
int td_child_finish(td_child* child, bool end) {
  if (child->pid <= 0) return -1;
  if (child->to >= 0) close(child->to);
  if (child->from >= 0) close(child->from);
  if (end) kill(child->pid, SIGTERM);
  int status = 0;
  pid_t got;
  do {
    got = waitpid(child->pid, &status, 0);
  } while (got < 0 && errno == EINTR);
  *child = (td_child){0, -1, -1};
  return got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Find the first of some programs that is on the PATH; NULL: none.
const char* td_child_find(const char* const* names) {
  for (; *names; names++) {
    const char* path = getenv("PATH");
    while (path && *path) {
      const size_t n = strcspn(path, ":");
      char file[4096];
      const int length = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, *names);
      if (length > 0 && (size_t)length < sizeof file && access(file, X_OK) == 0) return *names;
      path += n + (path[n] == ':');
    }
  }
  return NULL;
}
