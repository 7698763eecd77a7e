// Cholesky, LU and eigenproblems against the matrices they factor, in sizes on both sides of the
// hand-over to LAPACK.
#include "math/dense.h"

#include <malloc.h>

#include "check.h"

enum { largest = 90 };
static const int sizes[] = {1, 2, 3, 5, 11, 12, 39, 40, 41, 90};
enum { nsize = sizeof sizes / sizeof sizes[0] };

static void fill(double* A, int n, uint64_t* seed) {
  for (int i = 0; i < n; i++) A[i] = check_random(seed);
}

// A = B B' + n 1
static void fill_positive(double* A, int n, uint64_t* seed) {
  double* B = test_malloc(sizeof(double) * (size_t)(n * n));
  fill(B, n * n, seed);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double s = i == j ? n : 0;
      for (int k = 0; k < n; k++) s += B[i * n + k] * B[j * n + k];
      A[i * n + j] = s;
    }
  }
  test_free(B);
}

// largest |A X - B|
static double defect(const double* A, const double* X, const double* B, int n, int nrhs) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < nrhs; c++) {
      double s = -B[i * nrhs + c];
      for (int k = 0; k < n; k++) s += A[i * n + k] * X[k * nrhs + c];
      worst = fmax(worst, fabs(s));
    }
  }
  return worst;
}

static void test_cholesky_solves_and_leaves_the_upper_triangle_alone(void** state) {
  (void)state;
  static double A[largest * largest], L[largest * largest], B[largest * 7], X[largest * 7];
  uint64_t seed = 1;
  for (int s = 0; s < nsize; s++) {
    for (int nrhs = 1; nrhs <= 7; nrhs += 6) {
      const int n = sizes[s];
      fill_positive(A, n, &seed);
      fill(B, n * nrhs, &seed);
      memcpy(L, A, sizeof A);
      memcpy(X, B, sizeof B);
      assert_int_equal(td_chol(L, n, 1e-14), 0);
      for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) assert_true(L[i * n + j] == A[i * n + j]);
      td_chol_solve(L, n, X, nrhs);
      CHECK_NEAR(defect(A, X, B, n, nrhs), 0, 1e-13);
    }
  }
}

static void test_cholesky_names_the_first_dependent_row(void** state) {
  (void)state;
  static double A[largest * largest];
  uint64_t seed = 2;
  for (int s = 2; s < nsize; s++) {
    const int n = sizes[s], bad = n / 2;
    fill_positive(A, n, &seed);
    // row and column `bad` become copies of row 0
    for (int j = 0; j < n; j++) A[bad * n + j] = A[j];
    for (int j = 0; j < n; j++) A[j * n + bad] = A[j * n];
    assert_int_equal(td_chol(A, n, 1e-13), bad + 1);
  }
}

static void test_cholesky_does_not_depend_on_units(void** state) {
  (void)state;
  // masses of a ship and inertias of a grain in one matrix
  double A[] = {1e9, 0, 0, 0, 1e-12, 0.5e-12, 0, 0.5e-12, 1e-12};
  assert_int_equal(td_chol(A, 3, 1e-13), 0);
  double zero[] = {0};
  assert_int_equal(td_chol(zero, 1, 1e-13), 1);
}

static void test_lu_solves_and_knows_the_sign(void** state) {
  (void)state;
  static double A[largest * largest], LU[largest * largest], B[largest * 3], X[largest * 3];
  int pivot[largest];
  uint64_t seed = 3;
  for (int s = 0; s < nsize; s++) {
    const int n = sizes[s];
    fill(A, n * n, &seed);
    fill(B, n * 3, &seed);
    memcpy(LU, A, sizeof A);
    memcpy(X, B, sizeof B);
    assert_int_equal(td_lu(LU, n, pivot), 0);
    td_lu_solve(LU, pivot, n, X, 3);
    CHECK_NEAR(defect(A, X, B, n, 3), 0, 1e-10);  // random matrices reach a condition of 1e4

    // exchanging two rows changes the sign
    const int sign = td_lu_sign(LU, pivot, n);
    assert_true(sign == 1 || sign == -1);
    if (n == 1) continue;
    memcpy(LU, A, sizeof A);
    for (int j = 0; j < n; j++) LU[j] = A[n + j], LU[n + j] = A[j];
    td_lu(LU, n, pivot);
    assert_int_equal(td_lu_sign(LU, pivot, n), -sign);
  }
}

