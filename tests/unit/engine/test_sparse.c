// The sparse path against the dense one on the same models: they share the element formulas and
// nothing of what puts them together.
#include "engine/sparse_engine.h"
#include "nets.h"

enum { MODELS = ROBOT_COUNT + NET_COUNT };

static const char* text_of(int i) {
  return i < ROBOT_COUNT ? robot_texts[i] : net_texts[i - ROBOT_COUNT];
}
static const char* name_of(int i) {
  return i < ROBOT_COUNT ? robot_names[i] : net_names[i - ROBOT_COUNT];
}

static robot load_with(const char* text, const char* linear) {
  char* whole = malloc(strlen(text) + 64);
  sprintf(whole, "%spar.linear = '%s';\n", text, linear);
  const robot r = robot_load(whole);
  free(whole);
  return r;
}

typedef struct twins {
  robot dense, sparse;
  uint64_t seed;
  const char* name;
} twins;

static twins twins_load(int i) {
  twins t = {load_with(text_of(i), "dense"), load_with(text_of(i), "sparse"), 7, name_of(i)};
  assert_false(t.dense.model->sparse);
  assert_true(t.sparse.model->sparse);
  return t;
}

static void twins_shake(twins* t) {
  robot_shake(&t->dense, &t->seed, 0.1);
  td_state_copy(t->dense.model, t->dense.state, t->sparse.state);
}

static void twins_free(twins* t) {
  robot_free(&t->dense);
  robot_free(&t->sparse);
}

static double* zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// Relative to the largest number: 1e-10 of what the sums are made of is far above rounding.
static void same(const char* name, const char* what, const double* got, const double* want, int n,
                 double tol) {
  double error = 0, size = 1e-3;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    size = fmax(size, fabs(want[i]));
    if (!isfinite(got[i])) error = INFINITY;
  }
  if (!(error <= tol * size)) {
    print_error("%s: %s differs by %g of %g\n", name, what, error, size);
    fail();
  }
}

// Entry by entry into a dense matrix in the order of the velocities.
static void expand(const td_model* m, const double* values, double* A) {
  const td_pattern p = model_blocks(m);
  for (int J = 0; J < p.nblock; J++)
    for (int j = p.at[J]; j < p.at[J + 1]; j++) {
      const double* column = values + p.base[J] + block_height(&p, J) * (j - p.at[J]);
      for (int k = p.ptr[J]; k < p.ptr[J + 1]; k++)
        for (int i = p.at[p.row[k]]; i < p.at[p.row[k] + 1]; i++)
          A[m->index_v[i] * m->nvel + m->index_v[j]] = *column++;
    }
}

static void expand_rows(const td_model* m, const double* values, double* J) {
  for (int r = 0; r < m->nrow; r++)
    for (int k = m->row_block_at[r]; k < m->row_block_at[r + 1]; k++)
      for (int i = m->block_at[m->row_block[k]]; i < m->block_at[m->row_block[k] + 1]; i++)
        J[r * m->nvel + m->index_v[i]] = *values++;
}

static void mass_matrices_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    twins t = twins_load(i);
    const td_model* m = t.sparse.model;
    const int n = t.dense.nv;
    double *want = zeros(n * n), *got = zeros(n * n), *M = zeros(mass_values(m));
    twins_shake(&t);
    td_mass_matrix(t.dense.model, t.dense.state, t.dense.work, want);
    td_enter(m, t.sparse.state, t.sparse.work);
    td_sparse_mass(m, t.sparse.work, M);
    for (int b = 0; b < m->nblock_at - 1; b++) {
      const int first = m->block_at[b], size = m->block_at[b + 1] - first;
      for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++)
          got[m->index_v[first + r] * n + m->index_v[first + c]] =
              M[m->mass_base[b] + r * size + c];
    }
    same(t.name, "M", got, want, n * n, 1e-12);
    twins_free(&t);
    free(want);
    free(got);
    free(M);
  }
}

static void tangents_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    twins t = twins_load(i);
    const td_model* m = t.sparse.model;
    const td_pattern p = model_blocks(m);
    const int n = t.dense.nv, r = t.dense.nrow;
    double *want_q = zeros(n * n), *want_v = zeros(n * n), *got = zeros(n * n);
    double *K = zeros(blocks_values(&p)), *C = zeros(blocks_values(&p));
    double *a = zeros(n), *l = zeros(r);
    for (int shake = 0; shake < 3; shake++) {
      twins_shake(&t);
      for (int k = 0; k < n; k++) a[k] = check_random(&t.seed);
      for (int k = 0; k < r; k++) l[k] = check_random(&t.seed);
      td_tangent(t.dense.model, t.dense.state, t.dense.work, a, l, want_q, want_v);
      td_enter(m, t.sparse.state, t.sparse.work);
      td_forces(m, t.sparse.work, FORCES_ALL);
      td_sparse_tangent(m, t.sparse.work, a, l, K, C, NULL);
      memset(got, 0, (size_t)(n * n) * sizeof(double));
      expand(m, K, got);
      same(t.name, "dF/dq", got, want_q, n * n, 1e-12);
      expand(m, C, got);
      same(t.name, "dF/dv", got, want_v, n * n, 1e-12);
    }
    twins_free(&t);
    free(want_q);
    free(want_v);
    free(got);
    free(K);
    free(C);
    free(a);
    free(l);
  }
}

