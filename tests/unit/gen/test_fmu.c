// Functional mock-up units in the hands of an importer written here from the standard: the archive
// is unpacked, the description parsed, the binary loaded, and model exchange and co-simulation run
// to the same end as the library's own simulation.
#include <dlfcn.h>
#include <expat.h>
#include <unistd.h>
#include <zip.h>

#include "check.h"
#include "tendril/generate.h"

// ---- archives ---------------------------------------------------------------------------------

static char directory[300];

static int setup(void** state) {
  (void)state;
  unsetenv("CC");
  unsetenv("CFLAGS");
  return check_directory(directory, sizeof directory) ? 0 : -1;
}
static void close_units(void);
static int teardown(void** state) {
  (void)state;
  close_units();
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  return system(command);
}

// `more` is a text behind the file's.
static td_model* load_with(const char* file, const char* model, const char* n, const char* more) {
  char path[600];
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  if (model) td_spec_override(spec, "model", model);
  if (n) td_spec_override(spec, "n", n);
  snprintf(path, sizeof path, "%s/models/%s", TEST_SOURCE_DIR, file);
  td_spec_load_file(spec, path);
  td_spec_load_string(spec, "more.m", more);
  if (td_model_compile(spec, &m) != TD_OK) print_error("%s\n", td_spec_messages(spec));
  assert_non_null(m);
  td_spec_free(spec);
  return m;
}

static td_model* load(const char* file, const char* model, const char* n) {
  return load_with(file, model, n, "");
}

// A member of the archive; caller frees.  NULL: there is none.
static char* member(const char* fmu, const char* name, size_t* size) {
  zip_t* z = zip_open(fmu, ZIP_RDONLY, NULL);
  zip_stat_t st;
  assert_non_null(z);
  char* data = NULL;
  if (zip_stat(z, name, 0, &st) == 0) {
    zip_file_t* f = zip_fopen(z, name, 0);
    data = calloc((size_t)st.size + 1, 1);
    assert_int_equal(zip_fread(f, data, st.size), (zip_int64_t)st.size);
    zip_fclose(f);
    *size = (size_t)st.size;
  }
  zip_close(z);
  return data;
}

// ---- the description --------------------------------------------------------------------------

enum { MOST = 400 };
typedef struct description {
  char guid[80], identifier[80];
  char name[MOST][100], causality[MOST][20];
  unsigned vr[MOST];
  int n, nderivative, noutput, depth;
} description;

static const char* attribute(const char** a, const char* name) {
  for (int i = 0; a[i]; i += 2) {
    if (strcmp(a[i], name) == 0) return a[i + 1];
  }
  return "";
}

static void element(void* user, const char* tag, const char** a) {
  description* d = user;
  d->depth++;
  const char* token =
      *attribute(a, "guid") ? attribute(a, "guid") : attribute(a, "instantiationToken");
  if (strcmp(tag, "fmiModelDescription") == 0) snprintf(d->guid, sizeof d->guid, "%s", token);
  if (strcmp(tag, "CoSimulation") == 0) {
    snprintf(d->identifier, sizeof d->identifier, "%s", attribute(a, "modelIdentifier"));
  }
  if (strcmp(tag, "ScalarVariable") == 0 || strcmp(tag, "Float64") == 0) {
    assert_true(d->n < MOST);
    snprintf(d->name[d->n], sizeof d->name[0], "%s", attribute(a, "name"));
    snprintf(d->causality[d->n], sizeof d->causality[0], "%s", attribute(a, "causality"));
    d->vr[d->n] = (unsigned)atoi(attribute(a, "valueReference"));
    for (int i = 0; i < d->n; i++) assert_string_not_equal(d->name[i], d->name[d->n]);
    d->n++;
  }
  if (*attribute(a, "derivative")) d->nderivative++;
  if (strcmp(attribute(a, "causality"), "output") == 0) d->noutput++;
}
static void element_end(void* user, const char* tag) {
  (void)tag;
  ((description*)user)->depth--;
}

static void parse(const char* text, size_t n, description* d) {
  XML_Parser p = XML_ParserCreate("UTF-8");
  memset(d, 0, sizeof *d);
  XML_SetUserData(p, d);
  XML_SetElementHandler(p, element, element_end);
  if (XML_Parse(p, text, (int)n, 1) != XML_STATUS_OK) {
    fail_msg("description: %s", XML_ErrorString(XML_GetErrorCode(p)));
  }
  XML_ParserFree(p);
  assert_int_equal(d->depth, 0);
}

static unsigned reference(const description* d, const char* name) {
  for (int i = 0; i < d->n; i++) {
    if (strcmp(d->name[i], name) == 0) return d->vr[i];
  }
  fail_msg("no variable '%s'", name);
  return 0;
}

// ---- loading ----------------------------------------------------------------------------------

typedef struct unit {
  description d;
  void* library;
} unit;

// Each is made once: compiling takes longer than all the rest.
enum { UNITS = 12 };
static unit made[UNITS];
static char made_as[UNITS][40];
static int nmade;

static unit make_unit(const td_model* m, const char* title, int version);

static unit open_unit(const td_model* m, const char* title, int version) {
  char key[40];
  snprintf(key, sizeof key, "%s %d", title, version);
  for (int i = 0; i < nmade; i++) {
    if (strcmp(made_as[i], key) == 0) return made[i];
  }
  assert_true(nmade < UNITS);
  strcpy(made_as[nmade], key);
  made[nmade] = make_unit(m, title, version);
  return made[nmade++];
}

