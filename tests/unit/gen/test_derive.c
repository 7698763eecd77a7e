// Derived equations against the engine: two independent routes to the same numbers, at random
// states of robots that use every element.
#include <dirent.h>

#include "../engine/robots.h"
#include "gen/derive.h"

// Some thousand roundings on either side, on numbers relative to the largest of each array.
#define TIGHT 1e-11

static td_derived* derived_of(const robot* r) {
  td_derived* d = NULL;
  char message[300];
  if (td_derive(r->model, NULL, &d, message, sizeof message) != TD_OK) {
    print_error("%s\n", message);
    fail();
  }
  return d;
}

// ---- values -----------------------------------------------------------------------------------

static double* state_values(const robot* r, const td_derived* d, const double* a,
                            const double* lambda) {
  double* x = calloc((size_t)td_exprs_nvar(d->g) + 1, sizeof *x);
  x[d->t] = r->state->t;
  for (int i = 0; i < d->nq; i++) x[d->q[i]] = r->state->q[i];
  for (int i = 0; i < d->nv; i++) {
    x[d->v[i]] = r->state->v[i];
    x[d->a[i]] = a ? a[i] : 0;
  }
  for (int i = 0; i < d->nu; i++) x[d->u[i]] = r->state->u[i];
  for (int i = 0; i < d->nrow; i++) x[d->lambda[i]] = lambda ? lambda[i] : 0;
  for (int i = 0; i < d->ntarget; i++) x[d->target[i]] = td_targets(r->work)[i];
  for (int i = 0; i < d->np; i++) x[d->p[i]] = td_work_param(r->model, r->work, d->param[i]);
  return x;
}

static double* evaluate(const td_derived* d, const ex* e, int n, const double* x) {
  double* out = calloc((size_t)n + 1, sizeof *out);
  td_tape* tape = td_tape_new(d->g, e, n);
  assert_non_null(tape);
  double* scratch = malloc(((size_t)td_tape_scratch(tape) + 1) * sizeof *scratch);
  td_tape_eval(tape, x, scratch, out);
  free(scratch);
  td_tape_free(tape);
  return out;
}

// Relative to the largest; below 1e-4 absolutely.
static double deviation(const double* got, const double* want, int n) {
  double error = 0, scale = 1e-4;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    if (isnan(got[i])) error = INFINITY;
    scale = fmax(scale, fabs(want[i]));
  }
  return n > 0 ? error / scale : 0;
}

static void report(const char* name, const char* what, double error) {
  char text[80];
  snprintf(text, sizeof text, "%s %s", name, what);
  CHECK_REACHED(text, error, TIGHT);
}

static void compare(const td_derived* d, const ex* e, int n, const double* x, const double* want,
                    const char* name, const char* what) {
  double* got = evaluate(d, e, n, x);
  report(name, what, deviation(got, want, n));
  free(got);
}

// ---- the robots -------------------------------------------------------------------------------

static void compare_equations(robot* r, td_derived* d, const char* name) {
  const int nv = d->nv, nr = d->nrow;
  const size_t n = (size_t)nv, rows = (size_t)nr;
  double* x = state_values(r, d, NULL, NULL);
  double *want = malloc((n * n + 1) * sizeof *want), *tau = malloc((n + 1) * sizeof *tau);
  ex* M = malloc((n * n + 1) * sizeof *M);

  assert_true(td_derived_mass(d, M));
  td_mass_matrix(r->model, r->state, r->work, want);
  compare(d, M, nv * nv, x, want, name, "M");

  td_bias(r->model, r->state, r->work, want, tau);
  compare(d, d->h, nv, x, want, name, "h");
  compare(d, d->tau, nv, x, tau, name, "tau");

  double *J = malloc((rows * n + 1) * sizeof *J), *e = malloc((rows + 1) * sizeof *e),
         *ed = malloc((rows + 1) * sizeof *ed);
  td_constraints(r->model, r->state, r->work, J, e, ed);
  compare(d, d->J, nr * nv, x, J, name, "J");
  // errors of closed loops are near zero: compare with the size of the robot
  double *mine = evaluate(d, d->e, nr, x), *mined = evaluate(d, d->edot, nr, x);
  for (int i = 0; i < nr; i++) {
    CHECK_NEAR(mine[i], e[i], TIGHT);
    CHECK_NEAR(mined[i], ed[i], TIGHT);
  }
  td_qdot(r->model, r->state->q, r->state->v, want);
  compare(d, d->qdot, d->nq, x, want, name, "q'");
  free(mine);
  free(mined);
  free(J);
  free(e);
  free(ed);
  free(M);
  free(want);
  free(tau);
  free(x);
}

