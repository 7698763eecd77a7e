// A state from a file of results: a state file or equilibrium.json, a record of trajectory.csv or
// trajectory.h5, or the directory that contains them.
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "io/files.h"
#include "io/state_turns.h"
#include "model/model.h"
#include "tendril/tools.h"

#define STATE_FILE_LIMIT (64 << 20)  // bytes
enum { LINE_LIMIT = 1 << 20, PATH_LIMIT = 4096, NAME_LIMIT = 160 };
enum { MOST_MEMORY = 1000 };  // numbers of controllers' memory that records have

// The request, and where its result goes.
typedef struct reading {
  const td_model* model;
  td_sizes n;
  const char* path;
  double time;  // NaN: the last record
  td_state* state;
  char* message;
  size_t size;
} reading;

// Write the message; returns `status`.
static td_status fail(const reading* r, td_status status, const char* format, ...) TD_PRINTF(3, 4);
static td_status fail(const reading* r, td_status status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->message, r->size, format, args);
  va_end(args);
  return status;
}

static td_status unreadable(const reading* r) {
  return fail(r, TD_E_IO, "cannot read '%s': %s", r->path, strerror(errno ? errno : EIO));
}

// ---- records: t, q, v, internal states, then inputs and memory of controllers -----------------

// Numbers that every record must have: t, q, v
static int needed(const reading* r) { return 1 + r->n.nq + r->n.nv; }
// Numbers with internal states, which keep their values where the file of an older model lacks them
static int behind(const reading* r) { return needed(r) + r->n.nz; }
// All numbers, with inputs and memory of controllers, which older files lack
static int row_size(const reading* r) {
  const bool kept = r->n.nmemory > 0 && r->n.nmemory <= MOST_MEMORY;
  return behind(r) + (kept ? r->n.nu + r->n.nmemory : 0);
}

// Name of number i of a record.  An input whose name a sensor or a coordinate has is in the column
// NAME_input (columns.c).
static void column_name(const reading* r, int i, char name[NAME_LIMIT]) {
  if (i == 0)
    snprintf(name, NAME_LIMIT, "t");
  else if (i <= r->n.nq)
    snprintf(name, NAME_LIMIT, "q%d", i);
  else if (i < needed(r))
    snprintf(name, NAME_LIMIT, "v%d", i - r->n.nq);
  else if (i < behind(r))
    snprintf(name, NAME_LIMIT, "%s", td_model_internal_name(r->model, i - needed(r)));
  else if (i < behind(r) + r->n.nu) {
    const char* input = td_model_input_name(r->model, i - behind(r));
    const bool coordinate = (input[0] == 'q' || input[0] == 'v') && input[1] >= '1' &&
                            input[1] <= '9' && input[1 + strspn(input + 1, "0123456789")] == 0;
    const bool taken = coordinate || td_model_sensor_find(r->model, input) >= 0;
    snprintf(name, NAME_LIMIT, "%s%s", input, taken ? "_input" : "");
  } else
    snprintf(name, NAME_LIMIT, "memory%d", i - behind(r) - r->n.nu + 1);
}

static td_status no_column(const reading* r, const char* name) {
  return fail(r, TD_E_SYNTAX,
              "'%s' has no column %s; a state needs t, q1 to q%d and v1 to v%d (does `output` of "
              "the model leave them out?)",
              r->path, name, r->n.nq, r->n.nv);
}

// Report whether a record at time t is nearer to the wanted time than that at `best` (NaN: none
// yet).
static bool is_nearer(const reading* r, double t, double best) {
  return isnan(r->time) || isnan(best) || fabs(t - r->time) < fabs(best - r->time);
}

