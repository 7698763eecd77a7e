// A list of arc lengths of a rod at which something is attached or measured: frames that its
// quadrature alone would not give.
#include <math.h>
#include <stdlib.h>

#include "model/rods.h"

td_status td_rod_want(builder* b, int rod, double arc, rod_places* out) {
  const double L = b->rod[rod].length;
  if (!(arc > 1e-12 * L) || arc > L * (1 + 1e-9)) return TD_OK;  // the base has its frame
  for (int i = 0; i < out->n; i++)
    if (fabs(out->arc[i] - arc) < 1e-12 * L) return TD_OK;
  double* arcs = td_grow(out->arc, &out->cap, out->n + 1, sizeof(double));
  if (!arcs) return TD_E_NOMEM;
  out->arc = arcs;
  arcs[out->n++] = fmin(arc, L);
  return TD_OK;
}

void td_rod_places_free(rod_places* places) { free(places->arc); }
