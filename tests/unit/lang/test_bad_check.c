// Every tests/bad/check_*.m gets its messages from td_spec_check.
#include "bad_spec.h"

static void check(const char* path, td_text* out) {
  td_spec* spec = bad_load(path);
  td_spec_check(spec);
  bad_messages(spec, out);
}

static void every_wrong_model_gets_its_message(void** state) {
  (void)state;
  bad_check_all("check_", 60, check);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_wrong_model_gets_its_message)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
