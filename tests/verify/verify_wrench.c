// The force and moment inside rods, wrench(rod(k), s): closed forms, free bodies, and other ways to
// ask for the same wrench.
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "tendril/tendril.h"

static const char* const models[] = {"gvs", "rom", "ebr", "srl", "eba"};

typedef struct robot {
  td_model* model;
  td_work* work;
  td_state* state;
} robot;

static robot load(const char* text) {
  robot r = {0};
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "wrench.m", text);
  if (td_model_compile(spec, &r.model) != TD_OK) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(r.model);
  td_spec_free(spec);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static void release(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

// ---- a cantilever at rest ---------------------------------------------------------------------

enum { PLACES = 5 };
static const double place[PLACES] = {0, 0.3, 0.62, 0.7, 1};

// A cantilever along x, so stiff that it stays nearly straight, with its weight, a
// load of 20 N at its tip and another at 0.63 m.
static void cantilever(const char* model, int n, double E, double load_there, double* w) {
  char text[1000];
  snprintf(
      text, sizeof text,
      "world.g = [0 0 -10]; rod(1).model = '%s'; rod(1).n = %d; rod(1).tr.rot = [2 pi/2];\n"
      "rod(1).length = 1; rod(1).radius = 0.02; rod(1).E = %g; rod(1).nu = 0.3;\n"
      "rod(1).rho = 7800;\n"
      "exload(1).exbody = at(rod(1), 1); exload(1).ftau = [0 0 -20 0 0 0];\n"
      "exload(2).exbody = at(rod(1), 0.63); exload(2).ftau = [0 0 %g 0 0 0];\n"
      "s = [0 0.3 0.62 0.7 %g];\n"
      "for k = 1:5, sensor(k).name = sprintf('w%%d', k); sensor(k).value = wrench(rod(1), s(k));\n"
      "end\n",
      model, n, E, -load_there, n < 10 ? 1 : 0.95);
  robot r = load(text);
  td_equil_options options = td_equil_options_default();
  td_equil_result info;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &info), TD_OK);
  assert_int_equal(td_sensors(r.model, r.state, r.work, w), TD_OK);
  release(&r);
}

// Shear force along the section's x, which is down, and bending moment about its y.
static void exact(double s, double load_there, double* force, double* moment) {
  const double q = 7800 * 3.14159265358979 * 0.02 * 0.02 * 10, far = 1 - s, near = 0.63 - s;
  *force = q * far + 20 + (near >= 0 ? load_there : 0);
  *moment = q * far * far / 2 + 20 * far + (near >= 0 ? load_there * near : 0);
}

// Rods with quadrature are as accurate as it is, at every section; loads count up to where they
// act.
static void cantilevers_carry_what_lies_beyond(void** state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    double w[6 * PLACES];
    cantilever(models[m], 4, 2e15, 30, w);
    for (int k = 0; k < PLACES; k++) {
      double force, moment;
      exact(place[k], 30, &force, &moment);
      CHECK_NEAR(w[6 * k], force, 1e-5);
      CHECK_NEAR(w[6 * k + 4], moment, 1e-5);
      for (int c = 1; c < 6; c++)
        if (c != 4) CHECK_NEAR(w[6 * k + c], 0, 1e-3);  // 150 N times the turn of the section
    }
  }
}

// Rods of segments: linear between the middles, so that errors of moments, which are parabolas
// without the load between, fall with the square of the segments; forces are exact.
static void rods_of_segments_converge(void** state) {
  (void)state;
  for (int m = 2; m < 5; m++) {
    double worst[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
      double w[6 * PLACES];
      cantilever(models[m], fine ? 20 : 10, 2e13, 0, w);
      for (int k = 0; k < PLACES; k++) {
        double force, moment;
        exact(fmin(place[k], 0.95), 0, &force, &moment);
        CHECK_NEAR(w[6 * k], force, 1e-5);  // 6e5 times as stiff as it is loaded: 1e-9 of 1e6 N
        worst[fine] = fmax(worst[fine], fabs(w[6 * k + 4] - moment));
      }
    }
    CHECK_NEAR(worst[0] / worst[1], 4, 0.2);
  }
}

// A hanging rod of two parts of different weight, with a body at its base: the base carries all, a
// section in the second part what hangs below.
static void parts_and_the_base_count(void** state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    char text[900];
    snprintf(text, sizeof text,
             "world.g = [0 0 -10]; rod(1).tr.rot = [1 pi]; rod(1).radius = 0.01; rod(1).E = 1e9;\n"
             "rod(1).model = '%s'; rod(1).part(1).length = 0.1; rod(1).part(2).length = 0.2;\n"
             "rod(1).part(1).rho = 1000; rod(1).part(2).rho = 3000;\n"
             "body(1).m = 1; body(1).I = eye(3)*1e-3; joint(1).first = at(rod(1), 0);\n"
             "joint(1).second = 1; joint(1).type = 'fixed';\n"
             "sensor(1).name = 'base'; sensor(1).value = wrench(rod(1), 0);\n"
             "sensor(2).name = 'low'; sensor(2).value = wrench(rod(1), 0.25);\n",
             models[m]);
    robot r = load(text);
    td_equil_options options = td_equil_options_default();
    td_equil_result info;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &info), TD_OK);
    double w[12];
    assert_int_equal(td_sensors(r.model, r.state, r.work, w), TD_OK);
    const double q = 3.14159265358979e-4 * 1e4;  // weight of a metre with 1000 kg/m^3
    CHECK_NEAR(w[2], 10 + q * (0.1 + 3 * 0.2), 1e-8);
    CHECK_NEAR(w[8], q * 3 * 0.05, 1e-8);
    release(&r);
  }
}

