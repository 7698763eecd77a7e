// Motions with known answers, through the public interface: the IFToMM benchmark mechanisms, tops,
// chains and chaos. Numbers are from closed forms or from independent computations of higher
// precision.
#include "check.h"
#include "tendril/tendril.h"

// ---- running a model --------------------------------------------------------------------------

typedef struct sim {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_sim_options options;
  td_trajectory* rows;
} sim;

static void show(sim* s) {
  print_error("%s\n", td_spec_messages(s->spec));
  if (s->rows != NULL) print_error("%s\n", td_trajectory_diagnosis(s->rows));
}

static sim open_with(const char* file, const char* const* overrides) {
  sim s = {.spec = td_spec_new(), .options = td_sim_options_default()};
  char path[1024];
  snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/verify/models/%s", file);
  for (int i = 0; overrides != NULL && overrides[i] != NULL; i += 2) {
    assert_int_equal(td_spec_override(s.spec, overrides[i], overrides[i + 1]), TD_OK);
  }
  if (td_spec_load_file(s.spec, path) != TD_OK || td_model_compile(s.spec, &s.model) != TD_OK) {
    show(&s);
    fail();
  }
  s.work = td_work_new(s.model);
  s.state = td_state_new(s.model);
  if (td_state_initial(s.model, s.work, s.state) != TD_OK) {
    show(&s);
    fail();
  }
  return s;
}

static sim open_model(const char* file) { return open_with(file, NULL); }

static const td_sim_stats* run(sim* s, double t_final, double dt_out, double tol) {
  s->options.t_final = t_final;
  s->options.dt_out = dt_out;
  s->options.rtol = s->options.atol = tol;
  const td_status status = td_simulate(s->model, s->work, s->state, &s->options, &s->rows);
  if (status != TD_OK) {
    show(s);
    fail_msg("%s", td_status_text(status));
  }
  return td_trajectory_stats(s->rows);
}

static void close_model(sim* s) {
  td_trajectory_free(s->rows);
  td_state_free(s->state);
  td_work_free(s->work);
  td_model_free(s->model);
  td_spec_free(s->spec);
}

// Value of a sensor at the row of time t.
static double at(const sim* s, const char* sensor, double t) {
  const int column = td_model_sensor_find(s->model, sensor);
  assert_true(column >= 0);
  for (int i = 0; i < td_trajectory_rows(s->rows); i++) {
    if (fabs(td_trajectory_time(s->rows, i) - t) < 1e-9)
      return td_trajectory_sensors(s->rows, i)[column];
  }
  fail_msg("no row at t = %g", t);
  return NAN;
}

static double at_n(const sim* s, const char* sensor, const char* part, double t) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", sensor, part);
  return at(s, name, t);
}

static const char* const xyz[3] = {"x", "y", "z"};

static double distance(const sim* s, const char* sensor, double t, const double want[3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double d = at_n(s, sensor, xyz[i], t) - want[i];
    sum += d * d;
  }
  return sqrt(sum);
}

// Largest |E(t) - E(0) - W(t)| over the rows.
static double balance(const sim* s) {
  const double* e0 = td_trajectory_energy(s->rows, 0);
  double worst = 0;
  for (int i = 0; i < td_trajectory_rows(s->rows); i++) {
    const double* e = td_trajectory_energy(s->rows, i);
    worst = fmax(worst, fabs(e[0] + e[1] + e[2] - e[3] - e0[0] - e0[1] - e0[2]));
  }
  return worst;
}

// ---- D01: exact by Jacobi's elliptic functions ------------------------------------------------

static void simple_pendulum(void** state) {
  (void)state;
  sim s = open_model("pendulum_point.m");
  run(&s, 10, 0.01, 1e-10);
  CHECK_REACHED("D01 pendulum x(10 s)", fabs(at_n(&s, "mass", "x", 10) + 0.2750874625761169), 1e-6);
  CHECK_REACHED("D01 pendulum y(10 s)", fabs(at_n(&s, "mass", "y", 10) + 0.9614192050991252), 1e-6);
  CHECK_REACHED("D01 pendulum x(9.99 s)", fabs(at_n(&s, "mass", "x", 9.99) + 0.3164364699130323),
                1e-6);
  CHECK_REACHED("D01 energy over 10 s", balance(&s), 5e-5);
  close_model(&s);
}

