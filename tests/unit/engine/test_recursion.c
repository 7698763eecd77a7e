// The recursions against each other and against what does not depend on how they are done: the
// articulated-body v' is the dense solution, inverse dynamics inverts forward dynamics, and no
// answer knows which way the world is turned.
#include "math/dense.h"
#include "robots.h"

// Rounding of about n operations on numbers of order one, times the condition of M (up to 1e4 for
// these robots).
#define TIGHT 1e-10

// ---- random trees as texts --------------------------------------------------------------------

typedef struct text {
  char s[20000];
  int n;
} text;

static void put(text* t, const char* format, ...) {
  va_list args;
  va_start(args, format);
  t->n += vsnprintf(t->s + t->n, sizeof t->s - (size_t)t->n, format, args);
  va_end(args);
  assert_true(t->n < (int)sizeof t->s);
}

static const char* const joint_types[] = {"type = 'revolute'",
                                          "type = 'prismatic'",
                                          "type = 'cylindrical'",
                                          "type = 'planar'",
                                          "type = 'universal'",
                                          "type = 'spherical'",
                                          "type = 'free'",
                                          "tr(1).rot = [2 inf]",
                                          "tr(1).rot = [inf inf inf]",
                                          "tr(1).rot = [0 inf inf inf]",
                                          "tr(1).rot = [inf inf inf inf]",
                                          "type = 'helical'"};
#define JOINT_TYPES ((int)(sizeof joint_types / sizeof *joint_types))

static int pick(uint64_t* seed, int n) { return (int)(0.5 * (1 + check_random(seed)) * n); }

// Inertia tr(P) 1 - P of a positive P = A Aᵀ: possible whatever the numbers.
static void put_body(text* t, int k, uint64_t* seed) {
  put(t, "body(%d).m = %.17g; body(%d).l_com = [%.17g %.17g %.17g];\n", k,
      1 + 0.5 * check_random(seed), k, 0.2 * check_random(seed), 0.2 * check_random(seed),
      0.2 * check_random(seed));
  put(t, "A = [%.17g %.17g %.17g; %.17g %.17g %.17g; 0 0 %.17g];\n", 0.3 + 0.1 * check_random(seed),
      0.1 * check_random(seed), 0.1 * check_random(seed), 0.1 * check_random(seed),
      0.3 + 0.1 * check_random(seed), 0.1 * check_random(seed), 0.3 + 0.1 * check_random(seed));
  put(t, "P = A*A'; body(%d).I = trace(P)*eye(3) - P;\n", k);
}

static void put_joint(text* t, int k, uint64_t* seed) {
  const int type = pick(seed, JOINT_TYPES), parent = k == 1 ? 0 : pick(seed, k);
  put(t,
      "joint(%d).first = %d; joint(%d).second = %d; joint(%d).tr(1).trans = [%.17g %.17g %.17g];\n",
      k, parent, k, k, k, 0.3 * check_random(seed), 0.3 * check_random(seed),
      0.3 * check_random(seed));
  put(t, "joint(%d).%s;\n", k, joint_types[type]);
  if (strcmp(joint_types[type], "type = 'helical'") == 0) put(t, "joint(%d).pitch = 0.05;\n", k);
  if (strcmp(joint_types[type], "type = 'helical'") == 0 ||
      strcmp(joint_types[type], "type = 'revolute'") == 0)
    put(t, "joint(%d).axis = [%.17g %.17g %.17g];\n", k, check_random(seed), check_random(seed),
        1 + check_random(seed));
}

static void random_tree(text* t, uint64_t seed) {
  t->n = 0;
  put(t, "world.g = [%.17g %.17g -9.81];\n", check_random(&seed), check_random(&seed));
  const int n = 2 + pick(&seed, 8);
  for (int k = 1; k <= n; k++) put_body(t, k, &seed);
  for (int k = 1; k <= n; k++) put_joint(t, k, &seed);
}