static unit make_unit(const td_model* m, const char* title, int version) {
  unit u = {.library = NULL};
  td_files* files = NULL;
  char message[300], path[400], name[200];
  size_t n;
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  assert_int_equal(td_export_fmu(m, title, version, files, message, sizeof message), TD_OK);
  assert_string_equal(message, "");
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
  snprintf(path, sizeof path, "%s/%s.fmu", directory, title);
  char* text = member(path, "modelDescription.xml", &n);
  assert_non_null(text);
  parse(text, n, &u.d);
  free(text);
  snprintf(name, sizeof name, "binaries/%s/%s.so", version == 3 ? "x86_64-linux" : "linux64",
           u.d.identifier);
  char* binary = member(path, name, &n);
  assert_non_null(binary);
  snprintf(path, sizeof path, "%s/%s_%d.so", directory, title, version);
  FILE* f = fopen(path, "wb");
  assert_int_equal(fwrite(binary, 1, n, f), n);
  fclose(f);
  free(binary);
  u.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!u.library) fail_msg("%s", dlerror());
  return u;
}

static void close_units(void) {
  for (int i = 0; i < nmade; i++) dlclose(made[i].library);
}

// A function of the library; functions and objects have the same representation where dlsym exists.
#define LOOK_UP(u, type, name)                 \
  type name;                                   \
  do {                                         \
    void* symbol = dlsym((u)->library, #name); \
    assert_non_null(symbol);                   \
    memcpy(&name, &symbol, sizeof name);       \
  } while (0)

static bool have_compiler(void) { return system("cc --version >/dev/null 2>&1") == 0; }

// Sensors at the end of the library's own simulation.
static void simulate(const td_model* m, double t_end, double* y) {
  td_work* w = td_work_new(m);
  td_state* s = td_state_new(m);
  td_trajectory* trajectory = NULL;
  td_sim_options o = td_sim_options_default();
  o.t_final = t_end;
  o.rtol = 1e-9;
  o.atol = 1e-11;
  assert_int_equal(td_state_initial(m, w, s), TD_OK);
  assert_int_equal(td_simulate(m, w, s, &o, &trajectory), TD_OK);
  const int last = td_trajectory_rows(trajectory) - 1;
  CHECK_NEAR(td_trajectory_time(trajectory, last), t_end, 1e-12);
  memcpy(y, td_trajectory_sensors(trajectory, last), (size_t)td_model_sizes(m).nsensor * sizeof *y);
  td_trajectory_free(trajectory);
  td_state_free(s);
  td_work_free(w);
}

// ---- FMI 2.0 ----------------------------------------------------------------------------------

typedef struct callbacks2 {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void* finished;
  void* environment;
} callbacks2;

typedef void* (*instantiate2)(const char*, int, const char*, const char*, const callbacks2*, int,
                              int);
typedef int (*simple)(void*);
typedef int (*setup2)(void*, int, double, double, int, double);
typedef int (*get_real)(void*, const unsigned*, size_t, double*);
typedef int (*set_real)(void*, const unsigned*, size_t, const double*);
typedef int (*step2)(void*, double, double, int);
typedef int (*set_time)(void*, double);
typedef int (*get_states)(void*, double*, size_t);
typedef int (*set_states)(void*, const double*, size_t);
typedef int (*directional2)(void*, const unsigned*, size_t, const unsigned*, size_t, const double*,
                            double*);

static void quiet(void* e, const char* n, int s, const char* c, const char* text, ...) {
  (void)e, (void)n, (void)s, (void)c, (void)text;
}

static void* start2(const unit* u, int type) {
  static const callbacks2 call = {quiet, calloc, free, NULL, NULL};
  LOOK_UP(u, instantiate2, fmi2Instantiate);
  LOOK_UP(u, setup2, fmi2SetupExperiment);
  LOOK_UP(u, simple, fmi2EnterInitializationMode);
  LOOK_UP(u, simple, fmi2ExitInitializationMode);
  void* c = fmi2Instantiate("test", type, u->d.guid, "", &call, 0, 0);
  assert_non_null(c);
  assert_int_equal(fmi2SetupExperiment(c, 1, 1e-8, 0, 0, 0), 0);
  assert_int_equal(fmi2EnterInitializationMode(c), 0);
  assert_int_equal(fmi2ExitInitializationMode(c), 0);
  return c;
}

static void stop2(const unit* u, void* c) {
  LOOK_UP(u, simple, fmi2Terminate);
  void (*release)(void*);
  void* symbol = dlsym(u->library, "fmi2FreeInstance");
  memcpy(&release, &symbol, sizeof release);
  assert_int_equal(fmi2Terminate(c), 0);
  release(c);
}

// The importer's own loop: classical Runge-Kutta on what the unit says of x'.
static void exchange2(const unit* u, double t_end, int steps, double* y, int ny) {
  void* c = start2(u, 0);
  LOOK_UP(u, set_time, fmi2SetTime);
  LOOK_UP(u, get_states, fmi2GetContinuousStates);
  LOOK_UP(u, get_states, fmi2GetDerivatives);
  LOOK_UP(u, set_states, fmi2SetContinuousStates);
  LOOK_UP(u, get_real, fmi2GetReal);
  const size_t n = (size_t)u->d.nderivative;
  double x[MOST], at[MOST], k[MOST], sum[MOST];
  static const double place[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  const double h = t_end / steps;
  assert_int_equal(fmi2GetContinuousStates(c, x, n), 0);
  for (int s = 0; s < steps; s++) {
    memset(sum, 0, sizeof sum);
    memset(k, 0, sizeof k);
    for (int i = 0; i < 4; i++) {
      for (size_t j = 0; j < n; j++) at[j] = x[j] + place[i] * h * k[j];
      assert_int_equal(fmi2SetTime(c, (s + place[i]) * h), 0);
      assert_int_equal(fmi2SetContinuousStates(c, at, n), 0);
      assert_int_equal(fmi2GetDerivatives(c, k, n), 0);
      for (size_t j = 0; j < n; j++) sum[j] += weight[i] * k[j];
    }
    for (size_t j = 0; j < n; j++) x[j] += h * sum[j];
  }
  assert_int_equal(fmi2SetTime(c, t_end), 0);
  assert_int_equal(fmi2SetContinuousStates(c, x, n), 0);
  unsigned vr[MOST];
  int count = 0;
  for (int i = 0; i < u->d.n; i++) {
    if (strcmp(u->d.causality[i], "output") == 0) vr[count++] = u->d.vr[i];
  }
  assert_int_equal(count, ny);
  assert_int_equal(fmi2GetReal(c, vr, (size_t)ny, y), 0);
  stop2(u, c);
}

static void cosimulate2(const unit* u, double t_end, int steps, double* y, int ny) {
  void* c = start2(u, 1);
  LOOK_UP(u, step2, fmi2DoStep);
  LOOK_UP(u, get_real, fmi2GetReal);
  const double h = t_end / steps;
  for (int s = 0; s < steps; s++) assert_int_equal(fmi2DoStep(c, s * h, h, 1), 0);
  unsigned vr[MOST];
  int count = 0;
  for (int i = 0; i < u->d.n; i++) {
    if (strcmp(u->d.causality[i], "output") == 0) vr[count++] = u->d.vr[i];
  }
  assert_int_equal(fmi2GetReal(c, vr, (size_t)ny, y), 0);
  stop2(u, c);
}

static double worst(const double* a, const double* b, int n) {
  double error = 0, scale = 1e-3;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(b[i]));
  }
  return error / scale;
}

