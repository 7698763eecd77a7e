// Derivatives of equilibria: closed forms, and differences of order 8 of whole equilibria.
#include <time.h>

#include "engine/engine.h"
#include "gradient_robots.h"

enum { MOST = 400 };

static double value_of(const robot* r, td_by by) {
  if (by.kind == TD_BY_PARAM) return td_work_param(r->model, r->work, by.index);
  return by.kind == TD_BY_INPUT ? r->state->u[by.index] : r->state->z[by.index];
}

// Sensors and potential energy.
static void results(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  const td_energies e = td_energy(r->model, r->state, r->work);
  y[r->n.nsensor] = e.elastic + e.gravity;
}

// Differences of order 8 with the step h.
static void differences(robot* r, const td_state* at, td_by by, double value, double h, double* d) {
  double y[MOST];
  const int n = r->n.nsensor + 1;
  memset(d, 0, sizeof(double) * (size_t)n);
  for (int k = 1; k <= 4; k++)
    for (int side = -1; side <= 1; side += 2) {
      resting_solve(r, at, by, value + side * k * h);
      results(r, y);
      for (int i = 0; i < n; i++) d[i] += side * eighth[k - 1] * y[i] / h;
    }
  resting_solve(r, at, by, value);
}

static void the_gradient_is_the_differences(void** ctx) {
  (void)ctx;
  for (int i = 0; i < RESTING; i++) {
    robot r = resting_open(i);
    td_by by[16];
    const int n = resting_by(&r, by), ny = r.n.nsensor;
    assert_true(ny + 1 <= MOST);
    td_state* at = td_state_new(r.model);
    double *dy = calloc((size_t)(n * ny) + 1, sizeof(double)), denergy[16], d[2][MOST];
    resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
    td_state_copy(r.model, r.state, at);
    const td_status status =
        td_equilibrium_gradient(r.model, r.state, r.work, by, n, NULL, NULL, NULL, dy, denergy);
    if (status != TD_OK) print_error("%s: %s\n", resting_robots[i].name, td_work_failure(r.work));
    assert_int_equal(status, TD_OK);
    double worst = 0, own = 0;
    for (int k = 0; k < n; k++) {
      const double value = value_of(&r, by[k]), h = 4e-3 * fmax(fabs(value), 1e-3);
      differences(&r, at, by[k], value, h, d[0]);
      differences(&r, at, by[k], value, h / 2, d[1]);
      for (int j = 0; j <= ny; j++) {
        const double got = j < ny ? dy[k * ny + j] : denergy[k];
        double scale = 1e-3;
        for (int l = 0; l <= ny; l++) scale = fmax(scale, fabs(d[1][l]));
        const double error = fabs(got - d[1][j]) / scale, agree = fabs(d[0][j] - d[1][j]) / scale;
        worst = fmax(worst, error);
        own = fmax(own, agree);
        if (error > resting_robots[i].tol)
          print_error("%s: sensor %s by %d: %.12g, differences %.12g and %.12g\n",
                      resting_robots[i].name, j < ny ? td_model_sensor_name(r.model, j) : "energy",
                      k, got, d[0][j], d[1][j]);
      }
    }
    print_message("%-18s error %.1e, of the differences %.1e, note '%s'\n", resting_robots[i].name,
                  worst, own, td_work_gradient_note(r.work));
    CHECK_REACHED(resting_robots[i].name, worst, resting_robots[i].tol);
    free(dy);
    td_state_free(at);
    robot_close(&r);
  }
}