// Make the record that was found the state; first and last: times of the file.  Models without
// controllers keep their inputs.
static td_status take_row(const reading* r, const double* row, double first, double last) {
  const int n = needed(r);
  if (!isnan(r->time) && !(r->time >= first && r->time <= last))
    return fail(r, TD_E_SYNTAX, "'%s' has rows from t = %g s to %g s, none at %g s", r->path, first,
                last, r->time);
  for (int i = 0; i < n; i++) {
    if (isfinite(row[i])) continue;
    char name[NAME_LIMIT];
    column_name(r, i, name);
    return fail(r, TD_E_SYNTAX, "'%s': %s is not a finite number in the row asked for", r->path,
                name);
  }

  // coordinates and velocities
  r->state->t = row[0];
  memcpy(r->state->q, row + 1, sizeof(double) * (size_t)r->n.nq);
  memcpy(r->state->v, row + 1 + r->n.nq, sizeof(double) * (size_t)r->n.nv);
  const bool old = r->n.nq < td_model_sizes(r->model).nq;
  if (old && !td_complete_turns(r->model, r->state, true))
    return fail(r, TD_E_SYNTAX, "'%s': the vector part of a quaternion must have a length below 1",
                r->path);

  // internal states keep their values where the file lacks them
  bool lacks = false;
  for (int i = 0; i < r->n.nz; i++) {
    if (isfinite(row[n + i])) r->state->z[i] = row[n + i];
    lacks = lacks || !isfinite(row[n + i]);
  }

  // inputs and memory of controllers
  const int more = behind(r);
  bool remembers = row_size(r) > more;
  for (int i = more; i < row_size(r); i++) remembers = remembers && isfinite(row[i]);
  if (remembers) {
    memcpy(r->state->u, row + more, sizeof(double) * (size_t)r->n.nu);
    memcpy(r->state->memory, row + more + r->n.nu, sizeof(double) * (size_t)r->n.nmemory);
  }

  // the message of success tells where the state comes from
  fail(r, TD_OK, "%s, t = %g s%s%s", r->path, row[0],
       remembers || r->n.nmemory == 0 ? ""
                                      : " (the file has no memory of controllers: they start anew)",
       lacks ? " (the file lacks internal states: they begin with their initial values)" : "");
  return TD_OK;
}

// ---- CSV --------------------------------------------------------------------------------------

// Set role[k] to the number of the record that field k of the header is, -1: none.
static td_status read_header(const reading* r, char* line, int* role, int fields) {
  const int n = row_size(r);
  line[strcspn(line, "\r\n")] = 0;
  for (int k = 0; k < fields; k++) role[k] = -1;
  for (int i = 0; i < n; i++) {
    char name[NAME_LIMIT];
    column_name(r, i, name);
    const size_t length = strlen(name);
    const char* s = line;
    int k = 0;
    while (s && (strncmp(s, name, length) != 0 || (s[length] && s[length] != ','))) {
      s = strchr(s, ',');
      if (s) s++;
      k++;
    }
    if (!s && i < needed(r)) return no_column(r, name);
    if (s) role[k] = i;
  }
  return TD_OK;
}

// Read the numbers of a line that have a role.  False: one is missing.
static bool read_row(const char* line, const int* role, int fields, double* row) {
  for (int k = 0; k < fields; k++) {
    if (role[k] >= 0) {
      char* end;
      row[role[k]] = strtod(line, &end);
      if (end == line || (*end && *end != ',' && *end != '\r' && *end != '\n')) return false;
    }
    line = strchr(line, ',');
    if (!line) return k + 1 == fields;
    line++;
  }
  return true;
}

// Read all records of a CSV file and take the one nearest to the time that is wanted. `row` has
// room for two records.
static td_status read_rows(const reading* r, FILE* f, char* line, const int* role, int fields,
                           double* row) {
  const int n = row_size(r);
  double* best = row + n;
  double first = NAN;
  int number = 1;
  for (int i = 0; i < n; i++) row[i] = NAN;
  best[0] = NAN;
  while (fgets(line, LINE_LIMIT, f)) {
    number++;
    if (!read_row(line, role, fields, row) || isnan(row[0]))
      return fail(r, TD_E_SYNTAX, "'%s': line %d is not a row of %d numbers", r->path, number,
                  fields);
    if (isnan(first)) first = row[0];
    if (is_nearer(r, row[0], best[0])) memcpy(best, row, sizeof(double) * (size_t)n);
  }
  if (ferror(f)) return unreadable(r);
  if (isnan(first)) return fail(r, TD_E_SYNTAX, "'%s' has no rows", r->path);
  return take_row(r, best, first, row[0]);
}

