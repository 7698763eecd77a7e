// The ways in which a model leaves the program, for the models of tests/seams: exported C, units
// for co-simulation and model exchange, derived code and plants give the numbers of the library at
// several states and over a run, or are refused by name.
//
// The engine is the same text in every exported model and takes most of the time to compile: all
// models are put behind one engine, with the names of each made its own by a prefix, and compiled
// at once.
#include <ctype.h>
#include <dlfcn.h>
#include <unistd.h>
#include <zip.h>

#include "../engine/robots.h"
#include "gen/tcc.h"
#include "tendril/control.h"
#include "tendril/generate.h"
#include "workshop.h"

// ---- models -----------------------------------------------------------------------------------

typedef struct seam {
  const char* name;
  int steps;   // fixed ones of the run; 0: too stiff for them, only plant and co-simulation run
  double tol;  // of the sensors after them, relative to the largest
  const char* no_code;      // why there is no derived code, NULL: there is
  const char* no_exchange;  // why model exchange is refused, NULL: it is not
} seam;

// Steps of order 4: the time between the corners that they meet is short for the motion.  While
// something one-sided acts fixed steps are divided until velocities agree to 1e-6.
static const double smooth = 1e-8, one_sided = 1e-5;

static const seam seams[] = {
    {"billiard", 2000, one_sided, "contact(1)", NULL},
    {"stops", 1000, one_sided, "cable(1)", NULL},
    {"strain_jump", 400, smooth, "rod(1)", NULL},
    {"joint_motion", 400, smooth, NULL, NULL},
    {"joint_control", 400, smooth, NULL, NULL},
    {"knots", 400, smooth, NULL, NULL},
    {"rods_touch", 150, one_sided, "contact(1)", NULL},
    {"ellipse_eba", 200, smooth, NULL, NULL},
    {"ellipse_srl", 200, smooth, NULL, NULL},
    {"ellipse_rom", 0, smooth, NULL, NULL},
    {"equal2_ebr", 200, smooth, NULL, NULL},
    {"equal2_quaternion", 200, smooth, NULL, NULL},
    {"gvs_elements", 0, smooth, "rod(1)", NULL},
    {"ball_joints", 400, smooth, NULL, NULL},
    {"screw_loop", 200, smooth, NULL, NULL},
    {"shared_strains", 100, one_sided, "rod(1)", NULL},
    {"radius_param", 600, one_sided, "contact(1)", NULL},
    {"point_friction", 400, one_sided, "contact(1)", NULL},
    {"swatter", 4000, one_sided, "contact(1)", NULL},
    {"buckled", 400, smooth, "rod(1)", "use co-simulation"},
    {"driven_net", 400, smooth, NULL, NULL},
    {"lattice_jump", 400, smooth, NULL, NULL},
    {"mesh_jump", 400, smooth, NULL, NULL},
    {"mesh_rods", 600, smooth, NULL, NULL},
    {"folded", 0, smooth, NULL, NULL},
    {"event_stop", 0, smooth, NULL, NULL},
    {"no_number", 0, smooth, NULL, NULL},
    {"com", 0, smooth, NULL, NULL},
    {"magnet", 200, smooth, NULL, NULL},
    {"slot", 400, smooth, NULL, NULL},
};
enum { NSEAM = sizeof seams / sizeof *seams, MOST = 64 };

static td_model* models[NSEAM];  // NULL: not asked for
static void* library;

// TENDRIL_SEAM=name asks one model only.
static bool is_wanted(int i) {
  const char* name = getenv("TENDRIL_SEAM");
  return name == NULL || strcmp(name, seams[i].name) == 0;
}

// `set`: "param=value" or NULL.  Exported models have dense matrices.
static td_model* load(const char* name, const char* set, bool dense) {
  char path[600];
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  snprintf(path, sizeof path, "%s/tests/seams/%s.m", TEST_SOURCE_DIR, name);
  if (set != NULL) {
    char param[40] = "";
    const char* equals = strchr(set, '=');
    snprintf(param, sizeof param, "%.*s", (int)(equals - set), set);
    td_spec_override(spec, param, equals + 1);
  }
  td_spec_load_file(spec, path);
  if (dense) td_spec_string(spec, "par.linear", "dense");
  if (td_model_compile(spec, &m) != TD_OK) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(m);
  td_spec_free(spec);
  return m;
}

// ---- all of them in one library ---------------------------------------------------------------

// A member of an archive; the caller frees it.
static char* member(const char* archive, const char* name) {
  zip_t* z = zip_open(archive, ZIP_RDONLY, NULL);
  zip_stat_t st;
  assert_non_null(z);
  assert_int_equal(zip_stat(z, name, 0, &st), 0);
  zip_file_t* f = zip_fopen(z, name, 0);
  char* data = calloc((size_t)st.size + 1, 1);
  assert_int_equal(zip_fread(f, data, st.size), (zip_int64_t)st.size);
  zip_fclose(f);
  zip_close(z);
  return data;
}

// Names that every exported model and unit has.
static bool is_common(const char* name, size_t n) {
  static const char* const beginnings[] = {"table_", "the_", "fmu", "FMU_", "VR_", "fmi2", "fmi_"};
  static const char* const names[] = {"NX",
                                      "enter",
                                      "leave",
                                      "tell",
                                      "instance2",
                                      "core_of",
                                      "td_model_constraint_name",
                                      "td_model_internal_name",
                                      "td_model_q_name",
                                      "td_model_sensor_name",
                                      "td_model_v_name"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == n && strncmp(name, names[i], n) == 0) return true;
  return false;
}

