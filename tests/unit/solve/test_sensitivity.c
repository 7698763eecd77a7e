// Changes of trajectories against closed forms and against differences of whole simulations.
#include "seams.h"

// m x'' + d x' + k x = u from x(0) = x0 at rest: x = x0 e^{-δt} (cos ωt + δ/ω sin ωt) for u = 0.
static void an_oscillator_has_a_closed_form(void** state) {
  (void)state;
  const char* text =
      "k = param('k', 40); d = param('d', 0.6); m = param('m', 2); x0 = param('x0', 0.3);\n"
      "body(1).m = m; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = d; joint(1).dof(1).init = "
      "x0;\n"
      "joint(1).dof(1).spring.init = 0;\n";
  robot r = robot_open(text);
  td_by by[4];
  const int n = moved_params(text, "k d m x0", by);
  td_sim_options o = td_sim_options_default();
  o.t_final = 2;
  o.dt_out = 0.05;
  o.rtol = 1e-10;
  o.atol = 1e-13;
  td_trajectory* rows;
  td_sensitivity* s;
  assert_int_equal(
      td_simulate_gradient(r.model, r.work, r.state, &o, TD_START_INITIAL, by, n, &rows, &s),
      TD_OK);
  double worst = 0;
  for (int i = 0; i < td_trajectory_rows(rows); i++) {
    const double t = td_trajectory_time(rows, i), k = 40, d = 0.6, m = 2, x0 = 0.3;
    const double e = d / (2 * m), w = sqrt(k / m - e * e), E = exp(-e * t), c = cos(w * t),
                 z = sin(w * t);
    // x = x0 E (c + e/w z); derivatives by e and w, then by k, d, m
    const double x_e = x0 * E * (-t * (c + e / w * z) + z / w);
    const double x_w = x0 * E * (-t * z - e / (w * w) * z + e / w * t * c);
    const double e_d = 1 / (2 * m), e_m = -e / m;
    const double w_k = 1 / (2 * m * w), w_d = -e * e_d / w,
                 w_m = (-k / (m * m) - 2 * e * e_m) / 2 / w;
    const double exact[4] = {x_w * w_k, x_e * e_d + x_w * w_d, x_e * e_m + x_w * w_m,
                             E * (c + e / w * z)};
    for (int j = 0; j < n; j++) worst = fmax(worst, fabs(td_sensitivity_q(s, i)[j] - exact[j]));
  }
  if (getenv("TENDRIL_RATES"))
    print_message("oscillator %.2e, %s\n", worst, td_sensitivity_note(s));
  assert_true(worst < 1e-8);
  td_sensitivity_free(s);
  td_trajectory_free(rows);
  robot_close(&r);
}

static void every_seam_against_differences(void** state) {
  (void)state;
  for (int i = 0; i < SEAMS; i++) {
    if (seam_left_out(i)) continue;
    td_by by[SEAM_BY];
    const int n = seam_by(i, by);
    moved c = moved_of(seam[i].text, seam[i].t_final, seam[i].t_final / 7);
    c.reference = seam[i].reference;
    c.step = 2e-3;
    const double error = moved_error(&c, by, n, NULL);
    if (getenv("TENDRIL_RATES")) print_message("%-32s %.2e\n", seam[i].name, error);
    if (!(error < seam[i].most)) print_error("%s: %.2e\n", seam[i].name, error);
    assert_true(error < seam[i].most);
  }
}

// A motion from an equilibrium that moves: the input is offset, and a load begins at t = 0.
static void an_equilibrium_moves(void** state) {
  (void)state;
  const char* text = ROD "rod(1).model = 'gvs'; rod(1).order = [-1 -1 0 1 1 0];\n";
  td_by by[4];
  int n = moved_params(text, "E r f", by);
  by[n++] = (td_by){TD_BY_INPUT, 0};
  moved c = moved_of(text, 0.2, 0.03);
  c.start = TD_START_EQUILIBRIUM;
  c.reference = TD_SOLVER_STIFF;
  c.step = 2e-3;
  const double error = moved_error(&c, by, n, NULL);
  if (getenv("TENDRIL_RATES")) print_message("from an equilibrium %.2e\n", error);
  assert_true(error < 3e-6);
}

