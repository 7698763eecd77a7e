// Deriving and running closed-form equations, printed as JSON: time to derive, time to print C,
// size of the code, and microseconds of one evaluation of v' beside the engine's, for the
// STIFF-FLOP manipulator of the TMTDyn paper and longer ones.  The published times and those of the
// published equations compiled to C on a comparable machine stand beside them.  Large codes are
// derived and printed but not compiled.
//
//   bench_derive MODELS        the directory with stiffflop.m
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "tendril/generate.h"

typedef struct variant {
  const char* model;
  int n;
  double published_s;   // to derive, NAN: not published
  double published_us;  // of one evaluation, NAN: not known
} variant;

static const variant variants[] = {
    {"eba", 1, NAN, NAN},  {"eba", 2, NAN, NAN},    {"eba", 3, NAN, NAN},    {"eba", 4, NAN, NAN},
    {"eba", 5, NAN, 19.1}, {"eba", 6, NAN, NAN},    {"ebr", 1, NAN, NAN},    {"ebr", 2, NAN, NAN},
    {"ebr", 3, NAN, 9.1},  {"ebr", 4, NAN, NAN},    {"ebr", 5, 570240, NAN}, {"srl", 1, NAN, NAN},
    {"srl", 2, NAN, 5.0},  {"srl", 3, 509760, NAN}, {"rom", 1, NAN, NAN},    {"rom", 2, NAN, 137},
    {"rom", 3, NAN, NAN},  {"rom", 4, NAN, NAN},    {"rom", 5, NAN, NAN},    {"srl", 10, NAN, NAN},
    {"ebr", 20, NAN, NAN}, {"eba", 100, NAN, NAN}};
enum { NVARIANT = sizeof variants / sizeof *variants, COMPILE_LIMIT = 1000000 };

static td_model* variant_model(const char* directory, variant v) {
  char path[600], n[16];
  snprintf(path, sizeof path, "%s/stiffflop.m", directory);
  snprintf(n, sizeof n, "%d", v.n);
  const char* const set[][2] = {{"model", v.model}, {"n", n}};
  return compiled(path, NULL, set, 2);
}

// ---- evaluation -------------------------------------------------------------------------------

typedef int (*forward)(double, const double*, const double*, const double*, const double*, double*,
                       double*, double*);

typedef struct pair {
  td_model* model;
  td_work* work;
  td_state* state;
  forward derived;
  double *vdot, *lambda, *scratch;
} pair;

static void run_engine(void* on) {
  pair* r = on;
  td_forward_dynamics(r->model, r->state, r->work);
}
static void run_derived(void* on) {
  pair* r = on;
  const double none[1] = {0};
  r->derived(r->state->t, r->state->q, r->state->v, r->state->u, none, r->vdot, r->lambda,
             r->scratch);
}

// The printed code as a library; NULL: it cannot be compiled here.
static void* build(const char* directory) {
  char command[500], path[300];
  snprintf(path, sizeof path, "%s/stiffflop.so", directory);
  snprintf(command, sizeof command,
           "cc -O2 -march=native -fno-math-errno -shared -fPIC '%s/stiffflop.c' -o '%s' -lm",
           directory, path);
  return system(command) == 0 ? dlopen(path, RTLD_NOW) : NULL;
}

static long file_size(const char* directory) {
  char path[300];
  snprintf(path, sizeof path, "%s/stiffflop.c", directory);
  FILE* f = fopen(path, "rb");
  if (!f) return -1;
  fseek(f, 0, SEEK_END);
  const long n = ftell(f);
  fclose(f);
  return n;
}

static void measure(const char* models, variant v, bool last) {
  char directory[] = "/tmp/tendril_bench_XXXXXX", message[300], command[300];
  pair r = {.model = variant_model(models, v)};
  const td_sizes n = td_model_sizes(r.model);
  td_derived* d = NULL;
  td_files* files = NULL;
  if (!mkdtemp(directory)) exit(1);
  const double start = seconds();
  if (td_derive(r.model, NULL, &d, message, sizeof message) != TD_OK) exit(1);
  const double derived = seconds();
  if (td_files_open(directory, &files, message, sizeof message) != TD_OK ||
      td_derive_write(r.model, d, "stiffflop", TD_DERIVE_C, TD_DERIVE_WHOLE, files) != TD_OK ||
      td_files_commit(files) != TD_OK) {
    exit(1);
  }
  const double printed = seconds();
  td_files_close(files);
  const long bytes = file_size(directory);

  r.work = needed(td_work_new(r.model));
  r.state = needed(td_state_new(r.model));
  r.vdot = needed(calloc((size_t)n.nv + 1, sizeof(double)));
  r.lambda = needed(calloc((size_t)n.nconstraint + 1, sizeof(double)));
  r.scratch = needed(calloc((size_t)n.nv * ((size_t)n.nv + 20) + 1000, sizeof(double)));
  td_state_initial(r.model, r.work, r.state);
  for (int i = 0; i < n.nv; i++) r.state->v[i] = 0.01 * sin(i);
  double us = NAN, error = NAN;
  void* library = bytes < COMPILE_LIMIT ? build(directory) : NULL;
  void* symbol = library ? dlsym(library, "stiffflop_forward") : NULL;
  const double engine_us = best_time(run_engine, &r);
  if (symbol) {
    memcpy(&r.derived, &symbol, sizeof r.derived);
    us = best_time(run_derived, &r);
    error = 0;
    for (int i = 0; i < n.nv; i++) {
      const double want = td_work_vdot(r.work)[i];
      error = fmax(error, fabs(r.vdot[i] - want) / (1 + fabs(want)));
    }
  }
  printf("    {\"model\": \"%s\", \"n\": %d, \"dof\": %d, ", v.model, v.n, n.nv);
  print_number("derive_s", derived - start);
  print_number("print_s", printed - derived);
  print_number("published_s", v.published_s);
  printf("\"expressions\": %d, \"code_bytes\": %ld, ", td_derived_size(d), bytes);
  print_number("derived_us", us);
  print_number("published_us", v.published_us);
  print_number("difference", error);
  printf("\"engine_us\": %.2f}%s\n", engine_us, last ? "" : ",");
  fflush(stdout);
  if (library) dlclose(library);
  free(r.vdot);
  free(r.lambda);
  free(r.scratch);
  td_derived_free(d);
  td_state_free(r.state);
  td_work_free(r.work);
  td_model_free(r.model);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0) exit(1);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: bench_derive MODELS\n");
    return 1;
  }
  printf("{\n  \"derive\": [\n");
  for (int i = 0; i < NVARIANT; i++) measure(argv[1], variants[i], i == NVARIANT - 1);
  printf("  ]\n}\n");
  return 0;
}
