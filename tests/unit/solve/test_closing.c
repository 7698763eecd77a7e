// Loops that the written values leave open: closed by their own joints, then by bending their rods,
// and by stretching these only where nothing else will do; what is not in a loop stays.
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "robot.h"
#include "tendril/tools.h"

static double q_named(const robot* r, const char* part, double* least) {
  double most = 0;
  *least = 0;
  for (int i = 0; i < r->n.nq; i++)
    if (strstr(td_model_q_name(r->model, i), part)) {
      most = fmax(most, fabs(r->state->q[i]));
      *least = fmin(*least, r->state->q[i]);
    }
  return most;
}

// A four-bar whose crank is written 0.15 rad too far, with a finger on its coupler and a pendulum
// beside it.  Joints of a parallelogram turn by the same angle.
static void test_what_is_outside_stays(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl", "eba", "rom"};
  for (int k = 0; k < 5; k++) {
    char text[3000];
    snprintf(
        text, sizeof text,
        "for i = 1:4, body(i).m = 0.4; body(i).I = 0.008*eye(3); body(i).l_com = [0 0 0.15]; end\n"
        "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof.init = 0.15;\n"
        "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 0.3];\n"
        "joint(2).tr(2).rot = [2 pi/2]; joint(2).tr(3).rot = [2 inf];\n"
        "joint(3).second = 3; joint(3).tr(1).trans = [0.7 0 0]; joint(3).tr(2).rot = [2 inf];\n"
        "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [0 0 0.7];\n"
        "joint(4).tr2nd.trans = [0 0 0.3]; joint(4).type = 'revolute'; joint(4).axis = [0 1 0];\n"
        "joint(5).first = 3; joint(5).second = 4; joint(5).tr(1).trans = [0 0 0.3];\n"
        "joint(5).tr(2).rot = [1 inf]; joint(5).dof.init = 0.2;\n"
        "rod(1).first = 2; rod(1).tr.trans = [0 0 0.35]; rod(1).length = 0.2; rod(1).n = 3;\n"
        "rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1100; rod(1).model = '%s';\n"
        "sensor(1).name = 'stretch'; sensor(1).value = strain(rod(1), 0.05);\n",
        models[k]);
    robot r = robot_open(text);
    double y[6];
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(y[i], 0, 1e-12);
    const double turn = r.state->q[0];
    assert_true(turn > 0.02 && turn < 0.15);
    CHECK_NEAR(r.state->q[1], -turn, 1e-9);
    CHECK_NEAR(r.state->q[2], turn, 1e-9);
    CHECK_NEAR(r.state->q[3], 0.2, 0);
    // the note names all that moved, and nothing else
    const char* note = td_spec_messages(r.spec);
    assert_non_null(strstr(note, "joint(1).dof(1) from 0.15 to"));
    assert_non_null(strstr(note, "joint(2).dof(1) from 0 to"));
    assert_non_null(strstr(note, "joint(3).dof(1) from 0 to"));
    assert_null(strstr(note, "rod(1):"));
    assert_null(strstr(note, "joint(5)"));
    robot_close(&r);
  }
}

// The tip of a rod at its own base: a drop, as long as the rod, of the least energy.  Segments have
// it up to the square of their number; dense and sparse are closed by the same steps.
static void test_a_rod_is_bent_to_its_own_base(void** state) {
  (void)state;
  static const struct {
    const char* model;
    int n;
  } rods[] = {{"gvs", 10}, {"gvs", 4},  {"ebr", 12}, {"ebr", 24},
              {"srl", 12}, {"srl", 24}, {"eba", 12}, {"eba", 24}};
  double best = 0, off[8];
  for (int k = 0; k < 8; k++) {
    double energy[2];
    for (int sparse = 0; sparse < 2; sparse++) {
      char text[2000];
      snprintf(text, sizeof text,
               "body(1).m = 1; body(1).I = 0.01*eye(3); joint(1).second = 1;\n"
               "joint(1).tr.rot = [2 inf]; joint(1).dof.init = 0.3;\n"
               "rod(1).first = body(1); rod(1).length = 0.25; rod(1).radius = 0.008;\n"
               "rod(1).E = 1e6; rod(1).rho = 1000; rod(1).model = '%s'; rod(1).n = %d;\n"
               "joint(2).first = rod(1); joint(2).second = 1; joint(2).type = 'spherical';\n"
               "par.linear = '%s'; sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
               rods[k].model, rods[k].n, sparse ? "sparse" : "dense");
      robot r = robot_open(text);
      double y[3], least;
      assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
      for (int i = 0; i < 3; i++) CHECK_NEAR(y[i], 0, 1e-10);
      CHECK_NEAR(q_named(&r, "stretch", &least), 0, 1e-12);
      CHECK_NEAR(r.state->q[0], 0.3, 0);
      assert_non_null(strstr(td_spec_messages(r.spec), "closing the loops deforms rod(1)"));
      energy[sparse] = td_energy(r.model, r.state, r.work).elastic;
      robot_close(&r);
    }
    CHECK_NEAR(energy[1], energy[0], 1e-8 * energy[0]);
    if (k == 0) best = energy[0];
    off[k] = fabs(energy[0] / best - 1);
    // 12 segments of half a radian each
    assert_true(off[k] < (k < 2 ? 3e-3 : 2.5e-2));
    if (k > 2 && k % 2 == 1) assert_true(off[k] < 0.5 * off[k - 1]);
  }
}

