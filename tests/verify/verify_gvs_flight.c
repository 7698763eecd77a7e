// Motion of strain-parametrised rods without damping, points and steps chosen by themselves: rows
// D15 to D18 at all their moments, with energy and momenta.  The whole flights only when
// TENDRIL_LONG is set.
#include "rods_flight.h"
#include "rods_motion.h"

static bool is_long(void) { return getenv("TENDRIL_LONG") != NULL; }

// Kinetic, elastic and gravity energy in a row of a trajectory.
static double energy_at(const td_trajectory* path, int row) {
  const double* e = td_trajectory_energy(path, row);
  return e[0] + e[1] + e[2];
}

// ---- a kicked cantilever ----------------------------------------------------------------------

static void test_D15_a_large_swing(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  static const char text[] = ROD_HEAD
      "r = 0.015; L = 0.3; rod(1).length = L; rod(1).radius = r; rod(1).E = 1e6; rod(1).rho = "
      "1000; rod(1).tr.rot = along_x; rod(1).modes = [1 0 1 0 1 0]; rod(1).rate = [0 0 0 0 "
      "4*2/L^2*(1 - s/L)^2 0];\n"
      "p = pos(rod(1), L); sensor(1).name = 'tip'; sensor(1).value = p(1:2);\n";
  const double t[5] = {0.05, 0.1, 0.2, 0.3, 0.5}, want[5][2] = {{0.282852913617, 0.0943288661016},
                                                                {0.243745888157, 0.161138783899},
                                                                {0.219339207894, 0.186882098952},
                                                                {0.289696758782, 0.0742234700723},
                                                                {0.212944659627, -0.192453716247}};
  const double E = 0.109211484616;
  bench b = bench_new(text, "gvs", 7);
  td_trajectory* path = bench_run(&b, 0.5, 0.05, 1e-7);
  CHECK_REACHED("D15 energy at the start", fabs(energy_at(path, 0) / E - 1), 1e-10);
  for (int i = 0; i < 5; i++) {
    const int row = (int)lround(t[i] / 0.05);
    char what[40];
    snprintf(what, sizeof what, "D15 t=%g", t[i]);
    CHECK_REACHED(what, distance(td_trajectory_sensors(path, row), want[i], 2), 1e-5);
    CHECK_REACHED("D15 energy", fabs(energy_at(path, row) / E - 1), 1e-7);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

// ---- a pendulum -------------------------------------------------------------------------------

// Shear is held, of which the figures have 4e-5 (see verify_rods_pendulum.c).
static void test_D16_a_rubber_pendulum_keeps_its_energy(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  static const char text[] = ROD_HEAD
      "rod(1).length = 1; rod(1).radius = 0.005; rod(1).rho = 1100; rod(1).E = 5e6; rod(1).tr.rot "
      "= along_x; rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; world.g = [0 -9.81 "
      "0]; rod(1).order = [-1 -1 4 -1 7 -1]; rod(1).elements = [1 1 1 1 2 1];\n"
      "p = pos(rod(1), 1); sensor(1).name = 'tip'; sensor(1).value = p(1:2);\n";
  const double want[6][2] = {
      {0.993597472082, -0.0488938722845}, {0.941895790711, -0.19811315268},
      {0.797986090955, -0.424497052162},  {0.476230499557, -0.841868330645},
      {-0.233118147563, -0.919442155526}, {-0.655352997573, -0.697112886712}};
  bench b = bench_new(text, "gvs", 7);
  td_trajectory* path = bench_run(&b, 0.6, 0.1, 1e-6);
  for (int i = 0; i < 6; i++) {
    CHECK_REACHED("D16", distance(td_trajectory_sensors(path, i + 1), want[i], 2), 1e-4);
    // of m g L/2, what it swings with
    CHECK_REACHED("D16 energy", fabs(energy_at(path, i + 1) - energy_at(path, 0)) / 0.42, 1e-4);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

// ---- flying spaghetti -------------------------------------------------------------------------

// Sensors: both ends, then positions, velocities, frames and turn rates at the points of the rod,
// whose sums are momenta.  A Gauss rule of our own; the rod is 10 long and weighs 1 per length.
enum { gauss = 24, per_point = 15, most_moments = 6 };

typedef struct flight {
  const char *name, *text;
  int order;
  double rtol, tol;
  bool planar;
  struct {
    double end0[3], end1[3], com, Hy, Hz, P, E;
  } at[most_moments];  // every 2.5 s
} flight;

#define SPAGHETTI(load, pulse) \
  FLYING_ROD(load, pulse)      \
  "sensor(1).name = 'end'; sensor(1).value = [pos(rod(1), 0) pos(rod(1), 10)];\n"

// Nodes and weights on [0, 1] by Newton's method on Legendre's polynomial.
static void gauss_rule(double* x, double* w) {
  for (int i = 0; i < gauss; i++) {
    double z = cos(pi * (i + 0.75) / (gauss + 0.5)), slope = 1;
    for (int k = 0; k < 20; k++) {
      double p0 = 1, p1 = z;
      for (int j = 2; j <= gauss; j++) {
        const double p2 = ((2 * j - 1) * z * p1 - (j - 1) * p0) / j;
        p0 = p1;
        p1 = p2;
      }
      slope = gauss * (z * p1 - p0) / (z * z - 1);
      z -= p1 / slope;
    }
    x[i] = (1 - z) / 2;
    w[i] = 1 / ((1 - z * z) * slope * slope);
  }
}

static void append_points(char* text, size_t size, const double* x) {
  size_t at = strlen(text);
  for (int i = 0; i < gauss; i++)
    at += (size_t)snprintf(text + at, size - at,
                           "s0 = %.17g; R = rot(rod(1), s0); sensor(%d).name = 'at%d'; "
                           "sensor(%d).value = [pos(rod(1), s0) vel(rod(1), s0) omega(rod(1), s0) "
                           "R(:,1)' R(:,2)'];\n",
                           10 * x[i], i + 2, i, i + 2);
}

static void cross(const double* a, const double* b, double* c) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Centre of mass, momentum and angular momentum about the origin: Σ w (r × v + R J ω).
static void momenta(const double* x, const double* w, double com[3], double P[3], double H[3]) {
  memset(com, 0, 3 * sizeof(double));
  memset(P, 0, 3 * sizeof(double));
  memset(H, 0, 3 * sizeof(double));
  for (int k = 0; k < gauss; k++) {
    const double *r = x + per_point * k, *v = r + 3, *turn = r + 6, *e1 = r + 9, *e2 = r + 12;
    double e3[3], spin[3];
    cross(e1, e2, e3);
    cross(r, v, spin);
    for (int i = 0; i < 3; i++) {
      com[i] += w[k] * r[i];
      P[i] += 10 * w[k] * v[i];
      H[i] += 10 * w[k] *
              (spin[i] + 10 * turn[0] * e1[i] + 10 * turn[1] * e2[i] + 20 * turn[2] * e3[i]);
    }
  }
}

// Tolerances of ends in metres; of momenta and energy in a thousandth of what they are, and of the
// centre of mass, which needs no elasticity, a tenth of that of the ends.
static void fly(const flight* f, const char* more, int count) {
  double x[gauss], w[gauss];
  char text[12000];
  gauss_rule(x, w);
  snprintf(text, sizeof text, "%s%s%s", f->text, f->planar ? PLANAR : "", more);
  append_points(text, sizeof text, x);
  bench b = bench_new(text, "gvs", f->order);
  td_trajectory* path = bench_run(&b, 2.5 * count, 2.5, f->rtol);
  for (int i = 0; i < count; i++) {
    const double* s = td_trajectory_sensors(path, i + 1);
    double com[3], P[3], H[3];
    char what[60];
    momenta(s + 6, w, com, P, H);
    snprintf(what, sizeof what, "%s t=%g", f->name, 2.5 * (i + 1));
    CHECK_REACHED(what, fmax(distance(s, f->at[i].end0, 3), distance(s + 3, f->at[i].end1, 3)),
                  f->tol);
    snprintf(what, sizeof what, "%s t=%g centre of mass", f->name, 2.5 * (i + 1));
    CHECK_REACHED(what, distance(com, (double[]){f->at[i].com, 4, 0}, 3), 0.1 * f->tol);
    snprintf(what, sizeof what, "%s t=%g momenta", f->name, 2.5 * (i + 1));
    CHECK_REACHED(what,
                  distance(P, (double[]){f->at[i].P, 0, 0}, 3) / f->at[i].P +
                      distance(H, (double[]){0, f->at[i].Hy, f->at[i].Hz}, 3) / -f->at[i].Hz,
                  f->tol);
    snprintf(what, sizeof what, "%s t=%g energy", f->name, 2.5 * (i + 1));
    CHECK_REACHED(what, fabs(energy_at(path, i + 1) / f->at[i].E - 1), f->tol);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

// Whatever the order: the centre of mass and the momentum are those of the load alone, as well as
// sums over the rod's points are those over others, and after it energy stays.
static void keeps_laws(const flight* f) {
  double x[gauss], w[gauss], com[3], P[3], H[3];
  char text[12000];
  gauss_rule(x, w);
  snprintf(text, sizeof text, "%s%srod(1).points = 12;\n", f->text, PLANAR);
  append_points(text, sizeof text, x);
  bench b = bench_new(text, "gvs", 2);
  td_trajectory* path = bench_run(&b, 5, 2.5, 1e-7);
  for (int i = 0; i < 2; i++) {
    momenta(td_trajectory_sensors(path, i + 1) + 6, w, com, P, H);
    CHECK_REACHED("D17 centre of mass", distance(com, (double[]){f->at[i].com, 4, 0}, 3), 1e-6);
    CHECK_REACHED("D17 momentum", distance(P, (double[]){f->at[i].P, 0, 0}, 3) / f->at[i].P, 1e-6);
  }
  CHECK_REACHED("D17 energy after the load", fabs(energy_at(path, 2) / energy_at(path, 1) - 1),
                1e-6);
  td_trajectory_free(path);
  bench_free(&b);
}

static void test_D17a_in_the_plane(void** state) {
  (void)state;
  const flight f = {"D17a",
                    SPAGHETTI("[16 0 0 0 0 -160]", SMOOTH("2.5")),
                    10,
                    1e-7,
                    1e-4,
                    true,
                    {{{3.95282609079, -0.689773167603, 0},
                      {4.8625360427, 8.74219719926, 0},
                      5.28571428571,
                      0,
                      -177.313525809,
                      18.2857142857,
                      139.530271437},
                     {{5.66957974498, 5.54627498057, 0},
                      {14.1292419679, 5.43541097811, 0},
                      9.85714285714,
                      0,
                      -177.313525809,
                      18.2857142857,
                      139.530271437},
                     {{14.4017329011, 8.95801728907, 0},
                      {15.0611225924, -0.946154166874, 0},
                      14.4285714286,
                      0,
                      -177.313525809,
                      18.2857142857,
                      139.530271437},
                     {{23.0227814837, 6.00874592977, 0},
                      {14.3020730905, 4.43760217402, 0},
                      19,
                      0,
                      -177.313525809,
                      18.2857142857,
                      139.530271437},
                     {{25.9425247777, -0.0752156816636, 0},
                      {23.6369367739, 8.58522246093, 0},
                      23.5714285714,
                      0,
                      -177.313525809,
                      18.2857142857,
                      139.530271437},
                     {{23.3692678747, 2.64471796453, 0},
                      {32.700449385, 6.02916608204, 0},
                      28.1428571429,
                      0,
                      -177.313525809,
                      18.2857142857,
                      139.530271437}}};
  if (is_long()) fly(&f, "", 6);
  keeps_laws(&f);
}

static void test_D17b_in_space(void** state) {
  (void)state;
  if (CHECK_SANITIZED || !is_long()) skip();
  const flight f = {"D17b",
                    SPAGHETTI("[20 0 0 0 -100 -200]", SMOOTH("5")),
                    10,
                    1e-7,
                    1e-4,
                    false,
                    {{{3.54988063571, 0.0647665396524, -0.39485226791},
                      {2.48584480101, 8.0335364367, -0.323558115768},
                      4.5625,
                      -111.675284769,
                      -221.842148187,
                      22.8571428571,
                      323.257224259},
                     {{16.9566487393, 2.93977840272, -3.82591716172},
                      {13.1331072833, 6.66805624056, 3.7910194961},
                      14.4285714286,
                      -272.579740932,
                      -473.378623399,
                      45.7142857143,
                      644.318136474},
                     {{24.6830115468, 3.12105754469, -4.65520207876},
                      {26.0846404301, 3.65249554641, 4.80667054266},
                      25.8571428571,
                      -272.579740932,
                      -473.378623399,
                      45.7142857143,
                      644.318136474},
                     {{33.9864296959, 1.57873459091, -1.87025136867},
                      {38.8962701275, 6.27688784711, 3.80931422094},
                      37.2857142857,
                      -272.579740932,
                      -473.378623399,
                      45.7142857143,
                      644.318136474},
                     {{48.9145479916, -0.381198559829, -1.53748255981},
                      {50.738790953, 8.0937376291, 0.123642020771},
                      48.7142857143,
                      -272.579740932,
                      -473.378623399,
                      45.7142857143,
                      644.318136475},
                     {{63.3509886633, 0.803251009068, -1.50403043396},
                      {58.4534000538, 8.23085912241, 1.65948878945},
                      60.1428571429,
                      -272.579740932,
                      -473.378623399,
                      45.7142857143,
                      644.318136475}}};
  fly(&f, "", 6);
}

static void test_D17c_a_triangular_load(void** state) {
  (void)state;
  if (CHECK_SANITIZED || !is_long()) skip();
  const flight f = {"D17c",
                    SPAGHETTI("[20 0 0 0 -100 -200]", TRIANGLE),
                    10,
                    1e-6,
                    1e-3,
                    false,
                    {{{3.60683168184, 0.0447000207899, -0.427258198362},
                      {3.98175999882, 8.53171533283, -0.540468366256},
                      5.08333333333,
                      -121.64391988,
                      -241.174782227,
                      25,
                      304.366879414},
                     {{19.2136026555, 1.62555547502, -2.12724071401},
                      {12.9530010262, 6.80942797325, 3.02877145795},
                      15.5,
                      -308.986226135,
                      -532.292947583,
                      50,
                      724.436096842},
                     {{30.9057190576, 2.203664923, -3.58226900711},
                      {24.6503030931, 5.26991674235, 3.47358703244},
                      28,
                      -308.986226135,
                      -532.292947583,
                      50,
                      724.436096548},
                     {{42.8321468782, 3.69267748375, -4.38628688953},
                      {38.3121190868, 5.19816779135, 4.25153756104},
                      40.5,
                      -308.986226135,
                      -532.292947583,
                      50,
                      724.436097089},
                     {{53.9103843848, 3.96116025835, -4.92136667627},
                      {52.222716267, 3.99591009986, 4.94617596942},
                      53,
                      -308.986226135,
                      -532.292947583,
                      50,
                      724.436097004},
                     {{64.5002446631, 3.83111388337, -4.87357127983},
                      {66.0990539335, 4.04935936374, 4.96113843879},
                      65.5,
                      -308.986226135,
                      -532.292947583,
                      50,
                      724.436095671}}};
  fly(&f, "", 6);
}

static void test_D17d_a_load_that_jumps(void** state) {
  (void)state;
  if (CHECK_SANITIZED || !is_long()) skip();
  const flight f = {"D17d",
                    SPAGHETTI("[8 0 0 0 0 -80]", STEP),
                    12,
                    1e-6,
                    5e-3,
                    true,
                    {{{4.43007791808, -0.785144150895, 0},
                      {5.94528693658, 8.97077427367, 0},
                      5.5,
                      0,
                      -189.274514465,
                      20,
                      90.172833931},
                     {{5.62018032569, 4.76426662959, 0},
                      {15.4085103767, 4.26450726626, 0},
                      10.5,
                      0,
                      -189.274514465,
                      20,
                      90.1727799997},
                     {{15.5414888938, 8.99484775038, 0},
                      {15.7557418786, -0.972134345054, 0},
                      15.5,
                      0,
                      -189.274514465,
                      20,
                      90.1727572521},
                     {{25.4087454179, 4.79020517357, 0},
                      {15.624382465, 4.15132743229, 0},
                      20.5,
                      0,
                      -189.274514465,
                      20,
                      90.1727717929},
                     {{26.8186781653, -0.705780985359, 0},
                      {25.1061985809, 8.94136172083, 0},
                      25.5,
                      0,
                      -189.274514465,
                      20,
                      90.1727683532},
                     {{25.6096602906, 2.9702534177, 0},
                      {35.364615464, 5.14788895951, 0},
                      30.5,
                      0,
                      -189.274514465,
                      20,
                      90.1727870148}}};
  fly(&f, "", 6);
}

// ---- a beam that spins up ---------------------------------------------------------------------

// Tip in the frame that turns, and its angle there.  Waves of shear and stretch, 1e3 to 1e5 rad/s,
// hardly move.
#define SPINNING(modes)                                                                          \
  ROD_HEAD                                                                                       \
  "rod(1).length = 10; rod(1).stiffness = [1e7 1e7 2.8e7 1 1.4e4 1]; rod(1).inertia = [1.2 1.2 " \
  "1.2 1 6e-4 1]; rod(1).modes = " modes                                                         \
  "; rod(1).tr.rot = along_x; rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];\n"    \
  "p = pos(rod(1), 10); R = rot(rod(1), 10); sensor(1).name = 'tip';\n"

static void test_D18_a_beam_spins_up(void** state) {
  (void)state;
  static const char text[] = SPINNING("[1 0 1 0 1 0]")
      "rod(1).order = [2 -1 2 -1 5 -1];\n"
      "w = 2*pi/15; psi = ifelse(t < 15, 6/15*(t^2/2 + (cos(w*t) - 1)/w^2), 6*t - 45); "
      "rod(1).joint.dof.motion = psi;\n"
      "sensor(1).value = [cos(psi)*p(1) + sin(psi)*p(2) - 10, cos(psi)*p(2) - sin(psi)*p(1), "
      "atan2(cos(psi)*R(2,3) - sin(psi)*R(1,3), cos(psi)*R(1,3) + sin(psi)*R(2,3))];\n";
  const double want[8][3] = {{-0.00132267702281, -0.151283558645, -0.0206211260978},
                             {-0.0126546362497, -0.468476183442, -0.0637167332833},
                             {-0.0177418644663, -0.559083458964, -0.0747786308167},
                             {-0.00707233629946, -0.362814515637, -0.0472370054657},
                             {-0.000221763441075, -0.11269621347, -0.014434840904},
                             {0.000513989706038, 0.00130362628211, 0.000167746689929},
                             {0.000513599619962, 0.00363627300533, 0.00046823523947},
                             {0.000514532405754, 0.000726580819096, 9.34060585287e-05}};
  bench b = bench_new(text, "gvs", 6);
  const int count = CHECK_SANITIZED ? 2 : 8;
  td_trajectory* path = bench_run(&b, 2.5 * count, 2.5, 1e-7);
  for (int i = 0; i < count; i++) {
    const double* x = td_trajectory_sensors(path, i + 1);
    char what[40];
    snprintf(what, sizeof what, "D18 t=%g", 2.5 * (i + 1));
    CHECK_REACHED(what, fabs(x[1] - want[i][1]), 1e-4);
    CHECK_REACHED("D18 angle", fabs(x[2] - want[i][2]), 1e-4);
    CHECK_REACHED("D18 along the beam", fabs(x[0] - want[i][0]), 1e-4);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

static void test_D18_steady_rotation_stretches_the_beam(void** state) {
  (void)state;
  bench b = bench_new(
      SPINNING("[1 0 1 0 1 0]") "rod(1).joint.dof.motion = 6*t; sensor(1).value = p(1) - 10;\n",
      "gvs", 4);
  bench_equilibrium(&b);
  CHECK_REACHED("D18 steady extension", fabs(*bench_sensor(&b, "tip") / 0.000514317455043 - 1),
                1e-6);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_D15_a_large_swing),
      cmocka_unit_test(test_D16_a_rubber_pendulum_keeps_its_energy),
      cmocka_unit_test(test_D17a_in_the_plane),
      cmocka_unit_test(test_D17b_in_space),
      cmocka_unit_test(test_D17c_a_triangular_load),
      cmocka_unit_test(test_D17d_a_load_that_jumps),
      cmocka_unit_test(test_D18_a_beam_spins_up),
      cmocka_unit_test(test_D18_steady_rotation_stretches_the_beam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