static void test_pendulum_runs_as_simulated_in_both_ways(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("pendulum.m", NULL, NULL);
  const unit u = open_unit(m, "pendulum", 2);
  const int ny = td_model_sizes(m).nsensor;
  double want[MOST], got[MOST];
  simulate(m, 2, want);
  exchange2(&u, 2, 2000, got, ny);
  CHECK_REACHED("pendulum, model exchange", worst(got, want, ny), 1e-7);  // 1e-3 steps of order 4
  cosimulate2(&u, 2, 50, got, ny);
  CHECK_REACHED("pendulum, co-simulation", worst(got, want, ny), 1e-5);  // order 3 at rtol 1e-8
  td_model_free(m);
}

static void test_manipulator_runs_as_simulated(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("stiffflop.m", "ebr", "2");
  const unit u = open_unit(m, "stiffflop", 2);
  const int ny = td_model_sizes(m).nsensor;
  double want[MOST], got[MOST];
  simulate(m, 0.3, want);
  cosimulate2(&u, 0.3, 10, got, ny);
  CHECK_REACHED("manipulator, co-simulation", worst(got, want, ny), 1e-5);
  td_model_free(m);
}

static void test_loops_stay_closed_in_cosimulation(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("four_bar.m", NULL, NULL);
  const unit u = open_unit(m, "four_bar", 2);
  const int ny = td_model_sizes(m).nsensor;
  double want[MOST], got[MOST];
  simulate(m, 0.5, want);
  cosimulate2(&u, 0.5, 20, got, ny);
  CHECK_REACHED("four-bar linkage, co-simulation", worst(got, want, ny), 1e-5);
  td_model_free(m);
}

// The pendulum's model beside two equal balls: one meets the other within a single long step, stops
// and hands on its velocity.
static void test_steps_do_not_pass_over_contacts(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m =
      load_with("pendulum.m", NULL, NULL,
                "body(2).m = 0.2; joint(2).second = 2; joint(2).tr.trans = [inf 0 0];"
                "joint(2).dof(1).init = -1.03; joint(2).dof(1).rate = 0.7;"
                "body(3).m = 0.2; joint(3).second = 3; joint(3).tr.trans = [inf 0 0];"
                "contact(1).first = body(2); contact(1).second = body(3);"
                "contact(1).ball = 0.02; contact(1).ball2 = 0.03;"
                "contact(1).stiffness = 1e4; world.g = [0 0 0]; sensor = [];"
                "sensor(1).name = 'ball'; sensor(1).value = [vel(body(2))(1) vel(body(3))(1)];\n");
  const unit u = open_unit(m, "balls", 2);
  const int ny = td_model_sizes(m).nsensor;
  double got[MOST];
  for (int steps = 1; steps <= 8; steps *= 2) {
    cosimulate2(&u, 10, steps, got, ny);
    // order 3 at the tolerance of 1e-6, 3 mm deep beside positions of 1 m
    CHECK_NEAR(got[ny - 2], 0, 1e-4);
    CHECK_NEAR(got[ny - 1], 0.7, 1e-4);
  }
  td_model_free(m);
}

