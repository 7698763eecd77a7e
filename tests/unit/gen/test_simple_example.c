// The simple example of the TMTDyn paper (Fig. 1): a planar beam of one element in its four models,
// derived with every parameter a symbol and compared with the printed equations.  Equal expressions
// are equal handles, so most of it is a comparison of formulas, not of numbers.
#include "check.h"
#include "gen/derive.h"

static const char head[] =
    "m = param('m', .05); r = param('r', .01); l0 = param('l0', .1); E = param('E', 2e5); G = "
    "param('G', 7e4); g = param('g', 9.81); mu_e = param('mu_e', .1); mu_a = param('mu_a', 1e-5); "
    "fu3 = param('fu3', .2); tau2 = param('tau2', .01); fl1 = param('fl1', .3); fl3 = param('fl3', "
    ".4);\n"
    "A = pi*r^2; Jb = pi*r^4/4; world.g = [0 0 g];\n"
    "body(1).m = m; body(1).I = diag([0 m*(3*r^2 + l0^2)/12 0]);\n"
    "exload(1).exbody = 1; exload(1).ftau = [fl1 0 fl3 0 0 0];\n";

static const char text_relative[] =
    "joint(1).second = 1; joint(1).tr(1).trans = [0 0 l0]; joint(1).tr(2).trans = [inf 0 inf];\n"
    "joint(1).dof(1).spring.coeff = G*A/l0; joint(1).dof(2).spring.coeff = E*A/l0; "
    "joint(1).dof(3).spring.coeff = E*Jb/l0;\n"
    "joint(1).dof(1).damp.visc = mu_e; joint(1).dof(2).damp.visc = mu_e; joint(1).dof(3).damp.visc "
    "= mu_a;\n"
    "joint(1).dof(2).input = fu3; joint(1).dof(3).input = tau2;\n";

static const char text_absolute[] =
    "joint(1).second = 1; joint(1).tr.trans = [inf 0 inf]; joint(1).tr.rot = [0 0 inf 0]; "
    "joint(1).chart = 'vector'; joint(1).dof(2).init = 0.1;\n"
    "joint(2).second = 1; joint(2).spring.coeff = [G*A 0 E*A 0 E*Jb 0]/l0; joint(2).spring.init = "
    "[0 0 l0 0 0 0]; joint(2).damp.visc = [mu_e 0 mu_e 0 mu_a 0]; joint(2).input = [0 0 fu3 0 tau2 "
    "0];\n";

typedef struct example {
  td_model* model;
  td_derived* d;
  ex M[9];
  double* x;  // values of the variables, random
} example;

static example derive(const char* a, const char* b) {
  example s = {0};
  td_spec* spec = td_spec_new();
  char* text = malloc(strlen(head) + strlen(a) + strlen(b) + 1);
  strcat(strcat(strcpy(text, head), a), b);
  td_spec_load_string(spec, "simple.m", text);
  if (td_model_compile(spec, &s.model) != TD_OK) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(s.model);
  td_spec_free(spec);
  free(text);
  const td_derive_options o = {.size = sizeof(td_derive_options), .all_symbolic = true};
  char message[300];
  assert_int_equal(td_derive(s.model, &o, &s.d, message, sizeof message), TD_OK);
  assert_int_equal(s.d->np, 12);
  assert_int_equal(s.d->nv, 3);
  assert_true(td_derived_mass(s.d, s.M));
  uint64_t seed = 4;
  s.x = calloc((size_t)td_exprs_nvar(s.d->g) + 1, sizeof *s.x);
  for (int i = 0; i < td_exprs_nvar(s.d->g); i++) s.x[i] = 0.6 + 0.3 * check_random(&seed);
  return s;
}

static void example_free(example* s) {
  td_derived_free(s->d);
  td_model_free(s->model);
  free(s->x);
}

static double value(const example* s, ex e) { return td_ex_eval(s->d->g, e, s->x); }

static double param(const example* s, const char* name) {
  return s->x[s->d->p[td_model_param_find(s->model, name)]];
}

