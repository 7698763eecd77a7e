// Magnets against closed forms: the period of a compass needle, small and large; a magnetic
// cantilever in a field across it against the elastica and one with a magnet at its middle, by
// every rod model; a needle that a turning field pulls along; dense against sparse.
#include "check.h"
#include "tendril/tools.h"

typedef struct robot {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
} robot;

static robot load(const char* text) {
  robot r = {.spec = td_spec_new()};
  if (td_spec_load_string(r.spec, "magnet.m", text) != TD_OK ||
      td_model_compile(r.spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(r.spec));
    fail();
  }
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static void close_robot(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

static td_trajectory* run(robot* r, double t, double rtol) {
  td_sim_options o = td_sim_options_default();
  o.t_final = t;
  o.dt_out = t / 8;
  o.rtol = rtol;
  o.atol = rtol * 1e-3;
  td_trajectory* p = NULL;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &p), TD_OK);
  return p;
}

// A needle of inertia I about z, its moment m along x, in a field B along x, released at an angle.
static const char needle[] =
    "body(1).m = .01; body(1).I = 2e-6*eye(3); joint(1).second = 1; joint(1).tr.rot = [3 inf];\n"
    "joint(1).dof.init = param('angle', .001);\n"
    "magnet(1).on = 1; magnet(1).moment = [.5 0 0]; magnet(1).field = [5e-5 0 0];\n";

// T = 4 K(sin(angle/2)) √(I/(m B)), the elliptic integral by the arithmetic-geometric mean: after a
// whole period the needle is where it was let go, after a quarter it passes north.
static void the_period_of_a_needle(void** state) {
  (void)state;
  static const double angles[] = {1e-3, 1, 3};
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, "%s", needle);
    robot r = load(text);
    r.state->q[0] = angles[i];
    double a = 1, g = cos(angles[i] / 2);
    for (int k = 0; k < 8; k++) {
      const double mean = (a + g) / 2;
      g = sqrt(a * g);
      a = mean;
    }
    const double period = 2 * acos(-1) / a * sqrt(2e-6 / (.5 * 5e-5));
    td_trajectory* p = run(&r, period, 1e-10);
    CHECK_REACHED("a quarter", fabs(td_trajectory_q(p, 2)[0]) / angles[i], 1e-7);
    CHECK_REACHED("a period", fabs(td_trajectory_q(p, 8)[0] / angles[i] - 1), 1e-7);
    // -m B cos q and the kinetic energy
    for (int k = 0; k <= 8; k++) {
      const double* e = td_trajectory_energy(p, k);  // kinetic, elastic, gravity
      CHECK_NEAR(e[0] + e[1], -.5 * 5e-5 * cos(angles[i]), 1e-12);
    }
    td_trajectory_free(p);
    close_robot(&r);
  }
}