// Weights of coordinates and of sensors, one after the other: by sweeps where they have one.
static void the_adjoint_is_the_gradient(void** ctx) {
  (void)ctx;
  for (int i = 0; i < RESTING; i++) {
    robot r = resting_open(i);
    td_by by[24];
    int n = resting_by(&r, by);
    for (int k = 0; k < r.n.nz; k++) by[n++] = (td_by){TD_BY_INTERNAL, k};
    const int ny = r.n.nsensor, nv = r.n.nv;
    double *dy = calloc((size_t)(n * ny) + 1, sizeof(double)),
           *dq = calloc((size_t)(n * nv) + 1, sizeof(double)),
           *wq = calloc((size_t)nv + 1, sizeof(double)),
           *wy = calloc((size_t)ny + 1, sizeof(double)), denergy[24], got[24];
    uint64_t seed = 5;
    resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
    assert_int_equal(
        td_equilibrium_gradient(r.model, r.state, r.work, by, n, dq, NULL, NULL, dy, denergy),
        TD_OK);
    double worst = 0;
    for (int j = -1; j <= ny; j++) {
      memset(wy, 0, sizeof(double) * (size_t)ny);
      for (int k = 0; k < nv; k++) wq[k] = check_random(&seed);
      if (j >= 0 && j < ny) wy[j] = check_random(&seed);
      const double we = j == ny ? .7 : 0;
      assert_int_equal(td_equilibrium_adjoint(r.model, r.state, r.work, wy, wq, we, by, n, got),
                       TD_OK);
      for (int k = 0; k < n; k++) {
        double want = we * denergy[k], size = 1e-3;
        for (int l = 0; l < nv; l++) want += wq[l] * dq[k * nv + l];
        for (int l = 0; l < ny; l++) want += wy[l] * dy[k * ny + l];
        for (int l = 0; l < nv; l++) size += fabs(wq[l] * dq[k * nv + l]);
        for (int l = 0; l < ny; l++) size += fabs(wy[l] * dy[k * ny + l]);
        if (fabs(got[k] - want) > 1e-9 * size)
          print_error("%s: sensor %d by %d: %.12g, forward %.12g\n", resting_robots[i].name, j, k,
                      got[k], want);
        worst = fmax(worst, fabs(got[k] - want) / size);
      }
    }
    CHECK_REACHED(resting_robots[i].name, worst, 1e-10);
    free(dy);
    free(dq);
    free(wq);
    free(wy);
    robot_close(&r);
  }
}

// A thin cantilever with a load at its tip bends by F L³/(3 E I), and turns there by F L²/(2 E I).
static void a_cantilever_is_as_the_formula(void** ctx) {
  (void)ctx;
  robot r = robot_open(
      "E = param('E', 2e6); F = param('F', 1e-6); world.g = [0 0 0];\n"
      "rod(1).model = 'gvs'; rod(1).n = 3; rod(1).modes = [0 0 0 0 1 0]; rod(1).length = .4; "
      "rod(1).radius = .01; rod(1).E = E; rod(1).rho = 1000;\n"
      "exload(1).exbody = at(rod(1), .4); exload(1).ftau = [F 0 0 0 0 0]; exload(1).refbody = 0;\n"
      "sensor(1).name = 'x'; sensor(1).value = pos(rod(1), .4)(1);\n");
  const double E = 2e6, F = 1e-6, L = .4, I = 3.14159265358979323846 / 4 * 1e-8,
               x = F * L * L * L / (3 * E * I);
  const td_by by[2] = {{TD_BY_PARAM, 0}, {TD_BY_PARAM, 1}};
  double dx[2], dE[2];
  resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
  assert_int_equal(
      td_equilibrium_gradient(r.model, r.state, r.work, by, 2, NULL, NULL, NULL, dx, dE), TD_OK);
  CHECK_NEAR(dx[0] * E / x, -1, 1e-6);
  CHECK_NEAR(dx[1] * F / x, 1, 1e-6);
  // ½ F x is stored
  CHECK_NEAR(dE[1] / x, 1, 1e-6);
  CHECK_NEAR(dE[0] * E / (F * x / 2), -1, 1e-6);
  robot_close(&r);
}

