// Recordings and priors of a text: names become inputs, params and sensors of the model, vector
// sensors all of their components, and what is not written has its default.
#include "compiled.h"
#include "model/fit_words.h"

#define MODEL                                                                                     \
  "k = param('k', 5); u = input('u', 0); body(1).m = 1; body(1).I = eye(3); joint(1).second = 1;" \
  "joint(1).tr(1).trans = [inf inf inf]; joint(1).dof(1).input = k*u;"                            \
  "sensor(1).name = 'tip'; sensor(1).value = pos(body(1)); sensor(2).name = 'x';"                 \
  "sensor(2).value = dof(joint(1), 1);\n"

static void test_words_are_resolved(void** state) {
  (void)state;
  const compiled c = compile_text(
      MODEL
      "fit(1).data = 'a.csv'; fit(1).kind = 'motion'; fit(1).input = {'u', 'u_N'};"
      "fit(1).sensor = {'x', 'x_m'; 'tip', 'm_*_mm'}; fit(1).weight = [2 3]; fit(1).delay = 0.1;"
      "fit(1).loss = 'huber'; fit(1).start = 'data'; fit(1).set = {'k', 7}; fit(1).name = 'one';"
      "fit(2).data = 'b.csv'; fit(2).sensor = {'tip', 'm'};"
      "prior(1).of = 'k'; prior(1).deviation = 2;");
  fit_words w;
  assert_int_equal(td_fit_count(c.spec), 2);
  assert_int_equal(td_fit_read(c.spec, c.m, 0, &w), TD_OK);
  assert_true(w.motion && w.huber && w.weighted && w.start == FIT_START_DATA);
  assert_string_equal(w.name, "one");
  assert_int_equal(w.nsensor, 4);
  static const char* const columns[] = {"x_m", "m_x_mm", "m_y_mm", "m_z_mm"};
  for (int i = 0; i < 4; i++) {
    assert_string_equal(w.sensor[i].column, columns[i]);
    CHECK_NEAR(w.sensor[i].weight, i == 0 ? 2 : 3, 0);
  }
  assert_int_equal(w.sensor[0].index, td_model_sensor_find(c.m, "x"));
  assert_int_equal(w.sensor[3].index, td_model_sensor_find(c.m, "tip_z"));
  assert_true(w.ninput == 1 && !w.input[0].is_param && w.input[0].index == 0);
  assert_true(w.nset == 1 && w.set[0].is_param);
  CHECK_NEAR(w.set[0].value, 7, 0);
  CHECK_NEAR(w.delay, 0.1, 0);
  td_fit_words_free(&w);

  // defaults
  assert_int_equal(td_fit_read(c.spec, c.m, 1, &w), TD_OK);
  assert_true(!w.motion && !w.huber && !w.weighted && w.start == FIT_START_EQUIL);
  assert_string_equal(w.sensor[1].column, "m_y");
  CHECK_NEAR(w.sensor[1].weight, 1, 0);
  assert_true(isinf(w.from) && isinf(w.to));
  td_fit_words_free(&w);
  prior_words p;
  assert_int_equal(td_prior_read(c.spec, c.m, 0, &p), TD_OK);
  CHECK_NEAR(p.mean, 5, 0);
  CHECK_NEAR(p.deviation, 2, 0);
  compiled_free(c);
}

static void test_names_that_are_not_there_are_told(void** state) {
  (void)state;
  static const said list[] = {
      {MODEL "fit(1).data = 'a'; fit(1).sensor = {'tap', 'm'};", 2, 37, "no sensor 'tap'"},
      {MODEL "fit(1).data = 'a'; fit(1).sensor = {'x', 'm'}; fit(1).input = {'v', 'm'};", 2, 64,
       "no input or param 'v'"},
      {MODEL "prior(1).of = 'j'; prior(1).deviation = 1;", 2, 15, "no param 'j'"}};
  EXPECT_MESSAGES(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_words_are_resolved),
                                     cmocka_unit_test(test_names_that_are_not_there_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
