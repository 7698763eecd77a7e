// Large networks: the same bits from windows as from whole arrays, and from any number of threads.
#include "base/team.h"
#include "engine/sparse_engine.h"
#include "nets.h"

// A net of more than a thousand velocities on a two-link arm: trees of one, two and three hops, a
// given motion, beams, ropes and constraints, of which one is redundant.
static const char big_net[] =
    "world.g = [0 0 -9.81];\n"
    "body(1).m = 1; body(1).I = .01*eye(3); body(1).l_com = [.2 0 0];\n"
    "body(2).m = .5; body(2).I = .005*eye(3); body(2).l_com = [.1 0 .02];\n"
    "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 30;\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.4 0 0];\n"
    "joint(2).tr.rot = [2 inf];\n"
    "body(3).m = 1; joint(3).second = 3; joint(3).tr.trans = [inf 0 1];\n"
    "joint(3).dof(1).motion = .1*sin(3*t);\n"
    "joint(4).first = 2; joint(4).second = at(mesh(1), 40); joint(4).fixed = [1 1 1];\n"
    "joint(4).tr.trans = [.2 0 .3];\n"
    "joint(5).first = 2; joint(5).second = at(mesh(1), 40); joint(5).fixed = [1 0 0];\n"
    "joint(5).tr.trans = [.2 0 .3];\n"
    "mesh(1).grid = [19 19]; mesh(1).body.m = 1e-3;\n"
    "mesh(1).joint(2).spring.coeff = 400; mesh(1).joint(2).damp.visc = .01;\n"
    "mesh(1).joint(2).dir = 1;\n"
    "mesh(2).grid = [4 4]; mesh(2).body.m = 1e-3; mesh(2).body.I = 1e-7*eye(3);\n"
    "mesh(2).joint(1).tr.rot = [inf inf inf inf];\n"
    "mesh(2).joint(2).spring.coeff = [400 400 400 .01 .01 .01];\n"
    "mesh(2).joint(2).damp.visc = [.01 .01 .01 1e-5 1e-5 1e-5];\n";

// Everything that is assembled, one after the other.
typedef struct assembled {
  double* x;
  int n;
} assembled;

static assembled assemble(const robot* r) {
  const td_model* m = r->model;
  const td_pattern p = model_blocks(m);
  const int values = blocks_values(&p), rows = row_values(m), mass = mass_values(m);
  assembled a = {.n = 2 * values + 3 * rows + 2 * mass + m->nvel + m->nrow};
  double* at = a.x = calloc((size_t)a.n + 1, sizeof(double));
  assert_int_equal(td_forward_dynamics(m, r->state, r->work), TD_OK);
  memcpy(at, td_work_vdot(r->work), (size_t)m->nvel * sizeof(double));
  at += m->nvel;
  memcpy(at, td_work_lambda(r->work), (size_t)m->nrow * sizeof(double));
  at += m->nrow;
  td_sparse_tangent(m, r->work, td_work_vdot(r->work), td_work_lambda(r->work), at, at + values,
                    at + 2 * values);
  at += 2 * values + mass;
  td_sparse_mass(m, r->work, at);
  assert_memory_equal(at, at - mass, (size_t)mass * sizeof(double));
  td_sparse_rows(m, r->work, at + mass);
  at += mass + rows;
  td_sparse_row_tangent(m, r->work, td_work_vdot(r->work), at, at + rows);
  return a;
}

static robot big(const char* more, uint64_t seed) {
  char* text = malloc(sizeof big_net + strlen(more));
  sprintf(text, "%s%s", big_net, more);
  robot r = robot_load(text);
  free(text);
  assert_true(r.model->sparse && r.model->nvel > SPARSE_DENSE_LIMIT);
  robot_shake(&r, &seed, 0.01);
  return r;
}

static void every_number_of_threads_gives_the_same_bits(void** state) {
  (void)state;
  robot r = big("", 3);
  td_sparse_set_threads(r.model, r.work, 1);
  const assembled alone = assemble(&r);
  for (int threads = 2; threads <= 5; threads++) {
    td_sparse_set_threads(r.model, r.work, threads);
    assert_non_null(r.work->team);
    for (int again = 0; again < 3; again++) {
      const assembled a = assemble(&r);
      assert_memory_equal(a.x, alone.x, (size_t)a.n * sizeof(double));
      free(a.x);
    }
  }
  free(alone.x);
  robot_free(&r);
}

