// Energy, power and what joints transmit, derived and by the engine: two routes to the same
// numbers.
#include "../engine/robots.h"
#include "gen/derive.h"

// Some thousand roundings on either side, on numbers relative to the largest.
#define TIGHT 1e-11

// Joints inside a tree, links of all kinds and a loop; one-sided springs; gravity that changes;
// published damping between two bodies that turn.
static const char transmitting[] =
    "world.g = [0 .2*sin(t) -9.81]; u1 = input('u1', .4);\n"
    "for j = 1:4, body(j).m = 0.5 + j/7; body(j).I = diag([.01 .02 .025]*j); body(j).l_com = [.03 "
    ".02*j -.1]; end\n"
    "joint(1).second = 1; joint(1).type = 'universal'; joint(1).dof(1).spring.coeff = 3;\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [0 .1 -.3]; joint(2).type = "
    "'revolute'; joint(2).axis = [1 1 0]; joint(2).dof(1).damp.visc = .2; joint(2).dof(1).input = "
    "u1;\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr.trans = [.1 0 -.3]; joint(3).type = "
    "'spherical';\n"
    "joint(4).second = 4; joint(4).type = 'free'; joint(4).dof(1).init = .6; joint(4).dof(3).init "
    "= -.4;\n"
    "joint(5).first = 2; joint(5).second = 4; joint(5).tr.trans = [0 .1 0]; joint(5).spring.coeff "
    "= 40; joint(5).spring.init = .2; joint(5).damp.visc = .3; joint(5).damp.along = 1; "
    "joint(5).dir = 1;\n"
    "joint(6).first = 1; joint(6).second = 3; joint(6).tr.trans = [.2 0 0]; joint(6).spring.coeff "
    "= 12; joint(6).spring.init = .1; joint(6).damp.visc = .4; joint(6).damp.along = 0;\n"
    "joint(7).first = 3; joint(7).second = 4; joint(7).spring.coeff = [30 40 50 3 4 5]; "
    "joint(7).spring.init = [0 0 nan 0 0 0]; joint(7).damp.visc = .1*ones(1,6); joint(7).input = "
    "[u1 0 .2 0 .1 0];\n"
    "joint(8).first = 1; joint(8).second = 4; joint(8).fixed = [1 0 0 0 1 0];\n"
    "joint(9).first = 3; joint(9).second = 0; joint(9).tr2nd.trans = [.4 .4 -1]; "
    "joint(9).spring.coeff = -9*sin(t); joint(9).spring.init = .3; joint(9).dir = -1;\n"
    "exload(1).exbody = 3; exload(1).ftau = [.5 .2 u1 .03 .02 .01];\n"
    "for k = [1 2 3 5 6 7 8 9]\n"
    "  sensor(k).name = sprintf('f%d', k); sensor(k).value = force(joint(k));\n"
    "end\n"
    "sensor(4).name = 'e'; sensor(4).value = energy();\n";

static double value_of(const td_derived* d, ex e, const double* x) {
  double y = NAN;
  td_tape* tape = td_tape_new(d->g, &e, 1);
  assert_non_null(tape);
  double* scratch = malloc(((size_t)td_tape_scratch(tape) + 1) * sizeof *scratch);
  td_tape_eval(tape, x, scratch, &y);
  free(scratch);
  td_tape_free(tape);
  return y;
}

static double* values(const robot* r, const td_derived* d) {
  double* x = calloc((size_t)td_exprs_nvar(d->g) + 1, sizeof *x);
  x[d->t] = r->state->t;
  for (int i = 0; i < d->nq; i++) x[d->q[i]] = r->state->q[i];
  for (int i = 0; i < d->nv; i++) {
    x[d->v[i]] = r->state->v[i];
    x[d->a[i]] = td_work_vdot(r->work)[i];
  }
  for (int i = 0; i < d->nu; i++) x[d->u[i]] = r->state->u[i];
  for (int i = 0; i < d->nrow; i++) x[d->lambda[i]] = td_work_lambda(r->work)[i];
  for (int i = 0; i < d->ntarget; i++) x[d->target[i]] = td_targets(r->work)[i];
  return x;
}

