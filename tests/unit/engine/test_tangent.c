// Exact derivatives against sixth-order central differences, on robots that use every element.
#include "robots.h"

// f'(0) from f(±h), f(±2h), f(±3h): error O(h⁶), rounding ~ eps/h.  h = 3e-3 for robots of the size
// of a metre: both near 1e-12 of the scale; 5e-4 for rods, whose segments are some centimetres
// long.
static double step = 3e-3;
// Velocities are not that small; but at one state the power 2 of a rod's damping has its corner
// within such a step, and short ones suffice for a parabola.
static double rate_step = 3e-3;
static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

typedef void (*field)(robot* r, double* out);

// Central differences of `f` (n numbers) along tangent direction k of q (what = 0), v (1) or u (2),
// with steps of this size.
static void differentiate(robot* r, field f, int n, int what, int k, double size, double* out) {
  td_state* base = td_state_new(r->model);
  double *d = calloc((size_t)r->nv + 1, sizeof(double)), *y = malloc((size_t)n * sizeof(double));
  td_state_copy(r->model, r->state, base);
  memset(out, 0, (size_t)n * sizeof(double));
  for (int s = 1; s <= 3; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const double h = sign * s * size;
      td_state_copy(r->model, base, r->state);
      if (what == 0) {
        d[k] = h;
        td_displace(r->model, base->q, d, r->state->q);
        d[k] = 0;
      }
      if (what == 1) r->state->v[k] += h;
      if (what == 2) r->state->u[k] += h;
      f(r, y);
      for (int i = 0; i < n; i++) out[i] += sign * weight[s - 1] * y[i] / size;
    }
  td_state_copy(r->model, base, r->state);
  td_state_free(base);
  free(d);
  free(y);
}

static double accelerations[256], multipliers[256];

static void residual(robot* r, double* F) {
  td_residual(r->model, r->state, r->work, accelerations, multipliers, F);
}
static void forward(robot* r, double* out) {
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  memcpy(out, td_work_vdot(r->work), (size_t)r->nv * sizeof(double));
}
static void errors(robot* r, double* e) {
  td_constraints(r->model, r->state, r->work, NULL, e, NULL);
}
static void sensors(robot* r, double* y) { td_sensors(r->model, r->state, r->work, y); }

static double worst(const double* got, const double* want, int n, double* scale) {
  double error = 0;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    *scale = fmax(*scale, fabs(want[i]));
  }
  return error;
}

// Largest deviation of matrix A (rows x cols) from the differences of f, relative to the largest
// entry.
static double deviation(robot* r, field f, const double* A, int rows, int cols, int what) {
  double error = 0, scale = 1e-3;
  double *column = malloc((size_t)rows * sizeof(double)),
         *mine = malloc((size_t)rows * sizeof(double));
  for (int k = 0; k < cols; k += CHECK_SANITIZED ? 2 : 1) {
    if (what < 2) {  // prescribed coordinates do not move
      const int* free_v;
      const int n = td_free_v(r->model, &free_v);
      bool found = false;
      for (int i = 0; i < n; i++) found = found || free_v[i] == k;
      if (!found) continue;
    }
    // what is ill-conditioned rounds less with longer steps, corners want shorter ones: the best
    // counts
    static const double sizes[] = {1, 4, 0.1, 0.01};
    double e = INFINITY;
    for (int i = 0; i < rows; i++) mine[i] = A[i * cols + k];
    for (int i = 0; i < 4 && e > 1e-10; i++) {
      differentiate(r, f, rows, what, k, sizes[i] * (what == 1 ? rate_step : step), column);
      e = fmin(e, worst(mine, column, rows, &scale));
    }
    if (e > error) error = e;
    if (getenv("SHOW") && e > 1e-7)
      for (int i = 0; i < rows; i++)
        if (fabs(mine[i] - column[i]) > 1e-7)
          printf("  what %d row %d col %d (%s): %.10g, differences %.10g\n", what, i, k,
                 td_model_v_name(r->model, k), mine[i], column[i]);
  }
  free(column);
  free(mine);
  return error / scale;
}

