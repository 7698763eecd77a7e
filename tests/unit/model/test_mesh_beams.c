// Beams of a mesh in the middle frame: K = l Q diag(k) Q' with the axes of the edge, shared by
// edges with the same vector.
#include "compiled.h"

static const double k[6] = {10, 20, 30, 1, 2, 3};

static void check_edge(const td_model* m, int e, const int axis[3], double l) {
  const num at = m->strain[e].section;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double want = 0;
      for (int c = 0; c < 3; c++)
        if (i == j && axis[c] == i % 3) want = l * k[i / 3 * 3 + c];
      CHECK_NEAR(fixed_number(m, at + SECTION_K + 6 * i + j), want, 1e-13);
    }
  CHECK_NEAR(fixed_number(m, at + SECTION_LENGTH), l, 1e-15);
}

static void test_the_stiffness_is_turned_into_the_axes_of_the_mesh(void** state) {
  (void)state;
  const compiled c = compile_text(
      "mesh(1).node = [0 0 0; 0 0 0.5; 0.3 0 0.5; 0.6 0 0.5]; mesh(1).edge = [1 2; 2 3; 3 4]; "
      "mesh(1).fixed = 1; mesh(1).body.m = 1; mesh(1).body.I = eye(3);\n"
      "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh(1).joint(2).spring.coeff = [10 20 30 1 2 3]; mesh(1).joint(2).beam.frame = 'mid'; "
      "mesh(1).joint(2).xaxis = [1 0 1; 0 1 0; 0 1 0];");
  assert_int_equal(c.m->nstrain, 3);
  check_edge(c.m, 0, (int[]){0, 1, 2}, 0.5);  // along z, its x axis along x
  check_edge(c.m, 1, (int[]){1, 2, 0}, 0.3);  // along x, its x axis along y
  compiled_free(c);
}

static void test_edges_with_the_same_vector_share_their_numbers(void** state) {
  (void)state;
  const compiled c = compile_text(
      "mesh(1).grid = [4 1]; mesh(1).size = 0.6; mesh(1).body.m = 1; mesh(1).body.I = eye(3);\n"
      "mesh(1).joint(1).tr.trans = [inf inf inf]; mesh(1).joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh(1).joint(2).spring.coeff = [10 20 30 1 2 3]; mesh(1).joint(2).beam.frame = 'mid';");
  for (int e = 1; e < 3; e++) assert_int_equal(c.m->strain[e].section, c.m->strain[0].section);
  static const said parallel[] = {
      {"mesh(1).grid = 2; mesh(1).body.m = 1; mesh(1).body.I = eye(3);\n"
       "mesh(1).joint(1).tr.rot = [0 inf inf inf]; mesh(1).joint(2).beam.frame = 'mid';\n"
       "mesh(1).joint(2).spring.coeff = [1 1 1 1 1 1]; mesh(1).joint(2).xaxis = [2 0 0];",
       3, 73, "xaxis must not be parallel to the edge"}};
  EXPECT_MESSAGES(parallel);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_stiffness_is_turned_into_the_axes_of_the_mesh),
      cmocka_unit_test(test_edges_with_the_same_vector_share_their_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