// at the default tolerances the interpolated rows are as good as the steps
static void pendulum_by_both_solvers(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim s = open_model("pendulum_point.m");
    s.options.solver = k == 0 ? TD_SOLVER_EXPLICIT : TD_SOLVER_STIFF;
    const td_sim_stats* stats = run(&s, 10, 0.01, 1e-8);
    assert_int_equal(stats->solver, s.options.solver);
    CHECK_REACHED(k == 0 ? "D01 explicit, 1e-8" : "D01 stiff, 1e-8",
                  fabs(at_n(&s, "mass", "x", 9.99) + 0.3164364699130323), k == 0 ? 1e-6 : 1e-4);
    close_model(&s);
  }
}

// ---- D02: one circulating pendulum, exact -----------------------------------------------------

static void four_bars(const char* count, double x, double y, double tol) {
  const char* const overrides[] = {"N", count, NULL};
  sim s = open_with("n_four_bar.m", overrides);
  const td_sim_stats* stats = run(&s, 10, 0.1, tol);
  char text[64];
  snprintf(text, sizeof text, "D02 N = %s, top at 10 s", count);
  CHECK_REACHED(text, hypot(at_n(&s, "top", "x", 10) - x, at_n(&s, "top", "y", 10) - y), 1e-4);
  snprintf(text, sizeof text, "D02 N = %s, energy", count);
  CHECK_REACHED(text, balance(&s), 1e-3);
  snprintf(text, sizeof text, "D02 N = %s, constraints", count);
  CHECK_REACHED(text, stats->max_constraint_error, 1e-9);
  close_model(&s);
}

static void four_bar_mechanisms_pass_the_singular_position(void** state) {
  (void)state;
  four_bars("1", 0.4783850577609706, 0.8781501787912093, 1e-9);
  four_bars("2", 0.3284581115408154, 0.944518538178601, 1e-9);
}

static void forty_windows(void** state) {
  (void)state;
  four_bars("40", 0.1805122266867284, 0.9835727405823116, 1e-8);
}

// ---- D03: 34-digit energy quadrature ----------------------------------------------------------

static void squeezer(void** state) {
  (void)state;
  sim s = open_model("squeezer.m");
  const td_sim_stats* stats = run(&s, 0.03, 1e-3, 1e-10);
  const double q[7] = {15.810771195153707, -15.756371058411846, 0.0408222401196468,
                       0.5244099658799543, -0.5347301163420775, 1.048080741041938,
                       0.534730116342077};
  const char* const name[7] = {"beta", "Theta", "gamma", "delta", "Phi", "epsilon", "Omega"};
  for (int i = 0; i < 7; i++) {
    char text[64];
    snprintf(text, sizeof text, "D03 %s(0.03 s)", name[i]);
    CHECK_REACHED(text, fabs(at(&s, name[i], 0.03) - q[i]), 1e-6);
  }
  CHECK_REACHED("D03 constraint residual", stats->max_constraint_error, 1e-10);
  CHECK_REACHED("D03 energy balance [J]", balance(&s), 1e-7);
  close_model(&s);
}

// ---- D04 --------------------------------------------------------------------------------------

static void bricard(void** state) {
  (void)state;
  sim s = open_model("bricard.m");
  const td_sim_stats* stats = run(&s, 10, 0.5, 1e-10);
  const double one[3] = {0.510501461187, -1.64916759939, 0.140123114553};
  const double ten[3] = {0.999999963807, -1.0002690127, 0.999730951118};
  const double two[3] = {-0.778135373033, -0.980352683443, -0.197252670617};
  CHECK_REACHED("D04 P3(1 s)", distance(&s, "P3", 1, one), 1e-6);
  CHECK_REACHED("D04 P2(2 s)", distance(&s, "P2", 2, two), 1e-6);
  CHECK_REACHED("D04 P3(10 s)", distance(&s, "P3", 10, ten), 1e-4);
  CHECK_REACHED("D04 energy over 10 s", balance(&s), 1e-6);
  CHECK_REACHED("D04 constraint residual", stats->max_constraint_error, 1e-9);
  CHECK_REACHED("D04 velocity residual", stats->max_velocity_error, 1e-8);
  close_model(&s);
}