// M v' + h = τ + Jᵀλ and J v' + γ = 0 at the engine's v' and λ: residuals relative to their terms.
static void compare_motion(robot* r, td_derived* d, const char* name) {
  const int nv = d->nv;
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  double* x = state_values(r, d, td_work_vdot(r->work), td_work_lambda(r->work));
  ex* F = malloc(((size_t)nv + 1) * sizeof *F);
  assert_true(td_derived_residual(d, F));
  double *left = evaluate(d, F, nv, x), *h = evaluate(d, d->h, nv, x),
         *tau = evaluate(d, d->tau, nv, x);
  double error = 0, scale = 1e-300;
  const int* free_v;
  const int nfree = td_free_v(r->model, &free_v);
  for (int i = 0; i < nfree; i++) error = fmax(error, fabs(left[free_v[i]]));
  for (int i = 0; i < nv; i++) scale = fmax(scale, fmax(fabs(h[i]), fabs(tau[i])));
  report(name, "v'", error / scale);

  double *J = evaluate(d, d->J, d->nrow * nv, x), *gamma = evaluate(d, d->gamma, d->nrow, x);
  for (int i = 0; i < d->nrow; i++) {
    double sum = gamma[i], size = 1;
    for (int k = 0; k < nv; k++) {
      sum += J[i * nv + k] * td_work_vdot(r->work)[k];
      size += fabs(J[i * nv + k] * td_work_vdot(r->work)[k]);
    }
    // accelerations by sparse factors: light nodes with strong dampers beside a heavy arm (the
    // sleeve: 1e9 apart) leave 1e-10 in the rows, whatever J is
    const double tol = td_model_linear(r->model).sparse ? 1e-8 : TIGHT;
    if (!td_work_flags(r->work).lambda_not_unique) CHECK_NEAR(sum / size, 0, tol);
  }
  free(J);
  free(gamma);
  free(left);
  free(h);
  free(tau);
  free(F);
  free(x);
}

static void compare_sensors(robot* r, td_derived* d, const char* name) {
  double* want = malloc(((size_t)r->ny + 1) * sizeof *want);
  td_sensors(r->model, r->state, r->work, want);
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  double* x = state_values(r, d, td_work_vdot(r->work), td_work_lambda(r->work));
  for (int i = 0; i < d->ny; i++) {
    if (d->y[i] == EX_NONE) continue;
    double* got = evaluate(d, &d->y[i], 1, x);
    check_near_at(got[0], want[i], TIGHT, td_model_sensor_name(r->model, i), name, i);
    free(got);
  }
  free(want);
  free(x);
}

// dF/dq along the motion of each velocity (the direction N e_k, since q' = N v is linear in v),
// dF/dv and dF/du.  False: no memory.
static bool derived_tangent(td_derived* d, ex* dq, ex* dv, ex* du) {
  td_exprs* g = d->g;
  const ex one = td_ex_const(g, 1);
  const int nv = d->nv;
  const size_t n = (size_t)max_int(nv, d->nq) + 1;
  ex *F = malloc(n * sizeof *F), *column_of = malloc(n * sizeof *F), *N = malloc(n * sizeof *N);
  bool ok = F && column_of && N && td_derived_residual(d, F);

  // dF/dq and dF/dv, velocity by velocity
  for (int k = 0; ok && k < nv; k++) {
    ok = td_ex_along(g, d->qdot, d->nq, &d->v[k], &one, 1, N) &&
         td_ex_along(g, F, nv, d->q, N, d->nq, column_of);
    for (int i = 0; ok && i < nv; i++) dq[i * nv + k] = column_of[i];
    ok = ok && td_ex_along(g, F, nv, &d->v[k], &one, 1, column_of);
    for (int i = 0; ok && i < nv; i++) dv[i * nv + k] = column_of[i];
  }

  // dF/du
  for (int k = 0; ok && k < d->nu; k++) {
    ok = td_ex_along(g, F, nv, &d->u[k], &one, 1, column_of);
    for (int i = 0; ok && i < nv; i++) du[i * d->nu + k] = column_of[i];
  }
  free(F);
  free(column_of);
  free(N);
  return ok;
}

