// Files and listings of the published packages mean here what was published.  Numbers are closed
// forms of the mechanics, written out in this file.
#include <unistd.h>

#include "bench.h"
#include "tendril/view.h"

static int count_messages(td_spec* spec, td_severity severity) {
  int n = 0;
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    if (td_spec_message(spec, i).severity == severity) n++;
  }
  return n;
}

// ---- a file as shipped ------------------------------------------------------------------------

static double equilibrium_of_module(const char* file, int method, double* tip) {
  char path[400];
  char number[8];
  td_spec* spec = td_spec_new();
  snprintf(number, sizeof number, "%d", method);
  td_spec_override(spec, "method", number);
  snprintf(path, sizeof path, "%s/tests/verify/models/%s.m", TEST_SOURCE_DIR, file);
  td_spec_load_file(spec, path);
  td_spec_load_string(spec, "more.m", "sensor(1).name = 'z'; sensor(1).value = pos(body(2))(3);");
  assert_int_equal(count_messages(spec, TD_NOTE), 2);  // data in par, programs that are not called
  bench b = bench_of(spec);
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(b.model, b.state, b.work, tip), TD_OK);
  bench_free(&b);
  return found.residual;
}

// Equal pressures and gravity along the axis stretch the module.  Segment i of n carries the
// pressures' force and the weight of what hangs on it; the polynomials are the best fit to the
// strain (f + m g (1 - s/L))/EA among q1 2s + q2 3s² + ...
static void a_file_as_shipped_runs_in_all_four_studies(void** state) {
  (void)state;
  const double pi = 3.14159265358979323846, l = 50e-3, r1 = 4.5e-3, r2 = 12.5e-3, rp1 = 2.5e-3;
  const double gamma = pi / 2 - acos(1 - 0.2e-3 * 0.2e-3 / 2 / (3e-3 * 3e-3));
  const double rp = rp1 * sqrt(1 - cos(gamma) * cos(gamma)) / sin(gamma);
  const double m = pi * (r2 * r2 - r1 * r1 - 6 * rp1 * rp1) * l * 1820, mf = 13.47e-3, g = 9.81;
  const double EA = 205e3 * pi * (r2 * r2 - r1 * r1 - 6 * rp * rp);
  const double f = 6e4 * pi * rp * rp + mf * g;
  double chain = l, tip;
  for (int i = 1; i <= 3; i++) chain += (f + g * m / 3 * (4 - i)) / EA * l / 3;

  // with x = s/L, a_k = (k+1) x^k: G_jk = ∫ a_j a_k, b_k = ∫ (f + m g (1-x)) a_k; tip = L + L sum q
  double A[3][4];
  for (int j = 1; j <= 3; j++) {
    for (int k = 1; k <= 3; k++) A[j - 1][k - 1] = (j + 1.0) * (k + 1) / (j + k + 1);
    A[j - 1][3] = (f + m * g - m * g * (j + 1.0) / (j + 2)) / EA;
  }
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < 3; i++) {
      if (i == p) continue;
      const double c = A[i][p] / A[p][p];
      for (int k = p; k < 4; k++) A[i][k] -= c * A[p][k];
    }
  const double rom = l + l * (A[0][3] / A[0][0] + A[1][3] / A[1][1] + A[2][3] / A[2][2]);

  static const char* const names[] = {"rom", "srl", "ebr", "eba"};
  static const char* const files[] = {"published_module", "shipped_manip"};
  for (int i = 0; i < 8; i++) {
    const int k = i % 4;
    equilibrium_of_module(files[i / 4], k + 1, &tip);
    const double want = k == 0 ? rom : chain;
    printf("%s, %s: tip at %.9f m, closed form %.9f m\n", files[i / 4], names[k], tip, want);
    // equilibria are found to 1e-9 of the weight's work, in coordinates of condition 1e3
    CHECK_NEAR(tip / want, 1, 1e-8);
  }
}

