// Other programs: started without a shell, spoken to through sockets, so that one that dies is an
// error and not a signal.
#ifndef TD_CHILD_H
#define TD_CHILD_H

#include <sys/types.h>

#include "base/base.h"

typedef struct td_child {
  pid_t pid;     // 0: none
  int to, from;  // our ends, -1: none
} td_child;

// Where its ends are: it reads from descriptor `in` and writes to `out` (-1: it does not).
// argv[0] is looked up on the PATH; its other output is dropped.
bool td_child_start(char* const argv[], int in, int out, td_child* child);
bool td_child_write(const td_child* child, const void* data, size_t n);
// Close our ends and wait: its exit code, -1 when it was ended by a signal.  With `end` it is asked
// to go first.
int td_child_finish(td_child* child, bool end);

// The first of these programs that is on the PATH, NULL: none.  Names end with NULL.
const char* td_child_find(const char* const* names);

#endif