// EI θ'' = -μ B cos θ for a moment μ per length along the rod and a field across it, θ(0) = 0,
// θ'(L) = 0: by shooting from the base with steps of order 4.  Returns the tip.
static void elastica(double load, double tip[2]) {
  enum { N = 2000 };
  double low = 0, high = 3;  // θ'(0) L
  for (int trial = 0; trial < 60; trial++) {
    const double slope = (low + high) / 2, h = 1.0 / N;
    double y[4] = {0, slope, 0, 0};  // θ, θ', along, across
    for (int s = 0; s < N; s++) {
      double k[4][4], z[4];
      for (int stage = 0; stage < 4; stage++) {
        const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
        for (int c = 0; c < 4; c++) z[c] = y[c] + (stage > 0 ? part * k[stage - 1][c] : 0);
        k[stage][0] = z[1];
        k[stage][1] = -load * cos(z[0]);
        k[stage][2] = cos(z[0]);
        k[stage][3] = sin(z[0]);
      }
      for (int c = 0; c < 4; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    *(y[1] > 0 ? &high : &low) = slope;
    tip[0] = y[2];
    tip[1] = y[3];
  }
}

// μ B L² / EI = 2: the tip turns by almost half a right angle.  Segments converge with 1/n².
static void a_magnetic_cantilever_is_an_elastica(void** state) {
  (void)state;
  static const struct {
    const char *model, *more;
    double bound;
  } rods[] = {{"gvs", "rod(1).order = [-1 -1 -1 5 5 -1];", 1e-6},
              {"srl", "rod(1).n = 12; rod(1).order = [];", 4e-3},
              {"ebr", "rod(1).n = 12;", 4e-3},
              {"eba", "rod(1).n = 12;", 4e-3},
              {"rom", "rod(1).n = 5;", 4e-3}};
  double tip[2];
  elastica(2, tip);
  for (int i = 0; i < 5; i++) {
    char text[1000];
    // EI = E π r⁴/4; slender, so that shear and stretch do not count
    snprintf(
        text, sizeof text,
        "rod(1).model = '%s'; rod(1).length = 1; rod(1).radius = .005; rod(1).E = 1e7;\n"
        "rod(1).rho = 1000; %s EI = 1e7*pi*.005^4/4;\n"
        "magnet(1).on = rod(1); magnet(1).moment = [0 0 10]; magnet(1).field = [2*EI/10 0 0];\n"
        "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
        rods[i].model, i == 1 ? "rod(1).n = 12;" : rods[i].more);
    robot r = load(text);
    td_equil_options o = td_equil_options_default();
    td_equil_result found;
    double y[3];
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &found), TD_OK);
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    CHECK_REACHED(rods[i].model, hypot(y[2] - tip[0], y[0] - tip[1]), rods[i].bound);
    close_robot(&r);
  }
}

// A torque τ at the middle a of a rod bends it up to there: small, its tip moves by
// τ a (L - a/2)/EI, to first order of the angle τ a/EI = 0.01.
static void a_magnet_at_a_place_bends_a_rod_up_to_it(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
  for (int i = 0; i < 5; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "rod(1).model = '%s'; rod(1).length = 1; rod(1).radius = .005; rod(1).E = 1e7;\n"
             "rod(1).rho = 1000; rod(1).n = %d; EI = 1e7*pi*.005^4/4;\n"
             "magnet(1).on = at(rod(1), .5); magnet(1).moment = [0 0 1];\n"
             "magnet(1).field = [.02*EI 0 0];\n"
             "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n",
             models[i], i == 0 || i == 4 ? 5 : 12);
    robot r = load(text);
    td_equil_options o = td_equil_options_default();
    td_equil_result found;
    double y[3];
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &found), TD_OK);
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    CHECK_REACHED(models[i], fabs(y[0] / .0075 - 1), 1e-3);
    close_robot(&r);
  }
}

// Two damped needles on springs in a field of an input, with dense and sparse matrices.
static void dense_and_sparse_agree(void** state) {
  (void)state;
  double end[2][12];
  for (int sparse = 0; sparse < 2; sparse++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "B = input('B', .3);\n"
        "for i = 1:3, body(i).m = .1; body(i).I = 1e-3*diag([1 2 2.5]);\n"
        "joint(i).second = i; joint(i).type = 'free'; joint(i).tr.trans = [.2*i 0 0];\n"
        "for k = 1:6, joint(i).dof(k).spring.coeff = .5; joint(i).dof(k).damp.visc = .01; end\n"
        "magnet(i).on = body(i); magnet(i).moment = [.2*i .1 0]; magnet(i).field = B*[t 0 1 - "
        "t]; end\n"
        "joint(4).first = 1; joint(4).second = 2; joint(4).spring.coeff = 3;\n"
        "for i = 1:3, sensor(i).name = sprintf('r%%d', i); sensor(i).value = quat(body(i)); "
        "end\npar.linear = '%s';\n",
        sparse ? "sparse" : "dense");
    robot r = load(text);
    td_trajectory* p = run(&r, 1, 1e-9);
    memcpy(end[sparse], td_trajectory_sensors(p, 8), sizeof end[0]);
    td_trajectory_free(p);
    close_robot(&r);
  }
  for (int c = 0; c < 12; c++) CHECK_NEAR(end[0][c], end[1][c], 1e-8);
}

