// The journal of a sweep, for sweeps that are stopped, killed or lose their machine.
//
//   tendril sweep journal 1 <digest> <points> <columns>
//   <point> <tab> <columns x 16 hexadecimal digits: the bits> <tab> <status> <tab> <hash of the
//   line>
//
// A line is written by one call and only ever appended.  One that was torn (a full disk, a machine
// that went down) has a wrong hash: it and what follows is cut off when the sweep goes on.  While a
// process writes, it holds a lock on the file.
#define _XOPEN_SOURCE 700  // getline
#include "solve/ensemble/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "solve/ensemble/worker.h"

struct journal {
  int file;
  FILE* reader;  // of the points that were there
  int columns;
  td_text line;
  double synced;  // when the file was brought to the disk [s]
};

static const double sync_period = 5;  // [s]

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Read n hexadecimal digits.
static bool read_bits(const char* s, int n, uint64_t* bits) {
  *bits = 0;
  for (int i = 0; i < n; i++) {
    const char* digits = "0123456789abcdef";
    const char* at = s[i] ? strchr(digits, s[i]) : NULL;
    if (!at) return false;
    *bits = *bits << 4 | (uint64_t)(at - digits);
  }
  return true;
}

// Read a line of a point, with its line end; false: it is damaged.  The status is cut out of it.
static bool read_point(char* line, ssize_t length, int points, int columns, int* point,
                       double* values, const char** status) {
  if (length < 2 || line[length - 1] != '\n') return false;
  line[length - 1] = '\0';
  char* hash = strrchr(line, '\t');
  uint64_t bits;
  if (!hash || strlen(hash + 1) != 16 || !read_bits(hash + 1, 16, &bits)) return false;
  if (bits != td_hash(TD_HASH_START, line, (size_t)(hash - line))) return false;

  // its parts
  char* end;
  const long number = strtol(line, &end, 10);
  if (end == line || *end != '\t' || number < 0 || number >= points) return false;
  *hash = '\0';
  const char* s = end + 1;
  if (strlen(s) < 16 * (size_t)columns + 1 || s[16 * columns] != '\t') return false;
  for (int i = 0; i < columns; i++, s += 16) {
    if (!read_bits(s, 16, &bits)) return false;
    memcpy(&values[i], &bits, sizeof bits);
  }
  *point = (int)number;
  *status = s + 1;
  return true;
}

// Read all points of a file behind its first line; *good is where the first damaged line begins.
static td_status read_points(FILE* f, int points, int columns, journal_taker taker, void* user,
                             off_t* good, int* count) {
  char* line = NULL;
  size_t room = 0;
  double* values = malloc(sizeof(double) * (size_t)(columns + 1));
  td_status status = values ? TD_OK : TD_E_NOMEM;
  for (ssize_t n; status == TD_OK && (n = getline(&line, &room, f)) > 0;) {
    int point;
    const char* text;
    if (!read_point(line, n, points, columns, &point, values, &text)) break;
    if (taker) taker(user, point, values, text);
    *good += n;
    ++*count;
  }
  free(values);
  free(line);
  return status;
}

td_status td_journal_open(const char* path, bool resume, uint64_t digest, int points, int columns,
                          journal_taker taker, void* user, journal** out, char* message,
                          size_t size) {
  *out = NULL;
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    snprintf(message, size, "cannot write '%s': %s", path, strerror(errno));
    return TD_E_IO;
  }
  journal* j = calloc(1, sizeof *j);
  const int other = dup(file);
  FILE* f = j && other >= 0 ? fdopen(other, "r") : NULL;
  char head[120], found[120] = "";
  td_status status = f ? TD_OK : TD_E_NOMEM;

  // one process at a time.  A lock that the file system does not know is no reason to stop
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (status == TD_OK && fcntl(file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
    snprintf(message, size, "another sweep is writing '%s'", path);
    status = TD_E_IO;
  }

  // the points that are there
  snprintf(head, sizeof head, "tendril sweep journal 1 %016llx %d %d\n", (unsigned long long)digest,
           points, columns);
  off_t good = 0;
  int count = 0;
  const bool empty = status != TD_OK || !fgets(found, sizeof found, f);
  if (status == TD_OK && !empty && !resume) {
    int all = 0, wide = 0;
    unsigned long long made_by;
    if (sscanf(found, "tendril sweep journal 1 %llx %d %d", &made_by, &all, &wide) == 3)
      read_points(f, all, wide, NULL, NULL, &good, &count);
    snprintf(message, size,
             "'%s' has %d of %d points of a sweep that was not finished: --resume goes on with it; "
             "or remove it",
             path, count, all);
    status = TD_E_USAGE;
  } else if (status == TD_OK && !empty && strchr(found, '\n') && strcmp(found, head) != 0) {
    snprintf(message, size,
             "'%s' is of another sweep: the model, its values, the options or the points differ; "
             "remove it to begin anew",
             path);
    status = TD_E_USAGE;
  } else if (status == TD_OK && !empty && strcmp(found, head) == 0) {
    good = (off_t)strlen(head);
    status = read_points(f, points, columns, taker, user, &good, &count);
  }

  // go on behind them, or begin
  if (status == TD_OK &&
      (ftruncate(file, good) != 0 || lseek(file, good, SEEK_SET) < 0 ||
       (good == 0 && write(file, head, strlen(head)) != (ssize_t)strlen(head)))) {
    snprintf(message, size, "cannot write '%s': %s", path, strerror(errno));
    status = TD_E_IO;
  }
  if (status != TD_OK) {
    if (f)
      fclose(f);
    else if (other >= 0)
      close(other);
    close(file);
    free(j);
    return status;
  }

  // the stream that was read is closed only with the journal: closing it would give up the lock
  *j = (journal){.file = file, .reader = f, .columns = columns, .synced = now()};
  *out = j;
  return TD_OK;
}

td_status td_journal_add(journal* j, int point, const double* values, const char* status) {
  td_text* t = &j->line;
  t->n = 0;
  td_text_printf(t, "%d\t", point);
  for (int i = 0; i < j->columns; i++)
    td_text_printf(t, "%016llx", (unsigned long long)bits_of(values[i]));
  td_text_printf(t, "\t%s", status);
  if (t->failed) return TD_E_NOMEM;
  td_text_printf(t, "\t%016llx\n", (unsigned long long)td_hash(TD_HASH_START, t->s, (size_t)t->n));
  if (t->failed) return TD_E_NOMEM;
  if (write(j->file, t->s, (size_t)t->n) != t->n) return TD_E_IO;
  if (now() - j->synced < sync_period) return TD_OK;
  j->synced = now();
  return fdatasync(j->file) == 0 ? TD_OK : TD_E_IO;
}

void td_journal_close(journal* j) {
  if (!j) return;
  fsync(j->file);
  if (j->reader) fclose(j->reader);
  close(j->file);
  td_text_free(&j->line);
  free(j);
}
