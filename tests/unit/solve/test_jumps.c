// Chambers and cables that begin and end inside a rod: every model finds the same shape, wherever
// its segments and points are.
#include "../engine/robots.h"

// Without weight the bending and the stretch are constant where the chamber or the cable is and
// zero elsewhere: a straight piece, an arc, a straight piece.  With x the distance beside the
// middle and F the force along it (pressure times area, or minus the tension) the arc has the
// stretch F/EA and the curvature -F x/EI about y.
enum { L_MM = 200, FROM_MM = 37, TO_MM = 124 };
static const double E = 4e5, radius = 0.008, beside = 0.004;

static void arc_tip(double F, double tip[3]) {
  const double L = 1e-3 * L_MM, from = 1e-3 * FROM_MM, to = 1e-3 * TO_MM;
  const double A = 3.14159265358979323846 * radius * radius, I = A * radius * radius / 4;
  const double angle = -F * beside / (E * I) * (to - from), l = (to - from) * (1 + F / (E * A));
  tip[0] = l * (1 - cos(angle)) / angle + (L - to) * sin(angle);
  tip[1] = 0;
  tip[2] = from + l * sin(angle) / angle + (L - to) * cos(angle);
}

static double tip_error(const char* model, int n, bool cable) {
  char text[900];
  double y[3], want[3], error = 0;
  snprintf(text, sizeof text,
           "rod(1).model = '%s'; rod(1).n = %d; rod(1).length = %g; rod(1).radius = %g; rod(1).E = "
           "%g; rod(1).rho = 1000; %s sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), %g);\n",
           model, n, 1e-3 * L_MM, radius, E,
           cable ? "cable(1).path = [.004 0]; cable(1).tension = .6; cable(1).from = .037; "
                   "cable(1).to = .124;"
                 : "chamber(1).offset = [.004 0]; chamber(1).area = 2e-5; chamber(1).pressure = "
                   "3e4; chamber(1).from = .037; chamber(1).to = .124;",
           1e-3 * L_MM);
  robot r = robot_load(text);
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &result), TD_OK);
  assert_true(result.converged);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  arc_tip(cable ? -0.6 : 0.6, want);
  for (int c = 0; c < 3; c++) error = fmax(error, fabs(y[c] - want[c]));
  robot_free(&r);
  return error / (1e-3 * L_MM);
}

// Segments: the angle is exact, the place where it turns is off by the length of a segment squared.
static void test_segments_converge_to_second_order(void** state) {
  (void)state;
  static const char* const models[] = {"srl", "ebr", "eba"};
  for (int k = 0; k < 3; k++)
    for (int cable = 0; cable < 2; cable++) {
      const int n[3] = {10, 40, 80};
      for (int i = 0; i < 3; i++)
        CHECK_REACHED(models[k], tip_error(models[k], n[i], cable), 0.06 / (n[i] * n[i]));
    }
}

// Polynomials: bends that jump are matched like 1/n, and what the tip makes of it at least like
// 1/n³, from the first orders on and without going up and down.
static void test_polynomials_converge(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "rom"};
  for (int k = 0; k < 2; k++)
    for (int cable = 0; cable < 2; cable++)
      for (int n = 4; n <= 10; n++)
        CHECK_REACHED(models[k], tip_error(models[k], n, cable), 0.03 / (n * n * n));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_segments_converge_to_second_order),
      cmocka_unit_test(test_polynomials_converge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