// d x'/dx and dy/dx along random directions against central differences.
static void test_directional_derivatives_are_exact(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("stiffflop.m", "ebr", "2");
  const unit u = open_unit(m, "stiffflop", 2);
  void* c = start2(&u, 0);
  LOOK_UP(&u, directional2, fmi2GetDirectionalDerivative);
  LOOK_UP(&u, get_real, fmi2GetReal);
  LOOK_UP(&u, get_states, fmi2GetContinuousStates);
  LOOK_UP(&u, set_states, fmi2SetContinuousStates);
  const int nx = u.d.nderivative;
  unsigned known[MOST], unknown[MOST];
  double x[MOST], at[MOST], seed[MOST], got[MOST], plus[MOST], minus[MOST];
  const double h = 1e-6;
  uint64_t random = 9;
  assert_int_equal(fmi2GetContinuousStates(c, x, (size_t)nx), 0);
  for (int i = 0; i < nx; i++) {
    known[i] = (unsigned)i;
    seed[i] = check_random(&random);
    x[i] += 1e-3 * check_random(&random);
  }
  const int n = nx + u.d.noutput;
  for (int i = 0; i < n; i++) {
    unknown[i] = i < nx ? (unsigned)(nx + i) : reference(&u.d, "tip_x") + (unsigned)(i - nx);
  }
  assert_int_equal(fmi2SetContinuousStates(c, x, (size_t)nx), 0);
  assert_int_equal(
      fmi2GetDirectionalDerivative(c, unknown, (size_t)n, known, (size_t)nx, seed, got), 0);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < nx; i++) at[i] = x[i] + sign * h * seed[i];
    assert_int_equal(fmi2SetContinuousStates(c, at, (size_t)nx), 0);
    assert_int_equal(fmi2GetReal(c, unknown, (size_t)n, sign < 0 ? minus : plus), 0);
  }
  for (int i = 0; i < n; i++) plus[i] = (plus[i] - minus[i]) / (2 * h);
  CHECK_REACHED("directional derivatives", worst(got, plus, n), 1e-6);  // h² and rounding / h
  stop2(&u, c);
  td_model_free(m);
}

// A pendulum driven through a filter that sees it: its state is the last one, with its own name.
static void test_internal_states_are_states(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m =
      load_with("pendulum.m", NULL, NULL,
                "f = internal('f', 0.2); u = input('u', 0.3); dynamics(1).of = 'f';\n"
                "dynamics(1).rate = (u - f)/0.05 + f*ddof(joint(1), 1) - dof(joint(1), 1)^2;\n"
                "joint(1).dof(1).input = 0.5*f + f^2;\n"
                "sensor(2).name = 'filtered'; sensor(2).value = f*dof(joint(1), 1);\n");
  const unit u = open_unit(m, "filtered", 2);
  const int ny = td_model_sizes(m).nsensor, nx = u.d.nderivative;
  assert_int_equal(nx, 3);
  assert_int_equal(reference(&u.d, "f"), 2);
  assert_int_equal(reference(&u.d, "der(f)"), 5);
  double want[MOST], got[MOST];
  simulate(m, 0.5, want);
  cosimulate2(&u, 0.5, 20, got, ny);
  CHECK_REACHED("internal state, co-simulation", worst(got, want, ny), 1e-5);

  // rates are the engine's, and so are their derivatives
  void* c = start2(&u, 0);
  LOOK_UP(&u, directional2, fmi2GetDirectionalDerivative);
  LOOK_UP(&u, get_real, fmi2GetReal);
  LOOK_UP(&u, set_states, fmi2SetContinuousStates);
  const double x[3] = {0.4, -0.7, 0.9}, seed[4] = {0.3, -0.2, 0.8, 0.5};
  const unsigned rates[3] = {3, 4, 5}, known[4] = {0, 1, 2, 6};
  double rate[3], change[3];
  assert_int_equal(fmi2SetContinuousStates(c, x, 3), 0);
  assert_int_equal(fmi2GetReal(c, rates, 3, rate), 0);
  assert_int_equal(fmi2GetDirectionalDerivative(c, rates, 3, known, 4, seed, change), 0);
  td_work* w = td_work_new(m);
  td_state* s = td_state_new(m);
  double engine[3][3];
  const double h = 1e-6;
  assert_int_equal(td_state_initial(m, w, s), TD_OK);
  for (int k = 0; k < 3; k++) {
    const double d = k == 0 ? 0 : k == 1 ? h : -h;
    s->q[0] = x[0] + d * seed[0];
    s->v[0] = x[1] + d * seed[1];
    s->z[0] = x[2] + d * seed[2];
    s->u[0] = 0.3 + d * seed[3];
    assert_int_equal(td_forward_dynamics(m, s, w), TD_OK);
    engine[k][0] = s->v[0];
    engine[k][1] = td_work_vdot(w)[0];
    assert_int_equal(td_internal_rates(m, s, w, &engine[k][2]), TD_OK);
  }
  CHECK_REACHED("internal state, rates", worst(rate, engine[0], 3), 1e-12);
  for (int i = 0; i < 3; i++) engine[0][i] = (engine[1][i] - engine[2][i]) / (2 * h);
  CHECK_REACHED("internal state, directional derivatives", worst(change, engine[0], 3), 1e-7);
  td_state_free(s);
  td_work_free(w);
  stop2(&u, c);
  td_model_free(m);
}

