// Refined rods: a state of the written rod is the same state of the refined one, in every rod
// model, and a refined rod has boundaries where strains jump.
#include "check.h"
#include "model/model.h"
#include "solve/accuracy/companion.h"
#include "tendril/accuracy.h"

typedef struct pair {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_companion* fine;
} pair;

static const char common[] =
    "rod(1).length = 0.4; rod(1).radius = 0.01 - 0.01*s; rod(1).E = 1e6; rod(1).rho = 1000;\n"
    "rod(1).tr.rot = [1 2]; world.g = [0 0 -9.81];\n"
    "joint(1).first = at(rod(1)); joint(1).second = 1; joint(1).type = 'revolute';\n"
    "body(1).m = 0.01; body(1).I = 1e-5*eye(3); body(1).l_com = [0 0 0.02];\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1));\n"
    "sensor(2).name = 'mid'; sensor(2).value = pos(rod(1), 0.2);\n"
    "sensor(3).name = 'bend'; sensor(3).value = strain(rod(1), 0.13);\n"
    "sensor(4).name = 'angle'; sensor(4).value = dof(joint(1), 1);\n";

static pair pair_new(const char* more, spec_refine how) {
  pair p = {.spec = td_spec_new()};
  char why[400] = "";
  assert_int_equal(td_spec_load_string(p.spec, "rod", common), TD_OK);
  assert_int_equal(td_spec_load_string(p.spec, "more", more), TD_OK);
  if (td_model_compile(p.spec, &p.model) != TD_OK) fail_msg("%s", td_spec_messages(p.spec));
  const int messages = td_spec_message_count(p.spec);
  if (td_companion_new(p.spec, p.model, how, why, sizeof why, &p.fine) != TD_OK)
    fail_msg("%s", why);
  assert_int_equal(td_spec_message_count(p.spec), messages);
  p.work = td_work_new(p.model);
  p.state = td_state_new(p.model);
  assert_int_equal(td_state_initial(p.model, p.work, p.state), TD_OK);
  return p;
}

static void pair_free(pair* p) {
  td_companion_free(p->fine);
  td_state_free(p->state);
  td_work_free(p->work);
  td_model_free(p->model);
  td_spec_free(p->spec);
}

// Move the coordinates a little, embed, and compare the sensors of both models: places to `tol`,
// strains and angles to rounding where `strains` says that the spaces contain each other.
static void compare(const char* more, double tol, bool strains) {
  pair p = pair_new(more, (spec_refine){.on = true, .split = 2, .raise = 1});
  uint64_t seed = 7;
  double *dv = calloc((size_t)p.model->nvel, sizeof *dv), a[16], b[16];
  for (int i = 0; i < p.model->nvel; i++) {
    const bool node = p.model->nnode > 0 && p.model->vel[i].rod > 0;
    dv[i] = (node ? 2e-3 : 0.2) * check_random(&seed);
  }
  assert_int_equal(td_displace(p.model, p.state->q, dv, p.state->q), TD_OK);
  assert_int_equal(td_companion_embed(p.fine, p.work, p.state), TD_OK);
  assert_int_equal(td_sensors(p.model, p.state, p.work, a), TD_OK);
  assert_int_equal(td_sensors(p.fine->model, p.fine->state, p.fine->work, b), TD_OK);
  for (int i = 0; i < 6; i++) CHECK_NEAR(b[i], a[i], tol);
  for (int i = 6; strains && i < 12; i++) CHECK_NEAR(b[i], a[i], 1e-11);
  CHECK_NEAR(b[12], a[12], 1e-15);
  assert_true(td_model_sizes(p.fine->model).nv > td_model_sizes(p.model).nv);
  free(dv);
  pair_free(&p);
}

