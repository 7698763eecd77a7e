// Natural frequencies of rods against exact roots, in every continuum model: second order over at
// least four refinements, a bound at each, and what extrapolation reaches.
#include "rods.h"

#define levels \
  { 8, 12, 16, 24 }

// ---- frequencies of a text --------------------------------------------------------------------

static double square(double x) { return x * x; }

typedef struct mode_row {
  const char *name, *what, *text;
  int models;
  int n[max_levels];
  int skip, size;  // rigid modes passed over, frequencies compared
  double want[6];
  double bound[6];  // relative error <= bound/n², for each frequency
  bool better;      // may converge faster than second order
  double limit;     // of the extrapolated frequency
  int rom[4];       // orders of the polynomial model
  int order;        // of strain-parametrised rods, and what they have to reach
  double tol[4];
} mode_row;

static td_modes_result* bench_modes(const bench* b) {
  td_modes_result* result;
  assert_int_equal(td_modes(b->model, b->state, b->work, &result), TD_OK);
  return result;
}

static void frequencies(const mode_row* r, study* s, int n) {
  bench b = bench_new(r->text, s->model, n);
  bench_equilibrium(&b);
  td_modes_result* modes = bench_modes(&b);
  double* x = study_level(s, n, r->size);
  assert_true(modes->n >= r->skip + r->size);
  for (int k = 0; k < r->skip; k++)
    assert_true(fabs(modes->omega[k]) < 1e-3 * modes->omega[r->skip]);
  for (int k = 0; k < r->size; k++) x[k] = modes->omega[r->skip + k];
  td_modes_free(modes);
  bench_free(&b);
}

static void check_frequencies(const mode_row* r, const study* s) {
  for (int k = 0; k < r->size; k++) {
    char what[40];
    snprintf(what, sizeof what, "%s %d", r->what, k + 1);
    const demand d = {what, k, 1, &r->want[k], r->want[k], r->bound[k], 0.2, r->limit};
    study_check_order(s, &d, r->better);
  }
}

// Strain-parametrised rods: the figures themselves, of the slender rows without the little rotary
// inertia that segments need.
static void spectral_frequencies(const mode_row* r) {
  const bool slender = strcmp(r->name, "M01") == 0 || strcmp(r->name, "M04") == 0;
  bench b = bench_spectral(r->text, r->order, slender ? "rod(1).inertia = [1 1 1 0 0 0];\n" : "");
  bench_equilibrium(&b);
  td_modes_result* modes = bench_modes(&b);
  for (int k = 0; k < r->size; k++) {
    char what[80];
    snprintf(what, sizeof what, "%s gvs order %d, %s %d", r->name, r->order, r->what, k + 1);
    CHECK_REACHED(what, fabs(modes->omega[r->skip + k] / r->want[k] - 1), r->tol[k]);
  }
  td_modes_free(modes);
  bench_free(&b);
}

static void polynomial_frequencies(const mode_row* r) {
  if (r->rom[0] == 0) return;
  rom_orders orders = {.parts = 1, .tol = r->limit};
  memcpy(orders.n, r->rom, sizeof orders.n);
  const int compared = r->size < 3 ? r->size : 3;  // the nearest frequencies
  double error[6][4];
  for (int i = 0; i < 4; i++) {
    bench b = bench_rom(r->text, orders.n[i], 1);
    bench_equilibrium(&b);
    td_modes_result* modes = bench_modes(&b);
    for (int k = 0; k < compared; k++) {
      error[k][i] = 1;
      for (int j = 0; j < modes->n; j++)
        error[k][i] = fmin(error[k][i], fabs(modes->omega[j] / r->want[k] - 1));
    }
    td_modes_free(modes);
    bench_free(&b);
  }
  for (int k = 0; k < compared; k++) {
    char what[40];
    snprintf(what, sizeof what, "%s %d", r->what, k + 1);
    rom_check(r->name, what, &orders, error[k]);
  }
}

