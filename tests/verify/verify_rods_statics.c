// Equilibria of rods against exact and converged figures, in every continuum model: second order
// over at least four refinements, a bound at each, and what extrapolation reaches (1e-5 where 'eba'
// has a penalty: S01, S07, S08, S13).
#include "rods_loads.h"

#define coarse \
  { 4, 6, 8, 12, 16 }
#define fine \
  { 12, 16, 20, 24, 32 }

static void test_S01_a_cantilever_with_a_transverse_end_force_is_an_elastica(void** state) {
  (void)state;
  refine(&(rod_row){"S01",
                    UNIT_ROD AT_TIP
                    "exload(1).ftau = [0 P 0]; sensor(1).value = [p(1:2) atan2(R(2,3), R(1,3))];\n",
                    1,
                    all_models,
                    coarse,
                    2,
                    1,
                    0.6,
                    0.6,
                    1e-5,
                    {{0.5, 1, {1 - 0.0159189624708, 0.162143575658, 0.244533647133}},
                     {1, 1, {1 - 0.0564332362834, 0.3017207738, 0.461351949712}},
                     {2, 1, {1 - 0.160641720825, 0.493457480397, 0.781749831557}},
                     {5, 2, {1 - 0.387628360724, 0.713791523612, 1.21536811761}},
                     {10, 3, {1 - 0.554995597754, 0.81060902488, 1.4302855388}}},
                    .rom = {1, {3, 4, 5, 7}, 1e-5, 1e-3, false},
                    .far = 1e7});
}

// No force acts inside, so the stiffness against stretch and shear is of no consequence.
#define UNDER_COUPLE                                                                               \
  UNIT_ROD AT_TIP                                                                                  \
      "rod(1).stiffness = [1e3 1e3 1e3 1 1 1]; exload(1).ftau = [0 0 0 0 0 P]; sensor(1).value = " \
      "p(1:2);\n"

static void test_S02_an_end_moment_rolls_a_rod_into_an_arc(void** state) {
  (void)state;
  refine(&(rod_row){"S02",
                    UNDER_COUPLE,
                    1,
                    all_models,
                    coarse,
                    2,
                    0,
                    0.6,
                    0,
                    1e-8,
                    {{pi / 2, 2, {2 / pi, 2 / pi}}, {pi, 2, {0, 2 / pi}}},
                    .rom = {2, {2, 3, 4, 6}, 1e-8, 0, false}});
}

// A regular polygon closes exactly, however few its sides.
static void test_S02_whole_turns_close_exactly_at_any_refinement(void** state) {
  (void)state;
  for (int m = 0; m < all_models; m++) {
    bench b = bench_new(UNDER_COUPLE, rod_models[m], 12);
    for (int turns = 1; turns <= 2; turns++) {
      bench_ramp(&b, "P", 2 * pi * turns, 8);
      CHECK_REACHED("S02 whole turns",
                    hypot(bench_sensor(&b, "tip")[0], bench_sensor(&b, "tip")[1]), 1e-9);
    }
    bench_free(&b);
  }
}

// ---- initially curved and twisted rods, general sections --------------------------------------

#define BEND_45(stiffness)                                                                        \
  ROD_HEAD                                                                                        \
  "P = param('P', 0); R = 100; L = R*pi/4; rod(1).length = L; rod(1).tr.rot = along_x;\n"         \
  "rod(1).shape = [0 0 0 0 1/R 0]; rod(1).inertia = [1 1 1 1 1 1]; rod(1).stiffness = " stiffness \
  ";\n"                                                                                           \
  "exload(1).exbody = at(rod(1), L); exload(1).refbody = 0; exload(1).ftau = [0 0 P];\n"          \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L);\n"

