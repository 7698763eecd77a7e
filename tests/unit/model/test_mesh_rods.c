// Edges as polynomial rods: as long as their edges, with the laws per length, clamped to both
// nodes.
#include "compiled.h"

#define NET                                                                                       \
  "mesh(1).node = [0 0 0; 0.3 0 0.4; 0.3 0.2 0.4]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1;" \
  "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"       \
  "mesh(1).body(1).m = 0.01; mesh(1).body(1).I = 1e-5*eye(3); mesh(1).body(2).I = 1e-6*eye(3); "  \
  "mesh(1).joint(2).rom.order = 2;\n"

static void test_every_edge_is_a_rod_with_a_loop_of_six_rows(void** state) {
  (void)state;
  const compiled c =
      compile_text(NET
                   "mesh(1).body(2).m = [0.05; 0.08]; mesh(1).joint(2).spring.coeff = [400 30]; "
                   "mesh(1).joint(2).spring.init = 0.02; mesh(1).joint(2).spring.comp = 0.5;");
  static const double length[2] = {0.5, 0.2}, per_length[2] = {0.05, 0.08};
  double mass = 0;
  assert_int_equal(c.m->nrod, 2);
  assert_int_equal(c.m->nrow, 12);
  assert_int_equal(c.m->nvel, 2 * (6 + 15));  // two free nodes; 3 (n + 1) + 3 n for each rod
  for (int r = 0; r < 2; r++) {
    CHECK_NEAR(c.m->rod[r].length, length[r], 1e-15);
    assert_int_equal(c.m->rod[r].nodes[1] - c.m->rod[r].nodes[0], 1);
    mass += per_length[r] * length[r];
  }
  CHECK_NEAR(mass_of_lumps(c.m), mass, 1e-15);
  const num at = c.m->strain[0].section;
  for (int d = 0; d < 6; d++) {  // two numbers: of the translations and of the rotations
    CHECK_NEAR(fixed_number(c.m, at + SECTION_K + 7 * d), d < 3 ? 400 : 30, 0);
    CHECK_NEAR(fixed_number(c.m, at + SECTION_X0 + d), 0.01, 1e-17);
  }
  for (int i = 0; i < c.m->npos; i++)  // it starts straight, whatever its stress-free strain is
    if (c.m->pos[i].rod > 0) CHECK_NEAR(fixed_number(c.m, c.m->pos[i].init), 0, 0);
  compiled_free(c);
}

static void test_rows_that_do_not_fit_the_edges_are_told_at_their_place(void** state) {
  (void)state;
  static const said list[] = {
      {NET "mesh(1).body(2).m = 1; mesh(1).joint(2).spring.coeff = [1; 2; 3];", 3, 56,
       "mesh(1).joint(2).spring.coeff must be one number, two or six for all edges, or a row for "
       "each of the 2 edges, got 3x1"},
      {NET "mesh(1).body(2).m = 1; mesh(1).joint(2).spring.coeff = 1; mesh(1).joint(2).damp.pow = "
           "[1 1 1 2 1 1];",
       3, 87, "one power for all its strains"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_edge_is_a_rod_with_a_loop_of_six_rows),
      cmocka_unit_test(test_rows_that_do_not_fit_the_edges_are_told_at_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
