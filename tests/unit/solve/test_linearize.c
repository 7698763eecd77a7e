// The linear model of every kind of robot, in motion, against differences of the exact equations.
#include "../engine/robots.h"
#include "tendril/tendril.h"

enum { MOST = 128 };

// At x = e h from the state: eta' = Z'v' and the outputs, for column `col` of [x, u].
static void rates(robot* r, const td_linear* l, td_state* at, int col, double h, double* out) {
  const int nv = r->nv, k = l->nx / 2;
  double d[MOST], y[MOST];
  td_state_copy(r->model, r->state, at);
  if (col < l->nx) {
    for (int i = 0; i < nv; i++) d[i] = h * l->basis[i * l->nx + col];
    td_displace(r->model, r->state->q, d, at->q);
    for (int i = 0; i < nv; i++) at->v[i] += h * l->basis[(nv + i) * l->nx + col];
  } else {
    at->u[col - l->nx] += h;
  }
  assert_int_equal(td_forward_dynamics(r->model, at, r->work), TD_OK);
  const double* a = td_work_vdot(r->work);
  for (int i = 0; i < k; i++) {
    out[i] = 0;
    for (int j = 0; j < nv; j++) out[i] += l->inverse[(k + i) * 2 * nv + nv + j] * a[j];
  }
  assert_int_equal(td_sensors(r->model, at, r->work, y), TD_OK);
  for (int i = 0; i < l->ny; i++) out[k + i] = y[l->output[i]];
}

// Central differences, two steps: the error is of fourth order.
static void column(robot* r, const td_linear* l, td_state* at, int col, double h, double* out) {
  const int n = l->nx / 2 + l->ny;
  double f[4][2 * MOST];
  for (int i = 0; i < 4; i++) rates(r, l, at, col, h * (i < 2 ? 1 : 0.5) * (i % 2 ? -1 : 1), f[i]);
  for (int i = 0; i < n; i++)
    out[i] = (4 * (f[2][i] - f[3][i]) / h - (f[0][i] - f[1][i]) / (2 * h)) / 3;
}

// Largest differences of the accelerations' and the outputs' slopes, relative to the largest slope.
// What is stiff wants short steps, what rounds more (loops, taut cables, added mass) long ones: of
// each column the best of five counts.
static void errors(robot* r, const td_linear* l, double* error) {
  static const double steps[] = {1e-4, 5e-4, 2e-3, 8e-3, 2e-5};
  td_state* at = td_state_new(r->model);
  const int k = l->nx / 2;
  double size[2] = {1e-3, 1e-3}, want[2 * MOST];
  error[0] = error[1] = 0;
  for (int c = 0; c < l->nx + l->nu; c++) {
    double best[2] = {INFINITY, INFINITY};
    for (int s = 0; s < 5 && fmax(best[0] / size[0], best[1] / size[1]) > 1e-10; s++) {
      double e[2] = {0, 0};
      column(r, l, at, c, steps[s], want);
      for (int i = 0; i < k + l->ny; i++) {
        const double* row = i < k ? l->A + (k + i) * l->nx : l->C + (i - k) * l->nx;
        const double* input = i < k ? l->B + (k + i) * l->nu : l->D + (i - k) * l->nu;
        const double got = c < l->nx ? row[c] : input[c - l->nx];
        e[i >= k] = fmax(e[i >= k], fabs(got - want[i]));
        size[i >= k] = fmax(size[i >= k], fabs(got));
      }
      for (int i = 0; i < 2; i++) best[i] = fmin(best[i], e[i]);
    }
    for (int i = 0; i < 2; i++) error[i] = fmax(error[i], best[i]);
  }
  for (int i = 0; i < 2; i++) error[i] /= size[i];
  td_state_free(at);
}

static void compare(robot* r, const char* name) {
  td_linear* l = NULL;
  assert_int_equal(td_linearize(r->model, r->state, r->work, &l), TD_OK);
  assert_true(r->nv <= MOST && l->ny <= MOST && r->ny <= MOST);
  double best[2];
  errors(r, l, best);
  char text[64];
  snprintf(text, sizeof text, "%s: accelerations against differences", name);
  // states on the constraints are found to 1e-13, which differences over 1e-4 make 1e-9, and stiff
  // rods on taut cables several times that
  CHECK_REACHED(text, best[0], strcmp(name, "taut") == 0 ? 5e-8 : 1e-8);
  snprintf(text, sizeof text, "%s: outputs against differences", name);
  CHECK_REACHED(text, best[1], 1e-8);
  td_linear_free(l);
}

static void test_linear_models_are_those_of_differences(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    robot r = robot_load(robot_texts[i]);
    uint64_t seed = 11;
    robot_shake(&r, &seed, 0.1);
    if (td_project_q(r.model, r.state, r.work, 1e-13) == TD_OK &&
        td_project_v(r.model, r.state, r.work) == TD_OK)
      compare(&r, robot_names[i]);
    robot_free(&r);
  }
}

// At rest quadratic drag is neither damping nor a hole in the equations: A is that of the springs.
static void test_quadratic_drag_at_rest_is_none(void** state) {
  (void)state;
  for (int i = 0; i < DRAG_COUNT; i++) {
    robot r = robot_load(robot_drag[i]);
    td_linear* l = NULL;
    assert_int_equal(td_linearize(r.model, r.state, r.work, &l), TD_OK);
    assert_int_equal(l->nx, 6);
    for (int k = 0; k < 36; k++) {
      const int row = k / 6, col = k % 6;
      const double want = row < 3 ? col == row + 3 : col == row - 3 ? -10 * (col + 1) : 0;
      CHECK_NEAR(l->A[k], want, 1e-14);
    }
    td_linear_free(l);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear_models_are_those_of_differences),
      cmocka_unit_test(test_quadratic_drag_at_rest_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
