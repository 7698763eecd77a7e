// HDF5: one dataset for each matrix, with its unit as an attribute.  Object times are not stored,
// so that equal results are equal files.
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "io/files.h"

// Type of a zero-terminated text of fixed length; an HDF5 string has at least one byte.
static hid_t text_type(size_t length) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return type;
  if (H5Tset_size(type, length + 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

// Write a text as an attribute.
static bool put_note(hid_t object, const char* name, const char* text) {
  const hid_t type = text_type(strlen(text));
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return ok;
}

// Copy a matrix without gaps: words in cells of equal width, or numbers.  NULL: no memory.
static void* packed(const td_matrix* m, size_t width) {
  const size_t rows = (size_t)max_int(m->rows, 1), cols = (size_t)max_int(m->cols, 1);
  char* words = m->words ? calloc(rows, width) : NULL;
  for (int i = 0; words && i < m->rows; i++)
    memcpy(words + (size_t)i * width, m->words[i], strlen(m->words[i]));
  if (m->words) return words;

  double* block = calloc(rows * cols, sizeof *block);
  for (int i = 0; block && i < m->rows; i++)
    memcpy(block + (size_t)i * (size_t)m->cols, m->values + (size_t)i * (size_t)m->stride,
           (size_t)m->cols * sizeof *block);
  return block;
}

// Write a matrix of numbers or texts as a dataset with its unit; '/' in its name becomes '_'. A
// single column has one dimension.
static bool put_matrix(hid_t file, hid_t plan, const td_matrix* m) {
  char* name = td_strdup(m->name);
  if (!name) return false;
  for (char* p = name; *p; p++) {
    if (*p == '/') *p = '_';
  }
  const size_t width = m->words ? td_matrix_longest(m) + 1 : 0;
  const hid_t type = m->words ? text_type(width - 1) : H5Tcopy(H5T_NATIVE_DOUBLE);
  void* block = type >= 0 ? packed(m, width) : NULL;
  bool ok = block != NULL;
  if (ok) {
    const hsize_t dims[2] = {(hsize_t)m->rows, (hsize_t)m->cols};
    const hid_t space = H5Screate_simple(m->cols == 1 ? 1 : 2, dims, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0;
    ok = ok && (!*m->unit || put_note(set, "unit", m->unit));
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
  }
  free(block);
  if (type >= 0) H5Tclose(type);
  free(name);
  return ok;
}

// Write notes and matrices into a new file.
static bool put_file(const char* path, const td_matrix* list, int n, const td_note* notes,
                     int nnote) {
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = plan >= 0 && file >= 0 && H5Pset_obj_track_times(plan, false) >= 0;
  for (int i = 0; ok && i < nnote; i++) ok = put_note(file, notes[i].name, notes[i].text);
  for (int i = 0; ok && i < n; i++) ok = put_matrix(file, plan, &list[i]);
  if (file >= 0 && H5Fclose(file) < 0) ok = false;
  if (plan >= 0) H5Pclose(plan);
  return ok;
}

// Write matrices and notes as an HDF5 file.
td_status td_files_h5(td_files* files, const char* name, const td_matrix* list, int n,
                      const td_note* notes, int nnote) {
  if (!files || !name || !td_matrices_given(list, n) || nnote < 0 || (nnote > 0 && !notes))
    return TD_E_USAGE;
  for (int i = 0; i < n; i++)
    if (!list[i].unit) return TD_E_USAGE;
  for (int i = 0; i < nnote; i++)
    if (!notes[i].name || !notes[i].text) return TD_E_USAGE;

  // HDF5 does not survive a failing allocation
  size_t numbers = 0;
  for (int i = 0; i < n; i++) {
    const size_t width = list[i].words ? td_matrix_longest(&list[i]) / sizeof(double) + 1 : 1;
    numbers += (size_t)list[i].rows * (size_t)list[i].cols * width;
  }
  const char* path = td_files_stage(files, name);
  if (!path) return TD_E_IO;
  if (!td_files_have_memory(numbers)) return td_files_broken(files, name, "out of memory");

  // keep the library from printing its error stack
  H5E_auto2_t print = NULL;
  void* data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const bool ok = put_file(path, list, n, notes, nnote);
  H5Eset_auto2(H5E_DEFAULT, print, data);
  return ok ? td_files_staged(files) : td_files_broken(files, name, "HDF5 could not write it");
}

// Read the attribute "unit" of a dataset into unit (size bytes).  False: there is none, or it is no
// text of that size.
static bool read_unit(hid_t file, const char* name, char* unit, size_t size) {
  const hid_t note = H5Aopen_by_name(file, name, "unit", H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = note >= 0 ? H5Aget_type(note) : -1;
  const hid_t space = note >= 0 ? H5Aget_space(note) : -1;
  const size_t n = type >= 0 ? H5Tget_size(type) : 0;
  const bool ok = n > 0 && n <= size && H5Tget_class(type) == H5T_STRING &&
                  H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                  H5Aread(note, type, unit) >= 0;
  if (ok) unit[n - 1] = '\0';
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (note >= 0) H5Aclose(note);
  return ok;
}

// Open the file with HDF5's own messages switched off, and read the units.  TD_E_IO: no such file.
td_status td_h5_units(const char* path, const char* const* names, int n, char* units, size_t size) {
  if (!path || n < 0 || size == 0 || (n > 0 && (!names || !units))) return TD_E_USAGE;
  for (int i = 0; i < n; i++) units[(size_t)i * size] = '\0';
  if (!td_files_have_memory(0)) return TD_E_NOMEM;  // HDF5 does not survive a failing allocation
  H5E_auto2_t print = NULL;
  void* data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  for (int i = 0; file >= 0 && i < n; i++)
    if (names[i] && !read_unit(file, names[i], units + (size_t)i * size, size))
      units[(size_t)i * size] = '\0';
  if (file >= 0) H5Fclose(file);
  if (file >= 0) H5Eset_auto2(H5E_DEFAULT, print, data);  // otherwise see read_h5 (state_read.c)
  return file >= 0 ? TD_OK : TD_E_IO;
}
