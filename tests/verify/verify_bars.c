// Error bars against true errors: how often the true error lies below the bar, and how often the
// bar is more than ten times too wide, for each rod model and each analysis apart.
//
// Random rods (sections, materials, gravity, tip loads and bodies, cables, chambers, attachments,
// natural curvature) are computed in all rod models at usual resolutions, with their bars, and once
// with 8 elements of order 3, 32 functions of each strain, whose error is below 1e-9.  A few by
// default, 500 with TENDRIL_LONG=1.  The table is that of docs/accuracy.md; BARS_COUNT and
// BARS_MOVE say how many rods stand still and move, BARS_FIRST with which seed they begin (1000:
// those that factors were looked at on), BARS_ONLY which tests run ("*motion*"), BARS_SAY=1 prints
// every bar.
#include "bench.h"
#include "sanitized.h"
#include "tendril/accuracy.h"
#include "tendril/tools.h"

enum { ROD_KINDS = 5, MODES = 6, MOST_SENSORS = 24 };
static const char* const kinds[ROD_KINDS] = {"gvs", "srl", "ebr", "eba", "rom"};

// ---- counting ---------------------------------------------------------------------------------

typedef struct count {
  int n, covered, wide, none;
  double least, most;  // bar / error
  char worst[64];
} count;

// A bar against the true error; errors below 1e-9 of the scale are right.
static void judge(count* c, double bar, double error, double scale, const char* what) {
  if (isnan(bar)) {
    c->none++;
    return;
  }
  if (c->n++ == 0) c->least = INFINITY, c->most = 0;
  if (!(error > 1e-9 * scale)) {
    c->covered++;
    return;
  }
  const double ratio = bar / error;
  c->covered += ratio >= 1;
  c->wide += ratio > 10;
  if (ratio < c->least) snprintf(c->worst, sizeof c->worst, "%s", what);
  c->least = fmin(c->least, ratio);
  c->most = fmax(c->most, ratio);
}

// ---- random rods ------------------------------------------------------------------------------

static double between(uint64_t* seed, double a, double b) {
  return a + 0.5 * (b - a) * (1 + check_random(seed));
}
// A number from the environment.
static int asked(const char* name, int fallback) {
  const char* text = getenv(name);
  return text ? atoi(text) : fallback;
}
static bool chance(uint64_t* seed, double p) { return between(seed, 0, 1) < p; }

typedef struct rod {
  char text[4000], about[64];
  double length;
  bool jumps, all;  // something ends inside it; all strains are free
} rod;

