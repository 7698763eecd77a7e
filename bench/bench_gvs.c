// Speed of strain-parametrised rods on one core, printed as JSON: microseconds of one evaluation of
// the forward dynamics of the cable-driven manipulator and of its tangent, and seconds of computing
// for the published robots, beside the times their authors report (MATLAB on a laptop of 2019). The
// last row is a silicone cantilever released under gravity, with five functions of curvature.
//
//   bench_gvs [DIRECTORY of the models]
#include "rig.h"

typedef struct task {
  const char *file, *basis;
  const char* text;  // instead of a file
  bool rest;         // start from the equilibrium
  double published;  // [s]; NaN: none
  int runs;          // the best of these
} task;

// Row D10 of the benchmarks, one second of swinging: the tip within 0.1 mm at all its moments (it
// is within 0.03 mm; a tolerance of 1e-3 would leave 0.2 mm), with points and steps that suffice
// for that.
static const char cantilever[] =
    "world.g = [0 0 -9.81]; r = 0.015; I = pi*r^4/4; eta = 1e4;\n"
    "rod(1).tr.rot = [2*pi/3 1 1 1]; rod(1).length = 0.3; rod(1).radius = r; rod(1).E = 1e6;\n"
    "rod(1).rho = 1000; rod(1).damping = eta*[1 1 1 I I 2*I];\n"
    "rod(1).order = [-1 -1 -1 4 -1 -1]; rod(1).points = 6; rod(1).magnus = 4;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(rod(1), 0.3);\n"
    "par.t_final = 1; par.dt_out = 0.05; par.rtol = 1e-4; par.atol = 1e-5;\n";

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
enum { NTASK = sizeof tasks / sizeof *tasks };

static rig robot(const char* models, const task* k) {
  const char* const set[][2] = {{"basis", k->basis}};
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", models, k->file);
  return rig_new(compiled(path, k->text, set, k->text ? 0 : 1));
}

// Best of the runs of a task; the state is left where they end.
static double best_run(rig* r, const task* k, td_sim_stats* stats) {
  const td_sim_options o = td_sim_options_default();
  const td_equil_options e = td_equil_options_default();
  td_equil_result rest;
  double best = INFINITY;
  for (int i = 0; i < k->runs; i++) {
    if (td_state_initial(r->model, r->work, r->state) != TD_OK) exit(1);
    if (k->rest && td_equilibrium(r->model, r->work, r->state, &e, &rest) != TD_OK) exit(1);
    best = fmin(best, simulation_time(r, &o, stats));
  }
  return best;
}

int main(int argc, char** argv) {
  const char* models = argc > 1 ? argv[1] : "models";
  printf("{\n  \"gvs\": [\n");
  for (int i = 0; i < NTASK; i++) {
    const task* k = &tasks[i];
    rig r = robot(models, k);
    td_sim_stats stats = {0};
    const double run = best_run(&r, k, &stats);
    const double us = best_time(rig_forward, &r), tangent_us = best_time(rig_tangent, &r);
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