// ---- in motion --------------------------------------------------------------------------------

// What a rod does to its base is what the joint that carries nothing else transmits; in motion,
// with another rod and a body on it, a cable in it, and with held strains.
static void base_wrench_is_what_the_joint_below_transmits(void** state) {
  (void)state;
  for (int m = 0; m < 5; m++) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "world.g = [0 1 -9.81]; body(1).m = 0; body(1).I = zeros(3); joint(1).second = 1;\n"
        "joint(1).type = 'fixed'; joint(1).tr(1).rot = [1 0.4];\n"
        "rod(1).first = body(1); rod(1).model = '%s'; rod(1).n = 3; rod(1).length = 0.5;\n"
        "rod(1).radius = 0.02; rod(1).E = 2e5; rod(1).nu = 0.4; rod(1).rho = 1000;\n"
        "rod(1).eta = 100; %s\n"
        "body(2).m = 0.1; body(2).I = diag([1 2 3])*1e-4; joint(2).second = 2;\n"
        "joint(2).first = at(rod(1), 0.2); joint(2).type = 'revolute'; joint(2).axis = [1 0 0];\n"
        "joint(2).tr(1).trans = [0.03 0 0]; joint(2).dof(1).rate = 3;\n"
        "rod(2).first = at(rod(1), 0.5); rod(2).model = '%s'; rod(2).n = 2;\n"
        "rod(2).length = 0.3; rod(2).radius = 0.01; rod(2).E = 3e5; rod(2).nu = 0.4;\n"
        "rod(2).rho = 1000; rod(2).eta = 100; cable(1).rod = 1; cable(1).path = [0.01 0]; "
        "cable(1).tension = 2;\n"
        "exload(1).exbody = at(rod(2), 0.3); exload(1).ftau = [0.01 0.02 0 0 0 1e-4];\n"
        "sensor(1).name = 'w'; sensor(1).value = wrench(rod(1), 0);\n"
        "sensor(2).name = 'f'; sensor(2).value = force(joint(1));\n"
        "sensor(3).name = 'tip'; sensor(3).value = wrench(rod(1), %g);\n"
        "sensor(4).name = 'next'; sensor(4).value = wrench(rod(2), 0);\n",
        models[m], m == 0 ? "rod(1).order = [-1 -1 -1 3 3 3];" : "", models[m], m < 2 ? 0.5 : 0.4);
    robot r = load(text);
    td_sim_options options = td_sim_options_default();
    options.t_final = 0.03;
    td_trajectory* run = NULL;
    const td_status status = td_simulate(r.model, r.work, r.state, &options, &run);
    if (status != TD_OK) print_error("%s: %s\n", models[m], td_trajectory_diagnosis(run));
    assert_int_equal(status, TD_OK);
    td_trajectory_free(run);
    double x[24];
    assert_int_equal(td_sensors(r.model, r.state, r.work, x), TD_OK);
    // the joint's force in the ground's axes, the rod's in those of its base
    const double c = cos(0.4), s = sin(0.4);
    for (int k = 0; k < 6; k += 3) {
      const double turned[3] = {-x[k], -(c * x[k + 1] - s * x[k + 2]),
                                -(s * x[k + 1] + c * x[k + 2])};
      for (int i = 0; i < 3; i++) CHECK_NEAR(turned[i], x[6 + k + i], 1e-9);
    }
    assert_true(fabs(x[3]) > 1e-3);
    // the tip carries what the next rod does to its base; rods of segments know it to their order
    for (int i = 0; i < 6 && m < 2; i++) CHECK_NEAR(x[12 + i], x[18 + i], 1e-9);
    release(&r);
  }
}

// A rod that cannot stretch turns freely about its end: at s it carries the centrifugal force of
// what lies beyond, rho A w^2 (L^2 - s^2)/2.
static void spinning_rods_carry_centrifugal_force(void** state) {
  (void)state;
  static const char* const held[] = {
      "rod(1).model = 'gvs'; rod(1).order = [-1 -1 -1 2 2 2];",
      "rod(1).model = 'ebr'; rod(1).n = 40; rod(1).modes = [0 0 0 1 1 1];",
      "rod(1).model = 'srl'; rod(1).n = 40; rod(1).modes = [0 0 0 1 1 1];"};
  for (int m = 0; m < 3; m++) {
    char text[900];
    snprintf(text, sizeof text,
             "%s rod(1).joint.type = 'revolute'; rod(1).joint.axis = [1 0 0];\n"
             "rod(1).joint.dof(1).rate = 20; rod(1).length = 0.5; rod(1).radius = 0.01;\n"
             "rod(1).E = 1e9; rod(1).nu = 0.3; rod(1).rho = 2000;\n"
             "for k = 1:3, sensor(k).name = sprintf('w%%d', k);\n"
             "w = wrench(rod(1), 0.2*(k - 1)); sensor(k).value = w(3); end\n",
             held[m]);
    robot r = load(text);
    double x[3];
    assert_int_equal(td_sensors(r.model, r.state, r.work, x), TD_OK);
    for (int k = 0; k < 3; k++) {
      const double s = 0.2 * k, want = 2000 * 3.14159265358979e-4 * 400 * (0.25 - s * s) / 2;
      CHECK_NEAR(x[k], want, m == 0 ? 1e-9 : 1e-3);  // (1/40)^2 = 6e-4
    }
    release(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cantilevers_carry_what_lies_beyond),
      cmocka_unit_test(rods_of_segments_converge),
      cmocka_unit_test(parts_and_the_base_count),
      cmocka_unit_test(base_wrench_is_what_the_joint_below_transmits),
      cmocka_unit_test(spinning_rods_carry_centrifugal_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
