// The polynomial rod model on rows with closed forms or converged references: it converges faster
// than any power of its order.
#include "check.h"
#include "tendril/tendril.h"

// Silicone rod of the benchmark rows: L = 0.3 m, r = 15 mm, E = 1 MPa, nu = 0.5, along +x.
#define SILICONE                                                              \
  "L = 0.3; r = 0.015; A = pi*r^2; I = pi*r^4/4; eta = 1e4;"                  \
  "rod(1).length = L; rod(1).radius = r; rod(1).E = 1e6; rod(1).rho = 1000;"  \
  "rod(1).tr.rot = [2 pi/2]; rod(1).model = 'rom'; rod(1).n = param('n', 4);" \
  "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), L);"

typedef struct rig {
  td_model* model;
  td_work* work;
  td_state* state;
} rig;

static rig rig_open(const char* text, int n) {
  rig r = {0};
  char order[16];
  td_spec* spec = td_spec_new();
  snprintf(order, sizeof order, "%d", n);
  td_spec_override(spec, "n", order);
  td_spec_load_string(spec, "rom.m", text);
  if (td_model_compile(spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static void rig_close(rig* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

static void settle(rig* r) {
  const td_equil_options o = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &o, &result), TD_OK);
}

static double distance(const double* a, const double* b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static double static_error(const char* text, int n, const double* tip) {
  rig r = rig_open(text, n);
  double y[16];
  settle(&r);
  td_sensors(r.model, r.state, r.work, y);
  rig_close(&r);
  return distance(y, tip);
}

// M08's equilibrium: the cantilever that hangs down by half its length.
static void test_the_sagging_cantilever_converges_spectrally(void** state) {
  (void)state;
  static const double tip[3] = {0.257592746957, -0.144042501463, 0};
  static const int n[] = {3, 5, 7, 9};
  double error[4];
  for (int i = 0; i < 4; i++)
    error[i] = static_error(SILICONE "world.g = [0 -9.81 0];", n[i], tip) / 0.3;
  printf("sagging cantilever, error/L at n = 3, 5, 7, 9: %.1e %.1e %.1e %.1e\n", error[0], error[1],
         error[2], error[3]);
  // thirty times less error for every two orders
  for (int i = 1; i < 4; i++) assert_true(error[i] < error[i - 1] / 30);
  CHECK_REACHED("sagging cantilever n = 8, error/L",
                static_error(SILICONE "world.g = [0 -9.81 0];", 8, tip) / 0.3, 1e-8);
}

// S02: a tip moment bends the rod into a quarter of a circle.
static void test_a_moment_makes_a_circle(void** state) {
  (void)state;
  const double m = 3.14159265358979 / 2, tip[3] = {0.3 * sin(m) / m, 0.3 * (1 - cos(m)) / m, 0};
  const char text[] =
      SILICONE "exload(1).exbody = at(rod(1), L); exload(1).ftau = [0 0 0 0 0 pi/2*1e6*I/L];";
  const double coarse = static_error(text, 4, tip), fine = static_error(text, 8, tip);
  assert_true(fine < coarse / 100);
  CHECK_REACHED("S02 quarter circle, rom n = 8, error/L", fine / 0.3, 1e-7);
}

// S18: a chamber stretches and bends the rod into an exact arc, away from the chamber.
static void test_a_chamber_makes_an_arc(void** state) {
  (void)state;
  const double tip[3] = {0.300226030326, -0.0136007469444, 0};
  // the chamber lies at world +y: local y when the rod's local z is world x
  const char text[] =
      SILICONE "chamber(1).area = 5e-5; chamber(1).pressure = 3e4; chamber(1).offset = [0 8e-3];";
  CHECK_REACHED("S18 chamber, rom n = 5, error/L", static_error(text, 5, tip) / 0.3, 1e-10);
}

// M02 (shear factor 1) and M03: bending in two planes, torsion and stretch of the straight rod.
static void test_frequencies_of_the_straight_rod(void** state) {
  (void)state;
  static const struct {
    double omega, tol;
    const char* what;
  } want[] = {{9.21223781129, 1e-8, "bending 1"},
              {55.8547867921, 1e-6, "bending 2"},
              {95.5956201591, 1e-8, "torsion 1"},
              {149.070897062, 1e-4, "bending 3"},
              {165.576471097, 1e-8, "stretch 1"}};
  rig r = rig_open(SILICONE, 8);
  td_modes_result* modes = NULL;
  assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    double best = 1;
    char what[64];
    for (int i = 0; i < modes->n; i++) best = fmin(best, fabs(modes->omega[i] / want[k].omega - 1));
    snprintf(what, sizeof what, "rom n = 8, %s, relative", want[k].what);
    CHECK_REACHED(what, best, want[k].tol);
  }
  td_modes_free(modes);
  rig_close(&r);
}

// D10, Cosserat iso: the rod is let go and swings.
static void test_the_released_cantilever(void** state) {
  (void)state;
  static const double want[5][3] = {{0.05, 0.299617626148, -0.0151707366368},
                                    {0.1, 0.291972933722, -0.0661594621298},
                                    {0.2, 0.223813168836, -0.186093866917},
                                    {0.5, 0.286775213003, -0.0841369783592},
                                    {1.0, 0.23522531409, -0.173773323825}};
  static const int n[] = {5, 7, 9, 8};
  double error[4] = {0};
  for (int k = 0; k < 4; k++) {
    rig r = rig_open(SILICONE "world.g = [0 -9.81 0]; rod(1).damping = eta*[A A A I I 2*I];", n[k]);
    td_sim_options o = td_sim_options_default();
    td_trajectory* rows = NULL;
    o.t_final = 1;
    o.dt_out = 0.05;
    o.rtol = 1e-10;
    o.atol = 1e-12;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
    for (int i = 0; i < td_trajectory_rows(rows); i++)
      for (int j = 0; j < 5; j++) {
        if (fabs(td_trajectory_time(rows, i) - want[j][0]) > 1e-9) continue;
        const double tip[3] = {want[j][1], want[j][2], 0};
        error[k] = fmax(error[k], distance(td_trajectory_sensors(rows, i), tip));
      }
    td_trajectory_free(rows);
    rig_close(&r);
  }
  printf("D10, tip error [m] at n = 5, 7, 9, 8: %.1e %.1e %.1e %.1e\n", error[0], error[1],
         error[2], error[3]);
  for (int k = 1; k < 3; k++) assert_true(error[k] < error[k - 1] / 20);
  CHECK_REACHED("D10 rom n = 8, tip [m]", error[3], 5e-9);  // as the row has it for eight functions
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_sagging_cantilever_converges_spectrally),
      cmocka_unit_test(test_a_moment_makes_a_circle),
      cmocka_unit_test(test_a_chamber_makes_an_arc),
      cmocka_unit_test(test_frequencies_of_the_straight_rod),
      cmocka_unit_test(test_the_released_cantilever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
