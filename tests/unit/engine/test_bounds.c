// Parameters obey the limits of the fields they are in, also after loading; one-sided laws switch
// their input; fixed [0 x y z] is the vector part of a unit quaternion.
#include <string.h>

#include "check.h"
#include "engine/engine.h"
#include "robots.h"
#include "tendril/tools.h"

static const char limited[] =
    "m = param('m', 1); E = param('E', 1e6); r = param('r', 0.02); w = param('w', 0.5); n = "
    "param('n', 1);\n"
    "body(1).m = 2*m; body(1).I = diag([1 1 w]); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n"
    "joint(1).dof(1).damp.visc = 1; joint(1).dof(1).damp.pow = n;\n"
    "rod(1).length = 0.2; rod(1).E = E; rod(1).rho = 1000; rod(1).section = 'ring'; rod(1).radius "
    "= [r 0.01]; rod(1).n = 1;\n"
    "rod(2).length = 0.2; rod(2).rho = 1000; rod(2).radius = r - s/20; rod(2).n = 1; "
    "rod(2).stiffness = [1 1 1 w 1 1]; rod(2).damping = diag([w 1 1 1 1 1]);\n";

// The message is that of the number written in the file, and the parameter keeps its value.
static void a_value_that_a_field_cannot_have_is_refused(void** state) {
  (void)state;
  static const struct {
    const char* param;
    double good, bad;
    const char* message;
  } cases[] = {
      {"m", 3, -1, "body(1).m must not be negative, got -2 kg"},
      {"m", 0, NAN, "body(1).m must not be negative, got nan kg"},
      {"E", 5, -5, "rod(1).E must be positive, got -5 Pa"},
      {"E", 2e6, 0, "rod(1).E must be positive, got 0 Pa"},
      {"r", 0.011, 0.005,
       "rod(1).radius: the inner radius must be below the outer one, the wall "
       "is -0.005 m"},
      {"r", 0.03, -0.01, "rod(1).radius(1) must be positive, got -0.01 m"},
      {"w", 2, 2.5,
       "body(1).I must be symmetric, without a negative principal moment and without "
       "one larger than the sum of the other two"},
      {"w", 0, -0.1,
       "body(1).I must be symmetric, without a negative principal moment and without "
       "one larger than the sum of the other two"},
      {"n", 2, 0, "joint(1).dof(1).damp.pow must be positive, got 0"},
      {"n", 0.5, INFINITY, "joint(1).dof(1).damp.pow must be positive, got inf"},
  };
  robot r = robot_load(limited);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int p = td_model_param_find(r.model, cases[k].param);
    const double before = td_work_param(r.model, r.work, p);
    assert_int_equal(td_work_set_param(r.model, r.work, p, cases[k].bad), TD_E_MODEL);
    assert_string_equal(td_work_failure(r.work), cases[k].message);
    assert_true(td_work_param(r.model, r.work, p) == before);
    assert_int_equal(td_work_set_param(r.model, r.work, p, cases[k].good), TD_OK);
    assert_true(td_work_param(r.model, r.work, p) == cases[k].good);
    assert_int_equal(td_work_set_param(r.model, r.work, p, before), TD_OK);
  }
  robot_free(&r);
}

// The derivative by a parameter at its limit, where one of the two differences lies outside:
// d(m a)/dm = a.
static void derivatives_exist_at_the_limit(void** state) {
  (void)state;
  robot r = robot_load(
      "m = param('m', 0); body(1).m = 1; body(2).m = m; joint(1).second = 1; joint(1).tr.trans = "
      "[inf 0 0]; joint(2).first = 1; joint(2).second = 2;");
  const double a = 3;
  double slope = 0;
  td_param_derivative(r.model, r.state, r.work, 0, &a, NULL, &slope);
  CHECK_NEAR(slope, a, 1e-7);  // linear: rounding of m a over twice the step of 1e-8
  assert_true(td_work_param(r.model, r.work, 0) == 0);
  robot_free(&r);
}

// ---- one-sided laws ---------------------------------------------------------------------------

static double acceleration(robot* r) {
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  return td_work_vdot(r->work)[0];
}

