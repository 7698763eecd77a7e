// Runs that no longer get on, on sequences of times and velocities that are made up.
#include <math.h>

#include "robot.h"
#include "solve/time/standstill.h"

#define PENDULUM                                                                             \
  "body(1).m = 1; body(1).l_com = [0 0 -1]; joint(1).second = 1; joint(1).tr.rot = [2 inf];" \
  "joint(1).dof(1).init = 1; par.t_final = 1;"

enum { POLE, EXPONENTIAL, SWING, EVEN };

// The velocity of each kind at a time; the pole is at 0.5.
static double velocity(int kind, double t) {
  switch (kind) {
    case POLE:
      return pow(0.5 - t, -1.4);
    case EXPONENTIAL:
      return exp(40 * t);
    case SWING:
      return 1e3 * sin(1e5 * t);
  }
  return 1;
}

// Looks 1000 attempts apart, each at `share` of the time left to 0.5.  Returns how many there were
// until the verdict, or 60.
static int looks_until_verdict(int kind, double share, td_standstill* s) {
  robot r = robot_open(PENDULUM);
  td_motion* m;
  assert_int_equal(td_motion_new(r.model, r.work, r.state, 1e-6, 1e-8, &m), TD_OK);
  double y[8] = {0}, t = 0.499;
  *s = (td_standstill){.t = t};
  int k = 1;
  for (; k < 60; k++) {
    t += share * (0.5 - t);
    r.state->v[0] = velocity(kind, t);
    td_state_copy(r.model, r.state, m->state);
    td_motion_pack(m, y);
    if (td_notice_standstill(s, m, t, y, 1000L * k, 1, 1) != TD_OK) break;
  }
  td_motion_free(m);
  robot_close(&r);
  return k;
}

static void a_velocity_that_goes_to_infinity_is_found(void** state) {
  (void)state;
  for (double share = 0.02; share < 0.6; share *= 1.7) {
    td_standstill s;
    assert_in_range(looks_until_verdict(POLE, share, &s), 5, 10);
    assert_true(s.blown);
    assert_int_equal(s.velocity, 0);
    CHECK_NEAR(s.pole, 0.5, 0.1 * (0.5 - s.t));  // of the time left: looks take means
  }
}

static void growth_swings_and_slow_progress_are_no_poles(void** state) {
  (void)state;
  for (int kind = EXPONENTIAL; kind <= EVEN; kind++) {
    td_standstill s;
    looks_until_verdict(kind, 0.1, &s);
    assert_false(s.blown);
  }
}

static void tiny_steps_and_none_are_a_standstill(void** state) {
  (void)state;
  td_standstill s;
  assert_in_range(looks_until_verdict(EVEN, 1e-6, &s), 5, 5);
  assert_true(s.still);
  assert_in_range(looks_until_verdict(EVEN, 0, &s), 1, 1);
  assert_true(s.still);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_velocity_that_goes_to_infinity_is_found),
      cmocka_unit_test(growth_swings_and_slow_progress_are_no_poles),
      cmocka_unit_test(tiny_steps_and_none_are_a_standstill),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