// dF/dq, dF/dv and dF/du at random accelerations and multipliers.
static void compare_tangents(robot* r, td_derived* d, const char* name) {
  const int nv = d->nv;
  const size_t n = (size_t)nv, nu = (size_t)d->nu;
  uint64_t seed = 5;
  double *a = malloc((n + 1) * sizeof *a), *lambda = malloc(((size_t)d->nrow + 1) * sizeof *a);
  for (int i = 0; i < nv; i++) a[i] = check_random(&seed);
  for (int i = 0; i < d->nrow; i++) lambda[i] = check_random(&seed);
  ex *dq = malloc((n * n + 1) * sizeof *dq), *dv = malloc((n * n + 1) * sizeof *dv),
     *du = malloc((n * nu + 1) * sizeof *du);
  double *want_q = malloc((n * n + 1) * sizeof *a), *want_v = malloc((n * n + 1) * sizeof *a),
         *want_u = malloc((n * nu + 1) * sizeof *a);
  assert_true(derived_tangent(d, dq, dv, du));
  td_tangent(r->model, r->state, r->work, a, lambda, want_q, want_v);
  td_input_map(r->model, r->state, r->work, want_u);
  for (size_t i = 0; i < n * nu; i++) want_u[i] = -want_u[i];
  double* x = state_values(r, d, a, lambda);
  compare(d, dq, nv * nv, x, want_q, name, "dF/dq");
  compare(d, dv, nv * nv, x, want_v, name, "dF/dv");
  compare(d, du, nv * d->nu, x, want_u, name, "dF/du");
  free(a);
  free(lambda);
  free(dq);
  free(dv);
  free(du);
  free(want_q);
  free(want_v);
  free(want_u);
  free(x);
}

// Robots whose elements have no closed form are refused with a reason, never derived in part.
static bool is_refused(const robot* r, const char* name) {
  td_derived* d = NULL;
  char message[300];
  const td_status status = td_derive(r->model, NULL, &d, message, sizeof message);
  td_derived_free(d);
  if (status == TD_OK) return false;
  assert_int_equal(status, TD_E_MODEL);
  assert_non_null(strstr(message, "closed form"));
  print_message("%s: %s\n", name, message);
  return true;
}

static void each_robot(void (*test)(robot*, td_derived*, const char*)) {
  int derived = 0;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    robot r = robot_load(robot_texts[i]);
    if (is_refused(&r, robot_names[i])) {
      robot_free(&r);
      continue;
    }
    derived++;
    td_derived* d = derived_of(&r);
    uint64_t seed = 11;
    for (int trial = 0; trial < 3; trial++) {
      robot_shake(&r, &seed, 0.3);
      test(&r, d, robot_names[i]);
    }
    td_derived_free(d);
    robot_free(&r);
  }
  assert_true(derived >= 7);
}

// ---- the models that come with the program ----------------------------------------------------

static const struct {
  const char *file, *model, *n;
} model_files[] = {{"pendulum.m", NULL, NULL},         {"four_bar.m", NULL, NULL},
                   {"whisker.m", NULL, NULL},          {"pneumatic_module.m", NULL, NULL},
                   {"pneumatic_module.m", "rom", "3"}, {"pneumatic_module.m", "eba", "3"},
                   {"simple_beam.m", "srl", NULL},     {"simple_beam.m", "ebr", NULL},
                   {"simple_beam.m", "eba", NULL},     {"stiffflop.m", "eba", "3"},
                   {"stiffflop.m", "ebr", "3"},        {"stiffflop.m", "srl", "3"},
                   {"stiffflop.m", "rom", "2"}};

