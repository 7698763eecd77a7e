// Fluids: what rods and bodies displace, and drag of the edges of meshes.
#include "compiled.h"

static void test_a_rod_displaces_its_volume_in_every_model(void** state) {
  (void)state;
  for (int k = 0; k < ROD_MODELS; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "fluid.rho = 1000; rod(1).model = '%s'; rod(1).n = 5; rod(1).length = 0.3; "
             "rod(1).radius = 0.01; rod(1).E = 1e5;\n"
             "rod(1).rho = 1100; rod(1).joint.type = 'free';",
             td_rod_models[k].name);
    const compiled c = compile_text(text);
    double sum = 0;
    for (int i = 0; i < c.m->nwet; i++) sum += fixed_number(c.m, c.m->wet[i].displaced);
    CHECK_NEAR(sum / (1000 * 3.141592653589793 * 1e-4 * 0.3), 1, 1e-12);
    compiled_free(c);
  }
}

static void test_a_body_displaces_what_is_written(void** state) {
  (void)state;
  const compiled c = compile_text(
      "fluid.rho = 1000; body(1).m = 2; body(1).I = 0.01*eye(3); joint(1).second = 1; "
      "joint(1).type = 'free';\n"
      "body(1).fluid.volume = 1.9e-3; body(1).fluid.added_mass = diag([1 1 1 0 0 0]);");
  assert_int_equal(c.m->nwet, 1);
  CHECK_NEAR(fixed_number(c.m, c.m->wet[0].displaced), 1.9, 1e-15);
  assert_true(c.m->has_added && c.m->wet[0].drag == NUM_NONE);
  compiled_free(c);
}

static void test_edges_of_a_mesh_have_drag(void** state) {
  (void)state;
  const compiled c = compile_text(
      "fluid.rho = 1.2; fluid.velocity = [4 0 0]; mesh(1).grid = [3 3]; mesh(1).fixed = 'corners'; "
      "mesh(1).body.m = 1e-3;\n"
      "mesh(1).joint(2).spring.coeff = 100; mesh(1).fluid.width = 0.02;");
  assert_int_equal(c.m->ndrag, c.m->mesh[0].nedge);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rod_displaces_its_volume_in_every_model),
      cmocka_unit_test(test_a_body_displaces_what_is_written),
      cmocka_unit_test(test_edges_of_a_mesh_have_drag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
