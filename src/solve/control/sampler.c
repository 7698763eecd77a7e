// Sampled control by gains of a file, plug-ins, laws and tasks; see sampler.h.
//
// With gains and sensors, an observer with the gain L of the file estimates the state,
//
//   x^' = (A - L C) x^ + (B - L D) u + L y,
//
// exactly over a period with u and y held: x^_{k+1} = F x^_k + G [u_k; y_k].
#include "solve/control/sampler.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>

#include "io/gains.h"
#include "math/random.h"
#include "math/riccati.h"
#include "model/model.h"
#include "solve/vectors.h"
#include "tendril/control.h"

// One controller of the model: gains with their observer, or a plug-in.
typedef struct controller {
  td_controller_info loop;
  td_gains* gains;
  double *F, *G, *x, *next;        // observer: nx x nx, nx x (nu + ny), nx, nx
  double *y0, *Nplus, *d, *state;  // sensors at the point; nv x nq, 2 nv + nz + nq, nx
  void* library;
  td_controller_function* function;
  double memory[TD_CONTROLLER_MEMORY];
} controller;

// Inputs that have been computed and arrive at time t.
typedef struct arrival {
  double t, *u;
} arrival;

struct td_sampler {
  const td_model* model;
  td_work *work, *belief;
  td_computer computer;
  td_sizes size;
  td_control* control;  // laws and tasks
  controller* controllers;
  int ncontroller;
  double *y, *u, *z;  // measurements; inputs; integrals of task errors
  td_state* at;       // scratch for laws and tasks
  arrival* queue;     // ring buffer
  bool* sets;         // (nu) inputs that the computer sets
  int room, first, count;
  double t_start;
  long k;  // number of the next sample
  uint64_t seed;
  void* block;
};

// ---- beginning and end ------------------------------------------------------------------------

// Free a sampler with its gains and close its plug-ins; NULL is allowed.
void td_sampler_free(td_sampler* s) {
  if (!s) return;
  for (int i = 0; s->controllers && i < s->ncontroller; i++) {
    td_gains_free(s->controllers[i].gains);
    free(s->controllers[i].F);
    if (s->controllers[i].library) dlclose(s->controllers[i].library);
  }
  td_control_free(s->control);
  td_state_free(s->at);
  free(s->controllers);
  free(s->queue);
  free(s->sets);
  free(s->block);
  free(s);
}

// Compute F and G over one period T from exp([A - L C, B - L D, L; 0 0 0] T).
static td_status discretise(const td_gains* g, double period, double* F, double* G) {
  const int n = g->nx, m = g->nu + g->ny, N = n + m;
  double* block = calloc(2 * area(N, N) + 1, sizeof(double));
  if (!block) return TD_E_NOMEM;
  double *A = block, *E = A + area(N, N);
  for (int i = 0; i < n; i++) {
    const double* L = g->L + area(i, g->ny);
    for (int j = 0; j < n; j++) A[i * N + j] = g->A[i * n + j];
    for (int j = 0; j < g->nu; j++) A[i * N + n + j] = g->B[i * g->nu + j];
    for (int k = 0; k < g->ny; k++) {
      for (int j = 0; j < n; j++) A[i * N + j] -= L[k] * g->C[k * n + j];
      for (int j = 0; j < g->nu; j++) A[i * N + n + j] -= L[k] * g->D[k * g->nu + j];
      A[i * N + n + g->nu + k] = L[k];
    }
  }
  for (size_t i = 0; i < area(N, N); i++) A[i] *= period;
  const td_status status = td_expm(A, N, E);
  for (int i = 0; status == TD_OK && i < n; i++) {
    memcpy(F + area(i, n), E + area(i, N), sizeof(double) * (size_t)n);
    memcpy(G + area(i, m), E + area(i, N) + n, sizeof(double) * (size_t)m);
  }
  free(block);
  return status;
}

