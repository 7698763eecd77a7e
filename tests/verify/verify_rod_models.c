// The models with rods and beams do what their comment blocks say.
#include "rods.h"

#define MODELS TEST_SOURCE_DIR "/models/"

static bench open_model(const char* file, const char* model, const char* param, const char* value) {
  bench b = {.spec = td_spec_new()};
  td_spec_override(b.spec, "model", model);
  if (param) td_spec_override(b.spec, param, value);
  td_spec_load_file(b.spec, file);
  if (td_model_compile(b.spec, &b.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(b.spec));
    fail();
  }
  b.work = td_work_new(b.model);
  b.state = td_state_new(b.model);
  b.sensors = calloc((size_t)td_model_sizes(b.model).nsensor + 1, sizeof(double));
  assert_int_equal(td_state_initial(b.model, b.work, b.state), TD_OK);
  return b;
}

static td_trajectory* simulate(bench* b) {
  const td_sim_options options = td_sim_options_default();
  td_trajectory* path;
  assert_int_equal(td_simulate(b->model, b->work, b->state, &options, &path), TD_OK);
  assert_int_equal(td_sensors(b->model, b->state, b->work, b->sensors), TD_OK);
  return path;
}

// ---- simple_beam.m ----------------------------------------------------------------------------

static void test_the_simple_beam_is_one_linear_system_in_three_forms(void** state) {
  (void)state;
  const double l = 0.1, r = 0.01, E = 2e5, m = 0.05, A = pi * r * r, J = pi * pow(r, 4) / 4;
  const double I = m * (3 * r * r + l * l) / 12;
  const double want[3] = {sqrt(E * J / (l * I)), sqrt(E / 3 * A / (l * m)), sqrt(E * A / (l * m))};
  for (int k = 0; k < all_models; k++) {
    bench b = open_model(MODELS "simple_beam.m", rod_models[k], "g", "0");
    bench_equilibrium(&b);
    td_modes_result* modes;
    assert_int_equal(td_modes(b.model, b.state, b.work, &modes), TD_OK);
    assert_int_equal(modes->n, 3);
    for (int i = 0; i < 3; i++) CHECK_NEAR(modes->omega[i] / want[i], 1, 1e-9);
    td_modes_free(modes);
    bench_free(&b);
  }
}

static void test_the_simple_beam_measures_a_large_turn_in_three_ways(void** state) {
  (void)state;
  const double a = 1.2, tau = a * 2e5 * pi * pow(0.01, 4) / 4 / 0.1;
  const double want[3] = {a, 2 * atan(a / 2), 2 * asin(a / 2)};
  char text[40];
  snprintf(text, sizeof text, "%.17g", tau);
  for (int k = 0; k < all_models; k++) {
    bench b = open_model(MODELS "simple_beam.m", rod_models[k], "tau", text);
    assert_int_equal(bench_equilibrium(&b).stability, TD_STABLE);
    CHECK_NEAR(bench_sensor(&b, "angle")[0], want[k], 1e-9);
    CHECK_NEAR(bench_sensor(&b, "tip")[2], 0.1 - 0.05 * 9.81 * 0.1 / (2e5 * pi * 1e-4), 1e-12);
    bench_free(&b);
  }
}

// ---- whisker.m --------------------------------------------------------------------------------

static void test_the_whisker_bends_until_contact_and_base_balance(void** state) {
  (void)state;
  for (int k = 0; k < relative_models; k++) {
    bench b = open_model(MODELS "whisker.m", rod_models[k], "rough", "0");
    assert_int_equal(bench_equilibrium(&b).stability, TD_STABLE);
    const double force = bench_sensor(&b, "contact")[0], base = bench_sensor(&b, "base")[0];
    CHECK_NEAR(force / (100 * base), 1, 1e-9);
    // springs in series: base, beam as a cantilever, contact; the bend is small, gravity adds a
    // little
    const double EI = 2e9 * pi * 1e-12 / 4,
                 compliance = 1.0 / 100 + pow(0.15, 3) / (3 * EI) + 1.0 / 50;
    CHECK_NEAR(force / (0.01 / compliance), 1, 0.05);
    CHECK_NEAR(bench_sensor(&b, "tip")[0], 0.015, 1e-3);
    td_modes_result* modes;
    assert_int_equal(td_modes(b.model, b.state, b.work, &modes), TD_OK);
    printf("whisker %s: force %.4f N, first mode %.2f Hz\n", rod_models[k], force,
           modes->omega[0] / (2 * pi));
    CHECK_NEAR(modes->omega[0] / (2 * pi), 33, 0.03);
    td_modes_free(modes);
    bench_free(&b);
  }
}

