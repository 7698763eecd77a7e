// The system's C compiler, run in a directory of its own.
#ifndef TD_BUILD_H
#define TD_BUILD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// A directory and the compiler at work in it.
typedef struct td_build {
  char directory[256];  // under TMPDIR
  int held;             // lock on it
  pthread_mutex_t lock;
  pid_t child;  // the compiler, 0: none; not reaped while it stands here
  bool stopped;
  bool (*go_on)(void* user);  // called while the compiler runs, false stops it; NULL: none
  void* user;
} td_build;

// False: no directory could be made.
bool td_build_open(td_build* b);
// Removes the directory with all that is in it.
void td_build_close(td_build* b);
bool td_build_file(const td_build* b, const char* name, const char* text, size_t n);
// cc FLAGS CFLAGS SOURCE -o LIBRARY [ARCHIVE] -lm, all in the directory, with CC and CFLAGS of the
// environment.  No shell is involved.  `archive` may be NULL.  `path` gets the library's file
// name.  False: it failed or was stopped.
bool td_build_library(td_build* b, const char* source, const char* archive,
                      const char* const* flags, int nflag, char* path, size_t size);
// The environment names a compiler or flags for it.
bool td_build_is_chosen(void);
// End the compiler from another thread, and start no other.
void td_build_stop(td_build* b);

#endif
