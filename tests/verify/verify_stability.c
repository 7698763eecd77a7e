// Stability of equilibria against closed forms: forces without a potential, strong dampers beside
// soft springs, large networks; and that the verdict is the sign of the simulated growth.
#include <math.h>
#include <string.h>

#include "bench.h"

static td_equil_result equilibrium(bench* b) {
  td_equil_result result;
  assert_int_equal(td_equilibrium(b->model, b->work, b->state, NULL, &result), TD_OK);
  assert_true(result.converged);
  return result;
}

static bench bench_with(const char* text, const char* name, double value) {
  char number[32];
  snprintf(number, sizeof number, "%.17g", value);
  td_spec* spec = td_spec_new();
  td_spec_override(spec, name, number);
  td_spec_load_string(spec, "test.m", text);
  return bench_of(spec);
}

// ---- contact with what moves ------------------------------------------------------------------

// A mass on a belt that runs at 1 m/s, held by a spring.  The weight sets the depth m g/k_n, and
// friction the way x = mu m g/k:  dF/dq = [k  mu k_n; 0  k_n] is triangular, so that friction
// changes neither the frequencies nor the decay rates -c/2m.
static const char belt[] =
    "mu = param('mu', 1); world.g = [0 0 -9.81];\n"
    "body(1).m = 2; body(1).I = diag([1 1 1])*1e-2; joint(1).second = 1;\n"
    "joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).spring.coeff = 18;\n"
    "joint(1).dof(1).spring.init = 0; joint(1).dof(1).damp.visc = 0.8;\n"
    "joint(1).dof(2).damp.visc = 0.8;\n"
    "contact(1).first = body(1); contact(1).ball = 0.1; contact(1).second = 'plane';\n"
    "contact(1).point = [1*t 0 -0.1]; contact(1).normal = [0 0 1];\n"
    "contact(1).stiffness = 800; contact(1).friction = mu;\n";

static void test_a_mass_on_a_belt_rests_stable_at_every_friction(void** state) {
  (void)state;
  const double friction[] = {0.05, 0.21, 0.7, 1.5, 4};
  for (int i = 0; i < 5; i++) {
    bench b = bench_with(belt, "mu", friction[i]);
    const td_equil_result r = equilibrium(&b);  // from rest, just touching
    // slip 1e-3 m/s: Coulomb's law is reached but for (slip/speed)²/2
    CHECK_NEAR(b.state->q[0], friction[i] * 2 * 9.81 / 18, 2e-6 * friction[i]);
    CHECK_NEAR(b.state->q[1], -2 * 9.81 / 800, 1e-12);
    assert_int_equal(r.stability, TD_STABLE);
    assert_false(r.conservative);
    // -c/2m, but for the slope of friction over speed, mu N slip²
    CHECK_NEAR(r.critical, -0.2, 2e-5 * friction[i]);

    td_modes_result* m;
    assert_int_equal(td_modes(b.model, b.state, b.work, &m), TD_OK);
    assert_int_equal(m->n, 2);
    CHECK_NEAR(m->omega[0], 3, 1e-6);
    CHECK_NEAR(m->omega[1], 20, 1e-6);
    CHECK_NEAR(m->zeta[0], 0.2 / 3, 1e-5 * friction[i]);
    CHECK_NEAR(m->zeta[1], 0.2 / 20, 1e-5 * friction[i]);
    td_modes_free(m);
    bench_free(&b);
  }
}

