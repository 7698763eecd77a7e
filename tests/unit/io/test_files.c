// Result files: complete or absent, whatever the writer or the disk does.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "tendril/tools.h"

// A fresh directory for each test, removed afterwards.
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

static bool exists(const char* path) { return access(path, F_OK) == 0; }

static int count_entries(const char* path) {
  DIR* dir = opendir(path);
  assert_non_null(dir);
  int n = -2;  // . and ..
  while (readdir(dir)) n++;
  closedir(dir);
  return n;
}

static char* read_all(const char* path) {
  FILE* f = fopen(path, "rb");
  assert_non_null(f);
  char* text = calloc(1, 1 << 16);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
  fclose(f);
  return text;
}

static td_files* open_set(const char* directory) {
  td_files* files;
  char message[256];
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  return files;
}

static void nothing_is_visible_before_the_commit(void** state) {
  (void)state;
  td_files* files = open_set("out");
  assert_int_equal(count_entries("."), 0);
  assert_int_equal(td_files_text(files, "a.txt", "one"), TD_OK);
  assert_false(exists("out"));
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
  char* text = read_all("out/a.txt");
  assert_string_equal(text, "one");
  free(text);
  assert_int_equal(count_entries("."), 1);
  assert_int_equal(count_entries("out"), 1);
}

static void a_set_that_is_closed_without_a_commit_leaves_nothing(void** state) {
  (void)state;
  td_files* files = open_set("out");
  assert_int_equal(td_files_text(files, "a.txt", "one"), TD_OK);
  td_files_close(files);
  assert_int_equal(count_entries("."), 0);
}

static void other_files_of_an_existing_directory_stay(void** state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    td_files* files = open_set("a/b/out");
    assert_int_equal(td_files_text(files, round ? "new.txt" : "old.txt", "x"), TD_OK);
    assert_int_equal(td_files_text(files, "both.txt", round ? "second" : "first"), TD_OK);
    assert_int_equal(td_files_commit(files), TD_OK);
    td_files_close(files);
  }
  char* text = read_all("a/b/out/both.txt");
  assert_string_equal(text, "second");
  free(text);
  assert_true(exists("a/b/out/old.txt"));
  assert_int_equal(count_entries("a/b/out"), 3);
}

static void a_directory_that_cannot_be_made_is_refused_at_once(void** state) {
  (void)state;
  FILE* f = fopen("plain", "w");
  assert_non_null(f);
  fclose(f);
  const char* const bad[] = {"plain", "plain/out", "plain/deep/out"};
  for (int i = 0; i < 3; i++) {
    td_files* files;
    char message[256];
    assert_int_equal(td_files_open(bad[i], &files, message, sizeof message), TD_E_IO);
    assert_null(files);
    assert_non_null(strstr(message, bad[i]));
  }
}

static void names_that_leave_the_directory_are_refused(void** state) {
  (void)state;
  td_files* files = open_set("out");
  assert_int_equal(td_files_text(files, "../a", "x"), TD_E_IO);
  assert_int_equal(td_files_text(files, "", "x"), TD_E_IO);
  assert_int_equal(td_files_text(files, ".a", "x"), TD_E_IO);
  td_files_close(files);
  assert_int_equal(count_entries("."), 0);
}

static void what_a_dead_process_staged_is_removed(void** state) {
  (void)state;
  assert_int_equal(mkdir(".tendril-1-0", 0777), 0);
  FILE* f = fopen(".tendril-1-0/half.csv", "w");
  assert_non_null(f);
  fclose(f);
  td_files_close(open_set("out"));
  assert_int_equal(count_entries("."), 0);
}

static void what_a_living_set_staged_is_left_alone(void** state) {
  (void)state;
  td_files* first = open_set("one");
  assert_int_equal(td_files_text(first, "a.txt", "x"), TD_OK);
  td_files* second = open_set("two");
  assert_int_equal(td_files_text(second, "b.txt", "y"), TD_OK);
  assert_int_equal(td_files_commit(first), TD_OK);
  assert_int_equal(td_files_commit(second), TD_OK);
  td_files_close(first);
  td_files_close(second);
  assert_true(exists("one/a.txt") && exists("two/b.txt"));
}

// 17 digits give every double back; words with commas and quotes are quoted
static void csv_gives_the_same_bits_back(void** state) {
  (void)state;
  enum { ROWS = 100 };
  double values[ROWS];
  const char* words[ROWS];
  uint64_t seed = 3;
  for (int i = 0; i < ROWS; i++) {
    values[i] = check_random(&seed) * pow(10, 300 * check_random(&seed));
    words[i] = i ? "w" : "a,\"b\"";
  }
  const td_matrix columns[] = {{"x", "m", ROWS, 1, 1, values, NULL},
                               {"w", "", ROWS, 1, 1, NULL, words}};
  td_files* files = open_set("out");
  assert_int_equal(td_files_csv(files, "t.csv", columns, 2), TD_OK);
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);

  char* text = read_all("out/t.csv");
  assert_int_equal(strncmp(text, "x,w\n", 4), 0);
  char* p = text + 4;
  for (int i = 0; i < ROWS; i++) {
    assert_true(strtod(p, &p) == values[i]);
    const char* rest = i ? ",w\n" : ",\"a,\"\"b\"\"\"\n";
    assert_int_equal(strncmp(p, rest, strlen(rest)), 0);
    p += strlen(rest);
  }
  assert_int_equal(*p, 0);
  free(text);
}

static void columns_of_unequal_length_are_refused(void** state) {
  (void)state;
  const double x[2] = {1, 2};
  const td_matrix columns[] = {{"a", "", 2, 1, 1, x, NULL}, {"b", "", 1, 1, 1, x, NULL}};
  td_files* files = open_set("out");
  assert_int_equal(td_files_csv(files, "t.csv", columns, 2), TD_E_USAGE);
  td_files_close(files);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)
  const struct CMUnitTest tests[] = {
      TEST(nothing_is_visible_before_the_commit),
      TEST(a_set_that_is_closed_without_a_commit_leaves_nothing),
      TEST(other_files_of_an_existing_directory_stay),
      TEST(a_directory_that_cannot_be_made_is_refused_at_once),
      TEST(names_that_leave_the_directory_are_refused),
      TEST(what_a_dead_process_staged_is_removed),
      TEST(what_a_living_set_staged_is_left_alone),
      TEST(csv_gives_the_same_bits_back),
      TEST(columns_of_unequal_length_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