// Read the gains of a controller and prepare its observer at the point of linearisation.
static td_status open_gains(td_sampler* s, controller* p, char* message, size_t size) {
  TD_TRY(td_gains_read(p->loop.file, s->model, &p->gains, message, size));
  const td_gains* g = p->gains;
  const bool sensors = p->loop.from_sensors;
  if (!g->K || (sensors && !g->L)) {
    snprintf(message, size, "%s has no gain %s", p->loop.file, g->K ? "L" : "K");
    return TD_E_USAGE;
  }

  // memory of controller and observer
  const size_t n = (size_t)g->nx, m = (size_t)(g->nu + g->ny);
  const size_t nq = (size_t)s->size.nq, nv = (size_t)s->size.nv;
  p->F = calloc(n * n + n * m + 3 * n + (size_t)s->size.nsensor + nv * nq + 2 * nv + nq +
                    (size_t)s->size.nz + 1,
                sizeof(double));
  if (!p->F) return TD_E_NOMEM;
  p->G = p->F + n * n;
  p->x = p->G + n * m;
  p->next = p->x + n;
  p->state = p->next + n;
  p->y0 = p->state + n;
  p->Nplus = p->y0 + s->size.nsensor;
  p->d = p->Nplus + nv * nq;

  // sensors at the point of linearisation, and the discrete observer
  memcpy(s->at->q, g->q, sizeof(double) * nq);
  memcpy(s->at->v, g->v, sizeof(double) * nv);
  copy(s->at->z, g->z, s->size.nz);
  if (g->nu) memcpy(s->at->u, g->u, sizeof(double) * (size_t)g->nu);
  if (s->size.nsensor) TD_TRY(td_trial_sensors(s->model, s->at, s->belief, p->y0));
  td_qdot_inverse(s->model, g->q, p->Nplus);
  return sensors ? discretise(g, 1 / s->computer.rate, p->F, p->G) : TD_OK;
}

// Load the plug-in of a controller, if that is allowed.
static td_status open_plugin(controller* p, bool allowed, char* message, size_t size) {
  if (!allowed) {
    snprintf(message, size,
             "the model asks for the plug-in '%s', which runs only with --allow-plugin",
             p->loop.file);
    return TD_E_USAGE;
  }
  // without a slash dlopen would search the system
  char path[300];
  snprintf(path, sizeof path, "%s%s", strchr(p->loop.file, '/') ? "" : "./", p->loop.file);
  p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* symbol = p->library ? dlsym(p->library, "td_controller") : NULL;
  if (!symbol) {
    const char* why = dlerror();
    snprintf(message, size, "plug-in: %s", why ? why : "no function td_controller");
    return TD_E_IO;
  }
  memcpy(&p->function, &symbol, sizeof symbol);
  return TD_OK;
}

// Allocate buffers, and find the inputs that the computer sets.
static td_status allocate(td_sampler* s, char* message, size_t size) {
  const double waiting = s->computer.delay * s->computer.rate;
  if (waiting > MOST_WAITING) {
    snprintf(message, size, "par.control.delay is more than 100000 periods");
    return TD_E_USAGE;
  }

  // ring buffer of inputs on their way, with room for the delay
  const size_t nu = (size_t)s->size.nu;
  s->room = (int)ceil(waiting) + 2;
  s->queue = calloc((size_t)s->room, sizeof(arrival));
  s->sets = calloc(nu + 1, sizeof(bool));
  double* at = s->block =
      calloc((size_t)(s->size.nsensor + td_task_count(s->model)) + nu * (size_t)(s->room + 1) + 1,
             sizeof(double));
  s->at = td_state_new(s->model);
  if (!s->queue || !s->sets || !at || !s->at) return TD_E_NOMEM;
  s->y = at;
  s->z = s->y + s->size.nsensor;
  s->u = s->z + td_task_count(s->model);
  for (int i = 0; i < s->room; i++) s->queue[i].u = s->u + nu * (size_t)(i + 1);

  // inputs that laws and tasks set
  double low, high;
  for (int i = 0; i < td_law_count(s->model); i++)
    s->sets[td_law_input(s->model, s->belief, i, &low, &high)] = true;
  for (int i = 0; i < td_task_input_count(s->model); i++)
    s->sets[td_task_input(s->model, s->belief, i, &low, &high)] = true;
  return TD_OK;
}

