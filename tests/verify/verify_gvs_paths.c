// Strain-parametrised rods whose equilibria turn back, branch or close a loop, points and steps
// chosen by themselves: all variants, loads and quantities of rows S05, S06, S14, S15 and S16.
// n functions of each strain are polynomials up to order n - 1.
#include "rods_paths.h"

static bool is_long(void) { return getenv("TENDRIL_LONG") != NULL; }

// ---- a right-angle frame ----------------------------------------------------------------------

// In metres; leg 1 along x, leg 2 along y, 30 mm high and 0.6 mm thick.
#define FRAME(modes)                                                                           \
  ROD_HEAD                                                                                     \
  "P = param('P', 0); F = param('F', 0); L = 0.24; E = 71240e6; G = E/2.62;\n"                 \
  "for i = 1:2\n"                                                                              \
  "  rod(i).model = mdl; rod(i).n = n; rod(i).length = L; rod(i).inertia = [1 1 1 1 1 1];\n"   \
  "  rod(i).stiffness = [G*15e-6 G*15e-6 E*18e-6 E*0.54e-12 E*1350e-12 G*30*0.6^3/3*1e-12];\n" \
  "  rod(i).modes = " modes                                                                    \
  ";\nend\n"                                                                                   \
  "rod(1).tr.rot = along_x; rod(2).first = at(rod(1), L); rod(2).tr.rot = [2 pi/2];\n"         \
  "exload(1).exbody = at(rod(2), L); exload(1).refbody = 0; exload(1).ftau = [P 0 F];\n"       \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(2), L) - [L L 0];\n"
static const char* const frame[2] = {FRAME("[0 0 0 1 1 1]"), FRAME("[1 1 1 1 1 1]")};

static void test_S05_two_critical_loads_of_the_frame(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const double want[2][2] = {{1.08751823734, 3.1890600086}, {1.08751784084, 3.1890575031}};
  for (int k = 0; k < 2; k++)
    for (int i = is_long() ? 0 : 1; i < 2; i++) {  // the first in verify_rods_paths.c, too
      double load = NAN;
      const double w = want[k][i];
      find_critical(bench_new(frame[k], "gvs", 5 + i),
                    &(path_row){.from = 0.95 * w, .to = 1.03 * w, .step = 0.5}, TD_BIFURCATION, 1,
                    0, &load);
      CHECK_REACHED(k ? "S05 P_cr Cosserat" : "S05 P_cr Kirchhoff", fabs(load / w - 1), 1e-6);
    }
}

// With the small side force all the time: before the critical load it is the only state, after it
// a larger force leads to the bent path and is then taken away.
static void test_S05_the_imperfect_path_of_the_frame(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const double load[6] = {2.5, 2, 1.5, 1.2, 1.1, 1};
  const double want[2][6][3] = {{{121.12755351, -112.707721398, 46.866051462},
                                 {100.373107375, -89.246608681, 55.8292334146},
                                 {63.1626136359, -52.2465405068, 60.802991507},
                                 {22.5414428343, -17.417140129, 45.4417862108},
                                 {3.08352688274, -2.25201648146, 17.7593956482},
                                 {0.191753829456, -0.0720660321751, 0.169402821954}},
                                {{121.129085142, -112.707797806, 46.8660852401},
                                 {100.374403977, -89.2466799842, 55.8292477897},
                                 {63.163689642, -52.2466088508, 60.8029970186},
                                 {22.5424073735, -17.4172073605, 45.4418391626},
                                 {3.08445979258, -2.25208186683, 17.7596470741},
                                 {0.192529424774, -0.0720662338829, 0.169403747883}}};
  for (int k = 0; k < 2; k++) {
    bench b = bench_new(frame[k], "gvs", 5);
    bench_ramp(&b, "F", 0.2, 1);
    bench_ramp(&b, "P", 2.5, 4);
    bench_ramp(&b, "F", 2e-4, 3);
    for (int i = 0; i < 6; i++) {
      char what[80];
      double mm[3];
      bench_ramp(&b, "P", load[i], i < 3 ? 2 : 4);
      for (int c = 0; c < 3; c++) mm[c] = 1e3 * bench_sensor(&b, "tip")[c];
      snprintf(what, sizeof what, "S05 %s path, P=%g", k ? "Cosserat" : "Kirchhoff", load[i]);
      CHECK_REACHED(what, distance(mm, want[k][i], 3) / 240, 1e-6);
    }
    bench_free(&b);
  }
}

