// The equations of small robots against Lagrange's equations, written out by hand:
//
//   M(q) v' + h(q, v) = tau        at a hundred random states, to rounding (1e-10 of the largest
//   term)
#include "check.h"
#include "tendril/tendril.h"

#define TOL 1e-10
#define STATES 100
#define MOST 3  // degrees of freedom

// What the formulas give at one state.
typedef struct equations {
  double M[MOST][MOST], h[MOST], tau[MOST];
} equations;

typedef equations (*formulas)(const td_state* s);

// v' by Gauss elimination: M is positive definite, no pivoting is needed.
static void accelerations(equations e, int n, double* a) {
  for (int i = 0; i < n; i++) a[i] = e.tau[i] - e.h[i];
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const double f = e.M[i][k] / e.M[k][k];
      for (int j = k; j < n; j++) e.M[i][j] -= f * e.M[k][j];
      a[i] -= f * a[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) a[i] -= e.M[i][j] * a[j];
    a[i] /= e.M[i][i];
  }
}

static double error_of(const double* got, const double* want, int n) {
  double error = 0, scale = 1;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    scale = fmax(scale, fabs(want[i]));
  }
  return error / scale;
}

typedef struct errors {
  double M, h, tau, a;
} errors;

static void compare(const td_model* model, const td_state* state, td_work* work, formulas f,
                    errors* worst) {
  const int n = td_model_sizes(model).nv;
  double M[MOST * MOST], want[MOST * MOST], h[MOST], tau[MOST], a[MOST];
  const equations e = f(state);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) want[i * n + j] = e.M[i][j];
  td_mass_matrix(model, state, work, M);
  td_bias(model, state, work, h, tau);
  accelerations(e, n, a);
  assert_int_equal(td_forward_dynamics(model, state, work), TD_OK);
  worst->M = fmax(worst->M, error_of(M, want, n * n));
  worst->h = fmax(worst->h, error_of(h, e.h, n));
  worst->tau = fmax(worst->tau, error_of(tau, e.tau, n));
  worst->a = fmax(worst->a, error_of(td_work_vdot(work), a, n));
}

static void verify(const char* name, const char* text, formulas f) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_load_string(spec, name, text);
  if (td_model_compile(spec, &model) != TD_OK) fail_msg("%s", td_spec_messages(spec));
  td_spec_free(spec);
  td_work* work = td_work_new(model);
  td_state* state = td_state_new(model);
  assert_int_equal(td_state_initial(model, work, state), TD_OK);
  const td_sizes size = td_model_sizes(model);
  errors worst = {0};
  uint64_t seed = 1;
  for (int i = 0; i < STATES; i++) {
    for (int k = 0; k < size.nq; k++) state->q[k] = 3 * check_random(&seed);
    for (int k = 0; k < size.nv; k++) state->v[k] = 2 * check_random(&seed);
    for (int k = 0; k < size.nu; k++) state->u[k] = check_random(&seed);
    compare(model, state, work, f, &worst);
  }
  char what[80];
  snprintf(what, sizeof what, "%s M", name);
  CHECK_REACHED(what, worst.M, TOL);
  snprintf(what, sizeof what, "%s h", name);
  CHECK_REACHED(what, worst.h, TOL);
  snprintf(what, sizeof what, "%s tau", name);
  CHECK_REACHED(what, worst.tau, TOL);
  snprintf(what, sizeof what, "%s v'", name);
  CHECK_REACHED(what, worst.a, TOL);
  td_state_free(state);
  td_work_free(work);
  td_model_free(model);
}

#define G 9.81

// ---- double pendulum on a cart ----------------------------------------------------------------

static const char cart_text[] =
    "world.g = [0 -9.81 0]; F = input('F', 0);\n"
    "body(1).m = 2; body(1).I = 0.1*eye(3);\n"
    "body(2).m = 0.8; body(2).I = diag([0.02 0.001 0.02]); body(2).l_com = [0 -0.3 0];\n"
    "body(3).m = 0.5; body(3).I = diag([0.01 0.001 0.01]); body(3).l_com = [0 -0.2 0];\n"
    "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).rot = [3 inf];\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [0 -0.7 0]; "
    "joint(3).tr(1).rot = [3 inf];\n";

// In x and the angles a, b of the bars from the vertical; the second joint measures b - a, so with
// T = [1 0 0; 0 1 0; 0 1 1] the equations in joint coordinates are TᵀM T and Tᵀh.
static equations cart(const td_state* s) {
  const double M = 2, m1 = 0.8, c1 = 0.3, J1 = 0.02, l1 = 0.7, m2 = 0.5, c2 = 0.2, J2 = 0.01;
  const double a = s->q[1], b = a + s->q[2], da = s->v[1], db = da + s->v[2];
  const double p = m1 * c1 + m2 * l1, r = m2 * c2, k = m2 * l1 * c2;
  const double A[3][3] = {{M + m1 + m2, p * cos(a), r * cos(b)},
                          {p * cos(a), J1 + m1 * c1 * c1 + m2 * l1 * l1, k * cos(a - b)},
                          {r * cos(b), k * cos(a - b), J2 + m2 * c2 * c2}};
  const double h[3] = {-p * sin(a) * da * da - r * sin(b) * db * db,
                       k * sin(a - b) * db * db + p * G * sin(a),
                       -k * sin(a - b) * da * da + r * G * sin(b)};
  const double T[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 1, 1}};
  equations e = {.tau = {s->u[0], 0, 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      e.h[i] += T[j][i] * h[j];
      for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++) e.M[i][j] += T[x][i] * A[x][y] * T[y][j];
    }
  return e;
}

