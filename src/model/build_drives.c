// Inputs that a controller or a task sets, control(k).inputs or task(k).inputs: found by their
// names, each with the limits between which it stays.
#include <math.h>
#include <string.h>

#include "model/build.h"

drive_list td_build_drives(builder* b, const char* element, const value* list, int k, td_span at) {
  const value* inputs = td_get(list, k, "inputs");
  return (drive_list){.b = b,
                      .element = element,
                      .k = k,
                      .inputs = inputs,
                      .limits = td_get(list, k, "limits"),
                      .at = inputs ? td_get_at(list, k, "inputs") : at,
                      .limits_at = td_get_at(list, k, "limits")};
}

// Number of the input with this name.  TD_E_MODEL after a message with the nearest name.
static td_status named_input(const drive_list* l, const value* name, td_span at, int* input) {
  builder* b = l->b;
  if (!name || name->kind != V_STR)
    return td_error(b->diags, TD_E_MODEL, at, "%s(%d).inputs must be names of inputs", l->element,
                    l->k + 1);
  for (*input = 0; *input < b->spec->ninput; ++*input)
    if (strcmp(b->spec->inputs[*input].name, name->s) == 0) return TD_OK;
  const char* names[MOST_DRIVES];
  int n = 0;
  for (int i = 0; i < b->spec->ninput && n < MOST_DRIVES; i++) names[n++] = b->spec->inputs[i].name;
  const td_status status =
      td_error(b->diags, TD_E_MODEL, at, "%s(%d).inputs: the model has no input '%.80s'",
               l->element, l->k + 1, name->s);
  td_suggest(b->diags, name->s, names, n);
  return status;
}

td_status td_build_drive(const drive_list* l, int i, int* input, td_span* at) {
  const value* v = l->inputs;
  *at = l->at;
  *input = i;
  if (!v) return TD_OK;
  if (v->kind == V_STR) return named_input(l, v, *at, input);
  *at = v->slots[i].at;
  return named_input(l, v->slots[i].v, *at, input);
}

// *n: number of inputs that list(k) sets.  Refuses none, too many, and limits that do not fit.
td_status td_build_drive_count(const drive_list* l, int* n) {
  const value* v = l->inputs;
  const int k = l->k + 1, rows = l->limits ? td_value_count(l->limits) / 2 : 1;
  *n = !v ? l->b->spec->ninput : v->kind == V_STR ? 1 : td_value_count(v);
  if (*n == 0)
    return td_error(l->b->diags, TD_E_MODEL, l->at,
                    "%s(%d) needs an input: write u = input('u', 0) and use it in a force",
                    l->element, k);
  if (*n > MOST_DRIVES)
    return td_error(l->b->diags, TD_E_MODEL, l->at, "%s(%d) may use %d inputs at most, got %d",
                    l->element, k, MOST_DRIVES, *n);
  if (rows != 1 && rows != *n)
    return td_error(l->b->diags, TD_E_MODEL, l->limits_at,
                    "%s(%d).limits must have one row or one for each of its %d inputs, got %d",
                    l->element, k, *n, rows);
  return TD_OK;
}

// Slots of the limits of the i-th input, one row of `limits` for all or one each; infinite if none
// are written.  Refuses a low limit above the high one.
td_status td_build_drive_limits(const drive_list* l, int i, num* low, num* high) {
  const value* v = l->limits;
  const int rows = v ? td_value_count(v) / 2 : 1, row = rows > 1 ? i : 0;
  td_exprs* g = l->b->spec->graph;
  const ex least = v ? td_value_ex(v, row, g) : td_ex_const(g, -INFINITY);
  const ex most = v ? td_value_ex(v, row + rows, g) : td_ex_const(g, INFINITY);
  if (td_ex_is_const(g, least) && td_ex_is_const(g, most) &&
      !(td_ex_value(g, least) <= td_ex_value(g, most)))
    return td_error(l->b->diags, TD_E_MODEL, l->limits_at,
                    "%s(%d).limits: the lowest value %g is above the highest %g", l->element,
                    l->k + 1, td_ex_value(g, least), td_ex_value(g, most));
  *low = td_build_number(l->b, least);
  *high = td_build_number(l->b, most);
  return *low == NUM_NONE || *high == NUM_NONE ? TD_E_NOMEM : TD_OK;
}
