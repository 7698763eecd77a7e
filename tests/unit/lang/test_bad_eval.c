// Every tests/bad/eval_*.m gets its messages while it is run.
#include "bad_spec.h"

static void load(const char* path, td_text* out) { bad_messages(bad_load(path), out); }

static void every_wrong_text_gets_its_messages(void** state) {
  (void)state;
  bad_check_all("eval_", 70, load);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_wrong_text_gets_its_messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
