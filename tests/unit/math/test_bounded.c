// Bounded least squares against brute force over all active sets, and its laws.
#include "math/bounded.h"

#include "check.h"
#include "math/dense.h"

enum { MOST = 6 };

static double cost(const double* A, const double* b, int rows, int cols, double damping,
                   const double* x) {
  double sum = 0;
  for (int i = 0; i < rows; i++) {
    double r = -b[i];
    for (int j = 0; j < cols; j++) r += A[i * cols + j] * x[j];
    sum += r * r;
  }
  for (int j = 0; j < cols; j++) sum += damping * damping * x[j] * x[j];
  return sum;
}

// Every choice of free, low, high for each x: the best that lies within the bounds.
static double brute_force(const double* A, const double* b, int rows, int cols, double damping,
                          const double* low, const double* high) {
  int sets = 1;
  for (int j = 0; j < cols; j++) sets *= 3;
  double best = INFINITY;
  for (int s = 0; s < sets; s++) {
    double x[MOST] = {0}, B[(MOST + MOST) * MOST] = {0}, rhs[MOST + MOST] = {0}, z[MOST] = {0};
    int side[MOST], index[MOST], n = 0, code = s;
    for (int j = 0; j < cols; j++, code /= 3) {
      side[j] = code % 3;
      if (side[j] == 0) index[n++] = j;
      if (side[j] == 1) x[j] = low[j];
      if (side[j] == 2) x[j] = high[j];
    }
    for (int i = 0; i < rows; i++) {
      rhs[i] = b[i];
      for (int j = 0; j < cols; j++) rhs[i] -= A[i * cols + j] * x[j];
      for (int k = 0; k < n; k++) B[i * n + k] = A[i * cols + index[k]];
    }
    for (int k = 0; k < n; k++) B[(rows + k) * n + k] = damping;
    assert_true(td_least_squares(B, rows + n, n, 1e-12, rhs, z));
    bool inside = true;
    for (int k = 0; k < n; k++) {
      x[index[k]] = z[k];
      inside = inside && z[k] >= low[index[k]] - 1e-12 && z[k] <= high[index[k]] + 1e-12;
    }
    if (inside) best = fmin(best, cost(A, b, rows, cols, damping, x));
  }
  return best;
}

static void test_it_is_the_best_of_all_active_sets(void** state) {
  (void)state;
  uint64_t seed = 11;
  for (int k = 0; k < 400; k++) {
    const int rows = 1 + k % 5, cols = 1 + (k / 5) % 5;
    const double damping = k % 3 ? 0.3 : 1e-3;
    double A[25], b[5], low[5], high[5], x[5], scratch[200];
    assert_true(td_bounded_scratch(rows, cols) < 200);
    for (int i = 0; i < rows * cols; i++) A[i] = check_random(&seed);
    for (int i = 0; i < rows; i++) b[i] = 3 * check_random(&seed);
    for (int j = 0; j < cols; j++) {
      low[j] = check_random(&seed) - 0.8;
      high[j] = low[j] + 1 + check_random(&seed);
    }
    assert_true(td_bounded_least_squares(A, b, rows, cols, damping, low, high, x, NULL, scratch));
    for (int j = 0; j < cols; j++) assert_true(x[j] >= low[j] && x[j] <= high[j]);
    const double want = brute_force(A, b, rows, cols, damping, low, high);
    CHECK_NEAR(cost(A, b, rows, cols, damping, x), want, 1e-9);
  }
}

static void test_without_bounds_it_has_minimum_norm(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int k = 0; k < 50; k++) {
    const int rows = 1 + k % 4, cols = 1 + k % 6;
    double A[24], b[4], low[6], high[6], x[6], want[6], scratch[200];
    for (int i = 0; i < rows * cols; i++) A[i] = check_random(&seed);
    if (rows > 1)
      for (int j = 0; j < cols; j++) A[cols + j] = 2 * A[j];  // a row twice
    for (int i = 0; i < rows; i++) b[i] = check_random(&seed);
    for (int j = 0; j < cols; j++) low[j] = -INFINITY, high[j] = INFINITY;
    assert_true(td_bounded_least_squares(A, b, rows, cols, 0, low, high, x, NULL, scratch));
    assert_true(td_least_squares(A, rows, cols, 1e-12, b, want));
    for (int j = 0; j < cols; j++) CHECK_NEAR(x[j], want[j], 1e-11);
  }
}

// The inverse on the free columns is the slope of the solution.
static void test_free_inverse_is_the_slope(void** state) {
  (void)state;
  const double A[] = {1, 0.5, 0.2, -0.3, 1, 0.4}, low[] = {-1, -1, -1}, high[] = {1, 1, 0.1};
  double b[] = {0.9, 0.7}, x[3], y[3], G[6], scratch[100];
  bool free[3];
  assert_true(td_bounded_least_squares(A, b, 2, 3, 0.1, low, high, x, free, scratch));
  assert_false(free[2]);
  td_free_inverse(A, 2, 3, 0.1, free, G, scratch);
  b[1] += 1e-6;
  assert_true(td_bounded_least_squares(A, b, 2, 3, 0.1, low, high, y, free, scratch));
  for (int j = 0; j < 3; j++) CHECK_NEAR((y[j] - x[j]) / 1e-6, G[2 * j + 1], 1e-8);
}

static void test_numbers_that_are_not_finite_are_refused(void** state) {
  (void)state;
  const double A[] = {NAN, 1}, b[] = {1}, low[] = {1, -1}, high[] = {2, 1};
  double x[2], scratch[50];
  assert_false(td_bounded_least_squares(A, b, 1, 2, 0, low, high, x, NULL, scratch));
  assert_true(x[0] == 1 && x[1] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_is_the_best_of_all_active_sets),
      cmocka_unit_test(test_without_bounds_it_has_minimum_norm),
      cmocka_unit_test(test_free_inverse_is_the_slope),
      cmocka_unit_test(test_numbers_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