// The text with its common names behind a prefix; included headers are in the engine already.
static void put_renamed(FILE* out, const char* text, int k) {
  bool line = true;
  for (const char* s = text; *s;) {
    if (line && strncmp(s, "#include", 8) == 0) {
      s += strcspn(s, "\n");
    } else if (*s == '"') {
      const char* from = s++;
      while (*s && *s != '"') s += *s == '\\' ? 2 : 1;
      fwrite(from, 1, (size_t)(++s - from), out);
    } else if (isalpha((unsigned char)*s) || *s == '_') {
      const char* from = s;
      while (isalnum((unsigned char)*s) || *s == '_') s++;
      if (k > 0 && is_common(from, (size_t)(s - from))) fprintf(out, "m%d_", k);
      fwrite(from, 1, (size_t)(s - from), out);
    } else {
      line = *s == '\n';
      fputc(*s++, out);
      continue;
    }
    line = false;
  }
}

static const char border[] = "\n// ==== the model ====\n";

static void build_library(void) {
  char message[400], path[500], name[200];
  FILE* out = NULL;
  setenv("CC", "false", 1);  // sources only
  for (int i = 0; i < NSEAM; i++) {
    td_files* files = NULL;
    if (!is_wanted(i)) continue;
    models[i] = load(seams[i].name, NULL, true);
    assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
    const td_status status = td_export_fmu(models[i], seams[i].name, 2, files, message, 400);
    if (status != TD_OK) fail_msg("%s: %s", seams[i].name, message);
    assert_int_equal(td_files_commit(files), TD_OK);
    td_files_close(files);
    snprintf(path, sizeof path, "%s/%s.fmu", directory, seams[i].name);
    snprintf(name, sizeof name, "sources/%s.c", seams[i].name);
    char* model = member(path, name);
    snprintf(name, sizeof name, "sources/%s.h", seams[i].name);
    char *header = member(path, name), *unit = member(path, "sources/fmu.c");
    char* parts = strstr(model, border);
    assert_non_null(parts);
    *parts = '\0';
    if (out == NULL) {
      snprintf(path, sizeof path, "%s/all.c", directory);
      out = fopen(path, "w");
      assert_non_null(out);
      fputs("#include <stdio.h>\n#include <stdlib.h>\n#define TD_MESSAGES\n", out);
      // the engine names a few functions of the model, which are the first one's
      fputs(strstr(model, "#include <float.h>"), out);
      fputs(
          "const char* td_model_constraint_name(const td_model* m, int i) { return \"\"; }\n"
          "const char* td_model_internal_name(const td_model* m, int i) { return \"\"; }\n"
          "const char* td_model_q_name(const td_model* m, int i) { return \"\"; }\n"
          "const char* td_model_sensor_name(const td_model* m, int i) { return \"\"; }\n"
          "const char* td_model_v_name(const td_model* m, int i) { return \"\"; }\n",
          out);
    }
    put_renamed(out, header, i + 1);
    put_renamed(out, parts + sizeof border - 1, i + 1);
    put_renamed(out, unit, i + 1);
    free(model), free(header), free(unit);
  }
  unsetenv("CC");
  fclose(out);
  run("all models",
      "$(command -v clang || command -v clang-14 || echo cc) -std=gnu11 -O0 -w -fPIC -shared all.c "
      "-lm -o all.so");
  snprintf(path, sizeof path, "%s/all.so", directory);
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fail_msg("%s", dlerror());
}

// A function of the library; functions and objects have the same representation where dlsym exists.
static void look_up(const char* name, void* function) {
  void* symbol = dlsym(library, name);
  if (symbol == NULL) fail_msg("no function %s", name);
  memcpy(function, &symbol, sizeof symbol);
}

// ---- the library's own numbers ----------------------------------------------------------------

static robot rest_of(td_model* m) {
  const td_sizes n = td_model_sizes(m);
  robot r = {.model = m,
             .work = td_work_new(m),
             .state = td_state_new(m),
             .nq = n.nq,
             .nv = n.nv,
             .nu = n.nu,
             .nrow = n.nconstraint,
             .ny = n.nsensor};
  assert_int_equal(td_state_initial(m, r.work, r.state), TD_OK);
  assert_true(r.ny < MOST && r.nq < MOST);
  return r;
}

static void close_robot(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
}

static void simulate_by(robot* r, td_solver solver, const td_code_source* code, double* y) {
  td_sim_options o = td_sim_options_default();
  td_trajectory* out = NULL;
  o.rtol = 1e-9;
  o.atol = 1e-11;
  o.solver = solver;
  o.code = code;
  o.code_always = code != NULL;
  assert_int_equal(td_state_initial(r->model, r->work, r->state), TD_OK);
  if (td_simulate(r->model, r->work, r->state, &o, &out) != TD_OK)
    fail_msg("%s", td_trajectory_diagnosis(out));
  if (code != NULL && strstr(td_trajectory_stats(out)->code, "tcc from t = 0 s") == NULL)
    fail_msg("%s", td_trajectory_stats(out)->code);
  td_trajectory_free(out);
  assert_int_equal(td_sensors(r->model, r->state, r->work, y), TD_OK);
}

static void simulate(robot* r, double* y) { simulate_by(r, TD_SOLVER_AUTO, NULL, y); }

