// Spaces of strains whose rods follow parameters: a refined companion takes another length of a rod
// as the companion of the text with that length, also where parts are cut into stretches; what only
// a companion settles stays free in the model.
#include "check.h"
#include "model/model.h"
#include "solve/accuracy/bars.h"
#include "tendril/accuracy.h"

typedef struct barred {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_bars* bars;
} barred;

// The rod of a text, whose parameter p has this value in the text.
static barred barred_new(const char* text, double p) {
  barred r = {.spec = td_spec_new()};
  char first[80];
  snprintf(first, sizeof first, "p = param('p', %.17g);\n", p);
  assert_int_equal(td_spec_load_string(r.spec, "p", first), TD_OK);
  assert_int_equal(td_spec_load_string(r.spec, "rod", text), TD_OK);
  if (td_model_compile(r.spec, &r.model) != TD_OK) fail_msg("%s", td_spec_messages(r.spec));
  assert_int_equal(td_bars_new(r.spec, r.model, &r.bars), TD_OK);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  return r;
}

static void barred_free(barred* r) {
  td_bars_free(r->bars);
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

// Sensors and their bars at the equilibrium.
static void rest(barred* r, double* values, double* error) {
  td_equil_result result;
  assert_int_equal(td_state_initial(r->model, r->work, r->state), TD_OK);
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, NULL, &result), TD_OK);
  assert_int_equal(td_sensors(r->model, r->state, r->work, values), TD_OK);
  assert_int_equal(td_bars_equilibrium(r->bars, r->work, r->state, &result, error), TD_OK);
}

#define ROD                                                                                  \
  "world.g = [0 0 -9.81]; rod(1).length = p; rod(1).radius = 0.01 - 0.01*s; rod(1).E = 2e6;" \
  "rod(1).rho = 1000; rod(1).tr.rot = [1 2]; sensor(1).name = 'tip'; sensor(1).value = "     \
  "pos(rod(1)); "

static void test_a_companion_takes_another_length(void** state) {
  (void)state;
  static const char* const texts[] = {
      ROD,
      ROD
      "rod(1).elements = 2; rod(1).order = 1; exload(1).exbody = at(rod(1), 0.3*p); "
      "exload(1).ftau = [0.02 0.01 0 0 0 0];",
      ROD
      "rod(1).basis = 'linear'; rod(1).elements = 3; cable(1).path = [0.005 0]; "
      "cable(1).to = 0.6*p; cable(1).tension = 0.5;",
      ROD "rod(1).model = 'ebr'; rod(1).n = 4;",
  };
  for (int k = 0; k < 4; k++) {
    double a[3], b[3], bar_a[3], bar_b[3];
    barred one = barred_new(texts[k], 0.3), two = barred_new(texts[k], 0.25);
    assert_int_equal(td_work_set_param(one.model, one.work, 0, 0.25), TD_OK);
    rest(&one, a, bar_a);
    rest(&two, b, bar_b);
    const char* reasons;
    td_bars_trust(one.bars, &reasons);
    for (int i = 0; i < 3; i++) {
      if (!(bar_a[i] > 0)) fail_msg("text %d: %s", k, reasons);
      CHECK_NEAR(a[i], b[i], 1e-9);
      CHECK_NEAR(bar_a[i], bar_b[i], 1e-8);
    }
    barred_free(&one);
    barred_free(&two);
  }
}

// A place in metres is a cut of the companion, which moves against its part: of other lengths there
// are no bars, and the reason names the parameter.
static void test_a_cut_that_moves_is_told(void** state) {
  (void)state;
  double a[3], error[3];
  const char* reasons;
  barred r = barred_new(
      ROD "exload(1).exbody = at(rod(1), 0.1); exload(1).ftau = [0.02 0.01 0 0 0 0];", 0.3);
  assert_false(r.model->param[0].structural);
  assert_true(r.bars->fine && r.bars->fine->model->param[0].structural);
  rest(&r, a, error);
  assert_true(error[0] > 0);

  // the model itself takes it, compiled again as well
  td_model* again = NULL;
  assert_int_equal(td_work_set_param(r.model, r.work, 0, 0.301), TD_OK);
  assert_int_equal(td_model_compile(r.spec, &again), TD_OK);
  assert_false(again->param[0].structural);
  td_model_free(again);
  rest(&r, a, error);
  assert_true(isnan(error[0]));
  assert_int_equal(td_bars_trust(r.bars, &reasons), TD_TRUST_LOOK);
  assert_non_null(strstr(reasons, "parameter 'p' was used while loading"));
  barred_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_companion_takes_another_length),
      cmocka_unit_test(test_a_cut_that_moves_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