// ---- D05 --------------------------------------------------------------------------------------

static void governor(void** state) {
  (void)state;
  sim s = open_model("governor.m");
  const td_sim_stats* stats = run(&s, 10, 0.1, 1e-9);
  assert_int_equal(stats->solver, TD_SOLVER_STIFF);  // by the rule
  CHECK_REACHED("D05 s(1 s)", fabs(at(&s, "s", 1) - 0.50142092238), 1e-5);
  CHECK_REACHED("D05 s(10 s)", fabs(at(&s, "s", 10) - 0.619622917061), 1e-5);
  CHECK_REACHED("D05 psi(10 s)", fabs(at(&s, "psi", 10) - 1.18072262495), 1e-5);
  CHECK_REACHED("D05 omega(10 s)", fabs(at(&s, "omega", 10) - 5.54820362266), 1e-4);
  CHECK_REACHED("D05 phi(10 s)", fabs(at(&s, "phi", 10) - 55.9354099091), 1e-4);
  CHECK_REACHED("D05 energy balance [J]", balance(&s), 1e-3);
  close_model(&s);
}

// ---- D06: 40 digits ---------------------------------------------------------------------------

static void double_pendulum(void** state) {
  (void)state;
  sim s = open_model("double_pendulum.m");
  run(&s, 5, 0.1, 1e-12);
  CHECK_REACHED("D06 th1(2 s)", fabs(at(&s, "th1", 2) + 0.4829715342517544), 1e-9);
  CHECK_REACHED("D06 th2(2 s)", fabs(at(&s, "th2", 2) + 1.3240487123023625), 1e-9);
  CHECK_REACHED("D06 w2(2 s)", fabs(at(&s, "w2", 2) - 2.949271547571619), 1e-8);
  CHECK_REACHED("D06 th1(5 s)", fabs(at(&s, "th1", 5) + 0.6271867050665307), 1e-6);
  CHECK_REACHED("D06 th2(5 s)", fabs(at(&s, "th2", 5) + 1.3013155502098117), 1e-6);
  close_model(&s);
}

// ---- D07, D08: tops ---------------------------------------------------------------------------

static sim open_top(const char* const* overrides, double wx, double wy, double wz) {
  sim s = open_with("top.m", overrides);
  assert_int_equal(td_model_sizes(s.model).nv, 3);
  s.state->v[0] = wx, s.state->v[1] = wy, s.state->v[2] = wz;
  return s;
}

static void heavy_top(void** state) {
  (void)state;
  sim s = open_top(NULL, 0, 150, -4.61538);
  run(&s, 2, 0.1, 1e-10);
  const double com[3] = {-0.150416822745642, -0.724165591636897, -0.673022269560443};
  const double omega[3] = {0.122233219497386, 150, -5.855624589205451};
  CHECK_REACHED("D07 heavy top, centre of mass at 2 s", distance(&s, "com", 2, com), 1e-7);
  CHECK_REACHED("D07 heavy top, angular velocity at 2 s", distance(&s, "omega", 2, omega), 1e-6);
  CHECK_REACHED("D07 heavy top, energy [J]", balance(&s), 1e-5);
  close_model(&s);
}

// BDF with the exact Jacobian on unit quaternions and on loops; far from its field, so at tight
// tolerances
static void stiff_solver_on_quaternions_and_loops(void** state) {
  (void)state;
  sim top = open_top(NULL, 0, 150, -4.61538);
  top.options.solver = TD_SOLVER_STIFF;
  run(&top, 0.2, 0.1, 1e-10);
  const double com[3] = {0.60555056137712, 0.598957681794919, -0.523983027430003};
  CHECK_REACHED("D07 heavy top by BDF at 0.2 s", distance(&top, "com", 0.2, com), 1e-5);
  close_model(&top);

  sim loop = open_model("bricard.m");
  loop.options.solver = TD_SOLVER_STIFF;
  const td_sim_stats* stats = run(&loop, 1, 0.5, 1e-9);
  const double one[3] = {0.510501461187, -1.64916759939, 0.140123114553};
  CHECK_REACHED("D04 Bricard by BDF at 1 s", distance(&loop, "P3", 1, one), 1e-5);
  CHECK_REACHED("D04 Bricard by BDF, constraints", stats->max_constraint_error, 1e-9);
  close_model(&loop);
}

