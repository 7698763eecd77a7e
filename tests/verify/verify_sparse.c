// Large networks, on sparse matrices, against closed forms: chains, nets, catenaries, waves; loops
// of rigid bodies held by constraints alone; a rod of free nodes.
#include "check.h"
#include "tendril/tendril.h"
#include "tendril/tools.h"

static const double pi = 3.14159265358979323846;

typedef struct network {
  td_model* model;
  td_work* work;
  td_state* state;
  td_sizes n;
} network;

static network open_text(const char* format, ...) {
  char text[4000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  network w = {0};
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "network.m", text);
  if (td_model_compile(spec, &w.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  assert_true(td_model_linear(w.model).sparse);
  w.n = td_model_sizes(w.model);
  w.work = td_work_new(w.model);
  w.state = td_state_new(w.model);
  assert_int_equal(td_state_initial(w.model, w.work, w.state), TD_OK);
  return w;
}

static void network_free(network* w) {
  td_state_free(w->state);
  td_work_free(w->work);
  td_model_free(w->model);
}

static td_equil_result rest(network* w) {
  td_equil_result found;
  assert_int_equal(td_equilibrium(w->model, w->work, w->state, NULL, &found), TD_OK);
  assert_int_equal(found.stability, TD_STABLE);
  return found;
}

static void sensors(network* w, double* y) {
  assert_int_equal(td_sensors(w->model, w->state, w->work, y), TD_OK);
}

// M06: omega = 2 sqrt(k/m) sin(p pi / 2(n+1)), here for 1000 masses.
static void a_long_chain_has_its_frequencies(void** state) {
  (void)state;
  const int n = 1000;
  network w = open_text(
      "mesh.grid = %d; mesh.size = 1; mesh.fixed = [1 %d]; mesh.body.m = 1e-3;\n"
      "mesh.joint(1).tr.trans = [inf 0 0]; mesh.joint(2).spring.coeff = 40; "
      "mesh.joint(2).damp.visc "
      "= 1e-3;\n",
      n + 2, n + 2);
  td_modes_result* m;
  double worst = 0, damping = 0;
  assert_int_equal(td_modes(w.model, w.state, w.work, &m), TD_OK);
  assert_true(m->n >= 20);
  for (int p = 1; p <= 20; p++) {
    const double exact = 2 * sqrt(40 / 1e-3) * sin(p * pi / (2 * (n + 1)));
    worst = fmax(worst, fabs(m->omega[p - 1] / exact - 1));
    damping = fmax(damping, fabs(m->zeta[p - 1] / (1e-3 / 40 * exact / 2) - 1));
  }
  CHECK_REACHED("M06 chain of 1000 masses, first 20 frequencies", worst, 1e-9);
  CHECK_REACHED("M06 their damping ratios c omega / 2k", damping, 1e-8);
  td_modes_free(m);
  network_free(&w);
}

// M09: omega^2 = 4 T/(m a) (sin^2 + sin^2), 30 x 30 masses.
static void a_net_under_tension_has_its_modes(void** state) {
  (void)state;
  const int n = 30;
  const double a = 0.02, m = 2e-3, k = 500, T = k * 0.1 * a;
  network w = open_text(
      "mesh.grid = [%d %d]; mesh.size = %.17g*[1 1]; mesh.fixed = 'frame'; mesh.body.m = %.17g;\n"
      "mesh.joint(1).tr.trans = [0 0 inf]; mesh.joint(2).spring.coeff = %.17g;\n"
      "mesh.joint(2).spring.compr = .9;\n",
      n + 2, n + 2, a * (n + 1), m, k);
  double exact[900], worst = 0;
  for (int p = 1; p <= n; p++)
    for (int q = 1; q <= n; q++) {
      const double s = sin(p * pi / (2 * (n + 1))), r = sin(q * pi / (2 * (n + 1)));
      exact[(p - 1) * n + q - 1] = sqrt(4 * T / (m * a) * (s * s + r * r));
    }
  td_modes_result* found;
  assert_int_equal(td_modes(w.model, w.state, w.work, &found), TD_OK);
  for (int i = 0; i < 12; i++) {  // the lowest ones, each once
    int least = 0;
    for (int j = 1; j < n * n; j++)
      if (exact[j] < exact[least]) least = j;
    worst = fmax(worst, fabs(found->omega[i] / exact[least] - 1));
    exact[least] = INFINITY;
  }
  CHECK_REACHED("M09 net of 30 x 30 masses, first 12 frequencies", worst, 1e-9);
  td_modes_free(found);
  network_free(&w);
}

// N02: 50 springs reach 1e-4 with order 2, so 400 reach 1.6e-6.
static void an_elastic_catenary_converges(void** state) {
  (void)state;
  const double depth = 2.1852063152086;
  double error[2];
  for (int level = 0; level < 2; level++) {
    const int n = 200 << level;
    network w = open_text(
        "n = %d; L0 = 10.5; world.g = [0 0 -10]; mesh.grid = n+1; mesh.size = 10; mesh.fixed = [1 "
        "n+1];\n"
        "mesh.body.m = L0/n; mesh.joint(2).spring.coeff = 1000*n/L0; mesh.joint(2).spring.init = "
        "L0/n;\n"
        "sensor(1).name = 'mid'; sensor(1).value = pos(mesh(1), n/2 + 1);\n",
        n);
    double y[3];
    rest(&w);
    sensors(&w, y);
    error[level] = fabs(-y[2] - depth);
    network_free(&w);
  }
  CHECK_REACHED("N02 elastic catenary, 400 springs, depth", error[1], 1e-5);
  CHECK_REACHED("N02 its order is 2", fabs(log2(error[0] / error[1]) - 2), 0.05);
}

// N04, the published net, on the sparse path.
static void the_hanging_net_hangs(void** state) {
  (void)state;
  network w = open_text(
      "world.g = [0 0 -9.81]; mesh.grid = [7 7]; mesh.size = [.6 .6]; mesh.fixed = 'frame';\n"
      "mesh.body.m = .02; mesh.joint(2).spring.coeff = 200; mesh.joint(2).spring.compr = .95;\n"
      "sensor(1).name = 'y'; sensor(1).value = [pos(mesh(1), 25) pos(mesh(1), 9)];\n"
      "par.linear = 'sparse';\n");
  double y[6], worst = 0;
  const double omega[] = {20.804544297, 27.8027041392, 27.8027041392, 33.5155486602};
  const td_equil_result found = rest(&w);
  sensors(&w, y);
  CHECK_REACHED("N04 centre", fabs(y[2] + 0.041843364568), 1e-9);
  CHECK_REACHED("N04 node (1,1)", fabs(y[3] - 0.0992944619768) + fabs(y[5] + 0.0158159121236),
                1e-9);
  CHECK_REACHED("N04 least stiffness", fabs(found.critical / 8.65658126809 - 1), 1e-9);
  td_modes_result* m;
  assert_int_equal(td_modes(w.model, w.state, w.work, &m), TD_OK);
  for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(m->omega[i] / omega[i] - 1));
  CHECK_REACHED("N04 frequencies about the equilibrium", worst, 1e-9);
  td_modes_free(m);
  network_free(&w);
}

// N03: rods as free bodies, joined by constraints alone: 54 DOFs, 30 rows.
static void a_chain_of_constrained_rods_hangs(void** state) {
  (void)state;
  network w = open_text(
      "world.g = [0 0 -9.81]; N = 9; l = .2; d = 1.2; at = l/2;\n"
      "for k = 1:N, body(k).m = .3; body(k).I = .001*eye(3); joint(k).second = k;\n"
      "joint(k).type = 'free'; x = d*(k-.5)/N; joint(k).dof(1).init = x;\n"
      "joint(k).dof(3).init = -2*x*(d-x); end\n"
      "for k = 1:N+1, j = N + k; joint(j).type = 'spherical';\n"
      "if k == 1, joint(j).second = 1; joint(j).tr2nd.trans = [-at 0 0];\n"
      "elseif k <= N, joint(j).first = k-1; joint(j).second = k; joint(j).tr.trans = [at 0 0]; "
      "joint(j).tr2nd.trans = [-at 0 0];\n"
      "else, joint(j).first = N; joint(j).second = 0; joint(j).tr.trans = [at 0 0]; "
      "joint(j).tr2nd.trans = [d 0 0]; end\n"
      "end\n"
      "sensor(1).name = 'y'; sensor(1).value = [pos(body(1), [at 0 0]) pos(body(4), [at 0 0])];\n"
      "par.linear = 'sparse';\n");
  td_equil_result found;
  double y[6];
  assert_int_equal(td_equilibrium(w.model, w.work, w.state, NULL, &found), TD_OK);
  sensors(&w, y);
  CHECK_REACHED("N03 rods, first node", fabs(y[0] - 0.0837727065784) + fabs(y[2] + 0.18160983903),
                1e-9);
  CHECK_REACHED("N03 rods, lowest node", fabs(y[3] - 0.5) + fabs(y[5] + 0.594264772923), 1e-9);
  network_free(&w);
}

// J_n(x) = 1/pi int_0^pi cos(n s - x sin s) ds: the trapezoidal rule is exact to rounding here.
static double bessel(int n, double x) {
  const int points = 600;
  double sum = 0;
  for (int i = 0; i < points; i++) {
    const double s = (i + 0.5) * pi / points;
    sum += cos(n * s - x * sin(s));
  }
  return sum / points;
}

// A chain pushed at one mass: x_j' = v0 J_2j(2 w t) until the ends are reached (Schroedinger 1914);
// its front moves with the speed a w.
static void a_pulse_runs_along_a_chain(void** state) {
  (void)state;
  static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF};
  const int n = 201, middle = 101;
  const double k = 50, m = 0.02, v0 = 0.1, omega = sqrt(k / m), t = 80 / omega;
  for (int s = 0; s < 2; s++) {
    network w = open_text(
        "mesh.grid = %d; mesh.size = 2; mesh.fixed = [1 %d]; mesh.body.m = %.17g;\n"
        "mesh.joint(1).tr.trans = [inf 0 0]; mesh.joint(2).spring.coeff = %.17g;\n",
        n + 2, n + 2, m, k);
    td_sim_options o = td_sim_options_default();
    td_trajectory* run;
    double worst = 0;
    o.t_final = t;
    o.dt_out = t;
    o.rtol = s == 0 ? 1e-9 : 1e-7;
    o.atol = s == 0 ? 1e-11 : 1e-9;
    o.solver = solvers[s];
    w.state->v[middle - 1] = v0;
    assert_int_equal(td_simulate(w.model, w.work, w.state, &o, &run), TD_OK);
    for (int j = 0; j < n; j++)
      worst =
          fmax(worst, fabs(w.state->v[j] / v0 - bessel(2 * abs(j + 1 - middle), 2 * omega * t)));
    CHECK_REACHED(s == 0 ? "pulse along a chain, explicit" : "pulse along a chain, implicit", worst,
                  s == 0 ? 1e-7 : 2e-3);
    td_trajectory_free(run);
    network_free(&w);
  }
}

