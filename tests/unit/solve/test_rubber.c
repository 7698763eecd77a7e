// Rods of rubber by name: uniaxial tension of every law in every rod model, Rivlin's twisted
// cylinder, bending of a stretched rod against an integral over its fibres, small strains as with
// the linear law, energy in motion, and what is refused.
#include "../engine/robots.h"
#include "elem/material.h"

static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
enum { MODELS = 5 };
static const double pi = 3.14159265358979323846;

// Nominal stress of incompressible uniaxial stretch, 2 (λ - 1/λ²) (W1 + W2/λ), for the moduli that
// the texts below have.
static double stress_neo_hooke(double l) { return 4e4 * (l - 1 / (l * l)); }
static double stress_mooney_rivlin(double l) { return 2 * (l - 1 / (l * l)) * (1.5e4 + 6e3 / l); }
static double stress_yeoh(double l) {
  const double x = l * l + 2 / l - 3;
  return 2 * (l - 1 / (l * l)) * (2e4 - 2 * 600 * x + 3 * 90 * x * x);
}
static double stress_gent(double l) {
  return (l - 1 / (l * l)) * 4e4 * 30 / (30 - (l * l + 2 / l - 3));
}
static const struct {
  const char* text;
  double (*stress)(double);
} laws[] = {
    {"rod(1).law = 'neo-hooke'; rod(1).moduli = 4e4;\n", stress_neo_hooke},
    {"rod(1).law = 'neo-hooke'; rod(1).E = 1.2e5;\n", stress_neo_hooke},
    {"rod(1).law = 'mooney-rivlin'; rod(1).moduli = [1.5e4 6e3];\n", stress_mooney_rivlin},
    {"rod(1).law = 'yeoh'; rod(1).moduli = [2e4 -600 90];\n", stress_yeoh},
    {"rod(1).law = 'gent'; rod(1).moduli = [4e4 30];\n", stress_gent},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

// λ at which a law has a stress, by bisection between 1/4 and 5.
static double stretch_at(double (*stress)(double), double s) {
  double low = 0.25, high = 5;
  for (int k = 0; k < 200; k++) {
    const double middle = 0.5 * (low + high);
    if (stress(middle) < s)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

static double measured(robot* r, int sensor) {
  double y[16];
  assert_true(r->ny <= 16);
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  return y[sensor];
}
static void settle(robot* r) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &found), TD_OK);
}

// A weight hangs on a rod without mass: λ = 2.2 and more, and 0.97 where it stands on it.
static void uniaxial_tension_is_that_of_the_law(void** unused) {
  (void)unused;
  const double A = pi * 1e-4;
  for (int k = 0; k < LAWS; k++)
    for (int m = 0; m < MODELS; m++)
      for (int side = 0; side < 2; side++) {
        const double F = side ? 1.1 : 24;
        char text[2000];
        snprintf(text, sizeof text,
                 "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).inertia = 1e-9*ones(1,6);\n"
                 "rod(1).n = 2; rod(1).model = '%s'; %s"
                 "exload(1).exbody = rod(1); exload(1).ftau = [0 0 %.17g 0 0 0];\n"
                 "sensor(1).name = 'z'; sensor(1).value = pos(rod(1))(3);\n",
                 models[m], laws[k].text, side ? -F : F);
        robot r = robot_load(text);
        settle(&r);
        const double want = stretch_at(laws[k].stress, (side ? -F : F) / A);
        CHECK_NEAR(measured(&r, 0) / (0.3 * want), 1, 1e-9);
        robot_free(&r);
      }
}

// A neo-Hookean cylinder that a moment M twists and nothing pulls [rivlin1949]:
//
//   M = μ J τ/λ,   0 = μ A (λ - 1/λ²) - μ J τ²/(2 λ²)
//
// so that λ³ - 1 = J τ²/(2 A): it becomes longer.
static void a_twisted_cylinder_becomes_longer_as_rivlin_says(void** unused) {
  (void)unused;
  const double r0 = 0.01, mu = 4e4, A = pi * r0 * r0, J = pi * pow(r0, 4) / 2, tau = 60;
  const double l = cbrt(1 + J * tau * tau / (2 * A)), M = mu * J * tau / l;
  for (int m = 0; m < MODELS; m++) {
    if (strcmp(models[m], "rom") == 0 || strcmp(models[m], "eba") == 0) continue;  // half a turn
    char text[2000];
    snprintf(text, sizeof text,
             "rod(1).length = 0.1; rod(1).radius = 0.01; rod(1).rho = 1000; rod(1).n = 12;\n"
             "rod(1).modes = [0 0 1 0 0 1]; rod(1).model = '%s'; rod(1).law = 'neo-hooke';\n"
             "rod(1).moduli = 4e4; exload(1).exbody = rod(1); exload(1).refbody = rod(1);\n"
             "exload(1).ftau = [0 0 0 0 0 %.17g];\n"
             "sensor(1).name = 'e'; sensor(1).value = strain(rod(1), 0.05);\n",
             models[m], M);
    robot r = robot_load(text);
    settle(&r);
    // segments have finite turns: their strains are those of the middle to (τ h/2)²/6 at most
    const double exact = strcmp(models[m], "gvs") == 0 ? 1e-9 : 2e-2;
    CHECK_NEAR((measured(&r, 2) - (l - 1)) / (l - 1), 0, exact);
    CHECK_NEAR(measured(&r, 5) / tau, 1, exact);
    robot_free(&r);
  }
}

