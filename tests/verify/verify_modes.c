// Natural and complex modes and linearisations against closed forms, through the public API alone.
#include "bench.h"

static td_modes_result* modes(bench* b) {
  td_modes_result* r;
  assert_int_equal(td_modes(b->model, b->state, b->work, &r), TD_OK);
  return r;
}

static double worst_ratio(const double* got, double unit, const double* want, int n) {
  double error = 0;
  for (int i = 0; i < n; i++) error = fmax(error, fabs(got[i] / (unit * want[i]) - 1));
  return error;
}

// ---- hanging chains, M05 ----------------------------------------------------------------------

static bench hanging(int n, bool rods) {
  char text[800];
  snprintf(text, sizeof text,
           "n = %d; l = 0.3; m = 0.2; rods = %d;\n"
           "world.g = [0 0 -9.81];\n"
           "for i = 1:n\n"
           "  body(i).m = m;\n"
           "  if rods\n"
           "    body(i).l_com = [0 0 -l/2]; body(i).I = m*l^2/12*diag([1 1 0]);\n"
           "  else\n"
           "    body(i).l_com = [0 0 -l]; body(i).I = zeros(3);\n"
           "  end\n"
           "  joint(i).first = i - 1; joint(i).second = i;\n"
           "  if i > 1\n"
           "    joint(i).tr(1).trans = [0 0 -l];\n"
           "  end\n"
           "  joint(i).type = 'revolute'; joint(i).axis = [0 1 0];\n"
           "end\n",
           n, rods);
  return bench_new(text);
}

typedef struct chain {
  int n;
  double value[5];
} chain;

static void test_point_masses_on_a_hanging_string_M05(void** state) {
  (void)state;
  // zeros of the Laguerre polynomials
  static const chain reference[] = {
      {1, {1}},
      {2, {0.585786437627, 3.41421356237}},
      {3, {0.415774556783, 2.29428036028, 6.28994508294}},
      {5, {0.263560319718, 1.41340305911, 3.59642577104, 7.08581000586, 12.6408008443}}};
  for (int k = 0; k < 4; k++) {
    const chain* c = &reference[k];
    bench b = hanging(c->n, false);
    td_modes_result* r = modes(&b);
    assert_int_equal(r->n, c->n);
    double error = 0;
    for (int i = 0; i < c->n; i++)
      error = fmax(error, fabs(r->omega[i] * r->omega[i] * 0.3 / 9.81 / c->value[i] - 1));
    char name[32];
    snprintf(name, sizeof name, "M05 points, N = %d", c->n);
    CHECK_REACHED(name, error, 1e-10);
    td_modes_free(r);
    bench_free(&b);
  }
}

static void test_a_hanging_chain_of_rods_M05(void** state) {
  (void)state;
  static const chain reference[] = {
      {1, {1.22474487139}},
      {2, {0.855694549442, 2.29516597179}},
      {3, {0.696367681929, 1.73205080757, 3.27221327909}},
      {5, {0.538368896957, 1.27772555084, 2.16850646157, 3.33633424476, 5.06077397201}}};
  for (int k = 0; k < 4; k++) {
    const chain* c = &reference[k];
    bench b = hanging(c->n, true);
    td_modes_result* r = modes(&b);
    assert_int_equal(r->n, c->n);
    char name[32];
    snprintf(name, sizeof name, "M05 rods, N = %d", c->n);
    CHECK_REACHED(name, worst_ratio(r->omega, sqrt(9.81 / 0.3), c->value, c->n), 1e-10);
    td_modes_free(r);
    bench_free(&b);
  }
}

// ---- spring-mass chains, M06 ------------------------------------------------------------------

static bench springs(int n, bool fixed, double damping) {
  char text[900];
  snprintf(
      text, sizeof text,
      "n = %d; k = 50; m = 0.4; c = %.17g;\n"
      "for i = 1:n\n"
      "  body(i).m = m; body(i).I = zeros(3);\n"
      "  joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [0.1 0 0];\n"
      "  joint(i).type = 'prismatic'; joint(i).axis = [1 0 0];\n"
      "  joint(i).dof(1).spring.coeff = k; joint(i).dof(1).damp.visc = c;\n"
      "end\n"
      "if %d\n"
      "  joint(n+1).first = 0; joint(n+1).tr(1).trans = [0.1*(n+1) 0 0]; joint(n+1).second = n;\n"
      "  joint(n+1).spring.coeff = k; joint(n+1).spring.init = nan; joint(n+1).damp.visc = c;\n"
      "end\n",
      n, damping, fixed);
  return bench_new(text);
}