// Between points that are farther apart than it is long a rod must stretch, by that much.
static void test_a_rod_stretches_by_need(void** state) {
  (void)state;
  robot r = robot_open(
      "rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"
      "joint(1).second = rod(1); joint(1).tr.trans = [0 0 0.21]; joint(1).type = 'spherical';\n"
      "sensor(1).name = 'strain'; sensor(1).value = strain(rod(1), 0.1);\n");
  double y[6];
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  CHECK_NEAR(y[2], 0.05, 0.01);  // the mean is 0.05; masses give more to one place than to another
  robot_close(&r);
}

// ---- parallel robots of rods ------------------------------------------------------------------

// Clamped rods that carry a platform, the first of them pushed up by d at its base.
static void write_platform(char* text, size_t size, int legs, double outer, double inner,
                           const char* rod, const char* motion) {
  const int p = legs + 1;
  const char* angle = legs == 6 ? "2*pi*floor((k-1)/2)/3+(-1)^k*0.25" : "2*pi*(k-1)/3";
  snprintf(text, size,
           "d = param('d', 0.03);\n"
           "for k = 1:%d, a = %s;\n"
           "  body(k).m = 0.02; body(k).I = 1e-5*eye(3); joint(k).second = k;\n"
           "  joint(k).tr(1).trans = %g*[cos(a) sin(a) 0]; joint(k).tr(2).trans = [0 0 inf];\n"
           "  joint(k).dof(1).motion = (k==1)*%s + 0*t;\n"
           "  rod(k).first = k; rod(k).length = 0.35; rod(k).radius = 0.8e-3; rod(k).E = 200e9;\n"
           "  rod(k).nu = 0.3; rod(k).rho = 7800; rod(k).eta = 1e7; %s\n"
           "end\n"
           "body(%d).m = 0.1; body(%d).I = 1e-4*eye(3); k = 1; a = %s;\n"
           "joint(%d).first = rod(1); joint(%d).second = %d; joint(%d).type = 'fixed';\n"
           "joint(%d).tr.trans = -%g*[cos(a) sin(a) 0];\n"
           "for k = 2:%d, a = %s;\n"
           "  joint(%d+k).first = rod(k); joint(%d+k).second = %d; joint(%d+k).type = 'fixed';\n"
           "  joint(%d+k).tr2nd.trans = %g*[cos(a) sin(a) 0];\n"
           "end\n"
           "sensor(1).name = 'e'; sensor(1).value = energy();\n",
           legs, angle, outer, motion, rod, p, p, angle, p, p, p, p, p, inner, legs, angle, legs,
           legs, p, legs, legs, inner);
}

// A clamped rod whose ends come nearer by d and whose curvature is c P2(2s - 1): the angle is
// c (L/4) (x³ - x), x = 2s - 1, and the shortening L/2 ∫ (1 - cos θ) dx; c by bisection, the
// integral by the midpoint rule, which is good to 1e-7 here.
static double buckled(double L, double d) {
  double low = 0, high = 60;
  for (int k = 0; k < 60; k++) {
    const double c = 0.5 * (low + high);
    double sum = 0;
    for (int i = 0; i < 2000; i++) {
      const double x = -1 + (i + 0.5) / 1000;
      sum += L / 2 * (1 - cos(c * L / 4 * (x * x * x - x))) / 1000;
    }
    *(sum < d ? &low : &high) = c;
  }
  return low;
}

