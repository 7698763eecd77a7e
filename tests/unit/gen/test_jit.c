// Code that is compiled while a simulation runs: it gives the engine's numbers, comes and goes
// without leaving anything behind, and a simulation takes it only when it is right.
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../engine/robots.h"
#include "gen/derive.h"
#include "gen/tcc.h"

// v' has the condition of the mass matrix: rounding times some thousands of the robots here.
#define SOLVED 1e-9

static char directory[300];

static int make_directory(void** state) {
  (void)state;
  return check_directory(directory, sizeof directory) && setenv("TMPDIR", directory, 1) == 0 ? 0
                                                                                             : -1;
}

static int files_left(void) {
  int n = 0;
  DIR* dir = opendir(directory);
  for (struct dirent* e; dir && (e = readdir(dir)) != NULL;) n += e->d_name[0] != '.';
  if (dir) closedir(dir);
  return n;
}

static int remove_directory(void** state) {
  (void)state;
  return rmdir(directory);
}

static const td_code* code_of(const td_jit* jit) {
  const td_code_source* s = td_jit_source(jit);
  return s->latest(s->user);
}

// Only libtcc: the compiler is a program that does nothing but fail.
static td_jit* quick_jit(const robot* r) {
  td_jit* jit = NULL;
  setenv("CC", "false", 1);
  assert_int_equal(td_jit_new(r->model, r->work, &jit), TD_OK);
  td_jit_wait(jit);
  unsetenv("CC");
  return jit;
}

static void compare(robot* r, const td_code* code, const char* name) {
  double* vdot = calloc((size_t)r->nv + 1, sizeof *vdot);
  double power = 0, scale = 1;
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  const double want = td_power_placed(r->model, r->work);
  assert_int_equal(code->forward(code->user, r->state, td_targets(r->work), vdot,
                                 code->has_power ? &power : NULL),
                   0);
  for (int i = 0; i < r->nv; i++) scale = fmax(scale, fabs(td_work_vdot(r->work)[i]));
  for (int i = 0; i < r->nv; i++) {
    check_near_at(vdot[i] / scale, td_work_vdot(r->work)[i] / scale, SOLVED, name, "v'", i);
  }
  if (code->has_power) CHECK_NEAR(power, want, SOLVED * (1 + 10 * fabs(want)));
  free(vdot);
}

static void test_code_of_libtcc_gives_the_engines_numbers(void** state) {
  (void)state;
  if (!td_tcc_built()) skip();
  int compared = 0;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    robot r = robot_load(robot_texts[i]);
    td_jit* jit = quick_jit(&r);
    const td_code* code = code_of(jit);
    if (code) {
      uint64_t seed = 4;
      robot_shake(&r, &seed, 0.3);
      compare(&r, code, robot_names[i]);
      compared++;
    } else {
      assert_non_null(strstr(td_jit_message(jit), "closed form"));
    }
    td_jit_free(jit);
    robot_free(&r);
  }
  assert_true(compared >= 7);
  assert_int_equal(files_left(), 0);
}

static void test_code_of_the_systems_compiler_gives_the_engines_numbers(void** state) {
  (void)state;
  robot r = robot_load(robot_loops);
  td_jit* jit = NULL;
  setenv("CFLAGS", "-O0", 1);
  assert_int_equal(td_jit_new(r.model, r.work, &jit), TD_OK);
  td_jit_wait(jit);
  unsetenv("CFLAGS");
  const td_code* code = code_of(jit);
  if (!code || strcmp(code->maker, "cc") != 0) {
    print_message("no compiler here: %s\n", td_jit_message(jit));
  } else {
    uint64_t seed = 4;
    robot_shake(&r, &seed, 0.3);
    compare(&r, code, "loops");
  }
  td_jit_free(jit);
  robot_free(&r);
  assert_int_equal(files_left(), 0);
}

static void test_parameters_are_those_of_the_work(void** state) {
  (void)state;
  if (!td_tcc_built()) skip();
  robot r = robot_load(robot_links);
  assert_int_equal(td_work_set_param(r.model, r.work, td_model_param_find(r.model, "k"), 71),
                   TD_OK);
  td_jit* jit = quick_jit(&r);
  uint64_t seed = 4;
  robot_shake(&r, &seed, 0.3);
  assert_non_null(code_of(jit));
  compare(&r, code_of(jit), "links");
  td_jit_free(jit);
  robot_free(&r);
}

