// Springs, dampers, inputs and prescribed motion of rotations that are held as quaternions: type =
// 'spherical' and 'free', rot = [0 inf inf inf] and [0 0 inf 0], and motion of whole joints.
#include "robot.h"
#include "tendril/control.h"
#include "tendril/tools.h"

static td_status go(robot* r, double t, td_trajectory** rows) {
  td_sim_options o = td_sim_options_default();
  o.t_final = t;
  o.rtol = 1e-10;
  o.atol = 1e-11;
  return td_simulate(r->model, r->work, r->state, &o, rows);
}

// Sensors at the end of a run to `t`; returns the error of the energy balance.
static double run(robot* r, double t, double* y) {
  td_trajectory* rows = NULL;
  assert_int_equal(go(r, t, &rows), TD_OK);
  const double error = td_trajectory_stats(rows)->energy_error;
  td_trajectory_free(rows);
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  return error;
}

// Runs of the same mechanism written in several ways end alike.
static void compare(const char* common, const char* const* ways, int n, double t, double tol) {
  double y[2][16];
  for (int k = 0; k < n; k++) {
    char text[2048];
    snprintf(text, sizeof text, "%s\n%s", common, ways[k]);
    robot r = robot_open(text);
    assert_true(r.n.nsensor <= 16);
    CHECK_NEAR(run(&r, t, y[k > 0]), 0, 1e-6);
    for (int i = 0; i < r.n.nsensor; i++) CHECK_NEAR(y[k > 0][i], y[0][i], tol);
    robot_close(&r);
  }
}

// ½ k |y|² of the rotation vector y = θ n: a body of equal inertias swings as θ = A cos ωt about
// any axis n, through half turns.
static void a_spring_of_the_rotation_vector_is_harmonic(void** state) {
  (void)state;
  const double A = 5, w = sqrt(3 / 0.2), n[3] = {2 / 7., 3 / 7., 6 / 7.};
  robot r = robot_open(
      "A = 5; n = [2 3 6]/7; k = param('k', 1); body(1).m = 1; body(1).I = .2*eye(3); "
      "joint(1).second = 1; joint(1).type = 'spherical'; joint(1).dof(1).init = cos(A/2);\n"
      "for i = 1:3, joint(1).dof(1+i).init = sin(A/2)*n(i); joint(1).dof(i).spring.coeff = k; end\n"
      "sensor(1).name = 'y'; sensor(1).value = [quat(body(1)) omega(body(1)) energy()];");
  double y[8];
  td_work_set_param(r.model, r.work, td_model_param_find(r.model, "k"), 3);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  CHECK_NEAR(run(&r, 3.3, y), 0, 1e-7);
  const double angle = A * cos(w * 3.3), sign = y[0] * cos(angle / 2) < 0 ? -1 : 1;
  CHECK_NEAR(sign * y[0], cos(angle / 2), 1e-7);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(sign * y[1 + i], sin(angle / 2) * n[i], 1e-7);
    CHECK_NEAR(y[4 + i], -A * w * sin(w * 3.3) * n[i], 1e-6);
  }
  CHECK_NEAR(y[7], 0.5 * 3 * A * A, 1e-6);
  robot_close(&r);
}

// Unequal stiffnesses and rest values on an unequal body: energy is kept, and the equilibrium is
// where all springs rest.
static void springs_of_three_numbers_have_an_energy(void** state) {
  (void)state;
  static const char* const turns[] = {"joint(1).type = 'spherical';", "joint(1).type = 'free';",
                                      "joint(1).tr.rot = [0 inf inf inf];"};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "body(1).m = 1; body(1).I = .2*diag([1 2 2.5]); joint(1).second = 1; %s o = %d;\n"
             "for i = 1:3, joint(1).dof(o+i).spring.coeff = i; joint(1).dof(o+i).spring.init = "
             ".2*i - .5; joint(1).dof(o+i).rate = 3 - 2*i; end\n"
             "sensor(1).name = 'e'; sensor(1).value = energy();",
             turns[k], k == 1 ? 3 : 0);
    robot r = robot_open(text);
    double e0, e;
    assert_int_equal(td_sensors(r.model, r.state, r.work, &e0), TD_OK);
    run(&r, 5, &e);
    CHECK_NEAR(e, e0, 1e-7);
    const td_equil_options o = td_equil_options_default();
    td_equil_result found;
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
    const td_status status = td_equilibrium(r.model, r.work, r.state, &o, &found);
    if (k != 1) assert_int_equal(status, TD_OK);
    assert_true(found.conservative);
    assert_int_equal(td_sensors(r.model, r.state, r.work, &e), TD_OK);
    CHECK_NEAR(e, 0, 1e-12);
    robot_close(&r);
  }
}

