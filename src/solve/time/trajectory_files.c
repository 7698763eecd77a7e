// The files of a simulation, the same for the program, Python and Octave.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/time/trajectory.h"
#include "tendril/tools.h"

// The files that write_records() stages: trajectory.csv and .h5; .mat too; trajectory_error.csv.
typedef enum records { RECORDS_ALL, RECORDS_MAT, RECORDS_ERRORS } records;

// Gather all records in one block, name its columns, and stage the files.  With `error` (rows x
// nsensor) trajectory.h5 and trajectory.mat have the half-widths of each sensor as NAME_error;
// trajectory_error.csv has them under the names of all columns, and no numbers for states and
// inputs.
static td_status write_records(const td_trajectory* run, const td_spec* spec, const char* name,
                               records kind, const double* error, td_files* files) {
  const bool alone = kind == RECORDS_ERRORS;
  const td_sizes n = run->size;
  const int rows = run->rows, nmemory = rows > 0 && td_trajectory_memory(run, 0) ? n.nmemory : 0;
  const int states = 1 + n.nsensor + n.nq + n.nv + n.nz, stride = states + n.nu + nmemory;

  // one block, a row per time: t, sensors, q, v, internal states, inputs, memory of controllers
  double* block = malloc(((size_t)rows * (size_t)stride + 1) * sizeof *block);
  td_columns* c = td_columns_new();
  td_status status = block && c ? TD_OK : TD_E_NOMEM;
  for (int i = 0; status == TD_OK && i < rows; i++) {
    double* p = block + (size_t)i * (size_t)stride;
    *p++ = td_trajectory_time(run, i);
    const struct {
      const double* from;
      int n;
    } parts[] = {{td_trajectory_sensors(run, i), n.nsensor},
                 {td_trajectory_q(run, i), n.nq},
                 {td_trajectory_v(run, i), n.nv},
                 {td_trajectory_z(run, i), n.nz},
                 {td_trajectory_inputs(run, i), n.nu},
                 {td_trajectory_memory(run, i), nmemory}};
    for (int k = 0; k < 6; k++) {
      const double* from = !alone   ? parts[k].from
                           : k == 0 ? error + (size_t)i * (size_t)n.nsensor
                                    : NULL;
      if (parts[k].n && from) memcpy(p, from, (size_t)parts[k].n * sizeof *p);
      for (int j = 0; j < parts[k].n && !from; j++) p[j] = NAN;
      p += parts[k].n;
    }
  }

  // their names
  if (status == TD_OK) {
    td_columns_add(c, "t", "s", rows, stride, block);
    td_columns_add_state(c, spec, run->model, rows, stride, block + 1, true);
    const bool shown = run->driven || td_model_is_controlled(run->model);  // they change
    for (int i = 0; shown && i < n.nu; i++)
      td_columns_add_other(c, td_model_input_name(run->model, i), "_input", "", rows, stride,
                           block + states + i);
    for (int i = 0; i < nmemory; i++) {
      char memory[24];
      snprintf(memory, sizeof memory, "memory%d", i + 1);
      td_columns_add(c, memory, "", rows, stride, block + states + n.nu + i);
    }

    // and the files
    const td_note notes[] = {{"program", "tendril"},
                             {"version", td_version()},
                             {"model", name},
                             {"partial", run->stats.partial ? "yes" : "no"}};
    status = td_columns_csv(c, files, alone ? "trajectory_error.csv" : "trajectory.csv");
    for (int i = 0; error && !alone && i < n.nsensor; i++) {
      char bar[400];
      snprintf(bar, sizeof bar, "%.390s_error", td_model_sensor_name(run->model, i));
      td_columns_add_other(c, bar, "_bar", td_model_sensor_unit(run->model, i), rows, n.nsensor,
                           error + i);
    }
    if (status == TD_OK && !alone) status = td_columns_h5(c, files, "trajectory.h5", notes, 4);
    if (status == TD_OK && kind == RECORDS_MAT) status = td_columns_mat(c, files, "trajectory.mat");
  }
  td_columns_free(c);
  free(block);
  return status;
}

td_status td_trajectory_write(const td_trajectory* run, const td_spec* spec, const char* name,
                              bool mat, td_files* files) {
  if (!run || !name || !files) return TD_E_USAGE;
  return write_records(run, spec, name, mat ? RECORDS_MAT : RECORDS_ALL, NULL, files);
}

td_status td_trajectory_write_errors(const td_trajectory* run, const td_spec* spec,
                                     const char* name, bool mat, const double* error,
                                     td_files* files) {
  if (!run || !name || !error || !files) return TD_E_USAGE;
  TD_TRY(write_records(run, spec, name, RECORDS_ERRORS, error, files));
  return write_records(run, spec, name, mat ? RECORDS_MAT : RECORDS_ALL, error, files);
}

td_status td_trajectory_save(const td_trajectory* run, const char* name, const char* directory,
                             char* message, size_t size) {
  if (!run || !name || !directory || (!message && size > 0)) return TD_E_USAGE;
  td_files* files = NULL;
  TD_TRY(td_files_open(directory, &files, message, size));
  td_status status = td_trajectory_write(run, NULL, name, false, files);
  if (status == TD_OK) status = td_files_commit(files);
  if (status != TD_OK && size > 0)
    snprintf(message, size, "%s",
             *td_files_error(files) ? td_files_error(files) : td_status_text(status));
  td_files_close(files);
  return status;
}
