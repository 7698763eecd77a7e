// What is done to eight vectors, poses and matrices side by side is what is done to each of them;
// drag and cables against differences.
#include "check.h"
#include "elem/cable.h"
#include "elem/fluid.h"

static const double ROUNDING = 1e-14;  // sums of a few products of numbers of size one

static spatial random_spatial(uint64_t* seed) {
  spatial x = spatial_zero();
  for (int i = 0; i < 6; i++) x.a[i] = check_random(seed);
  return x;
}
static pose random_pose(uint64_t* seed) {
  const vec3 axis = {check_random(seed), check_random(seed), check_random(seed)};
  const quat q = quat_unit((quat){check_random(seed), axis});
  return (pose){mat3_quat(q), {check_random(seed), check_random(seed), check_random(seed)}};
}

typedef struct eight {
  pose g[LANES], fix[LANES];
  spatial x[LANES];
  spatial6 K[LANES];
  octet_pose all_g, all_fix;
  octet all_x, all_K[6];
} eight;

static void random_eight(uint64_t* seed, eight* e) {
  memset(e, 0, sizeof *e);
  for (int l = 0; l < LANES; l++) {
    e->g[l] = random_pose(seed);
    e->fix[l] = random_pose(seed);
    e->x[l] = random_spatial(seed);
    octet_pose_put(&e->all_g, l, &e->g[l]);
    octet_pose_put(&e->all_fix, l, &e->fix[l]);
    octet_put(&e->all_x, l, &e->x[l]);
    for (int j = 0; j < 6; j++) {
      e->K[l].col[j] = random_spatial(seed);
      octet_put(&e->all_K[j], l, &e->K[l].col[j]);
    }
  }
}

static void check_each(const octet* all, int l, const spatial* want, double tol) {
  const spatial got = octet_vector(all, l);
  for (int i = 0; i < 6; i++) CHECK_NEAR(got.a[i], want->a[i], tol);
}

static void poses_follow_each_other_in_each_lane(void** state) {
  (void)state;
  uint64_t seed = 1;
  eight e;
  random_eight(&seed, &e);
  const octet_pose all = octet_pose_mul(&e.all_g, &e.all_fix);
  for (int l = 0; l < LANES; l++) {
    const pose got = octet_pose_at(&all, l), want = pose_mul(e.g[l], e.fix[l]);
    for (int k = 0; k < 9; k++) CHECK_NEAR(got.R.m[k], want.R.m[k], ROUNDING);
    for (int k = 0; k < 3; k++) CHECK_NEAR(vec3_at(got.p, k), vec3_at(want.p, k), ROUNDING);
  }
}

static void twists_wrenches_and_matrices_are_seen_from_the_world_in_each_lane(void** state) {
  (void)state;
  uint64_t seed = 2;
  eight e;
  octet M[6];
  random_eight(&seed, &e);
  const octet in = octet_twist_in_each(&e.all_g, &e.all_x),
              out = octet_wrench_out_each(&e.all_g, &e.all_x),
              product = octet_apply_each(e.all_K, &e.all_x);
  octet_matrix_out_each(&e.all_g, e.all_K, M);
  for (int l = 0; l < LANES; l++) {
    const spatial local = spatial_to_local(&e.g[l], &e.x[l]),
                  world = spatial_to_world(&e.g[l], &e.x[l]),
                  applied = spatial6_apply(&e.K[l], &e.x[l]);
    const spatial6 K = spatial6_to_world(&e.g[l], &e.K[l]);
    check_each(&in, l, &local, ROUNDING);
    check_each(&out, l, &world, ROUNDING);
    check_each(&product, l, &applied, ROUNDING);
    for (int j = 0; j < 6; j++) check_each(&M[j], l, &K.col[j], 10 * ROUNDING);
  }
}

// Central differences of a step of 1e-5: truncation of its square against second derivatives of
// size ten, rounding 1e-16/1e-5.
static void drag_in_each_lane_changes_by_its_slopes(void** state) {
  (void)state;
  uint64_t seed = 3;
  const double h = 1e-5;
  eight e;
  octet J[6];
  random_eight(&seed, &e);
  const octet f = drag_each(e.all_K, &e.all_x);
  drag_slopes_each(e.all_K, &e.all_x, J);
  for (int l = 0; l < LANES; l++) {
    const spatial one = drag_local(&e.K[l], &e.x[l]);
    check_each(&f, l, &one, ROUNDING);
    for (int j = 0; j < 6; j++) {
      spatial up = e.x[l], down = e.x[l];
      up.a[j] += h;
      down.a[j] -= h;
      const spatial slope =
          spatial_scale(0.5 / h, spatial_sub(drag_local(&e.K[l], &up), drag_local(&e.K[l], &down)));
      check_each(&J[j], l, &slope, 1e-8);
    }
  }
}

static void fluid_at_rest_does_not_drag(void** state) {
  (void)state;
  uint64_t seed = 4;
  eight e;
  octet J[6];
  random_eight(&seed, &e);
  const octet still = octet_zero(), f = drag_each(e.all_K, &still);
  const spatial zero = spatial_zero();
  drag_slopes_each(e.all_K, &still, J);
  for (int l = 0; l < LANES; l++) {
    check_each(&f, l, &zero, 0);
    for (int j = 0; j < 6; j++) check_each(&J[j], l, &zero, 0);
  }
}

static void a_taut_cable_stiffens_as_its_column_turns(void** state) {
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 20; trial++) {
    double x[6], path[CABLE_PATH], K[6][6] = {{0}};
    for (int i = 0; i < 6; i++) x[i] = 0.3 * check_random(&seed);
    for (int i = 0; i < CABLE_PATH; i++) path[i] = check_random(&seed);
    const cable_section c = cable_at(x, path);
    cable_stiffen(&c, 2.5, K);
    for (int d = 0; d < 6; d++) {
      double e[6] = {0}, dg[6];
      e[d] = 1;
      cable_change(&c, e, dg);
      for (int k = 0; k < 6; k++) CHECK_NEAR(K[d][k], -2.5 * dg[k], 10 * ROUNDING / c.l);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_follow_each_other_in_each_lane),
      cmocka_unit_test(twists_wrenches_and_matrices_are_seen_from_the_world_in_each_lane),
      cmocka_unit_test(drag_in_each_lane_changes_by_its_slopes),
      cmocka_unit_test(fluid_at_rest_does_not_drag),
      cmocka_unit_test(a_taut_cable_stiffens_as_its_column_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
