// Settings of a run: the rules between them, with the place of each message.
#include "compiled.h"

#define ARM "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'free';\n"

static void test_settings_agree_with_each_other(void** state) {
  (void)state;
  static const said list[] = {
      {ARM "par.rtol = 1e-16;", 2, 12, "par.rtol must be at least"},
      {ARM "par.rtol = 2;", 2, 12, "par.rtol must be below 1, got 2"},
      {ARM "par.atol = 1e9;", 2, 12, "par.atol must be at most"},
      {ARM "par.t_init = 3; par.t_final = 2;", 2, 31, "must be later than t_init, got 2 s and 3 s"},
      {ARM "par.t_final = 1; par.dt_out = 5;", 2, 31, "longer than the simulation (1 s)"},
      {ARM "par.t_final = 1e4; par.step = 1e-9;", 2, 31, "are 1e+13 steps"},
  };
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_settings_agree_with_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