// A study with the habits of files that a lab keeps: numbers in a script and a function in files
// beside it, tabs, line ends of Windows, block comments, cells, handles, symbols over two lines,
// the package's programs, plots of their results, functions at the end.  Of n weights m on springs
// k in a row with a load f at the lowest one, it hangs by Σ (i m g - f)/k.
static void a_study_with_its_habits_runs(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  td_spec_load_file(spec, TEST_SOURCE_DIR "/tests/verify/models/study/hanging_study.m");
  td_spec_load_string(spec, "more.m",
                      "sensor(1).name = 'z'; sensor(1).value = pos(at(body(1), 3))(3);");
  assert_int_equal(count_messages(spec, TD_NOTE), 2);  // data in par, programs that are not called
  assert_int_equal(count_messages(spec, TD_WARNING), 0);
  bench b = bench_of(spec);
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  double z;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(b.model, b.state, b.work, &z), TD_OK);
  const double l = 0.05, m = 1e3 * 3.14159265358979323846 * 1e-4 * l, k = 20, f = 0.15;
  CHECK_NEAR(z, -3 * l - (6 * m * 9.81 - 3 * f) / k, 1e-9);
  bench_free(&b);
}

// What is no description of a robot is told in one message with a way out.
static void programs_for_the_package_are_told_apart(void** state) {
  (void)state;
  static const char* const texts[][2] = {
      {"function [par, z] = int_mid_step(t, z, par)\nglobal p\npar.var(7) = p(floor(t/0.05));\nend",
       "describes no robot"},
      {"r = tmtdyn().simulation().dynamics(true);\nr.body('a').with_mass(0.1);\nr.run();",
       "chained calls"},
      {"run('nowhere')", "there is no 'nowhere.m'"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    td_spec* spec = td_spec_new();
    td_spec_load_string(spec, "file.m", texts[i][0]);
    assert_int_equal(count_messages(spec, TD_ERROR), 1);
    assert_non_null(strstr(td_spec_messages(spec), texts[i][1]));
    td_spec_free(spec);
  }
}

// The sleeve of the shipped kind hangs: its clips carry its weight, 15 nodes of 2.4 g.
static void a_sleeve_as_shipped_hangs_on_its_clips(void** state) {
  (void)state;
  const char* folder = getenv("TENDRIL_DATA");
  if (!folder) skip();
  char file[400];
  td_spec* spec = td_spec_new();
  snprintf(file, sizeof file, "%s/data/fabric/exp2.iges", folder);
  td_spec_override(spec, "file", file);
  td_spec_load_file(spec, TEST_SOURCE_DIR "/tests/verify/models/shipped_fabric.m");
  td_spec_load_string(
      spec, "more.m",
      "sensor(1).name = 'f'; sensor(1).value = lambda(joint(2)) + lambda(joint(3));");
  assert_int_equal(count_messages(spec, TD_NOTE), 2);
  bench b = bench_of(spec);
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  double f[6];
  assert_int_equal(td_model_sizes(b.model).nbody, 16);
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(b.model, b.state, b.work, f), TD_OK);
  CHECK_NEAR(fabs(f[2]), 36e-3 * 9.81, 1e-8);
  bench_free(&b);
}

// ---- damping of axial elements ----------------------------------------------------------------

// Two bodies joined by a spring-damper along x.  Eq. 28 damps every component of the relative
// velocity; damp.along = 1 the change of length alone.
static void link_forces(const char* more, double v, double f[3]) {
  char text[900];
  snprintf(text, sizeof text,
           "for i = 1:2, body(i).m = 2; body(i).I = eye(3); joint(i).second = i;\n"
           "  joint(i).tr.trans = [inf inf inf]; end\n"
           "joint(2).dof(1).init = 0.5; joint(2).dof(1).rate = 0.7; joint(2).dof(2).rate = %g;\n"
           "joint(3).first = 1; joint(3).second = 2; joint(3).spring.coeff = 10;\n"
           "joint(3).spring.init = 0.5; joint(3).damp.visc = 3; %s\n",
           v, more);
  bench b = bench_new(text);
  assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
  for (int i = 0; i < 3; i++) f[i] = 2 * td_work_vdot(b.work)[3 + i];
  bench_free(&b);
}

static void an_axial_damper_acts_on_every_component_as_published(void** state) {
  (void)state;
  double f[3];
  link_forces("", 0.4, f);
  CHECK_NEAR(f[0], -3 * 0.7, 1e-14);
  CHECK_NEAR(f[1], -3 * 0.4, 1e-14);
  link_forces("joint(3).damp.along = 1;", 0.4, f);
  CHECK_NEAR(f[0], -3 * 0.7, 1e-14);
  CHECK_NEAR(f[1], 0, 1e-14);
  link_forces("joint(3).damp.pow = 2;", -0.4, f);  // the power of each component, with its sign
  CHECK_NEAR(f[0], -3 * 0.49, 1e-14);
  CHECK_NEAR(f[1], 3 * 0.16, 1e-14);
}