static double wall_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A compiler that would take ten minutes.
static void test_stopping_ends_the_compiler(void** state) {
  (void)state;
  char script[400];
  snprintf(script, sizeof script, "%s/slow", directory);
  FILE* f = fopen(script, "w");
  assert_non_null(f);
  fputs("#!/bin/sh\nsleep 600\n", f);
  fclose(f);
  chmod(script, 0700);
  setenv("CC", script, 1);
  robot r = robot_load(robot_pendulum);
  td_jit* jit = NULL;
  const double start = wall_time();
  assert_int_equal(td_jit_new(r.model, r.work, &jit), TD_OK);
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);  // it is at work by now, or will be
  td_jit_free(jit);
  assert_true(wall_time() - start < 300);
  unsetenv("CC");
  robot_free(&r);
  unlink(script);
  assert_int_equal(files_left(), 0);
}

// ---- simulations ------------------------------------------------------------------------------

static td_trajectory* simulate(robot* r, td_solver solver, const td_code_source* code) {
  td_sim_options o = td_sim_options_default();
  td_trajectory* out = NULL;
  o.t_final = 0.5;
  o.dt_out = 0.1;
  o.rtol = 1e-9;
  o.atol = 1e-11;
  o.solver = solver;
  o.code = code;
  o.code_always = true;
  assert_int_equal(td_state_initial(r->model, r->work, r->state), TD_OK);
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &out), TD_OK);
  return out;
}

// Largest difference of q and v; rows hold them one after the other.
static double distance(const robot* r, const td_trajectory* a, const td_trajectory* b) {
  double most = 0;
  assert_int_equal(td_trajectory_rows(a), td_trajectory_rows(b));
  for (int row = 0; row < td_trajectory_rows(a); row++)
    for (int i = 0; i < r->nq + r->nv; i++) {
      most = fmax(most, fabs(td_trajectory_q(a, row)[i] - td_trajectory_q(b, row)[i]));
    }
  return most;
}

// Code that is always used makes the same bits every time, and the engine's motion to the tolerance
// of the solver, whose steps it may change in their last digits.
static void test_a_simulation_with_code_repeats_itself_and_agrees(void** state) {
  (void)state;
  if (!td_tcc_built()) skip();
  robot r = robot_load(robot_loops);
  td_jit* jit = quick_jit(&r);
  for (int k = 0; k < 2; k++) {
    const td_solver solver = k ? TD_SOLVER_STIFF : TD_SOLVER_EXPLICIT;
    td_trajectory *plain = simulate(&r, solver, NULL),
                  *first = simulate(&r, solver, td_jit_source(jit)),
                  *again = simulate(&r, solver, td_jit_source(jit));
    assert_non_null(strstr(td_trajectory_stats(first)->code, "tcc from t = 0 s"));
    assert_string_equal(td_trajectory_stats(plain)->code, "");
    assert_true(distance(&r, first, again) == 0);
    CHECK_NEAR(distance(&r, first, plain), 0, k ? 1e-5 : 1e-6);
    CHECK_NEAR(td_trajectory_stats(first)->energy_error, 0, 1e-5);
    td_trajectory_free(plain);
    td_trajectory_free(first);
    td_trajectory_free(again);
  }
  td_jit_free(jit);
  robot_free(&r);
}

