// Rows of cables that cannot be stretched: their rates, accelerations and the derivatives of these,
// for every model of rods and for straight spans.
#include "engine/taut.h"
#include "robots.h"

#define ROD                                                                                       \
  "world.g = [.3 0 -9.81]; rod(1).length = .3; rod(1).radius = .015; rod(1).E = 1e5; rod(1).rho " \
  "= 1000; rod(1).eta = 300; rod(1).n = 3; cable(1).path = .01*[cos(9*s) sin(9*s) + s]; "         \
  "cable(1).from = .04; cable(1).to = .27; cable(1).pull = .01*t^3;\n"

#define OVER                                                                                   \
  "world.g = [.3 0 -9.81]; for k = 1:2, rod(k).length = .2; rod(k).radius = .015; rod(k).E = " \
  "1e5; "                                                                                      \
  "rod(k).rho = 1000; rod(k).eta = 300; rod(k).n = 2; end\n"                                   \
  "rod(1).model = 'ebr'; rod(2).first = rod(1); cable(1).rod = [1 2]; cable(1).path = [.01 "   \
  ".004]; cable(1).pull = .01*t^3;\n"

static const char* const texts[] = {
    ROD "rod(1).model = 'srl';\n", ROD "rod(1).model = 'ebr';\n", ROD "rod(1).model = 'eba';\n",
    ROD "rod(1).model = 'rom';\n", ROD "rod(1).model = 'gvs'; rod(1).order = [-1 0 1 2 1 1];\n",
    "world.g = [0 0 -10]; for k = 1:2, body(k).m = k; body(k).I = diag([.1 .2 .25]); "
    "joint(k).second = k; joint(k).type = 'free'; joint(k).tr.trans = [k 0 0]; end\n"
    "cable(1).via = {0, 1, 2}; cable(1).points = [0 1 1; .1 .2 .3; 0 0 .2]; cable(1).pull = "
    ".01*t^3;\n",
    OVER "rod(2).joint.type = 'revolute'; rod(2).joint.axis = [.3 1 .2];\n",
    OVER "rod(2).joint.type = 'free';\n",
    OVER "rod(2).tr.trans = [0 0 .04]; rod(2).joint.type = 'free';\n",
    OVER "rod(2).tr.trans = [.05 0 .01]; rod(2).joint.type = 'universal';\n",
    // ends that have passed each other
    OVER "rod(2).tr.trans = [0 0 .04]; rod(2).joint.type = 'free';\n"};
static const char* const names[] = {"srl",   "ebr",   "eba",   "rom",   "gvs", "spans",
                                    "hinge", "joint", "chord", "aside", "back"};
enum { MODELS = 11, BACK = 10 };

static double random_vector(double* x, int n, uint64_t* seed) {
  for (int i = 0; i < n; i++) x[i] = check_random(seed);
  return n > 0 ? x[0] : 0;
}

static robot shaken(int k, uint64_t* seed) {
  robot r = robot_load(texts[k]);
  robot_shake(&r, seed, 0.3);
  if (k == BACK) {
    r.state->q[0] += 0.3;
    r.state->q[2] -= 0.3;
  }
  td_taut_all(r.model, r.work, true);  // here they also push: rows and tangents are of any sign
  return r;
}

static row_value row_of(robot* r, const double* a) {
  td_enter(r->model, r->state, r->work);
  td_accelerate(r->model, r->work, a, false);
  return td_row_at(r->model, r->work, 0);
}

// Sixth-order central differences, as in test_tangent.c.
static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

// q moves for a time h with v + a h/2, v changes by a h: the curve with these rates at h = 0, where
// the chart is curved up to terms of second order that td_displace leaves out of the velocity.
static void test_rates_are_those_along_the_motion(void** state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    uint64_t seed = 5;
    robot r = shaken(k, &seed);
    const size_t n = (size_t)r.nv;
    double *a = malloc(n * sizeof(double)), *q = malloc((size_t)r.nq * sizeof(double)),
           *qdot = malloc((size_t)r.nq * sizeof(double)), *v = malloc(n * sizeof(double));
    random_vector(a, r.nv, &seed);
    const row_value at = row_of(&r, a);
    double rate = 0, acceleration = 0;
    const double h = 1e-4;
    memcpy(q, r.state->q, (size_t)r.nq * sizeof(double));
    memcpy(v, r.state->v, n * sizeof(double));
    td_qdot(r.model, q, v, qdot);
    for (int s = 1; s <= 3; s++)
      for (int sign = -1; sign <= 1; sign += 2) {
        const double w = sign * weight[s - 1] / h;
        for (int i = 0; i < r.nq; i++) r.state->q[i] = q[i] + sign * s * h * qdot[i];
        td_normalise(r.model, r.state->q);
        for (int i = 0; i < r.nv; i++) r.state->v[i] = v[i] + sign * s * h * a[i];
        const row_value there = row_of(&r, a);
        rate += w * there.e;
        acceleration += w * there.ed;
      }
    CHECK_NEAR(at.ed, rate, 1e-9);
    CHECK_REACHED(names[k], fabs(at.edd - acceleration) / (1 + fabs(acceleration)), 1e-8);
    free(a);
    free(q);
    free(qdot);
    free(v);
    robot_free(&r);
  }
}

static void compare_tangent(robot* r, const char* name, uint64_t* seed) {
  const size_t n = (size_t)r->nv;
  double *a = malloc(n * sizeof(double)), *dq = malloc(n * sizeof(double)),
         *dv = malloc(n * sizeof(double)), *d = calloc(n, sizeof(double));
  double error = 0, scale = 1e-3;
  td_state* base = td_state_new(r->model);
  random_vector(a, r->nv, seed);
  td_constraint_tangent(r->model, r->state, r->work, a, dq, dv);
  td_state_copy(r->model, r->state, base);
  for (int k = 0; k < r->nv; k++)
    for (int rate = 0; rate < 2; rate++) {
      double sum = 0;
      const double h = rate ? 1e-3 : 5e-4;
      for (int s = 1; s <= 3; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
          td_state_copy(r->model, base, r->state);
          d[k] = sign * s * h;
          if (rate) r->state->v[k] += d[k];
          if (!rate) td_displace(r->model, base->q, d, r->state->q);
          d[k] = 0;
          sum += sign * weight[s - 1] / h * row_of(r, a).edd;
        }
      error = fmax(error, fabs((rate ? dv : dq)[k] - sum));
      scale = fmax(scale, fabs(sum));
    }
  CHECK_REACHED(name, error / scale, 1e-8);
  td_state_free(base);
  free(a);
  free(dq);
  free(dv);
  free(d);
}

static void test_tangents_of_the_accelerations_are_exact(void** state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    uint64_t seed = 5;
    robot r = shaken(k, &seed);
    compare_tangent(&r, names[k], &seed);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_are_those_along_the_motion),
      cmocka_unit_test(test_tangents_of_the_accelerations_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