static void constraint_rows_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    twins t = twins_load(i);
    const td_model* m = t.sparse.model;
    const int n = t.dense.nv, r = t.dense.nrow;
    double *want = zeros(r * n), *want_v = zeros(r * n), *got = zeros(r * n), *a = zeros(n);
    double *J = zeros(row_values(m)), *Gv = zeros(row_values(m));
    twins_shake(&t);
    for (int k = 0; k < n; k++) a[k] = check_random(&t.seed);
    td_constraints(t.dense.model, t.dense.state, t.dense.work, want, NULL, NULL);
    td_enter(m, t.sparse.state, t.sparse.work);
    td_sparse_rows(m, t.sparse.work, J);
    expand_rows(m, J, got);
    same(t.name, "J", got, want, r * n, 1e-12);
    td_constraint_tangent(t.dense.model, t.dense.state, t.dense.work, a, want, want_v);
    td_sparse_row_tangent(m, t.sparse.work, a, J, Gv);
    expand_rows(m, J, got);
    same(t.name, "dG/dq", got, want, r * n, 1e-12);
    expand_rows(m, Gv, got);
    same(t.name, "dG/dv", got, want_v, r * n, 1e-12);
    twins_free(&t);
    free(want);
    free(want_v);
    free(got);
    free(J);
    free(Gv);
    free(a);
  }
}

static void accelerations_and_multipliers_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    twins t = twins_load(i);
    for (int shake = 0; shake < 4; shake++) {
      twins_shake(&t);
      if (shake == 3) {  // on the constraints
        assert_int_equal(td_project_q(t.dense.model, t.dense.state, t.dense.work, 1e-12), TD_OK);
        assert_int_equal(td_project_v(t.dense.model, t.dense.state, t.dense.work), TD_OK);
        td_state_copy(t.dense.model, t.dense.state, t.sparse.state);
      } else if (i >= ROBOT_COUNT && t.dense.nrow > 0) {
        continue;  // beside them redundant rows contradict each other
      }
      assert_int_equal(td_forward_dynamics(t.dense.model, t.dense.state, t.dense.work), TD_OK);
      assert_int_equal(td_forward_dynamics(t.sparse.model, t.sparse.state, t.sparse.work), TD_OK);
      same(t.name, "v'", t.sparse.work->vdot, t.dense.work->vdot, t.dense.nv, 1e-10);
      // where rows are redundant the small corner of the matrix magnifies rounding
      const double tol = td_work_flags(t.dense.work).lambda_not_unique ? 1e-8 : 1e-10;
      same(t.name, "lambda", t.sparse.work->lambda, t.dense.work->lambda, t.dense.nrow, tol);
      assert_int_equal(td_work_flags(t.sparse.work).constraint_rank,
                       td_work_flags(t.dense.work).constraint_rank);
      same(t.name, "power", (double[]){td_power(t.sparse.model, t.sparse.state, t.sparse.work)},
           (double[]){td_power(t.dense.model, t.dense.state, t.dense.work)}, 1, 1e-9);
    }
    twins_free(&t);
  }
}

static void linearised_accelerations_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    twins t = twins_load(i);
    const int n = t.dense.nv, nu = t.dense.nu;
    double* A[2][3];
    for (int k = 0; k < 6; k++) A[k / 3][k % 3] = zeros(n * (k % 3 == 2 ? nu : n));
    twins_shake(&t);
    assert_int_equal(td_project_q(t.dense.model, t.dense.state, t.dense.work, 1e-12), TD_OK);
    td_project_v(t.dense.model, t.dense.state, t.dense.work);
    td_state_copy(t.dense.model, t.dense.state, t.sparse.state);
    assert_int_equal(
        td_forward_tangent(t.dense.model, t.dense.state, t.dense.work, A[0][0], A[0][1], A[0][2]),
        TD_OK);
    assert_int_equal(td_forward_tangent(t.sparse.model, t.sparse.state, t.sparse.work, A[1][0],
                                        A[1][1], A[1][2]),
                     TD_OK);
    same(t.name, "dv'/dq", A[1][0], A[0][0], n * n, 1e-9);
    same(t.name, "dv'/dv", A[1][1], A[0][1], n * n, 1e-9);
    same(t.name, "dv'/du", A[1][2], A[0][2], n * nu, 1e-9);
    for (int k = 0; k < 6; k++) free(A[k / 3][k % 3]);
    twins_free(&t);
  }
}

static void projections_agree(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    if (has_cables(text_of(i))) continue;
    twins t = twins_load(i);
    twins_shake(&t);
    robot* r[2] = {&t.dense, &t.sparse};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(td_project_q(r[k]->model, r[k]->state, r[k]->work, 1e-12), TD_OK);
      assert_int_equal(td_project_v(r[k]->model, r[k]->state, r[k]->work), TD_OK);
    }
    same(t.name, "projected q", t.sparse.state->q, t.dense.state->q, t.dense.nq, 1e-10);
    same(t.name, "projected v", t.sparse.state->v, t.dense.state->v, t.dense.nv, 1e-10);
    twins_free(&t);
  }
}

static void a_net_is_recognised_and_an_arm_is_not(void** state) {
  (void)state;
  robot net = robot_load(
      "n = 60; for k = 1:n, body(k).m = 1; joint(k).second = k; joint(k).tr.trans = [inf inf "
      "inf];\n"
      "joint(k).dof(1).init = k; end\n"
      "for k = 1:n-1, joint(n+k).first = k; joint(n+k).second = k+1; joint(n+k).spring.coeff = 1; "
      "end");
  assert_true(net.model->sparse);
  robot_free(&net);
  robot arm = robot_load(robot_tree);
  assert_false(arm.model->sparse);
  robot_free(&arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_matrices_agree),
      cmocka_unit_test(tangents_agree),
      cmocka_unit_test(constraint_rows_agree),
      cmocka_unit_test(accelerations_and_multipliers_agree),
      cmocka_unit_test(linearised_accelerations_agree),
      cmocka_unit_test(projections_agree),
      cmocka_unit_test(a_net_is_recognised_and_an_arm_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
