// Memory may run out while results are written.  HDF5 and matio crash when one of their own
// allocations fails (a third of those that HDF5 makes at its start), so the writers ask beforehand
// for what the library may need.  Under every budget of memory a writer either finishes or ends
// with a status and a message, and what it could not finish does not become a result.
#include "failing_memory.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tendril/tools.h"

#if CHECK_SANITIZED

int main(void) { return 0; }  // the sanitizer has its own malloc

#else

enum { ROWS = 20000, COLS = 3 };
static double x[ROWS * COLS];
static const char* const words[] = {"one", "two and a half"};
static const td_matrix list[] = {{"t", "s", ROWS, 1, COLS, x, NULL},
                                 {"A/b", "m", ROWS, COLS, COLS, x, NULL},
                                 {"names", "", 2, 1, 1, NULL, words}};

typedef td_status writer(td_files* files);
static td_status h5(td_files* files) {
  const td_note notes[] = {{"model", "robot.m"}};
  return td_files_h5(files, "x", list, 3, notes, 1);
}
static td_status mat(td_files* files) { return td_files_mat(files, "x", list, 3); }
static td_status csv(td_files* files) { return td_files_csv(files, "x", list, 1); }
static td_status text(td_files* files) { return td_files_text(files, "x", "{}"); }

// Write one good file and one with `bytes` of memory; 0: both are there, 1: only the first and a
// message, else a mistake.
static int write_within(writer* write, long bytes) {
  char message[200];
  td_files* files = NULL;
  if (td_files_open("out", &files, message, sizeof message) != TD_OK) return 10;
  if (td_files_text(files, "before", "kept") != TD_OK) return 11;
  room = bytes;
  budget = true;
  const td_status status = write(files);
  const long lost = bytes - room;
  budget = false;
  if (status != TD_OK && td_files_count(files) != 1) return 12;
  if (status != TD_OK && !*td_files_error(files)) return 13;
  if (status != TD_OK && lost > 4096) return 14;  // names and the list of them
  if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) return 15;
  if (td_files_commit(files) != TD_OK) return 16;
  td_files_close(files);
  if (access("out/before", F_OK) != 0) return 17;
  if ((access("out/x", F_OK) == 0) != (status == TD_OK)) return 18;
  return status != TD_OK;
}

// In a process of its own: the libraries keep memory once they have it.
static void try_budget(writer* write, const char* name, long bytes, int* finished) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(20);
    _exit(write_within(write, bytes));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status)) fail_msg("%s within %ld bytes: signal %d", name, bytes, WTERMSIG(status));
  if (WEXITSTATUS(status) > 1)
    fail_msg("%s within %ld bytes: mistake %d", name, bytes, WEXITSTATUS(status));
  *finished += WEXITSTATUS(status) == 0;
  if (WEXITSTATUS(status) == 0) assert_int_equal(system("cmp out/x ../whole"), 0);
  assert_int_equal(system("rm -rf out"), 0);
}

static void sweep(writer* write, const char* name) {
  char folder[] = "/tmp/tendril_test_XXXXXX", back[1000];
  assert_non_null(getcwd(back, sizeof back));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(system("mkdir in"), 0);
  assert_int_equal(chdir("in"), 0);

  const pid_t child = fork();
  if (child == 0) _exit(write_within(write, 1L << 40));
  int status = 0;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  assert_int_equal(system("mv out/x ../whole && rm -rf out"), 0);

  // small ones closely, then to where all is well
  int finished = 0;
  for (long bytes = 0; bytes < 8000; bytes += 797) try_budget(write, name, bytes, &finished);
  for (long bytes = 8000; bytes < 24000000; bytes += 1600009)
    try_budget(write, name, bytes, &finished);
  assert_true(finished > 0);
  assert_int_equal(chdir(back), 0);
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static void hdf5_finishes_or_says_why(void** state) { (void)state, sweep(h5, "HDF5"); }
static void mat_finishes_or_says_why(void** state) { (void)state, sweep(mat, "MAT"); }
static void csv_finishes_or_says_why(void** state) { (void)state, sweep(csv, "CSV"); }
static void text_finishes_or_says_why(void** state) { (void)state, sweep(text, "text"); }

int main(void) {
  for (int i = 0; i < ROWS * COLS; i++) x[i] = 0.1 * i;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hdf5_finishes_or_says_why),
      cmocka_unit_test(mat_finishes_or_says_why),
      cmocka_unit_test(csv_finishes_or_says_why),
      cmocka_unit_test(text_finishes_or_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
