// The compiled model as a whole: settings, gravity, and which coordinates are integrated.
#include "compiled.h"

#define ARM                                                                                       \
  "for k = 1:3, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).first = k - 1; " \
  "joint(k).type = 'revolute'; end\n"

static void test_settings_are_those_of_par_or_their_defaults(void** state) {
  (void)state;
  const compiled plain = compile_text(ARM),
                 set = compile_text(ARM
                                    "par.t_init = 1; par.t_final = 4; par.dt_out = 0.5; par.rtol = "
                                    "1e-4; par.atol = 1e-5; par.step = 0.1; par.solver = 'stiff'; "
                                    "par.linear = 'sparse'; par.modal = 0; world.g = [0 0 -9.81];");
  static const double usual[6] = {0, 1, 0.01, 1e-6, 1e-9, 0.01},
                      own[6] = {1, 4, 0.5, 1e-4, 1e-5, 0.1};
  for (int i = 0; i < 6; i++) {
    CHECK_NEAR(plain.m->settings[i], usual[i], 0);
    CHECK_NEAR(set.m->settings[i], own[i], 0);
  }
  assert_true(plain.m->do_modal && !set.m->do_modal && set.m->do_equil);
  assert_int_equal(set.m->solver, td_solver_named("stiff"));
  assert_int_equal(set.m->linear, LINEAR_SPARSE);
  CHECK_NEAR(fixed_number(plain.m, plain.m->gravity + 2), 0, 0);
  CHECK_NEAR(fixed_number(set.m, set.m->gravity + 2), -9.81, 0);
  compiled_free(plain), compiled_free(set);
}

static void test_prescribed_coordinates_are_not_integrated(void** state) {
  (void)state;
  const compiled c = compile_text(ARM "joint(2).dof(1).motion = sin(t);");
  assert_int_equal(c.m->nvel, 3);
  assert_int_equal(c.m->nfree_v, 2);
  assert_int_equal(c.m->free_v[0], 0);
  assert_int_equal(c.m->free_v[1], 2);
  assert_true(c.m->hop[1].prescribed && !c.m->hop[0].prescribed && c.m->recursive);
  for (int i = 0; i < 3; i++) assert_int_equal(c.m->vel[i].hop, i);
  compiled_free(c);
}

// A coordinate that two bodies share belongs to the first of them, and the recursion over bodies
// does not apply.
static void test_a_shared_coordinate_has_one_owner(void** state) {
  (void)state;
  const compiled c = compile_text(ARM "joint(3).dof(1).equal2 = [1 1];");
  assert_int_equal(c.m->nvel, 2);
  assert_int_equal(c.m->vel[0].hop, 0);
  assert_false(c.m->recursive);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_settings_are_those_of_par_or_their_defaults),
      cmocka_unit_test(test_prescribed_coordinates_are_not_integrated),
      cmocka_unit_test(test_a_shared_coordinate_has_one_owner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
