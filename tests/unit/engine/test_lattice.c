// Plain networks from compact arrays against the engine: the same v', power and q', and the engine
// wherever a model has more than nodes and links.
#include "engine/lattice.h"

#include "nets.h"

// Bodies about their centres of mass with beams, hung on the ground; ropes across.
static const char beams_and_ropes[] =
    "world.g = [0 1 -9.81]; stiff = param('stiff', 40); n = 3; a = .1; k = 0; j = 0;\n"
    "for y = 1:n, for x = 1:n\n"
    "  k = k + 1; body(k).m = .02*k; body(k).I = 1e-5*[1 .1 0; .1 2 .2; 0 .2 2.5];\n"
    "  j = j + 1; joint(j).second = k; joint(j).type = 'free'; joint(j).dof(1).init = a*x;\n"
    "  joint(j).dof(2).init = a*y;\n"
    "end, end\n"
    "for y = 1:n, for x = 1:n\n"
    "  j = j + 1; joint(j).second = x + n*(y-1); joint(j).spring.coeff = [30 stiff 50 .03 .04 "
    ".05];\n"
    "  joint(j).spring.init = nan*ones(1,6); joint(j).damp.visc = [.1 .2 .3 .01 .01 .01];\n"
    "  if x > 1, joint(j).first = x - 1 + n*(y-1); joint(j).xaxis = [0 0 1];\n"
    "  else, joint(j).tr.trans = [0 a*y 0]; end\n"
    "end, end\n"
    "for y = 2:n, for x = 1:n\n"
    "  j = j + 1; joint(j).first = x + n*(y-2); joint(j).second = x + n*(y-1);\n"
    "  joint(j).spring.coeff = stiff; joint(j).spring.init = .9*a; joint(j).dir = 1;\n"
    "  joint(j).damp.visc = .05; joint(j).damp.pow = 2;\n"
    "end, end\n";

// Points with springs and dampers along their translations; one is shaken, one is held where it is,
// two keep their distance along two directions.
static const char more_ties[] =
    "for k = 1:n*n, joint(k).dof(2).damp.visc = .03; joint(k).dof(3).damp.visc = .01*k;\n"
    "  joint(k).dof(3).damp.pow = 2; joint(k).dof(1).spring.coeff = 5; end\n"
    "joint(j+1).second = 16; joint(j+1).fixed = [0 0 1]; joint(j+1).motion = [0 0 .01*sin(20*t)];\n"
    "joint(j+2).second = 13; joint(j+2).fixed = [1 1 1]; joint(j+2).tr.rot = [1 .3];\n"
    "joint(j+3).first = 6; joint(j+3).second = 16; joint(j+3).fixed = [1 0 1];\n";

static robot load_sparse(const char* text) {
  char* whole = malloc(strlen(text) + 64);
  sprintf(whole, "%spar.linear = 'sparse';\n", text);
  const robot r = robot_load(whole);
  free(whole);
  return r;
}

// 1e-11 of the largest: sums of a dozen terms that cancel to a hundredth
static void same(const double* got, const double* want, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(want[i]));
  for (int i = 0; i < n; i++) CHECK_NEAR(got[i], want[i], 1e-11 * size);
}

static void agrees_with_the_engine(robot* r, td_lattice* s, uint64_t* seed) {
  double power, *x = calloc((size_t)r->nv + 1, sizeof(double));
  for (int k = 0; k < 10; k++) {
    robot_shake(r, seed, 0.1);
    assert_true(td_lattice_forward(s, r->state, r->work, x, &power));
    assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
    same(x, td_work_vdot(r->work), r->nv);
    const double engine = td_power_placed(r->model, r->work);
    same(&power, &engine, 1);
  }
  free(x);
}

static void a_net_moves_as_the_engine_says(void** state) {
  (void)state;
  const char* const texts[] = {net_points, beams_and_ropes};
  for (int i = 0; i < 2; i++) {
    robot r = load_sparse(texts[i]);
    uint64_t seed = 3;
    td_lattice* s = td_lattice_new(r.model);
    assert_non_null(s);
    agrees_with_the_engine(&r, s, &seed);
    td_lattice_free(s);
    robot_free(&r);
  }
}

static robot load_tied(const char* more) {
  char* text = malloc(strlen(net_points) + strlen(more_ties) + strlen(more) + 1);
  sprintf(text, "%s%s%s", net_points, more_ties, more);
  const robot r = load_sparse(text);
  free(text);
  return r;
}