// Run a test on the tree robots and on twenty random trees, at random states.
static void each_tree(void (*test)(robot*, uint64_t*)) {
  uint64_t seed = 11;
  const char* const trees[] = {robot_pendulum, robot_tree};
  for (int i = 0; i < 2; i++) {
    robot r = robot_load(trees[i]);
    robot_shake(&r, &seed, 0.3);
    test(&r, &seed);
    robot_free(&r);
  }
  text* t = malloc(sizeof *t);
  for (uint64_t i = 0; i < 20; i++) {
    random_tree(t, 100 + i);
    robot r = robot_load(t->s);
    robot_shake(&r, &seed, 0.3);
    test(&r, &seed);
    robot_free(&r);
  }
  free(t);
}

static double* numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double difference(const double* a, const double* b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most / fmax(1, largest(b, n));
}

// ---- laws -------------------------------------------------------------------------------------

static void dense_solution(robot* r, uint64_t* seed) {
  (void)seed;
  const int n = r->nv;
  double *M = numbers(n * n), *h = numbers(n), *tau = numbers(n);
  td_mass_matrix(r->model, r->state, r->work, M);
  td_bias(r->model, r->state, r->work, h, tau);
  for (int i = 0; i < n; i++) tau[i] -= h[i];
  assert_int_equal(td_chol(M, n, 0), 0);
  td_chol_solve(M, n, tau, 1);
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  assert_true(difference(td_work_vdot(r->work), tau, n) < TIGHT);
  free(M);
  free(h);
  free(tau);
}
static void test_articulated_accelerations_solve_the_dense_equations(void** state) {
  (void)state;
  each_tree(dense_solution);
}

static void symmetric_positive(robot* r, uint64_t* seed) {
  (void)seed;
  const int n = r->nv;
  double* M = numbers(n * n);
  td_mass_matrix(r->model, r->state, r->work, M);
  const double scale = largest(M, n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) assert_true(fabs(M[i * n + j] - M[j * n + i]) <= 1e-14 * scale);
  assert_int_equal(td_chol(M, n, 0), 0);
  free(M);
}
static void test_mass_matrix_is_symmetric_and_positive_definite(void** state) {
  (void)state;
  each_tree(symmetric_positive);
}

static void residual_vanishes(robot* r, uint64_t* seed) {
  (void)seed;
  double *a = numbers(r->nv), *F = numbers(r->nv), *h = numbers(r->nv), *tau = numbers(r->nv);
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  memcpy(a, td_work_vdot(r->work), (size_t)r->nv * sizeof(double));
  td_bias(r->model, r->state, r->work, h, tau);
  td_residual(r->model, r->state, r->work, a, NULL, F);
  assert_true(largest(F, r->nv) < TIGHT * fmax(1, largest(h, r->nv)));
  free(a);
  free(F);
  free(h);
  free(tau);
}
static void test_residual_vanishes_at_the_forward_dynamics(void** state) {
  (void)state;
  each_tree(residual_vanishes);
}

static void affine_residual(robot* r, uint64_t* seed) {
  const int n = r->nv;
  double *M = numbers(n * n), *a = numbers(n), *F = numbers(n), *h = numbers(n), *tau = numbers(n),
         *want = numbers(n);
  for (int i = 0; i < n; i++) a[i] = check_random(seed);
  td_mass_matrix(r->model, r->state, r->work, M);
  td_bias(r->model, r->state, r->work, h, tau);
  for (int i = 0; i < n; i++) {
    want[i] = h[i] - tau[i];
    for (int j = 0; j < n; j++) want[i] += M[i * n + j] * a[j];
  }
  td_residual(r->model, r->state, r->work, a, NULL, F);
  assert_true(difference(F, want, n) < 1e-12);
  free(M);
  free(a);
  free(F);
  free(h);
  free(tau);
  free(want);
}
static void test_residual_is_mass_times_acceleration_plus_bias(void** state) {
  (void)state;
  each_tree(affine_residual);
}

// ---- a turned world ---------------------------------------------------------------------------

