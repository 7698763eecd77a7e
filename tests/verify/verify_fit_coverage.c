// Intervals of identified parameters: with simulated measurements of known noise, 95 % intervals
// must cover the true value in 92 to 98 % of many seeds, for every parameter of three robots: an
// arm with a cable at rest, a pneumatic module in motion, a net.  TENDRIL_LONG=1: 400 seeds; else a
// few, of which the count must be possible for a probability of 0.95 (all but one in 1e6).
#include <stdlib.h>

#include "check.h"
#include "tendril/estimate.h"
#include "tendril/tools.h"

typedef struct robot {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_sizes n;
} robot;

static robot open_model(const char* text) {
  robot r = {.spec = td_spec_new()};
  if (td_spec_load_string(r.spec, "test.m", text) != TD_OK ||
      td_model_compile(r.spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(r.spec));
    fail();
  }
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  r.n = td_model_sizes(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static void close_model(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

// A normal number by the sum of twelve uniform ones would have short tails: Box and Muller.
static double normal(uint64_t* seed) {
  const double a = 0.5 * (check_random(seed) + 1), b = 0.5 * (check_random(seed) + 1);
  return sqrt(-2 * log(fmax(a, 1e-300))) * cos(6.283185307179586 * b);
}

// A robot, what is unknown of it, and how it is measured.
typedef struct subject {
  const char* text;
  const char* param[3];
  double truth[3];  // the text has other values, where the search starts
  int nparam;
  bool motion;
  int rows;
  double dt, noise;
  double (*input)(int row, int which);
} subject;

// True measurements of all sensors, rows x nsensor.
static void measure(robot* r, const subject* s, const double* t, const double* u, double* y) {
  for (int j = 0; j < s->nparam; j++)
    assert_int_equal(td_work_set_param(r->model, r->work,
                                       td_model_param_find(r->model, s->param[j]), s->truth[j]),
                     TD_OK);
  const int nu = r->n.nu, ns = r->n.nsensor;
  td_equil_result rest;
  if (s->motion) {
    int input[4] = {0, 1, 2, 3};
    td_input_table table = {s->rows, nu, t, input, u};
    td_sim_options o = td_sim_options_default();
    o.t_final = t[s->rows - 1];
    o.dt_out = s->dt;
    o.rtol = 1e-8;
    o.atol = 1e-11;
    if (nu > 0) o.inputs = &table;
    for (int i = 0; i < nu; i++) r->state->u[i] = u[i];
    assert_int_equal(td_equilibrium(r->model, r->work, r->state, NULL, &rest), TD_OK);
    td_trajectory* y_t = NULL;
    assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &y_t), TD_OK);
    assert_int_equal(td_trajectory_rows(y_t), s->rows);
    for (int k = 0; k < s->rows; k++)
      memcpy(y + k * ns, td_trajectory_sensors(y_t, k), sizeof(double) * (size_t)ns);
    td_trajectory_free(y_t);
  }
  for (int k = 0; k < s->rows && !s->motion; k++) {
    for (int i = 0; i < nu; i++) r->state->u[i] = u[k * nu + i];
    assert_int_equal(td_equilibrium(r->model, r->work, r->state, NULL, &rest), TD_OK);
    assert_int_equal(td_sensors(r->model, r->state, r->work, y + k * ns), TD_OK);
  }
}

// Fit with many seeds; every parameter's interval must cover in the right share of them.
static void check_coverage(const subject* s) {
  const bool is_long = getenv("TENDRIL_LONG") != NULL;
  const int seeds = is_long ? 400 : 12, least = is_long ? 368 : 6, most = is_long ? 392 : 12;
  robot truth = open_model(s->text), r = open_model(s->text);
  const int nu = r.n.nu, ns = r.n.nsensor;
  double *t = calloc((size_t)s->rows, sizeof(double)),
         *u = calloc((size_t)(s->rows * nu) + 1, sizeof(double)),
         *y = calloc((size_t)(s->rows * ns), sizeof(double)),
         *noisy = calloc((size_t)(s->rows * ns), sizeof(double));
  int input[4] = {0, 1, 2, 3}, sensor[16], param[3], covered[3] = {0};
  double start[3];
  for (int k = 0; k < s->rows; k++) {
    t[k] = k * s->dt;
    for (int i = 0; i < nu; i++) u[k * nu + i] = s->input(k, i);
  }
  for (int i = 0; i < ns; i++) sensor[i] = i;
  for (int j = 0; j < s->nparam; j++) {
    param[j] = td_model_param_find(r.model, s->param[j]);
    start[j] = td_work_param(r.model, r.work, param[j]);
  }
  measure(&truth, s, t, u, y);

  for (int seed = 1; seed <= seeds; seed++) {
    uint64_t state = (uint64_t)seed;
    for (int i = 0; i < s->rows * ns; i++) noisy[i] = y[i] + s->noise * normal(&state);
    td_recordings* set;
    assert_int_equal(td_recordings_new(r.model, &set), TD_OK);
    td_recording rec = td_recording_default();
    rec.motion = s->motion;
    rec.rows = s->rows;
    rec.t = t;
    rec.ninput = nu, rec.input = input, rec.inputs = u;
    rec.nsensor = ns, rec.sensor = sensor, rec.data = noisy;
    char message[300];
    if (td_recordings_add(set, &rec, message, sizeof message) != TD_OK) fail_msg("%s", message);
    for (int j = 0; j < s->nparam; j++) td_work_set_param(r.model, r.work, param[j], start[j]);
    td_fit_options o = td_fit_options_default();
    o.param = param;
    o.nparam = s->nparam;
    o.score = false;
    o.tol = 1e-5;
    td_fit_result* fit = NULL;
    if (td_fit_params(r.model, r.work, set, &o, &fit) != TD_OK)
      fail_msg("seed %d: %s", seed, td_work_failure(r.work));
    for (int j = 0; j < s->nparam; j++)
      covered[j] += fit->low[j] <= s->truth[j] && s->truth[j] <= fit->high[j];
    td_fit_free(fit);
    td_recordings_free(set);
  }
  for (int j = 0; j < s->nparam; j++) {
    if (is_long) print_message("%s: covered in %d of %d\n", s->param[j], covered[j], seeds);
    if (covered[j] < least || covered[j] > most)
      fail_msg("%s: the interval covers %d of %d", s->param[j], covered[j], seeds);
  }
  free(t);
  free(u);
  free(y);
  free(noisy);
  close_model(&truth);
  close_model(&r);
}

static double pull(int row, int which) { return which == 0 ? 0.5 * (row + 1) : 0.2 * (5 - row); }

static void a_static_arm_with_cables(void** state) {
  (void)state;
  const subject s = {
      .text =
          "E = param('E', 3e5, [1e4 1e7], 'log'); rho = param('rho', 1300, [300 4000]);\n"
          "T = input('T', 0); S = input('S', 0); world.g = [0 0 -9.81];\n"
          "rod(1).model = 'gvs'; rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).E = E;\n"
          "rod(1).nu = 0.45; rod(1).rho = rho; rod(1).order = [-1 -1 0 2 2 0];\n"
          "rod(1).tr(1).rot = [2 pi/2];\n"
          "cable(1).path = [0.008 0]; cable(1).tension = T;\n"
          "cable(2).path = [0 0.008]; cable(2).tension = S;\n"
          "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.2);\n"
          "sensor(2).name = 'mid'; sensor(2).value = pos(rod(1), 0.1);\n",
      .param = {"E", "rho"},
      .truth = {4e5, 1100},
      .nparam = 2,
      .rows = 6,
      .noise = 1e-3,
      .input = pull};
  check_coverage(&s);
}

static double pressure(int row, int which) {
  (void)which;
  return 2e4 * (row < 8 ? row / 8.0 : 1) * (1 - 0.5 * (row > 20));
}

static void a_pneumatic_module_in_motion(void** state) {
  (void)state;
  const subject s = {
      .text =
          "E = param('E', 2e5, [1e4 1e7], 'log'); eta = param('eta', 1e3, [10 1e5], 'log');\n"
          "p = input('p', 0); world.g = [0 0 9.81];\n"
          "rod(1).model = 'gvs'; rod(1).length = 0.06; rod(1).radius = 0.011; rod(1).E = E;\n"
          "rod(1).nu = 0.45; rod(1).rho = 1080; rod(1).eta = eta;\n"
          "rod(1).order = [-1 -1 0 1 1 -1];\n"
          "chamber(1).rod = 1; chamber(1).offset = [0 0.0065]; chamber(1).area = 4e-5;\n"
          "chamber(1).pressure = p;\n"
          "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.06);\n",
      .param = {"E", "eta"},
      .truth = {1.5e5, 1.6e3},
      .nparam = 2,
      .motion = true,
      .rows = 31,
      .dt = 0.02,
      .noise = 2e-4,
      .input = pressure};
  check_coverage(&s);
}

static double push(int row, int which) {
  (void)which;
  return -0.3 * row;
}

static void a_net(void** state) {
  (void)state;
  const subject s = {
      .text =
          "k = param('k', 150, [10 2000], 'log'); m = param('m', 0.03, [0.001 0.2]);\n"
          "F = input('F', 0); world.g = [0 0 -9.81];\n"
          "mesh.grid = [5 5]; mesh.size = [0.4 0.4]; mesh.fixed = 'frame'; mesh.body.m = m;\n"
          "mesh.joint(1).tr.trans = [inf inf inf]; mesh.joint(2).spring.coeff = k;\n"
          "mesh.joint(2).spring.init = nan; mesh.joint(2).spring.compr = 0.95;\n"
          "mesh.joint(2).damp.visc = 0.05;\n"
          "exload(1).exbody = 13; exload(1).ftau = [0 0 F];\n"
          "sensor(1).name = 'middle'; sensor(1).value = pos(mesh(1), 13);\n"
          "sensor(2).name = 'corner'; sensor(2).value = pos(mesh(1), 7);\n",
      .param = {"k", "m"},
      .truth = {200, 0.02},
      .nparam = 2,
      .rows = 6,
      .noise = 1e-3,
      .input = push};
  check_coverage(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_static_arm_with_cables),
                                     cmocka_unit_test(a_pneumatic_module_in_motion),
                                     cmocka_unit_test(a_net)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
