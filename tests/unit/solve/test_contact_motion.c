// Contact: how deep things lie, how they bounce, slide and roll, and what two of them keep.
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

static void go_to(robot* r, double t) {
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-10;
  o.atol = 1e-12;
  o.t_final = t;
  td_trajectory* run = NULL;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &run), TD_OK);
  td_trajectory_free(run);
}

static double acceleration(robot* r, int i) {
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  return td_work_vdot(r->work)[i];
}

#define BALL                                                                                    \
  "body(1).m = 2; body(1).I = 0.1*eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; " \
  "contact(1).first = body(1); contact(1).second = 'plane'; contact(1).radius = 0.1;\n"

static void test_a_ball_lies_as_deep_as_its_weight_asks(void** state) {
  (void)state;
  robot r = robot_load(BALL
                       "world.g = [0 0 -10]; joint(1).dof(1).init = 0.1; contact(1).stiffness = "
                       "1e4; contact(1).exponent = 1.5; contact(1).damping = 1;\n");
  r.state->q[0] = 0.09;
  settle(&r);
  CHECK_NEAR(0.1 - r.state->q[0], pow(20 / 1e4, 1 / 1.5), 1e-9);
  robot_free(&r);
}

static void test_without_damping_a_ball_bounces_back_to_where_it_fell_from(void** state) {
  (void)state;
  robot r = robot_load(
      BALL "world.g = [0 0 -10]; joint(1).dof(1).init = 0.6; contact(1).stiffness = 1e4;\n");
  // down in √(2h/g), half a period of its bounce and a bit more for its weight, up again
  const double fall = sqrt(2 * 0.5 / 10), omega = sqrt(1e4 / 2.0), rest = 10 / (omega * omega);
  const double v = 10 * fall;
  const double bounce = (3.14159265358979323846 + 2 * atan(rest * omega / v)) / omega;
  go_to(&r, 2 * fall + bounce);
  CHECK_NEAR(r.state->q[0], 0.6, 1e-7);
  CHECK_NEAR(r.state->v[0], 0, 1e-5);
  robot_free(&r);
}

// Hunt and Crossley without weight: x - log(1 + x) is the same before and after, x = d w.
static void test_a_damped_bounce_has_the_restitution_of_its_law(void** state) {
  (void)state;
  robot r = robot_load(BALL
                       "joint(1).dof(1).init = 0.11; joint(1).dof(1).rate = -2; "
                       "contact(1).stiffness = 1e5; contact(1).exponent = 1.5; contact(1).damping "
                       "= 0.4;\n");
  go_to(&r, 0.2);
  const double before = 0.4 * 2, after = -0.4 * r.state->v[0];
  assert_true(r.state->v[0] > 0.5);
  CHECK_NEAR(after - log(1 + after), before - log(1 + before), 1e-7);
  robot_free(&r);
}

// f = k δ n - b min(0, v·n) n
static void test_the_published_law_damps_approach_only(void** state) {
  (void)state;
  robot r = robot_load(BALL
                       "joint(1).dof(1).init = 0.2; contact(1).stiffness = 50; contact(1).damping "
                       "= 5; contact(1).law = 'approach';\n");
  r.state->q[0] = 0.08;
  r.state->v[0] = -3;
  CHECK_NEAR(acceleration(&r, 0), (50 * 0.02 + 5 * 3) / 2, 1e-12);
  r.state->v[0] = 3;
  CHECK_NEAR(acceleration(&r, 0), 50 * 0.02 / 2, 1e-12);
  r.state->q[0] = 0.11;
  CHECK_NEAR(acceleration(&r, 0), 0, 1e-15);
  robot_free(&r);
}

// On a slope of angle a: it creeps with tan a = μ v/√(v² + ε²), or slides with g (sin a - μ cos a).
static void test_a_block_on_a_slope_sticks_or_slides(void** state) {
  (void)state;
  const double angle = 0.4, mu[2] = {0.6, 0.2};
  for (int k = 0; k < 2; k++) {
    char text[700];
    snprintf(
        text, sizeof text,
        "a = %g; world.g = 10*[sin(a) 0 -cos(a)]; body(1).m = 1; body(1).I = 0.01*eye(3);\n"
        "joint(1).second = 1; joint(1).tr.trans = [inf 0 inf]; joint(1).dof(2).init = 0.05;\n"
        "contact(1).first = body(1); contact(1).points = .05*[1 1 -1; 1 -1 -1; -1 1 -1; -1 -1 "
        "-1]; contact(1).second = 'plane'; contact(1).stiffness = 1e4; contact(1).damping = 5; "
        "contact(1).friction = %g;\n",
        angle, mu[k]);
    robot r = robot_load(text);
    const double v0 = 1e-3 * tan(angle) / sqrt(mu[0] * mu[0] - tan(angle) * tan(angle));
    go_to(&r, 2);
    if (k == 0)
      CHECK_NEAR(r.state->v[0], v0, 1e-7);
    else
      CHECK_NEAR(acceleration(&r, 0) / (10 * (sin(angle) - mu[1] * cos(angle))), 1, 1e-6);
    robot_free(&r);
  }
}

