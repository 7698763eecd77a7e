// Speed of the continuum models of rods on one core, printed as JSON: microseconds of one
// evaluation of the forward dynamics and of its tangent, and seconds of computing per simulated
// second, for a silicone cantilever that falls under its weight and comes to rest.
#include "rig.h"

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

int main(void) {
  printf("{\n  \"rods\": [\n");
  for (int i = 0; i < NVARIANT; i++) {
    rig r = rod_rig(variants[i]);
    td_sim_stats stats = {0};
    const double run = best_run(&r, &stats);
    const double us = best_time(rig_forward, &r), tangent_us = best_time(rig_tangent, &r);
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
