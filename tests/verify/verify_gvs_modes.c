// Natural frequencies of strain-parametrised rods as a user gets them, points and steps chosen by
// themselves: what rows M01 to M08 ask of so many functions of each strain (n functions are
// polynomials up to order n - 1), and all their figures with more.
#include "rods.h"

enum { most = 6 };

typedef struct mode_row {
  const char *name, *text;
  int skip;      // rigid modes
  double scale;  // of the figures
  double want[most];
} mode_row;

static td_modes_result* modes_of(bench* b) {
  td_modes_result* result;
  bench_equilibrium(b);
  assert_int_equal(td_modes(b->model, b->state, b->work, &result), TD_OK);
  return result;
}

// Relative errors of the first modes; a tolerance of 0: this one and those after it are not asked.
static void meets(const mode_row* r, int n, const double tol[most]) {
  bench b = bench_new(r->text, "gvs", n - 1);
  td_modes_result* modes = modes_of(&b);
  for (int k = 0; k < most && tol[k] > 0 && r->want[k] > 0; k++) {
    char what[80];
    snprintf(what, sizeof what, "%s n=%d, mode %d", r->name, n, k + 1);
    CHECK_REACHED(what, fabs(modes->omega[r->skip + k] / (r->scale * r->want[k]) - 1), tol[k]);
  }
  td_modes_free(modes);
  bench_free(&b);
}

static const double six[most] = {1e-9, 2e-5, 4e-4}, eight[most] = {1e-12, 1e-8, 2e-6},
                    all[most] = {1e-8, 1e-8, 1e-8, 1e-8, 1e-8, 1e-8};

// ---- straight rods ----------------------------------------------------------------------------

#define PLANAR_ROD                                                             \
  ROD_HEAD                                                                     \
  "rod(1).modes = [0 0 0 0 1 0]; rod(1).length = 1; rod(1).tr.rot = along_x; " \
  "rod(1).stiffness = [1 1 1 1 1 1]; rod(1).inertia = [1 1 1 0 0 0];\n"
#define HELD_TIP(rows)                                                                     \
  "joint(1).second = at(rod(1), 1); joint(1).tr(1).trans = [1 0 0]; joint(1).tr(2).rot = " \
  "along_x; joint(1).refbody = 0; joint(1).fixed = " rows ";\n"
#define TIP_MASS(m)                                                                               \
  "body(1).m = " m                                                                                \
  "; body(1).I = zeros(3); joint(1).first = at(rod(1), 1); joint(1).second = 1; joint(1).type = " \
  "'fixed';\n"

// The row's tolerances were measured on the clamped and free rod; the figures β have twelve digits,
// their squares 1e-12.
static void test_M01_Euler_Bernoulli_roots(void** state) {
  (void)state;
  mode_row rows[6] = {{"M01 clamped-free",
                       PLANAR_ROD,
                       0,
                       1,
                       {1.875104068711961, 4.694091132974175, 7.85475743824, 10.9955407349,
                        14.137168391, 17.2787595321}},
                      {"M01 clamped-clamped",
                       PLANAR_ROD HELD_TIP("[0 1 0 0 1 0]"),
                       0,
                       1,
                       {4.73004074486, 7.8532046241, 10.995607838, 14.1371654913, 17.2787596574}},
                      {"M01 free-free",
                       PLANAR_ROD "rod(1).joint.type = 'planar'; rod(1).joint.axis = [0 1 0];\n",
                       3,
                       1,
                       {4.73004074486, 7.8532046241, 10.995607838, 14.1371654913, 17.2787596574}},
                      {"M01 clamped-pinned",
                       PLANAR_ROD HELD_TIP("[0 1 0 0 0 0]"),
                       0,
                       1,
                       {3.92660231205, 7.06858274563, 10.2101761228, 13.3517687778}},
                      {"M01 tip mass 0.5",
                       PLANAR_ROD TIP_MASS("0.5"),
                       0,
                       1,
                       {1.41996442977, 4.11113338642, 7.19033524196}},
                      {"M01 tip mass 1",
                       PLANAR_ROD TIP_MASS("1"),
                       0,
                       1,
                       {1.24791740961, 4.03113943671, 7.13413224094}}};
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < most; i++) rows[k].want[i] *= rows[k].want[i];
    if (k == 0) meets(&rows[k], 6, six);
    if (k == 0) meets(&rows[k], 8, eight);
    meets(&rows[k], 18, all);
  }
}

