// The list of modes that an analysis fills: its memory, and shapes of one size and sign.
#include <math.h>
#include <stdio.h>

#include "engine/sparse_engine.h"
#include "model/model.h"
#include "solve/statics/sparse_modes.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

void td_modes_normalise(double* shape, int nv) {
  int top = 0;
  for (int i = 1; i < nv; i++) {
    if (hypot(shape[2 * i], shape[2 * i + 1]) > hypot(shape[2 * top], shape[2 * top + 1])) top = i;
  }
  const double a = shape[2 * top], b = shape[2 * top + 1], d = a * a + b * b;
  if (!(d > 0)) return;
  for (int i = 0; i < nv; i++) {
    const double x = shape[2 * i], y = shape[2 * i + 1];
    shape[2 * i] = (x * a + y * b) / d;
    shape[2 * i + 1] = (y * a - x * b) / d;
  }
}

td_modes_result* td_modes_allocate(int n, int nv) {
  td_modes_result* result = calloc(1, sizeof *result);
  if (!result) return NULL;
  double* block = calloc(6 * (size_t)n + 5 * area(n, nv) + 1, sizeof(double));
  if (!block) {
    free(result);
    return NULL;
  }
  result->omega = block;
  result->zeta = block + n;
  result->re = block + 2 * n;
  result->im = block + 4 * n;
  result->shape = block + 6 * n;
  result->complex_shape = result->shape + area(n, nv);
  return result;
}
