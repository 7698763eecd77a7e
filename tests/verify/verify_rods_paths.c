// Rods whose equilibria turn back, branch or close a loop: limit points, bifurcations and rings
// against exact and converged figures, second order over at least four refinements.
#include "rods_paths.h"

// ---- paths with critical points ---------------------------------------------------------------

static void critical_points(const path_row* r, const char* model, int n, td_path_kind kind,
                            int count, int size, double* out) {
  find_critical(bench_new(r->text, model, n), r, kind, count, size, out);
}

// What a critical point has to be in the polynomial model: relative errors of the load and of the
// sensors at four orders.
typedef struct rom_path {
  const char *name, *what;
  path_row row;
  rom_orders orders;
  td_path_kind kind;
  int count, size;
  const double *want, *scale;  // of load and sensors of each point
} rom_path;

static void polynomial_path(const rom_path* r) {
  double error[4], x[max_values];
  for (int i = 0; i < 4; i++) {
    find_critical(bench_rom(r->row.text, r->orders.n[i], r->orders.parts), &r->row, r->kind,
                  r->count, r->size, x);
    error[i] = 0;
    for (int k = 0; k < r->count * (r->size + 1); k++)
      error[i] = fmax(error[i], fabs((x[k] - r->want[k]) / r->scale[k]));
  }
  rom_check(r->name, r->what, &r->orders, error);
}

// Right-angle frame in metres; leg 1 along x, leg 2 along y, 30 mm high and 0.6 mm thick.
#define FRAME                                                                                  \
  ROD_HEAD                                                                                     \
  "P = param('P', 0); F = param('F', 0); L = 0.24; E = 71240e6; G = E/2.62;\n"                 \
  "for i = 1:2\n"                                                                              \
  "  rod(i).model = mdl; rod(i).n = n; rod(i).length = L; rod(i).inertia = [1 1 1 1 1 1];\n"   \
  "  rod(i).stiffness = [G*15e-6 G*15e-6 E*18e-6 E*0.54e-12 E*1350e-12 G*30*0.6^3/3*1e-12];\n" \
  "  if kirchhoff, rod(i).modes = [0 0 0 1 1 1]; end\n"                                        \
  "end\n"                                                                                      \
  "rod(1).tr.rot = along_x; rod(2).first = at(rod(1), L); rod(2).tr.rot = [2 pi/2];\n"         \
  "exload(1).exbody = at(rod(2), L); exload(1).refbody = 0; exload(1).ftau = [P 0 F];\n"       \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(2), L) - [L L 0];\n"

#define SECOND_ROD "rod(2).magnus = 6; rod(2).points = 2*n + 10;\n"

static void test_S05_a_right_angle_frame_buckles_sideways(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  static const char* const kind[2] = {"kirchhoff = 0;\n" FRAME, "kirchhoff = 1;\n" FRAME};
  const double want[2] = {1.08751784084, 1.08751823734};
  const int n[4] = {4, 6, 8, 10};
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < (k ? relative_models : all_models); m++) {
      study s = study_new("S05", rod_models[m]);
      for (int i = 0; i < 4; i++)
        critical_points(&(path_row){kind[k], 1.02, 1.12, 0.5}, s.model, n[i], TD_BIFURCATION, 1, 0,
                        study_level(&s, n[i], 1));
      study_check(&s, &(demand){k ? "P_cr Kirchhoff" : "P_cr Cosserat", 0, 1, want + k, want[k],
                                1.6, 0.2, 1e-6});
    }
  polynomial_path(&(rom_path){"S05",
                              "P_cr Cosserat",
                              {kind[0], 1.02, 1.12, 0.5},
                              {1, {3, 4, 5, 6}, 1e-6, 0, false},
                              TD_BIFURCATION,
                              1,
                              0,
                              want,
                              want});
  for (int k = 0; k < 2; k++) {
    const path_row row = {kind[k], 1.02, 1.12, 0.5};
    double load = NAN;
    find_critical(bench_spectral(kind[k], 4, SECOND_ROD), &row, TD_BIFURCATION, 1, 0, &load);
    CHECK_REACHED(k ? "S05 gvs P_cr Kirchhoff" : "S05 gvs P_cr Cosserat", fabs(load / want[k] - 1),
                  1e-6);
  }
}

