// One model shared by threads, each with work and state of its own: every number is the same to the
// last bit as alone.  Things that outlive their model are refused by the next one, also where it
// lies at the same address, and states as far as numbers go do no harm.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tendril/tendril.h"

// A rod and a closed loop: tangents, projections, sparse and dense parts, time and inputs.
static const char both[] =
    "world.g = [0 0 -9.81]; F = input('F', 0.1); m = param('m', 0.4);\n"
    "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).eta = "
    "1e3;\n"
    "rod(1).model = 'ebr'; rod(1).n = 4; rod(1).tr.rot = [2 pi/2];\n"
    "exload(1).exbody = rod(1); exload(1).ftau = [0 F*sin(t) 0];\n"
    "body(1).m = m; body(1).I = 1e-3*eye(3); body(1).l_com = [0 0 -0.2];\n"
    "joint(1).second = 1; joint(1).tr.rot = [2 inf]; joint(1).dof.init = 0.3;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);\n"
    "par.t_final = 0.1; par.dt_out = 0.01;\n";
static const char other[] =
    "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];\n";

static td_model* compiled(const char* text) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_load_string(spec, "robot.m", text);
  if (td_model_compile(spec, &model) != TD_OK) print_error("%s", td_spec_messages(spec));
  td_spec_free(spec);
  return model;
}

// ---- threads ----------------------------------------------------------------------------------

enum { THREADS = 4, ROUNDS = 3, NUMBERS = 4096 };

// What one thread computes: its work and state are its own, the model is not.
typedef struct task {
  const td_model* model;
  double mass;  // parameter of this thread alone
  int n;
  double x[NUMBERS];
  bool failed;
} task;

static void keep(task* t, const double* x, int n) {
  for (int i = 0; i < n && t->n < NUMBERS; i++) t->x[t->n++] = x[i];
}

// Evaluate, find an equilibrium and its modes, simulate; keep the numbers.
static void* analyse(void* user) {
  task* t = user;
  const td_sizes n = td_model_sizes(t->model);
  t->n = 0;
  for (int round = 0; round < ROUNDS; round++) {
    td_work* w = td_work_new(t->model);
    td_state* s = td_state_new(t->model);
    t->failed =
        t->failed || !w || !s ||
        td_work_set_param(t->model, w, td_model_param_find(t->model, "m"), t->mass) != TD_OK ||
        td_state_initial(t->model, w, s) != TD_OK || td_forward_dynamics(t->model, s, w) != TD_OK;
    if (!t->failed) keep(t, td_work_vdot(w), n.nv);

    td_equil_options how = td_equil_options_default();
    td_equil_result report;
    td_state* rest = td_state_new(t->model);
    td_state_copy(t->model, s, rest);
    t->failed = t->failed || td_equilibrium(t->model, w, rest, &how, &report) != TD_OK;
    keep(t, rest->q, n.nq);
    td_modes_result* modes = NULL;
    t->failed = t->failed || td_modes(t->model, rest, w, &modes) != TD_OK;
    td_modes_free(modes);

    td_sim_options options = td_sim_options_default();
    options.t_final = 0.1;
    td_trajectory* run = NULL;
    t->failed = t->failed || td_simulate(t->model, w, s, &options, &run) != TD_OK;
    for (int k = 0; k < td_trajectory_rows(run); k++) keep(t, td_trajectory_q(run, k), n.nq);
    td_trajectory_free(run);
    td_state_free(rest);
    td_state_free(s);
    td_work_free(w);
  }
  return NULL;
}

static void test_threads_share_a_model(void** state) {
  (void)state;
  td_model* model = compiled(both);
  assert_non_null(model);
  task* alone = calloc(THREADS, sizeof *alone);
  task* together = calloc(THREADS, sizeof *together);
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    alone[i].model = together[i].model = model;
    alone[i].mass = together[i].mass = 0.4 + 0.1 * (i / 2);  // two alike, two not
    analyse(&alone[i]);
  }
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, analyse, &together[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);

  for (int i = 0; i < THREADS; i++) {
    assert_false(alone[i].failed || together[i].failed);
    assert_true(alone[i].n > 100);
    assert_int_equal(alone[i].n, together[i].n);
    assert_memory_equal(alone[i].x, together[i].x, sizeof(double) * (size_t)alone[i].n);
  }
  free(alone);
  free(together);
  td_model_free(model);
}

