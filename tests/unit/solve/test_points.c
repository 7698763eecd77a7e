// Points of sweeps: grids as they are written, samples that fill their ranges, what is refused.
#include "check.h"
#include "robot.h"
#include "solve/ensemble/points.h"
#include "solve/ensemble/sobol.h"

static char message[600];

static td_points* varied(const char* text) {
  td_points* p = td_points_new();
  if (td_points_vary(p, text, message, sizeof message) != TD_OK) {
    print_error("%s\n", message);
    fail();
  }
  return p;
}

static void test_a_grid_has_all_combinations_the_last_fastest(void** state) {
  (void)state;
  td_points* p = varied("E=1:2/3, n={2,5},L=1e-2:1e2/5log");
  assert_int_equal(td_points_count(p), 30);
  assert_int_equal(td_points_axes(p), 3);
  assert_string_equal(td_points_name(p, 1), "n");
  for (int i = 0; i < 30; i++) {
    CHECK_NEAR(td_points_value(p, i, 0), 1 + 0.5 * (i / 10), 1e-15);
    assert_true(td_points_value(p, i, 1) == (i / 5 % 2 ? 5 : 2));
    CHECK_NEAR(td_points_value(p, i, 2) / pow(10, i % 5 - 2), 1, 1e-14);
  }
  assert_true(td_points_value(p, 4, 2) == 1e2);  // the last value exactly
  assert_true(isnan(td_points_value(p, 30, 0)) && !td_points_word(p, 0, 1));
  td_points_free(p);
}

static void test_lists_of_texts_are_texts(void** state) {
  (void)state;
  td_points* p = varied("kind={soft, 'stiff',3}");
  assert_int_equal(td_points_count(p), 3);
  assert_string_equal(td_points_word(p, 0, 0), "soft");
  assert_string_equal(td_points_word(p, 1, 0), "stiff");
  assert_string_equal(td_points_word(p, 2, 0), "3");
  assert_true(isnan(td_points_value(p, 0, 0)));
  td_points_free(p);
}

static void test_wrong_grids_are_refused_by_name(void** state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {"E=1e6:1e5/20", "E: the range must ascend, got 1e+06:100000"},
      {"E=1:1/3", "must ascend"},
      {"E=1:2/1", "the number of values must be whole, from 2 to 10000000, got 1"},
      {"E=1:2/2.5", "must be whole"},
      {"E=1:2", "values look like 1e5:1e6/20"},
      {"E=-1:2/3log", "must be positive"},
      {"E={}", "must not be empty"},
      {"E={1,,2}", "must not be empty"},
      {"E={1,2", "a list ends with '}'"},
      {"E=1:2/3,E={1}", "'E' is given twice"},
      {"=1:2/3", "a name of a param or input is missing"},
      {"E=1:2/10000,L=1:2/10000", "the grid has 1e+08 points, more than 10000000"},
      {"E=-1e308:1e308/3", "is too wide"},
      {"E=nan:2/3", "a range looks like"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    td_points* p = td_points_new();
    assert_int_equal(td_points_vary(p, wrong[i].text, message, sizeof message), TD_E_USAGE);
    if (!strstr(message, wrong[i].says)) fail_msg("%s: %s", wrong[i].text, message);
    assert_int_equal(td_points_axes(p), 0);
    assert_int_equal(td_points_vary(p, "E=1:2/3", message, sizeof message), TD_OK);  // as before
    td_points_free(p);
  }
}

