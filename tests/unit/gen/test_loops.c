// Polynomial rods as loops over their points: the sums are the engine's numbers, and the length of
// what is printed does not follow the number of points.
#include "../engine/robots.h"
#include "gen/program.h"

// Some thousand roundings on either side, on numbers relative to the largest of each array.
#define TIGHT 1e-11

// Two parts on a body that turns, loads in both kinds of axes, a section that follows the stretch.
static const char parts[] =
    "world.g = [.3 0 -9.81]; u1 = input('u1', .4); E = param('E', 1e5);\n"
    "body(1).m = .2; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [.01 0 .02];\n"
    "joint(1).second = 1; joint(1).type = 'universal';\n"
    "rod(1).first = 1; rod(1).tr.trans = [0 .02 .01]; rod(1).tr.rot = [1 .3]; rod(1).radius = .012 "
    "- "
    ".01*s; rod(1).E = E*(1 + .2*(stretch(rod(1)) - 1)); rod(1).rho = 1000; rod(1).eta = 300; "
    "rod(1).model = 'rom'; rod(1).load = [.1 0 sin(3*t)*s 0 1e-3 0];\n"
    "rod(1).part(1).length = .15; rod(1).part(1).n = 1; "
    "rod(1).part(1).points = 6; rod(1).part(2).length = .1; rod(1).part(2).n = 2;\n"
    "rod(2).length = .2; rod(2).radius = .01; rod(2).E = 2e5; rod(2).rho = 900; rod(2).model = "
    "'rom'; rod(2).n = 1; rod(2).points = 9; rod(2).load = [0 .2 0 0 0 u1*s]; rod(2).load_frame = "
    "'local';\n"
    "sensor(1).name = 'tip'; sensor(1).value = [pos(rod(1), .25) strain(rod(2), .1) "
    "stretch(rod(1)) stretch(rod(2)) energy()];\n";

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

static double* values(const robot* r, const td_derived* d) {
  double* x = calloc((size_t)td_exprs_nvar(d->g) + 1, sizeof *x);
  x[d->t] = r->state->t;
  for (int i = 0; i < d->nq; i++) x[d->q[i]] = r->state->q[i];
  for (int i = 0; i < d->nv; i++) {
    x[d->v[i]] = r->state->v[i];
    x[d->a[i]] = td_work_vdot(r->work)[i];
  }
  for (int i = 0; i < d->nu; i++) x[d->u[i]] = r->state->u[i];
  return x;
}

static void take_point(const tmt_quadrature* l, int i, double* x) {
  for (int k = 0; k < l->nz; k++) x[l->z[k]] = l->data[k * l->n + i];
}

static void add_sums(const td_derived* d, double* x) {
  for (int k = 0; k < d->nsum; k++) {
    const tmt_sum* s = &d->sum[k];
    double sum = 0;
    for (int i = 0; i < d->quadrature[s->quadrature].n; i++) {
      take_point(&d->quadrature[s->quadrature], i, x);
      double* e = evaluate(d, &s->e, 1, x);
      sum += *e;
      free(e);
    }
    x[s->var] = sum;
  }
}

static void add(const td_derived* d, const ex* e, int n, const double* x, double* to) {
  double* got = evaluate(d, e, n, x);
  for (int i = 0; i < n; i++) to[i] += got[i];
  free(got);
}

// Everything that is not of a point, and the sum over the points.
static void add_all(const td_derived* d, double* x, double* M, double* h, double* tau) {
  const size_t nv = (size_t)d->nv;
  ex* whole = malloc((nv * nv + 1) * sizeof *whole);
  td_derived part = *d;
  assert_true(td_derived_mass(&part, whole));
  add(d, whole, d->nv * d->nv, x, M);
  add(d, d->h, d->nv, x, h);
  add(d, d->tau, d->nv, x, tau);
  for (int k = 0; k < d->nquadrature; k++) {
    const tmt_quadrature* l = &d->quadrature[k];
    part.mass = (tmt_mass*)(uintptr_t)&l->mass;
    part.nmass = 1;
    assert_true(td_derived_mass(&part, whole));
    for (int i = 0; i < l->n; i++) {
      take_point(l, i, x);
      add(d, whole, d->nv * d->nv, x, M);
      add(d, l->h, d->nv, x, h);
      add(d, l->tau, d->nv, x, tau);
    }
  }
  free(whole);
}