static void each_robot(void (*test)(robot*, const char*)) {
  for (int i = 0; i < ROBOT_COUNT; i++) {
    robot r = robot_load(robot_texts[i]);
    uint64_t seed = 7;
    assert_true(r.nv <= 256 && r.nrow <= 256);
    step = i >= ROBOT_RODS ? 5e-4 : 3e-3;
    rate_step = strcmp(robot_names[i], "gvs") == 0 ? 3e-5 : 3e-3;
    for (int trial = 0; trial < (CHECK_SANITIZED ? 1 : 3); trial++) {
      robot_shake(&r, &seed, 0.3);
      for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(&seed);
      for (int k = 0; k < r.nrow; k++) multipliers[k] = check_random(&seed);
      test(&r, robot_names[i]);
    }
    robot_free(&r);
  }
}

static void compare_tangent(robot* r, const char* name) {
  const size_t n = (size_t)r->nv;
  double *dq = malloc(n * n * sizeof(double)), *dv = malloc(n * n * sizeof(double));
  td_tangent(r->model, r->state, r->work, accelerations, multipliers, dq, dv);
  char what[64];
  snprintf(what, sizeof what, "%s dF/dq", name);
  CHECK_REACHED(what, deviation(r, residual, dq, r->nv, r->nv, 0), 1e-8);
  snprintf(what, sizeof what, "%s dF/dv", name);
  CHECK_REACHED(what, deviation(r, residual, dv, r->nv, r->nv, 1), 1e-8);
  free(dq);
  free(dv);
}
static void test_tangent_of_the_residual_is_exact(void** state) {
  (void)state;
  each_robot(compare_tangent);
}

static void compare_forward(robot* r, const char* name) {
  const size_t n = (size_t)r->nv;
  double *dq = malloc(n * n * sizeof(double)), *dv = malloc(n * n * sizeof(double));
  double* du = malloc((n * (size_t)r->nu + 1) * sizeof(double));
  assert_int_equal(td_forward_tangent(r->model, r->state, r->work, dq, dv, du), TD_OK);
  char what[64];
  snprintf(what, sizeof what, "%s dv'/dq", name);
  CHECK_REACHED(what, deviation(r, forward, dq, r->nv, r->nv, 0), 1e-8);
  snprintf(what, sizeof what, "%s dv'/dv", name);
  CHECK_REACHED(what, deviation(r, forward, dv, r->nv, r->nv, 1), 1e-8);
  snprintf(what, sizeof what, "%s dv'/du", name);
  CHECK_REACHED(what, deviation(r, forward, du, r->nv, r->nu, 2), 1e-8);
  free(dq);
  free(dv);
  free(du);
}
static void test_tangent_of_the_forward_dynamics_is_exact(void** state) {
  (void)state;
  each_robot(compare_forward);
}

static void compare_rows(robot* r, const char* name) {
  double* J = malloc(((size_t)r->nrow * (size_t)r->nv + 1) * sizeof(double));
  td_constraints(r->model, r->state, r->work, J, NULL, NULL);
  char what[64];
  snprintf(what, sizeof what, "%s Jc", name);
  CHECK_REACHED(what, deviation(r, errors, J, r->nrow, r->nv, 0), 1e-8);
  // edot = Jc v for rows without a moving target
  double *e = malloc(64 * sizeof(double)), *ed = malloc(64 * sizeof(double));
  td_constraints(r->model, r->state, r->work, J, e, ed);
  free(e);
  free(ed);
  free(J);
}
static void test_constraint_rows_are_the_derivative_of_their_error(void** state) {
  (void)state;
  each_robot(compare_rows);
}

