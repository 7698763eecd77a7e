// Projection of states that hardly left the constraints: onto them, like the projection by Newton's
// method, with corrections of states near by, far away and none.
#include "robots.h"

typedef struct rig {
  robot r;
  td_projector p;
  td_state* other;
  double* d;
} rig;

static rig open_rig(const char* text) {
  rig g = {.r = robot_load(text)};
  const size_t n = (size_t)(g.r.nv * g.r.nrow);
  g.p = (td_projector){
      .accept = 1e-11, .B = calloc(n + 1, sizeof(double)), .J = calloc(n + 1, sizeof(double))};
  g.other = td_state_new(g.r.model);
  g.d = calloc((size_t)g.r.nv + 1, sizeof(double));
  return g;
}

static void close_rig(rig* g) {
  free(g->p.B);
  free(g->p.J);
  free(g->d);
  td_state_free(g->other);
  robot_free(&g->r);
}

// On the constraints somewhere, or not there at all: loops may not close from everywhere.
static bool go_somewhere(rig* g, uint64_t* seed) {
  robot_shake(&g->r, seed, 0.05);
  return td_project(g->r.model, g->r.state, g->r.work, 1e-12, 1e-11) == TD_OK;
}

static void step_off(rig* g, uint64_t* seed, double dq, double dv) {
  td_state* s = g->r.state;
  for (int i = 0; i < g->r.nv; i++) g->d[i] = dq * check_random(seed);
  td_displace(g->r.model, s->q, g->d, s->q);
  for (int i = 0; i < g->r.nv; i++) s->v[i] += dv * check_random(seed);
  td_prescribe(g->r.model, g->r.work, s);
}

static void check_on(rig* g) {
  double e, edot;
  assert_int_equal(td_project_near(g->r.model, g->r.state, g->r.work, &g->p), TD_OK);
  td_constraint_error(g->r.model, g->r.state, g->r.work, &e, &edot);
  CHECK_NEAR(e, 0, 1e-11);
  CHECK_NEAR(edot, 0, 1e-9);
  CHECK_NEAR(g->p.error, e, 1e-11);
  CHECK_NEAR(g->p.rate, edot, 1e-9);
}

// q and v differ by products of small errors: how far off, times how far apart the metrics are
static void small_steps_end_where_newtons_method_does(void** state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    rig g = open_rig(robot_texts[i]);
    if (g.r.nrow > 0 && go_somewhere(&g, &seed)) {
      step_off(&g, &seed, 1e-8, 1e-6);
      td_state_copy(g.r.model, g.r.state, g.other);
      assert_int_equal(td_project(g.r.model, g.other, g.r.work, 1e-13, 1e-11), TD_OK);
      check_on(&g);
      for (int k = 0; k < g.r.nq; k++) CHECK_NEAR(g.r.state->q[k], g.other->q[k], 1e-11);
      for (int k = 0; k < g.r.nv; k++) CHECK_NEAR(g.r.state->v[k], g.other->v[k], 1e-9);
    }
    close_rig(&g);
  }
}

static void corrections_of_elsewhere_serve_or_are_renewed(void** state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    rig g = open_rig(robot_texts[i]);
    for (int k = 0; g.r.nrow > 0 && k < 5; k++) {
      if (!go_somewhere(&g, &seed)) continue;
      step_off(&g, &seed, 1e-8, 1e-6);
      check_on(&g);
    }
    close_rig(&g);
  }
}

static void long_steps_go_through_newtons_method(void** state) {
  (void)state;
  uint64_t seed = 9;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    rig g = open_rig(robot_texts[i]);
    if (g.r.nrow > 0 && go_somewhere(&g, &seed)) {
      step_off(&g, &seed, 1e-4, 1e-2);
      check_on(&g);
    }
    close_rig(&g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_steps_end_where_newtons_method_does),
      cmocka_unit_test(corrections_of_elsewhere_serve_or_are_renewed),
      cmocka_unit_test(long_steps_go_through_newtons_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
