// The verdict on a simulation: quiet where the numbers are right, and the reason by name where not.
#include <string.h>

#include "robot.h"
#include "solve/time/trust.h"

// Simulate a model and give the verdict; `has`, unless NULL, must be among the reasons.
static td_verdict verdict_of(const char* text, const char* has) {
  robot r = robot_open(text);
  const td_sim_options options = td_sim_options_default();
  td_trajectory* run;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
  const char* reasons;
  const td_verdict verdict = td_trajectory_trust(run, &reasons);
  assert_int_equal(td_trajectory_trust(run, NULL), verdict);
  if (has != NULL && strstr(reasons, has) == NULL) fail_msg("'%s' is not in '%s'", has, reasons);
  if (has == NULL) assert_string_equal(reasons, "");
  td_trajectory_free(run);
  robot_close(&r);
  return verdict;
}

#define PENDULUM                                                                          \
  "world.g = [0 0 -9.81]; body(1).m = 1; body(1).I = .1*eye(3); body(1).l_com = [1 0 0];" \
  "joint(1).second = 1; joint(1).tr.rot = [2 inf]; par.t_final = 20;"

static void right_numbers_are_trusted(void** state) {
  (void)state;
  static const char* const texts[] = {
      // two rows alone, both near rest: what was turned over lies between them
      PENDULUM "par.dt_out = 20;",
      PENDULUM "par.dt_out = .1; par.solver = 'stiff';",
      // energy that never changes its form: free flight, spin without torque
      "body(1).m = 1; body(1).I = diag([1 2 3]); joint(1).second = 1; joint(1).tr.trans = [inf 0 "
      "0];"
      "joint(1).dof.rate = 5; par.t_final = 10; par.dt_out = 1;",
      "body(1).m = 1; body(1).I = diag([1 2 3]); joint(1).second = 1; joint(1).type = 'spherical';"
      "joint(1).dof(1).rate = .1; joint(1).dof(2).rate = 3; par.t_final = 10; par.dt_out = 1; "
      "par.rtol = 1e-6;",
      // nothing happens at all; and a hardly disturbed spring, below what tolerances see
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
      "joint(1).dof.spring.coeff = 100; par.t_final = 1; par.dt_out = .1;",
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
      "joint(1).dof.spring.coeff = 1e4; joint(1).dof.init = 1e-11; joint(1).dof.spring.init = 0;"
      "par.t_final = 10; par.dt_out = .1; par.solver = 'stiff';",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_int_equal(verdict_of(texts[i], NULL), TD_TRUST_OK);
}

// BDF with an absolute tolerance of the size of the motion lets the pendulum rest at half its way.
static void energy_that_is_lost_is_noticed(void** state) {
  (void)state;
  static const char coarse[] =
      PENDULUM "par.dt_out = 1; par.solver = 'stiff'; par.rtol = .1; par.atol = 1;";
  static const char rough[] =
      PENDULUM "par.dt_out = 1; par.solver = 'stiff'; par.rtol = 1e-3; par.atol = 1e-3;";
  assert_int_equal(verdict_of(coarse, "balance of energies"), TD_TRUST_WRONG);
  assert_int_equal(verdict_of(rough, "balance of energies"), TD_TRUST_LOOK);
}

// The shares themselves: 1e-3 and 0.1 of the work's |changes| + kinetic + ranges of the others.
static void shares_are_of_the_energy_turned_over(void** state) {
  (void)state;
  robot r = robot_open(PENDULUM);
  td_motion* motion;
  assert_int_equal(td_motion_new(r.model, r.work, r.state, 1e-6, 1e-8, &motion), TD_OK);
  const struct {
    double error;
    td_verdict verdict;
  } cases[] = {{0.99e-2, TD_TRUST_OK}, {1.01e-2, TD_TRUST_LOOK}, {0.99, TD_TRUST_LOOK},
               {1.01, TD_TRUST_WRONG}, {NAN, TD_TRUST_WRONG},    {INFINITY, TD_TRUST_WRONG}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    // 4 J of work, 3 J kinetic, 2 J elastic, 1 J of gravity: 10 J
    td_trust_measures measures = {.moved = 4,
                                  .low = {1, 7, -5},
                                  .high = {3, 9, -4},
                                  .error = cases[i].error,
                                  .stretch = 1,
                                  .size = 1,
                                  .rod = ""};
    td_trajectory* out = td_trajectory_new(r.model);
    td_trust_judge(&measures, motion, false, TD_OK, out);
    assert_int_equal(td_trajectory_trust(out, NULL), cases[i].verdict);
    td_trajectory_free(out);
  }

  // rounding of a large energy, and speeds below the tolerances, are no reasons
  const td_trust_measures rounding = {.low = {0, 0, 1e6},
                                      .high = {0, 0, 1e6},
                                      .error = 1e-7,
                                      .rod = "",
                                      .stretch = 1},
                          unseen = {.error = 1e-14, .unseen = 1e-13, .rod = "", .stretch = 1};
  td_trajectory* out = td_trajectory_new(r.model);
  td_trust_judge(&rounding, motion, false, TD_OK, out);
  td_trust_judge(&unseen, motion, false, TD_OK, out);
  assert_int_equal(td_trajectory_trust(out, NULL), TD_TRUST_OK);

  // constraints by the robot's size, charts, failures; reasons add up and the worst one rules
  const td_trust_measures fine = {.size = 2, .rod = "", .stretch = 1};
  out->stats.max_constraint_error = 1.9e-6;
  td_trust_judge(&fine, motion, false, TD_E_STOPPED, out);
  assert_int_equal(td_trajectory_trust(out, NULL), TD_TRUST_OK);
  out->stats.max_constraint_error = 2.1e-6;
  td_trust_judge(&fine, motion, true, TD_E_DIVERGED, out);
  const char* reasons;
  assert_int_equal(td_trajectory_trust(out, &reasons), TD_TRUST_LOOK);
  assert_non_null(strstr(reasons, "constraints"));
  assert_non_null(strstr(reasons, "half a turn"));
  assert_non_null(strstr(reasons, "failed"));
  out->stats.max_constraint_error = 2.1e-3;
  td_trust_judge(&fine, motion, false, TD_OK, out);
  assert_int_equal(td_trajectory_trust(out, NULL), TD_TRUST_WRONG);
  td_trajectory_free(out);
  td_motion_free(motion);
  robot_close(&r);
}

#define SLIDE                                                                        \
  "body(1).m = 1e-3; body(1).I = eye(3); joint(1).second = 1; exload(1).exbody = 1;" \
  "par.t_final = 1; par.dt_out = .1;"

static void states_beyond_any_robot_are_wrong(void** state) {
  (void)state;
  // x = F t²/(2 m) = 5e9 m after 0.1 s; v = 4e8 m/s after 1 s; an angle of 5e9 rad
  assert_int_equal(
      verdict_of(SLIDE "joint(1).tr.trans = [inf 0 0]; exload(1).ftau = [1e9 0 0 0 0 0];",
                 "no robot goes there"),
      TD_TRUST_WRONG);
  assert_int_equal(
      verdict_of(SLIDE "joint(1).tr.trans = [inf 0 0]; exload(1).ftau = [4e5 0 0 0 0 0];",
                 "faster than light"),
      TD_TRUST_WRONG);
  assert_int_equal(verdict_of(SLIDE "joint(1).tr.rot = [1 inf]; exload(1).ftau = [0 0 0 1e10 0 0];",
                              "no robot goes there"),
                   TD_TRUST_WRONG);
  assert_int_equal(
      verdict_of(SLIDE "joint(1).tr.trans = [inf 0 0]; exload(1).ftau = [1e5 0 0 0 0 0];", NULL),
      TD_TRUST_OK);
}

static void sensors_without_a_value_are_named(void** state) {
  (void)state;
  assert_int_equal(verdict_of(PENDULUM "sensor(1).name = 'pole'; sensor(1).value = 1/(t - 10);"
                                       "par.dt_out = 5;",
                              "sensor pole is infinite at t = 10 s"),
                   TD_TRUST_LOOK);
}

// A rod of EA = 78.5 N, slowly pressed: the least stretch is 1 - F/EA and a little dynamics.  It is
// ten times as wide as long and stays straight; a slender one would buckle when rounding lets it.
#define PRESSED(model, force)                                                           \
  "rod(1).model = '" model                                                              \
  "'; rod(1).length = 1; rod(1).radius = 5; rod(1).E = 1;"                              \
  "rod(1).rho = .1; rod(1).n = 2; rod(1).eta = .1; joint(1).first = rod(1);"            \
  "joint(1).second = 1; body(1).m = .1; body(1).I = 1e-3*eye(3); exload(1).exbody = 1;" \
  "exload(1).ftau = [0 0 -(" force ")*min(t/8, 1) 0 0 0]; par.t_final = 10; par.dt_out = 1;"

static void rods_that_are_crushed_are_named(void** state) {
  (void)state;
  assert_int_equal(verdict_of(PRESSED("gvs", "50"), NULL), TD_TRUST_OK);
  assert_int_equal(verdict_of(PRESSED("gvs", "75"), "crushed"), TD_TRUST_LOOK);
  assert_int_equal(verdict_of(PRESSED("gvs", "100"), "turned inside out"), TD_TRUST_WRONG);
  assert_int_equal(verdict_of(PRESSED("srl", "75"), "crushed"), TD_TRUST_LOOK);
  assert_int_equal(verdict_of(PRESSED("srl", "100"), "turned inside out"), TD_TRUST_WRONG);
}

// Two masses on springs in line: lengths scale, times do not, so that robots of every size move
// alike.  From a millimetre down the absolute tolerance follows the size; a written one is obeyed
// and judged.
static void tiny_robots_move_as_large_ones(void** state) {
  (void)state;
  double large[2] = {0, 0};
  for (int k = 0; k < 5; k++) {
    static const double sizes[5] = {1, 1e-3, 1e-5, 3e-6, 2e-7};
    char text[600];
    snprintf(text, sizeof text,
             "L = %g; body(1).m = 1; body(2).m = 2; joint(1).second = 1; joint(2).second = 2;"
             "joint(1).tr.trans = [inf 0 0]; joint(2).tr.trans = [inf 0 0];"
             "joint(1).dof.init = L; joint(2).dof.init = 2*L; joint(1).dof.spring.coeff = 30;"
             "joint(1).dof.spring.init = .3*L; joint(3).first = 1; joint(3).second = 2;"
             "joint(3).spring.coeff = 70; joint(3).spring.init = .8*L;"
             "par.t_final = 30; par.dt_out = 30;",
             sizes[k]);
    robot r = robot_open(text);
    const td_sim_options options = td_sim_options_default();
    td_trajectory* run;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &options, &run), TD_OK);
    assert_int_equal(td_trajectory_trust(run, NULL), TD_TRUST_OK);
    // rtol is 1e-6 a step, and some hundred steps add up; the usual tolerance gave 1e-3 at 1e-7 m
    for (int i = 0; i < 2; i++) {
      const double x = td_trajectory_q(run, 1)[i] / sizes[k];
      if (k == 0) large[i] = x;
      CHECK_NEAR(x, large[i], 1e-4);
    }
    td_trajectory_free(run);
    robot_close(&r);

    strcat(text, "par.atol = 1e-9;");
    const bool coarse = sizes[k] < 1e-6;
    assert_int_equal(verdict_of(text, coarse ? "give a smaller par.atol" : NULL),
                     coarse ? TD_TRUST_LOOK : TD_TRUST_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_numbers_are_trusted),
      cmocka_unit_test(energy_that_is_lost_is_noticed),
      cmocka_unit_test(tiny_robots_move_as_large_ones),
      cmocka_unit_test(shares_are_of_the_energy_turned_over),
      cmocka_unit_test(states_beyond_any_robot_are_wrong),
      cmocka_unit_test(sensors_without_a_value_are_named),
      cmocka_unit_test(rods_that_are_crushed_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