// Mode coupling: springs along axes that lean by 0.5 rad couple the two directions, by -a, and
// friction couples them one way.  K = [X  mu k_n - a; -a  Z] has complex squares of frequencies for
// (X - Z)² + 4a² < 4a mu k_n, and then a pair grows.
static const char leaning[] =
    "mu = param('mu', 1); world.g = [0 0 -9.81];\n"
    "body(1).m = 1; body(1).I = diag([1 1 1])*1e-2; joint(1).second = 1;\n"
    "joint(1).tr(1).rot = [2 0.5]; joint(1).tr(2).trans = [inf 0 inf];\n"
    "joint(1).dof(1).spring.coeff = 300; joint(1).dof(1).spring.init = 0;\n"
    "joint(1).dof(2).spring.coeff = 100; joint(1).dof(2).spring.init = 0;\n"
    "contact(1).first = body(1); contact(1).ball = 0.1; contact(1).second = 'plane';\n"
    "contact(1).point = [2*t 0 -0.095]; contact(1).normal = [0 0 1];\n"
    "contact(1).stiffness = 100; contact(1).friction = mu;\n"
    "par.t_final = 3; par.rtol = 1e-10; par.atol = 1e-14;\n";

static void test_friction_that_couples_two_modes_flutters(void** state) {
  (void)state;
  const double c = cos(0.5), s = sin(0.5), kn = 100;
  const double X = 300 * c * c + 100 * s * s, Z = 300 * s * s + 100 * c * c + kn, a = 200 * s * c;
  const double onset = ((X - Z) * (X - Z) + 4 * a * a) / (4 * a * kn);
  for (int side = -1; side <= 1; side += 2) {
    bench b = bench_with(leaning, "mu", onset * (1 + 1e-3 * side));
    const td_equil_result r = equilibrium(&b);
    assert_int_equal(r.stability, side < 0 ? TD_STABLE : TD_FLUTTER);
    assert_false(r.conservative);
    bench_free(&b);
  }

  // well beyond it the pair grows at the rate that is told, in the simulation, too
  const double mu = 1.4 * onset;
  bench b = bench_with(leaning, "mu", mu);
  const td_equil_result r = equilibrium(&b);
  // s² = -w²: Re s = |w| sin(arg(w²)/2)
  const double re = (X + Z) / 2, im = sqrt(4 * a * (mu * kn - a) - (X - Z) * (X - Z)) / 2;
  const double rate = sqrt(hypot(re, im)) * sin(atan2(im, re) / 2);
  CHECK_NEAR(r.critical, rate, 1e-5 * rate);
  td_modes_result* m;
  assert_int_equal(td_modes(b.model, b.state, b.work, &m), TD_OK);
  CHECK_NEAR(m->omega[0], sqrt(hypot(re, im)), 1e-5 * m->omega[0]);
  CHECK_NEAR(fmin(m->zeta[0], m->zeta[1]), -sin(atan2(im, re) / 2), 1e-5);
  td_modes_free(m);

  const double rest[2] = {b.state->q[0], b.state->q[1]};
  b.state->q[0] += 1e-7;
  td_trajectory* run;
  const td_sim_options options = td_sim_options_default();
  assert_int_equal(td_simulate(b.model, b.work, b.state, &options, &run), TD_OK);
  double early = 0, late = 0;  // largest distance in the second and the third second
  for (int i = 0; i < td_trajectory_rows(run); i++) {
    const double t = td_trajectory_time(run, i), *q = td_trajectory_q(run, i);
    const double away = hypot(q[0] - rest[0], q[1] - rest[1]);
    if (t >= 1 && t < 2) early = fmax(early, away);
    if (t >= 2) late = fmax(late, away);
  }
  // within the period, 0.4 s, over which the largest distance may slip
  CHECK_NEAR(log(late / early), rate, 0.4 * rate);
  td_trajectory_free(run);
  bench_free(&b);
}

// ---- other elements ---------------------------------------------------------------------------