static void dzhanibekov(void** state) {
  (void)state;
  const char* const overrides[] = {"g", "0", "com", "0", "J1", "1", "J2", "2", "J3", "3", NULL};
  sim s = open_top(overrides, 0.01, 2, 0.01);
  run(&s, 20, 0.1, 1e-14);
  const double omega[3] = {0.130081137141457, 1.995790294033916, 0.075544914322573};
  const double L[3] = {0.01, 4, 0.03};
  double drift = 0;
  for (int i = 0; i <= 200; i++) drift = fmax(drift, distance(&s, "L", 0.1 * i, L));
  CHECK_REACHED("D08 Dzhanibekov, omega at 20 s", distance(&s, "omega", 20, omega), 1e-6);
  CHECK_REACHED("D08 Dzhanibekov, angular momentum", drift, 1e-12);
  close_model(&s);
}

// 100 turns of a tumbling body at rtol 1e-10; |L| = 10.7
static void torque_free_body_keeps_its_angular_momentum(void** state) {
  (void)state;
  const char* const overrides[] = {"g", "0", "com", "0", "J1", "1", "J2", "2", "J3", "3", NULL};
  sim s = open_top(overrides, 1, 2, 3);
  const double turns = 100 * 2 * 3.14159265358979 / sqrt(14.0);
  run(&s, turns, turns / 50, 1e-10);
  const double L[3] = {1, 4, 9};
  double drift = 0;
  for (int i = 0; i <= 50; i++)
    drift = fmax(drift, distance(&s, "L", i * turns / 50, L) / sqrt(98));
  CHECK_REACHED("torque-free body, angular momentum over 100 turns", drift, 1e-10);
  CHECK_REACHED("torque-free body, energy over 100 turns", balance(&s) / 18, 1e-9);
  close_model(&s);
}

// ---- D09, D21 ---------------------------------------------------------------------------------

static void chain(void** state) {
  (void)state;
  sim s = open_model("chain.m");
  run(&s, 3, 0.1, 1e-11);
  const double one[3] = {-0.918963763999, 0.0812922922317, 0.107201655421};
  const double three[3] = {-0.942054723442, 0.105196751277, -0.443944357276};
  CHECK_REACHED("D09 chain, end at 1 s", distance(&s, "end", 1, one), 1e-7);
  CHECK_REACHED("D09 chain, end at 3 s", distance(&s, "end", 3, three), 1e-6);
  close_model(&s);
}

// v = vt tanh(g t/vt),  y = vt²/g ln cosh(g t/vt),  vt² = m g/c
static void quadratic_drag(void** state) {
  (void)state;
  sim s = open_model("drag_fall.m");
  run(&s, 5, 0.5, 1e-12);
  const double g = 9.81, vt = sqrt(0.5 * g / 0.02);
  double worst = 0;
  for (int i = 1; i <= 10; i++) {
    const double t = 0.5 * i, v = vt * tanh(g * t / vt), y = vt * vt / g * log(cosh(g * t / vt));
    worst = fmax(worst, fmax(fabs(at(&s, "v", t) / v - 1), fabs(at(&s, "y", t) / y - 1)));
  }
  CHECK_REACHED("D21 drag fall, relative", worst, 1e-10);
  CHECK_REACHED("D21 energy balance [J]", balance(&s), 1e-9);
  close_model(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simple_pendulum),
      cmocka_unit_test(pendulum_by_both_solvers),
      cmocka_unit_test(four_bar_mechanisms_pass_the_singular_position),
      cmocka_unit_test(forty_windows),
      cmocka_unit_test(squeezer),
      cmocka_unit_test(bricard),
      cmocka_unit_test(governor),
      cmocka_unit_test(double_pendulum),
      cmocka_unit_test(heavy_top),
      cmocka_unit_test(stiff_solver_on_quaternions_and_loops),
      cmocka_unit_test(dzhanibekov),
      cmocka_unit_test(torque_free_body_keeps_its_angular_momentum),
      cmocka_unit_test(chain),
      cmocka_unit_test(quadratic_drag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
