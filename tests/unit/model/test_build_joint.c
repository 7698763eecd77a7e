// Joints as hops: how many coordinates and velocities each way of writing one has, and of which
// kinds they are.
#include "compiled.h"

typedef struct way {
  const char* text;
  int npos, nvel, nhop;
  hop_kind kind;  // of the first
} way;

static const way ways[] = {
    {"joint(1).type = 'revolute'; joint(1).axis = [0 1 0];", 1, 1, 1, HOP_SCREW},
    {"joint(1).type = 'prismatic'; joint(1).axis = [0 1 0];", 1, 1, 1, HOP_SCREW},
    {"joint(1).type = 'helical'; joint(1).axis = [0 1 0]; joint(1).pitch = 0.1;", 1, 1, 1,
     HOP_SCREW},
    {"joint(1).type = 'cylindrical'; joint(1).axis = [0 1 0];", 2, 2, 2, HOP_SCREW},
    {"joint(1).type = 'spherical';", 4, 3, 1, HOP_BALL},
    {"joint(1).tr(1).rot = [2 inf];", 1, 1, 1, HOP_SCREW},
    {"joint(1).tr(1).trans = [inf inf inf];", 3, 3, 1, HOP_MOVE},
    {"joint(1).tr(1).rot = [inf inf inf];", 3, 3, 1, HOP_CAYLEY},
};

static compiled with(const char* joint) {
  char text[500];
  snprintf(text, sizeof text, "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; %s", joint);
  return compile_text(text);
}

static void test_every_way_has_its_hops_and_coordinates(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const compiled c = with(ways[i].text);
    if (c.m->npos != ways[i].npos || c.m->nvel != ways[i].nvel || c.m->nhop != ways[i].nhop ||
        c.m->hop[0].kind != ways[i].kind)
      fail_msg("%s: %d positions, %d velocities, %d hops, kind %d", ways[i].text, c.m->npos,
               c.m->nvel, c.m->nhop, (int)c.m->hop[0].kind);
    compiled_free(c);
  }
}

static void test_a_type_turns_and_moves_as_its_name_says(void** state) {
  (void)state;
  const compiled revolute = with(ways[0].text), prismatic = with(ways[1].text),
                 helical = with(ways[2].text);
  assert_true(revolute.m->hop[0].turns && !revolute.m->hop[0].moves);
  assert_true(!prismatic.m->hop[0].turns && prismatic.m->hop[0].moves);
  assert_true(helical.m->hop[0].turns);
  CHECK_NEAR(fixed_number(helical.m, helical.m->hop[0].pitch), 0.1, 0);
  compiled_free(revolute), compiled_free(prismatic), compiled_free(helical);
}

// inf marks what moves, numbers stay: a rotation by 90 degrees before a slide is a fixed
// transformation.
static void test_numbers_in_a_transformation_are_fixed_and_inf_moves(void** state) {
  (void)state;
  const compiled c = with("joint(1).tr(1).rot = [1 pi/2]; joint(1).tr(2).trans = [0 0.3 inf];");
  assert_int_equal(c.m->nvel, 1);
  assert_true(c.m->nfix >= 1);
  bool quarter = false;
  for (int i = 0; i < c.m->nfix; i++)
    quarter = quarter || (c.m->fix[i].kind == ROT_PRINCIPAL && c.m->fix[i].axis == 0 &&
                          fabs(fixed_number(c.m, c.m->fix[i].rot) - 1.5707963267948966) < 1e-15);
  assert_true(quarter);
  compiled_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_way_has_its_hops_and_coordinates),
      cmocka_unit_test(test_a_type_turns_and_moves_as_its_name_says),
      cmocka_unit_test(test_numbers_in_a_transformation_are_fixed_and_inf_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
