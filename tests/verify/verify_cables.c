// Tendon-driven rods against exact and converged figures (row S17), in every continuum model.
#include "rods_loads.h"

// Benchmark frame: along +x, section axes y and z; [d_y d_z] is the path [x y] of the model.
#define SILICONE                                                                            \
  "r = 0.015; L = 0.3; rod(1).length = L; rod(1).radius = r; rod(1).E = 1e6; rod(1).rho = " \
  "1000; rod(1).tr.rot = along_x; P = param('P', 0);\n"                                     \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L);\n"
#define STEEL                                                                                    \
  "L = 0.242; rod(1).length = L; rod(1).radius = 0.4e-3; rod(1).E = 210e9; rod(1).nu = 0.3125; " \
  "rod(1).rho = 8000; rod(1).tr.rot = along_x; P = param('P', 0); world.g = [0 0 -9.81];\n"      \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L);\n"

#define levels \
  { 6, 8, 12, 16, 24 }

// What the row asks of polynomials up to order 4 and 8.  One whole turn of a helix is more than
// order 4 can show, however it is solved: 1.2e-5 (T3) and 2.7e-5 (RW) of the length; order 5 can,
// and so can four functions that know the turn (below).
static void check_orders(const rod_row* r, int low) {
  check_spectral(r, low, "", 1e-5);
  check_spectral(r, 8, "", 1e-8);
  refine(r);
}

// A circle is exact at any order: 1e-12 m, half of which is the last digit of the figures.
static void check_circle(const rod_row* r) {
  check_spectral(r, 1, "", 1e-12 / r->length);
  check_spectral(r, 8, "", 1e-12 / r->length);
  refine(r);
}

static void test_S17_T1_a_straight_tendon_bends_into_a_circle(void** state) {
  (void)state;
  check_circle(&(rod_row){
      "S17",
      ROD_HEAD SILICONE "cable(1).path = [0.01 0]; cable(1).tension = P;\n",
      0.3,
      all_models,
      levels,
      3,
      0,
      0.6,
      0,
      1e-8,
      {{1, 1, {0.299291425982, 0.0112963130134, 0}}, {5, 1, {0.290862270497, 0.055524894698, 0}}},
      {0},
      0});
  check_circle(&(rod_row){
      "S17",
      ROD_HEAD SILICONE ROD_KIRCHHOFF "cable(1).path = [0.01 0]; cable(1).tension = P;\n",
      0.3,
      relative_models,
      levels,
      3,
      0,
      0.6,
      0,
      1e-8,
      {{1, 1, {0.299715436589, 0.0113123166677, 0}}, {5, 1, {0.292934357206, 0.0559204509732, 0}}},
      {0},
      0});
}

// Curvature and stretch are those of the exact solution at any refinement.
static void test_S17_T1_strains_are_exact(void** state) {
  (void)state;
  for (int m = 0; m < all_models; m++) {
    bench b = bench_new(ROD_HEAD SILICONE
                        "cable(1).path = [0.01 0]; cable(1).tension = P;\n"
                        "sensor(2).name = 'x'; sensor(2).value = strain(rod(1), 0.1);\n",
                        rod_models[m], 5);
    const double EI = 1e6 * pi * pow(0.015, 4) / 4, EA = 1e6 * pi * pow(0.015, 2);
    bench_ramp(&b, "P", 5, 2);
    const double* x = bench_sensor(&b, "x");
    CHECK_REACHED("S17 T1 stretch", fabs(x[2] + 5 / EA), 1e-12);
    CHECK_REACHED("S17 T1 curvature", fabs(fabs(x[4]) - 0.05 / EI) / (0.05 / EI), 1e-11);
    bench_free(&b);
  }
}

static void test_S17_T2_two_tendons_and_gravity(void** state) {
  (void)state;
#define TWO                                                                     \
  "world.g = [0 0 -9.81]*P; cable(1).path = [0.01 0]; cable(1).tension = 3*P; " \
  "cable(2).path = [0 0.01]; cable(2).tension = 2*P;\n"
  check_orders(&(rod_row){"S17",
                          ROD_HEAD SILICONE TWO,
                          0.3,
                          all_models,
                          levels,
                          3,
                          0,
                          1,
                          0,
                          1e-6,
                          {{1, 4, {0.263219716524, 0.0298219143411, -0.127522697135}}},
                          {0},
                          0},
               4);
  check_orders(&(rod_row){"S17",
                          ROD_HEAD SILICONE ROD_KIRCHHOFF TWO,
                          0.3,
                          relative_models,
                          levels,
                          3,
                          0,
                          1,
                          0,
                          1e-6,
                          {{1, 4, {0.264872939213, 0.0300209535313, -0.128158919239}}},
                          {0},
                          0},
               4);
}

static void test_S17_T3_a_helical_tendon(void** state) {
  (void)state;
#define HELIX(radius) \
  "cable(1).path = " radius "*[cos(2*pi*s/L) sin(2*pi*s/L)]; cable(1).tension = P;\n"
  check_orders(&(rod_row){"S17",
                          ROD_HEAD SILICONE HELIX("0.01"),
                          0.3,
                          all_models,
                          levels,
                          3,
                          0,
                          1,
                          0,
                          1e-6,
                          {{4, 2, {0.297600076086, 8.74794895944e-06, 0.0144146834151}}},
                          {0},
                          0},
               5);
  check_orders(&(rod_row){"S17",
                          ROD_HEAD SILICONE ROD_KIRCHHOFF HELIX("0.01"),
                          0.3,
                          relative_models,
                          levels,
                          3,
                          0,
                          1,
                          0,
                          1e-6,
                          {{4, 2, {0.299308878797, 8.39325922524e-06, 0.0144813474196}}},
                          {0},
                          0},
               5);
}