static void test_S03_the_45_degree_bend_leaves_its_plane(void** state) {
  (void)state;
  refine(&(rod_row){"S03",
                    BEND_45("[5e6 5e6 1e7 1e7/12 1e7/12 1e7/12]"),
                    25 * pi,
                    all_models,
                    coarse,
                    3,
                    0,
                    0.6,
                    0,
                    1e-6,
                    {{300, 2, {58.7791224897, 22.2447809454, 40.1918916702}},
                     {450, 1, {52.2385580112, 18.5081789254, 48.5029273441}},
                     {600, 1, {47.1504385736, 15.684800534, 53.4748587918}}},
                    .rom = {1, {3, 4, 5, 7}, 1e-6, 0, false}});
}

static void test_S03_the_bend_as_a_Kirchhoff_rod(void** state) {
  (void)state;
  refine(&(rod_row){"S03",
                    BEND_45("[1 1 1 1 1 1]*1e7/12") ROD_KIRCHHOFF,
                    25 * pi,
                    relative_models,
                    coarse,
                    3,
                    0,
                    0.6,
                    0,
                    1e-6,
                    {{300, 2, {58.7796853912, 22.2450347421, 40.188283838}},
                     {600, 2, {47.1512944003, 15.6850781622, 53.4685984423}}},
                    .rom = {0}});
}

// The reference axis is the parabola y = a x + b x²; the arc length gives x by Newton's method, as
// an expression of s.
static void test_S03b_a_parabolic_axis_has_a_curvature_that_varies(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "P = param('P', 0); X = [38.2683 70.7107]; Y = [-7.61205 -29.2893];\n"
      "c = [X' (X.^2)'] \\ Y'; a = c(1); b = c(2);\n"
      "arc = @(x) ((a+2*b*x)*sqrt(1+(a+2*b*x)^2) + log(a+2*b*x + sqrt(1+(a+2*b*x)^2)))/(4*b);\n"
      "x = s; for i = 1:7, x = x - (arc(x) - arc(0) - s)/sqrt(1 + (a+2*b*x)^2); end\n"
      "L = arc(X(2)) - arc(0);\n"
      "rod(1).length = L; rod(1).tr(1).rot = [3 atan(a)]; rod(1).tr(2).rot = along_x;\n"
      "rod(1).shape = [0 0 0 0 2*b/(1 + (a+2*b*x)^2)^1.5 0]; rod(1).inertia = [1 1 1 1 1 1];\n"
      "rod(1).stiffness = [41.6667e5 41.6667e5 1e7 8.333e5 8.333e5 8.333e5];\n"
      "exload(1).exbody = at(rod(1), L); exload(1).refbody = 0; exload(1).ftau = [0 0 P];\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L);\n";
  refine(&(rod_row){
      "S03b",
      text,
      25 * pi,
      all_models,
      coarse,
      3,
      0,
      0.6,
      0,
      1e-6,
      {{600, 4, {70.7107 - 23.6459716009047, -29.2893 + 13.7208006040059, 53.5776450626988}}},
      .rom = {1, {2, 3, 4, 6}, 1e-6, 0, false}});
}

#define PRINCETON(degrees)                                                                     \
  ROD_HEAD                                                                                     \
  "P = param('P', 0); b = " #degrees                                                           \
  "*pi/180; L = 0.508; rod(1).length = L; rod(1).tr.rot = along_x;\n"                          \
  "rod(1).stiffness = [1084759.32924 1084759.32924 2842069.44262 2.42887180411 36.2855193954 " \
  "2.92574406775];\n"                                                                          \
  "rod(1).inertia = [1 1 1 1 1 1]; R = rot(rod(1), L); sensor(1).name = 'tip';\n"              \
  "exload(1).exbody = at(rod(1), L); exload(1).refbody = 0; exload(1).ftau = P*[0 -cos(b) "    \
  "sin(b)];\n"                                                                                 \
  "sensor(1).value = [pos(rod(1), L) - [L 0 0], atan2(R(3,1), R(2,1))];\n"

