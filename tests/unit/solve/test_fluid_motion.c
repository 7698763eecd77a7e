// The fluid: falls and terminal velocities, buoyancy, added mass, and a stream that only its
// relative velocity tells from still water.
#include "../engine/robots.h"

static void settle(robot* r) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &result), TD_OK);
  assert_true(result.converged);
}

static void sensors_of(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

// Simulate to time t at the solver's finest, and leave the state there.
static void go_to(robot* r, double t) {
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-12;
  o.atol = 1e-13;
  o.t_final = t;
  td_trajectory* run = NULL;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &run), TD_OK);
  td_trajectory_free(run);
}

// D21: m v' = m g - c v²,  v = vt tanh(g t/vt),  y = vt²/g log cosh(g t/vt)
static void test_D21_a_body_falls_against_quadratic_drag(void** state) {
  (void)state;
  const double m = 0.5, c = 0.02, g = 9.81, vt = sqrt(m * g / c), times[] = {0.5, 1, 2, 5};
  robot r = robot_load(
      "world.g = [0 0 -9.81]; fluid.rho = 1.2; body(1).m = 0.5; body(1).I = eye(3); "
      "body(1).fluid.drag_matrix = diag([.02 .02 .02 0 0 0]);\n"
      "joint(1).second = 1; joint(1).tr.trans = [0 0 inf];\n");
  for (int i = 0; i < 4; i++) {
    go_to(&r, times[i]);
    const double x = g * times[i] / vt;
    CHECK_REACHED("D21 velocity", fabs(r.state->v[0] + vt * tanh(x)) / vt, 1e-10);
    CHECK_REACHED("D21 distance", fabs(r.state->q[0] / (vt * vt / g * log(cosh(x))) + 1), 1e-10);
  }
  robot_free(&r);
}

// (ρ - ρw) A g = ½ ρw 2r C v² for a rod that lies across the flow; along it with the other
// coefficient.
static void test_a_sinking_rod_reaches_its_terminal_velocity(void** state) {
  (void)state;
  const double A = 3.14159265358979323846 * 1e-4, weight = 400 * A * 9.81;
  const double across = sqrt(weight / (0.5 * 1000 * 0.02 * 1.1)),
               along = sqrt(weight / (0.5 * 1000 * 0.02 * 0.3));
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "world.g = [0 0 -9.81]; fluid.rho = 1000; rod(1).length = 0.4; rod(1).radius = 0.01; "
        "rod(1).E = 1e9; rod(1).rho = 1400; rod(1).fluid.drag = [1.1 1.1 0.3]; rod(1).model = "
        "'ebr'; rod(1).n = 2;\n"
        "body(1).m = 0; body(1).I = zeros(3); rod(1).joint.type = 'prismatic'; "
        "rod(1).joint.axis = [%d 0 %d]; rod(1).tr.rot = [2 %g]; rod(1).modes = [0 0 0 0 0 1];\n"
        "joint(1).first = at(rod(1), .2); joint(1).second = 1; joint(1).type = 'fixed';\n"
        "sensor(1).name = 'v'; sensor(1).value = vel(rod(1), 0.2);\n",
        k == 0, k == 1, k == 0 ? 1.5707963267948966 : 0.0);
    robot r = robot_load(text);
    double y[3];
    go_to(&r, 5);
    sensors_of(&r, y);
    CHECK_NEAR(y[2], k == 0 ? -across : -along, 1e-9);
    robot_free(&r);
  }
}

static double frequency(robot* r, int i) {
  td_modes_result* modes = NULL;
  assert_int_equal(td_modes(r->model, r->state, r->work, &modes), TD_OK);
  const double omega = modes->omega[i];
  td_modes_free(modes);
  return omega;
}

// Added mass has directions: a body on a spring along an axis of its own, turned in the world.
static void test_added_mass_lowers_the_frequency_along_its_axis(void** state) {
  (void)state;
  robot r = robot_load(
      "fluid.rho = 1000; body(1).m = 2; body(1).I = eye(3); body(1).fluid.added_mass = diag([1 3 5 "
      "0 0 0]);\n"
      "joint(1).second = 1; joint(1).tr(1).rot = [3 0.7]; joint(1).tr(2).trans = [0 inf 0]; "
      "joint(1).tr(3).rot = [3 pi/2]; joint(1).dof(1).spring.coeff = 12;\n");
  CHECK_NEAR(frequency(&r, 0), sqrt(12 / (2.0 + 1)), 1e-12);
  robot_free(&r);
}

// A buoyant body on a string, upside down: ω² = (ρV - m) g / ((m + m_a) l).
static void test_a_buoyant_pendulum_points_up_and_swings_slowly(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -10]; fluid.rho = 1000; body(1).m = 2; body(1).l_com = [0 0 0.5]; body(1).I "
      "= "
      "zeros(3); body(1).fluid.volume = 3e-3;\n"
      "M = zeros(6); M(1:3,1:3) = 1.5*eye(3); S = [0 -.5 0; .5 0 0; 0 0 0]; M(1:3,4:6) = -1.5*S; "
      "M(4:6,1:3) = 1.5*S; M(4:6,4:6) = -1.5*S*S; body(1).fluid.added_mass = M;\n"
      "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof(1).init = 0.1;\n");
  settle(&r);
  CHECK_NEAR(r.state->q[0], 0, 1e-10);
  CHECK_NEAR(frequency(&r, 0), sqrt(1 * 10 / ((2 + 1.5) * 0.5)), 1e-10);
  robot_free(&r);
}

