// See random_unit.h.
#include "random_unit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

const char* exported_compiler(void) {
  static const char* const known[] = {"clang", "clang-14", "cc"};
  if (getenv("CC")) return getenv("CC");
  for (int i = 0; i < 3; i++) {
    char command[100];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", known[i]);
    if (system(command) == 0) return known[i];
  }
  return NULL;
}

// ---- making -----------------------------------------------------------------------------------

// A member of an archive; the caller frees it.  NULL: there is none.
static char* member(const char* path, const char* name, size_t* size) {
  zip_t* z = zip_open(path, ZIP_RDONLY, NULL);
  zip_stat_t st;
  char* data = NULL;
  if (z != NULL && zip_stat(z, name, 0, &st) == 0) {
    zip_file_t* f = zip_fopen(z, name, 0);
    data = calloc((size_t)st.size + 1, 1);
    *size = (size_t)zip_fread(f, data, st.size);
    zip_fclose(f);
  }
  if (z != NULL) zip_close(z);
  return data;
}

// Value references of the outputs, in the order of the description, and the identifier
static void read_description(const char* text, exported* e) {
  const char* guid = strstr(text, "guid=\"");
  if (guid != NULL) sscanf(guid, "guid=\"%79[^\"]", e->guid);
  e->output = calloc((size_t)e->size.nsensor + 1, sizeof *e->output);
  for (const char* v = strstr(text, "<ScalarVariable"); v != NULL;
       v = strstr(v + 1, "<ScalarVariable")) {
    const char *end = strchr(v, '>'), *output = strstr(v, "causality=\"output\""),
               *number = strstr(v, "valueReference=\"");
    if (output == NULL || number == NULL || output > end || number > end) continue;
    if (e->noutput < e->size.nsensor) sscanf(number, "valueReference=\"%u", &e->output[e->noutput]);
    e->noutput++;
  }
}

// The unit and its binary, which has the functions of the C model too
static bool open_unit(const td_model* model, const char* directory, exported* e) {
  td_files* files = NULL;
  char path[500], name[200];
  size_t n = 0;
  if (td_files_open(directory, &files, e->why, sizeof e->why) != TD_OK) return false;
  const bool made = td_export_fmu(model, e->title, 2, files, e->why, sizeof e->why) == TD_OK &&
                    td_files_commit(files) == TD_OK;
  td_files_close(files);
  if (!made) return false;
  snprintf(path, sizeof path, "%s/%s.fmu", directory, e->title);
  char* text = member(path, "modelDescription.xml", &n);
  if (text != NULL) read_description(text, e);
  free(text);
  snprintf(name, sizeof name, "binaries/linux64/%s.so", e->title);
  char* binary = member(path, name, &n);
  remove(path);
  if (binary == NULL) return false;
  snprintf(path, sizeof path, "%s/%s.so", directory, e->title);
  FILE* f = fopen(path, "wb");
  const bool written = f != NULL && fwrite(binary, 1, n, f) == n;
  if (f != NULL) fclose(f);
  free(binary);
  if (written) e->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  remove(path);
  return e->library != NULL;
}

static bool open_c(const td_model* model, const char* directory, exported* e) {
  td_files* files = NULL;
  char path[500], command[1200];
  if (td_files_open(directory, &files, path, sizeof path) != TD_OK) return false;
  const bool made = td_export_c(model, e->title, files) == TD_OK && td_files_commit(files) == TD_OK;
  td_files_close(files);
  snprintf(path, sizeof path, "%s/%s.so", directory, e->title);
  snprintf(command, sizeof command,
           "cd '%s' && %s -std=gnu11 -O0 -w -fPIC -shared %s.c -lm -o %s.so", directory,
           getenv("CC"), e->title, e->title);
  if (made && system(command) == 0) e->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  snprintf(command, sizeof command, "cd '%s' && rm -f %s.*", directory, e->title);
  return system(command) == 0 && e->library != NULL;
}

