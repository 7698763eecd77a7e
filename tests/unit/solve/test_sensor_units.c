// Units of sensors, as result files have them.
#include "robot.h"
#include "tendril/tools.h"

static void test_sensors_have_the_unit_of_what_they_measure(void** state) {
  (void)state;
  robot r = robot_open(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = [2 inf];"
      "joint(1).tr(2).trans = [inf 0 0]; p = pos(body(1)); a = dof(joint(1), 1);"
      "sensor(1).name = 'p'; sensor(1).value = p(1); sensor(2).name = 'a'; sensor(2).value = a;"
      "sensor(3).name = 'rate'; sensor(3).value = ddof(joint(1), 1);"
      "sensor(4).name = 'speed'; sensor(4).value = vel(body(1))(3);"
      "sensor(5).name = 'error'; sensor(5).value = 0.2 - p(1);"
      "sensor(6).name = 'gap'; sensor(6).value = p(1) - p(3);"
      "sensor(7).name = 'slide'; sensor(7).value = dof(joint(1), 2);"
      "sensor(8).name = 'E'; sensor(8).value = energy();"
      "sensor(9).name = 'mm'; sensor(9).value = 1000*p(1);"
      "sensor(10).name = 'mixed'; sensor(10).value = p(1) - a;"
      "sensor(11).name = 'sine'; sensor(11).value = sin(a);");
  const char* want[] = {"m", "rad", "rad/s", "m/s", "m", "m", "m", "J", "", "", ""};
  assert_int_equal(r.n.nsensor, 11);
  for (int i = 0; i < 11; i++) assert_string_equal(td_model_sensor_unit(r.model, i), want[i]);
  assert_string_equal(td_model_sensor_unit(r.model, 11), "");
  assert_string_equal(td_model_sensor_unit(r.model, -1), "");
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sensors_have_the_unit_of_what_they_measure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
