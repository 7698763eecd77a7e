// Spatial vectors and matrices of stations between their own axes and the world's.
#include "elem/station.h"
#include "moving.h"

static spatial random_spatial(uint64_t* seed) {
  const vec3 t = random_vector(seed, 1), r = random_vector(seed, 1);
  return spatial_of(t, r);
}

static void test_power_is_the_same_in_every_frame(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    const pose g = {turned_by(random_vector(&seed, 3)), random_vector(&seed, 2)};
    const spatial V = random_spatial(&seed), f = random_spatial(&seed);
    const spatial y = spatial_to_local(&g, &V), F = spatial_to_world(&g, &f);
    CHECK_NEAR(spatial_dot(&F, &V), spatial_dot(&f, &y), 1e-13);
  }
}

static void test_matrices_go_with_their_vectors(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 50; i++) {
    const pose g = {turned_by(random_vector(&seed, 3)), random_vector(&seed, 2)};
    double numbers[36];
    for (int k = 0; k < 36; k++) numbers[k] = check_random(&seed);
    const spatial6 K = spatial6_of(numbers), world = spatial6_to_world(&g, &K);
    const spatial V = random_spatial(&seed), W = random_spatial(&seed),
                  y = spatial_to_local(&g, &V);
    const spatial Ky = spatial6_apply(&K, &y), want = spatial_to_world(&g, &Ky),
                  got = spatial6_apply(&world, &V);
    for (int k = 0; k < 6; k++) CHECK_NEAR(got.a[k], want.a[k], 1e-12);
    const spatial t = spatial6_apply_t(&world, &W);
    CHECK_NEAR(spatial_dot(&t, &V), spatial_dot(&W, &got), 1e-12);
    // blocks are taken out and put back
    spatial6 copy = {{{{0}}}};
    for (int row = 0; row < 2; row++)
      for (int col = 0; col < 2; col++)
        spatial6_set_block(&copy, row, col, spatial6_block(&K, row, col));
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++)
        assert_true(copy.col[j].a[k] == K.col[j].a[k] && K.col[j].a[k] == numbers[6 * k + j]);
  }
}

static void test_a_wrench_that_turns_with_its_station_is_a_matrix(void** state) {
  (void)state;
  uint64_t seed = 3;
  const spatial f = random_spatial(&seed), X = random_spatial(&seed),
                want = spatial_cross_force(&X, &f);
  spatial6 K = {{{{0}}}};
  spatial6_add_turning(&K, &f);
  const spatial got = spatial6_apply(&K, &X);
  for (int k = 0; k < 6; k++) CHECK_NEAR(got.a[k], want.a[k], 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_power_is_the_same_in_every_frame),
      cmocka_unit_test(test_matrices_go_with_their_vectors),
      cmocka_unit_test(test_a_wrench_that_turns_with_its_station_is_a_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