static bool recall(td_sampler* s, const double* memory);

// Open the computer of a model, with the memory of the state if it has any.
td_status td_sampler_new(const td_model* model, td_work* work, td_work* belief,
                         const td_state* state, bool allow_plugin, td_sampler** sampler,
                         char* message, size_t size) {
  *sampler = NULL;
  message[0] = '\0';
  const td_computer computer = td_model_computer(model);
  if (!(computer.rate > 0) || !td_model_is_controlled(model)) return TD_OK;
  td_sampler* s = calloc(1, sizeof *s);
  if (!s) return TD_E_NOMEM;
  *s = (td_sampler){.model = model,
                    .work = work,
                    .belief = belief,
                    .computer = computer,
                    .size = td_model_sizes(model),
                    .t_start = state->t,
                    .seed = computer.seed};

  // buffers, and numbers that follow from parameters
  td_status status = allocate(s, message, size);
  if (status == TD_OK) {
    td_state_copy(model, state, s->at);
    td_trial_energy(model, s->at, belief);  // evaluates the numbers that follow from parameters
  }

  // controllers
  s->ncontroller = td_controller_count(model);
  s->controllers = status == TD_OK ? calloc((size_t)s->ncontroller + 1, sizeof(controller)) : NULL;
  if (status == TD_OK && !s->controllers) status = TD_E_NOMEM;
  for (int i = 0; status == TD_OK && i < s->ncontroller; i++) {
    controller* p = &s->controllers[i];
    p->loop = td_controller_at(model, i);
    if (p->loop.kind == TD_CONTROLLER_GAINS) status = open_gains(s, p, message, size);
    if (p->loop.kind == TD_CONTROLLER_PLUGIN) status = open_plugin(p, allow_plugin, message, size);
  }
  if (status == TD_OK) status = td_control_new(model, belief, state, &s->control);
  if (status != TD_OK) {
    td_sampler_free(s);
    return status;
  }

  // inputs and memory of the state
  copy(s->u, state->u, s->size.nu);
  if (state->memory[0] == 1 && !recall(s, state->memory)) {
    snprintf(message, size, "the memory of controllers in the state is not one of this model");
    td_sampler_free(s);
    return TD_E_USAGE;
  }
  *sampler = s;
  return TD_OK;
}

// ---- memory -----------------------------------------------------------------------------------

// Append n numbers to a memory; returns its new end.
static double* keep(double* at, const double* from, int n) {
  copy(at, from, n);
  return at + n;
}

// Write the computer into a memory, in the layout whose size model/arrays.c computes.
void td_sampler_save(const td_sampler* s, double* memory) {
  const int nu = s->size.nu, n = td_task_count(s->model);
  const double head[6] = {
      1,       s->t_start, (double)s->k, (double)(s->seed >> 32), (double)(s->seed & 0xffffffffu),
      s->count};
  double* at = keep(memory, head, 6);
  at = keep(keep(at, s->z, n), s->u, nu);

  // inputs on their way
  for (int i = 0; i < s->room; i++) {
    const arrival* a = &s->queue[(s->first + i) % s->room];
    at[0] = i < s->count ? a->t : 0;
    for (int k = 0; k < nu; k++) at[1 + k] = i < s->count ? a->u[k] : 0;
    at += 1 + nu;
  }

  // observers and plug-ins
  for (int i = 0; i < s->ncontroller; i++) {
    const controller* p = &s->controllers[i];
    if (p->loop.from_sensors && p->gains) {
      copy(at, p->x, min_int(p->gains->nx, 2 * s->size.nv + s->size.nz));
      at += 2 * s->size.nv + s->size.nz;
    }
    if (p->loop.kind == TD_CONTROLLER_PLUGIN) at = keep(at, p->memory, TD_CONTROLLER_MEMORY);
  }
}

