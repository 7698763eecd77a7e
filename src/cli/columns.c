// Columns of result tables: names, units and where the values are.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static td_matrix* next(columns* c, const char* name) {
  if (c->n == c->cap) {
    const int cap = c->cap ? 2 * c->cap : 64;
    td_matrix* list = realloc(c->list, (size_t)cap * sizeof *list);
    if (list) c->list = list;
    char** names = realloc(c->names, (size_t)cap * sizeof *names);
    if (names) c->names = names;
    if (!list || !names) {
      c->failed = true;
      return NULL;
    }
    c->cap = cap;
  }
  char* copy = format_text("%s", name);
  if (!copy) {
    c->failed = true;
    return NULL;
  }
  c->names[c->n] = copy;
  td_matrix* m = &c->list[c->n++];
  *m = (td_matrix){.name = copy, .unit = "", .cols = 1};
  return m;
}

void columns_add(columns* c, const char* name, const char* unit, int rows, int stride,
                 const double* values) {
  td_matrix* m = next(c, name);
  if (!m) return;
  m->unit = unit;
  m->rows = rows;
  m->stride = stride;
  m->values = values;
}

void columns_add_words(columns* c, const char* name, int rows, const char* const* words) {
  td_matrix* m = next(c, name);
  if (!m) return;
  m->rows = rows;
  m->words = words;
}

static bool is_taken(const columns* c, const char* name) {
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

void columns_add_other(columns* c, const char* name, const char* ending, const char* unit, int rows,
                       int stride, const double* values) {
  char* other = NULL;
  if (is_coordinate(name) || is_taken(c, name)) other = format_text("%s%s", name, ending);
  columns_add(c, other ? other : name, unit, rows, stride, values);
  free(other);
}

void columns_add_state(columns* c, const session* s, int rows, int stride, const double* values,
                       bool with_v) {
  const bool want_q = td_spec_wants(s->spec, "q");
  const bool want_v = with_v && td_spec_wants(s->spec, "v");
  const bool want_z = td_spec_wants(s->spec, "z");
  td_coordinate about;
  char name[24];
  for (int i = 0; i < s->n.nsensor; i++) {
    columns_add_other(c, td_model_sensor_name(s->model, i), "_sensor",
                      td_model_sensor_unit(s->model, i), rows, stride, values++);
  }
  for (int i = 0; want_q && i < s->n.nq; i++) {
    snprintf(name, sizeof name, "q%d", i + 1);
    const bool known = td_model_q_about(s->model, i, &about);
    columns_add(c, name, known ? about.unit : "", rows, stride, values + i);
  }
  values += s->n.nq;
  for (int i = 0; want_v && i < s->n.nv; i++) {
    snprintf(name, sizeof name, "v%d", i + 1);
    const bool known = td_model_v_about(s->model, i, &about);
    columns_add(c, name, known ? about.unit : "", rows, stride, values + i);
  }
  values += s->n.nv;
  for (int i = 0; want_z && i < s->n.nz; i++)
    columns_add(c, td_model_internal_name(s->model, i), td_model_internal_unit(s->model, i), rows,
                stride, values + i);
}

// Columns of coordinates from the first one on that have its letter.
static int count_alike(const columns* c, int first) {
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

int columns_fold(const columns* c, td_matrix* list) {
  const bool fold = c->n > COLUMNS_MANY && !is_taken(c, "q") && !is_taken(c, "v");
  int n = 0;
  for (int i = 0, width; i < c->n; i += width) {
    const bool some = fold && is_coordinate(c->names[i]);
    width = some ? count_alike(c, i) : 1;
    list[n++] = some ? folded(&c->list[i], width) : c->list[i];
  }
  return n;
}

void columns_free(columns* c) {
  for (int i = 0; i < c->n; i++) free(c->names[i]);
  free(c->names);
  free(c->list);
  *c = (columns){0};
}