// Near a full turn the rotation vector has no direction any more: the run ends with a message.
static void a_spring_ends_before_a_full_turn(void** state) {
  (void)state;
  robot r = robot_open(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).type = 'spherical'; "
      "joint(1).dof(1).spring.coeff = .01; joint(1).dof(1).rate = 3;");
  td_trajectory* rows = NULL;
  assert_int_equal(go(&r, 5, &rows), TD_E_SINGULAR);
  td_trajectory_free(rows);
  for (int k = 0; k < 2; k++) {
    const double half = k == 0 ? 5.9 / 2 : 6. / 2;
    r.state->q[0] = cos(half);
    r.state->q[1] = sin(half);
    assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), k == 0 ? TD_OK : TD_E_SINGULAR);
  }
  assert_non_null(strstr(td_work_failure(r.work), "joint(1).dof(1).spring comes near a full turn"));
  robot_close(&r);
}

// About one axis e = sin θ/2: -k (e - e0) - μ e' + u are torques times e_θ = cos(θ/2)/2.  The
// pendulum goes over the top and on.
static void a_vector_part_feels_its_springs_beyond_half_a_turn(void** state) {
  (void)state;
  static const char common[] =
      "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .01*eye(3); body(1).l_com = [0 0 -.3]; "
      "joint(1).second = 1; k = 2; m = .05; e0 = .3; u = .4; sensor(1).name = 'a'; "
      "sensor(1).value = [omega(body(1)) rot(body(1))(1,:) energy()];";
  static const char* const ways[] = {
      "joint(1).tr.rot = [0 0 inf 0]; joint(1).dof(1).rate = 6; joint(1).dof(1).spring.coeff = k; "
      "joint(1).dof(1).spring.init = e0; joint(1).dof(1).damp.visc = m; joint(1).dof(1).input = u;",
      "joint(1).tr.rot = [0 inf inf inf]; joint(1).dof(2).rate = 6; joint(1).dof(2).spring.coeff = "
      "k; joint(1).dof(2).spring.init = e0; joint(1).dof(2).damp.visc = m; joint(1).dof(2).input = "
      "u;",
  };
  static const char hinge[] =
      "joint(1).tr.rot = [2 inf]; joint(1).dof(1).rate = 12; h = dof(joint(1),1)/2; "
      "joint(1).dof(1).input = cos(h)/2*(-k*(sin(h) - e0) - m*cos(h)/2*ddof(joint(1),1) + u);";
  compare(common, ways, 2, 4, 1e-6);
  // the hinge's energy is without the springs
  const char* const both[] = {ways[0], hinge};
  char plain[512];
  snprintf(plain, sizeof plain, "%s", common);
  memcpy(strstr(plain, "energy()"), "0       ", 8);
  compare(plain, both, 2, 4, 1e-6);
}

// Below half a turn the vector part itself may be integrated instead.
static void both_charts_agree(void** state) {
  (void)state;
  static const char* const ways[] = {"joint(1).chart = 'vector';",
                                     "joint(1).chart = 'quaternion';"};
  compare(
      "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .1*diag([1 2 2.5]); body(1).l_com = [.1 0 "
      "-.3]; joint(1).second = 1; joint(1).tr.rot = [0 inf inf inf];\n"
      "for i = 1:3, joint(1).dof(i).spring.coeff = 4 - i; joint(1).dof(i).spring.init = .1*i; "
      "joint(1).dof(i).damp.visc = .1*i; joint(1).dof(i).damp.pow = i; joint(1).dof(i).init = .1; "
      "end\n"
      "joint(1).dof(1).spring.init = nan; joint(1).dof(2).input = .3*sin(t); joint(1).dof(3).dir = "
      "1; sensor(1).name = 'a'; sensor(1).value = [omega(body(1)) quat(body(1)) energy() "
      "dof(joint(1),2) ddof(joint(1),2)];",
      ways, 2, 3, 1e-6);
}

