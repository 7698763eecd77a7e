// Speed of the continuum models of rods on one core, printed as JSON: microseconds of one
// evaluation of the forward dynamics and of its tangent, and seconds of computing per simulated
// second, for a silicone cantilever that is let go under its weight (row D10 of the benchmarks) and
// for the recorded motions of the STIFF-FLOP module beside the seconds its authors report (MATLAB,
// compiled equations, tolerance 1e-3), with the engine and with derived code where that is faster
// (as `tendril sim --jit`; deriving and compiling not counted).  Recordings are found through
// TENDRIL_DATA and left out without it.
//
//   bench_rods [DIRECTORY of the models]
#include "rig.h"
#include "tendril/generate.h"

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
static const variant variants[] = {{"srl", 3},  {"srl", 5},  {"srl", 10}, {"srl", 20}, {"ebr", 5},
                                   {"ebr", 10}, {"ebr", 20}, {"eba", 5},  {"eba", 10}, {"eba", 20},
                                   {"rom", 2},  {"rom", 4},  {"rom", 6},  {"gvs", 4},  {"gvs", 6}};
enum { NVARIANT = sizeof variants / sizeof *variants, RUNS = 5 };

static rig rod_rig(variant v) {
  char n[16];
  snprintf(n, sizeof n, "%d", v.n);
  const char* const set[][2] = {{"model", v.model}, {"n", n}};
  return rig_new(compiled("rod.m", text, set, 2));
}

// Best of a few simulations: seconds per simulated second.  The state is left bent and in motion.
static double best_run(rig* r, td_sim_stats* stats) {
  const td_sim_options o = td_sim_options_default();
  double best = INFINITY;
  for (int i = 0; i < RUNS; i++) {
    td_state_initial(r->model, r->work, r->state);
    best = fmin(best, simulation_time(r, &o, stats));
  }
  return best;
}

// Distance of the tip from the converged solution after one second.
static double tip_error(rig* r) {
  const double want[3] = {0.23522531409, -0.173773323825, 0};
  double tip[3];
  if (td_sensors(r->model, r->state, r->work, tip) != TD_OK) exit(1);
  return hypot(hypot(tip[0] - want[0], tip[1] - want[1]), tip[2] - want[2]);
}

static void print_run(const rig* r, const td_sim_stats* stats, double cpu, bool last) {
  printf("\"dof\": %d, \"cpu_s_per_simulated_s\": %.4f, ", td_model_sizes(r->model).nv,
         cpu / stats->t_end);
  printf("\"solver\": \"%s\", ", stats->solver == TD_SOLVER_STIFF ? "stiff" : "explicit");
  printf("\"steps\": %ld, \"evaluations\": %ld, \"tangents\": %ld}%s\n", stats->steps,
         stats->evaluations, stats->tangents, last ? "" : ",");
  fflush(stdout);
}

static void print_evaluation(rig* r) {
  printf("\"forward_dynamics_us\": %.2f, \"forward_tangent_us\": %.1f, ", best_time(rig_forward, r),
         best_time(rig_tangent, r));
}

static void measure_cantilever(variant v, bool last) {
  rig r = rod_rig(v);
  td_sim_stats stats = {0};
  const double cpu = best_run(&r, &stats), error = tip_error(&r);
  printf("    {\"model\": \"%s\", \"n\": %d, \"tip_error_mm\": %.3g, ", v.model, v.n, 1e3 * error);
  print_evaluation(&r);
  print_run(&r, &stats, cpu, last);
  rig_free(&r);
}

// ---- recordings -------------------------------------------------------------------------------

typedef struct motion {
  const char* model;
  const char* n;
  const char* load;
  double published;  // seconds per simulated second; NaN: none
} motion;
static const motion motions[] = {{"eba", "5", "0", 6.187}, {"srl", "3", "0", 2.026},
                                 {"ebr", "5", "0", 1.358}, {"rom", "2", "0", 5.592},
                                 {"eba", "5", "1", 6.924}, {"srl", "3", "1", 2.918},
                                 {"ebr", "5", "1", 2.072}, {"rom", "2", "1", NAN}};
enum { NMOTION = sizeof motions / sizeof *motions };

// Seconds per simulated second with code derived from the model.
static double time_with_code(rig* r) {
  td_sim_options o = td_sim_options_default();
  td_sim_stats stats;
  td_jit* jit = NULL;
  if (td_jit_new(r->model, r->work, &jit) != TD_OK) exit(1);
  td_jit_wait(jit);
  o.code = td_jit_source(jit);
  td_state_initial(r->model, r->work, r->state);
  const double cpu = simulation_time(r, &o, &stats);
  td_jit_free(jit);
  return cpu / stats.t_end;
}

static void measure_recording(const char* models, const char* data, const motion* k, bool last) {
  const bool loaded = k->load[0] == '1';
  char file[1024], recording[1024];
  snprintf(file, sizeof file, "%s/stiffflop.m", models);
  snprintf(recording, sizeof recording, "%s/data/stiffflop/stiffflop_%s.csv", data,
           loaded ? "load1" : "noload");
  const char* const set[][2] = {
      {"model", k->model}, {"n", k->n}, {"load", k->load}, {"data", recording}};
  rig r = rig_new(compiled(file, NULL, set, 4));
  const td_sim_options o = td_sim_options_default();
  td_sim_stats stats;
  const double cpu = simulation_time(&r, &o, &stats);
  printf("    {\"model\": \"%s\", \"n\": %s, \"load\": %s, \"simulated_s\": %g, ", k->model, k->n,
         k->load, stats.t_end);
  print_number("published_s_per_simulated_s", k->published);
  print_evaluation(&r);
  print_number("cpu_s_per_simulated_s_with_code", time_with_code(&r));
  print_run(&r, &stats, cpu, last);
  rig_free(&r);
}

int main(int argc, char** argv) {
  const char *models = argc > 1 ? argv[1] : "models", *data = getenv("TENDRIL_DATA");
  printf("{\n  \"rods\": [\n");
  for (int i = 0; i < NVARIANT; i++) measure_cantilever(variants[i], i == NVARIANT - 1);
  printf("  ],\n  \"recordings\": [\n");
  for (int i = 0; data && i < NMOTION; i++)
    measure_recording(models, data, &motions[i], i == NMOTION - 1);
  printf("  ]\n}\n");
  return 0;
}