// Prescribed speeds jump at the start and later, at times that parameters move, of coordinates and
// of a constraint; written rates do not meet the constraint, which takes a part of them.
static void speeds_that_jump_against_differences(void** state) {
  (void)state;
#define ARM                                                                                      \
  "world.g = [0 0 -9.81]; a = param('a', .3); m = param('m', .4); w = param('w', .7);\n"         \
  "l = param('l', .5); ts = param('ts', .15); body(1).m = 1; body(1).I = .1*eye(3);\n"           \
  "body(1).l_com = [.2 0 0]; body(2).m = m; body(2).I = .02*eye(3); body(2).l_com = [.1 0 .05];" \
  "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [l 0 0]; joint(2).tr.rot = [2 "  \
  "inf]; joint(2).dof(1).rate = .6*w; joint(2).dof(1).spring.coeff = 2;\n"                       \
  "joint(2).dof(1).damp.visc = .1; joint(1).second = 1; joint(1).tr.rot = [2 inf];\n"            \
  "sensor(1).name = 'p'; sensor(1).value = [pos(body(2), [.1 0 0]) vel(body(2), [.1 0 0])];\n"
  static const char* const texts[] = {
      ARM "joint(1).dof(1).motion = a*max(t, 0) - 2*a*max(t - ts, 0) + a^2*max(t - .25, 0);\n",
      ARM
      "joint(1).dof(1).init = .5; joint(1).dof(1).rate = w; joint(3).second = 1;\n"
      "joint(3).tr2nd.trans = [.4 0 0]; joint(3).fixed = [1 0 0];\n"
      "joint(3).motion = [.4*cos(.5) - a*max(t - ts, 0) - a*max(t, 0) 0 0];\n",
  };
  for (int i = 0; i < 4; i++) {
    td_by by[8];
    const int n = moved_params(texts[i % 2], "a m w l ts", by);
    moved c = moved_of(texts[i % 2], .3, .3 / 7);
    c.step = 2e-3;
    if (i >= 2) c.o.solver = TD_SOLVER_FIXED, c.o.step = 1e-3;
    // lengths of equal steps before a time that moves count as given
    const int by_numbers = i >= 2 ? n - 1 : n;
    CHECK_REACHED("speeds that jump", moved_error(&c, by, by_numbers, NULL), 1e-7);
  }
}

// Forces jump at times that parameters move, in every operation that jumps; a corner that happens
// at the time of a jump does not matter.
static void times_of_jumps_against_differences(void** state) {
  (void)state;
#define SPRING                                                                     \
  "a = param('a', .1); b = param('b', .31); body(1).m = 1; joint(1).second = 1;\n" \
  "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).spring.coeff = 40;\n"         \
  "sensor(1).name = 'p'; sensor(1).value = pos(body(1))(1); joint(1).dof(1).input = "
  static const char* const texts[] = {
      SPRING "ifelse(mod(t - a, b) < .07, 1, 3);\n",
      SPRING "floor(t/b) + ceil((t + a)/.37) + round(t/b + a);\n",
      SPRING "sign(t - b) + step(max(t - a, 0) - min(b, t), .05);\n",
      SPRING "interp1([0 .2 .5 2], [0 3 -2 1], t/(1 + a) - b/4, 'previous');\n",
      SPRING "step(t, b) + a*step(t, .31*b/.31) + 2*max(t - .31, 0);\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    td_by by[4];
    const int n = moved_params(texts[i], "a b", by);
    moved c = moved_of(texts[i], .9, .9);
    c.step = 2e-3;
    CHECK_REACHED("times of jumps", moved_error(&c, by, n, NULL), 1e-7);
  }
}

