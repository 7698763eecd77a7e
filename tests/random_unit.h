// A model as others get it: exported as C and as a functional mock-up unit, compiled into one
// shared object and called as an importer calls it.
#ifndef RANDOM_UNIT_H
#define RANDOM_UNIT_H

#include "tendril/generate.h"

typedef struct exported {
  void* library;
  char title[40];
  td_sizes size;
  bool unit;  // it is also a unit; else `why` tells the reason
  char guid[80];
  unsigned* output;  // value references of the sensors
  int noutput;
  char why[400];
} exported;

// False when nothing could be made; `why` says what stands in the way.  Files go to `directory`.
bool exported_open(const td_model* model, const char* directory, const char* title, exported* e);
void exported_close(exported* e);

// Sensors of the C model at the start, or after `steps` fixed steps up to t_end; false: it failed.
bool exported_run(const exported* e, double t_end, int steps, double* sensors);

// Sensors of the unit at the start, or after co-simulation up to t_end in `steps` steps.
bool exported_unit_run(const exported* e, double t_end, int steps, double rtol, double* sensors);

// The compiler that is taken: CC, else the fastest there is; NULL: none.
const char* exported_compiler(void);

#endif