// ---- shared numbers ---------------------------------------------------------------------------

// Three elements whose rotations share their numbers: the equations of the free elements with P =
// [1; 1; 1] put on both sides, Pᵀ M P and Pᵀ h, for EBR rotations and vector parts of quaternions.
static void shared_rotations_are_a_projection(void** state) {
  (void)state;
  static const char* const turns[] = {"[inf inf inf]", "[0 inf inf inf]"};
  for (int k = 0; k < 2; k++) {
    robot r[2];
    for (int i = 0; i < 2; i++) {
      char text[1024];
      snprintf(text, sizeof text,
               "world.g = [1 0 -9.81]; body(1).m = .3; body(1).I = 1e-3*diag([1 2 2.5]); "
               "body(1).l_com = [0 0 .05]; joint(1).first = [1 0:2]; joint(1).second = [1 1:3]; "
               "joint(1).tr.trans = [0 0 .1]; joint(1).tr.rot = %s; joint(1).chart = 'vector';\n"
               "for i = 1:3, joint(1).dof(i).spring.coeff = i; joint(1).dof(i).damp.visc = .1*i; "
               "%s end",
               turns[k], i == 0 ? "" : "joint(1).dof(i).equal2 = [1 1 i];");
      r[i] = robot_open(text);
    }
    assert_int_equal(r[0].n.nv, 9);
    assert_int_equal(r[1].n.nv, 3);
    uint64_t seed = 3;
    for (int c = 0; c < 3; c++) {
      const double q = 0.3 * check_random(&seed), v = check_random(&seed);
      for (int e = 0; e < 3; e++) {
        r[0].state->q[3 * e + c] = q;
        r[0].state->v[3 * e + c] = v;
      }
      r[1].state->q[c] = q;
      r[1].state->v[c] = v;
    }
    double M[81], h[9], tau[9], Ms[9], hs[3];
    assert_int_equal(td_mass_matrix(r[0].model, r[0].state, r[0].work, M), TD_OK);
    assert_int_equal(td_mass_matrix(r[1].model, r[1].state, r[1].work, Ms), TD_OK);
    assert_int_equal(td_bias(r[0].model, r[0].state, r[0].work, h, tau), TD_OK);
    assert_int_equal(td_bias(r[1].model, r[1].state, r[1].work, hs, tau), TD_OK);
    for (int a = 0; a < 3; a++) {
      CHECK_NEAR(h[a] + h[3 + a] + h[6 + a], hs[a], 1e-12);
      for (int b = 0; b < 3; b++) {
        double sum = 0;
        for (int e = 0; e < 9; e++) sum += M[(3 * (e / 3) + a) * 9 + 3 * (e % 3) + b];
        CHECK_NEAR(sum, Ms[3 * a + b], 1e-13);
      }
    }
    robot_close(&r[0]);
    robot_close(&r[1]);
  }
}

// ---- motion -----------------------------------------------------------------------------------

static const char driven[] =
    "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = diag([.1 .2 .25]); body(1).l_com = [.1 .05 "
    "0]; body(2).m = .5; body(2).I = diag([.01 .02 .02]); body(2).l_com = [.05 .2 -.3];\n"
    "joint(1).second = 1; joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.2 .3 .1]; "
    "joint(2).tr.rot = [1 inf]; joint(2).dof(1).damp.visc = .01;\n"
    "sensor(1).name = 'a'; sensor(1).value = [dof(joint(2),1) ddof(joint(2),1) pos(body(2)) "
    "omega(body(2)) energy()];\n";

// A pose given over time, by the joint that makes the body, DOF by DOF, and by a constraint.
static void a_free_joint_follows_its_motion(void** state) {
  (void)state;
  char common[1536];
  snprintf(common, sizeof common,
           "%sy = [.1*t 0 .2*sin(t) .6*sin(t) .3*t .4*cos(2*t)-.4]; joint(1).type = 'free';",
           driven);
  static const char* const ways[] = {
      "joint(1).motion = y;",
      "for i = 1:6, joint(1).dof(i).motion = y(i); end",
      "joint(3).second = 1; joint(3).fixed = ones(1,6); joint(3).motion = y; joint(1).dof(1).rate "
      "= "
      ".1; joint(1).dof(3).rate = .2; joint(1).dof(4).rate = .6; joint(1).dof(5).rate = .3;",
  };
  compare(common, ways, 3, 5, 1e-6);
}

