// Strain fields that are written out: coordinates that several rods share, fields in one part of a
// rod, fields of time alone.
#include <string.h>

#include "engine/engine.h"
#include "robot.h"

static void accelerate(robot* r) {
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
}

static void masses(robot* r, double* M) {
  assert_int_equal(td_mass_matrix(r->model, r->state, r->work, M), TD_OK);
}

static void sense(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

static const double pi = 3.14159265358979323846;

// ---- coordinates that several rods share ------------------------------------------------------

// A rod that is bent into an arc of curvature q moves by s²/2 per curvature and turns by s:
//
//   M = ρA L⁵/20 + ρI L³/3      K = EI L      D = 3 η I L
//
// and two rods with one q have twice of each.
static void two_rods_with_one_coordinate_have_twice_the_mass_and_stiffness(void** state) {
  (void)state;
  robot r = robot_open(
      "for k = 1:2, rod(k).length = .4; rod(k).radius = .01; rod(k).E = 1e6; rod(k).rho = 1000; "
      "rod(k).eta = 300; rod(k).tr.trans = [.1*k 0 0]; end\n"
      "rod(1).coords = 1; q = coord(rod(1)); rod(1).strain = [0 0 0 q 0 0]; rod(2).strain = [0 0 0 "
      "0 q 0];\n");
  const double L = 0.4, A = pi * 1e-4, I = pi * 1e-8 / 4;
  double M, q = 1e-4, v = 2e-4;
  assert_int_equal(r.n.nv, 1);
  masses(&r, &M);
  CHECK_NEAR(M, 2 * (1000 * A * pow(L, 5) / 20 + 1000 * I * pow(L, 3) / 3), 1e-14);
  r.state->q[0] = q;
  r.state->v[0] = v;
  accelerate(&r);
  const double force = 2 * (1e6 * I * L * q + 3 * 300 * I * L * v);
  CHECK_NEAR(M * td_work_vdot(r.work)[0], -force, 1e-9 * force);  // beyond it terms of q³
  robot_close(&r);
}

// The same rod twice with one set of coordinates, and one of twice the mass, stiffness and damping.
static void equal_rods_with_one_set_of_coordinates_move_as_one(void** state) {
  (void)state;
  static const char both[] =
      "world.g = [2 0 -9.81];\n"
      "for k = 1:n, rod(k).tr.rot = [2 .4]; rod(k).length = .4; rod(k).stiffness = 2/n*[9 9 90 .02 "
      ".03 .01]; rod(k).inertia = 2/n*[.3 .3 .3 1e-4 2e-4 3e-4]; rod(k).damping = 2/n*1e-3*[1 1 1 "
      "1 "
      "1 1]; rod(k).load = 2/n*[.1 0 0 0 0 .02*s]; end\n"
      "rod(1).coords = 3; c = coord(rod(1)); rod(1).init = [2 1 .5]; rod(1).rate = [1 -3 2];\n"
      "for k = 1:n, rod(k).strain = [0 0 .1*c(3)*s c(1)*sin(5*s) + c(2)^2 c(2) c(3)/(1 + c(1)^2)]; "
      "end\n";
  char text[1200];
  robot r[2];
  double M[2][9], h[2][3], tau[2][3];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, "n = %d;\n%s", i + 1, both);
    r[i] = robot_open(text);
    masses(&r[i], M[i]);
    td_bias(r[i].model, r[i].state, r[i].work, h[i], tau[i]);
    accelerate(&r[i]);
  }
  for (int k = 0; k < 9; k++) CHECK_NEAR(M[0][k], M[1][k], 1e-15);
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(h[0][k], h[1][k], 1e-13);
    CHECK_NEAR(tau[0][k], tau[1][k], 1e-13);
    const double a = td_work_vdot(r[0].work)[k];
    CHECK_NEAR(td_work_vdot(r[1].work)[k], a, 1e-10 * fabs(a));
  }
  robot_close(&r[0]);
  robot_close(&r[1]);
}

