// Flying spaghetti: a free rod under loads that are smooth, have kinks or jump, the last two of
// which send waves along it.  Second order in the number of segments, faster than any power in the
// order of polynomials, and the laws of the motion.  TENDRIL_LONG=1 follows it to 15 s.
#include "rods_flight.h"
#include "rods_motion.h"

#define SPAGHETTI(load, pulse) \
  FLYING_ROD(load, pulse)      \
  "sensor(1).name = 'ends'; sensor(1).value = [pos(rod(1), 10) pos(rod(1), 0)];\n"
#define D17_TIMES \
  { 2.5, 5, 7.5, 10, 12.5, 15 }

static void test_D17a_flying_spaghetti_in_the_plane(void** state) {
  (void)state;
  refine(&(motion_row){"D17a",
                       SPAGHETTI("[16 0 0 0 0 -160]", SMOOTH("2.5")) PLANAR_SEGMENTS,
                       10,
                       all_models,
                       {12, 16, 20, 24},
                       D17_TIMES,
                       6,
                       0,
                       0.3,
                       1e-5,
                       {{4.8625360427, 8.74219719926, 0, 3.95282609079, -0.689773167603, 0},
                        {14.1292419679, 5.43541097811, 0, 5.66957974498, 5.54627498057, 0},
                        {15.0611225924, -0.946154166874, 0, 14.4017329011, 8.95801728907, 0},
                        {14.3020730905, 4.43760217402, 0, 23.0227814837, 6.00874592977, 0},
                        {23.6369367739, 8.58522246093, 0, 25.9425247777, -0.0752156816636, 0},
                        {32.700449385, 6.02916608204, 0, 23.3692678747, 2.64471796453, 0}},
                       .rom = {2, {2, 3, 4, 5}, 1e-5, 0, false},
                       .quick = 2,
                       .fine = {24, 32, 40, 48},
                       .rom_fine = {2, {4, 5, 6, 7}, 1e-5, 0, false},
                       .order = 8,
                       .tol = 1e-5,
                       .more = PLANAR});
}

static void test_D17b_flying_spaghetti_in_space(void** state) {
  (void)state;
  refine(&(motion_row){
      "D17b",
      SPAGHETTI("[20 0 0 0 -100 -200]", SMOOTH("5")),
      10,
      all_models,
      {8, 12, 16, 24},
      D17_TIMES,
      6,
      0,
      0.3,
      1e-5,
      {{2.48584480101, 8.0335364367, -0.323558115768, 3.54988063571, 0.0647665396524,
        -0.39485226791},
       {13.1331072833, 6.66805624056, 3.7910194961, 16.9566487393, 2.93977840272, -3.82591716172},
       {26.0846404301, 3.65249554641, 4.80667054266, 24.6830115468, 3.12105754469, -4.65520207876},
       {38.8962701275, 6.27688784711, 3.80931422094, 33.9864296959, 1.57873459091, -1.87025136867},
       {50.738790953, 8.0937376291, 0.123642020771, 48.9145479916, -0.381198559829, -1.53748255981},
       {58.4534000538, 8.23085912241, 1.65948878945, 63.3509886633, 0.803251009068,
        -1.50403043396}},
      .rom = {2, {2, 3, 4, 5}, 1e-5, 0, false},
      .quick = 2,
      .fine = {24, 32, 40, 48},
      .rom_fine = {2, {4, 5, 6, 7}, 1e-5, 0, false},
      .order = 7,
      .tol = 1e-5});
}

// The kinks of the load send waves along the rod; figures of 2e-5.
static void test_D17c_flying_spaghetti_under_a_triangular_load(void** state) {
  (void)state;
  refine(&(motion_row){
      "D17c",
      SPAGHETTI("[20 0 0 0 -100 -200]", TRIANGLE),
      10,
      all_models,
      {8, 12, 16, 24},
      D17_TIMES,
      6,
      0,
      0.3,
      1e-4,
      {{3.98175999882, 8.53171533283, -0.540468366256, 3.60683168184, 0.0447000207899,
        -0.427258198362},
       {12.9530010262, 6.80942797325, 3.02877145795, 19.2136026555, 1.62555547502, -2.12724071401},
       {24.6503030931, 5.26991674235, 3.47358703244, 30.9057190576, 2.203664923, -3.58226900711},
       {38.3121190868, 5.19816779135, 4.25153756104, 42.8321468782, 3.69267748375, -4.38628688953},
       {52.222716267, 3.99591009986, 4.94617596942, 53.9103843848, 3.96116025835, -4.92136667627},
       {66.0990539335, 4.04935936374, 4.96113843879, 64.5002446631, 3.83111388337, -4.87357127983}},
      .rom = {2, {2, 3, 4, 5}, 1e-4, 0, false},
      .quick = 2,
      .fine = {24, 32, 40, 48},
      .rom_fine = {2, {4, 5, 6, 7}, 1e-4, 0, false},
      .order = 8,
      .tol = 1e-4});
}

