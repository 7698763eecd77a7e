// Strain-parametrised rods in random trees: the Coriolis force does the work that the change of the
// mass matrix asks for,
//
//   v'h = ½ v' (dM/dt) v          along q' = v, nothing else acting,
//
// and loops close by the same bend at any size.
#include "robots.h"

static const char* const bases[] = {"legendre", "chebyshev", "monomial",  "fourier",
                                    "constant", "linear",    "quadratic", "cubic",
                                    "hermite",  "gaussian",  "bspline"};
#define BASES ((int)(sizeof bases / sizeof *bases))

// The order to write for a basis: those on elements have none.
static int order_of(const char* basis, int order) {
  static const char* const ordered[] = {"legendre", "chebyshev", "monomial", "fourier"};
  for (int i = 0; i < 4; i++)
    if (strcmp(basis, ordered[i]) == 0) return order;
  return 0;
}

static int pick(uint64_t* seed, int n) { return (int)(0.5 * (1 + check_random(seed)) * n); }

// Two to four rods without stiffness, each on an earlier one or the ground, some on joints; a body
// at the end of the last.
static void random_rods(char* text, size_t room, uint64_t* seed) {
  static const char* const joints[] = {"fixed", "revolute", "universal", "spherical", "free"};
  const int n = 2 + pick(seed, 3);
  size_t k = 0;
  for (int i = 1; i <= n; i++) {
    const int parent = pick(seed, i);  // 0: the ground
    const char* basis = bases[pick(seed, BASES)];
    const int order = order_of(basis, 1);
    k += (size_t)snprintf(
        text + k, room - k,
        "rod(%d).model = 'gvs'; rod(%d).length = %.3f; rod(%d).stiffness = 1e-12*[1 1 1 1 1 1]; "
        "rod(%d).inertia = [1 1 1 .02 .03 .04]; rod(%d).basis = '%s'; rod(%d).order = [%d %d %d %d "
        "%d %d]; rod(%d).elements = %d; rod(%d).magnus = %d; rod(%d).joint.type = '%s'; "
        "rod(%d).shape = [.1 0 .2*s 1 s %.3f]; rod(%d).tr.rot = [1 %.3f];\n",
        i, i, 0.5 + 0.2 * check_random(seed), i, i, i, basis, i, pick(seed, 2) - 1,
        pick(seed, 2) - 1, pick(seed, 2) - 1, order, order, order * pick(seed, 2), i,
        1 + pick(seed, 2), i, 2 + 2 * pick(seed, 3), i, joints[pick(seed, 5)], i,
        check_random(seed), i, check_random(seed));
    if (parent > 0)
      k += (size_t)snprintf(text + k, room - k, "rod(%d).first = at(rod(%d), %.3f);\n", i, parent,
                            0.2 + 0.05 * check_random(seed));
    assert_true(k < room);
  }
  snprintf(text + k, room - k,
           "body(1).m = .3; body(1).I = .01*diag([1 2 2.5]); body(1).l_com = [.1 0 .05]; "
           "joint(1).first = at(rod(%d)); joint(1).second = 1; joint(1).type = 'revolute';\n",
           n);
}

