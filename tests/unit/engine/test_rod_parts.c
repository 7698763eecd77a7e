// Parts of a rod: a rod of parts moves as the same stretches written as rods in a row, in every
// model; a part has what its rod says unless it says otherwise.
#include "robots.h"

static const char* const models[] = {"srl", "ebr", "eba", "rom"};
enum { MODELS = 4, TRIALS = 3 };

// A thick and a thin stretch, the second bent at rest, loaded, with other segments.
static const char one_rod[] =
    "world.g = [0 1 -9.81];\n"
    "rod(1).tr.rot = [2 1]; rod(1).rho = 1000; rod(1).E = 1e5; rod(1).eta = 300;\n"
    "rod(1).radius = 0.015; rod(1).n = 3; rod(1).load = [0 0.1 0 0 0 0];\n"
    "rod(1).part(1).length = 0.2;\n"
    "rod(1).part(2).length = 0.1; rod(1).part(2).radius = 0.01 - 0.05*(s - 0.2);\n"
    "rod(1).part(2).shape = [0 0 0.01 1 2 0.5]; rod(1).part(2).n = 2;\n"
    "body(1).m = 0.02; body(1).I = 1e-5*eye(3); joint(1).first = rod(1); joint(1).second = 1;\n"
    "joint(1).tr.rot = [1 inf];\n"
    "chamber(1).offset = [0.004 0]; chamber(1).area = 1e-5; chamber(1).pressure = 2e4;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);\n"
    "sensor(2).name = 'strain'; sensor(2).value = strain(rod(1), 0.26);\n"
    "sensor(3).name = 'end'; sensor(3).value = strain(rod(1), 0.2);\n";
static const char two_rods[] =
    "world.g = [0 1 -9.81];\n"
    "for k = 1:2\n"
    "  rod(k).rho = 1000; rod(k).E = 1e5; rod(k).eta = 300; rod(k).load = [0 0.1 0 0 0 0];\n"
    "  chamber(k).rod = k; chamber(k).offset = [0.004 0]; chamber(k).area = 1e-5;\n"
    "  chamber(k).pressure = 2e4;\n"
    "end\n"
    "rod(1).tr.rot = [2 1]; rod(1).radius = 0.015; rod(1).length = 0.2; rod(1).n = 3;\n"
    "rod(2).first = rod(1); rod(2).length = 0.1; rod(2).radius = 0.01 - 0.05*s;\n"
    "rod(2).shape = [0 0 0.01 1 2 0.5]; rod(2).n = 2;\n"
    "body(1).m = 0.02; body(1).I = 1e-5*eye(3); joint(1).first = rod(2); joint(1).second = 1;\n"
    "joint(1).tr.rot = [1 inf];\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(2), 0.1);\n"
    "sensor(2).name = 'strain'; sensor(2).value = strain(rod(2), 0.06);\n"
    "sensor(3).name = 'end'; sensor(3).value = strain(rod(1), 0.2);\n";

static robot load_as(const char* text, const char* model, int rods) {
  char full[4000];
  snprintf(full, sizeof full, "%sfor k = 1:%d, rod(k).model = '%s'; end\n", text, rods, model);
  return robot_load(full);
}

static void compare(robot* a, robot* b) {
  double x[16], y[16];
  assert_int_equal(td_forward_dynamics(a->model, a->state, a->work), TD_OK);
  assert_int_equal(td_forward_dynamics(b->model, b->state, b->work), TD_OK);
  for (int i = 0; i < a->nv; i++) {
    assert_string_equal(strrchr(td_model_v_name(a->model, i), '.'),
                        strrchr(td_model_v_name(b->model, i), '.'));
    // rounding times the condition of the mass matrix, up to 1e6
    CHECK_NEAR(td_work_vdot(a->work)[i], td_work_vdot(b->work)[i], 1e-8);
  }
  assert_int_equal(td_sensors(a->model, a->state, a->work, x), TD_OK);
  assert_int_equal(td_sensors(b->model, b->state, b->work, y), TD_OK);
  for (int i = 0; i < 15; i++) CHECK_NEAR(x[i], y[i], 1e-12);
}

