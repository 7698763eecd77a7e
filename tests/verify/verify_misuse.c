// Callers' mistakes: every public function with NULL, numbers out of range and things of another
// model gives TD_E_USAGE or an empty value, and the library goes on.  The last test walks the
// headers: a function without a probe here fails it.
#include "check.h"
#include "tendril/accuracy.h"
#include "tendril/batch.h"
#include "tendril/control.h"
#include "tendril/estimate.h"
#include "tendril/generate.h"
#include "tendril/gradient.h"
#include "tendril/sweep.h"
#include "tendril/view.h"

// ---- probes that are counted ------------------------------------------------------------------

enum { MOST = 2000 };
static const char* probed[MOST];
static int nprobed;

// The call as it is written, "td_bias(m, NULL, ...)": its name counts as probed.
static void count(const char* call) {
  if (nprobed < MOST) probed[nprobed++] = call;
}

static void refused(const char* call, td_status status, int line) {
  count(call);
  if (status == TD_E_USAGE) return;
  print_error("line %d: %s gives '%s'\n", line, call, td_status_text(status));
  fail();
}
static void empty(const char* call, bool is, int line) {
  count(call);
  if (is) return;
  print_error("line %d: %s gives something\n", line, call);
  fail();
}
#define REFUSED(call) refused(#call, call, __LINE__)
#define NOTHING(call) empty(#call, (call) == NULL, __LINE__)
#define BLANK(call) empty(#call, *(call) == '\0', __LINE__)
#define NUMBER(call, want) empty(#call, (call) == (want), __LINE__)
#define NO_NUMBER(call) empty(#call, isnan(call), __LINE__)
#define DONE(call) (count(#call), call)

// ---- two robots -------------------------------------------------------------------------------

// The other one is larger: a state of the first is too short for it.
static const char cart[] =
    "world.g = [0 0 -9.81]; F = input('F', 0); m = param('m', 0.4); c = param('c', 1); k = "
    "param('k', 3); if k > 2, "
    "end\n"
    "body(1).m = 1.5; body(1).I = zeros(3); body(2).m = m; body(2).I = zeros(3);\n"
    "body(2).l_com = [0 0 -0.7]; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\n"
    "joint(1).dof(1).input = F; joint(2).first = 1; joint(2).second = 2;\n"
    "joint(2).tr(1).rot = [2 inf]; joint(2).dof(1).init = 0.1;\n"
    "sensor(1).name = 'x'; sensor(1).value = c * dof(joint(1), 1); sensor(1).noise = 0.01;\n"
    "par.t_final = 0.1; par.dt_out = 0.05;\n";
static const char arm[] =
    "world.g = [0 0 -9.81]; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e6;\n"
    "rod(1).rho = 1000; rod(1).model = 'ebr'; rod(1).n = 6; a = input('a', 0);\n"
    "load(1).exbody = rod(1); load(1).force = [a; 0; 0];\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);\n"
    "par.t_final = 0.01; par.dt_out = 0.005;\n";

typedef struct robot {
  td_spec* spec;
  td_model* m;
  td_work* w;
  td_state* s;
} robot;
static robot a, b;
static double buffer[4096];
static int whole[64];
enum { STRUCT_ROOM = 8192 };
static char message[200];

static void make(robot* r, const char* text) {
  r->spec = td_spec_new();
  td_spec_load_string(r->spec, "robot.m", text);
  const td_status status = td_model_compile(r->spec, &r->m);
  if (status != TD_OK) print_error("%s", td_spec_messages(r->spec));
  assert_int_equal(status, TD_OK);
  r->w = td_work_new(r->m);
  r->s = td_state_new(r->m);
  assert_int_equal(td_state_initial(r->m, r->w, r->s), TD_OK);
}

static int open_robots(void** state) {
  (void)state;
  make(&a, cart);
  make(&b, arm);
  return 0;
}

static int close_robots(void** state) {
  (void)state;
  robot* all[] = {&a, &b};
  for (int i = 0; i < 2; i++) {
    td_state_free(all[i]->s);
    td_work_free(all[i]->w);
    td_model_free(all[i]->m);
    td_spec_free(all[i]->spec);
  }
  return 0;
}

// ---- tendril.h --------------------------------------------------------------------------------

static void test_specs_and_texts(void** state) {
  (void)state;
  BLANK(td_status_text(TD_OK) + strlen(td_status_text(TD_OK)));
  assert_string_equal(td_status_text((td_status)99), "unknown status");
  assert_string_equal(DONE(td_strategy_text((td_strategy)99)), "unknown");
  assert_string_equal(DONE(td_stability_text((td_stability)99)), "unknown");
  assert_null(DONE(td_solver_name((td_solver)99)));
  assert_null(DONE(td_solver_name((td_solver)-1)));
  assert_int_equal(DONE(td_solver_named(NULL)), TD_SOLVER_COUNT);
  assert_int_equal(DONE(td_solver_named("magic")), TD_SOLVER_COUNT);
  for (td_solver k = TD_SOLVER_AUTO; k < TD_SOLVER_COUNT; k++)
    assert_int_equal(td_solver_named(td_solver_name(k)), k);
  assert_non_null(DONE(td_version()));
  td_spec* spec = DONE(td_spec_new());
  DONE(td_spec_free(NULL));

  REFUSED(td_spec_override(NULL, "m", "1"));
  REFUSED(td_spec_override(spec, NULL, "1"));
  REFUSED(td_spec_override(spec, "m", NULL));
  REFUSED(td_spec_allow_read(NULL, "x"));
  REFUSED(td_spec_beyond_ranges(NULL));
  REFUSED(td_spec_load_file(NULL, "x.m"));
  REFUSED(td_spec_load_file(spec, NULL));
  REFUSED(td_spec_load_string(NULL, "x", ""));
  REFUSED(td_spec_load_string(spec, NULL, ""));
  REFUSED(td_spec_load_string(spec, "x", NULL));
  REFUSED(td_spec_number(NULL, "body(1).m", 1));
  REFUSED(td_spec_number(spec, NULL, 1));
  REFUSED(td_spec_number(spec, "body(1).m", NAN));
  REFUSED(td_spec_matrix(spec, "body(1).I", 1, 2, (const double[]){1, NAN}));
  REFUSED(td_spec_matrix(NULL, "body(1).I", 1, 1, buffer));
  REFUSED(td_spec_matrix(spec, NULL, 1, 1, buffer));
  REFUSED(td_spec_matrix(spec, "body(1).I", -1, 1, buffer));
  REFUSED(td_spec_matrix(spec, "body(1).I", 1, -1, buffer));
  REFUSED(td_spec_matrix(spec, "body(1).I", 1, 1, NULL));
  REFUSED(td_spec_string(NULL, "body(1).name", "a"));
  REFUSED(td_spec_string(spec, NULL, "a"));
  REFUSED(td_spec_string(spec, "body(1).name", NULL));
  NUMBER(td_spec_message_count(NULL), 0);
  NUMBER(td_spec_error_count(NULL), 0);
  BLANK(td_spec_messages(NULL));
  BLANK(td_spec_message(NULL, 0).text);
  BLANK(td_spec_message(spec, -1).text);
  BLANK(td_spec_message(spec, 1 << 30).text);
  BLANK(td_spec_printed(NULL));
  NOTHING(td_spec_text(NULL, "par.post"));
  NOTHING(td_spec_text(spec, NULL));
  NO_NUMBER(td_spec_value(NULL, "par.fun"));
  NO_NUMBER(td_spec_value(spec, NULL));
  NUMBER(td_spec_wants(NULL, "q"), false);
  NUMBER(td_spec_wants(spec, NULL), false);
  NUMBER(td_spec_count(NULL, "rod"), 0);
  NUMBER(td_spec_count(spec, NULL), 0);
  const char *name, *text;
  double x;
  NUMBER(td_spec_param_about(NULL, 0, &name, &x, &text), false);
  NUMBER(td_spec_param_about(a.spec, -1, &name, &x, &text), false);
  NUMBER(td_spec_param_about(a.spec, 1 << 30, &name, &x, &text), false);
  NUMBER(td_spec_param_about(a.spec, 0, NULL, &x, &text), false);
  NUMBER(td_spec_param_about(a.spec, 0, &name, NULL, &text), false);
  NUMBER(td_spec_param_about(a.spec, 0, &name, &x, NULL), false);
  NOTHING(td_nearest(NULL, NULL, 0));
  NOTHING(td_nearest("a", NULL, 3));
  const char* const gaps[] = {NULL, "mass", NULL};
  assert_string_equal(td_nearest("masss", gaps, 3), "mass");

  td_model* m;
  REFUSED(td_model_compile(NULL, &m));
  REFUSED(td_model_compile(spec, NULL));
  DONE(td_model_free(NULL));
  td_spec_free(spec);
}

#define NAMES(f)            \
  do {                      \
    NOTHING(f(NULL, 0));    \
    NOTHING(f(a.m, -1));    \
    NOTHING(f(a.m, 99999)); \
  } while (0)
#define FINDS(f)              \
  do {                        \
    NUMBER(f(NULL, ""), -1);  \
    NUMBER(f(a.m, NULL), -1); \
  } while (0)