static void test_spring_mass_chains_M06(void** state) {
  (void)state;
  const double pi = acos(-1);
  for (int fixed = 0; fixed < 2; fixed++) {
    for (int n = 1; n <= 10; n++) {
      double want[10];
      for (int j = 0; j < n; j++)
        want[j] =
            2 * sin(fixed ? (j + 1) * pi / (2 * (n + 1)) : (2 * j + 1) * pi / (2 * (2 * n + 1)));
      bench b = springs(n, fixed, 0);
      td_modes_result* r = modes(&b);
      assert_int_equal(r->n, n);
      char name[48];
      snprintf(name, sizeof name, "M06 fixed-%s, n = %d", fixed ? "fixed" : "free", n);
      CHECK_REACHED(name, worst_ratio(r->omega, sqrt(50 / 0.4), want, n), 1e-10);
      td_modes_free(r);
      bench_free(&b);
    }
  }
}

// Damping proportional to stiffness, C = (c/k) K: zeta = omega c / (2 k), and the complex modes
// follow
static void test_proportional_damping_grows_with_frequency(void** state) {
  (void)state;
  const double c = 0.3, k = 50;
  bench b = springs(5, true, c);
  td_modes_result* r = modes(&b);
  assert_int_equal(r->ncomplex, 10);
  for (int i = 0; i < 5; i++) {
    const double w = r->omega[i], zeta = w * c / (2 * k);
    CHECK_NEAR(r->zeta[i], zeta, 1e-12);
    // find the pair of this mode among the complex ones
    double nearest = INFINITY;
    for (int j = 0; j < r->ncomplex; j++)
      nearest = fmin(nearest, hypot(r->re[j] + zeta * w, r->im[j] - w * sqrt(1 - zeta * zeta)));
    CHECK_NEAR(nearest / w, 0, 1e-12);
  }
  assert_string_equal(r->note, "");
  td_modes_free(r);
  bench_free(&b);
}

static void test_shapes_are_normalised_by_the_mass(void** state) {
  (void)state;
  enum { n = 5 };
  bench b = hanging(n, true);
  td_modes_result* r = modes(&b);
  double M[n * n];
  td_mass_matrix(b.model, b.state, b.work, M);
  for (int a = 0; a < n; a++) {
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += r->shape[a * n + i] * M[i * n + j] * r->shape[c * n + j];
      CHECK_NEAR(sum, a == c, 1e-12);
    }
  }
  td_modes_free(r);
  bench_free(&b);
}

// ---- constraints ------------------------------------------------------------------------------

// A particle with two translations, held on a circle by a massless bar: only the constraint force
// gives it stiffness
static void test_a_particle_on_a_circle_swings_like_a_pendulum(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; l = 0.4;\n"
      "body(1).m = 0.3; body(1).I = zeros(3);\n"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(2).init = -l;\n"
      "body(2).m = 0; body(2).I = zeros(3); body(2).l_com = [0 0 -l];\n"
      "joint(2).second = 2; joint(2).type = 'revolute'; joint(2).axis = [0 1 0];\n"
      "joint(3).first = 1; joint(3).second = 2; joint(3).tr2nd(1).trans = [0 0 -l];\n"
      "joint(3).type = 'spherical';\n");
  td_equil_result eq;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &eq), TD_OK);
  assert_int_equal(eq.stability, TD_STABLE);
  td_modes_result* r = modes(&b);
  assert_int_equal(r->n, 1);
  CHECK_REACHED("particle on a circle", fabs(r->omega[0] / sqrt(9.81 / 0.4) - 1), 1e-12);
  td_modes_free(r);
  bench_free(&b);
}

static void test_a_free_body_has_six_rigid_modes(void** state) {
  (void)state;
  bench b = bench_new(
      "body(1).m = 2; body(1).I = diag([0.1 0.2 0.25]);\n"
      "joint(1).second = 1; joint(1).type = 'free';\n");
  td_modes_result* r = modes(&b);
  assert_int_equal(r->n, 6);
  for (int i = 0; i < 6; i++) CHECK_NEAR(r->omega[i], 0, 0);
  td_equil_result eq;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &eq), TD_OK);
  assert_int_equal(eq.stability, TD_NEUTRAL);
  td_modes_free(r);
  bench_free(&b);
}