static void test_a_ball_rolls_down_with_five_sevenths(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = 10*[sin(.2) 0 -cos(.2)]; body(1).m = 1; body(1).I = 0.4*0.1^2*eye(3);\n"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).tr(2).rot = [2 inf]; "
      "joint(1).dof(2).init = 0.1;\n"
      "contact(1).first = body(1); contact(1).radius = 0.1; contact(1).second = 'plane'; "
      "contact(1).stiffness = 1e5; contact(1).damping = 1; contact(1).friction = 0.5; "
      "contact(1).slip = 1e-5;\n");
  go_to(&r, 1);
  CHECK_NEAR(acceleration(&r, 0), 10 * sin(0.2) * 5 / 7, 1e-3);  // it sinks in by 0.1 mm of 0.1 m
  robot_free(&r);
}

// Two bodies and a rod that touch each other and nothing else keep their momentum.
static void test_what_touches_each_other_keeps_its_momentum(void** state) {
  (void)state;
  robot r = robot_load(
      "for k = 1:2, body(k).m = k; body(k).I = 0.01*k*diag([1 2 2.5]); joint(k).second = k; "
      "joint(k).type = 'free'; end\n"
      "joint(2).dof(1).init = 0.25; joint(2).dof(2).init = 0.05; joint(2).dof(1).rate = -1; "
      "joint(2).dof(4).rate = 3; joint(2).dof(6).rate = -2;\n"
      "contact(1).first = body(2); contact(1).ball = 0.1; contact(1).second = body(1); "
      "contact(1).ball2 = 0.1; contact(1).stiffness = 2e3; contact(1).damping = .2; "
      "contact(1).friction = .5;\n"
      "P = zeros(1,3); L = zeros(1,3);\n"
      "for k = 1:2, R = rot(body(k)); P = P + k*vel(body(k)); L = L + k*cross(pos(body(k)), "
      "vel(body(k))) + (R*(0.01*k*diag([1 2 2.5])*omega(body(k))'))'; end\n"
      "sensor(1).name = 'P'; sensor(1).value = P; sensor(2).name = 'L'; sensor(2).value = L; "
      "sensor(3).name = 'v'; sensor(3).value = vel(body(1));\n");
  double before[9], after[9];
  sensors_of(&r, before);
  go_to(&r, 0.3);
  sensors_of(&r, after);
  assert_true(fabs(after[6]) > 0.1);  // it was hit
  for (int i = 0; i < 6; i++) CHECK_NEAR(after[i], before[i], 1e-8);
  robot_free(&r);
}

// Two crossing cylinders whose axes are z apart, R the sum of their radii and k the stiffness per
// length.  At s along one of them the depth is R - √(z² + s²), up to S = √(R² - z²), and of its
// force the part z/√(z² + s²) keeps them apart:  N = 2 k z (R asinh(S/z) - S).
static double crossing_force(double k, double R, double z) {
  const double S = sqrt(R * R - z * z);
  return 2 * k * z * (R * asinh(S / z) - S);
}

static double crossing_depth(double k, double R, double N) {
  double low = 0, high = 0.5 * R;
  for (int i = 0; i < 100; i++) {
    const double depth = 0.5 * (low + high);
    if (crossing_force(k, R, R - depth) < N)
      low = depth;
    else
      high = depth;
  }
  return low;
}

