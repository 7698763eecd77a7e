// Block matrices: products, the multifrontal factors and KLU's, ARPACK, against dense LAPACK.
#include "check.h"
#include "math/arpack.h"
#include "math/dense.h"
#include "math/fronts.h"
#include "math/sparse.h"

enum { MOST = 60 };

// A random matrix of blocks of different sizes with a symmetric pattern, and its dense copy.
typedef struct sample {
  td_pattern b;
  int at[MOST + 1], ptr[MOST + 1], row[MOST * MOST], offset[MOST * MOST], base[MOST + 1];
  double *values, *dense;  // dense: row-major
  int n;
} sample;

static bool linked[MOST][MOST];

// Graph: 0 a ring, 1 a grid, 2 a star, 3 two parts, 4 random.
static void draw_graph(int n, int kind, uint64_t* seed) {
  memset(linked, 0, sizeof linked);
  for (int i = 0; i < n; i++) {
    linked[i][i] = true;
    const int side = 6, ring = (i + 1) % n;
    if (kind == 0) linked[i][ring] = linked[ring][i] = true;
    if (kind == 1 && i % side) linked[i][i - 1] = linked[i - 1][i] = true;
    if (kind == 1 && i >= side) linked[i][i - side] = linked[i - side][i] = true;
    if (kind == 2) linked[0][i] = linked[i][0] = true;
    if (kind == 3 && i >= 2) linked[i][i - 2] = linked[i - 2][i] = true;
    for (int j = 0; kind == 4 && j < i; j++)
      if (check_random(seed) > 0.8) linked[i][j] = linked[j][i] = true;
  }
}

static sample* sample_new(int n, int kind, bool symmetric, uint64_t* seed) {
  sample* s = calloc(1, sizeof *s);
  draw_graph(n, kind, seed);
  for (int i = 0; i < n; i++) s->at[i + 1] = s->at[i] + 1 + (int)(2.99 * fabs(check_random(seed)));
  s->n = s->at[n];
  for (int J = 0, k = 0; J < n; J++) {
    int height = 0;
    for (int I = 0; I < n; I++)
      if (linked[I][J]) {
        s->row[k] = I;
        s->offset[k++] = height;
        height += s->at[I + 1] - s->at[I];
      }
    s->ptr[J + 1] = k;
    s->base[J + 1] = s->base[J] + height * (s->at[J + 1] - s->at[J]);
  }
  s->b = (td_pattern){n, s->at, s->ptr, s->row, s->offset, s->base};
  s->values = calloc((size_t)s->base[n], sizeof(double));
  s->dense = calloc((size_t)(s->n * s->n), sizeof(double));
  for (int J = 0; J < n; J++)
    for (int k = s->ptr[J]; k < s->ptr[J + 1]; k++)
      for (int j = s->at[J]; j < s->at[J + 1]; j++)
        for (int i = s->at[s->row[k]]; i < s->at[s->row[k] + 1]; i++) {
          double* x = &s->dense[i * s->n + j];
          if (!symmetric || i >= j) *x = check_random(seed) + 8 * (i == j);
          if (symmetric && i > j) s->dense[j * s->n + i] = *x;
          s->values[s->base[J] + block_height(&s->b, J) * (j - s->at[J]) + s->offset[k] + i -
                    s->at[s->row[k]]] = *x;
        }
  return s;
}

static void sample_free(sample* s) {
  free(s->values);
  free(s->dense);
  free(s);
}

static void solve_dense(const sample* s, double* x) {
  double* A = malloc((size_t)(s->n * s->n) * sizeof(double));
  int* pivot = malloc((size_t)s->n * sizeof(int));
  memcpy(A, s->dense, (size_t)(s->n * s->n) * sizeof(double));
  assert_int_equal(td_lu(A, s->n, pivot), 0);
  td_lu_solve(A, pivot, s->n, x, 1);
  free(A);
  free(pivot);
}

