// Pieces of rods: names and coordinates, loads and masses of quadrature points.
#include "compiled.h"

static compiled rod_with(const char* more) {
  char text[400];
  snprintf(text, sizeof text,
           "rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; "
           "rod(1).name = 'arm';\n%s",
           more);
  return compile_text(text);
}

// A load per length, summed over its points, is its integral: of 3 + 10 s over 0.4 m it is 2.
static void test_loads_add_up_to_their_integral(void** state) {
  (void)state;
  for (int k = 0; k < ROD_MODELS; k++) {
    char more[200];
    snprintf(more, sizeof more,
             "rod(1).model = '%s'; rod(1).joint.type = 'free'; rod(1).load = [0 0 3+10*s 0 0 0];",
             td_rod_models[k].name);
    const compiled c = rod_with(more);
    double sum = 0;
    for (int i = 0; i < c.m->nload; i++) {
      sum += fixed_number(c.m, c.m->load[i].wrench + 2);
      assert_int_equal(c.m->load[i].a, -1);  // along the axes of the world
    }
    CHECK_NEAR(sum, 2, 1e-13);
    compiled_free(c);
  }
  const compiled local = rod_with("rod(1).load = [0 0 1 0 0 0]; rod(1).load_frame = 'local';");
  for (int i = 0; i < local.m->nload; i++) assert_int_equal(local.m->load[i].a, local.m->load[i].b);
  compiled_free(local);
}

static void test_free_strains_have_a_coordinate_with_its_name(void** state) {
  (void)state;
  const compiled c = rod_with("rod(1).model = 'srl'; rod(1).n = 2; rod(1).modes = [0 0 0 1 1 0];");
  static const char* const names[] = {"arm[1].bend_x", "arm[1].bend_y", "arm[2].bend_x",
                                      "arm[2].bend_y"};
  assert_int_equal(c.m->nvel, 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(td_model_q_name(c.m, i), names[i]);
    assert_int_equal(c.m->vel[i].partner, i);
  }
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_add_up_to_their_integral),
      cmocka_unit_test(test_free_strains_have_a_coordinate_with_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