// ---- Lee's frame ------------------------------------------------------------------------------

// In units of leg length and bending stiffness: P L²/EI = 10 P of the table, displacements / 120.
// The load makes a kink in the moment, where a part of the beam ends.
#define LEE_OF(orders)                                                                       \
  ROD_HEAD                                                                                   \
  "P = param('P', 0); EA = 43200;\n"                                                         \
  "for i = 1:2\n"                                                                            \
  "  rod(i).model = mdl; rod(i).n = n; rod(i).length = 1; rod(i).inertia = [1 1 1 1 1 1];\n" \
  "  rod(i).stiffness = [EA/2.6 EA/2.6 EA 1 1 1]; rod(i).order = " orders                    \
  ";\nend\n"                                                                                 \
  "rod(2).part(1).length = 0.2; rod(2).part(2).length = 0.8;\n"                              \
  "rod(1).tr(1).rot = [3 pi/2]; rod(1).tr(2).rot = along_x;\n"                               \
  "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];\n"                           \
  "rod(2).first = at(rod(1), 1); rod(2).tr.rot = [2 -pi/2];\n"                               \
  "joint(1).second = at(rod(2), 1); joint(1).tr.trans = [1 1 0]; joint(1).refbody = 0;\n"    \
  "joint(1).fixed = [1 1 0 0 0 0];\n"                                                        \
  "exload(1).exbody = at(rod(2), 0.2); exload(1).refbody = 0; exload(1).ftau = [0 -P 0];\n"  \
  "p = pos(rod(2), 0.2); sensor(1).name = 'load'; sensor(1).value = [1 - p(2), p(1) - 0.2];\n"

static void test_S06_limit_points_of_Lees_frame(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  static const char* const text[3] = {LEE_OF("[-1 -1 -1 -1 n -1]"), LEE_OF("[-1 -1 6 -1 n -1]"),
                                      LEE_OF("[6 -1 6 -1 n -1]")};
  static const char* const name[3] = {"S06 inextensible", "S06 unshearable", "S06 with shear"};
  const double want[3][6] = {
      {1.85587465395, 48.7394542129, 26.8868525274, -0.942128745387, 58.2004841879, 90.2119138573},
      {1.85567275376, 48.7351372451, 26.8805737417, -0.94144315556, 58.2168153287, 90.1956735355},
      {1.854655874, 48.751058693, 26.8787013383, -0.939614235717, 58.223594605, 90.1801141706}};
  for (int k = is_long() ? 0 : 1; k < 3; k++) {  // the first in verify_rods_paths.c, too
    double x[6], error = 0;
    find_critical(bench_new(text[k], "gvs", 8), &(path_row){.from = -12, .to = 20, .step = 0.4},
                  TD_LIMIT, 2, 2, x);
    for (int i = 0; i < 6; i++)
      error = fmax(error, fabs(x[i] * (i % 3 == 0 ? 0.1 : 120) / want[k][i] - 1));
    CHECK_REACHED(name[k], error, 1e-6);
  }
}

// ---- a column ---------------------------------------------------------------------------------

#define COLUMN                                                                                \
  ROD_HEAD                                                                                    \
  "P = param('P', 1.1); rod(1).length = 1; rod(1).tr.rot = along_x; rod(1).stiffness = [1 1 " \
  "1 1 1 1]; rod(1).inertia = [1 1 1 1 1 1]; rod(1).modes = [0 0 0 0 1 0];\n"                 \
  "R = rot(rod(1), 1); p = pos(rod(1), 1); exload(1).exbody = at(rod(1), 1); "                \
  "exload(1).refbody = 0; exload(1).ftau = [-P*pi^2/4 0 0];\n"                                \
  "rod(1).init = [0 0 0 0 3*cos(pi*s/2) 0]; sensor(1).name = 'tip'; sensor(1).value = "       \
  "[p(1:2) atan2(R(2,3), R(1,3))];\n"

