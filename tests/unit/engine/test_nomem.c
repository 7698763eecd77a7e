// Memory may run out at any allocation: loading, compiling and evaluating then end with a status or
// a message, without a crash and without losing a file handle.  malloc, calloc and realloc are
// wrapped: when armed, the n-th call and all after it fail.
#include "failing_memory.h"

#include <dirent.h>

#include "robots.h"

#if CHECK_SANITIZED

int main(void) { return 0; }  // the sanitizer has its own malloc

#else

// ---- the tests --------------------------------------------------------------------------------

static int open_files(void) {
  int n = 0;
  DIR* dir = opendir("/proc/self/fd");
  assert_non_null(dir);
  while (readdir(dir)) n++;
  closedir(dir);
  return n;
}

typedef struct outcome {
  td_status status;
  bool told;   // there is an error message
  double sum;  // of the accelerations, NaN: not computed
} outcome;

// The whole life of a model; everything may fail.
static outcome live_once(const char* path, const char* text) {
  outcome o = {TD_E_NOMEM, false, NAN};
  td_spec* spec = td_spec_new();
  if (!spec) return o;
  td_spec_allow_read(spec, NULL);  // nets are read from the corpus
  if (td_spec_override(spec, "k", "31") != TD_OK) {
    td_spec_free(spec);
    return o;
  }
  o.status = path ? td_spec_load_file(spec, path) : td_spec_load_string(spec, "robot.m", text);
  td_model* model = NULL;
  const td_status compiled = td_model_compile(spec, &model);
  if (o.status == TD_OK) o.status = compiled;
  o.told = td_spec_error_count(spec) > 0;
  td_spec_messages(spec);
  td_work* w = model ? td_work_new(model) : NULL;
  td_state* state = model ? td_state_new(model) : NULL;
  if (w && state && td_state_initial(model, w, state) == TD_OK &&
      td_forward_dynamics(model, state, w) == TD_OK) {
    o.sum = 0;
    for (int i = 0; i < td_model_sizes(model).nv; i++) o.sum += td_work_vdot(w)[i];
  }
  td_state_free(state);
  td_work_free(w);
  td_model_free(model);
  td_spec_free(spec);
  return o;
}

static void fail_at(long n, bool only_once, const char* path, const char* text, double sum) {
  const long blocks = live;
  once = only_once;
  left = n;
  const outcome o = live_once(path, text);
  left = -1;
  if (live != blocks) fail_msg("allocation %ld: %ld blocks are lost", n, live - blocks);
  if (!isnan(o.sum) && o.sum != sum) fail_msg("allocation %ld: another model", n);
  if (o.status == TD_OK) return;  // what failed was not needed, or was told by a NULL
  if (o.status != TD_E_NOMEM && !o.told)
    fail_msg("allocation %ld: status %d and no message", n, (int)o.status);
}

static void sweep(const char* path, const char* text) {
  live_once(path, text);  // first use: the C library and the linear algebra take what they keep
  calls = 0;
  const outcome o = live_once(path, text);
  assert_int_equal(o.status, TD_OK);
  assert_true(calls > 100);
  const long total = calls;
  const int files = open_files();
  for (long n = 0; n < total; n += 1 + n / 40) {
    fail_at(n, false, path, text, o.sum);
    fail_at(n, true, path, text, o.sum);
  }
  assert_int_equal(open_files(), files);
}

static void a_robot_text_survives_every_failed_allocation(void** state) {
  (void)state;
  sweep(NULL, robot_links);
}

static void a_model_file_survives_every_failed_allocation(void** state) {
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/models/four_bar.m", TEST_SOURCE_DIR);
  sweep(path, NULL);
}

static void nets_and_their_files_survive_every_failed_allocation(void** state) {
  (void)state;
  static const char folder[] = TEST_SOURCE_DIR "/tests/fuzz/corpus_cad";
  char text[2000];
  sweep(NULL, robot_net);
  snprintf(text, sizeof text,
           "mesh(1).file_name = '%s/curves.igs'; mesh(2).file_name = '%s/tetra.stl';\n"
           "c = param('k', 1);\n"
           "for i = 1:2, mesh(i).body.m = 1; mesh(i).joint(2).spring.coeff = c; end\n",
           folder, folder);
  sweep(NULL, text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nets_and_their_files_survive_every_failed_allocation),
      cmocka_unit_test(a_robot_text_survives_every_failed_allocation),
      cmocka_unit_test(a_model_file_survives_every_failed_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
