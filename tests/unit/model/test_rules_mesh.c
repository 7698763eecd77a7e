// Rules of meshes: one source of geometry, and what belongs to nodes, to edges and to diagonals;
// the message and the place of each.
#include "compiled.h"

#define GRID "mesh(1).grid = [2 3];\n"
#define EDGES GRID "mesh(1).joint(2).spring.coeff = 1;\n"

static void test_the_geometry_has_one_source(void** state) {
  (void)state;
  static const said list[] = {
      {"mesh(1).joint(2).spring.coeff = 1;", 1, 1, "exactly one of file_name, grid, or node"},
      {EDGES "mesh(1).node = [0 0 0];", 1, 1, "exactly one of file_name, grid, or node"},
      {"mesh(1).node = [0 0 0; 1 0 0]; mesh(1).joint(2).spring.coeff = 1;", 1, 16,
       "mesh(1).edge is missing"},
      {EDGES "mesh(1).tol = 1e-3;", 3, 15, "mesh(1).tol has no effect: it belongs to file_name"},
      {"mesh(1).node = [0 0 0; 1 0 0]; mesh(1).edge = [1 2]; mesh(1).joint(2).spring.coeff = 1;\n"
       "mesh(1).fixed = 'corners';",
       2, 17, "mesh(1).fixed = 'corners' belongs to a grid"},
  };
  EXPECT_MESSAGES(list);
}

static void test_each_joint_has_its_own_fields(void** state) {
  (void)state;
  static const said list[] = {
      {GRID "mesh(1).body.m = 1;", 1, 1, "mesh(1).joint(2) is missing"},
      {EDGES "mesh(1).joint(1).dir = 1;", 3, 24, "joint(1) is the freedom of the nodes"},
      {EDGES "mesh(1).joint(2).tr.trans = [inf inf inf];", 3, 29, "it belongs to joint(1)"},
      {EDGES "mesh(1).joint(1).tr.trans = [0 0 0];", 3, 29, "the nodes could not move"},
      {EDGES "mesh(1).joint(1).tr.rot = [0 inf 0 0];", 3, 27, "turns freely or not at all"},
      {EDGES "mesh(1).joint(2).rom.order = 2;", 3, 30, "mesh(1).body(2).m is missing"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_geometry_has_one_source),
      cmocka_unit_test(test_each_joint_has_its_own_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