static double worst(const double* a, const double* b, int n) {
  double error = 0, scale = 1e-3;
  for (int i = 0; i < n; i++) {
    if (isinf(b[i]) ? a[i] == b[i] : isnan(a[i]) && isnan(b[i])) continue;
    error = fmax(error, isnan(a[i] - b[i]) ? INFINITY : fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(b[i]));
  }
  return error / scale;
}

// All models are gone through before a test fails.
static int failures;

static void judge(const seam* s, const char* way, double error, double tol) {
  if (error <= tol) {
    char what[100];
    snprintf(what, sizeof what, "%s, %s", s->name, way);
    CHECK_REACHED(what, error, tol);
  } else {
    print_error("%s, %s: error %.2e (tolerance %.0e)\n", s->name, way, error, tol);
    failures++;
  }
}

static bool works(const seam* s, const char* way, bool done, const char* why) {
  if (!done) print_error("%s, %s: %s\n", s->name, way, why);
  failures += !done;
  return done;
}

// ---- the ways ---------------------------------------------------------------------------------

typedef struct model_c {
  void* self;
  int (*initial)(void*, double*, double*, double*, double*);
  int (*step)(void*, double*, double*, double*, const double*, double);
  int (*forward)(void*, double, const double*, const double*, const double*, double*, double*);
  int (*sensors)(void*, double, const double*, const double*, const double*, double*);
  int (*set_param)(void*, int, double);
} model_c;

static model_c open_c(int i) {
  const struct {
    const char* name;
    size_t at;
  } parts[] = {{"initial", offsetof(model_c, initial)},
               {"step", offsetof(model_c, step)},
               {"forward", offsetof(model_c, forward)},
               {"sensors", offsetof(model_c, sensors)},
               {"set_param", offsetof(model_c, set_param)}};
  model_c m;
  char name[100];
  for (int k = 0; k < 5; k++) {
    snprintf(name, sizeof name, "%s_%s", seams[i].name, parts[k].name);
    look_up(name, (char*)&m + parts[k].at);
  }
  void* (*open)(void);
  snprintf(name, sizeof name, "%s_static", seams[i].name);
  look_up(name, &open);
  m.self = open();
  assert_non_null(m.self);
  return m;
}

typedef struct event_info {
  int again, terminate, nominals, values, next;
  double time;
} event_info;

typedef struct callbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void *finished, *environment;
} callbacks;

typedef struct unit {
  void* self;
  int nx, nz, vr_param, vr_sensor;
  int (*do_step)(void*, double, double, int), (*set_time)(void*, double);
  int (*get_states)(void*, double*, size_t), (*get_rates)(void*, double*, size_t);
  int (*set_states)(void*, const double*, size_t), (*indicators)(void*, double*, size_t);
  int (*get)(void*, const unsigned*, size_t, double*);
  int (*set)(void*, const unsigned*, size_t, const double*);
  int (*discrete)(void*, event_info*), (*events)(void*), (*continuous)(void*);
  int (*enter)(void*), (*leave)(void*);
  void (*release)(void*);
} unit;

static char unit_log[500];
static void keep_log(void* e, const char* n, int s, const char* c, const char* text, ...) {
  (void)e, (void)n, (void)s, (void)c;
  va_list args;
  va_start(args, text);
  vsnprintf(unit_log, sizeof unit_log, text, args);
  va_end(args);
}

static void unit_function(int i, const char* name, void* function) {
  char full[100];
  snprintf(full, sizeof full, "m%d_fmi2%s", i + 1, name);
  look_up(full, function);
}

// An instance before its initialisation; type 0: model exchange, 1: co-simulation.
static unit make_unit(int i, int type, double rtol) {
  static const callbacks call = {keep_log, calloc, free, NULL, NULL};
  unit u;
  char path[500];
  void* (*instantiate)(const char*, int, const char*, const char*, const callbacks*, int, int);
  int (*setup_experiment)(void*, int, double, double, int, double);
  unit_function(i, "Instantiate", &instantiate),
      unit_function(i, "SetupExperiment", &setup_experiment);
  unit_function(i, "DoStep", &u.do_step), unit_function(i, "SetTime", &u.set_time);
  unit_function(i, "GetContinuousStates", &u.get_states);
  unit_function(i, "SetContinuousStates", &u.set_states);
  unit_function(i, "GetDerivatives", &u.get_rates);
  unit_function(i, "GetEventIndicators", &u.indicators);
  unit_function(i, "GetReal", &u.get), unit_function(i, "SetReal", &u.set);
  unit_function(i, "NewDiscreteStates", &u.discrete), unit_function(i, "EnterEventMode", &u.events);
  unit_function(i, "EnterContinuousTimeMode", &u.continuous);
  unit_function(i, "EnterInitializationMode", &u.enter);
  unit_function(i, "ExitInitializationMode", &u.leave);
  unit_function(i, "FreeInstance", &u.release);

  // the description has identifier and sizes
  snprintf(path, sizeof path, "%s/%s.fmu", directory, seams[i].name);
  char *text = member(path, "modelDescription.xml"), guid[80] = "";
  u.nx = u.nz = 0;
  u.vr_param = u.vr_sensor = -1;
  assert_int_equal(sscanf(strstr(text, "guid=\""), "guid=\"%79[^\"]", guid), 1);
  sscanf(strstr(text, "numberOfEventIndicators=\""), "numberOfEventIndicators=\"%d", &u.nz);
  for (const char* v = text; (v = strstr(v, "<ScalarVariable")) != NULL; v++) {
    const char *end = strstr(v, "</ScalarVariable"), *about = strstr(v, "causality=\"");
    int vr = 0;
    sscanf(strstr(v, "valueReference=\""), "valueReference=\"%d", &vr);
    if (strstr(v, "derivative=\"") && strstr(v, "derivative=\"") < end) u.nx++;
    if (strncmp(about, "causality=\"parameter", 20) == 0 && u.vr_param < 0) u.vr_param = vr;
    if (strncmp(about, "causality=\"output", 17) == 0 && u.vr_sensor < 0) u.vr_sensor = vr;
  }
  free(text);
  u.self = instantiate("seam", type, guid, "", &call, 0, 0);
  assert_non_null(u.self);
  assert_int_equal(setup_experiment(u.self, 1, rtol, 0, 0, 0), 0);
  return u;
}