static double load_for(bench* b, double angle, double guess) {
  double p0 = guess * 1.01, p1 = guess, a0;
  bench_set(b, "P", p0);
  bench_equilibrium(b);
  a0 = bench_sensor(b, "tip")[2];
  for (int i = 0; i < 20; i++) {
    bench_set(b, "P", p1);
    bench_equilibrium(b);
    const double a1 = bench_sensor(b, "tip")[2], next = p1 - (a1 - angle) * (p1 - p0) / (a1 - a0);
    if (fabs(a1 - angle) < 1e-10) return p1;
    p0 = p1;
    a0 = a1;
    p1 = next;
  }
  fail();
  return p1;
}

// As far as 60 degrees with one polynomial, to 120 with one for each half.
static void test_S14_a_column_bends(void** state) {
  (void)state;
  const double angle[3] = {120, 60, 20},
               want[3][3] = {{1.884800868978, 0.1231599724051, 0.8031709900075},
                             {1.151719620469, 0.7410196060763, 0.5932076461649},
                             {1.01539686554, 0.9697309073635, 0.2194130423956}};
  const int n[4] = {4, 6, 8, 11};
  const double tol[4] = {5e-5, 5e-6, 2e-8, 1e-8};
  for (int k = 0; k < 8; k++) {
    const bool halves = k >= 4;
    bench b = bench_new(halves ? COLUMN "rod(1).elements = 2;\n" : COLUMN, "gvs", n[k % 4] - 1);
    for (int i = halves ? 0 : 1; i < 3; i++) {
      char what[80];
      const double load = load_for(&b, angle[i] * pi / 180, want[i][0]);
      snprintf(what, sizeof what, "S14 n=%d%s at %g degrees", n[k % 4],
               halves ? " in each half" : "", angle[i]);
      CHECK_REACHED(what, distance(bench_sensor(&b, "tip"), want[i] + 1, 2), tol[k % 4]);
      CHECK_REACHED("S14 load", fabs(load / want[i][0] - 1), tol[k % 4]);
    }
    bench_free(&b);
  }
}

// ---- a ring -----------------------------------------------------------------------------------

// The whole ring: held where one force acts (symmetry keeps the tangent there), closed by a loop
// joint, pulled at the other side; moments of the strains beside the natural curvature 1.
static void test_S15_a_closed_ring(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "P = param('P', 0); L = 2*pi; rod(1).length = L; rod(1).tr.rot = along_x; rod(1).shape = [0 "
      "0 0 0 1 0]; rod(1).stiffness = [1 1 1 1 1 1]; rod(1).inertia = [1 1 1 1 1 1]; rod(1).modes "
      "= [0 0 0 0 1 0]; rod(1).elements = 4;\n"
      "joint(1).first = at(rod(1), 0); joint(1).second = at(rod(1), L); joint(1).fixed = [1 1 0 0 "
      "1 0];\n"
      "exload(1).exbody = at(rod(1), L/2); exload(1).refbody = 0; exload(1).ftau = [0 P 0];\n"
      "top = pos(rod(1), L/2); side = pos(rod(1), L/4); e = pos(rod(1), L); x = strain(rod(1), "
      "L/4); y = strain(rod(1), 0);\n"
      "sensor(1).name = 'tip'; sensor(1).value = [top(2)/2 side(1) x(5) - 1, y(5) - 1, e(1:2)];\n";
  const load_case cases[4] = {
      {1, 1, {1.06644108146, 0.934680433277, -0.163785723885, 0.303554492754}},
      {2, 1, {1.11929033345, 0.87587797421, -0.296227436586, 0.579650537623}},
      {5, 2, {1.22427311056, 0.736554068701, -0.56301900495, 1.2783661668}},
      {-1, 3, {0.916528109471, 1.07061014972, 0.201699352004, -0.333605722858}}};
  const int n[4] = {4, 6, 8, 16};
  const double tol[4] = {5e-5, 5e-6, 2e-8, 1e-8};
  for (int k = 0; k < 4; k++) {
    bench b = bench_new(text, "gvs", n[k] - 1);
    for (int c = 0; c < 4; c++) {
      char what[80];
      bench_ramp(&b, "P", cases[c].load, cases[c].steps);
      const double* x = bench_sensor(&b, "tip");
      snprintf(what, sizeof what, "S15 n=%d of each quarter, P=%g", n[k], cases[c].load);
      CHECK_REACHED(what, distance(x, cases[c].want, 2) / (2 * pi), tol[k]);
      CHECK_REACHED("S15 closure", hypot(x[4], x[5]), 1e-10);
      if (n[k] == 16) CHECK_REACHED("S15 moments", distance(x + 2, cases[c].want + 2, 2), 1e-8);
    }
    bench_free(&b);
  }
}

