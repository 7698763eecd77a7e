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

td_status td_rod_want_place(builder* b, int rod, const value* v, rod_places* out) {
  const bool printed = b->rod[rod].joint >= 0;
  double arc = 0;
  if (value_names(v, "rod") && v->ref.index == rod + 1) {
    arc = v->ref.has_place ? td_build_now(b, v->ref.place) : b->rod[rod].length;
    if (v->ref.has_place) TD_TRY(td_rod_mark(b, rod, arc, v->ref.place));
  } else if (printed && value_names(v, "body") && td_build_rom_of(b, v->ref.index) == rod + 1)
    arc = v->ref.has_place ? td_build_now(b, v->ref.place) : 0;
  else if (printed && v && v->kind == V_NUM && td_build_rom_of(b, (int)v->x[0]) == rod + 1)
    arc = td_value_count(v) > 1 ? v->x[1] : b->rod[rod].length;
  return td_rod_want(b, rod, arc, out);
}

void td_rod_places_free(rod_places* places) { free(places->arc); }
