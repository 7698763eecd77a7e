// Points of a sweep, for the files of this folder.
#ifndef TD_ENSEMBLE_POINTS_H
#define TD_ENSEMBLE_POINTS_H

#include "tendril/sweep.h"

// A quantity that varies: over a list of values in a grid, or within a range in a sample.
typedef struct points_axis {
  char* name;
  int n;             // values of the list
  double* values;    // (n), NULL: texts
  char** words;      // (n), NULL: numbers
  double low, high;  // range of a sample
  bool logarithmic;
} points_axis;

typedef enum points_kind { POINTS_NONE, POINTS_GRID, POINTS_SAMPLE, POINTS_TABLE } points_kind;

struct td_points {
  points_kind kind;
  points_axis* axis;
  int naxis, cap;
  int n;      // points
  double* x;  // n x naxis, of samples and tables
  int base;   // points of a design for indices, 0: none
};

#endif
