// Arc lengths that follow parameters, on a straight rod: places in metres stay, shares of the
// length move along, and the weights of the quadrature grow with the rod, in every rod model.
#include "check.h"
#include "tendril/tendril.h"

static void test_places_and_weights_of_a_longer_rod(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "rom", "srl", "ebr", "eba"};
  for (int k = 0; k < 5; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "p = param('p', 0.3); rod(1).model = '%s'; rod(1).n = 3; rod(1).length = p; "
             "rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"
             "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) pos(rod(1), 0.55*p) "
             "pos(rod(1), 0.13) com];\n",
             models[k]);
    td_spec* spec = td_spec_new();
    td_model* model = NULL;
    assert_int_equal(td_spec_load_string(spec, "rod", text), TD_OK);
    if (td_model_compile(spec, &model) != TD_OK) fail_msg("%s", td_spec_messages(spec));
    td_work* work = td_work_new(model);
    td_state* at = td_state_new(model);
    for (int i = 0; i < 2; i++) {
      const double p = i == 0 ? 0.3 : 0.305;
      double y[12];
      assert_int_equal(td_work_set_param(model, work, 0, p), TD_OK);
      assert_int_equal(td_state_initial(model, work, at), TD_OK);
      assert_int_equal(td_sensors(model, at, work, y), TD_OK);
      CHECK_NEAR(y[2], p, 1e-14);
      CHECK_NEAR(y[5], 0.55 * p, 1e-14);
      CHECK_NEAR(y[8], 0.13, 1e-14);
      CHECK_NEAR(y[11], 0.5 * p, 1e-14);
    }
    td_state_free(at);
    td_work_free(work);
    td_model_free(model);
    td_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_places_and_weights_of_a_longer_rod)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
