// Shapes of fixed objects: every one of the list obeys the same laws.
#include "elem/shape.h"
#include "moving.h"

// A ball at x on a shape, both of which change along h.
typedef struct setting {
  const shape_ops* ops;
  fixed_shape on, d;
  vec3 turn, x, dx;
  int k;
} setting;

static setting random_setting(uint64_t* seed, int kind) {
  setting s = {.ops = td_shapes[kind].ops, .x = vec3_add(random_vector(seed, 1), (vec3){2, 2, 2})};
  s.on = (fixed_shape){random_vector(seed, 0.2), mat3_col(turned_by(random_vector(seed, 0.5)), 2),
                       0.5 + 0.1 * check_random(seed)};
  s.turn = random_vector(seed, 1);
  s.d = (fixed_shape){random_vector(seed, 1), vec3_cross(s.turn, s.on.u), check_random(seed)};
  s.dx = random_vector(seed, 1);
  return s;
}

static contact_touch moved(const setting* s, double h) {
  return s->ops->touch(&s->on, vec3_axpy(h, s->dx, s->x), 0.3);
}
static double depth_moved(double h, const void* with) { return moved(with, h).depth; }
static double normal_moved(double h, const void* with) {
  return vec3_at(moved(with, h).n, ((const setting*)with)->k);
}

static contact_touch changed(const setting* s, double h) {
  const fixed_shape on = {vec3_axpy(h, s->d.point, s->on.point),
                          mat3_apply(turned_by(vec3_scale(h, s->turn)), s->on.u),
                          s->on.radius + h * s->d.radius};
  return s->ops->touch(&on, s->x, 0.3);
}
static double depth_changed(double h, const void* with) { return changed(with, h).depth; }
static double normal_changed(double h, const void* with) {
  return vec3_at(changed(with, h).n, ((const setting*)with)->k);
}

static void test_every_shape_is_found_by_its_name(void** state) {
  (void)state;
  for (int i = 0; i < SHAPE_KINDS; i++)
    assert_ptr_equal(td_shape_find(td_shapes[i].name), &td_shapes[i]);
  assert_null(td_shape_find("cube"));
}

static void test_normals_are_unit_slopes_of_the_depth(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 40 * SHAPE_KINDS; i++) {
    setting s = random_setting(&seed, i % SHAPE_KINDS);
    const contact_touch t = moved(&s, 0);
    CHECK_NEAR(vec3_norm(t.n), 1, 1e-14);
    CHECK_NEAR(-vec3_dot(t.n, s.dx), slope_of(depth_moved, &s), 1e-9);
    const vec3 dn = mat3_apply(t.dn, s.dx);
    for (s.k = 0; s.k < 3; s.k++) CHECK_NEAR(vec3_at(dn, s.k), slope_of(normal_moved, &s), 1e-9);
  }
}

static void test_changes_with_the_numbers_of_a_shape_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 40 * SHAPE_KINDS; i++) {
    setting s = random_setting(&seed, i % SHAPE_KINDS);
    const contact_object_change d = s.ops->numbers_diff(&s.on, &s.d, s.x, 0.3);
    CHECK_NEAR(d.depth, slope_of(depth_changed, &s), 1e-9);
    for (s.k = 0; s.k < 3; s.k++) CHECK_NEAR(vec3_at(d.n, s.k), slope_of(normal_changed, &s), 1e-9);
    CHECK_NEAR(vec3_norm(d.v), 0, 0);
  }
}

// No point of a box is nearer than the bound, and no ball approaches faster.
static void test_bounds_of_distance_and_speed_hold(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 200 * SHAPE_KINDS; i++) {
    const setting s = random_setting(&seed, i % SHAPE_KINDS);
    const vec3 half = {0.5 + 0.5 * check_random(&seed), 0.5 + 0.5 * check_random(&seed), 0.1};
    const double bound = s.ops->box_distance(&s.on, vec3_sub(s.x, s.on.point), half);
    for (int k = 0; k < 20; k++) {
      const vec3 in = {half.x * check_random(&seed), half.y * check_random(&seed),
                       half.z * check_random(&seed)};
      assert_true(-s.ops->touch(&s.on, vec3_add(s.x, in), 0).depth >= bound - 1e-12);
    }
    const double rate = fabs(vec3_dot(moved(&s, 0).n, s.dx));
    const double along = vec3_dot(s.on.u, s.dx);
    assert_true(rate <= s.ops->closing(along, vec3_norm(s.dx)) + 1e-12);
  }
}

// Whether a radius counts is what the list says, and every shape is drawn with a size.
static void test_the_list_says_what_a_shape_depends_on(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < SHAPE_KINDS; i++) {
    setting s = random_setting(&seed, i);
    const double before = moved(&s, 0).depth;
    fixed_shape wider = s.on, turned = s.on;
    wider.radius += 1;
    turned.u = mat3_apply(turned_by((vec3){1, 0.5, 0.2}), s.on.u);
    const double with_radius = s.ops->touch(&wider, s.x, 0.3).depth;
    const double with_direction = s.ops->touch(&turned, s.x, 0.3).depth;
    assert_int_equal(with_radius != before, td_shapes[i].round);
    assert_int_equal(with_direction != before, td_shapes[i].direction != NULL);
    double size[3];
    s.ops->extent(&s.on, 3, size);
    for (int k = 0; k < 3; k++) assert_true(size[k] > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_shape_is_found_by_its_name),
      cmocka_unit_test(test_normals_are_unit_slopes_of_the_depth),
      cmocka_unit_test(test_changes_with_the_numbers_of_a_shape_agree_with_differences),
      cmocka_unit_test(test_bounds_of_distance_and_speed_hold),
      cmocka_unit_test(test_the_list_says_what_a_shape_depends_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