static void test_parameters_act_and_wrong_use_is_an_error(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("pendulum.m", NULL, NULL);
  const unit u = open_unit(m, "pendulum", 2);
  static const callbacks2 call = {quiet, calloc, free, NULL, NULL};
  LOOK_UP(&u, instantiate2, fmi2Instantiate);
  LOOK_UP(&u, simple, fmi2EnterInitializationMode);
  LOOK_UP(&u, simple, fmi2ExitInitializationMode);
  LOOK_UP(&u, set_real, fmi2SetReal);
  LOOK_UP(&u, get_real, fmi2GetReal);
  LOOK_UP(&u, step2, fmi2DoStep);
  LOOK_UP(&u, get_states, fmi2GetDerivatives);
  assert_null(fmi2Instantiate("test", 1, "{another}", "", &call, 0, 0));
  assert_null(fmi2Instantiate("test", 1, NULL, "", NULL, 0, 0));
  assert_int_equal(fmi2DoStep(NULL, 0, 1, 1), 3);
  void* c = fmi2Instantiate("test", 1, u.d.guid, "", &call, 0, 0);
  assert_non_null(c);
  assert_int_equal(fmi2DoStep(c, 0, 0.1, 1), 3);  // not yet
  const unsigned mass = reference(&u.d, "m"), far = 12345,
                 acceleration = reference(&u.d, "der(v[1])");
  const double heavy = 3, bad = NAN;
  double light_a, heavy_a, x;
  assert_int_equal(fmi2GetReal(c, &acceleration, 1, &light_a), 0);
  assert_int_equal(fmi2SetReal(c, &mass, 1, &heavy), 0);
  assert_int_equal(fmi2SetReal(c, &mass, 1, &bad), 3);
  assert_int_equal(fmi2SetReal(c, &far, 1, &heavy), 3);
  assert_int_equal(fmi2GetReal(c, &far, 1, &x), 3);
  assert_int_equal(fmi2GetReal(c, NULL, 1, &x), 3);
  assert_int_equal(fmi2EnterInitializationMode(c), 0);
  assert_int_equal(fmi2ExitInitializationMode(c), 0);
  assert_int_equal(fmi2GetReal(c, &acceleration, 1, &heavy_a), 0);
  // gravity does not care about the mass at rest
  CHECK_NEAR(heavy_a, light_a, 1e-12);
  assert_int_equal(fmi2GetReal(c, &mass, 1, &x), 0);
  CHECK_NEAR(x, 3, 0);
  assert_int_equal(fmi2SetReal(c, &mass, 1, &heavy), 3);  // too late
  assert_int_equal(fmi2DoStep(c, 5, 0.1, 1), 3);          // not where it is
  assert_int_equal(fmi2DoStep(c, 0, -0.1, 1), 3);
  assert_int_equal(fmi2GetDerivatives(c, &x, 77), 3);
  assert_int_equal(fmi2DoStep(c, 0, 0.1, 1), 0);
  stop2(&u, c);
  td_model_free(m);
}

// A unit built from its sources with flags of the importer gives the numbers of one that has the
// engine of this library.
static void test_all_sources_give_the_same_numbers(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("four_bar.m", NULL, NULL);
  const unit u = open_unit(m, "four_bar", 2);
  setenv("CFLAGS", "-O0", 1);
  const unit all = open_unit(m, "sources", 2);
  unsetenv("CFLAGS");
  const int ny = td_model_sizes(m).nsensor;
  double linked[MOST], compiled[MOST];
  cosimulate2(&u, 0.3, 3, linked, ny);
  cosimulate2(&all, 0.3, 3, compiled, ny);
  // rounding only, and none where compilers do not contract
  CHECK_REACHED("sources, co-simulation", worst(linked, compiled, ny), 1e-9);
  td_model_free(m);
}

static char told[300];
static void listen(void* e, const char* n, int s, const char* c, const char* text, ...) {
  (void)e, (void)n, (void)s, (void)c;
  va_list args;
  va_start(args, text);
  vsnprintf(told, sizeof told, text, args);
  va_end(args);
}

// Ranges are in the description, and values outside are refused with a message.
static void test_ranges_hold(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load_with("pendulum.m", NULL, NULL,
                          "T = input('T', 1, [0 20]); k = param('k', 2, [1 3]);\n"
                          "joint(1).dof(1).input = k*T;\n");
  const unit u = open_unit(m, "ranges", 2);
  char path[400];
  size_t n;
  snprintf(path, sizeof path, "%s/ranges.fmu", directory);
  char* text = member(path, "modelDescription.xml", &n);
  assert_non_null(strstr(text, "<Real start=\"1\" min=\"0\" max=\"20\"/>"));
  assert_non_null(strstr(text, "<Real start=\"2\" min=\"1\" max=\"3\"/>"));
  free(text);
  static const callbacks2 call = {listen, calloc, free, NULL, NULL};
  LOOK_UP(&u, instantiate2, fmi2Instantiate);
  LOOK_UP(&u, set_real, fmi2SetReal);
  LOOK_UP(&u, get_real, fmi2GetReal);
  void* c = fmi2Instantiate("test", 1, u.d.guid, "", &call, 0, 0);
  assert_non_null(c);
  const unsigned T = reference(&u.d, "T"), k = reference(&u.d, "k");
  const double inside = 20, outside = 20.5, low = 0.5;
  double x;
  assert_int_equal(fmi2SetReal(c, &T, 1, &inside), 0);
  assert_int_equal(fmi2SetReal(c, &T, 1, &outside), 3);
  assert_string_equal(told, "input 'T' has the range [0 20], it was to be set to 20.5");
  assert_int_equal(fmi2GetReal(c, &T, 1, &x), 0);
  CHECK_NEAR(x, 20, 0);
  assert_int_equal(fmi2SetReal(c, &k, 1, &low), 3);
  assert_string_equal(told, "parameter 'k' has the range [1 3], it was to be set to 0.5");
  stop2(&u, c);
  td_model_free(m);
}

// ---- saved states -----------------------------------------------------------------------------

typedef int (*save_state)(void*, void**);
typedef int (*load_state)(void*, void*);
typedef int (*state_size)(void*, void*, size_t*);
typedef int (*state_bytes)(void*, void*, char*, size_t);
typedef int (*state_from)(void*, const char*, size_t, void**);

