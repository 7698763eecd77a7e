// The relative rotation of two frames: its value, its rate and its change along a turn.
#include "moving.h"

typedef struct pair {
  moving a, b;
  int k;
} pair;

// Component k of A and q0 at time t.
static double A_at(double t, const void* with) {
  const pair* s = with;
  const frame a = moving_pose(&s->a, t), b = moving_pose(&s->b, t);
  return vec3_at(relative_rotation(&a, &b, NULL).A, s->k);
}
static double q0_at(double t, const void* with) {
  const pair* s = with;
  const frame a = moving_pose(&s->a, t), b = moving_pose(&s->b, t);
  return relative_rotation(&a, &b, NULL).q0;
}

static void test_a_turn_about_an_axis_is_twice_the_sine_of_half_the_angle(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    const mat3 Ra = turned_by(random_vector(&seed, 3));
    const vec3 axis = vec3_axis(i % 3);
    const double angle = 3 * check_random(&seed);
    const frame a = {.R = Ra}, b = {.R = mat3_mul(Ra, mat3_axis_angle(axis, angle))};
    const relative r = relative_rotation(&a, &b, NULL);
    const vec3 want = mat3_apply(Ra, vec3_scale(2 * sin(0.5 * angle), axis));
    CHECK_NEAR(vec3_norm(vec3_sub(r.A, want)), 0, 1e-14);
    CHECK_NEAR(r.q0, cos(0.5 * angle), 1e-14);
  }
}

static void test_a_reference_is_where_the_rotation_counts_as_none(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 50; i++) {
    const frame a = {.R = turned_by(random_vector(&seed, 3))},
                b = {.R = turned_by(random_vector(&seed, 3))};
    const quat start = quat_mat3(mat3_mul(mat3_transpose(a.R), b.R));
    const relative r = relative_rotation(&a, &b, &start);
    CHECK_NEAR(vec3_norm(r.A), 0, 1e-14);
    CHECK_NEAR(r.q0, 1, 1e-14);
  }
}

// A' = w_a × A + q0 W - A × W/2,  q0' = -A·W/4
static void test_rates_are_those_of_the_moving_frames(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 50; i++) {
    pair s = {random_moving(&seed, 1), random_moving(&seed, 1), 0};
    const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
    const relative r = relative_rotation(&a, &b, NULL);
    const vec3 W = vec3_sub(b.w, a.w),
               rate = vec3_add(vec3_cross(a.w, r.A), relative_change(&r, W));
    for (s.k = 0; s.k < 3; s.k++) CHECK_NEAR(vec3_at(rate, s.k), slope_of(A_at, &s), 1e-10);
    CHECK_NEAR(-0.25 * vec3_dot(r.A, W), slope_of(q0_at, &s), 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_turn_about_an_axis_is_twice_the_sine_of_half_the_angle),
      cmocka_unit_test(test_a_reference_is_where_the_rotation_counts_as_none),
      cmocka_unit_test(test_rates_are_those_of_the_moving_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
