// Meshes: nodes, edges, what is fixed, and what edges are.
#include "compiled.h"

static void test_a_grid_has_its_nodes_and_edges(void** state) {
  (void)state;
  for (int nx = 2; nx <= 5; nx++)
    for (int ny = 2; ny <= 4; ny++) {
      char text[400];
      snprintf(text, sizeof text,
               "mesh(1).grid = [%d %d]; mesh(1).fixed = 'corners'; mesh(1).body.m = 0.1;\n"
               "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(2).spring.coeff = 10;",
               nx, ny);
      const compiled c = compile_text(text);
      const model_mesh* mesh = &c.m->mesh[0];
      assert_int_equal(mesh->nnode, nx * ny);
      assert_int_equal(mesh->nedge, (nx - 1) * ny + nx * (ny - 1));
      assert_int_equal(mesh->nfixed, 4);
      assert_int_equal(c.m->nvel, 3 * (nx * ny - 4));
      assert_int_equal(c.m->naxial, mesh->nedge);
      compiled_free(c);
    }
}

static void test_nodes_move_along_the_directions_that_are_free(void** state) {
  (void)state;
  const compiled c = compile_text(
      "mesh(1).node = [0 0 0; 1 0 0; 2 0 0]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1; "
      "mesh(1).body.m = 1;\n"
      "mesh(1).joint(1).tr.trans = [inf 0 inf]; mesh(1).joint(2).spring.coeff = 10;");
  assert_int_equal(c.m->nvel, 4);
  compiled_free(c);
}

static void test_six_coefficients_make_beams_and_orders_make_rods(void** state) {
  (void)state;
  const char* nodes =
      "mesh(1).node = [0 0 0; 0.5 0 0; 0.5 0.3 0]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1;\n"
      "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh(1).body(1).m = 0.01; mesh(1).body(1).I = 1e-5;\n"
      "mesh(1).joint(2).spring.coeff = [400 400 900 0.05 0.05 0.03];\n";
  char text[800];
  const compiled beams = compile_text(nodes);
  assert_int_equal(beams.m->nvel, 12);
  assert_int_equal(beams.m->nbeam + beams.m->nstrain, 2);
  snprintf(text, sizeof text,
           "%s mesh(1).body(2).m = 0.08; mesh(1).body(2).I = 1e-6; mesh(1).joint(2).rom.order = 2;",
           nodes);
  const compiled rods = compile_text(text);
  assert_int_equal(rods.m->mesh[0].nrod, 2);
  assert_int_equal(rods.m->nrod, 2);
  CHECK_NEAR(rods.m->rod[0].length, 0.5, 1e-15);
  CHECK_NEAR(rods.m->rod[1].length, 0.3, 1e-15);
  compiled_free(beams), compiled_free(rods);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_grid_has_its_nodes_and_edges),
      cmocka_unit_test(test_nodes_move_along_the_directions_that_are_free),
      cmocka_unit_test(test_six_coefficients_make_beams_and_orders_make_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
