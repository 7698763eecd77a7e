// Sensors: a probe for each number that an expression reads, outputs by name, events.
#include "compiled.h"

#define BODY \
  "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; "

static void test_three_numbers_of_a_place_are_three_probes_and_outputs(void** state) {
  (void)state;
  const compiled c =
      compile_text(BODY "sensor(1).name = 'tip'; sensor(1).value = 2*pos(body(1), [0 0 1]);");
  static const char* const names[] = {"tip_x", "tip_y", "tip_z"};
  assert_int_equal(c.m->nprobe, 3);
  assert_int_equal(c.m->noutput_name, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(c.m->probe[i].station, c.m->body[0].station);
    CHECK_NEAR(fixed_number(c.m, c.m->probe[i].point + 2), 1, 0);
    assert_string_equal(model_name(c.m, c.m->output_name[i]), names[i]);
  }
  compiled_free(c);
}

static void test_output_chooses_among_sensors(void** state) {
  (void)state;
  const compiled c = compile_text(
      BODY
      "sensor(1).name = 'a'; sensor(1).value = t; sensor(2).name = 'b'; sensor(2).value = 2*t;\n"
      "output = {'b', 'energy'};");
  assert_int_equal(c.m->noutput_name, 2);
  assert_string_equal(model_name(c.m, c.m->output_name[0]), "b");
  assert_string_equal(model_name(c.m, c.m->output_name[1]), "energy");
  compiled_free(c);
}

static void test_events_mark_or_stop(void** state) {
  (void)state;
  const compiled c = compile_text(BODY
                                  "event(1).when = t - 1; event(2).when = t - 2; event(2).then = "
                                  "'stop'; event(2).name = 'end';");
  assert_int_equal(c.m->nevent, 2);
  assert_false(c.m->event[0].stop);
  assert_true(c.m->event[1].stop);
  assert_string_equal(model_name(c.m, c.m->event[0].name), "event(1)");
  assert_string_equal(model_name(c.m, c.m->event[1].name), "end");
  compiled_free(c);
}

static void test_a_sensor_of_a_body_that_is_not_there_is_refused(void** state) {
  (void)state;
  compiled_free(refuse_text(BODY "sensor(1).name = 'p'; sensor(1).value = pos(body(3));",
                            "there is no body(3), the model has one"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_three_numbers_of_a_place_are_three_probes_and_outputs),
      cmocka_unit_test(test_output_chooses_among_sensors),
      cmocka_unit_test(test_events_mark_or_stop),
      cmocka_unit_test(test_a_sensor_of_a_body_that_is_not_there_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
