// Wireframes: nodes within the tolerance are one, whatever the order and the scale; numbering;
// edges once each.
#include "check.h"
#include "model/wire.h"

static int add(td_wire* w, double x, double y, double z) {
  const double p[3] = {x, y, z};
  const int i = td_wire_node(w, p);
  assert_true(i >= 0);
  return i;
}

// Segments of a grid of n x n nodes, each with its own two nodes, moved a little at random.
static void loose_grid(td_wire* w, int n, double step, double noise) {
  uint64_t seed = 7;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int d = 0; d < 2; d++) {
        const int i1 = i + (d == 0), j1 = j + (d == 1);
        if (i1 >= n || j1 >= n) continue;
        const int a = add(w, step * i + noise * check_random(&seed),
                          step * j + noise * check_random(&seed), noise * check_random(&seed));
        const int b = add(w, step * i1 + noise * check_random(&seed),
                          step * j1 + noise * check_random(&seed), noise * check_random(&seed));
        assert_true(td_wire_edge(w, a, b));
      }
}

static void nodes_within_the_tolerance_become_one(void** state) {
  (void)state;
  const double steps[] = {1e-6, 1, 1e6};
  for (int k = 0; k < 3; k++)
    for (int n = 2; n <= 40; n += 19) {
      td_wire w = {0};
      loose_grid(&w, n, steps[k], 1e-4 * steps[k]);
      assert_int_equal(td_wire_join(&w, 1e-3 * steps[k]), TD_OK);
      assert_int_equal(w.nnode, n * n);
      assert_int_equal(w.nedge, 2 * n * (n - 1));
      td_wire_free(&w);
    }
}

// On both sides of a cube's wall, and on negative coordinates.
static void neighbours_in_other_cubes_are_found(void** state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    td_wire w = {0};
    const double s = 1e-10;
    const int a = add(&w, 0, 0, 0);
    const int b = add(&w, k & 1 ? s : -s, k & 2 ? s : -s, k & 4 ? s : -s);
    const int c = add(&w, 1, 0, 0), d = add(&w, 2, 0, 0);
    td_wire_edge(&w, a, c);
    td_wire_edge(&w, b, d);
    assert_int_equal(td_wire_join(&w, 1e-9), TD_OK);
    assert_int_equal(w.nnode, 3);
    assert_int_equal(w.nedge, 2);
    td_wire_free(&w);
  }
}

// A path a-b-c and an edge b-d: b is met twice first; the ends come last, in order of appearance.
static void numbers_follow_the_second_meeting(void** state) {
  (void)state;
  td_wire w = {0};
  const int a = add(&w, 0, 0, 0), b = add(&w, 1, 0, 0), c = add(&w, 2, 0, 0), d = add(&w, 1, 1, 0);
  add(&w, 9, 9, 9);  // no edge
  td_wire_edge(&w, a, b);
  td_wire_edge(&w, c, b);
  td_wire_edge(&w, b, d);
  td_wire_edge(&w, d, b);
  td_wire_edge(&w, a, a);
  assert_int_equal(td_wire_join(&w, 1e-9), TD_OK);
  const int want[6] = {1, 0, 2, 0, 0, 3};
  assert_int_equal(w.nnode, 4);
  assert_int_equal(w.nedge, 3);
  for (int i = 0; i < 6; i++) assert_int_equal(w.edge[i], want[i]);
  CHECK_NEAR(w.x[3 * 3 + 1], 1, 0);
  int degree[4];
  td_wire_degrees(&w, degree);
  assert_int_equal(degree[0], 3);
  td_wire_free(&w);
}

static void without_a_tolerance_only_equal_places_are_one(void** state) {
  (void)state;
  td_wire w = {0};
  const int a = add(&w, 0, 0, 0), b = add(&w, 1, 0, 0), c = add(&w, 1, -0.0, 0),
            d = add(&w, 1 + 1e-15, 0, 0), e = add(&w, 2, 0, 0);
  td_wire_edge(&w, a, b);
  td_wire_edge(&w, c, e);
  td_wire_edge(&w, d, e);
  assert_int_equal(td_wire_join(&w, 0), TD_OK);
  assert_int_equal(w.nnode, 4);
  td_wire_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_within_the_tolerance_become_one),
      cmocka_unit_test(neighbours_in_other_cubes_are_found),
      cmocka_unit_test(numbers_follow_the_second_meeting),
      cmocka_unit_test(without_a_tolerance_only_equal_places_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
