// Child processes: started without a shell and connected by sockets, so that writing to one that
// has ended is an error and not a signal.
#ifndef TD_CHILD_H
#define TD_CHILD_H

#include <sys/types.h>

#include "base/base.h"

// A running program.
typedef struct td_child {
  pid_t pid;     // 0: none
  int to, from;  // our ends, -1: none
} td_child;

// Start a program that reads from descriptor `in` and writes to `out` (-1: it does not).
// argv[0] is searched on the PATH; its other output is dropped.
bool td_child_start(char* const argv[], int in, int out, td_child* child);
bool td_child_write(const td_child* child, const void* data, size_t n);
// Close our ends and wait; returns the exit code, -1 when it was ended by a signal.  With `end` it
// is sent SIGTERM first.
int td_child_finish(td_child* child, bool end);

// The first of these programs that is on the PATH, NULL: none.  Names end with NULL.
const char* td_child_find(const char* const* names);

#endif
