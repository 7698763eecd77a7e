// Which constraint rows are independent: the same loop closed in any way that the manual teaches,
// in any frame, by any solver, gives the same motion, modes and equilibrium.
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "model/model.h"
#include "robot.h"

// Ways to hold the tip of a planar rod at a point of its plane, which is turned by R.
static const char* const ways[] = {
    "joint(c).fixed = [1 1 0 0 0 0];",
    "joint(c).type = 'revolute'; joint(c).axis = [0 0 1];",
    "joint(c).type = 'spherical';",
    "joint(c).fixed = [1 1 1 0 0 0];",
    "joint(c).tr(3).rot = [2*pi/3 1 1 1]; joint(c).fixed = [1 1 1 1 0 1];",  // frames agree
    "joint(c).type = 'universal'; joint(c).axis = [1 0 0; 0 0 1];",
};
enum { NWAYS = sizeof ways / sizeof *ways };

typedef struct turn {  // of everything: angle and axis
  double angle, axis[3];
} turn;
static const turn upright = {0, {0, 0, 1}};

static turn random_turn(uint64_t* seed) {
  return (turn){3 * check_random(seed),
                {check_random(seed), check_random(seed), 1.1 + check_random(seed)}};
}

// x turned (Rodrigues)
static void turned(const turn* t, const double x[3], double out[3]) {
  const double n =
      sqrt(t->axis[0] * t->axis[0] + t->axis[1] * t->axis[1] + t->axis[2] * t->axis[2]);
  const double k[3] = {t->axis[0] / n, t->axis[1] / n, t->axis[2] / n};
  const double c = cos(t->angle), s = sin(t->angle),
               d = (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]) * (1 - c);
  const double cross[3] = {k[1] * x[2] - k[2] * x[1], k[2] * x[0] - k[0] * x[2],
                           k[0] * x[1] - k[1] * x[0]};
  for (int i = 0; i < 3; i++) out[i] = c * x[i] + s * cross[i] + d * k[i];
}

static int write_frame(char* text, size_t size, const turn* t) {
  const double down[3] = {0, -9.81, 0};
  double g[3];
  turned(t, down, g);
  return snprintf(text, size, "R = [%.17g %.17g %.17g %.17g]; world.g = [%.17g %.17g %.17g];\n",
                  t->angle, t->axis[0], t->axis[1], t->axis[2], g[0], g[1], g[2]);
}

// ---- a beam on two hinges ---------------------------------------------------------------------

static const double pi = 3.14159265358979323846;

// ω_n = (n π)² for stiffness, density and length of 1: the hinge must not become a clamp.
static void test_frequencies_of_a_pinned_beam(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int trial = 0; trial < 5; trial++) {
    const turn t = trial == 0 ? upright : random_turn(&seed);
    for (int i = 0; i < NWAYS; i++) {
      char text[2000];
      snprintf(text, sizeof text,
               "R = [%.17g %.17g %.17g %.17g];\n"
               "rod(1).n = 9; rod(1).length = 1; rod(1).tr(1).rot = R;\n"
               "rod(1).tr(2).rot = [2*pi/3 1 1 1]; rod(1).stiffness = [1e4 1e4 1e4 1 1 1];\n"
               "rod(1).inertia = [1 1 1 0 0 0]; rod(1).modes = [0 0 1 0 1 0];\n"
               "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];\n"
               "c = 1; joint(1).second = at(rod(1), 1); joint(1).tr(1).rot = R;\n"
               "joint(1).tr(2).trans = [1 0 0];\n%s\n",
               t.angle, t.axis[0], t.axis[1], t.axis[2], ways[i]);
      robot r = robot_open(text);
      td_modes_result* modes = NULL;
      assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
      // degree 9 has the first to rounding of the stiffness (1e4 against 1), the third to 1e-7
      for (int k = 1; k <= 3; k++)
        CHECK_NEAR(modes->omega[k - 1] / (k * k * pi * pi), 1, k < 3 ? 1e-8 : 1e-5);
      td_modes_free(modes);
      robot_close(&r);
    }
  }
}

// ---- a flexible four-bar ----------------------------------------------------------------------