static void test_double_pendulum_on_a_cart(void** state) {
  (void)state;
  verify("double pendulum on a cart", cart_text, cart);
}

// ---- spherical pendulum -----------------------------------------------------------------------

static const char spherical_text[] =
    "world.g = [0 0 -9.81];\n"
    "body(1).m = 1.5; body(1).I = diag([0.03 0.03 0.01]); body(1).l_com = [0 0 -0.8];\n"
    "joint(1).second = 1; joint(1).tr(1).rot = [3 inf]; joint(1).tr(2).rot = [2 inf];\n";

// Azimuth and elevation; body rates [-α' sin β, β', α' cos β], so with A = m l² + J and C the axial
// inertia
//   2 T = A (β'² + sin²β α'²) + C cos²β α'²,   V = -m g l cos β
static equations spherical(const td_state* s) {
  const double m = 1.5, l = 0.8, A = m * l * l + 0.03, C = 0.01;
  const double sb = sin(s->q[1]), cb = cos(s->q[1]), da = s->v[0], db = s->v[1];
  return (equations){
      .M = {{A * sb * sb + C * cb * cb, 0}, {0, A}},
      .h = {2 * (A - C) * sb * cb * da * db, -(A - C) * sb * cb * da * da + m * G * l * sb}};
}

static void test_spherical_pendulum(void** state) {
  (void)state;
  verify("spherical pendulum", spherical_text, spherical);
}

// ---- mass on a spring -------------------------------------------------------------------------

static const char spring_text[] =
    "world.g = [0 0 -9.81]; F = input('F', 0);\n"
    "body(1).m = 0.7; joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf];\n"
    "joint(1).dof(1).spring.coeff = 120; joint(1).dof(1).spring.init = 0.1; "
    "joint(1).dof(1).damp.visc = 2.5;\n"
    "joint(1).dof(1).input = F;\n";

static equations spring(const td_state* s) {
  return (equations){
      .M = {{0.7}}, .h = {0.7 * G + 120 * (s->q[0] - 0.1) + 2.5 * s->v[0]}, .tau = {s->u[0]}};
}

static void test_mass_on_a_spring(void** state) {
  (void)state;
  verify("mass on a spring", spring_text, spring);
}

// ---- planar arm of two links with a payload ---------------------------------------------------

static const char arm_text[] =
    "world.g = [0 -9.81 0]; t1 = input('t1', 0); t2 = input('t2', 0);\n"
    "body(1).m = 3; body(1).I = diag([0.03 0.1 0.12]); body(1).l_com = [0.25 0 0];\n"
    "body(2).m = 2; body(2).I = diag([0.02 0.05 0.06]); body(2).l_com = [0.2 0 0];\n"
    "body(3).m = 1.2; body(3).I = diag([0.02 0.02 0.03]);\n"
    "joint(1).second = 1; joint(1).tr(1).rot = [3 inf]; joint(1).dof(1).input = t1;\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0.5 0 0]; joint(2).tr(1).rot "
    "= [3 inf];\n"
    "joint(2).dof(1).input = t2;\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [0.4 0 0]; joint(3).type = "
    "'fixed';\n";

static equations arm(const td_state* s) {
  const double m1 = 3, c1 = 0.25, J1 = 0.12, l1 = 0.5, m2 = 2, c2 = 0.2, J2 = 0.06, mp = 1.2,
               l2 = 0.4, Jp = 0.03;
  const double q1 = s->q[0], q2 = s->q[1], v1 = s->v[0], v2 = s->v[1];
  const double first = J1 + m1 * c1 * c1 + (m2 + mp) * l1 * l1;  // link 1 and what it carries
  const double second =
      J2 + Jp + m2 * c2 * c2 + mp * l2 * l2;  // link 2 and payload about the elbow
  const double k = (m2 * c2 + mp * l2) * l1, g1 = (m1 * c1 + (m2 + mp) * l1) * G,
               g2 = (m2 * c2 + mp * l2) * G;
  const double m12 = second + k * cos(q2);
  return (equations){
      .M = {{first + second + 2 * k * cos(q2), m12}, {m12, second}},
      .h = {-k * sin(q2) * (2 * v1 * v2 + v2 * v2) + g1 * cos(q1) + g2 * cos(q1 + q2),
            k * sin(q2) * v1 * v1 + g2 * cos(q1 + q2)},
      .tau = {s->u[0], s->u[1]}};
}

static void test_planar_arm_with_a_payload(void** state) {
  (void)state;
  verify("planar arm with payload", arm_text, arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double_pendulum_on_a_cart),
      cmocka_unit_test(test_spherical_pendulum),
      cmocka_unit_test(test_mass_on_a_spring),
      cmocka_unit_test(test_planar_arm_with_a_payload),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
