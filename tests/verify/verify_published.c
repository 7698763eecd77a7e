// Files and listings of the published packages mean here what was published.  Numbers are closed
// forms of the mechanics, written out in this file.
#include <unistd.h>

#include "bench.h"

static int count_messages(td_spec* spec, td_severity severity) {
  int n = 0;
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    if (td_spec_message(spec, i).severity == severity) n++;
  }
  return n;
}

// ---- a file as shipped ------------------------------------------------------------------------

static double equilibrium_of_module(int method, double* tip) {
  char number[8];
  td_spec* spec = td_spec_new();
  snprintf(number, sizeof number, "%d", method);
  td_spec_override(spec, "method", number);
  td_spec_load_file(spec, TEST_SOURCE_DIR "/tests/verify/models/published_module.m");
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
  for (int k = 0; k < 4; k++) {
    equilibrium_of_module(k + 1, &tip);
    const double want = k == 0 ? rom : chain;
    printf("%s: tip at %.9f m, closed form %.9f m\n", names[k], tip, want);
    // equilibria are found to 1e-9 of the weight's work, in coordinates of condition 1e3
    CHECK_NEAR(tip / want, 1, 1e-8);
  }
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_as_shipped_runs_in_all_four_studies),
      cmocka_unit_test(an_axial_damper_acts_on_every_component_as_published),
      cmocka_unit_test(nets_that_are_new_damp_along_their_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
