// Speed of the continuum models of rods on one core, printed as JSON: microseconds of one
// evaluation of the forward dynamics and of its tangent, and seconds of computing per simulated
// second, for a silicone cantilever that falls under its weight and comes to rest.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tendril/tendril.h"

static const char text[] =
    "world.g = [0 -9.81 0];\n"
    "r = 0.015; A = pi*r^2; I = pi*r^4/4; eta = 1e4;\n"
    "rod(1).length = 0.3; rod(1).radius = r; rod(1).E = 1e6; rod(1).rho = 1000;\n"
    "rod(1).damping = eta*[A A A I I 2*I];\n"
    "rod(1).tr.rot = [2 pi/2];\n"
    "rod(1).model = param('model', 'ebr'); rod(1).n = param('n', 10);\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);\n"
    "par.t_final = 1; par.dt_out = 0.05; par.rtol = 1e-6;\n";

typedef struct variant {
  const char* model;
  int n;
} variant;
static const variant variants[] = {{"srl", 3},  {"srl", 5},  {"srl", 10}, {"srl", 20},
                                   {"ebr", 5},  {"ebr", 10}, {"ebr", 20}, {"eba", 5},
                                   {"eba", 10}, {"eba", 20}, {"rom", 2},  {"rom", 4}};
enum { NVARIANT = sizeof variants / sizeof *variants, BATCHES = 20, RUNS = 5 };
#define BATCH_SECONDS 0.003  // long against the clock, short against what disturbs it

// Time this thread has run: other programs on the machine do not count.
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void* needed(void* p) {
  if (!p) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return p;
}

// ---- one variant ------------------------------------------------------------------------------

typedef struct rig {
  td_model* model;
  td_work* work;
  td_state* state;
  double *A, *B;  // nv x nv
} rig;

static td_model* compiled(variant v) {
  td_spec* spec = needed(td_spec_new());
  td_model* model = NULL;
  char n[16];
  snprintf(n, sizeof n, "%d", v.n);
  td_spec_override(spec, "model", v.model);
  td_spec_override(spec, "n", n);
  if (td_spec_load_string(spec, "rod.m", text) != TD_OK ||
      td_model_compile(spec, &model) != TD_OK) {
    fprintf(stderr, "%s\n", td_spec_messages(spec));
    exit(1);
  }
  td_spec_free(spec);
  return model;
}

static rig rig_new(variant v) {
  rig r = {.model = compiled(v)};
  const size_t nv = (size_t)td_model_sizes(r.model).nv;
  r.work = needed(td_work_new(r.model));
  r.state = needed(td_state_new(r.model));
  r.A = needed(calloc(nv * nv, sizeof(double)));
  r.B = needed(calloc(nv * nv, sizeof(double)));
  td_state_initial(r.model, r.work, r.state);
  return r;
}

static void rig_free(rig* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  free(r->A);
  free(r->B);
}

static void forward(rig* r) { td_forward_dynamics(r->model, r->state, r->work); }
static void tangent(rig* r) { td_forward_tangent(r->model, r->state, r->work, r->A, r->B, NULL); }

// Best of the batches, in microseconds.
static double best_time(rig* r, void (*run)(rig*)) {
  double best = INFINITY;
  int repetitions = 1;
  for (int b = 0; b < BATCHES; b++) {
    const double start = seconds();
    for (int i = 0; i < repetitions; i++) run(r);
    const double us = 1e6 * (seconds() - start) / repetitions;
    best = fmin(best, us);
    repetitions = 1 + (int)(1e6 * BATCH_SECONDS / best);
  }
  return best;
}

// Best of a few simulations: seconds per simulated second.  The state is left bent and in motion.
static double simulation_time(rig* r, td_sim_stats* stats) {
  double best = INFINITY;
  for (int i = 0; i < RUNS; i++) {
    const td_sim_options o = td_sim_options_default();
    td_trajectory* trajectory = NULL;
    td_state_initial(r->model, r->work, r->state);
    const double start = seconds();
    if (td_simulate(r->model, r->work, r->state, &o, &trajectory) != TD_OK) exit(1);
    best = fmin(best, seconds() - start);
    *stats = *td_trajectory_stats(trajectory);
    td_trajectory_free(trajectory);
  }
  return best;
}

int main(void) {
  printf("{\n  \"rods\": [\n");
  for (int i = 0; i < NVARIANT; i++) {
    rig r = rig_new(variants[i]);
    td_sim_stats stats;
    const double run = simulation_time(&r, &stats);
    const double us = best_time(&r, forward), tangent_us = best_time(&r, tangent);
    printf("    {\"model\": \"%s\", \"n\": %d, \"dof\": %d, \"forward_dynamics_us\": %.2f, ",
           variants[i].model, variants[i].n, td_model_sizes(r.model).nv, us);
    printf("\"forward_tangent_us\": %.1f, \"cpu_s_per_simulated_s\": %.4f, ", tangent_us, run);
    printf("\"steps\": %ld, \"evaluations\": %ld, \"tangents\": %ld}%s\n", stats.steps,
           stats.evaluations, stats.tangents, i < NVARIANT - 1 ? "," : "");
    rig_free(&r);
  }
  printf("  ]\n}\n");
  return 0;
}