// A larger side force leads to the bent path and is then taken away.
static void bend_frame(bench* b, const double load[3], double* x) {
  bench_ramp(b, "F", 0.2, 1);
  bench_ramp(b, "P", 2.5, 4);
  bench_ramp(b, "F", 2e-4, 3);
  for (int k = 0; k < 3; k++) {
    bench_ramp(b, "P", load[k], 2);
    memcpy(x + 3 * k, bench_sensor(b, "tip"), 3 * sizeof(double));
  }
  bench_free(b);
}

static void test_S05_the_bent_path_of_the_frame(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  const double load[3] = {2.5, 2, 1.5};
  const double want[3][3] = {{0.121129085142, -0.112707797806, 0.0468660852401},
                             {0.100374403977, -0.0892466799842, 0.0558292477897},
                             {0.063163689642, -0.0522466088508, 0.0608029970186}};
  const int n[4] = {4, 6, 8, 10};
  for (int m = 0; m < all_models; m++) {
    study s = study_new("S05", rod_models[m]);
    for (int i = 0; i < 4; i++) {
      bench b = bench_new("kirchhoff = 0;\n" FRAME, s.model, n[i]);
      bend_frame(&b, load, study_level(&s, n[i], 9));
    }
    for (int k = 0; k < 3; k++)
      study_check(&s, &(demand){"bent path", 3 * k, 3, want[k], 0.24, 0.6, 0.2, 1e-6});
  }
  const rom_orders orders = {1, {3, 4, 5, 7}, 1e-6, 0, false};
  double x[9], error[3][4];
  for (int i = 0; i < 4; i++) {
    bench b = bench_rom("kirchhoff = 0;\n" FRAME, orders.n[i], 1);
    bend_frame(&b, load, x);
    for (int k = 0; k < 3; k++) error[k][i] = distance(x + 3 * k, want[k], 3) / 0.24;
  }
  for (int k = 0; k < 3; k++) rom_check("S05", "bent path", &orders, error[k]);
  bench b = bench_spectral("kirchhoff = 0;\n" FRAME, 7, SECOND_ROD);
  bend_frame(&b, load, x);
  for (int k = 0; k < 3; k++)
    CHECK_REACHED("S05 gvs bent path", distance(x + 3 * k, want[k], 3) / 0.24, 1e-8);
}

// Half a per cent with ten segments in a leg.
static void check_limits(const study* s, const double* want) {
  study_check(s, &(demand){"limit 1: P", 0, 1, want, want[0], 0.5, 0.2, 1e-5});
  study_check(s, &(demand){"limit 1: v, u", 1, 2, want + 1, 1, 0.5, 0.2, 1e-5});
  study_check(s, &(demand){"limit 2: P", 3, 1, want + 3, -want[3], 0.5, 0.2, 1e-5});
  study_check(s, &(demand){"limit 2: v, u", 4, 2, want + 4, 1, 0.5, 0.2, 1e-5});
}

// EA = 4320, GA = EA/2.6
static const double lee_cosserat[6] = {18.54655874,    48.751058693 / 120, 26.8787013383 / 120,
                                       -9.39614235717, 58.223594605 / 120, 90.1801141706 / 120};

static void test_S06_Lees_frame_snaps_through_two_limit_points(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  const double kirchhoff[6] = {18.5587465395,  48.7394542129 / 120, 26.8868525274 / 120,
                               -9.42128745387, 58.2004841879 / 120, 90.2119138573 / 120};
  static const char* const text[2] = {"cosserat = 0;\n" LEE, "cosserat = 1;\n" LEE};
  const int n[4] = {5, 10, 15, 20};
  for (int m = 0; m < all_models; m++) {
    study s = study_new("S06", rod_models[m]);
    const path_row row = {text[m >= relative_models], -12, 20, 0.2};
    for (int i = 0; i < 4; i++)
      critical_points(&row, s.model, n[i], TD_LIMIT, 2, 2, study_level(&s, n[i], 6));
    check_limits(&s, m < relative_models ? kirchhoff : lee_cosserat);
  }
}