static void refine(const mode_row* r) {
  spectral_frequencies(r);
  polynomial_frequencies(r);
  for (int m = 0; m < r->models; m++) {
    study s = study_new(r->name, rod_models[m]);
    for (int k = 0; k < max_levels && r->n[k] > 0; k++) frequencies(r, &s, r->n[k]);
    check_frequencies(r, &s);
  }
}

// A planar Euler-Bernoulli rod of unit length, mass and stiffness: only bend y.  eba and rom have
// the other strains stiff: shear takes (β²/2) EI/GA of a frequency, up to four times that where
// ends are clamped, 1.2e-6 with GA = 1e8.
#define PLANAR_ROD                                                                            \
  ROD_HEAD                                                                                    \
  "if ~absolute, rod(1).modes = [0 0 0 0 1 0]; end\n"                                         \
  "rod(1).length = 1; rod(1).tr.rot = along_x; rod(1).stiffness = [1e8 1e8 1e8 1e5 1 1e5];\n" \
  "rod(1).inertia = [1 1 1 1e-2 1e-8 1e-2];\n"
// the tip turns about the rod's own axes: `bend y` only
#define HELD_TIP(rows)                                                                     \
  "joint(1).second = at(rod(1), 1); joint(1).tr(1).trans = [1 0 0]; joint(1).tr(2).rot = " \
  "along_x; joint(1).refbody = 0; joint(1).fixed = " rows ";\n"
#define TIP_MASS(m) \
  "body(1).m = " m  \
  "; joint(1).first = at(rod(1), 1); joint(1).second = 1; joint(1).type = 'fixed';\n"

static void test_M01_Euler_Bernoulli_roots(void** state) {
  (void)state;
  const double limit = 1e-5;
  // of the row: clamped and free; elsewhere the largest of them
#define FREE_TOL {1e-11, 1e-8, 2e-6}
#define OTHER_TOL \
  { 2e-6, 2e-6, 2e-6 }
#define ROM_ORDERS \
  { 3, 4, 6, 8 }
  refine(&(mode_row){"M01",
                     "clamped-free",
                     PLANAR_ROD,
                     all_models,
                     levels,
                     0,
                     3,
                     {square(1.87510406871), square(4.69409113297), square(7.85475743824)},
                     {0.6, 2, 3.2},
                     false,
                     limit,
                     ROM_ORDERS,
                     7,
                     FREE_TOL});
  refine(&(mode_row){"M01",
                     "clamped-pinned",
                     PLANAR_ROD HELD_TIP("[0 1 0 0 0 0]"),
                     all_models,
                     levels,
                     0,
                     2,
                     {square(3.92660231205), square(7.06858274563)},
                     {0.6, 2},
                     false,
                     limit,
                     ROM_ORDERS,
                     7,
                     OTHER_TOL});
  refine(&(mode_row){"M01",
                     "clamped twice",
                     PLANAR_ROD HELD_TIP("[0 1 0 0 1 0]"),
                     all_models,
                     levels,
                     0,
                     2,
                     {square(4.73004074486), square(7.8532046241)},
                     {0.6, 2},
                     false,
                     limit,
                     ROM_ORDERS,
                     7,
                     OTHER_TOL});
  refine(&(mode_row){"M01",
                     "free-free",
                     PLANAR_ROD "rod(1).joint.type = 'planar'; rod(1).joint.axis = [0 1 0];\n",
                     all_models,
                     levels,
                     3,
                     2,
                     {square(4.73004074486), square(7.8532046241)},
                     {0.6, 2},
                     true,
                     limit,
                     ROM_ORDERS,
                     7,
                     OTHER_TOL});
  refine(&(mode_row){"M01",
                     "tip mass 0.5",
                     PLANAR_ROD TIP_MASS("0.5"),
                     all_models,
                     levels,
                     0,
                     3,
                     {square(1.41996442977), square(4.11113338642), square(7.19033524196)},
                     {0.6, 2, 3.2},
                     false,
                     limit,
                     ROM_ORDERS,
                     7,
                     OTHER_TOL});
  refine(&(mode_row){"M01",
                     "tip mass 1",
                     PLANAR_ROD TIP_MASS("1"),
                     all_models,
                     levels,
                     0,
                     3,
                     {square(1.24791740961), square(4.03113943671), square(7.13413224094)},
                     {0.6, 2, 3.2},
                     false,
                     limit,
                     ROM_ORDERS,
                     7,
                     OTHER_TOL});
}

