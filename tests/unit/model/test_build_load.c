// External loads: a wrench on each element of a body, in the axes of the world or of a body.
#include "compiled.h"

#define BODIES                                                                                    \
  "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = 'free'; " \
  "end\n"

static void test_forces_and_moments_act_on_their_bodies(void** state) {
  (void)state;
  const compiled c = compile_text(BODIES "exload(1).exbody = 2; exload(1).ftau = [1 2 3 4 5 6];");
  assert_int_equal(c.m->nload, 1);
  assert_int_equal(c.m->load[0].a, -1);  // in the world's axes
  assert_int_equal(c.m->station[c.m->load[0].b].hop, c.m->station[c.m->body[1].station].hop);
  for (int i = 0; i < 6; i++) CHECK_NEAR(fixed_number(c.m, c.m->load[0].wrench + i), i + 1, 0);
  compiled_free(c);
}

static void test_a_load_in_the_axes_of_a_body_has_its_station(void** state) {
  (void)state;
  const compiled c =
      compile_text(BODIES "exload(1).exbody = 2; exload(1).refbody = 1; exload(1).ftau = [1 2 3];");
  assert_int_equal(c.m->load[0].a, c.m->body[0].station);
  for (int i = 0; i < 6; i++)
    CHECK_NEAR(fixed_number(c.m, c.m->load[0].wrench + i), i < 3 ? i + 1 : 0, 0);
  compiled_free(c);
}

static void test_the_ground_takes_no_load(void** state) {
  (void)state;
  compiled_free(refuse_text(BODIES "exload(1).exbody = 0; exload(1).ftau = [1 2 3];",
                            "exload(1).exbody is the ground: a load acts on a body"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_and_moments_act_on_their_bodies),
      cmocka_unit_test(test_a_load_in_the_axes_of_a_body_has_its_station),
      cmocka_unit_test(test_the_ground_takes_no_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