// Step, save, step: the second step is the same after going back, also in another instance that got
// the state as bytes.  Bytes that are no state are refused.
static void test_a_saved_state_brings_the_same_future(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load("four_bar.m", NULL, NULL);
  const unit u = open_unit(m, "four_bar", 2);
  LOOK_UP(&u, step2, fmi2DoStep);
  LOOK_UP(&u, get_states, fmi2GetContinuousStates);
  LOOK_UP(&u, save_state, fmi2GetFMUstate);
  LOOK_UP(&u, load_state, fmi2SetFMUstate);
  LOOK_UP(&u, save_state, fmi2FreeFMUstate);
  LOOK_UP(&u, state_size, fmi2SerializedFMUstateSize);
  LOOK_UP(&u, state_bytes, fmi2SerializeFMUstate);
  LOOK_UP(&u, state_from, fmi2DeSerializeFMUstate);
  void *c = start2(&u, 1), *other = start2(&u, 1), *saved = NULL, *copy = NULL;
  const size_t nx = (size_t)u.d.nderivative, bytes = nx * sizeof(double);
  double first[MOST], again[MOST];
  size_t n = 0;
  assert_int_equal(fmi2DoStep(c, 0, 0.1, 1), 0);
  assert_int_equal(fmi2GetFMUstate(c, &saved), 0);
  assert_int_equal(fmi2DoStep(c, 0.1, 0.1, 1), 0);
  assert_int_equal(fmi2GetContinuousStates(c, first, nx), 0);
  assert_int_equal(fmi2SetFMUstate(c, saved), 0);
  assert_int_equal(fmi2DoStep(c, 0.1, 0.1, 1), 0);
  assert_int_equal(fmi2GetContinuousStates(c, again, nx), 0);
  assert_memory_equal(first, again, bytes);

  assert_int_equal(fmi2SerializedFMUstateSize(c, saved, &n), 0);
  char* text = calloc(n, 1);
  assert_int_equal(fmi2SerializeFMUstate(c, saved, text, n - 1), 3);
  assert_int_equal(fmi2SerializeFMUstate(c, saved, text, n), 0);
  assert_int_equal(fmi2DeSerializeFMUstate(other, text, n - 1, &copy), 3);
  assert_int_equal(fmi2DeSerializeFMUstate(other, text, n, &copy), 0);
  assert_int_equal(fmi2SetFMUstate(other, copy), 0);
  assert_int_equal(fmi2DoStep(other, 0.1, 0.1, 1), 0);
  assert_int_equal(fmi2GetContinuousStates(other, again, nx), 0);
  assert_memory_equal(first, again, bytes);
  void* none = NULL;
  for (size_t i = 0; i < n; i++) text[i] = (char)0xff;
  assert_int_equal(fmi2DeSerializeFMUstate(other, text, n, &none), 3);
  assert_int_equal(fmi2SetFMUstate(other, NULL), 3);
  assert_int_equal(fmi2GetFMUstate(c, NULL), 3);
  free(text);
  assert_int_equal(fmi2FreeFMUstate(c, &saved), 0);
  assert_int_equal(fmi2FreeFMUstate(other, &copy), 0);
  assert_null(saved);
  stop2(&u, c);
  stop2(&u, other);
  td_model_free(m);
}

// ---- FMI 3.0 ----------------------------------------------------------------------------------

typedef void* (*instantiate3)(const char*, const char*, const char*, bool, bool, bool, bool,
                              const unsigned*, size_t, void*, void*, void*);
typedef int (*enter3)(void*, bool, double, double, bool, double);
typedef int (*step3)(void*, double, double, bool, bool*, bool*, bool*, double*);
typedef int (*get3)(void*, const unsigned*, size_t, double*, size_t);

// A pendulum whose run ends when it has turned 50 radians, which it never does by itself.
static td_model* load3(void) {
  return load_with("pendulum.m", NULL, NULL,
                   "event(1).when = q(1) - 50; event(1).then = 'stop';\n");
}

static void test_version_three_runs_as_simulated(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load3();
  const unit u = open_unit(m, "pendulum", 3);
  const int ny = td_model_sizes(m).nsensor;
  LOOK_UP(&u, instantiate3, fmi3InstantiateCoSimulation);
  LOOK_UP(&u, enter3, fmi3EnterInitializationMode);
  LOOK_UP(&u, simple, fmi3ExitInitializationMode);
  LOOK_UP(&u, step3, fmi3DoStep);
  LOOK_UP(&u, get3, fmi3GetFloat64);
  void (*release)(void*);
  void* symbol = dlsym(u.library, "fmi3FreeInstance");
  memcpy(&release, &symbol, sizeof release);
  assert_null(fmi3InstantiateCoSimulation("x", "other", "", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL));
  void* c = fmi3InstantiateCoSimulation("x", u.d.guid, "", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL);
  assert_non_null(c);
  bool event, terminate, early;
  double last, got[MOST], want[MOST];
  assert_int_equal(fmi3EnterInitializationMode(c, true, 1e-8, 0, false, 0), 0);
  assert_int_equal(fmi3ExitInitializationMode(c), 0);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(fmi3DoStep(c, 0.1 * i, 0.1, true, &event, &terminate, &early, &last), 0);
    CHECK_NEAR(last, 0.1 * (i + 1), 1e-12);
  }
  unsigned vr[MOST];
  for (int i = 0; i < ny; i++) vr[i] = reference(&u.d, td_model_sensor_name(m, i));
  assert_int_equal(fmi3GetFloat64(c, vr, (size_t)ny, got, (size_t)ny), 0);
  simulate(m, 2, want);
  CHECK_REACHED("pendulum, FMI 3.0", worst(got, want, ny), 1e-5);
  release(c);
  td_model_free(m);
}

