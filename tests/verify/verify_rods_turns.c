// Row S09: a couple rolls a rod up to ten turns while a force pulls it out of its plane.  Every
// point is found from the straight rod, at full load at once.  'ebr' converges at second order;
// 'rom', whose rotations end at half a turn, is written in parts and converges faster than any
// power.
#include "rods.h"

static const char roll_up[] = ROD_HEAD
    "P = param('P', 0); parts = param('parts', 1);\n"
    "for k = 1:parts, rod(1).part(k).length = 10/parts; end\n"
    "rod(1).tr.rot = along_x; rod(1).inertia = [1 1 1 1 1 1];\n"
    "rod(1).stiffness = [1e4 1e4 1e4 1e2 1e2 1e2];\n"
    "exload(1).exbody = rod(1); exload(1).refbody = 0; exload(1).ftau = P*[0 0 50 0 0 200*pi];\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n";

// Tip error / L at load P of a model in `parts` with n segments, or order n, in each.
static double tip_error(const char* model, int parts, int n, double P, const double* want) {
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  char text[3][16];
  snprintf(text[0], sizeof text[0], "%d", n);
  snprintf(text[1], sizeof text[1], "%d", parts);
  snprintf(text[2], sizeof text[2], "%g", P);
  td_spec_override(spec, "model", model);
  td_spec_override(spec, "n", text[0]);
  td_spec_override(spec, "parts", text[1]);
  td_spec_override(spec, "P", text[2]);
  td_spec_load_string(spec, "S09", roll_up);
  if (td_model_compile(spec, &m) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  td_work* work = td_work_new(m);
  td_state* state = td_state_new(m);
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  double tip[3];
  assert_int_equal(td_state_initial(m, work, state), TD_OK);
  assert_int_equal(td_equilibrium(m, work, state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(m, state, work, tip), TD_OK);
  td_state_free(state);
  td_work_free(work);
  td_model_free(m);
  const double error = distance(tip, want, 3) / 10;
  printf("S09 %s P = %g, %d part%s, n = %d: error/L %.1e, by %s in %d iterations\n", model, P,
         parts, parts == 1 ? "" : "s", n, error, td_strategy_text(found.strategy),
         found.iterations);
  return error;
}

static void second_order(double P, const int n[4], const double* want) {
  double error[4];
  for (int i = 0; i < 4; i++) {
    error[i] = tip_error("ebr", 1, n[i], P, want);
    assert_true(error[i] <= 1e-3 * pow(200.0 / n[i], 2));  // 1e-3 with 200 segments
  }
  const double slope = log(error[0] / error[3]) / log((double)n[3] / n[0]);
  printf("S09 ebr P = %g: slope %.2f\n", P, slope);
  assert_true(fabs(slope - 2) < 0.15);
}

static void two_and_a_half_turns(void** state) {
  (void)state;
  second_order(0.25, (const int[]){24, 30, 36, 48},
               (const double[]){0.0257649500841, 1.27271795812, 0.520651252482});
}

static void ten_turns(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // minutes
  second_order(1, (const int[]){40, 48, 56, 64},
               (const double[]){0.00480324965962, 7.24968468994e-05, -0.076441741732});
}

static void polynomials_in_parts_turn_further_than_half_a_turn(void** state) {
  (void)state;
  static const double want[3] = {0.410203352609, 0.0537709031177, -1.09172901932};
  double error[4];
  for (int i = 0; i < 4; i++) error[i] = tip_error("rom", 4, 3 + i, 0.1, want);
  for (int i = 1; i < 4; i++) assert_true(error[i] < error[i - 1] / 10);
  CHECK_REACHED("S09 rom, one turn in 4 parts of order 6, error/L", error[3], 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_and_a_half_turns),
      cmocka_unit_test(ten_turns),
      cmocka_unit_test(polynomials_in_parts_turn_further_than_half_a_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