// A weight on a long rod that lies on two others: each carries half.
static void test_a_rod_rests_on_rods_wherever_it_meets_them(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -10]; body(1).m = 0.1; body(1).I = 1e-4*eye(3); joint(1).second = 1; "
      "joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).init = 0.02;\n"
      "rod(1).first = 1; rod(1).tr.trans = [-.2 0 0]; rod(1).tr.rot = [2 pi/2]; rod(1).length = "
      ".4; "
      "rod(1).n = 40; rod(1).modes = [0 0 0 0 0 1];\n"
      "rod(2).tr.trans = [-.1 -.2 0]; rod(2).tr.rot = [1 -pi/2]; rod(2).length = .4; rod(2).n = 7; "
      "rod(3).tr.trans = [.1 -.2 0]; rod(3).tr.rot = [1 -pi/2]; rod(3).length = .4; rod(3).n = 7;\n"
      "for k = 1:3, rod(k).model = 'ebr'; rod(k).radius = .01; rod(k).E = 1e13; rod(k).rho = 1e-3; "
      "end\n"
      "for k = 1:2, contact(k).first = rod(1); contact(k).second = rod(k + 1); "
      "contact(k).stiffness = 1e3; contact(k).per = 'point'; end\n");
  settle(&r);
  // forces per point count as if points were a quarter of both radii apart; the rods below bend by
  // N a³/3EI = 1.7e-8 m, 4e-5 of the depth
  CHECK_NEAR((0.02 - r.state->q[0]) / crossing_depth(1e3 / 0.005, 0.02, 0.5), 1, 2e-4);
  robot_free(&r);
}

// A rod on its tip: balls of its radius all along, of which those up to the depth δ of the tip are
// in, with k (δ - s) per length.  Its weight W is k δ²/2.
static void test_a_rod_stands_on_its_tip_in_every_model(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
  const double W = 1000 * 3.14159265358979323846 * 2.5e-5 * 0.3 * 9.81;
  double first = 0;
  for (int k = 0; k < 5; k++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "world.g = [0 0 -9.81]; body(1).m = 0; body(1).I = zeros(3); joint(1).second = 1; "
        "joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).init = 0.303;\n"
        "rod(1).first = 1; rod(1).tr.rot = [1 pi]; rod(1).length = 0.3; rod(1).radius = 0.005; "
        "rod(1).E = 1e9; rod(1).rho = 1000; rod(1).model = '%s'; rod(1).n = 3;\n"
        "contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).stiffness = 1e5;\n"
        "sensor(1).name = 'tip'; p = pos(rod(1)); sensor(1).value = p(3);\n",
        models[k]);
    robot r = robot_load(text);
    double tip;
    settle(&r);
    sensors_of(&r, &tip);
    // the depth is linear along the rod, which Gauss' rule integrates exactly: what is left is the
    // rod's own strain, W/EA = 3e-6
    CHECK_NEAR((0.005 - tip) / sqrt(2 * W / 1e5), 1, 1e-5);
    // the points do not depend on the model: what is left is its own stretch, W L/EA = 1e-6 m
    if (k == 0) first = tip;
    CHECK_NEAR(tip, first, 1e-7);
    robot_free(&r);
  }
}

// Two rods cross with the force of their overlap, wherever along both they cross, and whatever
// points their models have.
static void test_rods_cross_anywhere_with_the_force_of_their_overlap(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "rom", "srl", "eba"};
  const double R = 0.02, z = 0.0175, k = 2e5, N = crossing_force(k, R, z);
  for (int i = 0; i < 10; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "world.g = [0 0 -10]; body(1).m = %.17g; body(1).I = eye(3); joint(1).second = 1; "
             "joint(1).tr.trans = [0 0 inf]; joint(1).dof(1).init = 0.018;\n"
             "rod(1).first = 1; rod(1).tr.trans = [-.2 + %g 0 0]; rod(1).tr.rot = [2 pi/2];\n"
             "rod(2).tr.trans = [0 -.2 + %g 0]; rod(2).tr.rot = [1 -pi/2];\n"
             "for k = 1:2, rod(k).length = .4; rod(k).n = 4; rod(k).model = '%s'; rod(k).radius = "
             ".01; rod(k).E = 1e13; rod(k).rho = 1e-3; end\n"
             "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = %g;\n",
             N / 10, 0.0017 * i, 0.0023 * i, models[i % 5], k);
    robot r = robot_load(text);
    settle(&r);
    // Gauss' rule with five points on a stretch that has another curvature at its ends than in its
    // middle: 7e-7 of the force; the rods bend by N a³/3EI = 2e-7 m, 1e-4 of the depth
    CHECK_NEAR((R - r.state->q[0]) / (R - z), 1, 5e-4);
    robot_free(&r);
  }
}