#define ROD_A                                                                                   \
  ROD_HEAD                                                                                      \
  "r = 0.015; A = pi*r^2; I = pi*r^4/4; E = 1e6; G = E/3; L = 0.3; k = 1; rod(1).length = L;\n" \
  "rod(1).tr.rot = along_x; rod(1).inertia = 1000*[A A A I I 2*I]; rod(1).modes = [1 0 0 0 1 "  \
  "0];\n"
#define SHEAR "rod(1).stiffness = [k*G*A G*A E*A E*I E*I 2*G*I];\n"

static void test_M02_Timoshenko_rods(void** state) {
  (void)state;
  const mode_row rows[3] = {
      {"M02 silicone",
       ROD_A SHEAR,
       0,
       1,
       {9.21223781129, 55.8547867921, 149.070897062, 274.755974722, 424.444692428, 590.878690769}},
      {"M02 silicone k=6/7",
       ROD_A "k = 6/7;\n" SHEAR,
       0,
       1,
       {9.20564206024, 55.5955320045, 147.614367894, 270.479999582, 415.482062876, 575.426247416}},
      {"M02 steel",
       ROD_HEAD
       "rod(1).modes = [1 0 0 0 1 0]; rod(1).length = 1; A = 0.005; I = 0.05*0.1^3/12; E = 210e9; "
       "k = E/2.6*5/6; rod(1).stiffness = [k*A 1 1 1 E*I 1]; rod(1).inertia = 7850*[A A A I I "
       "2*I];\n",
       0,
       2 * 3.14159265358979323846,
       {82.8943626933, 496.814531609, 1306.69807298, 2370.30840574, 3608.25503355, 4958.98884592}}};
  // the figures have twelve digits; shear takes one function more in the third mode
  const double of_six[most] = {1e-9, 2e-5}, of_eight[most] = {1e-11, 1e-8},
               of_nine[most] = {1e-11, 1e-8, 2e-6};
  for (int k = 0; k < 3; k++) {
    meets(&rows[k], 6, of_six);
    meets(&rows[k], 7, six);
    meets(&rows[k], 8, of_eight);
    meets(&rows[k], 9, of_nine);
    meets(&rows[k], 18, all);
  }
  // nothing of an Euler-Bernoulli rod
  bench b = bench_new(ROD_A SHEAR, "gvs", 8);
  td_modes_result* modes = modes_of(&b);
  const double slender[3] = {9.26551378032, 58.0659836901, 162.586435695};
  for (int i = 0; i < 3; i++) assert_true(modes->omega[i] < 0.995 * slender[i]);
  td_modes_free(modes);
  bench_free(&b);
}

// The first frequencies; of the second, half a wave more, eight functions are asked.
static void test_M03_a_rod_stretches_and_twists(void** state) {
  (void)state;
  const double four[most] = {5e-5}, of_six[most] = {5e-6}, of_eight[most] = {2e-8, 2e-8};
  const mode_row rows[2] = {{"M03 axial",
                             ROD_A SHEAR "rod(1).modes = [0 0 1 0 0 0];\n",
                             0,
                             1,
                             {165.576471097, 496.72941329, 827.882355483}},
                            {"M03 torsion",
                             ROD_A SHEAR "rod(1).modes = [0 0 0 0 0 1];\n",
                             0,
                             1,
                             {95.5956201591, 286.786860477, 477.978100795}}};
  for (int k = 0; k < 2; k++) {
    meets(&rows[k], 4, four);
    meets(&rows[k], 6, of_six);
    meets(&rows[k], 8, of_eight);
    meets(&rows[k], 12, all);
  }
}