// The same net from a list of edges (new: along the edge) and as links (published: every
// component): at a velocity across the only edge the list feels nothing.
static void nets_that_are_new_damp_along_their_edges(void** state) {
  (void)state;
  bench b = bench_new(
      "mesh.node = [0 0 0; 1 0 0]; mesh.edge = [1 2]; mesh.fixed = 1; mesh.body.m = 2;\n"
      "mesh.joint(1).tr.trans = [inf inf inf]; mesh.joint(1).dof(2).rate = 0.4;\n"
      "mesh.joint(2).spring.coeff = 10; mesh.joint(2).damp.visc = 3;\n");
  assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
  CHECK_NEAR(td_work_vdot(b.work)[1], 0, 1e-14);
  bench_free(&b);
}

// ---- shared coordinates -----------------------------------------------------------------------

// An arm of three EBR segments whose bends are the same in all (constant curvature), and the same
// arm with bends of their own.  `rot` is the rotation, `share` ties it.
static bench arm(const char* rot, const char* share) {
  char text[1500];
  snprintf(
      text, sizeof text,
      "n = 3; l = 0.1; world.g = [1 -2 -9.81];\n"
      "body(1).m = 0.2; body(1).I = 1e-3*diag([1 1.2 0.5]); body(1).l_com = [0 0 -0.05];\n"
      "joint(1).first = [1 0:n-1]; joint(1).second = [1 1:n]; joint(1).tr(1).trans = [0 0 l];\n"
      "joint(1).tr(2).rot = %s; joint(1).chart = 'vector';\n"
      "for d = 1:3, joint(1).dof(d).spring.coeff = 0.3 + 0.1*d; end\n%s",
      rot, share);
  return bench_new(text);
}

// Accelerations of the tied arm from the energies of the free one at tied states y, u: with
// q = B y,  M a = ½ ∂(u'Mu)/∂y - M' u - ∂V/∂y, derivatives by central differences.
static void tied_acceleration(bench* b, const double y[3], const double u[3], double a[3]) {
  const double h = 1e-4;
  double M[3][4] = {{0}}, T[3][2], V[3][2], Mu[3][2];
  for (int k = -1; k < 6; k++) {
    double at[3];
    for (int i = 0; i < 3; i++) at[i] = y[i] + (k >= 0 && k / 2 == i ? (k % 2 ? h : -h) : 0);
    double kinetic[7];  // of u, e1, e2, e3, e1 + e2, e2 + e3, e3 + e1
    double potential = 0;
    for (int c = 0; c < 7; c++) {
      for (int e = 0; e < 3; e++)
        for (int i = 0; i < 3; i++) {
          const bool unit = c > 3 ? i == c - 4 || i == (c - 3) % 3 : i == c - 1;
          b->state->q[3 * e + i] = at[i];
          b->state->v[3 * e + i] = c == 0 ? u[i] : unit;
        }
      const td_energies energy = td_energy(b->model, b->state, b->work);
      kinetic[c] = energy.kinetic;
      potential = energy.elastic + energy.gravity;
    }
    double m[3][3];
    for (int i = 0; i < 3; i++) m[i][i] = 2 * kinetic[1 + i];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3;
      m[i][j] = m[j][i] = kinetic[4 + i] - kinetic[1 + i] - kinetic[1 + j];
    }
    if (k < 0) {
      for (int i = 0; i < 9; i++) M[i / 3][i % 3] = m[i / 3][i % 3];
      continue;
    }
    T[k / 2][k % 2] = kinetic[0];
    V[k / 2][k % 2] = potential;
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += m[i][j] * u[j];
      Mu[i][k % 2] = sum;
    }
    if (k % 2)
      for (int i = 0; i < 3; i++) M[i][3] -= (Mu[i][1] - Mu[i][0]) / (2 * h) * u[k / 2];
  }
  for (int i = 0; i < 3; i++) M[i][3] += (T[i][1] - T[i][0] - V[i][1] + V[i][0]) / (2 * h);
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < 3; i++) {
      const double c = M[i][p] / M[p][p];
      for (int k = p; i != p && k < 4; k++) M[i][k] -= c * M[p][k];
    }
  for (int i = 0; i < 3; i++) a[i] = M[i][3] / M[i][i];
}