static void test_lu_sign_is_that_of_a_known_determinant(void** state) {
  (void)state;
  double A[] = {0, 2, 0, 1, 0, 0, 0, 0, 3};  // det -6
  int pivot[3];
  assert_int_equal(td_lu(A, 3, pivot), 0);
  assert_int_equal(td_lu_sign(A, pivot, 3), -1);
  double S[] = {1, 2, 2, 4};
  assert_true(td_lu(S, 2, pivot) > 0);
  assert_int_equal(td_lu_sign(S, pivot, 2), 0);
}

static void test_symmetric_eigenvectors_diagonalise_both_matrices(void** state) {
  (void)state;
  enum { n = 12 };
  double K[n * n], M[n * n], w[n], V[n * n];
  uint64_t seed = 4;
  fill_positive(M, n, &seed);
  fill_positive(K, n, &seed);
  K[0] -= 40;  // one negative
  assert_true(td_eig_symmetric(K, M, n, w, V));
  for (int a = 0; a < n; a++) {
    if (a) assert_true(w[a] >= w[a - 1]);
    for (int b = 0; b < n; b++) {
      double vKv = 0, vMv = 0;
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          vKv += V[a * n + i] * K[i * n + j] * V[b * n + j];
          vMv += V[a * n + i] * M[i * n + j] * V[b * n + j];
        }
      }
      CHECK_NEAR(vMv, a == b, 1e-13);
      CHECK_NEAR(vKv, a == b ? w[a] : 0, 1e-12);
    }
  }
}

// A mass of 1 on a spring k, a mass of 1e-9 behind it on a spring of 1e6, seen in axes turned by 45
// degrees: eigenvalues about k and 1e15, of which 1e6 ε is all that the lower one may lose.
static void check_far_apart(double k) {
  const double m = 1e-9, stiff = 1e6, b = stiff + m * (k + stiff), c = k * stiff,
               want = 2 * c / (b + sqrt(b * b - 4 * m * c));
  const double K[] = {k / 2, k / 2, k / 2, k / 2 + 2 * stiff},
               M[] = {(1 + m) / 2, (1 - m) / 2, (1 - m) / 2, (1 + m) / 2};
  double w[2], V[4];
  assert_true(td_eig_pencil(K, M, 2, w, V));
  assert_true(fabs(w[0] - want) <= 1e-8);
  assert_true(k != 0 || w[0] == 0);
  CHECK_NEAR(w[1] / (stiff / m), 1, 1e-6);
  for (int i = 0; i < 2; i++) {
    const double *v = V + 2 * i, x = (v[0] + v[1]) / sqrt(2), y = (v[0] - v[1]) / sqrt(2);
    CHECK_NEAR(x * x + m * y * y, 1, 1e-6);
  }
}

static void test_low_eigenvalues_far_below_the_highest_are_accurate(void** state) {
  (void)state;
  check_far_apart(1);
  check_far_apart(0);
  check_far_apart(-1);
}