// Impacts, jumps of speed and turns beyond 180 degrees with derived code: closed forms.  A brake of
// 40 mm leaves v = √0.6; a mass on a one-sided link keeps its energy; the pendulum on a base that
// constraints set in motion at 0.5 s turns with 10.73696 rad/s at 0.8 s (see test_jump); a spin
// of 2 rad/s about y has turned by 8 rad after 4 s.
static void test_code_meets_impacts_and_jumps(void** state) {
  (void)state;
  if (!td_tcc_built()) skip();
  const struct {
    const char* text;
    double t_final, want;
    int q, v;  // which number, -1: none
  } cases[] = {
      {"body(1).m = 0.2; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
       "joint(1).dof(1).rate = 1; exload(1).exbody = 1;"
       "exload(1).ftau = [-ifelse(abs(pos(body(1))(1) - 1) < 0.02, 1, 0) 0 0];",
       15, sqrt(0.6), -1, 0},
      {"world.g = [0 0 -9.81]; body(1).m = 0.5; body(1).I = 1e-4*eye(3); joint(1).second = 1;"
       "joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init = 0.3; joint(2).second = 1;"
       "joint(2).tr.trans = [0 0 -1]; joint(2).spring.coeff = 1e5; joint(2).spring.init = 1;"
       "joint(2).dir = -1;",
       10, 0, -1, -1},
      {"body(1).m = 1; body(1).I = 0.01*eye(3); joint(1).second = 1;"
       "joint(1).tr(1).trans = [inf 0 0]; body(2).m = 0.5; body(2).I = 0.001*eye(3);"
       "body(2).l_com = [0.1 0 0]; joint(2).first = 1; joint(2).second = 2;"
       "joint(2).tr(1).rot = [3 inf]; joint(2).dof.init = 0.7; joint(3).second = 1;"
       "joint(3).fixed = [1 0 0]; joint(3).motion = [2*ramp(t, 0.5, 1.5) 0 0];",
       0.8, 10.73696, -1, 1},
      {"body(1).m = 1; body(1).I = eye(3); joint(1).second = 1;"
       "joint(1).tr(1).rot = [0 inf inf inf]; joint(1).dof(2).rate = 1;",
       4, sin(4), 2, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    robot r = robot_load(cases[i].text);
    td_jit* jit = quick_jit(&r);
    td_sim_options o = td_sim_options_default();
    td_trajectory* out = NULL;
    o.t_final = o.dt_out = cases[i].t_final;
    o.rtol = 1e-8;
    o.atol = 1e-10;
    o.solver = TD_SOLVER_EXPLICIT;
    o.code = td_jit_source(jit);
    o.code_always = true;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &out), TD_OK);
    assert_non_null(strstr(td_trajectory_stats(out)->code, "tcc from t = 0 s"));
    CHECK_NEAR(td_trajectory_stats(out)->energy_error, 0, 1e-5);
    if (cases[i].q >= 0) CHECK_NEAR(r.state->q[cases[i].q], cases[i].want, 1e-5);
    if (cases[i].v >= 0) CHECK_NEAR(r.state->v[cases[i].v], cases[i].want, 1e-5);
    td_trajectory_free(out);
    td_jit_free(jit);
    robot_free(&r);
  }
}

static int wrong(void* user, const td_state* s, const double* targets, double* vdot,
                 double* power) {
  (void)targets, (void)s;
  const robot* r = user;
  for (int i = 0; i < r->nv; i++) vdot[i] = 1e3;
  if (power) *power = 0;
  return 0;
}
static int unable(void* user, const td_state* s, const double* targets, double* vdot,
                  double* power) {
  (void)user, (void)targets, (void)s, (void)vdot, (void)power;
  return 1;
}
static const td_code* this_one(void* user) { return user; }

static void test_code_that_is_wrong_is_not_used(void** state) {
  (void)state;
  robot r = robot_load(robot_pendulum);
  td_code code = {"liar", &r, wrong, true};
  const td_code_source source = {&code, this_one};
  td_trajectory *plain = simulate(&r, TD_SOLVER_EXPLICIT, NULL),
                *with = simulate(&r, TD_SOLVER_EXPLICIT, &source);
  assert_non_null(strstr(td_trajectory_stats(with)->code, "liar not used: differs"));
  assert_true(distance(&r, plain, with) == 0);
  td_trajectory_free(plain);
  td_trajectory_free(with);
  robot_free(&r);
}

static void test_where_code_has_no_answer_the_engine_gives_it(void** state) {
  (void)state;
  robot r = robot_load(robot_pendulum);
  td_code code = {"mute", &r, unable, true};
  const td_code_source source = {&code, this_one};
  td_trajectory *plain = simulate(&r, TD_SOLVER_STIFF, NULL),
                *with = simulate(&r, TD_SOLVER_STIFF, &source);
  assert_true(distance(&r, plain, with) == 0);
  td_trajectory_free(plain);
  td_trajectory_free(with);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_code_of_libtcc_gives_the_engines_numbers),
      cmocka_unit_test(test_code_of_the_systems_compiler_gives_the_engines_numbers),
      cmocka_unit_test(test_parameters_are_those_of_the_work),
      cmocka_unit_test(test_stopping_ends_the_compiler),
      cmocka_unit_test(test_a_simulation_with_code_repeats_itself_and_agrees),
      cmocka_unit_test(test_code_meets_impacts_and_jumps),
      cmocka_unit_test(test_code_that_is_wrong_is_not_used),
      cmocka_unit_test(test_where_code_has_no_answer_the_engine_gives_it),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
