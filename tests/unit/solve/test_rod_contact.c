// Contact along rods: it begins, slides and ends without corners, whatever points the rods' models
// have; what touches each other keeps its momentum and makes no energy.
#include <stdarg.h>

#include "../engine/robots.h"
#include "model/model.h"

static robot load(const char* format, ...) {
  static char text[6000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return robot_load(text);
}

static void set(robot* r, const char* name, double value) {
  const int i = td_model_param_find(r->model, name);
  assert_true(i >= 0);
  assert_int_equal(td_work_set_param(r->model, r->work, i, value), TD_OK);
}

static td_equil_result settle(robot* r) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(r->model, r->work, r->state, &options, &result), TD_OK);
  assert_true(result.converged);
  return result;
}

static void sensors_of(robot* r, double* y) {
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

// ---- first touch ------------------------------------------------------------------------------

// Two ropes pinned at both ends, the second across the first and above it; `drop` lowers its ends.
#define ROPES                                                                                      \
  "world.g = [0 0 -9.81]; drop = param('drop', -0.012); kc = param('kc', 1e4);\n"                  \
  "th = 1.1311022;\n"                                                                              \
  "for k = 1:2, rod(k).length = 1; rod(k).radius = 0.005; rod(k).E = 1e6; rod(k).G = 1e6/3; "      \
  "rod(k).rho = 1000; rod(k).eta = 3e3; rod(k).model = '%s'; rod(k).n = %d; end\n"                 \
  "rod(1).tr(1).trans = [-0.4 0 0]; rod(1).tr(2).rot = [2 pi/2];\n"                                \
  "rod(2).tr(1).trans = [0 -0.4 -drop]; rod(2).tr(2).rot = [1 -pi/2];\n"                           \
  "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; rod(1).joint.dof(1).init = th;\n"  \
  "rod(2).joint.type = 'revolute'; rod(2).joint.axis = [1 0 0]; rod(2).joint.dof(1).init = -th;\n" \
  "rod(1).modes = [0 0 1 0 1 0]; rod(1).init = [0 0 0 0 -2*th 0];\n"                               \
  "rod(2).modes = [0 0 1 1 0 0]; rod(2).init = [0 0 0 2*th 0 0];\n"                                \
  "joint(1).first = 0; joint(1).tr.trans = [0.4 0 0]; joint(1).second = at(rod(1), 1); "           \
  "joint(1).fixed = [1 0 1 0 0 0];\n"                                                              \
  "joint(2).first = 0; joint(2).tr.trans = [0 0.4 -drop]; joint(2).second = at(rod(2), 1); "       \
  "joint(2).fixed = [0 1 1 0 0 0];\n"                                                              \
  "sensor(1).name = 'z1'; p = pos(rod(1), 0.5); sensor(1).value = p(3);\n"                         \
  "sensor(2).name = 'z2'; p = pos(rod(2), 0.5); sensor(2).value = p(3);\n"                         \
  "f = force(joint(2)); sensor(3).name = 'f'; sensor(3).value = f(3);\n"

#define ROPE_ON_ROPE                                                                  \
  ROPES                                                                               \
  "contact(1).first = rod(2); contact(1).second = rod(1); contact(1).per = 'point'; " \
  "contact(1).stiffness = kc; contact(1).damping = 1;\n"

// Equilibria in steps of `step` from above the lower rope to `to`, the last of them in y.
static void lower(robot* r, double from, double to, double step, double* y) {
  const int n = (int)ceil((to - from) / step - 1e-9);
  for (int k = 1; k <= n; k++) {
    set(r, "drop", k < n ? from + k * step : to);
    settle(r);
  }
  sensors_of(r, y);
}

// From above the lower rope down to 0.1 m below, where both hang on each other, in steps of 5 mm:
// half as long as both are thick.  None of them leads through the rope to the other side.  The
// reference is that of ropes that do not press into each other at all; the contact is so stiff that
// they do by 1e-6 m.  Segments are off by a multiple of 1/n², which two numbers of them take away.
static void test_a_rope_comes_to_rest_on_another(void** state) {
  (void)state;
  double y[2][3], free[2][3];
  for (int i = 0; i < 2; i++) {
    robot r = load(ROPE_ON_ROPE, "ebr", i ? 20 : 10);
    set(&r, "kc", 1e6);
    settle(&r);
    sensors_of(&r, free[i]);
    lower(&r, -0.012, 0.1, 5e-3, y[i]);
    robot_free(&r);
  }
  for (int k = 0; k < 3; k++) {
    y[1][k] += (y[1][k] - y[0][k]) / 3;
    free[1][k] += (free[1][k] - free[0][k]) / 3;
  }
  CHECK_REACHED("hanging free", fabs(free[1][0] + 0.268581), 3e-5);
  CHECK_REACHED("middle of the lower rope", fabs(y[1][0] + 0.287915), 3e-5);
  CHECK_REACHED("middle of the upper rope", fabs(y[1][1] + 0.277915), 3e-5);
  // each end of the upper rope is relieved of half the contact force
  CHECK_REACHED("force of a rope on another",
                fabs(2 * fabs(fabs(free[1][2]) - fabs(y[1][2])) - 0.26679), 3e-4);
}

// The stiffer the contact, the nearer to ropes that do not press into each other: the depth of
// crossing cylinders goes with k^(-2/3) where it is small (N ~ k δ^(3/2)).  Differences of depths,
// since the curves through bent ropes' nodes are not nearest at exactly the nodes (1e-7 m).
static void test_stiffer_ropes_come_nearer_to_hard_ones(void** state) {
  (void)state;
  double depth[3];
  for (int i = 0; i < 3; i++) {
    robot r = load(ROPE_ON_ROPE, "ebr", 12);
    double y[3];
    set(&r, "kc", 1e4 * pow(8, i));
    settle(&r);
    lower(&r, -0.012, 0.02, 4e-3, y);
    depth[i] = 0.01 - (y[1] - y[0]);
    robot_free(&r);
  }
  assert_true(depth[0] < 1e-4 && depth[2] > 0);
  // the next term of the force is of the order of the depth by the radii, 3e-3
  CHECK_REACHED("rate of softness", fabs((depth[0] - depth[1]) / (depth[1] - depth[2]) / 4 - 1),
                1e-2);
}

// The path of equilibria goes through the corner of the first touch, to where steps lead.
static void test_a_path_of_equilibria_goes_through_the_first_touch(void** state) {
  (void)state;
  robot r = load(ROPE_ON_ROPE, "ebr", 12);
  td_trace_options o = td_trace_options_default();
  o.param = td_model_param_find(r.model, "drop");
  o.from = -0.02;
  o.to = 0.02;
  td_trace_result* path = NULL;
  assert_int_equal(td_trace(r.model, r.work, r.state, &o, &path), TD_OK);
  assert_true(path->complete);
  const double* y = path->sensors + (size_t)(path->n - 1) * (size_t)r.ny;
  // free, the upper one would hang 0.02 m below the lower one
  CHECK_NEAR(y[1] - y[0], 0.01, 1e-4);
  td_trace_free(path);
  robot_free(&r);
}

// ---- derivatives ------------------------------------------------------------------------------

// Central differences of the residual along every column, with steps h and 2 h extrapolated to
// order 4: the worst difference to the tangent by its largest element.
static double tangent_error(robot* r, bool rate) {
  const int n = r->nv;
  const double h = 1e-6;
  double *zero = calloc((size_t)n, sizeof(double)), *dq = calloc((size_t)(n * n), sizeof(double)),
         *dv = calloc((size_t)(n * n), sizeof(double)), *d = calloc((size_t)n, sizeof(double)),
         *q = calloc((size_t)r->nq, sizeof(double)), *F = calloc((size_t)(4 * n), sizeof(double));
  td_tangent(r->model, r->state, r->work, zero, NULL, dq, dv);
  const double* K = rate ? dv : dq;
  memcpy(q, r->state->q, (size_t)r->nq * sizeof(double));
  double worst = 0, size = 0;
  for (int k = 0; k < n; k++) {
    const double v = r->state->v[k];
    for (int i = 0; i < 4; i++) {
      const double step = (i == 0 ? -2 : i == 1 ? -1 : i == 2 ? 1 : 2) * h;
      d[k] = rate ? 0 : step;
      if (rate) r->state->v[k] = v + step;
      td_displace(r->model, q, d, r->state->q);
      td_residual(r->model, r->state, r->work, zero, NULL, F + i * n);
    }
    d[k] = 0;
    r->state->v[k] = v;
    for (int j = 0; j < n; j++) {
      const double slope = (8 * (F[2 * n + j] - F[n + j]) - (F[3 * n + j] - F[j])) / (12 * h);
      worst = fmax(worst, fabs(slope - K[j * n + k]));
      size = fmax(size, fabs(K[j * n + k]));
    }
  }
  memcpy(r->state->q, q, (size_t)r->nq * sizeof(double));
  free(zero);
  free(dq);
  free(dv);
  free(d);
  free(q);
  free(F);
  return worst / size;
}

// Rods that touch over a part of their pieces: the points of the rule follow the ends of what
// touches, and the tangent with them, also for exponents of the force that are no whole numbers and
// rods that are thicker at one end.  Forces of 1 N and steps of 1e-6 leave 1e-16/1e-6 of rounding
// in differences of a stiffness of about 0.01 by the largest, roots of the depth 1e-10/1e-6 of the
// error of the rule (1e-6).
static void test_the_tangent_is_that_of_the_force(void** state) {
  (void)state;
  static const char* const others[] = {
      "contact(1).second = rod(2);",
      "contact(1).second = 'cylinder'; contact(1).center = [.2 0 "
      "-.0185]; contact(1).axis = [.1 1 0]; contact(1).radius = .01;",
      "contact(1).second = 'sphere'; contact(1).center = [.2 .002 -.0185]; contact(1).radius = "
      ".01;",
      "contact(1).second = 'plane'; contact(1).point = [0 0 -.0095]; contact(1).normal = [.05 .02 "
      "1];"};
  static const char* const models[] = {"gvs", "ebr", "srl", "eba", "rom"};
  static const double exponents[] = {1, 1.5, 1.3};
  for (int i = 0; i < 60; i++) {
    robot r = load(
        "rod(1).tr.rot = [2 pi/2]; rod(2).tr.trans = [.21 -.19 -.0185]; rod(2).tr.rot = [1 "
        "-pi/2];\n"
        "for k = 1:2, rod(k).length = .4; rod(k).radius = .01 + %g*(s - .2); rod(k).E = 1e6; "
        "rod(k).rho = 1000; rod(k).model = '%s'; rod(k).n = 4; end\n"
        "contact(1).first = rod(1); contact(1).stiffness = 1e4; contact(1).damping = .3; "
        "contact(1).friction = .4; contact(1).slip = .1; contact(1).exponent = %g; %s "
        "contact(1).per = '%s';\n",
        i % 7 ? 0.0 : 0.01, models[i % 5], exponents[i / 20], others[i / 5 % 4],
        i % 2 ? "length" : "point");
    uint64_t seed = (uint64_t)i + 1;
    for (int k = 0; k < r.nv; k++) r.state->v[k] = 0.02 * check_random(&seed);
    CHECK_REACHED("tangent of contact along a rod", tangent_error(&r, false), 1e-7);
    CHECK_REACHED("its rate", tangent_error(&r, true), 1e-7);
    robot_free(&r);
  }
}

// A rod that turns meets a ball.  Near the first touch the depth is rounding, and both ends of the
// stretch may be found in the same place: the tangent there was not a number.
static void test_a_touch_without_length_has_a_tangent(void** state) {
  (void)state;
  robot r = load(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf];\n"
      "rod(1).first = 1; rod(1).tr.rot = [2 pi/2]; rod(1).length = 0.5; rod(1).radius = 0.01;\n"
      "rod(1).E = 1e9; rod(1).rho = 1000; rod(1).n = 2; rod(1).modes = [0 0 0 0 1 0];\n"
      "rod(1).model = 'ebr'; body(2).m = 0.1; body(2).I = 1e-5*eye(3); joint(2).second = 2;\n"
      "joint(2).tr(1).trans = [0.1 0 0.5]; joint(2).tr(2).trans = [inf inf inf];\n"
      "contact(1).first = rod(1); contact(1).second = body(2); contact(1).ball2 = 0.02;\n"
      "contact(1).stiffness = 1e5;\n");
  double dq[36], dv[36], zero[6] = {0};
  assert_int_equal(r.nv, 6);
  const double first = 0x1.36a2e51f812c5p+2;
  r.state->q[0] = first - 2000 * 0x1p-50;
  for (int k = 0; k < 4000; k++) {
    r.state->q[0] = nextafter(r.state->q[0], 10);
    td_tangent(r.model, r.state, r.work, zero, NULL, dq, dv);
    for (int i = 0; i < r.nv * r.nv; i++) assert_true(isfinite(dq[i]) && isfinite(dv[i]));
  }
  robot_free(&r);
}

