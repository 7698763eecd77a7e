// The live model without a browser: pace, knobs, hands, and what happens when the text is wrong.
#include <cjson/cJSON.h>
#include <unistd.h>

#include "check.h"
#include "view/live.h"

// A mass on a spring, much damped; z is the first sensor.
static const char mass[] =
    "k = param('k', 100); n = param('n', 1); u = input('push', 0); world.g = [0 0 -9.81];\n"
    "for i = 1:n, body(i).m = 1; joint(i).second = i; joint(i).tr(1).trans "
    "= "
    "[0 0 inf];\n"
    "joint(i).dof(1).spring.coeff = k; joint(i).dof(1).damp.visc = 20; joint(i).dof(1).input = u; "
    "end\n"
    "sensor(1).name = 'z'; sensor(1).value = dof(joint(1), 1);\n";

static double sensor(td_live* l) {
  float* frame = calloc((size_t)td_live_count(l), sizeof *frame);
  td_live_frame(l, frame);
  const double z = (double)frame[4];
  free(frame);
  return z;
}

static double shown_time(td_live* l) {
  float* frame = calloc((size_t)td_live_count(l), sizeof *frame);
  td_live_frame(l, frame);
  const double t = (double)frame[1];
  free(frame);
  return t;
}

static void settle(td_live* l) {
  for (int i = 0; i < 180; i++) td_live_advance(l, 1.0 / 60, 10);
  assert_string_equal(td_live_trouble(l), "");
}

static td_live* live_of(const char* text) {
  td_live* l = td_live_new("mass.m", text, NULL, 0, false);
  assert_non_null(l);
  if (!td_live_load(l)) {
    print_error("%s\n", td_live_errors(l));
    fail();
  }
  return l;
}

// Whatever steps the solver takes, a picture is at the time it is asked for.
static void time_goes_in_equal_steps(void** state) {
  (void)state;
  td_live* l = live_of(mass);
  for (int i = 1; i <= 90; i++) {
    td_live_advance(l, 1.0 / 60, 10);
    CHECK_NEAR(shown_time(l), i / 60.0, 1e-6);
  }
  td_live_free(l);
}

static void knobs_move_the_equilibrium(void** state) {
  (void)state;
  td_live* l = live_of(mass);
  settle(l);
  CHECK_NEAR(sensor(l), -9.81 / 100, 1e-4);
  assert_true(td_live_set_param(l, "k", 200));
  settle(l);
  CHECK_NEAR(sensor(l), -9.81 / 200, 1e-4);
  assert_true(td_live_set_input(l, "push", 5));
  settle(l);
  CHECK_NEAR(sensor(l), (5 - 9.81) / 200, 1e-4);
  td_live_reset(l);
  CHECK_NEAR(shown_time(l), 0, 0);
  settle(l);
  CHECK_NEAR(sensor(l), (5 - 9.81) / 200, 1e-4);  // knobs stay where they are
  assert_false(td_live_set_param(l, "nothing", 1));
  assert_false(td_live_set_param(l, "k", NAN));
  assert_false(td_live_set_input(l, "nothing", 1));
  td_live_free(l);
}

// A parameter that decides how many bodies there are loads the text again, with the other values
// kept.
static void structure_can_be_turned_too(void** state) {
  (void)state;
  td_live* l = live_of(mass);
  const int serial = td_live_serial(l), before = td_live_count(l);
  assert_true(td_live_set_param(l, "k", 150));
  assert_true(td_live_set_param(l, "n", 3));
  assert_true(td_live_serial(l) > serial && td_live_count(l) > before);
  settle(l);
  CHECK_NEAR(sensor(l), -9.81 / 150, 1e-4);
  td_live_free(l);
}

// In the middle between the two springs.
static void a_hand_pulls_and_lets_go(void** state) {
  (void)state;
  td_live* l = live_of(mass);
  const double here[3] = {0, 0, 0}, there[3] = {0, 0, 0.5};
  settle(l);
  const double rest = sensor(l);
  assert_false(td_live_pull(l, there));  // nothing is held
  assert_false(td_live_grip(l, 100000, here, 1));
  assert_true(td_live_grip(l, 0, here, 1));
  assert_true(td_live_pull(l, there));
  settle(l);
  const double hand = 1 * pow(2 * 2 * acos(-1), 2);  // m (2 pi 2 Hz)^2
  CHECK_NEAR(sensor(l), (hand * 0.5 - 9.81) / (hand + 100), 1e-4);
  assert_true(td_live_grip(l, -1, here, 0));
  settle(l);
  CHECK_NEAR(sensor(l), rest, 1e-4);
  td_live_free(l);
}