static unit start_unit(int i, int type, double rtol) {
  unit u = make_unit(i, type, rtol);
  assert_int_equal(u.enter(u.self), 0);
  assert_int_equal(u.leave(u.self), 0);
  return u;
}

static void unit_sensors(const unit* u, int ny, double* y) {
  unsigned vr[MOST];
  for (int k = 0; k < ny; k++) vr[k] = (unsigned)(u->vr_sensor + k);
  assert_int_equal(u->get(u->self, vr, (size_t)ny, y), 0);
}

// An importer for model exchange: classical Runge-Kutta steps that end at announced times, and
// where an indicator changes its sign.  Returns how many such changes were met.
static int exchange(unit* u, double t_end, int steps, bool locate) {
  static const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  double x[2 * MOST], to[2 * MOST], k[2 * MOST], sum[2 * MOST], z[MOST], after[MOST], t = 0;
  const size_t nx = (size_t)u->nx, nz = (size_t)u->nz;
  event_info info;
  int met = 0;
  assert_true(u->nx < 2 * MOST && u->nz < MOST);
  assert_int_equal(u->discrete(u->self, &info), 0);
  assert_int_equal(u->continuous(u->self), 0);
  assert_int_equal(u->get_states(u->self, x, nx), 0);
  assert_int_equal(u->indicators(u->self, z, nz), 0);
  while (t < t_end - 1e-12) {
    double h = fmin(t_end / steps, t_end - t), low = 0;
    const bool timed = info.next && info.time <= t + h;
    if (timed) h = info.time - t;
    bool crossed = false;
    for (int trial = 0; trial < 50; trial++) {
      memset(sum, 0, sizeof sum);
      memset(k, 0, sizeof k);
      for (int i = 0; i < 4; i++) {
        for (size_t j = 0; j < nx; j++) to[j] = x[j] + place[i] * h * k[j];
        assert_int_equal(u->set_time(u->self, t + place[i] * h), 0);
        assert_int_equal(u->set_states(u->self, to, nx), 0);
        assert_int_equal(u->get_rates(u->self, k, nx), 0);
        for (size_t j = 0; j < nx; j++) sum[j] += weight[i] * k[j];
      }
      for (size_t j = 0; j < nx; j++) to[j] = x[j] + h * sum[j];
      assert_int_equal(u->set_time(u->self, t + h), 0);
      assert_int_equal(u->set_states(u->self, to, nx), 0);
      assert_int_equal(u->indicators(u->self, after, nz), 0);
      bool changes = false;
      for (size_t j = 0; j < nz; j++) changes = changes || (z[j] > 0) != (after[j] > 0);
      if (trial == 0) crossed = changes && locate;
      if (!crossed) break;
      // halve until the end is just behind the change
      static double high;
      if (changes)
        high = h;
      else
        low = h;
      if (high - low < 1e-12) {
        if (changes) break;
        h = high;
        continue;
      }
      h = 0.5 * (low + high);
    }
    met += crossed;
    t += h;
    memcpy(x, to, nx * sizeof *x);
    if ((timed && !crossed) || crossed) {
      assert_int_equal(u->events(u->self), 0);
      assert_int_equal(u->discrete(u->self, &info), 0);
      assert_int_equal(u->continuous(u->self), 0);
      assert_int_equal(u->get_states(u->self, x, nx), 0);
      if (info.terminate) break;
    }
    assert_int_equal(u->indicators(u->self, z, nz), 0);
  }
  return met;
}

// ---- several states ---------------------------------------------------------------------------

// Accelerations at the start and at three random states.
static void test_rates_are_those_of_the_library(void** state) {
  (void)state;
  if (library == NULL) skip();
  failures = 0;
  for (int i = 0; i < NSEAM; i++) {
    if (models[i] == NULL) continue;
    robot r = rest_of(models[i]);
    model_c c = open_c(i);
    const bool exchanged = seams[i].no_exchange == NULL;
    unit u = start_unit(i, !exchanged, 1e-8);
    uint64_t seed = 5;
    double vdot[2 * MOST], lambda[MOST], y[MOST], got[MOST], x[2 * MOST], dx[2 * MOST], t, u0[MOST];
    assert_int_equal(c.initial(c.self, &t, x, x + r.nq, u0), 0);
    judge(&seams[i], "start of C", worst(x, r.state->q, r.nq), 1e-9);
    for (int k = 0; k < 4; k++) {
      if (k > 0) robot_shake(&r, &seed, 0.1);
      if (!works(&seams[i], "library", td_forward_dynamics(r.model, r.state, r.work) == TD_OK,
                 td_work_failure(r.work)))
        break;
      double want[2 * MOST];
      memcpy(want, td_work_vdot(r.work), (size_t)r.nv * sizeof *want);
      assert_int_equal(
          c.forward(c.self, r.state->t, r.state->q, r.state->v, r.state->u, vdot, lambda), 0);
      judge(&seams[i], "rates of C", worst(vdot, want, r.nv), 1e-8);
      memcpy(x, r.state->q, (size_t)r.nq * sizeof *x);
      memcpy(x + r.nq, r.state->v, (size_t)r.nv * sizeof *x);
      if (exchanged && u.nx == r.nq + r.nv) {
        assert_int_equal(u.set_time(u.self, r.state->t), 0);
        assert_int_equal(u.set_states(u.self, x, (size_t)u.nx), 0);
        assert_int_equal(u.get_rates(u.self, dx, (size_t)u.nx), 0);
        judge(&seams[i], "rates of the unit", worst(dx + r.nq, want, r.nv), 1e-8);
      }
      // one of the models has a sensor that is no number: the library says so, exported C gives it
      const td_status sensed = td_sensors(r.model, r.state, r.work, y);
      assert_true(sensed == TD_OK || (sensed == TD_E_INFINITE && isnan(y[0])));
      assert_int_equal(c.sensors(c.self, r.state->t, r.state->q, r.state->v, r.state->u, got), 0);
      judge(&seams[i], "sensors of C", worst(got, y, r.ny), 1e-9);
    }
    u.release(u.self);
    close_robot(&r);
  }
  assert_int_equal(failures, 0);
}