// Whether there is a potential, element by element
static void test_every_element_tells_whether_it_has_a_potential(void** state) {
  (void)state;
  static const struct {
    const char* text;
    bool potential;
  } cases[] = {
      // on the ground, friction is but a damper
      {"world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = eye(3)*1e-2; joint(1).second = 1;\n"
       "joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).spring.coeff = 10;\n"
       "joint(1).dof(1).spring.init = 0; contact(1).first = body(1); contact(1).ball = 0.1;\n"
       "contact(1).second = 'plane'; contact(1).point = [0 0 -0.099];\n"
       "contact(1).normal = [0 0 1]; contact(1).stiffness = 1000; contact(1).friction = 0.5;\n",
       true},
      // a lift without friction and damping has its potential at every time
      {"world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = eye(3)*1e-2; joint(1).second = 1;\n"
       "joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).spring.coeff = 10;\n"
       "joint(1).dof(1).spring.init = 0; contact(1).first = body(1); contact(1).ball = 0.1;\n"
       "contact(1).second = 'plane'; contact(1).point = [t 0 -0.099];\n"
       "contact(1).normal = [0 0 1]; contact(1).stiffness = 1000;\n",
       true},
      {"world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = eye(3)*1e-2; joint(1).second = 1;\n"
       "joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).spring.coeff = 10;\n"
       "joint(1).dof(1).spring.init = 0; contact(1).first = body(1); contact(1).ball = 0.1;\n"
       "contact(1).second = 'plane'; contact(1).point = [0 0 -0.099 + 0.1*t];\n"
       "contact(1).normal = [0 0 1]; contact(1).stiffness = 1000; contact(1).damping = 0.2;\n",
       false},
      // cords in still air and in wind
      {"world.g = [0 0 -9.81]; fluid.rho = 1.2; fluid.velocity = [0 0 0];\n"
       "mesh.node = [0 0 0; 0 0 -0.2; 0 0 -0.4]; mesh.edge = [1 2; 2 3]; mesh.fixed = 1;\n"
       "mesh.body.m = 0.01; mesh.joint(2).spring.coeff = 100; mesh.fluid.width = 0.01;\n"
       "mesh.fluid.drag = [1.1 .2];\n",
       true},
      {"world.g = [0 0 -9.81]; fluid.rho = 1.2; fluid.velocity = [2 0 0];\n"
       "mesh.node = [0 0 0; 0 0 -0.2; 0 0 -0.4]; mesh.edge = [1 2; 2 3]; mesh.fixed = 1;\n"
       "mesh.body.m = 0.01; mesh.joint(2).spring.coeff = 100; mesh.fluid.width = 0.01;\n"
       "mesh.fluid.drag = [1.1 .2];\n",
       false},
      // a motor about a body axis of a ball joint, held by a beam
      {"body(1).m = 1; body(1).I = diag([1 2 3])*1e-2; joint(1).second = 1;\n"
       "joint(1).type = 'spherical'; joint(2).second = 1;\n"
       "joint(2).spring.coeff = [0 0 0 3 4 5];\n",
       true},
      {"body(1).m = 1; body(1).I = diag([1 2 3])*1e-2; joint(1).second = 1;\n"
       "joint(1).type = 'spherical'; joint(1).dof(3).input = 0.1; joint(2).second = 1;\n"
       "joint(2).spring.coeff = [0 0 0 3 4 5];\n",
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b = bench_new(cases[i].text);
    const td_equil_result r = equilibrium(&b);
    if (r.conservative != cases[i].potential) print_error("case %d\n", (int)i);
    assert_true(r.conservative == cases[i].potential);
    assert_int_equal(r.stability, TD_STABLE);
    bench_free(&b);
  }
}

// ---- slow beside fast -------------------------------------------------------------------------

// A damper of 1e7 N s/m lets a spring of 5 N/m, or of -5 N/m, take days: rates of 1e7 and 5e-7 1/s
static void test_a_slow_decay_beside_a_fast_one_is_told_from_a_slow_growth(void** state) {
  (void)state;
  const char text[] =
      "k = param('k', 5); body(1).m = 1; body(1).I = eye(3)*1e-2; joint(1).second = 1;\n"
      "joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).spring.coeff = k;\n"
      "joint(1).dof(1).spring.init = 0; joint(1).dof(1).damp.visc = 1e7;\n"
      "joint(1).dof(2).spring.coeff = 3; joint(1).dof(2).spring.init = 0;\n"
      "joint(1).dof(2).damp.visc = 0.1; exload(1).exbody = 1; exload(1).refbody = 1;\n"
      "exload(1).ftau = [1 0 0 0 0 0];\n";
  for (int side = -1; side <= 1; side += 2) {
    bench b = bench_with(text, "k", 5 * side);
    const td_equil_result r = equilibrium(&b);
    assert_false(r.conservative);
    assert_int_equal(r.stability, side < 0 ? TD_DIVERGENCE : TD_STABLE);
    CHECK_NEAR(r.critical, -5e-7 * side, 1e-15);
    bench_free(&b);
  }
}

// ---- large networks ---------------------------------------------------------------------------

// A tower of n masses on springs k stands on its base.  Across it each spring pushes with the
// weight above, N over its length, so that the stiffness is -N/L between neighbours: a tridiagonal
// matrix, whose least eigenvalue bisection finds by the signs of its pivots.
static double tower_stiffness(int n, double mass, double k, double length, double scale) {
  double low = -1e6, high = 0;
  for (int step = 0; step < 200; step++) {
    const double x = (low + high) / 2;
    bool below = false;  // is some eigenvalue below x?
    double pivot = INFINITY, under = 0;
    for (int i = 1; i < n; i++) {
      // spring i holds node i + 1 over node i, counted from the base
      const double N = mass * 9.81 * (n - i), over = i + 1 < n ? mass * 9.81 * (n - i - 1) : 0;
      const double a = -N / (length - N / k), b = -over / (length - over / k);
      const double d = (a + b) / scale - x;
      pivot = d - (i > 1 ? under * under / pivot : 0);
      under = b / scale;
      below |= pivot < 0;
    }
    if (below)
      high = x;
    else
      low = x;
  }
  return low;
}

static void test_large_networks_tell_the_smallest_stiffness_and_the_fastest_divergence(void** s) {
  (void)s;
  static const int sizes[] = {6, 30, 60};
  static const char* const linear[] = {"sparse", "dense"};
  for (int i = 0; i < 3; i++)
    for (int way = 0; way < 2; way++) {
      const int n = sizes[i];
      char text[512];
      snprintf(text, sizeof text,
               "n = %d; world.g = [0 0 -9.81]; mesh(1).node = [zeros(n,2) (0:n-1)'*0.1];\n"
               "mesh(1).edge = [(1:n-1)' (2:n)']; mesh(1).fixed = 1; mesh(1).body.m = 0.02;\n"
               "mesh(1).joint(2).spring.coeff = 2000; par.linear = '%s';\n",
               n, linear[way]);
      bench b = bench_new(text);
      const td_equil_result r = equilibrium(&b);
      assert_int_equal(r.stability, TD_DIVERGENCE);
      // ARPACK stops at rounding of the largest stiffness, 8000 N/m
      const double K = tower_stiffness(n, 0.02, 2000, 0.1, 1);
      CHECK_NEAR(r.critical, K, 1e-9 * fabs(K));

      td_modes_result* m;
      assert_int_equal(td_modes(b.model, b.state, b.work, &m), TD_OK);
      const double fastest = sqrt(-tower_stiffness(n, 0.02, 2000, 0.1, 0.02));
      CHECK_NEAR(m->omega[0], -fastest, 1e-9 * fastest);
      CHECK_NEAR(m->omega[1], -fastest, 1e-9 * fastest);
      int found = 0;
      for (int k = 0; k < m->ncomplex; k++) {
        assert_true(m->re[k] < fastest * (1 + 1e-8));
        found += m->re[k] > fastest * (1 - 1e-8);
      }
      assert_int_equal(found, 2);  // to the two sides
      td_modes_free(m);
      bench_free(&b);
    }
}

// ---- directions that nothing holds ------------------------------------------------------------

static double vec_length(const double v[3]) { return hypot(hypot(v[0], v[1]), v[2]); }

// A cart on a floor, or a robot that floats: its arm bends as on a fixed base, and it stays
static void test_a_robot_that_nothing_holds_bends_as_if_it_were_held(void** state) {
  (void)state;
  static const char* const base[] = {
      "joint(1).type = 'fixed';\n",
      "joint(1).type = 'planar'; joint(1).axis = [0 0 1];\n",
      "joint(1).type = 'free';\n",
  };
  double tip[3][3];
  for (int i = 0; i < 3; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "body(1).m = 4; body(1).I = diag([1 2 3])*1e-2; joint(1).second = 1;\n%s"
             "rod(1).first = body(1); rod(1).tr.trans = [0 0 0.1]; rod(1).length = 0.3;\n"
             "rod(1).radius = 0.01; rod(1).E = 2e6; rod(1).rho = 1000;\n"
             "cable(1).rod = 1; cable(1).path = [0.006 0.002]; cable(1).tension = input('T', 3);\n"
             "joint(1).dof(1).input = input('push', 0);\n"
             "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1)) - pos(body(1));\n",
             base[i]);
    if (i == 0) *strstr(text, "joint(1).dof(1)") = '%';
    bench b = bench_new(text);
    const td_equil_result r = equilibrium(&b);
    assert_int_equal(td_sensors(b.model, b.state, b.work, tip[i]), TD_OK);
    assert_int_equal(r.stability, i == 0 ? TD_STABLE : TD_NEUTRAL);
    assert_true(r.iterations <= 8);
    // the base gives way, but the arm has the same shape
    CHECK_NEAR(vec_length(tip[i]), vec_length(tip[0]), 1e-10);

    // a load along such a direction is refused, and named
    if (i > 0) {
      td_equil_result refused;
      assert_int_equal(td_state_initial(b.model, b.work, b.state), TD_OK);
      b.state->u[td_model_input_find(b.model, "push")] = 2;
      assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &refused), TD_E_DIVERGED);
      assert_non_null(strstr(refused.note, "joint(1)"));
      assert_non_null(strstr(refused.note, "2 N"));
      CHECK_NEAR(b.state->q[0], 0, 1e-6);  // and nothing ran away
    }
    bench_free(&b);
  }
  assert_true(tip[0][0] * tip[0][0] + tip[0][1] * tip[0][1] > 0.05 * 0.05);
}