// Its jumps even more so: figures of 3e-4.  A scheme of second order smears a front over a length
// like h^(2/3), and with it the kink that the front makes in the position: where fronts pass an
// end, the order may fall to that.
static void test_D17d_flying_spaghetti_under_a_load_that_jumps(void** state) {
  (void)state;
  refine(&(motion_row){"D17d",
                       SPAGHETTI("[8 0 0 0 0 -80]", STEP) PLANAR_SEGMENTS,
                       10,
                       all_models,
                       {12, 16, 24, 32},
                       D17_TIMES,
                       6,
                       0,
                       0.3,
                       5e-4,
                       {{5.94528693658, 8.97077427367, 0, 4.43007791808, -0.785144150895, 0},
                        {15.4085103767, 4.26450726626, 0, 5.62018032569, 4.76426662959, 0},
                        {15.7557418786, -0.972134345054, 0, 15.5414888938, 8.99484775038, 0},
                        {15.624382465, 4.15132743229, 0, 25.4087454179, 4.79020517357, 0},
                        {25.1061985809, 8.94136172083, 0, 26.8186781653, -0.705780985359, 0},
                        {35.364615464, 5.14788895951, 0, 25.6096602906, 2.9702534177, 0}},
                       .rom = {2, {2, 3, 4, 5}, 5e-4, 0, false},
                       .better = true,
                       .quick = 2,
                       .fine = {24, 32, 48, 64},
                       .fine_tol = 4.0 / 3,
                       .rom_fine = {4, {2, 3, 4, 5}, 5e-4, 0, false},
                       .order = 12,
                       .tol = 5e-4,
                       .more = PLANAR});
}

// ---- momenta and energy -----------------------------------------------------------------------

// Frames of the n + 1 nodes: position, then the axes of the section.
#define FRAMES                                                               \
  "for k = 0:n\n"                                                            \
  "  R = rot(rod(1), 10*k/n); sensor(k + 1).name = ['node' num2str(k)];\n"   \
  "  sensor(k + 1).value = [pos(rod(1), 10*k/n) R(:,1)' R(:,2)' R(:,3)'];\n" \
  "end\n"

// Total momentum and angular momentum about the origin
typedef struct momenta {
  double P[3], H[3];
} momenta;

static void add_along(double* sum, double c, const double* axis) {
  for (int k = 0; k < 3; k++) sum[k] += c * axis[k];
}

// Momenta conjugate to the velocities of a point along three axes and to its turning about those
// of the section there.
static void add_momenta(momenta* m, const double p[6], const double axes[9],
                        const double frame[12]) {
  const double* r = frame;
  double P[3] = {0};
  for (int k = 0; k < 3; k++) {
    add_along(P, p[k], axes + 3 * k);
    add_along(m->H, p[3 + k], frame + 3 + 3 * k);
  }
  const double arm[3] = {r[1] * P[2] - r[2] * P[1], r[2] * P[0] - r[0] * P[2],
                         r[0] * P[1] - r[1] * P[0]};
  add_along(m->P, 1, P);
  add_along(m->H, 1, arm);
}

// The base carries all that is placed relative to it, along the axes in which it started; the
// nodes of eba move by themselves, along those of the world.
static momenta momenta_now(bench* b, bool nodes) {
  const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double started[9] = {-0.8, -0.6, 0, 0, 0, 1, -0.6, 0.8, 0};
  const int nv = td_model_sizes(b->model).nv, count = nodes ? nv / 6 : 1;
  double* M = calloc((size_t)nv * (size_t)nv, sizeof(double));
  momenta m = {{0}, {0}};
  assert_int_equal(td_sensors(b->model, b->state, b->work, b->sensors), TD_OK);
  td_mass_matrix(b->model, b->state, b->work, M);
  for (int i = 0; i < count; i++) {
    double p[6] = {0};
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < nv; j++) p[k] += M[(6 * i + k) * nv + j] * b->state->v[j];
    add_momenta(&m, p, i ? world : started, b->sensors + 12 * i);
  }
  free(M);
  return m;
}

