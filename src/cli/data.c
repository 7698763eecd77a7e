// Tables of recorded numbers: CSV with one line of names.  An empty cell and NaN mean that nothing
// was measured; words and infinities are refused.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define TEXT_FILE_LIMIT (64 << 20)  // bytes

// Read a whole file of fewer than `limit` bytes, *size of them and a zero behind; to be freed.
// NULL: errno tells why, EFBIG where it is larger.
char* bytes_of_file(const char* path, size_t limit, size_t* size) {
  FILE* f = fopen(path, "rb");
  if (!f) return NULL;

  // grow the buffer until the end
  size_t n = 0, cap = 1 << 16;
  char* text = malloc(cap);
  errno = 0;
  while (text) {
    n += fread(text + n, 1, cap - 1 - n, f);
    if (n < cap - 1 || n >= limit) break;
    char* longer = realloc(text, cap *= 2);
    if (!longer) free(text);
    text = longer;
  }

  // a text, or what is wrong with it
  const int fault = !text ? ENOMEM : ferror(f) ? (errno ? errno : EIO) : n >= limit ? EFBIG : 0;
  fclose(f);
  if (fault) free(text);
  errno = fault;
  if (fault) return NULL;
  text[n] = '\0';
  *size = n;
  return text;
}

// Read a whole text file; to be freed.  NULL: a message was printed, and *code is the exit code.
char* text_of_file(const char* path, int* code) {
  size_t n;
  char* text = bytes_of_file(path, TEXT_FILE_LIMIT, &n);
  if (text && !memchr(text, 0, n)) return text;
  *code = text || errno == EFBIG ? complain(CODE_FILE, "'%s' is not a text file", path)
          : errno == ENOMEM      ? complain(CODE_NUMERICS, "out of memory")
                            : complain(CODE_FILE, "cannot read '%s': %s", path, strerror(errno));
  free(text);
  return NULL;
}

enum { MOST_COLUMNS = 4096 };

// Take the next cell, ended by a zero; *end is the character behind it ('\n' or 0 ends the row).
// NULL: a quote in it has no partner.
static char* cell(char** at, char* end) {
  char* s = *at + strspn(*at, " \t");
  const bool quoted = *s == '"';
  char* close = quoted ? strpbrk(s + 1, "\"\n") : NULL;
  if (quoted && (!close || *close != '"')) return NULL;
  const size_t before = quoted ? (size_t)(close + 1 - s) : 0;
  const size_t n = before + strcspn(s + before, ",\n");
  *end = s[n];
  s[n] = '\0';
  *at = s + n + (*end != '\0');

  // without blanks and quotes
  size_t length = n;
  while (length > 0 && strchr(" \t\r", s[length - 1])) s[--length] = '\0';
  if (quoted && length != before) return NULL;
  if (quoted) s[length - 1] = '\0';
  return strchr(quoted ? s + 1 : s, '"') ? NULL : quoted ? s + 1 : s;
}

static int bad_quote(const char* path, int line, int column) {
  return complain(CODE_FILE, "%s:%d: column %d: a quote is not closed, or stands inside a cell",
                  path, line, column);
}

// Read the names of the columns from the first line.  Refuses names that occur twice and too many
// columns.  Returns the exit code.
static int read_names(table* t, char** at, const char* path) {
  char end = ',';
  t->names = calloc(MOST_COLUMNS, sizeof *t->names);
  if (!t->names) return complain(CODE_NUMERICS, "out of memory");
  while (end == ',' && t->cols < MOST_COLUMNS) {
    char* name = cell(at, &end);
    if (!name) return bad_quote(path, 1, t->cols + 1);
    for (int j = 0; j < t->cols && *name; j++)
      if (strcmp(t->names[j], name) == 0)
        return complain(CODE_FILE, "%s:1: column %d is called '%.60s', as column %d is", path,
                        t->cols + 1, name, j + 1);
    t->names[t->cols++] = name;
  }
  return end == ',' ? complain(CODE_FILE, "%s: more than %d columns", path, MOST_COLUMNS)
                    : CODE_DONE;
}

// Report whether a cell is empty, NaN or NA, in any case of letters.
static bool is_missing(const char* s) {
  static const char* const words[] = {"", "nan", "na"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    size_t i = 0;
    while (s[i] && words[k][i] && tolower((unsigned char)s[i]) == words[k][i]) i++;
    if (!s[i] && !words[k][i]) return true;
  }
  return false;
}

// Read all rows of numbers; empty cells are NaN, rows without any number are left out. t->line has
// the line of each row.  Returns the exit code, after a message for the first cell that is no
// finite number.
static int read_rows(table* t, char* at, const char* path) {
  size_t room = 0;
  for (int line = 2; *at; line++) {
    // room for another row
    const size_t need = (size_t)(t->rows + 1) * (size_t)t->cols;
    if (need > room) {
      double* grown = realloc(t->x, (room = 2 * need) * sizeof *grown);
      if (!grown) return complain(CODE_NUMERICS, "out of memory");
      t->x = grown;
      int* lines = realloc(t->line, room / (size_t)t->cols * sizeof *lines);
      if (!lines) return complain(CODE_NUMERICS, "out of memory");
      t->line = lines;
    }

    // one row, cell by cell
    t->line[t->rows] = line;
    double* row = t->x + (size_t)t->rows * (size_t)t->cols;
    char end = ',';
    bool any = false;
    for (int j = 0; j < t->cols; j++) row[j] = NAN;
    for (int j = 0; end == ','; j++) {
      char *s = cell(&at, &end), *stop;
      if (!s) return bad_quote(path, line, j + 1);
      const double x = strtod(s, &stop);
      if (is_missing(s)) continue;
      if (j >= t->cols)
        return complain(CODE_FILE, "%s:%d: the row has more cells than the %d columns named above",
                        path, line, t->cols);
      if (*stop || !isfinite(x))
        return complain(CODE_FILE,
                        "%s:%d: column %d (%s) must be a finite number, or empty where nothing was "
                        "measured; got '%.40s'",
                        path, line, j + 1, t->names[j], s);
      row[j] = x, any = true;
    }
    t->rows += any;
  }
  return CODE_DONE;
}

int table_find(const table* t, const char* name) {
  for (int j = 0; j < t->cols; j++)
    if (strcmp(t->names[j], name) == 0) return j;
  return -1;
}

// Read a CSV file; complaints name the line and column.
int table_read(const char* path, table* t) {
  int code = CODE_DONE;
  t->text = text_of_file(path, &code);
  if (!t->text) return code;
  char* at = t->text;
  if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;  // byte order mark of UTF-8, as of spreadsheets
  code = read_names(t, &at, path);
  if (code == CODE_DONE) code = read_rows(t, at, path);
  if (code) return code;
  if (t->rows < 2) return complain(CODE_FILE, "%s: at least two rows of numbers are wanted", path);
  return CODE_DONE;
}

void table_free(table* t) {
  free(t->names);
  free(t->x);
  free(t->line);
  free(t->text);
}
