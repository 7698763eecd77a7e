// Derived code for v', compiled while a simulation runs with the engine.  One thread derives and
// prints the equations, compiles them with libtcc, then with the system's compiler, and publishes
// each code; the simulation takes the latest one between two steps.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "gen/compiler.h"
#include "gen/program.h"
#include "gen/tcc.h"

// Bytes of C beyond which compilers take minutes and the engine is faster than the compiled code.
enum { SOURCE_LIMIT = 1 << 20 };

typedef int (*forward_function)(double t, const double* q, const double* v, const double* u,
                                const double* p, double* vdot, double* lambda, double* work);

// One compiled code.
typedef struct compiled {
  forward_function forward;
  const td_jit* jit;
  td_code code;
} compiled;

struct td_jit {
  const td_model* m;
  double* param;  // values when it began
  pthread_t thread;
  bool running;
  atomic_bool stop, done;
  td_build build;
  bool place;  // there is a directory
  _Atomic(const td_code*) latest;
  td_code_source source;
  char message[300];

  // memory of the code
  int nwork, nu, ntarget;
  bool power;
  double *p, *u, *lambda, *work;
  void *tcc, *library;
  compiled quick, careful;
};

// ---- evaluation -------------------------------------------------------------------------------

// Evaluate v' and the power by compiled code; integrated controls follow the named inputs in u.
static int forward(void* user, const td_state* s, const double* targets, double* vdot,
                   double* power) {
  const compiled* c = user;
  const td_jit* j = c->jit;
  for (int i = 0; i < j->nu; i++) j->u[i] = s->u[i];
  for (int i = 0; i < j->ntarget; i++) j->u[j->nu + i] = targets[i];

  // the code; the power is the last number of its work
  const int bad = c->forward(s->t, s->q, s->v, j->u, j->p, vdot, j->lambda, j->work);
  if (power) *power = j->work[j->nwork - 1];
  return bad;
}

// Make a compiled function the latest code.
static void publish(td_jit* j, compiled* c, const char* maker, void* symbol) {
  memcpy(&c->forward, &symbol, sizeof c->forward);
  c->jit = j;
  c->code = (td_code){maker, c, forward, j->power};
  atomic_store(&j->latest, &c->code);
}

static const td_code* latest(void* user) { return atomic_load(&((td_jit*)user)->latest); }

// ---- making -----------------------------------------------------------------------------------

// Keep a message for the user.
static void note(td_jit* j, const char* text) {
  snprintf(j->message, sizeof j->message, "%s", text);
}

// Allocate inputs, parameters, multipliers and work of the code.
static bool allocate_code(td_jit* j, const td_derived* d) {
  j->nu = d->nu;
  j->ntarget = d->ntarget;
  j->power = d->power != EX_NONE;
  j->p = calloc((size_t)d->np + 1, sizeof(double));
  j->u = calloc((size_t)(d->nu + d->ntarget) + 1, sizeof(double));
  j->lambda = calloc((size_t)d->nrow + 1, sizeof(double));
  j->work = calloc((size_t)j->nwork + 1, sizeof(double));
  for (int i = 0; j->p && i < d->np; i++) j->p[i] = j->param[d->param[i]];
  return j->p && j->u && j->lambda && j->work;
}

// Derive the equations.  Parameters that differ from the model's values stay symbols.
static td_status derive(td_jit* j, td_derived** d) {
  const td_model* m = j->m;
  const char** names = calloc((size_t)m->nparam + 1, sizeof *names);
  if (!names) return TD_E_NOMEM;
  td_derive_options o = td_derive_options_default();
  o.symbolic = names;
  o.loops = o.power = true;
  for (int i = 0; i < m->nparam; i++) {
    if (j->param[i] != m->param[i].value) names[o.nsymbolic++] = model_name(m, m->param[i].name);
  }
  const td_status status = td_derive(m, &o, d, j->message, sizeof j->message);
  free(names);
  return status;
}

// Derive and print C, and allocate what it works with.
static td_status print(td_jit* j, td_text* out) {
  td_derived* d = NULL;
  gen_program p;
  TD_TRY(derive(j, &d));
  td_status status = td_program_core(j->m, d, "jit", &p);
  if (status == TD_OK) status = td_print_c_core(&p, out, &j->nwork);
  if (status == TD_OK && !allocate_code(j, d)) status = TD_E_NOMEM;
  td_program_close(&p);
  td_derived_free(d);
  return status;
}