static double energy_at(const td_trajectory* path, int row) {
  const double* e = td_trajectory_energy(path, row);
  return e[0] + e[1];
}

typedef struct flight {
  const char *name, *text;
  double impulse;  // along x
  double H[3], E;  // after the load
} flight;

static const flight flights[2] = {
    {"D17a",
     SPAGHETTI("[16 0 0 0 0 -160]", SMOOTH("2.5")) PLANAR_SEGMENTS FRAMES,
     16 * 2.5 * 64 / 140,
     {0, 0, -177.313525809},
     139.530271437},
    {"D17b",
     SPAGHETTI("[20 0 0 0 -100 -200]", SMOOTH("5")) FRAMES,
     20 * 5 * 64.0 / 140,
     {0, -272.579740932, -473.378623399},
     644.318136474}};

static void check_impulse(const flight* f, const momenta* m) {
  const double impulse[3] = {f->impulse, 0, 0};
  CHECK_REACHED("D17 momentum is the impulse", distance(m->P, impulse, 3) / f->impulse, 1e-9);
}

// Exactly: a tolerance of 1e-10 in each of 1e3 steps may add up to 1e-7.
static void test_D17_momenta_and_energy_stay_after_the_load(void** state) {
  (void)state;
  static const double none[3];
  for (int k = 0; k < 2; k++)
    for (int m = 0; m <= all_models; m++) {
      const bool rom = m == all_models;
      const flight* f = &flights[k];
      bench b = rom ? bench_rom(f->text, 3, 2) : bench_new(f->text, rod_models[m], 6);
      td_trajectory *before = bench_run(&b, 5, 5, 1e-10), *after;
      const momenta first = momenta_now(&b, m == 2);
      after = bench_run(&b, 15, 10, 1e-10);
      const momenta end = momenta_now(&b, m == 2);
      check_impulse(f, &first);
      check_impulse(f, &end);
      CHECK_REACHED("D17 angular momentum stays",
                    distance(first.H, end.H, 3) / distance(first.H, none, 3), 1e-7);
      CHECK_REACHED("D17 energy stays", fabs(energy_at(after, 1) / energy_at(before, 1) - 1), 1e-7);
      td_trajectory_free(before);
      td_trajectory_free(after);
      bench_free(&b);
    }
}

// Angular momentum and energy after the load
static void fly(bench b, bool nodes, double rtol, double x[4]) {
  td_trajectory* path = bench_run(&b, 5, 5, rtol);
  const momenta now = momenta_now(&b, nodes);
  memcpy(x, now.H, sizeof now.H);
  x[3] = energy_at(path, 1);
  td_trajectory_free(path);
  bench_free(&b);
}

static void test_D17_angular_momentum_and_energy_that_the_load_leaves(void** state) {
  (void)state;
  const int n[4] = {8, 12, 16, 20};
  static const double none[3];
  for (int k = 0; k < 2; k++) {
    const flight* f = &flights[k];
    const double size = distance(f->H, none, 3);
    double x[4];
    for (int m = 0; m < all_models; m++) {
      study s = study_new(f->name, rod_models[m]);
      for (int i = 0; i < 4; i++)
        fly(bench_new(f->text, s.model, n[i]), m == 2, 1e-7, study_level(&s, n[i], 4));
      study_check(&s, &(demand){"H", 0, 3, f->H, size, 0, 0.3, 1e-5});
      study_check(&s, &(demand){"E", 3, 1, &f->E, f->E, 0, 0.3, 1e-5});
    }
    fly(bench_rom(f->text, 5, 2), false, 1e-6, x);
    CHECK_REACHED("D17 rom angular momentum", distance(x, f->H, 3) / size, 1e-5);
    CHECK_REACHED("D17 rom energy", fabs(x[3] / f->E - 1), 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_D17a_flying_spaghetti_in_the_plane),
      cmocka_unit_test(test_D17b_flying_spaghetti_in_space),
      cmocka_unit_test(test_D17c_flying_spaghetti_under_a_triangular_load),
      cmocka_unit_test(test_D17d_flying_spaghetti_under_a_load_that_jumps),
      cmocka_unit_test(test_D17_momenta_and_energy_stay_after_the_load),
      cmocka_unit_test(test_D17_angular_momentum_and_energy_that_the_load_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