// By its number only, by what an equilibrium knows, at an equilibrium only, with a stiffness.
static void what_has_no_derivative_is_named(void** ctx) {
  (void)ctx;
  robot r = robot_open(
      "n = param('n', 2); k = param('k', 5); world.g = [0 0 -9.81];\n"
      "for i = 1:n, body(i).m = 1; joint(i).second = i; joint(i).tr.trans = [0 0 inf]; "
      "joint(i).dof(1).spring.coeff = k; end\n");
  const td_by n = {TD_BY_PARAM, 0}, k = {TD_BY_PARAM, 1}, sample = {TD_BY_SAMPLE, 0};
  double dq[2];
#define REFUSED(by, status, text)                                                                \
  do {                                                                                           \
    assert_int_equal(                                                                            \
        td_equilibrium_gradient(r.model, r.state, r.work, &(by), 1, dq, NULL, NULL, NULL, NULL), \
        status);                                                                                 \
    assert_non_null(strstr(td_work_failure(r.work), text));                                      \
  } while (0)
  REFUSED(k, TD_E_USAGE, "no equilibrium");
  resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
  REFUSED(n, TD_E_USAGE, "'n'");
  REFUSED(sample, TD_E_USAGE, "trajectories");
  assert_false(td_by_allowed(r.model, n));
  assert_true(td_by_allowed(r.model, k));
  assert_int_equal(
      td_equilibrium_gradient(r.model, r.state, r.work, &k, 1, dq, NULL, NULL, NULL, NULL), TD_OK);
  CHECK_NEAR(dq[0], 9.81 / 25, 1e-10);
  robot_close(&r);

  // the column at its critical load
  r = robot_open(
      "P = param('P', 10); k = param('k', 5); world.g = [0 0 -P]; body(1).m = 1; body(1).I = "
      "eye(3); body(1).l_com = [0 0 .5]; joint(1).second = 1; joint(1).tr.rot = [2 inf]; "
      "joint(1).dof(1).spring.coeff = k;\n");
  REFUSED(n, TD_E_SINGULAR, "singular");
  robot_close(&r);

  // a load on a cart
  r = robot_open(
      "f = param('f', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; "
      "exload(1).exbody = 1; exload(1).ftau = [f 0 0 0 0 0]; body(2).m = 1; joint(2).first = 1; "
      "joint(2).second = 2; joint(2).tr.trans = [inf 0 0]; joint(2).dof(1).spring.coeff = 3;\n");
  REFUSED(n, TD_E_SINGULAR, "'f' pushes along a direction that nothing holds");
  robot_close(&r);

  // a servo
  r = robot_open(
      "k = param('k', 5); body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = "
      "'free'; for i = 1:6, joint(1).dof(i).spring.coeff = k; end\n"
      "joint(2).second = 1; joint(2).fixed = [1 0 0]; joint(2).control = -k*dof(joint(1), 1);\n");
  REFUSED(n, TD_E_USAGE, "joint.control");
  robot_close(&r);
}