// A rod of free nodes sags as the rod does, with order 2 (case A of the rod benchmarks).
static void a_beam_of_nodes_becomes_the_rod(void** state) {
  (void)state;
  double error[2];
  for (int level = 0; level < 2; level++) {
    network w = open_text(
        "world.g = [0 -9.81 0]; rod(1).length = .3; rod(1).radius = .015; rod(1).E = 1e6;\n"
        "rod(1).nu = .5; rod(1).rho = 1000; rod(1).tr.rot = [2 pi/2]; rod(1).model = 'eba';\n"
        "rod(1).n = %d; sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), .3);\n",
        40 << level);
    double y[3];
    rest(&w);
    sensors(&w, y);
    error[level] = hypot(y[0] - 0.257592746957, y[1] + 0.144042501463);
    network_free(&w);
  }
  CHECK_REACHED("rod of 80 free nodes, tip", error[1], 1e-4);
  CHECK_REACHED("its order is 2", fabs(log2(error[0] / error[1]) - 2), 0.1);
}

// Four thousand nodes in a second or two: it loads, hangs, swings and keeps its energy.
static void a_large_net_hangs_and_swings(void** state) {
  (void)state;
  network w = open_text(
      "world.g = [0 0 -9.81]; mesh.grid = [40 40]; mesh.size = [1 1]; mesh.fixed = 'corners';\n"
      "mesh.body.m = 1e-4; mesh.joint(2).spring.coeff = 50;\n"
      "par.t_final = .02; par.dt_out = .01; par.rtol = 1e-7; par.atol = 1e-9;\n");
  td_sim_options o = td_sim_options_default();
  td_trajectory* run;
  o.solver = TD_SOLVER_EXPLICIT;
  assert_int_equal(td_simulate(w.model, w.work, w.state, &o, &run), TD_OK);
  const td_sim_stats* s = td_trajectory_stats(run);
  const td_energies e = td_energy(w.model, w.state, w.work);
  CHECK_REACHED("energy of a falling net of 1600 nodes", fabs(s->energy_error) / e.kinetic, 1e-6);
  td_trajectory_free(run);
  network_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_chain_has_its_frequencies),
      cmocka_unit_test(a_net_under_tension_has_its_modes),
      cmocka_unit_test(an_elastic_catenary_converges),
      cmocka_unit_test(the_hanging_net_hangs),
      cmocka_unit_test(a_chain_of_constrained_rods_hangs),
      cmocka_unit_test(a_pulse_runs_along_a_chain),
      cmocka_unit_test(a_beam_of_nodes_becomes_the_rod),
      cmocka_unit_test(a_large_net_hangs_and_swings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