static void the_message_about_a_model_is_json(void** state) {
  (void)state;
  td_live* l = live_of(mass);
  td_text out = {0};
  assert_true(td_live_describe(l, &out));
  cJSON* o = cJSON_Parse(out.s);
  assert_non_null(o);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "params")), 2);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "inputs")), 1);
  assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "scene"), "groups"));
  cJSON_Delete(o);
  td_text_free(&out);
  td_live_free(l);
}

static void put_file(const char* path, const char* text) {
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void a_file_is_followed_and_errors_leave_the_last_model(void** state) {
  (void)state;
  char path[] = "/tmp/tendril-live-XXXXXX";
  assert_true(mkstemp(path) >= 0);
  put_file(path, mass);
  td_live* l = td_live_new(path, NULL, NULL, 0, false);
  assert_true(td_live_load(l));
  assert_false(td_live_changed(l));
  // a file that is being written is not read: at first it is empty, then half of it is there
  put_file(path, "");
  assert_false(td_live_changed(l));
  put_file(path, "body(1).m = 1;\n");
  assert_false(td_live_changed(l));
  put_file(path, "body(1).m = 1;\njoint(1).sprng.coeff = 4;\n");
  assert_false(td_live_changed(l));
  assert_true(td_live_changed(l));
  assert_false(td_live_load(l));
  assert_non_null(strstr(td_live_errors(l), "^~~~~ did you mean 'spring'?"));
  assert_true(td_live_ready(l));
  settle(l);
  assert_false(td_live_changed(l));
  unlink(path);
  assert_false(td_live_changed(l));
  assert_true(td_live_changed(l));
  assert_false(td_live_load(l));
  put_file(path, mass);
  assert_false(td_live_changed(l));
  assert_true(td_live_changed(l));
  assert_true(td_live_load(l));
  assert_string_equal(td_live_errors(l), "");
  unlink(path);
  td_live_free(l);
}

// A spring of negative stiffness runs away: the view says so and stands still, and can be reset.
static void a_model_that_runs_away_stops(void** state) {
  (void)state;
  td_live* l = live_of(
      "k = param('k', -1e9); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 "
      "0];\n"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).init = 1; sensor(1).name = 'x'; "
      "sensor(1).value = dof(joint(1), 1);\n");
  for (int i = 0; i < 600 && !*td_live_trouble(l); i++) td_live_advance(l, 1.0 / 60, 10);
  assert_true(*td_live_trouble(l));
  assert_false(td_live_running(l));
  td_live_reset(l);
  assert_string_equal(td_live_trouble(l), "");
  td_live_free(l);
}

// The value of an input as the page is told it.
static double told_input(td_live* l) {
  td_text out = {0};
  assert_true(td_live_describe(l, &out));
  cJSON* o = cJSON_Parse(out.s);
  const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "inputs"), 0);
  const double x = cJSON_GetNumberValue(cJSON_GetObjectItem(first, "value"));
  cJSON_Delete(o);
  td_text_free(&out);
  return x;
}

// An input starts where the text or --set has it, and stays where somebody has moved it: over a
// reset, a parameter that loads the text again, and a change of the text.
static void inputs_start_at_their_defaults(void** state) {
  (void)state;
  static const char text[] =
      "n = param('n', 1); u = input('u', %g); for i = 1:n, body(i).m = 1; joint(i).second = i;\n"
      "joint(i).tr(1).trans = [inf 0 0]; joint(i).dof(1).spring.coeff = 100;\n"
      "joint(i).dof(1).damp.visc = 20; joint(i).dof(1).input = u; end\n"
      "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);\n";
  char path[] = "/tmp/tendril-live-XXXXXX", whole[600];
  assert_true(mkstemp(path) >= 0);
  snprintf(whole, sizeof whole, text, 7.0);
  put_file(path, whole);
  td_live* l = td_live_new(path, NULL, NULL, 0, false);
  assert_true(td_live_load(l));
  CHECK_NEAR(told_input(l), 7, 0);
  settle(l);
  CHECK_NEAR(sensor(l), 7.0 / 100, 1e-4);
  td_live_reset(l);
  CHECK_NEAR(told_input(l), 7, 0);
  assert_true(td_live_set_param(l, "n", 2));
  CHECK_NEAR(told_input(l), 7, 0);
  snprintf(whole, sizeof whole, text, 9.0);
  put_file(path, whole);
  assert_true(td_live_load(l));
  CHECK_NEAR(told_input(l), 9, 0);  // nobody has moved it: the text decides

  assert_true(td_live_set_input(l, "u", -4));
  td_live_reset(l);
  CHECK_NEAR(told_input(l), -4, 0);
  settle(l);
  CHECK_NEAR(sensor(l), -4.0 / 100, 1e-4);
  assert_true(td_live_set_param(l, "n", 1));
  CHECK_NEAR(told_input(l), -4, 0);
  snprintf(whole, sizeof whole, text, 5.0);
  put_file(path, whole);
  assert_true(td_live_load(l));
  CHECK_NEAR(told_input(l), -4, 0);
  td_live_free(l);

  const char* const set[] = {"u=3"};
  l = td_live_new(path, NULL, set, 1, false);
  assert_true(td_live_load(l));
  CHECK_NEAR(told_input(l), 3, 0);
  td_live_reset(l);
  settle(l);
  CHECK_NEAR(sensor(l), 3.0 / 100, 1e-4);
  td_live_free(l);
  unlink(path);
}