// Equal radii: all rods but the first can stay straight, and the least energy is that of its
// buckled shape, ½ E I c² L/5, whatever the model of the rods; eight segments change it by some
// percent.  Rods of 'eba' make the model sparse; they have the energy of 'ebr', whose pieces are
// the same, but for the stretch by the square of the slenderness.
static void test_a_platform_closes_with_the_least_energy(void** state) {
  (void)state;
  static const char* const rods[] = {
      "rod(k).order = [-1 -1 -1 3 3 1];",
      "rod(k).order = [-1 -1 0 3 3 1];",
      "rod(k).model = 'ebr'; rod(k).n = 8;",
      "rod(k).model = 'srl'; rod(k).n = 8;",
      "rod(k).model = 'ebr'; rod(k).modes = [0 0 0 1 1 1]; rod(k).n = 8;",
      "rod(k).model = 'rom'; rod(k).n = 4;",
      "rod(k).model = 'eba'; rod(k).n = 8;"};
  double segments = 0;
  const double c = buckled(0.35, 0.03);
  const double EI = 200e9 * acos(-1) * pow(0.8e-3, 4) / 4, least = 0.5 * EI * c * c * 0.35 / 5;
  for (int legs = 3; legs <= 6; legs += 3)
    for (int k = 0; k < 7; k++) {
      // three rods may tilt the platform instead, which needs less
      char text[4000];
      double e;
      write_platform(text, sizeof text, legs, 0.09, 0.09, rods[k], "d");
      robot r = robot_open(text);
      assert_int_equal(td_sensors(r.model, r.state, r.work, &e), TD_OK);
      assert_true(e < (k < 2 ? 1.001 : 1.15) * least);
      if (legs == 6) assert_true(e > (k < 2 ? 0.999 : 0.85) * least);
      if (k == 2) segments = e;
      if (legs == 6 && k == 6) CHECK_NEAR(e, segments, 1e-3 * segments);
      // which rod bends most when the platform tilts is decided by rounding
      assert_non_null(strstr(td_spec_messages(r.spec), legs == 6
                                                           ? "closing the loops deforms rod(1)"
                                                           : "closing the loops deforms rod("));
      if (legs == 6 && k < 2) {
        double size = 0, others = 0;
        for (int i = 0; i < r.n.nq; i++) {
          const char* name = td_model_q_name(r.model, i);
          if (strstr(name, "rod(1)[3].bend")) size = hypot(size, r.state->q[i]);
          if (strstr(name, "rod(") && !strstr(name, "rod(1)"))
            others = fmax(others, fabs(r.state->q[i]));
        }
        // the search ends where a step gains less than 1e-6 of the energy, 1e-3 of a bend
        CHECK_NEAR(size, c, 1e-3 * c);
        assert_true(others < 1e-3 * c);
      }
      robot_close(&r);
    }
}

// Another geometry, prescribed bases at rest: there is a potential, and the equilibrium that is
// looked for is a stable one.
static void test_a_platform_finds_a_stable_equilibrium(void** state) {
  (void)state;
  static const char* const rods[] = {
      "rod(k).order = [-1 -1 -1 3 3 1];", "rod(k).order = [-1 -1 0 3 3 1];",
      "rod(k).model = 'ebr'; rod(k).modes = [0 0 0 1 1 1]; rod(k).n = 6;"};
  for (int k = 0; k < 3; k++) {
    char text[4000];
    write_platform(text, sizeof text, 6, 0.09, 0.06, rods[k], "d");
    robot r = robot_open(text);
    td_equil_options options = td_equil_options_default();
    options.stable = true;
    td_equil_result result;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &result), TD_OK);
    assert_true(result.conservative);
    assert_int_equal(result.stability, TD_STABLE);
    robot_close(&r);
  }
}

// A straight rod that cannot stretch, pushed together at its base: three functions of one bend and
// three constraints, so that its shape is that of `buckled` at every time, however it starts.
static void test_a_straight_rod_buckles(void** state) {
  (void)state;
  static const char* const motions[] = {"0.03*t", "0.03*(1 - cos(2*t))", "0.03*ramp(t, 0.2, 1.2)"};
  for (int k = 0; k < 3; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "body(1).m = 0.1; body(1).I = 1e-4*eye(3); joint(1).second = 1;\n"
             "joint(1).tr.trans = [0 0 inf]; joint(1).dof.motion = %s;\n"
             "rod(1).first = 1; rod(1).length = 0.35; rod(1).radius = 0.8e-3; rod(1).E = 200e9;\n"
             "rod(1).rho = 7800; rod(1).order = [-1 -1 -1 -1 2 -1]; rod(1).points = 12;\n"
             "joint(2).second = rod(1); joint(2).tr.trans = [0 0 0.35]; joint(2).type = 'fixed';\n"
             "par.t_final = 0.5;\n",
             motions[k]);
    robot r = robot_open(text);
    td_sim_options options = td_sim_options_default();
    td_trajectory* run;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    const double d[] = {0.015, 0.03 * (1 - cos(1)), 0.009};
    // 1e-7 of the rule of the reference, 1e-10 of the closed loop
    CHECK_NEAR(fabs(r.state->q[3]), buckled(0.35, d[k]), 1e-5);
    assert_non_null(strstr(td_trajectory_diagnosis(run), "buckling"));
    assert_int_equal(td_trajectory_trust(run, NULL), TD_TRUST_LOOK);
    td_trajectory_free(run);

    // rows that are due before it is bent far enough to be followed are refused, with what to take
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
    options.dt_out = 1e-5;
    if (k != 1) {  // which has no jump
      assert_int_not_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
      assert_non_null(
          strstr(td_trajectory_diagnosis(run), "a row is due before: take a dt_out of"));
      td_trajectory_free(run);
    }
    robot_close(&r);
  }
}

// The same rod, pushed by one whose stretch is given over time.
static void test_a_straight_rod_buckles_before_one_that_grows(void** state) {
  (void)state;
  robot r = robot_open(
      "rod(1).length = 0.1; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"
      "rod(1).strain = [0 0 0.3*t 0 0 0]; rod(2).first = rod(1); rod(2).length = 0.35;\n"
      "rod(2).radius = 0.8e-3; rod(2).E = 200e9; rod(2).rho = 7800; rod(2).points = 12;\n"
      "rod(2).order = [-1 -1 -1 -1 2 -1]; joint(1).second = rod(2);\n"
      "joint(1).tr.trans = [0 0 0.45]; joint(1).type = 'fixed'; par.t_final = 0.5;\n");
  td_trajectory* run;
  assert_int_equal(td_simulate(r.model, r.work, r.state, NULL, &run), TD_OK);
  CHECK_NEAR(fabs(r.state->q[r.n.nq - 1]), buckled(0.35, 0.015), 1e-5);
  assert_non_null(strstr(td_trajectory_diagnosis(run), "buckling"));
  td_trajectory_free(run);
  robot_close(&r);
}