// ---- the force --------------------------------------------------------------------------------

// Two straight rods that cross at an angle a, z apart: at s along the first the depth is
// R - √(z² + (s sin a)²), and of the force k δ^e the part z/√(...) keeps them apart.  The integral
// by the substitution s sin a = S sin u, which takes the root of the depth away at both ends, and
// the midpoint rule, which then converges faster than any power.
static double crossing_force(double k, double e, double R, double z, double a) {
  enum { N = 4000 };
  const double S = sqrt(R * R - z * z), pi = 3.14159265358979323846;
  double sum = 0;
  for (int i = 0; i < N; i++) {
    const double u = pi * ((i + 0.5) / N - 0.5), y = S * sin(u), d = sqrt(z * z + y * y);
    sum += k * pow(R - d, e) * z / d * S * cos(u) / sin(a) * pi / N;
  }
  return sum;
}

// Whatever the exponent, where along both they cross, how deep and how thick.
static void test_the_force_of_crossing_rods_is_that_of_their_law(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "rom", "srl"};  // nodes of eba take it
  static const double exponents[] = {1, 1.5, 1.3, 2, 2.5, 3};
  for (int i = 0; i < 30; i++) {
    const double e = exponents[i % 6], a = 0.5 + 0.03 * i, R = 0.02, z = 0.0199 - 1e-4 * i;
    robot r = load(
        "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; "
        "joint(1).dof(1).init = %.17g;\n"
        "rod(1).first = 1; rod(1).tr.trans = [-.2 + %g 0 0]; rod(1).tr.rot = [2 pi/2];\n"
        "rod(2).tr(1).rot = [3 %.17g]; rod(2).tr(2).trans = [-.2 + %g 0 0]; rod(2).tr(3).rot = [2 "
        "pi/2];\n"
        "for k = 1:2, rod(k).length = .4; rod(k).n = 4; rod(k).model = '%s'; rod(k).radius = .01; "
        "rod(k).E = 1e9; rod(k).rho = 1000; end\n"
        "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = 1e6; "
        "contact(1).exponent = %g;\n",
        z, 0.0017 * i, a, 0.0023 * i, models[i % 4], e);
    double* F = calloc((size_t)(2 * r.nv), sizeof(double));
    td_residual(r.model, r.state, r.work, F + r.nv, NULL, F);
    // the rule's error: five points for e = 1, else eight; powers that are not whole converge more
    // slowly where a piece ends just before a root of the depth
    const double bound = e == 1 ? 2e-5 : e == 2 || e == 3 ? 1e-6 : e < 2 ? 1e-4 : 1e-3;
    CHECK_REACHED("force of crossing rods", fabs(fabs(F[0]) / crossing_force(1e6, e, R, z, a) - 1),
                  bound);
    free(F);
    robot_free(&r);
  }
}

