// The constrained system: its own residual, redundant and empty rows, massless directions that
// constraints hold.
#include <malloc.h>

#include "check.h"
#include "math/dense.h"

enum { max_n = 100, max_m = 100, max_rhs = 130 };

// A random problem: J of `rank` independent rows and as many combinations of them as m asks for,
// some rows empty, M of full rank or short of it by the number of directions that J holds.
typedef struct problem {
  int n, m, rank, nrhs;
  double *M, *J, *f, *g, *x, *l;
  arena scratch;
} problem;

static double* random_array(int n, uint64_t* seed) {
  double* a = malloc(sizeof(double) * (size_t)(n + 1));
  for (int i = 0; i < n; i++) a[i] = check_random(seed);
  return a;
}

// M = B'B with B of n - missing rows
static double* random_mass(int n, int missing, uint64_t* seed) {
  double* B = random_array(n * n, seed);
  double* M = malloc(sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n - missing; k++) s += B[k * n + i] * B[k * n + j];
      M[i * n + j] = s + (i == j && missing == 0);
    }
  }
  free(B);
  return M;
}

static problem problem_new(int n, int m, int rank, int missing, int nrhs, uint64_t* seed) {
  problem p = {.n = n, .m = m, .rank = rank, .nrhs = nrhs};
  p.M = random_mass(n, missing, seed);
  p.J = random_array(m * n, seed);
  double* y = random_array(n * nrhs, seed);

  // rows past the rank: every third is empty, the others combine the first ones, in mixed units
  for (int i = rank; i < m; i++) {
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < rank && i % 3 != 0; k++) s += p.J[k * n + j] * cos(1 + i + k);
      p.J[i * n + j] = s * pow(10, i % 5 - 2);
    }
  }
  // consistent g = J y
  p.f = random_array(n * nrhs, seed);
  p.g = random_array(m * nrhs, seed);
  for (int i = 0; i < m; i++) {
    for (int c = 0; c < nrhs; c++) {
      p.g[i * nrhs + c] = 0;
      for (int j = 0; j < n; j++) p.g[i * nrhs + c] += p.J[i * n + j] * y[j * nrhs + c];
    }
  }
  free(y);
  p.x = random_array(n * nrhs, seed);
  p.l = random_array(m * nrhs, seed);
  p.scratch.size = td_kkt_scratch(n, m);
  p.scratch.base = malloc(p.scratch.size);
  return p;
}

static void problem_free(problem* p) {
  free(p->M), free(p->J), free(p->f), free(p->g), free(p->x), free(p->l), free(p->scratch.base);
}

// Largest residual of both block rows relative to the numbers that make it up
static double residual(const problem* p) {
  double worst = 0;
  for (int c = 0; c < p->nrhs; c++) {
    for (int i = 0; i < p->n; i++) {
      double s = -p->f[i * p->nrhs + c], size = fabs(s) + 1;
      for (int j = 0; j < p->n; j++) {
        const double term = p->M[i * p->n + j] * p->x[j * p->nrhs + c];
        s += term, size += fabs(term);
      }
      for (int k = 0; k < p->m; k++) {
        const double term = p->J[k * p->n + i] * p->l[k * p->nrhs + c];
        s -= term, size += fabs(term);
      }
      worst = fmax(worst, fabs(s) / size);
    }
    for (int k = 0; k < p->m; k++) {
      double s = -p->g[k * p->nrhs + c], size = fabs(s) + 1;
      for (int j = 0; j < p->n; j++) {
        const double term = p->J[k * p->n + j] * p->x[j * p->nrhs + c];
        s += term, size += fabs(term);
      }
      worst = fmax(worst, fabs(s) / size);
    }
  }
  return worst;
}