// wall - k - massless point - k - mass: the point follows at once, the springs act in series
static void test_a_massless_point_between_springs_is_condensed(void** state) {
  (void)state;
  bench b = bench_new(
      "body(1).m = param('m1', 1); body(1).I = zeros(3); body(2).m = 0.5; body(2).I = zeros(3);\n"
      "for i = 1:2\n"
      "  joint(i).first = i - 1; joint(i).second = i; joint(i).type = 'prismatic';\n"
      "  joint(i).dof(1).spring.coeff = 80;\n"
      "end\n"
      "joint(1).dof(1).damp.visc = param('c', 0);\n");
  td_work_set_param(b.model, b.work, td_model_param_find(b.model, "m1"), 0);
  for (int damped = 0; damped < 2; damped++) {
    td_work_set_param(b.model, b.work, td_model_param_find(b.model, "c"), 3 * damped);
    // coordinates are relative: the second body rests when v1 = -v2, so that M is singular but not
    // zero
    td_modes_result* r = modes(&b);
    assert_int_equal(r->n, 1);
    CHECK_NEAR(r->omega[0], sqrt(40 / 0.5), 1e-12);
    assert_int_equal(r->ncomplex, damped ? 3 : 2);
    // m s^2 x2 + k (x2 - x1) = 0,  c s x1 + k x1 + k (x1 - x2) = 0: its roots sum up to -2 k/c
    double sum = 0, real = 0;
    for (int i = 0; i < r->ncomplex; i++) {
      sum += r->re[i];
      if (r->im[i] == 0) real = r->re[i];
    }
    if (damped) {
      CHECK_NEAR(sum, -160.0 / 3, 1e-10);
      CHECK_NEAR(((0.5 * real * real + 80) * (3 * real + 160) - 6400) / 6400, 0, 1e-10);
    } else {
      CHECK_NEAR(sum, 0, 1e-12);
    }
    td_modes_free(r);
  }
  bench_free(&b);
}

// ---- rotation ---------------------------------------------------------------------------------

// A mass on springs k in a frame turning at W: s = +-i (w0 +- W) with w0 = sqrt(k/m), by the
// Coriolis force alone
static void test_gyroscopic_terms_split_the_frequencies(void** state) {
  (void)state;
  const double W = 3, w0 = sqrt(200 / 0.5);
  bench b = bench_new(
      "body(1).m = 0.1; body(1).I = 0.01*eye(3); body(2).m = 0.5; body(2).I = zeros(3);\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).motion = 3*t;\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [inf inf 0];\n"
      "joint(2).dof(1).spring.coeff = 200; joint(2).dof(2).spring.coeff = 200;\n");
  td_modes_result* r = modes(&b);
  assert_int_equal(r->ncomplex, 4);
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(r->re[i] / w0, 0, 1e-12);
    const double w = fabs(r->im[i]);
    CHECK_NEAR(fmin(fabs(w - w0 - W), fabs(w - w0 + W)) / w0, 0, 1e-12);
  }
  td_modes_free(r);
  bench_free(&b);
}

static void test_a_bead_on_a_rotating_hoop_swings_about_its_leaning_equilibrium(void** state) {
  (void)state;
  const double W = 7;
  bench b = bench_new(
      "world.g = [0 0 -9.81];\n"
      "body(1).m = 0.1; body(1).I = 0.01*eye(3);\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).motion = 7*t;\n"
      "body(2).m = 2; body(2).I = zeros(3); body(2).l_com = [0 0 -0.5];\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).type = 'revolute'; joint(2).axis = [0 1 "
      "0];\n"
      "joint(2).dof(1).init = 1;\n");
  td_equil_result eq;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &eq), TD_OK);
  td_modes_result* r = modes(&b);
  assert_int_equal(r->n, 1);
  CHECK_REACHED("bead on a hoop", fabs(r->omega[0] / (W * sin(b.state->q[1])) - 1), 1e-10);
  td_modes_free(r);
  bench_free(&b);
}

// ---- notes ------------------------------------------------------------------------------------

static void test_what_to_know_about_the_modes_is_noted(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81];\n"
      "body(1).m = 1; body(1).l_com = [0 0 -1];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
      "joint(1).dof(1).damp.visc = 1; joint(1).dof(1).damp.pow = 2;\n");
  td_modes_result* r = modes(&b);
  assert_non_null(strstr(r->note, "power"));
  assert_null(strstr(r->note, "equilibrium"));
  CHECK_NEAR(r->zeta[0], 0, 0);
  td_modes_free(r);
  b.state->q[0] = 0.5;
  r = modes(&b);
  assert_non_null(strstr(r->note, "no equilibrium"));
  td_modes_free(r);
  bench_free(&b);
}