// An elastic cable that is just not pulled, and a ball that just touches: the note says so.
static void what_is_one_sided_is_noted(void** ctx) {
  (void)ctx;
  const td_by by = {TD_BY_PARAM, 0};
  double dq[4];
  robot r = robot_open(
      "k = param('k', 5); world.g = [0 0 0]; body(1).m = 1; joint(1).second = 1; joint(1).tr.trans "
      "= [0 0 inf]; joint(1).dof(1).spring.coeff = k; joint(2).second = 1; joint(2).tr.trans = [0 "
      "0 1]; joint(2).spring.coeff = 3; joint(2).spring.init = nan; joint(2).dir = 1;\n");
  resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
  assert_int_equal(
      td_equilibrium_gradient(r.model, r.state, r.work, &by, 1, dq, NULL, NULL, NULL, NULL), TD_OK);
  assert_non_null(strstr(td_work_gradient_note(r.work), "one-sided"));
  robot_close(&r);
  r = robot_open(
      "k = param('k', 5); world.g = [0 0 0]; body(1).m = 1; joint(1).second = 1; joint(1).tr.trans "
      "= [0 0 inf]; joint(1).dof(1).spring.coeff = k; contact(1).first = body(1); contact(1).ball "
      "= .1; contact(1).second = 'plane'; contact(1).point = [0 0 -.1]; contact(1).normal = [0 0 "
      "1]; contact(1).stiffness = 100;\n");
  resting_solve(&r, NULL, (td_by){TD_BY_INPUT, -1}, 0);
  assert_int_equal(
      td_equilibrium_gradient(r.model, r.state, r.work, &by, 1, dq, NULL, NULL, NULL, NULL), TD_OK);
  assert_non_null(strstr(td_work_gradient_note(r.work), "first touch"));
  robot_close(&r);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What it costs, printed: the gradient by ten parameters beside a cold equilibrium, the adjoint,
// and one direction beside one evaluation.
static void what_it_costs_is_printed(void** ctx) {
  (void)ctx;
  static const struct {
    const char *name, *text;
  } arms[] = {
      {"gvs, 36 velocities", "rod(1).model = 'gvs'; rod(1).n = 5;"},
      {"srl, 60 velocities", "rod(1).model = 'srl'; rod(1).n = 10;"},
      {"eba, 60 velocities", "rod(1).model = 'eba'; rod(1).n = 10;"},
      {"net, 285 velocities, sparse",
       "mesh(1).grid = [11 9]; mesh(1).size = [1 .8]; mesh(1).fixed = [1 11 89 99]; mesh(1).body.m "
       "= .01*p1; mesh(1).joint(2).spring.coeff = 200*p2*p3*p4*p5; mesh(1).joint(2).spring.compr = "
       ".8*p6; mesh(1).joint(3).spring.coeff = 20*p7*p8*p9*p10; rod(1).model = 'ebr';"},
  };
  for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "p1 = param('p1', 1); p2 = param('p2', 1); p3 = param('p3', 1); p4 = param('p4', 1); p5 = "
        "param('p5', 1); p6 = param('p6', 1); p7 = param('p7', 1); p8 = param('p8', 1); p9 = "
        "param('p9', 1); p10 = param('p10', 1);\n"
        "world.g = [0 0 -9.81*p1]; rod(1).length = .5; rod(1).tr.rot = [2 pi/2]; rod(1).E = "
        "5e6*p2*p3; rod(1).radius = .012*p4; rod(1).rho = 1100*p5*p6; rod(1).shape = [0 0 0 0 "
        "p7 .1*p8]; rod(1).load = [0 0 .1*p9 0 0 0]; exload(1).exbody = at(rod(1), .5); "
        "exload(1).ftau = [0 .1*p10 0 0 0 0]; sensor(1).name = 'tip'; sensor(1).value = "
        "pos(rod(1), .5);\n%s\n",
        arms[i].text);
    robot r = robot_open(text);
    const int ny = r.n.nsensor, rounds = 5;
    td_by by[10];
    double *dy = calloc((size_t)(10 * ny) + 1, sizeof(double)),
           *F = calloc((size_t)(2 * r.n.nv) + 1, sizeof(double)),
           *p = calloc((size_t)r.n.nparam + 1, sizeof(double)), got[10], weights[3] = {1, 2, 3};
    td_equil_options o = td_equil_options_default();
    td_equil_result result;
    for (int k = 0; k < 10; k++) by[k] = (td_by){TD_BY_PARAM, k};
    double cold = INFINITY, gradient = INFINITY, adjoint = INFINITY, one = INFINITY, F1 = INFINITY;
    for (int round = 0; round < rounds; round++) {
      td_state_initial(r.model, r.work, r.state);
      double t0 = now();
      assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &result), TD_OK);
      cold = fmin(cold, now() - t0);
      t0 = now();
      assert_int_equal(
          td_equilibrium_gradient(r.model, r.state, r.work, by, 10, NULL, NULL, NULL, dy, NULL),
          TD_OK);
      gradient = fmin(gradient, now() - t0);
      t0 = now();
      assert_int_equal(
          td_equilibrium_adjoint(r.model, r.state, r.work, weights, NULL, 0, by, 10, got), TD_OK);
      adjoint = fmin(adjoint, now() - t0);
      t0 = now();
      for (int k = 0; k < 20; k++) {
        r.state->q[0] += k % 2 ? 1e-9 : -1e-9;  // another state, which is placed
        td_trial_residual(r.model, r.state, r.work, F + r.n.nv, NULL, F);
      }
      F1 = fmin(F1, (now() - t0) / 20);
      p[1] = 1;
      t0 = now();
      for (int k = 0; k < 20; k++)
        td_residual_diff(r.model, r.state, r.work, &(td_direction){.p = p}, NULL, NULL, F);
      one = fmin(one, (now() - t0) / 20);
    }
    print_message(
        "%s: cold equilibrium %.3g ms (%d iterations); with its gradient by ten %.2f, with "
        "its adjoint %.2f times that; one direction %.2f evaluations of %.3g ms\n",
        arms[i].name, 1e3 * cold, result.iterations, (cold + gradient) / cold,
        (cold + adjoint) / cold, one / F1, 1e3 * F1);
    free(dy);
    free(F);
    free(p);
    robot_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cantilever_is_as_the_formula),
                                     cmocka_unit_test(what_has_no_derivative_is_named),
                                     cmocka_unit_test(what_is_one_sided_is_noted),
                                     cmocka_unit_test(the_gradient_is_the_differences),
                                     cmocka_unit_test(the_adjoint_is_the_gradient),
                                     cmocka_unit_test(what_it_costs_is_printed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
