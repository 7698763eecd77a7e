// Temporary folders; see scratch.h.
#define _XOPEN_SOURCE 700  // nftw, mkdtemp
#define _DEFAULT_SOURCE    // flock
#include "io/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Lock a folder, unless another process holds it or has removed it.
int td_scratch_take(const char* path, bool owner) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat open_one, named_one;
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || (owner && errno != EWOULDBLOCK);
  const bool same = fstat(fd, &open_one) == 0 && stat(path, &named_one) == 0 &&
                    open_one.st_ino == named_one.st_ino;
  if (locked && same) return fd;
  close(fd);
  return -1;
}

static int remove_one(const char* path, const struct stat* st, int kind, struct FTW* at) {
  (void)st, (void)kind, (void)at;
  remove(path);
  return 0;
}

void td_scratch_remove(const char* path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

// Remove the folders parent/stem* that no living process holds locked.
void td_scratch_sweep(const char* parent, const char* stem) {
  DIR* dir = opendir(parent);
  if (!dir) return;
  for (const struct dirent* e; (e = readdir(dir));) {
    if (strncmp(e->d_name, stem, strlen(stem)) != 0) continue;
    td_text path = {0};
    td_text_add(&path, parent);
    td_text_add(&path, "/");
    td_text_add(&path, e->d_name);
    const int fd = path.failed ? -1 : td_scratch_take(path.s, false);
    if (fd >= 0) {
      td_scratch_remove(path.s);
      close(fd);
    }
    td_text_free(&path);
  }
  closedir(dir);
}

// Make and lock a temporary folder.
int td_scratch_open(const char* stem, char* path, size_t size) {
  const char* place = getenv("TMPDIR");
  if (!place || !*place || strlen(place) > size / 2) place = "/tmp";
  td_scratch_sweep(place, stem);

  // between making and locking it, another process may take the folder for one without a holder
  for (int k = 0; k < 10; k++) {
    const int n = snprintf(path, size, "%s/%sXXXXXX", place, stem);
    if (n < 0 || (size_t)n >= size || !mkdtemp(path)) break;
    const int lock = td_scratch_take(path, true);
    if (lock >= 0) return lock;
  }
  path[0] = '\0';
  return -1;
}

void td_scratch_close(const char* path, int lock) {
  if (*path) td_scratch_remove(path);
  if (lock >= 0) close(lock);
}