// Threads that load, compile and free models of their own at the same time.
static void* build(void* user) {
  bool* failed = user;
  for (int k = 0; k < 10; k++) {
    td_model* m = compiled(k % 2 ? both : other);
    *failed = *failed || !m;
    td_model_free(m);
  }
  return NULL;
}

static void test_threads_compile_models_of_their_own(void** state) {
  (void)state;
  pthread_t thread[THREADS];
  bool failed[THREADS] = {false};
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, build, &failed[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    assert_false(failed[i]);
  }
}

// ---- what outlives its model ------------------------------------------------------------------

static void test_a_state_is_refused_by_the_model_that_replaces_its_own(void** state) {
  (void)state;
  int same = 0;
  for (int k = 0; k < 20; k++) {
    td_model* first = compiled(both);
    td_state* s = td_state_new(first);
    const void* address = first;
    td_model_free(first);
    td_model* next = compiled(other);  // often at the address of the first
    same += (const void*)next == address;
    td_work* w = td_work_new(next);
    double x[64];
    assert_int_equal(td_forward_dynamics(next, s, w), TD_E_USAGE);
    assert_int_equal(td_state_initial(next, w, s), TD_E_USAGE);
    assert_int_equal(td_sensors(next, s, w, x), TD_E_USAGE);
    td_trajectory* run = NULL;
    td_sim_options options = td_sim_options_default();
    assert_int_equal(td_simulate(next, w, s, &options, &run), TD_E_USAGE);
    assert_null(run);
    td_work_free(w);
    td_state_free(s);
    td_model_free(next);
  }
  print_message("%d of 20 models at the address of the one before\n", same);
}

// ---- states as far as numbers go --------------------------------------------------------------

static void test_states_of_any_size_end(void** state) {
  (void)state;
  static const double sizes[] = {1e-320, 1e10, 1e16, 1e100, 1e154, 1e300, 1.7e308};
  td_model* m = compiled(both);
  const td_sizes n = td_model_sizes(m);
  td_work* w = td_work_new(m);
  td_state* s = td_state_new(m);
  double* x = calloc((size_t)(n.nv * n.nv + n.nq + 64), sizeof *x);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    for (int what = 0; what < 4; what++) {
      td_state_initial(m, w, s);
      for (int i = 0; i < n.nq && what == 0; i++) s->q[i] = i % 2 ? sizes[k] : -sizes[k];
      for (int i = 0; i < n.nv && what == 1; i++) s->v[i] = i % 2 ? sizes[k] : -sizes[k];
      if (what == 2) s->t = sizes[k];
      if (what == 3) s->u[0] = sizes[k];

      // a status and not a crash, and a state that is used again afterwards
      const td_status status = td_forward_dynamics(m, s, w);
      assert_int_not_equal(status, TD_E_USAGE);
      td_mass_matrix(m, s, w, x);
      td_energy(m, s, w);
      td_sensors(m, s, w, x);
      td_sim_options options = td_sim_options_default();
      options.t_final = s->t + 1e-3;
      td_trajectory* run = NULL;
      td_simulate(m, w, s, &options, &run);
      td_trajectory_free(run);
      td_state_initial(m, w, s);
      assert_int_equal(td_forward_dynamics(m, s, w), TD_OK);
    }
  }
  free(x);
  td_state_free(s);
  td_work_free(w);
  td_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads_share_a_model),
      cmocka_unit_test(test_threads_compile_models_of_their_own),
      cmocka_unit_test(test_a_state_is_refused_by_the_model_that_replaces_its_own),
      cmocka_unit_test(test_states_of_any_size_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