static void test_models(void** state) {
  (void)state;
  NUMBER(td_model_sizes(NULL).nv, 0);
  count("td_model_q_name(");
  NAMES(td_model_q_name);
  count("td_model_v_name(");
  NAMES(td_model_v_name);
  count("td_model_input_name(");
  NAMES(td_model_input_name);
  count("td_model_param_name(");
  NAMES(td_model_param_name);
  count("td_model_internal_name(");
  NAMES(td_model_internal_name);
  count("td_model_internal_unit(");
  NAMES(td_model_internal_unit);
  count("td_model_sensor_name(");
  NAMES(td_model_sensor_name);
  count("td_model_station_name(");
  NAMES(td_model_station_name);
  count("td_model_constraint_name(");
  NAMES(td_model_constraint_name);
  count("td_model_force_name(");
  NAMES(td_model_force_name);
  count("td_model_cable_name(");
  NAMES(td_model_cable_name);
  count("td_model_contact_name(");
  NAMES(td_model_contact_name);
  count("td_model_input_find(");
  FINDS(td_model_input_find);
  count("td_model_param_find(");
  FINDS(td_model_param_find);
  count("td_model_internal_find(");
  FINDS(td_model_internal_find);
  double range[2];
  NUMBER(td_model_param_range(NULL, 0, range, NULL), false);
  NUMBER(td_model_param_range(a.m, -1, range, NULL), false);
  NUMBER(td_model_param_range(a.m, 0, NULL, NULL), false);
  NUMBER(td_model_input_range(NULL, 0, range), false);
  NUMBER(td_model_input_range(a.m, 999, range), false);
  NUMBER(td_model_input_is_set(NULL, 0), false);
  NUMBER(td_model_input_is_set(a.m, -1), false);
  NUMBER(td_model_input_is_set(a.m, 999), false);
  count("td_model_sensor_find(");
  FINDS(td_model_sensor_find);
  NUMBER(td_model_is_controlled(NULL), false);
  NUMBER(td_model_uses_time(NULL), false);
  NUMBER(td_model_settings(NULL).t_final, 0);
  BLANK(td_model_linear(NULL).why);
  td_coordinate about;
  td_rod rod;
  td_mesh mesh;
  NUMBER(td_model_q_about(NULL, 0, &about), false);
  NUMBER(td_model_q_about(a.m, -1, &about), false);
  NUMBER(td_model_q_about(a.m, 999, &about), false);
  NUMBER(td_model_q_about(a.m, 0, NULL), false);
  NUMBER(td_model_v_about(NULL, 0, &about), false);
  NUMBER(td_model_v_about(a.m, -1, &about), false);
  NUMBER(td_model_v_about(a.m, 999, &about), false);
  NUMBER(td_model_v_about(a.m, 0, NULL), false);
  NUMBER(td_model_rod_about(NULL, 0, &rod), false);
  NUMBER(td_model_rod_about(b.m, -1, &rod), false);
  NUMBER(td_model_rod_about(b.m, 1, &rod), false);
  NUMBER(td_model_rod_about(b.m, 0, NULL), false);
  NUMBER(td_model_mesh_about(NULL, 0, &mesh), false);
  NUMBER(td_model_mesh_about(a.m, 0, &mesh), false);
  NUMBER(td_model_mesh_about(a.m, 0, NULL), false);
  BLANK(td_model_sensor_unit(NULL, 0));
  BLANK(td_model_sensor_unit(a.m, -1));
  BLANK(td_model_sensor_unit(a.m, 999));
  NUMBER(td_model_mesh_edge(NULL, 0, 0, whole), false);
  NUMBER(td_model_mesh_edge(a.m, -1, 0, whole), false);
  NUMBER(td_model_mesh_edge(a.m, 0, 999, whole), false);
  NUMBER(td_model_mesh_edge(a.m, 0, 0, NULL), false);
  NUMBER(td_model_force_ends(NULL, 0, whole), false);
  NUMBER(td_model_force_ends(a.m, -1, whole), false);
  NUMBER(td_model_force_ends(a.m, 999, whole), false);
  NUMBER(td_model_force_ends(a.m, 0, NULL), false);
  NUMBER(td_model_station_fixed(NULL, 0), false);
  NUMBER(td_model_station_fixed(a.m, -1), false);
  NUMBER(td_model_station_fixed(a.m, 999), false);
  NUMBER(td_model_station_rod(NULL, 0, buffer), 0);
  NUMBER(td_model_station_rod(b.m, -1, buffer), 0);
  NUMBER(td_model_station_rod(b.m, 999, buffer), 0);
  NUMBER(td_model_station_rod(b.m, 0, NULL), 0);
}

static void test_states_and_work(void** state) {
  (void)state;
  NOTHING(td_work_new(NULL));
  NOTHING(td_state_new(NULL));
  DONE(td_work_free(NULL));
  DONE(td_state_free(NULL));
  REFUSED(td_work_set_param(NULL, a.w, 0, 1));
  REFUSED(td_work_set_param(a.m, NULL, 0, 1));
  REFUSED(td_work_set_param(a.m, b.w, 0, 1));
  REFUSED(td_work_set_param(a.m, a.w, -1, 1));
  REFUSED(td_work_set_param(a.m, a.w, 99, 1));
  const int c = td_model_param_find(a.m, "c");
  REFUSED(td_work_set_param(a.m, a.w, c, NAN));
  REFUSED(td_work_set_param(a.m, a.w, c, INFINITY));
  assert_int_equal(td_work_set_param(a.m, a.w, 0, NAN), TD_E_MODEL);  // a mass: its rule tells more
  REFUSED(td_work_set_param(a.m, a.w, td_model_param_find(a.m, "k"), 4));  // used while loading
  NO_NUMBER(td_work_param(NULL, a.w, 0));
  NO_NUMBER(td_work_param(a.m, NULL, 0));
  NO_NUMBER(td_work_param(a.m, b.w, 0));
  NO_NUMBER(td_work_param(a.m, a.w, -1));
  NO_NUMBER(td_work_param(a.m, a.w, 99));
  REFUSED(td_state_copy(NULL, a.s, a.s));
  REFUSED(td_state_copy(a.m, NULL, a.s));
  REFUSED(td_state_copy(a.m, a.s, NULL));
  REFUSED(td_state_copy(b.m, a.s, b.s));
  REFUSED(td_state_copy(b.m, b.s, a.s));
  NOTHING(td_work_vdot(NULL));
  NOTHING(td_work_lambda(NULL));
  NUMBER(td_work_flags(NULL).constraint_rank, 0);
  BLANK(td_work_failure(NULL));
  REFUSED(td_work_pull(NULL, a.w, 0, buffer, buffer, 1, 1));
  REFUSED(td_work_pull(a.m, NULL, 0, buffer, buffer, 1, 1));
  REFUSED(td_work_pull(a.m, b.w, 0, buffer, buffer, 1, 1));
  REFUSED(td_work_pull(a.m, a.w, 999, buffer, buffer, 1, 1));
  REFUSED(td_work_pull(a.m, a.w, 0, NULL, buffer, 1, 1));
  REFUSED(td_work_pull(a.m, a.w, 0, buffer, NULL, 1, 1));
  REFUSED(td_work_pull(a.m, a.w, 0, buffer, buffer, NAN, 1));
  REFUSED(td_work_pull(a.m, a.w, 0, (const double[]){0, NAN, 0}, buffer, 1, 1));
  REFUSED(td_work_pull(a.m, a.w, 0, buffer, (const double[]){0, 0, INFINITY}, 1, 1));
  REFUSED(td_work_pull(a.m, a.w, 0, buffer, buffer, 1, NAN));
  REFUSED(td_work_pull(a.m, a.w, 0, buffer, buffer, 1, -1));
}

// Model, state and work: each absent and each of another robot, the larger one too.
#define TRIPLE(call)                                                                     \
  do {                                                                                   \
    const struct {                                                                       \
      td_model* m;                                                                       \
      td_state* s;                                                                       \
      td_work* w;                                                                        \
    } wrong[] = {{NULL, a.s, a.w}, {a.m, NULL, a.w}, {a.m, a.s, NULL}, {b.m, a.s, b.w},  \
                 {b.m, b.s, a.w},  {a.m, b.s, a.w},  {a.m, a.s, b.w},  {b.m, a.s, a.w}}; \
    for (int i_ = 0; i_ < 8; i_++) {                                                     \
      td_model* m = wrong[i_].m;                                                         \
      td_state* s = wrong[i_].s;                                                         \
      td_work* w = wrong[i_].w;                                                          \
      call;                                                                              \
    }                                                                                    \
  } while (0)

// Equal sizes do not make it the state of a robot: a slider's is none of a hinge's.  Another mass,
// or the same text once more, does not make it another robot.
static void test_states_know_their_robot(void** state) {
  (void)state;
  static const char* const text[] = {
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [3 inf];",
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];",
      "body(1).m = 2; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [3 inf];",
      ("body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [3 inf];"
       "joint(1).name = 'knee';")};
  td_model* m[4];
  for (int i = 0; i < 4; i++) {
    td_spec* spec = td_spec_new();
    assert_int_equal(td_spec_load_string(spec, "robot.m", text[i]), TD_OK);
    assert_int_equal(td_model_compile(spec, &m[i]), TD_OK);
    td_spec_free(spec);
  }
  td_work* w[4];
  td_state* s = td_state_new(m[0]);
  for (int i = 0; i < 4; i++) {
    w[i] = td_work_new(m[i]);
    assert_int_equal(td_forward_dynamics(m[i], s, w[i]), i == 1 || i == 3 ? TD_E_USAGE : TD_OK);
    assert_int_equal(td_state_initial(m[i], w[i], s), i == 1 || i == 3 ? TD_E_USAGE : TD_OK);
  }
  td_state_free(s);
  for (int i = 0; i < 4; i++) {
    td_work_free(w[i]);
    td_model_free(m[i]);
  }
}