// Two straight rods lie side by side, z apart, and overlap by L: of the first that part is R - z
// deep, and what comes behind the end of the other as deep as if half a rod crossed it.  Wherever
// on a piece that end is.
static void test_the_force_beside_the_end_of_a_rod_is_that_of_its_law(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "rom", "srl"};
  static const double exponents[] = {1, 1.5, 2};
  for (int i = 0; i < 24; i++) {
    const double e = exponents[i % 3], R = 0.02, z = 0.0195 - 1e-4 * i, L = 0.05 + 0.0021 * i;
    robot r = load(
        "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 inf]; "
        "joint(1).dof(1).init = %.17g;\n"
        "rod(1).first = 1; rod(1).tr.rot = [2 pi/2]; rod(2).tr.trans = [.4 - %.17g 0 0]; "
        "rod(2).tr.rot = [2 pi/2];\n"
        "for k = 1:2, rod(k).length = .4; rod(k).n = 4; rod(k).model = '%s'; rod(k).radius = .01; "
        "rod(k).E = 1e9; rod(k).rho = 1000; end\n"
        "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = 1e6; "
        "contact(1).exponent = %g;\n",
        z, L, models[i % 4], e);
    double* F = calloc((size_t)(2 * r.nv), sizeof(double));
    td_residual(r.model, r.state, r.work, F + r.nv, NULL, F);
    const double side = 1e6 * pow(R - z, e) * L, end = crossing_force(1e6, e, R, z, acos(0)) / 2;
    // on smooth parts eight points are far better than that; across the end they were off by 6e-3
    CHECK_REACHED("force beside the end of a rod", fabs(fabs(F[0]) - side - end) / end, 1e-6);
    free(F);
    robot_free(&r);
  }
}