// Polynomials over the field of two elements, as bits: a primitive one of degree s has x^k = 1
// first for k = 2^s - 1.  Read back from the direction numbers by their recurrence; the numbers m
// are odd.
static void test_direction_numbers_are_those_of_primitive_polynomials(void** state) {
  (void)state;
  static const int degree[] = {0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6,
                               6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  unsigned seen[TD_SOBOL_DIMENSIONS] = {0};
  for (int j = 0; j < TD_SOBOL_DIMENSIONS; j++) {
    uint32_t v[SOBOL_BITS];
    td_sobol_directions(j, v);
    for (int k = 0; k < SOBOL_BITS; k++) assert_true(v[k] >> (SOBOL_BITS - 1 - k) & 1);
    const int s = degree[j];
    if (s == 0) continue;

    // the inner coefficients that reproduce all further numbers
    int found = 0;
    for (unsigned inner = 0; inner < 1u << (s - 1); inner++) {
      bool fits = true;
      for (int k = s; k < SOBOL_BITS && fits; k++) {
        uint32_t x = v[k - s] ^ v[k - s] >> s;
        for (int i = 1; i < s; i++)
          if (inner >> (s - 1 - i) & 1) x ^= v[k - i];
        fits = x == v[k];
      }
      if (!fits) continue;
      found++;
      seen[j] = 1u << s | inner << 1 | 1;
    }
    assert_int_equal(found, 1);
    unsigned x = 1, order = 0;
    do {
      x = x << 1;
      if (x >> s & 1) x ^= seen[j];
      order++;
    } while (x != 1 && order < 1000);
    assert_int_equal(order, (1u << s) - 1);
    for (int i = 1; i < j; i++) assert_true(seen[i] != seen[j]);
  }
}

// The first 2^k points of every axis fall into 2^k equal slices, one each, as a Latin hypercube
// does; known first points.
static void test_sobol_and_latin_points_fill_every_slice(void** state) {
  (void)state;
  robot r = robot_open("body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];");
  static const double known[4][3] = {
      {0, 0, 0}, {0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}, {0.25, 0.75, 0.75}};
  for (int how = TD_SOBOL; how <= TD_LHS; how++)
    for (unsigned long long seed = 0; seed < 3; seed++) {
      td_points* p = td_points_new();
      char names[400] = "a0=0:1";
      for (int j = 1; j < 30; j++) sprintf(names + strlen(names), ",a%d=0:1", j);
      assert_int_equal(td_points_over(p, r.model, names, message, sizeof message), TD_OK);
      assert_int_equal(
          td_points_sample(p, (td_sampling)how, 256, seed, false, message, sizeof message), TD_OK);
      for (int j = 0; j < 30; j++) {
        bool taken[256] = {false};
        for (int i = 0; i < 256; i++) {
          const int slice = (int)(256 * td_points_value(p, i, j));
          assert_in_range(slice, 0, 255);
          assert_false(taken[slice]);
          taken[slice] = true;
        }
      }
      for (int i = 0; i < 4 && how == TD_SOBOL && seed == 0; i++)
        for (int j = 0; j < 3; j++) assert_true(td_points_value(p, i, j) == known[i][j]);
      td_points_free(p);
    }
  robot_close(&r);
}

static void test_samples_have_the_ranges_of_the_model(void** state) {
  (void)state;
  robot r = robot_open(
      "E = param('E', 5, [1 100], 'log'); k = param('k', 3); F = input('F', 0, [-2 6]);"
      "body(1).m = E; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).input = F;");
  td_points* p = td_points_new();
  assert_int_equal(td_points_over(p, r.model, "k", message, sizeof message), TD_E_USAGE);
  assert_non_null(
      strstr(message, "'k' has no range to sample: write param('k', value, [low high])"));
  assert_int_equal(td_points_over(p, r.model, "E,F,k=7:8", message, sizeof message), TD_OK);
  assert_int_equal(td_points_sample(p, TD_RANDOM, 4000, 1, false, message, sizeof message), TD_OK);
  double mean[3] = {0}, logs = 0;
  for (int i = 0; i < 4000; i++) {
    for (int j = 0; j < 3; j++) mean[j] += td_points_value(p, i, j) / 4000;
    logs += log10(td_points_value(p, i, 0)) / 4000;
    assert_true(td_points_value(p, i, 0) >= 1 && td_points_value(p, i, 0) <= 100);
  }
  // means of uniform numbers: 4.5 standard deviations
  CHECK_NEAR(logs, 1, 4.5 * 2 / sqrt(12 * 4000));
  CHECK_NEAR(mean[1], 2, 4.5 * 8 / sqrt(12 * 4000));
  CHECK_NEAR(mean[2], 7.5, 4.5 * 1 / sqrt(12 * 4000));
  td_points_free(p);

  // the same seed is the same sample, another seed another
  double first[3];
  for (int k = 0; k < 3; k++) {
    p = td_points_new();
    td_points_over(p, r.model, "E", message, sizeof message);
    td_points_sample(p, TD_LHS, 10, k < 2 ? 7 : 8, false, message, sizeof message);
    first[k] = td_points_value(p, 3, 0);
    td_points_free(p);
  }
  assert_true(first[0] == first[1] && first[0] != first[2]);
  robot_close(&r);
}

static void test_wrong_samples_and_tables_are_refused(void** state) {
  (void)state;
  robot r = robot_open("body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];");
  td_points* p = td_points_new();
  assert_int_equal(td_points_sample(p, TD_SOBOL, 8, 0, false, message, sizeof message), TD_E_USAGE);
  char names[600] = "a0=0:1";
  for (int j = 1; j < 33; j++) sprintf(names + strlen(names), ",a%d=0:1", j);
  assert_int_equal(td_points_over(p, r.model, names, message, sizeof message), TD_OK);
  assert_int_equal(td_points_sample(p, TD_SOBOL, 8, 0, false, message, sizeof message), TD_E_USAGE);
  assert_non_null(strstr(message, "32 dimensions, 33 are wanted"));
  assert_int_equal(td_points_sample(p, TD_LHS, 0, 0, false, message, sizeof message), TD_E_USAGE);
  assert_int_equal(td_points_sample(p, TD_LHS, 8, 0, false, message, sizeof message), TD_OK);
  assert_int_equal(td_points_vary(p, "E=1:2/3", message, sizeof message), TD_E_USAGE);
  td_points_free(p);

  const char* const columns[] = {"E", "F"};
  const double values[] = {1, 2, 3, NAN};
  p = td_points_new();
  assert_int_equal(td_points_table(p, 2, 2, columns, values, message, sizeof message), TD_E_USAGE);
  assert_string_equal(message, "point 2 of the table has no number for 'F'");
  assert_int_equal(td_points_table(p, 1, 2, columns, values, message, sizeof message), TD_OK);
  assert_true(td_points_value(p, 0, 1) == 2);
  td_points_free(p);
  td_points_free(NULL);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_grid_has_all_combinations_the_last_fastest),
      cmocka_unit_test(test_lists_of_texts_are_texts),
      cmocka_unit_test(test_wrong_grids_are_refused_by_name),
      cmocka_unit_test(test_direction_numbers_are_those_of_primitive_polynomials),
      cmocka_unit_test(test_sobol_and_latin_points_fill_every_slice),
      cmocka_unit_test(test_samples_have_the_ranges_of_the_model),
      cmocka_unit_test(test_wrong_samples_and_tables_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
