// Rows beside a block matrix, against the whole as a dense matrix.
#include "math/border.h"

#include "check.h"

enum { BLOCKS = 12, SIZE = 3, N = BLOCKS * SIZE, ROWS = 4 };

// A chain of blocks, and four rows of which each touches two of them.
typedef struct sample {
  int at[BLOCKS + 1], ptr[BLOCKS + 1], row[3 * BLOCKS], offset[3 * BLOCKS], base[BLOCKS + 1];
  int row_ptr[ROWS + 1], col[ROWS * 2 * SIZE];
  double values[3 * BLOCKS * SIZE * SIZE], A[N][N];
  double J1[ROWS * 2 * SIZE], J2[ROWS * 2 * SIZE];
} sample;

static td_pattern pattern_of(const sample* s) {
  return (td_pattern){BLOCKS, s->at, s->ptr, s->row, s->offset, s->base};
}

static void draw_matrix(sample* s, uint64_t* seed) {
  double* value = s->values;
  for (int J = 0, k = 0; J < BLOCKS; J++) {
    const int first = k;
    s->at[J + 1] = SIZE * (J + 1);
    for (int I = J > 0 ? J - 1 : 0; I <= J + 1 && I < BLOCKS; I++, k++) {
      s->row[k] = I;
      s->offset[k] = SIZE * (k - first);
    }
    s->ptr[J + 1] = k;
    s->base[J + 1] = s->base[J] + SIZE * SIZE * (k - first);
    for (int j = SIZE * J; j < SIZE * (J + 1); j++)
      for (int e = first; e < k; e++)
        for (int i = SIZE * s->row[e]; i < SIZE * (s->row[e] + 1); i++)
          *value++ = s->A[i][j] = check_random(seed) + 6 * (i == j);
  }
}

static sample* sample_new(uint64_t* seed) {
  sample* s = calloc(1, sizeof *s);
  draw_matrix(s, seed);
  for (int r = 0, k = 0; r < ROWS; r++) {
    for (int j = 0; j < 2 * SIZE; j++, k++) {
      s->col[k] = j < SIZE ? SIZE * r + j : SIZE * (BLOCKS - 1 - r) + j - SIZE;
      s->J1[k] = check_random(seed);
      s->J2[k] = check_random(seed);
    }
    s->row_ptr[r + 1] = k;
  }
  return s;
}

// The largest of K z - b, row by row of the header's formula.
static double defect(const sample* s, const double* z, const double* b) {
  double worst = 0;
  for (int i = 0; i < N; i++) {
    double sum = -b[i];
    for (int j = 0; j < N; j++) sum += s->A[i][j] * z[j];
    for (int r = 0; r < ROWS; r++)
      for (int k = s->row_ptr[r]; k < s->row_ptr[r + 1]; k++)
        if (s->col[k] == i) sum -= s->J1[k] * z[N + r];
    worst = fmax(worst, fabs(sum));
  }
  for (int r = 0; r < ROWS; r++) {
    double sum = -b[N + r];
    for (int k = s->row_ptr[r]; k < s->row_ptr[r + 1]; k++) sum += s->J2[k] * z[s->col[k]];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

// Numbers of order one: 1e-12 is rounding times the condition of the matrix.
static void rows_hold_and_so_does_the_rest(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 20; round++) {
    sample* s = sample_new(&seed);
    const td_pattern p = pattern_of(s);
    td_fronts* A = td_fronts_new(&p);
    td_border* border = td_border_new(N, ROWS, s->row_ptr, s->col);
    double b[N + ROWS], z[N + ROWS];
    assert_int_equal(td_fronts_factor(A, s->values), TD_OK);
    assert_int_equal(td_border_factor(border, A, s->J1, s->J2, 1e-9), TD_OK);
    assert_int_equal(td_border_rank(border), ROWS);
    for (int i = 0; i < N + ROWS; i++) z[i] = b[i] = check_random(&seed);
    td_border_solve(border, z);
    double size = 1;
    for (int i = 0; i < N + ROWS; i++) size = fmax(size, fabs(z[i]));
    assert_true(defect(s, z, b) < 1e-12 * size);
    td_border_free(border);
    td_fronts_free(A);
    free(s);
  }
}

static void a_row_written_twice_counts_once(void** state) {
  (void)state;
  uint64_t seed = 5;
  sample* s = sample_new(&seed);
  const td_pattern p = pattern_of(s);
  const size_t row = 2 * SIZE;
  memcpy(s->col + row, s->col, row * sizeof(int));
  memcpy(s->J1 + row, s->J1, row * sizeof(double));
  memcpy(s->J2 + row, s->J2, row * sizeof(double));
  td_fronts* A = td_fronts_new(&p);
  td_border* border = td_border_new(N, ROWS, s->row_ptr, s->col);
  assert_int_equal(td_fronts_factor(A, s->values), TD_OK);
  assert_int_equal(td_border_factor(border, A, s->J1, s->J2, 1e-9), TD_OK);
  assert_int_equal(td_border_rank(border), ROWS - 1);
  td_border_free(border);
  td_fronts_free(A);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_hold_and_so_does_the_rest),
      cmocka_unit_test(a_row_written_twice_counts_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