// ---- stable ones ------------------------------------------------------------------------------

static td_equil_result stable_equilibrium(bench* b) {
  td_equil_options options = td_equil_options_default();
  options.stable = true;
  td_equil_result result;
  assert_int_equal(td_equilibrium(b->model, b->work, b->state, &options, &result), TD_OK);
  assert_true(result.converged);
  return result;
}

// A rigid column on a hinge with a spring k leans where m g l sin θ = k θ; upright it is unstable.
// The side is that of the start, and from upright itself towards x.
static void test_a_column_leans_to_the_side_of_its_start(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; body(1).m = 2; body(1).I = eye(3)*1e-3; body(1).l_com = [0 0 0.5];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
      "joint(1).dof(1).spring.coeff = 0.5*9.81; joint(1).dof(1).spring.init = 0;\n");
  const double start[] = {0.01, -0.01, 0, 1e-5, -1e-5, 2.5, -2.5};
  double lean = 2;  // 2 sin θ = θ
  for (int i = 0; i < 100; i++) lean -= (2 * sin(lean) - lean) / (2 * cos(lean) - 1);
  for (int i = 0; i < 7; i++) {
    b.state->q[0] = start[i];
    const td_equil_result r = stable_equilibrium(&b);
    assert_int_equal(r.stability, TD_STABLE);
    CHECK_NEAR(b.state->q[0], start[i] < 0 ? -lean : lean, 1e-9);

    // without being asked for stability it stays where it is
    if (fabs(start[i]) > 1) continue;
    b.state->q[0] = start[i];
    assert_int_equal(equilibrium(&b).stability, TD_DIVERGENCE);
    CHECK_NEAR(b.state->q[0], 0, 1e-9);
  }
  bench_free(&b);
}

