// The linear solver of the stiff integrator: it solves what it is given, with and without positions
// to eliminate first; and the loops it shares with SUNDIALS.
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "check.h"
#include "solve/time/lapack_linsol.h"
#include "solve/time/sun_loops.h"

enum { QUATS = 3, NPOS = 7 * QUATS, NVEL = 6 * QUATS, N = NPOS + NVEL };

// 1 - c J of bodies with translations and unit quaternions: [1 - c dN, -c N; full, full].
static void newton_matrix(uint64_t* seed, double* A) {
  const double c = 0.3;
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
      double A[N * N];
      newton_matrix(&seed, A);
      SUNMatrix matrix = SUNDenseMatrix(N, N, context);
      SUNLinearSolver solver = td_lapack_linsol(N, positions[k], &count, context);
      N_Vector x = N_VNew_Serial(N, context), b = N_VNew_Serial(N, context);
      assert_non_null(solver);
      memcpy(SUNDenseMatrix_Data(matrix), A, sizeof A);
      for (int i = 0; i < N; i++) N_VGetArrayPointer(b)[i] = check_random(&seed);
      assert_int_equal(SUNLinSolSetup(solver, matrix), 0);
      assert_int_equal(SUNLinSolSolve(solver, matrix, x, b, 0), 0);
      assert_int_equal(count, 1);
      // random matrices of this order have conditions of some hundreds; without exchanges more is
      // lost
      CHECK_NEAR(residual(A, N_VGetArrayPointer(x), N_VGetArrayPointer(b)), 0,
                 positions[k] == N ? 1e-8 : 1e-10);
      N_VDestroy(x);
      N_VDestroy(b);
      SUNLinSolFree(solver);
      SUNMatDestroy(matrix);
    }
  SUNContext_Free(&context);
}

static void test_a_zero_pivot_is_reported(void** state) {
  (void)state;
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  for (int npos = 0; npos < 2; npos++) {
    long count = 0;
    SUNMatrix matrix = SUNDenseMatrix(2, 2, context);  // zero
    SUNLinearSolver solver = td_lapack_linsol(2, npos, &count, context);
    assert_int_not_equal(SUNLinSolSetup(solver, matrix), 0);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
  }
  SUNContext_Free(&context);
}

static void test_our_loops_do_what_those_of_SUNDIALS_do(void** state) {
  (void)state;
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  uint64_t seed = 2;
  N_Vector x = N_VNew_Serial(7, context), y = N_VClone(x), z = N_VClone(x), ours = N_VClone(x);
  SUNMatrix A = SUNDenseMatrix(7, 7, context), B = SUNMatClone(A);
  td_sun_vector(ours);
  td_sun_matrix(A);
  for (int i = 0; i < 7; i++) {
    N_VGetArrayPointer(x)[i] = check_random(&seed);
    N_VGetArrayPointer(y)[i] = check_random(&seed);
  }
  for (int i = 0; i < 49; i++) SUNDenseMatrix_Data(A)[i] = check_random(&seed);

  N_VLinearSum(2, x, -3, y, z);
  ours->ops->nvlinearsum(2, x, -3, y, ours);
  for (int i = 0; i < 7; i++)
    CHECK_NEAR(N_VGetArrayPointer(ours)[i], N_VGetArrayPointer(z)[i], 1e-15);
  ours->ops->nvscale(4, x, ours);
  for (int i = 0; i < 7; i++)
    CHECK_NEAR(N_VGetArrayPointer(ours)[i], 4 * N_VGetArrayPointer(x)[i], 0);
  CHECK_NEAR(ours->ops->nvwrmsnorm(x, y), N_VWrmsNorm(x, y), 1e-15);

  SUNMatrix C = SUNMatClone(A);  // has our loops too
  assert_true(C->ops->copy == A->ops->copy);
  assert_int_equal(SUNMatCopy(A, C), 0);
  assert_int_equal(SUNMatCopy(C, B), 0);
  SUNMatScaleAddI(-0.5, C);
  SUNMatScaleAddI(-0.5, B);  // SUNDIALS' own
  for (int i = 0; i < 49; i++)
    CHECK_NEAR(SUNDenseMatrix_Data(C)[i], SUNDenseMatrix_Data(B)[i], 1e-15);
  SUNMatDestroy(A);
  SUNMatDestroy(B);
  SUNMatDestroy(C);
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
      cmocka_unit_test(test_our_loops_do_what_those_of_SUNDIALS_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
