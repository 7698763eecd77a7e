// The stretch of a cable between two rods: its length as a series, the wrenches that do its work,
// and the sign it has where its ends have passed each other.
#include "elem/chord.h"
#include "elem/link.h"
#include "moving.h"

typedef struct setting {
  moving a, b;
  bool along;
} setting;

static taylor_frame still(const frame* f) { return td_taylor_frame(f, NULL); }
static double length_at(double t, const void* with) {
  const setting* s = with;
  const frame fa = moving_pose(&s->a, t), fb = moving_pose(&s->b, t);
  const taylor_frame a = still(&fa), b = still(&fb);
  return td_chord(&a, &b, s->along).l.x;
}
static chord changed(const setting* s, double e) {
  const frame fa = moving_frame(&s->a, e), fb = moving_frame(&s->b, e);
  const taylor_frame a = still(&fa), b = still(&fb);
  return td_chord(&a, &b, s->along);
}
static double length_along(double e, const void* with) { return changed(with, e).l.x; }
static double rate_along(double e, const void* with) { return changed(with, e).l.d; }
static double acceleration_along(double e, const void* with) { return changed(with, e).l.dd; }
static vec3 now(const taylor3* a) { return (vec3){a->x.x, a->y.x, a->z.x}; }

// Rods whose tangents are z of their frames, the second about `far` beyond the first: forward, back
// or beside it.
static setting random_setting(uint64_t* seed, double far) {
  setting s = {random_moving(seed, 0.5), random_moving(seed, 0.5), true};
  s.b.R = mat3_mul(s.a.R, turned_by(random_vector(seed, 0.3)));
  const vec3 side = {0.3 * check_random(seed), 0.3 * check_random(seed), far};
  s.b.p[0] = vec3_add(s.a.p[0], mat3_apply(s.a.R, side));
  return s;
}

static void test_rates_changes_and_work_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  const double far[] = {1, -1, 0.4, -0.4};
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 40; i++) {
      setting s = random_setting(&seed, far[j]);
      s.along = i % 4 != 0;
      const frame fa = moving_frame(&s.a, 0), fb = moving_frame(&s.b, 0);
      const frame_change da = moving_change(&s.a), db = moving_change(&s.b);
      // the sign of the chord has a corner of third order where it is complete and where it begins
      const vec3 n = axial_at(&fa, &fb).n;
      const double ca = vec3_dot(n, mat3_col(fa.R, 2)), cb = vec3_dot(n, mat3_col(fb.R, 2));
      if (fabs(ca) < 0.15 || fabs(cb) < 0.15 || fabs(2 * ca * cb - 1) < 0.2) continue;
      const taylor_frame a = td_taylor_frame(&fa, &da), b = td_taylor_frame(&fb, &db);
      const chord x = td_chord(&a, &b, s.along);
      CHECK_NEAR(x.l.d, slope_of(length_at, &s), 1e-8);
      CHECK_NEAR(x.l.dd, curvature_of(length_at, &s), 1e-6);
      CHECK_NEAR(x.l.e, slope_of(length_along, &s), 1e-8);
      CHECK_NEAR(x.l.ed, slope_of(rate_along, &s), 1e-7);
      CHECK_NEAR(x.l.edd, slope_of(acceleration_along, &s), 1e-5);
      // the wrenches of a unit tension do the work of the length
      const double power = vec3_dot(now(&x.force), vec3_sub(fb.v, fa.v)) +
                           vec3_dot(now(&x.torque_a), fa.w) + vec3_dot(now(&x.torque_b), fb.w);
      CHECK_NEAR(x.l.d, power, 1e-12);
    }
}

// Ends that slide into and through each other along the rods: the length goes through zero with
// slope 1.
static void test_a_chord_through_zero_length_changes_its_sign(void** state) {
  (void)state;
  for (double z = -0.1; z <= 0.1; z += 0.01) {
    const frame fa = frame_ground(), fb = {.R = mat3_identity(), .p = {0, 0, z}};
    const taylor_frame a = still(&fa), b = still(&fb);
    const chord x = td_chord(&a, &b, true);
    CHECK_NEAR(x.l.x, z, 1e-15);
    CHECK_NEAR(now(&x.force).z, 1, 1e-12);
    CHECK_NEAR(td_chord(&a, &b, false).l.x, fabs(z), 1e-15);
  }
}

static void test_a_chord_runs_along_within_a_tenth_of_a_radian(void** state) {
  (void)state;
  const frame a = frame_ground();
  for (double angle = 0; angle < 1.5; angle += 0.03) {
    const frame b = {.R = mat3_identity(), .p = {sin(angle), 0, cos(angle)}};
    assert_int_equal(td_chord_along(&a, &b), cos(angle) > 0.995);
  }
  assert_true(td_chord_along(&a, &a));  // no length: nothing contradicts
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_changes_and_work_agree_with_differences),
      cmocka_unit_test(test_a_chord_through_zero_length_changes_its_sign),
      cmocka_unit_test(test_a_chord_runs_along_within_a_tenth_of_a_radian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