// Two planar rods, each bent into an arc, whose tips are welded to each other, and the same two
// with one coordinate.
static void shared_coordinates_are_what_a_constraint_would_make_of_them(void** state) {
  (void)state;
  static const char common[] =
      "world.g = [3 0 -9.81];\n"
      "for k = 1:2, rod(k).tr.trans = [.1*k 0 0]; rod(k).length = .3 ; rod(k).radius = .005*k; "
      "rod(k).E = 1e6; rod(k).rho = 1000; rod(k).eta = 300; rod(k).points = 6; end\n"
      "sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1)) vel(rod(2)) acc(rod(2))];\n"
      "par.t_final = .3; par.rtol = 1e-10; par.atol = 1e-12; rod(1).coords = 1; a = "
      "coord(rod(1)); rod(1).strain = [0 0 0 0 a 0];\n";
  static const char* const ways[] = {
      "rod(2).strain = [0 0 0 0 a 0];\n",
      "rod(2).coords = 1; rod(2).strain = [0 0 0 0 coord(rod(2)) 0]; joint(1).first = rod(1); "
      "joint(1).second = rod(2); joint(1).fixed = [0 0 0 0 1 0];\n"};
  double y[2][9];
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", common, ways[i]);
    robot r = robot_open(text);
    const td_sim_options options = td_sim_options_default();
    td_trajectory* run;
    assert_int_equal(r.n.nv, i + 1);
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    accelerate(&r);
    sense(&r, y[i]);
    td_trajectory_free(run);
    robot_close(&r);
  }
  for (int k = 0; k < 9; k++) CHECK_NEAR(y[0][k], y[1][k], 1e-7);
  assert_true(fabs(y[0][0] - .1) > 1e-3);
}

// A free body with arms that bend together, one of them on another: without gravity its momentum
// and its energy stay.
static const char swimmer[] =
    "body(1).m = .2; body(1).I = 1e-4*diag([1 2 2.5]); joint(1).second = 1; joint(1).type = "
    "'free';\n"
    "for k = 1:3, rod(k).first = 1; rod(k).tr.rot = [1 2*k]; rod(k).length = .2; rod(k).radius = "
    ".01; rod(k).E = 1e4; rod(k).rho = 1000; rod(k).points = 5; end\n"
    "rod(3).first = rod(2); rod(1).coords = 2; c = coord(rod(1)); rod(1).init = [3 1]; rod(1).rate "
    "= [10 -20];\n"
    "rod(1).strain = [0 0 0 c(1) c(2)*s 0]; rod(2).strain = [0 0 0 2*c(1)*s c(2) c(1)]; "
    "rod(3).strain = [0 0 0 c(1)*c(2)*s 0 -c(1)];\n"
    "par.t_final = .3; par.dt_out = .01; par.rtol = 1e-10; par.atol = 1e-12;\n";

static void momentum_and_energy_stay_with_shared_coordinates(void** state) {
  (void)state;
  robot r = robot_open(swimmer);
  const int n = r.n.nv;
  double* M = calloc((size_t)(n * n), sizeof(double));
  double p[2][3] = {{0}, {0}}, E[2];
  for (int i = 0; i < 2; i++) {
    masses(&r, M);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < n; j++) p[i][k] += M[k * n + j] * r.state->v[j];
    const td_energies e = td_energy(r.model, r.state, r.work);
    E[i] = e.kinetic + e.elastic + e.gravity;
    if (i > 0) break;
    const td_sim_options options = td_sim_options_default();
    td_trajectory* run;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    td_trajectory_free(run);
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(p[1][k], p[0][k], 1e-9);
  CHECK_NEAR(E[1], E[0], 1e-8 * E[0]);
  assert_true(fabs(p[0][1]) > 1e-4);
  free(M);
  robot_close(&r);
}