// Continue from a memory.  False: its numbers cannot be those of such a computer.
static bool recall(td_sampler* s, const double* memory) {
  const int nu = s->size.nu, n = td_task_count(s->model);
  const double k = memory[2], high = memory[3], low = memory[4], count = memory[5];
  if (!(k >= 0 && k < 9e15 && high >= 0 && high < 4294967296.0 && low >= 0 && low < 4294967296.0 &&
        count >= 0 && count <= s->room && isfinite(memory[1])))
    return false;

  // clock and noise
  s->t_start = memory[1];
  s->k = (long)k;
  s->seed = (uint64_t)high << 32 | (uint64_t)low;
  s->first = 0;
  s->count = (int)count;

  // integrals, inputs, inputs on their way
  const double* at = memory + 6;
  copy(s->z, at, n);
  copy(s->u, at + n, nu);
  at += n + nu;
  for (int i = 0; i < s->room; i++, at += 1 + nu) {
    s->queue[i].t = at[0];
    copy(s->queue[i].u, at + 1, nu);
  }

  // observers and plug-ins
  for (int i = 0; i < s->ncontroller; i++) {
    controller* p = &s->controllers[i];
    if (p->loop.from_sensors && p->gains) {
      copy(p->x, at, min_int(p->gains->nx, 2 * s->size.nv + s->size.nz));
      at += 2 * s->size.nv + s->size.nz;
    }
    if (p->loop.kind == TD_CONTROLLER_PLUGIN) {
      copy(p->memory, at, TD_CONTROLLER_MEMORY);
      at += TD_CONTROLLER_MEMORY;
    }
  }
  return true;
}

// ---- sampling ---------------------------------------------------------------------------------

// Time of sample k
static double sample_time(const td_sampler* s, long k) {
  return s->t_start + (double)k / s->computer.rate;
}

// x rounded to a multiple of the quantum; 0: as it is
static double quantised(double x, double quantum) {
  return quantum > 0 ? quantum * round(x / quantum) : x;
}

// Set the inputs u = u0 - K x of a controller with gains; without an observer
// x = inverse [N⁺ (q - q0); v - v0; z - z0].
static void run_gains(td_sampler* s, controller* p, const td_state* state) {
  const td_gains* g = p->gains;
  if (!p->loop.from_sensors) {
    const int nq = s->size.nq, nv = s->size.nv, nz = s->size.nz;
    double* dq = p->d + 2 * nv + nz;
    for (int i = 0; i < nq; i++) dq[i] = state->q[i] - g->q[i];
    td_mul(p->Nplus, dq, nv, nq, 1, p->d);
    for (int i = 0; i < nv; i++) p->d[nv + i] = state->v[i] - g->v[i];
    for (int i = 0; i < nz; i++) p->d[2 * nv + i] = state->z[i] - g->z[i];
    td_mul(g->inverse, p->d, g->nx, 2 * nv + nz, 1, p->x);
  }

  // inputs within their limits
  for (int k = 0; k < p->loop.n; k++) {
    double low, high;
    const int i = td_law_input(s->model, s->belief, p->loop.first + k, &low, &high);
    const double u = g->u[i] - inner(g->K + area(i, g->nx), p->x, g->nx);
    s->u[i] = fmin(fmax(u, low), high);
  }
}

// Advance an observer by one period, after all controllers, with the inputs that they set.
static void observe(td_sampler* s, controller* p) {
  const td_gains* g = p->gains;
  const int m = g->nu + g->ny;
  for (int i = 0; i < g->nx; i++) {
    const double* G = p->G + area(i, m);
    double sum = inner(p->F + area(i, g->nx), p->x, g->nx);
    for (int j = 0; j < g->nu; j++) sum += G[j] * (s->u[j] - g->u[j]);
    for (int j = 0; j < g->ny; j++)
      sum += G[g->nu + j] * (s->y[g->output[j]] - p->y0[g->output[j]]);
    p->next[i] = sum;
  }
  copy(p->x, p->next, g->nx);
}

