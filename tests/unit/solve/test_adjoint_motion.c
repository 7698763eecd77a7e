// The discrete adjoint of equal steps: against the forward derivative of the same steps, and
// against differences of the computed function.
#include <time.h>

#include "seams.h"

// An objective: sensors, or velocities where there are none, with weights that look random.
static double weight_of(int row, int sensor) { return sin(1 + 3.7 * row + 1.3 * sensor); }

static td_status weigh(void* user, const td_trajectory* rows, double* weights) {
  const int ny = *(const int*)user;
  for (int i = 0; i < td_trajectory_rows(rows); i++)
    for (int j = 0; j < ny; j++) weights[i * ny + j] = weight_of(i, j);
  return TD_OK;
}

// The objective as td_simulate_adjoint computes it, with one `by` moved.
static double objective(const char* text, const td_sim_options* options, td_by by, double d) {
  robot r = robot_open(text);
  td_sim_options o = *options;
  double samples[64], J = 0;
  td_input_table table;
  if (o.inputs) {
    table = *o.inputs;
    memcpy(samples, table.values, sizeof(double) * (size_t)(table.rows * table.n));
    if (by.kind == TD_BY_SAMPLE) samples[by.index] += d;
    table.values = samples;
    o.inputs = &table;
  }
  if (by.kind == TD_BY_PARAM)
    assert_int_equal(
        td_work_set_param(r.model, r.work, by.index, td_work_param(r.model, r.work, by.index) + d),
        TD_OK);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  if (by.kind == TD_BY_POSITION) {
    double* move = calloc((size_t)r.n.nv, sizeof(double));
    move[by.index] = d;
    td_displace(r.model, r.state->q, move, r.state->q);
    free(move);
  }
  if (by.kind == TD_BY_VELOCITY) r.state->v[by.index] += d;
  if (by.kind == TD_BY_INTERNAL) r.state->z[by.index] += d;
  if (by.kind == TD_BY_INPUT) r.state->u[by.index] += d;
  td_trajectory* rows = NULL;
  int ny = r.n.nsensor;
  const td_status status = td_simulate_adjoint(r.model, r.work, r.state, &o, TD_START_GIVEN, weigh,
                                               &ny, NULL, 0, &rows, NULL);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(rows));
  assert_int_equal(status, TD_OK);
  for (int i = 0; i < td_trajectory_rows(rows); i++)
    for (int j = 0; j < ny; j++) J += weight_of(i, j) * td_trajectory_sensors(rows, i)[j];
  td_trajectory_free(rows);
  robot_close(&r);
  return J;
}

// Largest differences, relative to the size of the gradient: to the forward derivative, and to
// differences of order 8 of the computed function.
static void compare(const char* text, const td_sim_options* o, const td_by* by, int n,
                    double* forward, double* differences) {
  double g[64], f[64] = {0};
  robot r = robot_open(text);
  td_trajectory* rows = NULL;
  td_sensitivity* s = NULL;
  int ny = r.n.nsensor;
  td_status status = td_simulate_adjoint(r.model, r.work, r.state, o, TD_START_INITIAL, weigh, &ny,
                                         by, n, &rows, g);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(rows));
  assert_int_equal(status, TD_OK);
  td_trajectory_free(rows);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  status = td_simulate_gradient(r.model, r.work, r.state, o, TD_START_INITIAL, by, n, &rows, &s);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(rows));
  assert_int_equal(status, TD_OK);
  for (int i = 0; i < td_sensitivity_rows(s); i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < ny; j++)
        f[k] += weight_of(i, j) * td_sensitivity_sensors(s, i)[k * ny + j];
  *forward = *differences = 0;
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  for (int k = 0; k < n; k++) {
    double d = 0, size = 1;
    if (by[k].kind == TD_BY_PARAM) size = fabs(td_work_param(r.model, r.work, by[k].index));
    const double h = 4e-3 * size;
    for (int j = 1; j <= 4; j++)
      d += weight[j - 1] / h *
           (objective(text, o, by[k], j * h) - objective(text, o, by[k], -j * h));
    *forward = fmax(*forward, fabs(g[k] - f[k]) / fmax(fabs(f[k]), 1e-12));
    *differences = fmax(*differences, fabs(g[k] - d) / fmax(fabs(d), 1e-12));
    if (getenv("TENDRIL_RATES"))
      print_message("  by %d/%d: adjoint %.10g forward %.10g differences %.10g\n", (int)by[k].kind,
                    by[k].index, g[k], f[k], d);
  }
  td_sensitivity_free(s);
  td_trajectory_free(rows);
  robot_close(&r);
}