// A rod whose loads bend it by up to about two radians.
static rod random_rod(uint64_t* seed) {
  rod r = {.all = chance(seed, 0.6)};
  char* s = r.text;
  const double L = r.length = between(seed, 0.1, 1), a = L / between(seed, 15, 50);
  const double E = pow(10, between(seed, 4.5, 7)), I = 0.785398 * pow(a, 4), EI = E * I;
  const bool tapered = chance(seed, 0.4), square = chance(seed, 0.25);
  const double weight = between(seed, 0, 4) * EI / (L * L * L);  // N/m
  s += sprintf(s, "rod(1).length = %.6g; rod(1).E = %.6g; rod(1).nu = 0.4;\n", L, E);
  s += sprintf(s, "rod(1).eta = %.6g;\n", 1e-3 * E);
  if (square)
    s += sprintf(s, "rod(1).section = 'rectangle'; rod(1).width = %.6g; rod(1).height = %.6g;\n",
                 1.6 * a, 2.2 * a);
  else
    s +=
        sprintf(s, tapered ? "rod(1).radius = %.6g*(1 - 0.6*s/%.6g);\n" : "rod(1).radius = %.6g;\n",
                a * (tapered ? 1.3 : 1), L);
  s += sprintf(s, "rod(1).rho = %.6g; world.g = [0 0 -9.81];\n", weight / (3.14 * a * a * 9.81));
  s += sprintf(s, "rod(1).tr.rot = [1 %.4g];\n", between(seed, 0.5, 3.1));
  if (!r.all) s += sprintf(s, "rod(1).modes = [0 0 0 1 1 1];\n");
  strcpy(r.about, tapered ? "tapered" : square ? "square" : "plain");
  if (chance(seed, 0.5)) {
    const double F = between(seed, -3, 3) * EI / (L * L), G = between(seed, -2, 2) * EI / (L * L);
    s += sprintf(s, "exload(1).body = at(rod(1)); exload(1).ftau = [%.6g %.6g 0 0 0 0];\n", F, G);
    strcat(r.about, " force");
  } else if (chance(seed, 0.5)) {
    s += sprintf(s, "body(1).m = %.6g; body(1).I = %.6g*eye(3); body(1).l_com = [0 0 %.6g];\n",
                 between(seed, 0.2, 2) * EI / (L * L * 9.81), 1e-4 * EI * L * L, 0.1 * L);
    s += sprintf(s, "joint(1).first = at(rod(1)); joint(1).second = 1; joint(1).type = 'fixed';\n");
    strcat(r.about, " body");
  }
  if (chance(seed, 0.35)) {
    const double T = between(seed, 0.3, 2.5) * EI / (L * a);
    const bool helix = chance(seed, 0.4), ends = chance(seed, 0.3);
    s += sprintf(s,
                 helix ? "cable(1).path = 0.7*%.6g*[cos(3*s/%.6g) sin(3*s/%.6g)];\n"
                       : "cable(1).path = [%.6g 0];\n",
                 a * (helix ? 1 : 0.7), L, L);
    s += sprintf(s, "cable(1).tension = %.6g;\n", T);
    if (ends) s += sprintf(s, "cable(1).to = %.17g;\n", L * (int)between(seed, 3, 8) / 8);
    r.jumps = r.jumps || ends;
    strcat(r.about, ends ? " cable that ends" : helix ? " helical cable" : " cable");
  } else if (chance(seed, 0.3)) {
    s += sprintf(s, "rod(1).shape = [0 0 0 %.6g 0 %.6g];\n", between(seed, -2, 2) / L,
                 between(seed, -2, 2) / L);
    strcat(r.about, " curved");
  }
  if (chance(seed, 0.2)) {
    s += sprintf(s, "exload(%d).body = at(rod(1), %.17g); exload(%d).ftau = [0 %.6g 0 0 0 0];\n",
                 strstr(r.about, "force") ? 2 : 1, L * (int)between(seed, 2, 7) / 8,
                 strstr(r.about, "force") ? 2 : 1, between(seed, -4, 4) * EI / (L * L));
    r.jumps = true;
    strcat(r.about, " force inside");
  }
  s += sprintf(s,
               "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n"
               "sensor(2).name = 'mid'; sensor(2).value = pos(rod(1), %.17g);\n"
               "sensor(3).name = 'strain'; sensor(3).value = strain(rod(1), %.17g);\n"
               "sensor(4).name = 'wrench'; sensor(4).value = wrench(rod(1), 0);\n",
               0.55 * L, 0.3 * L);
  return r;
}

// ---- one computation --------------------------------------------------------------------------

typedef struct result {
  bool ok, stable;
  int n, modes;
  double value[MOST_SENSORS], bar[MOST_SENSORS], scale[MOST_SENSORS];
  double omega[MODES], frequency_bar[MODES];
  td_verdict trust;
} result;

