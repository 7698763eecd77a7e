// Every tests/bad/model_*.m, rod_*.m, mesh_*.m and those of the kinds of elements is refused (or
// warned about) with its messages when it is compiled; no file there is nobody's.
#include "bad_spec.h"

static void compile(const char* path, td_text* out) {
  td_spec* spec = bad_load(path);
  td_model* model;
  const td_status status = td_model_compile(spec, &model);
  assert_int_equal(status == TD_OK, model != NULL);
  assert_int_equal(status == TD_OK, td_spec_error_count(spec) == 0);
  td_model_free(model);
  bad_messages(spec, out);
}

static void every_model_mistake_gets_its_message(void** state) {
  (void)state;
  bad_check_all("model_", 50, compile);
}

static void every_rod_mistake_gets_its_message(void** state) {
  (void)state;
  bad_check_all("rod_", 100, compile);
}

static void every_mesh_mistake_gets_its_message(void** state) {
  (void)state;
  bad_check_all("mesh_", 50, compile);
}

// Kinds of elements bring their mistakes along.
static const char* const kinds[] = {"limit_", "magnet_", "slot_", "task_"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void every_mistake_of_an_element_gets_its_message(void** state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) bad_check_all(kinds[k], 1, compile);
}

static bool begins_with(const char* name, const char* const* words, int n) {
  for (int k = 0; k < n; k++)
    if (strncmp(name, words[k], strlen(words[k])) == 0) return true;
  return false;
}

static void no_file_is_left_out(void** state) {
  (void)state;
  static const char* const walked[] = {"check_", "eval_", "syntax_", "model_", "rod_", "mesh_"};
  DIR* dir = opendir(TEST_SOURCE_DIR "/tests/bad");
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));)
    if (strstr(entry->d_name, ".m") && !begins_with(entry->d_name, walked, 6) &&
        !begins_with(entry->d_name, kinds, KINDS))
      fail_msg("%s is in no test", entry->d_name);
  closedir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_mistake_gets_its_message),
      cmocka_unit_test(every_rod_mistake_gets_its_message),
      cmocka_unit_test(every_mesh_mistake_gets_its_message),
      cmocka_unit_test(every_mistake_of_an_element_gets_its_message),
      cmocka_unit_test(no_file_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