// Six straight rods that cannot stretch, one of them pushed: five stay straight to second order and
// tremble by 1e-5 of what the first does.  To follow that to 1e-6 of its own size took 7500 steps.
static void test_straight_rods_beside_a_bent_one_take_no_steps(void** state) {
  (void)state;
  char text[4000];
  write_platform(text, sizeof text, 6, 0.09, 0.09, "rod(k).order = [-1 -1 -1 3 3 1];",
                 "d*ramp(t, 0, 1)");
  robot r = robot_open(text);
  td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  options.t_final = CHECK_SANITIZED ? 0.01 : 0.05;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
  assert_true(td_trajectory_stats(run)->steps < 2500);
  assert_true(fabs(td_trajectory_stats(run)->energy_error) < 1e-5);
  // the way alone tells how far the first rod is bent, up to what its fourth functions do
  double size = 0;
  for (int i = 0; i < r.n.nq; i++)
    if (strstr(td_model_q_name(r.model, i), "rod(1)[3].bend")) size = hypot(size, r.state->q[i]);
  CHECK_NEAR(size, buckled(0.35, 0.03 * options.t_final), 0.02 * size);
  td_trajectory_free(run);

  // the stiff solver alone finds no step beside straight rods, and says what to do
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  options.solver = TD_SOLVER_STIFF;
  options.t_final = 0.02;
  options.max_steps = 5000;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_E_DIVERGED);
  assert_non_null(strstr(td_trajectory_diagnosis(run), "leave its choice open (auto)"));
  td_trajectory_free(run);
  robot_close(&r);
}

// A whisker that vibrates with curvatures of 1e-3 1/m on half a ton that swings in
// a loop: it is in no loop, and the tolerance is that of its own motion, not of the whole.
static void test_a_whisker_on_a_heavy_loop_is_followed_as_what_it_is(void** state) {
  (void)state;
  static const double tol[] = {1e-4, 1e-9};
  double bend[2][8];
  for (int k = 0; k < 2; k++) {
    robot r = robot_open(
        "for i = 1:3\n body(i).m = 500; body(i).I = 10*eye(3); body(i).l_com = [0 0 0.2];\n end\n"
        "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).rate = 1;"
        "joint(1).dof(1).spring.coeff = 2e4; joint(2).first = 1; joint(2).second = 2;"
        "joint(2).tr(1).trans = [0 0 0.4]; joint(2).tr(2).rot = [2 pi/2];"
        "joint(2).tr(3).rot = [2 inf]; joint(2).dof(1).rate = -1; joint(3).second = 3;"
        "joint(3).tr(1).trans = [0.8 0 0]; joint(3).tr(2).rot = [2 inf]; joint(3).dof(1).rate = 1;"
        "joint(4).first = 2; joint(4).second = 3; joint(4).tr(1).trans = [0 0 0.8];"
        "joint(4).tr2nd(1).trans = [0 0 0.4]; joint(4).type = 'revolute'; joint(4).axis = [0 1 0];"
        "rod(1).first = 2; rod(1).tr(1).trans = [0 0 0.4]; rod(1).tr(2).rot = [1 pi/2];"
        "rod(1).length = 0.1; rod(1).radius = 0.002; rod(1).E = 1e8; rod(1).rho = 1100;"
        "rod(1).order = [-1 -1 -1 3 3 -1]; rod(1).eta = 200; rod(1).init = [0 0 0 1e-3 1e-3 0];");
    td_sim_options options = td_sim_options_default();
    td_trajectory* run;
    options.t_final = 0.05;
    options.rtol = options.atol = tol[k];
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    int n = 0;
    for (int i = 0; i < r.n.nq && n < 8; i++)
      if (strstr(td_model_q_name(r.model, i), "bend")) bend[k][n++] = r.state->q[i];
    assert_int_equal(n, 8);
    td_trajectory_free(run);
    robot_close(&r);
  }
  // four functions in the plane of the loop, which shakes them, and four across
  for (int plane = 0; plane < 2; plane++) {
    double size = 0, error = 0;
    for (int i = 4 * plane; i < 4 * plane + 4; i++) {
      size = fmax(size, fabs(bend[1][i]));
      error = fmax(error, fabs(bend[0][i] - bend[1][i]));
    }
    CHECK_REACHED("whisker on a heavy loop, tolerance 1e-4", error / size, 1e-3);
  }
}

// ---- folded segments --------------------------------------------------------------------------

