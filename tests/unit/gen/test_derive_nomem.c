// Memory may run out at any allocation of the derivation, the printers and the export: they end
// with a status, without a crash and without losing memory.  malloc, calloc and realloc are
// wrapped: when armed, the n-th call and all after it, or that one alone, fail.
#include "failing_memory.h"

#include "../engine/robots.h"
#include "gen/derive.h"

#if CHECK_SANITIZED

int main(void) { return 0; }  // the sanitizer has its own malloc

#else

typedef td_status (*job)(const robot* r, td_files* files);

static td_status print(const robot* r, td_files* files, td_derive_language language, bool loops) {
  td_derived* d = NULL;
  char message[200];
  const td_derive_options o = {
      .size = sizeof(td_derive_options), .all_symbolic = true, .elements = !loops, .loops = loops};
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

static td_status export_unit2(const robot* r, td_files* files) {
  char message[400];
  return td_export_fmu(r->model, "robot", 2, files, message, sizeof message);
}
static td_status export_unit3(const robot* r, td_files* files) {
  char message[400];
  return td_export_fmu(r->model, "robot", 3, files, message, sizeof message);
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

// Fail at every `step`-th allocation: that one alone, or it and all behind it.  `foreign`: blocks
// that a library we use may lose when it cannot write.
static void starve(const char* text, job run, int step, int foreign) {
  char directory[300], command[400];
  assert_true(check_directory(directory, sizeof directory));
  robot r = robot_load(text);
  calls = 0;
  assert_int_equal(run_once(&r, run, directory, -1), TD_OK);
  const long total = calls;
  int wrong = 0;
  // what libzip asks for at the end, thousands of times, is tried less closely
  for (long n = 0, k = 0; n < total; n += foreign && n > 300 ? 60 * step : step, k++) {
    once = k % 2 == 1;
    const long held = live;
    const td_status status = run_once(&r, run, directory, n);
    assert_true(status == TD_OK || status == TD_E_NOMEM || status == TD_E_IO);
    const bool lost = live - held > (status == TD_E_IO ? foreign : 0);
    if (lost) print_error("allocation %ld of %ld: %ld blocks stay\n", n, total, live - held);
    wrong += lost || live < held;
  }
  assert_int_equal(wrong, 0);
  robot_free(&r);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  assert_int_equal(system(command), 0);
}

static void test_deriving_survives_any_failed_allocation(void** state) {
  (void)state;
  const job jobs[] = {print_c, print_octave, print_python, print_latex};
  for (int i = 0; i < 4; i++) {
    starve(robot_pendulum, jobs[i], 3, 0);
    starve(robot_given, jobs[i], 29, 0);
    starve(robot_rods, jobs[i], 997, 0);
  }
  starve(robot_rom, print_loops, 997, 0);
}

static void test_exporting_survives_any_failed_allocation(void** state) {
  (void)state;
  starve(robot_pendulum, export_all, 3, 0);
}

// The archive of a functional mock-up unit, with sources alone and with the library that a compiler
// has made: here one that takes no time.  libzip loses a block where zip_close() finds no memory.
static void test_units_survive_any_failed_allocation(void** state) {
  (void)state;
  char directory[300], script[400], command[900];
  assert_true(check_directory(directory, sizeof directory));
  snprintf(script, sizeof script, "%s/quick-cc", directory);
  FILE* file = fopen(script, "w");
  assert_non_null(file);
  fputs("#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho library >\"$2\"\n", file);
  fclose(file);
  snprintf(command, sizeof command, "chmod +x '%s'", script);
  assert_int_equal(system(command), 0);
  const char* before = getenv("CC");
  char kept[200];
  snprintf(kept, sizeof kept, "%s", before ? before : "");
  setenv("CC", script, 1);
  starve(robot_pendulum, export_unit2, 13, 1);
  setenv("CC", "false", 1);
  starve(robot_pendulum, export_unit3, 17, 1);
  if (before)
    setenv("CC", kept, 1);
  else
    unsetenv("CC");
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_deriving_survives_any_failed_allocation),
      cmocka_unit_test(test_exporting_survives_any_failed_allocation),
      cmocka_unit_test(test_units_survive_any_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