static void test_equations(void** state) {
  (void)state;
  double *x = buffer, *y = buffer + 1000;
  TRIPLE(REFUSED(td_state_initial(m, w, s)));
  TRIPLE(REFUSED(td_taut_choose(m, s, w)));
  TRIPLE(REFUSED(td_forward_dynamics(m, s, w)));
  TRIPLE(REFUSED(td_residual(m, s, w, x, x, y)));
  REFUSED(td_residual(a.m, a.s, a.w, NULL, x, y));
  REFUSED(td_residual(a.m, a.s, a.w, x, x, NULL));
  TRIPLE(REFUSED(td_mass_matrix(m, s, w, x)));
  REFUSED(td_mass_matrix(a.m, a.s, a.w, NULL));
  TRIPLE(REFUSED(td_bias(m, s, w, x, y)));
  REFUSED(td_bias(a.m, a.s, a.w, NULL, y));
  REFUSED(td_bias(a.m, a.s, a.w, x, NULL));
  TRIPLE(REFUSED(td_tangent(m, s, w, x, x, y, y)));
  REFUSED(td_tangent(a.m, a.s, a.w, NULL, x, y, y));
  REFUSED(td_tangent(a.m, a.s, a.w, x, x, NULL, y));
  REFUSED(td_tangent(a.m, a.s, a.w, x, x, y, NULL));
  TRIPLE(REFUSED(td_internal_rates(m, s, w, x)));
  TRIPLE(REFUSED(td_internal_tangent(m, s, w, x, x, x, x)));
  TRIPLE(REFUSED(td_internal_map(m, s, w, x)));
  REFUSED(td_internal_map(a.m, a.s, a.w, NULL));
  TRIPLE(REFUSED(td_input_map(m, s, w, x)));
  REFUSED(td_input_map(a.m, a.s, a.w, NULL));
  TRIPLE(REFUSED(td_constraints(m, s, w, NULL, NULL, NULL)));
  TRIPLE(REFUSED(td_forward_tangent(m, s, w, x, y, NULL)));
  REFUSED(td_forward_tangent(a.m, a.s, a.w, NULL, y, NULL));
  REFUSED(td_forward_tangent(a.m, a.s, a.w, x, NULL, NULL));
  TRIPLE(NO_NUMBER(td_energy(m, s, w).kinetic));
  TRIPLE(REFUSED(td_sensors(m, s, w, x)));
  REFUSED(td_sensors(a.m, a.s, a.w, NULL));
  const int n = td_model_sizes(a.m).nstation;
  TRIPLE(REFUSED(td_station_positions(m, s, w, 0, 1, x)));
  REFUSED(td_station_positions(a.m, a.s, a.w, -1, 1, x));
  REFUSED(td_station_positions(a.m, a.s, a.w, 0, -1, x));
  REFUSED(td_station_positions(a.m, a.s, a.w, 0, n + 1, x));
  REFUSED(td_station_positions(a.m, a.s, a.w, 1 << 30, 1 << 30, x));
  REFUSED(td_station_positions(a.m, a.s, a.w, 0, 1, NULL));
  TRIPLE(REFUSED(td_station(m, s, w, 0, x, y)));
  REFUSED(td_station(a.m, a.s, a.w, -1, x, y));
  REFUSED(td_station(a.m, a.s, a.w, n, x, y));
  REFUSED(td_station(a.m, a.s, a.w, 0, NULL, y));
  REFUSED(td_station(a.m, a.s, a.w, 0, x, NULL));
  REFUSED(td_displace(NULL, x, x, x));
  REFUSED(td_displace(a.m, NULL, x, x));
  REFUSED(td_displace(a.m, x, NULL, x));
  REFUSED(td_displace(a.m, x, x, NULL));
  // numbers that are not finite: of the state, each in turn, and beside it
  const td_sizes size = td_model_sizes(b.m);
  memset(buffer, 0, sizeof buffer);
  double *half = buffer + 2000, *out = buffer + 3000;
  td_state* bad = td_state_new(b.m);
  for (int i = 0; i < 8; i++) {
    td_state_copy(b.m, b.s, bad);
    *(i / 2 == 0   ? &bad->t
      : i / 2 == 1 ? &bad->q[size.nq - 1]
      : i / 2 == 2 ? &bad->v[0]
                   : &bad->u[0]) = i % 2 ? NAN : -INFINITY;
    REFUSED(td_forward_dynamics(b.m, bad, b.w));
    REFUSED(td_sensors(b.m, bad, b.w, y));
    REFUSED(td_residual(b.m, bad, b.w, x, NULL, y));
    REFUSED(td_tangent(b.m, bad, b.w, x, NULL, y, y));
    REFUSED(td_mass_matrix(b.m, bad, b.w, y));
    REFUSED(td_bias(b.m, bad, b.w, y, y));
    REFUSED(td_input_map(b.m, bad, b.w, y));
    REFUSED(td_constraints(b.m, bad, b.w, y, y, y));
    REFUSED(td_forward_tangent(b.m, bad, b.w, y, y, y));
    REFUSED(td_station_positions(b.m, bad, b.w, 0, 1, y));
    REFUSED(td_station(b.m, bad, b.w, 0, x, y));
    REFUSED(td_taut_choose(b.m, bad, b.w));
    NO_NUMBER(td_energy(b.m, bad, b.w).kinetic);
    NO_NUMBER(td_energy(b.m, bad, b.w).gravity);
    td_modes_result* modes = NULL;
    td_linear* linear = NULL;
    td_response* response = NULL;
    td_trace_result* traced = NULL;
    td_trace_options range = td_trace_options_default();
    range.param = 0;
    td_table* table = NULL;
    td_plant* plant = NULL;
    td_observer* observer = NULL;
    td_trajectory* trajectory = NULL;
    td_equil_result rest;
    const td_sim_options how = td_sim_options_default();
    const td_observe_options watch = td_observe_options_default();
    const td_state* list[1] = {bad};
    REFUSED(td_modes(b.m, bad, b.w, &modes));
    REFUSED(td_linearize(b.m, bad, b.w, &linear));
    const td_by by = {TD_BY_PARAM, 0};
    REFUSED(td_equilibrium_gradient(b.m, bad, b.w, &by, 0, NULL, NULL, NULL, NULL, NULL));
    REFUSED(td_equilibrium_adjoint(b.m, bad, b.w, NULL, NULL, 0, &by, 0, NULL));
    REFUSED(td_limit_gradient(b.m, bad, b.w, by, &by, 0, NULL));
    REFUSED(td_response_new(b.m, bad, b.w, &response));
    REFUSED(td_modal_reduction(b.m, bad, b.w, 1, &linear));
    REFUSED(td_static_reduction(b.m, bad, b.w, 1, &linear));
    REFUSED(td_trace(b.m, b.w, bad, &range, &traced));
    REFUSED(td_shape_table(b.m, b.w, list, 1, &table));
    REFUSED(td_strain_table(b.m, b.w, list, 1, 0, &table));
    assert_int_equal(td_linearize(b.m, b.s, b.w, &linear), TD_OK);
    REFUSED(td_linear_state(b.m, linear, bad, b.s, out));
    REFUSED(td_linear_state(b.m, linear, b.s, bad, out));
    td_linear_free(linear);
    linear = NULL;
    REFUSED(td_equilibrium(b.m, b.w, bad, NULL, &rest));
    REFUSED(td_simulate(b.m, b.w, bad, &how, &trajectory));
    td_trajectory_free(trajectory);  // it says why
    REFUSED(td_plant_new(b.m, b.w, bad, &how, &plant));
    REFUSED(td_observer_new(b.m, b.w, bad, &watch, &observer));
  }
  td_state_free(bad);
  half[size.nv - 1] = NAN;
  REFUSED(td_residual(b.m, b.s, b.w, half, NULL, out));
  REFUSED(td_tangent(b.m, b.s, b.w, half, NULL, y, y));
  REFUSED(td_displace(b.m, b.s->q, half, out));
  half[size.nq - 1] = INFINITY;
  REFUSED(td_displace(b.m, half, x, out));
  for (int i = 0; i < size.nq; i++) assert_true(out[i] == 0);  // nothing was written
  // a state that the caller made himself is taken, but for arrays that are not there
  td_state own = {.t = 0, .q = a.s->q, .v = a.s->v, .u = a.s->u};
  assert_int_equal(td_forward_dynamics(a.m, &own, a.w), TD_OK);
  own.reserved[0] = a.s->q;  // a place kept free for later versions
  REFUSED(td_forward_dynamics(a.m, &own, a.w));
  own.reserved[0] = NULL;
  own.v = NULL;
  REFUSED(td_forward_dynamics(a.m, &own, a.w));
}

