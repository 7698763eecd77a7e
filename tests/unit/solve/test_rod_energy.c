// Rods whose law is given by its strain energy: a quadratic energy is a stiffness, coupled terms
// included; neo-Hookean rubber stretches under a weight as the closed form says; energy is kept.
#include "../engine/robots.h"

static const char* const models[] = {"srl", "ebr", "eba", "rom"};
enum { MODELS = 4 };

#define ROD                                                                                  \
  "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).rho = 1000; rod(1).n = 3;\n"           \
  "world.g = [0 1 -9.81]; K = diag([200 200 600 0.04 0.03 0.02]); K(3,4) = 1; K(4,3) = 1;\n" \
  "x0 = [0 0 0.01 1 2 0.5];\n"

static robot load_as(const char* text, const char* model) {
  char full[4000];
  snprintf(full, sizeof full, "%srod(1).model = '%s';\n", text, model);
  return robot_load(full);
}

static void a_quadratic_energy_is_a_stiffness(void** unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    robot a = load_as(ROD "rod(1).stiffness = K; rod(1).shape = x0;\n", models[m]);
    robot b = load_as(ROD "e = strain(1:6) - x0; rod(1).energy = e*K*e'/2; rod(1).init = x0;\n",
                      models[m]);
    uint64_t seed = 3;
    for (int trial = 0; trial < 3; trial++) {
      robot_shake(&a, &seed, 0.1);
      td_state_copy(a.model, a.state, b.state);
      assert_int_equal(td_forward_dynamics(a.model, a.state, a.work), TD_OK);
      assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
      for (int i = 0; i < a.nv; i++)  // rounding times the condition of the mass matrix
        CHECK_NEAR(td_work_vdot(b.work)[i], td_work_vdot(a.work)[i], 1e-8);
      CHECK_NEAR(td_energy(b.model, b.state, b.work).elastic,
                 td_energy(a.model, a.state, a.work).elastic, 1e-12);
    }
    robot_free(&a);
    robot_free(&b);
  }
}

// U = μA/2 (λ² + 2/λ - 3):  μA (λ - 1/λ²) = F for a massless rod that pulls a weight F.
static const char rubber[] =
    "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).inertia = 1e-9*ones(1,6);\n"
    "rod(1).n = 2; rod(1).tr.rot = [1 pi]; world.g = [0 0 -9.81];\n"
    "l = 1 + strain(3); muA = 10; rod(1).energy = muA/2*(l^2 + 2/l - 3) + ...\n"
    "  0.5*(500*(strain(1)^2 + strain(2)^2) + 0.01*sum(strain(4:6).^2));\n"
    "body(1).m = 2; body(1).I = 1e-3*eye(3); joint(1).first = rod(1); joint(1).second = 1;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1)); par.t_final = 0.5;\n";

static void rubber_stretches_as_the_closed_form_says(void** unused) {
  (void)unused;
  double stretch = 1;
  for (int k = 0; k < 50; k++)
    stretch -= (10 * (stretch - pow(stretch, -2)) - 2 * 9.81) / (10 * (1 + 2 * pow(stretch, -3)));
  for (int m = 0; m < MODELS; m++) {
    robot r = load_as(rubber, models[m]);
    const td_equil_options options = td_equil_options_default();
    td_equil_result found;
    double tip[3];
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, &options, &found), TD_OK);
    assert_int_equal(found.stability, TD_STABLE);
    assert_true(found.conservative);
    assert_int_equal(td_sensors(r.model, r.state, r.work, tip), TD_OK);
    CHECK_NEAR(tip[2], -0.3 * stretch, 1e-8);  // the rod's own 3e-9 N of weight
    robot_free(&r);
  }
}

static void it_keeps_its_energy_when_it_bounces(void** unused) {
  (void)unused;
  char heavy[2000];  // a rod that has a mass
  snprintf(heavy, sizeof heavy, "%srod(1).inertia = [1 1 1 0.01 0.01 0.01];\n", rubber);
  robot r = load_as(heavy, "ebr");
  const td_sim_options options = td_sim_options_default();
  td_trajectory* run = NULL;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
  assert_true(fabs(td_trajectory_stats(run)->energy_error) < 1e-5);  // of 3 J that go to and fro
  td_trajectory_free(run);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quadratic_energy_is_a_stiffness),
      cmocka_unit_test(rubber_stretches_as_the_closed_form_says),
      cmocka_unit_test(it_keeps_its_energy_when_it_bounces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
