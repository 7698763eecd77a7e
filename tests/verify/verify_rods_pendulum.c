// A rubber pendulum let go at rest: the hinge sends bending waves of all lengths along the rod.
// Errors are of second order in the number of segments and faster than any power in the order of
// polynomials, once both resolve the waves.
#include "rods_motion.h"

// The polynomial model in two parts: orders 4 to 6 on the first waves for the rate, order 8 on the
// whole swing.
static void polynomial_pendulum(const motion_row* row) {
  if (CHECK_SANITIZED) return;
  const rom_orders orders = {2, {4, 5, 6, 8}, 1e-4, 0, false};
  motion_row first = *row;
  double error[4][max_times], of[4];
  first.rom = orders;
  first.t[2] = 0;
  for (int k = 0; k < 3; k++) polynomial_errors(&first, orders.n[k], error[k]);
  for (int i = 2; i < time_count(row); i++) first.t[i] = row->t[i];
  polynomial_errors(&first, orders.n[3], error[3]);
  for (int i = 0; i < time_count(row); i++) {
    char what[80];
    snprintf(what, sizeof what, "D16 rom of order 8 in two parts, t=%g", row->t[i]);
    CHECK_REACHED(what, error[3][i], orders.tol);
    for (int k = 0; k < 4; k++) of[k] = error[k][i];
    if (i < 2) rom_check("D16", "first waves", &orders, of);
  }
}

// Released at rest the hinge sends bending waves of all lengths along the rod; two polynomials of
// order 7 follow them better than one of order 15 and with longer steps.  They hold shear, whose
// waves of 1.6e4 rad/s would rule the step, and of which the figures have 4e-5.
static void test_D16_a_rubber_pendulum(void** state) {
  (void)state;
  static const char text[] = ROD_HEAD
      "rod(1).length = 1; rod(1).radius = 0.005; rod(1).rho = 1100; rod(1).E = 5e6; rod(1).tr.rot "
      "= along_x;\n"
      "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; world.g = [0 -9.81 0];\n"
      "if ~absolute, rod(1).modes = [1 0 1 0 1 0]; end\n"
      "p = pos(rod(1), 1); sensor(1).name = 'tip'; sensor(1).value = p(1:2);\n";
  const motion_row row = {
      "D16",
      text,
      1,
      all_models,
      {24, 32, 40, 48},
      {0.1, 0.2, 0.3, 0.4, 0.5, 0.6},
      2,
      0,
      0.3,
      1e-4,
      {{0.993597472082, -0.0488938722845},
       {0.941895790711, -0.19811315268},
       {0.797986090955, -0.424497052162},
       {0.476230499557, -0.841868330645},
       {-0.233118147563, -0.919442155526},
       {-0.655352997573, -0.697112886712}},
      .order = 7,
      .tol = 1e-4,
      .more = "rod(1).order = [-1 -1 4 -1 7 -1]; rod(1).elements = [1 1 1 1 2 1];\n"};
  refine(&row);

  polynomial_pendulum(&row);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_D16_a_rubber_pendulum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