// ---- momentum and energy ----------------------------------------------------------------------

// Two rods on one free body touch each other: whatever their contact does, with damping and
// friction, it moves neither the whole nor turns it.
static void test_rods_that_touch_keep_the_momentum_of_the_whole(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl", "rom"};
  for (int i = 0; i < 8; i++) {
    robot r = load(
        "k = param('k', 1e5); body(1).m = 1; body(1).I = 0.1*eye(3); joint(1).second = 1; "
        "joint(1).type = 'free';\n"
        "rod(1).first = 1; rod(1).tr.trans = [-.2 0 .0183]; rod(1).tr.rot = [2 pi/2];\n"
        "rod(2).first = 1; rod(2).tr.trans = [.01 -.2 0]; rod(2).tr.rot = [1 -pi/2];\n"
        "for i = 1:2, rod(i).length = .4; rod(i).radius = .01; rod(i).E = 1e6; rod(i).rho = 1000; "
        "rod(i).model = '%s'; rod(i).n = 3; end\n"
        "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = k; "
        "contact(1).damping = .3; contact(1).friction = .6; contact(1).per = '%s';\n",
        models[i % 4], i / 4 ? "point" : "length");
    uint64_t seed = (uint64_t)i + 1;
    double *zero = calloc((size_t)r.nv, sizeof(double)),
           *F = calloc((size_t)(2 * r.nv), sizeof(double)),
           *d = calloc((size_t)r.nv, sizeof(double));
    for (int k = 0; k < r.nv; k++) {
      r.state->v[k] = 0.1 * check_random(&seed);
      d[k] = (k < 6 ? 0.5 : 1e-3) * check_random(&seed);
    }
    td_displace(r.model, r.state->q, d, r.state->q);
    td_residual(r.model, r.state, r.work, zero, NULL, F);
    set(&r, "k", 2e5);
    td_residual(r.model, r.state, r.work, zero, NULL, F + r.nv);
    double force = 0, left = 0;
    for (int k = 0; k < r.nv; k++) {
      const double change = fabs(F[k] - F[r.nv + k]);
      if (k < 6)
        left = fmax(left, change);
      else
        force = fmax(force, change);
    }
    assert_true(force > 1e-2);
    // sums of some ten forces that cancel
    CHECK_REACHED("momentum from contact of two rods", left / force, 1e-11);
    free(zero);
    free(F);
    free(d);
    robot_free(&r);
  }
}