typedef struct shape {
  int n, m, rank, missing;
} shape;
static const shape shapes[] = {
    {1, 0, 0, 0},    {1, 1, 1, 1},     {3, 0, 0, 0},     {6, 3, 3, 0},      {6, 5, 3, 0},
    {6, 6, 6, 6},    {10, 12, 4, 0},   {12, 5, 5, 5},    {20, 10, 7, 6},    {40, 0, 0, 0},
    {63, 30, 30, 0}, {64, 70, 60, 40}, {100, 10, 10, 8}, {100, 60, 50, 20}, {100, 100, 99, 0},
};
enum { nshape = sizeof shapes / sizeof shapes[0] };

static void test_the_full_system_is_solved(void** state) {
  (void)state;
  uint64_t seed = 11;
  for (int s = 0; s < nshape; s++) {
    for (int nrhs = 1; nrhs <= max_rhs; nrhs += 129) {
      problem p =
          problem_new(shapes[s].n, shapes[s].m, shapes[s].rank, shapes[s].missing, nrhs, &seed);
      td_kkt kkt;
      td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
      assert_int_equal(kkt.rank, shapes[s].rank);
      assert_int_equal(kkt.singular, 0);
      assert_null(kkt.null_vector);
      td_kkt_solve(&kkt, p.f, p.g, nrhs, p.x, p.l, &p.scratch);
      CHECK_NEAR(residual(&p), 0, 1e-12);
      problem_free(&p);
    }
  }
}

// l has no part in the null space of J', that is, it lies in the range of J: l = J w for the
// least-squares w
static void test_redundant_multipliers_have_minimum_norm(void** state) {
  (void)state;
  uint64_t seed = 12;
  for (int s = 0; s < nshape; s++) {
    if (shapes[s].m == shapes[s].rank) continue;
    problem p = problem_new(shapes[s].n, shapes[s].m, shapes[s].rank, shapes[s].missing, 1, &seed);
    td_kkt kkt;
    td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
    td_kkt_solve(&kkt, p.f, p.g, 1, p.x, p.l, &p.scratch);

    double w[max_n], size = 0;
    assert_true(td_least_squares(p.J, p.m, p.n, 1e-10, p.l, w));
    for (int i = 0; i < p.m; i++) size = fmax(size, fabs(p.l[i]));
    for (int i = 0; i < p.m; i++) {
      double left = p.l[i];
      for (int j = 0; j < p.n; j++) left -= p.J[i * p.n + j] * w[j];
      CHECK_NEAR(left / size, 0, 1e-9);  // the rows differ by 1e4 in size
    }
    problem_free(&p);
  }
}

// What a sum of large terms leaves where nothing moves: it must not be taken for a direction.
static void test_rounding_of_a_row_is_no_row(void** state) {
  (void)state;
  uint64_t seed = 19;
  problem p = problem_new(20, 5, 5, 0, 1, &seed);
  td_kkt kkt;
  for (int j = 0; j < p.n; j++) p.J[2 * p.n + j] *= 1e-15;
  p.g[2] = 1e-16;
  td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
  assert_int_equal(kkt.rank, 4);
  td_kkt_solve(&kkt, p.f, p.g, 1, p.x, p.l, &p.scratch);
  assert_true(p.l[2] == 0);
  CHECK_NEAR(residual(&p), 0, 1e-12);
  problem_free(&p);
}

static void test_zero_right_hand_sides_and_unwanted_multipliers_may_be_left_out(void** state) {
  (void)state;
  uint64_t seed = 13;
  problem p = problem_new(20, 8, 5, 3, 4, &seed);
  td_kkt kkt;
  td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
  memset(p.g, 0, sizeof(double) * (size_t)(p.m * p.nrhs));
  td_kkt_solve(&kkt, p.f, NULL, p.nrhs, p.x, p.l, &p.scratch);
  CHECK_NEAR(residual(&p), 0, 1e-12);

  double x[20 * 4];
  td_kkt_solve(&kkt, p.f, p.g, p.nrhs, x, NULL, &p.scratch);
  for (int i = 0; i < 20 * 4; i++) CHECK_NEAR(x[i], p.x[i], 1e-14);
  td_kkt_solve(&kkt, p.f, p.g, p.nrhs, p.f, NULL, &p.scratch);  // in place
  for (int i = 0; i < 20 * 4; i++) CHECK_NEAR(x[i], p.f[i], 1e-14);
  problem_free(&p);
}