// Compile with the system's compiler and publish the code, or keep a message.
static void compile_with_cc(td_jit* j, const td_text* text) {
  static const char* const flags[] = {
      "-std=c99", "-O2", "-march=native", "-fno-math-errno", "-fPIC", "-shared", "-w"};
  char path[600];
  const bool built = j->place && td_build_file(&j->build, "jit.c", text->s, (size_t)text->n) &&
                     td_build_library(&j->build, "jit.c", NULL, flags, sizeof flags / sizeof *flags,
                                      path, sizeof path);
  j->library = built && !atomic_load(&j->stop) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  void* symbol = j->library ? dlsym(j->library, "jit_forward") : NULL;
  if (symbol) {
    publish(j, &j->careful, "cc", symbol);
  } else if (!atomic_load(&j->stop)) {
    note(j, !j->place ? "no directory could be made for cc (is TMPDIR writable?)"
            : built   ? "the library that cc has made cannot be loaded"
                      : "cc could not compile the derived code (is a C compiler installed?)");
  }
}

// Derive, print and compile, twice: quickly with libtcc, then well with the system's compiler.
static void* make(void* user) {
  td_jit* j = user;
  td_text text = {0};
  const td_status status = print(j, &text);
  if (status != TD_OK && !j->message[0]) note(j, td_status_text(status));

  // compile unless it is too long or the simulation has ended
  if (status == TD_OK && text.n > SOURCE_LIMIT) {
    note(j, "the derived code is too long to be compiled in time");
  } else if (status == TD_OK && !atomic_load(&j->stop)) {
    j->tcc = td_tcc_compile(text.s);
    void* symbol = j->tcc ? td_tcc_symbol(j->tcc, "jit_forward") : NULL;
    if (symbol) publish(j, &j->quick, "tcc", symbol);
    if (!atomic_load(&j->stop)) compile_with_cc(j, &text);
  }
  td_text_free(&text);
  atomic_store(&j->done, true);
  return NULL;
}

// ---- beginning and end ------------------------------------------------------------------------

// Start the thread with all signals blocked: they are handled by the program's threads.
static bool begin(td_jit* j) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  j->running = pthread_create(&j->thread, NULL, make, j) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return j->running;
}

// Begin to compile; parameters are those of `w` now.
td_status td_jit_new(const td_model* m, const td_work* w, td_jit** jit) {
  if (!model_works(m, w) || !jit) return TD_E_USAGE;
  td_jit* j = *jit = calloc(1, sizeof *j);
  if (!j) return TD_E_NOMEM;
  j->m = m;
  j->source = (td_code_source){j, latest};
  j->place = td_build_open(&j->build);
  atomic_init(&j->latest, NULL);
  atomic_init(&j->stop, false);
  atomic_init(&j->done, false);

  // parameters now; then start
  j->param = calloc((size_t)m->nparam + 1, sizeof(double));
  for (int i = 0; j->param && i < m->nparam; i++) j->param[i] = td_work_param(m, w, i);
  if (j->param && begin(j)) return TD_OK;
  td_jit_free(j);
  *jit = NULL;
  return TD_E_NOMEM;
}

void td_jit_wait(td_jit* j) {
  if (!j) return;
  if (j->running) pthread_join(j->thread, NULL);
  j->running = false;
}

bool td_jit_done(const td_jit* j) { return !j || atomic_load(&j->done); }

void td_jit_stop(td_jit* j) {
  if (!j) return;
  atomic_store(&j->stop, true);
  td_build_stop(&j->build);
  td_jit_wait(j);
}

void td_jit_free(td_jit* j) {
  if (!j) return;
  td_jit_stop(j);
  if (j->library) dlclose(j->library);
  td_tcc_free(j->tcc);
  td_build_close(&j->build);
  free(j->param);
  free(j->p);
  free(j->u);
  free(j->lambda);
  free(j->work);
  free(j);
}

const td_code_source* td_jit_source(const td_jit* j) { return j ? &j->source : NULL; }

const char* td_jit_message(const td_jit* j) { return j ? j->message : ""; }