// Crank, planar rod as coupler, rocker; the rod's tip is joined to the rocker.
static void write_four_bar(char* text, size_t size, const turn* t, const char* model,
                           const char* way, const char* more) {
  int n = write_frame(text, size, t);
  snprintf(text + n, size - (size_t)n,
           "for i = 1:2, body(i).m = 0.2; body(i).I = 1e-3*eye(3); body(i).l_com = [0 0.1 0]; end\n"
           "joint(1).second = 1; joint(1).tr(1).rot = R; joint(1).tr(2).rot = [3 inf];\n"
           "joint(1).dof(1).init = 0.3;\n"
           "joint(2).second = 2; joint(2).tr(1).rot = R; joint(2).tr(2).trans = [0.4 0 0];\n"
           "joint(2).tr(3).rot = [3 inf]; joint(2).dof(1).init = 0.3;\n"
           "rod(1).first = 1; rod(1).length = 0.4; rod(1).radius = 0.01; rod(1).E = 1e7;\n"
           "rod(1).rho = 1000; rod(1).eta = 1e4; rod(1).n = 4; rod(1).model = '%s';\n"
           "rod(1).modes = [0 0 0 0 1 0]; rod(1).tr.trans = [0 0.2 0];\n"
           "rod(1).tr(2).rot = [2*pi/3 1 1 1]; rod(1).joint.type = 'revolute';\n"
           "rod(1).joint.axis = [0 1 0]; rod(1).joint.dof(1).init = -0.3;\n"
           "c = 3; joint(3).first = 2; joint(3).second = at(rod(1), 0.4);\n"
           "joint(3).tr.trans = [0 0.2 0];\n%s\n%s\n",
           model, way, more);
}

static double difference(const double* a, const double* b, int n) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return most / size;
}

// Accelerations of all ways in 24 frames, dense and sparse, against two rows upright, of which no
// one is redundant.
static void test_accelerations_do_not_depend_on_frame_and_way(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl"};
  uint64_t seed = 5;
  for (int k = 0; k < 3; k++) {
    char text[3000];
    double want[64];
    write_four_bar(text, sizeof text, &upright, models[k], ways[0], "");
    robot first = robot_open(text);
    assert_int_equal(td_forward_dynamics(first.model, first.state, first.work), TD_OK);
    memcpy(want, td_work_vdot(first.work), sizeof(double) * (size_t)first.n.nv);
    for (int trial = 0; trial < 24; trial++) {
      const turn t = random_turn(&seed);
      const char* way = ways[trial % NWAYS];
      for (int sparse = 0; sparse < 2; sparse++) {
        write_four_bar(text, sizeof text, &t, models[k], way,
                       sparse ? "par.linear = 'sparse';" : "par.linear = 'dense';");
        robot r = robot_open(text);
        assert_int_equal(r.n.nv, first.n.nv);
        assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
        assert_int_equal(td_work_flags(r.work).constraint_rank, 2);
        // masses of shape functions differ by 1e4, which costs four of the sixteen digits
        CHECK_NEAR(difference(td_work_vdot(r.work), want, r.n.nv), 0, 1e-9);
        robot_close(&r);
      }
    }
    robot_close(&first);
  }
}

static void test_motions_do_not_depend_on_the_way(void** state) {
  (void)state;
  uint64_t seed = 6;
  char text[3000];
  double want[64];
  for (int i = 0; i < NWAYS; i++) {
    const turn t = i == 0 ? upright : random_turn(&seed);
    write_four_bar(text, sizeof text, &t, "gvs", ways[i], "");
    robot r = robot_open(text);
    td_sim_options options = td_sim_options_default();
    options.t_final = 0.2;
    options.rtol = 1e-11, options.atol = 1e-13;
    td_trajectory* run = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    if (i == 0) memcpy(want, r.state->q, sizeof(double) * (size_t)r.n.nq);
    // some fifty steps, each right to 1e-11 of itself, which frames and ways divide otherwise
    CHECK_NEAR(difference(r.state->q, want, r.n.nq), 0, 1e-9);
    td_trajectory_free(run);
    robot_close(&r);
  }
}

static void test_equilibria_do_not_depend_on_the_way(void** state) {
  (void)state;
  uint64_t seed = 7;
  char text[3000];
  double want[64];
  for (int i = 0; i < NWAYS; i++) {
    const turn t = i == 0 ? upright : random_turn(&seed);
    write_four_bar(text, sizeof text, &t, "gvs", ways[i], "joint(1).dof(1).spring.coeff = 3;");
    robot r = robot_open(text);
    const td_equil_options options = td_equil_options_default();
    td_equil_result result;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &result), TD_OK);
    assert_true(result.converged);
    if (i == 0) memcpy(want, r.state->q, sizeof(double) * (size_t)r.n.nq);
    CHECK_NEAR(difference(r.state->q, want, r.n.nq), 0, 1e-8);
    robot_close(&r);
  }
}

