// MAT-files (version 5) through matio.  Variables are column-major and their names are identifiers
// of at most 63 characters, so names like "tip/x" are changed; the header holds no date, so that
// equal results are equal files.
#include <ctype.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "io/files.h"

#define NAME_SIZE 64
typedef struct mat_name {
  char s[NAME_SIZE];
} mat_name;

static void make_valid(const char* name, char* out, int limit) {
  int n = 0;
  if (!isalpha((unsigned char)name[0])) out[n++] = 'x';
  for (; *name && n < limit; name++) out[n++] = isalnum((unsigned char)*name) ? *name : '_';
  out[n] = '\0';
}

static bool is_taken(const mat_name* names, int n, const char* s) {
  for (int i = 0; i < n; i++) {
    if (strcmp(names[i].s, s) == 0) return true;
  }
  return false;
}

// names[i] from list[i].name: valid, and different from those before
static void name_all(const td_matrix* list, int n, mat_name* names) {
  for (int i = 0; i < n; i++) {
    char base[NAME_SIZE];
    make_valid(list[i].name, base, NAME_SIZE - 12);
    snprintf(names[i].s, NAME_SIZE, "%s", base);
    for (int k = 2; is_taken(names, i, names[i].s); k++) {
      snprintf(names[i].s, NAME_SIZE, "%.50s_%d", base, k);
    }
  }
}

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

static size_t longest(const td_matrix* m) {
  size_t n = 0;
  for (int i = 0; i < m->rows; i++) {
    const size_t length = strlen(m->words[i]);
    if (length > n) n = length;
  }
  return n;
}

// One row of characters per word, padded with blanks: cellstr(name) gives the words back.
static matvar_t* word_variable(const char* name, const td_matrix* m) {
  const size_t rows = (size_t)m->rows;
  const size_t width = longest(m);
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

static bool put_file(const char* path, const td_matrix* list, int n, const mat_name* names) {
  mat_t* file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, Tendril " TENDRIL_VERSION, MAT_FT_MAT5);
  if (!file) return false;
  bool ok = true;
  for (int i = 0; ok && i < n; i++) {
    const td_matrix* m = &list[i];
    matvar_t* v = m->words ? word_variable(names[i].s, m) : number_variable(names[i].s, m);
    ok = v && Mat_VarWrite(file, v, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(v);
  }
  return Mat_Close(file) == 0 && ok;
}

td_status td_files_mat(td_files* files, const char* name, const td_matrix* list, int n) {
  if (!files || !name || !td_matrices_given(list, n)) return TD_E_USAGE;
  const char* path = td_files_stage(files, name);
  if (!path) return TD_E_IO;
  size_t numbers = 0;
  for (int i = 0; i < n; i++) {
    const size_t width = list[i].words ? longest(&list[i]) : 1;
    numbers += (size_t)list[i].rows * (size_t)list[i].cols * width;
  }
  mat_name* names = calloc((size_t)max_int(n, 1), sizeof *names);
  if (!names || !td_files_have_memory(numbers)) {
    free(names);
    return td_files_broken(files, name, "out of memory");
  }
  name_all(list, n, names);
  const bool ok = put_file(path, list, n, names);
  free(names);
  return ok ? td_files_staged(files) : td_files_broken(files, name, "matio could not write it");
}