static void test_polynomial_strains_are_in_the_refined_space(void** state) {
  (void)state;
  static const char* const bases[] = {"legendre",  "constant", "monomial", "chebyshev", "linear",
                                      "quadratic", "cubic",    "hermite",  "bspline"};
  for (int i = 0; i < 9; i++) {
    char more[160];
    snprintf(more, sizeof more, "rod(1).basis = '%s'; rod(1).order = 3; rod(1).elements = 3;\n",
             bases[i]);
    if (i == 1 || i >= 4)
      snprintf(more, sizeof more, "rod(1).basis = '%s'; rod(1).elements = 3;\n", bases[i]);
    compare(more, 2e-5, true);  // places: steps and points of the written rod
  }
  compare("rod(1).n = 14;\n", 1e-8, true);
  compare("rod(1).order = [0 0 1 4 3 2]; rod(1).elements = [1 1 2 3 1 4];\n", 1e-5, true);
}

static void test_a_cut_at_a_jump_keeps_the_strains(void** state) {
  (void)state;
  static const char cable[] =
      "cable(1).path = [0.005 0]; cable(1).tension = 1; cable(1).to = 0.25;\n"
      "exload(1).body = at(rod(1), 0.1); exload(1).ftau = [0.1 0 0 0 0 0];\n";
  char more[400];
  snprintf(more, sizeof more, "%s", cable);
  compare(more, 1e-6, true);
  snprintf(more, sizeof more, "%srod(1).order = 2; rod(1).elements = [3 3 3 3 2 1];\n", cable);
  compare(more, 1e-4, true);
}

static void test_parts_are_refined_each(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
  for (int k = 0; k < 5; k++) {
    char more[300];
    snprintf(more, sizeof more,
             "rod(1).model = '%s'; rod(1).part(1).length = 0.15; rod(1).part(2).length = 0.25;\n"
             "rod(1).part(1).n = 3; rod(1).part(2).n = 4;\n",
             models[k]);
    // halves of segments turn about other axes than the whole does, and strains are interpolated
    compare(more, k == 0 ? 1e-6 : k == 4 ? 1e-13 : 3e-3, k == 0);
  }
}

static void test_held_strains_stay_held(void** state) {
  (void)state;
  compare("rod(1).modes = [0 0 0 1 1 0];\n", 1e-6, true);
  compare("rod(1).modes = [0 0 0 1 1 0]; rod(1).model = 'ebr'; rod(1).n = 5;\n", 3e-3, false);
}

static void test_initial_coordinates_go_along(void** state) {
  (void)state;
  pair p = pair_new("rod(1).modes = [0 0 0 1 0 0]; rod(1).init = [1 0.5 -0.3 0.2 0.1];\n",
                    (spec_refine){.on = true, .split = 2, .raise = 1});
  double a[16], b[16];
  assert_int_equal(td_state_initial(p.fine->model, p.fine->work, p.fine->state), TD_OK);
  td_sensors(p.model, p.state, p.work, a);
  td_sensors(p.fine->model, p.fine->state, p.fine->work, b);
  for (int i = 0; i < 12; i++) CHECK_NEAR(b[i], a[i], 1e-7);
  pair_free(&p);
}

static void test_a_coarser_space_is_a_projection(void** state) {
  (void)state;
  pair p = pair_new("rod(1).n = 6;\n", (spec_refine){.on = true, .split = 1, .raise = -2});
  assert_int_equal(td_companion_embed(p.fine, p.work, p.state), TD_OK);
  assert_int_equal(td_model_sizes(p.fine->model).nv, 6 * 5 + 1);
  pair_free(&p);
}

// Does an element of the refined rod end at an arc length?
static bool ends_at(const td_model* m, double arc) {
  double end = 0;
  bool first = true,
       found = false;  // of an element: its polynomial of order 0, whose weight is its length
  for (int i = 0; i < m->nspectral; i++) {
    const model_spectral* s = &m->spectral[i];
    if (s->strain != 3) continue;
    if (first) end += s->weight;
    found = found || fabs(end - arc) < 1e-9;
    first = s->top;
  }
  return found;
}