static void bends_of_segments_can_be_the_same_coordinates(void** state) {
  (void)state;
  static const char* const rot[] = {"[inf inf inf]", "[0 inf inf inf]"};
  static const char* const share[] = {
      "for d = 1:3, joint(1).dof(d).equal2 = [1 1 d]; end\n",
      "for d = 1:3, joint(1).dof(d).equal2 = repmat([1 1 d], n, 1); end\n",
      "for d = 1:3, joint(1).dof(d).equal2 = d; end\n",  // by its number among all
  };
  const double y[3] = {0.3, -0.2, 0.1}, u[3] = {1.1, 0.7, -0.4};
  double worst = 0;
  for (int r = 0; r < 2; r++) {
    bench whole = arm(rot[r], "");
    double want[3];
    tied_acceleration(&whole, y, u, want);
    for (int k = 0; k < 3; k++) {
      bench b = arm(rot[r], share[k]);
      assert_int_equal(td_model_sizes(b.model).nv, 3);
      for (int i = 0; i < 3; i++) {
        b.state->q[i] = y[i];
        b.state->v[i] = u[i];
      }
      assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
      for (int i = 0; i < 3; i++)
        worst = fmax(worst, fabs(td_work_vdot(b.work)[i] - want[i]) / fmax(1, fabs(want[i])));
      bench_free(&b);
    }
    bench_free(&whole);
  }
  // second differences h² of energies of 1 J: 1e-8 of accelerations of 100 rad/s²
  CHECK_REACHED("constant curvature by equal2", worst, 1e-6);
}

// Two numbers of one rotation, and of another joint's slide.
static void parts_of_one_rotation_can_be_equal(void** state) {
  (void)state;
  bench b = bench_new(
      "body(1).m = 1; body(1).I = diag([1 2 2.5]); joint(1).second = 1;\n"
      "joint(1).tr.rot = [inf inf 0]; joint(1).dof(2).equal2 = [1 1]; joint(1).dof(1).rate = 1;\n"
      "joint(1).dof(1).spring.coeff = 3; joint(1).dof(2).spring.coeff = 4;\n"
      "joint(1).dof(1).init = 0.01;\n");
  assert_int_equal(td_model_sizes(b.model).nv, 1);
  // alpha = (y, y): for small y the inertia is Ix + Iy, the stiffness 3 + 4
  b.state->v[0] = 0;
  assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
  CHECK_NEAR(td_work_vdot(b.work)[0] / (-7 * 0.01 / 3), 1, 1e-3);
  bench_free(&b);
}

// ---- other spellings --------------------------------------------------------------------------

static void inertias_may_be_one_number_and_be_called_J(void** state) {
  (void)state;
  static const char* const texts[] = {"I = 0.3*eye(3)", "J = 0.3*eye(3)", "I = 0.3", "J = 0.3"};
  for (int i = 0; i < 4; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "body(1).m = 1; body(1).%s; joint(1).second = 1; joint(1).tr.rot = [2 inf];\n"
             "joint(1).dof(1).input = 0.6;\n",
             texts[i]);
    bench b = bench_new(text);
    assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
    CHECK_NEAR(td_work_vdot(b.work)[0], 2, 1e-14);
    bench_free(&b);
  }
}

// A pendulum of two links whose end is held by `tr2nd` alone: a straight span of 1.2 m hangs as a V
// with an angle of acos(0.6) to the horizontal.  The spring of joint(1) stands before the main
// joint.
static void tr2nd_tells_links_from_main_joints(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; l = 1;\n"
      "for i = 1:2, body(i).m = 1; body(i).J = 0.01; body(i).l_com = [0 0 -l/2]; end\n"
      "joint(1).second = 1; joint(1).tr.trans = [5 0 0]; joint(1).tr2nd.trans = [0 0 -l];\n"
      "joint(1).spring.coeff = 0;\n"
      "joint(2).second = 1; joint(2).tr.rot = [2 inf]; joint(2).dof(1).init = -0.6;\n"
      "joint(3).first = 1; joint(3).second = 2; joint(3).tr(1).trans = [0 0 -l];\n"
      "joint(3).tr(2).rot = [2 inf]; joint(3).dof(1).init = -2;\n"
      "joint(4).second = 2; joint(4).tr.trans = [1.2 0 0]; joint(4).tr2nd.trans = [0 0 -l];\n"
      "sensor(1).name = 'knee'; sensor(1).value = pos(body(2));\n");
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  double knee[3];
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(b.model, b.state, b.work, knee), TD_OK);
  CHECK_NEAR(knee[0], 0.6, 1e-9);
  CHECK_NEAR(knee[2], -0.8, 1e-9);
  bench_free(&b);
}

// ---- polynomial bodies ------------------------------------------------------------------------

