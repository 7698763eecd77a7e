// Equilibria of strain-parametrised rods as a user gets them, points and steps chosen by
// themselves: what every row asks of so many functions of each strain, at all its loads, and the
// figures themselves with more functions.  n functions are polynomials up to order n - 1.
#include "rods_loads.h"

// Tips at all loads with `n` functions of each strain, further numbers of `tip` with the tolerance
// `extra_bound` relative to them.
static void meets(const rod_row* r, int n, const char* more, double tol) {
  const double zero[12] = {0};
  char text[6000];
  snprintf(text, sizeof text, "%s%s", r->text, more);
  bench b = bench_new(text, "gvs", n > 1 ? n - 1 : 1);  // a single one: by `order`
  for (int c = 0; c < case_count(r); c++) {
    const load_case* at = &r->cases[c];
    const double* turns = at->want + r->size;
    char what[80];
    bench_ramp(&b, "P", at->load, at->steps);
    const double* tip = bench_sensor(&b, "tip");
    snprintf(what, sizeof what, "%s n=%d P=%.4g", r->name, n, at->load);
    CHECK_REACHED(what, distance(tip, at->want, r->size) / r->length, tol);
    snprintf(what, sizeof what, "%s n=%d P=%.4g, turns and moments", r->name, n, at->load);
    if (r->extra_bound > 0)
      CHECK_REACHED(what,
                    distance(tip + r->size, turns, r->extra) / distance(turns, zero, r->extra),
                    r->extra_bound);
  }
  bench_free(&b);
}

// The heaviest rod, and followers above 5, bend too sharply at one end for one polynomial of four,
// six and eight functions; so many on each of three elements do.
#define THREE_ELEMENTS "rod(1).elements = 3;\n"

// What most rows ask, in lengths, and the limit with free numbers.
static void meets_all(const rod_row* r, const char* more) {
  rod_row last = *r;
  last.extra_bound = 1e-8;
  meets(r, 4, more, 5e-5);
  meets(r, 6, more, 5e-6);
  meets(r, 8, more, 2e-8);
  meets(&last, 14, THREE_ELEMENTS, 1e-8);
}

#define KIRCHHOFF_ROD                                                                           \
  ROD_HEAD                                                                                      \
  "P = param('P', 0); rod(1).length = 1; rod(1).tr.rot = along_x; rod(1).stiffness = [1 1 1 1 " \
  "1 1]; rod(1).inertia = [1 1 1 1 1 1]; rod(1).modes = [0 0 0 0 1 0];\n"                       \
  "p = pos(rod(1), 1); R = rot(rod(1), 1); k = strain(rod(1), 0); sensor(1).name = 'tip';\n"

// ---- in the plane -----------------------------------------------------------------------------

static void test_S01_a_cantilever_with_a_transverse_end_force(void** state) {
  (void)state;
  meets_all(&(rod_row){.name = "S01",
                       .text = KIRCHHOFF_ROD AT_TIP
                       "exload(1).ftau = [0 P 0]; sensor(1).value = [p(1:2) atan2(R(2,3), "
                       "R(1,3))];\n",
                       .length = 1,
                       .size = 2,
                       .extra = 1,
                       .cases = {{0.5, 1, {1 - 0.0159189624708, 0.162143575658, 0.244533647133}},
                                 {1, 1, {1 - 0.0564332362834, 0.3017207738, 0.461351949712}},
                                 {2, 1, {1 - 0.160641720825, 0.493457480397, 0.781749831557}},
                                 {5, 2, {1 - 0.387628360724, 0.713791523612, 1.21536811761}},
                                 {10, 3, {1 - 0.554995597754, 0.81060902488, 1.4302855388}}}},
            "");
}

