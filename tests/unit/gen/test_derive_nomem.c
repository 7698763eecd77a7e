// Memory may run out at any allocation of the derivation, the printers and the export: they end
// with a status, without a crash and without losing memory.  malloc, calloc and realloc are
// wrapped: when armed, the n-th call and all after it, or that one alone, fail.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../dyn/robots.h"
#include "derive.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

int main(void) { return 0; }  // the sanitizer has its own malloc

#else

static long left = -1;  // calls before the first that fails; negative: none fails
static bool once;       // only that one fails
static long calls;
static long live;  // blocks

static bool refuse(void) {
  calls++;
  if (left < 0) return false;
  if (left > 0) {
    left--;
    return false;
  }
  if (once) left = -1;
  return true;
}

// dlsym may itself want memory before it has found the functions
static char start_block[65536];
static size_t start_used;
static bool in_start(const void* p) {
  return (const char*)p >= start_block && (const char*)p < start_block + sizeof start_block;
}

static void* start_take(size_t n) {
  n = (n + 63) & ~(size_t)63;
  if (n > sizeof start_block - start_used) return NULL;
  void* p = start_block + start_used;
  start_used += n;
  return p;
}

static void* next(const char* name) {
  static bool inside;
  if (inside) return NULL;
  inside = true;
  void* f = dlsym(RTLD_NEXT, name);
  inside = false;
  return f;
}

typedef void* (*malloc_fn)(size_t);
typedef void* (*calloc_fn)(size_t, size_t);
typedef void* (*realloc_fn)(void*, size_t);
typedef void (*free_fn)(void*);

void* malloc(size_t n) {
  static malloc_fn real;
  if (!real) *(void**)&real = next("malloc");
  if (!real) return start_take(n);
  void* p = refuse() ? NULL : real(n);
  live += p != NULL;
  return p;
}

void* calloc(size_t n, size_t size) {
  static calloc_fn real;
  if (!real) *(void**)&real = next("calloc");
  if (!real) return start_take(n * size);
  void* p = refuse() ? NULL : real(n, size);
  live += p != NULL;
  return p;
}

void* realloc(void* old, size_t n) {
  static realloc_fn real;
  if (!real) *(void**)&real = next("realloc");
  if (!real || in_start(old)) return NULL;
  if (refuse()) return NULL;
  void* p = real(old, n);
  live += p != NULL && old == NULL;
  return p;
}

void free(void* p) {
  static free_fn real;
  if (!real) *(void**)&real = next("free");
  if (!p || in_start(p) || !real) return;
  live--;
  real(p);
}

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
