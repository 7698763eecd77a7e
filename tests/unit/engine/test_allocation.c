// No heap call while a robot is evaluated.  malloc and its family are replaced by ones that count
// and pass the call on.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "robots.h"

#if !CHECK_SANITIZED

static volatile long calls;  // compilers take malloc for a function that changes nothing else

// The next definition of a function of the C library; dlsym itself may ask for memory before it is
// known.
#define NEXT(type, name)                  \
  static type next;                       \
  if (!next) {                            \
    void* found = dlsym(RTLD_NEXT, name); \
    memcpy(&next, &found, sizeof next);   \
  }

typedef void* (*malloc_call)(size_t);
typedef void* (*calloc_call)(size_t, size_t);
typedef void* (*realloc_call)(void*, size_t);
typedef void (*free_call)(void*);

void* malloc(size_t size) {
  NEXT(malloc_call, "malloc")
  calls++;
  return next(size);
}
void* calloc(size_t n, size_t size) {
  NEXT(calloc_call, "calloc")
  calls++;
  return next(n, size);
}
void* realloc(void* p, size_t size) {
  NEXT(realloc_call, "realloc")
  calls++;
  return next(p, size);
}
void free(void* p) {
  NEXT(free_call, "free")
  calls++;
  next(p);
}

static void expect_none(long before, const char* robot_name, const char* what) {
  if (calls != before) fail_msg("%s: %ld heap calls in %s", robot_name, calls - before, what);
}

#define QUIET(call)                   \
  do {                                \
    const long before = calls;        \
    call;                             \
    expect_none(before, name, #call); \
  } while (0)

static void evaluate(robot* r, const char* name) {
  const size_t n = (size_t)r->nv;
  double *a = calloc(n + 1, sizeof(double)), *F = calloc(n + 1, sizeof(double)),
         *dF = calloc(n + 1, sizeof(double));
  double *dq = calloc(n * n + 1, sizeof(double)), *dv = calloc(n * n + 1, sizeof(double));
  double *du = calloc(n * (size_t)r->nu + 1, sizeof(double)),
         *y = calloc((size_t)r->ny + 1, sizeof(double));
  const double* lambda = td_work_lambda(r->work);
  QUIET(td_forward_dynamics(r->model, r->state, r->work));
  QUIET(td_residual(r->model, r->state, r->work, a, lambda, F));
  QUIET(td_tangent(r->model, r->state, r->work, a, lambda, dq, dv));
  QUIET(td_forward_tangent(r->model, r->state, r->work, dq, dv, du));
  const td_direction along = {.q = F, .v = F, .a = F};
  const td_adjoint back = {.q = dq, .v = dv};
  QUIET(td_residual_diff(r->model, r->state, r->work, &along, a, lambda, dF));
  QUIET(td_residual_reverse(r->model, r->state, r->work, a, lambda, F, &back));
  QUIET(td_sensors(r->model, r->state, r->work, y));
  QUIET(td_project_q(r->model, r->state, r->work, 1e-10));
  QUIET(td_project_v(r->model, r->state, r->work));
  QUIET(td_energy(r->model, r->state, r->work));
  free(a);
  free(F);
  free(dF);
  free(dq);
  free(dv);
  free(du);
  free(y);
}

static void test_evaluations_make_no_heap_call(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    robot r = robot_load(robot_texts[i]);
    uint64_t seed = 3;
    for (int trial = 0; trial < 2; trial++) {
      robot_shake(&r, &seed, 0.1);
      evaluate(&r, robot_names[i]);
    }
    robot_free(&r);
  }
}

static void test_the_counter_counts(void** state) {
  (void)state;
  const long before = calls;
  void* volatile p = malloc(10);
  free(p);
  assert_int_equal(calls - before, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_counter_counts),
      cmocka_unit_test(test_evaluations_make_no_heap_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

// The sanitizer has replaced malloc already.
int main(void) { return 0; }

#endif
