// How the rods of a companion differ from those of the model as it is written.
#ifndef TD_REFINE_H
#define TD_REFINE_H

#include <stdbool.h>

// A companion of a model: the same robot with other spaces of its rods (rod_refine.c).
typedef struct spec_refine {
  bool on;
  int split;  // how many times as many elements or segments, at least 1
  int raise;  // how much higher the order is, may be negative
} spec_refine;

#endif
