// Strains of a polynomial pose: from the pose itself, with their derivatives and the forces that
// work on them.
#include "elem/polyrod.h"
#include "moving.h"

typedef struct setting {
  polyrod_vector z, zd, dz, dzd;
  double f[6];
  int k;
} setting;

static polyrod_vector random_numbers(uint64_t* seed) {
  return (polyrod_vector){random_vector(seed, 1), random_vector(seed, 0.4), random_vector(seed, 1)};
}
static polyrod_vector along(const polyrod_vector* a, double h, const polyrod_vector* b) {
  return (polyrod_vector){vec3_axpy(h, b->ps, a->ps), vec3_axpy(h, b->x, a->x),
                          vec3_axpy(h, b->xs, a->xs)};
}
static polyrod rod_of(const polyrod_vector* z, const polyrod_vector* zd) {
  return td_polyrod(z->ps, z->x, z->xs, zd->ps, zd->x, zd->xs);
}
static setting random_setting(uint64_t* seed) {
  setting s = {random_numbers(seed),
               random_numbers(seed),
               random_numbers(seed),
               random_numbers(seed),
               {0},
               0};
  for (int i = 0; i < 6; i++) s.f[i] = check_random(seed);
  return s;
}

static double strain_along_rate(double h, const void* with) {
  const setting* s = with;
  const polyrod_vector z = along(&s->z, h, &s->zd);
  return rod_of(&z, &s->zd).strain[s->k];
}
static double strain_along(double h, const void* with) {
  const setting* s = with;
  const polyrod_vector z = along(&s->z, h, &s->dz);
  return rod_of(&z, &s->zd).strain[s->k];
}
static double rate_along(double h, const void* with) {
  const setting* s = with;
  const polyrod_vector z = along(&s->z, h, &s->dz), zd = along(&s->zd, h, &s->dzd);
  return rod_of(&z, &zd).rate[s->k];
}
static double at(const polyrod_vector* g, int k) {
  return vec3_at(k < 3 ? g->ps : k < 6 ? g->x : g->xs, k % 3);
}
static double force_along(double h, const void* with) {
  const setting* s = with;
  const polyrod_vector z = along(&s->z, h, &s->dz);
  const polyrod r = rod_of(&z, &s->zd);
  const polyrod_vector g = td_polyrod_force(&r, s->f);
  return at(&g, s->k);
}

static void test_rates_and_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    setting s = random_setting(&seed);
    const polyrod r = rod_of(&s.z, &s.zd);
    const polyrod_vector dg = td_polyrod_force_change(&r, &s.dz, s.f);
    double dx[6], du[6];
    td_polyrod_change(&r, &s.dz, &s.dzd, dx, du);
    for (s.k = 0; s.k < 6; s.k++) {
      CHECK_NEAR(r.rate[s.k], slope_of(strain_along_rate, &s), 1e-9);
      CHECK_NEAR(dx[s.k], slope_of(strain_along, &s), 1e-9);
      CHECK_NEAR(du[s.k], slope_of(rate_along, &s), 1e-8);
    }
    for (s.k = 0; s.k < 9; s.k++) CHECK_NEAR(at(&dg, s.k), slope_of(force_along, &s), 1e-9);
  }
}

static void test_forces_do_the_work_of_the_strains(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 50; i++) {
    const setting s = random_setting(&seed);
    const polyrod r = rod_of(&s.z, &s.zd);
    const polyrod_vector g = td_polyrod_force(&r, s.f);
    double inner = 0, outer = 0;
    for (int k = 0; k < 6; k++) inner += s.f[k] * r.rate[k];
    for (int k = 0; k < 9; k++) outer += at(&g, k) * at(&s.zd, k);
    CHECK_NEAR(outer, inner, 1e-13);
  }
}

// x(s) = sin(κ s/2) e_x and p' = R e_z: a circle of curvature κ, without shear and stretch.
static void test_a_circle_has_its_curvature(void** state) {
  (void)state;
  for (double bend = -2; bend <= 2; bend += 0.5)
    for (double s = 0; s < 1.2; s += 0.3) {
      const vec3 x = {sin(0.5 * bend * s), 0, 0}, xs = {0.5 * bend * cos(0.5 * bend * s), 0, 0},
                 still = {0, 0, 0};
      const vec3 tangent = mat3_apply(mat3_axis_angle((vec3){1, 0, 0}, bend * s), (vec3){0, 0, 1});
      const polyrod r = td_polyrod(tangent, x, xs, still, still, still);
      for (int k = 0; k < 6; k++) CHECK_NEAR(r.strain[k], k == 3 ? bend : 0, 1e-14);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_and_changes_agree_with_differences),
      cmocka_unit_test(test_forces_do_the_work_of_the_strains),
      cmocka_unit_test(test_a_circle_has_its_curvature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
