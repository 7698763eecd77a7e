// Every text of the fuzzer's corpus, and every one that once did harm, is harmless now.
#include <dirent.h>

#include "../../fuzz/fuzz_model.c"
#include "check.h"

static void replay(const char* folder, const char* name) {
  char path[512];
  static uint8_t data[1 << 16];
  snprintf(path, sizeof path, "%s/tests/fuzz/%s/%s", TEST_SOURCE_DIR, folder, name);
  FILE* f = fopen(path, "rb");
  if (!f) fail_msg("cannot read %s", path);
  const size_t n = fread(data, 1, sizeof data, f);
  fclose(f);
  LLVMFuzzerTestOneInput(data, n);
}

static int replay_all(const char* folder) {
  char path[512];
  int n = 0;
  snprintf(path, sizeof path, "%s/tests/fuzz/%s", TEST_SOURCE_DIR, folder);
  DIR* dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    replay(folder, entry->d_name);
    n++;
  }
  closedir(dir);
  return n;
}

static void the_corpus_does_no_harm(void** state) {
  (void)state;
  assert_true(replay_all("corpus") > 30);
}

static void what_once_did_harm_does_it_no_more(void** state) {
  (void)state;
  assert_true(replay_all("regress") > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_does_no_harm),
                                     cmocka_unit_test(what_once_did_harm_does_it_no_more)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