// A driven bar that starts at 0.5 s strikes the pendulum at its end (closed form in test_jump.c),
// and an event ends the simulation at 0.8 s.
static void test_speed_jumps_and_events_that_stop_are_met(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  static const char text[] =
      "body(1).m=1; body(1).I=0.01*eye(3); joint(1).second=1; joint(1).tr.rot=[3 inf]; "
      "joint(1).dof.motion=2*ramp(t,0.5,1.5); body(2).m=0.5; body(2).I=0.001*eye(3); "
      "body(2).l_com=[0.1 0 0]; joint(2).first=1; joint(2).second=2; "
      "joint(2).tr(1).trans=[0.25 0 0]; joint(2).tr(2).rot=[3 inf]; joint(2).dof.init=0.7; "
      "sensor(1).name='w'; sensor(1).value=ddof(joint(2),1); sensor(2).name='a'; "
      "sensor(2).value=dof(joint(2),1); event(1).when=dof(joint(1),1)-0.6; event(1).then='stop';";
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  assert_int_equal(td_spec_load_string(spec, "strike.m", text), TD_OK);
  assert_int_equal(td_model_compile(spec, &m), TD_OK);
  const unit u = open_unit(m, "strike", 3);
  LOOK_UP(&u, instantiate3, fmi3InstantiateCoSimulation);
  LOOK_UP(&u, enter3, fmi3EnterInitializationMode);
  LOOK_UP(&u, simple, fmi3ExitInitializationMode);
  LOOK_UP(&u, step3, fmi3DoStep);
  LOOK_UP(&u, get3, fmi3GetFloat64);
  void (*release)(void*);
  void* symbol = dlsym(u.library, "fmi3FreeInstance");
  memcpy(&release, &symbol, sizeof release);
  void* c = fmi3InstantiateCoSimulation("x", u.d.guid, "", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL);
  bool event, terminate = false, early;
  double last = 0, got[2];
  const unsigned vr[2] = {reference(&u.d, "w"), reference(&u.d, "a")};
  assert_int_equal(fmi3EnterInitializationMode(c, true, 1e-9, 0, false, 0), 0);
  assert_int_equal(fmi3ExitInitializationMode(c), 0);
  // steps of 0.25 s end at the jump, those of 0.15 s do not
  for (double h = 0.25; !terminate && last < 2; h = last < 0.4 ? 0.25 : 0.15) {
    assert_int_equal(fmi3DoStep(c, last, h, true, &event, &terminate, &early, &last), 0);
    assert_int_equal(fmi3GetFloat64(c, vr, 2, got, 2), 0);
    if (fabs(last - 0.5) < 1e-9) CHECK_NEAR(got[0], -2 * (0.006 + 0.0125 * cos(0.7)) / 0.006, 1e-6);
  }
  assert_true(terminate && early);
  CHECK_NEAR(last, 0.8, 1e-9);
  CHECK_NEAR(got[1], -0.91301384, 1e-5);  // by test_jump.c's model at rtol 1e-10, and fast starts
  assert_int_not_equal(fmi3DoStep(c, last, 0.1, true, &event, &terminate, &early, &last), 0);
  release(c);
  td_model_free(m);
  td_spec_free(spec);
}

typedef void* (*exchange3)(const char*, const char*, const char*, bool, bool, void*, void*);
typedef int (*discrete3)(void*, bool*, bool*, bool*, bool*, bool*, double*);
typedef int (*count3)(void*, size_t*);

// The indicator is what the model says, and passing zero ends the run.
static void test_events_are_indicators_that_end_the_run(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  td_model* m = load3();
  const unit u = open_unit(m, "pendulum", 3);
  LOOK_UP(&u, exchange3, fmi3InstantiateModelExchange);
  LOOK_UP(&u, enter3, fmi3EnterInitializationMode);
  LOOK_UP(&u, simple, fmi3ExitInitializationMode);
  LOOK_UP(&u, count3, fmi3GetNumberOfEventIndicators);
  LOOK_UP(&u, get_states, fmi3GetEventIndicators);
  LOOK_UP(&u, set_states, fmi3SetContinuousStates);
  LOOK_UP(&u, discrete3, fmi3UpdateDiscreteStates);
  LOOK_UP(&u, get3, fmi3GetFloat64);
  void (*release)(void*);
  void* symbol = dlsym(u.library, "fmi3FreeInstance");
  memcpy(&release, &symbol, sizeof release);
  void* c = fmi3InstantiateModelExchange("x", u.d.guid, "", 0, 0, NULL, NULL);
  assert_non_null(c);
  bool again, stop, nominals, values, next;
  double time, g = NAN, x[2] = {49, 3};
  const unsigned vr = reference(&u.d, "event[1]");
  size_t n = 0;
  assert_int_equal(fmi3EnterInitializationMode(c, false, 0, 0, false, 0), 0);
  assert_int_equal(fmi3ExitInitializationMode(c), 0);
  assert_int_equal(fmi3GetNumberOfEventIndicators(c, &n), 0);
  assert_int_equal(n, 1);
  assert_int_equal(fmi3GetEventIndicators(c, &g, 2), 3);
  for (int k = 0; k < 2; k++) {
    x[0] = 49 + 2 * k;
    assert_int_equal(fmi3SetContinuousStates(c, x, 2), 0);
    assert_int_equal(fmi3GetEventIndicators(c, &g, 1), 0);
    CHECK_NEAR(g, 2 * k - 1, 1e-12);
    assert_int_equal(fmi3GetFloat64(c, &vr, 1, &g, 1), 0);
    CHECK_NEAR(g, 2 * k - 1, 1e-12);
    assert_int_equal(fmi3UpdateDiscreteStates(c, &again, &stop, &nominals, &values, &next, &time),
                     0);
    assert_int_equal(stop, k);
  }
  release(c);
  td_model_free(m);
}

