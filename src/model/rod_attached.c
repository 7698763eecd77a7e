// Everything that is attached to a rod or measured on it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/cables.h"
#include "model/force_words.h"
#include "model/rods.h"

static td_status want_references(builder* b, int rod, const value* list, const char* const* fields,
                                 rod_places* out) {
  for (int i = 0; list && i < td_value_count(list); i++)
    for (int k = 0; fields[k]; k++)
      TD_TRY(td_rod_want_place(b, rod, td_get(list, i, fields[k]), out));
  return TD_OK;
}

td_status td_rod_attached(builder* b, int rod, rod_places* out) {
  static const char* const joint_fields[] = {"first", "second", "refbody", NULL};
  static const char* const load_fields[] = {"exbody", "body", "refbody", NULL};
  static const char* const rod_fields[] = {"first", NULL};
  TD_TRY(want_references(b, rod, b->joints, joint_fields, out));
  TD_TRY(want_references(b, rod, b->loads, load_fields, out));
  TD_TRY(want_references(b, rod, b->rods, rod_fields, out));
  for (int k = 0; k < FORCE_KINDS; k++)
    if (td_force_words[k]->structure) TD_TRY(td_force_words[k]->places(b, rod, out));
  for (int i = 0; b->cables && i < td_value_count(b->cables); i++) {
    const value* via = b->cable[i].via;
    for (int k = 0; via && k < td_value_count(via); k++)
      TD_TRY(td_rod_want_place(b, rod, via->slots[k].v, out));
    // a cable that goes on to another rod leaves this one at its end
    for (int k = 0; k + 1 < td_cable_rods(b, i); k++)
      if (td_cable_rod(b, i, k) == rod + 1) TD_TRY(td_rod_want(b, rod, b->rod[rod].length, out));
  }
  return TD_OK;
}

td_status td_rod_places(builder* b, int rod, rod_places* out) {
  TD_TRY(td_rod_attached(b, rod, out));
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (s->root != 'r' || s->index != rod + 1 || s->arc == TD_ARC_HERE) continue;
    // one that is written stays where it is written
    const bool written = !s->moves && isfinite(s->arc) && !sensor_is(s->kind, OF_WHOLE_ROD);
    if (written)
      TD_TRY(td_rod_mark(b, rod, s->arc, s->place > 0 ? s->place - 1 : num_ex(b, s->arc)));
    if (!sensor_is(s->kind, OF_WHOLE_ROD | OF_STRAIN)) TD_TRY(td_rod_want(b, rod, s->arc, out));
  }
  if (out->n > 1) qsort(out->arc, (size_t)out->n, sizeof(double), ascending);
  return TD_OK;
}