// ---- runs -------------------------------------------------------------------------------------

static td_plant* start_plant(robot* r) {
  td_plant* plant = NULL;
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-9;
  o.atol = 1e-11;
  assert_int_equal(td_state_initial(r->model, r->work, r->state), TD_OK);
  assert_int_equal(td_plant_new(r->model, r->work, r->state, &o, &plant), TD_OK);
  return plant;
}

// Sensors after fixed steps of C with parameter p set to x, p < 0: none.
static bool run_c(int i, int p, double x, double t_end, int steps, double* y) {
  double q[MOST], v[MOST], in[MOST], t;
  model_c c = open_c(i);
  bool done = p < 0 || c.set_param(c.self, p, x) == 0;
  done = done && c.initial(c.self, &t, q, v, in) == 0;
  for (int k = 0; k < steps && done; k++) done = c.step(c.self, &t, q, v, in, t_end / steps) == 0;
  return done && c.sensors(c.self, t, q, v, in, y) == 0;
}

// Sensors after co-simulation; order 3, so that its errors add up to some tolerances.
static const double unit_rtol = 1e-6, unit_error = 3e-5;

static bool run_unit(int i, int p, double x, double t_end, int ny, double* y) {
  unit u = make_unit(i, 1, unit_rtol);
  bool done = p < 0 || u.set(u.self, &(unsigned){(unsigned)(u.vr_param + p)}, 1, &x) == 0;
  done = done && u.enter(u.self) == 0 && u.leave(u.self) == 0;
  for (int k = 0; k < 7 && done; k++) done = u.do_step(u.self, t_end * k / 7, t_end / 7, 1) == 0;
  unit_sensors(&u, ny, y);
  u.release(u.self);
  return done;
}

static void test_runs_end_as_simulated(void** state) {
  (void)state;
  if (library == NULL) skip();
  failures = 0;
  for (int i = 0; i < NSEAM; i++) {
    const seam* s = &seams[i];
    const bool apart = strcmp(s->name, "folded") == 0 || strcmp(s->name, "event_stop") == 0 ||
                       strcmp(s->name, "no_number") == 0;
    if (models[i] == NULL || apart) continue;
    robot r = rest_of(models[i]);
    double want[MOST], y[MOST];
    const double t_end = td_model_settings(r.model).t_final;
    simulate(&r, want);

    td_plant* plant = start_plant(&r);
    bool done = true;
    for (int k = 1; k <= 7 && done; k++)
      done = td_plant_drive(plant, t_end * k / 7, NULL, y) == TD_OK;
    if (works(s, "plant", done, td_work_failure(r.work)))
      judge(s, "plant", worst(y, want, r.ny), 1e-7);
    td_plant_free(plant);

    if (works(s, "co-simulation", run_unit(i, -1, 0, t_end, r.ny, y), unit_log))
      judge(s, "co-simulation", worst(y, want, r.ny), unit_error);
    if (s->steps > 0 && works(s, "C", run_c(i, -1, 0, t_end, s->steps, y), "a step failed"))
      judge(s, "steps of C", worst(y, want, r.ny), s->tol);
    if (s->steps > 0 && s->no_exchange == NULL) {
      unit u = start_unit(i, 0, unit_rtol);
      const int met = exchange(&u, t_end, s->steps, true);
      works(s, "model exchange", met > 0 || s->tol != one_sided, "nothing was met on the way");
      unit_sensors(&u, r.ny, y);
      judge(s, "model exchange", worst(y, want, r.ny), s->tol);
      u.release(u.self);
    } else if (s->no_exchange != NULL) {
      unit u = make_unit(i, 0, unit_rtol);
      unit_log[0] = '\0';
      assert_int_not_equal(u.enter(u.self), 0);
      works(s, "model exchange", strstr(unit_log, s->no_exchange) != NULL, unit_log);
      u.release(u.self);
    }
    close_robot(&r);
  }
  assert_int_equal(failures, 0);
}

static int find(const char* name) {
  for (int i = 0; i < NSEAM; i++)
    if (strcmp(seams[i].name, name) == 0 && models[i] != NULL) return i;
  return -1;
}

