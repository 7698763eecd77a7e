// Which trees are solved as a trunk with branches, and that it makes no difference to the motion.
#include "model/model.h"
#include "robots.h"

enum { SHAKES = 3 };

static int branches(const robot* r) {
  return r->model->narrow_x_at > 0 ? r->model->narrow_x_at - 2 : 0;
}

// v' and multipliers with the branches and, their plan thrown away, of the whole system: both are
// some thousand products of numbers within 1e4 of each other.
static void compare(robot* r) {
  const size_t n = (size_t)(r->nv + r->nrow);
  double* x = malloc(n * sizeof(double));
  const int planned = r->model->narrow_x_at;
  uint64_t seed = 9;
  for (int k = 0; k < SHAKES; k++) {
    robot_shake(r, &seed, 0.3);
    assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
    memcpy(x, td_work_vdot(r->work), (size_t)r->nv * sizeof(double));
    memcpy(x + r->nv, td_work_lambda(r->work), (size_t)r->nrow * sizeof(double));
    const td_flags flags = td_work_flags(r->work);
    r->model->narrow_x_at = 0;
    assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
    r->model->narrow_x_at = planned;
    assert_int_equal(flags.constraint_rank, td_work_flags(r->work).constraint_rank);
    assert_int_equal(flags.lambda_not_unique, td_work_flags(r->work).lambda_not_unique);
    double most = 1;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    for (int i = 0; i < r->nv; i++) CHECK_NEAR(x[i], td_work_vdot(r->work)[i], 1e-10 * most);
    for (int i = 0; i < r->nrow; i++)
      CHECK_NEAR(x[r->nv + i], td_work_lambda(r->work)[i], 1e-10 * most);
  }
  free(x);
}

static void a_platform_on_three_rods_has_two_branches(void** state) {
  (void)state;
  robot r = robot_load(robot_platform);
  assert_int_equal(branches(&r), 2);
  // the rod that carries the platform and the spherical joint; a branch has 7 + 2 + 1
  assert_int_equal(r.model->arrow_x_at[1], 10);
  for (int b = 1; b <= 2; b++) {
    assert_int_equal(r.model->arrow_x_at[b + 1] - r.model->arrow_x_at[b], 10);
    assert_int_equal(r.model->arrow_row_at[b + 1] - r.model->arrow_row_at[b], 5);
  }
  compare(&r);
  robot_free(&r);
}

// Arms of bodies on a floating one, five links each.
static const char star[] =
    "world.g = [0 0 -9.81]; body(1).m = 3; body(1).I = eye(3); joint(1).second = 1; "
    "joint(1).type = 'free';\n"
    "for k = 2:%d, body(k).m = .5; body(k).I = .01*eye(3); body(k).l_com = [0 .03 -.2];\n"
    "  joint(k).first = k - 1; if mod(k, 5) == 2, joint(k).first = 1; joint(k).tr(1).rot = [3 k]; "
    "end\n"
    "  joint(k).second = k; joint(k).tr(2).rot = [1 + mod(k, 2) inf]; joint(k).tr(2).trans = [.1 0 "
    "-.3];\n"
    "  joint(k).dof.init = .1*k;\n"
    "end\n"
    "%s\n";

static robot star_robot(int bodies, const char* more) {
  char text[2000];
  snprintf(text, sizeof text, star, bodies, more);
  return robot_load(text);
}

// Without rows such a tree goes through the recursion.
static void arms_that_close_loops_are_branches(void** state) {
  (void)state;
  robot r = star_robot(21,
                       "joint(22).first = 6; joint(22).second = 0; joint(22).fixed = [1 1 1 0 "
                       "0 0];");
  assert_int_equal(r.nrow, 3);
  assert_int_equal(branches(&r), 4);
  assert_int_equal(r.model->arrow_x_at[1], 6);
  compare(&r);
  robot_free(&r);
}

static void arms_that_are_tied_are_one_branch(void** state) {
  (void)state;
  robot r = star_robot(21,
                       "joint(22).first = 6; joint(22).second = 11; joint(22).fixed = [1 1 1 0 "
                       "0 0];");
  assert_int_equal(branches(&r), 3);
  assert_int_equal(r.model->arrow_x_at[1], 6);
  assert_int_equal(r.model->arrow_x_at[2] - r.model->arrow_x_at[1], 10);
  compare(&r);
  robot_free(&r);
}

// An arm with more rows than joints cannot meet them: it is left to the trunk.
static void an_arm_with_too_many_rows_is_no_branch(void** state) {
  (void)state;
  robot r = star_robot(21,
                       "joint(22).first = 6; joint(22).second = 0; joint(22).fixed = ones(1, "
                       "6);");
  assert_int_equal(branches(&r), 3);
  assert_int_equal(r.model->arrow_x_at[1], 11);
  assert_int_equal(r.model->arrow_row_at[1], 6);
  compare(&r);
  robot_free(&r);
}

// Joints of two arms that move together belong to the trunk, wherever they are.
static void shared_coordinates_are_part_of_the_trunk(void** state) {
  (void)state;
  robot r = star_robot(21,
                       "joint(12).dof(1).equal2 = [4 1]; joint(22).first = 21; "
                       "joint(22).second = 0; joint(22).fixed = [1 1 1 0 0 0];");
  assert_int_equal(r.nv, 25);
  assert_int_equal(branches(&r), 4);
  assert_int_equal(r.model->arrow_x_at[1], 7);
  compare(&r);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_platform_on_three_rods_has_two_branches),
      cmocka_unit_test(arms_that_close_loops_are_branches),
      cmocka_unit_test(arms_that_are_tied_are_one_branch),
      cmocka_unit_test(an_arm_with_too_many_rows_is_no_branch),
      cmocka_unit_test(shared_coordinates_are_part_of_the_trunk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
