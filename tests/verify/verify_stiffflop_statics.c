// The static points of the STIFF-FLOP experiments, every one from the straight module and without
// tuning: an equilibrium is found, and it is said how and whether it is stable.  Without load all
// of them are stable.  With load the undamped module under a moment that does not follow it may
// flutter.
//
// The published mean tip errors are met once the stretch is what the authors' program has for it:
// without load the stretch update is on (in 'rom' by the height of the tip, `stretch` = 2); the
// loaded results of 'srl' and 'ebr' are those of a section that does not change (`stretch` = 0),
// and those of 'ebr' of a rotation that is not normalised. Data are found through TENDRIL_DATA;
// without it these tests are skipped.
#include "ebr_package.h"
#include "stiffflop.h"

typedef struct experiment {
  bool loaded;
  int n;
  double t[10];
} experiment;

static const experiment experiments[2] = {
    {false, 9, {8.7, 15.15, 21.7, 26.2, 31.1, 35.1, 39.2, 44.6, 50.9}},
    {true, 10, {8.9, 15.7, 18.1, 26.7, 30, 33, 36.3, 42.4, 44.8, 52.4}},
};

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
    if (!e->loaded) assert_int_equal(found.stability, TD_STABLE);
    assert_int_equal(td_sensors(m, state, work, y), TD_OK);
    sum += distance(y, row_at(r, e->t[i]) + TIP);
  }
  td_state_free(state);
  td_work_free(work);
  return 1e3 * sum / e->n;
}

// Mean tip error of an arrangement at the points of an experiment, in millimetres.
static double mean_error(const experiment* e, arrangement a) {
  recording* r = read_recording(e->loaded);
  a.loaded = e->loaded;
  td_model* m = load_module(a, r->path);
  print_arrangement(a);
  printf("\n");
  const double error = solve_points(m, e, r);
  printf("  mean tip error %.4f mm\n", error);
  td_model_free(m);
  free(r);
  return error;
}

static const experiment *const unloaded = &experiments[0], *const loaded = &experiments[1];

static void check_near_published(const char* model, const experiment* e, double error,
                                 double published) {
  char what[96];
  snprintf(what, sizeof what, "%s %s, from the published error [mm]", model,
           e->loaded ? "loaded" : "free");
  CHECK_REACHED(what, fabs(error - published), 0.02);  // their solver stops at some micrometres
}

static void check_published(const char* model, const char* n, const char* stretch,
                            const experiment* e, double published) {
  const double error = mean_error(e, (arrangement){.model = model, .n = n, .stretch = stretch});
  check_near_published(model, e, error, published);
}

static void every_static_point_is_found_from_the_straight_srl(void** state) {
  (void)state;
  check_published("srl", "3", "1", unloaded, 6.2054);
  check_published("srl", "3", "0", loaded, 13.5947);
  mean_error(loaded, (arrangement){.model = "srl", .n = "3", .stretch = "1"});
}
// The loaded result of the authors, 13.31 mm, is that of their rotation, see below.
static void every_static_point_is_found_from_the_straight_ebr(void** state) {
  (void)state;
  check_published("ebr", "5", "1", unloaded, 5.2237);
  mean_error(loaded, (arrangement){.model = "ebr", .n = "5", .stretch = "0"});
  mean_error(loaded, (arrangement){.model = "ebr", .n = "5", .stretch = "1"});
}

// The mean and the largest error of the printed equations, written out, with the rotation of the
// package.
static tip_errors errors_of_package(const experiment* e, bool follows) {
  tip_errors sum = {0, 0};
  recording* r = read_recording(e->loaded);
  for (int i = 0; i < e->n; i++) {
    const double* row = row_at(r, e->t[i]);
    ebr module = {.n = 5, .follows = follows};
    double q[EBR_DOFS], tip[3];
    memcpy(module.p, row + PRESSURE, sizeof module.p);
    if (e->loaded) memcpy(module.wrench, row + WRENCH, sizeof module.wrench);
    assert_true(ebr_equilibrium(&module, q));
    ebr_tip(&module, q, tip);
    const double d = 1e3 * distance(tip, row + TIP);
    sum.mean += d / e->n;
    sum.max = fmax(sum.max, d);
  }
  free(r);
  return sum;
}

// Its lengthening of everything behind a bend is what they have and we have not.
static void the_static_results_of_ebr_are_those_of_a_rotation_that_is_none(void** state) {
  (void)state;
  const tip_errors free_ones = errors_of_package(unloaded, true),
                   under_load = errors_of_package(loaded, false);
  check_near_published("ebr, not normalised", unloaded, free_ones.mean, 5.2237);
  check_near_published("ebr, not normalised", loaded, under_load.mean, 13.3066);
  CHECK_NEAR(free_ones.max, 14.487, 1e-3);
  CHECK_NEAR(under_load.max, 28.965, 1e-3);
}

static void every_static_point_is_found_from_the_straight_eba(void** state) {
  (void)state;
  check_published("eba", "1", "1", unloaded, 13.5766);
  mean_error(loaded, (arrangement){.model = "eba", .n = "1", .stretch = "1"});
  mean_error(unloaded, (arrangement){.model = "eba", .n = "5", .stretch = "1"});
  mean_error(loaded, (arrangement){.model = "eba", .n = "5", .stretch = "1"});
}
// The loaded result of the authors, 12.92 mm, is met to 0.07 mm with Gauss points, to 0.03 mm with
// their sums of 100 left ends: their solver stops early.
static void every_static_point_is_found_from_the_straight_rom(void** state) {
  (void)state;
  check_published("rom", "5", "2", unloaded, 5.9155);
  mean_error(loaded, (arrangement){.model = "rom", .n = "5", .stretch = "2"});
  char points[4096];
  points_of_sum(100, 14, points, sizeof points);
  mean_error(
      loaded,
      (arrangement){.model = "rom", .n = "5", .stretch = "2", .sums = "100", .changes = points});
  mean_error(unloaded, (arrangement){.model = "rom", .n = "2", .stretch = "1"});
  mean_error(loaded, (arrangement){.model = "rom", .n = "2", .stretch = "1"});
  const double error =
      mean_error(unloaded, (arrangement){.model = "rom", .n = "5", .stretch = "1"});
  CHECK_REACHED("rom n=5 load=0, true stretch, mean tip error [mm]", error, 5.9155);
  mean_error(loaded, (arrangement){.model = "rom", .n = "5", .stretch = "1"});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_static_point_is_found_from_the_straight_srl),
      cmocka_unit_test(every_static_point_is_found_from_the_straight_ebr),
      cmocka_unit_test(the_static_results_of_ebr_are_those_of_a_rotation_that_is_none),
      cmocka_unit_test(every_static_point_is_found_from_the_straight_eba),
      cmocka_unit_test(every_static_point_is_found_from_the_straight_rom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