// Silicone rod A of the benchmarks; `far` makes strains that take no part in a row stiff.
#define ROD_A                                                                                   \
  ROD_HEAD                                                                                      \
  "r = 0.015; A = pi*r^2; I = pi*r^4/4; E = 1e6; G = E/3; L = 0.3; far = 1e4; rod(1).length = " \
  "L;\n"                                                                                        \
  "rod(1).tr.rot = along_x; rod(1).inertia = 1000*[A A A I I 2*I];\n"

static void test_M02_a_Timoshenko_rod_is_slower_than_an_Euler_Bernoulli_one(void** state) {
  (void)state;
  refine(&(mode_row){"M02",
                     "silicone",
                     ROD_A "if ~absolute, rod(1).modes = [1 0 0 0 1 0]; end\n"
                           "rod(1).stiffness = [G*A far*G*A far*E*A far*E*I E*I far*G*I];\n",
                     all_models,
                     levels,
                     0,
                     4,
                     {9.21223781129, 55.8547867921, 149.070897062, 274.755974722},
                     {0.6, 2, 3.2, 3.2},
                     false,
                     1e-5,
                     {3, 4, 6, 8},
                     8,
                     {1e-11, 1e-8, 2e-6, 1e-4}});
  refine(&(mode_row){
      "M02",
      "steel",
      ROD_HEAD
      "if ~absolute, rod(1).modes = [1 0 0 0 1 0]; end\n"
      "rod(1).length = 1; A = 0.005; I = 0.05*0.1^3/12; E = 210e9; k = E/2.6*5/6; far = 1e4;\n"
      "rod(1).stiffness = [k*A far*k*A far*E*A far*E*I E*I far*E*I];\n"
      "rod(1).inertia = 7850*[A A A I I 2*I];\n",
      all_models,
      levels,
      0,
      3,
      {82.8943626933 * 2 * pi, 496.814531609 * 2 * pi, 1306.69807298 * 2 * pi},
      {0.6, 2, 3.2},
      false,
      1e-5,
      {3, 4, 6, 8},
      8,
      {1e-11, 1e-8, 2e-6}});
}

static void test_M03_a_rod_stretches_and_twists(void** state) {
  (void)state;
  refine(&(mode_row){"M03",
                     "axial",
                     ROD_A "if ~absolute, rod(1).modes = [0 0 1 0 0 0]; end\n"
                           "rod(1).stiffness = [far*G*A far*G*A E*A far*E*I far*E*I far*G*I];\n",
                     all_models,
                     levels,
                     0,
                     3,
                     {165.576471097, 496.72941329, 827.882355483},
                     {0.6, 0.6, 0.6},
                     false,
                     1e-5,
                     {3, 4, 6, 8},
                     12,
                     {2e-8, 2e-8, 2e-8}});
  refine(&(mode_row){"M03",
                     "torsion",
                     ROD_A "if ~absolute, rod(1).modes = [0 0 0 0 0 1]; end\n"
                           "rod(1).stiffness = [far*G*A far*G*A far*E*A far*E*I far*E*I 2*G*I];\n",
                     all_models,
                     levels,
                     0,
                     3,
                     {95.5956201591, 286.786860477, 477.978100795},
                     {0.6, 0.6, 0.6},
                     false,
                     1e-5,
                     {3, 4, 6, 8},
                     12,
                     {2e-8, 2e-8, 2e-8}});
}

// ---- about a steady rotation ------------------------------------------------------------------