// One constant is exact: no force acts inside.
static void test_S02_a_constant_rolls_up(void** state) {
  (void)state;
  const rod_row row = {.name = "S02",
                       .text = ROD_HEAD
                       "P = param('P', 0); rod(1).length = 1; rod(1).tr.rot = along_x; "
                       "rod(1).stiffness = [1e3 1e3 1e3 1 1 1]; rod(1).inertia = [1 1 1 1 1 1]; "
                       "rod(1).order = 0;\n"
                       "p = pos(rod(1), 1); sensor(1).name = 'tip'; sensor(1).value = p;\n" AT_TIP
                       "exload(1).ftau = [0 0 0 0 0 P];\n",
                       .length = 1,
                       .size = 3,
                       .cases = {{pi / 2, 1, {2 / pi, 2 / pi}},
                                 {pi, 1, {0, 2 / pi}},
                                 {2 * pi, 2, {0, 0}},
                                 {4 * pi, 4, {0, 0}}}};
  meets(&row, 1, "", 1e-12);
  meets(&row, 1, "rod(1).modes = [0 0 0 1 1 1];\n", 1e-12);
}

#define SAGGING                                                               \
  KIRCHHOFF_ROD                                                               \
  "world.g = [0 -P 0]; sensor(1).value = [p(1) -p(2) -atan2(R(2,3), R(1,3)) " \
  "-k(5)];\n"

static void test_S07_a_horizontal_rod_sags(void** state) {
  (void)state;
  meets_all(
      &(rod_row){
          .name = "S07",
          .text = SAGGING,
          .length = 1,
          .size = 2,
          .extra = 2,
          .cases = {{1, 1, {0.991246395347, 0.123471401983, 0.165115560502, 0.496933399931}},
                    {2, 1, {0.966892946896, 0.238506582873, 0.321593797669, 0.976742715095}},
                    {4.7088, 1, {0.859346523986, 0.476718041769, 0.667072288772, 2.11885342347}},
                    {5, 1, {0.846657179954, 0.495905044622, 0.697004777537, 2.22689255381}},
                    {10, 2, {0.656353761239, 0.700199715514, 1.0526431172, 3.74219111087}}}},
      "");
  const rod_row heavy = {
      .name = "S07",
      .text = SAGGING,
      .length = 1,
      .size = 2,
      .extra = 2,
      .cases = {{47.088, 8, {0.25476418863, 0.904586426021, 1.52009350735, 9.2298608471}}}};
  meets_all(&heavy, THREE_ELEMENTS);
  meets(&heavy, 12, "", 1e-8);
}

#define FOLLOWED                                                                           \
  KIRCHHOFF_ROD                                                                            \
  "exload(1).exbody = at(rod(1), 1); exload(1).refbody = at(rod(1), 1); exload(1).ftau = " \
  "[-P 0 0]; sensor(1).value = [p(1:2) k(5)];\n"

static void test_S13_a_force_that_follows(void** state) {
  (void)state;
  const rod_row row = {.name = "S13",
                       .text = FOLLOWED,
                       .length = 1,
                       .size = 2,
                       .extra = 1,
                       .cases = {{5, 3, {0.172277875399, -0.780690142778, -2.93962278317}},
                                 {10, 3, {-0.0921231811894, -0.546983264594, -1.72237322696}},
                                 {20, 6, {0.27571012309, -0.330157659781, 3.38775761958}}}};
  rod_row first = row;
  first.cases[1].steps = 0;
  meets_all(&first, "");
  meets_all(&row, THREE_ELEMENTS);
  meets(&row, 16, "", 1e-8);
}

#define THICK                                                                            \
  ROD_HEAD                                                                               \
  "P = param('P', 0); rod(1).length = 2; rod(1).tr.rot = along_x; rod(1).section = "     \
  "'rectangle'; rod(1).rho = 1; rod(1).width = 0.5; rod(1).height = 0.1; rod(1).E = "    \
  "2.07e11; rod(1).nu = 0.3; rod(1).shear = 13/15.3;\n"                                  \
  "exload(1).exbody = at(rod(1), 2); exload(1).refbody = 0; exload(1).ftau = [0 P 0];\n" \
  "p = pos(rod(1), 2); sensor(1).name = 'tip'; sensor(1).value = [2 - p(1), p(2)];\n"