// Block matrices: trees that share a coordinate are one block.
static void sparse_matrices_know_shared_coordinates(void** state) {
  (void)state;
  static const char text[] =
      "world.g = [1 0 -9.81]; for k = 1:4, rod(k).tr.trans = [.1*k 0 0]; rod(k).length = .2; "
      "rod(k).radius = .01; rod(k).E = 1e5; rod(k).rho = 1000; rod(k).points = 4; end\n"
      "rod(2).coords = 2; c = coord(rod(2)); rod(2).init = [3 2]; rod(4).coords = 1; rod(4).strain "
      "= [0 0 0 coord(rod(4)) 0 0]; rod(1).strain = [0 0 0 c(1) c(2)^2 0]; rod(2).strain = [0 0 0 "
      "c(2) c(1)*s 0]; rod(3).strain = [0 0 0 3*sin(9*s - t) 0 0];\n"
      "joint(1).first = rod(1); joint(1).second = rod(4); joint(1).spring.coeff = 4;\n"
      "joint(2).first = rod(3); joint(2).second = rod(2); joint(2).spring.coeff = 4;\n";
  double a[2][3], F[3];
  for (int i = 0; i < 2; i++) {
    char all[1500];
    snprintf(all, sizeof all, "%spar.linear = '%s';\n", text, i == 0 ? "dense" : "sparse");
    robot r = robot_open(all);
    for (int k = 0; k < 3; k++) r.state->v[k] = k + .5;
    r.state->t = .3;
    accelerate(&r);
    memcpy(a[i], td_work_vdot(r.work), sizeof a[i]);
    assert_int_equal(td_residual(r.model, r.state, r.work, a[0], NULL, F), TD_OK);
    for (int k = 0; k < 3; k++) CHECK_NEAR(F[k], 0, 1e-10);
    robot_close(&r);
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(a[1][k], a[0][k], 1e-9 * fabs(a[0][k]));
}

// The first step of a rod need not feel its first coordinate: each of two equal rods has its own
// block of the mass matrix all the same.
static void functions_may_vanish_at_the_base(void** state) {
  (void)state;
  robot r = robot_open(
      "for k = 1:2, rod(k).length = .3; rod(k).radius = .01; rod(k).E = 1e5; rod(k).rho = 1000; "
      "rod(k).basis = 'custom'; rod(k).points = 20; z = zeros(3, 2); rod(k).functions = [z; max(0, "
      "s - .1) 1; z(1:2, :)]; end\n");
  double M[16];
  assert_int_equal(r.n.nv, 4);
  masses(&r, M);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      CHECK_NEAR(M[4 * (i + 2) + j + 2], M[4 * i + j], 1e-15);
      CHECK_NEAR(M[4 * i + j + 2], 0, 1e-15);
    }
  assert_true(M[0] > 1e-9);
  robot_close(&r);
}

// ---- fields in one part -----------------------------------------------------------------------

