// Cables: the actuation column is the derivative of the length, tensions by length, friction,
// cables that end inside a segment, spans over pulleys.
#include "../engine/robots.h"

#define SILICONE                                                                                  \
  "rod(1).model = 'ebr'; rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho " \
  "= 1000; rod(1).eta = "                                                                         \
  "1e3; L = 0.3; EI = 1e6*pi*0.015^4/4;\n"

static void settle(robot* r) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &result), TD_OK);
  assert_true(result.converged);
}

static void sensors_of(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

static void test_the_actuation_column_is_minus_the_derivative_of_the_length(void** state) {
  (void)state;
  static const char* const models[] = {"srl", "ebr", "eba", "rom", "gvs"};
  for (int k = 0; k < 5; k++) {
    char text[900];
    snprintf(text, sizeof text,
             SILICONE
             "rod(1).model = '%s'; rod(1).n = 3; u = input('u', 1);\n"
             "cable(1).path = .01*[cos(9*s) sin(9*s) + s]; cable(1).from = .04; cable(1).to = .27; "
             "cable(1).tension = u; sensor(1).name = 'l'; sensor(1).value = length(cable(1));\n",
             models[k]);
    robot r = robot_load(text);
    uint64_t seed = 3;
    robot_shake(&r, &seed, 0.3);
    const size_t n = (size_t)r.nv;
    double *B = malloc(n * sizeof(double)), *dq = malloc(n * sizeof(double)),
           *dv = malloc(n * sizeof(double)), du[1], error = 0;
    td_input_map(r.model, r.state, r.work, B);
    assert_int_equal(td_sensor_tangent(r.model, r.state, r.work, dq, dv, du, NULL), TD_OK);
    for (int i = 0; i < r.nv; i++) error = fmax(error, fabs(B[i] + dq[i]));
    CHECK_REACHED(models[k], error, 1e-15);  // the same sums in another order
    free(B);
    free(dq);
    free(dv);
    robot_free(&r);
  }
}

static void test_a_pulled_cable_has_the_tension_of_its_stretch_and_goes_slack(void** state) {
  (void)state;
  robot r = robot_load(SILICONE
                       "rod(1).n = 4; u = input('u', 0);\n"
                       "cable(1).path = [.01 0]; cable(1).pull = u; cable(1).stiffness = 500;\n"
                       "sensor(1).name = 'T'; sensor(1).value = [tension(cable(1)) "
                       "length(cable(1)) strain(rod(1), .15)];\n");
  double y[8];
  const double EI = 1e6 * 3.14159265358979323846 * pow(0.015, 4) / 4, EA = EI * 4 / pow(0.015, 2);
  r.state->u[0] = 0.02;
  settle(&r);
  sensors_of(&r, y);
  // T = k (pull - shortening), shortening = L (T/EA + T d²/EI)
  const double T = 0.02 / (1 / 500.0 + 0.3 * (1 / EA + 1e-4 / EI));
  CHECK_NEAR(y[0], T, 1e-8);
  CHECK_NEAR(y[1], 0.3 - 0.02 + T / 500, 1e-9);
  CHECK_NEAR(y[6], T * 0.01 / EI, 1e-8);  // it bends towards the cable
  td_energies e = td_energy(r.model, r.state, r.work);
  assert_true(e.elastic > 0);
  r.state->u[0] = -0.01;
  settle(&r);
  sensors_of(&r, y);
  assert_true(y[0] == 0);
  CHECK_NEAR(y[1], 0.3, 1e-9);
  robot_free(&r);
}

static void test_a_cable_that_ends_inside_a_segment_counts_in_part(void** state) {
  (void)state;
  robot r = robot_load(SILICONE
                       "rod(1).model = 'ebr'; rod(1).n = 4; rod(1).modes = [0 0 0 1 1 0];\n"
                       "cable(1).path = [.01 0]; cable(1).from = 0.05; cable(1).to = 0.2; "
                       "cable(1).tension = 4;\n"
                       "sensor(1).name = 'R'; sensor(1).value = rot(rod(1), L);\n");
  double y[9];
  settle(&r);
  sensors_of(&r, y);
  const double EI = 1e6 * 3.14159265358979323846 * pow(0.015, 4) / 4;
  CHECK_NEAR(atan2(y[6], y[8]), 4 * 0.01 / EI * 0.15, 1e-9);
  robot_free(&r);
}

// EI κ = T d exp(-μ ∫κ) has the solution κ = κ0/(1 + μ κ0 s): the tip turns by log(1 + μ κ0 L)/μ.
static void test_friction_takes_tension_along_the_cable(void** state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    char text[900];
    snprintf(text, sizeof text,
             SILICONE
             "rod(1).n = %d; rod(1).modes = [0 0 0 1 1 0]; cable(1).path = [.01 0]; "
             "cable(1).tension = 12; cable(1).friction = .3;\n"
             "sensor(1).name = 'R'; sensor(1).value = rot(rod(1), L);\n",
             8 << k);
    robot r = robot_load(text);
    double y[9];
    settle(&r);
    sensors_of(&r, y);
    const double kappa = 12 * 0.01 / (1e6 * 3.14159265358979323846 * pow(0.015, 4) / 4);
    error[k] = fabs(atan2(y[6], y[8]) - log(1 + 0.3 * kappa * 0.3) / 0.3);
    robot_free(&r);
  }
  CHECK_REACHED("tip angle, 16 segments", error[1], 1e-4);  // second order
  CHECK_NEAR(error[0] / error[1], 4, 0.3);  // 3.6 between 8 and 16 segments, 4 in the limit
}