// Read a state from a CSV file.
static td_status read_csv(const reading* r, FILE* f) {
  char* line = malloc(LINE_LIMIT);
  double* row = malloc(sizeof(double) * 2 * (size_t)row_size(r));
  int* role = NULL;
  td_status status = line && row ? TD_OK : TD_E_NOMEM;

  // header, then records
  if (status == TD_OK && !fgets(line, LINE_LIMIT, f))
    status = fail(r, TD_E_SYNTAX, "'%s' is empty", r->path);
  if (status == TD_OK) {
    int fields = 1;
    for (const char* c = line; *c; c++) fields += *c == ',';
    role = malloc(sizeof(int) * (size_t)fields);
    status = role ? read_header(r, line, role, fields) : TD_E_NOMEM;
    if (status == TD_OK) status = read_rows(r, f, line, role, fields, row);
  }
  free(role);
  free(row);
  free(line);
  return status;
}

// ---- HDF5 -------------------------------------------------------------------------------------

// Number of elements of a dataset of one dimension, -1: there is none
static hssize_t dataset_rows(hid_t file, const char* name) {
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return -1;
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
  const hssize_t n = space >= 0 && H5Sget_simple_extent_ndims(space) == 1
                         ? H5Sget_simple_extent_npoints(space)
                         : -1;
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return n;
}

// Read `count` numbers of a dataset from `from` on.
static bool read_part(hid_t file, const char* name, hsize_t from, hsize_t count, double* out) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
  const hid_t memory = H5Screate_simple(1, &count, NULL);
  const bool ok = space >= 0 && memory >= 0 &&
                  H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &count, NULL) >= 0 &&
                  H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return ok;
}

// Read row `row` of the dataset `name`, which must be rows x cols, into out.  False: there is no
// such dataset.
static bool matrix_row(hid_t file, const char* name, hsize_t rows, hsize_t row, hsize_t cols,
                       double* out) {
  hsize_t size[2] = {0, 0};
  const hsize_t from[2] = {row, 0}, count[2] = {1, cols};
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return false;
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
  const hid_t memory = H5Screate_simple(1, &cols, NULL);
  const bool ok = space >= 0 && memory >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                  H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[0] == rows &&
                  size[1] == cols &&
                  H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                  H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return ok;
}

// Find the record nearest to the wanted time in the dataset t, and the times of the file.
static td_status find_row(const reading* r, hid_t file, hssize_t rows, hsize_t* row, double* first,
                          double* last) {
  double* t = rows <= STATE_FILE_LIMIT ? malloc(sizeof(double) * (size_t)rows) : NULL;
  if (!t) return TD_E_NOMEM;
  const bool ok = read_part(file, "t", 0, (hsize_t)rows, t);

  // the nearest time
  double best = NAN;
  for (hssize_t i = 0; ok && i < rows; i++) {
    if (!is_nearer(r, t[i], best)) continue;
    best = t[i];
    *row = (hsize_t)i;
  }
  *first = ok ? t[0] : NAN;
  *last = ok ? t[rows - 1] : NAN;
  free(t);
  return ok ? TD_OK : fail(r, TD_E_IO, "cannot read '%s': t is no list of numbers", r->path);
}

// Read the record from the datasets of an HDF5 file.
static td_status read_datasets(const reading* r, hid_t file, double* numbers) {
  const hssize_t rows = dataset_rows(file, "t");
  if (rows < 0) return no_column(r, "t");
  if (rows == 0) return fail(r, TD_E_SYNTAX, "'%s' has no rows", r->path);

  // the record
  hsize_t row = 0;
  double first, last;
  TD_TRY(find_row(r, file, rows, &row, &first, &last));
  if (!read_part(file, "t", row, 1, numbers))
    return fail(r, TD_E_IO, "cannot read t of '%s'", r->path);

  // coordinates: two matrices in files of large models, else a dataset for each
  const hsize_t nq = (hsize_t)r->n.nq, nv = (hsize_t)r->n.nv;
  const bool whole = matrix_row(file, "q", (hsize_t)rows, row, nq, numbers + 1) &&
                     matrix_row(file, "v", (hsize_t)rows, row, nv, numbers + 1 + nq);
  for (int i = 1; i < 1 + r->n.nq + r->n.nv && !whole; i++) {
    char name[NAME_LIMIT];
    column_name(r, i, name);
    if (dataset_rows(file, name) != rows) return no_column(r, name);
    if (!read_part(file, name, row, 1, &numbers[i]))
      return fail(r, TD_E_IO, "cannot read %s of '%s'", name, r->path);
  }

  // numbers that a file may lack
  for (int i = needed(r); i < row_size(r); i++) {
    char name[NAME_LIMIT];
    column_name(r, i, name);
    for (char* p = name; *p; p++)
      if (*p == '/') *p = '_';
    if (dataset_rows(file, name) != rows || !read_part(file, name, row, 1, &numbers[i]))
      numbers[i] = NAN;
  }
  return take_row(r, numbers, first, last);
}