// Random speeds of `kick`, then so many seconds of motion: how far the tip was away from where it
// began, and what of that is left.
static void go_and_come_back(bench* b, double kick, double time, double* away, double* left) {
  uint64_t seed = 3;
  double first[8], now[8];
  const td_sizes n = td_model_sizes(b->model);
  assert_int_equal(td_sensors(b->model, b->state, b->work, first), TD_OK);
  for (int i = 0; i < n.nv; i++) b->state->v[i] = kick * check_random(&seed);
  td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  options.t_final = time;
  options.dt_out = time / 200;
  assert_int_equal(td_simulate(b->model, b->work, b->state, &options, &run), TD_OK);
  *away = 0;
  for (int i = 0; i < td_trajectory_rows(run); i++) {
    const double* tip = td_trajectory_sensors(run, i);
    *away = fmax(*away, hypot(tip[0] - first[0], hypot(tip[1] - first[1], tip[2] - first[2])));
  }
  assert_int_equal(td_sensors(b->model, b->state, b->work, now), TD_OK);
  *left = hypot(now[0] - first[0], hypot(now[1] - first[1], now[2] - first[2]));
  td_trajectory_free(run);
}

// A coil of eight turns of soft ribbon, clamped at its upper end: of many equilibria the one found
// is where damped motion comes to rest.
static void test_motion_beside_a_hanging_coil_comes_back_to_it(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; rod(1).length = 0.8; rod(1).section = 'rectangle';\n"
      "rod(1).width = 0.004; rod(1).height = 0.002 + 0.001*s; rod(1).E = 2e6; rod(1).nu = 0.4;\n"
      "rod(1).rho = 1200; rod(1).eta = 1e6; rod(1).shape = [0 0 0 0 15 2]; rod(1).n = 10;\n"
      "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n");
  const td_equil_result r = stable_equilibrium(&b);
  assert_int_equal(r.stability, TD_STABLE);
  double away, left;
  go_and_come_back(&b, 0.5, 40, &away, &left);
  print_message("coil: %.2g m away, %.2g m left\n", away, left);
  assert_true(away > 1e-3);
  assert_true(left < 0.1 * away);
  bench_free(&b);
}