// A cart of 2 kg pushed by 3 pulse(t, 0.3, 0.55) + 4 ramp(t, 0.8, 1) + step(t, 1.3) newtons, and a
// second one that has a curved corner, max(t^3 - 1.4^3, 0).
static void test_time_events_of_forces_and_motion(void** state) {
  (void)state;
  if (!have_compiler()) skip();
  static const char text[] =
      "world.g=[0 0 0]; t1=param('t1',0.3); body(1).m=2; body(1).I=eye(3); joint(1).second=1; "
      "joint(1).tr.trans=[inf 0 0]; "
      "joint(1).dof.input=3*pulse(t,t1,0.55)+4*ramp(t,0.8,1)+step(t,1.3); "
      "body(2).m=1; body(2).I=eye(3); joint(2).second=2; joint(2).tr.trans=[0 inf 0]; "
      "joint(2).dof.motion=max(t^3-2.744,0); "
      "sensor(1).name='x'; sensor(1).value=dof(joint(1),1); "
      "sensor(2).name='v'; sensor(2).value=ddof(joint(1),1); par.t_final=2;";
  static const double times[] = {0.3, 0.55, 0.8, 1, 1.3, 1.4};
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  assert_int_equal(td_spec_load_string(spec, "clock.m", text), TD_OK);
  assert_int_equal(td_model_compile(spec, &m), TD_OK);
  const unit u = open_unit(m, "clock", 3);
  LOOK_UP(&u, exchange3, fmi3InstantiateModelExchange);
  LOOK_UP(&u, instantiate3, fmi3InstantiateCoSimulation);
  LOOK_UP(&u, enter3, fmi3EnterInitializationMode);
  LOOK_UP(&u, simple, fmi3ExitInitializationMode);
  LOOK_UP(&u, set_time, fmi3SetTime);
  LOOK_UP(&u, discrete3, fmi3UpdateDiscreteStates);
  LOOK_UP(&u, step3, fmi3DoStep);
  LOOK_UP(&u, get3, fmi3GetFloat64);
  void (*release)(void*);
  void* symbol = dlsym(u.library, "fmi3FreeInstance");
  memcpy(&release, &symbol, sizeof release);

  // model exchange: the next event is told, one after the other
  bool again, stop, nominals, values, next, event, terminate, early;
  double time = 0, last = 0, got[2];
  void* c = fmi3InstantiateModelExchange("x", u.d.guid, "", 0, 0, NULL, NULL);
  assert_int_equal(fmi3EnterInitializationMode(c, false, 0, 0, false, 0), 0);
  assert_int_equal(fmi3ExitInitializationMode(c), 0);
  for (int k = 0; k < 6; k++) {
    assert_int_equal(fmi3UpdateDiscreteStates(c, &again, &stop, &nominals, &values, &next, &time),
                     0);
    assert_true(next);
    CHECK_NEAR(time, times[k], 1e-10);
    assert_int_equal(fmi3SetTime(c, time), 0);
  }
  release(c);

  // co-simulation in steps that end at none of them; with constant and linear forces between the
  // corners the method of order 3 has but the rounding of its difference quotient
  c = fmi3InstantiateCoSimulation("x", u.d.guid, "", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL);
  const unsigned vr[2] = {reference(&u.d, "x"), reference(&u.d, "v")};
  assert_int_equal(fmi3EnterInitializationMode(c, true, 1e-3, 0, false, 0), 0);
  assert_int_equal(fmi3ExitInitializationMode(c), 0);
  for (int k = 0; k < 4; k++)
    assert_int_equal(fmi3DoStep(c, last, 0.34, true, &event, &terminate, &early, &last), 0);
  assert_int_equal(fmi3GetFloat64(c, vr, 2, got, 2), 0);
  const double end = 1.36, ramp3 = (0.56 * 0.56 * 0.56 - 0.36 * 0.36 * 0.36) / 6,
               ramp2 = (0.56 * 0.56 - 0.36 * 0.36) / 2;
  CHECK_NEAR(got[1], (3 * 0.25 + 4 * ramp2 / 0.2 + (end - 1.3)) / 2, 1e-7);
  CHECK_NEAR(got[0], (3 * (1.06 * 1.06 - 0.81 * 0.81) / 2 + 4 * ramp3 / 0.2 + 0.06 * 0.06 / 2) / 2,
             1e-7);
  release(c);
  td_model_free(m);
  td_spec_free(spec);
}

static void test_a_cable_that_cannot_be_stretched_is_refused(void** state) {
  (void)state;
  td_model* m = load_with("pendulum.m", NULL, NULL,
                          "cable(1).via = {0, 1}; cable(1).points = [1 0 0; 0 0 -1]; "
                          "cable(1).pull = 0;\n");
  char message[400];
  td_files* files = NULL;
  assert_int_equal(td_files_open(".", &files, message, sizeof message), TD_OK);
  assert_int_equal(td_export_fmu(m, "p", 2, files, message, sizeof message), TD_E_USAGE);
  assert_non_null(strstr(message, "cable(1) cannot be stretched"));
  td_files_close(files);
  td_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_time_events_of_forces_and_motion),
      cmocka_unit_test(test_pendulum_runs_as_simulated_in_both_ways),
      cmocka_unit_test(test_manipulator_runs_as_simulated),
      cmocka_unit_test(test_loops_stay_closed_in_cosimulation),
      cmocka_unit_test(test_steps_do_not_pass_over_contacts),
      cmocka_unit_test(test_directional_derivatives_are_exact),
      cmocka_unit_test(test_internal_states_are_states),
      cmocka_unit_test(test_parameters_act_and_wrong_use_is_an_error),
      cmocka_unit_test(test_all_sources_give_the_same_numbers),
      cmocka_unit_test(test_ranges_hold),
      cmocka_unit_test(test_version_three_runs_as_simulated),
      cmocka_unit_test(test_a_saved_state_brings_the_same_future),
      cmocka_unit_test(test_speed_jumps_and_events_that_stop_are_met),
      cmocka_unit_test(test_events_are_indicators_that_end_the_run),
      cmocka_unit_test(test_a_cable_that_cannot_be_stretched_is_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