// A rod falls across another, bounces, slides and rubs: energy is kept but for what damping and
// friction take, and what they take is booked.
static void test_a_rod_that_falls_on_another_makes_no_energy(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    robot r = load(
        "world.g = [0 0 -9.81]; body(1).m = .2; body(1).I = 1e-3*eye(3); joint(1).second = 1; "
        "joint(1).tr.trans = [inf 0 inf]; joint(1).dof(2).init = .03; joint(1).dof(1).rate = .1;\n"
        "rod(1).first = 1; rod(1).tr.trans = [-.1 0 0]; rod(1).tr.rot = [2 pi/2];\n"
        "rod(2).tr.trans = [.013 -.1 0]; rod(2).tr.rot = [1 -pi/2];\n"
        "for k = 1:2, rod(k).length = .2; rod(k).radius = .01; rod(k).E = 1e8; rod(k).rho = 1000; "
        "rod(k).n = 2; rod(k).order = [-1 -1 -1 1 1 0]; end\n"
        "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = 1e6; "
        "contact(1).damping = %g; contact(1).friction = %g; contact(1).exponent = %g;\n",
        i == 1 ? 0.5 : 0.0, i == 1 ? 0.3 : 0.0, i == 2 ? 1.5 : 1.0);
    td_sim_options o = td_sim_options_default();
    o.rtol = 1e-8;
    o.atol = 1e-10;
    o.t_final = 0.12;
    td_trajectory* run = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &run), TD_OK);
    const td_sim_stats* stats = td_trajectory_stats(run);
    const double fall = 0.24 * 9.81 * 0.01;  // what is turned over
    CHECK_REACHED("energy of a rod on a rod", fabs(stats->energy_error) / fall, 1e-6);
    assert_true(stats->work_done <= 1e-9);
    if (i == 1) assert_true(stats->work_done < -1e-4 * fall);
    td_trajectory_free(run);
    robot_free(&r);
  }
}

// ---- frames -----------------------------------------------------------------------------------