static const char polynomial[] =
    "L = 0.3; body(1).m = 0.1; body(1).I = 1e-5*eye(3); joint(1).second = [1 L];\n"
    "joint(1).rom.order = 3; joint(1).tr.trans = [inf inf inf];\n"
    "joint(1).tr.rot = [0 inf inf inf]; joint(1).spring.coeff = [200 200 700 .04 .04 .02];\n"
    "joint(1).dof(1).init = 0.02*(1:3)/3; joint(1).dof(3).init = 0.105*(1:3);\n";

// Sensors at arc lengths against the printed polynomials, whose coefficients are the state.
static void sensors_lie_anywhere_on_a_polynomial_body(void** state) {
  (void)state;
  static const char* const numbers[] = {"[0 inf inf inf]", "[inf inf inf inf]"};
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             "%sjoint(1).tr.rot = %s; sensor(1).name = 'p'; sensor(1).value = pos(body(1), 0.2);\n"
             "sensor(2).name = 'e'; sensor(2).value = strain(body(1), 0.2)(3);\n"
             "sensor(3).name = 'o'; sensor(3).value = pos(body(1), 0);\n"
             "joint(2).first = at(body(1), 0.2); joint(2).second = 2; body(2).m = 0.01;\n"
             "sensor(4).name = 'b'; sensor(4).value = pos(body(2));\n",
             polynomial, numbers[k]);
    bench b = bench_new(text);
    double value[10], x = 0, z = 0.2, slope = 1, power = 0.04;
    assert_int_equal(td_sensors(b.model, b.state, b.work, value), TD_OK);
    for (int i = 0; i < 3; i++, power *= 0.2) {
      x += b.state->q[i] * power;
      z += b.state->q[6 + i] * power;
      slope += b.state->q[6 + i] * (i + 2) * power / 0.2;
    }
    CHECK_NEAR(value[0], x, 1e-15);
    CHECK_NEAR(value[2], z, 1e-15);
    CHECK_NEAR(value[3], slope - 1, 1e-14);  // Q(s) = 1
    for (int i = 0; i < 3; i++) CHECK_NEAR(value[4 + i], 0, 1e-15);
    for (int i = 0; i < 3; i++) CHECK_NEAR(value[7 + i], value[i], 1e-15);
    bench_free(&b);
  }
}

// One Gauss point in the middle: the kinetic energy of z' = v s² is ½ m L (v L²/4)².
static void par_nint_is_the_number_of_points(void** state) {
  (void)state;
  for (int n = 1; n <= 40; n += 39) {
    char text[1200];
    snprintf(text, sizeof text, "%sjoint(1).dof = []; joint(1).rom.order = 1; par.nint = %d;\n",
             polynomial, n);
    bench b = bench_new(text);
    b.state->v[2] = 1;
    const double L = 0.3, exact = 0.5 * 0.1 * pow(L, 5) / 5,
                 middle = 0.5 * 0.1 * L * pow(L * L / 4, 2);
    CHECK_NEAR(td_energy(b.model, b.state, b.work).kinetic / (n == 1 ? middle : exact), 1, 1e-13);
    bench_free(&b);
  }
}

// The clamped column under its own weight buckles at g m L² = 7.837 EJ (Greenhill).  Coefficients
// of s², s³, ... of a rod of 5 cm differ by powers of 20: stability is that of the rod, not theirs.
static td_stability judge_rod(int order, double load, const char* base) {
  char text[1200];
  snprintf(text, sizeof text,
           "n = %d; L = 0.05; r = 0.002; E = 1e6; A = pi*r^2; J = pi*r^4/4; rho = 1000;\n"
           "body(1).m = rho*A; body(1).I = rho*J*diag([1 1 2]); joint(1).second = [1 L];\n"
           "joint(1).rom.order = n; joint(1).tr.trans = [inf inf inf];\n"
           "joint(1).tr.rot = [0 inf inf inf];\n"
           "joint(1).spring.coeff = [E/3*A E/3*A E*A E*J E*J 2*E/3*J];\n"
           "world.g = [0 0 -%.17g*E*J/(rho*A*L^3)];\n%s",
           order, load, base);
  bench b = bench_new(text);
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
  bench_free(&b);
  return found.stability;
}

