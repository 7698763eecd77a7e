// Every tests/bad/eval_*.m gets exactly the messages of the .expected file beside it, one a line:
//
//   LINE:COL: severity: text
#include <dirent.h>
#include <unistd.h>

#include "evaluate.h"

static void read_file(const char* path, td_text* text) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) td_text_addn(text, block, (int)n);
  fclose(file);
}

static void messages_of(const char* path, td_text* text) {
  static const char* const severity[] = {
      [TD_NOTE] = "note", [TD_WARNING] = "warning", [TD_ERROR] = "error"};
  td_spec* spec = td_spec_new();
  td_spec_load_file(spec, path);
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    const td_message m = td_spec_message(spec, i);
    td_text_printf(text, "%d:%d: %s: %s\n", m.line, m.column, severity[m.severity], m.text);
  }
  td_spec_free(spec);
}

// 1 when a model's messages are those expected; tells the difference otherwise.
static int same_messages(const char* name) {
  td_text got = {0}, want = {0};
  char expected[300];
  messages_of(name, &got);
  snprintf(expected, sizeof expected, "%.*s.expected", (int)strlen(name) - 2, name);
  read_file(expected, &want);
  const int same = got.s && want.s && strcmp(got.s, want.s) == 0;
  if (!same)
    print_error("%s\n got:  %s want: %s", name, got.s ? got.s : "\n", want.s ? want.s : "\n");
  td_text_free(&got);
  td_text_free(&want);
  return same;
}

static void every_wrong_text_gets_its_messages(void** state) {
  (void)state;
  int seen = 0, good = 0;
  assert_int_equal(chdir(TEST_SOURCE_DIR "/tests/bad"),
                   0);  // messages name files as they were given
  DIR* dir = opendir(".");
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* end = strrchr(entry->d_name, '.');
    if (strncmp(entry->d_name, "eval_", 5) != 0 || !end || strcmp(end, ".m") != 0) continue;
    seen++;
    good += same_messages(entry->d_name);
  }
  closedir(dir);
  assert_true(seen >= 70);
  assert_int_equal(good, seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_wrong_text_gets_its_messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