// Two soft rods stand and meet at a body; whatever joint closes the loop, they end up hanging, and
// motion beside it comes back
static void test_standing_loops_come_down(void** state) {
  (void)state;
  static const char* const type[] = {"fixed",     "revolute",    "spherical", "universal",
                                     "prismatic", "cylindrical", "planar"};
  for (int i = 0; i < 7; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81];\n"
             "for k = 1:2\n"
             "  rod(k).tr(1).trans = [0.1*(2*k-3) 0 0]; rod(k).tr(2).rot = [2 -(2*k-3)*0.3];\n"
             "  rod(k).length = 0.28; rod(k).radius = 0.007; rod(k).E = 1.2e6;\n"
             "  rod(k).rho = 1000; rod(k).eta = 2e4; rod(k).order = [-1 -1 0 3 3 1];\n"
             "end\n"
             "body(1).m = 0.06; body(1).I = 1e-4*eye(3);\n"
             "joint(1).first = rod(1); joint(1).second = 1; joint(1).type = 'fixed';\n"
             "joint(2).first = rod(2); joint(2).second = 1; joint(2).type = '%s';\n"
             "exload(1).exbody = 1; exload(1).ftau = [0.1 0.2 0 0 0 0];\n"
             "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
             type[i]);
    bench b = bench_new(text);
    double tip[3];
    const td_equil_result r = stable_equilibrium(&b);
    if (r.stability != TD_STABLE && r.stability != TD_NEUTRAL) print_error("%s\n", type[i]);
    assert_true(r.stability == TD_STABLE || r.stability == TD_NEUTRAL);
    assert_int_equal(td_sensors(b.model, b.state, b.work, tip), TD_OK);
    assert_true(tip[2] < 0);
    if (r.stability == TD_STABLE) {
      double away, left;
      go_and_come_back(&b, 1, 20, &away, &left);
      print_message("%s: %.2g m away, %.2g m left\n", type[i], away, left);
      assert_true(away > 1e-4);
      assert_true(left < 0.1 * away);
    }
    bench_free(&b);
  }
}

