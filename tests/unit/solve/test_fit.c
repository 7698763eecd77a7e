// Identification: exact recordings give exact parameters, whatever their kind; bounds, priors and
// masks do what they say.
#include "math/random.h"
#include "robot.h"
#include "tendril/estimate.h"
#include "tendril/tools.h"

#define MASS                                                                                       \
  "k = param('k', 80, [1 1000], 'log'); c = param('c', 1, [0 50]); x0 = param('x0', 0.05);"        \
  "F = input('F', 0); body(1).m = 2; body(1).I = zeros(3); joint(1).second = 1;"                   \
  "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F; joint(1).dof(1).spring.coeff = k;" \
  "joint(1).dof(1).damp.visc = c; joint(1).dof(1).init = x0;"                                      \
  "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1); par.rtol = 1e-10; par.atol = 1e-12;"

enum { ROWS = 41 };

// A motion of  2 x'' + 4 x' + 50 x = 3  from x = 0.2, v = 0 at rows that may be uneven and late
static void motion(double uneven, double delay, double* t, double* F, double* x) {
  const double w = sqrt(24), end = 3.0 / 50;
  for (int i = 0; i < ROWS; i++) {
    t[i] = 0.05 * i + uneven * (i % 2);
    const double s = fmax(t[i] - delay, 0);
    F[i] = 3;
    x[i] = end + (0.2 - end) * exp(-s) * (cos(w * s) + sin(w * s) / w);
  }
}

static td_fit_result* find(robot* r, const td_recordings* set, const char* const* names, int n,
                           td_status want) {
  int param[4];
  for (int i = 0; i < n; i++) param[i] = td_model_param_find(r->model, names[i]);
  td_fit_options o = td_fit_options_default();
  o.param = param;
  o.nparam = n;
  td_fit_result* fit = NULL;
  const td_status status = td_fit_params(r->model, r->work, set, &o, &fit);
  if (status != want) fail_msg("%s", td_work_failure(r->work));
  return fit;
}

static td_recordings* recorded(robot* r, td_recording rec) {
  td_recordings* set;
  char message[300] = "";
  assert_int_equal(td_recordings_new(r->model, &set), TD_OK);
  if (td_recordings_add(set, &rec, message, sizeof message) != TD_OK) fail_msg("%s", message);
  return set;
}

// Even and uneven rows, measured at once or late, from the initial state: interpolation of degree 5
// in quarters of 0.03 s leaves 1e-7 of the motion.
static void test_motions_are_found_exactly(void** state) {
  (void)state;
  static const struct {
    double uneven, delay, tol;
  } cases[] = {{0, 0, 1e-7}, {0.01, 0, 1e-5}, {0, 0.033, 1e-5}};
  static const char* const names[] = {"k", "c", "x0"};
  static const double truth[] = {50, 4, 0.2};
  for (int i = 0; i < 3; i++) {
    robot r = robot_open(MASS);
    double t[ROWS], F[ROWS], x[ROWS];
    motion(cases[i].uneven, cases[i].delay, t, F, x);
    const int zero = 0;
    td_recording rec = td_recording_default();
    rec.motion = true;
    rec.rows = ROWS;
    rec.t = t;
    rec.ninput = 1, rec.input = &zero, rec.inputs = F;
    rec.nsensor = 1, rec.sensor = &zero, rec.data = x;
    rec.delay = cases[i].delay;
    rec.start = TD_FROM_INITIAL;
    x[7] = NAN;  // not measured
    td_recordings* set = recorded(&r, rec);
    td_fit_result* fit = find(&r, set, names, 3, TD_OK);
    for (int j = 0; j < 3; j++) CHECK_NEAR(fit->value[j] / truth[j], 1, cases[i].tol);
    assert_int_equal(fit->residuals, ROWS - 1 - (cases[i].delay > 0));
    td_fit_free(fit);
    td_recordings_free(set);
    robot_close(&r);
  }
}

// A static recording in which a parameter has a column: x = F/k, k = 50 + c with c measured.
static void test_parameters_may_have_columns(void** state) {
  (void)state;
  robot r = robot_open(
      "k = param('k', 80); c = param('c', 1); F = input('F', 0); body(1).m = 2;"
      "body(1).I = zeros(3); joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
      "joint(1).dof(1).input = F; joint(1).dof(1).spring.coeff = k + c;"
      "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);");
  const int columns[2] = {0, -1 - td_model_param_find(r.model, "c")}, zero = 0;
  double inputs[8], x[4];
  for (int i = 0; i < 4; i++) {
    inputs[2 * i] = 1 + i, inputs[2 * i + 1] = 10 * i;
    x[i] = (1 + i) / (50 + 10.0 * i);
  }
  td_recording rec = td_recording_default();
  rec.rows = 4;
  rec.ninput = 2, rec.input = columns, rec.inputs = inputs;
  rec.nsensor = 1, rec.sensor = &zero, rec.data = x;
  td_recordings* set = recorded(&r, rec);
  static const char* const k = "k";
  td_fit_result* fit = find(&r, set, &k, 1, TD_OK);
  CHECK_NEAR(fit->value[0], 50, 1e-6);
  CHECK_NEAR(td_work_param(r.model, r.work, td_model_param_find(r.model, "c")), 1, 0);
  CHECK_NEAR(td_work_param(r.model, r.work, td_model_param_find(r.model, "k")), fit->value[0], 0);
  td_fit_free(fit);

  // the parameter of the column cannot be found
  static const char* const c = "c";
  assert_null(find(&r, set, &c, 1, TD_E_MODEL));
  td_recordings_free(set);
  robot_close(&r);
}

// The value at a bound is that of the bound, and the result says so.
static void test_a_range_holds_the_value(void** state) {
  (void)state;
  robot r = robot_open(
      "k = param('k', 80, [60 100]); F = input('F', 0); body(1).m = 2;"
      "body(1).I = zeros(3); joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];"
      "joint(1).dof(1).input = F; joint(1).dof(1).spring.coeff = k;"
      "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);");
  const double inputs[] = {1, 2, 3}, x[] = {0.02, 0.041, 0.06};
  const int zero = 0;
  td_recording rec = td_recording_default();
  rec.rows = 3;
  rec.ninput = 1, rec.input = &zero, rec.inputs = inputs;
  rec.nsensor = 1, rec.sensor = &zero, rec.data = x;
  td_recordings* set = recorded(&r, rec);
  static const char* const k = "k";
  td_fit_result* fit = find(&r, set, &k, 1, TD_OK);
  CHECK_NEAR(fit->value[0], 60, 0);
  assert_int_equal(fit->at_bound[0], -1);
  assert_non_null(strstr(fit->notes, "low end of its range"));
  td_fit_free(fit);
  td_recordings_free(set);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_motions_are_found_exactly),
                                     cmocka_unit_test(test_parameters_may_have_columns),
                                     cmocka_unit_test(test_a_range_holds_the_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