static void parts_move_as_rods_in_a_row(void** unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    robot a = load_as(one_rod, models[m], 1), b = load_as(two_rods, models[m], 2);
    assert_int_equal(a.nv, b.nv);
    uint64_t seed = 7;
    double* dv = calloc((size_t)a.nv, sizeof(double));
    compare(&a, &b);  // at the start
    for (int trial = 0; trial < TRIALS; trial++) {
      for (int i = 0; i < a.nv; i++) {
        dv[i] = 0.01 * check_random(&seed);
        a.state->v[i] = b.state->v[i] = 0.1 * check_random(&seed);
      }
      td_displace(a.model, a.state->q, dv, a.state->q);
      td_displace(b.model, b.state->q, dv, b.state->q);
      compare(&a, &b);
    }
    free(dv);
    robot_free(&a);
    robot_free(&b);
  }
}

// ---- what a part says -------------------------------------------------------------------------

#define ROD "rod(1).length = 0.3; rod(1).rho = 1000; rod(1).E = 1e6; rod(1).radius = 0.01;\n"
#define PARTS "rod(1).part(1).length = 0.2; rod(1).part(2).length = 0.1;\n"

static void says(const char* text, const char* message, int errors) {
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_load_string(spec, "part.m", text);
  td_model_compile(spec, &model);
  if (!strstr(td_spec_messages(spec), message)) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(strstr(td_spec_messages(spec), message));
  assert_int_equal(td_spec_error_count(spec), errors);
  td_model_free(model);
  td_spec_free(spec);
}

static void a_part_is_judged_with_what_its_rod_says(void** unused) {
  (void)unused;
  says(ROD PARTS, "", 0);
  says(ROD PARTS "rod(1).part(2).section = 'ring';\n",
       "rod(1).part(2).radius is missing: a ring section has it", 1);
  says(ROD PARTS "rod(1).part(2).radius = 0.1 - s;\n",
       "rod(1).part(2).radius at s = 0.2 m must be positive, got -0.1 m", 1);
  says(ROD PARTS "rod(1).part(2).stiffness = ones(1,6); rod(1).part(2).G = 1;\n",
       "rod(1).part(2).G has no effect: stiffness is given", 0);
  says(ROD PARTS "rod(1).part(2).damping = ones(1,6);\n", "", 0);
  says(ROD "rod(1).part(1).length = 0.2; rod(1).part(2).length = 0.2;\n",
       "rod(1).length must be the sum of its parts, 0.4 m, got 0.3 m", 1);
  says(ROD PARTS "rod(1).part(3).radius = 0.1;\n", "rod(1).part(3).length is missing", 1);
  says(ROD PARTS "rod(1).part(2).model = 'rom';\n", "unknown field 'model' of rod.part", 1);
  says("rod(1).rho = 1; rod(1).E = 1; rod(1).radius = 1;\n", "rod(1).length is missing", 1);
}

// A part that names its section forgets the rod's; one that gives E forgets the rod's stiffness.
static void a_part_replaces_what_its_rod_says_about_the_same(void** unused) {
  (void)unused;
  static const char text[] =
      "rod(1).rho = 1000; rod(1).stiffness = [1 1 1 1 1 1]; rod(1).section = 'rectangle';\n"
      "rod(1).width = 0.01; rod(1).height = 0.02; rod(1).n = 1;\n"
      "rod(1).part(1).length = 1; rod(1).part(2).length = 1;\n"
      "rod(1).part(2).section = 'circle'; rod(1).part(2).radius = 0.01; rod(1).part(2).E = 1e4;\n"
      "rod(1).part(1).init = [0 0 1 0 0 0]; rod(1).part(2).init = [0 0 1 0 0 0];\n";
  robot r = robot_load(text);
  // half k x² of both parts at stretch 1 over 1 m
  const double want = 0.5 * 1 + 0.5 * 1e4 * 3.14159265358979323846 * 1e-4;
  CHECK_NEAR(td_energy(r.model, r.state, r.work).elastic, want, 1e-12);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_move_as_rods_in_a_row),
      cmocka_unit_test(a_part_is_judged_with_what_its_rod_says),
      cmocka_unit_test(a_part_replaces_what_its_rod_says_about_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
