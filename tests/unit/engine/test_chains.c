// Long displacements of rods whose coordinates are positions (td_displace_chains).
#include "check.h"
#include "engine/engine.h"
#include "tendril/tendril.h"

typedef struct rig {
  td_model* model;
  td_work* work;
  td_state* state;
  int nq, nv;
} rig;

static rig rig_new(const char* model) {
  rig r = {0};
  td_spec* spec = td_spec_new();
  td_spec_override(spec, "mdl", model);
  td_spec_load_string(spec, "chains.m",
                      "rod(1).model = param('mdl', 'rom'); rod(1).n = 4; rod(1).length = 1;\n"
                      "rod(1).stiffness = [1e6 1e6 1e6 1 1 1]; rod(1).inertia = ones(1, 6);\n"
                      "rod(1).part(1).length = 0.4; rod(1).part(2).length = 0.6;\n"
                      "rod(1).init = [0 0 0 0.5 -0.8 0.3];\n");
  assert_int_equal(td_model_compile(spec, &r.model), TD_OK);
  td_spec_free(spec);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  r.nq = td_model_sizes(r.model).nq;
  r.nv = td_model_sizes(r.model).nv;
  return r;
}

static void rig_free(rig* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

// Largest difference of both displacements for a step of the given size
static double apart(rig* r, double size) {
  double start[256], dv[256], straight[256], most = 0;
  uint64_t seed = 7;
  assert_true(r->nq <= 256 && td_has_chains(r->model));
  memcpy(start, r->state->q, sizeof(double) * (size_t)r->nq);
  for (int i = 0; i < r->nv; i++) dv[i] = size * check_random(&seed);
  td_displace(r->model, start, dv, straight);
  td_displace_chains(r->model, r->work, r->state, dv);
  for (int i = 0; i < r->nq; i++) most = fmax(most, fabs(r->state->q[i] - straight[i]));
  memcpy(r->state->q, start, sizeof(double) * (size_t)r->nq);
  return most;
}

// Halved steps differ by a quarter: to first order both are the same.
static void test_to_first_order_it_is_the_straight_displacement(void** state) {
  (void)state;
  static const char* const models[] = {"rom", "eba"};
  for (int k = 0; k < 2; k++) {
    rig r = rig_new(models[k]);
    const double whole = apart(&r, 1e-3), half = apart(&r, 5e-4);
    assert_true(whole > 1e-9);
    CHECK_NEAR(whole / half, 4, 0.05);
    rig_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_to_first_order_it_is_the_straight_displacement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