// The load makes a kink in the moment, where a part of the beam ends.
#define LOADED_BEAM \
  SECOND_ROD        \
  "rod(2).part(1).length = 0.2; rod(2).part(2).length = 0.8; rod(2).length = 1;\n"

// In parts: the load makes a kink, too.
#define LEE_PARTS                                                                            \
  "rod(1).part(1).length = 0.5; rod(1).part(2).length = 0.5; rod(2).part(1).length = 0.2;\n" \
  "rod(2).part(2).length = 0.4; rod(2).part(3).length = 0.4;\n"

static void test_S06_limit_points_of_polynomial_rods(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // minutes
  const double scale[6] = {lee_cosserat[0], 1, 1, -lee_cosserat[3], 1, 1};
  polynomial_path(&(rom_path){"S06",
                              "limits",
                              {"cosserat = 1;\n" LEE LEE_PARTS, -12, 20, 0.4},
                              {1, {3, 4, 5, 6}, 1e-6, 0, false},
                              TD_LIMIT,
                              2,
                              2,
                              lee_cosserat,
                              scale});
}

static void test_S06_limit_points_of_spectral_rods(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  static const char text[] = "cosserat = 0;\n" LEE LOADED_BEAM;
  const double want[6] = {18.5587465395,  48.7394542129 / 120, 26.8868525274 / 120,
                          -9.42128745387, 58.2004841879 / 120, 90.2119138573 / 120};
  double x[6], error = 0;
  find_critical(bench_spectral(text, 9, ""), &(path_row){text, -12, 20, 0.2}, TD_LIMIT, 2, 2, x);
  for (int i = 0; i < 6; i++) error = fmax(error, fabs(x[i] / want[i] - 1));
  CHECK_REACHED("S06 gvs", error, 1e-7);
}

// In statics ebr and eba are the same sums in other coordinates: S06 for eba is S06 for ebr.
static void test_absolute_and_relative_segments_have_the_same_limit_load(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  const path_row row = {"cosserat = 1;\n" LEE, 17, 20, 0.1};
  study s = study_new("S06", "eba");
  for (int n = 5; n <= 10; n += 5) {
    double relative[3] = {NAN};
    double* absolute = study_level(&s, n, 3);
    critical_points(&row, "ebr", n, TD_LIMIT, 1, 2, relative);
    critical_points(&row, "eba", n, TD_LIMIT, 1, 2, absolute);
    CHECK_REACHED("S06 eba against ebr", fabs(absolute[0] / relative[0] - 1), 1e-9);
  }
  CHECK_REACHED("S06 eba extrapolated from ten segments",
                study_reached(&s, 0, 1, lee_cosserat, 2) / lee_cosserat[0], 5e-3);
}

static double load_for_angle(bench* b, double angle, double guess) {
  double p0 = guess * 1.02, p1 = guess, a0, a1;
  bench_set(b, "P", p0);
  bench_equilibrium(b);
  a0 = bench_sensor(b, "tip")[2];
  for (int i = 0; i < 20; i++) {
    bench_set(b, "P", p1);
    bench_equilibrium(b);
    a1 = bench_sensor(b, "tip")[2];
    if (fabs(a1 - angle) < 1e-9) break;
    const double next = p1 - (a1 - angle) * (p1 - p0) / (a1 - a0);
    p0 = p1;
    a0 = a1;
    p1 = next;
  }
  assert_true(fabs(a1 - angle) < 1e-8);
  return p1;
}

static void polynomial_column(const char* text, const char* bent, const double* want) {
  const double one = 1;
  const rom_orders orders = {1, {3, 4, 5, 7}, 1e-5, 1e-3, false};
  double error[2][4];
  polynomial_path(&(rom_path){
      "S14", "critical load", {text, 0.5, 1.2, 0.1}, orders, TD_BIFURCATION, 1, 0, &one, &one});
  for (int i = 0; i < 4; i++) {
    bench b = bench_rom(bent, orders.n[i], 1);
    for (int k = 1; k >= 0; k--) {
      const double load = load_for_angle(&b, (1 + k) * pi / 3, want[3 * k]);
      error[k][i] = fmax(fabs(load / want[3 * k] - 1),
                         distance(bench_sensor(&b, "tip"), want + 3 * k + 1, 2));
    }
    bench_free(&b);
  }
  rom_check("S14", "at 60", &orders, error[0]);
  rom_check("S14", "at 120", &orders, error[1]);
}