// ---- away from equilibria ---------------------------------------------------------------------

// A pendulum held at 0.5 rad would fall with m g l sin(0.5)/(I + m l²) = 9.39 rad/s²
static void test_a_linear_model_away_from_equilibrium_names_its_constant_term(void** state) {
  (void)state;
  bench b = bench_new(
      "world.g = [0 0 -9.81]; body(1).m = 2; body(1).I = eye(3)*1e-3; body(1).l_com = [0 0 -0.5];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n");
  for (int i = 0; i < 2; i++) {
    b.state->q[0] = 0.5 * i;
    td_linear* linear;
    assert_int_equal(td_linearize(b.model, b.state, b.work, &linear), TD_OK);
    if (i == 0) assert_string_equal(linear->note, "");
    if (i == 1) assert_non_null(strstr(linear->note, "no equilibrium"));
    if (i == 1) assert_non_null(strstr(linear->note, "9.39"));
    td_linear_free(linear);
  }
  bench_free(&b);
}

// ---- sizes and stiffnesses of all kinds -------------------------------------------------------

// Complete elliptic integrals K(k) and E(k) by the arithmetic-geometric mean.
static void elliptic(double k, double* K, double* E) {
  double a = 1, b = sqrt(1 - k * k), sum = k * k / 2, power = 1;
  while (fabs(a - b) > 1e-15) {
    const double c = (a - b) / 2, next = (a + b) / 2;
    b = sqrt(a * b);
    a = next;
    sum += power * c * c;
    power *= 2;
  }
  *K = 3.14159265358979323846 / 2 / a;
  *E = *K * (1 - sum);
}

// Height and deflection, by its length, of a column under `load` times the one at which it buckles:
// load = (2 K/π)², height 2 E/K - 1, deflection 2 k/K.
static void elastica(double load, double* height, double* deflection) {
  double low = 0, high = 0.999, K = 0, E = 0;
  for (int i = 0; i < 100; i++) {
    const double k = (low + high) / 2;
    elliptic(k, &K, &E);
    *(pow(2 * K / 3.14159265358979323846, 2) < load ? &low : &high) = k;
  }
  *height = 2 * E / K - 1;
  *deflection = 2 * low / K;
}

// A column 5 % above its load, from metres down to ten micrometres: the same shape in each, and the
// straight one is unstable.  Strains of different units differ by powers of the length.
static void test_a_column_buckles_alike_in_all_sizes(void** state) {
  (void)state;
  double height, deflection;
  elastica(1.05, &height, &deflection);
  for (double L = 1; L > 5e-6; L /= 10) {
    char text[800];
    const double r = 0.02 * L, EI = 1e5 * 3.14159265358979323846 * pow(r, 4) / 4;
    const double load = 1.05 * pow(3.14159265358979323846 / 2 / L, 2) * EI;
    snprintf(text, sizeof text,
             "rod(1).length = %.17g; rod(1).radius = %.17g; rod(1).E = 1e5; rod(1).rho = 1000;\n"
             "rod(1).modes = [0 0 0 0 1 0]; rod(1).n = 5;\n"
             "rod(1).stiffness = [1 1 1 1 %.17g 1];\n"
             "exload(1).exbody = at(rod(1), %.17g); exload(1).ftau = [0 0 %.17g];\n"
             "body(1).m = %.17g; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];\n"
             "joint(1).dof(1).spring.coeff = %.17g; joint(1).dof(1).spring.init = 0;\n"
             "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), %.17g);\n",
             L, r, EI, L, -load, 1000 * r * r * L, 1e5 * r * r / L, L);
    bench b = bench_new(text);
    td_equil_result nearest, result;
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, NULL, &nearest), TD_OK);
    assert_int_equal(nearest.stability, TD_DIVERGENCE);
    td_equil_options o = td_equil_options_default();
    o.stable = true;
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, &o, &result), TD_OK);
    assert_int_equal(result.stability, TD_STABLE);
    double tip[3];
    assert_int_equal(td_sensors(b.model, b.state, b.work, tip), TD_OK);
    CHECK_NEAR(tip[2] / L, height, 1e-5);  // of the six functions, the same in all sizes
    CHECK_NEAR(fabs(tip[0]) / L, deflection, 1e-5);
    bench_free(&b);
  }
}