// The transverse mass per length grows from ρA to (ρ + C ρw)A, so that all frequencies of bending
// fall by the same factor.
static void test_a_cantilever_in_water_keeps_its_modes_and_lowers_their_frequencies(void** state) {
  (void)state;
  double omega[2][3];
  for (int wet = 0; wet < 2; wet++) {
    char text[600];
    snprintf(text, sizeof text,
             "fluid.rho = %d; rod(1).model = 'gvs'; rod(1).modes = [0 0 0 1 1 0]; rod(1).length = "
             "0.5; rod(1).radius = 0.005; rod(1).E = 1e6; rod(1).inertia = [900*pi*0.005^2*[1 1 1] "
             "1e-12*[1 1 1]];\n",
             wet ? 1000 : 0);
    robot r = robot_load(text);
    for (int i = 0; i < 3; i++) omega[wet][i] = frequency(&r, 2 * i);
    robot_free(&r);
  }
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(omega[1][i] / omega[0][i], sqrt(900 / (900 + 0.6 * 1000)), 1e-6);
}

static void test_a_neutrally_buoyant_rod_does_not_sag(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -9.81]; fluid.rho = 1000; rod(1).length = 0.5; rod(1).radius = 0.01; "
      "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).tr.rot = [2 pi/2]; rod(1).n = 8; rod(1).model = "
      "'gvs';\n"
      "sensor(1).name = 'p'; sensor(1).value = pos(rod(1), 0.5);\n");
  double y[3];
  settle(&r);
  sensors_of(&r, y);
  CHECK_NEAR(y[2], 0, 1e-12);
  robot_free(&r);
}

// A robot that floats in a stream, carried along with it, accelerates as in still water.
static void test_only_the_velocity_against_the_fluid_matters(void** state) {
  (void)state;
  robot still = robot_load(robot_water), moving = robot_load(robot_water);
  uint64_t seed = 11;
  robot_shake(&still, &seed, 0.3);
  // the water of this robot moves with [.3 -.2 .1 t]: at other times it moves otherwise
  still.state->t = 0;
  td_state_copy(still.model, still.state, moving.state);
  moving.state->t = 4;
  moving.state->v[2] += 0.4;  // all of it: the base is free, and rods of free nodes hang on nothing
  for (int i = 0; i < moving.nv; i++) {
    const char* name = td_model_v_name(moving.model, i);
    const size_t n = strlen(name);
    if (strncmp(name, "rod(3)", 6) == 0 && strcmp(name + n - 2, ".z") == 0)
      moving.state->v[i] += 0.4;
  }
  assert_int_equal(td_forward_dynamics(still.model, still.state, still.work), TD_OK);
  assert_int_equal(td_forward_dynamics(moving.model, moving.state, moving.work), TD_OK);
  double error = 0, size = 0;
  for (int i = 0; i < still.nv; i++) {
    const double a = td_work_vdot(still.work)[i], b = td_work_vdot(moving.work)[i];
    error = fmax(error, fabs(a - b));
    size = fmax(size, fabs(a));
  }
  CHECK_REACHED("accelerations in a stream", error / size, 1e-12);
  robot_free(&still);
  robot_free(&moving);
}

// Kirchhoff's equations: without forces the momentum (I + M_a) V of a body in the fluid stays.
static void test_a_body_in_still_fluid_keeps_its_momentum_and_energy(void** state) {
  (void)state;
  robot r = robot_load(
      "fluid.rho = 1000; body(1).m = 2; body(1).I = diag([.01 .02 .025]); body(1).fluid.added_mass "
      "= diag([1 3 5 .01 .02 .03]); joint(1).second = 1; joint(1).type = 'free';\n"
      "joint(1).dof(1).rate = 1; joint(1).dof(4).rate = 2; joint(1).dof(5).rate = 3; "
      "joint(1).dof(6).rate = -1;\n"
      "V = rot(body(1))'*vel(body(1))'; w = omega(body(1))'; P = rot(body(1))*(diag([3 5 7])*V); "
      "L = cross(pos(body(1))', P) + rot(body(1))*(diag([.02 .04 .055])*w);\n"
      "sensor(1).name = 'P'; sensor(1).value = P; sensor(2).name = 'L'; sensor(2).value = L;\n");
  double before[6], after[6];
  sensors_of(&r, before);
  const double energy = td_energy(r.model, r.state, r.work).kinetic;
  go_to(&r, 2);
  sensors_of(&r, after);
  for (int i = 0; i < 6; i++) CHECK_NEAR(after[i], before[i], 1e-9);
  CHECK_NEAR(td_energy(r.model, r.state, r.work).kinetic, energy, 1e-9);
  robot_free(&r);
}