// Without a field nothing holds a needle beside a bead in a bowl: no path begins there, and the
// message tells why.
static void a_path_from_no_field_says_why_it_ends(void** state) {
  (void)state;
  robot r = load(
      "world.g = [0 0 -9.81]; x = dof(joint(1), 1);\n"
      "body(1).m = .7; joint(1).second = 1; joint(1).curve = [x 0 .5*x^2];\n"
      "joint(1).dof(1).init = .1; joint(1).dof(1).damp.visc = .1;\n"
      "body(2).m = .3; body(2).I = .02*eye(3); joint(2).second = 2; joint(2).tr.rot = [3 inf];\n"
      "joint(2).dof(1).init = .3; magnet(1).on = body(2); magnet(1).moment = [2 0 0];\n"
      "magnet(1).field = param('B', 1)*[1 0 0];\n");
  td_trace_options o = td_trace_options_default();
  td_trace_result* path = NULL;
  o.param = 0, o.from = 0, o.to = 6;
  assert_int_equal(td_trace(r.model, r.work, r.state, &o, &path), TD_E_DIVERGED);
  assert_non_null(strstr(td_work_failure(r.work), "the path ends at B = 0"));
  assert_non_null(strstr(td_work_failure(r.work), "neutral"));
  td_trace_free(path);
  // with one there is: along it
  path = NULL;
  o.from = 0.1;
  assert_int_equal(td_trace(r.model, r.work, r.state, &o, &path), TD_OK);
  assert_true(path->complete);
  td_trace_free(path);
  close_robot(&r);
}

// A needle in a field, w² = m B / I, beside a bead in the parabola z = c x²/2, w² = g c, and an
// internal state with the rate (B - z)/T: modes and the linear model with the centre of mass as its
// output have these closed forms, to rounding.
static void modes_and_linear_models_have_closed_forms(void** state) {
  (void)state;
  robot r = load(
      "world.g = [0 0 -9.81]; B = input('B', 0.08); b = internal('b', 0.08);\n"
      "dynamics(1).of = 'b'; dynamics(1).rate = (B - b)/0.5;\n"
      "body(1).m = 1; body(1).I = 0.01*eye(3); body(2).m = 3; body(2).I = 0.001*eye(3);\n"
      "joint(1).second = 1; joint(1).type = 'revolute';\n"
      "magnet(1).on = 1; magnet(1).moment = [0.5 0 0]; magnet(1).field = [b 0.5*(b - 0.08) 0];\n"
      "x = dof(joint(2), 1); joint(2).second = 2; joint(2).curve = [x 0 1.5*x^2];\n"
      "sensor(1).name = 'centre'; sensor(1).value = com();\n");
  td_modes_result* modes = NULL;
  assert_int_equal(td_modes(r.model, r.state, r.work, &modes), TD_OK);
  assert_int_equal(modes->n, 2);
  CHECK_NEAR(modes->omega[0], 2, 1e-12);
  CHECK_NEAR(modes->omega[1], sqrt(9.81 * 3), 1e-12);
  td_modes_free(modes);

  // x = needle, bead, their rates, internal state
  td_linear* l = NULL;
  assert_int_equal(td_linearize(r.model, r.state, r.work, &l), TD_OK);
  assert_int_equal(l->nx, 5);
  const double A[25] = {
      [2] = 1, [8] = 1, [10] = -4, [14] = 0.5 * 0.5 / 0.01, [16] = -9.81 * 3, [24] = -2};
  for (int i = 0; i < 25; i++) CHECK_NEAR(l->A[i], A[i], 1e-12);
  for (int i = 0; i < 5; i++) CHECK_NEAR(l->B[i], i == 4 ? 2 : 0, 1e-12);
  for (int i = 0; i < 15; i++) CHECK_NEAR(l->C[i], i == 1 ? 0.75 : 0, 1e-12);
  td_linear_free(l);
  close_robot(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_period_of_a_needle),
      cmocka_unit_test(a_magnetic_cantilever_is_an_elastica),
      cmocka_unit_test(a_magnet_at_a_place_bends_a_rod_up_to_it),
      cmocka_unit_test(dense_and_sparse_agree),
      cmocka_unit_test(a_path_from_no_field_says_why_it_ends),
      cmocka_unit_test(modes_and_linear_models_have_closed_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
