// The shape of a mesh: nodes of a grid and of lists, edges, diagonals, what is fixed, where it
// stands.
#include "compiled.h"

#define EDGES "mesh(1).body.m = 1; mesh(1).joint(2).spring.coeff = 1;\n"

static void test_a_grid_has_its_edges_and_the_diagonals_of_its_faces(void** state) {
  (void)state;
  const compiled c =
      compile_text(EDGES "mesh(1).grid = [3 4 2]; mesh(1).joint(3).spring.coeff = 1;");
  const int n[3] = {3, 4, 2};
  int edges = 0, faces = 0;
  for (int i = 0; i < 3; i++) {
    const int a = n[i], b = n[(i + 1) % 3], d = n[(i + 2) % 3];
    edges += (a - 1) * b * d;
    faces += (a - 1) * (b - 1) * d;
  }
  assert_int_equal(c.m->mesh[0].nnode, 24);
  assert_int_equal(c.m->mesh[0].nedge, edges);
  assert_int_equal(c.m->mesh[0].ndiagonal, 2 * faces);
  compiled_free(c);
}

static void test_words_tell_which_nodes_the_ground_holds(void** state) {
  (void)state;
  static const struct {
    const char* fixed;
    int n;
  } ways[] = {{"'edge'", 4}, {"'corners'", 4}, {"'frame'", 14}, {"'none'", 0}, {"[2 5 7]", 3}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char text[200];
    snprintf(text, sizeof text, EDGES "mesh(1).grid = [4 5]; mesh(1).fixed = %s;", ways[i].fixed);
    const compiled c = compile_text(text);
    assert_int_equal(c.m->mesh[0].nfixed, ways[i].n);
    compiled_free(c);
  }
  const compiled lists = compile_text(
      EDGES "mesh(1).node = [0 0 0; 1 0 0; 2 0 0; 1 1 0]; mesh(1).edge = [1 2; 2 3; 2 4];");
  assert_int_equal(lists.m->mesh[0].nfixed, 3);  // its ends
  compiled_free(lists);
}

// A quarter turn about z takes [x y] to [-y x], then the mesh is moved.
static void test_nodes_start_where_tr_puts_them(void** state) {
  (void)state;
  const compiled c = compile_text(EDGES
                                  "mesh(1).grid = [3 2]; mesh(1).size = [0.4 0.1]; mesh(1).fixed = "
                                  "'none'; mesh(1).tr(1).trans = [1 2 3]; mesh(1).tr(1).rot = [3 "
                                  "pi/2];");
  for (int node = 0; node < 6; node++) {
    const double x = 0.2 * (node % 3), y = 0.1 * (node / 3), want[3] = {1 - y, 2 + x, 3};
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(fixed_number(c.m, c.m->pos[3 * node + i].init), want[i], 1e-15);
  }
  compiled_free(c);
}

static void test_edges_lead_to_nodes_that_exist(void** state) {
  (void)state;
  static const said list[] = {
      {EDGES "mesh(1).node = [0 0 0; 1 0 0]; mesh(1).edge = [1 3];", 2, 47,
       "is node 3, but the mesh"},
      {EDGES "mesh(1).node = [0 0 0; 1 0 0]; mesh(1).edge = [2 2];", 2, 47,
       "from node 2 to itself"},
      {EDGES "mesh(1).grid = 1;", 2, 16, "has a single node and no edge"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_grid_has_its_edges_and_the_diagonals_of_its_faces),
      cmocka_unit_test(test_words_tell_which_nodes_the_ground_holds),
      cmocka_unit_test(test_nodes_start_where_tr_puts_them),
      cmocka_unit_test(test_edges_lead_to_nodes_that_exist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
