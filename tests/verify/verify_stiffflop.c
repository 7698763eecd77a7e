// The STIFF-FLOP listings (models/stiffflop.m) against the recorded experiments.  Data are found
// through TENDRIL_DATA; without it these tests are skipped.  With TENDRIL_LONG=1 the numbers of
// docs/rods.md are printed.
#include "stiffflop.h"

static void compare(arrangement a, double published) {
  char what[96];
  snprintf(what, sizeof what, "%s n=%s %s, mean tip error [mm]", a.model, a.n,
           a.loaded ? "loaded" : "free");
  CHECK_REACHED(what, motion_errors(a, false).mean, published);
}

static void test_free_motion_is_not_worse_than_the_authors_srl(void** state) {
  (void)state;
  compare((arrangement){.model = "srl", .n = "3"}, 4.00);
}
static void test_free_motion_is_better_than_the_authors_ebr(void** state) {
  (void)state;
  compare((arrangement){.model = "ebr", .n = "5"}, 9.59);
}
static void test_loaded_motion_is_not_worse_than_the_authors_srl(void** state) {
  (void)state;
  compare((arrangement){.model = "srl", .n = "3", .loaded = true}, 12.2);
}

// Up to half a minute each: on demand, TENDRIL_LONG=1.
static void compare_long(arrangement a, double published) {
  if (!getenv("TENDRIL_LONG")) skip();
  compare(a, published);
}
static void test_free_motion_of_eba(void** state) {
  (void)state;
  compare_long((arrangement){.model = "eba", .n = "5"}, 3.02);
}
static void test_free_motion_of_rom(void** state) {
  (void)state;
  compare_long((arrangement){.model = "rom", .n = "2"}, 3.49);
}
static void test_free_motion_of_rom_of_order_four(void** state) {
  (void)state;
  compare_long((arrangement){.model = "rom", .n = "4"}, 3.37);
}
// The authors' result owes to what they take for the stretch.
static void test_loaded_motion_of_rom_of_order_four(void** state) {
  (void)state;
  compare_long((arrangement){.model = "rom", .n = "4", .loaded = true, .stretch = "2"}, 9.17);
}
static void test_free_motion_of_rom_is_that_of_the_authors(void** state) {
  (void)state;
  compare_long((arrangement){.model = "rom", .n = "2", .stretch = "2"}, 3.49);
}
static void test_loaded_motion_of_eba(void** state) {
  (void)state;
  compare_long((arrangement){.model = "eba", .n = "5", .loaded = true}, 11.4);
}
static void test_loaded_motion_of_ebr(void** state) {
  (void)state;
  compare_long((arrangement){.model = "ebr", .n = "5", .loaded = true}, 13.2);
}

// What has no published bound: the printed arrangements elsewhere, those of second order, the
// corrected wrench.
static void report_the_module_as_a_rod_and_with_the_corrected_wrench(void** state) {
  (void)state;
  if (!getenv("TENDRIL_LONG")) skip();
  static const char* const models[][2] = {
      {"srl", "3"}, {"ebr", "5"}, {"eba", "5"}, {"rom", "2"}, {"rom", "4"}};
  for (int i = 0; i < 5; i++) {
    const char *model = models[i][0], *n = models[i][1];
    motion_errors((arrangement){.model = model, .n = n, .loaded = true, .wrench = "world"}, false);
    motion_errors((arrangement){.model = model, .n = n, .rods = "1"}, false);
    motion_errors((arrangement){.model = model, .n = n, .loaded = true, .rods = "1"}, false);
    motion_errors(
        (arrangement){.model = model, .n = n, .loaded = true, .rods = "1", .wrench = "world"},
        false);
  }
  motion_errors((arrangement){.model = "rom", .n = "2", .loaded = true}, false);
  motion_errors((arrangement){.model = "rom", .n = "4", .loaded = true}, false);
  motion_errors((arrangement){.model = "rom", .n = "2", .loaded = true, .stretch = "2"}, false);
  motion_errors((arrangement){.model = "rom", .n = "4", .stretch = "2"}, false);
}

// ---- tolerance --------------------------------------------------------------------------------

