// Deriving and running closed-form equations, printed as JSON: time to derive, time to print C,
// size of the code, and microseconds of one evaluation of v' beside the engine's, for the
// STIFF-FLOP manipulator of the TMTDyn paper and longer ones.  The published times and those of the
// published equations compiled to C on a comparable machine stand beside them.  Codes above 1 MB
// are compiled with -O1, which takes half a minute.
//
//   bench_derive MODELS           the directory with stiffflop.m
//   bench_derive MODELS --table   the table of docs/derive.md
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
enum { NVARIANT = sizeof variants / sizeof *variants, CAREFUL_LIMIT = 1000000 };

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
static void* build(const char* directory, long bytes) {
  char command[1000], path[400];
  snprintf(path, sizeof path, "%s/stiffflop.so", directory);
  snprintf(command, sizeof command,
           "cc %s -march=native -fno-math-errno -shared -fPIC '%s/stiffflop.c' -o '%s' -lm",
           bytes < CAREFUL_LIMIT ? "-O2" : "-O1", directory, path);
  return system(command) == 0 ? dlopen(path, RTLD_NOW) : NULL;
}

static long file_size(const char* directory) {
  char path[400];
  snprintf(path, sizeof path, "%s/stiffflop.c", directory);
  FILE* f = fopen(path, "rb");
  if (!f) return -1;
  fseek(f, 0, SEEK_END);
  const long n = ftell(f);
  fclose(f);
  return n;
}

typedef struct result {
  int dof, expressions;
  long bytes;
  double derive_s, print_s, derived_us, engine_us, difference;
} result;

static void write_code(const pair* r, const char* directory, result* out) {
  const td_derive_options o = {.size = sizeof(td_derive_options), .loops = true};
  td_derived* d = NULL;
  td_files* files = NULL;
  char message[300];
  const double start = seconds();
  if (td_derive(r->model, &o, &d, message, sizeof message) != TD_OK) exit(1);
  const double derived = seconds();
  if (td_files_open(directory, &files, message, sizeof message) != TD_OK ||
      td_derive_write(r->model, d, "stiffflop", TD_DERIVE_C, TD_DERIVE_WHOLE, files) != TD_OK ||
      td_files_commit(files) != TD_OK) {
    exit(1);
  }
  out->print_s = seconds() - derived;
  out->derive_s = derived - start;
  out->expressions = td_derived_size(d);
  out->bytes = file_size(directory);
  td_files_close(files);
  td_derived_free(d);
}

static void prepare(pair* r) {
  const td_sizes n = td_model_sizes(r->model);
  r->work = needed(td_work_new(r->model));
  r->state = needed(td_state_new(r->model));
  r->vdot = needed(calloc((size_t)n.nv + 1, sizeof(double)));
  r->lambda = needed(calloc((size_t)n.nconstraint + 1, sizeof(double)));
  r->scratch = needed(calloc((size_t)n.nv * ((size_t)n.nv + 20) + 1000, sizeof(double)));
  td_state_initial(r->model, r->work, r->state);
  for (int i = 0; i < n.nv; i++) r->state->v[i] = 0.01 * sin(i);
}

static void release(pair* r) {
  free(r->vdot);
  free(r->lambda);
  free(r->scratch);
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

static void time_code(pair* r, void* library, result* out) {
  void* symbol = library ? dlsym(library, "stiffflop_forward") : NULL;
  out->engine_us = best_time(run_engine, r);
  out->derived_us = out->difference = NAN;
  if (!symbol) return;
  memcpy(&r->derived, &symbol, sizeof r->derived);
  out->derived_us = best_time(run_derived, r);
  out->difference = 0;
  for (int i = 0; i < out->dof; i++) {
    const double want = td_work_vdot(r->work)[i];
    out->difference = fmax(out->difference, fabs(r->vdot[i] - want) / (1 + fabs(want)));
  }
}

static result measure(const char* models, variant v) {
  char directory[300], command[400];
  const char* place = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/tendril_bench_XXXXXX", place ? place : "/tmp");
  if (!mkdtemp(directory)) exit(1);
  pair r = {.model = variant_model(models, v)};
  result out = {.dof = td_model_sizes(r.model).nv};
  write_code(&r, directory, &out);
  prepare(&r);
  void* library = build(directory, out.bytes);
  time_code(&r, library, &out);
  if (library) dlclose(library);
  release(&r);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0) exit(1);
  return out;
}

// ---- output -----------------------------------------------------------------------------------

static void print_json(variant v, result r, bool last) {
  printf("    {\"model\": \"%s\", \"n\": %d, \"dof\": %d, ", v.model, v.n, r.dof);
  print_number("derive_s", r.derive_s);
  print_number("print_s", r.print_s);
  print_number("published_s", v.published_s);
  printf("\"expressions\": %d, \"code_bytes\": %ld, ", r.expressions, r.bytes);
  print_number("derived_us", r.derived_us);
  print_number("published_us", v.published_us);
  print_number("difference", r.difference);
  printf("\"engine_us\": %.2f}%s\n", r.engine_us, last ? "" : ",");
}

static void print_cell(const char* format, double x) {
  if (isfinite(x)) printf(format, x);
  printf(" | ");
}

static void print_row(variant v, result r) {
  printf("| %s, n = %d | %d | %.3g ms | ", v.model, v.n, r.dof, 1e3 * (r.derive_s + r.print_s));
  print_cell("%.1f days", v.published_s / 86400);
  printf("%ld kB | ", r.bytes / 1000);
  print_cell("%.3g us", r.derived_us);
  print_cell("%.3g us", v.published_us);
  printf("%.3g us |\n", r.engine_us);
}

int main(int argc, char** argv) {
  const bool table = argc == 3 && strcmp(argv[2], "--table") == 0;
  if (argc != 2 && !table) {
    fprintf(stderr, "usage: bench_derive MODELS [--table]\n");
    return 1;
  }
  if (table) {
    printf(
        "| model | DOF | derive and print C | published derivation | code | v' from it | "
        "published equations in C | engine |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  } else {
    printf("{\n  \"derive\": [\n");
  }
  for (int i = 0; i < NVARIANT; i++) {
    const result r = measure(argv[1], variants[i]);
    if (table) {
      print_row(variants[i], r);
    } else {
      print_json(variants[i], r, i == NVARIANT - 1);
    }
    fflush(stdout);
  }
  if (!table) printf("  ]\n}\n");
  return 0;
}