// y += A'x, a dot product for each column
static void multiply_transposed(const td_pattern* b, const double* A, const double* x, double* y) {
  for (int J = 0; J < b->nblock; J++) {
    const int height = block_height(b, J);
    for (int j = b->at[J]; j < b->at[J + 1]; j++) {
      const double* column = A + b->base[J] + height * (j - b->at[J]);
      double sum = 0;
      for (int k = b->ptr[J]; k < b->ptr[J + 1]; k++) {
        const int I = b->row[k], first = b->at[I], n = b->at[I + 1] - first;
        for (int i = 0; i < n; i++) sum += column[b->offset[k] + i] * x[first + i];
      }
      y[j] += sum;
    }
  }
}

static void products_are_those_of_the_dense_matrix(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int kind = 0; kind < 5; kind++) {
    sample* s = sample_new(20, kind, false, &seed);
    double x[3 * MOST], y[3 * MOST] = {0}, z[3 * MOST] = {0}, want[3 * MOST];
    for (int i = 0; i < s->n; i++) x[i] = check_random(&seed);
    td_pattern_mul(&s->b, s->values, x, y);
    td_mul(s->dense, x, s->n, s->n, 1, want);
    for (int i = 0; i < s->n; i++) CHECK_NEAR(y[i], want[i], 1e-13);
    multiply_transposed(&s->b, s->values, x, z);
    td_mul_tn(s->dense, x, s->n, s->n, 1, want);
    for (int i = 0; i < s->n; i++) CHECK_NEAR(z[i], want[i], 1e-13);
    sample_free(s);
  }
}

static void fronts_and_klu_solve_what_lapack_solves(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int trial = 0; trial < 60; trial++) {
    const int n = trial % 12 == 0 ? 1 : 2 + trial % 40;
    sample* s = sample_new(n, trial % 5, trial % 2, &seed);
    td_fronts* f = td_fronts_new(&s->b);
    assert_non_null(f);
    // KLU sees the scalars of the same columns
    int *ptr = calloc((size_t)s->n + 1, sizeof(int)),
        *row = malloc((size_t)s->base[n] * sizeof(int));
    for (int J = 0, k = 0; J < n; J++)
      for (int j = s->at[J]; j < s->at[J + 1]; j++) {
        for (int e = s->ptr[J]; e < s->ptr[J + 1]; e++)
          for (int i = s->at[s->row[e]]; i < s->at[s->row[e] + 1]; i++) row[k++] = i;
        ptr[j + 1] = k;
      }
    td_sparse_lu* lu = td_sparse_lu_new(s->n, ptr, row);
    assert_non_null(lu);
    for (int again = 0; again < 2; again++) {  // other numbers in the same pattern
      double x[3 * MOST], y[3 * MOST], want[3 * MOST];
      for (int i = 0; i < s->n; i++) x[i] = y[i] = want[i] = check_random(&seed);
      solve_dense(s, want);
      assert_int_equal(td_fronts_factor(f, s->values), TD_OK);
      td_fronts_solve(f, x);
      assert_int_equal(td_sparse_lu_factor(lu, s->values), TD_OK);
      td_sparse_lu_solve(lu, y, 1);
      for (int i = 0; i < s->n; i++) CHECK_NEAR(x[i], want[i], 1e-10);
      for (int i = 0; i < s->n; i++) CHECK_NEAR(y[i], want[i], 1e-10);
      for (int i = 0; i < s->base[n]; i++) s->values[i] *= 0.5;
      for (int i = 0; i < s->n * s->n; i++) s->dense[i] *= 0.5;
    }
    assert_true(td_fronts_bytes(f) > 0 && td_sparse_lu_bytes(lu) > 0);
    td_fronts_free(f);
    td_sparse_lu_free(lu);
    free(ptr);
    free(row);
    sample_free(s);
  }
}