// A column whose shear and stretch are a billion times as stiff as its bend still buckles to where
// it should, in every rod model.
static void test_a_column_with_stiff_shear_comes_down(void** state) {
  (void)state;
  static const struct {
    const char* rod;
    double error;
  } rods[] = {{"rod(1).model = 'gvs'; rod(1).n = 5;", 1e-4},
              {"rod(1).model = 'ebr'; rod(1).n = 30;", 2e-3},
              {"rod(1).model = 'eba'; rod(1).n = 30;", 2e-3},
              {"rod(1).model = 'rom'; rod(1).n = 6;", 2e-3}};
  double height, deflection;
  elastica(1.5, &height, &deflection);
  for (int k = 0; k < 4; k++) {
    char text[800];
    snprintf(text, sizeof text,
             "rod(1).length = 0.5; rod(1).radius = 0.005; rod(1).rho = 1000; rod(1).eta = 100;\n"
             "EI = 5e-3; rod(1).stiffness = [1e6 1e6 1e6 1.7*EI EI EI/1.5]; %s\n"
             "exload(1).exbody = at(rod(1), 0.5); exload(1).ftau = [0 0 -1.5*(pi/2/0.5)^2*EI];\n"
             "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.5);\n",
             rods[k].rod);
    bench b = bench_new(text);
    td_equil_result result;
    td_equil_options o = td_equil_options_default();
    o.stable = true;
    assert_int_equal(td_equilibrium(b.model, b.work, b.state, &o, &result), TD_OK);
    assert_int_equal(result.stability, TD_STABLE);
    double tip[3];
    assert_int_equal(td_sensors(b.model, b.state, b.work, tip), TD_OK);
    CHECK_NEAR(tip[2] / 0.5, height, rods[k].error);
    CHECK_NEAR(hypot(tip[0], tip[1]) / 0.5, deflection, rods[k].error);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_linear_model_away_from_equilibrium_names_its_constant_term),
      cmocka_unit_test(test_a_robot_that_nothing_holds_bends_as_if_it_were_held),
      cmocka_unit_test(test_a_column_leans_to_the_side_of_its_start),
      cmocka_unit_test(test_a_column_buckles_alike_in_all_sizes),
      cmocka_unit_test(test_a_column_with_stiff_shear_comes_down),
      cmocka_unit_test(test_standing_loops_come_down),
      cmocka_unit_test(test_motion_beside_a_hanging_coil_comes_back_to_it),
      cmocka_unit_test(test_a_mass_on_a_belt_rests_stable_at_every_friction),
      cmocka_unit_test(test_friction_that_couples_two_modes_flutters),
      cmocka_unit_test(test_every_element_tells_whether_it_has_a_potential),
      cmocka_unit_test(test_a_slow_decay_beside_a_fast_one_is_told_from_a_slow_growth),
      cmocka_unit_test(test_large_networks_tell_the_smallest_stiffness_and_the_fastest_divergence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
