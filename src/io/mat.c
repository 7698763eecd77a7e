// MAT-files (version 5) written by matio.  Variables are column-major and their names are
// identifiers of at most 63 characters, so names like "tip/x" are changed; the header holds no
// date, so that equal results are equal files.
#include <ctype.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "io/files.h"

#define NAME_SIZE 64
typedef struct mat_name {
  char s[NAME_SIZE];
} mat_name;

// Set names[i] from list[i].name: identifiers, different from those before.
static void name_all(const td_matrix* list, int n, mat_name* names) {
  const int limit = NAME_SIZE - 12;
  for (int i = 0; i < n; i++) {
    char base[NAME_SIZE];
    int length = 0;
    const char* from = list[i].name;
    if (!isalpha((unsigned char)from[0])) base[length++] = 'x';
    for (; *from && length < limit; from++)
      base[length++] = isalnum((unsigned char)*from) ? *from : '_';
    base[length] = '\0';

    // number it where another has its name
    snprintf(names[i].s, NAME_SIZE, "%s", base);
    for (int k = 2, other = 0; other < i; other++) {
      if (strcmp(names[other].s, names[i].s) != 0) continue;
      snprintf(names[i].s, NAME_SIZE, "%.50s_%d", base, k++);
      other = -1;
    }
  }
}

// Make a variable of numbers, column-major.
static matvar_t* number_variable(const char* name, const td_matrix* m) {
  const size_t rows = (size_t)m->rows, cols = (size_t)m->cols;
  double* block = calloc(rows * cols + 1, sizeof *block);
  if (!block) return NULL;
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < cols; j++) block[j * rows + i] = m->values[i * (size_t)m->stride + j];
  }
  size_t dims[2] = {rows, cols};
  matvar_t* v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, block, 0);
  free(block);
  return v;
}

// Make a variable of words, one row of characters each, padded with blanks: cellstr(name) gives the
// words back.
static matvar_t* word_variable(const char* name, const td_matrix* m) {
  const size_t rows = (size_t)m->rows;
  const size_t width = td_matrix_longest(m);
  char* block = malloc(rows * width + 1);
  if (!block) return NULL;
  memset(block, ' ', rows * width + 1);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; m->words[i][j]; j++) block[j * rows + i] = m->words[i][j];
  }
  size_t dims[2] = {rows, width};
  matvar_t* v = Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, dims, block, 0);
  free(block);
  return v;
}

// Write matrices as a MAT-file.
td_status td_files_mat(td_files* files, const char* name, const td_matrix* list, int n) {
  if (!files || !name || !td_matrices_given(list, n)) return TD_E_USAGE;
  const char* path = td_files_stage(files, name);
  if (!path) return TD_E_IO;
  size_t numbers = 0;
  for (int i = 0; i < n; i++) {
    const size_t width = list[i].words ? td_matrix_longest(&list[i]) : 1;
    numbers += (size_t)list[i].rows * (size_t)list[i].cols * width;
  }

  // matio does not survive a failing allocation
  mat_name* names = calloc((size_t)max_int(n, 1), sizeof *names);
  if (!names || !td_files_have_memory(numbers)) {
    free(names);
    return td_files_broken(files, name, "out of memory");
  }

  // names, then the variables
  name_all(list, n, names);

  mat_t* file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, Tendril " TENDRIL_VERSION, MAT_FT_MAT5);
  bool ok = file != NULL;
  for (int i = 0; ok && i < n; i++) {
    const td_matrix* m = &list[i];
    matvar_t* v = m->words ? word_variable(names[i].s, m) : number_variable(names[i].s, m);
    ok = v && Mat_VarWrite(file, v, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(v);
  }
  if (file && Mat_Close(file) != 0) ok = false;
  free(names);
  return ok ? td_files_staged(files) : td_files_broken(files, name, "matio could not write it");
}
