// The clock.
#ifndef TD_CLOCK_H
#define TD_CLOCK_H

#include <time.h>

// Seconds of a clock that is never set back.
static inline double wall_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