static void test_analyses(void** state) {
  (void)state;
  td_equil_options e = DONE(td_equil_options_default());
  td_equil_result er;
  TRIPLE(REFUSED(td_equilibrium(m, w, s, NULL, &er)));
  REFUSED(td_equilibrium(a.m, a.w, a.s, &e, NULL));
  e.tol = NAN;
  REFUSED(td_equilibrium(a.m, a.w, a.s, &e, &er));
  td_state* bad = td_state_new(a.m);
  td_state_copy(a.m, a.s, bad);
  bad->q[1] = NAN;
  REFUSED(td_equilibrium(a.m, a.w, bad, NULL, &er));

  td_modes_result* modes = NULL;
  TRIPLE(REFUSED(td_modes(m, s, w, &modes)));
  REFUSED(td_modes(a.m, a.s, a.w, NULL));
  DONE(td_modes_free(NULL));

  // error bars: NULL, and states and works of another model
  td_bars* bars = NULL;
  td_spec* text = td_spec_new();
  double bar[64];
  char said[40];
  REFUSED(td_bars_new(NULL, a.m, &bars));
  REFUSED(td_bars_new(text, NULL, &bars));
  REFUSED(td_bars_new(text, a.m, NULL));
  assert_int_equal(td_bars_new(text, a.m, &bars), TD_OK);  // without rods nothing is refined
  REFUSED(td_bars_equilibrium(bars, b.w, a.s, NULL, bar));
  REFUSED(td_bars_equilibrium(bars, a.w, b.s, NULL, bar));
  REFUSED(td_bars_equilibrium(bars, a.w, NULL, NULL, bar));
  REFUSED(td_bars_equilibrium(bars, NULL, a.s, NULL, bar));
  REFUSED(td_bars_equilibrium(NULL, a.w, a.s, NULL, bar));
  REFUSED(td_bars_equilibrium(bars, a.w, a.s, NULL, NULL));
  REFUSED(td_bars_modes(bars, a.w, a.s, NULL, bar));
  REFUSED(td_bars_modes(NULL, a.w, a.s, modes, bar));
  td_trajectory* barred = NULL;
  double *half = NULL, reached[4];
  REFUSED(td_bars_simulate(NULL, text, a.w, a.s, TD_START_INITIAL, NULL, &barred, &half, reached));
  REFUSED(td_bars_simulate(bars, text, b.w, a.s, TD_START_INITIAL, NULL, &barred, &half, reached));
  REFUSED(td_bars_simulate(bars, text, a.w, a.s, TD_START_INITIAL, NULL, NULL, &half, reached));
  REFUSED(td_bars_simulate(bars, text, a.w, a.s, TD_START_INITIAL, NULL, &barred, NULL, reached));
  REFUSED(td_trajectory_write_errors(NULL, text, "a", false, bar, NULL));
  DONE(td_bars_drop(NULL));
  assert_true(isnan(DONE(td_bars_scale(NULL, 0, bar))));
  assert_true(isnan(DONE(td_bars_scale(bars, -1, bar))));
  assert_int_equal(DONE(td_bars_trust(NULL, NULL)), TD_TRUST_LOOK);
  assert_true(isnan(DONE(td_model_accuracy(NULL, NULL))));
  assert_true(isnan(DONE(td_sensor_accuracy(NULL, 0))));
  assert_true(isnan(DONE(td_sensor_accuracy(a.m, -1))));
  assert_true(isnan(DONE(td_sensor_accuracy(a.m, 1000))));
  td_model* chosen = NULL;
  REFUSED(td_model_choose(NULL, 1e-3, &chosen, said, sizeof said));
  REFUSED(td_model_choose(text, 1e-3, &chosen, said, sizeof said));
  REFUSED(td_model_choose(text, 1e-3, NULL, said, sizeof said));
  DONE(td_bars_free(bars));
  DONE(td_bars_free(NULL));
  td_spec_free(text);
  td_trace_options t = DONE(td_trace_options_default());
  td_trace_result* traced = NULL;
  t.param = 0;
  TRIPLE(REFUSED(td_trace(m, w, s, &t, &traced)));
  REFUSED(td_trace(a.m, a.w, a.s, NULL, &traced));
  REFUSED(td_trace(a.m, a.w, a.s, &t, NULL));
  t.from = NAN;
  REFUSED(td_trace(a.m, a.w, a.s, &t, &traced));
  t.from = 0;
  t.param = 99;
  REFUSED(td_trace(a.m, a.w, a.s, &t, &traced));
  DONE(td_trace_free(NULL));
  td_linear* linear = NULL;
  TRIPLE(REFUSED(td_linearize(m, s, w, &linear)));
  REFUSED(td_linearize(a.m, a.s, a.w, NULL));
  DONE(td_linear_free(NULL));

  const td_by by = {TD_BY_PARAM, 0}, far = {TD_BY_PARAM, 99}, place = {TD_BY_POSITION, 0};
  double change[8];
  TRIPLE(REFUSED(td_equilibrium_gradient(m, s, w, &by, 0, NULL, NULL, NULL, NULL, NULL)));
  REFUSED(td_equilibrium_gradient(a.m, a.s, a.w, NULL, 1, change, NULL, NULL, NULL, NULL));
  REFUSED(td_equilibrium_gradient(a.m, a.s, a.w, &far, 1, change, NULL, NULL, NULL, NULL));
  REFUSED(td_equilibrium_gradient(a.m, a.s, a.w, &place, 1, change, NULL, NULL, NULL, NULL));
  REFUSED(td_equilibrium_gradient(a.m, a.s, a.w, &by, -1, change, NULL, NULL, NULL, NULL));
  TRIPLE(REFUSED(td_equilibrium_adjoint(m, s, w, NULL, NULL, 0, &by, 0, change)));
  REFUSED(td_equilibrium_adjoint(a.m, a.s, a.w, NULL, NULL, 0, NULL, 1, change));
  REFUSED(td_equilibrium_adjoint(a.m, a.s, a.w, NULL, NULL, 0, &by, 1, NULL));
  REFUSED(td_linearize_gradient(a.m, a.s, a.w, NULL, &by, 1, NULL, NULL, NULL, NULL));
  REFUSED(td_modes_gradient(a.m, a.s, a.w, NULL, &by, 1, change, NULL, NULL, NULL, NULL));
  TRIPLE(REFUSED(td_limit_gradient(m, s, w, by, &by, 0, NULL)));
  REFUSED(td_limit_gradient(a.m, a.s, a.w, far, &by, 1, change));
  REFUSED(td_limit_gradient(a.m, a.s, a.w, by, &by, 1, NULL));
  BLANK(td_work_gradient_note(NULL));
  td_sensitivity* moved = NULL;
  td_trajectory* path = NULL;
  TRIPLE(REFUSED(td_simulate_gradient(m, w, s, NULL, TD_START_GIVEN, &by, 0, &path, &moved)));
  REFUSED(td_simulate_gradient(a.m, a.w, a.s, NULL, TD_START_GIVEN, &by, 0, NULL, &moved));
  REFUSED(td_simulate_gradient(a.m, a.w, a.s, NULL, TD_START_GIVEN, &by, 0, &path, NULL));
  REFUSED(td_simulate_gradient(a.m, a.w, a.s, NULL, TD_START_GIVEN, NULL, 1, &path, &moved));
  TRIPLE(REFUSED(
      td_simulate_adjoint(m, w, s, NULL, TD_START_GIVEN, NULL, NULL, &by, 0, &path, change)));
  REFUSED(
      td_simulate_adjoint(a.m, a.w, a.s, NULL, TD_START_GIVEN, NULL, NULL, &by, 1, &path, change));
  BLANK(td_sensitivity_note(NULL));
  NOTHING(td_sensitivity_q(NULL, 0));
  NOTHING(td_sensitivity_v(NULL, 0));
  NOTHING(td_sensitivity_z(NULL, 0));
  NOTHING(td_sensitivity_sensors(NULL, 0));
  NUMBER(td_sensitivity_rows(NULL), 0);
  DONE(td_sensitivity_free(NULL));
  NUMBER(td_by_allowed(NULL, by), false);
  NUMBER(td_by_allowed(a.m, far), false);

  td_sim_options o = DONE(td_sim_options_default());
  td_trajectory* run = NULL;
  TRIPLE(REFUSED(td_simulate(m, w, s, &o, &run)));
  REFUSED(td_simulate(a.m, a.w, a.s, &o, NULL));
  o.belief = b.w;
  REFUSED(td_simulate(a.m, a.w, a.s, &o, &run));
  o.belief = NULL;
  REFUSED(td_simulate(a.m, a.w, bad, &o, &run));
  td_trajectory_free(run);
  o.rtol = -1;
  REFUSED(td_simulate(a.m, a.w, a.s, &o, &run));
  td_trajectory_free(run);
  o = td_sim_options_default();
  o.t_final = INFINITY;
  REFUSED(td_simulate(a.m, a.w, a.s, &o, &run));
  td_trajectory_free(run);
  for (int i = 0; i < 2; i++) {
    o = td_sim_options_default();
    o.solver = (td_solver)(i ? 99 : -1);
    REFUSED(td_simulate(a.m, a.w, a.s, &o, &run));
    td_trajectory_free(run);
    td_plant* plant = NULL;
    REFUSED(td_plant_new(a.m, a.w, a.s, &o, &plant));
  }
  const td_code_source dry = {NULL, NULL};
  o = td_sim_options_default();
  o.code = &dry;
  REFUSED(td_simulate(a.m, a.w, a.s, &o, &run));
  td_trajectory_free(run);
  td_state_copy(a.m, a.s, bad);
  assert_int_equal(td_simulate(a.m, a.w, bad, NULL, &run), TD_OK);

  DONE(td_trajectory_free(NULL));
  NUMBER(td_trajectory_rows(NULL), 0);
  NO_NUMBER(td_trajectory_time(NULL, 0));
  NO_NUMBER(td_trajectory_time(run, -1));
  NO_NUMBER(td_trajectory_time(run, td_trajectory_rows(run)));
  NOTHING(td_trajectory_q(NULL, 0));
  NOTHING(td_trajectory_q(run, -1));
  NOTHING(td_trajectory_q(run, td_trajectory_rows(run)));
  NOTHING(td_trajectory_v(NULL, 0));
  NOTHING(td_trajectory_v(run, -1));
  NOTHING(td_trajectory_z(NULL, 0));
  NOTHING(td_trajectory_z(run, -1));
  NOTHING(td_trajectory_sensors(NULL, 0));
  NOTHING(td_trajectory_sensors(run, 1 << 30));
  NOTHING(td_trajectory_energy(NULL, 0));
  NOTHING(td_trajectory_energy(run, -1));
  NOTHING(td_trajectory_inputs(NULL, 0));
  NOTHING(td_trajectory_inputs(run, -1));
  NOTHING(td_trajectory_memory(NULL, 0));
  NOTHING(td_trajectory_memory(run, -1));
  NOTHING(td_trajectory_stats(NULL));
  BLANK(td_trajectory_diagnosis(NULL));
  NUMBER(td_trajectory_trust(NULL, NULL), TD_TRUST_WRONG);
  NUMBER(td_trajectory_event_count(NULL), 0);
  double time;
  int event;
  REFUSED(td_trajectory_event(NULL, 0, &time, &event));
  REFUSED(td_trajectory_event(run, -1, &time, &event));
  REFUSED(td_trajectory_event(run, 0, &time, &event));
  td_trajectory_free(run);
  td_state_free(bad);
}

// ---- control.h --------------------------------------------------------------------------------

