// Flying spaghetti: a free rod under loads that are smooth, have kinks or jump, the last two of
// which send waves along it.  Second order in the number of segments, faster than any power in the
// order of polynomials, and the laws of the motion.
#include "rods_motion.h"

#define SPAGHETTI(load, pulse)                                                                    \
  ROD_HEAD                                                                                        \
  "rod(1).length = 10; rod(1).stiffness = [1e4 1e4 1e4 500 500 500]; rod(1).inertia = [1 1 1 10 " \
  "10 20];\n"                                                                                     \
  "rod(1).tr(1).trans = [6 0 0]; rod(1).tr(1).rot = [3 atan2(8, -6)]; rod(1).tr(2).rot = "        \
  "along_x;\n"                                                                                    \
  "rod(1).joint.type = 'free'; " pulse                                                            \
  "\n"                                                                                            \
  "exload(1).exbody = at(rod(1), 0); exload(1).refbody = 0; exload(1).ftau = a*" load             \
  ";\n"                                                                                           \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10);\n"

#define BOTH_ENDS "sensor(1).value = [pos(rod(1), 10) pos(rod(1), 0)];\n"
#define SMOOTH(span) "q = t/" span "; a = ifelse(q < 1, 64*q^3*(1 - q)^3, 0);"
#define TRIANGLE "a = max(0, 1 - abs(t - 2.5)/2.5);"
#define STEP "a = ifelse(t < 2.5, 1, 0);"

static void test_D17a_flying_spaghetti_in_the_plane(void** state) {
  (void)state;
  refine(&(motion_row){"D17a",
                       SPAGHETTI("[16 0 0 0 0 -160]", SMOOTH("2.5")),
                       10,
                       all_models,
                       {12, 16, 20, 24},
                       {2.5, 5},
                       3,
                       0,
                       0.3,
                       1e-5,
                       {{4.8625360427, 8.74219719926, 0}, {14.1292419679, 5.43541097811, 0}},
                       .rom = {2, {2, 3, 4, 5}, 1e-5, 0, false},
                       .order = 8,
                       .tol = 1e-5,
                       .more = PLANAR});
}

static void test_D17b_flying_spaghetti_in_space(void** state) {
  (void)state;
  refine(&(motion_row){"D17b",
                       SPAGHETTI("[20 0 0 0 -100 -200]", SMOOTH("5")),
                       10,
                       all_models,
                       {8, 12, 16, 24},
                       {2.5, 5},
                       3,
                       0,
                       0.3,
                       1e-5,
                       {{2.48584480101, 8.0335364367, -0.323558115768},
                        {13.1331072833, 6.66805624056, 3.7910194961}},
                       .rom = {2, {2, 3, 4, 5}, 1e-5, 0, false},
                       .order = 7,
                       .tol = 1e-5});
}

// The kinks of the load send waves along the rod; figures of 2e-5.
static void test_D17c_flying_spaghetti_under_a_triangular_load(void** state) {
  (void)state;
  refine(&(motion_row){
      "D17c",
      SPAGHETTI("[20 0 0 0 -100 -200]", TRIANGLE) BOTH_ENDS,
      10,
      all_models,
      {8, 12, 16, 24},
      {2.5, 5},
      6,
      0,
      0.3,
      1e-4,
      {{3.98175999882, 8.53171533283, -0.540468366256, 3.60683168184, 0.0447000207899,
        -0.427258198362},
       {12.9530010262, 6.80942797325, 3.02877145795, 19.2136026555, 1.62555547502, -2.12724071401}},
      .rom = {2, {2, 3, 4, 5}, 1e-4, 0, false},
      .order = 8,
      .tol = 1e-4});
}

// Its jumps even more so: figures of 3e-4.
static void test_D17d_flying_spaghetti_under_a_load_that_jumps(void** state) {
  (void)state;
  refine(&(motion_row){"D17d",
                       SPAGHETTI("[8 0 0 0 0 -80]", STEP) BOTH_ENDS,
                       10,
                       all_models,
                       {12, 16, 24, 32},
                       {2.5, 5},
                       6,
                       0,
                       0.3,
                       5e-4,
                       {{5.94528693658, 8.97077427367, 0, 4.43007791808, -0.785144150895, 0},
                        {15.4085103767, 4.26450726626, 0, 5.62018032569, 4.76426662959, 0}},
                       .rom = {2, {2, 3, 4, 5}, 5e-4, 0, false},
                       .better = true,
                       .order = 12,
                       .tol = 5e-4,
                       .more = PLANAR});
}

// Linear momentum is the momentum that goes with moving the base joint, and for eba all nodes,
// along.
static void linear_momentum(const bench* b, double along[3]) {
  const int nv = td_model_sizes(b->model).nv;
  double* M = calloc((size_t)nv * (size_t)nv, sizeof(double));
  td_mass_matrix(b->model, b->state, b->work, M);
  // the base moves along the axes of its frame, which is turned in the plane by this angle
  const double c = cos(atan2(8, -6)), s = sin(atan2(8, -6));
  memset(along, 0, 3 * sizeof(double));
  for (int i = 0; i < nv; i++) {
    const char* name = td_model_v_name(b->model, i);
    double p = 0;
    for (int k = 0; k < nv; k++) p += M[i * nv + k] * b->state->v[k];
    if (i == 0) along[0] -= s * p, along[1] += c * p;  // local x
    if (i == 1) along[2] += p;                         // local y
    if (i == 2) along[0] += c * p, along[1] += s * p;  // local z
    if (strstr(name, "].x")) along[0] += p;
    if (strstr(name, "].y")) along[1] += p;
    if (strstr(name, "].z")) along[2] += p;
  }
  free(M);
}

static void test_D17_momentum_is_the_impulse_and_energy_stays_after_the_load(void** state) {
  (void)state;
  for (int m = 0; m < all_models; m++) {
    bench b = bench_new(SPAGHETTI("[16 0 0 0 0 -160]", SMOOTH("2.5")), rod_models[m], 6);
    double momentum[3];
    const double impulse[3] = {16 * 2.5 * 64 / 140, 0, 0};
    td_trajectory* path = bench_run(&b, 5, 2.5, 1e-9);
    linear_momentum(&b, momentum);
    CHECK_REACHED("D17 momentum", distance(momentum, impulse, 3) / impulse[0], 1e-9);
    const double *before = td_trajectory_energy(path, 1), *after = td_trajectory_energy(path, 2);
    CHECK_REACHED("D17 energy after the load",
                  fabs((after[0] + after[1]) / (before[0] + before[1]) - 1), 1e-6);
    td_trajectory_free(path);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_D17a_flying_spaghetti_in_the_plane),
      cmocka_unit_test(test_D17b_flying_spaghetti_in_space),
      cmocka_unit_test(test_D17c_flying_spaghetti_under_a_triangular_load),
      cmocka_unit_test(test_D17d_flying_spaghetti_under_a_load_that_jumps),
      cmocka_unit_test(test_D17_momentum_is_the_impulse_and_energy_stays_after_the_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