// A rod that cannot shear bends less: of its deflection F L/(k G A) = 0.037 is shear, a twentieth.
static void test_S12_a_thick_cantilever_shears(void** state) {
  (void)state;
  const double load = 5e8 * 0.125, want[2] = {0.150971144239, 0.710568597854};
  meets(&(rod_row){.name = "S12",
                   .text = THICK,
                   .length = 1,
                   .size = 2,
                   .cases = {{load, 2, {want[0], want[1]}}}},
        8, "", 1e-7);
  bench b = bench_new(THICK "rod(1).modes = [0 0 0 1 1 1];\n", "gvs", 7);
  bench_ramp(&b, "P", load, 2);
  const double less = 1 - bench_sensor(&b, "tip")[1] / want[1];
  printf("S12 Kirchhoff: deflection less by %.2g\n", less);
  assert_true(less > 0.01 && less < 0.1);
  bench_free(&b);
}

static void test_S18_pressure_in_a_chamber(void** state) {
  (void)state;
  const double want[2] = {0.300226030326, -0.0136007469444};
  bench b = bench_new(ROD_HEAD
                      "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = "
                      "1000; rod(1).tr.rot = along_x; rod(1).order = 0;\n"
                      "chamber(1).rod = 1; chamber(1).offset = [0.008 0]; chamber(1).area = 5e-5; "
                      "chamber(1).pressure = 30e3;\n"
                      "p = pos(rod(1), 0.3); sensor(1).name = 'tip'; sensor(1).value = p(1:2);\n"
                      "sensor(2).name = 'strain'; sensor(2).value = strain(rod(1), 0.1);\n",
                      "gvs", 1);
  bench_equilibrium(&b);
  const double* strain = bench_sensor(&b, "strain");
  CHECK_REACHED("S18 stretch", fabs(strain[2] / 0.00212206590789 - 1), 1e-10);
  CHECK_REACHED("S18 curvature", fabs(strain[4] / -0.301804929122 - 1), 1e-10);
  CHECK_REACHED("S18 tip", distance(bench_sensor(&b, "tip"), want, 2) / 0.3, 1e-10);
  bench_free(&b);
}

// ---- in space ---------------------------------------------------------------------------------

// The frame at the clamp: along x, section axes along y and z; the moment there from the strains.
#define BEND_45(stiffness, modes)                                                         \
  ROD_HEAD                                                                                \
  "P = param('P', 0); R = 100; L = R*pi/4; rod(1).length = L; rod(1).tr.rot = along_x;\n" \
  "rod(1).shape = [0 0 0 0 1/R 0]; rod(1).inertia = [1 1 1 1 1 1]; K = " stiffness        \
  "; rod(1).stiffness = K; rod(1).modes = " modes                                         \
  ";\n"                                                                                   \
  "exload(1).exbody = at(rod(1), L); exload(1).refbody = 0; exload(1).ftau = [0 0 P];\n"  \
  "k = strain(rod(1), 0); sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1), L) "     \
  "K(6)*k(6) K(4)*k(4) K(5)*(k(5) - 1/R)];\n"

