// Dense linear algebra from several threads at once: OpenBLAS's serial flavour gives out its
// buffers without a lock, which dense.c adds.
#define _GNU_SOURCE  // RTLD_DEFAULT
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "math/dense.h"

enum { N = 60, THREADS = 3, ROUNDS = 400 };

// The functions that OpenBLAS finds are those of this library, wherever else there are some.
static void test_buffers_are_given_out_under_a_lock(void** state) {
  (void)state;
  static const char* const names[] = {"blas_memory_alloc", "blas_memory_free"};
  for (int i = 0; i < 2; i++) {
    Dl_info about;
    void* found = dlsym(RTLD_DEFAULT, names[i]);
    assert_non_null(found);
    assert_true(dladdr(found, &about) != 0);
    if (strstr(about.dli_fname, "openblas"))
      fail_msg("%s is that of %s", names[i], about.dli_fname);
  }
}

typedef struct task {
  double A[N * N], L[N * N], expected[N * N];
  int wrong;
} task;

static void* factor(void* user) {
  task* t = user;
  for (int k = 0; k < ROUNDS; k++) {
    memcpy(t->L, t->A, sizeof t->L);
    td_chol(t->L, N, 0);
    t->wrong += memcmp(t->L, t->expected, sizeof t->L) != 0;
  }
  return NULL;
}

// Factors of matrices of their own are the same bits as alone.
static void test_threads_do_not_get_each_others_numbers(void** state) {
  (void)state;
  static task tasks[THREADS];
  pthread_t thread[THREADS];
  uint64_t seed = 2;
  for (int i = 0; i < THREADS; i++) {
    task* t = &tasks[i];
    for (int r = 0; r < N; r++)
      for (int c = 0; c <= r; c++)
        t->A[r * N + c] = t->A[c * N + r] = check_random(&seed) + (r == c ? N : 0);
    memcpy(t->L, t->A, sizeof t->L);
    td_chol(t->L, N, 0);
    memcpy(t->expected, t->L, sizeof t->L);
  }
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, factor, &tasks[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) assert_int_equal(tasks[i].wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_buffers_are_given_out_under_a_lock),
      cmocka_unit_test(test_threads_do_not_get_each_others_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