// A sensor makes the work keep everything.
static void windows_give_the_same_bits_as_whole_arrays(void** state) {
  (void)state;
  robot part = big("", 3);
  robot whole = big("sensor(1).name = 'a'; sensor(1).value = pos(body(2));\n", 3);
  assert_false(part.work->whole);
  assert_true(whole.work->whole);
  const assembled a = assemble(&part), b = assemble(&whole);
  assert_int_equal(a.n, b.n);
  assert_memory_equal(a.x, b.x, (size_t)a.n * sizeof(double));
  free(a.x);
  free(b.x);
  robot_free(&part);
  robot_free(&whole);
}

// Dense tangents of such networks are refused by name, mass matrices are right, whether the work
// holds windows or everything: F = M a + F(0).
static void dense_matrices_are_refused_or_right(void** state) {
  (void)state;
  for (int whole = 0; whole < 2; whole++) {
    robot r = big(whole ? "sensor(1).name = 'a'; sensor(1).value = pos(body(2));\n" : "", 3);
    assert_int_equal(r.work->whole, whole);
    const size_t n = (size_t)r.nv;
    double *M = calloc(n * n + 3 * n, sizeof(double)), *a = M + n * n, *F = a + n, *F0 = F + n;
    assert_int_equal(td_tangent(r.model, r.state, r.work, a, NULL, M, M), TD_E_USAGE);
    assert_non_null(strstr(r.work->failure, "has no dense tangents; up to 1000 do"));
    assert_int_equal(td_mass_matrix(r.model, r.state, r.work, M), TD_OK);
    assert_int_equal(td_residual(r.model, r.state, r.work, a, NULL, F0), TD_OK);
    for (size_t i = 0; i < n; i++) a[i] = cos((double)i);
    assert_int_equal(td_residual(r.model, r.state, r.work, a, NULL, F), TD_OK);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = 0; j < n; j++) sum += M[i * n + j] * a[j];
      CHECK_NEAR(F[i] - F0[i], sum, 1e-11);
    }
    free(M);
    robot_free(&r);
  }
}

// What the windows hold is a part of a hundredth of the whole.
static void large_networks_need_little_memory(void** state) {
  (void)state;
  robot part = big("", 3);
  robot whole = big("sensor(1).name = 'a'; sensor(1).value = pos(body(2));\n", 3);
  assert_true(td_sparse_window_hops(part.model) * 100 < part.model->nhop);
  assert_true(3 * td_work_bytes(part.model) < 2 * td_work_bytes(whole.model));
  robot_free(&part);
  robot_free(&whole);
}

// The mass matrix times the accelerations, and the forces and multipliers: F = 0.
static void accelerations_fulfil_the_equations_of_motion(void** state) {
  (void)state;
  robot r = big("", 3);
  double* F = calloc((size_t)r.nv, sizeof(double));
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  double *a = malloc((size_t)r.nv * sizeof(double)), lambda[8], size = 0;
  assert_in_range(r.model->nrow, 1, 8);
  memcpy(a, td_work_vdot(r.work), (size_t)r.nv * sizeof(double));
  memcpy(lambda, td_work_lambda(r.work), (size_t)r.model->nrow * sizeof(double));
  for (int i = 0; i < r.nv; i++) size = fmax(size, fabs(a[i]));
  td_residual(r.model, r.state, r.work, a, lambda, F);
  for (int i = 0; i < r.nv; i++)
    if (r.model->vel[i].motion == NUM_NONE) CHECK_NEAR(F[i], 0, 1e-10 * (1 + 1e-3 * size));
  free(F);
  free(a);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(windows_give_the_same_bits_as_whole_arrays),
      cmocka_unit_test(dense_matrices_are_refused_or_right),
      cmocka_unit_test(large_networks_need_little_memory),
      cmocka_unit_test(accelerations_fulfil_the_equations_of_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