static void compare_sensors(robot* r, const char* name) {
  if (r->ny == 0) return;
  const size_t n = (size_t)r->nv, ny = (size_t)r->ny;
  double *dq = malloc(n * ny * sizeof(double)), *dv = malloc(n * ny * sizeof(double));
  double* du = malloc((ny * (size_t)r->nu + 1) * sizeof(double));
  bool* known = calloc(ny, sizeof(bool));
  assert_int_equal(td_sensor_tangent(r->model, r->state, r->work, dq, dv, du, known), TD_OK);
  for (size_t i = 0; i < ny; i++) assert_true(known[i]);
  char what[64];
  snprintf(what, sizeof what, "%s dy/dq", name);
  CHECK_REACHED(what, deviation(r, sensors, dq, r->ny, r->nv, 0), 1e-8);
  snprintf(what, sizeof what, "%s dy/dv", name);
  CHECK_REACHED(what, deviation(r, sensors, dv, r->ny, r->nv, 1), 1e-8);
  // polynomials of low degree in u: a long step has no error of its own and little rounding
  const double short_step = step;
  step = 3e-2;
  snprintf(what, sizeof what, "%s dy/du", name);
  CHECK_REACHED(what, deviation(r, sensors, du, r->ny, r->nu, 2), 1e-8);
  step = short_step;
  free(dq);
  free(dv);
  free(du);
  free(known);
}
static void test_sensor_tangents_are_exact(void** state) {
  (void)state;
  each_robot(compare_sensors);
}

// Sensors of what every joint transmits, joints of the main chain and links alike.
static char* with_forces(const char* text, int njoint) {
  const size_t size = strlen(text) + 200 + 60 * (size_t)njoint;
  char* out = malloc(size);
  size_t n = (size_t)snprintf(out, size, "%s\nsensor = []; output = [];\n", text);
  for (int i = 1; i <= njoint; i++)
    n += (size_t)snprintf(out + n, size - n,
                          "sensor(%d).name = 'f%d'; sensor(%d).value = force(joint(%d));\n", i, i,
                          i, i);
  return out;
}

// They depend on everything: v', the multipliers, forces, inputs, prescribed motion.
static void test_tangents_of_transmitted_forces_are_exact(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    // left out of linearisations
    if (strcmp(robot_names[i], "cables") == 0 || strcmp(robot_names[i], "hybrid") == 0) continue;
    robot r = robot_load(robot_texts[i]);
    char* text = with_forces(robot_texts[i], td_model_sizes(r.model).njoint);
    robot_free(&r);
    r = robot_load(text);
    uint64_t seed = 5;
    step = i >= ROBOT_RODS ? 5e-4 : 3e-3;
    robot_shake(&r, &seed, 0.2);
    char name[32];
    snprintf(name, sizeof name, "%s joints", robot_names[i]);
    compare_sensors(&r, name);
    robot_free(&r);
    free(text);
  }
  step = 3e-3;
}

static void test_tangents_of_multipliers_are_exact(void** state) {
  (void)state;
  static const char sensors_of[] =
      "sensor(1).name = 'l'; sensor(1).value = [lambda(joint(7)) lambda(joint(8)) "
      "lambda(joint(10)) u1*lambda(joint(9))(1)^2 acc(body(2))];\n";
  char* text = malloc(sizeof robot_loops + sizeof sensors_of);
  sprintf(text, "%s%s", robot_loops, sensors_of);
  robot r = robot_load(text);
  uint64_t seed = 5;
  robot_shake(&r, &seed, 0.2);
  compare_sensors(&r, "loops multipliers");
  robot_free(&r);
  free(text);
}

static void test_input_map_and_parameter_derivative_are_exact(void** state) {
  (void)state;
  robot r = robot_load(robot_links);
  uint64_t seed = 3;
  robot_shake(&r, &seed, 0.3);
  double* B = malloc((size_t)(r.nv * r.nu) * sizeof(double));
  for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(&seed);
  td_input_map(r.model, r.state, r.work, B);
  for (int i = 0; i < r.nv * r.nu; i++) B[i] = -B[i];
  CHECK_REACHED("dF/du", deviation(&r, residual, B, r.nv, r.nu, 2), 1e-8);
  free(B);

  // F is linear in the stiffness k
  double *d = malloc((size_t)r.nv * sizeof(double)), *F0 = malloc((size_t)r.nv * sizeof(double)),
         *F1 = malloc((size_t)r.nv * sizeof(double)), error = 0;
  td_param_derivative(r.model, r.state, r.work, 0, accelerations, NULL, d);
  residual(&r, F0);
  td_work_set_param(r.model, r.work, 0, 31);
  residual(&r, F1);
  for (int i = 0; i < r.nv; i++) error = fmax(error, fabs(F1[i] - F0[i] - d[i]));
  CHECK_REACHED("dF/dp", error, 1e-11);
  free(d);
  free(F0);
  free(F1);
  robot_free(&r);
}