static void test_general_eigenvectors_satisfy_their_equation(void** state) {
  (void)state;
  enum { n = 9 };
  double A[n * n], re[n], im[n], V[n * n];
  uint64_t seed = 5;
  fill(A, n * n, &seed);
  assert_true(td_eig_general(A, n, re, im, V));
  for (int k = 0; k < n; k++) {
    const bool pair = im[k] > 0;
    for (int i = 0; i < n; i++) {
      double ar = 0, ai = 0;
      for (int j = 0; j < n; j++) {
        ar += A[i * n + j] * V[k * n + j];
        if (pair) ai += A[i * n + j] * V[(k + 1) * n + j];
      }
      const double x = V[k * n + i], y = pair ? V[(k + 1) * n + i] : 0;
      CHECK_NEAR(ar, re[k] * x - im[k] * y, 1e-13);
      if (pair) CHECK_NEAR(ai, re[k] * y + im[k] * x, 1e-13);
    }
    if (pair) k++;
  }
}

static void test_singular_values_of_an_outer_product(void** state) {
  (void)state;
  const double A[] = {3, 4, 0, 6, 8, 0};  // [1 2]' [3 4 0]
  double s[2];
  assert_true(td_singular_values(A, 2, 3, s));
  CHECK_NEAR(s[0], sqrt(5) * 5, 1e-15);
  CHECK_NEAR(s[1], 0, 1e-14);
}

static void test_least_squares_has_minimum_norm(void** state) {
  (void)state;
  const double A[] = {1, 1, 0, 1, 1, 0}, b[] = {1, 3};  // x + y = 2 at best
  double x[3];
  assert_true(td_least_squares(A, 2, 3, 1e-12, b, x));
  CHECK_NEAR(x[0], 1, 1e-14);
  CHECK_NEAR(x[1], 1, 1e-14);
  CHECK_NEAR(x[2], 0, 1e-14);
}

static void test_nothing_is_found_in_matrices_that_are_not_finite(void** state) {
  (void)state;
  const double A[] = {1, NAN, 0, 1}, b[] = {1, 1};
  double x[2], y[2], V[4];
  assert_false(td_eig_general(A, 2, x, y, NULL));
  assert_false(td_eig_symmetric(A, A, 2, x, V));
  assert_false(td_singular_values(A, 2, 2, x));
  assert_false(td_least_squares(A, 2, 2, 1e-12, b, x));
}

static void test_factoring_does_not_allocate(void** state) {
  (void)state;
  static double A[largest * largest], B[largest];
  int pivot[largest];
  uint64_t seed = 6;
  for (int pass = 0; pass < 2; pass++) {
    const struct mallinfo2 before = mallinfo2();
    fill(B, largest, &seed);
    for (int i = 0; i < largest * largest; i++) A[i] = i % (largest + 1) == 0 ? 3 : 0.01;
    assert_int_equal(td_chol(A, largest, 1e-14), 0);
    td_chol_solve(A, largest, B, 1);
    for (int i = 0; i < largest * largest; i++) A[i] = i % (largest + 1) == 0 ? 3 : 0.01;
    assert_int_equal(td_lu(A, largest, pivot), 0);
    td_lu_solve(A, pivot, largest, B, 1);
    const struct mallinfo2 after = mallinfo2();
    if (pass == 0) continue;  // the BLAS sets itself up once
    assert_int_equal(before.uordblks, after.uordblks);
    assert_int_equal(before.hblks, after.hblks);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cholesky_solves_and_leaves_the_upper_triangle_alone),
      cmocka_unit_test(test_cholesky_names_the_first_dependent_row),
      cmocka_unit_test(test_cholesky_does_not_depend_on_units),
      cmocka_unit_test(test_lu_solves_and_knows_the_sign),
      cmocka_unit_test(test_lu_sign_is_that_of_a_known_determinant),
      cmocka_unit_test(test_symmetric_eigenvectors_diagonalise_both_matrices),
      cmocka_unit_test(test_low_eigenvalues_far_below_the_highest_are_accurate),
      cmocka_unit_test(test_general_eigenvectors_satisfy_their_equation),
      cmocka_unit_test(test_singular_values_of_an_outer_product),
      cmocka_unit_test(test_least_squares_has_minimum_norm),
      cmocka_unit_test(test_nothing_is_found_in_matrices_that_are_not_finite),
      cmocka_unit_test(test_factoring_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
