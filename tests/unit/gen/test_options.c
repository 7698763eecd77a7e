// Callers that were compiled with another version of the headers: an older one knows fewer members
// of a struct, a newer one more.  A caller is played by memory with as many bytes as it knows; what
// lies behind is filled with ones, which nobody may read or write.
#include "check.h"
#include "tendril/batch.h"
#include "tendril/control.h"
#include "tendril/estimate.h"
#include "tendril/generate.h"
#include "tendril/sweep.h"
#include "tendril/view.h"

static struct robot {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
} r;

static int open_robot(void** state) {
  (void)state;
  r.spec = td_spec_new();
  td_spec_load_string(
      r.spec, "robot.m",
      "m = param('m', 1); k = param('k', 4); F = input('F', 0.1); body(1).m = m;\n"
      "body(1).I = zeros(3);\n"
      "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).input = F;\n"
      "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).damp.visc = 0.3;\n"
      "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1); sensor(1).noise = 0.1;\n"
      "par.t_final = 0.1; par.dt_out = 0.05;\n");
  assert_int_equal(td_model_compile(r.spec, &r.model), TD_OK);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  return td_state_initial(r.model, r.work, r.state) != TD_OK;
}

static int close_robot(void** state) {
  (void)state;
  td_state_free(r.state);
  td_work_free(r.work);
  td_model_free(r.model);
  td_spec_free(r.spec);
  return 0;
}

// ---- options ----------------------------------------------------------------------------------

// Each takes the options as its caller has them and says whether the library worked with them.

static bool equilibrium(void* options) {
  td_equil_result found;
  return td_equilibrium(r.model, r.work, r.state, options, &found) == TD_OK;
}

static bool trace(void* options) {
  td_trace_options* o = options;
  o->param = 0;
  o->from = 1;
  o->to = 1.5;
  td_trace_result* path = NULL;
  const bool ok = td_trace(r.model, r.work, r.state, o, &path) == TD_OK;
  td_trace_free(path);
  return ok;
}

static bool simulate(void* options) {
  td_trajectory* run = NULL;
  const bool ok = td_simulate(r.model, r.work, r.state, options, &run) == TD_OK;
  td_trajectory_free(run);
  td_state_initial(r.model, r.work, r.state);
  return ok;
}

static bool plant(void* options) {
  td_plant* p = NULL;
  const bool ok = td_plant_new(r.model, r.work, r.state, options, &p) == TD_OK;
  td_plant_free(p);
  return ok;
}

static bool observe(void* options) {
  td_observer* observer = NULL;
  const bool ok = td_observer_new(r.model, r.work, r.state, options, &observer) == TD_OK;
  td_observer_free(observer);
  return ok;
}

// A recording of two rows that the model has.
static td_recordings* recorded(td_recording* rec, bool* ok) {
  static const double inputs[] = {0.1, 0.2, 0.3}, data[] = {0.02, 0.06, 0.07};
  static const int first[] = {0};
  td_recordings* set = NULL;
  char message[200];
  assert_int_equal(td_recordings_new(r.model, &set), TD_OK);
  rec->rows = 3;
  rec->ninput = 1, rec->input = first, rec->inputs = inputs;
  rec->nsensor = 1, rec->sensor = first, rec->data = data;
  *ok = td_recordings_add(set, rec, message, sizeof message) == TD_OK;
  return set;
}

static bool record(void* options) {
  bool ok;
  td_recordings_free(recorded(options, &ok));
  return ok;
}

static bool find_params(void* options) {
  td_fit_options* o = options;
  const int k = td_model_param_find(r.model, "k");
  o->param = &k;
  o->nparam = 1;
  td_recording rec = td_recording_default();
  bool added;
  td_recordings* set = recorded(&rec, &added);
  td_fit_result* fit = NULL;
  const bool ok = td_fit_params(r.model, r.work, set, o, &fit) == TD_OK;
  td_fit_free(fit);
  td_recordings_free(set);
  return ok;
}

static bool derive(void* options) {
  td_derived* d = NULL;
  char message[200];
  const bool ok = td_derive(r.model, options, &d, message, sizeof message) == TD_OK;
  td_derived_free(d);
  return ok;
}

static bool report(void* options) {
  td_report* o = options;
  o->spec = r.spec;
  o->model = r.model;
  o->work = r.work;
  o->state = r.state;
  o->title = "t";
  td_files* files;
  char message[200];
  assert_int_equal(td_files_open("out", &files, message, sizeof message), TD_OK);
  const bool ok = td_report_write(files, "report.html", o) == TD_OK;
  td_files_close(files);
  return ok;
}

