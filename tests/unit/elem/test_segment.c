// A piece of rod between two frames: strains, rates, wrenches and their changes.
#include "elem/segment.h"
#include "moving.h"

typedef struct piece {
  moving a, b;
  double f[6];
  int k;
} piece;

static piece random_piece(uint64_t* seed, double turn) {
  piece s = {.a = random_moving(seed, 2), .b = random_moving(seed, 2)};
  s.b.R = mat3_mul(s.a.R, turned_by(random_vector(seed, turn)));
  for (int i = 0; i < 6; i++) s.f[i] = check_random(seed);
  return s;
}

static segment changed(const piece* s, double e) {
  const frame a = moving_frame(&s->a, e), b = moving_frame(&s->b, e);
  return td_segment(&a, &b);
}
static double strain_at_t(double t, const void* with) {
  const piece* s = with;
  const frame a = moving_pose(&s->a, t), b = moving_pose(&s->b, t);
  return td_segment(&a, &b).x[s->k];
}
static double strain_along(double e, const void* with) {
  return changed(with, e).x[((const piece*)with)->k];
}
static double rate_along(double e, const void* with) {
  return changed(with, e).u[((const piece*)with)->k];
}
static double wrench_number(const segment_wrench* w, int k) {
  return vec3_at(k < 3 ? w->force : k < 6 ? w->torque_a : w->torque_b, k % 3);
}
static double wrench_along(double e, const void* with) {
  const piece* s = with;
  const segment x = changed(s, e);
  const segment_wrench w = td_segment_wrench(&x, s->f);
  return wrench_number(&w, s->k);
}

// from straight pieces over the hand-over of series and closed forms at 0.2 rad to sharp bends
static const double turns[] = {1e-6, 0.05, 0.1, 0.2, 1};

static void test_rates_and_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 20; i++) {
      piece s = random_piece(&seed, turns[j]);
      const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
      const frame_change da = moving_change(&s.a), db = moving_change(&s.b);
      const segment x = td_segment(&a, &b);
      const segment_change d = td_segment_change(&x, &da, &db);
      const double none[6] = {0};
      const segment_wrench dw = td_segment_wrench_change(&x, &d, s.f, none);
      for (s.k = 0; s.k < 6; s.k++) {
        CHECK_NEAR(x.u[s.k], slope_of(strain_at_t, &s), 1e-9);
        CHECK_NEAR(d.x[s.k], slope_of(strain_along, &s), 1e-9);
        CHECK_NEAR(d.u[s.k], slope_of(rate_along, &s), 1e-8);
      }
      for (s.k = 0; s.k < 9; s.k++)
        CHECK_NEAR(wrench_number(&dw, s.k), slope_of(wrench_along, &s), 1e-9);
    }
}

static void test_a_piece_does_the_work_of_its_forces(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 20; i++) {
      const piece s = random_piece(&seed, turns[j]);
      const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
      const segment x = td_segment(&a, &b);
      const segment_wrench w = td_segment_wrench(&x, s.f);
      double power = 0;
      for (int k = 0; k < 6; k++) power += s.f[k] * x.u[k];
      CHECK_NEAR(
          power_on(&b, w.force, w.torque_b) + power_on(&a, vec3_scale(-1, w.force), w.torque_a),
          power, 1e-13);
      // nothing is left of force and torque on both together
      const vec3 arm = vec3_cross(vec3_sub(b.p, a.p), w.force),
                 sum = vec3_add(w.torque_a, vec3_add(w.torque_b, arm));
      CHECK_NEAR(vec3_norm(sum), 0, 1e-13);
    }
}

static void test_either_end_may_be_called_the_first(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 50; i++) {
    const piece s = random_piece(&seed, 1);
    const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0);
    const segment x = td_segment(&a, &b), y = td_segment(&b, &a);
    for (int k = 0; k < 6; k++) {
      CHECK_NEAR(x.x[k], -y.x[k], 1e-14);
      CHECK_NEAR(x.u[k], -y.u[k], 1e-13);
    }
  }
}

// The strains between the start and the end of a piece are those that it was made of, and so are
// their rates.
static void test_the_end_of_a_piece_has_the_strains_it_was_made_of(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < 50; i++) {
    double x[6], u[6];
    const double l = 0.3;
    for (int k = 0; k < 6; k++) x[k] = check_random(&seed), u[k] = check_random(&seed);
    const segment_end end = td_segment_end(x, u, l);
    const frame a = frame_ground(), b = {.R = end.g.R,
                                         .p = end.g.p,
                                         .v = mat3_apply(end.g.R, end.v),
                                         .w = mat3_apply(end.g.R, end.w)};
    const segment s = td_segment(&a, &b);
    for (int k = 0; k < 6; k++) {
      CHECK_NEAR(s.x[k] / l - (k == 2), x[k], 1e-13);
      CHECK_NEAR(s.u[k] / l, u[k], 1e-13);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_and_changes_agree_with_differences),
      cmocka_unit_test(test_a_piece_does_the_work_of_its_forces),
      cmocka_unit_test(test_either_end_may_be_called_the_first),
      cmocka_unit_test(test_the_end_of_a_piece_has_the_strains_it_was_made_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