static const char upright[] =
    "world.g = [0 0 -9.81]; rod(1).length = 0.4; rod(1).radius = 1.2e-3; rod(1).E = 1e6;\n"
    "rod(1).nu = 0.4; rod(1).rho = 1200; rod(1).shape = [0 0 0 0 3 1]; rod(1).eta = 200;\n"
    "rod(1).name = 'whip'; sensor(1).name = 'e'; sensor(1).value = energy();\n"
    "par.t_final = 0.6;\n";

// Nodes and relative coordinates describe the same pieces: equal equilibria, as long as no segment
// is bent by half a turn.  With few segments the clamped one has to be: it is named.
static void test_a_folded_segment_is_named(void** state) {
  (void)state;
  double energy[2];
  td_equil_options options = td_equil_options_default();
  options.stable = true;
  for (int k = 0; k < 4; k++) {
    char text[2000];
    snprintf(text, sizeof text, "%srod(1).model = '%s'; rod(1).n = %d;\n", upright,
             k == 0 ? "ebr" : "eba", k < 2 ? 32 : 4);
    robot r = robot_open(text);
    td_equil_result result;
    td_trajectory* run = NULL;
    td_sim_options sim = td_sim_options_default();
    if (k == 3) {
      assert_int_equal(td_simulate(r.model, r.work, r.state, &sim, &run), TD_E_DIVERGED);
      assert_non_null(strstr(td_trajectory_diagnosis(run), "segment 1 of whip is folded"));
      assert_non_null(strstr(td_trajectory_diagnosis(run), "a rod or beam is folded"));
      td_trajectory_free(run);
    } else {
      const td_status found = td_equilibrium(r.model, r.work, r.state, &options, &result);
      if (k == 2) {
        assert_true(found != TD_OK || result.stability != TD_STABLE);
        assert_non_null(strstr(result.note, "segment 1 of whip is folded"));
      } else {
        assert_int_equal(found, TD_OK);
        assert_int_equal(result.stability, TD_STABLE);
        assert_int_equal(td_sensors(r.model, r.state, r.work, &energy[k]), TD_OK);
      }
    }
    robot_close(&r);
  }
  CHECK_NEAR(energy[1], energy[0], 1e-8 * fabs(energy[0]));
}

// A link that spins against a beam of small stiffness: at half a turn the beam would push the other
// way, and 200 J would come from nowhere.
static void test_a_beam_that_is_turned_over_is_named(void** state) {
  (void)state;
  static const char* const frames[] = {"first", "mid"};
  for (int k = 0; k < 2; k++) {
    char text[700];
    snprintf(text, sizeof text,
             "body(1).m = 1; body(1).I = 0.1*eye(3); joint(1).second = 1;\n"
             "joint(1).tr.rot = [1 inf]; joint(1).dof.rate = 20;\n"
             "joint(2).first = 0; joint(2).second = 1; joint(2).beam.frame = '%s';\n"
             "joint(2).tr2nd.trans = [0 0 0.2]; joint(2).spring.init = nan*ones(1, 6);\n"
             "joint(2).spring.coeff = [1 1 1 0.1 0.1 0.1]; par.t_final = 0.5;\n",
             frames[k]);
    robot r = robot_open(text);
    td_trajectory* run;
    assert_int_equal(td_simulate(r.model, r.work, r.state, NULL, &run), TD_E_DIVERGED);
    assert_non_null(strstr(td_trajectory_diagnosis(run), "the ends of joint(2) are turned by 3"));
    CHECK_NEAR(td_trajectory_stats(run)->t_end, 3.0 / 20, 0.02);
    td_trajectory_free(run);
    robot_close(&r);
  }
}

// A gap of 3e-9 rad, which bending alone cannot close: the rod gives way where it is, and does not
// wind itself up by radians to do so.
static void test_a_gap_of_rounding_is_closed_where_it_is(void** state) {
  (void)state;
  static const char* const models[] = {"ebr", "srl", "gvs"};
  for (int k = 0; k < 3; k++) {
    char text[700];
    double least;
    snprintf(
        text, sizeof text,
        "body(1).m = 1; body(1).I = 1e-2*eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf];"
        "joint(1).dof.motion = 3e-9 + 0*t; rod(1).tr.trans = [0.5 0 0]; rod(1).length = 0.3;"
        "rod(1).radius = 0.01; rod(1).E = 4e5; rod(1).rho = 1100; rod(1).model = '%s';"
        "rod(1).n = 2; joint(2).first = at(rod(1), 0.2); joint(2).second = 1;"
        "joint(2).tr2nd.trans = [0.5 0 0.2]; joint(2).type = 'prismatic';"
        "joint(2).axis = [0.3 0.5 0.8];",
        models[k]);
    robot r = robot_open(text);
    CHECK_NEAR(q_named(&r, "rod(1)", &least), 0, 1e-5);
    robot_close(&r);
  }
}