// Indicators tell the importer where collisions begin and end: five of them in the run, and the
// error without them is that of steps over corners.
static void test_indicators_locate_collisions(void** state) {
  (void)state;
  if (library == NULL) skip();
  const int i = find("billiard");
  if (i < 0) skip();
  robot r = rest_of(models[i]);
  double want[MOST], y[MOST], error[2];
  simulate(&r, want);
  for (int locate = 0; locate < 2; locate++) {
    unit u = start_unit(i, 0, unit_rtol);
    assert_int_equal(u.nz, 3);
    const int met = exchange(&u, td_model_settings(r.model).t_final, 4000, locate);
    assert_int_equal(met, locate ? 10 : 0);
    unit_sensors(&u, r.ny, y);
    error[locate] = worst(y, want, r.ny);
    u.release(u.self);
  }
  CHECK_REACHED("billiard, located", error[1], 1e-6);
  assert_true(error[1] < 0.1 * error[0]);
  close_robot(&r);
}

// A model that was loaded with another parameter, and that parameter set afterwards.
static void test_parameters_are_those_of_the_text(void** state) {
  (void)state;
  if (library == NULL) skip();
  static const struct {
    const char *name, *param;
    double x;
  } cases[] = {{"radius_param", "r", 0.06},   {"radius_param", "R", 0.23},
               {"radius_param", "mu", 0.1},   {"radius_param", "kc", 9e3},
               {"point_friction", "mu", 0.1}, {"stops", "k", 6e3},
               {"screw_loop", "h", -0.02},    {"mesh_rods", "k", 0.5}};
  failures = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int i = find(cases[k].name);
    if (i < 0) continue;
    const seam* s = &seams[i];
    char set[60];
    double want[MOST], y[MOST];
    snprintf(set, sizeof set, "%s=%.17g", cases[k].param, cases[k].x);
    td_model* edited = load(s->name, set, true);
    robot e = rest_of(edited);
    simulate(&e, want);
    close_robot(&e);
    td_model_free(edited);

    robot r = rest_of(models[i]);
    const int p = td_model_param_find(r.model, cases[k].param);
    const double t_end = td_model_settings(r.model).t_final;
    simulate(&r, y);
    assert_true(worst(y, want, r.ny) > 1e-3);  // it matters
    assert_int_equal(td_work_set_param(r.model, r.work, p, cases[k].x), TD_OK);
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
    simulate(&r, y);
    judge(s, "parameter of the work", worst(y, want, r.ny), 1e-7);
    if (works(s, "parameter of C", run_c(i, p, cases[k].x, t_end, s->steps, y), "failed"))
      judge(s, "parameter of C", worst(y, want, r.ny), s->tol);
    if (works(s, "parameter of a unit", run_unit(i, p, cases[k].x, t_end, r.ny, y), unit_log))
      judge(s, "parameter of a unit", worst(y, want, r.ny), unit_error);
    close_robot(&r);
  }
  assert_int_equal(failures, 0);
}

// The pieces of rods in contact depend on their radius: such a parameter is part of the text, and
// no way takes it afterwards.
static void test_radii_of_rods_in_contact_are_fixed(void** state) {
  (void)state;
  const int i = library != NULL ? find("rods_touch") : -1;
  if (i < 0) skip();
  robot r = rest_of(models[i]);
  assert_int_equal(td_work_set_param(r.model, r.work, 0, 0.004), TD_E_USAGE);
  const model_c c = open_c(i);
  assert_int_not_equal(c.set_param(c.self, 0, 0.004), 0);
  unit u = make_unit(i, 0, unit_rtol);
  assert_int_equal(u.vr_param, -1);
  u.release(u.self);

  // loaded with it, the rods meet at once or later
  double y[2][MOST];
  for (int k = 0; k < 2; k++) {
    td_model* m = load("rods_touch", k ? "r=0.0045" : NULL, true);
    robot e = rest_of(m);
    simulate(&e, y[k]);
    close_robot(&e);
    td_model_free(m);
  }
  assert_true(worst(y[1], y[0], r.ny) > 1e-4);
  close_robot(&r);
}

// ---- what ends a run --------------------------------------------------------------------------

// A folded segment ends every way with the message of the simulation, and C with a status.
static void test_folded_segments_are_named(void** state) {
  (void)state;
  if (library == NULL) skip();
  static const char text[] = "segment 4 of whip is folded";
  const int i = find("folded");
  if (i < 0) skip();
  robot r = rest_of(models[i]);
  const double t_end = td_model_settings(r.model).t_final;
  double y[MOST], x[2 * MOST];
  const char* reasons;

  td_plant* plant = start_plant(&r);
  assert_int_equal(td_plant_step(plant, t_end), TD_E_DIVERGED);
  assert_non_null(strstr(td_work_failure(r.work), text));
  assert_int_equal(td_plant_trust(plant, &reasons), TD_TRUST_LOOK);
  td_plant_free(plant);

  unit_log[0] = '\0';
  assert_false(run_unit(i, -1, 0, t_end, r.ny, y));
  assert_non_null(strstr(unit_log, text));

  // steps of C and model exchange, at a state that is folded further
  model_c c = open_c(i);
  double q[MOST], v[MOST], in[MOST], t;
  assert_int_equal(c.initial(c.self, &t, q, v, in), 0);
  assert_int_equal(c.step(c.self, &t, q, v, in, 1e-6), 0);
  unit u = start_unit(i, 0, unit_rtol);
  assert_int_equal(u.get_rates(u.self, x, (size_t)u.nx), 0);
  const double half = 0.5 * 3.1;  // of the last node from the one before
  const int at = r.nq - 4;
  const double* before = r.state->q + at - 7;
  const double turn[4] = {cos(half), 0, sin(half), 0};
  memcpy(q, r.state->q, (size_t)r.nq * sizeof *q);
  q[at] = before[0] * turn[0] - before[2] * turn[2];
  q[at + 1] = before[1] * turn[0] - before[3] * turn[2];
  q[at + 2] = before[2] * turn[0] + before[0] * turn[2];
  q[at + 3] = before[3] * turn[0] + before[1] * turn[2];
  assert_int_not_equal(c.step(c.self, &t, q, v, in, 1e-6), 0);
  memcpy(x, r.state->q, (size_t)r.nq * sizeof *x);
  memcpy(x, q, (size_t)r.nq * sizeof *x);
  unit_log[0] = '\0';
  assert_int_equal(u.set_states(u.self, x, (size_t)u.nx), 0);
  assert_int_not_equal(u.get_rates(u.self, x, (size_t)u.nx), 0);
  assert_non_null(strstr(unit_log, text));
  u.release(u.self);
  close_robot(&r);
}