// A part whose field is written out as what the other model has as a basis.
static void a_field_in_one_part_is_the_basis_that_it_spells_out(void** state) {
  (void)state;
  static const char common[] =
      "world.g = [2 0 -9.81]; rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).eta = "
      "100; rod(1).points = 4; rod(1).magnus = 4; for k = 1:3, rod(1).part(k).length = .1; end\n"
      "rod(1).part(2).radius = .007; rod(1).part(1).order = [-1 -1 0 2 1 0]; rod(1).part(3).order "
      "= "
      "[-1 -1 -1 1 0 0]; rod(1).part(1).init = [0 0 .02 s 3 0]; rod(1).part(3).init = [0 0 0 5 0 "
      "s]; cable(1).rod = 1; cable(1).path = [.004 0]; cable(1).tension = 1;\n"
      "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1)) acc(rod(1)) strain(rod(1), .17)];\n";
  static const char* const ways[] = {
      "rod(1).part(2).basis = 'monomial'; rod(1).part(2).order = [-1 -1 -1 1 0 -1]; "
      "rod(1).part(2).init = [2 -3 4];\n",
      "rod(1).coords = 3; c = coord(rod(1)); rod(1).init = [2 -3 4]; x = (s - .1)/.1; "
      "rod(1).part(2).strain = [0 0 0 c(1) + c(2)*x c(3) 0];\n"};
  double y[2][12], a[2][32];
  int n = 0;
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", common, ways[i]);
    robot r = robot_open(text);
    n = r.n.nv;
    accelerate(&r);
    sense(&r, y[i]);
    // the coordinates of the written field come first, those of the basis between the others
    const double* v = td_work_vdot(r.work);
    const int before = 7, own = 3;
    for (int k = 0; k < n; k++) {
      const int at = i == 0 ? (k < before ? k + own : k < before + own ? k - before : k) : k;
      a[i][at] = v[k];
    }
    robot_close(&r);
  }
  for (int k = 0; k < 12; k++) CHECK_NEAR(y[1][k], y[0][k], 1e-8 * (1 + fabs(y[0][k])));
  for (int k = 0; k < n; k++) CHECK_NEAR(a[1][k], a[0][k], 1e-9 * (1 + fabs(a[0][k])));
}

// ---- fields of time alone ---------------------------------------------------------------------

// An arc of curvature κ(t): its tip is at [(1 - cos κL)/κ, 0, sin κL/κ].  Steps of order 6 are
// exact where the strain is constant along the rod.
static void a_rod_that_follows_time_is_where_its_strains_say(void** state) {
  (void)state;
  robot r = robot_open(
      "rod(1).length = .5; rod(1).radius = .01; rod(1).E = 1e5; rod(1).rho = 1000; rod(1).strain = "
      "[0 0 0 0 2 + 3*t^2 0]; sensor(1).name = 'p'; sensor(1).value = [pos(rod(1)) vel(rod(1)) "
      "acc(rod(1))];\n");
  const double t = 0.7, L = 0.5, k = 2 + 3 * t * t, kd = 6 * t, kdd = 6, C = cos(k * L),
               S = sin(k * L);
  // x = (1 - C)/k and z = S/k with their derivatives by k
  const double x = (1 - C) / k, z = S / k, xk = (L * S - x) / k, zk = (L * C - z) / k,
               xkk = (L * L * C - 2 * xk) / k, zkk = (-L * L * S - 2 * zk) / k;
  const double want[9] = {
      x, 0, z, xk * kd, 0, zk * kd, xkk * kd * kd + xk * kdd, 0, zkk * kd * kd + zk * kdd};
  double y[9];
  assert_int_equal(r.n.nv, 0);
  r.state->t = t;
  accelerate(&r);
  sense(&r, y);
  for (int i = 0; i < 9; i++) CHECK_NEAR(y[i], want[i], 1e-12);
  robot_close(&r);
}

// A wave of time on a free body, and the same with a coordinate that stands for the amplitude: with
// its position, rate and acceleration as time has them, the same forces act on the body.
static void a_rod_that_follows_time_pushes_as_one_with_such_a_coordinate(void** state) {
  (void)state;
  static const char common[] =
      "world.g = [1 0 -9.81]; body(1).m = .2; body(1).I = 1e-4*diag([1 2 2.5]); joint(1).second = "
      "1; joint(1).type = 'free'; rod(1).first = 1; rod(1).length = .3; rod(1).radius = .01; "
      "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).eta = 200; rod(1).points = 6; fluid.rho = 800;\n";
  static const char* const ways[] = {
      "rod(1).strain = [0 0 0 (2 + sin(3*t))*cos(9*s) (2 + sin(3*t))^2*s 0];\n",
      "rod(1).coords = 1; c = coord(rod(1)); rod(1).strain = [0 0 0 c*cos(9*s) c^2*s 0];\n"};
  const double t = 0.4;
  double F[2][7];
  for (int i = 0; i < 2; i++) {
    char text[1200];
    double a[7] = {.1, -.2, .3, 1, 2, -1, -9 * sin(3 * t)};
    snprintf(text, sizeof text, "%s%s", common, ways[i]);
    robot r = robot_open(text);
    assert_int_equal(r.n.nv, 6 + i);
    r.state->t = t;
    for (int k = 0; k < 6; k++) r.state->v[k] = .3 * (k - 2.5);
    if (i == 1) {
      r.state->q[7] = 2 + sin(3 * t);
      r.state->v[6] = 3 * cos(3 * t);
    }
    td_residual(r.model, r.state, r.work, a, NULL, F[i]);
    robot_close(&r);
  }
  for (int k = 0; k < 6; k++) CHECK_NEAR(F[0][k], F[1][k], 1e-13 * (1 + fabs(F[1][k])));
}