// What is written to eleven digits is closed to rounding as everything else is: a gap that is left
// would pull at the stiff rod, in one unit of length and not in another.
static void test_a_gap_below_the_tolerance_is_closed(void** state) {
  (void)state;
  static const double gaps[] = {3e-12, 8e-12, 2e-11, 1e-8, 1e-3};
  for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
    char text[700];
    double e, edot;
    snprintf(text, sizeof text,
             "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e9; rod(1).rho = 1100;\n"
             "rod(1).n = 2; rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];\n"
             "body(1).m = 1; body(1).I = 1e-2*eye(3); joint(1).second = 1;\n"
             "joint(1).tr(1).trans = [0.4 0 0]; joint(1).tr(2).rot = [2 inf];\n"
             "joint(2).first = at(rod(1), 0.3); joint(2).second = 1; joint(2).type = 'fixed';\n"
             "joint(2).tr2nd.trans = [%.17g 0 0.3];\n",
             -0.4 + gaps[k]);
    robot r = robot_open(text);
    td_constraint_error(r.model, r.state, r.work, &e, &edot);
    CHECK_REACHED("gap", e, 1e-14);
    robot_close(&r);
  }
}

// A four-bar, alone or welded to the ground, with a written rate of its crank and joint.control of
// a point of its coupler that rests at the start.  The point cannot have the rate that is written:
// it begins with what the loop alone leaves, and does not keep the loop from having none.
static void test_controlled_points_begin_with_what_loops_allow(void** state) {
  (void)state;
  double v[2][6];
  for (int k = 0; k < 8; k++) {
    const bool controlled = k % 2 == 1, welded = k / 2 % 2 == 1, sparse = k / 4 == 1;
    char text[2000];
    snprintf(
        text, sizeof text,
        "for i = 1:3, body(i).m = 0.4; body(i).I = 0.008*eye(3); body(i).l_com = [0 0 0.15]; end\n"
        "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof.rate = 1;\n"
        "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 0.3];\n"
        "joint(2).tr(2).rot = [2 pi/2]; joint(2).tr(3).rot = [2 inf]; joint(2).dof.rate = 0.3;\n"
        "joint(3).second = 3; joint(3).tr(1).trans = [0.7 0 0]; joint(3).tr(2).rot = [2 inf];\n"
        "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [0 0 0.7];\n"
        "joint(4).tr2nd.trans = [0 0 0.3]; joint(4).type = 'revolute'; joint(4).axis = [0 1 0];\n"
        "par.linear = '%s'; %s %s\n",
        sparse ? "sparse" : "dense",
        welded ? "joint(5).second = 1; joint(5).tr.trans = [0 0 0.2]; joint(5).type = 'fixed';"
                 "joint(5).tr2nd.trans = [0 0 0.2];"
               : "",
        !controlled ? ""
        : welded    ? "joint(6).second = 2; joint(6).tr2nd.trans = [0 0 0.4]; joint(6).refbody = 0;"
                      "joint(6).tr.trans = [0.4 0 0.3]; joint(6).fixed = [1 0 1];"
                      "joint(6).control = [sin(t) 0 sin(t) 0 0 0];"
                    : "joint(5).second = 2; joint(5).tr2nd.trans = [0 0 0.4]; joint(5).refbody = 0;"
                      "joint(5).tr.trans = [0.4 0 0.3]; joint(5).fixed = [1 0 1];"
                      "joint(5).control = [sin(t) 0 sin(t) 0 0 0];");
    robot r = robot_open(text);
    assert_int_equal(r.n.nv, 3);
    for (int i = 0; i < 3; i++) v[k % 2][i] = r.state->v[i];
    if (!welded) assert_true(fabs(v[0][0]) > 0.1);
    for (int i = 0; i < 3 && welded; i++) CHECK_NEAR(v[k % 2][i], 0, 1e-13);
    for (int i = 0; i < 3 && controlled; i++) CHECK_NEAR(v[1][i], v[0][i], 1e-13);
    robot_close(&r);
  }
}

// Two bars of 0.5 m and 1 kg between hinges 1 m apart, at the angle d below their line.
static const char two_bars[] =
    "g = param('g', 9.81); world.g = [0 0 -g]; \n"
    "body(1).m = 1; body(1).I = .01; body(1).l_com = [.25 0 0]; \n"
    "body(2).m = 1; body(2).I = .01; body(2).l_com = [-.25 0 0]; \n"
    "joint(1).first = 1; joint(1).second = 2; joint(1).type = 'spherical'; \n"
    "joint(1).tr.trans = [.5 0 0]; joint(1).tr2nd.trans = [-.5 0 0]; \n"
    "joint(2).second = 1; joint(2).tr(1).rot = [d 0 1 0]; joint(2).tr(2).rot = [2 inf]; \n"
    "joint(3).second = 2; joint(3).tr(1).trans = [cos(d) 0 0]; joint(3).tr(2).rot = [-d 0 1 0]; \n"
    "joint(3).tr(3).rot = [2 inf];";

