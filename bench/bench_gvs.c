// Speed of strain-parametrised rods on one core, printed as JSON: microseconds of one evaluation of
// the forward dynamics of the cable-driven manipulator and of its tangent, and seconds of computing
// for the published robots, beside the times their authors report (MATLAB on a laptop of 2019). The
// last row is a silicone cantilever released under gravity, with five functions of curvature.
//
//   bench_gvs [DIRECTORY of the models]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tendril/tendril.h"

typedef struct task {
  const char *file, *basis;
  const char* text;  // instead of a file
  bool rest;         // start from the equilibrium
  double published;  // [s]; NaN: none
  int runs;          // the best of these
} task;

// Row D10 of the benchmarks: the tip within 0.1 mm, one second of swinging.
static const char cantilever[] =
    "world.g = [0 0 -9.81]; r = 0.015; I = pi*r^4/4; eta = 1e4;\n"
    "rod(1).tr.rot = [2*pi/3 1 1 1]; rod(1).length = 0.3; rod(1).radius = r; rod(1).E = 1e6;\n"
    "rod(1).rho = 1000; rod(1).damping = eta*[1 1 1 I I 2*I];\n"
    "rod(1).order = [-1 -1 -1 4 -1 -1];\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);\n"
    "par.t_final = 1; par.dt_out = 0.05; par.rtol = 1e-5; par.atol = 1e-7;\n";

static const task tasks[] = {
    {"cable_manipulator.m", "legendre", NULL, false, 14.8, 3},
    {"cable_manipulator.m", "quadratic", NULL, false, 18.2, 3},
    {"octopus_arm.m", "dependent", NULL, false, 18.91, 3},
    {"octopus_arm.m", "cubic", NULL, false, 174.72, 3},
    {"cable_robot.m", "quadratic", NULL, true, 1608, 1},
    {"cable_robot.m", "legendre", NULL, true, 1689, 1},
    {"underwater_robot.m", "linear", NULL, false, 3148.2, 1},
    {"underwater_robot.m", "legendre", NULL, false, 6783, 1},
    {"cantilever", "legendre", cantilever, false, NAN, 5},
};
enum { NTASK = sizeof tasks / sizeof *tasks, BATCHES = 20 };
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

// ---- one robot --------------------------------------------------------------------------------

typedef struct rig {
  td_model* model;
  td_work* work;
  td_state* state;
  double *A, *B;  // nv x nv
} rig;

static td_model* compiled(const char* models, const task* k) {
  td_spec* spec = needed(td_spec_new());
  td_model* model = NULL;
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", models, k->file);
  if (!k->text) td_spec_override(spec, "basis", k->basis);
  const td_status loaded =
      k->text ? td_spec_load_string(spec, k->file, k->text) : td_spec_load_file(spec, path);
  if (loaded != TD_OK || td_model_compile(spec, &model) != TD_OK) {
    fprintf(stderr, "%s\n", td_spec_messages(spec));
    exit(1);
  }
  td_spec_free(spec);
  return model;
}

static rig rig_new(const char* models, const task* k) {
  rig r = {.model = compiled(models, k)};
  const size_t nv = (size_t)td_model_sizes(r.model).nv;
  r.work = needed(td_work_new(r.model));
  r.state = needed(td_state_new(r.model));
  r.A = needed(calloc(nv * nv, sizeof(double)));
  r.B = needed(calloc(nv * nv, sizeof(double)));
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

// Seconds of a simulation; the state is left where it ends.
static double simulation_time(rig* r, const task* k, td_sim_stats* stats) {
  const td_sim_options o = td_sim_options_default();
  const td_equil_options e = td_equil_options_default();
  td_equil_result rest;
  td_trajectory* trajectory = NULL;
  if (td_state_initial(r->model, r->work, r->state) != TD_OK) exit(1);
  if (k->rest && td_equilibrium(r->model, r->work, r->state, &e, &rest) != TD_OK) exit(1);
  const double start = seconds();
  const td_status status = td_simulate(r->model, r->work, r->state, &o, &trajectory);
  const double time = seconds() - start;
  if (status != TD_OK) {
    fprintf(stderr, "%s: %s\n", k->file, trajectory ? td_trajectory_diagnosis(trajectory) : "");
    exit(1);
  }
  *stats = *td_trajectory_stats(trajectory);
  td_trajectory_free(trajectory);
  return time;
}

int main(int argc, char** argv) {
  const char* models = argc > 1 ? argv[1] : "models";
  printf("{\n  \"gvs\": [\n");
  for (int i = 0; i < NTASK; i++) {
    const task* k = &tasks[i];
    rig r = rig_new(models, k);
    td_sim_stats stats;
    double run = INFINITY;
    for (int j = 0; j < k->runs; j++) run = fmin(run, simulation_time(&r, k, &stats));
    const double us = best_time(&r, forward), tangent_us = best_time(&r, tangent);
    printf("    {\"model\": \"%s\", \"basis\": \"%s\", \"dof\": %d, ", k->file, k->basis,
           td_model_sizes(r.model).nv);
    printf("\"forward_dynamics_us\": %.2f, \"forward_tangent_us\": %.1f, ", us, tangent_us);
    printf("\"simulated_s\": %g, \"cpu_s\": %.4f, ", stats.t_end, run);
    if (isfinite(k->published)) printf("\"published_s\": %g, ", k->published);
    printf("\"steps\": %ld, \"evaluations\": %ld, \"tangents\": %ld}%s\n", stats.steps,
           stats.evaluations, stats.tangents, i < NTASK - 1 ? "," : "");
    fflush(stdout);
    rig_free(&r);
  }
  printf("  ]\n}\n");
  return 0;
}