static void the_adjoint_is_the_forward_derivative(void** state) {
  (void)state;
  for (int i = 0; i < SEAMS; i++) {
    if (seam_left_out(i) || !strcmp(seam[i].name, "cables")) continue;  // equal steps fold that rod
    td_by by[SEAM_BY];
    const int n = seam_by(i, by);
    td_sim_options o = td_sim_options_default();
    double forward, differences;
    o.solver = TD_SOLVER_FIXED;
    o.t_final = seam[i].t_final;
    o.dt_out = seam[i].t_final / 7.3;
    o.step =
        seam[i].t_final / (seam[i].computed > 1e-7 || strstr(seam[i].name, "cable") ? 500 : 60);
    compare(seam[i].text, &o, by, n, &forward, &differences);
    if (getenv("TENDRIL_RATES"))
      print_message("%-32s forward %.1e, differences %.1e\n", seam[i].name, forward, differences);
    assert_true(forward < 1e-8);
    assert_true(differences < seam[i].computed);
  }
}

// Every sample of an input over time, of which the adjoint takes as many as there are at once.
static void samples_of_an_input(void** state) {
  (void)state;
  const char* text =
      "u1 = input('u1', 0); u2 = input('u2', 0); k = param('k', 20);\n"
      "body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).input = u1 + u2*dof(joint(1),1);\n"
      "sensor(1).name = 'p'; sensor(1).value = [pos(body(1))(1) acc(body(1))(1)];\n";
  double t[9], values[18], forward, differences;
  const int input[2] = {0, 1};
  for (int i = 0; i < 9; i++) {
    t[i] = 0.125 * i;
    values[2 * i] = sin(2.0 * i);
    values[2 * i + 1] = cos(1.5 * i);
  }
  const td_input_table table = {.rows = 9, .n = 2, .t = t, .input = input, .values = values};
  td_by by[19];
  for (int i = 0; i < 18; i++) by[i] = (td_by){TD_BY_SAMPLE, i};
  by[18] = (td_by){TD_BY_PARAM, 0};
  td_sim_options o = td_sim_options_default();
  o.solver = TD_SOLVER_FIXED;
  o.t_final = 1;
  o.dt_out = 0.07;
  o.step = 0.02;
  o.inputs = &table;
  compare(text, &o, by, 19, &forward, &differences);
  if (getenv("TENDRIL_RATES"))
    print_message("samples: forward %.1e, differences %.1e\n", forward, differences);
  assert_true(forward < 1e-8);
  assert_true(differences < 1e-8);

  // the adaptive method
  moved c = moved_of(text, 1, 0.07);
  c.o.inputs = &table;
  assert_true(moved_error(&c, by, 19, NULL) < 1e-6);
}

// Steps in segments of three, or of one: the run is repeated for each, and the gradient has the
// same bits.  Loops, quaternions, one-sided elements, moving stops, internal states, rods, cables.
static void segments_give_the_same_gradient(void** state) {
  (void)state;
  for (int i = 0; i < SEAMS; i++) {
    if (seam_left_out(i) || !strcmp(seam[i].name, "cables")) continue;  // equal steps fold that rod
    td_by by[SEAM_BY];
    double g[2][SEAM_BY] = {{0}};
    const int n = seam_by(i, by);
    for (int few = 0; few < 2; few++) {
      robot r = robot_open(seam[i].text);
      td_sim_options o = td_sim_options_default();
      td_trajectory* rows = NULL;
      int ny = r.n.nsensor;
      o.solver = TD_SOLVER_FIXED;
      o.t_final = seam[i].t_final;
      o.dt_out = seam[i].t_final / 7.3;
      // longer steps of the rom rod do not converge
      o.step = seam[i].t_final / (strstr(seam[i].name, "cable") ? 100
                                  : strstr(seam[i].name, "rom") ? 60
                                                                : 16);
      const int width = 7 + 5 * (r.n.nq + r.n.nv + r.n.nz);  // of a step, about
      o.memory = few ? 8.0 * width * (i % 2 ? 3.2 : 1) : 0;
      const td_status status = td_simulate_adjoint(r.model, r.work, r.state, &o, TD_START_INITIAL,
                                                   weigh, &ny, by, n, &rows, g[few]);
      if (status != TD_OK) print_error("%s: %s\n", seam[i].name, td_trajectory_diagnosis(rows));
      assert_int_equal(status, TD_OK);
      td_trajectory_free(rows);
      robot_close(&r);
    }
    for (int k = 0; k < n; k++) assert_true(fabs(g[0][k] - g[1][k]) <= 1e-11 * fabs(g[0][k]));
  }
}