static void test_control(void** state) {
  (void)state;
  double *x = buffer, *y = buffer + 1000;
  REFUSED(td_lqr(-1, 1, x, x, x, x, y, NULL, NULL));
  REFUSED(td_lqr(1, -1, x, x, x, x, y, NULL, NULL));
  REFUSED(td_lqr(1, 1, NULL, x, x, x, y, NULL, NULL));
  REFUSED(td_lqr(1, 1, x, NULL, x, x, y, NULL, NULL));
  REFUSED(td_lqr(1, 1, x, x, NULL, x, y, NULL, NULL));
  REFUSED(td_lqr(1, 1, x, x, x, NULL, y, NULL, NULL));
  REFUSED(td_lqr(1, 1, x, x, x, x, NULL, NULL, NULL));
  REFUSED(td_kalman(-1, 1, x, x, x, x, y, NULL, NULL));
  REFUSED(td_kalman(1, 1, NULL, x, x, x, y, NULL, NULL));
  REFUSED(td_kalman(1, 1, x, NULL, x, x, y, NULL, NULL));
  REFUSED(td_kalman(1, 1, x, x, NULL, x, y, NULL, NULL));
  REFUSED(td_kalman(1, 1, x, x, x, NULL, y, NULL, NULL));
  REFUSED(td_kalman(1, 1, x, x, x, x, NULL, NULL, NULL));
  REFUSED(td_poles(NULL, 1, x, y));
  REFUSED(td_poles(x, -1, x, y));
  REFUSED(td_poles(x, 1, NULL, y));
  REFUSED(td_poles(x, 1, x, NULL));

  // numbers that are not finite, in each matrix in turn
  for (int i = 0; i < 4; i++) {
    double part[4] = {1, 1, 1, 1};
    part[i] = i % 2 ? NAN : INFINITY;
    REFUSED(td_lqr(1, 1, &part[0], &part[1], &part[2], &part[3], y, NULL, NULL));
    REFUSED(td_kalman(1, 1, &part[0], &part[1], &part[2], &part[3], y, NULL, NULL));
    if (i < 2) REFUSED(td_poles(&part[i], 1, y, y + 1));
  }

  td_linear* linear = NULL;
  td_structure structure;
  assert_int_equal(td_linearize(a.m, a.s, a.w, &linear), TD_OK);
  for (int i = 0; i < 4; i++) {
    double* number = i == 0 ? linear->A : i == 1 ? linear->B : i == 2 ? linear->C : linear->D;
    const double old = *number;
    *number = i % 2 ? NAN : -INFINITY;
    REFUSED(td_linear_structure(linear, &structure));
    REFUSED(td_frequency_response(linear, 1, x));
    *number = old;
  }
  REFUSED(td_linear_structure(NULL, &structure));
  REFUSED(td_linear_structure(linear, NULL));
  REFUSED(td_frequency_response(NULL, 1, x));
  REFUSED(td_frequency_response(linear, NAN, x));
  REFUSED(td_frequency_response(linear, 1, NULL));
  REFUSED(td_linear_state(NULL, linear, a.s, a.s, x));
  REFUSED(td_linear_state(a.m, NULL, a.s, a.s, x));
  REFUSED(td_linear_state(a.m, linear, NULL, a.s, x));
  REFUSED(td_linear_state(a.m, linear, a.s, NULL, x));
  REFUSED(td_linear_state(a.m, linear, a.s, b.s, x));
  REFUSED(td_linear_state(b.m, linear, b.s, b.s, x));
  REFUSED(td_linear_state(a.m, linear, a.s, a.s, NULL));
  // one that the caller made himself: the matrices that have elements must be there
  for (int i = 0; i < 4; i++) {
    td_linear hollow = *linear;
    *(i == 0 ? &hollow.A : i == 1 ? &hollow.B : i == 2 ? &hollow.C : &hollow.D) = NULL;
    REFUSED(td_linear_structure(&hollow, &structure));
    REFUSED(td_frequency_response(&hollow, 1, x));
  }
  td_linear_free(linear);

  td_response* response = NULL;
  TRIPLE(REFUSED(td_response_new(m, s, w, &response)));
  REFUSED(td_response_new(a.m, a.s, a.w, NULL));
  assert_int_equal(td_response_new(a.m, a.s, a.w, &response), TD_OK);
  DONE(td_response_free(NULL));
  NUMBER(td_response_count(NULL), 0);
  NUMBER(td_response_output(NULL, 0), -1);
  NUMBER(td_response_output(response, -1), -1);
  NUMBER(td_response_output(response, 99), -1);
  BLANK(td_response_note(NULL));
  REFUSED(td_response_at(NULL, 1, x));
  REFUSED(td_response_at(response, NAN, x));
  REFUSED(td_response_at(response, 1, NULL));
  td_response_free(response);
  linear = NULL;
  TRIPLE(REFUSED(td_modal_reduction(m, s, w, 1, &linear)));
  REFUSED(td_modal_reduction(a.m, a.s, a.w, 0, &linear));
  REFUSED(td_modal_reduction(a.m, a.s, a.w, 1, NULL));
  TRIPLE(REFUSED(td_static_reduction(m, s, w, 1, &linear)));
  REFUSED(td_static_reduction(a.m, a.s, a.w, -3, &linear));
  REFUSED(td_static_reduction(a.m, a.s, a.w, 1, NULL));
}

static void test_plants_and_observers(void** state) {
  (void)state;
  td_plant* plant = NULL;
  td_sim_options o = td_sim_options_default();
  TRIPLE(REFUSED(td_plant_new(m, w, s, &o, &plant)));
  REFUSED(td_plant_new(a.m, a.w, a.s, &o, NULL));
  o.rtol = 2;
  REFUSED(td_plant_new(a.m, a.w, a.s, &o, &plant));
  assert_int_equal(td_plant_new(a.m, a.w, a.s, NULL, &plant), TD_OK);
  DONE(td_plant_free(NULL));
  NOTHING(td_plant_state(NULL));
  const double nan = NAN;
  REFUSED(td_plant_inputs(NULL, buffer));
  REFUSED(td_plant_inputs(plant, NULL));
  REFUSED(td_plant_inputs(plant, &nan));
  REFUSED(td_plant_step(NULL, 1));
  REFUSED(td_plant_step(plant, NAN));
  REFUSED(td_plant_step(plant, -1));
  REFUSED(td_plant_drive(NULL, 1, NULL, NULL));
  REFUSED(td_plant_drive(plant, NAN, NULL, NULL));
  REFUSED(td_plant_drive(plant, 1, &nan, NULL));
  NUMBER(td_plant_pause(NULL, 0, NULL), 0);
  REFUSED(td_plant_reset(NULL, a.s));
  REFUSED(td_plant_reset(plant, NULL));
  REFUSED(td_plant_reset(plant, b.s));
  NUMBER(td_plant_stats(NULL).steps, 0);
  NUMBER(td_plant_trust(NULL, NULL), TD_TRUST_WRONG);
  assert_int_equal(td_plant_step(plant, 0.01), TD_OK);
  td_plant_free(plant);

  td_observer* observer = NULL;
  td_observe_options p = DONE(td_observe_options_default());
  TRIPLE(REFUSED(td_observer_new(m, w, s, &p, &observer)));
  REFUSED(td_observer_new(a.m, a.w, a.s, &p, NULL));
  const td_unknown none = {.is_param = true, .index = 99, .sigma = 1};
  p.nunknown = 1;
  REFUSED(td_observer_new(a.m, a.w, a.s, &p, &observer));
  p.unknown = &none;
  REFUSED(td_observer_new(a.m, a.w, a.s, &p, &observer));
  p = td_observe_options_default();
  p.sigma_q = NAN;
  REFUSED(td_observer_new(a.m, a.w, a.s, &p, &observer));
  for (int i = 0; i < 6; i++) {
    const double noise[] = {-1, NAN, INFINITY};
    const td_unknown vague = {.is_param = true, .index = 0, .sigma = NAN};
    p = td_observe_options_default();
    if (i < 3) p.noise = &noise[i];
    if (i == 3) p.filter = (td_filter)99;
    td_sim_options sim = td_sim_options_default();
    sim.solver = (td_solver)99;
    if (i == 4) p.sim = &sim;
    if (i == 5) p.unknown = &vague, p.nunknown = 1;
    REFUSED(td_observer_new(a.m, a.w, a.s, &p, &observer));
  }
  p = td_observe_options_default();
  assert_int_equal(td_observer_new(a.m, a.w, a.s, &p, &observer), TD_OK);
  const double endless = INFINITY;
  REFUSED(td_observer_step(observer, 1, buffer, &endless));
  DONE(td_observer_free(NULL));
  REFUSED(td_observer_step(NULL, 1, buffer, buffer));
  REFUSED(td_observer_step(observer, 1, NULL, buffer));
  REFUSED(td_observer_step(observer, 1, buffer, NULL));
  REFUSED(td_observer_step(observer, NAN, buffer, buffer));
  REFUSED(td_observer_step(observer, INFINITY, buffer, buffer));
  REFUSED(td_observer_step(observer, 1, &nan, buffer));
  NOTHING(td_observer_state(NULL));
  NO_NUMBER(td_observer_unknown(NULL, 0));
  NO_NUMBER(td_observer_unknown(observer, -1));
  NO_NUMBER(td_observer_unknown(observer, 0));
  NUMBER(td_observer_size(NULL), 0);
  REFUSED(td_observer_covariance(NULL, NULL, NULL));
  int n;
  NO_NUMBER(td_observer_innovation(NULL, NULL, NULL, &n));
  NO_NUMBER(td_observer_innovation(observer, NULL, NULL, NULL));
  td_observer_free(observer);
}

// ---- estimate.h -------------------------------------------------------------------------------

static void test_fits(void** state) {
  (void)state;
  td_recordings *set = NULL, *other = NULL;
  td_fit_result* fit = NULL;
  REFUSED(td_recordings_new(NULL, &set));
  REFUSED(td_recordings_new(a.m, NULL));
  REFUSED(td_recordings_read(NULL, a.m, &set, message, sizeof message));
  REFUSED(td_recordings_read(a.spec, NULL, &set, message, sizeof message));
  REFUSED(td_recordings_read(a.spec, a.m, NULL, message, sizeof message));
  assert_int_equal(td_recordings_new(a.m, &set), TD_OK);
  assert_int_equal(td_recordings_new(b.m, &other), TD_OK);
  td_recording rec = DONE(td_recording_default());
  REFUSED(td_recordings_add(NULL, &rec, message, sizeof message));
  REFUSED(td_recordings_add(set, NULL, message, sizeof message));
  REFUSED(td_recordings_add(set, &rec, NULL, 0));
  rec.rows = 1;
  rec.nsensor = 1;
  const int far = 99;
  const double one = 1;
  rec.sensor = &far;
  rec.data = &one;
  REFUSED(td_recordings_add(set, &rec, message, sizeof message));
  DONE(td_recording_fill(NULL, 8));
  const td_prior prior = {99, 1, 1}, vague = {0, NAN, 1}, sharp = {0, 1, 0};
  REFUSED(td_recordings_prior(NULL, &prior));
  REFUSED(td_recordings_prior(set, NULL));
  REFUSED(td_recordings_prior(set, &prior));
  REFUSED(td_recordings_prior(set, &vague));
  REFUSED(td_recordings_prior(set, &sharp));
  NUMBER(td_recordings_count(NULL), 0);
  NOTHING(td_recordings_name(NULL, 0));
  NOTHING(td_recordings_name(set, 0));
  td_fit_options o = DONE(td_fit_options_default());
  DONE(td_fit_options_fill(NULL, 8));
  const int first = 0;
  o.param = &first;
  o.nparam = 1;
  REFUSED(td_fit_params(NULL, a.w, set, &o, &fit));
  REFUSED(td_fit_params(a.m, NULL, set, &o, &fit));
  REFUSED(td_fit_params(a.m, b.w, set, &o, &fit));
  REFUSED(td_fit_params(a.m, a.w, NULL, &o, &fit));
  REFUSED(td_fit_params(a.m, a.w, other, &o, &fit));
  REFUSED(td_fit_params(a.m, a.w, set, &o, NULL));
  o.param = &far;
  REFUSED(td_fit_params(a.m, a.w, set, &o, &fit));
  o.nparam = 0;
  REFUSED(td_fit_params(a.m, a.w, set, &o, &fit));
  char* text = NULL;
  REFUSED(td_spec_rewrite(NULL, NULL, NULL, 0, &text, message, sizeof message));
  REFUSED(td_spec_rewrite(a.spec, NULL, NULL, 1, &text, message, sizeof message));
  REFUSED(td_spec_rewrite(a.spec, NULL, NULL, 0, NULL, message, sizeof message));
  REFUSED(td_fit_page(NULL, "x", a.m, set, NULL, NULL));
  DONE(td_fit_free(NULL));
  DONE(td_recordings_free(NULL));
  td_recordings_free(set);
  td_recordings_free(other);
}

