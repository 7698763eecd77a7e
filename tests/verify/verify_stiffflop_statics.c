// The static points of the STIFF-FLOP experiments, every one from the straight module and without
// tuning: an equilibrium is found, and it is said how and whether it is stable.  Without load all
// of them are stable.  With load the undamped module under a moment that does not follow it may
// flutter.
//
// The published mean tip errors are met once the stretch is what the authors' program has for it:
// without load the stretch update is on (in 'rom' by the height of the tip, `stretch` = 2); the
// loaded results of 'srl' and 'ebr' are those of a section that does not change (`stretch` = 0).
// Data are found through TENDRIL_DATA; without it these tests are skipped.
#include "check.h"
#include "tendril/tendril.h"

static const char model_file[] = TEST_SOURCE_DIR "/models/stiffflop.m";

typedef struct experiment {
  const char *file, *load;
  int n;
  double t[10];
} experiment;

static const experiment experiments[2] = {
    {"stiffflop_noload.csv", "0", 9, {8.7, 15.15, 21.7, 26.2, 31.1, 35.1, 39.2, 44.6, 50.9}},
    {"stiffflop_load1.csv", "1", 10, {8.9, 15.7, 18.1, 26.7, 30, 33, 36.3, 42.4, 44.8, 52.4}},
};

typedef struct recording {
  double tip[4096][3];
  int n;
} recording;

// Columns t_s p1 p2 p3 x y z ...
static recording* read_recording(const char* path) {
  FILE* f = fopen(path, "r");
  if (!f) return NULL;
  recording* r = calloc(1, sizeof(recording));
  char line[8192];
  assert_non_null(fgets(line, sizeof line, f));
  while (r->n < 4096 && fgets(line, sizeof line, f)) {
    double x[7] = {0};
    int k = 0;
    for (char* s = strtok(line, ","); s && k < 7; s = strtok(NULL, ",")) x[k++] = atof(s);
    memcpy(r->tip[r->n++], x + 4, 3 * sizeof(double));
  }
  fclose(f);
  return r;
}

typedef struct arrangement {
  const char *model, *n, *stretch;
} arrangement;

static td_model* load(arrangement a, const char* loaded, const char* path) {
  td_spec* spec = td_spec_new();
  td_model* compiled = NULL;
  const char* const set[][2] = {
      {"model", a.model}, {"n", a.n}, {"stretch", a.stretch}, {"load", loaded}, {"data", path}};
  for (int i = 0; i < 5; i++) td_spec_override(spec, set[i][0], set[i][1]);
  td_spec_load_file(spec, model_file);
  if (td_model_compile(spec, &compiled) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  return compiled;
}

// Mean tip error over the points of an experiment, in millimetres; says how each was found.
static double solve_points(td_model* m, const experiment* e, const recording* r) {
  td_work* work = td_work_new(m);
  td_state* state = td_state_new(m);
  const td_equil_options options = td_equil_options_default();
  double sum = 0;
  for (int i = 0; i < e->n; i++) {
    td_equil_result found;
    double y[8];
    assert_int_equal(td_state_initial(m, work, state), TD_OK);  // straight
    state->t = e->t[i];
    const td_status status = td_equilibrium(m, work, state, &options, &found);
    printf("  t = %5.2f s: %s, %d iterations, residual %.1e, %s\n", e->t[i],
           td_strategy_text(found.strategy), found.iterations, found.residual,
           td_stability_text(found.stability));
    assert_int_equal(status, TD_OK);
    assert_true(found.converged);
    assert_int_not_equal(found.stability, TD_UNKNOWN);
    if (strcmp(e->load, "0") == 0) assert_int_equal(found.stability, TD_STABLE);
    assert_int_equal(td_sensors(m, state, work, y), TD_OK);
    const double* tip = r->tip[(int)floor(e->t[i] / 0.05 + 1e-9) - 1];
    sum += hypot(hypot(y[0] - tip[0], y[1] - tip[1]), y[2] - tip[2]);
  }
  td_state_free(state);
  td_work_free(work);
  return 1e3 * sum / e->n;
}

// Mean tip error of an arrangement at the points of an experiment, in millimetres.
static double mean_error(const experiment* e, arrangement a) {
  const char* root = getenv("TENDRIL_DATA");
  char path[4096];
  if (!root) skip();
  snprintf(path, sizeof path, "%s/data/stiffflop/%s", root, e->file);
  recording* r = read_recording(path);
  if (!r) skip();
  td_model* m = load(a, e->load, path);
  printf("%s n = %s, stretch = %s, %s\n", a.model, a.n, a.stretch, e->file);
  const double error = solve_points(m, e, r);
  printf("  mean tip error %.4f mm\n", error);
  td_model_free(m);
  free(r);
  return error;
}

static const experiment *const unloaded = &experiments[0], *const loaded = &experiments[1];

static void check_published(const char* model, const char* n, const char* stretch,
                            const experiment* e, double published) {
  char what[96];
  const double error = mean_error(e, (arrangement){model, n, stretch});
  snprintf(what, sizeof what, "%s n=%s load=%s, from the published error [mm]", model, n, e->load);
  CHECK_REACHED(what, fabs(error - published), 0.02);  // their solver stops at some micrometres
}

static void every_static_point_is_found_from_the_straight_srl(void** state) {
  (void)state;
  check_published("srl", "3", "1", unloaded, 6.2054);
  check_published("srl", "3", "0", loaded, 13.5947);
  mean_error(loaded, (arrangement){"srl", "3", "1"});
}
// The loaded result of the authors, 13.31 mm, is not met to better than 0.33 mm: their rotation,
// which is none, lengthens what is behind it.
static void every_static_point_is_found_from_the_straight_ebr(void** state) {
  (void)state;
  check_published("ebr", "5", "1", unloaded, 5.2237);
  mean_error(loaded, (arrangement){"ebr", "5", "0"});
  mean_error(loaded, (arrangement){"ebr", "5", "1"});
}
static void every_static_point_is_found_from_the_straight_eba(void** state) {
  (void)state;
  check_published("eba", "1", "1", unloaded, 13.5766);
  mean_error(loaded, (arrangement){"eba", "1", "1"});
  mean_error(unloaded, (arrangement){"eba", "5", "1"});
  mean_error(loaded, (arrangement){"eba", "5", "1"});
}
// The loaded result of the authors, 12.92 mm, is met to 0.07 mm: their integral along the module is
// a sum of 100 left ends.
static void every_static_point_is_found_from_the_straight_rom(void** state) {
  (void)state;
  check_published("rom", "5", "2", unloaded, 5.9155);
  mean_error(loaded, (arrangement){"rom", "5", "2"});
  mean_error(unloaded, (arrangement){"rom", "2", "1"});
  mean_error(loaded, (arrangement){"rom", "2", "1"});
  const double error = mean_error(unloaded, (arrangement){"rom", "5", "1"});
  CHECK_REACHED("rom n=5 load=0, true stretch, mean tip error [mm]", error, 5.9155);
  mean_error(loaded, (arrangement){"rom", "5", "1"});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_static_point_is_found_from_the_straight_srl),
      cmocka_unit_test(every_static_point_is_found_from_the_straight_ebr),
      cmocka_unit_test(every_static_point_is_found_from_the_straight_eba),
      cmocka_unit_test(every_static_point_is_found_from_the_straight_rom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