// Speeds that jump are gone forward through alone.
static void a_jump_is_refused(void** state) {
  (void)state;
  robot r = robot_open(
      "p = param('p', 2); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
      "joint(1).dof(1).motion = p*max(t - .4, 0); body(2).m = 1; joint(2).first = 1;\n"
      "joint(2).second = 2; joint(2).tr.trans = [inf 0 0]; par.solver = 'fixed'; par.step = .05;\n"
      "sensor(1).name = 'x'; sensor(1).value = dof(joint(2),1); par.t_final = 1;\n");
  td_sim_options o = td_sim_options_default();
  td_trajectory* rows = NULL;
  const td_by by = {TD_BY_PARAM, 0};
  int ny = 1;
  double g;
  assert_int_equal(td_simulate_adjoint(r.model, r.work, r.state, &o, TD_START_INITIAL, weigh, &ny,
                                       &by, 1, &rows, &g),
                   TD_E_USAGE);
  assert_non_null(strstr(td_trajectory_diagnosis(rows), "t = 0.4 s a prescribed speed jumps"));
  td_trajectory_free(rows);
  robot_close(&r);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// What derivatives cost, in simulations; printed alone.
static void what_it_costs(void** state) {
  (void)state;
  if (!getenv("TENDRIL_RATES")) skip();
  char text[2000];
  int used = snprintf(text, sizeof text, "world.g = [0 0 -9.81];\n");
  for (int i = 0; i < 10; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "p%d = param('p%d', 1);\n", i, i);
  snprintf(
      text + used, sizeof text - (size_t)used,
      "rod(1).model = 'gvs'; rod(1).order = [-1 -1 1 4 4 2]; rod(1).length = .4;\n"
      "rod(1).radius = .012*p0; rod(1).E = 2e5*p1; rod(1).rho = 1000*p2; rod(1).eta = 400*p3;\n"
      "rod(1).load = [.2*p4 .1*p5*sin(9*t) .1*p6 0 1e-3*p7 1e-3*p8*s]; world.g = [0 0 "
      "-9.81*p9];\n"
      "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), .4) vel(rod(1), .4)];\n");
  td_by by[10];
  double g[10];
  for (int i = 0; i < 10; i++) by[i] = (td_by){TD_BY_PARAM, i};
  for (int equal = 0; equal < 2; equal++) {
    double best[3] = {1e9, 1e9, 1e9};
    for (int again = 0; again < 3; again++)
      for (int kind = 0; kind < (equal ? 3 : 2); kind++) {
        robot r = robot_open(text);
        td_sim_options o = td_sim_options_default();
        td_trajectory* rows = NULL;
        td_sensitivity* s = NULL;
        int ny = r.n.nsensor;
        o.t_final = 1;
        o.dt_out = 0.02;
        o.solver = equal ? TD_SOLVER_FIXED : TD_SOLVER_STIFF;
        if (equal) o.step = 0.005;
        const double from = seconds();
        td_status status = kind == 0 ? td_simulate(r.model, r.work, r.state, &o, &rows)
                           : kind == 1
                               ? td_simulate_gradient(r.model, r.work, r.state, &o,
                                                      TD_START_INITIAL, by, 10, &rows, &s)
                               : td_simulate_adjoint(r.model, r.work, r.state, &o, TD_START_INITIAL,
                                                     weigh, &ny, by, 10, &rows, g);
        best[kind] = fmin(best[kind], seconds() - from);
        assert_int_equal(status, TD_OK);
        td_sensitivity_free(s);
        td_trajectory_free(rows);
        robot_close(&r);
      }
    print_message("%s: simulation %.3f s, ten parameters %.1f times that",
                  equal ? "fixed" : "stiff", best[0], best[1] / best[0]);
    print_message(equal ? ", adjoint %.1f times\n" : "\n", best[2] / best[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_adjoint_is_the_forward_derivative),
      cmocka_unit_test(samples_of_an_input),
      cmocka_unit_test(segments_give_the_same_gradient),
      cmocka_unit_test(a_jump_is_refused),
      cmocka_unit_test(what_it_costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