// Rods that buckle are named by the plant's verdict and in the unit's log.
static void test_buckling_is_said(void** state) {
  (void)state;
  if (library == NULL) skip();
  const int i = find("buckled");
  if (i < 0) skip();
  robot r = rest_of(models[i]);
  const char* reasons;
  double y[MOST];
  td_plant* plant = start_plant(&r);
  assert_int_equal(td_plant_trust(plant, &reasons), TD_TRUST_OK);
  assert_int_equal(td_plant_step(plant, 0.1), TD_OK);
  assert_int_equal(td_plant_trust(plant, &reasons), TD_TRUST_LOOK);
  assert_non_null(strstr(reasons, "buckle"));
  td_plant_free(plant);
  unit_log[0] = '\0';
  assert_true(run_unit(i, -1, 0, 0.1, r.ny, y));
  assert_non_null(strstr(unit_log, "buckling"));
  assert_false(run_c(i, -1, 0, 1e-9, 1, y));  // so short that nothing has been pushed
  close_robot(&r);
}

// An event that ends the run ends co-simulation, and model exchange at the next update.  Plants and
// exported C, whose callers decide how far they go, go on: 1 m below is 1 - g/2 at 1 s.
static void test_an_event_ends_the_run(void** state) {
  (void)state;
  if (library == NULL) skip();
  const int i = find("event_stop");
  if (i < 0) skip();
  const double t_end = sqrt(2 * 0.5 / 9.81);
  double y[MOST];
  unit u = start_unit(i, 1, unit_rtol);
  assert_int_equal(u.do_step(u.self, 0, 1, 1), 2);  // discarded: it ends earlier
  unit_sensors(&u, 1, y);
  CHECK_NEAR(y[0], 0.5, 1e-9);
  u.release(u.self);
  u = start_unit(i, 0, unit_rtol);
  assert_int_equal(exchange(&u, 1, 100, true), 1);
  unit_sensors(&u, 1, y);
  CHECK_NEAR(y[0], 0.5, 1e-9);
  u.release(u.self);
  robot r = rest_of(models[i]);
  simulate(&r, y);
  CHECK_NEAR(r.state->t, t_end, 1e-9);
  td_state_initial(r.model, r.work, r.state);
  td_plant* plant = start_plant(&r);
  assert_int_equal(td_plant_drive(plant, 1, NULL, y), TD_OK);
  CHECK_NEAR(y[0], 1 - 9.81 / 2, 1e-9);
  td_plant_free(plant);
  assert_true(run_c(i, -1, 0, 1, 100, y));
  CHECK_NEAR(y[0], 1 - 9.81 / 2, 1e-9);
  close_robot(&r);
}

// The program that compares an exported model with the library, also where sensors have no value; a
// number in place of one that is none, or the other way round, differs.
static void test_exported_models_agree_with_their_checks(void** state) {
  (void)state;
  if (library == NULL) skip();
  static const char* const names[] = {"no_number", "strain_jump", "buckled", "radius_param",
                                      "mesh_rods"};
  for (int k = 0; k < 5; k++) {
    const int i = find(names[k]);
    if (i < 0) continue;
    td_files* files = NULL;
    char message[300], command[400];
    assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
    assert_int_equal(td_export_c(models[i], names[k], files), TD_OK);
    assert_int_equal(td_files_commit(files), TD_OK);
    td_files_close(files);
    snprintf(command, sizeof command,
             "cc -std=c11 -Wall -Werror %s_check.c ./all.so -lm -o c && ./c", names[k]);
    run(names[k], command);
  }
  if (find("no_number") < 0) return;
  run("a number for nan",
      "sed 's/{NAN/{1/' no_number_check.c > o.c && cc o.c ./all.so -lm -o c && ! ./c");
  run("nan for a number",
      "sed 's/, 2}/, NAN}/' no_number_check.c > o.c && cc o.c ./all.so -lm -o c && ! ./c");
}

// ---- derived code -----------------------------------------------------------------------------

// Code of libtcc alone, or why there is none.
static td_jit* derive_code(robot* r, const td_code** code) {
  td_jit* jit = NULL;
  setenv("CC", "false", 1);
  assert_int_equal(td_jit_new(r->model, r->work, &jit), TD_OK);
  td_jit_wait(jit);
  unsetenv("CC");
  *code = td_jit_source(jit)->latest(td_jit_source(jit)->user);
  return jit;
}