// A unit mass on a slide: dof, axial link and beam act beyond x = 1 (dir = 1) or before it (-1).
static void inputs_act_where_their_law_does(void** state) {
  (void)state;
  static const char* const laws[] = {
      "joint(1).dof(1).spring.init = 1; joint(1).dof(1).input = 2; joint(1).dof(1).dir = %d;",
      "joint(2).second = 1; joint(2).spring.coeff = 0; joint(2).spring.init = 1; joint(2).input = "
      "2; joint(2).dir = %d;",
      "joint(2).second = 1; joint(2).spring.coeff = zeros(1, 6); joint(2).spring.init = [1 0 0 0 0 "
      "0]; joint(2).input = [2 0 0 0 0 0]; joint(2).dir = [%d 0 0];",
      "joint(2).second = 1; joint(2).spring.coeff = 0; joint(2).spring.init = 1; "
      "joint(2).damp.visc "
      "= 1; joint(2).damp.along = 0; joint(1).dof(1).rate = -2; joint(2).dir = %d;",
  };
  for (int k = 0; k < 4; k++)
    for (int dir = -1; dir <= 1; dir++) {
      char law[256], text[512];
      snprintf(law, sizeof law, laws[k], dir);
      snprintf(text, sizeof text,
               "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; "
               "joint(1).dof(1).init = 0.5; %s",
               law);
      robot r = robot_load(text);
      r.state->q[0] = 0.5;
      CHECK_NEAR(acceleration(&r), dir <= 0 ? 2 : 0, 1e-14);
      r.state->q[0] = 1.5;
      CHECK_NEAR(acceleration(&r), dir >= 0 ? 2 : 0, 1e-14);

      // half-way up the ramp of 1e-3: half of it, with the exact slope
      r.state->q[0] = 1 + dir * 0.5e-3;
      CHECK_NEAR(acceleration(&r), dir ? 1 : 2, 1e-12);
      const double a[1] = {0}, h = 1e-8;
      double dq[1], dv[1], F[2];
      td_tangent(r.model, r.state, r.work, a, NULL, dq, dv);
      for (int s = 0; s < 2; s++) {
        r.state->q[0] += s ? 2 * h : -h;
        td_residual(r.model, r.state, r.work, a, NULL, &F[s]);
      }
      // slope 3000: h² of the ramp's third derivative (2.4e10) and rounding / h
      CHECK_NEAR(dq[0], (F[1] - F[0]) / (2 * h), 1e-5 * fmax(1, fabs(dq[0])));
      robot_free(&r);
    }
}

// ---- rotations --------------------------------------------------------------------------------

// sin(θ/2) n with n = (2, -1, 2)/3 and θ = 0.8, in every field that has it: the frame is turned by
// Rodrigues' formula.
static void four_numbers_that_start_with_zero_are_a_vector_part(void** state) {
  (void)state;
  const double theta = 0.8, n[3] = {2. / 3, -1. / 3, 2. / 3}, half = sin(theta / 2);
  double R[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * n[3 - i - j];
      R[3 * i + j] = cos(theta) * (i == j) + sin(theta) * cross + (1 - cos(theta)) * n[i] * n[j];
    }
  static const char* const texts[] = {
      "joint(1).tr(1).rot = [0 %.17g %.17g %.17g]; joint(1).tr(2).trans = [inf 0 0];",
      "a = param('a', %.17g); b = param('b', %.17g); joint(1).tr(1).rot = [0 a b %.17g]; "
      "joint(1).tr(2).trans = [inf 0 0];",
  };
  for (int k = 0; k < 2; k++) {
    char text[512], turn[256];
    snprintf(turn, sizeof turn, texts[k], half * n[0], half * n[1], half * n[2]);
    snprintf(text, sizeof text,
             "body(1).m = 1; joint(1).second = 1; %s sensor(1).name = 'R'; sensor(1).value = "
             "rot(body(1));",
             turn);
    robot r = robot_load(text);
    double y[9];
    assert_int_equal(r.ny, 9);
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    for (int i = 0; i < 9; i++) CHECK_NEAR(y[i], R[3 * (i % 3) + i / 3], 1e-14);
    robot_free(&r);
  }
}

// sin(θ/2) tells nothing of the motion at half a turn: there is a message instead of a number.  At
// a distance of 0.01 rad from it sin(θ/2) = cos(0.005).
static void three_numbers_of_a_quaternion_end_at_half_a_turn(void** state) {
  (void)state;
  robot r = robot_load(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [0 inf inf inf];"
      "joint(1).chart = 'vector';");
  r.state->q[1] = cos(0.5 * 0.01);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  r.state->q[1] = cos(0.5 * 0.001);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_E_SINGULAR);
  assert_non_null(strstr(td_work_failure(r.work), "joint(1).dof(1) reaches half a turn"));
  robot_free(&r);
}