// ---- a stream that varies in space ------------------------------------------------------------

// In a shear flow u = g z along x a straight rod that stands in it feels ρ r C (g s)² per length,
// and a bend of constant curvature moves it by s²/2: its generalised force is ρ r C g² L⁵/10.
static void a_rod_in_a_shear_flow(void** state) {
  (void)state;
  robot r = robot_load(
      "fluid.rho = 1000; fluid.velocity = [2*here(3) 0 0]; rod(1).length = .4; rod(1).radius = "
      ".01; "
      "rod(1).E = 1e5; rod(1).rho = 1200; rod(1).coords = 1; rod(1).strain = [0 0 0 0 "
      "coord(rod(1)) 0];\n");
  double M;
  td_mass_matrix(r.model, r.state, r.work, &M);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  const double Q = 1000 * .01 * 1.1 * 4 * pow(.4, 5) / 10;
  CHECK_NEAR(M * td_work_vdot(r.work)[0], Q, 1e-12);
  robot_free(&r);
}

// A body on a slide at a height where the stream is u:  v = u - u/(1 + D u t/m).
static void a_body_in_a_shear_flow(void** state) {
  (void)state;
  robot r = robot_load(
      "fluid.rho = 1000; fluid.velocity = [2*here(3) 0 0]; body(1).m = .5; body(1).I = eye(3); "
      "body(1).fluid.drag_matrix = diag([3 3 3 0 0 0]); joint(1).second = 1; joint(1).tr.trans = "
      "[0 0 .4]; joint(1).tr(2).trans = [inf 0 0]; par.t_final = .6; par.rtol = 1e-9; par.atol = "
      "1e-12;\n");
  const td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
  CHECK_NEAR(r.state->v[0], .8 - .8 / (1 + 3 * .8 * .6 / .5), 1e-8);
  const td_sim_stats s = *td_trajectory_stats(run);
  CHECK_NEAR(s.energy_error, 0, 1e-7 * fabs(s.work_done));
  td_trajectory_free(run);
  robot_free(&r);
}

// A parameter of a stream that changes with time or with the place counts in dF/dp: the drag of a
// body at rest is D u |u|, so that -dF/dp = 2 D |u| du/dp.
static void parameters_of_a_stream_count(void** state) {
  (void)state;
  static const char* const streams[] = {"[p*sin(t) 0 0]", "[p*here(3) 0 0]"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "p = param('p', 2); fluid.rho = 1000; fluid.velocity = %s; body(1).m = .5; body(1).I = "
        "eye(3); body(1).fluid.drag_matrix = diag([3 3 3 0 0 0]); joint(1).second = 1; "
        "joint(1).tr.trans = [0 0 .4]; joint(1).tr(2).trans = [inf 0 0];",
        streams[i]);
    robot r = robot_load(text);
    double dF;
    r.state->t = .7;
    td_param_derivative(r.model, r.state, r.work, 0, NULL, NULL, &dF);
    const double slope = i == 0 ? sin(.7) : .4, u = 2 * slope;
    CHECK_NEAR(dF, -2 * 3 * u * slope, 1e-7);  // by differences
    robot_free(&r);
  }
}

// An edge of length 1 that stands in it: D g² ∫ s² (1 - s) and D g² ∫ s³ at its two nodes.
static void an_edge_in_a_shear_flow(void** state) {
  (void)state;
  robot r = robot_load(
      "fluid.rho = 800; fluid.velocity = [2*here(3) 0 0]; mesh(1).node = [0 0 0; 0 0 1]; "
      "mesh(1).fixed = 'none'; "
      "mesh(1).edge = [1 2]; mesh(1).body.m = .5; mesh(1).fluid.width = .01; mesh(1).fluid.drag = "
      "[1.2 .1]; mesh(1).joint(2).spring.coeff = 1;\n");
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  const double D = .5 * 800 * .01 * 1.2, *a = td_work_vdot(r.work);
  CHECK_NEAR(.5 * a[0], D * 4 / 12, 1e-12);
  CHECK_NEAR(.5 * a[3], D * 4 / 4, 1e-12);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_in_a_shear_flow),
      cmocka_unit_test(a_body_in_a_shear_flow),
      cmocka_unit_test(an_edge_in_a_shear_flow),
      cmocka_unit_test(parameters_of_a_stream_count),
      cmocka_unit_test(test_D21_a_body_falls_against_quadratic_drag),
      cmocka_unit_test(test_a_sinking_rod_reaches_its_terminal_velocity),
      cmocka_unit_test(test_added_mass_lowers_the_frequency_along_its_axis),
      cmocka_unit_test(test_a_buoyant_pendulum_points_up_and_swings_slowly),
      cmocka_unit_test(test_a_cantilever_in_water_keeps_its_modes_and_lowers_their_frequencies),
      cmocka_unit_test(test_a_neutrally_buoyant_rod_does_not_sag),
      cmocka_unit_test(test_only_the_velocity_against_the_fluid_matters),
      cmocka_unit_test(test_a_body_in_still_fluid_keeps_its_momentum_and_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