// What is refused says what and why, and leaves no result.
static void what_is_refused(void** state) {
  (void)state;
#define MASS \
  "p = param('p', 2); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
  static const struct {
    const char *text, *why;
    td_by by;
  } refused[] = {
      {MASS "n = param('n', 3); for i = 1:n, end\n",
       "parameter 'n' was used while loading",
       {TD_BY_PARAM, 1}},
      {MASS, "there is no parameter of number 7", {TD_BY_PARAM, 7}},
      {MASS, "there is no input of number 0", {TD_BY_INPUT, 0}},
      {MASS, "there is no sample of an input of number 0", {TD_BY_SAMPLE, 0}},
      {MASS "joint(1).dof(1).motion = p*t^3;\n", "is prescribed", {TD_BY_VELOCITY, 0}},
      {MASS
       "joint(1).dof(1).motion = p*max(t - .01, 0); body(2).m = 1; joint(2).first = 1; "
       "joint(2).second = 2; joint(2).tr.trans = [inf 0 0]; rod(1).length = .3; rod(1).radius = "
       ".01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).eta = 300; rod(1).model = 'ebr'; "
       "cable(1).rod = 1; cable(1).path = [-.008 0]; cable(1).pull = -.01;\n",
       "with cables that cannot be stretched are not differentiated across that",
       {TD_BY_PARAM, 0}},
      {MASS "joint(1).dof(1).rate = p; event(1).name = 'there'; event(1).when = dof(joint(1),1) - "
            "1; event(1).then = 'stop';\n",
       "event 'there' ends the run",
       {TD_BY_PARAM, 0}},
      {MASS "joint(1).dof(1).rate = p; joint(1).dof(1).input = -sign(dof(joint(1),1) - 1);\n",
       "with a jump of the rates",
       {TD_BY_PARAM, 0}},
      {MASS "joint(1).dof(1).rate = p; par.solver = 'fixed'; par.step = 0.013; par.t_final = 2;\n"
            "joint(1).dof(1).input = ifelse(dof(joint(1),1) > 0.3, -2, 0);\n",
       "with a jump of the rates",
       {TD_BY_PARAM, 0}},
      {MASS "joint(1).dof(1).rate = 1; par.solver = 'fixed'; par.step = 0.01;\n"
            "joint(1).dof(1).input = -p*sign(vel(body(1))(1));\n",
       "with a jump of the rates",
       {TD_BY_PARAM, 0}},
      {MASS "world.g = [-1 0 0]; par.solver = 'fixed'; par.step = 0.01;\n"
            "joint(1).dof(1).input = -p*sign(vel(body(1))(1));\n",
       "with a jump of the rates",
       {TD_BY_PARAM, 0}},
      {MASS "joint(1).dof(1).input = step(sin(p*t), .5);\n",
       "jumps at times that parameter 'p' moves and that are not those of straight lines",
       {TD_BY_PARAM, 0}},
      {MASS "joint(1).dof(1).input = step(t, p/200) + step(t, .01);\n",
       "several things jump whose times parameters move differently",
       {TD_BY_PARAM, 0}},
      {MASS
       "u = input('u', 0); joint(1).dof(1).input = u; control(1).inputs = {'u'}; control(1).law "
       "= -p*dof(joint(1),1);\n",
       "controllers and tasks",
       {TD_BY_PARAM, 0}},
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    robot r = robot_open(refused[i].text);
    td_sim_options o = td_sim_options_default();
    td_trajectory* rows = NULL;
    td_sensitivity* s = NULL;
    o.t_final = 1;
    o.dt_out = 0.1;
    assert_int_equal(td_simulate_gradient(r.model, r.work, r.state, &o, TD_START_INITIAL,
                                          &refused[i].by, 1, &rows, &s),
                     TD_E_USAGE);
    assert_null(s);
    if (!strstr(td_trajectory_diagnosis(rows), refused[i].why))
      print_error("%s instead of %s\n", td_trajectory_diagnosis(rows), refused[i].why);
    assert_non_null(strstr(td_trajectory_diagnosis(rows), refused[i].why));
    td_trajectory_free(rows);
    robot_close(&r);
  }

  // nothing given
  td_trajectory* rows = NULL;
  td_sensitivity* s = NULL;
  assert_int_equal(td_simulate_gradient(NULL, NULL, NULL, NULL, TD_START_GIVEN, NULL, 0, &rows, &s),
                   TD_E_USAGE);
  assert_int_equal(
      td_simulate_gradient(NULL, NULL, NULL, NULL, TD_START_GIVEN, NULL, 0, NULL, NULL),
      TD_E_USAGE);
  assert_int_equal(
      td_simulate_adjoint(NULL, NULL, NULL, NULL, TD_START_GIVEN, NULL, NULL, NULL, 0, &rows, NULL),
      TD_E_USAGE);
  assert_null(td_sensitivity_q(NULL, 0));
  assert_int_equal(td_sensitivity_rows(NULL), 0);
  td_sensitivity_free(NULL);
}

// At rest the states let steps be long, their changes do not.
static void changes_hold_the_steps(void** state) {
  (void)state;
  const char* text =
      "u1 = input('u1', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
      "joint(1).dof(1).spring.coeff = 400; joint(1).dof(1).input = u1;\n";
  robot r = robot_open(text);
  const td_by by = {TD_BY_INPUT, 0};
  td_sim_options o = td_sim_options_default();
  td_trajectory* rows;
  td_sensitivity* s;
  double worst = 0;
  o.t_final = 10;
  o.dt_out = 0.1;
  o.rtol = 1e-8;
  assert_int_equal(
      td_simulate_gradient(r.model, r.work, r.state, &o, TD_START_INITIAL, &by, 1, &rows, &s),
      TD_OK);
  for (int i = 0; i < td_sensitivity_rows(s); i++)
    worst = fmax(
        worst,
        fabs(td_sensitivity_q(s, i)[0] - (1 - cos(20 * td_trajectory_time(rows, i))) / 400) * 400);
  if (getenv("TENDRIL_RATES")) print_message("at rest %.2e\n", worst);
  assert_true(worst < 1e-4);
  td_sensitivity_free(s);
  td_trajectory_free(rows);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_oscillator_has_a_closed_form),
      cmocka_unit_test(every_seam_against_differences),
      cmocka_unit_test(an_equilibrium_moves),
      cmocka_unit_test(speeds_that_jump_against_differences),
      cmocka_unit_test(times_of_jumps_against_differences),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(changes_hold_the_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