bool exported_open(const td_model* model, const char* directory, const char* title, exported* e) {
  *e = (exported){.size = td_model_sizes(model)};
  snprintf(e->title, sizeof e->title, "%s", title);
  // compiling is most of the time; the model's own functions are seen besides the unit's
  setenv("CC", exported_compiler(), 1);
  setenv("CFLAGS", "-O0 -fvisibility=default", 1);
  e->unit = open_unit(model, directory, e);
  const bool done = e->unit || open_c(model, directory, e);
  unsetenv("CC");
  unsetenv("CFLAGS");
  return done;
}

void exported_close(exported* e) {
  if (e->library != NULL) dlclose(e->library);
  free(e->output);
  *e = (exported){0};
}

// A function of the library; functions and objects have the same representation where dlsym exists.
static void look_up(const exported* e, const char* name, void* function) {
  void* symbol = dlsym(e->library, name);
  if (symbol == NULL) {
    char own[100];
    snprintf(own, sizeof own, "%s_%s", e->title, name);
    symbol = dlsym(e->library, own);
  }
  memcpy(function, &symbol, sizeof symbol);
}

// ---- running ----------------------------------------------------------------------------------

bool exported_run(const exported* e, double t_end, int steps, double* sensors) {
  void* (*open)(void);
  int (*initial)(void*, double*, double*, double*, double*);
  int (*step)(void*, double*, double*, double*, const double*, double);
  int (*sense)(void*, double, const double*, const double*, const double*, double*);
  look_up(e, "static", &open), look_up(e, "initial", &initial);
  look_up(e, "step", &step), look_up(e, "sensors", &sense);
  if (!open || !initial || !step || !sense) return false;
  const size_t nq = (size_t)e->size.nq, nv = (size_t)e->size.nv, nu = (size_t)e->size.nu;
  double *q = calloc(nq + nv + nu + 1, sizeof *q), *v = q + nq, *u = v + nv, t = 0;
  void* model = open();
  bool done = model != NULL && initial(model, &t, q, v, u) == 0;
  for (int k = 0; k < steps && done; k++) done = step(model, &t, q, v, u, t_end / steps) == 0;
  done = done && sense(model, t, q, v, u, sensors) == 0;
  free(q);
  return done;
}

typedef struct callbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void *finished, *environment;
} callbacks;

static void quiet(void* e, const char* n, int s, const char* c, const char* text, ...) {
  (void)e, (void)n, (void)s, (void)c, (void)text;
}

bool exported_unit_run(const exported* e, double t_end, int steps, double rtol, double* sensors) {
  static const callbacks call = {quiet, calloc, free, NULL, NULL};
  void* (*instantiate)(const char*, int, const char*, const char*, const callbacks*, int, int);
  int (*setup)(void*, int, double, double, int, double);
  int (*enter)(void*), (*leave)(void*), (*step)(void*, double, double, int);
  int (*get)(void*, const unsigned*, size_t, double*);
  void (*release)(void*);
  look_up(e, "fmi2Instantiate", &instantiate), look_up(e, "fmi2SetupExperiment", &setup);
  look_up(e, "fmi2EnterInitializationMode", &enter);
  look_up(e, "fmi2ExitInitializationMode", &leave);
  look_up(e, "fmi2DoStep", &step), look_up(e, "fmi2GetReal", &get);
  look_up(e, "fmi2FreeInstance", &release);
  if (e->noutput != e->size.nsensor || !instantiate) return false;
  void* c = instantiate("random", 1, e->guid, "", &call, 0, 0);
  bool done = c != NULL && setup(c, 1, rtol, 0, 0, 0) == 0 && enter(c) == 0 && leave(c) == 0;
  for (int k = 0; k < steps && done; k++) done = step(c, k * t_end / steps, t_end / steps, 1) == 0;
  done = done && get(c, e->output, (size_t)e->noutput, sensors) == 0;
  if (c != NULL) release(c);
  return done;
}