// Equilibrium and modes of a text with more lines, with bars if wanted.
static result compute(const char* text, const char* more, bool with_bars) {
  result r = {0};
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_bars* bars = NULL;
  assert_int_equal(td_spec_load_string(spec, "rod", text), TD_OK);
  assert_int_equal(td_spec_load_string(spec, "more", more), TD_OK);
  if (td_model_compile(spec, &model) != TD_OK) {
    td_spec_free(spec);
    return r;
  }
  td_work* work = td_work_new(model);
  td_state* state = td_state_new(model);
  td_equil_result rest;
  td_modes_result* modes = NULL;
  r.n = td_model_sizes(model).nsensor;
  assert_true(r.n <= MOST_SENSORS);
  r.ok = td_state_initial(model, work, state) == TD_OK &&
         td_equilibrium(model, work, state, NULL, &rest) == TD_OK &&
         td_sensors(model, state, work, r.value) == TD_OK &&
         td_modes(model, state, work, &modes) == TD_OK;
  r.stable = r.ok && rest.stability == TD_STABLE;
  r.modes = r.ok ? modes->n : 0;
  for (int i = 0; i < MODES && i < r.modes; i++) r.omega[i] = modes->omega[i];
  if (r.ok && with_bars) {
    double* error = calloc((size_t)modes->n + 1, sizeof(double));
    assert_int_equal(td_bars_new(spec, model, &bars), TD_OK);
    assert_int_equal(td_bars_equilibrium(bars, work, state, &rest, r.bar), TD_OK);
    const char* reasons;
    r.trust = td_bars_trust(bars, &reasons);
    if (isnan(r.bar[0]) && getenv("BARS_SAY")) printf("no bars: %s%s\n", more, reasons);
    for (int i = 0; i < r.n; i++) r.scale[i] = td_bars_scale(bars, i, r.value);
    assert_int_equal(td_bars_modes(bars, work, state, modes, error), TD_OK);
    for (int i = 0; i < MODES && i < r.modes; i++) r.frequency_bar[i] = error[i];
    free(error);
  }
  td_bars_free(bars);
  td_modes_free(modes);
  td_state_free(state);
  td_work_free(work);
  td_model_free(model);
  td_spec_free(spec);
  return r;
}

// ---- the study --------------------------------------------------------------------------------

// places, strains, wrenches, frequencies of each rod model; those of verdict look apart
typedef enum analysis { PLACES, STRAINS, WRENCHES, FREQUENCIES, ANALYSES } analysis;
static const char* const analyses[ANALYSES] = {"place", "strain", "wrench", "frequency"};

typedef struct study {
  count ok[ANALYSES][ROD_KINDS], looked[ANALYSES][ROD_KINDS];
  int unstable, differ;
} study;

static void study_rod(study* all, const rod* r, int number) {
  static const int orders[] = {2, 3, 4, 6}, segments[] = {4, 8, 16};
  const bool say = getenv("BARS_SAY") != NULL;
  const result exact = compute(r->text, "rod(1).order = 3; rod(1).elements = 8;\n", false);
  if (!exact.stable) {
    all->unstable++;
    return;
  }
  for (int k = 0; k < ROD_KINDS; k++) {
    const bool order = k == 0 || k == 4;
    for (int i = 0; i < (order ? 4 : 3); i++) {
      if (!r->all && k >= 3) continue;  // models of positions hold no strain
      char more[120], what[64];
      const int n = order ? orders[i] : segments[i];
      snprintf(more, sizeof more, "rod(1).model = '%s'; rod(1).n = %d;\n", kinds[k], n);
      const result got = compute(r->text, more, true);
      if (!got.stable) {
        all->unstable++;
        continue;
      }
      double apart = 0;
      for (int c = 0; c < 3; c++) apart = hypot(apart, got.value[c] - exact.value[c]);
      if (apart > 0.3 * r->length) {
        all->differ++;
        continue;
      }
      count(*to)[ROD_KINDS] = got.trust == TD_TRUST_OK ? all->ok : all->looked;
      snprintf(what, sizeof what, "%d %.40s n=%d", number, r->about, n);
      for (int p = 0; p < 12; p += 3) {  // tip, mid, strains in two threes
        double error = 0;
        const double bar = got.bar[p], scale = p < 6 ? r->length : p < 9 ? 1 : 1 / r->length;
        for (int c = 0; c < 3; c++) error = hypot(error, got.value[p + c] - exact.value[p + c]);
        judge(&to[p < 6 ? PLACES : STRAINS][k], bar, error, scale, what);
        if (say && p < 6)
          printf("%s %s p%d bar %.3g error %.3g ratio %.3g trust %d\n", kinds[k], what, p, bar,
                 error, bar / error, got.trust);
      }
      for (int p = 12; p < 18; p += 3) {
        const double bar = got.bar[p];
        double error = 0, size = 0;
        for (int c = 0; c < 3; c++) {
          error = hypot(error, got.value[p + c] - exact.value[p + c]);
          size = hypot(size, exact.value[p + c]);
        }
        judge(&to[WRENCHES][k], bar, error, size, what);
      }
      for (int m = 0; m < MODES && m < got.modes && m < exact.modes; m++) {
        judge(&to[FREQUENCIES][k], got.frequency_bar[m], fabs(got.omega[m] - exact.omega[m]),
              exact.omega[m], what);
        if (say)
          printf("%s %s mode %d bar %.3g error %.3g ratio %.3g\n", kinds[k], what, m,
                 got.frequency_bar[m], fabs(got.omega[m] - exact.omega[m]),
                 got.frequency_bar[m] / fabs(got.omega[m] - exact.omega[m]));
      }
    }
  }
}

