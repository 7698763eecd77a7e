// The listings as the papers print them: springs and masses at segment ends are of first order,
// where `rod` with the same number of segments is of second; the printed polynomials, which have no
// strain at the base, stretch with an error of exactly 1/(n+1)².
#include "check.h"
#include "tendril/tendril.h"

// A silicone cantilever along z under gravity along -x: L = 0.3 m, r = 15 mm, E = 1 MPa.
static const char cantilever[] =
    "mdl = param('model', 'srl'); n = param('n', 5);\n"
    "L = 0.3; r = 0.015; E = 1e6; G = E/3; A = pi*r^2; J = pi*r^4/4; l = L/n;\n"
    "world.g = [-9.81 0 0];\n"
    "body(1).m = 1000*A*l; body(1).I = 1000*l*J*diag([1 1 2]); body(1).tip = [0 0 l];\n"
    "K = [G*A G*A E*A E*J E*J 2*G*J]/l;\n"
    "if strcmp(mdl, 'eba')\n"
    "  joint(1).second = [1 1:n]; joint(1).tr(1).trans = [inf inf inf];\n"
    "  joint(1).tr(1).rot = [0 inf inf inf]; joint(1).dof(3).init = (1:n)'*l;\n"
    "  joint(2).first = [1 0:n-1]; joint(2).second = [1 1:n];\n"
    "  joint(2).spring.coeff = K; joint(2).spring.init = [0 0 nan 0 0 0];\n"
    "else\n"
    "  joint(1).first = [1 0:n-1]; joint(1).second = [1 1:n];\n"
    "  joint(1).tr(1).trans = [0 0 l]; joint(1).tr(2).trans = [inf inf inf]; order = 1:6;\n"
    "  if strcmp(mdl, 'srl')\n"
    "    joint(1).tr(2).rot = [3 inf]; joint(1).tr(3).rot = [1 inf]; joint(1).tr(4).rot = [2 "
    "inf];\n"
    "    order = [1 2 3 6 4 5];\n"
    "  else\n"
    "    joint(1).tr(2).rot = [inf inf inf];\n"
    "  end\n"
    "  for i = 1:6, joint(1).dof(i).spring.coeff = K(order(i)); end\n"
    "end\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(body(1), n);\n";

static td_model* load(const char* text, const char* model, int n) {
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  char number[16];
  snprintf(number, sizeof number, "%d", n);
  if (model) td_spec_override(spec, "model", model);
  td_spec_override(spec, "n", number);
  td_spec_load_string(spec, "printed.m", text);
  if (td_model_compile(spec, &m) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  return m;
}

static void equilibrium(const char* text, const char* model, int n, double tip[3]) {
  td_model* m = load(text, model, n);
  td_work* work = td_work_new(m);
  td_state* state = td_state_new(m);
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  assert_int_equal(td_state_initial(m, work, state), TD_OK);
  assert_int_equal(td_equilibrium(m, work, state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(m, state, work, tip), TD_OK);
  td_state_free(state);
  td_work_free(work);
  td_model_free(m);
}

static void printed_listings_are_of_first_order(void** state) {
  (void)state;
  static const char* const models[] = {"srl", "ebr", "eba"};
  static const int n[] = {5, 10, 20, 40};
  for (int k = 0; k < 3; k++) {
    double error[4];
    for (int i = 0; i < 4; i++) {
      double tip[3];
      equilibrium(cantilever, models[k], n[i], tip);
      error[i] = hypot(tip[0] + 0.144042501463, tip[2] - 0.257592746957) / 0.3;
    }
    const double slope = log(error[0] / error[3]) / log(8);
    printf("printed %s, tip error/L at n = 5, 10, 20, 40: %.1e %.1e %.1e %.1e, slope %.2f\n",
           models[k], error[0], error[1], error[2], error[3], slope);
    assert_true(fabs(slope - 1) < 0.15);
  }
}

// A pull F along a rod whose strain is a polynomial p of degree n with p(0) = 0: the best such p
// for the constant F/EA leaves 1/(n+1)² of the elongation.
static const char pulled[] =
    "n = param('n', 1); L = 0.3; EA = 700;\n"
    "body(1).m = 1e-6; body(1).I = 1e-6*eye(3); joint(1).second = [1 L];\n"
    "joint(1).rom.order = n; joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf inf "
    "inf];\n"
    "joint(1).spring.coeff = [200 200 EA 0.04 0.04 0.02];\n"
    "exload(1).exbody = [1 L]; exload(1).ftau = [0 0 7 0 0 0];\n"
    "body(2).m = 1e-6; body(2).I = 1e-6*eye(3); joint(2).first = [1 L]; joint(2).second = 2;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(body(2));\n";

static void printed_polynomials_stretch_with_an_error_of_second_order(void** state) {
  (void)state;
  for (int n = 1; n <= 8; n++) {
    double tip[3];
    equilibrium(pulled, NULL, n, tip);
    const double full = 0.3 * 7 / 700, error = 1 - (tip[2] - 0.3) / full;
    CHECK_NEAR(error * (n + 1) * (n + 1), 1, 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed_listings_are_of_first_order),
      cmocka_unit_test(printed_polynomials_stretch_with_an_error_of_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