// In line they hold no load, however close to that Newton's method comes; at an angle the thrust is
// that of a three-hinged arch, m g/(2 tan d) on both sides.
static void test_bars_in_line_hold_no_load(void** state) {
  (void)state;
  static const double angles[] = {0, 1e-2, 1e-3, 1e-4};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    const double d = angles[i];
    char text[1200];
    snprintf(text, sizeof text, "d = %.17g;\n%s", d, two_bars);
    robot r = robot_open(text);
    td_equil_result found;
    const td_status status = td_equilibrium(r.model, r.work, r.state, NULL, &found);
    if (d > 0) {
      assert_int_equal(status, TD_OK);
      const double *l = td_work_lambda(r.work), thrust = 9.81 / (2 * tan(d));
      CHECK_NEAR(sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) / thrust, 1, 1e-9);
    } else {
      assert_int_equal(status, TD_E_DIVERGED);
      assert_false(found.converged);
      assert_non_null(strstr(found.note, "joint(1).t1 cannot hold the load"));
      assert_non_null(strstr(found.note, "singular position"));

      // nor does a path of equilibria begin there
      td_trace_options o = td_trace_options_default();
      o.param = td_model_param_find(r.model, "g");
      o.from = 9.81;
      o.to = 1;
      td_trace_result* path = NULL;
      assert_int_equal(td_trace(r.model, r.work, r.state, &o, &path), TD_E_DIVERGED);
      assert_non_null(strstr(td_work_failure(r.work), "cannot hold the load"));
      td_trace_free(path);

      // without load there is nothing to hold
      assert_int_equal(td_work_set_param(r.model, r.work, o.param, 0), TD_OK);
      assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
      assert_int_equal(td_equilibrium(r.model, r.work, r.state, NULL, &found), TD_OK);
    }
    robot_close(&r);
  }
}

// A run that begins there says that its motion is not to be trusted; at an angle, or where all four
// bars of a parallelogram are in line, from where they can move, it does not.
static void test_a_run_from_bars_in_line_is_to_be_looked_at(void** state) {
  (void)state;
  static const char parallelogram[] =
      "world.g = [0 0 -9.81]; for k = 1:3, body(k).m = 1; body(k).I = .01; end\n"
      "joint(1).second = 1; joint(1).tr(1).rot = [2 inf];\n"
      "joint(1).dof.init = d; joint(1).dof.rate = 1;\n"
      "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [.3 0 0];\n"
      "joint(2).tr(2).rot = [2 inf]; joint(2).dof.init = -d; joint(2).dof.rate = -1;\n"
      "joint(3).second = 3; joint(3).tr(1).trans = [.5 0 0]; joint(3).tr(2).rot = [2 inf];\n"
      "joint(3).dof.init = d; joint(3).dof.rate = 1; joint(4).first = 2; joint(4).second = 3;\n"
      "joint(4).tr.trans = [.5 0 0]; joint(4).tr2nd.trans = [.3 0 0]; joint(4).type = 'revolute';\n"
      "joint(4).axis = [0 1 0];\n";
  static const struct {
    const char* text;
    double angle;
    td_verdict verdict;
  } cases[] = {{two_bars, 0, TD_TRUST_LOOK},
               {two_bars, 1e-2, TD_TRUST_OK},
               {parallelogram, 0, TD_TRUST_OK},
               {parallelogram, 0.3, TD_TRUST_OK}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1500];
    snprintf(text, sizeof text, "d = %.17g;\n%s", cases[i].angle, cases[i].text);
    robot r = robot_open(text);
    td_sim_options options = td_sim_options_default();
    options.t_final = 0.1;
    td_trajectory* run;
    const char* why;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    assert_int_equal(td_trajectory_trust(run, &why), cases[i].verdict);
    if (cases[i].verdict == TD_TRUST_LOOK)
      assert_non_null(strstr(why, "singular position of the loop of joint(1).t1"));
    td_trajectory_free(run);
    robot_close(&r);
  }
}

// Straight rods that bend and do not stretch between two places that are held: they cannot bend,
// and what holds them against a load across has no lever.  No equilibrium is found, however
// Newton's method creeps along; a run stays where it is, which is said, and what rounding loses of
// the nothing that is turned over is not called wrong.  A rod that stretches sags.
static void test_a_straight_rod_between_clamps_holds_no_load(void** state) {
  (void)state;
  static const struct {
    double at, E, g;
    const char* order;
    bool sparse;
  } cases[] = {
      {0.3, 1e6, 9.81, "-1 -1 -1 -1 2 -1", false},  {0.15, 1e6, 9.81, "-1 -1 -1 -1 2 -1", false},
      {0.15, 1e9, 9.81, "-1 -1 -1 -1 2 -1", false}, {0.15, 1e6, 981, "-1 -1 -1 -1 2 -1", false},
      {0.3, 1e6, 9.81, "-1 -1 -1 -1 2 -1", true},   {0.15, 1e6, 9.81, "-1 -1 -1 -1 2 -1", true},
      {0.3, 1e6, 9.81, "-1 -1 0 -1 2 -1", false}};
  enum { CASES = sizeof cases / sizeof *cases };
  for (int i = 0; i < CASES; i++) {
    char text[700];
    snprintf(text, sizeof text,
             "world.g = [-%g 0 0]; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = %g;\n"
             "rod(1).rho = 1000; rod(1).order = [%s]; joint(1).first = 0;\n"
             "joint(1).second = at(rod(1), %g); joint(1).tr.trans = [0 0 %g];\n"
             "joint(1).type = 'fixed'; par.linear = '%s';\n",
             cases[i].g, cases[i].E, cases[i].order, cases[i].at, cases[i].at,
             cases[i].sparse ? "sparse" : "dense");
    const bool stretches = i == CASES - 1;
    robot r = robot_open(text);
    td_sim_options options = td_sim_options_default();
    options.t_final = 0.5;
    td_trajectory* run;
    const char* why;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    const td_verdict verdict = td_trajectory_trust(run, &why);
    if (stretches) {
      assert_int_equal(verdict, TD_TRUST_OK);
    } else {
      assert_non_null(strstr(why, "singular position of the loop of joint(1).t3"));
      assert_int_equal(verdict, TD_TRUST_LOOK);
      for (int k = 0; k < r.n.nq; k++) CHECK_NEAR(r.state->q[k], 0, 0.1);
    }
    td_trajectory_free(run);

    td_equil_result found;
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
    const td_status status = td_equilibrium(r.model, r.work, r.state, NULL, &found);
    assert_int_equal(status, stretches ? TD_OK : TD_E_DIVERGED);
    if (!stretches) assert_non_null(strstr(found.note, "joint(1).t3 cannot hold the load"));
    robot_close(&r);
  }
}