static void nodes_that_are_held_or_driven_move_as_the_engine_says(void** state) {
  (void)state;
  robot r = load_tied("");
  uint64_t seed = 11;
  td_lattice* s = td_lattice_new(r.model);
  double *vdot = calloc((size_t)r.nv, sizeof(double)), lambda[6];
  assert_non_null(s);
  agrees_with_the_engine(&r, s, &seed);
  assert_true(td_lattice_forward(s, r.state, r.work, vdot, NULL));
  memcpy(lambda, td_work_lambda(r.work), sizeof lambda);
  assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
  same(lambda, td_work_lambda(r.work), 6);
  free(vdot);
  td_lattice_free(s);
  robot_free(&r);
}

static void they_are_put_onto_their_constraints_as_by_the_engine(void** state) {
  (void)state;
  robot r = load_tied("");
  uint64_t seed = 13;
  td_lattice* s = td_lattice_new(r.model);
  td_state* put = td_state_new(r.model);
  double e[2], edot[2];
  for (int k = 0; k < 10; k++) {
    robot_shake(&r, &seed, 0.1);
    td_state_copy(r.model, r.state, put);
    assert_true(td_lattice_error(s, put, r.work, &e[0], &edot[0]));
    td_constraint_error(r.model, put, r.work, &e[1], &edot[1]);
    same(e, e + 1, 1);
    same(edot, edot + 1, 1);
    assert_true(td_lattice_project(s, put, r.work));
    assert_int_equal(td_project(r.model, r.state, r.work, 1e-13, 1e-13), TD_OK);
    same(put->q, r.state->q, r.nq);
    same(put->v, r.state->v, r.nv);
  }
  td_state_free(put);
  td_lattice_free(s);
  robot_free(&r);
}

// one more row that says what others say already
static void rows_that_depend_on_each_other_are_left_to_the_engine(void** state) {
  (void)state;
  robot r = load_tied(
      "joint(j+4).second = 6; joint(j+4).fixed = [0 0 1]; joint(j+4).motion = "
      "[0 0 .01*sin(20*t)];\n");
  td_lattice* s = td_lattice_new(r.model);
  double* vdot = calloc((size_t)r.nv, sizeof(double));
  assert_non_null(s);
  assert_false(td_lattice_forward(s, r.state, r.work, vdot, NULL));
  assert_false(td_lattice_project(s, r.state, r.work));
  free(vdot);
  td_lattice_free(s);
  robot_free(&r);
}

static void rates_of_positions_are_those_of_the_engine(void** state) {
  (void)state;
  robot r = load_sparse(beams_and_ropes);
  uint64_t seed = 5;
  td_lattice* s = td_lattice_new(r.model);
  double* got = calloc(2 * (size_t)r.nq, sizeof(double));
  robot_shake(&r, &seed, 0.1);
  td_lattice_drift(s, r.state->q, r.state->v, got);
  td_qdot(r.model, r.state->q, r.state->v, got + r.nq);
  for (int i = 0; i < r.nq; i++) CHECK_NEAR(got[i], got[r.nq + i], 1e-15);
  free(got);
  td_lattice_free(s);
  robot_free(&r);
}

static void a_parameter_that_is_set_counts_from_then_on(void** state) {
  (void)state;
  robot r = load_sparse(beams_and_ropes);
  uint64_t seed = 7;
  td_lattice* s = td_lattice_new(r.model);
  agrees_with_the_engine(&r, s, &seed);
  assert_int_equal(td_work_set_param(r.model, r.work, 0, 90), TD_OK);
  td_energy(r.model, r.state, r.work);  // the engine takes note first
  agrees_with_the_engine(&r, s, &seed);
  td_lattice_free(s);
  robot_free(&r);
}

// loads, live numbers, centres of mass aside, arms, rods, constraints of what turns
static void anything_else_is_left_to_the_engine(void** state) {
  (void)state;
  for (int i = 1; i < NET_COUNT; i++) {
    robot r = load_sparse(net_texts[i]);
    assert_null(td_lattice_new(r.model));
    robot_free(&r);
  }
  robot r = load_sparse(net_points);
  td_lattice* s = td_lattice_new(r.model);
  double* vdot = calloc((size_t)r.nv, sizeof(double));
  r.work->pull.on = true;
  assert_false(td_lattice_forward(s, r.state, r.work, vdot, NULL));
  free(vdot);
  td_lattice_free(s);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_net_moves_as_the_engine_says),
      cmocka_unit_test(nodes_that_are_held_or_driven_move_as_the_engine_says),
      cmocka_unit_test(they_are_put_onto_their_constraints_as_by_the_engine),
      cmocka_unit_test(rows_that_depend_on_each_other_are_left_to_the_engine),
      cmocka_unit_test(rates_of_positions_are_those_of_the_engine),
      cmocka_unit_test(a_parameter_that_is_set_counts_from_then_on),
      cmocka_unit_test(anything_else_is_left_to_the_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