// The whole turned by Rx(a) Rz(b) and carried along: accelerations and energy stay the same.  Nodes
// of eba have coordinates in the world; of them only the energy does.
static void test_contact_of_rods_is_the_same_in_every_frame(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl", "rom", "eba"};
  static const char* const others[] = {
      "contact(1).second = rod(2);",
      "contact(1).second = 'cylinder'; contact(1).center = T + (R*[.2; 0; -.0185])'; "
      "contact(1).axis = (R*[.1; 1; 0])'; contact(1).radius = .01;",
      "contact(1).second = 'sphere'; contact(1).center = T + (R*[.2; .002; -.0185])'; "
      "contact(1).radius = .01;",
      "contact(1).second = 'plane'; contact(1).point = T + (R*[0; 0; -.0095])'; contact(1).normal "
      "= (R*[.05; .02; 1])';",
      "contact(1).second = body(1); contact(1).ball2 = .012;"};
  for (int i = 0; i < 25; i++) {
    double a[2][200] = {{0}}, energy[2] = {0};
    int n = 0;
    for (int turned = 0; turned < 2; turned++) {
      robot r = load(
          "a = %g; b = %g; T = [%g %g %g]; R = [1 0 0; 0 cos(a) -sin(a); 0 sin(a) cos(a)]*[cos(b) "
          "-sin(b) 0; sin(b) cos(b) 0; 0 0 1];\n"
          "world.g = (R*[1; -2; -9])';\n"
          "for k = 1:2, rod(k).tr(1).trans = T; rod(k).tr(2).rot = [1 a]; rod(k).tr(3).rot = [3 "
          "b]; rod(k).length = .4; rod(k).radius = .012 - .01*s; rod(k).E = 1e6; rod(k).rho = "
          "1000; rod(k).model = '%s'; rod(k).n = 3; end\n"
          "rod(1).tr(4).rot = [2 pi/2]; rod(2).tr(4).trans = [.21 -.19 -.0185]; rod(2).tr(5).rot = "
          "[1 -pi/2];\n"
          "body(1).m = .1; body(1).I = 1e-4*eye(3); joint(1).second = 1; joint(1).tr(1).trans = T; "
          "joint(1).tr(2).rot = [1 a]; joint(1).tr(3).rot = [3 b]; joint(1).tr(4).trans = [.15 "
          ".001 .0205]; joint(1).tr(5).trans = [inf inf inf];\n"
          "contact(1).first = rod(1); contact(1).stiffness = 1e4; contact(1).damping = .3; "
          "contact(1).friction = .4; contact(1).exponent = %g; %s\n",
          turned ? 0.7 + 0.1 * i : 0, turned ? -1.9 : 0, turned ? 0.3 : 0, turned ? -0.2 : 0,
          turned ? 0.5 : 0, models[i % 5], i % 2 ? 1.5 : 1, others[i / 5]);
      const bool world = i % 5 == 4;
      uint64_t seed = (uint64_t)i + 1;
      double* d = calloc((size_t)r.nv, sizeof(double));
      for (int k = 0; k < r.nv && !world; k++) {
        d[k] = 2e-4 * check_random(&seed);
        r.state->v[k] = 0.02 * check_random(&seed);
      }
      td_displace(r.model, r.state->q, d, r.state->q);
      assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
      n = world ? 0 : r.nv;
      assert_true(n <= 200);
      memcpy(a[turned], td_work_vdot(r.work), (size_t)n * sizeof(double));
      energy[turned] = td_energy(r.model, r.state, r.work).elastic;
      assert_true(td_touches(r.model, r.work));
      free(d);
      robot_free(&r);
    }
    double worst = 0, size = 0;
    for (int k = 0; k < n; k++) {
      worst = fmax(worst, fabs(a[1][k] - a[0][k]));
      size = fmax(size, fabs(a[0][k]));
    }
    // rounding of places 0.6 m away by the depth of 1 mm, amplified by thin strains' masses
    if (n > 0) CHECK_REACHED("accelerations in another frame", worst / size, 1e-9);
    CHECK_REACHED("energy in another frame", fabs(energy[1] / energy[0] - 1), 1e-11);
  }
}