static void test_S03_the_45_degree_bend_leaves_its_plane(void** state) {
  (void)state;
  rod_row rows[3] = {
      {.name = "S03",
       .text = BEND_45("[5e6 5e6 1e7 1e7/12 1e7/12 1e7/12]", "[1 1 1 1 1 1]"),
       .extra = 3,
       .cases =
           {{300, 2, {58.7791224897, 22.2447809454, 40.1918916702, 6673.43428361, -17633.7367469}},
            {450, 1, {52.2385580112, 18.5081789254, 48.5029273441, 8328.68051642, -23507.351105}},
            {600, 1, {47.1504385736, 15.684800534, 53.4748587918, 9410.88032042, -28290.2631442}}}},
      {.name = "S03",
       .text = BEND_45("[41.6667e5 41.6667e5 1e7 8.333e5 8.333e5 8.333e5]", "[1 1 1 1 1 1]"),
       .cases = {{300, 2, {58.7783138615, 22.2443415459, 40.1932664427}},
                 {450, 1, {52.2375693328, 18.5076751469, 48.5042421389}},
                 {600, 1, {47.1493813329, 15.6842988717, 53.4761081403}}}},
      {.name = "S03",
       .text = BEND_45("[1 1 1 1 1 1]*1e7/12", "[0 0 0 1 1 1]"),
       .cases = {{300, 2, {58.7796853912, 22.2450347421, 40.188283838}},
                 {450, 1, {52.2392984209, 18.5084640456, 48.4979826206}},
                 {600, 1, {47.1512944003, 15.6850781622, 53.4685984423}}}}};
  for (int k = 0; k < 3; k++) {
    rows[k].length = 25 * pi;
    rows[k].size = 3;
    meets(&rows[k], 6, "", 1e-5);
    if (rows[k].extra) rows[k].extra_bound = 1e-8;
    meets(&rows[k], 14, "", 1e-8);
  }
}

static void test_S03b_a_parabolic_axis(void** state) {
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
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L) - [70.7107 -29.2893 0];\n";
  meets(&(rod_row){.name = "S03b",
                   .text = text,
                   .length = 60.1607,  // of the displacement
                   .size = 3,
                   .cases = {{600, 4, {-23.6459716009047, 13.7208006040059, 53.5776450626988}}}},
        12, "", 1e-9);
}

// Displacements and twist at all forces F and angles b.
static void test_S04_the_Princeton_beam(void** state) {
  (void)state;
  static const struct {
    double F, u[7][4];  // at 0, 15, ... 90 degrees; the twist in degrees
  } rows[3] = {{4.448,
                {{-3.38985695864e-05, -0.00535821940775, 0, 0},
                 {-0.000544176611099, -0.00521122290103, 0.0208083672113, 0.234719956425},
                 {-0.0019179363325, -0.00475760555007, 0.0399598647708, 0.402722333338},
                 {-0.00374820836106, -0.00397643378206, 0.056063500665, 0.45917982132},
                 {-0.00552768582826, -0.00287415902953, 0.068131946682, 0.392778622917},
                 {-0.00679973476338, -0.00151062494486, 0.0755690329865, 0.224768770627},
                 {-0.00725909644264, 0, 0.0780772690664, 0}}},
               {8.896,
                {{-0.000135516792559, -0.0107127647943, 0, 0},
                 {-0.00224846384219, -0.0106435814356, 0.0421924486304, 0.956196939691},
                 {-0.00768097210521, -0.0102076137891, 0.0795473771203, 1.59372211516},
                 {-0.0144118248335, -0.0089791967227, 0.109113115255, 1.75334277939},
                 {-0.0204867177589, -0.00674204415068, 0.129957858888, 1.45246389039},
                 {-0.0245860655353, -0.00362197870581, 0.142218169895, 0.813478255406},
                 {-0.0260214827731, 0, 0.146252357201, 0}}},
               {13.345,
                {{-0.00030466836708, -0.0160611788774, 0, 0},
                 {-0.00534066776724, -0.0165776519735, 0.0647342180069, 2.2161397602},
                 {-0.0172589222583, -0.0169897989327, 0.118179534218, 3.51352963737},
                 {-0.0304529346961, -0.015621149906, 0.156774617721, 3.66714046069},
                 {-0.0412573005951, -0.011963545832, 0.182003786208, 2.91587849551},
                 {-0.0480856124803, -0.00647033530264, 0.196138733764, 1.59292536599},
                 {-0.0504010153525, 0, 0.200683960608, 0}}}};
  bench b = bench_new(
      ROD_HEAD
      "F = param('F', 0); b = param('b', 0)*pi/180; L = 0.508; rod(1).length = L; rod(1).tr.rot = "
      "along_x; rod(1).stiffness = [1084759.32924 1084759.32924 2842069.44262 2.42887180411 "
      "36.2855193954 2.92574406775]; rod(1).inertia = [1 1 1 1 1 1]; R = rot(rod(1), L);\n"
      "exload(1).exbody = at(rod(1), L); exload(1).refbody = 0; exload(1).ftau = F*[0 -cos(b) "
      "sin(b)];\n"
      "sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1), L) - [L 0 0], atan2(R(3,1), "
      "R(2,1))*180/pi];\n",
      "gvs", 6);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 7; i++) {
      char what[80];
      bench_set(&b, "F", rows[k].F);
      bench_set(&b, "b", 15 * i);
      bench_equilibrium(&b);
      const double *u = bench_sensor(&b, "tip"), *want = rows[k].u[i],
                   size = sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]);
      snprintf(what, sizeof what, "S04 F=%g b=%d", rows[k].F, 15 * i);
      CHECK_REACHED(what, distance(u, want, 3) / size, 1e-6);
      CHECK_REACHED("S04 twist", fabs(u[3] - want[3]), 1e-6 * fmax(want[3], 0.1));
    }
  bench_free(&b);
}