// Table 3's damp.visc = [translations rotations] of a polynomial rod is the six numbers written
// out.
static void two_numbers_of_a_polynomial_rod_are_translations_and_rotations(void** state) {
  (void)state;
  double F[2][64];
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "body(1).m = 0.1; body(1).I = 1e-4*eye(3); joint(1).second = [1 0.2]; "
             "joint(1).rom.order = 2; joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf "
             "inf inf]; joint(1).spring.coeff = %s; joint(1).damp.visc = %s;",
             k ? "[50 50 50 3 3 3]" : "[50 3]", k ? "[0.1 0.1 0.1 1e-5 1e-5 1e-5]" : "[0.1 1e-5]");
    robot r = robot_load(text);
    uint64_t seed = 3;
    robot_shake(&r, &seed, 0.1);
    const double zero[64] = {0};
    td_residual(r.model, r.state, r.work, zero, NULL, F[k]);
    double size = 0;
    for (int i = 0; k && i < r.nv; i++) {
      assert_true(F[0][i] == F[1][i]);
      size = fmax(size, fabs(F[0][i]));
    }
    assert_true(k == 0 || size > 1e-3);
    robot_free(&r);
  }
}

// at(body(1), s) on a polynomial rod is the place at that arc length, whether s is a whole number
// or not and whether the sensor is written before or after the rod: straight, its height is s, and
// bent, all ways to write the place agree.
static void a_place_on_a_polynomial_rod_is_an_arc_length(void** state) {
  (void)state;
  robot r = robot_load(
      "sensor(15).name = 'first'; sensor(15).value = pos(at(body(1), 0.75));\n"
      "sensor(1).name = 'early'; sensor(1).value = pos(body(1), 1);\n"
      "body(1).m = 1; body(1).I = 1e-3; joint(1).second = [1 3]'; joint(1).rom.order = 2;\n"
      "joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf inf inf];\n"
      "joint(1).spring.coeff = [1e4 1e4 1e4 10 10 10];\n"
      "where = [1 0.5 2 1.5 0 3];\n"
      "for i = 1:6, sensor(1 + i).name = sprintf('p%d', i);\n"
      "sensor(1 + i).value = pos(at(body(1), where(i))); end\n"
      "sensor(8).name = 'off'; sensor(8).value = pos(at(body(1), 1), [0 0 0.25]);\n"
      "sensor(9).name = 'R'; sensor(9).value = rot(at(body(1), 1));\n"
      "sensor(10).name = 'near'; sensor(10).value = rot(body(1), 1 + 1e-9);\n"
      "sensor(11).name = 'q'; sensor(11).value = quat(at(body(1), 1));\n"
      "sensor(12).name = 'e'; sensor(12).value = strain(at(body(1), 0.5));\n"
      "sensor(13).name = 'f'; sensor(13).value = strain(body(1), 0.5);\n"
      "sensor(14).name = 'beside'; sensor(14).value = pos(body(1), 1 + 1e-9);\n");
  static const double height[] = {1, 1, 0.5, 2, 1.5, 0, 3, 1.25};
  double y[80];
  assert_true(r.ny == 24 + 9 + 9 + 4 + 6 + 6 + 3 + 3);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  for (int i = 0; i < 8; i++) CHECK_NEAR(y[3 * i + 2], height[i], 1e-12);
  CHECK_NEAR(y[r.ny - 1], 0.75, 1e-12);
  uint64_t seed = 5;
  robot_shake(&r, &seed, 0.5);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  const double *R = y + 24, *near = R + 9, *q = near + 9, *e = q + 4, *f = e + 6, *beside = f + 6;
  double turned = 0;
  for (int i = 0; i < 9; i++) {
    CHECK_NEAR(R[i], near[i], 1e-7);
    turned = fmax(turned, fabs(R[i] - (i % 4 == 0)));
  }
  assert_true(turned > 1e-3);
  CHECK_NEAR(4 * q[0] * q[0], 1 + R[0] + R[4] + R[8], 1e-12);  // the trace of a rotation
  for (int i = 0; i < 6; i++) CHECK_NEAR(e[i], f[i], 0);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(y[i], y[3 + i], 0);
    CHECK_NEAR(y[i], beside[i], 1e-7);
  }
  double off = 0;
  for (int i = 0; i < 3; i++) off += (y[21 + i] - y[i]) * (y[21 + i] - y[i]);
  CHECK_NEAR(sqrt(off), 0.25, 1e-12);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_that_a_field_cannot_have_is_refused),
      cmocka_unit_test(derivatives_exist_at_the_limit),
      cmocka_unit_test(inputs_act_where_their_law_does),
      cmocka_unit_test(four_numbers_that_start_with_zero_are_a_vector_part),
      cmocka_unit_test(three_numbers_of_a_quaternion_end_at_half_a_turn),
      cmocka_unit_test(two_numbers_of_a_polynomial_rod_are_translations_and_rotations),
      cmocka_unit_test(a_place_on_a_polynomial_rod_is_an_arc_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
