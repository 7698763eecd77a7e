// Cables over what lies between their rods: hinges, slides, twists, bodies.
#include "../engine/robots.h"

static void settle(robot* r) {
  td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &result), TD_OK);
  assert_true(result.converged);
}

static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
enum { MODELS = 5 };

// Two stiff rods, something between them, and a cable 1 cm beside the middle.
static robot finger(const char* model, const char* between) {
  char text[1500];
  snprintf(text, sizeof text,
           "for k = 1:2, rod(k).model = '%s'; rod(k).length = .1; rod(k).radius = .015; rod(k).E = "
           "1e9; rod(k).rho = 1000; rod(k).n = 2; end\n"
           "rod(2).first = rod(1); cable(1).rod = [1 2]; cable(1).path = [.01 0]; %s\n"
           "sensor(1).name = 'y'; sensor(1).value = [q(1) length(cable(1)) tension(cable(1))];\n",
           model, between);
  return robot_load(text);
}

// How much shorter the cable gets along the rods for each newton: L (d²/EI + 1/EA).
static double finger_give(void) {
  const double E = 1e9, L = 0.2, d = 0.01, A = acos(-1) * 0.015 * 0.015, I = A * 0.015 * 0.015 / 4;
  return L * (d * d / (E * I) + 1 / (E * A));
}

static void check_finger(const char* model, const char* between, double joint, double length,
                         double tension) {
  robot r = finger(model, between);
  double y[3];
  settle(&r);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  CHECK_NEAR(y[0], joint, 1e-9);
  CHECK_NEAR(y[1], length - y[2] * finger_give(), 1e-7);
  if (!isnan(tension)) CHECK_NEAR(y[2], tension, 1e-9 * tension);
  robot_free(&r);
}

// A hinge is turned by T d at any angle, a slide pulled by T, also where the ends have passed each
// other, a twist not at all; which model the rods have does not matter.
static void test_joints_between_rods_feel_the_cable(void** state) {
  (void)state;
#define HINGE "rod(2).joint.type = 'revolute'; rod(2).joint.axis = [0 1 0]; "
#define SPRING(k) "rod(2).joint.dof(1).spring.coeff = " #k "; "
  for (int k = 0; k < MODELS; k++) {
    check_finger(models[k], HINGE SPRING(.1) "cable(1).tension = 1;", 0.1, 0.199, 1);
    check_finger(models[k], HINGE SPRING(.1) "cable(1).tension = 20;", 2, 0.18, 20);
    check_finger(models[k], HINGE SPRING(.1) "cable(1).tension = 50;", 5, 0.15, 50);
    check_finger(models[k], "rod(2).joint.type = 'prismatic'; " SPRING(100) "cable(1).tension = 5;",
                 -0.05, 0.15, 5);
    check_finger(models[k],
                 "rod(2).tr.trans = [0 0 .05]; rod(2).joint.type = 'prismatic'; " SPRING(
                     100) "cable(1).tension = 5;",
                 -0.05, 0.2, 5);
    check_finger(models[k],
                 "rod(2).tr.trans = [0 0 .05]; rod(2).joint.type = 'prismatic'; " SPRING(
                     100) "cable(1).tension = 8;",
                 -0.08, 0.17, 8);
    check_finger(models[k],
                 "rod(2).joint.type = 'revolute'; rod(2).joint.axis = [0 0 1]; " SPRING(
                     .1) "cable(1).tension = 1;",
                 0, 0.2, 1);
  }
}

// The same by length: T (1/k_c + d²/k + L (d²/EI + 1/EA)) = pull, 1/k_c = 0 where the cable cannot
// be stretched.  Rods bent by T d/EI over L shorten the cable by another part in 10^5 at most.
static void test_joints_between_rods_feel_cables_of_given_length(void** state) {
  (void)state;
  for (int k = 0; k < MODELS; k++)
    for (int hard = 0; hard < 2; hard++) {
      robot r = finger(models[k], hard ? HINGE SPRING(.1) "cable(1).pull = .006;"
                                       : HINGE SPRING(.1) "cable(1).pull = .006; "
                                                          "cable(1).stiffness = 2000;");
      double y[3];
      settle(&r);
      assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
      const double T = 0.006 / ((hard ? 0 : 1 / 2000.0) + 1e-4 / 0.1 + finger_give());
      CHECK_NEAR(y[2] / T, 1, 3e-5);
      CHECK_NEAR(y[0], y[2] * 0.01 / 0.1, 1e-8);
      robot_free(&r);
    }
}