// v' M(q) v at q displaced by h v
static double vMv(const robot* r, const td_state* from, td_state* to, double h, double* M) {
  const int n = r->nv;
  double* d = calloc((size_t)n, sizeof(double));
  double sum = 0;
  for (int i = 0; i < n; i++) d[i] = h * from->v[i];
  td_state_copy(r->model, from, to);
  td_displace(r->model, from->q, d, to->q);
  td_mass_matrix(r->model, to, r->work, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += from->v[i] * M[i * n + j] * from->v[j];
  free(d);
  return sum;
}

static void test_the_coriolis_force_has_the_power_of_the_changing_mass_matrix(void** state) {
  (void)state;
  static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};  // error O(h⁶)
  const double step = 3e-3;
  uint64_t seed = 17;
  for (int trial = 0; trial < 20; trial++) {
    char text[4000];
    random_rods(text, sizeof text, &seed);
    robot r = robot_load(text);
    robot_shake(&r, &seed, 3);
    td_state* moved = td_state_new(r.model);
    double *M = calloc((size_t)r.nv * (size_t)r.nv, sizeof(double)),
           *h = calloc((size_t)r.nv, sizeof(double)), *tau = calloc((size_t)r.nv, sizeof(double));
    double rate = 0, power = 0;
    for (int s = 1; s <= 3; s++)
      rate += weight[s - 1] / step *
              (vMv(&r, r.state, moved, s * step, M) - vMv(&r, r.state, moved, -s * step, M));
    td_bias(r.model, r.state, r.work, h, tau);
    for (int i = 0; i < r.nv; i++) power += r.state->v[i] * h[i];
    const double size = fabs(vMv(&r, r.state, moved, 0, M));
    CHECK_REACHED("½ v'M'v - v'h", fabs(0.5 * rate - power) / fmax(size, fabs(power)), 1e-9);
    free(M);
    free(h);
    free(tau);
    td_state_free(moved);
    robot_free(&r);
  }
}

// A rod bent until its tip reaches a place, at any size: curvatures are those of the rod of 1 m
// over the length.
static void closed(double size, double* curvature, int n) {
  char text[800];
  snprintf(
      text, sizeof text,
      "L = %.17g; rod(1).length = L; rod(1).radius = L/40; rod(1).E = 1e6; rod(1).rho = 1000;\n"
      "rod(1).tr.rot = [2 pi/2]; rod(1).order = [-1 -1 -1 -1 4 -1];\n"
      "joint(1).first = rod(1); joint(1).second = 0; joint(1).type = 'spherical';\n"
      "joint(1).tr2nd.trans = L*[0.2 0 0.1];\n",
      size);
  robot r = robot_load(text);
  assert_int_equal(td_model_sizes(r.model).nq, n);
  for (int i = 0; i < n; i++) curvature[i] = size * r.state->q[i];
  robot_free(&r);
}

static void test_loops_close_alike_at_any_size(void** unused) {
  (void)unused;
  double one[5], other[5];
  closed(1, one, 5);
  for (int i = 0; i < 2; i++) {
    closed(i ? 1e-2 : 1e2, other, 5);
    for (int k = 0; k < 5; k++) CHECK_NEAR(other[k], one[k], 1e-9);
  }
}

// Initial strains of a rod of which some are held: the others have what is given, in every basis
// that has a constant, and those that are held their stress-free values.
static void test_initial_strains_beside_held_ones(void** state) {
  (void)state;
  for (int i = 0; i < BASES - 1; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "rod(1).model = 'gvs'; rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).E = 1e6;"
             "rod(1).rho = 1000; rod(1).basis = '%s'; rod(1).order = [-1 -1 -1 %d -1 %d];"
             "rod(1).shape = [0 0 0 0 0.3 0]; rod(1).init = [0 0 0 1 0.3 -0.5];"
             "rod(1).rate = [0 0 0 0.1 0 0.2];"
             "sensor(1).name = 'e'; sensor(1).value = strain(rod(1), 0.15);",
             bases[i], order_of(bases[i], 2), order_of(bases[i], 2));
    robot r = robot_load(text);
    const double expected[6] = {0, 0, 0, 1, 0.3, -0.5};
    double e[6];
    assert_int_equal(td_model_sizes(r.model).nsensor, 6);
    assert_int_equal(td_sensors(r.model, r.state, r.work, e), TD_OK);
    for (int k = 0; k < 6; k++) CHECK_NEAR(e[k], expected[k], 1e-10);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_coriolis_force_has_the_power_of_the_changing_mass_matrix),
      cmocka_unit_test(test_loops_close_alike_at_any_size),
      cmocka_unit_test(test_initial_strains_beside_held_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