static void test_only_the_lower_triangle_of_the_mass_is_read(void** state) {
  (void)state;
  uint64_t seed = 14;
  problem p = problem_new(9, 3, 3, 0, 1, &seed);
  td_kkt kkt;
  td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
  td_kkt_solve(&kkt, p.f, p.g, 1, p.x, p.l, &p.scratch);
  double x[9];
  memcpy(x, p.x, sizeof x);
  for (int i = 0; i < 9; i++)
    for (int j = i + 1; j < 9; j++) p.M[i * 9 + j] = NAN;
  arena_close(&p.scratch, 0);
  td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
  td_kkt_solve(&kkt, p.f, p.g, 1, p.x, p.l, &p.scratch);
  for (int i = 0; i < 9; i++) assert_true(x[i] == p.x[i]);
  problem_free(&p);
}

static void test_the_null_space_is_orthonormal_and_allowed(void** state) {
  (void)state;
  uint64_t seed = 15;
  for (int s = 0; s < nshape; s++) {
    problem p = problem_new(shapes[s].n, shapes[s].m, shapes[s].rank, shapes[s].missing, 1, &seed);
    td_kkt kkt;
    td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
    const int n = p.n, k = n - kkt.rank;
    double* Z = malloc(sizeof(double) * (size_t)(n * k + 1));
    td_kkt_null_space(&kkt, Z);
    for (int a = 0; a < k; a++) {
      for (int b = 0; b < k; b++) {
        double s2 = 0;
        for (int i = 0; i < n; i++) s2 += Z[i * k + a] * Z[i * k + b];
        CHECK_NEAR(s2, a == b, 1e-13);
      }
      for (int i = 0; i < p.m; i++) {
        double s2 = 0, size = 1;
        for (int j = 0; j < n; j++)
          s2 += p.J[i * n + j] * Z[j * k + a], size += fabs(p.J[i * n + j]);
        CHECK_NEAR(s2 / size, 0, 1e-13);
      }
    }
    free(Z);
    problem_free(&p);
  }
}

// Take the inertia along a random direction w away, M - (M w)(M w)'/(w'M w), and make the
// constraints allow w
static void remove_inertia(problem* p, uint64_t* seed) {
  const int n = p->n;
  double *w = random_array(n, seed), *Mw = random_array(n, seed), wMw = 0, ww = 0;
  for (int i = 0; i < n; i++) {
    Mw[i] = 0;
    for (int j = 0; j < n; j++) Mw[i] += p->M[i * n + j] * w[j];
    wMw += w[i] * Mw[i], ww += w[i] * w[i];
  }
  for (int i = 0; i < n * n; i++) p->M[i] -= Mw[i / n] * Mw[i % n] / wMw;
  for (int i = 0; i < p->m; i++) {
    double along = 0;
    for (int j = 0; j < n; j++) along += p->J[i * n + j] * w[j];
    for (int j = 0; j < n; j++) p->J[i * n + j] -= along / ww * w[j];
  }
  free(w), free(Mw);
}