// A body between, hinged to the first rod: with the arm h to the second one the chord is
// c = [h sin θ - d (1 - cos θ), h cos θ - d sin θ], and k θ = -T ∂|c|/∂θ.
static void test_a_body_between_rods_feels_the_chord(void** state) {
  (void)state;
  const double h = 0.05, d = 0.01, k = 0.5, T = 10;
  double angle = 0;
  for (int i = 0; i < 50; i++) {
    const double x = h * sin(angle) - d * (1 - cos(angle)), z = h * cos(angle) - d * sin(angle);
    const double dx = h * cos(angle) - d * sin(angle), dz = -h * sin(angle) - d * cos(angle);
    angle = -T / k * (x * dx + z * dz) / hypot(x, z);
  }
  for (int i = 0; i < MODELS; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             "for k = 1:2, rod(k).model = '%s'; rod(k).length = .1; rod(k).radius = .015; rod(k).E "
             "= 1e9; rod(k).rho = 1000; rod(k).n = 2; end\n"
             "body(1).m = .1; body(1).I = 1e-4*eye(3); joint(1).first = rod(1); joint(1).second = "
             "1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0]; "
             "joint(1).dof(1).spring.coeff = .5; rod(2).first = 1; rod(2).tr.trans = [0 0 .05];\n"
             "cable(1).rod = [1 2]; cable(1).path = [.01 0]; cable(1).tension = 10;\n"
             "sensor(1).name = 'y'; sensor(1).value = q(1);\n",
             models[i]);
    robot r = robot_load(text);
    double y[1];
    settle(&r);
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    CHECK_NEAR(y[0], angle, 1e-9);
    robot_free(&r);
  }
}

static double length_of(robot* r, const double* q) {
  double y[1];
  memcpy(r->state->q, q, (size_t)r->nq * sizeof(double));
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  return y[0];
}

// Random hybrids: what a unit of tension does is minus the difference of the lengths, in every
// coordinate.  Differences of sixth order: rounding 1e-16/h and truncation h⁶ leave 1e-11.
static void test_the_actuation_column_is_the_difference_of_lengths(void** state) {
  (void)state;
  static const char* const between[] = {
      "rod(2).joint.type = 'revolute'; rod(2).joint.axis = [.2 1 .3];",
      "rod(2).joint.type = 'prismatic'; rod(2).joint.axis = [.2 .1 1];",
      "rod(2).joint.type = 'cylindrical';",
      "rod(2).joint.type = 'universal';",
      "rod(2).joint.type = 'spherical';",
      "rod(2).joint.type = 'free';",
      "rod(2).tr.trans = [0 0 .03]; rod(2).joint.type = 'free';",
      "rod(2).tr.trans = [.02 -.01 .01]; rod(2).joint.type = 'spherical';",
      "rod(2).tr.rot = [1 pi]; rod(2).tr.trans = [0 .05 0]; rod(2).joint.type = 'universal';",
      "rod(2).tr.trans = [0 0 .03]; rod(2).joint.type = 'prismatic';"};
  static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  uint64_t seed = 11;
  for (int k = 0; k < 10; k++)
    for (int i = 0; i < MODELS; i++) {
      char text[1500];
      snprintf(text, sizeof text,
               "u = input('u', 1); rod(1).model = '%s'; rod(2).model = '%s';\n"
               "for k = 1:2, rod(k).length = .2; rod(k).radius = .015; rod(k).E = 1e6; rod(k).rho "
               "= 1000; rod(k).n = 2; end; rod(2).first = rod(1); %s\n"
               "cable(1).rod = [1 2]; cable(1).path = .01*[cos(9*s) sin(9*s) + s]; "
               "cable(1).tension = u; sensor(1).name = 'l'; sensor(1).value = length(cable(1));\n",
               models[i], models[(i + k) % MODELS], between[k]);
      robot r = robot_load(text);
      robot_shake(&r, &seed, 0.4);
      const size_t nv = (size_t)r.nv, nq = (size_t)r.nq;
      double *B = malloc(nv * sizeof(double)), *d = calloc(nv, sizeof(double)),
             *q = malloc(nq * sizeof(double)), *to = malloc(nq * sizeof(double)), error = 0;
      const double h = 3e-4;
      if (k == 6 && i > 1) r.state->q[2] -= 0.3;  // the ends have passed each other
      if (k == 6 && i > 2) r.state->q[0] += 0.3;  // not straight through
      td_input_map(r.model, r.state, r.work, B);
      memcpy(q, r.state->q, nq * sizeof(double));
      for (int c = 0; c < r.nv; c++) {
        double slope = 0;
        for (int s = 1; s <= 3; s++)
          for (int sign = -1; sign <= 1; sign += 2) {
            d[c] = sign * s * h;
            td_displace(r.model, q, d, to);
            slope += sign * weight[s - 1] / h * length_of(&r, to);
          }
        d[c] = 0;
        error = fmax(error, fabs(B[c] + slope));
      }
      CHECK_REACHED(between[k], error, 1e-9);
      free(B);
      free(d);
      free(q);
      free(to);
      robot_free(&r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_between_rods_feel_the_cable),
      cmocka_unit_test(test_joints_between_rods_feel_cables_of_given_length),
      cmocka_unit_test(test_a_body_between_rods_feels_the_chord),
      cmocka_unit_test(test_the_actuation_column_is_the_difference_of_lengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