// ---- tools.h, generate.h, view.h --------------------------------------------------------------

static void test_files(void** state) {
  (void)state;
  REFUSED(td_state_parse(NULL, "{}", a.s, message, sizeof message));
  REFUSED(td_state_parse(a.m, NULL, a.s, message, sizeof message));
  REFUSED(td_state_parse(a.m, "{}", NULL, message, sizeof message));
  REFUSED(td_state_parse(b.m, "{}", a.s, message, sizeof message));
  REFUSED(td_state_parse(a.m, "{}", a.s, NULL, 10));
  REFUSED(td_state_read(NULL, "x", NAN, a.s, message, sizeof message));
  REFUSED(td_state_read(a.m, NULL, NAN, a.s, message, sizeof message));
  REFUSED(td_state_read(a.m, "x", NAN, NULL, message, sizeof message));
  REFUSED(td_state_read(b.m, "x", NAN, a.s, message, sizeof message));
  REFUSED(td_state_read(a.m, "x", NAN, a.s, NULL, 10));

  char place[200];
  assert_true(check_directory(place, sizeof place));
  td_files* files = NULL;
  const td_matrix list = {"a", "", 1, 1, 1, buffer, NULL}, hollow = {"a", "", 1, 1, 1, NULL, NULL};
  REFUSED(td_files_open(NULL, &files, message, sizeof message));
  REFUSED(td_files_open(place, NULL, message, sizeof message));
  REFUSED(td_files_open(place, &files, NULL, 10));
  assert_int_equal(td_files_open(place, &files, message, sizeof message), TD_OK);
  DONE(td_files_close(NULL));
  REFUSED(td_files_text(NULL, "a", ""));
  REFUSED(td_files_text(files, NULL, ""));
  REFUSED(td_files_text(files, "a", NULL));
  REFUSED(td_files_csv(NULL, "a", &list, 1));
  REFUSED(td_files_csv(files, NULL, &list, 1));
  REFUSED(td_files_csv(files, "a", NULL, 1));
  REFUSED(td_files_csv(files, "a", &list, -1));
  REFUSED(td_files_csv(files, "a", &hollow, 1));
  REFUSED(td_files_h5(NULL, "a", &list, 1, NULL, 0));
  const char* const one = "t";
  char unit[8];
  REFUSED(td_h5_units(NULL, &one, 1, unit, sizeof unit));
  REFUSED(td_h5_units("a", NULL, 1, unit, sizeof unit));
  REFUSED(td_h5_units("a", &one, -1, unit, sizeof unit));
  REFUSED(td_h5_units("a", &one, 1, NULL, sizeof unit));
  REFUSED(td_h5_units("a", &one, 1, unit, 0));
  assert_int_equal(td_h5_units("no file", &one, 1, unit, sizeof unit), TD_E_IO);
  assert_string_equal(unit, "");
  REFUSED(td_files_h5(files, NULL, &list, 1, NULL, 0));
  REFUSED(td_files_h5(files, "a", NULL, 1, NULL, 0));
  REFUSED(td_files_h5(files, "a", &list, -1, NULL, 0));
  REFUSED(td_files_h5(files, "a", &list, 1, NULL, 1));
  REFUSED(td_files_h5(files, "a", &hollow, 1, NULL, 0));
  const char* const lost[] = {NULL};
  const td_matrix wordless = {"a", "", 1, 1, 1, NULL, lost},
                  bare = {"a", NULL, 1, 1, 1, buffer, NULL};
  const td_note blank[] = {{NULL, NULL}, {"a", NULL}, {NULL, "a"}};
  REFUSED(td_files_csv(files, "a", &wordless, 1));
  REFUSED(td_files_h5(files, "a", &wordless, 1, NULL, 0));
  REFUSED(td_files_mat(files, "a", &wordless, 1));
  REFUSED(td_files_h5(files, "a", &bare, 1, NULL, 0));
  for (int i = 0; i < 3; i++) REFUSED(td_files_h5(files, "a", &list, 1, &blank[i], 1));
  REFUSED(td_files_mat(NULL, "a", &list, 1));
  REFUSED(td_files_mat(files, NULL, &list, 1));
  REFUSED(td_files_mat(files, "a", NULL, 1));
  REFUSED(td_files_mat(files, "a", &list, -1));
  REFUSED(td_files_mat(files, "a", &hollow, 1));
  DONE(td_columns_free(NULL));
  DONE(td_columns_add(NULL, "a", "", 1, 1, buffer));
  DONE(td_columns_add_other(NULL, "a", "", "", 1, 1, buffer));
  DONE(td_columns_add_words(NULL, "a", 1, lost));
  DONE(td_columns_add_state(NULL, NULL, a.m, 1, 1, buffer, true));
  for (int i = 0; i < 7; i++) {
    td_columns* columns = DONE(td_columns_new());
    if (i == 0) td_columns_add(columns, NULL, "", 1, 1, buffer);
    if (i == 1) td_columns_add(columns, "a", NULL, 1, 1, buffer);
    if (i == 2) td_columns_add(columns, "a", "", -1, 1, buffer);
    if (i == 3) td_columns_add(columns, "a", "", 1, 1, NULL);
    if (i == 4) td_columns_add_other(columns, NULL, NULL, "", 1, 1, buffer);
    if (i == 5) td_columns_add_words(columns, "a", 1, NULL);
    if (i == 6) td_columns_add_state(columns, NULL, NULL, 1, 1, buffer, true);
    REFUSED(td_columns_csv(columns, files, "a"));
    REFUSED(td_columns_mat(columns, files, "a"));
    REFUSED(td_columns_h5(columns, files, "a", NULL, 0));
    REFUSED(td_columns_csv(columns, NULL, "a"));
    REFUSED(td_columns_mat(columns, files, NULL));
    REFUSED(td_columns_h5(NULL, files, "a", NULL, 0));
    td_columns_free(columns);
  }
  REFUSED(td_trajectory_write(NULL, NULL, "a", false, files));
  REFUSED(td_trajectory_save(NULL, "a", "b", message, sizeof message));
  REFUSED(td_files_commit(NULL));
  NUMBER(td_files_count(NULL), 0);
  NOTHING(td_files_name(NULL, 0));
  NOTHING(td_files_name(files, -1));
  NOTHING(td_files_name(files, 1));
  BLANK(td_files_error(NULL));
  DONE(td_files_progress(NULL, NULL, NULL));
  NUMBER(td_parts(NULL, 3), 0);

  REFUSED(td_export_c(NULL, "a", files));
  REFUSED(td_export_c(a.m, NULL, files));
  REFUSED(td_export_c(a.m, "a", NULL));
  REFUSED(td_export_fmu(NULL, "a", 2, files, message, sizeof message));
  REFUSED(td_export_fmu(a.m, NULL, 2, files, message, sizeof message));
  REFUSED(td_export_fmu(a.m, "a", 1, files, message, sizeof message));
  REFUSED(td_export_fmu(a.m, "a", 2, NULL, message, sizeof message));
  REFUSED(td_export_fmu(a.m, "a", 2, files, NULL, 10));
  td_derived* derived = NULL;
  REFUSED(td_derive(NULL, NULL, &derived, message, sizeof message));
  REFUSED(td_derive(a.m, NULL, NULL, message, sizeof message));
  REFUSED(td_derive(a.m, NULL, &derived, NULL, 10));
  const td_derive_options names[] = {{.size = sizeof names[0], .nsymbolic = 3},
                                     {.size = sizeof names[0], .nsymbolic = 1, .symbolic = lost},
                                     {.size = sizeof names[0], .nsymbolic = -1}};
  for (int i = 0; i < 3; i++) {
    message[0] = '\0';
    REFUSED(td_derive(a.m, &names[i], &derived, message, sizeof message));
    assert_true(message[0] != '\0');
    assert_int_equal(td_derive(a.m, &names[i], &derived, NULL, 0), TD_E_USAGE);
  }
  assert_int_equal(td_derive(a.m, NULL, &derived, message, sizeof message), TD_OK);
  DONE(td_derived_free(NULL));
  NUMBER(td_derived_size(NULL), 0);
  REFUSED(td_derive_write(NULL, derived, "a", TD_DERIVE_C, TD_DERIVE_WHOLE, files));
  REFUSED(td_derive_write(b.m, derived, "a", TD_DERIVE_C, TD_DERIVE_WHOLE, files));
  REFUSED(td_derive_write(a.m, NULL, "a", TD_DERIVE_C, TD_DERIVE_WHOLE, files));
  REFUSED(td_derive_write(a.m, derived, NULL, TD_DERIVE_C, TD_DERIVE_WHOLE, files));
  REFUSED(td_derive_write(a.m, derived, "a", TD_DERIVE_C, TD_DERIVE_WHOLE, NULL));
  REFUSED(td_derive_write(a.m, derived, "a", (td_derive_language)99, TD_DERIVE_WHOLE, files));
  td_derived_free(derived);
  td_jit* jit = NULL;
  REFUSED(td_jit_new(NULL, a.w, &jit));
  REFUSED(td_jit_new(a.m, NULL, &jit));
  REFUSED(td_jit_new(a.m, b.w, &jit));
  REFUSED(td_jit_new(a.m, a.w, NULL));
  DONE(td_jit_wait(NULL));
  DONE(td_jit_stop(NULL));
  NUMBER(td_jit_done(NULL), 1);
  DONE(td_jit_free(NULL));
  NOTHING(td_jit_source(NULL));
  BLANK(td_jit_message(NULL));

  const td_report report = {.size = sizeof(td_report),
                            .spec = a.spec,
                            .model = a.m,
                            .work = a.w,
                            .state = a.s,
                            .title = "a",
                            .summary = "{}"};
  td_report r = report;
  REFUSED(td_report_write(NULL, "a", &r));
  REFUSED(td_report_write(files, NULL, &r));
  REFUSED(td_report_write(files, "a", NULL));
  r.state = b.s;
  REFUSED(td_report_write(files, "a", &r));
  r = report;
  r.work = NULL;
  REFUSED(td_report_write(files, "a", &r));
  r = report;
  r.title = NULL;
  REFUSED(td_report_write(files, "a", &r));
  r = report;
  r.rest = b.s;
  REFUSED(td_report_write(files, "a", &r));
  td_modes_result* modes = NULL;
  assert_int_equal(td_modes(b.m, b.s, b.w, &modes), TD_OK);
  r = report;
  r.modes = modes;
  REFUSED(td_report_write(files, "a", &r));
  td_modes_free(modes);
  char* page;
  REFUSED(td_report_renew(NULL, &page));
  REFUSED(td_report_renew("", NULL));
  td_files_close(files);
}

