// Every tests/bad/model_*.m, rod_*.m and mesh_*.m is refused (or warned about) with its messages
// when it is compiled.
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_mistake_gets_its_message),
      cmocka_unit_test(every_rod_mistake_gets_its_message),
      cmocka_unit_test(every_mesh_mistake_gets_its_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