// Without gravity the strains of a helical tendon are waves of one turn: three functions of Fourier
// show them, seven to the precision of the steps, as points and steps follow the number of
// functions.  Under gravity the moment of the weight, (L - s)² at rest, stands beside them: four
// functions that know both, and eight.
#define KNOWN(functions)                   \
  "w = 2*pi*s/L; x = s/L; f = [" functions \
  "]; rod(1).basis = 'custom'; rod(1).functions = [f; f; f; f; f; f];\n"

static void as_it_comes(const rod_row* r, int order, const char* more, double tol) {
  char text[4000], what[80];
  snprintf(text, sizeof text, "%s%s", r->text, more);
  bench b = bench_new(text, "gvs", order);
  bench_ramp(&b, "P", r->cases[0].load, 2);
  snprintf(what, sizeof what, "S17 %d coordinates", td_model_sizes(b.model).nv);
  CHECK_REACHED(what, distance(bench_sensor(&b, "tip"), r->cases[0].want, 3) / r->length, tol);
  bench_free(&b);
}

static void test_S17_functions_that_know_the_turn_of_a_tendon(void** state) {
  (void)state;
  static const char four[] = KNOWN("1 (1 - x)^2 cos(w) sin(w)"),
                    eight[] = KNOWN("1 x x^2 x^3 cos(w) sin(w) x*cos(w) x*sin(w)");
  const rod_row rows[3] = {
      {.text = ROD_HEAD SILICONE HELIX("0.01"),
       .length = 0.3,
       .cases = {{4, 2, {0.297600076086, 8.74794895944e-06, 0.0144146834151}}}},
      {.text = ROD_HEAD SILICONE ROD_KIRCHHOFF HELIX("0.01"),
       .length = 0.3,
       .cases = {{4, 2, {0.299308878797, 8.39325922524e-06, 0.0144813474196}}}},
      {.text = ROD_HEAD STEEL HELIX("8e-3"),
       .length = 0.242,
       .cases = {{1, 2, {0.240985940721, 1.90963033124e-05, 0.0138752142626}}}}};
  for (int k = 0; k < 3; k++) {
    if (k < 2) as_it_comes(&rows[k], 1, "rod(1).basis = 'fourier';\n", 1e-5);
    if (k < 2) as_it_comes(&rows[k], 3, "rod(1).basis = 'fourier';\n", 1e-8);
    as_it_comes(&rows[k], 1, four, 1e-5);
    as_it_comes(&rows[k], 1, eight, 1e-8);
    as_it_comes(&rows[k], 5, "", 1e-5);
    as_it_comes(&rows[k], 8, "", 1e-8);
  }
}

static void test_S17_RW_tendons_outside_a_steel_backbone(void** state) {
  (void)state;
  check_orders(&(rod_row){"S17",
                          ROD_HEAD STEEL HELIX("8e-3"),
                          0.242,
                          relative_models,
                          levels,
                          3,
                          0,
                          2,
                          0,
                          1e-5,
                          {{1, 2, {0.240985940721, 1.90963033124e-05, 0.0138752142626}}},
                          {0},
                          0},
               5);
  check_orders(
      &(rod_row){"S17",
                 ROD_HEAD STEEL
                 "cable(1).path = [8e-3 0]; cable(1).tension = P; exload(1).exbody = at(rod(1), "
                 "L); exload(1).ftau = [0 0 -0.0981];\n",
                 0.242,
                 relative_models,
                 levels,
                 3,
                 0,
                 2,
                 0,
                 1e-5,
                 {{2, 6, {0.19027906009, 0.0896234099633, -0.0939326594379}}},
                 {0},
                 0},
      4);
}

// ---- polynomial rods --------------------------------------------------------------------------

static double rom_error(const char* text, int n, const double* want) {
  bench b = bench_new(text, "rom", n);
  bench_ramp(&b, "P", 4, 4);
  const double error = distance(bench_sensor(&b, "tip"), want, 3) / 0.3;
  bench_free(&b);
  return error;
}

static void test_S17_T3_with_polynomial_rods(void** state) {
  (void)state;
  static const double want[3] = {0.297600076086, 8.74794895944e-06, 0.0144146834151};
  CHECK_REACHED("S17 T3 rom 4", rom_error(ROD_HEAD SILICONE HELIX("0.01"), 4, want), 1e-4);
  CHECK_REACHED("S17 T3 rom 8", rom_error(ROD_HEAD SILICONE HELIX("0.01"), 8, want), 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S17_T1_a_straight_tendon_bends_into_a_circle),
      cmocka_unit_test(test_S17_T1_strains_are_exact),
      cmocka_unit_test(test_S17_T2_two_tendons_and_gravity),
      cmocka_unit_test(test_S17_T3_a_helical_tendon),
      cmocka_unit_test(test_S17_functions_that_know_the_turn_of_a_tendon),
      cmocka_unit_test(test_S17_RW_tendons_outside_a_steel_backbone),
      cmocka_unit_test(test_S17_T3_with_polynomial_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