static void test_S04_the_Princeton_beam_bends_and_twists(void** state) {
  (void)state;
  const double deg = pi / 180;
  refine(&(rod_row){
      "S04",
      PRINCETON(45),
      0.508,
      all_models,
      coarse,
      3,
      1,
      0.6,
      0.6,
      1e-6,
      {{4.448, 1, {-0.00374820836106, -0.00397643378206, 0.056063500665, 0.45917982132 * deg}},
       {8.896, 1, {-0.0144118248335, -0.0089791967227, 0.109113115255, 1.75334277939 * deg}},
       {13.345, 1, {-0.0304529346961, -0.015621149906, 0.156774617721, 3.66714046069 * deg}}},
      .rom = {1, {2, 3, 4, 6}, 1e-6, 0, false}});
  refine(&(rod_row){
      "S04",
      PRINCETON(15),
      0.508,
      all_models,
      coarse,
      3,
      1,
      0.6,
      0.6,
      1e-6,
      {{13.345, 2, {-0.00534066776724, -0.0165776519735, 0.0647342180069, 2.2161397602 * deg}}},
      .rom = {1, {2, 3, 4, 6}, 1e-6, 0, false}});
  refine(&(rod_row){
      "S04",
      PRINCETON(75),
      0.508,
      all_models,
      coarse,
      3,
      1,
      0.6,
      0.6,
      1e-6,
      {{13.345, 2, {-0.0480856124803, -0.00647033530264, 0.196138733764, 1.59292536599 * deg}}},
      .rom = {1, {2, 3, 4, 6}, 1e-6, 0, false}});
}

static void test_S10_a_composite_section_couples_bending_and_twist(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "P = param('P', 0); rod(1).length = 10; rod(1).tr.rot = along_x; rod(1).inertia = [1 1 1 1 1 "
      "1];\n"
      "K = diag([88.56 38.78 1368.17 0 0 0]);\n"
      "K(4:6,4:6) = [59.12 -0.37 17.61; -0.37 141.47 -0.351; 17.61 -0.351 16.96]; rod(1).stiffness "
      "= 1e3*K;\n"
      "exload(1).exbody = at(rod(1), 10); exload(1).refbody = 0; exload(1).ftau = [0 0 P];\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10) - [10 0 0];\n";
  refine(&(rod_row){"S10",
                    text,
                    10,
                    all_models,
                    coarse,
                    3,
                    0,
                    0.6,
                    0,
                    1e-9,
                    {{150, 1, {-0.0902726627566, -0.0647488486259, 1.22973648292}}},
                    .rom = {1, {2, 3, 4, 6}, 1e-9, 0, false}});
}

static void test_S11_a_twisted_section_bends_sideways(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "P = param('P', 0); rod(1).length = 10; rod(1).tr.rot = along_x; rod(1).inertia = [1 1 1 1 1 "
      "1];\n"
      "rod(1).stiffness = [8.2604167e9 8.2604167e9 2.5e10 5.20833e8 1.30208333e8 1.41872656e8];\n"
      "rod(1).shape = [0 0 0 0 0 pi/20];\n"
      "exload(1).exbody = at(rod(1), 10); exload(1).refbody = 0; exload(1).ftau = [0 0 -P];\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10) - [10 0 0];\n";
  refine(&(rod_row){"S11",
                    text,
                    10,
                    all_models,
                    {6, 8, 12, 16, 24},
                    3,
                    0,
                    0.6,
                    0,
                    1e-9,
                    {{4e6, 2, {-1.14152599954, -1.71805334646, -3.59321324027}}},
                    .rom = {1, {3, 5, 7, 9}, 1e-9, 0, false}});
}

static void test_S12_a_thick_cantilever_shears(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "P = param('P', 0); rod(1).length = 2; rod(1).tr.rot = along_x; rod(1).section = "
      "'rectangle'; rod(1).rho = 1;\n"
      "rod(1).width = 0.5; rod(1).height = 0.1; rod(1).E = 2.07e11; rod(1).nu = 0.3; rod(1).shear "
      "= 13/15.3;\n"
      "exload(1).exbody = at(rod(1), 2); exload(1).refbody = 0; exload(1).ftau = [0 P 0];\n"
      "p = pos(rod(1), 2); sensor(1).name = 'tip'; sensor(1).value = [2 - p(1), p(2)];\n";
  refine(&(rod_row){"S12",
                    text,
                    2,
                    all_models,
                    coarse,
                    2,
                    0,
                    0.6,
                    0,
                    1e-7,
                    {{5e8 * 0.125, 2, {0.150971144239, 0.710568597854}}},
                    .rom = {1, {2, 3, 4, 6}, 1e-7, 0, false}});
}