static bool is_number(const example* s, ex e, double x) {
  return td_ex_is_const(s->d->g, e) && td_ex_value(s->d->g, e) == x;
}

// Eq. 18: M = m diag(1, 1, (3 r² + l0²)/12), the same symbols on the diagonal and nothing beside
// it.
static void check_mass(const example* s) {
  const double m = param(s, "m"), r = param(s, "r"), l0 = param(s, "l0");
  const int mass = s->d->p[td_model_param_find(s->model, "m")];
  for (int i = 0; i < 9; i++) {
    if (i % 4 != 0) assert_true(is_number(s, s->M[i], 0));
  }
  assert_int_equal(s->M[0], td_ex_var(s->d->g, mass));
  assert_int_equal(s->M[4], td_ex_var(s->d->g, mass));
  CHECK_NEAR(value(s, s->M[8]), m * (3 * r * r + l0 * l0) / 12, 1e-15);
}

// Eq. 34 and 35, moved to the left side: w_k + w_v - m g, and the inputs and loads on the right.
static void check_forces(const example* s, const double strain[3], const double rate[3],
                         double slope) {
  const double pi = 3.141592653589793, r = param(s, "r"), l0 = param(s, "l0"), A = pi * r * r;
  const double k[3] = {param(s, "G") * A / l0, param(s, "E") * A / l0,
                       param(s, "E") * pi * pow(r, 4) / 4 / l0};
  const double mu[3] = {param(s, "mu_e"), param(s, "mu_e"), param(s, "mu_a")};
  const double weight[3] = {0, param(s, "m") * param(s, "g"), 0};
  const double input[3] = {0, param(s, "fu3"), param(s, "tau2")},
               load[3] = {param(s, "fl1"), param(s, "fl3"), 0};
  for (int i = 0; i < 3; i++) {
    const double T = i == 2 ? slope : 1;
    CHECK_NEAR(value(s, s->d->h[i]), T * (k[i] * strain[i] + mu[i] * rate[i]) - weight[i], 1e-13);
    CHECK_NEAR(value(s, s->d->tau[i]), T * input[i] + load[i], 1e-13);
  }
}

static double q(const example* s, int i) { return s->x[s->d->q[i]]; }
static double v(const example* s, int i) { return s->x[s->d->v[i]]; }

static void test_rigid_link_has_the_printed_equations(void** state) {
  (void)state;
  example s = derive(text_relative, "joint(1).tr(2).rot = [2 inf];\n");
  check_mass(&s);
  // T = 1 and no velocity terms (Eq. 20)
  for (int i = 0; i < 9; i++) {
    static const int row[3] = {0, 2, 4};
    assert_true(is_number(&s, s.d->mass[0].T[3 * row[i / 3] + i % 3], i % 4 == 0));
  }
  const double x[3] = {q(&s, 0), q(&s, 1), q(&s, 2)}, u[3] = {v(&s, 0), v(&s, 1), v(&s, 2)};
  check_forces(&s, x, u, 1);
  example_free(&s);
}

// With the rotation normalised, the inertia of the turn is I (dθ/dα)², dθ/dα = 1/(1 + α²/4).
static void test_euler_bernoulli_element_has_the_printed_equations(void** state) {
  (void)state;
  example s = derive(text_relative, "joint(1).tr(2).rot = [0 inf 0];\n");
  const double m = param(&s, "m"), r = param(&s, "r"), l0 = param(&s, "l0");
  const double slope = 1 / (1 + q(&s, 2) * q(&s, 2) / 4), I = m * (3 * r * r + l0 * l0) / 12;
  CHECK_NEAR(value(&s, s.M[8]), I * slope * slope, 1e-14);
  s.x[s.d->q[2]] = 0;
  CHECK_NEAR(value(&s, s.M[8]), I, 1e-15);
  const double x[3] = {q(&s, 0), q(&s, 1), 0}, u[3] = {v(&s, 0), v(&s, 1), v(&s, 2)};
  check_forces(&s, x, u, 1);
  example_free(&s);
}

