// Fixed transformations: frames that complete a direction, unit vectors, kinds of rotations.
#include "model/build.h"

#include "compiled.h"

static double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void test_a_completed_frame_is_right_handed_and_orthonormal(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 200; i++) {
    double n[3], t1[3], t2[3];
    for (int c = 0; c < 3; c++)
      n[c] = i < 6 ? (c == i % 3) * (i < 3 ? 1 : -1) : check_random(&seed);
    assert_true(td_unit_vector(n));
    td_complete_frame(n, t1, t2);
    const double cross[3] = {t1[1] * t2[2] - t1[2] * t2[1], t1[2] * t2[0] - t1[0] * t2[2],
                             t1[0] * t2[1] - t1[1] * t2[0]};
    CHECK_NEAR(dot(t1, t1), 1, 1e-15);
    CHECK_NEAR(dot(t2, t2), 1, 1e-15);
    CHECK_NEAR(dot(t1, n), 0, 1e-15);
    CHECK_NEAR(dot(cross, n), 1, 1e-15);
  }
}

static void test_unit_vectors_of_any_size(void** state) {
  (void)state;
  double huge[3] = {3e300, 0, 4e300}, small[3] = {0, -3e-300, 4e-300}, zero[3] = {0, 0, 0};
  assert_true(td_unit_vector(huge) && td_unit_vector(small));
  CHECK_NEAR(huge[0], 0.6, 1e-15);
  CHECK_NEAR(small[1], -0.6, 1e-15);
  assert_false(td_unit_vector(zero));
}

static void test_the_number_of_numbers_tells_the_kind_of_rotation(void** state) {
  (void)state;
  static const struct {
    const char* rot;
    rot_kind kind;
  } ways[] = {{"[2 0.3]", ROT_PRINCIPAL},
              {"[0.1 0.2 0]", ROT_EULER_BERNOULLI},
              {"[0.3 0 0 1]", ROT_ANGLE_AXIS},
              {"[0 0.1 0 0]", ROT_UNIT_VECTOR},
              {"[0 0]", ROT_NONE}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char text[200];
    snprintf(text, sizeof text,
             "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = %s; "
             "joint(1).type = 'prismatic';",
             ways[i].rot);
    const compiled c = compile_text(text);
    assert_int_equal(c.m->hop[0].nfix, 1);
    assert_int_equal(c.m->fix[c.m->hop[0].fix].kind, ways[i].kind);
    compiled_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_completed_frame_is_right_handed_and_orthonormal),
      cmocka_unit_test(test_unit_vectors_of_any_size),
      cmocka_unit_test(test_the_number_of_numbers_tells_the_kind_of_rotation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