// ---- weight, helices, rolls, followers --------------------------------------------------------

static void test_S07_a_horizontal_rod_sags_under_its_weight(void** state) {
  (void)state;
#define SAGGING \
  UNIT_ROD "world.g = [0 -P 0]; sensor(1).value = [p(1) -p(2) -atan2(R(2,3), R(1,3))];\n"
  static const char text[] = SAGGING, stiff[] = SAGGING "rod(1).stiffness = [1e7 1e7 1e7 1 1 1];\n";
  refine(&(rod_row){"S07",
                    text,
                    1,
                    all_models,
                    coarse,
                    2,
                    1,
                    0.6,
                    0.6,
                    1e-5,
                    {{1, 1, {0.991246395347, 0.123471401983, 0.165115560502}},
                     {2, 1, {0.966892946896, 0.238506582873, 0.321593797669}},
                     {4.7088, 1, {0.859346523986, 0.476718041769, 0.667072288772}},
                     {10, 2, {0.656353761239, 0.700199715514, 1.0526431172}}},
                    .rom = {1, {3, 4, 5, 7}, 1e-5, 1e-3, false},
                    .far = 1e7});
  refine(&(rod_row){"S07",
                    stiff,
                    1,
                    all_models,
                    fine,
                    2,
                    0,
                    0.6,
                    0,
                    1e-5,
                    {{47.088, 12, {0.25476418863, 0.904586426021}}},
                    .rom = {2, {3, 4, 5, 7}, 1e-5, 1e-3, false},
                    .far = 1e7});
}

static void test_S08_a_rod_under_force_and_couple_is_a_helix(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD ROD_KIRCHHOFF PENALTY
      "P = param('P', 0); rod(1).length = 2; rod(1).tr.rot = along_x; rod(1).inertia = [1 1 1 1 1 "
      "1];\n"
      "rod(1).stiffness = [far/2 far/2 far/2 1 1 0.7]; R = rot(rod(1), 2);\n"
      "if strcmp(mdl, 'rom'), rod(1).init = [0 0 0 4 0 3]; end\n"
      "exload(1).exbody = at(rod(1), 2); exload(1).refbody = 0;\n"
      "exload(1).ftau = P*[-2.7 -3.6 0 3.15930520075 3.20552109944 -0.39169519984];\n"
      "sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1), 2) R(:,3)' R(:,1)'];\n";
  refine(
      &(rod_row){"S08",
                 text,
                 2,
                 all_models,
                 {10, 12, 16, 20},
                 3,
                 6,
                 0.6,
                 0.6,
                 1e-5,
                 {{1,
                   12,
                   {0.650365297806, 1.01222602665, -0.294251444652, -0.177005778609, 0.882754333957,
                    0.435216888711, 0.882754333957, 0.337934249532, -0.326412666534}}},
                 .rom = {5, {3, 4, 5, 6}, 1e-5, 0, true}});
}

static void test_S09_a_couple_rolls_a_rod_up_while_a_force_pulls_it_out_of_the_plane(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "P = param('P', 0); rod(1).length = 10; rod(1).tr.rot = along_x; rod(1).inertia = [1 1 1 1 1 "
      "1];\n"
      "rod(1).stiffness = [1e4 1e4 1e4 1e2 1e2 1e2];\n"
      "exload(1).exbody = at(rod(1), 10); exload(1).refbody = 0; exload(1).ftau = P*[0 0 50 0 0 "
      "200*pi];\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10);\n";
  refine(&(rod_row){"S09",
                    text,
                    10,
                    all_models,
                    {12, 14, 16, 20},
                    3,
                    0,
                    0.6,
                    0,
                    1e-6,
                    {{0.05, 5, {0.711481028872, 6.28566443081, 2.75073620501}},
                     {0.1, 5, {0.410203352609, 0.0537709031177, -1.09172901932}}},
                    .rom = {0}});
}