// Read a state from an HDF5 file.
static td_status read_h5(const reading* r) {
  // keep the library from printing its error stack
  H5E_auto2_t print = NULL;
  void* data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  // HDF5 does not survive a failing allocation
  double* numbers = td_files_have_memory((size_t)row_size(r))
                        ? malloc(sizeof(double) * (size_t)row_size(r))
                        : NULL;
  const hid_t file = !numbers ? -1 : H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  td_status status = !numbers   ? TD_E_NOMEM
                     : file < 0 ? fail(r, TD_E_IO, "cannot read '%s': not an HDF5 file", r->path)
                                : read_datasets(r, file, numbers);
  if (file >= 0) H5Fclose(file);

  // HDF5 keeps objects of a damaged file that it could not open and would print so at exit, unless
  // its printing stays off
  if (file >= 0 || !numbers) H5Eset_auto2(H5E_DEFAULT, print, data);
  free(numbers);
  return status;
}

// ---- JSON -------------------------------------------------------------------------------------

// Read a state from a JSON file.
static td_status read_json(const reading* r, FILE* f) {
  size_t n;
  char* text = td_stream_read(f, STATE_FILE_LIMIT, &n);

  // a text that is JSON
  td_status status = TD_E_NOMEM;
  if (text && ferror(f)) {
    status = unreadable(r);
  } else if (text && (n >= STATE_FILE_LIMIT || memchr(text, 0, n))) {
    status = fail(r, TD_E_SYNTAX, "'%s' is not a state file", r->path);
  } else if (text) {
    char why[256] = "out of memory";
    status = td_state_parse(r->model, text, r->state, why, sizeof why);
    if (status == TD_OK)
      fail(r, TD_OK, "%s", r->path);
    else
      fail(r, status, "%s: %s", r->path, why);
  }
  free(text);
  return status;
}

// ---- kinds of files ---------------------------------------------------------------------------

static bool ends_in(const char* path, const char* ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

// Read a file by the ending of its name.
static td_status read_as(const reading* r) {
  if (ends_in(r->path, ".h5")) return read_h5(r);
  const bool csv = ends_in(r->path, ".csv");
  if (!csv && !isnan(r->time))
    return fail(r, TD_E_USAGE, "'%s' holds one state; a time chooses a row of a .csv or .h5 file",
                r->path);
  errno = 0;
  FILE* f = fopen(r->path, "rb");
  if (!f) return unreadable(r);
  const td_status status = csv ? read_csv(r, f) : read_json(r, f);
  fclose(f);
  return status;
}

// Read a file of today, or of older versions, whose rotations [0 inf ...] have the vector part
// alone.
static td_status read_file(const reading* r) {
  const td_status status = read_as(r);
  const int fewer = td_turn_count(r->model);
  if (status != TD_E_SYNTAX || fewer == 0) return status;
  reading old = *r;
  old.n.nq -= fewer;
  return read_as(&old) == TD_OK ? TD_OK : read_as(r);  // again, for the message
}

// Read the equilibrium in a directory or, when a time is given or there is none, its trajectory.
static td_status read_directory(const reading* r) {
  static const char* const names[] = {"equilibrium.json", "trajectory.h5", "trajectory.csv"};
  char path[PATH_LIMIT];
  struct stat info;
  for (int i = isnan(r->time) ? 0 : 1; i < 3; i++) {
    const int n = snprintf(path, sizeof path, "%s/%s", r->path, names[i]);
    if (n < 0 || n >= PATH_LIMIT || stat(path, &info) != 0) continue;
    reading one = *r;
    one.path = path;
    return read_file(&one);
  }
  return fail(r, TD_E_IO, "'%s' has no %strajectory", r->path,
              isnan(r->time) ? "equilibrium.json and no " : "");
}

// Read a state from a file or directory.
td_status td_state_read(const td_model* model, const char* path, double time, td_state* state,
                        char* message, size_t size) {
  if (!model || !path || !model_owns(model, state) || (!message && size > 0)) return TD_E_USAGE;
  const reading r = {model, td_model_sizes(model), path, time, state, message, size};
  struct stat info;
  snprintf(message, size, "out of memory");
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? read_directory(&r) : read_file(&r);
}