// Wrenches inside rods of every model, with a body at the side of one and a rod on the tip.
static void test_tangents_of_wrenches_inside_rods_are_exact(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "rom", "ebr", "srl", "eba"};
  for (int i = 0; i < 5; i++) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "u = input('u', 0.3); world.g = [0 1 -9.81];\n"
        "rod(1).model = '%s'; rod(1).n = 3; rod(1).length = 0.5; rod(1).radius = 0.02;\n"
        "rod(1).E = 2e5; rod(1).nu = 0.4; rod(1).rho = 1000; rod(1).eta = 100;\n"
        "body(1).m = 0.1; body(1).I = diag([1 2 3])*1e-4; joint(1).second = 1;\n"
        "joint(1).first = at(rod(1), 0.2); joint(1).type = 'revolute'; joint(1).axis = [1 0 0];\n"
        "joint(1).tr(1).trans = [0.03 0 0]; joint(1).dof(1).input = u;\n"
        "rod(2).first = at(rod(1), 0.5); rod(2).model = '%s'; rod(2).n = 2; rod(2).length = 0.3;\n"
        "rod(2).radius = 0.01; rod(2).E = 3e5; rod(2).nu = 0.4; rod(2).rho = 1000;\n"
        "exload(1).exbody = at(rod(2), 0.3); exload(1).ftau = [u 0.2 0 0 0 0.01];\n"
        "for k = 1:3, sensor(k).name = sprintf('w%%d', k);\n"
        "sensor(k).value = wrench(rod(1), 0.2*(k - 1)); end\n"
        "sensor(4).name = 'w4'; sensor(4).value = wrench(rod(2), 0.1);\n",
        models[i], models[i]);
    robot r = robot_load(text);
    uint64_t seed = 5;
    step = 5e-4;
    robot_shake(&r, &seed, 0.1);
    compare_sensors(&r, models[i]);
    robot_free(&r);
  }
  step = 3e-3;
}

// A joint without freedom transmits what its own body needs, not what the body it is fixed to does:
// weights of what hangs below, and of everything at the ground.
static void test_fixed_joints_transmit_what_hangs_on_them(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -10]; body(1).m = 1; body(1).I = eye(3); body(2).m = 2; body(2).I = eye(3);\n"
      "body(3).m = 4; body(3).I = eye(3); joint(1).second = 1; joint(1).type = 'fixed';\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0 0 inf];\n"
      "joint(2).dof(1).spring.coeff = 100; joint(2).dof(1).init = -0.6; joint(3).first = 2;\n"
      "joint(3).second = 3; joint(3).type = 'fixed'; joint(3).tr.trans = [0.5 0 0];\n"
      "for i = 1:3, f = force(joint(i)); sensor(i).name = sprintf('f%d', i); sensor(i).value = "
      "f([3 5]); end\n");
  double x[6];
  assert_int_equal(td_sensors(r.model, r.state, r.work, x), TD_OK);
  const double want[6] = {70, -20, 60, -20, 40, 0};
  for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], want[i], 1e-9);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tangent_of_the_residual_is_exact),
      cmocka_unit_test(test_constraint_rows_are_the_derivative_of_their_error),
      cmocka_unit_test(test_tangent_of_the_forward_dynamics_is_exact),
      cmocka_unit_test(test_sensor_tangents_are_exact),
      cmocka_unit_test(test_tangents_of_transmitted_forces_are_exact),
      cmocka_unit_test(test_tangents_of_wrenches_inside_rods_are_exact),
      cmocka_unit_test(test_fixed_joints_transmit_what_hangs_on_them),
      cmocka_unit_test(test_tangents_of_multipliers_are_exact),
      cmocka_unit_test(test_input_map_and_parameter_derivative_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
