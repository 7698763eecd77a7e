// HDF5 and MAT-files read back through their own libraries; equal results are equal files.
#include <hdf5.h>
#include <matio.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "tendril/tools.h"

enum { ROWS = 5, COLS = 3 };

// A 5x3 table by columns, one of them with a name no other program likes, and a matrix.
typedef struct sample {
  double values[ROWS * COLS];
  td_matrix list[COLS + 2];
} sample;

static const char* const words[2] = {"first", "second one"};

static void fill(sample* s) {
  static const char* const names[COLS] = {"t", "arm/tip x", "arm_tip_x"};
  for (int i = 0; i < ROWS * COLS; i++) s->values[i] = 0.1 * i;
  for (int j = 0; j < COLS; j++) {
    s->list[j] = (td_matrix){names[j], j ? "m" : "s", ROWS, 1, COLS, s->values + j, NULL};
  }
  s->list[COLS] = (td_matrix){"A", "", ROWS, COLS, COLS, s->values, NULL};
  s->list[COLS + 1] = (td_matrix){"names", "", 2, 1, 1, NULL, words};
}

static void write_both(const char* directory) {
  sample s;
  fill(&s);
  const td_note notes[] = {{"model", "four_bar.m"}, {"empty", ""}};
  td_files* files;
  char message[256];
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  assert_int_equal(td_files_h5(files, "x.h5", s.list, COLS + 2, notes, 2), TD_OK);
  assert_int_equal(td_files_mat(files, "x.mat", s.list, COLS + 2), TD_OK);
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
}

static int enter(void** state) {
  char* path = strdup("/tmp/tendril-test-XXXXXX");
  *state = path;
  return path && mkdtemp(path) && chdir(path) == 0 ? 0 : -1;
}

static int leave(void** state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", (char*)*state);
  const int failed = chdir("/") != 0 || system(command) != 0;
  free(*state);
  return failed;
}

static void hdf5_holds_names_units_and_numbers(void** state) {
  (void)state;
  write_both("out");
  const hid_t file = H5Fopen("out/x.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t set = H5Dopen2(file, "arm_tip x", H5P_DEFAULT);
  assert_true(set >= 0);
  double x[ROWS];
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  for (int i = 0; i < ROWS; i++) assert_true(x[i] == 0.1 * (i * COLS + 1));

  char unit[8] = "";
  const hid_t attribute = H5Aopen(set, "unit", H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  assert_true(H5Aread(attribute, type, unit) >= 0);
  assert_string_equal(unit, "m");
  H5Tclose(type);
  H5Aclose(attribute);
  H5Dclose(set);
  assert_true(H5Aexists(file, "model") > 0);
  H5Fclose(file);
}

static void mat_names_are_valid_and_unique(void** state) {
  (void)state;
  write_both("out");
  mat_t* file = Mat_Open("out/x.mat", MAT_ACC_RDONLY);
  assert_non_null(file);
  const char* const names[] = {"t", "arm_tip_x", "arm_tip_x_2"};
  for (int j = 0; j < COLS; j++) {
    matvar_t* v = Mat_VarRead(file, names[j]);
    assert_non_null(v);
    assert_int_equal(v->dims[0], ROWS);
    const double* x = v->data;
    for (int i = 0; i < ROWS; i++) assert_true(x[i] == 0.1 * (i * COLS + j));
    Mat_VarFree(v);
  }
  Mat_Close(file);
}

static void mat_matrices_are_column_major_and_words_are_padded(void** state) {
  (void)state;
  write_both("out");
  mat_t* file = Mat_Open("out/x.mat", MAT_ACC_RDONLY);
  assert_non_null(file);
  matvar_t* A = Mat_VarRead(file, "A");
  assert_non_null(A);
  assert_int_equal(A->dims[1], COLS);
  assert_true(((const double*)A->data)[ROWS] == 0.1);  // A(1, 2)
  Mat_VarFree(A);
  matvar_t* w = Mat_VarRead(file, "names");
  assert_non_null(w);
  assert_int_equal(w->dims[0], 2);
  assert_int_equal(w->dims[1], 10);
  Mat_VarFree(w);
  Mat_Close(file);
}

static void rest(void) {
  const struct timespec pause = {0, 10000000};
  nanosleep(&pause, NULL);
}

static void equal_results_are_equal_files(void** state) {
  (void)state;
  write_both("one");
  const time_t second = time(NULL);
  while (time(NULL) == second) rest();  // HDF5 and MAT-files may hold times in seconds
  write_both("two");
  assert_int_equal(system("cmp one/x.h5 two/x.h5 && cmp one/x.mat two/x.mat"), 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)
  const struct CMUnitTest tests[] = {
      TEST(hdf5_holds_names_units_and_numbers),
      TEST(mat_names_are_valid_and_unique),
      TEST(mat_matrices_are_column_major_and_words_are_padded),
      TEST(equal_results_are_equal_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