// ---- linearisation ----------------------------------------------------------------------------

// Cart M with a point mass m on a rod l, standing up; x, theta, force u on the cart:
//   x'' = (u - m g theta) / M + ...,  theta'' = ((M + m) g theta - u) / (M l)   (theta positive
//   towards +x)
static void test_the_cart_and_pole_has_its_textbook_matrices(void** state) {
  (void)state;
  const double M = 1.5, m = 0.2, l = 0.6, g = 9.81;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; u = input('u', 0);\n"
      "body(1).m = 1.5; body(2).m = 0.2; body(2).I = zeros(3); body(2).l_com = [0 0 0.6];\n"
      "joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0];\n"
      "joint(1).dof(1).input = u;\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).type = 'revolute'; joint(2).axis = [0 1 "
      "0];\n"
      "sensor(1).name = 'angle'; sensor(1).value = dof(joint(2), 1);\n");
  td_linear* lin;
  assert_int_equal(td_linearize(b.model, b.state, b.work, &lin), TD_OK);
  assert_int_equal(lin->nx, 4);
  assert_int_equal(lin->nu, 1);
  assert_int_equal(lin->ny, 1);
  const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, 0, -m * g / M, 0, 0, 0, (M + m) * g / (M * l), 0, 0};
  const double B[] = {0, 0, 1 / M, -1 / (M * l)}, C[] = {0, 1, 0, 0};
  // the basis may be any orthonormal one: compare in coordinates, A_full = basis A basis'
  for (int i = 0; i < 4; i++) {
    double b_full = 0, c_full = 0;
    for (int k = 0; k < 4; k++) {
      b_full += lin->basis[i * 4 + k] * lin->B[k];
      c_full += lin->basis[i * 4 + k] * lin->C[k];
    }
    CHECK_NEAR(b_full, B[i], 1e-12);
    CHECK_NEAR(c_full, C[i], 1e-12);
    for (int j = 0; j < 4; j++) {
      double a_full = 0;
      for (int k = 0; k < 4; k++)
        for (int h = 0; h < 4; h++)
          a_full += lin->basis[i * 4 + k] * lin->A[k * 4 + h] * lin->basis[j * 4 + h];
      CHECK_NEAR(a_full, A[i * 4 + j], 1e-12);
    }
  }
  CHECK_NEAR(lin->D[0], 0, 0);
  td_linear_free(lin);
  bench_free(&b);
}

// det(s - A) at a complex s, by elimination; n <= 12
static double singular_at(const td_linear* lin, double re, double im) {
  double a[12][12][2];
  const int n = lin->nx;
  double size = 1, det = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j][0] = (i == j) * re - lin->A[i * n + j], a[i][j][1] = (i == j) * im;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (hypot(a[i][k][0], a[i][k][1]) > hypot(a[best][k][0], a[best][k][1])) best = i;
    for (int j = 0; j < n; j++)
      for (int c = 0; c < 2; c++) {
        const double t = a[k][j][c];
        a[k][j][c] = a[best][j][c];
        a[best][j][c] = t;
      }
    const double p = a[k][k][0], q = a[k][k][1], d = p * p + q * q;
    det *= sqrt(d);
    size = fmax(size, sqrt(d));
    if (d == 0) return 0;
    for (int i = k + 1; i < n; i++) {
      const double x = (a[i][k][0] * p + a[i][k][1] * q) / d,
                   y = (a[i][k][1] * p - a[i][k][0] * q) / d;
      for (int j = k; j < n; j++) {
        const double u = a[k][j][0], v = a[k][j][1];
        a[i][j][0] -= x * u - y * v;
        a[i][j][1] -= x * v + y * u;
      }
    }
  }
  return det / pow(size, n);
}

// Spin W about the middle axis grows at W sqrt((I3 - I2)(I2 - I1) / (I1 I3)); attitude turns at W
static void test_a_spin_about_the_middle_axis_is_unstable_at_eulers_rate(void** state) {
  (void)state;
  const double I1 = 0.1, I2 = 0.2, I3 = 0.25, W = 2;
  bench b = bench_new(
      "body(1).m = 2; body(1).I = diag([0.1 0.2 0.25]);\n"
      "joint(1).second = 1; joint(1).type = 'spherical';\n");
  assert_int_equal(td_model_sizes(b.model).nv, 3);
  b.state->v[1] = W;
  td_linear* lin;
  assert_int_equal(td_linearize(b.model, b.state, b.work, &lin), TD_OK);
  assert_int_equal(lin->nx, 6);
  const double rate = W * sqrt((I3 - I2) * (I2 - I1) / (I1 * I3));
  CHECK_NEAR(singular_at(lin, rate, 0), 0, 1e-14);
  CHECK_NEAR(singular_at(lin, -rate, 0), 0, 1e-14);
  CHECK_NEAR(singular_at(lin, 0, W), 0, 1e-14);
  assert_true(singular_at(lin, 0, 0.5 * W) > 1e-4);
  td_linear_free(lin);
  bench_free(&b);
}

