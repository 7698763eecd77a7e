// Every tests/bad/model_*.m, rod_*.m and mesh_*.m is refused (or warned about) with exactly the
// messages of the .expected file beside it, one a line:
//
//   LINE:COL: severity: text
//
// A first line "% set NAME VALUE" overrides a parameter, as --set NAME=VALUE does.
#include <dirent.h>

#include "check.h"
#include "spec.h"

static const char folder[] = TEST_SOURCE_DIR "/tests/bad";

static void read_file(const char* path, td_text* text) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) td_text_addn(text, block, (int)n);
  fclose(file);
}

static void apply_set(td_spec* spec, const char* path) {
  td_text text = {0};
  char name[64], number[64];
  read_file(path, &text);
  if (text.s && sscanf(text.s, "%% set %63s %63s", name, number) == 2)
    td_spec_override(spec, name, number);
  td_text_free(&text);
}

static void messages_of(const char* path, td_text* text) {
  static const char* const severity[] = {
      [TD_NOTE] = "note", [TD_WARNING] = "warning", [TD_ERROR] = "error"};
  td_spec* spec = td_spec_new();
  apply_set(spec, path);
  td_spec_load_file(spec, path);
  td_model* model;
  const td_status status = td_model_compile(spec, &model);
  assert_int_equal(status == TD_OK, model != NULL);
  assert_int_equal(status == TD_OK, td_spec_error_count(spec) == 0);
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    const td_message m = td_spec_message(spec, i);
    td_text_printf(text, "%d:%d: %s: %s\n", m.line, m.column, severity[m.severity], m.text);
  }
  td_model_free(model);
  td_spec_free(spec);
}

// 1 when a model's messages are those expected; tells the difference otherwise.
static int same_messages(const char* name) {
  char path[512];
  td_text got = {0}, want = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  messages_of(path, &got);
  snprintf(path, sizeof path, "%s/%.*s.expected", folder, (int)strlen(name) - 2, name);
  read_file(path, &want);
  const int same = got.s && want.s && strcmp(got.s, want.s) == 0;
  if (!same)
    print_error("%s\n got:  %s want: %s", name, got.s ? got.s : "\n", want.s ? want.s : "\n");
  td_text_free(&got);
  td_text_free(&want);
  return same;
}

static bool has_prefix(const char* name) {
  return strncmp(name, "model_", 6) == 0 || strncmp(name, "rod_", 4) == 0 ||
         strncmp(name, "mesh_", 5) == 0;
}

static void every_model_mistake_gets_its_message(void** state) {
  (void)state;
  int seen = 0, good = 0;
  DIR* dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* end = strrchr(entry->d_name, '.');
    if (!has_prefix(entry->d_name) || !end || strcmp(end, ".m") != 0) continue;
    seen++;
    good += same_messages(entry->d_name);
  }
  closedir(dir);
  assert_true(seen >= 150);
  assert_int_equal(good, seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_mistake_gets_its_message)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