static robot file_load(const char* file, const char* model, const char* segments) {
  robot r = {0};
  char path[600];
  snprintf(path, sizeof path, "%s/models/%s", TEST_SOURCE_DIR, file);
  td_spec* spec = td_spec_new();
  if (model) td_spec_override(spec, "model", model);
  if (segments) td_spec_override(spec, "n", segments);
  td_spec_load_file(spec, path);
  if (td_model_compile(spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  const td_sizes n = td_model_sizes(r.model);
  r.nq = n.nq, r.nv = n.nv, r.nu = n.nu, r.nrow = n.nconstraint, r.ny = n.nsensor;
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  return r;
}

static void test_every_model_that_comes_with_the_program_agrees(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof model_files / sizeof *model_files; i++) {
    robot r = file_load(model_files[i].file, model_files[i].model, model_files[i].n);
    td_derived* d = derived_of(&r);
    char name[80];
    snprintf(name, sizeof name, "%s %s", model_files[i].file,
             model_files[i].model ? model_files[i].model : "");
    uint64_t seed = 2;
    robot_shake(&r, &seed, i < 2 ? 0.3 : 0.02);
    compare_equations(&r, d, name);
    compare_motion(&r, d, name);
    compare_sensors(&r, d, name);
    compare_tangents(&r, d, name);
    td_derived_free(d);
    robot_free(&r);
  }
}

// Whatever comes with the program is derived and agrees, or is refused with a reason.
static void test_each_file_of_models_agrees_or_is_refused(void** state) {
  (void)state;
  int derived = 0;
  DIR* dir = opendir(TEST_SOURCE_DIR "/models");
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
    const size_t length = strlen(entry->d_name);
    if (length < 3 || strcmp(entry->d_name + length - 2, ".m") != 0) continue;
    robot r = file_load(entry->d_name, NULL, NULL);
    uint64_t seed = 6;
    if (r.nv <= 200 && !is_refused(&r, entry->d_name)) {
      td_derived* d = derived_of(&r);
      robot_shake(&r, &seed, 0.02);
      compare_equations(&r, d, entry->d_name);
      compare_motion(&r, d, entry->d_name);
      compare_sensors(&r, d, entry->d_name);
      td_derived_free(d);
      derived++;
    }
    robot_free(&r);
  }
  closedir(dir);
  assert_true(derived >= 6);
}

static void test_matrices_are_those_of_the_engine(void** state) {
  (void)state;
  each_robot(compare_equations);
}
static void test_accelerations_of_the_engine_solve_the_derived_equations(void** state) {
  (void)state;
  each_robot(compare_motion);
}
static void test_sensors_are_those_of_the_engine(void** state) {
  (void)state;
  each_robot(compare_sensors);
}

static void test_tangents_are_those_of_the_engine(void** state) {
  (void)state;
  each_robot(compare_tangents);
}

// Where lengths are zero: the engine's own are those of springs alone (test_linearize).
static void test_tangents_at_rest_are_finite(void** state) {
  (void)state;
  for (int i = 0; i < DRAG_COUNT; i++) {
    robot r = robot_load(robot_drag[i]);
    td_derived* d = derived_of(&r);
    compare_tangents(&r, d, "drag");
    ex dq[9], dv[9], du[1];
    assert_true(derived_tangent(d, dq, dv, du));
    double* x = state_values(&r, d, NULL, NULL);
    double* got = evaluate(d, dv, 9, x);
    for (int k = 0; k < 9; k++) assert_true(got[k] == 0);
    free(got);
    free(x);
    td_derived_free(d);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrices_are_those_of_the_engine),
      cmocka_unit_test(test_accelerations_of_the_engine_solve_the_derived_equations),
      cmocka_unit_test(test_tangents_are_those_of_the_engine),
      cmocka_unit_test(test_tangents_at_rest_are_finite),
      cmocka_unit_test(test_every_model_that_comes_with_the_program_agrees),
      cmocka_unit_test(test_each_file_of_models_agrees_or_is_refused),
      cmocka_unit_test(test_sensors_are_those_of_the_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