static void test_a_massless_direction_that_nothing_holds_is_found(void** state) {
  (void)state;
  uint64_t seed = 16;
  for (int n = 6; n <= 96; n += 30) {
    const int m = n / 3;
    problem p = problem_new(n, m, m, 0, 1, &seed);
    remove_inertia(&p, &seed);
    td_kkt kkt;
    td_kkt_factor(&kkt, p.M, p.J, n, m, NULL, 1e-9, &p.scratch);
    assert_int_equal(kkt.singular, 1);
    assert_true(kkt.smallest == 0);
    assert_non_null(kkt.null_vector);

    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(kkt.null_vector[i]));
    assert_true(size > 0);
    // J u = 0 and u'M u = 0
    double energy = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        energy += p.M[i * n + j] * kkt.null_vector[i] * kkt.null_vector[j];
    CHECK_NEAR(energy / (size * size), 0, 1e-11);
    for (int i = 0; i < m; i++) {
      double s = 0;
      for (int j = 0; j < n; j++) s += p.J[i * n + j] * kkt.null_vector[j];
      CHECK_NEAR(s / size, 0, 1e-12);
    }
    td_kkt_solve(&kkt, p.f, p.g, 1, p.x, p.l, &p.scratch);
    assert_true(isnan(p.x[0]) && isnan(p.l[0]));
    problem_free(&p);
  }
}

static void test_numbers_that_are_not_finite_make_it_singular(void** state) {
  (void)state;
  uint64_t seed = 18;
  for (int which = 0; which < 2; which++) {
    problem p = problem_new(8, 3, 3, 0, 1, &seed);
    if (which)
      p.M[8 * 4 + 2] = NAN;
    else
      p.J[5] = INFINITY;
    td_kkt kkt;
    td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
    assert_int_equal(kkt.singular, 1);
    assert_non_null(kkt.null_vector);
    td_kkt_solve(&kkt, p.f, p.g, 1, p.x, p.l, &p.scratch);
    assert_true(isnan(p.x[7]) && isnan(p.l[2]));
    problem_free(&p);
  }
}

static void test_rows_of_any_size_count(void** state) {
  (void)state;
  const double M[] = {1, 0, 0, 1}, J[] = {1e-200, 0, 0, 3e200}, f[] = {0, 0}, g[] = {2e-200, 3e200};
  arena scratch = {.size = td_kkt_scratch(2, 2)};
  scratch.base = malloc(scratch.size);
  td_kkt kkt;
  double x[2], l[2];
  td_kkt_factor(&kkt, M, J, 2, 2, NULL, 1e-9, &scratch);
  assert_int_equal(kkt.rank, 2);
  td_kkt_solve(&kkt, f, g, 1, x, l, &scratch);
  CHECK_NEAR(x[0], 2, 1e-15);
  CHECK_NEAR(x[1], 1, 1e-15);
  CHECK_NEAR(l[0] * 1e-200, 2, 1e-15);
  free(scratch.base);
}

static void test_solving_does_not_allocate(void** state) {
  (void)state;
  uint64_t seed = 17;
  problem p = problem_new(100, 60, 50, 20, 130, &seed);
  for (int pass = 0; pass < 2; pass++) {
    const struct mallinfo2 before = mallinfo2();
    td_kkt kkt;
    arena_close(&p.scratch, 0);
    td_kkt_factor(&kkt, p.M, p.J, p.n, p.m, NULL, 1e-9, &p.scratch);
    td_kkt_solve(&kkt, p.f, p.g, p.nrhs, p.x, p.l, &p.scratch);
    const struct mallinfo2 after = mallinfo2();
    if (pass == 0) continue;  // the BLAS sets itself up once
    assert_int_equal(before.uordblks, after.uordblks);
    assert_int_equal(before.hblks, after.hblks);
  }
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_full_system_is_solved),
      cmocka_unit_test(test_redundant_multipliers_have_minimum_norm),
      cmocka_unit_test(test_rounding_of_a_row_is_no_row),
      cmocka_unit_test(test_zero_right_hand_sides_and_unwanted_multipliers_may_be_left_out),
      cmocka_unit_test(test_only_the_lower_triangle_of_the_mass_is_read),
      cmocka_unit_test(test_the_null_space_is_orthonormal_and_allowed),
      cmocka_unit_test(test_a_massless_direction_that_nothing_holds_is_found),
      cmocka_unit_test(test_numbers_that_are_not_finite_make_it_singular),
      cmocka_unit_test(test_rows_of_any_size_count),
      cmocka_unit_test(test_solving_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