static void say_counts(const char* title, const count c[ANALYSES][ROD_KINDS]) {
  printf("%s\n", title);
  printf(
      "  of         model  bars  below the bar  over 10 x wide  least bar/error  no bar  worst\n");
  for (int a = 0; a < ANALYSES; a++)
    for (int k = 0; k < ROD_KINDS; k++) {
      const count* x = &c[a][k];
      if (x->n + x->none == 0) continue;
      printf("  %-10s %-5s %5d %12.1f %% %13.1f %% %16.2g %7d  %s\n", analyses[a], kinds[k], x->n,
             100.0 * x->covered / fmax(1, x->n), 100.0 * x->wide / fmax(1, x->n), x->least, x->none,
             x->worst);
    }
}

static void test_bars_of_random_rods_are_right(void** state) {
  (void)state;
  const bool whole = getenv("TENDRIL_LONG") != NULL;
  const int n = asked("BARS_COUNT", whole ? 500 : CHECK_SANITIZED ? 1 : 8);
  study* all = calloc(1, sizeof *all);
  for (int i = 0; i < n; i++) {
    uint64_t seed = (uint64_t)(asked("BARS_FIRST", 1000) + i);
    const rod r = random_rod(&seed);
    study_rod(all, &r, i);
  }
  printf("%d rods; %d computations without a stable equilibrium, %d on another branch\n", n,
         all->unstable, all->differ);
  say_counts("trust ok", (const count(*)[ROD_KINDS])all->ok);
  say_counts("trust look", (const count(*)[ROD_KINDS])all->looked);

  // at least 95 % below the bar, at most 10 % more than ten times too wide; a few dozen rods show
  // that to within the scatter of so few
  for (int a = 0; a < ANALYSES; a++)
    for (int k = 0; k < ROD_KINDS; k++) {
      const count* x = &all->ok[a][k];
      if (x->n < 40) continue;
      assert_true(x->covered >= (whole ? 0.95 : 0.93) * x->n);
      assert_true(x->wide <= (whole ? 0.10 : 0.12) * x->n);
    }
  free(all);
}

// ---- motion -----------------------------------------------------------------------------------

// Largest error of the tip over a run of a period of the first mode, with its bar; the rods are let
// go in their stress-free shape.  *x: the tip at all rows, to be freed.
static int move(const char* text, const char* more, bool with_bars, double* bar, td_verdict* trust,
                double** x) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_bars* bars = NULL;
  td_trajectory* run = NULL;
  double *error = NULL, relative[4];
  int rows = 0;
  assert_int_equal(td_spec_load_string(spec, "rod", text), TD_OK);
  assert_int_equal(td_spec_load_string(spec, "more", more), TD_OK);
  assert_int_equal(td_model_compile(spec, &model), TD_OK);
  td_work* work = td_work_new(model);
  td_state* at = td_state_new(model);
  assert_int_equal(td_state_initial(model, work, at), TD_OK);
  td_sim_options o = td_sim_options_default();
  td_status status;
  if (with_bars) {
    assert_int_equal(td_bars_new(spec, model, &bars), TD_OK);
    status = td_bars_simulate(bars, spec, work, at, TD_START_INITIAL, &o, &run, &error, relative);
  } else {
    o.rtol = 1e-8;
    o.atol = 1e-10;
    status = td_simulate(model, work, at, &o, &run);
  }
  if (status == TD_OK) {
    const int n = td_model_sizes(model).nsensor;
    rows = td_trajectory_rows(run);
    *x = malloc(sizeof(double) * 3 * (size_t)rows);
    for (int i = 0; i < rows; i++)
      memcpy(*x + 3 * i, td_trajectory_sensors(run, i), 3 * sizeof(double));
    if (with_bars) *bar = error[(size_t)(rows - 1) * (size_t)n];
    if (with_bars) *trust = td_bars_trust(bars, NULL);
  }
  td_bars_drop(error);
  td_trajectory_free(run);
  td_bars_free(bars);
  td_state_free(at);
  td_work_free(work);
  td_model_free(model);
  td_spec_free(spec);
  return rows;
}

