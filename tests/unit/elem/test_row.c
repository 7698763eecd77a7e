// Constraint rows between frames: every kind of the table through the same laws, and what each of
// them measures.
#include "elem/row.h"
#include "moving.h"

typedef struct setting {
  moving a, b, c;
  row_kind kind;
  vec3 d, x;
  double pitch;
  int k;
} setting;

static row_value value_of(const setting* s, const frame* a, const frame* b, const frame* c) {
  const row_frames f = {a, b, c, s->d, s->x, NULL, s->pitch, NAN, NAN};
  return td_row_formulas[s->kind]->value(&f);
}
static double value_at_t(double t, const void* with) {
  const setting* s = with;
  const frame a = moving_pose(&s->a, t), b = moving_pose(&s->b, t), c = moving_pose(&s->c, t);
  return value_of(s, &a, &b, &c).e;
}
// Number k of what a row gives: e, ed, edd, force, torque, torque_c.
static double number(const row_value* v, int k) {
  if (k < 3) return k == 0 ? v->e : k == 1 ? v->ed : v->edd;
  return vec3_at(k < 6 ? v->force : k < 9 ? v->torque : v->torque_c, k % 3);
}
static double value_along(double e, const void* with) {
  const setting* s = with;
  const frame a = moving_frame(&s->a, e), b = moving_frame(&s->b, e), c = moving_frame(&s->c, e);
  const row_value v = value_of(s, &a, &b, &c);
  return number(&v, s->k);
}

static setting random_setting(uint64_t* seed, row_kind kind) {
  setting s = {random_moving(seed, 0.7),
               random_moving(seed, 0.7),
               random_moving(seed, 0.7),
               kind,
               {0, 0, 0},
               {0, 0, 0},
               0.3,
               0};
  s.d = mat3_col(turned_by(random_vector(seed, 2)), 0);
  s.x = mat3_col(turned_by(random_vector(seed, 2)), 1);
  if (kind == ROW_SCREW) s.c = s.a;  // its direction is fixed in a
  return s;
}

static void test_rates_accelerations_and_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int kind = 0; kind < FRAME_ROW_KINDS; kind++)
    for (int i = 0; i < 40; i++) {
      setting s = random_setting(&seed, (row_kind)kind);
      const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0), c = moving_frame(&s.c, 0);
      const frame_change da = moving_change(&s.a), db = moving_change(&s.b),
                         dc = moving_change(&s.c);
      const row_frames f = {&a, &b, &c, s.d, s.x, NULL, s.pitch, NAN, NAN};
      const row_changes changes = {&da, &db, &dc};
      const row_value v = td_row_formulas[kind]->value(&f),
                      d = td_row_formulas[kind]->change(&f, &changes);
      CHECK_NEAR(v.ed, slope_of(value_at_t, &s), 1e-9);
      CHECK_NEAR(v.edd, curvature_of(value_at_t, &s), 1e-7);  // rounding of 1e-16/h² and weights
      for (s.k = 0; s.k < 12; s.k++) CHECK_NEAR(number(&d, s.k), slope_of(value_along, &s), 1e-8);
    }
}

// e' is the power of the wrenches of a unit multiplier.
static void test_a_multiplier_does_the_work_of_its_row(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int kind = 0; kind < FRAME_ROW_KINDS; kind++)
    for (int i = 0; i < 40; i++) {
      const setting s = random_setting(&seed, (row_kind)kind);
      const frame a = moving_frame(&s.a, 0), b = moving_frame(&s.b, 0), c = moving_frame(&s.c, 0);
      const row_value v = value_of(&s, &a, &b, &c);
      const double power = vec3_dot(v.force, vec3_sub(b.v, a.v)) +
                           vec3_dot(v.torque, vec3_sub(b.w, a.w)) + vec3_dot(v.torque_c, c.w);
      CHECK_NEAR(v.ed, power, 1e-13);
    }
}

static void test_rows_do_not_change_when_everything_is_moved_together(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int kind = 0; kind < FRAME_ROW_KINDS; kind++)
    for (int i = 0; i < 40; i++) {
      const setting s = random_setting(&seed, (row_kind)kind);
      const frame at[3] = {moving_pose(&s.a, 0), moving_pose(&s.b, 0), moving_pose(&s.c, 0)};
      const mat3 R = turned_by(random_vector(&seed, 3));
      const vec3 p = random_vector(&seed, 5);
      frame to[3];
      for (int k = 0; k < 3; k++)
        to[k] = (frame){.R = mat3_mul(R, at[k].R), .p = vec3_add(p, mat3_apply(R, at[k].p))};
      CHECK_NEAR(value_of(&s, &to[0], &to[1], &to[2]).e, value_of(&s, &at[0], &at[1], &at[2]).e,
                 1e-13);
    }
}

// A screw advances by its pitch per radian, over several turns when their number is known.
static void test_a_screw_follows_its_thread(void** state) {
  (void)state;
  const double h = 0.01;
  for (double angle = -20; angle <= 20; angle += 0.37) {
    const frame a = frame_ground(),
                b = {.R = mat3_axis_angle((vec3){0, 0, 1}, angle), .p = {0, 0, h * angle}};
    const row_frames known = {&a, &b, &a, {0, 0, 1}, {0, 0, 0}, NULL, h, NAN, angle},
                     near = {&a, &b, &a, {0, 0, 1}, {0, 0, 0}, NULL, h, 0, NAN};
    CHECK_NEAR(td_row_formulas[ROW_SCREW]->value(&known).e, 0, 1e-14);
    CHECK_NEAR(td_row_formulas[ROW_SCREW]->value(&near).e, 0, 1e-14);
  }
}

// A row measures a length exactly when its value scales with the size of the robot.
static void test_traits_tell_lengths_from_angles(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int kind = 0; kind < FRAME_ROW_KINDS; kind++) {
    setting s = random_setting(&seed, (row_kind)kind);
    frame a = moving_pose(&s.a, 0), b = moving_pose(&s.b, 0), c = moving_pose(&s.c, 0);
    const double once = value_of(&s, &a, &b, &c).e;
    a.p = vec3_scale(2, a.p), b.p = vec3_scale(2, b.p), s.pitch *= 2;
    const double twice = value_of(&s, &a, &b, &c).e;
    CHECK_NEAR(twice, row_is_length((row_kind)kind) ? 2 * once : once, 1e-14);
    assert_true(row_has_frames((row_kind)kind));
  }
  assert_false(row_has_frames(ROW_CABLE));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_accelerations_and_changes_agree_with_differences),
      cmocka_unit_test(test_a_multiplier_does_the_work_of_its_row),
      cmocka_unit_test(test_rows_do_not_change_when_everything_is_moved_together),
      cmocka_unit_test(test_a_screw_follows_its_thread),
      cmocka_unit_test(test_traits_tell_lengths_from_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