// Every sensor, relative to the largest of all.
static void compare_sensors(robot* r, const td_derived* d) {
  double* want = malloc(((size_t)r->ny + 1) * sizeof *want);
  assert_int_equal(td_sensors(r->model, r->state, r->work, want), TD_OK);
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  double *x = values(r, d), scale = 1;
  for (int i = 0; i < d->ny; i++) scale = fmax(scale, fabs(want[i]));
  for (int i = 0; i < d->ny; i++) {
    assert_int_not_equal(d->y[i], EX_NONE);
    check_near_at(value_of(d, d->y[i], x) / scale, want[i] / scale, TIGHT,
                  td_model_sensor_name(r->model, i), "", i);
  }
  free(want);
  free(x);
}

// With the multipliers' share, λ·J v, which the derived power leaves out.
static void compare_power(robot* r, const td_derived* d) {
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  double *x = values(r, d), power = value_of(d, d->power, x);
  for (int i = 0; i < d->nrow; i++)
    for (int k = 0; k < d->nv; k++) {
      power += td_work_lambda(r->work)[i] * value_of(d, d->J[i * d->nv + k], x) * r->state->v[k];
    }
  const double want = td_power_placed(r->model, r->work);
  CHECK_NEAR(power, want, TIGHT * (1 + 10 * fabs(want)));
  free(x);
}

static void each_state(const char* text, void (*test)(robot*, const td_derived*)) {
  robot r = robot_load(text);
  const td_derive_options options = {.size = sizeof(td_derive_options), .power = true};
  td_derived* d = NULL;
  char message[300];
  if (td_derive(r.model, &options, &d, message, sizeof message) != TD_OK) fail_msg("%s", message);
  uint64_t seed = 3;
  for (int trial = 0; trial < 4; trial++) {
    robot_shake(&r, &seed, 0.3);
    test(&r, d);
  }
  td_derived_free(d);
  robot_free(&r);
}

static void test_joints_transmit_what_the_engine_says(void** state) {
  (void)state;
  each_state(transmitting, compare_sensors);
  each_state(robot_given, compare_sensors);
  each_state(robot_links, compare_sensors);
}

static void test_the_power_is_that_of_the_engine(void** state) {
  (void)state;
  const char* const texts[] = {transmitting, robot_pendulum, robot_tree, robot_links,
                               robot_loops,  robot_rods,     robot_rom};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) each_state(texts[i], compare_power);
}

// The effort of given motion is not known before the solution: no power then, and no wrong one.
static void test_given_motion_has_no_power_of_its_own(void** state) {
  (void)state;
  robot r = robot_load(robot_given);
  const td_derive_options options = {.size = sizeof(td_derive_options), .power = true};
  td_derived* d = NULL;
  char message[300];
  assert_int_equal(td_derive(r.model, &options, &d, message, sizeof message), TD_OK);
  assert_int_equal(d->power, EX_NONE);
  td_derived_free(d);
  robot_free(&r);
}

// M v' + h - τ - Jᵀλ at the engine's solution, where published damping acts between turning bodies.
static void compare_motion(robot* r, const td_derived* d) {
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  td_derived* open = (td_derived*)(uintptr_t)d;
  double* x = values(r, d);
  ex* F = malloc(((size_t)d->nv + 1) * sizeof *F);
  assert_true(td_derived_residual(open, F));
  for (int i = 0; i < d->nv; i++) CHECK_NEAR(value_of(d, F[i], x), 0, 100 * TIGHT);
  free(F);
  free(x);
}

static void test_published_damping_acts_at_both_ends(void** state) {
  (void)state;
  each_state(transmitting, compare_motion);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_transmit_what_the_engine_says),
      cmocka_unit_test(test_the_power_is_that_of_the_engine),
      cmocka_unit_test(test_given_motion_has_no_power_of_its_own),
      cmocka_unit_test(test_published_damping_acts_at_both_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