#define ROTOR(speed)                                                                       \
  ROD_HEAD                                                                                 \
  "rod(1).modes = [0 0 0 1 0 0]; rod(1).length = 1; rod(1).tr.rot = along_x; "             \
  "rod(1).stiffness = [1 1 1 1 1 1]; rod(1).inertia = [1 1 1 0 0 0]; rod(1).joint.type = " \
  "'revolute'; rod(1).joint.axis = [0 1 0]; rod(1).joint.dof.motion = " speed "*t;\n"

static void test_M04_rotation_stiffens_flapping(void** state) {
  (void)state;
  const mode_row rows[6] = {
      {"M04 at 0", ROTOR("0"), 0, 1, {3.5160152685, 22.0344915647, 61.6972144136}},
      {"M04 at 1", ROTOR("1"), 0, 1, {3.68164681396, 22.1810111506, 61.8417625872}},
      {"M04 at 2", ROTOR("2"), 0, 1, {4.13731957302, 22.6149219565, 62.2731841057}},
      {"M04 at 3", ROTOR("3"), 0, 1, {4.79727853236, 23.3202636743, 62.9849674807}},
      {"M04 at 6", ROTOR("6"), 0, 1, {7.36037301931, 26.8090816785, 66.6839143815}},
      {"M04 at 12", ROTOR("12"), 0, 1, {13.1701504875, 37.6031123312, 79.6144784895}}};
  const double of_eight[most] = {1e-5, 1e-5, 1e-5};
  for (int k = 0; k < 6; k++) {
    meets(&rows[k], 8, of_eight);
    meets(&rows[k], 14, all);
  }
}

// ---- a ring -----------------------------------------------------------------------------------

#define RING(stiffness)                                                                     \
  ROD_HEAD                                                                                  \
  "rod(1).modes = [0 0 0 1 1 1]; rod(1).length = 2*pi; rod(1).shape = [0 0 0 0 1 0]; "      \
  "rod(1).inertia = [1 1 1 1e-9 1e-9 1e-9]; rod(1).joint.type = 'free'; rod(1).stiffness "  \
  "= " stiffness                                                                            \
  ";\njoint(1).first = at(rod(1), 0); joint(1).second = at(rod(1), 2*pi); joint(1).type = " \
  "'fixed';\n"

// Frequencies in pairs after six rigid modes; the other kind of bending is a thousand times
// stiffer.
static void test_M07_a_free_ring(void** state) {
  (void)state;
  static const char* const text[2] = {RING("[1 1 1 1e3 1 1e3/1.3]"), RING("[1 1 1 1 1e3 1/1.3]")};
  const double want[2][3] = {{7.2, 57.6, 211.764705882353},
                             {6.79245283018868, 55.9223300970874, 208.092485549133}};
  for (int k = 0; k < 2; k++) {
    bench b = bench_new(text[k], "gvs", 20);
    td_modes_result* modes = modes_of(&b);
    for (int i = 0; i < 6; i++) assert_true(fabs(modes->omega[i]) < 1e-6 * modes->omega[6]);
    for (int i = 0; i < 6; i++)
      CHECK_REACHED("M07", fabs(pow(modes->omega[6 + i], 2) / want[k][i / 2] - 1), 1e-4);
    td_modes_free(modes);
    bench_free(&b);
  }
}

// ---- about a sagged equilibrium ---------------------------------------------------------------

#define SAGGED(damping, more)                                                              \
  ROD_A                                                                                    \
  "world.g = [0 -9.81 0]; rod(1).modes = [1 1 1 1 1 1]; K = [G*A G*A E*A E*I E*I 2*G*I]; " \
  "rod(1).stiffness = K; rod(1).damping = 1e4*" damping                                    \
  "; x = strain(rod(1), 0);\n"                                                             \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L); sensor(2).name = 'base'; "    \
  "sensor(2).value = K(5)*x(5);\n" more
#define ISO "[A A A I I 2*I]"
#define SOROSIM "[A A 3*A 3*I 3*I 2*I]"
#define HELD "rod(1).modes = [0 0 0 1 1 1];\n"

typedef struct sagged_row {
  const char *name, *text;
  double tip[3], moment;
  int nomega, neigen;
  double omega[12], eigen[4][2];
} sagged_row;

