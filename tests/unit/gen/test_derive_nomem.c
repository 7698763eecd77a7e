// Memory may run out at any allocation of the derivation, the printers and the export: they end
// with a status, without a crash and without losing memory.  malloc, calloc and realloc are
// wrapped: when armed, the n-th call and all after it, or that one alone, fail.
#include "failing_memory.h"

#include "../dyn/robots.h"
#include "derive.h"

#if CHECK_SANITIZED

int main(void) { return 0; }  // the sanitizer has its own malloc

#else

typedef td_status (*job)(const robot* r, td_files* files);

static td_status print(const robot* r, td_files* files, td_derive_language language, bool loops) {
  td_derived* d = NULL;
  char message[200];
  const td_derive_options o = {.all_symbolic = true, .elements = !loops, .loops = loops};
  td_status status = td_derive(r->model, &o, &d, message, sizeof message);
  if (status == TD_OK) {
    status = td_derive_write(r->model, d, "robot", language,
                             loops ? TD_DERIVE_WHOLE : TD_DERIVE_ELEMENT, files);
  }
  td_derived_free(d);
  return status;
}
static td_status print_c(const robot* r, td_files* f) { return print(r, f, TD_DERIVE_C, false); }
static td_status print_octave(const robot* r, td_files* f) {
  return print(r, f, TD_DERIVE_OCTAVE, false);
}
static td_status print_python(const robot* r, td_files* f) {
  return print(r, f, TD_DERIVE_PYTHON, false);
}
static td_status print_latex(const robot* r, td_files* f) {
  return print(r, f, TD_DERIVE_LATEX, false);
}
static td_status print_loops(const robot* r, td_files* f) { return print(r, f, TD_DERIVE_C, true); }

static td_status export_all(const robot* r, td_files* files) {
  return td_export_c(r->model, "robot", files);
}

static td_status run_once(const robot* r, job run, const char* directory, long fail_at) {
  td_files* files = NULL;
  char message[200];
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  left = fail_at;
  const td_status status = run(r, files);
  left = -1;
  td_files_close(files);
  return status;
}

// Fail at every `step`-th allocation: that one alone, or it and all behind it.
static void starve(const char* text, job run, int step) {
  char directory[300], command[400];
  assert_true(check_directory(directory, sizeof directory));
  robot r = robot_load(text);
  calls = 0;
  assert_int_equal(run_once(&r, run, directory, -1), TD_OK);
  const long total = calls, before = live;
  for (long n = 0; n < total; n += step) {
    once = n / step % 2 == 1;
    const td_status status = run_once(&r, run, directory, n);
    assert_true(status == TD_OK || status == TD_E_NOMEM || status == TD_E_IO);
    assert_int_equal(live, before);
  }
  robot_free(&r);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  assert_int_equal(system(command), 0);
}

static void test_deriving_survives_any_failed_allocation(void** state) {
  (void)state;
  const job jobs[] = {print_c, print_octave, print_python, print_latex};
  for (int i = 0; i < 4; i++) {
    starve(robot_pendulum, jobs[i], 3);
    starve(robot_given, jobs[i], 29);
    starve(robot_rods, jobs[i], 997);
  }
  starve(robot_rom, print_loops, 997);
}

static void test_exporting_survives_any_failed_allocation(void** state) {
  (void)state;
  starve(robot_pendulum, export_all, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_deriving_survives_any_failed_allocation),
      cmocka_unit_test(test_exporting_survives_any_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
