// Columns of result tables: names, units and pointers to the values.  The names of a state's
// columns are decided here, for all commands and languages.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tendril/tools.h"

struct td_columns {
  td_matrix* list;
  char** names;  // owned
  int n, cap;
  td_status failed;  // the first failure, TD_OK: none
};

td_columns* td_columns_new(void) { return calloc(1, sizeof(td_columns)); }

void td_columns_free(td_columns* c) {
  if (!c) return;
  for (int i = 0; i < c->n; i++) free(c->names[i]);
  free(c->names);
  free(c->list);
  free(c);
}

// Append a column with a copy of its name; NULL: no memory.
static td_matrix* next(td_columns* c, const char* name) {
  if (c->n == c->cap) {
    const int cap = c->cap ? 2 * c->cap : 64;
    td_matrix* list = realloc(c->list, (size_t)cap * sizeof *list);
    if (list) c->list = list;
    char** names = realloc(c->names, (size_t)cap * sizeof *names);
    if (names) c->names = names;
    if (list && names) c->cap = cap;
  }

  // the column, with one value in each record
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

// Append a column of numbers, which stay the caller's.
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

// Append a column of words.
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

// Report whether a name is that of a coordinate, q12 or v3.
static bool is_coordinate(const char* name) {
  return (name[0] == 'q' || name[0] == 'v') && name[1] >= '1' && name[1] <= '9' &&
         name[1 + strspn(name + 1, "0123456789")] == '\0';
}

// Append a column under its name or, where that is a coordinate's or taken, with an ending.
void td_columns_add_other(td_columns* c, const char* name, const char* ending, const char* unit,
                          int rows, int stride, const double* values) {
  if (!c) return;
  char other[400];
  const bool taken = name && ending && (is_coordinate(name) || is_taken(c, name));
  if (taken && snprintf(other, sizeof other, "%s%s", name, ending) >= (int)sizeof other)
    c->failed = TD_E_USAGE;
  td_columns_add(c, taken ? other : name, unit, rows, stride, values);
}

// Append the columns of states: sensors, q, v and internal states, as far as the spec wants them.
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

  // sensors
  for (int i = 0; i < n.nsensor; i++)
    td_columns_add_other(c, td_model_sensor_name(model, i), "_sensor",
                         td_model_sensor_unit(model, i), rows, stride, values++);

  // coordinates
  for (int i = 0; want_q && i < n.nq; i++) {
    snprintf(name, sizeof name, "q%d", i + 1);
    const bool known = td_model_q_about(model, i, &about);
    td_columns_add(c, name, known ? about.unit : "", rows, stride, values + i);
  }
  values += n.nq;

  // velocities
  for (int i = 0; want_v && i < n.nv; i++) {
    snprintf(name, sizeof name, "v%d", i + 1);
    const bool known = td_model_v_about(model, i, &about);
    td_columns_add(c, name, known ? about.unit : "", rows, stride, values + i);
  }
  values += n.nv;

  // internal states
  for (int i = 0; want_z && i < n.nz; i++)
    td_columns_add(c, td_model_internal_name(model, i), td_model_internal_unit(model, i), rows,
                   stride, values + i);
}

td_status td_columns_csv(const td_columns* c, td_files* files, const char* name) {
  if (!c || !files || !name) return TD_E_USAGE;
  return c->failed ? c->failed : td_files_csv(files, name, c->list, c->n);
}

td_status td_columns_mat(const td_columns* c, td_files* files, const char* name) {
  if (!c || !files || !name) return TD_E_USAGE;
  return c->failed ? c->failed : td_files_mat(files, name, c->list, c->n);
}

// Write the columns as an HDF5 file.  A dataset takes HDF5 as long as thousands of numbers: of many
// columns the coordinates are folded into two matrices, q and v.
td_status td_columns_h5(const td_columns* c, td_files* files, const char* name,
                        const td_note* notes, int nnote) {
  if (!c || !files || !name) return TD_E_USAGE;
  if (c->failed) return c->failed;
  td_matrix* list = malloc(((size_t)c->n + 1) * sizeof *list);
  if (!list) return TD_E_NOMEM;

  const bool fold = c->n > 10000 && !is_taken(c, "q") && !is_taken(c, "v");
  int n = 0;
  for (int i = 0, width; i < c->n; i += width) {
    td_matrix* m = &list[n++];
    *m = c->list[i];
    width = 1;
    if (!fold || !is_coordinate(c->names[i])) continue;

    // columns of the same letter lie side by side; the matrix has their unit if it is one
    m->name = c->names[i][0] == 'q' ? "q" : "v";
    for (; i + width < c->n; width++) {
      const char* other = c->names[i + width];
      if (!is_coordinate(other) || other[0] != c->names[i][0]) break;
      if (strcmp(c->list[i + width].unit, m->unit) != 0) m->unit = "";
    }
    m->cols = width;
  }
  const td_status status = td_files_h5(files, name, list, n, notes, nnote);
  free(list);
  return status;
}
