// What controllers remember: a run that is continued from its middle is the uninterrupted one,
// plants run tasks and controllers as simulations do, and limits do not wind integrals up.
#include "robot.h"
#include "tendril/control.h"

#define MASS                                                                                  \
  "F = input('F', 0); G = input('G', 0); body(1).m = 1; joint(1).second = 1;"                 \
  "joint(1).tr.trans = [inf 0 0]; joint(1).dof(1).init = 0.2; joint(1).dof(1).input = F + G;" \
  "joint(1).dof(1).damp.visc = 0.3; sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);"
#define TASK                                                                                \
  "task(1).value = pos(body(1))(1); task(1).desired = 0.1 + 0.05*sin(3*t); task(1).P = 50;" \
  "task(1).D = 8; task(1).I = 60; task(1).inputs = 'F';"
#define LAW \
  "control(1).inputs = 'F'; control(1).law = 1 - 50*dof(joint(1), 1) - 5*ddof(joint(1), 1);"

static const char* const models[] = {
    MASS TASK,
    MASS TASK "par.control.rate = 100;",
    MASS TASK "par.control.rate = 37; par.control.delay = 0.06;",
    MASS LAW "par.control.rate = 30; par.control.delay = 0.01; par.control.quantum = 1e-3;",
    MASS LAW "par.control.rate = 30; par.control.delay = 0.15;",
    MASS LAW,
};
enum { MODELS = sizeof models / sizeof *models };

static td_sim_options options(double t_final) {
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-10;
  o.atol = 1e-12;
  o.t_final = t_final;
  o.dt_out = 0.01;
  return o;
}

static void run_to(robot* r, double t) {
  const td_sim_options o = options(t);
  td_trajectory* rows = NULL;
  if (td_simulate(r->model, r->work, r->state, &o, &rows) != TD_OK)
    fail_msg("%s", td_trajectory_diagnosis(rows));
  td_trajectory_free(rows);
}

// The initial state forgets what controllers have learnt: a second run repeats the first.
static void test_the_initial_state_remembers_nothing(void** state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    robot r = robot_open(models[k]);
    double q = NAN;
    for (int again = 0; again < 2; again++) {
      assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
      run_to(&r, 1);
      if (again) CHECK_NEAR(r.state->q[0], q, 1e-12);
      q = r.state->q[0];
    }
    robot_close(&r);
  }
}

// The same to the end, or in three parts with a saved state between them; both hold to the
// tolerance of the integrator.
static void test_a_continued_run_is_the_uninterrupted_one(void** state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    robot whole = robot_open(models[k]), parts = robot_open(models[k]);
    run_to(&whole, 1);
    run_to(&parts, 0.3);
    td_state* saved = td_state_new(parts.model);
    td_state_copy(parts.model, parts.state, saved);
    td_state_copy(parts.model, saved, parts.state);
    run_to(&parts, 0.555);
    run_to(&parts, 1);
    CHECK_REACHED("position", fabs(parts.state->q[0] - whole.state->q[0]), 1e-8);
    CHECK_REACHED("velocity", fabs(parts.state->v[0] - whole.state->v[0]), 1e-7);
    CHECK_REACHED("input", fabs(parts.state->u[0] - whole.state->u[0]), 1e-6);
    td_state_free(saved);
    robot_close(&whole);
    robot_close(&parts);
  }
}

// Steps that do not fall on samples, and the input that no controller sets from outside.
static void test_plants_run_tasks_and_controllers_as_simulations_do(void** state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    robot whole = robot_open(models[k]), r = robot_open(models[k]);
    whole.state->u[1] = 0.4;
    run_to(&whole, 1);
    const td_sim_options o = options(1);
    td_plant* plant;
    assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &plant), TD_OK);
    const double u[2] = {99, 0.4};  // the first belongs to the controller
    for (int i = 1; i <= 7; i++) assert_int_equal(td_plant_drive(plant, i / 7.0, u, NULL), TD_OK);
    CHECK_REACHED("plant: position", fabs(td_plant_state(plant)->q[0] - whole.state->q[0]), 1e-8);
    CHECK_REACHED("plant: velocity", fabs(td_plant_state(plant)->v[0] - whole.state->v[0]), 1e-7);
    td_plant_free(plant);
    robot_close(&whole);
    robot_close(&r);
  }
}

// A force of at most 1 N for a mass of 1 kg that is to be 8 m away at once: it takes seconds, in
// which the error of metres would wind the integral up to some ten.  Without wind-up the mass does
// not overshoot by more than the braking that the limit allows.
static void test_limits_do_not_wind_integrals_up(void** state) {
  (void)state;
  const char* rates[] = {"", "par.control.rate = 100;"};
  for (int k = 0; k < 2; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             "F = input('F', 0); body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
             "joint(1).dof(1).input = F; joint(1).dof(1).damp.visc = 1; task(1).value = "
             "pos(body(1))(1); task(1).desired = 8; task(1).P = 3; task(1).D = 3; task(1).I = 1;"
             "task(1).limits = [-1 1]; %s",
             rates[k]);
    robot r = robot_open(text);
    td_sim_options o = options(40);
    o.rtol = 1e-7;
    td_trajectory* rows = NULL;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &rows), TD_OK);
    double most = 0;
    for (int i = 0; i < td_trajectory_rows(rows); i++)
      most = fmax(most, td_trajectory_q(rows, i)[0]);
    // braking from 1 m/s at 1 N and 1 N s/m takes 1 - ln 2 = 0.31 m; wound up it was 8 m and more
    CHECK_REACHED("overshoot", most - 8, 1);
    CHECK_REACHED("at the end", fabs(r.state->q[0] - 8), 1e-3);
    td_trajectory_free(rows);
    robot_close(&r);
  }
}

// Natural modes are about a state at rest.
static void test_reduction_of_a_moving_state_is_refused(void** state) {
  (void)state;
  robot r = robot_open(MASS "joint(1).dof(1).spring.coeff = 4;");
  td_linear* linear = NULL;
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, 1, &linear), TD_OK);
  td_linear_free(linear);
  r.state->v[0] = 0.1;
  linear = NULL;
  assert_int_equal(td_modal_reduction(r.model, r.state, r.work, 1, &linear), TD_E_USAGE);
  assert_int_equal(td_static_reduction(r.model, r.state, r.work, 1, &linear), TD_E_USAGE);
  robot_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_initial_state_remembers_nothing),
      cmocka_unit_test(test_a_continued_run_is_the_uninterrupted_one),
      cmocka_unit_test(test_plants_run_tasks_and_controllers_as_simulations_do),
      cmocka_unit_test(test_limits_do_not_wind_integrals_up),
      cmocka_unit_test(test_reduction_of_a_moving_state_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