// A force that grows beyond all bounds at 0.1 s stops the model; the mended text runs, unless
// somebody has paused it meanwhile.
static void a_mended_model_runs_again(void** state) {
  (void)state;
  static const char text[] =
      "u = input('u', 1); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
      "joint(1).dof(1).input = u + %s;\n";
  char path[] = "/tmp/tendril-live-XXXXXX", whole[300];
  assert_true(mkstemp(path) >= 0);
  for (int paused = 0; paused < 2; paused++) {
    snprintf(whole, sizeof whole, text, "1/(t - 0.1)");
    put_file(path, whole);
    td_live* l = td_live_new(path, NULL, NULL, 0, false);
    assert_true(td_live_load(l));
    for (int i = 0; i < 60 && !*td_live_trouble(l); i++) td_live_advance(l, 1.0 / 60, 10);
    assert_true(*td_live_trouble(l));
    assert_false(td_live_running(l));
    if (paused) td_live_run(l, false);
    snprintf(whole, sizeof whole, text, "1/(t + 0.1)");
    put_file(path, whole);
    assert_true(td_live_load(l));
    assert_string_equal(td_live_trouble(l), "");
    assert_int_equal(td_live_running(l), !paused);
    td_live_free(l);
  }
  unlink(path);
}

// Inputs that jump, one-sided contacts, prescribed motion, nothing to integrate.
static void models_of_all_kinds_run(void** state) {
  (void)state;
  static const char* const texts[] = {
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input "
      "= "
      "10*(t > .5) - 5*(t > 1);\n",
      "world.g = [0 0 -9.81]; body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [0 0 "
      "inf]; "
      "joint(1).dof(1).init = .2;\njoint(2).second = 1; joint(2).spring.coeff = [0 0 1e4 0 0 0]; "
      "joint(2).dir = [0 0 -1];\n",
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; "
      "joint(1).dof(1).motion = "
      "sin(3*t);\n",
      "rod(1).length = .2; rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).n = 4;\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    td_live* l = live_of(texts[i]);
    for (int k = 0; k < 120; k++) td_live_advance(l, 1.0 / 60, 10);
    assert_string_equal(td_live_trouble(l), "");
    CHECK_NEAR(shown_time(l), 2, 1e-5);
    td_live_free(l);
  }
}

// Ranges of the model are those of the sliders, and values outside are not taken; an internal state
// runs along.
static void ranges_are_told_and_kept(void** state) {
  (void)state;
  td_live* l = live_of(
      "k = param('k', 100, [50 400], 'log'); u = input('push', 0, [-5 5]);\n"
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf];\n"
      "f = internal('f', 0); dynamics(1).of = 'f'; dynamics(1).rate = (u - f)/0.1;\n"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = 20; joint(1).dof(1).input = "
      "f;\n"
      "sensor(1).name = 'z'; sensor(1).value = dof(joint(1), 1);\n");
  td_text out = {0};
  assert_true(td_live_describe(l, &out));
  assert_non_null(strstr(out.s, "\"low\":50,\"high\":400,\"log\":true"));
  assert_non_null(strstr(out.s, "\"low\":-5,\"high\":5,\"log\":false"));
  td_text_free(&out);
  assert_false(td_live_set_param(l, "k", 500));
  assert_false(td_live_set_input(l, "push", -6));
  assert_true(td_live_set_param(l, "k", 200));
  assert_true(td_live_set_input(l, "push", 4));
  settle(l);
  CHECK_NEAR(sensor(l), 4.0 / 200, 1e-5);
  td_live_free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_are_told_and_kept),
      cmocka_unit_test(time_goes_in_equal_steps),
      cmocka_unit_test(knobs_move_the_equilibrium),
      cmocka_unit_test(structure_can_be_turned_too),
      cmocka_unit_test(a_hand_pulls_and_lets_go),
      cmocka_unit_test(the_message_about_a_model_is_json),
      cmocka_unit_test(a_file_is_followed_and_errors_leave_the_last_model),
      cmocka_unit_test(a_model_that_runs_away_stops),
      cmocka_unit_test(inputs_start_at_their_defaults),
      cmocka_unit_test(a_mended_model_runs_again),
      cmocka_unit_test(models_of_all_kinds_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