// The implicit solvers count the work of given motion by themselves; the explicit one does not take
// code that lacks its power.
static void run_code(const seam* s, robot* r, const td_jit* jit) {
  double want[MOST], y[MOST];
  simulate_by(r, TD_SOLVER_STIFF, NULL, want);
  simulate_by(r, TD_SOLVER_STIFF, td_jit_source(jit), y);
  judge(s, "run with derived code", worst(y, want, r->ny), 1e-6);
}

static void test_derived_code_gives_the_rates_or_names_what_it_cannot(void** state) {
  (void)state;
  if (library == NULL) skip();
  if (!td_tcc_built()) skip();
  failures = 0;
  for (int i = 0; i < NSEAM; i++) {
    if (models[i] == NULL) continue;
    robot r = rest_of(models[i]);
    const td_code* code;
    td_jit* jit = derive_code(&r, &code);
    const char* no = seams[i].no_code;
    works(&seams[i], "derived", no != NULL ? strstr(td_jit_message(jit), no) != NULL : code != NULL,
          td_jit_message(jit));
    uint64_t seed = 5;
    for (int k = 0; k < 3 && code != NULL; k++) {
      double vdot[2 * MOST];
      robot_shake(&r, &seed, 0.1);
      assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
      assert_int_equal(code->forward(code->user, r.state, td_targets(r.work), vdot, NULL), 0);
      judge(&seams[i], "derived", worst(vdot, td_work_vdot(r.work), r.nv), 1e-8);
    }
    if (code != NULL && seams[i].steps > 0) {
      run_code(&seams[i], &r, jit);
    }
    td_jit_free(jit);
    close_robot(&r);
  }
  assert_int_equal(failures, 0);
}

// Networks keep sparse matrices here: the same run in plants, with derived code and with dense
// matrices; as they are they cannot be exported.
static void test_networks_run_alike(void** state) {
  (void)state;
  static const char* const names[] = {"driven_net", "lattice_jump", "mesh_jump", "mesh_rods"};
  failures = 0;
  for (int k = 0; k < 4; k++) {
    const seam s = {.name = names[k]};
    double y[2][MOST], got[MOST];
    for (int dense = 0; dense < 2; dense++) {
      td_model* m = load(names[k], NULL, dense);
      robot r = rest_of(m);
      simulate(&r, y[dense]);
      td_plant* plant = start_plant(&r);
      const double t_end = td_model_settings(m).t_final;
      for (int i = 1; i <= 7; i++)
        assert_int_equal(td_plant_drive(plant, t_end * i / 7, NULL, got), TD_OK);
      judge(&s, "plant", worst(got, y[dense], r.ny), 1e-7);
      td_plant_free(plant);
      const td_code* code;
      td_jit* jit = derive_code(&r, &code);
      if (code != NULL) {
        run_code(&s, &r, jit);
      }
      works(&s, "derived code", code != NULL || !td_tcc_built(), td_jit_message(jit));
      td_jit_free(jit);
      if (dense) judge(&s, "dense and sparse", worst(y[1], y[0], r.ny), 1e-7);
      if (!dense) {
        td_files* files = NULL;
        char message[400];
        assert_int_equal(td_files_open(".", &files, message, sizeof message), TD_OK);
        assert_int_equal(td_export_fmu(m, "net", 2, files, message, sizeof message), TD_E_USAGE);
        assert_non_null(strstr(message, "par.linear = 'dense'"));
        assert_int_equal(td_export_c(m, "net", files), TD_E_USAGE);
        td_files_close(files);
      }
      close_robot(&r);
      td_model_free(m);
    }
  }
  assert_int_equal(failures, 0);
}

// Controllers do not come along.
static void test_exports_refuse_controllers_by_name(void** state) {
  (void)state;
  static const char* const cases[][2] = {{"task", "task(1)"}, {"control_law", "control(1)"}};
  for (int k = 0; k < 2; k++) {
    td_model* m = load(cases[k][0], NULL, true);
    td_files* files = NULL;
    char message[400];
    assert_int_equal(td_files_open(".", &files, message, sizeof message), TD_OK);
    assert_int_equal(td_export_fmu(m, "x", 2, files, message, sizeof message), TD_E_USAGE);
    assert_non_null(strstr(message, cases[k][1]));
    assert_int_equal(td_export_c(m, "x", files), TD_E_USAGE);
    td_files_close(files);
    td_model_free(m);
  }
}

static int setup_all(void** state) {
  if (setup(state) != 0) return -1;
  if (have("cc --version")) build_library();
  return 0;
}
static int teardown_all(void** state) {
  if (library != NULL) dlclose(library);
  for (int i = 0; i < NSEAM; i++) td_model_free(models[i]);
  return teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rates_are_those_of_the_library),
      cmocka_unit_test(test_runs_end_as_simulated),
      cmocka_unit_test(test_indicators_locate_collisions),
      cmocka_unit_test(test_parameters_are_those_of_the_text),
      cmocka_unit_test(test_radii_of_rods_in_contact_are_fixed),
      cmocka_unit_test(test_folded_segments_are_named),
      cmocka_unit_test(test_buckling_is_said),
      cmocka_unit_test(test_an_event_ends_the_run),
      cmocka_unit_test(test_exported_models_agree_with_their_checks),
      cmocka_unit_test(test_derived_code_gives_the_rates_or_names_what_it_cannot),
      cmocka_unit_test(test_networks_run_alike),
      cmocka_unit_test(test_exports_refuse_controllers_by_name),
  };
  return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