static void test_bars_of_motion_are_right(void** state) {
  (void)state;
  static const struct {
    int kind, n;
  } variants[] = {{0, 3}, {0, 4}, {0, 6}, {1, 8}, {2, 8}, {3, 8}, {4, 4}};
  const bool whole = getenv("TENDRIL_LONG") != NULL;
  const int n = asked("BARS_MOVE", whole ? 60 : 1);
  count c[ROD_KINDS] = {{0}};
  for (int i = 0; i < n; i++) {
    uint64_t seed = (uint64_t)(8000 + asked("BARS_FIRST", 1000) + i);
    const rod r = random_rod(&seed);
    const result rest = compute(r.text, "rod(1).n = 4;\n", false);
    if (!rest.stable || !(rest.omega[0] > 0)) continue;
    char more[200], what[64];
    double *exact = NULL, *x = NULL, bar = NAN;
    const double period = 6.283 / rest.omega[0];
    snprintf(more, sizeof more,
             "par.t_final = %.6g; par.dt_out = %.6g; rod(1).order = 4; rod(1).elements = 2;\n",
             period, period / 50);
    const int rows = move(r.text, more, false, NULL, NULL, &exact);
    for (size_t k = 0; k < sizeof variants / sizeof variants[0] && rows > 0;
         k += CHECK_SANITIZED ? 3 : 1) {
      td_verdict trust = TD_TRUST_OK;
      if (!r.all && variants[k].kind >= 3) continue;
      snprintf(more, sizeof more,
               "par.t_final = %.6g; par.dt_out = %.6g; rod(1).model = '%s'; rod(1).n = %d;\n",
               period, period / 50, kinds[variants[k].kind], variants[k].n);
      if (move(r.text, more, true, &bar, &trust, &x) == rows) {
        double error = 0;
        for (int j = 0; j < rows; j++)
          error = fmax(error, hypot(hypot(x[3 * j] - exact[3 * j], x[3 * j + 1] - exact[3 * j + 1]),
                                    x[3 * j + 2] - exact[3 * j + 2]));
        snprintf(what, sizeof what, "%d %.40s n=%d", i, r.about, variants[k].n);
        judge(&c[variants[k].kind], bar, error, r.length, what);
        if (getenv("BARS_SAY"))
          printf("motion %s %s bar %.3g error %.3g ratio %.3g trust %d\n", kinds[variants[k].kind],
                 what, bar, error, bar / error, trust);
      }
      free(x);
      x = NULL;
    }
    free(exact);
  }
  for (int k = 0; k < ROD_KINDS; k++) {
    printf("motion %s: %d of %d below the bar, %d over 10 x wide, least %.2g (%s), none %d\n",
           kinds[k], c[k].covered, c[k].n, c[k].wide, c[k].least, c[k].worst, c[k].none);
    if (whole) assert_true(c[k].covered >= 0.95 * c[k].n);
  }
}