static void test_S14_a_column_buckles_and_bends(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
#define COLUMN                                                                            \
  UNIT_ROD AT_TIP                                                                         \
      "if ~absolute, rod(1).modes = [0 0 0 0 1 0]; end\n"                                 \
      "rod(1).stiffness = [far far far 1e3 1 1e3];\n"                                     \
      "P = P*pi^2/4; exload(1).ftau = [-P 0 0]; sensor(1).value = [p(1:2) atan2(R(2,3), " \
      "R(1,3))];\n"
  static const char text[] = COLUMN, bent[] = COLUMN "rod(1).init = [0 0 0 0 3*cos(pi*s/2) 0];\n";
  const double want[6] = {1.151719620469, 0.7410196060763, 0.5932076461649,
                          1.884800868978, 0.1231599724051, 0.8031709900075};
  const double one = 1;
  const int n[5] = {6, 8, 12, 16, 20};
  for (int m = 0; m < all_models; m++) {
    study s = study_new("S14", rod_models[m]);
    for (int i = 0; i < 5; i++) {
      double* x = study_level(&s, n[i], 7);
      critical_points(&(path_row){text, 0.5, 1.2, 0.1}, s.model, n[i], TD_BIFURCATION, 1, 0, x);
      bench b = bench_new(bent, s.model, n[i]);
      for (int k = 1; k >= 0; k--) {
        x[1 + 3 * k] = load_for_angle(&b, (1 + k) * pi / 3, want[3 * k]);
        memcpy(x + 2 + 3 * k, bench_sensor(&b, "tip"), 2 * sizeof(double));
      }
      bench_free(&b);
    }
    study_check(&s, &(demand){"critical load", 0, 1, &one, 1, 0.6, 0.2, 1e-5});
    study_check(&s, &(demand){"load at 60", 1, 1, want, want[0], 0.6, 0.2, 1e-5});
    study_check(&s, &(demand){"tip at 60", 2, 2, want + 1, 1, 0.6, 0.2, 1e-5});
    study_check(&s, &(demand){"load at 120", 4, 1, want + 3, want[3], 0.6, 0.2, 1e-5});
    study_check(&s, &(demand){"tip at 120", 5, 2, want + 4, 1, 0.6, 0.2, 1e-5});
  }
  polynomial_column(text, bent, want);
  double load = NAN;
  find_critical(bench_spectral(text, 10, ""), &(path_row){text, 0.5, 1.2, 0.1}, TD_BIFURCATION, 1,
                0, &load);
  CHECK_REACHED("S14 gvs critical load", fabs(load - 1), 1e-9);
  bench b = bench_spectral(bent, 12, "");
  for (int k = 1; k >= 0; k--) {
    load = load_for_angle(&b, (1 + k) * pi / 3, want[3 * k]);
    CHECK_REACHED("S14 gvs load", fabs(load / want[3 * k] - 1), 1e-8);
    CHECK_REACHED("S14 gvs tip", distance(bench_sensor(&b, "tip"), want + 3 * k + 1, 2), 1e-8);
  }
  bench_free(&b);
}

// ---- closed loops -----------------------------------------------------------------------------