// Three such loops, each of a crank, a planar rod and a rocker, stand on a floating body: branches
// on a trunk.  Closed by two rows each they are solved branch by branch, closed in other ways some
// rows follow from others and the whole is; there is one answer.
static void test_branches_with_loops_do_not_depend_on_frame_and_way(void** state) {
  (void)state;
  uint64_t seed = 9;
  double want[64];
  int parted = 0;
  for (int trial = 0; trial < 12; trial++) {
    const turn t = trial == 0 ? upright : random_turn(&seed);
    char text[3000], *at = text, *end = text + sizeof text;
    at += write_frame(at, (size_t)(end - at), &t);
    at += snprintf(
        at, (size_t)(end - at),
        "body(7).m = 2; body(7).I = diag([1 2 3])*1e-2; joint(10).second = 7;\n"
        "joint(10).type = 'free'; joint(10).tr(1).rot = R;\n"
        "for k = 1:3\n a = 2*k-1; b = 2*k; c = 6+k;\n"
        "for i = a:b, body(i).m = 0.2; body(i).I = 1e-3*eye(3); body(i).l_com = [0 0.1 0]; end\n"
        "joint(a).first = 7; joint(a).second = a; joint(a).tr(1).rot = [2 2*k];\n"
        "joint(a).tr(2).rot = [3 inf]; joint(a).dof(1).init = 0.3;\n"
        "joint(b).first = 7; joint(b).second = b; joint(b).tr(1).rot = [2 2*k];\n"
        "joint(b).tr(2).trans = [0.4 0 0]; joint(b).tr(3).rot = [3 inf];\n"
        "joint(b).dof(1).init = 0.3;\n"
        "rod(k).first = a; rod(k).length = 0.4; rod(k).radius = 0.01; rod(k).E = 1e7;\n"
        "rod(k).rho = 1000; rod(k).n = 4; rod(k).modes = [0 0 0 0 1 0];\n"
        "rod(k).tr.trans = [0 0.2 0]; rod(k).tr(2).rot = [2*pi/3 1 1 1];\n"
        "rod(k).joint.type = 'revolute'; rod(k).joint.axis = [0 1 0];\n"
        "rod(k).joint.dof(1).init = -0.3; joint(c).first = b; joint(c).second = at(rod(k), 0.4);\n"
        "joint(c).tr.trans = [0 0.2 0];\n%s\nend\n",
        ways[trial % NWAYS]);
    snprintf(at, (size_t)(end - at), "%s", trial % 4 == 3 ? "par.linear = 'sparse';\n" : "");
    robot r = robot_open(text);
    parted += r.model->narrow_x_at > 0;
    assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
    assert_int_equal(td_work_flags(r.work).constraint_rank, 6);
    // velocities of the floating body are in its own frame
    if (trial == 0) memcpy(want, td_work_vdot(r.work), sizeof(double) * (size_t)r.n.nv);
    CHECK_NEAR(difference(td_work_vdot(r.work) + 6, want + 6, r.n.nv - 6), 0, 1e-9);
    robot_close(&r);
  }
  assert_true(parted > 0);
}

// ---- rigid mechanisms -------------------------------------------------------------------------

// Three parallel cranks of length l carry one coupler, one crank more than needed: it swings like
//   (Σ (I + m l²/4) + M l²) θ'' = -(Σ m l/2 + M l) g sin θ
static void test_redundant_parallelogram(void** state) {
  (void)state;
  uint64_t seed = 8;
  const double l = 0.3, m = 0.2, I = 2e-3, M = 1.5, angle = 0.7;
  const double want =
      -(3 * m * l / 2 + M * l) * 9.81 * sin(angle) / (3 * (I + m * l * l / 4) + M * l * l);
  for (int trial = 0; trial < 24; trial++) {
    const turn t = random_turn(&seed);
    char text[3000];
    int n = write_frame(text, sizeof text, &t);
    snprintf(text + n, sizeof text - (size_t)n,
             "l = %g; kind = '%s';\n"
             "for i = 1:3\n  body(i).m = %g; body(i).I = %g*eye(3); body(i).l_com = [0 -l/2 0];\n"
             "  joint(i).second = i; joint(i).tr(1).rot = R; joint(i).tr(2).trans = [0.25*i 0 0];\n"
             "  joint(i).tr(3).rot = [3 inf]; joint(i).dof(1).init = %g;\nend\n"
             "body(4).m = %g; body(4).I = 0.01*eye(3);\n"
             "joint(4).first = 1; joint(4).second = 4; joint(4).tr(1).trans = [0 -l 0];\n"
             "joint(4).tr(2).rot = [3 inf]; joint(4).dof(1).init = %g;\n"
             "for i = 2:3\n  joint(3+i).first = i; joint(3+i).second = 4;\n"
             "  joint(3+i).tr.trans = [0 -l 0]; joint(3+i).tr2nd.trans = [0.25*(i-1) 0 0];\n"
             "  joint(3+i).type = kind;\n"
             "end\n%s\n",
             l, trial % 2 ? "revolute" : "spherical", m, I, angle, M, -angle,
             trial % 3 == 2 ? "par.linear = 'sparse';" : "");
    robot r = robot_open(text);
    assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
    assert_int_equal(td_work_flags(r.work).constraint_rank, 3);
    const double sign[4] = {1, 1, 1, -1};
    for (int i = 0; i < 4; i++) CHECK_NEAR(td_work_vdot(r.work)[i] / want, sign[i], 1e-11);
    robot_close(&r);
  }
}