// Nodes of a net are points: friction with a ball that spins may not turn the world.  P and L of
// both together are kept, whichever of them is written first.
static void test_a_free_net_and_a_body_keep_their_momentum(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[1600];
    snprintf(
        text, sizeof text,
        "mesh(1).grid = [3 3]; mesh(1).size = [.3 .3]; mesh(1).body.m = .05; mesh(1).fixed = "
        "'none';\n"
        "mesh(1).joint(2).spring.coeff = 50; mesh(1).joint(2).damp.visc = .1;\n"
        "body(1).m = .4; body(1).I = 1e-3*diag([1 2 2.5]); joint(1).second = 1; "
        "joint(1).type = 'free'; joint(1).dof(1).init = .13; joint(1).dof(2).init = .16; "
        "joint(1).dof(3).init = .1; joint(1).dof(3).rate = -1; joint(1).dof(4).rate = 9; "
        "joint(1).dof(6).rate = -4;\n"
        "contact(1).%s = body(1); contact(1).ball%s = .08; contact(1).%s = mesh(1); "
        "contact(1).ball%s = .01; contact(1).stiffness = 2e3; contact(1).damping = .2; "
        "contact(1).friction = .6;\n"
        "R = rot(body(1)); P = .4*vel(body(1)); L = .4*cross(pos(body(1)), vel(body(1))) + "
        "(R*(1e-3*diag([1 2 2.5])*omega(body(1))'))';\n"
        "for i = 1:9, P = P + .05*vel(mesh(1), i); L = L + .05*cross(pos(mesh(1), i), "
        "vel(mesh(1), i)); end\n"
        "sensor(1).name = 'P'; sensor(1).value = P; sensor(2).name = 'L'; sensor(2).value = L; "
        "sensor(3).name = 'w'; sensor(3).value = omega(body(1));\n",
        k ? "second" : "first", k ? "2" : "", k ? "first" : "second", k ? "" : "2");
    robot r = robot_load(text);
    double before[9], after[9];
    sensors_of(&r, before);
    go_to(&r, 0.15);
    sensors_of(&r, after);
    assert_true(fabs(after[6] - before[6]) > 0.3);  // friction has slowed it down
    for (int i = 0; i < 6; i++) CHECK_NEAR(after[i], before[i], 1e-9);
    robot_free(&r);
  }
}

// Coarse rods that fall on a plane: a curve between two points that are outside may still dip in,
// and come out again, whatever its slopes at both are.  Nothing damps: the energy stays.
static void test_coarse_rods_lose_no_energy_on_a_plane(void** state) {
  (void)state;
  static const char* const rods[] = {"'srl'; rod(1).n = 4", "'ebr'; rod(1).n = 4",
                                     "'ebr'; rod(1).n = 8"};
  for (int i = 0; i < 3; i++) {
    char text[700];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; rod(1).tr.rot = [2 pi/2]; rod(1).length = 0.5;\n"
             "rod(1).radius = 0.01; rod(1).E = 2e5; rod(1).rho = 1000; rod(1).model = %s;\n"
             "contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).point = [0 0 "
             "-0.1];\n"
             "contact(1).stiffness = 2e4; par.rtol = 1e-7; par.atol = 1e-9;\n",
             rods[i]);
    robot r = robot_load(text);
    td_sim_options o = td_sim_options_default();
    td_trajectory* run = NULL;
    o.t_final = 0.3;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &run), TD_OK);
    // 0.15 J turn over; 1e-3 J went where a dip was overlooked
    CHECK_NEAR(td_trajectory_stats(run)->energy_error, 0, 3e-6);
    td_trajectory_free(run);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_lies_as_deep_as_its_weight_asks),
      cmocka_unit_test(test_without_damping_a_ball_bounces_back_to_where_it_fell_from),
      cmocka_unit_test(test_a_damped_bounce_has_the_restitution_of_its_law),
      cmocka_unit_test(test_the_published_law_damps_approach_only),
      cmocka_unit_test(test_a_block_on_a_slope_sticks_or_slides),
      cmocka_unit_test(test_a_ball_rolls_down_with_five_sevenths),
      cmocka_unit_test(test_what_touches_each_other_keeps_its_momentum),
      cmocka_unit_test(test_a_rod_rests_on_rods_wherever_it_meets_them),
      cmocka_unit_test(test_a_rod_stands_on_its_tip_in_every_model),
      cmocka_unit_test(test_rods_cross_anywhere_with_the_force_of_their_overlap),
      cmocka_unit_test(test_coarse_rods_lose_no_energy_on_a_plane),
      cmocka_unit_test(test_a_free_net_and_a_body_keep_their_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
