// Columns of result tables: names, units and where the values are.  What a column of a state is
// called is decided here, for all commands and languages.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tendril/tools.h"

struct td_columns {
  td_matrix* list;
  char** names;  // owned
  int n, cap;
  td_status failed;  // TD_OK: nothing did
};

td_columns* td_columns_new(void) { return calloc(1, sizeof(td_columns)); }

void td_columns_free(td_columns* c) {
  if (!c) return;
  for (int i = 0; i < c->n; i++) free(c->names[i]);
  free(c->names);
  free(c->list);
  free(c);
}

static td_matrix* next(td_columns* c, const char* name) {
  if (c->n == c->cap) {
    const int cap = c->cap ? 2 * c->cap : 64;
    td_matrix* list = realloc(c->list, (size_t)cap * sizeof *list);
    if (list) c->list = list;
    char** names = realloc(c->names, (size_t)cap * sizeof *names);
    if (names) c->names = names;
    if (list && names) c->cap = cap;
  }
  char* copy = c->n < c->cap ? strdup(name) : NULL;
  if (!copy) {
    c->failed = TD_E_NOMEM;
    return NULL;
  }
  c->names[c->n] = copy;
  td_matrix* m = &c->list[c->n++];
  *m = (td_matrix){.name = copy, .unit = "", .cols = 1};
  return m;
}

void td_columns_add(td_columns* c, const char* name, const char* unit, int rows, int stride,
                    const double* values) {
  if (!c) return;
  const bool sound = name && unit && rows >= 0 && (values || rows == 0);
  if (!sound) c->failed = TD_E_USAGE;
  td_matrix* m = sound ? next(c, name) : NULL;
  if (!m) return;
  m->unit = unit;
  m->rows = rows;
  m->stride = stride;
  m->values = values;
}

void td_columns_add_words(td_columns* c, const char* name, int rows, const char* const* words) {
  if (!c) return;
  const bool sound = name && rows >= 0 && (words || rows == 0);
  if (!sound) c->failed = TD_E_USAGE;
  td_matrix* m = sound ? next(c, name) : NULL;
  if (!m) return;
  m->rows = rows;
  m->words = words;
}

static bool is_taken(const td_columns* c, const char* name) {
  for (int i = 0; i < c->n; i++) {
    if (strcmp(c->names[i], name) == 0) return true;
  }
  return false;
}

// q12 and v3 are names of coordinates
static bool is_coordinate(const char* name) {
  return (name[0] == 'q' || name[0] == 'v') && name[1] >= '1' && name[1] <= '9' &&
         name[1 + strspn(name + 1, "0123456789")] == '\0';
}

void td_columns_add_other(td_columns* c, const char* name, const char* ending, const char* unit,
                          int rows, int stride, const double* values) {
  if (!c) return;
  char other[400];
  const bool taken = name && ending && (is_coordinate(name) || is_taken(c, name));
  if (taken && snprintf(other, sizeof other, "%s%s", name, ending) >= (int)sizeof other)
    c->failed = TD_E_USAGE;
  td_columns_add(c, taken ? other : name, unit, rows, stride, values);
}

void td_columns_add_state(td_columns* c, const td_spec* spec, const td_model* model, int rows,
                          int stride, const double* values, bool with_v) {
  if (!c) return;
  if (!model || (!values && rows > 0)) {
    c->failed = TD_E_USAGE;
    return;
  }
  const td_sizes n = td_model_sizes(model);
  const bool want_q = !spec || td_spec_wants(spec, "q"), want_z = !spec || td_spec_wants(spec, "z");
  const bool want_v = with_v && (!spec || td_spec_wants(spec, "v"));
  td_coordinate about;
  char name[24];
  for (int i = 0; i < n.nsensor; i++)
    td_columns_add_other(c, td_model_sensor_name(model, i), "_sensor",
                         td_model_sensor_unit(model, i), rows, stride, values++);
  for (int i = 0; want_q && i < n.nq; i++) {
    snprintf(name, sizeof name, "q%d", i + 1);
    const bool known = td_model_q_about(model, i, &about);
    td_columns_add(c, name, known ? about.unit : "", rows, stride, values + i);
  }
  values += n.nq;
  for (int i = 0; want_v && i < n.nv; i++) {
    snprintf(name, sizeof name, "v%d", i + 1);
    const bool known = td_model_v_about(model, i, &about);
    td_columns_add(c, name, known ? about.unit : "", rows, stride, values + i);
  }
  values += n.nv;
  for (int i = 0; want_z && i < n.nz; i++)
    td_columns_add(c, td_model_internal_name(model, i), td_model_internal_unit(model, i), rows,
                   stride, values + i);
}

// Columns of coordinates from the first one on that have its letter.
static int count_alike(const td_columns* c, int first) {
  int n = 1;
  while (first + n < c->n && is_coordinate(c->names[first + n]) &&
         c->names[first + n][0] == c->names[first][0])
    n++;
  return n;
}

// One matrix of n columns that lie side by side; they have one unit, or none is told.
static td_matrix folded(const td_matrix* first, int n) {
  td_matrix m = *first;
  m.name = first->name[0] == 'q' ? "q" : "v";
  m.cols = n;
  for (int i = 1; i < n; i++)
    if (strcmp(first[i].unit, m.unit) != 0) m.unit = "";
  return m;
}

td_status td_columns_csv(const td_columns* c, td_files* files, const char* name) {
  if (!c || !files || !name) return TD_E_USAGE;
  return c->failed ? c->failed : td_files_csv(files, name, c->list, c->n);
}

td_status td_columns_mat(const td_columns* c, td_files* files, const char* name) {
  if (!c || !files || !name) return TD_E_USAGE;
  return c->failed ? c->failed : td_files_mat(files, name, c->list, c->n);
}

td_status td_columns_h5(const td_columns* c, td_files* files, const char* name,
                        const td_note* notes, int nnote) {
  if (!c || !files || !name) return TD_E_USAGE;
  if (c->failed) return c->failed;
  td_matrix* list = malloc(((size_t)c->n + 1) * sizeof *list);
  if (!list) return TD_E_NOMEM;

  // HDF5 takes as long for a dataset as for thousands of numbers: of many columns the coordinates
  // are two matrices, q and v
  const bool fold = c->n > 10000 && !is_taken(c, "q") && !is_taken(c, "v");
  int n = 0;
  for (int i = 0, width; i < c->n; i += width) {
    const bool some = fold && is_coordinate(c->names[i]);
    width = some ? count_alike(c, i) : 1;
    list[n++] = some ? folded(&c->list[i], width) : c->list[i];
  }
  const td_status status = td_files_h5(files, name, list, n, notes, nnote);
  free(list);
  return status;
}