// In motion: displaced along each state of the linear system by +-h, the model still satisfies the
// constraints on position and velocity level to second order, and its accelerations are those of A
static void test_the_linearisation_in_motion_respects_the_constraints(void** state) {
  (void)state;
  const double angle = 0.8, speed = 1.7, l = 0.4, h = 1e-4;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; l = 0.4;\n"
      "body(1).m = 0.3; body(1).I = zeros(3);\n"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(2).init = -l;\n"
      "body(2).m = 0.1; body(2).I = 0.01*eye(3); body(2).l_com = [0 0 -l];\n"
      "joint(2).second = 2; joint(2).type = 'revolute'; joint(2).axis = [0 1 0];\n"
      "joint(3).first = 1; joint(3).second = 2; joint(3).tr2nd(1).trans = [0 0 -l];\n"
      "joint(3).type = 'spherical';\n");
  const double q[] = {-l * sin(angle), -l * cos(angle), angle};
  const double v[] = {-l * cos(angle) * speed, l * sin(angle) * speed, speed};
  memcpy(b.state->q, q, sizeof q);
  memcpy(b.state->v, v, sizeof v);
  td_linear* lin;
  assert_int_equal(td_linearize(b.model, b.state, b.work, &lin), TD_OK);
  assert_int_equal(lin->nx, 2);

  for (int k = 0; k < 2; k++) {
    double vdot[2][3];
    for (int side = 0; side < 2; side++) {
      const double step = side ? h : -h;
      double dv[3], e[8], edot[8];
      for (int i = 0; i < 3; i++) dv[i] = step * lin->basis[i * 2 + k];
      td_displace(b.model, q, dv, b.state->q);
      for (int i = 0; i < 3; i++) b.state->v[i] = v[i] + step * lin->basis[(3 + i) * 2 + k];
      td_constraints(b.model, b.state, b.work, NULL, e, edot);
      for (int i = 0; i < td_model_sizes(b.model).nconstraint; i++) {
        CHECK_NEAR(e[i], 0, 10 * h * h);
        CHECK_NEAR(edot[i], 0, 10 * h * h);
      }
      assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
      memcpy(vdot[side], td_work_vdot(b.work), sizeof vdot[side]);
    }
    // eta' = Z' v', with Z the lower right part of the basis
    double rate = 0;
    for (int i = 0; i < 3; i++)
      rate += lin->basis[(3 + i) * 2 + 1] * (vdot[1][i] - vdot[0][i]) / (2 * h);
    CHECK_NEAR(lin->A[2 + k], rate, 1e-6);  // the difference is of second order in h
  }
  CHECK_NEAR(lin->A[1], 1, 1e-14);
  td_linear_free(lin);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_point_masses_on_a_hanging_string_M05),
      cmocka_unit_test(test_a_hanging_chain_of_rods_M05),
      cmocka_unit_test(test_spring_mass_chains_M06),
      cmocka_unit_test(test_proportional_damping_grows_with_frequency),
      cmocka_unit_test(test_shapes_are_normalised_by_the_mass),
      cmocka_unit_test(test_a_particle_on_a_circle_swings_like_a_pendulum),
      cmocka_unit_test(test_a_free_body_has_six_rigid_modes),
      cmocka_unit_test(test_a_massless_point_between_springs_is_condensed),
      cmocka_unit_test(test_gyroscopic_terms_split_the_frequencies),
      cmocka_unit_test(test_a_bead_on_a_rotating_hoop_swings_about_its_leaning_equilibrium),
      cmocka_unit_test(test_what_to_know_about_the_modes_is_noted),
      cmocka_unit_test(test_the_cart_and_pole_has_its_textbook_matrices),
      cmocka_unit_test(test_a_spin_about_the_middle_axis_is_unstable_at_eulers_rate),
      cmocka_unit_test(test_the_linearisation_in_motion_respects_the_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