// The whole ring: held where one force acts (symmetry keeps the tangent there), closed by a loop
// joint, pulled at the other side.
static void test_S15_a_closed_ring_is_pulled_and_pushed(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  static const char text[] = ROD_HEAD ROD_KIRCHHOFF
      "P = param('P', 0); L = 2*pi; rod(1).length = L; rod(1).tr.rot = along_x; rod(1).shape = [0 "
      "0 0 0 1 0];\n"
      "rod(1).stiffness = [1e6 1e6 1e6 1 1 1]; rod(1).inertia = [1 1 1 1 1 1];\n"
      "joint(1).first = at(rod(1), 0); joint(1).second = at(rod(1), L); joint(1).type = 'fixed';\n"
      "exload(1).exbody = at(rod(1), L/2); exload(1).refbody = 0; exload(1).ftau = [0 P 0];\n"
      "top = pos(rod(1), L/2); side = pos(rod(1), L/4); sensor(1).name = 'tip'; sensor(1).value = "
      "[top(2)/2 side(1)];\n";
  refine_with(&(rod_row){"S15",
                         text,
                         2 * pi,
                         all_models,
                         {8, 12, 16, 20, 24},
                         2,
                         0,
                         0.6,
                         0,
                         1e-5,
                         {{1, 1, {1.06644108146, 0.934680433277}},
                          {2, 1, {1.11929033345, 0.87587797421}},
                          {5, 2, {1.22427311056, 0.736554068701}},
                          {-1, 3, {0.916528109471, 1.07061014972}}},
                         .rom = {4, {2, 3, 4, 5}, 1e-5, 1e-3, false}},
              14, "rod(1).elements = 2;\n");
}

// A thousandth with 40 links is 1.6/n².
static void test_S16_a_deep_arch_collapses_at_a_limit_point(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths with spectral rods take minutes there
  static const char text[] = ARCH(TO_THE_HINGE), curved[] = ARCH(ON_THE_HINGE);
  const double inextensible[3] = {8.97308996972, 1.13732063125, -0.61141465795},
               cosserat[3] = {8.97289133844, 1.13730745654, -0.611417136732};
  const path_row row = {text, 7, 11, 0.2};
  // 16 links only begin to see the curl beside the hinge: of five refinements four extrapolate
  const int n[2][5] = {{16, 24, 32, 48, 64}, {12, 16, 24, 32, 40}};
  for (int m = 0; m < all_models; m++) {
    study s = study_new("S16", rod_models[m]);
    const bool held = m < relative_models;
    const double* want = held ? inextensible : cosserat;
    for (int i = 0; i < 5; i++)
      critical_points(&row, s.model, n[!held][i], TD_LIMIT, 1, 2, study_level(&s, n[!held][i], 3));
    study_check(&s, &(demand){"P_cr", 0, 1, want, want[0], 1.6, 0.2, 1e-6});
    study_check(&s, &(demand){"crown", 1, 2, want + 1, 1, 1.6, 0.2, 1e-6});
  }
  double x[3] = {NAN};
  find_critical(bench_spectral(curved, 7, "rod(1).elements = 4;\n"), &row, TD_LIMIT, 1, 2, x);
  CHECK_REACHED("S16 gvs P_cr", fabs(x[0] / inextensible[0] - 1), 1e-6);
  CHECK_REACHED("S16 gvs crown", distance(x + 1, inextensible + 1, 2), 1e-6);
}

// In eight parts, which follow the curl beside the hinge.
static void test_S16_the_deep_arch_of_polynomial_rods(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // minutes
  const double want[3] = {8.97289133844, 1.13730745654, -0.611417136732},
               scale[3] = {want[0], 1, 1};
  polynomial_path(&(rom_path){"S16",
                              "limit",
                              {ARCH(TO_THE_HINGE), 8.5, 10, 0.2},
                              {8, {2, 3, 4, 5}, 1e-5, 0, false},
                              TD_LIMIT,
                              1,
                              2,
                              want,
                              scale});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S05_a_right_angle_frame_buckles_sideways),
      cmocka_unit_test(test_S05_the_bent_path_of_the_frame),
      cmocka_unit_test(test_S06_Lees_frame_snaps_through_two_limit_points),
      cmocka_unit_test(test_S06_limit_points_of_polynomial_rods),
      cmocka_unit_test(test_S06_limit_points_of_spectral_rods),
      cmocka_unit_test(test_absolute_and_relative_segments_have_the_same_limit_load),
      cmocka_unit_test(test_S14_a_column_buckles_and_bends),
      cmocka_unit_test(test_S15_a_closed_ring_is_pulled_and_pushed),
      cmocka_unit_test(test_S16_a_deep_arch_collapses_at_a_limit_point),
      cmocka_unit_test(test_S16_the_deep_arch_of_polynomial_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