static void test_the_whisker_shows_the_roughness_of_the_surface(void** state) {
  (void)state;
  bench b = open_model(MODELS "whisker.m", "ebr", NULL, NULL);
  bench_equilibrium(&b);
  const double still = bench_sensor(&b, "curvature")[0];
  td_trajectory* path = simulate(&b);
  const int at = (int)(bench_sensor(&b, "curvature") - b.sensors);
  double low = INFINITY, high = -INFINITY;
  for (int i = td_trajectory_rows(path) / 2; i < td_trajectory_rows(path); i++) {
    low = fmin(low, td_trajectory_sensors(path, i)[at]);
    high = fmax(high, td_trajectory_sensors(path, i)[at]);
  }
  printf("whisker: curvature %.4f, then %.4f to %.4f 1/m\n", still, low, high);
  assert_true(low < still && high > still && high - low > 0.01 * still && high - low < still);
  assert_true(fabs(td_trajectory_stats(path)->energy_error) < 1e-6);
  td_trajectory_free(path);
  bench_free(&b);
}

// ---- pneumatic_module.m -----------------------------------------------------------------------

static void test_the_pneumatic_module_hangs_straight_and_stretched(void** state) {
  (void)state;
  for (int k = 0; k < all_models; k++) {
    bench b = open_model(MODELS "pneumatic_module.m", rod_models[k], NULL, NULL);
    assert_int_equal(bench_equilibrium(&b).stability, TD_STABLE);
    const double ap = pi * 2.5e-3 * 2.5e-3, A = pi * (12.5e-3 * 12.5e-3 - 4.5e-3 * 4.5e-3) - 6 * ap;
    const double stretch = 9.81 * (0.01347 + 0.028 / 2) / (130e3 * A);
    CHECK_NEAR(bench_sensor(&b, "stretch")[0] - 1, stretch, 1e-9);
    CHECK_NEAR(hypot(bench_sensor(&b, "tip")[0], bench_sensor(&b, "tip")[1]), 0, 1e-12);
    CHECK_NEAR(bench_sensor(&b, "tip")[2], 0.05 * (1 + stretch) + 0.0145, 1e-9);
    bench_free(&b);
  }
}

// Full pressure, no weight: the strain is that of a constant force and moment.
static void test_the_pneumatic_module_bends_away_from_a_full_chamber(void** state) {
  (void)state;
  for (int k = 0; k < all_models; k++) {
    bench b = open_model(MODELS "pneumatic_module.m", rod_models[k], "p2", "0");
    td_trajectory* path = simulate(&b);
    const double* tip = bench_sensor(&b, "tip");
    printf("module %s: tip %.4f %.4f %.4f\n", rod_models[k], tip[0], tip[1], tip[2]);
    CHECK_NEAR(tip[0], 0, 1e-6);
    assert_true(tip[1] < -0.005);
    // it has settled: the equilibrium at that pressure is where it is
    const double y = tip[1];
    bench_equilibrium(&b);
    CHECK_NEAR(bench_sensor(&b, "tip")[1] / y, 1, 0.02);
    td_trajectory_free(path);
    bench_free(&b);
  }
}

static void test_the_models_of_the_module_agree(void** state) {
  (void)state;
  double tip[3][3];
  for (int k = 0; k < all_models; k++) {
    bench b = open_model(MODELS "pneumatic_module.m", rod_models[k], "n", "8");
    td_trajectory* path = simulate(&b);
    memcpy(tip[k], bench_sensor(&b, "tip"), sizeof tip[k]);
    assert_true(tip[k][0] < -0.002 && tip[k][1] < -0.001);
    td_trajectory_free(path);
    bench_free(&b);
  }
  CHECK_REACHED("pneumatic module: srl and ebr", distance(tip[0], tip[1], 3), 2e-3 * 0.0645);
  CHECK_REACHED("pneumatic module: ebr and eba", distance(tip[1], tip[2], 3), 1e-4 * 0.0645);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_simple_beam_is_one_linear_system_in_three_forms),
      cmocka_unit_test(test_the_simple_beam_measures_a_large_turn_in_three_ways),
      cmocka_unit_test(test_the_whisker_bends_until_contact_and_base_balance),
      cmocka_unit_test(test_the_whisker_shows_the_roughness_of_the_surface),
      cmocka_unit_test(test_the_pneumatic_module_hangs_straight_and_stretched),
      cmocka_unit_test(test_the_pneumatic_module_bends_away_from_a_full_chamber),
      cmocka_unit_test(test_the_models_of_the_module_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
