// Single numbers of a rotation held as a quaternion: rates, changes, and what they are.
#include "elem/turn_part.h"
#include "moving.h"

static const turn_part_kind kinds[] = {PART_VECTOR, PART_TURN};

typedef struct setting {
  turn_part_kind kind;
  quat Q;
  vec3 w;
  int i, k;
} setting;

// Q exp(h w), the body's own turning
static quat turned(const setting* s, double h) {
  return quat_mul(s->Q, quat_exp(vec3_scale(h, s->w)));
}
static double x_along(double h, const void* with) {
  const setting* s = with;
  return td_turn_part(s->kind, turned(s, h), s->i).x;
}
static double g_along(double h, const void* with) {
  const setting* s = with;
  return vec3_at(td_turn_part(s->kind, turned(s, h), s->i).g, s->k);
}

static void test_rates_and_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  const double angles[] = {1e-5, 0.5, 0.999, 1.001, 2.5, 3.14, 4.5};
  for (int kind = 0; kind < 2; kind++)
    for (int j = 0; j < 7; j++)
      for (int trial = 0; trial < 10; trial++) {
        const vec3 y = random_vector(&seed, 1);
        setting s = {kinds[kind], quat_exp(vec3_scale(angles[j] / vec3_norm(y), y)),
                     random_vector(&seed, 1), 0, 0};
        for (s.i = 0; s.i < 3; s.i++) {
          CHECK_NEAR(vec3_dot(td_turn_part(s.kind, s.Q, s.i).g, s.w), slope_of(x_along, &s), 1e-9);
          const vec3 dg = td_turn_part_change(s.kind, s.Q, s.i, s.w);
          for (s.k = 0; s.k < 3; s.k++) CHECK_NEAR(vec3_at(dg, s.k), slope_of(g_along, &s), 1e-8);
        }
      }
}

static void test_a_turn_about_an_axis_is_its_angle_or_the_sine_of_half_of_it(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++)
    for (double angle = 0.1; angle < 6.2; angle += 0.3) {
      const quat Q = quat_exp(vec3_scale(angle, vec3_axis(i)));
      CHECK_NEAR(td_turn_part(PART_TURN, Q, i).x, angle, 1e-14);
      CHECK_NEAR(td_turn_part(PART_VECTOR, Q, i).x, sin(0.5 * angle), 1e-14);
      CHECK_NEAR(td_turn_angle(Q), angle, 1e-14);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_and_changes_agree_with_differences),
      cmocka_unit_test(test_a_turn_about_an_axis_is_its_angle_or_the_sine_of_half_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