// Constant strains are exact.  Under a part of its load the rod is no helix, and constants have no
// equilibrium near that of more functions: they start beside the helix, order 4 from the straight
// rod.
#define HELIX                                                                                   \
  ROD_HEAD                                                                                      \
  "P = param('P', 0); rod(1).length = 2; rod(1).tr.rot = along_x; rod(1).inertia = [1 1 1 1 1 " \
  "1]; "                                                                                        \
  "rod(1).stiffness = [1 1 1 1 1 0.7]; rod(1).modes = [0 0 0 1 1 1]; R = rot(rod(1), 2);\n"     \
  "exload(1).exbody = at(rod(1), 2); exload(1).refbody = 0; exload(1).ftau = P*[-2.7 -3.6 0 "   \
  "3.15930520075 3.20552109944 -0.39169519984];\n"                                              \
  "sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1), 2) R(:,3)' R(:,1)' R(:,2)'];\n"

static void test_S08_a_helix_of_constants(void** state) {
  (void)state;
  rod_row row = {.name = "S08",
                 .text = HELIX "rod(1).order = 0; rod(1).init = [0 0 0 4.1 0.1 2.9];\n",
                 .length = 1,
                 .size = 12,
                 .cases = {{1,
                            1,
                            {0.650365297806, 1.01222602665, -0.294251444652, -0.177005778609,
                             0.882754333957, 0.435216888711, 0.882754333957, 0.337934249532,
                             -0.326412666534, -0.435216888711, 0.326412666534, -0.839071529076}}}};
  meets(&row, 1, "", 1e-10);
  row.text = HELIX;
  row.cases[0].steps = 12;
  meets(&row, 5, "", 1e-10);
}