static bool view(void* options) {
  td_view_options* o = options;
  o->page = "<html></html>";
  td_view* v = NULL;
  char message[200];
  const bool ok = td_view_open(o, &v, message, sizeof message) == TD_OK;
  td_view_close(v);
  return ok;
}

static bool plot(void* options) {
  double values[] = {0, 1, 1, 2};
  char* names[] = {"t", "x"};
  const td_table table = {2, 2, names, values};
  const int column = 1;
  td_plot* o = options;
  o->table = &table;
  o->y = &column;
  o->ny = 1;
  char* text = NULL;
  const bool ok = td_plot_svg(o, &text) == TD_OK;
  free(text);
  return ok;
}

// No browser is needed to be told how videos end.
static bool shot(void* options) {
  td_shot* o = options;
  o->report = "x.html";
  char message[200] = "";
  assert_int_equal(td_shot_video(o, "x.txt", message, sizeof message), TD_E_USAGE);
  return strstr(message, "a video ends in") != NULL;
}

static bool sweep(void* options) {
  char message[200];
  td_sweep* s = NULL;
  td_points* points = td_points_new();
  td_points_vary(points, "m=1:2/2", message, sizeof message);
  const bool ok =
      td_sweep_new(NULL, r.spec, r.model, points, options, &s, message, sizeof message) == TD_OK &&
      td_sweep_run(s, message, sizeof message) == TD_OK;
  td_sweep_free(s);
  td_points_free(points);
  return ok;
}

static bool batch(void* options) {
  char message[200];
  td_batch* b = NULL;
  const bool ok = td_batch_new(r.model, 2, options, &b, message, sizeof message) == TD_OK;
  td_batch_free(b);
  return ok;
}

// To add a struct of options: a line, with the first member that an older caller may lack.
#define OPTIONS(X)                                 \
  X(td_equil_options, max_iterations, equilibrium) \
  X(td_trace_options, step, trace)                 \
  X(td_sim_options, rtol, simulate)                \
  X(td_observe_options, drift, observe)            \
  X(td_recording, weight, record)                  \
  X(td_fit_options, leave_out, find_params)        \
  X(td_derive_options, nsymbolic, derive)          \
  X(td_report, summary, report)                    \
  X(td_view_options, nset, view)                   \
  X(td_plot, title, plot)                          \
  X(td_sweep_options, journal, sweep)              \
  X(td_batch_options, sigma_q, batch)              \
  X(td_shot, dark, shot)
#define X(type, first, use) \
  static void fill_##type(void* options, size_t size) { type##_fill(options, size); }
OPTIONS(X)
#undef X

static const struct row {
  const char* name;
  size_t size, older;
  void (*fill)(void* options, size_t size);
  bool (*use)(void* options);
} rows[] = {
#define X(type, first, use) {#type, sizeof(type), offsetof(type, first), fill_##type, use},
    OPTIONS(X)
#undef X
        {"td_sim_options of a plant", sizeof(td_sim_options), offsetof(td_sim_options, solver),
         fill_td_sim_options, plant},
};
enum { NROW = sizeof rows / sizeof *rows, ROOM = 1024 };

// Options as a caller has them who knows `size` bytes
static char* made(const struct row* row, size_t size) {
  char* options = malloc(ROOM);
  assert_non_null(options);
  memset(options, 0xff, ROOM);
  row->fill(options, size);
  for (size_t i = size; i < ROOM; i++)
    if (options[i] != (char)0xff) fail_msg("%s: byte %zu of %zu was written", row->name, i, size);
  return options;
}

static void check(const struct row* row, char* options, bool want, const char* who) {
  if (row->use(options) != want)
    fail_msg("%s: %s is %s", row->name, who, want ? "refused" : "served");
  free(options);
}

static void test_an_older_caller_gets_the_defaults_of_what_it_does_not_know(void** state) {
  (void)state;
  for (int i = 0; i < NROW; i++) {
    check(&rows[i], made(&rows[i], rows[i].size), true, "a caller of this version");
    check(&rows[i], made(&rows[i], rows[i].older), true, "an older caller");
  }
}

static void test_a_newer_caller_is_served_until_it_sets_what_is_not_known_here(void** state) {
  (void)state;
  for (int i = 0; i < NROW; i++) {
    const size_t newer = rows[i].size + 3 * sizeof(size_t);
    check(&rows[i], made(&rows[i], newer), true, "a newer caller");
    for (size_t k = rows[i].size; k < newer; k++) {
      char* options = made(&rows[i], newer);
      options[k] = 1;
      check(&rows[i], options, false, "a newer caller who sets something new");
    }
  }
}