// Many turns about one axis, as a hinge makes them; four numbers of a quaternion do the same.
static void a_ball_turns_as_often_as_a_hinge(void** state) {
  (void)state;
  static const char* const ways[] = {
      "joint(1).tr.rot = [3 inf]; joint(1).motion = 6*t + sin(t);",
      "joint(1).type = 'spherical'; joint(1).motion = [0 0 6*t + sin(t)];",
      "joint(1).tr.rot = [inf inf inf inf]; joint(1).motion = [0 0 6*t + sin(t)];",
      "joint(1).type = 'cylindrical'; joint(1).motion = [6*t + sin(t) 0];",
  };
  compare(driven, ways, 4, 4, 1e-6);
}

// Where the speed jumps, the momentum of what is free does not: as a hinge whose speed jumps.
static void a_jump_of_the_rotation_vector_is_an_impulse(void** state) {
  (void)state;
  static const char* const ways[] = {
      "joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = 3*ramp(t, .5, 1.5);",
      "joint(1).type = 'spherical'; joint(1).motion = [0 0 3*ramp(t, .5, 1.5)];",
      "joint(1).type = 'free'; joint(1).motion = [0 0 0 0 0 3*ramp(t, .5, 1.5)];",
  };
  compare(driven, ways, 3, 1.2, 1e-6);
  compare(driven, ways, 3, 2, 1e-6);
}

// A rod on a base that turns about three axes, by a ball and by three hinges.
static void the_base_of_a_rod_follows_its_motion(void** state) {
  (void)state;
  static const char* const ways[] = {
      "rod(1).joint.type = 'spherical'; rod(1).joint.motion = [0 2*t 0];",
      "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; rod(1).joint.motion = 2*t;",
      "rod(1).joint.type = 'free'; rod(1).joint.motion = [0 0 0 0 2*t 0];",
  };
  compare(
      "world.g = [0 0 -9.81]; rod(1).length = .3; rod(1).radius = .01; rod(1).E = 1e6; rod(1).rho "
      "= "
      "1000; rod(1).eta = 1e4; rod(1).order = [-1 -1 -1 2 2 1]; sensor(1).name = 'a'; "
      "sensor(1).value = pos(rod(1), .3);",
      ways, 3, 1, 1e-6);
}

// A plant moves as the simulation does.
static void a_plant_follows_its_motion(void** state) {
  (void)state;
  char text[1536];
  snprintf(text, sizeof text,
           "%sjoint(1).type = 'free'; joint(1).motion = [.1*t 0 .2*sin(t) .6*sin(t) 7*t "
           ".4*cos(2*t)-.4]; joint(2).dof(1).spring.coeff = .1;",
           driven);
  robot r = robot_open(text);
  double y[9], z[9];
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-10;
  o.atol = 1e-11;
  td_plant* plant = NULL;
  assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &plant), TD_OK);
  for (int i = 1; i <= 10; i++) assert_int_equal(td_plant_step(plant, 0.1 * i), TD_OK);
  assert_int_equal(td_sensors(r.model, td_plant_state(plant), r.work, z), TD_OK);
  run(&r, 1, y);
  for (int i = 0; i < 9; i++) CHECK_NEAR(z[i], y[i], 1e-6);
  td_plant_free(plant);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_of_the_rotation_vector_is_harmonic),
      cmocka_unit_test(springs_of_three_numbers_have_an_energy),
      cmocka_unit_test(a_spring_ends_before_a_full_turn),
      cmocka_unit_test(a_vector_part_feels_its_springs_beyond_half_a_turn),
      cmocka_unit_test(both_charts_agree),
      cmocka_unit_test(shared_rotations_are_a_projection),
      cmocka_unit_test(a_free_joint_follows_its_motion),
      cmocka_unit_test(a_ball_turns_as_often_as_a_hinge),
      cmocka_unit_test(a_jump_of_the_rotation_vector_is_an_impulse),
      cmocka_unit_test(the_base_of_a_rod_follows_its_motion),
      cmocka_unit_test(a_plant_follows_its_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