// A rod meets the nodes of a net, its tip the tip of another and a sphere: the same in every frame,
// with friction and damping, for whole lengths and for points.
static void test_tips_and_nets_are_met_alike_in_every_frame(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl", "rom"};
  static const char* const others[] = {
      "rod(2).tr(1).trans = T; rod(2).tr(2).rot = [1 a]; rod(2).tr(3).rot = [3 b]; "
      "rod(2).tr(4).trans = [.8145 .001 .0005]; rod(2).tr(5).rot = [2 -pi/2]; rod(2).length = .4; "
      "rod(2).radius = .012 - .01*s; rod(2).E = 1e6; rod(2).rho = 1000; rod(2).n = 3; "
      "contact(1).second = rod(2);",
      "contact(1).second = 'sphere'; contact(1).center = T + (R*[.4165; .001; .0005])'; "
      "contact(1).radius = .01;",
      "mesh(1).grid = [3 3]; mesh(1).size = [.1 .1]; mesh(1).tr(1).trans = T; mesh(1).tr(2).rot = "
      "[1 a]; mesh(1).tr(3).rot = [3 b]; mesh(1).tr(4).trans = [.151 -.049 -.0185]; mesh(1).body.m "
      "= .01; mesh(1).fixed = 'none'; mesh(1).joint(2).spring.coeff = 50; contact(1).second = "
      "mesh(1); contact(1).ball2 = .012;"};
  for (int i = 0; i < 24; i++) {
    double a[2][200] = {{0}}, energy[2] = {0};
    int n = 0;
    for (int turned = 0; turned < 2; turned++) {
      robot r = load(
          "a = %g; b = %g; T = [%g %g %g]; R = [1 0 0; 0 cos(a) -sin(a); 0 sin(a) cos(a)]*[cos(b) "
          "-sin(b) 0; sin(b) cos(b) 0; 0 0 1];\n"
          "world.g = (R*[1; -2; -9])'; rod(1).tr(1).trans = T; rod(1).tr(2).rot = [1 a]; "
          "rod(1).tr(3).rot = [3 b]; rod(1).tr(4).rot = [2 pi/2]; rod(1).length = .4; "
          "rod(1).radius = .012 - .01*s; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).n = 3;\n"
          "contact(1).first = rod(1); contact(1).stiffness = 1e4; contact(1).damping = .3; "
          "contact(1).friction = .4; contact(1).per = '%s'; contact(1).exponent = %g; %s\n"
          "rod(1).model = '%s';\n",
          turned ? 0.7 + 0.1 * i : 0, turned ? -1.9 : 0, turned ? 0.3 : 0, turned ? -0.2 : 0,
          turned ? 0.5 : 0, i % 2 ? "point" : "length", i / 12 ? 1.5 : 1, others[i / 4 % 3],
          models[i % 4]);
      uint64_t seed = (uint64_t)i + 1;
      double* d = calloc((size_t)r.nv, sizeof(double));
      for (int k = 0; k < r.nv; k++) {
        if (r.model->vel[k].rod == 0) continue;
        d[k] = 2e-4 * check_random(&seed);
        r.state->v[k] = 0.02 * check_random(&seed);
      }
      td_displace(r.model, r.state->q, d, r.state->q);
      assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
      // nodes of a net have coordinates in the world: of them the sizes of accelerations stay
      n = r.nv + 1;
      assert_true(n <= 200);
      for (int k = 0; k < r.nv; k++) {
        const double x = td_work_vdot(r.work)[k];
        if (r.model->vel[k].rod > 0) a[turned][k] = x;
        if (r.model->vel[k].rod == 0) a[turned][r.nv] = hypot(a[turned][r.nv], x);
      }
      energy[turned] = td_energy(r.model, r.state, r.work).elastic;
      assert_true(td_touches(r.model, r.work));
      free(d);
      robot_free(&r);
    }
    double worst = 0, size = 0;
    for (int k = 0; k < n; k++) {
      worst = fmax(worst, fabs(a[1][k] - a[0][k]));
      size = fmax(size, fabs(a[0][k]));
    }
    // as above
    CHECK_REACHED("accelerations of tips and nets in another frame", worst / size, 1e-9);
    CHECK_REACHED("energy of tips and nets in another frame", fabs(energy[1] / energy[0] - 1),
                  1e-11);
  }
}

// A rod on a free body touches the tip of another one there, or a free net: the forces and torques
// of the contact on everything cancel.  P and L of the net are linear in the velocities: those of a
// unit velocity say how far its force moves and turns the whole.
static void test_tips_and_nets_keep_the_momentum_of_the_whole(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr", "srl", "rom"};
  static const char* const others[] = {
      "rod(2).first = 1; rod(2).tr(1).trans = [.8145 .001 .0005]; rod(2).tr(2).rot = [2 -pi/2]; "
      "rod(2).length = .4; rod(2).radius = .008; rod(2).E = 1e6; rod(2).rho = 1000; rod(2).n = 3; "
      "contact(1).second = rod(2); P = [0 0 0]; L = [0 0 0];",
      "mesh(1).grid = [3 3]; mesh(1).size = [.1 .1]; mesh(1).tr.trans = [.151 -.049 -.0185]; "
      "mesh(1).body.m = .01; mesh(1).fixed = 'none'; mesh(1).joint(2).spring.coeff = 50; "
      "contact(1).second = mesh(1); contact(1).ball2 = .012; P = [0 0 0]; L = [0 0 0]; for i = "
      "1:9, "
      "P = P + vel(mesh(1), i); L = L + cross(pos(mesh(1), i), vel(mesh(1), i)); end"};
  for (int i = 0; i < 16; i++) {
    robot r = load(
        "k = param('k', 1e5); body(1).m = 1; body(1).I = 0.1*eye(3); joint(1).second = 1; "
        "joint(1).type = 'free'; rod(1).first = 1; rod(1).tr.rot = [2 pi/2]; rod(1).length = .4; "
        "rod(1).radius = .008; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).n = 3; rod(1).model = "
        "'%s'; contact(1).first = rod(1); contact(1).stiffness = k; contact(1).damping = .3; "
        "contact(1).friction = .6; contact(1).per = '%s'; %s\n"
        "sensor(1).name = 'P'; sensor(1).value = P; sensor(2).name = 'L'; sensor(2).value = L;\n",
        models[i % 4], i / 4 % 2 ? "point" : "length", others[i / 8]);
    uint64_t seed = (uint64_t)i + 1;
    const size_t n = (size_t)r.nv;
    double *zero = calloc(4 * n, sizeof(double)), *F = zero + n, *d = zero + 3 * n;
    for (int k = 0; k < r.nv; k++) {
      r.state->v[k] = 0.1 * check_random(&seed);
      d[k] = (k < 6 ? 0 : 1e-4) * check_random(&seed);
    }
    td_displace(r.model, r.state->q, d, r.state->q);
    td_residual(r.model, r.state, r.work, zero, NULL, F);
    set(&r, "k", 2e5);
    td_residual(r.model, r.state, r.work, zero, NULL, F + n);
    double force = 0, sum[6] = {0};
    for (int k = 0; k < r.nv; k++) {
      double y[6];
      const double change = F[k] - F[n + (size_t)k];
      memset(r.state->v, 0, n * sizeof(double));
      r.state->v[k] = 1;
      assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
      for (int c = 0; c < 6; c++) sum[c] += change * y[c];
      if (k < 6) sum[k] += change;
      if (k >= 6) force = fmax(force, fabs(change));
    }
    assert_true(force > 1e-3);
    // sums of some ten forces that cancel
    for (int c = 0; c < 6; c++)
      CHECK_REACHED("momentum from contact of tips and nets", fabs(sum[c]) / force, 1e-11);
    free(zero);
    robot_free(&r);
  }
}