// What is written along a rod may jump or have corners: elements end there.
static void test_jumps_in_expressions_are_boundaries(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double arc[2];
  } cases[] = {
      {"rod(1).radius = 0.01 - 0.005*step(s, 0.137);", {0.137}},
      {"rod(1).E = 1e6*(1 + abs(s - 0.21));", {0.21}},
      {"rod(1).rho = 1000 + 500*(s < 0.31);", {0.31}},
      {"rod(1).radius = max(0.01 - 0.05*s, 0.005);", {0.1}},
      {"rod(1).shape = [0 0 0 sign(sin(10*s) - 0.5) 0 0];", {0.0523598775598, 0.2617993877991}},
      {"p = param('p', 0.11); rod(1).load = [0 step(s, p) 0 0 0 0];", {0.11}},
      {"rod(1).eta = interp1([0 0.17 0.4], [1 2 1], s);", {0.17}},
      {"cable(1).path = [0.005*(1 - 0.5*(s > 0.23)) 0]; cable(1).tension = 1;", {0.23}},
  };
  const spec_refine how = {.on = true, .split = 2, .raise = 1};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pair p = pair_new(cases[i].text, how);
    assert_true(ends_at(p.fine->model, 0.4));
    for (int k = 0; k < 2 && cases[i].arc[k] > 0; k++)
      if (!ends_at(p.fine->model, cases[i].arc[k])) fail_msg("%s", cases[i].text);
    assert_false(p.fine->model->rod[0].hidden);
    pair_free(&p);
  }

  // a smooth rod has none, too many are told, and segments in which there is one
  pair p = pair_new("rod(1).E = 1e6*(1 + (s - 0.2)^2);", how);
  assert_false(ends_at(p.fine->model, 0.137) || p.fine->model->rod[0].hidden);
  pair_free(&p);
  p = pair_new("rod(1).E = 1e6*(2 + sign(sin(2000*s)));", how);
  assert_true(p.fine->model->rod[0].hidden);
  pair_free(&p);
  p = pair_new("rod(1).model = 'srl'; rod(1).n = 4; rod(1).E = 1e6*(1 + step(s, 0.137));", how);
  assert_true(p.fine->model->rod[0].jumps);
  pair_free(&p);
  p = pair_new("rod(1).model = 'srl'; rod(1).n = 4; rod(1).E = 1e6*(1 + step(s, 0.2));", how);
  assert_false(p.fine->model->rod[0].jumps);
  pair_free(&p);
}

static void test_coordinates_by_number_have_no_companion(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  td_model* model;
  td_bars* bars;
  const char* reasons;
  td_spec_load_string(spec, "rod", common);
  td_spec_load_string(spec, "more", "sensor(5).name = 'q3'; sensor(5).value = q(3);\n");
  assert_int_equal(td_model_compile(spec, &model), TD_OK);
  assert_int_equal(td_bars_new(spec, model, &bars), TD_OK);
  td_work* work = td_work_new(model);
  td_state* at = td_state_new(model);
  double error[20];
  td_state_initial(model, work, at);
  assert_int_equal(td_bars_equilibrium(bars, work, at, NULL, error), TD_OK);
  assert_true(isnan(error[0]));
  assert_int_equal(td_bars_trust(bars, &reasons), TD_TRUST_LOOK);
  assert_non_null(strstr(reasons, "q(i)"));
  td_bars_free(bars);
  td_state_free(at);
  td_work_free(work);
  td_model_free(model);
  td_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polynomial_strains_are_in_the_refined_space),
      cmocka_unit_test(test_a_cut_at_a_jump_keeps_the_strains),
      cmocka_unit_test(test_parts_are_refined_each),
      cmocka_unit_test(test_held_strains_stay_held),
      cmocka_unit_test(test_initial_coordinates_go_along),
      cmocka_unit_test(test_a_coarser_space_is_a_projection),
      cmocka_unit_test(test_jumps_in_expressions_are_boundaries),
      cmocka_unit_test(test_coordinates_by_number_have_no_companion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
