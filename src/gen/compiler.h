// Running the system's C compiler in a directory of its own.
#ifndef TD_BUILD_H
#define TD_BUILD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct td_build {
  char directory[256];  // under TMPDIR
  int held;             // lock on it
  pthread_mutex_t lock;
  pid_t child;  // the compiler, 0: none; not reaped while it stands here
  bool stopped;
  bool (*go_on)(void* user);  // asked now and then while the compiler runs; NULL: nobody
  void* user;
} td_build;

// False: no directory could be made.
bool td_build_open(td_build* b);
// Removes the directory with all that is in it.
void td_build_close(td_build* b);
bool td_build_file(const td_build* b, const char* name, const char* text, size_t n);
// cc FLAGS CFLAGS SOURCE -o LIBRARY -lm, all in the directory, with CC and CFLAGS of the
// environment.  No shell is involved.  `path` gets the library's.  False: it failed or was stopped.
bool td_build_library(td_build* b, const char* source, const char* const* flags, int nflag,
                      char* path, size_t size);
// From another thread: end the compiler, and let none begin.
void td_build_stop(td_build* b);

#endif