static void test_views_and_plots(void** state) {
  (void)state;
  td_view* view = NULL;
  const td_view_options o = {.size = sizeof o, .model = "x.m"}, nothing = {.size = sizeof o};
  REFUSED(td_view_open(NULL, &view, message, sizeof message));
  REFUSED(td_view_open(&o, NULL, message, sizeof message));
  REFUSED(td_view_open(&o, &view, NULL, 10));
  const char* const unset[] = {NULL};
  const td_view_options hollow = {.size = sizeof hollow, .model = "x.m", .set = unset, .nset = 1};
  const td_view_options* const wrong[] = {NULL, &nothing, &hollow};
  for (int i = 0; i < 3; i++) {
    message[0] = '\0';
    REFUSED(td_view_open(wrong[i], &view, message, sizeof message));
    assert_true(message[0] != '\0');
  }
  BLANK(td_view_address(NULL));
  DONE(td_view_close(NULL));
  td_table* table = NULL;
  REFUSED(td_table_read(NULL, &table, message, sizeof message));
  REFUSED(td_table_read("x", NULL, message, sizeof message));
  REFUSED(td_table_read("x", &table, NULL, 10));
  DONE(td_table_free(NULL));
  const td_state *own[] = {b.s}, *foreign[] = {a.s}, *none[] = {NULL};
  REFUSED(td_strain_table(NULL, b.w, own, 1, 0, &table));
  REFUSED(td_strain_table(b.m, NULL, own, 1, 0, &table));
  REFUSED(td_strain_table(b.m, a.w, own, 1, 0, &table));
  REFUSED(td_strain_table(b.m, b.w, NULL, 1, 0, &table));
  REFUSED(td_strain_table(b.m, b.w, none, 1, 0, &table));
  REFUSED(td_strain_table(b.m, b.w, foreign, 1, 0, &table));
  REFUSED(td_strain_table(b.m, b.w, own, 0, 0, &table));
  REFUSED(td_strain_table(b.m, b.w, own, 1, -1, &table));
  REFUSED(td_strain_table(b.m, b.w, own, 1, 9, &table));
  REFUSED(td_strain_table(b.m, b.w, own, 1, 0, NULL));
  REFUSED(td_shape_table(NULL, b.w, own, 1, &table));
  REFUSED(td_shape_table(b.m, NULL, own, 1, &table));
  REFUSED(td_shape_table(b.m, b.w, NULL, 1, &table));
  REFUSED(td_shape_table(b.m, b.w, foreign, 1, &table));
  REFUSED(td_shape_table(b.m, b.w, own, -1, &table));
  REFUSED(td_shape_table(b.m, b.w, own, 1, NULL));
  NUMBER(td_table_find(NULL, "x"), -1);
  double values[4] = {0, 1, 1, 2};
  char *names[] = {"t", "x"}, *text = NULL;
  const td_table t = {2, 2, names, values};
  NUMBER(td_table_find(&t, NULL), -1);
  const int column = 1, far = 7;
  const td_plot plot = {.size = sizeof plot,
                        .table = &t,
                        .x = 0,
                        .y = &column,
                        .ny = 1,
                        .title = "",
                        .width = 80,
                        .height = 60};
  td_plot p = plot;
  REFUSED(td_plot_svg(NULL, &text));
  REFUSED(td_plot_svg(&p, NULL));
  p.table = NULL;
  REFUSED(td_plot_svg(&p, &text));
  p = plot;
  p.x = -1;
  REFUSED(td_plot_svg(&p, &text));
  p = plot;
  p.y = &far;
  REFUSED(td_plot_svg(&p, &text));
  p = plot;
  p.y = NULL;
  REFUSED(td_plot_svg(&p, &text));
  p = plot;
  p.title = NULL;
  REFUSED(td_plot_svg(&p, &text));
  p = plot;
  p.width = NAN;
  REFUSED(td_plot_svg(&p, &text));
  char* gap[] = {"t", NULL};
  const td_table tables[] = {{2, 2, gap, values}, {2, 2, NULL, values}, {2, 2, names, NULL}};
  const char* const unnamed[] = {NULL};
  NUMBER(td_table_find(&tables[0], "x"), -1);
  NUMBER(td_table_find(&tables[1], "x"), -1);
  for (int i = 0; i < 4; i++) {
    p = plot;
    if (i < 3) p.table = &tables[i];
    if (i == 3) p.labels = unnamed;
    REFUSED(td_plot_svg(&p, &text));
    REFUSED(td_plot_gnuplot(&p, "x.csv", "x.svg", &text));
  }
  REFUSED(td_plot_gnuplot(NULL, "x.csv", "x.svg", &text));
  REFUSED(td_plot_gnuplot(&plot, NULL, "x.svg", &text));
  REFUSED(td_plot_gnuplot(&plot, "x.csv", NULL, &text));
  REFUSED(td_plot_gnuplot(&plot, "x.csv", "x.svg", NULL));
  td_shot s = DONE(td_shot_default(NULL));
  REFUSED(td_shot_png(&s, "x.png", message, sizeof message));
  REFUSED(td_shot_video(&s, "x.mp4", message, sizeof message));
  s = td_shot_default("x.html");
  REFUSED(td_shot_png(NULL, "x.png", message, sizeof message));
  REFUSED(td_shot_png(&s, NULL, message, sizeof message));
  REFUSED(td_shot_png(&s, "x.png", NULL, 10));
  REFUSED(td_shot_video(NULL, "x.mp4", message, sizeof message));
  REFUSED(td_shot_video(&s, NULL, message, sizeof message));
  REFUSED(td_shot_video(&s, "x.mp4", NULL, 10));
  s.fps = NAN;
  REFUSED(td_shot_video(&s, "x.mp4", message, sizeof message));
}

// ---- sizes of structs -------------------------------------------------------------------------

// Sizes that no struct of options has: none at all, its own member alone, no whole number of
// members, or more than there is memory behind it
static const size_t absurd[] = {0, 1, sizeof(size_t), 3 * sizeof(size_t) + 1, 8192, SIZE_MAX};
enum { NABSURD = sizeof absurd / sizeof *absurd };

static void test_options_of_no_size_are_refused(void** state) {
  (void)state;
  td_files* files;
  assert_int_equal(td_files_open("sizes", &files, message, sizeof message), TD_OK);
  td_equil_options equil = td_equil_options_default();
  td_trace_options trace = td_trace_options_default();
  td_sim_options sim = td_sim_options_default(), *plain = &sim;
  td_observe_options observe = td_observe_options_default(), around = observe;
  td_derive_options derive = td_derive_options_default();
  td_report report = td_report_default();
  td_view_options view = td_view_options_default();
  td_plot plot = td_plot_default();
  td_shot shot = td_shot_default("x.html");
  trace.param = 0;
  report.spec = a.spec, report.model = a.m, report.work = a.w, report.state = a.s;
  report.title = "a";
  view.page = "<html></html>";
  const double values[] = {0, 1, 1, 2};
  char* names[] = {"t", "x"};
  const td_table table = {2, 2, names, (double*)values};
  const int column = 1;
  plot.table = &table, plot.y = &column, plot.ny = 1;

  for (int i = 0; i < NABSURD; i++) {
    equil.size = trace.size = sim.size = observe.size = derive.size = report.size = view.size =
        plot.size = shot.size = absurd[i];
    td_equil_result found;
    REFUSED(td_equilibrium(a.m, a.w, a.s, &equil, &found));
    assert_non_null(strstr(found.note, "_default()"));
    td_trace_result* path = NULL;
    REFUSED(td_trace(a.m, a.w, a.s, &trace, &path));
    assert_non_null(strstr(td_work_failure(a.w), "_default()"));
    td_trajectory* run = NULL;
    REFUSED(td_simulate(a.m, a.w, a.s, &sim, &run));
    assert_non_null(strstr(td_trajectory_diagnosis(run), "_default()"));
    td_trajectory_free(run);
    td_plant* plant = NULL;
    REFUSED(td_plant_new(a.m, a.w, a.s, &sim, &plant));
    assert_null(plant);
    td_observer* observer = NULL;
    REFUSED(td_observer_new(a.m, a.w, a.s, &observe, &observer));
    around.sim = plain;
    REFUSED(td_observer_new(a.m, a.w, a.s, &around, &observer));
    assert_non_null(strstr(td_work_failure(a.w), "_default()"));
    assert_null(observer);
    td_derived* derived = NULL;
    REFUSED(td_derive(a.m, &derive, &derived, message, sizeof message));
    assert_non_null(strstr(message, "_default()"));
    REFUSED(td_report_write(files, "report.html", &report));
    td_view* page = NULL;
    REFUSED(td_view_open(&view, &page, message, sizeof message));
    assert_non_null(strstr(message, "_default()"));
    char* text = NULL;
    REFUSED(td_plot_svg(&plot, &text));
    REFUSED(td_plot_gnuplot(&plot, "x.csv", "x.svg", &text));
    message[0] = '\0';
    REFUSED(td_shot_png(&shot, "x.png", message, sizeof message));
    assert_non_null(strstr(message, "_default()"));
    message[0] = '\0';
    REFUSED(td_shot_video(&shot, "x.mp4", message, sizeof message));
    assert_non_null(strstr(message, "_default()"));
  }
  td_files_close(files);
}

