// Sums with transposes by tiles are those entry by entry, whatever is left at the edges.
#include "check.h"
#include "math/tiles.h"

enum { MOST = 27 };  // three tiles and a rest

static void fill(uint64_t* seed, double* A, int n) {
  for (int i = 0; i < n * n; i++) A[i] = check_random(seed);
}

static void a_transposed_matrix_is_added(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n <= MOST; n++) {
    double A[MOST * MOST], B[MOST * MOST], before[MOST * MOST];
    fill(&seed, A, n);
    fill(&seed, B, n);
    memcpy(before, A, sizeof(double) * (size_t)(n * n));
    add_transposed(A, B, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        assert_true(A[i * n + j] == before[i * n + j] + B[j * n + i]);  // one sum: to the bit
  }
}

static void a_matrix_and_its_own_transpose_are_symmetric(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int n = 1; n <= MOST; n++) {
    double A[MOST * MOST], before[MOST * MOST];
    fill(&seed, A, n);
    memcpy(before, A, sizeof(double) * (size_t)(n * n));
    add_own_transpose(A, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        assert_true(A[i * n + j] == before[i * n + j] + before[j * n + i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_transposed_matrix_is_added),
      cmocka_unit_test(a_matrix_and_its_own_transpose_are_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