// Energy per volume of uniaxial stretch: the integral of the stress, by Simpson's rule.
static double energy_at(double (*stress)(double), double l) {
  enum { STEPS = 400 };
  double sum = 0;
  const double h = (l - 1) / STEPS;
  for (int i = 0; i <= STEPS; i++)
    sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * stress(1 + i * h);
  return sum * h / 3;
}

// ∫ W(λ + κ η) dA over a circle: fibres in uniaxial tension, at the height
// η = y/√λ - κ (y² - x²)/(4 λ²) to which local contraction by 1/√(λ + κ η) moves them.
static double fibres(double (*stress)(double), double l, double kappa, double radius) {
  enum { RINGS = 40, ANGLES = 48 };
  double sum = 0;
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < ANGLES; j++) {
      const double r = radius * (i + 0.5) / RINGS, a = 2 * pi * j / ANGLES;
      const double x = r * cos(a), y = r * sin(a);
      const double eta = y / sqrt(l) - kappa * (y * y - x * x) / (4 * l * l);
      sum += r * radius / RINGS * 2 * pi / ANGLES * energy_at(stress, l + kappa * eta);
    }
  return sum;
}

static void bending_of_a_stretched_rod_is_that_of_its_fibres(void** unused) {
  (void)unused;
  const double radius = 0.01, kappa = 4, length = 0.2;
  for (int k = 0; k < LAWS; k++)
    for (int s = 0; s < 3; s++) {
      const double l = (double[]){0.8, 1.3, 2.2}[s];
      char text[2000];
      snprintf(text, sizeof text,
               "rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).rho = 1000; rod(1).n = 0 + 1;\n"
               "rod(1).order = 0; rod(1).modes = [0 0 1 1 0 0]; %s",
               laws[k].text);
      robot r = robot_load(text);
      assert_int_equal(r.nq, 2);
      double U[2];
      for (int bent = 0; bent < 2; bent++) {
        r.state->q[0] = l - 1;
        r.state->q[1] = bent * kappa;
        assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
        U[bent] = td_energy(r.model, r.state, r.work).elastic / length;
      }
      const double want =
          fibres(laws[k].stress, l, kappa, radius) - fibres(laws[k].stress, l, 0, radius);
      // (κ r)² = 1.6e-3 of what is left out, and rings of the sum over the circle
      CHECK_NEAR((U[1] - U[0]) / want, 1, 1e-2);
      robot_free(&r);
    }
}

static void small_strains_vibrate_as_with_the_linear_law(void** unused) {
  (void)unused;
  for (int k = 0; k < LAWS; k++) {
    double mu = laws[k].stress(1 + 1e-5) / 3e-5;  // the slope at rest is 3 μ, to 1e-5
    td_modes_result* found[2];
    for (int linear = 0; linear < 2; linear++) {
      char law[200], text[2000];
      snprintf(law, sizeof law, "rod(1).E = %.17g;\n", 3 * mu);
      snprintf(text, sizeof text,
               "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).rho = 1000; rod(1).n = 3;\n%s",
               linear ? law : laws[k].text);
      robot r = robot_load(text);
      assert_int_equal(td_modes(r.model, r.state, r.work, &found[linear]), TD_OK);
      robot_free(&r);
    }
    for (int i = 0; i < 8; i++) CHECK_NEAR(found[0]->omega[i] / found[1]->omega[i], 1, 1e-4);
    td_modes_free(found[0]);
    td_modes_free(found[1]);
  }
}

static void rubber_keeps_its_energy_in_motion(void** unused) {
  (void)unused;
  for (int k = 1; k < LAWS; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).rho = 1000; rod(1).n = 2;\n%s"
             "world.g = [3 0 -9.81]; par.t_final = 0.3; par.rtol = 1e-8; par.atol = 1e-10;\n"
             "rod(1).init = [0 0 0.3 2 0 4];\n",
             laws[k].text);
    robot r = robot_load(text);
    const td_sim_options options = td_sim_options_default();
    td_trajectory* run = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    const td_sim_stats* stats = td_trajectory_stats(run);
    CHECK_NEAR(stats->energy_error / stats->energy_start, 0, 1e-5);
    td_trajectory_free(run);
    robot_free(&r);
  }
}