// The base turns about world z at `speed`; only bend x (out of the plane of rotation) is free.  The
// nodes of eba are free in the world and have no steady motion of their own: it stands in the frame
// that turns, under the centrifugal load speed² s, which is all that flapping feels there.
#define ROTOR(speed)                                                                              \
  ROD_HEAD                                                                                        \
  "if ~absolute, rod(1).modes = [0 0 0 1 0 0]; end\n"                                             \
  "rod(1).length = 1; rod(1).tr.rot = along_x; rod(1).stiffness = [1e8 1e8 1e8 1 1e5 1e5];\n"     \
  "rod(1).inertia = [1 1 1 1e-8 1e-2 1e-2];\n"                                                    \
  "if strcmp(mdl, 'eba'), rod(1).load = [" speed                                                  \
  "^2*s 0 0 0 0 0]; else\n"                                                                       \
  "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; rod(1).joint.dof.motion = " speed \
  "*t; end\n"

static void test_M04_rotation_stiffens_the_flapping_of_a_cantilever(void** state) {
  (void)state;
  refine(&(mode_row){"M04",
                     "flap at 1",
                     ROTOR("1"),
                     all_models,
                     levels,
                     0,
                     3,
                     {3.68164681396, 22.1810111506, 61.8417625872},
                     {0.6, 2, 3.2},
                     false,
                     1e-5,
                     {3, 4, 6, 8},
                     7,
                     {1e-5, 1e-5, 1e-5}});
  refine(&(mode_row){"M04",
                     "flap at 6",
                     ROTOR("6"),
                     all_models,
                     levels,
                     0,
                     3,
                     {7.36037301931, 26.8090816785, 66.6839143815},
                     {0.6, 2, 3.2},
                     false,
                     1e-5,
                     {3, 4, 6, 8},
                     7,
                     {1e-5, 1e-5, 1e-5}});
  refine(&(mode_row){"M04",
                     "flap at 12",
                     ROTOR("12"),
                     all_models,
                     levels,
                     0,
                     3,
                     {13.1701504875, 37.6031123312, 79.6144784895},
                     {0.6, 2, 3.2},
                     false,
                     1e-5,
                     {3, 4, 6, 8},
                     7,
                     {1e-5, 1e-5, 1e-5}});
}

// ---- a closed ring ----------------------------------------------------------------------------

// Six rigid modes, then pairs.  The stiffness against the other kind of bending is a hundred times
// larger, so that one kind comes first.
static void ring_frequencies(bench b, double x[4]) {
  bench_equilibrium(&b);
  td_modes_result* modes = bench_modes(&b);
  for (int i = 0; i < 6; i++) assert_true(fabs(modes->omega[i]) < 1e-6 * modes->omega[6]);
  memcpy(x, modes->omega + 6, 4 * sizeof(double));
  td_modes_free(modes);
  bench_free(&b);
}

// In five parts; each frequency of a pair by itself.
static void polynomial_ring(const char* text, const char* what, const double want[2]) {
  const rom_orders orders = {5, {2, 3, 4, 5}, 5e-5, 0, false};
  double error[2][4], x[4];
  for (int k = 0; k < 4; k++) {
    ring_frequencies(bench_rom(text, orders.n[k], orders.parts), x);
    for (int i = 0; i < 2; i++)
      error[i][k] = fmax(fabs(x[2 * i] / want[i] - 1), fabs(x[2 * i + 1] / want[i] - 1));
  }
  for (int i = 0; i < 2; i++) rom_check("M07", what, &orders, error[i]);
}

static void ring(const char* text, const char* what, const double want[2]) {
  bench gvs = bench_spectral(text, 14, "rod(1).inertia = [1 1 1 1e-9 1e-9 1e-9];\n");
  td_modes_result* of = bench_modes(&gvs);
  for (int i = 0; i < 6; i++) assert_true(fabs(of->omega[i]) < 1e-6 * of->omega[6]);
  for (int i = 0; i < 4; i++)
    CHECK_REACHED("M07 gvs order 14", fabs(of->omega[6 + i] / want[i / 2] - 1), 1e-5);
  td_modes_free(of);
  bench_free(&gvs);
  polynomial_ring(text, what, want);
  for (int m = 0; m < all_models; m++) {
    study s = study_new("M07", rod_models[m]);
    const int n[4] = {20, 24, 28, 32};
    for (int k = 0; k < 4; k++) {
      double *x = study_level(&s, n[k], 2), all[4];
      ring_frequencies(bench_new(text, s.model, n[k]), all);
      for (int i = 0; i < 2; i++) {
        x[i] = all[2 * i];
        CHECK_NEAR(all[2 * i + 1] / x[i], 1, 1e-6);
      }
    }
    for (int i = 0; i < 2; i++)
      study_check(&s, &(demand){what, i, 1, want + i, want[i], 0, 0.2, 5e-5});
  }
}