// Motions that part (a double pendulum, whose second half is a rod), that touch and that a cable
// catches: the bar is never below the error, and where it grows the verdict is to look.
static void test_bars_grow_where_motions_part(void** state) {
  (void)state;
  static const char chaos[] =
      "body(1).m = 0.2; body(1).I = 1e-4*eye(3); body(1).l_com = [0 0 0.2];\n"
      "joint(1).second = 1; joint(1).tr(1).rot = [1 inf]; joint(1).dof(1).init = 0.4;\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 0.3];\n"
      "joint(2).tr(2).rot = [1 inf]; joint(2).dof(1).init = 0.3;\n"
      "body(2).m = 0.01; body(2).I = 1e-5*eye(3); rod(1).first = 2; rod(1).length = 0.3;\n"
      "rod(1).E = 3e6; rod(1).eta = 1e4; par.t_final = 5; par.rtol = 1e-7;\n";
#define FALLS                                                                          \
  "rod(1).length = 0.4; rod(1).E = 2e7; rod(1).eta = 2e4; rod(1).tr.rot = [1 pi/2];\n" \
  "body(1).m = 0.15; body(1).I = 1e-5*eye(3); joint(1).first = at(rod(1));\n"          \
  "joint(1).second = 1; joint(1).type = 'fixed'; par.t_final = 1;\n"
  static const char touches[] = FALLS
      "contact(1).first = body(1); contact(1).second = 'plane'; contact(1).point = [0 0 -0.1];\n"
      "contact(1).stiffness = 5e4; contact(1).damping = 1;\n";
  static const char catches[] = FALLS
      "cable(1).via = {0, at(rod(1))}; cable(1).points = [0 -0.4 0.2; 0 0 0];\n"
      "cable(1).pull = -0.03;\n";
  static const char same[] =
      "world.g = [0 0 -9.81]; rod(1).radius = 0.006; rod(1).rho = 1100;\n"
      "rod(1).modes = [0 0 0 1 0 0]; par.dt_out = 0.02;\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n";
  const char* const cases[] = {chaos, touches, catches};
  for (int k = CHECK_SANITIZED ? 1 : 0; k < 3; k++) {
    char text[2000];
    double *x = NULL, *exact = NULL, bar = NAN, error = 0;
    td_verdict trust = TD_TRUST_OK;
    snprintf(text, sizeof text, "%s%s", cases[k], same);
    const int rows = move(text, "rod(1).n = 3;\n", true, &bar, &trust, &x);
    assert_int_equal(move(text, "rod(1).n = 8;\n", false, NULL, NULL, &exact), rows);
    for (int j = 0; j < 3 * rows; j += 3)
      error = fmax(error,
                   hypot(x[j] - exact[j], hypot(x[j + 1] - exact[j + 1], x[j + 2] - exact[j + 2])));
    printf("motion %d: bar %.3g m, error %.3g m, trust %d\n", k, bar, error, trust);
    assert_true(bar >= error);
    assert_int_equal(trust, k == 0 ? TD_TRUST_LOOK : TD_TRUST_OK);
    free(x);
    free(exact);
  }
#undef FALLS
}

// ---- benchmark rows ---------------------------------------------------------------------------

// The elastica under a dead end force P = alpha EI/L^2: shortening and deflection of the tip, by
// elliptic integrals to 12 digits.
static void test_bars_of_the_elastica_are_right(void** state) {
  (void)state;
  static const struct {
    double alpha, u, w;
  } row[] = {{0.5, 0.0159189624708, 0.162143575658},
             {1, 0.0564332362834, 0.3017207738},
             {2, 0.160641720825, 0.493457480397},
             {5, 0.387628360724, 0.713791523612},
             {10, 0.554995597754, 0.81060902488}};
  static const int orders[] = {2, 3, 4, 5, 6, 8}, segments[] = {4, 8, 16, 32};
  count c[3] = {{0}};
  for (int k = 0; k < 3; k++)  // those that can hold stretch and shear
    for (int a = 0; a < (CHECK_SANITIZED ? 1 : 5); a++)
      for (int i = 0; i < (k == 0 ? 6 : 4); i++) {
        char text[600], what[64];
        const int n = k == 0 ? orders[i] : segments[i];
        snprintf(text, sizeof text,
                 "rod(1).length = 1; rod(1).stiffness = [1e3 1e3 1e3 1 1 1]; rod(1).inertia = "
                 "[1 1 1 1e-3 1e-3 1e-3]; rod(1).modes = [0 0 0 1 1 1];\n"
                 "rod(1).model = '%s'; rod(1).n = %d;\n"
                 "exload(1).body = at(rod(1)); exload(1).ftau = [%.17g 0 0 0 0 0];\n"
                 "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
                 kinds[k], n, row[a].alpha);
        const result got = compute(text, "", true);
        assert_true(got.stable);
        snprintf(what, sizeof what, "alpha %g n=%d", row[a].alpha, n);
        judge(&c[k], got.bar[0], hypot(got.value[0] - row[a].w, got.value[2] - (1 - row[a].u)), 1,
              what);
      }
  for (int k = 0; k < 3; k++) {
    printf("elastica %s: %d of %d below the bar, %d over 10 x wide, least %.2g (%s)\n", kinds[k],
           c[k].covered, c[k].n, c[k].wide, c[k].least, c[k].worst);
    assert_true(c[k].covered >= 0.95 * c[k].n && c[k].wide <= 0.1 * c[k].n);
  }
}