// Eq. 36 and 37: χ = [x, z - l0, 2 Q_y] and T_b = diag(1, 1, 2).
static void test_absolute_states_have_the_printed_equations(void** state) {
  (void)state;
  example s = derive(text_absolute, "");
  const double x[3] = {q(&s, 0), q(&s, 1) - param(&s, "l0"), 2 * q(&s, 2)};
  const double u[3] = {v(&s, 0), v(&s, 1), 2 * v(&s, 2)};
  s.x[s.d->v[2]] = 0;  // the inertia of the turn depends on Q: leave its velocity terms out
  const double still[3] = {u[0], u[1], 0};
  check_forces(&s, x, still, 2);
  assert_true(is_number(&s, s.M[1], 0) && is_number(&s, s.M[2], 0) && is_number(&s, s.M[5], 0));
  example_free(&s);
}

// Eq. 16 (turns counted about +y) with s = L/2, the one point of its quadrature: shear, stretch and
// bending strain, and Eq. 38 for the generalised forces; the printed χ lacks a factor s, T_b is by
// differences.
typedef struct strains {
  double x[3];
} strains;

static strains rom_strains(const double C[3], double s) {
  const double C0 = sqrt(1 - C[2] * C[2] * s * s);
  return (strains){
      {2 * s * (C[0] - C[2] * C0 - 2 * C[0] * C[2] * C[2] * s * s - 2 * C[1] * C[2] * s * C0),
       2 * s *
           (-C[2] * C[2] * s + C[1] - 2 * C[1] * C[2] * C[2] * s * s + 2 * C[0] * C[2] * s * C0),
       2 * C[2] / C0}};
}

static void test_reduced_order_model_has_the_printed_strains(void** state) {
  (void)state;
  static const char text[] =
      "K1 = param('K1', 3); K3 = param('K3', 4); K5 = param('K5', 5);\n"
      "body(1).m = 1; body(1).I = eye(3);\n"
      "joint(1).second = [1 .4]; joint(1).rom.order = 1; joint(1).rom.points = 1;\n"
      "joint(1).tr.trans = [inf 0 inf]; joint(1).tr.rot = [0 0 inf 0]; joint(1).spring.coeff = [K1 "
      "0 K3 0 K5 0];\n";
  td_spec* spec = td_spec_new();
  example s = {0};
  td_spec_load_string(spec, "rom.m", text);
  if (td_model_compile(spec, &s.model) != TD_OK) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(s.model);
  td_spec_free(spec);
  const td_derive_options o = {.size = sizeof(td_derive_options), .all_symbolic = true};
  char message[300];
  assert_int_equal(td_derive(s.model, &o, &s.d, message, sizeof message), TD_OK);
  s.x = calloc((size_t)td_exprs_nvar(s.d->g) + 1, sizeof *s.x);
  const double C[3] = {0.7, -0.4, 1.1}, K[3] = {3, 4, 5}, L = 0.4, h = 1e-3;
  for (int i = 0; i < 3; i++) {
    s.x[s.d->q[i]] = C[i];
    s.x[s.d->p[i]] = K[i];
  }
  const strains at = rom_strains(C, L / 2);
  for (int i = 0; i < 3; i++) {
    double want = 0;
    for (int k = -2; k <= 2; k++) {  // fourth-order differences of the strains
      static const double weight[5] = {1 / 12., -8 / 12., 0, 8 / 12., -1 / 12.};
      double moved[3] = {C[0], C[1], C[2]};
      moved[i] += k * h;
      const strains x = rom_strains(moved, L / 2);
      for (int d = 0; d < 3; d++) want += L * K[d] * at.x[d] * weight[k + 2] * x.x[d] / h;
    }
    CHECK_NEAR(value(&s, s.d->h[i]), want, 1e-10);  // h⁴ and rounding / h
  }
  example_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid_link_has_the_printed_equations),
      cmocka_unit_test(test_euler_bernoulli_element_has_the_printed_equations),
      cmocka_unit_test(test_absolute_states_have_the_printed_equations),
      cmocka_unit_test(test_reduced_order_model_has_the_printed_strains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