// A strain that jumps would move what lies behind it at no time.
static void strains_that_jump_are_refused(void** state) {
  (void)state;
  static const char* const fields[] = {
      "rod(1).strain = [0 0 0 3*step(t, .2) 0 0];",
      "rod(1).coords = 1; rod(1).strain = [0 0 0 coord(rod(1)) + 3*step(t, .2) 0 0];"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "rod(1).length = .3; rod(1).radius = .01; rod(1).E = 1e4; rod(1).rho = 1000; %s "
             "par.t_final = .3;",
             fields[i]);
    robot r = robot_open(text);
    const td_sim_options options = td_sim_options_default();
    td_trajectory* run = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_E_MODEL);
    assert_non_null(
        strstr(td_work_failure(r.work), "the strain of rod(1) jumps by 3 at t = 0.2 s"));
    td_trajectory_free(run);
    robot_close(&r);
  }
}

// ---- loads that see where they act ------------------------------------------------------------

// A free rod of which every point is drawn to the ground by k here and held back by c vel: it moves
// as  m x'' + c x' + k x = 0  per length, whatever the model.
static void loads_see_the_place_and_the_velocity_along_the_rod(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
  const double m = 0.5, c = 0.4, k = 8, x0 = 0.3, t = 0.7;
  for (int i = 0; i < 5; i++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "rod(1).model = '%s'; rod(1).length = .2; rod(1).stiffness = [10 10 90 .02 .03 .01]; "
        "rod(1).inertia = [.5 .5 .5 1e-4 1e-4 2e-4]; rod(1).n = 3; rod(1).joint.type = "
        "'prismatic'; rod(1).joint.axis = [1 0 0]; rod(1).joint.dof(1).init = .3; rod(1).load = "
        "[-8*here(1) - .4*vel(rod(1), s)(1) 0 0 0 0 0]; sensor(1).name = 'p'; sensor(1).value = "
        "[pos(rod(1)) vel(rod(1), .1)]; par.t_final = .7; par.rtol = 1e-9; par.atol = 1e-11;",
        models[i]);
    robot r = robot_open(text);
    const td_sim_options options = td_sim_options_default();
    td_trajectory* run;
    double y[6];
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    sense(&r, y);
    const double d = c / (2 * m), w = sqrt(k / m - d * d), e = exp(-d * t);
    CHECK_NEAR(y[0], x0 * e * (cos(w * t) + d / w * sin(w * t)), 1e-7);
    CHECK_NEAR(y[3], -x0 * e * (w + d * d / w) * sin(w * t), 1e-6);
    CHECK_NEAR(y[1], 0, 1e-9);
    // what the load does is in the balance
    const td_sim_stats s = *td_trajectory_stats(run);
    CHECK_NEAR(s.energy_error, 0, 1e-6 * fabs(s.work_done));
    assert_true(fabs(s.work_done) > 1e-3);
    td_trajectory_free(run);
    robot_close(&r);
  }
}

