// Reading CSV files of results: a line of names, then rows of numbers.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "tendril/view.h"

enum { MOST_COLUMNS = 100000 };

// Read a whole file.
static td_status read_text(const char* path, td_text* out, char* message, size_t size) {
  FILE* f = fopen(path, "rb");
  if (!f) {
    snprintf(message, size, "cannot read '%s'", path);
    return TD_E_IO;
  }
  size_t n;
  out->s = td_stream_read(f, INT_MAX, &n);
  const bool ok = out->s && !ferror(f) && n < INT_MAX;
  out->n = ok ? (int)n : 0;
  fclose(f);
  if (!ok) snprintf(message, size, "cannot read '%s'", path);
  return ok ? TD_OK : TD_E_IO;
}

static int count(const char* from, const char* to, char c) {
  int n = 0;
  for (; from < to; from++) n += *from == c;
  return n;
}

// Read the cells of a row.  Words become NaN in columns that have a word in the first row; other
// columns must have a number or an empty cell in every row.  Returns the number of cells, or -1 - i
// if cell i is not a number.
static int read_row(const td_table* t, const char* line, const char* end, const double* first,
                    double* out) {
  while (end > line && (end[-1] == '\r' || end[-1] == ' ')) end--;
  int cells = 0;
  for (bool more = true; more; cells++) {
    const char* comma = memchr(line, ',', (size_t)(end - line));
    const char* stop = comma ? comma : end;
    char* read = NULL;
    while (line < stop && *line == ' ') line++;
    const double x = line < stop ? strtod(line, &read) : (double)NAN;
    while (read && read < stop && *read == ' ') read++;

    // a word in a column of numbers is wrong
    const bool word = line < stop && read != stop;
    if (word && cells < t->cols && first != out && !isnan(first[cells])) return -1 - cells;
    if (cells < t->cols) out[cells] = word ? (double)NAN : x;
    more = comma != NULL;
    line = comma ? comma + 1 : end;
  }
  return cells;
}

// Parse a text.  On TD_E_SYNTAX, *line is the line that is wrong (0: none), and *cell the cell,
// counted from 1, that is not a number, or 0 where the number of cells is wrong.
static td_status parse(const td_text* text, td_table* t, int* line, int* cell) {
  const char *at = text->s, *last = text->s + text->n;
  const char* end = memchr(at, '\n', (size_t)text->n);
  if (!end) end = last;
  const int rows = count(end, last, '\n') + 1;
  t->cols = count(at, end, ',') + 1;
  if (t->cols > MOST_COLUMNS) return TD_E_SYNTAX;
  t->names = calloc((size_t)t->cols, sizeof *t->names);
  t->values = malloc((size_t)rows * (size_t)t->cols * sizeof *t->values);
  if (!t->names || !t->values) return TD_E_NOMEM;

  // names
  for (int i = 0; i < t->cols; i++) {
    const char* comma = memchr(at, ',', (size_t)(end - at));
    const char* stop = comma ? comma : end;
    while (stop > at && (stop[-1] == '\r' || stop[-1] == ' ')) stop--;
    t->names[i] = td_strndup(at, (size_t)(stop - at));
    if (!t->names[i]) return TD_E_NOMEM;
    at = comma ? comma + 1 : end;
  }

  // rows; empty lines are passed over
  for (at = end + 1; at < last; at = end + 1) {
    end = memchr(at, '\n', (size_t)(last - at));
    if (!end) end = last;
    ++*line;
    if (end == at || (end == at + 1 && *at == '\r')) continue;
    const int cells =
        read_row(t, at, end, t->values, t->values + (size_t)t->rows++ * (size_t)t->cols);
    *cell = cells < 0 ? -cells : 0;
    if (cells != t->cols) return TD_E_SYNTAX;
  }

  // at least one number
  *line = 0;
  bool some = false;
  for (size_t i = 0; i < (size_t)t->rows * (size_t)t->cols; i++) some |= isfinite(t->values[i]);
  return some ? TD_OK : TD_E_SYNTAX;
}

// Read a file; on failure the message names the line and column.
td_status td_table_read(const char* path, td_table** table, char* message, size_t size) {
  if (!path || !table || (!message && size > 0)) return TD_E_USAGE;
  *table = NULL;
  td_text text = {0};
  td_status status = read_text(path, &text, message, size);
  td_table* t = status == TD_OK && text.n > 0 ? calloc(1, sizeof *t) : NULL;
  if (status == TD_OK) {
    int line = 1, cell = 0;
    status = t ? parse(&text, t, &line, &cell) : text.n > 0 ? TD_E_NOMEM : TD_E_SYNTAX;

    // the message names the place
    if (status == TD_E_SYNTAX && t && line > 1 && cell > 0)
      snprintf(message, size, "%s:%d: column %d (%.60s) is not a number", path, line, cell,
               t->names[cell - 1]);
    else if (status == TD_E_SYNTAX && t && line > 1)
      snprintf(message, size, "%s:%d: the row does not have the %d cells that the first line names",
               path, line, t->cols);
    else if (status != TD_OK)
      snprintf(message, size, "'%s' %s", path,
               status == TD_E_NOMEM ? "is too large for the memory" : "has no rows of numbers");
  }
  td_text_free(&text);
  if (status == TD_OK) {
    *table = t;
  } else {
    td_table_free(t);
  }
  return status;
}

void td_table_free(td_table* t) {
  if (!t) return;
  for (int i = 0; t->names && i < t->cols; i++) free(t->names[i]);
  free(t->names);
  free(t->values);
  free(t);
}

int td_table_find(const td_table* t, const char* name) {
  if (!t || !name || !t->names) return -1;
  for (int i = 0; i < t->cols; i++)
    if (t->names[i] && strcmp(t->names[i], name) == 0) return i;
  return -1;
}
