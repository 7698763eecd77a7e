// Where switching functions change sign along a known path.
#ifndef TD_CROSSINGS_H
#define TD_CROSSINGS_H

#include "base/base.h"

typedef struct td_crossings {
  int n;
  double t;  // looked at up to here
  double *seen, *low, *middle,
      *high;     // (n) values: at t, and at the ends and inside of an interval
  int* crossed;  // (n) of the last root: -1 falling, +1 rising, 0 not
  void (*values)(void* ctx, double t, double* g);
  void* ctx;
} td_crossings;

td_status td_crossings_new(td_crossings* c, int n, void (*values)(void*, double, double*),
                           void* ctx);
void td_crossings_free(td_crossings* c);
// Begin at t.  A function that is zero there crosses only when it has left zero.
void td_crossings_begin(td_crossings* c, double t);
// Look on, from c->t to t.  True: the first crossing is at c->t, within `tiny`; false: none.
bool td_crossings_find(td_crossings* c, double t, double tiny);

#endif