// Room of no size or none at all is not written.
static void test_answers_need_room(void** state) {
  (void)state;
  static char room[STRUCT_ROOM], clean[STRUCT_ROOM];
  for (int i = 0; i < 3; i++) {
    void* out = i == 0 ? NULL : room;
    const size_t n = i == 0 ? 64 : i == 1 ? 0 : SIZE_MAX;
    DONE(td_spec_message_into(a.spec, 0, out, n));
    DONE(td_model_sizes_into(a.m, out, n));
    DONE(td_work_flags_into(a.w, out, n));
    REFUSED(td_equilibrium_into(a.m, a.w, a.s, NULL, out, n));
    td_linear* linear = NULL;
    assert_int_equal(td_linearize(a.m, a.s, a.w, &linear), TD_OK);
    REFUSED(td_linear_structure_into(linear, out, n));
    td_linear_free(linear);
    DONE(td_plant_stats_into(NULL, out, n));
    DONE(td_model_settings_into(a.m, out, n));
    DONE(td_model_linear_into(a.m, out, n));
    NUMBER(td_model_q_about_into(a.m, 0, out, n), false);
    NUMBER(td_model_v_about_into(a.m, 0, out, n), false);
    NUMBER(td_model_rod_about_into(b.m, 0, out, n), false);
    NUMBER(td_model_mesh_about_into(a.m, 0, out, n), false);
    DONE(td_equil_options_fill(out, n));
    DONE(td_trace_options_fill(out, n));
    DONE(td_sim_options_fill(out, n));
    DONE(td_observe_options_fill(out, n));
    DONE(td_derive_options_fill(out, n));
    DONE(td_report_fill(out, n));
    DONE(td_view_options_fill(out, n));
    DONE(td_plot_fill(out, n));
    DONE(td_shot_fill(out, n));
    assert_memory_equal(room, clean, sizeof room);
  }
  DONE(td_report_default());
  DONE(td_view_options_default());
  DONE(td_plot_default());
  DONE(td_derive_options_default());
}

// ---- the headers ------------------------------------------------------------------------------

static bool is_probed(const char* name, size_t n) {
  for (int i = 0; i < nprobed; i++)
    if (strncmp(probed[i], name, n) == 0 && probed[i][n] == '(') return true;
  return false;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Functions of a header without a probe: "td_name(" outside comments that a type comes before.
static int unprobed(const char* header, int* functions) {
  char path[400], line[400];
  snprintf(path, sizeof path, "%s/include/tendril/%s", TEST_SOURCE_DIR, header);
  FILE* f = fopen(path, "r");
  assert_non_null(f);
  int missing = 0;
  while (fgets(line, sizeof line, f)) {
    char* comment = strstr(line, "//");
    if (comment) *comment = '\0';
    if (strncmp(line, "typedef", 7) == 0 || line[0] == '#' || line[0] == ' ') continue;
    char* at = strstr(line, "td_");
    for (; at; at = strstr(at + 1, "td_")) {
      size_t n = 0;
      while (is_word(at[n])) n++;
      if (at[n] != '(') continue;
      (*functions)++;
      if (is_probed(at, n)) break;
      print_error("%s: no probe of %.*s\n", header, (int)n, at);
      missing++;
      break;
    }
  }
  fclose(f);
  return missing;
}

static void test_sweeps_and_batches(void** state) {
  (void)state;
  const char* const names[] = {"m", NULL};
  td_points* points = DONE(td_points_new());
  DONE(td_points_free(NULL));
  NUMBER(td_sampling_named(NULL), TD_SAMPLING_COUNT);
  REFUSED(td_points_vary(NULL, "m=1:2/3", message, sizeof message));
  REFUSED(td_points_vary(points, NULL, message, sizeof message));
  REFUSED(td_points_vary(points, "m=1:2/3", NULL, 0));
  REFUSED(td_points_over(NULL, a.m, "m=1:2", message, sizeof message));
  REFUSED(td_points_over(points, NULL, "m=1:2", message, sizeof message));
  REFUSED(td_points_over(points, a.m, NULL, message, sizeof message));
  REFUSED(td_points_sample(NULL, TD_LHS, 3, 1, false, message, sizeof message));
  REFUSED(td_points_sample(points, TD_SAMPLING_COUNT, 3, 1, false, message, sizeof message));
  REFUSED(td_points_table(NULL, 1, 1, names, buffer, message, sizeof message));
  REFUSED(td_points_table(points, 1, 2, names, buffer, message, sizeof message));
  REFUSED(td_points_table(points, 0, 1, names, buffer, message, sizeof message));
  REFUSED(td_points_table(points, 1, 1, names, NULL, message, sizeof message));
  NUMBER(td_points_count(NULL), 0);
  NUMBER(td_points_axes(NULL), 0);
  NOTHING(td_points_name(points, 0));
  NOTHING(td_points_word(NULL, 0, 0));
  NO_NUMBER(td_points_value(points, -1, 0));
  assert_int_equal(td_points_vary(points, "m=1:2/3", message, sizeof message), TD_OK);

  td_link* link = NULL;
  REFUSED(td_link_open(NULL, message, sizeof message));
  REFUSED(td_link_open(&link, NULL, 0));
  NUMBER(td_link_rank(NULL), 0);
  NUMBER(td_link_size(NULL), 1);
  DONE(td_link_close(NULL));
  NUMBER(td_link_module(NULL, message, sizeof message), false);

  td_sweep* sweep = NULL;
  td_sweep_options o = DONE(td_sweep_options_default());
  NOTHING(td_sweep_kind_text(TD_SWEEP_COUNT));
  NUMBER(td_sweep_kind_named(NULL), TD_SWEEP_COUNT);
  REFUSED(td_sweep_new(NULL, NULL, a.m, points, &o, &sweep, message, sizeof message));
  REFUSED(td_sweep_new(NULL, a.spec, NULL, points, &o, &sweep, message, sizeof message));
  REFUSED(td_sweep_new(NULL, a.spec, a.m, NULL, &o, &sweep, message, sizeof message));
  REFUSED(td_sweep_new(NULL, a.spec, a.m, points, &o, NULL, message, sizeof message));
  REFUSED(td_sweep_new(NULL, a.spec, a.m, points, &o, &sweep, NULL, 0));
  o.threads = 0;
  REFUSED(td_sweep_new(NULL, a.spec, a.m, points, &o, &sweep, message, sizeof message));
  assert_int_equal(td_sweep_new(NULL, a.spec, a.m, points, NULL, &sweep, message, sizeof message),
                   TD_OK);
  REFUSED(td_sweep_run(NULL, message, sizeof message));
  REFUSED(td_sweep_run(sweep, NULL, 0));
  NUMBER(td_sweep_rows(NULL), 0);
  NUMBER(td_sweep_columns(NULL), 0);
  NOTHING(td_sweep_column_name(sweep, 9));
  NOTHING(td_sweep_column_unit(NULL, 0));
  NOTHING(td_sweep_values(sweep, 3));
  NOTHING(td_sweep_status(sweep, -1));
  NUMBER(td_sweep_statistics(NULL).points, 0);
  DONE(td_sweep_stats_into(sweep, NULL, 0));
  REFUSED(td_sweep_indices(sweep, 0, buffer, buffer, buffer, buffer, NULL));
  REFUSED(td_sweep_write(sweep, "x", NULL));
  REFUSED(td_sweep_write(NULL, "x", NULL));
  td_sweep_free(sweep);
  DONE(td_sweep_free(NULL));
  DONE(td_sweep_options_fill(NULL, 0));
  td_points_free(points);

  td_batch* batch = NULL;
  const td_batch_options bo = DONE(td_batch_options_default());
  REFUSED(td_batch_new(NULL, 1, &bo, &batch, message, sizeof message));
  REFUSED(td_batch_new(a.m, 0, NULL, &batch, message, sizeof message));
  REFUSED(td_batch_new(a.m, 1, NULL, NULL, message, sizeof message));
  REFUSED(td_batch_new(a.m, 1, NULL, &batch, NULL, 0));
  assert_int_equal(td_batch_new(a.m, 2, NULL, &batch, message, sizeof message), TD_OK);
  NUMBER(td_batch_count(NULL), 0);
  NUMBER(td_batch_bytes(NULL), 0);
  REFUSED(td_batch_param(NULL, 0, buffer));
  REFUSED(td_batch_param(batch, 0, NULL));
  REFUSED(td_batch_param(batch, -1, buffer));
  REFUSED(td_batch_seed(NULL, NULL));
  REFUSED(td_batch_reset(NULL, NULL));
  REFUSED(td_batch_reset_to(NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSED(td_batch_step(NULL, 1, NULL, NULL));
  REFUSED(td_batch_step(batch, NAN, NULL, NULL));
  REFUSED(td_batch_step(batch, 0, NULL, NULL));
  REFUSED(td_batch_read(NULL, NULL, NULL, NULL, NULL));
  REFUSED(td_batch_read_more(NULL, NULL, NULL));
  NUMBER(td_batch_status(NULL, NULL), 0);
  BLANK(td_batch_message(batch, 5));
  td_batch_free(batch);
  DONE(td_batch_free(NULL));
  DONE(td_batch_options_fill(NULL, 0));
}

static void test_every_public_function_has_a_probe(void** state) {
  (void)state;
  static const char* const headers[] = {"tendril.h",  "accuracy.h", "control.h",  "tools.h",
                                        "generate.h", "view.h",     "gradient.h", "sweep.h",
                                        "batch.h",    "estimate.h"};
  int missing = 0, functions = 0;
  for (int i = 0; i < 10; i++) missing += unprobed(headers[i], &functions);
  assert_int_equal(missing, 0);
  assert_true(functions >= 205);  // as many as there were when this was written: all are found
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_specs_and_texts),
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_states_and_work),
      cmocka_unit_test(test_states_know_their_robot),
      cmocka_unit_test(test_equations),
      cmocka_unit_test(test_analyses),
      cmocka_unit_test(test_control),
      cmocka_unit_test(test_plants_and_observers),
      cmocka_unit_test(test_fits),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_views_and_plots),
      cmocka_unit_test(test_options_of_no_size_are_refused),
      cmocka_unit_test(test_answers_need_room),
      cmocka_unit_test(test_sweeps_and_batches),
      cmocka_unit_test(test_every_public_function_has_a_probe),
  };
  return cmocka_run_group_tests(tests, open_robots, close_robots);
}
