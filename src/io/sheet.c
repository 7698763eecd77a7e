// Reading of measurements from CSV files: names in the first line, then rows of cells, each a
// number, a word or empty.  The text is read whole and cut in place, so that names and words point
// into it.
#include "io/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

enum { MOST_COLUMNS = 10000 };

// Write a message; TD_E_IO.
static td_status wrong(char* message, size_t size, const char* format, ...) TD_PRINTF(3, 4);
static td_status wrong(char* message, size_t size, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(message, size, format, args);
  va_end(args);
  return TD_E_IO;
}

// Cut the next cell out of a line: a zero takes the place of the separator.  Blanks around it and
// quotes go; *end is the separator, '\n' at the end of the line and '\0' at that of the text.
static char* next_cell(char** at, char separator, char* end) {
  char* p = *at;
  while (*p == ' ' || (*p == '\t' && separator != '\t')) p++;
  char* cell = p;
  if (*p == '"') {
    cell = ++p;
    while (*p && *p != '"' && *p != '\n') p++;
    if (*p == '"') *p++ = 0;
  }
  while (*p && *p != separator && *p != '\n') p++;
  *end = *p;
  *at = *p ? p + 1 : p;
  *p = 0;
  char* last = cell + strlen(cell);
  while (last > cell && (last[-1] == ' ' || last[-1] == '\r' || last[-1] == '\t')) *--last = 0;
  return cell;
}

void td_sheet_free(td_sheet* s) {
  free(s->names);
  free(s->x);
  free(s->word);
  free(s->line);
  free(s->text);
  *s = (td_sheet){0};
}

int td_sheet_find(const td_sheet* s, const char* name) {
  for (int j = 0; j < s->cols; j++)
    if (strcmp(s->names[j], name) == 0) return j;
  return -1;
}

// Read the names of the columns.
static td_status read_names(td_sheet* s, char** at, char separator, const char* path, char* message,
                            size_t size) {
  char end = separator;
  int cap = 0;
  while (end == separator) {
    char** grown = td_grow(s->names, &cap, s->cols + 1, sizeof *grown);
    if (!grown) return TD_E_NOMEM;
    s->names = grown;
    if (s->cols == MOST_COLUMNS)
      return wrong(message, size, "%s:1: more than %d columns", path, MOST_COLUMNS);
    char *name = next_cell(at, separator, &end), *stop;
    const double x = strtod(name, &stop);
    if (*name && *stop == 0 && isfinite(x))
      return wrong(message, size,
                   "%s:1: the first line must name the columns, but column %d is the number %s",
                   path, s->cols + 1, name);
    if (*name && td_sheet_find(s, name) >= 0)
      return wrong(message, size, "%s:1: two columns are called '%.60s'", path, name);
    s->names[s->cols++] = name;
  }
  return TD_OK;
}

// Read the rows; blank lines are passed over.
static td_status read_rows(td_sheet* s, char* at, char separator, const char* path, char* message,
                           size_t size) {
  int cap[3] = {0};
  for (int line = 2; *at; line++) {
    const size_t blank = strspn(at, " \r");
    if (at[blank] == '\n' || !at[blank]) {
      at += blank + (at[blank] == '\n');
      continue;
    }
    const int need = (s->rows + 1) * s->cols;
    if (need > 100000000) return wrong(message, size, "%s:%d: too many numbers", path, line);
    double* x = td_grow(s->x, &cap[0], need, sizeof *x);
    if (x) s->x = x;
    char** word = x ? td_grow(s->word, &cap[1], need, sizeof *word) : NULL;
    if (word) s->word = word;
    int* lines = word ? td_grow(s->line, &cap[2], s->rows + 1, sizeof *lines) : NULL;
    if (!lines) return TD_E_NOMEM;
    s->line = lines;
    lines[s->rows] = line;

    // its cells; those that a short row lacks are empty
    char end = separator;
    for (int j = 0; j < s->cols; j++) {
      const int k = s->rows * s->cols + j;
      char *cell = end == separator ? next_cell(&at, separator, &end) : NULL, *stop = NULL;
      const bool missing = !cell || !*cell || strcasecmp(cell, "nan") == 0;
      const double number = missing ? (double)NAN : strtod(cell, &stop);
      const bool is_number = missing || (*stop == 0 && isfinite(number));
      x[k] = is_number ? number : (double)NAN;
      word[k] = is_number ? NULL : cell;
    }
    if (end == separator)
      return wrong(message, size, "%s:%d: the row has more cells than the %d columns named above",
                   path, line, s->cols);
    s->rows++;
  }
  return TD_OK;
}

td_status td_sheet_read(const char* path, td_sheet* s, char* message, size_t size) {
  *s = (td_sheet){0};
  size_t n;
  const char* why;
  const td_status read = td_file_read(path, 1000000000, &s->text, &n, &why);
  if (read == TD_E_NOMEM) return read;
  if (read != TD_OK)
    return wrong(message, size, "cannot read '%s': %s", path, why ? why : "it is larger than 1 GB");
  if (memchr(s->text, 0, n)) {
    td_sheet_free(s);
    return wrong(message, size, "%s: this is no text", path);
  }
  char* at = s->text;
  if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;  // byte order mark of UTF-8
  at += strspn(at, "\r\n");
  const size_t first = strcspn(at, "\n");
  const char separator = memchr(at, ';', first) ? ';' : memchr(at, '\t', first) ? '\t' : ',';

  td_status status = *at ? read_names(s, &at, separator, path, message, size)
                         : wrong(message, size, "%s: the file is empty", path);
  if (status == TD_OK) status = read_rows(s, at, separator, path, message, size);
  if (status == TD_OK && s->rows == 0)
    status = wrong(message, size, "%s: there is no row of numbers below the names", path);
  if (status != TD_OK) td_sheet_free(s);
  return status;
}