// Call a plug-in with the measurements; it changes its inputs.
static td_status run_plugin(td_sampler* s, controller* p, double t) {
  double mine[64];
  const int n = p->loop.n;
  for (int k = 0; k < n; k++) {
    double low, high;
    mine[k] = s->u[td_law_input(s->model, s->belief, p->loop.first + k, &low, &high)];
  }

  // call it
  if (p->function(t, s->y, s->size.nsensor, mine, n, p->memory) != 0) {
    td_work_fail(s->work, "the plug-in '%s' gave up at t = %g s", p->loop.file, t);
    return TD_E_STOPPED;
  }
  for (int k = 0; k < n; k++) {
    double low, high;
    const int i = td_law_input(s->model, s->belief, p->loop.first + k, &low, &high);
    if (isnan(mine[k])) {
      td_work_fail(s->work, "the plug-in '%s' gave nan at t = %g s", p->loop.file, t);
      return TD_E_DIVERGED;
    }
    s->u[i] = fmin(fmax(mine[k], low), high);
  }
  return TD_OK;
}

// Take one sample: measure, run all controllers, and queue the inputs with the delay.
static td_status sample(td_sampler* s, const td_state* state) {
  // sensors with noise and resolution
  if (s->size.nsensor > 0) TD_TRY(td_trial_sensors(s->model, state, s->work, s->y));
  for (int i = 0; i < s->size.nsensor; i++) {
    double noise, quantum;
    td_measure(s->model, s->work, i, &noise, &quantum);
    s->y[i] = quantised(s->y[i] + noise * random_normal(&s->seed), quantum);
  }

  // gains and plug-ins
  for (int i = 0; i < s->ncontroller; i++) {
    if (s->controllers[i].loop.kind == TD_CONTROLLER_GAINS) run_gains(s, &s->controllers[i], state);
    if (s->controllers[i].loop.kind == TD_CONTROLLER_PLUGIN)
      TD_TRY(run_plugin(s, &s->controllers[i], state->t));
  }

  // laws and tasks, which see the state itself
  td_state_copy(s->model, state, s->at);
  copy(s->at->u, s->u, s->size.nu);
  TD_TRY(td_control_inputs(s->control, s->at, s->z));
  copy(s->u, s->at->u, s->size.nu);
  for (int i = 0; i < td_task_count(s->model); i++)
    s->z[i] += td_control_integrand(s->control)[i] / s->computer.rate;

  // observers
  for (int i = 0; i < s->ncontroller; i++)
    if (s->controllers[i].loop.from_sensors && s->controllers[i].gains)
      observe(s, &s->controllers[i]);

  // inputs on their way
  arrival* a = &s->queue[(s->first + s->count++) % s->room];
  a->t = sample_time(s, s->k++) + s->computer.delay;
  for (int i = 0; i < s->size.nu; i++) a->u[i] = s->u[i];
  for (int i = 0; i < s->size.nu; i++)
    if (s->sets[i]) a->u[i] = quantised(s->u[i], s->computer.quantum);
  return TD_OK;
}

// Set the inputs that the computer does not set, also those on their way.
void td_sampler_inputs(td_sampler* s, const double* u) {
  for (int k = 0; k < s->size.nu; k++) {
    if (s->sets[k]) continue;
    s->u[k] = u[k];
    for (int i = 0; i < s->count; i++) s->queue[(s->first + i) % s->room].u[k] = u[k];
  }
}

double td_sampler_next(const td_sampler* s) {
  const double next = sample_time(s, s->k);
  return s->count > 0 ? fmin(s->queue[s->first].t, next) : next;
}

// Take the sample that is due, and deliver the inputs that have arrived.
td_status td_sampler_run(td_sampler* s, td_state* state) {
  const double now = state->t + 1e-12 * fmax(1, fabs(state->t));
  if (sample_time(s, s->k) <= now) TD_TRY(sample(s, state));
  while (s->count > 0 && s->queue[s->first].t <= now) {
    copy(state->u, s->queue[s->first].u, s->size.nu);
    s->first = (s->first + 1) % s->room;
    s->count--;
  }
  td_sampler_save(s, state->memory);
  return TD_OK;
}