// ---- parameters -------------------------------------------------------------------------------

// A radius that is a parameter moves the surface of contact; the pieces of rods depend on it, so
// that it cannot change any more after loading.
static void test_a_radius_that_is_a_parameter_moves_the_surface(void** state) {
  (void)state;
  double z[2];
  for (int i = 0; i < 2; i++) {
    robot r = load(
        "world.g = [0 0 -10]; body(1).m = .1; body(1).I = eye(3); joint(1).second = 1; "
        "joint(1).tr.trans = [0 0 inf]; r = param('r', %g); joint(1).dof(1).init = 2*r - 3e-4;\n"
        "rod(1).first = 1; rod(1).tr.trans = [-.2 0 0]; rod(1).tr.rot = [2 pi/2];\n"
        "rod(2).tr.trans = [0 -.2 0]; rod(2).tr.rot = [1 -pi/2];\n"
        "for k = 1:2, rod(k).length = .4; rod(k).n = 4; rod(k).model = 'ebr'; rod(k).radius = r; "
        "rod(k).E = 1e12; rod(k).rho = 1e-3; end\n"
        "contact(1).first = rod(1); contact(1).second = rod(2); contact(1).stiffness = 1e5;\n",
        i ? 0.012 : 0.01);
    assert_int_equal(td_work_set_param(r.model, r.work, 0, 0.011), TD_E_USAGE);
    settle(&r);
    z[i] = r.state->q[0];
    robot_free(&r);
  }
  // as deep but for the curvature of the surfaces, in the proportion R^(1/3)
  const double deep[2] = {0.02 - z[0], 0.024 - z[1]};
  assert_true(deep[0] > 1e-4 && z[1] > 0.022);
  // that proportion is the first term in depth over radius, 0.14 here: a tenth of this is left
  CHECK_NEAR(deep[1] / deep[0], pow(0.02 / 0.024, 1. / 3), 0.1 * deep[0] / 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rope_comes_to_rest_on_another),
      cmocka_unit_test(test_stiffer_ropes_come_nearer_to_hard_ones),
      cmocka_unit_test(test_a_path_of_equilibria_goes_through_the_first_touch),
      cmocka_unit_test(test_the_tangent_is_that_of_the_force),
      cmocka_unit_test(test_a_touch_without_length_has_a_tangent),
      cmocka_unit_test(test_the_force_of_crossing_rods_is_that_of_their_law),
      cmocka_unit_test(test_the_force_beside_the_end_of_a_rod_is_that_of_its_law),
      cmocka_unit_test(test_rods_that_touch_keep_the_momentum_of_the_whole),
      cmocka_unit_test(test_a_rod_that_falls_on_another_makes_no_energy),
      cmocka_unit_test(test_contact_of_rods_is_the_same_in_every_frame),
      cmocka_unit_test(test_tips_and_nets_are_met_alike_in_every_frame),
      cmocka_unit_test(test_tips_and_nets_keep_the_momentum_of_the_whole),
      cmocka_unit_test(test_a_radius_that_is_a_parameter_moves_the_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
