// The scalar law of springs and dampers: derivatives, potential, one-sided laws.
#include "elem/law.h"
#include "moving.h"

static const double powers[] = {1, 2, 3, 1.5, 0.5};
enum { POWERS = sizeof powers / sizeof *powers };

typedef struct setting {
  law l;
  double x, u;
} setting;

static double f_of_x(double h, const void* with) {
  const setting* s = with;
  return law_at(&s->l, s->x + h * 1e-3, s->u).f;
}
static double f_of_u(double h, const void* with) {
  const setting* s = with;
  return law_at(&s->l, s->x, s->u + h).f;
}
static double f_of_k(double h, const void* with) {
  setting s = *(const setting*)with;
  s.l.k += h;
  return law_at(&s.l, s.x, s.u).f;
}
static double f_of_x0(double h, const void* with) {
  setting s = *(const setting*)with;
  s.l.x0 += h * 1e-3;
  return law_at(&s.l, s.x, s.u).f;
}
static double f_of_mu(double h, const void* with) {
  setting s = *(const setting*)with;
  s.l.mu += h;
  return law_at(&s.l, s.x, s.u).f;
}
static double f_of_nu(double h, const void* with) {
  setting s = *(const setting*)with;
  s.l.nu += h;
  return law_at(&s.l, s.x, s.u).f;
}
static double energy_of_x(double h, const void* with) {
  const setting* s = with;
  return law_at(&s->l, s->x + h * 1e-3, s->u).energy;
}

// Differences over x and x0 are taken in steps of 2e-5: their rounding is 1e-11 of the force.
static void test_derivatives_are_exact_for_every_power_and_side(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int dir = -1; dir <= 1; dir++)
    for (int p = 0; p < POWERS; p++)
      for (int i = 0; i < 40; i++) {
        setting s = {.l = {.k = 3 + check_random(&seed), .x0 = 0.3 + 0.1 * check_random(&seed)}};
        s.l.mu = 0.5 + 0.4 * check_random(&seed);
        s.l.nu = powers[p];
        s.l.dir = dir;
        s.x = 0.8 * check_random(&seed);
        s.u = copysign(0.5 + 0.4 * check_random(&seed), check_random(&seed));
        const law_value v = law_at(&s.l, s.x, s.u);
        // beside the corners of a one-sided law, where no difference is a derivative
        const double e = dir * (s.x - s.l.x0), pull = s.l.k * e + s.l.mu * dir * s.u;
        if (dir != 0 && (fabs(e) < 1e-2 || fabs(pull) < 0.3)) continue;
        CHECK_NEAR(v.fx, 1e3 * slope_of(f_of_x, &s), 1e-8);
        CHECK_NEAR(v.fu, slope_of(f_of_u, &s), 1e-9);
        CHECK_NEAR(v.fk, slope_of(f_of_k, &s), 1e-10);
        CHECK_NEAR(v.fx0, 1e3 * slope_of(f_of_x0, &s), 1e-8);
        CHECK_NEAR(v.fmu, slope_of(f_of_mu, &s), 1e-10);
        if (s.l.nu > 1) {
          double w, slope;
          const double u2 = law_power(s.u, s.l.nu, &w, &slope);
          if (v.f == 0) w = 0;  // one-sided, off
          CHECK_NEAR(-s.l.mu * v.on * law_power_nu(w, u2), slope_of(f_of_nu, &s), 1e-9);
        }
        CHECK_NEAR(v.spring, -1e3 * slope_of(energy_of_x, &s), 1e-8);
      }
}

static void test_dampers_never_drive_and_one_sided_laws_never_act_the_other_way(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 3000; i++) {
    const law l = {.k = 10,
                   .x0 = 0.2 * check_random(&seed),
                   .mu = 5,
                   .nu = powers[i % POWERS],
                   .dir = i % 3 - 1};
    const double x = check_random(&seed), u = 4 * check_random(&seed);
    const law_value v = law_at(&l, x, u);
    assert_true((v.f - v.spring) * u <= 0 || (l.dir != 0 && v.f == 0));
    if (l.dir == 1) assert_true(v.f <= 0);   // a rope pulls x back
    if (l.dir == -1) assert_true(v.f >= 0);  // a stop pushes
    if (l.dir != 0 && l.dir * (x - l.x0) <= 0) assert_true(v.f == 0 && v.energy == 0 && v.on == 0);
  }
}

static void test_the_ramp_of_one_sided_dampers_has_no_jump(void** state) {
  (void)state;
  const law l = {.k = 0, .x0 = 0.5, .mu = 1, .nu = 1, .dir = 1};
  const double delta = LAW_RAMP * 0.5;
  double slope;
  CHECK_NEAR(law_switch(&l, 0.5, &slope), 0, 0);
  CHECK_NEAR(slope, 0, 0);
  CHECK_NEAR(law_switch(&l, 0.5 + 0.5 * delta, &slope), 0.5, 1e-12);
  CHECK_NEAR(law_switch(&l, 0.5 + delta * (1 - 1e-9), &slope), 1, 1e-15);
  CHECK_NEAR(slope * delta, 6e-9, 1e-12);
  CHECK_NEAR(law_at(&l, 0.5 + 0.5 * delta, 2).f, -1, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives_are_exact_for_every_power_and_side),
      cmocka_unit_test(test_dampers_never_drive_and_one_sided_laws_never_act_the_other_way),
      cmocka_unit_test(test_the_ramp_of_one_sided_dampers_has_no_jump),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
