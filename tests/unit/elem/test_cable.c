// A cable through the sections of a rod: its length, the actuation column, its stiffness and its
// turning.
#include "elem/cable.h"
#include "moving.h"

typedef struct setting {
  double x[6], dx[6], path[CABLE_PATH];
  bool joint;
  int k;
} setting;

static setting random_setting(uint64_t* seed) {
  setting s = {.joint = false};
  for (int i = 0; i < 6; i++) {
    s.x[i] = 0.3 * check_random(seed);
    s.dx[i] = check_random(seed);
    s.path[i] = 0.5 * check_random(seed);
  }
  return s;
}
static cable_section along(const setting* s, double h) {
  double x[6];
  for (int i = 0; i < 6; i++) x[i] = s->x[i] + h * s->dx[i];
  return cable_through(s->joint, x, s->path);
}
static double length_along(double h, const void* with) { return along(with, h).l; }
static double column_along(double h, const void* with) {
  return along(with, h).g[((const setting*)with)->k];
}
static double bend_along(double h, const void* with) {
  const setting* s = with;
  double x[6], slope[6];
  for (int i = 0; i < 6; i++) x[i] = s->x[i] + h * s->dx[i];
  const cable_section c = cable_through(s->joint, x, s->path);
  return cable_bend(&c, x, 0.7, slope);
}

static double sum6(const double a[6], const double b[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += a[i] * b[i];
  return sum;
}

static void test_the_column_is_the_slope_of_the_length(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 100; i++) {
    setting s = random_setting(&seed);
    s.joint = i % 2;
    const cable_section c = along(&s, 0);
    double dg[6], K[6][6] = {{0}};
    CHECK_NEAR(sum6(c.g, s.dx), slope_of(length_along, &s), 1e-10);
    cable_change(&c, s.dx, dg);
    cable_stiffen(&c, 1, K);
    for (s.k = 0; s.k < 6; s.k++) {
      CHECK_NEAR(dg[s.k], slope_of(column_along, &s), 1e-10);
      CHECK_NEAR(-sum6(K[s.k], s.dx), dg[s.k],
                 1e-13);  // the stiffness is the Hessian of the length
    }
  }
}

static void test_the_turning_has_an_exact_slope(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 100; i++) {
    setting s = random_setting(&seed);
    s.joint = i % 2;
    if (s.joint)
      s.x[3] = s.x[4] = 0.5;  // a joint turns the cable by its own rotation, away from zero
    const cable_section c = along(&s, 0);
    double slope[6];
    cable_bend(&c, s.x, 0.7, slope);
    CHECK_NEAR(sum6(slope, s.dx), slope_of(bend_along, &s), 1e-8);
  }
}

// Bent about x with curvature κ, a cable at (0, y) is (1 + κ y) times as long as the rod and turns
// by κ.
static void test_a_cable_beside_a_bent_rod_has_the_length_of_its_arc(void** state) {
  (void)state;
  for (double bend = -2; bend <= 2; bend += 0.5)
    for (double y = -0.1; y <= 0.1; y += 0.05) {
      const double x[6] = {0, 0, 0, bend, 0, 0}, path[CABLE_PATH] = {0.03, y, 0, 0, 0, 0};
      double slope[6];
      const cable_section c = cable_at(x, path);
      CHECK_NEAR(c.l, 1 + bend * y, 1e-15);
      CHECK_NEAR(cable_bend(&c, x, 1, slope), hypot(bend, 1e-5) - 1e-5, 1e-14);
    }
}

// Over a hinge a cable is lengthened by angle times distance, by a slide its travel, by a twist not
// at all.
static void test_a_joint_counts_as_the_limit_of_a_short_rod(void** state) {
  (void)state;
  const double path[CABLE_PATH] = {0.02, 0.05, 0, 0, 0, 0};
  const double hinge[6] = {0, 0, -1, 0.7, 0, 0}, slide[6] = {0, 0, -1 + 0.3, 0, 0, 0},
               twist[6] = {0, 0, -1, 0, 0, 0.7};
  CHECK_NEAR(cable_over(hinge, path).l, 0.7 * 0.05, 1e-15);
  CHECK_NEAR(cable_over(slide, path).l, 0.3, 1e-15);
  CHECK_NEAR(cable_over(twist, path).l, 0, 1e-15);
}

static void test_a_slack_cable_does_not_push(void** state) {
  (void)state;
  CHECK_NEAR(cable_taut(100, 0.02).tension, 2, 1e-15);
  CHECK_NEAR(cable_taut(100, 0.02).slope, 100, 0);
  CHECK_NEAR(cable_taut(100, -0.02).tension, 0, 0);
  CHECK_NEAR(cable_taut(100, -0.02).slope, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_column_is_the_slope_of_the_length),
      cmocka_unit_test(test_the_turning_has_an_exact_slope),
      cmocka_unit_test(test_a_cable_beside_a_bent_rod_has_the_length_of_its_arc),
      cmocka_unit_test(test_a_joint_counts_as_the_limit_of_a_short_rod),
      cmocka_unit_test(test_a_slack_cable_does_not_push),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