// Up to ten turns of a rod that is pulled out of its plane, from the straight rod at once; in
// parts, as a rod has at most 256 coordinates in each.
static void test_S09_ten_turns(void** state) {
  (void)state;
  static const struct {
    double P, want[3];
    int n;
  } rows[6] = {{0.05, {0.711481028872, 6.28566443081, 2.75073620501}, 6},
               {0.1, {0.410203352609, 0.0537709031177, -1.09172901932}, 6},
               {0.25, {0.0257649500841, 1.27271795812, 0.520651252482}, 6},
               {0.5, {0.0191069949768, 0.000573979517117, -0.226637440739}, 8},
               {0.75, {0.00285289126099, 0.424394003672, 0.206425652919}, 10},
               {1, {0.00480324965962, 7.24968468994e-05, -0.076441741732}, 12}};
  if (CHECK_SANITIZED) skip();
  for (int k = 0; k < 6; k++) {
    char what[80];
    bench b = bench_new(ROD_HEAD
                        "P = param('P', 0); rod(1).length = 10; rod(1).tr.rot = along_x; "
                        "rod(1).inertia = [1 1 1 1 1 1]; rod(1).stiffness = [1e4 1e4 1e4 1e2 1e2 "
                        "1e2]; for i = 1:4, rod(1).part(i).length = 2.5; end\n"
                        "exload(1).exbody = at(rod(1), 10); exload(1).refbody = 0; exload(1).ftau "
                        "= P*[0 0 50 0 0 200*pi];\n"
                        "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10);\n",
                        "gvs", rows[k].n - 1);
    bench_ramp(&b, "P", rows[k].P, 1);
    snprintf(what, sizeof what, "S09 n=%d in each of 4 parts, P=%g", rows[k].n, rows[k].P);
    CHECK_REACHED(what, distance(bench_sensor(&b, "tip"), rows[k].want, 3) / 10, 1e-6);
    bench_free(&b);
  }
}

static void test_S10_a_composite_section(void** state) {
  (void)state;
  meets(&(rod_row){.name = "S10",
                   .text = ROD_HEAD
                   "P = param('P', 0); rod(1).length = 10; rod(1).tr.rot = along_x; rod(1).inertia "
                   "= [1 1 1 1 1 1]; K = diag([88.56 38.78 1368.17 0 0 0]);\n"
                   "K(4:6,4:6) = [59.12 -0.37 17.61; -0.37 141.47 -0.351; 17.61 -0.351 16.96]; "
                   "rod(1).stiffness = 1e3*K;\n"
                   "exload(1).exbody = at(rod(1), 10); exload(1).refbody = 0; exload(1).ftau = [0 "
                   "0 P];\n"
                   "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10) - [10 0 0];\n",
                   .length = 1.2347,
                   .size = 3,
                   .cases = {{150, 1, {-0.0902726627566, -0.0647488486259, 1.22973648292}}}},
        8, "", 1e-9);
}

static void test_S11_a_twisted_section(void** state) {
  (void)state;
  meets(&(rod_row){.name = "S11",
                   .text = ROD_HEAD
                   "P = param('P', 0); rod(1).length = 10; rod(1).tr.rot = along_x; rod(1).inertia "
                   "= [1 1 1 1 1 1]; rod(1).stiffness = [8.2604167e9 8.2604167e9 2.5e10 5.20833e8 "
                   "1.30208333e8 1.41872656e8]; rod(1).shape = [0 0 0 0 0 pi/20];\n"
                   "exload(1).exbody = at(rod(1), 10); exload(1).refbody = 0; exload(1).ftau = [0 "
                   "0 -P];\n"
                   "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 10) - [10 0 0];\n",
                   .length = 4.1435,
                   .size = 3,
                   .cases = {{4e6, 2, {-1.14152599954, -1.71805334646, -3.59321324027}}}},
        13, "", 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S01_a_cantilever_with_a_transverse_end_force),
      cmocka_unit_test(test_S02_a_constant_rolls_up),
      cmocka_unit_test(test_S03_the_45_degree_bend_leaves_its_plane),
      cmocka_unit_test(test_S03b_a_parabolic_axis),
      cmocka_unit_test(test_S04_the_Princeton_beam),
      cmocka_unit_test(test_S07_a_horizontal_rod_sags),
      cmocka_unit_test(test_S08_a_helix_of_constants),
      cmocka_unit_test(test_S09_ten_turns),
      cmocka_unit_test(test_S10_a_composite_section),
      cmocka_unit_test(test_S11_a_twisted_section),
      cmocka_unit_test(test_S12_a_thick_cantilever_shears),
      cmocka_unit_test(test_S13_a_force_that_follows),
      cmocka_unit_test(test_S18_pressure_in_a_chamber),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