static void test_S13_a_force_that_follows_the_tip(void** state) {
  (void)state;
  static const char text[] = UNIT_ROD
      "exload(1).exbody = at(rod(1), 1); exload(1).refbody = at(rod(1), 1); exload(1).ftau = [-P 0 "
      "0];\n"
      "sensor(1).value = p(1:2);\n";
  refine_with(&(rod_row){"S13",
                         text,
                         1,
                         all_models,
                         {8, 10, 12, 16},
                         2,
                         0,
                         0.6,
                         0,
                         1e-5,
                         {{5, 3, {0.172277875399, -0.780690142778}},
                          {10, 3, {-0.0921231811894, -0.546983264594}},
                          {20, 6, {0.27571012309, -0.330157659781}}},
                         .rom = {2, {3, 4, 5, 7}, 1e-5, 1e-3, false},
                         .far = 1e7},
              16, "");
}

static void test_S18_pressure_in_a_chamber_bends_and_stretches(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000; "
      "rod(1).tr.rot = along_x;\n"
      "chamber(1).rod = 1; chamber(1).offset = [0.008 0]; chamber(1).area = 5e-5; "
      "chamber(1).pressure = param('P', 0);\n"
      "p = pos(rod(1), 0.3); sensor(1).name = 'tip'; sensor(1).value = p(1:2);\n"
      "sensor(2).name = 'strain'; sensor(2).value = strain(rod(1), 0.1);\n";
  refine(&(rod_row){"S18",
                    text,
                    0.3,
                    all_models,
                    coarse,
                    2,
                    0,
                    0.6,
                    0,
                    1e-10,
                    {{30e3, 1, {0.300226030326, -0.0136007469444}}},
                    .rom = {1, {2, 3, 4, 5}, 1e-10, 0, false}});
  // the strain itself has no discretisation error
  for (int m = 0; m < all_models; m++) {
    bench b = bench_new(text, rod_models[m], 3);
    bench_ramp(&b, "P", 30e3, 1);
    const double* strain = bench_sensor(&b, "strain");
    CHECK_REACHED("S18 stretch", fabs(strain[2] / 0.00212206590789 - 1), 1e-10);
    CHECK_REACHED("S18 curvature", fabs(strain[4] / -0.301804929122 - 1), 1e-10);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S01_a_cantilever_with_a_transverse_end_force_is_an_elastica),
      cmocka_unit_test(test_S02_an_end_moment_rolls_a_rod_into_an_arc),
      cmocka_unit_test(test_S02_whole_turns_close_exactly_at_any_refinement),
      cmocka_unit_test(test_S03_the_45_degree_bend_leaves_its_plane),
      cmocka_unit_test(test_S03_the_bend_as_a_Kirchhoff_rod),
      cmocka_unit_test(test_S03b_a_parabolic_axis_has_a_curvature_that_varies),
      cmocka_unit_test(test_S04_the_Princeton_beam_bends_and_twists),
      cmocka_unit_test(test_S07_a_horizontal_rod_sags_under_its_weight),
      cmocka_unit_test(test_S08_a_rod_under_force_and_couple_is_a_helix),
      cmocka_unit_test(test_S09_a_couple_rolls_a_rod_up_while_a_force_pulls_it_out_of_the_plane),
      cmocka_unit_test(test_S10_a_composite_section_couples_bending_and_twist),
      cmocka_unit_test(test_S11_a_twisted_section_bends_sideways),
      cmocka_unit_test(test_S12_a_thick_cantilever_shears),
      cmocka_unit_test(test_S13_a_force_that_follows_the_tip),
      cmocka_unit_test(test_S18_pressure_in_a_chamber_bends_and_stretches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