// Bricard's mechanism of six hinges and five rods is mobile although it should not be.  Its sixth
// row follows from the others where the loop is closed, and from nothing beside it.
static const char bricard[] =
    "world.g = [0 -9.81 0];\n"
    "P = [0 0 0; 1 0 0; 1 -1 0; 1 -1 1; 0 -1 1; 0 0 1];\n"
    "axes = [0 1 0; 0 0 1; 1 0 0; 0 1 0; 0 0 1; 1 0 0];\n"
    "thin = (0.1^2 + 0.1^2)/12; long = (1 + 0.1^2)/12;\n"
    "for k = 1:5\n"
    "  r = P(k+1,:) - P(k,:); body(k).m = 1; body(k).l_com = r/2;\n"
    "  body(k).I = long*eye(3) - (long - thin)*diag(abs(r));\n"
    "  joint(k).first = k - 1; joint(k).second = k;\n"
    "  if k > 1\n    joint(k).tr(1).trans = P(k,:) - P(k-1,:);\n  end\n"
    "  joint(k).type = 'revolute'; joint(k).axis = axes(k,:);\n"
    "end\n"
    "joint(6).first = 0; joint(6).second = 5; joint(6).tr(1).trans = P(6,:);\n"
    "joint(6).tr2nd(1).trans = P(6,:) - P(5,:); joint(6).type = 'revolute';\n"
    "joint(6).axis = axes(6,:);\n"
    "sensor(1).name = 'P3'; sensor(1).value = pos(body(3), P(4,:) - P(3,:));\n";

// Position of P3 after a second: library of computational benchmark problems of IFToMM, A04.
static void test_bricard_takes_few_evaluations(void** state) {
  (void)state;
  static const double want[3] = {0.510501461187, -1.64916759939, 0.140123114553};
  static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF};
  for (int i = 0; i < 2; i++)
    for (int tight = 0; tight < 2; tight++) {
      robot r = robot_open(bricard);
      td_sim_options options = td_sim_options_default();
      options.t_final = 1;
      options.rtol = tight ? 1e-9 : 1e-5;
      options.atol = 0.1 * options.rtol;
      options.solver = solvers[i];
      td_trajectory* run = NULL;
      assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
      const double* got = td_trajectory_sensors(run, td_trajectory_rows(run) - 1);
      for (int k = 0; k < 3; k++) CHECK_NEAR(got[k], want[k], tight ? 1e-6 : 1e-3);
      // with the rank of each trial state it takes 20 000 and more
      assert_true(td_trajectory_stats(run)->evaluations < 5000);
      assert_true(td_trajectory_stats(run)->rejected < 20);
      td_trajectory_free(run);
      robot_close(&r);
    }
}

static void test_the_rank_is_kept_beside_the_constraints(void** state) {
  (void)state;
  robot r = robot_open(bricard);
  r.state->v[0] = 1;
  assert_int_equal(td_project_v(r.model, r.state, r.work), TD_OK);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  double want[5];
  memcpy(want, td_work_vdot(r.work), sizeof want);
  td_rank_keep(r.model, r.state, r.work, true);
  for (int i = 0; i < 5; i++) r.state->q[i] += 1e-6 * cos(1 + 3 * i);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  assert_int_equal(td_work_flags(r.work).constraint_rank, 4);
  CHECK_NEAR(difference(td_work_vdot(r.work), want, 5), 0, 1e-4);
  td_rank_forget(r.work);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frequencies_of_a_pinned_beam),
      cmocka_unit_test(test_accelerations_do_not_depend_on_frame_and_way),
      cmocka_unit_test(test_motions_do_not_depend_on_the_way),
      cmocka_unit_test(test_equilibria_do_not_depend_on_the_way),
      cmocka_unit_test(test_branches_with_loops_do_not_depend_on_frame_and_way),
      cmocka_unit_test(test_redundant_parallelogram),
      cmocka_unit_test(test_bricard_takes_few_evaluations),
      cmocka_unit_test(test_the_rank_is_kept_beside_the_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