// Frequencies of a clamped-free beam, (beta L)^2 sqrt(EI/rho A)/L^2, whose sections do not turn.
static void test_bars_of_beam_frequencies_are_right(void** state) {
  (void)state;
  static const double beta[] = {1.8751040687120, 4.6940911329742, 7.8547574382376};
  static const int orders[] = {2, 3, 4, 6, 8}, segments[] = {5, 10, 20, 40};
  count c[3] = {{0}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < (k == 0 ? 5 : 4); i++) {
      char text[600], what[64];
      const int n = k == 0 ? orders[i] : segments[i];
      snprintf(text, sizeof text,
               "rod(1).length = 1; rod(1).stiffness = [1e3 1e3 1e3 1 1 1]; rod(1).inertia = "
               "[1 1 1 0 0 0]; rod(1).modes = [0 0 0 1 0 0]; rod(1).model = '%s'; rod(1).n = %d;\n"
               "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
               kinds[k], n);
      const result got = compute(text, "", true);
      assert_true(got.ok);
      for (int m = 0; m < 3 && m < got.modes; m++) {
        snprintf(what, sizeof what, "mode %d n=%d", m + 1, n);
        judge(&c[k], got.frequency_bar[m], fabs(got.omega[m] - beta[m] * beta[m]),
              beta[m] * beta[m], what);
      }
    }
  for (int k = 0; k < 3; k++) {
    printf("beam frequencies %s: %d of %d below the bar, %d over 10 x wide, least %.2g (%s)\n",
           kinds[k], c[k].covered, c[k].n, c[k].wide, c[k].least, c[k].worst);
    assert_true(c[k].covered >= c[k].n - 1 && c[k].wide <= 1);
  }
}

// A column beyond its critical load has a straight equilibrium with a tiny error, which no column
// takes: no bar, and the words say so.
static void test_an_unstable_equilibrium_has_no_bars(void** state) {
  (void)state;
  bench b = bench_new(
      "rod(1).length = 1; rod(1).stiffness = [1e5 1e5 1e5 1 1 1]; rod(1).inertia = [1 1 1 1 1 1];\n"
      "exload(1).body = at(rod(1)); exload(1).ftau = [0 0 -2.6 0 0 0];\n"  // pi^2/4 EI/L^2 = 2.47
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n");
  td_equil_result rest;
  td_bars* bars;
  const char* reasons;
  double error[3];
  assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &rest), TD_OK);
  assert_int_equal(rest.stability, TD_DIVERGENCE);
  assert_int_equal(td_bars_new(b.spec, b.model, &bars), TD_OK);
  assert_int_equal(td_bars_equilibrium(bars, b.work, b.state, &rest, error), TD_OK);
  assert_true(isnan(error[0]));
  assert_int_equal(td_bars_trust(bars, &reasons), TD_TRUST_LOOK);
  assert_non_null(strstr(reasons, "unstable"));
  td_bars_free(bars);
  bench_free(&b);
}

// ---- gallery ----------------------------------------------------------------------------------

