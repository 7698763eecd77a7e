// Axial links and beams between two frames: lengths and strains, their rates and changes, and
// wrenches that do the work of the forces along them.
#include "elem/link.h"
#include "moving.h"

typedef struct link {
  moving a, b;
  mat3 axes;
  double f[6];
  int k;
} link;

static link random_link(uint64_t* seed) {
  link s = {.a = random_moving(seed, 1), .b = random_moving(seed, 1)};
  s.axes = turned_by(random_vector(seed, 2));
  for (int i = 0; i < 6; i++) s.f[i] = check_random(seed);
  return s;
}

static axial axial_changed(const link* s, double e) {
  const frame a = moving_frame(&s->a, e), b = moving_frame(&s->b, e);
  return axial_at(&a, &b);
}
static double L_at_t(double t, const void* with) {
  const link* s = with;
  const frame a = moving_pose(&s->a, t), b = moving_pose(&s->b, t);
  return axial_at(&a, &b).L;
}
static double L_along(double e, const void* with) { return axial_changed(with, e).L; }
static double Ld_along(double e, const void* with) { return axial_changed(with, e).Ld; }
static double n_along(double e, const void* with) {
  return vec3_at(axial_changed(with, e).n, ((const link*)with)->k);
}

static void test_axial_lengths_rates_and_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    link s = random_link(&seed);
    s.b.p[0] = vec3_add(s.b.p[0], (vec3){3, 0, 0});  // apart: the length is smooth
    const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
    const frame_change da = moving_change(&s.a), db = moving_change(&s.b);
    const axial x = axial_at(&a, &b), d = td_axial_change(&x, &a, &b, &da, &db);
    CHECK_NEAR(x.Ld, slope_of(L_at_t, &s), 1e-10);
    CHECK_NEAR(d.L, slope_of(L_along, &s), 1e-10);
    CHECK_NEAR(d.Ld, slope_of(Ld_along, &s), 1e-9);
    for (s.k = 0; s.k < 3; s.k++) CHECK_NEAR(vec3_at(d.n, s.k), slope_of(n_along, &s), 1e-10);
  }
}

static void test_an_axial_link_of_no_length_has_no_direction_and_no_change(void** state) {
  (void)state;
  const frame a = frame_ground();
  const axial x = axial_at(&a, &a);
  CHECK_NEAR(x.L, 0, 0);
  CHECK_NEAR(vec3_norm(x.n), 0, 0);
}

// Published dampers act on each world component apart: -mu |u_c|^(nu-1) u_c.
static void test_component_damping_is_the_law_of_each_component(void** state) {
  (void)state;
  const vec3 f = link_damping((vec3){2, -3, 0}, 0.5, 2);
  CHECK_NEAR(f.x, -2, 1e-15);
  CHECK_NEAR(f.y, 4.5, 1e-15);
  CHECK_NEAR(f.z, 0, 0);
}

static beam beam_changed(const link* s, double e) {
  const frame a = moving_frame(&s->a, e), b = moving_frame(&s->b, e);
  return td_beam(&a, &b, &s->axes);
}
static double strain_at_t(double t, const void* with) {
  const link* s = with;
  const frame a = moving_pose(&s->a, t), b = moving_pose(&s->b, t);
  return td_beam(&a, &b, &s->axes).x[s->k];
}
static double strain_along(double e, const void* with) {
  return beam_changed(with, e).x[((const link*)with)->k];
}
static double rate_along(double e, const void* with) {
  return beam_changed(with, e).u[((const link*)with)->k];
}
static double wrench_along(double e, const void* with) {
  const link* s = with;
  const beam x = beam_changed(s, e);
  vec3 F, T;
  td_beam_wrench(&x, s->f, &F, &T);
  return vec3_at(s->k < 3 ? F : T, s->k % 3);
}

static void test_beam_strains_rates_and_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 50; i++) {
    link s = random_link(&seed);
    const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
    const frame_change da = moving_change(&s.a), db = moving_change(&s.b);
    const beam x = td_beam(&a, &b, &s.axes);
    const double none[6] = {0};
    double dx[6], du[6];
    vec3 dF, dT;
    td_beam_change(&x, &a, &b, &da, &db, dx, du);
    td_beam_wrench_change(&x, &da, &db, s.f, none, &dF, &dT);
    for (s.k = 0; s.k < 6; s.k++) {
      CHECK_NEAR(x.u[s.k], slope_of(strain_at_t, &s), 1e-10);
      CHECK_NEAR(dx[s.k], slope_of(strain_along, &s), 1e-10);
      CHECK_NEAR(du[s.k], slope_of(rate_along, &s), 1e-9);
      CHECK_NEAR(vec3_at(s.k < 3 ? dF : dT, s.k % 3), slope_of(wrench_along, &s), 1e-10);
    }
  }
}

// Σ f_i u_i is the power of the wrench on b and of the opposite one on a, whose force acts at p_b.
static void test_a_beam_does_the_work_of_its_forces(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 50; i++) {
    const link s = random_link(&seed);
    const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
    const beam x = td_beam(&a, &b, &s.axes);
    vec3 F, T;
    td_beam_wrench(&x, s.f, &F, &T);
    const vec3 arm = vec3_cross(vec3_sub(b.p, a.p), F);
    double power = 0;
    for (int k = 0; k < 6; k++) power += s.f[k] * x.u[k];
    const vec3 Ta = vec3_scale(-1, vec3_add(T, arm));
    CHECK_NEAR(power_on(&b, F, T) + power_on(&a, vec3_scale(-1, F), Ta), power, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_axial_lengths_rates_and_changes_agree_with_differences),
      cmocka_unit_test(test_an_axial_link_of_no_length_has_no_direction_and_no_change),
      cmocka_unit_test(test_component_damping_is_the_law_of_each_component),
      cmocka_unit_test(test_beam_strains_rates_and_changes_agree_with_differences),
      cmocka_unit_test(test_a_beam_does_the_work_of_its_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