// ---- an arch ----------------------------------------------------------------------------------

// In units of its radius and bending stiffness: P R²/EI = P of the table / 100.
#define ARCH_OF(orders, hinge)                                                              \
  ROD_HEAD                                                                                  \
  "P = param('P', 0); a = 107.5*pi/180; L = 2*a; rod(1).length = L; rod(1).elements = 4;\n" \
  "rod(1).inertia = [1 1 1 1 1 1]; rod(1).shape = [0 0 0 0 1 0]; rod(1).stiffness = [1e6 "  \
  "1e6 1e6 1 1 1]; rod(1).order = " orders                                                  \
  ";\nrod(1).tr(1).trans = [sin(a) cos(a) 0]; rod(1).tr(1).rot = [3 pi - a];\n"             \
  "rod(1).tr(2).rot = along_x; joint(1).second = at(rod(1), L);\n"                          \
  "joint(1).tr.trans = [-sin(a) cos(a) 0]; " hinge                                          \
  "exload(1).exbody = at(rod(1), L/2); exload(1).refbody = 0; exload(1).ftau = [0 -P 0];\n" \
  "p = pos(rod(1), L/2); sensor(1).name = 'crown'; sensor(1).value = [1 - p(2), p(1)];\n"

#define IN_PLANE "joint(1).refbody = 0; joint(1).fixed = [1 1 0 0 0 0];\n"
#define BALL "joint(1).type = 'spherical';\n"

// The row across the plane is zero but for rounding, which is no direction.
static void test_S16_a_ball_holds_a_planar_arch_as_a_hinge_does(void** state) {
  (void)state;
  static const char* const text[2] = {ARCH_OF("[-1 -1 -1 -1 n -1]", IN_PLANE),
                                      ARCH_OF("[-1 -1 -1 -1 n -1]", BALL)};
  double crown[2][2];
  for (int k = 0; k < 2; k++) {
    bench b = bench_new(text[k], "gvs", 5);
    bench_set(&b, "P", 5);
    assert_int_equal(bench_equilibrium(&b).stability, TD_STABLE);
    memcpy(crown[k], bench_sensor(&b, "crown"), sizeof crown[k]);
    bench_free(&b);
  }
  CHECK_REACHED("S16 ball or hinge", distance(crown[0], crown[1], 2), 1e-9);
}

static void test_S16_a_deep_arch(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  static const char* const text[2] = {ARCH_OF("[-1 -1 -1 -1 n -1]", IN_PLANE),
                                      ARCH_OF("[3 -1 3 -1 n -1]", IN_PLANE)};
  const double want[2][3] = {{8.97308996972, 1.13732063125, -0.61141465795},
                             {8.97289133844, 1.13730745654, -0.611417136732}};
  for (int k = is_long() ? 0 : 1; k < 2; k++) {  // the first in verify_rods_paths.c, too
    double x[3] = {NAN};
    find_critical(bench_new(text[k], "gvs", 7), &(path_row){.from = 7, .to = 11, .step = 0.2},
                  TD_LIMIT, 1, 2, x);
    CHECK_REACHED(k ? "S16 P_cr Cosserat" : "S16 P_cr", fabs(x[0] / want[k][0] - 1), 1e-6);
    CHECK_REACHED("S16 crown", distance(x + 1, want[k] + 1, 2), 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S05_two_critical_loads_of_the_frame),
      cmocka_unit_test(test_S05_the_imperfect_path_of_the_frame),
      cmocka_unit_test(test_S06_limit_points_of_Lees_frame),
      cmocka_unit_test(test_S14_a_column_bends),
      cmocka_unit_test(test_S15_a_closed_ring),
      cmocka_unit_test(test_S16_a_ball_holds_a_planar_arch_as_a_hinge_does),
      cmocka_unit_test(test_S16_a_deep_arch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