static double nearest(const double* re, const double* im, int n, const double want[2]) {
  double best = INFINITY;
  for (int i = 0; i < n; i++) best = fmin(best, hypot(re[i] - want[0], (im ? im[i] : 0) - want[1]));
  return best / hypot(want[0], want[1]);
}

// With n = 8 the first three of each kind to 1e-6, with more all of them.
static void sagged(const sagged_row* r, int n, double tol, int nomega, int neigen) {
  bench b = bench_new(r->text, "gvs", n - 1);
  td_modes_result* modes = modes_of(&b);
  char what[80];
  snprintf(what, sizeof what, "%s n=%d tip", r->name, n);
  CHECK_REACHED(what, distance(bench_sensor(&b, "tip"), r->tip, 3) / 0.3, tol);
  snprintf(what, sizeof what, "%s n=%d omega", r->name, n);
  for (int i = 0; i < nomega; i++)
    CHECK_REACHED(what, nearest(modes->omega, NULL, modes->n, (double[]){r->omega[i], 0}), tol);
  snprintf(what, sizeof what, "%s n=%d damped", r->name, n);
  for (int i = 0; i < neigen; i++)
    CHECK_REACHED(what, nearest(modes->re, modes->im, modes->ncomplex, r->eigen[i]), tol);
  // that of the strain there; a moment converges half as fast as a tip
  if (n > 8)
    CHECK_REACHED("M08 moment at the base", fabs(*bench_sensor(&b, "base") / r->moment - 1), 1e-7);
  td_modes_free(modes);
  bench_free(&b);
}

static void test_M08_about_the_sagged_equilibrium(void** state) {
  (void)state;
  // in the plane, then out of it
  const sagged_row rows[4] = {
      {"M08 Cosserat iso",
       SAGGED(ISO, ""),
       {0.257592746957, -0.144042501463, 0},
       -0.280532228495,
       11,
       4,
       {10.6459131952, 10.2067321775, 54.6480218295, 56.4355334495, 131.826677268, 95.6544306393,
        149.660242992, 191.673837835, 279.466598519, 275.121555547, 286.958729239},
       {{-0.439204041496, 10.6387463469},
        {-15.3939650558, 53.1638693799},
        {-93.6836991451, 98.9620204032},
        {-187.337594463, 49.7862678698}}},
      {"M08 Kirchhoff iso",
       SAGGED(ISO, HELD),
       {0.257803957196, -0.143015412531, 0},
       -0.280824230357,
       10,
       3,
       {10.6906783023, 10.2495722126, 56.5178887247, 57.9969783117, 150.93549891, 95.7403004584,
        159.261028604, 295.907467907, 286.600487905, 305.899164155},
       {{-0.435328904333, 10.6818728512},
        {-15.3662288217, 54.388997392},
        {-112.344686332, 100.799531355}}},
      {"M08 Cosserat sorosim",
       SAGGED(SOROSIM, ""),
       {0.257592746957, -0.144042501463, 0},
       -0.280532228495,
       0,
       2,
       {0},
       {{-1.29353603406, 10.5678866396}, {-43.0841188098, 33.6368590485}}},
      {"M08 Kirchhoff sorosim",
       SAGGED(SOROSIM, HELD),
       {0.257803957196, -0.143015412531, 0},
       -0.280824230357,
       0,
       2,
       {0},
       {{-1.3059535412, 10.6111598559}, {-46.0985779491, 32.6998867555}}}};
  for (int k = 0; k < 4; k++) {
    sagged(&rows[k], 8, 1e-6, rows[k].nomega < 6 ? rows[k].nomega : 6, 2);
    sagged(&rows[k], 13, 1e-8, rows[k].nomega, rows[k].neigen);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_M01_Euler_Bernoulli_roots),
      cmocka_unit_test(test_M02_Timoshenko_rods),
      cmocka_unit_test(test_M03_a_rod_stretches_and_twists),
      cmocka_unit_test(test_M04_rotation_stiffens_flapping),
      cmocka_unit_test(test_M07_a_free_ring),
      cmocka_unit_test(test_M08_about_the_sagged_equilibrium),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
