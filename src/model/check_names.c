// Names: no two elements of a structure have the same, and `output` names sensors that exist.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/structure.h"

// A name and the element that has it.
typedef struct named {
  const char* name;
  int index;
} named;

static int compare_named(const void* a, const void* b) {
  const named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

// The names of a structure's elements, sorted; *list is the caller's to free.
static td_status collect(const value* s, named** list, int* n) {
  const int count = s && s->kind == V_STRUCT ? td_value_count(s) : 0;
  *n = 0;
  *list = malloc(sizeof(named) * ((size_t)count + 1));
  if (!*list) return TD_E_NOMEM;
  for (int i = 0; i < count; i++) {
    const char* name = td_get_word(s, i, "name", "");
    if (*name) (*list)[(*n)++] = (named){name, i};
  }
  if (*n > 1) qsort(*list, (size_t)*n, sizeof(named), compare_named);
  return TD_OK;
}

// Report elements of a structure that have the same name; `list` is sorted by name.
static void check_unique(td_spec* spec, const char* root, const value* s, const named* list,
                         int n) {
  for (int k = 1, first = 0; k < n; k++) {
    if (strcmp(list[k].name, list[first].name) != 0) {
      first = k;
      continue;
    }
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, list[k].index, "name"),
             "%s(%d).name must be unique, but %s(%d) is called '%.80s' too", root,
             list[k].index + 1, root, list[first].index + 1, list[k].name);
  }
}

// Report rods that have the name of a body: a name must mean one place.  Both lists are sorted by
// name.
static td_status check_rod_names(td_spec* spec) {
  const value *bodies = td_get(spec->root, 0, "body"), *rods = td_get(spec->root, 0, "rod");
  named *body, *rod;
  int nbody, nrod;
  TD_TRY(collect(bodies, &body, &nbody));
  const td_status status = collect(rods, &rod, &nrod);
  for (int i = 0, k = 0; status == TD_OK && i < nrod && k < nbody;) {
    const int order = strcmp(rod[i].name, body[k].name);
    if (order == 0)
      td_error(&spec->diags, TD_E_MODEL, td_get_at(rods, rod[i].index, "name"),
               "rod(%d).name must be unique, but body(%d) is called '%.80s' too", rod[i].index + 1,
               body[k].index + 1, rod[i].name);
    i += order <= 0;
    k += order > 0;
  }
  if (status == TD_OK) free(rod);
  free(body);
  return status;
}

static const char* const output_words[] = {"energy", "q", "v", "z"};

// One entry of `output` against the sensors' names (sorted) and the words that are always known.
static td_status check_output(td_spec* spec, const char* name, td_span at, const named* list,
                              int n) {
  const named key = {name, 0};
  for (int k = 0; k < 4; k++)
    if (strcmp(name, output_words[k]) == 0) return TD_OK;
  int low = 0, high = n;  // first name that is not before ours
  while (low < high) {
    const int mid = low + (high - low) / 2;
    if (compare_named(&list[mid], &key) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  if (low < n && strcmp(list[low].name, name) == 0) return TD_OK;

  const char** known = malloc(sizeof(char*) * (size_t)(n + 4));
  if (!known) return TD_E_NOMEM;
  for (int k = 0; k < n; k++) known[k] = list[k].name;
  for (int k = 0; k < 4; k++) known[n + k] = output_words[k];
  td_error(&spec->diags, TD_E_MODEL, at,
           "output '%.80s' is neither the name of a sensor nor energy, q, v or z", name);
  td_suggest(&spec->diags, name, known, n + 4);
  free(known);
  return TD_OK;
}

// Check that `output`, one name or a cell of names, names sensors of the list.
static td_status check_outputs(td_spec* spec, const named* list, int n) {
  const value* v = td_get(spec->root, 0, "output");
  if (!v) return TD_OK;
  if (v->kind == V_STR)
    return check_output(spec, v->s, td_get_at(spec->root, 0, "output"), list, n);
  for (int i = 0; v->kind == V_CELL && i < td_value_count(v); i++) {
    const value_slot* slot = &v->slots[i];
    if (slot->v && slot->v->kind == V_STR) {
      TD_TRY(check_output(spec, slot->v->s, slot->at, list, n));
    } else {
      td_error(&spec->diags, TD_E_MODEL, slot->at,
               "output{%d} must be the name of a sensor, got %s", i + 1,
               slot->v ? td_value_kind_text(slot->v) : "nothing");
    }
  }
  return TD_OK;
}

// Check the names of each structure that has a field `name`, then `output` against those of the
// sensors.
td_status td_check_names(td_spec* spec) {
  const td_structure* structure;
  TD_TRY(check_rod_names(spec));
  for (int k = 0; spec->root && (structure = td_structure_at(k)); k++) {
    const char* root = structure->fields->path;
    char path[64];
    snprintf(path, sizeof path, "%s.name", root);
    if (!td_field_in(structure->fields, path)) continue;
    const value* s = td_get(spec->root, 0, root);
    named* list;
    int n;
    TD_TRY(collect(s, &list, &n));
    check_unique(spec, root, s, list, n);
    const td_status status =
        structure == &td_structure_sensor ? check_outputs(spec, list, n) : TD_OK;
    free(list);
    TD_TRY(status);
  }
  return TD_OK;
}
