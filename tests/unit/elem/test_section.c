// The law of a cross-section: forces, their change with strains, rates and numbers, and the energy.
#include "elem/section.h"
#include "moving.h"

enum { NUMBERS = 36 + 36 + 6 + 6 + 6 };
typedef struct setting {
  double n[NUMBERS], dn[NUMBERS], p, dp, load;
  double x[6], u[6], dx[6], du[6];
  int k;
} setting;

static section section_of(const double* n, double p, double load) {
  return (section){
      .K = n, .D = n + 36, .x0 = n + 72, .input = n + 78, .mu = n + 84, .p = p, .load = load};
}
static setting random_setting(uint64_t* seed) {
  setting s = {.p = 2.2 + 0.5 * check_random(seed), .dp = check_random(seed), .load = 0.7};
  for (int i = 0; i < NUMBERS; i++) s.n[i] = check_random(seed), s.dn[i] = check_random(seed);
  for (int i = 0; i < 6; i++) {
    s.x[i] = check_random(seed), s.dx[i] = check_random(seed);
    // rates away from zero, where the power law has a corner of higher order
    s.u[i] = copysign(0.6 + 0.4 * check_random(seed), check_random(seed)),
    s.du[i] = check_random(seed);
  }
  return s;
}
static double force_along(double h, const void* with) {
  const setting* s = with;
  double n[NUMBERS], x[6], u[6], f[6];
  for (int i = 0; i < NUMBERS; i++) n[i] = s->n[i] + h * s->dn[i];
  for (int i = 0; i < 6; i++) x[i] = s->x[i] + h * s->dx[i], u[i] = s->u[i] + h * s->du[i];
  const section c = section_of(n, s->p + h * s->dp, s->load);
  section_force(&c, x, u, 0x3f, f);
  return f[s->k];
}
static double energy_along(double h, const void* with) {
  const setting* s = with;
  double x[6];
  for (int i = 0; i < 6; i++) x[i] = s->x[i] + h * s->dx[i];
  const section c = section_of(s->n, s->p, s->load);
  return section_energy(&c, x);
}

static void test_changes_with_strains_rates_and_all_numbers_are_exact(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    setting s = random_setting(&seed);
    const section c = section_of(s.n, s.p, s.load), d = section_of(s.dn, s.dp, 0);
    double df[6];
    section_change(&c, &d, s.x, s.u, s.dx, s.du, df);
    for (s.k = 0; s.k < 6; s.k++) CHECK_NEAR(df[s.k], slope_of(force_along, &s), 1e-9);
  }
}

static void test_slopes_are_the_changes_along_each_strain_and_rate(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 20; i++) {
    const setting s = random_setting(&seed);
    const double none[NUMBERS] = {0};
    const section c = section_of(s.n, s.p, s.load), d = section_of(none, 0, 0);
    double dx[6][6], du[6][6], df[6];
    section_slopes(&c, s.u, dx, du);
    for (int k = 0; k < 6; k++) {
      double e[6] = {0};
      const double still[6] = {0};
      e[k] = 1;
      section_change(&c, &d, s.x, s.u, e, still, df);
      for (int j = 0; j < 6; j++) CHECK_NEAR(dx[k][j], df[j], 1e-15);
      section_change(&c, &d, s.x, s.u, still, e, df);
      for (int j = 0; j < 6; j++) CHECK_NEAR(du[k][j], df[j], 1e-15);
    }
  }
}

// With a symmetric K the elastic force is minus the slope of the energy.
static void test_the_energy_is_the_potential_of_the_elastic_force(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 50; i++) {
    setting s = random_setting(&seed);
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < a; b++) s.n[6 * a + b] = s.n[6 * b + a];
    for (int k = 36; k < 72; k++) s.n[k] = 0;
    for (int k = 78; k < NUMBERS; k++) s.n[k] = 0;
    const section c = section_of(s.n, 1, 1);
    double f[6], work = 0;
    section_force(&c, s.x, s.u, 0x3f, f);
    for (int k = 0; k < 6; k++) work += f[k] * s.dx[k];
    CHECK_NEAR(-work, slope_of(energy_along, &s), 1e-10);
  }
}

static void test_only_the_forces_that_are_wanted_are_made(void** state) {
  (void)state;
  uint64_t seed = 4;
  const setting s = random_setting(&seed);
  const section c = section_of(s.n, s.p, s.load);
  double all[6], some[6];
  section_force(&c, s.x, s.u, 0x3f, all);
  section_force(&c, s.x, s.u, 0x2a, some);
  for (int k = 0; k < 6; k++) CHECK_NEAR(some[k], k % 2 ? all[k] : 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_with_strains_rates_and_all_numbers_are_exact),
      cmocka_unit_test(test_slopes_are_the_changes_along_each_strain_and_rate),
      cmocka_unit_test(test_the_energy_is_the_potential_of_the_elastic_force),
      cmocka_unit_test(test_only_the_forces_that_are_wanted_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