// The values are taken, not the defaults: of those that both versions know.
static void test_what_an_older_caller_sets_is_used(void** state) {
  (void)state;
  struct {
    size_t size;
    double t_final, dt_out;
  } older;
  td_sim_options_fill((td_sim_options*)(void*)&older, sizeof older);
  older.t_final = 0.05;
  older.dt_out = 0.01;
  td_trajectory* run = NULL;
  assert_int_equal(
      td_simulate(r.model, r.work, r.state, (const td_sim_options*)(const void*)&older, &run),
      TD_OK);
  assert_int_equal(td_trajectory_rows(run), 6);
  assert_true(td_trajectory_time(run, 5) == 0.05);
  td_trajectory_free(run);
  td_state_initial(r.model, r.work, r.state);
}

// ---- answers ----------------------------------------------------------------------------------

static void sizes(void* out, size_t size) { td_model_sizes_into(r.model, out, size); }
static void message(void* out, size_t size) { td_spec_message_into(NULL, 0, out, size); }
static void flags(void* out, size_t size) { td_work_flags_into(r.work, out, size); }
static void settings(void* out, size_t size) { td_model_settings_into(r.model, out, size); }
static void linear(void* out, size_t size) { td_model_linear_into(r.model, out, size); }
static void position(void* out, size_t size) { td_model_q_about_into(r.model, 0, out, size); }
static void velocity(void* out, size_t size) { td_model_v_about_into(r.model, 0, out, size); }
static void stats(void* out, size_t size) { td_plant_stats_into(NULL, out, size); }
static void found(void* out, size_t size) {
  assert_int_equal(td_equilibrium_into(r.model, r.work, r.state, NULL, out, size), TD_OK);
  td_state_initial(r.model, r.work, r.state);
}
static void structure(void* out, size_t size) {
  td_linear* l = NULL;
  assert_int_equal(td_linearize(r.model, r.state, r.work, &l), TD_OK);
  assert_int_equal(td_linear_structure_into(l, out, size), TD_OK);
  td_linear_free(l);
}

// Rods and meshes are written by the same function as coordinates; this robot has none.
static const struct answer {
  const char* name;
  size_t size;
  void (*into)(void* out, size_t size);
} answers[] = {
    {"td_sizes", sizeof(td_sizes), sizes},
    {"td_message", sizeof(td_message), message},
    {"td_flags", sizeof(td_flags), flags},
    {"td_settings", sizeof(td_settings), settings},
    {"td_linear_choice", sizeof(td_linear_choice), linear},
    {"td_coordinate of q", sizeof(td_coordinate), position},
    {"td_coordinate of v", sizeof(td_coordinate), velocity},
    {"td_sim_stats", sizeof(td_sim_stats), stats},
    {"td_equil_result", sizeof(td_equil_result), found},
    {"td_structure", sizeof(td_structure), structure},
};

static void test_no_caller_is_given_more_than_it_has_room_for(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    const struct answer* a = &answers[i];
    unsigned char whole[ROOM], out[ROOM];
    a->into(whole, a->size);
    const size_t known[] = {4, a->size - 4, a->size, a->size + 16};
    for (int k = 0; k < 4; k++) {
      memset(out, 0xff, sizeof out);
      a->into(out, known[k]);
      // as much as both know, zero in what only the caller knows, and nothing behind
      for (size_t j = 0; j < ROOM; j++) {
        const unsigned want = j >= known[k] ? 0xff : j < a->size ? whole[j] : 0;
        if (out[j] != want) fail_msg("%s: byte %zu of %zu is %d", a->name, j, known[k], out[j]);
      }
    }
  }
}

// ---- the place of new members -----------------------------------------------------------------

// Without TD_ADDED the new member would lie in the padding of the older struct.
static void test_a_member_that_is_added_lies_behind_the_older_struct(void** state) {
  (void)state;
  struct older {
    size_t size;
    double tol;
    bool stable;
  };
  struct newer {
    size_t size;
    double tol;
    bool stable;
    TD_ADDED bool fast;
    bool further;
  };
  assert_int_equal(offsetof(struct newer, fast), sizeof(struct older));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_older_caller_gets_the_defaults_of_what_it_does_not_know),
      cmocka_unit_test(test_a_newer_caller_is_served_until_it_sets_what_is_not_known_here),
      cmocka_unit_test(test_what_an_older_caller_sets_is_used),
      cmocka_unit_test(test_no_caller_is_given_more_than_it_has_room_for),
      cmocka_unit_test(test_a_member_that_is_added_lies_behind_the_older_struct),
  };
  return cmocka_run_group_tests(tests, open_robot, close_robot);
}
