// The dense systems of implicit steps: they are solved, with and without positions to eliminate
// first, also as a linear solver of SUNDIALS; and the vector loops that SUNDIALS is given.
#include <nvector/nvector_serial.h>

#include "check.h"
#include "solve/time/dense_steps.h"
#include "solve/time/linsol.h"
#include "solve/time/sun_loops.h"

enum { QUATS = 3, NPOS = 7 * QUATS, NVEL = 6 * QUATS, N = NPOS + NVEL };

static const double c = 0.3;

// 1 - c J of bodies with translations and unit quaternions: [1 - c dN, -c N; full, full].
static void newton_matrix(uint64_t* seed, double* A) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) A[i * N + j] = (i == j) + (i >= NPOS ? check_random(seed) : 0);
  for (int b = 0; b < QUATS; b++) {
    const int q = 7 * b, v = NPOS + 6 * b;
    for (int i = 0; i < 3; i++) A[(q + i) * N + v + i] = -c;
    for (int i = 3; i < 7; i++)
      for (int j = 3; j < 7; j++) {
        if (j < i) A[(q + i) * N + q + j] = c * check_random(seed);
        if (j < i) A[(q + j) * N + q + i] = -A[(q + i) * N + q + j];
        if (j < 6) A[(q + i) * N + v + j] = -c * check_random(seed);
      }
  }
}

// The ode whose 1 - c J is the matrix `ctx`.
static td_status jacobian(void* ctx, double t, const double* y, double* J) {
  (void)t, (void)y;
  const double* A = ctx;
  for (int i = 0; i < N * N; i++) J[i] = ((i % (N + 1) == 0) - A[i]) / c;
  return TD_OK;
}

// Largest |A x - b|.
static double residual(const double* A, const double* x, const double* b) {
  double worst = 0;
  for (int i = 0; i < N; i++) {
    double sum = -b[i];
    for (int j = 0; j < N; j++) sum += A[i * N + j] * x[j];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static void test_the_system_is_solved_whatever_is_eliminated_first(void** state) {
  (void)state;
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  uint64_t seed = 1;
  const int positions[] = {0, NPOS, 3, N};
  for (int trial = 0; trial < 20; trial++)
    for (int k = 0; k < 4; k++) {
      if (positions[k] == N && trial > 0) continue;
      long count = 0;
      double A[N * N], Jx[N];
      newton_matrix(&seed, A);
      const td_ode ode = {.ctx = A, .n = N, .npos = positions[k], .jacobian = jacobian};
      td_dense_steps* steps = td_dense_steps_new(&ode);
      assert_non_null(steps);
      SUNMatrix matrix = td_step_matrix(context);
      SUNLinearSolver solver = td_step_linsol(&td_dense_step_ops, steps, N, &count, context);
      N_Vector x = N_VNew_Serial(N, context), b = N_VNew_Serial(N, context);
      assert_non_null(solver);
      for (int i = 0; i < N; i++) N_VGetArrayPointer(b)[i] = check_random(&seed);
      assert_int_equal(td_dense_step_ops.linearise(steps, 0, NULL), TD_OK);
      td_step_matrix_gamma(matrix, c);
      assert_int_equal(SUNLinSolSetup(solver, matrix), 0);
      assert_int_equal(SUNLinSolSolve(solver, matrix, x, b, 0), 0);
      assert_int_equal(count, 1);
      // random matrices of this order have conditions of some hundreds; without exchanges more is
      // lost
      const double tol = positions[k] == N ? 1e-8 : 1e-10;
      CHECK_NEAR(residual(A, N_VGetArrayPointer(x), N_VGetArrayPointer(b)), 0, tol);
      // x - gamma J x is b as well
      assert_int_equal(td_dense_step_ops.product(steps, N_VGetArrayPointer(x), Jx), TD_OK);
      for (int i = 0; i < N; i++)
        CHECK_NEAR(N_VGetArrayPointer(x)[i] - c * Jx[i], N_VGetArrayPointer(b)[i], tol);
      N_VDestroy(x);
      N_VDestroy(b);
      SUNLinSolFree(solver);
      SUNMatDestroy(matrix);
      td_dense_steps_free(steps);
    }
  SUNContext_Free(&context);
}

static void test_a_zero_pivot_is_reported(void** state) {
  (void)state;
  double A[N * N] = {0};
  for (int npos = 0; npos < 2; npos++) {
    const td_ode ode = {.ctx = A, .n = N, .npos = npos, .jacobian = jacobian};
    td_dense_steps* steps = td_dense_steps_new(&ode);
    assert_non_null(steps);
    assert_int_equal(td_dense_step_ops.linearise(steps, 0, NULL), TD_OK);
    assert_int_equal(td_dense_step_ops.factor(steps, c), TD_E_SINGULAR);
    td_dense_steps_free(steps);
  }
}

static void test_a_jacobian_that_is_no_number_is_reported(void** state) {
  (void)state;
  double A[N * N] = {0};
  A[N + 3] = NAN;
  const td_ode ode = {.ctx = A, .n = N, .jacobian = jacobian};
  td_dense_steps* steps = td_dense_steps_new(&ode);
  assert_non_null(steps);
  assert_int_equal(td_dense_step_ops.linearise(steps, 0, NULL), TD_E_DIVERGED);
  td_dense_steps_free(steps);
}

static void test_our_loops_do_what_those_of_SUNDIALS_do(void** state) {
  (void)state;
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  uint64_t seed = 2;
  N_Vector x = N_VNew_Serial(7, context), y = N_VClone(x), z = N_VClone(x), ours = N_VClone(x);
  td_sun_vector(ours);
  for (int i = 0; i < 7; i++) {
    N_VGetArrayPointer(x)[i] = check_random(&seed);
    N_VGetArrayPointer(y)[i] = check_random(&seed);
  }

  N_VLinearSum(2, x, -3, y, z);
  ours->ops->nvlinearsum(2, x, -3, y, ours);
  for (int i = 0; i < 7; i++)
    CHECK_NEAR(N_VGetArrayPointer(ours)[i], N_VGetArrayPointer(z)[i], 1e-15);
  ours->ops->nvscale(4, x, ours);
  for (int i = 0; i < 7; i++)
    CHECK_NEAR(N_VGetArrayPointer(ours)[i], 4 * N_VGetArrayPointer(x)[i], 0);
  CHECK_NEAR(ours->ops->nvwrmsnorm(x, y), N_VWrmsNorm(x, y), 1e-15);
  N_VDestroy(x);
  N_VDestroy(y);
  N_VDestroy(z);
  N_VDestroy(ours);
  SUNContext_Free(&context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_system_is_solved_whatever_is_eliminated_first),
      cmocka_unit_test(test_a_zero_pivot_is_reported),
      cmocka_unit_test(test_a_jacobian_that_is_no_number_is_reported),
      cmocka_unit_test(test_our_loops_do_what_those_of_SUNDIALS_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