#define RING(stiffness)                                                                      \
  ROD_HEAD ROD_KIRCHHOFF                                                                     \
      "rod(1).length = 2*pi; rod(1).shape = [0 0 0 0 1 0]; rod(1).stiffness = " stiffness    \
      ";\n"                                                                                  \
      "rod(1).inertia = [1 1 1 1e-6 1e-6 1e-6]; rod(1).joint.type = 'free';\n"               \
      "joint(1).first = at(rod(1), 0); joint(1).second = at(rod(1), 2*pi); joint(1).type = " \
      "'fixed';\n"

static void test_M07_a_free_ring_has_its_modes_in_pairs(void** state) {
  (void)state;
  ring(RING("[1e6 1e6 1e6 100 1 100/1.3]"), "in plane", (double[]){sqrt(7.2), sqrt(57.6)});
  ring(RING("[1e6 1e6 1e6 1 100 1/1.3]"), "out of plane",
       (double[]){sqrt(6.79245283018868), sqrt(55.9223300970874)});
}

// ---- about a sagged equilibrium, damped -------------------------------------------------------

#define SAGGED(damping)                                                      \
  ROD_A                                                                      \
  "world.g = [0 -9.81 0]; rod(1).stiffness = [G*A G*A E*A E*I E*I 2*G*I];\n" \
  "rod(1).damping = 1e4*" damping "; sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L);\n"
#define ISO "[A A A I I 2*I]"
#define SOROSIM "[A A 3*A 3*I 3*I 2*I]"

// The eigenvalue nearest to a wanted one
static void nearest(const td_modes_result* modes, const double want[2], double* re, double* im) {
  double best = INFINITY;
  for (int i = 0; i < modes->ncomplex; i++) {
    const double d = hypot(modes->re[i] - want[0], modes->im[i] - want[1]);
    if (d >= best) continue;
    best = d;
    *re = modes->re[i];
    *im = modes->im[i];
  }
}

typedef struct damped_row {
  const char* text;
  int models, nomega, neigen;
  double tip[2], omega[6], eigen[4][2];
} damped_row;

// Strain-parametrised rods: the figures themselves.
static void spectral_sagged(const damped_row* r) {
  bench b = bench_spectral(r->text, 8, "");
  bench_equilibrium(&b);
  td_modes_result* modes = bench_modes(&b);
  CHECK_REACHED("M08 gvs tip", distance(bench_sensor(&b, "tip"), r->tip, 2) / 0.3, 1e-9);
  for (int i = 0; i < r->nomega; i++)
    CHECK_REACHED("M08 gvs omega", fabs(modes->omega[i] / r->omega[i] - 1), 1e-7);
  for (int i = 0; i < r->neigen; i++) {
    double at[2] = {0, 0};
    nearest(modes, r->eigen[i], at, at + 1);
    CHECK_REACHED("M08 gvs damped",
                  distance(at, r->eigen[i], 2) / hypot(r->eigen[i][0], r->eigen[i][1]), 1e-6);
  }
  td_modes_free(modes);
  bench_free(&b);
}

// Tip, frequencies and damped eigenvalues, one after the other
static void sag(bench b, const damped_row* r, double* x) {
  bench_equilibrium(&b);
  td_modes_result* modes = bench_modes(&b);
  memcpy(x, bench_sensor(&b, "tip"), 2 * sizeof(double));
  memcpy(x + 2, modes->omega, sizeof(double) * (size_t)r->nomega);
  for (int i = 0; i < r->neigen; i++) {
    double* at = x + 2 + r->nomega + 2 * i;
    nearest(modes, r->eigen[i], at, at + 1);
  }
  td_modes_free(modes);
  bench_free(&b);
}