static void check_array(const char* what, const double* got, const double* want, int n) {
  double error = 0, scale = 1e-4;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    if (isnan(got[i])) error = INFINITY;
    scale = fmax(scale, fabs(want[i]));
  }
  CHECK_REACHED(what, error / scale, TIGHT);
}

static td_derived* looped(const robot* r) {
  const td_derive_options o = {.size = sizeof(td_derive_options), .loops = true};
  td_derived* d = NULL;
  char message[300];
  if (td_derive(r->model, &o, &d, message, sizeof message) != TD_OK) fail_msg("%s", message);
  return d;
}

static void compare(robot* r, const td_derived* d) {
  const size_t n = (size_t)r->nv;
  double *M = calloc(n * n + 1, sizeof *M), *h = calloc(n + 1, sizeof *h),
         *tau = calloc(n + 1, sizeof *tau), *want_M = calloc(n * n + 1, sizeof *M),
         *want_h = calloc(n + 1, sizeof *h), *want_tau = calloc(n + 1, sizeof *h),
         *y = calloc((size_t)r->ny + 1, sizeof *y);
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  double* x = values(r, d);
  add_sums(d, x);
  double* sensors = evaluate(d, d->y, d->ny, x);
  add_all(d, x, M, h, tau);
  td_mass_matrix(r->model, r->state, r->work, want_M);
  td_bias(r->model, r->state, r->work, want_h, want_tau);
  check_array("M", M, want_M, r->nv * r->nv);
  check_array("h", h, want_h, r->nv);
  check_array("tau", tau, want_tau, r->nv);
  check_array("sensors", sensors, y, r->ny);
  double* all[] = {M, h, tau, want_M, want_h, want_tau, y, x, sensors};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void test_sums_over_points_are_the_engines_numbers(void** state) {
  (void)state;
  char rom[3000];
  snprintf(rom, sizeof rom, "%srod(1).points = 8;\n", robot_rom);
  const char* const texts[] = {parts, rom};
  for (int k = 0; k < 2; k++) {
    robot r = robot_load(texts[k]);
    td_derived* d = looped(&r);
    assert_true(d->nquadrature >= 1);  // chambers that end halfway have a share at every point
    uint64_t seed = 9;
    for (int trial = 0; trial < 3; trial++) {
      robot_shake(&r, &seed, 0.3);
      compare(&r, d);
    }
    td_derived_free(d);
    robot_free(&r);
  }
}

// Bytes of code that are not numbers of a table.
static int printed_length(int points) {
  char text[400];
  snprintf(
      text, sizeof text,
      "world.g = [0 0 -9.81]; rod(1).length = .3; rod(1).radius = .015 - .01*s; rod(1).E = 1e5; "
      "rod(1).rho = 1000; rod(1).model = 'rom'; rod(1).n = 2; rod(1).points = %d;\n",
      points);
  robot r = robot_load(text);
  td_derived* d = looped(&r);
  gen_program p;
  td_text out = {0};
  int nwork, table = 0;
  assert_int_equal(td_program_core(r.model, d, "rod", &p), TD_OK);
  assert_int_equal(td_print_c_core(&p, &out, &nwork), TD_OK);
  assert_int_equal(d->nquadrature, 1);
  assert_int_equal(d->quadrature[0].n, points);
  const char* from = strstr(out.s, "points1[");
  assert_non_null(from);
  table = (int)(strstr(from, "};") - from);
  const int length = out.n - table;
  td_text_free(&out);
  td_program_close(&p);
  td_derived_free(d);
  robot_free(&r);
  return length;
}

// The number of points itself is printed here and there.
static void test_code_does_not_grow_with_the_points(void** state) {
  (void)state;
  const int few = printed_length(5), many = printed_length(200);
  assert_true(abs(many - few) < 20);
}

static void test_loops_are_not_for_formulas(void** state) {
  (void)state;
  robot r = robot_load(parts);
  td_derived* d = looped(&r);
  assert_int_equal(td_derive_write(r.model, d, "rod", TD_DERIVE_LATEX, TD_DERIVE_WHOLE, NULL),
                   TD_E_USAGE);
  assert_int_equal(td_derive_write(r.model, d, "rod", TD_DERIVE_C, TD_DERIVE_MATRIX, NULL),
                   TD_E_USAGE);
  td_derived_free(d);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_over_points_are_the_engines_numbers),
      cmocka_unit_test(test_code_does_not_grow_with_the_points),
      cmocka_unit_test(test_loops_are_not_for_formulas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