// The first ten seconds of the free motion; atol is that of the model at 1e-6 and falls with rtol.
static td_trajectory* run_at(const td_model* m, double rtol) {
  td_work* work = td_work_new(m);
  td_state* state = td_state_new(m);
  td_trajectory* run = NULL;
  td_sim_options o = td_sim_options_default();
  o.t_final = 10;
  o.rtol = rtol;
  if (rtol < 1e-6) o.atol = rtol / 10;
  assert_int_equal(td_state_initial(m, work, state), TD_OK);
  assert_int_equal(td_simulate(m, work, state, &o, &run), TD_OK);
  td_state_free(state);
  td_work_free(work);
  return run;
}

// The tip at the tolerance of the model, 1e-6, is within 1e-6 of the length of what it is at 1e-9,
// at all rows, after every jump of the pressures.
static void check_tolerance(const char* model, const char* n) {
  if (CHECK_SANITIZED) skip();
  recording* r = read_recording(false);
  td_model* m = load_module((arrangement){.model = model, .n = n}, r->path);
  td_trajectory *coarse = run_at(m, 1e-6), *fine = run_at(m, 1e-9);
  double error = 0;
  assert_int_equal(td_trajectory_rows(coarse), td_trajectory_rows(fine));
  for (int i = 0; i < td_trajectory_rows(fine); i++)
    error = fmax(error, distance(td_trajectory_sensors(coarse, i), td_trajectory_sensors(fine, i)));
  CHECK_REACHED(model, error / 0.0645, 1e-6);
  td_trajectory_free(coarse);
  td_trajectory_free(fine);
  td_model_free(m);
  free(r);
}

static void test_the_tip_keeps_the_tolerance_through_all_jumps(void** state) {
  (void)state;
  check_tolerance("srl", "3");
  if (!getenv("TENDRIL_LONG")) return;
  check_tolerance("ebr", "5");
  check_tolerance("eba", "5");
  check_tolerance("rom", "2");
}

// Without data the module moves under its built-in pressures.
static void test_the_model_runs_without_data_in_every_arrangement(void** state) {
  (void)state;
  static const char* const variants[][2] = {{"srl", "2"}, {"ebr", "2"}, {"eba", "2"}, {"rom", "1"}};
  for (int i = 0; i < 4; i++) {
    td_model* m = load_module((arrangement){.model = variants[i][0], .n = variants[i][1]}, NULL);
    td_work* work = td_work_new(m);
    td_state* s = td_state_new(m);
    double y[4];
    assert_int_equal(td_state_initial(m, work, s), TD_OK);
    assert_int_equal(td_sensors(m, s, work, y), TD_OK);
    CHECK_NEAR(y[2], 0.0645, 1e-12);  // tip at rest
    CHECK_NEAR(y[3], 1, 1e-12);       // stretch
    td_equil_options o = td_equil_options_default();
    td_equil_result r;
    s->t = 1;  // pair 1 at full pressure bends the tip to -y
    assert_int_equal(td_equilibrium(m, work, s, &o, &r), TD_OK);
    assert_int_equal(td_sensors(m, s, work, y), TD_OK);
    assert_true(y[1] < -1e-3);
    assert_int_equal(r.stability, TD_STABLE);
    td_state_free(s);
    td_work_free(work);
    td_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_model_runs_without_data_in_every_arrangement),
      cmocka_unit_test(test_free_motion_is_not_worse_than_the_authors_srl),
      cmocka_unit_test(test_free_motion_is_better_than_the_authors_ebr),
      cmocka_unit_test(test_loaded_motion_is_not_worse_than_the_authors_srl),
      cmocka_unit_test(test_the_tip_keeps_the_tolerance_through_all_jumps),
      cmocka_unit_test(test_free_motion_of_eba),
      cmocka_unit_test(test_free_motion_of_rom),
      cmocka_unit_test(test_free_motion_of_rom_of_order_four),
      cmocka_unit_test(test_loaded_motion_of_rom_of_order_four),
      cmocka_unit_test(test_free_motion_of_rom_is_that_of_the_authors),
      cmocka_unit_test(test_loaded_motion_of_eba),
      cmocka_unit_test(test_loaded_motion_of_ebr),
      cmocka_unit_test(report_the_module_as_a_rod_and_with_the_corrected_wrench),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
