// Systems of a trunk with branches: they solve what the whole system is, and say when they cannot.
#include "check.h"
#include "math/arrow.h"

enum { n0 = 5, m0 = 2, nb = 3, n = 26, m = 12, nrhs = 70 };

// Unknowns and rows of the parts are scattered among the whole.
static const int sizes[nb + 1] = {n0, 8, 6, 7}, row_counts[nb + 1] = {m0, 4, 0, 6};
typedef struct problem {
  int x_at[nb + 2], x[n], row_at[nb + 2], row[m];
  double M[n * n], J[m * n], f[n * nrhs], g[m * nrhs], x_out[n * nrhs], l[m * nrhs];
  int part_of_x[n], part_of_row[m];
  arena scratch;
} problem;

static void parts(const int* size, int count, int step, int* at, int* list, int* of) {
  at[0] = 0;
  for (int i = 0, k = 0; i <= nb; i++) {
    for (int j = 0; j < size[i]; j++, k++) {
      list[k] = (step * k) % count;  // step and count have no common divisor
      of[list[k]] = i;
    }
    at[i + 1] = k;
  }
}

static bool together(int a, int b) { return a == b || a == 0 || b == 0; }

// M = Σ B'B of parts that are coupled: each branch with the trunk.  Massless: the last unknown of
// the first branch and the first of the trunk have no mass at all and are held by rows.
static void fill(problem* p, uint64_t* seed, bool massless) {
  parts(sizes, n, 7, p->x_at, p->x, p->part_of_x);
  parts(row_counts, m, 5, p->row_at, p->row, p->part_of_row);
  memset(p->M, 0, sizeof p->M);
  for (int b = 1; b <= nb; b++)
    for (int r = 0; r < n; r++) {
      double row[n];
      for (int j = 0; j < n; j++) {
        const int part = p->part_of_x[j];
        const bool light = massless && (j == p->x[p->x_at[2] - 1] || j == p->x[0]);
        row[j] = check_random(seed) * ((part == b || part == 0) && !light);
      }
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) p->M[i * n + j] += row[i] * row[j];
    }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const int of = p->part_of_row[i], part = p->part_of_x[j];
      p->J[i * n + j] = (of == 0 ? part == 0 : together(of, part)) * check_random(seed);
    }
  for (int i = 0; i < n * nrhs; i++) p->f[i] = check_random(seed);
  for (int i = 0; i < m * nrhs; i++) p->g[i] = check_random(seed);
}

static arrow_shape shape_of(const problem* p) {
  return (arrow_shape){n, m, nb, p->x_at, p->x, p->row_at, p->row};
}

static problem* problem_new(uint64_t* seed, bool massless) {
  problem* p = malloc(sizeof *p);
  fill(p, seed, massless);
  const arrow_shape shape = shape_of(p);
  p->scratch = (arena){.size = td_arrow_scratch(&shape)};
  p->scratch.base = malloc(p->scratch.size);
  return p;
}
static void problem_free(problem* p) {
  free(p->scratch.base);
  free(p);
}

// Largest |M x - J'l - f| and |J x - g|.
static double defect(const problem* p, int cols, const double* g) {
  double worst = 0;
  for (int c = 0; c < cols; c++) {
    for (int i = 0; i < n; i++) {
      double s = -p->f[i * cols + c];
      for (int j = 0; j < n; j++) s += p->M[i * n + j] * p->x_out[j * cols + c];
      for (int k = 0; k < m; k++) s -= p->J[k * n + i] * p->l[k * cols + c];
      worst = fmax(worst, fabs(s));
    }
    for (int k = 0; k < m; k++) {
      double s = g ? -g[k * cols + c] : 0;
      for (int j = 0; j < n; j++) s += p->J[k * n + j] * p->x_out[j * cols + c];
      worst = fmax(worst, fabs(s));
    }
  }
  return worst;
}

// Numbers of order one, some ten thousand products, and at most 1/FIRM lost.
static const double tolerance = 1e-10;

static void trunk_and_branches_solve_the_whole_system(void** state) {
  (void)state;
  uint64_t seed = 4;
  const int counts[] = {1, 3, nrhs};
  for (int trial = 0; trial < 20; trial++) {
    problem* p = problem_new(&seed, trial % 2 == 1);
    const arrow_shape shape = shape_of(p);
    td_arrow a;
    assert_true(td_arrow_factor(&a, &shape, p->M, p->J, NULL, 1e-9, &p->scratch));
    assert_int_equal(a.rank, m);
    for (int k = 0; k < 3; k++) {
      td_arrow_solve(&a, p->f, p->g, counts[k], p->x_out, p->l, &p->scratch);
      CHECK_NEAR(defect(p, counts[k], p->g), 0, tolerance);
      td_arrow_solve(&a, p->f, NULL, counts[k], p->x_out, p->l, &p->scratch);
      CHECK_NEAR(defect(p, counts[k], NULL), 0, tolerance);
    }
    problem_free(p);
  }
}

static void multipliers_need_not_be_asked_for_and_x_may_be_f(void** state) {
  (void)state;
  uint64_t seed = 5;
  problem* p = problem_new(&seed, false);
  const arrow_shape shape = shape_of(p);
  td_arrow a;
  assert_true(td_arrow_factor(&a, &shape, p->M, p->J, NULL, 1e-9, &p->scratch));
  td_arrow_solve(&a, p->f, p->g, 2, p->x_out, p->l, &p->scratch);
  td_arrow_solve(&a, p->f, p->g, 2, p->f, NULL, &p->scratch);
  assert_memory_equal(p->f, p->x_out, 2 * n * sizeof(double));
  problem_free(p);
}

// A row that a branch can hardly meet, two alike, and a branch without mass.
static void what_a_branch_cannot_hold_alone_is_refused(void** state) {
  (void)state;
  uint64_t seed = 6;
  for (int kind = 0; kind < 3; kind++) {
    problem* p = problem_new(&seed, false);
    const arrow_shape shape = shape_of(p);
    const int one = p->row[p->row_at[1]], two = p->row[p->row_at[1] + 1];
    for (int j = 0; j < n; j++) {
      const bool branch = p->part_of_x[j] == 1;
      if (kind == 0 && branch) p->J[one * n + j] *= 1e-6;
      if (kind == 1 && branch) p->J[one * n + j] = p->J[two * n + j] * (1 + 1e-7 * j);
      for (int i = 0; kind == 2 && branch && i < n; i++) p->M[i * n + j] = p->M[j * n + i] = 0;
    }
    td_arrow a;
    assert_false(td_arrow_factor(&a, &shape, p->M, p->J, NULL, 1e-9, &p->scratch));
    problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trunk_and_branches_solve_the_whole_system),
      cmocka_unit_test(multipliers_need_not_be_asked_for_and_x_may_be_f),
      cmocka_unit_test(what_a_branch_cannot_hold_alone_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