// A helix whose turning vanishes twice along the rod: the share of the tension that friction leaves
// is the same in metres and in millimetres, although the corner there is rounded.
static void test_friction_has_no_length_of_its_own(void** state) {
  (void)state;
  double turn[2];
  for (int k = 0; k < 2; k++) {
    char text[900];
    snprintf(text, sizeof text,
             "mm = %d; rod(1).length = 0.3*mm; rod(1).radius = 0.015*mm; rod(1).E = 1e6/mm;\n"
             "rod(1).rho = 1000/mm^3; rod(1).n = 3; rod(1).modes = [0 0 0 1 1 0];\n"
             "cable(1).rod = 1; cable(1).path = mm*[.006*cos(15*s/mm) .01];\n"
             "cable(1).tension = 12*mm; cable(1).friction = .3;\n"
             "sensor(1).name = 'R'; sensor(1).value = rot(rod(1), 0.3*mm);\n",
             k == 0 ? 1 : 1000);
    robot r = robot_load(text);
    double y[9];
    settle(&r);
    sensors_of(&r, y);
    turn[k] = y[7];
    robot_free(&r);
  }
  // equilibria are found to 1e-10 of their forces
  CHECK_REACHED("rotation in other units", fabs(turn[1] - turn[0]), 1e-9);
}

// The same cable drawn in by a length: T at its start with mean(T) = k (pull - d Θ), the mean along
// the cable, which is L - d Θ long.  With h = 1 + μ κ0 L:
//   Θ = log(h)/μ        ∫ T/T0 (1 - κ d) ds = Θ/κ0 - d κ0 L/h
static void test_friction_along_a_cable_of_given_length(void** state) {
  (void)state;
  const double EI = 1e6 * 3.14159265358979323846 * pow(0.015, 4) / 4, L = 0.3, d = 0.01, mu = 0.3;
  const double T = 12, kappa = T * d / EI, h = 1 + mu * kappa * L, turn = log(h) / mu;
  const double mean = (turn / kappa - d * kappa * L / h) / (L - d * turn);
  double error[2];
  for (int k = 0; k < 2; k++) {
    char text[900];
    snprintf(text, sizeof text,
             SILICONE
             "rod(1).n = %d; rod(1).modes = [0 0 0 1 1 0]; cable(1).path = [.01 0]; "
             "cable(1).pull = %.17g; cable(1).stiffness = 800; cable(1).friction = .3;\n"
             "sensor(1).name = 'T'; sensor(1).value = tension(cable(1));\n",
             8 << k, d * turn + T * mean / 800);
    robot r = robot_load(text);
    double y[1];
    settle(&r);
    sensors_of(&r, y);
    error[k] = fabs(y[0] / T - 1);
    robot_free(&r);
  }
  CHECK_REACHED("tension, 16 segments", error[1], 1e-4);  // second order
  CHECK_NEAR(error[0] / error[1], 4, 0.3);
}

// A weight in a bight between two fixed points 2a apart: T = m g/2 / cos of the half angle.
static void test_a_span_over_pulleys_has_one_tension(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -10]; body(1).m = 2; body(1).I = eye(3); joint(1).second = 1; "
      "joint(1).tr.trans = [inf 0 inf]; joint(1).dof(1).init = 0.2; joint(1).dof(2).init = -0.8;\n"
      "cable(1).via = {0, 1, 0}; cable(1).points = [-1 0 0; 0 0 0; 1 0 0]; cable(1).pull = 0; "
      "cable(1).stiffness = 1e4;\n"
      "sensor(1).name = 'T'; sensor(1).value = [tension(cable(1)) length(cable(1)) "
      "pos(body(1))];\n");
  double y[5];
  settle(&r);
  sensors_of(&r, y);
  CHECK_NEAR(y[2], 0, 1e-9);
  CHECK_NEAR(y[0], 10 / (-y[4] / hypot(1, y[4])), 1e-9);
  CHECK_NEAR(y[1], 2 * hypot(1, y[4]), 1e-9);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_actuation_column_is_minus_the_derivative_of_the_length),
      cmocka_unit_test(test_a_pulled_cable_has_the_tension_of_its_stretch_and_goes_slack),
      cmocka_unit_test(test_a_cable_that_ends_inside_a_segment_counts_in_part),
      cmocka_unit_test(test_friction_takes_tension_along_the_cable),
      cmocka_unit_test(test_friction_along_a_cable_of_given_length),
      cmocka_unit_test(test_friction_has_no_length_of_its_own),
      cmocka_unit_test(test_a_span_over_pulleys_has_one_tension),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