static void a_polynomial_rod_is_as_stable_as_the_rod(void** state) {
  (void)state;
  for (int n = 3; n <= 6; n++) {
    assert_int_equal(judge_rod(n, 0, ""), TD_STABLE);
    assert_int_equal(judge_rod(n, 5, ""), TD_STABLE);
    assert_int_equal(judge_rod(n, 10, ""), TD_DIVERGENCE);
    // on a carriage that nothing holds
    assert_int_equal(judge_rod(n, 5,
                               "body(2).m = 1; joint(2).second = 2; joint(2).tr.trans = [inf 0 0];"
                               "joint(1).first = 2;"),
                     TD_NEUTRAL);
  }
}

// Table 4 as printed: all nodes start in one place, so that the rest lengths are 0.
static void beams_without_length_get_a_warning(void** state) {
  (void)state;
  static const char listing[] =
      "nd = 4; l = 0.05; body(1).m = 7e-3; body(1).I = 1e-6*eye(3);\n"
      "joint(1).second = [1, (1 : nd)]'; joint(1).tr(1).trans = [0, 0, l/nd];\n"
      "joint(1).tr(2).trans = [inf, inf, inf]; joint(1).tr(2).rot = [0, inf, inf, inf];\n"
      "joint(2).first = [1, (0 : nd - 1)]'; joint(2).second = [1, (1 : nd)]';\n"
      "joint(2).spring.coeff = [20 20 60 1e-2 1e-2 5e-3];\n"
      "joint(2).spring.init = [0, 0, nan, 0, 0, 0];\n";
  for (int placed = 0; placed < 2; placed++) {
    char text[900];
    snprintf(text, sizeof text, "%s%s", listing,
             placed ? "joint(1).dof(3).init = (0:nd-1)'*l/nd;\n" : "");
    bench b = bench_new(text);
    assert_int_equal(count_messages(b.spec, TD_WARNING), placed ? 0 : 1);
    bench_free(&b);
  }
}

// ---- AutoTMTDyn -------------------------------------------------------------------------------

// A thread of the spider web as its listing writes it: two masses on a radius, springs placed by tr
// and tr2nd.  Along the thread w² = k/m (3 -+ sqrt 5)/2; across it nothing pulls at the rest
// length.
static void the_listing_of_the_web_runs(void** state) {
  (void)state;
  bench b = bench_new(
      "l = 0.1; k = 40; m = 0.01;\n"
      "for ib = 1 : 2\n"
      "  ij = 2*ib - 1;\n"
      "  body(ib).type = 'rigid'; body(ib).m = m; body(ib).l_com = [0, 0, 0];\n"
      "  joint(ij).first = 0; joint(ij).second = ib;\n"
      "  joint(ij).tr(1).trans = [inf, inf, inf];\n"
      "  joint(ij).dof(1).init = ib*l; joint(ij).dof(1).damp.visc = 0;\n"
      "  ik = ij + 1;\n"
      "  joint(ik).first = ib - 1; joint(ik).second = ib;\n"
      "  joint(ik).tr.trans = [0, 0, 0]; joint(ik).tr.rot = [0, 0];\n"
      "  joint(ik).tr2nd.trans = [0, 0, 0]; joint(ik).tr2nd.rot = [0, 0];\n"
      "  joint(ik).spring.coeff = k; joint(ik).spring.init = l; joint(ik).spring.comp = 1;\n"
      "  joint(ik).damp.visc = 0;\n"
      "end\n");
  td_modes_result* modes;
  assert_int_equal(td_modes(b.model, b.state, b.work, &modes), TD_OK);
  assert_int_equal(modes->n, 6);
  for (int i = 0; i < 2; i++)
    CHECK_NEAR(modes->omega[4 + i], sqrt(40 / 0.01 * (3 + (i ? 1 : -1) * sqrt(5)) / 2), 1e-9);
  td_modes_free(modes);
  bench_free(&b);
}