// A field that pulls away from an axis as Ω² times the distance is what a rod feels that turns with
// Ω: the same equilibrium.
static void a_field_is_what_a_spinning_frame_would_be(void** state) {
  (void)state;
  static const char common[] =
      "rod(1).tr.trans = [.1 0 0]; rod(1).length = .3; rod(1).stiffness = [1 1 1 .001 .001 .001]; "
      "rod(1).order = [-1 -1 -1 4 4 -1]; rod(1).inertia = [.3 .3 .3 0 0 0]; sensor(1).name = 'p'; "
      "sensor(1).value = pos(rod(1), .3);\n";
  static const char* const ways[] = {
      "rod(1).load = .3*[9*here(1) 9*here(2) 0 0 0 0];\n",
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [3 inf]; "
      "joint(1).dof(1).motion = 3*t; rod(1).first = 1;\n"};
  double y[2][3];
  for (int i = 0; i < 2; i++) {
    char text[900];
    snprintf(text, sizeof text, "%s%s", common, ways[i]);
    robot r = robot_open(text);
    const td_equil_options options = td_equil_options_default();
    td_equil_result result;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &result), TD_OK);
    sense(&r, y[i]);
    robot_close(&r);
  }
  for (int c = 0; c < 3; c++) CHECK_NEAR(y[0][c], y[1][c], 1e-9);
  assert_true(y[0][0] > 0.11);  // it leans outwards
}

// ---- tables of points ---------------------------------------------------------------------------

// Nodes and weights count in each element, as their number does: Gauss's four by a table are
// Gauss's four by their number, and Simpson's three, which count the ends, are near.
static void a_table_of_points_counts_in_each_element(void** state) {
  (void)state;
  static const char gauss[] =
      "[.069431844202973 .330009478207571 .669990521792428 .930568155797026; "
      ".173927422568727 .326072577431273 .326072577431273 .173927422568727]";
  static const char* const points[] = {"4", gauss, "[0 0.5 1; 1/6 4/6 1/6]"};
  double M[3][24 * 24];
  int n = 0;
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "rod(1).length = .4; rod(1).radius = .01; rod(1).E = 1e6; rod(1).rho = 1000; "
             "rod(1).basis = 'linear'; rod(1).elements = 3; rod(1).points = %s;\n",
             points[i]);
    robot r = robot_open(text);
    n = r.n.nv;
    assert_true(n <= 24);
    masses(&r, M[i]);
    robot_close(&r);
  }
  double size = 0;
  for (int k = 0; k < n * n; k++) size = fmax(size, fabs(M[0][k]));
  for (int k = 0; k < n * n; k++) {
    CHECK_NEAR(M[1][k], M[0][k], 1e-12 * size);  // 15 digits
    CHECK_NEAR(M[2][k], M[0][k], 0.03 * size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_of_points_counts_in_each_element),
      cmocka_unit_test(two_rods_with_one_coordinate_have_twice_the_mass_and_stiffness),
      cmocka_unit_test(equal_rods_with_one_set_of_coordinates_move_as_one),
      cmocka_unit_test(shared_coordinates_are_what_a_constraint_would_make_of_them),
      cmocka_unit_test(momentum_and_energy_stay_with_shared_coordinates),
      cmocka_unit_test(sparse_matrices_know_shared_coordinates),
      cmocka_unit_test(functions_may_vanish_at_the_base),
      cmocka_unit_test(a_field_in_one_part_is_the_basis_that_it_spells_out),
      cmocka_unit_test(a_rod_that_follows_time_is_where_its_strains_say),
      cmocka_unit_test(a_rod_that_follows_time_pushes_as_one_with_such_a_coordinate),
      cmocka_unit_test(strains_that_jump_are_refused),
      cmocka_unit_test(loads_see_the_place_and_the_velocity_along_the_rod),
      cmocka_unit_test(a_field_is_what_a_spinning_frame_would_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