static void polynomial_sagged(const damped_row* r) {
  const rom_orders orders = {1, {3, 4, 6, 8}, 1e-6, 0, false};
  double error[11][4], x[max_values];
  for (int k = 0; k < 4; k++) {
    sag(bench_rom(r->text, orders.n[k], 1), r, x);
    error[0][k] = distance(x, r->tip, 2) / 0.3;
    for (int i = 0; i < r->nomega; i++) error[1 + i][k] = fabs(x[2 + i] / r->omega[i] - 1);
    for (int i = 0; i < r->neigen; i++)
      error[1 + r->nomega + i][k] = distance(x + 2 + r->nomega + 2 * i, r->eigen[i], 2) /
                                    hypot(r->eigen[i][0], r->eigen[i][1]);
  }
  for (int i = 0; i < 1 + r->nomega + r->neigen; i++)
    rom_check("M08", i == 0 ? "tip" : i <= r->nomega ? "omega" : "damped", &orders, error[i]);
}

static void sagged(const damped_row* r) {
  spectral_sagged(r);
  if (r->models == all_models) polynomial_sagged(r);
  const int size = 2 + r->nomega + 2 * r->neigen;
  for (int m = 0; m < r->models; m++) {
    study s = study_new("M08", rod_models[m]);
    const int n[4] = {8, 12, 16, 24};
    for (int k = 0; k < 4; k++) {
      sag(bench_new(r->text, s.model, n[k]), r, study_level(&s, n[k], size));
    }
    study_check(&s, &(demand){"tip", 0, 2, r->tip, 0.3, 0.6, 0.2, 1e-6});
    for (int i = 0; i < r->nomega; i++)
      study_check(&s, &(demand){"omega", 2 + i, 1, r->omega + i, r->omega[i], 3.2, 0.2, 1e-5});
    for (int i = 0; i < r->neigen; i++)
      study_check(&s, &(demand){"damped", 2 + r->nomega + 2 * i, 2, r->eigen[i],
                                hypot(r->eigen[i][0], r->eigen[i][1]), 3.2, 0.2, 1e-4});
  }
}

static void test_M08_modes_about_the_sagged_equilibrium(void** state) {
  (void)state;
  sagged(&(damped_row){SAGGED(ISO),
                       all_models,
                       4,
                       2,
                       {0.257592746957, -0.144042501463},
                       {10.2067321775, 10.6459131952, 54.6480218295, 56.4355334495},
                       {{-0.439204041496, 10.6387463469}, {-15.3939650558, 53.1638693799}}});
  sagged(&(damped_row){SAGGED(SOROSIM),
                       all_models,
                       0,
                       2,
                       {0.257592746957, -0.144042501463},
                       {0},
                       {{-1.29353603406, 10.5678866396}, {-43.0841188098, 33.6368590485}}});
  sagged(&(damped_row){SAGGED(ISO) ROD_KIRCHHOFF,
                       relative_models,
                       4,
                       3,
                       {0.257803957196, -0.143015412531},
                       {10.2495722126, 10.6906783023, 56.5178887247, 57.9969783117},
                       {{-0.435328904333, 10.6818728512},
                        {-15.3662288217, 54.388997392},
                        {-112.344686332, 100.799531355}}});
  sagged(&(damped_row){SAGGED(SOROSIM) ROD_KIRCHHOFF,
                       relative_models,
                       0,
                       2,
                       {0.257803957196, -0.143015412531},
                       {0},
                       {{-1.3059535412, 10.6111598559}, {-46.0985779491, 32.6998867555}}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_M01_Euler_Bernoulli_roots),
      cmocka_unit_test(test_M02_a_Timoshenko_rod_is_slower_than_an_Euler_Bernoulli_one),
      cmocka_unit_test(test_M03_a_rod_stretches_and_twists),
      cmocka_unit_test(test_M04_rotation_stiffens_the_flapping_of_a_cantilever),
      cmocka_unit_test(test_M07_a_free_ring_has_its_modes_in_pairs),
      cmocka_unit_test(test_M08_modes_about_the_sagged_equilibrium),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