// The whisker: segments bend about y by [0 inf 0] and hang on a base that two springs hold.  A tip
// force F bends each joint by F (distance to the tip)/k, to first order; the base gives F/k_b.
static void the_listing_of_the_whisker_runs(void** state) {
  (void)state;
  bench b = bench_new(
      "n_s = 5; ds = 0.02; EJ = 0.05; k_c = 300; F = 1e-4;\n"
      "body(1).m = 0.01; body(1).J = 1e-6; joint(1).first = 0; joint(1).second = 1;\n"
      "joint(1).tr(1).trans = [inf, 0, 0];\n"
      "for i = 2 : n_s + 1\n"
      "  body(i).m = 1e-3; body(i).I = 1e-7*eye(3); body(i).l_com = [0, 0, ds/2];\n"
      "  body(i).tip = [0, 0, ds]; joint(i).first = i - 1; joint(i).second = i;\n"
      "  joint(i).tr(1).trans = [0, 0, ds*(i > 2)]; joint(i).tr(1).rot = [0, inf, 0];\n"
      "  joint(i).dof(1).init = 0; joint(i).dof(1).spring.coeff = EJ/ds;\n"
      "  joint(i).dof(1).spring.init = 0; joint(i).dof(1).damp.visc = 1e-4;\n"
      "end\n"
      "joint(i+1).first = 0; joint(i+1).second = 1;\n"
      "joint(i+1).tr(1).trans = [0, 0, 0]; joint(i+1).tr2nd.trans = [0, 0, 0];\n"
      "joint(i+1).spring.coeff = k_c; joint(i+1).spring.init = 0; joint(i+1).damp.visc = 0.1;\n"
      "exload(1).body = n_s + 1; exload(1).tr.trans = [0, 0, ds]; exload(1).ftau = [F 0 0];\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(body(n_s + 1), [0 0 ds]);\n");
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  double tip[3], want = 1e-4 / 300;
  for (int i = 1; i <= 5; i++) want += 1e-4 * pow(0.02 * i, 2) / (0.05 / 0.02);
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(b.model, b.state, b.work, tip), TD_OK);
  // angles of 1e-5 rad: the second order is 1e-10 of the first
  CHECK_NEAR(tip[0] / want, 1, 1e-7);
  bench_free(&b);
}

// ---- sections ---------------------------------------------------------------------------------

// An ellipse against its closed forms written as a custom section, and against the circle.
static void ellipses_have_their_moments(void** state) {
  (void)state;
  static const char custom[] =
      "rod(1).section = 'custom'; a = 0.015; b = 0.01; rod(1).area = pi*a*b; "
      "rod(1).Ix = pi*a*b^3/4; rod(1).Iy = pi*a^3*b/4; rod(1).J = pi*a^3*b^3/(a^2 + b^2);";
  static const char* const sections[] = {
      "rod(1).section = 'ellipse'; rod(1).width = 0.03; rod(1).height = 0.02;", custom,
      "rod(1).section = 'ellipse'; rod(1).width = 0.02; rod(1).height = 0.02;",
      "rod(1).radius = 0.01;"};
  double tip[4][6];
  for (int i = 0; i < 4; i++) {
    char text[700];
    snprintf(text, sizeof text,
             "rod(1).length = 0.3; rod(1).E = 1e6; rod(1).rho = 1000; %s\n"
             "world.g = [0 -3 -9]; exload(1).exbody = at(rod(1), 0.3);\n"
             "exload(1).ftau = [0.1 0.05 0 0 0 0.003];\n"
             "sensor(1).name = 'p'; sensor(1).value = pos(rod(1));\n"
             "sensor(2).name = 'e'; sensor(2).value = strain(rod(1), 0.1)(4:6);\n",
             sections[i]);
    bench b = bench_new(text);
    const td_equil_options options = td_equil_options_default();
    td_equil_result found;
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
    assert_int_equal(td_sensors(b.model, b.state, b.work, tip[i]), TD_OK);
    bench_free(&b);
  }
  for (int k = 0; k < 6; k++) {
    CHECK_NEAR(tip[0][k], tip[1][k], 1e-9);
    CHECK_NEAR(tip[2][k], tip[3][k], 1e-9);
  }
}

// ---- figures ----------------------------------------------------------------------------------