// The robot of `text` hung under a massless fixed joint: each joint from the ground starts with the
// rotation, and gravity is turned along.
static void check_turned(const char* text_of, uint64_t seed) {
  const double angle = 2.5 * check_random(&seed), ax = check_random(&seed),
               ay = check_random(&seed);
  const double az = 1 + check_random(&seed), s = sqrt(ax * ax + ay * ay + az * az);
  text* t = malloc(sizeof *t);
  t->n = 0;
  put(t, "%s", text_of);
  put(t, "u = [%.17g %.17g %.17g]; K = [0 -u(3) u(2); u(3) 0 -u(1); -u(2) u(1) 0];\n", ax / s,
      ay / s, az / s);
  put(t, "R = eye(3) + sin(%.17g)*K + (1 - cos(%.17g))*K*K; world.g = (R*world.g')';\n", angle,
      angle);
  // joint k from the ground: a first transformation that turns, then what was there
  put(t, "for k = 1:length(joint)\n if joint(k).first == 0\n");
  put(t, "  old = joint(k).tr; joint(k).tr(1) = struct('trans', [0 0 0], 'rot', [%.17g u]);\n",
      angle);
  put(t, "  for i = 1:length(old), joint(k).tr(i + 1) = old(i); end\n end\nend\n");
  robot plain = robot_load(text_of), turned = robot_load(t->s);
  assert_int_equal(plain.nv, turned.nv);
  robot_shake(&plain, &seed, 0.3);
  td_state_copy(plain.model, plain.state, turned.state);
  assert_int_equal(td_forward_dynamics(plain.model, plain.state, plain.work), TD_OK);
  assert_int_equal(td_forward_dynamics(turned.model, turned.state, turned.work), TD_OK);
  assert_true(difference(td_work_vdot(turned.work), td_work_vdot(plain.work), plain.nv) < TIGHT);
  robot_free(&plain);
  robot_free(&turned);
  free(t);
}

static void test_accelerations_do_not_know_how_the_world_is_turned(void** state) {
  (void)state;
  text* t = malloc(sizeof *t);
  for (uint64_t i = 0; i < 20; i++) {
    random_tree(t, 300 + i);
    check_turned(t->s, i + 1);
  }
  free(t);
}

// ---- many columns for one velocity ------------------------------------------------------------

// A chain of 400 links that all bend alike has one DOF: M is the sum over all pairs of columns.
static void test_joints_that_move_together_share_one_velocity(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -9.81];\n"
      "for k = 1:400\n"
      "  body(k).m = .01; body(k).I = 1e-6*eye(3); body(k).l_com = [0 0 -.005];\n"
      "  joint(k).first = k - 1; joint(k).second = k; joint(k).tr(1).rot = [2 inf]; "
      "joint(k).tr(1).trans = [0 0 -.01];\n"
      "  if k > 1, joint(k).dof(1).equal2 = [1 1]; end\n"
      "end\n");
  assert_int_equal(r.nv, 1);
  r.state->q[0] = 0.001;
  r.state->v[0] = 0.02;
  double M, h, tau, dq, dv;
  td_mass_matrix(r.model, r.state, r.work, &M);
  td_bias(r.model, r.state, r.work, &h, &tau);
  CHECK_NEAR(td_energy(r.model, r.state, r.work).kinetic, 0.5 * M * 0.02 * 0.02, 1e-12);
  assert_int_equal(td_forward_tangent(r.model, r.state, r.work, &dq, &dv, NULL), TD_OK);
  CHECK_NEAR(td_work_vdot(r.work)[0], (tau - h) / M, 1e-12);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_articulated_accelerations_solve_the_dense_equations),
      cmocka_unit_test(test_mass_matrix_is_symmetric_and_positive_definite),
      cmocka_unit_test(test_residual_vanishes_at_the_forward_dynamics),
      cmocka_unit_test(test_residual_is_mass_times_acceleration_plus_bias),
      cmocka_unit_test(test_accelerations_do_not_know_how_the_world_is_turned),
      cmocka_unit_test(test_joints_that_move_together_share_one_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
