// What the benchmarks share: the clock, models from texts or files, a model with its state and
// matrices, and the best time of an operation.
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tendril/tendril.h"

enum { BATCHES = 20 };
#define BATCH_SECONDS 0.003  // long against the clock, short against what disturbs it

// Time this thread has run: other programs on the machine do not count.
static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void* needed(void* p) {
  if (!p) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return p;
}

// The model of a text (or, without one, of the file `name`) with `count` pairs of names and values
// set.
static inline td_model* compiled(const char* name, const char* text, const char* const (*set)[2],
                                 int count) {
  td_spec* spec = needed(td_spec_new());
  td_model* model = NULL;
  for (int i = 0; i < count; i++) td_spec_override(spec, set[i][0], set[i][1]);
  const td_status loaded =
      text ? td_spec_load_string(spec, name, text) : td_spec_load_file(spec, name);
  if (loaded != TD_OK || td_model_compile(spec, &model) != TD_OK) {
    fprintf(stderr, "%s\n", td_spec_messages(spec));
    exit(1);
  }
  td_spec_free(spec);
  return model;
}

// Best of the batches, in microseconds.
static inline double best_time(void (*run)(void*), void* on) {
  double best = INFINITY;
  int repetitions = 1;
  for (int b = 0; b < BATCHES; b++) {
    const double start = seconds();
    for (int i = 0; i < repetitions; i++) run(on);
    best = fmin(best, 1e6 * (seconds() - start) / repetitions);
    repetitions = 1 + (int)(1e6 * BATCH_SECONDS / best);
  }
  return best;
}

// "name": x, with null for what is not a number.
static inline void print_number(const char* name, double x) {
  if (isfinite(x)) {
    printf("\"%s\": %.4g, ", name, x);
  } else {
    printf("\"%s\": null, ", name);
  }
}

// ---- a model with its state and dense matrices ------------------------------------------------

typedef struct rig {
  td_model* model;
  td_work* work;
  td_state* state;
  double *A, *B;  // nv x nv
} rig;

// The rig takes the model over.
static inline rig rig_new(td_model* model) {
  rig r = {.model = model};
  const size_t nv = (size_t)td_model_sizes(model).nv;
  r.work = needed(td_work_new(model));
  r.state = needed(td_state_new(model));
  r.A = needed(calloc(nv * nv, sizeof(double)));
  r.B = needed(calloc(nv * nv, sizeof(double)));
  td_state_initial(model, r.work, r.state);
  return r;
}

static inline void rig_free(rig* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  free(r->A);
  free(r->B);
}

// What is placed already is not placed again: one velocity turns round before each evaluation.
static inline void rig_forward(void* on) {
  rig* r = on;
  r->state->v[0] = -r->state->v[0];
  td_forward_dynamics(r->model, r->state, r->work);
}
static inline void rig_tangent(void* on) {
  rig* r = on;
  r->state->v[0] = -r->state->v[0];
  td_forward_tangent(r->model, r->state, r->work, r->A, r->B, NULL);
}

// Seconds of a simulation from the state, which is left where it ends.
static inline double simulation_time(rig* r, const td_sim_options* o, td_sim_stats* stats) {
  td_trajectory* run = NULL;
  const double start = seconds();
  const td_status status = td_simulate(r->model, r->work, r->state, o, &run);
  const double time = seconds() - start;
  if (status != TD_OK) {
    fprintf(stderr, "%s\n", run ? td_trajectory_diagnosis(run) : td_status_text(status));
    exit(1);
  }
  *stats = *td_trajectory_stats(run);
  td_trajectory_free(run);
  return time;
}

#endif