// A rod bent by a moment M at its tip is an arc of curvature M/EJ: the table of strains has it at
// every place of every model, and the lines of the shape end where the arc ends.
static void tables_of_strain_and_shape_are_the_arc(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "eba", "srl", "rom"};
  const double L = 0.3, k = 4, EJ = 1e6 * 3.14159265358979323846 * 1e-8 / 4;
  for (int i = 0; i < 5; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "rod(1).length = 0.3; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).radius = 0.01;\n"
             "rod(1).model = '%s'; rod(1).n = %d;\n"
             "exload(1).exbody = at(rod(1), 0.3); exload(1).ftau = [0 0 0 0 %.17g 0];\n",
             models[i], i == 0 || i == 4 ? 5 : 20, k * EJ);
    bench b = bench_new(text);
    const td_equil_options options = td_equil_options_default();
    td_equil_result found;
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, &options, &found), TD_OK);
    td_table *strain, *shape;
    const td_state* states[] = {b.state};
    assert_int_equal(td_strain_table(b.model, b.work, states, 1, 0, &strain), TD_OK);
    assert_int_equal(td_strain_table(b.model, b.work, states, 1, 1, &shape), TD_E_USAGE);
    assert_int_equal(td_shape_table(b.model, b.work, states, 1, &shape), TD_OK);
    assert_string_equal(strain->names[5], "bend_y, 0 s");
    double bend = 0, other = 0;
    for (int r = 0; r < strain->rows; r++) {
      const double* row = strain->values + (size_t)r * 7;
      assert_true(row[0] >= 0 && row[0] <= L && (r == 0 || row[0] > row[-7]));
      bend = fmax(bend, fabs(row[5] / k - 1));
      other = fmax(other, fabs(row[4]) + fabs(row[6]));
    }
    // the last point of the rod; rows of NaN end a line
    int last = 0;
    while (last < shape->rows && !isnan(shape->values[(size_t)last * 3])) last++;
    const double* end = shape->values + 3 * (size_t)(last - 1);
    const double x = (1 - cos(k * L)) / k, z = sin(k * L) / k;
    printf("%s: bends off by %.1e, tip by %.1e m\n", models[i], bend,
           hypot(end[0] - x, end[2] - z));
    // segments of 0.06 rad have chords for arcs, (0.06)²/12 or twice that; rom has polynomials of
    // order 5
    CHECK_NEAR(bend, 0, i == 4 ? 5e-6 : 1e-9);
    CHECK_NEAR(other, 0, 1e-6);
    CHECK_NEAR(hypot(end[0] - x, end[2] - z) / L, 0, i == 0 || i == 4 ? 1e-8 : 1e-3);
    td_table_free(strain);
    td_table_free(shape);
    bench_free(&b);
  }
}

// Three numbers beside `fixed` are accelerations along x, y, z, also of three repeated constraints,
// where a column is one number for each.
static void three_controls_are_those_along_the_axes(void** state) {
  (void)state;
  static const char* const control[] = {"[0.3 0.7 -0.2]", "[0.3 0 -0.2 0 0 0]", "[0.1; 0.2; 0.3]"};
  static const double want[3][3][3] = {{{0.3, 0, -0.2}, {0.3, 0, -0.2}, {0.3, 0, -0.2}},
                                       {{0.3, 0, -0.2}, {0.3, 0, -0.2}, {0.3, 0, -0.2}},
                                       {{0.1, 0, 0.1}, {0.2, 0, 0.2}, {0.3, 0, 0.3}}};
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "body(1).m = [1 2 3]; joint(1).second = [1 1:3]; joint(1).tr.trans = [inf inf inf];\n"
             "joint(2).second = [1 1:3]; joint(2).fixed = [1 0 1]; joint(2).control = %s;",
             control[k]);
    td_spec* spec = td_spec_new();
    td_spec_load_string(spec, "control.m", text);
    bench b = bench_of(spec);
    assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
    for (int i = 0; i < 9; i++) CHECK_NEAR(td_work_vdot(b.work)[i], want[k][i / 3][i % 3], 1e-14);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_as_shipped_runs_in_all_four_studies),
      cmocka_unit_test(a_study_with_its_habits_runs),
      cmocka_unit_test(programs_for_the_package_are_told_apart),
      cmocka_unit_test(a_sleeve_as_shipped_hangs_on_its_clips),
      cmocka_unit_test(an_axial_damper_acts_on_every_component_as_published),
      cmocka_unit_test(nets_that_are_new_damp_along_their_edges),
      cmocka_unit_test(bends_of_segments_can_be_the_same_coordinates),
      cmocka_unit_test(parts_of_one_rotation_can_be_equal),
      cmocka_unit_test(inertias_may_be_one_number_and_be_called_J),
      cmocka_unit_test(tr2nd_tells_links_from_main_joints),
      cmocka_unit_test(sensors_lie_anywhere_on_a_polynomial_body),
      cmocka_unit_test(par_nint_is_the_number_of_points),
      cmocka_unit_test(a_polynomial_rod_is_as_stable_as_the_rod),
      cmocka_unit_test(beams_without_length_get_a_warning),
      cmocka_unit_test(the_listing_of_the_web_runs),
      cmocka_unit_test(the_listing_of_the_whisker_runs),
      cmocka_unit_test(ellipses_have_their_moments),
      cmocka_unit_test(tables_of_strain_and_shape_are_the_arc),
      cmocka_unit_test(three_controls_are_those_along_the_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