// Models of the gallery whose rods are made finer by hand: 4 elements of order 6, or 8 times as
// many segments.
static void test_bars_of_the_gallery_are_right(void** state) {
  (void)state;
  static const char* const names[] = {
      "beam_bases",       "cable_manipulator", "hybrid_arm",       "soft_gripper", "tip_force",
      "underwater_robot", "whisker",           "pneumatic_module", "cable_robot",  "soft_balance"};
  count all = {0};
  for (size_t k = 0; k < (CHECK_SANITIZED ? 3 : sizeof names / sizeof names[0]); k++) {
    double value[2][64], bar[64], scale[64];
    char why[300] = "";
    int n = 0;
    bool ok = true;
    for (int fine = 0; fine < 2 && ok; fine++) {
      char path[400];
      snprintf(path, sizeof path, "%s/models/%s.m", TEST_SOURCE_DIR, names[k]);
      td_spec* spec = td_spec_new();
      assert_int_equal(td_spec_load_file(spec, path), TD_OK);
      td_model* model = NULL;
      td_rod one;
      assert_int_equal(td_model_compile(spec, &model), TD_OK);
      const int rods = td_model_sizes(model).nrod;
      for (int r = 0; fine && r < rods && td_model_rod_about(model, r, &one); r++) {
        char field[60];
        double order[6];
        for (int d = 0; d < 6; d++) order[d] = one.functions[d] > 0 ? 6 : -1;  // held ones stay so
        if (strcmp(one.model, "gvs") == 0) {
          snprintf(field, sizeof field, "rod(%d).order", r + 1);
          assert_int_equal(td_spec_matrix(spec, field, 1, 6, order), TD_OK);
          snprintf(field, sizeof field, "rod(%d).elements", r + 1);
          assert_int_equal(td_spec_number(spec, field, 4), TD_OK);
          snprintf(field, sizeof field, "rod(%d).points", r + 1);
          assert_int_equal(td_spec_number(spec, field, 9), TD_OK);
        } else {
          snprintf(field, sizeof field, "rod(%d).n", r + 1);
          assert_int_equal(td_spec_number(spec, field, 8.0 * one.n), TD_OK);
        }
      }
      if (fine) {
        td_model_free(model);
        ok = td_model_compile(spec, &model) == TD_OK;
        for (int i = 0; !ok && i < td_spec_message_count(spec); i++)
          snprintf(why, sizeof why, "%s", td_spec_message(spec, i).text);
      }
      td_work* work = ok ? td_work_new(model) : NULL;
      td_state* at = ok ? td_state_new(model) : NULL;
      td_equil_result rest;
      ok = ok && td_state_initial(model, work, at) == TD_OK &&
           td_equilibrium(model, work, at, NULL, &rest) == TD_OK && rest.stability == TD_STABLE &&
           td_sensors(model, at, work, value[fine]) == TD_OK;
      if (ok && !fine) {
        td_bars* bars;
        n = td_model_sizes(model).nsensor;
        assert_true(n <= 64);
        assert_int_equal(td_bars_new(spec, model, &bars), TD_OK);
        assert_int_equal(td_bars_equilibrium(bars, work, at, &rest, bar), TD_OK);
        for (int i = 0; i < n; i++) scale[i] = td_bars_scale(bars, i, value[0]);
        td_bars_free(bars);
      }
      td_state_free(at);
      td_work_free(work);
      td_model_free(model);
      td_spec_free(spec);
    }
    double worst = INFINITY;
    for (int i = 0; ok && i < n; i++) {
      const double error = fabs(value[1][i] - value[0][i]);
      judge(&all, bar[i], error, scale[i], names[k]);
      if (error > 1e-9 * scale[i]) worst = fmin(worst, bar[i] / error);
    }
    printf("gallery %-18s %s", names[k], ok ? "" : "no finer one to compare with\n");
    if (ok) printf("%2d sensors, least bar/error %.2g\n", n, worst);
    if (!ok && *why) printf("    %s\n", why);
  }
  printf("gallery: %d of %d below the bar, %d without\n", all.covered, all.n, all.none);
  assert_true(all.covered >= 0.95 * all.n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bars_of_random_rods_are_right),
      cmocka_unit_test(test_bars_of_motion_are_right),
      cmocka_unit_test(test_bars_grow_where_motions_part),
      cmocka_unit_test(test_bars_of_the_elastica_are_right),
      cmocka_unit_test(test_bars_of_beam_frequencies_are_right),
      cmocka_unit_test(test_an_unstable_equilibrium_has_no_bars),
      cmocka_unit_test(test_bars_of_the_gallery_are_right),
  };
  if (getenv("BARS_ONLY")) cmocka_set_test_filter(getenv("BARS_ONLY"));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