// Closing a loop is told whatever the joints are written with, and however small the robot is.
static void test_turns_and_small_ways_are_told(void** state) {
  (void)state;
  static const char* const turns[] = {"joint(%d).tr(2).rot = [inf inf inf inf];",
                                      "joint(%d).tr(2).rot = [0 inf inf inf];",
                                      "joint(%d).tr(2).rot = [0 0 inf 0];"};
  for (int k = 0; k < 3; k++)
    for (double L = 1; L > 1e-5; L /= 100) {
      char text[1200], one[100], two[100];
      snprintf(one, sizeof one, turns[k], 1);
      snprintf(two, sizeof two, turns[k], 2);
      snprintf(text, sizeof text,
               "L = %g; for i = 1:2, body(i).m = 0.3; body(i).I = 1e-3*L^2*eye(3); end\n"
               "joint(1).second = 1; joint(1).tr(1).trans = [0 0 0]; %s\n"
               "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0.3*L 0 0]; %s\n"
               "%s"
               "joint(3).second = 2; joint(3).tr.trans = [0.3*L 0 0.25*L];\n"
               "joint(3).tr2nd.trans = [0.3*L 0 0]; joint(3).type = 'spherical';\n",
               L, one, two, k == 0 ? "joint(1).dof(1).init = 1; joint(2).dof(1).init = 1;\n" : "");
      robot r = robot_open(text);
      const char* said = td_spec_messages(r.spec);
      assert_non_null(strstr(said, "closing the loops turns joint(1) by"));
      assert_non_null(strstr(said, "and joint(2) by"));
      robot_close(&r);
    }
  for (double L = 1; L > 1e-7; L /= 100) {
    char text[700];
    snprintf(text, sizeof text,
             "L = %g; for i = 1:2, body(i).m = 1; body(i).I = L^2*eye(3); joint(i).second = i;\n"
             "joint(i).tr.trans = [inf 0 0]; joint(i).dof(1).spring.coeff = 1; end\n"
             "joint(2).dof(1).init = 0.2*L; joint(2).dof(1).spring.init = 0.2*L;\n"
             "joint(3).first = 1; joint(3).second = 2; joint(3).tr.trans = [0.04*L 0 0];\n"
             "joint(3).tr2nd.trans = [0 0 0]; joint(3).type = 'spherical';\n",
             L);
    robot r = robot_open(text);
    assert_non_null(strstr(td_spec_messages(r.spec), "closing the loops moves joint("));
    robot_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turns_and_small_ways_are_told),
      cmocka_unit_test(test_what_is_outside_stays),
      cmocka_unit_test(test_a_rod_is_bent_to_its_own_base),
      cmocka_unit_test(test_a_rod_stretches_by_need),
      cmocka_unit_test(test_a_platform_closes_with_the_least_energy),
      cmocka_unit_test(test_a_platform_finds_a_stable_equilibrium),
      cmocka_unit_test(test_a_straight_rod_buckles),
      cmocka_unit_test(test_a_straight_rod_buckles_before_one_that_grows),
      cmocka_unit_test(test_straight_rods_beside_a_bent_one_take_no_steps),
      cmocka_unit_test(test_a_whisker_on_a_heavy_loop_is_followed_as_what_it_is),
      cmocka_unit_test(test_a_folded_segment_is_named),
      cmocka_unit_test(test_a_beam_that_is_turned_over_is_named),
      cmocka_unit_test(test_a_gap_of_rounding_is_closed_where_it_is),
      cmocka_unit_test(test_a_gap_below_the_tolerance_is_closed),
      cmocka_unit_test(test_bars_in_line_hold_no_load),
      cmocka_unit_test(test_a_run_from_bars_in_line_is_to_be_looked_at),
      cmocka_unit_test(test_a_straight_rod_between_clamps_holds_no_load),
      cmocka_unit_test(test_controlled_points_begin_with_what_loops_allow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