// A named material gives the numbers that are not written, and rubber by its name.
static void materials_give_what_is_not_written(void** unused) {
  (void)unused;
#define HANGING                                                                          \
  "rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).n = 2; rod(1).tr.rot = [2 pi/2];\n" \
  "world.g = [0 0 -9.81]; sensor(1).name = 'z'; sensor(1).value = pos(rod(1))(3);\n"
  static const char* const pairs[][2] = {
      {HANGING "rod(1).material = 'dragon skin 30';\n",
       HANGING "rod(1).E = 1.02e6; rod(1).rho = 1080;\n"},
      {HANGING "rod(1).material = 'peek'; rod(1).rho = 1400;\n",
       HANGING "rod(1).E = 4e9; rod(1).rho = 1400; rod(1).nu = 0.4;\n"},
      {HANGING "rod(1).material = 'dragon skin 30'; rod(1).law = 'neo-hooke';\n",
       HANGING "rod(1).rho = 1080; rod(1).law = 'neo-hooke'; rod(1).moduli = 3.4e5;\n"},
      {HANGING
       "rod(1).E = 5; rod(1).rho = 1; rod(1).part(1).length = 0.1; rod(1).part(2).length = 0.1;\n"
       "rod(1).part(1).material = 'ninjaflex'; rod(1).part(2).material = 'dragon skin 30';\n",
       HANGING "rod(1).part(1).length = 0.1; rod(1).part(2).length = 0.1;\n"
               "rod(1).part(1).E = 1.2e7; rod(1).part(1).rho = 1190; rod(1).part(1).nu = 0.48;\n"
               "rod(1).part(2).E = 1.02e6; rod(1).part(2).rho = 1080;\n"},
  };
  for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
    double z[2];
    for (int i = 0; i < 2; i++) {
      char text[2000];
      snprintf(text, sizeof text, "%s%s", pairs[k][i], k == 3 ? "rod(1).length = [];\n" : "");
      robot r = robot_load(text);
      settle(&r);
      z[i] = measured(&r, 0);
      robot_free(&r);
    }
    CHECK_NEAR(z[0], z[1], 1e-12);
  }
}

static void contradictions_are_refused(void** unused) {
  (void)unused;
  static const char* const cases[][2] = {
      {"rod(1).law = 'yeoh'; rod(1).moduli = [1 2];", "rod(1).moduli: the law 'yeoh' has 3, got 2"},
      {"rod(1).law = 'yeoh'; rod(1).E = 1e5;", "contradict"},
      {"rod(1).law = 'gent';", "the law 'gent' has 2, got 0"},
      {"rod(1).law = 'neo-hooke';", "needs moduli, E or a material"},
      {"rod(1).law = 'neo-hooke'; rod(1).moduli = 1e5; rod(1).energy = strain(3)^2;", "contradict"},
      {"rod(1).law = 'neo-hooke'; rod(1).moduli = -1e5;", "> 0"},
      {"rod(1).law = 'gent'; rod(1).moduli = [1e5 -1];", "> 0"},
      {"rod(1).law = 'neo-hoke'; rod(1).moduli = 1e5;", "neo-hooke"},
      {"rod(1).material = 'ecoflex';", "ecoflex 00-30"},
      {"rod(1).E = 1e5; rod(1).moduli = 1e5;", "has no effect: the law is linear"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).rho = 1000; %s\n", cases[k][0]);
    td_spec* spec = td_spec_new();
    td_model* model = NULL;
    td_spec_load_string(spec, "robot.m", text);
    const td_status status = td_model_compile(spec, &model);
    if (strstr(cases[k][1], "no effect"))
      assert_int_equal(status, TD_OK);
    else
      assert_int_not_equal(status, TD_OK);
    if (!strstr(td_spec_messages(spec), cases[k][1]))
      fail_msg("no '%s' in: %s", cases[k][1], td_spec_messages(spec));
    td_model_free(model);
    td_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniaxial_tension_is_that_of_the_law),
      cmocka_unit_test(a_twisted_cylinder_becomes_longer_as_rivlin_says),
      cmocka_unit_test(bending_of_a_stretched_rod_is_that_of_its_fibres),
      cmocka_unit_test(small_strains_vibrate_as_with_the_linear_law),
      cmocka_unit_test(rubber_keeps_its_energy_in_motion),
      cmocka_unit_test(materials_give_what_is_not_written),
      cmocka_unit_test(contradictions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