// Rows are exchanged within a front only: zero diagonals elsewhere are refused, not used.
static void fronts_tell_when_they_do_not_serve(void** state) {
  (void)state;
  const int at[] = {0, 1, 2, 3}, ptr[] = {0, 2, 4, 5}, row[] = {0, 1, 0, 1, 2},
            offset[] = {0, 1, 0, 1, 0}, base[] = {0, 2, 4, 5};
  const td_pattern b = {3, at, ptr, row, offset, base};
  td_fronts* f = td_fronts_new(&b);
  const double singular[] = {1, 1, 1, 1, 1}, lost[] = {1, 2, 3, 4, 0}, good[] = {4, 1, 1, 3, 2};
  assert_int_equal(td_fronts_factor(f, singular), TD_E_SINGULAR);
  assert_int_equal(td_fronts_factor(f, lost), TD_E_SINGULAR);
  assert_int_equal(td_fronts_factor(f, good), TD_OK);
  double x[] = {5, 4, 2};
  td_fronts_solve(f, x);
  for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], 1, 1e-14);
  td_fronts_free(f);
}

// Signs of diagonal pivots are the signs of the eigenvalues (Sylvester).
static void klu_counts_negative_eigenvalues(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int trial = 0; trial < 20; trial++) {
    const int n = 6;
    double A[36], w[6], V[36], one[36] = {0}, x[36];
    int ptr[7], row[36], negative = 0, counted = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = check_random(&seed);
    for (int i = 0; i < n; i++) one[i * n + i] = 1;
    for (int k = 0; k < n * n; k++) {
      x[k] = A[k];
      row[k] = k % n;
    }
    for (int j = 0; j <= n; j++) ptr[j] = j * n;
    td_sparse_lu* lu = td_sparse_lu_new(n, ptr, row);
    td_sparse_lu_diagonal(lu, true);
    assert_int_equal(td_sparse_lu_factor(lu, x), TD_OK);
    assert_true(td_eig_symmetric(A, one, n, w, V));
    for (int i = 0; i < n; i++) {
      negative += w[i] < 0;
      counted += td_sparse_lu_pivot(lu, i) < 0;
    }
    assert_int_equal(counted, negative);
    td_sparse_lu_free(lu);
  }
}

static void klu_names_the_column_without_a_pivot(void** state) {
  (void)state;
  const int ptr[] = {0, 1, 2, 3}, row[] = {0, 1, 2};
  const double x[] = {1, 0, 2};
  td_sparse_lu* lu = td_sparse_lu_new(3, ptr, row);
  assert_int_equal(td_sparse_lu_factor(lu, x), TD_E_SINGULAR);
  assert_int_equal(td_sparse_lu_bad(lu), 1);
  td_sparse_lu_free(lu);
}

// Inverse of -u'' on n points; eigenvalues 2 - 2 cos(k pi / (n + 1)) by the Thomas algorithm.
static void poisson(void* ctx, const double* f, double* x) {
  const int n = *(int*)ctx;
  double c[400];
  for (int i = 0; i < n; i++) {
    const double d = 2 - (i > 0 ? c[i - 1] : 0);
    c[i] = 1 / d;
    x[i] = (f[i] + (i > 0 ? x[i - 1] : 0)) / d;
  }
  for (int i = n - 2; i >= 0; i--) x[i] += c[i] * x[i + 1];
}

static void arpack_finds_the_lowest_eigenvalues(void** state) {
  (void)state;
  int n = 400, found;
  double start[400], w[6], V[6 * 400];
  const td_operator op = {&n, n, poisson, NULL};
  for (int i = 0; i < n; i++) start[i] = 1 + 0.1 * sin(i);
  assert_int_equal(td_arpack_symmetric(&op, 6, start, w, V, &found), TD_OK);
  assert_int_equal(found, 6);
  for (int k = 0; k < 6; k++)
    CHECK_NEAR(w[k] / (2 - 2 * cos((k + 1) * 3.14159265358979323846 / (n + 1))), 1, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_the_dense_matrix),
      cmocka_unit_test(fronts_and_klu_solve_what_lapack_solves),
      cmocka_unit_test(fronts_tell_when_they_do_not_serve),
      cmocka_unit_test(klu_counts_negative_eigenvalues),
      cmocka_unit_test(klu_names_the_column_without_a_pivot),
      cmocka_unit_test(arpack_finds_the_lowest_eigenvalues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
